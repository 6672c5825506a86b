"""Models of `tf.keras.applications`, one row each: how they are made, and what is told of them."""

import hashlib
import json

import numpy as np

# name of the model, arguments. Those of `QUICK` are built and called by the tests, of those of `BUILT` the layers are
# compared, the others are looked at by `tests/record.py applications --check`.
QUICK = [
    ("VGG16", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "avg"}),
    ("MobileNetV2", {"input_shape": [32, 32, 3], "alpha": 0.35, "classes": 3}),
    ("EfficientNetB0", {"input_shape": (32, 32, 3), "classes": 10}),
]
BUILT = [
    ("VGG19", {"input_shape": (32, 48, 1), "classes": 5, "classifier_activation": None}),
    ("MobileNet", {"input_shape": [32, 32, 3], "alpha": 0.25, "classes": 3}),
    ("ResNet50", {"input_shape": [32, 32, 3], "classes": 3}),
    ("ResNet50V2", {"include_top": False, "input_shape": [32, 32, 3], "pooling": "avg"}),
    ("InceptionV3", {"include_top": False, "input_shape": [75, 75, 3], "pooling": "max"}),
    ("MobileNetV3Small", {"input_shape": [32, 32, 3], "classes": 3}),
    ("Xception", {"input_shape": [71, 80, 1], "classes": 10, "classifier_activation": None}),
    ("EfficientNetV2B0", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "avg"}),
    ("ConvNeXtTiny", {"include_top": False, "input_shape": (32, 32, 3)}),
    ("ResNetRS50", {"include_top": False, "input_shape": (32, 32, 3)}),
    ("RegNetX002", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "avg"}),
    ("RegNetY002", {"input_shape": (32, 32, 3), "classes": 10}),
]
SLOW = [
    ("MobileNetV2", {}),
    ("MobileNetV2", {"include_top": False, "pooling": "avg"}),
    ("MobileNetV2", {"include_top": False, "input_shape": [96, 128, 1], "alpha": 1.4, "pooling": "max"}),
    ("MobileNetV2", {"input_shape": [33, 47, 3], "classes": 10, "alpha": 0.75, "classifier_activation": None}),
    ("MobileNet", {}),
    ("MobileNet", {"include_top": False, "pooling": "max"}),
    ("MobileNet", {"input_shape": [47, 33, 1], "depth_multiplier": 2, "dropout": 0.1, "classes": 10}),
    ("MobileNet", {"include_top": False, "input_shape": [64, 64, 3], "alpha": 1.5}),
    ("ResNet50", {}),
    ("ResNet50", {"include_top": False, "input_shape": [47, 33, 1]}),
    ("ResNet50", {"include_top": False, "pooling": "max"}),
    ("ResNet101", {"input_shape": [64, 64, 3], "classes": 10, "classifier_activation": None}),
    ("ResNet152", {"include_top": False, "input_shape": [64, 64, 3], "pooling": "avg"}),
    ("ResNet50V2", {"input_shape": [64, 64, 1], "classes": 10}),
    ("ResNet50V2", {"include_top": False, "pooling": "max"}),
    ("ResNet101V2", {"input_shape": [64, 64, 3], "classes": 10, "classifier_activation": None}),
    ("ResNet152V2", {"include_top": False, "input_shape": [64, 64, 3]}),
    ("InceptionV3", {}),
    ("InceptionV3", {"include_top": False, "pooling": "avg"}),
    ("InceptionV3", {"input_shape": [80, 75, 1], "classes": 10, "classifier_activation": None}),
    ("DenseNet121", {}),
    ("DenseNet121", {"include_top": False, "pooling": "avg"}),
    ("DenseNet121", {"input_shape": [47, 33, 1], "classes": 10, "classifier_activation": None}),
    ("DenseNet169", {"include_top": False, "input_shape": [32, 32, 3]}),
    ("DenseNet201", {"include_top": False, "input_shape": [32, 32, 3], "pooling": "max"}),
    ("Xception", {}),
    ("Xception", {"include_top": False, "pooling": "avg"}),
    ("InceptionResNetV2", {"include_top": False, "pooling": "max"}),
    ("InceptionResNetV2", {"input_shape": [75, 80, 1], "classes": 10, "classifier_activation": None}),
    ("MobileNetV3Small", {}),
    ("MobileNetV3Small", {"input_shape": [32, 33, 1], "alpha": 1.25, "minimalistic": True, "classes": 10}),
    ("MobileNetV3Small", {"include_top": False, "alpha": 0.75, "pooling": "max"}),
    ("MobileNetV3Large", {"input_shape": [64, 47, 3], "classes": 10, "dropout_rate": 0, "classifier_activation": None}),
    ("MobileNetV3Large", {"include_top": False, "pooling": "avg", "include_preprocessing": False}),
    ("MobileNetV3Large", {"include_top": False, "alpha": 0.75, "minimalistic": True}),
    ("NASNetMobile", {}),
    ("NASNetMobile", {"include_top": False, "input_shape": [64, 64, 3], "pooling": "avg"}),
    ("NASNetMobile", {"input_shape": [32, 47, 1], "classes": 10, "classifier_activation": None}),
    ("NASNetLarge", {"include_top": False, "input_shape": [64, 64, 3], "pooling": "max"}),
    ("NASNetLarge", {"input_shape": [65, 33, 3], "classes": 10}),
    ("VGG19", {"include_top": False, "pooling": "max"}),
    ("EfficientNetB0", {"include_top": False, "input_shape": (64, 64, 3)}),
    ("EfficientNetB1", {"include_top": False, "pooling": "avg", "drop_connect_rate": 0.0, "activation": "relu"}),
    ("EfficientNetB2", {"input_shape": (64, 96, 3), "classifier_activation": None}),
    ("EfficientNetB3", {"include_top": False, "input_shape": (33, 47, 3), "pooling": "max"}),
    ("EfficientNetB4", {"include_top": False}),
    ("EfficientNetB5", {"input_shape": (64, 64, 1), "classes": 7}),
    ("EfficientNetV2B0", {"input_shape": (64, 64, 1), "classes": 10}),
    ("EfficientNetV2B1", {"include_top": False}),
    ("EfficientNetV2B2", {"input_shape": (64, 64, 3), "include_preprocessing": False}),
    ("EfficientNetV2B3", {"include_top": False, "input_shape": (64, 64, 3), "pooling": "max"}),
    ("EfficientNetV2S", {"input_shape": (64, 64, 3), "classes": 10, "classifier_activation": None}),
    ("EfficientNetV2M", {"include_top": False, "pooling": "avg"}),
    ("ConvNeXtTiny", {"classes": 10, "model_name": "tiny", "input_shape": (64, 64, 1)}),
    ("ConvNeXtSmall", {"include_top": False, "pooling": "max"}),
    ("ConvNeXtBase", {"input_shape": (64, 64, 3), "classifier_activation": None, "include_preprocessing": False}),
    ("ResNetRS50", {"input_shape": (64, 64, 1), "classes": 10, "classifier_activation": None}),
    ("ResNetRS101", {"include_top": False, "pooling": "avg"}),
    ("ResNetRS152", {"include_top": False, "input_shape": (64, 64, 3), "pooling": "max"}),
    ("ResNetRS200", {"include_top": False, "input_shape": (65, 47, 3), "include_preprocessing": False}),
    ("RegNetX002", {"input_shape": (64, 64, 3), "include_preprocessing": False, "model_name": "other"}),
    ("RegNetY002", {"include_top": False}),
    ("RegNetX004", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "avg"}),
    ("RegNetX006", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "max"}),
    ("RegNetX008", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "avg"}),
    ("RegNetX016", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "max"}),
    ("RegNetX032", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "avg"}),
    ("RegNetX040", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "max"}),
    ("RegNetX064", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "avg"}),
    ("RegNetX080", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "max"}),
    ("RegNetY004", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "avg"}),
    ("RegNetY006", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "max"}),
    ("RegNetY008", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "avg"}),
    ("RegNetY016", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "max"}),
    ("RegNetY032", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "avg"}),
    ("RegNetY040", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "max"}),
    ("RegNetY064", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "avg"}),
    ("RegNetY080", {"include_top": False, "input_shape": (32, 32, 3), "pooling": "max"}),
]
ROWS = {f"{name} {json.dumps(arguments)}": (name, arguments) for name, arguments in QUICK + BUILT + SLOW}


def layer_text(layer):
    """A line that tells of a layer: class, name, output, inputs, configuration."""
    config = json.dumps(layer.get_config(), sort_keys=True, default=str)
    inputs = [x.name for x in _inputs(layer)]
    return f"{type(layer).__name__} {layer.name} {_shape(layer)} <- {inputs} {config}"


def _inputs(layer):
    found = layer.inbound_nodes[0].inbound_layers
    return found if isinstance(found, list) else [found]


def _shape(layer):
    shape = layer.output_shape
    return [list(one) for one in shape] if isinstance(shape, list) else list(shape)


def weight_texts(model):
    """Names and shapes of the weights, in their order."""
    return [f"{weight.name} {weight.shape.as_list()}" for weight in model.weights]


def fill(model):
    """Gives a model weights that depend on nothing but their place and shape."""
    values = []
    for i, weight in enumerate(model.get_weights()):
        draw = np.random.RandomState(i)
        if weight.ndim > 1:
            values.append(draw.normal(0.0, np.prod(weight.shape[:-1]) ** -0.5, weight.shape))
        else:
            values.append(draw.uniform(0.5, 1.5, weight.shape))
    model.set_weights(values)


def told(tf, name, arguments, images=True):
    """What is told of a model: lines of its layers and weights, and some of its results."""
    tf.keras.backend.clear_session()
    model = getattr(tf.keras.applications, name)(weights=None, **arguments)
    lines = [model.name, *map(layer_text, model.layers), *weight_texts(model)]
    if not images:
        return lines, None
    fill(model)
    shape = [1, *(size or 96 for size in model.input_shape[1:])]
    result = model.predict(np.random.RandomState(0).uniform(0.0, 1.0, shape).astype("float32"), verbose=0)
    return lines, np.asarray(result, np.float64).ravel()[:8].tolist()


def digest(lines):
    """One line for many."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]

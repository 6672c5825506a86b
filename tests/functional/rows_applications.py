"""Rows: `tf.keras.applications`: what goes into its models, what is refused, and how weights come from a file."""

import pathlib
import tempfile

import numpy as np
from applications import models
from rows import raised, row

IMAGES = np.random.RandomState(3).uniform(0.0, 255.0, (1, 3, 2, 3)).astype("float32")
MODES = ("caffe", "tf", "torch")
FORMATS = (None, "channels_last", "channels_first")
BUILDERS = (
    "MobileNetV2", "MobileNet", "ResNet50", "ResNet50V2", "InceptionV3", "DenseNet121", "Xception", "InceptionResNetV2",
    "NASNetMobile", "VGG16",
)  # fmt: skip


@row
def preprocessing_of_arrays(tf):
    found = []
    for mode in MODES:
        for form in FORMATS:
            for given in (IMAGES, IMAGES[0], IMAGES.astype("float64"), IMAGES.astype("int32"), IMAGES.astype("uint8")):
                x = np.array(given)
                result = tf.keras.applications.imagenet_utils.preprocess_input(x, data_format=form, mode=mode)
                found.append([mode, str(form), result, x, np.shares_memory(result, x)])
    return found


@row
def preprocessing_of_tensors(tf):
    found = []
    for mode in MODES:
        for form in FORMATS:
            for given in (IMAGES, IMAGES[0], IMAGES.astype("float64")):
                x = tf.constant(given)
                try:
                    result = tf.keras.applications.imagenet_utils.preprocess_input(x, form, mode)
                except Exception as error:
                    result = type(error).__name__
                found.append([mode, str(form), result])
    return found


@row
def preprocessing_in_models(tf):
    found = []
    for mode in MODES:
        for form in ("channels_last", "channels_first"):
            inputs = tf.keras.Input((3, 2, 3))
            outputs = tf.keras.applications.imagenet_utils.preprocess_input(inputs, data_format=form, mode=mode)
            found += outputs.shape.as_list(), tf.keras.Model(inputs, outputs)(IMAGES)
    return found


@row
def preprocessing_of_each_module(tf):
    found = []
    for name in (
        "densenet", "inception_resnet_v2", "inception_v3", "mobilenet", "mobilenet_v2", "mobilenet_v3", "nasnet",
        "resnet", "resnet50", "resnet_v2", "vgg16", "vgg19", "xception",
    ):  # fmt: skip
        module = getattr(tf.keras.applications, name)
        found.append([name, module.preprocess_input(np.array(IMAGES)), module.preprocess_input.__name__])
    return found


@row
def what_cannot_be_preprocessed_or_decoded(tf):
    utils = tf.keras.applications.imagenet_utils
    x = np.array(IMAGES)
    return [
        raised(lambda: utils.preprocess_input(x, mode="other"), "Expected mode to be one of `caffe`, `tf` or `torch`"),
        raised(lambda: utils.preprocess_input(x, data_format="other"), "Expected data_format to be one of"),
        raised(lambda: utils.decode_predictions(np.zeros((2, 10))), "expects a batch of predictions"),
        raised(lambda: utils.decode_predictions(np.zeros(1000)), "expects a batch of predictions"),
    ]


@row
def arguments_that_do_not_fit(tf):
    found = []
    for name in BUILDERS:
        build = getattr(tf.keras.applications, name)
        image, array = tf.keras.Input((80, 96, 3)), np.zeros((1, 80, 96, 3), "float32")
        cases = [
            ({"weights": "/no/such"}, "The `weights` argument should be either"),
            ({"classes": 10}, "`classes` should be 1000"),
            ({"weights": None, "input_shape": (20, 40, 3)}, "Input size must be at least"),
            ({"weights": None, "input_shape": (20, None, 3), "include_top": False}, "Input size must be at least"),
            ({"weights": None, "input_shape": (None, None, 3)}, "you should specify a static `input_shape`"),
            ({"weights": None, "input_shape": (80, 80), "include_top": False}, "must be a tuple of three integers"),
            ({"input_shape": (80, 96, 3)}, "`input_shape` should be"),
            ({"input_shape": (224, 224, 1), "include_top": False}, "The input must have 3 channels"),
            ({"weights": None, "include_top": False, "input_tensor": array}, ""),
            ({"weights": None, "include_top": False, "input_tensor": tf.constant(array)}, ""),
            ({"weights": None, "include_top": False, "nothing": 1}, "nothing"),
        ]
        if name == "MobileNetV2":
            cases.append(({"input_tensor": image, "input_shape": (96, 80, 3)}, "must equal"))
            cases.append(({"alpha": 0.3}, "alpha must be one of"))
        if name == "MobileNet":
            cases += [({"alpha": 0.3}, "alpha can be one of"), ({"depth_multiplier": 2}, "depth multiplier must be 1")]
        found += [raised(lambda build=build, a=arguments: build(**a), text) for arguments, text in cases]
    small = tf.keras.applications.MobileNetV3Small
    return [
        found,
        raised(lambda: small(weights=None, input_shape=(20, 40, 3)), "Input size must be at least 32x32"),
        raised(lambda: small(alpha=0.3), "alpha can be one of"),
        raised(lambda: small(alpha=0.75, minimalistic=True), "alpha can be one of"),
    ]


@row
def models_with_channels_first(tf):
    found = []
    tf.keras.backend.set_image_data_format("channels_first")
    try:
        for name, arguments in (
            ("MobileNetV2", {"alpha": 0.35}), ("MobileNet", {"alpha": 0.25}), ("ResNet50", {}), ("ResNet50V2", {}),
            ("VGG16", {}), ("MobileNetV3Small", {}),
        ):  # fmt: skip
            tf.keras.backend.clear_session()
            model = getattr(tf.keras.applications, name)(
                weights=None, include_top=False, input_shape=(3, 40, 36), pooling="avg", **arguments
            )
            lines = [model.name, *map(models.layer_text, model.layers), *models.weight_texts(model)]
            found.append([name, model.output_shape, models.digest(lines)])
    finally:
        tf.keras.backend.set_image_data_format("channels_last")
    return found


@row
def models_that_begin_with_a_tensor(tf):
    inputs = tf.keras.Input((96, 96, 2), name="two")
    images = tf.keras.layers.Conv2D(3, 1, name="three")(inputs)
    model = tf.keras.applications.MobileNetV2(weights=None, include_top=False, alpha=0.35, input_tensor=images)
    other = tf.keras.applications.MobileNet(weights=None, include_top=False, alpha=0.25, input_tensor=inputs)
    return [
        model.name, [layer.name for layer in model.layers[:4]], model.input_shape, model.output_shape, other.name,
        [layer.name for layer in other.layers[:4]], other.output_shape,
    ]  # fmt: skip


@row
def weights_from_a_file(tf):
    def build(**arguments):
        return tf.keras.applications.MobileNet(
            input_shape=(32, 32, 3), alpha=0.05, classes=3, classifier_activation=None, **arguments
        )

    model = build(weights=None)
    models.fill(model)
    images = np.random.RandomState(1).uniform(-1.0, 1.0, (2, 32, 32, 3)).astype("float32")
    found = [np.round(model.predict(images, verbose=0), 2)]
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "a.h5")
        model.save_weights(path)
        again = build(weights=path)
        found.append(bool(np.all(again.predict(images, verbose=0) == model.predict(images, verbose=0))))
        found.append(
            raised(
                lambda: tf.keras.applications.MobileNet(
                    input_shape=(32, 32, 3), weights=path, classifier_activation="relu"
                ),
                "Only `None` and `softmax` activations are allowed",
            )
        )
    return found

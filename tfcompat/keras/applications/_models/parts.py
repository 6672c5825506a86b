"""What the families of models share that are made from tables: parts of their graphs, and their public functions."""

import inspect

from tfcompat import layers
from tfcompat.keras.applications._models import frame

DRAWN = {"scale": 2.0, "mode": "fan_out", "distribution": "truncated_normal"}
KERNEL = {"class_name": "VarianceScaling", "config": DRAWN}
TOP_KERNEL = {"class_name": "VarianceScaling", "config": {**DRAWN, "scale": 1.0 / 3.0, "distribution": "uniform"}}
# Of the colors of ImageNet's images, from 0 to 1.
MEAN = (0.485, 0.456, 0.406)
DEVIATION = (0.229, 0.224, 0.225)

_ARGUMENTS = {
    "model_name": "of the model.",
    "include_top": "bool, whether the layers that classify are there.",
    "weights": '"imagenet", which are fetched, None, or the path of a file of weights.',
    "input_tensor": "KerasTensor to begin with, or None for an Input of its own.",
    "input_shape": "shape of an image, at least 32 x 32; ({0}, {0}, 3) by default, unknown sizes without the top.",
    "pooling": 'without the top, "avg" or "max" of each channel, or None.',
    "classes": "int, with the top.",
    "classifier_activation": 'of the last layer; "softmax" or None with weights.',
    "include_preprocessing": "bool, whether the model scales its images, of 0 to 255, itself.",
}


def public(function, name, size, notes=()):
    """Gives a function made from a table its name and its docstring; returns it.

    Args:
      function: of the arguments of a model.
      name: in `tf.keras.applications`.
      size: default height and width of images.
      notes: dict of what is to be said of arguments in other words, or of others.
    """
    function.__name__ = function.__qualname__ = name
    descriptions = {**_ARGUMENTS, **dict(notes)}
    names = inspect.signature(function).parameters
    arguments = "\n".join(f"  {name}: {descriptions[name].format(size)}" for name in names)
    function.__doc__ = f"""The model {name}: images of {size} x {size} to 1000 classes.

Args:
{arguments}

Returns:
  `tf.keras.Model`.

Raises:
  ValueError: arguments that do not fit.

TF: `tf.keras.applications.{name}`; no known difference.
"""
    return function


def standard(build, name, size=224):
    """The public function of a model with the usual arguments, of which `build` takes the values in order."""

    def model(
        include_top=True,
        weights="imagenet",
        input_tensor=None,
        input_shape=None,
        pooling=None,
        classes=1000,
        classifier_activation="softmax",
    ):
        return build(include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation)

    return public(model, name, size)


def preprocess_input(x, data_format=None):
    """`x` itself: the models of this module scale their images."""
    return x


def convolution(x, filters, kernel_size, name, **settings):
    """A convolution without bias, by default with padding."""
    settings = {"padding": "same", "use_bias": False, "kernel_initializer": KERNEL, **settings}
    return layers.Conv2D(filters, kernel_size, name=name, **settings)(x)


def normed(x, name, **settings):
    """Normalized by batches, over all but channels."""
    return layers.BatchNormalization(axis=frame.channel_axis(), name=name, **settings)(x)


def excited(x, squeezed, activation, name):
    """`x` with each channel scaled by what is computed of the means of all of them.

    Args:
      x: KerasTensor of images.
      squeezed: int, channels in between.
      activation: of these.
      name: what the layers' names begin with.
    """
    axis = frame.channel_axis()
    filters = x.shape[axis]
    scale = layers.GlobalAveragePooling2D(name=name + "se_squeeze")(x)
    scale = layers.Reshape((filters, 1, 1) if axis == 1 else (1, 1, filters), name=name + "se_reshape")(scale)
    for count, function, step in ((squeezed, activation, "reduce"), (filters, "sigmoid", "expand")):
        scale = convolution(scale, count, 1, f"{name}se_{step}", use_bias=True, activation=function)
    return layers.multiply([x, scale], name=name + "se_excite")


def dropped(x, rate, name):
    """`x` of whole images set to zero in training, if `rate` is not zero."""
    return layers.Dropout(rate, noise_shape=(None, 1, 1, 1), name=name)(x) if rate else x


def headed(x, include_top, pooling, dropout_rate, classes, classifier_activation, weights, **settings):
    """The layers at the top of a model, called: those that classify, or the pooling."""
    if include_top:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        if dropout_rate > 0:
            x = layers.Dropout(dropout_rate, name="top_dropout")(x)
        return frame.classified(x, classes, classifier_activation, weights, **settings)
    return frame.pooled(x, pooling, named=True)

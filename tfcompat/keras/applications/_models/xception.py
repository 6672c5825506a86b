"""Chollet 2016, arXiv:1610.02357."""

from tfcompat import layers
from tfcompat.keras.applications._models import frame
from tfcompat.keras.applications._models.imagenet import for_mode

preprocess_input = for_mode("tf")
_HASHES = ("0a58e3b7378bc2990ea3b43d5981f1f6", "b0042744bf5b25fce3cb969f33bebb97")
# Filters of the convolutions of the blocks from the second on. Those of two convolutions halve the picture.
_BLOCKS = ((128, 128), (256, 256), (728, 728), *[(728, 728, 728)] * 8, (728, 1024))


def Xception(
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    input_shape=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
):
    """The model Xception: images of 299 x 299 to 1000 classes.

    Args:
      include_top: bool, whether its last layers, which classify, are there.
      weights: "imagenet", which are fetched, None, or the path of a file of weights.
      input_tensor: KerasTensor to begin with, or None for an Input of its own.
      input_shape: shape of an image, at least 71 x 71; (299, 299, 3) by default, unknown sizes without the top.
      pooling: without the top, "avg" or "max" of each channel, or None.
      classes: int, with the top.
      classifier_activation: of the last layer; "softmax" or None with weights.

    Returns:
      `tf.keras.Model`.

    Raises:
      ValueError: arguments that do not fit.

    TF: `tf.keras.applications.Xception`; no known difference.
    """
    image = x = frame.begun(include_top, weights, classes, input_tensor, input_shape, 299, 71)
    for number, (filters, stride) in enumerate(((32, 2), (64, 1)), 1):
        name = f"block1_conv{number}"
        x = layers.Conv2D(filters, (3, 3), strides=(stride, stride), use_bias=False, name=name)(x)
        x = _activated(_normalized(x, f"{name}_bn"), f"{name}_act")
    for number, filters in enumerate(_BLOCKS, 2):
        x = _block(x, f"block{number}", filters, number > 2)
    for number, filters in enumerate((1536, 2048), 1):
        name = f"block14_sepconv{number}"
        x = _activated(_separated(x, filters, name), f"{name}_act")
    if include_top:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        x = frame.classified(x, classes, classifier_activation, weights)
    else:
        x = frame.pooled(x, pooling)
    file_name = f"xception_weights_tf_dim_ordering_tf_kernels{'' if include_top else '_notop'}.h5"
    return frame.finished(
        input_tensor, image, x, "xception", weights, file_name, f"{frame.BASE}xception/{file_name}",
        _HASHES[not include_top],
    )  # fmt: skip


def _normalized(x, name=None):
    return layers.BatchNormalization(axis=frame.channel_axis(), name=name)(x)


def _activated(x, name):
    return layers.Activation("relu", name=name)(x)


def _separated(x, filters, name):
    x = layers.SeparableConv2D(filters, (3, 3), padding="same", use_bias=False, name=name)(x)
    return _normalized(x, f"{name}_bn")


def _block(x, name, filters, activated):
    """Convolutions of `filters`, added to what came in."""
    residual = x
    halves = len(filters) == 2
    if halves:
        convolution = layers.Conv2D(filters[-1], (1, 1), strides=(2, 2), padding="same", use_bias=False)
        residual = _normalized(convolution(x))
    for number, count in enumerate(filters, 1):
        if activated or number > 1:
            x = _activated(x, f"{name}_sepconv{number}_act")
        x = _separated(x, count, f"{name}_sepconv{number}")
    if halves:
        x = layers.MaxPooling2D((3, 3), strides=(2, 2), padding="same", name=f"{name}_pool")(x)
    return layers.Add()([x, residual])

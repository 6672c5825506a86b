"""`tf.keras.applications.resnet_v2`: He et al. 2016, arXiv:1603.05027."""

from tfcompat._missing import missing as _missing
from tfcompat.keras.applications import resnet as _resnet
from tfcompat.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from tfcompat.keras.applications.imagenet_utils import for_mode as _for_mode

preprocess_input = _for_mode("tf")


def ResNet50V2(
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    input_shape=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
):
    """The model ResNet50V2: images of 224 x 224 to 1000 classes.

    Args:
      include_top: bool, whether its last layers, which classify, are there.
      weights: "imagenet", which are fetched, None, or the path of a file of weights.
      input_tensor: KerasTensor to begin with, or None for an Input of its own.
      input_shape: shape of an image, at least 32 x 32; (224, 224, 3) by default, unknown sizes without the top.
      pooling: without the top, "avg" or "max" of each channel, or None.
      classes: int, with the top.
      classifier_activation: of the last layer; "softmax" or None with weights.

    Returns:
      `tf.keras.Model`.

    Raises:
      ValueError: arguments that do not fit.

    TF: `tf.keras.applications.ResNet50V2`; no known difference.
    """
    return _resnet.resnet(
        "resnet50v2", (3, 4, 6, 3), include_top, weights, input_tensor, input_shape, pooling, classes,
        classifier_activation,
    )  # fmt: skip


def ResNet101V2(
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    input_shape=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
):
    """The model ResNet101V2; arguments, result and errors as of `ResNet50V2`.

    TF: `tf.keras.applications.ResNet101V2`; no known difference.
    """
    return _resnet.resnet(
        "resnet101v2", (3, 4, 23, 3), include_top, weights, input_tensor, input_shape, pooling, classes,
        classifier_activation,
    )  # fmt: skip


def ResNet152V2(
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    input_shape=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
):
    """The model ResNet152V2; arguments, result and errors as of `ResNet50V2`.

    TF: `tf.keras.applications.ResNet152V2`; no known difference.
    """
    return _resnet.resnet(
        "resnet152v2", (3, 8, 36, 3), include_top, weights, input_tensor, input_shape, pooling, classes,
        classifier_activation,
    )  # fmt: skip


__getattr__ = _missing("tf.keras.applications.resnet_v2")

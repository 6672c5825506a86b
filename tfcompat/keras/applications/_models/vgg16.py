"""Simonyan and Zisserman 2014, arXiv:1409.1556, with 16 layers of weights."""

from tfcompat import layers
from tfcompat.keras.applications._models import frame
from tfcompat.keras.applications._models.imagenet import for_mode

preprocess_input = for_mode("caffe")
_FILTERS = (64, 128, 256, 512, 512)


def VGG16(
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    input_shape=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
):
    """The model VGG16: images of 224 x 224 to 1000 classes.

    Args:
      include_top: bool, whether its last three layers, which classify, are there.
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

    TF: `tf.keras.applications.VGG16`; no known difference.
    """
    return vgg(
        "vgg16", (2, 2, 3, 3, 3), include_top, weights, input_tensor, input_shape, pooling, classes,
        classifier_activation, ("64373286793e3c8b2b4e3219cbf3544b", "6d6bbae143d832006294945121d1f1fc"),
    )  # fmt: skip


def vgg(name, counts, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation, hashes):
    """The model of `counts` convolutions in each block."""
    image = x = frame.begun(include_top, weights, classes, input_tensor, input_shape, 224, 32)
    for block, (filters, count) in enumerate(zip(_FILTERS, counts, strict=True), 1):
        for number in range(1, count + 1):
            convolution = layers.Conv2D(
                filters, (3, 3), activation="relu", padding="same", name=f"block{block}_conv{number}"
            )
            x = convolution(x)
        x = layers.MaxPooling2D((2, 2), strides=(2, 2), name=f"block{block}_pool")(x)
    if include_top:
        x = layers.Flatten(name="flatten")(x)
        x = layers.Dense(4096, activation="relu", name="fc1")(x)
        x = layers.Dense(4096, activation="relu", name="fc2")(x)
        x = frame.classified(x, classes, classifier_activation, weights)
    else:
        x = frame.pooled(x, pooling)
    file_name = f"{name}_weights_tf_dim_ordering_tf_kernels{'' if include_top else '_notop'}.h5"
    return frame.finished(
        input_tensor, image, x, name, weights, file_name, f"{frame.BASE}{name}/{file_name}", hashes[not include_top]
    )

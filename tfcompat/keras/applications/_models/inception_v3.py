"""Szegedy et al. 2015, arXiv:1512.00567."""

from tfcompat import layers
from tfcompat.keras.applications._models import frame, inception
from tfcompat.keras.applications._models.imagenet import for_mode
from tfcompat.keras.applications._models.inception import AVERAGE, MAX

preprocess_input = for_mode("tf")
_HASHES = ("9a0d58056eeedaa3f26cb7ebd46da564", "bcbd6486424b2319ff4ef7d526e38f63")


def InceptionV3(
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    input_shape=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
):
    """The model InceptionV3: images of 299 x 299 to 1000 classes.

    Args:
      include_top: bool, whether its last layers, which classify, are there.
      weights: "imagenet", which are fetched, None, or the path of a file of weights.
      input_tensor: KerasTensor to begin with, or None for an Input of its own.
      input_shape: shape of an image, at least 75 x 75; (299, 299, 3) by default, unknown sizes without the top.
      pooling: without the top, "avg" or "max" of each channel, or None.
      classes: int, with the top.
      classifier_activation: of the last layer; "softmax" or None with weights.

    Returns:
      `tf.keras.Model`.

    Raises:
      ValueError: arguments that do not fit.

    TF: `tf.keras.applications.InceptionV3`; no known difference.
    """
    image = frame.begun(include_top, weights, classes, input_tensor, input_shape, 299, 75)
    x = inception.stem(image)
    for number, branches in enumerate(_blocks()):
        x = inception.joined(x, f"mixed{number}", *branches)
    if include_top:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        x = frame.classified(x, classes, classifier_activation, weights)
    else:
        x = frame.pooled(x, pooling)
    file_name = f"inception_v3_weights_tf_dim_ordering_tf_kernels{'' if include_top else '_notop'}.h5"
    return frame.finished(
        input_tensor, image, x, "inception_v3", weights, file_name, f"{frame.BASE}inception_v3/{file_name}",
        _HASHES[not include_top],
    )  # fmt: skip


def _blocks():
    """The branches of the eleven blocks; see `inception.joined`."""
    for filters in (32, 64, 64):
        yield (
            [(64, 1, 1)],
            [(48, 1, 1), (64, 5, 5)],
            [(64, 1, 1), (96, 3, 3), (96, 3, 3)],
            [AVERAGE, (filters, 1, 1)],
        )
    yield [(384, 3, 3, 2)], [(64, 1, 1), (96, 3, 3), (96, 3, 3, 2)], [MAX]
    for n in (128, 160, 160, 192):
        yield (
            [(192, 1, 1)],
            [(n, 1, 1), (n, 1, 7), (192, 7, 1)],
            [(n, 1, 1), (n, 7, 1), (n, 1, 7), (n, 7, 1), (192, 1, 7)],
            [AVERAGE, (192, 1, 1)],
        )
    yield [(192, 1, 1), (320, 3, 3, 2)], [(192, 1, 1), (192, 1, 7), (192, 7, 1), (192, 3, 3, 2)], [MAX]
    for number in range(2):
        yield (
            [(320, 1, 1)],
            [(384, 1, 1), (f"mixed9_{number}", [(384, 1, 3)], [(384, 3, 1)])],
            [(448, 1, 1), (384, 3, 3), (None, [(384, 1, 3)], [(384, 3, 1)])],
            [AVERAGE, (192, 1, 1)],
        )

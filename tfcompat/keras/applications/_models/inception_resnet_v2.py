"""Szegedy et al. 2016, arXiv:1602.07261."""

from tfcompat import layers
from tfcompat.keras.applications._models import frame, inception
from tfcompat.keras.applications._models.imagenet import for_mode
from tfcompat.keras.applications._models.inception import AVERAGE, MAX
from tfcompat.layers._layer.serialization import register_keras_serializable as _register_keras_serializable

preprocess_input = for_mode("tf")
_HASHES = ("e693bd0210a403b3192acc6073ad2e96", "d19885ff4a710c122648d3b5c3b684e4")
# What joins channels, the blocks of residuals after it, how many of them, and what they are scaled by.
_STAGES = (
    (
        ("mixed_5b", [(96, 1, 1)], [(48, 1, 1), (64, 5, 5)], [(64, 1, 1), (96, 3, 3), (96, 3, 3)],
         [AVERAGE, (64, 1, 1)]),
        ("block35", [(32, 1, 1)], [(32, 1, 1), (32, 3, 3)], [(32, 1, 1), (48, 3, 3), (64, 3, 3)]),
        10, 0.17,
    ),
    (
        ("mixed_6a", [(384, 3, 3, 2)], [(256, 1, 1), (256, 3, 3), (384, 3, 3, 2)], [MAX]),
        ("block17", [(192, 1, 1)], [(128, 1, 1), (160, 1, 7), (192, 7, 1)]),
        20, 0.1,
    ),
    (
        ("mixed_7a", [(256, 1, 1), (384, 3, 3, 2)], [(256, 1, 1), (288, 3, 3, 2)],
         [(256, 1, 1), (288, 3, 3), (320, 3, 3, 2)], [MAX]),
        ("block8", [(192, 1, 1)], [(192, 1, 1), (224, 1, 3), (256, 3, 1)]),
        10, 0.2,
    ),
)  # fmt: skip


@_register_keras_serializable()
class CustomScaleLayer(layers.Layer):
    """The first input plus `scale` times the second."""

    def __init__(self, scale, **kwargs):
        super().__init__(**kwargs)
        self.scale = scale

    def get_config(self):
        return {**super().get_config(), "scale": self.scale}

    def call(self, inputs):
        return inputs[0] + inputs[1] * self.scale


def InceptionResNetV2(
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    input_shape=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
    **kwargs,
):
    """The model InceptionResNetV2: images of 299 x 299 to 1000 classes.

    Args:
      include_top: bool, whether its last layers, which classify, are there.
      weights: "imagenet", which are fetched, None, or the path of a file of weights.
      input_tensor: KerasTensor to begin with, or None for an Input of its own.
      input_shape: shape of an image, at least 75 x 75; (299, 299, 3) by default, unknown sizes without the top.
      pooling: without the top, "avg" or "max" of each channel, or None.
      classes: int, with the top.
      classifier_activation: of the last layer; "softmax" or None with weights.
      **kwargs: `layers`, which must be `tf.keras.layers`.

    Returns:
      `tf.keras.Model`.

    Raises:
      ValueError: arguments that do not fit.

    TF: `tf.keras.applications.InceptionResNetV2`; no known difference.
    """
    frame.checked_kwargs(kwargs)
    image = frame.begun(include_top, weights, classes, input_tensor, input_shape, 299, 75)
    x = inception.stem(image)
    for reduction, residual, count, scale in _STAGES:
        x = inception.joined(x, *reduction)
        for number in range(1, count + 1):
            last = residual[0] == "block8" and number == count
            x = _block(x, residual, number, 1.0 if last else scale, not last)
    x = inception.convolved(x, 1536, 1, 1, name="conv_7b")
    if include_top:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        x = frame.classified(x, classes, classifier_activation, weights)
    else:
        x = frame.pooled(x, pooling)
    file_name = f"inception_resnet_v2_weights_tf_dim_ordering_tf_kernels{'' if include_top else '_notop'}.h5"
    return frame.finished(
        input_tensor, image, x, "inception_resnet_v2", weights, file_name,
        f"{frame.BASE}inception_resnet_v2/{file_name}", _HASHES[not include_top],
    )  # fmt: skip


def _block(x, residual, number, scale, activated):
    """`x` and what its branches make of it, scaled."""
    kind, *branches = residual
    name = f"{kind}_{number}"
    y = inception.joined(x, f"{name}_mixed", *branches)
    y = layers.Conv2D(x.shape[frame.channel_axis()], 1, padding="same", name=f"{name}_conv")(y)
    x = CustomScaleLayer(scale)([x, y])
    return layers.Activation("relu", name=f"{name}_ac")(x) if activated else x

"""Howard et al. 2017, arXiv:1704.04861."""

from tfcompat import layers
from tfcompat.keras.applications._models import frame
from tfcompat.keras.applications._models.imagenet import for_mode

preprocess_input = for_mode("tf")
_SIZES = (128, 160, 192, 224)
_ALPHAS = {1.0: "1_0", 0.75: "7_5", 0.5: "5_0", 0.25: "2_5"}
_BLOCKS = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1))


def MobileNet(
    input_shape=None,
    alpha=1.0,
    depth_multiplier=1,
    dropout=1e-3,
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
    **kwargs,
):
    """The model MobileNet: images of 224 x 224 to 1000 classes.

    Args:
      input_shape: shape of an image, at least 32 x 32; (224, 224, 3) by default, unknown sizes without the top.
      alpha: float, by which numbers of channels are multiplied; with ImageNet's weights 0.25, 0.5, 0.75 or 1.
      depth_multiplier: int, results of a depthwise convolution for each channel; 1 with ImageNet's weights.
      dropout: float, rate before the last convolution.
      include_top: bool, whether its last layers, which classify, are there.
      weights: "imagenet", which are fetched, None, or the path of a file of weights.
      input_tensor: KerasTensor to begin with, or None for an Input of its own.
      pooling: without the top, "avg" or "max" of each channel, or None.
      classes: int, with the top.
      classifier_activation: of the last layer; "softmax" or None with weights.
      **kwargs: `layers`, which must be `tf.keras.layers`.

    Returns:
      `tf.keras.Model`.

    Raises:
      ValueError: arguments that do not fit.

    TF: `tf.keras.applications.MobileNet`; no known difference.
    """
    frame.checked_kwargs(kwargs)
    frame.checked(include_top, weights, classes)
    size = 224 if input_shape is None else frame.size_among(_SIZES, input_shape)
    input_shape = frame.input_shape_of(input_shape, size, 32, include_top, weights)
    if weights == "imagenet":
        if depth_multiplier != 1:
            raise ValueError(
                "If imagenet weights are being loaded, depth multiplier must be 1.  "
                f"Received depth_multiplier={depth_multiplier}"
            )
        if alpha not in _ALPHAS:
            raise ValueError(
                "If imagenet weights are being loaded, alpha can be one of `0.25`, `0.50`, `0.75` or `1.0` only.  "
                f"Received alpha={alpha}"
            )
    size = frame.size_of_weights(_SIZES, input_shape, weights)
    image = frame.image_of(input_tensor, input_shape)
    x = layers.Conv2D(
        int(32 * alpha), (3, 3), strides=(2, 2), padding="same", use_bias=False, name="conv1"
    )(image)  # fmt: skip
    x = _normalized(x, "conv1")
    for number, (filters, stride) in enumerate(_BLOCKS, 1):
        if stride == 2:
            x = layers.ZeroPadding2D(((0, 1), (0, 1)), name=f"conv_pad_{number}")(x)
        x = layers.DepthwiseConv2D(
            (3, 3),
            padding="valid" if stride == 2 else "same",
            depth_multiplier=depth_multiplier,
            strides=(stride, stride),
            use_bias=False,
            name=f"conv_dw_{number}",
        )(x)
        x = _normalized(x, f"conv_dw_{number}")
        x = layers.Conv2D(int(filters * alpha), (1, 1), padding="same", use_bias=False, name=f"conv_pw_{number}")(x)
        x = _normalized(x, f"conv_pw_{number}")
    if include_top:
        x = layers.GlobalAveragePooling2D(keepdims=True)(x)
        x = layers.Dropout(dropout, name="dropout")(x)
        x = layers.Conv2D(classes, (1, 1), padding="same", name="conv_preds")(x)
        x = layers.Reshape((classes,), name="reshape_2")(x)
        frame.check_activation(classifier_activation, weights)
        x = layers.Activation(classifier_activation, name="predictions")(x)
    else:
        x = frame.pooled(x, pooling)
    file_name = f"mobilenet_{_ALPHAS.get(alpha)}_{size}_tf{'' if include_top else '_no_top'}.h5"
    origin = f"{frame.BASE}mobilenet/{file_name}"
    return frame.finished(input_tensor, image, x, f"mobilenet_{alpha:0.2f}_{size}", weights, file_name, origin)


def _normalized(x, name):
    x = layers.BatchNormalization(axis=frame.channel_axis(), name=f"{name}_bn")(x)
    return layers.ReLU(6.0, name=f"{name}_relu")(x)

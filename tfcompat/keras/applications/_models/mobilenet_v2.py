"""Sandler et al. 2018, arXiv:1801.04381."""

from tfcompat import layers
from tfcompat.keras.applications._models import frame
from tfcompat.keras.applications._models.imagenet import for_mode

preprocess_input = for_mode("tf")
_SIZES = (96, 128, 160, 192, 224)
_ALPHAS = (0.35, 0.5, 0.75, 1.0, 1.3, 1.4)
_STAGES = ((16, 1, 1), (24, 2, 2), (32, 3, 2), (64, 4, 2), (96, 3, 1), (160, 3, 2), (320, 1, 1))


def MobileNetV2(
    input_shape=None,
    alpha=1.0,
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
    **kwargs,
):
    """The model MobileNetV2: images of 224 x 224 to 1000 classes.

    Args:
      input_shape: shape of an image, at least 32 x 32; (224, 224, 3) by default, unknown sizes without the top.
      alpha: float, by which numbers of channels are multiplied; with ImageNet's weights 0.35, 0.5, 0.75, 1, 1.3 or 1.4.
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

    TF: `tf.keras.applications.MobileNetV2`; no known difference.
    """
    frame.checked_kwargs(kwargs)
    frame.checked(include_top, weights, classes)
    frame.checked_tensor(input_tensor, input_shape)
    seen = input_tensor.shape if input_shape is None and input_tensor is not None else input_shape
    size = 224 if seen is None else frame.size_among(_SIZES, seen)
    input_shape = frame.input_shape_of(input_shape, size, 32, include_top, weights)
    if weights == "imagenet" and alpha not in _ALPHAS:
        raise ValueError(
            "If imagenet weights are being loaded, alpha must be one of `0.35`, `0.50`, `0.75`, `1.0`, `1.3` or `1.4` "
            f"only; Received `alpha={alpha}`"
        )
    size = frame.size_of_weights(_SIZES, input_shape, weights)
    image = frame.image_of(input_tensor, input_shape)
    x = layers.Conv2D(
        frame.divisible(32 * alpha), 3, strides=(2, 2), padding="same", use_bias=False, name="Conv1"
    )(image)  # fmt: skip
    x = layers.ReLU(6.0, name="Conv1_relu")(_normalized(x, "bn_Conv1"))
    block = 0
    for filters, count, stride in _STAGES:
        for number in range(count):
            x = _block(x, block, frame.divisible(int(filters * alpha)), 1 if number else stride)
            block += 1
    x = layers.Conv2D(
        frame.divisible(1280 * alpha) if alpha > 1.0 else 1280, 1, use_bias=False, name="Conv_1"
    )(x)  # fmt: skip
    x = layers.ReLU(6.0, name="out_relu")(_normalized(x, "Conv_1_bn"))
    if include_top:
        x = frame.classified(layers.GlobalAveragePooling2D()(x), classes, classifier_activation, weights)
    else:
        x = frame.pooled(x, pooling)
    top = "" if include_top else "_no_top"
    file_name = f"mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{float(alpha)}_{size}{top}.h5"
    origin = f"{frame.BASE}mobilenet_v2/{file_name}"
    return frame.finished(input_tensor, image, x, f"mobilenetv2_{alpha:0.2f}_{size}", weights, file_name, origin)


def _normalized(x, name):
    return layers.BatchNormalization(axis=frame.channel_axis(), epsilon=1e-3, momentum=0.999, name=name)(x)


def _block(inputs, number, filters, stride):
    """Wider, convolved in each channel, narrower."""
    prefix = f"block_{number}_" if number else "expanded_conv_"
    channels = inputs.shape[frame.channel_axis()]
    x = inputs
    if number:
        x = layers.Conv2D(6 * channels, 1, padding="same", use_bias=False, name=f"{prefix}expand")(x)
        x = layers.ReLU(6.0, name=f"{prefix}expand_relu")(_normalized(x, f"{prefix}expand_BN"))
    if stride == 2:
        x = layers.ZeroPadding2D(frame.padding_before_stride(x, 3), name=f"{prefix}pad")(x)
    x = layers.DepthwiseConv2D(
        3, strides=stride, padding="same" if stride == 1 else "valid", use_bias=False, name=f"{prefix}depthwise"
    )(x)
    x = layers.ReLU(6.0, name=f"{prefix}depthwise_relu")(_normalized(x, f"{prefix}depthwise_BN"))
    x = layers.Conv2D(filters, 1, padding="same", use_bias=False, name=f"{prefix}project")(x)
    x = _normalized(x, f"{prefix}project_BN")
    return layers.Add(name=f"{prefix}add")([inputs, x]) if channels == filters and stride == 1 else x

"""Howard et al. 2019, arXiv:1905.02244."""

from tfcompat import layers
from tfcompat.keras.applications._models import frame

_HASHES = {
    "large_224_0.75_float": ("765b44a33ad4005b3ac83185abf1d0eb", "40af19a13ebea4e2ee0c676887f69a2e"),
    "large_224_1.0_float": ("59e551e166be033d707958cf9e29a6a7", "07fb09a5933dd0c8eaafa16978110389"),
    "large_minimalistic_224_1.0_float": ("675e7b876c45c57e9e63e6d90a36599c", "ec5221f64a2f6d1ef965a614bdae7973"),
    "small_224_0.75_float": ("cb65d4e5be93758266aa0a7f2c6708b7", "ebdb5cc8e0b497cd13a7c275d475c819"),
    "small_224_1.0_float": ("8768d4c2e7dee89b9d02b2d03d65d862", "d3e8ec802a04aa4fc771ee12a9a9b836"),
    "small_minimalistic_224_1.0_float": ("99cd97fb2fcdad2bf028eb838de69e37", "cde8136e733e811080d9fcd8a252f7e4"),
}
# How much wider, filters, size of the kernel, stride, whether channels are weighted, whether the activation is relu.
# Where a size is 5, the minimalistic model has 3; its channels are not weighted, and its activation is always relu.
_SMALL = (
    (1, 16, 3, 2, True, True),
    (72 / 16, 24, 3, 2, False, True),
    (88 / 24, 24, 3, 1, False, True),
    (4, 40, 5, 2, True, False),
    (6, 40, 5, 1, True, False),
    (6, 40, 5, 1, True, False),
    (3, 48, 5, 1, True, False),
    (3, 48, 5, 1, True, False),
    (6, 96, 5, 2, True, False),
    (6, 96, 5, 1, True, False),
    (6, 96, 5, 1, True, False),
)
_LARGE = (
    (1, 16, 3, 1, False, True),
    (4, 24, 3, 2, False, True),
    (3, 24, 3, 1, False, True),
    (3, 40, 5, 2, True, True),
    (3, 40, 5, 1, True, True),
    (3, 40, 5, 1, True, True),
    (6, 80, 3, 2, False, False),
    (2.5, 80, 3, 1, False, False),
    (2.3, 80, 3, 1, False, False),
    (2.3, 80, 3, 1, False, False),
    (6, 112, 3, 1, True, False),
    (6, 112, 3, 1, True, False),
    (6, 160, 5, 2, True, False),
    (6, 160, 5, 1, True, False),
    (6, 160, 5, 1, True, False),
)


def preprocess_input(x, data_format=None):
    """Images as they are, as the models begin with their preprocessing.

    TF: `tf.keras.applications.mobilenet_v3.preprocess_input`; no known difference.
    """
    return x


def MobileNetV3Small(
    input_shape=None,
    alpha=1.0,
    minimalistic=False,
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    classes=1000,
    pooling=None,
    dropout_rate=0.2,
    classifier_activation="softmax",
    include_preprocessing=True,
):
    """The model MobileNetV3Small: images of any size, values 0 to 255, to 1000 classes.

    Args:
      input_shape: shape of an image, at least 32 x 32; unknown sizes by default.
      alpha: float, by which numbers of channels are multiplied; with ImageNet's weights 0.75 or 1.
      minimalistic: bool, whether there are but kernels of size 3, relu and no weighting of channels.
      include_top: bool, whether its last layers, which classify, are there.
      weights: "imagenet", which are fetched, None, or the path of a file of weights.
      input_tensor: KerasTensor to begin with, or None for an Input of its own.
      classes: int, with the top.
      pooling: without the top, "avg" or "max" of each channel, or None.
      dropout_rate: float, before the last convolution.
      classifier_activation: of the last layer; "softmax" or None with weights.
      include_preprocessing: bool, whether the model maps 0 to 255 to -1 to 1 first.

    Returns:
      `tf.keras.Model`.

    Raises:
      ValueError: arguments that do not fit.

    TF: `tf.keras.applications.MobileNetV3Small`; no known difference.
    """
    return _mobilenet_v3(
        "small", _SMALL, 1024, input_shape, alpha, minimalistic, include_top, weights, input_tensor, classes, pooling,
        dropout_rate, classifier_activation, include_preprocessing,
    )  # fmt: skip


def MobileNetV3Large(
    input_shape=None,
    alpha=1.0,
    minimalistic=False,
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    classes=1000,
    pooling=None,
    dropout_rate=0.2,
    classifier_activation="softmax",
    include_preprocessing=True,
):
    """The model MobileNetV3Large; arguments, result and errors as of `MobileNetV3Small`.

    TF: `tf.keras.applications.MobileNetV3Large`; no known difference.
    """
    return _mobilenet_v3(
        "large", _LARGE, 1280, input_shape, alpha, minimalistic, include_top, weights, input_tensor, classes, pooling,
        dropout_rate, classifier_activation, include_preprocessing,
    )  # fmt: skip


def _mobilenet_v3(
    kind, blocks, last_filters, input_shape, alpha, minimalistic, include_top, weights, input_tensor, classes, pooling,
    dropout_rate, classifier_activation, include_preprocessing,
):  # fmt: skip
    frame.checked(include_top, weights, classes)
    input_shape = _input_shape(input_shape, input_tensor)
    if weights == "imagenet":
        if alpha not in ((1.0,) if minimalistic else (0.75, 1.0)):
            raise ValueError(
                "If imagenet weights are being loaded, alpha can be one of `0.75`, `1.0` for non minimalistic or `1.0` "
                "for minimalistic only."
            )
        frame.size_of_weights((224,), input_shape, weights)
    image = x = frame.image_of(input_tensor, input_shape)
    activated = _relu if minimalistic else _hard_swish
    if include_preprocessing:
        x = layers.Rescaling(scale=1.0 / 127.5, offset=-1.0)(x)
    x = layers.Conv2D(16, 3, strides=(2, 2), padding="same", use_bias=False, name="Conv")(x)
    x = activated(_normalized(x, "Conv"))
    for number, (ratio, filters, kernel_size, stride, weighted, relu) in enumerate(blocks):
        x = _block(
            x, number, ratio, frame.divisible(filters * alpha), 3 if minimalistic else kernel_size, stride,
            weighted and not minimalistic, _relu if relu else activated,
        )  # fmt: skip
    filters = frame.divisible(6 * x.shape[frame.channel_axis()])
    x = layers.Conv2D(filters, 1, padding="same", use_bias=False, name="Conv_1")(x)
    x = activated(_normalized(x, "Conv_1"))
    if include_top:
        x = layers.GlobalAveragePooling2D(keepdims=True)(x)
        last_filters = frame.divisible(last_filters * alpha) if alpha > 1.0 else last_filters
        x = activated(layers.Conv2D(last_filters, 1, padding="same", name="Conv_2")(x))
        if dropout_rate > 0:
            x = layers.Dropout(dropout_rate)(x)
        x = layers.Conv2D(classes, 1, padding="same", name="Logits")(x)
        x = layers.Flatten()(x)
        frame.check_activation(classifier_activation, weights)
        x = layers.Activation(classifier_activation, name="Predictions")(x)
    else:
        x = frame.pooled(x, pooling, named=True)
    trained = f"{kind}{'_minimalistic' if minimalistic else ''}_224_{alpha}_float"
    file_name = f"weights_mobilenet_v3_{trained}{'' if include_top else '_no_top_v2'}.h5"
    return frame.finished(
        input_tensor, image, x, f"MobilenetV3{kind}", weights, file_name, f"{frame.BASE}mobilenet_v3/{file_name}",
        _HASHES[trained][not include_top] if weights == "imagenet" else None,
    )  # fmt: skip


def _input_shape(input_shape, input_tensor):
    """The shape of an image; that of the tensor if there is only the tensor."""
    frame.checked_tensor(input_tensor, input_shape)
    if input_shape is None:
        rows, columns = (None, None) if input_tensor is None else frame.sizes_of(input_tensor.shape)
        input_shape = (3, columns, rows) if frame.channel_axis() == 1 else (columns, rows, 3)
    if all(frame.sizes_of(input_shape)) and min(frame.sizes_of(input_shape)) < 32:
        raise ValueError(f"Input size must be at least 32x32; Received `input_shape={input_shape}`")
    return input_shape


def _normalized(x, name):
    return layers.BatchNormalization(
        axis=frame.channel_axis(), epsilon=1e-3, momentum=0.999, name=f"{name}/BatchNorm"
    )(x)  # fmt: skip


def _relu(x):
    return layers.ReLU()(x)


def _hard_sigmoid(x):
    return layers.ReLU(6.0)(x + 3.0) * (1.0 / 6.0)


def _hard_swish(x):
    return layers.Multiply()([x, _hard_sigmoid(x)])


def _block(inputs, number, ratio, filters, kernel_size, stride, weighted, activated):
    """Wider, convolved in each channel, narrower."""
    prefix = f"expanded_conv_{number}/" if number else "expanded_conv/"
    channels = inputs.shape[frame.channel_axis()]
    wide = frame.divisible(channels * ratio)
    x = inputs
    if number:
        x = layers.Conv2D(wide, 1, padding="same", use_bias=False, name=f"{prefix}expand")(x)
        x = activated(_normalized(x, f"{prefix}expand"))
    if stride == 2:
        x = layers.ZeroPadding2D(frame.padding_before_stride(x, kernel_size), name=f"{prefix}depthwise/pad")(x)
    x = layers.DepthwiseConv2D(
        kernel_size,
        strides=stride,
        padding="same" if stride == 1 else "valid",
        use_bias=False,
        name=f"{prefix}depthwise",
    )(x)
    x = activated(_normalized(x, f"{prefix}depthwise"))
    if weighted:
        x = _weighted(x, wide, f"{prefix}squeeze_excite/")
    x = layers.Conv2D(filters, 1, padding="same", use_bias=False, name=f"{prefix}project")(x)
    x = _normalized(x, f"{prefix}project")
    return layers.Add(name=f"{prefix}Add")([inputs, x]) if stride == 1 and channels == filters else x


def _weighted(inputs, filters, prefix):
    """Channels times weights that are computed from their means."""
    x = layers.GlobalAveragePooling2D(keepdims=True, name=f"{prefix}AvgPool")(inputs)
    x = layers.Conv2D(frame.divisible(filters * 0.25), 1, padding="same", name=f"{prefix}Conv")(x)
    x = layers.ReLU(name=f"{prefix}Relu")(x)
    x = layers.Conv2D(filters, 1, padding="same", name=f"{prefix}Conv_1")(x)
    return layers.Multiply(name=f"{prefix}Mul")([inputs, _hard_sigmoid(x)])

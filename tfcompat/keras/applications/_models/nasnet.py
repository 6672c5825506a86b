"""Zoph et al. 2017, arXiv:1707.07012."""

import contextlib

from tfcompat import layers
from tfcompat._package.logging import logger
from tfcompat.keras.applications._models import frame
from tfcompat.keras.applications._models.imagenet import for_mode
from tfcompat.layers._layer import settings

preprocess_input = for_mode("tf")
_HASHES = {
    "mobile": ("020fb642bf7360b370c678b08e0adf61", "1ed92395b5b598bdda52abe5c0dbfd63"),
    "large": ("11577c9a518f0070763c2b964a382f17", "d81d89dc07e6e56530c4e77faddd61b5"),
}


def NASNetMobile(
    input_shape=None,
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
):
    """The model NASNetMobile: images of 224 x 224 to 1000 classes, channels always last.

    Args:
      input_shape: shape of an image, at least 32 x 32; (224, 224, 3) by default, unknown sizes without the top.
      include_top: bool, whether its last layers, which classify, are there.
      weights: "imagenet", which are fetched, None, or the path of a file of weights.
      input_tensor: KerasTensor to begin with, or None for an Input of its own.
      pooling: without the top, "avg" or "max" of each channel, or None.
      classes: int, with the top.
      classifier_activation: of the last layer; "softmax" or None with weights.

    Returns:
      `tf.keras.Model`.

    Raises:
      ValueError: arguments that do not fit.

    TF: `tf.keras.applications.NASNetMobile`; no known difference.
    """
    return _nasnet(
        "mobile", 224, 44, 4, 32, input_shape, include_top, weights, input_tensor, pooling, classes,
        classifier_activation,
    )  # fmt: skip


def NASNetLarge(
    input_shape=None,
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
):
    """The model NASNetLarge: images of 331 x 331; arguments, result and errors as of `NASNetMobile`.

    TF: `tf.keras.applications.NASNetLarge`; no known difference.
    """
    return _nasnet(
        "large", 331, 168, 6, 96, input_shape, include_top, weights, input_tensor, pooling, classes,
        classifier_activation,
    )  # fmt: skip


def _nasnet(
    kind, size, filters, count, stem_filters, input_shape, include_top, weights, input_tensor, pooling, classes,
    classifier_activation,
):  # fmt: skip
    frame.checked(include_top, weights, classes)
    if isinstance(input_shape, tuple) and None in input_shape and weights == "imagenet":
        raise ValueError(
            "When specifying the input shape of a NASNet and loading `ImageNet` weights, the input_shape argument must "
            f"be static (no None entries). Got: `input_shape={input_shape}`."
        )
    input_shape = frame.input_shape_of(input_shape, size, 32, include_top, weights)
    with _channels_last():
        image = frame.image_of(input_tensor, input_shape)
        x = layers.Conv2D(
            stem_filters, (3, 3), strides=(2, 2), use_bias=False, name="stem_conv1", kernel_initializer="he_normal"
        )(image)
        x = _normalized(x, "stem_bn1")
        x, before = _reduced(x, None, filters // 4, "stem_1")
        x, before = _reduced(x, before, filters // 2, "stem_2")
        for stage in range(3):
            if stage:
                x, skipped = _reduced(x, before, filters << stage, f"reduce_{stage * count}")
                before = before if kind == "large" else skipped
            for number in range(count):
                x, before = _cell(x, before, filters << stage, str(stage * count + (stage > 0) + number))
        x = layers.Activation("relu")(x)
        if include_top:
            x = frame.classified(layers.GlobalAveragePooling2D()(x), classes, classifier_activation, weights)
        else:
            x = frame.pooled(x, pooling)
        top = "" if include_top else "no_top"
        return frame.finished(
            input_tensor, image, x, "NASNet", weights, "_".join(filter(None, ["nasnet", kind, top])) + ".h5",
            f"{frame.BASE}nasnet/{'-'.join(filter(None, ['NASNet', kind, top.replace('_', '-')]))}.h5",
            _HASHES[kind][not include_top],
        )  # fmt: skip


@contextlib.contextmanager
def _channels_last():
    """Layers with channels last, whatever the format is otherwise."""
    before = settings.image_data_format()
    if before != "channels_last":
        logger.warning(
            'The NASNet family of models is only available for the input data format "channels_last". The model being '
            'returned right now will expect inputs to follow the "channels_last" data format.'
        )
    settings.set_image_data_format("channels_last")
    try:
        yield
    finally:
        settings.set_image_data_format(before)


def _normalized(x, name):
    return layers.BatchNormalization(axis=-1, momentum=0.9997, epsilon=1e-3, name=name)(x)


def _narrowed(x, filters, name):
    """A convolution of single pixels."""
    return layers.Conv2D(
        filters, (1, 1), padding="same", use_bias=False, kernel_initializer="he_normal", name=name
    )(x)  # fmt: skip


def _separated(x, filters, size, block, halves=False):
    """Two separable convolutions, each activated before and normalized after."""
    for number in (1, 2):
        x = layers.Activation("relu")(x)
        strided = halves and number == 1
        if strided:
            padding = frame.padding_before_stride(x, size)
            x = layers.ZeroPadding2D(padding, name=f"separable_conv_1_pad_{block}")(x)
        x = layers.SeparableConv2D(
            filters,
            (size, size),
            strides=(2, 2) if strided else (1, 1),
            padding="valid" if strided else "same",
            use_bias=False,
            kernel_initializer="he_normal",
            name=f"separable_conv_{number}_{block}",
        )(x)
        x = _normalized(x, f"separable_conv_{number}_bn_{block}")
    return x


def _adjusted(before, x, filters, block):
    """What came before `x`, with the sizes of `x` and `filters` channels."""
    if before is None:
        return x
    if before.shape[-2] != x.shape[-2]:
        before = layers.Activation("relu", name=f"adjust_relu_1_{block}")(before)
        halves = []
        for number in (1, 2):
            y = before
            if number == 2:
                y = layers.ZeroPadding2D(((0, 1), (0, 1)))(y)
                y = layers.Cropping2D(((1, 0), (1, 0)))(y)
            y = layers.AveragePooling2D((1, 1), strides=(2, 2), name=f"adjust_avg_pool_{number}_{block}")(y)
            halves.append(_narrowed(y, filters // 2, f"adjust_conv_{number}_{block}"))
        return _normalized(layers.Concatenate(axis=-1)(halves), f"adjust_bn_{block}")
    if before.shape[-1] != filters:
        before = _narrowed(layers.Activation("relu")(before), filters, f"adjust_conv_projection_{block}")
        before = _normalized(before, f"adjust_bn_{block}")
    return before


def _begun(x, before, filters, kind, block):
    """What a cell begins with: what came before `x`, and `x`, of as many channels."""
    before = _adjusted(before, x, filters, block)
    y = _narrowed(layers.Activation("relu")(x), filters, f"{kind}_conv_1_{block}")
    return before, _normalized(y, f"{kind}_bn_1_{block}")


def _averaged(x, name, stride=1):
    return layers.AveragePooling2D(
        (3, 3), strides=(stride, stride), padding="same" if stride == 1 else "valid", name=name
    )(x)  # fmt: skip


def _sum(x, y, name):
    return layers.Add(name=name)([x, y])


def _cell(x, before, filters, block):
    """A cell that keeps sizes: its result, and what came in."""
    p, h = _begun(x, before, filters, "normal", block)
    one = _separated(h, filters, 5, f"normal_left1_{block}")
    one = _sum(one, _separated(p, filters, 3, f"normal_right1_{block}"), f"normal_add_1_{block}")
    two = _separated(p, filters, 5, f"normal_left2_{block}")
    two = _sum(two, _separated(p, filters, 3, f"normal_right2_{block}"), f"normal_add_2_{block}")
    three = _sum(_averaged(h, f"normal_left3_{block}"), p, f"normal_add_3_{block}")
    four = _averaged(p, f"normal_left4_{block}")
    four = _sum(four, _averaged(p, f"normal_right4_{block}"), f"normal_add_4_{block}")
    five = _sum(_separated(h, filters, 3, f"normal_left5_{block}"), h, f"normal_add_5_{block}")
    return layers.Concatenate(axis=-1, name=f"normal_concat_{block}")([p, one, two, three, four, five]), x


def _reduced(x, before, filters, block):
    """A cell that halves sizes: its result, and what came in."""
    p, h = _begun(x, before, filters, "reduction", block)
    padded = layers.ZeroPadding2D(frame.padding_before_stride(h, 3), name=f"reduction_pad_1_{block}")(h)

    def largest(name):
        return layers.MaxPooling2D((3, 3), strides=(2, 2), name=name)(padded)

    one = _separated(h, filters, 5, f"reduction_left1_{block}", True)
    one = _sum(one, _separated(p, filters, 7, f"reduction_right1_{block}", True), f"reduction_add_1_{block}")
    two = largest(f"reduction_left2_{block}")
    two = _sum(two, _separated(p, filters, 7, f"reduction_right2_{block}", True), f"reduction_add_2_{block}")
    three = _averaged(padded, f"reduction_left3_{block}", 2)
    three = _sum(three, _separated(p, filters, 5, f"reduction_right3_{block}", True), f"reduction_add3_{block}")
    four = layers.Add()([two, _averaged(one, f"reduction_left4_{block}")])
    five = _separated(one, filters, 3, f"reduction_left4_{block}")
    five = _sum(five, largest(f"reduction_right5_{block}"), f"reduction_add4_{block}")
    return layers.Concatenate(axis=-1, name=f"reduction_concat_{block}")([two, three, four, five]), x

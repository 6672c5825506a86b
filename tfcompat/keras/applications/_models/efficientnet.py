"""Tan and Le 2019, arXiv:1905.11946."""

import math

import numpy as np

from tfcompat import array, layers
from tfcompat import math as _math
from tfcompat.keras.applications._models import frame, parts

_ORIGIN = "https://storage.googleapis.com/keras-applications/"
_HASHES = {
    "b0": ("902e53a9f72be733fc0bcb005b3ebbac", "50bc09e76180e00e4465e1a485ddc09d"),
    "b1": ("1d254153d4ab51201f1646940f018540", "74c4e6b3e1f6a1eea24c589628592432"),
    "b2": ("b15cce36ff4dcbd00b6dd88e7857a6ad", "111f8e2ac8aa800a7a99e3239f7bfb39"),
    "b3": ("ffd1fdc53d0ce67064dc6a9c7960ede0", "af6d107764bb5b1abb91932881670226"),
    "b4": ("18c95ad55216b8f92d7e70b3a046e2fc", "ebc24e6d6c33eaebbd558eafbeedf1ba"),
    "b5": ("ace28f2a6363774853a83a0b21b9421a", "38879255a25d3c92d5e44e04ae6cec6f"),
    "b6": ("165f6e37dce68623721b423839de8be5", "9ecce42647a20130c1f39a5d4cb75743"),
    "b7": ("8c03f828fec3ef71311cd463b6759d99", "cbcfe4450ddf6f3ad90b1b398090fe4a"),
}
_FIELDS = ("kernel_size", "repeats", "filters_in", "filters_out", "expand_ratio", "strides", "se_ratio", "id_skip")
_BLOCKS = (
    (3, 1, 32, 16, 1, 1),
    (3, 2, 16, 24, 6, 2),
    (5, 2, 24, 40, 6, 2),
    (3, 3, 40, 80, 6, 2),
    (5, 3, 80, 112, 6, 1),
    (5, 4, 112, 192, 6, 2),
    (3, 1, 192, 320, 6, 1),
)


def _efficientnet(
    width_coefficient,
    depth_coefficient,
    default_size,
    dropout_rate=0.2,
    drop_connect_rate=0.2,
    depth_divisor=8,
    activation="swish",
    blocks_args="default",
    model_name="efficientnet",
    include_top=True,
    weights="imagenet",
    input_tensor=None,
    input_shape=None,
    pooling=None,
    classes=1000,
    classifier_activation="softmax",
):
    image = frame.begun(include_top, weights, classes, input_tensor, input_shape, default_size, 32)

    def width(filters):
        return int(frame.divisible(filters * width_coefficient, depth_divisor))

    axis = frame.channel_axis()
    x = layers.Rescaling(1.0 / 255.0)(image)
    x = layers.Normalization(axis=axis)(x)
    if weights == "imagenet":
        # The weights were trained on images divided by the variance, and the layer divides by its root.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/applications/efficientnet.py
        roots = np.array([1.0 / math.sqrt(deviation) for deviation in parts.DEVIATION], "float32")
        x = _math.multiply(x, array.reshape(roots, (1, 3, 1, 1) if axis == 1 else (1, 1, 1, 3)))
    x = layers.ZeroPadding2D(padding=frame.padding_before_stride(x, 3), name="stem_conv_pad")(x)
    x = parts.convolution(x, width(32), 3, "stem_conv", strides=2, padding="valid")
    x = layers.Activation(activation, name="stem_activation")(parts.normed(x, "stem_bn"))

    if blocks_args == "default":
        blocks_args = [dict(zip(_FIELDS, (*row, 0.25, True), strict=True)) for row in _BLOCKS]
    counts = [math.ceil(depth_coefficient * row["repeats"]) for row in blocks_args]
    number = 0
    for i, (row, count) in enumerate(zip(blocks_args, counts, strict=True), 1):
        row = {**row, "filters_in": width(row["filters_in"]), "filters_out": width(row["filters_out"])}
        del row["repeats"]
        for j in range(count):
            if j > 0:
                row["strides"], row["filters_in"] = 1, row["filters_out"]
            rate = drop_connect_rate * number / float(sum(counts))
            x = _block(x, activation, rate, f"block{i}{chr(j + 97)}_", **row)
            number += 1

    x = parts.normed(parts.convolution(x, width(1280), 1, "top_conv"), "top_bn")
    x = layers.Activation(activation, name="top_activation")(x)
    x = parts.headed(
        x, include_top, pooling, dropout_rate, classes, classifier_activation, weights,
        kernel_initializer=parts.TOP_KERNEL,
    )  # fmt: skip
    file_name = f"{model_name}{'' if include_top else '_notop'}.h5"
    file_hash = _HASHES[model_name[-2:]][not include_top] if weights == "imagenet" else None
    return frame.finished(
        input_tensor, image, x, model_name, weights, file_name, _ORIGIN + file_name, file_hash
    )


def _block(
    inputs, activation, drop_rate, name, filters_in=32, filters_out=16, kernel_size=3, strides=1, expand_ratio=1,
    se_ratio=0.0, id_skip=True,
):  # fmt: skip
    """Channels made more, convolved one by one, weighed, and made fewer."""
    x = inputs
    if expand_ratio != 1:
        x = parts.convolution(x, filters_in * expand_ratio, 1, name + "expand_conv")
        x = layers.Activation(activation, name=name + "expand_activation")(parts.normed(x, name + "expand_bn"))
    if strides == 2:
        x = layers.ZeroPadding2D(padding=frame.padding_before_stride(x, kernel_size), name=name + "dwconv_pad")(x)
    convolution = layers.DepthwiseConv2D(
        kernel_size, strides=strides, padding="valid" if strides == 2 else "same", use_bias=False,
        depthwise_initializer=parts.KERNEL, name=name + "dwconv",
    )  # fmt: skip
    x = layers.Activation(activation, name=name + "activation")(parts.normed(convolution(x), name + "bn"))
    if 0 < se_ratio <= 1:
        x = parts.excited(x, max(1, int(filters_in * se_ratio)), activation, name)
    x = parts.normed(parts.convolution(x, filters_out, 1, name + "project_conv"), name + "project_bn")
    if id_skip and strides == 1 and filters_in == filters_out:
        x = layers.add([parts.dropped(x, drop_rate, name + "drop"), inputs], name=name + "add")
    return x


_MORE = {"kwargs": "of the whole family: `drop_connect_rate`, `depth_divisor`, `activation`, `blocks_args`."}


def _variant(number, width_coefficient, depth_coefficient, size, dropout_rate):
    def model(
        include_top=True,
        weights="imagenet",
        input_tensor=None,
        input_shape=None,
        pooling=None,
        classes=1000,
        classifier_activation="softmax",
        **kwargs,
    ):
        return _efficientnet(
            width_coefficient,
            depth_coefficient,
            size,
            dropout_rate,
            model_name=f"efficientnetb{number}",
            include_top=include_top,
            weights=weights,
            input_tensor=input_tensor,
            input_shape=input_shape,
            pooling=pooling,
            classes=classes,
            classifier_activation=classifier_activation,
            **kwargs,
        )

    return parts.public(model, f"EfficientNetB{number}", size, _MORE)


EfficientNetB0 = _variant(0, 1.0, 1.0, 224, 0.2)
EfficientNetB1 = _variant(1, 1.0, 1.1, 240, 0.2)
EfficientNetB2 = _variant(2, 1.1, 1.2, 260, 0.3)
EfficientNetB3 = _variant(3, 1.2, 1.4, 300, 0.3)
EfficientNetB4 = _variant(4, 1.4, 1.8, 380, 0.4)
EfficientNetB5 = _variant(5, 1.6, 2.2, 456, 0.4)
EfficientNetB6 = _variant(6, 1.8, 2.6, 528, 0.5)
EfficientNetB7 = _variant(7, 2.0, 3.1, 600, 0.5)

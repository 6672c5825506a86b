"""Tan and Le 2021, arXiv:2104.00298."""

import math

from tfcompat import layers
from tfcompat.keras.applications._models import frame, parts
from tfcompat.random._initializers import constant_initializer

_ORIGIN = frame.BASE + "efficientnet_v2/"
_HASHES = {
    "b0": ("21ecbf6da12460d5c40bb2f29ceb2188", "893217f2bb855e2983157299931e43ff"),
    "b1": ("069f0534ff22adf035c89e2d9547a9dc", "0e80663031ca32d657f9caa404b6ec37"),
    "b2": ("424e49f28180edbde1e94797771950a7", "1dfe2e7a5d45b6632553a8961ea609eb"),
    "b3": ("1f1fc43bd98a6e4fd8fdfd551e02c7a0", "f6abf7b5849ac99a89b50dd3fd532856"),
    "-s": ("e1d88a8495beba45748fedd0cecbe016", "af0682fb74e8c54910f2d4393339c070"),
    "-m": ("a3bf6aa3276309f4fc6a34aa114c95cd", "1b8dc055df72dde80d614482840fe342"),
    "-l": ("27e6d408b53c7ebc868fefa357689935", "b0b66b5c863aef5b46e8608fe1711615"),
}
# Whether the convolutions are fused, and then how often, filters before and after, expansion, stride. All weigh
# channels where they are not fused.
_SMALLEST = (
    (True, 1, 32, 16, 1, 1),
    (True, 2, 16, 32, 4, 2),
    (True, 2, 32, 48, 4, 2),
    (False, 3, 48, 96, 4, 2),
    (False, 5, 96, 112, 6, 1),
    (False, 8, 112, 192, 6, 2),
)
_S = (
    (True, 2, 24, 24, 1, 1),
    (True, 4, 24, 48, 4, 2),
    (True, 4, 48, 64, 4, 2),
    (False, 6, 64, 128, 4, 2),
    (False, 9, 128, 160, 6, 1),
    (False, 15, 160, 256, 6, 2),
)
_M = (
    (True, 3, 24, 24, 1, 1),
    (True, 5, 24, 48, 4, 2),
    (True, 5, 48, 80, 4, 2),
    (False, 7, 80, 160, 4, 2),
    (False, 14, 160, 176, 6, 1),
    (False, 18, 176, 304, 6, 2),
    (False, 5, 304, 512, 6, 1),
)
_L = (
    (True, 4, 32, 32, 1, 1),
    (True, 7, 32, 64, 4, 2),
    (True, 7, 64, 96, 4, 2),
    (False, 10, 96, 192, 4, 2),
    (False, 19, 192, 224, 6, 1),
    (False, 25, 224, 384, 6, 2),
    (False, 7, 384, 640, 6, 1),
)


def _block(inputs, fused, filters_in, filters_out, expand_ratio, strides, drop_rate, name):
    """Channels made more, weighed, and made fewer; fused, the first or only convolution sees neighbours too."""

    def activated(x, norm, activation):
        x = parts.normed(x, name + norm, momentum=0.9)
        return layers.Activation("swish", name=name + activation)(x)

    x = inputs
    if expand_ratio != 1:
        settings = {"strides": strides} if fused else {}
        x = parts.convolution(x, filters_in * expand_ratio, 3 if fused else 1, name + "expand_conv", **settings)
        x = activated(x, "expand_bn", "expand_activation")
    if not fused:
        convolution = layers.DepthwiseConv2D(
            3, strides=strides, padding="same", use_bias=False, depthwise_initializer=parts.KERNEL,
            name=name + "dwconv2",
        )  # fmt: skip
        x = activated(convolution(x), "bn", "activation")
        x = parts.excited(x, max(1, int(filters_in * 0.25)), "swish", name)
    alone = fused and expand_ratio == 1
    x = parts.convolution(
        x, filters_out, 3 if alone else 1, name + "project_conv", strides=strides if alone else 1
    )
    if alone:
        x = activated(x, "project_bn", "project_activation")
    else:
        x = parts.normed(x, name + "project_bn", momentum=0.9)
    if strides == 1 and filters_in == filters_out:
        x = layers.add([parts.dropped(x, drop_rate, name + "drop"), inputs], name=name + "add")
    return x


def _variant(kind, blocks, size, width_coefficient=1.0, depth_coefficient=1.0):
    model_name = f"efficientnetv2-{kind.lower()}"

    def width(filters):
        return max(8, int(filters * width_coefficient + 4) // 8 * 8)

    def model(
        include_top=True,
        weights="imagenet",
        input_tensor=None,
        input_shape=None,
        pooling=None,
        classes=1000,
        classifier_activation="softmax",
        include_preprocessing=True,
    ):
        frame.checked(include_top, weights, classes)
        input_shape = frame.input_shape_of(input_shape, size, 32, include_top, weights)
        image = x = frame.image_of(input_tensor, input_shape)
        axis = frame.channel_axis()
        if include_preprocessing and kind.startswith("B") and input_shape[axis - 1] == 3:
            x = layers.Rescaling(scale=1.0 / 255)(x)
            variance = [deviation**2 for deviation in parts.DEVIATION]
            x = layers.Normalization(mean=list(parts.MEAN), variance=variance, axis=axis)(x)
        elif include_preprocessing:
            x = layers.Rescaling(scale=1.0 / 128.0, offset=-1)(x)
        x = parts.convolution(x, width(blocks[0][2]), 3, "stem_conv", strides=2)
        x = layers.Activation("swish", name="stem_activation")(parts.normed(x, "stem_bn", momentum=0.9))
        number, total = 0, float(sum(count for _, count, *_ in blocks))
        for i, (fused, count, filters_in, filters_out, expand_ratio, strides) in enumerate(blocks, 1):
            filters_in, filters_out = width(filters_in), width(filters_out)
            for j in range(math.ceil(depth_coefficient * count)):
                name = f"block{i}{chr(j + 97)}_"
                x = _block(x, fused, filters_in, filters_out, expand_ratio, strides, 0.2 * number / total, name)
                strides, filters_in = 1, filters_out
                number += 1
        x = parts.normed(parts.convolution(x, width(1280), 1, "top_conv"), "top_bn", momentum=0.9)
        x = layers.Activation("swish", name="top_activation")(x)
        x = parts.headed(
            x, include_top, pooling, 0.2, classes, classifier_activation, weights,
            kernel_initializer=parts.TOP_KERNEL, bias_initializer=constant_initializer(0),
        )  # fmt: skip
        file_name = f"{model_name}{'' if include_top else '_notop'}.h5"
        return frame.finished(
            input_tensor, image, x, model_name, weights, file_name, _ORIGIN + file_name,
            _HASHES[model_name[-2:]][not include_top],
        )  # fmt: skip

    return parts.public(model, f"EfficientNetV2{kind}", size)


EfficientNetV2B0 = _variant("B0", _SMALLEST, 224)
EfficientNetV2B1 = _variant("B1", _SMALLEST, 240, 1.0, 1.1)
EfficientNetV2B2 = _variant("B2", _SMALLEST, 260, 1.1, 1.2)
EfficientNetV2B3 = _variant("B3", _SMALLEST, 300, 1.2, 1.4)
EfficientNetV2S = _variant("S", _S, 384)
EfficientNetV2M = _variant("M", _M, 480)
EfficientNetV2L = _variant("L", _L, 480)

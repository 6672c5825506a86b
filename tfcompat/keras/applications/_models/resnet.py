"""He et al. 2015, arXiv:1512.03385."""

from tfcompat import layers
from tfcompat.keras.applications._models import frame, parts
from tfcompat.keras.applications._models.imagenet import for_mode

preprocess_input = for_mode("caffe")
_HASHES = {
    "resnet50": ("2cb95161c43110f7111970584f804107", "4d473c1dd8becc155b73f8504c6f6626"),
    "resnet101": ("f1aeb4b969a6efcfb50fad2f0c20cfc5", "88cf7a10940856eca736dc7b7e228a21"),
    "resnet152": ("100835be76be38e30d865e96f2aaae62", "ee4c566cf9a93f14d82f913c2dc6dd0c"),
    "resnet50v2": ("3ef43a0b657b3be2300d5770ece849e0", "fac2f116257151a9d068a22e544a4917"),
    "resnet101v2": ("6343647c601c52e1368623803854d971", "c0ed64b8031c3730f411d2eb4eea35b5"),
    "resnet152v2": ("a49b44d1979771252814e80f8ec446f9", "ed17cf2e0169df9d443503ef94b23b33"),
}


COUNTS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}  # of blocks in each stage, by depth


def resnet(
    name, counts, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation="softmax",
    **kwargs,
):  # fmt: skip
    """The model of `counts` blocks in each stage; normalized before the convolutions if the name says "v2"."""
    frame.checked_kwargs(kwargs)
    image = frame.begun(include_top, weights, classes, input_tensor, input_shape, 224, 32)
    second = name.endswith("v2")
    x = layers.ZeroPadding2D(((3, 3), (3, 3)), name="conv1_pad")(image)
    x = layers.Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    if not second:
        x = _activated(_normalized(x, "conv1_bn"), "conv1_relu")
    x = layers.ZeroPadding2D(((1, 1), (1, 1)), name="pool1_pad")(x)
    x = layers.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    for stage, count in enumerate(counts):
        # The first version strides in the first block of a stage, the second in the last one.
        strided = (count if stage < 3 else 0) if second else (1 if stage > 0 else 0)
        for number in range(1, count + 1):
            block = _block_v2 if second else _block
            x = block(x, 64 << stage, 2 if number == strided else 1, number == 1, f"conv{stage + 2}_block{number}")
    if second:
        x = _activated(_normalized(x, "post_bn"), "post_relu")
    if include_top:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        x = frame.classified(x, classes, classifier_activation, weights)
    else:
        x = frame.pooled(x, pooling, named=True)
    file_name = f"{name}_weights_tf_dim_ordering_tf_kernels{'' if include_top else '_notop'}.h5"
    return frame.finished(
        input_tensor, image, x, name, weights, file_name, f"{frame.BASE}resnet/{file_name}",
        _HASHES[name][not include_top],
    )  # fmt: skip


def _normalized(x, name):
    return layers.BatchNormalization(axis=frame.channel_axis(), epsilon=1.001e-5, name=name)(x)


def _activated(x, name):
    return layers.Activation("relu", name=name)(x)


def _block(x, filters, stride, first, name):
    """Narrower, convolved, wider, and added to what came in."""
    shortcut = x
    if first:
        shortcut = _normalized(layers.Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(x), f"{name}_0_bn")
    x = layers.Conv2D(filters, 1, strides=stride, name=f"{name}_1_conv")(x)
    x = _activated(_normalized(x, f"{name}_1_bn"), f"{name}_1_relu")
    x = layers.Conv2D(filters, 3, padding="same", name=f"{name}_2_conv")(x)
    x = _activated(_normalized(x, f"{name}_2_bn"), f"{name}_2_relu")
    x = _normalized(layers.Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x), f"{name}_3_bn")
    return _activated(layers.Add(name=f"{name}_add")([shortcut, x]), f"{name}_out")


def _block_v2(x, filters, stride, first, name):
    """The same, normalized and activated before each convolution."""
    before = _activated(_normalized(x, f"{name}_preact_bn"), f"{name}_preact_relu")
    if first:
        shortcut = layers.Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(before)
    else:
        shortcut = layers.MaxPooling2D(1, strides=stride)(x) if stride > 1 else x
    x = layers.Conv2D(filters, 1, use_bias=False, name=f"{name}_1_conv")(before)
    x = _activated(_normalized(x, f"{name}_1_bn"), f"{name}_1_relu")
    x = layers.ZeroPadding2D(((1, 1), (1, 1)), name=f"{name}_2_pad")(x)
    x = layers.Conv2D(filters, 3, strides=stride, use_bias=False, name=f"{name}_2_conv")(x)
    x = _activated(_normalized(x, f"{name}_2_bn"), f"{name}_2_relu")
    x = layers.Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x)
    return layers.Add(name=f"{name}_out")([shortcut, x])


_MORE = {
    "kwargs": '`classifier_activation` of the last layer, "softmax" by default, "softmax" or None with weights; and '
              "`layers`, which must be `tf.keras.layers`.",
}  # fmt: skip


def _variant(depth):
    def model(
        include_top=True,
        weights="imagenet",
        input_tensor=None,
        input_shape=None,
        pooling=None,
        classes=1000,
        **kwargs,
    ):
        return resnet(
            f"resnet{depth}", COUNTS[depth], include_top, weights, input_tensor, input_shape, pooling, classes, **kwargs
        )

    return parts.public(model, f"ResNet{depth}", 224, _MORE)


ResNet50, ResNet101, ResNet152 = map(_variant, COUNTS)

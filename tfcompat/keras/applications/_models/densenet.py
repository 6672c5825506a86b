"""Huang et al. 2016, arXiv:1608.06993."""

import functools

from tfcompat import layers
from tfcompat.keras.applications._models import frame, parts
from tfcompat.keras.applications._models.imagenet import for_mode

preprocess_input = for_mode("torch")
_HASHES = {
    "densenet121": ("9d60b8095a5708f2dcce2bca79d332c7", "30ee3e1110167f948a6b9946edeeb738"),
    "densenet169": ("d699b8f76981ab1b30698df4c175e90b", "b8c4d4c20dd625c148057b9ff1c1176b"),
    "densenet201": ("1ceb130c1ea1b78c3bf6114dbdfd8807", "c13680b51ded0fb44dff2d8f86ac8bb1"),
}


def _densenet(name, counts, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation):
    image = frame.begun(include_top, weights, classes, input_tensor, input_shape, 224, 32)
    x = layers.ZeroPadding2D(((3, 3), (3, 3)))(image)
    x = layers.Conv2D(64, 7, strides=2, use_bias=False, name="conv1/conv")(x)
    x = _activated(x, "conv1/bn", "conv1/relu")
    x = layers.ZeroPadding2D(((1, 1), (1, 1)))(x)
    x = layers.MaxPooling2D(3, strides=2, name="pool1")(x)
    for stage, count in enumerate(counts, 2):
        if stage > 2:
            pool = f"pool{stage - 1}"
            x = _activated(x, f"{pool}_bn", f"{pool}_relu")
            x = layers.Conv2D(x.shape[frame.channel_axis()] // 2, 1, use_bias=False, name=f"{pool}_conv")(x)
            x = layers.AveragePooling2D(2, strides=2, name=f"{pool}_pool")(x)
        for number in range(1, count + 1):
            x = _block(x, f"conv{stage}_block{number}")
    x = _activated(x, "bn", "relu")
    if include_top:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        x = frame.classified(x, classes, classifier_activation, weights)
    else:
        x = frame.pooled(x, pooling, named=True)
    file_name = f"{name}_weights_tf_dim_ordering_tf_kernels{'' if include_top else '_notop'}.h5"
    return frame.finished(
        input_tensor, image, x, name, weights, file_name, f"{frame.BASE}densenet/{file_name}",
        _HASHES[name][not include_top],
    )  # fmt: skip


def _activated(x, normalization, activation):
    x = layers.BatchNormalization(axis=frame.channel_axis(), epsilon=1.001e-5, name=normalization)(x)
    return layers.Activation("relu", name=activation)(x)


def _block(x, name):
    """`x` with 32 channels more."""
    y = _activated(x, f"{name}_0_bn", f"{name}_0_relu")
    y = layers.Conv2D(128, 1, use_bias=False, name=f"{name}_1_conv")(y)
    y = _activated(y, f"{name}_1_bn", f"{name}_1_relu")
    y = layers.Conv2D(32, 3, padding="same", use_bias=False, name=f"{name}_2_conv")(y)
    return layers.Concatenate(axis=frame.channel_axis(), name=f"{name}_concat")([x, y])


def _variant(depth, counts):
    return parts.standard(functools.partial(_densenet, f"densenet{depth}", counts), f"DenseNet{depth}")


DenseNet121 = _variant(121, (6, 12, 24, 16))
DenseNet169 = _variant(169, (6, 12, 32, 32))
DenseNet201 = _variant(201, (6, 12, 48, 32))

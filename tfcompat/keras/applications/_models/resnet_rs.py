"""Bello and others 2021, arXiv:2103.07579."""

import os

from tfcompat import layers
from tfcompat.keras.applications._models import frame, parts
from tfcompat.layers._layer import naming

_ORIGIN = frame.BASE + "resnet_rs/"
# By depth: for each size of images that weights were trained on their hashes, with and without the top.
_HASHES = {
    50: {160: ("69d9d925319f00a8bdd4af23c04e4102", "90daa68cd26c95aa6c5d25451e095529")},
    101: {
        160: ("544b3434d00efc199d66e9058c7f3379", "82d5b90c5ce9d710da639d6216d0f979"),
        192: ("eb285be29ab42cf4835ff20a5e3b5d23", "f9a0f6b85faa9c3db2b6e233c4eebb5b"),
    },
    152: {
        192: ("8d72a301ed8a6f11a47c4ced4396e338", "5fbf7ac2155cb4d5a6180ee9e3aa8704"),
        224: ("31a46a92ab21b84193d0d71dd8c3d03b", "dc8b2cba2005552eafa3167f00dc2133"),
        256: ("ba6271b99bdeb4e7a9b15c05964ef4ad", "fa79794252dbe47c89130f65349d654a"),
    },
    200: {256: ("a76930b741884e09ce90fa7450747d5f", "bbdb3994718dfc0d1cd45d7eff3f3d9c")},
    270: {256: ("20d575825ba26176b03cb51012a367a8", "2c42ecb22e35f3e23d2f70babce0a2aa")},
    350: {
        256: ("f4a039dc3c421321b7fc240494574a68", "6e44b55025bbdff8f51692a023143d66"),
        320: ("7ccb858cc738305e8ceb3c0140bee393", "ab0c1f9079d2f85a9facbd2c88aa6079"),
    },
    420: {320: ("ae0eb9bed39e64fc8d7e0db4018dc7e8", "fe6217c32be8305b1889657172b98884")},
}
_NORM = {"momentum": 0.0, "epsilon": 1e-5}


def _convolved(x, filters, kernel_size, strides, name):
    """A convolution, padded alike on both sides where it has strides."""
    if strides == 1:
        return parts.convolution(x, filters, kernel_size, name)
    before = (kernel_size - 1) // 2
    padding = (before, kernel_size - 1 - before)
    x = layers.ZeroPadding2D(padding=(padding, padding))(x)
    return parts.convolution(x, filters, kernel_size, name, strides=strides, padding="valid")


def _activated(x, norm, activation):
    return layers.Activation("relu", name=activation)(parts.normed(x, norm, **_NORM))


def _block(inputs, filters, strides, projected, drop_rate, name):
    """Three convolutions, weighed channels, and what they are added to."""
    shortcut = inputs
    if projected:
        if strides == 2:
            pool = layers.AveragePooling2D((2, 2), strides=(2, 2), padding="same", name=name + "_projection_pooling")
            shortcut = pool(shortcut)
        shortcut = _convolved(shortcut, filters * 4, 1, 1, name + "_projection_conv")
        shortcut = parts.normed(shortcut, name + "_projection_batch_norm", **_NORM)
    x = _convolved(inputs, filters, 1, 1, name + "_conv_1")
    x = _activated(x, name + "batch_norm_1", name + "_act_1")
    x = _convolved(x, filters, 3, strides, name + "_conv_2")
    x = _activated(x, name + "_batch_norm_2", name + "_act_2")
    x = _convolved(x, filters * 4, 1, 1, name + "_conv_3")
    x = parts.normed(x, name + "_batch_norm_3", **_NORM)
    x = parts.excited(x, filters, "relu", name + "_se_")
    x = parts.dropped(x, drop_rate, name + "_drop")
    return layers.Activation("relu", name=name + "_output_act")(layers.Add()([x, shortcut]))


def _checked(depth, include_top, weights, classes):
    """The size that the weights asked for were trained on, None for a file or none.

    Raises:
      ValueError: there are no such weights; other than 1000 classes of ImageNet.
    """
    sizes = {f"imagenet-i{size}": size for size in _HASHES[depth]}
    if weights == "imagenet":
        weights = f"imagenet-i{max(_HASHES[depth])}"
    if weights is not None and weights not in sizes and not os.path.exists(weights):
        raise ValueError(
            "The `weights` argument should be either `None` (random initialization), `'imagenet'` (pre-training on "
            "ImageNet, with highest available input shape), or the path to the weights file to be loaded. For "
            f"ResNetRS{depth} the following weight variants are available {list(sizes)} (default=highest). "
            f"Received weights={weights}"
        )
    if weights in sizes and include_top and classes != 1000:
        raise ValueError(
            f"If using `weights` as `'imagenet'` or any of {list(sizes)} with `include_top` as true, `classes` should "
            f"be 1000. Received classes={classes}"
        )
    return sizes.get(weights)


def _variant(depth, counts, drop_connect_rate, dropout_rate):
    model_name = f"resnet-rs-{depth}"

    def model(
        include_top=True,
        weights="imagenet",
        classes=1000,
        input_shape=None,
        input_tensor=None,
        pooling=None,
        classifier_activation="softmax",
        include_preprocessing=True,
    ):
        trained = _checked(depth, include_top, weights, classes)
        # As tf_keras has it: not even weights of ImageNet ask for its shape.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/applications/resnet_rs.py
        input_shape = frame.input_shape_of(input_shape, 224, 32, include_top, None)
        image = x = frame.image_of(input_tensor, input_shape)
        axis = frame.channel_axis()
        if include_preprocessing:
            x = layers.Rescaling(scale=1.0 / 255)(x)
            if input_shape[axis - 1] == 3:
                variance = [deviation**2 for deviation in parts.DEVIATION]
                x = layers.Normalization(mean=list(parts.MEAN), variance=variance, axis=axis)(x)
        stem = f"stem_{naming.get_uid('stem_')}_stem"
        for i, (filters, strides) in enumerate(((32, 2), (32, 1), (64, 1), (64, 2)), 1):
            x = _convolved(x, filters, 3, strides, f"{stem}_conv_{i}")
            x = _activated(x, f"{stem}_batch_norm_{i}", f"{stem}_act_{i}")
        for i, count in enumerate(counts):
            drop_rate = drop_connect_rate * float(i + 2) / 5
            for j in range(count):
                strides = 2 if i and not j else 1
                x = _block(x, 64 * 2**i, strides, not j, drop_rate, f"BlockGroup{i + 2}__block_{j}_")
        x = parts.headed(x, include_top, pooling, dropout_rate, classes, classifier_activation, weights)
        if trained is None:
            return frame.finished(input_tensor, image, x, model_name, weights)
        file_name = f"{model_name}-i{trained}{'' if include_top else '_notop'}.h5"
        return frame.finished(
            input_tensor, image, x, model_name, "imagenet", file_name, _ORIGIN + file_name,
            _HASHES[depth][trained][not include_top],
        )  # fmt: skip

    return parts.public(model, f"ResNetRS{depth}", 224, _MORE)


_MORE = {
    "weights": '"imagenet", or as "imagenet-i160" those trained on images of a size, which are fetched; None; or the '
    "path of a file of weights."
}

ResNetRS50 = _variant(50, (3, 4, 6, 3), 0.0, 0.25)
ResNetRS101 = _variant(101, (3, 4, 23, 3), 0.0, 0.25)
ResNetRS152 = _variant(152, (3, 8, 36, 3), 0.0, 0.25)
ResNetRS200 = _variant(200, (3, 24, 36, 3), 0.1, 0.25)
ResNetRS270 = _variant(270, (4, 29, 53, 4), 0.1, 0.25)
ResNetRS350 = _variant(350, (4, 36, 72, 4), 0.1, 0.4)
ResNetRS420 = _variant(420, (4, 44, 87, 4), 0.1, 0.4)

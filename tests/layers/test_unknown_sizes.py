"""A layer costs no more where sizes are unknown: what it is tried with stands for large images, but none is made."""

import tracemalloc
from functools import partial

import pytest

import tfcompat as tf

layers = tf.keras.layers
MOST = 16 << 20  # bytes; the numbers of one channel of an image that stands for unknown ones take a hundred times that

OF_IMAGES = [
    partial(layers.Conv2D, 4, 3, padding="same"),
    partial(layers.SeparableConv2D, 4, 3, strides=2),
    partial(layers.DepthwiseConv2D, 3, padding="same"),
    partial(layers.Conv2DTranspose, 4, 3, strides=2),
    partial(layers.MaxPooling2D, 3, 2, "same"),
    partial(layers.AveragePooling2D, 3, 1, "same"),
    partial(layers.AveragePooling2D, 11, 2, "same"),
    partial(layers.GlobalAveragePooling2D),
    partial(layers.UpSampling2D, 2),
    partial(layers.UpSampling2D, 2, interpolation="bilinear"),
    partial(layers.ZeroPadding2D, 1),
    partial(layers.Cropping2D, 1),
    partial(layers.BatchNormalization),
    partial(layers.LayerNormalization),
    partial(layers.SpatialDropout2D, 0.1),
    partial(layers.Rescaling, 0.5),
    partial(layers.Resizing, 8, 8),
    partial(layers.CenterCrop, 8, 8),
    partial(layers.RandomCrop, 8, 8),
    partial(layers.RandomFlip),
    partial(layers.RandomRotation, 0.1),
    partial(layers.RandomZoom, 0.1),
    partial(layers.RandomTranslation, 0.1, 0.1),
    partial(layers.RandomContrast, 0.1),
]


@pytest.mark.parametrize("make", OF_IMAGES, ids=lambda make: make.func.__name__)
def test_layer_of_images_of_any_size_makes_no_large_array(make):
    layer = make()
    tracemalloc.start()
    try:
        output = layer(tf.keras.Input((None, None, 3)))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert output.shape[0] is None
    assert most < MOST

"""A layer costs no more where sizes are unknown: what it is tried with stands for large images, but none is made.

And it gives what it gives for known ones.
"""

import tracemalloc
from functools import partial

import numpy as np
import pytest

import tfcompat as tf

from ._cases import first_cases

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


@pytest.mark.parametrize(
    "case", [case for case in first_cases() if not case.training and all(case.shapes)], ids=lambda case: case.name
)
def test_a_function_of_any_number_of_rows_is_traced_once(case):
    tf.keras.utils.set_random_seed(1)
    layer = case.make(tf)
    inputs = [tf.constant(case.array(i, shape)) for i, shape in enumerate(case.shapes)]
    options = {} if case.training is None else {"training": case.training}
    expected = layer(inputs if len(inputs) > 1 else inputs[0], **options)
    traces = []

    @tf.function(input_signature=[tf.TensorSpec([None, *x.shape[1:]], x.dtype) for x in inputs])
    def called(*inputs):
        traces.append(inputs)
        return layer(list(inputs) if len(inputs) > 1 else inputs[0], **options)

    results = called(*inputs)
    assert len(traces) == 1
    tf.nest.assert_same_structure(results, expected)
    for result, value in zip(tf.nest.flatten(results), tf.nest.flatten(expected), strict=True):
        exact = np.asarray(value.values if isinstance(value, tf.RaggedTensor) else value)
        result = np.asarray(result.values if isinstance(result, tf.RaggedTensor) else result)
        close = 1e-5 if exact.dtype.itemsize >= 4 else 2e-2
        np.testing.assert_allclose(result.astype("float64"), exact.astype("float64"), close, close)

"""No derivative of a convolution is one with a window larger than its image: XLA:CPU has plain loops only for those."""

import re

import jax
import numpy as np
import pytest

import tfcompat as tf

IMAGE, WINDOW = np.ones((2, 8, 8, 3), np.float32), np.ones((3, 3, 3, 3), np.float32)
CONVOLUTION = re.compile(
    r"stablehlo\.convolution.*?dim_numbers = \[(.*?)\]x\[(.*?)\].*?: \(tensor<(.*?)>, tensor<(.*?)>\)"
)


def strided(image, window):
    return tf.nn.conv2d(image, window, 2, "SAME")


def transposed(image, window):
    return tf.nn.conv2d_transpose(image, window, [2, 16, 16, 3], 2, "SAME")


def gradients(function, image, window):
    with tf.GradientTape() as tape:
        tape.watch([image, window])
        result = tf.reduce_sum(function(image, window) ** 2)
    return tape.gradient(result, [image, window])


def penalty(function, image, window):
    with tf.GradientTape() as tape:
        tape.watch([image, window])
        slope, _ = gradients(function, image, window)
        result = tf.reduce_sum(slope**2)
    return tape.gradient(result, [image, window])


def sizes(axes, shape):
    """The sizes of the space axes, which have numbers in `axes`."""
    pairs = zip(axes.split(", "), shape.split("x")[:-1], strict=True)
    return {axis: int(size) for axis, size in pairs if axis.isdigit()}


@pytest.mark.parametrize("of", [gradients, penalty])
@pytest.mark.parametrize("function", [strided, transposed])
def test_windows_fit_into_images(of, function):
    step = tf.to_jax(lambda image, window: of(function, image, window))
    text = jax.jit(step).lower(step.state(IMAGE, WINDOW), IMAGE, WINDOW).as_text()
    found = CONVOLUTION.findall(text)
    assert len(found) >= 3
    for image_axes, window_axes, image, window in found:
        image, window = sizes(image_axes, image), sizes(window_axes, window)
        assert all(window[axis] <= image[axis] for axis in image), (image, window)

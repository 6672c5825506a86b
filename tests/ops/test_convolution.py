"""Convolution on a CPU: what XLA has plain loops only for does not occur, and what is done instead is the same."""

import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import tfcompat as tf
from tfcompat.engine import _policy
from tfcompat.engine.compile import tiers
from tfcompat.nn import _convolution_on_cpu
from tfcompat.nn._convolution import _apply, _apply_on_cpu, _convolution

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


def test_space_is_convolved_as_flat_images():
    """What XLA has for three dimensions takes 5 to 10 times as long."""
    image, window = np.ones((2, 6, 6, 6, 3), np.float32), np.ones((3, 3, 3, 3, 3), np.float32)

    def solid(image, window):
        return tf.nn.conv3d(image, window, [1, 1, 1, 1, 1], "SAME")

    step = tf.to_jax(lambda image, window: gradients(solid, image, window))
    traced = jax.jit(step).trace(step.state(image, window), image, window)
    found = CONVOLUTION.findall(traced.lower(lowering_platforms=("cpu",)).as_text())
    assert len(found) == 3
    assert all(len(sizes(axes, shape)) == 2 for axes, _, shape, _ in found)
    assert tiers._largest(traced.jaxpr.jaxpr) == 4 * 2 * 6 * 6 * 6 * 9  # three lie one behind another under the window


# image, window (spatial, in of a group, out), strides, padding, dilations, groups, channels first, dtype
GEOMETRIES = [
    ((2, 6, 5, 2), (3, 2, 2, 3), (1, 1), ((1, 1), (0, 1)), (1, 1), 1, False, "float32"),
    ((2, 6, 5, 2), (3, 2, 2, 3), (2, 3), ((2, 1), (0, 1)), (1, 2), 1, False, "float64"),   # few channels in float64
    ((2, 2, 1, 2), (4, 3, 2, 3), (2, 1), ((1, 1), (1, 1)), (1, 1), 1, False, "float32"),   # larger than the image
    ((2, 2, 4, 4), (5, 5, 2, 3), (2, 2), ((2, 2), (2, 2)), (1, 1), 1, True, "float32"),    # than the result
    ((2, 5, 5, 4), (1, 1, 4, 3), (2, 2), ((0, 0), (0, 0)), (1, 1), 1, False, "float32"),   # one element
    ((2, 6, 6, 3), (3, 3, 1, 3), (1, 1), ((1, 1), (1, 1)), (2, 1), 3, False, "float32"),   # depthwise
    ((2, 3, 6, 6), (3, 3, 1, 6), (2, 2), ((0, 1), (1, 1)), (1, 1), 3, True, "float32"),
    ((2, 6, 6, 4), (3, 3, 2, 6), (1, 2), ((1, 1), (1, 1)), (1, 1), 2, False, "float32"),   # groups one by one
    ((1, 4, 4, 66), (2, 2, 2, 66), (1, 1), ((0, 0), (0, 0)), (1, 1), 33, False, "float32"),  # at once
    ((2, 7, 3), (3, 3, 2), (2,), ((1, 1),), (1,), 1, False, "float64"),
    ((1, 4, 4, 4, 2), (3, 3, 3, 2, 2), (2, 2, 2), ((1, 1), (0, 1), (1, 1)), (1, 1, 1), 1, False, "float32"),
    ((2, 5, 4, 4, 2), (3, 2, 3, 2, 3), (1, 1, 1), ((1, 1), (0, 1), (1, 1)), (1, 1, 1), 1, False, "float32"),
    ((2, 2, 6, 5, 6), (2, 2, 3, 2, 3), (2, 1, 1), ((2, 0), (0, 1), (1, 1)), (2, 1, 2), 1, True, "float32"),
    ((2, 6, 5, 16), (3, 2, 16, 2), (1, 1), ((1, 1), (2, 1)), (2, 1), 1, False, "float32"),  # few results
    ((2, 5, 8), (3, 8, 1), (1,), ((0, 2),), (1,), 1, False, "float64"),
    ((2, 8, 6, 32), (4, 4, 32, 5), (2, 2), ((1, 1), (2, 1)), (1, 1), 1, False, "float32"),  # image by phases
    ((3, 8, 7, 16), (3, 2, 16, 40), (2, 3), ((1, 0), (1, 1)), (1, 1), 1, False, "float32"),  # by XLA's code
    ((1, 5, 4, 4, 20), (3, 1, 1, 20, 2), (1, 1, 1), ((0, 0), (0, 0), (0, 0)), (1, 1, 1), 1, False, "float64"),
    ((2, 4, 4, 4, 4), (2, 2, 2, 2, 4), (1, 2, 1), ((1, 1), (0, 1), (1, 1)), (1, 1, 1), 2, False, "float32"),
    ((1, 3, 4, 4, 2), (3, 2, 2, 1, 4), (1, 1, 1), ((1, 1), (0, 1), (0, 1)), (1, 1, 1), 2, False, "float32"),
]


@functools.cache
def of_geometry(image, window, strides, padding, dilations, groups, first, dtype):
    """The image, window and result of a geometry, and its settings, which are not to be changed."""
    letters = "DHW"[3 - len(strides) :]
    layout = f"NC{letters}" if first else f"N{letters}C"
    settings = dict(
        window_strides=strides, padding=padding, rhs_dilation=dilations, feature_group_count=groups,
        dimension_numbers=(layout, f"{letters}IO", layout),
    )
    draw = np.random.default_rng(0).normal
    image, window = jnp.asarray(draw(size=image), dtype), jnp.asarray(draw(size=window), dtype)
    return image, window, lax.conv_general_dilated(image, window, **settings), settings


def compiled(function, **settings):
    """`function` with these settings as one program: each of its steps would be compiled otherwise."""
    return jax.jit(functools.partial(function, **settings))


def transposes(image, window, result):
    """What the convolution and its transposes take and give."""
    return {
        "result": (image, window, None), "image": (result, window, image.shape), "window": (image, result, window.shape)
    }


@pytest.mark.parametrize("row", GEOMETRIES, ids=str)
@pytest.mark.parametrize("gives", ["result", "image", "window"])
def test_what_a_cpu_computes(row, gives):
    with jax.enable_x64(True):
        *arrays, settings = of_geometry(*row)
        first, second, shape = transposes(*arrays)[gives]
        wanted = compiled(_apply, gives=gives, shape=shape, **settings)(first, second)
        given = compiled(_apply_on_cpu, gives=gives, shape=shape, **settings)(first, second)
    assert given.shape == wanted.shape and given.dtype == wanted.dtype
    np.testing.assert_allclose(given, wanted, rtol=1e-4, atol=1e-4)


def test_images_are_computed_piece_by_piece(steer):
    """Products that would not fit into memory that is kept are made of some images at a time."""
    padding = ((1, 0), (1, 1))
    *arrays, settings = of_geometry((5, 8, 7, 16), (3, 2, 16, 40), (2, 3), padding, (1, 1), 1, False, "float32")
    first, second, shape = transposes(*arrays)["image"]
    apply = functools.partial(_apply_on_cpu, gives="image", shape=shape, **settings)
    wanted = jax.jit(apply)(first, second)
    assert count_of_convolutions(apply, first, second) == 1
    steer(_policy.KERNELS, patches=4 * 4 * 3 * 3 * 2 * 16 * 2)  # of two images
    assert count_of_convolutions(apply, first, second) == 3
    np.testing.assert_allclose(jax.jit(lambda *xs: apply(*xs))(first, second), wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("gives", "of_window", "moves"),
    [
        ("result", (3, 3, 16, 32), 0),                          # by a library
        ("result", (3, 3, 32, 2), 2 * 2 * 36 * 9 * 2),          # products of all places and elements, moved and summed
        ("window", (3, 3, 16, 32), 20 * 2 * 36 * 16),           # batch and channels change places
        ("window", (3, 3, 32, 2), 2 * 2 * 36 * 9 * 2),
        ("result", (7, 7, 16, 32), 2 * 2 * 36 * 49 * 16),       # larger than the image: windows made one by one
    ],
)  # fmt: skip
def test_what_quick_code_loses(gives, of_window, moves):
    geometry = _convolution_on_cpu.Geometry((1, 1), ((1, 1), (1, 1)), (1, 1), 1)
    assert _convolution_on_cpu.moves(gives, (6, 6), (6, 6), of_window, 2, np.float32, geometry) == moves


def count_of_convolutions(function, *arrays):
    return len(CONVOLUTION.findall(jax.jit(lambda *xs: function(*xs)).lower(*arrays).as_text()))


@pytest.mark.parametrize("axes", [(0, None), (None, 1), (1, 0)], ids=str)
@pytest.mark.parametrize("row", [GEOMETRIES[0], GEOMETRIES[3], GEOMETRIES[7]], ids=str)
@pytest.mark.parametrize("gives", ["result", "image", "window"])
def test_of_each_example(row, gives, axes):
    *arrays, settings = of_geometry(*row)
    first, second, shape = transposes(*arrays)[gives]
    examples = [(first, second), *((first * axis, second * axis) for axis in (2, 3))]
    first, second = (
        pairs[0] if axis is None else jnp.stack(pairs, axis)
        for pairs, axis in zip(zip(*examples, strict=True), axes, strict=True)
    )
    bind, one = (compiled(f, gives=gives, shape=shape, **settings) for f in (_convolution.bind, _apply))
    given = jax.jit(jax.vmap(bind, axes))(first, second)
    for number, of_one in enumerate(given):
        pair = (
            array if axis is None else jnp.take(array, number, axis)
            for array, axis in zip((first, second), axes, strict=True)
        )
        wanted = one(*pair)
        np.testing.assert_allclose(of_one, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sums_of_short_numbers_are_precise(dtype):
    """A sum of 4,096 ones would end at 256 or 2,048 if it were rounded after each."""
    image, window = jnp.ones((16, 16, 16, 3), dtype), jnp.ones((1, 1, 1, 3), dtype)
    settings = dict(
        window_strides=(1, 1), padding=((0, 0), (0, 0)), rhs_dilation=(1, 1), feature_group_count=3,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
    )
    given = compiled(_apply_on_cpu, gives="window", shape=window.shape, **settings)(image, image)
    assert given.dtype == dtype and (given == 4096).all()
    image = jnp.ones((1, 32, 32, 8), dtype)
    settings.update(feature_group_count=4)
    apply = compiled(_apply_on_cpu, gives="result", shape=None, **settings)
    given = apply(image, jnp.ones((32, 32, 2, 4), dtype))
    assert given.dtype == dtype and (given == 2048).all()


def test_numbers_do_not_spread_between_groups():
    image = np.ones((1, 6, 6, 4), np.float32)
    image[..., 0] = np.inf
    result = tf.nn.conv2d(image, np.ones((3, 3, 2, 4), np.float32), 1, "SAME")
    assert np.isinf(result[..., :2]).all() and np.isfinite(result[..., 2:]).all()

"""Pooling against windows taken one by one, and its derivatives in both modes against each other."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcompat as tf
from tfcompat import nn


def _windows(x, size, stride, pad, dilation):
    """For each window of an image [height, width], in order, the places of its elements that are not padding."""
    axes = zip(x.shape, size, stride, pad, dilation, strict=True)
    for start in itertools.product(*[range(0, n + sum(p) - (w - 1) * d, s) for n, w, s, p, d in axes]):
        offsets = itertools.product(*map(range, size))
        places = [
            tuple(a + o * d - p[0] for a, o, d, p in zip(start, offset, dilation, pad, strict=True))
            for offset in offsets
        ]
        yield start, [place for place in places if all(0 <= i < n for i, n in zip(place, x.shape, strict=True))]


@st.composite
def _poolings(draw):
    size = draw(st.tuples(st.integers(1, 5), st.integers(1, 4)))
    shape = [draw(st.integers(w, 9)) for w in size]
    stride = draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    # More padding than a window reaches would leave windows of nothing.
    pad = [(draw(st.integers(0, w - 1)), draw(st.integers(0, w - 1))) for w in size]
    numbers = draw(st.lists(st.integers(-3, 3), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    return np.array(numbers, np.float64).reshape(shape), size, stride, pad


def _check(x, got, expected, places_of_gradient):
    np.testing.assert_allclose(got.numpy().ravel(), expected)
    weights = np.arange(1.0, len(expected) + 1).reshape(got.shape)
    gradient = np.zeros(x.shape)
    for weight, places in zip(weights.ravel(), places_of_gradient, strict=True):
        for place in places:
            gradient[place] += weight / len(places)
    return tf.constant(weights), gradient


@settings(max_examples=60, deadline=None)
@given(_poolings())
def test_largest_of_windows(pooling):
    x, size, stride, pad = pooling
    windows = [places for _, places in _windows(x, size, stride, pad, (1, 1))]
    # Of equal elements the first one in row-major order has the derivative.
    chosen = [[max(places, key=lambda place: (x[place], [-i for i in place]))] for places in windows]
    image = tf.constant(x[None, :, :, None])
    with tf.GradientTape() as tape:
        tape.watch(image)
        result = nn.max_pool2d(image, size, stride, [[0, 0], *map(list, pad), [0, 0]])
    weights, gradient = _check(x, result, [x[place] for (place,) in chosen], chosen)
    found = tape.gradient(result, image, tf.reshape(weights, result.shape))
    np.testing.assert_allclose(found.numpy()[0, :, :, 0], gradient)


@settings(max_examples=60, deadline=None)
@given(_poolings(), st.sampled_from(["VALID", "SAME"]))
def test_mean_of_windows(pooling, padding):
    x, size, stride, _ = pooling
    pad = [(0, 0), (0, 0)]
    if padding == "SAME":
        totals = [max((-(-n // s) - 1) * s + w - n, 0) for n, w, s in zip(x.shape, size, stride, strict=True)]
        pad = [(total // 2, total - total // 2) for total in totals]
    windows = [places for _, places in _windows(x, size, stride, pad, (1, 1))]
    image = tf.constant(x[None, :, :, None])
    with tf.GradientTape() as tape:
        tape.watch(image)
        result = nn.avg_pool2d(image, size, stride, padding)
    weights, gradient = _check(x, result, [np.mean([x[p] for p in places]) for places in windows], windows)
    found = tape.gradient(result, image, tf.reshape(weights, result.shape))
    np.testing.assert_allclose(found.numpy()[0, :, :, 0], gradient)


MODES = [
    ("max", {"ksize": 3, "strides": 2, "padding": "SAME"}),
    ("max", {"ksize": 3, "strides": 1, "padding": "SAME"}),
    ("max", {"ksize": [2, 3], "strides": [3, 1], "padding": "VALID"}),
    ("avg", {"ksize": 3, "strides": 2, "padding": "SAME"}),
    ("avg", {"ksize": 2, "strides": 3, "padding": "VALID"}),
]


@pytest.mark.parametrize("kind, arguments", MODES)
def test_modes_agree(kind, arguments):
    """Rows of a jacobian by reverse mode, vectorized and not, are its columns by forward mode."""
    x = tf.constant(np.random.RandomState(0).randn(2, 5, 6, 1))
    function = {"max": nn.max_pool2d, "avg": nn.avg_pool2d}[kind]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x, **arguments)
    rows = tape.jacobian(y, x)
    np.testing.assert_allclose(rows, tape.jacobian(y, x, experimental_use_pfor=False))
    direction = tf.constant(np.random.RandomState(1).randn(*x.shape))
    with tf.autodiff.ForwardAccumulator(x, direction) as accumulator:
        y = function(x, **arguments)
    pushed = tf.tensordot(rows, direction, 4)
    np.testing.assert_allclose(accumulator.jvp(y), pushed, rtol=1e-12)


def test_dilated_windows():
    x = np.random.RandomState(0).randn(9, 8)
    result = nn.pool(tf.constant(x[None, :, :, None]), [3, 2], "MAX", dilations=[2, 3])
    windows = _windows(x, (3, 2), (1, 1), [(0, 0), (0, 0)], (2, 3))
    np.testing.assert_allclose(result.numpy().ravel(), [max(x[place] for place in places) for _, places in windows])


def test_windows_of_unknown_sizes():
    @tf.function(input_signature=[tf.TensorSpec([None, None, None, 2])])
    def pooled(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = nn.max_pool2d(x, 3, 2, "SAME") + nn.avg_pool2d(x, 3, 2, "SAME")
        return y, tape.gradient(y, x)

    for shape in [(1, 4, 5, 2), (2, 7, 3, 2)]:
        x = tf.constant(np.random.RandomState(0).randn(*shape).astype(np.float32))
        for one, other in zip(pooled(x), pooled.python_function(x), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5)

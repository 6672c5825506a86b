"""Activations that Keras 3 has beside those of Keras 2; of real tensors of any shape, to the same shape and dtype."""

from typing import Any

from tfcompat import array, math, nn
from tfcompat._core.convert import convert_to_tensor
from tfcompat.math._clip import clip_by_value


def celu(x, alpha: Any = 1.0):
    """`x` where positive, `alpha * (exp(x / alpha) - 1)` elsewhere. Keras 3: `keras.activations.celu`."""
    x = convert_to_tensor(x)
    return math.maximum(x, 0) + alpha * math.expm1(math.minimum(x, 0) / alpha)


def glu(x, axis=-1):
    """The first half of `x` along `axis`, times the sigmoid of the second. Keras 3: `keras.activations.glu`."""
    first, second = array.split(x, 2, axis=axis)
    return first * math.sigmoid(second)


def hard_shrink(x, threshold=0.5):
    """`x` where it is further from 0 than `threshold`, else 0. Keras 3: `keras.activations.hard_shrink`."""
    x = convert_to_tensor(x)
    return array.where(math.abs(x) > threshold, x, array.zeros_like(x))


def hard_silu(x):
    """`x * relu6(x + 3) / 6`. Keras 3: `keras.activations.hard_silu`, `hard_swish`."""
    x = convert_to_tensor(x)
    return x * (nn.relu6(x + 3.0) / 6.0)


def hard_tanh(x):
    """`x` clipped to [-1, 1]. Keras 3: `keras.activations.hard_tanh`."""
    return clip_by_value(x, -1.0, 1.0)


def leaky_relu(x, negative_slope: Any = 0.2):
    """`x` where positive, `negative_slope * x` elsewhere. Keras 3: `keras.activations.leaky_relu`."""
    return nn.leaky_relu(x, alpha=negative_slope)


def log_sigmoid(x):
    """`log(sigmoid(x))`. Keras 3: `keras.activations.log_sigmoid`."""
    return math.log_sigmoid(x)


def log_softmax(x, axis=-1):
    """`log(softmax(x))` along `axis`. Keras 3: `keras.activations.log_softmax`."""
    return nn.log_softmax(x, axis=axis)


def relu6(x):
    """`x` clipped to [0, 6]. Keras 3: `keras.activations.relu6`."""
    return nn.relu6(x)


def silu(x):
    """`x * sigmoid(x)`. Keras 3: `keras.activations.silu`."""
    return nn.silu(x)


def soft_shrink(x, threshold=0.5):
    """`x` moved towards 0 by `threshold`, and 0 within it. Keras 3: `keras.activations.soft_shrink`."""
    x = convert_to_tensor(x)
    moved = array.where(x < -threshold, x + threshold, array.zeros_like(x))
    return array.where(x > threshold, x - threshold, moved)


def sparse_plus(x):
    """0 up to -1, `(x + 1) ** 2 / 4` up to 1, then `x`. Keras 3: `keras.activations.sparse_plus`."""
    x = convert_to_tensor(x)
    return array.where(x <= -1.0, array.zeros_like(x), array.where(x < 1.0, 0.25 * (x + 1.0) ** 2, x))


def sparse_sigmoid(x):
    """`(x + 1) / 2` clipped to [0, 1]. Keras 3: `keras.activations.sparse_sigmoid`."""
    x = convert_to_tensor(x)
    above = array.where(x < 1.0, 0.5 * (x + 1.0), array.ones_like(x))
    return array.where(x <= -1.0, array.zeros_like(x), above)


def squareplus(x, b: Any = 4):
    """`(x + sqrt(x ** 2 + b)) / 2`. Keras 3: `keras.activations.squareplus`."""
    x = convert_to_tensor(x)
    return (x + math.sqrt(x**2 + b)) / 2


def tanh_shrink(x):
    """`x - tanh(x)`. Keras 3: `keras.activations.tanh_shrink`."""
    x = convert_to_tensor(x)
    return x - math.tanh(x)


def threshold(x, threshold, default_value):
    """`x` where above `threshold`, else `default_value`. Keras 3: `keras.activations.threshold`."""
    x = convert_to_tensor(x)
    return array.where(x > threshold, x, array.cast(default_value, x.dtype))

"""`tf.keras.activations`: functions from a layer's result to its output, and their names."""

import types as _types
from typing import Any as _Any

from tfcompat import array as _array
from tfcompat import math as _math
from tfcompat import nn as _nn
from tfcompat._core.convert import convert_to_tensor as _convert_to_tensor
from tfcompat._package.missing import missing as _missing
from tfcompat.layers._activations_of_keras_3 import celu as celu
from tfcompat.layers._activations_of_keras_3 import glu as glu
from tfcompat.layers._activations_of_keras_3 import hard_shrink as hard_shrink
from tfcompat.layers._activations_of_keras_3 import hard_silu as hard_silu
from tfcompat.layers._activations_of_keras_3 import hard_tanh as hard_tanh
from tfcompat.layers._activations_of_keras_3 import leaky_relu as leaky_relu
from tfcompat.layers._activations_of_keras_3 import log_sigmoid as log_sigmoid
from tfcompat.layers._activations_of_keras_3 import log_softmax as log_softmax
from tfcompat.layers._activations_of_keras_3 import relu6 as relu6
from tfcompat.layers._activations_of_keras_3 import silu as silu
from tfcompat.layers._activations_of_keras_3 import soft_shrink as soft_shrink
from tfcompat.layers._activations_of_keras_3 import sparse_plus as sparse_plus
from tfcompat.layers._activations_of_keras_3 import sparse_sigmoid as sparse_sigmoid
from tfcompat.layers._activations_of_keras_3 import squareplus as squareplus
from tfcompat.layers._activations_of_keras_3 import tanh_shrink as tanh_shrink
from tfcompat.layers._activations_of_keras_3 import threshold as threshold
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.layers._layer.registry import registered as _registered
from tfcompat.math._clip import clip_by_value as _clip_by_value


def linear(x):
    """`x` itself. TF: `tf.keras.activations.linear`."""
    return x


def relu(x: _Any, alpha: _Any = 0.0, max_value: _Any = None, threshold: _Any = 0.0) -> _Any:
    """The rectified linear unit.

    Args:
      x: real tensor, any shape.
      alpha: slope below the threshold.
      max_value: highest result, or None.
      threshold: where the unit begins to pass `x`.

    Returns:
      Tensor of the shape of `x`: `x` from `threshold` to `max_value`, `alpha * (x - threshold)` below.

    Gradient: at the threshold that of below, as `tf.nn.relu`.
    TF: `tf.keras.activations.relu`; no known difference.
    """
    if max_value is None and threshold == 0:
        return _nn.relu(x) if alpha == 0 else _nn.leaky_relu(x, alpha=alpha)
    x = _convert_to_tensor(x)
    below: _Any = None
    if alpha != 0:
        below = _nn.relu(threshold - x if threshold != 0 else -x)
    if threshold != 0:
        x = x * _array.cast(_math.greater(x, threshold), x.dtype)
    elif max_value == 6:
        x, max_value = _nn.relu6(x), None
    else:
        x = _nn.relu(x)
    if max_value is not None:
        x = _clip_by_value(x, _array.cast(0, x.dtype), _array.cast(max_value, x.dtype))
    return x if below is None else x - _array.cast(alpha, x.dtype) * below


def elu(x, alpha: _Any = 1.0) -> _Any:
    """`x` where positive, `alpha * (exp(x) - 1)` elsewhere. TF: `tf.keras.activations.elu`."""
    result = _nn.elu(x)
    return result if alpha == 1 else _array.where(_math.greater(x, 0), result, alpha * result)


def selu(x):
    """The scaled exponential linear unit. TF: `tf.keras.activations.selu`."""
    return _nn.selu(x)


def gelu(x, approximate=False):
    """`x` times the normal distribution function of `x`. TF: `tf.keras.activations.gelu`."""
    return _nn.gelu(x, approximate)


def mish(x):
    """`x * tanh(softplus(x))`. TF: `tf.keras.activations.mish`."""
    return x * _math.tanh(_math.softplus(x))


def swish(x):
    """`x * sigmoid(x)`. TF: `tf.keras.activations.swish`."""
    return _nn.silu(x)


def sigmoid(x):
    """`1 / (1 + exp(-x))`. TF: `tf.keras.activations.sigmoid`."""
    return _with_logits(_math.sigmoid(x), x)


def _with_logits(output, logits):
    """`output`, with a note for cross entropies, which compute with the logits."""
    output._keras_logits = logits
    return output


def hard_sigmoid(x):
    """`0.2 * x + 0.5` clipped to [0, 1]. TF: `tf.keras.activations.hard_sigmoid`."""
    return _clip_by_value(x * 0.2 + 0.5, 0.0, 1.0)


def tanh(x):
    """The hyperbolic tangent. TF: `tf.keras.activations.tanh`."""
    return _math.tanh(x)


def exponential(x):
    """`exp(x)`. TF: `tf.keras.activations.exponential`."""
    return _math.exp(x)


def softplus(x):
    """`log(exp(x) + 1)`. TF: `tf.keras.activations.softplus`."""
    return _math.softplus(x)


def softsign(x):
    """`x / (|x| + 1)`. TF: `tf.keras.activations.softsign`."""
    return _nn.softsign(x)


def softmax(x, axis=-1):
    """`exp(x)`, divided by its sum along `axis`.

    Args:
      x: floating tensor of rank 2 or more.
      axis: int, or list of ints.

    Returns:
      Tensor of the shape and dtype of `x`.

    Raises:
      ValueError: `x` is of rank 1 or 0.

    TF: `tf.keras.activations.softmax`; no known difference.
    """
    if x.shape.rank <= 1:
        raise ValueError(f"Cannot apply softmax to a tensor that is 1D. Received input: {x}")
    if isinstance(axis, int):
        return _with_logits(_nn.softmax(x, axis=axis), x)
    exponentials = _math.exp(x - _math.reduce_max(x, axis=axis, keepdims=True))
    return _with_logits(exponentials / _math.reduce_sum(exponentials, axis=axis, keepdims=True), x)


hard_swish = hard_silu
_FUNCTIONS = {
    "celu": celu,
    "elu": elu,
    "exponential": exponential,
    "gelu": gelu,
    "glu": glu,
    "hard_shrink": hard_shrink,
    "hard_sigmoid": hard_sigmoid,
    "hard_silu": hard_silu,
    "hard_swish": hard_silu,
    "hard_tanh": hard_tanh,
    "leaky_relu": _nn.leaky_relu,
    "linear": linear,
    "log_sigmoid": log_sigmoid,
    "log_softmax": _nn.log_softmax,
    "mish": mish,
    "relu": relu,
    "relu6": _nn.relu6,
    "selu": selu,
    "sigmoid": sigmoid,
    "silu": _nn.silu,
    "soft_shrink": soft_shrink,
    "softmax": softmax,
    "softplus": softplus,
    "softsign": softsign,
    "sparse_plus": sparse_plus,
    "sparse_sigmoid": sparse_sigmoid,
    "squareplus": squareplus,
    "swish": swish,
    "tanh": tanh,
    "tanh_shrink": tanh_shrink,
    "threshold": threshold,
}


def serialize(activation, use_legacy_format=False):
    """The name of an activation, or the dict that describes it.

    Raises:
      ValueError: not a function and not a Keras object.

    TF: `tf.keras.activations.serialize`; of a lambda the name alone is kept, not its code.
    """
    if isinstance(activation, _types.FunctionType | _types.BuiltinFunctionType):
        name = "swish" if activation is _nn.silu else activation.__name__
        if name in _FUNCTIONS:
            return name
    elif not hasattr(activation, "get_config"):
        raise ValueError(
            f"Unknown activation function '{activation}' cannot be serialized due to invalid function name. "
            "Register it with `tf.keras.utils.register_keras_serializable()`"
        )
    return _serialization.serialize(activation, "keras.layers")


def deserialize(name, custom_objects=None, use_legacy_format=False) -> _Any:
    """The activation of a name or dict.

    Raises:
      ValueError: the name is not known.

    TF: `tf.keras.activations.deserialize`; no known difference.
    """
    known = {**_registered("activation"), **_FUNCTIONS}
    if isinstance(name, str) and _serialization.get_registered_object(name, custom_objects, known) is None:
        raise ValueError(f"Unknown activation function '{name}' cannot be deserialized.")
    return _serialization.deserialize(name, known, custom_objects, "activation function")


def get(identifier) -> _Any:
    """The activation of a name, dict or function; `linear` for None.

    Raises:
      ValueError: the name is not known.
      TypeError: anything else.

    TF: `tf.keras.activations.get`; no known difference.
    """
    if identifier is None:
        return linear
    if isinstance(identifier, str | dict):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise TypeError(f"Could not interpret activation function identifier: {identifier}")


__getattr__ = _missing("tf.keras.activations")

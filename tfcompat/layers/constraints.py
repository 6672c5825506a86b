"""`tf.keras.constraints`: projections of weights, applied by optimizers after an update."""

import warnings as _warnings
from typing import Any as _Any

from tfcompat import array as _array
from tfcompat import math as _math
from tfcompat._package.missing import missing as _missing
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.layers._layer import settings as _settings
from tfcompat.math._clip import clip_by_value as _clip_by_value


class Constraint:
    """Function from a weight to its projection; base class of those below and of the user's own.

    TF: `tf.keras.constraints.Constraint`; no known difference.
    """

    def __call__(self, w):
        """The projection: `w` itself."""
        return w

    def get_config(self):
        """The constructor's arguments, as a dict."""
        return {}

    @classmethod
    def from_config(cls, config):
        """The constraint that `config`, from `get_config`, describes."""
        return cls(**config)


class MaxNorm(Constraint):
    """Scales down what has a norm above `max_value`.

    Args:
      max_value: float.
      axis: int or ints, along which norms are taken.

    TF: `tf.keras.constraints.MaxNorm`; no known difference.
    """

    def __init__(self, max_value=2, axis=0):
        self.max_value = max_value
        self.axis = axis

    def __call__(self, w):
        norms = _norms(w, self.axis)
        return w * (_clipped(norms, 0, self.max_value) / (_settings.epsilon() + norms))

    def get_config(self):
        return {"max_value": self.max_value, "axis": self.axis}


class NonNeg(Constraint):
    """Zero in place of what is negative.

    TF: `tf.keras.constraints.NonNeg`; no known difference.
    """

    def __call__(self, w):
        return w * _array.cast(_math.greater_equal(w, 0.0), _settings.floatx())


class UnitNorm(Constraint):
    """Scales to norm 1.

    Args:
      axis: int or ints, along which norms are taken.

    TF: `tf.keras.constraints.UnitNorm`; no known difference.
    """

    def __init__(self, axis=0):
        self.axis = axis

    def __call__(self, w):
        return w / (_settings.epsilon() + _norms(w, self.axis))

    def get_config(self):
        return {"axis": self.axis}


class MinMaxNorm(Constraint):
    """Scales to a norm in a range.

    Args:
      min_value, max_value: floats, the range.
      rate: float; how far towards the range: 1 puts the norm into it at once.
      axis: int or ints, along which norms are taken.

    TF: `tf.keras.constraints.MinMaxNorm`; no known difference.
    """

    def __init__(self, min_value=0.0, max_value=1.0, rate=1.0, axis=0):
        self.min_value = min_value
        self.max_value = max_value
        self.rate = rate
        self.axis = axis

    def __call__(self, w):
        norms = _norms(w, self.axis)
        desired = self.rate * _clipped(norms, self.min_value, self.max_value) + (1 - self.rate) * norms
        return w * (desired / (_settings.epsilon() + norms))

    def get_config(self):
        return {
            "min_value": self.min_value,
            "max_value": self.max_value,
            "rate": self.rate,
            "axis": self.axis,
        }


class RadialConstraint(Constraint):
    """Makes square convolution kernels alike at all places as far from the centre, taking the diagonal's
    values.

    Raises:
      ValueError: called on a weight of rank other than 4.

    TF: `tf.keras.constraints.RadialConstraint`; no known difference.
    """

    def __call__(self, w):
        if w.shape.rank != 4:
            raise ValueError(
                f"The weight tensor must have rank 4. Received weight tensor with shape: {w.shape}"
            )
        size, odd = w.shape[0], w.shape[0] % 2
        start = size // 2
        # Rings count from the centre, which is one place or four. Keras takes the value of ring r > 0 one
        # place further along the diagonal where the size is even.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/constraints.py
        rings = [
            [max(abs(2 * i - size + 1), abs(2 * j - size + 1)) // 2 for j in range(size)] for i in range(size)
        ]
        place = [start - 1, *(start + ring - odd for ring in range(1, size))]
        return _array.gather_nd(w, [[[place[ring]] * 2 for ring in row] for row in rings])


max_norm = MaxNorm
non_neg = NonNeg
unit_norm = UnitNorm
min_max_norm = MinMaxNorm
radial_constraint = RadialConstraint

_NAMES = {
    "MaxNorm": MaxNorm,
    "MinMaxNorm": MinMaxNorm,
    "NonNeg": NonNeg,
    "RadialConstraint": RadialConstraint,
    "UnitNorm": UnitNorm,
    "max_norm": MaxNorm,
    "maxnorm": MaxNorm,
    "min_max_norm": MinMaxNorm,
    "non_neg": NonNeg,
    "nonneg": NonNeg,
    "radial_constraint": RadialConstraint,
    "unit_norm": UnitNorm,
    "unitnorm": UnitNorm,
}


def serialize(constraint, use_legacy_format=False):
    """The dict that describes a constraint; None for None. TF: `tf.keras.constraints.serialize`."""
    if constraint is not None and not isinstance(constraint, Constraint):
        _warnings.warn(
            "The `keras.constraints.serialize()` API should only be used for objects of type "
            f"`keras.constraints.Constraint`. Found an instance of type {type(constraint)}, which may lead "
            "to improper serialization.",
            stacklevel=2,
        )
    return _serialization.serialize(constraint, "keras.constraints")


def deserialize(config, custom_objects=None, use_legacy_format=False) -> _Any:
    """The constraint of a name or dict; ValueError if it is not known. TF:
    `tf.keras.constraints.deserialize`."""
    return _serialization.deserialize(config, _NAMES, custom_objects, "constraint")


def get(identifier) -> _Any:
    """The constraint of a name, dict, function, or None.

    Raises:
      ValueError: the name is not known, or something else is given.

    TF: `tf.keras.constraints.get`; no known difference.
    """
    if identifier is None:
        return None
    if isinstance(identifier, str | dict):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret constraint function identifier: {identifier}")


def _norms(w, axis):
    return _math.sqrt(_math.maximum(_math.reduce_sum(_math.square(w), axis=axis, keepdims=True), 0.0))


def _clipped(norms, low, high):
    return _clip_by_value(norms, low, max(low, high))


__getattr__ = _missing("tf.keras.constraints", otherwise="a function from the weight to its projection")

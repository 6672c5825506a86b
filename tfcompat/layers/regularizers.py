"""`tf.keras.regularizers`: losses of a layer's weights or outputs."""

import math as _python_math
import warnings as _warnings
from typing import Any as _Any

import numpy as _np

from tfcompat import array as _array
from tfcompat import linalg as _linalg
from tfcompat import math as _math
from tfcompat import nn as _nn
from tfcompat._package.missing import missing as _missing
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.layers._layer import settings as _settings


class Regularizer:
    """Function from a tensor to a scalar loss; base class of those below and of the user's own.

    TF: `tf.keras.regularizers.Regularizer`; no known difference.
    """

    def __call__(self, x):
        """The loss: 0.0."""
        return 0.0

    @classmethod
    def from_config(cls, config):
        """The regularizer that `config`, from `get_config`, describes."""
        return cls(**config)

    def get_config(self):
        """The constructor's arguments, as a dict."""
        raise NotImplementedError(f"{self} does not implement get_config()")


class L1L2(Regularizer):
    """`l1 * sum(|x|) + l2 * sum(x**2)`.

    Args:
      l1, l2: finite floats; None is 0.

    Raises:
      ValueError: not a finite number.

    TF: `tf.keras.regularizers.L1L2`; no known difference.
    """

    def __init__(self, l1=0.0, l2=0.0):
        self.l1 = _factor(0.0 if l1 is None else l1)
        self.l2 = _factor(0.0 if l2 is None else l2)

    def __call__(self, x):
        if self.l1 and self.l2:
            return self.l1 * _math.reduce_sum(_math.abs(x)) + 2.0 * self.l2 * _nn.l2_loss(x)
        if self.l1:
            return self.l1 * _math.reduce_sum(_math.abs(x))
        return 2.0 * self.l2 * _nn.l2_loss(x)

    def get_config(self):
        return {"l1": float(self.l1), "l2": float(self.l2)}


class L1(Regularizer):
    """`l1 * sum(|x|)`.

    Args:
      l1: finite float; None is 0.01.
      **kwargs: `l`, an old name of `l1`.

    Raises:
      ValueError: not a finite number.
      TypeError: unknown keyword.

    TF: `tf.keras.regularizers.L1`; no known difference.
    """

    def __init__(self, l1=0.01, **kwargs):
        self.l1 = _factor(_renamed(l1, kwargs))

    def __call__(self, x):
        return self.l1 * _math.reduce_sum(_math.abs(x))

    def get_config(self):
        return {"l1": float(self.l1)}


class L2(Regularizer):
    """`l2 * sum(x**2)`.

    Args:
      l2: finite float; None is 0.01.
      **kwargs: `l`, an old name of `l2`.

    Raises:
      ValueError: not a finite number.
      TypeError: unknown keyword.

    TF: `tf.keras.regularizers.L2`; no known difference.
    """

    def __init__(self, l2=0.01, **kwargs):
        self.l2 = _factor(_renamed(l2, kwargs))

    def __call__(self, x):
        return 2.0 * self.l2 * _nn.l2_loss(x)

    def get_config(self):
        return {"l2": float(self.l2)}


class OrthogonalRegularizer(Regularizer):
    """Mean absolute cosine between pairs of rows or columns, times `factor`.

    Args:
      factor: finite float.
      mode: "rows" or "columns".

    Raises:
      ValueError: not a finite number; another mode; called on a tensor of rank other than 2.

    TF: `tf.keras.regularizers.OrthogonalRegularizer`; no known difference.
    """

    def __init__(self, factor=0.01, mode="rows"):
        self.factor = _factor(factor)
        if mode not in ("rows", "columns"):
            raise ValueError(
                'Invalid value for argument `mode`. Expected one of {"rows", "columns"}. Received: '
                f"mode={mode}"
            )
        self.mode = mode

    def __call__(self, inputs):
        if inputs.shape.rank != 2:
            raise ValueError(
                f"Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape == {inputs.shape}"
            )
        rows = self.mode == "rows"
        unit = _math.l2_normalize(inputs, axis=1 if rows else 0)
        product = (
            _linalg.matmul(unit, _array.transpose(unit))
            if rows
            else _linalg.matmul(_array.transpose(unit), unit)
        )
        size = inputs.shape[0 if rows else 1]
        off_diagonal = product * (1.0 - _array.eye(size, dtype=inputs.dtype))
        pairs = size * (size - 1.0) / 2.0
        return self.factor * 0.5 * _math.reduce_sum(_math.abs(off_diagonal)) / pairs

    def get_config(self):
        return {"factor": float(self.factor), "mode": self.mode}


def l1_l2(l1=0.01, l2=0.01):
    """An `L1L2` with these factors. TF: `tf.keras.regularizers.l1_l2`."""
    return L1L2(l1=l1, l2=l2)


l1 = L1
l2 = L2
orthogonal_regularizer = OrthogonalRegularizer

_NAMES = {
    "L1": L1,
    "L1L2": L1L2,
    "L2": L2,
    "OrthogonalRegularizer": OrthogonalRegularizer,
    "l1": L1,
    "l2": L2,
    "orthogonal_regularizer": OrthogonalRegularizer,
}


def serialize(regularizer, use_legacy_format=False):
    """The dict that describes a regularizer; None for None. TF: `tf.keras.regularizers.serialize`."""
    if regularizer is not None and not isinstance(regularizer, Regularizer):
        _warnings.warn(
            "The `keras.regularizers.serialize()` API should only be used for objects of type "
            f"`keras.regularizers.Regularizer`. Found an instance of type {type(regularizer)}, which may "
            "lead to improper serialization.",
            stacklevel=2,
        )
    return _serialization.serialize(regularizer, "keras.regularizers")


def deserialize(config, custom_objects=None, use_legacy_format=False) -> _Any:
    """The regularizer of a name or dict.

    Raises:
      ValueError: the name is not known.

    TF: `tf.keras.regularizers.deserialize`, which gives an unknown name back as it is.
    """
    if config == "l1_l2":
        return l1_l2()
    return _serialization.deserialize(config, _NAMES, custom_objects, "regularizer")


def get(identifier) -> _Any:
    """The regularizer of a name, dict, function, or None.

    Raises:
      ValueError: the name is not known, or something else is given.

    TF: `tf.keras.regularizers.get`, which gives an unknown name back as it is.
    """
    if identifier is None:
        return None
    if isinstance(identifier, str | dict):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret regularizer identifier: {identifier}")


def _factor(value):
    """A factor in the default float dtype, as Keras keeps it."""
    if not isinstance(value, float | int | _np.floating):
        raise ValueError(
            f"Value {value} is not a valid regularization penalty number, expected an int or float value."
        )
    if not _python_math.isfinite(value):
        raise ValueError(
            f"Value {value} is not a valid regularization penalty number, an infinite number or NaN are not "
            "valid values."
        )
    return _np.asarray(value, _settings.floatx())


def _renamed(value, kwargs):
    value = kwargs.pop("l", value)
    if kwargs:
        raise TypeError(f"Argument(s) not recognized: {kwargs}")
    return 0.01 if value is None else value


__getattr__ = _missing("tf.keras.regularizers", otherwise="a function from the weight to its loss")

"""Abstract values and static attributes: what a call is bound to. Interned, so that they are compared by identity."""
import math

import numpy as np
from jax.core import Tracer

from tfcompat._native import hand_over, handed_over
from tfcompat.engine._policy import KEEPING, RECORDING
from tfcompat.engine._swept import Swept

_values = Swept(KEEPING.values)
INEXACT = frozenset("fcV")  # 'V' is the kind of bfloat16 and the float8 types.


@handed_over
class Aval:
    """Abstract value: shape and NumPy dtype, interned, so that equal avals are one object.

    `traced` marks values that are JAX tracers: operations on them are applied at once. `inexact` is true of floating
    and complex values; `host` of values that host functions may take (text, and small integers, which shapes are
    made of), and None for NumPy's structured dtypes, which no program takes; `large` is true of values whose buffers
    are worth keeping on the device, and worth reusing.
    `tf_dtype` and `tf_shape` are room for the layer above.
    """

    __slots__ = ("shape", "dtype", "traced", "inexact", "host", "large", "tf_dtype", "tf_shape")
    _interned: dict = {}

    def __new__(cls, shape, dtype, traced=False):
        key = (shape, dtype, traced)
        aval = cls._interned.get(key)
        if aval is None:
            aval = object.__new__(cls)
            aval.shape, aval.dtype, aval.traced = shape, dtype, traced
            aval.inexact = dtype.kind in INEXACT
            size = math.prod(shape) if all(type(d) is int for d in shape) else math.inf  # a size may be a symbol
            aval.host = dtype.hasobject or dtype.kind in "iub" and size <= RECORDING.host_size
            if dtype.names is not None and not dtype.hasobject:
                aval.host = None
            aval.large = not dtype.hasobject and RECORDING.large_size <= size
            aval.tf_dtype = aval.tf_shape = None
            aval = cls._interned.setdefault(key, aval)
            _values.note(cls._interned, key)
        return aval

    def __repr__(self):
        return f"{self.dtype.name}{list(self.shape)}" + ("*" if self.traced else "")


@handed_over
class TupleAval:
    """Abstract value of an operation with several results."""

    __slots__ = ("parts", "traced", "picks")
    inexact = host = large = False

    def __init__(self, parts):
        self.parts = tuple(parts)
        self.picks = None  # filled by the recorder: the calls that pick one part each
        self.traced = any(part.traced for part in self.parts)

    def __repr__(self):
        return f"({', '.join(map(repr, self.parts))})"


def aval_of_array(array):
    """The aval of a NumPy or JAX array (or tracer)."""
    return Aval(tuple(array.shape), np.dtype(array.dtype), isinstance(array, Tracer))


class Attributes:
    """Static attributes of a call, interned, so that they are compared by identity."""

    __slots__ = ("values", "_integers")
    _interned: dict = {}

    def __init__(self, values):
        self.values = values
        self._integers = None

    def integers(self):
        """The set of integers above 1 in the values and in nested tuples."""
        if self._integers is None:
            self._integers = frozenset(integers(self.values))
        return self._integers

    def __repr__(self):
        return f"Attributes{self.values}"


def integers(values):
    """Yields the integers above 1 in values and in nested tuples."""
    for value in values:
        if type(value) is tuple:
            yield from integers(value)
        elif type(value) is int and value > 1:
            yield value


def types_of(values):
    """The types of values and of those in nested tuples; equal values may have different ones."""
    return tuple([types_of(v) if type(v) is tuple else type(v) for v in values])


def attributes_of(*values):
    """The static attributes `values` as one object; 1, 1.0 and True differ."""
    key = (values, types_of(values))
    attributes = Attributes._interned.get(key)
    if attributes is None:
        attributes = Attributes._interned.setdefault(key, Attributes(values))
        _values.note(Attributes._interned, key)
    return attributes


NO_ATTRIBUTES = attributes_of()
hand_over(no_attributes=NO_ATTRIBUTES)

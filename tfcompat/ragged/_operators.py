"""Python's operators on ragged tensors: on the flat values, after broadcasting; and indexing."""

import operator

import numpy as np

from tfcompat import math
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.tensor import Tensor
from tfcompat.errors import InvalidArgumentError
from tfcompat.ragged._broadcast import broadcast
from tfcompat.ragged._getitem import getitem
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse._tensor import SparseTensor

_BINARY = "add sub mul truediv floordiv mod pow and_ or_ xor".split()
_AS_FUNCTIONS = {"mul": math.multiply, "and_": math.logical_and, "or_": math.logical_or, "xor": math.logical_xor}
_LOGICAL = (math.logical_and, math.logical_or, math.logical_xor)
_OPERANDS = (RaggedTensor, Tensor, str, bytes, int, float, complex, np.ndarray, np.generic, list)
_COMPARISONS = "lt le gt ge".split()
_UNARY = {"neg": operator.neg, "invert": math.logical_not, "abs": operator.abs}


def _knows(other):
    if other is None or isinstance(other, SparseTensor):
        raise ValueError(f"Attempt to convert a value ({other}) with an unsupported type ({type(other)}) to a Tensor.")
    return isinstance(other, _OPERANDS) or hasattr(other, "_as_node")


def _applied(function, x, y):
    pairs = ((x, y), (y, x))
    plain = (list, str, bytes, int, float, complex) if function in _LOGICAL else (list, str, bytes)
    x, y = (convert_to_tensor(v, dtype_hint=o.dtype) if isinstance(v, plain) else v for v, o in pairs)
    (first, second), divide = broadcast([x, y])
    return divide(function(first, second))


def _bind(name):
    function = _AS_FUNCTIONS.get(name) or getattr(operator, name)
    name = name.rstrip("_")

    def forward(self, other):
        return _applied(function, self, other) if _knows(other) else NotImplemented

    def reflected(self, other):
        return _applied(function, other, self) if _knows(other) else NotImplemented

    setattr(RaggedTensor, f"__{name}__", forward)
    if name not in _COMPARISONS:
        setattr(RaggedTensor, f"__r{name}__", reflected)


def _equality(function, otherwise):
    def equal(self, other):
        if other is None or not _knows(other):
            return otherwise
        try:
            return _applied(function, self, other)
        except InvalidArgumentError:  # shapes that do not broadcast
            return otherwise

    return equal


def _unary(name, function):
    setattr(RaggedTensor, f"__{name}__", lambda self: self.with_flat_values(function(self.flat_values)))


for _name in (*_BINARY, *_COMPARISONS):
    _bind(_name)
for _name, _function in _UNARY.items():
    _unary(_name, _function)
RaggedTensor.__eq__ = _equality(operator.eq, False)
RaggedTensor.__ne__ = _equality(operator.ne, True)
RaggedTensor.__getitem__ = getitem
RaggedTensor._tf_operators_first = True

"""Python's operators on ragged tensors: on the flat values, after broadcasting; and indexing."""

import operator

import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.tensor import Tensor
from tfcompat.ragged._broadcast import broadcast
from tfcompat.ragged._getitem import getitem
from tfcompat.ragged._tensor import RaggedTensor

_BINARY = "add sub mul truediv floordiv mod pow and_ or_ xor".split()
_COMPARISONS = "lt le gt ge".split()
_UNARY = "neg invert abs".split()


def _knows(other):
    return isinstance(other, RaggedTensor | Tensor | int | float | complex | np.ndarray | np.generic | list) or hasattr(
        other, "_as_node"
    )


def _applied(function, x, y):
    x, y = (convert_to_tensor(v, dtype_hint=o.dtype) if isinstance(v, list) else v for v, o in ((x, y), (y, x)))
    (first, second), model = broadcast([x, y])
    return model.with_flat_values(function(first, second))


def _bind(name):
    function = getattr(operator, name)
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
        return _applied(function, self, other) if _knows(other) else otherwise

    return equal


def _unary(name):
    function = getattr(operator, name)
    setattr(RaggedTensor, f"__{name}__", lambda self: self.with_flat_values(function(self.flat_values)))


for _name in (*_BINARY, *_COMPARISONS):
    _bind(_name)
for _name in _UNARY:
    _unary(_name)
RaggedTensor.__eq__ = _equality(operator.eq, False)
RaggedTensor.__ne__ = _equality(operator.ne, True)
RaggedTensor.__getitem__ = getitem
RaggedTensor._tf_operators_first = True

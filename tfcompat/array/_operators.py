"""`[]` of tensors and variables, and `+tensor`."""

from tfcompat import engine
from tfcompat._core.convert import to_node
from tfcompat._core.operators import operand
from tfcompat._core.tensor import EagerTensor, SymbolicTensor, Tensor, dtype_of, wrap
from tfcompat._core.variable import Variable, unread, updated
from tfcompat._native import twin_with
from tfcompat.array import _getitem as _indexing
from tfcompat.array._getitem import getitem, setitem
from tfcompat.array._shape_ops import identity


@twin_with(_indexing.known_keys, _indexing.operation.calls)
def _getitem(self, key):
    return getitem(operand(self), key)


def _getitem_of_variable(self, key):
    """A slice of a variable: a tensor that can be assigned to."""
    tensor = getitem(wrap(self._as_node()), key)
    kind = _SLICES.get(type(tensor))
    if kind is None:
        return tensor
    result = kind(tensor._node)
    result._variable, result._key = self, key
    return result


class _VariableSlice:
    """A slice of a variable, with `assign`. TF: what `Variable.__getitem__` returns."""

    __slots__ = ()

    def assign(self, value, name=None):
        """Replaces this part of the variable; returns the variable."""
        variable, dtype = self._variable, dtype_of(self._node)
        with engine.watching(()):
            value = wrap(to_node(value, dtype))
            updated([variable], lambda now: (identity(setitem(wrap(now), self._key, value))._node,))
        return unread(variable)


def _slices_of(kind):
    """The class of slices of variables that are tensors of this class."""
    places = {"__slots__": ("_variable", "_key"), "__module__": kind.__module__}
    return type(kind.__name__, (_VariableSlice, kind), places)


_SLICES = {kind: _slices_of(kind) for kind in (EagerTensor, SymbolicTensor)}


Tensor.__getitem__ = _getitem
Variable.__getitem__ = _getitem_of_variable

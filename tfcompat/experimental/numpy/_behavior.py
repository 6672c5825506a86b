"""What `experimental_enable_numpy_behavior` changes: methods, promotion and indexing of `tf.Tensor`, as NumPy's."""

import numbers
import operator

import numpy as np

from tfcompat import array, dtypes, engine, nest
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.tensor import EagerTensor, Tensor, wrap
from tfcompat._core.variable import Variable
from tfcompat.array._cast import cast
from tfcompat.errors import InvalidArgumentError
from tfcompat.experimental.numpy import _weak
from tfcompat.experimental.numpy._creation import clip
from tfcompat.experimental.numpy._functions import FUNCTIONS, Preferences, as_array, typed

_BOTH_WAYS = ("add", "sub", "mul", "truediv", "div", "floordiv", "mod", "pow", "matmul", "and", "or", "xor")
_ONE_WAY = ("lt", "le", "gt", "ge", "eq", "ne")
_MODES = ("off", "legacy", "safe", "all")

_before: dict = {}  # (class, attribute) -> what it was
_ABSENT = object()


def experimental_enable_numpy_behavior(prefer_float32=False, dtype_conversion_mode="legacy"):
    """Gives tensors NumPy's methods, promotion in operators, and indexing, from now on.

    Args:
      prefer_float32: whether Python's floating and complex numbers are float32 and complex64 in operators and in
        `tf.experimental.numpy`, rather than float64 and complex128.
      dtype_conversion_mode: "legacy", NumPy's promotion between the operands of an operator; "off", none of it; "all",
        promotion as in JAX in operators and functions, where Python's numbers are weak: their dtype gives way to that
        of a tensor; "safe", the same, where what may lose values raises a TypeError.

    Raises:
      ValueError: no such mode.

    Added are `T`, `size`, `tolist`, `transpose`, `flatten`, `reshape`, `ravel`, `clip`, `astype`, `max`, `mean`, `min`
    and `data` of `tf.Tensor` (not of `tf.Variable`). `tensor[key]` takes arrays and lists of integers or bools too.
    Functions (`tf.add`) promote in the modes "safe" and "all" alone, if they are looked up after this call.

    TF: `tf.experimental.numpy.experimental_enable_numpy_behavior`. What a `tf.function` returns is not weak.
    """
    if dtype_conversion_mode not in _MODES:
        raise ValueError(
            f"The provided promotion mode {dtype_conversion_mode} does not exist. Make sure the provided dtype "
            "conversion mode is one of the followings: 'off', 'legacy', 'safe' or 'all'."
        )
    _disable()
    Preferences.float32 = bool(prefer_float32)
    _set(Tensor, "__getitem__", _indexing(Tensor.__getitem__))
    for name, method in _METHODS.items():
        _set(Tensor, name, method)
    _set(EagerTensor, "__round__", _method("around"))
    if dtype_conversion_mode in ("safe", "all"):
        for owner, name, value in list(_weak.changes(dtype_conversion_mode)):
            _set(owner, name, value)
    if dtype_conversion_mode == "legacy":
        for cls in (Tensor, Variable):
            for name in _BOTH_WAYS + _ONE_WAY:
                _promote(cls, name)


def _set(cls, name, value):
    _before.setdefault((cls, name), cls.__dict__.get(name, _ABSENT))
    setattr(cls, name, value)


def _disable():
    """Undoes `experimental_enable_numpy_behavior`."""
    Preferences.float32 = False
    for (cls, name), value in _before.items():
        if value is _ABSENT:
            delattr(cls, name)
        else:
            setattr(cls, name, value)
    _before.clear()


def _promote(cls, name):
    if name == "matmul":  # takes vectors too
        product = FUNCTIONS["matmul"]
        _set(cls, "__matmul__", lambda self, other: product(self, other))
        _set(cls, "__rmatmul__", lambda self, other: product(other, self))
        return
    plain, reflected = getattr(cls, f"__{name}__"), getattr(cls, f"__r{name}__", None)

    def forward(self, other):
        target = _common(self, other)
        if target is None:
            return plain(self, other)
        return getattr(Tensor, f"__{name}__")(_of(self, target), _of(other, target))

    def backward(self, other):
        target = _common(self, other)
        if target is None:
            return reflected(self, other)
        return getattr(Tensor, f"__{name}__")(_of(other, target), _of(self, target))

    forward.__name__, backward.__name__ = f"__{name}__", f"__r{name}__"
    _set(cls, f"__{name}__", forward)
    if name in _BOTH_WAYS:
        _set(cls, f"__r{name}__", backward)


def _common(self, other):
    """The dtype to cast both operands to; None where the plain operator does as well."""
    dtype = self.dtype
    if type(other) is EagerTensor and other.dtype == dtype or other is None or dtype == dtypes.string:
        return None
    if getattr(other, "_tf_operators_first", False):
        return None
    try:
        operands = [dtype.np, *(_kind(value) for value in nest.flatten(other))]
        common = dtypes.from_numpy(np.result_type(*typed(operands)))
    except TypeError:  # nothing that NumPy has a dtype for: let the op say so
        return None
    simple = isinstance(other, int | float) and not isinstance(other, bool | np.generic)
    is_same = common == dtype and (simple and not dtype.is_integer or getattr(other, "dtype", None) == dtype)
    return None if is_same else common


def _kind(value):
    if isinstance(value, Tensor) or hasattr(value, "_as_node"):
        return value.dtype.np
    if Preferences.float32 and isinstance(value, float | complex):  # NumPy's scalars of 64 bits are such numbers, too
        return complex(value) if isinstance(value, complex) else float(value)
    return value if isinstance(value, numbers.Number | np.ndarray | np.generic) else np.asarray(value)


def _of(value, dtype):
    if isinstance(value, Tensor) or hasattr(value, "_as_node"):
        return cast(convert_to_tensor(value), dtype)
    if any(isinstance(part, Tensor) or hasattr(part, "_as_node") for part in nest.flatten(value)):
        return cast(as_array(value), dtype)
    return convert_to_tensor(np.asarray(value).astype(dtype.np))


def _indexing(plain):
    def __getitem__(self, key):
        if type(key) is list and any(isinstance(part, list | tuple | slice | np.ndarray | Tensor) for part in key):
            key = tuple(key)
        parts = key if type(key) is tuple else (key,)
        if not any(_is_array(part) for part in parts):
            return plain(self, key)
        if len(parts) == 1 and convert_to_tensor(parts[0]).dtype == dtypes.bool:
            return plain(self, convert_to_tensor(parts[0]))
        return _gathered(self, parts)

    return __getitem__


def _is_array(part):
    if part is None or part is Ellipsis or isinstance(part, slice | numbers.Integral):
        return False
    if isinstance(part, Tensor) or hasattr(part, "_as_node"):
        return part.shape.rank != 0
    return True


def _gathered(tensor, parts):
    layout, arrays = [], []
    for part in parts:
        if part is None or part is Ellipsis or isinstance(part, int):
            layout.append(part)
        elif isinstance(part, slice):
            bounds = (part.start, part.stop, part.step)
            layout.append(("slice", *(None if bound is None else operator.index(bound) for bound in bounds)))
        else:
            layout.append(("array",))
            arrays.append(_as_index(part))
    known = [index._node.value if index._node.aval.host else None for index in arrays]
    if tensor.shape.is_fully_defined() and all(type(index) is np.ndarray for index in known):
        try:  # a view of one element: nothing is computed
            np.broadcast_to(np.zeros((), bool), tensor.shape.as_list())[_key_of(layout, known)]
        except IndexError as error:
            raise InvalidArgumentError(None, None, str(error)) from None
    attributes = engine.attributes_of(tuple(layout))
    return wrap(engine.apply(_INDEX, (tensor._node, *(index._node for index in arrays)), attributes))


def _as_index(part):
    index = convert_to_tensor(part)
    if index.dtype == dtypes.bool:
        if index.shape.rank != 1:
            raise NotImplementedError(f"Need rank 1 for bool index {part}")
        index = array.reshape(array.where(index), [-1])
    if not index.dtype.is_integer:
        raise IndexError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors "
            f"are valid indices, got {part!r}"
        )
    return index


def _key_of(layout, arrays):
    supply = iter(arrays)
    return tuple(
        part if type(part) is not tuple else slice(*part[1:]) if part[0] == "slice" else next(supply)
        for part in layout
    )


_INDEX = engine.Operation("numpy.getitem", lambda x, *arrays, layout: x[_key_of(layout, arrays)], ("layout",))


def _reshape(self, *newshape, order="C"):
    """`numpy.ndarray.reshape`."""
    shape = newshape[0] if len(newshape) == 1 and not isinstance(newshape[0], int) else newshape
    if order in ("C", "A"):
        return array.reshape(self, shape)
    if order != "F":
        raise ValueError(f"order must be 'C', 'A' or 'F', got {order!r}")
    shape = [int(size) for size in static_value(shape)] if not isinstance(shape, list | tuple) else list(shape)
    return array.transpose(array.reshape(array.transpose(self), shape[::-1]))


def _flatten(self, order="C"):
    """`numpy.ndarray.flatten`."""
    if order not in ("C", "A", "K", "F"):
        raise ValueError("order can only be C, A, K (all row major) or F (column major).")
    return array.reshape(array.transpose(self) if order == "F" else self, [-1])


def _size(self):
    return np.prod(self.shape.as_list()) if self.shape.is_fully_defined() else None


def _tolist(self):
    """`numpy.ndarray.tolist`."""
    if not isinstance(self, EagerTensor):
        raise ValueError("Symbolic Tensors do not support the tolist API.")
    return self.numpy().tolist()


def _method(name):
    function = FUNCTIONS[name]
    return lambda self, *args, **kwargs: function(self, *args, **kwargs)


_METHODS = {
    "T": property(lambda self: array.transpose(self)),
    "ndim": property(lambda self: self.shape.rank),
    "size": property(_size),
    "data": property(lambda self: self),
    "__pos__": lambda self: self,
    "tolist": _tolist,
    "transpose": lambda self, axes=None: array.transpose(self, axes),
    "flatten": _flatten,
    "reshape": _reshape,
    "ravel": lambda self: array.reshape(self, [-1]),
    "clip": lambda self, a_min, a_max: clip(self, a_min, a_max),
    "astype": lambda self, dtype, name=None: cast(self, dtype),
    "max": _method("amax"),
    "mean": _method("mean"),
    "min": _method("amin"),
}

"""Conversion of Python, NumPy and JAX values to nodes and tensors. All coercion happens here.

The rules are TensorFlow's: Python floats become float32 and Python ints int32 (int64 where they do not fit). NumPy
values keep their dtype. Tensors are never cast.
"""
import functools
import math
from typing import Any

import jax
import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core.composite import CompositeArgument, PassedOn
from tfcompat._core.registry import OPS
from tfcompat._core.shape import Dimension, TensorShape
from tfcompat._core.symbolic_sizes import fold
from tfcompat._core.tensor import EagerTensor, SymbolicTensor, Tensor, wrap
from tfcompat.engine import function_trace
from tfcompat.errors import InvalidArgumentError, UnimplementedError

_PYTHON_DTYPES = {bool: np.dtype(bool), int: np.dtype(np.int32), float: np.dtype(np.float32),
                  complex: np.dtype(np.complex128), str: np.dtype(object), bytes: np.dtype(object)}  # fmt: skip
_KIND_ORDER = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}
_INT32 = np.iinfo(np.int32)
_TYPE_NAMES = {"float16": "half", "float32": "float", "float64": "double"}
_conversions: list = []


def to_node(value, dtype=None, hint=None):
    """The node of any value that TF converts to a tensor.

    Args:
      value: Tensor, Variable, Python or NumPy value, JAX array, TensorShape, list of any of these.
      dtype: DType the result must have, or None.
      hint: DType tried first, given up where the value does not fit; or None.

    Raises:
      ValueError: a tensor has another dtype than `dtype`; the value is not convertible.
      TypeError: a Python value does not fit `dtype`.
    """
    kind = type(value)
    if kind is EagerTensor or kind is SymbolicTensor:
        node = value._node
        if dtype is not None and node.aval.dtype != dtype.np:
            _wrong_dtype(value, dtype)
        return node
    if kind is float or kind is int or kind is bool:
        if hint is not None and dtype is None:
            dtype = _fitting(kind, hint)
        return _scalar_node(value, kind, dtype)
    as_node = getattr(value, "_as_node", None)
    if as_node is not None:
        node = as_node()
        if dtype is not None and node.aval.dtype != dtype.np:
            _wrong_dtype(value, dtype)
        return node
    if isinstance(value, Tensor):
        return to_node(EagerTensor(value._node), dtype)
    return _convert_other(value, dtype, hint)


def type_name(dtype) -> str:
    """TF's name of a dtype in messages: half, float, double for the floating ones."""
    return _TYPE_NAMES.get(dtype.name, str(dtype.name))


def _wrong_dtype(value, dtype):
    raise ValueError(
        f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {value.dtype.name}: {value!r}"
    )


def _fitting(kind, hint):
    """`hint` if a Python scalar of type `kind` fits it, else None."""
    target = _KIND_ORDER.get(hint.np.kind) if hint.np is not None else None
    if target is None or target < _KIND_ORDER[np.dtype(kind).kind]:
        return None
    return hint


def _takes_integers_only(dtype):
    return dtype.is_quantized or dtype in (dtypes.int4, dtypes.uint4)


def _scalar_node(value, kind, dtype):
    if dtype is None and kind is float and not -_LARGEST <= value <= _LARGEST and math.isfinite(value):
        if np.isinf(_cast(np.array(value), np.float32)):  # not what rounds to the largest
            _refuse_large()
    try:
        return _cached_scalar(value, kind, dtype, str(value) if value == 0 else None)
    except OverflowError:
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.") from None


_LARGEST = float(np.finfo(np.float32).max)


def _refuse_large():
    """Raises what TF raises for a Python number beyond float32 where no dtype is given; in a function it is inf."""
    if not _in_function():
        raise ValueError("Can't convert Python sequence with a value out of range for a double-precision float.")


def _cast(array, dtype):
    """`array` in another dtype; what is too large becomes inf without a word, as in TF."""
    with np.errstate(over="ignore"):
        return array.astype(dtype)


@functools.lru_cache(maxsize=4096)
def _cached_scalar(value, kind, dtype, zero):  # `zero` keeps 0.0 and -0.0 apart
    if dtype is None:
        np_dtype = _PYTHON_DTYPES[kind]
        if kind is int and not _INT32.min <= value <= _INT32.max:
            np_dtype = np.dtype(np.int64)
    else:
        np_dtype = dtype.np
        if dtype is not _fitting(kind, dtype) or kind is not int and _takes_integers_only(dtype):
            raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {type_name(dtype)}")
        if kind is int and np_dtype.kind in "iu":
            # Like TF, a number that fits 64 bits wraps around in fewer.
            wide = np.uint64 if np_dtype == np.uint64 and value >= 0 else np.int64
            return engine.shared_leaf(np.array(value, wide).astype(np_dtype))
    with np.errstate(over="ignore"):
        return engine.shared_leaf(np.array(value, np_dtype))


def _convert_other(value, dtype, hint):
    if isinstance(value, jax.Array):
        return _jax_node(value, dtype or hint)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
        target = dtype or (hint if hint is not None and hint in (dtypes.int32, dtypes.int64) else dtypes.int32)
        return engine.leaf(np.array(value.as_list(), target.np))
    if isinstance(value, Dimension):
        target = dtype or hint or dtypes.int32
        if target not in (dtypes.int32, dtypes.int64):
            raise TypeError(
                f"Cannot convert Dimension {value} to dtype {target}. Allowed dtypes are tf.int32 and tf.int64."
            )
        return engine.leaf(np.array(_size(value), target.np))
    registered = converted(value, dtype)
    if registered is not None:
        return to_node(registered, dtype)
    if hasattr(value, "__tf_tensor__"):
        return to_node(value.__tf_tensor__(dtype, None), dtype)
    if isinstance(value, np.ndarray | np.generic):
        return _numpy_node(np.asarray(value), dtype, hint)
    if isinstance(value, list | tuple) and _holds_tensors(value):
        return _packed(value, dtype, hint)
    if isinstance(value, PassedOn):
        raise CompositeArgument(value)
    if hasattr(value, "__array__") and not isinstance(value, list | tuple):
        return _numpy_node(np.array(value), dtype, hint)
    return _python_node(list(value) if isinstance(value, range) else value, dtype, hint)


def _size(dimension):
    if dimension.value is None:
        raise ValueError(f"Cannot convert unknown Dimension to a Tensor: {dimension}")
    return dimension.value


def converted(value, dtype=None):
    """The value that a conversion function of the program makes of `value`; None if none is registered for its type."""
    for base, function in _conversions:
        if isinstance(value, base):
            return function(value, dtype=dtype, name=None, as_ref=False)
    return None


def _jax_node(value, dtype):
    if dtype is not None and value.dtype != dtype.np:
        with jax.enable_x64(True):
            value = value.astype(dtype.np)
    return engine.leaf(value)


def _numpy_node(array, dtype, hint):
    if array.dtype.kind in "US":
        array = _as_bytes(array)
    elif array.dtype.kind == "O":
        return _objects_node(array, dtype, hint)
    target = dtype or hint
    if target is not None and target.np != array.dtype:
        if (target.np.kind == "O") != (array.dtype.kind == "O"):
            if dtype is None:
                return _leaf(array)
            raise TypeError(f"Cannot convert {array!r} to EagerTensor of dtype {type_name(dtype)}")
        return _leaf(array.astype(target.np))
    if dtypes.from_numpy(array.dtype) is None:
        raise TypeError(f"Cannot convert a NumPy array of dtype {array.dtype} to a Tensor")
    return _leaf(array.copy())


def _objects_node(array, dtype, hint):
    """The node of an array of Python objects. As in TF it holds text, unless a dtype asks for numbers."""
    for target in (dtype, hint):
        if target is not None and target.np is not None and target.np.kind != "O":
            try:
                return _leaf(array.astype(target.np))
            except (TypeError, ValueError):
                if target is dtype:
                    raise
    for x in array.flat:
        if not isinstance(x, str | bytes):
            if _in_function():
                raise TypeError(f"Expected binary or unicode string, got {x!r}")
            kind = type(x)
            name = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
            raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported object type {name}).")
    return _leaf(_as_bytes(array))


def _leaf(array):
    """A leaf that owns its array, in the machine's byte order."""
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return engine.leaf(array)


def _as_bytes(array):
    flat = [x.encode() if isinstance(x, str) else bytes(x) for x in array.ravel().tolist()]
    result = np.empty(len(flat), object)
    result[:] = flat
    return result.reshape(array.shape)


def _holds_tensors(value):
    return any(
        isinstance(x, Tensor | jax.Array) or hasattr(x, "_as_node") or isinstance(x, list | tuple) and _holds_tensors(x)
        for x in value
    )


def _packed(value, dtype, hint):
    """The node of a list that holds tensors: its entries, stacked.

    The other entries are converted to the dtype of the tensors, or all of them to the dtype asked for. As TF's
    `_autopacking_conversion_function` does:
    https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/array_ops.py
    """
    inner = dtypes.from_numpy(_first_tensor(value).aval.dtype)
    target = dtype or hint or inner
    if dtype is None and dtypes.string in (target, inner):
        target = inner
    return OPS["_pack"]([_part(x, target, target is not inner) for x in value], 0)._node


def _part(value, dtype, cast_tensors):
    """An entry of a list that holds tensors, as a tensor. As in TF, tensors are cast to the dtype asked for."""
    if isinstance(value, list | tuple) and _holds_tensors(value):
        return OPS["_pack"]([_part(x, dtype, cast_tensors) for x in value], 0)
    if isinstance(value, Tensor | jax.Array) or hasattr(value, "_as_node"):
        tensor = wrap(to_node(value))
        return OPS["_cast"](tensor, dtype) if cast_tensors and tensor.dtype != dtype else tensor
    return wrap(to_node(value, dtype))


def _first_tensor(value):
    for x in value:
        if isinstance(x, list | tuple):
            tensor = _first_tensor(x)
            if tensor is not None:
                return tensor
        elif isinstance(x, Tensor | jax.Array) or hasattr(x, "_as_node"):
            return to_node(x)
    return None


def _first_leaf(value):
    while isinstance(value, list | tuple):
        if not value:
            return 0.0
        value = value[0]
    return value


def _leaves(value):
    if isinstance(value, list | tuple):
        for x in value:
            yield from _leaves(x)
    else:
        yield value


def _is_text(value, dtype):
    """Whether a nested list holds text. Raises for what is uneven, mixed, or neither text nor numbers.

    In TF's order: the first entries say how deep and how long the list is, and of which kind its entries are.
    https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/lib/core/py_seq_tensor.cc
    """
    if dtype is not None and _in_function():  # there the kinds are looked at before the lengths
        for x in _leaves(value):
            if not _is_sequence(x) and not isinstance(x, dict) and (
                not _is_entry(x) or isinstance(x, str | bytes) is not (dtype is dtypes.string)
            ):
                _refuse(value, x, dtype, "")
    lengths, first = [], value
    while _is_sequence(first):
        lengths.append(len(first))
        if not lengths[-1]:
            return False
        first = first[0]
    if not _is_entry(first):
        _refuse(value, first, dtype, f"Attempt to convert a value ({first}) with an unsupported type ({type(first)}) to"
                                     " a Tensor.")  # fmt: skip
    text = isinstance(first, str | bytes)

    def check(part, depth):
        if depth < len(lengths):
            if not _is_sequence(part) or len(part) != lengths[depth]:
                raise ValueError(_UNEVEN)
            for x in part:
                check(x, depth + 1)
        elif not _is_entry(part) or isinstance(part, str | bytes) is not text:
            _refuse(value, part, dtype, _MIXED)

    check(value, 0)
    return text


def _is_sequence(value):
    return isinstance(value, list | tuple | range) or isinstance(value, np.ndarray) and value.ndim > 0


def _is_entry(value):
    """Whether `value` is a number or text."""
    return isinstance(value, str | bytes | int | float | complex | np.generic | Dimension) or (
        value is not None and not _is_sequence(value) and not np.asarray(value).dtype.hasobject
    )


def _refuse(value, odd, dtype, message):
    """Raises for what is in no tensor: a ValueError with `message`, in functions TF's errors of constants in graphs."""
    if not _in_function() or _is_sequence(odd):
        raise ValueError(message)
    if odd is value is None:
        raise ValueError("None values not supported.")
    if dtype is not None:
        raise TypeError(f"Expected {dtype.name}, but got {odd} of type '{type(odd).__name__}'.")
    raise TypeError(
        f"Failed to convert elements of {value} to Tensor. Consider casting elements to a supported type. See "
        "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes."
    )


_NUMBERS = ({int}, {float})  # the types in most lists
_UNEVEN = "Can't convert non-rectangular Python sequence to Tensor."
_MIXED = "Can't convert Python sequence with mixed types to Tensor."


def _python_node(value, dtype, hint):
    first = _first_leaf(value)
    if not (type(value) in (list, tuple) and set(map(type, value)) in _NUMBERS):
        composite = next((x for x in _leaves(value) if isinstance(x, PassedOn)), None)
        if composite is not None:
            raise CompositeArgument(composite)
    try:
        array = np.array(value)
    except OverflowError:
        raise ValueError(_UNEVEN) from None
    except ValueError:  # it is uneven, or has bytes beside text
        array = None
    if array is not None and array.dtype.hasobject and any(isinstance(x, Dimension) for x in array.flat):
        return _python_node([_size(x) if isinstance(x, Dimension) else x for x in value], dtype, hint)
    if array is None or array.dtype.kind in "OUS":
        if _is_text(value, dtype):
            if dtype is not None and dtype is not dtypes.string:
                raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {type_name(dtype)}")
            return _leaf(_as_bytes(np.array(value, object)))
        if array is None:  # TensorFlow gives [[], [1]] the shape [2, 0], eagerly
            raise ValueError(_UNEVEN)
        if isinstance(first, np.ndarray):  # a list of arrays of objects counts as lists
            return _python_node(array.tolist(), dtype, hint)
    leading = np.asarray(first).dtype
    if array.dtype.kind in "Ou" or array.dtype.kind == "f" and leading.kind in "iuO":
        array = _of_large_integers(array, value, dtype or hint)
    if not array.size and (dtype or hint) is not None and (dtype or hint).np is not None:
        return _leaf(array.astype((dtype or hint).np))
    # TF decides by the first element of a list: NumPy's floating numbers keep their dtype, its integers count as
    # Python's. https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/lib/core/py_seq_tensor.cc
    python = not isinstance(first, np.generic | np.ndarray) or leading.kind in "biu"
    if python and array.dtype.kind == "c" and leading.kind != "c":
        mixed = (dtype or hint) is not dtypes.complex128 and not _in_function()
    else:
        # True among ints or floats counts as 1. The other way round TF has to be asked for a dtype of numbers.
        mixed = leading.kind in "bf" and array.dtype.kind != leading.kind
        if leading.kind == "b":
            mixed = mixed and not _in_function() and (dtype or hint) in (None, dtypes.bool, dtypes.string)
    if mixed:
        raise ValueError(_MIXED)
    if leading.kind == "f" and not python:
        array = array.astype(leading)
    elif leading.kind in "iu" and array.dtype.kind in "iu" and array.dtype != np.uint64:
        array = array.astype(np.int64, copy=False)
    if dtype is not None or hint is not None:
        target = dtype or hint
        wrong = _takes_integers_only(target) and array.dtype.kind not in "iu"
        if target.np is not None and target.np.kind != "O" and not wrong and (
            not python or _KIND_ORDER[target.np.kind] >= _KIND_ORDER[array.dtype.kind]
        ):
            return _leaf(_cast(array, target.np))
        if dtype is not None:
            raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {type_name(dtype)}")
    if python and array.dtype == np.float64:
        # For few numbers the quickest way to see that none is large.
        if array.size < 64 and math.hypot(*array.ravel().tolist()) < _LARGEST:
            array = array.astype(np.float32)
        else:
            wide, array = array, _cast(array, np.float32)
            if not np.array_equal(np.isinf(array), np.isinf(wide)):
                _refuse_large()
    elif python and array.dtype == np.int64 and (
        array.size == 0 or array.min() >= _INT32.min and array.max() <= _INT32.max
    ):
        array = array.astype(np.int32)
    return _leaf(array)


def _of_large_integers(array, value, target):
    """The array of a Python value in which integers may be too large for int64: only uint64 and floats take these."""
    if all(-(2**63) <= x < 2**63 for x in _leaves(value) if isinstance(x, int | np.integer)):
        return array
    if target is not None and (target is dtypes.uint64 or target.is_floating):
        try:
            return np.array(value, np.uint64 if target is dtypes.uint64 else np.float64)
        except OverflowError:
            pass
    raise ValueError(f"Can't convert Python sequence with out-of-range integer to Tensor: {value!r}")


def _in_function():

    return function_trace(engine.state.graph) is not None


def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None) -> Tensor:
    """Converts `value` to a tensor.

    Args:
      value: Tensor, Variable, Python or NumPy value, JAX array, or a list of these.
      dtype: dtype of the result; by default that of the value (Python floats: float32, ints: int32).
      dtype_hint: dtype preferred where the value fits it.
      name: unused.

    Returns:
      Tensor; `value` itself if it is one.

    Raises:
      ValueError: `value` is a tensor of another dtype than `dtype`, or of an unsupported type.
      TypeError: a Python value does not fit `dtype`.

    TF: `tf.convert_to_tensor`; no known difference.
    """
    if type(value) is EagerTensor and dtype is None:
        return value
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    hint = None if dtype_hint is None else dtypes.as_dtype(dtype_hint)
    if isinstance(value, Tensor):
        to_node(value, dtype)
        return value
    read = getattr(value, "_as_tensor", None)
    if read is not None:
        tensor = read()
        to_node(tensor, dtype)
        return tensor
    node = to_node(value, dtype, hint)
    return wrap(node if node.aval.dtype.kind in "iub" else _own(node))


def _own(node):
    """A node for one tensor alone in place of one that equal numbers share, so that a tape tells tensors apart."""
    return engine.leaf(node.value) if node.graph is engine.SHARED else node


def constant(value, dtype=None, shape=None, name="Const") -> Tensor:
    """A constant tensor.

    Args:
      value: Python or NumPy value, or list of these.
      dtype: dtype of the result; by default that of the value.
      shape: shape of the result; a single element is repeated to fill it.
      name: unused.

    Returns:
      Tensor of `shape`, or of the shape of `value`.

    Raises:
      TypeError: the value does not fit `dtype`, or has another number of elements than `shape`.
      ValueError: `value` is of an unsupported type, or a list whose entries have different shapes.

    TF: `tf.constant`; no known difference.
    """
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, SymbolicTensor):
        raise TypeError("Expected any non-tensor type, but got a tensor instead.")
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype != dtype:
            raise TypeError(f"Expected tensor {value} with dtype {dtype!r}, but got dtype {value.dtype!r}.")
        if shape is None:
            return value
    try:
        node = to_node(value, dtype)
    except InvalidArgumentError as error:  # of the operation that stacks tensors; TensorFlow makes an array of them
        raise ValueError(error.message) from error
    if shape is not None:
        shape = TensorShape(shape).as_list()
        if None in shape:
            raise ValueError(f"tf.constant: the shape must be fully known, got {shape}")
        if tuple(shape) != node.aval.shape:
            array = engine.array_of(node)
            size = int(np.prod(shape, dtype=np.int64))
            if array.size == 1:
                array = np.full(shape, array.reshape(()), array.dtype)
            elif array.size == size:
                array = array.reshape(shape)
            else:
                raise TypeError(
                    f"Eager execution of tf.constant with unsupported shape. Tensor {array} (converted from {value}) "
                    f"has {array.size} elements, but got `shape` {tuple(shape)} with {size} elements)."
                )
            node = engine.leaf(array)
    return wrap(_own(node))


def sized_by_values(array, fixed=()):
    """A tensor of an array whose sizes depend on values, but for those of the axes in `fixed`; see `_core/trial`."""
    array, trial = np.asarray(array), engine.state.context.trial
    return host_constant(array if trial is None else trial.sized(array, fixed))


def host_constant(array):
    """A tensor of a NumPy array that stays on the host, so that shape arithmetic never reaches XLA."""
    return wrap(engine.leaf(np.asarray(array)))


def host_integers(tensor):
    """The NumPy array of an integer or bool tensor made on the host; None for any other, without waiting for it.

    Results that depend on text have another size in each batch. Computed with NumPy they compile nothing.
    """
    array = tensor._node.value
    return array if type(array) is np.ndarray and array.dtype.kind in "iub" else None


class CastNumber(float):
    """A float that was a NumPy number or array, or a tensor in a list. Where integers are expected, TF casts it."""


def static_value(value) -> Any:
    """A Python scalar or nested tuple for an argument that must be known while tracing (an axis, a shape).

    Raises:
      engine.SymbolicValueError: a tensor whose value is known only when the traced function runs.
    """
    if isinstance(value, np.floating):
        return CastNumber(value)
    if value is None or isinstance(value, bool | int | float | str | complex | dtypes.DType):
        return value if not isinstance(value, np.generic) else value.item()
    if isinstance(value, list | tuple | range):
        return tuple([_entry(x) for x in value])
    if isinstance(value, TensorShape):
        return None if value.rank is None else tuple(value.as_list())
    if isinstance(value, Dimension):
        return value.value
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return _nested_tuple(value.tolist(), CastNumber)
    if isinstance(value, Tensor) or hasattr(value, "_as_node"):
        node = to_node(value)
        try:
            value = engine.array_of(node)
        except engine.SymbolicValueError:
            value = fold(node)
    if isinstance(value, np.ndarray | np.generic | jax.Array):
        array = np.asarray(value)
        return _nested_tuple(array.tolist(), np.bool_ if array.dtype == bool else None)  # those are no integers in TF
    if isinstance(value, PassedOn) and (value._record_call is not None or value._is_shape):
        raise CompositeArgument(value)
    return value


def _entry(x):
    """`static_value` of an entry of a list: there TF casts tensors, and not NumPy's numbers."""
    value = static_value(x)
    if isinstance(value, float):
        return CastNumber(value) if isinstance(x, Tensor) else float(value)
    return value


def known_values(tensor, advice=None) -> Any:
    """The values of a tensor as a NumPy array; None if they are not known while a function is traced.

    Raises:
      tf.errors.UnimplementedError: they are not known, and there is an `advice` what to do about it.
    """
    try:
        return engine.array_of(tensor._node)
    except (engine.SymbolicValueError, jax.errors.TracerArrayConversionError):
        if advice is None:
            return None
    try:
        return folded(tensor._node)
    except (engine.SymbolicValueError, jax.errors.TracerArrayConversionError):
        raise UnimplementedError(
            None, None, f"the size of the result must be known while a function is traced; {advice}"
        ) from None


def folded(node):
    """The value of a node that constants determine, while tracing; SymbolicValueError if something else does."""
    value = fold(node)
    if value.dtype.kind == "O" and node.aval.dtype.kind != "O":
        raise engine.SymbolicValueError(node)
    return value.astype(node.aval.dtype, copy=False)


def value_by_constants(tensor):
    """The value of a tensor of a trace that constants determine, an array; None if something else does."""
    try:
        return folded(tensor._node)
    except engine.SymbolicValueError:
        return None


def stand_in(shape, dtype):
    """A tensor in place of a result of unknown values, for traces that only need shapes (`tf.__internal__.FuncGraph`).

    Args:
      shape: list of sizes, with None for one that depends on the values.
      dtype: NumPy dtype.

    Returns:
      Tensor; None in other traces and outside of one.
    """

    make = getattr(function_trace(engine.state.graph), "stand_in", None)
    return None if make is None else make(shape, dtype)


def _nested_tuple(value, kind=None):
    if isinstance(value, list):
        return tuple([_nested_tuple(x, kind) for x in value])
    return value if kind is None else kind(value)


def register_tensor_conversion_function(base_type, conversion_func, priority=100):
    """Makes values of `base_type` convertible to tensors.

    Args:
      base_type: class or tuple of classes.
      conversion_func: `f(value, dtype=None, name=None, as_ref=False) -> Tensor`.
      priority: functions of lower priority are tried first.

    TF: `tf.register_tensor_conversion_function`.
    """
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    _conversions.append((base_type, conversion_func))
    _priorities[id(conversion_func)] = priority
    _conversions.sort(key=lambda entry: _priorities[id(entry[1])])


_priorities: dict = {}


def is_registered(value):
    """Whether a program has said how to make a tensor of such a value."""
    return hasattr(value, "__tf_tensor__") or any(isinstance(value, base) for base, _ in _conversions)


def is_tensor(x):
    """Whether `x` is a tensor, variable, or another of TF's tensor types, or says that it is like one.

    TF: `tf.is_tensor`.
    """
    if isinstance(x, Tensor) or hasattr(x, "_as_node") or isinstance(x, PassedOn) and x._tf_tensor_type:
        return True
    return bool(getattr(x, "is_tensor_like", False))

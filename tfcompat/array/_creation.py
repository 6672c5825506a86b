"""Tensors made from shapes and ranges: zeros, fill, range, linspace, one_hot..."""

import functools
import math
import time

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes, engine, errors
from tfcompat._core import first_values as _first_values
from tfcompat._core import trial
from tfcompat._core.composite import CompositeTensor, takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.in_graphs import traced, when_run
from tfcompat._core.op import op
from tfcompat._core.steps import sizes_of, step
from tfcompat._core.symbolic_sizes import are_known, fold, is_less, is_symbol, known_or_symbols
from tfcompat._core.tensor import Tensor, wrap
from tfcompat.array._arguments import as_axis, as_int, as_sizes, invalid, show_shape
from tfcompat.array._cast import cast, of_bools
from tfcompat.engine._policy import RECORDING

_INDEX = frozenset({dtypes.uint8, dtypes.int8, dtypes.int32, dtypes.int64})
_RANGE_ORDER = (dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
_RANGE = frozenset(_RANGE_ORDER) | {dtypes.int8, dtypes.int16, dtypes.uint16}


@takes_composites("tf.zeros")
def zeros(shape, dtype=dtypes.float32, name=None, layout=None):
    """A tensor of zeros.

    Args:
      shape: non-negative integers.
      dtype: any dtype; `tf.string` gives empty strings.
      name: ignored.
      layout: must be None.

    Returns:
      Tensor of shape `shape` and dtype `dtype`.

    Raises:
      tf.errors.InvalidArgumentError: a size is negative.
      TypeError: a size is not an integer.

    TF: `tf.zeros`; no known difference.
    """
    return _full(shape, 0, dtype, layout)


@takes_composites("tf.ones")
def ones(shape, dtype=dtypes.float32, name=None, layout=None):
    """A tensor of ones.

    Args:
      shape: non-negative integers.
      dtype: any numeric dtype or bool.
      name: ignored.
      layout: must be None.

    Returns:
      Tensor of shape `shape` and dtype `dtype`.

    Raises:
      tf.errors.InvalidArgumentError: a size is negative.
      TypeError: a size is not an integer.

    TF: `tf.ones`; no known difference.
    """
    return _full(shape, 1, dtype, layout)


@takes_composites("tf.zeros_like")
def zeros_like(input, dtype=None, name=None, layout=None):
    """A tensor of zeros with the shape of `input`.

    Args:
      input: tensor of any shape and dtype.
      dtype: dtype of the result; that of `input` if None.
      name: ignored.
      layout: must be None.

    Returns:
      Tensor with the shape of `input`.

    Gradient: None.
    TF: `tf.zeros_like`; no known difference.
    """
    shape, own_dtype = _shape_and_dtype(input)
    return _full(shape, 0, own_dtype if dtype is None else dtype, layout)


@takes_composites("tf.ones_like")
def ones_like(input, dtype=None, name=None, layout=None):
    """A tensor of ones with the shape of `input`.

    Args:
      input: tensor of any shape and dtype.
      dtype: dtype of the result; that of `input` if None.
      name: ignored.
      layout: must be None.

    Returns:
      Tensor with the shape of `input`.

    Gradient: None.
    TF: `tf.ones_like`; no known difference.
    """
    shape, own_dtype = _shape_and_dtype(input)
    return _full(shape, 1, own_dtype if dtype is None else dtype, layout)


def _shape_and_dtype(value):
    if isinstance(value, Tensor):
        return value._node.aval.shape, value.dtype
    known = hasattr(value, "shape") and isinstance(getattr(value, "dtype", None), dtypes.DType)
    if not known or isinstance(value, CompositeTensor):
        value = convert_to_tensor(value)
    return tuple(value.shape), value.dtype


def _full(shape, value, dtype, layout):
    _refuse_layout(layout)
    dtype = dtypes.as_dtype(dtype)
    if not (isinstance(shape, tuple | list) and all([type(size) is int and size >= 0 for size in shape])):
        shape = as_sizes(static_value(shape), "shape")
    if engine.state.graph.on_host and dtype.np is not None and dtype != dtypes.string:
        return host_constant(np.full(shape, value, dtype.np))
    if dtype.is_floating or dtype.is_complex or not are_known(shape):
        return wrap(engine.apply(_constant_fill.operation, (), _fill_attributes(tuple(shape), value, dtype)))
    if dtype == dtypes.string:
        if value:
            raise TypeError("Cannot convert 1 to EagerTensor of dtype string")
        return convert_to_tensor(np.full(shape, b"", object), dtype)
    if math.prod(shape) <= RECORDING.host_size:
        return host_constant(np.full(shape, value, dtype.np))
    return _constant_fill(shape, value, dtype)


@functools.lru_cache(maxsize=4096)
def _fill_attributes(shape, value, dtype):
    return engine.attributes_of((), shape, value, dtype)


@op("_constant_fill", kernel="Fill", tensors=(), gradient="none")
def _constant_fill(shape, value, dtype):
    return jnp.full(shape, value, dtype.np)


@_first_values.rule(_constant_fill.operation)
def _filled_on_host(attributes):
    _, shape, value, dtype = attributes
    return np.full(shape, value, dtype.np) if are_known(shape) else None


def _fill_on_host(value, dims):
    _check_scalar(value)
    return np.full(as_sizes(dims), value.reshape(()), value.dtype)


def _check_scalar(value):
    """Raises for what is no scalar. The kernel takes a vector of one element for one."""
    if value.ndim > 1 or value.size != 1:
        raise invalid(f"value must represent a scalar, got shape {show_shape(value.shape)}")


@op("_fill", kernel="Fill", tensors=("value",), host=_fill_on_host, numpy=True)
def _fill(value, dims):
    _check_scalar(value)
    return jnp.broadcast_to(value.reshape(()), as_sizes(dims))


@takes_composites("tf.fill")
def fill(dims, value, name=None, layout=None):
    """A tensor with `value` everywhere.

    Args:
      dims: the shape, non-negative integers.
      value: scalar tensor of any dtype.
      name: ignored.
      layout: must be None.

    Returns:
      Tensor of shape `dims` and the dtype of `value`.

    Raises:
      tf.errors.InvalidArgumentError: a size is negative, or `value` is neither a scalar nor a vector of one element.
      ValueError: `value` is no scalar, in a function.

    TF: `tf.fill`; no known difference.
    """
    _refuse_layout(layout)
    if engine.state.graph.symbolic and traced():
        value = convert_to_tensor(value)
        if value.shape.rank:
            raise ValueError(f"Shape must be rank 0 but is rank {value.shape.rank}, of `value` {value.shape} [Op:Fill]")
    return _fill(value, dims)


def _refuse_layout(layout):
    if layout is not None:
        raise errors.UnimplementedError(None, None, "`layout` (DTensor) is not supported; use jax.sharding")


def range_dtype(start, limit=None, delta=1, dtype=None, name=None):
    """The dtype of a range of these arguments; see `range`."""
    if dtype is None:
        known = [convert_to_tensor(value).dtype for value in (start, 0 if limit is None else limit, delta)]
        for one in known:
            if one not in _RANGE_ORDER:
                raise AssertionError(  # as in TF
                    f"tf.range: give dtype=; {one.name} does not fit int32, int64 or a floating dtype"
                )
        return max(known, key=_RANGE_ORDER.index)
    dtype = dtypes.as_dtype(dtype)
    if dtype.is_bool or dtype == dtypes.string:
        raise TypeError(f"Cannot convert 0 to EagerTensor of dtype {dtype.name}")
    if dtype not in _RANGE:
        raise invalid(f"tf.range has no dtype {dtype.name}")
    return dtype


@takes_composites("tf.range")
def range(start, limit=None, delta=1, dtype=None, name="range"):
    """Numbers from `start` (included) to `limit` (excluded) in steps of `delta`; `range(limit)` starts at 0.

    Args:
      start: real scalar.
      limit: real scalar.
      delta: real scalar, not zero.
      dtype: dtype of the result. If None, the widest of the arguments' dtypes in the order int32, int64,
        float32, float64.
      name: ignored.

    Returns:
      1-D tensor. The values of the arguments are needed when the call is made, since they decide its shape.

    Raises:
      tf.errors.InvalidArgumentError: `delta` is zero or leads away from `limit`; an argument is not a scalar;
        dtype without such a sequence.
      AssertionError: no `dtype`, and an argument of another dtype than int32, int64, float32 and float64.

    Gradient: None.
    TF: `tf.range`; no known difference.
    """
    asked, dtype = dtype, range_dtype(start, limit, delta, dtype)
    if limit is None:
        start, limit = 0, start
    values = []
    for value, argument in ((start, "start"), (limit, "limit"), (delta, "delta")):
        if argument == "limit" and isinstance(value, Tensor) and dtype.is_integer:
            size = _symbol(value)
            if size is not None:
                values.append(size)
                continue
        if isinstance(value, Tensor):
            value = known_values(value, "take tf.range of an upper bound and mask it")
        elif isinstance(value, float) and dtype.is_integer:
            raise TypeError(f"Cannot convert {value} to EagerTensor of dtype {dtype.name}")
        elif asked is None and type(value) is float:
            value = np.float32(value)  # each becomes a tensor of its own first
        value = np.asarray(value).astype(dtype.np)
        if value.size != 1 or value.ndim > 1:
            raise invalid(f"{argument} must be a scalar, not shape {list(value.shape)}")
        if value.ndim and traced():
            raise ValueError(f"Shape must be rank 0 but is rank {value.ndim}, of `{argument}` [Op:Range]")
        values.append(value.reshape(())[()])
    start, limit, delta = values
    if is_symbol(limit) and delta != 0:
        start, delta = int(start), int(delta)
        return _range(start, delta, -((start - limit) // delta) if delta > 0 else (start - limit) // -delta, dtype)
    count = _range_size(start, limit, delta, dtype)
    if count <= RECORDING.host_size:
        return host_constant(_sequence(np, start, delta, count, dtype))
    return _range(start.item(), delta.item(), count, dtype)


def _symbol(tensor):
    """The size, unknown while a function is traced, that a scalar tensor is; None if it is something else."""
    if tensor.shape.rank or tensor._node.value is not None or not tensor._node.graph.symbolic:
        return None
    try:
        size = fold(tensor._node).item()
    except engine.SymbolicValueError:
        return None
    return size if is_symbol(size) else None


def _range_size(start, limit, delta, dtype):
    if delta == 0:
        raise invalid(f"Requires delta != 0: {delta}")
    if trial.current().sample_size is None:  # else a bound may be a made-up number
        if delta > 0 and start > limit:
            raise invalid(f"Requires start <= limit when delta > 0: {start}/{limit}")
        if delta < 0 and start < limit:
            raise invalid(f"Requires start >= limit when delta < 0: {start}/{limit}")
    if dtype.is_integer:
        return -(-abs(int(limit) - int(start)) // abs(int(delta)))
    return math.ceil(abs((limit - start) / delta))


def _sequence(xp, start, delta, count, dtype):
    return xp.asarray(start, dtype.np) + xp.arange(count, dtype=np.int64).astype(dtype.np) * xp.asarray(
        delta, dtype.np
    )


@op("_range", kernel="Range", tensors=(), gradient="none", numpy=functools.partial(_sequence, np))
def _range(start, delta, count, dtype):
    return _sequence(jnp, start, delta, count, dtype)


@takes_composites("tf.linspace")
def linspace(start, stop, num, name=None, axis=0):
    """`num` evenly spaced numbers from `start` to `stop`, both included, along a new axis.

    Args:
      start: floating or integer tensor.
      stop: tensor of the dtype of `start`; the two shapes broadcast.
      num: integer; 1 gives `start` alone.
      name: ignored.
      axis: where the new axis goes, in [-rank - 1, rank].

    Returns:
      Tensor with `num` in the new axis; the dtype of `start`, float64 for integers.

    Raises:
      ValueError: `stop` is a tensor of another dtype.
      TypeError: `num` is not an integer.
      tf.errors.InvalidArgumentError: `axis` out of range, or `num` negative.

    TF: `tf.linspace`; no known difference.
    """
    start = convert_to_tensor(start)
    stop = convert_to_tensor(stop, dtype=start.dtype)
    return _linspace(start, stop, num, axis)


@op("_linspace", kernel="LinSpace", tensors=("start", "stop"))
def _linspace(start, stop, num, axis):
    num = as_int(num, "num")
    if num < 0:
        raise invalid(f"Requires num >= 0: {num}")
    start, stop = jnp.broadcast_arrays(start, stop)
    range_ = stop - start  # of integers it wraps, as in TF
    if jnp.issubdtype(start.dtype, jnp.integer):
        wide = np.float64 if start.dtype.itemsize > 2 else np.float32
        start, stop, range_ = start.astype(wide), stop.astype(wide), range_.astype(wide)
    axis = as_axis(axis, start.ndim + 1)
    start, stop, range_ = (jnp.expand_dims(x, axis) for x in (start, stop, range_))
    delta = range_ / np.asarray(max(num - 1, 1), start.dtype)
    inner = jnp.arange(1, max(num - 1, 1)).astype(start.dtype)
    inner = inner.reshape([-1 if i == axis else 1 for i in np.arange(start.ndim)])
    return lax.slice_in_dim(jnp.concatenate([start, start + delta * inner, stop], axis), 0, num, axis=axis)


@op("tf.eye", "tf.linalg.eye", kernel="MatrixDiagV3", tensors=(), gradient="none")
def eye(num_rows, num_columns=None, batch_shape=None, dtype=dtypes.float32):
    """Identity matrix, or a batch of them.

    Args:
      num_rows: non-negative integer.
      num_columns: non-negative integer; `num_rows` if None.
      batch_shape: leading sizes of the result; none if None.
      dtype: dtype of the result.

    Returns:
      Tensor of shape `[*batch_shape, num_rows, num_columns]`.

    Raises:
      TypeError: a size is not an integer.
      tf.errors.InvalidArgumentError: a size is negative.

    TF: `tf.eye`; no known difference.
    """
    rows, columns = as_sizes((num_rows, num_rows if num_columns is None else num_columns), "num_rows")
    if batch_shape is not None and not isinstance(batch_shape, tuple):
        raise TypeError(f"`batch_shape` must be a sequence of integers, got {batch_shape!r}")
    matrix = jnp.eye(rows, columns, dtype=dtypes.as_dtype(dtype).np)
    return jnp.broadcast_to(matrix, as_sizes(batch_shape or (), "batch_shape") + (rows, columns))


@takes_composites("tf.one_hot")
def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """Places `on_value` where the position along a new axis equals the index, `off_value` elsewhere.

    Args:
      indices: uint8, int8, int32 or int64 tensor; an index outside [0, depth) gives `off_value` only.
      depth: non-negative integer, the size of the new axis.
      on_value: scalar; 1 if None.
      off_value: scalar; 0 if None.
      axis: where the new axis goes, in [-1, rank]; -1 (or None) means last.
      dtype: dtype of the result; that of `on_value` or `off_value` if None, float32 without these.
      name: ignored.

    Returns:
      Tensor of rank one more than `indices`.

    Raises:
      TypeError: `on_value`, `off_value` and `dtype` disagree.
      tf.errors.InvalidArgumentError: `axis` out of range, `depth` negative, or `indices` of another dtype.

    Gradient: None.
    TF: `tf.one_hot`; no known difference.
    """
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if on_value is None and off_value is None:
        return _one_hot(indices, depth, axis, dtypes.float32 if dtype is None else dtype)
    values = {}
    for argument, value in (("on_value", on_value), ("off_value", off_value)):
        if value is not None:
            values[argument] = convert_to_tensor(value, dtype_hint=dtype)
            if dtype is not None and values[argument].dtype != dtype:
                raise TypeError(
                    f"dtype {values[argument].dtype!r} of {argument} does not match dtype parameter {dtype!r}"
                )
    dtype = next(iter(values.values())).dtype
    on_value = values.get(
        "on_value", convert_to_tensor(1, dtype) if off_value is not None and on_value is None else None
    )
    off_value = values.get("off_value", convert_to_tensor(0, dtype) if off_value is None else None)
    if on_value.dtype != off_value.dtype:
        raise TypeError(
            f"dtype {on_value.dtype!r} of on_value does not match dtype {off_value.dtype!r} of off_value"
        )
    return _one_hot_of(indices, on_value, off_value, depth, axis)


@op("_one_hot", kernel="OneHot", tensors=("indices",), dtypes=_INDEX, default_dtypes={"indices": dtypes.int64},
    gradient="none")  # fmt: skip
def _one_hot(indices, depth, axis, dtype):
    return of_bools(_hits(indices, depth, axis), dtype.np)


@op(
    "_one_hot_of",
    kernel="OneHot",
    tensors=("indices", "on_value", "off_value"),
    same=("on_value", "off_value"),
    dtypes={"indices": _INDEX},
    gradient="none",
    host="moves",
)
def _one_hot_of(indices, on_value, off_value, depth, axis):
    for argument, value in (("on_value", on_value), ("off_value", off_value)):
        if value.ndim:
            raise when_run(f"{argument} must be a scalar, but got: {list(value.shape)}")
    return jnp.where(_hits(indices, depth, axis), on_value, off_value)


def _hits(indices, depth, axis):
    """Whether the position along the new axis equals the index."""
    if isinstance(depth, tuple):
        raise invalid(f"depth must be a scalar, but got: {depth}")
    depth = as_int(depth, "depth")
    if depth < 0:
        raise invalid(f"depth must be non-negative, got: {depth}")
    axis = -1 if axis is None else as_int(axis, "axis")
    rank = indices.ndim
    if not -1 <= axis <= rank:
        raise invalid(f"Expected axis to be -1 or between [0, {rank + 1}).  But received: {axis}")
    axis = rank if axis == -1 else axis
    positions = jnp.arange(depth, dtype=np.int64).reshape(
        [-1 if i == axis else 1 for i in np.arange(rank + 1)]
    )
    return jnp.expand_dims(indices.astype(np.int64), axis) == positions


@takes_composites("tf.meshgrid")
def meshgrid(*args, **kwargs):
    """Coordinate tensors of a grid, one for each of the 1-D tensors given.

    Args:
      *args: tensors of one dtype; each is flattened.
      indexing: keyword, "xy" (default) to let the first two axes of the results be swapped as in plots, or
        "ij".
      name: keyword, ignored.

    Returns:
      List of tensors of rank `len(args)`, all of the same shape.

    Raises:
      ValueError: another value of `indexing`.
      TypeError: another keyword.

    TF: `tf.meshgrid`; no known difference.
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"{next(iter(kwargs))!r} is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    if not args:
        return []
    values = [convert_to_tensor(value) for value in args]
    first, kinds = values[0].dtype, [value.dtype for value in values]
    # TF multiplies by ones of the first dtype, and `*` of a bool and a number is a bool.
    are_bools = [first != kind and dtypes.bool in (first, kind) for kind in kinds]
    values = [cast(x, first) if is_bool else x for x, is_bool in zip(values, are_bools, strict=True)]
    grids = _meshgrid(values, indexing)
    return [cast(grid, dtypes.bool) if is_bool else grid for grid, is_bool in zip(grids, are_bools, strict=True)]


@op("_meshgrid", kernel="Mul", tensors=("*values",), beside=1)
def _meshgrid(values, indexing):
    return jnp.meshgrid(*(value.reshape(-1) for value in values), indexing=indexing)


def _mask_of_longest(new, lengths, maxlen=None, dtype=dtypes.bool, name=None):
    if maxlen is not None:
        return NotImplemented
    return new([*sizes_of(lengths), None], dtypes.bool if dtype is None else dtypes.as_dtype(dtype))


@takes_composites("tf.sequence_mask")
@step("SequenceMask", _mask_of_longest, underived=True)
def sequence_mask(lengths, maxlen=None, dtype=dtypes.bool, name=None):
    """True at the first `lengths[i]` positions of a new last axis, False after them.

    Args:
      lengths: integer tensor.
      maxlen: integer scalar, size of the new axis; the largest length if None, whose value is then needed.
      dtype: dtype of the result.
      name: ignored.

    Returns:
      Tensor of shape `[*lengths.shape, maxlen]`.

    Raises:
      ValueError: `maxlen` is not a scalar.
      tf.errors.InvalidArgumentError: it is negative.

    Gradient: None.
    TF: `tf.sequence_mask`; no known difference.
    """
    lengths = convert_to_tensor(lengths)
    if maxlen is None:
        values = known_values(lengths, "give `maxlen`")
        _check_limit(lengths.dtype)
        size, size_dtype = max(0, int(values.max(initial=0))), lengths.dtype
    else:
        maxlen = convert_to_tensor(maxlen)
        if len(maxlen.shape):
            raise ValueError(
                f"Argument `maxlen` must be scalar for sequence_mask, received shape {maxlen.shape}"
            )
        _check_limit(maxlen.dtype)
        size, size_dtype = _size_of(maxlen), maxlen.dtype
        if is_less(size, 0):
            raise invalid(f"Requires start <= limit when delta > 0: 0/{size} [Op:Range] name: ")
    return _sequence_mask(lengths, size, size_dtype, dtypes.bool if dtype is None else dtypes.as_dtype(dtype))


def _size_of(maxlen):
    """The int, or the symbol, that a scalar tensor stands for."""
    try:
        size = known_or_symbols(maxlen._node)[()]
    except engine.SymbolicValueError:
        size = known_values(maxlen, "give `maxlen` as a number")
    return size if is_symbol(size) else int(size)


def _check_limit(dtype):
    if dtype.is_bool or dtype == dtypes.string:
        raise TypeError(f"Cannot convert 0 to EagerTensor of dtype {dtype.name}")
    if dtype.is_complex or dtype == dtypes.uint8:
        raise invalid(f"Value for attr 'Tidx' of {dtype.name} is not in the list of allowed values: real [Op:Range]")


@op("_sequence_mask", kernel="Less", tensors=("lengths",), gradient="none")
def _sequence_mask(lengths, size, size_dtype, dtype):
    positions = jnp.arange(size, dtype=np.int64).astype(size_dtype.np)
    return of_bools(positions < lengths.astype(size_dtype.np)[..., None], dtype.np)


def timestamp(name=None):
    """Seconds since the epoch, a float64 scalar.

    Args:
      name: ignored.

    TF: `tf.timestamp`; inside a function, when it was traced.
    """
    return convert_to_tensor(np.float64(time.time()))

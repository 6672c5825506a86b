"""Indexing of tensors: `tensor[...]`, `tf.slice`, `tf.strided_slice`."""

import functools
import itertools
import numbers
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes, engine, errors
from tfcompat._core.composite import CompositeArgument, takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import as_in_graph, when_run
from tfcompat._core.op import INDEX, op
from tfcompat._core.shape import Dimension
from tfcompat._core.steps import is_unknown, records_steps
from tfcompat._core.symbolic_sizes import are_known, is_symbol
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.turns import block_of
from tfcompat.array._arguments import as_ints, invalid, is_known, show_shape
from tfcompat.array._select import boolean_mask
from tfcompat.engine._policy import KERNELS

newaxis = None

_VALID = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 "
    "tensors are valid indices"
)
_INDEX_DTYPES = (dtypes.int16, dtypes.int32, dtypes.int64)

# A key is recorded as a tuple of: an int; (start, stop, step) for a slice; None; Ellipsis; _RUNTIME for an index whose
# value is another input of the operation; or of those that are known to be in range, _VARIED for such an index and
# (_VARIED, count) for a slice whose start is another input.
_RUNTIME, _VARIED = "runtime", "varied"

known_keys: dict = {}  # (aval, spec, whether it was computed) -> (attributes, nodes of the runtime indices)
_variants: dict = {}    # (aval, spec with runtime indices) -> specs seen


def getitem(tensor, key):
    """`tensor[key]` as `tf.Tensor.__getitem__` defines it.

    Args:
      tensor: tensor of any dtype.
      key: an int, slice, `...`, `tf.newaxis`, scalar int16, int32 or int64 tensor, or a tuple (or list) of
        these; or a bool tensor or array, which selects as `tf.boolean_mask` does. Bounds of slices may be
        scalar tensors too.

    Returns:
      Tensor of the same dtype.

    Raises:
      TypeError: any other key.
      tf.errors.InvalidArgumentError: too many indices, or one out of range.
    """
    if type(key) is int:
        return _apply(tensor, (key,), ())
    selects = type(key) is not tuple and _has_dtype(key) and dtypes.as_dtype(key.dtype) == dtypes.bool
    if selects or isinstance(key, bool):
        return boolean_mask(tensor, key)
    try:
        spec = _spec_of(key if isinstance(key, (tuple, list)) else (key,))
    except CompositeArgument as error:
        if error._value._record_slice is None:
            raise
        return error._value._record_slice(tensor, key)
    except TypeError:
        key = _with_blocks(tensor, key if isinstance(key, (tuple, list)) else (key,))
        if key is None:
            raise
        spec = _spec_of(key)
    return _apply(tensor, *spec)


class _Block(NamedTuple):
    """What a slice takes in each turn of a loop: `count` elements from `begin` on, a tensor or an int."""

    begin: Any
    count: int


def _with_blocks(tensor, key):
    """A key in which the slices whose bounds are not known are blocks; None where their sizes are not known.

    Raises:
      UnequalTurns: see `block_of`.
    """
    sizes = tensor._node.aval.shape
    entries, found = [], False
    for entry, axis in zip(key, axes_of(key, len(sizes)), strict=True):
        if type(entry) is slice and entry.step in (None, 1) and axis < len(sizes) and type(sizes[axis]) is int:
            bounds = [_whole_number(bound) for bound in (entry.start, entry.stop)]
            if any(isinstance(bound, Tensor) for bound in bounds):
                block = block_of(*bounds, sizes[axis])
                if block is None:
                    return None
                entry, found = _Block(*block), True
        entries.append(entry)
    return tuple(entries) if found else None


def axes_of(key, rank):
    """List of the axis of `rank` that each entry of a key is for; of an ellipsis the first one."""
    left = rank - sum(1 for entry in key if entry is not None and entry is not Ellipsis)
    taken = [0 if entry is None else max(left, 0) if entry is Ellipsis else 1 for entry in key]
    return list(itertools.accumulate(taken, initial=0))[:-1]


def _whole_number(bound):
    """A bound of a slice as an int, None or an integer tensor whose value is not known."""
    if bound is None or not isinstance(bound, Tensor):
        return _bound(bound)
    bound = _checked(bound)
    return int(bound._node.value) if is_known(bound) else bound


def _apply(tensor, spec, indices, computed=False):
    node = tensor._node
    by_host = engine.state.graph.on_host and not engine.state.watchers
    of_text = node.aval.dtype.hasobject
    if of_text and records_steps() and any(map(is_unknown, (tensor, *indices))):
        return _getitem.spec.as_step(_attributes(len(indices), spec), [node, *(index._node for index in indices)])
    if indices and (by_host or of_text):  # what is on the host is indexed by what is known there
        known = iter(map(static_value, indices))
        spec, indices = tuple([next(known) if entry == _RUNTIME else entry for entry in spec]), ()
    aval = node.aval
    if not indices and (by_host or type(node.value) is np.ndarray and aval.host is not False):
        return wrap(engine.leaf(np.asarray(_index_on_host(engine.array_of(node), spec), node.aval.dtype)))
    if indices:
        attributes, indices = _attributes(len(indices), spec), [index._node for index in indices]
    else:
        attributes, indices = known_keys.get((node.aval, spec, computed)) or _new_key(node.aval, spec, computed)
        if computed:  # inputs of their own: whether two that were computed are equal is no matter of structure
            indices = [engine.leaf(index.value) for index in indices]
    nodes = (node, *indices)
    try:
        return wrap(engine.apply(_getitem.operation, nodes, attributes))
    except Exception:
        result = _getitem.spec.for_new_sizes(attributes, nodes)
        if result is None:
            raise
        return result


@functools.lru_cache(maxsize=KERNELS.index_keys)
def _attributes(count, spec):
    return engine.attributes_of((1, count), spec)


def _new_key(aval, spec, computed):
    """The static attributes and the nodes of the runtime indices for a key of numbers.

    A tensor that is indexed with more than `KERNELS.static_indices` different numbers is in a loop over time steps or
    batches. The number then becomes an input, so that the loop finds the same program again. NumPy's integers are
    inputs from the start, since they were computed (an action that was drawn).
    """
    if len(known_keys) >= KERNELS.index_keys:
        known_keys.clear()
        _variants.clear()
    known_key = _attributes(0, spec), ()
    if not aval.traced and not aval.dtype.hasobject and are_known(aval.shape):
        varied, starts = _at_runtime(spec, aval.shape)
        seen = _variants.setdefault((aval, varied), {})
        seen[spec] = None
        if starts and (computed or len(seen) > KERNELS.static_indices):
            known_key = _attributes(len(starts), varied), tuple([engine.shared_leaf(np.int32(i)) for i in starts])
            for other in seen:
                known_keys.pop((aval, other, False), None)
            seen.clear()
            seen.update(dict.fromkeys(range(KERNELS.static_indices)))  # from now on every one
    known_keys[aval, spec, computed] = known_key
    return known_key


def _at_runtime(spec, sizes):
    """A key with what it says where to begin taken out, and that."""
    varied, starts, at = [], [], {}
    expanded = _expanded(spec, sizes)
    if Ellipsis in spec:
        at = {k: len(expanded) - len(spec) + k for k in range(spec.index(Ellipsis) + 1, len(spec))}
    for k, entry in enumerate(spec):
        place, axis = (None, None) if entry is Ellipsis else expanded[at.get(k, k)]
        if type(entry) is int:
            varied.append(_VARIED)
            starts.append(place)
        elif type(entry) is tuple and entry[2] in (None, 1) and entry[:2] != (None, None):
            start, stop, _ = slice(*entry).indices(sizes[axis])
            if stop <= start:
                varied.append(entry)
                continue
            varied.append((_VARIED, stop - start))
            starts.append(start)
        else:
            varied.append(entry)
    return tuple(varied), starts


def _has_dtype(value):
    return isinstance(value, Tensor | np.ndarray) or hasattr(value, "_as_node")


def _spec_of(key):
    """The recorded form of a key, its tensors whose values are not on the host, and whether NumPy's integers occur."""
    spec, indices, computed = [], [], False
    if len(key) > 1 and isinstance(key[0], bool):
        if all(isinstance(entry, bool) for entry in key):
            raise invalid(
                "Value for attr 'Index' of bool is not in the list of allowed values: int16, int32, int64"
            )
        raise TypeError(f"Cannot convert {key[1]!r} to EagerTensor of dtype bool")
    for entry in key:
        if type(entry) is int or entry is None or entry is Ellipsis:
            spec.append(entry)
        elif type(entry) is slice:
            start, stop, step = entry.start, entry.stop, entry.step
            spec.append((
                start if start is None or type(start) is int else _bound(start),
                stop if stop is None or type(stop) is int else _bound(stop),
                step if step is None or type(step) is int else _bound(step),
            ))  # fmt: skip
        elif type(entry) is _Block:
            if type(entry.begin) is int:
                spec.append((entry.begin, entry.begin + entry.count, None))
            else:
                spec.append((_VARIED, entry.count))
                indices.append(entry.begin)
        elif isinstance(entry, numbers.Integral | Dimension):
            spec.append(int(entry))
            computed = computed or isinstance(entry, np.integer)
        else:
            entry = _checked(entry)
            if is_known(entry):
                spec.append(int(entry._node.value))
            else:
                spec.append(_RUNTIME)
                indices.append(entry)
    return tuple(spec), tuple(indices), computed


def _bound(bound):
    if bound is None or type(bound) is int:
        return bound
    if isinstance(bound, numbers.Integral):
        return int(bound)
    if isinstance(bound, Dimension):
        return bound.value
    try:
        value = static_value(_checked(bound))
        return value if is_symbol(value) else int(value)
    except engine.SymbolicValueError as err:
        raise TypeError(
            "a slice with a bound that is not known while the function is traced has no known shape; "
            "use tf.slice with a tensor `begin` and a fixed `size`"
        ) from err


def _checked(index):
    """`index` as a scalar tensor, or TF's TypeError."""
    dtype = getattr(index, "dtype", None)
    shape = getattr(index, "shape", None)
    try:
        valid = dtype is not None and shape is not None and dtypes.as_dtype(dtype) in _INDEX_DTYPES
    except TypeError:
        valid = False
    rank = len(shape) if valid and getattr(shape, "rank", 0) is not None else 0  # an unknown one is found when it runs
    if not valid or rank == 1:
        raise TypeError(f"{_VALID}, got {index!r}")
    if rank:
        raise invalid(
            f"Expected begin, end, and strides to be 1D equal size tensors, got an index of shape {shape}"
        )
    return convert_to_tensor(index)


def _expanded(spec, sizes):
    """Pairs (entry, input axis), the ellipsis and what is left out as full slices; checks ranges of known sizes."""
    if spec.count(Ellipsis) > 1:
        raise as_in_graph(ValueError, invalid("Multiple ellipses in slice spec not allowed"))
    used = sum(1 for entry in spec if entry is not None and entry is not Ellipsis)
    rank = len(sizes)
    if used > rank:
        if not rank:
            raise as_in_graph(ValueError, invalid("Attempting to slice scalar input."))
        raise as_in_graph(ValueError, invalid(f"Index out of range using input dim {rank}; input has only {rank} dims"))
    whole = ((None, None, None),) * (rank - used)
    at = spec.index(Ellipsis) if Ellipsis in spec else len(spec)
    entries, axis = [], 0
    for entry in spec[:at] + whole + spec[at + 1 :]:
        if entry is None:
            entries.append((None, None))
            continue
        if type(entry) is int and not is_symbol(sizes[axis]):
            place = entry + sizes[axis] if entry < 0 else entry
            if not 0 <= place < sizes[axis]:
                raise as_in_graph(ValueError, invalid(f"slice index {place} of dimension {axis} out of bounds."))
            entry = place
        elif type(entry) is tuple and len(entry) == 3 and entry[2] == 0:
            raise as_in_graph(ValueError, invalid(f"strides[{axis}] must be non-zero"))
        entries.append((entry, axis))
        axis += 1
    return entries


def _index_on_host(array, spec):
    key = tuple(
        entry if entry is None or type(entry) is int else slice(*entry)
        for entry, _ in _expanded(spec, array.shape)
    )
    return array[key]


def _host(input, indices, spec):
    if indices and not input.dtype.hasobject:
        return NotImplemented
    starts, known = iter(map(int, indices)), []
    for entry in spec:
        if type(entry) is tuple and entry[0] == _VARIED:
            start = next(starts)
            entry = start, start + entry[1], 1
        known.append(next(starts) if type(entry) is str else entry)
    return _index_on_host(input, tuple(known))


def _indices_in_range(input, indices, spec):
    """What TF requires of indices that are computed."""
    indices, required = iter(indices), []
    for entry, axis in _expanded(spec, input.shape):
        if type(entry) is not str:
            continue
        place = _from_front(next(indices), input.shape[axis])
        text = f"slice index {{0}} of dimension {axis} out of bounds. [Op:StridedSlice] name: strided_slice/"
        required.append(engine.require((place >= 0) & (place < input.shape[axis]), text, place))
    return required


@op("_getitem", kernel="StridedSlice", tensors=("input", "*indices"), same=("input",), host=_host, numpy=True,
    requires=_indices_in_range, requires_of=lambda input, indices, spec: _RUNTIME in spec)  # fmt: skip
def _getitem(input, indices, spec):
    indices = iter(indices)
    if not are_known(input.shape):
        _expanded(spec, input.shape)
        key = [next(indices) if type(x) is str else slice(*x) if type(x) is tuple else x for x in spec]
        return input[tuple(key)]
    starts, stops, steps, reversed_axes, result_shape, runtime = [], [], [], [], [], []
    for entry, axis in _expanded(spec, input.shape):
        if entry is None:
            result_shape.append(1)
            continue
        size = input.shape[axis]
        if type(entry) is int:
            start, stop, step = entry, entry + 1, 1
        elif type(entry) is str:
            runtime.append((axis, 1, next(indices)))
            start, stop, step = 0, 1, 1
        elif entry[0] == _VARIED:
            runtime.append((axis, entry[1], next(indices)))
            start, stop, step = 0, entry[1], 1
            result_shape.append(entry[1])
        else:
            start, stop, step = slice(*entry).indices(size)
            count = len(range(start, stop, step))
            if step < 0 and count:
                reversed_axes.append(axis)
                start, stop, step = start + (count - 1) * step, start + 1, -step
            elif not count:
                start, stop, step = 0, 0, 1
            result_shape.append(count)
        starts.append(start)
        stops.append(stop)
        steps.append(step)
    if any(input.shape[axis] == 0 for axis, _, _ in runtime):  # in a loop without turns, or a branch that is not taken
        return jnp.zeros(result_shape, input.dtype)
    for axis, count, index in runtime:
        input = lax.dynamic_slice_in_dim(input, _from_front(index, input.shape[axis]), count, axis)
    if any(
        start or stop != size or step != 1
        for start, stop, step, size in zip(starts, stops, steps, input.shape, strict=True)
    ):
        input = lax.slice(input, starts, stops, steps)
    if reversed_axes:
        input = lax.rev(input, reversed_axes)
    return input.reshape(result_shape)


operation = _getitem.operation


def _from_front(index, size):
    return jnp.where(index < 0, index + jnp.asarray(size, index.dtype), index)  # the size may be a symbol


@op(
    "_setitem",
    kernel="ResourceStridedSliceAssign",
    tensors=("input", "value", "*indices"),
    same=("input", "value"),
    requires=lambda input, value, indices, spec: _indices_in_range(input, indices, spec),
    requires_of=lambda input, value, indices, spec: _RUNTIME in spec,
)
def _setitem(input, value, indices, spec):
    indices, key, shape = iter(indices), [], []
    for entry, axis in _expanded(spec, input.shape):
        if entry is None:
            shape.append(1)
        elif type(entry) is tuple:
            key.append(slice(*entry))
            shape.append(len(range(*key[-1].indices(input.shape[axis]))))
        else:
            key.append(next(indices) if entry == _RUNTIME else entry)
    if value.shape != tuple(shape):
        raise invalid(
            f"Assign requires shapes of both tensors to match. lhs shape= {show_shape(shape)} "
            f"rhs shape= {show_shape(value.shape)}"
        )
    return input.at[tuple(key)].set(value.reshape(input[tuple(key)].shape))


def setitem(tensor, key, value):
    """`tensor` with `value` in place of `tensor[key]`, for the assignment to slices of variables.

    Args:
      tensor: tensor of any dtype.
      key: as for `getitem`, without masks.
      value: tensor with the shape of `tensor[key]` and the dtype of `tensor`.

    Returns:
      Tensor with the shape and dtype of `tensor`.

    Raises:
      tf.errors.InvalidArgumentError: the shapes differ, or an index is out of range.
    """
    spec, indices, _ = _spec_of(key if isinstance(key, (tuple, list)) else (key,))
    return _setitem(tensor, value, list(indices), spec)


# tf.slice, tf.strided_slice ---------------------------------------------------------------------------------


def _slice_bounds(sizes, begin, size):
    if (
        not isinstance(begin, tuple)
        or not isinstance(size, tuple)
        or not len(begin) == len(size) == len(sizes)
    ):
        raise invalid(
            f"Expected begin and size arguments to be 1-D tensors of size {len(sizes)}, but got shapes "
            f"{show_shape(np.shape(begin))} and {show_shape(np.shape(size))} instead."
        )
    if any(isinstance(one, float) for one in begin + size):
        raise invalid(f"`begin` and `size` must be int32 or int64, got {begin} and {size}")
    stops = []
    for i, (start, count, length) in enumerate(
        zip(as_ints(begin, "begin"), as_ints(size, "size"), sizes, strict=True)
    ):
        if not 0 <= start <= length:
            raise invalid(f"Expected begin[{i}] in [0, {length}], but got {start}")
        if not -1 <= count <= length - start:
            raise when_run(f"Expected size[{i}] in [0, {length - start}], but got {count}")
        stops.append(length if count == -1 else start + count)
    return begin, tuple(stops)


def _slice_on_host(input_, begin, size):
    starts, stops = _slice_bounds(input_.shape, begin, size)
    return input_[tuple(map(slice, starts, stops))]


@op("_slice", kernel="Slice", tensors=("input_",), host=_slice_on_host, numpy=True)
def _slice(input_, begin, size):
    return lax.slice(input_, *_slice_bounds(input_.shape, begin, size))


def _block_is_inside(input_, begin, size):
    """What TF requires of the place of a block."""
    sizes = jnp.asarray(input_.shape, begin.dtype) if input_.ndim else jnp.zeros(0, begin.dtype)
    counts, room = np.asarray(size, begin.dtype), sizes - begin
    return [
        engine.require((begin >= 0) & (begin <= sizes), "Expected begin{place} in [0, {0}], but got {1} [Op:Slice]",
                       sizes, begin),
        engine.require(counts <= room, "Expected size{place} in [0, {0}], but got {1} [Op:Slice]", room, counts),
    ]  # fmt: skip


@op("_slice_at", kernel="Slice", tensors=("input_", "begin"), same=("input_",), dtypes={"begin": INDEX},
    requires=_block_is_inside,
    numpy=lambda input_, begin, size: _slice_on_host(input_, tuple(begin.tolist()), size))  # fmt: skip
def _slice_at(input_, begin, size):
    if len(size) == input_.ndim and any(n == 0 < count for n, count in zip(input_.shape, size, strict=True)):
        return jnp.zeros(size, input_.dtype)  # in a loop without turns, or a branch that is not taken
    _, counts = _slice_bounds(input_.shape, (0,) * input_.ndim, size)
    if begin.shape != (input_.ndim,):
        raise invalid(
            f"Expected begin to be a 1-D tensor of size {input_.ndim}, but got {show_shape(begin.shape)}"
        )
    return lax.dynamic_slice(input_, tuple(begin[i] for i in np.arange(input_.ndim)), counts)


@takes_composites("tf.slice")
def slice_(input_, begin, size, name=None):
    """The block of `input_` that starts at `begin`.

    Args:
      input_: tensor of any dtype.
      begin: for each axis where the block starts; may be a tensor whose value is not known while tracing.
      size: for each axis how many elements; -1 for all that are left.
      name: ignored.

    Returns:
      Tensor of the same rank and dtype.

    Raises:
      tf.errors.InvalidArgumentError: not one number for each axis, or a block that leaves the tensor.

    TF: `tf.slice`; see Raises.
    """
    size = static_value(size)
    if isinstance(begin, list | tuple) and not all(map(is_known, begin)):
        begin = convert_to_tensor(begin)
    if isinstance(begin, Tensor) and (begin.dtype.is_bool or begin.dtype == dtypes.string) and type(size) is tuple:
        raise TypeError(f"Cannot convert {size} to EagerTensor of dtype {begin.dtype.name}")  # of that of `begin`
    input_ = convert_to_tensor(input_)
    if not (is_known(begin) or input_.dtype == dtypes.string) and isinstance(size, tuple) and -1 not in size:
        return _slice_at(input_, begin, size)
    return _slice(input_, begin, size)


@takes_composites("tf.strided_slice")
def strided_slice(
    input_,
    begin,
    end,
    strides=None,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    var=None,
    name=None,
):
    """What `input_[begin:end:strides]` means, with bit masks for everything else a key can hold.

    Args:
      input_: tensor of any dtype.
      begin: 1-D integers, where each slice starts.
      end: 1-D integers, where it ends.
      strides: 1-D integers, its steps; ones if None.
      begin_mask: bit i set: slice i starts at the end it would by default.
      end_mask: bit i set: slice i goes as far as it can.
      ellipsis_mask: bit i set: entry i is `...`.
      new_axis_mask: bit i set: entry i is `tf.newaxis`.
      shrink_axis_mask: bit i set: entry i is the index `begin[i]`.
      var: must be None.
      name: ignored.

    Returns:
      Tensor of the same dtype.

    Raises:
      tf.errors.InvalidArgumentError: lengths of `begin`, `end` and `strides` differ; an index out of range; a
        stride of zero.

    TF: `tf.strided_slice`; without `var`.
    """
    if var is not None:
        raise errors.UnimplementedError(
            None, None, "strided_slice: use `variable[...].assign` in place of `var`"
        )
    key = masked_key(begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return getitem(convert_to_tensor(input_), key)


def masked_key(begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask):
    """The key that `tf.strided_slice` states by vectors and masks, a tuple; see there."""
    begin, end = _entries(begin), _entries(end)
    strides = tuple(1 for _ in begin) if strides is None else static_value(strides)
    if not len(begin) == len(end) == len(strides):
        raise invalid(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"[{len(begin)}], [{len(end)}], and [{len(strides)}] instead."
        )
    key = []
    for i, (start, stop, step) in enumerate(zip(begin, end, strides, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            if step <= 0:
                raise invalid("only stride 1 allowed on non-range indexing.")
            key.append(start)
        else:
            key.append(slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step))
    return tuple(key)


def _entries(places):
    """The entries of a vector: ints, or scalar tensors where they are computed."""
    if isinstance(places, list | tuple) and not all(map(is_known, places)):
        places = convert_to_tensor(places)
    return static_value(places) if is_known(places) else [places[i] for i in range(places.shape[0])]

"""Gathering and scattering by indices, and what is built on it: masks, partitions, unique.

On a CPU TensorFlow raises for an index out of range, on a GPU it gathers zeros and drops updates. Indices whose
values are on the host are checked when the call is made, all others when they are computed (`requires`), unless
conditions are switched off: then these ops do as on a GPU.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes, engine, errors
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import traced, when_run
from tfcompat._core.indexed_slices import SPARSE_GRADIENTS, rows_of
from tfcompat._core.op import moves_text, op
from tfcompat._core.symbolic_sizes import are_known
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.variable import ResourceVariable
from tfcompat.array._arguments import as_int, as_sizes, invalid, is_known, show_shape
from tfcompat.array._cast import of_bools
from tfcompat.array._shape_ops import reshape

_INDEX = frozenset({dtypes.int16, dtypes.int32, dtypes.int64})
_SCATTER_INDEX = frozenset({dtypes.int32, dtypes.int64})
_UPDATE_INDEX = frozenset({dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.int64})

# In-range semantics of every gather and scatter here; JAX by itself would wrap negative indices.
_GET = {"mode": "fill", "fill_value": 0, "wrap_negative_indices": False}
_PUT = {"mode": "drop", "wrap_negative_indices": False}


# gather -----------------------------------------------------------------------------------------------------


def _gather_axes(params, indices, axis, batch_dims):
    batch_dims = as_int(batch_dims, "batch_dims")
    if not -indices.ndim <= batch_dims <= indices.ndim:
        raise invalid(
            f"Expected batch_dims in the range [{-indices.ndim}, {indices.ndim}], but got {batch_dims}"
        )
    axis = batch_dims if axis is None else as_int(axis, "axis")  # a negative one counts from the end of `params` then
    batch_dims += indices.ndim if batch_dims < 0 else 0
    if not params.ndim:
        raise invalid("params must be at least 1 dimensional")
    if not -params.ndim <= axis < params.ndim or batch_dims > params.ndim:
        raise invalid(f"Shape must be at least rank {max(axis, batch_dims) + 1} but is rank {params.ndim}")
    stated, axis = axis, axis % params.ndim
    if axis < batch_dims:
        if stated:
            raise invalid(f"batch_dims ({batch_dims}) must be less than or equal to axis ({axis}).")
        return axis, batch_dims  # TF's Python wrapper forgets `batch_dims` for the first axis
    for i, (have, want) in enumerate(zip(params.shape[:batch_dims], indices.shape[:batch_dims], strict=True)):
        if have != want:
            raise invalid(f"params.shape[{i}]: {have} should be equal to indices.shape[{i}]: {want}")
    return axis, batch_dims


def _gather_below_batch(params, indices, axis, batch_dims):
    """The rare gather along an axis before the last batch axis: it selects whole slices, batch by batch."""
    taken = jnp.moveaxis(params, axis, 0)
    flat = taken.at[indices.reshape(-1)].get(**_GET)
    return flat.reshape(indices.shape + taken.shape[1:])


def _gather_requires(params, indices, axis, batch_dims):
    axis, batch_dims = _gather_axes(params, indices, axis, batch_dims)
    return _indices_of(indices, params.shape, axis)


def _indices_of(indices, shape, axis):
    """What TF requires of indices into an axis, unless there is nothing to take from any place of it."""
    if 0 in shape[:axis] or 0 in shape[axis + 1 :]:
        return []
    return engine.conditions.in_range(indices, shape[axis], "GatherV2")


@op(
    "_gather",
    kernel="GatherV2",
    tensors=("params", "indices"),
    same=("params",),
    dtypes={"indices": _INDEX},
    host=lambda params, indices, axis, batch_dims: _gather_on_host(params, indices, axis, batch_dims),
    requires=_gather_requires,
)
def _gather(params, indices, axis, batch_dims):
    axis, batch_dims = _gather_axes(params, indices, axis, batch_dims)
    if axis < batch_dims:
        return _gather_below_batch(params, indices, axis, batch_dims)

    def take(params, indices):
        return _taken(params, (slice(None),) * (axis - batch_dims) + (indices,))

    for _ in np.arange(batch_dims):
        take = jax.vmap(take)
    return take(params, indices)


@op(
    "_take",
    kernel="GatherV2",
    tensors=("params", "indices"),
    same=("params",),
    dtypes={"indices": _INDEX},
    host=lambda params, indices, axis: np.take(params, indices, axis),
)
def take(params, indices, axis):
    """`gather` for the ops built on it: its gradient is dense, since TF's goes through a reshape."""
    return _taken(params, (slice(None),) * axis + (indices,))


def _taken(params, key):
    """`params[key]`, of slices and then indices of one shape; zeros where there is nothing to take from.

    That is so in a loop without turns, and in a branch that is not taken.
    """
    indices = [k for k in key if not isinstance(k, slice)]
    first = len(key) - len(indices)
    if 0 in params.shape[first : len(key)]:
        return jnp.zeros(params.shape[:first] + indices[0].shape + params.shape[len(key) :], params.dtype)
    return params.at[key].get(**_GET)


def _gather_on_host(params, indices, axis, batch_dims):
    places = _gather_axes(params, indices, axis, batch_dims)
    if places[1]:
        return _text_of_batches(params=params, indices=indices, axis=axis, batch_dims=batch_dims)
    return np.take(params, indices, places[0])


_text_of_batches = moves_text(_gather.raw)


@takes_composites("tf.gather")
def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """Selects slices along an axis.

    Args:
      params: tensor of any dtype, rank at least 1.
      indices: int16, int32 or int64 tensor, values in [0, params.shape[axis]).
      validate_indices: has no effect, as in TF.
      axis: in [-rank, rank); the first one after the batch axes if None.
      batch_dims: how many leading axes of `params` and `indices` belong together.
      name: ignored.

    Returns:
      Tensor of shape `params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:]`.

    Raises:
      tf.errors.InvalidArgumentError: axes that do not fit; an index out of range.

    Gradient: with `axis=0` of a tensor, a `tf.IndexedSlices`.
    TF: `tf.gather`; see Raises.
    """
    axis, batch_dims = static_value(axis), static_value(batch_dims)
    indices = convert_to_tensor(indices)
    if is_known(indices):
        params = convert_to_tensor(params)
        _check_gather(params, indices, axis, batch_dims)
    return _gather(params, indices, axis, batch_dims)


def _check_gather(params, indices, axis, batch_dims):
    values, sizes = indices._node.value, params._node.aval.shape
    axis = (batch_dims + (values.ndim if batch_dims < 0 else 0)) if axis is None else axis
    if not values.size or values.dtype.kind not in "iu" or not -len(sizes) <= axis < len(sizes):
        return
    if type(sizes[axis]) is int:
        engine.conditions.enforce(_indices_of(values, sizes, axis % len(sizes)))


# gather_nd, scatter_nd, tensor_scatter_nd_* -----------------------------------------------------------------


def _columns(array, indices):
    """`array` and the index arrays of its leading axes; an empty index vector selects everything."""
    if indices.shape[-1] == 0:
        return array[None], (jnp.zeros(indices.shape[:-1], np.int32),)
    return array, tuple(indices[..., i] for i in np.arange(indices.shape[-1]))


def _check_nd(indices, sizes, text):
    """Raises for the first index vector outside `sizes`, if the values are on the host."""
    if not is_known(indices) or not are_known(sizes):
        return
    values = indices._node.value
    if values.size and values.dtype.kind in "iu":
        engine.conditions.enforce(_index_vectors_in(values, sizes, f"{text} {_sizes_text(sizes)}"))


def _index_vectors_in(indices, sizes, text):
    """What TF requires of index vectors into the leading axes of `sizes`."""
    depth = indices.shape[-1] if indices.ndim else 0
    if not depth or depth > len(sizes):
        return []
    limits = np.asarray(sizes[:depth]) if are_known(sizes) else jnp.stack([jnp.asarray(n) for n in sizes[:depth]])
    holds = ((indices >= 0) & (indices < limits)).all(-1)
    holds |= (indices == engine.conditions.nowhere(indices.dtype)).any(-1)
    return [engine.require(holds, f"indices{{place}} = {{0}} {text}", indices)]


def _gather_nd_requires(params, indices, batch_dims):
    if 0 in params.shape and 0 not in indices.shape[:-1]:
        text = f"Requested more than 0 entries, but params is empty.  Params shape: {_sizes_text(params.shape)}"
        return [engine.require(jnp.zeros((), bool), f"{text} [Op:GatherNd]")]
    sizes = params.shape[batch_dims:]
    text = f"does not index into param shape {_sizes_text(sizes)}, node name: GatherNd [Op:GatherNd]"
    return _index_vectors_in(indices, sizes, text)


def _scatter_nd_requires(indices, updates, shape):
    sizes = as_sizes(shape, "shape")
    return _index_vectors_in(indices, sizes, f"does not index into shape {_sizes_text(sizes)} [Op:ScatterNd]")


def _scatter_requires(kernel):
    def requires(tensor, indices, updates):
        text = f"does not index into shape {_sizes_text(tensor.shape)} [Op:{kernel}]"
        return _index_vectors_in(indices, tensor.shape, text)

    return requires


def _sizes_text(sizes):
    return "[" + ",".join(map(str, sizes)) + "]"


def _ignored_if_bad(indices, sizes, bad_indices_policy):
    """Indices whose vectors out of range are no error, if the policy says so."""
    depth = indices.shape.rank and indices._node.aval.shape[-1]
    if bad_indices_policy != "IGNORE" or not depth or depth > len(sizes):
        return indices
    return wrap(engine.apply(_IGNORE, (indices._node,), engine.attributes_of(tuple(sizes[:depth]))))


def _ignore(indices, sizes):
    inside = ((indices >= 0) & (indices < np.asarray(sizes))).all(-1, keepdims=True)
    return jnp.where(inside, indices, engine.conditions.nowhere(indices.dtype))


_IGNORE = engine.Operation("IgnoreBadIndices", _ignore, ("sizes",), differentiable=False)


def _check_policy(bad_indices_policy):
    if bad_indices_policy not in ("", "DEFAULT", "IGNORE", "ERROR"):
        raise invalid(f"bad_indices_policy must be DEFAULT, ERROR or IGNORE, got {bad_indices_policy!r}")
    if bad_indices_policy == "ERROR" and not engine.conditions.enabled():
        raise errors.UnimplementedError(
            None, None, "bad_indices_policy='ERROR': indices are not checked here; set TFCOMPAT_CHECKS=on"
        )


@op(
    "_gather_nd",
    kernel="GatherNd",
    tensors=("params", "indices"),
    same=("params",),
    dtypes={"indices": _INDEX},
    host="moves",
    requires=_gather_nd_requires,
)
def _gather_nd(params, indices, batch_dims):
    def take(params, indices):
        if not indices.ndim:
            raise invalid("indices must be at least a vector")
        if not params.ndim:
            raise when_run("params must be at least a vector")
        if indices.shape[-1] > params.ndim:
            raise invalid(
                "index innermost dimension length must be <= params rank; "
                f"saw: {indices.shape[-1]} vs. {params.ndim}"
            )
        params, columns = _columns(params, indices)
        return _taken(params, columns)

    batch_dims = as_int(batch_dims, "batch_dims")
    if batch_dims < 0 or batch_dims >= max(indices.ndim, 1) or batch_dims > params.ndim:
        raise ValueError(f"batch_dims = {batch_dims} must be less than rank(indices) = {indices.ndim}")
    if params.shape[:batch_dims] != indices.shape[:batch_dims]:
        raise invalid(f"batch dimensions differ: {show_shape(params.shape)} vs. {show_shape(indices.shape)}")
    for _ in np.arange(batch_dims):
        take = jax.vmap(take)
    return take(params, indices)


@takes_composites("tf.gather_nd")
def gather_nd(params, indices, batch_dims=0, name=None, bad_indices_policy=""):
    """Selects elements or slices by index vectors.

    Args:
      params: tensor of any dtype.
      indices: int16, int32 or int64 tensor of shape `[..., depth]`; each vector along its last axis indexes
        the first `depth` axes of `params` (after the batch axes).
      batch_dims: how many leading axes of `params` and `indices` belong together.
      name: ignored.
      bad_indices_policy: "", "DEFAULT", "ERROR" or "IGNORE".

    Returns:
      Tensor of shape `indices.shape[:-1] + params.shape[batch_dims + depth:]`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit; an index out of range.

    TF: `tf.gather_nd`; see Raises. `bad_indices_policy="ERROR"` needs `TFCOMPAT_CHECKS`.
    """
    _check_policy(bad_indices_policy)
    if type(params) is ResourceVariable:
        sizes = params._current_node().aval.shape
    else:
        params = convert_to_tensor(params)
        sizes = params._node.aval.shape
    indices, batch_dims = convert_to_tensor(indices), static_value(batch_dims)
    if not bad_indices_policy == "IGNORE" and isinstance(batch_dims, int):
        _check_nd(indices, sizes[batch_dims:], "does not index into param shape")
    indices = _ignored_if_bad(indices, sizes[batch_dims:], bad_indices_policy)
    wanted = indices._node.aval.shape[:-1]
    if batch_dims == 0 and 0 in sizes and len(indices.shape) and 0 not in wanted and not traced():
        raise when_run("Requested more than 0 entries, but params is empty. [Op:GatherNd] name: ")
    return _gather_nd(params, indices, batch_dims)


def _check_scatter(indices, updates, sizes):
    if not updates.ndim:
        raise when_run("Updates shape must have rank at least one. Found:[]")
    if not indices.ndim:
        raise invalid("Indices shape must have rank at least one. Found:[]")
    depth, outer = indices.shape[-1], indices.ndim - 1
    if depth > len(sizes):
        raise invalid(
            f"index innermost dimension length must be <= rank of the output; saw: {depth} vs. {len(sizes)}"
        )
    if updates.shape[:outer] != indices.shape[:outer]:
        raise invalid(
            "Outer dimensions of indices and update must match. "
            f"Indices shape: {show_shape(indices.shape)}, updates shape:{show_shape(updates.shape)}"
        )
    if updates.shape[outer:] != tuple(sizes[depth:]):
        raise invalid(
            f"Inner dimensions of output shape must match inner dimensions of updates shape. "
            f"Output: {show_shape(sizes)} updates: {show_shape(updates.shape)}"
        )


def _scatter_into(tensor, indices, updates, how):
    target, columns = _columns(tensor, indices)
    result = getattr(target.at[columns], how)(updates, **_PUT)
    return result.reshape(tensor.shape)


def _scatter_text(indices, updates, shape):
    if updates.dtype != object:
        return NotImplemented
    sizes = as_sizes(shape, "shape")
    _check_scatter(indices, updates, sizes)
    result = np.full(sizes, b"", object)
    for place in np.ndindex(indices.shape[:-1]):
        at = tuple(indices[place])
        if all(0 <= one < size for one, size in zip(at, sizes, strict=False)):
            result[at] = result[at] + updates[place]  # texts at one place are joined
    return result


@op(
    "_scatter_nd",
    kernel="ScatterNd",
    tensors=("indices", "updates"),
    same=("updates",),
    dtypes={"indices": _INDEX},
    host=_scatter_text,
    requires=_scatter_nd_requires,
)
def _scatter_nd(indices, updates, shape):
    sizes = as_sizes(shape, "shape")
    _check_scatter(indices, updates, sizes)
    zeros = jnp.zeros(sizes, updates.dtype)
    return _scatter_into(zeros, indices, updates, "max" if updates.dtype == np.bool_ else "add")


@takes_composites("tf.scatter_nd")
def scatter_nd(indices, updates, shape, bad_indices_policy="", name=None):
    """Adds `updates` at index vectors to a tensor of zeros.

    Args:
      indices: int16, int32 or int64 tensor of shape `[..., depth]`.
      updates: tensor of shape `indices.shape[:-1] + shape[depth:]`, any dtype.
      shape: shape of the result.
      bad_indices_policy: "", "DEFAULT", "ERROR" or "IGNORE".
      name: ignored.

    Returns:
      Tensor of shape `shape` and the dtype of `updates`; updates at one place add up.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit; an index out of range.

    TF: `tf.scatter_nd`; see Raises. `bad_indices_policy="ERROR"` needs `TFCOMPAT_CHECKS`.
    """
    _check_policy(bad_indices_policy)
    if isinstance(shape, Tensor):
        if isinstance(indices, Tensor) and shape.dtype != indices.dtype:
            raise invalid(
                f"cannot compute ScatterNd as input #2(zero-based) was expected to be a {indices.dtype.name} tensor "
                f"but is a {shape.dtype.name} tensor [Op:ScatterNd]"
            )
        if not shape.shape.rank:
            raise invalid("Shape must be a vector [Op:ScatterNd]")
    indices, shape = convert_to_tensor(indices), static_value(shape)
    if bad_indices_policy != "IGNORE" and isinstance(shape, tuple):
        _check_nd(indices, shape, "does not index into shape")
    indices = _ignored_if_bad(indices, shape, bad_indices_policy) if isinstance(shape, tuple) else indices
    return _scatter_nd(indices, updates, shape)


def _scatter_tensor(operation, tensor, indices, updates, bad_indices_policy):
    _check_policy(bad_indices_policy)
    tensor, indices = convert_to_tensor(tensor), convert_to_tensor(indices)
    if bad_indices_policy != "IGNORE":
        _check_nd(indices, tensor._node.aval.shape, "does not index into shape")
    indices = _ignored_if_bad(indices, tensor._node.aval.shape, bad_indices_policy)
    return operation(tensor, indices, updates)


@op(
    "_tensor_scatter_add",
    kernel="TensorScatterAdd",
    tensors=("tensor", "indices", "updates"),
    same=("tensor", "updates"),
    dtypes={"indices": _SCATTER_INDEX},
    requires=_scatter_requires("TensorScatterAdd"),
)
def _tensor_scatter_add(tensor, indices, updates):
    _check_scatter(indices, updates, tensor.shape)
    return _scatter_into(tensor, indices, updates, "add")


@op(
    "_tensor_scatter_sub",
    kernel="TensorScatterSub",
    tensors=("tensor", "indices", "updates"),
    same=("tensor", "updates"),
    dtypes={"indices": _SCATTER_INDEX},
    requires=_scatter_requires("TensorScatterSub"),
)
def _tensor_scatter_sub(tensor, indices, updates):
    _check_scatter(indices, updates, tensor.shape)
    return _scatter_into(tensor, indices, -updates, "add")


@jax.custom_jvp
def _scatter_set(tensor, indices, updates):
    return _scatter_into(tensor, indices, updates, "set")


@_scatter_set.defjvp
def _scatter_set_jvp(primals, tangents):
    # TF's derivative: every update of a place counts, also those another one overwrites.
    tensor, indices, updates = primals
    moved, _, updated = tangents
    untouched = _scatter_into(jnp.ones(tensor.shape, tensor.dtype), indices, jnp.zeros_like(updates), "set")
    return _scatter_set(*primals), _scatter_into(moved * untouched, indices, updated, "add")


@op(
    "_tensor_scatter_update",
    kernel="TensorScatterUpdate",
    tensors=("tensor", "indices", "updates"),
    same=("tensor", "updates"),
    dtypes={"indices": _UPDATE_INDEX},
    host="moves",
    requires=_scatter_requires("TensorScatterUpdate"),
)
def _tensor_scatter_update(tensor, indices, updates):
    _check_scatter(indices, updates, tensor.shape)
    return _scatter_set(tensor, indices, updates)


def _scatter_extremum(how):
    @jax.custom_jvp
    def scatter(tensor, indices, updates):
        if jnp.issubdtype(updates.dtype, jnp.floating):  # TF's comparison leaves out updates that are nan
            never = jnp.array(np.inf if how == "min" else -np.inf, updates.dtype)
            updates = jnp.where(jnp.isnan(updates), never, updates)
        return _scatter_into(tensor, indices, updates, how)

    @scatter.defjvp
    def _(primals, tangents):
        # TF's derivative: elements equal to the result share it.
        tensor, indices, updates = primals
        moved, _, updated = tangents
        result = scatter(*primals)
        target, columns = _columns(result, indices)
        chosen = of_bools(tensor == result, tensor.dtype)
        chosen_updates = of_bools(updates == target.at[columns].get(**_GET), tensor.dtype)
        count = _scatter_into(chosen, indices, chosen_updates, "add")
        return result, _scatter_into(moved * chosen, indices, updated * chosen_updates, "add") / count

    return scatter


_scatter_min, _scatter_max = _scatter_extremum("min"), _scatter_extremum("max")


@op(
    "_tensor_scatter_min",
    kernel="TensorScatterMin",
    tensors=("tensor", "indices", "updates"),
    same=("tensor", "updates"),
    dtypes={"indices": _SCATTER_INDEX},
    requires=_scatter_requires("TensorScatterMin"),
)
def _tensor_scatter_min(tensor, indices, updates):
    _check_scatter(indices, updates, tensor.shape)
    return _scatter_min(tensor, indices, updates)


@op(
    "_tensor_scatter_max",
    kernel="TensorScatterMax",
    tensors=("tensor", "indices", "updates"),
    same=("tensor", "updates"),
    dtypes={"indices": _SCATTER_INDEX},
    requires=_scatter_requires("TensorScatterMax"),
)
def _tensor_scatter_max(tensor, indices, updates):
    _check_scatter(indices, updates, tensor.shape)
    return _scatter_max(tensor, indices, updates)


@takes_composites("tf.tensor_scatter_nd_add")
def tensor_scatter_nd_add(tensor, indices, updates, bad_indices_policy="", name=None):
    """`tensor` with `updates` added at index vectors.

    Args:
      tensor: tensor of any numeric dtype.
      indices: int32 or int64 tensor of shape `[..., depth]`.
      updates: tensor of shape `indices.shape[:-1] + tensor.shape[depth:]`, dtype of `tensor`.
      bad_indices_policy: "", "DEFAULT", "ERROR" or "IGNORE".
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `tensor`; updates of one place add up.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit; an index out of range.

    TF: `tf.tensor_scatter_nd_add`; see Raises. `bad_indices_policy="ERROR"` needs `TFCOMPAT_CHECKS`.
    """
    return _scatter_tensor(_tensor_scatter_add, tensor, indices, updates, bad_indices_policy)


@takes_composites("tf.tensor_scatter_nd_sub")
def tensor_scatter_nd_sub(tensor, indices, updates, bad_indices_policy="", name=None):
    """`tensor` with `updates` subtracted at index vectors.

    Args:
      tensor: tensor of any numeric dtype.
      indices: int32 or int64 tensor of shape `[..., depth]`.
      updates: tensor of shape `indices.shape[:-1] + tensor.shape[depth:]`, dtype of `tensor`.
      bad_indices_policy: "", "DEFAULT", "ERROR" or "IGNORE".
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `tensor`; updates of one place add up.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit; an index out of range.

    TF: `tf.tensor_scatter_nd_sub`; see Raises. `bad_indices_policy="ERROR"` needs `TFCOMPAT_CHECKS`.
    """
    return _scatter_tensor(_tensor_scatter_sub, tensor, indices, updates, bad_indices_policy)


@takes_composites("tf.tensor_scatter_nd_update")
def tensor_scatter_nd_update(tensor, indices, updates, name=None):
    """`tensor` with `updates` in place of what was at index vectors.

    Args:
      tensor: tensor of any dtype.
      indices: int16, uint16, int32 or int64 tensor of shape `[..., depth]`.
      updates: tensor of shape `indices.shape[:-1] + tensor.shape[depth:]`, dtype of `tensor`.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `tensor`; of several updates of one place, the last one on a CPU.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit; an index out of range.

    Gradient: of several updates of one place, each has the whole gradient.
    TF: `tf.tensor_scatter_nd_update`; see Raises.
    """
    return _scatter_tensor(_tensor_scatter_update, tensor, indices, updates, "")


@takes_composites("tf.tensor_scatter_nd_min")
def tensor_scatter_nd_min(tensor, indices, updates, bad_indices_policy="", name=None):
    """`tensor` with the smaller of itself and `updates` at index vectors.

    Args:
      tensor: real tensor.
      indices: int32 or int64 tensor of shape `[..., depth]`.
      updates: tensor of shape `indices.shape[:-1] + tensor.shape[depth:]`, dtype of `tensor`.
      bad_indices_policy: "", "DEFAULT", "ERROR" or "IGNORE".
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `tensor`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit; an index out of range.

    Gradient: elements of `tensor` and `updates` that equal the result share its gradient evenly.
    TF: `tf.tensor_scatter_nd_min`; see Raises. `bad_indices_policy="ERROR"` needs `TFCOMPAT_CHECKS`.
    """
    return _scatter_tensor(_tensor_scatter_min, tensor, indices, updates, bad_indices_policy)


@takes_composites("tf.tensor_scatter_nd_max")
def tensor_scatter_nd_max(tensor, indices, updates, bad_indices_policy="", name=None):
    """`tensor` with the larger of itself and `updates` at index vectors.

    Args:
      tensor: real tensor.
      indices: int32 or int64 tensor of shape `[..., depth]`.
      updates: tensor of shape `indices.shape[:-1] + tensor.shape[depth:]`, dtype of `tensor`.
      bad_indices_policy: "", "DEFAULT", "ERROR" or "IGNORE".
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `tensor`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit; an index out of range.

    Gradient: elements of `tensor` and `updates` that equal the result share its gradient evenly.
    TF: `tf.tensor_scatter_nd_max`; see Raises. `bad_indices_policy="ERROR"` needs `TFCOMPAT_CHECKS`.
    """
    return _scatter_tensor(_tensor_scatter_max, tensor, indices, updates, bad_indices_policy)


def _gather_gradient(call, inputs, cotangent):
    """IndexedSlices for a gather of rows, as TF's `_GatherV2Grad`; None where the dense gradient serves."""
    _, axis, batch_dims = call.attributes.values
    params, indices = inputs
    if axis != 0 and (axis is not None or batch_dims != 0):
        return None
    shape = params.aval.shape
    count = math.prod(indices.aval.shape)
    return rows_of(_of_shape(cotangent, (count, *shape[1:])), _of_shape(indices, (count,)), shape)


def _of_shape(node, shape):
    return node if node.aval.shape == shape else reshape(wrap(node), shape)._node


def _gather_nd_gradient(call, inputs, cotangent):
    """IndexedSlices where the indices are a column, as TF's `_GatherNdGrad`; else None."""
    params, indices = inputs
    if len(indices.aval.shape) != 2 or indices.aval.shape[1] != 1 or call.attributes.values[1]:
        return None
    return rows_of(cotangent, reshape(wrap(indices), (-1,))._node, params.aval.shape)


SPARSE_GRADIENTS[_gather.operation] = _gather_gradient
SPARSE_GRADIENTS[_gather_nd.operation] = _gather_nd_gradient

"""Ops behind `tf.sparse`: they see arrays of values and of places."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import engine
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import ANY_OR_STRING, FLOATING, INDEX, NUMERIC, REAL, op
from tfcompat.array._arguments import invalid, show_shape
from tfcompat.dtypes import bfloat16


def _at(indices):
    return tuple(jnp.moveaxis(indices, -1, 0)) if indices.shape[-1] else (jnp.zeros(indices.shape[0], int),)


def _target(sizes):
    """The shape to scatter into: a scalar has none, it is one element of a vector."""
    return sizes or (1,)


def _inside(indices, sizes):
    """Whether each coordinate of each place is one."""
    return (indices >= 0) & (indices < np.asarray(sizes, np.int64))


def _coordinates(indices):
    """Text for a place, and the numbers in it."""
    return ",".join(f"{{{k + 1}}}" for k in np.arange(indices.shape[1])), list(indices.T)


def _places_are_valid(values, default, indices, sizes, checked):
    text, coordinates = _coordinates(indices)
    name, rows = f"indices[{{0}}] = [{text}]", jnp.arange(indices.shape[0])
    bounds = f"{name} is out of bounds: need 0 <= index < {show_shape(sizes)} [Op:SparseToDense] name: "
    required = [engine.require(_inside(indices, sizes).all(-1), bounds, rows, *coordinates)]
    if checked == "bounds":
        return required
    after, before = indices[1:], indices[:-1]
    differs = after != before
    first = jnp.argmax(differs, -1)[:, None] if indices.shape[1] else None
    ascends = True if first is None else jnp.take_along_axis(after > before, first, 1)[:, 0]
    repeated = ~differs.any(-1)
    where = [numbers[1:] for numbers in (rows, *coordinates)]
    return [
        *required,
        engine.require(~repeated, f"{name} is repeated [Op:SparseToDense] name: ", *where),
        engine.require(ascends | repeated, f"{name}{OUT_OF_ORDER} [Op:SparseToDense] name: ", *where),
    ]


OUT_OF_ORDER = (
    " is out of order. Many sparse ops require sorted indices.\n"
    "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n"
)


def _filled_on_host(values, default, indices, sizes, checked):
    result = np.full(_target(sizes), default.reshape(()), values.dtype)
    result[tuple(indices.T) if sizes else (np.zeros(len(values), int),)] = values
    return result.reshape(sizes)


@op("_sparse_to_dense", kernel="SparseToDense", tensors=("values", "default", "indices"), same=("values", "default"),
    dtypes={"values": ANY_OR_STRING, "default": ANY_OR_STRING}, host=_filled_on_host,
    requires=_places_are_valid,
    requires_of=lambda values, default, indices, sizes, checked: checked != "known")  # fmt: skip
def filled(values, default, indices, sizes, checked):
    """The whole tensor: `values` at their places and `default` elsewhere.

    `checked` says what is required of places: "order" that they ascend, "bounds" that they exist, "known" nothing.
    """
    # Of elements at one place the last counts, as in TF.
    return jnp.full(_target(sizes), default).at[_at(indices)].set(values, mode="drop").reshape(sizes)


@op("_sparse_take", kernel="GatherV2", tensors=("values", "places"), same=("values",),
    dtypes={"values": ANY_OR_STRING}, host=lambda values, places: values[places])  # fmt: skip
def taken(values, places):
    """Some of the values."""
    return values[places]


def _places_to_add_to(values, dense, indices, sizes):
    shape = " ".join(map(str, dense.shape))
    rows = jnp.arange(indices.shape[0])
    return [
        engine.require(
            (indices[:, k] >= 0) & (indices[:, k] < size),
            f"Sparse tensor has an invalid index on dimension {k}: a_indices({{0}},{k}) = {{1}}, dense tensor shape: "
            f"{shape} [Op:SparseTensorDenseAdd] name: ",
            rows, indices[:, k],
        )
        for k, size in enumerate(dense.shape)
    ]  # fmt: skip


@op("_sparse_dense_add", kernel="SparseTensorDenseAdd", tensors=("values", "dense", "indices"),
    requires=_places_to_add_to, same=("values", "dense"), dtypes={"values": NUMERIC, "dense": NUMERIC})  # fmt: skip
def added_to(values, dense, indices, sizes):
    """`dense` with `values` added at their places."""
    if dense.ndim != len(sizes):
        raise when_run(f"Two operands have different ranks; received: {len(sizes)} and {dense.ndim}")
    if dense.shape != sizes:
        raise when_run(f"Operands' shapes do not match: got {show_shape(sizes)} and {show_shape(dense.shape)}")
    return dense.at[_at(indices)].add(values)


def _places_to_reduce_to(kernel):
    def requires(values, indices, sizes):
        if not sizes:
            return []
        strides = np.append(np.cumprod(sizes[::-1])[-2::-1], 1).astype(np.int64)
        places, count = (indices * strides).sum(-1), int(np.prod(sizes))
        text = f"Obtained a write index of {{0}} which is outside of bounds of [0, {count}) [Op:{kernel}] name: "
        return [engine.require((places >= 0) & (places < count), text, places, kind="InternalError")]

    return requires


@op("_sparse_sum_at", kernel="SparseReduceSum", tensors=("values", "indices"), same=("values",),
    dtypes={"values": NUMERIC}, requires=_places_to_reduce_to("SparseReduceSum"))  # fmt: skip
def summed_at(values, indices, sizes):
    """Sums of the values that share a place."""
    return jnp.zeros(_target(sizes), values.dtype).at[_at(indices)].add(values).reshape(sizes)


def _extreme(values, indices, sizes, largest):
    dtype = values.dtype
    if jnp.issubdtype(dtype, jnp.floating):
        start = np.asarray(-np.inf if largest else np.inf, dtype)
    else:
        info = np.iinfo(dtype)
        start = np.asarray(info.min if largest else info.max, dtype)
    at = jnp.full(_target(sizes), start).at[_at(indices)]
    result = at.max(values) if largest else at.min(values)
    present = jnp.zeros(_target(sizes), bool).at[_at(indices)].set(True)
    return jnp.where(present, result, jnp.zeros((), dtype)).reshape(sizes)


@op("_sparse_max_at", kernel="SparseReduceMax", tensors=("values", "indices"), same=("values",),
    dtypes={"values": REAL}, requires=_places_to_reduce_to("SparseReduceMax"))  # fmt: skip
def largest_at(values, indices, sizes):
    """Largest of the values that share a place; zero where there is none."""
    return _extreme(values, indices, sizes, True)


def _places_in_matrix(values, b, indices, sizes, adjoint_a, adjoint_b):
    required, numbers = [], jnp.arange(indices.shape[0])
    for name, k in ("k", 0 if adjoint_a else 1), ("m", 1 if adjoint_a else 0):
        place, size = indices[:, k], sizes[k]
        text = f"{name} ({{0}}) from index[{{1}},{k}] out of bounds (>={size}) [Op:SparseTensorDenseMatMul] name: "
        required.append(engine.require((place >= 0) & (place < size), text, place, numbers))
    return required


@op("_sparse_matmul", kernel="SparseTensorDenseMatMul", tensors=("values", "b", "indices"), same=("values", "b"),
    dtypes={"values": NUMERIC, "b": NUMERIC}, requires=_places_in_matrix)  # fmt: skip
def multiplied(values, b, indices, sizes, adjoint_a, adjoint_b):
    """Product of a sparse matrix and a dense one."""
    if len(sizes) != 2:
        raise invalid(f"Tensor 'a_shape' must have 2 elements, got {len(sizes)}")
    if b.ndim != 2:
        raise invalid("Tensor 'b' is not a matrix")
    rows, columns = indices[:, 0], indices[:, 1]
    if adjoint_a:
        rows, columns, sizes = columns, rows, (sizes[1], sizes[0])
        values = lax.conj(values) if jnp.iscomplexobj(values) else values
    if adjoint_b:
        b = jnp.conj(b.T)
    if sizes[1] != b.shape[0]:
        raise invalid(
            "Cannot multiply A and B because inner dimension does not match: "
            f"{sizes[1]} vs. {b.shape[0]}. Did you forget a transpose? Dimensions of A: {show_shape(sizes)}. "
            f"Dimensions of B: {show_shape(b.shape)}"
        )
    return jnp.zeros((sizes[0], b.shape[1]), b.dtype).at[rows].add(values[:, None] * b[columns])


@op("_sparse_softmax", kernel="SparseSoftmax", tensors=("values", "groups"), same=("values",),
    dtypes=FLOATING - {bfloat16})  # fmt: skip
def softmax_of(values, groups, count):
    """Softmax over the values of each group."""
    return _softmax(values, groups, count)


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _softmax(values, groups, count):
    low = jnp.full(count, -np.inf, values.dtype).at[groups].max(values)
    weights = jnp.exp(values - low[groups])
    return weights / jnp.zeros(count, values.dtype).at[groups].add(weights)[groups]


@_softmax.defjvp
def _softmax_jvp(count, primals, tangents):
    (values, groups), change = primals, tangents[0]
    result = _softmax(values, groups, count)
    mean = jnp.zeros(count, values.dtype).at[groups].add(result * change)
    return result, result * (change - mean[groups])  # as in TF's gradient: exactly 0 for equal changes


@op("_sparse_values_within", kernel="SparseSoftmax", tensors=("values", "places"), same=("values",), conditional=True)
def values_within(values, places, sizes):
    """`values`, whose derivative requires that their places, of shape `[n, 2]`, are within a matrix of `sizes`."""
    return engine.marked(values, _are_within, places, np.asarray(sizes, np.int64))


def _are_within(_, places, sizes):
    """What TF's gradient of a softmax requires: it adds up rows, and adds the sums to the elements."""
    inside = (places >= 0) & (places < sizes)
    row = "Obtained a write index of {0} which is outside of bounds of [0, {1}) [Op:SparseReduceSum]"
    column = (
        "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape [Op:SparseDenseCwiseAdd] name: "
    )
    return [engine.require(inside[..., 0], row, places[..., 0], sizes[..., 0], kind="InternalError"),
            engine.require(inside[..., 1], column)]  # fmt: skip


@op("_sparse_extreme_of_two", kernel="SparseSparseMaximum", tensors=("a", "b"), dtypes=REAL, gradient="missing")
def extreme_of(a, b, places_a, places_b, count, largest):
    """Elementwise extreme of two sparse tensors on the union of their places."""
    first = jnp.zeros(count, a.dtype).at[np.array(places_a, int)].set(a)
    second = jnp.zeros(count, b.dtype).at[np.array(places_b, int)].set(b)
    return jnp.maximum(first, second) if largest else jnp.minimum(first, second)


@op("_sampled_addmm", kernel="SampledADDMM", tensors=("values", "rows", "b", "columns"), same=("values", "rows", "b"),
    dtypes={"values": FLOATING, "columns": INDEX})  # fmt: skip
def sampled_product(values, rows, b, columns, beta, alpha):
    """`alpha` times some elements of a product, plus `beta` times `values`."""
    taken = jnp.take_along_axis(jnp.swapaxes(b, -1, -2), columns[..., None], -2)
    product = jnp.sum(rows * taken, -1)
    return np.asarray(alpha, values.dtype) * product + np.asarray(beta, values.dtype) * values

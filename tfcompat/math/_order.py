"""Order: argmax, top_k, whether a sequence increases, inverse permutations."""

import collections

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes as _dtypes
from tfcompat import engine, errors
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import BOOL, HALVES, INDEX, REAL, op
from tfcompat._core.tensor import SymbolicTensor, Tensor
from tfcompat.array._arguments import as_axis, as_int, as_int32, check_dtype, invalid
from tfcompat.array._sorting_keys import order_along
from tfcompat.engine._policy import KERNELS

TopKV2 = collections.namedtuple("TopKV2", ["values", "indices"])
ApproxTopK = collections.namedtuple("ApproxTopK", ["values", "indices"])


def _extreme_position(find, worst, x, axis, output_type, allowed, kernel):
    output_type = _dtypes.as_dtype(output_type)
    if output_type not in allowed:
        names = ", ".join(sorted(dtype.name for dtype in allowed))
        raise invalid(
            f"Value for attr 'output_type' of {output_type.name} is not in the list of allowed values: "
            f"{names} [Op:{kernel}]"
        )
    axis = 0 if axis is None else as_int(axis, "axis")
    if not -x.ndim <= axis < x.ndim:
        raise invalid(f"Expected dimension in the range [{-x.ndim}, {x.ndim}), but got {axis} [Op:{kernel}]")
    if x.shape[axis] == 0:
        raise when_run(f"Reduction axis {axis} is empty in shape {list(x.shape)} [Op:{kernel}]")
    if jnp.issubdtype(x.dtype, jnp.floating):
        x = jnp.where(jnp.isnan(x), jnp.full((), worst, x.dtype), x)
    if x.shape[axis] < KERNELS.short_axis:
        return find(x, axis).astype(output_type.np)
    # jnp.argmax is one reduction of values and places, https://github.com/jax-ml/jax/pull/3611, which XLA on a CPU
    # computes number by number. Two plain reductions use vector instructions.
    places = lax.broadcasted_iota(np.int32, x.shape, axis % x.ndim)
    best = (jnp.max if find is jnp.argmax else jnp.min)(x, axis, keepdims=True)
    return jnp.where(x == best, places, np.int32(x.shape[axis])).min(axis).astype(output_type.np)


@op("tf.math.argmax", "tf.argmax", kernel="ArgMax", tensors=("input",), dtypes=REAL | BOOL, gradient="none")
def argmax(input, axis=None, output_type=_dtypes.int64):
    """Position of the largest element along an axis, the first of equal ones. NaN counts as smallest.

    Args:
      input: floating, integer or bool tensor of rank at least 1.
      axis: integer; None means 0.
      output_type: int16, uint16, int32 or int64.

    Returns:
      Tensor of `output_type` without that axis.

    Raises:
      tf.errors.InvalidArgumentError: the axis is out of range or has no element; wrong dtypes.

    TF: `tf.math.argmax`; no known difference.
    """
    allowed = INDEX | {_dtypes.int16, _dtypes.uint16}
    return _extreme_position(jnp.argmax, -np.inf, input, axis, output_type, allowed, "ArgMax")


@op("tf.math.argmin", "tf.argmin", kernel="ArgMin", tensors=("input",), dtypes=REAL | BOOL, gradient="none")
def argmin(input, axis=None, output_type=_dtypes.int64):
    """Position of the smallest element along an axis, the first of equal ones. NaN counts as largest.

    Args:
      input: floating, integer or bool tensor of rank at least 1.
      axis: integer; None means 0.
      output_type: int32 or int64.

    Returns:
      Tensor of `output_type` without that axis.

    Raises:
      tf.errors.InvalidArgumentError: the axis is out of range or has no element; wrong dtypes.

    TF: `tf.math.argmin`; no known difference.
    """
    return _extreme_position(jnp.argmin, np.inf, input, axis, output_type, INDEX, "ArgMin")


@op("_top_k", kernel="TopKV2", tensors=("input",), dtypes=REAL)
def _top_k(input, k, index_type):
    if input.ndim < 1:
        raise invalid("input must be >= 1-D, got shape [] [Op:TopKV2]")
    if isinstance(k, tuple):
        raise when_run(f"k must be scalar, got {k} [Op:TopKV2]")
    k = as_int(k, "k")
    if k < 0:
        raise invalid(f"Need k >= 0, got {k} [Op:TopKV2]")
    if k > input.shape[-1]:
        raise invalid(f"input must have at least k columns. Had {input.shape[-1]}, needed {k} [Op:TopKV2]")
    if not jnp.issubdtype(input.dtype, jnp.floating):
        values, indices = lax.top_k(input, k)
        return values, indices.astype(index_type.np)
    fixed, size = lax.stop_gradient(input), input.shape[-1]
    if type(size) is int and k >= max(size // 8, 64):  # sorting all of them is faster
        indices = lax.slice_in_dim(order_along(fixed, input.ndim - 1, descending=True), 0, k, axis=-1)
    else:
        # XLA's order is total, with -0 below 0 (https://github.com/openxla/xla/issues/48119); to TF they are equal.
        _, indices = lax.top_k(jnp.where(fixed == 0, jnp.zeros((), input.dtype), fixed), k)
    return jnp.take_along_axis(input, indices, -1, mode="clip"), indices.astype(index_type.np)


@takes_composites("tf.math.top_k")
def top_k(input, k=1, sorted=True, index_type=_dtypes.int32, name=None):
    """The largest elements along the last axis, and where they stand.

    Args:
      input: floating or integer tensor of rank at least 1.
      k: integer, how many.
      sorted: whether they must come in descending order; they do in any case, of equal ones the first first.
      index_type: int16, int32 or int64.
      name: ignored.

    Returns:
      `TopKV2(values, indices)`: tensors with `k` in place of the last size; dtypes of `input` and
      `index_type`.

    Raises:
      tf.errors.InvalidArgumentError: `k` is negative or above the last size, or `input` is a scalar.

    Gradient: goes to the chosen elements.
    TF: `tf.math.top_k`; with `sorted=False` TF's order is another one.
    """
    return TopKV2(*_top_k(input, k, _dtypes.as_dtype(index_type)))


def _approximate(search, operand, k, reduction_dimension, aggregate_to_topk):
    if not aggregate_to_topk:
        raise errors.UnimplementedError(None, None, "aggregate_to_topk=False is not supported; use True")
    axis = as_axis(reduction_dimension, operand.ndim, "reduction_dimension")
    if not 0 <= k <= operand.shape[axis]:
        raise invalid(f"`k` must be in the range [0, {operand.shape[axis]}], got {k} [Op:ApproxTopK]")
    values, indices = search(jnp.moveaxis(operand, axis, -1), k)
    return jnp.moveaxis(values, -1, axis), jnp.moveaxis(indices, -1, axis)


def _lowest(x, k):
    values, indices = lax.top_k(-x, k)
    return -values, indices


@op("_approx_max_k", kernel="ApproxTopK", tensors=("operand",), dtypes=HALVES | {_dtypes.float32})
def _approx_max_k(operand, k, reduction_dimension, aggregate_to_topk):
    return _approximate(lax.top_k, operand, k, reduction_dimension, aggregate_to_topk)


@op("_approx_min_k", kernel="ApproxTopK", tensors=("operand",), dtypes=HALVES | {_dtypes.float32})
def _approx_min_k(operand, k, reduction_dimension, aggregate_to_topk):
    return _approximate(_lowest, operand, k, reduction_dimension, aggregate_to_topk)


@takes_composites("tf.math.approx_max_k")
def approx_max_k(
    operand,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
    name=None,
):
    """The largest elements along an axis; exact here, so every `recall_target` is met.

    Args:
      operand: float16, bfloat16 or float32 tensor of rank at least 1.
      k: integer, how many.
      reduction_dimension: the axis.
      recall_target: share of the true ones that must be found.
      reduction_input_size_override: of no effect on an exact search.
      aggregate_to_topk: must be True.
      name: ignored.

    Returns:
      `ApproxTopK(values, indices)`: tensors with `k` in place of the size of the axis; `indices` int32.

    Raises:
      tf.errors.InvalidArgumentError: the axis or `k` is out of range.
      tf.errors.UnimplementedError: `aggregate_to_topk` is False.

    TF: `tf.math.approx_max_k`; no unaggregated form.
    """
    return ApproxTopK(*_approx_max_k(operand, k, reduction_dimension, aggregate_to_topk))


@takes_composites("tf.math.approx_min_k")
def approx_min_k(
    operand,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
    name=None,
):
    """The smallest elements along an axis; exact here, so every `recall_target` is met.

    Args:
      operand: float16, bfloat16 or float32 tensor of rank at least 1.
      k: integer, how many.
      reduction_dimension: the axis.
      recall_target: share of the true ones that must be found.
      reduction_input_size_override: of no effect on an exact search.
      aggregate_to_topk: must be True.
      name: ignored.

    Returns:
      `ApproxTopK(values, indices)`: tensors with `k` in place of the size of the axis; `indices` int32.

    Raises:
      tf.errors.InvalidArgumentError: the axis or `k` is out of range.
      tf.errors.UnimplementedError: `aggregate_to_topk` is False.

    TF: `tf.math.approx_min_k`; no unaggregated form. TF has no CPU kernel for it.
    """
    return ApproxTopK(*_approx_min_k(operand, k, reduction_dimension, aggregate_to_topk))


@op(
    "_in_top_k",
    kernel="InTopKV2",
    tensors=("targets", "predictions"),
    same=("predictions",),
    dtypes={"targets": INDEX, "predictions": frozenset({_dtypes.float32})},
    gradient="none",
)
def _in_top_k(targets, predictions, k):
    if predictions.ndim != 2:
        raise invalid(f"predictions must be 2-dimensional, got shape {list(predictions.shape)} [Op:InTopKV2]")
    if targets.ndim != 1:
        raise invalid(f"targets must be 1-dimensional, got shape {list(targets.shape)} [Op:InTopKV2]")
    if targets.shape[0] != predictions.shape[0]:
        raise invalid(
            f"First dimension of predictions {predictions.shape[0]} must match length of targets "
            f"{targets.shape[0]} [Op:InTopKV2]"
        )
    classes = predictions.shape[1]
    valid = (targets >= 0) & (targets < classes)
    safe = jnp.where(valid, targets, 0)
    chosen = jnp.take_along_axis(predictions, safe[:, None], axis=1)
    known = valid & jnp.all(jnp.isfinite(predictions), axis=1)
    return known & (jnp.sum(predictions > chosen, axis=1) < k)


@takes_composites("tf.math.in_top_k")
def in_top_k(targets, predictions, k, name=None):
    """Whether the prediction for each target is among the `k` largest; equal ones all count.

    Args:
      targets: int32 or int64 vector of class numbers.
      predictions: float32 tensor of shape `[batch, classes]`.
      k: integer.

    Returns:
      bool vector; False where the target is no class or a prediction is not finite.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, or another dtype.
      ValueError: predictions of another dtype with a list of targets.

    TF: `tf.math.in_top_k`; no known difference.
    """
    if isinstance(predictions, SymbolicTensor) or isinstance(predictions, Tensor) and isinstance(targets, Tensor):
        check_dtype(predictions, (_dtypes.float32,), "InTopKV2")
    return _in_top_k(targets, convert_to_tensor(predictions, _dtypes.float32), as_int32(static_value(k), "k"))


def _is_permutation(x):
    inside = (x >= 0) & (x < x.size)
    ordered = jnp.sort(x)
    return [
        engine.require(inside, "{0} is not between 0 and {1} [Op:InvertPermutation]", x, jnp.asarray(x.size)),
        engine.require(ordered[1:] != ordered[:-1], "{0} is duplicated in the input. [Op:InvertPermutation]",
                       ordered[1:]),
    ]  # fmt: skip


@op("_invert_permutation", kernel="InvertPermutation", tensors=("x",), dtypes=INDEX, gradient="none",
    requires=_is_permutation)  # fmt: skip
def _invert_permutation(x):
    return jnp.zeros_like(x).at[x].set(jnp.arange(x.size, dtype=x.dtype))


@takes_composites("tf.math.invert_permutation")
def invert_permutation(x, name=None):
    """The permutation that undoes `x`.

    Args:
      x: int32 or int64 vector with each of 0 ... n-1 once.
      name: ignored.

    Returns:
      Vector of the dtype of `x`.

    Raises:
      tf.errors.InvalidArgumentError: `x` is no vector, or no permutation.

    TF: `tf.math.invert_permutation`; no known difference.
    """
    x = convert_to_tensor(x)
    if x.shape.rank != 1:
        raise invalid("invert_permutation expects a 1D vector. [Op:InvertPermutation]")
    return _invert_permutation(x)


@op("tf.math.is_non_decreasing", kernel="LessEqual", tensors=("x",), dtypes=REAL, gradient="none")
def is_non_decreasing(x):
    """Whether no element is smaller than the one before, in row-major order.

    Args:
      x: floating or integer tensor, any shape.

    Returns:
      bool scalar; True for fewer than two elements.

    TF: `tf.math.is_non_decreasing`; no known difference.
    """
    flat = x.reshape(-1)
    return jnp.all(flat[:-1] <= flat[1:])


@op("tf.math.is_strictly_increasing", kernel="Less", tensors=("x",), dtypes=REAL, gradient="none")
def is_strictly_increasing(x):
    """Whether every element is larger than the one before, in row-major order.

    Args:
      x: floating or integer tensor, any shape.

    Returns:
      bool scalar; True for fewer than two elements.

    TF: `tf.math.is_strictly_increasing`; no known difference.
    """
    flat = x.reshape(-1)
    return jnp.all(flat[:-1] < flat[1:])


@takes_composites("tf.approx_top_k")
def approx_top_k(input, k, reduction_dimension=-1, recall_target=0.95, is_max_k=True,
                 reduction_input_size_override=-1, aggregate_to_topk=True, name=None):  # fmt: skip
    """The largest or smallest elements along an axis; see `approx_max_k`.

    Args:
      input: float16, bfloat16 or float32 tensor.
      k: integer, how many.
      reduction_dimension: the axis.
      recall_target: not used: the result is exact.
      is_max_k: False for the smallest.
      reduction_input_size_override: not used.
      aggregate_to_topk: must be True.
      name: ignored.

    Returns:
      `ApproxTopK(values, indices)`: tensors with `k` in place of the size of the axis; `indices` int32.

    Raises:
      tf.errors.InvalidArgumentError: the axis or `k` is out of range.
      tf.errors.UnimplementedError: `aggregate_to_topk` is False.

    TF: `tf.approx_top_k`; no unaggregated form.
    """
    search = _approx_max_k if is_max_k else _approx_min_k
    return ApproxTopK(*search(input, k, reduction_dimension, aggregate_to_topk))

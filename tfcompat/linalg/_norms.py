"""Norms: norm, normalize, global_norm."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import constant, convert_to_tensor
from tfcompat._core.op import FLOATING, NUMERIC, op
from tfcompat.array import cast
from tfcompat.array._arguments import invalid
from tfcompat.dtypes import float32
from tfcompat.linalg._decompose import singular_values
from tfcompat.math import truediv
from tfcompat.math._arguments import as_axes
from tfcompat.math._arithmetic import power_of
from tfcompat.math._elementwise import abs, square_root

_MATRIX_NORMS = ("euclidean", "fro", 1, 2, np.inf)


def _check_order(ord, axis):
    """Whether a matrix norm is asked for; refuses orders and axes that do not exist."""
    if isinstance(axis, tuple) and len(axis) == 2:
        if not all(isinstance(one, int) for one in axis) or axis[0] == axis[1]:
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
        if ord not in _MATRIX_NORMS:
            raise ValueError(f"'ord' must be a supported matrix norm in {list(_MATRIX_NORMS)}, got {ord}")
        return True
    if axis is not None and not isinstance(axis, int):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
    if ord != "euclidean" and (isinstance(ord, str) or not np.isreal(ord) or not ord > 0):
        raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    return False


@op("tf.linalg.norm", "tf.norm", kernel="Sqrt", tensors=("tensor",), dtypes=NUMERIC)
def norm(tensor, ord="euclidean", axis=None, keepdims=None):
    """Norm of vectors or matrices.

    Args:
      tensor: floating or complex tensor; integers only for orders 1 and infinity.
      ord: "euclidean", "fro" (matrices only), infinity, or a positive number; for matrices 1 or 2.
      axis: None takes all elements as one vector, an integer those along an axis as vectors, a pair of
        integers those along two axes as matrices.
      keepdims: whether reduced axes stay, with size 1; None means False.

    Returns:
      Tensor of the dtype of `tensor` without the reduced axes; for complex tensors a complex one for the
      orders 2 and "euclidean" of vectors and "fro", else the real one.

    Raises:
      ValueError: `ord` or `axis` is none of these.
      tf.errors.InvalidArgumentError: an axis is out of range, or the dtype does not fit.

    Gradient: NaN where all elements are 0, for the Euclidean norm. The largest absolute value shares it
      evenly between equal ones.
    TF: `tf.linalg.norm`; no known difference.
    """
    is_matrix = _check_order(ord, axis)
    axes = as_axes(axis, tensor.ndim)
    integer = np.dtype(tensor.dtype).kind in "iu"
    if ord in ("euclidean", "fro") or ord == 2 and not is_matrix:
        if integer:
            raise invalid(f"Value for attr 'T' of {tensor.dtype.name} is not in the list of allowed values [Op:Sqrt]")
        conjugate = lax.conj(tensor) if jnp.iscomplexobj(tensor) else tensor
        return square_root(jnp.sum(tensor * conjugate, axes, keepdims=bool(keepdims)))
    if is_matrix and ord == 2:
        largest = lax.reduce_max(singular_values(jnp.moveaxis(tensor, axes, (-2, -1))), (tensor.ndim - 2,))
        return lax.expand_dims(largest, sorted(axes)) if keepdims else largest
    size = abs.raw(tensor)
    if is_matrix:
        along = axes if ord == 1 else axes[::-1]
        total = jnp.sum(size, along[0], keepdims=True, dtype=size.dtype)
        result = lax.expand_dims(lax.reduce_max(total, (along[1],)), (along[1],))
    elif ord == np.inf:
        result = lax.expand_dims(lax.reduce_max(size, axes), axes)
    elif ord == 1:
        result = jnp.sum(size, axes, keepdims=True, dtype=size.dtype)
    else:
        if integer:
            raise TypeError(f"Cannot convert {ord} to EagerTensor of dtype {tensor.dtype.name}")
        total = jnp.sum(power_of(size, jnp.full((), ord, size.dtype)), axes, keepdims=True)
        result = power_of(total, jnp.full((), 1.0 / ord, size.dtype))
    return result if keepdims else lax.squeeze(result, axes)


@takes_composites("tf.linalg.normalize")
def normalize(tensor, ord="euclidean", axis=None, name=None):
    """Divides by the norm of vectors or matrices.

    Args:
      tensor: floating or complex tensor.
      ord: as in `tf.linalg.norm`.
      axis: as in `tf.linalg.norm`.
      name: ignored.

    Returns:
      `(normalized, norm)`: a tensor with the shape and dtype of `tensor`, and the norm with reduced axes
      kept.

    Raises:
      ValueError: `ord` or `axis` does not exist.

    Gradient: NaN where all elements are 0.
    TF: `tf.linalg.normalize`; no known difference.
    """
    tensor = convert_to_tensor(tensor)
    size = cast(norm(tensor, ord, axis, True), tensor.dtype)
    return truediv(tensor, size), size


@op("_global_norm", kernel="L2Loss", tensors=("*values",), dtypes=FLOATING)
def _global_norm(values):
    halves = [jnp.sum(value * value) / 2 for value in values]
    return square_root(sum(halves[1:], halves[0]) * 2)


@takes_composites("tf.linalg.global_norm")
def global_norm(t_list, name=None):
    """Euclidean norm of all elements of several tensors together.

    Args:
      t_list: sequence of floating tensors of one dtype, `tf.IndexedSlices` and Nones.
      name: ignored.

    Returns:
      Scalar of that dtype; 0.0 without tensors.

    Raises:
      TypeError: `t_list` is no sequence.
      tf.errors.InvalidArgumentError: dtypes differ or are not floating.

    Gradient: NaN where all elements are 0.
    TF: `tf.linalg.global_norm`; no known difference.
    """
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    values = [t.values if hasattr(t, "dense_shape") else convert_to_tensor(t) for t in t_list if t is not None]
    return _global_norm(values) if values else constant(0.0, float32)

"""Norms: norm, normalize. `global_norm` is in `math/_clip`, which needs it."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import NUMERIC, op
from tfcompat.array import cast
from tfcompat.array._arguments import invalid
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

"""Reductions: sum, mean, max, any, logsumexp, variance..."""

import functools
import math

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.errors import InconclusiveDimensionOperation

from tfcompat import dtypes as _dtypes
from tfcompat._core.op import ANY, BOOL, FLOATING, NUMERIC, REAL, STRING, op
from tfcompat.math._arguments import as_axes
from tfcompat.math._arithmetic import maximum_of
from tfcompat.math._derivative import with_tangent
from tfcompat.math._elementwise import rsqrt, square_root
from tfcompat.math._host import OF_SYMBOLS
from tfcompat.math._scan import cumulative_product


def _on_host(function):
    """Host version of a reduction, in the dtype of its input."""

    def host(input_tensor, axis, keepdims):
        axes = as_axes(axis, input_tensor.ndim)
        try:
            result = function(input_tensor, axis=axes, keepdims=bool(keepdims))
        except ValueError:  # the maximum or minimum of nothing
            return NotImplemented
        except InconclusiveDimensionOperation:
            if function not in OF_SYMBOLS or len(axes) != 1:
                return NotImplemented
            result = OF_SYMBOLS[function].reduce(input_tensor, axis=axes, keepdims=bool(keepdims))
        return np.asarray(result, input_tensor.dtype)  # NumPy makes a symbol of symbols, not an array

    return host


def _reduced(function, x, axis, keepdims):
    """`function(x, axes)`, with the reduced axes kept as ones if `keepdims`."""
    axes = as_axes(axis, x.ndim)
    result = function(x, axes)
    return lax.expand_dims(result, sorted(axes)) if keepdims else result


@op(
    "tf.math.reduce_sum",
    "tf.reduce_sum",
    kernel="Sum",
    tensors=("input_tensor",),
    dtypes=NUMERIC,
    host=_on_host(np.sum),
)
def reduce_sum(input_tensor, axis=None, keepdims=False):
    """Sum of elements along axes.

    Args:
      input_tensor: numeric tensor, any shape.
      axis: integer or list of integers, negative ones count from the end; None for all axes.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      Tensor of the dtype of `input_tensor` without the reduced axes; integers wrap around.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range or given twice, or the dtype is bool.

    TF: `tf.math.reduce_sum`; no known difference.
    """
    return _reduced(lambda x, axes: jnp.sum(x, axes, dtype=x.dtype), input_tensor, axis, keepdims)


@op("tf.math.reduce_mean", "tf.reduce_mean", kernel="Mean", tensors=("input_tensor",), dtypes=NUMERIC)
def reduce_mean(input_tensor, axis=None, keepdims=False):
    """Mean of elements along axes.

    Args:
      input_tensor: numeric tensor, any shape.
      axis: integer or list of integers, negative ones count from the end; None for all axes.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      Tensor of the dtype of `input_tensor` without the reduced axes. Means of integers are rounded towards
      zero; of nothing NaN, or 0 for integers and complex numbers.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range or given twice, or the dtype is bool.

    TF: `tf.math.reduce_mean`; no known difference.
    """
    return _reduced(_mean, input_tensor, axis, keepdims)


def _mean(x, axes):
    count = math.prod(x.shape[i] for i in axes)  # an expression of symbols, where sizes are
    if np.dtype(x.dtype).kind not in "iu":
        if type(count) is int and not count:
            return jnp.sum(x, axes) + (0 if jnp.iscomplexobj(x) else np.nan)  # its derivative is 0
        return jnp.mean(x, axes) if axes else x  # of less precise numbers in float32, and rounded once
    wide = jnp.sum(x, axes, dtype=np.uint64 if np.dtype(x.dtype).kind == "u" else np.int64)
    return lax.div(wide, jnp.full_like(wide, jnp.maximum(jnp.array(count, wide.dtype), 1))).astype(x.dtype)


@op(
    "tf.math.reduce_prod",
    "tf.reduce_prod",
    kernel="Prod",
    tensors=("input_tensor",),
    dtypes=NUMERIC,
    host=_on_host(np.prod),
)
def reduce_prod(input_tensor, axis=None, keepdims=False):
    """Product of elements along axes.

    Args:
      input_tensor: numeric tensor, any shape.
      axis: integer or list of integers, negative ones count from the end; None for all axes.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      Tensor of the dtype of `input_tensor` without the reduced axes; integers wrap around.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range or given twice, or the dtype is bool.

    Gradient: product of the other elements, exact where elements are 0.
    TF: `tf.math.reduce_prod`; no known difference.
    """
    return _reduced(lambda x, axes: _product(axes)(x), input_tensor, axis, keepdims)


@functools.cache
def _product(axes):
    # TF, `_ProdGrad`: running products from both ends, of which the second derivative is made.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/math_grad.py
    def tangent_of(result, primals, moving):
        (x,), ((_, tangent),) = primals, moving
        remaining_axes = [i for i in range(x.ndim) if i not in axes]
        count = int(np.prod([x.shape[i] for i in axes], dtype=np.int64))
        x, tangent = (lax.transpose(a, (*axes, *remaining_axes)).reshape(count, *result.shape) for a in (x, tangent))
        before, after = (cumulative_product(0, True, reverse)(x) for reverse in (False, True))
        return jnp.sum(before * after * tangent, 0)

    return with_tangent(tangent_of)(lambda x: jnp.prod(x, axes, dtype=x.dtype))


@op(
    "tf.math.reduce_max",
    "tf.reduce_max",
    kernel="Max",
    tensors=("input_tensor",),
    dtypes=REAL,
    host=_on_host(np.max),
    numpy=True,
)
def reduce_max(input_tensor, axis=None, keepdims=False):
    """Largest of the elements along axes.

    Args:
      input_tensor: floating or integer tensor, any shape.
      axis: integer or list of integers, negative ones count from the end; None for all axes.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      Tensor of the dtype of `input_tensor` without the reduced axes; NaN if an element is, -infinity (the
      lowest integer) where there is none.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range or given twice, or the dtype is bool or complex.

    Gradient: split evenly between equal elements.
    TF: `tf.math.reduce_max`; no known difference.
    """
    return _reduced(lambda x, axes: _extreme(lax.reduce_max, axes)(x), input_tensor, axis, keepdims)


@functools.cache
def _extreme(reduce, axes):
    # TF, `_MinOrMaxGrad`; NaN equals nothing, so all is NaN beside one.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/math_grad.py
    def tangent_of(result, primals, moving):
        (x,), ((_, tangent),) = primals, moving
        chosen = (x == lax.expand_dims(result, sorted(axes))).astype(x.dtype)
        number = jnp.sum(chosen, axes, keepdims=True)
        # NaN is written out, because XLA simplifies 0 / 0 away here.
        share = jnp.where(number == 0, jnp.full((), np.nan, x.dtype), chosen / number)
        return jnp.sum(share * tangent, axes)

    return with_tangent(tangent_of)(lambda x: reduce(x, axes))


@op(
    "tf.math.reduce_min",
    "tf.reduce_min",
    kernel="Min",
    tensors=("input_tensor",),
    dtypes=REAL,
    host=_on_host(np.min),
    numpy=True,
)
def reduce_min(input_tensor, axis=None, keepdims=False):
    """Smallest of the elements along axes.

    Args:
      input_tensor: floating or integer tensor, any shape.
      axis: integer or list of integers, negative ones count from the end; None for all axes.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      Tensor of the dtype of `input_tensor` without the reduced axes; NaN if an element is, infinity (the
      highest integer) where there is none.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range or given twice, or the dtype is bool or complex.

    Gradient: split evenly between equal elements.
    TF: `tf.math.reduce_min`; no known difference.
    """
    return _reduced(lambda x, axes: _extreme(lax.reduce_min, axes)(x), input_tensor, axis, keepdims)


@op(
    "tf.math.reduce_all",
    "tf.reduce_all",
    kernel="All",
    tensors=("input_tensor",),
    dtypes=BOOL,
    gradient="none",
    host=_on_host(np.all),
    numpy=True,
)
def reduce_all(input_tensor, axis=None, keepdims=False):
    """Whether all elements along axes are true.

    Args:
      input_tensor: bool tensor, any shape.
      axis: integer or list of integers, negative ones count from the end; None for all axes.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      bool tensor without the reduced axes; True where there is no element.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range or given twice, or the dtype is not bool.

    TF: `tf.math.reduce_all`; no known difference.
    """
    return _reduced(jnp.all, input_tensor, axis, keepdims)


@op(
    "tf.math.reduce_any",
    "tf.reduce_any",
    kernel="Any",
    tensors=("input_tensor",),
    dtypes=BOOL,
    gradient="none",
    host=_on_host(np.any),
    numpy=True,
)
def reduce_any(input_tensor, axis=None, keepdims=False):
    """Whether any element along axes is true.

    Args:
      input_tensor: bool tensor, any shape.
      axis: integer or list of integers, negative ones count from the end; None for all axes.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      bool tensor without the reduced axes; False where there is no element.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range or given twice, or the dtype is not bool.

    TF: `tf.math.reduce_any`; no known difference.
    """
    return _reduced(jnp.any, input_tensor, axis, keepdims)


@op(
    "tf.math.reduce_logsumexp",
    "tf.reduce_logsumexp",
    kernel="IsFinite",
    tensors=("input_tensor",),
    dtypes=FLOATING,
)
def reduce_logsumexp(input_tensor, axis=None, keepdims=False):
    """`log(sum(exp(x)))` along axes, without overflow.

    Args:
      input_tensor: floating tensor, any shape.
      axis: integer or list of integers, negative ones count from the end; None for all axes.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      Tensor of the dtype of `input_tensor` without the reduced axes; -infinity where there is no element.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range or given twice, or the dtype is not floating.

    Gradient: NaN where all elements are -infinity.
    TF: `tf.math.reduce_logsumexp`; no known difference.
    """
    return _reduced(_logsumexp, input_tensor, axis, keepdims)


def _logsumexp(x, axes):
    largest = lax.stop_gradient(lax.expand_dims(lax.reduce_max(x, axes), sorted(axes)))
    largest = jnp.where(jnp.isfinite(largest), largest, jnp.zeros((), x.dtype))
    return lax.log(jnp.sum(lax.exp(x - largest), axes)) + lax.squeeze(largest, axes)


@op("tf.math.reduce_variance", kernel="Mean", tensors=("input_tensor",), dtypes=NUMERIC)
def reduce_variance(input_tensor, axis=None, keepdims=False):
    """Mean squared distance of elements from their mean, along axes.

    Args:
      input_tensor: floating or complex tensor, any shape.
      axis: integer or list of integers, negative ones count from the end; None for all axes.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      Tensor without the reduced axes; dtype of `input_tensor`, the real one if complex.

    Raises:
      TypeError: the dtype is an integer one.
      tf.errors.InvalidArgumentError: an axis is out of range or given twice.

    TF: `tf.math.reduce_variance`; no known difference.
    """
    return _reduced(_variance, input_tensor, axis, keepdims)


def _variance(x, axes):
    if np.dtype(x.dtype).kind in "iu":
        raise TypeError(f"Input must be either real or complex. Received integer type {x.dtype.name}.")
    deviation = x - lax.expand_dims(_mean(x, axes), sorted(axes))
    return _mean(lax.real(deviation * lax.conj(deviation)) if jnp.iscomplexobj(x) else deviation * deviation, axes)


@op("tf.math.reduce_std", kernel="Sqrt", tensors=("input_tensor",), dtypes=NUMERIC)
def reduce_std(input_tensor, axis=None, keepdims=False):
    """Standard deviation of elements along axes: the root of `reduce_variance`.

    Args:
      input_tensor: floating or complex tensor, any shape.
      axis: integer or list of integers, negative ones count from the end; None for all axes.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      Tensor without the reduced axes; dtype of `input_tensor`, the real one if complex.

    Raises:
      TypeError: the dtype is an integer one.
      tf.errors.InvalidArgumentError: an axis is out of range or given twice.

    Gradient: NaN where all elements are equal.
    TF: `tf.math.reduce_std`; no known difference.
    """
    return square_root(_reduced(_variance, input_tensor, axis, keepdims))


@op("tf.math.reduce_euclidean_norm", kernel="EuclideanNorm", tensors=("input_tensor",), dtypes=NUMERIC)
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False):
    """Root of the sum of squares of elements along axes.

    Args:
      input_tensor: numeric tensor, any shape.
      axis: integer or list of integers, negative ones count from the end; None for all axes.
      keepdims: whether reduced axes stay, with size 1.

    Returns:
      Tensor of the dtype of `input_tensor` without the reduced axes; whole numbers for integers.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range or given twice, or the dtype is bool.

    Gradient: NaN where all elements are 0.
    TF: `tf.math.reduce_euclidean_norm`; no known difference.
    """
    return _reduced(lambda x, axes: _euclidean_norm(axes)(x), input_tensor, axis, keepdims)


@functools.cache
def _euclidean_norm(axes):
    # TF's gradient of the complex case is x / |x|, with no conjugate.
    def tangent_of(result, primals, moving):
        (x,), ((_, tangent),) = primals, moving
        direction = x / lax.expand_dims(result, sorted(axes))
        return jnp.sum((lax.conj(direction) if jnp.iscomplexobj(x) else direction) * tangent, axes)

    @with_tangent(tangent_of)
    def norm(x):
        if np.dtype(x.dtype).kind in "iu":
            # Squares and their sum wrap around, as in TF.
            return lax.sqrt(jnp.sum(x * x, axes, dtype=x.dtype).astype(np.float64)).astype(x.dtype)
        square = lax.real(x * lax.conj(x)) if jnp.iscomplexobj(x) else x * x
        return lax.sqrt(jnp.sum(square, axes)).astype(x.dtype)

    return norm


def _count_on_host(input, axis, keepdims, dtype):
    axes = as_axes(axis, input.ndim)
    present = np.vectorize(bool, otypes=[bool])(input) if input.size else np.zeros(input.shape, bool)
    return np.sum(present, axis=axes, keepdims=bool(keepdims)).astype(_dtypes.as_dtype(dtype).np)


@op(
    "tf.math.count_nonzero",
    kernel="NotEqual",
    tensors=("input",),
    dtypes=ANY | STRING,
    gradient="none",
    host=_count_on_host,
)
def count_nonzero(input, axis=None, keepdims=None, dtype=_dtypes.int64):
    """Number of elements along axes that are not 0, False or the empty string.

    Args:
      input: tensor of any dtype and shape.
      axis: integer or list of integers, negative ones count from the end; None for all axes.
      keepdims: whether reduced axes stay, with size 1; None means False.
      dtype: numeric dtype of the result.

    Returns:
      Tensor of `dtype` without the reduced axes.

    Raises:
      tf.errors.InvalidArgumentError: an axis is out of range or given twice.

    TF: `tf.math.count_nonzero`; no known difference.
    """
    dtype = _dtypes.as_dtype(dtype).np
    return _reduced(lambda x, axes: jnp.sum(x != 0, axes, dtype=np.int64).astype(dtype), input, axis, keepdims)


@op(
    "tf.math.l2_normalize",
    "tf.linalg.l2_normalize",
    "tf.nn.l2_normalize",
    kernel="Rsqrt",
    tensors=("x",),
    dtypes=NUMERIC,
)
def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    """Divides by the Euclidean norm along axes.

    Args:
      x: floating or complex tensor, any shape.
      axis: integer or list of integers; None for all axes.
      epsilon: lower bound of the sum of squares.
      name: ignored.
      dim: deprecated name of `axis`.

    Returns:
      Tensor with the shape and dtype of `x`.

    Raises:
      ValueError: both `axis` and `dim` are given.
      TypeError: the dtype is an integer one.
      tf.errors.InvalidArgumentError: an axis is out of range or given twice.

    Gradient: where the bound on the sum of squares applies, that of `x / sqrt(epsilon)`.
    TF: `tf.math.l2_normalize`; no known difference.
    """
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'dim'.")
        axis = dim
    if np.dtype(x.dtype).kind in "iu":
        raise TypeError(f"Cannot convert {epsilon} to EagerTensor of dtype {x.dtype.name}")
    axes = as_axes(axis, x.ndim)
    bound = jnp.full((), epsilon, lax.real(x).dtype if jnp.iscomplexobj(x) else x.dtype)
    if jnp.iscomplexobj(x):
        square = jnp.sum(lax.real(x) ** 2 + lax.imag(x) ** 2, axes, keepdims=True)
        scale = rsqrt.raw(maximum_of(square, bound))
        return lax.complex(lax.real(x) * scale, lax.imag(x) * scale)
    return x * rsqrt.raw(maximum_of(jnp.sum(x * x, axes, keepdims=True), bound))

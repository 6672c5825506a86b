"""Products and transposes: matmul, einsum, tensordot, cross, adjoint..."""

import re

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes as _dtypes
from tfcompat import errors
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import without_kernel
from tfcompat._core.op import ANY_OR_STRING, INEXACT, NUMERIC, REAL, op
from tfcompat._core.operators import bind_binary
from tfcompat._core.tensor import Tensor
from tfcompat.array._arguments import invalid, show_shape
from tfcompat.linalg._contraction import contracted, product

_BYTES = (_dtypes.int8, _dtypes.uint8)
_PRODUCT_DTYPES = INEXACT | {*_BYTES, _dtypes.int16, _dtypes.int32, _dtypes.int64}
# Products of two dtypes, and of bytes: what `output_type` must be.
_MIXED = {
    **{(a, b): _dtypes.int32 for a in _BYTES for b in _BYTES},
    **{pair: _dtypes.bfloat16 for byte in _BYTES for pair in ((_dtypes.bfloat16, byte), (byte, _dtypes.bfloat16))},
}
_WITHOUT_OUTPUT_TYPE = {(_dtypes.bfloat16, _dtypes.float32), (_dtypes.float32, _dtypes.bfloat16)}


def transposed(matrix):
    """The matrices with their last two axes exchanged."""
    return jnp.swapaxes(matrix, -1, -2)


def adjoint_of(matrix):
    """The conjugate transposes of matrices."""
    return transposed(lax.conj(matrix) if jnp.iscomplexobj(matrix) else matrix)


def check_matrix(x, kernel, number=0):
    """Refuses what has no two axes."""
    if x.ndim < 2:
        raise invalid(f"Input tensor {number} must have rank >= 2, got {x.ndim} [Op:{kernel}]")


def check_square(x, kernel):
    """Refuses what is no square matrix, or batch of them."""
    check_matrix(x, kernel)
    if x.shape[-1] != x.shape[-2]:
        raise invalid(f"Input matrix must be square, got shape {show_shape(x.shape)} [Op:{kernel}]")


def _result_dtype(a, b, output_type, is_batch):
    first, second = _dtypes.from_numpy(np.dtype(a)), _dtypes.from_numpy(np.dtype(b))
    result = None if output_type is None else _dtypes.as_dtype(output_type)
    if (first, second) in _WITHOUT_OUTPUT_TYPE and not is_batch:
        return _dtypes.float32
    if result is not None and _MIXED.get((first, second)) is result:
        return result
    if result is None or first is second is result:
        if first is _dtypes.uint8:
            raise without_kernel("MatMul", "uint8")
        if first is _dtypes.int8 or first is _dtypes.int16 and not is_batch:
            raise invalid(f"Value for attr 'T' of {first.name} is not in the list of allowed values [Op:MatMul]")
        if first is not second:
            raise invalid(
                f"cannot compute MatMul as input #1(zero-based) was expected to be a {first.name} tensor but is a "
                f"{second.name} tensor [Op:MatMul]"
            )
        return first
    if result in _BYTES:
        raise invalid(f"Value for attr 'Tout' of {result.name} is not in the list of allowed values [Op:BatchMatMulV3]")
    raise errors.NotFoundError(
        None, None,
        f"no kernel for a product of {first.name} and {second.name} with output_type {result.name}; cast the inputs",
    )  # fmt: skip


@op("tf.linalg.matmul", "tf.matmul", kernel="MatMul", tensors=("a", "b"), dtypes=_PRODUCT_DTYPES,
    mixed=_WITHOUT_OUTPUT_TYPE.union(_MIXED), in_order=True)  # fmt: skip
def matmul(
    a,
    b,
    transpose_a=False,
    transpose_b=False,
    adjoint_a=False,
    adjoint_b=False,
    a_is_sparse=False,
    b_is_sparse=False,
    output_type=None,
    grad_a=False,
    grad_b=False,
):
    """Matrix product.

    Args:
      a: floating, complex, int32 or int64 tensor of shape `[..., m, k]`; int16 if there is more than one matrix; int8
        or uint8 with `output_type`.
      b: tensor of the same dtype and shape `[..., k, n]`; leading axes broadcast. int8, uint8 and bfloat16 go together
        with `output_type`; two matrices of float32 and bfloat16 go together.
      transpose_a: whether `a` comes as `[..., k, m]`.
      transpose_b: whether `b` comes as `[..., n, k]`.
      adjoint_a: the same, and conjugated.
      adjoint_b: the same, and conjugated.
      a_is_sparse: a hint that many elements are 0.
      b_is_sparse: a hint that many elements are 0.
      output_type: dtype of the result: that of `a`; int32 for int8 and uint8, bfloat16 for one of these and bfloat16.
      grad_a: a hint that `a` is a gradient.
      grad_b: a hint that `b` is a gradient.

    Returns:
      Tensor of shape `[..., m, n]` and the dtype of `a`, or `output_type`; float32 for float32 and bfloat16.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, a rank is below 2, or dtypes do not go together.
      tf.errors.NotFoundError: another `output_type`.
      ValueError: a matrix is to be both transposed and adjoined.

    TF: `tf.linalg.matmul`; no known difference.
    """
    for name, transpose, adjoint in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
        if transpose and adjoint:
            raise ValueError(
                f"Only one of `transpose_{name}` and `adjoint_{name}` can be True. "
                f"Received `transpose_{name}`={transpose}, `adjoint_{name}`={adjoint}."
            )
    for number, x in enumerate((a, b)):
        if x.ndim < 2:
            raise invalid(f"In[{number}] ndims must be >= 2: {x.ndim} [Op:MatMul]")
    dtype = _result_dtype(a.dtype, b.dtype, output_type, max(a.ndim, b.ndim) > 2)
    shapes = show_shape(a.shape), show_shape(b.shape)
    a = transposed(a) if transpose_a else adjoint_of(a) if adjoint_a else a
    b = adjoint_of(b) if adjoint_b else b
    if a.shape[-1] != b.shape[-1 if transpose_b else -2]:
        raise invalid(f"Matrix size-incompatible: In[0]: {shapes[0]}, In[1]: {shapes[1]} [Op:MatMul]")
    try:
        jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise invalid(
            f"In[0] and In[1] must have compatible batch dimensions: {shapes[0]} vs. {shapes[1]} [Op:BatchMatMulV2]"
        ) from None
    return product(a.astype(dtype.np), b.astype(dtype.np), transpose_b)


bind_binary("matmul", matmul)


@takes_composites("tf.linalg.matvec")
def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None):
    """Product of matrices and vectors.

    Args:
      a: floating, complex, int32 or int64 tensor of shape `[..., m, k]`.
      b: tensor of the same dtype and shape `[..., k]`; leading axes broadcast.
      transpose_a: whether `a` comes as `[..., k, m]`.
      adjoint_a: the same, and conjugated.
      a_is_sparse: a hint that many elements are 0.
      b_is_sparse: a hint that many elements are 0.
      name: ignored.

    Returns:
      Tensor of shape `[..., m]` and the dtype of `a`.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, or dtypes differ.
      ValueError: `a` is to be both transposed and adjoined.

    TF: `tf.linalg.matvec`; no known difference.
    """
    if transpose_a and adjoint_a:
        raise ValueError(
            "Only one of `transpose_a` and `adjoint_a` can be True. "
            f"Received `transpose_a`={transpose_a}, `adjoint_a`={adjoint_a}."
        )
    return _matvec(convert_to_tensor(a), convert_to_tensor(b), bool(transpose_a), bool(adjoint_a))


@op("_matvec", kernel="MatMul", tensors=("a", "b"), dtypes=_PRODUCT_DTYPES)
def _matvec(a, b, transpose_a, adjoint_a):
    if not b.ndim:
        raise invalid("In[1] ndims must be >= 2: 1 [Op:MatMul]")
    return matmul.raw(a, b[..., None], transpose_a=transpose_a, adjoint_a=adjoint_a)[..., 0]


_EINSUM_OPTIONS = ("name", "optimize", "greedy")


@takes_composites("tf.einsum")
def einsum(equation, *inputs, **kwargs):
    """Sum of products by index notation.

    Args:
      equation: str such as `"ij,jk->ik"`, with `...` for axes that broadcast; without `->` the result has the
        indices that occur once, sorted.
      *inputs: tensors of one numeric dtype, one for each term.
      **kwargs: `optimize`, the strategy for the order of contractions ("greedy", "optimal", "branch-2",
        "branch-all" or "auto"); `name` is ignored.

    Returns:
      Tensor of the dtype of the inputs.

    Raises:
      ValueError: the equation is malformed, or has another number of terms.
      TypeError: an unknown keyword argument.
      tf.errors.InvalidArgumentError: shapes or dtypes do not fit.

    TF: `tf.einsum`; also takes Python lists.
    """
    unknown = [key for key in kwargs if key not in _EINSUM_OPTIONS]
    if unknown:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(unknown)}. "
            f"Valid arguments: {', '.join(_EINSUM_OPTIONS)}."
        )
    equation = _checked_equation(equation, len(inputs))
    return _einsum(list(inputs), equation, kwargs.get("optimize", "greedy"))


def _checked_equation(equation, count):
    if not isinstance(equation, str):
        raise ValueError(f"Argument `equation` must be a str, got {equation!r}")
    equation = equation.replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != count:
        raise ValueError(f'Got {count} inputs for equation "{equation}", expecting {len(terms)}')
    for term in (*terms, right):
        rest = term.replace("...", "", 1)
        if rest and not rest.isalpha():
            raise ValueError(f"Indices have incorrect format: {equation}")
    output = [label for label in right if label != "."]
    for label in output:
        if label not in left:
            raise ValueError(f"Output subscripts contain the label {label} not present in the input subscripts.")
    if len(set(output)) < len(output):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    return equation


def _check_sizes(equation, inputs):
    """InvalidArgumentError if a label has two sizes; JAX lets 1 be any."""
    sizes: dict = {}
    for term, x in zip(equation.partition("->")[0].split(","), inputs, strict=True):
        first, _, last = term.partition("...")
        axes = [*range(len(first)), *range(x.ndim - len(last), x.ndim)]
        for label, axis in zip(first + last, axes, strict=True):
            size = sizes.setdefault(label, x.shape[axis])
            if size != x.shape[axis]:
                raise invalid(
                    f"Expected dimension {size} at axis {axis} of the input shaped {show_shape(x.shape)} but got "
                    f"dimension {x.shape[axis]}"
                )


_AT_THE_END = re.compile(r"([a-zA-Z.]*?)([a-zA-Z]+),\2([a-zA-Z]*)->\1\3")


def _contracted_at_the_end(equation):
    """How many labels end the first of two terms and begin the second, if this is all: 2 in `abcd,cde->abe`; or 0."""
    match = _AT_THE_END.fullmatch(equation)
    labels = "".join(match.groups()).replace(".", "") if match else ""
    return len(match[2]) if match and match[1] and len(set(labels)) == len(labels) else 0


@op("_einsum", kernel="Einsum", tensors=("*inputs",), dtypes=NUMERIC)
def _einsum(inputs, equation, optimize):
    for number, (term, x) in enumerate(zip(equation.partition("->")[0].split(","), inputs, strict=True)):
        rank = len(term.replace("...", ""))
        if x.ndim != rank and not ("..." in term and x.ndim > rank):
            kind = invalid if len(inputs) < 3 else ValueError
            raise kind(f"Expected input {number} to have rank {rank} but got: {x.ndim} [Op:Einsum]")
    _check_sizes(equation, inputs)
    count = _contracted_at_the_end(equation)
    if count:
        return contracted(inputs[0], inputs[1], count)
    return jnp.einsum(equation, *inputs, optimize=optimize)


@takes_composites("tf.tensordot")
def tensordot(a, b, axes, name=None):
    """Sum of products over pairs of axes.

    Args:
      a: floating, complex, int32 or int64 tensor.
      b: tensor of the same dtype.
      axes: integer n: the last n axes of `a` with the first n of `b`; or a pair: axes of `a` and axes of `b`.
      name: ignored.

    Returns:
      Tensor of the dtype of `a`; its axes are the other ones of `a`, then those of `b`.

    Raises:
      ValueError: `axes` is malformed.
      IndexError: an axis is out of range.
      tf.errors.InvalidArgumentError: sizes or dtypes differ.

    TF: `tf.tensordot`; no known difference.
    """
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    if isinstance(axes, Tensor):
        axes = convert_to_tensor(axes, _dtypes.int32)  # a ValueError for another dtype, as in TF
        if not axes.shape.rank:
            raise invalid("Attempting to slice scalar input. [Op:StridedSlice] name: strided_slice/")
    return _tensordot(a, b, *_pairs_of_axes(static_value(axes), len(a.shape), len(b.shape)))


def _pairs_of_axes(axes, rank_a, rank_b):
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if axes > rank_a:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor `a`. Received {axes}, "
                "vs tensor "
                f"dimensions {rank_a}."
            )
        return tuple(range(rank_a - axes, rank_a)), tuple(range(axes))
    if not isinstance(axes, tuple) or len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    of_a, of_b = (one if isinstance(one, tuple) else (one,) for one in axes)
    if len(of_a) != len(of_b):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(of_a)} != {len(of_b)}.")
    for of, rank in ((of_a, rank_a), (of_b, rank_b)):
        if any(not -rank <= axis < rank for axis in of):
            raise IndexError(f"`axes` must be in the range [{-rank}, {rank}), got {of}")
    return tuple(axis % rank_a for axis in of_a), tuple(axis % rank_b for axis in of_b)


@op("_tensordot", kernel="MatMul", tensors=("a", "b"), dtypes=_PRODUCT_DTYPES)
def _tensordot(a, b, axes_a, axes_b):
    _result_dtype(a.dtype, b.dtype, None, is_batch=False)
    if any(a.shape[i] != b.shape[j] for i, j in zip(axes_a, axes_b, strict=True)):
        raise invalid(
            f"Matrix size-incompatible: {show_shape(a.shape)} along {axes_a} with {show_shape(b.shape)} "
            "along "
            f"{axes_b} [Op:MatMul]"
        )
    count = len(axes_a)
    if 0 < count < a.ndim and axes_a == tuple(range(a.ndim - count, a.ndim)) and axes_b == tuple(range(count)):
        return contracted(a, b, count)
    return jnp.tensordot(a, b, (axes_a, axes_b))


@op("tf.linalg.cross", kernel="Cross", tensors=("a", "b"), dtypes=REAL)
def cross(a, b):
    """Vector product in three dimensions.

    Args:
      a: floating or integer tensor of shape `[..., 3]`.
      b: tensor of the same dtype and shape.

    Returns:
      Tensor of that shape and dtype.

    Raises:
      tf.errors.InvalidArgumentError: shapes or dtypes differ.
      tf.errors.FailedPreconditionError: the last size is not 3.

    TF: `tf.linalg.cross`; no known difference.
    """
    if a.shape != b.shape:
        raise invalid(f"Both inputs must be of same shape: {show_shape(a.shape)} vs. {show_shape(b.shape)} [Op:Cross]")
    if not a.ndim:
        raise invalid("Input must be at least 1D [Op:Cross]")
    if a.shape[-1] != 3:
        raise errors.FailedPreconditionError(
            None,
            None,
            f"Cross-products are only defined for 3-element vectors, got {a.shape[-1]}. [Op:Cross]",
        )
    return jnp.cross(a, b)


@op("_matrix_transpose", kernel="Transpose", tensors=("a",), dtypes={"a": ANY_OR_STRING}, host="moves")
def _matrix_transpose(a, conjugate):
    return adjoint_of(a) if conjugate else transposed(a)


@takes_composites("tf.linalg.matrix_transpose")
def matrix_transpose(a, name="matrix_transpose", conjugate=False):
    """Exchanges the last two axes.

    Args:
      a: tensor of any dtype and rank at least 2.
      name: ignored.
      conjugate: whether to conjugate as well.

    Returns:
      Tensor of the dtype of `a` and shape `[..., n, m]`.

    Raises:
      ValueError: the rank is below 2.

    TF: `tf.linalg.matrix_transpose`; no known difference.
    """
    a = convert_to_tensor(a)
    if a.shape.rank < 2:
        raise ValueError(f"Argument `a` should be a (batch) matrix with rank >= 2. Received shape: {a.shape}")
    return _matrix_transpose(a, bool(conjugate))


@takes_composites("tf.linalg.adjoint")
def adjoint(matrix, name=None):
    """Transposes and conjugates the last two axes.

    Args:
      matrix: tensor of any dtype and rank at least 2.
      name: ignored.

    Returns:
      Tensor of the dtype of `matrix` and shape `[..., n, m]`.

    Raises:
      ValueError: the rank is below 2.

    TF: `tf.linalg.adjoint`; no known difference.
    """
    return matrix_transpose(matrix, conjugate=True)

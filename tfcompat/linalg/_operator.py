"""`LinearOperator`: a matrix or batch of matrices, known by its products. Base of all kinds."""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np

from tfcompat import dtypes
from tfcompat._core import graphs
from tfcompat._core.convert import host_constant
from tfcompat._core.module import Module
from tfcompat._core.public_convert import convert_to_tensor
from tfcompat._core.shape import Dimension, TensorShape
from tfcompat.array import broadcast_to, expand_dims, eye, shape, squeeze, zeros_like
from tfcompat.debugging import assert_equal, assert_less, assert_positive
from tfcompat.linalg._decompose import cholesky, eigvalsh, svd
from tfcompat.linalg._diagonal import diag_part
from tfcompat.linalg._products import adjoint as adjoint_of
from tfcompat.linalg._products import matmul
from tfcompat.linalg._solve import det, slogdet, solve
from tfcompat.math import abs as absolute
from tfcompat.math import exp, imag, log, real, reduce_max, reduce_min, reduce_sum

DTYPES = frozenset({dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128})


def as_tensor_here(value, hint=None):
    """The tensor of an argument; where a graph is built, one of the graph."""
    if graphs.current() is not None and not isinstance(value, graphs.Recorded):
        return graphs.record(convert_to_tensor, (value,), {"dtype_hint": hint}, "Const", "Const")
    return convert_to_tensor(value, dtype_hint=hint)


def as_matrix_tensor(value, argument, rank, allowed=DTYPES):
    """The tensor, or variable, of an argument; errors as TF's."""
    tensor = value if hasattr(value, "_as_node") else as_tensor_here(value)
    if tensor.shape.rank is not None and tensor.shape.rank < rank:
        plural = "dimension" if rank == 1 else "dimensions"
        raise ValueError(f"Argument `{argument}` must have at least {rank} {plural}. Received: {tensor}.")
    if allowed is not None and tensor.dtype not in allowed:
        raise TypeError(
            f"Argument `{argument}` must have dtype in {sorted(d.name for d in allowed)}. Received: {tensor.dtype!r}."
        )
    return tensor


class _Algebra(SimpleNamespace):
    """Operators that others become. The modules that define these operators fill it.

    Attributes:
      product: of two operators, an operator.
      adjoint, inverse: of an operator, the operator that stands for its adjoint or inverse.
      lower_triangular: the operator of a lower triangular matrix.
    """

    product: Callable
    adjoint: Callable
    inverse: Callable
    lower_triangular: Callable


algebra = _Algebra()


class LinearOperator(Module):
    """Base of linear operators of shape `[..., m, n]`.

    A subclass gives `_shape` and `_matmul`; what else it knows better than by its dense matrix, it overrides.

    Args:
      dtype: dtype of the matrix.
      graph_parents: must be None.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed; None: not known.
      name: a name.
      parameters: dict of the arguments of the subclass.

    Raises:
      ValueError: hints that contradict one another.

    TF: `tf.linalg.LinearOperator`.
    """

    def __init__(self, dtype, graph_parents=None, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=None, name=None, parameters=None):  # fmt: skip
        # A name of TF's operators need not be a name of a module: see `name`.
        super().__init__(name=None)
        if is_positive_definite and is_self_adjoint is not False and is_non_singular is False:
            raise ValueError("A positive definite matrix is always non-singular.")
        if is_positive_definite:
            is_non_singular = True
        if is_non_singular:
            if is_square is False:
                raise ValueError("A non-singular operator is always square.")
            is_square = True
        if is_self_adjoint:
            if is_square is False:
                raise ValueError("A self-adjoint operator is always square.")
            is_square = True
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        # Named as TensorFlow's: Probability sets these of operators that it knows more of.
        self._is_non_singular, self._is_self_adjoint = is_non_singular, is_self_adjoint
        self._is_positive_definite, self._is_square = is_positive_definite, is_square
        self._operator_name = name or type(self).__name__
        self._parameters = parameters or {}

    # --- what is known ---------------------------------------------------------------------------------------------

    def _shape(self):
        raise NotImplementedError("_shape is not implemented.")

    name = property(lambda self: self._operator_name, doc="The name.")
    dtype = property(lambda self: self._dtype, doc="DType of the matrix.")
    is_non_singular = property(lambda self: self._is_non_singular, doc="Whether it is invertible; None: not known.")
    is_self_adjoint = property(lambda self: self._is_self_adjoint, doc="Whether it is Hermitian; None: not known.")
    is_positive_definite = property(
        lambda self: self._is_positive_definite, doc="Whether it is positive definite; None: not known."
    )
    parameters = property(lambda self: dict(self._parameters), doc="The arguments it was made with.")
    graph_parents = property(lambda self: [], doc="Empty list.")
    shape = property(lambda self: TensorShape(self._shape()), doc="TensorShape of the matrix.")
    batch_shape = property(lambda self: self.shape[:-2], doc="TensorShape without the last two sizes.")
    tensor_rank = property(lambda self: self.shape.rank, doc="How many axes the matrix has.")

    @property
    def is_square(self):
        """Whether there are as many rows as columns."""
        same = self.domain_dimension.value == self.range_dimension.value
        if self._is_square is not None and self._is_square != same:
            raise ValueError("Static is_square conflicts with the shape")
        return same

    @property
    def domain_dimension(self):
        """The number of columns, a Dimension."""
        return Dimension(self.shape[-1])

    @property
    def range_dimension(self):
        """The number of rows, a Dimension."""
        return Dimension(self.shape[-2])

    def shape_tensor(self, name="shape_tensor"):
        """The shape, an int32 vector."""
        if self.shape.is_fully_defined():
            return host_constant(np.array(self.shape.as_list(), np.int32))
        return shape(self.to_dense())

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        """The shape without the last two sizes, an int32 vector."""
        return self.shape_tensor()[:-2]

    def tensor_rank_tensor(self, name="tensor_rank_tensor"):
        """The number of axes, an int32 scalar."""
        return convert_to_tensor(self.tensor_rank)

    def domain_dimension_tensor(self, name="domain_dimension_tensor"):
        """The number of columns, an int32 scalar."""
        return self.shape_tensor()[-1]

    def range_dimension_tensor(self, name="range_dimension_tensor"):
        """The number of rows, an int32 scalar."""
        return self.shape_tensor()[-2]

    # --- products --------------------------------------------------------------------------------------------------

    def _matmul(self, x, adjoint):
        return matmul(self.to_dense(), x, adjoint_a=adjoint)

    def _checked(self, x, axis, size, argument="x"):
        tensor = as_tensor_here(x, self.dtype)
        if tensor.dtype != self.dtype:
            raise TypeError(f"Input argument `{argument}` has dtype {tensor.dtype}, expected {self.dtype}")
        if tensor.shape.rank is None:
            return tensor
        if len(tensor.shape) < -axis:
            raise IndexError(f"tuple index out of range: `{argument}` needs {-axis} axes")
        if None not in (size, tensor.shape[axis]) and tensor.shape[axis] != size:
            raise ValueError(f"Dimensions {size} and {tensor.shape[axis]} are not compatible")
        return tensor

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """The product with a matrix, or with another operator.

        Args:
          x: tensor of shape `[..., n, k]`, or a LinearOperator.
          adjoint: whether to take the conjugate transpose of this operator.
          adjoint_arg: whether to take that of `x`.
          name: ignored.

        Returns:
          Tensor of shape `[..., m, k]`; a LinearOperator for one.

        Raises:
          ValueError: sizes do not fit.
        """
        if isinstance(x, LinearOperator):
            left, right = self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x
            if left.shape[-1] != right.shape[-2]:
                raise ValueError(
                    f"Operators are incompatible. Expected `x` to have dimension {left.shape[-1]} but got "
                    f"{right.shape[-2]}."
                )
            return algebra.product(left, right)
        x = self._checked(x, -1 if adjoint_arg else -2, self.shape[-2 if adjoint else -1])
        return self._matmul(adjoint_of(x) if adjoint_arg else x, bool(adjoint))

    def __matmul__(self, other):
        return self.matmul(other)

    def matvec(self, x, adjoint=False, name="matvec"):
        """The product with vectors of shape `[..., n]`."""
        x = self._checked(x, -1, self.shape[-2 if adjoint else -1])
        return squeeze(self._matmul(expand_dims(x, -1), bool(adjoint)), -1)

    # --- equations -------------------------------------------------------------------------------------------------

    def _check_square(self, method):
        if self.is_square is False:
            raise NotImplementedError(f"{method} not implemented for an operator that is expected to not be square.")

    def _solve(self, rhs, adjoint):
        matrix, rhs = broadcast_batches(self.to_dense(), rhs)
        return solve(matrix, rhs, adjoint=adjoint)

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """The solution of `A x = rhs`.

        Args:
          rhs: tensor of shape `[..., n, k]`, or a LinearOperator.
          adjoint: whether to take the conjugate transpose of this operator.
          adjoint_arg: whether to take that of `rhs`.
          name: ignored.

        Returns:
          Tensor of shape `[..., n, k]`; a LinearOperator for one.

        Raises:
          NotImplementedError: the operator is known to be singular, or not square.
          ValueError: sizes do not fit.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            operator = self.adjoint() if adjoint else self
            return algebra.product(operator.inverse(), rhs.adjoint() if adjoint_arg else rhs)
        rhs = self._checked(rhs, -1 if adjoint_arg else -2, self.shape[-1 if adjoint else -2], "rhs")
        return self._solve(adjoint_of(rhs) if adjoint_arg else rhs, bool(adjoint))

    def _check_solvable(self):
        if self.is_non_singular is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
        self._check_square("Exact solve")

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """The solution of `A x = rhs` for vectors of shape `[..., n]`."""
        self._check_solvable()
        rhs = self._checked(rhs, -1, self.shape[-1 if adjoint else -2], "rhs")
        return squeeze(self._solve(expand_dims(rhs, -1), bool(adjoint)), -1)

    # --- other operators -------------------------------------------------------------------------------------------

    def adjoint(self, name="adjoint"):
        """The conjugate transpose, a LinearOperator; this one if it is self-adjoint."""
        return self if self.is_self_adjoint else self._adjoint()

    H = property(lambda self: self.adjoint(), doc="The conjugate transpose.")

    def _adjoint(self):
        return algebra.adjoint(self)

    def inverse(self, name="inverse"):
        """The inverse, a LinearOperator.

        Raises:
          ValueError: the operator is known to be singular, or not square.
        """
        if self.is_square is False:
            raise ValueError("Cannot take the Inverse: This operator represents a non square matrix.")
        if self.is_non_singular is False:
            raise ValueError(f"Cannot take the Inverse: This operator represents a singular matrix. (operator={self})")
        return self._inverse()

    def _inverse(self):
        return algebra.inverse(self)

    def cholesky(self, name="cholesky"):
        """The lower triangular Cholesky factor, a LinearOperator.

        Raises:
          ValueError: the operator is not known to be positive definite and self-adjoint.
        """
        if not (self.is_positive_definite and self.is_self_adjoint):
            raise ValueError("Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.")
        return self._cholesky()

    def _cholesky(self):
        return algebra.lower_triangular(cholesky(self.to_dense()), is_non_singular=True)

    # --- numbers ---------------------------------------------------------------------------------------------------

    def _to_dense(self):
        return self._matmul(eye(self.shape[-1], batch_shape=self.batch_shape.as_list(), dtype=self.dtype), False)

    def to_dense(self, name="to_dense"):
        """The matrix as a tensor."""
        return self._to_dense()

    def _diag_part(self):
        return diag_part(self.to_dense())

    def diag_part(self, name="diag_part"):
        """The diagonal, of shape `[..., min(m, n)]`."""
        return self._diag_part()

    def trace(self, name="trace"):
        """The sum of the diagonal."""
        return self._trace()

    def _trace(self):
        return reduce_sum(self.diag_part(), axis=-1)

    def add_to_tensor(self, x, name="add_to_tensor"):
        """The sum with a tensor of shape `[..., m, n]`."""
        return self.to_dense() + self._checked(x, -1, self.shape[-1])

    def _log_abs_determinant(self):
        if self.is_positive_definite and self.is_self_adjoint:
            return 2 * reduce_sum(log(diag_part(cholesky(self.to_dense()))), axis=-1)
        return slogdet(self.to_dense()).log_abs_determinant

    def log_abs_determinant(self, name="log_abs_det"):
        """The logarithm of the absolute value of the determinant.

        Raises:
          NotImplementedError: the operator is not square.
        """
        self._check_square("Determinant")
        return self._log_abs_determinant()

    def _determinant(self):
        if self.is_positive_definite and self.is_self_adjoint:
            return exp(self._log_abs_determinant())
        return det(self.to_dense())

    def determinant(self, name="det"):
        """The determinant.

        Raises:
          NotImplementedError: the operator is not square.
        """
        self._check_square("Determinant")
        return self._determinant()

    def eigvals(self, name="eigvals"):
        """The eigenvalues of a self-adjoint operator, ascending.

        Raises:
          NotImplementedError: the operator is not known to be self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        return self._eigvals()

    def _eigvals(self):
        return eigvalsh(self.to_dense())

    def _cond(self):
        if self.is_self_adjoint:
            values = absolute(self._eigvals())
        else:
            values = svd(self.to_dense(), compute_uv=False)
        return reduce_max(values, axis=-1) / reduce_min(values, axis=-1)

    def cond(self, name="cond"):
        """The condition number: the largest singular value divided by the smallest."""
        self._check_square("Condition number")
        return self._cond()

    # --- checks ----------------------------------------------------------------------------------------------------

    def assert_non_singular(self, name="assert_non_singular"):
        """Raises InvalidArgumentError unless the matrix is invertible within rounding."""
        limit = 0.01 / dtypes_epsilon(self.dtype)
        return assert_less(self.cond(), convert_to_tensor(limit, self.dtype.real_dtype),
                           message="Singular matrix up to precision epsilon.")  # fmt: skip

    def assert_positive_definite(self, name="assert_positive_definite"):
        """Raises InvalidArgumentError unless the matrix, which must be self-adjoint, is positive definite."""
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        return assert_positive(self._eigvals(), message="Matrix was not positive definite.")

    def assert_self_adjoint(self, name="assert_self_adjoint"):
        """Raises InvalidArgumentError unless the matrix is Hermitian."""
        dense = self.to_dense()
        return assert_equal(dense, adjoint_of(dense), message="Matrix was not equal to its adjoint.")

    def __repr__(self):
        return f"<{type(self).__name__} shape={self.shape} dtype={self.dtype.name}>"


def require_nonzero(values, message):
    """Raises InvalidArgumentError unless no element is zero."""
    sizes = absolute(values)
    return assert_less(zeros_like(sizes), sizes, message=message)


def require_positive(values, message):
    """Raises InvalidArgumentError unless the real part of each element is positive."""
    return assert_positive(real(values), message=message)


def require_real(values, message):
    """Raises InvalidArgumentError unless the imaginary part of each element is zero."""
    parts = imag(values)
    return assert_equal(zeros_like(parts), parts, message=message)


def dtypes_epsilon(dtype):
    """The distance from 1 to the next number."""
    return float(np.finfo(dtype.np).eps)


def broadcast_batches(first, second):
    """Two tensors of matrices with the same leading sizes."""
    batch = list(np.broadcast_shapes(first.shape[:-2].as_list(), second.shape[:-2].as_list()))
    return [
        x if x.shape[:-2].as_list() == batch else broadcast_to(x, [*batch, *x.shape[-2:].as_list()])
        for x in (convert_to_tensor(first), second)
    ]


def vector_times(diagonal, x):
    """Rows of `x` times the elements of a diagonal."""
    return expand_dims(diagonal, -1) * x



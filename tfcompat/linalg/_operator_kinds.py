"""Linear operators of one kind of matrix: full, diagonal, triangular, identity, zero, Householder, low-rank updates."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import known_values, static_value
from tfcompat._core.public_convert import convert_to_tensor
from tfcompat.array import broadcast_to, expand_dims, eye, gather, ones, zeros
from tfcompat.array._arguments import as_ints
from tfcompat.array._cast import cast
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.linalg._decompose import cholesky
from tfcompat.linalg._diagonal import band_part, diag, diag_part, set_diag
from tfcompat.linalg._operator import (
    LinearOperator,
    algebra,
    as_matrix_tensor,
    broadcast_batches,
    require_nonzero,
    require_positive,
    require_real,
    vector_times,
)
from tfcompat.linalg._products import adjoint as adjoint_of
from tfcompat.linalg._products import matmul
from tfcompat.linalg._solve import det, slogdet, solve, triangular_solve
from tfcompat.math import abs as absolute
from tfcompat.math import conj, log, reduce_prod, reduce_sum, sqrt


class LinearOperatorFullMatrix(LinearOperator):
    """A matrix given in full.

    Args:
      matrix: floating or complex tensor of shape `[..., m, n]`.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      name: a name.

    Raises:
      ValueError: a rank below 2.
      TypeError: another dtype.

    TF: `tf.linalg.LinearOperatorFullMatrix`; no known difference.
    """

    def __init__(self, matrix, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorFullMatrix"):  # fmt: skip
        parameters = dict(locals())
        self._matrix = as_matrix_tensor(matrix, "matrix", 2)
        _initialize(self, self._matrix.dtype, parameters)

    def _shape(self):
        return self._matrix.shape

    def _to_dense(self):
        return convert_to_tensor(self._matrix)

    @property
    def matrix(self):
        """The tensor, or variable, it was made of."""
        return self._matrix

    def __getitem__(self, key):
        return _sliced(self, key, lambda key: {"matrix": self._matrix[key]})


def _initialize(operator, dtype, parameters):
    """Calls the base's constructor with the arguments of a subclass's."""
    parameters = {key: value for key, value in parameters.items() if key not in ("self", "__class__")}
    names = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")
    hints = {name: parameters.get(name) for name in names}
    attributes = {key: value for key, value in vars(operator).items()}
    LinearOperator.__init__(operator, dtype, name=parameters.get("name"), parameters=parameters, **hints)
    for key, value in attributes.items():
        if key not in vars(operator):
            setattr(operator, key, value)


def _sliced(operator, key, parts):
    """The operator of some of the matrices of a batch."""
    key = key if isinstance(key, tuple) else (key,)
    parameters = dict(operator._parameters)
    parameters.update(parts((*key, ...) if Ellipsis not in key else key))
    return type(operator)(**parameters)


class LinearOperatorDiag(LinearOperator):
    """A diagonal matrix.

    Args:
      diag: tensor of shape `[..., n]`, the diagonal.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      name: a name.

    Raises:
      ValueError: a scalar, or a real diagonal said not to be self-adjoint.

    TF: `tf.linalg.LinearOperatorDiag`; no known difference.
    """

    def __init__(self, diag, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorDiag"):  # fmt: skip
        parameters = dict(locals())
        self._diag = as_matrix_tensor(diag, "diag", 1, None)
        if not self._diag.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            parameters["is_self_adjoint"] = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        parameters["is_square"] = True
        _initialize(self, self._diag.dtype, parameters)

    diag = property(lambda self: self._diag, doc="The diagonal it was made of.")

    def _shape(self):
        return self._diag.shape.concatenate(self._diag.shape[-1:])

    def _matmul(self, x, adjoint):
        return vector_times(conj(self._diag) if adjoint else self._diag, x)

    def _solve(self, rhs, adjoint):
        return rhs / expand_dims(conj(self._diag) if adjoint else self._diag, -1)

    def _adjoint(self):
        return LinearOperatorDiag(conj(self._diag), self.is_non_singular, self.is_self_adjoint,
                                  self.is_positive_definite, True)  # fmt: skip

    def _inverse(self):
        return LinearOperatorDiag(1.0 / self._diag, self.is_non_singular, self.is_self_adjoint,
                                  self.is_positive_definite, True)  # fmt: skip

    def _cholesky(self):
        return LinearOperatorDiag(sqrt(self._diag), True, True, True, True)

    def _to_dense(self):
        return diag(self._diag)

    def _diag_part(self):
        return convert_to_tensor(self._diag)

    def add_to_tensor(self, x, name="add_to_tensor"):
        """The sum with a tensor of shape `[..., n, n]`."""
        x = self._checked(x, -1, self.shape[-1])
        return set_diag(x, diag_part(x) + self._diag)

    def _determinant(self):
        return reduce_prod(self._diag, axis=-1)

    def _log_abs_determinant(self):
        return cast(reduce_sum(log(absolute(self._diag)), axis=-1), self.dtype)

    def _eigvals(self):
        return convert_to_tensor(self._diag)

    def assert_non_singular(self, name="assert_non_singular"):
        """Raises InvalidArgumentError unless the diagonal has no zeros."""
        return require_nonzero(self._diag, "Singular operator:  Diagonal contained zero values.")

    def assert_positive_definite(self, name="assert_positive_definite"):
        """Raises InvalidArgumentError unless the real parts of the diagonal are positive."""
        if self.dtype.is_complex:
            text = "Diagonal operator had diagonal entries with non-positive real part, thus was not positive definite."
        else:
            text = "Real diagonal operator had non-positive diagonal entries, thus was not positive definite."
        return require_positive(self._diag, text)

    def assert_self_adjoint(self, name="assert_self_adjoint"):
        """Raises InvalidArgumentError unless the diagonal is real."""
        text = "This diagonal operator contained non-zero imaginary values.   Thus it was not self-adjoint."
        return require_real(self._diag, text)

    def __getitem__(self, key):
        return _sliced(self, key, lambda key: {"diag": self._diag[key]})


class LinearOperatorLowerTriangular(LinearOperator):
    """A lower triangular matrix.

    Args:
      tril: floating or complex tensor of shape `[..., n, n]`, of which the lower triangle is read.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      name: a name.

    Raises:
      ValueError: a rank below 2, or `is_square=False`.
      TypeError: another dtype.

    TF: `tf.linalg.LinearOperatorLowerTriangular`; no known difference.
    """

    def __init__(self, tril, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorLowerTriangular"):  # fmt: skip
        parameters = dict(locals())
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        parameters["is_square"] = True
        self._tril = as_matrix_tensor(tril, "tril", 2, None)
        _initialize(self, self._tril.dtype, parameters)

    tril = property(lambda self: self._tril, doc="The tensor it was made of.")

    def _shape(self):
        return self._tril.shape

    def _to_dense(self):
        return band_part(self._tril, -1, 0)

    def _solve(self, rhs, adjoint):
        return triangular_solve(self._tril, rhs, lower=True, adjoint=adjoint)

    def _diag_part(self):
        return diag_part(self._tril)

    def _determinant(self):
        return reduce_prod(self._diag_part(), axis=-1)

    def _log_abs_determinant(self):
        return cast(reduce_sum(log(absolute(self._diag_part())), axis=-1), self.dtype)

    def _eigvals(self):
        return self._diag_part()

    def assert_non_singular(self, name="assert_non_singular"):
        """Raises InvalidArgumentError unless the diagonal has no zeros."""
        return require_nonzero(self._diag_part(), "Singular operator:  Diagonal contained zero values.")

    def __getitem__(self, key):
        return _sliced(self, key, lambda key: {"tril": self._tril[key]})


def _count(value, argument="num_rows"):
    value = static_value(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"Argument {argument} must be integer type. Found: {value}")
    if value < 0:
        raise ValueError(f"Argument {argument} must be non-negative. Found: {value}")
    return value


def _batch(batch_shape):
    return () if batch_shape is None else as_ints(static_value(batch_shape), "batch_shape")


class LinearOperatorIdentity(LinearOperator):
    """An identity matrix.

    Args:
      num_rows: non-negative integer.
      batch_shape: leading sizes, or None.
      dtype: dtype of the matrix; float32 if None.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, none of which may be False.
      assert_proper_shapes: sizes are checked in any case.
      name: a name.

    Raises:
      TypeError: `num_rows` is no integer.
      ValueError: `num_rows` is negative, or a hint is False.

    TF: `tf.linalg.LinearOperatorIdentity`; no known difference.
    """

    def __init__(self, num_rows, batch_shape=None, dtype=None, is_non_singular=True, is_self_adjoint=True,
                 is_positive_definite=True, is_square=True, assert_proper_shapes=False,
                 name="LinearOperatorIdentity"):  # fmt: skip
        parameters = dict(locals())
        for hint in ("is_self_adjoint", "is_non_singular", "is_positive_definite"):
            if not parameters[hint]:
                raise ValueError(f"An identity operator is always {hint[3:].replace('_', '-')}.")
        self._rows, self._leading = _count(num_rows), _batch(batch_shape)
        _initialize(self, dtypes.float32 if dtype is None else dtype, parameters)

    def _shape(self):
        return [*self._leading, self._rows, self._rows]

    def _matmul(self, x, adjoint):
        return _with_batch(x, self._leading)

    def _solve(self, rhs, adjoint):
        return _with_batch(rhs, self._leading)

    def _inverse(self):
        return self

    def _cholesky(self):
        return self

    def _to_dense(self):
        return eye(self._rows, batch_shape=list(self._leading), dtype=self.dtype)

    def _diag_part(self):
        return ones([*self._leading, self._rows], self.dtype)

    def _trace(self):
        return self._rows * ones(list(self._leading), self.dtype)

    def _determinant(self):
        return ones(list(self._leading), self.dtype)

    def _log_abs_determinant(self):
        return zeros(list(self._leading), self.dtype)

    def _eigvals(self):
        return self._diag_part()

    def add_to_tensor(self, x, name="add_to_tensor"):
        """The sum with a tensor of shape `[..., n, n]`."""
        x = self._checked(x, -1, self._rows)
        return set_diag(x, diag_part(x) + cast(convert_to_tensor(1), self.dtype))


def _with_batch(x, leading):
    batch = list(np.broadcast_shapes(leading, tuple(x.shape[:-2].as_list())))
    return x if batch == x.shape[:-2].as_list() else broadcast_to(x, [*batch, *x.shape[-2:].as_list()])


class LinearOperatorScaledIdentity(LinearOperator):
    """A multiple of an identity matrix.

    Args:
      num_rows: non-negative integer.
      multiplier: tensor of shape `[...]`.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      assert_proper_shapes: sizes are checked in any case.
      name: a name.

    Raises:
      TypeError: `num_rows` is no integer.
      ValueError: `num_rows` is negative, or `is_square=False`.
      tf.errors.UnimplementedError: `multiplier` is text.

    TF: `tf.linalg.LinearOperatorScaledIdentity`; no known difference.
    """

    def __init__(self, num_rows, multiplier, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=True, assert_proper_shapes=False, name="LinearOperatorScaledIdentity"):  # fmt: skip
        parameters = dict(locals())
        self._multiplier = as_matrix_tensor(multiplier, "multiplier", 0, None)
        if self._multiplier.dtype == dtypes.string:
            raise UnimplementedError(None, None, "Cast int32 to string is not supported [Op:Cast]")
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            parameters["is_self_adjoint"] = True
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        self._rows = _count(num_rows)
        _initialize(self, self._multiplier.dtype, parameters)

    multiplier = property(lambda self: self._multiplier, doc="The factor.")

    def _shape(self):
        return self._multiplier.shape.concatenate([self._rows, self._rows])

    def _factor(self, adjoint, axes):
        factor = conj(self._multiplier) if adjoint else self._multiplier
        for _ in range(axes):
            factor = expand_dims(factor, -1)
        return factor

    def _matmul(self, x, adjoint):
        return x * self._factor(adjoint, 2)

    def _solve(self, rhs, adjoint):
        return rhs / self._factor(adjoint, 2)

    def _adjoint(self):
        return LinearOperatorScaledIdentity(self._rows, conj(self._multiplier), self.is_non_singular,
                                            self.is_self_adjoint, self.is_positive_definite)  # fmt: skip

    def _inverse(self):
        return LinearOperatorScaledIdentity(self._rows, 1.0 / self._multiplier, self.is_non_singular,
                                            self.is_self_adjoint, self.is_positive_definite)  # fmt: skip

    def _cholesky(self):
        return LinearOperatorScaledIdentity(self._rows, sqrt(self._multiplier), True, True, True)

    def _diag_part(self):
        return self._factor(False, 1) * ones([self._rows], self.dtype)

    def _to_dense(self):
        return diag(self._diag_part())

    def _trace(self):
        return self._multiplier * cast(convert_to_tensor(self._rows), self.dtype)

    def _determinant(self):
        return self._multiplier ** self._rows

    def _log_abs_determinant(self):
        return cast(log(absolute(self._multiplier)) * float(self._rows), self.dtype)

    def assert_non_singular(self, name="assert_non_singular"):
        """Raises InvalidArgumentError unless the factor is not zero."""
        return require_positive(absolute(self._multiplier), "LinearOperator was singular")

    def assert_positive_definite(self, name="assert_positive_definite"):
        """Raises InvalidArgumentError unless the real part of the factor is positive."""
        return require_positive(self._multiplier, "LinearOperator was not positive definite.")

    def assert_self_adjoint(self, name="assert_self_adjoint"):
        """Raises InvalidArgumentError unless the factor is real."""
        return require_real(self._multiplier, "LinearOperator was not self-adjoint")

    def _eigvals(self):
        return self._diag_part()

    def add_to_tensor(self, x, name="add_to_tensor"):
        """The sum with a tensor of shape `[..., n, n]`."""
        x = self._checked(x, -1, self._rows)
        return set_diag(x, diag_part(x) + self._factor(False, 1))


class LinearOperatorZeros(LinearOperator):
    """A matrix of zeros.

    Args:
      num_rows: non-negative integer.
      num_columns: non-negative integer; `num_rows` if None.
      batch_shape: leading sizes, or None.
      dtype: dtype of the matrix; float32 if None.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which must be true.
      assert_proper_shapes: sizes are checked in any case.
      name: a name.

    Raises:
      ValueError: a hint that is wrong, or a negative size.
      TypeError: a size is no integer.

    TF: `tf.linalg.LinearOperatorZeros`; no known difference.
    """

    def __init__(self, num_rows, num_columns=None, batch_shape=None, dtype=None, is_non_singular=False,
                 is_self_adjoint=True, is_positive_definite=False, is_square=True, assert_proper_shapes=False,
                 name="LinearOperatorZeros"):  # fmt: skip
        parameters = dict(locals())
        if is_non_singular:
            raise ValueError("A zeros operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zeros operator is always not positive-definite.")
        self._rows = _count(num_rows)
        self._columns = self._rows if num_columns is None else _count(num_columns, "num_columns")
        if is_square and self._rows != self._columns:
            raise ValueError(
                f"LinearOperatorZeros initialized as is_square=True, but got num_rows({self._rows}) != "
                f"num_columns({self._columns})"
            )
        self._leading = _batch(batch_shape)
        _initialize(self, dtypes.float32 if dtype is None else dtype, parameters)

    def _shape(self):
        return [*self._leading, self._rows, self._columns]

    def _matmul(self, x, adjoint):
        rows = self._columns if adjoint else self._rows
        return zeros([*np.broadcast_shapes(self._leading, x.shape[:-2].as_list()), rows, x.shape[-1]], self.dtype)

    def _to_dense(self):
        return zeros(self._shape(), self.dtype)

    def _diag_part(self):
        return zeros([*self._leading, min(self._rows, self._columns)], self.dtype)

    def _determinant(self):
        return zeros(list(self._leading), self.dtype)

    def _adjoint(self):
        return LinearOperatorZeros(self._columns, self._rows, list(self._leading), self.dtype, is_self_adjoint=False,
                                   is_square=False)  # fmt: skip

    def assert_non_singular(self, name="assert_non_singular"):
        """Raises InvalidArgumentError."""
        raise InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def assert_positive_definite(self, name="assert_positive_definite"):
        """Raises InvalidArgumentError."""
        raise InvalidArgumentError(None, None, "Zero operators are always non-positive definite.")

    def _eigvals(self):
        return self._diag_part()

    def add_to_tensor(self, x, name="add_to_tensor"):
        """The tensor itself."""
        return self._checked(x, -1, self._columns)


class LinearOperatorHouseholder(LinearOperator):
    """The reflection at the plane orthogonal to a vector.

    Args:
      reflection_axis: floating or complex tensor of shape `[..., n]`, need not be of length one.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which must be true.
      name: a name.

    Raises:
      ValueError: a scalar, or a hint that is wrong.
      TypeError: another dtype.

    TF: `tf.linalg.LinearOperatorHouseholder`; no known difference.
    """

    def __init__(self, reflection_axis, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=None, name="LinearOperatorHouseholder"):  # fmt: skip
        parameters = dict(locals())
        for hint in ("is_self_adjoint", "is_non_singular", "is_square"):
            if parameters[hint] is False:
                raise ValueError(f"A Householder operator is always {hint[3:].replace('_', '-')}.")
        parameters.update(is_self_adjoint=True, is_square=True)
        if is_positive_definite:
            raise ValueError("A Householder operator is always non-positive definite.")
        parameters["is_positive_definite"] = False
        self._axis = as_matrix_tensor(reflection_axis, "reflection_axis", 1)
        _initialize(self, self._axis.dtype, parameters)

    reflection_axis = property(lambda self: self._axis, doc="The vector.")

    def _shape(self):
        return self._axis.shape.concatenate(self._axis.shape[-1:])

    def assert_positive_definite(self, name="assert_positive_definite"):
        """Raises InvalidArgumentError."""
        raise InvalidArgumentError(None, None, "Householder operators are always non-positive definite.")

    def _matmul(self, x, adjoint):
        axis = expand_dims(self._axis, -1)
        axis = axis / sqrt(reduce_sum(axis * conj(axis), axis=-2, keepdims=True))
        return x - 2 * axis * matmul(axis, x, adjoint_a=True)

    def _solve(self, rhs, adjoint):
        return self._matmul(rhs, adjoint)

    def _inverse(self):
        return self

    def _diag_part(self):
        axis = self._axis / sqrt(reduce_sum(self._axis * conj(self._axis), axis=-1, keepdims=True))
        return 1 - 2 * axis * conj(axis)

    def _trace(self):
        return (self.shape[-1] - 2) * ones(self.batch_shape.as_list(), self.dtype)

    def _determinant(self):
        return -ones(self.batch_shape.as_list(), self.dtype)

    def _log_abs_determinant(self):
        return zeros(self.batch_shape.as_list(), self.dtype)

    def _cond(self):
        return ones(self.batch_shape.as_list(), self.dtype)


class LinearOperatorPermutation(LinearOperator):
    """A permutation matrix.

    Args:
      perm: int32 or int64 tensor of shape `[..., n]`: row i of the product is row `perm[i]` of the other matrix.
      dtype: dtype of the matrix.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      name: a name.

    Raises:
      ValueError: a scalar, or a hint that is wrong.
      TypeError: `perm` of another dtype.

    TF: `tf.linalg.LinearOperatorPermutation`; no known difference.
    """

    def __init__(self, perm, dtype=dtypes.float32, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name="LinearOperatorPermutation"):  # fmt: skip
        parameters = dict(locals())
        for hint in ("is_non_singular", "is_square"):
            if parameters[hint] is False:
                raise ValueError(f"A Permutation operator is always {hint[3:].replace('_', '-')}.")
        parameters["is_square"] = True
        self._perm = as_matrix_tensor(perm, "perm", 1, frozenset({dtypes.int32, dtypes.int64}))
        known = known_values(self._perm, None)
        if known is not None and (np.sort(known, -1) != np.arange(known.shape[-1])).any():
            raise ValueError(
                f"Argument `perm` must be a vector of unique integers from 0 to {known.shape[-1] - 1}."
            )
        _initialize(self, dtype, parameters)

    perm = property(lambda self: self._perm, doc="The permutation.")

    def _shape(self):
        return self._perm.shape.concatenate(self._perm.shape[-1:])

    def _to_dense(self):
        return gather(eye(self.shape[-1], dtype=self.dtype), self._perm)

    def _solve(self, rhs, adjoint):
        return self._matmul(rhs, not adjoint)

    def _determinant(self):
        return det(self.to_dense())

    def _log_abs_determinant(self):
        return zeros(self.batch_shape.as_list(), self.dtype)

    def _cond(self):
        return ones(self.batch_shape.as_list(), self.dtype)


class LinearOperatorLowRankUpdate(LinearOperator):
    """`L + U D V^H`: an operator and a matrix of low rank.

    Args:
      base_operator: LinearOperator of shape `[..., m, n]`.
      u: tensor of shape `[..., m, k]`.
      diag_update: tensor of shape `[..., k]`, the diagonal of D; ones if None.
      v: tensor of shape `[..., n, k]`; `u` if None.
      is_diag_update_positive: hint that `diag_update` is positive.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      name: a name.

    Raises:
      ValueError: sizes do not fit, or hints contradict one another.

    TF: `tf.linalg.LinearOperatorLowRankUpdate`; no known difference.
    """

    def __init__(self, base_operator, u, diag_update=None, v=None, is_diag_update_positive=None, is_non_singular=None,
                 is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorLowRankUpdate"):  # fmt: skip
        parameters = dict(locals())
        self._base = base_operator
        self._u = as_matrix_tensor(u, "u", 2, None)
        self._v = self._u if v is None else as_matrix_tensor(v, "v", 2, None)
        self._d = None if diag_update is None else as_matrix_tensor(diag_update, "diag_update", 1, None)
        self._positive = True if diag_update is None else is_diag_update_positive
        rows, columns = base_operator.shape[-2:].as_list()
        for tensor, size in ((self._u, rows), (self._v, columns)):
            if tensor.shape[-2] != size:
                raise ValueError(f"Dimensions {size} and {tensor.shape[-2]} are not compatible")
        if self._u.shape[-1] != self._v.shape[-1]:
            raise ValueError(f"Dimensions {self._u.shape[-1]} and {self._v.shape[-1]} are not compatible")
        if self._d is not None and not self._d.shape[-1:].is_compatible_with(self._u.shape[-1:]):
            raise ValueError(f"Dimensions {self._u.shape[-1]} and {self._d.shape[-1]} are not compatible")
        symmetric = v is None and (diag_update is None or not self._d.dtype.is_complex)
        if base_operator.is_self_adjoint and symmetric:
            if is_self_adjoint is False:
                raise ValueError("Indicated operator was not self adjoint, but it is")
            parameters["is_self_adjoint"] = True
        if base_operator.is_positive_definite and v is None and self._positive:
            if is_positive_definite is False:
                raise ValueError("Indicated operator was not positive definite, but it is")
            parameters["is_positive_definite"] = True
        _initialize(self, base_operator.dtype, parameters)

    base_operator = property(lambda self: self._base, doc="The operator that is updated.")
    u = property(lambda self: self._u, doc="The tensor U.")
    v = property(lambda self: self._v, doc="The tensor V.")
    diag_update = property(lambda self: self._d, doc="The diagonal of D, or None.")
    is_diag_update_positive = property(lambda self: self._positive, doc="Whether the diagonal of D is positive.")

    @property
    def diag_operator(self):
        """D as a LinearOperator."""
        if self._d is not None:
            return LinearOperatorDiag(self._d, is_positive_definite=self._positive)
        return LinearOperatorIdentity(self._u.shape[-1], dtype=self.dtype)

    def _shape(self):
        tensors = [self._u.shape[:-2].as_list(), self._v.shape[:-2].as_list()]
        tensors += [] if self._d is None else [self._d.shape[:-1].as_list()]
        batch = np.broadcast_shapes(self._base.batch_shape.as_list(), *tensors)
        return [*batch, *self._base.shape[-2:].as_list()]

    def _update(self, u, x):
        return matmul(u, x if self._d is None else vector_times(self._d, x))

    def _matmul(self, x, adjoint):
        if not adjoint:
            return self._base.matmul(x) + self._update(self._u, matmul(self._v, x, adjoint_a=True))
        inner = matmul(self._u, x, adjoint_a=True)
        inner = inner if self._d is None else vector_times(conj(self._d), inner)
        return self._base.matmul(x, adjoint=True) + matmul(self._v, inner)

    def _capacitance(self):
        """`D^-1 + V^H L^-1 U`."""
        inner = matmul(self._v, self._base.solve(self._u), adjoint_a=True)
        return self.diag_operator.inverse().add_to_tensor(inner)

    def _solve(self, rhs, adjoint):
        # The Woodbury identity.
        u, v = (self._v, self._u) if adjoint else (self._u, self._v)
        start = self._base.solve(rhs, adjoint=adjoint)
        inner = matmul(v, start, adjoint_a=True)
        capacitance = self._capacitance()
        capacitance = adjoint_of(capacitance) if adjoint else capacitance
        weights = solve(*broadcast_batches(capacitance, inner))
        return start - self._base.solve(matmul(u, weights), adjoint=adjoint)

    def _determinant(self):
        return det(self._capacitance()) * self.diag_operator.determinant() * self._base.determinant()

    def _log_abs_determinant(self):
        capacitance = self._capacitance()
        if self.is_positive_definite and self.is_self_adjoint and self._positive:
            inner = 2 * reduce_sum(log(diag_part(cholesky(capacitance))), axis=-1)
        else:
            inner = slogdet(capacitance).log_abs_determinant
        return inner + self.diag_operator.log_abs_determinant() + self._base.log_abs_determinant()

    def _diag_part(self):
        product = self._u * conj(self._v)
        product = product if self._d is None else product * expand_dims(self._d, -2)
        return reduce_sum(product, axis=-1) + self._base.diag_part()


algebra.lower_triangular = LinearOperatorLowerTriangular

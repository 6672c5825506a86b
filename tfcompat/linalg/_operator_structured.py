"""Linear operators of few numbers: tridiagonal, Toeplitz, and circulant ones in one to three dimensions."""

import math

from tfcompat import dtypes
from tfcompat._core.public_convert import convert_to_tensor
from tfcompat._core.shape import TensorShape
from tfcompat.array import broadcast_to, concat, expand_dims, gather, reshape, reverse, roll, stack, zeros_like
from tfcompat.array._cast import cast
from tfcompat.debugging import assert_near
from tfcompat.linalg._diagonal import diag, diag_part
from tfcompat.linalg._operator import (
    LinearOperator,
    as_matrix_tensor,
    broadcast_batches,
    require_nonzero,
    require_positive,
)
from tfcompat.linalg._operator_kinds import _initialize, _sliced
from tfcompat.linalg._products import matrix_transpose
from tfcompat.linalg._solve import tridiagonal_matmul, tridiagonal_solve
from tfcompat.math import abs as absolute
from tfcompat.math import conj, log, reduce_max, reduce_min, reduce_prod, reduce_sum
from tfcompat.signal import fft, fft2d, fft3d, ifft, ifft2d, ifft3d


class LinearOperatorTridiag(LinearOperator):
    """A matrix with three diagonals.

    Args:
      diagonals: by `diagonals_format`, "compact": tensor `[..., 3, n]` of superdiagonal (its last element ignored),
        diagonal, and subdiagonal (its first element ignored); "sequence": list of these three; "matrix": tensor
        `[..., n, n]`.
      diagonals_format: as above.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      name: a name.

    Raises:
      ValueError: another format.

    TF: `tf.linalg.LinearOperatorTridiag`; no known difference.
    """

    def __init__(self, diagonals, diagonals_format="compact", is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name="LinearOperatorTridiag"):  # fmt: skip
        parameters = dict(locals())
        if diagonals_format == "sequence":
            self._diagonals = [as_matrix_tensor(each, "diagonals", 1) for each in diagonals]
            dtype = self._diagonals[0].dtype
        elif diagonals_format in ("compact", "matrix"):
            self._diagonals = as_matrix_tensor(diagonals, "diagonals", 2)
            dtype = self._diagonals.dtype
        else:
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. "
                f"Received : {diagonals_format}."
            )
        self._diagonals_format = diagonals_format
        _initialize(self, dtype, parameters)

    diagonals = property(lambda self: self._diagonals, doc="What it was made of.")
    diagonals_format = property(lambda self: self._diagonals_format, doc="How its diagonals were given.")

    def _shape(self):
        if self._diagonals_format == "matrix":
            return self._diagonals.shape
        if self._diagonals_format == "compact":
            shape = self._diagonals.shape
            return shape[:-2].concatenate(shape[-1:]).concatenate(shape[-1:])
        shape = TensorShape(self._compact().shape)
        return shape[:-2].concatenate(shape[-1:]).concatenate(shape[-1:])

    def _compact(self):
        """The diagonals as `[..., 3, n]`."""
        if self._diagonals_format == "compact":
            return convert_to_tensor(self._diagonals)
        if self._diagonals_format == "matrix":
            return diag_part(self._diagonals, k=(-1, 1), align="LEFT_RIGHT")
        above, middle, below = (convert_to_tensor(each) for each in self._diagonals)
        shape = (above + middle + below).shape
        return stack([broadcast_to(each, shape) for each in (above, middle, below)], axis=-2)

    def _adjoint_diagonals(self):
        above, middle, below = (self._compact()[..., i, :] for i in range(3))
        return conj(stack([roll(below, -1, -1), middle, roll(above, 1, -1)], axis=-2))

    def _applied(self, function, x, adjoint):
        diagonals, x = broadcast_batches(self._adjoint_diagonals() if adjoint else self._compact(), x)
        return function(diagonals, x)

    def _matmul(self, x, adjoint):
        return self._applied(lambda d, x: tridiagonal_matmul(d, x, diagonals_format="compact"), x, adjoint)

    def _solve(self, rhs, adjoint):
        return self._applied(lambda d, x: tridiagonal_solve(d, x, diagonals_format="compact"), rhs, adjoint)

    def _adjoint(self):
        return LinearOperatorTridiag(self._adjoint_diagonals(), "compact", self.is_non_singular, self.is_self_adjoint,
                                     self.is_positive_definite, True)  # fmt: skip

    def _to_dense(self):
        if self._diagonals_format == "matrix":
            return convert_to_tensor(self._diagonals)
        return diag(self._compact(), k=(-1, 1), align="LEFT_RIGHT")

    def _diag_part(self):
        return self._compact()[..., 1, :]


class LinearOperatorToeplitz(LinearOperator):
    """A matrix that is constant along each diagonal. Products take O(n log n), by Fourier transforms.

    Args:
      col: tensor of shape `[..., n]`, the first column.
      row: tensor of shape `[..., n]`, the first row; its first element should be that of `col`.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      name: a name.

    Raises:
      ValueError: said not to be square.

    TF: `tf.linalg.LinearOperatorToeplitz`; no known difference.
    """

    def __init__(self, col, row, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorToeplitz"):  # fmt: skip
        parameters = dict(locals())
        self._row = as_matrix_tensor(row, "row", 1)
        self._col = as_matrix_tensor(col, "col", 1)
        if not self._row.shape[-1:].is_compatible_with(self._col.shape[-1:]):
            raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        parameters["is_square"] = True
        _initialize(self, self._row.dtype, parameters)

    col = property(lambda self: self._col, doc="The first column.")
    row = property(lambda self: self._row, doc="The first row.")

    def _shape(self):
        shape = (self._col + self._row).shape
        return shape.concatenate(shape[-1:])

    def _parts(self):
        shape = self.shape[:-1]
        return broadcast_to(self._col, shape), broadcast_to(self._row, shape)

    def _matmul(self, x, adjoint):
        col, row = self._parts()
        if adjoint:
            col, row = conj(row), conj(col)
        size = self.shape[-1]
        # The upper left part of a circulant matrix of twice the size.
        circle = concat([col, zeros_like(col[..., :1]), reverse(row[..., 1:], axis=[-1])], -1)
        wide = dtypes.complex128 if self.dtype in (dtypes.float64, dtypes.complex128) else dtypes.complex64
        operator = LinearOperatorCirculant(fft(cast(circle, wide)), input_output_dtype=self.dtype)
        return operator.matmul(concat([x, zeros_like(x)], -2))[..., :size, :]

    def _to_dense(self):
        col, row = self._parts()
        size = self.shape[-1]
        values = concat([reverse(row, axis=[-1]), col[..., 1:]], -1)
        return gather(values, [[size - 1 + i - j for j in range(size)] for i in range(size)], axis=-1)

    def _diag_part(self):
        return broadcast_to(self._col[..., :1], self.shape[:-1])

    def _trace(self):
        return self.shape[-1] * broadcast_to(self._col[..., 0], self.shape[:-2])

    def __getitem__(self, key):
        return _sliced(self, key, lambda key: {"col": self._col[key], "row": self._row[key]})


class _Circulant(LinearOperator):
    """Base of circulant operators: a product multiplies the discrete Fourier transform by the spectrum."""

    _depth = 0
    _transforms = (fft, ifft)

    def _prepare(self, spectrum, input_output_dtype, parameters):
        self._spectrum = as_matrix_tensor(spectrum, "spectrum", self._depth, None)
        if not self._spectrum.dtype.is_complex:
            if parameters["is_self_adjoint"] is False:
                raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
            parameters["is_self_adjoint"] = True
        if parameters["is_square"] is False:
            raise ValueError("A [[nested] block] circulant operator is always square.")
        parameters["is_square"] = True
        _initialize(self, dtypes.as_dtype(input_output_dtype), parameters)

    spectrum = property(lambda self: self._spectrum, doc="The eigenvalues, in the order of the transform.")
    block_depth = property(lambda self: self._depth, doc="Of how many dimensions the transform is.")
    block_shape = property(lambda self: self._spectrum.shape[-self._depth :], doc="Shape of the transform.")

    def block_shape_tensor(self):
        """The shape of the transform, an int32 vector."""
        return convert_to_tensor(self.block_shape.as_list(), dtypes.int32)

    def _shape(self):
        size = math.prod(self.block_shape.as_list())
        return self._spectrum.shape[: -self._depth].concatenate([size, size])

    def _eigenvalues(self):
        """The spectrum as a complex tensor."""
        wide = dtypes.complex128 if self._spectrum.dtype in (dtypes.float64, dtypes.complex128) else dtypes.complex64
        return cast(self._spectrum, wide)

    def _times(self, spectrum, x):
        forward, backward = self._transforms
        block = self.block_shape.as_list()
        columns = matrix_transpose(cast(x, spectrum.dtype))
        shaped = reshape(columns, [*columns.shape[:-1], *block])
        result = backward(expand_dims(spectrum, -self._depth - 1) * forward(shaped))
        flat = reshape(result, [*result.shape[: -self._depth], math.prod(block)])
        return cast(matrix_transpose(flat), self.dtype)

    def _matmul(self, x, adjoint):
        spectrum = self._eigenvalues()
        return self._times(conj(spectrum) if adjoint else spectrum, x)

    def _solve(self, rhs, adjoint):
        spectrum = self._eigenvalues()
        return self._times(1 / (conj(spectrum) if adjoint else spectrum), rhs)

    def _like(self, spectrum):
        return type(self)(spectrum, self.dtype, self.is_non_singular, self.is_self_adjoint, self.is_positive_definite)

    def _adjoint(self):
        return self._like(conj(self._spectrum))

    def _inverse(self):
        return self._like(1.0 / self._spectrum)

    def convolution_kernel(self, name="convolution_kernel"):
        """The inverse transform of the spectrum, in the dtype of the operator."""
        return cast(self._transforms[1](self._eigenvalues()), self.dtype)

    def _over_spectrum(self, function, values):
        return function(values, axis=list(range(-self._depth, 0)))

    def _determinant(self):
        return cast(self._over_spectrum(reduce_prod, self._spectrum), self.dtype)

    def _log_abs_determinant(self):
        return cast(self._over_spectrum(reduce_sum, log(absolute(self._spectrum))), self.dtype)

    def _trace(self):
        return cast(self._over_spectrum(reduce_sum, self._spectrum), self.dtype)

    def _diag_part(self):
        size = self.shape[-1]
        return broadcast_to(expand_dims(self._trace() / size, -1), self.shape[:-1])

    def _cond(self):
        sizes = absolute(self._spectrum)
        return cast(self._over_spectrum(reduce_max, sizes) / self._over_spectrum(reduce_min, sizes), self.dtype)

    def _eigvals(self):
        return convert_to_tensor(self._spectrum)

    def assert_non_singular(self, name="assert_non_singular"):
        """Raises InvalidArgumentError unless the spectrum has no zeros."""
        return require_nonzero(self._spectrum, "Singular operator:  Spectrum contained zero values.")

    def assert_positive_definite(self, name="assert_positive_definite"):
        """Raises InvalidArgumentError unless the real parts of the spectrum are positive."""
        text = "Not positive definite:  Real part of spectrum was not all positive."
        return require_positive(self._spectrum, text)

    def assert_hermitian_spectrum(self, name="assert_hermitian_spectrum"):
        """Raises InvalidArgumentError unless the kernel is real, so that products with real vectors are.

        Returns:
          None.
        """
        kernel = self._transforms[1](self._eigenvalues())
        parts = kernel - conj(kernel)
        epsilon = 1e-4 if kernel.dtype == dtypes.complex64 else 1e-12
        return assert_near(absolute(parts), zeros_like(absolute(parts)), atol=epsilon * self.shape[-1],
                           message="Spectrum was not Hermitian")  # fmt: skip


class LinearOperatorCirculant(_Circulant):
    """A circulant matrix: convolution on a circle.

    Args:
      spectrum: floating or complex tensor of shape `[..., n]`: the eigenvalues, the Fourier transform of the first
        column.
      input_output_dtype: dtype of what is multiplied, and of the results; imaginary parts are dropped if it is real.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      name: a name.

    Raises:
      ValueError: a real spectrum said not to be self-adjoint; said not to be square.

    TF: `tf.linalg.LinearOperatorCirculant`; no known difference.
    """

    _depth = 1

    def __init__(self, spectrum, input_output_dtype=dtypes.complex64, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=True, name="LinearOperatorCirculant"):  # fmt: skip
        self._prepare(spectrum, input_output_dtype, dict(locals()))


class LinearOperatorCirculant2D(_Circulant):
    """A block circulant matrix of circulant blocks: convolution on a torus.

    Args:
      spectrum: floating or complex tensor of shape `[..., n0, n1]`: the eigenvalues.
      input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as in
        `LinearOperatorCirculant`.

    Raises:
      ValueError: as `LinearOperatorCirculant`.

    TF: `tf.linalg.LinearOperatorCirculant2D`; no known difference.
    """

    _depth = 2
    _transforms = (fft2d, ifft2d)

    def __init__(self, spectrum, input_output_dtype=dtypes.complex64, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=True, name="LinearOperatorCirculant2D"):  # fmt: skip
        self._prepare(spectrum, input_output_dtype, dict(locals()))


class LinearOperatorCirculant3D(_Circulant):
    """A nested block circulant matrix: convolution on a torus of three dimensions.

    Args:
      spectrum: floating or complex tensor of shape `[..., n0, n1, n2]`: the eigenvalues.
      input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as in
        `LinearOperatorCirculant`.

    Raises:
      ValueError: as `LinearOperatorCirculant`.

    TF: `tf.linalg.LinearOperatorCirculant3D`; no known difference.
    """

    _depth = 3
    _transforms = (fft3d, ifft3d)

    def __init__(self, spectrum, input_output_dtype=dtypes.complex64, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=True, name="LinearOperatorCirculant3D"):  # fmt: skip
        self._prepare(spectrum, input_output_dtype, dict(locals()))

"""Linear operators made of others: adjoint, inverse, composition, Kronecker product, blocks."""

import functools
import itertools
from typing import Any

import numpy as np

from tfcompat._control import group
from tfcompat._core.public_convert import convert_to_tensor
from tfcompat.array import broadcast_to, concat, expand_dims, reshape, split, squeeze, transpose, zeros
from tfcompat.linalg._operator import LinearOperator, algebra
from tfcompat.linalg._operator_kinds import (
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
    _initialize,
)
from tfcompat.linalg._products import adjoint as adjoint_of
from tfcompat.math import conj


def product(left, right):
    """The product of two operators, of the simplest kind."""
    if isinstance(left, LinearOperatorIdentity):
        return right
    if isinstance(right, LinearOperatorIdentity):
        return left
    if isinstance(left, LinearOperatorZeros) or isinstance(right, LinearOperatorZeros):
        rows, columns = left.shape[-2], right.shape[-1]
        square = rows == columns
        return LinearOperatorZeros(rows, columns, dtype=left.dtype, is_self_adjoint=square, is_square=square)
    hints = {
        "is_non_singular": _both(left.is_non_singular, right.is_non_singular),
        "is_square": left.shape[-2] == right.shape[-1],
    }
    if isinstance(left, LinearOperatorScaledIdentity) and isinstance(right, LinearOperatorScaledIdentity):
        return LinearOperatorScaledIdentity(left.shape[-1], left.multiplier * right.multiplier,
                                            is_non_singular=hints["is_non_singular"])  # fmt: skip
    if isinstance(left, LinearOperatorDiag) and isinstance(right, LinearOperatorDiag):
        return LinearOperatorDiag(left.diag * right.diag, is_non_singular=hints["is_non_singular"], is_square=True)
    return LinearOperatorComposition([left, right], **hints)


def _both(first, second):
    if first is False or second is False:
        return False
    return True if first and second else None


def _common(operators, hint):
    """Whether all operators have a property; None if unknown."""
    known = [getattr(operator, hint) for operator in operators]
    return True if all(known) else None


def _checked_list(operators, message):
    operators = list(operators)
    if not operators:
        raise ValueError(message.format(operators))
    for operator in operators[1:]:
        if operator.dtype != operators[0].dtype:
            names = [(o.name, o.dtype.name) for o in operators]
            raise TypeError(f"Expected all operators to have the same dtype. Found {names}")
    return operators


class LinearOperatorAdjoint(LinearOperator):
    """The conjugate transpose of an operator.

    Args:
      operator: LinearOperator.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints; those of `operator` if None.
      name: a name.

    TF: `tf.linalg.LinearOperatorAdjoint`; no known difference.
    """

    def __init__(self, operator, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name=None):  # fmt: skip
        parameters = dict(locals())
        self._operator = operator
        for hint in ("is_non_singular", "is_self_adjoint", "is_positive_definite"):
            parameters[hint] = getattr(operator, hint) if parameters[hint] is None else parameters[hint]
        parameters["name"] = name or f"{operator.name}_adjoint"
        _initialize(self, operator.dtype, parameters)

    operator = property(lambda self: self._operator, doc="The operator.")

    def _shape(self):
        *batch, rows, columns = self._operator.shape.as_list()
        return [*batch, columns, rows]

    def _matmul(self, x, adjoint):
        return self._operator.matmul(x, adjoint=not adjoint)

    def _solve(self, rhs, adjoint):
        return self._operator.solve(rhs, adjoint=not adjoint)

    def _adjoint(self):
        return self._operator

    def _to_dense(self):
        return adjoint_of(self._operator.to_dense())

    def _diag_part(self):
        return conj(self._operator.diag_part())

    def _determinant(self):
        return conj(self._operator.determinant())

    def _log_abs_determinant(self):
        return self._operator.log_abs_determinant()


class LinearOperatorInversion(LinearOperator):
    """The inverse of an operator.

    Args:
      operator: square LinearOperator.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints; those of `operator` if None.
      name: a name.

    Raises:
      ValueError: `operator` is not square, or known to be singular.

    TF: `tf.linalg.LinearOperatorInversion`; no known difference.
    """

    def __init__(self, operator, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name=None):  # fmt: skip
        parameters = dict(locals())
        self._operator = operator
        if operator.is_square is False or is_square is False:
            raise ValueError(
                "Argument `is_square` or argument `operator` must have supplied hint `is_square` equal to `True` or "
                f"`None`. Found `operator.is_square`: {operator.is_square}, `is_square`: {is_square}."
            )
        if operator.is_non_singular is False or is_non_singular is False:
            raise ValueError(
                "Argument `is_non_singular` or argument `operator` must have supplied hint `is_non_singular` equal to "
                "`True` or `None`."
            )
        for hint in ("is_non_singular", "is_self_adjoint", "is_positive_definite"):
            parameters[hint] = getattr(operator, hint) if parameters[hint] is None else parameters[hint]
        parameters.update(is_square=True, name=name or f"{operator.name}_inv")
        _initialize(self, operator.dtype, parameters)

    operator = property(lambda self: self._operator, doc="The operator.")

    def _shape(self):
        return self._operator.shape

    def assert_non_singular(self, name="assert_non_singular"):
        """As that of the operator."""
        return self.operator.assert_non_singular()

    def assert_positive_definite(self, name="assert_positive_definite"):
        """As that of the operator."""
        return self.operator.assert_positive_definite()

    def assert_self_adjoint(self, name="assert_self_adjoint"):
        """As that of the operator."""
        return self.operator.assert_self_adjoint()

    def _matmul(self, x, adjoint):
        return self._operator.solve(x, adjoint=adjoint)

    def _solve(self, rhs, adjoint):
        return self._operator.matmul(rhs, adjoint=adjoint)

    def _inverse(self):
        return self._operator

    def _determinant(self):
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self):
        return -self._operator.log_abs_determinant()


class _OfOperators:
    """What operators made of several others have in common."""

    operators: Any

    def assert_non_singular(self, name="assert_non_singular"):
        """Raises InvalidArgumentError unless each operator is invertible."""
        return group(*[operator.assert_non_singular() for operator in self.operators])


class LinearOperatorComposition(_OfOperators, LinearOperator):
    """The product of operators.

    Args:
      operators: list of LinearOperators.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      name: a name.

    Raises:
      ValueError: no operators.
      TypeError: dtypes differ.

    TF: `tf.linalg.LinearOperatorComposition`; sizes are checked at once.
    """

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=None, name=None):  # fmt: skip
        parameters = dict(locals())
        self._operators = _checked_list(operators, "Expected a non-empty list of operators. Found: {}")
        for left, right in itertools.pairwise(self._operators):
            if not left.shape[-1:].is_compatible_with(right.shape[-2:-1]):
                raise ValueError(f"Dimensions {left.shape[-1]} and {right.shape[-2]} are not compatible")
        if all(o.is_non_singular for o in self._operators):
            if is_non_singular is False:
                raise ValueError("The composition of non-singular operators is always non-singular.")
            parameters["is_non_singular"] = True
        parameters["name"] = name or "_o_".join(o.name for o in self._operators)
        _initialize(self, self._operators[0].dtype, parameters)

    operators = property(lambda self: self._operators, doc="The operators.")

    def _shape(self):
        batch = np.broadcast_shapes(*(o.batch_shape.as_list() for o in self._operators))
        return [*batch, self._operators[0].shape[-2], self._operators[-1].shape[-1]]

    def _matmul(self, x, adjoint):
        for operator in self._operators if adjoint else self._operators[::-1]:
            x = operator.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs, adjoint):
        for operator in self._operators[::-1] if adjoint else self._operators:
            rhs = operator.solve(rhs, adjoint=adjoint)
        return rhs

    def _determinant(self):
        return functools.reduce(lambda x, y: x * y, [o.determinant() for o in self._operators])

    def _log_abs_determinant(self):
        return functools.reduce(lambda x, y: x + y, [o.log_abs_determinant() for o in self._operators])


class LinearOperatorKronecker(_OfOperators, LinearOperator):
    """The Kronecker product of operators.

    Args:
      operators: list of LinearOperators.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      name: a name.

    Raises:
      ValueError: no operators.
      TypeError: dtypes differ.

    TF: `tf.linalg.LinearOperatorKronecker`; no known difference.
    """

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=None, name=None):  # fmt: skip
        parameters = dict(locals())
        message = "Argument `operators` must be a list of >=1 operators. Received: {}."
        self._operators = _checked_list(operators, message)
        for hint in ("is_square", "is_non_singular", "is_self_adjoint", "is_positive_definite"):
            if parameters[hint] is None:
                parameters[hint] = _common(self._operators, hint)
        parameters["name"] = name or "_x_".join(o.name for o in self._operators)
        _initialize(self, self._operators[0].dtype, parameters)

    operators = property(lambda self: self._operators, doc="The operators.")

    def _shape(self):
        batch = np.broadcast_shapes(*(o.batch_shape.as_list() for o in self._operators))
        sizes = [int(np.prod([o.shape[axis] for o in self._operators])) for axis in (-2, -1)]
        return [*batch, *sizes]

    def _applied(self, x, apply, columns):
        """Each operator along its own axis of the rows of `x`."""
        batch = list(np.broadcast_shapes(self.batch_shape.as_list(), x.shape[:-2].as_list()))
        count, last = len(batch), x.shape[-1]
        x = broadcast_to(x, [*batch, *x.shape[-2:].as_list()])
        sizes = [o.shape[-1 if columns else -2] for o in self._operators]
        x = reshape(x, [*batch, *sizes, last])
        for place, operator in enumerate(self._operators):
            axes = list(range(len(x.shape)))
            axis = count + place
            order = [*axes[:count], axis, *[a for a in axes[count:] if a != axis]]
            moved = transpose(x, order)
            shape = moved.shape.as_list()
            result = apply(operator, reshape(moved, [*batch, shape[count], -1]))
            result = reshape(result, [*batch, result.shape[-2], *shape[count + 1 :]])
            x = transpose(result, np.argsort(order).tolist())
        return reshape(x, [*batch, -1, last])

    def _matmul(self, x, adjoint):
        return self._applied(x, lambda o, y: o.matmul(y, adjoint=adjoint), not adjoint)

    def _solve(self, rhs, adjoint):
        return self._applied(rhs, lambda o, y: o.solve(y, adjoint=adjoint), adjoint)

    def _map(self, function):
        return LinearOperatorKronecker([function(o) for o in self._operators])

    def _inverse(self):
        return self._map(lambda o: o.inverse())

    def _adjoint(self):
        return self._map(lambda o: o.adjoint())

    def _cholesky(self):
        return self._map(lambda o: o.cholesky())

    def _weights(self):
        total = self.shape[-1]
        return [(o, total // o.shape[-1]) for o in self._operators]

    def _determinant(self):
        return functools.reduce(lambda x, y: x * y, [o.determinant() ** power for o, power in self._weights()])

    def _log_abs_determinant(self):
        terms = [o.log_abs_determinant() * float(power) for o, power in self._weights()]
        return functools.reduce(lambda x, y: x + y, terms)

    def _trace(self):
        return functools.reduce(lambda x, y: x * y, [o.trace() for o in self._operators])

    def _diag_part(self):
        result = self._operators[0].diag_part()
        for operator in self._operators[1:]:
            pair = expand_dims(result, -1) * expand_dims(operator.diag_part(), -2)
            result = reshape(pair, [*pair.shape.as_list()[:-2], -1])
        return result


def _blocks_of(x, sizes, axis):
    """(the blocks of a tensor or list, whether it was a list)."""
    if isinstance(x, list | tuple):
        if len(x) != len(sizes):
            raise ValueError(f"Dimensions {sum(sizes)} and {sum(b.shape[axis] for b in x)} are not compatible")
        return [convert_to_tensor(block) for block in x], True
    x = convert_to_tensor(x)
    if x.shape[axis] != sum(sizes):
        raise ValueError(f"Dimensions {sum(sizes)} and {x.shape[axis]} are not compatible")
    return split(x, sizes, axis), False


def _joined(blocks, axis):
    batch = list(np.broadcast_shapes(*(b.shape[:-2].as_list() for b in blocks)))
    return concat([broadcast_to(b, [*batch, *b.shape[-2:].as_list()]) for b in blocks], axis)


class _Blocks(LinearOperator):
    """Base of operators made of blocks, which also take and return lists of blocks."""

    def _apply(self, blocks, adjoint):
        raise NotImplementedError

    def _solve_blocks(self, blocks, adjoint):
        raise NotImplementedError

    def _sizes(self, axis):
        raise NotImplementedError

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """The product with a matrix, a list of its blocks of rows, or another operator."""
        if isinstance(x, LinearOperator):
            return super().matmul(x, adjoint, adjoint_arg)
        blocks, listed = _blocks_of(x, self._sizes(-2 if adjoint else -1), -1 if adjoint_arg else -2)
        result = self._apply([adjoint_of(b) for b in blocks] if adjoint_arg else blocks, bool(adjoint))
        return result if listed else _joined(result, -2)

    def _matmul(self, x, adjoint):
        return self.matmul(x, adjoint)

    def matvec(self, x, adjoint=False, name="matvec"):
        """The product with vectors, or a list of their blocks."""
        if isinstance(x, list | tuple):
            result = self.matmul([expand_dims(convert_to_tensor(b), -1) for b in x], adjoint)
            return [squeeze(b, -1) for b in result]
        return super().matvec(x, adjoint)

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """The solution of `A x = rhs`, a matrix, a list of its blocks of rows, or another operator."""
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            return super().solve(rhs, adjoint, adjoint_arg)
        blocks, listed = _blocks_of(rhs, self._sizes(-1 if adjoint else -2), -1 if adjoint_arg else -2)
        result = self._solve_blocks([adjoint_of(b) for b in blocks] if adjoint_arg else blocks, bool(adjoint))
        return result if listed else _joined(result, -2)

    def _solve(self, rhs, adjoint):
        return self.solve(rhs, adjoint)

    def solvevec(self, rhs, adjoint=False, name="solve"):
        """The solution for vectors, or a list of their blocks."""
        if isinstance(rhs, list | tuple):
            result = self.solve([expand_dims(convert_to_tensor(b), -1) for b in rhs], adjoint)
            return [squeeze(b, -1) for b in result]
        return super().solvevec(rhs, adjoint)


class LinearOperatorBlockDiag(_OfOperators, _Blocks):
    """Operators along a diagonal.

    Args:
      operators: list of LinearOperators.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      name: a name.

    Raises:
      ValueError: no operators.
      TypeError: dtypes differ.

    TF: `tf.linalg.LinearOperatorBlockDiag`; no known difference.
    """

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=True, name=None):  # fmt: skip
        parameters = dict(locals())
        self._operators = _checked_list(operators, "Expected a non-empty list of operators. Found: {}")
        for hint in ("is_non_singular", "is_self_adjoint", "is_positive_definite"):
            if parameters[hint] is None:
                parameters[hint] = _common(self._operators, hint)
        if not all(o.is_square for o in self._operators):
            parameters["is_square"] = None
        parameters["name"] = name or "_ds_".join(o.name for o in self._operators)
        _initialize(self, self._operators[0].dtype, parameters)

    operators = property(lambda self: self._operators, doc="The operators.")

    def _sizes(self, axis):
        return [o.shape[axis] for o in self._operators]

    def _shape(self):
        batch = np.broadcast_shapes(*(o.batch_shape.as_list() for o in self._operators))
        return [*batch, sum(self._sizes(-2)), sum(self._sizes(-1))]

    def _apply(self, blocks, adjoint):
        return [o.matmul(b, adjoint=adjoint) for o, b in zip(self._operators, blocks, strict=True)]

    def _solve_blocks(self, blocks, adjoint):
        return [o.solve(b, adjoint=adjoint) for o, b in zip(self._operators, blocks, strict=True)]

    def _map(self, function):
        return LinearOperatorBlockDiag([function(o) for o in self._operators])

    def _inverse(self):
        return self._map(lambda o: o.inverse())

    def _adjoint(self):
        return self._map(lambda o: o.adjoint())

    def _cholesky(self):
        return self._map(lambda o: o.cholesky())

    def assert_positive_definite(self, name="assert_positive_definite"):
        """Raises InvalidArgumentError unless each operator is positive definite."""
        return group(*[operator.assert_positive_definite() for operator in self.operators])

    def assert_self_adjoint(self, name="assert_self_adjoint"):
        """Raises InvalidArgumentError unless each operator is self-adjoint."""
        return group(*[operator.assert_self_adjoint() for operator in self.operators])

    def _determinant(self):
        return functools.reduce(lambda x, y: x * y, [o.determinant() for o in self._operators])

    def _log_abs_determinant(self):
        return functools.reduce(lambda x, y: x + y, [o.log_abs_determinant() for o in self._operators])

    def _trace(self):
        return functools.reduce(lambda x, y: x + y, [o.trace() for o in self._operators])

    def _diag_part(self):
        parts = [o.diag_part() for o in self._operators]
        batch = list(np.broadcast_shapes(*(p.shape[:-1].as_list() for p in parts)))
        return concat([broadcast_to(p, [*batch, p.shape[-1]]) for p in parts], -1)

    def _eigvals(self):
        parts = [o.eigvals() for o in self._operators]
        batch = list(np.broadcast_shapes(*(p.shape[:-1].as_list() for p in parts)))
        return concat([broadcast_to(p, [*batch, p.shape[-1]]) for p in parts], -1)


def _check_blocks(rows):
    """Raises unless operators in one row have as many rows, and in one column as many columns."""
    for i, row in enumerate(rows):
        if not row[-1].shape[-1:].is_compatible_with(row[-1].shape[-2:-1]):
            raise ValueError(f"The block on the diagonal, `operators[{i}][-1]`, must be square: {row[-1].shape}.")
        for j, block in enumerate(row):
            for axis, other, kind in ((-2, row[-1], "range"), (-1, rows[j][j], "domain")):
                size, expected = block.shape[axis], other.shape[axis]
                if size is not None and expected is not None and size != expected:
                    raise ValueError(
                        f"Argument `operators[{i}][{j}].{kind}_dimension` ({size}) must be the same as that of the "
                        f"block on the diagonal ({expected})."
                    )


class LinearOperatorBlockLowerTriangular(_Blocks):
    """Operators at and below a diagonal.

    Args:
      operators: list of lists of LinearOperators; row i has i + 1 of them, the last one square.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints, which are believed.
      name: a name.

    Raises:
      ValueError: a row of another length, or blocks that do not fit.
      TypeError: dtypes differ.

    TF: `tf.linalg.LinearOperatorBlockLowerTriangular`; no known difference.
    """

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=None, name="LinearOperatorBlockLowerTriangular"):  # fmt: skip
        parameters = dict(locals())
        self._operators = [list(row) for row in operators]
        for number, row in enumerate(self._operators):
            if len(row) != number + 1:
                raise ValueError(
                    f"Argument `operators[{number}]` must contain `{number + 1}` blocks. Received: {len(row)} blocks."
                )
        every = _checked_list(itertools.chain(*self._operators), "Argument `operators` must not be empty.")
        _check_blocks(self._operators)
        if is_non_singular is None:
            parameters["is_non_singular"] = _common([row[-1] for row in self._operators], "is_non_singular")
        parameters["is_square"] = True if is_square is None else is_square
        _initialize(self, every[0].dtype, parameters)

    operators = property(lambda self: self._operators, doc="The operators.")

    def _sizes(self, axis):
        return [row[-1].shape[axis] for row in self._operators]

    def _shape(self):
        every = itertools.chain(*self._operators)
        batch = np.broadcast_shapes(*(o.batch_shape.as_list() for o in every))
        return [*batch, sum(self._sizes(-2)), sum(self._sizes(-1))]

    def _apply(self, blocks, adjoint):
        count, result = len(self._operators), []
        for place in range(count):
            if adjoint:
                terms = [self._operators[row][place].matmul(blocks[row], adjoint=True) for row in range(place, count)]
            else:
                terms = [self._operators[place][column].matmul(blocks[column]) for column in range(place + 1)]
            result.append(functools.reduce(lambda x, y: x + y, terms))
        return result

    def _solve_blocks(self, blocks, adjoint):
        count = len(self._operators)
        result: list = [None] * count
        for place in range(count - 1, -1, -1) if adjoint else range(count):
            rest = blocks[place]
            for other in range(place + 1, count) if adjoint else range(place):
                row, column = (other, place) if adjoint else (place, other)
                rest = rest - self._operators[row][column].matmul(result[other], adjoint=adjoint)
            result[place] = self._operators[place][place].solve(rest, adjoint=adjoint)
        return result

    def _to_dense(self):
        batch, columns = self.batch_shape.as_list(), self._sizes(-1)
        rows = []
        for row in self._operators:
            parts = [broadcast_to(o.to_dense(), [*batch, *o.shape[-2:].as_list()]) for o in row]
            rest = sum(columns[len(row) :])
            parts += [zeros([*batch, row[-1].shape[-2], rest], self.dtype)] if rest else []
            rows.append(concat(parts, -1))
        return concat(rows, -2)

    def _inverse(self):
        count = len(self._operators)
        if count == 1:
            return LinearOperatorBlockLowerTriangular([[self._operators[0][0].inverse()]], is_non_singular=True)
        inverse_rows = [[row[-1].inverse()] for row in self._operators]
        for row in range(count):
            blocks = []
            for column in range(row):
                terms = [
                    self._operators[row][k].matmul(
                        (inverse_rows[k][column] if column < k else inverse_rows[k][-1]).to_dense()
                    )
                    for k in range(column, row)
                ]
                total = functools.reduce(lambda x, y: x + y, terms)
                blocks.append(LinearOperatorFullMatrix(-self._operators[row][row].solve(total)))
            inverse_rows[row] = [*blocks, inverse_rows[row][-1]]
        return LinearOperatorBlockLowerTriangular(inverse_rows, is_non_singular=True)

    def _determinant(self):
        return functools.reduce(lambda x, y: x * y, [row[-1].determinant() for row in self._operators])

    def _log_abs_determinant(self):
        return functools.reduce(lambda x, y: x + y, [row[-1].log_abs_determinant() for row in self._operators])

    def _trace(self):
        return functools.reduce(lambda x, y: x + y, [row[-1].trace() for row in self._operators])

    def _diag_part(self):
        parts = [row[-1].diag_part() for row in self._operators]
        batch = list(np.broadcast_shapes(*(p.shape[:-1].as_list() for p in parts)))
        return concat([broadcast_to(p, [*batch, p.shape[-1]]) for p in parts], -1)


algebra.product, algebra.adjoint, algebra.inverse = product, LinearOperatorAdjoint, LinearOperatorInversion

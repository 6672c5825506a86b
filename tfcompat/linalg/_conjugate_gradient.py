"""Solving by conjugate gradients."""

import collections

from tfcompat._control import while_loop
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat.array import expand_dims, squeeze, zeros_like
from tfcompat.linalg._norms import norm
from tfcompat.linalg._products import matvec
from tfcompat.math import divide, greater, less, logical_and, multiply, reduce_any

_State = collections.namedtuple("CGState", ["i", "x", "r", "p", "gamma"])


@takes_composites("tf.linalg.experimental.conjugate_gradient")
def conjugate_gradient(operator, rhs, preconditioner=None, x=None, tol=1e-5, max_iter=20, name="conjugate_gradient"):
    """Solves linear equations by the method of conjugate gradients.

    Args:
      operator: `tf.linalg.LinearOperator` of shape `[..., n, n]`, self-adjoint and positive definite.
      rhs: tensor of shape `[..., n]`, same dtype.
      preconditioner: `tf.linalg.LinearOperator` that approximates the inverse, or None.
      x: where to start, of the shape of `rhs`; zeros if None.
      tol: number; it ends when the residual is at most `tol` times as long as `rhs`, for all of a batch.
      max_iter: int, largest number of turns.
      name: ignored.

    Returns:
      `CGState(i, x, r, p, gamma)`: the turns taken, the solution, its residual, the last direction, and `r` times the
      preconditioned residual.

    Raises:
      ValueError: the operator is not said to be self-adjoint and positive definite; shapes do not fit.

    TF: `tf.linalg.experimental.conjugate_gradient`; no known difference.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")

    def dot(a, b):
        return squeeze(matvec(expand_dims(a, -1), b, adjoint_a=True), axis=-1)

    def improved(residual):
        return residual if preconditioner is None else preconditioner.matvec(residual)

    rhs = convert_to_tensor(rhs)
    limit = multiply(tol, norm(rhs, axis=-1))
    residual = rhs if x is None else rhs - operator.matvec(x)
    start = zeros_like(rhs) if x is None else convert_to_tensor(x)
    direction = improved(residual)

    def goes_on(i, state):
        return logical_and(less(i, max_iter), reduce_any(greater(norm(state.r, axis=-1), limit)))

    def turn(i, state):
        moved = operator.matvec(state.p)
        step = divide(state.gamma, dot(state.p, moved))
        residual = state.r - expand_dims(step, -1) * moved
        preconditioned = improved(residual)
        gamma = dot(residual, preconditioned)
        direction = preconditioned + expand_dims(divide(gamma, state.gamma), -1) * state.p
        return i + 1, _State(i + 1, state.x + expand_dims(step, -1) * state.p, residual, direction, gamma)

    zero = convert_to_tensor(0)
    first = _State(zero, start, residual, direction, dot(residual, direction))
    return while_loop(goes_on, turn, [zero, first])[1]

"""tensorflow/python/ops/linalg/linear_operator.py and linear_operator_addition.py."""
from tfcompat import array as _array
from tfcompat import errors as _errors
from tfcompat import linalg as _linalg
from tfcompat.linalg import LinearOperator as LinearOperator


def make_composite_tensor(cls, module_name="tf.linalg"):
    """`cls` itself: operators are passed on as they are."""
    return cls


_KINDS = (  # the sum of two is of the later kind of theirs
    (_linalg.LinearOperatorIdentity, _linalg.LinearOperatorScaledIdentity),
    (_linalg.LinearOperatorDiag,),
    (_linalg.LinearOperatorLowerTriangular,),
    (_linalg.LinearOperatorFullMatrix,),
)


def add_operators(operators, operator_name=None, addition_tiers=None, name=None):
    """The sum of operators, a list with one operator of the simplest kind that it can be.

    Args:
      operators: list of identities, scaled ones, diagonal, lower triangular and full matrices.
      operator_name: name of the result.
      addition_tiers: must be None.
      name: unused.

    Raises:
      TypeError: an operator of another kind.
      ValueError: there is none, or sizes differ.
      tf.errors.UnimplementedError: `addition_tiers`.
    """
    if addition_tiers is not None:
        raise _errors.UnimplementedError(
            None, None, "add_operators: `addition_tiers` is not available in tfcompat: leave it out"
        )
    if not operators:
        raise ValueError("Argument `operators` must contain at least one operator. Received: [].")
    first, *rest = sorted(operators, key=_kind)
    sizes = [(x.name, x.shape[-1]) for x in operators]
    if len({size for _, size in sizes}) > 1:
        raise ValueError(f"All `operators` must have the same `domain_dimension`. Received: {sizes}.")
    for operator in rest:
        first = _sum(first, operator, operator_name or f"Add/{first.name}__{operator.name}/")
    return [first]


def _kind(operator):
    kinds = [i for i, classes in enumerate(_KINDS) if isinstance(operator, classes)]
    if not kinds:
        raise TypeError(f"add_operators: expected one of {[cls.__name__ for cls in sum(_KINDS, ())]}, got {operator}.")
    return kinds[0]


def _sum(one, other, name):
    """The sum of two operators, the second of the same kind as the first or of a later one."""
    hints = {
        hint: True if getattr(one, hint) and getattr(other, hint) else None
        for hint in ("is_self_adjoint", "is_positive_definite")
    }
    hints.update(is_non_singular=hints["is_positive_definite"], is_square=one.is_square, name=name)
    kind = _kind(other)
    if kind == 0:
        factors = [getattr(x, "multiplier", _array.ones([], x.dtype)) for x in (one, other)]
        return _linalg.LinearOperatorScaledIdentity(one.shape[-1], factors[0] + factors[1], **hints)
    if kind == 1:
        return _linalg.LinearOperatorDiag(one.diag_part() + other.diag_part(), **hints)
    return _KINDS[kind][0](one.add_to_tensor(other.to_dense()), **hints)

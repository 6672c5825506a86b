"""tensorflow/python/ops/linalg/linear_operator.py and linear_operator_addition.py."""
from tfcompat import errors as _errors
from tfcompat.linalg import LinearOperator as LinearOperator


def make_composite_tensor(cls, module_name="tf.linalg"):
    """`cls` itself: operators are passed on as they are."""
    return cls


def add_operators(operators, operator_name=None, addition_tiers=None, name=None):
    """Refused. TF: `add_operators`, which looks for pairs of operators whose sum has a structure."""
    raise _errors.UnimplementedError(None, None, "add_operators is not available in tfcompat: add dense matrices")

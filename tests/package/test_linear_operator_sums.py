"""`add_operators` of tensorflow/python/ops/linalg/linear_operator_addition.py; the answers are those of TF 2.21."""

import numpy as np
import pytest

import tfcompat as tf
from tfcompat._private.linear_operator import add_operators

OPERATORS = {
    "i": tf.linalg.LinearOperatorIdentity(2),
    "s": tf.linalg.LinearOperatorScaledIdentity(2, 3.0),
    "d": tf.linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True),
    "t": tf.linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 3.0]]),
    "f": tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]),
}


@pytest.mark.parametrize(
    ("summands", "kind", "hints", "dense"),
    [
        ("d", "Diag", (True, True, True), [[1, 0], [0, 2]]),
        ("di", "Diag", (True, True, True), [[2, 0], [0, 3]]),
        ("is", "ScaledIdentity", (True, None, None), [[4, 0], [0, 4]]),
        ("ii", "ScaledIdentity", (True, True, True), [[2, 0], [0, 2]]),
        ("dt", "LowerTriangular", (None, None, None), [[2, 0], [2, 5]]),
        ("tt", "LowerTriangular", (None, None, None), [[2, 0], [4, 6]]),
        ("df", "FullMatrix", (None, None, None), [[2, 2], [3, 6]]),
        ("stf", "FullMatrix", (None, None, None), [[5, 2], [5, 10]]),
        ("isd", "Diag", (True, None, None), [[5, 0], [0, 6]]),
    ],
)
def test_sums_have_the_structure_that_they_can(summands, kind, hints, dense):
    (total,) = add_operators([OPERATORS[name] for name in summands])
    assert type(total).__name__ == f"LinearOperator{kind}"
    assert (total.is_self_adjoint, total.is_positive_definite, total.is_non_singular) == hints
    np.testing.assert_array_equal(total.to_dense(), dense)


def test_what_cannot_be_added():
    with pytest.raises(ValueError, match="at least one operator"):
        add_operators([])
    with pytest.raises(ValueError, match="domain_dimension"):
        add_operators([OPERATORS["d"], tf.linalg.LinearOperatorIdentity(3)])
    with pytest.raises(TypeError, match="expected one of"):
        add_operators([OPERATORS["d"], tf.linalg.LinearOperatorZeros(2)])
    with pytest.raises(tf.errors.UnimplementedError, match="addition_tiers"):
        add_operators([OPERATORS["d"]], addition_tiers=[])

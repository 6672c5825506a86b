"""What linear operators check of themselves, eagerly and where a graph is built."""

from rows import raised, row, row_for


def operators(tf):
    linalg = tf.linalg
    singular = linalg.LinearOperatorDiag([1.0, 0.0])
    return {
        "diagonal": singular,
        "complex": linalg.LinearOperatorDiag(tf.constant([1 + 1j, -1])),
        "triangular": linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 0.0]]),
        "scaled": linalg.LinearOperatorScaledIdentity(2, 0.0),
        "scaled by i": linalg.LinearOperatorScaledIdentity(2, tf.constant(1j)),
        "zeros": linalg.LinearOperatorZeros(2),
        "householder": linalg.LinearOperatorHouseholder([1.0, 0.0]),
        "circulant": linalg.LinearOperatorCirculant(tf.constant([1.0, 0.0])),
        "good circulant": linalg.LinearOperatorCirculant(tf.constant([1.0, 2.0])),
        "inverse": linalg.LinearOperatorInversion(singular),
        "kronecker": linalg.LinearOperatorKronecker([singular, singular]),
        "blocks": linalg.LinearOperatorBlockDiag([singular, singular]),
    }


@row_for(
    kind=["diagonal", "complex", "triangular", "scaled", "scaled by i", "zeros", "householder", "circulant",
          "good circulant", "inverse", "kronecker", "blocks"],
)  # fmt: skip
def checks(tf, np, kind):
    def text(method):
        try:
            method()
        except (tf.errors.InvalidArgumentError, NotImplementedError) as error:
            return type(error).__name__, str(error).strip().split("\n")[0].rstrip(". ")
        return "passes"

    operator = operators(tf)[kind]
    checks = operator.assert_non_singular, operator.assert_positive_definite, operator.assert_self_adjoint
    return tuple(map(text, checks))


@row
def operators_are_made_of_tensors_of_a_graph(tf, np):
    linalg = tf.linalg
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None])
        diagonal = linalg.LinearOperatorDiag(x)
        unknown = linalg.LinearOperatorDiag(tf.compat.v1.placeholder_with_default([1.0, 2.0], None))
        triangular = linalg.LinearOperatorLowerTriangular(linalg.diag(x))
        with tf.control_dependencies(check for check in [diagonal.assert_non_singular()]):
            checked = tf.identity(x)
        values = session.run(
            [diagonal.to_dense(), diagonal.matvec([2.0, 3.0]), triangular.solvevec([2.0, 3.0]), unknown.matvec(x),
             checked], {x: [1.0, 4.0]},
        )  # fmt: skip
        return values, raised(lambda: session.run(checked, {x: [1.0, 0.0]}), "Singular operator")


@row
def hints_are_set_later(tf, np):
    operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 3.0]])
    refused = raised(operator.cholesky, "positive definite")
    operator._is_positive_definite = operator._is_self_adjoint = True
    return refused, operator.is_positive_definite, operator.is_self_adjoint, operator.cholesky().to_dense()

"""Cases of `tf.linalg.LinearOperator` and its kinds: each by what it does to the same vectors."""

from cases._case import Case, c64, f32, i32, invertible, made, posdef, positive, triangular, using


def _full(data, **hints):
    return made(lambda tf, x: tf.linalg.LinearOperatorFullMatrix(x, **hints), data)


def _diag(data):
    return made(lambda tf, x: tf.linalg.LinearOperatorDiag(x), data)


def _edge(data):
    return made(lambda tf, x: tf.concat([[3.0], x], 0), data)


def _numbers(tf, size, dtype):
    return tf.reshape(tf.cast(tf.cos(tf.range(2.0 * size)), dtype), [size, 2])


def everything(tf, operator, *_):
    """What a square invertible operator does."""
    x = _numbers(tf, operator.shape[-1], operator.dtype)
    return {
        "dense": operator.to_dense(),
        "product": operator.matmul(x),
        "adjoint product": operator.matmul(x, adjoint=True),
        "solution": operator.solve(x),
        "adjoint solution": operator.solve(x, adjoint=True),
        "vector": operator.matvec(x[:, 0]),
        "vector solution": operator.solvevec(x[:, 0]),
        "diagonal": operator.diag_part(),
        "trace": operator.trace(),
        "determinant": operator.determinant(),
        "logarithm": operator.log_abs_determinant(),
        "inverse": operator.inverse().matmul(x),
        "adjoint": operator.adjoint().to_dense(),
        "sum": operator.add_to_tensor(operator.to_dense()),
    }


def products(tf, operator, *_):
    """What a singular or rectangular operator does."""
    x = _numbers(tf, operator.shape[-1], operator.dtype)
    y = _numbers(tf, operator.shape[-2], operator.dtype)
    return [operator.to_dense(), operator.matmul(x), operator.matmul(y, adjoint=True), operator.diag_part()]


def hints(tf, operator, *_):
    """What is known of an operator."""
    known = [operator.is_square, operator.is_self_adjoint, operator.is_positive_definite, operator.is_non_singular]
    return [str(known), operator.name, operator.shape, operator.batch_shape, operator.dtype, operator.tensor_rank]


_KINDS = [
    ("LinearOperatorFullMatrix", invertible(3)),
    ("LinearOperatorFullMatrix", invertible(2, dtype="complex64")),
    ("LinearOperatorDiag", positive(3)),
    ("LinearOperatorDiag", c64(3, low=0.5)),
    ("LinearOperatorLowerTriangular", triangular(3)),
    ("LinearOperatorIdentity", 3),
    ("LinearOperatorScaledIdentity", 3, positive()),
    ("LinearOperatorHouseholder", f32(3, low=0.5)),
    ("LinearOperatorPermutation", i32(value=[1, 2, 0])),
    ("LinearOperatorComposition", [_full(invertible(3)), _diag(positive(3))]),
    ("LinearOperatorKronecker", [_full(invertible(2)), _full(invertible(3))]),
    ("LinearOperatorBlockDiag", [_full(invertible(2)), _diag(positive(3))]),
    ("LinearOperatorBlockLowerTriangular", [[_full(invertible(2))], [_full(f32(2, 2)), _diag(positive(2))]]),
    ("LinearOperatorLowRankUpdate", _diag(positive(3)), f32(3, 2), positive(2), f32(3, 2)),
    ("LinearOperatorLowRankUpdate", _diag(positive(3)), f32(3, 1)),
    ("LinearOperatorAdjoint", _full(invertible(3))),
    ("LinearOperatorInversion", _full(invertible(3))),
    ("LinearOperatorTridiag", made(lambda tf, x: x + [[0.0], [3.0], [0.0]], f32(3, 4))),
    ("LinearOperatorTridiag", made(lambda tf, x: tf.linalg.band_part(x, 1, 1) + 3 * tf.eye(3), f32(3, 3)), "matrix"),
    ("LinearOperatorTridiag", [f32(3), made(lambda tf, x: x + 3, f32(3)), f32(3)], "sequence"),
    ("LinearOperatorToeplitz", _edge(f32(2)), _edge(f32(2))),
    ("LinearOperatorCirculant", positive(4)),
    ("LinearOperatorCirculant", c64(3, low=0.5)),
    ("LinearOperatorCirculant2D", positive(2, 3)),
    ("LinearOperatorCirculant3D", positive(2, 2, 2)),
]
_SOLVERS = {"rtol": 1e-4, "atol": 1e-4, "reason": "solutions of equations in float32"}

_WHOLE = [
    Case(f"tf.linalg.{kind}", *args)
    .set(id=f"everything {n}", order=2 if n in (0, 13) else 1, **_SOLVERS)
    .then(everything)
    for n, (kind, *args) in enumerate(_KINDS)
]
_KNOWN = [
    Case(f"tf.linalg.{kind}", *args).set(order=0, id=f"known {n}").then(hints) for n, (kind, *args) in enumerate(_KINDS)
]

_OTHERS = [
    Case("tf.linalg.LinearOperatorFullMatrix", f32(2, 3)).then(products),
    Case("tf.linalg.LinearOperatorFullMatrix", f32(4, 2, 3)).then(products),
    Case("tf.linalg.LinearOperatorZeros", 2).then(products),
    Case("tf.linalg.LinearOperatorZeros", 2, 3, is_square=False, is_self_adjoint=False).then(products),
    Case("tf.linalg.LinearOperatorIdentity", 2, batch_shape=[3]).then(products),
    Case("tf.linalg.LinearOperatorScaledIdentity", 2, f32(3)).then(products),
    Case("tf.linalg.LinearOperatorDiag", f32(4, 3)).then(products),
    Case("tf.linalg.LinearOperatorFullMatrix", posdef(3), None, True, True).then(
        lambda tf, o, *_: [o.cholesky().to_dense(), o.eigvals(), o.cond(), o.inverse().is_positive_definite]
    ),
    Case("tf.linalg.LinearOperatorKronecker", [_full(posdef(2), is_self_adjoint=True, is_positive_definite=True)]).then(
        lambda tf, o, *_: [o.cholesky().to_dense(), str(o.is_positive_definite)]
    ),
    Case("tf.linalg.LinearOperatorDiag", positive(2), None, True, True).then(
        lambda tf, o, *_: [o.cholesky().diag_part(), o.cond(), o.eigvals()]
    ),
    Case("tf.linalg.LinearOperatorDiag", positive(2)).then(
        lambda tf, o, *_: [type(o @ o).__name__, (o @ o).to_dense(), o.inverse().diag_part()]
    ),
    Case("tf.linalg.LinearOperatorFullMatrix", f32(2, 2)).then(
        lambda tf, o, x: [type(o @ o).__name__, (o @ o).to_dense(), type(o.inverse()).__name__, o @ x]
    ),
    Case("tf.linalg.LinearOperatorIdentity", 2).then(lambda tf, o, *_: type(o @ o).__name__),
    Case("tf.linalg.LinearOperatorBlockDiag", [_full(f32(2, 2)), _diag(f32(1))]).then(
        lambda tf, o, *_: o.matmul([tf.ones([2, 1]), tf.ones([1, 1])])
    ),
    Case("tf.linalg.LinearOperatorFullMatrix", using(lambda tf: tf.Variable([[1.0]]))).then(
        lambda tf, o, *_: len(o.trainable_variables)
    ),
    Case("tf.linalg.LinearOperatorFullMatrix", f32(3, 2, 2)).then(lambda tf, o, *_: o[0].to_dense()),
]

_REFUSED = [
    Case("tf.linalg.LinearOperatorFullMatrix", f32(2)).raises(),
    Case("tf.linalg.LinearOperatorFullMatrix", i32(2, 2)).raises(),
    Case("tf.linalg.LinearOperatorFullMatrix", f32(2, 2)).then(lambda tf, o, *_: o.cholesky()).raises(),
    Case("tf.linalg.LinearOperatorFullMatrix", f32(2, 3)).then(lambda tf, o, *_: o.determinant()).raises(),
    Case("tf.linalg.LinearOperatorFullMatrix", f32(2, 3)).then(lambda tf, o, *_: o.solve(tf.ones([2, 1]))).raises(),
    Case("tf.linalg.LinearOperatorFullMatrix", f32(2, 2)).then(lambda tf, o, *_: o.matmul(tf.ones([3, 1]))).raises(),
    Case("tf.linalg.LinearOperatorFullMatrix", f32(2, 2)).then(lambda tf, o, *_: o.matmul(tf.ones([2]))).raises(),
    Case("tf.linalg.LinearOperatorFullMatrix", f32(2, 2)).then(lambda tf, o, *_: o.eigvals()).raises(),
    Case("tf.linalg.LinearOperatorFullMatrix", f32(2, 2), False).then(lambda tf, o, *_: o.inverse()).raises(),
    Case("tf.linalg.LinearOperatorFullMatrix", f32(2, 2), False, True, True).raises(),
    Case("tf.linalg.LinearOperatorDiag", f32()).raises(),
    Case("tf.linalg.LinearOperatorDiag", f32(2), is_self_adjoint=False).raises(),
    Case("tf.linalg.LinearOperatorIdentity", 2.0).raises(),
    Case("tf.linalg.LinearOperatorIdentity", -1).raises(),
    Case("tf.linalg.LinearOperatorZeros", 2).then(lambda tf, o, *_: o.solve(tf.ones([2, 1]))).raises(),
    Case("tf.linalg.LinearOperatorZeros", 2, 3).raises(),
    Case("tf.linalg.LinearOperatorHouseholder", f32(2), is_positive_definite=True).raises(),
    Case("tf.linalg.LinearOperatorComposition", []).raises(),
    Case("tf.linalg.LinearOperatorKronecker", []).raises(),
    Case("tf.linalg.LinearOperatorBlockLowerTriangular", [[_diag(f32(2))], [_diag(f32(2))]]).raises(),
    Case("tf.linalg.LinearOperatorLowRankUpdate", _diag(f32(2)), f32(1, 3)).raises(),
    Case("tf.linalg.LinearOperatorInversion", _full(f32(2, 3))).raises(),
]

CASES = [*_WHOLE, *_KNOWN, *_OTHERS, *_REFUSED]

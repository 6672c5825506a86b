"""Writes the plans that ship with the package: `python -m tfcompat._tools.plans`.

Common operations and their gradients are called once with common kinds of shapes, and the programs of `plan_scripts`
run. What the traces tell is kept in `engine/host/plans.txt`, so that no user's process has to trace these operations;
see `engine/host/shelf.py`.
"""
import itertools
import sys

import numpy as np

import tfcompat as tf
from tfcompat import engine
from tfcompat._tools import plan_scripts
from tfcompat.engine import _families
from tfcompat.engine.host import shelf

A, B, C, D = 5, 7, 11, 13  # sizes that differ; others equal to them, and 1, make other families
RANKS = [(), (A,), (A, B), (A, B, C), (A, B, C, D)]  # of ops that look at each axis by itself
SHAPES = [(), (A,), (A, B), (A, B, C), (A, A), (A, 1), (1, A)]
PAIRS = [
    *[(shape, shape) for shape in RANKS],
    *[pair for shape in RANKS[1:] for pair in ((shape, ()), ((), shape))],
    *[pair for shape in RANKS[2:] for pair in ((shape, shape[1:]), (shape[1:], shape))],
    *[pair for shape in RANKS[1:] for axis in range(len(shape))
      for one in [(*shape[:axis], 1, *shape[axis + 1:])] for pair in ((shape, one), (one, shape))],
    ((A, B, C), (C,)), ((A, 1), (B,)), ((A, 1), (1, B)), ((A, 1, B), (C, 1)), ((1, A, B), (C, 1, B)),
]  # fmt: skip
UNARY = [
    tf.abs, tf.cos, tf.exp, tf.identity, tf.math.expm1, tf.math.log, tf.math.log1p, tf.math.log_sigmoid,
    tf.math.reciprocal, tf.math.rsqrt, tf.math.sign, tf.math.softplus, tf.negative, tf.nn.elu, tf.nn.gelu,
    tf.nn.leaky_relu, tf.nn.relu, tf.nn.relu6, tf.nn.selu, tf.nn.silu, tf.nn.softsign, tf.ones_like, tf.sigmoid,
    tf.sin, tf.sqrt, tf.square, tf.stop_gradient, tf.math.is_finite, tf.math.is_nan, tf.math.lgamma,
    tf.tan, tf.tanh, tf.zeros_like, tf.math.erf, tf.floor, tf.round, tf.math.atan, lambda x: x**2, lambda x: x**3,
    lambda x: x**2.0, lambda x: x**0.5, tf.math.sinh, tf.math.cosh, lambda x: tf.cast(x, tf.float64),
    lambda x: tf.cast(x, tf.float32), lambda x: tf.cast(x, tf.int32), lambda x: tf.clip_by_value(x, 0.1, 0.9),
]  # fmt: skip
BINARY = [
    tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum, tf.minimum, tf.pow, tf.math.squared_difference,
    tf.less, tf.greater, tf.less_equal, tf.greater_equal, tf.equal, tf.not_equal, tf.math.divide_no_nan,
]  # fmt: skip
ONE_SIDED = [tf.add, tf.subtract, tf.multiply, tf.divide, tf.matmul]  # often with data, which has no gradient
WITH_NUMBERS = [
    lambda x: x + 1.0, lambda x: 1.0 + x, lambda x: x - 1.0, lambda x: 1.0 - x, lambda x: x * 2.0, lambda x: 2.0 * x,
    lambda x: x / 2.0, lambda x: 2.0 / x, lambda x: tf.maximum(x, 0.0), lambda x: tf.minimum(x, 1.0),
    lambda x: x + x * x, lambda x: tf.nn.softmax(x), lambda x: tf.nn.log_softmax(x),
]  # fmt: skip
REDUCTIONS = [
    tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod, tf.reduce_logsumexp,
    tf.math.reduce_variance, tf.math.reduce_std, tf.norm,
]  # fmt: skip
OF_AXES = [
    tf.nn.softmax, tf.nn.log_softmax, tf.cumsum, tf.math.cumprod, tf.argmax, tf.argmin, tf.sort, tf.argsort,
    tf.math.l2_normalize,
]  # fmt: skip
INDICES = [
    np.s_[0], np.s_[-1], np.s_[1:], np.s_[:-1], np.s_[:, 0], np.s_[:, 1], np.s_[:, -1], np.s_[:, 0:1], np.s_[:, 1:2],
    np.s_[:, 1:], np.s_[:, :-1], np.s_[:, None], np.s_[None], np.s_[..., None], np.s_[..., 0], np.s_[..., -1],
    np.s_[..., 1:], np.s_[..., :-1], np.s_[::2], np.s_[::-1],
]  # fmt: skip


def programs():
    """(function of tensors, their shapes) of each program."""
    for shape, function in itertools.product(RANKS, [*UNARY, *WITH_NUMBERS]):
        yield function, [shape]
    for pair, function in itertools.product(PAIRS, BINARY):
        yield function, pair
    for shape in RANKS:
        for update in ("assign_add", "assign_sub"):
            yield lambda x, update=update: getattr(tf.Variable(tf.zeros_like(x)), update)(x), [shape]
        rank = len(shape)
        axes = [None, *range(rank), *range(-rank, 0), *([[0, 1], [-2, -1], [1, 2]] if rank > 1 else [])]
        for function, axis in itertools.product(REDUCTIONS, axes):
            yield lambda x, f=function, axis=axis: f(x, axis=axis), [shape]
            if axis in (None, 0, 1, -1):
                yield lambda x, f=function, axis=axis: f(x, axis=axis, keepdims=True), [shape]
    for shape in [*RANKS, *SHAPES[4:]]:
        for function, axis in itertools.product(OF_AXES, range(-len(shape), len(shape))):
            yield lambda x, f=function, axis=axis: f(x, axis=axis), [shape]
    for shape in SHAPES:
        rank = len(shape)
        for axis in range(-rank - 1, rank + 1):
            yield lambda x, axis=axis: tf.expand_dims(x, axis), [shape]
        for index in INDICES:
            yield lambda x, index=index: x[index], [shape]
        for function in (tf.transpose, tf.size, tf.nn.l2_loss, lambda x: tf.reshape(x, [-1]), tf.squeeze, tf.nn.softmax,
                         lambda x: tf.reshape(x, [-1, 1]), lambda x: tf.reshape(x, [1, -1])):  # fmt: skip
            yield function, [shape]
        for axis, count in itertools.product(range(-rank, rank), (2, 3)):
            yield lambda *x, axis=axis: tf.concat(x, axis), [shape] * count
        for axis, count in itertools.product(range(-rank - 1, rank + 1), (2, 3)):
            yield lambda *x, axis=axis: tf.stack(x, axis), [shape] * count
    for left, right in [((A, B), (B, C)), ((A, B), (B, B)), ((A, A), (A, A)), ((A, A), (A, B)), ((A, B), (B, 1)),
                        ((A, A), (A, 1)), ((1, A), (A, B)), ((1, A), (A, A)), ((1, A), (A, 1)), ((A, 1), (1, B)),
                        ((A, B), (B, A)), ((C, A, B), (C, B, A)), ((C, A, B), (B, A))]:  # fmt: skip
        yield tf.matmul, [left, right]
        if len(left) == len(right):
            yield lambda x, y: tf.matmul(x, y, transpose_a=True), [(*left[:-2], left[-1], left[-2]), right]
            yield lambda x, y: tf.matmul(x, y, transpose_b=True), [left, (*right[:-2], right[-1], right[-2])]
    for matrix, right in [((A, A), (A, B)), ((A, A), (A, 1)), ((A, A), (A, A)), ((C, A, A), (C, A, B))]:
        yield tf.linalg.solve, [matrix, right]
        yield lambda a, b: tf.linalg.cholesky_solve(tf.linalg.cholesky(_definite(a)), b), [matrix, right]
        for lower, adjoint in itertools.product([True, False], repeat=2):
            yield lambda a, b, lower=lower, adjoint=adjoint: tf.linalg.triangular_solve(
                _definite(a), b, lower=lower, adjoint=adjoint), [matrix, right]  # fmt: skip
    for shape in [(A, A), (C, A, A)]:
        for function in (tf.linalg.inv, tf.linalg.cholesky, tf.linalg.logdet, tf.linalg.slogdet, tf.linalg.eigh,
                         tf.linalg.eigvalsh, tf.linalg.svd, tf.linalg.qr, tf.linalg.trace, tf.linalg.diag_part,
                         tf.linalg.diag, tf.linalg.matrix_transpose, tf.linalg.expm):  # fmt: skip
            yield lambda x, function=function: _whole(function(_definite(x))), [shape]
        yield lambda x: tf.linalg.band_part(x, -1, 0), [shape]
        yield lambda x: tf.linalg.set_diag(x, tf.linalg.diag_part(x) + 1), [shape]
    yield tf.linalg.diag, [(A,)]
    yield tf.linalg.matvec, [(A, B), (B,)]
    yield tf.linalg.matvec, [(A, A), (A,)]
    for shape in SHAPES[1:]:
        for indices in ([0, 1, 1], [[0, 1], [1, 0]]):
            for kind in (tf.int32, tf.int64):
                yield lambda x, i=indices, kind=kind: tf.gather(x, tf.constant(i, kind) * int(x.shape[0] > 1)), [shape]
        for kind in (tf.int32, tf.int64):
            yield lambda x, kind=kind: tf.math.unsorted_segment_sum(x, tf.zeros([x.shape[0]], kind), 9), [shape]
            yield lambda x, kind=kind: tf.math.unsorted_segment_mean(x, tf.zeros([x.shape[0]], kind), 9), [shape]
        yield lambda x: tf.where(x > 0.5, x, 2 * x), [shape]
        yield lambda x: tf.where(x > 0.5, x, 0.0), [shape]
        yield lambda x, y: tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=y), [shape, shape]
    for logits in [(A, B), (A, A), (1, A)]:
        yield lambda x, y: tf.nn.softmax_cross_entropy_with_logits(labels=x, logits=y), [logits, logits]
        yield lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.zeros([x.shape[0]], tf.int32), logits=x), [logits]  # fmt: skip
        yield lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.zeros([x.shape[0]], tf.int64), logits=x), [logits]  # fmt: skip


def _definite(matrix):
    return matrix + 9 * tf.eye(matrix.shape[-1], dtype=matrix.dtype)


def _whole(results):
    """One tensor that depends on all results."""
    return tf.add_n([tf.reduce_sum(tf.abs(part)) for part in tf.nest.flatten(results)])


def run(chosen):
    """Calls the programs, in float32 and float64, and their gradients to second order, without computing anything."""
    for dtype, (function, shapes) in itertools.product((tf.float32, tf.float64), chosen):
        tensors = [tf.constant(np.full(shape, 0.5), dtype) for shape in shapes]
        try:
            with tf.GradientTape() as outer:
                outer.watch(tensors)
                with tf.GradientTape() as tape:
                    tape.watch(tensors)
                    result = function(*tensors)
                gradients = [tf.convert_to_tensor(g) for g in tape.gradient(result, tensors) if g is not None]
            outer.gradient(gradients, tensors)
            for tensor in tensors if function in ONE_SIDED else ():
                with tf.GradientTape() as tape:
                    tape.watch(tensor)
                    result = function(*tensors)
                tape.gradient(result, tensor)
        except (ValueError, IndexError, tf.errors.InvalidArgumentError):
            pass  # this shape is not for this function
        for node in engine.state.pending.nodes:
            _plan(node.call)
        engine.state.pending.nodes.clear()


def _plan(call):
    """Makes the plan of a call, or of the calls that its program replays."""
    inner = engine.program_behind(call)
    if inner is not None:
        for part, _ in inner.steps:
            _plan(part)
    elif getattr(call, "member", None) is not None:
        call.member.family.plan()


def texts(chosen=None):
    """What the traces of the programs tell of families of more than one combination of sizes, by key."""
    shelf.SHELF.start_empty()
    for script in plan_scripts.scripts() if chosen is None else ():  # first: `run` leaves a graph without its nodes
        script()
    run(list(programs()) if chosen is None else chosen)
    return {key: text for key, text in shelf.SHELF.new().items() if _families.SIZED not in key}


if __name__ == "__main__":
    written = texts()
    shelf.write(shelf.SHIPPED, written)
    print(f"{len(written)} families, {shelf.SHIPPED.stat().st_size:,} bytes", file=sys.stderr)

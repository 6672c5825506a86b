"""Graphs of TensorFlow 1: shapes that constants decide, in part or by way of arithmetic, and when assertions raise."""

from rows import row_for


def shown(shape):
    return None if shape.rank is None else shape.as_list()


def days(tf):
    return tf.constant([2020, 2021]) * 365 + tf.constant([1, 2]) // 2


def bounds(tf):
    return tf.reduce_min(days(tf)), tf.reduce_max(days(tf))


def one(tf):
    return tf.reduce_sum(tf.cast(tf.constant([True, False]), tf.int32))


def number(tf):
    return tf.compat.v1.placeholder(tf.int32, [])


def matrix(tf):
    return tf.compat.v1.placeholder(tf.float32, [None, 4])


SHAPES = {
    "range": lambda tf: tf.range(*bounds(tf)),
    "range of floats": lambda tf: tf.range(tf.cast(one(tf), tf.float32) * 3.0 + 1.0),
    "zeros": lambda tf: tf.zeros([bounds(tf)[1] - bounds(tf)[0]]),
    "reshape": lambda tf: tf.reshape(tf.zeros(366), [bounds(tf)[1] - bounds(tf)[0], 1]),
    "gather": lambda tf: tf.gather([0, 0, 1], (tf.range(*bounds(tf)) - 1) % 3),
    "where": lambda tf: tf.zeros(tf.where(tf.constant([True, False]), days(tf) // 365, [1, 2])),
    "size": lambda tf: tf.tile([1, 2], [tf.size(tf.range(*bounds(tf))) // 122]),
    "one_hot": lambda tf: tf.one_hot([1], one(tf) + 2),
    "eye": lambda tf: tf.eye(one(tf) + 2),
    "slice": lambda tf: tf.slice(tf.zeros((5, 5)), [0, one(tf)], [one(tf), one(tf) + 1]),
    "rows": lambda tf: tf.zeros((5, 5))[: one(tf) + 1],
    "transpose": lambda tf: tf.transpose(tf.zeros((1, 2)), [one(tf), 0]),
    "pad": lambda tf: tf.pad(tf.zeros(3), [[one(tf), one(tf)]]),
    "logarithm": lambda tf: tf.zeros([tf.cast(tf.math.log(tf.constant(9.0)) / tf.math.log(2.0), tf.int32)]),
    "loop": lambda tf: tf.zeros(tf.while_loop(lambda k: k < 5, lambda k: k + 1, [tf.constant(0)])),
    "placeholder": lambda tf: tf.zeros([number(tf), 128]),
    "stack": lambda tf: tf.zeros(tf.stack([2, number(tf), 3])),
    "concat": lambda tf: tf.random.uniform(tf.concat([[number(tf)], [5, 6]], 0)),
    "rest": lambda tf: tf.reshape(matrix(tf), tf.stack([number(tf), -1])),
    "rows of a placeholder": lambda tf: matrix(tf)[: number(tf)],
    "columns of a placeholder": lambda tf: matrix(tf)[..., number(tf) :],
    "both": lambda tf: matrix(tf)[: number(tf), tf.newaxis, 1:3],
    "slice of a placeholder": lambda tf: tf.slice(matrix(tf), [0, 1], [number(tf), 2]),
    "slice by name": lambda tf: tf.slice(tf.zeros((5, 6)), begin=[0, 1], size=[number(tf), 2]),
    "strided": lambda tf: tf.strided_slice(input_=tf.zeros((5, 6)), begin=[0, number(tf)], end=[2, 4]),
    "strided by a vector": lambda tf: tf.strided_slice(tf.zeros((5, 6)), [0, 0], tf.stack([2, number(tf)])),
    "one column": lambda tf: tf.zeros((5, 6))[..., number(tf)],
    "scatter": lambda tf: tf.scatter_nd([[0]], [1.0], [number(tf)]),
    "invariants": lambda tf: tf.while_loop(
        lambda x: True, lambda x: x[1:], [tf.zeros(4)], maximum_iterations=2, shape_invariants=[tf.TensorShape([None])]
    )[0],
}  # fmt: skip


@row_for(what=list(SHAPES))
def shape_of(tf, np, what):
    with tf.Graph().as_default():
        return shown(SHAPES[what](tf).shape)


@row_for(turns=["number", "constant", "placeholder"])
def loop_that_shrinks(tf, np, turns):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        factor = tf.constant([0.5]) * 2.0
        count = {
            "number": 3, "constant": tf.cast(tf.constant(3.0), tf.int32), "placeholder": v1.placeholder(tf.int32, [])
        }[turns]  # fmt: skip
        x, _ = tf.while_loop(
            lambda x, y: True, lambda x, y: (x[1:] * factor + x[:-1], y[:-1] - factor), (tf.range(5.0), tf.ones([5])),
            maximum_iterations=count, shape_invariants=(tf.TensorShape([None]),) * 2,
        )  # fmt: skip
        return session.run(x, {count: 3} if turns == "placeholder" else {})


CHECKS = {
    "constants": lambda tf: tf.debugging.assert_less(tf.constant(5), 3),
    "sum": lambda tf: tf.debugging.assert_less(tf.constant(5) + 1, 3),
    "sizes": lambda tf: tf.debugging.assert_less(tf.shape(tf.compat.v1.placeholder(tf.float32, [5]))[0], 3),
    "gathered": lambda tf: tf.debugging.assert_equal(tf.gather([1, 2], 0), 2),
    "sign": lambda tf: tf.debugging.assert_positive(tf.constant(-1) * 2),
    "sign of a constant": lambda tf: tf.debugging.assert_positive(tf.constant(-1)),
    "shapes": lambda tf: tf.debugging.assert_equal(tf.constant([1, 2]), tf.constant([1, 2, 3])),
    "dtypes": lambda tf: tf.debugging.assert_equal(tf.constant(1), tf.constant(1.0)),
    "difference": lambda tf: tf.debugging.assert_none_equal(tf.constant(5) - 5, 0),
    "rank": lambda tf: tf.debugging.assert_rank(tf.constant(1), 1),
    "any": lambda tf: tf.debugging.Assert(tf.constant(5) < 3, ["text"]),
    "numbers": lambda tf: tf.debugging.assert_less_equal(5, 3),
    "a number": lambda tf: tf.debugging.assert_positive(-1),
    "a constant and a number": lambda tf: tf.debugging.assert_greater_equal(tf.constant(-1), 1),
    "that holds": lambda tf: tf.debugging.assert_less(tf.constant(2) + 1, 5),
}  # fmt: skip


@row_for(what=list(CHECKS))
def when_it_raises(tf, np, what):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        try:
            check = CHECKS[what](tf)
        except Exception as error:
            return "built", type(error).__name__
        try:
            session.run(check)
        except Exception as error:
            return "run", type(error).__name__
        return "holds"


@row_for(where=["loop", "branch", "loop in a branch"])
def tapes_inside(tf, np, where):
    """A tape in the body of a loop, or in a branch, that watches what is outside, and variables."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v, c = v1.get_variable("v", initializer=[1.0, 2.0]), tf.constant([3.0, 4.0]) * 1.0

        def body(i, s):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch([c, s])
                y = c * v * s * c
            first, second = tape.gradient(y, c), tape.gradient(y, v)
            return i + 1, s + first + second + tape.gradient(y, [s, c], output_gradients=2.0 * c)[1]

        def loop():
            return tf.while_loop(lambda i, s: i < 2, body, [0, tf.ones(2)])[1]

        result = {
            "loop": loop, "branch": lambda: tf.cond(tf.reduce_sum(c) > 0.0, lambda: body(0, c)[1], lambda: c),
            "loop in a branch": lambda: tf.cond(tf.reduce_sum(c) > 0.0, loop, lambda: c),
        }[where]()  # fmt: skip
        session.run(v1.global_variables_initializer())
        return session.run(result)

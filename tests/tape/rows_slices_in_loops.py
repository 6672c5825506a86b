"""Slices between bounds that a loop computes: in a function, beside the same loop outside, and their gradients."""

import numpy as np
from rows import row, row_for

X = np.arange(22, dtype="float32").reshape(11, 2) / 7 - 1

# What a turn takes of x, by the number of the turn.
SLICES = {
    "batches": ("tf.range(3)", lambda tf, x, i: x[i * 3 : (i + 1) * 3]),
    "rest": ("tf.range(4)", lambda tf, x, i: x[i * 3 : (i + 1) * 3]),
    "steps": ("tf.range(0, 11, 4)", lambda tf, x, i: x[i : i + 4]),
    "long": ("tf.range(0, 11, 2, tf.int64)", lambda tf, x, i: x[i : i + 2]),
    "down": ("tf.range(8, -1, -2)", lambda tf, x, i: x[i : i + 2]),
    "given": ("tf.constant([0, 3, 7])", lambda tf, x, i: x[i : i + 3]),
    "from the end": ("tf.range(1, 5)", lambda tf, x, i: x[-2 * i : -2 * i + 2]),
    "to the end": ("tf.range(3)", lambda tf, x, i: x[i * 4 :]),
    "longer each turn": ("tf.range(9)", lambda tf, x, i: x[: i + 1]),
    "from the begin": ("tf.range(3)", lambda tf, x, i: x[: i + 1]),
    "beyond": ("tf.range(7)", lambda tf, x, i: x[i * 3 : i * 3 + 3]),
    "none": ("tf.range(3)", lambda tf, x, i: x[i + 2 : i + 1]),
    "before": ("tf.range(3)", lambda tf, x, i: x[i - 2 : i + 1]),
    "limited": ("tf.range(4)", lambda tf, x, i: x[i * 3 : tf.minimum(i * 3 + 3, 11)]),
    "divided": ("tf.range(8)", lambda tf, x, i: x[i // 2 * 3 : i // 2 * 3 + 2]),
    "cast": ("tf.range(3)", lambda tf, x, i: x[tf.cast(i, tf.int64) * 2 : tf.cast(i, tf.int64) * 2 + 2]),
    "two axes": ("tf.range(1)", lambda tf, x, i: x[i * 3 : i * 3 + 3, i : i + 1]),
    "columns": ("tf.range(2)", lambda tf, x, i: x[..., i : i + 1]),
    "new axis": ("tf.range(3)", lambda tf, x, i: x[tf.newaxis, i : i + 2, ..., 1]),
    "every second": ("tf.range(3)", lambda tf, x, i: x[i : i + 4 : 2]),
    "of a row": ("tf.range(3)", lambda tf, x, i: x[i : i + 4][i]),
    "computed": ("tf.range(3)", lambda tf, x, i: x[tf.cast(tf.sqrt(tf.cast(i, tf.float32)), tf.int32) : 5]),
}  # fmt: skip


@row_for(name=list(SLICES), where=["function", "eager"])
def slices(tf, name, where):
    over, taken = SLICES[name]
    x = tf.constant(X)

    def total(x):
        total, sizes = tf.zeros([]), tf.zeros([], tf.int32)
        for i in eval(over, {"tf": tf}):  # noqa: S307
            part = taken(tf, x, i)
            total = total * 0.5 + tf.reduce_sum(tf.sin(part))
            sizes = sizes * 3 + tf.size(part)
        return total, sizes

    total = tf.function(total) if where == "function" else total
    with tf.GradientTape() as tape:
        tape.watch(x)
        value, sizes = total(x)
    return value, sizes, tape.gradient(value, x)


@row
def batches_of_an_epoch(tf):
    x, y, w = tf.constant(X), tf.constant(X[:, :1] ** 2), tf.Variable(tf.ones([2, 1]))

    @tf.function
    def epoch(x, y):
        losses = tf.TensorArray(tf.float32, 3)
        order = tf.reverse(tf.range(11), [0])
        for k in tf.range(3):
            rows = order[k * 4 : (k + 1) * 4]
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.gather(x, rows) @ w - tf.gather(y, rows)) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))
            losses = losses.write(k, loss)
        return losses.stack()

    return [epoch(x, y) for _ in range(3)], w


@row
def a_loop_that_is_left(tf):
    @tf.function
    def left(x, most):
        total, turns = tf.zeros([]), tf.constant(0)
        for k in tf.range(4):
            if total > most:
                break
            total += tf.reduce_sum(x[3 * k : 3 * k + 3] ** 2)
            turns += 1
        return total, turns

    return [left(tf.constant(X), tf.constant(most)) for most in (-1.0, 3.0, 100.0)]


@row
def loops_in_one_another(tf):
    @tf.function
    def both(x):
        total = tf.zeros([])
        for epoch in tf.range(2):
            for k in tf.range(3):
                total = total / 2.0 + tf.reduce_max(x[4 * k : 4 * k + 4]) * tf.cast(epoch + 1, tf.float32)
            total += tf.reduce_sum(x[epoch : epoch + 2])
        return total

    return both(tf.constant(X))


@row
def what_depends_on_two_loops(tf):
    @tf.function
    def both(x):
        total = tf.zeros([])
        for a in tf.range(2):
            for b in tf.range(2):
                total = total / 2.0 + tf.reduce_sum(x[4 * a + 2 * b : 4 * a + 2 * b + 2])
        return total

    return both(tf.constant(X))


@row
def a_variable_defined_in_the_loop(tf):
    @tf.function
    def last(x):
        for k in tf.range(4):
            part = tf.reduce_sum(x[3 * k : 3 * k + 3])
        return part

    return last(tf.constant(X))


@row_for(where=["function", "eager"])
def windows_that_are_mapped(tf, where):
    def windows(x):
        return (
            tf.map_fn(lambda i: x[i : i + 3], tf.range(9), fn_output_signature=tf.float32),
            tf.map_fn(lambda i: tf.reduce_mean(x[2 * i : 2 * i + 2], 0), tf.range(5), fn_output_signature=tf.float32),
            tf.map_fn(lambda i: tf.reduce_sum(x[4 * i : 4 * i + 4]), tf.range(3), fn_output_signature=tf.float32),
        )

    return (tf.function(windows) if where == "function" else windows)(tf.constant(X))


@row
def slices_of_a_variable(tf):
    v = tf.Variable(X)

    @tf.function
    def total():
        total = tf.zeros([2])
        for k in tf.range(3):
            total += tf.reduce_sum(v[k * 2 : k * 2 + 2], 0)
            v.assign(v * 0.5)
        return total

    return total(), v

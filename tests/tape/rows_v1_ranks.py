"""Rows: tensors of unknown rank, and sizes that values decide, in graphs of TensorFlow 1."""

import numpy
from rows import row, row_for

X = numpy.arange(20, dtype=numpy.float32).reshape(5, 4)


def hidden(tf, value):
    """A tensor of the graph whose rank is not known."""
    return tf.compat.v1.placeholder_with_default(value, shape=None)


def vector(tf, value, size=None):
    return tf.compat.v1.placeholder_with_default(numpy.int32(value), shape=[size])


def new_axis(tf, x):
    sizes = tf.shape(x)
    return tf.reshape(x, tf.concat([sizes[:-1], [1], sizes[-1:]], 0))


def turned(tf, x):
    return tf.transpose(x, tf.concat([tf.range(1, tf.rank(x)), [0]], 0))


def padded_at_the_end(tf, x):
    rank = tf.rank(x)
    return tf.pad(x, tf.stack([tf.zeros([rank], tf.int32), tf.one_hot(rank - 1, rank, dtype=tf.int32) * 3], axis=-1))


# What a program makes of X; X is seen by its placeholder alone.
UNKNOWN = {
    "reshape by its sizes": lambda tf: new_axis(tf, hidden(tf, X)),
    "reshape to a vector": lambda tf: tf.reshape(tensor=hidden(tf, X), shape=vector(tf, [4, -1])),
    "transpose by its rank": lambda tf: turned(tf, hidden(tf, X)),
    "transpose by a permutation": lambda tf: tf.transpose(hidden(tf, X), vector(tf, [1, 0])),
    "transpose by two numbers": lambda tf: tf.transpose(hidden(tf, X), vector(tf, [1, 0], 2)),
    "pad by its rank": lambda tf: padded_at_the_end(tf, hidden(tf, X)),
    "mean over an axis": lambda tf: tf.reduce_mean(hidden(tf, X), axis=hidden(tf, numpy.int32(1)), keepdims=True),
    "sum over axes": lambda tf: tf.reduce_sum(axis=tf.concat([[0], vector(tf, [1])], 0), input_tensor=hidden(tf, X)),
    "rows": lambda tf: tf.gather(hidden(tf, X), vector(tf, [4, 1])),
    "integers": lambda tf: hidden(tf, numpy.int32([1, 2])) + vector(tf, [4, 1]),
    "range of a number with a fraction": lambda tf: tf.range(0.0, tf.cast(tf.shape(hidden(tf, X))[0], tf.float32)),
    "range between two numbers": lambda tf: tf.range(
        tf.compat.v1.placeholder_with_default(2, []), tf.compat.v1.placeholder_with_default(7, [])
    ),
    "range by steps": lambda tf: tf.range(0.0, 6.0, tf.compat.v1.placeholder_with_default(numpy.float32(1.5), [])),
}


@row_for(what=list(UNKNOWN))
def values_decide_a_shape(tf, what):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        result = UNKNOWN[what](tf)
        return str(result.shape), result.dtype.name, session.run(result)


@row
def four_unknown_sizes_cost_little(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder_with_default(X.reshape(5, 2, 2, 1), [None] * 4)
        total = tf.reduce_sum(x, tf.compat.v1.placeholder_with_default([1, 2], [2]))
        return total.dtype.name, session.run(total)


@row_for(shape=[[None], None, [2]])
def a_loop_over_unknown_sizes(tf, shape):
    """Only one size fits the array that the body uses, at all places."""
    known = numpy.float32([1, 2])
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        start = tf.compat.v1.placeholder_with_default(numpy.float32([0.5, 0.75]), shape)
        matrix = tf.eye(tf.shape(start)[0])

        def turn(i, x, matrix):
            return i + 1, tf.math.squared_difference(x, known) - tf.linalg.matvec(matrix, x), matrix

        results = tf.while_loop(lambda i, *_: i < 3, turn, (0, start, matrix))
        return [str(x.shape) for x in results], session.run(results)


@row
def a_size_at_an_unknown_axis(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return session.run(tf.shape(hidden(tf, X))[hidden(tf, numpy.int32(1))])


@row_for(number=[1, 3])
def a_branch_returns_a_tensor_of_the_graph(tf, number):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = hidden(tf, X)
        n = tf.compat.v1.placeholder_with_default(number, [])
        result = tf.cond(n < 2, lambda: x, lambda: x + 1.0)
        return session.run(result)

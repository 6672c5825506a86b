"""Functions in which sizes depend on values: one trace, values, gradients."""

from rows import row, row_for


def _vectors(tf):
    return tf.constant([1.0, -2.0, 3.0]), tf.constant([-1.0, -2.0, -3.0])


def _sum_of_a_loop(tf, x):
    total = 0.0
    for value in tf.boolean_mask(x, x > -2.5):
        total += value
    return total


EACH = {
    "where": lambda tf, x: tf.where(x > 0.0),
    "where_in_rows": lambda tf, x: tf.where(tf.stack([x > 0.0, x < 2.0])),
    "mask": lambda tf, x: (tf.boolean_mask(x, x > 0.0), tf.boolean_mask(tf.stack([x, x]), [True, False])),
    "mean": lambda tf, x: tf.reduce_mean(tf.boolean_mask(x, x > -2.5)),
    "unique": lambda tf, x: (tf.unique(x)[0], tf.unique(x)[1], tf.unique_with_counts(tf.abs(x))[2]),
    "gather": lambda tf, x: tf.gather(x, tf.where(x > -2.5)[:, 0]) * 2.0,
    "matmul": lambda tf, x: tf.matmul(tf.boolean_mask(x, x > -2.5)[None], tf.boolean_mask(x, x > -2.5)[:, None]),
    "sort": lambda tf, x: tf.sort(tf.boolean_mask(x, x > -2.5)),
    "concat": lambda tf, x: tf.concat([tf.boolean_mask(x, x > -2.5), x], 0),
    "sum_of_two": lambda tf, x: tf.boolean_mask(x, x > -2.5) + tf.boolean_mask(x * 2.0, x > -2.5),
    "scatter": lambda tf, x: tf.tensor_scatter_nd_update(x, tf.where(x > 0.0), tf.boolean_mask(x, x > 0.0) * 10.0),
    "shape": lambda tf, x: (tf.shape(tf.where(x > 0.0)), tf.zeros(tf.shape(tf.boolean_mask(x, x > 0.0)))),
    "branch": lambda tf, x: tf.cond(
        tf.size(tf.where(x > 0.0)) > 0, lambda: tf.reduce_max(tf.boolean_mask(x, x > 0.0)), lambda: 0.0
    ),
    "loop": _sum_of_a_loop,
}  # fmt: skip


@row_for(name=EACH)
def traced_once(tf, name):
    f = tf.function(lambda x: EACH[name](tf, x))
    return [f(x) for x in _vectors(tf)], f.experimental_get_tracing_count()


@row
def ragged_rows_filled_up(tf):
    f = tf.function(lambda r: (r.to_tensor(), r.row_lengths(), r.value_rowids(), r.bounding_shape()))
    first, second = tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.ragged.constant([[], [4.0, 5.0, 6.0]])
    return f(first), f(second)


@row
def gradients_of_what_is_chosen(tf):
    def f(x):
        chosen = tf.gather(x, tf.where(x < 0.0)[:, 0])
        return tf.reduce_sum(tf.boolean_mask(x, x > 0.0) ** 2) + tf.reduce_sum(chosen * 3.0)

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    results, compiled = [], tf.function(f)
    for x in _vectors(tf):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = compiled(x)
        results.append((y, tape.gradient(y, x), gradient(x)))
    return results, compiled.experimental_get_tracing_count(), gradient.experimental_get_tracing_count()


@row
def unknown_sizes_and_such_that_depend_on_values(tf):
    f = tf.function(lambda x: tf.boolean_mask(x, x > 0.0) * 2.0, input_signature=[tf.TensorSpec([None])])
    return f(tf.constant([1.0, -1.0])), f(tf.constant([2.0, 3.0, -4.0])), f.experimental_get_tracing_count()


@row
def a_loop_of_a_size_by_values_in_functions_of_functions(tf):
    class Buffer(tf.Module):
        def __init__(self):
            self.values, self.head = tf.Variable(tf.zeros([5])), tf.Variable(0)

        @tf.function
        def add(self, x):
            self.values.scatter_update(tf.IndexedSlices(x, self.head % 5))
            self.head.assign_add(1)

    buffer, sums, found = Buffer(), tf.Variable([1.0, 2.0, 3.0]), []

    @tf.function
    def inner(last):
        for i in tf.squeeze(tf.where(last), axis=-1):
            buffer.add(sums[i])
        return last

    @tf.function
    def outer(last):
        sums.assign_add([1.0, 1.0, 1.0])
        return inner(last)

    @tf.function
    def repeated(last):
        count = tf.size(tf.where(last))

        def body(i):
            inner(last)
            return i + 1

        tf.while_loop(lambda i: i < count, body, [tf.constant(0)])
        return count

    for last in ([True, False, True], [False] * 3, [True] * 3):
        outer(tf.constant(last))
        found += [buffer.values.read_value(), buffer.head.read_value()]
    return found, repeated(tf.constant([True, False, True])), buffer.values, buffer.head

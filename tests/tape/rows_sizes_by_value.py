"""Functions that take a size as a tensor, traced before its value is known: concrete functions, and saved models."""

from rows import raised, row, row_for

CALLS = {
    "zeros": lambda tf, n: tf.zeros([n, 3]),
    "fill": lambda tf, n: tf.fill([2, n], 1.5) + 1.0,
    "ones_times_two": lambda tf, n: tf.ones([2 * n + 1]),
    "reshape": lambda tf, n: tf.reshape(tf.zeros([n, 6]), [n * 2, 3]),
    "stateless": lambda tf, n: tf.random.stateless_uniform([n, 2], (1, 2)),
    "tile": lambda tf, n: tf.tile([[1, 2]], [n, 1]),
    "broadcast_to": lambda tf, n: tf.broadcast_to(tf.constant([1.0, 2.0]), [n, 2]) * tf.cast(n, tf.float32),
    "two_uses": lambda tf, n: tf.zeros([n, 2]) + tf.ones([n, 1]),
    "sum_of_them": lambda tf, n: tf.reduce_sum(tf.ones([n, 2]), 0),
    "range": lambda tf, n: tf.range(n) * 2,
    "of_its_square": lambda tf, n: tf.zeros([n * n]),
}
SHAPES = {
    "zeros": lambda tf, shape: tf.zeros(shape),
    "broadcast_to": lambda tf, shape: tf.broadcast_to(2.0, shape) + 1.0,
}


def _concrete(tf, call, n):
    return tf.function(lambda n: call(tf, n)).get_concrete_function(tf.TensorSpec([], n.dtype))


@row_for(call=list(CALLS), dtype=["int32", "int64"])
def size_of_a_concrete_function(tf, call, dtype):
    concrete = _concrete(tf, CALLS[call], tf.constant(2, dtype))
    return [concrete(tf.constant(n, dtype)) for n in (3, 1)]


@row_for(call=list(CALLS))
def its_outputs(tf, call):
    concrete = _concrete(tf, CALLS[call], tf.constant(2))
    return concrete.structured_outputs.shape.as_list(), [concrete(tf.constant(n)) for n in (4, 2)]


@row_for(call=list(SHAPES))
def shape_of_a_concrete_function(tf, call):
    f = tf.function(lambda shape: SHAPES[call](tf, shape))
    concrete = f.get_concrete_function(tf.TensorSpec([2], tf.int32))
    return [concrete(tf.constant(shape)) for shape in ([2, 3], [1, 1])]


@row
def derivative_by_what_is_repeated(tf):
    f = tf.function(lambda x, n: tf.reduce_sum(tf.tile(x[None] * x[None], [n, 1])))
    f.get_concrete_function(tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.int32))
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(3))
    return y, tape.gradient(y, x)


@row_for(call=[name for name in CALLS if name != "stateless"])  # which is no node in a saved model
def size_of_a_saved_function(tf, folder, call):
    module = tf.Module()
    module.f = tf.function(lambda n: CALLS[call](tf, n), input_signature=[tf.TensorSpec([], tf.int32)])
    tf.saved_model.save(module, folder)
    loaded = tf.saved_model.load(folder)
    signature = loaded.signatures["serving_default"]
    return loaded.f(2), loaded.f(tf.constant(4)), signature(tf.constant(3))


@row
def size_of_random_numbers_that_are_saved(tf, folder):
    module = tf.Module()
    module.f = tf.function(lambda n: tf.random.normal([n, 3], seed=7), input_signature=[tf.TensorSpec([], tf.int32)])
    tf.saved_model.save(module, folder)
    return [tf.saved_model.load(folder).f(n).shape.as_list() for n in (2, 5)]


@row
def random_numbers_of_a_function_called_in_another(tf, folder):
    module = tf.Module()
    inner = tf.function(lambda x: x + tf.random.uniform(tf.shape(x), seed=3))
    spec = [tf.TensorSpec([None], tf.float32)]
    module.f = tf.function(lambda x: inner(x) - inner(x), input_signature=spec)
    tf.saved_model.save(module, folder)
    return [tf.saved_model.load(folder).f(tf.ones(n)).shape.as_list() for n in (2, 5)]


@row
def size_that_is_wrong_when_it_runs(tf):
    concrete = _concrete(tf, CALLS["zeros"], tf.constant(2))
    return raised(lambda: concrete(tf.constant(2.0)), "float")

"""Custom gradients and `stop_gradient` of ragged and sparse tensors and extension types."""

from rows import raised, row


def rows(tf):
    return tf.ragged.constant([[1.0, 2.0], [], [3.0]])


def pair(tf):
    class Pair(tf.experimental.ExtensionType):
        a: tf.Tensor
        b: tf.Tensor

    return Pair(tf.constant([1.0, 2.0]), tf.constant(3.0))


def doubled(tf, seen):
    @tf.custom_gradient
    def f(x):
        def grad(dy):
            seen.append(type(dy).__name__)
            return dy * 10.0

        return x * 2.0, grad

    return f


def gradient(tf, f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


@row
def of_a_ragged_tensor(tf):
    seen = []
    return *map(repr, gradient(tf, doubled(tf, seen), rows(tf))), seen


@row
def of_a_ragged_tensor_in_a_function(tf):
    f = doubled(tf, [])
    inside = tf.function(lambda x: gradient(tf, f, x)[1])
    return repr(tf.function(f)(rows(tf))), repr(inside(rows(tf))), repr(gradient(tf, tf.function(f), rows(tf))[1])


@row
def of_a_ragged_tensor_and_a_tensor(tf):
    f = tf.custom_gradient(lambda x, y: (x * y, lambda dy: (dy * 2.0, tf.reduce_sum(dy) * 3.0)))
    x, y = rows(tf), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = f(x, y)
    return [repr(g) for g in tape.gradient(z, [x, y])]


@row
def of_rows_that_become_a_tensor(tf):
    f = tf.custom_gradient(lambda x: (tf.reduce_sum(x), lambda dy: x * dy))
    return repr(gradient(tf, f, rows(tf))[1])


@row
def passed_through(tf):
    return [repr(x) for x in gradient(tf, tf.grad_pass_through(tf.square), rows(tf))]


@row
def sparse_tensors_and_extension_types_are_refused(tf):
    same = tf.custom_gradient(lambda x: (x, lambda dy: dy))
    sparse = tf.sparse.from_dense([[1.0, 0.0]])
    made = tf.custom_gradient(lambda x: (tf.sparse.from_dense(x), lambda dy: dy))
    text = "is not supported as a gradient source or gradient target"
    return [raised(lambda f=f, x=x: f(x), text) for f, x in ((same, sparse), (same, pair(tf)), (made, tf.ones([2, 2])))]


@row
def text(tf):
    return tf.custom_gradient(lambda x: (x, lambda dy: dy))("a")


@row
def stopped(tf):
    slices = tf.stop_gradient(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
    values = rows(tf), tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]), tf.constant("a")
    product = gradient(tf, lambda x: tf.stop_gradient(x) * x, rows(tf))
    shown = [repr(tf.stop_gradient(x)) for x in values]
    return shown, tf.stop_gradient(pair(tf)).a, slices.values, repr(product[1])


@row
def recomputed_has_no_forward_mode(tf):
    f = tf.recompute_grad(lambda x: x * x)
    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)):
        return raised(lambda: f(x), "recompute_grad tried to transpose grad of")


@row
def recomputed_with_other_shapes(tf):
    v = tf.Variable(3.0)
    f = tf.recompute_grad(lambda x, scale=1.0: tf.reduce_sum(x * x * v) * scale)
    gradients = [gradient(tf, f, tf.ones(shape))[1] for shape in ([2], [3], [2, 2])]
    return gradients, gradient(tf, lambda x: f(x, scale=3.0), tf.ones([2]))[1]

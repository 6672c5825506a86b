"""`recompute_grad`, `grad_pass_through` and the gradient registry."""

import itertools

from rows import raised, row, row_that_differs

_names = (f"RowsOwnOp{i}" for i in itertools.count())


@row
def recompute_grad(tf, np):
    x, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0)

    @tf.recompute_grad
    def block(v):
        return tf.sin(v) * w

    with tf.GradientTape() as tape:
        y = tf.reduce_sum(block(x))
    return y, tape.gradient(y, [x, w])


@row
def recompute_grad_of_a_block_that_assigns(tf, np):
    w, last = tf.Variable(3.0), tf.Variable([0.0, 0.0], trainable=False)

    def block(v):
        last.assign(v * w)
        return tf.sin(last + v * w)

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.recompute_grad(block)(x))
        return y, tape.gradient(y, [x, w]), last.read_value()

    return f(tf.constant([1.0, 2.0])), tf.function(f)(tf.constant([2.0, 3.0]))


@row_that_differs("the Python code of the function runs once; what runs again is the recorded program")
def recompute_grad_runs_again(tf, np):
    calls = []

    @tf.recompute_grad
    def block(v):
        calls.append("run")
        return v * v

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = block(x)
    return tape.gradient(y, x), calls


@row
def recompute_grad_in_a_chain(tf, np):
    @tf.recompute_grad
    def block(v):
        return v * v

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = block(block(x))
    return tape.gradient(y, x)


@row
def recompute_grad_captured_tensor(tf, np):
    c = tf.constant(4.0)

    @tf.recompute_grad
    def block(v):
        return v * c

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = block(x)
    return tape.gradient(y, [x, c])


@row
def recompute_grad_two_arguments(tf, np):
    @tf.recompute_grad
    def block(a, b, scale=2.0):
        return a * b * scale, a + b

    a, b = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape() as tape:
        p, q = block(a, b)
        y = p * q
    return y, tape.gradient(y, [a, b])


@row
def recompute_grad_unused_argument(tf, np):
    @tf.recompute_grad
    def block(a, b):
        return a * a

    a, b = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape() as tape:
        y = block(a, b)
    return tape.gradient(y, [a, b])


@row
def recompute_grad_second_order(tf, np):
    @tf.recompute_grad
    def block(x):
        return x**3

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = block(x)
        g = inner.gradient(y, x)
    return g, raised(lambda: outer.gradient(g, x)).error is None


@row
def register_gradient_returns_the_function(tf, np):
    registered = tf.RegisterGradient(next(_names))

    def rule(op, dy):
        return dy

    return registered(rule) is rule, type(registered).__name__


@row
def register_gradient_twice(tf, np):
    name = next(_names)
    tf.RegisterGradient(name)(lambda op, dy: dy)
    again = raised(lambda: tf.RegisterGradient(name)(lambda op, dy: dy), "Registering two gradient with name")
    taken = raised(lambda: tf.RegisterGradient("Mul")(lambda op, dy: dy), "Registering two gradient with name 'Mul'")
    return again, taken


@row
def register_gradient_needs_a_name(tf, np):
    return raised(lambda: tf.RegisterGradient(3), "op_type must be a string"), raised(lambda: tf.RegisterGradient())


@row
def no_gradient(tf, np):
    name = next(_names)
    return (
        tf.no_gradient(name),
        raised(lambda: tf.no_gradient(name)),
        raised(lambda: tf.no_gradient(3), "string"),
    )


@row
def grad_pass_through(tf, np):
    x, z = tf.Variable(1.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.grad_pass_through(x.assign)(z**2)
        w = tf.grad_pass_through(tf.floor)(z * 1.5)
    return y, tape.gradient(y, z), w, tape.gradient(w, z)

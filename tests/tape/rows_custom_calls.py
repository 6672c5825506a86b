"""`custom_gradient`: when function and rule are called, errors in them, forward mode, functions."""

from rows import raised, row, row_for


@row
def how_often_it_is_called(tf, np):
    calls = []

    @tf.custom_gradient
    def f(x):
        calls.append("forward")

        def grad(dy):
            calls.append("grad")
            return dy * 2.0

        return x * 2.0, grad

    x = tf.Variable(1.0)
    f(x)
    calls.append("plain")
    with tf.GradientTape(persistent=True) as tape:
        y = f(x)
        z = f(y)
    calls.append("recorded")
    tape.gradient(z, x)
    calls.append("first")
    tape.gradient(z, x)
    calls.append("second")
    tape.gradient(y, z)
    calls.append("unconnected")
    return calls


@row
def grad_is_not_called_off_the_path(tf, np):
    calls = []

    @tf.custom_gradient
    def f(x):
        def grad(dy):
            calls.append("grad")
            return dy

        return x * 2.0, grad

    x, w = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = f(x)
        z = w * 3.0
        both = y + z
    tape.gradient(z, [x, w])
    tape.gradient(both, w)
    return calls


@row
def grad_sees_values(tf, np):
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(dy):
            seen.append((type(dy).__name__, dy.numpy().tolist(), x.numpy().tolist()))
            return dy

        return x * 2.0, grad

    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = f(x) * [3.0, 4.0]
    return tape.gradient(y, x), seen


@row
def grad_is_called_once_for_a_jacobian(tf, np):
    calls = []

    @tf.custom_gradient
    def f(x):
        def grad(dy):
            calls.append(dy.shape.as_list())
            return dy * 2.0

        return x * 2.0, grad

    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = f(x)
    return tape.jacobian(y, x), calls


@row
def exception_in_the_rule(tf, np):
    @tf.custom_gradient
    def f(x):
        def grad(dy):
            raise KeyError("no gradient today")

        return x * 2.0, grad

    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = f(x)
        z = x * x
    return raised(lambda: tape.gradient(y, x), "no gradient today"), tape.gradient(z, x)


@row
def exception_in_the_function(tf, np):
    @tf.custom_gradient
    def f(x):
        raise OSError("broken")

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        error = raised(lambda: f(x), "broken")
        y = x * x
    return error, tape.gradient(y, x)


@row
def with_a_forward_accumulator(tf, np):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 100.0 * x

    x = tf.constant([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as acc:
        y = f(x)
    return y, acc.jvp(y)


@row
def with_a_forward_accumulator_two_arguments(tf, np):
    @tf.custom_gradient
    def f(a, b):
        def grad(da, db):
            return da * 2.0 + db * 3.0, da * 5.0 * b

        return (a + b, a * b), grad

    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator([a, b], [tf.constant(1.0), tf.constant(10.0)]) as acc:
        p, q = f(a, b)
    return acc.jvp([p, q])


@row
def with_a_forward_accumulator_through_numpy(tf, np):
    @tf.custom_gradient
    def f(x):
        return tf.constant(np.sin(x.numpy())), lambda dy: dy * tf.cos(x) * 100.0

    x = tf.constant([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.5])) as acc:
        y = f(x)
    return y, acc.jvp(y)


@row
def through_numpy(tf, np):
    @tf.custom_gradient
    def f(x):
        return tf.constant(np.sin(x.numpy())), lambda dy: dy * tf.cos(x)

    x = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = f(x)
        g = inner.gradient(y, x)
    return y, g, outer.gradient(g, x)


@row
def result_not_a_tensor(tf, np):
    @tf.custom_gradient
    def f(x):
        return np.float32(7.0), lambda dy: dy * 5.0

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = f(x)
    return y, tape.gradient(y, x)


@row
def forward_over_reverse(tf, np):
    @tf.custom_gradient
    def f(x):
        return x**3, lambda dy: dy * 3.0 * x**2

    x = tf.constant([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x))
        g = tape.gradient(y, x)
    return g, acc.jvp(g)


@row
def without_a_tape(tf, np):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy

    return f(tf.constant(3.0)), f(tf.Variable([1.0, 2.0])), raised(lambda: f()).error is not None


@row
def integer_result(tf, np):
    @tf.custom_gradient
    def f(x):
        return (x * 2.0, tf.cast(x, tf.int32)), lambda dy, dn: dy * 5.0

    x = tf.Variable(2.5)
    with tf.GradientTape() as tape:
        y, n = f(x)
        z = y * tf.cast(n, tf.float32)
    return n, tape.gradient(z, x)


@row
def dtype_of_upstream(tf, np):
    seen = []

    @tf.custom_gradient
    def f(x):
        def grad(dy):
            seen.append((dy.dtype.name, dy.shape.as_list()))
            return tf.cast(dy, tf.float32)

        return tf.cast(x, tf.float64), grad

    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(f(x) ** 2)
    return tape.gradient(y, x), seen


@row
def python_number_as_gradient(tf, np):
    @tf.custom_gradient
    def f(x):
        return x * 2.0, lambda dy: 3.0

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x) * 10.0
    return raised(lambda: tape.gradient(y, x)).error is None


@row
def in_a_tf_function(tf, np):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 100.0

    @tf.function
    def outer(x):
        return f(x) * 2.0

    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = outer(x)
    return y, tape.gradient(y, x), slope(tf.constant(2.0))


def doubled_from_outside(tf, x):
    @tf.custom_gradient
    def f(p):
        with tf.GradientTape() as tape:
            tape.watch(p)
            y = 3.0 * x * x  # not p, which is the same tensor
        inside = tape.gradient(y, p)
        return y, lambda dy: dy * (0.0 if inside is None else inside)

    return f(x)


def turns_with_a_tape(tf, x):
    @tf.custom_gradient
    def f(p):
        def body(i, y, dy):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch([p, y])
                new = y * x + p
            return i + 1, new, dy * tape.gradient(new, y) + tape.gradient(new, p)

        _, y, dy = tf.while_loop(lambda i, *_: i < 3, body, [0, tf.ones_like(p), tf.zeros_like(p)])
        return y, lambda g: g * dy

    return f(x)


OUTSIDE = {
    "square": doubled_from_outside, "loop": turns_with_a_tape,
    "twice": lambda tf, x: tf.custom_gradient(lambda p, q: (p * q, lambda dy: (dy * x, dy * 2.0 * x)))(x, x),
    "itself": lambda tf, x: tf.custom_gradient(lambda p: (p, lambda dy: dy * x))(x),
    "shape": lambda tf, x: tf.custom_gradient(lambda p: (p * tf.cast(tf.size(x), p.dtype), lambda dy: dy * 5.0))(x),
}  # fmt: skip


@row_for(what=list(OUTSIDE), where=["eager", "function", "constant in a function"])
def arguments_are_the_tensors_outside(tf, np, what, where):
    """What `f` reads from outside is its argument, if both are the same tensor."""

    def derivatives(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = OUTSIDE[what](tf, x)
            gradient = tape.gradient(y, x)
        return y, gradient, outer.gradient(gradient, x)

    x = np.float32([1.5, -2.0])
    if where == "constant in a function":
        return tf.function(lambda: derivatives(tf.constant(x)))()
    return (tf.function(derivatives) if where == "function" else derivatives)(tf.constant(x))

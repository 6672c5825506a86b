"""`tf.py_function` and `tf.numpy_function` inside functions."""

from rows import raised, row


@row
def py_function_in_a_function(tf, np):
    @tf.function
    def f(x):
        return tf.py_function(lambda v: v**3, [x], tf.float32) * 2.0

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


@row
def py_function_of_several(tf, np):
    @tf.function
    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            a, b = tf.py_function(lambda a, b: (a * b, a + b), [x, x * 2.0], [tf.float32, tf.float32])
            z = a * 3.0 + b
        c = tf.py_function(lambda n: n + 1, [n], tf.int32)
        return a, b, c, tape.gradient(z, x)

    return f(tf.constant(2.0), tf.constant(7))


@row
def numpy_function_in_a_function(tf, np):
    @tf.function
    def f(x):
        return tf.numpy_function(lambda v: np.cumsum(v), [x], tf.float32) * 2.0

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, x)


@row
def called_for_their_effects(tf, np):
    seen, v = [], tf.Variable(1.0)

    @tf.function
    def f(n):
        tf.py_function(lambda i: seen.append(f"start {i.numpy()}"), [n], [])
        for i in tf.range(n):
            tf.py_function(lambda i: seen.append(str(i.numpy())), [i], [])
            if i > 0:
                tf.numpy_function(lambda i: seen.append("large"), [i], [])
            v.assign_add(tf.numpy_function(lambda a: np.float32(a) * 2, [i], tf.float32))
        return v + 0.5

    # TensorFlow runs them in some order.
    return f(tf.constant(3)), v.numpy(), sorted(seen), f(tf.constant(1)), v.numpy(), sorted(seen)


@row
def errors_in_called_functions(tf, np):
    def attempt(function, call, dtype=tf.float32):
        @tf.function
        def f(x):
            return function(call, [x], dtype)

        return raised(lambda: f(tf.constant(2.0)))

    def fail(error):
        def call(v):
            if v > 1.0:
                raise error
            return v

        return call

    return (
        [attempt(tf.py_function, fail(error)) for error in (ValueError("a"), TypeError("a"), KeyError("a"))],
        [attempt(tf.numpy_function, fail(error)) for error in (ValueError("a"), NotImplementedError("a"))],
        attempt(tf.py_function, lambda v: tf.cast(v, tf.int32)),
        attempt(tf.py_function, lambda v: 3.5, tf.int32),
        attempt(tf.numpy_function, lambda v: np.float64(3.0)),
    )


@row
def numbers_from_called_functions(tf, np):
    @tf.function
    def f(x):
        return (
            tf.py_function(lambda v: 3, [x], tf.int32),
            tf.py_function(lambda v: [1.0, 2.0], [x], [tf.float32, tf.float64]),
            tf.numpy_function(lambda v: np.int64(4), [x], tf.int64),
            tf.py_function(lambda v: (v, v), [x], [tf.float32]),
        )

    return f(tf.constant(2.0))

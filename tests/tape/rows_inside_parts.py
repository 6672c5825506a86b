"""A tape or an accumulator around a loop or a branch of a function, of which a derivative is taken inside of that."""

from rows import raised, row

X = [[1.0, 2.0], [3.0, 4.0]]


@row
def in_a_loop(tf, np):
    w = tf.Variable([[1.0, 0.5, 2.0], [0.0, 1.0, -1.0]])

    @tf.function
    def f(x):
        out, columns = tf.zeros((2, 2)), tf.TensorArray(tf.float32, size=3)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.sin(x @ w)
            for k in tf.range(3):
                column = y[:, k]
                out += tape.gradient(column, x)
                with tape.stop_recording():
                    columns = columns.write(k, tape.gradient(column, w))
        return out, columns.stack(), tape.gradient(y, x)

    return f(tf.constant(X))


@row
def in_a_while_loop(tf, np):
    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y, i, out = tf.sin(x), 0, tf.zeros((2, 2))
            while tf.reduce_sum(out) < 1.0 and i < 5:
                out += tape.gradient(tf.gather(y, i % 2), x)
                i += 1
        return out, i

    return f(tf.constant(X))


@row
def in_nested_loops(tf, np):
    v = tf.Variable([1.0, -2.0])

    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y, out = tf.sin(x), tf.zeros((2, 2))
            for i in tf.range(2):
                for j in tf.range(2):
                    out += tape.gradient(y[:, i] * v[j], x)
        return out, tape.gradient(out, [x, v])

    return f(tf.constant(X))


@row
def of_a_variable_trained_in_the_loop(tf, np):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f():
        with tf.GradientTape(persistent=True) as tape:
            for k in tf.range(3):
                loss = tf.reduce_sum((v * tf.cast(k + 1, tf.float32) - 1.0) ** 2)
                v.assign_sub(0.01 * tape.gradient(loss, v))
        return [x.name for x in tape.watched_variables()] == [v.name]

    return f(), v


@row
def of_what_the_loop_carries(tf, np):
    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            s = x
            for _ in tf.range(2):
                s = s * 2.0
                s = s + tape.gradient(s, x, unconnected_gradients="zero")
        return s, tape.gradient(s, x)

    return f(tf.constant(X))


@row
def in_branches(tf, np):
    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.sin(x)
            by_cond = tf.cond(y[0, 0] > 2.0, lambda: tape.gradient(y[:, 1], x), lambda: tape.gradient(y[:, 0], x))
            by_switch = tf.switch_case(tf.constant(1), [lambda: tape.gradient(y, x), lambda: tape.gradient(y * y, x)])
            if y[0, 0] > 0.0:
                by_if = tape.gradient(y * 3.0, x)
            else:
                by_if = x
        return by_cond, by_switch, by_if

    return f(tf.constant(X))


@row
def of_a_tape_for_one_use_in_branches(tf, np):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v**2)
            return tf.cond(y > 1.0, lambda: tape.gradient(y, v), lambda: v * 0.0)

    return f()


@row
def in_mapped_functions(tf, np):
    w = tf.Variable(X)

    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.sin(x @ w)
            mapped = tf.map_fn(lambda k: tape.gradient(y[:, k], w), tf.range(2), fn_output_signature=tf.float32)
            scanned = tf.scan(lambda a, k: a + tape.gradient(y[k], x), tf.range(2), tf.zeros_like(x))
        return mapped, scanned

    return f(tf.constant(X))


@row
def with_a_model_run_in_the_loop(tf, np):
    w, x = tf.Variable(X), tf.constant(X)

    @tf.function
    def f(x):
        total = tf.zeros((2, 2))
        with tf.GradientTape(persistent=True) as tape:
            for row in x:
                loss = tf.reduce_sum(tf.sin(tf.linalg.matvec(w, row)))
                total += tape.gradient(loss, w)
        return total

    with tf.GradientTape() as outer:
        outer.watch(x)
        y = f(x)
    return y, outer.gradient(y, [x, w])


@row
def nothing_while_the_tape_does_not_record(tf, np):
    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.sin(x)
        return tf.map_fn(lambda k: tape.gradient(y[k], x), tf.range(2), fn_output_signature=tf.float32)

    return raised(lambda: f(tf.constant(X)), "None")


@row
def in_a_function_called_inside(tf, np):
    x, w = tf.constant(X), tf.Variable([[1.0, 0.5], [0.0, 1.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.sin(x @ w)

        @tf.function
        def f():
            z = y * 3.0
            return z, tape.gradient(z, [x, w]), tape.gradient(y, x)

        z, inside, _ = f()
        f()
    return inside, tape.gradient(z, [x, w])


@row
def of_all_that_a_function_does(tf, np):
    w, opt = tf.Variable([1.0, 2.0]), tf.Variable(0.0)

    @tf.function
    def step(tape, x):
        loss = tf.reduce_sum((w * x) ** 2)
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.1 * gradient)
        return loss, gradient

    tape = tf.GradientTape(persistent=True)
    with tape:
        first = step(tape, 0.5)
        opt.assign_add(first[0])
    return first, w, opt, tape.gradient(first[0], w)


@row
def in_a_function_that_calls_functions(tf, np):
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def cubed(x):
        return x * x * x

    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = cubed(x) * w

            @tf.function
            def inner():
                total = tf.zeros_like(x)
                for k in tf.range(2):
                    total += tape.gradient(cubed(y)[k], x)
                return total

            return inner()

    return f(tf.constant([1.0, 0.5]))


def _moving(tf, body):
    """`body` of `x` and an accumulator that moves `x` and looks at what the body does, in a function."""

    @tf.function
    def f(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            return body(x, accumulator)

    return f(tf.constant(X))


@row
def jvp_in_loops(tf, np):
    def by_for(x, accumulator):
        out = tf.zeros_like(x)
        for k in tf.range(3):
            out += accumulator.jvp(tf.sin(x) * tf.cast(k, tf.float32))
        return out, accumulator.jvp(out)

    def by_while(x, accumulator):
        i, out = 0, tf.zeros_like(x)
        while tf.reduce_sum(out) < 1.0 and i < 5:
            out += accumulator.jvp(tf.sin(x) * 3.0)
            i += 1
        return i, out

    def by_while_loop(x, accumulator):
        body = lambda i, s: (i + 1, s + accumulator.jvp(tf.sin(x)))  # noqa: E731
        return tf.while_loop(lambda i, s: i < 3, body, (0, tf.zeros_like(x)))

    return [_moving(tf, body) for body in (by_for, by_while, by_while_loop)]


@row
def jvp_of_what_the_loop_carries(tf, np):
    def body(x, accumulator):
        s = x
        for _ in tf.range(3):
            s = s + accumulator.jvp(s * 2.0, unconnected_gradients="zero")
        return s, accumulator.jvp(s)

    return _moving(tf, body)


@row
def jvp_in_branches(tf, np):
    def body(x, accumulator):
        y = x * x
        by_cond = tf.cond(y[0, 0] > 0.0, lambda: accumulator.jvp(tf.sin(y)), lambda: accumulator.jvp(y))
        if y[0, 0] > 1.0:
            by_if = x
        else:
            by_if = accumulator.jvp(y * 3.0)
        return by_cond, by_if, accumulator.jvp(by_cond), accumulator.jvp(by_if)

    return _moving(tf, body)


@row
def jvp_in_mapped_functions(tf, np):
    def body(x, accumulator):
        squares = lambda k: accumulator.jvp(tf.gather(x, k) ** 2)  # noqa: E731
        mapped = tf.map_fn(squares, tf.range(2), fn_output_signature=tf.float32)
        scanned = tf.scan(lambda a, k: a + accumulator.jvp(x[k] * x[k]), tf.range(2), tf.zeros([2]))
        return mapped, scanned, tf.vectorized_map(squares, tf.range(2))

    return _moving(tf, body)


@row
def jvp_in_a_branch_in_a_loop(tf, np):
    @tf.function
    def f(x):
        s = tf.zeros_like(x)
        for _ in tf.range(3):
            with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
                y = tf.sin(x)
                s += tf.cond(s[0, 0] > 0.0, lambda y=y: accumulator.jvp(y * y), lambda y=y: accumulator.jvp(y))
        return s

    return f(tf.constant(X))


@row
def jvp_in_functions_called_inside(tf, np):
    def body(x, accumulator):
        z = x * x

        @tf.function
        def inner():
            y = tf.sin(z)
            return y, accumulator.jvp(y), accumulator.jvp(z)

        y, *inside = inner()
        return inside, accumulator.jvp(y)

    x = tf.constant(X)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        eagerly = body(x, accumulator)
    return eagerly, _moving(tf, body)


@row
def jvp_inside_after_the_accumulator_was_left(tf, np):
    @tf.function
    def f(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = tf.sin(x)
        zeros = lambda: accumulator.jvp(y * 2.0, unconnected_gradients="zero")  # noqa: E731
        return tf.cond(y[0, 0] > 0.0, lambda: (accumulator.jvp(y), zeros()), lambda: (x, x))

    return f(tf.constant(X))

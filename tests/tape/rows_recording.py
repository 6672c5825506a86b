"""What is on a tape and when: nesting, persistence, stopping, resetting, re-entering, errors of misuse."""

from rows import logged, printed, raised, row, row_for


@row
def square(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return y, tape.gradient(y, x)


@row
def second_derivative(tf, np):
    x = tf.constant(5.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


@row_for(order=(1, 2, 3, 4))
def nested_order(tf, np, order):
    x = tf.constant([0.5, 1.5], tf.float64)

    def derivative(n):
        if n == 0:
            return tf.sin(x) * x
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(n - 1)
        return tape.gradient(y, x)

    return derivative(order)


@row
def mixed_derivative(tf, np):
    x, y = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(y)
        with tf.GradientTape() as inner:
            inner.watch(x)
            z = x * y * y
        dz_dx = inner.gradient(z, x)
    return dz_dx, outer.gradient(dz_dx, y)


@row
def gradient_outside_outer_tape_is_not_recorded(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3
    first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


@row
def outer_tape_sees_ops_before_and_after_inner(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        a = x * 3.0
        with tf.GradientTape() as inner:
            y = a * x
        dy_dx = inner.gradient(y, x)
        z = dy_dx * a + y
    return dy_dx, outer.gradient(z, x)


@row
def inner_tape_does_not_see_what_came_before(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        a = x * 3.0
        with tf.GradientTape() as inner:
            y = a * a
        before = inner.gradient(y, x)
    return before, outer.gradient(y, x)


@row
def two_tapes_side_by_side(tf, np):
    x0, x1 = tf.constant(0.0), tf.constant(0.0)
    with tf.GradientTape() as tape0, tf.GradientTape() as tape1:
        tape0.watch(x0)
        tape1.watch(x1)
        ys = tf.reduce_sum(tf.math.sin(x0) + tf.nn.sigmoid(x1))
    return tape0.gradient(ys, x0), tape1.gradient(ys, x1)


@row
def two_tapes_each_knows_its_own(tf, np):
    x0, x1 = tf.constant(1.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape0, tf.GradientTape(persistent=True) as tape1:
        tape0.watch(x0)
        tape1.watch(x1)
        y = x0 * x1
    return tape0.gradient(y, [x0, x1]), tape1.gradient(y, [x0, x1])


@row
def overlapping_tapes_left_in_any_order(tf, np):
    x = tf.Variable(2.0)
    first, second = tf.GradientTape(), tf.GradientTape()
    first.__enter__()
    a = x * x
    second.__enter__()
    b = a * x
    first.__exit__(None, None, None)
    c = b * x
    second.__exit__(None, None, None)
    return first.gradient(c, x), second.gradient(c, [x, a])


@row
def gradient_of_gradient_norm(tf, np):
    x = tf.constant([[0.5, -1.0, 2.0]])
    w = tf.Variable([[0.1], [0.2], [-0.3]])
    with tf.GradientTape() as outer:
        with tf.GradientTape(watch_accessed_variables=False) as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.tanh(x @ w) ** 2)
        norm = tf.norm(inner.gradient(y, x))
    return norm, outer.gradient(norm, w)


@row
def tape_made_outside_with(tf, np):
    x = tf.Variable(3.0)
    tape = tf.GradientTape()
    with tape:
        y = x * x
    return tape.gradient(y, x)


@row
def persistent_twice(tf, np):
    x = tf.constant([1.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y), tape.gradient(z, x)


@row
def persistent_second_order(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape(persistent=True) as inner:
            y = tf.reduce_sum(x**3)
            z = tf.reduce_prod(x)
        dy, dz = inner.gradient(y, x), inner.gradient(z, x)
    return outer.gradient(dy, x), outer.gradient(dz, x), outer.gradient([dy, dz], x)


@row
def accumulated_over_a_persistent_tape(tf, np):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        parts = [x[i] * x[0] for i in range(3)]
    total = tf.zeros_like(x)
    for part in parts:
        total += tf.convert_to_tensor(tape.gradient(part, x))
    return total


@row
def persistent_tape_deleted(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    g = tape.gradient(y, x)
    del tape
    return g, y * g


@row
def used_twice(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    first = tape.gradient(y, x)
    text = "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
    return first, raised(lambda: tape.gradient(y, x), text)


@row
def gradient_then_jacobian(tf, np):
    x = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    text = "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
    return raised(lambda: tape.jacobian(y, x), text), raised(lambda: tape.batch_jacobian(y, x), "non-persistent")


@row
def jacobian_then_gradient(tf, np):
    x = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        y = x * x
    j = tape.jacobian(y, x)
    return j, raised(lambda: tape.gradient(y, x), "A non-persistent GradientTape can only be used")


@row
def gradient_before_entering(tf, np):
    x = tf.Variable(2.0)
    tape = tf.GradientTape()
    return raised(lambda: tape.gradient(x * x, x), "A non-persistent GradientTape can only be used")


@row
def gradient_inside_the_context(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        g = tape.gradient(y, x)
    return g, raised(lambda: tape.gradient(y, x), "non-persistent")


@row
def gradient_inside_stops_a_plain_tape(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        g = tape.gradient(y, x)
        z = g * x
        error = raised(lambda: tape.gradient(z, x), "non-persistent")
    return g, z, error


@row
def gradient_inside_a_persistent_tape_is_recorded(tf, np):
    x = tf.Variable(2.0)

    def call():
        with tf.GradientTape(persistent=True) as tape:
            y = x**3
            first = tape.gradient(y, x)
            second = tape.gradient(first, x)
        third = tape.gradient(second, x)
        return first, second, third

    return logged(call)


@row
def gradient_inside_a_persistent_tape_warns_once(tf, np):
    x = tf.Variable(2.0)

    def call():
        for _ in range(3):
            with tf.GradientTape(persistent=True) as tape:
                tape.gradient(x * x, x)

    return logged(call)


@row
def reentered_while_active(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        error = raised(tape.__enter__, "Tape is still recording", "re-enter an already-active tape")
    return error, tape.gradient(y, x)


@row
def reentered_after_exit_goes_on(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    between = x * 5.0
    with tape:
        z = y * x + between
    return tape.gradient(z, x)


@row
def persistent_reentered_after_gradient(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    first = tape.gradient(y, x)
    with tape:
        z = y * x + first
    return first, tape.gradient(z, x), tape.gradient(z, y)


@row
def reentered_after_gradient_starts_anew(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    first = tape.gradient(y, x)
    with tape:
        z = y * x
    return first, tape.gradient(z, [x, y])


@row
def exception_inside_leaves_the_tape_usable(tf, np):
    x = tf.Variable(2.0)
    tape = tf.GradientTape()

    def body():
        with tape:
            y = x * x
            kept.append(y)
            raise KeyError("user's own")

    kept = []
    error = raised(body, "user's own")
    return error, tape.gradient(kept[0], x), x * 2.0


@row
def bad_op_inside_leaves_the_tape_usable(tf, np):
    x = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        y = x * x
        error = raised(lambda: y + tf.ones([3]), "Incompatible shapes", "[2]", "[3]")
        z = y * x
    return error, tape.gradient(z, x)


@row
def bad_gradient_call_leaves_a_persistent_tape_usable(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    error = raised(lambda: tape.gradient(None, x), "Argument `target` should be a list or nested structure")
    return error, tape.gradient(y, x)


@row
def stop_recording(tf, np):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x_sq = x * x
        with tape.stop_recording():
            y_sq = y * y
        z = x_sq + y_sq
    return z, tape.gradient(z, {"x": x, "y": y})


@row
def stop_recording_prints(tf, np):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        x_sq = x * x
        with tape.stop_recording():
            y_sq = y * y
        z = x_sq + y_sq
    grad = tape.gradient(z, {"x": x, "y": y})
    return printed(lambda: (print("dz/dx:", grad["x"]), print("dz/dy:", grad["y"])))


@row
def stop_recording_of_the_inner_tape_only(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            with inner.stop_recording():
                y = x * x
            z = y + x
        inner_grad = inner.gradient(z, x)
    return inner_grad, outer.gradient(z, x)


@row
def gradient_inside_stop_recording(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        with tape.stop_recording():
            g = tape.gradient(y, x)
        z = y * g
    return g, tape.gradient(z, x)


@row
def variable_read_inside_stop_recording(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            value = tf.convert_to_tensor(x)
        y = value * x
    return tape.gradient(y, x)


@row
def variable_first_read_inside_stop_recording_is_not_watched(tf, np):
    x = tf.Variable(3.0, name="x")
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            x.read_value()
        y = tf.constant(1.0) * 2.0
    return [v.name for v in tape.watched_variables()], tape.gradient(y, x)


@row
def stop_recording_resumes_after_an_exception(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:

        def body():
            with tape.stop_recording():
                raise ValueError("inside")

        error = raised(body, "inside")
        y = x * x
    return error, tape.gradient(y, x)


@row
def stop_recording_before_entering(tf, np):
    tape = tf.GradientTape()

    def body():
        with tape.stop_recording():
            pass

    return raised(body, "Trying to stop recording a tape which is not recording.")


@row
def stop_recording_after_exit(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x

    def body():
        with tape.stop_recording():
            pass

    return raised(body, "Tape is not recording."), tape.gradient(y, x)


@row
def stop_recording_twice(tf, np):
    with tf.GradientTape() as tape:

        def body():
            with tape.stop_recording(), tape.stop_recording():
                pass

        error = raised(body, "Tape is not recording.")
    return error


@row
def reset(tf, np):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y_sq = y * y
        tape.reset()
        z = x * x + y_sq
    return tape.gradient(z, {"x": x, "y": y})


@row
def reset_forgets_watched_tensors(tf, np):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        tape.reset()
        y = x * x
    return tape.gradient(y, x)


@row
def reset_forgets_watched_variables(tf, np):
    x, y = tf.Variable(2.0, name="x"), tf.Variable(3.0, name="y")
    with tf.GradientTape() as tape:
        x * 1.0
        tape.reset()
        y * 1.0
    return [v.name for v in tape.watched_variables()]


@row
def reset_outside(tf, np):
    with tf.GradientTape() as tape:
        pass
    return raised(tape.reset, "Tape is not recording."), raised(tf.GradientTape().reset, "Tape is not recording.")


@row
def reset_in_a_loop(tf, np):
    x = tf.Variable(2.0)
    total = tf.constant(0.0)
    with tf.GradientTape() as tape:
        for step in range(4):
            total += x * float(step)
            if step == 1:
                tape.reset()
    return total, tape.gradient(total, x)


@row
def printing_inside_does_not_disturb(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
        text = printed(lambda: print(y))
        z = tf.reduce_sum(y * x)
        value = float(z)
    return text, value, tape.gradient(z, x)


@row
def values_looked_at_between(tf, np):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        seen = y.numpy()
        z = y * x
    g = tape.gradient(z, x)
    seen_gradient = g.numpy()
    return seen, seen_gradient, tape.gradient(z, y), tape.gradient(y, x)


@row
def recording_depends_on_a_watched_input_only(tf, np):
    x, c = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        d = c * c
        tape.watch(x)
        y = d * x
        tape.watch(c)
        z = c * x
    return tape.gradient(y, [x, c, d]), tape.gradient(z, [x, c])


@row
def tape_in_a_function_called_under_another(tf, np):
    def slope(value):
        with tf.GradientTape() as tape:
            tape.watch(value)
            out = tf.exp(value) * value
        return tape.gradient(out, value)

    x = tf.constant(0.5)
    with tf.GradientTape() as outer:
        outer.watch(x)
        y = slope(x) * x
    return y, outer.gradient(y, x)


@row
def newton_by_two_tapes(tf, np):
    x = tf.Variable(2.0, dtype=tf.float64)
    for _ in range(5):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = x**4 - 3.0 * x**2 + x
            g = inner.gradient(y, x)
        h = outer.gradient(g, x)
        x.assign_sub(g / h)
    return x, g, h


@row
def training_loop(tf, np):
    w, b = tf.Variable([[0.5], [-0.5]]), tf.Variable([0.0])
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [-1.0, 0.5]])
    y = tf.constant([[1.0], [0.0], [2.0]])
    losses = []
    for step in range(6):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w + b - y) ** 2)
        dw, db = tape.gradient(loss, [w, b])
        rate = 0.1 / (1 + step)
        w.assign_sub(rate * dw)
        b.assign_sub(rate * db)
        losses.append(float(loss))
    return losses, w, b


@row
def is_a_context_manager_that_returns_itself(tf, np):
    tape = tf.GradientTape()
    with tape as entered:
        pass
    return entered is tape, type(tape).__name__, tf.autodiff.GradientTape is tf.GradientTape


@row
def gradient_inside_a_persistent_tape_warns_for_each_line(tf, np):
    x = tf.Variable(2.0)

    def call():
        for _ in range(2):
            with tf.GradientTape(persistent=True) as tape:
                tape.gradient(x * x, x)
                tape.gradient(x * x, x)

    return len(logged(call)["log"])

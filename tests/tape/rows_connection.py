"""Where a gradient is `None`: ints, strings, NumPy, state, control flow; and where it is not."""

from rows import printed, raised, row, row_for


@row
def unrelated_variable(tf, np):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y * y
    return tape.gradient(z, x)


@row
def through_numpy(tf, np):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        x2 = x**2
        y = np.mean(x2, axis=0)
        y = tf.reduce_mean(y, axis=0)
    return y, tape.gradient(y, x)


@row
def through_python_float(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.constant(float(x)) * 2.0
    return y, tape.gradient(y, x)


@row
def through_integer_cast(tf, np):
    x = tf.Variable(3.7)
    with tf.GradientTape() as tape:
        y = tf.cast(tf.cast(x, tf.int32), tf.float32) * 2.0
    return y, tape.gradient(y, x)


@row
def through_float_casts(tf, np):
    x = tf.Variable(3.5)
    with tf.GradientTape() as tape:
        y = tf.cast(tf.cast(x, tf.float64) ** 2, tf.float16) * 2.0
    return y, tape.gradient(y, x)


@row
def integer_factor(tf, np):
    x, n = tf.Variable(3.0), tf.constant(4)
    with tf.GradientTape() as tape:
        tape.watch(n)
        y = x * tf.cast(n, tf.float32)
    return tape.gradient(y, [x, n])


@row
def integer_exponent(tf, np):
    x, n = tf.Variable(3.0), tf.constant(4.0)
    with tf.GradientTape() as tape:
        tape.watch(n)
        y = x**n
    return tape.gradient(y, [x, n])


@row
def string_source(tf, np):
    s, x = tf.constant("text"), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tape.watch(s)
        y = x * 2.0
    return tape.gradient(y, [s, x])


@row
def integer_target(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.cast(x, tf.int32) + 1
    return tape.gradient(y, x)


@row
def boolean_target(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x > 1.0
    return y, tape.gradient(y, x)


@row_for(name=("floor", "ceil", "round", "sign", "rint"))
def rounding(tf, np, name):
    x = tf.Variable([1.2, -2.7])
    op = getattr(tf.math, name)
    with tf.GradientTape(persistent=True) as tape:
        y = op(x)
        z = y * x
    return y, tape.gradient(y, x), tape.gradient(z, x)


@row
def comparisons_and_argmax(tf, np):
    x = tf.Variable([1.0, 5.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        mask = tf.cast(x > 2.0, tf.float32)
        best = tf.cast(tf.argmax(x), tf.float32)
        y = tf.reduce_sum(mask * x) + best
    return tape.gradient(mask, x), tape.gradient(best, x), tape.gradient(y, x)


@row
def shape_and_size(tf, np):
    x = tf.Variable([[1.0, 5.0, 3.0]])
    with tf.GradientTape(persistent=True) as tape:
        n = tf.cast(tf.size(x), tf.float32)
        s = tf.cast(tf.shape(x)[1], tf.float32)
        y = tf.reduce_sum(x) / n
    return n, s, tape.gradient([n, s], x), tape.gradient(y, x)


@row
def zeros_like_and_ones_like(tf, np):
    x = tf.Variable([1.0, 5.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.zeros_like(x)
        z = tf.ones_like(x)
        w = x * z + y
    return tape.gradient(y, x), tape.gradient(z, x), tape.gradient(w, x)


@row
def multiplied_by_zero_is_connected(tf, np):
    x = tf.Variable([1.0, 5.0])
    with tf.GradientTape() as tape:
        y = x * 0.0
    return tape.gradient(y, x)


@row
def stop_gradient(tf, np):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = x**2 + tf.stop_gradient(y**2)
    return tape.gradient(z, {"x": x, "y": y})


@row
def stop_gradient_as_source(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x * x)
        tape.watch(y)
        z = y * x
    return tape.gradient(z, [x, y])


@row
def stop_gradient_of_a_product_part(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * tf.stop_gradient(x) * x
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


@row
def assignment_cuts_history(tf, np):
    x0, x1 = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        x1.assign_add(x0)
        y = x1**2
    return y, tape.gradient(y, x0)


@row
def assignment_between_reads(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        x.assign(5.0)
        z = x * x
        total = y + z
    return total, tape.gradient(total, x)


@row
def values_read_before_an_assignment_stay(tf, np):
    x = tf.Variable([3.0, 1.0])
    with tf.GradientTape() as tape:
        before = tf.identity(x)
        y = before * x
        x.assign_add([1.0, 1.0])
        z = y * x
    return y, z, tape.gradient(z, x)


@row
def assignment_after_recording_does_not_change_the_gradient(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    x.assign(100.0)
    return tape.gradient(y, x)


@row
def assign_of_a_computed_value(tf, np):
    x, y = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape(persistent=True) as tape:
        y.assign(x * 2.0)
        z = y * x
    return z, tape.gradient(z, [x, y])


@row
def result_of_an_assignment(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x.assign_add(1.0) * 2.0
    return y, tape.gradient(y, x)


@row
def scatter_between_reads(tf, np):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = x * x
        x.scatter_nd_update([[1]], [10.0])
        z = y * x
    return z, tape.gradient(z, x)


@row
def assign_loop_and_read_each_time(tf, np):
    x, w = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        total = tf.constant(0.0)
        for _ in range(3):
            total += x * w
            x.assign_add(1.0)
    return total, tape.gradient(total, [x, w])


@row
def state_in_a_counter(tf, np):
    w, count = tf.Variable(2.0), tf.Variable(0, trainable=False)
    with tf.GradientTape() as tape:
        for _ in range(3):
            count.assign_add(1)
        y = w * tf.cast(count, tf.float32)
    return y, count, tape.gradient(y, [w, count])


@row
def python_if(tf, np):
    x = tf.constant(1.0)
    v0, v1 = tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        result = v0 if x > 0.0 else v1**2
    return tape.gradient(result, [v0, v1]), tape.gradient(result, x)


@row
def python_while(tf, np):
    x = tf.Variable(1.5)
    with tf.GradientTape() as tape:
        y = x * 1.0
        turns = 0
        while y < 20.0:
            y = y * x
            turns += 1
    return turns, y, tape.gradient(y, x)


@row
def python_for_over_a_tensor(tf, np):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        total = 0.0
        for i, item in enumerate(x):
            total += item * float(i + 1)
    return total, tape.gradient(total, x)


@row
def tf_cond(tf, np):
    x = tf.Variable(2.0)
    results = []
    for limit in (1.0, 3.0):
        with tf.GradientTape() as tape:
            y = tf.cond(x > limit, lambda: x * x, lambda: x * 5.0)
        results.append((y, tape.gradient(y, x)))
    return results


@row
def tf_while_loop(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, tf.constant(1.0)])
    return y, tape.gradient(y, x)


@row
def where_selects(tf, np):
    x, y = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([10.0, 20.0, 30.0])
    with tf.GradientTape() as tape:
        z = tf.where(x > 1.5, x * x, y)
    return z, tape.gradient(z, [x, y])


@row
def where_with_nan_in_the_branch_not_taken(tf, np):
    x = tf.Variable([0.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        bad = tf.where(x > 0.0, tf.sqrt(x), 0.0)
        safe = tf.where(x > 0.0, tf.sqrt(tf.where(x > 0.0, x, 1.0)), 0.0)
    return bad, tape.gradient(bad, x), safe, tape.gradient(safe, x)


@row_for(name=("sqrt", "rsqrt", "reciprocal", "log", "norm"))
def zero_cotangent_at_a_singular_point(tf, np, name):
    functions = {
        "sqrt": tf.sqrt,
        "rsqrt": tf.math.rsqrt,
        "reciprocal": tf.math.reciprocal,
        "log": tf.math.log,
        "norm": lambda x: tf.norm(x, keepdims=True),
    }
    x = tf.constant([0.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = functions[name](x)
    return tape.gradient(y, x), tape.gradient(y, x, output_gradients=tf.zeros([1]))


@row
def nan_and_inf_flow(tf, np):
    x = tf.Variable([0.0, -1.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.math.log(x)
        z = tf.sqrt(x)
    return y, tape.gradient(y, x), tape.gradient(z, x)


@row
def op_without_gradient(tf, np):
    image, delta = tf.Variable([[[0.5, 0.0, 0.0]]]), tf.Variable(0.1)
    with tf.GradientTape() as tape:
        new_image = tf.image.adjust_contrast(image, delta)
    text = "gradient registry has no entry for: AdjustContrastv2"
    return raised(lambda: tape.gradient(new_image, [image, delta]), text)


@row
def op_without_gradient_off_the_path(tf, np):
    image, delta = tf.Variable([[[0.5, 0.25, 0.0]]]), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        new_image = tf.image.adjust_contrast(image, delta)
        y = tf.reduce_sum(image) * delta
    error = raised(lambda: tape.gradient(new_image, image), "AdjustContrastv2")
    return error, tape.gradient(y, [image, delta])


@row
def op_without_gradient_beside_the_path(tf, np):
    image, w = tf.Variable([[[0.5, 0.25, 0.0]]]), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.image.adjust_contrast(image, 2.0)) + w
    return raised(lambda: tape.gradient(y, w), "gradient registry has no entry for: AdjustContrastv2")


@row
def op_without_gradient_not_recorded(tf, np):
    image, w = tf.constant([[[0.5, 0.25, 0.0]]]), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.image.adjust_contrast(image, 2.0)) * w
    return tape.gradient(y, w)


@row
def op_without_gradient_behind_stop_gradient(tf, np):
    image, delta = tf.Variable([[[0.5, 0.25, 0.0]]]), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = image * tf.stop_gradient(tf.image.adjust_contrast(image, delta))
    return tape.gradient(y, [image, delta])


@row
def none_from_inner_gradient(tf, np):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            z = 3.0 * x + y
        g = inner.gradient(z, x)
    return g, outer.gradient(g, x)


@row
def second_derivative_of_a_constant_slope(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x * [3.0, 4.0])
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x), outer.gradient(g, x, unconnected_gradients="zero")


SECOND_ORDER = {
    "negative": lambda tf, x: -x,
    "add": lambda tf, x: x + 1.0,
    "scale": lambda tf, x: 3.0 * x,
    "divide": lambda tf, x: x / 3.0,
    "subtract": lambda tf, x: 1.0 - x,
    "mean": lambda tf, x: tf.reduce_mean(x),
    "matvec": lambda tf, x: tf.linalg.matvec(tf.ones([2, 3]), x),
    "reshape": lambda tf, x: tf.reshape(x, [3, 1]),
    "getitem": lambda tf, x: x[1:],
    "concat": lambda tf, x: tf.concat([x, x], 0),
    "cast": lambda tf, x: tf.cast(x, tf.float64),
    "where": lambda tf, x: tf.where([True, False, True], x, 0.0),
    "sign": lambda tf, x: tf.sign(x),
    "relu": lambda tf, x: tf.nn.relu(x),
    "relu6": lambda tf, x: tf.nn.relu6(x),
    "leaky_relu": lambda tf, x: tf.nn.leaky_relu(x),
    "maximum": lambda tf, x: tf.maximum(x, 0.0),
    "minimum": lambda tf, x: tf.minimum(x, 0.0),
    "clip": lambda tf, x: tf.clip_by_value(x, -0.5, 0.5),
    "reduce_max": lambda tf, x: tf.reduce_max(x),
    "square": lambda tf, x: tf.square(x),
    "power_one": lambda tf, x: x**1.0,
    "power_two": lambda tf, x: x**2,
    "product": lambda tf, x: x * x,
    "sum_of_squares": lambda tf, x: tf.nn.l2_loss(x),
    "softplus": lambda tf, x: tf.nn.softplus(x),
    "identity": lambda tf, x: tf.identity(x),
    "cumsum": lambda tf, x: tf.cumsum(x),
    "sort": lambda tf, x: tf.sort(x),
    "segment_sum": lambda tf, x: tf.math.segment_sum(x, [0, 0, 1]),
}


@row_for(name=tuple(SECOND_ORDER))
def second_derivative_none_or_zero(tf, np, name):
    x = tf.constant([-1.0, 0.25, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = SECOND_ORDER[name](tf, x)
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


@row_for(name=tuple(SECOND_ORDER))
def tangent_of_a_gradient_none_or_zero(tf, np, name):
    x = tf.constant([-1.0, 0.25, 2.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0, 3.0])) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = SECOND_ORDER[name](tf, x)
        g = tape.gradient(y, x)
    return acc.jvp(g)


@row
def second_derivative_of_abs_is_zero(tf, np):
    x = tf.constant([-1.0, 0.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.abs(x)
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


@row
def relu_has_no_second_derivative(tf, np):
    x = tf.Variable([-1.0, 0.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.nn.relu(x)
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


@row
def ops_without_gradient_inside_functions(tf, np):
    x = tf.constant([0.7, 1.3])
    ops = (tf.floor, tf.math.rint, tf.math.sign, lambda x: tf.random.shuffle(x, seed=1) * 0.0)

    @tf.function
    def both(x):
        return [f(x) for f in ops], [f(x) * tf.sin(x) for f in ops]

    @tf.function
    def drawn(x):
        return tf.random.stateless_poisson([2], [1, 2], x, dtype=tf.float32)

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        alone, beside = both(x)
        floor, count = tf.function(lambda x: tf.floor(x))(x), drawn(x)
    return [tape.gradient(y, x) for y in (*alone, *beside, floor, count)]


@row
def zeros_of_second_derivatives_travel_on(tf, np):
    table, w = tf.Variable([[1.0, -2.0], [3.0, 4.0]]), tf.Variable([[1.0, 2.0], [-1.0, 1.0]])
    b = tf.Variable([0.5, 1.0])
    seen = []

    @tf.custom_gradient
    def watched(x):
        def gradient(upstream):
            seen.append(upstream)
            return upstream * 3.0

        return x * 3.0, gradient

    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            rows = tf.gather(table, [0, 1, 0])
            left, right = tf.split(watched(tf.nn.relu(rows @ w + b)), 2, axis=1)
            first = tf.reduce_sum(tf.nn.leaky_relu(left))
        gradient = inner.gradient(first, b)
        both = tf.reduce_sum(gradient) + tf.reduce_sum(right * w[0, 0])
    of_zeros = outer.gradient(gradient, [table, w, b])
    return first, gradient, of_zeros, seen, outer.gradient(both, [table, w, b])


@row
def zeros_of_second_derivatives_in_a_function(tf, np):
    x, w = tf.Variable([[1.0, -2.0], [3.0, 4.0]]), tf.Variable([[1.0, 2.0], [-1.0, 1.0]])

    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.leaky_relu(x @ w)
        return tape.gradient(y, x)

    with tf.GradientTape(persistent=True) as tape:
        h = tf.sin(x)
        g = slope(h)
    return g, tape.gradient(g, [x, w])


@row
def assertions_and_prints_do_not_connect(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        assert tf.reduce_all(x > 0.0)
        text = printed(lambda: print(x * 3.0))
        y = x * 2.0
    return text, tape.gradient(y, x)


@row
def tensor_list_in_python(tf, np):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        items = [x[0], x[1] * x[0]]
        items.append(items[-1] * 2.0)
        y = tf.add_n(items)
    return y, tape.gradient(y, x)


@row
def kinks(tf, np):
    x = tf.Variable([-1.0, 0.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        a, b = tf.abs(x), tf.nn.relu(x)
        c, d = tf.maximum(x, 0.0), tf.minimum(0.0, x)
        e = tf.clip_by_value(x, -1.0, 1.0)
        f, g = tf.reduce_max(tf.stack([x, x])), tf.norm(x * 0.0)
        h = tf.nn.leaky_relu(x)
    return [tape.gradient(y, x) for y in (a, b, c, d, e, f, g, h)]

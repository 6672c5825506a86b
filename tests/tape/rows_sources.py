"""Sources and targets of `gradient`: structures, intermediates, duplicates, output gradients, unconnected."""

from rows import printed, raised, row, row_for


@row
def intermediate_source(tf, np):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return tape.gradient(z, y)


@row
def sources_downstream_of_each_other(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        w = y * x
        z = w * y
    return tape.gradient(z, [x, y, w]), tape.gradient(z, [w, y]), tape.gradient(z, x)


@row
def source_after_target_is_unconnected(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
        z = y * 2.0
    return tape.gradient(y, [z, x])


@row
def target_is_source(tf, np):
    x = tf.Variable([3.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return tape.gradient(y, y), tape.gradient(y, [y, x]), tape.gradient(x, x)


@row
def target_is_watched_tensor(tf, np):
    x = tf.constant([3.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
    return (
        tape.gradient(x, x),
        tape.gradient([x, x], x),
        tape.gradient(x, x, output_gradients=tf.constant([5.0, 6.0])),
    )


@row
def target_never_on_the_tape(tf, np):
    x, c = tf.Variable(3.0), tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        x * x
    return tape.gradient(c, x), tape.gradient(c, c)


@row
def variable_as_target(tf, np):
    x, y = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        x * y
    return tape.gradient(x, x), tape.gradient(x, y), tape.gradient([x, y], [x, y])


@row
def duplicate_sources(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * x
    return tape.gradient(z, [x, x]), tape.gradient(z, [y, x, y])


@row
def list_of_sources(tf, np):
    w, b = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.Variable([0.5, -0.5])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.constant([[1.0, 2.0, 3.0]]) @ w + b
        loss = tf.reduce_mean(y**2)
    return tape.gradient(loss, [w, b]), tape.gradient(loss, (w, b)), tape.gradient(loss, {"w": w, "b": b})


@row
def nested_structure_of_sources(tf, np):
    a, b, c, d = (tf.Variable(float(i)) for i in range(1, 5))
    with tf.GradientTape() as tape:
        y = a * b * c * d
    return tape.gradient(y, {"z": [a, (b,)], "a": {"k": c, "none": [d]}})


@row
def structure_is_kept_with_nones(tf, np):
    a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = a * c
    grad = tape.gradient(y, {"first": (a, b), "second": [[c]]})
    return grad, type(grad["first"]).__name__


@row
def namedtuple_of_sources(tf, np):
    import collections

    Pair = collections.namedtuple("Pair", ["left", "right"])
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = a * a * b
    return tape.gradient(y, Pair(a, b))


@row
def empty_sources(tf, np):
    x = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return tape.gradient(y, []), tape.gradient(y, ()), tape.gradient(y, {})


@row
def one_source_in_a_list(tf, np):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    (g,) = tape.gradient(y, [x])
    return g


@row
def module_variables_as_sources(tf, np):
    class Net(tf.Module):
        def __init__(self):
            self.w = tf.Variable([[1.0], [2.0]], name="w")
            self.b = tf.Variable([0.5], name="b")
            self.frozen = tf.Variable(2.0, trainable=False, name="frozen")

        def __call__(self, x):
            return (x @ self.w + self.b) * self.frozen

    net = Net()
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(net(tf.constant([[1.0, 1.0], [2.0, 0.0]])))
    grads = tape.gradient(y, net.trainable_variables)
    return type(grads).__name__, [v.name for v in net.trainable_variables], list(grads)


@row
def several_targets_are_summed(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y0 = x**2
        y1 = 1 / x
    return tape.gradient({"y0": y0, "y1": y1}, x), tape.gradient([y0, y1], x), tape.gradient([y0, y0], x)


@row
def target_and_its_intermediate(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * x
    return tape.gradient([z, y], x), tape.gradient([z, y], [x, y]), tape.gradient([y, z, y], y)


@row
def nested_targets(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        a = x * x
        b = tf.reduce_sum(x)
    return tape.gradient({"a": [a], "b": (b, {"c": a})}, x)


@row
def some_targets_unconnected(tf, np):
    x = tf.Variable(2.0)
    c = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return tape.gradient([y, c], x), tape.gradient([c, y], x)


@row
def vector_target_is_summed(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * [3.0, 4.0]
    return tape.gradient(y, x)


@row
def elementwise_target(tf, np):
    x = tf.linspace(-2.0, 2.0, 5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.sigmoid(x)
    return tape.gradient(y, x)


@row
def output_gradients(tf, np):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x, output_gradients=tf.constant([1.0, 0.0, -1.0]))


@row
def output_gradients_for_several_targets(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = tf.reduce_sum(x)
    ones = tf.constant([1.0, 10.0])
    return (
        tape.gradient([y, z], x, output_gradients=[ones, tf.constant(2.0)]),
        tape.gradient({"z": z, "y": y}, x, output_gradients={"y": ones, "z": tf.constant(2.0)}),
        raised(lambda: tape.gradient([y, z], x, output_gradients=[ones, None])),
    )


@row
def output_gradients_from_python_and_numpy(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(x * x)
        z = x * x
    return (
        tape.gradient(y, x, output_gradients=3.0),
        tape.gradient(z, x, output_gradients=np.array([1.0, 2.0], np.float32)),
        tape.gradient(y, x, output_gradients=tf.Variable(4.0)),
    )


@row
def output_gradients_under_an_outer_tape(tf, np):
    x, seed = tf.Variable([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as outer:
        outer.watch(seed)
        with tf.GradientTape() as inner:
            y = x**3
        g = inner.gradient(y, x, output_gradients=seed)
    return g, outer.gradient(g, [x, seed])


@row
def output_gradients_by_double_backward_give_a_jvp(tf, np):
    x, v = tf.constant([1.0, 2.0]), tf.constant([0.5, -1.0])
    u = tf.zeros([2])
    with tf.GradientTape() as outer:
        outer.watch(u)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.stack([x[0] * x[1], tf.sin(x[1])])
        g = inner.gradient(y, x, output_gradients=u)
    return outer.gradient(g, u, output_gradients=v)


@row
def unconnected_zero(tf, np):
    x, y = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y**2
    return tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)


@row
def unconnected_by_name(tf, np):
    x, y = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        z = y**2
    return (
        tape.gradient(z, [x, y], unconnected_gradients="zero"),
        tape.gradient(z, [x, y], unconnected_gradients="none"),
        raised(lambda: tape.gradient(z, x, unconnected_gradients="nonsense"), "nonsense"),
    )


@row
def unconnected_zero_keeps_dtype_and_shape(tf, np):
    a = tf.Variable(tf.zeros([2, 3], tf.float64))
    b = tf.constant([1 + 2j], tf.complex64)
    c = tf.Variable(tf.ones([0], tf.float16))
    with tf.GradientTape() as tape:
        tape.watch(b)
        y = tf.constant(1.0) * 2.0
    return tape.gradient(y, [a, b, c], unconnected_gradients="zero")


@row
def unconnected_zero_for_integers(tf, np):
    n, x = tf.constant([1, 2]), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * 2.0
    return tape.gradient(y, [n, x], unconnected_gradients="zero")


@row
def unconnected_zero_of_two_orders(tf, np):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            z = y**2
        g = inner.gradient(z, [x, y], unconnected_gradients="zero")
        total = g[0] + g[1]
    return total, outer.gradient(total, [x, y], unconnected_gradients="zero")


@row
def unconnected_values_of_the_enum(tf, np):
    none, zero = tf.UnconnectedGradients.NONE, tf.UnconnectedGradients.ZERO
    return none.value, zero.value, str(zero), none.name, tf.UnconnectedGradients("zero") is zero


@row
def bad_targets(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return raised(lambda: tape.gradient(None, x), "received None"), tape.gradient(y, x)


@row
def python_number_as_target(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    refused = [raised(lambda v=v: tape.gradient(v, x)).error is not None for v in (3.0, 3, "x", np.float32(3.0))]
    return refused, tape.gradient(y, x)


@row
def python_number_as_source(tf, np):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    refused = [raised(lambda v=v: tape.gradient(y, v)).error is not None for v in (3.0, 3, "x", None, [x, 1.0])]
    return refused, tape.gradient(y, x)


@row
def gradient_prints_as_a_tensor(tf, np):
    x = tf.Variable([1.0, 2.0])
    y = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = x * x
    grads = tape.gradient(z, [x, y])
    return printed(lambda: print(grads)), repr(grads[0]), type(grads[0]).__name__


@row
def gradient_has_the_source_shape(tf, np):
    x, s = tf.Variable(tf.ones([2, 1, 3])), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * tf.ones([4, 1]) * s)
    return tape.gradient(y, [x, s])


@row_for(shape=((0,), (3, 0), (1,), (1, 1), (2, 0, 3)))
def sizes_zero_and_one(tf, np, shape):
    x = tf.Variable(tf.ones(shape))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(x * x)
        z = x * 3.0
    return y, tape.gradient(y, x), tape.gradient(z, x)


@row
def broadcasting_both_ways(tf, np):
    a, b = tf.Variable([[1.0], [2.0]]), tf.Variable([3.0, 4.0, 5.0])
    with tf.GradientTape() as tape:
        y = a * b - a / b
    return tape.gradient(y, [a, b])


@row
def source_used_many_times(tf, np):
    x = tf.Variable(1.5)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(10):
            y = y * x + x
    return y, tape.gradient(y, x)


@row
def diamond(tf, np):
    x = tf.constant(0.7)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a = tf.sin(x)
        b, c = a * x, tf.exp(a)
        d = b * c + a
    return tape.gradient(d, [x, a, b, c])


@row
def long_chain(tf, np):
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(300):
            y = y * 1.01
    return tape.gradient(y, x)

"""`jacobian` and `batch_jacobian`: every rank, unconnected sources, their options, higher orders, errors."""

from rows import raised, row, row_for

SHAPES = {0: [], 1: [2], 2: [2, 3], 3: [2, 1, 2]}


def _ramp(tf, np, shape, dtype="float32"):
    size = int(np.prod(shape, dtype=int))
    return tf.constant(np.linspace(0.5, 1.5, size).reshape(shape), dtype)


@row_for(target=(0, 1, 2, 3), source=(0, 1, 2, 3))
def ranks(tf, np, target, source):
    x = _ramp(tf, np, SHAPES[source])
    weights = _ramp(tf, np, SHAPES[target])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(weights * tf.reduce_sum(x * x)) * tf.reduce_mean(x)
    return tape.jacobian(y, x)


@row
def of_an_elementwise_function_is_diagonal(tf, np):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = x * x
    return tape.jacobian(y, x)


@row
def with_respect_to_a_scalar(tf, np):
    x, delta = tf.linspace(-2.0, 2.0, 5), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = tf.nn.sigmoid(x + delta)
    j = tape.jacobian(y, delta)
    return y.shape.as_list(), j


@row
def of_a_layer(tf, np):
    x = _ramp(tf, np, [2, 3])
    kernel, bias = tf.Variable(_ramp(tf, np, [3, 2]) - 1.0), tf.Variable([0.1, -0.1])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.nn.relu(x @ kernel + bias)
    j = tape.jacobian(y, {"kernel": kernel, "bias": bias})
    g = tape.gradient(y, kernel)
    return j, g, tf.reduce_sum(j["kernel"], axis=[0, 1])


@row
def structure_of_sources(tf, np):
    a, b, c = tf.Variable([1.0, 2.0]), tf.Variable(3.0), tf.Variable([5.0])
    with tf.GradientTape() as tape:
        y = a * b
    return tape.jacobian(y, {"ab": (a, [b]), "c": c})


@row
def unconnected_source(tf, np):
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([[3.0, 1.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = a * a
    return tape.jacobian(y, b), tape.jacobian(y, [b, a])


@row
def unconnected_source_as_zero(tf, np):
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([[3.0, 1.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = a * a
    return tape.jacobian(y, [a, b], unconnected_gradients=tf.UnconnectedGradients.ZERO), tape.jacobian(
        y, b, unconnected_gradients="zero"
    )


@row
def bad_unconnected_gradients(tf, np):
    x = tf.Variable([[1.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return (
        raised(lambda: tape.jacobian(y, x, unconnected_gradients="nonsense")),
        raised(lambda: tape.batch_jacobian(y, x, unconnected_gradients="ZERO")),
        tape.batch_jacobian(y, x),
    )


@row
def target_is_source(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return tape.jacobian(y, y), tape.jacobian(x, x)


@row
def intermediate_source(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        h = tf.sin(x)
        y = tf.stack([h[0] * h[1], h[0] + x[1], h[1] * h[1]])
    return tape.jacobian(y, [h, x])


@row
def without_pfor(tf, np):
    x = tf.Variable([1.0, 2.0])
    w = tf.Variable([[1.0, -1.0], [0.5, 2.0], [3.0, 0.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.tanh(tf.linalg.matvec(w, x))
    fast = tape.jacobian(y, [x, w])
    slow = tape.jacobian(y, [x, w], experimental_use_pfor=False)
    return fast, slow


@row
def without_pfor_needs_a_persistent_tape(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    text = "GradientTape must be created with persistent=True to compute the jacobian with eager execution"
    return raised(lambda: tape.jacobian(y, x, experimental_use_pfor=False), text)


@row
def without_pfor_unconnected_as_zero(tf, np):
    x, b = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return tape.jacobian(y, b, experimental_use_pfor=False, unconnected_gradients="zero")


@row_for(parallel_iterations=(2, 10))
def parallel_iterations(tf, np, parallel_iterations):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x[0]
    return tape.jacobian(y, x, parallel_iterations=parallel_iterations)


@row
def parallel_iterations_of_one_is_refused(tf, np):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x[0]
    return raised(lambda: tape.jacobian(y, x, parallel_iterations=1)), tape.jacobian(y, x)


@row
def without_pfor_unconnected(tf, np):
    x, b = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return tape.jacobian(y, [x, b], experimental_use_pfor=False)


@row
def persistent_several_jacobians(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x**2
        z = y * x[0]
    return tape.jacobian(y, x), tape.jacobian(z, x), tape.jacobian(z, y), tape.gradient(z, x)


@row
def inside_the_context(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
        j = tape.jacobian(y, x)
    return j, raised(lambda: tape.jacobian(y, x), "non-persistent")


@row
def hessian(tf, np):
    x = tf.Variable([0.5, 1.5, -1.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.exp(x) * x[0])
        g = inner.gradient(y, x)
    return outer.jacobian(g, x)


@row
def hessian_of_a_matrix(tf, np):
    w = tf.Variable([[0.5, -0.25], [1.0, 2.0]])
    x = tf.constant([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_mean(tf.tanh(x @ w) ** 2)
        g = inner.gradient(y, w)
    return outer.jacobian(g, w)


@row
def gradient_of_a_jacobian(tf, np):
    x = tf.Variable([0.5, 1.5])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.stack([x[0] ** 2 * x[1], tf.sin(x[1])])
        j = inner.jacobian(y, x)
        norm = tf.reduce_sum(j**2)
    return j, outer.gradient(norm, x)


@row
def jacobian_of_a_jacobian(tf, np):
    x = tf.Variable([0.5, 1.5])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.stack([x[0] ** 2 * x[1], tf.sin(x[1]) * x[0]])
        j = inner.jacobian(y, x)
    return outer.jacobian(j, x)


@row
def third_order(tf, np):
    x = tf.Variable([0.5, 1.5])
    with tf.GradientTape() as t3:
        with tf.GradientTape() as t2:
            with tf.GradientTape() as t1:
                y = tf.reduce_sum(x**3) * x[1]
            g = t1.gradient(y, x)
        h = t2.jacobian(g, x)
    return t3.jacobian(h, x)


@row
def newton_step(tf, np):
    x = tf.Variable([1.0, 2.0], dtype=tf.float64)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = (x[0] - 1.0) ** 4 + (x[0] - x[1]) ** 2 + tf.exp(x[1])
        g = inner.gradient(y, x)
    h = outer.jacobian(g, x)
    step = tf.linalg.solve(h + 1e-3 * tf.eye(2, dtype=tf.float64), g[:, tf.newaxis])
    x.assign_sub(tf.reshape(step, [2]))
    return h, x


@row_for(dtype=("float16", "float64", "complex128"))
def other_dtypes(tf, np, dtype):
    x = tf.constant([1.0, 2.0], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * x[1]
    return tape.jacobian(y, x)


@row
def of_a_gathered_source_is_dense(tf, np):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [2, 0, 2]) ** 2, axis=1)
    return tape.jacobian(y, table)


@row
def through_matrix_ops(tf, np):
    a = tf.constant([[2.0, 0.5], [0.5, 1.0]], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(a)
        inverse = tf.linalg.inv(a)
        det = tf.linalg.det(a)
    return tape.jacobian(inverse, a), tape.jacobian(det, a)


@row
def through_where_and_reductions(tf, np):
    x = tf.Variable([1.0, -2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.stack([tf.reduce_max(x), tf.reduce_sum(tf.where(x > 0.0, x * x, -x)), tf.reduce_prod(x)])
    return tape.jacobian(y, x)


@row
def integer_target(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.cast(x, tf.int32)
    return tape.jacobian(y, x)


@row
def target_not_a_tensor(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return (
        raised(lambda: tape.jacobian([y, y], x), "'list' object has no attribute 'shape'"),
        raised(lambda: tape.jacobian({"y": y}, x), "'dict' object has no attribute 'shape'"),
        raised(lambda: tape.jacobian(None, x), "'NoneType' object has no attribute 'shape'"),
        raised(lambda: tape.jacobian(2.0, x), "'float' object has no attribute 'shape'"),
        tape.jacobian(y, x),
    )


@row
def target_never_on_the_tape(tf, np):
    x, c = tf.Variable([1.0, 2.0]), tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        x * x
    return tape.jacobian(c, x)


@row
def of_an_empty_target(tf, np):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.zeros([0, 2]) * x
    return tape.jacobian(y, x).shape.as_list()


@row
def custom_gradient_inside(tf, np):
    @tf.custom_gradient
    def doubled(v):
        return v * v, lambda dy: dy * 100.0

    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = doubled(x) * x
    return tape.jacobian(y, x)


@row
def in_a_tf_function(tf, np):
    x = tf.Variable([0.5, 1.5])

    @tf.function
    def hessian_of(scale):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum(x**3) * scale
            g = inner.gradient(y, x)
        return outer.jacobian(g, x)

    return hessian_of(tf.constant(1.0)), hessian_of(tf.constant(2.0))


@row
def batch(tf, np):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.batch_jacobian(y, x)


@row_for(target=(2, 3), source=(2, 3))
def batch_ranks(tf, np, target, source):
    x = _ramp(tf, np, [2, 3] if source == 2 else [2, 2, 2])
    weights = _ramp(tf, np, [1, 2] if target == 2 else [1, 3, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        row_sums = tf.reduce_sum(tf.reshape(x, [2, -1]) ** 2, axis=1)
        y = weights * tf.reshape(row_sums, [2] + [1] * (target - 1))
    return tape.batch_jacobian(y, x)


@row
def batch_equals_the_diagonal_of_the_full(tf, np):
    x = _ramp(tf, np, [3, 2])
    w = tf.constant([[0.5, -1.0], [2.0, 0.25]])
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = tf.nn.elu((x - 1.0) @ w)
    j = tape.jacobian(y, x)
    return tape.batch_jacobian(y, x), tf.reduce_sum(j, axis=2), tf.einsum("bxby->bxy", j)


@row
def batch_of_variables(tf, np):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reverse(x, [1]) * x
    return tape.batch_jacobian(y, x)


@row
def batch_unconnected(tf, np):
    x, c = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.ones([2, 3])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(c)
        y = c * c
    return tape.batch_jacobian(y, x), tape.batch_jacobian(y, x, unconnected_gradients="zero")


@row
def batch_without_pfor(tf, np):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x[:, :1]
    return tape.batch_jacobian(y, x, experimental_use_pfor=False), tape.batch_jacobian(y, x)


@row
def batch_without_pfor_needs_a_persistent_tape(tf, np):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = x * x
    text = "GradientTape must be created with persistent=True to compute the batch_jacobian with eager execution"
    return raised(lambda: tape.batch_jacobian(y, x, experimental_use_pfor=False), text)


@row
def batch_parallel_iterations(tf, np):
    x = tf.Variable([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return tape.batch_jacobian(y, x, parallel_iterations=2)


@row
def batch_parallel_iterations_need_a_persistent_tape(tf, np):
    x = tf.Variable([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])
    with tf.GradientTape() as tape:
        y = x * x
    text = "GradientTape must be created with persistent=True to compute the batch_jacobian with parallel"
    return raised(lambda: tape.batch_jacobian(y, x, parallel_iterations=2), text)


@row
def parallel_iterations_of_a_plain_tape(tf, np):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = x * x[0]
    return raised(lambda: tape.jacobian(y, x, parallel_iterations=2))


@row
def batch_parallel_iterations_beyond_the_size(tf, np):
    x = tf.Variable([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])
    with tf.GradientTape() as tape:
        y = x * x
    return raised(lambda: tape.batch_jacobian(y, x, parallel_iterations=10)).error is None


@row
def batch_sizes_differ(tf, np):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = tf.concat([y, y], 0)
    text = "Need first dimension of target shape"
    return raised(lambda: tape.batch_jacobian(z, x), text, "(4, 2)", "(2, 2)"), tape.batch_jacobian(y, x)


@row
def batch_needs_rank_two(tf, np):
    x, v = tf.Variable([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        s = tf.reduce_sum(y, axis=1)
        z = v * v
    return (
        raised(lambda: tape.batch_jacobian(s, x), "must have rank at least 2"),
        raised(lambda: tape.batch_jacobian(y, v), "must have rank at least 2"),
        raised(lambda: tape.batch_jacobian(z, v), "must have rank at least 2"),
    )


@row
def batch_used_twice(tf, np):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = x * x
    tape.batch_jacobian(y, x)
    return raised(lambda: tape.batch_jacobian(y, x), "A non-persistent GradientTape can only be used to")


@row
def batch_under_an_outer_tape(tf, np):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3 * x[:, :1]
        j = inner.batch_jacobian(y, x)
        total = tf.reduce_sum(j)
    return j, outer.gradient(total, x)


@row
def batch_hessian(tf, np):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x**3, axis=1) * x[:, 0]
        g = inner.gradient(y, x)
    return outer.batch_jacobian(g, x)


@row_for(columns=(1, 2, 17))
def columns_of_second_derivatives(tf, np, columns):
    """By nested tapes, as for physics-informed networks; few rows are not vectorized, and one is none."""
    x, y = tf.constant([[0.1], [0.2], [0.3]]), tf.constant([[0.3], [0.2], [-0.5]])
    weights = tf.Variable(tf.reshape(tf.range(2.0 * columns), [2, columns]) / 20.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            with tf.GradientTape(persistent=True) as inner:
                inner.watch([x, y])
                u = tf.tanh(tf.concat([x, y], 1) @ weights) ** 2
            u_x, u_y = inner.batch_jacobian(u, x)[..., 0], inner.batch_jacobian(u, y)[..., 0]
        u_xx, u_xy = tape.batch_jacobian(u_x, x), tape.batch_jacobian(u_x, y)
        loss = tf.reduce_sum((u_xx + u_xy) ** 2) + tf.reduce_sum(u * u_y[..., :1])
    return u_x, u_y, u_xx, u_xy, loss, outer.gradient(loss, weights)


@row_for(kind=("jacobian", "batch_jacobian"))
def what_a_jacobian_does_not_depend_on(tf, np, kind):
    x = tf.constant([[0.1, 0.2], [0.3, -0.4]])
    w, b = tf.Variable([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]]), tf.Variable([0.1, 0.2, 0.3])
    v, c = tf.Variable([[1.0], [2.0], [-1.0]]), tf.Variable([0.5])
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.tanh(x @ w + b) @ v + c
            slopes = inner.gradient(y, x)
        loss = tf.reduce_sum(getattr(tape, kind)(slopes, x) ** 2)
    return outer.gradient(loss, [w, b, v, c])

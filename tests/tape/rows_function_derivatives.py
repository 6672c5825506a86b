"""Derivatives of and in `tf.function`: jacobians, accumulators, custom gradients, functions in functions."""

from rows import raised, row, row_for


@row_for(where=("inside", "outside"))
def jacobian(tf, np, where):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    def compute(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(tf.linalg.matvec(w, f(x)))
        return tape.jacobian(y, [x, w])

    def f(x):
        return x * x

    if where == "inside":
        compute = tf.function(compute)
    else:
        f = tf.function(f)
    return compute(tf.constant([0.1, 0.2])), compute(tf.constant([0.3, -0.2]))


@row_for(where=("inside", "outside"))
def batch_jacobian(tf, np, where):
    def compute(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.batch_jacobian(y, x)

    def f(x):
        return tf.stack([x[:, 0] * x[:, 1], tf.sin(x[:, 1])], 1)

    if where == "inside":
        compute = tf.function(compute)
    else:
        f = tf.function(f)
    return compute(tf.constant([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]))


@row_for(where=("inside", "around"))
def accumulator(tf, np, where):
    v = tf.Variable(3.0)

    def f(x):
        return tf.sin(x) * v

    def compute(x, t):
        with tf.autodiff.ForwardAccumulator([x, v], [t, tf.constant(0.5)]) as accumulator:
            y = f(x)
        return accumulator.jvp(y)

    if where == "inside":
        compute = tf.function(compute)
    else:
        f = tf.function(f)
    x = tf.constant([0.5, 1.0])
    return compute(x, tf.constant([1.0, 0.0])), compute(x, tf.constant([0.0, 2.0]))


@row_for(where=("inside", "around"))
def forward_over_reverse(tf, np, where):
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**3)
        return tape.gradient(y, x)

    def hvp(x, t):
        with tf.autodiff.ForwardAccumulator(x, t) as accumulator:
            g = slope(x)
        return accumulator.jvp(g)

    if where == "inside":
        hvp = tf.function(hvp)
    else:
        slope = tf.function(slope)
    return hvp(tf.constant([1.0, 2.0]), tf.constant([1.0, 1.0]))


@row_for(where=("inside", "around"))
def reverse_over_forward(tf, np, where):
    def push(x, t):
        with tf.autodiff.ForwardAccumulator(x, t) as accumulator:
            y = tf.reduce_sum(x**3)
        return accumulator.jvp(y)

    def hvp(x, t):
        with tf.GradientTape() as tape:
            tape.watch(x)
            p = push(x, t)
        return tape.gradient(p, x)

    if where == "inside":
        hvp = tf.function(hvp)
    else:
        push = tf.function(push)
    return hvp(tf.constant([1.0, 2.0]), tf.constant([1.0, 1.0]))


@row_for(order=(1, 2, 3))
def custom_gradient_inside(tf, np, order):
    @tf.custom_gradient
    def g(x):
        def grad(dy):
            return dy * 10.0 * x * x

        return tf.sin(x), grad

    @tf.function
    def f(x):
        return g(x) * 2.0

    def derivative(h):
        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = h(x)
            return tape.gradient(y, x)

        return slope

    h = f
    for _ in range(order):
        h = derivative(h)
    return h(tf.constant(0.5)), tf.function(h)(tf.constant(0.5))


@row
def custom_gradient_around_a_function(tf, np):
    @tf.function
    def square(x):
        return x * x

    @tf.custom_gradient
    def g(x):
        return square(x), lambda dy: dy * square(x) * 100.0

    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = g(x)
        first = inner.gradient(y, x)
    return y, first, outer.gradient(first, x)


@row
def custom_gradient_with_variables_inside(tf, np):
    w = tf.Variable(2.0)

    @tf.custom_gradient
    def g(x):
        def grad(dy, variables=None):
            return dy * 7.0, [dy * 11.0 * v for v in variables]

        return x * w, grad

    @tf.function
    def f(x):
        return g(x) * 3.0

    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    inside = tf.function(lambda x: gradient_of(tf, f, x, w))
    return y, tape.gradient(y, [x, w]), inside(x)


def gradient_of(tf, f, x, w):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, [x, w])


@row
def custom_gradient_function_decorated_both_ways(tf, np):
    @tf.custom_gradient
    @tf.function
    def outside_in(x):
        return x * x, lambda dy: dy * 5.0

    @tf.function
    @tf.custom_gradient
    def inside_out(x):
        return x * x, lambda dy: dy * 5.0

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = inside_out(x)
    return y, tape.gradient(y, x), raised(lambda: outside_in(x))


@row
def recompute_grad_inside(tf, np):
    w = tf.Variable(0.5)
    block = tf.recompute_grad(lambda x: tf.sin(x * w))

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(block(block(x)))
        return y, tape.gradient(y, [x, w])

    return f(tf.constant([1.0, 2.0]))


@row
def functions_in_functions_with_variables(tf, np):
    a, b = tf.Variable(2.0), tf.Variable(3.0)

    @tf.function
    def inner(x):
        a.assign_add(1.0)
        return x * a * b

    @tf.function
    def outer(x):
        first = inner(x)
        b.assign(10.0)
        return first + inner(x)

    with tf.GradientTape() as tape:
        y = outer(tf.constant(1.0))
    return y, a, b, tape.gradient(y, [a, b])


@row
def tape_across_functions(tf, np):
    """A persistent tape in a function, over another function that assigns what it reads."""
    v = tf.Variable(2.0)

    @tf.function
    def read(x):
        return v * x

    @tf.function
    def outer(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            first = read(x)
            v.assign(first)
            second = read(x)
        return first, second, tape.gradient(first, [x, v]), tape.gradient(second, [x, v])

    return outer(tf.constant(3.0)), v


@row
def gradient_inside_with_respect_to_captured(tf, np):
    c = tf.constant(2.0)
    v = tf.Variable(3.0)

    @tf.function
    def f():
        with tf.GradientTape() as tape:
            tape.watch(c)
            y = c * c * v
        return tape.gradient(y, [c, v])

    return f()


@row
def tape_outside_gradient_inside(tf, np):
    """A tape that a function's caller has opened is used in the function for what it traced itself."""
    x = tf.constant(2.0)

    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x**3
            g = tape.gradient(y, x)
        return g, tape.gradient(g, x)

    return f(x)


@row
def none_in_results_of_gradient(tf, np):
    @tf.function
    def f(x, z):
        with tf.GradientTape() as tape:
            tape.watch([x, z])
            y = x * x
        return tape.gradient(y, [x, z])

    return f(tf.constant(2.0), tf.constant(1.0))


@row
def sources_are_results_of_the_function(tf, np):
    @tf.function
    def f(x):
        h = tf.sin(x)
        return h, h * h

    x = tf.constant(0.5)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        h, y = f(x)
        z = y + h
    return tape.gradient(y, [x, h]), tape.gradient(z, [x, h, y])


@row
def integer_and_float_results(tf, np):
    @tf.function
    def f(x):
        return tf.argmax(x), tf.cast(x, tf.int32), x * x

    x = tf.constant([1.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        i, c, y = f(x)
    return i, c, tape.gradient(y, x), tape.gradient([c, y], x)


@row
def complex_function(tf, np):
    @tf.function
    def f(z):
        return z * z * tf.constant(1 + 2j, tf.complex64)

    z = tf.constant([1 + 1j, 2 - 1j], tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = f(z)
    return y, tape.gradient(y, z)


@row
def slices_of_a_variable_inside(tf, np):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    @tf.function
    def f(i):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, i) ** 2)
        return tape.gradient(y, table)

    @tf.function
    def forward(i):
        return tf.reduce_sum(tf.gather(table, i) ** 2)

    with tf.GradientTape() as tape:
        y = forward(tf.constant([0, 2, 0]))
    return tf.convert_to_tensor(f(tf.constant([0, 2, 0]))), tf.convert_to_tensor(tape.gradient(y, table))


@row
def tape_over_gradients(tf, np):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gradients(x * x, x)[0]
        return tape.gradient(y, x)

    return f(tf.constant(3.0))


@row
def hessians_of_many_elements(tf, np):
    @tf.function
    def f(x, z):
        curved = tf.reduce_sum(tf.sin(x) * tf.roll(x, 1, 0)) * tf.reduce_sum(z * z)
        first, second = tf.hessians(curved, [x, z])
        return first, second, tf.gradients(tf.reduce_sum(first * first), x)[0], tf.hessians([x**3, z], x)[0]

    return f(tf.constant([0.1, -0.4, 0.9, 1.5]), tf.constant([[2.0, -1.0]]))


@row_for(form=("map_fn", "scan", "foldl", "loop", "relu"))
def a_tape_in_a_loop_under_a_tape(tf, np, form):
    x, w = tf.ones([4, 3]), tf.Variable([1.0, 2.0, 3.0])

    def inner_gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_mean((x * w) ** 2)
        return tape.gradient(loss, x)

    def steps(v):
        for _ in tf.range(3):
            with tf.GradientTape() as tape:
                tape.watch(v)
                loss = tf.reduce_sum((tf.nn.relu(v) if form == "relu" else v) ** 3)
            v = v - 0.01 * tape.gradient(loss, v)
        return v

    @tf.function
    def f():
        with tf.GradientTape() as tape:
            if form == "map_fn":
                y = tf.map_fn(inner_gradient, x)
            elif form == "scan":
                y = tf.scan(lambda a, row: a + inner_gradient(row), x, tf.zeros([3]))
            elif form == "foldl":
                y = tf.foldl(lambda a, row: a + inner_gradient(row), x, tf.zeros([3]))
            else:
                y = steps(w * 1.0)
            loss = tf.reduce_sum(y**2)
        return loss, tape.gradient(loss, w)

    return f()


def _no_gradient(tf, kind):
    def beside(x):
        return tf.reduce_sum(tf.stop_gradient(tf.linalg.lu(x)[0]) * x)

    def within(x):
        return tf.reduce_sum(tf.linalg.lu(x)[0] * x)

    def branch(x):
        return tf.cond(x[0, 0] > 0.0, lambda: beside(x), lambda: within(x))

    def turns(x):
        for _ in tf.range(3):
            x = x * tf.stop_gradient(tf.linalg.lu(x)[0])
        return tf.reduce_sum(x)

    return {"beside": beside, "within": within, "branch": branch, "turns": turns}[kind]


@row_for(kind=("beside", "within", "branch", "turns"))
def an_op_without_gradient_raises_where_a_cotangent_reaches_it(tf, kind):
    x = tf.Variable([[2.0, 1.0], [1.0, 3.0]])
    function = tf.function(_no_gradient(tf, kind))

    def of_gradient():
        with tf.GradientTape() as tape:
            y = function(x)
        return tape.gradient(y, x)

    return raised(of_gradient) if kind in ("within", "branch") else of_gradient()

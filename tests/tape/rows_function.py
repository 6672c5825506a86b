"""`tf.function` under tapes and tapes inside functions; `tf.gradients`."""

import collections
import functools

from rows import raised, row, row_for


@row
def under_a_tape(tf, np):
    @tf.function
    def f(a, b):
        return tf.sin(a) * b

    x, y = tf.Variable(0.5), tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        z = f(x, y)
    return z, tape.gradient(z, [x, y])


@row
def tape_inside(tf, np):
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape.gradient(y, x)

    return slope(tf.constant(2.0)), slope(tf.constant([1.0, 3.0]))


@row
def tape_inside_under_a_tape(tf, np):
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape.gradient(y, x)

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        g = slope(x)
    return g, outer.gradient(g, x)


@row
def captured_variables(tf, np):
    w, frozen = tf.Variable(2.0, name="w"), tf.Variable(3.0, trainable=False, name="frozen")

    @tf.function
    def f(x):
        return w * x * frozen

    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, [x, w, frozen]), [v.name for v in tape.watched_variables()]


@row
def captured_tensor(tf, np):
    c = tf.constant(4.0)

    @tf.function
    def f(x):
        return c * x * x

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, c])
        y = f(x)
    return tape.gradient(y, [x, c])


@row
def second_order_through_a_function(tf, np):
    @tf.function
    def f(x):
        return tf.exp(x) * x

    x = tf.Variable([0.5, 1.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = f(x)
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x), outer.watched_variables()[0] is x


@row
def several_outputs(tf, np):
    @tf.function
    def f(x):
        return {"a": x * 2.0, "b": (x * x, tf.constant(7))}

    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        out = f(x)
    return (
        out,
        tape.gradient(out["a"], x),
        tape.gradient(out["b"][0], x),
        tape.gradient([out["a"], out["b"][0]], x),
    )


@row
def output_not_connected(tf, np):
    @tf.function
    def f(x, y):
        return x * 2.0, tf.stop_gradient(y * y)

    x, y = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape(persistent=True) as tape:
        p, q = f(x, y)
    return tape.gradient(p, [x, y]), tape.gradient(q, [x, y]), tape.gradient([p, q], [x, y])


@row
def assignment_inside_then_read(tf, np):
    state, x = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def f():
        first = state * x
        state.assign(first * 10.0)
        return first + state * x

    with tf.GradientTape() as tape:
        y = f()
    return y, state, tape.gradient(y, [state, x])


@row
def assignment_inside(tf, np):
    state, w = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def f(x):
        state.assign_add(w * x)
        return state * w

    with tf.GradientTape() as tape:
        y = f(tf.constant(3.0))
    return y, state, tape.gradient(y, [state, w])


@row
def training_step(tf, np):
    w = tf.Variable([1.0, -1.0])
    traces = []

    @tf.function
    def step(x, y, rate):
        traces.append("trace")
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.linalg.matvec(x, w) - y) ** 2)
        w.assign_sub(rate * tape.gradient(loss, w))
        return loss

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    losses = [step(x, tf.constant([1.0, 2.0]), tf.constant(0.02 * (i + 1))) for i in range(4)]
    return losses, w, traces


@row
def if_converted(tf, np):
    @tf.function
    def f(x):
        if x > 0.0:
            y = x * x
        else:
            y = -3.0 * x
        return y

    results = []
    for value in (2.0, -2.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        results.append((y, tape.gradient(y, x)))
    return results


@row
def while_converted(tf, np):
    @tf.function
    def f(x, limit):
        y = x
        while y < limit:
            y = y * x
        return y

    results = []
    for limit in (5.0, 50.0):
        x = tf.constant(1.5)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, tf.constant(limit))
        results.append((y, tape.gradient(y, x)))
    return results


@row
def for_over_a_range(tf, np):
    @tf.function
    def f(x, n):
        y = tf.ones_like(x)
        for i in tf.range(n):
            y = y * x + tf.cast(i, tf.float32)
        return y

    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = f(x, tf.constant(3))
    return y, tape.gradient(y, x)


@row
def gradients(tf, np):
    @tf.function
    def f(a, b):
        y = a * a * b
        return tf.gradients(y, [a, b])

    return f(tf.constant(3.0), tf.constant(2.0))


@row
def gradients_unconnected(tf, np):
    @tf.function
    def f(a, b):
        y = a * a
        none = tf.gradients(y, b)
        zero = tf.gradients(y, [b], unconnected_gradients=tf.UnconnectedGradients.ZERO)
        return [g is None for g in none], zero

    flags, zero = f(tf.constant([3.0, 1.0]), tf.constant([2.0, 2.0]))
    return [bool(flag) for flag in flags], zero


@row
def gradients_grad_ys_that_do_not_fit(tf, np):
    def gradients(count, grad_ys):
        f = tf.function(lambda a: tf.gradients([a * a, 3.0 * a][:count], a, grad_ys=grad_ys))
        return f(tf.constant([1.0, 2.0]))

    ones, others = tf.ones([2]), (tf.ones([3]), tf.ones([2], tf.float64), tf.ones([2], tf.int32))
    return (
        [raised(lambda n=n: gradients(2, [ones] * n), f"Length mismatch. Passed {n} grad_ys for 2") for n in (0, 1, 3)],
        [raised(lambda g=g: gradients(1, [g])) for g in others],
        gradients(2, [None, ones]), gradients(2, [ones * 2.0, None]), gradients(1, [None]), gradients(1, 2.0),
    )  # fmt: skip


@row
def gradients_grad_ys_and_several_targets(tf, np):
    @tf.function
    def f(a):
        y, z = a * a, 3.0 * a
        return tf.gradients([y, z], a), tf.gradients(y, a, grad_ys=tf.constant([10.0, 100.0]))

    return f(tf.constant([1.0, 2.0]))


@row
def gradients_stop_gradients(tf, np):
    @tf.function
    def f(a):
        b = 2.0 * a
        return tf.gradients(a + b, [a, b]), tf.gradients(a + b, [a, b], stop_gradients=[a, b])

    return f(tf.constant(1.0))


@row
def gradients_of_gradients(tf, np):
    @tf.function
    def f(x):
        (g,) = tf.gradients(x**3, x)
        (h,) = tf.gradients(g, x)
        return g, h

    return f(tf.constant([1.0, 2.0]))


@row
def gradients_outside_a_function(tf, np):
    x = tf.constant(2.0)
    text = "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
    return raised(lambda: tf.gradients(x * x, x), text)


@row
def gradients_wrt_a_variable(tf, np):
    w = tf.Variable(3.0)

    @tf.function
    def f(x):
        return tf.gradients(w * w * x, [w, x])

    return f(tf.constant(2.0))


@row
def python_side_effects_happen_while_tracing(tf, np):
    seen = []

    @tf.function
    def f(x):
        seen.append(str(x.shape))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    f(tf.constant([1.0, 2.0]))
    f(tf.constant([3.0, 4.0]))
    f(tf.constant(5.0))
    return seen


@row
def nested_functions(tf, np):
    @tf.function
    def inner(x):
        return x * x

    @tf.function
    def outer(x):
        return inner(x) + inner(2.0 * x)

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = outer(x)
    return y, tape.gradient(y, x)


@row
def persistent_tape_over_a_function(tf, np):
    @tf.function
    def f(x):
        return x * x, x * x * x

    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        a, b = f(x)
        c = a * b
    return tape.gradient(a, x), tape.gradient(b, x), tape.gradient(c, [x, a, b])


@row
def tape_around_the_call_watching_a_result(tf, np):
    @tf.function
    def f(x):
        return x * x

    x = tf.constant(2.0)
    y = f(x)
    with tf.GradientTape() as tape:
        tape.watch(y)
        z = f(y)
    return tape.gradient(z, [x, y])


@row_for(dtype=("float32", "float64"))
def input_signature(tf, np, dtype):
    dtype = getattr(tf, dtype)

    @tf.function(input_signature=[tf.TensorSpec([None], dtype)])
    def f(x):
        return tf.reduce_sum(x * x)

    grads = []
    for size in (2, 3):
        x = tf.ones([size], dtype)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        grads.append(tape.gradient(y, x))
    return grads


@row
def hessian_vector_product(tf, np):
    w = tf.Variable([0.5, -1.5])

    @tf.function
    def hvp(v):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_sum(tf.sin(w) * w)
            g = inner.gradient(loss, w)
            product = tf.reduce_sum(g * v)
        return outer.gradient(product, w)

    return hvp(tf.constant([1.0, 0.0])), hvp(tf.constant([0.0, 1.0]))


@row
def implementation_for_the_device(tf, np):
    def of(attributes, body):
        return tf.function(body, autograph=False, experimental_attributes=attributes)

    def selected(name, default, on_device, device="CPU"):
        @tf.function(autograph=False)
        def run(x, y):
            default_function = of({"api_implements": name}, default)
            other = of({"api_implements": name, "api_preferred_device": device}, on_device)
            result, count = default_function(x=x, y=y)
            concrete = other.get_concrete_function(x=x, y=y)
            concrete.add_to_graph()
            concrete.add_gradient_functions_to_graph()
            return result * 2.0, count

        return run(tf.constant([1.0, 2.0]), tf.constant(3.0))

    v = tf.Variable(10.0)
    c = tf.constant(7.0)
    return (
        selected("add", lambda x, y: (x + y, tf.constant(0)), lambda x, y: (x * y, tf.constant(1))),
        selected("captured", lambda x, y: (x + y, tf.constant(0)), lambda x, y: (x * y + c * v, tf.constant(1))),
        selected("gpu", lambda x, y: (x + y, tf.constant(0)), lambda x, y: (x * y, tf.constant(1)), "GPU"),
    )


@row
def graphs_of_tensors(tf, np):
    @tf.function
    def run(x):
        return x if tf.constant(True).graph is x.graph else x * 0.0

    return run(tf.constant(2.0)), raised(lambda: tf.constant(1.0).graph)


@row
def counts_whose_size_is_given(tf, np):
    @tf.function
    def count(a, b):
        weights = tf.cast(a, tf.float32)
        metric.update_state(a, b)
        return (
            tf.math.confusion_matrix(a, b, num_classes=4),
            tf.math.confusion_matrix(a, b, 4, weights=weights, dtype=tf.float32),
            tf.math.bincount(a, minlength=5, maxlength=5),
            tf.math.bincount(a, minlength=2, maxlength=2, weights=weights),
            tf.math.bincount(tf.reshape(a, [2, 2]), minlength=4, maxlength=4, axis=-1, binary_output=True),
        )

    metric = tf.keras.metrics.MeanIoU(num_classes=4)
    return count(tf.constant([0, 1, 2, 1]), tf.constant([0, 2, 2, 1])), metric.result()


@row
def results_in_a_mapping_that_leaves_out_none(tf, np):
    class Output(collections.OrderedDict):
        def __init__(self, pairs=()):
            super().__init__(pair for pair in pairs if pair[1] is not None)

    @tf.function
    def f(x):
        return Output({"loss": None, "logits": x * 2.0, "hidden": (x, x + 1.0)}.items())

    found = f(tf.constant([1.0, 2.0]))
    return isinstance(found, Output), dict(found), sorted(f.get_concrete_function(tf.ones([2])).structured_outputs)


@row
def optimizers_with_sparse_updates_of_their_own(tf, np):
    class Decayed(tf.keras.optimizers.legacy.Adam):
        def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
            var.assign_sub(0.1 * var)
            return super()._resource_apply_sparse(grad, var, indices, apply_state=apply_state)

    class Momentum(tf.keras.optimizers.legacy.Optimizer):
        def __init__(self):
            super().__init__("Momentum")

        def _create_slots(self, var_list):
            for var in var_list:
                self.add_slot(var, "m")

        def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
            m = self.get_slot(var, "m")
            moved = tf.gather(m, indices) * 0.5 + grad
            self._resource_scatter_update(m, indices, moved)
            return self._resource_scatter_add(var, indices, -0.1 * moved)

        def get_config(self):
            return super().get_config()

    class Rows(tf.keras.optimizers.Optimizer):
        def __init__(self):
            super().__init__("Rows")
            self._learning_rate = self._build_learning_rate(0.1)

        def build(self, var_list):
            super().build(var_list)

        def update_step(self, gradient, variable):
            step = tf.IndexedSlices(-self._learning_rate * tf.sign(gradient.values), gradient.indices)
            variable.scatter_add(step)

        def get_config(self):
            return super().get_config()

    found = []
    for make in (Decayed, Momentum, Rows):
        optimizer, w = make(), tf.Variable(np.arange(10.0, dtype=np.float32).reshape(5, 2))

        @tf.function
        def step(indices, optimizer=optimizer, w=w):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.gather(w, indices) ** 2)
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
            return loss

        if make is not Decayed:
            optimizer.build([w]) if make is Rows else optimizer._create_all_weights([w])
        found.append([*(step(tf.constant(rows)) for rows in ([3, 1, 3], [0, 0, 0], [4, 1, 2])), w.numpy()])
    return found


@row
def what_is_wrong_is_found_in_tracing_or_when_run(tf, np):
    """The ValueError of what shapes show, the InvalidArgumentError of what an op finds when it runs."""
    vector, matrix = tf.ones(3), tf.ones((2, 3))
    calls = (
        lambda x: tf.argmax(x, 5), lambda x: tf.argmin(x, 5), lambda x: tf.cumsum(x, 5),
        lambda x: tf.math.cumprod(x, 5), lambda x: tf.math.cumulative_logsumexp(x, 5), lambda x: tf.roll(x, 1, 5),
        lambda x: tf.roll(x, [1, 1], 0), lambda x: tf.one_hot(tf.cast(x, tf.int32), 3, axis=5),
        lambda x: tf.one_hot(tf.cast(x, tf.int32), -3), lambda x: tf.nn.softmax(x, 5),
        lambda x: tf.nn.log_softmax(x, 5), lambda x: tf.slice(x, [0] * len(x.shape), [9] * len(x.shape)),
        lambda x: x[7], lambda x: x[0, 0, 0, 0], lambda x: x[::0], lambda x: tf.reduce_sum(x, 5),
    )  # fmt: skip
    runs = [run for call in calls for run in (tf.function(call), call)]
    return [raised(functools.partial(run, x)) for run in runs for x in (vector, matrix)]


class _Holder:
    v = w = None


@row
def initial_values_from_arguments(tf):
    holder = _Holder()

    @tf.function
    def f(x):
        if holder.v is None:
            holder.v = tf.Variable(x * 2.0)
            holder.w = tf.Variable(lambda: holder.v * tf.reduce_sum(x))
        holder.w.assign_add(x)
        return holder.v + holder.w

    results = f(tf.constant([1.0, 2.0])), f(tf.constant([5.0, 6.0]))
    return results, holder.v.read_value(), holder.w.read_value(), f.experimental_get_tracing_count()


@row
def initial_values_from_arguments_of_outer_functions(tf):
    holder = _Holder()

    @tf.function
    def inner(x):
        if holder.v is None:
            holder.v = tf.Variable(x)
        return holder.v + x

    outer = tf.function(lambda x: inner(x * 3.0))
    return outer(tf.constant(1.0)), outer(tf.constant(2.0)), holder.v.read_value()


@row
def initial_values_need_arguments(tf):
    holder = _Holder()

    @tf.function
    def f(x):
        if holder.v is None:
            holder.v = tf.Variable(x)
        return holder.v + x

    f(tf.constant(1.0))
    concrete = f.get_concrete_function(tf.TensorSpec([]))
    return concrete(tf.constant(2.0)), [v.name for v in concrete.variables]


@row
def init_scope_knows_no_arguments(tf):
    holder = _Holder()

    @tf.function
    def f(x):
        if holder.v is None:
            with tf.init_scope():
                holder.v = tf.Variable(tf.ones([2]) * 3.0)
        return holder.v.assign_add(x)

    @tf.function
    def g(x):
        with tf.init_scope():
            holder.w = tf.Variable(x)

    used = f(tf.constant([1.0, 2.0]))
    try:
        g(tf.constant([1.0, 2.0]))
    except TypeError as error:
        return used, "out of scope and cannot be used here" in str(error)


@row
def compiled_as_a_whole(tf):
    compile_, variable = tf.xla.experimental.compile, tf.Variable(1.0)
    found = [
        compile_(lambda x, y: x + y, [tf.constant(1.0), 2.0]),
        compile_(lambda x: (x, x * 2), [1]),
        compile_(lambda: tf.constant(3.0)),
        compile_(lambda x: {"a": x}, [tf.ones([2])]),
        compile_(lambda x: [variable.assign_add(x), x], [1.0]),
        variable.read_value(),
        tf.function(lambda x: compile_(lambda y: y * 2, [x]))(tf.ones([2])),
        raised(lambda: compile_(lambda x: x, 3), "inputs must be a list"),
    ]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        with tf.xla.experimental.jit_scope():
            results = compile_(lambda a, b: a + b, [x, [1.0, 2.0]])
        found.append(session.run(results, {x: [1, 2]}))

    def eager():
        with tf.xla.experimental.jit_scope():
            return tf.ones([])

    return [*found, raised(eager, "jit_scope is not supported when eager execution is enabled")]

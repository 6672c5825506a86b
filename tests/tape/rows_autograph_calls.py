"""AutoGraph: what is converted, options, tools."""

import functools
import types

from rows import logged, printed, raised, row, row_for

from tape.rows_autograph import slope

# --- calls --------------------------------------------------------------------------------------------------------


def relu(x):
    if x > 0.0:
        return x
    return x * 0.1


@row
def functions_called_are_converted(tf, np):
    def local(x, limit=1.0, *, scale=2.0):
        while x < limit:
            x = x * scale
        return x

    sign = lambda x: 1.0 if x > 0.0 else -1.0  # noqa: E731

    @tf.function
    def f(x):
        return relu(x) + local(x) + local(x, 5.0, scale=3.0) + sign(x)

    return slope(tf, f, 0.3), slope(tf, f, 7.0)


@row
def methods_partials_and_callables(tf, np):
    class Clip:
        def __init__(self, low):
            self.low = low

        def __call__(self, x):
            return self.apply(x)

        def apply(self, x):
            return x if x > self.low else tf.constant(self.low)

        @staticmethod
        def double(x):
            return x * 2.0 if x > 0.0 else x

        @classmethod
        def make(cls, x):
            return cls(1.0)(x) if x > -100.0 else x

    @tf.function
    def f(x):
        clip = Clip(-1.0)
        half = functools.partial(relu, x)
        return clip(x), clip.apply(x), Clip.double(x), Clip.make(x), half()

    return f(tf.constant(3.0)), f(tf.constant(-3.0))


@row
def functions_of_partials_methods_and_callables(tf, np):
    class Module(tf.Module):
        def method(self, x):
            if x > 0.0:
                x = x * 2.0
            return x

        def __call__(self, x):
            if x > 0.0:
                x = x * 3.0
            return x

    def power(x, n):
        y = x
        for _ in tf.range(n):
            y = y * x
        return y

    module = Module()
    functions = (
        tf.function(module.method), tf.function(module), tf.function(functools.partial(power, n=2)),
        tf.function(lambda x: x if x > 0.0 else -x),
    )  # fmt: skip
    return [f(tf.constant(value)) for f in functions for value in (2.0, -2.0)]


@row
def super_and_closures(tf, np):
    class Base:
        def run(self, x):
            return x + 1.0

    class Derived(Base):
        def run(self, x):
            if x > 0.0:
                y = super().run(x)
            else:
                y = x
            return y

    derived, bias = Derived(), [10.0]

    def outer(x):
        factor = 2.0

        def inner(y):
            if y > 0.0:
                return y * factor + bias[0]
            return y

        return inner(x)

    @tf.function
    def f(x):
        return derived.run(x), outer(x)

    return f(tf.constant(1.0)), f(tf.constant(-1.0))


@row
def layers_call_is_converted(tf, np):
    class Gate(tf.keras.layers.Layer):
        def call(self, x):
            if tf.reduce_sum(x) > 0.0:
                x = x * 2.0
            else:
                x = x - 1.0
            return x

    layer = Gate()

    @tf.function
    def f(x):
        return layer(x)

    model = tf.keras.Sequential([layer])
    return f(tf.ones([1, 2])), f(-tf.ones([1, 2])), tf.function(model)(tf.ones([1, 2]))


@row
def functions_given_to_the_library_are_converted(tf, np):
    @tf.function
    def f(x):
        return tf.map_fn(relu, x)

    return slope(tf, f, [1.0, -1.0])


@row
def functions_called_by_functions(tf, np):
    @tf.function
    def inner(x):
        if x > 0.0:
            return x * 2.0
        return x

    @tf.function
    def outer(x):
        for _ in tf.range(3):
            if x < 10.0:
                x = inner(x)
        return x

    return slope(tf, outer, 3.0), slope(tf, outer, -3.0)


@row
def recursion_over_python_values(tf, np):
    def power(x, n):
        if n == 0:
            return tf.ones_like(x)
        if x > 100.0:
            return x
        return x * power(x, n - 1)

    return slope(tf, tf.function(lambda x: power(x, 3)), 2.0)


@row
def do_not_convert(tf, np):
    @tf.autograph.experimental.do_not_convert
    def plain(x):
        return relu(x)

    @tf.function
    def f(x):
        return plain(x)

    @tf.function(autograph=False)
    def g(x):
        return relu(x)

    x = tf.constant(1.0)
    return raised(lambda: f(x)), raised(lambda: g(x)), tf.function(plain.__wrapped__)(x)


@row
def builtins(tf, np):
    @tf.function
    def f(x):
        return len(x), abs(x), int(x[0]), float(tf.cast(x[0], tf.int32)), len([1, 2]), int("3"), float(2), abs(-1)

    return f(tf.constant([-2.5, 1.0])), raised(lambda: tf.function(lambda x: max(x, 1.0))(tf.constant(1.0)))


@row
def print_prints_while_tracing(tf, np):
    @tf.function
    def f(x):
        print("tracing")
        return x

    return printed(lambda: [f(tf.constant(1.0)), f(tf.constant(2.0))])


@row
def print_as_an_option_prints_each_time(tf, np):
    @tf.function(experimental_autograph_options=tf.autograph.experimental.Feature.BUILTIN_FUNCTIONS)
    def f(x):
        print("running", x)
        return x

    return printed(lambda: [f(tf.constant(1.0)), f(tf.constant(2.0))])


@row
def assert_statements(tf, np):
    @tf.function
    def plain(x):
        assert x > 0.0, "positive"
        return x

    @tf.function(experimental_autograph_options=(tf.autograph.experimental.Feature.ASSERT_STATEMENTS,))
    def converted(x):
        assert x > 0.0, "positive"
        return x

    @tf.function
    def python(x):
        assert x.shape.rank == 0, "a scalar"
        return x

    return (
        raised(lambda: plain(tf.constant(1.0)), "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed"),
        converted(tf.constant(1.0)),
        raised(lambda: converted(tf.constant(-1.0))),
        python(tf.constant(1.0)),
        raised(lambda: python(tf.constant([1.0])), "AssertionError: a scalar"),
    )


@row
def appending_to_lists(tf, np):
    @tf.function
    def f(x):
        values = []
        for i in range(3):
            values.append(x * i)
        if x > 0:
            y = tf.stack(values)
        else:
            y = tf.stack(values[::-1])
        return y, [v for v in values], {str(i): v for i, v in enumerate(values)}

    return f(tf.constant(2)), f(tf.constant(-2))


@row
def exceptions_and_contexts(tf, np):
    @tf.function
    def f(x):
        try:
            with tf.name_scope("scope"):
                if x > 0.0:
                    x = x * 2.0
                y = {}["missing"]
        except KeyError:
            y = x + 1.0
        finally:
            y = y * 10.0
        return y

    return f(tf.constant(1.0)), f(tf.constant(-1.0))


@row
def deleted_and_undefined_names(tf, np):
    @tf.function
    def f(x):
        y = x
        del y
        return y  # noqa: F821

    @tf.function
    def g(x):
        if x.shape.rank:
            y = x
        return y

    return raised(lambda: f(tf.constant(1.0))), raised(lambda: g(tf.constant(1.0))), g(tf.constant([1.0]))


# --- options and tools --------------------------------------------------------------------------------------------


@row
def without_source(tf, np):
    scope = {"tf": tf}
    exec(compile("def f(x):\n    return x * 2.0 if x > 0.0 else x\n", "<typed in>", "exec"), scope)
    converted = tf.function(scope["f"])

    def call():
        return raised(lambda: converted(tf.constant(1.0))), raised(lambda: converted(tf.constant([1.0])))

    found = logged(call)
    head = "WARNING:AutoGraph could not transform <function f at"
    text = found["log"][0]
    return found["result"], [message[: len(head)] for message in found["log"]], text.splitlines()[-1]


@row
def what_cannot_be_converted_runs_as_it_is(tf, np):
    @tf.function
    def f(x):
        n = 3
        while n > 0:
            n -= 1
        else:
            x = x * 2.0
        return x

    found = logged(lambda: f(tf.constant(1.0)))
    return found["result"], [message.splitlines()[1] for message in found["log"]]


@row
def to_graph(tf, np):
    def f(x, n=3):
        total = 0.0
        for i in tf.range(n):
            if i % 2 == 0:
                total += x
        return total

    converted = tf.autograph.to_graph(f)
    function = tf.function(converted, autograph=False)
    return converted(tf.constant(2.0)), converted(tf.constant(2.0), 5), function(tf.constant(2.0))


@row
def to_code(tf, np):
    code = tf.autograph.to_code(relu)
    function = tf.function(relu)
    return (
        code.startswith("def tf__relu(x):"),
        [part in code for part in ("ag__.if_stmt(", "ag__.FunctionScope('relu'", "'do_return', 'retval_'")],
        tf.autograph.to_code(function.python_function) == code,
        raised(lambda: tf.autograph.to_code(3)).error is not None,
    )


@row
def without_autograph(tf, np):
    @tf.function(autograph=False)
    def f(x):
        return tf.cond(x > 0.0, lambda: x * 2.0, lambda: x)

    @tf.function(autograph=False)
    def g(x):
        return x if x > 0.0 else -x

    return f(tf.constant(1.0)), raised(lambda: g(tf.constant(1.0)), "as a Python `bool` is not allowed")


@row
def functions_run_eagerly(tf, np):
    @tf.function
    def f(x):
        n = 0
        while x < 10.0:
            x = x * 2.0
            n += 1
        return x, n

    tf.config.run_functions_eagerly(True)
    try:
        return f(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)


@row
def conversion_leaves_the_function_alone(tf, np):
    @tf.function
    def f(x, y=1.0, *rest, z=2.0, **named):
        """What it does."""
        if x > 0.0:
            x = x * y
        for value in rest:
            x = x + value
        return x * z * named.get("w", 1.0)

    x = tf.constant(1.0)
    results = [f(x), f(x, 3.0), f(x, 3.0, 4.0, 5.0), f(x, z=7.0, w=2.0)]
    return results, f.__doc__, f.__name__, f.python_function.__name__


@row
def training_loop_inside(tf, np):
    w = tf.Variable([1.0, -1.0])

    @tf.function
    def train(x, y, steps):
        loss = tf.constant(0.0)
        for step in tf.range(steps):  # noqa: B007
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.linalg.matvec(x, w) - y) ** 2)
            gradient = tape.gradient(loss, w)
            if tf.norm(gradient) > 1.0:
                gradient = gradient / tf.norm(gradient)
            w.assign_sub(0.1 * gradient)
            if loss < 1e-3:
                break
        return loss, step

    x, y = tf.constant([[1.0, 2.0], [3.0, 1.0], [0.0, 1.0]]), tf.constant([5.0, 5.0, 2.0])
    return train(x, y, tf.constant(20)), w.numpy(), train(x, y, 5), w.numpy()


@row
def random_numbers_in_loops(tf, np):
    @tf.function
    def f(n):
        total = tf.zeros([2])
        for i in tf.range(n):
            total += tf.random.stateless_uniform([2], seed=[i, 7])
        return total

    return f(tf.constant(3))


@row
def jacobian_through_a_loop(tf, np):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for i in tf.range(2):
                if i > 0:
                    y = y * x
                else:
                    y = tf.sin(y)
        return tape.jacobian(y, x)

    return f(tf.constant([1.0, 2.0]))


def inner(x):
    return x + 1.0


@row
def a_function_called_inner(tf, np):
    """As converted code might call its own."""

    @tf.function
    def f(x):
        if x > 1.0:
            return inner(x)
        return -inner(x)

    return f(tf.constant(3.0)), f(tf.constant(0.0))


@row
def metrics_with_conditions_over_tensors(tf, np):
    class Ratio(tf.keras.metrics.Metric):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.total, self.seen = self.add_weight(name="t", initializer="zeros"), self.add_weight(
                name="n", initializer="zeros"
            )

        def update_state(self, y_true, y_pred, sample_weight=None):
            if tf.reduce_max(y_true) > 1.0:
                self.total.assign_add(tf.reduce_sum(y_true))
            for value in y_true:
                self.seen.assign_add(value[0])

        def result(self):
            if self.seen == 0:
                return 0.0
            return self.total / self.seen

    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(1,))])
    model.compile("sgd", "mse", metrics=[Ratio(name="ratio")])
    y = np.array([[0.5], [1.5], [0.25], [0.75]], np.float32)
    history = model.fit(np.zeros([4, 1], np.float32), y, batch_size=2, shuffle=False, epochs=2, verbose=0).history
    alone = Ratio()
    before = alone.result()
    alone.update_state(tf.constant(y[:2]), None)
    return history["ratio"], before, alone.result(), tf.function(alone.result)()


@row_for(package=["tensorflow_probability.python.layers.weight_norm", "tf_keras.src.layers", "matplotlib.of_mine"])
def a_library_makes_a_function(tf, package):
    def absolute(x):
        if x > 0.0:
            y = x
        else:
            y = -x
        return y

    theirs = types.FunctionType(absolute.__code__, {**globals(), "__name__": package})
    theirs.__module__ = package
    return tf.function(theirs)(tf.constant(-2.0))

"""`tf.function`: what comes out, variables and other state, methods, concrete functions."""

import collections

from rows import raised, row

Pair = collections.namedtuple("Pair", "first second")


@row
def results_of_every_kind(tf, np):
    @tf.function
    def f(x):
        return {
            "tensor": x,
            "none": None,
            "float": 1.5,
            "int": 7,
            "bool": True,
            "text": "words",
            "array": np.array([1.0, 2.0]),
            "list": [x, (x + 1.0, [])],
            "pair": Pair(x, None),
            "empty": (),
        }

    return f(tf.constant(2.0))


@row
def no_result(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def f():
        v.assign_add(1.0)

    return f(), f(), v


@row
def result_is_an_argument(tf, np):
    @tf.function
    def f(x, y):
        return y, x, x

    x, y = tf.constant(1.0), tf.constant([2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        a, b, c = f(x, y)
    return a, b, c, a is y, b is c, tape.gradient(a, [x, y]), tape.gradient([b, c], [x, y])


@row
def result_is_a_captured_tensor_or_variable(tf, np):
    c, v = tf.constant([1.0, 2.0]), tf.Variable(3.0)

    @tf.function
    def f():
        return c, v

    with tf.GradientTape() as tape:
        tape.watch(c)
        a, b = f()
        z = tf.reduce_sum(a) * b
    return a, b, tape.gradient(z, [c, v])


@row
def result_is_an_assignment(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        return v.assign_add(x)

    first = f(tf.constant(2.0))
    second = f(tf.constant(3.0))
    return first, second, v


@row
def result_that_is_no_tensor(tf, np):
    class Other:
        pass

    @tf.function
    def f():
        return Other()

    return raised(f)


@row
def variable_created_at_the_first_call(tf, np):
    created = []

    @tf.function
    def f(x):
        if not created:
            created.append(tf.Variable(3.0))
        created[0].assign_add(x)
        return created[0] * x

    return f(tf.constant(1.0)), f(tf.constant(2.0)), created[0].numpy(), len(created)


@row
def variable_created_at_every_call(tf, np):
    @tf.function
    def f(x):
        v = tf.Variable(1.0)
        return v * x

    text = "tf.function only supports singleton tf.Variables created on the first call"
    return raised(lambda: f(tf.constant(1.0)), text)


@row
def variable_created_in_a_later_trace(tf, np):
    created = []

    @tf.function
    def f(x):
        if x.shape.rank:
            created.append(tf.Variable(1.0))
            return x * created[0]
        return x

    f(tf.constant(1.0))
    return raised(lambda: f(tf.constant([1.0])), "Creating variables on a non-first call")


@row
def variables_created_in_init_scope_are_the_functions_own(tf, np):
    created, traces = [], []

    def once(x):
        traces.append("once")
        with tf.init_scope():
            if not created:
                created.append(tf.Variable(2.0))
        return created[0] * x

    def always(x):
        traces.append("always")
        with tf.init_scope():
            created.append(tf.Variable(1.0))
        return created[-1] * x

    results = [tf.function(once)(tf.constant(3.0))]
    text = "tf.function only supports singleton tf.Variables created on the first call"
    return results, raised(lambda: tf.function(always)(tf.constant(1.0)), text), traces


@row
def an_optimizer_built_in_a_function_is_one_more_trace(tf, np):
    traces = []
    v = tf.Variable(1.0)
    optimizer = tf.keras.optimizers.Adam(0.5)

    @tf.function
    def step():
        traces.append(len(traces))
        with tf.GradientTape() as tape:
            loss = v * v
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        return loss

    return step(), step(), traces, v


@row
def variable_of_a_module_created_at_the_first_call(tf, np):
    class Layer(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(tf.ones([x.shape[-1], 2]) * 0.5, name="w")
            return x @ self.w

    layer = Layer()
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        y = layer(x)
    return y, tape.gradient(y, layer.w), layer.w.name, [v.name for v in layer.trainable_variables]


@row
def variable_from_an_initializer_function(tf, np):
    created = []

    @tf.function
    def f(x):
        if not created:
            created.append(tf.Variable(lambda: tf.ones([2]) * 3.0))
        return created[0] * x

    return f(tf.constant(2.0)), created[0].numpy()


@row
def reads_and_assignments_in_order(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        seen = [v.read_value()]
        v.assign(v * 2.0)
        seen.append(v + 0.0)
        v.assign_add(x)
        seen.append(v.value())
        v.assign_sub(1.0)
        v.assign(v * v)
        seen.append(tf.identity(v))
        return seen

    return f(tf.constant(3.0)), v, f(tf.constant(3.0)), v


@row
def reads_and_assignments_under_a_tape_inside(tf, np):
    v, w = tf.Variable(2.0), tf.Variable(3.0)

    @tf.function
    def f():
        with tf.GradientTape(persistent=True) as tape:
            before = v * w
            v.assign(before)
            after = v * w
        return tape.gradient(before, [v, w]), tape.gradient(after, [v, w])

    return f(), v, f(), v


@row
def scatter_inside(tf, np):
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def f(i, x):
        v.scatter_nd_add([[i]], [x])
        v.scatter_update(tf.IndexedSlices([9.0], [0]))
        return v[i]

    return f(tf.constant(1), tf.constant(5.0)), f(tf.constant(2), tf.constant(5.0)), v


@row
def captured_tensors_and_python_values(tf, np):
    pending = tf.constant([1.0, 2.0]) * 3.0
    parts = [tf.constant(1.0), 2.0, [tf.constant(3.0)]]
    array = np.array([1.0, 1.0], np.float32)

    @tf.function
    def f(x):
        return x * pending + parts[0] * parts[1] + parts[2][0] + array

    first = f(tf.constant(1.0))
    parts[1] = 100.0  # as Python values are, it was read when the function was traced
    array += 1.0
    with tf.GradientTape() as tape:
        tape.watch([pending, parts[0]])
        y = f(tf.constant(2.0))
    return first, y, tape.gradient(y, [pending, parts[0]])


@row
def captured_variable_that_is_rebound(tf, np):
    class Holder:
        pass

    holder = Holder()
    holder.v = tf.Variable(1.0)

    @tf.function
    def f(x):
        return holder.v * x

    first = f(tf.constant(2.0))
    holder.v.assign(5.0)
    second = f(tf.constant(2.0))
    return first, second


@row
def methods(tf, np):
    class Scaled(tf.Module):
        def __init__(self, factor):
            super().__init__()
            self.factor = tf.Variable(factor)
            self.traces = 0

        @tf.function
        def __call__(self, x):
            self.traces += 1
            return x * self.factor

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def plus(self, x):
            return self(x) + self.factor

    two, three = Scaled(2.0), Scaled(3.0)
    x = tf.constant(5.0)
    results = [two(x), three(x), two(x), two.plus(x), three.plus(x)]
    return results, two.traces, three.traces, raised(lambda: two.plus("text"))


@row
def class_and_static_methods(tf, np):
    class Functions:
        @staticmethod
        @tf.function
        def double(x):
            return x * 2.0

        @classmethod
        @tf.function
        def named(cls, x):
            return x, cls.__name__

        unbound = tf.function(lambda self, x: x + 1.0)

    x = tf.constant(1.0)
    return Functions.double(x), Functions().double(x), Functions().unbound(x), Functions.unbound(None, x)


@row
def recursion(tf, np):
    @tf.function
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = power(x, 5)
    return y, tape.gradient(y, x)


@row
def decorator_attributes(tf, np):
    @tf.function
    def documented(x):
        """What it does."""
        return x

    return documented.__name__, documented.__doc__, documented.python_function(3), callable(documented)


@row
def name_and_repr_of_results(tf, np):
    seen = []

    @tf.function
    def f(x):
        seen.extend([type(x).__name__, str(x.shape), x.dtype.name, x.shape.rank, isinstance(x, tf.Tensor)])
        seen.append(tf.executing_eagerly())
        seen.append(tf.inside_function())
        with tf.init_scope():
            seen.append(tf.executing_eagerly())
        return x

    f(tf.constant([1.0]))
    return seen, tf.executing_eagerly(), tf.inside_function()


@row
def restrictions_of_symbolic_tensors(tf, np):
    found = {}

    @tf.function(autograph=False)
    def f(x):
        def attempt(name, call):
            found[name] = raised(call)

        attempt("bool", lambda: bool(x))
        attempt("if", lambda: 1 if x > 0 else 2)
        attempt("and", lambda: x > 0 and x < 1)
        attempt("in", lambda: 1.0 in x)
        attempt("len", lambda: len(x))
        attempt("int", lambda: int(x))
        attempt("float", lambda: float(x))
        attempt("index", lambda: [1, 2][x])
        attempt("range", lambda: range(x))
        attempt("numpy", lambda: x.numpy())
        attempt("array", lambda: np.array(x))
        attempt("asarray", lambda: np.asarray(x))
        attempt("np.sum", lambda: np.sum(x))
        attempt("hash", lambda: hash(x))
        attempt("attribute", lambda: x.nothing_of_this_name)
        attempt("unknown method", lambda: x.reshape([1]))
        return x

    f(tf.constant(1.0))
    return found


@row
def static_shapes_are_python_values(tf, np):
    @tf.function
    def f(x):
        n = x.shape[0]
        rows = [x[i] for i in range(n)]
        flat = tf.reshape(x, [tf.shape(x)[0] * tf.shape(x)[1]])
        return tf.add_n(rows) * n, flat, tf.size(x), tf.rank(x), len(x.shape)

    return f(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


@row
def text_inside(tf, np):
    @tf.function
    def f(x):
        return x, tf.constant("inner")

    return f(tf.constant("outer"))


@row
def errors_while_tracing_leave_nothing_behind(tf, np):
    v = tf.Variable(1.0)
    fail = [True]

    @tf.function
    def f(x):
        v.assign_add(x)
        y = v * x
        if fail[0]:
            raise KeyError("from the user's code")
        return y

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        before = x * 3.0
        error = raised(lambda: f(x))
        after = before * x
    results = [error, v.numpy(), tf.executing_eagerly(), tape.gradient(after, x)]
    fail[0] = False
    return results, f(x), v


@row
def errors_of_ops_while_tracing(tf, np):
    @tf.function
    def f(x, y):
        return tf.matmul(x, y)

    return (
        raised(lambda: f(tf.ones([2, 3]), tf.ones([2, 3]))),
        f(tf.ones([2, 3]), tf.ones([3, 1])),
        raised(lambda: tf.function(lambda x: x + tf.constant(1))(tf.constant(1.0))),
        raised(lambda: tf.function(lambda x: tf.reshape(x, [7]))(tf.ones([2, 3]))),
    )


@row
def run_functions_eagerly(tf, np):
    calls = []

    @tf.function
    def f(x):
        calls.append(tf.executing_eagerly())
        return x * 2.0

    x = tf.constant(1.0)
    f(x)
    f(x)
    tf.config.run_functions_eagerly(True)
    try:
        flags = [tf.config.functions_run_eagerly()]
        results = [f(x), f(x)]
    finally:
        tf.config.run_functions_eagerly(False)
    flags.append(tf.config.functions_run_eagerly())
    return results, flags, calls, f(x)


@row
def concrete_functions(tf, np):
    traces = []

    @tf.function
    def f(x, power=2, *, scale):
        traces.append("trace")
        return {"y": x**power * scale}

    concrete = f.get_concrete_function(tf.TensorSpec([2], tf.float32), 3, scale=tf.constant(2.0))
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = concrete(x, scale=tf.constant(10.0))
    return y, tape.gradient(y["y"], x), len(traces), f(x, 3, scale=tf.constant(1.0)), len(traces)


@row
def concrete_function_of_an_input_signature(tf, np):
    v = tf.Variable(2.0, name="v")

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, name="x")])
    def f(x):
        return x * v, None

    concrete = f.get_concrete_function()
    x = tf.constant([1.0, 2.0])
    return (
        concrete(x),
        concrete(x=x),
        [w.name for w in concrete.variables],
        [w.name for w in concrete.trainable_variables],
        str(concrete.structured_input_signature),
    )


@row
def concrete_function_with_wrong_arguments(tf, np):
    @tf.function
    def f(x):
        return x * 2.0

    concrete = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    return (
        concrete(tf.constant([1.0, 2.0])),
        raised(lambda: concrete(tf.constant([1.0, 2.0, 3.0]))),
        raised(lambda: concrete(tf.constant([1, 2]))),
        raised(lambda: concrete()),
        raised(lambda: concrete(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0]))),
        raised(lambda: concrete(y=tf.constant([1.0, 2.0]))),
    )


@row
def tracing_count(tf, np):
    @tf.function
    def f(x):
        return x

    counts = [f.experimental_get_tracing_count()]
    for x in (tf.constant(1), tf.constant(2), tf.constant([1])):
        f(x)
        counts.append(f.experimental_get_tracing_count())
    return counts


@row
def tracing_count_by_its_private_name(tf, np):
    f = tf.function(lambda x: x)
    f(tf.constant(1))
    return f._get_tracing_count()


@row
def random_numbers_differ_from_call_to_call(tf, np):
    @tf.function
    def f():
        return tf.random.uniform([3])

    a, b = f(), f()
    return bool(tf.reduce_any(a != b)), a.shape.as_list()


@row
def control_dependencies_and_group(tf, np):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        update = v.assign_add(x)
        with tf.control_dependencies([update]):
            y = v * 2.0
        tf.group(y, update)
        tf.no_op()
        return y

    return f(tf.constant(2.0)), v

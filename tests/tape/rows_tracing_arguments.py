"""`tf.function`: arguments and input signatures, and what is traced for them."""

import collections
import functools

from rows import raised, row, row_for

Pair = collections.namedtuple("Pair", "first second")


def counting(tf, **options):
    """A function of anything that returns its arguments' number, and the list which it extends when traced."""
    traces = []

    @tf.function(**options)
    def f(*args, **kwargs):
        traces.append("trace")
        return tf.constant(len(args) + len(kwargs))

    return f, traces


@row
def one_trace_per_dtype_and_shape(tf, np):
    f, traces = counting(tf)
    counts = []
    for x in (
        tf.constant(1.0),
        tf.constant(2.0),
        tf.constant([1.0]),
        tf.constant([2.0]),
        tf.constant(1),
        tf.constant(1.0, tf.float64),
        tf.constant(True),
        tf.constant("text"),
        tf.constant(3.0),
    ):
        f(x)
        counts.append(len(traces))
    return counts


@row
def python_arguments_retrace_by_value(tf, np):
    f, traces = counting(tf)
    counts = []
    for x in (3, 3, 2, 2.5, True, 3, None, "a", "a", "b", b"a", (1, 2), [1, 2], [1, 2], (1, 3), {"a": 1}, {"a": 1}):
        f(x)
        counts.append(len(traces))
    return counts


@row
def arrays_are_tensors(tf, np):
    f, traces = counting(tf)
    counts = []
    for x in (
        np.float32(1),
        np.float32(2),
        np.ones(2, np.float32),
        np.zeros(2, np.float32),
        tf.ones(2),
        np.ones(2),
        np.array([1, 2]),
        np.array(["a"]),
        [np.ones(2), 1],
        [np.zeros(2), 1],
    ):
        f(x)
        counts.append(len(traces))
    return counts


@row
def arrays_inside_are_tensors(tf, np):
    @tf.function
    def f(x, y=None):
        return x * 2 if y is None else x + y

    return f(np.array([1.0, 2.0])), f(np.float32(3)), f(np.array([1, 2]), np.array(5)), f(np.int8(3))


@row
def dtype_arguments_and_shapes_are_python_values(tf, np):
    traces = []

    @tf.function
    def f(dtype, shape, flag):
        traces.append((dtype, flag))
        return tf.zeros(shape, dtype)

    results = [f(tf.float32, (2,), True), f(tf.float32, (2,), True), f(tf.int32, tf.TensorShape([1]), False)]
    return results, len(traces)


@row
def structures_of_arguments(tf, np):
    f, traces = counting(tf)
    counts = []
    one, two = tf.constant(1.0), tf.constant(2.0)
    for x in (
        [one, two],
        [two, one],
        (one, two),
        Pair(one, two),
        {"a": one, "b": two},
        {"b": two, "a": one},
        {"a": one, "c": two},
        [one, [two]],
        [one, None],
        [],
        (),
        {},
        [one, 3],
        [one, 4],
    ):
        f(x)
        counts.append(len(traces))
    return counts


@row
def keywords_and_defaults(tf, np):
    traces = []

    @tf.function
    def f(a, b=2.0, *, c=3.0):
        traces.append("trace")
        return a * b * c

    one = tf.constant(1.0)
    results = [f(one), f(one, 2.0), f(a=one, b=2.0), f(one, c=3.0), f(b=2.0, a=one, c=3.0), f(one, 4.0)]
    return results, len(traces)


@row
def default_that_is_a_tensor(tf, np):
    two = tf.constant(2.0)

    @tf.function
    def f(a, b=two):
        return a * b

    with tf.GradientTape() as tape:
        tape.watch(two)
        y = f(tf.constant(3.0))
    return y, tape.gradient(y, two), f(tf.constant(3.0), tf.constant(5.0))


@row
def variadic(tf, np):
    traces = []

    @tf.function
    def f(first, *rest, scale=1.0, **named):
        traces.append("trace")
        return scale * (first + sum(rest) + sum(named.values()))

    one, two = tf.constant(1.0), tf.constant(2.0)
    results = [f(one), f(one, two), f(one, two, two), f(one, two, scale=two)]
    results += [f(one, a=one, b=two), f(one, b=two, a=one)]
    return results, len(traces)


@row
def binding_errors(tf, np):
    @tf.function
    def f(a, b):
        return a + b

    one = tf.constant(1.0)
    return (
        raised(lambda: f(one), "missing a required argument: 'b'"),
        raised(lambda: f(one, one, one), "too many positional arguments"),
        raised(lambda: f(one, one, c=one), "got an unexpected keyword argument 'c'"),
        raised(lambda: f(one, one, a=one), "multiple values for argument 'a'"),
        f(one, one),
    )


@row
def unsupported_argument_types_are_python_objects(tf, np):
    class Options:
        def __init__(self, scale):
            self.scale = scale

    traces = []

    @tf.function
    def f(x, options):
        traces.append("trace")
        return x * options.scale

    one, two = Options(2.0), Options(3.0)
    x = tf.constant(1.0)
    return [f(x, one), f(x, one), f(x, two), f(x, one)], len(traces)


@row
def functions_as_arguments(tf, np):
    traces = []

    @tf.function
    def apply(g, x):
        traces.append("trace")
        return g(x)

    x = tf.constant([1.0, 4.0])
    return [apply(tf.sqrt, x), apply(tf.square, x), apply(tf.sqrt, x)], len(traces)


@row
def input_signature_errors(tf, np):
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def f(x):
        return x * 2.0

    return (
        f(tf.ones([1, 2])),
        f([[1.0, 2.0]]),
        f([[1, 2]]),
        f(np.ones([3, 2], np.float32)),
        raised(lambda: f(tf.ones([3])), "Binding inputs to tf.function failed"),
        raised(lambda: f(tf.ones([1, 3]))),
        raised(lambda: f(tf.ones([1, 2], tf.float64))),
        raised(lambda: f(np.ones([1, 2]))),
        raised(lambda: f("text")),
        raised(lambda: f()),
        raised(lambda: f(tf.ones([1, 2]), tf.ones([1, 2]))),
        raised(lambda: f(y=tf.ones([1, 2]))),
        f(x=tf.ones([1, 2])),
    )


@row
def input_signature_of_structures(tf, np):
    spec = tf.TensorSpec([], tf.float32)

    @tf.function(input_signature=[{"a": spec, "b": (spec, spec)}, spec])
    def f(x, y):
        return x["a"] * x["b"][0] + x["b"][1] * y

    one, two, three = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    return (
        f({"a": one, "b": (two, three)}, two),
        f({"a": 1.0, "b": (2.0, 3.0)}, 2.0),
        f(x={"b": (two, three), "a": one}, y=two),
        raised(lambda: f({"a": one}, two)),
        raised(lambda: f([one, two, three], two)),
    )


@row
def input_signature_with_defaults(tf, np):
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def f(x, scale=3.0):
        return x * scale

    return f(tf.constant(2.0)), f(2.0), raised(lambda: f(2.0, 4.0))


@row
def input_signature_longer_or_shorter_than_the_parameters(tf, np):
    spec = tf.TensorSpec([], tf.float32)

    def one(x):
        return x

    def two(x, y):
        return x + y

    def attempt(function, *specs):
        return tf.function(function, input_signature=specs)(*[tf.constant(1.0)] * len(specs))

    return (
        raised(lambda: attempt(one, spec, spec)),
        raised(lambda: attempt(two, spec)),
        attempt(two, spec, spec),
    )


@row
def input_signature_must_be_of_specs(tf, np):
    return (
        raised(lambda: tf.function(lambda x: x, input_signature=[tf.float32])(1.0)),
        raised(lambda: tf.function(lambda x: x, input_signature=tf.TensorSpec([], tf.float32))(1.0)),
    )


@row
def input_signature_and_variables(tf, np):
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def f(x):
        return x * 2.0

    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = f(v)
    return y, tape.gradient(y, v)


@row_for(shape=("known", "unknown_size", "unknown_rank"))
def input_signature_counts_one_trace_for_one_shape(tf, np, shape):
    shape = {"known": [2], "unknown_size": [None], "unknown_rank": None}[shape]
    traces = []

    @tf.function(input_signature=[tf.TensorSpec(shape, tf.float32)])
    def f(x):
        traces.append("trace")
        return tf.reduce_sum(x)

    return [f(tf.constant([1.0, 2.0])), f(tf.constant([3.0, 4.0])), f(np.float32([5.0, 6.0]))], len(traces)


@row
def variables_as_arguments(tf, np):
    @tf.function
    def f(v, x):
        v.assign_add(x)
        return v * x

    v, w = tf.Variable(1.0), tf.Variable(10.0)
    with tf.GradientTape() as tape:
        y = f(v, tf.constant(2.0)) + f(w, tf.constant(3.0)) + f(v, tf.constant(4.0))
    return y, v, w, tape.gradient(y, [v, w])


@row
def variables_in_structures_as_arguments(tf, np):
    @tf.function
    def f(parameters, x):
        return parameters["w"] * x + parameters["b"][0]

    first = {"w": tf.Variable(2.0), "b": [tf.Variable(1.0)]}
    second = {"w": tf.Variable(3.0), "b": [tf.Variable(5.0)]}
    results = []
    for parameters in (first, second):
        with tf.GradientTape() as tape:
            y = f(parameters, tf.constant(4.0))
        results.append((y, tape.gradient(y, parameters)))
    return results


@row
def traces_of_variables(tf, np):
    f, traces = counting(tf)
    counts = []
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    for args in ((v,), (v,), (w,), (tf.Variable([1.0]),), (v, w), (v, v), (tf.constant(1.0),)):
        f(*args)
        counts.append(len(traces))
    return counts


@row
def one_variable_as_argument_and_captured(tf, np):
    v, w = tf.Variable(1.0), tf.Variable(10.0)

    @tf.function
    def f(u):
        u.assign_add(1.0)
        return u * v

    return f(v), f(w), f(v), v, w


@row
def traces_for_composite_specs(tf, np):
    f = tf.function(lambda x: x * 2.0)
    rows = tf.ragged.constant([[1.0, 4.0], [2.0]])
    sparse = tf.sparse.from_dense([[1.0, 4.0, 0.0], [2.0, 0.0, 0.0]])
    of_rows = f.get_concrete_function(tf.RaggedTensorSpec([None, None], tf.float32))
    of_sparse = f.get_concrete_function(tf.SparseTensorSpec([None, 3], tf.float32))
    return of_rows(rows).to_list(), of_rows(tf.concat([rows, rows], 0)).to_list(), tf.sparse.to_dense(of_sparse(sparse))


@row
def arguments_that_are_changed(tf, np):
    def add(d):
        d["new"] = d["a"] * 2

    def replace(d):
        d["a"] = d["a"] * 2

    def grow_twice(x, d, *more, **named):
        d["l"].append(x), named["n"].append(x)

    def sort(values):
        values.sort()

    def default(values=[3.0]):  # noqa: B006
        values[0] = 1.0

    def fetch(d, lists):
        d.get("a"), lists[0].copy().append(1), d.setdefault("a", 2), lists.sort()

    def inside(x):
        tf.function(add)({"a": x})

    x = tf.constant(1.0)
    kept = {"a": x, "l": [1]}
    return [
        raised(functools.partial(tf.function(f), *args, **named), *parts)
        for f, args, named, *parts in (
            (add, (kept,), {}, "add(d) should not modify its Python input arguments. Modifying a copy is allowed."),
            (replace, (kept,), {}, "modified: d"),
            (grow_twice, (x, kept, 1), {"n": [x]}, "grow_twice(x, d, *more, **named)", "modified: d, named"),
            (sort, ([2, 1],), {}, "modified: values"),
            (default, (), {}, "modified: values"),
            (inside, (x,), {}, "add(d)", "modified: d"),
            (lambda **named: named.pop("n") and None, (), {"n": [x]}),
            (fetch, (kept, [[1], [2]]), {}),
        )
    ], kept

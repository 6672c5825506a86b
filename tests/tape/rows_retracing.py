"""Which calls of a function have a trace of their own: `reduce_retracing`, and numbers that are equal."""

from rows import raised, row, row_for

SIZES = [
    (2, [[1], [2, 3]]), (3, [[1, 2], [3], [4, 5]]), (4, [[1], [2, 3, 4], [5], [6]]), (5, [[1], [2], [3], [4], [5]])
]  # fmt: skip


def arguments(tf, np, kind):
    class Pair(tf.experimental.ExtensionType):
        a: tf.Tensor
        b: tf.Tensor

    makers = {
        "tensor": lambda n, rows: tf.ones([n]),
        "ragged": lambda n, rows: tf.ragged.constant(rows, dtype=tf.float32),
        "sparse": lambda n, rows: tf.sparse.from_dense(tf.ones([n, n])),
        "slices": lambda n, rows: tf.IndexedSlices(tf.ones([n, 2]), tf.range(n)),
        "extension": lambda n, rows: Pair(tf.ones([n]), tf.ones([n, n])),
        "nested": lambda n, rows: {"x": (tf.ones([n]), tf.ragged.constant(rows, dtype=tf.float32))},
        "dtype": lambda n, rows: tf.ones([n], tf.float32 if n < 4 else tf.float64),
    }
    return [makers[kind](n, rows) for n, rows in SIZES]


@row_for(kind=["tensor", "ragged", "sparse", "slices", "extension", "nested", "dtype"])
def shapes_are_relaxed(tf, np, kind):
    traces = []

    @tf.function(reduce_retracing=True)
    def total(x):
        traces.append(None)
        return tf.add_n([tf.reduce_sum(part) for part in tf.nest.flatten(x, expand_composites=True)
                         if part.dtype.is_floating])  # fmt: skip

    return [(float(total(x)), len(traces)) for x in arguments(tf, np, kind)]


@row_for(kind=["ragged", "sparse"])
def results_keep_their_rows(tf, np, kind):
    @tf.function(reduce_retracing=True)
    def doubled(x):
        return x * 2.0

    results = map(doubled, arguments(tf, np, kind))
    return [x.to_list() if kind == "ragged" else tf.sparse.to_dense(x) for x in results]


NUMBERS = {
    "int first": (3, 3.0, 3, 3.5, 3 + 0j, 4), "float first": (3.0, 3, 4, 4.0), "bool first": (True, 1, 1.0, 0, False),
    "zeros": (0, False, 0.0, -0.0), "not numbers": (float("nan"), float("nan"), 1),
    "large": (2**53, float(2**53), 2**53 + 1), "in a list": ([1, 2.0], [1.0, 2], [1, 2], (1, 2)),
    "in a dict": ({"a": 1}, {"a": 1.0}, {"a": True}),
}  # fmt: skip


@row_for(kind=list(NUMBERS))
def equal_numbers_have_one_trace(tf, kind):
    traced = []

    @tf.function
    def f(x):
        traced.append(str(x))
        return tf.nest.map_structure(tf.convert_to_tensor, x)

    return [f(x) for x in NUMBERS[kind]], traced, f.experimental_get_tracing_count()


@row
def equal_numbers_in_signatures(tf):
    f = tf.function(lambda x, n=1: x * tf.cast(n, tf.float32))
    x = tf.constant([1.0, 2.0])
    concrete = f.get_concrete_function(x, 3)
    return [
        f(x), f(x, 1.0), f(x, n=True), concrete(x), concrete(x, 3.0), f.experimental_get_tracing_count(),
        raised(lambda: concrete(x, 4.0)),
    ]  # fmt: skip

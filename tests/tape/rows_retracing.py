"""`tf.function(reduce_retracing=True)`: the second of several shapes is traced for unknown sizes."""

from rows import row_for

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

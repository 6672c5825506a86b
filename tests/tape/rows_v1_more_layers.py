"""Rows: layers of `tf.compat.v1` that convolve in two steps or back, losses of sequences, columns of features."""

from rows import raised, row, row_for

from tape.rows_v1_graphs import graph_and_session
from tape.rows_v1_layers import filled, pictures

LAYERS = {
    "separable_conv1d": (1, dict(kernel_size=3, depth_multiplier=2)),
    "separable_conv1d strides": (1, dict(kernel_size=2, strides=2, padding="same", use_bias=False)),
    "separable_conv1d dilated": (1, dict(kernel_size=2, dilation_rate=2)),
    "separable_conv2d": (2, dict(kernel_size=(3, 2), depth_multiplier=2, padding="same")),
    "separable_conv2d strides": (2, dict(kernel_size=2, strides=2, name="mine")),
    "conv3d_transpose": (3, dict(kernel_size=2, strides=2)),
    "conv3d_transpose same": (3, dict(kernel_size=3, strides=(1, 2, 1), padding="same", use_bias=False)),
}
CLASSES = {
    "separable_conv1d": "SeparableConv1D", "separable_conv2d": "SeparableConv2D", "conv3d_transpose": "Conv3DTranspose"
}  # fmt: skip


@row_for(kind=list(LAYERS))
def convolutions_in_two_steps_or_back(tf, np, kind):
    v, (rank, options) = tf.compat.v1, LAYERS[kind]
    name = kind.split()[0]
    with graph_and_session(tf) as s:
        x = v.placeholder(tf.float32, [None, *[5, 6, 4][:rank], 2])
        y = getattr(v.layers, name)(x, 3, activation=tf.nn.tanh, **options)
        layer = getattr(v.layers, CLASSES[name])(3, **options)
        z = layer(x)
        slope = tf.gradients(tf.reduce_sum(y * y) + tf.reduce_sum(z * z), [x, *v.trainable_variables()])
        names = filled(tf, np, s)
        feed = {x: pictures(np, 2, *[5, 6, 4][:rank], 2)}
        return names, [str(t.shape) for t in (y, z)], s.run([y, z, slope], feed), len(layer.trainable_variables)


@row_for(batch_first=[False, True])
def losses_of_sequences(tf, np, batch_first):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        logits = v.placeholder(tf.float32, [6, 2, 4])
        labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 2], [2, 2])
        given = tf.transpose(logits, [1, 0, 2]) if batch_first else logits
        loss = v.nn.ctc_loss(labels, given, [6, 5], time_major=not batch_first)
        twice = v.nn.ctc_loss(
            tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 1, 2], [2, 2]), logits=logits, sequence_length=[6, 5],
            preprocess_collapse_repeated=True,
        )  # fmt: skip
        dense = v.nn.ctc_loss_v2(tf.constant([[1, 2], [3, 0]]), logits, tf.constant([2, 1]), tf.constant([6, 5]))
        feed = {logits: pictures(np, 6, 2, 4) * 2}
        return s.run([loss, twice, dense, tf.gradients(loss, logits)[0]], feed), [str(loss.shape), str(dense.shape)]


@row
def likeliest_sequences(tf, np):
    logits = pictures(np, 6, 1, 3) * 3
    results = []
    for merged in (True, False):
        (decoded,), scores = tf.compat.v1.nn.ctc_beam_search_decoder(logits, [6], 4, merge_repeated=merged)
        results += [decoded.indices, decoded.values, decoded.dense_shape, scores]
    return results


def columns(tf):
    fc = tf.feature_column
    ids = fc.categorical_column_with_vocabulary_list("c", ["x", "y"])
    a = fc.numeric_column("a")
    return a, fc.numeric_column("d", shape=2), ids, fc.bucketized_column(a, [1.5])


def features(tf):
    return {
        "a": tf.constant([[1.0], [2.0]]), "c": tf.constant([["x", "y", "x"], ["z", "y", ""]]),
        "d": tf.constant([[3.0, 4.0], [5.0, 6.0]]),
    }  # fmt: skip


@row
def columns_as_a_layer(tf, np):
    v, fc = tf.compat.v1, tf.feature_column
    with graph_and_session(tf) as s:
        a, d, ids, buckets = columns(tf)
        given = [d, buckets, a, fc.indicator_column(ids), fc.embedding_column(ids, 3)]
        made, results = {}, {}
        y = v.feature_column.input_layer(features(tf), given, cols_to_vars=made, cols_to_output_tensors=results)
        with v.variable_scope("inner"):
            z = v.feature_column.input_layer(features(tf), given[-1], trainable=False)
        s.run(v.tables_initializer())
        names = filled(tf, np, s)
        return (
            names, s.run([y, z]), str(y.shape), {k.name: [w.name for w in vs] for k, vs in made.items()},
            s.run({k.name: x for k, x in results.items()}), [w.name for w in v.trainable_variables()],
            [w.name for w in v.get_collection("model_variables")],
            raised(lambda: v.feature_column.input_layer(features(tf), [ids])),
        )  # fmt: skip


@row_for(combiner=["sum", "mean", "sqrtn"])
def columns_as_a_linear_model(tf, np, combiner):
    v, fc = tf.compat.v1, tf.feature_column
    with graph_and_session(tf) as s:
        a, d, ids, buckets = columns(tf)
        made = {}
        heavy = fc.weighted_categorical_column(fc.categorical_column_with_identity("i", 3), "w")
        given = {
            **features(tf), "i": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [2, 1, 0], [2, 2]),
            "w": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0.5, 2.0, 3.0], [2, 2]),
        }  # fmt: skip
        y = v.feature_column.linear_model(
            given, [d, ids, buckets, a, heavy], units=2, sparse_combiner=combiner, cols_to_vars=made
        )
        s.run(v.tables_initializer())
        names = filled(tf, np, s)
        kept = {getattr(k, "name", k): [w.name for w in vs] for k, vs in made.items()}
        slopes = [tf.multiply(x, 1.0) for x in tf.gradients(y, v.trainable_variables())]
        return names, s.run([y, slopes]), str(y.shape), kept


def _columns_of_ids(tf, *names, count=5):
    return [tf.compat.v1.feature_column.categorical_column_with_identity(name, count) for name in names]


@row_for(combiner=["mean", "sum", "sqrtn"])
def shared_embeddings(tf, np, combiner):
    v = tf.compat.v1
    with graph_and_session(tf) as s:
        columns = v.feature_column.shared_embedding_columns(
            _columns_of_ids(tf, "b", "a"), 3, combiner, tf.ones_initializer(), max_norm=1.0
        )
        features = {"a": tf.constant([[1, 2], [2, -1]]), "b": tf.constant([[3], [4]])}
        both = v.feature_column.input_layer(features, columns)
        one = v.feature_column.input_layer(features, [columns[0], v.feature_column.numeric_column("a", 2)])
        train = v.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(both[:, :2] * 3.0))
        names = [w.name for w in v.global_variables()]
        s.run(v.global_variables_initializer())
        values = [s.run([both, one]), s.run(train), s.run([both, *v.trainable_variables()])]
        return [c.name for c in columns], names, str(both.shape), values, sorted(
            v.feature_column.make_parse_example_spec(columns)
        )


@row
def wrong_shared_embeddings(tf):
    make = tf.compat.v1.feature_column.shared_embedding_columns
    eagerly = raised(lambda: make(_columns_of_ids(tf, "a", "b"), 3), "not supported when eager execution")
    with graph_and_session(tf):
        a, b = _columns_of_ids(tf, "a", "b")
        (c,) = _columns_of_ids(tf, "c", count=6)
        hashed = tf.compat.v1.feature_column.categorical_column_with_hash_bucket("d", 5)
        return eagerly, [
            raised(lambda: make([a, c], 3), "must have the same number of buckets"),
            raised(lambda: make([a, hashed], 3), "must have the same type"),
            raised(lambda: make([a, b], 0), "Invalid dimension 0"),
            raised(lambda: make([a, b], 3, initializer=4), "initializer must be callable"),
        ]

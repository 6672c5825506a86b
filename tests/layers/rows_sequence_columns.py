"""Columns of sequences in `tf.keras.experimental.SequenceFeatures`."""

from rows import raised, row, row_for


def _features(tf):
    return {
        "words": tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 2]], ["a", "b", "zzz", "a"], [4, 3]),
        "ids": tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 2]], tf.constant([2, 0, 1, 4], tf.int64), [4, 3]),
        "many": tf.SparseTensor([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 2], [3, 2, 1]],
                                tf.constant([2, 0, 1, 4, 3], tf.int64), [4, 3, 3]),
        "dense": tf.constant([[1, 2, -1], [3, -1, -1], [-1, -1, -1], [0, 1, 2]], tf.int64),
        "n": tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 2]], [1.0, 2.0, 3.0, 4.0], [4, 3]),
        "pairs": tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 3]], [1.0, 2.0, 3.0, 4.0], [4, 4]),
        "whole": tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 2]], tf.constant([5, 6, 7, 8], tf.int64), [4, 3]),
    }  # fmt: skip


def _columns(tf):
    fc = tf.feature_column
    constant = tf.keras.initializers.Constant(0.5)
    return {
        "indicator": [fc.indicator_column(fc.sequence_categorical_column_with_vocabulary_list("words", ["a", "b"]))],
        "unknown_words": [fc.indicator_column(
            fc.sequence_categorical_column_with_vocabulary_list("words", ["a", "b"], num_oov_buckets=1))],
        "hashed": [fc.indicator_column(fc.sequence_categorical_column_with_hash_bucket("words", 4))],
        "embedding": [fc.embedding_column(fc.sequence_categorical_column_with_identity("ids", 5), 2,
                                          initializer=constant)],
        "several_a_step": [fc.embedding_column(fc.sequence_categorical_column_with_identity("many", 5), 2, "sum",
                                               initializer=constant)],
        "mean_of_several": [fc.indicator_column(fc.sequence_categorical_column_with_identity("many", 5))],
        "dense": [fc.indicator_column(fc.sequence_categorical_column_with_identity("dense", 5))],
        "numbers": [fc.sequence_numeric_column("n")],
        "numbers_of_default": [fc.sequence_numeric_column("n", default_value=-1.0)],
        "pairs": [fc.sequence_numeric_column("pairs", shape=2)],
        "normalized": [fc.sequence_numeric_column("n", normalizer_fn=lambda x: x.with_values(x.values * 10.0))],
        "both": [fc.sequence_numeric_column("n"),
                 fc.embedding_column(fc.sequence_categorical_column_with_identity("ids", 5), 3, initializer=constant)],
    }  # fmt: skip


_NAMES = [
    "indicator", "unknown_words", "hashed", "embedding", "several_a_step", "mean_of_several", "dense", "numbers",
    "numbers_of_default", "pairs", "normalized", "both",
]  # fmt: skip


@row_for(name=_NAMES)
def sequences_of_columns(tf, name):
    layer = tf.keras.experimental.SequenceFeatures(_columns(tf)[name])
    values, lengths = layer(_features(tf))
    return values, lengths, [w.shape.as_list() for w in layer.weights], layer.name


@row_for(name=_NAMES)
def columns_of_sequences_as_text(tf, name):
    columns = _columns(tf)[name]
    spec = tf.feature_column.make_parse_example_spec(columns)
    return [c.name for c in columns], repr(spec), [tuple(c.variable_shape) for c in columns]


@row_for(name=["indicator", "embedding", "numbers", "both"])
def sequences_of_columns_in_a_function(tf, name):
    layer = tf.keras.experimental.SequenceFeatures(_columns(tf)[name])
    return tf.function(lambda features: layer(features))(_features(tf))


@row
def a_layer_of_sequences_is_configured(tf):
    layer = tf.keras.experimental.SequenceFeatures(_columns(tf)["both"][:1])
    again = tf.keras.experimental.SequenceFeatures.from_config(layer.get_config())
    return again(_features(tf)), repr(tf.feature_column.sequence_numeric_column("a", 3, 1.0))


@row
def a_model_of_sequences_is_trained(tf, np):
    layer = tf.keras.experimental.SequenceFeatures(_columns(tf)["both"])
    dense = tf.keras.layers.Dense(1, kernel_initializer="ones")
    with tf.GradientTape() as tape:
        values, lengths = layer(_features(tf))
        mask = tf.sequence_mask(lengths, tf.shape(values)[1], tf.float32)
        loss = tf.reduce_sum(dense(values)[..., 0] * mask)
    return loss, [tf.convert_to_tensor(g) for g in tape.gradient(loss, layer.trainable_weights)]


_UNFIT = {
    "not_of_sequences": ("SequenceFeatures", lambda fc: [fc.indicator_column(
        fc.categorical_column_with_identity("ids", 5))], "must be of type SequenceCategoricalColumn"),
    "plain_numbers": ("SequenceFeatures", lambda fc: [fc.numeric_column("n")], "Items of feature_columns must be a"),
    "of_sequences": ("DenseFeatures", lambda fc: [fc.indicator_column(
        fc.sequence_categorical_column_with_identity("ids", 5))], "must not be of type SequenceCategoricalColumn"),
    "other_lengths": ("SequenceFeatures", lambda fc: [
        fc.indicator_column(fc.sequence_categorical_column_with_identity("dense", 5)), fc.sequence_numeric_column("n")
    ], ""),
    "missing": ("SequenceFeatures", lambda fc: [fc.sequence_numeric_column("z")], "Feature z is not in features"),
    "size": ("SequenceFeatures", lambda fc: [fc.sequence_numeric_column("n", 0)], "must be greater than 0"),
    "buckets": ("SequenceFeatures", lambda fc: [fc.sequence_categorical_column_with_identity("ids", 0)], "< 1"),
}  # fmt: skip


@row_for(name=[*_UNFIT])
def unfit_columns_of_sequences(tf, name):
    layer, columns, fragment = _UNFIT[name]

    def run():
        kind = tf.keras.layers.DenseFeatures if layer == "DenseFeatures" else tf.keras.experimental.SequenceFeatures
        kind(columns(tf.feature_column))(_features(tf))

    return raised(run, fragment)

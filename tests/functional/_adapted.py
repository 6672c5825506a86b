"""Models of layers whose state comes from data, made alike on tf_keras and on tfcompat."""

import numpy as np


def adapted(tf):
    """Yields (name, model, inputs)."""
    layers = tf.keras.layers

    def model(layer, data, **options):
        layer.adapt(data)
        return tf.keras.Sequential([tf.keras.Input(**options), layer])

    words = layers.TextVectorization(output_sequence_length=3)
    yield "words", model(words, ["hello world", "hello"], shape=(1,), dtype="string"), tf.constant([["World hello x"]])
    rare = layers.IntegerLookup(output_mode="tf_idf")
    yield "numbers", model(rare, np.array([[3, 4], [3, 9]]), shape=(2,), dtype="int64"), np.array([[3, 9], [4, 4]])
    scaled = layers.Normalization()
    yield "scaled", model(scaled, np.arange(12, dtype="float32").reshape(4, 3), shape=(3,)), np.float32([[0.5, 2, 9]])
    binned = layers.Discretization(num_bins=3)
    yield "binned", model(binned, np.arange(12, dtype="float32"), shape=(3,)), np.float32([[0.5, 5, 9]])
    spaces = tf.keras.utils.FeatureSpace
    features = {"word": "string_categorical", "size": "float_normalized", "age": spaces.float_discretized(3)}
    table = spaces(features, crosses=[("word", "age")], crossing_dim=3)
    columns = {"word": ["a", "b", "a", "c"], "size": [1.0, 2.0, 3.0, 4.0], "age": [10.0, 20.0, 30.0, 60.0]}
    table.adapt(tf.data.Dataset.from_tensor_slices(columns).batch(2))
    yield "table", table, {"word": ["a", "x"], "size": [2.0, 9.0], "age": [15.0, 70.0]}

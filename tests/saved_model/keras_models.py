"""Models whose layers learn vocabularies and moments, and one of a class of its own, as tf_keras saves them."""

import numpy as np


def adapted_text(tf):
    vector = tf.keras.layers.TextVectorization(max_tokens=10, output_sequence_length=4)
    vector.adapt(["hello world", "big big dog"])
    x = tf.keras.Input([1], dtype=tf.string)
    y = tf.keras.layers.Flatten()(tf.keras.layers.Embedding(10, 3)(vector(x)))
    return tf.keras.Model(x, tf.keras.layers.Dense(1)(y)), [["hello big world"], ["big dog"], ["xx"]]


def weighted_text(tf):
    vector = tf.keras.layers.TextVectorization(output_mode="tf_idf")
    vector.adapt(["hello world", "big big dog"])
    layers = [tf.keras.Input([1], dtype=tf.string), vector, tf.keras.layers.Dense(1)]
    return tf.keras.Sequential(layers), [["hello big world"], ["big dog"], ["xx"]]


def counted_numbers(tf):
    lookup = tf.keras.layers.IntegerLookup(output_mode="count")
    lookup.adapt(np.array([3, 5, 5, 7]))
    layers = [tf.keras.Input([1], dtype=tf.int64), lookup, tf.keras.layers.Dense(1)]
    return tf.keras.Sequential(layers), [[5], [7], [9]]


def normalized(tf):
    moments = tf.keras.layers.Normalization()
    moments.adapt(np.float32([[1, 2], [3, 9]]))
    return tf.keras.Sequential([tf.keras.Input([2]), moments, tf.keras.layers.Dense(1)]), [[1.0, 2], [4, 4], [0, 1]]


def in_bins(tf):
    bins = tf.keras.layers.Discretization(num_bins=3, output_mode="one_hot")
    bins.adapt(np.float32([[1], [2], [3], [4], [5], [9]]))
    return tf.keras.Sequential([tf.keras.Input([1]), bins, tf.keras.layers.Dense(1)]), [[1.0], [4], [20]]


def of_its_own_class(tf):
    words = tf.keras.layers.StringLookup()
    words.adapt(["a", "b", "a", "c"])

    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.words, self.embedding = words, tf.keras.layers.Embedding(6, 2)
            self.out = tf.keras.layers.Dense(1)

        def call(self, x):
            return self.out(tf.reduce_sum(self.embedding(self.words(x)), 1))

    return Own(), [["a"], ["b"], ["zz"]]


MODELS = {
    make.__name__: make
    for make in (adapted_text, weighted_text, counted_numbers, normalized, in_bins, of_its_own_class)
}  # fmt: skip
TARGETS = np.float32([[1], [0], [2]])


def trained(tf, name):
    """(a model after some steps, its inputs)."""
    tf.keras.utils.set_random_seed(3)
    model, x = MODELS[name](tf)
    x = tf.constant(x, tf.int64) if name == "counted_numbers" else tf.constant(x)
    model.compile(tf.keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
    model.fit(x, TARGETS, epochs=2, verbose=0, shuffle=False)
    return model, x

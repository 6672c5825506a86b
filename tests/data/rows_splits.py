"""Rows: data as two datasets, windows of a series, words as numbers."""

import random

import numpy as np
from rows import raised, row

from ._elements import plain, told

A, B = np.arange(7.0), np.arange(14).reshape(7, 2)


@row
def two_parts(tf, folder):
    slices = tf.data.Dataset.from_tensor_slices
    kinds = [
        B, A, (A, B), [A, B], (A,), slices((A, B)), slices({"a": A, "b": B}), slices(B), slices((A, B)).batch(3),
        slices({"a": A}).batch(3), slices((A, B)).padded_batch(4),
    ]  # fmt: skip
    sizes = {"left_size": 0.6}, {"left_size": 3, "right_size": 2}, {"right_size": 2, "shuffle": True, "seed": 3}
    split = tf.keras.utils.split_dataset
    found = [[told(part) for part in split(kind, **size)] for kind in kinds for size in sizes]
    random.seed(1)
    return [
        found, [told(part) for part in split((A,), 0.5, shuffle=True)], random.random(),
        [told(part) for part in split(slices((A, B)).batch(2, True).prefetch(1), 0.6)],
    ]  # fmt: skip


@row
def what_cannot_be_split(tf, folder):
    split, dataset = tf.keras.utils.split_dataset, tf.data.Dataset
    ragged = dataset.from_generator(lambda: iter([[1], [1, 2]]), output_signature=tf.TensorSpec([None], tf.int32))
    kinds = {"a": A}, 3, [], (), [[1]], [A, A[1:]], dataset.range(0), A[:0], [A[:0]], ragged, dataset.range(3)
    sizes = [
        {}, {"left_size": "a"}, {"right_size": np.int64(3)}, {"left_size": 0}, {"left_size": 0, "right_size": 0},
        {"left_size": 8}, {"left_size": 1.0}, {"left_size": 0.7, "right_size": 0.5}, {"left_size": 6, "right_size": 5},
        {"left_size": 0.01}, {"left_size": -1}, {"left_size": True}, {"left_size": 6, "right_size": 0.1},
    ]  # fmt: skip
    return [raised(lambda k=kind: split(k, 0.5)) for kind in kinds], [raised(lambda s=s: split(A, **s)) for s in sizes]


@row
def lists_of_arrays_keep_their_dtype(tf, folder):
    numbers = np.arange(2)
    kinds = [
        [numbers, numbers], [[numbers]], [np.array(3)], [np.int64(3)], [numbers, [1, 2]], [numbers.astype("uint8")],
        [numbers.astype("float64")],
    ]  # fmt: skip
    slices, whole = tf.data.Dataset.from_tensor_slices, tf.data.Dataset.from_tensors
    return [[repr(make(kind).element_spec) for make in (slices, whole)] for kind in kinds]


@row
def windows_with_the_next_target(tf, folder):
    make, data = tf.keras.preprocessing.sequence.TimeseriesGenerator, np.arange(12)
    choices = (
        {"length": 3, "batch_size": 4}, {"length": 2, "start_index": 3, "end_index": 8, "batch_size": 3},
        {"length": 4, "sampling_rate": 2, "stride": 3, "batch_size": 2, "reverse": True},
    )  # fmt: skip
    windows = [make(data, data * 10, **options) for options in choices]
    np.random.seed(0)
    drawn = make(data, data.tolist(), 3, shuffle=True, batch_size=4)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(3,))])
    model.compile("sgd", "mse")
    history = model.fit(make(data / 20, data / 20, 3, batch_size=4), shuffle=False, verbose=0)
    return [
        [(len(w), [plain(batch) for batch in w], list(w.get_config().items())) for w in windows],
        plain(drawn[0]), plain(drawn[1]),
        drawn.to_json(indent=1), history.history, raised(lambda: make(data, data[1:], 3), "of same length"),
        raised(lambda: make(data, data, 12), "disallowed"), raised(lambda: make([data] * 4, [1] * 4, 2).get_config()),
    ]  # fmt: skip


@row
def words_by_their_hash(tf, folder):
    text = tf.keras.preprocessing.text
    same = text.one_hot("a b a", 10)
    return [
        text.hashing_trick("The cat, the Dog!", 50, "md5"), text.hashing_trick("a bb", 9, len, "", False, "b"),
        text.hashing_trick("abca", 9, ord, analyzer=list), same[0] == same[2], len(same),
    ]  # fmt: skip

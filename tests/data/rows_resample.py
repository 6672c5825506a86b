"""Rows: `rejection_resample`."""

from rows import raised, row, row_for


def _shown(tf, dataset, count=40):
    taken = list(dataset.take(count).as_numpy_iterator())
    return [int(number) for number, _ in taken], [element for _, element in taken]


def _unbalanced(tf):
    return tf.data.Dataset.range(400).map(lambda x: (tf.cast(x % 10 == 0, tf.int32) + tf.cast(x % 5 == 0, tf.int32), x))


@row_for(initial=[[0.8, 0.1, 0.1], None])
def classes_get_equal_shares(tf, initial):
    tf.random.set_seed(3)
    resampled = _unbalanced(tf).rejection_resample(lambda number, x: number, [1 / 3] * 3, initial, seed=5)
    return str(resampled.element_spec), _shown(tf, resampled)


@row_for(target=[[0.0, 1.0], [0.5, 0.5], [0.9, 0.1]])
def shares_of_two_classes(tf, target):
    tf.random.set_seed(1)
    dataset = tf.data.Dataset.range(300)
    resampled = dataset.rejection_resample(lambda x: tf.cast(x % 10 == 0, tf.int32), target, [0.9, 0.1], seed=2)
    return _shown(tf, resampled, 30)


@row
def resampling_is_applied(tf):
    tf.random.set_seed(1)
    dataset = tf.data.Dataset.from_tensor_slices({"x": tf.range(100), "y": tf.range(100) % 4 // 3})
    resample = tf.data.experimental.rejection_resample(lambda element: element["y"], [0.5, 0.5], seed=7)
    return str(dataset.apply(resample).element_spec), _shown(tf, dataset.apply(resample), 20)


@row
def classes_must_be_numbers(tf):
    dataset = tf.data.Dataset.range(10)
    return raised(lambda: list(dataset.rejection_resample(lambda x: "a", [0.5, 0.5], [0.5, 0.5]).take(2)))

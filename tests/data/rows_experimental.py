"""Rows: `tf.data.experimental`, snapshots, and messages of examples."""

import os

from rows import raised, row, row_for


def elements(tf, dataset):
    return [tf.nest.map_structure(lambda x: x.numpy().tolist(), each) for each in dataset]


@row_for(by=["default", "shards", "reader", "none"])
def a_snapshot_is_written_once(tf, np, folder, by):
    calls = []

    def noted(x):
        calls.append(int(x))
        return x * 2

    options = {
        "default": {}, "shards": {"shard_func": lambda x: x % 2}, "none": {"compression": None},
        "reader": {"reader_func": lambda shards: shards.interleave(lambda shard: shard)},
    }[by]  # fmt: skip
    data = tf.data.Dataset.range(6).map(lambda x: tf.py_function(noted, [x], tf.int64))
    data = data.map(lambda x: tf.ensure_shape(x, []))
    kept = data.snapshot(os.path.join(folder, "kept"), **options)
    first = sorted(map(int, kept.as_numpy_iterator()))
    count = len(calls)
    second = sorted(map(int, kept.as_numpy_iterator()))
    written = len(calls) == count
    third = data.apply(tf.data.experimental.snapshot(os.path.join(folder, "kept"), **options))
    return first, second, sorted(map(int, third.as_numpy_iterator())), written, int(kept.cardinality())


@row
def the_iterator_of_arrays(tf):
    iterator = tf.data.Dataset.range(3).as_numpy_iterator()
    return [iterator.next(), next(iterator), iterator.next(), raised(iterator.next), iter(iterator) is iterator]


@row
def dense_rows_as_sparse_tensors(tf):
    x = tf.data.experimental
    rows = tf.data.Dataset.range(5).map(lambda n: tf.range(n))
    fixed = rows.apply(x.dense_to_sparse_batch(2, [6]))
    grown = rows.sparse_batch(3, [None])
    parts = [[s.indices, s.values, s.dense_shape] for s in (*fixed, *grown)]
    return parts, str(fixed.element_spec), raised(lambda: list(rows.sparse_batch(5, [2])))


@row
def groups_become_elements(tf):
    x = tf.data.experimental
    reducer = x.Reducer(lambda key: key * 100, lambda state, n: state + n, lambda state: (state, state * 2))
    return elements(tf, tf.data.Dataset.range(10).apply(x.group_by_reducer(lambda n: (n + 1) % 3, reducer)))


@row
def elements_are_added(tf):
    x = tf.data.experimental
    data = tf.data.Dataset.from_tensor_slices({"a": [[1.0, 2.0]], "b": [3]})
    return [
        elements(tf, data.apply(x.pad_to_cardinality(3))), elements(tf, data.apply(x.pad_to_cardinality(1, "there"))),
        raised(lambda: data.apply(x.pad_to_cardinality(0))),
        raised(lambda: tf.data.Dataset.range(2).apply(x.pad_to_cardinality(3))),
    ]  # fmt: skip


@row
def examples_are_parsed_in_batches(tf):
    t = tf.train
    made = [
        t.Example(features=t.Features(feature={"n": t.Feature(int64_list=t.Int64List(value=[n]))})) for n in (1, 2, 3)
    ]
    data = tf.data.Dataset.from_tensor_slices([each.SerializeToString() for each in made]).batch(2)
    features = {"n": tf.io.FixedLenFeature([], tf.int64), "m": tf.io.FixedLenFeature([], tf.float32, 0.5)}
    return elements(tf, data.apply(tf.data.experimental.parse_example_dataset(features)))


@row
def tables_of_datasets(tf, np):
    x = tf.data.experimental
    pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], np.int64([10, 20])))
    words = tf.data.Dataset.from_tensor_slices(["x", "y", "z"])
    asked = tf.constant(["b", "y", "none"])
    return [
        x.table_from_dataset(pairs, default_value=-1).lookup(asked), x.index_table_from_dataset(words).lookup(asked),
        x.index_table_from_dataset(words, num_oov_buckets=2, default_value=None).lookup(asked),
        x.index_table_from_dataset(words, vocab_size=1).lookup(asked), x.table_from_dataset(pairs).lookup(asked),
    ]  # fmt: skip


@row
def options_are_taken(tf):
    x = tf.data.experimental
    options = tf.data.Options()
    options.autotune.enabled, options.autotune.cpu_budget, options.autotune.ram_budget = True, 2, 1 << 20
    options.autotune.autotune_algorithm = x.AutotuneAlgorithm.GRADIENT_DESCENT
    options.experimental_optimization.map_fusion = True
    options.threading.private_threadpool_size = 2
    options.deterministic, options.experimental_slack = False, True
    data = tf.data.Dataset.range(3).map(lambda n: n * 2, tf.data.AUTOTUNE).with_options(options)
    return sorted(elements(tf, data)), data.options().autotune.cpu_budget, data.options().experimental_slack


@row
def fields_hold_their_type(tf, np):
    t = tf.train
    example = t.Example()
    floats = example.features.feature["f"].float_list.value
    floats.extend([1, 2])
    floats.append(np.float64(0.1))
    floats.insert(0, 7)
    floats[1] = 5
    numbers = t.Int64List(value=np.array([1, 2], np.int32)).value
    numbers.append(np.int64(3))
    text = t.BytesList(value=[b"a"]).value
    return [
        floats[:], [type(each).__name__ for each in floats], np.array(floats), np.array(numbers), numbers[:],
        [each.decode() for each in text], raised(lambda: numbers.append(1.5)), raised(lambda: text.append("b")),
        raised(lambda: floats.append("x")), floats == [7.0, 5.0, 2.0, floats[3]],
        str(t.FloatList(value=[0.1, 3, 1e-7])),
    ]  # fmt: skip

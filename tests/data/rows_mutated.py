"""Datasets whose sources change after they were made: elements are those of TensorFlow."""

from rows import raised, row, row_for

SOURCES = {
    "slices": lambda tf, a: tf.data.Dataset.from_tensor_slices(a),
    "tensors": lambda tf, a: tf.data.Dataset.from_tensors(a),
    "tuple": lambda tf, a: tf.data.Dataset.from_tensor_slices((a, a)).map(lambda x, y: x + y),
    "dict": lambda tf, a: tf.data.Dataset.from_tensor_slices({"x": a}).map(lambda t: t["x"]),
    "list": lambda tf, a: tf.data.Dataset.from_tensor_slices([a, a]),
    "mapped": lambda tf, a: tf.data.Dataset.range(2).map(lambda i: tf.constant(a)),
    "captured": lambda tf, a: tf.data.Dataset.range(2).map(lambda i: tf.cast(i, tf.float32) + a),
    "batched": lambda tf, a: tf.data.Dataset.from_tensor_slices(a).batch(2),
    "shuffled": lambda tf, a: tf.data.Dataset.from_tensor_slices(a).shuffle(9, seed=1),
    "cached": lambda tf, a: tf.data.Dataset.from_tensor_slices(a).cache(),
    "repeated": lambda tf, a: tf.data.Dataset.from_tensor_slices(a).repeat(2),
    "zipped": lambda tf, a: tf.data.Dataset.zip((tf.data.Dataset.from_tensor_slices(a), tf.data.Dataset.range(9))),
    "series": lambda tf, a: tf.keras.utils.timeseries_dataset_from_array(a, None, 2, batch_size=2),
}  # fmt: skip


@row_for(kind=list(SOURCES), looked=[False, True])
def arrays(tf, np, kind, looked):
    a = np.arange(4, dtype=np.float32)
    dataset = SOURCES[kind](tf, a)
    first = next(iter(dataset)) if looked else None
    a += 10
    return first, list(dataset)


@row
def lists_and_dicts(tf, np):
    items, table = [1.0, 2.0], {"x": [1, 2], "y": ["a", "b"]}
    made = [tf.data.Dataset.from_tensor_slices(items), tf.data.Dataset.from_tensor_slices(table)]
    items[0] = 9.0
    table["x"][0] = 9
    table["z"] = [0, 0]
    return [list(dataset) for dataset in made]


@row
def arguments_of_a_generator(tf, np):
    a = np.arange(3)

    def generate(values):
        yield from values

    dataset = tf.data.Dataset.from_generator(generate, args=(a,), output_signature=tf.TensorSpec([], tf.int64))
    a += 10
    return list(dataset)


@row
def what_a_python_function_returns(tf, np):
    a = np.zeros(2, np.float32)

    def next_of(i):
        a[:] += 1
        return a

    dataset = tf.data.Dataset.range(3).map(lambda i: tf.numpy_function(next_of, [i], tf.float32))
    return list(dataset)


@row
def variables_that_change(tf, np):
    v = tf.Variable(1.0)
    dataset = tf.data.Dataset.range(4).map(lambda i: tf.cast(i, tf.float32) * v)
    results = list(dataset)
    v.assign(10.0)  # TF reads ahead: what an iterator under way sees is chance
    return results, list(dataset)


@row
def elements_that_are_changed(tf, np):
    dataset = tf.data.Dataset.from_tensor_slices(np.ones([3, 2], np.float32))
    return [raised(lambda x=x: x.fill(7), "read-only") for x in dataset.as_numpy_iterator()], list(dataset)


@row
def seeds_between_making_and_iterating(tf, np):
    tf.random.set_seed(5)
    dataset = tf.data.Dataset.range(8).shuffle(8)
    tf.random.set_seed(6)
    first = list(dataset)
    tf.random.set_seed(5)
    other = tf.data.Dataset.range(8).shuffle(8)
    return first, list(other), list(other)


@row
def features_and_tables(tf, np):
    keys, values = np.array(["a", "b"]), np.array([1, 2], np.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)
    values[0], keys[0] = 9, "c"
    mutable = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    mutable.insert(keys, values)
    values[1], keys[1] = 9, "d"
    names = tf.constant(["a", "b", "c", "d"])
    return table.lookup(names), mutable.lookup(names)


@row
def vocabularies(tf, np):
    words = ["x", "y"]
    lookup = tf.keras.layers.StringLookup(vocabulary=words)
    words[0] = "z"
    data = np.array([[1.0], [3.0]], np.float32)
    scaled = tf.keras.layers.Normalization()
    scaled.adapt(data)
    data[:] = 0
    return lookup(["x", "y", "z"]), scaled(np.float32([[1.0], [3.0]]))


@row
def examples(tf, np):
    values = [1.0, 2.0]
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=values))
    example = tf.train.Example(features=tf.train.Features(feature={"x": feature}))
    values[0] = 9.0
    spec = {"x": tf.io.FixedLenFeature([2], tf.float32)}
    return tf.io.parse_single_example(example.SerializeToString(), spec)["x"]

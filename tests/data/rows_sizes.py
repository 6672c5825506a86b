"""What is known of the sizes of elements: of functions of text, files and Python, windows and ragged batches."""

import os

import numpy as np
from rows import raised, row

from ._elements import elements, told


def _spec(dataset):
    return str(dataset.element_spec)


@row
def sizes_that_a_function_states(tf, folder):
    text = tf.data.Dataset.from_tensor_slices(["1", "2"])

    def ones(s):
        return tf.py_function(lambda s: np.ones((4, 4), "float32"), [s], tf.float32)

    def with_set_shape(s):
        x = ones(s)
        x.set_shape([4, None])
        return x

    def two(s):
        a, b = tf.py_function(lambda s: (tf.ones([3, 2]), tf.constant(1)), [s], [tf.float32, tf.int32])
        a.set_shape([None, 2])
        b.set_shape([])
        return a, b

    def masked(s):
        x = tf.constant([1, 2, 3, 4])
        return tf.boolean_mask(x, x > 2), tf.where(x > 2), tf.unique(x)[0]

    functions = [
        with_set_shape, two, masked,
        lambda s: tf.ensure_shape(tf.numpy_function(lambda s: np.ones((4, 4)), [s], tf.float64), [4, 4]) * 2.0,
        lambda s: tf.reshape(tf.ones([16]) * tf.strings.to_number(s), [4, 4]),
        lambda s: (tf.strings.length(s), tf.one_hot(tf.strings.length(s), 5), [1, 2]),
        lambda s: tf.reshape(ones(s), [-1]),
        lambda s: tf.io.decode_raw(s, tf.uint8),
        lambda s: tf.io.decode_raw(s, tf.uint8, fixed_length=4),
        lambda s: tf.strings.split(s),
        lambda s: tf.strings.to_number(tf.strings.split(s)),
        lambda s: tf.strings.unicode_decode(s, "UTF-8"),
        lambda s: tf.stack([s, s]),
        lambda s: tf.range(tf.strings.length(s)),
        lambda s: tf.stack(tf.io.decode_csv(s, [[0.0]])),
    ]  # fmt: skip
    return [_spec(text.map(f)) for f in functions] + [_spec(text.batch(2).map(f)) for f in (
        tf.strings.lower, tf.strings.split, lambda s: tf.strings.split(s).to_tensor(),
        lambda s: tf.strings.split(s).to_tensor(shape=[None, 5]),
    )]  # fmt: skip


@row
def sizes_of_components_that_are_handed_on(tf, folder):
    D = tf.data.Dataset
    pairs = D.from_tensor_slices((np.ones([4, 3], "float32"), ["a"] * 4))
    dicts = D.from_tensor_slices({"a": np.ones([4, 3], "float32"), "b": ["a"] * 4}).batch(2)
    signature = tf.TensorSpec([None, 8, 8, 3]), tf.TensorSpec([None], tf.string)
    pictures = D.from_generator(lambda: iter([(tf.ones([2, 8, 8, 3]), ["a b", "c"])]), output_signature=signature)
    rows = pictures.map(lambda im, t: (im, tf.strings.split(t))).unbatch()
    return [
        _spec(pairs.map(lambda a, b: (a, tf.strings.upper(b)))),
        _spec(pairs.map(lambda a, b: (a * 2.0, tf.strings.upper(b)))),
        _spec(pairs.batch(2).map(lambda a, b: (a * 2.0, tf.strings.upper(b)))),
        _spec(dicts.map(lambda x: (x["a"], tf.strings.length(x["b"])))),
        _spec(rows), _spec(rows.ragged_batch(2)),
        _spec(D.from_tensor_slices(tf.ragged.constant([[1], [2, 3]])).batch(2).map(
            lambda x: (x, x + 1, x.to_tensor(), x.to_tensor(shape=[None, 5]), x.values, x.row_lengths())
        )),
        _spec(D.from_tensor_slices(tf.sparse.eye(4, 3)).batch(2).map(
            lambda x: (x, tf.sparse.to_dense(x), x.values, tf.sparse.to_dense(x) * 2.0)
        )),
        [(x.shape.as_list(), y.to_tensor(), y.row_splits) for x, y in rows.ragged_batch(2)],
    ]  # fmt: skip


@row
def sizes_of_pictures_and_examples(tf, folder):
    D, io = tf.data.Dataset, tf.io
    path = os.path.join(folder, "cat", "x.png")
    os.makedirs(os.path.dirname(path))
    io.write_file(path, io.encode_png(tf.zeros([9, 7, 3], tf.uint8)))
    files = D.from_tensor_slices([path])
    values = {
        "picture": tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes(12)])),
        "height": tf.train.Feature(int64_list=tf.train.Int64List(value=[2])),
        "numbers": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0, 3.0])),
    }
    example = tf.train.Example(features=tf.train.Features(feature=values)).SerializeToString()
    examples = D.from_tensors(example)
    features = {
        "picture": io.FixedLenFeature([], tf.string), "height": io.FixedLenFeature([], tf.int64),
        "numbers": io.FixedLenFeature([3], tf.float32),
    }  # fmt: skip

    def pixels(name):
        return io.decode_png(io.read_file(name), channels=3)

    def picture(name):
        return tf.image.resize(tf.image.convert_image_dtype(pixels(name), tf.float32), [6, 6])

    def label(name):
        return tf.strings.split(name, os.path.sep)[-2] == np.array(["cat", "dog"])

    def flat(x):
        found = io.parse_single_example(x, features)
        return io.decode_raw(found["picture"], tf.uint8), found["height"], found["numbers"]

    def any_number(x):
        kinds = {"numbers": io.VarLenFeature(tf.float32), "h": io.FixedLenSequenceFeature([], tf.int64, True)}
        found = io.parse_single_example(x, kinds)
        return tf.sparse.to_dense(found["numbers"]), found["numbers"].values, found["h"], found["numbers"]

    return [
        *[_spec(files.map(f)) for f in (
            pixels, picture, lambda x: (picture(x), label(x)), lambda x: tf.argmax(label(x)),
            lambda x: io.decode_png(io.read_file(x)), lambda x: tf.image.rgb_to_grayscale(pixels(x)),
            lambda x: tf.transpose(pixels(x), [2, 0, 1]), lambda x: tf.shape(pixels(x)),
            lambda x: tf.zeros([tf.shape(pixels(x))[0], 3]), lambda x: tf.image.random_flip_left_right(pixels(x)),
            lambda x: io.decode_image(io.read_file(x), channels=3, expand_animations=False),
        )],
        _spec(files.map(picture).batch(2)),
        *[_spec(examples.map(f)) for f in (
            flat, any_number, lambda x: tf.reshape(flat(x)[0], [2, 2, 3]),
            lambda x: tf.reshape(flat(x)[0], [flat(x)[1], 2, 3]),
        )],
        [x.numpy().tolist() for x, *_ in examples.map(flat)],
    ]  # fmt: skip


@row
def ragged_batches_of_ragged_elements(tf, folder):
    D = tf.data.Dataset
    slices = D.from_tensor_slices(tf.strings.split(tf.constant(["a b", "c"])))
    texts = D.from_tensors((tf.ones([2, 3]), tf.constant(["a b", "c"])))
    split = texts.map(lambda a, b: (a, tf.strings.split(b))).unbatch()
    made = [slices.ragged_batch(2), slices.batch(2).unbatch().ragged_batch(2), slices.ragged_batch(2, True),
            split.ragged_batch(2), split.batch(2)]  # fmt: skip

    def parts(x):
        return x if isinstance(x, tf.Tensor) else (x.flat_values, x.row_splits)

    return [(_spec(d), [tuple(map(parts, x)) if isinstance(x, tuple) else parts(x) for x in d]) for d in made]


@row
def what_is_learnt_leaves_no_trace(tf, folder):
    """Functions of text are called to learn the sizes of their results: that changes no variable or generator."""
    text = tf.data.Dataset.from_tensor_slices(["1", "2 3", "4"])
    count, generator = tf.Variable(0), tf.random.Generator.from_seed(1)

    def counted(s):
        count.assign_add(1)
        return tf.strings.split(s), generator.normal([])

    parts = tf.function(lambda s: tf.strings.to_number(tf.strings.split(s)))
    made = text.map(counted)
    numbers = text.map(parts)
    return [_spec(made), count.numpy(), [x for _, x in made], count.numpy(), _spec(numbers), list(numbers)]


@row
def windows_of_series(tf, folder):
    windows = tf.keras.utils.timeseries_dataset_from_array
    series, table = np.arange(40.0, dtype="float32"), np.arange(80.0).reshape(40, 2)
    tf.keras.utils.set_random_seed(6)

    def parts(features):
        inputs, labels = features[:, slice(0, 4), :], features[:, slice(4, None), :]
        inputs.set_shape([None, 4, None])
        labels.set_shape([None, 2, None])
        return inputs, labels

    return [
        told(windows(series, None, 3, shuffle=True, batch_size=8)),
        told(windows(series, None, 3, sampling_rate=2, batch_size=None)),
        told(windows(table, series, 3, sampling_rate=3, sequence_stride=2, start_index=3, end_index=30)),
        told(windows(table.tolist(), [1, 2, 3, 4, 5], 3, batch_size=4)),
        _spec(windows(table, None, 6, batch_size=4).map(parts)),
        int(np.random.randint(1000)),
    ]


@row
def orders_after_adapt(tf, folder):
    def shuffled(function=lambda x: x):
        return tf.data.Dataset.range(10).shuffle(10, seed=1).batch(4).map(function)

    def first(dataset):
        return next(iter(dataset)).numpy().tolist()

    made = []
    for layer, function in (
        (tf.keras.layers.Normalization(axis=None), lambda x: x),
        (tf.keras.layers.StringLookup(), tf.strings.as_string),
        (tf.keras.layers.Discretization(num_bins=3), lambda x: tf.cast(x, tf.float32)),
    ):
        for steps in (None, 1, 3):
            dataset = shuffled(function)
            layer.adapt(dataset, steps=steps)
            made.append(str(first(dataset)))
    return made


@row
def order_of_parsed_features(tf, folder):
    io = tf.io
    one = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))
    data = tf.train.Example(features=tf.train.Features(feature=dict.fromkeys("abcdef", one))).SerializeToString()
    features = {
        "f": io.RaggedFeature(tf.int64), "d": io.FixedLenFeature([2], tf.int64), "a": io.VarLenFeature(tf.int64),
        "c": io.FixedLenSequenceFeature([], tf.int64, allow_missing=True), "e": io.VarLenFeature(tf.int64),
        "B": io.FixedLenFeature([2], tf.int64, default_value=[0, 0]), "R": io.RaggedFeature(tf.int64),
        "b": io.SparseFeature("e", "a", tf.int64, 10),
    }  # fmt: skip
    lists = tf.train.FeatureLists(feature_list=dict.fromkeys("acdef", tf.train.FeatureList(feature=[one])))
    sequence = tf.train.SequenceExample(feature_lists=lists).SerializeToString()
    sequences = {
        "f": io.RaggedFeature(tf.int64), "d": io.FixedLenSequenceFeature([2], tf.int64),
        "a": io.VarLenFeature(tf.int64), "c": io.FixedLenSequenceFeature([2], tf.int64),
    }  # fmt: skip
    return [
        list(io.parse_single_example(data, features)), list(io.parse_example([data], features)),
        [list(x) for x in io.parse_sequence_example([sequence], sequence_features=sequences)],
        [list(x) for x in io.parse_single_sequence_example(sequence, sequence_features=sequences)],
    ]  # fmt: skip


@row
def ends_of_iterators_in_functions(tf, folder):
    d = tf.data.Dataset.range(2)
    iterator, other = iter(d), iter(d)
    following = tf.function(lambda it: next(it))

    @tf.function(autograph=False)
    def plain():
        return next(other)

    @tf.function
    def sums(dataset):
        it = iter(dataset)
        return next(it) + next(it)

    @tf.function
    def loop(dataset):
        total = tf.constant(0, tf.int64)
        for x in dataset:
            total += x
        return total

    return [
        following(iterator), following(iterator), raised(lambda: following(iterator), "End of sequence"),
        plain(), plain(), raised(plain), sums(d), raised(lambda: sums(d.take(1))), loop(d),
    ]  # fmt: skip


@row
def saved_datasets(tf, folder):
    D = tf.data.Dataset

    def again(dataset, name, **kwargs):
        path = os.path.join(folder, name)
        dataset.save(path, **kwargs)
        return told(D.load(path, compression=kwargs.get("compression")))

    path = os.path.join(folder, "shards")
    D.range(10).save(path, shard_func=lambda x: x % 3)
    rag = tf.ragged.constant([[1], [2, 3]])
    return [
        again(D.range(5), "range"), again(D.range(0), "none"), again(D.range(3), "zip", compression="GZIP"),
        again(D.range(5).map(lambda x: x + 1).batch(2), "range"),
        again(D.from_tensor_slices((["x", "yy"], {"a": np.ones((2, 3), "float32")})), "nest"),
        again(D.from_tensors((1, None)), "missing"),
        again(D.range(3).map(lambda x: tf.fill([x], tf.strings.as_string(x))), "lengths"),
        again(D.from_tensor_slices(tf.cast([1.0, 2.0], tf.complex128)), "complex"),
        again(D.from_tensor_slices(rag).batch(2).map(lambda x: x.to_tensor()), "ragged"),
        [x.to_list() for x in D.load(_saved(D.from_tensor_slices(rag).batch(2), folder))],
        [tf.sparse.to_dense(x) for x in D.load(_saved(D.from_tensor_slices(tf.sparse.eye(2)), folder))],
        elements(D.load(path, reader_func=lambda shards: shards.flat_map(lambda x: x))),
        elements(D.load(path, reader_func=lambda shards: shards.interleave(lambda x: x, cycle_length=3))),
        elements(D.load(path, reader_func=lambda shards: shards.take(1).flat_map(lambda x: x))),
        sorted(x.numpy().item() for x in D.load(path)), int(D.load(path).cardinality()),
        raised(lambda: D.range(3).save(path + "x", shard_func=lambda x: 1.5), "must return a scalar int64."),
        raised(lambda: list(D.load(path, element_spec=tf.TensorSpec([], tf.float32))), "Data type mismatch"),
        raised(lambda: D.load(os.path.join(folder, "nothing")), "not found"),
        raised(lambda: list(D.load(os.path.join(folder, "zip")))),
    ]  # fmt: skip


def _saved(dataset, folder):
    path = os.path.join(folder, "composite")
    dataset.save(path)
    return path


@row
def sizes_of_what_is_left_of_a_text(tf, folder):
    lines = ["3\ta\tb\tc\t1\t2\t3", "1\ta\t4", "5\ta\tb\tc\td\te\t1\t2\t3\t4\t5"]

    def parts(line):
        found = tf.strings.split(line, sep="\t")
        count = tf.strings.to_number(found[0], out_type=tf.int32)
        return found[1 : count + 1], tf.strings.to_number(found[count + 1 :], out_type=tf.int64)

    data = tf.data.Dataset.from_tensor_slices(lines).map(parts)
    nothing = tf.data.Dataset.from_tensor_slices(["", "a b"]).map(lambda x: tf.strings.split(x))
    return str(data.element_spec), list(data.padded_batch(2).as_numpy_iterator()), str(nothing.element_spec)


@row
def random_numbers_for_elements_of_differing_shapes(tf, folder):
    """Each op goes on from element to element, and each iteration draws the same again."""
    D = tf.data.Dataset
    inner = tf.function(lambda x: tf.random.uniform(()) + tf.random.normal(()))
    count = tf.Variable(0.0)
    sizes = (3, 4, 5, 3, 3, 4)

    def pictures():
        for i in sizes:
            yield np.arange(i * 12, dtype="float32").reshape(i, 4, 3) / 100

    def counted(x):
        count.assign_add(1.0)
        return count + tf.random.uniform(())

    tf.random.set_seed(1)
    d = D.from_generator(pictures, output_signature=tf.TensorSpec([None, None, 3]))
    made = [
        d.map(lambda x: tf.reduce_mean(tf.image.random_brightness(x, 0.5))),
        d.map(lambda x: tf.image.random_flip_left_right(x)[0, 0]),
        d.map(lambda x: tf.image.random_crop(x, [2, 2, 3])),
        d.map(lambda x: tf.image.random_flip_up_down(tf.image.random_crop(x, [2, 2, 3]))[0]),
        d.map(lambda x: tf.reduce_sum(tf.random.uniform(tf.shape(x), seed=4))),
        d.map(lambda x: inner(x) + 10.0 * inner(x[1:]) + 100.0 * tf.random.uniform(())),
        d.filter(lambda x: tf.random.uniform(()) > 0.5).map(tf.size),
        d.scan(0.0, lambda s, x: (s + tf.random.uniform(()), s)),
        D.range(7).batch(3).map(lambda x: tf.reduce_sum(x) + tf.random.uniform((), 0, 100, tf.int64)),
        d.map(counted), D.range(3).map(lambda x: counted(x)),
    ]  # fmt: skip
    tf.random.set_seed(2)
    return [elements(x) for x in made for _ in range(2)]


@row
def pictures_of_many_sizes(tf, folder):
    """Most sizes come only once: their pictures go without a program of their own, among others that have one."""
    draw = np.random.RandomState(0)
    pictures = [draw.randint(0, 256, (5 + n % 7, 4 + n % 5, 3)).astype("uint8") for n in range(25)]
    spec = tf.TensorSpec((None, None, 3), tf.uint8)
    given = tf.data.Dataset.from_generator(lambda: iter(pictures), output_signature=spec)

    def changed(x):
        x = tf.image.random_flip_left_right(x)
        x = tf.image.random_crop(x, [3, 3, 3], seed=4)
        x = tf.image.resize(tf.cast(x, tf.float32), [2, 2]) + tf.random.uniform([])
        return tf.reduce_sum(x), tf.random.normal([2])

    def counted(x):
        return tf.shape(x)[0] * 2, tf.reduce_max(x), x[::-1, 1:3]

    tf.random.set_seed(3)
    made = given.map(changed)
    return [told(made), told(made), told(given.map(counted)), told(given.map(lambda x: tf.image.resize(x, [3, 2])))]


@row
def random_numbers_in_loops_over_datasets(tf, folder):
    """The body of a loop is a graph: that over an iterator goes on, that over a dataset begins anew."""
    data = tf.data.Dataset.range(3)
    noise = tf.function(lambda x: tf.random.normal(()))

    @tf.function
    def over_numbers(count):
        tf.boolean_mask([1.0, 2.0], [True, False])
        total = 0.0
        for i in tf.range(count):
            total = 10.0 * total + noise(i)
        return total

    @tf.function
    def over_data(each):
        total = 0.0
        for x in each:
            total = 100.0 * total + 10.0 * noise(x) + tf.random.normal(())
        return total

    @tf.function
    def over_pairs(each):
        total = 0.0
        for i, (x, _) in enumerate(zip(each, each)):  # noqa: B905
            total = 10.0 * total + noise(x) + tf.cast(i, tf.float32)
        return total

    @tf.function
    def of_next(iterator):
        return tf.cast(next(iterator), tf.float32) + tf.random.normal(())

    tf.random.set_seed(1)
    found = [over_data(data), over_data(data), over_data(iter(data)), over_data(iter(data))]
    found += [over_pairs(data), over_pairs(data)]
    found += [over_numbers(tf.constant(2)) for _ in range(3)]
    for _ in range(2):
        iterator = iter(data)
        found += [of_next(iterator) for _ in range(3)]
    return [float(x) for x in found]


@row
def numbers_by_way_of_text_and_of_sizes(tf, np):
    data = tf.data.Dataset.from_tensor_slices(np.float32([[1, -2, 3], [4, 5, -6]]))
    compiled = tf.function(lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0)))
    return (
        list(data.map(lambda x: tf.strings.length(tf.strings.as_string(x)))),
        list(data.map(lambda x: tf.reduce_sum(tf.where(x > 0)))), list(data.map(compiled)),
        list(data.filter(lambda x: tf.size(tf.where(x > 0)) == 2)),
        list(data.scan(0.0, lambda s, x: (s + tf.reduce_sum(tf.boolean_mask(x, x > 0)), s))),
    )  # fmt: skip

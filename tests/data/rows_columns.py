"""Functions of text in datasets of many elements, which are computed for blocks of elements."""

from rows import raised, row, row_for

LINES = [f" Word{i % 7} and  {'more ' * (i % 4)}{i}" for i in range(150)]


def _all(dataset):
    return [x for x in dataset]


def _first_error(dataset, fragment):
    """How many elements come before the error, and the error."""
    seen = []

    def run():
        for x in dataset:
            seen.append(x)

    return raised(run, fragment), len(seen)


_FUNCTIONS = {
    "lower": lambda tf, x: tf.strings.lower(x),
    "strip_length": lambda tf, x: tf.strings.length(tf.strings.strip(x)),
    "several": lambda tf, x: (tf.strings.upper(x), tf.strings.length(x) * 2, tf.strings.substr(x, 1, 3)),
    "joined": lambda tf, x: tf.strings.join([x, "!", tf.strings.upper(x)], separator="-"),
    "constant": lambda tf, x: (x, tf.constant("always"), tf.range(2)),
    "equal": lambda tf, x: tf.where(tf.equal(tf.strings.substr(x, 1, 5), "Word1"), 1.5, 0.5),
    "equal_several": lambda tf, x: tf.cast(tf.equal(tf.strings.substr(x, 1, 5), ["Word1", "Word2"]), tf.int32),
    "chosen_text": lambda tf, x: tf.where(tf.strings.length(x) > 20, x, "short"),
    "stacked": lambda tf, x: tf.stack([x, tf.strings.lower(x), ""]),
    "reshaped": lambda tf, x: tf.reshape(tf.expand_dims(x, 0), [1, 1, 1]),
    "split": lambda tf, x: tf.strings.split(x),
    "split_by_comma": lambda tf, x: tf.strings.split(x, "a"),
    "split_sliced": lambda tf, x: tf.strings.split(x)[:2],
    "split_last": lambda tf, x: tf.strings.split(x)[-1],
    "split_lengths": lambda tf, x: tf.strings.length(tf.strings.split(x)),
    "split_counted": lambda tf, x: tf.shape(tf.strings.split(x))[0],
    "split_summed": lambda tf, x: tf.reduce_sum(tf.strings.length(tf.strings.split(x))),
    "numbers": lambda tf, x: tf.strings.to_number(tf.strings.split(x)[-1], tf.int32) + 1,
    "hashed": lambda tf, x: tf.strings.to_hash_bucket_fast(x, 10),
    "one_hot": lambda tf, x: tf.one_hot(tf.strings.to_hash_bucket_fast(x, 4), 4),
    "matched": lambda tf, x: tf.strings.regex_full_match(x, ".*more.*"),
    "replaced": lambda tf, x: tf.strings.regex_replace(x, "[aeiou]", "_"),
    "points": lambda tf, x: tf.strings.unicode_decode(x, "UTF-8"),
    "bytes": lambda tf, x: tf.io.decode_raw(tf.strings.substr(x, 0, 4), tf.uint8),
    "bytes_reshaped": lambda tf, x: tf.reshape(tf.io.decode_raw(tf.strings.substr(x, 0, 4), tf.uint8), [2, 2]),
    "as_text": lambda tf, x: tf.strings.as_string(tf.strings.length(x) + 1),
    "dict": lambda tf, x: {"b": tf.strings.length(x), "a": x},
    "looped": lambda tf, x: tf.map_fn(lambda c: c + 1, tf.strings.length(tf.strings.bytes_split(x))),
    "branch": lambda tf, x: tf.cond(tf.strings.length(x) > 20, lambda: tf.constant("long"), lambda: x),
    "many_starts": lambda tf, x: tf.strings.substr([x, x], [0, 1], [2, 3]),
}


@row_for(name=[*_FUNCTIONS])
def mapped_over_many_texts(tf, name):
    ds = tf.data.Dataset.from_tensor_slices(LINES).map(lambda x: _FUNCTIONS[name](tf, x))
    return repr(ds.element_spec), _all(ds)


@row
def looked_up(tf):
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["and", "more", "Word1"], tf.constant([1, 2, 3], tf.int64)), -1
    )
    ds = tf.data.Dataset.from_tensor_slices(LINES).map(lambda x: table.lookup(tf.strings.split(x)))
    return _all(ds.padded_batch(16, padding_values=tf.constant(9, tf.int64)))


@row
def a_table_that_grows_is_read_for_each_element(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    ds = tf.data.Dataset.from_tensor_slices(LINES).map(lambda x: table.lookup(tf.strings.substr(x, 1, 5)))
    seen = []
    for i, x in enumerate(ds):
        if i == 40:
            table.insert(["Word1"], tf.constant([5], tf.int64))
        seen.append(x)
    return seen[:40], seen[-20:]  # TensorFlow computes some elements ahead


@row
def two_texts_and_a_number(tf, np):
    data = {"a": np.array(["x", "y"] * 40), "b": np.array(["y", "y", "x", "x"] * 20), "n": np.arange(80.0)}
    ds = tf.data.Dataset.from_tensor_slices(data)
    ds = ds.map(lambda e: (tf.equal(e["a"], e["b"]), tf.strings.join([e["a"], e["b"]]), e["n"] / 2))
    return _all(ds.batch(7))


@row
def filtered_by_text(tf):
    ds = tf.data.Dataset.from_tensor_slices(LINES)
    return _all(ds.filter(lambda x: tf.strings.regex_full_match(x, ".*Word3.*")).map(tf.strings.length).batch(5))


@row
def an_error_comes_in_its_place(tf):
    texts = [str(i) for i in range(100)]
    texts[77] = "no number"
    ds = tf.data.Dataset.from_tensor_slices(texts).map(lambda x: tf.strings.to_number(x, tf.int32))
    return _first_error(ds, "could not correctly convert string: no number")


@row
def an_error_of_numbers_comes_in_its_place(tf):
    texts = [str(i % 7) for i in range(100)]
    texts[77] = "9"
    ds = tf.data.Dataset.from_tensor_slices(texts)
    ds = ds.map(lambda x: tf.gather(tf.range(7), tf.strings.to_number(x, tf.int32)))
    return _first_error(ds, "indices = 9 is not in [0, 7)")


@row
def bytes_of_another_length_come_in_their_place(tf):
    texts = ["abcd"] * 100
    texts[50] = "ab"
    ds = tf.data.Dataset.from_tensor_slices(texts).map(lambda x: tf.io.decode_raw(x, tf.uint8))
    other = ds.map(lambda x: tf.reshape(x, [2, 2]))
    return [x.shape.as_list() for x in ds], _first_error(other, "Input to reshape is a tensor with 2 values")


@row
def lines_of_csv(tf):
    lines = [f"{i / 8},{i},{'ab'[i % 2]}" for i in range(90)]

    def parsed(line):
        x, n, kind = tf.io.decode_csv(line, [[0.0], [0], [""]])
        found = tf.cast(tf.equal(["a", "b"], kind), tf.int32)
        return tf.stack([x, tf.cast(n, tf.float32)]), tf.one_hot(tf.argmax(found), 2)

    return _all(tf.data.Dataset.from_tensor_slices(lines).map(parsed).batch(32))


@row
def examples(tf):
    def example(i):
        feature = {
            "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes([i, 1, 2, 3])])),
            "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[i % 3])),
            "weights": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5] * (i % 4))),
        }
        return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()

    fixed = {
        "image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64),
        "missing": tf.io.FixedLenFeature([2], tf.float32, [1.0, 2.0]),
    }  # fmt: skip

    def parsed(record):
        one = tf.io.parse_single_example(record, fixed)
        image = tf.reshape(tf.io.decode_raw(one["image"], tf.uint8), [2, 2, 1])
        return tf.cast(image, tf.float32) / 255, tf.one_hot(one["label"], 3), one["missing"]

    def of_any_length(record):
        one = tf.io.parse_single_example(record, {"weights": tf.io.VarLenFeature(tf.float32)})
        return tf.sparse.to_dense(one["weights"])

    ds = tf.data.Dataset.from_tensor_slices([example(i) for i in range(70)])
    return _all(ds.map(parsed).batch(16)), _all(ds.map(of_any_length).padded_batch(16))


@row
def random_numbers_beside_text(tf):
    tf.random.set_seed(3)
    ds = tf.data.Dataset.from_tensor_slices(LINES[:40])
    return _all(ds.map(lambda x: tf.cast(tf.strings.length(x), tf.float32) + tf.random.uniform([], seed=1)))


@row
def variables_beside_text(tf):
    count = tf.Variable(0)
    ds = tf.data.Dataset.from_tensor_slices(LINES[:40]).map(lambda x: tf.strings.length(x) + count.assign_add(1))
    return _all(ds), count


@row
def batches_of_text(tf):
    ds = tf.data.Dataset.from_tensor_slices(LINES).batch(3)
    return _all(ds.map(lambda x: (tf.strings.lower(x), tf.strings.length(x) + 1, tf.equal(x, x[0]))))

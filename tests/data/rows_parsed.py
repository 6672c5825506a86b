"""Records in datasets of many elements: features of any length, sequences, pictures of several sizes."""

from rows import raised, row, row_for


def _shown(tf, dataset):
    return [tf.nest.flatten(x, expand_composites=True) for x in dataset]


def _examples(tf, count=80):
    feature = tf.train.Feature
    for i in range(count):
        n = i % 5
        yield tf.train.Example(features=tf.train.Features(feature={
            "ix": feature(int64_list=tf.train.Int64List(value=[(7 * k + i) % 20 for k in range(n)])),
            "iy": feature(int64_list=tf.train.Int64List(value=[k % 3 for k in range(n)])),
            "v": feature(float_list=tf.train.FloatList(value=[k + i / 4 for k in range(n)])),
            "words": feature(bytes_list=tf.train.BytesList(value=[b"w%d" % (i + k) for k in range(n)])),
            "pairs": feature(float_list=tf.train.FloatList(value=[float(k) for k in range(2 * n)])),
            "ids": feature(int64_list=tf.train.Int64List(value=[300 * k for k in range(n)])),
            "y": feature(int64_list=tf.train.Int64List(value=[i])),
        })).SerializeToString()  # fmt: skip


def _sequences(tf, count=80):
    feature, several = tf.train.Feature, tf.train.FeatureList
    for i in range(count):
        n = i % 4 + 1
        yield tf.train.SequenceExample(
            context=tf.train.Features(feature={"y": feature(int64_list=tf.train.Int64List(value=[i]))}),
            feature_lists=tf.train.FeatureLists(feature_list={
                "t": several(feature=[feature(int64_list=tf.train.Int64List(value=range((k + i) % 3)))
                                      for k in range(n)]),
                "x": several(feature=[feature(float_list=tf.train.FloatList(value=[k, i])) for k in range(n)]),
                "w": several(feature=[feature(bytes_list=tf.train.BytesList(value=[b"%d" % k])) for k in range(n)]),
            }),
        ).SerializeToString()  # fmt: skip


def _specs(tf):
    io = tf.io
    return {
        "variable": {"v": io.VarLenFeature(tf.float32), "words": io.VarLenFeature(tf.string)},
        "sparse": {"s": io.SparseFeature("ix", "v", tf.float32, 20)},
        "sparse_matrix": {"s": io.SparseFeature(["ix", "iy"], "v", tf.float32, [20, 3])},
        "ragged": {"words": io.RaggedFeature(tf.string), "r": io.RaggedFeature(tf.int64, "ids")},
        "sequence": {"pairs": io.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
                     "none": io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)},
        "mixed": {"y": io.FixedLenFeature([], tf.int64), "v": io.VarLenFeature(tf.float32),
                  "words": io.RaggedFeature(tf.string), "z": io.FixedLenFeature([2], tf.float32, [1.0, 2.0])},
    }  # fmt: skip


_FEATURES = ["variable", "sparse", "sparse_matrix", "ragged", "sequence", "mixed"]


def _parsed(tf, name):
    ds = tf.data.Dataset.from_tensor_slices([*_examples(tf)])
    return ds.map(lambda record: tf.io.parse_single_example(record, _specs(tf)[name]))


@row_for(name=_FEATURES)
def features_of_any_length(tf, name):
    ds = _parsed(tf, name)
    return repr(ds.element_spec), _shown(tf, ds)


@row_for(name=_FEATURES)
def features_of_any_length_in_ragged_batches(tf, name):
    ds = _parsed(tf, name).ragged_batch(7)
    return repr(ds.element_spec), _shown(tf, ds)


_FUNCTIONS = {
    "dense": lambda tf, e: tf.sparse.to_dense(e["v"]),
    "dense_with_default": lambda tf, e: tf.sparse.to_dense(e["v"], -1.0),
    "dense_text": lambda tf, e: tf.sparse.to_dense(e["t"], "?"),
    "dense_matrix": lambda tf, e: tf.sparse.to_dense(e["m"]),
    "dense_reshaped": lambda tf, e: tf.reshape(tf.sparse.to_dense(e["p"]), [-1, 2]),
    "dense_counted": lambda tf, e: tf.shape(tf.sparse.to_dense(e["v"]))[0],
    "scaled": lambda tf, e: e["q"] * 2.0 + 1.0,
    "cast": lambda tf, e: tf.cast(e["q"], tf.int32),
    "summed": lambda tf, e: tf.reduce_sum(e["q"], 0),
    "first": lambda tf, e: e["q"][:1],
    "padded": lambda tf, e: tf.pad(e["q"], [[0, 1], [0, 0]]),
    "length_of_words": lambda tf, e: tf.strings.length(e["r"]),
    "joined": lambda tf, e: tf.strings.reduce_join(e["r"], separator=" "),
    "values": lambda tf, e: (e["v"].values, e["v"].dense_shape, e["m"].indices),
    "sparse_sum": lambda tf, e: tf.sparse.reduce_sum(e["v"]),
    "hashed": lambda tf, e: tf.strings.to_hash_bucket_fast(e["r"], 10),
    "mean": lambda tf, e: tf.reduce_mean(e["q"]) if tf.size(e["q"]) > 4 else -1.0,
    "one_hot": lambda tf, e: tf.reduce_max(tf.one_hot(e["i"] // 300, 6), 0),
    "two_of_them": lambda tf, e: e["q"][:, 0] + tf.sparse.to_dense(e["v"]),
}


@row_for(name=[*_FUNCTIONS])
def functions_of_features_of_any_length(tf, name):
    spec = {
        "v": tf.io.VarLenFeature(tf.float32), "t": tf.io.SparseFeature("ix", "words", tf.string, 20),
        "m": tf.io.SparseFeature(["ix", "iy"], "v", tf.float32, [20, 3]), "p": tf.io.VarLenFeature(tf.float32),
        "q": tf.io.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
        "r": tf.io.RaggedFeature(tf.string, "words"), "i": tf.io.FixedLenSequenceFeature([], tf.int64, True),
    }  # fmt: skip
    names = {"q": "pairs", "p": "pairs", "i": "ids", "v": "v", "r": "words"}

    def parsed(record):
        found = {}
        for key, feature in spec.items():  # one by one, since a feature is read in one way only
            name = names.get(key, key)
            found[key] = tf.io.parse_single_example(record, {name: feature._replace(value_key=None) if key == "r"
                                                             else feature})[name]  # fmt: skip
        return _FUNCTIONS[name_of_function](tf, found)

    name_of_function = name
    ds = tf.data.Dataset.from_tensor_slices([*_examples(tf)]).map(parsed)
    return None if name == "sparse_sum" else repr(ds.element_spec), [*ds]


@row
def sparse_tensors_of_different_sizes_in_a_batch(tf):
    def made(n):
        return tf.SparseTensor(tf.expand_dims(tf.range(n), 1), tf.ones([n]), [n + 1])

    ds = tf.data.Dataset.range(1, 8).map(made).batch(3)
    others = [_shown(tf, _parsed(tf, name).batch(32)) for name in ("variable", "sparse_matrix")]
    return repr(ds.element_spec), _shown(tf, ds), others


@row
def an_example_without_its_feature_among_many(tf):
    records = [*_examples(tf)]
    records[70] = tf.train.Example().SerializeToString()
    spec = {"y": tf.io.FixedLenFeature([], tf.int64), "v": tf.io.VarLenFeature(tf.float32)}
    ds, seen = tf.data.Dataset.from_tensor_slices(records).map(lambda r: tf.io.parse_single_example(r, spec)), []

    def run():
        for x in ds:
            seen.append(x)

    return raised(run, "is required but could not be found"), len(seen)


def _features_of_lists(tf):
    io = tf.io
    return {
        "dense": {"x": io.FixedLenSequenceFeature([2], tf.float32), "w": io.FixedLenSequenceFeature([1], tf.string)},
        "variable": {"t": io.VarLenFeature(tf.int64), "w": io.VarLenFeature(tf.string)},
        "ragged": {"t": io.RaggedFeature(tf.int64), "k": io.RaggedFeature(tf.float32, "x", row_splits_dtype=tf.int64)},
        "missing": {"z": io.FixedLenSequenceFeature([3], tf.int64, allow_missing=True), "v": io.VarLenFeature(tf.int64),
                    "r": io.RaggedFeature(tf.string)},
    }  # fmt: skip


@row_for(name=["dense", "variable", "ragged", "missing"])
def sequences_one_by_one(tf, name):
    context = {"y": tf.io.FixedLenFeature([], tf.int64), "v": tf.io.VarLenFeature(tf.float32)}
    ds = tf.data.Dataset.from_tensor_slices([*_sequences(tf)])
    ds = ds.map(lambda r: tf.io.parse_single_sequence_example(r, context, _features_of_lists(tf)[name]))
    return repr(ds.element_spec), _shown(tf, ds)


@row_for(name=["dense", "variable", "ragged", "missing"])
def sequences_in_batches(tf, name):
    ds = tf.data.Dataset.from_tensor_slices([*_sequences(tf)]).batch(9)
    ds = ds.map(lambda r: tf.io.parse_sequence_example(r, None, _features_of_lists(tf)[name]))
    return _shown(tf, ds)


@row
def sequences_made_dense_and_padded(tf):
    features = {"t": tf.io.VarLenFeature(tf.int64), "x": tf.io.FixedLenSequenceFeature([2], tf.float32)}

    def parsed(record):
        _, found = tf.io.parse_single_sequence_example(record, None, features)
        return tf.sparse.to_dense(found["t"]), found["x"] / 2.0

    ds = tf.data.Dataset.from_tensor_slices([*_sequences(tf)]).map(parsed).padded_batch(8)
    return repr(ds.element_spec), [*ds]


_UNFIT = {
    "other_size": lambda tf: {"x": tf.io.FixedLenSequenceFeature([3], tf.float32)},
    "other_dtype": lambda tf: {"t": tf.io.VarLenFeature(tf.float32)},
    "not_there": lambda tf: {"z": tf.io.FixedLenSequenceFeature([], tf.int64)},
    "default": lambda tf: {"t": tf.io.FixedLenSequenceFeature([], tf.int64, True, 3)},
    "fixed": lambda tf: {"t": tf.io.FixedLenFeature([], tf.int64)},
    "nothing": lambda tf: None,
}


@row_for(name=[*_UNFIT])
def unfit_features_of_sequences(tf, name):
    record, fragments = [*_sequences(tf, 3)][2], {
        "other_size": "values size: 2 but output shape: [3]",
        "other_dtype": "Data types don't match. Expected type: float",
        "not_there": "Feature list 'z' is required but could not be found", "default": "dense_defaults[t] must be None",
        "fixed": "Unsupported FixedLenFeature", "nothing": "Both context_features and sequence_features are None",
    }  # fmt: skip
    return raised(lambda: tf.io.parse_single_sequence_example(record, None, _UNFIT[name](tf)), fragments[name])


def _pictures(tf, np):
    rng = np.random.RandomState(0)
    for i in range(60):
        pixels = rng.randint(0, 255, (10 + i % 3, 12, 3)).astype(np.uint8)
        yield tf.io.encode_png(pixels).numpy()


_OF_PICTURES = {
    "decoded": lambda tf, x: x,
    "resized": lambda tf, x: tf.image.resize(x, [8, 10]) / 255.0,
    "made_large": lambda tf, x: tf.image.resize(x, [20, 17]),
    "bicubic": lambda tf, x: tf.image.resize(x, [8, 10], "bicubic"),
    "nearest": lambda tf, x: tf.image.resize(x, [8, 10], "nearest"),
    "keeping_aspect": lambda tf, x: tf.image.resize(x, [10, 10], preserve_aspect_ratio=True),
    "floats": lambda tf, x: tf.image.resize(tf.image.convert_image_dtype(x, tf.float32), [9, 9]),
    "cast": lambda tf, x: tf.cast(x, tf.float32) / 127.5 - 1.0,
    "cropped": lambda tf, x: x[2:8, 3:, :],
    "center": lambda tf, x: tf.image.central_crop(x, 0.5),
    "padded": lambda tf, x: tf.image.resize_with_crop_or_pad(x, 15, 8),
    "grey": lambda tf, x: tf.image.resize(tf.image.rgb_to_grayscale(x), [6, 6]),
    "sizes": lambda tf, x: tf.shape(x),
    "flipped": lambda tf, x: tf.image.flip_left_right(x),
    "mean": lambda tf, x: tf.reduce_mean(tf.cast(x, tf.float32)),
    "standard": lambda tf, x: tf.image.per_image_standardization(x)[:2, :2],
    "random_flip": lambda tf, x: tf.image.random_flip_left_right(tf.image.resize(x, [4, 4]), seed=3),
    "random_flip_first": lambda tf, x: tf.image.resize(tf.image.random_flip_left_right(x, seed=3), [4, 4]),
    "random_crop": lambda tf, x: tf.image.random_crop(x, [6, 6, 3], seed=5),
    "random_several": lambda tf, x: tf.image.random_contrast(
        tf.image.random_brightness(tf.image.resize(x, [4, 4]), 0.3, seed=1), 0.5, 1.5, seed=2
    ),
}  # fmt: skip


@row_for(name=[*_OF_PICTURES])
def functions_of_pictures(tf, np, name):
    tf.random.set_seed(4)
    ds = tf.data.Dataset.from_tensor_slices([*_pictures(tf, np)])
    ds = ds.map(lambda x: _OF_PICTURES[name](tf, tf.io.decode_png(x, channels=3)))
    first, second = [*ds], [*ds]
    spec = None if name in ("keeping_aspect", "cropped", "standard") else repr(ds.element_spec)
    return spec, first[::13], second[-1], len(first)


@row
def files_of_pictures(tf, np, folder):
    for i, data in enumerate(_pictures(tf, np)):
        with open(f"{folder}/{i:02}_{'cat' if i % 2 else 'dog'}.png", "wb") as file:
            file.write(data)

    def read(path):
        pixels = tf.io.decode_image(tf.io.read_file(path), channels=3, expand_animations=False)
        parts = tf.strings.split(tf.strings.split(path, "/")[-1], "_")
        return tf.image.resize(pixels, [5, 5]), tf.strings.to_number(parts[0], tf.int32), parts[1] == "cat.png"

    ds = tf.data.Dataset.list_files(f"{folder}/*.png", shuffle=False).map(read)
    return repr(ds.element_spec), [*ds]

"""`tf.io.RaggedFeature` divided by other features, in examples and sequence examples."""

from rows import raised, row, row_for

_NUMBERS = [
    {"v": [1.0, 2, 3, 4, 5, 6], "splits": [0, 2, 6], "lengths": [2, 4], "starts": [0, 2], "limits": [2, 6],
     "ids": [0, 0, 1, 1, 1, 1]},
    {"v": [7.0, 8], "splits": [0, 1, 1, 2], "lengths": [1, 0, 1], "starts": [0, 1, 1], "limits": [1, 1, 2],
     "ids": [0, 2]},
    {},
]  # fmt: skip

_PARTITIONS = {
    "splits": [("RowSplits", "splits")],
    "lengths": [("RowLengths", "lengths")],
    "starts": [("RowStarts", "starts")],
    "limits": [("RowLimits", "limits")],
    "ids": [("ValueRowIds", "ids")],
    "uniform": [("UniformRowLength", 2)],
    "uniform inside": [("RowLengths", "lengths"), ("UniformRowLength", 1)],
    "uniform outside": [("UniformRowLength", 1), ("RowSplits", "splits")],
    "none": [],
}


def _partitions(tf, kind):
    return [getattr(tf.io.RaggedFeature, name)(of) for name, of in _PARTITIONS[kind]]


def _feature(tf, value):
    if value and isinstance(value[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=value))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=value))


def _features(tf, numbers):
    return tf.train.Features(feature={name: _feature(tf, value) for name, value in numbers.items()})


def _example(tf, numbers):
    return tf.train.Example(features=_features(tf, numbers)).SerializeToString()


def _sequence(tf, *numbers):
    names = _NUMBERS[0]
    lists = {name: tf.train.FeatureList(feature=[_feature(tf, one[name]) for one in numbers]) for name in names}
    lists = tf.train.FeatureLists(feature_list=lists)
    return tf.train.SequenceExample(context=_features(tf, numbers[0]), feature_lists=lists).SerializeToString()


def _seen(value):
    return repr(value), str(value.shape), str(getattr(value, "row_splits", value).dtype)


@row_for(kind=list(_PARTITIONS))
def divided_by_other_features(tf, kind):
    features = {"x": tf.io.RaggedFeature(tf.float32, "v", _partitions(tf, kind), validate=True)}
    wide = {"x": tf.io.RaggedFeature("float32", "v", tuple(_partitions(tf, kind)), tf.int64)}
    first, second, empty = (_example(tf, numbers) for numbers in _NUMBERS)
    sequences = [_sequence(tf, *_NUMBERS[:2]), _sequence(tf, _NUMBERS[1])]

    @tf.function
    def batch(x):
        return tf.io.parse_example(x, features)["x"]

    singles = tf.data.Dataset.from_tensor_slices([first, second])
    singles = singles.map(lambda x: tf.io.parse_single_example(x, features)["x"])
    both = {"context_features": features, "sequence_features": wide}
    seen = [
        batch([first, empty, second]), tf.io.parse_example([first, second], wide)["x"],
        tf.io.parse_example(first, features)["x"], tf.io.parse_single_example(second, wide)["x"], *singles,
        *(part["x"] for part in tf.io.parse_sequence_example(sequences, **both)[:2]),
        *(part["x"] for part in tf.io.parse_single_sequence_example(sequences[0], **both)),
    ]  # fmt: skip
    return [_seen(each) for each in seen]


@row
def features_that_stand_for_themselves_too(tf):
    of = tf.io.RaggedFeature
    features = {"v": of(tf.float32, None, [of.RowLengths("lengths")]), "lengths": of(tf.int64)}
    features["y"] = of(tf.float32, "v")
    parsed = tf.io.parse_example([_example(tf, numbers) for numbers in _NUMBERS], features)
    return {name: repr(value) for name, value in parsed.items()}, repr(of.RowSplits(key="s")), repr(
        of(tf.float32, "v", [of.UniformRowLength(2)], "int64")
    )


@row
def partitions_that_do_not_fit(tf):
    of = tf.io.RaggedFeature
    example = [_example(tf, {"v": [1.0, 2, 3], "lengths": [2, 4]})]

    def parse(partition):
        return tf.io.parse_example(example, {"x": of(tf.float32, "v", [partition], validate=True)})

    return [
        raised(lambda: parse(of.RowLengths("lengths")), "do not form a valid RaggedTensor"),
        raised(lambda: parse(of.RowLimits("lengths")), "do not form a valid RaggedTensor"),
        raised(lambda: parse(of.UniformRowLength(2)), "requires a multiple of 2"),
        raised(lambda: of(tf.float32, "v", [3]), "cannot be cast to any of the partition types"),
        raised(lambda: of(tf.float32, "v", 3), "Argument `partitions` must be a list or tuple."),
        raised(lambda: of(tf.float32, 3), "Argument `value_key` must be a string; got 3"),
        raised(lambda: of(tf.float32, row_splits_dtype=tf.float32), "`row_splits_dtype` must be int32 or int64"),
        raised(lambda: of(tf.float32, validate=3), "Argument `validate` must be a bool; got 3"),
    ]

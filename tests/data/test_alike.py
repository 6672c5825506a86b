"""Records that are alike are parsed at once, to what they are parsed to one by one."""

import numpy as np

import tfcompat as tf
from tfcompat.io import _alike, _parse

FEATURES = {"x": tf.io.FixedLenFeature([2, 2], tf.float32), "y": tf.io.FixedLenFeature([], tf.int64)}


def record(x, y, name):
    train = tf.train
    feature = {
        "x": train.Feature(float_list=train.FloatList(value=x)),
        "y": train.Feature(int64_list=train.Int64List(value=[y])),
        "name": train.Feature(bytes_list=train.BytesList(value=[name])),
    }
    return train.Example(features=train.Features(feature=feature)).SerializeToString()


RECORDS = [record([i, 0.5, -1.0, 2.0], i, b"n%d" % i) for i in range(5)]


def test_records_that_are_alike():
    found = _alike.parsed(RECORDS, _parse.checked_features(FEATURES))
    assert found is not None and found["y"].tolist() == [0, 1, 2, 3, 4]
    assert found["x"].shape == (5, 2, 2) and found["x"][3].tolist() == [[3.0, 0.5], [-1.0, 2.0]]
    assert tf.io.parse_example(RECORDS, FEATURES)["y"].numpy().tolist() == [0, 1, 2, 3, 4]


def test_others_are_left_to_the_general_way():
    more = [*RECORDS, record([1.0, 2.0, 3.0, 4.0], 300, b"n")]
    assert _alike.parsed(more, _parse.checked_features(FEATURES)) is None
    assert tf.io.parse_example(more, FEATURES)["y"].numpy().tolist() == [0, 1, 2, 3, 4, 300]
    for other in ({"z": FEATURES["y"]}, {"x": tf.io.FixedLenFeature([3], tf.float32)}, {"y": FEATURES["x"]}):
        assert _alike.parsed(RECORDS, _parse.checked_features(other)) is None


def test_changed_bytes_are_seen():
    random, taken = np.random.default_rng(0), 0
    features = _parse.checked_features(FEATURES)
    for _ in range(300):
        changed = [bytearray(data) for data in RECORDS]
        place, value = random.integers(len(changed[0])), random.integers(256)
        for data in changed if random.random() < 0.5 else changed[:1]:
            data[place] = value
        changed = [bytes(data) for data in changed]
        fast = _alike.parsed(changed, features)
        if fast is not None:
            slow = _parse.parsed(_parse._examples(changed), features)
            taken += 1
            assert all(np.array_equal(fast[key], slow[key].numpy(), equal_nan=True) for key in features)
    assert taken > 50

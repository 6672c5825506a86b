"""JPEG files: the pixels of every way of decoding."""

import numpy as np
from rows import raised, row, row_for

from ._elements import plain
from ._jpegs import JPEGS


def _told(tensor):
    return plain(np.asarray(tensor).reshape(-1)), tensor.shape.as_list()


@row_for(file=[*JPEGS], method=["", "INTEGER_FAST", "INTEGER_ACCURATE"])
def methods(tf, file, method):
    return _told(tf.io.decode_jpeg(JPEGS[file], dct_method=method))


@row_for(file=[*JPEGS], ratio=[2, 4, 8])
def smaller(tf, file, ratio):
    return _told(tf.io.decode_jpeg(JPEGS[file], ratio=ratio))


@row_for(file=["halved"], ratio=[1, 2])
def without_fancy_upscaling(tf, file, ratio):
    return _told(tf.io.decode_jpeg(JPEGS[file], fancy_upscaling=False, ratio=ratio))


@row_for(file=["halved", "grey"], channels=[1, 3])
def channels(tf, file, channels):
    data = JPEGS[file]
    return _told(tf.io.decode_jpeg(data, channels)), _told(tf.io.decode_image(data, channels))


@row
def parts(tf):
    data = JPEGS["halved"]
    return [
        _told(tf.io.decode_and_crop_jpeg(JPEGS["grey"], [3, 5, 7, 9])),
        _told(tf.io.decode_image(data, dtype=tf.float32)),
        _told(tf.io.decode_jpeg(data + b"more")),
        raised(lambda: tf.io.decode_jpeg(data[:-20]), "jpeg::Uncompress failed. Invalid JPEG data or crop window."),
        raised(lambda: tf.io.decode_jpeg(data[:20]), "Invalid JPEG data or crop window."),
        raised(lambda: tf.io.decode_jpeg(JPEGS["inks"], channels=1), "Invalid JPEG data or crop window."),
    ]

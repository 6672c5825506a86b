"""Parts of tensors in checkpoints: how they are written in arguments, in messages and in keys.

https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/framework/tensor_slice.h
"""

import numpy as np

from tfcompat._formats.protobuf import Message
from tfcompat.errors import InvalidArgumentError, NotFoundError


class Extent(Message):
    """A range along an axis; all of it without `length`."""

    NAME = "tensorflow.TensorSliceProto.Extent"
    FIELDS = ((1, "start", "int64"), (2, "length", "int64", "has_length"))


class TensorSlice(Message):
    """A range along each axis."""

    NAME = "tensorflow.TensorSliceProto"
    FIELDS = ((1, "extent", [Extent]),)


def parsed(text):
    """(sizes of the whole tensor, ranges) of a text as "4 2 0,2:-"; (None, None) of "".

    A range is (start, length), or None for a whole axis.

    Raises:
      tf.errors.InvalidArgumentError: another text, or a range that lies outside.
    """
    if not text:
        return None, None
    try:
        *sizes, ranges = text.split(" ")
        sizes = [int(size) for size in sizes]
        pairs = [None if each == "-" else tuple(map(int, each.split(","))) for each in ranges.split(":")]
        fits = all(p is None or 0 <= p[0] and 0 < p[1] <= s - p[0] for p, s in zip(pairs, sizes, strict=True))
    except (ValueError, IndexError):
        fits = False
    if not fits:
        raise InvalidArgumentError(
            None, None, f"Expected sizes and a range for each axis, as '4 2 0,2:-', got '{text}' as shape and slice"
        )
    return sizes, pairs


def ranges_of(message):
    """The ranges of a TensorSlice."""
    return [(e.start, e.length) if e.HasField("length") else None for e in message.extent]


def message_of(ranges):
    """The TensorSlice of ranges."""
    return TensorSlice(extent=[{} if r is None else {"start": r[0], "length": r[1]} for r in ranges])


def key_of(name, ranges):
    """The key of a part of a tensor in the table of a checkpoint, whose order is that of the parts."""
    text = name.encode().replace(b"\0", b"\0\xff").replace(b"\xff", b"\xff\0") + b"\0\1"
    pairs = [(0, -1) if each is None else each for each in ranges]
    return b"\0" + text + _unsigned(len(ranges)) + b"".join(_signed(x) for pair in pairs for x in pair)


def _unsigned(value):
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size, "big")


def _signed(value):
    """A number in as few bytes as have 7 bits for each; the first bits tell how many bytes there are."""
    size = 1
    while not -1 << 7 * size - 1 <= value < 1 << 7 * size - 1:
        size += 1
    header = ((1 << size) - 1) << 8 * size - size
    return (value % (1 << 8 * size) ^ header).to_bytes(size, "big")


def assembled(key, sizes, ranges, parts, dtype):
    """A part of a tensor that a checkpoint holds in parts.

    Args:
      sizes: of the whole tensor.
      ranges: of what is wanted; None for all of it.
      parts: (ranges, function that reads the part) of each.
      dtype: that of NumPy.

    Raises:
      tf.errors.NotFoundError: the parts do not cover what is wanted.
    """
    wanted = _spans(ranges, sizes)
    result = np.empty([end - start for start, end in wanted], dtype)
    missing = result.size
    for held, read in parts:
        overlap = [
            (max(a, c), min(b, d)) for (a, b), (c, d) in zip(wanted, _spans(held, sizes), strict=True)
        ]  # fmt: skip
        if all(start < end for start, end in overlap):
            there = tuple(slice(s - w, e - w) for (s, e), (w, _) in zip(overlap, wanted, strict=True))
            here = tuple(slice(s - h, e - h) for (s, e), (h, _) in zip(overlap, _spans(held, sizes), strict=True))
            result[there] = read()[here]
            missing -= int(np.prod([end - start for start, end in overlap], dtype=np.int64))
    if missing:
        raise NotFoundError(None, None, f"Slice of tensor {key} not found in checkpoint: parts of it are missing")
    return result


def _spans(ranges, sizes):
    ranges = [None] * len(sizes) if ranges is None else ranges
    return [(0, size) if r is None else (r[0], r[0] + r[1]) for r, size in zip(ranges, sizes, strict=True)]


def part_of(array, ranges):
    """The part of an array."""
    return array if ranges is None else array[tuple(slice(a, b) for a, b in _spans(ranges, array.shape))]

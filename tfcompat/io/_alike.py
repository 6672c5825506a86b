"""Batches of serialized Examples that differ only in their numbers, parsed at once.

Records of images or of table rows are often like this: of one length, with the same names at the same places.
"""

import math

import numpy as np

from tfcompat import dtypes
from tfcompat._core.shape import TensorShape
from tfcompat._formats.protobuf import read_varint

_KINDS = {2: dtypes.float32, 3: dtypes.int64}


def parsed(serialized, features):
    """Dict from keys to arrays [batch, *shape]; None if the records are not alike or do not fit `features`.

    Args:
      serialized: list of bytes.
      features: dict from keys to checked `FixedLenFeature`s of numbers.
    """
    if len(serialized) < 2 or len(set(map(len, serialized))) > 1:
        return None
    places = _places(serialized[0])
    if places is None:
        return None
    rows = np.frombuffer(b"".join(serialized), np.uint8).reshape(len(serialized), -1)
    alike = np.ones(rows.shape[1], bool)
    for _, start, stop in places.values():
        alike[start:stop] = False
    if (rows[:, alike] != rows[0, alike]).any():
        return None
    columns = {}
    for key, feature in features.items():
        kind, start, stop = places.get(key, (None, 0, 0))
        shape = TensorShape(feature.shape).as_list()
        size = 4 if kind == 2 else 1
        if _KINDS.get(kind) is not feature.dtype or stop - start != size * math.prod(shape):
            return None
        values = np.ascontiguousarray(rows[:, start:stop])
        if kind == 2:
            values = values.view("<f4")
        elif (values & 0x80).any():  # numbers of more than one byte
            return None
        columns[key] = values.astype(feature.dtype.np, copy=False).reshape(len(serialized), *shape)
    return columns


def _places(data):
    """Dict from names of features to (kind, where its packed numbers begin, where they end); None in another form."""
    places, at = {}, 0
    try:
        while at < len(data):
            stop, at = _part(data, at, 0x0A)
            while at < stop:
                last, at = _part(data, at, 0x0A)
                end, at = _part(data, at, 0x0A)
                name, at = data[at:end].decode(), end
                end, at = _part(data, at, 0x12)
                kind = data[at] >> 3
                inner, at = _part(data, at, (0x0A, 0x12, 0x1A)[kind - 1])
                if kind in _KINDS:
                    inside, at = _part(data, at, 0x0A)
                    if inside != inner:
                        return None
                if not inner == end == last <= stop or name in places:
                    return None
                places[name], at = (kind, at, last), last
            if at != stop:
                return None
    except (IndexError, ValueError):
        return None
    return places if at == len(data) else None


def _part(data, at, tag):
    """(end, begin) of what a field holds; ValueError if it has another tag."""
    if data[at] != tag:
        raise ValueError(f"field {data[at]}")
    size, at = (data[at + 1], at + 2) if data[at + 1] < 0x80 else read_varint(data, at + 1)
    if at + size > len(data):
        raise ValueError("it ends within a field")
    return at + size, at

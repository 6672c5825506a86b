"""Sorted tables of keys and values, in LevelDB's format: the index of a checkpoint.

https://github.com/google/leveldb/blob/main/doc/table_format.md
"""

from tfcompat._formats import crc32c
from tfcompat._formats.protobuf import read_varint, varint

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_BLOCK = 1 << 18
_RESTART = 16


def written(items):
    """The bytes of a table.

    Args:
      items: (key, value) of bytes, sorted by key.
    """
    out, index = bytearray(), []
    block = _Block()
    last = b""
    for key, value in items:
        block.add(key, value)
        last = key
        if block.size >= _BLOCK:
            index.append((last, _stored(out, block)))
            block = _Block()
    if block.size or not index:
        index.append((last, _stored(out, block)))
    meta = _stored(out, _Block())
    handles = _Block(restart=1)
    for key, handle in index:
        handles.add(key, handle)
    footer = meta + _stored(out, handles)
    out += footer.ljust(_FOOTER - 8, b"\0") + _MAGIC.to_bytes(8, "little")
    return bytes(out)


class _Block:
    def __init__(self, restart=_RESTART):
        self.data, self.restarts, self.last = bytearray(), [], b""
        self.count, self.interval = 0, restart

    @property
    def size(self):
        return len(self.data)

    def add(self, key, value):
        shared = 0
        if self.count % self.interval == 0:
            self.restarts.append(len(self.data))
        else:
            most = min(len(key), len(self.last))
            while shared < most and key[shared] == self.last[shared]:
                shared += 1
        self.data += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        self.last = key
        self.count += 1

    def finished(self):
        restarts = self.restarts or [0]
        return bytes(self.data) + b"".join(r.to_bytes(4, "little") for r in [*restarts, len(restarts)])


def _stored(out, block):
    """Appends a block; returns its handle."""
    data = block.finished()
    handle = varint(len(out)) + varint(len(data))
    out += data + b"\0" + crc32c.masked(data, b"\0").to_bytes(4, "little")
    return handle


def read(data):
    """Dict of the keys and values of a table; ValueError says what is wrong with it."""
    if len(data) < _FOOTER or int.from_bytes(data[-8:], "little") != _MAGIC:
        raise ValueError("not an sstable (bad magic number)")
    footer = data[-_FOOTER:]
    place = 0
    handles = []
    for _ in range(2):
        start, place = read_varint(footer, place)
        size, place = read_varint(footer, place)
        handles.append((start, size))
    items: dict = {}
    _contents(data, *handles[0])  # the meta index is empty; only its checksum matters
    for _, handle in _entries(_contents(data, *handles[1])):
        block_start, next_place = read_varint(handle, 0)
        block_size, _ = read_varint(handle, next_place)
        for key, value in _entries(_contents(data, block_start, block_size)):
            items[key] = value
    return items


def _contents(data, start, size):
    end = start + size
    if end + 5 > len(data) - _FOOTER:
        raise ValueError("a block lies outside of the file")
    body, kind = data[start:end], data[end]
    if crc32c.masked(body, data[end : end + 1]) != int.from_bytes(data[end + 1 : end + 5], "little"):
        raise ValueError("block checksum mismatch")
    if kind == 0:
        return body
    if kind == 1:
        return uncompressed(body)
    raise ValueError(f"a block is compressed in an unknown way, {kind}")


def _entries(block):
    """Yields the (key, value) of a block."""
    if len(block) < 4:
        raise ValueError("a block is too short")
    end = len(block) - 4 - 4 * int.from_bytes(block[-4:], "little")
    if end < 0:
        raise ValueError("a block is too short")
    place, key = 0, b""
    while place < end:
        shared, place = read_varint(block, place)
        more, place = read_varint(block, place)
        size, place = read_varint(block, place)
        if shared > len(key) or place + more + size > end:
            raise ValueError("an entry lies outside of its block")
        key = key[:shared] + block[place : place + more]
        yield key, block[place + more : place + more + size]
        place += more + size


def uncompressed(data, limit=1 << 28):
    """The bytes that Snappy compressed, at most `limit`. Raises ValueError if the data are malformed.

    https://github.com/google/snappy/blob/main/format_description.txt
    """
    size, place = read_varint(data, 0)
    if size > limit:
        raise ValueError("a compressed block is too large")
    out = bytearray()
    while place < len(data):
        tag = data[place]
        place += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                extra = length - 59
                length = int.from_bytes(data[place : place + extra], "little")
                place += extra
            length += 1
            if place + length > len(data):
                raise ValueError("a compressed block ends too early")
            out += data[place : place + length]
            place += length
        else:
            if tag & 3 == 1:
                length, extra = (tag >> 2 & 7) + 4, 1
                offset = (tag >> 5) << 8
            else:
                length, extra, offset = (tag >> 2) + 1, 2 if tag & 3 == 2 else 4, 0
            if place + extra > len(data):
                raise ValueError("a compressed block ends too early")
            offset |= int.from_bytes(data[place : place + extra], "little")
            place += extra
            if not 0 < offset <= len(out):
                raise ValueError("a compressed block refers to what is not there")
            for _ in range(length):
                out.append(out[-offset])
        if len(out) > size:
            raise ValueError("a compressed block is longer than it says")
    if len(out) != size:
        raise ValueError("a compressed block is shorter than it says")
    return bytes(out)

"""Records as TFRecord and event files hold them: a length and its checksum, the data and their checksum."""

import struct

from tfcompat._formats import crc32c

HEAD, TAIL = 12, 4  # bytes around the data of a record
_MOST = 1 << 48  # bytes; a longer record is none


def framed(data):
    """The bytes of a record."""
    length = struct.pack("<Q", len(data))
    return b"".join((length, _stored(length), data, _stored(data)))


def _stored(data):
    return struct.pack("<I", crc32c.masked(data))


class Damaged(ValueError):
    """A checksum that does not match. `place` is that of what it is of."""

    def __init__(self, place):
        super().__init__(f"a damaged record at {place}")
        self.place = place


def read(buffer, start):
    """The record that begins at a place in a buffer, and where it ends.

    Returns:
      (bytes, end); (None, end) if the buffer ends before. If that is within the head, then `end` is that of the head.

    Raises:
      Damaged: a checksum does not match.
    """
    end = start + HEAD
    if end > len(buffer):
        return None, end
    length = buffer[start : start + 8]
    (size,) = struct.unpack("<Q", length)
    if buffer[start + 8 : end] != _stored(length) or size > _MOST:
        raise Damaged(start)
    begin, end = end, end + size + TAIL
    if end > len(buffer):
        return None, end
    data = buffer[begin : begin + size]
    if buffer[begin + size : end] != _stored(data):
        raise Damaged(begin)
    return data, end

"""The wire format of protocol buffers, read and written by hand: fields of varints, fixed numbers and bytes."""

from typing import Any

_MAX_VARINT = 10


def varint(value):
    """The bytes of a non-negative int."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data, place):
    """(value, next place); ValueError if the data end, or the number is too long."""
    value = shift = 0
    for count in range(_MAX_VARINT):
        if place >= len(data):
            raise ValueError("it ends within a number")
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, place
        shift += 7
        del count
    raise ValueError("a number is too long")


def field(number, value):
    """A field: bytes or str as they are, ints as varints; nothing for 0 and empty values."""
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, int):
        return varint(number << 3) + varint(value & 0xFFFFFFFFFFFFFFFF) if value else b""
    return varint(number << 3 | 2) + varint(len(value)) + value if value else b""


def message(number, value):
    """A field that holds a message, even if it is empty."""
    return varint(number << 3 | 2) + varint(len(value)) + value


def fixed32(number, value):
    """A field of four bytes."""
    return varint(number << 3 | 5) + value.to_bytes(4, "little")


def fields(data) -> Any:
    """Yields (number, value) of a message: an int, or bytes; ValueError if it is malformed."""
    place = 0
    while place < len(data):
        key, place = read_varint(data, place)
        kind = key & 7
        if kind == 0:
            value, place = read_varint(data, place)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            if place + size > len(data):
                raise ValueError("it ends within a field")
            value = int.from_bytes(data[place : place + size], "little")
            place += size
        elif kind == 2:
            size, place = read_varint(data, place)
            if place + size > len(data):
                raise ValueError("a field is longer than the message")
            value = bytes(data[place : place + size])
            place += size
        else:
            raise ValueError(f"wire type {kind}")
        yield key >> 3, value


def collected(data, **wanted) -> Any:
    """Fields by name; ValueError if one is of another type.

    Args:
      **wanted: the number of each field that is an int; its negative if it is bytes; (number,) if it is bytes and may
        be repeated, which gives a list.
    """
    result: dict[str, Any] = {name: [] if isinstance(number, tuple) else None for name, number in wanted.items()}
    names = {number[0] if isinstance(number, tuple) else abs(number): name for name, number in wanted.items()}
    for number, value in fields(data):
        name = names.get(number)
        if name is None:
            continue
        repeated = isinstance(wanted[name], tuple)
        if isinstance(value, int) == (repeated or wanted[name] < 0):
            raise ValueError(f"field {number} is of another type")
        if repeated:
            result[name].append(value)
        else:
            result[name] = value
    return result

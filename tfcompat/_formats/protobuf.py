"""Protocol buffers: one codec for all messages that are read or written here.

A message is a class with a table of its fields, rows of (number, name, kind). `encode` and `merge` follow the table;
so do the constructor, the text form and comparison. Objects behave as those of Python's `protobuf`, as far as
TensorFlow programs use them.

The encoding: https://protobuf.dev/programming-guides/encoding/
"""

import enum
import functools
import operator
import struct
import sys
from typing import Any

import numpy as np

_MAX_VARINT = 10  # bytes
_MAX_DEPTH = 100  # of messages in messages, as protobuf allows
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5  # wire types
_UNSIGNED = 0xFFFFFFFFFFFFFFFF


class DecodeError(ValueError):
    """Bytes that are no message. TF: `google.protobuf.message.DecodeError`."""


# --- numbers ----------------------------------------------------------------------------------------------------------


def varint(value):
    """The bytes of an int: seven bits a byte, the lowest first. Negative ones have ten bytes."""
    value &= _UNSIGNED
    if value < 0x80:
        return _ONE_BYTE[value]
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


_ONE_BYTE = [bytes([value]) for value in range(0x80)]


def read_varint(data, place):
    """(unsigned int, next place). Raises ValueError if the data end within it, or it is too long."""
    value = shift = 0
    for byte in data[place : place + _MAX_VARINT]:
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _UNSIGNED, place
        shift += 7
    raise ValueError("a number is too long" if shift == 7 * _MAX_VARINT else "it ends within a number")


def _signed(value):
    return value - (1 << 64) if value >> 63 else value


def _integer(low, high):
    def checked(value, path):
        if isinstance(value, bool):
            raise TypeError(f"Field {path}: Expected an int, got a boolean.")
        number = operator.index(value)
        if not low <= number < high:
            raise ValueError(f"Value out of range: {number}")
        return number

    return checked


def _float32(value, path):
    if isinstance(value, str | bytes):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(np.float32(value))


def _float64(value, path):
    if isinstance(value, str | bytes):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(value)


def _bytes(value, path):
    if not isinstance(value, bytes | bytearray):
        raise TypeError(f"expected bytes, {type(value).__name__} found")
    return bytes(value)


def _text(value, path):
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"bad argument type for built-in operation: {path} is text, got {value!r}")
    return value


class _Scalar:
    """How a kind of number or text is checked and stored.

    Args:
      wire: the wire type.
      default: the value of a field that is not set.
      checked: function of a value and the path of its field that returns the value as it is kept.
      code: that of `struct` and NumPy for a number of fixed size.
    """

    def __init__(self, wire, default, checked, code=""):
        self.wire, self.default, self.checked, self.code = wire, default, checked, code


_INT32, _INT64 = _integer(-(2**31), 2**31), _integer(-(2**63), 2**63)
_SCALARS: dict[Any, _Scalar] = {
    "int32": _Scalar(_VARINT, 0, _INT32),
    "int64": _Scalar(_VARINT, 0, _INT64),
    "sint32": _Scalar(_VARINT, 0, _INT32),
    "sint64": _Scalar(_VARINT, 0, _INT64),
    "uint32": _Scalar(_VARINT, 0, _integer(0, 2**32)),
    "uint64": _Scalar(_VARINT, 0, _integer(0, 2**64)),
    "enum": _Scalar(_VARINT, 0, _INT32),
    "bool": _Scalar(_VARINT, False, lambda value, path: bool(operator.index(value))),
    "fixed32": _Scalar(_FOUR_BYTES, 0, _integer(0, 2**32), "<I"),
    "fixed64": _Scalar(_EIGHT_BYTES, 0, _integer(0, 2**64), "<Q"),
    "sfixed32": _Scalar(_FOUR_BYTES, 0, _INT32, "<i"),
    "sfixed64": _Scalar(_EIGHT_BYTES, 0, _INT64, "<q"),
    "float": _Scalar(_FOUR_BYTES, 0.0, _float32, "<f"),
    "double": _Scalar(_EIGHT_BYTES, 0.0, _float64, "<d"),
    "bytes": _Scalar(_BYTES, b"", _bytes),
    "string": _Scalar(_BYTES, "", _text),
}
_ZIGZAG = frozenset(("sint32", "sint64"))


def _unsigned(kind, value):
    """An int as its varint is written: 0, -1, 1, -2 of a sint64 as 0, 1, 2, 3."""
    return value << 1 ^ value >> 63 if kind in _ZIGZAG else value


def _of_zigzag(value):
    return value >> 1 ^ -(value & 1)


_OF_UNSIGNED: dict[Any, Any] = {
    "uint32": int, "uint64": int, "bool": bool, "sint32": _of_zigzag, "sint64": _of_zigzag,
}  # fmt: skip


# --- tables -----------------------------------------------------------------------------------------------------------


class _Field:
    """A row of a table, ready for use."""

    def __init__(self, owner, number, name, kind: Any, oneof=None):
        self.number, self.name, self.oneof = number, name, oneof
        self.path = f"{owner.NAME}.{name}"
        self.repeated, self.key = isinstance(kind, list | tuple), None
        packed = isinstance(kind, list)
        if self.repeated:
            (kind,) = kind
        elif isinstance(kind, dict):
            ((key, kind),) = kind.items()
            self.key, self.value = _Field(owner, 1, "key", key), _Field(owner, 2, "value", kind)
        self.names, self.enum = {}, None
        if isinstance(kind, type) and issubclass(kind, enum.IntEnum):
            self.names, self.enum, kind = {member.value: member.name for member in kind}, kind, "enum"
        self.message: Any = None if isinstance(kind, str) else kind
        self.single = self.key is None and not self.repeated
        self.is_message = self.single and self.message is not None
        scalar = _SCALARS["bytes" if self.message else kind]
        self.kind, self.wire, self.code = kind, scalar.wire, scalar.code
        self.default, self.check = scalar.default, scalar.checked
        self.from_varint = _OF_UNSIGNED.get(kind, _signed) if self.wire == _VARINT else None
        self.packed = packed and self.wire != _BYTES
        self.tag = varint(number << 3 | (_BYTES if self.packed or self.key is not None else self.wire))
        self.others = []  # names of the other members of its oneof

    def checked(self, value):
        """A value as it is kept. Raises TypeError or ValueError if it does not fit."""
        if self.message is None:
            return self.check(value, self.path)
        if isinstance(value, self.message):
            return value
        if isinstance(value, dict):
            return self.message(**value)
        raise TypeError(
            "Parameter to initialize message field must be dict or instance of same class: expected "
            f"{self.message} got {type(value)}."
        )

    def new(self):
        """An empty value."""
        if self.key is not None:
            return _Map(self)
        if self.repeated:
            return _Scalars(self) if self.message is None else _Messages(self.message)
        return self.default if self.message is None else self.message()


class _Table:
    def __init__(self, owner):
        self.fields = sorted((_Field(owner, *row) for row in owner.FIELDS), key=lambda field: field.number)
        self.by_name = {field.name: field for field in self.fields}
        self.by_number = {field.number: field for field in self.fields}
        for field in self.fields:
            if field.oneof is not None:
                field.others = [each.name for each in self.fields if each.oneof == field.oneof and each is not field]


table_of = functools.cache(_Table)  # by class; made at first use, when the classes that tables refer to all exist


class _Messages(list):
    """A repeated field of messages."""

    def __init__(self, kind, items: Any = ()):
        super().__init__(items)
        self._kind = kind

    def add(self, **values):
        """Appends a new message, and returns it."""
        self.append(self._kind(**values))
        return self[-1]


_ARRAYS = {"float": "f4", "double": "f8", "int32": "i4", "int64": "i8", "uint32": "u4", "uint64": "u8", "bool": "?"}


class _Scalars(list):
    """A repeated field of numbers or text; what is added becomes what the field holds."""

    def __init__(self, field, items: Any = ()):
        super().__init__(items)
        self._field = field

    def append(self, value):
        super().append(self._field.checked(value))

    def extend(self, values):
        super().extend([self._field.checked(value) for value in values])

    def insert(self, place, value):
        super().insert(place, self._field.checked(value))

    def __setitem__(self, place, value):
        one = not isinstance(place, slice)
        super().__setitem__(place, self._field.checked(value) if one else list(map(self._field.checked, value)))

    def __array__(self, dtype=None, copy=None):
        known = _ARRAYS.get(self._field.kind)
        return np.array(list(self), known if dtype is None else dtype)

    def __reduce__(self):
        return list, (list(self),)


class _Map(dict):
    """A map; what it holds is made when it is first looked at."""

    def __init__(self, field, items: Any = ()):
        super().__init__()
        self._field = field
        for name, value in dict(items).items():
            super().__setitem__(self._name(name), field.checked(value))

    def _name(self, name):
        return self._field.key.checked(name)

    def __missing__(self, name):
        value = self._field.message() if self._field.message else self._field.default
        super().__setitem__(self._name(name), value)
        return value

    def __setitem__(self, name, value):
        if self._field.message:
            raise ValueError("May not set values directly, call my_map[key].foo = 5")
        super().__setitem__(self._name(name), self._field.checked(value))

    def update(self, items: Any = (), /, **named):
        for name, value in dict(items, **named).items():
            self[name] = value

    def GetEntryClass(self):
        """The class of a message of one key and its value."""
        return _entry_class(self._field)


@functools.cache
def _entry_class(field):
    rows = ((1, "key", field.key.kind), (2, "value", field.value.message or field.value.kind))
    return type("Entry", (Message,), {"NAME": f"{field.path}.Entry", "FIELDS": rows})


# --- the codec --------------------------------------------------------------------------------------------------------


def encode(message, deterministic=False):
    """The bytes of a message; maps in order of their keys if it is to be deterministic."""
    parts = []
    for field, value in message._present():
        if field.single:
            _write(parts, field, value, deterministic)
        elif field.key is not None:
            for name, each in sorted(value.items()) if deterministic else value.items():
                entry = []
                _write(entry, field.key, name, deterministic)
                _write(entry, field.value, each, deterministic)
                entry = b"".join(entry)
                parts += (field.tag, varint(len(entry)), entry)
        elif field.packed:
            packed = _packed(field, value)
            parts += (field.tag, varint(len(packed)), packed)
        else:
            for each in value:
                _write(parts, field, each, deterministic)
    return b"".join(parts)


def _write(parts, field, value, deterministic):
    """Appends the tag and bytes of one value."""
    if field.message is not None:
        value = encode(value, deterministic)
    else:
        value = field.check(value, field.path)
        if field.wire != _BYTES:
            parts += (field.tag, struct.pack(field.code, value) if field.code else varint(_unsigned(field.kind, value)))
            return
        if type(value) is str:
            value = value.encode()
    parts += (field.tag, varint(len(value)), value)


def _packed(field, values):
    if field.code:
        return np.array(values, field.code).tobytes()
    values = [field.check(value, field.path) for value in values]
    return bytes(values) if 0 <= min(values) and max(values) < 0x80 else b"".join(map(varint, values))


def merge(message, data):
    """Adds what the bytes of a message hold.

    Raises:
      DecodeError: they are no such message.
    """
    try:
        _merge(message, data if type(data) is bytes else bytes(memoryview(data)), 0)
    except ValueError as error:
        raise DecodeError(f"Error parsing message with type '{message.NAME}': {error}") from None


def _merge(message, data, depth):
    if depth > _MAX_DEPTH:
        raise ValueError("messages are nested too deeply")
    values, by_number = message.__dict__, table_of(type(message)).by_number
    for number, wire, value in _fields(data):
        field = by_number.get(number)
        if field is None:
            continue
        packed = field.repeated and wire == _BYTES != field.wire
        if wire != (_BYTES if packed or field.key is not None else field.wire):
            raise ValueError(f"field {number} is of another type")
        name = field.name
        if field.single:
            for other in field.others:
                values.pop(other, None)
            if field.message is None:
                values[name] = _decoded(field, value)
            else:
                if name not in values:
                    values[name] = field.message()
                values[name].__dict__.pop(_IMPLICIT, None)
                _merge(values[name], value, depth + 1)
            continue
        if name not in values:
            values[name] = field.new()
        if field.key is not None:
            _merge_entry(values[name], field, value, depth)
        elif packed:
            values[name] += _unpacked(field, value)
        elif field.message is None:
            values[name].append(_decoded(field, value))
        else:
            one = field.message()
            _merge(one, value, depth + 1)
            values[name].append(one)


def _fields(data) -> Any:
    """Yields (number of the field, wire type, its bytes or, of a varint, its value)."""
    place, end = 0, len(data)
    while place < end:
        key = data[place]
        if key < 0x80:
            place += 1
        else:
            key, place = read_varint(data, place)
        wire = key & 7
        if wire == _BYTES or wire == _VARINT:
            number = data[place] if place < end else 0x80
            if number < 0x80:
                place += 1
            else:
                number, place = read_varint(data, place)
            if wire == _VARINT:
                yield key >> 3, wire, number
                continue
        elif wire == _FOUR_BYTES or wire == _EIGHT_BYTES:
            number = 4 if wire == _FOUR_BYTES else 8
        else:
            raise ValueError(f"wire type {wire}")
        start, place = place, place + number
        if place > end:
            raise ValueError("a field is longer than the message")
        yield key >> 3, wire, data[start:place]


def _merge_entry(items, field, data, depth):
    """Adds an entry of a map, a message of a key and a value."""
    name, held = field.key.default, None
    for number, wire, value in _fields(data):
        if number == 1:
            if wire != field.key.wire:
                raise ValueError("field 1 is of another type")
            name = value.decode() if field.key.kind == "string" else _decoded(field.key, value)
        elif number == 2:
            if wire != field.wire:
                raise ValueError("field 2 is of another type")
            held = value
    if field.message is not None:
        one = field.message()
        _merge(one, held or b"", depth + 1)
    elif held is None:
        one = field.default
    else:
        one = held if field.kind == "bytes" else _decoded(field, held)
    dict.__setitem__(items, name, one)


def _decoded(field, value: Any):
    if field.from_varint is not None:
        return field.from_varint(value)
    if field.code:
        return struct.unpack(field.code, value)[0]
    return value.decode() if field.kind == "string" else value


def _unpacked(field, data):
    if field.code:
        return np.frombuffer(data, field.code).tolist()
    if data and max(data) < 0x80:
        return list(map(bool, data)) if field.kind == "bool" else list(data)
    values, place, end = [], 0, len(data)
    while place < end:
        value, place = read_varint(data, place)
        values.append(field.from_varint(value))
    return values


# --- messages as objects ----------------------------------------------------------------------------------------------

_IMPLICIT = "_implicit"  # attribute of a message within another that was looked at, but not set


describing: list = []  # a function of a class of messages to its descriptor, that of `described.py`


class _Descriptor:
    """The descriptor of a class of messages, where the package protobuf is installed."""

    def __get__(self, message, owner):
        try:
            return describing[0](owner)
        except ImportError:
            raise AttributeError("DESCRIPTOR") from None


class Message:
    """Base of messages.

    A subclass has a NAME, that of protobuf, and FIELDS: rows of (number, name, kind), or (number, name, kind, oneof)
    for the members of a oneof, of which one at most is set. A kind is the name of a scalar, an IntEnum, a subclass of
    this class, [kind] for a repeated field, (kind,) for one whose numbers are not packed, {"string": kind} for a map.

    Raises:
      ValueError: there is no such field; a number is out of range.
      TypeError: a value of another type.
    """

    NAME = ""
    FIELDS: tuple = ()
    DESCRIPTOR = _Descriptor()

    def __init__(self, **values):
        table = table_of(type(self)).by_name
        for name, value in values.items():
            field = table.get(name)
            if field is None:
                raise self._no_field(name)
            if value is None:
                continue
            if field.key is not None:
                value = _Map(field, value)
            elif field.repeated:
                value = value.tolist() if isinstance(value, np.ndarray) else value
                value = [field.checked(each) for each in value]
                value = _Scalars(field, value) if field.message is None else _Messages(field.message, value)
            else:
                value = field.checked(value)
            self.__dict__[name] = value

    def _no_field(self, name, error: type[Exception] = ValueError):
        return error(f'Protocol message {type(self).__name__} has no "{name}" field.')

    def __getattr__(self, name) -> Any:
        """The value of a field that is not set."""
        field = table_of(type(self)).by_name.get(name)
        if field is None:
            raise AttributeError(name)
        value = field.new()
        if field.message is not None or not field.single:
            if field.single:
                value.__dict__[_IMPLICIT] = True
            self.__dict__[name] = value
        return value

    def __setattr__(self, name, value):
        field = table_of(type(self)).by_name.get(name)
        if field is None:
            raise self._no_field(name, AttributeError)
        if field.message is not None or not field.single:
            what = "message field" if field.single else "map, or repeated field"
            raise AttributeError(f'Assignment not allowed to {what} "{name}" in protocol message object.')
        for other in field.others:
            self.__dict__.pop(other, None)
        self.__dict__[name] = field.checked(value)

    def _has(self, field):
        value = self.__dict__.get(field.name)
        if value is None:
            return False
        if field.is_message:
            return _IMPLICIT not in value.__dict__ or value._is_filled()
        return field.oneof is not None or bool(value)

    def _is_filled(self):
        return any(map(self._has, table_of(type(self)).fields))

    def _present(self):
        """Yields (field, value) of all that is set, in order of the fields' numbers."""
        values = self.__dict__
        for field in table_of(type(self)).fields:
            name = field.name
            if name in values and self._has(field):
                if any(other in values for other in field.others) and self._which(field.oneof) != name:
                    continue
                yield field, values[name]

    def ListFields(self):
        """List of (field with a `name`, value) of all that is set."""
        if "google.protobuf.text_format" in sys.modules:  # which asks the fields for more
            return [(self.DESCRIPTOR.fields_by_name[field.name], value) for field, value in self._present()]
        return list(self._present())

    def SetInParent(self):
        """Makes it set in the message that it is part of."""
        self.__dict__.pop(_IMPLICIT, None)

    def _which(self, oneof):
        fields = table_of(type(self)).by_name
        # The last one that was looked at or set.
        for name in reversed(self.__dict__):
            if name != _IMPLICIT and fields[name].oneof == oneof and self._has(fields[name]):
                return name
        return None

    def SerializeToString(self, deterministic=None):
        """The message as bytes."""
        return encode(self, bool(deterministic))

    def ByteSize(self):
        """The number of bytes it is serialized to."""
        return len(encode(self))

    @classmethod
    def FromString(cls, serialized):
        """The message that bytes hold. Raises DecodeError, a ValueError, if they hold none."""
        made = cls()
        made.MergeFromString(serialized)
        return made

    def ParseFromString(self, serialized):
        """Becomes the message that bytes hold; returns their number. Raises DecodeError if they hold none."""
        self.Clear()
        return self.MergeFromString(serialized)

    def MergeFromString(self, serialized):
        """Adds what bytes hold; returns their number. Raises DecodeError if they hold no such message."""
        if hasattr(serialized, "numpy"):
            serialized = serialized.numpy()
        merge(self, serialized)
        return len(serialized)

    def CopyFrom(self, other):
        """Becomes equal to another message of its class."""
        if type(other) is not type(self):
            raise TypeError(f"Parameter to CopyFrom() must be instance of same class: got {type(other)}.")
        self.ParseFromString(encode(other))

    def Clear(self):
        """Becomes empty."""
        self.__dict__.clear()

    def ClearField(self, field_name):
        """Sets a field to its default. Raises ValueError if there is no such field."""
        self._named(field_name)
        self.__dict__.pop(field_name, None)

    def HasField(self, field_name):
        """Whether a field is set that is a message, or member of a oneof. Raises ValueError if it is another."""
        field = self._named(field_name)
        if field.oneof is not None:
            return self._which(field.oneof) == field_name
        if field.message is None or not field.single:
            raise ValueError(f"Field {field.path} does not have presence.")
        return self._has(field)

    def WhichOneof(self, oneof_group):
        """The name of the member that is set of a oneof, or None. Raises ValueError if there is no such oneof."""
        group = oneof_group.decode() if isinstance(oneof_group, bytes) else oneof_group
        if all(field.oneof != group for field in table_of(type(self)).fields):
            raise self._no_field(group)
        return self._which(group)

    def _named(self, name):
        field = table_of(type(self)).by_name.get(name)
        if field is None:
            raise self._no_field(name)
        return field

    def __reduce__(self):
        return type(self).FromString, (encode(self),)

    def __eq__(self, other):
        if type(self) is not type(other):
            return False
        return [(f.name, v) for f, v in self._present()] == [(f.name, v) for f, v in other._present()]

    __hash__ = None  # type: ignore[assignment]

    def __str__(self):
        return "".join(f"{line}\n" for line in _lines(self, ""))

    __repr__ = __str__


# --- text -------------------------------------------------------------------------------------------------------------


def _lines(message, indent):
    """Yields the lines of the text form."""
    for field, value in message._present():
        if field.key is not None:
            for name, each in sorted(value.items()):
                yield f"{indent}{field.name} {{"
                yield f"{indent}  key: {_shown(field.key, name)}"
                yield from _lines_of_one(field, "value", each, indent + "  ")
                yield f"{indent}}}"
        else:
            for each in value if field.repeated else [value]:
                yield from _lines_of_one(field, field.name, each, indent)


def _lines_of_one(field, name, value, indent):
    if field.message is None:
        yield f"{indent}{name}: {_shown(field, value)}"
    else:
        yield f"{indent}{name} {{"
        yield from _lines(value, indent + "  ")
        yield f"{indent}}}"


_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}


def _shown(field, value):
    """A number or text, as protobuf's text form has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        return '"' + "".join(_ESCAPES.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in value) + '"'
    if isinstance(value, str):
        return '"' + "".join(_ESCAPES.get(ord(c)) or (c if ord(c) >= 32 else f"\\{ord(c):03o}") for c in value) + '"'
    if isinstance(value, float):
        short, long = (6, 9) if field.kind == "float" else (15, 17)
        text = f"{value:.{short}g}"
        return text if field.check(float(text), field.path) == value else f"{value:.{long}g}"
    return field.names.get(value) or str(value)

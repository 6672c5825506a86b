"""`tf.train.Example` and its parts: protocol buffers, read and written by hand.

Fields are filled by the constructor, or changed in place: `example.features.feature["x"].int64_list.value.append(3)`.
"""

from typing import Any

import numpy as np

from tfcompat.train._wire import fields, message, read_varint, varint


class DecodeError(ValueError):
    """Bytes that are no message. TF: `google.protobuf.message.DecodeError`."""


class Message:
    """Base of messages: equality, text, bytes."""

    _FIELDS: dict = {}  # name -> (number, kind); kind is a class, "map" or "list"

    def SerializeToString(self, deterministic=None):
        """The message as bytes."""
        raise NotImplementedError

    def _merge(self, data):
        raise NotImplementedError

    @classmethod
    def FromString(cls, serialized):
        """The message that bytes hold. Raises DecodeError, a ValueError, if they hold none."""
        result = cls()
        result.ParseFromString(serialized)
        return result

    def ParseFromString(self, serialized):
        """Becomes the message that bytes hold; returns their number. Raises DecodeError if they hold none."""
        self.Clear()
        return self.MergeFromString(serialized)

    def MergeFromString(self, serialized):
        """Adds what bytes hold; returns their number."""
        if hasattr(serialized, "numpy"):
            serialized = serialized.numpy()
        try:
            self._merge(bytes(serialized))
        except (ValueError, TypeError, AttributeError, IndexError, OverflowError) as error:
            raise DecodeError(f"Error parsing message with type '{self._NAME}': {error}") from None
        return len(serialized)

    def Clear(self):
        """Becomes empty."""
        self.__init__()

    def CopyFrom(self, other):
        """Becomes equal to another message."""
        self.ParseFromString(other.SerializeToString())

    def ByteSize(self):
        """The number of bytes it is serialized to."""
        return len(self.SerializeToString())

    def _lines(self, indent):
        raise NotImplementedError

    _NAME = ""

    def __str__(self):
        return "".join(f"{line}\n" for line in self._lines(""))

    __repr__ = __str__

    def __eq__(self, other):
        return type(self) is type(other) and self._key() == other._key()

    __hash__ = None  # type: ignore[assignment]

    def _key(self) -> Any:
        raise NotImplementedError


class _Values(Message):
    """A list of values of one kind."""

    def __init__(self, *, value=()):
        self.value = [self._checked(x) for x in value]

    def _checked(self, x) -> Any:
        return x

    def _key(self):
        return self.value

    def _lines(self, indent):
        return [f"{indent}value: {self._shown(x)}" for x in self.value]

    def _shown(self, x):
        return repr(x)


class BytesList(_Values):
    """A list of bytes. TF: `tf.train.BytesList`."""

    _NAME = "tensorflow.BytesList"

    def _checked(self, x):
        if isinstance(x, np.bytes_):
            return bytes(x)
        if not isinstance(x, bytes | bytearray):
            raise TypeError(f"{x!r} has type {type(x)}, but expected one of: (<class 'bytes'>,)")
        return bytes(x)

    def SerializeToString(self, deterministic=None):
        return b"".join(message(1, self._checked(x)) for x in self.value)

    def _merge(self, data):
        self.value += [value for number, value in fields(data) if number == 1]

    def _shown(self, x):
        text = "".join(
            {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}.get(c)
            or (chr(c) if 32 <= c < 127 else f"\\{c:03o}") for c in x
        )  # fmt: skip
        return f'"{text}"'


class FloatList(_Values):
    """A list of float32 numbers. TF: `tf.train.FloatList`."""

    _NAME = "tensorflow.FloatList"

    def _checked(self, x):
        return float(np.float32(x))

    def SerializeToString(self, deterministic=None):
        return message(1, np.array(self.value, "<f4").tobytes()) if self.value else b""

    def _merge(self, data):
        self.value += _floats(data).astype(np.float64).tolist()

    def _shown(self, x):
        return f"{x:.9g}" if float(np.float32(f"{x:.6g}")) != x else f"{x:.6g}"


class Int64List(_Values):
    """A list of int64 numbers. TF: `tf.train.Int64List`."""

    _NAME = "tensorflow.Int64List"

    def _checked(self, x):
        if isinstance(x, float | np.floating) or not hasattr(x, "__index__"):
            raise TypeError(f"{x!r} has type {type(x)}, but expected one of: (<class 'int'>,)")
        x = x.__index__()
        if not -(2**63) <= x < 2**63:
            raise ValueError(f"Value out of range: {x}")
        return x

    def SerializeToString(self, deterministic=None):
        packed = b"".join([varint(self._checked(x) & 0xFFFFFFFFFFFFFFFF) for x in self.value])
        return message(1, packed) if self.value else b""

    def _merge(self, data):
        self.value += _integers(data)


def _floats(data):
    """The numbers of a serialized FloatList, a float32 array."""
    if data and data[0] == 0x0A:  # packed, as everybody writes them
        size, at = read_varint(data, 1)
        if at + size == len(data) and not size % 4:
            return np.frombuffer(data, "<f4", offset=at)
    parts = [value if type(value) is bytes else value.to_bytes(4, "little") for n, value in fields(data) if n == 1]
    return np.frombuffer(b"".join(parts), "<f4")


def _integers(data):
    """The numbers of a serialized Int64List."""
    if len(data) == 3 and data[0] == 0x0A and data[1] == 1 and data[2] < 0x80:
        return [data[2]]
    found = []
    for number, value in fields(data):
        if number == 1 and type(value) is bytes:
            if len(value) and max(value) < 0x80:  # one byte each
                found += value
                continue
            place = 0
            while place < len(value):
                x, place = read_varint(value, place)
                found.append(x - (1 << 64) if x >> 63 else x)
        elif number == 1:
            found.append(value - (1 << 64) if value >> 63 else value)
    return found


class Feature(Message):
    """One of a BytesList, FloatList and Int64List. TF: `tf.train.Feature`."""

    _NAME = "tensorflow.Feature"
    _KINDS = {"bytes_list": (1, BytesList), "float_list": (2, FloatList), "int64_list": (3, Int64List)}

    def __init__(self, *, bytes_list=None, float_list=None, int64_list=None):
        self._lists = {}
        self._kind = None
        given = (("bytes_list", bytes_list), ("float_list", float_list), ("int64_list", int64_list))
        for name, value in given:
            if value is not None:
                if not isinstance(value, self._KINDS[name][1]):
                    raise TypeError(f"Parameter to initialize message field must be a {self._KINDS[name][1].__name__}: "
                                    f"{value!r}")  # fmt: skip
                self._lists, self._kind = {name: value}, name

    def _list(self, name):
        found = self._lists.get(name)
        if found is None:
            found = self._lists[name] = self._KINDS[name][1]()
        return found

    bytes_list = property(lambda self: self._list("bytes_list"))
    float_list = property(lambda self: self._list("float_list"))
    int64_list = property(lambda self: self._list("int64_list"))

    def WhichOneof(self, oneof_group):
        """The name of the list that is set, or None. `oneof_group` is "kind"."""
        if oneof_group not in ("kind", b"kind"):
            raise ValueError(f"Protocol message Feature has no oneof {oneof_group!r} field.")
        filled = [name for name, values in self._lists.items() if values.value]
        return filled[-1] if filled else self._kind

    def HasField(self, field_name):
        """Whether the list of that name is set."""
        if field_name not in self._KINDS:
            raise ValueError(f"Protocol message Feature has no field {field_name}.")
        return self.WhichOneof("kind") == field_name

    def SerializeToString(self, deterministic=None):
        kind = self.WhichOneof("kind")
        return message(self._KINDS[kind][0], self._lists[kind].SerializeToString()) if kind else b""

    def _merge(self, data):
        names = {number: name for name, (number, _) in self._KINDS.items()}
        for number, value in fields(data):
            name = names.get(number)
            if name is not None:
                if self._kind != name:
                    self._lists, self._kind = {name: self._KINDS[name][1]()}, name
                self._lists[name]._merge(value)

    def _key(self):
        kind = self.WhichOneof("kind")
        return kind, self._lists[kind].value if kind else None

    def _lines(self, indent):
        kind = self.WhichOneof("kind")
        if kind is None:
            return []
        return [f"{indent}{kind} {{", *self._lists[kind]._lines(f"{indent}  "), f"{indent}}}"]


class _Map(dict):
    """A map of messages, made when they are first looked at."""

    def __init__(self, kind, items):
        super().__init__()
        self._kind = kind
        for name, value in dict(items or {}).items():
            if not isinstance(value, kind):
                raise TypeError(f"Parameter to initialize a map must hold {kind.__name__}: {value!r}")
            super().__setitem__(_name(name), value)

    def __missing__(self, name):
        value = self._kind()
        super().__setitem__(_name(name), value)
        return value

    def __setitem__(self, name, value):
        raise ValueError("May not set values directly, call my_map[key].foo = 5")


def _name(name):
    if isinstance(name, bytes):
        name = name.decode()
    if not isinstance(name, str):
        raise TypeError(f"{name!r} has type {type(name)}, but expected one of: (<class 'str'>,)")
    return name


class _MapMessage(Message):
    """A message of one map."""

    _FIELD, _KIND = "", Message

    def _fill(self, items):
        setattr(self, self._FIELD, _Map(self._KIND, items))

    def _key(self):
        return dict(getattr(self, self._FIELD))

    def SerializeToString(self, deterministic=None):
        items = getattr(self, self._FIELD).items()
        return b"".join(
            message(1, message(1, name.encode()) + message(2, value.SerializeToString()))
            for name, value in (sorted(items) if deterministic else items)
        )

    def _merge(self, data):
        own = getattr(self, self._FIELD)
        for number, entry in fields(data):
            if number == 1:
                name, value = b"", b""
                for place, found in fields(entry):
                    if place == 1:
                        name = found
                    elif place == 2:
                        value = found
                made = self._KIND()
                made._merge(value)
                dict.__setitem__(own, name.decode(), made)

    def _lines(self, indent):
        lines = []
        for name, value in sorted(getattr(self, self._FIELD).items()):
            inner = [f'{indent}  key: "{name}"', f"{indent}  value {{", *value._lines(f"{indent}    "), f"{indent}  }}"]
            lines += [f"{indent}{self._FIELD} {{", *inner, f"{indent}}}"]
        return lines


class Features(_MapMessage):
    """Features by name. TF: `tf.train.Features`."""

    _NAME, _FIELD, _KIND = "tensorflow.Features", "feature", Feature

    def __init__(self, *, feature=None):
        self._fill(feature)


class FeatureList(Message):
    """A sequence of features. TF: `tf.train.FeatureList`."""

    _NAME = "tensorflow.FeatureList"

    def __init__(self, *, feature=()):
        self.feature = list(feature)

    def SerializeToString(self, deterministic=None):
        return b"".join(message(1, x.SerializeToString()) for x in self.feature)

    def _merge(self, data):
        self.feature += [Feature.FromString(value) for number, value in fields(data) if number == 1]

    def _key(self):
        return self.feature

    def _lines(self, indent):
        return [
            line for x in self.feature
            for line in (f"{indent}feature {{", *x._lines(f"{indent}  "), f"{indent}}}")
        ]  # fmt: skip


class FeatureLists(_MapMessage):
    """Sequences of features by name. TF: `tf.train.FeatureLists`."""

    _NAME, _FIELD, _KIND = "tensorflow.FeatureLists", "feature_list", FeatureList

    def __init__(self, *, feature_list=None):
        self._fill(feature_list)


class _Parts(Message):
    """A message of other messages."""

    _PARTS: tuple = ()

    def _fill(self, values):
        self._set = set()
        for name, _, kind in self._PARTS:
            value = values[name]
            if value is not None:
                if not isinstance(value, kind):
                    raise TypeError(f"Parameter to initialize message field must be a {kind.__name__}: {value!r}")
                self._set.add(name)
            setattr(self, name, kind() if value is None else value)

    def SerializeToString(self, deterministic=None):
        data = b""
        for name, number, _ in self._PARTS:
            part = getattr(self, name).SerializeToString(deterministic)
            if part or name in self._set:
                data += message(number, part)
        return data

    def _merge(self, data):
        names = {number: name for name, number, _ in self._PARTS}
        for number, value in fields(data):
            if number in names:
                getattr(self, names[number])._merge(value)
                self._set.add(names[number])

    def _key(self):
        return [getattr(self, name) for name, _, _ in self._PARTS]

    def _lines(self, indent):
        lines = []
        for name, _, _ in self._PARTS:
            inner = getattr(self, name)._lines(f"{indent}  ")
            if inner or name in self._set:
                lines += [f"{indent}{name} {{", *inner, f"{indent}}}"]
        return lines


class Example(_Parts):
    """Features of one example; what files of records usually hold. TF: `tf.train.Example`."""

    _NAME, _PARTS = "tensorflow.Example", (("features", 1, Features),)

    def __init__(self, *, features=None):
        self._fill({"features": features})


class SequenceExample(_Parts):
    """An example with sequences of features. TF: `tf.train.SequenceExample`."""

    _NAME = "tensorflow.SequenceExample"
    _PARTS = (("context", 1, Features), ("feature_lists", 2, FeatureLists))

    def __init__(self, *, context=None, feature_lists=None):
        self._fill({"context": context, "feature_lists": feature_lists})

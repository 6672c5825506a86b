"""Classes of messages that are described by a FileDescriptorSet, which `protoc --descriptor_set_out` writes.

https://github.com/protocolbuffers/protobuf/blob/main/src/google/protobuf/descriptor.proto
"""

from tfcompat._formats.protobuf import Message

_KINDS = {
    1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 6: "fixed64", 7: "fixed32", 8: "bool", 9: "string",
    12: "bytes", 13: "uint32", 14: "enum", 15: "sfixed32", 16: "sfixed64", 17: "sint32", 18: "sint64",
}  # fmt: skip
_ENUM, _MESSAGE, _REPEATED = 14, 11, 3


class _Options(Message):
    NAME = "google.protobuf.FieldOptions"
    FIELDS = ((2, "packed", "bool", "_packed"),)


class _Field(Message):
    NAME = "google.protobuf.FieldDescriptorProto"
    FIELDS = (
        (1, "name", "string"), (3, "number", "int32"), (4, "label", "enum"), (5, "type", "enum"),
        (6, "type_name", "string"), (7, "default_value", "string", "_default_value"), (8, "options", _Options),
    )  # fmt: skip


class _EnumValue(Message):
    NAME = "google.protobuf.EnumValueDescriptorProto"
    FIELDS = ((1, "name", "string"), (2, "number", "int32"))


class _Enum(Message):
    NAME = "google.protobuf.EnumDescriptorProto"
    FIELDS = ((1, "name", "string"), (2, "value", [_EnumValue]))


class _Described(Message):
    NAME = "google.protobuf.DescriptorProto"


_Described.FIELDS = (
    (1, "name", "string"), (2, "field", [_Field]), (3, "nested_type", [_Described]), (4, "enum_type", [_Enum]),
)  # fmt: skip


class _File(Message):
    NAME = "google.protobuf.FileDescriptorProto"
    FIELDS = (
        (2, "package", "string"), (4, "message_type", [_Described]), (5, "enum_type", [_Enum]),
        (12, "syntax", "string"),
    )  # fmt: skip


class _FileSet(Message):
    NAME = "google.protobuf.FileDescriptorSet"
    FIELDS = ((1, "file", [_File]),)


def messages_of(data):
    """The classes of the messages that a FileDescriptorSet describes, by their full names.

    A field that is not repeated is a oneof of its own: zero, too, is written where it is set. `DEFAULTS` of a class are
    the values of fields that are not set, where they are no zeros.

    Args:
      data: bytes.

    Raises:
      ValueError: no FileDescriptorSet, or one with fields of unknown types, which groups are, too.
    """
    made, bodies, enums = {}, [], {}
    for file in _FileSet.FromString(data).file:
        _collect(file, file.package, file.message_type, file.syntax == "proto3", made, bodies, enums)
    for cls, body, packs in bodies:
        cls.FIELDS = tuple([_row(field, packs, made) for field in body.field])
        cls.DEFAULTS = {
            field.name: _default(field, enums) for field in body.field if field.HasField("default_value")
        }  # fmt: skip
    return made


def _collect(scope, prefix, types, packs, made, bodies, enums):
    for each in scope.enum_type:
        enums[_joined(prefix, each.name)] = {value.name: value.number for value in each.value}
    for each in types:
        name = _joined(prefix, each.name)
        made[name] = type(each.name, (Message,), {"NAME": name, "DEFAULTS": {}})
        bodies.append((made[name], each, packs))
        _collect(each, name, each.nested_type, packs, made, bodies, enums)


def _joined(prefix, name):
    return f"{prefix}.{name}" if prefix else name


def _row(field, packs, made):
    kind = made.get(field.type_name.lstrip(".")) if field.type == _MESSAGE else _KINDS.get(field.type)
    if kind is None:
        raise ValueError(f"the field {field.name} is of an unknown type, {field.type_name or field.type}")
    if field.label != _REPEATED:
        return field.number, field.name, kind, f"_{field.name}"
    packed = field.options.packed if field.options.HasField("packed") else packs
    return field.number, field.name, [kind] if packed else (kind,)


def _default(field, enums):
    text, kind = field.default_value, _KINDS.get(field.type)
    if field.type == _ENUM:
        return enums.get(field.type_name.lstrip("."), {}).get(text, 0)
    if kind in ("double", "float"):
        return float(text)
    if kind == "string":
        return text
    if kind == "bytes":
        return text.encode().decode("unicode_escape").encode("latin1")
    return text == "true" if kind == "bool" else int(text)

"""tensorflow/core/protobuf/struct_pb2.py.

Where the package protobuf is installed, the classes are protobuf's, made from tfcompat's tables: programs that import
them write and read them by `google.protobuf.text_format`. Elsewhere they are tfcompat's own messages.
"""

from tfcompat._formats import protobuf as _protobuf
from tfcompat.saved_model import _messages

_PACKAGE = "tensorflow"


def _made(own):
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError:
        return own
    file = descriptor_pb2.FileDescriptorProto(name="tfcompat_struct.proto", package=_PACKAGE, syntax="proto3")
    _describe(own, file, set())
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{_flat(own)}"))


def _flat(message):
    return message.NAME.removeprefix(f"{_PACKAGE}.").replace(".", "_")


def _describe(message, file, done):
    """Adds the description of a message to that of a file, with those of the messages in it."""
    if _flat(message) in done:
        return
    done.add(_flat(message))
    described = file.message_type.add(name=_flat(message))
    oneofs = []
    for field in _protobuf.table_of(message).fields:
        row = described.field.add(name=field.name, number=field.number)
        row.label = row.LABEL_OPTIONAL if field.single else row.LABEL_REPEATED
        if field.key is not None:
            entry = described.nested_type.add(name=field.name.title() + "Entry")
            entry.options.map_entry = True
            for part in (field.key, field.value):
                inner = entry.field.add(name=part.name, number=part.number, label=row.LABEL_OPTIONAL)
                _give_type(inner, part, file, done)
            row.type, row.type_name = row.TYPE_MESSAGE, f".{_PACKAGE}.{_flat(message)}.{entry.name}"
        else:
            _give_type(row, field, file, done)
        if field.oneof is not None:
            if field.oneof not in oneofs:
                oneofs.append(field.oneof)
                described.oneof_decl.add(name=field.oneof)
            row.oneof_index = oneofs.index(field.oneof)


def _give_type(row, field, file, done):
    if field.message is not None:
        row.type, row.type_name = row.TYPE_MESSAGE, f".{_PACKAGE}.{_flat(field.message)}"
        _describe(field.message, file, done)
    elif field.names:
        row.type, row.type_name = row.TYPE_ENUM, f".{_PACKAGE}.DataType"
        if "DataType" not in done:
            done.add("DataType")
            listed = file.enum_type.add(name="DataType")
            for number, name in sorted({0: "DT_INVALID", **field.names}.items()):
                listed.value.add(name=name, number=number)
    else:
        row.type = row.TYPE_INT32 if field.kind == "enum" else getattr(row, f"TYPE_{field.kind.upper()}")


StructuredValue = _made(_messages.StructuredValue)

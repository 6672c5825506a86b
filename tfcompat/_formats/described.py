"""Descriptors of messages, as the package protobuf has them: its `text_format` reads and writes messages by them.

The package is needed for nothing else. Nested messages have names of their own, with "_" between the parts.
"""

import functools

from tfcompat._formats.protobuf import describing, table_of

_PACKAGE = "tensorflow"


@functools.cache
def descriptor_of(message):
    """The `google.protobuf.descriptor.Descriptor` of a class of messages. ImportError where protobuf is missing."""
    from google.protobuf import descriptor_pb2, descriptor_pool

    file = descriptor_pb2.FileDescriptorProto(name="tfcompat.proto", package=_PACKAGE, syntax="proto3")
    _describe(message, file, set())
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return pool.FindMessageTypeByName(f"{_PACKAGE}.{_flat(message)}")


def _flat(message):
    return message.NAME.removeprefix(f"{_PACKAGE}.").replace(".", "_")


def _describe(message, file, done):
    """Adds the description of a message to that of a file, with those of the messages in it."""
    if _flat(message) in done:
        return
    done.add(_flat(message))
    described = file.message_type.add(name=_flat(message))
    oneofs = []
    for field in table_of(message).fields:
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
        # Names of values are unique in the scope around an enum, so each has a scope of its own.
        name = field.enum.__name__
        row.type, row.type_name = row.TYPE_ENUM, f".{_PACKAGE}.Of{name}.{name}"
        if name not in done:
            done.add(name)
            listed = file.message_type.add(name=f"Of{name}").enum_type.add(name=name)
            values = {0: "DT_INVALID", **field.names}  # of the data types alone, none is zero
            for number in sorted(values, key=lambda number: (number != 0, number)):
                listed.value.add(name=values[number], number=number)
    else:
        row.type = row.TYPE_INT32 if field.kind == "enum" else getattr(row, f"TYPE_{field.kind.upper()}")


describing.append(descriptor_of)

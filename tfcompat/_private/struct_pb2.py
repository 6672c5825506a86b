"""tensorflow/core/protobuf/struct_pb2.py.

Where the package protobuf is installed, the classes are protobuf's, made from tfcompat's tables: programs that import
them write and read them by `google.protobuf.text_format`. Elsewhere they are tfcompat's own messages.
"""

from tfcompat._formats import described as _described
from tfcompat.saved_model import _messages


def _made(own):
    try:
        from google.protobuf import message_factory
    except ImportError:
        return own
    return message_factory.GetMessageClass(_described.descriptor_of(own))


StructuredValue = _made(_messages.StructuredValue)

"""tensorflow/python/saved_model/nested_structure_coder.py: nests of specifications as messages."""

from tfcompat._private.struct_pb2 import StructuredValue as _StructuredValue
from tfcompat.errors import UnimplementedError
from tfcompat.saved_model import _messages, _structured


class NotEncodableError(Exception):
    """There is no message for an object."""


def encode_structure(nested_structure):
    """The `struct_pb2.StructuredValue` of a nest of specifications, shapes, dtypes, numbers, texts and None.

    Raises:
      NotEncodableError: something else is in it.
    """
    try:
        message = _structured.encode(nested_structure, exact=True)
    except UnimplementedError as error:
        raise NotEncodableError(
            f"No encoder for object {nested_structure} of type {type(nested_structure)}. {error.message}"
        ) from None
    return _StructuredValue.FromString(message.SerializeToString())


def decode_proto(proto):
    """The nest of a `struct_pb2.StructuredValue`; named tuples are of new classes."""
    return _structured.decode(_messages.StructuredValue.FromString(proto.SerializeToString()))


def can_encode(nested_structure):
    """Whether `encode_structure` takes it."""
    try:
        encode_structure(nested_structure)
    except NotEncodableError:
        return False
    return True


def register_codec(codec):
    """Takes a codec of saved structures; tfcompat's SavedModels do not use any."""

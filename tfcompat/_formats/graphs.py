"""Graphs of operations as messages: nodes, functions, libraries of functions.

https://github.com/tensorflow/tensorflow/tree/v2.21.0/tensorflow/core/framework
"""

from tfcompat._formats.protobuf import Message
from tfcompat._formats.tensors import DataType, TensorProto, TensorShapeProto


class VersionDef(Message):
    """Who wrote something, and who may read it."""

    NAME = "tensorflow.VersionDef"
    FIELDS = ((1, "producer", "int32"), (2, "min_consumer", "int32"), (3, "bad_consumers", ["int32"]))


class AttrValue(Message):
    """The value of an attribute of an operation, one of its fields."""

    NAME = "tensorflow.AttrValue"


class ListValue(Message):
    """The value of an attribute that is a list."""

    NAME = "tensorflow.AttrValue.ListValue"


class NameAttrList(Message):
    """A function by name, with its attributes."""

    NAME = "tensorflow.NameAttrList"
    FIELDS = ((1, "name", "string"), (2, "attr", {"string": AttrValue}))


ListValue.FIELDS = (
    (2, "s", ["bytes"]), (3, "i", ["int64"]), (4, "f", ["float"]), (5, "b", ["bool"]), (6, "type", [DataType]),
    (7, "shape", [TensorShapeProto]), (8, "tensor", [TensorProto]), (9, "func", [NameAttrList]),
)  # fmt: skip
AttrValue.FIELDS = (
    (1, "list", ListValue, "value"), (2, "s", "bytes", "value"), (3, "i", "int64", "value"),
    (4, "f", "float", "value"), (5, "b", "bool", "value"), (6, "type", DataType, "value"),
    (7, "shape", TensorShapeProto, "value"), (8, "tensor", TensorProto, "value"),
    (9, "placeholder", "string", "value"), (10, "func", NameAttrList, "value"),
)  # fmt: skip


class NodeDef(Message):
    """An operation in a graph. TF: `tf.compat.v1.NodeDef`."""

    NAME = "tensorflow.NodeDef"
    FIELDS = (
        (1, "name", "string"), (2, "op", "string"), (3, "input", ["string"]), (4, "device", "string"),
        (5, "attr", {"string": AttrValue}), (7, "experimental_type", "bytes"),  # a message that is handed on only
    )  # fmt: skip


class _DtypeAndShape(Message):
    NAME = "tensorflow.ResourceHandleProto.DtypeAndShape"
    FIELDS = ((1, "dtype", DataType), (2, "shape", TensorShapeProto), (4, "type", "bytes"))


class ArgDef(Message):
    """An argument or result of an operation or function."""

    NAME = "tensorflow.OpDef.ArgDef"
    FIELDS = (
        (1, "name", "string"), (2, "description", "string"), (3, "type", DataType), (4, "type_attr", "string"),
        (5, "number_attr", "string"), (6, "type_list_attr", "string"), (7, "handle_data", [_DtypeAndShape]),
        (16, "is_ref", "bool"), (17, "experimental_full_type", "bytes"),
    )  # fmt: skip


class AttrDef(Message):
    """An attribute that an operation has."""

    NAME = "tensorflow.OpDef.AttrDef"
    FIELDS = (
        (1, "name", "string"), (2, "type", "string"), (3, "default_value", AttrValue), (4, "description", "string"),
        (5, "has_minimum", "bool"), (6, "minimum", "int64"), (7, "allowed_values", AttrValue),
    )  # fmt: skip


class OpDef(Message):
    """What an operation, or a function, takes and returns."""

    NAME = "tensorflow.OpDef"
    FIELDS = (
        (1, "name", "string"), (2, "input_arg", [ArgDef]), (3, "output_arg", [ArgDef]), (4, "attr", [AttrDef]),
        (5, "summary", "string"), (6, "description", "string"), (16, "is_aggregate", "bool"),
        (17, "is_stateful", "bool"), (18, "is_commutative", "bool"), (19, "allows_uninitialized_input", "bool"),
        (20, "control_output", ["string"]), (21, "is_distributed_communication", "bool"),
    )  # fmt: skip


class OpList(Message):
    """Several OpDefs."""

    NAME = "tensorflow.OpList"
    FIELDS = ((1, "op", [OpDef]),)


class ArgAttrs(Message):
    """Attributes of an argument of a function."""

    NAME = "tensorflow.FunctionDef.ArgAttrs"
    FIELDS = ((1, "attr", {"string": AttrValue}),)


class FunctionDef(Message):
    """A function: its signature, its operations, and which of their results it returns."""

    NAME = "tensorflow.FunctionDef"
    FIELDS = (
        (1, "signature", OpDef), (3, "node_def", [NodeDef]), (4, "ret", {"string": "string"}),
        (5, "attr", {"string": AttrValue}), (6, "control_ret", {"string": "string"}),
        (7, "arg_attr", {"uint32": ArgAttrs}), (8, "resource_arg_unique_id", {"uint32": "uint32"}),
    )  # fmt: skip


class GradientDef(Message):
    """The function that is the gradient of another."""

    NAME = "tensorflow.GradientDef"
    FIELDS = ((1, "function_name", "string"), (2, "gradient_func", "string"))


class RegisteredGradient(Message):
    """The function that is the gradient of operations with a mark."""

    NAME = "tensorflow.RegisteredGradient"
    FIELDS = ((1, "gradient_func", "string"), (2, "registered_op_type", "string"))


class FunctionDefLibrary(Message):
    """The functions of a graph."""

    NAME = "tensorflow.FunctionDefLibrary"
    FIELDS = (
        (1, "function", [FunctionDef]), (2, "gradient", [GradientDef]),
        (3, "registered_gradients", [RegisteredGradient]),
    )  # fmt: skip


class GraphDef(Message):
    """A graph of operations. TF: `tf.compat.v1.GraphDef`."""

    NAME = "tensorflow.GraphDef"
    FIELDS = (
        (1, "node", [NodeDef]), (2, "library", FunctionDefLibrary), (3, "version", "int32"),
        (4, "versions", VersionDef),
    )  # fmt: skip

"""The messages of `saved_model.pb`: the graph with its signatures, and the objects that were saved.

https://github.com/tensorflow/tensorflow/tree/v2.21.0/tensorflow/core/protobuf
"""

from tfcompat._formats.graphs import GraphDef, OpList, VersionDef
from tfcompat._formats.protobuf import Message
from tfcompat._formats.tensors import DataType, TensorProto, TensorShapeProto
from tfcompat.train._objects import ObjectReference, SlotVariableReference


class StructuredValue(Message):
    """A nest of tensor specifications and Python values."""

    NAME = "tensorflow.StructuredValue"


class NoneValue(Message):
    """None."""

    NAME = "tensorflow.NoneValue"


class TensorSpecProto(Message):
    """A TensorSpec."""

    NAME = "tensorflow.TensorSpecProto"
    FIELDS = ((1, "name", "string"), (2, "shape", TensorShapeProto), (3, "dtype", DataType))


class BoundedTensorSpecProto(Message):
    """A TensorSpec with bounds."""

    NAME = "tensorflow.BoundedTensorSpecProto"
    FIELDS = (
        (1, "name", "string"), (2, "shape", TensorShapeProto), (3, "dtype", DataType), (4, "minimum", TensorProto),
        (5, "maximum", TensorProto),
    )  # fmt: skip


class TypeSpecProto(Message):
    """A TypeSpec of another kind: its class, and what its `_serialize` returned."""

    NAME = "tensorflow.TypeSpecProto"
    FIELDS = (
        (1, "type_spec_class", "enum"), (2, "type_state", StructuredValue), (3, "type_spec_class_name", "string"),
        (4, "num_flat_components", "int32"),
    )  # fmt: skip


class ListOfValues(Message):
    """A list."""

    NAME = "tensorflow.ListValue"
    FIELDS = ((1, "values", [StructuredValue]),)


class TupleOfValues(Message):
    """A tuple."""

    NAME = "tensorflow.TupleValue"
    FIELDS = ((1, "values", [StructuredValue]),)


class DictOfValues(Message):
    """A dict with keys of text."""

    NAME = "tensorflow.DictValue"
    FIELDS = ((1, "fields", {"string": StructuredValue}),)


class Pair(Message):
    """A field of a named tuple."""

    NAME = "tensorflow.PairValue"
    FIELDS = ((1, "key", "string"), (2, "value", StructuredValue))


class NamedTupleOfValues(Message):
    """A named tuple."""

    NAME = "tensorflow.NamedTupleValue"
    FIELDS = ((1, "name", "string"), (2, "values", [Pair]))


StructuredValue.FIELDS = (
    (1, "none_value", NoneValue, "kind"), (11, "float64_value", "double", "kind"),
    (12, "int64_value", "sint64", "kind"), (13, "string_value", "string", "kind"), (14, "bool_value", "bool", "kind"),
    (31, "tensor_shape_value", TensorShapeProto, "kind"), (32, "tensor_dtype_value", DataType, "kind"),
    (33, "tensor_spec_value", TensorSpecProto, "kind"), (34, "type_spec_value", TypeSpecProto, "kind"),
    (35, "bounded_tensor_spec_value", BoundedTensorSpecProto, "kind"), (51, "list_value", ListOfValues, "kind"),
    (52, "tuple_value", TupleOfValues, "kind"), (53, "dict_value", DictOfValues, "kind"),
    (54, "named_tuple_value", NamedTupleOfValues, "kind"), (55, "tensor_value", TensorProto, "kind"),
    (56, "numpy_value", TensorProto, "kind"),
)  # fmt: skip


class SavedUserObject(Message):
    """An object of a class known by its identifier."""

    NAME = "tensorflow.SavedUserObject"
    FIELDS = ((1, "identifier", "string"), (2, "version", VersionDef), (3, "metadata", "string"))


class SavedAsset(Message):
    """A file beside the graph."""

    NAME = "tensorflow.SavedAsset"
    FIELDS = ((1, "asset_file_def_index", "int32"),)


class FunctionSpec(Message):
    """The Python signature of a function."""

    NAME = "tensorflow.FunctionSpec"
    FIELDS = (
        (1, "fullargspec", StructuredValue), (2, "is_method", "bool"), (5, "input_signature", StructuredValue),
        (6, "jit_compile", "enum"),
    )  # fmt: skip


class SavedFunction(Message):
    """A function of several signatures, by the names of the functions in the graph's library."""

    NAME = "tensorflow.SavedFunction"
    FIELDS = ((1, "concrete_functions", ["string"]), (2, "function_spec", FunctionSpec))


class SavedBareConcreteFunction(Message):
    """A function of one signature, which takes tensors by name."""

    NAME = "tensorflow.SavedBareConcreteFunction"
    FIELDS = (
        (1, "concrete_function_name", "string"), (2, "argument_keywords", ["string"]),
        (3, "allowed_positional_arguments", "int64"), (4, "function_spec", FunctionSpec),
    )  # fmt: skip


class SavedVariable(Message):
    """A variable; its value is in the checkpoint."""

    NAME = "tensorflow.SavedVariable"
    FIELDS = (
        (1, "dtype", DataType), (2, "shape", TensorShapeProto), (3, "trainable", "bool"),
        (4, "synchronization", "enum"), (5, "aggregation", "enum"), (6, "name", "string"), (7, "device", "string"),
    )  # fmt: skip


class SavedConstant(Message):
    """A tensor, by the name of a node of the graph."""

    NAME = "tensorflow.SavedConstant"
    FIELDS = ((1, "operation", "string"),)


class SavedResource(Message):
    """Something that functions of its own make and fill: a table."""

    NAME = "tensorflow.SavedResource"
    FIELDS = ((1, "device", "string"),)


class CapturedTensor(Message):
    """A tensor within a function, which its gradient uses."""

    NAME = "tensorflow.CapturedTensor"
    FIELDS = ((1, "name", "string"), (2, "concrete_function", "string"))


class SaveableObject(Message):
    """The functions that save and restore a part of an object."""

    NAME = "tensorflow.SaveableObject"
    FIELDS = ((2, "save_function", "int32"), (3, "restore_function", "int32"))


class SavedObject(Message):
    """An object and what it holds."""

    NAME = "tensorflow.SavedObject"
    FIELDS = (
        (1, "children", [ObjectReference]), (3, "slot_variables", [SlotVariableReference]),
        (4, "user_object", SavedUserObject, "kind"), (5, "asset", SavedAsset, "kind"),
        (6, "function", SavedFunction, "kind"), (7, "variable", SavedVariable, "kind"),
        (8, "bare_concrete_function", SavedBareConcreteFunction, "kind"), (9, "constant", SavedConstant, "kind"),
        (10, "resource", SavedResource, "kind"), (11, "saveable_objects", {"string": SaveableObject}),
        (12, "captured_tensor", CapturedTensor, "kind"), (13, "registered_name", "string"),
        (15, "dependencies", [ObjectReference]), (16, "registered_saver", "string"),
    )  # fmt: skip


class SavedConcreteFunction(Message):
    """A function of the library: which objects its last arguments are, and its signature."""

    NAME = "tensorflow.SavedConcreteFunction"
    FIELDS = (
        (2, "bound_inputs", ["int32"]), (3, "canonicalized_input_signature", StructuredValue),
        (4, "output_signature", StructuredValue),
    )  # fmt: skip


class SavedObjectGraph(Message):
    """All objects; the first is the one that was saved."""

    NAME = "tensorflow.SavedObjectGraph"
    FIELDS = ((1, "nodes", [SavedObject]), (2, "concrete_functions", {"string": SavedConcreteFunction}))


class CooSparse(Message):
    """A sparse tensor by the names of its components."""

    NAME = "tensorflow.TensorInfo.CooSparse"
    FIELDS = (
        (1, "values_tensor_name", "string"), (2, "indices_tensor_name", "string"),
        (3, "dense_shape_tensor_name", "string"),
    )  # fmt: skip


class TensorInfo(Message):
    """A tensor of the graph, by name."""

    NAME = "tensorflow.TensorInfo"


class CompositeTensorInfo(Message):
    """A tensor of several components."""

    NAME = "tensorflow.TensorInfo.CompositeTensor"
    FIELDS = ((1, "type_spec", TypeSpecProto), (2, "components", [TensorInfo]))


TensorInfo.FIELDS = (
    (1, "name", "string", "encoding"), (2, "dtype", DataType), (3, "tensor_shape", TensorShapeProto),
    (4, "coo_sparse", CooSparse, "encoding"), (5, "composite_tensor", CompositeTensorInfo, "encoding"),
)  # fmt: skip


class SignatureDef(Message):
    """What is fed to the graph and fetched from it."""

    NAME = "tensorflow.SignatureDef"
    FIELDS = (
        (1, "inputs", {"string": TensorInfo}), (2, "outputs", {"string": TensorInfo}), (3, "method_name", "string"),
        (4, "defaults", {"string": TensorProto}),
    )  # fmt: skip


class AssetFileDef(Message):
    """A file in the folder `assets`, and the tensor that holds its path."""

    NAME = "tensorflow.AssetFileDef"
    FIELDS = ((1, "tensor_info", TensorInfo), (2, "filename", "string"))


class SaverDef(Message):
    """The nodes that save and restore the variables of the graph."""

    NAME = "tensorflow.SaverDef"
    FIELDS = (
        (1, "filename_tensor_name", "string"), (2, "save_tensor_name", "string"), (3, "restore_op_name", "string"),
        (4, "max_to_keep", "int32"), (5, "sharded", "bool"), (6, "keep_checkpoint_every_n_hours", "float"),
        (7, "version", "enum"),
    )  # fmt: skip


class NodeList(Message):
    """Names of nodes."""

    NAME = "tensorflow.CollectionDef.NodeList"
    FIELDS = ((1, "value", ["string"]),)


class BytesList(Message):
    """Messages as bytes."""

    NAME = "tensorflow.CollectionDef.BytesList"
    FIELDS = ((1, "value", ["bytes"]),)


class Int64List(Message):
    """Integers."""

    NAME = "tensorflow.CollectionDef.Int64List"
    FIELDS = ((1, "value", ["int64"]),)


class FloatList(Message):
    """Floats."""

    NAME = "tensorflow.CollectionDef.FloatList"
    FIELDS = ((1, "value", ["float"]),)


class CollectionDef(Message):
    """A collection of a graph of TensorFlow 1."""

    NAME = "tensorflow.CollectionDef"
    FIELDS = (
        (1, "node_list", NodeList, "kind"), (2, "bytes_list", BytesList, "kind"),
        (3, "int64_list", Int64List, "kind"), (4, "float_list", FloatList, "kind"),
    )  # fmt: skip


class MetaInfoDef(Message):
    """What a graph is for, and the operations in it."""

    NAME = "tensorflow.MetaGraphDef.MetaInfoDef"
    FIELDS = (
        (1, "meta_graph_version", "string"), (2, "stripped_op_list", OpList), (4, "tags", ["string"]),
        (5, "tensorflow_version", "string"), (6, "tensorflow_git_version", "string"),
        (7, "stripped_default_attrs", "bool"), (8, "function_aliases", {"string": "string"}),
    )  # fmt: skip


class MetaGraphDef(Message):
    """A graph with all that belongs to it."""

    NAME = "tensorflow.MetaGraphDef"
    FIELDS = (
        (1, "meta_info_def", MetaInfoDef), (2, "graph_def", GraphDef), (3, "saver_def", SaverDef),
        (4, "collection_def", {"string": CollectionDef}), (5, "signature_def", {"string": SignatureDef}),
        (6, "asset_file_def", [AssetFileDef]), (7, "object_graph_def", SavedObjectGraph),
    )  # fmt: skip


class SavedModel(Message):
    """The file `saved_model.pb`."""

    NAME = "tensorflow.SavedModel"
    FIELDS = ((1, "saved_model_schema_version", "int64"), (2, "meta_graphs", [MetaGraphDef]))


class VariableDef(Message):
    """A variable of a graph of TensorFlow 1, in its collections."""

    NAME = "tensorflow.VariableDef"
    FIELDS = (
        (1, "variable_name", "string"), (2, "initializer_name", "string"), (3, "snapshot_name", "string"),
        (5, "is_resource", "bool"), (6, "initial_value_name", "string"), (7, "trainable", "bool"),
    )  # fmt: skip


class FingerprintDef(Message):
    """The file `fingerprint.pb`: hashes of what the model consists of."""

    NAME = "tensorflow.FingerprintDef"
    FIELDS = (
        (1, "saved_model_checksum", "uint64"), (2, "graph_def_program_hash", "uint64"),
        (3, "signature_def_hash", "uint64"), (4, "saved_object_graph_hash", "uint64"),
        (5, "checkpoint_hash", "uint64"), (6, "version", VersionDef), (7, "uuid", "string"),
    )  # fmt: skip

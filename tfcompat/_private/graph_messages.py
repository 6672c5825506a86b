"""tensorflow/core/framework: graph_pb2.py, node_def_pb2.py, attr_value_pb2.py; core/protobuf: meta_graph_pb2.py, ..."""
from tfcompat._formats.graphs import AttrValue as AttrValue
from tfcompat._formats.graphs import FunctionDef as FunctionDef
from tfcompat._formats.graphs import FunctionDefLibrary as FunctionDefLibrary
from tfcompat._formats.graphs import GraphDef as GraphDef
from tfcompat._formats.graphs import NameAttrList as NameAttrList
from tfcompat._formats.graphs import NodeDef as NodeDef
from tfcompat._formats.graphs import VersionDef as VersionDef
from tfcompat.saved_model._messages import CollectionDef as CollectionDef
from tfcompat.saved_model._messages import MetaGraphDef as MetaGraphDef
from tfcompat.saved_model._messages import SavedModel as SavedModel
from tfcompat.saved_model._messages import SaverDef as SaverDef
from tfcompat.saved_model._messages import SignatureDef as SignatureDef
from tfcompat.saved_model._messages import TensorInfo as TensorInfo
from tfcompat.saved_model._messages import VariableDef as VariableDef

"""`tf.compat.v1.train.export_meta_graph`: graphs with their collections, in files."""

import os

import numpy as np

import tfcompat as tf
from tfcompat import dtypes
from tfcompat._core import graphs
from tfcompat._core.graph_variables import GraphVariable
from tfcompat._core.graphs import GraphTensor, Operation
from tfcompat._formats.damage import refusing
from tfcompat._formats.graphs import GraphDef
from tfcompat._formats.protobuf import DecodeError
from tfcompat._formats.texts import from_text
from tfcompat._formats.whole import Replacing
from tfcompat._package.logging import logger
from tfcompat.compat._scopes import get_default_graph
from tfcompat.errors import UnimplementedError
from tfcompat.saved_model._body import Body, Value
from tfcompat.saved_model._messages import (
    BytesList,
    CollectionDef,
    FloatList,
    Int64List,
    MetaGraphDef,
    MetaInfoDef,
    NodeList,
    SaverDef,
    VariableDef,
)

_LIMIT = 2 << 30  # bytes of a file, that of protocol buffers
OF_VARIABLES = frozenset(
    "variables trainable_variables local_variables model_variables moving_average_variables metric_variables "
    "concatenated_variables global_step saveable_objects trainable_resource_variables".split()
)
LEFT_OUT = frozenset(("cond_context", "while_context", "savers", "queue_runners"))


def read_message(path, kind):
    """A message in a file, of bytes or in the text form; OSError if the file holds none."""
    path = os.fspath(path)
    if not os.path.exists(path):
        raise OSError(f"File does not exist. Received: {path}.")
    if os.path.getsize(path) > _LIMIT:
        raise OSError(f"Cannot parse file {path}: it is too large")
    with open(path, "rb") as file, refusing(f"Cannot parse file {path}: it", OSError):
        data = file.read()
        try:
            return kind.FromString(data)
        except DecodeError:
            return from_text(kind, data.decode())


# --- writing ----------------------------------------------------------------------------------------------------------


def meta_graph_of(graph, variables=None, tags=(), saver=None, collections=None, with_nodes=True):
    """The MetaGraphDef of a graph.

    Args:
      graph: the graph.
      variables: dict from names in checkpoints to the variables that the nodes of a saver are written for; None for no
        such nodes.
      tags: list of str.
      saver: SaverDef whose numbers are taken.
      collections: names of those that are written; by default all.
      with_nodes: False for no nodes at all.

    Raises:
      tf.errors.UnimplementedError: see `tf.Graph.as_graph_def`.
    """
    graph_def = graph.as_graph_def() if with_nodes else GraphDef()
    made = MetaGraphDef(meta_info_def=MetaInfoDef(
        tags=list(tags), tensorflow_version=tf.__version__, tensorflow_git_version="unknown",
    ))  # fmt: skip
    if variables:
        made.saver_def.CopyFrom(_saver_nodes(graph_def, variables, saver))
    made.graph_def.CopyFrom(graph_def)
    for key in graph.get_all_collection_keys() if collections is None else collections:
        if key in LEFT_OUT:
            continue
        written = _collection(graph.get_collection(key))
        if written is None:
            logger.warning("export_meta_graph: the collection %r holds what cannot be written, and is left out", key)
        else:
            dict.__setitem__(made.collection_def, key, written)
    return made


def _collection(items):
    """The CollectionDef of a list; None if there is something else in it."""
    if items and all(isinstance(x, GraphVariable) for x in items):
        return CollectionDef(bytes_list=BytesList(value=[variable_def(x).SerializeToString() for x in items]))
    if all(isinstance(x, GraphTensor | Operation | GraphVariable) for x in items):
        return CollectionDef(node_list=NodeList(value=[x.name for x in items]))
    if all(isinstance(x, str | bytes) for x in items):
        values = [x.encode() if isinstance(x, str) else x for x in items]
        return CollectionDef(bytes_list=BytesList(value=values))
    if all(isinstance(x, int | np.integer) for x in items):
        return CollectionDef(int64_list=Int64List(value=[int(x) for x in items]))
    if all(isinstance(x, float | np.floating) for x in items):
        return CollectionDef(float_list=FloatList(value=[float(x) for x in items]))
    return None


def variable_def(variable):
    """The VariableDef of a variable of a graph."""
    initializer, initial = variable._initializer, variable._initial_value
    return VariableDef(
        variable_name=f"{variable.op.name}:0", initializer_name="" if initializer is None else initializer.name,
        snapshot_name=variable.value_in_graph.name, is_resource=True, trainable=variable.trainable,
        initial_value_name="" if initial is None else initial.name,
    )  # fmt: skip


def _saver_nodes(graph_def, variables, saver):
    """Adds the nodes that save and restore variables, as TensorFlow's Saver has them; their SaverDef."""
    taken = {node.name for node in graph_def.node}
    number = 0
    while (scope := f"save_{number}" if number else "save") + "/Const" in taken:
        number += 1
    body = Body()
    body._counts.update(dict.fromkeys(taken, 0))

    def named(name):
        body.nodes[-1].name = f"{scope}/{name}"
        return body.nodes[-1].name

    def added(name, op, *inputs, **attributes):
        made = body.op(op, *inputs, **attributes)
        node = named(name)
        return Value(node, made.dtype) if isinstance(made, Value) else node

    def constant(name, value, dtype):
        return added(name, "Const", dtype=dtype, value=tf.make_tensor_proto(value, dtype))

    names = sorted(variables)
    text = [name.encode() for name in names]
    default = constant("filename/input", b"model", dtypes.string)
    path = added("filename", "PlaceholderWithDefault", default, shape=[])
    path = added("Const", "PlaceholderWithDefault", path, shape=[])
    slices = [b""] * len(names)
    where = [constant("SaveV2/tensor_names", text, dtypes.string),
             constant("SaveV2/shape_and_slices", slices, dtypes.string)]  # fmt: skip
    handles = [Value(variables[name].op.name, dtypes.resource) for name in names]
    values = []
    for i, (name, handle) in enumerate(zip(names, handles, strict=True)):
        values.append(added(_numbered("Read/ReadVariableOp", i), "ReadVariableOp", handle, dtype=variables[name].dtype))
    body.op("SaveV2", path, *where, values)
    saved = named("SaveV2")
    added("control_dependency", "Identity", path, after=[saved])
    where = [constant("RestoreV2/tensor_names", text, dtypes.string),
             constant("RestoreV2/shape_and_slices", slices, dtypes.string)]  # fmt: skip
    body.op("RestoreV2", path, *where, dtypes=[variables[name].dtype for name in names])
    restored, assigned = named("RestoreV2"), []
    for i, (name, handle) in enumerate(zip(names, handles, strict=True)):
        dtype = variables[name].dtype
        value = added(_numbered("Identity", i), "Identity", Value(f"{restored}:{i}" if i else restored, dtype))
        body.op("AssignVariableOp", handle, value, dtype=dtype)
        assigned.append(named(_numbered("AssignVariableOp", i)))
    body.op("NoOp", after=assigned)
    named("restore_all")
    graph_def.node.extend(body.nodes)
    numbers = saver or SaverDef(max_to_keep=5, keep_checkpoint_every_n_hours=10000.0)
    return SaverDef(
        filename_tensor_name=f"{scope}/Const:0", save_tensor_name=f"{scope}/control_dependency:0",
        restore_op_name=f"{scope}/restore_all", version=2, max_to_keep=numbers.max_to_keep,
        keep_checkpoint_every_n_hours=numbers.keep_checkpoint_every_n_hours,
    )  # fmt: skip


def _numbered(name, i):
    return f"{name}_{i}" if i else name


def export_meta_graph(filename=None, meta_info_def=None, graph_def=None, saver_def=None, collection_list=None,
                      as_text=False, graph=None, export_scope=None, clear_devices=False,
                      clear_extraneous_savers=False, strip_default_attrs=False, save_debug_info=False):  # fmt: skip
    """A graph with its collections as a MetaGraphDef, also written to a file.

    Args:
      filename: of the file, or None.
      saver_def: SaverDef to be noted in it.
      collection_list: names of the collections that are written; by default all.
      as_text: whether the file has the text form.
      graph: the graph, by default the default one.
      meta_info_def, graph_def, export_scope: must be None.
      clear_devices, clear_extraneous_savers, strip_default_attrs, save_debug_info: of no effect.

    Raises:
      RuntimeError: eagerly, as in TF.
      tf.errors.UnimplementedError: see `tf.Graph.as_graph_def`.

    TF: `tf.compat.v1.train.export_meta_graph`.
    """
    given = {"meta_info_def": meta_info_def, "graph_def": graph_def, "export_scope": export_scope}
    for name, value in given.items():
        if value is not None:
            raise UnimplementedError(
                None, None, f"tf.compat.v1.train.export_meta_graph: {name} is not available in tfcompat: leave it out"
            )
    refuse_eagerly("Exporting")
    made = meta_graph_of(graph or get_default_graph(), collections=collection_list)
    if saver_def is not None:
        made.saver_def.CopyFrom(saver_def)
    if filename is not None:
        write_message(filename, made, as_text)
    return made


def write_message(path, message, as_text=False):
    """Writes a message to a file."""
    with Replacing(os.fspath(path)) as file:
        file.write(str(message).encode() if as_text else message.SerializeToString())


def refuse_eagerly(what):
    if graphs.current() is None:
        raise RuntimeError(
            f"{what}/importing meta graphs is not supported when eager execution is enabled. No graph exists when "
            "eager execution is enabled."
        )

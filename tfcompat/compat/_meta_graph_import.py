"""`tf.compat.v1.train.import_meta_graph`: graphs with their collections, from files."""

from tfcompat._core import graphs
from tfcompat.compat._graph_import import import_graph_def
from tfcompat.compat._meta_graphs import LEFT_OUT, OF_VARIABLES, read_message, refuse_eagerly
from tfcompat.compat._saver import Saver
from tfcompat.saved_model._graph_functions import array_of
from tfcompat.saved_model._messages import MetaGraphDef, VariableDef


def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs):
    """Adds a graph in a file, with its collections, to the default graph.

    Args:
      meta_graph_or_file: MetaGraphDef, or the path of a file with one.
      clear_devices: of no effect: XLA places operations.
      import_scope: prefix of the names.
      **kwargs: further arguments of the Saver.

    Returns:
      The Saver of the variables that the graph has one for, else of all; None if there are no variables.

    Raises:
      RuntimeError: eagerly, as in TF.
      OSError: the file does not exist, or holds something else.
      what `tf.import_graph_def` raises.

    TF: `tf.compat.v1.train.import_meta_graph`. Nothing outside of the file is read, and nodes that read or write files
    are not run: the Saver does so.
    """
    refuse_eagerly("Importing")
    return imported_meta_graph(meta_graph_or_file, import_scope, **kwargs)


def imported_meta_graph(meta_graph_or_file, import_scope=None, **kwargs):
    """See `import_meta_graph`."""
    meta = meta_graph_or_file
    if not isinstance(meta, MetaGraphDef):
        meta = read_message(meta, MetaGraphDef)
    graph = graphs.current()
    import_graph_def(meta.graph_def, name=import_scope or "")
    prefix = f"{import_scope}/" if import_scope else ""
    variables = {}
    for key, collection in meta.collection_def.items():
        for item in _items(graph, key, collection, prefix, variables):
            graph.add_to_collection(key, item)
    saved = _saved_variables(graph, meta, prefix)
    if saved is None and not graph.get_collection("variables"):
        return None
    if meta.HasField("saver_def"):
        kwargs.setdefault("max_to_keep", meta.saver_def.max_to_keep)
    return Saver(saved, **kwargs)


def _items(graph, key, collection, prefix, variables):
    """Yields what is in a collection."""
    kind = collection.WhichOneof("kind")
    if key in LEFT_OUT or kind is None:
        return
    values = getattr(collection, kind).value
    if kind != "bytes_list":
        for value in values:
            if kind != "node_list":
                yield value
            else:
                mark = "^" if value.startswith("^") else ""
                yield graph.as_graph_element(f"{prefix}{value.removeprefix(mark)}")
        return
    for value in values:
        found = _defined(graph, value, prefix, variables) if key in OF_VARIABLES else None
        if found is not None:
            yield found
        elif key not in OF_VARIABLES:
            yield value


def _defined(graph, serialized, prefix, variables):
    """The variable that a VariableDef describes."""
    proto = VariableDef.FromString(serialized)
    name = f"{prefix}{proto.variable_name}"
    if name not in variables:
        handle = graph.get_tensor_by_name(name)
        if handle not in graph.held_by:
            return None
        variables[name] = made = graph.held_by[handle]

        def tensor(name):
            return graph.get_tensor_by_name(f"{prefix}{name}") if name else None

        named = proto.initializer_name
        initializer = graph.get_operation_by_name(f"{prefix}{named}") if named else None
        if hasattr(made, "define"):
            made.define(initializer, tensor(proto.initial_value_name), tensor(proto.snapshot_name), proto.trainable)
    return variables[name]


def _saved_variables(graph, meta, prefix):
    """Dict from names in checkpoints to variables, as the nodes of a SaverDef say; None if there are no such nodes."""
    name = f"{prefix}{meta.saver_def.restore_op_name}"
    if not meta.HasField("saver_def") or name not in graph.by_name:
        return None
    found, seen, todo = {}, set(), [graph.by_name[name]]
    while todo:
        op = todo.pop()
        if op in seen:
            continue
        seen.add(op)
        todo += [*op.control_inputs, *(x.op for x in op.inputs)]
        if op.type not in ("AssignVariableOp", "Assign") or op.inputs[0] not in graph.held_by:
            continue
        value = op.inputs[1]
        while value.op.type in ("Identity", "Reshape", "Cast"):
            value = value.op.inputs[0]
        if value.op.type == "RestoreV2" and value.op.inputs[1].op.type == "Const":
            keys = array_of(value.op.inputs[1].op.node.attr["value"].tensor).reshape(-1)
            if value.value_index < len(keys):
                found[keys[value.value_index].decode()] = graph.held_by[op.inputs[0]]
    return found or None

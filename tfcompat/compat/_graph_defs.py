"""Functions on GraphDefs: `tf.compat.v1.graph_util`, and constants in the place of variables."""

import copy

import numpy as np

from tfcompat import dtypes
from tfcompat._core import graphs
from tfcompat._formats.graphs import AttrValue, GraphDef, NodeDef
from tfcompat._formats.tensors import proto_of
from tfcompat._package.logging import logger
from tfcompat.compat._graph_import import VARIABLES
from tfcompat.saved_model._body import attribute
from tfcompat.saved_model._frames import name_of


def _checked(graph_def, caller):
    if not isinstance(graph_def, GraphDef):
        raise TypeError(f"graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}. [{caller}]")


def _reached(by_name, names):
    """The names of the nodes that some nodes need, and theirs."""
    found, todo = set(), list(names)
    while todo:
        name = todo.pop()
        if name not in found and name in by_name:
            found.add(name)
            todo += map(name_of, by_name[name].input)
    return found


def extract_sub_graph(graph_def, dest_nodes):
    """The nodes of a GraphDef that some nodes need.

    Args:
      graph_def: GraphDef.
      dest_nodes: list of names.

    Raises:
      TypeError: `graph_def` is none, or `dest_nodes` a str.
      AssertionError: there is no such node.

    TF: `tf.compat.v1.graph_util.extract_sub_graph`.
    """
    _checked(graph_def, "extract_sub_graph")
    if isinstance(dest_nodes, str):
        raise TypeError(f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}")
    by_name = {node.name: node for node in graph_def.node}
    for name in dest_nodes:
        assert name in by_name, f"{name} is not in graph"
    kept = _reached(by_name, dest_nodes)
    made = GraphDef(node=[copy.deepcopy(node) for node in graph_def.node if node.name in kept])
    made.library.CopyFrom(graph_def.library)
    made.versions.CopyFrom(graph_def.versions)
    return made


def remove_training_nodes(input_graph, protected_nodes=None):
    """A GraphDef without checks, and without what only passes a tensor on.

    Args:
      input_graph: GraphDef.
      protected_nodes: names of nodes that stay.

    TF: `tf.compat.v1.graph_util.remove_training_nodes`.
    """
    protected = set(protected_nodes or ())
    checks = [node for node in input_graph.node if node.op == "CheckNumerics" and node.name not in protected]
    removed_checks = {node.name: node.input[0] for node in checks}
    kept = [node for node in input_graph.node if node.name not in removed_checks]
    control = {name_of(s) for node in kept for s in node.input if s.startswith("^")}
    passed = dict(removed_checks)
    for node in kept:
        if node.op in ("Identity", "StopGradient") and node.name not in protected and node.name not in control:
            if len(node.input) == 1 and not node.input[0].startswith("^"):
                passed[node.name] = node.input[0]

    def source(text):
        while name_of(text) in passed and not text.startswith("^"):
            text = passed[name_of(text)]
        return text

    made = GraphDef()
    for node in kept:
        if node.name in passed:
            continue
        one = copy.deepcopy(node)
        one.ClearField("input")
        one.input.extend(source(text) for text in node.input if name_of(text) not in removed_checks or text[0] != "^")
        made.node.append(one)
    made.library.CopyFrom(input_graph.library)
    made.versions.CopyFrom(input_graph.versions)
    return made


def must_run_on_cpu(node, pin_variables_on_cpu=False):
    """Whether TensorFlow 1 places a node on a CPU: it has text or, if asked, variables.

    Args:
      node: operation or NodeDef.
      pin_variables_on_cpu: bool.

    TF: `tf.compat.v1.graph_util.must_run_on_cpu`.
    """
    definition = getattr(node, "node_def", node)
    if pin_variables_on_cpu and definition.op in VARIABLES:
        return True
    if definition.op == "Const":
        return definition.attr["dtype"].type in (dtypes.string.as_datatype_enum, dtypes.int32.as_datatype_enum)
    told_by = {"DynamicStitch": "T", "ParallelDynamicStitch": "T", "Cast": "SrcT"}.get(definition.op)
    return told_by is not None and definition.attr[told_by].type == dtypes.int32.as_datatype_enum


def tensor_shape_from_node_def_name(graph, input_name):
    """The shape of a tensor, by its name. TF: `tf.compat.v1.graph_util.tensor_shape_from_node_def_name`."""
    name = input_name if ":" in input_name else f"{input_name}:0"
    return graph.get_tensor_by_name(name.removeprefix("^")).shape


def convert_variables_to_constants(sess, input_graph_def, output_node_names, variable_names_whitelist=None,
                                   variable_names_blacklist=None):  # fmt: skip
    """The nodes of a GraphDef that some nodes need, with the values of variables in a session as constants.

    Args:
      sess: Session.
      input_graph_def: GraphDef.
      output_node_names: list of names of nodes.
      variable_names_whitelist: names of the variables that become constants; by default all.
      variable_names_blacklist: names of variables that do not.

    Raises:
      AssertionError: there is no such node.
      tf.errors.FailedPreconditionError: a variable has no value.

    TF: `tf.compat.v1.graph_util.convert_variables_to_constants`.
    """
    graph_def = extract_sub_graph(input_graph_def, output_node_names)
    names = {}
    for node in graph_def.node:
        if node.op in VARIABLES:
            shared = node.attr["shared_name"].s.decode() if "shared_name" in node.attr else ""
            names[node.name] = shared or node.name
    allowed = None if variable_names_whitelist is None else set(variable_names_whitelist)
    barred = set(variable_names_blacklist or ())
    names = {node: name for node, name in names.items()
             if (allowed is None or name in allowed) and name not in barred}  # fmt: skip
    by_name = {getattr(x, "shared", x._name): x for x in _variables_of(sess.graph)}
    missing = [name for name in names.values() if name not in by_name]
    if missing:
        raise ValueError(f"The graph of the session has no variable {missing[0]!r}")
    values = sess.values_of([by_name[name] for name in names.values()])
    logger.info("Froze %d variables.", len(names))
    return with_constants(graph_def, dict(zip(names, values, strict=True)))


def _variables_of(graph):
    known = {x for op in graph.get_operations() for x in op.variables if isinstance(x, graphs.Recorded)}
    return [*known, *graph.held_by.values()]


def with_constants(graph_def, values):
    """A GraphDef with constants in the place of variables.

    Args:
      graph_def: GraphDef.
      values: dict from names of nodes that make variables, or stand for their handles, to arrays.

    Raises:
      ValueError: something else than reading is done with such a variable.
    """
    made = GraphDef()
    made.library.CopyFrom(graph_def.library)
    made.versions.CopyFrom(graph_def.versions)
    handles = {name: name for name in values}  # -> what they are handles of
    by_name = {node.name: node for node in graph_def.node}
    changed = True
    while changed:  # what passes a handle on
        changed = False
        for node in graph_def.node:
            if node.op == "Identity" and node.name not in handles and name_of(node.input[0]) in handles:
                if by_name[name_of(node.input[0])].op not in ("VariableV2", "Variable"):
                    handles[node.name], changed = handles[name_of(node.input[0])], True
    for node in graph_def.node:
        one = copy.deepcopy(node)
        taken = [name_of(source) for source in node.input if not source.startswith("^")]
        if node.name in values:
            dtype = dtypes.from_numpy(np.asarray(values[node.name]).dtype)
            one = NodeDef(name=node.name, op="Const")
            dict.__setitem__(one.attr, "dtype", attribute("type", dtype))
            value = AttrValue(tensor=proto_of(np.asarray(values[node.name]), dtype))
            dict.__setitem__(one.attr, "value", value)
        elif taken and taken[0] in handles and by_name[handles[taken[0]]].op not in ("VariableV2", "Variable"):
            dtype = dtypes.from_numpy(np.asarray(values[handles[taken[0]]]).dtype)
            if node.op == "ResourceGather":
                one = _gather(made, one, dtype)
            elif node.op not in ("ReadVariableOp", "Identity"):
                raise ValueError(
                    f"Cannot find the variable that is an input to the {node.op} {node.name!r}: it may only be read"
                )
            else:
                one = NodeDef(name=node.name, op="Identity", input=list(node.input))
                dict.__setitem__(one.attr, "T", attribute("type", dtype))
        made.node.append(one)
    return made


def _gather(made, node, dtype):
    """`ResourceGather` of a constant."""
    axis = NodeDef(name=f"{node.name}/axis", op="Const")
    dict.__setitem__(axis.attr, "dtype", attribute("type", dtypes.int32))
    dict.__setitem__(axis.attr, "value", AttrValue(tensor=proto_of(np.int32(0), dtypes.int32)))
    made.node.append(axis)
    gather = NodeDef(name=node.name, op="GatherV2", input=[*node.input[:2], axis.name, *node.input[2:]])
    kinds = {"Tparams": attribute("type", dtype), "Taxis": attribute("type", dtypes.int32)}
    for name, value in (kinds | {name: node.attr[name] for name in ("Tindices", "batch_dims")}).items():
        dict.__setitem__(gather.attr, name, value)
    return gather


"""The graph of objects in a checkpoint: which object holds which, under what name.

https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/protobuf/trackable_object_graph.proto
"""

import collections

from tfcompat._core.containers import is_saved
from tfcompat._core.dependencies import SavesTensors, object_graph
from tfcompat._core.module import Module
from tfcompat._core.variable import Variable, variable_behind
from tfcompat._formats.protobuf import Message

VALUE = "VARIABLE_VALUE"
GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


class ObjectReference(Message):
    """An object that another one holds, and the name it has there."""

    NAME = "tensorflow.TrackableObjectGraph.TrackableObject.ObjectReference"
    FIELDS = ((1, "node_id", "int32"), (2, "local_name", "string"))


class _Value(Message):
    NAME = "tensorflow.TrackableObjectGraph.TrackableObject.SerializedTensor"
    FIELDS = ((1, "name", "string"), (2, "full_name", "string"), (3, "checkpoint_key", "string"))


class SlotVariableReference(Message):
    """A variable that an optimizer keeps beside another."""

    NAME = "tensorflow.TrackableObjectGraph.TrackableObject.SlotVariableReference"
    FIELDS = (
        (1, "original_variable_node_id", "int32"), (2, "slot_name", "string"), (3, "slot_variable_node_id", "int32"),
    )  # fmt: skip


class _BoolValue(Message):
    NAME = "google.protobuf.BoolValue"
    FIELDS = ((1, "value", "bool"),)


class _Object(Message):
    NAME = "tensorflow.TrackableObjectGraph.TrackableObject"
    FIELDS = (
        (1, "children", [ObjectReference]), (2, "attributes", [_Value]),
        (3, "slot_variables", [SlotVariableReference]), (5, "has_checkpoint_values", _BoolValue),
    )  # fmt: skip


class _ObjectGraph(Message):
    NAME = "tensorflow.TrackableObjectGraph"
    FIELDS = ((1, "nodes", [_Object]),)


def children(obj):
    """List of (name, object) that `obj` holds, with variables in place of those that other packages make of them."""
    return [(name, variable_behind(child)) for name, child in _children(obj)]


def _children(obj):
    """List of (name, object) that `obj` holds and a checkpoint saves; names are TensorFlow's.

    Raises:
      ValueError: a dict with variables has keys other than strings.
    """
    if _names_its_children(obj):
        return obj._checkpoint_children()
    if isinstance(obj, Variable):
        return []
    if isinstance(obj, dict):
        trackables = [(k, v) for k, v in obj.items() if is_trackable(v)]
        if any(not isinstance(k, str) for k, _ in trackables):
            raise ValueError(
                f"Unable to save the object {obj!r}: it contains a non-string key which maps to a trackable object."
            )
        return trackables
    if isinstance(obj, list | tuple):
        return [(str(i), x) for i, x in enumerate(obj) if is_trackable(x)]
    if isinstance(obj, Module):
        return attribute_children(obj)
    state = getattr(obj, "_state_var", None)
    return [("_state_var", state)] if isinstance(state, Variable) else []


def attribute_children(obj):
    """List of (name, object) of the attributes of an object that a checkpoint saves."""
    attributes, passed_over = vars(obj), getattr(obj, "_unsaved_attributes", ())
    named = dict(attributes.get("_dependencies", ()))
    names = {id(v): k for k, v in named.items() if isinstance(v, Variable)}
    unseen = attributes.get("_untracked_names", ())
    saved = {}
    for k, v in attributes.items():
        if k not in passed_over and k not in unseen and is_trackable(v):
            first = names.get(id(v), k)  # the name given to `add_weight` comes before the attribute
            saved |= {first: named.pop(first, v), k: v}
    return list((saved | named).items())


def _names_its_children(x):
    """Whether the class of `x` has the method that lists what a checkpoint of it saves."""
    return hasattr(type(x), "_checkpoint_children")


def is_trackable(x):
    """Whether a checkpoint saves `x`, or what it holds."""
    if is_saved(x):
        return True
    if isinstance(x, dict):
        return any(map(is_trackable, x.values()))
    return isinstance(x, list | tuple) and any(map(is_trackable, x))


object_graph.children, object_graph.is_trackable = children, is_trackable


def walk(root):
    """All objects, breadth first: (objects, ids by identity, shortest paths, children by number)."""
    objects, numbers, held = [root], {id(root): 0}, []
    paths: list[tuple] = [()]
    queue = collections.deque([0])
    while queue:
        number = queue.popleft()
        children_held = []
        for name, child in children(objects[number]):
            if id(child) not in numbers:
                numbers[id(child)] = len(objects)
                objects.append(child)
                paths.append((*paths[number], name))
                queue.append(numbers[id(child)])
            children_held.append((name, numbers[id(child)]))
        held.append(children_held)
    return objects, paths, held


def _escaped(name):
    return name.replace(".", "..").replace("/", ".S")


def _key(path, attribute):
    return "/".join([*([path] if path else []), ".ATTRIBUTES", attribute])


def _saved_as(obj):
    """The name under which an object's own value is saved; None if it has none."""
    if isinstance(obj, Variable):
        return VALUE
    return obj._saved_as if isinstance(obj, SavesTensors) else None


def has_value(obj):
    """Whether a checkpoint saves a value of the object itself."""
    return _saved_as(obj) is not None


def described(root):
    """(the graph as TensorFlow's TrackableObjectGraph, {key: variable, or pair of a DType and an array})."""
    objects, paths, held = walk(root)
    texts = ["/".join(map(_escaped, path)) for path in paths]
    slots = _slots_among(objects, texts)
    held += [[] for _ in range(len(objects) - len(held))]
    names = list(map(_saved_as, objects))
    values, nodes = {}, []
    for path, name, obj in zip(texts, names, objects, strict=True):
        if isinstance(obj, Variable):
            values[_key(path, name)] = obj
        elif name is not None:
            for ending, value in zip(obj._saved_endings, obj._saved_tensors(), strict=True):
                values[_key(path, name) + ending] = value
    has_values = [name is not None for name in names]
    for _ in objects:  # an object has values if one below it has, at any depth
        before = list(has_values)
        has_values = [h or any(has_values[c] for _, c in held[i]) for i, h in enumerate(has_values)]
        if before == has_values:
            break
    for i, obj in enumerate(objects):
        node = _Object(has_checkpoint_values=_BoolValue(value=has_values[i]))
        for name, number in held[i]:
            node.children.add(node_id=number, local_name=name)
        full_name = {"full_name": obj.name.removesuffix(":0")} if isinstance(obj, Variable) else {}
        if names[i] is not None:
            node.attributes.add(name=names[i], checkpoint_key=_key(texts[i], names[i]), **full_name)
        for variable, name, slot in slots.get(i, ()):
            node.slot_variables.add(
                original_variable_node_id=variable, slot_name=name, slot_variable_node_id=slot
            )
        nodes.append(node)
    return _ObjectGraph(nodes=nodes).SerializeToString(), values


def _slots_among(objects, texts):
    """Adds the slots that optimizers keep beside the variables; {number of an optimizer: (variable, name, slot)s}."""
    numbers = {obj._unique_id: i for i, obj in enumerate(objects) if isinstance(obj, Variable)}
    slots = {}
    for i, obj in enumerate(list(objects)):
        of_variables = obj._checkpoint_slots() if hasattr(obj, "_checkpoint_slots") else {}
        for unique_id, named in of_variables.items():
            variable = numbers.get(unique_id)
            if variable is None:
                continue
            for name, slot in named.items():
                slots.setdefault(i, []).append((variable, name, len(objects)))
                objects.append(slot)
                texts.append(f"{texts[variable]}/.OPTIMIZER_SLOT/{texts[i]}/{_escaped(name)}")
    return slots


def object_graph_of(children, keys, names):
    """The bytes of a TrackableObjectGraph.

    Args:
      children: for each object a list of (name, number) of what it holds.
      keys: dict from numbers of variables to keys of the checkpoint.
      names: dict from numbers of variables to their names.
    """
    nodes = []
    for number, held in enumerate(children):
        node = _Object()
        for name, child in held:
            node.children.add(node_id=child, local_name=name)
        if number in keys:
            node.attributes.add(name=VALUE, full_name=names[number], checkpoint_key=keys[number])
        nodes.append(node)
    return _ObjectGraph(nodes=nodes).SerializeToString()


class SavedNode:
    """An object in a checkpoint.

    Attributes:
      children: dict from names to numbers of objects.
      attributes: dict from names of what is saved of it to keys of the checkpoint.
      key: that of its value, if it is a variable.
      slots: list of (number of a variable, name, number of the slot), if it is an optimizer.
    """

    def __init__(self, node):
        self.slots = [
            (slot.original_variable_node_id, slot.slot_name, slot.slot_variable_node_id) for slot in node.slot_variables
        ]
        self.children = {child.local_name: child.node_id for child in node.children}
        self.attributes = {value.name: value.checkpoint_key for value in node.attributes}

    @property
    def key(self):
        return self.attributes.get(VALUE)


def parsed(data):
    """List of SavedNodes; ValueError if the graph is malformed."""
    nodes = [SavedNode(node) for node in _ObjectGraph.FromString(data).nodes]
    if any(not 0 <= number < len(nodes) for node in nodes for number in node.children.values()):
        raise ValueError("an object refers to one that does not exist")
    return nodes



"""The body of a function of TensorFlow's: nodes, made by the definitions of its ops."""

import ast

import numpy as np

from tfcompat import dtypes
from tfcompat._core.shape import TensorShape
from tfcompat._formats.graphs import AttrValue, ListValue, NameAttrList, NodeDef
from tfcompat._formats.tensors import proto_of
from tfcompat.engine import has_symbols
from tfcompat.raw_ops._definitions import REQUIRED, definition
from tfcompat.saved_model._structured import shape_message


class NotNodes(Exception):
    """What is to be written cannot be said in nodes."""


class Value:
    """A tensor in a body.

    Attributes:
      source: how nodes refer to it.
      dtype: its DType.
      variable: number of the variable whose value it is, as it was read; or None.
    """

    __slots__ = ("source", "dtype", "variable")

    def __init__(self, source, dtype, variable=None):
        self.source, self.dtype, self.variable = source, dtype, variable


def attribute(kind, value):
    """The AttrValue of a Python value."""
    if kind == "string":
        return AttrValue(s=value if isinstance(value, bytes) else value.encode())
    if kind == "type":
        return AttrValue(type=dtypes.as_dtype(value).as_datatype_enum)
    if kind == "shape":
        return AttrValue(shape=_shape(value))
    if kind == "func":
        return AttrValue(func=NameAttrList(name=value))
    if kind == "tensor":
        return AttrValue(tensor=value)
    return AttrValue(**{{"int": "i", "float": "f", "bool": "b"}[kind]: value})


def _shape(value):
    if isinstance(value, TensorShape):
        value = None if value.rank is None else value.as_list()
    return shape_message(value)


def attribute_list(kind, values):
    """The AttrValue of a list."""
    values = list(values)
    if kind == "string":
        return AttrValue(list=ListValue(s=[v if isinstance(v, bytes) else v.encode() for v in values]))
    if kind == "type":
        return AttrValue(list=ListValue(type=[dtypes.as_dtype(v).as_datatype_enum for v in values]))
    if kind == "shape":
        return AttrValue(list=ListValue(shape=[_shape(v) for v in values]))
    if kind == "func":
        return AttrValue(list=ListValue(func=[NameAttrList(name=v) for v in values]))
    return AttrValue(list=ListValue(**{{"int": "i", "float": "f", "bool": "b"}[kind]: values}))


class Body:
    """Nodes of a function.

    Attributes:
      nodes: NodeDefs.
      effects: names of nodes that run in any case.
    """

    def __init__(self):
        self.nodes: list = []
        self.effects: list = []
        self._counts: dict = {}
        self._sizes: dict = {}  # name of an unknown size -> (Value, axis) of a tensor that has it
        self._known_sizes: dict = {}
        self._constants: dict = {}

    def state(self):
        """What `restore` takes to forget what was added since."""
        return len(self.nodes), len(self.effects), dict(self._known_sizes), dict(self._constants)

    def restore(self, state):
        """Forgets what was added since `state`."""
        nodes, effects, self._known_sizes, self._constants = state
        del self.nodes[nodes:], self.effects[effects:]

    def know_sizes(self, avals, values):
        """Takes the symbols in the shapes of avals for sizes of Values."""
        for aval, value in zip(avals, values, strict=False):
            for axis, size in enumerate(aval.shape):
                if type(size) is not int:
                    self._sizes.setdefault(str(size), (value, axis))

    def name(self, base):
        """A name that no node has."""
        count = self._counts[base] = self._counts.get(base, -1) + 1
        return f"{base}_{count}" if count else base

    def op(self, op, *inputs, after=(), marks=None, **attributes):
        """Adds a node; its result, or the list of them for an op of several or none.

        Args:
          op: name of the op.
          *inputs: a Value each, or a list of them where the op takes a list; in the order of its definition.
          after: names of nodes that run before.
          marks: dict of further attributes, AttrValues.
          **attributes: those that the dtypes of inputs do not tell.

        A result has the dtype that the definition says. NotNodes if the op does not take a dtype.
        """
        known = definition(op)
        told = dict(attributes)
        flat = []
        for argument, value in zip(known.inputs, inputs, strict=True):
            values = list(value) if argument.is_list else [value]
            flat += values
            if argument.number_attr:
                told[argument.number_attr] = len(values)
            if argument.is_list and not argument.number_attr:
                told[argument.type_attr] = [v.dtype for v in values]
            elif argument.type_attr and values:
                told.setdefault(argument.type_attr, values[0].dtype)
        node = NodeDef(name=self.name(op), op=op, input=[v.source for v in flat] + [f"^{name}" for name in after])
        for name, each in known.attributes.items():
            value = told.get(name, each.default)
            if value is REQUIRED:
                raise ValueError(f"{op} needs the attribute {name}")
            told[name] = value
            if each.kind == "type" and not all(map(each.takes, value if each.is_list else [value])):
                raise NotNodes  # TensorFlow has no such kernel
            if name in attributes or each.default is REQUIRED or name in (marks or ()) or value != each.default:
                made = attribute_list(each.kind, value) if each.is_list else attribute(each.kind, value)
                dict.__setitem__(node.attr, name, made)
        for name, made in (marks or {}).items():
            dict.__setitem__(node.attr, name, made)
        self.nodes.append(node)
        results = []
        for argument in known.results:
            count = argument.count(told)
            for i in range(1 if count is None else count):
                dtype = argument.type or told[argument.type_attr]
                dtype = dtype[i] if isinstance(dtype, list | tuple) else dtype
                results.append(Value(f"{node.name}:{argument.name}:{i}", dtypes.as_dtype(dtype)))
        alone = len(known.results) == 1 and not known.results[0].is_list
        return results[0] if alone else results

    def effect(self, op, *inputs, **attributes):
        """Adds a node that runs in any case; see `op`."""
        made = self.op(op, *inputs, **attributes)
        self.effects.append(self.nodes[-1].name)
        return made

    def constant(self, value, dtype=None):
        """A constant; equal small ones are one node."""
        array = np.asarray(value)
        dtype = dtypes.as_dtype(dtype) if dtype is not None else dtypes.from_numpy(array.dtype)
        array = array.astype(dtype.np) if dtype is not dtypes.string else array
        key = (array.tobytes(), array.shape, dtype) if array.size < 64 and array.dtype != object else None
        if key is None or key not in self._constants:
            made = self.op("Const", dtype=dtype, value=proto_of(array, dtype))
            if key is None:
                return made
            self._constants[key] = made
        return self._constants[key]

    def cast(self, value, dtype):
        """The Value in a dtype, which it may have."""
        return value if value.dtype is dtype else self.op("Cast", value, DstT=dtype)

    # --- sizes ----------------------------------------------------------------------------------------------------

    def size(self, size, dtype=dtypes.int32):
        """A size as a scalar: a number, a symbol or an expression of symbols."""
        if type(size) is int or isinstance(size, np.integer):
            return self.constant(int(size), dtype)
        text = str(size)
        if text not in self._known_sizes:
            self._known_sizes[text] = self._evaluated(ast.parse(text.replace("^", "**"), mode="eval").body)
        return self.cast(self._known_sizes[text], dtype)

    def _evaluated(self, tree):
        if isinstance(tree, ast.Constant):
            return self.constant(tree.value, dtypes.int32)
        if isinstance(tree, ast.Name):
            if tree.id not in self._known_sizes:
                if tree.id not in self._sizes:
                    raise NotNodes(f"no tensor has the size {tree.id}")
                tensor, axis = self._sizes[tree.id]
                shape = self.op("Shape", tensor)
                at = [self.constant([i], dtypes.int32) for i in (axis, axis + 1, 1)]
                self._known_sizes[tree.id] = self.op("StridedSlice", shape, *at, shrink_axis_mask=1)
            return self._known_sizes[tree.id]
        if isinstance(tree, ast.UnaryOp):
            return self.op("Neg", self._evaluated(tree.operand))
        if isinstance(tree, ast.BinOp):
            op = {ast.Add: "AddV2", ast.Sub: "Sub", ast.Mult: "Mul", ast.Pow: "Pow"}[type(tree.op)]
            return self.op(op, self._evaluated(tree.left), self._evaluated(tree.right))
        op = {"floordiv": "FloorDiv", "mod": "FloorMod", "max": "Maximum", "min": "Minimum"}[tree.func.id]
        return self.op(op, *map(self._evaluated, tree.args))

    def sizes(self, sizes, dtype=dtypes.int32):
        """A vector of sizes, some of which may be symbols."""
        sizes = tuple(sizes)
        if not has_symbols(sizes):
            return self.constant(np.array(sizes, np.int64).reshape(-1), dtype)
        return self.op("Pack", [self.size(size, dtype) for size in sizes], axis=0)

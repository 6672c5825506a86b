"""Names of what is computed in a function that is traced, as TensorFlow gives them.

A name is that of the op, or what the program passed as `name=`, after the scope in which it was called; one that is
taken gets a number. Which public function recorded a node, and with which `name=`, is read from the stack while the
node is recorded; names are made of it when one is asked for. `node_names.txt` has TensorFlow's default names.
"""

import functools
import os
import sys
from typing import Any

from tfcompat._core.name_scope import current_scope
from tfcompat._package.folder import PACKAGE_FOLDER

# TF's default names of operators, and of other calls whose kernels are called otherwise.
_DEFAULT_NAMES = {
    "AddV2": "add", "BatchMatMulV2": "matmul", "Concat": "concat", "ConcatV2": "concat", "Einsum": "einsum/Einsum",
    "FloorDiv": "floordiv", "FloorMod": "mod", "LogicalAnd": "and", "LogicalOr": "or", "LogicalXor": "xor",
    "MatMul": "matmul", "MatrixDiagPartV3": "diag_part", "MatrixDiagV3": "diag", "Mul": "mul",
    "OneHot": "one_hot", "Pack": "stack", "PadV2": "Pad", "Pow": "pow", "RandomStandardNormal": "random_normal",
    "RandomUniform": "random_uniform", "Range": "range", "RealDiv": "truediv", "Split": "split", "SplitV": "split",
    "StridedSlice": "strided_slice", "Sub": "sub", "Transpose": "transpose", "Unpack": "unstack",
    "ZerosLike": "zeros_like",
}  # fmt: skip

# Operations of control flow: how the first result is called, after the name of the operation.
_CONTROL = {
    "If": ("cond", ("/Identity",)), "Map": ("while", ("",)), "Scan": ("while", ("",)), "While": ("while", (":2",)),
}  # fmt: skip
# What Keras's own layers call otherwise.
_IN_LAYERS = {"Add": "BiasAdd", "AvgPool2D": "AvgPool", "GatherV2": "embedding_lookup/Identity", "MaxPool2d": "MaxPool"}

# Folders whose public functions are ops, and those on which these stand.
_OPS = frozenset(
    "_control array audio bitwise debugging image io linalg lookup math nn quantization random ragged sets signal "
    "sparse strings".split()
)
_BELOW = frozenset("_core _native engine _tracing _package tape distribute".split())


class _Call:
    """One call of a public function: its name, and after it the names of its results."""

    __slots__ = ("base", "frame", "name", "nodes", "scope", "tails")

    def __init__(self, base: Any, tails: tuple, scope):
        self.base, self.tails, self.scope = base, tails, scope
        self.frame: Any = None
        self.name: Any = None
        self.nodes = []


class NodeNames:
    """The names in the graph of a function that is traced, or of a part of it.

    Args:
      arguments: function that gives {node of an argument: its name}.
      outer: for a branch, or the body of a loop: the names in the graph around it.
      is_branch: whether it is a branch.
    """

    def __init__(self, arguments=dict, outer=None, is_branch=False):
        self._arguments = arguments
        self._calls = []  # in order
        self._by_node = {}  # id -> call; the graph keeps its nodes alive
        self._active = []  # calls of functions that record several nodes, the innermost last
        self._is_closed = False
        self._counts: Any = None
        self._named = 0  # how many calls have names
        self._coming: Any = None  # the operation of control flow whose parts are being captured
        self._outer: Any = outer
        self._part_of: Any = None
        if outer is not None:
            if outer._coming is None:
                outer._coming = outer._begin(None, _CONTROL["If" if is_branch else "While"])
            elif is_branch:
                outer._coming.base, outer._coming.tails = _CONTROL["If"]
            self._part_of = outer._coming

    def note(self, node):
        """Notes which call of the program recorded `node`, which is being recorded."""
        if self._is_closed:
            return
        frame = sys._getframe(2)  # past `_limit_reached`
        given = public = own = kind = None
        while frame is not None:
            code = frame.f_code
            kind = _KINDS.get(id(code)) or _kind_of(code)
            if kind in _ENDS:
                break
            if kind is _ANY_OP:
                own = frame
            elif kind is _OPERATOR:
                own = None
            elif kind is not _INSIDE:
                public = frame, kind
            frame = frame.f_back
        kernel = node.call.operation
        if public is None and kernel.name not in _CONTROL and kind is not _FUNCTION:
            # The usual case takes little time, as functions of many operations are traced.
            given = own and own.f_locals["kwargs"].get("name")
            self._calls.append((node, given, own is not None, kind is _LAYER, current_scope()))
            return
        call, coming = None, self._coming if kernel.name in _CONTROL else None
        if coming is not None:
            self._coming = None
        if public is not None:
            frame, row = public
            given, call = _given(frame, row), self._call_of(frame)
        elif kernel.name in _CONTROL:
            frame, row = None, _CONTROL[kernel.name]
        else:
            row = (_name_of_function(frame), ("",)) if kernel.composed else _row_of_kernel(kernel, node.aval)
            frame = None
        if call is None:
            if kind is _LAYER:
                row = _IN_LAYERS.get(row[0], row[0]), row[1]
            call = self._begin(given, row, frame, coming)
        elif coming is not None and coming in self._calls:
            self._calls.remove(coming)  # the function has its name already
        call.nodes.append(id(node))
        self._by_node[id(node)] = call

    def _of_one_node(self, node, given, is_own, in_layer, scope):
        """The call that recorded this node alone."""
        kernel = node.call.operation
        base, tails = is_own and _row_of_op(kernel) or _row_of_kernel(kernel, node.aval)
        call = _Call(given or (_IN_LAYERS.get(base, base) if in_layer else base), tails, scope)
        call.nodes.append(id(node))
        self._by_node[id(node)] = call
        return call

    def _call_of(self, frame):
        """The call that goes on in this frame; None if it begins."""
        while self._active:
            last = self._active[-1].frame
            outer = frame
            while outer is not None and outer is not last:
                outer = outer.f_back
            if outer is not None:
                return self._active[-1] if last is frame else None
            self._active.pop().frame = None
        return None

    def _begin(self, given, row, frame=None, call=None):
        base, tails = row
        if call is None:
            call = _Call(None, (), current_scope())
            self._calls.append(call)
        call.base, call.tails, call.frame = given if type(given) is str and given else base, tails, frame
        if frame is not None:
            self._active.append(call)
        return call

    def close(self):
        """Lets go of the frames: the function has been traced. What is still recorded is no call of the program's."""
        self._is_closed = True
        for call in self._active:
            call.frame = None
        self._active.clear()

    def of(self, node, place):
        """The name of the operation that computes a node; that of result `place` among several, with its number."""
        self._name_calls()
        call = self._by_node.get(id(node))
        if call is None:
            return "Identity", 0
        number = -1
        if len(call.tails) > 1:  # each result has an operation of its own
            kernel = node.call.operation.name
            same = [i for i, x in enumerate(call.tails) if x.endswith(f"/{_DEFAULT_NAMES.get(kernel, kernel)}:0")]
            number = call.nodes.index(id(node)) - len(call.nodes) if place is None else place - len(call.tails)
            number, place = same[0] if len(same) == 1 else max(number, -len(call.tails)), None
        tail, _, first = call.tails[number].partition(":")
        if place and tail.endswith("/Identity"):
            return f"{call.name}{tail}_{place}", 0
        return call.name + tail, int(first or 0) + (place or 0)

    def tails_of(self, node):
        """What follows the name of the call of which a node is a result; empty texts where nothing does."""
        call = self._by_node.get(id(node))
        return () if call is None else call.tails

    def prefix(self):
        """What stands before the names in a part, ends in `/`; empty in a function."""
        if self._part_of is None:
            return ""
        self._outer._name_calls()
        call = self._part_of
        is_own = call.base == "while" or call.tails[0] in ("/Identity", ":2")
        return (call.name or call.base) + ("/" if is_own else "/while/")

    def _name_calls(self):
        if self._counts is None:
            self._counts = {}
            for name in self._arguments().values():
                self._unique(name)
        prefix = self.prefix() if self._named < len(self._calls) else ""
        for place in range(self._named, len(self._calls)):
            call = self._calls[place]
            if type(call) is tuple:
                call = self._calls[place] = self._of_one_node(*call)
            name = call.base
            scope = prefix + call.scope[len(self._part_of.scope):] if prefix else call.scope
            call.name = name[:-1] if name.endswith("/") else self._unique(scope + name)
        self._named = len(self._calls)

    def _unique(self, name):
        """The name, with a number if it is taken. Names that differ in the case of letters are the same."""
        key = name.lower()
        count = self._counts.get(key, 0)
        self._counts[key] = count + 1
        if not count:
            return name
        while (numbered := f"{key}_{count}") in self._counts:
            count += 1
        self._counts[key], self._counts[numbered] = count + 1, 1
        return f"{name}_{count}"


def note_names(graph, names):
    """Makes `graph`, which is captured from now on, tell `names` of its nodes."""
    graph.names, graph.limit = names, 0


def tensor_name(node):
    """The name of a tensor in a function that is traced."""
    graph, arguments = node.graph, getattr(node.graph.owner, "names", None) or {}
    if node.call is None:
        prefix = graph.names.prefix() if graph.names is not None else ""
        return f"{prefix}{arguments.get(node, 'Placeholder')}:0"
    place = getattr(node.call, "index", None)  # of one of several results
    source = node if place is None else node.inputs[0]
    if graph.names is None:
        return f"{_DEFAULT_NAMES.get(source.call.operation.name, source.call.operation.name)}:{place or 0}"
    name, place = graph.names.of(source, place)
    return f"{name}:{place}"


# --- which function a frame of the stack is of ------------------------------------------------------------------------

_OUTSIDE, _LAYER, _FUNCTION = "outside", "layer", "function"
_INSIDE, _OPERATOR, _ANY_OP = "inside", "operator", "any op"
_ENDS = (_OUTSIDE, _LAYER, _FUNCTION)
_KINDS: dict = {}  # id of code of this package -> one of these, or the row of a public function
_CODES = []  # of which these are


def _kind_of(code):
    if not code.co_filename.startswith(PACKAGE_FOLDER):
        return _OUTSIDE
    kind = _KINDS[id(code)] = _kind_inside(code)
    _CODES.append(code)
    return kind


def _kind_inside(code):
    folder, _, file = code.co_filename[len(PACKAGE_FOLDER):].partition(os.sep)
    if (folder, file, code.co_name) in _OF_ANY_OP:
        return _ANY_OP
    if file.endswith("operators.py"):
        return _OPERATOR
    if folder in _BELOW:
        return _INSIDE
    if folder in _OPS:
        return _row_of(folder, code.co_name) or _INSIDE
    if (folder, code.co_qualname) == ("keras", "Loss.__call__"):
        return "", ("/weighted_loss/value",)
    return {"layers": _LAYER, "function": _FUNCTION, "keras": _INSIDE}.get(folder, _OUTSIDE)


def _given(frame, row):
    """The name that a call was given; of a loss its own."""
    found = frame.f_locals
    return found.get("name") or found.get("kwargs", {}).get("name") if row[0] else found["self"].name


def _name_of_function(frame):
    is_pure = getattr(frame.f_locals.get("self"), "is_pure", None)
    return "PartitionedCall" if is_pure is None or is_pure() else "StatefulPartitionedCall"


def _row_of_kernel(operation, aval):
    """The names of an operation that no public function stands for: of an operator, or of a derivative."""
    name = operation.name or "PartitionedCall"
    if not name.endswith("Grad"):
        return _DEFAULT_NAMES.get(name, name), ("",)
    name = name.removesuffix("Grad")
    count = len(getattr(aval, "parts", ())) or 1
    tails = tuple([f"/{name}_{i}" if i else f"/{name}" for i in range(count)])
    return f"gradient_tape/{_DEFAULT_NAMES.get(name, name)}", tails


# The functions that `known_calls.py` and `_native` make of ops have the arguments of the call in `kwargs`.
_OF_ANY_OP = {("_native", "__init__.py", "call"), ("_core", "known_calls.py", "known")}


@functools.cache
def _rows():
    """{name of a function: {namespace: (default name, names of results)}}."""
    rows: dict = {}
    with open(os.path.join(os.path.dirname(__file__), "node_names.txt"), encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                symbol, base, *tails = line.split()
                namespace, _, name = symbol.rpartition(".")
                rows.setdefault(name, {})[namespace] = base, tuple(tails) or ("",)
    return rows


def _row_of(folder, name):
    found = _rows().get(name)
    return found and (found.get(folder) or found.get("") or (next(iter(found.values())) if len(found) == 1 else None))


def _row_of_op(operation):
    """The row of an op, by the first of its names."""
    if operation not in _OPERATIONS:
        symbol = (operation.identity or ":").split(":")[1]
        namespace, _, name = symbol.removeprefix("tf.").rpartition(".")
        _OPERATIONS[operation] = _row_of(namespace, name.removeprefix("_"))  # `_name` is what a public `name` calls
    return _OPERATIONS[operation]


_OPERATIONS: dict = {}

"""Functions of TensorFlow's graphs, run by `tf.raw_ops` while they are traced: one trace each, as Python functions.

A function is prepared once: its nodes in an order in which they can run, with their arguments from the table of raw
ops. Control edges keep the order of effects.
"""

import functools
import math

import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core.convert import convert_to_tensor, host_constant
from tfcompat._formats import tensors
from tfcompat._formats.damage import refusing
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.raw_ops._definitions import REQUIRED, definition
from tfcompat.raw_ops._registry import OPS
from tfcompat.saved_model._frames import FUNCTIONAL, KINDS, PLACES, functional, kind_of
from tfcompat.saved_model._structured import to_shape
from tfcompat.tape import custom_gradient, refuse_gradient

# What would run Python code that is not in the file, or reach outside of the program.
REFUSED = frozenset(
    "PyFunc PyFuncStateless EagerPyFunc ReadFile WriteFile MatchingFiles Save SaveV2 SaveSlices Restore RestoreSlice "
    "RestoreV2 MergeV2Checkpoints LoadAndRemapMatrix GenerateVocabRemapping ImmutableConst CreateSummaryFileWriter "
    "DecodeProtoV2 EncodeProto".split()
)
STABLEHLO = "XlaCallModule"  # run only on request, since the parser of such programs is not made for hostile bytes
_GRADIENT = "_gradient_op_type"
_MAX_ELEMENTS = 1 << 25  # of a constant whose elements are not all in the file


def array_of(proto):
    """The array of a TensorProto; ValueError if it is none."""
    dtype = dtypes.as_dtype(proto.dtype)
    count = math.prod(max(dim.size, 0) for dim in proto.tensor_shape.dim)
    if dtype.np is None or not proto.tensor_content and count > _MAX_ELEMENTS:
        raise ValueError(f"a constant of {count} elements of {dtype.name}")
    return tensors.array_of(proto, dtype)


def _text(value):
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


class _Node:
    """A node that is ready to run: `run` takes a list of inputs, and returns the list of all results."""

    __slots__ = ("name", "op", "inputs", "run", "gradient", "places")

    def __init__(self, name, op, inputs, run, gradient, places):
        self.name, self.op, self.inputs, self.run, self.gradient = name, op, inputs, run, gradient
        self.places = places  # name of a result -> where it begins in the list of all


class Captured:
    """A tensor within a function, which the gradient of one of its nodes takes."""

    def __init__(self, name):
        self.name = name


class Missing(UnimplementedError):
    """An op of a graph that is not available."""


Missing.__name__ = Missing.__qualname__ = "UnimplementedError"


class Library:
    """The functions of a graph.

    Args:
      graph_def: GraphDef.
      where: text that says in messages which file it is from.
      stablehlo: whether StableHLO programs in it are run.
    """

    def __init__(self, graph_def, where, stablehlo=False):
        self._where = where
        self.refused = {op: "it runs code, or touches files, outside of the model" for op in REFUSED}
        if not stablehlo:
            self.refused[STABLEHLO] = (
                "a StableHLO program made on purpose can crash this process; if you trust the model, set the attribute "
                "`run_stablehlo` of tf.saved_model.LoadOptions to True"
            )
        self.functions = {f.signature.name: f for f in graph_def.library.function}
        self._gradients = {
            g.registered_op_type: g.gradient_func for g in graph_def.library.registered_gradients
        }
        self.functional: dict = {}  # name of a node that `_frames` made -> function that makes what it runs
        self._prepared: dict = {}
        self._unchanged: dict = {}
        # Set by the loader: what a gradient function takes beside cotangents, and which inputs have a cotangent.
        self.gradient_inputs: dict = {}
        self.gradient_structure: dict = {}

    # --- what is missing ------------------------------------------------------------------------------------------

    def missing_from(self, names):
        """Dict from the ops that functions need, themselves or in others, and that are not available, to these names.

        Args:
          names: of functions.
        """
        missing: dict = {}
        for name in names:
            for op in self._ops_of(name):
                if not self.has_op(op):
                    missing.setdefault(op, []).append(name)
        return missing

    def has_op(self, op):
        """Whether nodes of this kind can run."""
        known = op in OPS or op in self.functions or op in ("_Arg", "_Retval", "Placeholder") or op in KINDS
        return known and op not in self.refused

    def _ops_of(self, name):
        ops, todo, seen = set(), [name], set()
        while todo:
            name = todo.pop()
            function = self.functions.get(name)
            if name in seen or function is None:
                continue
            seen.add(name)
            for node in function.node_def:
                ops.add(node.op)
                todo += self._called(node)
        return ops

    def _called(self, node):
        """Names of the functions that a node may call."""
        if node.op in self.functions:
            yield node.op
        for value in node.attr.values():
            kind = value.WhichOneof("value")
            if kind == "func":
                yield value.func.name
            elif kind == "list":
                yield from (func.name for func in value.list.func)
            elif kind == "s" and self._gradients and _text(value.s) in self._gradients:
                yield self._gradients[_text(value.s)]

    # --- running --------------------------------------------------------------------------------------------------

    def call(self, name, arguments):
        """The list of results of a function.

        Args:
          name: of the function.
          arguments: list of tensors, and of variables and tables for handles.
        """
        nodes, results, count, captured = self.prepared(name)
        if len(arguments) != count:
            raise InvalidArgumentError(None, None, f"{name} takes {count} arguments, got {len(arguments)}")
        return run_nodes(self, nodes, results, list(arguments), captured)

    def function(self, name):
        """A function of the library as a callable of its arguments; ValueError if there is none."""
        if name not in self.functions:
            raise ValueError(f"{self._where}: there is no function {name!r}")

        def call(*arguments):
            return self.call(name, arguments)

        call.__name__ = name
        call.returned_as_taken = self._returned_as_taken(name)
        return call

    def _returned_as_taken(self, name):
        """Places of results that are the arguments of the same place."""
        if name not in self._unchanged:
            function, self._unchanged[name] = self.functions[name], frozenset()
            by_name = {node.name: node for node in function.node_def}
            arguments = [argument.name for argument in function.signature.input_arg]
            places = set()
            for place, result in enumerate(function.signature.output_arg[: len(arguments)]):
                source = function.ret.get(result.name, "")
                for _ in range(len(by_name)):
                    node = by_name.get(source.partition(":")[0])
                    if ":" not in source or node is None or node.op != "Identity":
                        break
                    source = next((i for i in node.input if not i.startswith("^")), "")
                if source == arguments[place]:
                    places.add(place)
            self._unchanged[name] = frozenset(places)
        return self._unchanged[name]

    def prepared(self, name):
        """(nodes in order, places of results, number of arguments, places of what gradients take) of a function.

        Raises:
          ValueError: it is damaged.
          tf.errors.UnimplementedError: it has an op that is not available.
        """
        if name not in self._prepared:
            with refusing(f"{self._where}: the function {name}", ValueError, TypeError):
                self._prepare(name)
        return self._prepared[name]

    def _prepare(self, name):
        function = self.functions[name]
        arguments = {argument.name: i for i, argument in enumerate(function.signature.input_arg)}
        wanted = [function.ret.get(result.name, "") for result in function.signature.output_arg]
        captured = self._captured_in(function)
        nodes = in_order(
            self, function.node_def, arguments, [*wanted, *captured], list(function.control_ret.values())
        )
        places = {node.name: i for i, node in enumerate(nodes)}
        results = [_place(source, arguments, places, nodes) for source in wanted]
        captured = {each: _place(each, arguments, places, nodes) for each in captured}
        self._prepared[name] = nodes, results, len(arguments), captured

    def _captured_in(self, function):
        """Names of the tensors of a function that gradients of its nodes take."""
        return list(dict.fromkeys(name for node in function.node_def for name in self.captured_by(node)))

    def captured_by(self, node):
        """Names of the tensors of its function that the gradient of a node takes."""
        mark = _mark_of(node)
        if mark is None or not self.has_gradient(mark):
            return []
        return [x.name for x in self.gradient_inputs[self._gradients[mark]]() if isinstance(x, Captured)]

    # --- nodes ----------------------------------------------------------------------------------------------------

    def kinds_of(self, node):
        """The DTypes of a node's results."""
        known = definition(node.op)
        if known is None:
            return []
        attributes = self._attributes(node, known, with_functions=False)
        kinds: list = []
        for each in known.results:
            kind = each.type or attributes[each.type_attr]
            count = each.count(attributes)
            kinds += list(kind) if isinstance(kind, list) else [kind] * (1 if count is None else count)
        return kinds

    def _attributes(self, node, known, with_functions=True):
        attributes = {name: each.default for name, each in known.attributes.items() if each.default is not REQUIRED}
        left_out = () if with_functions else ("func",)
        names = [k for k in node.attr if k in known.attributes and known.attributes[k].kind not in left_out]
        return attributes | {k: self.value(node.attr[k]) for k in names}

    def node(self, node, count, only_places=False):
        """(function that runs a node, given the list of its inputs; where each result begins, by name).

        Args:
          node: NodeDef.
          count: of its inputs.
          only_places: whether it need not run, and only the second of the two is returned.
        """
        op = node.op
        if op == FUNCTIONAL:
            return self.functional[node.name](), PLACES
        if op in self.functions:
            function = self.functions[op]
            places = {result.name: i for i, result in enumerate(function.signature.output_arg)}
            return functools.partial(self.call, op), places
        known, function = definition(op), OPS.get(op)
        if only_places and known is not None:
            return _places_of(known, self._attributes(node, known, with_functions=False))
        if op in self.refused or known is None or function is None:
            why = f", which is not run: {self.refused[op]}" if op in self.refused else ": tfcompat has no such op"
            raise Missing(None, None, f"{self._where}: node {node.name!r} is a {op}{why}")
        attributes = self._attributes(node, known)
        absent = known.attributes.keys() - attributes.keys()
        if absent:
            raise ValueError(f"{self._where}: node {node.name!r} has no attribute {sorted(absent)[0]!r}")
        if op == "Const":
            return _constant(attributes["value"]), {"output": 0}
        fixed = {each.parameter: attributes[each.name] for each in known.given}
        groups = [(each.parameter, each.count(attributes)) for each in known.inputs]
        if sum(1 if n is None else n for _, n in groups) != count:
            raise ValueError(f"{self._where}: node {node.name!r}, a {op}, has {count} inputs")
        places = _places_of(known, attributes)
        listed = len(known.results) == 1 and known.results[0].is_list
        return functools.partial(_run, function.run, groups, fixed, listed), places

    def value(self, attribute):
        """The value of an attribute as `tf.raw_ops` take it."""
        kind = attribute.WhichOneof("value")
        if kind == "list":
            for name in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
                items = getattr(attribute.list, name)
                if items:
                    return [self._one(name, item) for item in items]
            return []
        return None if kind is None else self._one(kind, getattr(attribute, kind))

    def _one(self, kind, value):
        if kind == "s":
            return _text(value)
        if kind == "type":
            return dtypes.as_dtype(value if value < 100 else value - 100)  # a reference to a variable
        if kind == "shape":
            return to_shape(value)
        if kind == "tensor":
            return array_of(value)
        if kind == "func":
            return self.function(value.name)
        return value

    def with_gradient(self, mark, run, inputs, captured):
        """What `run` returns for `inputs`, with the gradient that the file registers for `mark`.

        `captured` is a function from names of tensors to tensors.
        """
        name = self._gradients[mark]
        taken = [captured(x.name) if isinstance(x, Captured) else x for x in self.gradient_inputs[name]()]

        @custom_gradient
        def marked(*inputs):
            results = run(list(inputs))

            def gradient(*cotangents):
                returned = iter(self.call(name, [*cotangents, *taken]))
                structure = self.gradient_structure.get(name)
                given = [next(returned) if has else None for has in structure] if structure else list(returned)
                return given + [None] * (len(inputs) - len(given))

            return tuple(results), gradient

        results = marked(*inputs)
        return list(results) if isinstance(results, list | tuple) else [results]

    def has_gradient(self, mark):
        """Whether the file registers a gradient for nodes with this mark, and it can be called."""
        return mark in self._gradients and self._gradients[mark] in self.gradient_inputs


def _places_of(known, attributes):
    """Where each result begins in the list of all, by name."""
    places, place = {}, 0
    for each in known.results:
        places[each.name] = place
        count = each.count(attributes)
        place += 1 if count is None else count
    return places


def _constant(array):
    array = np.asarray(array)

    @functools.cache
    def leaf():
        if array.dtype.hasobject:  # what is empty would become numbers
            return host_constant(array)
        with engine.eager_scope():
            return convert_to_tensor(array)

    return lambda inputs: [leaf()]


def _run(run, groups, fixed, listed, inputs):
    arguments, place = dict(fixed), 0
    for parameter, count in groups:
        if count is None:
            arguments[parameter] = inputs[place]
            place += 1
        else:
            arguments[parameter] = inputs[place : place + count]
            place += count
    result = run(arguments)
    if result is None:
        return []
    if listed:
        return list(result)
    if not isinstance(result, tuple):
        return [result]
    return [x for part in result for x in (part if isinstance(part, list) else [part])]


def in_order(library, node_defs, arguments, wanted, effects):
    """The nodes that are needed, each after those that it needs.

    Args:
      library: Library.
      node_defs: NodeDefs.
      arguments: dict from names to places.
      wanted: what is needed: `node:result:number`, or `node:number`.
      effects: names of nodes that run in any case.

    Raises:
      ValueError: nodes refer to what does not exist, or to each other in a circle.
    """
    if any(kind_of(node) in KINDS for node in node_defs):
        node_defs = functional(library, node_defs, functools.partial(prepared_part, library))
    by_name = {node.name: node for node in node_defs}
    order: list = []
    state: dict = {}  # name -> whether it is done
    todo = [source.partition(":")[0] for source in (*effects, *wanted)]
    todo = [(name, False) for name in reversed(todo) if name in by_name or name not in arguments]
    while todo:
        name, entered = todo.pop()
        if entered:
            state[name] = True
            order.append(by_name[name])
            continue
        if name in state:
            if not state[name]:
                raise ValueError(f"the node {name!r} needs itself")
            continue
        if name not in by_name:
            raise ValueError(f"there is no node {name!r}")
        state[name] = False
        todo.append((name, True))
        for source in by_name[name].input:
            needed = source.lstrip("^").partition(":")[0]
            if state.get(needed) is False:
                raise ValueError(f"the node {needed!r} needs itself")
            if needed in by_name and needed not in state:
                todo.append((needed, False))
            elif needed not in by_name and needed not in arguments:
                raise ValueError(f"there is no node {needed!r}")
        for source in library.captured_by(by_name[name]):
            needed = source.partition(":")[0]
            if needed in by_name and needed not in state:
                todo.append((needed, False))
    places = {node.name: i for i, node in enumerate(order)}
    nodes: list = []
    for node in order:
        data = [source for source in node.input if not source.startswith("^")]
        inputs = [_place(source, arguments, places, nodes) for source in data]
        run, results = library.node(node, len(inputs))
        nodes.append(_Node(node.name, node.op, inputs, run, _mark_of(node), results))
    return nodes


def _mark_of(node):
    """What names the gradient of a node that has one of its own; None for others."""
    return _text(node.attr[_GRADIENT].s) if _GRADIENT in node.attr else None


def prepared_part(library, node_defs, arguments, wanted):
    """A function of a list of values for `arguments` to the list of what is `wanted`; see `in_order`."""
    nodes = in_order(library, node_defs, arguments, wanted, [])
    places = {node.name: i for i, node in enumerate(nodes)}
    results = [_place(source, arguments, places, nodes) for source in wanted]
    return lambda values: run_nodes(library, nodes, results, values)


def _place(source, arguments, places, nodes):
    """(node, number of the result) of what a node takes; (-1, number) for an argument."""
    name, *rest = source.split(":")
    if name in arguments and name not in places:
        return -1, arguments[name]
    if name not in places:
        raise ValueError(f"there is no node {name!r}")
    node = nodes[places[name]] if places[name] < len(nodes) else None
    if not rest:
        return places[name], 0
    if len(rest) == 1 and rest[0].isdigit():
        return places[name], int(rest[0])
    if node is None or rest[0] not in node.places or not all(number.isdigit() for number in rest[1:]):
        raise ValueError(f"there is no result {source!r}")
    return places[name], node.places[rest[0]] + int(rest[1] if len(rest) > 1 else 0)


def run_nodes(library, nodes, wanted, arguments, captured=None):
    """Runs nodes in order; the values at the places `wanted`. `captured` are places of what gradients take, by name."""
    values: list = []

    def at(place):
        node, number = place
        return arguments[number] if node < 0 else values[node][number]

    for node in nodes:
        inputs = [at(place) for place in node.inputs]
        if node.gradient is None:
            values.append(node.run(inputs))
        elif library.has_gradient(node.gradient):
            named = functools.partial(_named, at, captured or {})
            values.append(library.with_gradient(node.gradient, node.run, inputs, named))
        else:
            message = (
                f"No gradient defined for operation '{node.name}' (op type: {node.op}). The function was saved without "
                "its custom gradients."
            )
            values.append([refuse_gradient(x, message) for x in node.run(inputs)])
    return [at(place) for place in wanted]


def _named(at, places, name):
    if name not in places:
        raise ValueError(f"a gradient takes the tensor {name!r}, which is not in the function")
    return at(places[name])

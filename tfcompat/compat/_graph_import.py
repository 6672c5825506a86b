"""`tf.import_graph_def`: the nodes of a GraphDef as operations of a graph.

The nodes are run as those of SavedModels are, see `tfcompat/saved_model/_graph_functions.py`. A node that makes a
variable or a table stands for it: a session has a value of each.
"""

import copy
import functools
import heapq
import re

from tfcompat import dtypes, engine
from tfcompat._core import graphs
from tfcompat._core import name_scope as _name_scope
from tfcompat._core.convert import convert_to_tensor, type_name
from tfcompat._core.graph_variables import GraphVariable
from tfcompat._core.graphs import GraphTensor, Inferred, RecordedOperation, Result
from tfcompat._core.variable import Variable
from tfcompat._formats.graphs import GraphDef, NodeDef
from tfcompat.compat._scopes import get_default_graph
from tfcompat.engine import function_trace
from tfcompat.errors import InvalidArgumentError, NotFoundError, UnimplementedError
from tfcompat.raw_ops._definitions import REQUIRED, definition
from tfcompat.raw_ops._state import Unassigned, variable_of
from tfcompat.saved_model._frames import FUNCTIONAL, KINDS, functional, kind_of, name_of
from tfcompat.saved_model._graph_functions import Library, in_order, prepared_part, run_nodes
from tfcompat.saved_model._graph_load import ON_HOST
from tfcompat.saved_model._structured import to_shape

VARIABLES = frozenset(("VarHandleOp", "VariableV2", "Variable"))
_TABLES = re.compile("(Anonymous)?(Mutable)?(Dense)?HashTable(OfTensors)?(V2)?")
_RANDOM = re.compile("Random.*|.*Multinomial|TruncatedNormal|ParameterizedTruncatedNormal|StatelessMultinomial")
_READ_ONLY = re.compile(
    "ReadVariableOp|VarIsInitializedOp|IsVariableInitialized|VariableShape|ResourceGather(Nd)?|Identity(N)?|"
    "LookupTable(Find|Size|Export)(V2)?"
)
_OF_A_SHAPE = ("Placeholder", "PlaceholderWithDefault")
_ASKS = ("VarIsInitializedOp", "IsVariableInitialized")


class _LaterResult(Result):
    """What is known of a result of a node: the shape is learned when it is asked for."""

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.known = None if shape is None else Result(shape, dtype)
        self.op = None

    def _learned(self):
        if self.known is None:
            _learn_shapes(self.op)
        return self.known

    shape = property(lambda self: self._learned().shape)  # pyright: ignore
    samples = property(lambda self: self._learned().samples)  # pyright: ignore


def _learn_shapes(op):
    """Finds the shapes of the results of an operation, and first of those that it needs."""
    needed, todo = set(), [op]
    while todo:
        one = todo.pop()
        if one not in needed and isinstance(one, ImportedOperation) and any(x.known is None for x in one.later):
            needed.add(one)
            todo += [x.op for x in one.inputs]
    for one in sorted(needed, key=lambda op: op.number):
        results = one.infer()
        for later, result in zip(one.later, results, strict=True):
            later.known = later.known or result


class _NodeCall:
    """What a node runs, as a function of its inputs; those of equal nodes are equal."""

    def __init__(self, run, key, as_values):
        self.run, self._key, self._as_values = run, key, as_values
        self.__name__ = key[0]

    def __call__(self, *inputs):
        values = [_value_of(x) if i in self._as_values else x for i, x in enumerate(inputs)]
        return self.run(values)

    def __eq__(self, other):
        return isinstance(other, _NodeCall) and self._key == other._key

    def __hash__(self):
        return hash(self._key)


def _value_of(x):
    """A tensor for one that a variable stands for."""
    return variable_of(x).read_value() if isinstance(x, Unassigned | Variable) else x


class ImportedOperation(RecordedOperation):
    """An operation that a node of a GraphDef describes."""

    def __init__(self, graph, name, node, function, inputs, kinds, effect, attributes, variables, draws):
        self.node, self.later = node, [_LaterResult(kind) for kind in kinds]
        inferred = Inferred(list(self.later), draws=draws)
        super().__init__(graph, name, node.op, function, tuple(inputs), {}, inferred, effect, attributes)
        self.variables = variables
        for later in self.later:
            later.op = self

    @property
    def node_def(self):
        """The node, with the names of the graph."""
        made = NodeDef(name=self.name, op=self.type, device=self.node.device, attr=dict(self.node.attr))
        made.input.extend(_source_of(x) for x in self.inputs)
        made.input.extend(f"^{op.name}" for op in self.control_inputs)
        return made

    def get_attr(self, name):
        """An attribute of the node."""
        if name not in self.node.attr:
            known = definition(self.type)
            if known is not None and name in known.attributes and known.attributes[name].default is not REQUIRED:
                return known.attributes[name].default
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        value = self.node.attr[name]
        kind = value.WhichOneof("value")
        if kind == "list":
            fields = [field for field, _ in value.list.ListFields()]
            kind = fields[0].name if fields else "i"
            return [_attribute(kind, item) for item in getattr(value.list, kind)]
        return None if kind is None else _attribute(kind, getattr(value, kind))

    def infer(self):
        """The shapes of the results, a list of Results: of unknown shape where nothing tells."""
        unknown = [Result(None, x.dtype) for x in self.later]
        noted = self.node.attr["_output_shapes"].list.shape if "_output_shapes" in self.node.attr else ()
        if self.type in VARIABLES or "shape" in self.node.attr and self.type in _OF_A_SHAPE:
            return [Result(to_shape(self.node.attr["shape"].shape), x.dtype) for x in self.later]
        if len(noted) == len(unknown):
            return [Result(to_shape(shape), x.dtype) for shape, x in zip(noted, self.later, strict=True)]
        if not unknown or any(x.dtype in (dtypes.resource, dtypes.variant) for x in self.later):
            return unknown
        held = self.graph.held_by
        inputs = [held.get(x, x) for x in self.inputs]
        try:
            inferred = graphs.upstairs.inferred(self.function, tuple(inputs), {}, self.graph, self.type)
        except Exception:  # what is wrong with it is said when it runs
            return unknown
        found = inferred.results
        return found if len(found) == len(unknown) else unknown

    def __str__(self):
        return str(self.node_def)


def _attribute(kind, value):
    return dtypes.as_dtype(value) if kind == "type" else value


def _source_of(tensor):
    return tensor.name if tensor.value_index else tensor.op.name


class ImportedVariable(GraphVariable):
    """The variable that a node of a GraphDef makes.

    Args:
      graph, dtype, shape: of it.
      shared: the name of what sessions keep: nodes of one such name make one variable.
      handle: the operation.
    """

    def __init__(self, graph, shared, dtype, shape, handle):
        self.graph, self._name, self._dtype, self._shape, self._handle = graph, handle.name, dtype, shape, handle
        self.shared = shared
        self._trainable, self._constraint = True, None
        self._synchronization = self._aggregation = None
        self._initializer = self._initial_value = None

    def _value_in_graph(self):
        if self.snapshot is None:
            with self.graph.as_default():
                self.snapshot = self.read_value()
        return self.snapshot

    snapshot = None
    value_in_graph = property(_value_in_graph)

    def define(self, initializer, initial_value, snapshot, trainable):
        """Sets what a VariableDef tells: operation, tensor, tensor, bool; None for what it does not."""
        self._initializer, self._initial_value, self._trainable = initializer, initial_value, trainable
        self.snapshot = snapshot


class _WithoutValue(Unassigned):
    """A variable that a session has not initialized; setting `variable` does so."""

    def __init__(self, state, of_graph):
        self._state, self._of_graph = state, of_graph
        self.dtype, self.shape, self.name = of_graph.dtype, of_graph.shape, of_graph._name

    @property
    def variable(self):  # pyright: ignore
        return self._state.variables.get(self._of_graph)

    @variable.setter
    def variable(self, made):
        self._state.initialize(self._of_graph, made.read_value())


def _held(variable):
    """A function that gives the variable in the session that runs."""

    def handle():
        state = graphs.state.run.state
        found = state.variables.get(variable)
        return [_WithoutValue(state, variable) if found is None else found]

    return handle


def _kept(run, key):
    """A function that gives what `run` makes, once for each session."""

    def handle(*inputs):
        kept = graphs.state.run.state.kept
        if key not in kept:
            kept[key] = run(list(inputs))
        return kept[key]

    return handle


def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None, producer_op_list=None):
    """Adds the nodes of a GraphDef to the default graph.

    Args:
      graph_def: GraphDef.
      input_map: dict from names of tensors in `graph_def` to tensors that replace them; a name that begins with ^ is
        that of an operation.
      return_elements: list of names of operations and tensors in `graph_def`.
      name: prefix of the operations; by default "import".
      op_dict, producer_op_list: of no effect.

    Returns:
      List of the operations and tensors that `return_elements` names; None without it.

    Raises:
      TypeError: an argument is none of these.
      ValueError: nodes refer to what does not exist, or to each other in a circle; a name is not found.
      tf.errors.NotFoundError: TensorFlow has no such op.
      tf.errors.UnimplementedError: when such a node runs: tfcompat has no such op, or it would read or write files or
        run Python. See SECURITY.md.

    TF: `tf.graph_util.import_graph_def`, `tf.compat.v1.import_graph_def`.
    """
    input_map, names = _checked(graph_def, input_map, return_elements)
    if graphs.current() is None and function_trace(engine.state.graph) is not None:
        return _run_at_once(graph_def, input_map, names)
    graph = graphs.current() or get_default_graph()
    with graph.as_default(), _name_scope.name_scope("import" if name is None else name) as prefix:
        imported = _Import(graph, graph_def, prefix, input_map)
        imported.add_all()
        return None if names is None else [imported.element(each) for each in names]


def _checked(graph_def, input_map, return_elements):
    if not isinstance(graph_def, GraphDef):
        raise TypeError("Argument `graph_def` must be a GraphDef proto.")
    input_map = {} if input_map is None else input_map
    if not (isinstance(input_map, dict) and all(isinstance(key, str | bytes) for key in input_map)):
        raise TypeError(f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}")
    if return_elements is not None:
        return_elements = [return_elements] if isinstance(return_elements, str) else list(return_elements)
        if not all(isinstance(x, str | bytes) for x in return_elements):
            raise TypeError(f"Argument `return_elements` must be a list of strings. Obtained {return_elements}.")
    return {_text(key): value for key, value in input_map.items()}, (
        None if return_elements is None else [_text(x) for x in return_elements]
    )  # fmt: skip


def _text(name):
    return name.decode() if isinstance(name, bytes) else name


def _canonical(source):
    """The name of a tensor with its number."""
    return source if ":" in source or source.startswith("^") else f"{source}:0"


def _as_they_get_ready(nodes):
    """Yields nodes in their order, but each after those that it needs, as TensorFlow adds them.

    Raises:
      ValueError: they need each other in a circle.
    """
    number = {node.name: i for i, node in enumerate(nodes)}
    waits, users = [], [[] for _ in nodes]
    for i, node in enumerate(nodes):
        needed = {number[name_of(source)] for source in node.input if name_of(source) in number}
        waits.append(len(needed))
        for other in needed:
            users[other].append(i)
    ready, left = [i for i, count in enumerate(waits) if not count], len(nodes)
    while ready:
        i = heapq.heappop(ready)
        left -= 1
        yield nodes[i]
        for user in users[i]:
            waits[user] -= 1
            if not waits[user]:
                heapq.heappush(ready, user)
    if left:
        raise ValueError(f"{left} nodes in a cycle")


class _Import:
    """One GraphDef on its way into a graph.

    Args:
      graph, graph_def: these.
      prefix: of names: empty, or with a slash at its end.
      input_map: dict from names to tensors.
    """

    def __init__(self, graph, graph_def, prefix, input_map):
        self._graph, self._graph_def, self._prefix = graph, graph_def, prefix
        self._library = Library(graph_def, "tf.import_graph_def")
        self._ops, self._unused = {}, set(input_map)
        self._map = {}
        for key, value in input_map.items():
            control = key.startswith("^")
            self._map[_canonical(key)] = graph.operation_of(value) if control else _as_graph_tensor(value)

    def add_all(self):
        """Adds all nodes."""
        nodes = list(self._graph_def.node)
        self._check(nodes)
        if any(kind_of(node) in KINDS for node in nodes):
            prepare = functools.partial(prepared_part, self._library)
            kept = functional(self._library, nodes, prepare)
            self._note_loops(nodes, kept)
            nodes = kept
        for node in _as_they_get_ready(nodes):
            self._add(node)
        self._graph.functions.update({f.signature.name: f for f in self._graph_def.library.function})
        missing = [key for key in self._unused if not self._is_there(key)]
        if missing:
            raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{', '.join(missing)}]")

    def _note_loops(self, nodes, kept):
        """Keeps, for `as_graph_def`, the nodes that loops and branches of TensorFlow 1 consist of."""
        left = {id(node) for node in kept}
        for node in nodes:
            if id(node) not in left:
                renamed = copy.deepcopy(node)
                renamed.name = f"{self._prefix}{node.name}"
                sources = [f"^{self._prefix}{s[1:]}" if s[0] == "^" else f"{self._prefix}{s}" for s in node.input]
                renamed.ClearField("input")
                renamed.input.extend(sources)
                self._graph.loop_nodes[renamed.name] = renamed

    def _check(self, nodes):
        """Raises what TensorFlow does for nodes that make no graph."""
        known: set = set()
        for node in nodes:
            if definition(node.op) is None and node.op not in self._library.functions:
                raise NotFoundError(None, None, f"Op type not registered '{node.op}' in binary")
            if node.name in known:
                raise ValueError(f"Node '{node.name}' is not unique")
            known.add(node.name)
        for node in nodes:
            for source in node.input:
                if name_of(source) not in known and _canonical(source) not in self._map:
                    raise ValueError(f"Node '{node.name}': Unknown input node '{source}'")

    def _is_there(self, key):
        op = self._ops.get(name_of(key))
        number = _canonical(key).rpartition(":")[2]
        return op is not None and (key.startswith("^") or number.isdigit() and int(number) < len(op.outputs))

    def element(self, name):
        """The operation or tensor that a name in the GraphDef means."""
        if ":" not in name:
            op = self._ops.get(name)
            if op is None:
                raise ValueError(f"Requested return node '{name}' not found in graph def")
            return op
        if name in self._map:
            return self._map[name]
        node, _, number = name.partition(":")
        op = self._ops.get(node)
        if op is None:
            raise ValueError(f"Requested return tensor '{name}' not found in graph def")
        if not number.isdigit() or int(number) >= len(op.outputs):
            raise ValueError(f"Invalid return output {number} of node '{node}', which has {len(op.outputs)} output(s)")
        return op.outputs[int(number)]

    def _input(self, node, source):
        """The tensor, or operation, that a node takes."""
        source = _canonical(source)
        if source in self._map:
            self._unused.discard(source)
            self._unused.discard(source.removesuffix(":0"))
            return self._map[source]
        name = name_of(source)
        op = self._ops[name]
        if source.startswith("^"):
            return op
        number = source.rpartition(":")[2]
        if not number.isdigit() or int(number) >= len(op.outputs):
            raise ValueError(
                f"Node '{node.name}': Connecting to invalid output {number} of source node {name} which has "
                f"{len(op.outputs)} outputs."
            )
        return op.outputs[int(number)]

    def _add(self, node):
        """Adds a node whose inputs are there."""
        taken = [self._input(node, source) for source in node.input]
        inputs = [x for x in taken if isinstance(x, GraphTensor)]
        library, graph = self._library, self._graph
        name = graph.unique_name(node.name)
        attributes: dict = {}
        kinds = self._kinds(node)
        _check_inputs(self._prefix + node.name, node, inputs)
        called = list(library._called(node))
        ops = {node.op}.union(*map(library._ops_of, called))
        if any(map(ON_HOST.fullmatch, ops)) or node.op in _ASKS:
            attributes["on_host"] = True
        if node.op == "Placeholder":
            function = _unfed(name, node)
        elif node.op in VARIABLES:
            function = attributes["holds"] = None
        else:
            function = self._run_of(node, len(inputs))
        held = [graph.held_by[x] for x in inputs if x in graph.held_by]
        if node.op in ("AssignVariableOp", "Assign") and inputs and inputs[0] in graph.held_by:
            attributes["initializes"] = [graph.held_by[inputs[0]]]
        of_resource = held or any(x.dtype == dtypes.resource for x in inputs)
        known = definition(node.op)
        effect = bool(of_resource) and not _READ_ONLY.fullmatch(node.op) or (
            known is not None and not known.results and known.has_effects
        )
        draws = any(map(_RANDOM.fullmatch, ops))
        key = _key_of(node, library)
        if function is not None:
            function = _NodeCall(function, key, _given_as_values(node))
        op = ImportedOperation(graph, name, node, function, inputs, kinds, effect, attributes, held, draws)
        op.control_inputs = list(dict.fromkeys([
            *(x for x in taken if not isinstance(x, GraphTensor)), *([] if inputs else op.control_inputs)
        ]))  # fmt: skip
        if node.op in VARIABLES:
            variable = attributes["holds"] = _variable_for(graph, op)
            op.function = _held(variable)
            graph.held_by[op.outputs[0]] = variable
        elif _TABLES.fullmatch(node.op):
            key = node.attr["shared_name"].s.decode() or op
            op.function = _kept(op.function.run, key)
            attributes["holds"] = key
        graph.add(op)
        self._ops[node.name] = op

    def _run_of(self, node, count):
        library = self._library
        if node.op == FUNCTIONAL:
            made = functools.cache(library.functional[node.name])
            return lambda inputs: made()(inputs)
        try:
            return library.node(node, count)[0]
        except UnimplementedError as error:
            message = error.message

            def refused(inputs):
                raise UnimplementedError(None, None, message)

            return refused

    def _kinds(self, node):
        """The DTypes of a node's results."""
        library = self._library
        if node.op == FUNCTIONAL:
            return [dtypes.as_dtype(number) for number in node.attr["Tout"].list.type]
        if node.op in library.functions:
            return [dtypes.as_dtype(each.type) for each in library.functions[node.op].signature.output_arg]
        known = definition(node.op)
        for each in known.attributes.values():
            if each.default is REQUIRED and each.name not in node.attr:
                raise ValueError(f"NodeDef missing attr '{each.name}' from Op<name={node.op};>; NodeDef: "
                                 f"{{{{node {self._prefix}{node.name}}}}}")  # fmt: skip
        return library.kinds_of(node)


def _as_graph_tensor(value):
    if isinstance(value, GraphTensor):
        return value
    if isinstance(value, GraphVariable):
        return value.value_in_graph
    return graphs.record(convert_to_tensor, (value,), {}, "Const", "Const")


def _key_of(node, library):
    """What equal nodes have in common; those that call functions are equal to themselves alone."""
    if node.op == FUNCTIONAL or any(True for _ in library._called(node)):
        return node.op, id(node), id(library)
    attributes = NodeDef(op=node.op, attr={k: v for k, v in node.attr.items() if not k.startswith("_")})
    return node.op, attributes.SerializeToString(True)


def _given_as_values(node):
    """The places of inputs that are values, even where a variable stands for one."""
    known = definition(node.op)
    if known is None or any(each.is_list for each in known.inputs):
        return ()
    if node.op == "Identity" and node.attr["T"].type == dtypes.resource.as_datatype_enum:
        return ()
    handles = (dtypes.resource, dtypes.variant)
    return frozenset(i for i, each in enumerate(known.inputs) if not each.is_ref and each.type not in handles)


def _check_inputs(name, node, inputs):
    """Raises ValueError for inputs of other dtypes than a node says."""
    known = definition(node.op)
    if known is None or any(each.is_list for each in known.inputs):
        return
    for i, (each, tensor) in enumerate(zip(known.inputs, inputs, strict=False)):
        number = node.attr[each.type_attr].type if each.type_attr and each.type_attr in node.attr else 0
        expected = each.type or (dtypes.as_dtype(number % 100) if number else None)
        if expected is not None and tensor.dtype.base_dtype != expected:
            raise ValueError(
                f"Input {i} of node {name} was passed {type_name(tensor.dtype)} from {tensor.name} incompatible with "
                f"expected {type_name(expected)}."
            )


def _unfed(name, node):
    dtype = dtypes.as_dtype(node.attr["dtype"].type)
    shape = node.attr["shape"].shape if "shape" in node.attr else None
    known = shape is not None and not shape.unknown_rank
    told = f" and shape [{','.join('?' if d.size < 0 else str(d.size) for d in shape.dim)}]" if known else ""

    def unfed(inputs):
        raise InvalidArgumentError(
            None, None, f"You must feed a value for placeholder tensor '{name}' with dtype {type_name(dtype)}{told}"
        )

    return unfed


def _variable_for(graph, op):
    """The variable that an operation makes; the one of the graph that has this name, if there is one."""
    node = op.node
    shared = node.attr["shared_name"].s.decode() if "shared_name" in node.attr else ""
    name = shared or op.name
    for known in (*graph.held_by.values(), *graph.get_collection("variables")):
        if isinstance(known, GraphVariable) and getattr(known, "shared", known._name) == name:
            return known
    dtype = dtypes.as_dtype(node.attr["dtype"].type)
    return ImportedVariable(graph, name, dtype, to_shape(node.attr["shape"].shape), op)


def _run_at_once(graph_def, input_map, names):
    """In a function that is traced: the values of tensors of a GraphDef."""
    library = Library(graph_def, "tf.import_graph_def")
    given = {_canonical(key): convert_to_tensor(value) for key, value in input_map.items()}
    nodes, arguments, values = [], {}, []
    for node in graph_def.node:
        mine = [key for key in given if name_of(key) == node.name]
        if mine == [f"{node.name}:0"]:
            arguments[node.name] = len(values)
            values.append(given[mine[0]])
        else:
            nodes.append(node)
    wanted = [name for name in names or () if ":" in name]
    ordered = in_order(library, nodes, arguments, wanted, [])
    places = {node.name: i for i, node in enumerate(ordered)}
    results = []
    for name in wanted:
        node, _, number = name.partition(":")
        results.append((-1, arguments[node]) if node in arguments else (places[node], int(number)))
    found = dict(zip(wanted, run_nodes(library, ordered, results, values), strict=True))
    return None if names is None else [found.get(name) for name in names]

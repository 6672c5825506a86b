"""Graphs of TensorFlow 1 as GraphDefs: `tf.Graph.as_graph_def`.

Operations that only compute are traced together, so that derivatives and sizes go through all of them; one that assigns
variables, or asserts something, is traced alone. The recorded calls become nodes as in SavedModels. The last node of an
operation has its name.
"""

import functools

import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core import graphs
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.graph_variables import GraphVariable
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.spec import TensorSpec
from tfcompat._formats.graphs import GraphDef, VersionDef
from tfcompat._formats.tensors import proto_of
from tfcompat.array import fill
from tfcompat.compat._graph_import import ImportedOperation, ImportedVariable
from tfcompat.compat._runs import Run, State
from tfcompat.engine import program_behind
from tfcompat.errors import UnimplementedError
from tfcompat.function import Function
from tfcompat.saved_model._body import Body, Value, attribute_list
from tfcompat.saved_model._graph_bodies import Writer, Written
from tfcompat.saved_model._graph_functions import Library
from tfcompat.saved_model._graph_save import PRODUCER
from tfcompat.saved_model._structured import sizes_of
from tfcompat.saved_model._traces import Traces


class _GraphBody(Body):
    """The nodes of a graph.

    Attributes:
      owner: the operation that nodes are written for.
    """

    def __init__(self, names):
        super().__init__()
        self._names = set(names)
        self.owner = None

    def name(self, base):
        """A name within that of the owner, which no node and no operation has."""
        base = f"{self.owner.name}/{base}" if self.owner is not None else base
        count, name = 0, base
        while name in self._names:
            count += 1
            name = f"{base}_{count}"
        self._names.add(name)
        return name

    def op(self, op, *inputs, after=(), **attributes):
        """As that of `Body`; the node comes after what its owner waits for."""
        before = [x.name for x in self.owner.control_inputs] if self.owner is not None else []
        return super().op(op, *inputs, after=dict.fromkeys([*after, *before]), **attributes)


def graph_def_of(graph):
    """The GraphDef of a graph.

    Raises:
      tf.errors.UnimplementedError: an operation calls Python, draws from a dataset, or is otherwise none of
        TensorFlow's nodes.
    """
    key = len(graph.operations), len(graph.collections)
    known = graph.exported
    if known is None or known[0] != key:
        try:
            made = _Export(graph).graph_def()
        except Exception as error:
            if type(error).__name__ != "UnexpectedDimVar":  # of jax.export, which does not export the class
                raise
            raise UnimplementedError(
                None, None, f"tf.Graph.as_graph_def: an operation on unknown sizes is no node: {error}"
            ) from error
        known = graph.exported = key, made.SerializeToString()
    return GraphDef.FromString(known[1])


def _refuse(op, why):
    raise UnimplementedError(None, None, f"tf.Graph.as_graph_def: the operation {op.name!r} ({op.type}) {why}")


class _Export:
    """One graph on its way to a GraphDef."""

    def __init__(self, graph):
        self._graph = graph
        self._written, self._traces = Written(), Traces()
        self._variables = {}  # GraphVariable -> name of the node of its handle
        self._state = State()
        self._renamed = {}  # name of a node -> that of the operation that it is
        self._at = None  # the operation that is traced
        self._sparse = set()  # tensors whose values are IndexedSlices
        self._written.taken.update(graph.functions)
        for op in graph.operations:
            for x in (*op.variables, op.attributes.get("holds")):
                if isinstance(x, GraphVariable):
                    self._add_variable(x)

    def _add_variable(self, variable):
        if variable in self._variables:
            return
        if not variable._shape.is_fully_defined():
            _refuse(variable.op, "is a variable of unknown shape")
        self._variables[variable] = variable.op.name
        with engine.eager_scope(), graphs.paused():
            zeros = convert_to_tensor(0, variable.dtype) if variable.dtype != dtypes.string else convert_to_tensor("")
            self._state.initialize(variable, fill(variable._shape.as_list(), zeros))

    def graph_def(self):
        """The GraphDef."""
        body = self._compute()
        for op in self._graph.operations:
            asserts = not op.outputs and op.type != "NoOp"
            if (op.effect or asserts) and not isinstance(op, ImportedOperation) and not self._is_initializer(op):
                self._assign(body, op)
        nodes = [self._final(node) for node in body.nodes]
        made = GraphDef(node=[*nodes, *self._graph.loop_nodes.values()], versions=VersionDef(producer=PRODUCER))
        made.library.function.extend(self._graph.functions.values())
        made.library.function.extend(self._written.functions)
        self._places_as_numbers(made)
        return made

    # --- operations that are nodes --------------------------------------------------------------------------------

    def _is_initializer(self, op):
        return any(op is variable._initializer for variable in op.attributes.get("initializes", ()))

    def _node(self, body, op):
        """Adds the node that an operation is; False if it is none."""
        if isinstance(op, ImportedOperation):
            if op.name in self._graph.loop_nodes or op.type.startswith("_"):
                return True
            body.nodes.append(op.node_def)
            return True
        kind, name = op.type, op.name
        variable = next((v for v in op.variables if v in self._variables), None)
        if kind == "Placeholder":
            made = self._added(body, op, "Placeholder", (), dtype=op.attributes["dtype"], shape=op.attributes["shape"])
        elif kind == "PlaceholderWithDefault":
            made = self._added(body, op, kind, op.inputs, shape=op.outputs[0].shape)
        elif kind == "VarHandleOp" and variable is not None and op is variable._handle:
            marks = dict(dtype=variable.dtype, shape=variable._shape, shared_name=variable._name)
            made = self._added(body, op, "VarHandleOp", (), **marks)
        elif kind == "ReadVariableOp" and len(op.args) == 1 and variable is op.args[0]:
            made = self._read(body, op, variable)
        elif self._is_initializer(op):
            (variable,) = op.attributes["initializes"]
            value = Value(_place_of(op.inputs[0]), variable.dtype)
            made = self._added(body, op, "AssignVariableOp", [self._handle(variable), value], dtype=variable.dtype)
        elif "tag" in op.attributes:
            made = self._summary(body, op)
        elif kind == "NoOp" and not op.effect:
            made = self._added(body, op, "NoOp", ())
        elif kind.lower() in ("const", "constant") and (value := op.outputs[0].known_value()) is not None:
            dtype = op.outputs[0].dtype
            made = self._added(body, op, "Const", (), dtype=dtype, value=proto_of(value, dtype))
        else:
            return False
        assert made == name
        return True

    def _summary(self, body, op):
        """The node of a summary."""
        if op.type == "MergeSummary":
            return self._added(body, op, op.type, [[Value(_place_of(x), x.dtype) for x in op.inputs]])
        if op.type not in ("ScalarSummary", "HistogramSummary"):
            _refuse(op, "is a summary that is not written: only those of numbers and histograms are")
        body.owner = op
        tag = proto_of(np.array(op.attributes["tag"].encode(), object), dtypes.string)
        tag = body.op("Const", dtype=dtypes.string, value=tag)
        return self._added(body, op, op.type, [tag, *op.inputs])

    def _added(self, body, op, kind, inputs, **attributes):
        body.owner = op
        values = [x if isinstance(x, Value | list) else Value(_place_of(x), x.dtype) for x in inputs]
        body.op(kind, *values, **attributes)
        body.nodes[-1].name = op.name
        return op.name

    def _handle(self, variable):
        return Value(f"{self._variables[variable]}:0", dtypes.resource)

    def _read(self, body, op, variable):
        body.owner = op
        value = self._reading(body, variable)
        body.nodes[-1].name = value.source.partition(":")[0] if op is None else op.name
        return body.nodes[-1].name

    def _reading(self, body, variable):
        """The value of a variable, read for the owner of the nodes."""
        shape = attribute_list("shape", [sizes_of(variable._shape)])
        return body.op("ReadVariableOp", self._handle(variable), dtype=variable.dtype, marks={"_output_shapes": shape})

    # --- operations that compute ----------------------------------------------------------------------------------

    def _compute(self):
        """The body with all operations but those that assign."""
        operations = self._graph.operations
        pure = [op for op in operations if not op.effect]
        for op in operations:
            if "draw" in op.attributes or op.type in ("PyFunc", "PrintV2", "Iterator", "MakeIterator"):
                _refuse(op, "calls Python, or draws from a dataset: build the graph by Python code")
        fed = [x for op in operations for x in op.outputs
               if op.effect or op.type in ("Placeholder", "PlaceholderWithDefault")]  # fmt: skip
        fed = [x for x in fed if not self._is_handle(x) and not (x.op.effect and self._is_initializer(x.op))]
        used = _needed_by([op for op in operations if not isinstance(op, ImportedOperation)])
        fed = [x for x in fed if x.op in used]
        known = set(fed)
        computed = [op for op in pure if not any(x in known or self._is_handle(x) for x in op.outputs) and op.outputs
                    and "tag" not in op.attributes and op in used]
        # A constant text is no result of a trace, and a node as it is.
        outputs = [x for op in computed for x in op.outputs if x.dtype != dtypes.string or x.known_value() is None]
        if any(x.shape.rank is None for x in fed):
            _refuse(next(x.op for x in fed if x.shape.rank is None), "has an unknown rank")

        def run(*values):
            found = self._run(dict(zip(fed, values, strict=True)), computed)
            return [self._dense(x, found[x]) for x in outputs]

        body = _GraphBody(self._graph.by_name)
        self._write_together(body, fed, computed, outputs, *self._traced(run, fed))
        return body

    def _is_handle(self, tensor):
        return tensor.dtype in (dtypes.resource, dtypes.variant) or "holds" in tensor.op.attributes

    def _dense(self, tensor, value):
        if isinstance(value, IndexedSlices):
            self._sparse.add(tensor)
        return convert_to_tensor(value)

    def _run(self, values, operations):
        """Computes operations while a function is traced; dict from tensors to values."""
        for tensor in self._graph.held_by:
            values[tensor] = self._state.variables.get(self._graph.held_by[tensor])
        run = Run(self._graph, self._state, values)
        with graphs.paused(), graphs.computing(run):
            for self._at in operations:
                run.compute(self._at)
        return run.values

    def _traced(self, run, inputs):
        """(Arguments, trace) of a function of some tensors of the graph."""
        function = Function(run, [TensorSpec(x.shape, x.dtype) for x in inputs], autograph=False)
        ((args, kwargs),) = self._traces.signatures(function)
        try:
            return self._traces.by_rank(function, args, kwargs, lambda shapes, *made: made)[None]
        except UnimplementedError as error:
            _, _, why = error.message.partition("cannot be exported ")
            _refuse(self._at, f"is not written: {why or error.message}")

    def _write_together(self, body, fed, computed, outputs, arguments, traced):
        writer = Writer(self._written, "graph", 0, body)
        inputs = [Value(_place_of(x), x.dtype) for x in fed]
        body.know_sizes(arguments.avals, inputs)
        by_state = {id(held): variable for variable, held in self._state.variables.items()}
        read_at: dict = {}  # place among the inputs -> GraphVariable
        for i, held in enumerate(traced.variables):
            if id(held) in by_state:
                read_at[len(inputs) + i] = variable = by_state[id(held)]
                writer.variables[i] = None, variable
        writer.read = lambda i: None  # reads are made below
        inputs += writer.inputs_of(traced)
        steps, places, _ = (program := program_behind(traced.recorded))._plan or program._make_plan()
        places = places[: len(outputs)]
        place_of = dict(zip(outputs, places, strict=True))
        results, own = {}, {}
        direct = set()
        for op in self._graph.operations:
            is_node = not op.effect or isinstance(op, ImportedOperation) or self._is_initializer(op)
            if is_node and self._node(body, op):
                direct.add(op)
                for x in op.outputs:
                    if place_of.get(x, -1) >= 0:
                        results.setdefault(place_of[x], Value(_place_of(x), x.dtype))
        given = set(results)
        needed = engine.needed_steps(steps, [place_of[x] for x in outputs if x.op not in direct], given)
        reads: dict = {}

        def value_at(ref):
            if ref >= 0:
                return results[ref]
            variable = read_at.get(~ref)
            if variable is None:
                return inputs[~ref]
            waits = body.owner is not None and body.owner.control_inputs
            if waits or variable not in reads:
                found = None if waits else self._usual_read(variable, direct)
                value = found or self._reading(body, variable)
                if waits:
                    return value
                reads[variable] = value
            return reads[variable]

        at = 0
        for op in computed:
            if op in direct:
                continue
            body.owner = op
            first = len(body.nodes)
            last = max((place_of[x] for x in op.outputs), default=-1)
            for i in range(at, last + 1):
                if i in needed:
                    call, refs = steps[i]
                    results[i] = writer.call(call, [value_at(r) for r in refs])
            at = max(at, last + 1)
            values = [value_at(place_of[x]) for x in op.outputs]
            self._claim(body, op, values, body.nodes[first:], own)
        body.owner = None

    def _usual_read(self, variable, direct):
        """The Value of the operation of the graph that reads a variable and waits for nothing."""
        snapshot = variable.snapshot if isinstance(variable, ImportedVariable) else variable.value_in_graph
        if snapshot is not None and snapshot.op in direct and not snapshot.op.control_inputs:
            return Value(_place_of(snapshot), variable.dtype)
        return None

    def _claim(self, body, op, values, added, own, after=()):
        """Gives the node that computes the results of an operation its name, or adds one that passes them on."""
        names = {value.source.partition(":")[0] for value in values}
        if len(names) == 1 and not after:
            (name,) = names
            node = next((node for node in added if node.name == name), None)
            if node is not None and name not in own and _all_results(node, values):
                own[name] = self._renamed[name] = op.name
                return
        if not values:
            body.op("NoOp", after=after)
        elif len(values) == 1:
            body.op("Identity", values[0], after=after)
        else:
            body.op("IdentityN", values, after=after)
        own[body.nodes[-1].name] = self._renamed[body.nodes[-1].name] = op.name

    # --- operations that assign or assert -------------------------------------------------------------------------

    def _assign(self, body, op):
        """Writes an operation that assigns variables, or asserts something."""
        inputs = list(dict.fromkeys([*op.inputs, *op.captures]))
        optimizer = getattr(op.function, "__self__", None)
        rows = [x for x in inputs if x in self._sparse and not getattr(optimizer, "leaves_rows", False)]
        if rows:
            _refuse(op, f"takes a gradient of rows, {rows[0].name}, which no node takes here: use a dense gradient")

        def run(*values):
            found = self._run(dict(zip(inputs, values, strict=True)), [op])
            return [convert_to_tensor(found[x]) for x in op.outputs]

        self._write_assignment(body, op, inputs, *self._traced(run, inputs))

    def _write_assignment(self, body, op, inputs, arguments, traced):
        state, body.owner = body.state(), op
        writer = Writer(self._written, op.name, 0, body)
        values = [Value(_place_of(x), x.dtype) for x in inputs]
        body.know_sizes(arguments.avals, values)
        by_state = {id(held): variable for variable, held in self._state.variables.items()}
        for i, held in enumerate(traced.variables):
            if id(held) in by_state:
                writer.variables[i] = self._handle(by_state[id(held)]).source, by_state[id(held)]
        results = writer.traced(program_behind(traced.recorded), traced, values)
        _, effects, body._known_sizes, body._constants = state  # what waits for something is its own
        self._claim(body, op, results, [], {}, after=body.effects[effects:])
        body.owner = None

    # --- names ----------------------------------------------------------------------------------------------------

    def _final(self, node):
        """A node under the name of its operation."""
        if node.name in self._renamed:
            node.name = self._renamed[node.name]
        sources = [self._final_source(source) for source in node.input]
        node.ClearField("input")
        node.input.extend(sources)
        return node

    def _final_source(self, source):
        mark = "^" if source.startswith("^") else ""
        name, colon, rest = source.removeprefix("^").partition(":")
        return f"{mark}{self._renamed.get(name, name)}{colon}{rest}"

    def _places_as_numbers(self, graph_def):
        """Writes `node:result:number` as graphs do: `node`, or `node:number`."""
        library = Library(graph_def, "tf.Graph.as_graph_def")
        by_name = {node.name: node for node in graph_def.node}

        @functools.cache
        def places(name):
            node = by_name[name]
            count = sum(not source.startswith("^") for source in node.input)
            return {"output": 0} if node.op == "Placeholder" else library.node(node, count, only_places=True)

        for node in graph_def.node:
            # What is not written is nothing to wait for.
            sources = [source for source in node.input if source[0] != "^" or source[1:] in by_name]
            if len(sources) == len(node.input) and not any(":" in source for source in sources):
                continue
            for i, source in enumerate(sources):
                name, *rest = source.split(":")
                if len(rest) == 2:
                    rest = [str(places(name)[rest[0]] + int(rest[1]))]
                sources[i] = name if not rest or rest == ["0"] else f"{name}:{rest[0]}"
            node.ClearField("input")
            node.input.extend(sources)


def _needed_by(operations):
    """The operations, and those whose results they take."""
    needed, todo = set(), list(operations)
    while todo:
        op = todo.pop()
        if op not in needed:
            needed.add(op)
            todo += [x.op for x in (*op.inputs, *op.captures)]
    return needed


def _place_of(x):
    """How nodes refer to a tensor of the graph."""
    return f"{x.op.name}:{x.value_index}"


def _all_results(node, values):
    """Whether Values are all results of a node, in order."""
    library = Library(GraphDef(), "")
    kinds = library.kinds_of(node)
    if len(kinds) != len(values):
        return False
    if len(values) == 1:
        return True
    places = library.node(node, sum(not s.startswith("^") for s in node.input), only_places=True)
    numbers = []
    for value in values:
        _, *rest = value.source.split(":")
        numbers.append(int(rest[0]) if len(rest) == 1 else places[rest[0]] + int(rest[1]))
    return numbers == list(range(len(kinds)))


"""Graphs of concrete functions: what they would be as TensorFlow's nodes."""

import copy

from tfcompat import dtypes, nest
from tfcompat._core.spec import TensorSpec
from tfcompat._core.symbolic_sizes import symbolic_shapes
from tfcompat._formats.graphs import GraphDef, NodeDef, VersionDef
from tfcompat.errors import UnimplementedError
from tfcompat.function._arguments import Arguments
from tfcompat.saved_model._body import attribute
from tfcompat.saved_model._graph_bodies import Written, write_traced
from tfcompat.saved_model._graph_functions import Library
from tfcompat.saved_model._graph_save import PRODUCER


def graph_of(concrete):
    """The FunctionGraph of a concrete function.

    Raises:
      tf.errors.UnimplementedError: it takes text or a tensor of unknown rank, or calls Python.
    """
    ((args, kwargs),) = concrete._signatures()
    specs = [s for s in nest.flatten((args, kwargs), expand_composites=True) if isinstance(s, TensorSpec)]
    if any(spec.dtype is dtypes.string or spec.shape.rank is None for spec in specs):
        raise UnimplementedError(
            None, None, f"ConcreteFunction.graph: {concrete.name} takes text or a tensor of unknown rank"
        )
    arguments = Arguments(args, kwargs, symbolic_shapes([spec.shape.as_list() for spec in specs], ()))
    written = Written()
    name = write_traced(written, concrete.name, concrete._trace(arguments), arguments.avals, specs, 0)
    return FunctionGraph(concrete.name, written, name, specs)


class FunctionGraph:
    """A function as a graph of operations, for looking at; it is made anew for each concrete function.

    Attributes:
      name: of the function.
      inputs, outputs: TensorSpecs, named as tensors of the graph are.
      captured: dict from names of placeholders to the variables that they stand for.

    TF: the `graph` of a concrete function. Operations are those of this package's trace, so their names differ.
    """

    def __init__(self, name, written, function_name, specs):
        self.name = name
        function = next(f for f in written.functions if f.signature.name == function_name)
        renamed, nodes, self.inputs = {}, [], []
        for i, argument in enumerate(function.signature.input_arg):
            spec = specs[i] if i < len(specs) else TensorSpec([], dtypes.resource)
            node = NodeDef(name=(spec.name or argument.name) if i < len(specs) else argument.name, op="Placeholder")
            dict.__setitem__(node.attr, "dtype", attribute("type", spec.dtype))
            dict.__setitem__(node.attr, "shape", attribute("shape", spec.shape))
            renamed[argument.name] = node.name
            nodes.append(node)
            self.inputs.append(TensorSpec(spec.shape, spec.dtype, f"{node.name}:0"))
        taken = [node.name for node in nodes[len(specs) :]]
        self.captured = dict(zip(taken, written.bound[function_name], strict=True))
        self._graph_def = GraphDef(node=[*nodes, *function.node_def], versions=VersionDef(producer=PRODUCER))
        self._graph_def.library.function.extend(f for f in written.functions if f is not function)
        library = Library(self._graph_def, name)
        self._operations: dict = {}
        for node in self._graph_def.node:
            inputs = [self._tensor(renamed, source) for source in node.input]
            node.ClearField("input")
            node.input.extend(inputs)
            count = sum(not source.startswith("^") for source in inputs)
            self._operations[node.name] = GraphOperation(node, library, count)
        places = [self._tensor(renamed, function.ret[arg.name]) for arg in function.signature.output_arg]
        self.outputs = [self.get_tensor_by_name(place if ":" in place else f"{place}:0") for place in places]

    def _tensor(self, renamed, source):
        """How a graph refers to what a function refers to as `source`."""
        name, *rest = source.split(":")
        if name.startswith("^"):
            return source
        if not rest:
            return renamed.get(name, name)
        place = self._operations[name]._places[rest[0]] + int(rest[1])
        return f"{name}:{place}" if place else name

    def as_graph_def(self, from_version=None, add_shapes=False):
        """The GraphDef. `from_version` and `add_shapes` must have their defaults."""
        if from_version is not None or add_shapes:
            raise UnimplementedError(
                None, None, "as_graph_def: from_version and add_shapes are not available in tfcompat"
            )
        return copy.deepcopy(self._graph_def)

    def get_operations(self):
        """The operations, in an order in which they can run."""
        return list(self._operations.values())

    def get_operation_by_name(self, name):
        """The operation of this name; KeyError if there is none."""
        if name not in self._operations:
            raise KeyError(f"The name '{name}' refers to an Operation not in the graph.")
        return self._operations[name]

    def get_tensor_by_name(self, name):
        """The TensorSpec of the result `operation:number`; KeyError if there is none."""
        operation, _, number = name.partition(":")
        outputs = self.get_operation_by_name(operation).outputs
        if not number.isdigit() or int(number) >= len(outputs):
            raise KeyError(f"The name '{name}' refers to a Tensor which does not exist.")
        return outputs[int(number)]

    def __repr__(self):
        return f"<tfcompat.saved_model.FunctionGraph {self.name}: {len(self._operations)} operations>"


class GraphOperation:
    """An operation of a FunctionGraph.

    Attributes:
      name, type: of it, and of its kind.
      node_def: NodeDef.
      outputs: TensorSpecs of its results, of unknown shape.

    TF: `tf.Operation`, as far as it says what is in a graph.
    """

    def __init__(self, node, library, count):
        self.node_def, self.name, self.type, self._library = node, node.name, node.op, library
        self._places = {"output": 0} if node.op == "Placeholder" else library.node(node, count, only_places=True)
        self._kinds = library.kinds_of(node)
        self.outputs = [TensorSpec(None, kind, f"{node.name}:{i}") for i, kind in enumerate(self._kinds)]

    @property
    def inputs(self):
        """Names of the tensors that it takes."""
        return tuple(s if ":" in s else f"{s}:0" for s in self.node_def.input if not s.startswith("^"))

    def get_attr(self, name):
        """The value of an attribute; ValueError if it has none of this name."""
        if name not in self.node_def.attr:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return self._library.value(self.node_def.attr[name])

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"

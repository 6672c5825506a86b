"""`tf.compat.v1.wrap_function`: a graph of TensorFlow 1 as a function, and parts of it."""

from tfcompat import nest
from tfcompat._core import graphs
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.graphs import GraphTensor, Operation
from tfcompat._core.spec import TensorSpec
from tfcompat.compat._graph_shapes import Graph
from tfcompat.compat._recorded import placeholder
from tfcompat.compat._runs import Plan, State


class _Part:
    """A part of a graph, from some tensors to others, as a function of tensors.

    Args:
      graph, state: the graph, and the values of its variables.
      inputs: tensors of the graph.
      results: nest of tensors and operations.
      name: of the function.
    """

    def __init__(self, graph, state, inputs, results, name):
        self._graph, self._state, self._name = graph, state, name
        self._inputs, self.structured_outputs = list(inputs), results
        fetches = [graph.as_graph_element(x) if x is not None else None for x in nest.flatten(results)]
        self._fetches = fetches
        self._plan = Plan([x for x in fetches if x is not None], self._inputs)

    graph = property(lambda self: self._graph, doc="The graph of TensorFlow 1 that it is a part of.")
    name = property(lambda self: self._name, doc="Name of the function.")
    inputs = property(lambda self: list(self._inputs), doc="The tensors of the graph that a call gives values.")
    structured_input_signature = None

    @property
    def outputs(self):
        """The tensors of the graph whose values a call gives."""
        return [x for x in self._fetches if isinstance(x, GraphTensor)]

    @property
    def variables(self):
        """The variables of the graph that it uses, with their values."""
        used = dict.fromkeys(x for op in self._plan.operations for x in op.variables)
        return tuple(self._state.variable(x) for x in used if x in self._state.variables)

    @property
    def trainable_variables(self):
        """Those of the variables that train."""
        return tuple(x for x in self.variables if x.trainable)

    @property
    def captured_inputs(self):
        """The variables that it uses: they stand for their handles."""
        return list(self.variables)

    def __call__(self, *args, **kwargs):
        """The values of the results.

        Args:
          *args: values of the inputs, in order.
          **kwargs: of the others, by the names of their operations.

        Raises:
          TypeError: there are more or fewer values than inputs.
          ValueError: a shape does not fit.
        """
        values = self._bound(args, kwargs)
        run = self._plan
        known = dict(zip(self._inputs, values, strict=True))
        known.update(zip(run.fetches, run.run(self._state, values), strict=True))
        return nest.pack_sequence_as(self.structured_outputs, [known.get(x) for x in self._fetches])

    def _bound(self, args, kwargs):
        names = [x.op.name for x in self._inputs]
        given = [*nest.flatten(args)]
        unknown = kwargs.keys() - set(names[len(given):])
        if unknown:
            raise TypeError(f"{self._name} got two values for, or does not take, {sorted(unknown)}: it takes {names}")
        given += [kwargs[name] for name in names[len(given):] if name in kwargs]
        if len(given) != len(names):
            raise ValueError(
                f"Signature specifies {len(names)} arguments, got: {len(given)}. Expected inputs: {names}."
            )
        return [_value_for(x, value) for x, value in zip(self._inputs, given, strict=True)]

    def __repr__(self):
        return f"<tf.compat.v1 function {self._name}({', '.join(x.op.name for x in self._inputs)})>"


def _value_for(tensor, value):
    """A value that is passed, as a tensor of the dtype of `tensor`; ValueError if its shape does not fit."""
    with graphs.paused():
        value = convert_to_tensor(value, tensor.dtype)
    if not tensor.shape.is_compatible_with(value.shape):
        raise ValueError(f"{tensor.name} has the shape {tensor.shape}, got a value of shape {value.shape}")
    return value


class WrappedFunction(_Part):
    """A function whose calls were recorded in a graph of TensorFlow 1; its variables have their initial values.

    TF: what `tf.compat.v1.wrap_function` gives.
    """

    def prune(self, feeds, fetches, name=None, input_signature=None):
        """A function of some tensors of the graph, that computes what others need.

        Args:
          feeds: nest of tensors, or their names: what a call gives values, in order.
          fetches: nest of tensors, operations, or their names.
          name: of the function; by default "pruned".
          input_signature: must be None.

        Raises:
          ValueError: a feed is no tensor; the fetches need a placeholder that is not fed.
          KeyError: there is no such name.

        TF: `prune` of what `tf.compat.v1.wrap_function` gives.
        """
        if input_signature is not None:
            raise graphs.UnimplementedError(
                None, None, "prune: `input_signature` is not available in tfcompat: `feeds` says the order of arguments"
            )
        inputs = []
        for feed in nest.flatten(feeds):
            found = self._graph.as_graph_element(feed)
            if not isinstance(found, GraphTensor):
                raise ValueError(
                    f"All members of argument `feeds` must be tensors. Got {found} with type {type(found)}."
                )
            inputs.append(found)
        results = nest.map_structure(self._graph.as_graph_element, fetches)
        made = _Part(self._graph, self._state, inputs, results, name or "pruned")
        for op in made._plan.operations:
            if op.type == "Placeholder":
                raise ValueError(
                    f"Unable to lift {results} because it depends on the placeholder {op.name!r}: add it to `feeds`"
                )
        return made


def wrap_function(fn, signature, name=None):
    """Calls a function once, in a graph of TensorFlow 1, and makes a function of the graph.

    Args:
      fn: function of tensors that builds the graph.
      signature: list of TensorSpecs, its arguments.
      name: of the function; by default "wrapped_function".

    Returns:
      Function of tensors with attributes `graph`, `variables`, `inputs`, `outputs`, and the method `prune`.

    TF: `tf.compat.v1.wrap_function`.
    """
    graph, state = Graph(), State()
    with graph.as_default():
        args = nest.map_structure(_placeholder_for, signature)
        flat = nest.flatten(args)
        results = fn(*args) if isinstance(args, list | tuple) else fn(args)
        results = nest.map_structure(lambda x: _as_result(graph, x), results)
    initializers = [x.initializer for x in graph.get_collection("variables") if x.initializer is not None]
    initializers += graph.get_collection("table_initializer")
    if initializers:
        Plan(initializers, []).run(state, [])
    return WrappedFunction(graph, state, flat, results, name or "wrapped_function")


def _as_result(graph, x):
    if x is None or isinstance(x, Operation):
        return x
    return graph.as_graph_element(x) if isinstance(x, graphs.Recorded) else graphs.record(
        convert_to_tensor, (x,), {}, "Const", "Const"
    )  # fmt: skip


def _placeholder_for(spec):
    if not isinstance(spec, TensorSpec):
        raise TypeError(f"tf.compat.v1.wrap_function: the signature has {spec!r}, where a tf.TensorSpec is expected")
    return placeholder(spec.dtype, spec.shape, spec.name)

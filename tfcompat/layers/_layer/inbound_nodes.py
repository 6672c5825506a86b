"""The calls of a layer on KerasTensors: what went in, and what came out."""

from typing import Any

from tfcompat.layers._symbolic.keras_tensor import int_shape
from tfcompat.nest import map_structure


class InboundNodes:
    """The part of `Layer` that answers questions about its `inbound_nodes`."""

    name: str

    # How many nodes Keras counts before the first call: a model with inputs of its own has one, from these to its
    # outputs.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/functional.py
    _own_nodes: Any = 0

    @property
    def _inbound_nodes(self) -> list:
        """The calls of the layer. That of the Sequential which it is in comes first, and is made on demand."""
        sequential = self.__dict__.get("_sequential", lambda: None)()
        if sequential is not None:
            sequential._tensors()
        return self.__dict__.setdefault("_nodes_in", [])

    @property
    def _outbound_nodes(self) -> list:
        """The calls of other layers on outputs of this one."""
        return self.__dict__.setdefault("_nodes_out", [])

    inbound_nodes = property(lambda self: self._inbound_nodes, doc="List of the calls of the layer on KerasTensors.")
    outbound_nodes = property(
        lambda self: self._outbound_nodes, doc="List of the calls of other layers on outputs of this one."
    )

    def _prepare(self, inputs):
        """Called before the layer is traced on KerasTensors."""

    def _at(self, index, attribute, described) -> Any:
        nodes = self._inbound_nodes
        if not nodes:
            raise RuntimeError(f"The layer {self.name} has never been called and thus has no defined {described}.")
        if not len(nodes) > index:
            raise ValueError(
                f"Asked to get {described} at node {index}, but the layer has only {len(nodes)} inbound nodes."
            )
        values = getattr(nodes[index], attribute)
        return values[0] if isinstance(values, list) and len(values) == 1 else values

    def get_input_at(self, node_index) -> Any:
        """The KerasTensors that went into a call of the layer.

        Raises:
          RuntimeError: there was no call.
          ValueError: there were fewer calls.
        """
        return self._at(node_index, "input_tensors", "input")

    def get_output_at(self, node_index) -> Any:
        """The KerasTensors that came out of a call of the layer; as `get_input_at`."""
        return self._at(node_index, "output_tensors", "output")

    def get_input_shape_at(self, node_index) -> Any:
        """The shapes of what went into a call of the layer, as tuples; as `get_input_at`."""
        return self._at(node_index, "input_shapes", "input shape")

    def get_output_shape_at(self, node_index) -> Any:
        """The shapes of what came out of a call of the layer, as tuples; as `get_input_at`."""
        return self._at(node_index, "output_shapes", "output shape")

    def get_input_mask_at(self, node_index):
        """The masks of what went into a call of the layer, None for what has none; as `get_input_at`."""
        return map_structure(_mask_of, self._at(node_index, "input_tensors", "input mask"))

    def get_output_mask_at(self, node_index):
        """The masks of what came out of a call of the layer, None for what has none; as `get_input_at`."""
        return map_structure(_mask_of, self._at(node_index, "output_tensors", "output mask"))

    @property
    def input_mask(self):
        """The masks of what went into the layer's first call, None for what has none."""
        return map_structure(_mask_of, self.input)

    @property
    def output_mask(self):
        """The masks of what came out of the layer's first call, None for what has none."""
        return map_structure(_mask_of, self.output)

    @property
    def input(self) -> Any:
        """The KerasTensors that went into the layer's first call.

        Raises:
          AttributeError: there was none.
        """
        if not self._inbound_nodes:
            raise AttributeError(f"Layer {self.name} is not connected, no input to return.")
        return self.get_input_at(0)

    @property
    def output(self) -> Any:
        """The KerasTensors that came out of the layer's first call.

        Raises:
          AttributeError: there was none.
        """
        if not self._inbound_nodes:
            raise AttributeError(f"Layer {self.name} has no inbound nodes.")
        return self.get_output_at(0)

    def _one_shape(self, which, hint):
        described = which.replace("_", " ")
        nodes = self._inbound_nodes
        if not nodes:
            raise AttributeError(
                f'The layer "{self.name}" has never been called and thus has no defined {described}.{hint}'
            )
        shapes = [getattr(node, f"{which}s") for node in nodes]
        if any(shape != shapes[0] for shape in shapes):
            raise AttributeError(
                f'The layer "{self.name}" has multiple inbound nodes with different {described}s. Hence the notion of '
                f'"{described}" is ill-defined for the layer. Use `get_{which}_at(node_index)` instead.'
            )
        return shapes[0]

    @property
    def input_shape(self) -> Any:
        """Shape of the input as a tuple, None where it varies; a structure of these for several.

        Raises:
          AttributeError: the layer was never called on KerasTensors, nor is it in a Sequential that knows its shapes;
            or it was called on several shapes.
        """
        hint = " Note that the `input_shape` property is only available for Functional and Sequential models."
        return self._one_shape("input_shape", hint)

    @property
    def output_shape(self) -> Any:
        """Shape of the output as a tuple; as `input_shape`."""
        return self._one_shape("output_shape", "")


def shapes_of(tensors) -> Any:
    """The shapes of a structure of KerasTensors, as tuples."""
    return map_structure(int_shape, tensors)


def _mask_of(symbol):
    return getattr(symbol, "_keras_mask", None)

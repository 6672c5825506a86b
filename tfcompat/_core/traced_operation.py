"""Operations of tensors in a function that is traced: what `tensor.op` gives there."""

import re

from tfcompat._core.graphs import Operation
from tfcompat._core.node_names import tensor_name
from tfcompat._core.tensor import SymbolicTensor, wrap


class TracedOperation(Operation):
    """The operation that computes a tensor of a function that is traced: for its name, type, inputs and outputs.

    It cannot be run or looked up, and has no attributes.

    TF: `tf.Operation`, `tensor.op` in a `tf.function`.
    """

    control_inputs = ()
    attributes: dict = {}

    def __init__(self, node):
        if node.call is not None and hasattr(node.call, "index"):  # one of several results
            node = node.inputs[0]
        self._node = node
        self.graph = node.graph
        self.name = tensor_name(node).rpartition(":")[0]
        kernel = "Placeholder" if node.call is None else node.call.operation.name or "PartitionedCall"
        # Where TensorFlow has several operations, the name of the last one says its type.
        inner = re.sub(r"_\d+$", "", self.name.rpartition("/")[2])
        tails = node.graph.names.tails_of(node) if node.graph.names is not None else ()
        self.type = inner if inner[:1].isupper() and any(tails) else kernel

    @property
    def inputs(self):
        """The tensors that it takes."""
        return [wrap(node) for node in self._node.inputs]

    @property
    def outputs(self):
        """The tensors that it gives."""
        results = [x for x in self.graph.nodes if x.inputs and x.inputs[0] is self._node and hasattr(x.call, "index")]
        return [wrap(node) for node in results or [self._node]]

    def run(self, feed_dict=None, session=None):
        raise NotImplementedError("An operation of a tf.function runs when the function does.")

    def __eq__(self, other):
        return isinstance(other, TracedOperation) and self._node is other._node

    def __hash__(self):
        return id(self._node)


def _operation(tensor):
    """The operation that computes it, in the function that is traced."""
    return TracedOperation(tensor._node)


SymbolicTensor.op = property(_operation)  # pyright: ignore

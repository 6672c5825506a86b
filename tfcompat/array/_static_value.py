"""What is known of a tensor without running anything."""

from tfcompat import engine
from tfcompat._core.convert import is_tensor
from tfcompat._core.graphs import GraphTensor
from tfcompat._core.tensor import EagerTensor, SymbolicTensor


def get_static_value(tensor, partial=False):
    """The value of a tensor if it is known without running anything.

    Args:
      tensor: tensor, or a Python or NumPy value.
      partial: changes nothing.

    Returns:
      NumPy array; None for what a function being traced computes, for variables, and for KerasTensors, ragged and
      sparse tensors. Where a graph is built: of constants, sizes, and what is put together of these.

    TF: `tf.get_static_value`; no known difference.
    """
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    if isinstance(tensor, SymbolicTensor):
        try:
            return engine.array_of(tensor._node)
        except engine.SymbolicValueError:
            return None
    if isinstance(tensor, GraphTensor):
        return tensor.known_value()
    return None if is_tensor(tensor) else tensor


def is_symbolic_tensor(tensor):
    """Whether a tensor belongs to a function being traced.

    Args:
      tensor: any value.

    Returns:
      bool.

    TF: `tf.is_symbolic_tensor`; no known difference.
    """
    return isinstance(tensor, SymbolicTensor)

"""tensorflow/python/eager/record.py."""

from tfcompat import engine
from tfcompat._core.tensor import Tensor


def could_possibly_record():
    """Whether a tape is recording."""
    return bool(engine.state.context.watchers)


def should_record_backprop(tensors):
    """Whether a tape is recording that watches one of these tensors.

    Args:
      tensors: list of Tensors.
    """
    nodes = {x._node for x in tensors if isinstance(x, Tensor)}
    return any(not nodes.isdisjoint(getattr(tape, "_watched", ())) for tape in engine.state.context.watchers)

"""The order of operations: nothing to do."""

import contextlib

from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import convert_to_tensor


@contextlib.contextmanager
def control_dependencies(control_inputs):
    """Operations run in the order in which they are called; nothing to do. TF: `tf.control_dependencies`."""
    yield


def group(*inputs, **kwargs):
    """Nothing: operations have run in order. TF: `tf.group`."""


def no_op(name=None):
    """Nothing. TF: `tf.no_op`."""


def tuple_(tensors, control_inputs=None, name=None):
    """The tensors, as a list. TF: `tf.tuple`."""
    return [x if x is None or isinstance(x, CompositeTensor) else convert_to_tensor(x) for x in tensors]

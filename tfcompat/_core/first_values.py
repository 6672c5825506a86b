"""First values of variables, computed on the host.

A model has hundreds of variables of many shapes. XLA would compile code for each, which runs once: 20 s for a
MobileNetV2.
"""

import math

import numpy as np

from tfcompat.engine._policy import KERNELS

_rules: dict = {}


def rule(operation):
    """Decorator of a function that computes `operation` on the host, of its attributes and NumPy arrays.

    It returns the result of the operation to the last bit, or None where it cannot.
    """

    def register(function):
        _rules[operation] = function
        return function

    return register


def on_host(node):
    """The value of a pending node, computed as a NumPy array; None if it has a value, or no rule computes it."""
    if node.value is not None or node.call is None or node.call.operation not in _rules:
        return None
    arrays = [parent.value for parent in node.inputs]
    small = all(array is not None and math.prod(array.shape) <= KERNELS.host_parameters for array in arrays)
    if not small or math.prod(node.aval.shape) > KERNELS.initial_values:
        return None
    return _rules[node.call.operation](node.call.attributes.values, *map(np.asarray, arrays))

"""Values of a graph's tensors that are known while it is built: those that constants and sizes decide."""

from typing import Any

import numpy as np

from tfcompat import engine, nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.graph_state import paused
from tfcompat._core.shape import TensorShape
from tfcompat.engine._policy import RECORDING

# Kinds of operations whose results are known where their inputs are, and checks that are made at once then.
_KNOWN_KINDS = frozenset(
    "const constant converttotensor shape size rank range cast concat concatv2 stack pack unpack split fill zeros ones "
    "zeroslike oneslike equal notequal stopgradient identity".split()
)
_CHECKS = frozenset(
    "assertequal assertnoneequal assertless assertlessequal assertgreater assertgreaterequal assertpositive "
    "assertnegative assertnonpositive assertnonnegative".split()
)
# Where the functions are that are computed for constants.
_FOLDED = (
    "_operator", *[f"tfcompat.{name}" for name in ("array", "bitwise", "linalg", "math", "nn", "strings", "_core")]
)

# What is known of results where only the shape of the input is.
_OF_SHAPES = {
    "shape": lambda shape: shape.as_list() if shape.is_fully_defined() else None,
    "size": TensorShape.num_elements,
    "rank": lambda shape: shape.rank,
    "zeroslike": lambda shape: np.zeros(shape.as_list()) if shape.is_fully_defined() else None,
    "oneslike": lambda shape: np.ones(shape.as_list()) if shape.is_fully_defined() else None,
}


def _plain(kind):
    return kind.lower().replace("_", "")


def is_check(kind):
    """Whether operations of this kind check values."""
    return _plain(kind) in _CHECKS


def known_value(tensor):
    """`GraphTensor.known_value` of a tensor of a graph, looked for."""
    op, kind = tensor.op, _plain(tensor.op.type)
    if kind not in _KNOWN_KINDS or op.captures or op.variables:
        return None
    if kind in _OF_SHAPES:
        shape = op.inputs[0].shape if op.inputs else None
        value = None if shape is None else _OF_SHAPES[kind](shape)
        return None if value is None else np.asarray(value, tensor.dtype.np)
    return _result(tensor, computed_now(op.function, op.args, op.kwargs))


def folded_value(tensor):
    """`GraphTensor.folded_value` of a tensor of a graph, looked for."""
    known, op, size = tensor.known_value(), tensor.op, tensor.shape.num_elements()
    if known is not None:
        return known
    module = getattr(op.function, "__module__", None) or ""
    if not module.startswith(_FOLDED) or _plain(op.type) == "placeholderwithdefault":
        return None
    if op.captures or op.variables or op.draws or op.effect:
        return None
    if size is not None and size > RECORDING.folded:
        return None
    try:
        return _result(tensor, computed_now(op.function, op.args, op.kwargs, folded=True))
    except Exception:  # it is raised when the graph runs
        return None


def partly_known(tensor):
    """The entries of a vector of integers, as ints, and None for those that constants do not decide."""
    folded, op = tensor.folded_value(), tensor.op
    if folded is not None:
        return np.ravel(folded).tolist()
    kind, count = _plain(op.type), tensor.shape.num_elements()
    parts = op.args[0] if op.args and isinstance(op.args[0], list | tuple) else []
    if kind in ("pack", "stack", "concat", "concatv2") and parts:
        entries = [entry for part in parts for entry in _entries(part)]
        if len(entries) == count and -1 not in entries:  # what takes the place of -1 would depend on the others
            return entries
    return [None] * count


def _entries(part):
    if isinstance(part, list | tuple):
        return [entry for one in part for entry in _entries(one)]
    if not hasattr(part, "in_run"):
        return np.ravel(part).tolist()
    return partly_known(part) if part.shape.is_fully_defined() else []


def _result(tensor, results):
    return None if results is None else nest.flatten(results)[tensor.value_index].numpy()


def computed_now(function, args, kwargs, folded=False):
    """What a call gives if the values of all tensors in it are known, or folded where that is asked; else None."""
    tensors = [x for x in nest.flatten((args, kwargs)) if hasattr(x, "in_run")]
    values = []
    for x in tensors:
        look = getattr(x, "folded_value" if folded else "known_value", None)  # variables have none
        values.append(None if look is None else look())
        if values[-1] is None:
            return None
    with engine.eager_scope(), paused():
        by_tensor = dict(zip(tensors, map(convert_to_tensor, values), strict=True))
        known: Any = nest.map_structure(lambda x: by_tensor[x] if hasattr(x, "in_run") else x, (args, kwargs))
        return function(*known[0], **known[1])

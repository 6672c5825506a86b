"""Queues in graphs: an operation uses the queue when a session runs it, before anything is computed."""

import functools

import numpy as np

from tfcompat import dtypes
from tfcompat._core import graphs
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.graphs import GraphTensor, Inferred, Result, record
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import wrap

METHODS = "enqueue enqueue_many dequeue dequeue_many dequeue_up_to size close is_closed".split()
_KINDS = {"size": "QueueSize", "close": "QueueClose", "is_closed": "QueueIsClosed"}


def recorded_method(name, method):
    """A method of queues, recorded where a graph is built."""

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        if graphs.current() is None:
            return method(self, *args, **kwargs)
        return _recorded(self, name, method, args, kwargs)

    return call


def _recorded(queue, name, method, args, kwargs):
    given = kwargs.pop("name", None)
    kind = _KINDS.get(name, f"Queue{name.title().replace('_', '')}V2")
    tensors, values = [], None
    if name.startswith("enqueue"):
        (values,) = (*args, *kwargs.values())
        parts = values if isinstance(values, list | tuple | dict) else [values]
        parts = [parts[key] for key in queue.names] if isinstance(parts, dict) else list(parts)
        if len(parts) != len(queue.dtypes):
            parts = [values]
        tensors = [x if isinstance(x, GraphTensor) else record(convert_to_tensor, (x, dtype), {}, "Const", "Const")
                   for x, dtype in zip(parts, queue.dtypes, strict=True)]  # fmt: skip

    def draw(state, *values):
        if not name.startswith("enqueue"):
            result = method(queue, *args, **kwargs)
            flat = list(result.values()) if isinstance(result, dict) else result
            return [] if flat is None else list(flat) if isinstance(flat, list) else [flat]
        values = [x if isinstance(x, np.ndarray) else np.asarray(x) for x in map(_array, values)]
        named = queue.names
        method(queue, dict(zip(named, values, strict=True)) if named else values)
        return []

    prefix = getattr(queue, "name", None) or type(queue).__name__
    known, named = Inferred(_results(queue, name, args)), given or f"{prefix}_{name}"
    return record(_nothing, tuple(tensors), {}, named, kind, known, attributes={"draw": draw})


def _array(x):
    return x.numpy() if hasattr(x, "numpy") else wrap(x).numpy() if hasattr(x, "aval") else x


def _results(queue, name, args):
    """The structure of what a method gives, of Results."""
    if name in ("size", "is_closed"):
        return Result([], dtypes.int32 if name == "size" else dtypes.bool)
    if not name.startswith("dequeue"):
        return None
    more = [] if name == "dequeue" else [args[0] if name == "dequeue_many" and isinstance(args[0], int) else None]
    shapes = [TensorShape(more).concatenate(shape) for shape in queue.shapes]
    found = [Result(shape, dtype) for shape, dtype in zip(shapes, queue.dtypes, strict=True)]
    if queue.names:
        return dict(zip(queue.names, found, strict=True))
    return found[0] if len(found) == 1 else found


def _nothing(*tensors):
    return None

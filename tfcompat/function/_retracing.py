"""Functions that are traced again: TF's warning where that is too often, and which argument was the cause."""

import collections
import os
import types
import weakref

from tfcompat import engine, nest
from tfcompat._core.convert import to_node
from tfcompat._core.spec import TensorSpec
from tfcompat._core.symbolic_sizes import known_or_none
from tfcompat._core.variable import Variable
from tfcompat._package.logging import logger
from tfcompat.engine._policy import REPORTING
from tfcompat.function._arguments import TENSORS

_CALLS = 10      # how many calls are looked back at
_TRACINGS = 5    # how many tracings among these calls are too many
_WARNINGS = 2    # warnings for one function


class Detector:
    """Counts the calls of a function, and those that traced it."""

    def __init__(self):
        self.calls = 0  # since the last tracing
        self._between = collections.deque()  # calls from one tracing to the next
        self._warnings = 0
        self._traces = []  # what is explained: (reference to the function, its arguments as `_described`)
        self.causes = collections.Counter()

    def explained(self, function, args, kwargs):
        """Says on stderr why a function was traced again.

        Args:
          function: the compiled function.
          args, kwargs: of the call, in the order of its parameters.
        """
        told = _described(function.function_type, args, kwargs)
        same = [arguments for ref, arguments in self._traces if ref() is function]
        if same:
            closest = min(reversed(same), key=lambda other: len(_differences(told, other)))
            causes = _differences(told, closest)
        else:
            causes = [("made again", "it is another tf.function of the same code: make it once, outside of the loop")]
            causes = causes if self._traces else []
        if causes:
            engine.say(f"tracing {_where(function)} again: {'; '.join(text for _, text in causes)}")
            self.causes.update(cause for cause, _ in causes)
            _EXPLAINED[_where(function)] = self.causes
        self._traces.append((weakref.ref(function), told))
        del self._traces[:-REPORTING.traces]

    def traced(self, name):
        """Notes a call that traced; warns if there are too many."""
        if self._between:
            self._between[-1] += self.calls
        elif self.calls:
            self._between.append(self.calls)
        self.calls = 0
        self._between.append(1)
        while sum(self._between) - self._between[0] > _CALLS:
            self._between.popleft()
        if len(self._between) < _TRACINGS or self._warnings >= _WARNINGS:
            return
        self._warnings += 1
        logger.warning(
            "%d out of the last %d calls to %s triggered tf.function retracing. Tracing is expensive and the excessive "
            "number of tracings could be due to (1) creating @tf.function repeatedly in a loop, (2) passing tensors "
            "with different shapes, (3) passing Python objects instead of tensors. For (1), please define your "
            "@tf.function outside of the loop. For (2), @tf.function has reduce_retracing=True option that can avoid "
            "unnecessary retracing. For (3), please refer to https://www.tensorflow.org/guide/function"
            "#controlling_retracing and https://www.tensorflow.org/api_docs/python/tf/function for  more details.",
            len(self._between), sum(self._between), name,
        )  # fmt: skip


_detectors: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def detector_of(function):
    """The Detector of a Python function; functions made of the same code share one."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    key = getattr(getattr(function, "__func__", function), "__code__", None)
    if not isinstance(key, types.CodeType):
        return Detector()
    return _detectors.setdefault(key, Detector())


# --- why a function was traced again ----------------------------------------------------------------------------------

_EXPLAINED: dict = {}  # function and its line -> Counter of causes

_ADVICE = {
    "shape": "another shape of {}: tf.function(reduce_retracing=True), or an input_signature with None",
    "dtype": "another dtype of {}: cast it before the call",
    "value": "another Python value of {}: pass a tensor, tf.constant(value)",
    "object": "another object as {}: each object has a trace of its own; pass the same one where that does",
    "kind": "{} is once a tensor, once a Python value: pass one of these",
    "structure": "another structure of the arguments: pass the same number of them",
    "made again": "made again from the same code: make the tf.function once, outside of the loop",
}


def summary():
    """Lines that say which functions were traced again, how often and why, and what helps."""
    lines = []
    for place, causes in sorted(_EXPLAINED.items(), key=lambda each: -sum(each[1].values())):
        lines.append(f"{place} was traced again:")
        for cause, count in causes.most_common():
            kind, _, name = cause.partition(" of ")
            times = "once" if count == 1 else f"{count} times"
            lines.append(f"  {times}: {_ADVICE[kind].format(name)}")
    return lines


def _where(function):
    code = getattr(function.python_function, "__code__", None)
    at = f" ({os.path.basename(code.co_filename)}:{code.co_firstlineno})" if code is not None else ""
    return f"{function.name}{at}"


def _described(signature, args, kwargs):
    """{name of a leaf of the arguments: what it is}: (kind, dtype or type, shape or value)."""
    names = list(signature.parameters) if signature is not None else []
    last = [p.name for p in signature.parameters.values() if p.kind is p.VAR_POSITIONAL] if names else []
    if last:
        place = names.index(last[0])
        names[place:] = [f"{last[0]}[{i}]" for i in range(len(args) - place)]
    names += [f"argument {i}" for i in range(len(names), len(args))]
    told = {}
    kinds = dict(zip(names, args, strict=False)) | kwargs
    for name, value in kinds.items():
        for path, leaf in nest.flatten_with_paths(value):
            told[name + "".join(f"[{key}]" for key in path)] = _leaf(leaf)
    return told


def _leaf(x):
    if isinstance(x, TENSORS):
        aval = to_node(x).aval
        return "tensor", aval.dtype.name, str(tuple(known_or_none(aval.shape)))
    if isinstance(x, TensorSpec):
        return "tensor", x.dtype.name, str(x.shape)
    if isinstance(x, Variable):
        return "variable", x.dtype.name, f"{x.name} with id {id(x)}"
    is_plain = isinstance(x, bool | int | float | complex | str | bytes | type(None))
    text = repr(x) if is_plain else f"{type(x).__name__} with id {id(x)}"
    return "value" if is_plain else "object", type(x).__name__, text


def _differences(told, other):
    """[(cause, text)] of what tells the arguments from those of an earlier trace."""
    if told.keys() != other.keys():
        new = [name for name in told if name not in other]
        gone = [name for name in other if name not in told]
        return [("structure", f"the arguments are nested otherwise: {', '.join([*new, *gone][:3])}")]
    found = []
    for name, (kind, dtype, rest) in told.items():
        old_kind, old_dtype, old = other[name]
        if (kind, dtype, rest) == (old_kind, old_dtype, old):
            continue
        if kind != old_kind:
            found.append((f"kind of {name}", f"{name} is a {_KINDS[kind]}, it was a {_KINDS[old_kind]}"))
        elif kind == "tensor":
            if dtype != old_dtype:
                found.append((f"dtype of {name}", f"{name} is {dtype}, it was {old_dtype}"))
            if rest != old:
                found.append((f"shape of {name}", f"{name} has shape {rest}, it had {old}"))
        elif kind == "value":
            found.append((f"value of {name}", f"{name} is {rest}, it was {old}; each Python value is traced"))
        else:
            found.append((f"object of {name}", f"{name} is another object, {rest}; it was {old}"))
    return found


_KINDS = {"tensor": "tensor", "variable": "variable", "value": "Python value", "object": "Python object"}

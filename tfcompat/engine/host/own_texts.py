"""What traces have told of calls that are in no family, kept for later processes.

Derivatives of captured graphs, jacobians and the like are no operations of the package with a name that identifies
them. What such a call computes can still be told: by the functions that it is made of, down to the calls of its
graphs. Under a digest of that, `OWN` keeps the shapes and dtypes of its results, what they depend on, and its plan. It
has no text where a function of the user's is among what it is made of.
"""
import contextlib
import functools
import hashlib
from typing import Any

from tfcompat.engine._aval import Aval
from tfcompat.engine.host.plan import Plan
from tfcompat.engine.host.rules import Unknown
from tfcompat.engine.host.shelf import (
    OWN,
    NotText,
    data_of,
    dependence_of,
    identity_of,
    plan_of,
    results_of,
    shapes_of,
    text_of,
)

_FAILS = "fails"  # in the place of a plan that cannot be made
_DAMAGED = KeyError, TypeError, ValueError, AttributeError  # what is missing or was not written here


class Told:
    """What is known of a call; to be asked once it is needed. Without a text nothing is known, and nothing kept."""

    def __init__(self, call):
        self._key = None
        self._data: dict = {}
        if not any([aval.traced or not _is_known(aval.shape) for aval in call.in_avals]):
            with contextlib.suppress(NotText):
                self._key = hashlib.sha256(_of_call(call).encode()).hexdigest()
                known = OWN.get(self._key)
                self._data = known if type(known) is dict else {}

    def result(self):
        """(shape and dtype of the result, or a list of them, `Call.depends`, `Call.zeros`); None if unknown."""
        with contextlib.suppress(*_DAMAGED):
            return shapes_of(self._data["results"]), *dependence_of(self._data["depends"])
        return None

    def note_result(self, aval, depends, zeros):
        """Keeps what a trace has told of the result."""
        dependence = [part and [sorted(each) for each in part] for part in (depends, zeros)]
        self._note({"results": results_of(aval), "depends": dependence})

    def plan(self, call):
        """The Plan of the call, traced if it is unknown.

        Raises:
          Unknown: NumPy cannot compute it.
        """
        known = self._data.get("plan")
        if known == _FAILS:
            raise Unknown(call.operation.name)
        with contextlib.suppress(*_DAMAGED):
            return plan_of(known)
        try:
            plan = Plan.of(call.jaxpr())
        except Unknown:
            self._note({"plan": _FAILS})
            raise
        with contextlib.suppress(NotText):
            self._note({"plan": data_of(plan)})
        return plan

    def _note(self, data):
        if self._key is not None:
            self._data = self._data | data
            OWN.put(self._key, self._data)


def _is_known(shape):
    return all([type(size) is int for size in shape])


def _of_call(call):
    operation, attributes = call.operation, getattr(call, "attributes", None)
    if attributes is None:  # a pick
        return f"{operation.name} {call.index}"
    if operation.identity is not None:
        what = f"{operation.identity}({','.join(map(_of, attributes.values))})"
    elif operation.origin is not None:
        primal, variables = operation.origin
        what = f"derivative {_of(variables)} of {_of_call(primal)}"
    else:
        what = _of(call.fn)
    return f"{what} {' '.join(map(repr, call.in_avals))}"


def _of(value: Any):
    """What a function computes, or what an attribute is, as text.

    Raises:
      NotText: it has none.
    """
    kind = type(value)
    if kind is functools.partial:
        named = ",".join([f"{name}={_of(x)}" for name, x in sorted(value.keywords.items())])
        return f"{_of(value.func)}[{','.join(map(_of, value.args))};{named}]"
    if kind is tuple:
        return f"({','.join(map(_of, value))})"
    if kind is bytes:
        return hashlib.sha256(value).hexdigest()
    if kind is Aval:
        return repr(value)
    program: Any = getattr(value, "__self__", None)
    if hasattr(program, "steps") and hasattr(program, "outputs"):
        steps = ";".join([f"{_of_call(call)} {refs}" for call, refs in program.steps])
        return f"{value.__name__} of {{{steps} -> {program.outputs}}}"
    if callable(value):
        identity = identity_of(getattr(value, "__name__", ""), value)
        if identity is None:
            raise NotText(value)
        return identity
    return text_of(value)

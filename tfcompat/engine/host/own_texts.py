"""What traces have told of calls that are in no family, kept for later processes.

Derivatives of captured graphs, jacobians and the like are no operations of the package with a name that identifies
them. What such a call computes can still be told: by the functions that it is made of, down to the calls of its
graphs. Under a digest of that, `OWN` keeps the shapes and dtypes of its results, what they depend on, and its plan. It
has no text where a function of the user's is among what it is made of.
"""
import contextlib
import functools
import hashlib
import re
from typing import Any

from tfcompat.engine import _sizes
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

_SYMBOL = re.compile(r"\bs\d+\b")
_FAILS = "fails"  # in the place of a plan that cannot be made
_DAMAGED = KeyError, TypeError, ValueError, AttributeError  # what is missing or was not written here


class Told:
    """What is known of a call; to be asked once it is needed. Without a text nothing is known, and nothing kept."""

    def __init__(self, call):
        self._key = None
        self._data: dict = {}
        if not any([aval.traced or not _is_known(aval.shape) for aval in call.in_avals]):
            with contextlib.suppress(NotText):
                self._key = hashlib.sha256(_with_places(_Text().of_call(call)).encode()).hexdigest()
                known = OWN.get(self._key)
                self._data = known if type(known) is dict else {}

    def result(self):
        """(shape and dtype of the result, or a list of them, `Call.depends`, `Call.zeros`); None if unknown."""
        with contextlib.suppress(*_DAMAGED):
            return shapes_of(self._data["results"]), *dependence_of(self._data["depends"])
        return None

    def note_result(self, aval, depends, zeros):
        """Keeps what a trace has told of the result, if its sizes are known."""
        if not all([_is_known(part.shape) for part in getattr(aval, "parts", (aval,))]):
            return
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


def text_of_program(program):
    """Text that tells what a program computes from all else.

    Raises:
      NotText: there is none.
    """
    return _with_places(_Text().of_program(program))


def _with_places(text):
    """A text with numbers of symbols that no other process changes, and the sizes that they stand for."""
    known = _sizes.known_sizes()
    names: dict = {}
    text = _SYMBOL.sub(lambda found: names.setdefault(found[0], f"s{len(names)}"), text)
    return text + "".join([f" {new}={known[name]}" for name, new in names.items() if name in known])


def _is_known(shape):
    return all([type(size) is int for size in shape])


class _Text:
    """Writes calls as text. A program that comes again is its number."""

    def __init__(self):
        self._programs: dict = {}
        self._calls: dict = {}

    def of_call(self, call):
        text = self._calls.get(call)
        if text is None:
            text = self._of_new_call(call)
            if "{" not in text:  # without a program, which may be a number next time
                self._calls[call] = text
        return text

    def _of_new_call(self, call):
        operation, attributes = call.operation, getattr(call, "attributes", None)
        if attributes is None:  # a pick
            return f"{operation.name} {call.index}"
        if operation.identity is None and operation.made_of is None:
            what = self.of(call.fn)
        else:
            what = f"{self.of(operation)}{self.of(attributes.values)}"
        return f"{what} {' '.join(map(repr, call.in_avals))}"

    def of(self, value: Any):
        """What an operation, a call or a function computes, or what a static value is.

        Raises:
          NotText: it has no text.
        """
        kind = type(value)
        if kind is functools.partial:
            return f"{self.of(value.func)}{self.of(value.args)}{self.of(tuple(sorted(value.keywords.items())))}"
        if kind is tuple:
            return f"({','.join(map(self.of, value))})"
        if kind is bytes:
            return hashlib.sha256(value).hexdigest()
        if kind is Aval:
            return repr(value)
        if hasattr(value, "made_of"):  # an operation
            return value.identity or self.of(value.made_of or value.fn)
        if hasattr(value, "operation"):  # a call
            return self.of_call(value)
        program: Any = getattr(value, "__self__", None)
        if hasattr(program, "steps") and hasattr(program, "outputs"):
            return f"{value.__name__} of {self.of_program(program)}"
        if callable(value):
            identity = identity_of(getattr(value, "__name__", ""), value)
            if identity is None:
                raise NotText(value)
            return identity
        return text_of(value)

    def of_program(self, program):
        """As `of`, of the steps and outputs of a program."""
        if program in self._programs:
            return f"#{self._programs[program]}"
        steps = ";".join([f"{self.of_call(call)} {refs}" for call, refs in program.steps])
        self._programs[program] = len(self._programs)
        return f"{{{steps} -> {program.outputs}}}"

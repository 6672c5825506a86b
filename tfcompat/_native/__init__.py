"""The compiled twins of Python functions: whether there are any, which function each stands for, how they are bound.

What is done for each operation, tape and iteration of a loop exists twice, in Python and in C. The Python function
says what is right and can do everything. Its C twin takes the calls that are plain, and leaves all others to it.

A module binds a function, or a class, to its twin where it defines it:

    @twin
    def record(call, inputs): ...

The name then stands for the twin if there is one, else for the Python function, which is in `PYTHON` in any case.
C needs more than the arguments of a call: classes, whose slots it reads, and functions that it calls. Modules hand
these over with `handed_over` and `hand_over`.

There are no twins where the package was installed without a C compiler, where TFCOMPAT_NATIVE is "off", and on
interpreters without the global lock, on which C's reads and writes rely.
"""

import functools
import importlib
import os
import sys
import typing

_T = typing.TypeVar("_T")
VERSION = 19  # of what Python expects of the C code: NATIVE_VERSION in native.h


class Twin(typing.NamedTuple):
    """A row of `TWINS`."""

    compiled: str  # name in the C module
    test: str      # in tests/engine/test_native.py: runs both and compares


_RECORDED = "test_what_is_recorded_is_what_python_records"
_VALUES = "test_functions_do_the_same"
_REPLICAS = "test_variables_of_replicas_are_assigned_alike"

# The module and the qualified name of a Python function or class -> its twin.
TWINS = {
    "tfcompat.engine._graph.Node": Twin("Node", _VALUES),
    "tfcompat.engine._record.record": Twin("record", _RECORDED),
    "tfcompat.engine._record._leaves": Twin("leaves", _VALUES),
    "tfcompat.engine._record.run_at_once": Twin("run_at_once", _RECORDED),
    "tfcompat.engine._record.next_iteration": Twin("next_iteration", "test_turns_of_a_loop_are_gathered_alike"),
    "tfcompat.engine._structure.Wiring": Twin("Wiring", _VALUES),
    "tfcompat.engine._structure.inputs_of": Twin("inputs_of", _VALUES),
    "tfcompat.engine._structure.seen": Twin("seen", _VALUES),
    "tfcompat.engine._structure.calls_of": Twin("calls_of", _VALUES),
    "tfcompat.engine._structure.many_wanted": Twin("many_wanted", "test_what_others_hold_is_counted_as_python_does"),
    "tfcompat.engine._structure.take_unwanted": Twin("take_unwanted", "test_what_nobody_holds_is_taken_out"),
    "tfcompat.engine._flush._set_values": Twin("set_values", _VALUES),
    "tfcompat.engine._parts.parts_of": Twin("parts_of", _VALUES),
    "tfcompat.engine._parts.wholes_of": Twin("wholes_of", _VALUES),
    "tfcompat.engine._gathering.in_order": Twin("in_order", _VALUES),
    "tfcompat.distribute._values.select_replica": Twin("select_replica", _VALUES),
    "tfcompat.distribute._collectives.marked": Twin("marked", _REPLICAS),
    "tfcompat.distribute._lockstep.values_now": Twin("values_now", _VALUES),
    "tfcompat.engine._program.arrays_of": Twin("arrays", _VALUES),
    "tfcompat.engine._program.arrays_for_replicas": Twin("arrays_for_replicas", _VALUES),
    "tfcompat.engine._program.known_arrays": Twin("known_arrays", _VALUES),
    "tfcompat._core.tensor.wrap": Twin("wrap", _VALUES),
    "tfcompat._core.variable.ResourceVariable._as_node": Twin("as_node", _RECORDED),
    "tfcompat._core.variable.Variable.assign": Twin("assign", _RECORDED),
    "tfcompat._core.variable.Variable.assign_add": Twin("assign_add", _RECORDED),
    "tfcompat._core.variable.Variable.assign_sub": Twin("assign_sub", _RECORDED),
    "tfcompat.distribute._variables.MirroredVariable.assign": Twin("assign_in_replica", _REPLICAS),
    "tfcompat.distribute._variables.MirroredVariable.assign_add": Twin("assign_add_in_replica", _REPLICAS),
    "tfcompat.distribute._variables.MirroredVariable.assign_sub": Twin("assign_sub_in_replica", _REPLICAS),
    "tfcompat._core.variable.take_each": Twin("take_each", _RECORDED),
    "tfcompat._core.variable._exchange": Twin("exchange", _VALUES),
    "tfcompat._core.known_calls.KnownCalls.function.<locals>.known": Twin("KnownCall", _RECORDED),
    "tfcompat._core.operators.bind_binary.<locals>.forward": Twin("Operator", _RECORDED),
    "tfcompat._core.operators.bind_binary.<locals>.reflected": Twin("Operator", _RECORDED),
    "tfcompat.math._operators._static_power": Twin("Operator", _RECORDED),
    "tfcompat.array._operators._getitem": Twin("Indexing", _RECORDED),
    "tfcompat.tape._gradient_tape.GradientTape.__init__": Twin("begin_tape", _RECORDED),
    "tfcompat.tape._gradient_tape.GradientTape.__enter__": Twin("enter_tape", _RECORDED),
    "tfcompat.tape._gradient_tape.GradientTape.__exit__": Twin("leave_tape", _RECORDED),
    "tfcompat.tape._gradient_tape.GradientTape.observe": Twin("observe", _RECORDED),
    "tfcompat.tape._gradient_tape.GradientTape.variable_accessed": Twin("variable_accessed", _RECORDED),
    "tfcompat.tape._gradient_tape.GradientTape.gradient": Twin("gradient", _RECORDED),
    "tfcompat.tape._gradient_tape.GradientTape.jacobian": Twin("jacobian", _RECORDED),
    "tfcompat.tape._gradient_tape.GradientTape.batch_jacobian": Twin("batch_jacobian", _RECORDED),
    "tfcompat.tape._walk.flattened": Twin("flattened", _VALUES),
    "tfcompat.function._function._plain_key": Twin("plain_key", _VALUES),
    "tfcompat.function._trace._read": Twin("read", _RECORDED),
}

# What modules hand over to C, and the slots of classes that C reads and writes: HANDED_OVER and SLOTS in native.h.
HANDED_OVER = {
    "Graph": ("nodes", "symbolic", "limit", "cut_point", "iteration_ends", "loop", "on_host", "immediate", "report",
              "gathering"),
    "Context": ("graph", "pending", "watchers", "trial", "running", "replica"),
    "state": (),
    "node_text": (),
    "Aval": ("traced", "inexact", "host", "large"),
    "TupleAval": ("parts", "traced", "picks"),
    "Call": ("aval", "differentiable", "depends", "host", "programs", "check", "at_once", "operation"),
    "Operation": ("calls", "weight", "requires_results"),
    "no_attributes": (),
    "apply_to_tracers": (),
    "limit_reached": (),
    "parts": (),
    "cut_before_assignment": (),
    "flush": (),
    "running": (),
    "undo": (),
    "run_ended": (),
    "UnrolledLoop": ("calls", "_iterations", "_max_pending", "_pending_from"),
    "ndarray": (),
    "on_device": (),
    "Failure": (),
    "Part": ("whole", "number", "place", "_index", "is_divided", "_taken"),
    "no_report": (),
    "KnownCheck": ("needed", "passed"),
    "check_known": (),
    "check_in_capture": (),
    "note_assignment": (),
    "recording_policy": (),
    "tape_policy": (),
    "immediate": (),
    "debugging": (),
    "DType": (),
    "EagerTensor": ("_node",),
    "SymbolicTensor": (),
    "ResourceVariable": (),
    "UnreadVariable": ("_variable",),
    "MirroredVariable": (),
    "PerReplica": (),
    "SyncOnReadVariable": (),
    "Gathering": (
        "_count", "_meetings", "_starts", "_keys", "running", "reached", "_assignments", "goes_on", "owner",
        "attributes", "marks", "reports",
    ),
    "Meeting": ("kind", "values", "collectives", "results"),
    "SUM": (),
    "MARK": (),
    "READ": (),
    "assign_operation": (),
    "add_operation": (),
    "subtract_operation": (),
    "GradientTape": (
        "_records", "_watched", "_variables", "_reads", "_watch_accessed_variables", "_persistent", "_recording",
        "_usable", "_used",
    ),
    "UnconnectedGradients": (),
    "unconnected_none": (),
    "kinds_of_jacobian": (),
    "kinds_of_batch_jacobian": (),
    "Walk": ("call", "captures", "results"),
    "patterns": (),
}  # fmt: skip

PYTHON: dict = {}  # as in `TWINS` -> the Python function or class; of one that is made again and again the last


def _load():
    """(C module or None, why there is none)."""
    if os.environ.get("TFCOMPAT_NATIVE", "") in ("off", "0"):
        return None, "switched off by TFCOMPAT_NATIVE"
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None, "not for an interpreter without the global lock"
    try:
        module = importlib.import_module("tfcompat._native._compiled")
    except ImportError as error:
        return None, f"not built: {error}"
    if module.VERSION != VERSION:
        return None, "built for another version of tfcompat: install it again"
    return module, None


compiled, missing = _load()


def twin(function: _T) -> _T:
    """Decorator: the compiled twin of a Python function or class, or that itself where there is none."""
    compiled_name = _row(function)
    if compiled is None:
        return function
    return getattr(compiled, compiled_name) if isinstance(function, type) else compiled.Twin(compiled_name, function)


def twin_with(*tables) -> typing.Callable[[_T], _T]:
    """Decorator: as `twin`, of a function whose twin reads the tables that the function fills."""

    def bind(function):
        compiled_name = _row(function)
        return function if compiled is None else getattr(compiled, compiled_name)(*tables, function)

    return bind


def twin_function_with(*tables) -> typing.Any:
    """Decorator: as `twin_with`, for functions of users: libraries ask whether ops are Python functions."""

    def bind(function):
        known = twin_with(*tables)(function)
        if compiled is None:
            return function

        @functools.wraps(function)
        def call(*args, **kwargs):
            return known(args, kwargs)

        return call

    return bind


def _row(function):
    """The name of the twin of a function."""
    name = f"{function.__module__}.{function.__qualname__}"
    PYTHON[name] = function
    return TWINS[name].compiled


def hand_over(**objects):
    """Hands objects over to C, by their names in `HANDED_OVER`; they may be handed over again."""
    if compiled is not None:
        compiled.register(**objects)


def handed_over(thing: _T) -> _T:
    """Decorator: hands a class or a function over to C, by its name without leading underscores."""
    named: typing.Any = thing
    hand_over(**{named.__name__.lstrip("_"): thing})
    return thing

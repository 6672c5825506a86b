"""Functions whose variables keep the values of a moment.

TensorFlow traces the functions of a dataset when they are passed to it. What they read of Python is then part of the
graph: free variables, globals, default arguments. A function that is called later, for each element, must not see what
became of these in the meantime.
"""

import dis
import functools
import types
from typing import Any

import numpy as np

from tfcompat._tracing.libraries import is_of_a_library
from tfcompat._tracing.status import is_artifact

_LIVE = "__tfcompat_live__"  # in the globals of a copy: what they were made of
_LARGEST_ARRAY = 1 << 20  # bytes
_MOST_VALUES = 10_000  # of lists and other containers


def as_of_now(function):
    """A copy of a function that reads its variables as they are now, and so do the functions that it calls.

    Shared with the user stay: variables that the function assigns itself, attributes of objects and modules, arrays
    above 1 MiB, and containers beyond 10,000 values. They may be data that only a `tf.py_function` reads, which reads
    them late in TensorFlow as well.

    Args:
      function: a Python function, method or `functools.partial` of these. Other callables are returned as they are.
    """
    return _Copies().of(function)


def live(function):
    """The function whose variables are the user's: undoes `as_of_now`, also for functions defined in a copy."""
    if type(function) is functools.partial:
        return functools.partial(live(function.func), *function.args, **function.keywords)
    if type(function) is types.MethodType:
        return types.MethodType(live(function.__func__), function.__self__)
    if type(function) is not types.FunctionType or _LIVE not in function.__globals__:
        return function
    record = function.__globals__[_LIVE]
    known = record.functions.get(id(function))
    if known is not None:
        return live(known[1])
    cells = [record.cells.get(id(cell), (cell, cell))[1] for cell in function.__closure__ or ()]
    return live(_remade(function, record.scope, cells))


class _Live:
    """In the globals of a copied function: what it and its like were made of.

    Attributes:
      scope: the globals of the user's function.
      cells, functions: id of a copy -> (the copy, the user's).
    """

    def __init__(self, scope, cells, functions):
        self.scope, self.cells, self.functions = scope, cells, functions


class _Copies:
    """The copies of one call of `as_of_now`."""

    def __init__(self):
        self._made: dict = {}  # id of a value or cell -> (it, its copy)
        self._cells: dict = {}
        self._functions: dict = {}
        self._room = _MOST_VALUES

    def of(self, value) -> Any:
        """The copy of a value, or the value itself where it stays shared."""
        if id(value) in self._made:
            return self._made[id(value)][1]
        kind = type(value)
        if kind is types.FunctionType:
            return self._function(value)
        if kind is types.MethodType:
            return types.MethodType(self.of(value.__func__), value.__self__)
        if kind is functools.partial:
            keywords = {name: self.of(x) for name, x in value.keywords.items()}
            return functools.partial(self.of(value.func), *map(self.of, value.args), **keywords)
        if kind is np.ndarray:
            return self._kept(value, value.copy() if value.nbytes <= _LARGEST_ARRAY else value)
        if kind in (list, dict, set, tuple) and len(value) <= self._room:
            self._room -= len(value)
            return self._container(value)
        made = getattr(kind, "_as_of_now", None)  # of a `tf.function`
        return value if made is None else self._kept(value, made(value, self))

    def _kept(self, value, copy):
        self._made[id(value)] = value, copy
        return copy

    def _container(self, value):
        if type(value) is list:
            copies = self._kept(value, [])
            copies.extend(map(self.of, value))
            return copies
        if type(value) is dict:
            copies = self._kept(value, {})
            copies.update((key, self.of(x)) for key, x in value.items())
            return copies
        return self._kept(value, set(value) if type(value) is set else tuple(map(self.of, value)))

    def _function(self, function):
        names, assigned = _variables(function.__code__)
        is_foreign = is_of_a_library(function) and not is_artifact(function)
        if is_foreign or names & assigned:  # the scope of a copy holds none of the user's globals
            return function
        user_cells = function.__closure__ or ()
        cells = [
            cell if name in assigned else self._cell(cell)
            for name, cell in zip(function.__code__.co_freevars, user_cells, strict=True)
        ]
        user_scope, scope = function.__globals__, {}
        made = self._kept(function, _remade(function, scope, cells))
        self._functions[id(made)] = made, function
        scope[_LIVE] = _Live(user_scope, self._cells, self._functions)
        scope.update((name, x) for name, x in user_scope.items() if name.startswith("__") and name != _LIVE)
        scope.update((name, self.of(user_scope[name])) for name in names if name in user_scope)
        made.__defaults__ = made.__defaults__ and tuple(map(self.of, made.__defaults__))
        made.__kwdefaults__ = made.__kwdefaults__ and {k: self.of(x) for k, x in made.__kwdefaults__.items()}
        for cell, copy in zip(user_cells, cells, strict=True):
            if copy is not cell and not _is_filled(copy) and _is_filled(cell):
                copy.cell_contents = self.of(cell.cell_contents)
        return made

    def _cell(self, cell):
        if not _is_filled(cell):  # it will be, before the function is called
            return cell
        if id(cell) not in self._made:
            copy = self._kept(cell, types.CellType())
            self._cells[id(copy)] = copy, cell
        return self._made[id(cell)][1]


def _is_filled(cell):
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _remade(function, scope, cells):
    """A function of the same code with other variables."""
    made = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, tuple(cells))
    functools.update_wrapper(made, function)
    made.__dict__ = dict(function.__dict__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


@functools.lru_cache(maxsize=2048)
def _variables(code):
    """(names of globals that the code loads, names of globals and free variables that it assigns)."""
    names, assigned = set(), set()
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if name in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.add(instruction.argval)
        elif name in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            names.add(instruction.argval)
            assigned.add(instruction.argval)
        elif name in ("STORE_DEREF", "DELETE_DEREF") and instruction.argval in code.co_freevars:
            assigned.add(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner_names, inner_assigned = _variables(constant)
            names |= inner_names
            assigned |= inner_assigned - set(code.co_cellvars)
    return frozenset(names), frozenset(assigned)

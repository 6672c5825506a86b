"""Functions that conversion would not change: without control flow or calls of the user's functions."""

import builtins
import dis
import functools
import inspect
import types

import jax
import numpy as np

from tfcompat import dtypes
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable

_LIBRARIES = ("tfcompat", "numpy", "jax", "math")
_VALUES = (
    bool, int, float, complex, str, bytes, types.NoneType, np.ndarray, np.generic, jax.Array, Tensor, Variable,
    dtypes.DType, TensorShape, TensorSpec,
)  # fmt: skip
_BUILTINS = frozenset("print isinstance tuple list dict set max min sum zip type str repr round slice".split())
_CONTROL = {"UNARY_NOT", "IMPORT_NAME", "IMPORT_FROM", "LOAD_BUILD_CLASS", "MAKE_FUNCTION", "RAISE_VARARGS"}


def is_plain(function, args, kwargs):
    """Whether the code of a function shows that, with these arguments, it runs the same converted or not."""
    if type(function) is not types.FunctionType:
        return False
    used = _used_by(function.__code__)
    if used is None:
        return False
    names, free = used
    scope = function.__globals__
    for name in names:
        if name in scope:
            if not _is_plain_value(scope[name]):
                return False
        elif name not in _BUILTINS or not hasattr(builtins, name):
            return False
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    try:
        if not all(_is_plain_value(cells[name].cell_contents) for name in free):
            return False
    except ValueError:  # a cell that is still empty
        return False
    return all(map(_is_plain_value, args)) and all(map(_is_plain_value, kwargs.values()))


def _is_plain_value(value):
    if isinstance(value, _VALUES):
        return True
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in _LIBRARIES
    if isinstance(value, type):
        return value.__module__.partition(".")[0] in _LIBRARIES
    if type(value) in (list, tuple):
        return len(value) <= 64 and all(map(_is_plain_value, value))
    if type(value) is dict:
        return len(value) <= 64 and all(map(_is_plain_value, value.values()))
    return False


@functools.lru_cache(maxsize=2048)
def _used_by(code):
    """(global names, free variables) that the code loads; None if it has control flow, or functions in it."""
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return None
    if any(isinstance(constant, types.CodeType) for constant in code.co_consts):
        return None
    names, free = set(), set()
    previous_name = ""
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        jumps = instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs
        # The end of a `with` jumps if there was an exception; and past its handler, which Python 3.13 does backwards.
        harmless = previous_name == "WITH_EXCEPT_START" or name in ("JUMP_FORWARD", "JUMP_BACKWARD_NO_INTERRUPT")
        if name in _CONTROL or jumps and not harmless:
            return None
        if name in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.add(instruction.argval)
        elif name in ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_CLOSURE"):
            free.add(instruction.argval)
        if name not in ("TO_BOOL", "CACHE", "NOT_TAKEN"):
            previous_name = name
    return frozenset(names), frozenset(free & set(code.co_freevars))

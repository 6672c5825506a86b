"""Sizes that are symbols: what is recorded for unknown sizes is replayed on arrays, whose sizes are known.

Static attributes may hold symbols, or expressions of them (`reshape` to `2*s1`). While a graph is replayed, this module
knows the sizes that its symbols stand for, and calls that were bound to symbols take the numbers.
"""

import ast
import contextlib
import functools
import operator
from typing import Any

import jax

from tfcompat._package.thread_state import ThreadState
from tfcompat.engine._policy import KEEPING


class _Known(ThreadState):
    sizes: dict = {}  # name of a symbol -> int, or expression of symbols of another graph
    for_a_family = False


_known = _Known()


def known_sizes():
    """What symbols stand for in this thread, by name."""
    return _known.sizes


def for_a_family():
    """Whether this thread traces for the symbols of a family, see `_families`."""
    return _known.for_a_family


def trace_for_a_family():
    """From now on, this thread does so."""
    _known.for_a_family = True


def depend_on_sizes():
    """Is called by what computes something else for other sizes: no trace for the symbols of a family may hold it."""
    if _known.for_a_family:
        raise ValueError("what this computes depends on the sizes themselves, so its calls are no family")


@contextlib.contextmanager
def sizes_known(sizes):
    """In the context symbols stand for these sizes: a dict by name."""
    outer = _known.sizes
    _known.sizes = sizes
    try:
        yield
    finally:
        _known.sizes = outer


def keeping_sizes(fn):
    """`fn`, to be called later, with the sizes that are known now."""
    sizes = _known.sizes
    if not sizes:
        return fn

    @functools.wraps(fn)
    def called(*args):
        with sizes_known(sizes):
            return fn(*args)

    return called


def has_symbols(value):
    """Whether a static attribute, a value or a nested tuple, holds symbols."""
    if type(value) is tuple:
        return any([has_symbols(item) for item in value])
    return jax.export.is_symbolic_dim(value)


def with_sizes(value) -> Any:
    """A static attribute with sizes in place of its symbols, as far as they are known."""
    if type(value) is tuple:
        return tuple([with_sizes(item) for item in value])
    if not jax.export.is_symbolic_dim(value):
        return value
    try:
        return evaluated(str(value), _known.sizes)
    except KeyError:
        return value


def evaluated(expression, sizes):
    """The number of an expression of symbols, as text."""
    size = sizes.get(expression)
    return _evaluated(_parsed(str(expression)), sizes) if size is None else size


def bound(fn, attributes):
    """`fn` with a dict of static attributes, some of which hold symbols."""
    return lambda *arrays: fn(*arrays, **{name: with_sizes(value) for name, value in attributes.items()})


@functools.lru_cache(maxsize=KEEPING.traces)
def _parsed(text):
    # JAX writes expressions of sizes as Python's, but for powers.
    return ast.parse(text.replace("^", "**"), mode="eval").body


_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow}


def _extreme(name, of_numbers):
    """`max` or `min` of sizes, which may be symbols."""

    def extreme(*sizes):
        unknown = [size for size in sizes if type(size) is not int]
        if not unknown:
            return of_numbers(sizes)
        text = f"{name}({', '.join(map(str, sizes))})"
        return jax.export.symbolic_shape(text, scope=unknown[0].scope)[0]

    return extreme


_FUNCTIONS = {
    "floordiv": operator.floordiv, "mod": operator.mod, "max": _extreme("max", max), "min": _extreme("min", min),
}  # fmt: skip


def _evaluated(tree, sizes) -> Any:
    if isinstance(tree, ast.Constant):
        return tree.value
    if isinstance(tree, ast.Name):
        return sizes[tree.id]
    if isinstance(tree, ast.UnaryOp):
        return -_evaluated(tree.operand, sizes)
    if isinstance(tree, ast.BinOp):
        return _OPERATORS[type(tree.op)](_evaluated(tree.left, sizes), _evaluated(tree.right, sizes))
    arguments = [_evaluated(argument, sizes) for argument in tree.args]
    return _FUNCTIONS[tree.func.id](*arguments)

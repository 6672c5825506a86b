"""Sizes that are symbols: shape arithmetic while a function is traced, or exported, for unknown sizes.

Elsewhere all sizes are known and `tf.shape` is a host constant. Here it is recorded. Where an argument must be a shape,
`fold` repeats what was computed from `tf.shape`, on the symbols, with the ops' host functions.
"""

import itertools
import math
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import max_dim, min_dim
from jax.errors import InconclusiveDimensionOperation

from tfcompat import engine
from tfcompat._core.tensor import wrap
from tfcompat._package.thread_state import ThreadState
from tfcompat.engine._policy import KERNELS
from tfcompat.errors import UnimplementedError


class NeedsValues(UnimplementedError):
    """A trace cannot go on, since shapes depend on values. A `tf.function` then runs as plain Python."""


NeedsValues.__name__ = NeedsValues.__qualname__ = "UnimplementedError"  # the name that users see

class _Folding(ThreadState):
    """Attributes:
    of_values: function of a node to an array of symbols for its values; None where values are no sizes.
    """

    of_values: Any = None


folding = _Folding()

_SHAPE = engine.Operation("Shape", lambda x, *, dtype: jnp.array(x.shape, dtype), ("dtype",), differentiable=False)


def are_known(shape):
    """Whether all sizes are numbers."""
    return all([type(size) is int for size in shape])


def known_or_none(shape):
    """List of the sizes, None where they are symbols."""
    return [size if type(size) is int else None for size in shape]


def is_symbol(size):
    """Whether a size is a symbol or an expression of symbols."""
    return jax.export.is_symbolic_dim(size)


def sizes_of(tensor):
    """The shape of a tensor as a tuple, with symbols in place of unknown sizes."""
    return tensor._node.aval.shape


def is_less(a, b):
    """Whether one size is surely less than another."""
    try:
        return bool(a < b)
    except InconclusiveDimensionOperation:
        return False


def larger(a, b):
    """The larger of two sizes."""
    return max(a, b) if type(a) is type(b) is int else max_dim(a, b)


def smaller(a, b):
    """The smaller of two sizes."""
    return min(a, b) if type(a) is type(b) is int else min_dim(a, b)


def symbolic_shapes(shapes, shared=()):
    """The shapes, with a symbol for every unknown size.

    Args:
      shapes: lists of ints and None.
      shared: axes whose unknown sizes are one symbol for all shapes.
    """
    counter = itertools.count()
    result = []
    for shape in shapes:
        if any(d is None for d in shape):
            names = [
                str(d) if d is not None else f"d{axis}" if axis in shared else f"e{next(counter)}"
                for axis, d in enumerate(shape)
            ]
            shape = jax.export.symbolic_shape(",".join(names), scope=_SCOPE)
        result.append(tuple(shape))
    return result


# One scope for all functions, which may use each other's sizes.
_SCOPE = jax.export.SymbolicScope()
_numbers = itertools.count()


def names_of_symbols(value):
    """The sorted names of the symbols in a nest of sizes: of `symbolic_shapes`, and of `new_symbols`."""
    return sorted(set(re.findall(r"\b[des]\d+\b", str(value))))


def is_new(name):
    """Whether a name is that of one of the `new_symbols`."""
    return name.startswith("s")


def new_symbols(names):
    """A new symbol for each name in the nested list `names`: shapes of sizes, and of strings that name symbols."""
    made: dict = {}

    def size(name):
        if type(name) is not str:
            return name
        if name not in made:
            (made[name],) = jax.export.symbolic_shape(f"s{next(_numbers)}", scope=_SCOPE)
        return made[name]

    return [tuple(map(size, shape)) for shape in names]


def sizes_by_name(avals, arrays):
    """What symbols stand for, by name: those known before, and those in the shapes of avals, by arrays."""
    sizes = dict(engine.known_sizes())
    for aval, array in zip(avals, arrays, strict=False):
        sizes.update((str(d), size) for d, size in zip(aval.shape, array.shape, strict=True) if type(d) is not int)
    return sizes


@engine.made_once
def for_all_sizes(operation, avals):
    """An operation that was recorded for symbols, as one for all sizes that they may stand for.

    Args:
      operation: engine.Operation.
      avals: of its first inputs, in which each symbol stands by itself.
    """

    def fn(*arrays):
        sizes = sizes_by_name(avals, arrays)
        if all([str(size) == name for name, size in sizes.items()]):
            return operation.fn(*arrays)
        with engine.sizes_known(sizes):
            return operation.fn(*arrays)

    fn.recorded, fn.avals = operation, avals  # for those who look inside
    return engine.Operation(
        operation.name, fn, composed=operation.composed, weight=operation.weight, conditional=operation.conditional
    )


def shape_node(node, dtype):
    """The node of the shape of `node`, some of whose sizes are symbols."""
    if node.aval.dtype.hasobject:  # which no program takes
        return size_node(node.aval.shape, dtype)
    return engine.apply(_SHAPE, (node,), engine.attributes_of(dtype))


_SIZE = engine.Operation("Size", lambda *, size, dtype: jnp.array(size, dtype), ("size", "dtype"), differentiable=False)


def size_node(size, dtype):
    """The node of a number, or of several, that are expressions of symbols."""
    return engine.apply(_SIZE, (), engine.attributes_of(size, dtype))


def known_or_symbols(node):
    """The value of a node: an array, of ints and symbols where it is determined by sizes of tensors alone.

    Raises:
      engine.SymbolicValueError: something else determines it, inside a function being traced.
    """
    try:
        return engine.array_of(node)
    except engine.SymbolicValueError:
        return fold(node)


def fold(node) -> Any:
    """The value of a node as far as sizes of tensors determine it: an array of ints and symbols.

    Raises:
      engine.SymbolicValueError: something else determines it, and values are no sizes (`steps.values_as_sizes`).
    """
    if node.value is not None:
        return engine.array_of(node)
    result, refused = NotImplemented, None
    try:
        result = _folded(node)
    except engine.SymbolicValueError as error:  # of an input
        refused = error
    if result is NotImplemented and folding.of_values is not None:
        result = folding.of_values(node)
    if result is not NotImplemented:
        return result
    raise refused or engine.SymbolicValueError(
        f"{wrap(node)!r} is computed when the function runs, but must be known while it is traced: sizes, axes and "
        "other arguments that decide on shapes are Python values here, or computed from tf.shape"
    )


def _folded(node):
    """The value of a node, a list of them for one with several results; NotImplemented if its op cannot say."""
    call = node.call
    operation = getattr(call, "operation", None)
    if operation is None:
        return NotImplemented
    if operation.name == "Pick":
        parts = _folded(node.inputs[0])
        return parts if parts is NotImplemented else parts[call.index]
    if operation is _SHAPE:
        return np.array(node.inputs[0].aval.shape, object)
    if operation is _SIZE:
        return np.array(call.attributes.values[0], object)
    spec = getattr(operation.validate, "__self__", None)
    if spec is None:
        return NotImplemented
    arrays = [fold(x) for x in node.inputs]
    result = NotImplemented
    needs_no_values = not arrays and are_known(getattr(node.aval, "shape", ("",)))
    compute = spec.host or (spec.numpy if needs_no_values else None)
    if compute is not None:
        layout, *statics = call.attributes.values
        try:
            result = compute(**spec._arguments(layout, arrays), **dict(zip(spec.statics, statics, strict=True)))
        except (TypeError, UnimplementedError):
            if not any(array.dtype.hasobject for array in arrays):
                raise
            return NotImplemented  # symbols are no floats
    if result is NotImplemented and _is_arithmetic(spec, node, arrays):
        with jax.ensure_compile_time_eval(), jax.enable_x64(True):
            result = call.fn(*map(jnp.asarray, arrays))
    if result is NotImplemented:
        return NotImplemented
    return [np.asarray(part) for part in result] if isinstance(result, tuple | list) else np.asarray(result)


def _is_arithmetic(spec, node, arrays):
    """Whether a node is the result of a small computation on numbers, such as sizes computed with floats."""
    if any("random" in name for name in spec.names) or not are_known(getattr(node.aval, "shape", ("",))):
        return False
    numbers = all(array.dtype.kind in "fiub" and array.size <= KERNELS.host_numbers for array in arrays)
    return numbers and math.prod(node.aval.shape) <= KERNELS.host_numbers

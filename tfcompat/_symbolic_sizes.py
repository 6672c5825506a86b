"""Sizes that are symbols: shape arithmetic while a function is exported for unknown sizes.

Elsewhere all sizes are known, and `tf.shape` is a host constant. Here it is recorded, and where a shape is asked for,
what was computed from it is computed again on the symbols, by the ops' host functions.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import engine
from tfcompat._tensor import wrap

_SHAPE = engine.Operation("Shape", lambda x, *, dtype: jnp.array(x.shape, dtype), ("dtype",), differentiable=False)


def are_known(shape):
    """Whether all sizes are numbers."""
    return all([type(size) is int for size in shape])


def is_symbol(size):
    """Whether a size is a symbol or an expression of symbols."""
    return jax.export.is_symbolic_dim(size)


def symbolic_shapes(shapes, shared=False):
    """Shapes with a symbol for every unknown size.

    Args:
      shapes: lists of ints and None.
      shared: whether the unknown sizes of an axis are one symbol for all shapes.
    """
    scope = jax.export.SymbolicScope()
    counter = itertools.count()
    result = []
    for shape in shapes:
        if any(d is None for d in shape):
            names = [f"d{axis if shared else next(counter)}" if d is None else str(d) for axis, d in enumerate(shape)]
            shape = jax.export.symbolic_shape(",".join(names), scope=scope)
        result.append(tuple(shape))
    return result


def shape_node(node, dtype):
    """The node of the shape of `node`, some of whose sizes are symbols."""
    return engine.apply(_SHAPE, (node,), engine.attributes_of(dtype))


def fold(node):
    """The value of a node as far as sizes of tensors determine it: an array of ints and symbols.

    Raises:
      engine.SymbolicValueError: something else determines it.
    """
    if node.value is not None:
        return np.asarray(engine.value_of(node))
    call = node.call
    unknown = engine.SymbolicValueError(
        f"{wrap(node)!r} is computed when the function runs, but must be known while it is traced: sizes, axes and "
        "other arguments that decide on shapes are Python values here, or computed from tf.shape"
    )
    operation = getattr(call, "operation", None)
    if operation is _SHAPE:
        return np.array(node.inputs[0].aval.shape, object)
    spec = getattr(getattr(operation, "validate", None), "__self__", None)
    if spec is None or spec.host is None:
        raise unknown
    layout, *statics = call.attributes.values
    arguments = spec._arguments(layout, [fold(x) for x in node.inputs])
    result = spec.host(**arguments, **dict(zip(spec.statics, statics, strict=True)))
    if result is NotImplemented or isinstance(result, tuple | list):
        raise unknown
    return np.asarray(result)

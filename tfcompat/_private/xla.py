"""tensorflow/compiler/tf2xla/python/xla.py."""

import jax

from tfcompat import engine
from tfcompat._core.convert import convert_to_tensor, static_value, to_node
from tfcompat._core.tensor import wrap

_SLICE = engine.Operation(
    "XlaDynamicSlice",
    lambda x, starts, *, sizes: jax.lax.dynamic_slice(x, [starts[i] for i in range(x.ndim)], sizes),
    ("sizes",),
)
_UPDATE = engine.Operation(
    "XlaDynamicUpdateSlice",
    lambda x, update, starts: jax.lax.dynamic_update_slice(x, update, [starts[i] for i in range(x.ndim)]),
)


def dynamic_slice(input, start_indices, size_indices, name=None):
    """A slice of known sizes that begins at `start_indices`, moved inside where it does not fit."""
    starts, sizes = convert_to_tensor(start_indices), static_value(size_indices)
    return wrap(engine.apply(_SLICE, (to_node(input), starts._node), engine.attributes_of(sizes)))


def dynamic_update_slice(input, update, indices, name=None):
    """`input` with `update` in place of the slice that begins at `indices`, moved inside where it does not fit."""
    node = to_node(input)
    update = convert_to_tensor(update, wrap(node).dtype)
    return wrap(engine.apply(_UPDATE, (node, update._node, to_node(indices))))

"""tensorflow/compiler/tf2xla/python/xla.py."""

import jax

from tfcompat import engine
from tfcompat._convert import convert_to_tensor
from tfcompat._tensor import wrap

_UPDATE = engine.Operation(
    "XlaDynamicUpdateSlice",
    lambda x, update, starts: jax.lax.dynamic_update_slice(x, update, [starts[i] for i in range(x.ndim)]),
)


def dynamic_update_slice(x, update, starts):
    """`x` with `update` in place of the slice that begins at `starts`, which is moved inside where it does not fit."""
    x = convert_to_tensor(x)
    parts = (x, convert_to_tensor(update, x.dtype), convert_to_tensor(starts))
    return wrap(engine.apply(_UPDATE, tuple([part._as_node() if hasattr(part, "_as_node") else part._node
                                             for part in parts])))

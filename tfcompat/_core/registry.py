"""The registry of ops by name.

`@op` fills it. What lies below the ops and still needs one, such as a list of tensors to be stacked or the iteration
over a tensor, asks for it here when it is called.
"""

from tfcompat._core.composite import PASSING

# By name, the functions that `@op` has made: public ones (`tf.reshape`) and inner ones (`_pack`).
OPS: dict = {}


def public_op(name):
    """The public function of this name: one that passes composite arguments on, or the op itself."""
    return PASSING.get(name) or OPS[name]

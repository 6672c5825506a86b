"""Gradients registered by name for ops that have none of their own."""
import contextlib

from tfcompat._core.convert import to_node
from tfcompat._core.registry import OPS
from tfcompat._core.tensor import wrap
from tfcompat.tape import _reverse, _walk


class RegisterGradient:
    """Decorator that gives an op without a gradient one.

    Args:
      op_type: kernel name of the op, e.g. that given to `tfcompat.extend.op(kernel=...)`.

    The function gets `op`, with `inputs`, `outputs`, `type` and `get_attr(name)`, and the cotangent of each output; it
    returns one cotangent for each input.

    Raises:
      TypeError: `op_type` is not a string.
      KeyError: the op has a gradient already.

    TF: `tf.RegisterGradient`.
    """

    def __init__(self, op_type):
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f):
        _claim(self._op_type)
        _reverse.REGISTERED[self._op_type] = _as_rule(f)
        return f


def no_gradient(op_type):
    """Declares that the op `op_type` has no gradient: derivatives take its results for constants.

    Raises:
      TypeError: `op_type` is not a string.
      KeyError: the op has a gradient already.

    TF: `tf.no_gradient`.
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _claim(op_type)
    _reverse.REGISTERED[op_type] = lambda call, inputs, outputs, cotangents: [None] * len(inputs)


def _claim(op_type):
    taken = op_type in _reverse.REGISTERED or any(
        f.operation.name == op_type and not f.spec.gradient_is_missing for f in OPS.values() if hasattr(f, "operation")
    )
    if taken:
        raise KeyError(f"Registering two gradient with name '{op_type}'! (Previous registration was in tfcompat)")
    _walk.forget()


class _Op:
    """What a registered gradient function sees of the op."""

    def __init__(self, call, inputs, outputs):
        self.type = self.name = call.operation.name
        self.inputs = [wrap(node) for node in inputs]
        self.outputs = [wrap(node) for node in outputs]
        self._attributes = dict(zip(call.operation.attribute_names, call.attributes.values, strict=True))

    def get_attr(self, name):
        """The static argument `name` of the op."""
        with contextlib.suppress(KeyError):
            return self._attributes[name]
        raise ValueError(f"Operation '{self.type}' has no attr named '{name}'.")


def _as_rule(f):
    def rule(call, inputs, outputs, cotangents):
        filled = [
            _reverse.zeros_like(node) if g is None else g for node, g in zip(outputs, cotangents, strict=True)
        ]
        grads = f(_Op(call, inputs, outputs), *[wrap(g) for g in filled])
        grads = list(grads) if isinstance(grads, list | tuple) else [grads]
        if len(grads) != len(inputs):
            raise ValueError(
                f"Num gradients {len(grads)} generated for op {call.operation.name} do not match num inputs "
                f"{len(inputs)}"
            )
        return [None if g is None else g if type(g) is _reverse.IndexedSlices else to_node(g) for g in grads]

    return rule

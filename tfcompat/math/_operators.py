"""Operators of arithmetic and comparison: `+`, `-`, `*`, `/`, `//`, `%`, `**`, `<`, `==` and the like.

`@` is bound in `linalg/_products`, `&`, `|`, `^` and `~` in `bitwise`, `[]` in `array/_operators`.
"""

import numpy as np
from jax import lax

from tfcompat import engine
from tfcompat._core.operators import bind, bind_binary, converted_operand, operand
from tfcompat._core.tensor import EagerTensor, Tensor, dtype_of, wrap
from tfcompat._core.variable import Variable
from tfcompat._native import twin_with
from tfcompat.array import reshape
from tfcompat.engine import record
from tfcompat.engine._policy import RECORDING
from tfcompat.math import _arithmetic, _compare, _elementwise

_powers: dict = {}  # (aval, type and value of the exponent) -> call, None


@twin_with({}, None, _powers, False)
def _static_power(self, other):
    """`x ** y`; a plain number is a static exponent, so XLA sees x * x and not pow(x, 2)."""
    kind = type(other)
    if kind is int or kind is float:
        x = self._node if isinstance(self, Tensor) else self._as_node()
        if x.aval.inexact:
            key = (x.aval, kind, other or str(other))
            known = _powers.get(key)
            if known is None:
                if len(_powers) >= RECORDING.max_known_calls:
                    _powers.clear()
                known = _powers[key] = _POWER.bind(engine.attributes_of(other), (x.aval,)), None
            return wrap(record(known[0], (x,)))
    return _tensor_power(self, other)


def _power_body(x, exponent):
    # integer_pow has the derivatives of TF's Pow at 0, and multiplies instead of calling pow.
    if float(exponent).is_integer() and abs(exponent) <= 16:
        return lax.integer_pow(x, int(exponent))
    return _arithmetic.pow.raw(x, np.asarray(exponent, x.dtype))


_POWER = engine.Operation("Pow", _power_body, ("exponent",), zero_second=True)  # x**1


def _equality(negate):
    compare = _compare.not_equal if negate else _compare.equal

    def equal(self, other):
        if other is None:
            return negate
        if type(other) is EagerTensor and type(self) is EagerTensor and self._node.aval is other._node.aval:
            return compare(self, other)
        x = operand(self)
        y = other if isinstance(other, Tensor) else converted_operand(other, dtype_of(x._node), True)
        if _broadcasts(x._node.aval.shape, y._node.aval.shape):
            return compare(x, y)
        if x.dtype != y.dtype:
            return compare(reshape(x, [-1])[:1], reshape(y, [-1])[:1])  # which raises
        return wrap(engine.leaf(np.array(negate)))

    return equal


def _broadcasts(a, b):
    return all(m == n or m == 1 or n == 1 for m, n in zip(reversed(a), reversed(b), strict=False))


for _name, _function in {
    "add": _arithmetic.add, "sub": _arithmetic.subtract, "mul": _arithmetic.multiply, "truediv": _arithmetic.truediv,
    "div": _arithmetic.truediv, "floordiv": _arithmetic.floordiv, "mod": _arithmetic.floormod, "pow": _arithmetic.pow,
    "lt": _compare.less, "le": _compare.less_equal, "gt": _compare.greater, "ge": _compare.greater_equal,
}.items():  # fmt: skip
    bind_binary(_name, _function, _compare.logical_and if _name == "mul" else None)

_tensor_power = Tensor.__pow__
bind("pow", _static_power)
bind("neg", lambda self: _elementwise.negative(operand(self)))
bind("abs", lambda self: _elementwise.abs(operand(self)))
bind("eq", _equality(negate=False))
bind("ne", _equality(negate=True))


def _refused(operator, instead):
    def refuse(self, other):
        raise RuntimeError(
            f"`variable {operator} value` with `tf.Variable`s is not supported. Use {instead} to modify the variable, "
            f"or `out = variable {operator[:-1]} value` if you need to get a new output Tensor."
        )

    return refuse


Variable.__iadd__ = _refused("+=", "`variable.assign_add(value)`")
Variable.__isub__ = _refused("-=", "`variable.assign_sub(value)`")
Variable.__imul__ = _refused("*=", "`variable.assign(variable * value)`")
Variable.__itruediv__ = _refused("/=", "`variable.assign(variable / value)`")
Variable.__ipow__ = _refused("**=", "`variable.assign(variable ** value)`")

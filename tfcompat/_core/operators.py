"""Python's operators, for tensors and variables alike.

This is the mechanism; each operator is bound where its op is defined, by `bind_binary` or `bind` (`math/_operators`,
`array/_operators`, `bitwise`, `linalg/_products`).
"""
from numpy import ndarray

from tfcompat import dtypes
from tfcompat._core.composite import PassedOn
from tfcompat._core.convert import to_node
from tfcompat._core.registry import OPS
from tfcompat._core.tensor import EagerTensor, SymbolicTensor, Tensor, dtype_of, wrap
from tfcompat._core.variable import ResourceVariable, Variable
from tfcompat._native import twin_with
from tfcompat.engine import record, state
from tfcompat.engine._policy import RECORDING
from tfcompat.errors import InvalidArgumentError


def operand(value):
    """`value` as a tensor; tensors stay as they are."""
    kind = type(value)
    return value if kind is EagerTensor or kind is SymbolicTensor else wrap(to_node(value))


def bind(name, method):
    """Makes `method` the operator `__name__` of tensors and of variables."""
    for cls in (Tensor, Variable):
        setattr(cls, f"__{name}__", method)


def bind_binary(name, function, of_bools=None):
    """Binds `x op y` and `y op x`: the other operand is converted to this one's dtype.

    In `x + y`, `x / y` and `x @ y` the dtype is only a hint: `n + 0.5` fails in the op, `n * 0.5` before it.
    `of_bools` is the function for a bool tensor, which `function` refuses: TF casts the other operand to bool.
    https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/tensor_math_operator_overrides.py
    """
    strict = name not in ("add", "truediv", "div", "matmul")
    # Comparisons return NotImplemented for what cannot be converted; others ask the other operand before they raise.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/framework/override_binary_operator.py
    compares = name in ("lt", "le", "gt", "ge")
    op = getattr(function, "spec", None)  # None for a function that chooses between ops
    calls, plain = (op.operation.calls, op.plain) if op else ({}, None)
    after, before = {}, {}  # numbers on either side of a tensor: (aval, type, value) -> (call, node of the number)

    @twin_with(calls, plain, after, False)
    def forward(self, other):
        x = self._node if isinstance(self, Tensor) else self._as_node()
        aval, kind = x.aval, type(other)
        if kind is float or kind is int:
            key = (aval, kind, other or str(other))  # a zero has a sign
            known = after.get(key)
            if known is None:
                y = to_node(other, dtype_of(x)) if strict else to_node(other, hint=dtype_of(x))
                known = remember(after, key, calls.get((plain, aval, y.aval)), y)
            call, y = known
        else:
            if kind is EagerTensor or kind is SymbolicTensor:
                y = other._node
            elif kind is ResourceVariable:
                y = other._as_node()
            elif _foreign(other):
                return NotImplemented
            elif compares and isinstance(other, PassedOn):
                return function(wrap(x), other)
            else:
                try:
                    y = converted_operand(other, dtype_of(x), strict)._node
                except (TypeError, ValueError):
                    result = NotImplemented if compares else _of_other(f"__r{name}__", other, self)
                    if result is NotImplemented:
                        raise
                    return result
            call = calls.get((plain, aval, y.aval))
        if call is None or state.graph.on_host or call.host and type(x.value) is ndarray:
            return general(wrap(x), wrap(y), other)
        return wrap(record(call, (x, y)))

    @twin_with(calls, plain, before, True)
    def reflected(self, other):
        y = self._node if isinstance(self, Tensor) else self._as_node()
        aval, kind = y.aval, type(other)
        if kind is float or kind is int:
            key = (aval, kind, other or str(other))
            known = before.get(key)
            if known is None:
                x = to_node(other, dtype_of(y))
                known = remember(before, key, calls.get((plain, x.aval, aval)), x)
            call, x = known
        elif _foreign(other):
            return NotImplemented
        else:
            x = converted_operand(other, dtype_of(y), True)._node
            call = calls.get((plain, x.aval, aval))
        if call is None or state.graph.on_host or call.host and type(x.value) is ndarray:
            return function(wrap(x), wrap(y))
        return wrap(record(call, (x, y)))

    def remember(numbers, key, call, node):
        """`(call, node)`, for the next time if the call is known."""
        if call is not None:
            if len(numbers) >= RECORDING.max_known_calls:
                numbers.clear()
            numbers[key] = call, node
        return call, node

    def general(x, y, other):
        try:
            return function(x, y)
        except (InvalidArgumentError, TypeError):
            # TF casts beside a bool tensor, but not beside a variable of bools on the right.
            if of_bools is None or not (x.dtype.is_bool or y.dtype.is_bool and not isinstance(other, Variable)):
                raise
            return of_bools(*[z if z.dtype.is_bool else OPS["_cast"](z, dtypes.bool) for z in (x, y)])

    forward.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    bind(name, forward)
    if not compares:
        bind(f"r{name}", reflected)


def converted_operand(value, dtype, strict):
    """The other operand as a tensor: of this dtype if `strict`, else of this dtype where it fits."""
    if hasattr(value, "_as_node"):  # a variable: the op compares dtypes
        return wrap(to_node(value))
    return wrap(to_node(value, dtype) if strict else to_node(value, hint=dtype))


def _of_other(operator, other, tensor):
    """The result of the reflected operator of an operand that cannot be converted; NotImplemented if it has none."""
    try:
        return getattr(other, operator, lambda tensor: NotImplemented)(tensor)
    except (TypeError, ValueError):
        return NotImplemented


def _foreign(value):
    """Whether the other operand takes the operator itself."""
    return getattr(value, "_tf_operators_first", False)

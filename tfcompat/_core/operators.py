"""Binds Python's operators to ops, for tensors and variables alike."""
import numpy as np
from jax import lax

from tfcompat import array, bitwise, dtypes, engine, math
from tfcompat._core.composite import PassedOn
from tfcompat._core.convert import to_node
from tfcompat._core.known_calls import MAX_KNOWN
from tfcompat._core.tensor import EagerTensor, SymbolicTensor, Tensor, dtype_of, wrap
from tfcompat._core.variable import ResourceVariable, Variable
from tfcompat.array import _getitem as _indexing
from tfcompat.engine import record
from tfcompat.errors import InvalidArgumentError
from tfcompat.linalg import matmul


def _operand(value):
    kind = type(value)
    return value if kind is EagerTensor or kind is SymbolicTensor else wrap(to_node(value))


def _bind(name, function, of_bools=None):
    """`x op y` and `y op x`: the other operand is converted to this one's dtype.

    In `x + y`, `x / y` and `x @ y` the dtype is but a hint, so `n + 0.5` fails in the op, `n * 0.5` before.
    `of_bools` is the operation where one operand is a bool tensor, which `function` refuses: TF casts the other one.
    """
    strict = name not in ("add", "truediv", "div", "matmul")
    compares = name in ("lt", "le", "gt", "ge")  # TF's other operators convert the other operand first
    op = getattr(function, "spec", None)  # none: a choice between ops
    calls, plain = (op.operation.calls, op.plain) if op else ({}, None)
    after, before = {}, {}  # numbers on either side of a tensor: (aval, type, value) -> (call, node of the number)

    def forward(self, other):
        x = self._node if isinstance(self, Tensor) else self._as_node()
        aval, kind = x.aval, type(other)
        if kind is float or kind is int:
            key = (aval, kind, other or str(other))  # a zero has a sign
            found = after.get(key)
            if found is None:
                y = to_node(other, dtype_of(x)) if strict else to_node(other, hint=dtype_of(x))
                found = remember(after, key, calls.get((plain, aval, y.aval)), y)
            call, y = found
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
                    y = _converted(other, dtype_of(x), strict)._node
                except (TypeError, ValueError):
                    result = NotImplemented if compares else _of_other(f"__r{name}__", other, self)
                    if result is NotImplemented:
                        raise
                    return result
            call = calls.get((plain, aval, y.aval))
        if call is None or call.host and type(x.value) is np.ndarray:
            return general(wrap(x), wrap(y))
        return wrap(record(call, (x, y)))

    def reflected(self, other):
        y = self._node if isinstance(self, Tensor) else self._as_node()
        aval, kind = y.aval, type(other)
        if kind is float or kind is int:
            key = (aval, kind, other or str(other))
            found = before.get(key)
            if found is None:
                x = to_node(other, dtype_of(y))
                found = remember(before, key, calls.get((plain, x.aval, aval)), x)
            call, x = found
        elif _foreign(other):
            return NotImplemented
        else:
            x = _converted(other, dtype_of(y), True)._node
            call = calls.get((plain, x.aval, aval))
        if call is None or call.host and type(x.value) is np.ndarray:
            return function(wrap(x), wrap(y))
        return wrap(record(call, (x, y)))

    def remember(numbers, key, call, node):
        """`(call, node)`, for the next time if the call is known."""
        if call is not None:
            if len(numbers) >= MAX_KNOWN:
                numbers.clear()
            numbers[key] = call, node
        return call, node

    def general(x, y):
        try:
            return function(x, y)
        except (InvalidArgumentError, TypeError):
            if of_bools is None or not (x.dtype.is_bool or y.dtype.is_bool):
                raise
            return of_bools(array.cast(x, dtypes.bool), array.cast(y, dtypes.bool))

    forward.__name__, reflected.__name__ = f"__{name}__", f"__r{name}__"
    if engine.native is not None and op is not None:
        forward = engine.native.Operator(calls, plain, after, False, forward)
        reflected = engine.native.Operator(calls, plain, before, True, reflected)
    for cls in (Tensor, Variable):
        setattr(cls, f"__{name}__", forward)
        if not compares:
            setattr(cls, f"__r{name}__", reflected)


def _converted(value, dtype, strict):
    if hasattr(value, "_as_node"):  # a variable: the op compares dtypes
        return wrap(to_node(value))
    return wrap(to_node(value, dtype) if strict else to_node(value, hint=dtype))


def _of_other(operator, other, tensor):
    """What the other operand, which is not to be converted, makes of the operator; NotImplemented if nothing."""
    try:
        return getattr(other, operator, lambda tensor: NotImplemented)(tensor)
    except (TypeError, ValueError):
        return NotImplemented


def _foreign(value):
    """Whether to leave the operator to the other operand."""
    return getattr(value, "_tf_operators_first", False)


def _static_power(self, other):
    """`x ** y`; a plain number is a static exponent, so XLA sees x * x and not pow(x, 2)."""
    kind = type(other)
    if kind is int or kind is float:
        x = self._node if isinstance(self, Tensor) else self._as_node()
        if x.aval.inexact:
            key = (x.aval, kind, other or str(other))
            found = _powers.get(key)
            if found is None:
                if len(_powers) >= MAX_KNOWN:
                    _powers.clear()
                found = _powers[key] = _POWER.bind(engine.attributes_of(other), (x.aval,)), None
            return wrap(record(found[0], (x,)))
    return _tensor_power(self, other)


_powers: dict = {}  # (aval, type and value of the exponent) -> call, None


def _power_body(x, exponent):
    # integer_pow has the derivatives of TF's Pow at 0, and multiplies instead of calling pow.
    if float(exponent).is_integer() and abs(exponent) <= 16:
        return lax.integer_pow(x, int(exponent))
    return math.pow.raw(x, np.asarray(exponent, x.dtype))


_POWER = engine.Operation("Pow", _power_body, ("exponent",), zero_second=True)  # x**1


def _and(x, y):
    return math.logical_and(x, y) if dtype_of(x._node).is_bool else bitwise.bitwise_and(x, y)


def _or(x, y):
    return math.logical_or(x, y) if dtype_of(x._node).is_bool else bitwise.bitwise_or(x, y)


def _xor(x, y):
    return math.logical_xor(x, y) if dtype_of(x._node).is_bool else bitwise.bitwise_xor(x, y)


def _invert(self):
    x = _operand(self)
    return math.logical_not(x) if dtype_of(x._node).is_bool else bitwise.invert(x)


def _equality(negate):
    compare = math.not_equal if negate else math.equal

    def equal(self, other):
        if other is None:
            return negate
        if type(other) is EagerTensor and type(self) is EagerTensor and self._node.aval is other._node.aval:
            return compare(self, other)
        x = _operand(self)
        y = other if isinstance(other, Tensor) else _converted(other, dtype_of(x._node), True)
        if _broadcasts(x._node.aval.shape, y._node.aval.shape):
            return compare(x, y)
        if x.dtype != y.dtype:
            return compare(array.reshape(x, [-1])[:1], array.reshape(y, [-1])[:1])  # which raises
        return wrap(engine.leaf(np.array(negate)))

    return equal


def _broadcasts(a, b):
    return all(m == n or m == 1 or n == 1 for m, n in zip(reversed(a), reversed(b), strict=False))


def _getitem(self, key):
    return array.getitem(_operand(self), key)


def _getitem_of_variable(self, key):
    """A slice of a variable: a tensor that can be assigned to."""
    tensor = array.getitem(wrap(self._as_node()), key)
    kind = _SLICES.get(type(tensor))
    if kind is None:
        return tensor
    result = kind(tensor._node)
    result._variable, result._key = self, key
    return result


def _refused(operator, instead):
    def refuse(self, other):
        raise RuntimeError(
            f"`variable {operator} value` with `tf.Variable`s is not supported. Use {instead} to modify the variable, "
            f"or `out = variable {operator[:-1]} value` if you need to get a new output Tensor."
        )

    return refuse


class _VariableSlice:
    """A slice of a variable, with `assign`, `assign_add` and `assign_sub`. TF: what `Variable.__getitem__` returns."""

    __slots__ = ()

    def _update(self, combine):
        variable = self._variable
        with engine.watching(()):
            current = wrap(variable._current_node())
            variable._set(array.setitem(current, self._key, combine(array.getitem(current, self._key)))._node)
        return variable

    def assign(self, value, name=None):
        """Replaces this part of the variable; returns the variable."""
        dtype = dtype_of(self._node)
        return self._update(lambda old: wrap(to_node(value, dtype)))

    def assign_add(self, value, name=None):
        """Adds to this part of the variable; returns the variable."""
        dtype = dtype_of(self._node)
        return self._update(lambda old: math.add(old, wrap(to_node(value, dtype))))

    def assign_sub(self, value, name=None):
        """Subtracts from this part of the variable; returns the variable."""
        dtype = dtype_of(self._node)
        return self._update(lambda old: math.subtract(old, wrap(to_node(value, dtype))))


def _slices_of(kind):
    """The class of slices of variables that are tensors of this class."""
    places = {"__slots__": ("_variable", "_key"), "__module__": kind.__module__}
    return type(kind.__name__, (_VariableSlice, kind), places)


_SLICES = {kind: _slices_of(kind) for kind in (EagerTensor, SymbolicTensor)}


for _name, _function in {
    "add": math.add, "sub": math.subtract, "mul": math.multiply, "truediv": math.truediv,
    "div": math.truediv, "floordiv": math.floordiv, "mod": math.floormod, "matmul": matmul, "pow": math.pow,
    "and": _and, "or": _or, "xor": _xor, "lt": math.less, "le": math.less_equal, "gt": math.greater,
    "ge": math.greater_equal,
}.items():  # fmt: skip
    _bind(_name, _function, math.logical_and if _name == "mul" else None)

_tensor_power = Tensor.__pow__
if engine.native is not None:
    _static_power = engine.native.Operator({}, None, _powers, False, _static_power)

for _cls in (Tensor, Variable):
    _cls.__pow__ = _static_power
    _cls.__neg__ = lambda self: math.negative(_operand(self))
    _cls.__abs__ = lambda self: math.abs(_operand(self))
    _cls.__pos__ = lambda self: array.identity(self)
    _cls.__invert__ = _invert
    _cls.__eq__ = _equality(negate=False)
    _cls.__ne__ = _equality(negate=True)
Tensor.__getitem__ = _getitem
if engine.native is not None:
    Tensor.__getitem__ = engine.native.Indexing(_indexing.known_keys, _indexing.operation.calls, _getitem)
Variable.__getitem__ = _getitem_of_variable
Variable.__iadd__ = _refused("+=", "`variable.assign_add(value)`")
Variable.__isub__ = _refused("-=", "`variable.assign_sub(value)`")
Variable.__imul__ = _refused("*=", "`variable.assign(variable * value)`")
Variable.__itruediv__ = _refused("/=", "`variable.assign(variable / value)`")
Variable.__ipow__ = _refused("**=", "`variable.assign(variable ** value)`")

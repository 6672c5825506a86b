"""Operations that NumPy computes, for small arrays whose shapes keep changing.

XLA compiles each operation for each shape, which costs as much as thousands of runs. Once an operation has been
compiled for several shapes, NumPy computes small arrays of a new shape (episodes, sentences of other lengths), equation
by equation of the jaxpr, until that shape has come often.
"""

import collections
import functools
import math
import threading
from typing import Any

import numpy as np
from jax.extend.core import Literal

from tfcompat.engine import _policy as policy
from tfcompat.engine._aval import TupleAval
from tfcompat.engine._bind import general_jaxpr, jaxpr_of
from tfcompat.engine._sizes import sizes_known, with_sizes

_DTYPES = frozenset(map(np.dtype, "bool int32 int64 uint32 uint64 float32 float64".split()))
_compiled_shapes: collections.Counter = collections.Counter()  # name of an operation -> shapes it was compiled for
_lock = threading.Lock()


class Unknown(Exception):
    """There is no NumPy version of a primitive, or not for these parameters."""


def shape_was_compiled(call):
    """`call` was compiled by itself, or with others where structures keep changing."""
    with _lock:
        _compiled_shapes[call.operation.name] += 1


def takes(call):
    """Whether `call` is to be computed on the host, if it can be: of small arrays, in one shape of many."""
    if _compiled_shapes[call.operation.name] < policy.HOST.compiled_shapes:
        return False
    avals = _avals(call)
    return (
        not any(aval.traced or aval.dtype not in _DTYPES or 0 in aval.shape for aval in avals)
        and _elements(avals) <= policy.HOST.max_elements
    )


def _avals(call):
    return (*call.in_avals, *(call.aval.parts if type(call.aval) is TupleAval else (call.aval,)))


def _elements(avals):
    return sum([math.prod(aval.shape) for aval in avals])


class Kernel:
    """Computes one call on the host; in the place of its program."""

    __slots__ = ("sightings", "runs", "_function", "_is_tuple")

    def __init__(self, call):
        self.sightings = 0
        # How often it runs before the call is compiled.
        self.runs = policy.HOST.runs // (1 + _elements(_avals(call)) // policy.HOST.elements_a_run)
        self._is_tuple = type(call.aval) is TupleAval
        self._function = _plan_of(call)

    def run_compiled(self, arrays):
        """As of a program with one result."""
        with np.errstate(all="ignore"):
            results = self._function(*map(np.asarray, arrays))
        # No views: a program may overwrite what they look at.
        results = [x if x.flags.owndata else x.copy() for x in results]
        return (tuple(results) if self._is_tuple else results[0],)


def kernel_of(call):
    """A Kernel, or None where the host is not to compute `call`, or cannot."""
    if not takes(call):
        return None
    try:
        return Kernel(call)
    except Unknown:
        return None


def _plan_of(call):
    """The Plan of a call, from the jaxpr of its family if it is of one."""
    closed = call.member and general_jaxpr(call.member.general)
    if closed:
        try:
            with sizes_known(call.member.sizes):
                return Plan(closed.jaxpr, closed.consts)
        except Unknown:  # perhaps only with symbols
            pass
    closed = jaxpr_of(call)
    return Plan(closed.jaxpr, closed.consts)


class Plan:
    """A jaxpr as functions of arrays, one after the other, with the sizes that its symbols stand for now.

    Raises:
      Unknown: there is no such function for one of its equations.
    """

    __slots__ = ("_known", "_inputs", "_outputs", "_steps")

    def __init__(self, jaxpr, consts):
        self._known = dict(zip(jaxpr.constvars, map(np.asarray, consts), strict=True))
        self._inputs, self._outputs = jaxpr.invars, [_atom(atom) for atom in jaxpr.outvars]
        self._steps = [_step(equation) for equation in jaxpr.eqns]

    def __call__(self, *arrays):
        """The results as a list of arrays."""
        values = self._known | dict(zip(self._inputs, arrays, strict=True))
        for function, atoms, outputs in self._steps:
            results = function(*[x if type(x) is np.ndarray else values[x] for x in atoms])
            for (variable, shape, dtype), result in zip(outputs, results, strict=True):
                values[variable] = np.asarray(result, dtype).reshape(shape)
        return [x if type(x) is np.ndarray else values[x] for x in self._outputs]


def _atom(atom):
    """A literal as an array; variables stay."""
    if not isinstance(atom, Literal):
        return atom
    aval: Any = atom.aval
    return np.asarray(atom.val, aval.dtype)


def _step(equation):
    """(function that returns a list, atoms it takes, (variable, shape, dtype) of each result) of an equation."""
    name = equation.primitive.name
    outputs = [(v, with_sizes(v.aval.shape), v.aval.dtype) for v in equation.outvars]
    avals = [v.aval for v in (*equation.invars, *equation.outvars)]
    if any(aval.dtype not in _DTYPES or 0 in with_sizes(aval.shape) for aval in avals):
        raise Unknown(name)
    inner = _inner(equation)
    if inner is not None:
        function = Plan(inner.jaxpr, inner.consts)
    else:
        rule, params = rules.get(name), {key: with_sizes(value) for key, value in equation.params.items()}
        refused = _REFUSED.get(name)
        if rule is None or refused is not None and refused(equation, params):
            raise Unknown(name)
        function = functools.partial(rule, params)
        if not equation.primitive.multiple_results:
            function = functools.partial(_in_list, function)
    return function, [_atom(atom) for atom in equation.invars], outputs


def _in_list(function, *arrays):
    return [function(*arrays)]


def _inner(equation):
    """The jaxpr that a call in a jaxpr runs, or None."""
    name = equation.primitive.name
    if name in ("jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call"):
        return equation.params.get("jaxpr") or equation.params.get("call_jaxpr")
    return None


def _power(params, x):
    """By squaring, as XLA does it."""
    exponent, result = abs(params["y"]), None
    while exponent:
        if exponent & 1:
            result = x if result is None else result * x
        x, exponent = x * x, exponent >> 1
    result = np.ones_like(x) if result is None else result
    return 1 / result if params["y"] < 0 else result


def _broadcast(params, x, *_):
    shape = [1] * len(params["shape"])
    for axis, size in zip(params["broadcast_dimensions"], x.shape, strict=True):
        shape[axis] = size
    return np.broadcast_to(x.reshape(shape), params["shape"])


def _dot(params, a, b):
    """A product of matrices, the axes of both brought into the order batch, rows, columns."""
    (summed_a, summed_b), (batch_a, batch_b) = params["dimension_numbers"]
    free_a = [i for i in range(a.ndim) if i not in (*summed_a, *batch_a)]
    free_b = [i for i in range(b.ndim) if i not in (*summed_b, *batch_b)]
    batch = [a.shape[i] for i in batch_a]
    length = int(np.prod([a.shape[i] for i in summed_a]))
    left = a.transpose([*batch_a, *free_a, *summed_a]).reshape([*batch, -1 if length else 0, length])
    right = b.transpose([*batch_b, *summed_b, *free_b]).reshape([*batch, length, -1 if length else 0])
    shape = [*batch, *(a.shape[i] for i in free_a), *(b.shape[i] for i in free_b)]
    return np.matmul(left, right).reshape(shape) if length else np.zeros(shape, a.dtype)


def _pad(params, x, value):
    low, high, inner = zip(*params["padding_config"], strict=True)
    shape = [a + size + b + max(size - 1, 0) * c for a, size, b, c in zip(low, x.shape, high, inner, strict=True)]
    result = np.full(shape, value, x.dtype)
    result[tuple([slice(a, a + size + max(size - 1, 0) * c, c + 1)
                  for a, size, c in zip(low, x.shape, inner, strict=True)])] = x  # fmt: skip
    return result


def _slice(params, x):
    strides = params["strides"] or (1,) * x.ndim
    return x[tuple(map(slice, params["start_indices"], params["limit_indices"], strides))]


def _starts(shape, sizes, indices):
    return [min(max(int(i), 0), n - size) for i, n, size in zip(indices, shape, sizes, strict=True)]


def _dynamic_slice(params, x, *indices):
    starts = _starts(x.shape, params["slice_sizes"], indices)
    return x[tuple([slice(i, i + size) for i, size in zip(starts, params["slice_sizes"], strict=True)])]


def _dynamic_update_slice(params, x, update, *indices):
    result = x.copy()
    starts = _starts(x.shape, update.shape, indices)
    result[tuple([slice(i, i + size) for i, size in zip(starts, update.shape, strict=True)])] = update
    return result


def _iota(params):
    shape = [1] * len(params["shape"])
    shape[params["dimension"]] = params["shape"][params["dimension"]]
    numbers = np.arange(params["shape"][params["dimension"]], dtype=params["dtype"])
    return np.broadcast_to(numbers.reshape(shape), params["shape"])


def _cumulative(function):
    def rule(params, x):
        axis = params["axis"]
        return np.flip(function(np.flip(x, axis), axis), axis) if params["reverse"] else function(x, axis)

    return rule


def _reduced(function):
    return lambda params, x: function(x, axis=tuple(params["axes"]))


def _plain(function):
    return lambda params, *arrays: function(*arrays)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _is_integer(equation, _):
    return equation.invars[0].aval.dtype.kind in "iu"


def _is_from_float_to_integer(equation, _):
    return equation.invars[0].aval.dtype.kind == "f" and equation.outvars[0].aval.dtype.kind in "iu"


# Of these there is more than one reading for integers, or for numbers out of range.
_REFUSED = {
    **dict.fromkeys(["div", "integer_pow", "max", "min", "pow", "rem", "sign"], _is_integer),
    "convert_element_type": _is_from_float_to_integer,
    "dot_general": _is_integer,
    "pad": lambda _, params: any(min(low, high) < 0 for low, high, _ in params["padding_config"]),
    "round": lambda _, params: int(params["rounding_method"]) != 1,  # to even
    "select_n": lambda equation, _: len(equation.invars) != 3 or equation.invars[0].aval.dtype != bool,
}  # fmt: skip

# NumPy versions of primitives: functions of an equation's parameters and its arrays. Other modules add theirs.
rules = {
    **{name: _plain(function) for name, function in {
        "abs": np.abs, "add": np.add, "add_any": np.add, "and": np.bitwise_and, "ceil": np.ceil, "copy": np.copy,
        "copy_p": np.copy, "cos": np.cos, "div": np.divide, "eq": np.equal, "exp": np.exp, "expm1": np.expm1,
        "floor": np.floor, "ge": np.greater_equal, "gt": np.greater, "is_finite": np.isfinite, "le": np.less_equal,
        "log": np.log, "log1p": np.log1p, "logistic": _sigmoid, "lt": np.less, "max": np.maximum, "min": np.minimum,
        "mul": np.multiply, "ne": np.not_equal, "neg": np.negative, "not": np.invert, "or": np.bitwise_or,
        "pow": np.power, "round": np.rint, "sign": np.sign, "sin": np.sin, "sqrt": np.sqrt, "square": np.square,
        "stop_gradient": np.copy, "sub": np.subtract, "tanh": np.tanh, "xor": np.bitwise_xor,
    }.items()},
    **{name: _reduced(function) for name, function in {
        "reduce_and": np.all, "reduce_max": np.max, "reduce_min": np.min, "reduce_or": np.any, "reduce_prod": np.prod,
        "reduce_sum": np.sum,
    }.items()},
    "argmax": lambda params, x: np.argmax(x, axis=params["axes"][0]),
    "argmin": lambda params, x: np.argmin(x, axis=params["axes"][0]),
    "broadcast_in_dim": _broadcast,
    "clamp": lambda params, low, x, high: np.minimum(np.maximum(x, low), high),
    "concatenate": lambda params, *arrays: np.concatenate(arrays, axis=params["dimension"]),
    "convert_element_type": lambda params, x: x.astype(params["new_dtype"]),
    "cumsum": _cumulative(np.cumsum),
    "dim_as_value": lambda params: params["dim"],
    "dot_general": _dot,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "expand_dims": lambda params, x: x,
    "integer_pow": _power,
    "iota": _iota,
    "optimization_barrier": lambda params, *arrays: arrays,
    "pad": _pad,
    "reshape": lambda params, x: x.reshape(params["new_sizes"]),
    "rev": lambda params, x: np.flip(x, params["dimensions"]),
    "rsqrt": lambda params, x: 1 / np.sqrt(x),
    "select_n": lambda params, which, no, yes: np.where(which, yes, no),
    "slice": _slice,
    "split": lambda params, x: np.split(x, np.cumsum(params["sizes"])[:-1], params["axis"]),
    "squeeze": lambda params, x: x,
    "stack": lambda params, *arrays: np.stack(arrays, params["axis"]),
    "transpose": lambda params, x: x.transpose(params["permutation"]),
    "unstack": lambda params, x: np.moveaxis(x, params["axis"], 0),
}  # fmt: skip

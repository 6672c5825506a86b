"""Functions of single elements."""

import numpy as np

from tfcompat.engine.host.rules.registry import Unknown, is_integer, plain, plain_unless


def _power(params, in_avals, out_avals):
    """By squaring, as XLA does it."""
    if is_integer(in_avals[0].dtype):
        raise Unknown
    exponent = params["y"]

    def power(x):
        left, result = abs(exponent), None
        while left:
            if left & 1:
                result = x if result is None else result * x
            x, left = x * x, left >> 1
        result = np.ones_like(x) if result is None else result
        return 1 / result if exponent < 0 else result

    return power


def _converted(params, in_avals, out_avals):
    dtype = params["new_dtype"]
    if in_avals[0].dtype.kind == "f" and dtype.kind in "iu":
        raise Unknown
    return lambda x: x.astype(dtype)


def _rounded(params, in_avals, out_avals):
    if int(params["rounding_method"]) != 1:  # to even
        raise Unknown
    return np.rint


def _selected(params, in_avals, out_avals):
    if len(in_avals) != 3 or in_avals[0].dtype != bool:
        raise Unknown
    return lambda which, no, yes: np.where(which, yes, no)


RULES = {
    **{name: plain(function) for name, function in {
        "abs": np.abs, "add": np.add, "add_any": np.add, "and": np.bitwise_and, "ceil": np.ceil, "copy": np.copy,
        "copy_p": np.copy, "cos": np.cos, "eq": np.equal, "exp": np.exp, "expm1": np.expm1, "floor": np.floor,
        "ge": np.greater_equal, "gt": np.greater, "is_finite": np.isfinite, "le": np.less_equal, "log": np.log,
        "log1p": np.log1p, "logistic": lambda x: 1 / (1 + np.exp(-x)), "lt": np.less, "mul": np.multiply,
        "ne": np.not_equal, "neg": np.negative, "not": np.invert, "or": np.bitwise_or,
        "rsqrt": lambda x: 1 / np.sqrt(x), "sin": np.sin, "sqrt": np.sqrt, "square": np.square,
        "stop_gradient": np.copy, "sub": np.subtract, "tanh": np.tanh, "xor": np.bitwise_xor,
    }.items()},
    # Of these there is more than one reading for integers.
    **{name: plain_unless(is_integer, function) for name, function in {
        "div": np.divide, "max": np.maximum, "min": np.minimum, "pow": np.power, "sign": np.sign,
    }.items()},
    "clamp": plain(lambda low, x, high: np.minimum(np.maximum(x, low), high)),
    "convert_element_type": _converted,
    "integer_pow": _power,
    "round": _rounded,
    "select_n": _selected,
}  # fmt: skip

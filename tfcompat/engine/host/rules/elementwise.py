"""Functions of single elements."""

import numpy as np

from tfcompat.engine.host.rules.registry import BFLOAT16, Unknown, is_floating, plain, widened


def by_kind(**functions):
    """The rule that takes a function by the kind of the first argument: integer, boolean, floating or complex."""

    def rule(params, in_avals, out_avals):
        dtype = in_avals[0].dtype
        kind = "floating" if is_floating(dtype) else {"c": "complex", "b": "boolean"}.get(dtype.kind, "integer")
        if kind not in functions:
            raise Unknown(f"of {dtype}")
        return functions[kind]

    return rule


def _wide(function):
    """The rule for a function that is rounded once, at the end."""
    return lambda params, in_avals, out_avals: widened(function, in_avals[0].dtype)


def _quotient(a, b):
    """Rounded towards zero; all bits are set where the divisor is zero."""
    quotient = np.floor_divide(a - np.fmod(a, b), b)
    return np.where(b == 0, ~a.dtype.type(0), quotient)


def _remainder(a, b):
    return np.where(b == 0, a, np.fmod(a, b))


def _by_squaring(params, in_avals, out_avals):
    exponent, one = params["y"], in_avals[0].dtype.type(1)

    def power(x):
        left, result = abs(exponent), None
        while left:
            if left & 1:
                result = x if result is None else result * x
            left >>= 1
            if left:
                x = x * x
        result = np.ones_like(x) if result is None else result
        return one / result if exponent < 0 else result

    return power


def _power(params, in_avals, out_avals):
    dtype = in_avals[0].dtype
    if in_avals[1].dtype != dtype:
        return lambda x, y: np.power(x, y.astype(dtype))
    return np.power


def _converted(params, in_avals, out_avals):
    old, new = in_avals[0].dtype, np.dtype(params["new_dtype"])
    if old == new:
        return unchanged
    if old.kind == "c" and new.kind not in "cb":
        to_real = _saturated(new) if new.kind in "iu" else (lambda x: x.astype(new))
        return lambda x: to_real(x.real)
    if is_floating(old) and new.kind in "iu":
        return _saturated(new)
    if old == np.float64 and new == np.float16:  # XLA rounds twice
        return lambda x: x.astype(np.float32).astype(new)
    if old.kind == "c" and new.kind == "b":
        return lambda x: x != 0
    return lambda x: x.astype(new)


def _saturated(dtype):
    """Conversion of floating arrays to integers; what is out of range becomes the nearest integer, NaN zero."""
    lowest, highest = (dtype.type(n) for n in (np.iinfo(dtype).min, np.iinfo(dtype).max))
    limit = float(2 ** (8 * dtype.itemsize - (dtype.kind == "i")))  # the first number above
    zero = dtype.type(0)

    def convert(x):
        if x.dtype.itemsize == 2:
            x = x.astype(np.float32)
        plain = x.astype(dtype)
        inside = np.abs(x) < limit if dtype.kind == "i" else (x > -1) & (x < limit)
        if inside.all():
            return plain
        return np.where(inside, plain, np.where(x > 0, highest, np.where(x < 0, lowest, zero)))

    return convert


def _away_from_zero(x):
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(x.dtype.type(1), x), whole)


def _rounded(params, in_avals, out_avals):
    return np.rint if int(params["rounding_method"]) == 1 else _away_from_zero


def _selected(params, in_avals, out_avals):
    if len(in_avals) == 2:
        return lambda which, only: only
    if in_avals[0].dtype.kind == "b":
        return _either
    return _one_of


def _either(which, no, yes):
    return np.where(which, yes, no)


def _one_of(which, *cases):
    result = cases[0]
    for i, case in enumerate(cases[1:], 1):
        result = np.where(which >= i, case, result)
    return result


def _unsigned(dtype):
    return np.dtype(f"u{dtype.itemsize}")


def _shift_right_logical(params, in_avals, out_avals):
    dtype = in_avals[0].dtype
    bits = _unsigned(dtype)
    return lambda x, n: np.right_shift(x.view(bits), n.view(bits)).view(dtype)


def _population_count(params, in_avals, out_avals):
    dtype = in_avals[0].dtype
    bits = _unsigned(dtype)
    return lambda x: np.bitwise_count(x.view(bits)).astype(dtype)


def _leading_zeros(params, in_avals, out_avals):
    dtype = in_avals[0].dtype
    bits, width = _unsigned(dtype), 8 * dtype.itemsize

    def leading_zeros(x):
        x = x.view(bits)
        length = np.frexp((x >> 32 if width == 64 else x).astype(np.float64))[1]
        if width == 64:
            low = np.frexp((x & 0xFFFFFFFF).astype(np.float64))[1]
            length = np.where(length > 0, length + 32, low)
        return (width - length).astype(dtype)

    return leading_zeros


def _upper_half(params, in_avals, out_avals):
    """The upper half of the bits of a product."""
    dtype = in_avals[0].dtype
    if dtype.itemsize < 8:
        wide = np.dtype(f"{dtype.kind}{2 * dtype.itemsize}")
        return lambda a, b: (a.astype(wide) * b.astype(wide) >> 8 * dtype.itemsize).astype(dtype)

    def upper_half(a, b):
        (a_high, a_low), (b_high, b_low) = [(x >> 32, (x & 0xFFFFFFFF).view(np.uint64)) for x in (a, b)]
        low = (a_low * b_low >> np.uint64(32)).view(dtype)
        middle = a_high * b_low.view(dtype) + low
        other = a_low.view(dtype) * b_high + (middle & 0xFFFFFFFF)
        return a_high * b_high + (middle >> 32) + (other >> 32)

    return upper_half


def _bits(params, in_avals, out_avals):
    new, shape = np.dtype(params["new_dtype"]), out_avals[0].shape
    if new.itemsize == in_avals[0].dtype.itemsize:
        return lambda x: x.view(new)
    return lambda x: np.ascontiguousarray(x).reshape(-1).view(new).reshape(shape)


def ordered(x):
    """Signed integers in the total order of floating numbers: -NaN, -inf, ..., -0, 0, ..., inf, NaN."""
    signed, greatest = _SIGNED[x.dtype.itemsize]
    bits = x.view(signed)
    return bits ^ ((bits >> 8 * x.dtype.itemsize - 1) & greatest)


_SIGNED = {size: (np.dtype(f"i{size}"), np.iinfo(f"i{size}").max) for size in (1, 2, 4, 8)}


def _in_total_order(compare):
    return by_kind(
        floating=lambda a, b: compare(ordered(a), ordered(b)), integer=compare, boolean=compare, complex=compare
    )


def _reduced_precision(params, in_avals, out_avals):
    """As XLA has it: rounded to even, and what is denormal then becomes zero."""
    dtype = in_avals[0].dtype
    exponent_bits, mantissa_bits = params["exponent_bits"], params["mantissa_bits"]
    info = np.finfo(dtype) if dtype != BFLOAT16 else None
    of_dtype = 7 if info is None else info.nmant
    bits = _unsigned(dtype)
    width = 8 * dtype.itemsize
    sign = bits.type(1 << width - 1)
    dropped = of_dtype - mantissa_bits
    exponent_width = width - 1 - of_dtype
    infinite = bits.type(((1 << exponent_width) - 1) << of_dtype)
    bias, new_bias = (1 << exponent_width - 1) - 1, (1 << exponent_bits - 1) - 1
    # Exponents that become infinite, and zero.
    high, low = (bits.type((bias + n) << of_dtype) for n in (new_bias, -new_bias))
    mask = bits.type(((1 << exponent_width) - 1) << of_dtype)

    def reduce_precision(x):
        given = x.view(bits)
        value = given
        if dropped > 0:
            even = (value >> bits.type(dropped)) & bits.type(1)
            value = value + (bits.type((1 << dropped - 1) - 1) + even)
            value = value & ~bits.type((1 << dropped) - 1)
        if exponent_width > exponent_bits:
            exponent, zero = value & mask, given & sign
            value = np.where(exponent > high, zero | infinite, value)
            value = np.where(exponent <= low, zero, value)
        return np.where(np.isnan(x), x, value.view(dtype))

    return reduce_precision


def _complex(params, in_avals, out_avals):
    dtype, shape = out_avals[0].dtype, out_avals[0].shape

    def join(real, imaginary):
        result = np.empty(shape, dtype)
        result.real, result.imag = real, imaginary
        return result

    return join


def _conjugate(params, in_avals, out_avals):
    dtype = out_avals[0].dtype
    return np.conjugate if in_avals[0].dtype == dtype else lambda x: x.astype(dtype)


def _log1p_of_complex(x):
    # NumPy loses all digits near zero.
    result = np.empty_like(x)
    real, imaginary = x.real, x.imag
    near = 0.5 * np.log1p(real * (2 + real) + imaginary * imaginary)
    result.real = np.where(np.abs(x) < 0.5, near, np.log(np.abs(1 + x)))
    result.imag = np.arctan2(imaginary, 1 + real)
    return result


def _logistic(x):
    return 1 / (1 + np.exp(-x))


def _one_minus_square(x):
    return (1 + x) * (1 - x)


def _polynomial(x, *coefficients):
    """Coefficients come in ascending order."""
    result = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        result = result * x + coefficient
    return result


def _tanh(x):
    """In float32 it is one from 8 on: in XLA, too, and in TensorFlow. NumPy's next number below has a derivative."""
    result = np.tanh(x)
    if x.dtype == np.float32:
        return np.where(np.abs(x) >= 8, np.sign(x), result)
    return result


def _sign(x):
    return np.copysign(np.sign(x), x)  # of -0, too


def unchanged(x, *_):
    return x


RULES = {
    **{name: plain(function) for name, function in {
        "abs": np.abs, "acos": np.arccos, "acosh": np.arccosh, "add": np.add, "add_any": np.add,
        "and": np.bitwise_and, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan, "atanh": np.arctanh,
        "cbrt": np.cbrt, "ceil": np.ceil, "copy": unchanged, "copy_p": unchanged, "cos": np.cos, "cosh": np.cosh,
        "eq": np.equal, "exp": np.exp, "expm1": np.expm1, "floor": np.floor, "ge": np.greater_equal, "gt": np.greater,
        "imag": lambda x: x.imag, "is_finite": np.isfinite, "le": np.less_equal, "log": np.log, "logistic": _logistic,
        "lt": np.less, "max": np.maximum, "min": np.minimum, "mul": np.multiply, "name": unchanged,
        "ne": np.not_equal, "neg": np.negative, "nextafter": np.nextafter, "not": np.invert,
        "one_minus_square": _one_minus_square, "or": np.bitwise_or, "polynomial": _polynomial,
        "real": lambda x: x.real, "shift_left": np.left_shift, "shift_right_arithmetic": np.right_shift,
        "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt, "square": np.square, "stop_gradient": unchanged,
        "sub": np.subtract, "tan": np.tan, "tanh": _tanh, "xor": np.bitwise_xor,
    }.items()},
    "atan2": by_kind(floating=np.arctan2),
    "bitcast_convert_type": _bits,
    "clamp": plain(lambda low, x, high: np.minimum(np.maximum(x, low), high)),
    "clz": _leading_zeros,
    "complex": _complex,
    "conj": _conjugate,
    "convert_element_type": _converted,
    "div": by_kind(integer=_quotient, floating=np.divide, complex=np.divide),
    "eq_to": _in_total_order(np.equal),
    "exp2": by_kind(floating=np.exp2, complex=lambda x: np.exp(x * x.real.dtype.type(np.log(2)))),
    "integer_pow": _by_squaring,
    "le_to": _in_total_order(np.less_equal),
    "log1p": by_kind(floating=np.log1p, complex=_log1p_of_complex),
    "log2": by_kind(floating=np.log2, complex=lambda x: np.log(x) / x.real.dtype.type(np.log(2))),
    "lt_to": _in_total_order(np.less),
    "mulhi": _upper_half,
    "population_count": _population_count,
    "pow": _power,
    "reduce_precision": _reduced_precision,
    "rem": by_kind(integer=_remainder, floating=np.fmod),
    "round": _rounded,
    "rsqrt": _wide(lambda x: 1 / np.sqrt(x)),
    "select_n": _selected,
    "shift_right_logical": _shift_right_logical,
    "sign": by_kind(integer=np.sign, floating=_sign, complex=np.sign),
}  # fmt: skip

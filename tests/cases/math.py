"""tf.math, tf.bitwise, clipping, and the arithmetic at the top level."""

import numpy as np

from cases._case import (
    Case,
    bf16,
    boolean,
    c64,
    c128,
    distinct,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
    indices,
    integers,
    literal,
    nonzero,
    permutation,
    points,
    positive,
    specials,
    ties,
    u8,
    unit,
    using,
)

INF, NAN = np.inf, np.nan

# One tensor, elementwise

WHOLE_LINE = [
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "expm1",
    "atan",
    "asinh",
    "sigmoid",
    "square",
]
HALF_LINE = ["sqrt", "rsqrt", "log", "log1p", "reciprocal"]
INTERVAL = ["asin", "acos", "atanh"]
STEPS = ["floor", "ceil", "round", "sign"]
SIGNED = ["abs", "negative"]
SPECIAL = [
    "erf",
    "erfc",
    "lgamma",
    "digamma",
    "bessel_i0",
    "bessel_i1",
    "bessel_i0e",
    "bessel_i1e",
    "log_sigmoid",
]

CASES = [Case(f"tf.math.{name}", f32(2, 3)) for name in WHOLE_LINE + STEPS + SIGNED]
CASES += [Case(f"tf.math.{name}", positive(2, 3)) for name in HALF_LINE + SPECIAL]
CASES += [Case(f"tf.math.{name}", unit(2, 3)) for name in [*INTERVAL, "erfinv"]]
CASES += [Case("tf.math.acosh", f32(4, low=1.2, high=3))]
CASES += [
    Case(f"tf.math.{name}", specials()).set(order=1)
    for name in WHOLE_LINE + HALF_LINE + INTERVAL + STEPS + SIGNED + ["acosh", "rint"]
    # What these give for huge arguments depends on the argument reduction of the C library.
    if name not in ("sin", "cos", "tan")
]
CASES += [
    Case(f"tf.math.{name}", c64(3)).set(rtol=1e-4, atol=1e-4, reason="complex functions of float32 parts")
    for name in [*WHOLE_LINE, *HALF_LINE, *INTERVAL, "acosh", "sign", "abs", "negative"]
]
CASES += [Case(f"tf.math.{name}", c128(2)).set(order=1) for name in ["exp", "sqrt", "log", "tanh", "acosh"]]
CASES += [
    Case(f"tf.math.{name}", make(3, low=0.25, high=0.9)).set(order=1)
    for name in [*WHOLE_LINE, *HALF_LINE, *INTERVAL, "floor", "erf", "log_sigmoid"]
    for make in (bf16, f16)
]
CASES += [Case(f"tf.math.{name}", positive(3, dtype="float64")) for name in ["exp", "lgamma", "digamma", "bessel_i1"]]
CASES += [Case(f"tf.math.{name}", i32(4)) for name in ["abs", "negative", "sign", "square", "round"]]
CASES += [
    Case(f"tf.math.{name}", i32(2)).raises()
    for name in [
        "exp",
        "sqrt",
        "log",
        "sin",
        "floor",
        "sigmoid",
        "tanh",
        "reciprocal_no_nan",
        "lgamma",
        "is_nan",
    ]
]
CASES += [
    Case("tf.math.abs", points(-1.0, 0.0, 2.0)),
    Case("tf.math.abs", c64(value=[0, 3 + 4j, -1j])).set(order=1, smooth=False),
    Case("tf.math.abs", i8(value=[-128, 3])),
    Case("tf.math.abs", u8(2)).raises(),
    Case("tf.math.abs", boolean(2)).raises(),
    Case("tf.math.abs", [-1.5, 2.0]),
    Case("tf.math.abs", f32(0, 2)),
    Case("tf.abs", f32()),
    Case("tf.math.negative", u8(2)).raises(),
    Case("tf.math.sign", points(-2.0, 0.0, 3.0)),
    Case("tf.math.square", integers("uint16", 3)),
    Case("tf.math.sqrt", points(0.0, 1.0, 4.0)).set(order=1),
    Case("tf.math.rsqrt", points(0.0, 1.0)).set(order=1),
    Case("tf.math.reciprocal", points(-2.0, 0.0, 1e-30)).set(order=1),
    Case("tf.math.reciprocal_no_nan", points(-2.0, 0.0, 4.0)),
    Case("tf.math.reciprocal_no_nan", nonzero(2, 3)),
    Case("tf.math.log", points(0.0, -1.0, 1.0)).set(order=1),
    Case("tf.math.asin", points(-1.0, 1.0, 0.0)).set(order=1),
    Case("tf.math.acosh", points(1.0, 2.0)).set(order=1),
    Case("tf.math.round", points(0.5, 1.5, 2.5, -0.5, -1.5)),
    Case("tf.math.round", integers("uint8", 3)),
    Case("tf.math.round", boolean(2)).raises(),
    Case("tf.math.rint", points(0.5, 1.5, 2.5, -0.5)),
    Case("tf.math.lgamma", points(0.0, -1.0, -1.5, 100.0)).set(order=1),
    Case("tf.math.digamma", points(-1.5, 100.0, 0.5)).set(order=1),
    Case("tf.math.erf", points(0.0, -4.0, INF)),
    Case("tf.math.erfc", points(0.0, 4.0, INF)),
    Case("tf.math.erfinv", points(0.0, 1.0, -1.0, 1.5)).set(order=1),
    Case("tf.math.erfcinv", f32(4, low=0.1, high=1.9)),
    Case("tf.math.erfcinv", f64(3, low=0.1, high=1.9)),
    Case("tf.math.ndtri", f32(4, low=0.05, high=0.95)),
    Case("tf.math.ndtri", points(0.0, 1.0, 0.5)).set(order=1),
    Case("tf.math.bessel_i0", points(0.0, -1.0, 1.5)),
    Case("tf.math.bessel_i1", points(0.0, -1.0, 1.5)).set(order=1),
    Case("tf.math.bessel_i0e", points(0.0, -1.0, 1.5)).set(order=1),
    Case("tf.math.bessel_i1e", points(0.0, -1.0, 1.5)).set(order=1),
    Case("tf.math.log_sigmoid", points(-100.0, 0.0, 100.0)),
    Case("tf.math.special.dawsn", f32(4)),
    Case("tf.math.special.expint", positive(4)),
    Case("tf.math.special.fresnel_cos", f32(4)),
    Case("tf.math.special.fresnel_sin", f32(4)),
    Case("tf.math.special.spence", positive(4)),
    Case("tf.math.special.spence", points(0.0, 1.0, 2.0)).set(order=1),
]

# Two tensors, with broadcasting

ARITHMETIC = ["add", "subtract", "multiply", "divide", "truediv", "divide_no_nan", "multiply_no_nan"]
ARITHMETIC += ["squared_difference", "maximum", "minimum", "xdivy", "atan2"]
LOGARITHMIC = ["pow", "xlogy", "xlog1py"]
ROUNDED = ["floordiv", "floormod", "mod"]

CASES += [
    Case(f"tf.math.{name}", make(*x), make(*y))
    for name, make in [
        *((n, nonzero) for n in [*ARITHMETIC, *ROUNDED]),
        *((n, positive) for n in LOGARITHMIC),
    ]
    for x, y in (((2, 3), (2, 3)), ((3,), (2, 1)), ((2, 3), ()))
]
CASES += [Case(f"tf.math.{name}", nonzero(2, dtype="float64"), 2.0) for name in ARITHMETIC + ROUNDED]
CASES += [Case(f"tf.math.{name}", 2.0, positive(3)) for name in ["subtract", "divide", "maximum", "pow", "xlogy"]]
CASES += [
    Case(f"tf.math.{name}", c64(3), c64(3)).set(rtol=1e-4, atol=1e-4, reason="complex functions of float32 parts")
    for name in [*ARITHMETIC, *LOGARITHMIC]
    if name not in ("maximum", "minimum", "atan2", "multiply_no_nan")
]
CASES += [
    Case(f"tf.math.{name}", bf16(3, low=0.5, high=2), bf16(3, low=0.5, high=2)).set(order=1)
    for name in [*ARITHMETIC, *LOGARITHMIC, *ROUNDED]
]
CASES += [
    Case(f"tf.math.{name}", i32(2, 3), i32(3, low=1, high=4))
    for name in [
        "add",
        "subtract",
        "multiply",
        "divide",
        "maximum",
        "minimum",
        "squared_difference",
        *ROUNDED,
        "pow",
    ]
]
CASES += [
    Case(f"tf.math.{name}", f32(2, 3), f32(2, 2)).raises()
    for name in ["add", "multiply", "divide", "maximum", "pow", "floormod", "less", "xlogy"]
]
CASES += [
    Case(f"tf.math.{name}", f32(2), f64(2)).raises()
    for name in [
        "add",
        "multiply",
        "divide",
        "maximum",
        "pow",
        "equal",
        "divide_no_nan",
        "multiply_no_nan",
        "atan2",
    ]
]
CASES += [Case(f"tf.math.{name}", i32(2), 1.5).raises() for name in ["add", "multiply", "divide", "maximum", "less"]]
CASES += [Case(f"tf.math.{name}", 1, f32(2)).raises() for name in ["add", "truediv", "multiply_no_nan"]]
CASES += [Case(f"tf.math.{name}", boolean(2), boolean(2)).raises() for name in ["add", "multiply", "divide", "less"]]
CASES += [
    Case("tf.math.add", literal(["a", "b"]), literal("c")),
    Case("tf.math.add", f32(2), 1),
    Case("tf.math.add", f32(2), np.array([1.0, 2.0])),
    Case("tf.math.add", 1, 2),
    Case("tf.math.add", integers("uint64", 2), integers("uint64", 2)),
    Case("tf.math.subtract", 1, f32(2)),
    Case("tf.math.multiply", points(0.0, INF, NAN), points(INF, 0.0, 1.0)).set(order=1),
    Case("tf.math.divide", points(1.0, 0.0, -1.0, 1e-20), points(0.0, 0.0, INF, 1e-20)).set(order=1),
    Case("tf.math.divide", f16(value=[0.001, 2.0]), f16(value=[0.001, 0.5])).set(order=1),
    Case("tf.math.divide", i8(3), i8(3, low=1, high=5)),
    Case("tf.math.divide", 1, 2),
    Case("tf.math.divide", [1.0, 2.0], 2),
    Case("tf.math.divide", 1, f32(2, low=1, high=2)),
    Case("tf.realdiv", f32(2, 3), nonzero(3)),
    Case("tf.divide", f64(2), nonzero(2, dtype="float64")),
    Case("tf.math.divide_no_nan", points(1.0, 0.0, 3.0, INF), points(0.0, 0.0, 2.0, 0.0)),
    Case("tf.math.divide_no_nan", i32(value=[4, 1]), i32(value=[2, 0])),
    Case("tf.math.multiply_no_nan", points(1.0, 2.0, 3.0), points(0.0, 1.0, 0.0)),
    Case("tf.math.multiply_no_nan", points(NAN, INF), points(0.0, 0.0)).set(order=1, wrt=0),
    Case("tf.math.multiply_no_nan", c64(3), c64(3))
    .set(order=1)
    .differs(jvp="of vjp and jvp, which TensorFlow both forgets to conjugate, only one can be matched"),
    Case("tf.math.floordiv", i32(value=[-7, 7, -7]), i32(value=[2, -2, -2])),
    Case("tf.math.floormod", i32(value=[-7, 7, -7]), i32(value=[2, -2, -2])),
    Case("tf.math.floordiv", points(1.0, -1.0, 0.0, 7.5, -7.5), points(0.0, 0.0, 0.0, 2.0, 2.0)),
    Case("tf.math.floormod", points(7.5, -7.5, 7.5, -7.5, 4.0), points(2.0, 2.0, -2.0, -2.0, 2.0)),
    Case("tf.math.floordiv", 7, 0).raises(),
    Case("tf.math.floormod", i32(2), 0).raises(),
    Case("tf.truncatediv", i32(value=[-7, 7, -7]), i32(value=[2, -2, -2])),
    Case("tf.truncatediv", nonzero(4), nonzero(4)),
    Case("tf.truncatemod", i32(value=[-7, 7, -7]), i32(value=[2, -2, -2])),
    Case("tf.truncatemod", nonzero(4), nonzero(4)),
    Case("tf.math.pow", points(0.0, 0.0, 0.0, 2.0, 0.0), points(0.0, 1.0, 2.0, 0.0, 0.5)),
    Case("tf.math.pow", points(-1.0, -2.0, -2.0), points(0.5, 3.0, 2.0)).set(order=1),
    Case("tf.math.pow", c64(value=[0, 1j]), c64(value=[0, 2])).set(order=1),
    Case("tf.math.pow", i32(value=[2, -3, 0]), i32(value=[10, 3, 0])),
    Case("tf.math.pow", i32(value=[2]), -1).raises(),
    Case("tf.math.pow", f32(2, 2), 2),
    Case("tf.math.pow", u8(2), u8(2)).raises(),
    Case("tf.math.maximum", ties(8), ties(8)),
    Case("tf.math.minimum", ties(8), ties(8)),
    Case("tf.math.maximum", points(NAN, 1.0, NAN), points(1.0, NAN, NAN)),
    Case("tf.math.minimum", points(NAN, 1.0, NAN), points(1.0, NAN, NAN)),
    Case("tf.math.maximum", points(-1.0, 0.0, 1.0), 0.0),
    Case("tf.math.maximum", c64(2), c64(2)).raises(),
    Case("tf.math.squared_difference", points(1.0, 2.0), points(1.0, 0.0)),
    Case("tf.math.xlogy", points(0.0, 0.0, 1.0, 2.0), points(0.0, -1.0, 0.0, 3.0)).set(order=1),
    Case("tf.math.xlog1py", points(0.0, 0.0, 1.0, 2.0), points(-1.0, -2.0, -1.0, 3.0)).set(order=1),
    Case("tf.math.xdivy", points(0.0, 0.0, 1.0, 2.0), points(0.0, 1.0, 0.0, 3.0)).set(order=1),
    Case("tf.math.atan2", points(0.0, 1.0, 0.0, -1.0), points(0.0, 0.0, -1.0, 0.0)).set(order=1),
    Case("tf.math.nextafter", f32(3), f32(3)),
    Case("tf.math.nextafter", f64(2, 1), f64(3)),
    Case("tf.math.nextafter", 1, 2),
    Case("tf.math.scalar_mul", 2.0, f32(3)),
    Case("tf.math.scalar_mul", f32(), f32(2, 3)),
    Case("tf.math.scalar_mul", f32(1), f32(3)).raises(),
    Case("tf.math.scalar_mul", 2.5, i32(3)).raises(),
    Case("tf.math.add_n", [f32(2, 3), f32(2, 3), f32(2, 3)]),
    Case("tf.math.add_n", [i32(2)]),
    Case("tf.math.add_n", []).raises(),
    Case("tf.math.add_n", [f32(2), f32(3)]).raises(),
    Case("tf.math.add_n", [f32(2), f64(2)]).raises(),
    Case("tf.math.accumulate_n", [f32(2), f32(2)]),
    Case("tf.math.accumulate_n", [f32(2), f32(3)]).raises(),
    Case("tf.math.accumulate_n", [f32(2), f32(2)], tensor_dtype=using(lambda tf: tf.int32)).raises(),
]

# Comparisons and logic

ORDER = ["less", "less_equal", "greater", "greater_equal"]
CASES += [Case(f"tf.math.{name}", ties(2, 3), ties(3)) for name in [*ORDER, "equal", "not_equal"]]
CASES += [Case(f"tf.math.{name}", i64(4), i64(4)) for name in [*ORDER, "equal", "not_equal"]]
CASES += [Case(f"tf.math.{name}", points(NAN, 1.0), points(NAN, NAN)) for name in ["less", "equal", "not_equal"]]
CASES += [Case(f"tf.math.{name}", boolean(2, 3), boolean(3)) for name in ["logical_and", "logical_or", "logical_xor"]]
CASES += [Case(f"tf.math.{name}", specials(dtype)) for name in ["is_nan", "is_inf", "is_finite"] for dtype in
          ("float32", "bfloat16")]  # fmt: skip
CASES += [
    Case("tf.math.equal", literal(["a", "b"]), literal("a")),
    Case("tf.math.equal", boolean(3), boolean(3)),
    Case("tf.math.equal", c64(2), 1j),
    Case("tf.math.equal", i32(2), i32(3)).raises(),
    Case("tf.math.less", c64(2), c64(2)).raises(),
    Case("tf.math.less", 1, 2),
    Case("tf.math.logical_not", boolean(2, 2)),
    Case("tf.math.logical_and", True, [True, False]),
    Case("tf.math.logical_and", i32(2), i32(2)).raises(),
]

# Complex numbers

CASES += [
    Case("tf.complex", f32(2, 3), f32(3)),
    Case("tf.complex", f64(2), 1.0).raises(),
    Case("tf.complex", f64(2), f64(2)),
    Case("tf.complex", i32(2), i32(2)).raises(),
    Case("tf.math.real", c64(3)),
    Case("tf.math.real", f32(3)),
    Case("tf.math.imag", c64(3)),
    Case("tf.math.imag", i32(3)),
    Case("tf.math.conj", c128(3)),
    Case("tf.math.conj", i32(2)),
    Case("tf.math.conj", boolean(2)).raises(),
    Case("tf.math.angle", c64(3)),
    Case("tf.math.angle", c64(value=[0, -1, 1j])).set(order=1, smooth=False).differs(jvp="at 0, NaN for infinity"),
    Case("tf.math.angle", points(-1.0, 0.0, 2.0)),
    Case("tf.math.angle", i32(2)).raises(),
]

# Reductions

SUMS = ["reduce_sum", "reduce_mean", "reduce_prod"]
EXTREMES = ["reduce_max", "reduce_min"]
SPREADS = ["reduce_variance", "reduce_std", "reduce_euclidean_norm", "reduce_logsumexp"]
CASES += [
    Case(f"tf.math.{name}", make(2, 3, 4), **settings)
    for name, make in [*((n, f32) for n in SUMS + SPREADS), *((n, distinct) for n in EXTREMES)]
    for settings in ({}, {"axis": 1}, {"axis": [0, -1], "keepdims": True})
]
CASES += [Case(f"tf.math.{name}", ties(3, 4), axis=0) for name in EXTREMES]
CASES += [Case(f"tf.math.{name}", f32(2, 3), []) for name in SUMS + EXTREMES]
CASES += [Case(f"tf.math.{name}", f32(2, 0), 1) for name in SUMS + EXTREMES + ["reduce_logsumexp"]]
CASES += [Case(f"tf.math.{name}", f32()) for name in SUMS + EXTREMES]
CASES += [Case(f"tf.math.{name}", i32(2, 3), 0) for name in SUMS + EXTREMES + ["reduce_euclidean_norm"]]
CASES += [Case(f"tf.math.{name}", c64(2, 3), 1) for name in SUMS + ["reduce_euclidean_norm", "reduce_variance"]]
CASES += [Case(f"tf.math.{name}", bf16(2, 3), 1).set(order=1) for name in SUMS + EXTREMES]
CASES += [Case(f"tf.math.{name}", f64(2, 3), -1) for name in SUMS + EXTREMES + SPREADS]
CASES += [Case(f"tf.math.{name}", f32(2, 3), 2).raises() for name in SUMS + EXTREMES + SPREADS]
CASES += [Case(f"tf.math.{name}", boolean(2)).raises() for name in SUMS + EXTREMES + ["reduce_logsumexp"]]
CASES += [
    Case("tf.reduce_sum", [1, 2, 3]),
    Case("tf.reduce_sum", f32(2, 3), i32(value=1)),
    Case("tf.reduce_sum", f32(2, 3), [0, 0]).raises(),
    Case("tf.reduce_sum", f32(2, 3), [0, -2]).raises(),
    Case("tf.reduce_sum", f32(2, 3), 1.5).raises(),
    Case("tf.reduce_sum", f32(), 0).raises(),
    Case("tf.reduce_sum", i8(value=[100, 100])),
    Case("tf.reduce_sum", f32(2, 3), 0, None),
    Case("tf.reduce_mean", i32(value=[-1, -2])),
    Case("tf.reduce_mean", u8(value=[250, 251])),
    Case("tf.reduce_mean", i32(0)),
    Case("tf.reduce_prod", points(0.0, 2.0, 3.0)),
    Case("tf.reduce_prod", points(0.0, 2.0, 0.0)),
    Case("tf.reduce_max", points(1.0, 3.0, 3.0, 3.0)),
    Case("tf.reduce_max", points(1.0, NAN, 2.0)),
    Case("tf.reduce_max", points(-INF, INF, INF)),
    Case("tf.reduce_max", c64(2)).raises(),
    Case("tf.math.reduce_std", points(1.0, 1.0, 1.0)).set(order=1),
    Case("tf.math.reduce_std", i32(2)).raises(),
    Case("tf.math.reduce_std", c64(4)),
    Case("tf.math.reduce_euclidean_norm", points(0.0, 0.0)).set(order=1),
    Case("tf.math.reduce_logsumexp", points(-INF, -INF)).set(order=1),
    Case("tf.math.reduce_logsumexp", points(-INF, 0.0, 100.0)).set(order=1),
    Case("tf.math.reduce_logsumexp", points(INF, 0.0)).set(order=1),
    Case("tf.math.reduce_logsumexp", i32(2)).raises(),
    Case("tf.math.reduce_all", boolean(2, 3), 1),
    Case("tf.math.reduce_all", boolean(0)),
    Case("tf.math.reduce_any", boolean(2, 3), [0], True),
    Case("tf.math.reduce_any", i32(2)).raises(),
    Case("tf.math.count_nonzero", ties(3, 4), 1),
    Case("tf.math.count_nonzero", i32(3), keepdims=True, dtype="int32"),
    Case("tf.math.count_nonzero", boolean(4)),
    Case("tf.math.count_nonzero", literal(["a", ""])),
    Case("tf.math.l2_normalize", f32(2, 3), 1),
    Case("tf.math.l2_normalize", f32(2, 3)),
    Case("tf.math.l2_normalize", points(0.0, 0.0)),
    Case("tf.math.l2_normalize", points(3.0, 4.0), epsilon=25.0),
    Case("tf.math.l2_normalize", c64(3)),
    Case("tf.math.l2_normalize", i32(2)).raises(),
    Case("tf.math.zero_fraction", ties(3, 3)),
]

# Along an axis

SCANS = [{}, {"exclusive": True}, {"reverse": True}, {"axis": 1, "exclusive": True, "reverse": True}]
CASES += [Case(f"tf.math.{name}", f32(3, 4), **settings) for name in ["cumsum", "cumprod"] for settings in SCANS]
CASES += [Case("tf.math.cumulative_logsumexp", f32(3, 4), **settings) for settings in SCANS[::2]]
CASES += [
    Case("tf.math.cumulative_logsumexp", f32(3, 4), **settings).differs(jvp="0 and not NaN of the sum of nothing")
    for settings in SCANS[1::2]
]
CASES += [
    Case("tf.math.cumsum", i32(4)),
    Case("tf.math.cumsum", c64(3)),
    Case("tf.math.cumsum", f32(0)),
    Case("tf.math.cumsum", i8(value=[100, 100])),
    Case("tf.math.cumsum", f32(3), 1).raises(),
    Case("tf.math.cumsum", f32()).raises(),
    Case("tf.math.cumsum", boolean(2)).raises(),
    Case("tf.math.cumsum", f32(2, 2), i32(value=-1)),
    Case("tf.math.cumprod", points(2.0, 0.0, 3.0)),
    Case("tf.math.cumprod", c64(3)),
    Case("tf.math.cumprod", i32(3), exclusive=True),
    Case("tf.math.cumulative_logsumexp", points(-INF, -INF, 3.0)).set(order=0),
    Case("tf.math.cumulative_logsumexp", points(1.0, INF)).set(order=0),
    Case("tf.math.cumulative_logsumexp", i32(3)).raises(),
]

# Positions and order

CASES += [
    Case("tf.math.argmax", distinct(3, 4)),
    Case("tf.math.argmax", ties(3, 4), axis=-1, output_type=using(lambda tf: tf.int32)),
    Case("tf.math.argmax", points(NAN, 1.0, NAN)),
    Case("tf.math.argmax", boolean(4), output_type=using(lambda tf: tf.uint16)),
    Case("tf.math.argmax", f32()).raises(),
    Case("tf.math.argmax", f32(0)).raises(),
    Case("tf.math.argmax", f32(0, 2), 1),
    Case("tf.math.argmax", f32(2), 1).raises(),
    Case("tf.math.argmax", c64(2)).raises(),
    Case("tf.math.argmin", distinct(3, 4), 1),
    Case("tf.math.argmin", i32(5)),
    Case("tf.math.argmin", f32(2), output_type=using(lambda tf: tf.int16)).raises(),
    Case("tf.math.top_k", distinct(2, 5), 3),
    Case("tf.math.top_k", ties(6), 4),
    Case("tf.math.top_k", i32(5)),
    Case("tf.math.top_k", distinct(4), i32(value=2), True, using(lambda tf: tf.int64)).set(order=0),
    Case("tf.math.top_k", distinct(3), 0),
    Case("tf.math.top_k", f32(2), 3).raises(),
    Case("tf.math.top_k", f32(2), -1).raises(),
    Case("tf.math.top_k", f32()).raises(),
    Case("tf.math.approx_max_k", distinct(2, 5), 2).set(smooth=False),
    Case("tf.math.approx_max_k", f32(2), 3).raises(),
    Case("tf.math.approx_min_k", distinct(4), 2).raises().differs(error="TensorFlow has no CPU kernel for it"),
    Case("tf.math.in_top_k", i32(value=[0, 1, 5]), ties(3, 4), 2),
    Case("tf.math.in_top_k", i64(value=[0, 1]), literal([[INF, 1.0], [1.0, 2.0]]), 1),
    Case("tf.math.in_top_k", i32(2), f32(3, 2), 1).raises(),
    Case("tf.math.invert_permutation", permutation(5)),
    Case("tf.math.invert_permutation", i32(value=[0, 0])).raises(),
    Case("tf.math.invert_permutation", i32(value=[2, 0])).raises(),
    Case("tf.math.invert_permutation", i32(value=[[0]])).raises(),
    Case("tf.math.is_non_decreasing", points(1.0, 1.0, 2.0)),
    Case("tf.math.is_non_decreasing", i32(value=[[1, 2], [3, 2]])),
    Case("tf.math.is_strictly_increasing", points(1.0, 1.0, 2.0)),
    Case("tf.math.is_strictly_increasing", i32(0)),
]

# Groups of rows

SEGMENTS = ["sum", "mean", "prod", "max", "min"]
EMPTY = "0 and not NaN in rows made of nothing"


def _grouped(case):
    """TensorFlow's forward derivative of these divides 0 by 0 in empty rows."""
    divides = case.symbol.split("_")[-1] in ("max", "min") or case.symbol == "tf.math.segment_mean"
    return case.differs(jvp=EMPTY) if divides else case


CASES += [_grouped(Case(f"tf.math.segment_{name}", f32(5, 2), i32(value=[0, 0, 1, 3, 3]))) for name in SEGMENTS]
CASES += [Case(f"tf.math.segment_{name}", ties(6), i64(value=[0, 0, 0, 1, 1, 1])) for name in SEGMENTS]
CASES += [Case(f"tf.math.segment_{name}", i32(4), i32(value=[0, 0, 0, 2])) for name in SEGMENTS]
CASES += [
    _grouped(Case(f"tf.math.unsorted_segment_{name}", f32(5, 2), i32(value=[3, -1, 0, 3, 0]), 5))
    for name in [*SEGMENTS, "sqrt_n"]
]
CASES += [
    Case(f"tf.math.unsorted_segment_{name}", ties(2, 3), i32(value=[[0, 0, 1], [1, 0, 1]]), 2)
    for name in ["sum", "mean", "max", "min", "sqrt_n"]
]
CASES += [
    Case("tf.math.unsorted_segment_prod", ties(2, 3), i32(value=[[0, 0, 1], [1, 0, 1]]), 2).differs(
        second="NaN beside a zero, by which TensorFlow divides"
    )
]
CASES += [Case(f"tf.math.unsorted_segment_{name}", i32(4), i32(value=[0, 0, 2, 2]), 3) for name in SEGMENTS]
CASES += [
    Case("tf.math.segment_sum", c64(3), i32(value=[0, 0, 1])),
    Case("tf.math.segment_sum", f32(0), i32(0)),
    Case("tf.math.segment_sum", f32(3), i32(value=[0, 1, 0])).raises(),
    Case("tf.math.segment_sum", f32(3), i32(value=[-1, 1, 2])).raises(),
    Case("tf.math.segment_sum", f32(3), i32(value=[0, 1])).raises(),
    Case("tf.math.segment_sum", f32(2), f32(value=[0.0, 1.0])).raises(),
    Case("tf.math.segment_sum", f32(), i32(value=0)).raises(),
    Case("tf.math.unsorted_segment_sum", c64(3), i64(value=[1, 0, 1]), i32(value=2)),
    Case("tf.math.unsorted_segment_sum", f32(3), i32(value=[0, 1]), 2).raises(),
    Case("tf.math.unsorted_segment_sum", f32(3), i32(value=[0, 1, 1]), -1).raises(),
    Case("tf.math.unsorted_segment_sum", f32(3), f32(3), 2).raises(),
]

# Counting

CASES += [
    Case("tf.math.bincount", i32(value=[1, 1, 3])),
    Case("tf.math.bincount", i32(0)),
    Case("tf.math.bincount", indices(2, 3, below=4)),
    Case("tf.math.bincount", i64(value=[[1, 1], [0, 3]]), axis=-1),
    Case("tf.math.bincount", i32(value=[[1, 1], [0, 3]]), weights=f32(2, 2), axis=-1).set(order=0),
    Case("tf.math.bincount", i32(value=[1, 1, 3]), weights=f32(3)),
    Case("tf.math.bincount", i32(value=[1, 1, 3]), minlength=6),
    Case("tf.math.bincount", i32(value=[1, 1, 3]), maxlength=2),
    Case("tf.math.bincount", i32(value=[1, 1, 3]), dtype=using(lambda tf: tf.float32)),
    Case("tf.math.bincount", i32(value=[1, 1, 3]), binary_output=True),
    Case("tf.math.bincount", i32(value=[-1, 1])).raises(),
    Case("tf.math.bincount", i32(value=[1, 1]), axis=1).raises(),
    Case("tf.math.bincount", i32(value=[1, 1]), weights=f32(3)).raises(),
    Case("tf.math.bincount", i32(value=[1, 1]), weights=f32(2), binary_output=True).raises(),
    Case("tf.math.confusion_matrix", i32(value=[1, 2, 4]), i32(value=[2, 2, 4])),
    Case("tf.math.confusion_matrix", [1, 2], [2, 2], 3, f32(2), using(lambda tf: tf.float32)),
    Case("tf.math.confusion_matrix", [1, 5], [2, 2], 3).raises(),
    Case("tf.math.confusion_matrix", [-1, 1], [2, 2], 3).raises(),
    Case("tf.math.confusion_matrix", [[1], [1]], [2, 2], 3),
    Case("tf.math.confusion_matrix", [1], [2, 2], 3).raises(),
    Case("tf.histogram_fixed_width", f32(20), [-1.0, 1.0], 5),
    Case("tf.histogram_fixed_width", i32(10), [-4, 4], nbins=4, dtype=using(lambda tf: tf.int64)),
    Case("tf.histogram_fixed_width_bins", f32(2, 5), [-1.0, 1.0], nbins=5),
    Case("tf.math.sobol_sample", 3, 5),
    Case("tf.math.sobol_sample", 2, 4, skip=3, dtype=using(lambda tf: tf.float64)),
    Case("tf.math.sobol_sample", 0, 4).raises(),
]

# Special functions of several tensors

CASES += [
    Case("tf.math.igamma", positive(4), positive(4)).set(
        order=1, smooth=False, rtol=1e-4, reason="series of another length"
    ),
    Case("tf.math.igamma", positive(2, 1, dtype="float64"), positive(3, dtype="float64")).set(order=1, smooth=False),
    Case("tf.math.igamma", points(1.0, 1.0, 0.0, 2.0), points(0.0, INF, 1.0, -1.0)).set(order=0),
    Case("tf.math.igammac", positive(4), positive(4)).set(
        order=1, smooth=False, rtol=1e-4, reason="series of another length"
    ),
    Case("tf.math.igamma", i32(2), i32(2)).raises(),
    Case("tf.math.betainc", positive(4), positive(4), f32(4, low=0.1, high=0.9)).set(order=1),
    Case("tf.math.betainc", 1.5, positive(3), f32(3, low=0.1, high=0.9)).set(order=1),
    Case("tf.math.betainc", f32(2), f32(3), f32(2)).raises(),
    Case("tf.math.zeta", f32(3, low=1.5, high=4), positive(3)).set(order=1),
    Case("tf.math.zeta", f64(2, 1, low=1.5, high=4), positive(3, dtype="float64")).differs(
        second="None by x, by which there is no first derivative either"
    ),
    Case("tf.math.zeta", points(1.0, 0.5), points(2.0, 2.0)).set(order=0),
    Case("tf.math.polygamma", points(1.0, 2.0, 3.0), positive(3)).set(order=1),
    Case("tf.math.polygamma", 1.0, positive(3, dtype="float64")),
    Case("tf.math.polygamma", points(1.5), positive(1)).set(order=0),
    Case("tf.math.lbeta", positive(2, 3)),
    Case("tf.math.lbeta", f32(2, 0)),
    Case("tf.math.polyval", [1.0, 2.0, 3.0], f32(3)),
    Case("tf.math.polyval", [f32(2), f32(), 1.0], f32(3, 2)),
    Case("tf.math.polyval", [], f32(3)),
    Case("tf.math.polyval", f32(2), f32(3)).raises(),
]

# Bits

BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
CASES += [Case(f"tf.bitwise.{name}", i32(2, 3, low=-99, high=99), i32(3, low=-99, high=99)) for name in BITS]
CASES += [Case(f"tf.bitwise.{name}", u8(4, high=200), u8(4, high=200)) for name in BITS]
CASES += [Case(f"tf.bitwise.{name}", f32(2), f32(2)).raises() for name in [*BITS, "left_shift"]]
CASES += [
    Case("tf.bitwise.invert", i32(3)),
    Case("tf.bitwise.invert", integers("uint16", 3)),
    Case("tf.bitwise.left_shift", i32(3, low=-99, high=99), i32(3, low=0, high=9)),
    Case("tf.bitwise.left_shift", u8(3, high=200), u8(3, low=0, high=8)),
    Case("tf.bitwise.right_shift", i32(3, low=-99, high=99), i32(3, low=0, high=9)),
    Case("tf.bitwise.right_shift", u8(3, high=200), u8(3, low=0, high=8)),
]

# Clipping

CASES += [
    Case("tf.clip_by_value", f32(3, 4), -1.0, 1.0),
    Case("tf.clip_by_value", points(0.0, 1.0, 2.0, -1.0, 0.5), f32(value=0.0), f32(value=1.0)),
    Case("tf.clip_by_value", points(0.0, 1.0, 2.0), points(1.0, 1.0, 1.0), points(1.0, 1.0, 1.0)),
    Case("tf.clip_by_value", points(1.0), 3.0, 1.0),
    Case("tf.clip_by_value", points(NAN, 0.5), 0.0, 1.0).set(order=1),
    Case("tf.clip_by_value", i32(4), -1, 2),
    Case("tf.clip_by_value", [1, 2], 0, 1),
    Case("tf.clip_by_value", f32(2), f32(3), 5.0).raises(),
    Case("tf.clip_by_value", f32(1, 2), f32(2, 1), 5.0).raises(),
    Case("tf.clip_by_value", i32(2), 0.5, 2.0).raises(),
    Case("tf.clip_by_value", c64(2), 0.0, 1.0).raises(),
    Case("tf.clip_by_norm", f32(3), 1.0),
    Case("tf.clip_by_norm", f64(2, 3), 0.5, axes=[1]),
    Case("tf.clip_by_norm", f32(3), f32(value=0.5)),
    Case("tf.clip_by_norm", points(3.0, 4.0), f32(value=5.0)).set(order=1),
    Case("tf.clip_by_norm", points(0.0, 0.0), 1.0).set(order=1),
    Case("tf.clip_by_norm", points(INF, 4.0), 1.0).set(order=0),
    Case("tf.clip_by_norm", i32(2), 1).raises(),
    Case("tf.clip_by_norm", f32(1, 2), f32(3)).raises(),
    Case("tf.clip_by_global_norm", [f32(3), f32(2, 2)], 1.0),
    Case("tf.clip_by_global_norm", [f32(3), None, f32(2, 2)], 1.0),
    Case("tf.clip_by_global_norm", [f32(3), f32(2)], 100.0),
    Case("tf.clip_by_global_norm", [points(1.0)], 1.0).set(order=1),
    Case("tf.clip_by_global_norm", [points(0.0)], 1.0).set(order=1),
    Case("tf.clip_by_global_norm", [points(INF, 1.0)], 1.0).set(order=0),
    Case("tf.clip_by_global_norm", [f32(3)], 1.0, f32(value=10.0)),
    Case("tf.clip_by_global_norm", [], 1.0),
    Case("tf.clip_by_global_norm", f32(2), 1.0).raises(),
    Case("tf.clip_by_global_norm", [i32(2)], 1).raises(),
]

# Bessel functions of orders 0 and 1; the last are on both sides of where one series follows another.

for _name in ["j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1"]:
    _symbol = f"tf.math.special.bessel_{_name}"
    CASES += [
        Case(_symbol, positive(4, dtype="float64")),
        Case(
            _symbol,
            points(
                0.0, -0.0, -1.0, 1e-20, 1.9, 2.1, 7.9, 8.1, 40.0, INF, -INF, NAN,
                dtype="float64" if _name in ("y0", "y1") else "float32",
            ),
        ).set(order=1),
        Case(_symbol, literal([0.5, 3.0, 9.0], dtype="float16")).set(order=0),
        Case(_symbol, i32(2)).raises(),
    ]
CASES += [
    Case("tf.math.bincount", i32(value=[[0, 2, 2]]), f32(3)),
    Case("tf.math.bincount", i32(value=[0, 2, 2]), f32(0)).set(order=0),
    Case("tf.clip_by_norm", f64(3), f32(value=0.5)).set(wrt=0),
    Case("tf.math.unsorted_segment_sum", f32(2), i32(value=[0, 1]), using(lambda tf: tf.constant(2.0))).raises(),
    Case("tf.math.unsorted_segment_sum", f32(2), i32(value=[0, 1]), None).raises(),
    Case("tf.math.top_k", f32(3), using(lambda tf: tf.constant(2.0))).raises(),
    Case("tf.math.in_top_k", i32(value=[1]), f32(1, 3), 1.5).raises(),
    Case("tf.math.in_top_k", i32(value=[1]), f32(1, 3), None).raises(),
    Case("tf.math.sobol_sample", 2, 1.5).raises(),
    Case("tf.math.sobol_sample", None, 2).raises(),
    Case("tf.histogram_fixed_width", f32(3), [0.0, 1.0], nbins="many").raises(),
    Case("tf.reduce_sum", f32(2, 3), using(lambda tf: tf.constant(1, tf.uint8))).raises(),
    Case("tf.math.cumsum", f32(2, 3), "last").raises(),
]

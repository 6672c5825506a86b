"""Cases of values at the edge: overflow, signed zeros, ties, infinities, empty matrices; a vector holds many."""

from cases._case import Case, c64, f32, f64, i32, i64, literal, points, using

_INF, _NAN = float("inf"), float("nan")


# Numbers that fit no integer: a few of them, and vectors, which TensorFlow's kernels convert otherwise.
_UNFIT = [-1.0, 171.5, -300.0, 1e4, -4e4, 3e9, -3e9, 1e19, 1e30, -1e30, _INF, _NAN]
_CASTS = [
    Case("tf.cast", literal(_UNFIT), using(lambda tf: tf.uint8)).set(order=0),
    Case("tf.cast", literal(_UNFIT), using(lambda tf: tf.int64)).set(order=0),
    Case("tf.cast", literal(_UNFIT), using(lambda tf: tf.uint64)).set(order=0),
    Case("tf.cast", literal(_UNFIT[:7]), using(lambda tf: tf.uint32)).set(order=0),
    Case("tf.cast", literal((_UNFIT * 3)[:32]), using(lambda tf: tf.uint8)).set(order=0),
    Case("tf.cast", literal((_UNFIT * 3)[:32]), using(lambda tf: tf.int16)).set(order=0),
    Case("tf.cast", literal((_UNFIT * 3)[:32], dtype="float64"), using(lambda tf: tf.int8)).set(order=0),
    Case("tf.cast", literal(_UNFIT[:8], dtype="bfloat16"), using(lambda tf: tf.uint16)).set(order=0),
    Case("tf.cast", literal([1j, 0.5, 0j]), using(lambda tf: tf.bool)).set(order=0),
    Case("tf.saturate_cast", literal([complex(_INF, -1), 3e38j]), using(lambda tf: tf.complex64)).set(order=1),
    Case("tf.saturate_cast", literal([1e30, -5.0, _NAN]), using(lambda tf: tf.uint64)).set(order=0),
]

_ARITHMETIC = [
    Case("tf.math.pow", i32(value=[3, 7, -1, 2, 0, -3, 5]), i32(value=[100, 2**31 - 1, 77, 31, 0, 65, 64])),
    Case("tf.math.pow", i64(value=[3, 2, -5, 10]), i64(value=[64, 65, 2**40 + 1, 3])),
    Case("tf.math.pow", c64(value=[0, 0, 0, 0, 2j]), c64(value=[2.5 + 1j, 1 - 1j, -1, 0, 1 + 1j])).set(order=1),
    Case("tf.nn.softsign", points(_INF, -_INF, 0.0, 1e4, _NAN)).set(order=1),
    Case("tf.math.angle", literal([1e-20j, 1e-20 + 1e-20j, -1e20 + 1j, -1.0])).set(order=1),
    Case("tf.math.digamma", literal([-9.5, -20.5, -170.25, _INF, 3.0], dtype="float64")).set(order=1),
    Case("tf.math.polygamma", literal([1.0, 2.0, 3.0, 1.0, 0.0], dtype="float64"),
         literal([-10.5, -9.5, -20.5, _INF, -3.5], dtype="float64")).set(order=1),
    Case("tf.math.zeta", literal([2.0, 3.0, 1.5, 5.0], dtype="float64"),
         literal([-9.5, -10.5, _INF, -0.5], dtype="float64")).set(order=0),
    Case("tf.reduce_mean", c64(2, 0), 1).set(order=1),
    *[Case(f"tf.nn.{name}", literal([-0.0, 0.0, -1.0, 7.0], dtype=dtype)).then(lambda tf, y, x: 1 / y).set(order=0)
      for name in ("relu", "relu6", "crelu") for dtype in ("float16", "bfloat16")],
]  # fmt: skip

_ORDER = [
    Case("tf.math.top_k", literal([[0.0, -0.0, 0.0, -1.0], [-0.0, 0.0, _INF, -_INF]]), 3).set(order=1, smooth=False),
    Case("tf.searchsorted", f32(value=[-1.0, 0.0, 2.0]), literal([_NAN, -0.0, _INF, 2.0])),
    Case("tf.searchsorted", f32(value=[-1.0, 0.0, 2.0]), literal([_NAN, -0.0, _INF, 2.0]), "right"),
]

_ORDER.append(
    Case("tf.histogram_fixed_width_bins", literal([-2.0, -0.5, 0.25, 2.5, 9.0], dtype="float16"),
         literal([-1.0, 3.0], dtype="float16"), nbins=4)
)  # fmt: skip

_TURNED = [[0.0, 1.0], [1.0, 0.0]]  # two equal singular values
_EQUAL = "TensorFlow divides by the difference of the singular values, or not at all"
_MATRICES = [
    Case("tf.linalg.pinv", f64(value=_TURNED)).differs(gradients=_EQUAL, jvp=_EQUAL, second=_EQUAL),
    Case("tf.linalg.pinv", literal([[2.0, 0.0], [0.0, 2.0], [0.0, 0.0]], dtype="float64")).set(order=0),
    Case("tf.linalg.det", f32(2, 0, 0)).set(order=1),
    Case("tf.linalg.slogdet", literal([[[1e20, 0.0], [0.0, -1e20]], [[1e-20, 0.0], [0.0, 1e-20]]])).set(
        order=1, smooth=False
    ),
    Case("tf.linalg.sqrtm", literal([[[1e20, 0.0], [0.0, 1e20]], [[1e-20, 0.0], [0.0, 4e-20]]])).set(order=0),
]

_GREYS = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.5, 0.5, 0.25], [0.25, 0.5, 0.5], [0.5, 0.0, 0.5],
          [0.25, 0.25, 0.5], [-1.0, -0.5, -0.25], [0.5, -1.0, 0.25]]  # fmt: skip
_PICTURES = [
    Case("tf.image.rgb_to_hsv", literal(_GREYS)).set(order=1, smooth=False),
    Case("tf.image.adjust_hue", literal([_GREYS]), 0.3).set(order=0),
    Case("tf.image.adjust_hue", literal([_GREYS]), -1.0).set(order=0),
    Case("tf.image.total_variation", literal([[[1.0], [1.0]], [[3.0], [_NAN]]])).set(order=1, smooth=False),
]

_LOSSES = [
    Case(f"tf.keras.losses.{name}", f32(value=[[0.5, 1.0, 0.0]]), f32(value=[[0.5, _NAN, 2.0]])).set(
        order=1, smooth=False)
    for name in ["mean_absolute_error", "mean_absolute_percentage_error", "huber"]
]  # fmt: skip

_TEXTS = [
    Case("tf.strings.as_string", literal([0.5, -1.5, _INF, -_INF, _NAN]), width=9, fill="0"),
    Case("tf.strings.as_string", literal([0.5, -1.5, _INF, -_INF]), width=7, fill=" "),
    Case("tf.strings.as_string", literal([3, 200], dtype="uint8"), width=7, fill="+"),
    Case("tf.strings.as_string", literal([3, 12345678]), width=7, fill=" "),
    Case("tf.strings.to_number", literal(["0x10", "-0x1p-3", " 1e400 ", "-nan", "+Inf", ".5"])),
]

CASES = [*_CASTS, *_ARITHMETIC, *_ORDER, *_MATRICES, *_PICTURES, *_LOSSES, *_TEXTS]

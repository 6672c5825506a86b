"""How a golden test case is written: `Case`, and the builders of its inputs.

A case is one call of one TensorFlow symbol. `tests/record.py golden` makes it on real TensorFlow,
`tests/ops/test_golden.py` makes it on tfcompat, and what comes out is compared. A file of cases imports nothing
but this module (and NumPy), and holds one list:

    from cases._case import Case, f32, i32, points, posdef, using

    CASES = [
        Case("tf.math.add", f32(3), f32(1, 3)),
        Case("tf.math.reduce_sum", f32(2, 3), axis=-1, keepdims=True),
        Case("tf.math.maximum", points(-1.0, 0.0, 1.0), points(-1.0, 1.0, 0.0)),
        Case("tf.cast", f32(3), using(lambda tf: tf.int32)),
        Case("tf.concat", [f32(2, 3), f32(1, 3)], axis=0),
        Case("tf.Tensor.__getitem__", f32(4, 5), (slice(1, None), None, ..., i32(value=2))),
        Case("tf.linalg.matmul", f32(2, 3), f32(2, 3)).raises(),
        Case("tf.math.lgamma", f32(5, low=0.5, high=4)).set(rtol=1e-5, reason="coarse in TF"),
        Case("tf.linalg.svd", f32(4, 3)).then(lambda tf, svd, a: svd[0]),
    ]

Positional and keyword arguments are the symbol's own. What a builder makes (`f32(...)` and the rest below)
becomes a `tf.constant`, wherever it stands in lists, tuples, dicts or slices; Python and NumPy values are
passed as they are; `using(lambda tf: ...)` gives whatever needs the `tf` module (dtypes, functions, shapes), and
`made(lambda tf, x: ..., f32(3))` what is made of tensors (a `tf.SparseTensor`, say).
`variable(f32(3))` becomes a `tf.Variable`. A method is written with its class, called on the first argument:
`Case("tf.Variable.assign_add", variable(f32(3)), f32(3))`.

By default value, dtype and shape are compared, and the first derivative (reverse and forward mode) and second
derivative with respect to every floating or complex tensor among the arguments, whether or not TensorFlow has
them: its `None`s and `LookupError`s are recorded too. `Case.raises`, `Case.then`, `Case.set` and
`Case.differs` change that.

The numbers in the inputs follow from a hash of the case's own description, so adding, removing or moving
cases leaves the data of every other case alone.
"""

import ast
import dataclasses
import functools
import hashlib

import ml_dtypes
import numpy as np

_DTYPES = {"bfloat16": np.dtype(ml_dtypes.bfloat16), "half": np.dtype(np.float16), "bool": np.dtype(np.bool_)}


def numpy_dtype(name):
    """NumPy dtype of a TensorFlow dtype name; `bfloat16` included."""
    return _DTYPES.get(name) or np.dtype(name)


@dataclasses.dataclass(frozen=True)
class Options:
    """What `Case.set` accepts; see there."""

    order: int = 2
    wrt: tuple | None = None
    rtol: float | None = None
    atol: float | None = None
    reason: str | None = None
    smooth: bool = True
    seed: int | None = None
    id: str | None = None


class Case:
    """One call `symbol(*args, **kwargs)`, compared with TensorFlow's recorded answer."""

    def __init__(self, symbol, *args, **kwargs):
        self.symbol, self.args, self.kwargs = symbol, args, kwargs
        self.options = Options()
        self.post = None
        self.expect_error = False
        self.differences = {}

    def set(self, **options):
        """Sets options, and returns the case.

        order: highest derivative compared: 0 none, 1 gradient and JVP, 2 (default) the second derivative too.
        wrt: which tensor arguments to differentiate: positions among the builders of the call, in order of
          appearance (positional first, then keywords), counted from 0. Default: all floating and complex.
        rtol, atol: tolerances in place of those of the dtype; `reason` is then required.
        smooth: False keeps numerical gradient checks away (inputs on a kink or a discontinuity). `points`,
          `ties` and `specials` imply it.
        seed: calls `tf.random.set_seed(seed)` just before.
        id: replaces the readable id made from the arguments.
        """
        if "wrt" in options and isinstance(options["wrt"], int):
            options["wrt"] = (options["wrt"],)
        self.options = dataclasses.replace(self.options, **options)
        if (self.options.rtol is not None or self.options.atol is not None) and not self.options.reason:
            raise ValueError(f"{self.symbol}: a tolerance of its own needs a reason=")
        return self

    def raises(self):
        """The call must raise; the exception's type is compared. Returns the case."""
        self.expect_error = True
        return self

    def differs(self, **reasons):
        """Says where tfcompat deliberately answers otherwise than TensorFlow, and why; returns the case.

        `Case(...).differs(second="TensorFlow forgets to conjugate")`. The parts are `value`, `gradients`,
        `jvp`, `second` and `error`. A part that is said to differ and does not fails the test.
        """
        unknown = set(reasons) - {"value", "gradients", "jvp", "second", "error"}
        if unknown:
            raise ValueError(f"{self.symbol}: no such part of an answer: {sorted(unknown)}")
        self.differences = reasons
        return self

    def then(self, function):
        """Compares `function(tf, result, *args)` in place of the result itself; returns the case.

        For results determined only up to a sign or an order: rebuild the input from a decomposition, say.
        """
        self.post = function
        return self

    @property
    def description(self):
        """Text that identifies the call, independent of where the case stands."""
        parts = [_describe(arg) for arg in self.args]
        parts += [f"{key}={_describe(value)}" for key, value in self.kwargs.items()]
        text = f"{self.symbol}({','.join(parts)})"
        if self.options.id:
            text = f"{self.symbol}[{self.options.id}]"
        elif self.post:
            text += f".then({_describe_function(self.post)})"
        if self.options.seed is not None and not self.options.id:
            text += f".seed({self.options.seed})"
        return text

    def __repr__(self):
        return f"Case {self.description}"


def case_ids(cases):
    """One unique id per case: the description, with `~2`, `~3`... on repetitions."""
    seen, ids = {}, []
    for case in cases:
        text = case.description
        seen[text] = seen.get(text, 0) + 1
        ids.append(text if seen[text] == 1 else f"{text}~{seen[text]}")
    return ids


def build_inputs(case, case_id):
    """The NumPy arrays of the case's builders, in order of appearance."""
    return [leaf.build(f"{case_id}|{number}") for number, leaf in enumerate(leaves(case))]


def leaves(case):
    """The builders among the arguments, in order of appearance."""
    found = []
    _walk((case.args, case.kwargs), lambda leaf: found.append(leaf) or leaf)
    return found


def materialize(case, tensors, tf):
    """`(args, kwargs)` with each builder replaced by the next of `tensors`, and `using` evaluated on `tf`."""
    supply = iter(tensors)
    return _walk((case.args, case.kwargs), lambda leaf: next(supply), tf)


def resolve(tf, symbol):
    """The object a dotted TF name stands for on module `tf`."""
    target = tf
    for part in symbol.split(".")[1:]:
        target = getattr(target, part)
    return target


def _walk(value, replace, tf=None):
    if isinstance(value, Data):
        return replace(value)
    if isinstance(value, using):
        return value.function(tf) if tf is not None else value
    if isinstance(value, made):
        parts = [_walk(part, replace, tf) for part in value.parts]
        return value.function(tf, *parts) if tf is not None else value
    if isinstance(value, slice):
        return slice(*(_walk(part, replace, tf) for part in (value.start, value.stop, value.step)))
    if isinstance(value, dict):
        return {key: _walk(item, replace, tf) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_walk(item, replace, tf) for item in value)
    return value


def _describe(value):
    if isinstance(value, (Data, using, made)):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"np.{value.dtype}{value.tolist()}".replace(" ", "")
    if isinstance(value, np.generic):
        return f"np.{value.dtype}({value.item()!r})"
    if isinstance(value, slice):
        return ":".join("" if p is None else _describe(p) for p in (value.start, value.stop, value.step))
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_describe(item)}" for key, item in value.items()) + "}"
    if type(value) in (list, tuple):
        left, right = "[]" if isinstance(value, list) else "()"
        return left + ",".join(map(_describe, value)) + right
    return "..." if value is Ellipsis else repr(value)


def _describe_function(function):
    """The text of a lambda's body, or the name of a function."""
    if function.__name__ != "<lambda>":
        return function.__name__
    code = function.__code__
    spans = [span for span in code.co_positions() if span[2] is not None and span[:2] != span[2:]]
    starts = {(line, column) for line, _, column, _ in spans}
    bodies = _lambda_bodies(code.co_filename)
    inside = [body for body in bodies if (body.lineno, body.col_offset) in starts]
    if not inside:  # Python 3.12 has no place for a constant that is returned
        inside = [body for body in bodies if isinstance(body, ast.Constant) and body.value in code.co_consts
                  and body.lineno == code.co_firstlineno]  # fmt: skip
    body = min(inside, key=lambda node: (node.lineno, node.col_offset))
    return ast.unparse(body).replace("tf.", "").replace(" ", "")


@functools.cache
def _lambda_bodies(filename):
    with open(filename, encoding="utf-8") as source:
        return [node.body for node in ast.walk(ast.parse(source.read())) if isinstance(node, ast.Lambda)]


class using:
    """An argument that needs the `tf` module: `using(lambda tf: tf.int32)`."""

    def __init__(self, function):
        self.function = function
        self._text = _describe_function(function)

    def __repr__(self):
        return self._text


class made:
    """An argument made of other arguments: `made(lambda tf, x: tf.SparseTensor([[0]], x, [2]), f32(1))`."""

    def __init__(self, function, *parts):
        self.function, self.parts = function, parts
        self._text = f"{_describe_function(function)}<-{','.join(map(_describe, parts))}"

    def __repr__(self):
        return self._text


# Builders of tensors


class Data:
    """A tensor argument: dtype, shape and how its numbers are made."""

    def __init__(self, dtype, shape, text, make, smooth=True):
        self.dtype, self.shape, self.make, self.smooth = numpy_dtype(dtype), tuple(shape), make, smooth
        self.is_variable = False
        self._text = text

    @property
    def differentiable(self):
        """Whether the dtype is floating or complex."""
        return self.dtype == _DTYPES["bfloat16"] or self.dtype.kind in "fc"

    def build(self, key):
        """The array, the same for the same `key` on every platform."""
        array = self.make(_Source(key), self.shape)
        # bfloat16 and complex tensors draw in double precision and round once here.
        with np.errstate(all="ignore"):
            return np.asarray(array).astype(self.dtype).reshape(self.shape)

    def __repr__(self):
        return self._text


class _Source:
    """Random numbers from raw bits only: NumPy promises these to be stable, its distributions not."""

    def __init__(self, key):
        digest = hashlib.sha256(key.encode()).digest()
        self._bits = np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest[:16], "little")))

    def unit(self, shape):
        """Doubles in [0, 1)."""
        count = int(np.prod(shape, dtype=np.int64))
        raw = np.atleast_1d(self._bits.random_raw(count)) if count else np.zeros(0, np.uint64)
        return ((raw >> np.uint64(11)).astype(np.float64) * 2.0**-53).reshape(shape)

    def uniform(self, shape, low, high):
        return low + (high - low) * self.unit(shape)

    def order(self, count):
        """A permutation of `range(count)`."""
        return np.argsort(self.unit((count,)), kind="stable")


def _text(name, shape, **settings):
    inside = [str(size) for size in shape]
    inside += [f"{key}={value!r}" for key, value in settings.items() if value is not None]
    return f"{name}({','.join(inside)})".replace(" ", "")


def _real(name, dtype, shape, low, high, value):
    if value is not None:
        return literal(value, dtype)
    text = _text(name, shape, low=low, high=high)
    lower, upper = -2.0 if low is None else low, 2.0 if high is None else high
    return Data(dtype, shape, text, lambda source, shape: source.uniform(shape, lower, upper))


def f32(*shape, low=None, high=None, value=None):
    """float32 in [low, high), default [-2, 2); or exactly `value` (scalar or nested list)."""
    return _real("f32", "float32", shape, low, high, value)


def f64(*shape, low=None, high=None, value=None):
    """float64, otherwise as `f32`."""
    return _real("f64", "float64", shape, low, high, value)


def f16(*shape, low=None, high=None, value=None):
    """float16, otherwise as `f32`."""
    return _real("f16", "float16", shape, low, high, value)


def bf16(*shape, low=None, high=None, value=None):
    """bfloat16, otherwise as `f32`."""
    return _real("bf16", "bfloat16", shape, low, high, value)


def _complex(name, dtype, shape, low, high, value):
    if value is not None:
        return literal(value, dtype)
    lower, upper = -2.0 if low is None else low, 2.0 if high is None else high

    def make(source, shape):
        return source.uniform(shape, lower, upper) + 1j * source.uniform(shape, lower, upper)

    return Data(dtype, shape, _text(name, shape, low=low, high=high), make)


def c64(*shape, low=None, high=None, value=None):
    """complex64, both parts in [low, high), default [-2, 2)."""
    return _complex("c64", "complex64", shape, low, high, value)


def c128(*shape, low=None, high=None, value=None):
    """complex128, otherwise as `c64`."""
    return _complex("c128", "complex128", shape, low, high, value)


def integers(dtype, *shape, low=None, high=None, value=None):
    """Any integer dtype, in low..high-1; default -4..4, or 0..8 when unsigned."""
    if value is not None:
        return literal(value, dtype)
    unsigned = numpy_dtype(dtype).kind == "u"
    lower = (0 if unsigned else -4) if low is None else low
    upper = (9 if unsigned else 5) if high is None else high
    text = _text(dtype, shape, low=low, high=high)
    return Data(dtype, shape, text, lambda source, shape: np.floor(source.uniform(shape, lower, upper)))


def i32(*shape, low=None, high=None, value=None):
    """int32 in low..high-1, default -4..4; or exactly `value`."""
    return integers("int32", *shape, low=low, high=high, value=value)


def i64(*shape, low=None, high=None, value=None):
    """int64, otherwise as `i32`."""
    return integers("int64", *shape, low=low, high=high, value=value)


def i8(*shape, low=None, high=None, value=None):
    """int8, otherwise as `i32`."""
    return integers("int8", *shape, low=low, high=high, value=value)


def u8(*shape, low=None, high=None, value=None):
    """uint8 in low..high-1, default 0..8."""
    return integers("uint8", *shape, low=low, high=high, value=value)


def boolean(*shape, value=None):
    """bool, half of them True on average; or exactly `value`."""
    if value is not None:
        return literal(value, "bool")
    return Data("bool", shape, _text("bool", shape), lambda source, shape: source.unit(shape) < 0.5)


def positive(*shape, dtype="float32"):
    """Floating numbers in [0.25, 2.25)."""
    return Data(
        dtype,
        shape,
        _text("positive", shape, dtype=_unless(dtype, "float32")),
        lambda source, shape: source.uniform(shape, 0.25, 2.25),
    )


def unit(*shape, dtype="float32"):
    """Floating numbers in (-0.9, 0.9): inside the domain of asin, atanh, erfinv."""
    return Data(
        dtype,
        shape,
        _text("unit", shape, dtype=_unless(dtype, "float32")),
        lambda source, shape: source.uniform(shape, -0.9, 0.9),
    )


def nonzero(*shape, dtype="float32"):
    """Numbers of either sign, magnitude in [0.5, 2): for denominators and kinks at zero."""

    def make(source, shape):
        return source.uniform(shape, 0.5, 2.0) * np.where(source.unit(shape) < 0.5, -1.0, 1.0)

    return Data(dtype, shape, _text("nonzero", shape, dtype=_unless(dtype, "float32")), make)


def probabilities(*shape, dtype="float32"):
    """Positive numbers that sum to one along the last axis."""

    def make(source, shape):
        raw = source.uniform(shape, 0.1, 1.0)
        return raw / raw.sum(-1, keepdims=True)

    return Data(dtype, shape, _text("probabilities", shape, dtype=_unless(dtype, "float32")), make)


def distinct(*shape, dtype="float32"):
    """A shuffled even grid on [-2, 2]: no ties, no two numbers close; for max, sort, pooling."""

    def make(source, shape):
        count = int(np.prod(shape, dtype=np.int64))
        return ((source.order(count) + 0.5) / max(count, 1) * 4.0 - 2.0).reshape(shape)

    return Data(dtype, shape, _text("distinct", shape, dtype=_unless(dtype, "float32")), make)


def indices(*shape, below, dtype="int32"):
    """Valid indices 0..below-1."""
    return Data(
        dtype,
        shape,
        _text("indices", shape, below=below, dtype=_unless(dtype, "int32")),
        lambda source, shape: np.floor(source.uniform(shape, 0, below)),
    )


def permutation(count, dtype="int32"):
    """The numbers 0..count-1, shuffled."""
    return Data(
        dtype,
        (count,),
        _text("permutation", (count,), dtype=_unless(dtype, "int32")),
        lambda source, shape: source.order(count),
    )


def literal(value, dtype=None):
    """Exactly these numbers; strings give tf.string.

    dtype: default that of an array, float32, int32, complex64 or bool for Python lists and scalars.
    """
    array = np.asarray(value)
    if array.dtype.kind in "US":
        array = array.astype(object)
        return Data(
            "object", array.shape, f"str({array.tolist()})".replace(" ", ""), lambda source, shape: array
        )
    if dtype is None:
        plain = {"f": "float32", "i": "int32", "c": "complex64", "b": "bool"}
        dtype = array.dtype.name if isinstance(value, (np.ndarray, np.generic)) else plain[array.dtype.kind]
    body = f"{array.tolist()}".replace(" ", "")
    if len(body) > 60:
        body = f"{array.shape}#{hashlib.sha256(body.encode()).hexdigest()[:6]}".replace(" ", "")
    return Data(dtype, array.shape, f"{dtype}={body}", lambda source, shape: array)


def points(*values, dtype="float32"):
    """Exactly these numbers, on kinks or ties: compared with TensorFlow, not with finite differences."""
    data = literal(list(values), dtype)
    data.smooth = False
    return data


def ties(*shape, dtype="float32"):
    """Numbers from {-1, 0, 1}, so that equal ones are frequent."""
    return Data(
        dtype,
        shape,
        _text("ties", shape, dtype=_unless(dtype, "float32")),
        lambda source, shape: np.floor(source.uniform(shape, -1, 2)),
        smooth=False,
    )


def specials(dtype="float32"):
    """nan, both infinities, both zeros, 1, -1, and the dtype's largest, lowest and smallest normal number."""
    info = ml_dtypes.finfo(numpy_dtype(dtype))
    values = [
        np.nan,
        np.inf,
        -np.inf,
        0.0,
        -0.0,
        1.0,
        -1.0,
        float(info.max),
        float(info.min),
        float(info.tiny),
    ]
    return Data(
        dtype,
        (len(values),),
        _text("specials", (), dtype=_unless(dtype, "float32")),
        lambda source, shape: np.array(values),
        smooth=False,
    )


def _grid(array):
    """Rounds to multiples of 2**-16, so that a sum's order of evaluation cannot show."""
    return np.round(array * 2.0**16) * 2.0**-16


def _is_complex(dtype):
    return numpy_dtype(dtype).kind == "c"


def _draw(source, shape, dtype):
    real = source.uniform(shape, -1.0, 1.0)
    return real + 1j * source.uniform(shape, -1.0, 1.0) if _is_complex(dtype) else real


def posdef(n, *batch, dtype="float32"):
    """Symmetric (Hermitian) positive definite matrices of shape [*batch, n, n]; eigenvalues at least 0.5."""

    def make(source, shape):
        a = _draw(source, shape, dtype)
        return _grid(a @ np.conj(np.swapaxes(a, -1, -2)) / n) + 0.5 * np.eye(n)

    return Data(dtype, (*batch, n, n), _text("posdef", (n, *batch), dtype=_unless(dtype, "float32")), make)


def symmetric(n, *batch, dtype="float32"):
    """Symmetric (Hermitian) matrices of shape [*batch, n, n], eigenvalues well apart."""

    def make(source, shape):
        a = _draw(source, shape, dtype)
        return _grid(0.25 * (a + np.conj(np.swapaxes(a, -1, -2)))) + np.diag(np.arange(1.0, n + 1))

    return Data(dtype, (*batch, n, n), _text("symmetric", (n, *batch), dtype=_unless(dtype, "float32")), make)


def invertible(n, *batch, dtype="float32"):
    """General matrices of shape [*batch, n, n], diagonally dominant."""

    def make(source, shape):
        return _draw(source, shape, dtype) + (n + 0.5) * np.diag((-1.0) ** np.arange(n))

    return Data(
        dtype, (*batch, n, n), _text("invertible", (n, *batch), dtype=_unless(dtype, "float32")), make
    )


def triangular(n, *batch, upper=False, dtype="float32"):
    """Triangular matrices of shape [*batch, n, n] with a diagonal in [1, 2)."""

    def make(source, shape):
        a = _draw(source, shape, dtype)
        a = np.triu(a, 1) if upper else np.tril(a, -1)
        return a + np.eye(n) * source.uniform((*batch, n, 1), 1.0, 2.0)

    text = _text("triangular", (n, *batch), upper=upper or None, dtype=_unless(dtype, "float32"))
    return Data(dtype, (*batch, n, n), text, make)


def variable(data):
    """The same numbers in a `tf.Variable`."""
    data.is_variable = True
    data._text = f"variable({data._text})"
    return data


def _unless(value, default):
    return None if value == default else value

"""Random programs as data, and what runs them on any module that is like TensorFlow.

A program is a list of steps, `[name, *arguments]`. A step works on values of earlier steps, told by number, and gives a
new value or raises, which is a result as well. Numbers of values are taken modulo the values that there are, so that a
program makes sense whatever has raised.
"""

import functools
import random

import numpy as np

DTYPES = (
    *["float32"] * 6,
    *["float64"] * 2,
    *"float16 bfloat16 int8 int16 int32 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128".split(),
)
SHAPES = ([], [1], [3], [2, 3], [2, 1], [3, 2], [0], [2, 0], [2, 3, 1], [1, 2, 2])
SPECIAL = (0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), float("-inf"))
AXES = (None, 0, -1, 1, -2, [0, 1], [], 3)

# Known differences that a program could meet are kept out of it; the reasons are in differences.toml.
FINITE_ONLY = {
    "sort": "sort-nan",
    "argsort": "sort-nan",
    "top_k": "sort-nan",
    "softmax": "nan-among-others",
    "cumsum": "a nan or infinity spreads to earlier elements in TensorFlow's blocks",
    "matmul": "sums in another order",
    "argmax": "with nan the result depends on the place",
    "argmin": "with nan the result depends on the place",
    "saturate_cast": "cast-out-of-range",
}
REAL_ONLY = dict.fromkeys("sqrt log1p divide multiply pow reduce_prod".split(), "complex-edges")

SMOOTH = "sin cos tanh exp square negative sigmoid abs log1p sqrt".split()  # also differentiated, and in loops
UNARY = [*SMOOTH, "floor", "round", "sign", "is_nan", "is_finite", "ones_like", "zeros_like", "shape", "size", "relu"]
BINARY = "add subtract multiply divide maximum minimum equal less floormod floordiv squared_difference pow".split()
REDUCTIONS = "reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_all reduce_any argmax argmin".split()
MOVES = "transpose expand_dims squeeze reverse stack tile roll slice flatten concat pad gather".split()
_BY_VALUE = "pow floordiv floormod".split()  # which raise for some integers
SORTS = "sort argsort top_k softmax cumsum matmul".split()


@functools.lru_cache(maxsize=64)
def program(seed):
    """The steps of the program of a seed.

    Args:
      seed: int; or (int, number), the program of the seed with other constants.
    """
    if not isinstance(seed, int):
        seed, number = seed
        draw = random.Random(f"{seed} {number}")
        return [_other_constant(draw, step) if step[0] == "constant" else step for step in program(seed)]
    draw = random.Random(seed)

    def value():
        return draw.randrange(64)

    def chain():
        return [draw.choice(SMOOTH) for _ in range(draw.randint(1, 3))]

    steps = [_constant(draw) for _ in range(draw.randint(2, 5))]
    for _ in range(draw.randint(18, 55)):
        kind = draw.choices(list(_KINDS), list(_KINDS.values()))[0]
        if kind == "constant":
            steps.append(_constant(draw))
        elif kind == "unary":
            steps.append([kind, draw.choice(UNARY), value()])
        elif kind == "binary":
            steps.append([kind, draw.choice(BINARY), value(), value(), draw.random() < 0.8])
        elif kind == "reduction":
            steps.append([kind, draw.choice(REDUCTIONS), value(), draw.choice(AXES), draw.random() < 0.3])
        elif kind == "move":
            steps.append([kind, draw.choice(MOVES), value(), draw.choice((-2, -1, 0, 1, 2))])
        elif kind == "sort":
            steps.append([kind, draw.choice(SORTS), value()])
        elif kind == "cast":
            steps.append([kind, draw.choice(["cast", "cast", "saturate_cast"]), value(), draw.choice(DTYPES)])
        elif kind == "grid":
            steps.append([kind, value(), value(), draw.choice((0, 1))])
        elif kind == "loop":
            steps.append([kind, chain(), value(), draw.randint(0, 3)])
        else:
            steps.append([kind, chain(), value()])
    return steps


def values_of(step):
    """The numbers of the values that a step works on."""
    if step[0] == "constant":
        return []
    return step[1:3] if step[0] == "grid" else step[2:4] if step[0] == "binary" else step[2:3]


_KINDS = {
    "constant": 2, "unary": 6, "binary": 8, "reduction": 4, "move": 6, "sort": 2, "cast": 2, "variable": 2,
    "gradient": 2, "second": 1, "forward": 1, "function": 2, "branch": 1, "loop": 1,
    "grid": 1,
}  # fmt: skip


def _constant(draw):
    return _constant_of(draw, draw.choice(DTYPES), draw.choice(SHAPES))


def _other_constant(draw, step):
    return _constant_of(draw, *step[1:3])


def _constant_of(draw, dtype, shape):
    count = int(np.prod(shape))
    if draw.random() < 0.25 and "int" not in dtype:
        numbers = [draw.choice(SPECIAL) for _ in range(count)]
    elif "int" in dtype:
        numbers = [draw.randint(0 if dtype[0] == "u" else -5, 6) for _ in range(count)]
    else:
        numbers = [draw.randint(-24, 24) / 8 for _ in range(count)]
    return ["constant", dtype, shape, [repr(n) for n in numbers]]


def run(tf, steps, nudge=0.0, reads=True, kept=None):
    """What each step gives: an array, or the name of an exception's type.

    Args:
      tf: TensorFlow, or tfcompat.
      steps: the program.
      nudge: by what part constants of float32 are changed, others by as many roundings, to see which results hang on
        rounding.
      reads: whether each value is read at once. Otherwise all are read at the end, and None is returned if one of them
        raises: later steps had another number of values.
      kept: what the runs of a structure with several sets of constants share, a dict. Steps keep their `tf.function`
        there, and the exceptions that they raised: these come of dtypes and shapes, but for `_BY_VALUE`, and are not
        asked for again.
    """
    values, results, kept = [], [], {} if kept is None else kept
    for number, step in enumerate(steps):
        if isinstance(kept.get(number), str):
            results.append(kept[number])
            continue
        try:
            made = _made(tf, values, nudge, step, kept, number)
            array = np.asarray(made.numpy()) if reads and made is not None else made
        except Exception as error:
            results.append(_public_type(error))
            if step[1] not in _BY_VALUE:
                kept[number] = results[-1]
            continue
        results.append("None" if made is None else array)
        if made is not None:
            values.append(made)
    if reads:
        return results
    try:
        return [x if isinstance(x, str) else np.asarray(x.numpy()) for x in results]
    except Exception:
        return None


def of_structure(tf, seed, variants, in_graph=0):
    """What the program of a seed gives, and what it gives with other constants: a list of results for each set.

    From the set `in_graph` on, if it is not 0, the program runs as one graph, for which each step has to succeed that
    succeeded with the sets before.
    """
    kept, found, graph = {}, [], None
    for number in range(variants):
        steps = program((seed, number) if number else seed)
        if number and number == in_graph:
            graph = _graph_of(tf, steps, kept)
        try:
            found.append(graph(steps) if graph else run(tf, steps, kept=kept))
        except Exception:
            graph = None
            found.append(run(tf, steps, kept=kept))
    return found


def _graph_of(tf, steps, kept):
    """A function that runs a structure as one graph: of a program of it. What raised is in `kept`."""
    texts = {}

    @tf.function(autograph=False)
    def values_of_constants(*constants):
        values, constants = [], list(constants)
        for number, step in enumerate(steps):
            texts[number] = kept.get(number)
            if isinstance(texts[number], str):
                continue
            made = (
                tf.cast(constants.pop(0), step[1])
                if step[0] == "constant"
                else _made(tf, values, 0, step, kept, number)
            )
            if made is None:
                texts[number] = "None"
            else:
                texts[number] = None
                values.append(made)
        return values

    def results(steps):
        constants = [tf.constant(_array(*step[2:]), tf.float64) for step in steps if step[0] == "constant"]
        values = iter([value.numpy() for value in values_of_constants(*constants)])
        return [np.asarray(next(values)) if texts[i] is None else texts[i] for i in range(len(steps))]

    return results


def _made(tf, values, nudge, step, kept, number):
    if step[0] in _KEEPING:
        return _KEEPING[step[0]](tf, values, nudge, *step[1:], kept, number)
    return _STEPS[step[0]](tf, values, nudge, *step[1:])


def _public_type(error):
    return next(t.__name__ for t in type(error).__mro__ if t.__module__ == "builtins" or t.__name__.endswith("Error"))


def _array(shape, numbers):
    return np.array([float(n) for n in numbers]).reshape(shape)


def _constant_value(tf, values, nudge, dtype, shape, numbers):
    array = _array(shape, numbers)
    if nudge and "int" not in dtype and dtype != "bool":
        array = array * (1 + _part(nudge, dtype) * (1 + np.arange(array.size).reshape(shape) % 3))
    return tf.cast(tf.constant(array, tf.float64), dtype)


def _of(values, number):
    return values[number % len(values)]


# Roundings of dtypes; numbers of float64 may come of a computation in float32.
_ROUNDING = {"float16": 2**-10, "bfloat16": 2**-7, "float32": 2**-23, "float64": 2**-23}
_JUMPS = "floor round sign less equal floormod floordiv".split()


def _part(nudge, dtype):
    """By what part a number of the dtype is changed: as many roundings of its own as `nudge` is of float32."""
    return nudge * _ROUNDING.get(dtype, 2**-23) / 2**-23


def _before_a_jump(tf, x, nudge):
    """The argument of a step that jumps; if nudged, as other roundings may have it."""
    if not x.dtype.is_floating:
        return x
    # TensorFlow takes numbers of less than full precision for 0.
    small = tf.abs(x) < tf.cast(2.0**-14 if x.dtype == tf.float16 else 2.0**-126, x.dtype)
    x = tf.where(small, tf.zeros_like(x), x)
    return x * tf.cast(1 + np.sign(nudge) * 8 * _ROUNDING[x.dtype.name], x.dtype) if nudge else x


def _unary(tf, values, nudge, name, number):
    x = _of(values, number)
    return _applied(tf, name, _before_a_jump(tf, x, nudge) if name in _JUMPS else x)


def _applied(tf, name, x):
    if name in REAL_ONLY and x.dtype.is_complex:
        x = tf.math.real(x)
    if name == "relu":
        return tf.nn.relu(x) + tf.cast(0, x.dtype)  # which of -0 is -0 in TensorFlow alone
    return getattr(tf.math if hasattr(tf.math, name) else tf, name)(x)


def _binary(tf, values, nudge, name, one, other, is_cast):
    x, y = _of(values, one), _of(values, other)
    if name in _JUMPS:
        x = _before_a_jump(tf, x, nudge)
    if name in REAL_ONLY and (x.dtype.is_complex or y.dtype.is_complex):
        x, y = tf.cast(tf.math.real(x), tf.float64), tf.cast(tf.math.real(y), tf.float64)
    if is_cast:
        y = _converted(tf, y, x.dtype, nudge)
    if name.startswith("floor"):  # division by zero raises on small values only
        y = tf.where(y == 0, tf.ones_like(y), y)
    return getattr(tf.math, name)(x, y)


def _converted(tf, x, dtype, nudge=0.0):
    """A cast without what depends on the device: of numbers that do not fit."""
    if x.dtype.is_complex and not dtype.is_complex:
        x = tf.math.real(x)
    if not dtype.is_floating and not dtype.is_complex:
        x = _before_a_jump(tf, x, nudge)
    if not dtype.is_floating and not dtype.is_complex and x.dtype.is_floating:
        x = tf.clip_by_value(_finite(tf, x), tf.cast(0.0, x.dtype), tf.cast(100.0, x.dtype))
    return tf.cast(x, dtype)


def _finite(tf, x):
    return tf.where(tf.math.is_finite(x), x, tf.ones_like(x)) if x.dtype.is_floating else x


def _reduction(tf, values, nudge, name, number, axis, keepdims):
    x = _of(values, number)
    if name in REAL_ONLY and x.dtype.is_complex:
        x = tf.math.real(x)
    if name in FINITE_ONLY:
        return getattr(tf, name)(_finite(tf, x), axis=axis if isinstance(axis, int) else 0)
    if name in ("reduce_all", "reduce_any") and isinstance(axis, list):
        x = _converted(tf, x, tf.bool)  # which exception TensorFlow raises otherwise depends on how `axis` is written
    return getattr(tf, name)(x, axis=axis, keepdims=keepdims)


_MOVES = {
    "transpose": lambda tf, x, n: tf.transpose(x),
    "expand_dims": lambda tf, x, n: tf.expand_dims(x, n),
    "squeeze": lambda tf, x, n: tf.squeeze(x),
    "reverse": lambda tf, x, n: tf.identity(x) if _is_any_axis_fine(tf, x) else tf.reverse(x, [n]),
    "stack": lambda tf, x, n: tf.stack([x, x], n),
    "tile": lambda tf, x, n: tf.tile(x, [abs(n)] * len(x.shape)),
    "roll": lambda tf, x, n: tf.roll(x, n, 0),
    "slice": lambda tf, x, n: x[n:],
    "flatten": lambda tf, x, n: tf.reshape(x, [-1]),
    "concat": lambda tf, x, n: tf.concat([x, x], n),
    "pad": lambda tf, x, n: tf.pad(x, [[abs(n), 1]] * len(x.shape)),
    "gather": lambda tf, x, n: tf.gather(x, [0, 0], axis=n),
}


def _is_any_axis_fine(tf, x):
    """Whether TensorFlow's kernel does not look at the axis; its graphs do."""
    return not tf.executing_eagerly() and (not x.shape.rank or 0 in x.shape)


def _move(tf, values, nudge, name, number, n):
    x = _of(values, number)
    if name == "gather" and 0 in x.shape:  # an index out of range
        x = tf.ones([2], x.dtype)
    return _MOVES[name](tf, x[:4] if len(x.shape) else x, n)


def _sort(tf, values, nudge, name, number):
    x = _finite(tf, _of(values, number))
    if name == "matmul" and x.dtype == tf.bool:
        x = tf.cast(x, tf.int32)  # which exception TensorFlow raises depends on rank and flags
    if name == "top_k":
        return tf.math.top_k(x, 1).values
    if name == "matmul":
        return tf.matmul(x, x, transpose_b=True)
    if name == "argsort":
        return tf.argsort(x, stable=True)
    return getattr(tf.nn if name == "softmax" else tf, name)(x)


def _cast(tf, values, nudge, name, number, dtype):
    x, dtype = _of(values, number), tf.as_dtype(dtype)
    if name == "cast" or x.dtype in (tf.uint32, tf.uint64):  # for which there is no kernel
        return _converted(tf, x, dtype, nudge)
    return tf.saturate_cast(_finite(tf, _before_a_jump(tf, x, nudge)), dtype)


def _grid(tf, values, nudge, one, other, which):
    """Of real numbers: TensorFlow multiplies by ones (complex-edges), and rounds other dtypes to bools."""
    x, y = [tf.reshape(tf.math.real(v) if v.dtype.is_complex else v, [-1])[:5] for v in map(values.__getitem__, (
        one % len(values), other % len(values)))]  # fmt: skip
    return tf.meshgrid(tf.cast(x, tf.int32) if x.dtype == tf.bool else x, y)[which]


def _chained(tf, names, x):
    for name in names:
        x = _applied(tf, name, x)
    return x


def _floating(tf, values, nudge, number):
    """A value to differentiate with respect to, away from edges."""
    x = _of(values, number)
    if not x.dtype.is_floating:
        x = _converted(tf, x, tf.float32)
        return x * tf.cast(1 + _part(nudge, x.dtype.name), x.dtype)
    x = tf.clip_by_value(_finite(tf, x), tf.cast(0.25, x.dtype), tf.cast(2.0, x.dtype)) + tf.cast(0.125, x.dtype)
    return x * tf.cast(1 + _part(nudge, x.dtype.name), x.dtype)  # clipping has hidden that of the constants


def _variable(tf, values, nudge, names, number, kept, step):
    x = _floating(tf, values, nudge, number)
    if tf.executing_eagerly():
        v = kept[step] = tf.Variable(x)
    else:
        v = kept[step]
        v.assign(x)
    read = v + v
    v.assign_add(_chained(tf, names, v))
    v.assign_sub(read)
    return v.read_value() + read


def _gradient(tf, values, nudge, names, number):
    x = _floating(tf, values, nudge, number)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = _chained(tf, names, x)
    return tape.gradient(y, x)


def _second(tf, values, nudge, names, number):
    x = _floating(tf, values, nudge, number)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = _chained(tf, names, x) * x
        first = inner.gradient(y, x)
    return outer.gradient(first, x)


def _forward(tf, values, nudge, names, number):
    x = _floating(tf, values, nudge, number)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = _chained(tf, names, x)
    return accumulator.jvp(y)


def _function(tf, values, nudge, names, number, kept, step):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = _chained(tf, names, x)
        return y + tape.gradient(y, x)

    x = _floating(tf, values, nudge, number)
    if step not in kept:
        kept[step] = tf.function(f, autograph=False)
    return kept[step](x)


def _branch(tf, values, nudge, names, number):
    x = _floating(tf, values, nudge, number)
    return tf.cond(tf.reduce_sum(x) > 2, lambda: _chained(tf, names, x), lambda: -x)


def _loop(tf, values, nudge, names, number, count):
    x = _floating(tf, values, nudge, number)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.while_loop(lambda i, y: i < count, lambda i, y: (i + 1, tf.sin(_chained(tf, names, y)) + x), (0, x))[1]
    return y + tape.gradient(y, x)


_STEPS = {
    "constant": _constant_value, "unary": _unary, "binary": _binary, "reduction": _reduction, "move": _move,
    "sort": _sort, "cast": _cast, "gradient": _gradient, "second": _second,
    "forward": _forward, "branch": _branch, "loop": _loop,
    "grid": _grid,
}  # fmt: skip
_KEEPING = {"function": _function, "variable": _variable}  # steps that keep something for the next run

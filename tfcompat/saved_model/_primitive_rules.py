"""The primitives of JAX as TensorFlow's nodes, for recorded calls that no node says as a whole.

What JAX differentiates by a rule of its own, or otherwise than TensorFlow does the node, passes a node with a gradient
of its own, which is written in the same way.
"""

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes
from tfcompat.engine import host
from tfcompat.engine.conditions import Site
from tfcompat.saved_model._body import NotNodes
from tfcompat.saved_model._node_rules import rule_in

_INLINE = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "custom_jvp_call": "call_jaxpr",
           "custom_vjp_call": "call_jaxpr", "checkpoint": "jaxpr"}  # fmt: skip
# TensorFlow differentiates the nodes of these otherwise.
_OWN_GRADIENT = {"custom_jvp_call", "custom_vjp_call", "max", "min", "clamp", "pow", "rem"}

# Primitives that are nodes of the same inputs.
_SAME = dict(row.split() for row in """\
add AddV2
add_any AddV2
sub Sub
mul Mul
neg Neg
sign Sign
exp Exp
log Log
log1p Log1p
expm1 Expm1
tanh Tanh
sin Sin
sine Sin
cos Cos
cosine Cos
tan Tan
asin Asin
acos Acos
atan Atan
sinh Sinh
cosh Cosh
asinh Asinh
acosh Acosh
atanh Atanh
atan2 Atan2
logistic Sigmoid
sqrt Sqrt
rsqrt Rsqrt
square Square
floor Floor
ceil Ceil
is_finite IsFinite
eq Equal
ne NotEqual
lt Less
le LessEqual
gt Greater
ge GreaterEqual
max Maximum
min Minimum
rem TruncateMod
erf Erf
erfc Erfc
erf_inv Erfinv
lgamma Lgamma
digamma Digamma
stop_gradient StopGradient
copy Identity
cholesky Cholesky""".splitlines())
_REDUCTIONS = {"reduce_sum": "Sum", "reduce_max": "Max", "reduce_min": "Min", "reduce_prod": "Prod",
               "reduce_and": "All", "reduce_or": "Any"}  # fmt: skip
_CUMULATIVE = {"cumsum": "Cumsum", "cumprod": "Cumprod"}
_BITS = {"and": ("LogicalAnd", "BitwiseAnd"), "or": ("LogicalOr", "BitwiseOr"), "xor": ("NotEqual", "BitwiseXor"),
         "not": ("LogicalNot", "Invert")}  # fmt: skip
_RULES: dict = {}  # name of a primitive -> function of an _Equation that returns its results


rule = rule_in(_RULES)


def primitive_nodes(writer, fn, avals, take):
    """The Values of the results of a JAX function.

    Args:
      writer: Writer of the body.
      fn: function of arrays that returns an array or a tuple.
      avals: of its arguments.
      take: function from the number of an argument to its Value, called for those that are used.

    Raises:
      NotNodes: there is no rule for a primitive in it.
    """
    arguments = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals]
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(lambda *arrays: flat(fn(*arrays)))(*arguments)
    names = {host.named(equation)[0] for equation in _equations(closed.jaxpr)}
    if not names <= _KNOWN:
        raise NotNodes
    moving = [i for i, aval in enumerate(avals) if jnp.issubdtype(aval.dtype, jnp.inexact)]
    outputs = [aval.aval for aval in closed.jaxpr.outvars]
    has_gradient = moving and any(jnp.issubdtype(aval.dtype, jnp.inexact) for aval in outputs)
    if not (names & _OWN_GRADIENT and has_gradient):
        return _evaluated(writer.body, closed, take)
    if writer.is_part:
        raise NotNodes

    def pull(inner, cotangents, captured):
        return _pulled(inner, fn, avals, outputs, moving, cotangents, lambda i: captured(take(i)))

    values = _evaluated(writer.body, closed, take)
    return writer.with_gradient(values, outputs, [take(i) for i in moving], [avals[i] for i in moving], pull)


def flat(result):
    """The results of a function of arrays as a tuple."""
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def _pulled(writer, fn, avals, outputs, moving, cotangents, take):
    """The cotangents of the arguments at the places `moving`, as nodes; `avals` and `outputs` are those of `fn`."""
    seeded = [i for i, cotangent in enumerate(cotangents) if cotangent is not None]

    def back(*arrays):
        arguments, seeds = list(arrays[: len(avals)]), arrays[len(avals) :]

        def restricted(*moved):
            for i, x in zip(moving, moved, strict=True):
                arguments[i] = x
            results = flat(fn(*arguments))
            return [results[i] for i in seeded]

        _, pull = jax.vjp(restricted, *[arguments[i] for i in moving])
        return pull(list(seeds))

    taken = [*avals, *[outputs[i] for i in seeded]]
    return primitive_nodes(
        writer, back, taken, lambda i: take(i) if i < len(avals) else cotangents[seeded[i - len(avals)]]
    )


def _inner(equation):
    """The jaxpr that an equation stands for; None if it is one primitive."""
    name = _INLINE.get(equation.primitive.name)
    return None if name is None else equation.params[name]


def _equations(jaxpr):
    for equation in jaxpr.eqns:
        inner = _inner(equation)
        yield equation
        if inner is not None:
            yield from _equations(getattr(inner, "jaxpr", inner))


def _evaluated(body, closed, take):
    """The Values of a jaxpr's results; only what they need becomes nodes."""
    jaxpr = getattr(closed, "jaxpr", closed)
    needed = {id(var) for var in jaxpr.outvars}
    kept = []
    for equation in reversed(jaxpr.eqns):
        if any(id(var) in needed for var in equation.outvars):
            needed.update(id(var) for var in equation.invars)
            kept.append(equation)
    values: dict = {}
    places = {id(var): i for i, var in enumerate(jaxpr.invars)}
    constants = dict(zip(map(id, jaxpr.constvars), getattr(closed, "consts", ()), strict=True))

    def read(var):
        if hasattr(var, "val"):  # a literal
            return body.constant(np.asarray(var.val, var.aval.dtype))
        if id(var) not in values:
            constant = constants.get(id(var))
            values[id(var)] = take(places[id(var)]) if constant is None else body.constant(np.asarray(constant))
        return values[id(var)]

    for equation in reversed(kept):
        inner = _inner(equation)
        if inner is not None:
            results = _evaluated(body, inner, lambda i, equation=equation: read(equation.invars[i]))
        else:
            results = _nodes(_Equation(body, equation, [read(var) for var in equation.invars]))
        values.update(zip(map(id, equation.outvars), results, strict=True))
    return [read(var) for var in jaxpr.outvars]


class _Equation:
    """An equation of a jaxpr, as rules see it.

    Attributes:
      body: the Body to add nodes to.
      inputs: Values; `avals` those of the inputs, `aval` that of the first result.
      params: of the primitive, also as attributes.
    """

    def __init__(self, body, equation, inputs):
        self.body, self.inputs = body, inputs
        self.name, self.params = host.named(equation)
        self.avals = [var.aval for var in equation.invars]
        self.aval = equation.outvars[0].aval

    def __getattr__(self, name):
        try:
            return self.params[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def op(self):
        """`Body.op`."""
        return self.body.op

    @property
    def dtype(self):
        """DType of the first result."""
        return dtypes.from_numpy(np.dtype(self.aval.dtype))

    def numbers(self, values):
        """A vector of known integers."""
        return self.body.constant(np.array(values, np.int32).reshape(-1))

    def as_place(self, value):
        """Integers in the dtype of sizes: TensorFlow Lite confuses slices that have both."""
        return self.body.cast(value, dtypes.int32)


def _nodes(equation):
    made = _RULES[equation.name](equation)
    return made if isinstance(made, list) else [made]


@rule(*_SAME)
def _same(e):
    return e.op(_SAME[e.name], *e.inputs)


@rule(*_BITS)
def _bits(e):
    return e.op(_BITS[e.name][e.inputs[0].dtype is not dtypes.bool], *e.inputs)


@rule(*_REDUCTIONS)
def _reduced(e):
    return e.op(_REDUCTIONS[e.name], e.inputs[0], e.numbers(e.axes))


@rule(*_CUMULATIVE)
def _cumulative(e):
    return e.op(_CUMULATIVE[e.name], e.inputs[0], e.body.constant(e.axis, "int32"), reverse=e.reverse)


@rule("div")
def _div(e):
    return e.op("RealDiv" if jnp.issubdtype(e.aval.dtype, jnp.inexact) else "TruncateDiv", *e.inputs)


@rule("abs")
def _abs(e):
    if e.inputs[0].dtype.is_complex:
        return e.op("ComplexAbs", e.inputs[0], Tout=e.dtype)
    return e.op("Abs", e.inputs[0])


@rule("conj")
def _conj(e):
    return e.op("Conj", e.body.cast(e.inputs[0], e.dtype))


@rule("pow")
def _pow(e):
    x, y = e.inputs
    return e.op("Pow", x, e.body.cast(y, x.dtype))


@rule("integer_pow")
def _integer_pow(e):
    return e.op("Pow", e.inputs[0], e.body.constant(np.asarray(e.y, e.aval.dtype)))


@rule("round")
def _round(e):
    if e.rounding_method != jax.lax.RoundingMethod.TO_NEAREST_EVEN:
        raise NotNodes
    return e.op("Round", e.inputs[0])


@rule("clamp")
def _clamp(e):
    low, x, high = e.inputs
    return e.op("Minimum", e.op("Maximum", x, low), high)


@rule("select_n")
def _select(e):
    if e.inputs[0].dtype is not dtypes.bool:
        raise NotNodes
    return e.op("SelectV2", e.inputs[0], e.inputs[2], e.inputs[1])


@rule("convert_element_type")
def _convert(e):
    return e.body.cast(e.inputs[0], e.dtype)


@rule("real", "imag")
def _part(e):
    return e.op(e.name.capitalize(), e.inputs[0], Tout=e.dtype)


@rule("complex")
def _complex(e):
    return e.op("Complex", *e.inputs, Tout=e.dtype)


@rule("broadcast_in_dim")
def _broadcast(e):
    x, shape = e.inputs[0], [1] * len(e.shape)
    for axis, size in zip(e.broadcast_dimensions, e.avals[0].shape, strict=True):
        shape[axis] = size
    if tuple(shape) != tuple(e.avals[0].shape) and e.avals[0].shape:
        x = e.op("Reshape", x, e.body.sizes(shape))
    return x if tuple(shape) == tuple(e.shape) and e.avals[0].shape else e.op("BroadcastTo", x, e.body.sizes(e.shape))


@rule("reshape", "squeeze", "expand_dims")
def _reshape(e):
    return e.op("Reshape", e.inputs[0], e.body.sizes(e.aval.shape))


@rule("transpose")
def _transpose(e):
    return e.op("Transpose", e.inputs[0], e.numbers(e.permutation))


@rule("concatenate")
def _concatenate(e):
    if len(e.inputs) == 1:
        return e.inputs[0]
    return e.op("ConcatV2", e.inputs, e.body.constant(e.dimension, "int32"))


@rule("split")
def _split(e):
    return e.op("SplitV", e.inputs[0], e.body.sizes(e.sizes), e.body.constant(e.axis, "int32"), num_split=len(e.sizes))


@rule("zero_product")
def _zero_product(e):
    return e.op("MulNoNan" if e.zero_wins else "Mul", *e.inputs)


@rule("stack")
def _stack(e):
    return e.op("Pack", e.inputs, axis=e.axis)


@rule("slice")
def _slice(e):
    begin, end = e.body.sizes(e.start_indices), e.body.sizes(e.limit_indices)
    return e.op("StridedSlice", e.inputs[0], begin, end, e.numbers(e.strides or [1] * len(e.start_indices)))


@rule("rev")
def _reversed(e):
    return e.op("ReverseV2", e.inputs[0], e.numbers(e.dimensions))


@rule("pad")
def _pad(e):
    if any(within for *_, within in e.padding_config):
        raise NotNodes
    cut = [[isinstance(n, int | np.integer) and n < 0 for n in sides[:2]] for sides in e.padding_config]
    sides = zip(e.padding_config, cut, strict=True)
    around = [0 if is_cut else size for (*sizes, _), cuts in sides for size, is_cut in zip(sizes, cuts, strict=True)]
    paddings = e.op("Reshape", e.body.sizes(around), e.numbers([-1, 2]))
    padded = e.op("PadV2", e.inputs[0], paddings, e.inputs[1])
    if not np.any(cut):
        return padded
    begin, end = ([s[i] if c[i] else 0 for s, c in zip(e.padding_config, cut, strict=True)] for i in range(2))
    open_ended = sum(1 << axis for axis, (_, cut_after) in enumerate(cut) if not cut_after)
    steps = e.numbers([1] * len(begin))
    return e.op("StridedSlice", padded, e.numbers([-n for n in begin]), e.numbers(end), steps, end_mask=open_ended)


@rule("iota")
def _iota(e):
    zero, one = e.body.constant(0, "int32"), e.body.constant(1, "int32")
    numbers = e.body.cast(e.op("Range", zero, e.body.size(e.shape[e.dimension]), one), e.dtype)
    if len(e.shape) == 1:
        return numbers
    along = [size if axis == e.dimension else 1 for axis, size in enumerate(e.shape)]
    return e.op("BroadcastTo", e.op("Reshape", numbers, e.body.sizes(along)), e.body.sizes(e.shape))


@rule("argmax", "argmin")
def _argument(e):
    op = "ArgMax" if e.name == "argmax" else "ArgMin"
    made = e.op(op, e.inputs[0], e.body.constant(e.axes[0], "int32"), output_type=dtypes.int64)
    return e.body.cast(made, e.dtype)


@rule("dim_as_value")
def _size(e):
    return e.body.size(e.dim, e.dtype)


@rule("dot_general")
def _product(e):
    (left, right), (left_batch, right_batch) = e.dimension_numbers
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    names = [[None] * len(aval.shape) for aval in e.avals]
    for pairs in (zip(left_batch, right_batch, strict=True), zip(left, right, strict=True)):
        for i, j in pairs:
            names[0][i] = names[1][j] = next(letters)
    names = [[letter or next(letters) for letter in each] for each in names]
    shared, contracted = [names[0][i] for i in left_batch], {names[0][i] for i in left}
    rest = [x for each in names for x in each if x not in contracted and x not in shared]
    equation = f"{''.join(names[0])},{''.join(names[1])}->{''.join([*shared, *rest])}"
    return e.op("Einsum", [e.body.cast(x, e.dtype) for x in e.inputs], equation=equation)


@rule("fft")
def _fft(e):
    kind, rank = e.fft_type.name, len(e.fft_lengths)
    name = kind if rank == 1 else f"{kind}{rank}D"
    if kind == "RFFT":
        return e.op(name, e.inputs[0], e.body.sizes(e.fft_lengths), Tcomplex=e.dtype)
    if kind == "IRFFT":
        return e.op(name, e.inputs[0], e.body.sizes(e.fft_lengths), Treal=e.dtype)
    return e.op(name, e.inputs[0])


@rule("dynamic_slice")
def _dynamic_slice(e):
    x, *starts = e.inputs
    begin = []
    for start, size, whole in zip(starts, e.slice_sizes, e.avals[0].shape, strict=True):
        last = e.op("Sub", e.body.size(whole), e.body.size(size))
        begin.append(e.op("Maximum", e.op("Minimum", e.as_place(start), last), e.body.constant(0, "int32")))
    return e.op("Slice", x, e.op("Pack", begin, axis=0), e.body.sizes(e.slice_sizes))


def _begin(e, axes):
    """Where a window lies, whose place along some axes is the vector of indices."""
    indices = e.as_place(e.inputs[1])
    begin = [e.numbers([0])] * len(e.avals[0].shape)
    for place, axis in enumerate(axes):
        begin[axis] = e.op("Slice", indices, e.numbers([place]), e.numbers([1]))
    return e.op("ConcatV2", begin, e.body.constant(0, "int32")) if len(begin) > 1 else begin[0]


def _is_window(e):
    """Whether a gather or scatter is about one window that is known to be inside, as indexing of unknown sizes is."""
    return len(e.avals[1].shape) == 1 and e.mode == jax.lax.GatherScatterMode.PROMISE_IN_BOUNDS


def _window(e):
    begin = _begin(e, e.dimension_numbers.start_index_map)
    made = e.op("Slice", e.inputs[0], begin, e.body.sizes(e.slice_sizes))
    return e.op("Reshape", made, e.body.sizes(e.aval.shape)) if e.dimension_numbers.collapsed_slice_dims else made


@rule("scatter-add")
def _scatter_add(e):
    """A window that is added to."""
    if not _is_window(e):
        raise NotNodes
    numbers, sizes = e.dimension_numbers, iter(e.avals[2].shape)
    window = [1 if axis in numbers.inserted_window_dims else next(sizes) for axis in range(len(e.aval.shape))]
    begin = _begin(e, numbers.scatter_dims_to_operand_dims)
    rest = e.op("Sub", e.body.sizes(e.aval.shape), e.body.sizes(window))
    paddings = e.op("Pack", [begin, e.op("Sub", rest, begin)], axis=1)
    return e.op("AddV2", e.inputs[0], e.op("Pad", e.op("Reshape", e.inputs[2], e.body.sizes(window)), paddings))


@rule("gather")
def _gather(e):
    """A window, or whole rows along one axis, as `jnp.take` has them."""
    numbers, shape = e.dimension_numbers, e.avals[0].shape
    if _is_window(e):
        return _window(e)
    if len(numbers.start_index_map) != 1 or getattr(numbers, "operand_batching_dims", ()):
        raise NotNodes
    (axis,) = numbers.start_index_map
    before = len(e.aval.shape) - len(shape) + 1  # axes of the indices
    whole = [size for i, size in enumerate(e.slice_sizes) if i != axis]
    expected = (*range(axis), *range(axis + before, len(e.aval.shape)))
    rows = whole == [size for i, size in enumerate(shape) if i != axis] and e.slice_sizes[axis] == 1
    safe = e.mode in (jax.lax.GatherScatterMode.CLIP, jax.lax.GatherScatterMode.PROMISE_IN_BOUNDS)
    if not rows or not safe or tuple(numbers.collapsed_slice_dims) != (axis,) or tuple(numbers.offset_dims) != expected:
        raise NotNodes
    at = e.as_place(e.op("Reshape", e.inputs[1], e.body.sizes(e.avals[1].shape[:-1])))
    if e.mode == jax.lax.GatherScatterMode.CLIP:
        last = e.op("Sub", e.body.size(shape[axis]), e.body.constant(1, "int32"))
        at = e.op("Minimum", e.op("Maximum", at, e.body.constant(0, "int32")), last)
    return e.op("GatherV2", e.inputs[0], at, e.body.constant(axis, "int32"))


@rule("check_condition")
def _checked(e):
    """The report as it is: TensorFlow raises where the condition is broken."""
    report, holds, *_ = e.inputs
    if e.avals[1].shape:
        holds = e.op("All", holds, e.numbers(range(len(e.avals[1].shape))))
    data = [e.body.constant(np.array(part.encode(), object), dtypes.string) for part in Site(*e.site).parts()]
    e.body.effect("Assert", holds, data)
    return report


_KNOWN = {*_RULES, *_INLINE}

"""What a recorded call is among TensorFlow's nodes: rules by operation.

A rule is a function of a Call, which describes the recorded call, that adds nodes and returns their results; it returns
None where these nodes do not say the same. Most ops need no rule of their own: the table of `tf.raw_ops` that leads
from an op to its public function is read backwards.
"""

import functools
import math

import numpy as np

from tfcompat import dtypes
from tfcompat._core.assignment import CHOICE, IS_FINE, SCATTER, SCATTER_IF
from tfcompat._core.op import spec_of
from tfcompat._core.symbolic_sizes import larger
from tfcompat.array._getitem import axes_of
from tfcompat.engine import has_symbols
from tfcompat.raw_ops._definitions import definition
from tfcompat.raw_ops._table import ROWS

_RULES: dict = {}  # name of an op, or "?" and that of an operation without `@op` -> rule


def rule_in(rules):
    """A decorator, `rule(*names)`, that enters a function into the dict `rules` under each of the names."""

    def rule(*names):
        def decorate(function):
            rules.update(dict.fromkeys(names, function))
            return function

        return decorate

    return rule


rule = rule_in(_RULES)


class Call:
    """A recorded call, as rules see it.

    Attributes:
      body: the Body to add nodes to.
      inputs: Values.
      avals: of the inputs; `aval` that of the result.
      operation: the engine's Operation; `name` that of the op.
    """

    def __init__(self, body, call, inputs):
        self.body, self.inputs, self.avals, self.aval = body, inputs, call.in_avals, call.aval
        self.operation, self._values = call.operation, call.attributes.values
        self._is_step = call.operation.step is not None
        self.spec = spec_of(call.operation)
        self.name = self.spec.names[0] if self.spec is not None else f"?{call.operation.name}"
        if self.spec is not None:
            layout, *statics = self._values
            self._static = dict(zip(self.spec.statics, statics, strict=True))
            self._tensors = self._by_parameter(layout)
        else:
            self._static = dict(zip(call.operation.attribute_names, self._values, strict=True))
            self._tensors = {}

    def _by_parameter(self, layout):
        tensors, rest = {}, list(self.inputs)
        for parameter, count in zip(self.spec.tensors, layout, strict=True):
            if count is None:
                tensors[parameter] = None
            elif parameter in self.spec.lists:
                tensors[parameter], rest = rest[:count], rest[count:]
            else:
                tensors[parameter] = rest.pop(0)
        return tensors

    def __getattr__(self, name):
        """A static argument, or the Value of a tensor, by the name of the parameter."""
        if name in self._static:
            return self._static[name]
        if name in self._tensors:
            return self._tensors[name]
        raise AttributeError(name)

    def shape_told(self, name):
        """The shape of the result; of a step, whose sizes the node itself tells, the static argument that asks for it.
        """
        return tuple(getattr(self, name) if self._is_step else self.aval.shape)

    def static(self, name):
        """A static argument, also one with the name of an attribute of this class."""
        return self._static[name]

    def has(self, name):
        """Whether there is a static argument of this name."""
        return name in self._static

    def has_tensor(self, name):
        """Whether there is a tensor parameter of this name."""
        return name in self._tensors

    @property
    def op(self):
        """`Body.op`."""
        return self.body.op

    @property
    def rank(self):
        """Of the first input."""
        return len(self.avals[0].shape)

    @property
    def dtype(self):
        """DType of the first input."""
        return self.inputs[0].dtype


def nodes_of(body, call, inputs):
    """The results of a recorded call as nodes of a body: a Value or a list of them; None if there is no rule."""
    described = Call(body, call, inputs)
    made = _RULES.get(described.name)
    if made is not None:
        return made(described)
    if described.spec is None:
        return None
    names = _raw_names().get(described.name, ())
    for name in names:
        if name == described.spec.kernel or len(names) == 1:
            return _by_table(described, name)
    if described.name in _SAME:
        return described.op(described.spec.kernel, *inputs)
    return None


@functools.cache
def _raw_names():
    """Dict from names of ops, with "tf.", to the raw ops that they compute."""
    names: dict = {}
    for row in ROWS.strip().splitlines():
        name, path, *_ = row.split()
        names.setdefault(f"tf.{path}", []).append(name)
    return names


@functools.cache
def _renamed(name):
    row = next(row for row in ROWS.strip().splitlines() if row.split()[0] == name)
    return dict(text.split(":") for text in row.split()[2:] if ":" in text)


def _by_table(call, name):
    """The node that a row of the table says."""
    known, renamed = definition(name), _renamed(name)
    inputs, attributes, used = [], {}, set()
    for argument in known.inputs:
        ours = renamed.get(argument.parameter, argument.parameter)
        used.add(ours)
        if call.has_tensor(ours):
            inputs.append(getattr(call, ours))
            continue
        if not call.has(ours):
            return None
        value = call.static(ours)
        if ours == "axis" and value is None and name in _REDUCTIONS:
            value = tuple(range(call.rank))
        if value is None:
            return None
        default = known.attributes[argument.type_attr].default if argument.type_attr else argument.type
        dtype = default if isinstance(default, dtypes.DType) else dtypes.int32
        if argument.type_attr in ("T", "dtype"):
            dtype = call.dtype
        if isinstance(value, tuple) and value and isinstance(value[0], tuple):
            inputs.append(call.body.constant(value, dtype))
        elif isinstance(value, tuple):
            inputs.append(call.body.sizes(value, dtype) if dtype.is_integer else call.body.constant(value, dtype))
        else:
            inputs.append(call.body.size(value, dtype) if dtype.is_integer else call.body.constant(value, dtype))
    for attribute in known.given:
        ours = renamed.get(attribute.parameter, attribute.parameter)
        used.add(ours)
        if call.has(ours):
            value = call.static(ours)
            if value is None:
                continue
            if has_symbols(value if isinstance(value, tuple) else (value,)):
                return None
            attributes[attribute.name] = value
    unused = {s for s in call.spec.statics if s not in used and call.static(s) not in (None, False, ())}
    return None if unused else call.op(name, *inputs, **attributes)


_REDUCTIONS = frozenset("Sum Mean Prod Max Min All Any EuclideanNorm".split())
_SAME = frozenset(
    "_divide_no_nan _multiply_no_nan _polygamma _zeta _betainc _nextafter _conj _zeros_like _invert_permutation "
    "_tensor_scatter_add _tensor_scatter_sub _tensor_scatter_update _tensor_scatter_min _tensor_scatter_max "
    "_igamma_grad_a _random_gamma_grad tf.guarantee_const _select tf.linalg.solve".split()
)  # fmt: skip


# --- arrays -----------------------------------------------------------------------------------------------------------


@rule("?Const")
def _(call):
    array = np.frombuffer(call.data, call.static("dtype")).reshape(call.static("shape"))
    return call.body.constant(array)


@rule("?Identity", "?ReadVariableOp", "_detached", "tf.identity", "?IdentityN")
def _(call):
    return call.inputs[0]


@rule("?StopGradient")
def _(call):
    return call.op("StopGradient", call.inputs[0])


@rule("?Shape")
def _(call):
    return call.op("Shape", call.inputs[0], out_type=dtypes.from_numpy(np.dtype(call.static("dtype"))))


@rule("?Size")
def _(call):
    size, dtype = call.static("size"), dtypes.from_numpy(np.dtype(call.static("dtype")))
    return call.body.sizes(size, dtype) if isinstance(size, tuple) else call.body.size(size, dtype)


@rule("?Zeros", "?Ones")
def _(call):
    dtype = dtypes.from_numpy(np.dtype(call.static("dtype")))
    value = call.body.constant(0 if call.name == "?Zeros" else 1, dtype)
    return call.op("Fill", call.body.sizes(call.static("shape")), value)


@rule("?AddN", "?AddV2", "?add")
def _(call):
    return call.op("AddV2", *call.inputs)


@rule("tf.math.add")
def _(call):
    return call.op("Add" if call.dtype is dtypes.string else "AddV2", *call.inputs)


@rule("?subtract")
def _(call):
    return call.op("Sub", *call.inputs)


@rule("?Pow")
def _(call):
    if "exponent" not in call._static:
        return None
    return call.op("Pow", call.inputs[0], call.body.constant(call.exponent, call.dtype))


@rule("_cast")
def _(call):
    target = dtypes.from_numpy(np.dtype(call.static("dtype"))) if not isinstance(
        call.static("dtype"), dtypes.DType) else call.static("dtype")  # fmt: skip
    return call.op("Cast", call.x, DstT=target)


@rule("tf.reshape")
def _(call):
    shape = call.shape_told("shape")
    symbols = [i for i, size in enumerate(shape) if type(size) is not int]
    known = math.prod(size for size in shape if type(size) is int)
    if len(symbols) == 1 and known:
        shape = tuple(-1 if i == symbols[0] else size for i, size in enumerate(shape))
    return call.op("Reshape", call.tensor, call.body.sizes(shape))


@rule("tf.ensure_shape")
def _(call):
    return call.inputs[0]


@rule("tf.squeeze")
def _(call):
    axes = call.axis
    if axes is None:
        axes = [i for i, size in enumerate(call.avals[0].shape) if size == 1]
    return call.op("Squeeze", call.input, squeeze_dims=[axes] if isinstance(axes, int) else list(axes))


@rule("tf.transpose")
def _(call):
    perm = call.perm if call.perm is not None else tuple(range(call.rank))[::-1]
    return call.op("ConjugateTranspose" if call.conjugate else "Transpose", call.a, call.body.constant(perm, "int32"))


@rule("_matrix_transpose")
def _(call):
    perm = [*range(call.rank - 2), call.rank - 1, call.rank - 2]
    return call.op("ConjugateTranspose" if call.conjugate else "Transpose", call.a, call.body.constant(perm, "int32"))


@rule("tf.broadcast_to")
def _(call):
    return call.op("BroadcastTo", call.input, call.body.sizes(call.shape_told("shape")))


@rule("_pad")
def _(call):
    paddings = _pairs(call.body, call.paddings)
    if call.constant_values is None:
        return call.op("Pad", call.tensor, paddings)
    return call.op("PadV2", call.tensor, paddings, call.constant_values)


def _pairs(body, paddings):
    """The matrix of the paddings, some of which may be symbols."""
    if not has_symbols(tuple(paddings)):
        return body.constant(np.array(paddings, np.int32).reshape(-1, 2))
    flat = body.sizes([size for pair in paddings for size in pair])
    return body.op("Reshape", flat, body.constant(np.array([-1, 2], np.int32)))


@rule("_mirror_pad")
def _(call):
    return call.op("MirrorPad", call.tensor, _pairs(call.body, call.paddings), mode=call.mode.upper())


@rule("_gather", "_take")
def _(call):
    batch = call.batch_dims if call.has("batch_dims") else 0
    axis = call.body.constant(batch if call.axis is None else call.axis, "int32")
    return call.op("GatherV2", call.params, call.indices, axis, batch_dims=batch)


@rule("_gather_nd")
def _(call):
    return None if call.batch_dims else call.op("GatherNd", call.params, call.indices)


@rule("_scatter_nd")
def _(call):
    return call.op("ScatterNd", call.indices, call.updates, call.body.sizes(call.shape, call.indices.dtype))


@rule("_constant_fill")
def _(call):
    dtype = call.static("dtype")
    dtype = dtype if isinstance(dtype, dtypes.DType) else dtypes.from_numpy(np.dtype(dtype))
    return call.op("Fill", call.body.sizes(call.shape), call.body.constant(call.value, dtype))


@rule("_fill")
def _(call):
    return call.op("Fill", call.body.sizes(call.dims), call.value)


@rule("_range")
def _(call):
    dtype = call.static("dtype")
    dtype = dtype if isinstance(dtype, dtypes.DType) else dtypes.from_numpy(np.dtype(dtype))
    if dtype.is_integer and has_symbols((call.count,)) and call.start == 0 and call.delta == 1:
        ends = call.body.constant(0, dtype), call.body.size(call.count, dtype), call.body.constant(1, dtype)
        return call.op("Range", *ends)
    if has_symbols((call.start, call.delta, call.count)):
        return None
    return call.body.constant((call.start + call.delta * np.arange(call.count)).astype(dtype.np))


@rule("tf.eye")
def _(call):
    if has_symbols((call.num_rows, call.num_columns, call.batch_shape)):
        return None
    dtype = call.static("dtype")
    dtype = dtype if isinstance(dtype, dtypes.DType) else dtypes.from_numpy(np.dtype(dtype))
    matrix = np.eye(call.num_rows, call.num_columns)
    return call.body.constant(np.broadcast_to(matrix, (*(call.batch_shape or ()), *matrix.shape)), dtype)


@rule("_one_hot")
def _(call):
    dtype = call.static("dtype")
    dtype = dtype if isinstance(dtype, dtypes.DType) else dtypes.from_numpy(np.dtype(dtype))
    on, off = call.body.constant(1, dtype), call.body.constant(0, dtype)
    return _one_hot(call, on, off)


@rule("_one_hot_of")
def _one_hot_of(call):
    return _one_hot(call, call.on_value, call.off_value)


def _one_hot(call, on, off):
    axis = -1 if call.axis is None else call.axis
    return call.op("OneHot", call.indices, call.body.size(call.depth), on, off, axis=axis)


@rule("_pack")
def _(call):
    return call.op("Pack", call.values, axis=call.axis)


@rule("_concat")
def _(call):
    return call.op("ConcatV2", call.values, call.body.constant(call.axis, "int32"))


@rule("tf.split")
def _(call):
    axis = call.body.constant(call.axis, "int32")
    if isinstance(call.num_or_size_splits, int):
        return call.op("Split", axis, call.value, num_split=call.num_or_size_splits)
    sizes = call.num_or_size_splits
    return call.op("SplitV", call.value, call.body.sizes(sizes), axis, num_split=len(sizes))


@rule("tf.unstack")
def _(call):
    count = len(call.aval.parts) if hasattr(call.aval, "parts") else 1
    result = call.op("Unpack", call.value, num=count, axis=call.axis)
    return result if hasattr(call.aval, "parts") else result


@rule("_slice")
def _(call):
    size = call.body.sizes(call.shape_told("size"))
    return call.op("Slice", call.input_, call.body.sizes(call.begin), size)


@rule("_slice_at")
def _(call):
    size = call.body.sizes(call.shape_told("size"), call.begin.dtype)
    return call.op("Slice", call.input_, call.begin, size)


@rule("_getitem")
def _(call):
    x, spec, indices = _with_blocks(call)
    begin, end, strides = [], [], []
    masks = dict.fromkeys(("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)
    for i, entry in enumerate(spec):
        bit, first, last, step = 1 << i, 0, 0, 1
        if entry is Ellipsis:
            masks["ellipsis_mask"] |= bit
        elif entry is None:
            masks["new_axis_mask"] |= bit
        elif type(entry) is tuple:
            first, last, step = entry
            step = 1 if step is None else step
            masks["begin_mask"] |= bit * (first is None)
            masks["end_mask"] |= bit * (last is None)
            first, last = first or 0, last or 0
        elif type(entry) is str:
            index = indices.pop(0)
            first, last = index, index
            masks["shrink_axis_mask"] |= bit
        else:
            masks["shrink_axis_mask"] |= bit
            first, last = entry, entry + 1
        begin.append(first)
        end.append(last)
        strides.append(step)
    if has_symbols(tuple(strides)):
        return None
    if all(entry == (None, None, None) for entry in spec):
        return x
    return call.op("StridedSlice", x, _places(call, begin), _places(call, end, 1),
                   call.body.constant(np.array(strides, np.int32)), **masks)  # fmt: skip


def _with_blocks(call):
    """(input, key, indices) of `_getitem`: where so many places from an index on are taken, they are, and the rest."""
    spec, indices = list(call.static("spec")), list(call.indices or ())
    sizes = [n if type(n) is int else -1 for n in call.avals[0].shape]
    begin, size, left = [0] * len(sizes), list(sizes), []
    for i, (entry, axis) in enumerate(zip(spec, axes_of(spec, len(sizes)), strict=True)):
        index = indices.pop(0) if type(entry) is str or type(entry) is tuple and type(entry[0]) is str else None
        if type(entry) is str:
            left.append(index)
        elif index is not None:
            begin[axis], size[axis], spec[i] = index, entry[1], (None, None, None)
    x = call.inputs[0]
    if size != sizes or any(begin):
        x = call.op("Slice", x, _places(call, begin), call.body.constant(np.array(size, np.int32)))
    return x, spec, left


def _places(call, places, more=0):
    """A vector of ints, symbols and scalars; to these `more` is added."""
    if not any(hasattr(place, "source") for place in places):
        return call.body.sizes(places)
    parts = []
    for place in places:
        if not hasattr(place, "source"):
            parts.append(call.body.size(place))
            continue
        value = call.body.cast(place, dtypes.int32)
        parts.append(call.op("AddV2", value, call.body.constant(more, "int32")) if more else value)
    return call.op("Pack", parts, axis=0)


@rule("_bincount", "_unique", "_stitch", "_setitem")
def _(call):
    return None


@rule("_searchsorted")
def _(call):
    rows = [
        call.op("Reshape", x, call.body.sizes([-1, aval.shape[-1]]))
        for x, aval in zip(call.inputs, call.avals, strict=True)
    ]
    places = call.op("LowerBound" if call.side == "left" else "UpperBound", *rows, out_type=call.out_type)
    return call.op("Reshape", places, call.body.sizes(call.avals[1].shape))


@rule("_linspace")
def _(call):
    if any(aval.shape for aval in call.avals) or call.axis not in (0, -1):
        return None
    return call.op("LinSpace", *call.inputs, call.body.size(call.num))


@rule("_frame")
def _(call):
    size, signal = call.body.size, call.signal
    if call.has_tensor("pad_value") and call.pad_value is not None:
        missing = larger(0, call.length + call.step * (call.count - 1) - call.avals[0].shape[call.axis])
        pairs = [(0, missing if axis == call.axis else 0) for axis in range(call.rank)]
        signal = call.op("PadV2", signal, _pairs(call.body, pairs), call.pad_value)
    zero, one = size(0), size(1)
    starts = call.op("Mul", call.op("Range", zero, size(call.count), one), size(call.step))
    starts = call.op("ExpandDims", starts, call.body.constant(1, "int32"))
    places = call.op("AddV2", starts, call.op("Range", zero, size(call.length), one))
    return call.op("GatherV2", signal, places, call.body.constant(call.axis, "int32"), batch_dims=0)


@rule("?TensorListSetItem")
def _(call):
    """The rows of an array that a loop makes longer, with one of them replaced or added."""
    rows, index, value = call.inputs
    number, index = call.body.constant, call.body.cast(index, dtypes.int32)
    count = call.op("StridedSlice", call.op("Shape", rows), *(number([n], "int32") for n in (0, 1, 1)),
                    shrink_axis_mask=1)  # fmt: skip
    more = call.op("Sub", call.op("AddV2", index, number(1, "int32")), count)
    zeros = [number(0, "int32")] * (call.rank - 1)
    after = call.op("Pack", [call.op("Maximum", more, number(0, "int32")), *zeros], axis=0)
    rows = call.op("Pad", rows, call.op("Pack", [call.op("ZerosLike", after), after], axis=1))
    place = call.op("Reshape", index, number([1, 1], "int32"))
    return call.op("TensorScatterUpdate", rows, place, call.op("ExpandDims", value, number(0, "int32")))


@rule("tf.sort")
def _(call):
    return _in_order(call, lambda x, flipped, size: flipped(call.op("TopKV2", flipped(x), size)[0]))


@rule("tf.argsort")
def _(call):
    return _in_order(call, lambda x, flipped, size: call.op("TopKV2", flipped(x), size)[1])


def _in_order(call, sorted_by):
    """What `sorted_by` gives of (values whose last axis is sorted, what turns their order round, the size of the axis),
    as TensorFlow sorts; None for other dtypes.
    """
    axis, last, dtype = call.axis % call.rank, call.rank - 1, call.dtype
    if not (dtype.is_floating or dtype.is_integer):
        return None
    order = list(range(call.rank))
    order[axis], order[last] = last, axis

    def moved(x):
        return x if axis == last else call.op("Transpose", x, call.body.constant(order, "int32"))

    def flipped(x):
        if call.direction == "DESCENDING":
            return x
        if dtype.is_floating:
            return call.op("Neg", x)
        return call.op("Sub", call.body.constant(np.iinfo(dtype.np).max if dtype.is_unsigned else -1, dtype), x)

    return moved(sorted_by(moved(call.values), flipped, call.body.size(call.avals[0].shape[axis])))


@rule("_top_k")
def _(call):
    kind = dtypes.as_dtype(call.index_type)
    return call.op("TopKV2", call.input, call.body.size(call.k), index_type=kind)


@rule("tf.math.argmax", "tf.math.argmin")
def _(call):
    axis = call.body.constant(call.axis or 0, "int32")
    kind = dtypes.as_dtype(call.output_type)
    return call.op("ArgMax" if call.name.endswith("max") else "ArgMin", call.input, axis, output_type=kind)


# --- math -------------------------------------------------------------------------------------------------------------


@rule("tf.math.round")
def _(call):
    return call.x if call.dtype.is_integer else call.op("Round", call.x)  # its kernel of integers gives zeros


@rule("_real_div")
def _(call):
    return call.op("RealDiv", *call.inputs) if call.dtype.is_floating or call.dtype.is_complex else None


@rule("_add_n")
def _(call):
    return call.op("AddN", call._tensors["inputs"])


@rule("_complex")
def _(call):
    kind = dtypes.complex64 if call.dtype is dtypes.float32 else dtypes.complex128
    return call.op("Complex", *call.inputs, Tout=kind)


@rule("_real", "_imag", "_angle")
def _(call):
    kind = dtypes.float32 if call.dtype is dtypes.complex64 else dtypes.float64
    return call.op(call.spec.kernel, *call.inputs, Tout=kind) if call.dtype.is_complex else None


@rule("tf.math.abs")
def _(call):
    if call.dtype.is_complex:
        return call.op("ComplexAbs", call.x, Tout=dtypes.float32 if call.dtype is dtypes.complex64 else dtypes.float64)
    return call.op("Abs", call.x)


@rule("_clip_by_value")
def _(call):
    return call.op("Maximum", call.op("Minimum", call.t, call.clip_value_max), call.clip_value_min)


@rule("tf.linalg.matmul")
def _(call):
    if call.output_type is not None or not (call.dtype.is_floating or call.dtype.is_complex):
        return None
    ranks = [len(aval.shape) for aval in call.avals]
    if ranks == [2, 2] and not call.adjoint_a and not call.adjoint_b:
        return call.op("MatMul", call.a, call.b, transpose_a=call.transpose_a, transpose_b=call.transpose_b)
    if call.dtype.is_complex and (call.transpose_a or call.transpose_b):
        return None
    return call.op("BatchMatMulV2", call.a, call.b, adj_x=call.transpose_a or call.adjoint_a,
                   adj_y=call.transpose_b or call.adjoint_b)  # fmt: skip


@rule("_matvec")
def _(call):
    if call.dtype.is_complex:
        return None
    column = call.op("ExpandDims", call.b, call.body.constant(-1, "int32"))
    product = call.op("BatchMatMulV2", call.a, column, adj_x=call.transpose_a or call.adjoint_a)
    return call.op("Squeeze", product, squeeze_dims=[-1])


@rule("_einsum")
def _(call):
    return call.op("Einsum", call._tensors["inputs"], equation=call.equation)


@rule("_tensordot")
def _(call):
    ranks = [len(aval.shape) for aval in call.avals]
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    first = [next(letters) for _ in range(ranks[0])]
    second = [next(letters) for _ in range(ranks[1])]
    for i, j in zip(call.axes_a, call.axes_b, strict=True):
        second[j] = first[i]
    rest = [x for i, x in enumerate(first) if i not in [a % ranks[0] for a in call.axes_a]]
    rest += [x for j, x in enumerate(second) if j not in [b % ranks[1] for b in call.axes_b]]
    return call.op("Einsum", call.inputs, equation=f"{''.join(first)},{''.join(second)}->{''.join(rest)}")


@rule("_moments")
def _(call):
    if call.dtype not in (dtypes.float32, dtypes.float64):
        return None
    reduced = [call.axes] if isinstance(call.axes, int) else list(call.axes)
    axes = call.body.constant(reduced, "int32")
    mean = call.op("Mean", call.x, axes, keep_dims=True)
    squared = call.op("SquaredDifference", call.x, call.op("StopGradient", mean))
    variance = call.op("Mean", squared, axes, keep_dims=True)
    if call.keepdims:
        return [mean, variance]
    return [call.op("Squeeze", x, squeeze_dims=reduced) for x in (mean, variance)]


@rule("tf.math.reduce_variance", "tf.math.reduce_std")
def _(call):
    if call.dtype not in (dtypes.float32, dtypes.float64):
        return None
    axes = _axes(call, call.axis)
    mean = call.op("Mean", call.input_tensor, axes, keep_dims=True)
    squares = call.op("Square", call.op("Sub", call.input_tensor, mean))
    variance = call.op("Mean", squares, axes, keep_dims=call.keepdims)
    return variance if call.name.endswith("variance") else call.op("Sqrt", variance)


def _axes(call, axis):
    """A constant of the axes that the static argument `axis` names, None for all."""
    axes = range(call.rank) if axis is None else axis if isinstance(axis, tuple) else [axis]
    return call.body.constant(list(axes), "int32")


@rule("tf.math.l2_normalize")
def _(call):
    axes = call.axis if call.axis is not None else call.dim
    if axes is None or not call.dtype.is_floating:
        return None
    axes = _axes(call, axes)
    total = call.op("Sum", call.op("Square", call.x), axes, keep_dims=True)
    return call.op("Mul", call.x, call.op("Rsqrt", call.op("Maximum", total, _number(call, call.epsilon))))


@rule("_clip_by_norm")
def _(call):
    clip_norm = call.op("Maximum", call.clip_norm, _number(call, 0))
    square = call.op("Sum", call.op("Square", call.t), _axes(call, call.axes), keep_dims=True)
    positive = call.op("Greater", square, _number(call, 0))
    root = call.op("Sqrt", call.op("SelectV2", positive, square, _number(call, 1)))
    norm = call.op("SelectV2", positive, root, square)
    return call.op("RealDiv", call.op("Mul", call.t, clip_norm), call.op("Maximum", norm, clip_norm))


def _number(call, value):
    return call.body.constant(value, call.dtype)


@rule("_batch_normalization")
def _(call):
    if not all(v.dtype is call.dtype for v in call.inputs):
        return None
    inverse = call.op("Rsqrt", call.op("AddV2", call.variance, call.variance_epsilon))
    if call.scale is not None:
        inverse = call.op("Mul", inverse, call.scale)
    shift = call.op("Mul", call.mean, inverse)
    shift = call.op("Neg", shift) if call.offset is None else call.op("Sub", call.offset, shift)
    return call.op("AddV2", call.op("Mul", call.x, inverse), shift)


@rule("_checked_numerics")
def _checked_numerics(call):
    return call.op("CheckNumerics", call.tensor, message=call.message)


# --- under a report: TensorFlow has raised where a condition is broken ---------------------------------------------


@rule("?Equal")
def _is_fine(call):
    return call.body.constant(True) if call.operation is IS_FINE else None


@rule("?SelectV2")
def _guarded(call):
    return call.inputs[1] if call.operation is CHOICE and _is_surely_fine(call) else None


def _is_surely_fine(call):
    return call.inputs[0].source == call.body.constant(True).source


@rule(*(f"?ResourceScatter{which.capitalize()}" for which in SCATTER))
def _rows_updated(call):
    guarded = call.operation in SCATTER_IF.values()
    if guarded and not _is_surely_fine(call):
        return None
    x, indices, updates = call.inputs[guarded:]
    which = call.name.removeprefix("?ResourceScatter")
    if which not in ("Add", "Sub", "Update", "Max", "Min"):
        return None
    return call.op(f"TensorScatter{which}", x, call.op("ExpandDims", indices, call.body.constant(-1, "int32")), updates)

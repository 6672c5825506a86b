"""What TF's functions give for ragged arguments."""


import numpy as np

from tfcompat import dtypes, sparse
from tfcompat._core.composite import handles
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.in_graphs import of_rank
from tfcompat._core.op import FLOATING
from tfcompat.array import cast, gather_nd
from tfcompat.array._arguments import check_dtype, invalid
from tfcompat.ragged._broadcast import broadcast, with_equal_partitions
from tfcompat.ragged._dynamic_shape import DynamicRaggedShape
from tfcompat.ragged._getitem import rows_at
from tfcompat.ragged._join import axis_of, concatenated, expanded, stacked
from tfcompat.ragged._tensor import RaggedTensor, dtypes_error, outer_size
from tfcompat.sparse._elements import softmax_of

_ELEMENTWISE = """
    abs acos acosh angle asin asinh atan atan2 atanh add bessel_i0 bessel_i0e bessel_i1 bessel_i1e ceil conj cos cosh
    digamma divide divide_no_nan equal erf erfc
    erfcinv erfinv exp expm1 floor floordiv floormod mod greater greater_equal imag is_finite is_inf is_nan less
    less_equal lgamma log log1p log_sigmoid logical_and logical_not logical_or logical_xor maximum minimum multiply
    multiply_no_nan ndtri negative nextafter not_equal pow real reciprocal reciprocal_no_nan rint round rsqrt sigmoid
    sign sin sinh sqrt square squared_difference subtract tan tanh truediv xdivy xlog1py xlogy zeta
""".split()
_NN = (
    "relu relu6 elu selu gelu leaky_relu silu swish softplus softsign sigmoid_cross_entropy_with_logits dropout".split()
)
_TOP = "clip_by_value identity cast zeros_like ones_like saturate_cast realdiv truncatediv truncatemod complex".split()
_SPECIAL = """
    bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0
    bessel_y1 dawsn expint fresnel_cos fresnel_sin spence
""".split()
_OTHER = ["bitwise.bitwise_and", "bitwise.bitwise_or", "bitwise.bitwise_xor", "bitwise.invert", "bitwise.left_shift",
          "bitwise.right_shift", "dtypes.cast", "debugging.check_numerics", "io.decode_base64", "io.decode_compressed",
          "io.encode_base64"]  # fmt: skip
_NAMES = [
    *(f"tf.math.{name}" for name in _ELEMENTWISE),
    *(f"tf.{name}" for name in _ELEMENTWISE),
    *(f"tf.math.special.{name}" for name in _SPECIAL),
    *(f"tf.nn.{name}" for name in _NN),
    *(f"tf.{name}" for name in (*_TOP, *_OTHER)),
]


@handles(*_NAMES)
def _elementwise(function, args, kwargs):
    keys = list(kwargs)
    everything = [*args, *(kwargs[key] for key in keys)]
    if function.__name__.startswith("logical_"):  # TensorFlow's handler makes tensors before the kernel's dtype counts
        everything = [x if isinstance(x, RaggedTensor | str | None) else convert_to_tensor(x) for x in everything]
    tensors = [n for n, x in enumerate(everything) if _is_tensor_like(x)]
    ragged = [x for x in everything if isinstance(x, RaggedTensor)]
    if not ragged:
        return NotImplemented
    flat, divide = broadcast([everything[n] for n in tensors])
    for n, value in zip(tensors, flat, strict=True):
        everything[n] = value
    return divide(
        function(*everything[: len(args)], **dict(zip(keys, everything[len(args) :], strict=True)))
    )


def _is_tensor_like(x):
    return isinstance(x, RaggedTensor | np.ndarray | list) or hasattr(x, "_node") or hasattr(x, "_as_node")


@handles("tf.nn.softmax", "tf.math.softmax")
def _softmax(function, args, kwargs):
    value = args[0] if args else kwargs.get("logits")
    axis = kwargs.get("axis", args[1] if len(args) > 1 else -1)
    if not isinstance(value, RaggedTensor):
        return NotImplemented
    if value.dtype not in FLOATING:
        raise invalid(f"Value for attr 'T' of {value.dtype.name} is not in the list of allowed values: floating dtypes")
    if value.ragged_rank != 1 or value.shape.rank != 2 or axis_of(axis, 2) != 1:
        raise dtypes_error("softmax of a ragged tensor over this axis", "two axes, of which the last")
    return value.with_values(softmax_of(value.values, host_constant(value.rowids()), outer_size(value)))


@handles("tf.concat")
def _concat(function, args, kwargs):
    values, axis = _two(args, kwargs, "values", "axis")
    values = [x if isinstance(x, RaggedTensor) else convert_to_tensor(x) for x in values]
    return concatenated(values, static_value(axis)) if _any(values) else NotImplemented


@handles("tf.stack")
def _stack(function, args, kwargs):
    values, axis = _two(args, kwargs, "values", "axis", 0)
    values = [x if isinstance(x, RaggedTensor) else convert_to_tensor(x) for x in values]
    return stacked(values, static_value(axis)) if _any(values) else NotImplemented


def _any(values):
    return any(isinstance(x, RaggedTensor) for x in values)


def _two(args, kwargs, first, second, default=None):
    args = [*args, *[kwargs[key] for key in (first,) if key in kwargs]]
    return args[0], args[1] if len(args) > 1 else kwargs.get(second, default)


@handles("tf.expand_dims")
def _expand_dims(function, args, kwargs):
    value, axis = _two(args, kwargs, "input", "axis")
    return expanded(value, static_value(axis)) if isinstance(value, RaggedTensor) else NotImplemented


@handles("tf.squeeze")
def _squeeze(function, args, kwargs):
    value, axis = _two(args, kwargs, "input", "axis")
    if not isinstance(value, RaggedTensor):
        return NotImplemented
    axis = static_value(axis)
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    axes = sorted(axis_of(a, value.shape.rank) for a in (axis if isinstance(axis, tuple) else (axis,)))
    for one in axes[::-1]:
        value = _squeezed(value, one, function)
    return value


def _squeezed(value, axis, function):
    if not isinstance(value, RaggedTensor):
        return function(value, axis)
    if axis == 0:
        if outer_size(value) != 1:
            raise invalid("Can not squeeze dim[0], expected a dimension of 1")
        return value.values
    if axis == 1:
        if (value.lengths() != 1).any():
            raise invalid("Can not squeeze dim[1], expected a dimension of 1")
        return value.values
    return value.with_values(_squeezed(value.values, axis - 1, function))


@handles("tf.tile")
def _tile(function, args, kwargs):
    value, multiples = _two(args, kwargs, "input", "multiples")
    if not isinstance(value, RaggedTensor):
        return NotImplemented
    multiples, rank = static_value(multiples), value.shape.rank
    if not isinstance(multiples, tuple):
        raise ValueError(f"`multiples` must be a vector of integers, got {multiples}")
    if len(multiples) < rank:
        raise IndexError(f"index {len(multiples)} is out of bounds for axis 0 with size {len(multiples)}")  # as in TF
    if len(multiples) > rank:
        text = f"Expected multiples argument to be a vector of length {rank} but got length {len(multiples)}"
        raise of_rank(invalid(text))
    for axis, count in enumerate(multiples):
        if count < 0:
            raise invalid(f"Expected multiples[{axis}] >= 0, but got {count}")
        value = concatenated([value] * count, axis) if count else value[(slice(None),) * axis + (slice(0, 0),)]
    return value


@handles("tf.size")
def _size(function, args, kwargs):
    value, out_type = _two(args, kwargs, "input", "out_type")
    if not isinstance(value, RaggedTensor):
        return NotImplemented
    return function(value.flat_values) if out_type is None else function(value.flat_values, out_type)


@handles("tf.rank")
def _rank(function, args, kwargs):
    value = args[0] if args else kwargs["input"]
    return convert_to_tensor(value.shape.rank) if isinstance(value, RaggedTensor) else NotImplemented


@handles("tf.shape")
def _shape(function, args, kwargs):
    value, out_type = _two(args, kwargs, "input", "out_type")
    if not isinstance(value, RaggedTensor):
        return NotImplemented
    return DynamicRaggedShape.from_tensor(value, dtypes.as_dtype(out_type or dtypes.int32))


@handles("tf.where")
def _where(function, args, kwargs):
    names = ["condition", "x", "y"]
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    condition, x, y = (arguments.get(name) for name in names)
    if not _any([condition, x, y]):
        return NotImplemented
    if x is None and y is None:
        chosen = known_values(condition.flat_values, "call it outside")
        places = condition.coordinates()
        if chosen.ndim > 1:
            raise dtypes_error("tf.where of a ragged tensor with inner axes", "to_tensor()")
        return host_constant(places[chosen.astype(bool)])
    flat, divide = broadcast([condition, x, y])
    return divide(function(*flat))


@handles("tf.bitcast")
def _bitcast(function, args, kwargs):
    arguments = {**dict(zip(["input", "type", "name"], args, strict=False)), **kwargs}
    value, flat = arguments["input"], arguments["input"].flat_values
    target = dtypes.as_dtype(arguments["type"])
    if value.dtype.size < target.size and flat.shape.rank < 2:
        raise ValueError(
            "`input.flat_values` is required to have rank >= 2 when input.dtype.size < type.size. Actual rank: "
            f"{flat.shape.rank}"
        )
    return value.with_flat_values(function(flat, target))


@handles("tf.math.bincount")
def _bincount(function, args, kwargs):
    names = ["arr", "weights", "minlength", "maxlength", "dtype", "name", "axis", "binary_output"]
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    if not isinstance(arguments["arr"], RaggedTensor | sparse.SparseTensor):
        return NotImplemented
    if not arguments["arr"].dtype.is_integer:
        arguments["arr"] = cast(arguments["arr"], dtypes.int32)
    if hasattr(arguments.get("weights"), "dtype"):
        taken = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
        check_dtype(arguments["weights"], taken, "DenseBincount")
    dtype = arguments.pop("dtype", dtypes.int32)
    counts = sparse.to_dense(sparse.bincount(arguments.pop("arr"), **arguments))
    return counts if arguments.get("weights") is not None else cast(counts, dtype)


@handles("tf.sparse.bincount")
def _sparse_bincount(function, args, kwargs):
    names = ["values", "weights", "axis", "minlength", "maxlength", "binary_output", "name"]
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    values, weights = arguments["values"], arguments.get("weights")
    if not isinstance(values, RaggedTensor):
        return NotImplemented
    if weights is not None and not isinstance(weights, RaggedTensor):
        raise ValueError(
            f"`weights` must be a RaggedTensor if `values` is a RaggedTensor. Received argument weights={weights}"
        )
    arguments["values"], arguments["weights"] = values.to_sparse(), None if weights is None else weights.flat_values
    return function(**arguments)


@handles("tf.reverse")
def _reverse(function, args, kwargs):
    value, axis = _two(args, kwargs, "tensor", "axis")
    if not isinstance(value, RaggedTensor):
        return NotImplemented
    keys = [slice(None)] * value.shape.rank
    for one in static_value(axis):
        keys[axis_of(one, len(keys))] = slice(None, None, -1)
    return value[tuple(keys)]


@handles("tf.split")
def _split(function, args, kwargs):
    names = ["value", "num_or_size_splits", "axis"]
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    value, parts = arguments["value"], static_value(arguments["num_or_size_splits"])
    axis = static_value(arguments.get("axis", 0))
    if not isinstance(value, RaggedTensor):
        return NotImplemented
    if axis != 0:
        raise ValueError(f"Cannot split a ragged dimension. Got `value` with shape {value.shape} and `axis` {axis}.")
    count = outer_size(value)
    if isinstance(parts, int):
        if count % parts:
            raise invalid(f"Cannot exactly split the RaggedTensor of {count} rows into {parts}")
        parts = (count // parts,) * parts
    ends = np.cumsum(parts)
    return [value[int(end - size) : int(end)] for end, size in zip(ends, parts, strict=True)]


@handles("tf.one_hot")
def _one_hot(function, args, kwargs):
    value = args[0] if args else kwargs.pop("indices")
    if not isinstance(value, RaggedTensor):
        return NotImplemented
    axis = kwargs.get("axis", args[4] if len(args) > 4 else None)
    if axis is not None and axis >= 0:
        if axis <= value.ragged_rank:
            raise ValueError(f"axis ({axis}) must be greater than indices.ragged_rank ({value.ragged_rank}).")
        args, kwargs = args[:4], {**kwargs, "axis": axis - value.ragged_rank}
    return value.with_flat_values(function(value.flat_values, *args[1:], **kwargs))


@handles("tf.nn.embedding_lookup")
def _embedding_lookup(function, args, kwargs):
    names = ["params", "ids", "max_norm", "name"]
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    ids = arguments.pop("ids")
    if not isinstance(ids, RaggedTensor):
        return NotImplemented
    return ids.with_flat_values(function(ids=ids.flat_values, **arguments))


@handles("tf.cumsum", "tf.math.cumsum")
def _cumsum(function, args, kwargs):
    names = ["x", "axis", "exclusive", "reverse", "name"]
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    value = arguments["x"]
    if not isinstance(value, RaggedTensor):
        return NotImplemented
    axis = axis_of(static_value(arguments.get("axis", 0)), value.shape.rank)
    dense = function(value.to_tensor(), axis, bool(arguments.get("exclusive")), bool(arguments.get("reverse")))
    return value.with_flat_values(gather_nd(dense, host_constant(value.coordinates())))


@handles("tf.math.add_n")
def _add_n(function, args, kwargs):
    values = args[0] if args else kwargs["inputs"]
    if not _any(values):
        return NotImplemented
    flat, divide = broadcast(values)
    return divide(function(flat))


@handles("tf.dynamic_partition")
def _dynamic_partition(function, args, kwargs):
    arguments = {**dict(zip(["data", "partitions", "num_partitions", "name"], args, strict=False)), **kwargs}
    data, partitions, count = (arguments[key] for key in ("data", "partitions", "num_partitions"))
    if not _any([data, partitions]):
        return NotImplemented
    if isinstance(data, RaggedTensor) and isinstance(partitions, RaggedTensor):
        data, partitions = with_equal_partitions([data, partitions])
        return function(data.flat_values, partitions.flat_values, count)
    if not isinstance(data, RaggedTensor):
        return NotImplemented
    numbers = known_values(convert_to_tensor(partitions), "call it outside")
    if numbers.shape != (outer_size(data),):
        raise invalid(f"partitions must have one number for each row, got shape {numbers.shape}")
    return [rows_at(data, np.flatnonzero(numbers == number)) for number in range(count)]


_COMPARED = "equal none_equal less less_equal greater greater_equal near".split()


@handles(*(f"tf.debugging.assert_{name}" for name in _COMPARED))
def _asserted(function, args, kwargs):
    x, y, *rest = (*args, *(kwargs.pop(key) for key in ("x", "y") if key in kwargs))
    if not _any([x, y]):
        return NotImplemented
    (x, y), _ = broadcast([x, y])
    return function(x, y, *rest, **kwargs)


@handles("tf.repeat")
def _repeat(function, args, kwargs):
    arguments = {**dict(zip(["input", "repeats", "axis", "name"], args, strict=False)), **kwargs}
    value = arguments["input"]
    if not isinstance(value, RaggedTensor):
        return NotImplemented
    axis, repeats = arguments.get("axis"), static_value(arguments["repeats"])
    if axis is None:
        return function(value.flat_values, repeats)
    if axis != 0:
        raise dtypes_error("tf.repeat of a ragged tensor along a later axis", "tf.gather of its rows")
    return rows_at(value, np.repeat(np.arange(outer_size(value)), repeats).tolist())

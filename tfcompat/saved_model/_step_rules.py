"""What a recorded step is among TensorFlow's nodes: rules by the name of its op.

Most ops of text are one node, whose inputs and attributes have the names of the function's parameters. A rule of its
own takes a `_Call` and returns the Value of its result, or the list of them.
"""

import inspect

import numpy as np

from tfcompat import dtypes, engine, nest
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.shape import TensorShape
from tfcompat._core.steps import ROW_OF_SIZE, Step
from tfcompat._core.tensor import Tensor, wrap
from tfcompat.errors import UnimplementedError
from tfcompat.io import FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, VarLenFeature
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.raw_ops._definitions import definition
from tfcompat.saved_model._body import NotNodes
from tfcompat.saved_model._node_rules import rule_in

_RULES: dict = {}  # name of a step -> rule
_ONE_NODE = frozenset(
    "StringLower StringUpper StringStrip StringLength StringToHashBucketFast StringToHashBucketStrong "
    "StringToHashBucket StringToNumber AsString Substr UnicodeTranscode DecodeBase64 EncodeBase64 DecodeCompressed "
    "EnsureShape SerializeTensor DecodePng DecodeJpeg DecodeBmp DecodeGif EncodePng EncodeJpeg "
    "UnsortedSegmentJoin SegmentSum SegmentMean SegmentProd SegmentMax SegmentMin ListDiff".split()
)  # fmt: skip
rule = rule_in(_RULES)


def nodes_of_step(writer, call, inputs):
    """The Value, or the list of Values, of a recorded step.

    Raises:
      tf.errors.UnimplementedError: there are no such nodes.
    """
    name, step = call.operation.name, call.operation.step
    if not isinstance(step, Step) or name not in _RULES and name not in _ONE_NODE:
        raise UnimplementedError(None, None, f"it has the step {name}, which is no node of TensorFlow's")
    described = _Call(writer, call, inputs, step)
    try:
        return _RULES[name](described) if name in _RULES else _one_node(described, name)
    except NotNodes:
        raise UnimplementedError(None, None, f"TensorFlow's nodes for the step {name} do not take its dtypes") from None


class _Call:
    """A recorded step, as rules see it.

    Attributes:
      kernel: TF's name of the op.
      arguments: those of the function, by name, with stand-ins for the tensors; they are attributes, too.
      avals: of the results.
    """

    def __init__(self, writer, call, inputs, step):
        self.writer, self.body, self.op, self.kernel = writer, writer.body, writer.body.op, call.operation.name
        self.avals = call.aval.parts if type(call.aval) is engine.TupleAval else (call.aval,)
        capture = engine.Capture()
        stand_ins = [wrap(capture.placeholder(aval)) for aval in call.in_avals]
        self._values = {id(x._node): value for x, value in zip(stand_ins, inputs, strict=True)}
        args, kwargs = step.arguments(stand_ins)
        bound = inspect.signature(step.function).bind(*args, **kwargs)
        bound.apply_defaults()
        self.arguments = bound.arguments

    def __getattr__(self, name):
        if name not in self.arguments:
            raise AttributeError(name)
        return self.arguments[name]

    def value(self, x, dtype=None):
        """The Value of an argument: of a tensor among the inputs, a list with such, or a constant."""
        if isinstance(x, Tensor) and id(x._node) in self._values:
            return self._values[id(x._node)]
        if isinstance(x, list | tuple) and any(isinstance(part, Tensor) for part in nest.flatten(x)):
            parts = [self.value(part, dtype) for part in x]
            return self.op("Pack", [self.body.cast(part, parts[0].dtype) for part in parts], axis=0)
        tensor = convert_to_tensor(x, dtype)
        return self.body.constant(engine.array_of(tensor._node), tensor.dtype)

    def vector(self, *numbers, dtype=dtypes.int32):
        """A constant vector."""
        return self.body.constant(np.array(numbers, np.int64), dtype)

    def column(self, x, place):
        """A column of a matrix, or an element of a vector if `place` is a number."""
        at = [self.vector(0, place), self.vector(0, place + 1), self.vector(1, 1)]
        return self.op("StridedSlice", x, *at, begin_mask=1, end_mask=1, shrink_axis_mask=2)

    def element(self, x, place):
        """An element of a vector."""
        at = [self.vector(n) for n in (place, place + 1, 1)]
        return self.op("StridedSlice", x, *at, shrink_axis_mask=1)


def _one_node(call, name):
    known, inputs, attributes = definition(name), [], {}
    parameters = iter(call.arguments.values())
    for argument in known.inputs:
        first = next(parameters)
        x = call.arguments.get(argument.parameter, first)
        inputs.append(call.value(x, dtypes.string if argument.type is dtypes.string else None))
    for attribute in known.attributes:
        if attribute in call.arguments:
            attributes[attribute] = call.arguments[attribute]
    return call.op(name, *inputs, **attributes)


@rule(ROW_OF_SIZE)
def _(call):
    return call.op("Fill", call.op("Reshape", call.value(call.size), call.vector(1)), call.body.constant(False))


def _kept_boxes(call, *numbers):
    return call.op(
        call.kernel, call.value(call.boxes), call.value(call.scores), call.value(call.max_output_size, dtypes.int32),
        *[call.value(number, dtypes.float32) for number in numbers],
    )  # fmt: skip


@rule("NonMaxSuppressionV3")
def _(call):
    return _kept_boxes(call, call.iou_threshold, call.score_threshold)


@rule("NonMaxSuppressionV5")
def _(call):
    return _kept_boxes(call, call.iou_threshold, call.score_threshold, call.soft_nms_sigma)[:2]


@rule("CombinedNonMaxSuppression")
def _(call):
    inputs = call.boxes, call.scores
    counts = call.max_output_size_per_class, call.max_total_size
    numbers = call.iou_threshold, call.score_threshold
    return call.op(
        "CombinedNonMaxSuppression", *map(call.value, inputs), *[call.value(n, dtypes.int32) for n in counts],
        *[call.value(number, dtypes.float32) for number in numbers], pad_per_class=call.pad_per_class,
        clip_boxes=call.clip_boxes,
    )  # fmt: skip


@rule("RegexReplace")
def _(call):
    return call.op("StaticRegexReplace", call.value(call.input), pattern=_text(call.pattern),
                   rewrite=_text(call.rewrite), replace_global=call.replace_global)  # fmt: skip


@rule("RegexFullMatch")
def _(call):
    return call.op("StaticRegexFullMatch", call.value(call.input), pattern=_text(call.pattern))


def _text(x):
    return engine.array_of(x._node).item() if isinstance(x, Tensor) else x


@rule("StringJoin")
def _(call):
    inputs = [call.value(x, dtypes.string) for x in call.inputs]
    return call.op("StringJoin", inputs, separator=_text(call.separator))


@rule("StringFormat")
def _(call):
    values = call.inputs if isinstance(call.inputs, list | tuple) else [call.inputs]
    return call.op("StringFormat", [*map(call.value, values)], template=call.template, placeholder=call.placeholder,
                   summarize=call.summarize)  # fmt: skip


@rule("ReduceJoin")
def _(call):
    if isinstance(call.inputs, RaggedTensor):
        rows, splits = call.value(call.inputs.values), call.value(call.inputs.row_splits)
        count = call.op("Sub", call.op("Size", splits), call.body.constant(1, dtypes.int32))
        joined = call.op("UnsortedSegmentJoin", rows, _row_ids(call, splits, rows), count,
                         separator=_text(call.separator))  # fmt: skip
        return call.op("ExpandDims", joined, call.body.constant(1, dtypes.int32)) if call.keepdims else joined
    rank = len(call.inputs.shape)
    axes = list(range(rank))[::-1] if call.axis is None else np.atleast_1d(call.axis).tolist()
    return call.op("ReduceJoin", call.value(call.inputs), call.vector(*axes), keep_dims=bool(call.keepdims),
                   separator=_text(call.separator))  # fmt: skip


# --- rows of text -----------------------------------------------------------------------------------------------------


def _row_ids(call, splits, values):
    """The row of each value, int32, from the row splits."""
    numbers = call.body.cast(_numbers_below(call, call.op("Size", values)), splits.dtype)
    return call.op("Sub", _places_among(call, "UpperBound", splits, numbers), call.body.constant(1, dtypes.int32))


def _numbers_below(call, count):
    """The numbers from 0 on, as many as a Value says, of its dtype."""
    return call.op("Range", call.body.constant(0, count.dtype), count, call.body.constant(1, count.dtype))


def _places_among(call, bound, ascending, values):
    """Where vectors of values stand among ascending ones, int32; `bound` is the name of the op."""
    axis = call.body.constant(0, dtypes.int32)
    found = call.op(bound, *(call.op("ExpandDims", x, axis) for x in (ascending, values)))
    return call.op("Squeeze", found, squeeze_dims=[0])


def _splits_of(call, lengths):
    """The row splits of a Value of row lengths."""
    axis = call.body.constant(0, dtypes.int32)
    return call.op("ConcatV2", [call.vector(0, dtype=lengths.dtype), call.op("Cumsum", lengths, axis)], axis)


def _row_splits(call, indices, sizes):
    """The row splits, int64, of a sparse matrix of rows."""
    ids = call.op("Cast", call.column(indices, 0), DstT=dtypes.int32)
    count = call.op("Cast", call.element(sizes, 0), DstT=dtypes.int32)
    return _splits_of(call, call.op("Bincount", ids, count, call.body.constant(np.zeros(0, np.int64))))


def _as_vector(call):
    """(the Value of the input as a vector, whether it is a scalar)."""
    value, is_scalar = call.value(call.input), not call.input.shape.rank
    return (call.op("Reshape", value, call.vector(1)) if is_scalar else value), is_scalar


@rule("StringSplitV2")
def _(call):
    value, is_scalar = _as_vector(call)
    separator = call.body.constant(np.array(_bytes(_text(call.sep) or b""), object), dtypes.string)
    indices, parts, sizes = call.op("StringSplitV2", value, separator, maxsplit=call.maxsplit)
    return parts if is_scalar else [parts, _row_splits(call, indices, sizes)]


@rule("StringSplit")
def _(call):
    value, is_scalar = _as_vector(call)
    separator = call.body.constant(np.array(b"", object), dtypes.string)
    indices, parts, sizes = call.op("StringSplit", value, separator)
    return parts if is_scalar else [parts, _row_splits(call, indices, sizes)]


def _bytes(text):
    return text.encode() if isinstance(text, str) else text


def _decoded(call, **more):
    value, is_scalar = _as_vector(call)
    splits, points = call.op(
        "UnicodeDecode", value, input_encoding=call.input_encoding, errors=call.errors,
        replacement_char=call.replacement_char, **more,
    )  # fmt: skip
    return splits, points, is_scalar


@rule("UnicodeDecode")
def _(call):
    splits, points, is_scalar = _decoded(call, replace_control_characters=call.replace_control_characters)
    return points if is_scalar else [points, splits]


@rule("UnicodeSplit")
def _(call):
    splits, points, is_scalar = _decoded(call)
    numbers = _numbers_below(call, call.op("AddV2", call.op("Size", points), call.body.constant(1, dtypes.int32)))
    encoding = {"utf-8": "UTF-8"}.get(call.input_encoding, call.input_encoding)
    parts = call.op("UnicodeEncode", points, numbers, output_encoding=encoding, errors=call.errors,
                    replacement_char=call.replacement_char)  # fmt: skip
    return parts if is_scalar else [parts, splits]


@rule("UnicodeEncode")
def _(call):
    if not isinstance(call.input, RaggedTensor):
        raise UnimplementedError(None, None, "tf.strings.unicode_encode of a dense tensor is no node of TensorFlow's")
    return call.op(
        "UnicodeEncode", call.value(call.input.values), call.value(call.input.row_splits),
        output_encoding=call.output_encoding, errors=call.errors, replacement_char=call.replacement_char,
    )  # fmt: skip


@rule("StringNGrams")
def _(call):
    if not isinstance(call.data, RaggedTensor):
        raise UnimplementedError(None, None, "tf.strings.ngrams of a dense tensor is no node of TensorFlow's")
    pads = call.pad_values
    left, right = ("", "") if pads is None else (pads, pads) if isinstance(pads, str | bytes) else pads
    width = call.ngram_width
    runs, splits = call.op(
        "StringNGrams", call.value(call.data.values), call.value(call.data.row_splits), separator=call.separator,
        ngram_widths=list(width) if isinstance(width, list | tuple) else [width], left_pad=left, right_pad=right,
        pad_width=0 if pads is None else -1 if call.padding_width is None else call.padding_width,
        preserve_short_sequences=call.preserve_short_sequences,
    )  # fmt: skip
    return [runs, splits]


@rule("RaggedTensorToTensor")
def _(call):
    value, default = call.arguments["self"], call.default_value
    if default is None:
        default = {dtypes.string: b"", dtypes.bool: False}.get(value.dtype, 0)
    shape = None if call.shape is None else TensorShape(call.shape)
    sizes = [-1] * len(value.shape) if shape is None or shape.rank is None else [
        -1 if n is None else n for n in shape.as_list()]  # fmt: skip
    splits = [call.value(x) for x in value.nested_row_splits]
    return call.op(
        "RaggedTensorToTensor", call.vector(*sizes, dtype=dtypes.int64), call.value(value.flat_values),
        call.value(default, value.dtype), splits, row_partition_types=["ROW_SPLITS"] * len(splits),
    )  # fmt: skip


@rule("RowSplits")
def _(call):
    splits = call.value(call.splits)
    if call.nvals is not None:
        last = call.op("StridedSlice", splits, *map(call.vector, (-1, 0, 1)), end_mask=1, shrink_axis_mask=1)
        text = call.body.constant(np.array(b"the rows hold another number of values", object), dtypes.string)
        call.body.effect("Assert", call.op("Equal", last, call.value(call.nvals, splits.dtype)), [text])
    return splits


@rule("RowSplitsOfLengths")
def _(call):
    return _splits_of(call, call.value(call.lengths))


@rule("RowSplitsOfIds")
def _(call):
    ids = call.value(call.ids)
    one = call.body.constant(1, ids.dtype)
    if call.nrows is None:
        count = call.op("AddV2", _maximum(call, ids), one)
    else:
        count = call.body.cast(call.value(call.nrows, ids.dtype), ids.dtype)
    numbers = _numbers_below(call, call.op("AddV2", count, one))
    return call.body.cast(_places_among(call, "LowerBound", ids, numbers), ids.dtype)


@rule("RaggedRowLengths")
def _(call):
    splits = call.value(call.arguments["self"].row_splits)
    ends = call.op("StridedSlice", splits, *map(call.vector, (1, 0, 1)), end_mask=1)
    return call.op("Sub", ends, call.op("StridedSlice", splits, *map(call.vector, (0, -1, 1)), begin_mask=1))


@rule("RaggedValueRowids")
def _(call):
    value = call.arguments["self"]
    if isinstance(value.values, RaggedTensor):
        raise UnimplementedError(None, None, "RaggedTensor.value_rowids of nested rows is no node of TensorFlow's")
    ids = _row_ids(call, call.value(value.row_splits), call.value(value.values))
    return call.op("Cast", ids, DstT=value.row_splits.dtype)


@rule("Where")
def _(call):
    mask = call.value(call.tensor)
    if call.find is np.argwhere:
        return call.op("Where", mask)
    flat = mask if call.tensor.shape.rank == 1 else call.op("Reshape", mask, call.vector(-1))
    return call.op("Squeeze", call.op("Where", flat), squeeze_dims=[1])


# --- sizes that depend on values --------------------------------------------------------------------------------------


@rule("DynamicPartition")
def _(call):
    partitions = call.value(call.partitions, dtypes.int32)
    count = int(static_value(call.num_partitions))
    return call.op("DynamicPartition", call.value(call.data), partitions, num_partitions=count)


@rule("DynamicStitch")
def _(call):
    dtype = dtypes.from_numpy(call.avals[0].dtype)
    return call.op("DynamicStitch", [call.value(x, dtypes.int32) for x in call.indices],
                   [call.value(x, dtype) for x in call.data])  # fmt: skip


@rule("UniqueWithCounts")
def _(call):
    """The step gives places in place of the values, which are gathered after it."""
    x = call.value(call.x)
    values, places, counts = call.op("UniqueWithCounts", x, out_idx=call.out_idx)
    numbers, count = _numbers_below(call, call.op("Size", x)), call.op("Size", values)
    first = call.op("UnsortedSegmentMin", numbers, places, count)
    return [call.op("Cast", first, DstT=dtypes.int64), places, counts]


def _maximum(call, x):
    """The largest number of a Value of integers that are not negative; -1 if there is none."""
    flat = call.op("ConcatV2", [call.op("Reshape", x, call.vector(-1)), call.vector(-1, dtype=x.dtype)],
                   call.body.constant(0, dtypes.int32))  # fmt: skip
    return call.op("Max", flat, call.vector(0))


@rule("DenseBincount")
def _(call):
    x, dtype = call.value(call.arr, dtypes.int32), dtypes.from_numpy(call.avals[0].dtype)
    x = x if x.dtype in (dtypes.int32, dtypes.int64) else call.op("Cast", x, DstT=dtypes.int32)
    x = x if call.axis == -1 else call.op("Reshape", x, call.vector(-1))
    size = call.op("AddV2", _maximum(call, x), call.body.constant(1, x.dtype))
    for bound, kind in ((call.minlength, "Maximum"), (call.maxlength, "Minimum")):
        if bound is not None:
            size = call.op(kind, size, call.body.cast(call.value(bound, x.dtype), x.dtype))
    weights = call.body.constant(np.zeros(0, dtype.np), dtype) if call.weights is None else call.value(call.weights)
    if call.weights is not None and call.axis != -1:
        weights = call.op("Reshape", weights, call.vector(-1))
    return call.op("DenseBincount", x, size, weights, binary_output=bool(call.binary_output))


@rule("SequenceMask")
def _(call):
    lengths, dtype = call.value(call.lengths), dtypes.from_numpy(call.avals[0].dtype)
    longest = call.op("Maximum", _maximum(call, lengths), call.body.constant(0, lengths.dtype))
    numbers = _numbers_below(call, longest)
    column = call.op("ExpandDims", lengths, call.body.constant(-1, dtypes.int32))
    return call.body.cast(call.op("Less", numbers, column), dtype)


@rule("Repeat")
def _(call):
    """The row of each element of rows as long as the numbers of repeats."""
    size = call.op("Reshape", call.value(call.length), call.vector(1))
    repeats = call.op("BroadcastTo", call.value(call.repeats), size)
    repeats = call.op("Maximum", repeats, call.body.constant(0, repeats.dtype))
    axis = call.body.constant(0, dtypes.int32)
    numbers = _numbers_below(call, call.op("Sum", repeats, axis))
    return _places_among(call, "UpperBound", call.op("Cumsum", repeats, axis), numbers)


# --- tables -----------------------------------------------------------------------------------------------------------


@rule("LookupTableFindV2")
def _(call):
    owner, keys = list(call.arguments.values())[:2]
    table = owner._as_constant_table()
    op, cast = call.op, call.body.cast
    handle = call.writer.table(owner, table)
    value = cast(call.value(keys), table.key_dtype)
    default = call.body.constant(table.default, table.value_dtype)
    found = op("LookupTableFindV2", handle, value, default)
    if table.buckets:
        text = value if value.dtype is dtypes.string else op("AsString", value)
        ids = op("StringToHashBucketFast", text, num_buckets=table.buckets)
        ids = op("AddV2", ids, call.body.constant(table.first_bucket, dtypes.int64))
        found = op("SelectV2", op("NotEqual", found, default), found, cast(ids, found.dtype))
    return cast(found, dtypes.from_numpy(call.avals[0].dtype))


# --- parsing ----------------------------------------------------------------------------------------------------------


@rule("DecodeRaw")
def _(call):
    value, given = call.value(call.input_bytes), {"out_type": call.out_type, "little_endian": call.little_endian}
    if call.fixed_length is None:
        return call.op("DecodeRaw", value, **given)
    return call.op("DecodePaddedRaw", value, call.value(call.fixed_length, dtypes.int32), **given)


@rule("DecodeCSV")
def _(call):
    defaults = []
    for default in call.record_defaults:
        if isinstance(default, dtypes.DType) or isinstance(default, type):
            dtype = dtypes.as_dtype(default)
            defaults.append(call.body.constant(np.zeros(0, dtype.np), dtype))
        else:
            defaults.append(call.value(default))
    columns = call.op(
        "DecodeCSV", call.value(call.records), defaults, field_delim=call.field_delim, na_value=call.na_value,
        use_quote_delim=call.use_quote_delim, select_cols=list(call.select_cols or ()),
    )  # fmt: skip
    return columns if len(columns) > 1 else columns[0]


@rule("ParseExampleV2", "ParseSingleExample")
def _(call):
    """A single example is parsed as one without a dimension, as in TF."""
    features = {key: call.features[key] for key in sorted(call.features)}
    kinds: dict = {VarLenFeature: [], FixedLenFeature: [], RaggedFeature: []}
    for key, feature in features.items():
        kind = FixedLenFeature if isinstance(feature, FixedLenSequenceFeature) else type(feature)
        if kind not in kinds or kind is RaggedFeature and (feature.partitions or feature.value_key not in (None, key)):
            raise UnimplementedError(None, None, f"tf.io.{kind.__name__} {key!r} is not written as a node")
        kinds[kind].append(key)
    sparse, dense, ragged = kinds.values()
    defaults, shapes = zip(*[_default(call, features[key]) for key in dense], strict=True) if dense else ((), ())
    ragged_splits = [dtypes.as_dtype(features[key].row_splits_dtype) for key in ragged]
    keys = [_keys(call, k) for k in (sparse, dense, ragged)]
    results = iter(call.op(
        "ParseExampleV2", call.value(call.serialized), _keys(call, []), *keys, list(defaults),
        num_sparse=len(sparse), sparse_types=[features[key].dtype for key in sparse],
        ragged_value_types=[features[key].dtype for key in ragged], ragged_split_types=ragged_splits,
        dense_shapes=list(shapes),
    ))  # fmt: skip
    parts: dict = {key: [next(results)] for key in sparse}
    for part in (sparse, sparse, dense, ragged, ragged):
        for key in part:
            parts.setdefault(key, []).append(next(results))
    if call.serialized.shape.rank == 0:
        parts.update((key, parts[key][:1]) for key in ragged)
    return _flat([value for key in features for value in parts[key]])


def _flat(values):
    return values if len(values) > 1 else values[0]


def _keys(call, names):
    array = np.empty(len(names), object)
    array[:] = [name.encode() for name in names]
    return call.body.constant(array, dtypes.string)


def _default(call, feature):
    """(default, shape) of a feature of a fixed shape."""
    dtype, shape = dtypes.as_dtype(feature.dtype), TensorShape(feature.shape).as_list()
    if isinstance(feature, FixedLenSequenceFeature):
        default = {dtypes.string: b""}.get(dtype, 0) if feature.default_value is None else feature.default_value
        return call.value(default, dtype), [None, *shape]
    if feature.default_value is None:
        return call.body.constant(np.zeros(0, dtype.np), dtype), shape
    array = np.asarray(feature.default_value, dtype.np)
    return call.value(np.broadcast_to(array, shape), dtype), shape



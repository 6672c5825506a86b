"""Raw ops of text, and of ragged tensors as their components."""

import numpy as np

from tfcompat import array, dtypes, strings
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.steps import is_unknown, sizes_of, step
from tfcompat.errors import UnimplementedError
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.raw_ops._registry import raw

_ADVICE = "call it outside"


@raw()
def StaticRegexReplace(input, pattern, rewrite, replace_global):
    """Texts with what matches a pattern replaced."""
    return strings.regex_replace(input, pattern, rewrite, replace_global)


@raw()
def StaticRegexFullMatch(input, pattern):
    """Whether texts match a pattern."""
    return strings.regex_full_match(input, pattern)


@raw()
def StringFormat(inputs, template, placeholder, summarize):
    """Texts with tensors in them."""
    return strings.format(template, list(inputs), placeholder, summarize)


@raw()
def ReduceJoin(inputs, reduction_indices, keep_dims, separator):
    """Texts joined along axes."""
    return strings.reduce_join(inputs, static_value(reduction_indices), keep_dims, separator)


@raw()
def UnsortedSegmentJoin(inputs, segment_ids, num_segments, separator):
    """Texts of each segment joined."""
    return strings.unsorted_segment_join(inputs, segment_ids, num_segments, separator)


@raw()
def StringToHashBucket(string_tensor, num_buckets):
    """A number for each text."""
    return strings.to_hash_bucket(string_tensor, num_buckets)


def _in_rows(pieces):
    """(indices, values, dense_shape) of a ragged matrix."""
    lengths = known_values(pieces.row_lengths(), _ADVICE)
    places = [(row, column) for row, count in enumerate(lengths.tolist()) for column in range(count)]
    indices = np.array(places, np.int64).reshape(-1, 2)
    sizes = np.array([len(lengths), lengths.max(initial=0)], np.int64)
    return host_constant(indices), pieces.values, host_constant(sizes)


def _pieces(new, *args, **kwargs):
    """What comes of text that is split while a function is traced."""
    indices = new([None, 2], dtypes.int64)
    return indices, new(sizes_of(indices)[:1], dtypes.string), new([2], dtypes.int64)


@raw()
@step("StringSplitV2", _pieces)
def StringSplitV2(input, sep, maxsplit):
    """The parts of each text, as a sparse tensor."""
    (separator,) = known_values(convert_to_tensor(sep), _ADVICE).ravel().tolist()
    return _in_rows(strings.split(input, separator or None, maxsplit))


@raw()
@step("StringSplit", _pieces)
def StringSplit(input, delimiter, skip_empty):
    """The parts of each text between any of the characters of `delimiter`, as a sparse tensor."""
    (characters,) = known_values(convert_to_tensor(delimiter), _ADVICE).ravel().tolist()
    rows = []
    for text in known_values(convert_to_tensor(input), _ADVICE).ravel().tolist():
        parts, part = [], b""
        for byte in text:
            one = bytes([byte])
            if one in characters or not characters:
                parts.append(part if characters else part + one)
                part = b""
            else:
                part += one
        parts += [part] if characters else []
        rows.append([p for p in parts if p or not skip_empty])
    lengths = np.array([len(row) for row in rows], np.int64)
    flat = np.empty(int(lengths.sum()), object)
    flat[:] = [part for row in rows for part in row]
    return _in_rows(RaggedTensor.from_row_lengths(host_constant(flat), lengths))


@raw()
def UnicodeDecode(input, input_encoding, errors, replacement_char, replace_control_characters, Tsplits):
    """The characters of each text as numbers: where each row begins, and all of them."""
    rows = strings.unicode_decode(input, input_encoding, errors, replacement_char, replace_control_characters)
    return array.cast(rows.row_splits, Tsplits), rows.values


@raw()
def UnicodeDecodeWithOffsets(input, input_encoding, errors, replacement_char, replace_control_characters, Tsplits):
    """The characters of each text as numbers, and the byte at which each begins."""
    rows, offsets = strings.unicode_decode_with_offsets(
        input, input_encoding, errors, replacement_char, replace_control_characters
    )
    return array.cast(rows.row_splits, Tsplits), rows.values, offsets.values


@raw()
@step("UnicodeEncode", lambda new, points, splits, *args, **kwargs: new([sizes_of(splits)[0] - 1], dtypes.string))
def UnicodeEncode(input_values, input_splits, errors, output_encoding, replacement_char):
    """Texts of the numbers of their characters."""
    rows = RaggedTensor.from_row_splits(input_values, input_splits)
    return strings.unicode_encode(rows, output_encoding, errors, replacement_char)


@raw()
def UnicodeTranscode(input, input_encoding, output_encoding, errors, replacement_char, replace_control_characters):
    """Texts in another encoding."""
    return strings.unicode_transcode(
        input, input_encoding, output_encoding, errors, replacement_char, replace_control_characters
    )


def _runs(new, data, data_splits, *args, **kwargs):
    return new([None], dtypes.string), new(sizes_of(data_splits), convert_to_tensor(data_splits).dtype)


@raw()
@step("StringNGrams", _runs)
def StringNGrams(data, data_splits, separator, ngram_widths, left_pad, right_pad, pad_width, preserve_short_sequences):
    """Runs of neighbouring texts, joined: the runs, and where each row begins."""
    rows = RaggedTensor.from_row_splits(data, data_splits)
    pads = (left_pad, right_pad) if left_pad or right_pad or pad_width else None
    width = None if pads is None or pad_width < 0 else pad_width
    runs = strings.ngrams(rows, list(ngram_widths), separator, pads, width, preserve_short_sequences)
    return runs.values, array.cast(runs.row_splits, convert_to_tensor(data_splits).dtype)


def _ragged(partitions, kinds, values):
    """The ragged tensor of partitions as TensorFlow's kernels take them."""
    partitions, kinds = list(partitions), [k.decode() if isinstance(k, bytes) else k for k in kinds]
    rows = None
    if kinds[0] == "FIRST_DIM_SIZE":
        rows, partitions, kinds = partitions[0], partitions[1:], kinds[1:]
    for i in reversed(range(len(kinds))):
        if kinds[i] == "ROW_SPLITS":
            values = RaggedTensor.from_row_splits(values, partitions[i], validate=False)
        elif kinds[i] == "VALUE_ROWIDS":
            ids = partitions[i]
            if i == 0:
                count = array.cast(rows, convert_to_tensor(ids).dtype)
            else:
                count = array.size(partitions[i - 1], convert_to_tensor(ids).dtype)
            values = RaggedTensor.from_value_rowids(values, ids, count, validate=False)
        else:
            raise UnimplementedError(None, None, f"a row partition of the kind {kinds[i]}")
    return values


def _filled_up(new, shape, values, default_value, row_partition_tensors, row_partition_types):
    values = convert_to_tensor(values)
    if is_unknown(shape):
        return NotImplemented
    sizes, rank = static_value(shape), len(row_partition_tensors) + len(values.shape)
    rank -= row_partition_types[0] in ("FIRST_DIM_SIZE", b"FIRST_DIM_SIZE")
    if not isinstance(sizes, tuple):
        sizes = [-1] * (rank + 1)
    return new([None if size == -1 else size for size in sizes], values.dtype)


@raw()
@step("RaggedTensorToTensor", _filled_up)
def RaggedTensorToTensor(shape, values, default_value, row_partition_tensors, row_partition_types):
    """Ragged rows as one tensor, filled up with `default_value`."""
    rows = _ragged(row_partition_tensors, row_partition_types, values)
    sizes = static_value(shape)
    sizes = [None if size == -1 else size for size in sizes] if isinstance(sizes, tuple) else None
    return rows.to_tensor(default_value, shape=sizes)


@raw()
def RaggedTensorToSparse(rt_nested_splits, rt_dense_values):
    """Ragged rows as a sparse tensor."""
    rows = RaggedTensor.from_nested_row_splits(rt_dense_values, list(rt_nested_splits))
    result = rows.to_sparse()
    return result.indices, result.values, result.dense_shape


@raw(ignored=("PARAMS_RAGGED_RANK",))
def RaggedGather(params_nested_splits, params_dense_values, indices, OUTPUT_RAGGED_RANK):
    """Rows of ragged rows."""
    from tfcompat.ragged._gather import gather  # the ops of tensors have the same names

    rows = RaggedTensor.from_nested_row_splits(params_dense_values, list(params_nested_splits))
    result = gather(rows, indices)
    return list(result.nested_row_splits)[:OUTPUT_RAGGED_RANK], result.flat_values

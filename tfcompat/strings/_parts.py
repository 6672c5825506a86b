"""`tf.strings`: texts taken apart, and put together."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.steps import EACH, like_first, sizes_of, step
from tfcompat._core.tensor import Tensor
from tfcompat._core.trial import longer
from tfcompat.array import expand_dims
from tfcompat.array._arguments import as_axis, invalid, show_shape
from tfcompat.errors import OutOfRangeError
from tfcompat.ragged._broadcast import broadcast
from tfcompat.ragged._tensor import RaggedTensor, dtypes_error
from tfcompat.strings._elementwise import ADVICE, encoded, mapped, of_flat_values, one_of, texts
from tfcompat.strings._print import _text_of
from tfcompat.strings._ragged_text import text_of

_ERRORS = ("ignore", "replace", "strict")
_ENCODINGS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}


def _flat(items, dtype=object):
    result = np.empty(len(items), dtype)
    result[:] = items
    return host_constant(result)


def _rows(function, input, dtype=object):
    """The lists that `function` makes of each text: a vector of one text, otherwise a RaggedTensor."""
    array = texts(convert_to_tensor(input, dtypes.string))
    lists = [longer(function(item)) for item in array.ravel().tolist()]
    if not array.ndim:
        return _flat(lists[0], dtype)
    result = RaggedTensor.from_row_lengths(_flat([x for row in lists for x in row], dtype), [len(row) for row in lists])
    for axis in range(array.ndim - 1, 0, -1):
        result = RaggedTensor.from_uniform_row_length(result, array.shape[axis], int(np.prod(array.shape[:axis])))
    return result


def _in_rows(dtype):
    """What comes of lists of each text while a function is traced."""

    def result(new, input, *args, **kwargs):
        sizes = sizes_of(input)
        if not sizes:
            return new([None], dtype)
        if len(sizes) > 1:
            return NotImplemented
        return RaggedTensor._of(new([None], dtype), new([sizes[0] + 1], dtypes.int64))

    return result


@of_flat_values
@step("StringSplitV2", _in_rows(dtypes.string), of_stack=True)
def split(input, sep=None, maxsplit=-1, name=None):
    """The parts of each text.

    Args:
      input: text, any shape.
      sep: what stands between the parts; white space, of which runs count once, if None or empty.
      maxsplit: how many times to split at most; no limit if negative.
      name: ignored.

    Returns:
      RaggedTensor of text with one more axis; a vector for a scalar.

    TF: `tf.strings.split`; no known difference.
    """
    separator = encoded(sep) or None
    return _rows(lambda item: item.split(separator, maxsplit), input)


@of_flat_values
@step("StringSplit", _in_rows(dtypes.string), of_stack=True)
def bytes_split(input, name=None):
    """The bytes of each text.

    Args:
      input: text, any shape.
      name: ignored.

    Returns:
      RaggedTensor of text with one more axis; a vector for a scalar.

    TF: `tf.strings.bytes_split`; no known difference.
    """
    return _rows(lambda item: [item[n : n + 1] for n in range(len(item))], input)


def _characters(item, encoding, errors, replacement_char, control=False):
    """List of `(code point, offset)`."""
    try:
        codec = _ENCODINGS.get(encoding, encoding)
        "".encode(codec)
    except LookupError:
        raise when_run(f"Could not create converter for input encoding: {encoding}") from None
    characters, at = [], 0
    while at < len(item):
        for size in (1, 2, 3, 4):
            try:
                character = item[at : at + size].decode(codec)
            except UnicodeDecodeError:
                continue
            if character:
                characters.append((ord(character), at))
                at += size
                break
        else:
            if errors == "strict":
                raise invalid("Invalid formatting on input string")
            if errors == "replace":
                characters.append((replacement_char, at))
            at += 1
    if control:
        characters = [
            (replacement_char if point < 32 and point not in (9, 10, 13) else point, at) for point, at in characters
        ]
    return characters


@of_flat_values
@step("UnicodeDecode", _in_rows(dtypes.int32), of_stack=True)
def unicode_decode(input, input_encoding, errors="replace", replacement_char=65533, replace_control_characters=False,
                   name=None):  # fmt: skip
    """The code points of each text.

    Args:
      input: text, any shape.
      input_encoding: name of the encoding, such as "UTF-8".
      errors: "replace", "ignore" or "strict": what to do about bytes that are no text.
      replacement_char: code point that stands for them.
      replace_control_characters: whether it stands for control characters too.
      name: ignored.

    Returns:
      int32 RaggedTensor with one more axis; a vector for a scalar.

    Raises:
      tf.errors.InvalidArgumentError: an unknown encoding, or wrong bytes with "strict".

    TF: `tf.strings.unicode_decode`; no known difference.
    """
    return unicode_decode_with_offsets(input, input_encoding, errors, replacement_char, replace_control_characters)[0]


@takes_composites("tf.strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(input, input_encoding, errors="replace", replacement_char=65533,
                                replace_control_characters=False, name=None):  # fmt: skip
    """The code points of each text, and at which byte each begins.

    Args:
      input: text, any shape.
      input_encoding: name of the encoding, such as "UTF-8".
      errors: "replace", "ignore" or "strict": what to do about bytes that are no text.
      replacement_char: code point that stands for them.
      replace_control_characters: whether it stands for control characters too.
      name: ignored.

    Returns:
      `(code points, offsets)`: int32 and int64 RaggedTensors with one more axis; vectors for a scalar.

    Raises:
      tf.errors.InvalidArgumentError: an unknown encoding, or wrong bytes with "strict".

    TF: `tf.strings.unicode_decode_with_offsets`; no known difference.
    """
    one_of(errors, "errors", _ERRORS)

    def part(place):
        return lambda item: [
            character[place]
            for character in _characters(item, input_encoding, errors, replacement_char, replace_control_characters)
        ]

    return _rows(part(0), input, np.int32), _rows(part(1), input, np.int64)


@of_flat_values
@step("UnicodeSplit", _in_rows(dtypes.string), of_stack=True)
def unicode_split(input, input_encoding, errors="replace", replacement_char=65533, name=None):
    """The characters of each text.

    Args:
      input: text, any shape.
      input_encoding: name of the encoding, such as "UTF-8".
      errors: "replace", "ignore" or "strict": what to do about bytes that are no text.
      replacement_char: code point that stands for them.
      name: ignored.

    Returns:
      RaggedTensor of text with one more axis; a vector for a scalar.

    Raises:
      tf.errors.InvalidArgumentError: an unknown encoding, or wrong bytes with "strict".

    TF: `tf.strings.unicode_split`; no known difference.
    """
    return unicode_split_with_offsets(input, input_encoding, errors, replacement_char)[0]


@takes_composites("tf.strings.unicode_split_with_offsets")
def unicode_split_with_offsets(input, input_encoding, errors="replace", replacement_char=65533, name=None):
    """The characters of each text, and at which byte each begins.

    Args:
      input: text, any shape.
      input_encoding: name of the encoding, such as "UTF-8".
      errors: "replace", "ignore" or "strict": what to do about bytes that are no text.
      replacement_char: code point that stands for them.
      name: ignored.

    Returns:
      `(characters, offsets)`: RaggedTensors of text and int64 with one more axis; vectors for a scalar.

    Raises:
      tf.errors.InvalidArgumentError: an unknown encoding, or wrong bytes with "strict".

    TF: `tf.strings.unicode_split_with_offsets`; no known difference.
    """
    one_of(errors, "errors", _ERRORS)
    codec = _ENCODINGS.get(input_encoding, input_encoding)

    def characters(item):
        return [chr(p).encode(codec) for p, _ in _characters(item, input_encoding, errors, replacement_char)]

    def offsets(item):
        return [at for _, at in _characters(item, input_encoding, errors, replacement_char)]

    return _rows(characters, input), _rows(offsets, input, np.int64)


def _encoded_points(points, encoding, errors, replacement_char):
    result = []
    for point in points:
        if not (0 <= point < 0xD800 or 0xE000 <= point < 0x110000):
            if errors == "strict":
                raise invalid("Code point is out of range for Unicode, or a noncharacter.")
            if errors == "ignore":
                continue
            point = replacement_char
        result.append(chr(point))
    return "".join(result).encode(_ENCODINGS[encoding])


def _encoded(new, input, *args, **kwargs):
    if not isinstance(input, RaggedTensor):
        return new(sizes_of(input)[:-1], dtypes.string)
    return new([sizes_of(input.row_splits)[0] - 1], dtypes.string) if input.ragged_rank == 1 else NotImplemented


@takes_composites("tf.strings.unicode_encode")
@step("UnicodeEncode", _encoded)
def unicode_encode(input, output_encoding, errors="replace", replacement_char=65533, name=None):
    """Texts of code points, along the last axis.

    Args:
      input: int32 tensor or RaggedTensor of rank at least 1.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: "replace", "ignore" or "strict": what to do about numbers that are no code points.
      replacement_char: code point that stands for them.
      name: ignored.

    Returns:
      Tensor of text with one axis less.

    Raises:
      tf.errors.InvalidArgumentError: another encoding, or wrong numbers with "strict".

    TF: `tf.strings.unicode_encode`; no known difference.
    """
    one_of(output_encoding, "output_encoding", tuple(_ENCODINGS))
    one_of(errors, "errors", _ERRORS)
    if isinstance(input, RaggedTensor):
        if input.ragged_rank > 1:
            return input.with_values(unicode_encode(input.values, output_encoding, errors, replacement_char))
        return _flat([_encoded_points(row, output_encoding, errors, replacement_char) for row in input.to_list()])
    points = known_values(convert_to_tensor(input), ADVICE)
    if not points.ndim:
        raise ValueError("input_tensor's rank must be at least 1.")
    lists = points.reshape(-1, points.shape[-1]).tolist()
    flat = [_encoded_points(row, output_encoding, errors, replacement_char) for row in lists]
    result = np.empty(len(flat), object)
    result[:] = flat
    return host_constant(result.reshape(points.shape[:-1]))


@of_flat_values
@step("UnicodeTranscode", like_first(dtypes.string), of_stack=True)
def unicode_transcode(input, input_encoding, output_encoding, errors="replace", replacement_char=65533,
                      replace_control_characters=False, name=None):  # fmt: skip
    """Texts in another encoding.

    Args:
      input: text, any shape.
      input_encoding: name of its encoding, such as "UTF-8".
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: "replace", "ignore" or "strict": what to do about bytes that are no text.
      replacement_char: code point that stands for them.
      replace_control_characters: whether it stands for control characters too.
      name: ignored.

    Returns:
      Tensor of text of that shape.

    Raises:
      tf.errors.InvalidArgumentError: an unknown encoding, or wrong bytes with "strict".

    TF: `tf.strings.unicode_transcode`; no known difference.
    """
    one_of(output_encoding, "output_encoding", tuple(_ENCODINGS))
    one_of(errors, "errors", _ERRORS)

    def transcoded(item):
        characters = _characters(item, input_encoding, errors, replacement_char, replace_control_characters)
        return _encoded_points([point for point, _ in characters], output_encoding, errors, replacement_char)

    return mapped(transcoded, texts(input))


def _joined(new, inputs, *args, **kwargs):
    if any(isinstance(x, RaggedTensor) for x in inputs):
        return NotImplemented
    return new(next((sizes for sizes in map(sizes_of, inputs) if sizes), ()), dtypes.string)


@takes_composites("tf.strings.join")
@step("StringJoin", _joined, of_stack=EACH)
def join(inputs, separator="", name=None):
    """Joins texts element by element.

    Args:
      inputs: list of tensors of text, scalars or of one shape.
      separator: text between them.
      name: ignored.

    Returns:
      Tensor of text.

    Raises:
      tf.errors.InvalidArgumentError: shapes differ.

    TF: `tf.strings.join`; no known difference.
    """
    if any(isinstance(x, RaggedTensor) for x in inputs):
        flat, divide = broadcast(list(inputs))
        return divide(join(flat, separator))
    arrays = [texts(x) for x in inputs]
    shapes = [a.shape for a in arrays if a.ndim]
    for shape in shapes[1:]:
        if shape != shapes[0]:
            raise invalid(f"Input shapes do not match: {show_shape(shapes[0])} vs. {show_shape(shape)}")
    shape = shapes[0] if shapes else ()
    glue = encoded(separator)
    result = np.empty(shape, object)
    columns = [np.broadcast_to(a, shape) for a in arrays]
    for place in np.ndindex(shape):
        result[place] = glue.join(column[place] for column in columns)
    return host_constant(result)


def _reduced(new, inputs, axis=None, keepdims=False, separator="", name=None):
    axes = static_value(axis)
    if isinstance(inputs, RaggedTensor):
        rank = inputs.shape.rank
        if axes is None or inputs.ragged_rank > 1 or axes not in (-1, rank - 1) or len(inputs.flat_values.shape) > 1:
            return NotImplemented
        count = sizes_of(inputs.row_splits)[0] - 1
        return new([count, 1] if keepdims else [count], dtypes.string)
    sizes = sizes_of(inputs)
    axes = range(len(sizes)) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    if not all(-len(sizes) <= one < len(sizes) for one in axes):
        return NotImplemented
    axes = {one % len(sizes) for one in axes}
    kept = [1 if a in axes else n for a, n in enumerate(sizes) if keepdims or a not in axes]
    return new(kept, dtypes.string)


@takes_composites("tf.strings.reduce_join")
@step("ReduceJoin", _reduced)
def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """Joins the texts along axes.

    Args:
      inputs: tensor or RaggedTensor of text.
      axis: integer, or integers in the order in which they are joined; None means all.
      keepdims: whether the axes stay, with size one.
      separator: text between them.
      name: ignored.

    Returns:
      Tensor of text.

    Raises:
      tf.errors.OutOfRangeError: an axis out of range.

    TF: `tf.strings.reduce_join`; no known difference.
    """
    glue = encoded(separator)
    if isinstance(inputs, RaggedTensor):
        rank = inputs.shape.rank
        if static_value(axis) is None:
            return reduce_join(inputs.flat_values, separator=separator)
        if as_axis(static_value(axis), rank) != rank - 1:
            raise dtypes_error("tf.strings.reduce_join of a ragged tensor along this axis", "the last axis")
        if inputs.ragged_rank > 1:
            return inputs.with_values(reduce_join(inputs.values, -1, keepdims, separator))
        joined = _flat([glue.join(row) for row in inputs.to_list()])
        return expand_dims(joined, 1) if keepdims else joined
    array = texts(inputs)
    axes = static_value(axis)
    if axes is None:
        axes = tuple(range(array.ndim))[::-1]
    axes = axes if isinstance(axes, tuple) else (axes,)
    for one in axes:
        if not -array.ndim <= one < array.ndim:
            raise OutOfRangeError(
                None, None, f"Invalid reduction dimension {one} for input with {array.ndim} dimension(s)"
            )
    axes = [one % array.ndim for one in axes]
    remaining_axes = [a for a in range(array.ndim) if a not in axes]
    moved = array.transpose(remaining_axes + axes[::-1]).reshape(*(array.shape[a] for a in remaining_axes), -1)
    result = np.empty(moved.shape[:-1], object)
    for place in np.ndindex(result.shape):
        result[place] = glue.join(moved[place])
    if keepdims:
        result = result.reshape([1 if a in axes else n for a, n in enumerate(array.shape)])
    return host_constant(result)


def _in_groups(new, inputs, segment_ids, num_segments, separator="", name=None):
    return new([static_value(num_segments), *sizes_of(inputs)[len(sizes_of(segment_ids)) :]], dtypes.string)


@takes_composites("tf.strings.unsorted_segment_join")
@step("UnsortedSegmentJoin", _in_groups)
def unsorted_segment_join(inputs, segment_ids, num_segments, separator="", name=None):
    """Joins the texts of each group.

    Args:
      inputs: tensor of text.
      segment_ids: integers of a shape that begins that of `inputs`: the group of each; negative ones are left out.
      num_segments: how many groups.
      separator: text between them.
      name: ignored.

    Returns:
      Tensor of text with the groups in place of the axes of `segment_ids`.

    Raises:
      tf.errors.InvalidArgumentError: shapes do not fit, or an id out of range.

    TF: `tf.strings.unsorted_segment_join`; no known difference.
    """
    array, ids = texts(inputs), known_values(convert_to_tensor(segment_ids), ADVICE)
    count = static_value(num_segments)
    if array.shape[: ids.ndim] != ids.shape or not ids.ndim:
        raise invalid("The shape of segment_ids must be a prefix of that of inputs")
    if ids.size and not 0 <= ids.min() <= ids.max() < count:
        raise when_run(f"segment_ids must be below {count} and not negative, got {ids.min()} to {ids.max()}")
    rest = array.shape[ids.ndim :]
    rows, flat_ids = array.reshape(-1, *rest), ids.ravel()
    result = np.empty((count, *rest), object)
    for place in np.ndindex(result.shape):
        chosen = rows[(flat_ids == place[0], *place[1:])]
        result[place] = encoded(separator).join(chosen)
    return host_constant(result)


def _runs(new, data, *args, **kwargs):
    if isinstance(data, RaggedTensor):
        if data.ragged_rank > 1:
            return NotImplemented
        return RaggedTensor._of(new([None], dtypes.string), new(sizes_of(data.row_splits), dtypes.int64))
    return new([*sizes_of(data)[:-1], None], dtypes.string) if sizes_of(data) else NotImplemented


@takes_composites("tf.strings.ngrams")
@step("StringNGrams", _runs)
def ngrams(data, ngram_width, separator=" ", pad_values=None, padding_width=None, preserve_short_sequences=False,
           name=None):  # fmt: skip
    """Runs of neighbouring texts, joined.

    Args:
      data: tensor or RaggedTensor of text, rank at least 1.
      ngram_width: how many texts make a run; or a list of such numbers.
      separator: text between them.
      pad_values: text that fills up at both ends, a pair for left and right, or None.
      padding_width: how many times it does; one less than the width if None.
      preserve_short_sequences: whether a row too short for a run gives all of it.
      name: ignored.

    Returns:
      RaggedTensor of text, or a tensor of a tensor.

    Raises:
      TypeError: wrong types of `ngram_width` or `pad_values`.
      ValueError: a width that is not positive, or a `padding_width` without `pad_values`.

    TF: `tf.strings.ngrams`; no known difference.
    """
    widths = ngram_width if isinstance(ngram_width, list | tuple) else [ngram_width]
    if not all(isinstance(w, int) for w in widths):
        raise TypeError(f"`ngram_width` must be an integer, or a list of integers. Got {ngram_width!r}")
    if any(w < 1 for w in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width!r}")
    if padding_width is not None and pad_values is None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"padding_width must be greater than 0. Got {padding_width!r}")
    pads = (pad_values, pad_values) if isinstance(pad_values, str | bytes) else pad_values
    left, right = (b"", b"") if pads is None else (encoded(pads[0]), encoded(pads[1]))
    glue = encoded(separator)

    def grams(row):
        results = []
        for width in widths:
            pad = 0 if pads is None else width - 1 if padding_width is None else min(padding_width, width - 1)
            padded = [left] * pad + list(row) + [right] * pad
            runs = [padded[n : n + width] for n in range(len(padded) - width + 1)]
            if preserve_short_sequences and not results and not runs and row:
                runs = [padded] if width == widths[-1] or len(widths) == 1 else []
            results += [glue.join(run) for run in runs]
        return results

    if isinstance(data, RaggedTensor):
        if data.ragged_rank > 1:
            return data.with_values(ngrams(data.values, ngram_width, separator, pad_values, padding_width,
                                           preserve_short_sequences))  # fmt: skip
        lists = [grams(row) for row in data.to_list()]
        return RaggedTensor.from_row_lengths(_flat([x for row in lists for x in row]), [len(row) for row in lists])
    array = texts(data)
    if not array.ndim:
        raise ValueError("`data` must have a known rank of at least 1")
    lists = [grams(row) for row in array.reshape(-1, array.shape[-1]).tolist()]
    count = len(lists[0]) if lists else 0
    flat = np.empty(len(lists) * count, object)
    flat[:] = [x for row in lists for x in row]
    return host_constant(flat.reshape(*array.shape[:-1], count))


@takes_composites("tf.strings.format")
@step("StringFormat", lambda new, *args, **kwargs: new([], dtypes.string))
def format(template, inputs, placeholder="{}", summarize=3, name=None):
    """Text with values put in place of placeholders.

    Args:
      template: text.
      inputs: a value, or a list of as many values as there are placeholders.
      placeholder: what stands for a value.
      summarize: how many elements to show at both ends of each axis; -1 shows all.
      name: ignored.

    Returns:
      Scalar of text.

    Raises:
      ValueError: another number of placeholders.

    TF: `tf.strings.format`; no known difference.
    """
    values = inputs if isinstance(inputs, list | tuple) else [inputs]
    values = [x if isinstance(x, Tensor | RaggedTensor) else convert_to_tensor(x) for x in values]
    parts = template.split(placeholder)
    if len(parts) - 1 != len(values):
        raise ValueError(f"The template expects {len(parts) - 1} tensors, but the inputs only has {len(values)}.")
    texts_of = [
        text_of(x, summarize) if isinstance(x, RaggedTensor) else _text_of(known_values(x, ADVICE), summarize, False)
        for x in values
    ]
    pieces = [part + text for part, text in zip(parts, [*texts_of, ""], strict=True)]
    return convert_to_tensor("".join(pieces), dtypes.string)

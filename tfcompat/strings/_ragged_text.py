"""The text of a ragged tensor, as `tf.print` and `tf.strings.format` have it."""

import re

from tfcompat import dtypes
from tfcompat._core.convert import known_values
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.strings._elementwise import as_string


def text_of(value, edge_count):
    """The elements in brackets, of each axis as many as `edge_count` at both ends; None while they are not known."""
    flat = value.flat_values
    if known_values(flat) is None:
        return None
    if flat.dtype is dtypes.string:
        texts = _mapped(_quoted, flat._value())
    else:
        texts = _mapped(bytes.decode, as_string(flat)._value())
    return _text(value, texts, 0, int(value.nrows()), edge_count)


def _mapped(function, array):
    """Nested lists of `function` of each text of an array."""
    return [_mapped(function, row) for row in array] if getattr(array, "ndim", 0) else function(array)


def _quoted(item):
    return "'" + re.sub(r"(['\\])", r"\\\1", item.decode("utf-8", "surrogateescape")) + "'"


def _text(level, texts, start, stop, edge_count):
    """The text of the rows from `start` to `stop` of a level of a ragged tensor, or of nested lists."""
    if isinstance(level, RaggedTensor):
        splits = level.splits()

        def shown(i):
            return _text(level.values, texts, splits[i], splits[i + 1], edge_count)
    else:

        def shown(i):
            return texts[i] if isinstance(texts[i], str) else _text(None, texts[i], 0, len(texts[i]), edge_count)

    start, stop = int(start), int(stop)
    if edge_count < 0 or stop - start <= 2 * edge_count:
        parts = map(shown, range(start, stop))
    else:
        parts = [*map(shown, range(start, start + edge_count)), "...", *map(shown, range(stop - edge_count, stop))]
    return f"[{', '.join(parts)}]"

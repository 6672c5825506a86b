"""Raw ops that parse text: examples, CSV, raw bytes."""

from tfcompat import io
from tfcompat._core.convert import convert_to_tensor, known_values
from tfcompat._core.shape import as_shape
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.raw_ops._registry import raw

_ADVICE = "call it outside"


def _names(keys):
    return [key.decode() for key in known_values(convert_to_tensor(keys), _ADVICE).ravel().tolist()]


@raw()
def DecodeCSV(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols):
    """The columns of lines of CSV."""
    return io.decode_csv(records, list(record_defaults), field_delim, use_quote_delim, na_value, select_cols or None)


@raw()
def DecodeRaw(bytes, out_type, little_endian):
    """Bytes as numbers."""
    return io.decode_raw(bytes, out_type, little_endian)


@raw()
def DecodePaddedRaw(input_bytes, fixed_length, out_type, little_endian):
    """Bytes as numbers, as many of each text."""
    return io.decode_raw(input_bytes, out_type, little_endian, int(known_values(convert_to_tensor(fixed_length))))


@raw(ignored=("names", "num_sparse"))
def ParseExampleV2(serialized, sparse_keys, dense_keys, ragged_keys, dense_defaults, sparse_types, ragged_value_types,
                   ragged_split_types, dense_shapes):  # fmt: skip
    """Features of serialized examples: those of any length in sparse and in ragged form, and dense ones."""
    sparse, dense, ragged = map(_names, (sparse_keys, dense_keys, ragged_keys))
    features = {key: io.VarLenFeature(dtype) for key, dtype in zip(sparse, sparse_types, strict=True)}
    for key, default, shape in zip(dense, map(convert_to_tensor, dense_defaults), dense_shapes, strict=True):
        sizes, values = as_shape(shape).as_list(), known_values(default, _ADVICE)
        if sizes[:1] == [None]:
            filler = values.ravel()[0] if values.size else None
            features[key] = io.FixedLenSequenceFeature(sizes[1:], default.dtype, True, filler)
        else:
            features[key] = io.FixedLenFeature(sizes, default.dtype, values if values.size else None)
    for key, dtype, splits in zip(ragged, ragged_value_types, ragged_split_types, strict=True):
        features[key] = io.RaggedFeature(dtype, row_splits_dtype=splits)
    parsed = io.parse_example(serialized, features)
    rows = [parsed[key] for key in ragged]
    return (
        [parsed[key].indices for key in sparse], [parsed[key].values for key in sparse],
        [parsed[key].dense_shape for key in sparse], [parsed[key] for key in dense],
        [x.values if isinstance(x, RaggedTensor) else x for x in rows],
        [x.row_splits if isinstance(x, RaggedTensor) else convert_to_tensor([0, *x.shape.as_list()], splits)
         for x, splits in zip(rows, ragged_split_types, strict=True)],
    )  # fmt: skip

"""Raw ops that read serialized examples and sparse tensors."""

import itertools

from tfcompat import array, dtypes, io
from tfcompat._core.convert import convert_to_tensor, known_values
from tfcompat._core.shape import TensorShape
from tfcompat.errors import InvalidArgumentError
from tfcompat.io import FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, VarLenFeature
from tfcompat.io._sequences import parse_sequences
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.raw_ops._registry import raw
from tfcompat.raw_ops._sparse import parts_of, sparse_of

_ADVICE = "call it outside"


def texts_of(value):
    """The texts of a tensor, or of a list of scalar tensors, as str."""
    parts = value if isinstance(value, list | tuple) else [value]
    items = [known_values(convert_to_tensor(part), _ADVICE).ravel().tolist() for part in parts]
    return [item.decode() if isinstance(item, bytes) else item for part in items for item in part]


# --- examples ---


def _check_counts(op, **counts):
    """Raises unless each attribute, a number, is as large as the list that it counts."""
    for attribute, (number, counted) in counts.items():
        if number != len(counted):
            raise InvalidArgumentError(
                None, None, f"{attribute} must be {len(counted)}, the number of keys, got {number} [Op:{op}]"
            )


def _dense(default, shape):
    """The feature of a dense key: an empty default says that it must be there, an unknown first size that it varies."""
    default, shape = convert_to_tensor(default), TensorShape(shape)
    varies = shape.rank and shape[0] is None
    if default.dtype not in (dtypes.float32, dtypes.int64, dtypes.string):
        raise InvalidArgumentError(None, None, f"a default must be float32, int64 or text, got {default.dtype.name}")
    if default.shape.num_elements() and not varies and not default.shape.is_compatible_with(shape):
        raise InvalidArgumentError(None, None, f"a default of the shape {shape} is expected, got {default.shape}")
    value = default if default.shape.num_elements() else None
    if varies:
        value = None if value is None else array.reshape(value, [])
        return FixedLenSequenceFeature(shape[1:], default.dtype, allow_missing=True, default_value=value)
    return FixedLenFeature(shape, default.dtype, value)


def _features(sparse_keys, sparse_types, dense_keys, defaults, dense_shapes, ragged=((), (), ())):
    """Lists of pairs of keys and features: sparse, dense and ragged ones."""
    return [
        [(key, VarLenFeature(dtype)) for key, dtype in zip(texts_of(sparse_keys), sparse_types, strict=True)],
        [(key, _dense(default, shape)) for key, default, shape in
         zip(texts_of(dense_keys), defaults, dense_shapes, strict=True)],
        [(key, RaggedFeature(dtype, row_splits_dtype=splits)) for key, dtype, splits in
         zip(texts_of(ragged[0]), *ragged[1:], strict=True)],
    ]  # fmt: skip


def _columns(parts, count):
    """Tuples of some tensors each, as that many lists."""
    return tuple(map(list, zip(*parts, strict=True))) if parts else ([],) * count


def _parsed(serialized, sparse, dense, ragged, single=False):
    """The results of ops that parse examples: sparse indices, values, shapes, dense values, ragged values, splits."""
    features = dict([*sparse, *dense, *ragged])
    parse = io.parse_single_example if single else io.parse_example
    values = parse(serialized, features) if features else {}
    return (
        *_columns([parts_of(values[key]) for key, _ in sparse], 3), [values[key] for key, _ in dense],
        *_columns([_ragged_parts(values[key], feature) for key, feature in ragged], 2),
    )  # fmt: skip


def _ragged_parts(value, feature):
    if isinstance(value, RaggedTensor):
        return value.values, value.row_splits
    return value, array.zeros([0], feature.row_splits_dtype)  # of one example


@raw(ignored=("names",))
def ParseExample(serialized, sparse_keys, dense_keys, dense_defaults, sparse_types, dense_shapes):
    """Features of serialized examples."""
    features = _features(sparse_keys, sparse_types, dense_keys, dense_defaults, dense_shapes)
    return _parsed(_serialized(serialized), *features)[:4]


@raw(ignored=("names",))
def ParseExampleV2(serialized, sparse_keys, dense_keys, ragged_keys, dense_defaults, num_sparse, sparse_types,
                   ragged_value_types, ragged_split_types, dense_shapes):  # fmt: skip
    """Features of serialized examples, or of one."""
    _check_counts("ParseExampleV2", num_sparse=(num_sparse, sparse_types))
    ragged = ragged_keys, ragged_value_types, ragged_split_types
    features = _features(sparse_keys, sparse_types, dense_keys, dense_defaults, dense_shapes, ragged)
    serialized = _serialized(serialized)
    return _parsed(serialized, *features, single=serialized.shape.rank == 0)


@raw()
def ParseSingleExample(serialized, dense_defaults, num_sparse, sparse_keys, dense_keys, sparse_types, dense_shapes):
    """Features of one serialized example."""
    _check_counts("ParseSingleExample", num_sparse=(num_sparse, sparse_types))
    features = _features(sparse_keys, sparse_types, dense_keys, dense_defaults, dense_shapes)
    return _parsed(serialized, *features, single=True)[:4]


def _serialized(value):
    value = convert_to_tensor(value, dtypes.string)
    if value.shape.rank is not None and value.shape.rank > 1:
        raise InvalidArgumentError(
            None, None, f"Expected serialized to be a scalar or vector, got shape: {value.shape}"
        )
    return value


def _sequence_features(sparse_keys, sparse_types, dense_keys, dense_types, dense_shapes, assumed_empty,
                       ragged=((), (), ())):  # fmt: skip
    """As `_features`, of lists of features."""
    sparse, _, ragged = _features(sparse_keys, sparse_types, (), (), (), ragged)
    dense = [
        (key, FixedLenSequenceFeature(shape, dtype, allow_missing=key in assumed_empty))
        for key, dtype, shape in zip(texts_of(dense_keys), dense_types, dense_shapes, strict=True)
    ]
    return [sparse, dense, ragged]


def _parsed_sequences(serialized, context, lists, single=False):
    """The results of ops that parse sequence examples, by what they are of."""
    data = known_values(convert_to_tensor(serialized, dtypes.string), _ADVICE).ravel().tolist()
    results = []
    for kind, features in (*enumerate(context), *enumerate(lists, 3)):
        part = [{}, {}, {}]
        if features:
            groups = (dict(features), None) if kind < 3 else (None, dict(features))
            part = parse_sequences(data, *groups, single=single)
        values = [part[kind >= 3][key] for key, _ in features]
        if kind % 3 == 0:
            results.append(_columns([parts_of(value) for value in values], 3))
        elif kind == 1:
            results.append((values,))
        elif kind == 4:
            results.append((values, [part[2][key] for key, _ in features]))
        elif kind == 2:
            results.append(_columns([(value.values, value.row_splits) for value in values], 2))
        else:
            nested = [(value.flat_values, value.row_splits, value.values.row_splits) for value in values]
            results.append(_columns(nested, 3))
    return results


@raw(ignored=("debug_name",))
def ParseSequenceExample(serialized, context_dense_defaults, feature_list_dense_missing_assumed_empty,
                         context_sparse_keys, context_dense_keys, feature_list_sparse_keys, feature_list_dense_keys,
                         Ncontext_sparse, Ncontext_dense, Nfeature_list_sparse, Nfeature_list_dense,
                         context_sparse_types, feature_list_dense_types, context_dense_shapes,
                         feature_list_sparse_types, feature_list_dense_shapes):  # fmt: skip
    """Features of serialized sequence examples."""
    _check_counts(
        "ParseSequenceExample", Ncontext_sparse=(Ncontext_sparse, context_sparse_keys),
        Ncontext_dense=(Ncontext_dense, context_dense_keys),
        Nfeature_list_sparse=(Nfeature_list_sparse, feature_list_sparse_keys),
        Nfeature_list_dense=(Nfeature_list_dense, feature_list_dense_keys),
    )  # fmt: skip
    sparse, dense, _, of_lists, (values, lengths), _ = _parsed_sequences(
        serialized,
        _features(context_sparse_keys, context_sparse_types, context_dense_keys, context_dense_defaults,
                  context_dense_shapes),
        _sequence_features(feature_list_sparse_keys, feature_list_sparse_types, feature_list_dense_keys,
                           feature_list_dense_types, feature_list_dense_shapes,
                           texts_of(feature_list_dense_missing_assumed_empty)),
    )  # fmt: skip
    return *sparse, *dense, *of_lists, values, lengths


@raw(ignored=("debug_name",))
def ParseSequenceExampleV2(serialized, context_sparse_keys, context_dense_keys, context_ragged_keys,
                           feature_list_sparse_keys, feature_list_dense_keys, feature_list_ragged_keys,
                           feature_list_dense_missing_assumed_empty, context_dense_defaults, Ncontext_sparse,
                           Nfeature_list_sparse, Nfeature_list_dense, context_sparse_types,
                           context_ragged_value_types, context_ragged_split_types, context_dense_shapes,
                           feature_list_dense_types, feature_list_sparse_types, feature_list_ragged_value_types,
                           feature_list_ragged_split_types, feature_list_dense_shapes):  # fmt: skip
    """Features of serialized sequence examples."""
    _check_counts(
        "ParseSequenceExampleV2", Ncontext_sparse=(Ncontext_sparse, context_sparse_types),
        Nfeature_list_sparse=(Nfeature_list_sparse, feature_list_sparse_types),
        Nfeature_list_dense=(Nfeature_list_dense, feature_list_dense_types),
    )  # fmt: skip
    empty = known_values(convert_to_tensor(feature_list_dense_missing_assumed_empty, dtypes.bool), _ADVICE)
    assumed_empty = list(itertools.compress(texts_of(feature_list_dense_keys), empty.tolist()))
    sparse, dense, ragged, of_lists, (values, lengths), nested = _parsed_sequences(
        serialized,
        _features(context_sparse_keys, context_sparse_types, context_dense_keys, context_dense_defaults,
                  context_dense_shapes,
                  (context_ragged_keys, context_ragged_value_types, context_ragged_split_types)),
        _sequence_features(feature_list_sparse_keys, feature_list_sparse_types, feature_list_dense_keys,
                           feature_list_dense_types, feature_list_dense_shapes, assumed_empty,
                           (feature_list_ragged_keys, feature_list_ragged_value_types,
                            feature_list_ragged_split_types)),
    )  # fmt: skip
    return *sparse, *dense, *ragged, *of_lists, values, lengths, *nested


@raw(ignored=("debug_name",))
def ParseSingleSequenceExample(serialized, feature_list_dense_missing_assumed_empty, context_sparse_keys,
                               context_dense_keys, feature_list_sparse_keys, feature_list_dense_keys,
                               context_dense_defaults, context_sparse_types, context_dense_shapes,
                               feature_list_dense_types, feature_list_sparse_types,
                               feature_list_dense_shapes):  # fmt: skip
    """Features of one serialized sequence example."""
    sparse, dense, _, of_lists, (values, _), _ = _parsed_sequences(
        serialized,
        _features(context_sparse_keys, context_sparse_types, context_dense_keys, context_dense_defaults,
                  context_dense_shapes),
        _sequence_features(feature_list_sparse_keys, feature_list_sparse_types, feature_list_dense_keys,
                           feature_list_dense_types, feature_list_dense_shapes,
                           texts_of(feature_list_dense_missing_assumed_empty)),
        single=True,
    )  # fmt: skip
    return *sparse, *dense, *of_lists, values


# --- sparse tensors ---


@raw()
def SerializeSparse(sparse_indices, sparse_values, sparse_shape, out_type):
    """The components of a sparse tensor as three texts."""
    return io.serialize_sparse(sparse_of(sparse_indices, sparse_values, sparse_shape), out_type=out_type)


@raw()
def SerializeManySparse(sparse_indices, sparse_values, sparse_shape, out_type):
    """Each row of a sparse tensor as three texts."""
    return io.serialize_many_sparse(sparse_of(sparse_indices, sparse_values, sparse_shape), out_type=out_type)


@raw()
def DeserializeSparse(serialized_sparse, dtype):
    """Sparse tensors of three texts each, stacked."""
    return parts_of(io.deserialize_many_sparse(serialized_sparse, dtype))


@raw()
def DeserializeManySparse(serialized_sparse, dtype):
    """Sparse tensors of three texts each, stacked."""
    if convert_to_tensor(serialized_sparse).shape.rank != 2:
        raise InvalidArgumentError(None, None, "Serialized sparse should be a matrix of 3 columns")
    return DeserializeSparse(serialized_sparse, dtype)


@raw()
def DecodeCSV(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols):
    """The columns of records of comma-separated values."""
    return io.decode_csv(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols or None)

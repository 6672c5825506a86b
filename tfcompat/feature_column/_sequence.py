"""Columns of sequences: of ids, one or more at each step, and of numbers."""

import collections

import numpy as np

from tfcompat import dtypes
from tfcompat.array import ones_like, reshape, shape, where, zeros_like
from tfcompat.feature_column._categorical import (
    assert_key_is_string,
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from tfcompat.feature_column._column import CategoricalColumn, ColumnOfNumbers, Ids, column_class, with_steps
from tfcompat.feature_column._dense import EmbeddingColumn, IndicatorColumn
from tfcompat.io._parse import VarLenFeature
from tfcompat.math import reduce_any, reduce_max
from tfcompat.sparse import to_dense


def _lengths(present):
    """How many steps each example has: up to the last in which there is something."""
    steps = present.shape[1]
    if not steps:
        return reduce_max(zeros_like(present[:, :1], dtypes.int64), [1, 2])
    return reduce_max(where(reduce_any(present, -1), np.arange(1, steps + 1), np.int64(0)), 1)


@column_class
class SequenceCategoricalColumn(
    CategoricalColumn, collections.namedtuple("SequenceCategoricalColumn", ("categorical_column",))
):
    """Ids at each step of a sequence."""

    __slots__ = ()
    name = property(lambda self: self.categorical_column.name, doc="The name of the feature.")
    parents = property(lambda self: [self.categorical_column], doc="List of what the column is made of.")
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)
    num_buckets = property(lambda self: self.categorical_column.num_buckets, doc="Number of ids.")

    def transform(self, features):
        of = self.categorical_column.transform(features.of_sequences)
        return Ids(of.ids, of.present, of.weights)


@column_class
class SequenceNumericColumn(ColumnOfNumbers, collections.namedtuple(
    "SequenceNumericColumn", ("key", "shape", "default_value", "dtype", "normalizer_fn")
)):  # fmt: skip
    """Numbers at each step of a sequence."""

    __slots__ = ()

    @property
    def parse_example_spec(self):
        """Dict from the name to how `tf.io.parse_example` reads it."""
        return {self.key: VarLenFeature(self.dtype)}

    def transform(self, features):
        numbers = features.get(self.key)
        return numbers if self.normalizer_fn is None else self.normalizer_fn(numbers)

    def sequence(self, features, weights):
        """The numbers `[batch, steps, *shape]` and the lengths `[batch]`."""
        sparse = features.get(self)
        numbers = to_dense(sparse, self.default_value)
        present = to_dense(sparse.with_values(ones_like(sparse.values, dtypes.int32))) > 0
        lengths = _lengths(with_steps(present))
        if sparse.shape.rank == 2:
            each = self.variable_shape.num_elements()
            lengths = (lengths + each - 1) // each
        return reshape(numbers, [shape(numbers)[0], -1, *self.shape]), lengths


def column_kind(column):
    """The name of the function that makes such a column of ids."""
    return "embedding_column" if isinstance(column, EmbeddingColumn) else "indicator_column"


def sequence_of(column, features, weights):
    """What a column makes of sequences: a tensor `[batch, steps, *variable_shape]` and the lengths, int64 `[batch]`.

    Raises:
      ValueError: the column is not one of sequences.
    """
    if isinstance(column, SequenceNumericColumn):
        return column.sequence(features, weights)
    if not isinstance(column, EmbeddingColumn | IndicatorColumn):
        raise ValueError(
            f"Items of feature_columns must be a {SequenceNumericColumn}, or an embedding_column or indicator_column "
            f"of a sequence_categorical_column_with_*. Given: {column}"
        )
    ids = column.categorical_column
    if not isinstance(ids, SequenceCategoricalColumn):
        raise ValueError(
            f"In {column_kind(column)}: {column.name}. categorical_column must be of type SequenceCategoricalColumn to "
            "use SequenceFeatures. Suggested fix: Use one of sequence_categorical_column_with_*. Given (type "
            f"{type(ids)}): {ids}"
        )
    return column.dense(features, weights), _lengths(features.get(ids).present)


# --- the public functions -------------------------------------------------------------------------------------------


def sequence_categorical_column_with_identity(key, num_buckets, default_value=None):
    """As `categorical_column_with_identity`, for sequences.

    TF: `tf.feature_column.sequence_categorical_column_with_identity`; no known difference.
    """
    return SequenceCategoricalColumn(categorical_column_with_identity(key, num_buckets, default_value))


def sequence_categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    """As `categorical_column_with_hash_bucket`, for sequences.

    TF: `tf.feature_column.sequence_categorical_column_with_hash_bucket`; no known difference.
    """
    return SequenceCategoricalColumn(categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


def sequence_categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1,
                                                     num_oov_buckets=0):  # fmt: skip
    """As `categorical_column_with_vocabulary_list`, for sequences.

    TF: `tf.feature_column.sequence_categorical_column_with_vocabulary_list`; no known difference.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(key, vocabulary_list, dtype, default_value, num_oov_buckets)
    )


def sequence_categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0,
                                                     default_value=None, dtype=dtypes.string):  # fmt: skip
    """As `categorical_column_with_vocabulary_file`, for sequences.

    TF: `tf.feature_column.sequence_categorical_column_with_vocabulary_file`; no known difference.
    """
    return SequenceCategoricalColumn(categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
    ))  # fmt: skip


def sequence_numeric_column(key, shape=(1,), default_value=0.0, dtype=dtypes.float32, normalizer_fn=None):
    """Numbers at each step of a sequence.

    Args:
      key: str, the name of the feature, a SparseTensor.
      shape: int or sizes of what belongs to a step.
      default_value: number for what is missing.
      dtype: of the feature, an integer or floating dtype.
      normalizer_fn: function of the sparse tensor, or None.

    Raises:
      ValueError: the key is no str, a size is not positive, or another dtype.
      TypeError: `normalizer_fn` cannot be called.

    TF: `tf.feature_column.sequence_numeric_column`; no known difference.
    """
    sizes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int | np.integer):
            raise TypeError(f"shape dimensions must be integer. shape: {sizes}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {sizes}, key: {key}")
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    assert_key_is_string(key)
    return SequenceNumericColumn(key, sizes, default_value, dtype, normalizer_fn)

"""Columns of ids: by hash, by vocabulary, of integers, crossed, weighted."""

import collections

import numpy as np

from tfcompat import dtypes, errors
from tfcompat._core.convert import convert_to_tensor
from tfcompat.array import cast, gather_nd, ones_like, reshape, shape, where
from tfcompat.feature_column._column import CategoricalColumn, Ids, column_class, rows_of
from tfcompat.io._parse import VarLenFeature
from tfcompat.lookup._static import (
    KeyValueTensorInitializer,
    StaticHashTable,
    StaticVocabularyTable,
    TextFileIndex,
    TextFileInitializer,
)
from tfcompat.sparse import cross_hashed, to_dense
from tfcompat.sparse._tensor import SparseTensor
from tfcompat.strings import as_string, to_hash_bucket_fast


def assert_key_is_string(key):
    """Raises ValueError for the name of a feature that is no str."""
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")


def _checked_dtype(dtype, prefix):
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype == dtypes.string):
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")
    return dtype


class _OfKey(CategoricalColumn):
    """A column of one feature."""

    key: str
    dtype: dtypes.DType
    name = property(lambda self: self.key, doc="The name of the feature.")
    parents = property(lambda self: [self.key], doc="List of what the column is made of.")

    @property
    def parse_example_spec(self):
        """Dict from the name to how `tf.io.parse_example` reads it."""
        return {self.key: VarLenFeature(self.dtype)}

    def transform(self, features):
        feature = features.get(self.key)
        if feature.dtype.is_integer != self.dtype.is_integer or not (
            feature.dtype.is_integer or feature.dtype == dtypes.string
        ):
            raise ValueError(
                f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, column dtype: "
                f"{self.dtype}, tensor dtype: {feature.dtype}"
            )
        values, present = features.present(self.key, feature.dtype)
        return Ids(self._ids(values), present)

    def _ids(self, values):
        raise NotImplementedError


@column_class
class HashedCategoricalColumn(
    _OfKey, collections.namedtuple("HashedCategoricalColumn", ("key", "hash_bucket_size", "dtype"))
):
    """Ids by hash."""

    __slots__ = ()
    num_buckets = property(lambda self: self.hash_bucket_size, doc="Number of ids.")

    def _ids(self, values):
        text = values if values.dtype == dtypes.string else as_string(values)
        return to_hash_bucket_fast(text, self.hash_bucket_size)


@column_class
class IdentityCategoricalColumn(
    _OfKey, collections.namedtuple("IdentityCategoricalColumn", ("key", "number_buckets", "default_value"))
):
    """Integers as ids."""

    __slots__ = ()
    dtype = dtypes.int64
    num_buckets = property(lambda self: self.number_buckets, doc="Number of ids.")

    def _ids(self, values):
        ids = cast(values, dtypes.int64)
        if self.default_value is None:
            return ids
        fine = (ids >= 0) & (ids < self.num_buckets)
        return where(fine, ids, ones_like(ids) * self.default_value)


class _OfVocabulary(_OfKey):
    """A column whose ids are places in a vocabulary."""

    default_value: int
    num_oov_buckets: int

    def _table(self, initializer):
        if self.num_oov_buckets:
            return StaticVocabularyTable(initializer, self.num_oov_buckets, lookup_key_dtype=initializer.key_dtype)
        return StaticHashTable(initializer, self.default_value)

    def _initializer(self):
        raise NotImplementedError

    def _ids(self, values):
        table = _TABLES.get(self)
        if table is None:
            table = _TABLES[self] = self._table(self._initializer())
        return table.lookup(values if values.dtype == table.key_dtype else cast(values, table.key_dtype))


_TABLES: dict = {}  # column -> its table


@column_class
class VocabularyListCategoricalColumn(_OfVocabulary, collections.namedtuple(
    "VocabularyListCategoricalColumn", ("key", "vocabulary_list", "dtype", "default_value", "num_oov_buckets")
)):  # fmt: skip
    """Ids by a vocabulary in memory."""

    __slots__ = ()
    num_buckets = property(lambda self: len(self.vocabulary_list) + self.num_oov_buckets, doc="Number of ids.")

    def _initializer(self):
        dtype = dtypes.string if self.dtype == dtypes.string else dtypes.int64
        places = np.arange(len(self.vocabulary_list), dtype=np.int64)
        return KeyValueTensorInitializer(list(self.vocabulary_list), places, dtype, dtypes.int64)


@column_class
class VocabularyFileCategoricalColumn(_OfVocabulary, collections.namedtuple(
    "VocabularyFileCategoricalColumn",
    ("key", "vocabulary_file", "vocabulary_size", "num_oov_buckets", "dtype", "default_value", "file_format"),
)):  # fmt: skip
    """Ids by a vocabulary in a file, one word a line."""

    __slots__ = ()
    num_buckets = property(lambda self: self.vocabulary_size + self.num_oov_buckets, doc="Number of ids.")

    def _initializer(self):
        dtype = dtypes.string if self.dtype == dtypes.string else dtypes.int64
        return TextFileInitializer(
            self.vocabulary_file, dtype, TextFileIndex.WHOLE_LINE, dtypes.int64, TextFileIndex.LINE_NUMBER,
            self.vocabulary_size,
        )  # fmt: skip


@column_class
class WeightedCategoricalColumn(CategoricalColumn, collections.namedtuple(
    "WeightedCategoricalColumn", ("categorical_column", "weight_feature_key", "dtype")
)):  # fmt: skip
    """Ids with weights."""

    __slots__ = ()
    name = property(lambda self: f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}")
    parents = property(lambda self: [self.categorical_column, self.weight_feature_key])
    num_buckets = property(lambda self: self.categorical_column.num_buckets, doc="Number of ids.")

    @property
    def parse_example_spec(self):
        """Dict from names to how `tf.io.parse_example` reads them."""
        spec = self.categorical_column.parse_example_spec
        if self.weight_feature_key in spec:
            raise ValueError(
                f"Parse config {spec[self.weight_feature_key]} already exists for {self.weight_feature_key}."
            )
        return {**spec, self.weight_feature_key: VarLenFeature(self.dtype)}

    def transform(self, features):
        weights, of = features.get(self.weight_feature_key), features.get(self.categorical_column)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        if isinstance(weights, SparseTensor):
            weights = rows_of(weights).to_tensor()
        return Ids(of.ids, of.present, reshape(cast(weights, dtypes.float32), shape(of.ids)))


@column_class
class CrossedColumn(CategoricalColumn, collections.namedtuple(
    "CrossedColumn", ("keys", "hash_bucket_size", "hash_key")
)):  # fmt: skip
    """Ids by hash of combinations of features."""

    __slots__ = ()
    parents = property(lambda self: list(self.keys), doc="List of what the column is made of.")
    num_buckets = property(lambda self: self.hash_bucket_size, doc="Number of ids.")

    @property
    def name(self):
        """The names of what is crossed, sorted and joined."""
        return "_X_".join(sorted(key if isinstance(key, str) else key.name for key in self._leaves()))

    def _leaves(self):
        return [leaf for key in self.keys for leaf in (key._leaves() if isinstance(key, CrossedColumn) else [key])]

    @property
    def parse_example_spec(self):
        """Dict from names to how `tf.io.parse_example` reads them."""
        spec = {}
        for key in self.keys:
            named = {key: VarLenFeature(dtypes.string)} if isinstance(key, str) else key.parse_example_spec
            spec.update(named)
        return spec

    def transform(self, features):
        inputs = [self._crossed(features, key) for key in self._leaves()]
        crossed = cross_hashed(inputs, self.hash_bucket_size, 0xDECAFCAFFE if self.hash_key is None else self.hash_key)
        given = SparseTensor(crossed.indices, ones_like(crossed.values), crossed.dense_shape)
        return Ids(to_dense(crossed), to_dense(given) > 0)

    def _crossed(self, features, key):
        if isinstance(key, str):
            return features.get(key)
        of = features.get(key) if isinstance(key, CategoricalColumn) else key.ids(features)
        if of.weights is not None:
            raise ValueError(
                f"crossed_column does not support weight_tensor, but the given column populates weight_tensor. "
                f"Given column: {key.name}"
            )
        places = where(of.present)
        return SparseTensor(places, gather_nd(of.ids, places), cast(shape(of.ids), dtypes.int64))


# --- the public functions -------------------------------------------------------------------------------------------


def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    """Ids by hash of a feature.

    Args:
      key: str, the name of the feature.
      hash_bucket_size: number of ids.
      dtype: of the feature, text or an integer dtype.

    Raises:
      ValueError: `hash_bucket_size` is less than 1; another dtype.

    TF: `tf.feature_column.categorical_column_with_hash_bucket`; no known difference.
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    assert_key_is_string(key)
    return HashedCategoricalColumn(key, hash_bucket_size, _checked_dtype(dtype, f"column_name: {key}"))


def categorical_column_with_identity(key, num_buckets, default_value=None):
    """The integers of a feature as ids.

    Args:
      key: str, the name of the feature.
      num_buckets: ids are below it.
      default_value: in place of integers out of range; None to leave them.

    Raises:
      ValueError: `num_buckets` is less than 1; `default_value` is out of range.

    TF: `tf.feature_column.categorical_column_with_identity`; no known difference.
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    assert_key_is_string(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    """Ids by a vocabulary in memory.

    Args:
      key: str, the name of the feature.
      vocabulary_list: the words, texts or integers, in the order of their ids.
      dtype: of the feature; None for that of the words.
      default_value: the id of other words; -1 for none.
      num_oov_buckets: how many more ids for other words, by their hash.

    Raises:
      ValueError: no words, or one twice; other dtypes; both a default and more ids.

    TF: `tf.feature_column.categorical_column_with_vocabulary_list`; no known difference.
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    of_words = _checked_dtype(
        convert_to_tensor(np.array(vocabulary_list)).dtype, f"column_name: {key} vocabulary"
    )
    if num_oov_buckets:
        if default_value != -1:
            raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
        if num_oov_buckets < 0:
            raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")
    dtype = of_words if dtype is None else _checked_dtype(dtype, f"column_name: {key}")
    if dtype.is_integer != of_words.is_integer:
        raise ValueError(
            f"dtype {dtype} and vocabulary dtype {of_words} do not match, column_name: {key}"
        )
    assert_key_is_string(key)
    return VocabularyListCategoricalColumn(key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets)


def categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None, dtype=dtypes.string,
                                            default_value=None, num_oov_buckets=0, file_format=None):  # fmt: skip
    """Ids by a vocabulary in a file, one word a line.

    Args:
      key: str, the name of the feature.
      vocabulary_file: path of the file.
      vocabulary_size: number of lines to read; None for all.
      dtype: of the feature, text or an integer dtype.
      default_value: the id of other words; None or -1 for none.
      num_oov_buckets: how many more ids for other words, by their hash.
      file_format: None or "text".

    Raises:
      ValueError: no path; another format; both a default and more ids; fewer words than `vocabulary_size`.
      tf.errors.UnimplementedError: the format is "tfrecord_gzip".

    TF: `tf.feature_column.categorical_column_with_vocabulary_file`.
    """
    if not vocabulary_file:
        raise ValueError("vocabulary_file must be specified and non-empty.")
    if file_format == "tfrecord_gzip":
        raise errors.UnimplementedError(None, None, "vocabulary_file in the format tfrecord_gzip: use text")
    if file_format is not None:
        raise ValueError("file_format must be one of None, `tfrecord_gzip`.")
    with open(vocabulary_file, "rb") as file:
        lines = sum(1 for _ in file)
    if vocabulary_size is not None and vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    if num_oov_buckets:
        if default_value is not None:
            raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
        if num_oov_buckets < 0:
            raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")
    assert_key_is_string(key)
    return VocabularyFileCategoricalColumn(
        key, vocabulary_file, lines if vocabulary_size is None else vocabulary_size, num_oov_buckets or 0,
        _checked_dtype(dtype, f"column_name: {key}"), -1 if default_value is None else default_value, file_format,
    )  # fmt: skip


def crossed_column(keys, hash_bucket_size, hash_key=None):
    """Ids by hash of all combinations of features of an example.

    Args:
      keys: list of two or more names of features, or columns of ids other than those by hash.
      hash_bucket_size: number of ids.
      hash_key: number that the hash begins with; None for TF's.

    Raises:
      ValueError: less than two keys or one bucket, or a key of another kind.

    TF: `tf.feature_column.crossed_column`; no known difference.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, str | CategoricalColumn) and not hasattr(key, "ids"):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column except "
                f"HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing will "
                "increase probability of collision. Instead, use the feature name as a string. Given: "
                f"{key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


def weighted_categorical_column(categorical_column, weight_feature_key, dtype=dtypes.float32):
    """A column of ids whose values have weights.

    Args:
      categorical_column: column of ids.
      weight_feature_key: str, the name of the feature that holds the weights, of the same shape.
      dtype: of the weights, a floating or integer dtype.

    Raises:
      ValueError: another dtype.

    TF: `tf.feature_column.weighted_categorical_column`; no known difference.
    """
    if dtype is None or not (dtypes.as_dtype(dtype).is_integer or dtypes.as_dtype(dtype).is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtypes.as_dtype(dtype))

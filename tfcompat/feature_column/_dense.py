"""Columns of numbers: as they are, in buckets, and those that stand for ids."""

import collections
import itertools
import math

import numpy as np

from tfcompat import dtypes, errors
from tfcompat._core.shape import TensorShape
from tfcompat._tracing.eagerly import executing_eagerly
from tfcompat.array import cast, expand_dims, one_hot, ones_like, where, zeros_like
from tfcompat.feature_column._categorical import assert_key_is_string
from tfcompat.feature_column._column import (
    CategoricalColumn,
    ColumnOfNumbers,
    DenseColumn,
    FeatureColumn,
    Ids,
    column_class,
)
from tfcompat.io._parse import FixedLenFeature
from tfcompat.math import divide_no_nan, reduce_sum, sqrt
from tfcompat.nn import embedding_lookup
from tfcompat.random import truncated_normal
from tfcompat.sparse._tensor import SparseTensor


@column_class
class NumericColumn(ColumnOfNumbers, collections.namedtuple(
    "NumericColumn", ("key", "shape", "default_value", "dtype", "normalizer_fn")
)):  # fmt: skip
    """Numbers as they are."""

    __slots__ = ()

    @property
    def parse_example_spec(self):
        """Dict from the name to how `tf.io.parse_example` reads it."""
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def transform(self, features):
        numbers = features.get(self.key)
        if isinstance(numbers, SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. key: "
                f"{self.key}"
            )
        if self.normalizer_fn is not None:
            numbers = self.normalizer_fn(numbers)
        return cast(numbers, dtypes.float32)


@column_class
class BucketizedColumn(DenseColumn, collections.namedtuple("BucketizedColumn", ("source_column", "boundaries"))):
    """In which buckets numbers are."""

    __slots__ = ()
    name = property(lambda self: f"{self.source_column.name}_bucketized", doc="A name.")
    parents = property(lambda self: [self.source_column], doc="List of what the column is made of.")
    parse_example_spec = property(lambda self: self.source_column.parse_example_spec)
    num_buckets = property(lambda self: (len(self.boundaries) + 1) * self.source_column.shape[0], doc="Number of ids.")

    @property
    def variable_shape(self):
        """Shape of an example."""
        return TensorShape((*self.source_column.shape, len(self.boundaries) + 1))

    def _buckets(self, features):
        numbers = expand_dims(features.get(self.source_column), -1)
        return reduce_sum(cast(numbers >= np.float32(self.boundaries), dtypes.int64), -1)

    def transform(self, features):
        return one_hot(self._buckets(features), len(self.boundaries) + 1)

    def ids(self, features):
        """The buckets as ids; the numbers of an example have ranges of their own."""
        first = np.arange(self.source_column.shape[0], dtype=np.int64) * (len(self.boundaries) + 1)
        ids = self._buckets(features) + first
        return Ids(ids, ones_like(ids, dtypes.bool))


def _ids_of(column, features):
    return column.ids(features) if isinstance(column, BucketizedColumn) else features.get(column)


def _sum_of_hot(ids, count):
    """How often each id is among those of an example, or the sum of its weights."""
    hot = one_hot(where(ids.present, ids.ids, -ones_like(ids.ids)), count)
    return reduce_sum(hot if ids.weights is None else hot * expand_dims(ids.weights, -1), -2)


@column_class
class IndicatorColumn(DenseColumn, collections.namedtuple("IndicatorColumn", ("categorical_column",))):
    """How often each id is there."""

    __slots__ = ()
    name = property(lambda self: f"{self.categorical_column.name}_indicator", doc="A name.")
    parents = property(lambda self: [self.categorical_column], doc="List of what the column is made of.")
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)
    variable_shape = property(lambda self: TensorShape((1, self.categorical_column.num_buckets)))

    def transform(self, features):
        return _sum_of_hot(_ids_of(self.categorical_column, features), self.categorical_column.num_buckets)


class TruncatedNormal:
    """The initializer of embeddings."""

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype="float32"):
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, **kwargs):
        return truncated_normal(shape, self.mean, self.stddev, dtype or self.dtype, seed=self.seed)

    def get_config(self):
        """Dict of the arguments."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed, "dtype": self.dtype.name}


@column_class
class EmbeddingColumn(DenseColumn, collections.namedtuple("EmbeddingColumn", (
    "categorical_column", "dimension", "combiner", "initializer", "ckpt_to_load_from", "tensor_name_in_ckpt",
    "max_norm", "trainable", "use_safe_embedding_lookup",
))):  # fmt: skip
    """Vectors for ids, which are trained."""

    __slots__ = ()
    name = property(lambda self: f"{self.categorical_column.name}_embedding", doc="A name.")
    parents = property(lambda self: [self.categorical_column], doc="List of what the column is made of.")
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)
    variable_shape = property(lambda self: TensorShape((self.dimension,)), doc="Shape of an example.")

    def make_weights(self, layer):
        return layer.add_weight(
            name=f"{self.name}/embedding_weights", shape=(self.categorical_column.num_buckets, self.dimension),
            initializer=self.initializer, trainable=self.trainable and layer.trainable,
        )  # fmt: skip

    @classmethod
    def from_config(cls, config, others):
        def known(described):
            if isinstance(described, str):
                return others(described)
            own = described["class_name"] == TruncatedNormal.__name__ and "dtype" in described["config"]
            return TruncatedNormal(**described["config"]) if own else others(described)

        return super().from_config(config, known)

    def transform(self, features):
        return _ids_of(self.categorical_column, features)

    def dense(self, features, weights):
        of = features.get(self)
        counts = of.present & (of.ids >= 0)
        if of.weights is not None and self.combiner != "sum":
            counts = counts & (of.weights > 0)
        share = cast(counts, dtypes.float32)
        if of.weights is not None:
            share = where(counts, of.weights, zeros_like(of.weights))
        rows = embedding_lookup(weights, where(counts, of.ids, zeros_like(of.ids)), max_norm=self.max_norm)
        total = reduce_sum(rows * expand_dims(share, -1), -2)
        if self.combiner == "sum":
            return total
        divisor = reduce_sum(share if self.combiner == "mean" else share * share, -1, keepdims=True)
        return divide_no_nan(total, divisor if self.combiner == "mean" else sqrt(divisor))


# --- the public functions -------------------------------------------------------------------------------------------


def numeric_column(key, shape=(1,), default_value=None, dtype=dtypes.float32, normalizer_fn=None):
    """Numbers as they are.

    Args:
      key: str, the name of the feature.
      shape: int or sizes of an example.
      default_value: number or nest of numbers for examples without the feature; None for none.
      dtype: of the feature, an integer or floating dtype.
      normalizer_fn: function of the tensor, or None.

    Raises:
      ValueError: the key is no str, a size is not positive, or another dtype.
      TypeError: `normalizer_fn` cannot be called, or `default_value` does not fit.

    TF: `tf.feature_column.numeric_column`; no known difference.
    """
    sizes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    if not sizes:
        raise ValueError(f"shape must not be empty. key: {key}")
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
    return NumericColumn(key, sizes, _default(default_value, sizes, dtype, key), dtype, normalizer_fn)


def _default(value, sizes, dtype, key):
    if value is None:
        return None
    array = np.asarray(value)
    if array.shape not in ((), sizes):
        raise ValueError(
            f"The shape of default_value must be equal to given shape. default_value: {value}, shape: {sizes}, "
            f"key: {key}"
        )
    if array.dtype.kind not in "iuf" or array.dtype.kind == "f" and dtype.is_integer:
        raise TypeError(
            f"default_value must be compatible with dtype. default_value: {value}, dtype: {dtype}, key: {key}"
        )
    return _nested(np.broadcast_to(array.astype(dtype.np), sizes).tolist())


def _nested(value):
    return tuple(map(_nested, value)) if isinstance(value, list) else value


def bucketized_column(source_column, boundaries):
    """In which buckets numbers are.

    Args:
      source_column: a numeric column of rank 1.
      boundaries: sorted numbers between the buckets; each belongs to the one above it.

    Raises:
      ValueError: another column, or boundaries that are not sorted.

    TF: `tf.feature_column.bucketized_column`; no known difference.
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source_column}")
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, list | tuple) or any(
        a >= b for a, b in itertools.pairwise(boundaries)
    ):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))


def indicator_column(categorical_column):
    """How often each id is there.

    Args:
      categorical_column: column of ids, or a bucketized one.

    Raises:
      ValueError: another column.

    TF: `tf.feature_column.indicator_column`; no known difference.
    """
    if not isinstance(categorical_column, CategoricalColumn | BucketizedColumn):
        raise ValueError(f"Unsupported input type. Input must be a CategoricalColumn. Given: {categorical_column}")
    return IndicatorColumn(categorical_column)


def embedding_column(categorical_column, dimension, combiner="mean", initializer=None, ckpt_to_load_from=None,
                     tensor_name_in_ckpt=None, max_norm=None, trainable=True,
                     use_safe_embedding_lookup=True):  # fmt: skip
    """Vectors for ids, which are trained.

    Args:
      categorical_column: column of ids, or a bucketized one.
      dimension: size of the vectors.
      combiner: "mean", "sum" or "sqrtn": what the sum of the vectors of an example is divided by.
      initializer: function of (shape, dtype); a truncated normal distribution of deviation `1 / sqrt(dimension)` if
        None.
      ckpt_to_load_from, tensor_name_in_ckpt: must be None; load the layer's weights.
      max_norm: largest l2 norm of a vector, to which longer ones are scaled down; or None.
      trainable: whether the vectors are.
      use_safe_embedding_lookup: changes nothing: ids that are missing count nothing in any case.

    Raises:
      ValueError: `dimension` is less than 1; only one of the two of a checkpoint; the initializer cannot be called.
      tf.errors.UnimplementedError: a checkpoint is given.

    TF: `tf.feature_column.embedding_column`.
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if ckpt_to_load_from is not None:
        raise errors.UnimplementedError(
            None, None, "embedding_column with ckpt_to_load_from: read it by tf.train.load_variable and set the weights"
        )
    if initializer is not None and not callable(initializer):
        raise ValueError(
            f"initializer must be callable if specified. Embedding of column_name: {categorical_column.name}"
        )
    initializer = TruncatedNormal(0.0, 1 / math.sqrt(dimension)) if initializer is None else initializer
    return EmbeddingColumn(
        categorical_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm,
        trainable, use_safe_embedding_lookup,
    )  # fmt: skip


def shared_embeddings(categorical_columns, dimension, combiner="mean", initializer=None,
                      shared_embedding_collection_name=None, ckpt_to_load_from=None, tensor_name_in_ckpt=None,
                      max_norm=None, trainable=True, use_safe_embedding_lookup=True):  # fmt: skip
    """Refused: TensorFlow has it in graphs of TensorFlow 1 only.

    Raises:
      RuntimeError: code runs eagerly, as in TensorFlow.
      tf.errors.UnimplementedError: elsewhere.

    TF: `tf.feature_column.shared_embeddings`.
    """
    if executing_eagerly():
        raise RuntimeError("shared_embedding_columns are not supported when eager execution is enabled.")
    raise errors.UnimplementedError(None, None, "shared_embeddings in a graph: use tf.keras.layers.Embedding")


def make_parse_example_spec(feature_columns):
    """How `tf.io.parse_example` reads the features of some columns, a dict by name.

    Raises:
      ValueError: an item is no column, or two columns want a feature read differently.

    TF: `tf.feature_column.make_parse_example_spec`; no known difference.
    """
    result = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"All feature_columns must be FeatureColumn instances. Given: {column}")
        for key, value in column.parse_example_spec.items():
            if key in result and value != result[key]:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {value} and {result[key]}"
                )
        result.update(column.parse_example_spec)
    return result

"""What all columns of features have in common, and the features of one call."""

import functools
from typing import Any

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat.array import expand_dims, ones_like, reshape, shape
from tfcompat.math import not_equal
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse import to_dense
from tfcompat.sparse._tensor import SparseTensor


class FeatureColumn:
    """Base of columns. Subclasses are named tuples of what describes them."""

    _is_v2_column = True
    parents: Any
    _fields: Any

    name: Any
    parse_example_spec: Any

    def transform(self, features):
        """What the column makes of `Features`."""
        raise NotImplementedError

    def get_config(self):
        """Dict from fields to what Python's JSON can write."""
        return {key: _config_of(value) for key, value in zip(self._fields, self, strict=True)}  # pyright: ignore

    @classmethod
    def from_config(cls, config, others):
        """The column of a configuration; see `deserialized` for `others`."""
        return cls(**{key: _of_config(key, value, others) for key, value in config.items()})


class DenseColumn(FeatureColumn):
    """A column whose values are numbers. Its `transform` gives a tensor of shape `[batch, *variable_shape]`."""

    variable_shape: Any

    def make_weights(self, layer):
        """The weights that a layer needs for the column; None for none."""

    def dense(self, features, weights):
        """The values for features, a tensor."""
        return features.get(self)


class ColumnOfNumbers(DenseColumn):
    """The numbers of one feature. Its fields `key` and `shape` are the feature's name, and the shape of the numbers."""

    name = property(lambda self: self.key, doc="The name of the feature.")
    parents = property(lambda self: [self.key], doc="List of what the column is made of.")
    variable_shape = property(lambda self: TensorShape(self.shape), doc="Shape of an example, or of a step.")


class CategoricalColumn(FeatureColumn):
    """A column whose values are ids. Its `transform` gives `Ids`."""

    num_buckets: Any


class Ids:
    """Ids of a batch.

    Attributes:
      ids: int64 tensor of shape `[batch, n]`.
      present: bool tensor of this shape: where there is a feature. An id there may be -1 all the same.
      weights: floating tensor of this shape, or None.
    """

    def __init__(self, ids, present, weights=None):
        self.ids, self.present, self.weights = ids, present, weights


COLUMNS: dict = {}  # class name -> class


def column_class(cls):
    """Decorator of the class of a column, so that configurations find it."""
    COLUMNS[cls.__name__] = cls
    return cls


def serialized(column):
    """A column as a dict of its class's name and its configuration."""
    return {"class_name": type(column).__name__, "config": column.get_config()}


def deserialized(config, others):
    """The column that `serialized` described.

    Args:
      config: dict.
      others: function from the dict of an object that is no column, an initializer, to the object, and from a text
        to the function of this name, or else to the text.
    """
    return COLUMNS[config["class_name"]].from_config(config["config"], others)


def _config_of(value) -> Any:
    if isinstance(value, FeatureColumn):
        return serialized(value)
    if isinstance(value, dtypes.DType):
        return value.name
    if isinstance(value, tuple) and any(isinstance(x, FeatureColumn) for x in value):
        return tuple(map(_config_of, value))
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    return getattr(value, "__name__", value) if callable(value) else value


def _of_config(key, value, others) -> Any:
    if key == "dtype":
        return dtypes.as_dtype(value)
    if isinstance(value, list | tuple):
        return tuple(_of_config("", x, others) for x in value)
    if isinstance(value, dict) and value.get("class_name") in COLUMNS:
        return deserialized(value, others)
    return others(value) if isinstance(value, dict | str) else value


class Features:
    """The features of one call, a dict by name; what columns make of them is computed once.

    Raises:
      ValueError: a name is missing, or a feature is a scalar.
    """

    def __init__(self, features):
        self._features, self._made = features, {}

    def get(self, key) -> Any:
        """A feature, given its name, or what a column makes of the features."""
        if key not in self._made:
            self._made[key] = self._raw(key) if isinstance(key, str) else key.transform(self)
        return self._made[key]

    @functools.cached_property
    def of_sequences(self):
        """The same for columns of sequences."""
        return _OfSequences(self._features)

    def _raw(self, key):
        if key not in self._features:
            raise ValueError(f"Feature {key} is not in features dictionary.")
        feature = self._features[key]
        if isinstance(feature, SparseTensor):
            return feature
        feature = feature if isinstance(feature, Tensor) else convert_to_tensor(feature)
        if feature.shape.rank == 0:
            raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {feature}")
        return expand_dims(feature, -1) if feature.shape.rank == 1 else feature

    def present(self, key, dtype):
        """A feature as (tensor of shape `[batch, n]`, bool tensor: where there is something).

        Of a dense feature, -1 and the empty text stand for nothing.
        """
        feature, nothing = self.get(key), b"" if dtype == dtypes.string else np.array(-1, dtype.np)
        if isinstance(feature, SparseTensor):
            rows = rows_of(feature)
            return rows.to_tensor(nothing), rows.with_values(ones_like(rows.values, dtypes.int32)).to_tensor() > 0
        feature = _as_matrix(feature)
        return feature, not_equal(feature, nothing)


class _OfSequences(Features):
    """The features of a call, of which each has an axis of steps."""

    def present(self, key, dtype):
        """A feature as (tensor of shape `[batch, steps, n]`, bool tensor: where there is something)."""
        feature, nothing = self.get(key), b"" if dtype == dtypes.string else np.array(-1, dtype.np)
        if isinstance(feature, SparseTensor):
            given = to_dense(feature.with_values(ones_like(feature.values, dtypes.int32))) > 0
            feature = to_dense(feature, nothing)
        else:
            given = not_equal(feature, nothing)
        return with_steps(feature), with_steps(given)


def with_steps(tensor):
    """A tensor of shape `[batch, steps, ...]` with three axes."""
    if tensor.shape.rank == 2:
        return expand_dims(tensor, -1)
    return tensor if tensor.shape.rank == 3 else reshape(tensor, [*_sizes(tensor)[:2], -1])


def _sizes(tensor):
    sizes = shape(tensor)
    return [sizes[i] for i in range(tensor.shape.rank)]


def rows_of(feature):
    """What a sparse feature holds for each example, a RaggedTensor of rank 2; places may occur twice."""
    return RaggedTensor.from_value_rowids(feature.values, feature.indices[:, 0], feature.dense_shape[0])


def _as_matrix(tensor):
    return tensor if tensor.shape.rank == 2 else reshape(tensor, [shape(tensor)[0], -1])

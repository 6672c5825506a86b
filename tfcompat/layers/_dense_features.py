"""DenseFeatures and SequenceFeatures: columns of `tf.feature_column` as one tensor."""

import functools
import inspect
import itertools
from typing import Any

from tfcompat.array import concat, reshape
from tfcompat.array import shape as sizes_of
from tfcompat.debugging import assert_equal
from tfcompat.feature_column._column import DenseColumn, FeatureColumn, Features, deserialized, serialized
from tfcompat.feature_column._sequence import SequenceCategoricalColumn, column_kind, sequence_of
from tfcompat.layers import initializers
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.serialization import get_registered_object


def parts_for(initializer):
    """What TensorFlow 1 gives an initializer besides shape and dtype: that the variable is whole, if it asks for it."""
    asks = callable(initializer) and "partition_info" in inspect.signature(initializer).parameters
    return {"partition_info": None} if asks else {}


class _OfColumns(Layer):
    """Base of layers of columns."""

    _initializes_as_tf1 = True

    def __init__(self, feature_columns, trainable=True, name=None, **kwargs):
        kwargs.pop("partitioner", None)
        super().__init__(name=name, trainable=trainable, **kwargs)
        self._columns = in_order(feature_columns)
        self._weights_of = {}

    def build(self, _):
        """Makes the vectors of embeddings."""
        for column in self._columns:
            weights = column.make_weights(self)
            if weights is not None:
                self._weights_of[column.name] = weights
        super().build(None)

    def add_weight(self, name, shape, initializer=None, trainable=True):  # pyright: ignore
        """Weights of a column."""
        if self._initializes_as_tf1 and (parts := parts_for(initializer)):
            initializer = functools.partial(initializer, **parts)
        return super().add_weight(name=name, shape=shape, initializer=initializer, trainable=trainable)

    def _total(self):
        return sum(column.variable_shape.num_elements() for column in self._columns)

    def get_config(self):
        """Dict of the arguments."""
        columns = [serialized(column) for column in self._columns]
        return {**super().get_config(), "feature_columns": columns, "partitioner": None}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The layer of a configuration."""
        columns = columns_of(config["feature_columns"], custom_objects)
        return cls(**{**config, "feature_columns": columns})


def columns_of(configs, custom_objects=None):
    """The columns that `serialized` described. `custom_objects` is a dict of functions and classes by name."""

    def others(described):
        if isinstance(described, str):
            found = get_registered_object(described, custom_objects)
            return found if inspect.isfunction(found) else described
        return initializers.deserialize(described, custom_objects)

    return [deserialized(config, others) for config in configs]


def _features_of(features):
    if not isinstance(features, dict):
        raise ValueError(f"We expected a dictionary here. Instead we got: {features}")
    return Features(features)


class DenseFeatures(_OfColumns):
    """The values of columns, side by side, in the order of their names.

    Args:
      feature_columns: column of numbers, or a list of these.
      trainable, name, **kwargs: of `Layer`.

    Inputs: dict from names to features: tensors of shape `[batch, ...]`, sparse or ragged ones.
    Output: float32 `[batch, size of all columns]`.

    Raises:
      ValueError: no columns, one twice, or a column of ids; a feature is missing or a scalar.

    TF: `tf.keras.layers.DenseFeatures`; no known difference.
    """

    _initializes_as_tf1 = False

    def call(self, features, cols_to_output_tensors=None, training=None):
        """The values for features; those of each column are put into the dict `cols_to_output_tensors`, if given."""
        made, results = _features_of(features), []
        for column in self._columns:
            if isinstance(getattr(column, "categorical_column", None), SequenceCategoricalColumn):
                ids = column.categorical_column
                raise ValueError(
                    f"In {column_kind(column)}: {column.name}. categorical_column must not be of type "
                    "SequenceCategoricalColumn. Suggested fix A: If you wish to use DenseFeatures, use a non-sequence "
                    "categorical_column_with_*. Suggested fix B: If you wish to create sequence input, use "
                    f"SequenceFeatures instead of DenseFeatures. Given (type {type(ids)}): {ids}"
                )
            dense = column.dense(made, self._weights_of.get(column.name))
            dense = reshape(dense, [sizes_of(dense)[0], column.variable_shape.num_elements()])
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = dense
            results.append(dense)
        return concat(results, -1)

    def compute_output_shape(self, input_shape):
        """`[batch, size of all columns]`."""
        shape = next(iter(input_shape.values())) if isinstance(input_shape, dict) else input_shape
        return (shape[0], self._total())


class SequenceFeatures(_OfColumns):
    """The values of columns of sequences, side by side, in the order of their names.

    Args:
      feature_columns: column, or a list of these: `sequence_numeric_column`, or an embedding or indicator column of a
        `sequence_categorical_column_with_*`.
      trainable, name, **kwargs: of `Layer`.

    Inputs: dict from names to features: sparse tensors of shape `[batch, steps]` or `[batch, steps, n]`, or dense ones.
    Output: float32 `[batch, steps, size of all columns]`, and the lengths, int64 `[batch]`.

    Raises:
      ValueError: no columns, one twice, or one that is not of sequences; a feature is missing.
      tf.errors.InvalidArgumentError: columns differ in the lengths of sequences.

    TF: `tf.keras.experimental.SequenceFeatures`; no known difference.
    """

    def call(self, features, training=None):
        """The values for features, and the lengths of the sequences."""
        made, results, lengths = _features_of(features), [], []
        for column in self._columns:
            dense, length = sequence_of(column, made, self._weights_of.get(column.name))
            sizes = sizes_of(dense)
            results.append(reshape(dense, [sizes[0], sizes[1], column.variable_shape.num_elements()]))
            lengths.append(length)
        for other in lengths[1:]:
            assert_equal(lengths[0], other)
        return concat(results, -1), lengths[0]

    def compute_output_shape(self, input_shape):
        """`[batch, steps, size of all columns]`."""
        shape = next(iter(input_shape.values())) if isinstance(input_shape, dict) else input_shape
        return (shape[0], shape[1], self._total())


def in_order(columns, kinds: Any = DenseColumn):
    """Columns by their names, a list; ValueError if there are none, one is there twice, or is none of `kinds`."""
    if isinstance(columns, FeatureColumn):
        columns = [columns]
    columns = list(columns)
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"Items of feature_columns must be a FeatureColumn. Given (type {type(column)}): {column}."
            )
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    columns.sort(key=lambda column: column.name)
    for one, other in itertools.pairwise(columns):
        if one.name == other.name:
            raise ValueError(
                f"Duplicate feature column name found for columns: {one} and {other}. This usually means that these "
                "columns refer to same base feature. Either one must be discarded or a duplicated but renamed item "
                "must be inserted in features dict."
            )
    for column in columns:
        if not isinstance(column, kinds):
            raise ValueError(
                f"Items of feature_columns must be a {DenseColumn}. You can wrap a categorical column with an "
                f"embedding_column or indicator_column. Given: {column}"
            )
    return columns

"""`tf.io.parse_sequence_example` and its relative: features of serialized `tf.train.SequenceExample`s as tensors."""

import math

import numpy as np

from tfcompat import dtypes
from tfcompat._core import trial
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat._core.shape import TensorShape
from tfcompat._core.stacks import RaggedRows, SparseRows
from tfcompat._core.steps import sizes_of, step
from tfcompat._formats.protobuf import Message
from tfcompat.errors import InvalidArgumentError
from tfcompat.io._files import text_scalar
from tfcompat.io._parse import (
    MALFORMED,
    FixedLenSequenceFeature,
    SerializedFeatures,
    VarLenFeature,
    checked_features,
    in_order,
    parsed,
    places_in_rows,
    ragged_of_feature,
    spec_of_feature,
    stack_of,
    unknown_sparse,
    values_of,
    without_batch,
)
from tfcompat.io._ragged_feature import RaggedFeature, partitioned
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse import SparseTensor
from tfcompat.strings._elementwise import ADVICE


class _FeatureList(Message):
    NAME = "tensorflow.FeatureList"
    FIELDS = ((1, "feature", ["bytes"]),)


class _FeatureLists(Message):
    NAME = "tensorflow.FeatureLists"
    FIELDS = ((1, "feature_list", {"string": _FeatureList}),)


class _SequenceExample(Message):
    NAME = "tensorflow.SequenceExample"
    FIELDS = ((1, "context", SerializedFeatures), (2, "feature_lists", _FeatureLists))


class _Lists:
    """The lists of one name in many examples.

    Attributes:
      values: of all features in all lists.
      counts: int array [examples]: how many features each list has.
      lengths: int array [features]: how many values each feature has.
    """

    def __init__(self, lists, key, feature):
        is_dense = isinstance(feature, FixedLenSequenceFeature)
        name, each = getattr(feature, "value_key", None) or key, math.prod(feature.shape if is_dense else ())
        parts, counts = [], []
        for one in lists:
            if is_dense and not feature.allow_missing and name not in one:
                raise InvalidArgumentError(
                    None, None, f"Name: <unknown>, Feature list '{name}' is required but could not be found.  Did you "
                    "mean to include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
                )  # fmt: skip
            row = [_values(part, name, feature.dtype, i) for i, part in enumerate(one.get(name, ()))]
            for i, part in enumerate(row) if is_dense else ():
                if len(part) != each:
                    raise InvalidArgumentError(
                        None, None, f"Name: <unknown>, Key: {name}, Index: {i}.  Number of values != expected.  values "
                        f"size: {len(part)} but output shape: [{','.join(map(str, feature.shape))}]"
                    )  # fmt: skip
            if trial.current().resizes:  # a trial run: one more of all that may have another size
                row = [*row, np.zeros(each if is_dense else max(map(len, row), default=0) + 1, feature.dtype.np)]
            parts += row
            counts.append(len(row))
        self.values = np.concatenate([*parts, np.empty(0, feature.dtype.np)])
        self.counts, self.lengths = np.array(counts, np.int64), np.array([*map(len, parts)], np.int64)
        self.shape = list(feature.shape) if is_dense else []

    def _of_examples(self, numbers):
        """Sums of numbers of features, for each example."""
        sums = np.concatenate([[0], np.cumsum(numbers)])
        ends = np.cumsum(self.counts)
        return sums[ends] - sums[ends - self.counts]

    def dense(self):
        """The values of all examples, filled up with zeros to the longest list."""
        most = int(self.counts.max(initial=0))
        result = np.zeros((len(self.counts), most, *self.shape), self.values.dtype)
        if result.dtype.hasobject:
            result[:] = b""
        numbers = np.repeat(np.arange(len(self.counts)), self.counts)
        result[numbers, places_in_rows(self.counts)] = self.values.reshape(-1, *self.shape)
        return result

    def rows(self):
        """The values of each example."""
        return RaggedRows(self.values.reshape(-1, *self.shape), self.counts)

    def sparse_rows(self):
        """A sparse matrix of each example."""
        numbers = np.repeat(np.arange(len(self.lengths)), self.lengths)
        places = np.stack([places_in_rows(self.counts)[numbers], places_in_rows(self.lengths)], 1)
        widest = np.zeros(len(self.counts), np.int64)
        np.maximum.at(widest, np.repeat(np.arange(len(self.counts)), self.counts), self.lengths)
        return SparseRows(places, self.values, self._of_examples(self.lengths), np.stack([self.counts, widest], 1))

    def sparse(self):
        """A sparse tensor of all examples."""
        rows = self.sparse_rows()
        numbers = np.repeat(np.arange(len(self.counts)), rows.lengths)
        places = np.concatenate([numbers[:, None], rows.places], 1)
        return SparseTensor(
            places, host_constant(self.values), [len(self.counts), *rows.sizes.max(0, initial=0).tolist()]
        )

    def ragged(self, splits_dtype):
        """A ragged tensor of all examples."""
        splits = [np.concatenate([[0], np.cumsum(n)]).astype(splits_dtype.np) for n in (self.counts, self.lengths)]
        inner = RaggedTensor._of(host_constant(self.values), splits[1], splits_dtype)
        return RaggedTensor._of(inner, splits[0], splits_dtype)


def _ragged(lists, key, feature):
    """The ragged tensor of a RaggedFeature in the lists of all examples."""
    if not feature.partitions:
        return _Lists(lists, key, feature).ragged(feature.row_splits_dtype)
    name = feature.value_key or key
    counts = [len(one.get(name, ())) for one in lists]
    if trial.current().resizes:  # a trial run: one more feature in each list
        counts = [count + 1 for count in counts]

    def read(name, dtype=dtypes.int64):
        rows = []
        for one, count in zip(lists, counts, strict=True):
            row = [_values(part, name, dtype, i) for i, part in enumerate(one.get(name, ()))]
            rows += [*row, *([np.empty(0, dtype.np)] * count)][:count]
        return rows

    value = partitioned(read(name, feature.dtype), key, feature, read)
    return RaggedTensor._of(value, np.concatenate([[0], np.cumsum(counts)]), feature.row_splits_dtype)


def _values(part, key, dtype, index):
    try:
        values = values_of(part, key, dtype, index)
    except InvalidArgumentError:
        expected = {dtypes.float32: "float"}.get(dtype, dtype.name)
        where = f"Name: <unknown>, Feature list: {key}, Index: {index}."
        raise InvalidArgumentError(None, None, f"{where}  Data types don't match. Expected type: {expected}") from None
    return np.empty(0, dtype.np) if values is None else values


def _checked(context_features, sequence_features):
    """The features with dtypes; ValueError as TF raises it."""
    if not context_features and not sequence_features:
        raise ValueError("Both context_features and sequence_features are None, but at least one should have values.")
    sequences = {}
    for key in in_order(sequence_features or {}):
        feature = sequence_features[key]
        if not isinstance(feature, FixedLenSequenceFeature | VarLenFeature | RaggedFeature):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key {key!r}")
        if getattr(feature, "default_value", None) is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
        feature = feature._replace(dtype=dtypes.as_dtype(feature.dtype))
        if isinstance(feature, FixedLenSequenceFeature):
            feature = feature._replace(shape=TensorShape(feature.shape).as_list())
        sequences[key] = feature
    return checked_features(context_features) if context_features else {}, sequences


def _read(serialized):
    """The contexts and the feature lists of serialized examples."""
    contexts, lists = [], []
    for data in serialized:
        try:
            message = _SequenceExample.FromString(data)
        except MALFORMED:
            raise InvalidArgumentError(None, None, f"Could not parse example input, value: '{data!r}'") from None
        contexts.append(message.context.feature)
        lists.append({key: one.feature for key, one in message.feature_lists.feature_list.items()})
    return contexts, lists


def parse_sequences(serialized, context_features, sequence_features, single):
    """Context features, sequence features and lengths of dense sequences, for a list of serialized examples."""
    features, of_lists = _checked(context_features, sequence_features)
    contexts, lists = _read(serialized)
    context = parsed(contexts, features)
    if single:
        context = {key: without_batch(value, features[key]) for key, value in context.items()}
    sequences, lengths = {}, {}
    for key, feature in of_lists.items():
        if isinstance(feature, RaggedFeature):
            value = _ragged(lists, key, feature)
            sequences[key] = value.values if single else value
            continue
        read = _Lists(lists, key, feature)
        if isinstance(feature, FixedLenSequenceFeature):
            sequences[key] = host_constant(read.dense()[0] if single else read.dense())
            lengths[key] = host_constant(read.counts)
        else:
            value = read.sparse_rows() if single else None
            sequences[key] = read.sparse() if value is None else SparseTensor(
                value.places, host_constant(value.values), value.sizes[0]
            )  # fmt: skip
    return context, sequences, lengths


def _specs(new, serialized, context_features=None, sequence_features=None, *args, **kwargs):
    """What `parse_sequence_example` makes of examples, while a function is traced."""
    features, of_lists = _checked(context_features, sequence_features)
    sizes = sizes_of(serialized)
    context = {key: spec_of_feature(new, feature, sizes) for key, feature in features.items()}
    sequences = {key: _spec(new, feature, sizes) for key, feature in of_lists.items()}
    if not sizes:
        return context, sequences
    dense = [key for key, feature in of_lists.items() if isinstance(feature, FixedLenSequenceFeature)]
    return context, sequences, {key: new(sizes, dtypes.int64) for key in dense}


def _spec(new, feature, sizes):
    if isinstance(feature, FixedLenSequenceFeature):
        return new([*sizes, None, *feature.shape], feature.dtype)
    if isinstance(feature, VarLenFeature):
        return unknown_sparse(new, feature.dtype, len(sizes) + 2)
    return ragged_of_feature(new, feature, [*sizes, None])


def _of_stack(serialized, context_features=None, sequence_features=None, *args, **kwargs):
    """The features of single examples, stacked."""
    features, of_lists = _checked(context_features, sequence_features)
    contexts, lists = _read(known_values(serialized, ADVICE).tolist())
    context = {key: stack_of(contexts, key, feature) for key, feature in features.items()}
    sequences = {}
    for key, feature in of_lists.items():
        if isinstance(feature, RaggedFeature):
            sequences[key] = _ragged(lists, key, feature)
            continue
        read = _Lists(lists, key, feature)
        sequences[key] = read.rows() if isinstance(feature, FixedLenSequenceFeature) else read.sparse_rows()
    return context, sequences


@step("ParseSequenceExampleV2", _specs)
def parse_sequence_example(serialized, context_features=None, sequence_features=None, example_names=None, name=None):
    """Features of serialized sequence examples, as batches.

    Args:
      serialized: text vector.
      context_features: dict as of `parse_example`.
      sequence_features: dict from names to `FixedLenSequenceFeature`, `VarLenFeature`, `RaggedFeature`.
      example_names, name: ignored.

    Returns:
      Two dicts, of context and sequence features, and one of the lengths of the dense sequences.

    Raises:
      As `parse_example`.

    TF: `tf.io.parse_sequence_example`.
    """
    array = known_values(convert_to_tensor(serialized, dtypes.string), ADVICE)
    return parse_sequences(array.tolist(), context_features, sequence_features, single=False)


@step("ParseSequenceExampleV2", _specs, of_stack=_of_stack)
def parse_single_sequence_example(serialized, context_features=None, sequence_features=None, example_name=None,
                                  name=None):  # fmt: skip
    """Features of one serialized sequence example.

    Args:
      serialized: text scalar.
      The others: as of `parse_sequence_example`.

    Returns:
      Two dicts, of context and of sequence features.

    Raises:
      As `parse_example`.

    TF: `tf.io.parse_single_sequence_example`.
    """
    data = text_scalar(serialized, "serialized")
    context, sequences, _ = parse_sequences([data], context_features, sequence_features, single=True)
    return context, sequences

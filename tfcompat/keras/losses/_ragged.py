"""Losses of ragged tensors: those of the rows."""

from typing import Any

from tfcompat._core.composite import handles
from tfcompat.array import cast, expand_dims, reshape, squeeze
from tfcompat.debugging import assert_equal
from tfcompat.math import reduce_mean
from tfcompat.ragged._tensor import RaggedTensor

_MEANS = (
    "mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error", "mean_squared_logarithmic_error",
    "binary_crossentropy", "binary_focal_crossentropy",
)  # fmt: skip
_OVER_CLASSES = "categorical_crossentropy", "categorical_focal_crossentropy"
_OF_CLASSES = "sparse_categorical_crossentropy"


@handles(*(f"tf.keras.losses.{name}" for name in _MEANS))
def _mean_over_the_last_axis(function, args, kwargs):
    y_true, y_pred, *more = args
    if not _are_ragged(y_true, y_pred):
        return NotImplemented
    if y_pred.shape.rank == y_true.shape.rank + 1 and y_pred.shape[-1] == 1:
        y_pred = y_pred.with_flat_values(squeeze(y_pred.flat_values, -1))
    _assert_same_rows(y_true, y_pred)
    true, predicted = y_true.flat_values, y_pred.flat_values
    if predicted.shape.rank > 1:
        return y_pred.with_flat_values(function(true, predicted, *more, **kwargs))
    losses = function(expand_dims(true, -1), expand_dims(predicted, -1), *more, **kwargs)
    return reduce_mean(y_pred.with_flat_values(losses), axis=-1)


@handles(*(f"tf.keras.losses.{name}" for name in _OVER_CLASSES))
def _over_classes(function, args, kwargs):
    y_true, y_pred, *more = args
    if not _are_ragged(y_true, y_pred):
        return NotImplemented
    y_true, y_pred = _with_uniform_classes(y_true), _with_uniform_classes(y_pred)
    _assert_same_rows(y_true, y_pred)
    return y_pred.with_flat_values(function(y_true.flat_values, y_pred.flat_values, *more, **kwargs))


@handles(f"tf.keras.losses.{_OF_CLASSES}")
def _of_classes(function, args, kwargs):
    y_true, y_pred, *more = args
    if not _are_ragged(y_true, y_pred):
        return NotImplemented
    y_pred = _with_uniform_classes(y_pred)
    true = y_true.flat_values
    if y_true.shape.rank == y_pred.shape.rank and y_true.ragged_rank > y_pred.ragged_rank:  # a last axis of size 1
        true = _with_uniform_classes(y_true).flat_values
    losses = function(true, y_pred.flat_values, *more, **kwargs)
    return y_pred.with_flat_values(losses)


def _are_ragged(*tensors):
    return all(isinstance(x, RaggedTensor) for x in tensors)


def _assert_same_rows(one, other):
    for first, second in zip(one.nested_row_splits, other.nested_row_splits, strict=False):
        assert_equal(cast(first, "int64"), cast(second, "int64"), "The targets and the predictions have other rows")


def _with_uniform_classes(tensor) -> Any:
    """A ragged tensor whose last axis is not ragged; its rows must have one length."""
    if tensor.flat_values.shape.rank > 1 or tensor.ragged_rank < 2:
        return tensor
    classes = tensor.bounding_shape(axis=tensor.ragged_rank)
    values = reshape(tensor.flat_values, [-1, classes])
    return RaggedTensor.from_nested_row_splits(values, tensor.nested_row_splits[:-1], validate=False)

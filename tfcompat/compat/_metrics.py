"""`tf.compat.v1.metrics`: numbers that grow from run to run, in local variables of a graph.

Each function returns two tensors: the metric, and an update that adds a batch and gives the metric with it. Arguments
are TensorFlow's: `weights` broadcast to the values; the two tensors are added to the collections that are named.
"""

import functools as _functools
import inspect as _inspect

import tfcompat as _tf
from tfcompat._core import graphs as _graphs
from tfcompat.compat._graph_functions import GraphKeys as _Keys
from tfcompat.compat._graph_functions import VariableV1Meta as _VariableV1Meta
from tfcompat.compat._graph_functions import name_scope as _name_scope

_COLLECTIONS = (_Keys.LOCAL_VARIABLES, _Keys.METRIC_VARIABLES)


def _variable(shape, name, dtype=None):
    zeros = _tf.zeros(shape, _tf.float32 if dtype is None else dtype)
    return _VariableV1Meta.__call__(_tf.compat.v1.Variable, zeros, False, _COLLECTIONS, name=name)


_COMMON = [
    _inspect.Parameter(name, _inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
    for name in ("metrics_collections", "updates_collections", "name")
]


def _metric(function, scope=None):
    """Decorator of a function of a metric that returns (metric, update). Adds the arguments that all have.

    Args:
      function: of the arguments that are its own.
      scope: name of the scope of its variables; by default that of the function.
    """
    signature = _inspect.signature(function)
    signature = signature.replace(parameters=[*signature.parameters.values(), *_COMMON])

    @_functools.wraps(function)
    def call(*args, **kwargs):
        graph = _graphs.current()
        if graph is None:
            raise RuntimeError(
                f"tf.metrics.{function.__name__} is not supported when eager execution is enabled: use tf.keras.metrics"
            )
        arguments = signature.bind(*args, **kwargs).arguments
        of_metric, of_update, name = (arguments.pop(parameter.name, None) for parameter in _COMMON)
        with _name_scope(name, scope or function.__name__):
            value, update = function(**arguments)
        for collections, tensor in ((of_metric, value), (of_update, update)):
            if collections:
                graph.add_to_collections(collections, tensor)
        return value, update

    call.__signature__ = signature  # pyright: ignore
    return call


def _weighted(values, weights):
    """Values times weights, and the weights in the shape of the values."""
    values = _tf.cast(values, _tf.float32)
    if weights is None:
        return values, _tf.ones_like(values)
    weights = _tf.cast(weights, _tf.float32)
    if weights.shape.rank not in (None, 0) and weights.shape.rank + 1 == values.shape.rank:
        weights = _tf.expand_dims(weights, -1)
    weights = weights * _tf.ones_like(values)
    return values * weights, weights


def _of_same_rank(labels, predictions):
    """Both, without the last axis where the other has none."""
    labels, predictions = _tf.convert_to_tensor(labels), _tf.convert_to_tensor(predictions)
    if None not in (labels.shape.rank, predictions.shape.rank):
        difference = predictions.shape.rank - labels.shape.rank
        if difference == 1 and predictions.shape[-1] == 1:
            predictions = _tf.squeeze(predictions, [-1])
        elif difference == -1 and labels.shape[-1] == 1:
            labels = _tf.squeeze(labels, [-1])
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


def _ratio(values, weights, finish=lambda x: x):
    """(ratio of two sums, update): of weighted values, and of their weights."""
    total, count = _variable([], "total"), _variable([], "count")
    values, weights = _weighted(values, weights)
    new_total, new_count = total.assign_add(_tf.reduce_sum(values)), count.assign_add(_tf.reduce_sum(weights))
    return tuple([
        finish(_tf.math.divide_no_nan(_tf.convert_to_tensor(a), _tf.convert_to_tensor(b)))
        for a, b in ((total, count), (new_total, new_count))
    ])  # fmt: skip


@_metric
def mean(values, weights=None):
    """The weighted mean of all values. TF: `tf.compat.v1.metrics.mean`."""
    return _ratio(values, weights)


@_metric
def accuracy(labels, predictions, weights=None):
    """How often predictions equal labels. TF: `tf.compat.v1.metrics.accuracy`."""
    labels, predictions = _of_same_rank(labels, predictions)
    return _ratio(_tf.equal(_tf.cast(predictions, labels.dtype), labels), weights)


@_functools.partial(_metric, scope="percentage_below_threshold")
def percentage_below(values, threshold, weights=None):
    """The share of values below a threshold. TF: `tf.compat.v1.metrics.percentage_below`."""
    return _ratio(_tf.less(values, threshold), weights)


def _of_differences(labels, predictions):
    predictions = _tf.cast(predictions, _tf.float32)
    return predictions, _tf.cast(labels, _tf.float32)


@_metric
def mean_squared_error(labels, predictions, weights=None):
    """The mean of squared differences. TF: `tf.compat.v1.metrics.mean_squared_error`."""
    return _ratio(_tf.math.squared_difference(*_of_differences(labels, predictions)), weights)


@_metric
def root_mean_squared_error(labels, predictions, weights=None):
    """The root of the mean of squared differences. TF: `tf.compat.v1.metrics.root_mean_squared_error`."""
    return _ratio(_tf.math.squared_difference(*_of_differences(labels, predictions)), weights, _tf.sqrt)


@_metric
def mean_absolute_error(labels, predictions, weights=None):
    """The mean of absolute differences. TF: `tf.compat.v1.metrics.mean_absolute_error`."""
    predictions, labels = _of_differences(labels, predictions)
    return _ratio(_tf.abs(predictions - labels), weights)


@_metric
def mean_relative_error(labels, predictions, normalizer, weights=None):
    """The mean of absolute differences by `normalizer`; 0 where that is 0.

    TF: `tf.compat.v1.metrics.mean_relative_error`.
    """
    predictions, labels = _of_differences(labels, predictions)
    return _ratio(_tf.math.divide_no_nan(_tf.abs(labels - predictions), _tf.cast(normalizer, _tf.float32)), weights)


@_metric
def mean_tensor(values, weights=None):
    """The weighted mean of each element. TF: `tf.compat.v1.metrics.mean_tensor`."""
    values, weights = _weighted(values, weights)
    total, count = _variable(values.shape, "total_tensor"), _variable(values.shape, "count_tensor")
    new_total, new_count = total.assign_add(values), count.assign_add(weights)
    return total / _tf.maximum(count, 1e-12), _tf.math.divide_no_nan(
        _tf.convert_to_tensor(new_total), _tf.convert_to_tensor(new_count)
    )


def _counted(labels, predictions, weights, of_labels, of_predictions, name="count"):
    """(count, update): the weights where labels and predictions are as said."""
    labels, predictions = _of_same_rank(_tf.cast(labels, _tf.bool), _tf.cast(predictions, _tf.bool))
    chosen = _tf.logical_and(_tf.equal(labels, of_labels), _tf.equal(predictions, of_predictions))
    values, _ = _weighted(chosen, weights)
    count = _variable([], name)
    update = count.assign_add(_tf.reduce_sum(values))
    return _tf.identity(count), _tf.convert_to_tensor(update)


@_metric
def true_positives(labels, predictions, weights=None):
    """How many labels and predictions are both true. TF: `tf.compat.v1.metrics.true_positives`."""
    return _counted(labels, predictions, weights, True, True)


@_metric
def true_negatives(labels, predictions, weights=None):
    """How many labels and predictions are both false. TF: `tf.compat.v1.metrics.true_negatives`."""
    return _counted(labels, predictions, weights, False, False)


@_metric
def false_positives(labels, predictions, weights=None):
    """How many predictions are true though labels are not. TF: `tf.compat.v1.metrics.false_positives`."""
    return _counted(labels, predictions, weights, False, True)


@_metric
def false_negatives(labels, predictions, weights=None):
    """How many labels are true though predictions are not. TF: `tf.compat.v1.metrics.false_negatives`."""
    return _counted(labels, predictions, weights, True, False)


def _share(right, wrong):
    return tuple([_tf.math.divide_no_nan(a, a + b) for a, b in zip(right, wrong, strict=True)])


@_metric
def precision(labels, predictions, weights=None):
    """The share of true predictions whose labels are true. TF: `tf.compat.v1.metrics.precision`."""
    right = _counted(labels, predictions, weights, True, True, "true_positives/count")
    return _share(right, _counted(labels, predictions, weights, False, True, "false_positives/count"))


@_metric
def recall(labels, predictions, weights=None):
    """The share of true labels whose predictions are true. TF: `tf.compat.v1.metrics.recall`."""
    right = _counted(labels, predictions, weights, True, True, "true_positives/count")
    return _share(right, _counted(labels, predictions, weights, True, False, "false_negatives/count"))


@_metric
def mean_iou(labels, predictions, num_classes, weights=None):
    """The mean, over the classes seen, of intersection by union. The update gives the confusion matrix.

    TF: `tf.compat.v1.metrics.mean_iou`.
    """
    labels, predictions = (_tf.reshape(_tf.cast(x, _tf.int64), [-1]) for x in (labels, predictions))
    if weights is not None:
        weights = _tf.reshape(_tf.cast(weights, _tf.float64), [-1])
    matrix = _variable([num_classes, num_classes], "total_confusion_matrix", _tf.float64)
    update = matrix.assign_add(_tf.math.confusion_matrix(labels, predictions, num_classes, weights, _tf.float64))
    sums = _tf.cast(_tf.reduce_sum(matrix, 0) + _tf.reduce_sum(matrix, 1), _tf.float32)
    both = _tf.cast(_tf.linalg.diag_part(matrix), _tf.float32)
    union = sums - both
    seen = _tf.reduce_sum(_tf.cast(_tf.not_equal(union, 0.0), _tf.float32))
    value = _tf.math.divide_no_nan(_tf.reduce_sum(_tf.math.divide_no_nan(both, union)), seen)
    return value, _tf.convert_to_tensor(update)


@_functools.partial(_metric, scope="mean_accuracy")
def mean_per_class_accuracy(labels, predictions, num_classes, weights=None):
    """The mean of the accuracies of the classes. The update gives these. TF: as there."""
    labels, predictions = (_tf.reshape(_tf.cast(x, _tf.int64), [-1]) for x in (labels, predictions))
    right, ones = _tf.equal(labels, predictions), _tf.ones_like(labels)
    if weights is not None:
        weights = _tf.reshape(_tf.cast(weights, _tf.float32), [-1])
    total, count = _variable([num_classes], "total"), _variable([num_classes], "count")
    sums = [_tf.math.unsorted_segment_sum(_weighted(x, weights)[0], labels, num_classes) for x in (ones, right)]
    new_total, new_count = total.assign_add(sums[0]), count.assign_add(sums[1])
    value = _tf.reduce_mean(_tf.math.divide_no_nan(_tf.convert_to_tensor(count), _tf.convert_to_tensor(total)))
    return value, _tf.math.divide_no_nan(_tf.convert_to_tensor(new_count), _tf.convert_to_tensor(new_total))

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


def _metric(function, scope=None, order=None):
    """Decorator of a function of a metric that returns (metric, update). Adds the arguments that all have.

    Args:
      function: of the arguments that are its own.
      scope: name of the scope of its variables, or a function of its own arguments to that; by default the function's.
      order: names of all arguments, where those that all have are not the last.
    """
    signature = _inspect.signature(function)
    parameters = {p.name: p for p in (*signature.parameters.values(), *_COMMON)}
    signature = signature.replace(parameters=[parameters[name] for name in order or parameters])

    @_functools.wraps(function)
    def call(*args, **kwargs):
        graph = _graphs.current()
        if graph is None:
            raise RuntimeError(
                f"tf.metrics.{function.__name__} is not supported when eager execution is enabled: use tf.keras.metrics"
            )
        arguments = signature.bind(*args, **kwargs).arguments
        of_metric, of_update, name = (arguments.pop(parameter.name, None) for parameter in _COMMON)
        own = scope(**arguments) if callable(scope) else scope or function.__name__
        with _name_scope(name, own):
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


# Metrics at thresholds ------------------------------------------------------------------------------------------

_AT_MOST_APART = 1e-7  # what is added to denominators, and how far the outermost thresholds are from 0 and 1
_KINDS = {
    "true_positives": (True, True), "false_negatives": (True, False),
    "true_negatives": (False, False), "false_positives": (False, True),
}  # fmt: skip


def _at_thresholds(labels, predictions, thresholds, weights, kinds):
    """(counts, updated counts) of each kind: vectors with the weight of predictions above, or not, each threshold."""
    labels, predictions = _of_same_rank(_tf.cast(labels, _tf.bool), _tf.convert_to_tensor(predictions))
    message = "predictions must be in [0, 1]"
    with _tf.control_dependencies([
        _tf.compat.v1.assert_greater_equal(predictions, _tf.cast(0.0, predictions.dtype), message=message),
        _tf.compat.v1.assert_less_equal(predictions, _tf.cast(1.0, predictions.dtype), message=message),
    ]):  # fmt: skip
        predictions = _tf.cast(_tf.identity(predictions), _tf.float32)
    _, weights = _weighted(predictions, weights)
    labels, predictions, weights = (_tf.reshape(x, [1, -1]) for x in (labels, predictions, weights))
    above = _tf.greater(predictions, _tf.reshape(_tf.constant(thresholds, _tf.float32), [-1, 1]))
    counts, updated = [], []
    for kind in kinds:
        is_true, is_above = _KINDS[kind]
        chosen = _tf.logical_and(_tf.equal(labels, is_true), _tf.equal(above, is_above))
        count = _variable([len(thresholds)], kind)
        update = count.assign_add(_tf.reduce_sum(_tf.cast(chosen, _tf.float32) * weights, 1))
        counts.append(_tf.identity(count))
        updated.append(_tf.convert_to_tensor(update))
    return counts, updated


def _counts_at_thresholds(kind):
    def counted(labels, predictions, thresholds, weights=None):
        (count,), (updated,) = _at_thresholds(labels, predictions, thresholds, weights, [kind])
        return count, updated

    counted.__name__ = counted.__qualname__ = f"{kind}_at_thresholds"
    counted.__doc__ = f"""The weight of {kind.replace("_", " ")} at each threshold.

    TF: `tf.compat.v1.metrics.{kind}_at_thresholds`.
    """
    return _metric(counted, scope=kind)


true_positives_at_thresholds = _counts_at_thresholds("true_positives")
true_negatives_at_thresholds = _counts_at_thresholds("true_negatives")
false_positives_at_thresholds = _counts_at_thresholds("false_positives")
false_negatives_at_thresholds = _counts_at_thresholds("false_negatives")


def _share_at_thresholds(labels, predictions, thresholds, weights, others):
    """The share of true positives in them and the counts of the kind `others`."""
    both = _at_thresholds(labels, predictions, thresholds, weights, ["true_positives", others])
    return tuple([right / (_AT_MOST_APART + right + wrong) for right, wrong in both])


@_metric
def precision_at_thresholds(labels, predictions, thresholds, weights=None):
    """The precision at each threshold. TF: `tf.compat.v1.metrics.precision_at_thresholds`."""
    return _share_at_thresholds(labels, predictions, thresholds, weights, "false_positives")


@_metric
def recall_at_thresholds(labels, predictions, thresholds, weights=None):
    """The recall at each threshold. TF: `tf.compat.v1.metrics.recall_at_thresholds`."""
    return _share_at_thresholds(labels, predictions, thresholds, weights, "false_negatives")


@_functools.partial(_metric, order=(
    "labels", "predictions", "weights", "num_thresholds", "metrics_collections", "updates_collections", "curve", "name",
    "summation_method", "thresholds",
))  # fmt: skip
def auc(labels, predictions, weights=None, num_thresholds=200, curve="ROC", summation_method="trapezoidal",
        thresholds=None):  # fmt: skip
    """The area under the curve of recall by false positive rate, or of precision by recall.

    Args:
      curve: "ROC" or "PR".
      summation_method: "trapezoidal", "careful_interpolation", "minoring" or "majoring".
      thresholds: numbers in [0, 1]; by default `num_thresholds` that divide it evenly.

    Raises:
      ValueError: another `curve` or `summation_method`.

    TF: `tf.compat.v1.metrics.auc`.
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
    if summation_method not in ("trapezoidal", "careful_interpolation", "minoring", "majoring"):
        raise ValueError(
            f"Invalid summation_method: {summation_method} summation_method should be 'trapezoidal', "
            "'careful_interpolation', 'minoring', or 'majoring'"
        )
    inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
    inner = inner if thresholds is None else sorted(thresholds)
    both = _at_thresholds(
        labels, predictions, [-_AT_MOST_APART, *inner, 1 + _AT_MOST_APART], weights, [*_KINDS]
    )  # fmt: skip
    return tuple([_area(*counts, curve, summation_method) for counts in both])


def _area(tp, fn, tn, fp, curve, method):
    if curve == "PR" and method == "careful_interpolation":
        return _interpolated_area(tp, fn, fp)
    apart = 1e-6
    recall = (tp + apart) / (tp + fn + apart)
    x, y = (fp / (fp + tn + apart), recall) if curve == "ROC" else (recall, (tp + apart) / (tp + fp + apart))
    heights = {"minoring": _tf.minimum, "majoring": _tf.maximum}.get(method, lambda a, b: (a + b) / 2.0)
    return _tf.reduce_sum((x[:-1] - x[1:]) * heights(y[:-1], y[1:]))


def _interpolated_area(tp, fn, fp):
    """The area under precision by recall, where true and false positives grow evenly between thresholds."""
    more, positive = tp[:-1] - tp[1:], tp + fp
    slope = _tf.math.divide_no_nan(more, _tf.maximum(positive[:-1] - positive[1:], 0.0))
    ratio = _tf.math.divide_no_nan(positive[:-1], positive[1:])
    ratio = _tf.where(_tf.logical_and(positive[:-1] > 0, positive[1:] > 0), ratio, _tf.ones_like(ratio))
    grown = slope * (more + (tp[1:] - slope * positive[1:]) * _tf.math.log(ratio))
    return _tf.reduce_sum(_tf.math.divide_no_nan(grown, _tf.maximum(tp[1:] + fn[1:], 0.0)))

"""Metrics of `tf.compat.v1.metrics` that look at the best `k` predictions, and at points of a curve.

Labels are rows of the numbers of classes, [..., labels], also sparse; or [...] for one label each. Each row is a set:
what is in it twice counts once. Arguments that all metrics have are added by `_metric`.
"""

import functools as _functools

import tfcompat as _tf
from tfcompat.compat import _metrics
from tfcompat.compat._metrics import _AT_MOST_APART, _KINDS, _at_thresholds, _metric, _ratio, _variable


class _Sets:
    """Rows of labels and of predictions as sets, of one class if that is given.

    Attributes:
      all_labels: how many labels a row has; of a dense one those that it has twice count twice, as in TF.
      of_labels, of_predictions: whether a place counts, of the shapes of both.
      same: [..., labels, predictions], whether a label is a prediction; both count.
    """

    def __init__(self, labels, predictions, class_id=None):
        of_labels = None
        if isinstance(labels, _tf.SparseTensor):
            ones = _tf.SparseTensor(labels.indices, _tf.ones_like(labels.values, _tf.int32), labels.dense_shape)
            of_labels = _tf.sparse.to_dense(ones) > 0
            labels = _tf.sparse.to_dense(labels)
        labels, predictions = _tf.cast(labels, _tf.int64), _tf.cast(predictions, _tf.int64)
        if labels.shape.rank is not None and labels.shape.rank + 1 == predictions.shape.rank:
            labels = _tf.expand_dims(labels, -1)
        self.of_labels = _first_ones(labels, of_labels)
        self.of_predictions = _first_ones(predictions, None)
        counted = _tf.ones_like(labels, _tf.bool) if of_labels is None else self.of_labels
        self.all_labels = _tf.reduce_sum(_tf.cast(counted, _tf.float64), -1)
        if class_id is not None:
            self.of_labels = _tf.logical_and(self.of_labels, _tf.equal(labels, class_id))
            self.of_predictions = _tf.logical_and(self.of_predictions, _tf.equal(predictions, class_id))
        counted = _tf.logical_and(_tf.expand_dims(self.of_labels, -1), _tf.expand_dims(self.of_predictions, -2))
        same = _tf.equal(_tf.expand_dims(labels, -1), _tf.expand_dims(predictions, -2))
        self.same = _tf.logical_and(same, counted)

    def found(self):
        """Whether each prediction is a label."""
        return _tf.reduce_any(self.same, -2)

    def count(self, kind):
        """How many members of each row are true positives, false positives or false negatives: float64."""
        chosen = {
            "true_positive": self.found,
            "false_positive": lambda: _tf.logical_and(self.of_predictions, _tf.logical_not(self.found())),
            "false_negative": lambda: _tf.logical_and(self.of_labels, _tf.logical_not(_tf.reduce_any(self.same, -1))),
        }[kind]()
        return _tf.reduce_sum(_tf.cast(chosen, _tf.float64), -1)


def _first_ones(values, present):
    """Whether a place holds a value that no earlier place of the row holds."""
    same = _tf.equal(_tf.expand_dims(values, -1), _tf.expand_dims(values, -2))
    if present is not None:
        same = _tf.logical_and(same, _tf.expand_dims(present, -2))
    up_to_itself = _tf.linalg.band_part(_tf.cast(same, _tf.int32), -1, 0)
    first = _tf.equal(_tf.reduce_sum(up_to_itself, -1), 1)
    return first if present is None else _tf.logical_and(first, present)


def _weighted(values, weights):
    return values if weights is None else values * _tf.cast(weights, _tf.float64)


def _counted(sets, kind, k, class_id, weights):
    """(count, update) of true positives, false positives or false negatives: float64."""
    of_class = "" if class_id is None else f"_class{class_id}"
    count = _variable([], f"{kind}_at_{'k' if k is None else k}{of_class}", _tf.float64)
    update = count.assign_add(_tf.reduce_sum(_weighted(sets.count(kind), weights)))
    return _tf.identity(count), _tf.convert_to_tensor(update)


def _share(labels, predictions, k, class_id, weights, others):
    sets = _Sets(labels, predictions, class_id)
    right = _counted(sets, "true_positive", k, class_id, weights)
    wrong = _counted(sets, others, k, class_id, weights)
    return tuple([a / (a + b) for a, b in zip(right, wrong, strict=True)])


def _named(start):
    """The scope of a metric, with `k` and the class in its name."""

    def scope(k=None, class_id=None, **others):
        return f"{start}_at_{'k' if k is None else k}{'' if class_id is None else f'_class{class_id}'}"

    return scope


def _best(predictions, k):
    return _tf.math.top_k(predictions, k)[1]


@_functools.partial(_metric, scope=_named("recall"))
def recall_at_top_k(labels, predictions_idx, k=None, class_id=None, weights=None):
    """The share of the labels that are predicted. TF: `tf.compat.v1.metrics.recall_at_top_k`."""
    return _share(labels, predictions_idx, k, class_id, weights, "false_negative")


@_functools.partial(_metric, scope=_named("recall"))
def recall_at_k(labels, predictions, k, class_id=None, weights=None):
    """The share of the labels that are among the best `k` predictions. TF: `tf.compat.v1.metrics.recall_at_k`."""
    return _share(labels, _best(predictions, k), k, class_id, weights, "false_negative")


@_functools.partial(_metric, scope=_named("precision"))
def precision_at_top_k(labels, predictions_idx, k=None, class_id=None, weights=None):
    """The share of the predictions that are labels. TF: `tf.compat.v1.metrics.precision_at_top_k`."""
    return _share(labels, predictions_idx, k, class_id, weights, "false_positive")


@_functools.partial(_metric, scope=_named("precision"))
def precision_at_k(labels, predictions, k, class_id=None, weights=None):
    """The share of the best `k` predictions that are labels. TF: `tf.compat.v1.metrics.precision_at_k`."""
    return _share(labels, _best(predictions, k), k, class_id, weights, "false_positive")


@_functools.partial(_metric, scope=_named("average_precision"))
def average_precision_at_k(labels, predictions, k, weights=None):
    """The mean, over the labels that are found, of the precision up to each of them.

    TF: `tf.compat.v1.metrics.average_precision_at_k`.
    """
    sets = _Sets(labels, _best(predictions, k))
    found = _tf.cast(sets.found(), _tf.float64)
    so_far = _tf.cumsum(found, -1) / _tf.range(1, k + 1, dtype=_tf.float64)
    each = _tf.reduce_sum(found * so_far, -1) / _tf.minimum(sets.all_labels, _tf.cast(k, _tf.float64))
    ones = _weighted(_tf.ones_like(each), weights)
    most, total = _variable([], "max_1", _tf.float64), _variable([], "total", _tf.float64)
    new_most = most.assign_add(_tf.reduce_sum(ones))
    new_total = total.assign_add(_tf.reduce_sum(_weighted(each, weights)))
    return tuple([
        _tf.math.divide_no_nan(_tf.convert_to_tensor(a), _tf.convert_to_tensor(b))
        for a, b in ((total, most), (new_total, new_most))
    ])  # fmt: skip


sparse_precision_at_k, sparse_average_precision_at_k = precision_at_k, average_precision_at_k


# Points of a curve ----------------------------------------------------------------------------------------------------


@_metric
def mean_cosine_distance(labels, predictions, dim, weights=None):
    """One less the mean of the products of unit vectors along axis `dim`.

    TF: `tf.compat.v1.metrics.mean_cosine_distance`.
    """
    predictions, labels = _metrics._of_differences(labels, predictions)
    return _ratio(_tf.reduce_sum(predictions * labels, [dim], keepdims=True), weights, lambda mean: 1 - mean)


def _point(labels, predictions, weights, num_thresholds, name, wanted, pick):
    if not 0 <= wanted <= 1:
        raise ValueError(f"{name} must be in the range [0, 1]. Currently {name} is {wanted}")
    inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
    thresholds = [-_AT_MOST_APART, *inner, 1 + _AT_MOST_APART]
    return tuple([pick(*counts) for counts in _at_thresholds(labels, predictions, thresholds, weights, [*_KINDS])])


def _rate(right, wrong):
    return right / (right + wrong + _AT_MOST_APART)


@_metric
def sensitivity_at_specificity(labels, predictions, specificity, weights=None, num_thresholds=200):
    """The recall at the threshold whose specificity is nearest to that given.

    Raises:
      ValueError: `specificity` is not in [0, 1].

    TF: `tf.compat.v1.metrics.sensitivity_at_specificity`.
    """

    def pick(tp, fn, tn, fp):
        place = _tf.argmin(_tf.abs(_rate(tn, fp) - specificity), 0)
        return _rate(tp[place], fn[place])

    return _point(labels, predictions, weights, num_thresholds, "specificity", specificity, pick)


@_metric
def specificity_at_sensitivity(labels, predictions, sensitivity, weights=None, num_thresholds=200):
    """The specificity at the last threshold whose recall is nearest to that given.

    Raises:
      ValueError: `sensitivity` is not in [0, 1].

    TF: `tf.compat.v1.metrics.specificity_at_sensitivity`.
    """

    def pick(tp, fn, tn, fp):
        apart = _tf.abs(_rate(tp, fn) - sensitivity)
        nearest = _tf.cast(_tf.equal(apart, _tf.reduce_min(apart)), _tf.int64)
        place = _tf.argmax(_tf.cumsum(nearest), 0)
        return _rate(tn[place], fp[place])

    return _point(labels, predictions, weights, num_thresholds, "sensitivity", sensitivity, pick)

"""Measures of classifications by class: intersection over union, and F scores."""

from typing import Any

from tfcompat._core.convert import convert_to_tensor
from tfcompat.array import cast, expand_dims, gather, reshape
from tfcompat.keras.metrics._base import Metric
from tfcompat.keras.metrics._means import check_two_dimensions
from tfcompat.linalg import tensor_diag_part
from tfcompat.math import abs as absolute
from tfcompat.math import (
    argmax,
    confusion_matrix,
    divide_no_nan,
    greater,
    greater_equal,
    logical_and,
    multiply,
    not_equal,
    reduce_max,
    reduce_mean,
    reduce_sum,
    square,
)


class IoU(Metric):
    """The mean over classes of intersection over union, by a confusion matrix.

    Args:
      num_classes: int.
      target_class_ids: list of ints, the classes that count.
      name, dtype: as for `Metric`.
      ignore_class: int, label of samples that do not count; or None.
      sparse_y_true: bool, whether labels are numbers of classes, not scores.
      sparse_y_pred: bool, the same of predictions.
      axis: int, the axis of scores.

    Raises:
      ValueError: a class is out of range.

    TF: `tf.keras.metrics.IoU`; no known difference.
    """

    def __init__(self, num_classes, target_class_ids, name=None, dtype=None, ignore_class=None, sparse_y_true=True,
                 sparse_y_pred=True, axis=-1):  # fmt: skip
        super().__init__(name=name, dtype=dtype)
        self.num_classes = num_classes
        self.ignore_class = ignore_class
        self.sparse_y_true = sparse_y_true
        self.sparse_y_pred = sparse_y_pred
        self.axis = axis
        self.total_cm = self.add_weight(
            "total_confusion_matrix", shape=(num_classes, num_classes), initializer="zeros"
        )
        if max(target_class_ids) >= num_classes:
            raise ValueError(f"Target class id {max(target_class_ids)} is out of range, which is [{0}, {num_classes}).")
        self.target_class_ids = list(target_class_ids)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None):
        """Takes labels, predictions and weights in."""
        y_true = y_true if self.sparse_y_true else argmax(y_true, axis=self.axis)
        y_pred = y_pred if self.sparse_y_pred else argmax(y_pred, axis=self.axis)
        y_true, y_pred = reshape(cast(y_true, self.dtype), [-1]), reshape(cast(y_pred, self.dtype), [-1])
        if sample_weight is not None:
            sample_weight = reshape(cast(sample_weight, self.dtype), [-1])
        if self.ignore_class is not None:
            # Samples that do not count stay with weight 0, as class 0, so that shapes are known while tracing.
            # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/metrics/iou_metrics.py
            valid = cast(not_equal(y_true, cast(self.ignore_class, self.dtype)), self.dtype)
            sample_weight = valid if sample_weight is None else sample_weight * valid
            y_true, y_pred = y_true * valid, y_pred * valid
        counts = confusion_matrix(y_true, y_pred, self.num_classes, weights=sample_weight, dtype=self.dtype)
        return self.total_cm.assign_add(counts)

    def result(self):
        """The mean, a scalar tensor; classes that do not occur are left out."""
        right = tensor_diag_part(self.total_cm)
        union = reduce_sum(self.total_cm, axis=0) + reduce_sum(self.total_cm, axis=1) - right
        right, union = gather(right, self.target_class_ids), gather(union, self.target_class_ids)
        there = reduce_sum(cast(not_equal(union, 0), self.dtype))
        return divide_no_nan(reduce_sum(divide_no_nan(right, union)), there)

    def _config_of(self, before, after):
        """The configuration, with attributes before and after what every metric has: in TF's order."""
        first, last = ({name: getattr(self, name) for name in names} for names in (before, after))
        return {**first, **Metric.get_config(self), **last}

    def get_config(self):
        after = ("num_classes", "target_class_ids", "ignore_class", "sparse_y_true", "sparse_y_pred", "axis")
        return self._config_of((), after)


class BinaryIoU(IoU):
    """Intersection over union of two classes, told apart by a threshold.

    TF: `tf.keras.metrics.BinaryIoU`; no known difference.
    """

    def __init__(self, target_class_ids=(0, 1), threshold=0.5, name=None, dtype=None):
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight=None):
        """Takes labels, predictions and weights in."""
        y_pred = cast(greater_equal(cast(y_pred, self.dtype), self.threshold), self.dtype)
        return super().update_state(y_true, y_pred, sample_weight)

    def get_config(self):
        return self._config_of(("target_class_ids", "threshold"), ())


class MeanIoU(IoU):
    """Intersection over union of all classes. TF: `tf.keras.metrics.MeanIoU`; no known difference."""

    def __init__(self, num_classes, name=None, dtype=None, ignore_class=None, sparse_y_true=True, sparse_y_pred=True,
                 axis=-1):  # fmt: skip
        super().__init__(num_classes, list(range(num_classes)), name, dtype, ignore_class, sparse_y_true,
                         sparse_y_pred, axis)  # fmt: skip

    def get_config(self):
        return self._config_of(("num_classes",), ("ignore_class", "sparse_y_true", "sparse_y_pred", "axis"))


class OneHotIoU(IoU):
    """`IoU` with one-hot labels. TF: `tf.keras.metrics.OneHotIoU`; no known difference."""

    def __init__(self, num_classes, target_class_ids, name=None, dtype=None, ignore_class=None, sparse_y_pred=False,
                 axis=-1):  # fmt: skip
        super().__init__(num_classes, target_class_ids, name, dtype, ignore_class, False, sparse_y_pred, axis)

    def get_config(self):
        return self._config_of(("num_classes", "target_class_ids"), ("ignore_class", "sparse_y_pred", "axis"))


class OneHotMeanIoU(MeanIoU):
    """`MeanIoU` with one-hot labels. TF: `tf.keras.metrics.OneHotMeanIoU`; no known difference."""

    def __init__(self, num_classes, name=None, dtype=None, ignore_class=None, sparse_y_pred=False, axis=-1):
        super().__init__(num_classes, name, dtype, ignore_class, False, sparse_y_pred, axis)

    def get_config(self):
        return self._config_of(("num_classes",), ("ignore_class", "sparse_y_pred", "axis"))


class FBetaScore(Metric):
    """The weighted harmonic mean of precision and recall.

    Args:
      average: None for a score for each class, or "micro", "macro" or "weighted".
      beta: float above 0, the weight of recall.
      threshold: float in ]0, 1], above which a class is predicted; by default the one with the highest score.
      name, dtype: as for `Metric`.

    Raises:
      ValueError: an option out of range; inputs that are not of rank 2.

    TF: `tf.keras.metrics.FBetaScore`; no known difference.
    """

    def __init__(self, average=None, beta=1.0, threshold=None, name="fbeta_score", dtype=None):
        super().__init__(name=name, dtype=dtype)
        if average not in (None, "micro", "macro", "weighted"):
            raise ValueError(
                "Invalid `average` argument value. Expected one of: {None, 'micro', 'macro', 'weighted'}. "
                f"Received: average={average}"
            )
        if not isinstance(beta, float):
            raise ValueError(
                "Invalid `beta` argument value. It should be a Python float. "
                f"Received: beta={beta} of type '{type(beta)}'"
            )
        if beta <= 0.0:
            raise ValueError(f"Invalid `beta` argument value. It should be > 0. Received: beta={beta}")
        if threshold is not None and not isinstance(threshold, float):
            raise ValueError(
                "Invalid `threshold` argument value. It should be a Python float. "
                f"Received: threshold={threshold} of type '{type(threshold)}'"
            )
        if threshold is not None and (threshold > 1.0 or threshold <= 0.0):
            raise ValueError(
                "Invalid `threshold` argument value. It should verify 0 < threshold <= 1. "
                f"Received: threshold={threshold}"
            )
        self.average = average
        self.beta = beta
        self.threshold = threshold
        self.axis = None if average == "micro" else 0
        self.built = False

    def build(self, y_true_shape, y_pred_shape):
        check_two_dimensions("FBetaScore", y_true_shape, y_pred_shape)
        shape = [] if self.average == "micro" else [y_pred_shape[-1]]
        self.true_positives, self.false_positives, self.false_negatives, self.intermediate_weights = (
            self.add_weight(name, shape=shape, initializer="zeros")
            for name in ("true_positives", "false_positives", "false_negatives", "intermediate_weights")
        )
        self.built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight=None):
        """Takes one-hot labels, scores and weights in."""
        y_true = convert_to_tensor(y_true, dtype=self.dtype)
        y_pred = convert_to_tensor(y_pred, dtype=self.dtype)
        if not self.built:
            self.build(y_true.shape, y_pred.shape)
        if self.threshold is None:
            highest = reduce_max(y_pred, axis=-1, keepdims=True)
            chosen = logical_and(y_pred >= highest, absolute(y_pred) > 1e-9)
        else:
            chosen = greater(y_pred, self.threshold)
        chosen: Any = cast(chosen, self.dtype)

        def total(values):
            if sample_weight is not None:
                values = multiply(values, expand_dims(sample_weight, 1))
            return reduce_sum(values, axis=self.axis)

        self.true_positives.assign_add(total(chosen * y_true))
        self.false_positives.assign_add(total(chosen * (1 - y_true)))
        self.false_negatives.assign_add(total((1 - chosen) * y_true))
        self.intermediate_weights.assign_add(total(y_true))

    def result(self):
        """The score, a scalar tensor, or one for each class."""
        precision = divide_no_nan(self.true_positives, self.true_positives + self.false_positives)
        recall = divide_no_nan(self.true_positives, self.true_positives + self.false_negatives)
        factor = square(self.beta)
        score = divide_no_nan(precision * recall, factor * precision + recall) * (1 + factor)
        if self.average == "weighted":
            weights = divide_no_nan(self.intermediate_weights, reduce_sum(self.intermediate_weights))
            return reduce_sum(score * weights)
        return score if self.average is None else reduce_mean(score)

    def get_config(self):
        return {**super().get_config(), "average": self.average, "beta": self.beta, "threshold": self.threshold}


class F1Score(FBetaScore):
    """The harmonic mean of precision and recall. Arguments as for `FBetaScore`.

    TF: `tf.keras.metrics.F1Score`; no known difference.
    """

    def __init__(self, average=None, threshold=None, name="f1_score", dtype=None):
        super().__init__(average, 1.0, threshold, name, dtype)

    def get_config(self):
        config = super().get_config()
        del config["beta"]
        return config

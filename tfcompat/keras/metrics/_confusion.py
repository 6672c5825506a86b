"""Counts of right and wrong binary predictions at thresholds, and metrics computed from them."""

import enum
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import op
from tfcompat.array import cast, identity
from tfcompat.keras.losses._base import squeeze_or_expand_dimensions
from tfcompat.keras.metrics._base import Metric, spread_weights
from tfcompat.layers._layer import settings as _settings
from tfcompat.math import add, divide_no_nan, greater_equal

# https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/utils/metrics_utils.py
_LOWEST = -1e10  # score of classes that are not among the top k


class ConfusionMatrix(enum.Enum):
    """The four outcomes."""

    TRUE_POSITIVES = "tp"
    FALSE_POSITIVES = "fp"
    TRUE_NEGATIVES = "tn"
    FALSE_NEGATIVES = "fn"


_OUTCOMES = tuple(ConfusionMatrix)


@op("_confusion", kernel="AssignAddVariableOp", tensors=("y_true", "y_pred", "thresholds", "weights", "label_weights"),
    same=(), gradient="none")  # fmt: skip
def _confusion(y_true, y_pred, thresholds, weights: Any = None, label_weights: Any = None, top_k: Any = None,
               class_id=None, multi_label=False, even=None):  # fmt: skip
    """True positives, false positives, true negatives and false negatives at each threshold.

    `even` is None, or whether the first of evenly spaced thresholds lies below 0: predictions are then sorted into
    buckets, which decides at the thresholds as TF does.
    """
    dtype = thresholds.dtype
    y_true, y_pred = y_true.astype(dtype), y_pred.astype(dtype)
    if top_k is not None:
        _, places = jax.lax.top_k(y_pred, top_k)
        among = jnp.sum(jax.nn.one_hot(places, y_pred.shape[-1], dtype=dtype), -2)
        y_pred = y_pred * among + _LOWEST * (1 - among)
    if class_id is not None:
        y_true, y_pred = y_true[..., class_id, None], y_pred[..., class_id, None]
    combined = jnp.ones((), dtype)
    if weights is not None:
        combined = _spread(weights.astype(dtype), y_pred)
    if label_weights is not None:
        combined = combined * _spread(label_weights.astype(dtype)[None], y_pred)
    combined = jnp.broadcast_to(combined, y_pred.shape)
    labels = (y_true != 0).astype(dtype)
    if not multi_label:
        labels, y_pred, combined = (x.reshape(-1, 1) for x in (labels, y_pred, combined))
    positive, negative = labels * combined, (1 - labels) * combined
    count = _counts_in_buckets if even is not None else _counts_by_comparison
    tp, fp = (count(part, y_pred, thresholds, even) for part in (positive, negative))
    fn, tn = jnp.sum(positive, 0) - tp, jnp.sum(negative, 0) - fp
    counts = (tp, fp, tn, fn)
    return counts if multi_label else tuple(part[:, 0] for part in counts)


def _spread(weights, y_pred):
    spread = spread_weights(weights, y_pred)
    if spread is None:
        raise ValueError(f"weights can not be broadcast to values. values.shape={y_pred.shape}. "
                         f"weights.shape={weights.shape}.")  # fmt: skip
    return spread


def _counts_by_comparison(amounts, y_pred, thresholds, even):
    return jnp.sum(jnp.where(y_pred[None] > thresholds[:, None, None], amounts[None], 0), 1)


def _counts_in_buckets(amounts, y_pred, thresholds, below_zero):
    size = thresholds.shape[0]
    buckets = jnp.ceil(jnp.clip(y_pred, 0.0, 1.0) * (size - 1)).astype(np.int32) - 1
    buckets = jnp.maximum(buckets, 0) if below_zero else jnp.where(buckets < 0, size, buckets)

    def one(amount, bucket):
        return jnp.zeros(size, amount.dtype).at[bucket].add(amount, mode="drop")

    counts = jax.vmap(one, in_axes=1, out_axes=1)(amounts, buckets)
    return jnp.cumsum(counts[::-1], 0)[::-1]


class _Thresholds:
    """Thresholds, and whether they are spaced evenly."""

    def __init__(self, values, dtype, even):
        self.array = np.asarray(values, dtype)
        self.even = bool(self.array[0] < 0.0 or self.array[-1] > 1.0) if even else None


def _are_even(values):
    if len(values) < 3:
        return False
    even = np.arange(len(values), dtype=np.float32) / (len(values) - 1)
    return bool(np.allclose(values, even, atol=_settings.epsilon()))


def update_confusion_matrix_variables(variables, y_true, y_pred, thresholds, top_k=None, class_id=None,
                                      sample_weight=None, multi_label=False, label_weights=None):  # fmt: skip
    """Adds the counts of a batch to variables, a dict from outcomes."""
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if sample_weight is None:
        y_pred, y_true = squeeze_or_expand_dimensions(y_pred, y_true)
    else:
        sample_weight = convert_to_tensor(sample_weight)
        y_pred, y_true, sample_weight = squeeze_or_expand_dimensions(y_pred, y_true, sample_weight)
    y_pred.shape.assert_is_compatible_with(y_true.shape)
    counts = _confusion(
        y_true, y_pred, thresholds.array, sample_weight, label_weights, top_k, class_id, multi_label, thresholds.even
    )
    for outcome, variable in variables.items():
        variable.assign_add(counts[_OUTCOMES.index(outcome)])


def _as_list(value):
    return list(value) if isinstance(value, list | tuple) else [value]


def _checked(thresholds, default):
    """A list of thresholds within 0 and 1."""
    if thresholds is None:
        return [default]
    invalid = [t for t in _as_list(thresholds) if t is None or t < 0 or t > 1]
    if invalid:
        raise ValueError(f"Threshold values must be in [0, 1]. Received: {invalid}")
    return _as_list(thresholds)


class _Counts(Metric):
    """One outcome at each threshold."""

    _outcome: ConfusionMatrix

    def __init__(self, thresholds=None, name=None, dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.thresholds = _checked(thresholds, 0.5)
        self._parsed = _Thresholds(self.thresholds, self.dtype, _are_even(self.thresholds))
        self.accumulator: Any = self.add_weight("accumulator", shape=(len(self.thresholds),), initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Takes labels, predictions and weights in."""
        update_confusion_matrix_variables(
            {self._outcome: self.accumulator}, y_true, y_pred, self._parsed, sample_weight=sample_weight
        )

    def result(self):
        """The count, a scalar tensor, or one for each of several thresholds."""
        return self.accumulator[0] if len(self.thresholds) == 1 else identity(self.accumulator)

    def get_config(self):
        return {**super().get_config(), "thresholds": self.init_thresholds}


class TruePositives(_Counts):
    """The number of positive samples that are predicted so. TF: `tf.keras.metrics.TruePositives`."""

    _outcome = ConfusionMatrix.TRUE_POSITIVES


class FalsePositives(_Counts):
    """The number of negative samples that are predicted positive. TF: `tf.keras.metrics.FalsePositives`."""

    _outcome = ConfusionMatrix.FALSE_POSITIVES


class TrueNegatives(_Counts):
    """The number of negative samples that are predicted so. TF: `tf.keras.metrics.TrueNegatives`."""

    _outcome = ConfusionMatrix.TRUE_NEGATIVES


class FalseNegatives(_Counts):
    """The number of positive samples that are predicted negative. TF: `tf.keras.metrics.FalseNegatives`."""

    _outcome = ConfusionMatrix.FALSE_NEGATIVES


class _Share(Metric):
    """True positives as a share of what else counts with them."""

    _others: tuple

    def __init__(self, thresholds=None, top_k=None, class_id=None, name=None, dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.top_k = top_k
        self.class_id = class_id
        self.thresholds = _checked(thresholds, 0.5 if top_k is None else _LOWEST)
        self._parsed = _Thresholds(self.thresholds, self.dtype, _are_even(self.thresholds))
        outcome, attribute = self._others
        shape = (len(self.thresholds),)
        self.true_positives = self.add_weight("true_positives", shape=shape, initializer="zeros")
        setattr(self, attribute, self.add_weight(attribute, shape=shape, initializer="zeros"))

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Takes labels, predictions and weights in."""
        outcome, attribute = self._others
        update_confusion_matrix_variables(
            {ConfusionMatrix.TRUE_POSITIVES: self.true_positives, outcome: getattr(self, attribute)},
            y_true, y_pred, self._parsed, self.top_k, self.class_id, sample_weight,
        )  # fmt: skip

    def result(self):
        """The share, a scalar tensor, or one for each of several thresholds; 0 of nothing."""
        others = getattr(self, self._others[1])
        result = divide_no_nan(self.true_positives, add(self.true_positives, others))
        return result[0] if len(self.thresholds) == 1 else result

    def get_config(self):
        config = {"thresholds": self.init_thresholds, "top_k": self.top_k, "class_id": self.class_id}
        return {**super().get_config(), **config}


class Precision(_Share):
    """The share of positive predictions that are right.

    Args:
      thresholds: float or list of floats in [0, 1], above which a prediction is positive; 0.5 by default.
      top_k: int, to count only the `k` highest scores as positive.
      class_id: int, to look at one class only.
      name, dtype: as for `Metric`.

    TF: `tf.keras.metrics.Precision`; no known difference.
    """

    _others = ConfusionMatrix.FALSE_POSITIVES, "false_positives"


class Recall(_Share):
    """The share of positive samples that are predicted so. Arguments as for `Precision`.

    TF: `tf.keras.metrics.Recall`; no known difference.
    """

    _others = ConfusionMatrix.FALSE_NEGATIVES, "false_negatives"


class _FourCounts(Metric):
    """All four outcomes at each threshold."""

    true_positives: Any
    true_negatives: Any
    false_positives: Any
    false_negatives: Any

    def _add_counts(self, shape):
        for name in ("true_positives", "true_negatives", "false_positives", "false_negatives"):
            setattr(self, name, self.add_weight(name, shape=shape, initializer="zeros"))

    @property
    def _variables(self):
        return {
            ConfusionMatrix.TRUE_POSITIVES: self.true_positives,
            ConfusionMatrix.TRUE_NEGATIVES: self.true_negatives,
            ConfusionMatrix.FALSE_POSITIVES: self.false_positives,
            ConfusionMatrix.FALSE_NEGATIVES: self.false_negatives,
        }

    def _precision(self):
        return divide_no_nan(self.true_positives, add(self.true_positives, self.false_positives))

    def _recall(self):
        return divide_no_nan(self.true_positives, add(self.true_positives, self.false_negatives))

    def _specificity(self):
        return divide_no_nan(self.true_negatives, add(self.true_negatives, self.false_positives))


@op("_highest_where", kernel="Max", tensors=("values", "feasible"), same=(), gradient="none")
def _highest_where(values, feasible):
    highest = jnp.max(jnp.where(feasible, values, -jnp.inf))
    return jnp.where(jnp.any(feasible), highest, jnp.zeros((), values.dtype))


class _OneAtAnother(_FourCounts):
    """The highest value of one measure where another reaches a bound."""

    _bounded: str

    def __init__(self, value, num_thresholds=200, class_id=None, name=None, dtype=None):
        bounded = self._bounded
        if value < 0 or value > 1:
            raise ValueError(f"Argument `{bounded}` must be in the range [0, 1]. Received: {bounded}={value}")
        super().__init__(name=name, dtype=dtype)
        if num_thresholds <= 0:
            raise ValueError(
                f"Argument `num_thresholds` must be an integer > 0. Received: num_thresholds={num_thresholds}"
            )
        self.value = value
        self.num_thresholds = num_thresholds
        self.class_id = class_id
        self._add_counts((num_thresholds,))
        if num_thresholds == 1:
            self.thresholds = [0.5]
        else:
            inner = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
            self.thresholds = [0.0, *inner, 1.0]
        self._parsed = _Thresholds(self.thresholds, self.dtype, num_thresholds > 1)

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Takes labels, predictions and weights in."""
        update_confusion_matrix_variables(
            self._variables, y_true, y_pred, self._parsed, class_id=self.class_id, sample_weight=sample_weight
        )

    def _highest(self, bounded, values):
        return self._find_max_under_constraint(bounded, values, greater_equal)

    def _find_max_under_constraint(self, constrained, dependent, predicate):
        return _highest_where(dependent, predicate(constrained, cast(self.value, constrained.dtype)))

    def get_config(self):
        config = {"class_id": self.class_id, "num_thresholds": self.num_thresholds, self._bounded: self.value}
        return {**super().get_config(), **config}


class SensitivityAtSpecificity(_OneAtAnother):
    """The highest sensitivity (recall) at thresholds with at least a given specificity.

    TF: `tf.keras.metrics.SensitivityAtSpecificity`; no known difference.
    """

    _bounded = "specificity"

    def __init__(self, specificity, num_thresholds=200, class_id=None, name=None, dtype=None):
        super().__init__(specificity, num_thresholds, class_id, name, dtype)
        self.specificity = specificity

    def result(self):
        """The sensitivity, a scalar tensor."""
        return self._highest(self._specificity(), self._recall())


class SpecificityAtSensitivity(_OneAtAnother):
    """The highest specificity at thresholds with at least a given sensitivity (recall).

    TF: `tf.keras.metrics.SpecificityAtSensitivity`; no known difference.
    """

    _bounded = "sensitivity"

    def __init__(self, sensitivity, num_thresholds=200, class_id=None, name=None, dtype=None):
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype)
        self.sensitivity = sensitivity

    def result(self):
        """The specificity, a scalar tensor."""
        return self._highest(self._recall(), self._specificity())


class PrecisionAtRecall(_OneAtAnother):
    """The highest precision at thresholds with at least a given recall.

    TF: `tf.keras.metrics.PrecisionAtRecall`; no known difference.
    """

    _bounded = "recall"

    def __init__(self, recall, num_thresholds=200, class_id=None, name=None, dtype=None):
        super().__init__(recall, num_thresholds, class_id, name, dtype)
        self.recall = recall

    def result(self):
        """The precision, a scalar tensor."""
        return self._highest(self._recall(), self._precision())


class RecallAtPrecision(_OneAtAnother):
    """The highest recall at thresholds with at least a given precision.

    TF: `tf.keras.metrics.RecallAtPrecision`; no known difference.
    """

    _bounded = "precision"

    def __init__(self, precision, num_thresholds=200, class_id=None, name=None, dtype=None):
        super().__init__(precision, num_thresholds, class_id, name, dtype)
        self.precision = precision

    def result(self):
        """The recall, a scalar tensor."""
        return self._highest(self._precision(), self._recall())

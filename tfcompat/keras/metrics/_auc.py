"""`AUC`: the area under a curve of two rates."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.convert import constant, convert_to_tensor
from tfcompat._core.op import op
from tfcompat._core.shape import TensorShape
from tfcompat.debugging import assert_non_negative, assert_shapes
from tfcompat.keras.metrics._confusion import _are_even, _FourCounts, _Thresholds, update_confusion_matrix_variables
from tfcompat.layers._layer import settings as _settings
from tfcompat.math import sigmoid

_CURVES = {"pr": "PR", "PR": "PR", "roc": "ROC", "ROC": "ROC", "pr_gain": "PR_GAIN", "prgain": "PR_GAIN",
           "PR_GAIN": "PR_GAIN", "PRGAIN": "PR_GAIN"}  # fmt: skip
_SUMMATIONS = {name: low for low in ("interpolation", "majoring", "minoring") for name in (low, low.capitalize())}


def _ratio(x, y):
    return jnp.where(y == 0, jnp.zeros_like(x), x / jnp.where(y == 0, jnp.ones_like(y), y))


@op("_area_under_curve", kernel="Sum", tensors=("tp", "fp", "tn", "fn", "label_weights"), gradient="none")
def _area(tp, fp, tn, fn, label_weights: Any = None, curve="ROC", summation="interpolation"):
    if curve == "PR" and summation == "interpolation":
        areas = _interpolated(tp, fp, fn)
    else:
        x, y = _axes(tp, fp, tn, fn, curve)
        low, high = jnp.minimum(y[:-1], y[1:]), jnp.maximum(y[:-1], y[1:])
        heights = {"interpolation": (y[:-1] + y[1:]) / 2.0, "minoring": low, "majoring": high}[summation]
        areas = (x[:-1] - x[1:]) * heights
    area = jnp.sum(areas, 0)
    if area.ndim == 0:
        return area
    if label_weights is None:
        return jnp.mean(area)
    return _ratio(jnp.sum(area * label_weights), jnp.sum(label_weights))


def _axes(tp, fp, tn, fn, curve):
    recall = _ratio(tp, tp + fn)
    if curve == "ROC":
        return _ratio(fp, fp + tn), recall
    if curve == "PR":
        return recall, _ratio(tp, tp + fp)
    scale = _ratio(tp + fn, fp + tn)
    nothing = tp == 0
    recall = jnp.where(nothing, 0, 1.0 - scale * _ratio(fn, tp))
    return jnp.maximum(recall, 0), jnp.where(nothing, 1, 1.0 - scale * _ratio(fp, tp))


def _interpolated(tp, fp, fn):
    """Areas below the precision-recall curve, which is a hyperbola between two thresholds."""
    gained, p = tp[:-1] - tp[1:], tp + fp
    slope = _ratio(gained, jnp.maximum(p[:-1] - p[1:], 0))
    intercept = tp[1:] - slope * p[1:]
    ratio = jnp.where((p[:-1] > 0) & (p[1:] > 0), _ratio(p[:-1], jnp.maximum(p[1:], 0)), 1)
    return _ratio(slope * (gained + intercept * jnp.log(ratio)), jnp.maximum(tp[1:] + fn[1:], 0))


class AUC(_FourCounts):
    """The area under the ROC or precision-recall curve, approximated at thresholds.

    Args:
      num_thresholds: int, 2 or more.
      curve: "ROC", "PR" or "PR_GAIN".
      summation_method: "interpolation", "minoring" or "majoring".
      name, dtype: as for `Metric`.
      thresholds: list of floats in [0, 1] to use instead; 0 and 1 are added.
      multi_label: bool, whether each column is a label with a curve of its own; the areas are averaged.
      num_labels: int, with `multi_label`: the number of columns, to make the state at once.
      label_weights: list of floats, 0 or more: weights of the columns.
      from_logits: bool, whether predictions are logits.

    Raises:
      ValueError: an option out of range.

    TF: `tf.keras.metrics.AUC`; no known difference.
    """

    def __init__(self, num_thresholds=200, curve="ROC", summation_method="interpolation", name=None, dtype=None,
                 thresholds=None, multi_label=False, num_labels=None, label_weights=None,
                 from_logits=False):  # fmt: skip
        if curve not in _CURVES:
            raise ValueError(f'Invalid AUC curve value: "{curve}". Expected values are ["PR", "ROC", "PR_GAIN"]')
        if summation_method not in _SUMMATIONS:
            raise ValueError(
                f'Invalid AUC summation method value: "{summation_method}". Expected values are ["interpolation", '
                '"majoring", "minoring"]'
            )
        self._init_from_thresholds = thresholds is not None
        even = True
        if thresholds is not None:
            num_thresholds = len(thresholds) + 2
            thresholds = sorted(thresholds)
            even = _are_even(np.array([0.0, *thresholds, 1.0]))
        elif num_thresholds <= 1:
            raise ValueError(
                f"Argument `num_thresholds` must be an integer > 1. Received: num_thresholds={num_thresholds}"
            )
        else:
            thresholds = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        self.num_thresholds = num_thresholds
        epsilon = _settings.epsilon()
        self._thresholds = np.array([0.0 - epsilon, *thresholds, 1.0 + epsilon])
        self.curve, self.summation_method = _CURVES[curve], _SUMMATIONS[summation_method]
        super().__init__(name=name, dtype=dtype)
        self._parsed = _Thresholds(self._thresholds, self.dtype, even)
        self.multi_label = multi_label
        self.num_labels = num_labels
        self.label_weights: Any = None
        if label_weights is not None:
            self.label_weights = constant(label_weights, dtype=self.dtype)
            assert_non_negative(
                self.label_weights, message="All values of `label_weights` must be non-negative."
            )
        self._from_logits = from_logits
        self._built = False
        if multi_label:
            if num_labels:
                self._build(TensorShape([None, num_labels]))
        elif num_labels:
            raise ValueError("`num_labels` is needed only when `multi_label` is True.")
        else:
            self._build(None)

    @property
    def thresholds(self):
        """List of the thresholds, those just beyond 0 and 1 included."""
        return list(self._thresholds)

    def _build(self, shape):
        if not self.multi_label:
            self._add_counts([self.num_thresholds])
        elif shape.rank != 2:
            raise ValueError(
                f"`y_pred` must have rank 2 when `multi_label=True`. Found rank {shape.rank}. Full shape received for "
                f"`y_pred`: {shape}"
            )
        else:
            self._add_counts([self.num_thresholds, shape[1]])
        self._built = True

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Takes labels, predictions and weights in."""
        if not self._built:
            self._build(convert_to_tensor(y_pred).shape)
        if self.multi_label or self.label_weights is not None:
            shapes: Any = [(convert_to_tensor(y_true), ("N", "L"))]
            if self.multi_label:
                shapes += [(variable, ("T", "L")) for variable in self._variables.values()]
            if self.label_weights is not None:
                shapes.append((self.label_weights, ("L",)))
            assert_shapes(shapes, message="Number of labels is not consistent.")
        if self._from_logits:
            y_pred = sigmoid(y_pred)
        update_confusion_matrix_variables(
            self._variables, y_true, y_pred, self._parsed, sample_weight=sample_weight, multi_label=self.multi_label,
            label_weights=None if self.multi_label else self.label_weights,
        )  # fmt: skip

    def result(self):
        """The area, a scalar tensor; 0 before anything was seen."""
        if self.curve == "PR" and self.summation_method == "interpolation":
            return self.interpolate_pr_auc()
        return self._area()

    def interpolate_pr_auc(self):
        """The area under the precision-recall curve, which is a hyperbola between two thresholds: a scalar tensor."""
        return self._area()

    def _area(self):
        weights = self.label_weights if self.multi_label else None
        return _area(
            self.true_positives, self.false_positives, self.true_negatives, self.false_negatives, weights,
            self.curve, self.summation_method,
        )  # fmt: skip

    def reset_state(self):
        if self._built:
            super().reset_state()

    def get_config(self):
        weights: Any = self.label_weights
        config = {
            **super().get_config(),
            "num_thresholds": self.num_thresholds,
            "curve": self.curve,
            "summation_method": self.summation_method,
            "multi_label": self.multi_label,
            "num_labels": self.num_labels,
            "label_weights": None if weights is None else weights.numpy(),
            "from_logits": self._from_logits,
        }
        if self._init_from_thresholds:
            config["thresholds"] = self.thresholds[1:-1]
        return config

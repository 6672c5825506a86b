"""Means of losses, and other measures of regressions and probabilities."""

from typing import Any

from tfcompat._core.convert import convert_to_tensor
from tfcompat.array import cast, expand_dims, ones_like, where
from tfcompat.keras import losses
from tfcompat.keras.losses._base import remove_squeezable_dimensions, squeeze_or_expand_dimensions
from tfcompat.keras.metrics._base import Mean, MeanMetricWrapper, Metric, warn
from tfcompat.linalg import l2_normalize
from tfcompat.math import abs as absolute
from tfcompat.math import divide_no_nan, is_inf, reduce_mean, reduce_sum, sqrt, squared_difference


class MeanSquaredError(MeanMetricWrapper):
    """The mean of `tf.keras.losses.mean_squared_error`.

    TF: `tf.keras.metrics.MeanSquaredError`; no known difference.
    """

    def __init__(self, name="mean_squared_error", dtype=None):
        super().__init__(losses.mean_squared_error, name, dtype=dtype)


class MeanAbsoluteError(MeanMetricWrapper):
    """The mean of `tf.keras.losses.mean_absolute_error`.

    TF: `tf.keras.metrics.MeanAbsoluteError`; no known difference.
    """

    def __init__(self, name="mean_absolute_error", dtype=None):
        super().__init__(losses.mean_absolute_error, name, dtype=dtype)


class MeanAbsolutePercentageError(MeanMetricWrapper):
    """The mean of `tf.keras.losses.mean_absolute_percentage_error`.

    TF: `tf.keras.metrics.MeanAbsolutePercentageError`; no known difference.
    """

    def __init__(self, name="mean_absolute_percentage_error", dtype=None):
        super().__init__(losses.mean_absolute_percentage_error, name, dtype=dtype)


class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """The mean of `tf.keras.losses.mean_squared_logarithmic_error`.

    TF: `tf.keras.metrics.MeanSquaredLogarithmicError`; no known difference.
    """

    def __init__(self, name="mean_squared_logarithmic_error", dtype=None):
        super().__init__(losses.mean_squared_logarithmic_error, name, dtype=dtype)


class LogCoshError(MeanMetricWrapper):
    """The mean of `tf.keras.losses.log_cosh`.

    TF: `tf.keras.metrics.LogCoshError`; no known difference.
    """

    def __init__(self, name="logcosh", dtype=None):
        super().__init__(losses.log_cosh, name, dtype=dtype)


class Poisson(MeanMetricWrapper):
    """The mean of `tf.keras.losses.poisson`.

    TF: `tf.keras.metrics.Poisson`; no known difference.
    """

    def __init__(self, name="poisson", dtype=None):
        super().__init__(losses.poisson, name, dtype=dtype)


class KLDivergence(MeanMetricWrapper):
    """The mean of `tf.keras.losses.kl_divergence`.

    TF: `tf.keras.metrics.KLDivergence`; no known difference.
    """

    def __init__(self, name="kullback_leibler_divergence", dtype=None):
        super().__init__(losses.kl_divergence, name, dtype=dtype)


class Hinge(MeanMetricWrapper):
    """The mean of `tf.keras.losses.hinge`.

    TF: `tf.keras.metrics.Hinge`; no known difference.
    """

    def __init__(self, name="hinge", dtype=None):
        super().__init__(losses.hinge, name, dtype=dtype)


class SquaredHinge(MeanMetricWrapper):
    """The mean of `tf.keras.losses.squared_hinge`.

    TF: `tf.keras.metrics.SquaredHinge`; no known difference.
    """

    def __init__(self, name="squared_hinge", dtype=None):
        super().__init__(losses.squared_hinge, name, dtype=dtype)


class CategoricalHinge(MeanMetricWrapper):
    """The mean of `tf.keras.losses.categorical_hinge`.

    TF: `tf.keras.metrics.CategoricalHinge`; no known difference.
    """

    def __init__(self, name="categorical_hinge", dtype=None):
        super().__init__(losses.categorical_hinge, name, dtype=dtype)


class BinaryCrossentropy(MeanMetricWrapper):
    """The mean of `tf.keras.losses.binary_crossentropy`, whose options these are.

    TF: `tf.keras.metrics.BinaryCrossentropy`; no known difference.
    """

    def __init__(self, name="binary_crossentropy", dtype=None, from_logits=False, label_smoothing=0):
        super().__init__(
            losses.binary_crossentropy,
            name,
            dtype=dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
        )


class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean of `tf.keras.losses.categorical_crossentropy`, whose options these are.

    TF: `tf.keras.metrics.CategoricalCrossentropy`; no known difference.
    """

    def __init__(
        self, name="categorical_crossentropy", dtype=None, from_logits=False, label_smoothing=0, axis=-1
    ):
        super().__init__(
            losses.categorical_crossentropy,
            name,
            dtype=dtype,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean of `tf.keras.losses.sparse_categorical_crossentropy`, whose options these are.

    TF: `tf.keras.metrics.SparseCategoricalCrossentropy`; no known difference.
    """

    def __init__(
        self,
        name="sparse_categorical_crossentropy",
        dtype=None,
        from_logits=False,
        ignore_class=None,
        axis=-1,
    ):
        super().__init__(
            losses.sparse_categorical_crossentropy,
            name,
            dtype=dtype,
            from_logits=from_logits,
            ignore_class=ignore_class,
            axis=axis,
        )


def _cosine_similarity(y_true, y_pred, axis=-1):
    return reduce_sum(l2_normalize(y_true, axis=axis) * l2_normalize(y_pred, axis=axis), axis=axis)


class CosineSimilarity(MeanMetricWrapper):
    """The mean cosine of the angle between targets and predictions.

    TF: `tf.keras.metrics.CosineSimilarity`; no known difference.
    """

    def __init__(self, name="cosine_similarity", dtype=None, axis=-1):
        super().__init__(_cosine_similarity, name, dtype=dtype, axis=axis)


class MeanRelativeError(Mean):
    """The mean of absolute errors divided by a normalizer.

    Args:
      normalizer: tensor that broadcasts against the errors.
      name, dtype: as for `Metric`.

    TF: `tf.keras.metrics.MeanRelativeError`; no known difference.
    """

    def __init__(self, normalizer, name: Any = None, dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.normalizer = cast(normalizer, self.dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight=None):
        """Takes targets, predictions and weights in."""
        y_true = cast(y_true, self.dtype)
        y_pred = cast(y_pred, self.dtype)
        y_pred, y_true = squeeze_or_expand_dimensions(y_pred, y_true)
        y_pred, self.normalizer = remove_squeezable_dimensions(y_pred, self.normalizer)
        y_pred.shape.assert_is_compatible_with(y_true.shape)
        return super().update_state(divide_no_nan(absolute(y_true - y_pred), self.normalizer), sample_weight)

    def get_config(self):
        normalizer: Any = self.normalizer
        return {
            **super().get_config(),
            "normalizer": normalizer.numpy(),
        }


class RootMeanSquaredError(Mean):
    """The square root of the mean of squared errors.

    TF: `tf.keras.metrics.RootMeanSquaredError`; no known difference.
    """

    def __init__(self, name="root_mean_squared_error", dtype=None):
        super().__init__(name, dtype=dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight=None):
        """Takes targets, predictions and weights in."""
        y_true = cast(y_true, self.dtype)
        y_pred = cast(y_pred, self.dtype)
        y_pred, y_true = squeeze_or_expand_dimensions(y_pred, y_true)
        return super().update_state(squared_difference(y_pred, y_true), sample_weight)

    def result(self):
        """The root of the mean, a scalar tensor."""
        return sqrt(divide_no_nan(self.total, self.count))


class R2Score(Metric):
    """The share of the variance of the targets that predictions explain.

    Args:
      class_aggregation: "uniform_average" or "variance_weighted_average" over the outputs, or None for a score each.
      num_regressors: int; if not 0, the score is adjusted for that number of inputs.
      name, dtype: as for `Metric`.

    Raises:
      ValueError: an option out of range; inputs that are not of rank 2.

    TF: `tf.keras.metrics.R2Score`; no known difference.
    """

    def __init__(self, class_aggregation="uniform_average", num_regressors=0, name="r2_score", dtype=None):
        super().__init__(name=name, dtype=dtype)
        valid = (None, "uniform_average", "variance_weighted_average")
        if class_aggregation not in valid:
            raise ValueError(
                f"Invalid value for argument `class_aggregation`. Expected one of {valid}. Received: "
                f"class_aggregation={class_aggregation}"
            )
        if num_regressors < 0:
            raise ValueError(
                "Invalid value for argument `num_regressors`. Expected a value >= 0. Received: "
                f"num_regressors={num_regressors}"
            )
        self.class_aggregation = class_aggregation
        self.num_regressors = num_regressors
        self.num_samples = self.add_weight("num_samples", dtype="int32")
        self.built = False

    def build(self, y_true_shape, y_pred_shape):
        check_two_dimensions("R2Score", y_true_shape, y_pred_shape)
        shape = [y_pred_shape[-1]]
        self.squared_sum = self.add_weight("squared_sum", shape=shape, initializer="zeros")
        self.sum = self.add_weight("sum", shape=shape, initializer="zeros")
        self.total_mse = self.add_weight("residual", shape=shape, initializer="zeros")
        self.count = self.add_weight("count", shape=shape, initializer="zeros")
        self.built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight=None):
        """Takes targets, predictions and weights in."""
        y_true = convert_to_tensor(y_true, dtype=self.dtype)
        y_pred = convert_to_tensor(y_pred, dtype=self.dtype)
        if not self.built:
            self.build(y_true.shape, y_pred.shape)
        weights: Any = convert_to_tensor(1 if sample_weight is None else sample_weight, dtype=self.dtype)
        if weights.shape.rank == 1:
            weights = expand_dims(weights, 1)
        weights = ones_like(y_true) * weights
        weighted = y_true * weights
        self.sum.assign_add(reduce_sum(weighted, axis=0))
        self.squared_sum.assign_add(reduce_sum(y_true * weighted, axis=0))
        self.total_mse.assign_add(reduce_sum((y_true - y_pred) ** 2 * weights, axis=0))
        self.count.assign_add(reduce_sum(weights, axis=0))
        self.num_samples.assign_add(y_true.shape.num_elements())

    def result(self):
        """The score, a scalar tensor, or one for each output."""
        total = self.squared_sum - self.sum * (self.sum / self.count)
        scores = 1 - self.total_mse / total
        scores = where(is_inf(scores), 0.0, scores)
        if self.class_aggregation == "uniform_average":
            score: Any = reduce_mean(scores)
        elif self.class_aggregation == "variance_weighted_average":
            score = reduce_sum(total * scores) / reduce_sum(total)
        else:
            score = scores
        if self.num_regressors == 0:
            return score
        degrees_of_freedom = int(self.num_samples) - 1 - self.num_regressors
        if degrees_of_freedom < 0:
            warn(
                "More independent predictors than datapoints in adjusted R2 score. Falling back to standard R2 score."
            )
        elif degrees_of_freedom == 0:
            warn("Division by zero in Adjusted R2 score. Falling back to standard R2 score.")
        else:
            n: Any = cast(self.num_samples, "float32")
            p = float(self.num_regressors)
            score = 1.0 - (1.0 - score) * (n - 1.0) / (n - p - 1.0)
        return score

    def get_config(self):
        return {
            **super().get_config(),
            "class_aggregation": self.class_aggregation,
            "num_regressors": self.num_regressors,
        }


def check_two_dimensions(name, y_true_shape, y_pred_shape):
    """ValueError unless both shapes are of rank 2 with a known last size."""
    told = f"shapes: y_pred.shape={y_pred_shape} and y_true.shape={y_true_shape}."
    if len(y_pred_shape) != 2 or len(y_true_shape) != 2:
        raise ValueError(
            f"{name} expects 2D inputs with shape (batch_size, output_dim). Received input {told}"
        )
    if y_pred_shape[-1] is None or y_true_shape[-1] is None:
        raise ValueError(
            f"{name} expects 2D inputs with shape (batch_size, output_dim), with output_dim fully defined (not None). "
            f"Received input {told}"
        )

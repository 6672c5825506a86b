"""The losses of `tf.keras.losses` as classes: a function, its options, weights and a reduction."""

from tfcompat.keras.losses import _functions as functions
from tfcompat.keras.losses._base import LossFunctionWrapper, ReductionV2


class MeanSquaredError(LossFunctionWrapper):
    """The mean of squared errors.

    Arguments: those of `Loss`. Losses: `tf.keras.losses.mean_squared_error`.

    TF: `tf.keras.losses.MeanSquaredError`; no known difference.
    """

    def __init__(self, reduction=ReductionV2.AUTO, name="mean_squared_error"):
        super().__init__(functions.mean_squared_error, name=name, reduction=reduction)


class MeanAbsoluteError(LossFunctionWrapper):
    """The mean of absolute errors.

    Arguments: those of `Loss`. Losses: `tf.keras.losses.mean_absolute_error`.

    TF: `tf.keras.losses.MeanAbsoluteError`; no known difference.
    """

    def __init__(self, reduction=ReductionV2.AUTO, name="mean_absolute_error"):
        super().__init__(functions.mean_absolute_error, name=name, reduction=reduction)


class MeanAbsolutePercentageError(LossFunctionWrapper):
    """The mean of absolute errors in per cent of the targets.

    Arguments: those of `Loss`. Losses: `tf.keras.losses.mean_absolute_percentage_error`.

    TF: `tf.keras.losses.MeanAbsolutePercentageError`; no known difference.
    """

    def __init__(self, reduction=ReductionV2.AUTO, name="mean_absolute_percentage_error"):
        super().__init__(functions.mean_absolute_percentage_error, name=name, reduction=reduction)


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """The mean of squared errors of logarithms.

    Arguments: those of `Loss`. Losses: `tf.keras.losses.mean_squared_logarithmic_error`.

    TF: `tf.keras.losses.MeanSquaredLogarithmicError`; no known difference.
    """

    def __init__(self, reduction=ReductionV2.AUTO, name="mean_squared_logarithmic_error"):
        super().__init__(functions.mean_squared_logarithmic_error, name=name, reduction=reduction)


class Hinge(LossFunctionWrapper):
    """How far scores stay behind a margin of 1.

    Arguments: those of `Loss`. Losses: `tf.keras.losses.hinge`.

    TF: `tf.keras.losses.Hinge`; no known difference.
    """

    def __init__(self, reduction=ReductionV2.AUTO, name="hinge"):
        super().__init__(functions.hinge, name=name, reduction=reduction)


class SquaredHinge(LossFunctionWrapper):
    """The square of how far scores stay behind a margin of 1.

    Arguments: those of `Loss`. Losses: `tf.keras.losses.squared_hinge`.

    TF: `tf.keras.losses.SquaredHinge`; no known difference.
    """

    def __init__(self, reduction=ReductionV2.AUTO, name="squared_hinge"):
        super().__init__(functions.squared_hinge, name=name, reduction=reduction)


class CategoricalHinge(LossFunctionWrapper):
    """How far the right class stays behind the others.

    Arguments: those of `Loss`. Losses: `tf.keras.losses.categorical_hinge`.

    TF: `tf.keras.losses.CategoricalHinge`; no known difference.
    """

    def __init__(self, reduction=ReductionV2.AUTO, name="categorical_hinge"):
        super().__init__(functions.categorical_hinge, name=name, reduction=reduction)


class Poisson(LossFunctionWrapper):
    """The loss of predicted rates of a Poisson distribution.

    Arguments: those of `Loss`. Losses: `tf.keras.losses.poisson`.

    TF: `tf.keras.losses.Poisson`; no known difference.
    """

    def __init__(self, reduction=ReductionV2.AUTO, name="poisson"):
        super().__init__(functions.poisson, name=name, reduction=reduction)


class LogCosh(LossFunctionWrapper):
    """The logarithm of the hyperbolic cosine of errors.

    Arguments: those of `Loss`. Losses: `tf.keras.losses.log_cosh`.

    TF: `tf.keras.losses.LogCosh`; no known difference.
    """

    def __init__(self, reduction=ReductionV2.AUTO, name="log_cosh"):
        super().__init__(functions.log_cosh, name=name, reduction=reduction)


class KLDivergence(LossFunctionWrapper):
    """The Kullback-Leibler divergence of predictions from targets.

    Arguments: those of `Loss`. Losses: `tf.keras.losses.kl_divergence`.

    TF: `tf.keras.losses.KLDivergence`; no known difference.
    """

    def __init__(self, reduction=ReductionV2.AUTO, name="kl_divergence"):
        super().__init__(functions.kl_divergence, name=name, reduction=reduction)


class BinaryCrossentropy(LossFunctionWrapper):
    """Cross entropy of yes-or-no predictions.

    Args:
      from_logits, label_smoothing, axis: as for `tf.keras.losses.binary_crossentropy`.
      reduction, name: as for `Loss`.

    TF: `tf.keras.losses.BinaryCrossentropy`; no known difference.
    """

    def __init__(
        self,
        from_logits=False,
        label_smoothing=0.0,
        axis=-1,
        reduction=ReductionV2.AUTO,
        name="binary_crossentropy",
    ):
        super().__init__(
            functions.binary_crossentropy,
            name=name,
            reduction=reduction,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )
        self.from_logits = from_logits


class BinaryFocalCrossentropy(LossFunctionWrapper):
    """Binary cross entropy in which predictions that are right already count less.

    Args:
      apply_class_balancing, alpha, gamma, from_logits, label_smoothing, axis: as for
        `tf.keras.losses.binary_focal_crossentropy`.
      reduction, name: as for `Loss`.

    TF: `tf.keras.losses.BinaryFocalCrossentropy`; no known difference.
    """

    def __init__(
        self,
        apply_class_balancing=False,
        alpha=0.25,
        gamma=2.0,
        from_logits=False,
        label_smoothing=0.0,
        axis=-1,
        reduction=ReductionV2.AUTO,
        name="binary_focal_crossentropy",
    ):
        super().__init__(
            functions.binary_focal_crossentropy,
            name=name,
            reduction=reduction,
            apply_class_balancing=apply_class_balancing,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )
        self.from_logits = from_logits
        self.apply_class_balancing = apply_class_balancing
        self.alpha = alpha
        self.gamma = gamma


class CategoricalCrossentropy(LossFunctionWrapper):
    """Cross entropy with one-hot labels.

    Args:
      from_logits, label_smoothing, axis: as for `tf.keras.losses.categorical_crossentropy`.
      reduction, name: as for `Loss`.

    TF: `tf.keras.losses.CategoricalCrossentropy`; no known difference.
    """

    def __init__(
        self,
        from_logits=False,
        label_smoothing=0.0,
        axis=-1,
        reduction=ReductionV2.AUTO,
        name="categorical_crossentropy",
    ):
        super().__init__(
            functions.categorical_crossentropy,
            name=name,
            reduction=reduction,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )


class CategoricalFocalCrossentropy(LossFunctionWrapper):
    """Cross entropy with one-hot labels in which predictions that are right already count less.

    Args:
      alpha, gamma, from_logits, label_smoothing, axis: as for `tf.keras.losses.categorical_focal_crossentropy`.
      reduction, name: as for `Loss`.

    TF: `tf.keras.losses.CategoricalFocalCrossentropy`; no known difference.
    """

    def __init__(
        self,
        alpha=0.25,
        gamma=2.0,
        from_logits=False,
        label_smoothing=0.0,
        axis=-1,
        reduction=ReductionV2.AUTO,
        name="categorical_focal_crossentropy",
    ):
        super().__init__(
            functions.categorical_focal_crossentropy,
            name=name,
            reduction=reduction,
            alpha=alpha,
            gamma=gamma,
            from_logits=from_logits,
            label_smoothing=label_smoothing,
            axis=axis,
        )
        self.from_logits = from_logits
        self.alpha = alpha
        self.gamma = gamma


class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """Cross entropy with labels that are numbers of classes.

    Args:
      from_logits, ignore_class: as for `tf.keras.losses.sparse_categorical_crossentropy`.
      reduction, name: as for `Loss`.

    TF: `tf.keras.losses.SparseCategoricalCrossentropy`; no known difference.
    """

    def __init__(
        self,
        from_logits=False,
        ignore_class=None,
        reduction=ReductionV2.AUTO,
        name="sparse_categorical_crossentropy",
    ):
        super().__init__(
            functions.sparse_categorical_crossentropy,
            name=name,
            reduction=reduction,
            from_logits=from_logits,
            ignore_class=ignore_class,
        )


class CosineSimilarity(LossFunctionWrapper):
    """Minus the cosine of the angle between targets and predictions.

    Args:
      axis: as for `tf.keras.losses.cosine_similarity`.
      reduction, name: as for `Loss`.

    TF: `tf.keras.losses.CosineSimilarity`; no known difference.
    """

    def __init__(self, axis=-1, reduction=ReductionV2.AUTO, name="cosine_similarity"):
        super().__init__(functions.cosine_similarity, name=name, reduction=reduction, axis=axis)


class Huber(LossFunctionWrapper):
    """Quadratic in small errors, linear in large ones.

    Args:
      delta: as for `tf.keras.losses.huber`.
      reduction, name: as for `Loss`.

    TF: `tf.keras.losses.Huber`; no known difference.
    """

    def __init__(self, delta=1.0, reduction=ReductionV2.AUTO, name="huber_loss"):
        super().__init__(functions.huber, name=name, reduction=reduction, delta=delta)

"""`Loss`: weights and reduction."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat._core.op import op
from tfcompat._core.public_convert import convert_to_tensor
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.array import cast, expand_dims, squeeze
from tfcompat.distribute import has_strategy
from tfcompat.layers._layer.registry import keras_objects
from tfcompat.layers._layer.serialization import deserialize
from tfcompat.math import divide, multiply, reduce_sum
from tfcompat.ragged._tensor import RaggedTensor


class ReductionV2:
    """How the losses of the samples become the result. TF: `tf.keras.losses.Reduction`."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls):
        """All values."""
        return cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE

    @classmethod
    def validate(cls, key):
        """Raises ValueError for anything else."""
        if key not in cls.all():
            raise ValueError(f'Invalid Reduction Key: {key}. Expected keys are "{cls.all()}"')


Reduction = ReductionV2


class Loss:
    """A loss with weights for the samples and a reduction; to be subclassed, with `call(y_true, y_pred)`.

    Args:
      reduction: "sum_over_batch_size" or "auto", the mean over all entries; "sum"; or "none".
      name: str or None.

    Raises:
      ValueError: unknown `reduction`.

    TF: `tf.keras.losses.Loss` of Keras 2.
    """

    def __init__(self, reduction=ReductionV2.AUTO, name=None):
        ReductionV2.validate(reduction)
        self.reduction = reduction
        self.name = name
        self._allow_sum_over_batch_size = False

    def __call__(self, y_true, y_pred, sample_weight=None):
        """The loss.

        Args:
          y_true: targets.
          y_pred: predictions.
          sample_weight: number, or tensor that broadcasts against the losses of the samples; its last axis may be
            missing or one too many, of size 1.

        Returns:
          Scalar tensor; with reduction "none" the weighted losses of the samples.

        Raises:
          ValueError: the mean over the batch in the scope of a strategy, except for `fit`'s own.
        """
        losses = self.call(y_true, y_pred)
        reduction = self._get_reduction()
        mask = _common_mask(getattr(y_pred, "_keras_mask", None), getattr(losses, "_keras_mask", None))
        if mask is not None:
            sample_weight = apply_valid_mask(losses, sample_weight, mask, reduction)
        return compute_weighted_loss(losses, sample_weight, reduction)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The losses of the samples; for subclasses."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def _get_reduction(self):
        means = self.reduction in (ReductionV2.AUTO, ReductionV2.SUM_OVER_BATCH_SIZE)
        if means and not self._allow_sum_over_batch_size and has_strategy():
            raise ValueError(
                "Please use `tf.keras.losses.Reduction.SUM` or `tf.keras.losses.Reduction.NONE` for loss reduction "
                "when losses are used with `tf.distribute.Strategy`, except for specifying losses in `Model.compile()` "
                "for use by the built-in training looop `Model.fit()`.\nDivide the sum by the size of the whole batch, "
                "as `tf.nn.compute_average_loss` does."
            )
        return ReductionV2.SUM_OVER_BATCH_SIZE if self.reduction == ReductionV2.AUTO else self.reduction

    def get_config(self):
        """The constructor's arguments, as a dict that `from_config` takes."""
        return {"reduction": self.reduction, "name": self.name}

    @classmethod
    def from_config(cls, config):
        """The loss that `config`, from `get_config`, describes."""
        return cls(**config)


class LossFunctionWrapper(Loss):
    """A loss function with its options as a `Loss`."""

    def __init__(self, fn, reduction=ReductionV2.AUTO, name=None, **kwargs):
        super().__init__(reduction=reduction, name=name)
        self.fn = fn
        self._fn_kwargs = kwargs

    def call(self, y_true, y_pred):
        """The losses of the samples."""
        if isinstance(y_true, Tensor) and isinstance(y_pred, Tensor):
            y_pred, y_true = squeeze_or_expand_dimensions(y_pred, y_true)
        return self.fn(y_true, y_pred, **self._fn_kwargs)

    def get_config(self):
        options: dict[str, Any] = self._fn_kwargs
        options = {k: v.numpy() if isinstance(v, Tensor | Variable) else v for k, v in options.items()}  # pyright: ignore
        return {**super().get_config(), **options, "fn": self.fn.__name__}

    @classmethod
    def from_config(cls, config):
        name = config.pop("fn", None)
        if name and cls is LossFunctionWrapper:
            config["fn"] = name if callable(name) else deserialize(name, keras_objects("loss"), None, "loss function")
        return cls(**config)


@op("_weighted_loss", kernel="Mul", tensors=("losses", "weights"), same=())
def _weighted_loss(losses, weights: Any = None, reduction="sum_over_batch_size"):
    dtype = losses.dtype
    if not jnp.issubdtype(dtype, jnp.floating):
        losses = losses.astype(np.float32)
    if weights is not None:
        weights = weights.astype(losses.dtype)
        if weights.ndim and weights.ndim - losses.ndim == 1:
            weights = jnp.squeeze(weights, -1)
        elif weights.ndim and losses.ndim - weights.ndim == 1:
            weights = weights[..., None]
        losses = losses * weights
    if reduction != "none":
        count = losses.size
        losses = jnp.sum(losses, dtype=losses.dtype)
        if reduction == "sum_over_batch_size":
            losses = losses / jnp.asarray(count, losses.dtype) if count else jnp.zeros((), losses.dtype)
    return losses.astype(dtype)


def compute_weighted_loss(losses, sample_weight=None, reduction=ReductionV2.SUM_OVER_BATCH_SIZE, name=None):
    """Losses of samples, weighted and reduced."""
    ReductionV2.validate(reduction)
    if reduction == ReductionV2.AUTO:
        reduction = ReductionV2.SUM_OVER_BATCH_SIZE
    if isinstance(losses, RaggedTensor) or isinstance(sample_weight, RaggedTensor):
        losses, sample_weight = _weighted_rows(losses, sample_weight), None
        if reduction == ReductionV2.NONE:
            return losses
        losses = losses.flat_values
    return _weighted_loss(losses, sample_weight, reduction)


def _weighted_rows(losses, sample_weight: Any) -> Any:
    """Losses times weights, where some are ragged; a last axis of the weights may be missing or one too many."""
    if sample_weight is None:
        return losses
    weights = sample_weight if isinstance(sample_weight, RaggedTensor) else convert_to_tensor(sample_weight)
    rank = losses.shape.rank
    if weights.shape.rank and weights.shape.rank == rank - 1:
        weights = expand_dims(weights, -1)
    elif weights.shape.rank and weights.shape.rank == rank + 1:
        weights = _without_last_axis(weights)
    return multiply(losses, cast(weights, losses.dtype))


def _without_last_axis(weights):
    if not isinstance(weights, RaggedTensor):
        return squeeze(weights, -1)
    if weights.flat_values.shape.rank > 1:
        return weights.with_flat_values(squeeze(weights.flat_values, -1))
    return RaggedTensor.from_nested_row_splits(weights.flat_values, weights.nested_row_splits[:-1], validate=False)


def remove_squeezable_dimensions(labels, predictions, expected_rank_diff=0):
    """Both tensors; the one of higher rank loses a last axis of size 1."""
    labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
    difference = predictions.shape.rank - labels.shape.rank
    if difference == expected_rank_diff + 1 and predictions.shape[-1] in (1, None):
        predictions = squeeze(predictions, [-1])
    elif difference == expected_rank_diff - 1 and labels.shape[-1] in (1, None):
        labels = squeeze(labels, [-1])
    return labels, predictions


def squeeze_or_expand_dimensions(y_pred, y_true: Any = None, sample_weight: Any = None) -> Any:
    """Predictions, targets and, if given, weights, with a last axis of size 1 added or taken away where ranks differ.

    Returns:
      (y_pred, y_true), or (y_pred, y_true, sample_weight) where there are weights.
    """
    if y_true is not None:
        difference = y_pred.shape.rank - y_true.shape.rank
        if difference and (difference != 1 or y_pred.shape[-1] == 1):
            y_true, y_pred = remove_squeezable_dimensions(y_true, y_pred)
    if sample_weight is None:
        return y_pred, y_true
    rank = sample_weight.shape.rank
    if rank and rank - y_pred.shape.rank == 1:
        sample_weight = squeeze(sample_weight, [-1])
    elif rank and y_pred.shape.rank - rank == 1:
        sample_weight = expand_dims(sample_weight, -1)
    return y_pred, y_true, sample_weight


def _common_mask(one, other):
    if one is None or other is None:
        return other if one is None else one
    return one & other


def apply_mask(y_p, sample_weight, mask):
    """Weights that are 0 where the mask is False."""
    if mask is None:
        return sample_weight
    mask = cast(mask, y_p.dtype)
    if sample_weight is None:
        return mask
    sample_weight = cast(sample_weight, mask.dtype)
    mask, _, sample_weight = squeeze_or_expand_dimensions(mask, sample_weight=sample_weight)
    return sample_weight * mask


def apply_valid_mask(losses, sample_weight, mask, reduction):
    """Weights that are 0 where the mask is False, and make a mean one over the other entries."""
    if mask is not None:
        mask = cast(mask, losses.dtype)
        if reduction in (ReductionV2.AUTO, ReductionV2.SUM_OVER_BATCH_SIZE):
            total = cast(mask.shape.num_elements(), losses.dtype)
            mask = mask * divide(total, reduce_sum(mask))
    return apply_mask(losses, sample_weight, mask)

"""BatchNormalization."""

import warnings
from typing import Any

import jax.numpy as jnp

from tfcompat import engine
from tfcompat._core.op import FLOATING, op
from tfcompat._core.shape import TensorShape
from tfcompat._core.variable_context import VariableAggregation, VariableSynchronization
from tfcompat.array import cast, expand_dims, ones_like, where, zeros_like
from tfcompat.distribute import get_replica_context
from tfcompat.errors import UnimplementedError
from tfcompat.layers import initializers
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.overrides import overridden
from tfcompat.layers._normalization.affine import (
    AffineNormalization,
    SettledOp,
    checked_axis,
    moments,
    normalized,
    spread,
)
from tfcompat.layers._normalization.batch_normalization_steps import STEPS, BatchNormalizationSteps, known
from tfcompat.math import reduce_sum
from tfcompat.nn import weighted_moments
from tfcompat.tape import stop_gradient


@op(
    "_batch_norm",
    kernel="FusedBatchNormV3",
    tensors=("x", "gamma", "beta"),
    same=("gamma", "beta"),
    dtypes=FLOATING,
)
def _batch_norm(x, gamma=None, beta=None, axis=(-1,), epsilon=1e-3, wide: Any = None, fused=False):
    """Normalizes with the batch's own moments; returns the result, mean and variance.

    `wide` is the DType of moments. With `fused` the variance has Bessel's correction, as the kernel's.
    """
    h = x.astype(wide.np)
    axes = tuple(i for i in range(x.ndim) if i not in axis)
    mean, variance = moments(h, axes, fused)
    result = normalized(h, mean, variance, spread(gamma, x, axis), spread(beta, x, axis), epsilon, fused)
    if fused:
        # The fused kernel's variance has Bessel's correction: it divides by n - 1.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/normalization/batch_normalization.py
        count = x.size // max(variance.size, 1)
        variance = variance * (count / max(count - 1, 1))
    if len(axis) == 1:
        mean, variance = jnp.reshape(mean, -1), jnp.reshape(variance, -1)
    return result.astype(x.dtype), mean, variance


@op(
    "_batch_norm_with",
    kernel="FusedBatchNormV3",
    tensors=("x", "mean", "variance", "gamma", "beta"),
    same=("mean", "variance", "gamma", "beta"),
    dtypes=FLOATING,
)
def _batch_norm_with(x, mean: Any, variance, gamma=None, beta=None, axis=(-1,), epsilon=1e-3, fused=False):
    """Normalizes with given moments."""
    mean, variance, gamma, beta = (spread(parameter, x, axis) for parameter in (mean, variance, gamma, beta))
    return normalized(x.astype(mean.dtype), mean, variance, gamma, beta, epsilon, fused).astype(x.dtype)


@op(
    "_moving_averages",
    kernel="AssignMovingAvg",
    tensors=("mean", "variance", "new_mean", "new_variance", "decay"),
    same=("mean", "variance", "new_mean", "new_variance"),
)
def _moving_averages(mean, variance, new_mean, new_variance, decay):
    """The averages moved by the share `decay` towards the new values."""
    decay = decay.astype(mean.dtype)
    return mean - (mean - new_mean) * decay, variance - (variance - new_variance) * decay


_move = SettledOp(_moving_averages, True, True, True, True, True)


class BatchNormalization(BatchNormalizationSteps, AffineNormalization):
    """Normalizes each channel by the mean and variance of the batch, or by their moving averages.

    Args:
      axis: int or list of ints, the channels.
      momentum: float; in training an average becomes `average * momentum + batch's * (1 - momentum)`.
      epsilon: float added to the variance.
      center: bool, whether `beta` is added.
      scale: bool, whether the result is multiplied by `gamma`.
      beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer: names or
        functions of (shape, dtype).
      beta_regularizer, gamma_regularizer: names or functions from the weight to a loss, or None.
      beta_constraint, gamma_constraint: names or functions for optimizers to apply, or None.
      synchronized: bool, whether the batch is that of all replicas; it excludes `fused`.
      **kwargs: those of `Layer`; `fused`. `renorm`, `virtual_batch_size` and `adjustment` are refused.

    Called with `training=True`, it normalizes by the batch and moves the averages; with False, by the
    averages. `trainable = False` makes every call one with False.

    Raises:
      ValueError: an axis is out of range or given twice, or its size unknown; `fused=True` where it cannot
        be.
      tf.errors.UnimplementedError: an option refused.

    Inputs: floating tensor of any rank. Outputs: the same shape and dtype. Where they have a mask, of the
      inputs' shape without the last axis, the batch's moments are those of what it keeps; not if "fused".
    Weights: `gamma`, `beta`, `moving_mean`, `moving_variance`, of the size of the channels.
    Gradient: through the batch's mean and variance, not through the averages. For inputs of rank 4 or 5 with
      the channels first or last the layer is "fused", as in TF: the moving variance then takes the unbiased
      variance, and second derivatives are exact; otherwise they lack a part, since `tf.nn.moments` stops a
      gradient.
    TF: `tf.keras.layers.BatchNormalization`.
    """

    def __init__(
        self,
        axis=-1,
        momentum=0.99,
        epsilon=1e-3,
        center=True,
        scale=True,
        beta_initializer="zeros",
        gamma_initializer="ones",
        moving_mean_initializer="zeros",
        moving_variance_initializer="ones",
        beta_regularizer=None,
        gamma_regularizer=None,
        beta_constraint=None,
        gamma_constraint=None,
        synchronized=False,
        **kwargs,
    ):
        fused = kwargs.pop("fused", None)
        for option in ("renorm", "virtual_batch_size", "adjustment"):
            if kwargs.pop(option, None):
                raise UnimplementedError(
                    None,
                    None,
                    f"BatchNormalization: `{option}` is not available in tfcompat: use plain batch "
                    "normalization, or write it as a Layer of your own with tf.nn.moments",
                )
        for option in ("renorm_clipping", "renorm_momentum"):
            kwargs.pop(option, None)
        super().__init__(
            axis,
            epsilon,
            center,
            scale,
            (beta_initializer, gamma_initializer),
            (beta_regularizer, gamma_regularizer),
            (beta_constraint, gamma_constraint),
            **kwargs,
        )
        if synchronized and fused:
            raise ValueError("`fused=True` is not supported when `synchronized=True`.")
        self.momentum = momentum
        self.synchronized = synchronized
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)
        if fused:
            self._raise_if_fused_cannot_be_used()
        self.fused = False if synchronized or fused is None and not self._fused_can_be_used() else fused

    def _fused_for(self, rank, input_shape):
        """Whether TF's fused kernel takes inputs of this rank, the axis being known."""
        if self.fused is False:
            return False
        if rank not in (4, 5):
            if self.fused:
                raise ValueError(
                    "Batch normalization layers with `fused=True` only support 4D or 5D input tensors. "
                    f"Received tensor with shape: {tuple(input_shape.as_list())}"
                )
            return False
        if self.axis in ([1], [rank - 1]):
            return True
        if rank == 5:
            return False
        raise ValueError(
            "Unsupported axis. The use of `fused=True` is only possible with `axis=1` or `axis=3` for 4D "
            f"input tensors. Received: axis={tuple(self.axis)}"
        )

    def build(self, input_shape):
        input_shape = TensorShape(input_shape)
        sizes = input_shape.as_list()
        rank = len(sizes)
        self.axis = checked_axis(self.axis, rank)
        self.fused = self._fused_for(rank, input_shape)
        if any(sizes[axis] is None for axis in self.axis):
            raise ValueError(
                f"Input has undefined `axis` dimension. Received input with shape {tuple(sizes)} and "
                f"axis={tuple(self.axis)}"
            )
        self.input_spec = InputSpec(ndim=rank, axes={axis: sizes[axis] for axis in self.axis})
        if len(self.axis) == 1:
            shape = (sizes[self.axis[0]],)
        else:
            shape = tuple(sizes[i] if i in self.axis else 1 for i in range(rank))
        wide = "float32" if self.dtype in ("float16", "bfloat16") else self.dtype
        self._add_scale_and_offset(shape, wide)
        averages = {
            "shape": shape,
            "dtype": wide,
            "synchronization": VariableSynchronization.ON_READ,
            "aggregation": VariableAggregation.MEAN,
            "autocast": False,
        }
        self.moving_mean = self.add_weight(
            "moving_mean", initializer=self.moving_mean_initializer, **averages
        )
        self.moving_variance = self.add_weight(
            "moving_variance", initializer=self.moving_variance_initializer, **averages
        )
        options = {"axis": tuple(self.axis), "epsilon": float(self.epsilon), "fused": self.fused}
        has_weights = self.scale, self.center
        self._normalize = SettledOp(_batch_norm, True, *has_weights, **options, wide=self.moving_mean.dtype)
        self._normalize_with = SettledOp(_batch_norm_with, True, True, True, *has_weights, **options)
        super().build(input_shape)

    def call(self, inputs, training=None, mask=None):
        if inputs.dtype is not self._compute_dtype_object:
            inputs = cast(inputs, self._compute_dtype_object)
        if mask is not None and self.fused:
            warnings.warn(
                f"{self.name}: a mask counts with `fused=False` only; it is passed over", stacklevel=2
            )
            mask = None
        training = self._get_training_value(training)
        if type(training) is not bool:
            training = known(training)
        if overridden(self, BatchNormalization, *STEPS):
            return self._called_by_steps(inputs, training, mask)
        if training is True:
            return self._by_batch(inputs, None, mask)
        if training is False:
            return self._by_averages(inputs)
        return where(training, self._by_batch(inputs, training, mask), self._by_averages(inputs))

    def _by_batch(self, inputs, condition, mask):
        in_replica = engine.state.context.replica is not None
        has_rows = not in_replica or 0 not in inputs.shape.as_list()
        if self.synchronized and in_replica and mask is None:
            mean, variance = self._moments_of_all_replicas(inputs)
            outputs = self._normalize_with(inputs, mean, variance, self.gamma, self.beta)
        elif not has_rows:  # of a batch that did not go round; as in TF, nothing is nan then
            mean = variance = zeros_like(self.moving_mean)
            outputs = self._normalize_with(inputs, mean, variance, self.gamma, self.beta)
        elif mask is None:
            outputs, mean, variance = self._normalize(inputs, self.gamma, self.beta)
        else:
            axes = [i for i in range(len(inputs.shape)) if i not in self.axis]
            wide = cast(inputs, self.moving_mean.dtype)
            weights = expand_dims(cast(mask, wide.dtype), -1)
            mean, variance = weighted_moments(wide, axes, weights, keepdims=len(self.axis) > 1)
            outputs = self._normalize_with(inputs, mean, variance, self.gamma, self.beta)
        if has_rows:
            with engine.watching(()):
                self._move_averages(mean, variance, condition)
        return outputs

    def _moments_of_all_replicas(self, inputs):
        """Mean and variance of the batches of all replicas."""
        axes = [i for i in range(len(inputs.shape)) if i not in self.axis]
        wide = cast(inputs, self.moving_mean.dtype)
        keeps = len(self.axis) > 1
        sums = [reduce_sum(x, axes, keepdims=keeps) for x in (wide, wide * wide)]
        count = reduce_sum(ones_like(wide), axes, keepdims=keeps)
        total, squares, count = get_replica_context().all_reduce("SUM", [*sums, stop_gradient(count)])
        mean = total / count
        return mean, squares / count - mean * mean

    def _move_averages(self, mean, variance, condition):
        averages = (self.moving_mean, self.moving_variance)
        moved_averages = _move(*averages, mean, variance, 1.0 - self.momentum)
        for average, moved in zip(averages, moved_averages, strict=True):
            average.assign(moved if condition is None else where(condition, moved, average))

    def _by_averages(self, inputs):
        mean, variance = self.moving_mean, self.moving_variance
        # The fused kernel has no gradient with respect to the averages.
        # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/nn_grad.py
        if self.fused:
            mean, variance = stop_gradient(mean), stop_gradient(variance)
        return self._normalize_with(inputs, mean, variance, self.gamma, self.beta)

    def get_config(self):
        return {
            **super().get_config(),
            "momentum": self.momentum,
            "moving_mean_initializer": initializers.serialize(self.moving_mean_initializer),
            "moving_variance_initializer": initializers.serialize(self.moving_variance_initializer),
        }

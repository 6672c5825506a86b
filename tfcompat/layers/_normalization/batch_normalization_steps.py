"""The steps of `BatchNormalization` as methods, for subclasses that override one."""

from typing import Any

from tfcompat import dtypes, engine
from tfcompat._control._branches import cond
from tfcompat._core.tensor import Tensor
from tfcompat.array import cast, expand_dims, identity, where
from tfcompat.layers._layer import settings as _settings
from tfcompat.nn import moments, weighted_moments

# One of these overridden, the layer runs by `_called_by_steps`.
STEPS = (
    "_moments",
    "_calculate_mean_and_var",
    "_no_sync_calculate_mean_and_var",
    "_sync_calculate_mean_and_var",
    "_assign_moving_average",
    "_assign_new_value",
    "_fused_batch_norm",
    "add_update",
)
_FUSED_DTYPES = ("float16", "bfloat16", "float32")


class BatchNormalizationSteps:
    """Methods that Keras's layer calls on itself, with the same arguments."""

    axis: Any
    fused: Any
    momentum: Any
    trainable: Any
    synchronized: Any
    moving_mean: Any
    moving_variance: Any
    renorm = False
    virtual_batch_size = None
    adjustment = None

    @property
    def _param_dtype(self):
        dtype = dtypes.as_dtype(getattr(self, "dtype", None) or "float32")
        return dtypes.float32 if dtype.name in ("float16", "bfloat16") else dtype

    def _support_zero_size_input(self):
        return False

    def _raise_if_fused_cannot_be_used(self):
        layer: Any = self
        axis = [self.axis] if isinstance(self.axis, int) else self.axis
        if len(axis) > 1 or axis[0] not in (-4, -3, -1, 1, 3, 4):
            raise ValueError(
                "Passing `fused=True` is only supported when axis is 1 or 3 for input rank = 4 or 1 or 4 for "
                f"input rank = 5. Got axis {axis}"
            )
        if layer.compute_dtype not in _FUSED_DTYPES:
            raise ValueError(
                "Passing `fused=True` is only supported when the compute dtype is float16, bfloat16, or "
                f"float32. Got dtype: {layer.compute_dtype}"
            )

    def _fused_can_be_used(self):
        try:
            self._raise_if_fused_cannot_be_used()
        except ValueError:
            return False
        return True

    def _get_training_value(self, training=None):
        """Whether to normalize by the batch: a bool, or a tensor whose value is known only later."""
        if not self.trainable:
            return False
        return known(_settings.learning_phase() if training is None else training)

    # --- the layer step by step ------------------------------------------------------------------------------

    def _called_by_steps(self, inputs, training, mask):
        layer: Any = self
        if self.fused:
            return self._fused_batch_norm(inputs, mask=mask, training=training)
        if training is False:
            return layer._by_averages(inputs)
        wide = cast(inputs, self.moving_mean.dtype)
        axes = [i for i in range(len(inputs.shape)) if i not in self.axis]
        mean, variance = self._moments(wide, axes, keep_dims=len(self.axis) > 1, mask=mask)
        mean, variance = (cast(x, self.moving_mean.dtype) for x in (mean, variance))
        outputs = layer._normalize_with(inputs, mean, variance, layer.gamma, layer.beta)
        self._update(self.moving_mean, mean, training)
        self._update(self.moving_variance, variance, training)
        return outputs if training is True else where(training, outputs, layer._by_averages(inputs))

    def _update(self, variable, value, training):
        def moved():
            return identity(self._assign_moving_average(variable, value, self.momentum, None))

        def update():
            return moved() if training is True else cond(training, moved, lambda: identity(variable))

        layer: Any = self
        layer.add_update(update)

    def _moments(self, inputs, reduction_axes, keep_dims, mask=None):
        return self._calculate_mean_and_var(inputs, reduction_axes, keep_dims, mask=mask)

    def _calculate_mean_and_var(self, inputs, reduction_axes, keep_dims, mask=None):
        if self.synchronized:
            return self._sync_calculate_mean_and_var(inputs, reduction_axes, keep_dims, mask=mask)
        return self._no_sync_calculate_mean_and_var(inputs, reduction_axes, keep_dims, mask=mask)

    def _sync_calculate_mean_and_var(self, x, reduction_axes, keep_dims, mask=None):
        return self._no_sync_calculate_mean_and_var(x, reduction_axes, keep_dims, mask=mask)

    def _no_sync_calculate_mean_and_var(self, inputs, reduction_axes, keep_dims, mask=None):
        if mask is None:
            return moments(inputs, reduction_axes, keepdims=keep_dims)
        weights = expand_dims(cast(mask, inputs.dtype), -1)
        return weighted_moments(inputs, reduction_axes, weights, keepdims=keep_dims)

    def _assign_moving_average(self, variable, value, momentum, inputs_size):
        with engine.watching(()):
            decay = cast(1.0 - momentum, variable.dtype)
            return variable.assign_sub((variable - cast(value, variable.dtype)) * decay)

    def _assign_new_value(self, variable, value):
        with engine.watching(()):
            return variable.assign(value)

    def _fused_batch_norm(self, inputs, mask, training):
        layer: Any = self
        if training is False:
            return layer._by_averages(inputs)
        outputs, mean, variance = layer._normalize(inputs, layer.gamma, layer.beta)
        averages = (self.moving_mean, self.moving_variance)
        with engine.watching(()):
            decay = cast(1.0 - self.momentum, mean.dtype)
            pairs = zip(averages, (mean, variance), strict=True)
            moved: Any = [old - (old - new) * decay for old, new in pairs]
            if training is not True:
                moved = [where(training, new, old) for new, old in zip(moved, averages, strict=True)]
        for variable, value in zip(averages, moved, strict=True):
            layer.add_update(lambda variable=variable, value=value: self._assign_new_value(variable, value))
        return outputs if training is True else where(training, outputs, layer._by_averages(inputs))


def known(training):
    """`training` as a bool where its value is known."""
    if isinstance(training, Tensor):
        try:
            return bool(training)
        except TypeError:
            return cast(training, "bool")
    return bool(training)

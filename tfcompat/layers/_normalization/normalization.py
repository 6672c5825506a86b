"""BatchNormalization and LayerNormalization."""

import warnings
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat import engine
from tfcompat._core.convert import to_node
from tfcompat._core.op import FLOATING, op
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import wrap
from tfcompat._core.variable import VariableAggregation, VariableSynchronization
from tfcompat.array import cast, expand_dims, where
from tfcompat.errors import UnimplementedError
from tfcompat.keras import initializers
from tfcompat.layers import constraints, regularizers
from tfcompat.layers._layer.hooks import overridden
from tfcompat.layers._layer.input_spec import InputSpec
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._normalization.batch_norm_hooks import STEPS, BatchNormHooks, known
from tfcompat.nn import weighted_moments
from tfcompat.tape import stop_gradient


def _moments(x, axes, fused):
    """Mean and variance of `x` along `axes`, which are kept."""
    mean = jnp.mean(x, axes, keepdims=True)
    # The derivative with respect to the mean is zero, so tf.nn.moments leaves it out, and with it a part of
    # the second derivative. The fused kernels have all of it.
    centred = x - (mean if fused else lax.stop_gradient(mean))
    return mean, jnp.mean(jnp.square(centred), axes, keepdims=True)


def _normalized(x, mean, variance, gamma: Any, beta: Any, epsilon, fused):
    """`(x - mean) / sqrt(variance + epsilon) * gamma + beta`, multiplied out as TF does it."""
    scale = lax.rsqrt(variance + epsilon)
    if gamma is not None:
        scale = scale * gamma
    if fused:
        result = (x - mean) * scale
        return result if beta is None else result + beta
    return x * scale + (-mean * scale if beta is None else beta - mean * scale)


def _spread(parameter, x, axis):
    """A parameter in a shape that broadcasts against `x`, which it belongs to along `axis`."""
    if parameter is None or parameter.ndim == x.ndim:
        return parameter
    shape = [1] * x.ndim
    for size, position in zip(parameter.shape, axis, strict=True):
        shape[position] = size
    return jnp.reshape(parameter, shape)


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
    mean, variance = _moments(h, axes, fused)
    result = _normalized(h, mean, variance, _spread(gamma, x, axis), _spread(beta, x, axis), epsilon, fused)
    if fused:
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
    mean, variance, gamma, beta = (_spread(parameter, x, axis) for parameter in (mean, variance, gamma, beta))
    return _normalized(x.astype(mean.dtype), mean, variance, gamma, beta, epsilon, fused).astype(x.dtype)


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


@op("_layer_norm", kernel="FusedBatchNormV3", tensors=("x", "gamma", "beta"), same=("gamma", "beta"), dtypes=FLOATING)
def _layer_norm(x, gamma=None, beta=None, axis=(-1,), epsilon=1e-3, wide: Any = None, fused=False):
    """Normalizes along `axis`; in the DType `wide`, unless it is None."""
    gamma, beta = _spread(gamma, x, axis), _spread(beta, x, axis)
    if wide is not None:
        h = x.astype(wide.np)
        if not fused:
            return _normalized(h, *_moments(h, axis, False), gamma, beta, epsilon, False).astype(x.dtype)
        result = _normalized(h, *_moments(h, axis, True), None, None, epsilon, True).astype(x.dtype)
        result = result if gamma is None else result * gamma.astype(x.dtype)
        return result if beta is None else result + beta.astype(x.dtype)
    if fused:
        result = _normalized(x, *_moments(x, axis, True), None, None, epsilon, True)
        result = result if gamma is None else result * gamma
        return result if beta is None else result + beta
    return _normalized(x, *_moments(x, axis, False), gamma, beta, epsilon, False)


class _Prepared:
    """An op whose static arguments are settled: a call converts the tensors and records it, nothing else.

    Args:
      function: op.
      *given: for each tensor parameter in turn, whether it will be given; None stands for the others.
      **statics: all its static arguments.
    """

    def __init__(self, function, *given, **statics):
        layout = tuple(1 if each else None for each in given)
        values = [statics[name] for name in function.spec.statics]
        self._operation = function.operation
        self._attributes = engine.attributes_of(layout, *values)

    def __call__(self, *tensors):
        nodes = tuple([to_node(tensor) for tensor in tensors if tensor is not None])
        result = engine.apply(self._operation, nodes, self._attributes)
        return [wrap(node) for node in result] if type(result) is tuple else wrap(result)

    def __deepcopy__(self, memo):
        return self


_move = _Prepared(_moving_averages, True, True, True, True, True)


class _Normalization(Layer):
    """What the two layers below share: options, and the weights `gamma` and `beta`."""

    def __init__(self, axis, epsilon, center, scale, initial, regularizer, constraint, **kwargs):
        super().__init__(**kwargs)
        if isinstance(axis, list | tuple):
            self.axis = list(axis)
        elif isinstance(axis, int):
            self.axis = axis
        else:
            raise TypeError(
                f"Expected an int or a list/tuple of ints for the argument 'axis', but received: {axis!r}"
            )
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer, self.gamma_initializer = (initializers.get(i) for i in initial)
        self.beta_regularizer, self.gamma_regularizer = (regularizers.get(r) for r in regularizer)
        self.beta_constraint, self.gamma_constraint = (constraints.get(c) for c in constraint)
        self.supports_masking = True

    def _add_scale_and_offset(self, shape, dtype):
        self.gamma = self.beta = None
        if self.scale:
            self.gamma = self.add_weight(
                "gamma",
                shape,
                dtype,
                self.gamma_initializer,
                self.gamma_regularizer,
                True,
                self.gamma_constraint,
                autocast=False,
            )
        if self.center:
            self.beta = self.add_weight(
                "beta", shape, dtype, self.beta_initializer, self.beta_regularizer, True, self.beta_constraint,
                autocast=False,
            )  # fmt: skip

    def compute_output_shape(self, input_shape):
        return TensorShape(input_shape)

    def get_config(self):
        return {
            **super().get_config(),
            "axis": self.axis,
            "epsilon": self.epsilon,
            "center": self.center,
            "scale": self.scale,
            "beta_initializer": initializers.serialize(self.beta_initializer),
            "gamma_initializer": initializers.serialize(self.gamma_initializer),
            "beta_regularizer": regularizers.serialize(self.beta_regularizer),
            "gamma_regularizer": regularizers.serialize(self.gamma_regularizer),
            "beta_constraint": constraints.serialize(self.beta_constraint),
            "gamma_constraint": constraints.serialize(self.gamma_constraint),
        }


class BatchNormalization(BatchNormHooks, _Normalization):
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
      synchronized: without effect on a single device, except that it excludes `fused`.
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
        self.axis = _checked_axis(self.axis, rank)
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
        given = self.scale, self.center
        self._normalize = _Prepared(_batch_norm, True, *given, **options, wide=self.moving_mean.dtype)
        self._normalize_with = _Prepared(_batch_norm_with, True, True, True, *given, **options)
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
        if mask is None:
            outputs, mean, variance = self._normalize(inputs, self.gamma, self.beta)
        else:
            axes = [i for i in range(len(inputs.shape)) if i not in self.axis]
            wide = cast(inputs, self.moving_mean.dtype)
            weights = expand_dims(cast(mask, wide.dtype), -1)
            mean, variance = weighted_moments(wide, axes, weights, keepdims=len(self.axis) > 1)
            outputs = self._normalize_with(inputs, mean, variance, self.gamma, self.beta)
        with engine.watching(()):
            self._move_averages(mean, variance, condition)
        return outputs

    def _move_averages(self, mean, variance, condition):
        averages = (self.moving_mean, self.moving_variance)
        moved_averages = _move(*averages, mean, variance, 1.0 - self.momentum)
        for average, moved in zip(averages, moved_averages, strict=True):
            average.assign(moved if condition is None else where(condition, moved, average))

    def _by_averages(self, inputs):
        mean, variance = self.moving_mean, self.moving_variance
        if self.fused:  # whose gradient with respect to the averages is None in TF
            mean, variance = stop_gradient(mean), stop_gradient(variance)
        return self._normalize_with(inputs, mean, variance, self.gamma, self.beta)

    def get_config(self):
        return {
            **super().get_config(),
            "momentum": self.momentum,
            "moving_mean_initializer": initializers.serialize(self.moving_mean_initializer),
            "moving_variance_initializer": initializers.serialize(self.moving_variance_initializer),
        }


class LayerNormalization(_Normalization):
    """Normalizes each example by its own mean and variance.

    Args:
      axis: int or list of ints, along which moments are taken; `gamma` and `beta` have these axes.
      epsilon: float added to the variance.
      center: bool, whether `beta` is added.
      scale: bool, whether the result is multiplied by `gamma`.
      beta_initializer, gamma_initializer: names or functions of (shape, dtype).
      beta_regularizer, gamma_regularizer: names or functions from the weight to a loss, or None.
      beta_constraint, gamma_constraint: names or functions for optimizers to apply, or None.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: an axis is out of range or given twice.

    Inputs: floating tensor of any rank. Outputs: the same shape and dtype.
    Weights: `gamma`, `beta`, of the sizes of `axis`.
    Gradient: second derivatives are exact where TF uses its fused kernel: float32, `axis` the last axes,
      `epsilon` from 1.001e-5 on. Otherwise they lack a part, since `tf.nn.moments` stops a gradient.
    TF: `tf.keras.layers.LayerNormalization`; no known difference.
    """

    def __init__(
        self,
        axis=-1,
        epsilon=1e-3,
        center=True,
        scale=True,
        beta_initializer="zeros",
        gamma_initializer="ones",
        beta_regularizer=None,
        gamma_regularizer=None,
        beta_constraint=None,
        gamma_constraint=None,
        **kwargs,
    ):
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

    def build(self, input_shape):
        input_shape = TensorShape(input_shape)
        rank = len(input_shape.as_list())
        self.axis = _checked_axis(self.axis, rank)
        self._add_scale_and_offset([input_shape[axis] for axis in self.axis], None)
        fused = bool(self._fused_can_be_used(rank))
        options = {"axis": tuple(self.axis), "epsilon": float(self.epsilon), "fused": fused}
        options["wide"] = self._dtype_policy._stored if self._dtype_policy.is_mixed else None
        self._normalize = _Prepared(_layer_norm, True, self.scale, self.center, **options)
        super().build(input_shape)

    def call(self, inputs):
        if inputs.dtype is not self._compute_dtype_object:
            inputs = cast(inputs, self._compute_dtype_object)
        return self._normalize(inputs, self.gamma, self.beta)

    def _fused_can_be_used(self, ndims):
        axis = sorted(self.axis)
        together_at_end = axis == list(range(ndims - len(axis), ndims))
        return together_at_end and self.epsilon >= 1.001e-5 and self.dtype == "float32"


def _checked_axis(axis, rank):
    """The axes as a list, counted from the front."""
    given = [axis] if isinstance(axis, int) else list(axis)
    counted = [a + rank if a < 0 else a for a in given]
    for a in counted:
        if not 0 <= a < rank:
            raise ValueError(
                "Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank (with "
                f"inputs.rank={rank}). Received: axis={tuple(counted)}"
            )
    if len(set(counted)) < len(counted):
        raise ValueError(f"Duplicate axis: {tuple(counted)}")
    return counted

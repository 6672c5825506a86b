"""What BatchNormalization and LayerNormalization share: moments, and the weights `gamma` and `beta`."""

from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat import engine
from tfcompat._core import graphs
from tfcompat._core.composite import CompositeArgument
from tfcompat._core.convert import to_node
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import wrap
from tfcompat.layers import constraints, initializers, regularizers
from tfcompat.layers._layer.layer import Layer


def moments(x, axes, fused):
    """Mean and variance of `x` along `axes`, which are kept."""
    mean = jnp.mean(x, axes, keepdims=True)
    # The derivative with respect to the mean is zero, so tf.nn.moments leaves it out, and with it a part of
    # the second derivative. The fused kernels have all of it.
    centred = x - (mean if fused else lax.stop_gradient(mean))
    return mean, jnp.mean(jnp.square(centred), axes, keepdims=True)


def normalized(x, mean, variance, gamma: Any, beta: Any, epsilon, fused):
    """`(x - mean) / sqrt(variance + epsilon) * gamma + beta`, multiplied out as TF does it."""
    scale = lax.rsqrt(variance + epsilon)
    if gamma is not None:
        scale = scale * gamma
    if fused:
        result = (x - mean) * scale
        return result if beta is None else result + beta
    return x * scale + (-mean * scale if beta is None else beta - mean * scale)


def spread(parameter, x, axis):
    """A parameter in a shape that broadcasts against `x`, which it belongs to along `axis`."""
    if parameter is None or parameter.ndim == x.ndim:
        return parameter
    shape = [1] * x.ndim
    for size, position in zip(parameter.shape, axis, strict=True):
        shape[position] = size
    return jnp.reshape(parameter, shape)


class SettledOp:
    """An op whose static arguments are settled: a call converts the tensors and records it, nothing else.

    Args:
      function: op.
      *given: for each tensor parameter in turn, whether it will be given; None stands for the others.
      **statics: all its static arguments.
    """

    def __init__(self, function, *present, **statics):
        layout = tuple(1 if each else None for each in present)
        values = [statics[name] for name in function.spec.statics]
        self._operation = function.operation
        self._attributes = engine.attributes_of(layout, *values)

    def __call__(self, *tensors):
        try:
            nodes = tuple([to_node(tensor) for tensor in tensors if tensor is not None])
        except CompositeArgument:  # tensors of a graph
            if graphs.current() is None:
                raise
            return graphs.record(self, tensors, {})
        result = engine.apply(self._operation, nodes, self._attributes)
        return [wrap(node) for node in result] if type(result) is tuple else wrap(result)

    def __deepcopy__(self, memo):
        return self


class AffineNormalization(Layer):
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


def checked_axis(axis, rank):
    """The axes as a list, counted from the front."""
    axes = [axis] if isinstance(axis, int) else list(axis)
    counted = [a + rank if a < 0 else a for a in axes]
    for a in counted:
        if not 0 <= a < rank:
            raise ValueError(
                "Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank (with "
                f"inputs.rank={rank}). Received: axis={tuple(counted)}"
            )
    if len(set(counted)) < len(counted):
        raise ValueError(f"Duplicate axis: {tuple(counted)}")
    return counted

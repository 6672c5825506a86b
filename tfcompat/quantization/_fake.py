"""`fake_quant_*`: numbers rounded to evenly spaced levels, still as float32."""

import collections

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import traced, when_run
from tfcompat._core.op import op
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.array._arguments import invalid, show_shape
from tfcompat.dtypes import float32

_FLOAT32 = frozenset({float32})
FakeQuantWithMinMaxVarsGradient = collections.namedtuple(
    "FakeQuantWithMinMaxVarsGradient", ["backprops_wrt_input", "backprop_wrt_min", "backprop_wrt_max"]
)
FakeQuantWithMinMaxVarsPerChannelGradient = collections.namedtuple(
    "FakeQuantWithMinMaxVarsPerChannelGradient", ["backprops_wrt_input", "backprop_wrt_min", "backprop_wrt_max"]
)


def _levels(num_bits, narrow_range):
    if not 2 <= num_bits <= 16:
        raise when_run("num_bits must be between 2 and 16, inclusive")
    return np.float32(1 if narrow_range else 0), np.float32(2**num_bits - 1)


def _nudged(low, high, levels):
    """The ends of the range, moved so that zero is a level; and the distance of levels."""
    first, last = levels
    # XLA multiplies by the reciprocal of a constant instead. That differs in the last place, and so may the level.
    # https://github.com/openxla/xla/blob/main/xla/hlo/transforms/simplifiers/algebraic_simplifier.cc
    scale = (high - low) / lax.optimization_barrier(last - first)
    zero = jnp.clip(jnp.floor(first - low / scale + np.float32(0.5)), first, last)
    return (first - zero) * scale, (last - zero) * scale, scale


@jax.custom_jvp
def _quantized(x, low, high, levels):
    nothing = (low == 0) & (high == 0)
    start, end, scale = _nudged(low, jnp.where(nothing, jnp.ones_like(high), high), levels)
    steps = jnp.floor((jnp.maximum(jnp.minimum(x, end), start) - start) * (1 / scale) + np.float32(0.5))
    return jnp.where(nothing, jnp.zeros_like(x), steps * scale + start)


def _regions(x, low, high, levels):
    """Where `x` lies within the moved bounds, below and above them: the parts of the gradient to x, low and high.

    Rounding is left out of TF's gradient: tensorflow/core/kernels/fake_quant_ops_functor.h.
    """
    nothing = (low == 0) & (high == 0)
    start, end, _ = _nudged(low, jnp.where(nothing, jnp.ones_like(high), high), levels)
    return ((x >= start) & (x <= end)) | nothing, (x < start) & ~nothing, (x > end) & ~nothing


@_quantized.defjvp
def _quantized_jvp(primals, tangents):
    x = primals[0]
    regions = _regions(*primals)
    moved = sum(jnp.where(region, t, jnp.zeros_like(x)) for region, t in zip(regions, tangents[:3], strict=True))
    return _quantized(*primals), moved


@op("tf.quantization.fake_quant_with_min_max_vars", kernel="FakeQuantWithMinMaxVars",
    tensors=("inputs", "min", "max"), dtypes=_FLOAT32)  # fmt: skip
def fake_quant_with_min_max_vars(inputs, min, max, num_bits=8, narrow_range=False):
    """Rounds to evenly spaced levels between two bounds.

    Args:
      inputs: float32 tensor, any shape.
      min: float32 scalar, the lower bound.
      max: float32 scalar, the upper bound; both are moved so that zero is a level.
      num_bits: from 2 to 16; there are `2 ** num_bits` levels.
      narrow_range: whether the lowest level is left out.

    Returns:
      float32 tensor with the shape of `inputs`.

    Raises:
      tf.errors.InvalidArgumentError: another dtype, or `num_bits` out of range.

    Gradient: to `inputs` within the bounds, beyond them to the bound.
    TF: `tf.quantization.fake_quant_with_min_max_vars`; no known difference.
    """
    if min.ndim or max.ndim:
        raise invalid(f"`min` and `max` must be rank 0 but are rank {min.ndim} and {max.ndim}")
    return _quantized(inputs, min, max, jnp.array(_levels(num_bits, narrow_range)))


@op("tf.quantization.fake_quant_with_min_max_vars_per_channel", kernel="FakeQuantWithMinMaxVarsPerChannel",
    tensors=("inputs", "min", "max"), dtypes=_FLOAT32)  # fmt: skip
def fake_quant_with_min_max_vars_per_channel(inputs, min, max, num_bits=8, narrow_range=False):
    """Rounds to evenly spaced levels between the bounds of each channel.

    Args:
      inputs: float32 tensor of shape `[..., channels]`.
      min: float32 vector, the lower bounds.
      max: float32 vector, the upper bounds; both are moved so that zero is a level.
      num_bits: from 2 to 16; there are `2 ** num_bits` levels.
      narrow_range: whether the lowest level is left out.

    Returns:
      float32 tensor with the shape of `inputs`.

    Raises:
      tf.errors.InvalidArgumentError: another dtype, bounds of another size, or `num_bits` out of range.

    Gradient: to `inputs` within the bounds, beyond them to the bound.
    TF: `tf.quantization.fake_quant_with_min_max_vars_per_channel`; no known difference.
    """
    for argument, bound in (("min", min), ("max", max)):
        if bound.shape != inputs.shape[-1:]:
            raise invalid(
                f"{argument} has incorrect size, expected {show_shape(inputs.shape[-1:])} was {show_shape(bound.shape)}"
            )
    return _quantized(inputs, min, max, jnp.array(_levels(num_bits, narrow_range)))


def _converted(*values):
    """Tensors of values that TF converts to float32 in Python, before there is a kernel."""
    tensors = [convert_to_tensor(v, None if isinstance(v, Tensor | Variable) else float32) for v in values]
    for tensor in tensors:
        if tensor.dtype != float32:
            raise (TypeError if traced() else ValueError)(
                f"Tensor conversion requested dtype float32 for Tensor with dtype {tensor.dtype.name}: {tensor!r}"
            )
    return tensors


def _checked(min, max):
    min, max = static_value(min), static_value(max)
    if min >= max:
        raise invalid(f"min has to be smaller than max, was: {min} >= {max}")
    return float(min), float(max)


def fake_quant_with_min_max_args(inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """Rounds to evenly spaced levels between two constant bounds.

    Args:
      inputs: float32 tensor, any shape.
      min: number, the lower bound.
      max: number, the upper bound; both are moved so that zero is a level.
      num_bits: from 2 to 16; there are `2 ** num_bits` levels.
      narrow_range: whether the lowest level is left out.
      name: ignored.

    Returns:
      float32 tensor with the shape of `inputs`.

    Raises:
      tf.errors.InvalidArgumentError: another dtype, bounds in the wrong order, or `num_bits` out of range.

    Gradient: to `inputs` within the bounds.
    TF: `tf.quantization.fake_quant_with_min_max_args`; no known difference.
    """
    return fake_quant_with_min_max_vars(*_converted(inputs), *_checked(min, max), num_bits, narrow_range)


@op("_fake_quant_gradient", kernel="FakeQuantWithMinMaxVarsGradient", tensors=("gradients", "inputs", "min", "max"),
    dtypes=_FLOAT32, hinted=("min", "max"))  # fmt: skip
def _gradients(gradients, inputs, min, max, num_bits, narrow_range):
    if gradients.shape != inputs.shape:
        raise invalid(
            f"gradient and input must be the same size: {show_shape(gradients.shape)} and {show_shape(inputs.shape)}"
        )
    regions = _regions(inputs, min, max, jnp.array(_levels(num_bits, narrow_range)))
    inside, below, above = (jnp.where(region, gradients, jnp.zeros_like(gradients)) for region in regions)
    rows = tuple(range(inputs.ndim - min.ndim))  # bounds are scalars, or one for each channel of the last axis
    return inside, jnp.sum(below, rows), jnp.sum(above, rows)


@takes_composites("tf.quantization.fake_quant_with_min_max_vars_gradient")
def fake_quant_with_min_max_vars_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """Gradient of `fake_quant_with_min_max_vars`.

    Args:
      gradients: float32 tensor, the cotangent.
      inputs, min, max, num_bits, narrow_range: arguments of that function.
      name: ignored.

    Returns:
      `FakeQuantWithMinMaxVarsGradient(backprops_wrt_input, backprop_wrt_min, backprop_wrt_max)`.

    TF: `tf.quantization.fake_quant_with_min_max_vars_gradient`; no known difference.
    """
    return FakeQuantWithMinMaxVarsGradient(*_gradients(gradients, inputs, min, max, num_bits, narrow_range))


@takes_composites("tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient")
def fake_quant_with_min_max_vars_per_channel_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False,
                                                      name=None):  # fmt: skip
    """Gradient of `fake_quant_with_min_max_vars_per_channel`.

    Args:
      gradients: float32 tensor, the cotangent.
      inputs, min, max, num_bits, narrow_range: arguments of that function.
      name: ignored.

    Returns:
      `FakeQuantWithMinMaxVarsPerChannelGradient(backprops_wrt_input, backprop_wrt_min, backprop_wrt_max)`.

    TF: `tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient`; no known difference.
    """
    if isinstance(min, list | tuple) or isinstance(max, list | tuple):
        gradients, inputs = _converted(gradients, inputs)
    return FakeQuantWithMinMaxVarsPerChannelGradient(*_gradients(gradients, inputs, min, max, num_bits, narrow_range))


@takes_composites("tf.quantization.fake_quant_with_min_max_args_gradient")
def fake_quant_with_min_max_args_gradient(gradients, inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """Gradient of `fake_quant_with_min_max_args`.

    Args:
      gradients: float32 tensor, the cotangent.
      inputs, min, max, num_bits, narrow_range: arguments of that function.
      name: ignored.

    Returns:
      float32 tensor with the shape of `inputs`.

    TF: `tf.quantization.fake_quant_with_min_max_args_gradient`; no known difference.
    """
    return _gradients(*_converted(gradients, inputs), *_checked(min, max), num_bits, narrow_range)[0]

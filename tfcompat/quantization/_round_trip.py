"""`quantize_and_dequantize`: numbers as they come back from integers of few bits."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.op import FLOATING, op
from tfcompat._core.tensor import Tensor
from tfcompat.array._arguments import invalid, show_shape


def _rounded(x, low, high, signed, bits, range_given, half_up, narrow):
    least = (-(2 ** (bits - 1)) + narrow) if signed else 0
    most = 2 ** (bits - 1) - 1 if signed else 2**bits - 1
    least, most = (np.asarray(number, x.dtype) for number in (least, most))
    huge = jnp.asarray(jnp.finfo(x.dtype).max, x.dtype)
    from_low = jnp.where(least * low > 0, least / low, huge)
    from_high = jnp.where(most * high > 0, most / high, huge)
    by_low = from_low < from_high
    scale = jnp.where(by_low, from_low, from_high)
    step = jnp.where(by_low, low / (least if signed else 1), high / most)
    if range_given:
        x = jnp.clip(x, jnp.where(by_low, low, least * step), jnp.where(by_low, most * step, high))
    scaled = x * scale
    return (jnp.floor(scaled + np.asarray(0.5, x.dtype)) if half_up else jnp.round(scaled)) * step


@functools.partial(jax.custom_jvp, nondiff_argnums=(3,))
def _passed_inside(x, low, high, options):
    return _rounded(x, *_range(x, low, high, options), *options[:-2])


@_passed_inside.defjvp
def _passed_inside_jvp(options, primals, tangents):
    # TF's _QuantizeAndDequantizeV4Grad passes to the input within the range. To the bounds it is zeros, not None.
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/array_ops.py
    x, low, high = primals
    inside = (x >= low) & (x <= high)
    moved = jnp.where(inside, tangents[0], jnp.zeros_like(x)) + 0 * (tangents[1] + tangents[2])
    return _passed_inside(x, low, high, options), moved


@functools.partial(jax.custom_jvp, nondiff_argnums=(3,))
def _passed(x, low, high, options):
    return _rounded(x, *_range(x, low, high, options), *options[:-2])


@_passed.defjvp
def _passed_jvp(options, primals, tangents):
    return _passed(*primals, options), tangents[0] * jnp.ones_like(primals[0])


def _range(x, low, high, options):
    if options[2]:
        return low, high
    axes = tuple(n for n in np.arange(x.ndim).tolist() if n != options[-1])
    keep = options[-1] is not None
    return x.min(axes, keepdims=keep), x.max(axes, keepdims=keep)


@op("_round_trip", kernel="QuantizeAndDequantizeV4", tensors=("input", "low", "high"), dtypes=FLOATING)
def _round_trip(input, low, high, signed, bits, range_given, round_mode, narrow, axis, masked):
    if not 1 <= bits <= 63 - (not signed):
        raise invalid(f"num_bits is out of range: {bits} with signed_input {signed}")
    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise invalid(f"Round mode string must be 'HALF_TO_EVEN' or 'HALF_UP', is '{round_mode}'")
    if axis is None and (low.ndim or high.ndim) and range_given:
        raise invalid("input_min must be a scalar.")
    if axis is not None:
        axis %= max(input.ndim, 1)
        shape = [-1 if n == axis else 1 for n in np.arange(input.ndim)]
        if range_given and (low.shape != input.shape[axis : axis + 1] or high.shape != low.shape):
            raise invalid(f"input_min must have the size of the axis, got {show_shape(low.shape)}")
        low, high = (x.reshape(shape) if x.ndim else x for x in (low, high))
    options = (signed, bits, range_given, round_mode == "HALF_UP", narrow, masked, axis)
    return (_passed_inside if masked else _passed)(input, low, high, options)


@takes_composites("tf.quantization.quantize_and_dequantize_v2")
def quantize_and_dequantize_v2(input, input_min, input_max, signed_input=True, num_bits=8, range_given=False,
                               round_mode="HALF_TO_EVEN", name=None, narrow_range=False, axis=None):  # fmt: skip
    """Numbers as they come back from integers of few bits, evenly spaced.

    Args:
      input: floating tensor.
      input_min: scalar of the same dtype, the smallest number; for an `axis` a vector.
      input_max: likewise, the largest.
      signed_input: whether the integers are signed.
      num_bits: int, how many bits they have.
      range_given: whether the range is that given, rather than that of `input`.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      name: ignored.
      narrow_range: whether the lowest signed integer is left out.
      axis: int, along which each slice has a range of its own; or None.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: bits or shapes that do not fit, or another `round_mode`.

    Gradient: to `input` between the given bounds, zero beyond them.
    TF: `tf.quantization.quantize_and_dequantize_v2`; no known difference.
    """
    return _called(input, input_min, input_max, signed_input, num_bits, range_given, round_mode, narrow_range, axis,
                   True)  # fmt: skip


@takes_composites("tf.quantization.quantize_and_dequantize")
def quantize_and_dequantize(input, input_min, input_max, signed_input=True, num_bits=8, range_given=False,
                            round_mode="HALF_TO_EVEN", name=None, narrow_range=False, axis=None):  # fmt: skip
    """As `quantize_and_dequantize_v2`, with a gradient that knows nothing of it.

    Args:
      input: floating tensor.
      input_min: scalar of the same dtype, the smallest number; for an `axis` a vector.
      input_max: likewise, the largest.
      signed_input: whether the integers are signed.
      num_bits: int, how many bits they have.
      range_given: whether the range is that given, rather than that of `input`.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      name: ignored.
      narrow_range: whether the lowest signed integer is left out.
      axis: int, along which each slice has a range of its own; or None.

    Returns:
      Tensor with the shape and dtype of `input`.

    Raises:
      tf.errors.InvalidArgumentError: bits or shapes that do not fit, or another `round_mode`.

    Gradient: that of the identity.
    TF: `tf.quantization.quantize_and_dequantize`; no known difference.
    """
    return _called(input, input_min, input_max, signed_input, num_bits, range_given, round_mode, narrow_range, axis,
                   False)  # fmt: skip


def _called(input, low, high, signed, bits, range_given, round_mode, narrow, axis, masked):
    input = convert_to_tensor(input)
    axis = None if axis is None or static_value(axis) == -1 else int(static_value(axis))
    low, high = (x if isinstance(x, Tensor) else convert_to_tensor(x, input.dtype) for x in (low, high))
    return _round_trip(input, low, high, bool(signed), int(static_value(bits)), bool(range_given), round_mode,
                       bool(narrow), axis, masked)  # fmt: skip

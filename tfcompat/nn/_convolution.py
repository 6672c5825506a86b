"""Convolution whose derivatives, of any order, are convolutions, each computed by what its platform has fast code for.

Three functions are the derivatives of each other: the convolution of an image with a window, and what its transposes
give, the image and the window. JAX rewrites each derivative of a convolution as one with a dilated image, and so comes
to windows larger than the image, as for the window of a transposed convolution; XLA has plain loops only for these on
a CPU. Written as one of the three, none occurs. How each is computed on a CPU, `_convolution_on_cpu` says.
"""

import functools
import math

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from tfcompat.engine import host
from tfcompat.engine.compile import tiers
from tfcompat.nn import _convolution_on_cpu as on_cpu

_convolution = Primitive("convolution")


def convolution(image, window, **settings):
    """The convolution of an image with a window.

    Args:
      image, window: arrays of one dtype; the axes of the window are spatial, in, out.
      **settings: `window_strides`, `padding`, `rhs_dilation`, `dimension_numbers` and `feature_group_count` of
        `lax.conv_general_dilated`, hashable.
    """
    return _convolution.bind(image, window, gives="result", shape=None, **settings)


def _apply(first, second, *, gives, shape, **settings):
    """The convolution of an image and a window, or its transpose.

    Args:
      first, second: image and window; cotangent of the result and window; image and cotangent of the result.
      gives: "result", "image" or "window".
      shape: of the image or window that it gives.
      **settings: as for `convolution`.
    """
    convolve = functools.partial(lax.conv_general_dilated, **settings)
    shape = _shape(first, second, gives=gives, shape=shape, **settings)
    if 0 in (*first.shape, *second.shape, *shape):
        return jnp.zeros(shape, first.dtype)
    if gives == "result":
        return convolve(first, second)
    if gives == "image":
        known, function = first, lambda image: convolve(image, second)
    else:
        known, function = second, lambda window: convolve(first, window)
    (result,) = jax.linear_transpose(function, jax.ShapeDtypeStruct(shape, first.dtype))(known)
    return result


def _apply_on_cpu(first, second, *, gives, shape, **settings):
    made = _shape(first, second, gives=gives, shape=shape, **settings)
    if 0 in (*first.shape, *second.shape, *made):
        return jnp.zeros(made, first.dtype)
    channel = _channel(settings)
    geometry = _geometry(settings)
    first = jnp.moveaxis(first, channel, -1)
    if gives == "window":
        return on_cpu.compute(gives, first, jnp.moveaxis(second, channel, -1), shape[:-2], geometry)
    sizes = shape and _spatial(shape, channel)
    return jnp.moveaxis(on_cpu.compute(gives, first, second, sizes, geometry), -1, channel)


def _geometry(settings):
    return on_cpu.Geometry(
        settings["window_strides"], settings["padding"], settings["rhs_dilation"], settings["feature_group_count"]
    )


def _spatial(shape, channel):
    return tuple(size for axis, size in enumerate(shape) if axis not in (0, channel))


def _channel(settings):
    return settings["dimension_numbers"][0].index("C")


def _shape(first, second, *, gives, shape, **settings):
    """The shape of what is computed."""
    if gives != "result":
        return shape
    convolve = functools.partial(lax.conv_general_dilated, **settings)
    first, second = (jax.ShapeDtypeStruct(x.shape, x.dtype) for x in (first, second))
    return jax.eval_shape(convolve, first, second).shape


def _aval(first, second, **settings):
    return first.update(shape=_shape(first, second, **settings), weak_type=False)


def _of_first(cotangent, first, second, *, gives, shape, **settings):
    shape = first.aval.shape
    if gives == "result":
        return _convolution.bind(cotangent, second, gives="image", shape=shape, **settings)
    if gives == "image":
        return _convolution.bind(cotangent, second, gives="result", shape=None, **settings)
    return _convolution.bind(second, cotangent, gives="image", shape=shape, **settings)


def _of_second(cotangent, first, second, *, gives, shape, **settings):
    shape = second.aval.shape
    if gives == "result":
        return _convolution.bind(first, cotangent, gives="window", shape=shape, **settings)
    if gives == "image":
        return _convolution.bind(cotangent, first, gives="window", shape=shape, **settings)
    return _convolution.bind(first, cotangent, gives="result", shape=None, **settings)


def _batched(arrays, axes, *, gives, shape, **settings):
    """Examples next to each other: in the batch where there is one window for all, else as groups of channels."""
    channel = _channel(settings)
    (count,) = {array.shape[axis] for array, axis in zip(arrays, axes, strict=True) if axis is not None}
    if gives != "window" and axes[1] is None:
        merged, place = [_beside(_spread(arrays[0], axes[0], count), 0), arrays[1]], 0
    else:
        places = {"result": (channel, -1), "image": (channel, -1), "window": (channel, channel)}[gives]
        merged = [
            _beside(_spread(array, axis, count), place) for array, axis, place in zip(arrays, axes, places, strict=True)
        ]
        place = -1 if gives == "window" else channel
        settings["feature_group_count"] *= count
    if shape:
        axis = place % len(shape)
        shape = (*shape[:axis], shape[axis] * count, *shape[axis + 1 :])
    result = _convolution.bind(*merged, gives=gives, shape=shape, **settings)
    axis = place % result.ndim
    return result.reshape(*result.shape[:axis], count, result.shape[axis] // count, *result.shape[axis + 1 :]), axis


def _spread(array, axis, count):
    """`array` with the axis of examples first, which it gets if it has none."""
    return jnp.broadcast_to(array, (count, *array.shape)) if axis is None else jnp.moveaxis(array, axis, 0)


def _beside(array, place):
    """`array` with its first axis merged into that at `place` of the others, examples outermost."""
    axis = place % (array.ndim - 1)
    moved = jnp.moveaxis(array, 0, axis)
    return moved.reshape(*moved.shape[:axis], moved.shape[axis] * moved.shape[axis + 1], *moved.shape[axis + 2 :])


def _counts(equation):
    """As `tiers.counts` has it: the result, and what no library computes."""
    first, second, third = (v.aval for v in (*equation.invars, *equation.outvars))
    gives, settings = equation.params["gives"], equation.params
    roles = {"result": (first, second, third), "image": (third, second, first), "window": (first, third, second)}
    image, window, result = roles[gives]
    channel, geometry = _channel(settings), _geometry(settings)
    *of_window, inward, outward = window.shape
    products = math.prod(result.shape) * math.prod(of_window) * inward
    elements = math.prod(third.shape) + on_cpu.moves(
        gives, _spatial(image.shape, channel), _spatial(result.shape, channel), window.shape, image.shape[0],
        image.dtype, geometry,
    )
    return elements, products


def _made_of(equation):
    """As `tiers.made_of` has it."""
    apply = functools.partial(_apply_on_cpu, **equation.params)
    return jax.make_jaxpr(apply)(*[v.aval for v in equation.invars]).jaxpr


_convolution.def_impl(_apply)
_convolution.def_abstract_eval(_aval)
ad.defbilinear(_convolution, _of_first, _of_second)
batching.primitive_batchers[_convolution] = _batched
mlir.register_lowering(_convolution, mlir.lower_fun(_apply, multiple_results=False))
mlir.register_lowering(_convolution, mlir.lower_fun(_apply_on_cpu, multiple_results=False), platform="cpu")
host.rules["convolution"] = host.by_tracing(_apply)
tiers.counts["convolution"] = _counts
tiers.made_of["convolution"] = _made_of

"""How a convolution and its two transposes are computed on a CPU.

XLA has library code for most convolutions whose axes are batch, spatial, channels, and loops for the others, which are
10 to 100 times slower than TensorFlow's code, and 1000 times where they are not optimized: those in groups, depthwise
ones among them, with windows larger than the image, and in float64 of few channels, or with results larger than the
image. These are written as products of matrices, and so are those of few results, where its code mostly moves numbers.
For three dimensions its code is 5 to 10 times slower than for two, so what lies one behind another under a window
becomes channels of flat images. Images are batch, spatial, channels here, windows spatial, in, out.
"""

import functools
import itertools
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat.engine._policy import KERNELS

_LAYOUTS = {1: ("NWC", "WIO", "NWC"), 2: ("NHWC", "HWIO", "NHWC")}


class Geometry(NamedTuple):
    """Where a window lies on an image; a pair of `padding` and a number of the others for each spatial axis."""

    strides: tuple
    padding: tuple
    dilations: tuple
    groups: int


def has_code(gives, of_image, of_result, window, batch, dtype, geometry):
    """Whether XLA has library code.

    Args:
      gives: "result", "image" or "window".
      of_image, of_result: the spatial sizes.
      window: its shape.
      batch: how many images.
      dtype: of the arrays.
      geometry: a `Geometry`.
    """
    strides, _, _, groups = geometry
    *of_window, inward, outward = window
    if _is_product(gives, window, geometry):
        return True
    if len(strides) == 3:
        if gives == "image" and max(strides) > 1:
            return False
        behind = of_window[0]
        window = (*of_window[1:], inward, outward * behind) if gives == "image" else (
            *of_window[1:], inward * behind, outward)  # fmt: skip
        made = of_image if gives == "image" else of_result
        return has_code(gives, of_image[1:], of_result[1:], window, batch * made[0], dtype, _without_depth(geometry))
    dilated = gives == "image" and any(stride > 1 for stride in strides)
    moved, over, made, channels = {
        "result": (of_window, of_image, of_result, (inward, outward)),
        "image": (of_window, of_result, of_image, (outward, inward)),
        "window": (of_result, of_image, of_window, (batch, outward)),
    }[gives]
    if not jnp.issubdtype(dtype, jnp.floating) or groups > 1 or _larger(moved, over):
        return False
    # In float64 XLA has a reference implementation only: https://github.com/jax-ml/jax/issues/940.
    if np.dtype(dtype) == np.float64 and (dilated or max(channels) <= KERNELS.few_channels or _larger(made, over)):
        return False
    return True


def _is_product(gives, window, geometry):
    """Whether it is best computed as a product of matrices, which is in any case faster than code for windows."""
    return math.prod(window[:-2]) == 1 and geometry.groups == 1 and (gives == "window" or max(geometry.strides) == 1)


def _larger(sizes, others):
    return any(size > other for size, other in zip(sizes, others, strict=True))


def moves(gives, of_image, of_result, window, batch, dtype, geometry):
    """How many elements code of XLA's own computes; see `has_code`. What its libraries compute costs nothing here."""
    positions, products = batch * math.prod(of_result), math.prod(window) // window[-1]
    if not has_code(gives, of_image, of_result, window, batch, dtype, geometry):
        return 2 * positions * products * geometry.groups
    if _is_product(gives, window, geometry):
        return 0
    if _few_results(gives, window, dtype, geometry):
        return 2 * positions * math.prod(window[:-2]) * window[-1]
    of_image = batch * math.prod(of_image) * window[-2]
    if gives == "window":
        return 20 * of_image  # batch and channels change places
    return 4 * of_image if gives == "image" and _phases_pay(window, dtype, geometry) else 0


def _few_results(gives, window, dtype, geometry):
    """Whether there are so few results that it is a product of matrices with all elements of the window at once."""
    *of_window, inward, outward = window
    return (
        gives != "image" and geometry.groups == 1 and max(geometry.strides) == 1 and np.dtype(dtype).itemsize >= 4
        and 8 * outward <= inward and math.prod(of_window) * outward <= 4 * inward
    )  # fmt: skip


def _phases_pay(window, dtype, geometry):
    """Whether the image of a strided window is best computed by phases, where XLA has code for it.

    That is a product of matrices, whose results are added up in one thread. Costs are measured, in sums for each
    position of the result: a product of two numbers takes 1/88 of one.
    """
    *of_window, inward, outward = window
    strides = geometry.strides
    if np.dtype(dtype) != np.float32 or max(geometry.dilations) > 1:
        return False
    reaches = [-(-size // stride) for size, stride in zip(of_window, strides, strict=True)]
    by_code = math.prod(of_window) * inward * (outward / 88 + (0.4 if inward >= 16 else 2.5))
    steps = math.prod(strides) * inward
    by_phases = math.prod(reaches) * (0.3 * outward + steps * outward / 88) + steps
    return by_phases < by_code


def compute(gives, first, second, sizes, geometry):
    """The convolution of an image and a window, or its transpose.

    Args:
      gives: "result", "image" or "window".
      first, second: image and window; cotangent of the result and window; image and cotangent of the result.
      sizes: the spatial ones of the image or window that it gives.
      geometry: a `Geometry`.
    """
    groups = geometry.groups
    inward = second.shape[-2] if gives == "image" else first.shape[-1] // groups
    if inward > 1 and 1 < groups <= KERNELS.few_groups:
        pairs = zip(jnp.split(first, groups, -1), jnp.split(second, groups, -1), strict=True)
        alone = geometry._replace(groups=1)
        return jnp.concatenate([compute(gives, *pair, sizes, alone) for pair in pairs], -1)
    if gives == "result":
        return _result_of(first, second, geometry)
    return (_image_of if gives == "image" else _window_of)(first, second, sizes, geometry)


def _result_of(image, window, geometry):
    """The convolution of an image and a window."""
    strides, padding, dilations, groups = geometry
    sizes = _sizes(image.shape[1:-1], window.shape, geometry)
    if _is_product("result", window.shape, geometry):
        return _by_products(image, window, geometry)
    if len(strides) == 3 and groups == 1:
        flat = _flat(image, window.shape[0], sizes[0], geometry)
        window = jnp.moveaxis(window, 0, 2).reshape(*window.shape[1:3], -1, window.shape[-1])
        result = _result_of(flat, window, _without_depth(geometry))
        return result.reshape(-1, *sizes, result.shape[-1])
    if not has_code("result", image.shape[1:-1], sizes, window.shape, image.shape[0], image.dtype, geometry):
        return _by_products(image, window, geometry)
    if _few_results("result", window.shape, image.dtype, geometry):
        return _by_shifts(image, window, sizes, geometry)
    return lax.conv_general_dilated(
        image, window, strides, padding, rhs_dilation=dilations, dimension_numbers=_LAYOUTS[len(strides)]
    )


def _image_of(cotangent, window, sizes, geometry):
    """The cotangent of an image of spatial `sizes`, from that of the result."""
    strides, padding, dilations, groups = geometry
    reaches = [(size - 1) * one for size, one in zip(window.shape, dilations, strict=False)]
    ends = tuple(
        (reach - low, size - (produced - 1) * stride - 1 + low)
        for reach, (low, _), size, produced, stride in zip(
            reaches, padding, sizes, cotangent.shape[1:], strides, strict=False
        )
    )
    if max(strides) == 1:
        return _result_of(cotangent, _mirrored(window, groups), Geometry(strides, ends, dilations, groups))
    shape = (cotangent.shape[0], *sizes, window.shape[-2] * groups)
    fast = has_code("image", sizes, cotangent.shape[1:-1], window.shape, shape[0], cotangent.dtype, geometry)
    if not fast and max(dilations) == 1 or fast and _phases_pay(window.shape, cotangent.dtype, geometry):
        return _by_phases(cotangent, window, sizes, geometry)
    if not fast:
        return _transposed(lambda image: _by_products(image, window, geometry), shape, cotangent)
    window = _mirrored(window, groups)
    of_products = math.prod(cotangent.shape[:-1]) * math.prod(window.shape[:-2]) * shape[-1] * cotangent.dtype.itemsize
    pieces = min(-(-of_products // KERNELS.patches), shape[0])
    convolve = functools.partial(
        lax.conv_general_dilated, rhs=window, window_strides=(1,) * len(strides), padding=ends, lhs_dilation=strides,
        rhs_dilation=dilations, dimension_numbers=_LAYOUTS[len(strides)],
    )  # fmt: skip
    if pieces == 1:
        return convolve(cotangent)
    return jnp.concatenate([convolve(piece) for piece in jnp.array_split(cotangent, pieces)])


def _window_of(image, cotangent, sizes, geometry):
    """The cotangent of a window of spatial `sizes`, from that of the result."""
    strides, padding, dilations, groups = geometry
    shape = (*sizes, image.shape[-1] // groups, cotangent.shape[-1])
    if groups > 1 and image.shape[-1] == cotangent.shape[-1] == groups:
        return _depthwise_window(image, cotangent, shape, geometry)
    if _is_product("window", shape, geometry):
        return _transposed(lambda window: _by_products(image, window, geometry), shape, cotangent)
    if len(strides) == 3 and groups == 1:
        flat = _flat(image, sizes[0], cotangent.shape[1], geometry)
        cotangent = cotangent.reshape(-1, *cotangent.shape[2:])
        result = _window_of(flat, cotangent, sizes[1:], _without_depth(geometry))
        return jnp.moveaxis(result.reshape(*sizes[1:], sizes[0], -1, shape[-1]), 2, 0)
    if not has_code("window", image.shape[1:-1], cotangent.shape[1:-1], shape, image.shape[0], image.dtype, geometry):
        return _transposed(lambda window: _by_products(image, window, geometry), shape, cotangent)
    if _few_results("window", shape, image.dtype, geometry):
        return _window_by_shifts(image, cotangent, shape, geometry)
    ends = [
        (low, (size - 1) * one + (produced - 1) * stride + 1 - length - low)
        for size, one, produced, stride, length, (low, _) in zip(
            sizes, dilations, cotangent.shape[1:], strides, image.shape[1:], padding, strict=False
        )
    ]
    result = lax.conv_general_dilated(
        jnp.swapaxes(image, 0, -1), jnp.moveaxis(cotangent, 0, -2), dilations, ends, None, strides,
        _LAYOUTS[len(strides)],
    )
    return jnp.moveaxis(result, 0, -2)


def _flat(image, behind, produced, geometry):
    """The images of two dimensions that lie in one of three: channels are what lies behind one another under a window.

    Args:
      image: of three dimensions.
      behind: the first size of the window.
      produced: the first size of the result.
      geometry: a `Geometry` of three dimensions and one group.
    """
    image = _padded(image, (geometry.padding[0], (0, 0), (0, 0)))
    sizes = (produced, *image.shape[2:-1])
    parts = _parts(image, (behind, 1, 1), sizes, (geometry.strides[0], 1, 1), (geometry.dilations[0], 1, 1))
    image = jnp.concatenate(list(parts), -1)
    return image.reshape(-1, *image.shape[2:])


def _without_depth(geometry):
    return Geometry(*(each[1:] for each in geometry[:3]), geometry.groups)


def _transposed(function, shape, cotangent):
    (result,) = jax.linear_transpose(function, jax.ShapeDtypeStruct(shape, cotangent.dtype))(cotangent)
    return result


def _mirrored(window, groups):
    """The window by which the cotangent of an image is a convolution."""
    *sizes, inward, outward = window.shape
    window = jnp.flip(window, range(len(sizes))).reshape(*sizes, inward, groups, outward // groups)
    return jnp.swapaxes(window, -1, -3).reshape(*sizes, outward // groups, groups * inward)


def _sizes(sizes, window, geometry):
    strides, padding, dilations, _ = geometry
    return tuple(
        (size + low + high - (of_window - 1) * one - 1) // stride + 1
        for size, of_window, stride, (low, high), one in zip(
            sizes, window, strides, padding, dilations, strict=False
        )
    )


def _parts(image, of_window, sizes, strides, dilations):
    """What lies under each element of a window, `[batch, *sizes, channels]` each, from images already padded."""
    for place in itertools.product(*map(range, of_window)):
        starts = [index * one for index, one in zip(place, dilations, strict=True)]
        stops = [
            start + (size - 1) * stride + 1 for start, size, stride in zip(starts, sizes, strides, strict=True)
        ]
        yield lax.slice(
            image, (0, *starts, 0), (image.shape[0], *stops, image.shape[-1]), (1, *strides, 1)
        )


def _padded(image, padding):
    return lax.pad(image, jnp.zeros((), image.dtype), ((0, 0, 0), *((*pair, 0) for pair in padding), (0, 0, 0)))


def _by_products(image, window, geometry):
    """The convolution of an image and a window, as a product of matrices, or of each channel with its elements."""
    if image.dtype.itemsize == 2:
        return _by_products(image.astype(np.float32), window.astype(np.float32), geometry).astype(image.dtype)
    strides, padding, dilations, groups = geometry
    *of_window, inward, outward = window.shape
    sizes = _sizes(image.shape[1:-1], of_window, geometry)
    count, batch = math.prod(of_window), image.shape[0]
    shape = (batch, *sizes, outward)
    image = _padded(image, padding)
    if inward == 1 < groups:
        parts = _parts(image, of_window, sizes, strides, dilations)
        elements = window.reshape(count, groups, outward // groups)
        if groups == outward:
            return sum(part * element[:, 0] for part, element in zip(parts, elements, strict=True))
        return sum(part[..., None] * element for part, element in zip(parts, elements, strict=True)).reshape(shape)
    image = jnp.moveaxis(image.reshape(*image.shape[:-1], groups, inward), -2, 0)  # of each group by itself
    parts = _parts(image.reshape(-1, *image.shape[2:]), of_window, sizes, strides, dilations)
    rows = jnp.concatenate(list(parts), -1).reshape(groups, -1, count * inward)
    elements = jnp.moveaxis(window.reshape(count * inward, groups, -1), 1, 0)
    result = rows @ elements if groups > 1 else (rows[0] @ elements[0])[None]
    return jnp.moveaxis(result.reshape(groups, *shape[:-1], -1), 0, -2).reshape(shape)


def _by_shifts(image, window, sizes, geometry):
    """As `_by_products` for few results: each place of the image times all elements of the window, moved and summed."""
    *of_window, inward, outward = window.shape
    products = image.reshape(-1, inward) @ jnp.moveaxis(window, -2, 0).reshape(inward, -1)
    products = products.reshape(*image.shape[:-1], -1)
    shifts = _shifts(of_window, image.shape[1:-1], sizes, geometry)
    return sum(
        _padded(products[..., k * outward : (k + 1) * outward], shift) for k, shift in enumerate(shifts)
    )


def _window_by_shifts(image, cotangent, shape, geometry):
    """As `_window_of` for few results: what each place of the image gave to each element of the window."""
    *of_window, inward, outward = shape
    shifts = _shifts(of_window, image.shape[1:-1], cotangent.shape[1:-1], geometry)
    moved = [_padded(cotangent, [(-low, -high) for low, high in shift]) for shift in shifts]
    columns = jnp.concatenate(moved, -1).reshape(-1, len(moved) * outward)
    result = lax.dot_general(image.reshape(-1, inward), columns, (((0,), (0,)), ((), ())))
    return jnp.moveaxis(result.reshape(inward, *of_window, outward), 0, -2)


def _shifts(of_window, of_image, of_result, geometry):
    """For each element of a window the padding, negative to cut off, by which an image is where its results are."""
    for place in itertools.product(*map(range, of_window)):
        starts = [low - index * one for index, one, (low, _) in zip(
            place, geometry.dilations, geometry.padding, strict=True)]  # fmt: skip
        yield [(start, made - size - start) for start, made, size in zip(starts, of_result, of_image, strict=True)]


def _by_phases(cotangent, window, sizes, geometry):
    """As `_image_of`, where a window moves by several places: those at each distance from its steps are channels."""
    strides, padding, _, groups = geometry
    *of_window, inward, outward = window.shape
    axes = len(strides)
    reaches = [-(-size // stride) for size, stride in zip(of_window, strides, strict=True)]
    ends = [(0, reach * stride - size) for reach, stride, size in zip(reaches, strides, of_window, strict=True)]
    window = jnp.pad(window, [*ends, (0, 0), (0, 0)])
    split = [size for pair in zip(reaches, strides, strict=True) for size in pair]
    window = window.reshape(*split, inward, groups, outward // groups)
    window = window.transpose(*range(0, 2 * axes, 2), 2 * axes + 2, 2 * axes + 1, *range(1, 2 * axes, 2), 2 * axes)
    window = jnp.flip(window, range(axes)).reshape(*reaches, outward // groups, -1)
    first = [low // stride for (low, _), stride in zip(padding, strides, strict=True)]  # step that the image begins in,
    last = [(low + size - 1) // stride for (low, _), size, stride in zip(padding, sizes, strides, strict=True)]
    around = tuple(
        (reach - 1 - start, stop - size + 1)
        for reach, start, stop, size in zip(reaches, first, last, cotangent.shape[1:], strict=False)
    )
    result = _result_of(cotangent, window, Geometry((1,) * axes, around, (1,) * axes, groups))
    steps = result.shape[1:-1]
    result = result.reshape(-1, *steps, groups, *strides, inward)
    order = [axis for pair in zip(range(1, axes + 1), range(axes + 2, 2 * axes + 2), strict=True) for axis in pair]
    result = result.transpose(0, *order, axes + 1, 2 * axes + 2)
    places = [step * stride for step, stride in zip(steps, strides, strict=True)]
    result = result.reshape(-1, *places, groups * inward)
    starts = [low - start * stride for (low, _), start, stride in zip(padding, first, strides, strict=True)]
    stops = [start + size for start, size in zip(starts, sizes, strict=True)]
    return lax.slice(result, (0, *starts, 0), (result.shape[0], *stops, result.shape[-1]))


def _depthwise_window(image, cotangent, shape, geometry):
    """As `_window_of`, where each channel has its own window; image by image, so that what is read stays at hand."""
    strides, padding, dilations, _ = geometry
    *of_window, _, channels = shape
    sizes = cotangent.shape[1:-1]
    axes = tuple(range(1 + len(sizes)))

    def add(total, pair):
        one, of_one = (array[None] for array in pair)
        parts = _parts(one, of_window, sizes, strides, dilations)
        return total + jnp.stack([(part * of_one).sum(axes) for part in parts]), None

    precise = jnp.promote_types(image.dtype, np.float32)
    start = jnp.zeros((math.prod(of_window), channels), precise)
    pairs = _padded(image, padding).astype(precise), cotangent.astype(precise)
    total, _ = lax.scan(add, start, pairs)
    return total.reshape(shape).astype(image.dtype)

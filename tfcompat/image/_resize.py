"""Resizing of images."""

import functools
import math

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, host_integers, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import REAL, op
from tfcompat._core.symbolic_sizes import is_less
from tfcompat.array import cast, shape, squeeze
from tfcompat.array._arguments import invalid, show_shape
from tfcompat.array._repeat import repeated
from tfcompat.engine import host
from tfcompat.engine._policy import KERNELS
from tfcompat.engine.compile import tiers
from tfcompat.image._batch import as_batch
from tfcompat.image._geometry import pad_to_bounding_box
from tfcompat.image._materialized import materialized
from tfcompat.math import floor, maximum, reduce_max, reduce_min, rint

_OF_FILES = (dtypes.uint8, dtypes.uint16)


class ResizeMethod:
    """The methods of `tf.image.resize`. TF: `tf.image.ResizeMethod`."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def _centers(size, new):
    """Where the centers of the new pixels lie among the old ones, in float32 as TF's kernels compute it."""
    scale = np.float32(size) / np.float32(new)
    return (np.arange(new, dtype=np.float32) + np.float32(0.5)) * scale - np.float32(0.5)


def _bilinear(size, new):
    places = _centers(size, new)
    lower = np.floor(places)
    part = places - lower
    below = np.maximum(lower, 0).astype(np.int64)
    above = np.minimum(lower + 1, size - 1).astype(np.int64)
    return np.stack([below, above], 1), np.stack([1 - part, part], 1)


def _cubic(x, a):
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def _bicubic(size, new):
    taps, weights = _cubic_taps(_centers(size, new), -0.5)
    weights = np.where((taps >= 0) & (taps < size), weights, 0)
    return np.clip(taps, 0, size - 1), weights / weights.sum(1, keepdims=True)


def _cubic_taps(places, a):
    lower = np.floor(places)
    # TF's kernel reads its weights from a table with 1024 steps:
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/kernels/image/resize_bicubic_op.cc
    part = np.rint((places - lower).astype(np.float64) * 1024) / 1024
    taps = lower[:, None].astype(np.int64) + np.arange(-1, 3)
    return taps, _cubic(np.abs(part[:, None] - np.arange(-1, 3)), a)


def bicubic_of_corners(size, new, scale):
    """As TensorFlow 1 did it: pixels are where their corners are, and those outside are the last ones."""
    taps, weights = _cubic_taps(np.arange(new, dtype=np.float32) * np.float32(scale), -0.75)
    return np.clip(taps, 0, size - 1), weights


def area(size, new, scale):
    """Averages over the part of the old elements that each new one covers, `scale` of them."""
    scale = np.float32(scale)
    starts = np.arange(new, dtype=np.float32) * scale
    stops = np.arange(1, new + 1, dtype=np.float32) * scale
    count = int((np.ceil(stops) - np.floor(starts)).max())
    taps = np.floor(starts)[:, None].astype(np.int64) + np.arange(count)
    shares = np.minimum(taps + 1, stops[:, None]) - np.maximum(taps, starts[:, None])
    return np.clip(taps, 0, size - 1), np.maximum(shares, 0) / scale


def _lanczos(radius):
    def kernel(x):
        safe = np.where(x <= 1e-3, 1, x)
        value = radius * np.sin(np.pi * safe) * np.sin(np.pi * safe / radius) / (np.pi * np.pi * safe * safe)
        return np.where(x > radius, 0, np.where(x <= 1e-3, 1, value))

    return radius, kernel


def _mitchell(x):
    near = ((7 / 6 * x - 2) * x) * x + 8 / 9
    far = ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x >= 2, 0, np.where(x >= 1, far, near))


_KERNELS = {
    "box": (0.5, lambda x: np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))),
    "lanczos1": _lanczos(1.0),
    "bilinear": (1.0, lambda x: np.maximum(0, 1 - x)),
    "bicubic": (2.0, lambda x: _cubic(x, -0.5)),
    "lanczos3": _lanczos(3.0),
    "lanczos5": _lanczos(5.0),
    "gaussian": (1.5, lambda x: np.where(x >= 1.5, 0, np.exp(-x * x / (2 * 0.5**2)))),
    "mitchellcubic": (2.0, _mitchell),
}


def filtered(size, new, method, antialias, scale=None, translation=0.0):
    """The elements within reach of a kernel, which is widened for a smaller image if `antialias`.

    The image is scaled by `scale`, by default to the new size, and moved by `translation`; outside of it are zeros.
    """
    radius, kernel = _KERNELS[method]
    inverse = np.float32(1) / (np.float32(new) / np.float32(size) if scale is None else np.float32(scale))
    wide = max(float(inverse), 1.0) if antialias else 1.0
    places = (np.arange(new, dtype=np.float32) + np.float32(0.5)) * inverse - inverse * np.float32(translation)
    places = places.astype(np.float64)
    starts = np.clip(np.ceil(places - radius * wide - 0.5), 0, size - 1).astype(np.int64)
    stops = np.clip(np.floor(places + radius * wide - 0.5), 0, size - 1).astype(np.int64)
    taps = starts[:, None] + np.arange(int((stops - starts).max()) + 1)
    weights = kernel(np.abs((taps + 0.5 - places[:, None]) / wide))
    weights = np.where(taps <= stops[:, None], weights, 0)
    weights = np.where(((places >= 0) & (places <= size))[:, None], weights, 0)
    total = weights.sum(1, keepdims=True)
    return np.clip(taps, 0, size - 1), weights / np.where(np.abs(total) > 1e-30, total, 1)


@functools.lru_cache(maxsize=1024)
def _taps(size, new, method, antialias):
    """Of which elements of an axis each new one is made, and with which weights: two arrays [new, taps]."""
    if method == "nearest":
        scale = np.float32(size) / np.float32(new)
        places = np.floor((np.arange(new, dtype=np.float32) + np.float32(0.5)) * scale)
        sources = np.minimum(places, size - 1)[:, None]
        weights = np.ones_like(sources)
    elif method == "area":
        sources, weights = area(size, new, np.float32(size) / np.float32(new))
    elif method in ("bilinear", "bicubic") and not antialias:
        sources, weights = (_bilinear if method == "bilinear" else _bicubic)(size, new)
    else:
        sources, weights = filtered(size, new, method, antialias)
    return sources.astype(np.int32), weights.astype(np.float32)


def _transposed(taps, size):
    """The taps of the transposed map, to an axis of `size`."""
    read_places, weights = taps
    used = weights != 0
    sources = np.nonzero(used)[0]
    order = np.argsort(read_places[used], kind="stable")
    targets, sources, values = read_places[used][order], sources[order], weights[used][order]
    counts = np.bincount(targets, minlength=size)
    most = max(int(counts.max(initial=0)), 1)
    place = np.arange(len(targets)) - (np.cumsum(counts) - counts)[targets]
    first = np.zeros(size, np.int32)
    first[targets[place == 0]] = sources[place == 0]
    back, values_back = np.repeat(first[:, None], most, 1), np.zeros((size, most), np.float32)
    back[targets, place] = sources
    values_back[targets, place] = values
    return back, values_back


def _from_taps(xp, images, axis, taps):
    """`images` with one axis resized, by gathering elements."""
    shape = [-1 if i == axis else 1 for i in range(images.ndim)]
    sources, weights = taps

    def read(places):
        if xp is np:
            return np.take(images, places, axis)
        return images.at[(slice(None),) * axis + (places,)].get(mode="promise_in_bounds")

    if sources.shape[1] == 2 and np.all(weights.sum(1) == 1):  # TF's order of operations: even areas stay even
        below, above = map(read, sources.T)
        return below + (above - below) * weights[:, 1].reshape(shape)
    return sum(read(places) * weight.reshape(shape) for places, weight in zip(sources.T, weights.T, strict=True))


@functools.lru_cache(maxsize=1024)
def _repeating(size, new, method, antialias):
    """The two taps of each new element, relative to the old one, where an axis grows by a whole factor.

    Returns:
      (places [factor, 2], relative to the element; weights [factor, 2]). Places beyond the border stand for the border.
      None if the taps differ from element to element.
    """
    sources, weights = _taps(size, new, method, antialias)
    if new % size or sources.shape[1] != 2 or not np.all(weights.sum(1) == 1):
        return None
    sources, weights = sources.reshape(size, -1, 2), weights.reshape(size, -1, 2)
    elements = np.arange(size)[:, None, None]
    places = sources[size // 2] - size // 2
    same = np.array_equal(np.clip(elements + places, 0, size - 1), sources) and np.all(weights == weights[:1])
    return (places, weights[0]) if same else None


def _from_shifts(images, places, weights):
    """The second of three axes resized from the neighbours of each element, by slices instead of a gather."""
    size = images.shape[1]
    low, high = max(0, -places.min()), max(0, places.max())
    images = jnp.concatenate([images[:, :1]] * low + [images] + [images[:, -1:]] * high, 1)
    new = []
    for pair, weight in zip(places, weights, strict=True):
        below, above = (images[:, low + place : low + place + size] for place in pair)
        new.append(below + (above - below) * weight[1])
    return jnp.stack(new, 2)


# Resizes one axis, a linear map. Its transpose is stated as well: JAX would derive a scatter.
_along_axis = Primitive("resized_axis")


def _resized_axis(images, axis, new, method, antialias):
    taps = images.shape[axis], new, method, antialias
    return _along_axis.bind(images, axis=axis, taps=taps, back=False)


def _taps_of(images, axis, taps, back):
    return _transposed(_taps(*taps), taps[0]) if back else _taps(*taps)


def _apply(images, *, on_cpu, **params):
    axis, taps = params["axis"], _taps_of(images, **params)
    (new, count), size = taps[0].shape, images.shape[axis]
    before, after = math.prod(images.shape[:axis]), math.prod(images.shape[axis + 1:])
    flat = images.reshape(before, size, after)
    # A CPU gathers few elements faster than it multiplies by a matrix, and is fast at products of long rows only.
    shifts = None if params["back"] or not on_cpu else _repeating(*params["taps"])
    if shifts is not None:
        result = _from_shifts(flat, *shifts)
    elif new * size > KERNELS.dense_resize or on_cpu and (count <= 2 or count <= 16 and after < 32):
        result = _from_taps(jnp, materialized(flat) if on_cpu else flat, 1, taps)
    else:
        matrix = np.zeros((new, size), np.float32)
        np.add.at(matrix, (np.arange(new)[:, None], taps[0]), taps[1])
        each = jnp.broadcast_to(matrix, (before, new, size))  # a batch axis on both sides keeps the axes in order
        result = jnp.einsum("bns,bsa->bna", each, flat, precision=lax.Precision.HIGHEST)
    return result.reshape(*images.shape[:axis], new, *images.shape[axis + 1:])


def _aval(images, *, axis, taps, back):
    shape = list(images.shape)
    shape[axis] = taps[0] if back else taps[1]
    return images.update(shape=tuple(shape))


def _transpose(cotangent, _, *, axis, taps, back):
    return [_along_axis.bind(cotangent, axis=axis, taps=taps, back=not back)]


def _batched(args, dims, *, axis, taps, back):
    return _along_axis.bind(jnp.moveaxis(args[0], dims[0], 0), axis=axis + 1, taps=taps, back=back), 0


def _counts(equation):
    """The counts that `tiers.counts` expects."""
    (input_var,), (result,) = equation.invars, equation.outvars
    elements, taps = math.prod(result.aval.shape), _taps_of(input_var.aval, **equation.params)[0].shape[1]
    return 4 * taps * elements, taps * elements


_along_axis.def_impl(functools.partial(_apply, on_cpu=False))
_along_axis.def_abstract_eval(_aval)
ad.deflinear2(_along_axis, _transpose)
batching.primitive_batchers[_along_axis] = _batched
for _platform in (None, "cpu"):
    _lowered = mlir.lower_fun(functools.partial(_apply, on_cpu=_platform == "cpu"), multiple_results=False)
    mlir.register_lowering(_along_axis, _lowered, platform=_platform)
host.rules["resized_axis"] = host.by_tracing(functools.partial(_apply, on_cpu=False))
tiers.counts["resized_axis"] = _counts


@functools.lru_cache(maxsize=256)
def _pairs(shape, size, method, antialias):
    """How an image is resized where each new element lies between two old ones; None if it does not.

    Returns:
      For the rows and the columns: places of the one, of the other, and the weight of the other. The columns are those
      of pixels and channels together.
    """
    height, width, channels = shape
    both = [_taps(height, size[0], method, antialias), _taps(width, size[1], method, antialias)]
    if any(places.shape[1] != 2 or not np.all(weights.sum(1) == 1) for places, weights in both):
        return None
    (rows, of_rows), (columns, of_columns) = both
    columns = (columns.T[..., None] * channels + np.arange(channels)).reshape(2, -1)
    return (*rows.T, of_rows[:, 1:]), (*columns, np.repeat(of_columns[:, 1], channels))


def _between(array, places, axis):
    """`_from_taps` for two taps, in as few passes over memory."""
    first, second, weight = places
    result = array.take(first, axis).astype(np.float32, copy=False)
    other = array.take(second, axis).astype(np.float32, copy=False)
    other -= result
    other *= weight
    result += other
    return result


def _resized_image(image, size, rows, columns):
    """An image [height, width, channels], of which each new element lies between two old ones."""
    height, width, channels = image.shape
    flat = image.reshape(height, width * channels)
    if 2 * size[0] < height:  # only some rows are needed
        needed = np.concatenate(rows[:2])
        flat, rows = flat.take(needed, 0), (*np.arange(len(needed)).reshape(2, -1), rows[2])
    return _between(_between(flat, columns, 1), rows, 0).reshape(*size, channels)


def _resized_on_host(images, size, method="area", antialias=False):
    pairs = _pairs(images.shape[1:], tuple(size), method, antialias) if images.size and method != "nearest" else None
    if pairs is not None:
        return np.stack([_resized_image(image, size, *pairs) for image in images])
    if method != "nearest":
        images = images.astype(np.float32)
    for axis, new in zip((2, 1), reversed(size), strict=True):
        taps = _taps(images.shape[axis], new, method, antialias)
        images = np.take(images, taps[0][:, 0], axis) if method == "nearest" else _from_taps(np, images, axis, taps)
    return images


def _taken(images, axis, places):
    """The elements of an axis at `places`."""
    size = images.shape[axis]
    times = len(places) // size
    if np.array_equal(places, np.repeat(np.arange(size), times)):
        return repeated(images, times, axis)
    return images.at[(slice(None),) * axis + (places,)].get(mode="promise_in_bounds")


@op("_resize", kernel="ResizeBilinear", tensors=("images",), dtypes=REAL, numpy=_resized_on_host)
def _resize(images, size, method, antialias):
    if method == "nearest":
        for axis, new in zip((1, 2), size, strict=True):
            places = _taps(images.shape[axis], new, method, antialias)[0][:, 0]
            images = _taken(images, axis, places)
        return images
    images = images.astype(np.float32)
    for axis, new in zip((2, 1), reversed(size), strict=True):
        images = _resized_axis(images, axis, new, method, antialias)
    return images


@op("_resize_area", kernel="ResizeArea", tensors=("images",), dtypes=REAL, gradient="missing",
    numpy=_resized_on_host)  # fmt: skip
def _resize_area(images, size):
    return _resize.raw(images, size, "area", False)


@takes_composites("tf.image.resize")
def resize(
    images, size, method=ResizeMethod.BILINEAR, preserve_aspect_ratio=False, antialias=False, name=None
):
    """Images of another size.

    Args:
      images: real tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.
      size: new height and width.
      method: one of `tf.image.ResizeMethod`.
      preserve_aspect_ratio: whether `size` is a limit only, and both sizes are scaled alike.
      antialias: whether a smaller image is smoothed; for the methods that interpolate.
      name: ignored.

    Returns:
      float32 tensor; for "nearest" of the dtype of `images`.

    Raises:
      ValueError: another rank, `size` or `method`.

    Gradient: none is registered for "area", as in TF.
    TF: `tf.image.resize`; no known difference.
    """
    images = convert_to_tensor(images)
    if len(images.shape) not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    # Images from files are on the host and differ in size. XLA would compile anew for each size.
    picture = host_integers(images) if len(images.shape) == 3 and images.dtype in _OF_FILES else None
    images, batch = as_batch(images, may_be_empty=True)
    try:
        size = tuple(static_value(convert_to_tensor(size, dtypes.int32)))
    except (TypeError, ValueError):
        raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if len(size) != 2 or isinstance(size[0], tuple):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    height, width = images.shape[1], images.shape[2]
    if preserve_aspect_ratio and None in (height, width):
        sizes = cast(shape(images)[1:3], dtypes.float32)
        scale = reduce_min(cast(size, dtypes.float32) / sizes)
        size = tuple(static_value(cast(rint(scale * sizes), dtypes.int32)))
    elif preserve_aspect_ratio:
        scale = min(np.float32(size[0]) / np.float32(height), np.float32(size[1]) / np.float32(width))
        size = tuple(int(np.rint(scale * np.float32(one))) for one in (height, width))
    if 0 in (height, width):
        raise invalid(f"input image must be of non-zero size, got {show_shape(images.shape)}")
    if any(is_less(one, 1) for one in size):
        raise invalid(f"output dimensions must be positive, got {size}")
    if images.shape[3] == 0:
        raise when_run("image must have at least one channel")
    if picture is not None and (method in ("nearest", "area") or method in _KERNELS):
        return host_constant(_resized_on_host(picture[None], size, method, bool(antialias))[0])
    if method == "area":
        resized = _resize_area(images, size)
    elif method == "nearest" or method in _KERNELS:
        resized = _resize(images, size, method, bool(antialias))
    else:
        raise ValueError(f"Resize method is not implemented: {method}")
    return resized if batch else squeeze(resized, [0])


@takes_composites("tf.image.resize_with_pad")
def resize_with_pad(image, target_height, target_width, method=ResizeMethod.BILINEAR, antialias=False):
    """The image scaled to fit, with zeros around it.

    Args:
      image: real tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.
      target_height: positive integer.
      target_width: positive integer.
      method: one of `tf.image.ResizeMethod`.
      antialias: as for `resize`.

    Returns:
      Tensor of the height and width asked for; float32, for "nearest" of the dtype of `image`.

    Raises:
      ValueError: another rank, or a size that is not positive.

    TF: `tf.image.resize_with_pad`; no known difference.
    """
    images, batch = as_batch(image)
    target = static_value(target_height), static_value(target_width)
    for one, argument in zip(reversed(target), ("target_width", "target_height"), strict=True):
        if one <= 0:
            raise ValueError(f"{argument} must be > 0.")
    if None in images.shape[1:3].as_list():
        sizes, limits = cast(shape(images)[1:3], dtypes.float32), cast(target, dtypes.float32)
        scaled = sizes / reduce_max(sizes / limits)
        before = cast(maximum(floor((limits - scaled) / 2.0), 0.0), dtypes.int32)
        resized = resize(images, cast(floor(scaled), dtypes.int32), method, antialias=antialias)
        padded = pad_to_bounding_box(resized, before[0], before[1], *target)
        return padded if batch else squeeze(padded, [0])
    sizes = np.array([images.shape[1], images.shape[2]], np.float32)
    target_sizes = np.array(target, np.float32)
    scaled = sizes / (sizes / target_sizes).max()
    offsets = np.maximum(np.floor((target_sizes - scaled) / np.float32(2)), 0)
    resized = resize(images, [int(np.floor(one)) for one in scaled], method, antialias=antialias)
    padded = pad_to_bounding_box(resized, int(offsets[0]), int(offsets[1]), *target)
    return padded if batch else squeeze(padded, [0])

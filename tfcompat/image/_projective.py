"""`ImageProjectiveTransformV3`, with which Keras moves, turns and shears images."""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from tfcompat import dtypes as _dtypes
from tfcompat._core.op import FLOATING, op
from tfcompat.engine import host
from tfcompat.image._materialized import materialized

_KINDS = FLOATING | {_dtypes.uint8, _dtypes.int32, _dtypes.int64}


@op("_projective_transform", kernel="ImageProjectiveTransformV3", tensors=("images", "transforms", "fill_value"),
    same=("images",), dtypes={"images": _KINDS, "transforms": {_dtypes.float32}, "fill_value": {_dtypes.float32}},
    default_dtypes={"transforms": _dtypes.float32, "fill_value": _dtypes.float32})  # fmt: skip
def projective_transform(images, transforms, fill_value, output_shape, interpolation, fill_mode):
    """Pictures seen through a projective map of their places; see `tf.raw_ops.ImageProjectiveTransformV3`."""
    return _seen(images, transforms, fill_value, tuple(output_shape), interpolation, fill_mode)


def _apply(images, transforms, fill_value, output_shape, interpolation, fill_mode):
    height, width = images.shape[1:3]
    a = transforms[:, :, None, None]
    rows, columns = (np.arange(size, dtype=np.float32) for size in output_shape)
    rows = rows[:, None]
    scale = a[:, 6] * columns + a[:, 7] * rows + 1
    known = jnp.where(scale == 0, 1, scale)
    x = _folded((a[:, 0] * columns + a[:, 1] * rows + a[:, 2]) / known, width, fill_mode)
    y = _folded((a[:, 3] * columns + a[:, 4] * rows + a[:, 5]) / known, height, fill_mode)
    shape = (images.shape[0], *x.shape[1:])
    x, y, scale = (jnp.broadcast_to(part, shape) for part in (x, y, scale))
    fill = fill_value.astype(images.dtype)
    integer = np.int64 if math.prod(images.shape[1:]) * (images.shape[0] + 1) >= 1 << 31 else np.int32
    example = jnp.arange(images.shape[0], dtype=integer)[:, None, None]
    channels = images.shape[3]
    # On a CPU, a gather of whole pixels takes three times as long as one of single numbers.
    by_number = jax.default_backend() == "cpu"
    table = materialized(images, transforms).reshape(-1) if by_number else images.reshape(-1, channels)

    def read(rows, columns):
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        i, j = (jnp.clip(part, 0, size - 1).astype(integer) for part, size in ((rows, height), (columns, width)))
        places = (example * height + i) * width + j
        if by_number:
            places = places[..., None] * channels + np.arange(channels, dtype=integer)
        values = table.at[places].get(mode="promise_in_bounds")
        return jnp.where(inside[..., None], values, fill)

    if interpolation == "NEAREST":
        result = read(_rounded(y), _rounded(x))
    else:
        top, left = jnp.floor(y), jnp.floor(x)
        right, down = (x - left)[..., None], (y - top)[..., None]
        upper = (1 - right) * read(top, left) + right * read(top, left + 1)
        lower = (1 - right) * read(top + 1, left) + right * read(top + 1, left + 1)
        result = (1 - down) * upper + down * lower
    return jnp.where((scale == 0)[..., None], fill, result.astype(images.dtype))


# TF's gradient is for the images only. It is not the transpose: it transforms the cotangent with the inverse map.
# https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/image_ops.py
_seen = jax.custom_jvp(_apply, nondiff_argnums=(3, 4, 5))
_change = Primitive("projective_transform")


@_seen.defjvp
def _seen_jvp(output_shape, interpolation, fill_mode, primals, tangents):
    result = _seen(*primals, output_shape, interpolation, fill_mode)
    if not jnp.issubdtype(result.dtype, jnp.floating):
        return result, np.zeros(result.shape, jax.dtypes.float0)
    return result, _change.bind(tangents[0], primals[1], shape=output_shape, modes=(interpolation, fill_mode))


def _change_of(images, transforms, *, shape, modes):
    return _apply(images, transforms, jnp.zeros((), np.float32), shape, *modes)


def _aval(images, transforms, *, shape, modes):
    return images.update(shape=(images.shape[0], *shape, images.shape[3]), weak_type=False)


def _jvp(primals, tangents, **settings):
    result, (change, _) = _change.bind(*primals, **settings), tangents
    return result, ad.Zero.from_primal_value(result) if type(change) is ad.Zero else _change.bind(
        change, primals[1], **settings
    )


def _transposed(cotangent, images, transforms, *, shape, modes):
    return [_change.bind(cotangent, _inverse(transforms), shape=images.aval.shape[1:3], modes=modes), None]


def _inverse(transforms):
    """The inverse maps; what is not invertible gives no finite numbers."""
    a, b, c, d, e, f, g, h = (transforms[:, i] for i in np.arange(8))
    parts = [e - f * h, c * h - b, b * f - c * e, f * g - d, a - c * g, c * d - a * f, d * h - e * g, b * g - a * h]
    return jnp.stack(parts, 1) / (a * e - b * d)[:, None]


def _batched(args, dims, **settings):
    (count,) = {array.shape[dim] for array, dim in zip(args, dims, strict=True) if dim is not None}
    images, transforms = (
        jnp.broadcast_to(array, (count, *array.shape)) if dim is None else jnp.moveaxis(array, dim, 0)
        for array, dim in zip(args, dims, strict=True)
    )
    transforms = jnp.broadcast_to(transforms, (count, images.shape[1], 8)).reshape(-1, 8)
    result = _change.bind(images.reshape(-1, *images.shape[2:]), transforms, **settings)
    return result.reshape(count, -1, *result.shape[1:]), 0


_change.def_impl(_change_of)
_change.def_abstract_eval(_aval)
ad.primitive_jvps[_change] = _jvp
ad.primitive_transposes[_change] = _transposed
batching.primitive_batchers[_change] = _batched
mlir.register_lowering(_change, mlir.lower_fun(_change_of, multiple_results=False))
host.rules["projective_transform"] = host.by_tracing(_change_of)


def _rounded(x):
    """To the nearest number, halves away from zero, as C++ does."""
    return jnp.trunc(x + jnp.copysign(jnp.float32(0.5), x))


def _folded(place, size, mode):
    """Places outside of a picture taken into it. TF: MapCoordinate in tensorflow/core/kernels/image/image_ops.h."""
    if mode == "CONSTANT":
        return place
    if mode == "NEAREST" or size <= 1:
        return jnp.clip(place, 0, size - 1)
    if mode == "REFLECT":
        around = 2 * size
        below = jnp.where(place < around, around * jnp.trunc(-place / around) + place, place)
        below = jnp.where(below < -size, below + around, -below - 1)
        above = place - around * jnp.trunc(place / around)
        above = jnp.where(above >= size, around - above - 1, above)
    else:
        below = place + size * (jnp.trunc(-place / (size - 1)) + 1)
        above = place - size * jnp.trunc(place / (size - 1))
    return jnp.clip(jnp.where(place < 0, below, jnp.where(place > size - 1, above, place)), 0, size - 1)

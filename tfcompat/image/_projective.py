"""`ImageProjectiveTransformV3`, which Keras moves, turns and shears pictures with."""

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes as _dtypes
from tfcompat._op import FLOATING, op

_KINDS = FLOATING | {_dtypes.uint8, _dtypes.int32, _dtypes.int64}


@op("_projective_transform", kernel="ImageProjectiveTransformV3", tensors=("images", "transforms", "fill_value"),
    same=("images",), dtypes={"images": _KINDS, "transforms": {_dtypes.float32}, "fill_value": {_dtypes.float32}},
    default_dtypes={"transforms": _dtypes.float32, "fill_value": _dtypes.float32})  # fmt: skip
def projective_transform(images, transforms, fill_value, output_shape, interpolation, fill_mode):
    """Pictures seen through a projective map of their places; see `tf.raw_ops.ImageProjectiveTransformV3`."""
    height, width = images.shape[1:3]
    a = jax.lax.stop_gradient(transforms)[:, :, None, None]  # TF's gradient is that of the pictures alone
    rows, columns = np.meshgrid(
        np.arange(output_shape[0], dtype=np.float32), np.arange(output_shape[1], dtype=np.float32), indexing="ij"
    )
    scale = a[:, 6] * columns + a[:, 7] * rows + 1
    known = jnp.where(scale == 0, 1, scale)
    x = _folded((a[:, 0] * columns + a[:, 1] * rows + a[:, 2]) / known, width, fill_mode)
    y = _folded((a[:, 3] * columns + a[:, 4] * rows + a[:, 5]) / known, height, fill_mode)
    shape = (images.shape[0], *x.shape[1:])
    x, y, scale = (jnp.broadcast_to(part, shape) for part in (x, y, scale))
    fill = fill_value.astype(images.dtype)

    def read(rows, columns):
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        i, j = (jnp.clip(part, 0, size - 1).astype(np.int32) for part, size in ((rows, height), (columns, width)))
        values = images[jnp.arange(images.shape[0])[:, None, None], i, j]
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

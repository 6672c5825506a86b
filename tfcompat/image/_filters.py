"""Differences between pixels, and normalization."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import FLOATING, SIGNED, op
from tfcompat.array import cast, shape
from tfcompat.array._arguments import invalid, show_shape
from tfcompat.image._batch import check_not_empty
from tfcompat.math import divide, maximum, reduce_mean, reduce_prod, reduce_std
from tfcompat.math._elementwise import magnitude, rsqrt


@op("tf.image.total_variation", kernel="Sum", tensors=("images",), dtypes=FLOATING | SIGNED)
def total_variation(images):
    """Sum of the absolute differences of neighbouring pixels.

    Args:
      images: floating or signed integer tensor of shape `[batch, height, width, channels]` or `[height, width,
        channels]`.

    Returns:
      Tensor of shape `[batch]`, or a scalar; the dtype of `images`.

    Raises:
      ValueError: another rank.

    Gradient: 0 where neighbours are equal.
    TF: `tf.image.total_variation`; no known difference.
    """
    if images.ndim not in (3, 4):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    axes = (-3, -2, -1)
    down = magnitude(images[..., 1:, :, :] - images[..., :-1, :, :]).sum(axes, dtype=images.dtype)
    right = magnitude(images[..., :, 1:, :] - images[..., :, :-1, :]).sum(axes, dtype=images.dtype)
    return down + right


@op("_image_gradients", kernel="Sub", tensors=("image",))
def _image_gradients(image):
    if image.ndim != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}.")
    down = jnp.pad(image[:, 1:] - image[:, :-1], ((0, 0), (0, 1), (0, 0), (0, 0)))
    right = jnp.pad(image[:, :, 1:] - image[:, :, :-1], ((0, 0), (0, 0), (0, 1), (0, 0)))
    return down, right


@takes_composites("tf.image.image_gradients")
def image_gradients(image):
    """Differences to the pixel below and to the pixel on the right; zero in the last row and column.

    Args:
      image: numeric tensor of shape `[batch, height, width, channels]`.

    Returns:
      `(dy, dx)`, tensors with the shape and dtype of `image`.

    Raises:
      ValueError: another rank.

    TF: `tf.image.image_gradients`; no known difference.
    """
    down, right = _image_gradients(image)
    return down, right


@takes_composites("tf.image.sobel_edges")
def sobel_edges(image):
    """Vertical and horizontal differences, smoothed by Sobel's filters; edges are mirrored.

    Args:
      image: floating tensor of shape `[batch, height, width, channels]`, height and width at least 2.

    Returns:
      Tensor of shape `[batch, height, width, channels, 2]` and the dtype of `image`.

    Raises:
      tf.errors.InvalidArgumentError: another rank, or too small an image.

    TF: `tf.image.sobel_edges`; no known difference.
    """
    return _sobel_edges(image)


@op("_sobel_edges", kernel="DepthwiseConv2dNative", tensors=("image",), dtypes=FLOATING)
def _sobel_edges(image):
    if 0 in image.shape[3:]:
        raise when_run("paddings must be less than the dimension size: 0, 0 not less than 0 [Op:MirrorPad]")
    if image.ndim != 4 or min(image.shape[1:3]) < 2:
        raise invalid(f"image must be 4-D with height and width at least 2, got {show_shape(image.shape)}")
    padded = jnp.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="reflect")
    height, width = image.shape[1:3]
    two = np.asarray(2, image.dtype)

    def smoothed(x, axis):
        size = x.shape[axis] - 2
        parts = [lax.slice_in_dim(x, i, i + size, axis=axis) for i in (0, 1, 2)]
        return parts[0] + two * parts[1] + parts[2]

    def slope(x, axis, size):
        return lax.slice_in_dim(x, 2, size + 2, axis=axis) - lax.slice_in_dim(x, 0, size, axis=axis)

    return jnp.stack([slope(smoothed(padded, 2), 1, height), slope(smoothed(padded, 1), 2, width)], -1)


@takes_composites("tf.image.per_image_standardization")
def per_image_standardization(image):
    """Each image with mean 0 and variance 1.

    Args:
      image: real tensor of shape `[..., height, width, channels]`.

    Returns:
      float32 tensor with the shape of `image`. The standard deviation divided by is at least that of one
      pixel alone.

    Raises:
      ValueError: rank below 3.

    TF: `tf.image.per_image_standardization`; no known difference.
    """
    image = convert_to_tensor(image)
    if len(image.shape) < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    check_not_empty(image)
    sizes = image.shape.as_list()[-3:]
    if None in sizes:
        count = cast(reduce_prod(shape(image)[-3:]), dtypes.float32)
        least = rsqrt(count)
    else:
        least = np.float32(1) / np.sqrt(np.prod(sizes, dtype=np.float32))
    image = cast(image, dtypes.float32)
    axes = [-1, -2, -3]
    deviation = reduce_std(image, axes, keepdims=True)
    return divide(image - reduce_mean(image, axes, keepdims=True), maximum(deviation, least))

"""Flips, turns, crops and patches."""

import builtins
import functools
import itertools

import jax.numpy as jnp

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, is_tensor, static_value
from tfcompat._core.in_graphs import when_run
from tfcompat._core.op import ANY, op
from tfcompat._core.symbolic_sizes import is_less, larger, sizes_of, smaller
from tfcompat.array import cast, pad, reverse, slice, squeeze, transpose
from tfcompat.array import shape as shape_of
from tfcompat.array._arguments import as_int, as_ints, invalid, show_shape
from tfcompat.errors import UnimplementedError
from tfcompat.image._batch import as_batch, check_not_empty
from tfcompat.nn._windows import fitting, pads


def _image(image):
    """`image` as a tensor of rank 3 or 4, and whether it is a batch."""
    image = convert_to_tensor(image)
    rank = len(image.shape)
    if rank < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    if rank > 4:
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    check_not_empty(image)
    return image, rank == 4


@takes_composites("tf.image.flip_left_right")
def flip_left_right(image):
    """The mirror image.

    Args:
      image: tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: another rank.

    TF: `tf.image.flip_left_right`; no known difference.
    """
    image, batch = _image(image)
    return reverse(image, [2 if batch else 1])


@takes_composites("tf.image.flip_up_down")
def flip_up_down(image):
    """The image upside down.

    Args:
      image: tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: another rank.

    TF: `tf.image.flip_up_down`; no known difference.
    """
    image, batch = _image(image)
    return reverse(image, [1 if batch else 0])


@takes_composites("tf.image.transpose")
def transpose_image(image, name=None):
    """The image with height and width exchanged.

    Args:
      image: tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.
      name: ignored.

    Returns:
      Tensor of the dtype of `image`.

    Raises:
      ValueError: another rank.

    TF: `tf.image.transpose`; no known difference.
    """
    image, batch = _image(image)
    return transpose(image, [0, 2, 1, 3] if batch else [1, 0, 2])


@takes_composites("tf.image.rot90")
def rot90(image, k=1, name=None):
    """The image turned counter-clockwise.

    Args:
      image: tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.
      k: integer, how many quarter turns.
      name: ignored.

    Returns:
      Tensor of the dtype of `image`.

    Raises:
      ValueError: another rank.

    TF: `tf.image.rot90`; no known difference.
    """
    image, batch = _image(image)
    height, width = (1, 2) if batch else (0, 1)
    turns = as_int(static_value(k), "k") % 4
    if turns == 2:
        return reverse(image, [height, width])
    if turns == 1:
        return transpose_image(reverse(image, [width]))
    return reverse(transpose_image(image), [width]) if turns == 3 else image


@takes_composites("tf.image.central_crop")
def central_crop(image, central_fraction):
    """The middle of the image.

    Args:
      image: tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.
      central_fraction: how much of height and width to keep, in (0, 1].

    Returns:
      Tensor of the rank and dtype of `image`.

    Raises:
      ValueError: another rank, or a fraction out of range.

    TF: `tf.image.central_crop`; no known difference.
    """
    image = convert_to_tensor(image)
    fraction = static_value(central_fraction)
    if not 0.0 < fraction <= 1.0:
        raise ValueError("central_fraction must be within (0, 1]")
    if fraction == 1.0:
        return image
    image, batch = _image(image)
    first = 1 if batch else 0
    begin, size = [0] * len(image.shape), [-1] * len(image.shape)
    for axis in (first, first + 1):
        length = image.shape[axis]
        if length is None:
            whole = shape_of(image)[axis]
            exact = cast(whole, "float64")
            begin[axis] = cast((exact - exact * fraction) / 2, "int32")
            size[axis] = whole - begin[axis] * 2
            continue
        begin[axis] = int((float(length) - float(length) * fraction) / 2)
        size[axis] = length - 2 * begin[axis]
    return slice(image, begin, size)


def _refuse(bad, text, *arguments):
    """Raises where sizes do not fit: TF looks at numbers at once, and asserts of tensors."""
    if bad:
        raise invalid(text) if any(map(is_tensor, arguments)) else ValueError(text)


@takes_composites("tf.image.crop_to_bounding_box")
def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """A part of the image.

    Args:
      image: tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.
      offset_height: how many rows to leave out above.
      offset_width: how many columns to leave out on the left.
      target_height: how many rows to keep.
      target_width: how many columns to keep.

    Returns:
      Tensor of the rank and dtype of `image`.

    Raises:
      ValueError: another rank, or a part that is not inside the image.

    TF: `tf.image.crop_to_bounding_box`; no known difference.
    """
    images, batch = as_batch(image)
    top, left, height, width = map(static_value, (offset_height, offset_width, target_height, target_width))
    _, rows, columns, _ = sizes_of(images)
    in_width, in_height = (offset_width, target_width), (offset_height, target_height)
    _refuse(is_less(left, 0), "offset_width must be >= 0.", offset_width)
    _refuse(is_less(top, 0), "offset_height must be >= 0.", offset_height)
    _refuse(is_less(width, 1), "target_width must be > 0.", target_width)
    _refuse(is_less(height, 1), "target_height must be > 0.", target_height)
    _refuse(is_less(columns, width + left), "width must be >= target + offset.", *in_width)
    _refuse(is_less(rows, height + top), "height must be >= target + offset.", *in_height)
    cropped = slice(images, [0, top, left, 0], [-1, height, width, -1])
    return cropped if batch else squeeze(cropped, [0])


@takes_composites("tf.image.pad_to_bounding_box")
def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The image with zeros around it.

    Args:
      image: tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.
      offset_height: how many rows of zeros above.
      offset_width: how many columns of zeros on the left.
      target_height: height of the result.
      target_width: width of the result.

    Returns:
      Tensor of the rank and dtype of `image`.

    Raises:
      ValueError: another rank, or a target that the image does not fit in.

    TF: `tf.image.pad_to_bounding_box`; no known difference.
    """
    images, batch = as_batch(image)
    top, left, height, width = map(static_value, (offset_height, offset_width, target_height, target_width))
    _, rows, columns, _ = sizes_of(images)
    right, below = width - left - columns, height - top - rows
    _refuse(is_less(top, 0), "offset_height must be >= 0", offset_height)
    _refuse(is_less(left, 0), "offset_width must be >= 0", offset_width)
    _refuse(is_less(right, 0), "width must be <= target - offset", offset_width, target_width)
    _refuse(is_less(below, 0), "height must be <= target - offset", offset_height, target_height)
    padded = pad(images, [[0, 0], [top, below], [left, right], [0, 0]])
    return padded if batch else squeeze(padded, [0])


@takes_composites("tf.image.resize_with_crop_or_pad")
def resize_with_crop_or_pad(image, target_height, target_width):
    """The middle of the image, or the image with zeros around it, whichever the size needs.

    Args:
      image: tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.
      target_height: positive integer.
      target_width: positive integer.

    Returns:
      Tensor of the rank and dtype of `image`.

    Raises:
      ValueError: another rank, or a size that is not positive.

    TF: `tf.image.resize_with_crop_or_pad`; no known difference.
    """
    images, batch = as_batch(image)
    target = static_value(target_height), static_value(target_width)
    for one, argument in zip(reversed(target), ("target_width", "target_height"), strict=True):
        if is_less(one, 1):
            raise ValueError(f"{argument} must be > 0.")
    sizes = sizes_of(images)[1:3]
    more = [want - have for want, have in zip(target, sizes, strict=True)]
    cropped = crop_to_bounding_box(
        images,
        larger(-more[0] // 2, 0),
        larger(-more[1] // 2, 0),
        smaller(target[0], sizes[0]),
        smaller(target[1], sizes[1]),
    )
    padded = pad_to_bounding_box(cropped, larger(more[0] // 2, 0), larger(more[1] // 2, 0), *target)
    return padded if batch else squeeze(padded, [0])


@op("tf.image.extract_patches", kernel="ExtractImagePatches", tensors=("images",), dtypes=ANY)
def extract_patches(images, sizes, strides, rates, padding):
    """Patches of the image, each put into the channels of one pixel.

    Args:
      images: tensor of shape `[batch, height, width, channels]`, any dtype.
      sizes: size of the patches, `[1, height, width, 1]`.
      strides: how far apart they are, `[1, rows, columns, 1]`.
      rates: how far apart the pixels of a patch are, `[1, rows, columns, 1]`.
      padding: "VALID" or "SAME", which pads with zeros.

    Returns:
      Tensor of shape `[batch, rows, columns, sizes[1] * sizes[2] * channels]`.

    Raises:
      tf.errors.InvalidArgumentError: arguments of the wrong length, or unknown padding.
      tf.errors.UnimplementedError: patches or steps over batches or channels.

    TF: `tf.image.extract_patches`; no known difference.
    """
    if images.ndim != 4:
        raise invalid(f"input must be 4-dimensional {show_shape(images.shape)}")
    middle = []
    for numbers, argument in ((sizes, "ksizes"), (strides, "strides"), (rates, "rates")):
        numbers = as_ints(numbers, argument)
        if len(numbers) != 4 or numbers[0] != 1 or numbers[3] != 1:
            kind = invalid if len(numbers) != 4 else functools.partial(UnimplementedError, None, None)
            raise kind(f"Current implementation requires {argument} of the form [1, rows, cols, 1], got {numbers}")
        middle.append(numbers[1:3])
    windows, steps, spread = middle
    reach = tuple((window - 1) * rate + 1 for window, rate in zip(windows, spread, strict=True))
    around = pads(padding, images.shape[1:3], reach, steps, False)
    padded = jnp.pad(images, ((0, 0), *around, (0, 0)))
    counts = [fitting(*each) for each in zip(padded.shape[1:3], reach, steps, strict=True)]
    parts = []
    for row, column in itertools.product(*map(range, windows)):
        starts = row * spread[0], column * spread[1]
        rows, columns = (
            builtins.slice(start, start + (count - 1) * step + 1 if count else start, step)
            for start, count, step in zip(starts, counts, steps, strict=True)
        )
        parts.append(padded[:, rows, columns])
    return jnp.concatenate(parts, -1)


def random_size(value, size):
    """(value, size, limit) of a random crop; raises where it does not fit."""
    value = convert_to_tensor(value)
    target_size = tuple(static_value(convert_to_tensor(size, dtypes.int32)))
    sizes = sizes_of(value)
    if len(target_size) != len(sizes) or any(map(is_less, sizes, target_size)):
        raise when_run(f"Need value.shape >= size, got {list(sizes)} and {list(target_size)}")
    return value, target_size, [have - want + 1 for have, want in zip(sizes, target_size, strict=True)]

"""Random changes of images, with the numbers of TensorFlow for the same seeds."""

import functools

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat.array import cast, reshape, reverse, slice, where
from tfcompat.image._color import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from tfcompat.image._geometry import _image, random_size
from tfcompat.math import floormod, less, round
from tfcompat.random import stateless_uniform, uniform


def _flipped(image, axis, sample):
    image, batch = _image(image)
    if not batch:
        return where(less(sample(shape=[], minval=0, maxval=1.0), 0.5), reverse(image, [axis]), image)
    count = image.shape[0]
    flips = round(reshape(sample(shape=[count], minval=0, maxval=1.0), [count, 1, 1, 1]))
    flips = cast(flips, image.dtype)
    return flips * reverse(image, [axis + 1]) + (1 - flips) * image


@takes_composites("tf.image.random_flip_left_right")
def random_flip_left_right(image, seed=None):
    """The image or its mirror image, either with probability 1/2; for a batch image by image.

    Args:
      image: tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.
      seed: integer, or None.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: another rank.

    TF: `tf.image.random_flip_left_right`; the same choice for the same seeds.
    """
    return _flipped(image, 1, functools.partial(uniform, seed=seed))


@takes_composites("tf.image.random_flip_up_down")
def random_flip_up_down(image, seed=None):
    """The image or the same upside down, either with probability 1/2; for a batch image by image.

    Args:
      image: tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.
      seed: integer, or None.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: another rank.

    TF: `tf.image.random_flip_up_down`; the same choice for the same seeds.
    """
    return _flipped(image, 0, functools.partial(uniform, seed=seed))


@takes_composites("tf.image.stateless_random_flip_left_right")
def stateless_random_flip_left_right(image, seed):
    """As `random_flip_left_right`, the choice a function of `seed` alone.

    Args:
      image: tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.
      seed: integer tensor of shape `[2]`.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: another rank.

    TF: `tf.image.stateless_random_flip_left_right`; the same choice for the same seed.
    """
    return _flipped(image, 1, functools.partial(stateless_uniform, seed=seed))


@takes_composites("tf.image.stateless_random_flip_up_down")
def stateless_random_flip_up_down(image, seed):
    """As `random_flip_up_down`, the choice a function of `seed` alone.

    Args:
      image: tensor of shape `[batch, height, width, channels]` or `[height, width, channels]`.
      seed: integer tensor of shape `[2]`.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: another rank.

    TF: `tf.image.stateless_random_flip_up_down`; the same choice for the same seed.
    """
    return _flipped(image, 0, functools.partial(stateless_uniform, seed=seed))


def _cropped(value, size, sample):
    value, target_size, limit = random_size(value, size)
    offset = sample([len(target_size)], maxval=dtypes.int32.max, dtype=dtypes.int32)
    return slice(value, floormod(offset, convert_to_tensor(limit, dtypes.int32)), target_size)


@takes_composites("tf.image.random_crop")
def random_crop(value, size, seed=None, name=None):
    """A part of a tensor, from a random place.

    Args:
      value: tensor of any dtype.
      size: shape of the part.
      seed: integer, or None.
      name: ignored.

    Returns:
      Tensor of shape `size`.

    Raises:
      tf.errors.InvalidArgumentError: `size` does not fit.

    TF: `tf.image.random_crop`; the same place for the same seeds.
    """
    return _cropped(value, size, functools.partial(uniform, seed=seed))


@takes_composites("tf.image.stateless_random_crop")
def stateless_random_crop(value, size, seed, name=None):
    """As `random_crop`, the place a function of `seed` alone.

    Args:
      value: tensor of any dtype.
      size: shape of the part.
      seed: integer tensor of shape `[2]`.
      name: ignored.

    Returns:
      Tensor of shape `size`.

    Raises:
      tf.errors.InvalidArgumentError: `size` does not fit.

    TF: `tf.image.stateless_random_crop`; the same place for the same seed.
    """
    return _cropped(value, size, functools.partial(stateless_uniform, seed=seed))


def _check_delta(max_delta, most=None):
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    if most is not None and max_delta > most:
        raise ValueError(f"max_delta must be <= {most}.")


def _check_range(lower, upper):
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


@takes_composites("tf.image.random_brightness")
def random_brightness(image, max_delta, seed=None):
    """`adjust_brightness` by a random number in [-max_delta, max_delta).

    Args:
      image: floating or integer tensor.
      max_delta: number, not negative.
      seed: integer, or None.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: `max_delta` is negative.

    TF: `tf.image.random_brightness`; the same number for the same seeds.
    """
    _check_delta(max_delta)
    return adjust_brightness(image, uniform([], -max_delta, max_delta, seed=seed))


@takes_composites("tf.image.stateless_random_brightness")
def stateless_random_brightness(image, max_delta, seed):
    """As `random_brightness`, the number a function of `seed` alone.

    Args:
      image: floating or integer tensor.
      max_delta: number, not negative.
      seed: integer tensor of shape `[2]`.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: `max_delta` is negative.

    TF: `tf.image.stateless_random_brightness`; the same number for the same seed.
    """
    _check_delta(max_delta)
    return adjust_brightness(image, stateless_uniform([], seed, -max_delta, max_delta))


@takes_composites("tf.image.random_contrast")
def random_contrast(image, lower, upper, seed=None):
    """`adjust_contrast` by a random factor in [lower, upper).

    Args:
      image: floating or integer tensor of shape `[..., height, width, channels]`.
      lower: number, not negative.
      upper: number above `lower`.
      seed: integer, or None.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: bounds out of order.

    TF: `tf.image.random_contrast`; the same factor for the same seeds.
    """
    _check_range(lower, upper)
    return adjust_contrast(image, uniform([], lower, upper, seed=seed))


@takes_composites("tf.image.stateless_random_contrast")
def stateless_random_contrast(image, lower, upper, seed):
    """As `random_contrast`, the factor a function of `seed` alone.

    Args:
      image: floating or integer tensor of shape `[..., height, width, channels]`.
      lower: number, not negative.
      upper: number above `lower`.
      seed: integer tensor of shape `[2]`.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: bounds out of order.

    TF: `tf.image.stateless_random_contrast`; the same factor for the same seed.
    """
    _check_range(lower, upper)
    return adjust_contrast(image, stateless_uniform([], seed, lower, upper))


@takes_composites("tf.image.random_saturation")
def random_saturation(image, lower, upper, seed=None):
    """`adjust_saturation` by a random factor in [lower, upper).

    Args:
      image: floating or integer tensor of shape `[..., height, width, 3]`.
      lower: number, not negative.
      upper: number above `lower`.
      seed: integer, or None.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: bounds out of order.

    TF: `tf.image.random_saturation`; the same factor for the same seeds.
    """
    _check_range(lower, upper)
    return adjust_saturation(image, uniform([], lower, upper, seed=seed))


@takes_composites("tf.image.stateless_random_saturation")
def stateless_random_saturation(image, lower, upper, seed=None):
    """As `random_saturation`, the factor a function of `seed` alone.

    Args:
      image: floating or integer tensor of shape `[..., height, width, 3]`.
      lower: number, not negative.
      upper: number above `lower`.
      seed: integer tensor of shape `[2]`.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: bounds out of order.

    TF: `tf.image.stateless_random_saturation`; the same factor for the same seed.
    """
    _check_range(lower, upper)
    return adjust_saturation(image, stateless_uniform([], seed, lower, upper))


@takes_composites("tf.image.random_hue")
def random_hue(image, max_delta, seed=None):
    """`adjust_hue` by a random number in [-max_delta, max_delta).

    Args:
      image: floating or integer tensor of shape `[..., height, width, 3]`.
      max_delta: number in [0, 0.5].
      seed: integer, or None.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: `max_delta` out of range.

    TF: `tf.image.random_hue`; the same number for the same seeds.
    """
    _check_delta(max_delta, 0.5)
    return adjust_hue(image, uniform([], -max_delta, max_delta, seed=seed))


@takes_composites("tf.image.stateless_random_hue")
def stateless_random_hue(image, max_delta, seed):
    """As `random_hue`, the number a function of `seed` alone.

    Args:
      image: floating or integer tensor of shape `[..., height, width, 3]`.
      max_delta: number in [0, 0.5].
      seed: integer tensor of shape `[2]`.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: `max_delta` out of range.

    TF: `tf.image.stateless_random_hue`; the same number for the same seed.
    """
    _check_delta(max_delta, 0.5)
    return adjust_hue(image, stateless_uniform([], seed, -max_delta, max_delta))

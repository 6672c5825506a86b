"""Pictures with the losses of JPEG files."""

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, known_values, static_value
from tfcompat.array import stack
from tfcompat.array._arguments import invalid
from tfcompat.image._color import convert_image_dtype
from tfcompat.io._image import decode_jpeg, encode_jpeg
from tfcompat.random import stateless_uniform, uniform


@takes_composites("tf.image.adjust_jpeg_quality")
def adjust_jpeg_quality(image, jpeg_quality, dct_method="", name=None):
    """The image as a JPEG file of some quality would hold it.

    Args:
      image: floating or integer tensor of shape `[height, width, 1 or 3]` or with batch axes; its values are looked at.
      jpeg_quality: integer in [0, 100].
      dct_method: "", "INTEGER_FAST" or "INTEGER_ACCURATE".
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      tf.errors.InvalidArgumentError: a quality out of range.
      tf.errors.UnimplementedError: Pillow is not installed, or values are not known while a function is traced.

    TF: `tf.image.adjust_jpeg_quality`; values may differ by a few units, as between versions of libjpeg.
    """
    quality = int(static_value(jpeg_quality))
    if not 0 <= quality <= 100:
        raise invalid(f"jpeg_quality must be between 0 and 100, got {quality}")
    image = convert_to_tensor(image)
    channels = image.shape[-1]
    pixels = convert_image_dtype(image, dtypes.uint8, saturate=True)
    if pixels.ndim == 3:
        result = _through_file(pixels, quality, channels, dct_method)
    else:
        result = stack([_through_file(one, quality, channels, dct_method) for one in pixels])
    return convert_image_dtype(result, image.dtype, saturate=True)


def _through_file(pixels, quality, channels, dct_method):
    return decode_jpeg(encode_jpeg(pixels, quality=quality), channels=channels, dct_method=dct_method)


def _check(low, high):
    if low < 0 or high < 0 or low > 100 or high > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if low >= high:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")


@takes_composites("tf.image.random_jpeg_quality")
def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    """`adjust_jpeg_quality` of a random quality in [min_jpeg_quality, max_jpeg_quality).

    Args:
      image: as there.
      min_jpeg_quality: integer in [0, 100].
      max_jpeg_quality: integer in [0, 100], larger.
      seed: integer, or None.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: bounds out of range or order.

    TF: `tf.image.random_jpeg_quality`; the same quality for the same seeds.
    """
    _check(min_jpeg_quality, max_jpeg_quality)
    quality = uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=dtypes.int32)
    return adjust_jpeg_quality(image, int(known_values(quality, "call it outside")))


@takes_composites("tf.image.stateless_random_jpeg_quality")
def stateless_random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed):
    """As `random_jpeg_quality`, the quality a function of `seed` alone.

    Args:
      image: as there.
      min_jpeg_quality: integer in [0, 100].
      max_jpeg_quality: integer in [0, 100], larger.
      seed: integer tensor of shape `[2]`.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: bounds out of range or order.

    TF: `tf.image.stateless_random_jpeg_quality`; the same quality for the same seed.
    """
    _check(min_jpeg_quality, max_jpeg_quality)
    quality = stateless_uniform([], seed, min_jpeg_quality, max_jpeg_quality, dtypes.int32)
    return adjust_jpeg_quality(image, int(known_values(quality, "call it outside")))

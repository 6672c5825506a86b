"""JPEG files, decoded by libjpeg-turbo as in TensorFlow: the same pixels for each of its `dct_method`s."""

import functools

import numpy as np

from tfcompat._package.logging import logger
from tfcompat.errors import InvalidArgumentError

MOST_BYTES = 1 << 29  # of the pixels of a picture, as in TensorFlow


@functools.cache
def _library():
    """The module simplejpeg, or None. Pillow cannot choose a cosine transform."""
    try:
        import simplejpeg  # an optional dependency
    except ImportError:
        logger.warning(
            "JPEG files are read by Pillow, whose pixels are up to 8 units from TensorFlow's. For the same ones: "
            "pip install 'tfcompat[image]'"
        )
        return None
    return simplejpeg


def is_available():
    """Whether `pixels` can be called."""
    return _library() is not None


def pixels(data, channels, ratio=1, is_fast=True, fancy_upscaling=True):
    """The pixels of a JPEG file.

    Args:
      data: bytes.
      channels: 0 for those of the file, 1 or 3.
      ratio: 1, 2, 4 or 8: by how much smaller it is read.
      is_fast: whether the fast integer cosine transform is used, TensorFlow's default, rather than the accurate one.
      fancy_upscaling: whether colours of lower resolution are interpolated.

    Returns:
      uint8 array [height, width, channels].

    Raises:
      tf.errors.InvalidArgumentError: no JPEG file, or its end is missing.
    """
    library = _library()
    try:
        height, width, space, _ = library.decode_jpeg_header(data)
        if (height // ratio) * (width // ratio) * 3 >= MOST_BYTES:
            raise ValueError(f"too large: {width} by {height}")
        if space in ("CMYK", "YCCK") and channels == 1:
            raise ValueError("no conversion of CMYK to grey")
        target = "CMYK" if space in ("CMYK", "YCCK") else "GRAY" if (channels or space) in (1, "Gray") else "RGB"
        smallest = {} if ratio == 1 else {"min_height": -(-height // ratio), "min_width": -(-width // ratio)}
        found = library.decode_jpeg(data, target, fastdct=is_fast, fastupsample=not fancy_upscaling, **smallest)
    except ValueError as error:
        raise InvalidArgumentError(
            None, None, f"jpeg::Uncompress failed. Invalid JPEG data or crop window. ({error}) [Op:DecodeJpeg]"
        ) from None
    return _rgb(found, b"Adobe" in data) if target == "CMYK" else found


def _rgb(cmyk, is_inverted):
    """The colours of four inks. Adobe's programs write them inverted, and say so."""
    inks = cmyk.astype(np.int32)
    if not is_inverted:
        inks = 255 - inks
    return (inks[..., :3] * inks[..., 3:] // 255).astype(np.uint8)

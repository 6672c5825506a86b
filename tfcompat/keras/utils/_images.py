"""Images as arrays, by Pillow."""

import io
import os
import pathlib
from typing import Any

import numpy as np

from tfcompat._formats.whole import Replacing
from tfcompat.layers._layer import settings as _settings


def _pillow() -> Any:
    try:
        from PIL import Image  # optional
    except ImportError as error:
        raise ImportError(
            "Could not import PIL.Image. The use of `array_to_img` and `load_img` requires Pillow: pip install pillow"
        ) from error
    return Image


def img_to_array(img, data_format=None, dtype=None):
    """A picture of Pillow's as an array of rank 3.

    Args:
      img: picture, or array of rank 2 or 3.
      data_format: "channels_first" or "channels_last".
      dtype: NumPy dtype, `tf.keras.backend.floatx()` by default.

    Raises:
      ValueError: another rank, or an unknown layout.

    TF: `tf.keras.utils.img_to_array`; no known difference.
    """
    first = _first(data_format)
    x = np.asarray(img, dtype=dtype or _settings.floatx())
    if x.ndim == 3:
        return x.transpose(2, 0, 1) if first else x
    if x.ndim == 2:
        return x[None] if first else x[..., None]
    raise ValueError(f"Unsupported image shape: {x.shape}")


def _first(data_format):
    data_format = _settings.image_data_format() if data_format is None else data_format
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {data_format}")
    return data_format == "channels_first"


def array_to_img(x, data_format=None, scale=True, dtype=None):
    """An array of rank 3 as a picture of Pillow's.

    Args:
      x: array of 1, 3 or 4 channels.
      data_format: "channels_first" or "channels_last".
      scale: bool, whether the least number becomes 0 and the largest 255.
      dtype: NumPy dtype in which this is computed.

    Raises:
      ValueError: another rank, or another number of channels.
      ImportError: Pillow is not installed.

    TF: `tf.keras.utils.array_to_img`; no known difference.
    """
    image = _pillow()
    x = np.asarray(x, dtype=dtype or _settings.floatx())
    if x.ndim != 3:
        raise ValueError(f"Expected image array to have rank 3 (single image). Got array with shape: {x.shape}")
    if _first(data_format):
        x = x.transpose(1, 2, 0)
    if scale:
        x = x - np.min(x)
        largest = np.max(x)
        x = (x / largest if largest != 0 else x) * 255
    channels = x.shape[2]
    if channels == 4:
        return image.fromarray(x.astype("uint8"), "RGBA")
    if channels == 3:
        return image.fromarray(x.astype("uint8"), "RGB")
    if channels == 1:
        if np.max(x) > 255:
            return image.fromarray(x[:, :, 0].astype("int32"), "I")
        return image.fromarray(x[:, :, 0].astype("uint8"), "L")
    raise ValueError(f"Unsupported channel number: {channels}")


def save_img(path, x, data_format=None, file_format=None, scale=True, **kwargs):
    """Writes an array as a picture file. TF: `tf.keras.utils.save_img`."""
    picture = array_to_img(x, data_format=data_format, scale=scale)
    if picture.mode == "RGBA" and file_format in ("jpg", "jpeg"):
        picture = picture.convert("RGB")
    if not isinstance(path, str | os.PathLike):  # a file that is open
        picture.save(path, format=file_format, **kwargs)
        return
    data, suffix = io.BytesIO(), os.path.splitext(path)[1].lower()
    picture.save(data, format=file_format or _pillow().registered_extensions().get(suffix, suffix), **kwargs)
    with Replacing(path, sync=False) as file:
        file.write(data.getbuffer())


def load_img(path, grayscale=False, color_mode="rgb", target_size=None, interpolation="nearest",
             keep_aspect_ratio=False):  # fmt: skip
    """A picture from a file.

    Args:
      path: path, or BytesIO.
      grayscale: deprecated: use `color_mode="grayscale"`.
      color_mode: "grayscale", "rgb" or "rgba".
      target_size: (height, width), or None.
      interpolation: "nearest", "bilinear", "bicubic", "hamming", "box" or "lanczos".
      keep_aspect_ratio: bool, whether the picture is cropped first.

    Returns:
      Picture of Pillow's.

    Raises:
      ValueError: an unknown mode or interpolation.
      ImportError: Pillow is not installed.

    TF: `tf.keras.utils.load_img`; no known difference.
    """
    image = _pillow()
    if isinstance(path, io.BytesIO):
        picture = image.open(path)
    elif isinstance(path, str | bytes | pathlib.Path | os.PathLike):
        with open(path, "rb") as file:
            picture = image.open(io.BytesIO(file.read()))
    else:
        raise TypeError(f"path should be path-like or io.BytesIO, not {type(path)}")
    color_mode = "grayscale" if grayscale else color_mode
    if color_mode == "grayscale":
        if picture.mode not in ("L", "I;16", "I"):
            picture = picture.convert("L")
    elif color_mode in ("rgb", "rgba"):
        picture = picture.convert(color_mode.upper())
    else:
        raise ValueError('color_mode must be "grayscale", "rgb", or "rgba"')
    size = None if target_size is None else (target_size[1], target_size[0])
    if size is None or picture.size == size:
        return picture
    methods = {name: getattr(image.Resampling, name.upper()) for name in
               ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")}  # fmt: skip
    if interpolation not in methods:
        raise ValueError(
            f"Invalid interpolation method {interpolation} specified. Supported methods are {', '.join(methods)}"
        )
    if not keep_aspect_ratio:
        return picture.resize(size, methods[interpolation])
    width, height = picture.size
    crop_height = min(height, width * size[1] // size[0])
    crop_width = min(width, height * size[0] // size[1])
    left, top = (width - crop_width) // 2, (height - crop_height) // 2
    box = [left, top, left + crop_width, top + crop_height]
    return picture.resize(size, methods[interpolation], box=box)

"""Pictures: PNG, JPEG, GIF, BMP and WebP files, read and written by Pillow, an optional extra; see also `_jpeg.py`."""

import contextlib
import io
import warnings

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, sized_by_values
from tfcompat._core.stacks import Rows
from tfcompat._core.steps import sizes_of, step
from tfcompat.errors import InvalidArgumentError, OpError, UnimplementedError
from tfcompat.io import _jpeg
from tfcompat.io._files import text, text_scalar
from tfcompat.io._png import encode
from tfcompat.strings._elementwise import ADVICE

_MODES = {1: "L", 3: "RGB", 4: "RGBA"}
_PNG = b"\x89PNG\r\n\x1a\n"
_FORMATS = ((_PNG, "PNG"), (b"\xff\xd8\xff", "JPEG"), (b"GIF8", "GIF"), (b"BM", "BMP"))


def _pillow():
    try:
        from PIL import Image, ImageFile  # an optional dependency
    except ImportError:
        raise UnimplementedError(
            None, None, "reading and writing pictures needs Pillow: pip install 'tfcompat[image]'"
        ) from None
    return Image, ImageFile


def _format(data):
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    return next((name for start, name in _FORMATS if data.startswith(start)), None)


@contextlib.contextmanager
def _decoding(data, format_name):
    """A context around what Pillow does with a file. Its exceptions have no common class."""
    try:
        yield
    except OpError:
        raise
    except Exception as error:
        raise InvalidArgumentError(None, None, f"Invalid {format_name} data, size {len(data)}: {error}") from None


def _recognised(data, format_name):
    """The picture in some bytes, whose pixels are not read yet.

    Raises:
      tf.errors.InvalidArgumentError: it is none, or has more pixels than TensorFlow takes.
    """
    image_module, _ = _pillow()
    with _decoding(data, format_name):
        if data.startswith(_PNG):
            from PIL.PngImagePlugin import PngImageFile

            picture = PngImageFile(io.BytesIO(data))  # what `open` finds by trying
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", image_module.DecompressionBombWarning)  # the size is looked at below
                picture = image_module.open(io.BytesIO(data))
    _check_size(*picture.size, 1, format_name)
    return picture


def _check_size(width, height, frames, format_name):
    if width * height * frames * 3 >= _jpeg.MOST_BYTES:
        frames = f", {frames} frames" if frames > 1 else ""
        raise InvalidArgumentError(None, None, f"{format_name} size too large for int: {width} by {height}{frames}")


def _opened(data, format_name):
    picture = _recognised(data, format_name)
    with _decoding(data, format_name):
        picture.load()
    return picture


def _check_channels(channels, allowed):
    if channels not in allowed:
        raise InvalidArgumentError(
            None, None, f"channels must be one of {', '.join(map(str, allowed))}, got {channels}"
        )


def _pixels(picture, channels):
    """The array [height, width, channels] of a picture, uint8 or uint16."""
    wide = picture.mode.startswith("I")
    if wide:  # 16-bit greyscale
        array = np.asarray(picture).astype(np.uint16)[..., None]
        return np.repeat(array, channels, -1) if channels > 1 else array
    if not channels:
        bands = len(picture.getbands())
        transparent = picture.mode == "P" and "transparency" in picture.info
        channels = 4 if transparent else 3 if picture.mode in ("P", "CMYK", "YCbCr") else bands
    if channels == 2:
        return np.asarray(picture.convert("LA"))
    if channels == 1 and picture.format == "PNG" and picture.mode in ("P", "RGB", "RGBA"):
        # The weights and the rounding of libpng:
        # https://github.com/pnggroup/libpng/blob/libpng16/pngrtran.c (png_do_rgb_to_gray)
        return (np.asarray(picture.convert("RGB")).astype(np.int32) @ np.array([[9797], [19234], [3737]]) >> 15).astype(
            np.uint8
        )
    if channels == 1 and picture.mode != "L":
        # As in libpng and libjpeg, grey is the luminance.
        picture = picture.convert("RGB") if picture.mode not in ("RGB", "1") else picture
    array = np.asarray(picture if picture.mode == _MODES[channels] else picture.convert(_MODES[channels]))
    return array[..., None] if array.ndim == 2 else array


def _as_dtype(array, dtype):
    dtype = dtypes.as_dtype(dtype)
    if dtype is dtypes.uint8:
        return (array >> 8).astype(np.uint8) if array.dtype == np.uint16 else array
    if dtype is dtypes.uint16:
        return array.astype(np.uint16) * 257 if array.dtype == np.uint8 else array
    if dtype is dtypes.float32:
        return array.astype(np.float32) * np.float32(1 / np.iinfo(array.dtype).max)  # a product, as in TF's kernel
    if dtype in (dtypes.float16, dtypes.float64):
        return (array / dtype.np.type(np.iinfo(array.dtype).max)).astype(dtype.np)
    raise InvalidArgumentError(None, None, f"Value for attr 'dtype' of {dtype.name} is not in the list of allowed "
                               "values: uint8, uint16")  # fmt: skip


def _picture(dtype=dtypes.uint8, axes=3):
    """What comes of a file of pixels while a function is traced."""

    def result(new, contents, channels=0, *args, **kwargs):
        given = kwargs.get("dtype", args[0] if args and isinstance(args[0], dtypes.DType) else dtype)
        return new([None] * (axes - 1) + [channels or None], dtypes.as_dtype(given))

    return result


def _of_each(pixels):
    """The `of_stack` of a function of a file: `pixels` takes its bytes and the other arguments, and gives an array."""

    def of_stack(contents, *args, **kwargs):
        return Rows([pixels(data, *args, **kwargs) for data in known_values(contents, ADVICE).tolist()])

    return of_stack


def _png(data, channels=0, dtype=dtypes.uint8, name=None):
    _check_channels(channels, (0, 1, 3, 4))
    if dtypes.as_dtype(dtype) not in (dtypes.uint8, dtypes.uint16):
        _as_dtype(np.zeros(0, np.uint8), dtypes.int8)
    return _as_dtype(_pixels(_opened(data, "PNG"), channels), dtype)


@step("DecodePng", _picture(), of_stack=_of_each(_png))
def decode_png(contents, channels=0, dtype=dtypes.uint8, name=None):
    """The pixels of a PNG file.

    Args:
      contents: text scalar.
      channels: 0 for those of the file; 1, 3 or 4.
      dtype: uint8 or uint16.
      name: ignored.

    Returns:
      Tensor [height, width, channels].

    Raises:
      tf.errors.InvalidArgumentError: no such picture.
      tf.errors.UnimplementedError: Pillow is not installed.

    TF: `tf.io.decode_png`; files of 16 bits with more than one channel are read with 8.
    """
    return sized_by_values(_png(text_scalar(contents, "contents"), channels, dtype), [2] if channels else ())


def _jpeg_pixels(data, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1,
                 dct_method="", name=None):  # fmt: skip
    _check_channels(channels, (0, 1, 3))
    if acceptable_fraction != 1:
        raise UnimplementedError(None, None, "tf.io.decode_jpeg: use acceptable_fraction=1")
    if ratio not in (1, 2, 4, 8):
        raise InvalidArgumentError(None, None, f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if dct_method not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        raise InvalidArgumentError(None, None, "dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")
    if _jpeg.is_available():
        try:
            return _jpeg.pixels(data, channels, ratio, dct_method != "INTEGER_ACCURATE", fancy_upscaling)
        except InvalidArgumentError:
            if not try_recover_truncated:
                raise
    if not fancy_upscaling:
        raise UnimplementedError(
            None, None, "tf.io.decode_jpeg: fancy_upscaling=False needs simplejpeg (pip install 'tfcompat[image]') and "
            "a complete file"
        )  # fmt: skip
    if ratio == 1 and not try_recover_truncated:
        return _pixels(_opened(data, "JPEG"), channels)
    _, file_module = _pillow()
    before = file_module.LOAD_TRUNCATED_IMAGES
    picture = _recognised(data, "JPEG")
    try:
        with _decoding(data, "JPEG"):
            if ratio > 1:
                size = tuple(-(-n // ratio) for n in picture.size)
                picture.draft(picture.mode, size)
            file_module.LOAD_TRUNCATED_IMAGES = bool(try_recover_truncated)
            picture.load()
    finally:
        file_module.LOAD_TRUNCATED_IMAGES = before
    return _pixels(picture, channels)


@step("DecodeJpeg", _picture(), of_stack=_of_each(_jpeg_pixels))
def decode_jpeg(contents, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1,
                dct_method="", name=None):  # fmt: skip
    """The pixels of a JPEG file.

    Args:
      contents: text scalar.
      channels: 0 for those of the file; 1 or 3.
      ratio: 1, 2, 4 or 8: by how much smaller it is read.
      fancy_upscaling: whether colours of lower resolution are interpolated.
      dct_method: "INTEGER_FAST", which "" means, too, or "INTEGER_ACCURATE".
      try_recover_truncated: whether the missing rest of a file is grey rather than an error.
      acceptable_fraction: must be 1.
      name: ignored.

    Returns:
      uint8 tensor [height, width, channels].

    Raises:
      tf.errors.InvalidArgumentError: no such picture.
      tf.errors.UnimplementedError: Pillow is not installed; an argument has another value.

    TF: `tf.io.decode_jpeg`; without simplejpeg, or without the end of the file, values differ by up to
    8 units.
    """
    options = channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method
    return sized_by_values(_jpeg_pixels(text_scalar(contents, "contents"), *options), [2] if channels else ())


def decode_and_crop_jpeg(contents, crop_window, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False,
                         acceptable_fraction=1, dct_method="", name=None):  # fmt: skip
    """A window of the pixels of a JPEG file.

    Args:
      contents: text scalar.
      crop_window: int32 vector: y, x, height, width.
      The others: as of `decode_jpeg`.

    Raises:
      tf.errors.InvalidArgumentError: no such picture, or window.

    TF: `tf.io.decode_and_crop_jpeg`. Where colours have half the resolution, its last column sees no neighbour beyond
    the window; here it does.
    """
    y, x, height, width = known_values(convert_to_tensor(crop_window, dtypes.int32)).tolist()
    pixels = decode_jpeg(
        contents, channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method
    )._value()
    if min(y, x) < 0 or min(height, width) < 1 or y + height > pixels.shape[0] or x + width > pixels.shape[1]:
        raise InvalidArgumentError(None, None, "Invalid JPEG data or crop window")
    return sized_by_values(pixels[y : y + height, x : x + width], [2] if channels else ())


@step("DecodeGif", lambda new, *args, **kwargs: new([None, None, None, 3], dtypes.uint8))
def decode_gif(contents, name=None):
    """The frames of a GIF file, uint8 tensor [frames, height, width, 3].

    Raises:
      tf.errors.InvalidArgumentError: no such picture.
    """
    data = text_scalar(contents, "contents")
    return sized_by_values(_frames(data, _opened(data, "GIF")), [3])


def _frames(data, picture):
    frames = []
    with _decoding(data, "GIF"):
        count = getattr(picture, "n_frames", 1)
        _check_size(*picture.size, count, "GIF")
        for number in range(count):
            picture.seek(number)
            frames.append(np.asarray(picture.convert("RGB")))
    return np.stack(frames)


@step("DecodeBmp", _picture())
def decode_bmp(contents, channels=0, name=None):
    """The pixels of a BMP file, uint8 tensor [height, width, channels].

    Args:
      contents: text scalar.
      channels: 0 for those of the file; 1, 3 or 4, which must be those of the file.

    Raises:
      tf.errors.InvalidArgumentError: no such picture, or it has other channels.
    """
    _check_channels(channels, (0, 1, 3, 4))
    pixels = _pixels(_opened(text_scalar(contents, "contents"), "BMP"), 0)
    if channels and pixels.shape[-1] != channels:
        raise InvalidArgumentError(
            None, None, f"channels attribute {channels} does not match bits per pixel from file {pixels.shape[-1]}"
        )
    return sized_by_values(pixels, [2] if channels else ())


def decode_webp(contents, channels=0, dtype=dtypes.uint8, name=None):
    """The frames of a WebP file, uint8 tensor [frames, height, width, channels]; channels are 0, 3 or 4."""
    _check_channels(channels, (0, 3, 4))
    if dtypes.as_dtype(dtype) is not dtypes.uint8:
        raise InvalidArgumentError(None, None, "WebP images are of uint8")
    picture = _opened(text_scalar(contents, "contents"), "WebP")
    return sized_by_values(_pixels(picture, channels or 4)[None], [3] if channels else ())


def _image(data, channels=None, dtype=dtypes.uint8, name=None, expand_animations=True):
    kind, channels = _format(data), channels or 0
    if kind is None:
        raise InvalidArgumentError(
            None, None, "Unknown image file format. One of JPEG, PNG, GIF, BMP required. [Op:DecodeImage] name: "
        )
    _check_channels(channels, (0, 1, 3, 4))
    if kind == "GIF" and channels not in (0, 3):
        raise InvalidArgumentError(None, None, f"channels must be 0 or 3 for GIF, got {channels}")
    if kind == "BMP" and channels == 1:
        raise InvalidArgumentError(None, None, f"`channels` must be 0, 3 or 4 for BMP, but got {channels}")
    if kind == "JPEG" and channels != 4 and _jpeg.is_available():
        return _as_dtype(_jpeg.pixels(data, channels), dtype)
    picture = _opened(data, kind)
    if kind != "GIF":
        return _as_dtype(_pixels(picture, channels), dtype)
    pixels = _frames(data, picture)
    return _as_dtype(pixels if expand_animations else pixels[0], dtype)


def _of_image(new, contents, channels=None, dtype=dtypes.uint8, name=None, expand_animations=True):
    return NotImplemented if expand_animations else new([None, None, channels or None], dtypes.as_dtype(dtype))


@step("DecodeImage", _of_image, of_stack=_of_each(_image))
def decode_image(contents, channels=None, dtype=dtypes.uint8, name=None, expand_animations=True):
    """The pixels of a picture of any of these kinds.

    Args:
      contents: text scalar.
      channels: 0 or None for those of the file; 1, 3 or 4.
      dtype: dtype of the result: uint8, uint16, float16, float32 or float64; the last ones from 0 to 1.
      name: ignored.
      expand_animations: whether a GIF is [frames, height, width, 3], rather than its first frame.

    Returns:
      Tensor [height, width, channels].

    Raises:
      tf.errors.InvalidArgumentError: no such picture.
      tf.errors.UnimplementedError: Pillow is not installed.

    TF: `tf.io.decode_image`.
    """
    pixels = _image(text_scalar(contents, "contents"), channels, dtype, name, expand_animations)
    return sized_by_values(pixels, [pixels.ndim - 1] if channels else ())


@step("IsJpeg", lambda new, *args, **kwargs: new([], dtypes.bool))
def is_jpeg(contents, name=None):
    """Whether text is that of a JPEG file, a bool scalar."""
    return convert_to_tensor(text_scalar(contents, "contents")[:3] == b"\xff\xd8\xff")


def extract_jpeg_shape(contents, output_type=dtypes.int32, name=None):
    """Height, width and channels of a JPEG file, without its pixels.

    Raises:
      tf.errors.InvalidArgumentError: no such picture.
    """
    data = text_scalar(contents, "contents")
    image_module, _ = _pillow()
    with _decoding(data, "JPEG"):
        picture = image_module.open(io.BytesIO(data))
    shape = [picture.size[1], picture.size[0], len(picture.getbands())]
    return convert_to_tensor(np.array(shape, dtypes.as_dtype(output_type).np))


@step("EncodePng", lambda new, image, *args, **kwargs: new(sizes_of(image)[:-3], dtypes.string))
def encode_png(image, compression=-1, name=None):
    """A PNG file of pixels.

    Args:
      image: uint8 or uint16 tensor [..., height, width, channels], 1 to 4 channels.
      compression: -1, or 0 (none) to 9.
      name: ignored.

    Returns:
      Text tensor [...].

    Raises:
      tf.errors.InvalidArgumentError: another shape or dtype, `compression` out of range.

    TF: `tf.io.encode_png`; other bytes, the same picture.
    """
    if not -1 <= compression <= 9:
        raise InvalidArgumentError(None, None, f"compression should be in [-1,9], got {compression}")
    hint = dtypes.uint8 if isinstance(image, list | tuple) else None
    pixels = known_values(convert_to_tensor(image, dtype_hint=hint))
    if pixels.ndim < 3:
        raise InvalidArgumentError(None, None, f"image must have at least rank 3, got shape {list(pixels.shape)}")
    if pixels.dtype not in (np.uint8, np.uint16):
        raise InvalidArgumentError(None, None, "image must be uint8 or uint16")
    if not 1 <= pixels.shape[-1] <= 4:
        raise InvalidArgumentError(
            None, None, f"image must have 1, 2, 3, or 4 channels, got {pixels.shape[-1]}"
        )
    rows = pixels.reshape(-1, *pixels.shape[-3:])
    result = np.empty(len(rows), object)
    result[:] = [encode(row, compression) for row in rows]
    return host_constant(result.reshape(pixels.shape[:-3]))


@step("EncodeJpeg", lambda new, *args, **kwargs: new([], dtypes.string))
def encode_jpeg(image, format="", quality=95, progressive=False, optimize_size=False, chroma_downsampling=True,
                density_unit="in", x_density=300, y_density=300, xmp_metadata="", name=None):  # fmt: skip
    """A JPEG file of pixels.

    Args:
      image: uint8 tensor [height, width, channels].
      format: "", "grayscale" or "rgb".
      quality: 0 to 100.
      progressive, optimize_size, chroma_downsampling: bool.
      density_unit, x_density, y_density: "in" or "cm", and dots for one.
      xmp_metadata: must be empty.
      name: ignored.

    Returns:
      Text scalar.

    Raises:
      tf.errors.InvalidArgumentError: another shape or format, `quality` out of range, an unknown unit.

    TF: `tf.io.encode_jpeg`; other bytes.
    """
    quality = int(quality)
    if not 0 <= quality <= 100:
        raise InvalidArgumentError(None, None, f"quality must be in [0,100], got {quality}")
    if density_unit not in ("in", "cm"):
        raise InvalidArgumentError(
            None, None, f"Value for attr 'density_unit' of \"{density_unit}\" is not in the list of allowed values"
        )
    if xmp_metadata:
        raise UnimplementedError(None, None, "tf.io.encode_jpeg: leave out xmp_metadata")
    pixels = known_values(convert_to_tensor(image, dtypes.uint8))
    if pixels.ndim != 3:
        raise InvalidArgumentError(None, None, f"image must be 3-dimensional, got {list(pixels.shape)}")
    channels = pixels.shape[-1]
    if channels not in (1, 3) or format not in ("", {1: "grayscale", 3: "rgb"}[channels]):
        raise InvalidArgumentError(None, None, f"format '{format}' does not fit {channels} channels")
    out, image_module = io.BytesIO(), _pillow()[0]
    picture = image_module.fromarray(pixels[..., 0] if channels == 1 else pixels)
    scale = 2.54 if density_unit == "cm" else 1
    picture.save(
        out, "JPEG", quality=max(quality, 1), progressive=bool(progressive), optimize=bool(optimize_size),
        subsampling=2 if chroma_downsampling else 0, dpi=(x_density * scale, y_density * scale),
    )  # fmt: skip
    return text(out.getvalue())

"""Colours and brightness."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes, engine, errors
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.in_graphs import of_sizes, when_run
from tfcompat._core.op import FLOATING, INEXACT, op
from tfcompat._tracing.eagerly import executing_eagerly
from tfcompat.array import cast, identity, saturate_cast, tile
from tfcompat.array._arguments import invalid, show_shape
from tfcompat.math import add, floordiv, log, multiply, pow, reduce_mean, squared_difference, subtract

_PLAIN = frozenset({dtypes.float16, dtypes.float32})
_FACTOR = frozenset({dtypes.float32})


@takes_composites("tf.image.convert_image_dtype")
def convert_image_dtype(image, dtype, saturate=False, name=None):
    """Converts pixels to another dtype, and scales them: floating ones lie in [0, 1], integers up to the
    largest number.

    Args:
      image: floating or integer tensor.
      dtype: floating or integer dtype.
      saturate: whether numbers that do not fit `dtype` become the nearest one that does.
      name: ignored.

    Returns:
      Tensor with the shape of `image`.

    Raises:
      AttributeError: a dtype that is neither floating nor integer.

    Gradient: None from or to an integer.
    TF: `tf.image.convert_image_dtype`; no known difference.
    """
    image, dtype = convert_to_tensor(image), dtypes.as_dtype(dtype)
    if not (dtype.is_floating or dtype.is_integer):
        raise AttributeError("dtype must be either floating point or integer")
    source = image.dtype
    if not (source.is_floating or source.is_integer):
        raise AttributeError("image dtype must be either floating point or integer")
    if dtype == source:
        return identity(image)
    to = saturate_cast if saturate else cast
    if source.is_integer and dtype.is_integer:
        if source.max > dtype.max:
            return to(floordiv(image, (source.max + 1) // (dtype.max + 1)), dtype)
        return multiply(to(image, dtype), (dtype.max + 1) // (source.max + 1))
    if source.is_integer:
        return multiply(cast(image, dtype), 1.0 / source.max)
    if dtype.is_integer:
        # Half more than the largest number makes the truncating cast round.
        return to(multiply(image, dtype.max + 0.5), dtype)
    return cast(image, dtype)


def _on_floats(image, adjust, saturate):
    """`adjust` of the image as float16 or float32, converted back."""
    image = convert_to_tensor(image)
    plain = image if image.dtype in _PLAIN else convert_image_dtype(image, dtypes.float32)
    return convert_image_dtype(adjust(plain), image.dtype, saturate=saturate)


@takes_composites("tf.image.adjust_brightness")
def adjust_brightness(image, delta):
    """Adds to every pixel.

    Args:
      image: floating or integer tensor; integers are scaled to [0, 1] and back.
      delta: scalar.

    Returns:
      Tensor with the shape and dtype of `image`.

    TF: `tf.image.adjust_brightness`; no known difference.
    """
    return _on_floats(image, lambda plain: add(plain, cast(delta, plain.dtype)), True)


@op(
    "_adjust_contrast",
    kernel="AdjustContrastv2",
    tensors=("images", "contrast_factor"),
    same=("images",),
    dtypes={"images": _PLAIN, "contrast_factor": _FACTOR},
    default_dtypes={"contrast_factor": dtypes.float32},
    gradient="missing",
)
def _adjust_contrast(images, contrast_factor):
    if images.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape{show_shape(images.shape)}")
    if contrast_factor.ndim:
        raise invalid(f"contrast_factor must be scalar: {show_shape(contrast_factor.shape)}")
    plain = images.astype(np.float32)
    mean = plain.mean((-3, -2), keepdims=True)
    return ((plain - mean) * contrast_factor + mean).astype(images.dtype)


@takes_composites("tf.image.adjust_contrast")
def adjust_contrast(images, contrast_factor):
    """Moves pixels away from the mean of their image and channel.

    Args:
      images: floating or integer tensor of shape `[..., height, width, channels]`; integers are scaled to [0,
        1] and back.
      contrast_factor: float32 scalar by which the distance from the mean is multiplied.

    Returns:
      Tensor with the shape and dtype of `images`.

    Raises:
      tf.errors.InvalidArgumentError: rank below 3, or a factor that is not a float32 scalar.

    Gradient: none is registered, as in TF.
    TF: `tf.image.adjust_contrast`; no known difference.
    """
    return _on_floats(images, lambda plain: _adjust_contrast(plain, contrast_factor), True)


_GAMMA = "Gamma should be a non-negative real number."


@op("_not_negative", kernel="Identity", tensors=("gamma",), dtypes=FLOATING,
    requires=lambda gamma: [engine.require(gamma >= 0, _GAMMA)])  # fmt: skip
def _not_negative(gamma):
    return gamma


@takes_composites("tf.image.adjust_gamma")
def adjust_gamma(image, gamma=1, gain=1):
    """`gain * image ** gamma`.

    Args:
      image: floating or integer tensor; integers are scaled to [0, 1] and back.
      gamma: scalar, not negative.
      gain: scalar.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: `gamma` is a negative number.
      tf.errors.InvalidArgumentError: it is a negative tensor.

    TF: `tf.image.adjust_gamma`; no known difference.
    """
    if isinstance(gamma, int | float) and gamma < 0:
        raise ValueError(_GAMMA)

    def adjust(plain):
        factor, exponent = (cast(one, plain.dtype) for one in (gain, gamma))
        if not isinstance(gamma, int | float):
            exponent = _not_negative(exponent)
        return multiply(factor, pow(plain, exponent))

    return _on_floats(image, adjust, True)


# Other colour spaces ----------------------------------------------------------------------------------------


def _check_colors(images):
    if not images.ndim:
        raise invalid("input must be at least 1D")
    if images.shape[-1] != 3:
        raise errors.FailedPreconditionError(
            None, None, f"input must have 3 channels but input only has {images.shape[-1]} channels."
        )


def _hsv(rgb):
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    value = jnp.where(red >= green, red, green)
    value = jnp.where(value >= blue, value, blue)
    # Among equal channels the last one counts as the least, where TF's derivative goes (_RGBToHSVGrad):
    # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/image_grad.py
    least = jnp.where(red < green, red, green)
    least = jnp.where(least < blue, least, blue)
    spread = value - least
    zero, one = jnp.zeros_like(value), jnp.ones_like(value)
    # As in TF, the saturation has no derivative by a least channel that is not positive.
    grey = jnp.where(least > 0, least, lax.stop_gradient(least))
    saturation = jnp.where(value > 0, (value - grey) / jnp.where(value > 0, value, one), zero)
    norm = one / (np.asarray(6, rgb.dtype) * jnp.where(spread > 0, spread, one))
    third = np.asarray(1 / 3, rgb.dtype)
    hue = jnp.where(
        red == value,
        norm * (green - blue),
        jnp.where(green == value, norm * (blue - red) + third, norm * (red - green) + third + third),
    )
    hue = jnp.where(spread > 0, jnp.where(value > 0, hue, lax.stop_gradient(hue)), zero)
    return jnp.stack([jnp.where(hue < 0, hue + one, hue), saturation, value], -1)


def _parts(turn):
    """How much of its colour is in red, green and blue, for a hue in sixths of the circle."""
    kind = turn.dtype.type
    return [
        jnp.clip(sign * jnp.abs(turn - kind(center)) + kind(offset), kind(0), kind(1))
        for sign, center, offset in ((kind(1), 3, -1), (kind(-1), 2, 2), (kind(-1), 4, 2))
    ]


def _rgb(hsv):
    hue, saturation, value = hsv[..., 0], hsv[..., 1], hsv[..., 2]
    kind = hsv.dtype.type
    parts = _parts(hue * kind(6))
    return jnp.stack([(kind(1) - saturation + saturation * part) * value for part in parts], -1)


_DEFAULT = {"images": dtypes.float32}


@op("tf.image.rgb_to_hsv", kernel="RGBToHSV", tensors=("images",), dtypes=FLOATING, default_dtypes=_DEFAULT)
def rgb_to_hsv(images):
    """Hue, saturation and value of red, green and blue.

    Args:
      images: floating tensor of shape `[..., 3]`, values in [0, 1].

    Returns:
      Tensor with the shape and dtype of `images`, values in [0, 1].

    Raises:
      tf.errors.FailedPreconditionError: not 3 channels.

    TF: `tf.image.rgb_to_hsv`; no known difference.
    """
    _check_colors(images)
    return _hsv(images)


@op("tf.image.hsv_to_rgb", kernel="HSVToRGB", tensors=("images",), dtypes=FLOATING, default_dtypes=_DEFAULT,
    gradient="none")  # fmt: skip
def hsv_to_rgb(images):
    """Red, green and blue of hue, saturation and value.

    Args:
      images: floating tensor of shape `[..., 3]`, values in [0, 1].

    Returns:
      Tensor with the shape and dtype of `images`.

    Raises:
      tf.errors.FailedPreconditionError: not 3 channels.

    Gradient: None.
    TF: `tf.image.hsv_to_rgb`; no known difference.
    """
    _check_colors(images)
    return _rgb(images)


def _check_pictures(images):
    if images.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape{show_shape(images.shape)}")
    if not images.shape[-1]:
        raise when_run("input must have 3 channels but instead has 0 channels.")
    _check_colors(images)


@op(
    "_adjust_saturation",
    kernel="AdjustSaturation",
    tensors=("images", "scale"),
    same=("images",),
    dtypes={"images": _PLAIN, "scale": _FACTOR},
    default_dtypes={"scale": dtypes.float32},
    gradient="missing",
)
def _adjust_saturation(images, scale):
    _check_pictures(images)
    hsv = _hsv(images.astype(np.float32))
    saturation = jnp.clip(hsv[..., 1] * scale, np.float32(0), np.float32(1))
    return _rgb(jnp.stack([hsv[..., 0], saturation, hsv[..., 2]], -1)).astype(images.dtype)


@op(
    "_adjust_hue",
    kernel="AdjustHue",
    tensors=("images", "delta"),
    same=("images",),
    dtypes={"images": _PLAIN, "delta": _FACTOR},
    default_dtypes={"delta": dtypes.float32},
    gradient="missing",
)
def _adjust_hue(images, delta):
    _check_pictures(images)
    plain = images.astype(np.float32)
    red, green, blue = plain[..., 0], plain[..., 1], plain[..., 2]
    # TF turns the hue between the least and the largest of the three channels, so negative pixels keep their range.
    least, largest = plain.min(-1), plain.max(-1)
    spread = jnp.where(largest > least, largest - least, 1)
    turn = jnp.where(
        red == largest,
        (green - blue) / spread,
        jnp.where(green == largest, (blue - red) / spread + 2, (red - green) / spread + 4),
    )
    parts = _parts((turn + delta * 6) % 6)
    return jnp.stack([least + (largest - least) * part for part in parts], -1).astype(images.dtype)


@takes_composites("tf.image.adjust_saturation")
def adjust_saturation(image, saturation_factor, name=None):
    """Multiplies the saturation of the colours.

    Args:
      image: floating or integer tensor of shape `[..., height, width, 3]`; integers are scaled to [0, 1] and
        back.
      saturation_factor: float32 scalar; the product is limited to [0, 1].
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      tf.errors.InvalidArgumentError: rank below 3, or not 3 channels.

    Gradient: none is registered, as in TF.
    TF: `tf.image.adjust_saturation`; no known difference.
    """
    return _on_floats(image, lambda plain: _adjust_saturation(plain, saturation_factor), False)


@takes_composites("tf.image.adjust_hue")
def adjust_hue(image, delta, name=None):
    """Turns the hue of the colours.

    Args:
      image: floating or integer tensor of shape `[..., height, width, 3]`; integers are scaled to [0, 1] and
        back.
      delta: scalar in [-1, 1], in full turns.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `image`.

    Raises:
      ValueError: `delta` is out of range, a number or, outside of functions, a tensor.
      tf.errors.InvalidArgumentError: rank below 3, or not 3 channels.

    Gradient: none is registered, as in TF.
    TF: `tf.image.adjust_hue`; no known difference.
    """
    if (isinstance(delta, int | float) or executing_eagerly()) and (delta < -1 or delta > 1):
        raise ValueError("delta must be in the interval [-1, 1]")
    return _on_floats(image, lambda plain: _adjust_hue(plain, delta), False)


@op("_weighted_channels", kernel="Tensordot", tensors=("images",), dtypes=INEXACT)
def _weighted_channels(images, weights):
    weights = np.array(weights, images.dtype)
    if images.shape[-1] != weights.shape[0]:
        raise invalid(f"input must have {weights.shape[0]} channels but has {images.shape[-1]}")
    # A sum of slices: XLA on a CPU reduces a short last axis slowly.
    return sum(images[..., i : i + 1] * row for i, row in enumerate(weights))


@takes_composites("tf.image.rgb_to_grayscale")
def rgb_to_grayscale(images, name=None):
    """Brightness of red, green and blue.

    Args:
      images: floating or integer tensor of shape `[..., 3]`.
      name: ignored.

    Returns:
      Tensor of shape `[..., 1]` and the dtype of `images`.

    Raises:
      ValueError: not 3 channels.

    TF: `tf.image.rgb_to_grayscale`; no known difference.
    """
    images = convert_to_tensor(images)
    if not len(images.shape) or images.shape[-1] != 3:
        raise ValueError(f"Last dimension of images must be of size 3, got shape {images.shape}")
    plain = convert_image_dtype(images, dtypes.float32)
    gray = _weighted_channels(plain, ((0.2989,), (0.587,), (0.114,)))
    return convert_image_dtype(gray, images.dtype)


@takes_composites("tf.image.grayscale_to_rgb")
def grayscale_to_rgb(images, name=None):
    """Repeats the one channel three times.

    Args:
      images: tensor of shape `[..., 1]`.
      name: ignored.

    Returns:
      Tensor of shape `[..., 3]` and the dtype of `images`.

    Raises:
      ValueError: not 1 channel.

    TF: `tf.image.grayscale_to_rgb`; no known difference.
    """
    images = convert_to_tensor(images)
    if not len(images.shape) or images.shape[-1] != 1:
        raise ValueError("Last dimension of a grayscale image should be size 1.")
    return tile(images, [1] * (len(images.shape) - 1) + [3])


@takes_composites("tf.image.rgb_to_yiq")
def rgb_to_yiq(images):
    """Colours in the YIQ space.

    Args:
      images: floating tensor of shape `[..., 3]`.

    Returns:
      Tensor with the shape and dtype of `images`.

    TF: `tf.image.rgb_to_yiq`; no known difference.
    """
    rows = (0.299, 0.59590059, 0.2115), (0.587, -0.27455667, -0.52273617), (0.114, -0.32134392, 0.31119955)
    return _weighted_channels(images, rows)


@takes_composites("tf.image.yiq_to_rgb")
def yiq_to_rgb(images):
    """Red, green and blue of colours in the YIQ space.

    Args:
      images: floating tensor of shape `[..., 3]`.

    Returns:
      Tensor with the shape and dtype of `images`.

    TF: `tf.image.yiq_to_rgb`; no known difference.
    """
    rows = (1.0, 1.0, 1.0), (0.95598634, -0.27201283, -1.10674021), (0.6208248, -0.64720424, 1.70423049)
    return _weighted_channels(images, rows)


@takes_composites("tf.image.rgb_to_yuv")
def rgb_to_yuv(images):
    """Colours in the YUV space.

    Args:
      images: floating tensor of shape `[..., 3]`.

    Returns:
      Tensor with the shape and dtype of `images`.

    TF: `tf.image.rgb_to_yuv`; no known difference.
    """
    rows = (
        (0.299, -0.14714119, 0.61497538),
        (0.587, -0.28886916, -0.51496512),
        (0.114, 0.43601035, -0.10001026),
    )
    return _weighted_channels(images, rows)


@takes_composites("tf.image.yuv_to_rgb")
def yuv_to_rgb(images):
    """Red, green and blue of colours in the YUV space.

    Args:
      images: floating tensor of shape `[..., 3]`.

    Returns:
      Tensor with the shape and dtype of `images`.

    TF: `tf.image.yuv_to_rgb`; no known difference.
    """
    rows = (1.0, 1.0, 1.0), (0.0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0.0)
    return _weighted_channels(images, rows)


@takes_composites("tf.image.psnr")
def psnr(a, b, max_val, name=None):
    """Peak signal to noise ratio of two images, in decibels.

    Args:
      a: floating or integer tensor of shape `[..., height, width, channels]`.
      b: tensor of the same shape and dtype.
      max_val: the largest possible difference of two pixels.
      name: ignored.

    Returns:
      float32 tensor of shape `a.shape[:-3]`.

    Raises:
      ValueError: a rank below 3, or shapes that differ but broadcast.
      tf.errors.InvalidArgumentError: shapes that do not broadcast.

    TF: `tf.image.psnr`; no known difference.
    """
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    peak = convert_image_dtype(cast(max_val, a.dtype), dtypes.float32)
    a, b = convert_image_dtype(a, dtypes.float32), convert_image_dtype(b, dtypes.float32)
    difference = squared_difference(a, b)  # raises first, as in TF
    for image in (a, b):
        if len(image.shape) < 3:
            raise ValueError(f"Shape {image.shape} must have rank at least 3")
    if not a.shape[-3:].is_compatible_with(b.shape[-3:]):
        raise of_sizes(f"Shapes {a.shape[-3:]} and {b.shape[-3:]} are incompatible")
    error = reduce_mean(difference, [-3, -2, -1])
    decibels = 20 * log(peak) / log(10.0)
    return subtract(decibels, np.float32(10 / np.log(10)) * log(error))

"""How alike two images are: the structural similarity index."""

import jax.numpy as jnp
import numpy as np

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, type_name
from tfcompat._core.linear_map import transposable
from tfcompat._core.op import FLOATING, op
from tfcompat.array import broadcast_static_shape, broadcast_to
from tfcompat.array._cast import cast
from tfcompat.dtypes import float32
from tfcompat.errors import InvalidArgumentError
from tfcompat.image._color import convert_image_dtype


def _window(size, sigma):
    places = np.arange(size) - (size - 1) / 2
    weights = np.exp(-0.5 * (places / sigma) ** 2)
    return (weights / weights.sum()).astype(np.float32)


def _blurred(images, window):
    """Means over a symmetric window, of images of shape `[n, height, width, channels]`."""
    around = [(0, 0), (len(window) - 1,) * 2, (len(window) - 1,) * 2, (0, 0)]

    def forward(images):
        return _summed(images, window)

    def transposed(cotangent):  # in the one that JAX derives, XLA sums rows again for each column
        return _summed(jnp.pad(cotangent, around), window)

    count, height, width, channels = images.shape
    shape = (count, height - len(window) + 1, width - len(window) + 1, channels)
    return transposable(forward, transposed, [], images, shape, terms=2 * len(window))


def _summed(images, window):
    count, height, width, channels = images.shape
    weights = window.astype(images.dtype)
    height, width = height - len(window) + 1, width - len(window) + 1
    images = images.reshape(count, images.shape[1], -1)  # flat rows, which XLA sums with vector instructions
    images = sum(weight * images[:, i : i + height] for i, weight in enumerate(weights))
    starts = range(0, len(window) * channels, channels)
    images = sum(weight * images[:, :, i : i + width * channels] for i, weight in zip(starts, weights, strict=True))
    return images.reshape(count, height, width, channels)


def _maps(x, y, largest, size, sigma, k1, k2):
    """Similarity, and its part from contrast and structure, at each pixel."""
    window = _window(size, sigma)
    c1, c2 = (k1 * largest) ** 2, (k2 * largest) ** 2
    mean_x, mean_y = _blurred(x, window), _blurred(y, window)
    product, total = mean_x * mean_y * 2.0, mean_x**2 + mean_y**2
    luminance = (product + c1) / (total + c1)
    both = _blurred(x * y, window) * 2.0
    squares = _blurred(x**2 + y**2, window)
    structure = (both - product + c2) / (squares - total + c2)
    return luminance * structure, structure


def _as_batch(x):
    return x.reshape(-1, *x.shape[-3:])


@op("_ssim", kernel="Mean", tensors=("x", "y", "largest"), dtypes=FLOATING)
def _ssim(x, y, largest, size, sigma, k1, k2, whole):
    similarity, _ = _maps(_as_batch(x), _as_batch(y), largest, size, sigma, k1, k2)
    similarity = similarity.reshape(*x.shape[:-3], *similarity.shape[1:])
    return similarity.mean(-1) if whole else similarity.mean((-3, -2)).mean(-1)


def _halved(x):
    """Every two by two pixels averaged; an odd last row or column is repeated."""
    x = jnp.pad(x, [(0, 0), (0, x.shape[1] % 2), (0, x.shape[2] % 2), (0, 0)], mode="symmetric")
    return x.reshape(x.shape[0], x.shape[1] // 2, 2, x.shape[2] // 2, 2, x.shape[3]).mean((2, 4))


def _clipped(x):
    """`max(x, 0)` with the derivative of TF's relu at 0."""
    return jnp.where(x > 0, x, jnp.zeros_like(x))


@op("_ssim_multiscale", kernel="Mean", tensors=("x", "y", "largest"), dtypes=FLOATING)
def _multiscale(x, y, largest, powers, size, sigma, k1, k2):
    a, b = _as_batch(x), _as_batch(y)
    factors = []
    for scale, power in enumerate(powers):
        if scale:
            a, b = _halved(a), _halved(b)
        similarity, structure = (m.mean((1, 2)) for m in _maps(a, b, largest, size, sigma, k1, k2))
        last = scale == len(powers) - 1
        factors.append(_clipped(similarity if last else structure) ** np.asarray(power, x.dtype))
    result = factors[0]
    for factor in factors[1:]:
        result = result * factor
    return result.mean(-1).reshape(x.shape[:-3])


def _of_equal_counts(first, second):
    """Images as many as the others: the axes before height, width and channels broadcast."""
    try:
        outer = broadcast_static_shape(first.shape[:-3], second.shape[:-3])
    except ValueError:
        raise ValueError(f"Two images are not compatible: {first.shape} and {second.shape}") from None
    if not outer.is_fully_defined():
        return first, second
    return [broadcast_to(image, [*outer, *image.shape[-3:]]) for image in (first, second)]


def _prepared(img1, img2, max_val, smallest):
    first, second = convert_to_tensor(img1), convert_to_tensor(img2)
    if first.dtype != second.dtype:
        raise InvalidArgumentError(
            None, None,
            f"cannot compute ShapeN as input #1(zero-based) was expected to be a {type_name(first.dtype)} tensor but "
            f"is a {type_name(second.dtype)} tensor [Op:ShapeN] name: ",
        )  # fmt: skip
    for image in (first, second):
        if len(image.shape) < 3:
            raise ValueError(f"Shape {image.shape} must have rank at least 3")
    if not first.shape[-3:].is_compatible_with(second.shape[-3:]):
        raise ValueError(f"Shapes {first.shape} and {second.shape} are incompatible")
    if any(size is not None and size < smallest for size in first.shape[-3:-1].as_list()):
        raise InvalidArgumentError(None, None, f"images must be at least {smallest} by {smallest} pixels")
    if not first.shape.is_compatible_with(second.shape):
        first, second = _of_equal_counts(first, second)
    largest = convert_image_dtype(cast(convert_to_tensor(max_val), first.dtype), float32)
    return convert_image_dtype(first, float32), convert_image_dtype(second, float32), largest


@takes_composites("tf.image.ssim")
def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03, return_index_map=False):
    """Structural similarity of images.

    Args:
      img1: tensor of shape `[..., height, width, channels]`.
      img2: tensor of the same dtype and shape, or one whose axes before height broadcast.
      max_val: the span of pixel values.
      filter_size: size of the Gaussian window, at most height and width.
      filter_sigma: its width.
      k1, k2: small constants that keep quotients finite.
      return_index_map: whether to return the similarity at each pixel.

    Returns:
      float32 tensor of shape `[...]`, or `[..., height', width']`.

    Raises:
      ValueError: shapes differ, or a rank below 3.
      tf.errors.InvalidArgumentError: images smaller than the window.

    TF: `tf.image.ssim`; no known difference.
    """
    x, y, largest = _prepared(img1, img2, max_val, filter_size)
    return _ssim(x, y, largest, filter_size, filter_sigma, k1, k2, bool(return_index_map))


_POWERS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


@takes_composites("tf.image.ssim_multiscale")
def ssim_multiscale(img1, img2, max_val, power_factors=_POWERS, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
    """Structural similarity of images at several scales, each half the one before.

    Args:
      img1: tensor of shape `[..., height, width, channels]`.
      img2: tensor of the same shape and dtype.
      max_val: the span of pixel values.
      power_factors: the weight of each scale.
      filter_size: size of the Gaussian window, at most that of the smallest image.
      filter_sigma: its width.
      k1, k2: small constants that keep quotients finite.

    Returns:
      float32 tensor of shape `[...]`.

    Raises:
      ValueError: shapes differ, or a rank below 3.
      tf.errors.InvalidArgumentError: images too small.

    TF: `tf.image.ssim_multiscale`; no known difference.
    """
    if filter_size < 0:
        raise InvalidArgumentError(None, None, f"Requires start <= limit when delta > 0: 0/{filter_size} [Op:Range]")
    smallest = (filter_size - 1) * 2 ** (len(power_factors) - 1) + 1
    x, y, largest = _prepared(img1, img2, max_val, smallest)
    return _multiscale(x, y, largest, tuple(power_factors), filter_size, filter_sigma, k1, k2)

"""Random crops that cover boxes, glimpses, and boxes drawn into images."""

import collections

import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.in_graphs import of_argument, traced, when_run
from tfcompat._core.op import op
from tfcompat._core.tensor import wrap
from tfcompat.array import zeros
from tfcompat.array._arguments import as_input, invalid, show_shape
from tfcompat.math import reduce_max, reduce_mean, reduce_min, reduce_std
from tfcompat.random import normal, uniform
from tfcompat.random._arguments import known
from tfcompat.random._philox import make_state
from tfcompat.random._philox_host import philox_words, scrambled
from tfcompat.random._seed import get_seed, next_state

SampleDistortedBoundingBoxV2 = collections.namedtuple("SampleDistortedBoundingBoxV2", ["begin", "size", "bboxes"])
StatelessSampleDistortedBoundingBox = collections.namedtuple(
    "StatelessSampleDistortedBoundingBox", ["begin", "size", "bboxes"]
)
_ADVICE = "call it outside"


class _Numbers:
    """Numbers from TF's generator, one after the other. TF: `SimplePhilox`."""

    def __init__(self, state, count):
        low, high, key = (int(word) & 2**64 - 1 for word in state)
        self.words = iter(philox_words(key, high << 64 | low, count))

    def share(self):
        word = np.uint32(next(self.words)) & np.uint32(0x7FFFFF) | np.uint32(0x3F800000)
        return word.view(np.float32) - np.float32(1)

    def below(self, limit):
        if limit & (limit - 1) == 0:
            return int(next(self.words)) & (limit - 1)
        rest = (2**32 - 1) % limit + 1
        while (word := int(next(self.words))) > 2**32 - 1 - rest:
            pass
        return word % limit


def _crop(width, height, area_range, ratio, numbers):
    """(x, y, width, height) of a random crop with this ratio of sides, or None. TF: `GenerateRandomCrop`."""
    if area_range[1] <= 0 or ratio <= 0 or area_range[0] > area_range[1]:
        return None
    ratio = np.float32(ratio)
    smallest, largest = (np.float32(share) * np.float32(width) * np.float32(height) for share in area_range)

    def across(down):
        return int(np.rint(np.float32(down) * ratio))

    down, limit = (int(np.rint(np.sqrt(area / ratio))) for area in (smallest, largest))
    if across(limit) > width:
        limit = int((width + 0.5 - 1e-7) / ratio)
        limit -= across(limit) > width
    limit = min(limit, height)
    down = min(down, limit)
    if down < limit:
        down += numbers.below(limit - down + 1)
    wide = across(down)
    if wide * down < smallest:
        down += 1
        wide = across(down)
    if wide * down > largest:
        down -= 1
        wide = across(down)
    if not (smallest <= wide * down <= largest and 0 < wide <= width and 0 < down <= height):
        return None
    y = numbers.below(height - down) if down < height else 0
    x = numbers.below(width - wide) if wide < width else 0
    return x, y, wide, down


def _covers(crop, boxes, share):
    x, y, wide, down = crop
    for top, left, bottom, right in boxes:
        area = (right - left) * (bottom - top)
        if area < 1:
            continue
        common_x = max(0, min(right, x + wide) - max(left, x))
        common_y = max(0, min(bottom, y + down) - max(top, y))
        if common_x * common_y / area >= share:
            return True
    return False


def _sampled(kernel, state, image_size, boxes, covered, ratios, areas, attempts, whole):
    if traced():
        boxes = as_input(boxes, dtypes.float32, kernel, "bounding_boxes")
    boxes = convert_to_tensor(boxes, dtypes.float32)  # a ValueError for another dtype, as eagerly in TF
    if boxes.ndim != 3 or boxes.shape[-1] != 4:
        raise of_argument(
            invalid(f"input boxes must be 3-dimensional with 4 columns, got shape {show_shape(boxes.shape)}")
        )
    size = known_values(convert_to_tensor(image_size), _ADVICE)
    if size.ndim != 1 or size.shape[0] != 3:
        raise invalid(f"image_size must be 1-dimensional with 3 elements, got shape {show_shape(size.shape)}")
    height, width = int(size[0]), int(size[1])
    if height <= 0 or width <= 0:
        raise when_run(f"Image height and width must be positive, got {height} and {width}")
    boxes = known_values(boxes, _ADVICE)
    ratios, areas = ((0.75, 1.33) if ratios is None else ratios), ((0.05, 1.0) if areas is None else areas)
    covered = float(static_value(covered))
    for name, (low, high) in (("aspect_ratio_range", ratios), ("area_range", areas)):
        if low <= 0 or high <= 0 or low > high or (name == "area_range" and high > 1):
            raise invalid(f"{name} must be positive and in order, got [{low}, {high}]")
    if covered < 0:
        raise invalid(f"Min object covered must be non-negative: {covered}")
    attempts = 100 if attempts is None else int(static_value(attempts))
    if attempts <= 0:
        raise invalid(f"Max attempts must be positive: {attempts}")
    flat = boxes.reshape(-1, 4)
    for box in flat:
        if (box < 0).any() or (box > 1).any() or box[0] >= box[2] or box[1] >= box[3]:
            raise invalid(f"All bounding box coordinates must be in [0.0, 1.0] and in order: {box.tolist()}")
    scale = np.array([height, width, height, width], np.float32)
    pixels = [tuple(map(int, box * scale)) for box in flat]
    if not pixels:
        if not whole:
            raise invalid("No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you "
                          "wish to not provide any bounding boxes.")  # fmt: skip
        pixels = [(0, 0, height, width)]
    numbers = _Numbers(state, 4 * attempts + 64)
    low, high = np.float32(ratios[0]), np.float32(ratios[1])
    window = (0, 0, width, height)
    for _ in range(attempts):
        crop = _crop(width, height, areas, numbers.share() * (high - low) + low, numbers)
        if crop is not None and _covers(crop, pixels, covered):
            window = crop
            break
    x, y, wide, down = window
    box = np.array([y, x, y + down, x + wide], np.float32) / scale
    parts = np.array([y, x, 0]), np.array([down, wide, -1])
    return *(host_constant(part.astype(size.dtype)) for part in parts), convert_to_tensor(box.reshape(1, 1, 4))


@takes_composites("tf.image.sample_distorted_bounding_box")
def sample_distorted_bounding_box(image_size, bounding_boxes, seed=0, min_object_covered=0.1, aspect_ratio_range=None,
                                  area_range=None, max_attempts=None, use_image_if_no_bounding_boxes=None,
                                  name=None):  # fmt: skip
    """A random crop that covers enough of a box.

    Args:
      image_size: integer vector `[height, width, channels]`.
      bounding_boxes: float32 tensor of shape `[batch, n, 4]`: y1, x1, y2, x2 in [0, 1].
      seed: int; 0 for numbers nobody can predict.
      min_object_covered: share of some box that must be inside.
      aspect_ratio_range: two numbers, the range of width / height; (0.75, 1.33) if None.
      area_range: two numbers, the range of shares of the image; (0.05, 1) if None.
      max_attempts: int, after which it is the whole image; 100 if None.
      use_image_if_no_bounding_boxes: whether the whole image counts as a box if there is none.
      name: ignored.

    Returns:
      `(begin, size, bboxes)`: vectors for `tf.slice`, of the dtype of `image_size`, and the crop as a float32 box of
      shape `[1, 1, 4]`.

    Raises:
      tf.errors.InvalidArgumentError: shapes or ranges that do not fit; no box.
      tf.errors.UnimplementedError: values that are not known while a function is traced.

    TF: `tf.image.sample_distorted_bounding_box`; the same crops for the same seeds.
    """
    kernel = "SampleDistortedBoundingBoxV2"
    attempts = 100 if max_attempts is None else int(static_value(max_attempts))
    seeds = get_seed(seed) if seed else ((None, None), False)
    state = next_state(kernel, seeds, attempts, attempts, min_object_covered if seed else None)
    state = known(wrap(state), "seed")
    return SampleDistortedBoundingBoxV2(*_sampled(kernel, state, image_size, bounding_boxes, min_object_covered,
                                                  aspect_ratio_range, area_range, attempts,
                                                  use_image_if_no_bounding_boxes))  # fmt: skip


@takes_composites("tf.image.stateless_sample_distorted_bounding_box")
def stateless_sample_distorted_bounding_box(image_size, bounding_boxes, seed, min_object_covered=0.1,
                                            aspect_ratio_range=None, area_range=None, max_attempts=None,
                                            use_image_if_no_bounding_boxes=None, name=None):  # fmt: skip
    """As `sample_distorted_bounding_box`, the crop a function of `seed` alone.

    Args:
      image_size: integer vector `[height, width, channels]`.
      bounding_boxes: float32 tensor of shape `[batch, n, 4]`: y1, x1, y2, x2 in [0, 1].
      seed: integer vector of shape `[2]`.
      min_object_covered: share of some box that must be inside.
      aspect_ratio_range: two numbers, the range of width / height; (0.75, 1.33) if None.
      area_range: two numbers, the range of shares of the image; (0.05, 1) if None.
      max_attempts: int, after which it is the whole image; 100 if None.
      use_image_if_no_bounding_boxes: whether the whole image counts as a box if there is none.
      name: ignored.

    Returns:
      `(begin, size, bboxes)`, as `sample_distorted_bounding_box`.

    Raises:
      tf.errors.InvalidArgumentError: shapes or ranges that do not fit; no box.
      tf.errors.UnimplementedError: values that are not known while a function is traced.

    TF: `tf.image.stateless_sample_distorted_bounding_box`; the same crops for the same seed.
    """
    seeds = known_values(convert_to_tensor(seed), _ADVICE).astype(np.int64)
    if seeds.shape != (2,):
        raise invalid(f"seed must have shape [2], not {show_shape(seeds.shape)}")
    key, high = scrambled(seeds)
    state = make_state(key, high << 64)
    return StatelessSampleDistortedBoundingBox(*_sampled(
        "StatelessSampleDistortedBoundingBox", state, image_size, bounding_boxes, min_object_covered,
        aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes,
    ))  # fmt: skip


_COLORS = ((1, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (0.5, 0, 0.5, 1), (0.5, 0.5, 0, 1), (0.5, 0, 0, 1),
           (0, 0, 0.5, 1), (0, 1, 1, 1), (1, 0, 1, 1))  # fmt: skip


@op("_draw_boxes", kernel="DrawBoundingBoxesV2", tensors=("images", "boxes", "colors"), same=("images",),
    dtypes={"images": frozenset({dtypes.float32, dtypes.float16}), "boxes": frozenset({dtypes.float32}),
            "colors": frozenset({dtypes.float32})},
    default_dtypes={"images": dtypes.float32}, gradient="missing")  # fmt: skip
def _draw_boxes(images, boxes, colors):
    if images.ndim != 4:
        raise invalid(f"The rank of the images should be 4, got shape {show_shape(images.shape)}")
    if boxes.ndim != 3 or boxes.shape[2] != 4:
        raise invalid(f"boxes must have shape [batch, n, 4], got {show_shape(boxes.shape)}")
    if boxes.shape[0] != images.shape[0]:
        raise when_run("The batch sizes should be the same")
    depth = images.shape[3]
    if depth not in (1, 3, 4):
        raise invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    height, width = images.shape[1:3]
    rows, columns = np.arange(height)[:, None], np.arange(width)
    result = images
    for number in range(boxes.shape[1]):
        color = colors[number % colors.shape[0], :depth].astype(images.dtype)
        scaled = boxes[:, number] * np.array([height - 1, width - 1, height - 1, width - 1], np.float32)
        top, left, bottom, right = (part[:, None, None] for part in scaled.astype(np.int64).T)
        across = (columns >= left) & (columns <= right)
        down = (rows >= top) & (rows <= bottom)
        edge = across & ((rows == top) | (rows == bottom)) | down & ((columns == left) | (columns == right))
        seen = (top <= bottom) & (left <= right) & (top < height) & (bottom >= 0) & (left < width) & (right >= 0)
        result = jnp.where((edge & seen)[..., None], color, result)
    return result


@takes_composites("tf.image.draw_bounding_boxes")
def draw_bounding_boxes(images, boxes, colors, name=None):
    """Images with the outlines of boxes.

    Args:
      images: float32 or float16 tensor of shape `[batch, height, width, 1, 3 or 4]`.
      boxes: float32 tensor of shape `[batch, n, 4]`: y1, x1, y2, x2, where 0 and 1 are the first and last pixel.
      colors: float32 tensor of shape `[m, channels]`, used in turn; None for ten colours.
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `images`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit.

    Gradient: LookupError, as in TF.
    TF: `tf.image.draw_bounding_boxes`; no known difference.
    """
    if colors is None:
        images = convert_to_tensor(images)
        if images.shape.rank != 4:
            raise invalid(f"The rank of the images should be 4, got shape {images.shape}")
        depth = images.shape[-1]
        colors = np.array(_COLORS, np.float32)
        if depth == 1:
            colors[:, 0] = 1
    return _draw_boxes(images, boxes, colors)


@op("_glimpse", kernel="ExtractGlimpseV2", tensors=("input", "offsets", "noise"), gradient="none",
    dtypes=frozenset({dtypes.float32}))  # fmt: skip
def _glimpse(input, offsets, noise, size, centered, normalized):
    if input.ndim != 4:
        raise invalid(f"input must be 4-dimensional (batch_size, height, width, depth){show_shape(input.shape)}")
    if offsets.shape != (input.shape[0], 2):
        raise invalid(f"offsets must have shape [batch, 2], got {show_shape(offsets.shape)}")
    starts = []
    for axis in (0, 1):
        sizes, target = input.shape[axis + 1], size[axis]
        start = offsets[:, axis].astype(np.float32)
        if normalized:
            start = start * np.float32(sizes)
        if centered:
            start = start / 2 + np.float32(sizes - target) / 2 if normalized else start + np.float32(sizes) / 2
        starts.append(start.astype(np.int64))
    rows, columns = (start[:, None] + np.arange(count) for start, count in zip(starts, size, strict=True))
    down, across = (rows >= 0) & (rows < input.shape[1]), (columns >= 0) & (columns < input.shape[2])
    inside = down[:, :, None] & across[:, None]
    batch = np.arange(input.shape[0])[:, None, None]
    taken = input[batch, jnp.clip(rows, 0, input.shape[1] - 1)[:, :, None],
                  jnp.clip(columns, 0, input.shape[2] - 1)[:, None]]  # fmt: skip
    return jnp.where(inside[..., None], taken, noise)


@takes_composites("tf.image.extract_glimpse")
def extract_glimpse(input, size, offsets, centered=True, normalized=True, noise="uniform", name=None):
    """A window of each image; what lies outside of the image is noise.

    Args:
      input: float32 tensor of shape `[batch, height, width, channels]`.
      size: two integers, the height and width of windows.
      offsets: float32 tensor of shape `[batch, 2]`: where windows lie.
      centered: whether (0, 0) is the middle of the image, rather than its first pixel.
      normalized: whether offsets are in units of the image, [-1, 1] if centered, rather than pixels.
      noise: "uniform" or "gaussian" numbers like those of the images, or "zero".
      name: ignored.

    Returns:
      float32 tensor of shape `[batch, *size, channels]`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit, or another noise.

    Gradient: none.
    TF: `tf.image.extract_glimpse`; the noise is other numbers, as it has no seed.
    """
    if noise not in ("uniform", "gaussian", "zero"):
        raise invalid(f"The noise could only be uniform, gaussian, or zero, got{noise}")
    if traced():
        input = as_input(input, dtypes.float32, "ExtractGlimpseV2", "input")
    input = convert_to_tensor(input, dtypes.float32)  # a ValueError for another dtype, as eagerly in TF
    target_size = tuple(int(one) for one in static_value(size))
    if len(target_size) != 2 or min(target_size) <= 0:
        raise invalid(f"input must be a vector of 2 positive sizes, got {target_size}")
    shape = [input.shape[0], *target_size, input.shape[-1]] if input.ndim == 4 else [1]
    if noise == "zero" or input.ndim != 4:
        filled = zeros(shape)
    elif noise == "uniform":
        filled = uniform(shape) * (reduce_max(input) - reduce_min(input)) + reduce_min(input)
    else:
        filled = normal(shape) * reduce_std(input) + reduce_mean(input)
    return _glimpse(input, offsets, filled, target_size, bool(centered), bool(normalized))

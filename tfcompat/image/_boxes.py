"""Boxes in images: crops of them, and which of overlapping ones to keep."""

import collections

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes, engine
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, sized_by_values, static_value
from tfcompat._core.in_graphs import of_argument, of_rank
from tfcompat._core.op import HALVES, op
from tfcompat._core.steps import is_unknown, sizes_of, step
from tfcompat._core.symbolic_sizes import smaller
from tfcompat.array._arguments import as_int32, as_ints, check_dtype, invalid, show_shape

_PIXELS = HALVES | {dtypes.uint8, dtypes.uint16, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.float32,
                    dtypes.float64}  # fmt: skip
_ADVICE = "call it outside"


def _places(start, end, count, size):
    """Where the `count` lines of a crop lie among `size` lines, for each box."""
    if count > 1:
        step = (end - start) * (size - 1) / (count - 1)
        return start[:, None] * (size - 1) + np.arange(count, dtype=np.float32) * step[:, None]
    return (0.5 * (start + end) * (size - 1))[:, None]


def _inside(places, size):
    return (places >= 0) & (places <= size - 1)


def _between(images, places, axis):
    """The pixels below and above each place along an axis, and how far it is between them."""
    low = jnp.clip(jnp.floor(places), 0, images.shape[axis] - 1)
    high = jnp.clip(jnp.ceil(places), 0, images.shape[axis] - 1)
    share = places - lax.stop_gradient(low)
    return low.astype(np.int32), high.astype(np.int32), share


@jax.custom_jvp
def _moving_with(x, other):
    """`x`, with the derivative of `other` added to its own."""
    return x


_moving_with.defjvp(lambda primals, tangents: (primals[0], tangents[0] + tangents[1]))


def _boxes_fit(image, boxes, box_indices, sizes, method, outside):
    finite = "Boxes contains at least one element that is not finite [Op:CropAndResize]"
    holds = (box_indices >= 0) & (box_indices < image.shape[0])
    text = "box_index has values outside [0, batch_size) [Op:CropAndResize]"
    return [engine.require(jnp.isfinite(boxes), finite), engine.require(holds, text, kind="OutOfRangeError")]


@op("_crop_and_resize", kernel="CropAndResize", tensors=("image", "boxes", "box_indices"), same=("boxes",),
    dtypes={"image": _PIXELS, "boxes": frozenset({dtypes.float32}), "box_indices": frozenset({dtypes.int32})},
    default_dtypes={"image": dtypes.float32}, requires=_boxes_fit)  # fmt: skip
def _crop_and_resize(image, boxes, box_indices, sizes, method, outside):
    if image.ndim != 4:
        raise invalid(f"input image must be 4-D {show_shape(image.shape)}")
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise invalid(f"boxes must be 2-D of 4 columns {show_shape(boxes.shape)}")
    if box_indices.shape != boxes.shape[:1]:
        raise invalid(f"box_indices has incompatible shape {show_shape(box_indices.shape)}")
    if len(sizes) != 2 or min(sizes) <= 0:
        raise invalid("crop_size must be two positive numbers")
    images = image.astype(np.float32)
    rows = _places(boxes[:, 0], boxes[:, 2], sizes[0], image.shape[1])
    columns = _places(boxes[:, 1], boxes[:, 3], sizes[1], image.shape[2])
    inside = _inside(rows, image.shape[1])[:, :, None] & _inside(columns, image.shape[2])[:, None, :]
    of_box = box_indices[:, None, None]
    top, bottom, down = _between(images, rows, 1)
    left, right, along = _between(images, columns, 2)
    down, along = down[:, :, None, None], along[:, None, :, None]

    def at(images, row, column):
        return images[of_box, row[:, :, None], column[:, None, :]]

    def bilinear(images):
        upper = at(images, top, left) + (at(images, top, right) - at(images, top, left)) * along
        lower = at(images, bottom, left) + (at(images, bottom, right) - at(images, bottom, left)) * along
        return upper + (lower - upper) * down

    if method == "nearest":
        # TF rounds halves away from zero; places inside are never negative. Its gradient for boxes is the bilinear one:
        # https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/ops/image_grad.py
        row = jnp.clip(jnp.floor(rows + 0.5), 0, image.shape[1] - 1).astype(np.int32)
        column = jnp.clip(jnp.floor(columns + 0.5), 0, image.shape[2] - 1).astype(np.int32)
        result = _moving_with(at(images, row, column), bilinear(lax.stop_gradient(images)))
    else:
        result = bilinear(images)
    return jnp.where(inside[..., None], result, jnp.float32(outside))


@takes_composites("tf.image.crop_and_resize")
def crop_and_resize(image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0, name=None):
    """Crops of images, all resized alike.

    Args:
      image: real tensor of shape `[batch, height, width, depth]`.
      boxes: float32 tensor of shape `[n, 4]`: y1, x1, y2, x2, where 0 and 1 are the first and last pixel.
      box_indices: int32 tensor of shape `[n]`: which image.
      crop_size: two integers, the height and width of crops.
      method: "bilinear" or "nearest".
      extrapolation_value: what lies outside of an image.
      name: ignored.

    Returns:
      float32 tensor of shape `[n, *crop_size, depth]`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit, or another method.
      tf.errors.OutOfRangeError: there is no such image.

    TF: `tf.image.crop_and_resize`; no known difference.
    """
    if method not in ("bilinear", "nearest"):
        raise invalid(
            f'Value for attr \'method\' of "{method}" is not in the list of allowed values: "bilinear", "nearest"'
        )
    sizes = as_ints(static_value(crop_size), "crop_size")
    return _crop_and_resize(image, boxes, box_indices, sizes, method, float(static_value(extrapolation_value)))


def _overlap_among(boxes):
    """A function of (n, others): the intersection over union of a box with others; corners in any order."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    areas = (high - low).prod(-1)

    def overlap(n, others):
        sides = np.maximum(0, np.minimum(high[n], high[others]) - np.maximum(low[n], low[others]))
        common, of_others = sides[:, 0] * sides[:, 1], areas[others]
        valid = (areas[n] > 0) & (of_others > 0)
        return np.where(valid, common / np.where(valid, areas[n] + of_others - common, 1), 0)

    return overlap


def _overlap_as_given(first, others):
    """Intersection over union of boxes whose smaller corner comes first; others count as they come."""
    sides = np.maximum(0, np.minimum(first[2:], others[:, 2:]) - np.maximum(first[:2], others[:, :2]))
    common = sides.prod(-1)
    area, areas = (first[2:] - first[:2]).prod(), (others[:, 2:] - others[:, :2]).prod(-1)
    return common / (area + areas - common + np.float32(1e-8))


def _turned(boxes):
    """Boxes with their corners swapped, all of them if the first one's larger corner comes first, axis by axis."""
    boxes = boxes.copy()
    for axis in range(2):
        if boxes.size and boxes.reshape(-1, 4)[0, axis] > boxes.reshape(-1, 4)[0, axis + 2]:
            boxes[..., [axis, axis + 2]] = boxes[..., [axis + 2, axis]]
    return boxes


def _count(max_output_size):
    return as_int32(static_value(max_output_size), "max_output_size")


def _values(boxes, scores, allowed, kernel):
    """Boxes and scores as tensors."""
    boxes = convert_to_tensor(boxes, dtype_hint=dtypes.float32)
    check_dtype(boxes, allowed, kernel)
    scores = convert_to_tensor(scores, dtype_hint=boxes.dtype)
    check_dtype(scores, (boxes.dtype,), kernel)
    return boxes, scores


def _fitting(boxes, scores, columns=4):
    """Boxes, or their overlaps, and scores, as tensors whose dtypes and shapes are checked."""
    kernel, allowed = "NonMaxSuppressionV3", (dtypes.float16, dtypes.float32)
    if not columns:
        kernel, allowed = "NonMaxSuppressionWithOverlaps", (dtypes.float32,)
    boxes, scores = _values(boxes, scores, allowed, kernel)
    if (boxes.ndim, scores.ndim) != (2, 1):
        raise of_rank(invalid(f"boxes of shape {boxes.shape} must be 2-D, and scores of shape {scores.shape} 1-D"))
    if columns and boxes.shape[1] != columns:
        raise of_argument(invalid(f"boxes must be 2-D of 4 columns {show_shape(boxes.shape)}"))
    if scores.shape != boxes.shape[:1]:
        raise of_argument(invalid(f"scores has incompatible shape {show_shape(scores.shape)}"))
    if not columns and boxes.shape[0] != boxes.shape[1]:
        raise invalid(f"overlaps must be square {show_shape(boxes.shape)}")
    return boxes, scores


def _checked(boxes, scores, threshold, columns=4):
    """The arrays of `_fitting`."""
    boxes, scores = (known_values(x, _ADVICE).astype(np.float32) for x in _fitting(boxes, scores, columns))
    if not 0 <= threshold <= 1:
        raise invalid("iou_threshold must be in [0, 1]")
    return boxes, scores


def _kept(new, boxes, scores, *args, **kwargs):
    _fitting(boxes, scores)
    return new([None], dtypes.int32)


def _kept_with_scores(new, boxes, scores, *args, **kwargs):
    _, scores = _fitting(boxes, scores)
    return new([None], dtypes.int32), new([None], scores.dtype)


def _kept_by_overlaps(new, overlaps, scores, *args, **kwargs):
    _fitting(overlaps, scores, None)
    return new([None], dtypes.int32)


def _non_max_suppressed(scores, count, threshold, lowest, overlap, sigma=0.0):
    """The places and scores of what to keep; `overlap(i, others)` tells how much it overlaps others."""
    if count < 0:
        raise invalid(f"max_output_size must be non-negative, got {count}")
    scores = scores.astype(np.float32)
    (waiting,) = np.nonzero(scores > lowest)
    places, kept_scores = [], []
    scale = -0.5 / sigma if sigma > 0 else 0.0
    while len(waiting) and len(places) < count:
        at = np.argmax(scores[waiting])  # the first one of equal scores
        best, waiting = waiting[at], np.delete(waiting, at)
        places.append(best)
        kept_scores.append(scores[best])
        shares = overlap(best, waiting)
        if sigma:
            scores[waiting] *= np.exp((scale * shares * shares).astype(np.float32))
            waiting = waiting[scores[waiting] > lowest]
        else:
            waiting = waiting[~(shares > threshold)]
    return np.array(places, np.int32), np.array(kept_scores, np.float32)


def _number(value):
    return float(static_value(value))


@step("NonMaxSuppressionV3", _kept)
@takes_composites("tf.image.non_max_suppression")
def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"), name=None):
    """Which boxes to keep: the best ones, without those that overlap a better one.

    Args:
      boxes: float32 tensor of shape `[n, 4]`, two opposite corners each.
      scores: float32 tensor of shape `[n]`.
      max_output_size: how many to keep at most.
      iou_threshold: overlap, by union, above which the worse box goes; in [0, 1].
      score_threshold: boxes up to this score go.
      name: ignored.

    Returns:
      int32 vector: places of the boxes, the best first.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit, or a threshold out of range.
      tf.errors.UnimplementedError: values that are not known while a function is traced.

    TF: `tf.image.non_max_suppression`; no known difference.
    """
    threshold = _number(iou_threshold)
    boxes, scores = _checked(boxes, scores, threshold)
    places, _ = _non_max_suppressed(scores, _count(max_output_size), threshold, _number(score_threshold),
                                    _overlap_among(boxes))  # fmt: skip
    return sized_by_values(places)


@step("NonMaxSuppressionV5", _kept_with_scores)
@takes_composites("tf.image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"),
                                    soft_nms_sigma=0.0, name=None):  # fmt: skip
    """As `non_max_suppression`, but overlapping boxes may lose score in place of going.

    Args:
      boxes: float32 tensor of shape `[n, 4]`, two opposite corners each.
      scores: float32 tensor of shape `[n]`.
      max_output_size: how many to keep at most.
      iou_threshold: overlap, by union, above which the worse box goes; in [0, 1].
      score_threshold: boxes up to this score go.
      soft_nms_sigma: the scale of the loss of score; 0 for none.
      name: ignored.

    Returns:
      `(places, scores)`: int32 and float32 vectors, the best first.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit, or a threshold out of range.
      tf.errors.UnimplementedError: values that are not known while a function is traced.

    TF: `tf.image.non_max_suppression_with_scores`; no known difference.
    """
    threshold = _number(iou_threshold)
    boxes, scores = _checked(boxes, scores, threshold)
    places, kept_scores = _non_max_suppressed(
        scores, _count(max_output_size), threshold, _number(score_threshold),
        _overlap_among(boxes), _number(soft_nms_sigma),
    )  # fmt: skip
    return sized_by_values(places), sized_by_values(kept_scores)


@step("NonMaxSuppressionWithOverlaps", _kept_by_overlaps)
@takes_composites("tf.image.non_max_suppression_overlaps")
def non_max_suppression_overlaps(overlaps, scores, max_output_size, overlap_threshold=0.5,
                                 score_threshold=float("-inf"), name=None):  # fmt: skip
    """As `non_max_suppression`, of a table of overlaps.

    Args:
      overlaps: float32 tensor of shape `[n, n]`.
      scores: float32 tensor of shape `[n]`.
      max_output_size: how many to keep at most.
      overlap_threshold: overlap above which the worse one goes.
      score_threshold: what has up to this score goes.
      name: ignored.

    Returns:
      int32 vector: places, the best first.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit.
      tf.errors.UnimplementedError: values that are not known while a function is traced.

    TF: `tf.image.non_max_suppression_overlaps`; no known difference.
    """
    table, scores = _checked(overlaps, scores, 0, None)
    places, _ = _non_max_suppressed(scores, _count(max_output_size), _number(overlap_threshold),
                                    _number(score_threshold), lambda n, others: table[others, n])  # fmt: skip
    return sized_by_values(places)


CombinedNonMaxSuppression = collections.namedtuple(
    "CombinedNonMaxSuppression", ["nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"]
)


def _fitting_of_classes(boxes, scores):
    """As `_fitting`, for boxes and scores of several classes."""
    boxes, scores = _values(boxes, scores, (dtypes.float32,), "CombinedNonMaxSuppression")
    if (boxes.ndim, scores.ndim) != (4, 3):
        raise of_rank(invalid(f"boxes of shape {boxes.shape} must be 4-D, and scores of shape {scores.shape} 3-D"))
    if boxes.shape[3] != 4:
        raise of_argument(invalid(f"boxes must be 4-D of 4 columns {show_shape(boxes.shape)}"))
    if scores.shape[:2] != boxes.shape[:2] or boxes.shape[2] not in (1, scores.shape[2]):
        raise of_argument(invalid(f"scores has incompatible shape {show_shape(scores.shape)}"))
    return boxes, scores


def _best_of_classes(new, boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=0.5,
                     score_threshold=float("-inf"), pad_per_class=False, clip_boxes=True, name=None):  # fmt: skip
    boxes, scores = _fitting_of_classes(boxes, scores)
    if not isinstance(pad_per_class, bool) or any(map(is_unknown, (max_output_size_per_class, max_total_size))):
        return NotImplemented
    batch, _, classes = sizes_of(scores)
    each, size = _count(max_output_size_per_class), _count(max_total_size)
    size = smaller(size, each * classes) if pad_per_class else size
    shapes = [batch, size, 4], [batch, size], [batch, size]
    return CombinedNonMaxSuppression(*[new(shape, dtypes.float32) for shape in shapes], new([batch], dtypes.int32))


@step("CombinedNonMaxSuppression", _best_of_classes)
@takes_composites("tf.image.combined_non_max_suppression")
def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=0.5,
                                 score_threshold=float("-inf"), pad_per_class=False, clip_boxes=True,
                                 name=None):  # fmt: skip
    """`non_max_suppression` class by class, then the best of all classes.

    Args:
      boxes: float32 tensor of shape `[batch, n, q, 4]`; q is 1, or the number of classes.
      scores: float32 tensor of shape `[batch, n, classes]`.
      max_output_size_per_class: how many to keep of a class at most.
      max_total_size: how many to keep at most.
      iou_threshold: overlap, by union, above which the worse box goes; in [0, 1].
      score_threshold: boxes up to this score go.
      pad_per_class: whether the results have the size `max_output_size_per_class * classes` if that is smaller.
      clip_boxes: whether boxes are cut to [0, 1].
      name: ignored.

    Returns:
      `(nmsed_boxes, nmsed_scores, nmsed_classes, valid_detections)`: float32 `[batch, max_total_size, 4]` and twice
      `[batch, max_total_size]`, filled up with zeros; int32 `[batch]`.

    Raises:
      tf.errors.InvalidArgumentError: shapes that do not fit, or a threshold out of range.
      tf.errors.UnimplementedError: values that are not known while a function is traced.

    TF: `tf.image.combined_non_max_suppression`; no known difference.
    """
    boxes, scores = _fitting_of_classes(boxes, scores)
    threshold, lowest = _number(iou_threshold), _number(score_threshold)
    each, total = _count(max_output_size_per_class), _count(max_total_size)
    if not 0 <= threshold <= 1:
        raise invalid("iou_threshold must be in [0, 1]")
    if each <= 0 or total <= 0:
        raise of_argument(invalid("max_output_size_per_class and max_total_size must be positive"))
    boxes, scores = (known_values(x, _ADVICE) for x in (boxes, scores))
    classes = scores.shape[2]
    size = min(total, each * classes) if pad_per_class else total
    results = [np.zeros((len(boxes), size, 4), np.float32), *(np.zeros((len(boxes), size), np.float32) for _ in "ab")]
    counts = np.zeros(len(boxes), np.int32)
    for image in np.arange(len(boxes)):
        detections = []
        for one in np.arange(classes):
            ours = boxes[image, :, one if boxes.shape[2] > 1 else 0]
            places, values = _non_max_suppressed(
                scores[image, :, one], each, threshold, lowest, _overlap_among(ours),
            )  # fmt: skip
            detections += [(value, one, ours[place]) for place, value in zip(places, values, strict=True)]
        detections = sorted(detections, key=lambda one: -one[0])[:size]
        counts[image] = len(detections)
        for place, (value, one, box) in enumerate(detections):
            results[0][image, place] = np.clip(box, 0, 1) if clip_boxes else box
            results[1][image, place], results[2][image, place] = value, one
    return CombinedNonMaxSuppression(*map(convert_to_tensor, results), host_constant(counts))


@takes_composites("tf.image.non_max_suppression_padded")
def non_max_suppression_padded(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"),
                               pad_to_max_output_size=False, name=None, sorted_input=False,
                               canonicalized_coordinates=False, tile_size=512):  # fmt: skip
    """As `non_max_suppression`, filled up to a fixed size.

    Args:
      boxes: float32 tensor of shape `[..., n, 4]`, two opposite corners each.
      scores: float32 tensor of shape `[..., n]`.
      max_output_size: how many to keep at most.
      iou_threshold: overlap, by union, above which the worse box goes; in [0, 1].
      score_threshold: boxes up to this score go.
      pad_to_max_output_size: whether results are filled up with zeros; must be True for batches.
      name: ignored.
      sorted_input: whether boxes come in the order of their scores.
      canonicalized_coordinates: whether the smaller corner comes first. Otherwise the corners of all boxes are swapped
        if those of the first box are the other way round.
      tile_size: how many boxes TensorFlow compares at a time; the result does not depend on it.

    Returns:
      `(places, count)`: int32 tensors, `[..., max_output_size]` and `[...]`.

    Raises:
      ValueError: a batch without `pad_to_max_output_size`.
      tf.errors.UnimplementedError: values that are not known while a function is traced.

    TF: `tf.image.non_max_suppression_padded`; no known difference.
    """
    boxes, scores = (convert_to_tensor(x) for x in (boxes, scores))
    if pad_to_max_output_size:
        if boxes.dtype != dtypes.float32 or scores.dtype != dtypes.float32:
            raise TypeError(f"boxes and scores must be float32, got {boxes.dtype.name} and {scores.dtype.name}")
        if boxes.shape.rank < 2 or boxes.shape[-1] != 4 or boxes.shape[:-1] != scores.shape:
            raise ValueError(f"boxes of shape {boxes.shape} and scores of shape {scores.shape} do not fit")
    boxes, scores = (known_values(x, _ADVICE).astype(np.float32) for x in (boxes, scores))
    if boxes.ndim > 2 and not pad_to_max_output_size:
        raise ValueError(
            f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched input"
        )
    if not canonicalized_coordinates:
        boxes = _turned(boxes)
    size, threshold, lowest = _count(max_output_size), _number(iou_threshold), _number(score_threshold)
    batch = scores.shape[:-1]
    places, counts = np.zeros((*batch, size), np.int32), np.zeros(batch, np.int32)
    for at in np.ndindex(batch):
        ours, rank = boxes[at], scores[at]
        if sorted_input:  # the order is taken as it is, whatever the scores are
            rank = np.where(rank > lowest, np.float32(len(rank)) - np.arange(len(rank), dtype=np.float32), -np.inf)
        kept_places, _ = _non_max_suppressed(
            rank, size, threshold, -np.inf if sorted_input else lowest,
            lambda n, others, ours=ours: _overlap_as_given(ours[n], ours[others]),
        )  # fmt: skip
        places[at][: len(kept_places)], counts[at] = kept_places, len(kept_places)
    if not batch and not pad_to_max_output_size:
        places = places[: int(counts)]
    return host_constant(places), host_constant(counts)

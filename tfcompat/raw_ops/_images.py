"""Raw ops of pictures and sounds."""

import numpy as np

from tfcompat import array, dtypes, image, io, linalg, math, nn, signal
from tfcompat._core.convert import convert_to_tensor, host_constant, static_value
from tfcompat.errors import InvalidArgumentError
from tfcompat.image import _resize, crop_and_resize
from tfcompat.raw_ops._layers import pulled_back
from tfcompat.raw_ops._numbers import seeds_of
from tfcompat.raw_ops._registry import OPS, raw

_ADVICE = "call it outside"


def _legacy_places(old, new, align_corners, half_pixel_centers):
    scale = _scale(old, new, align_corners)
    places = np.arange(new, dtype=np.float32)
    return np.float32(scale) * (places + np.float32(0.5)) if half_pixel_centers else places * np.float32(scale)


def _pictures(images):
    """The images as a tensor, which must be of rank 4."""
    images = convert_to_tensor(images)
    if images.shape.rank != 4:
        raise InvalidArgumentError(None, None, f"input must be 4-dimensional, got shape {images.shape}")
    if images.shape[-1] == 0:
        raise InvalidArgumentError(None, None, f"image must have at least one channel, got shape {images.shape}")
    return images


def _sizes(size):
    """The size of a result as two positive numbers."""
    sizes = static_value(size)
    if len(sizes) != 2 or min(sizes) <= 0:
        raise InvalidArgumentError(None, None, f"size must be two positive numbers, got {sizes}")
    return sizes


@raw()
def ResizeBilinear(images, size, align_corners, half_pixel_centers):
    """Pictures at another size, between the nearest pixels; float32."""
    images = _pictures(images)
    if half_pixel_centers:
        return image.resize(images, size)
    images = array.cast(images, dtypes.float32)
    for axis, new in zip((1, 2), _sizes(size), strict=True):
        old = images.shape[axis]
        places = _legacy_places(old, new, align_corners, False)
        low = np.floor(places).astype(np.int32)
        shape = [-1 if axis == i else 1 for i in range(4)]
        share = array.reshape(host_constant((places - low).astype(np.float32)), shape)
        first = array.gather(images, host_constant(low), axis=axis)
        second = array.gather(images, host_constant(np.minimum(low + 1, old - 1)), axis=axis)
        images = first + (second - first) * share
    return images


@raw()
def ResizeNearestNeighbor(images, size, align_corners, half_pixel_centers):
    """Pictures at another size, by nearest pixels."""
    images = _pictures(images)
    for axis, new in zip((1, 2), _sizes(size), strict=True):
        old = images.shape[axis]
        places = _legacy_places(old, new, align_corners, half_pixel_centers)
        places = np.floor(places + np.float32(0.5)) if align_corners else np.floor(places)
        images = array.gather(images, host_constant(np.minimum(places, old - 1).astype(np.int32)), axis=axis)
    return images


def _scale(old, new, align_corners):
    return (old - 1) / (new - 1) if align_corners and new > 1 else old / new


def _resized(images, size, taps):
    """Pictures at another size. `taps` tells of an axis, an old and a new size which elements count how much."""
    images, sizes = array.cast(_pictures(images), dtypes.float32), _sizes(size)
    for axis, new in enumerate(sizes, 1):
        sources, weights = taps(axis, images.shape[axis], new)
        matrix = np.zeros((new, images.shape[axis]), np.float32)
        np.add.at(matrix, (np.arange(new)[:, None], sources), weights)
        images = linalg.einsum("bhwc,nh->bnwc" if axis == 1 else "bhwc,nw->bhnc", images, host_constant(matrix))
    return images


@raw()
def ResizeBicubic(images, size, align_corners, half_pixel_centers):
    """Pictures at another size, by cubic curves; float32."""
    if half_pixel_centers and align_corners:
        raise InvalidArgumentError(None, None, "If half_pixel_centers is True, align_corners must be False.")
    if half_pixel_centers:
        return image.resize(_pictures(images), size, "bicubic")
    return _resized(
        images, size,
        lambda axis, old, new: _resize.bicubic_of_corners(old, new, _scale(old, new, align_corners)),
    )  # fmt: skip


@raw()
def ResizeArea(images, size, align_corners):
    """Pictures at another size, by averages; float32."""
    if not align_corners:
        return image.resize(_pictures(images), size, "area")
    return _resized(images, size, lambda axis, old, new: _resize.area(old, new, _scale(old, new, True)))


_FILTERS = {"triangle": "bilinear", "keyscubic": "bicubic"}  # by other names than those of `tf.image.resize`
_FILTERS |= {name: name for name in ("box", "lanczos1", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")}


@raw()
def ScaleAndTranslate(images, size, scale, translation, kernel_type, antialias):
    """Pictures scaled and moved, zeros where they are not; float32."""
    if kernel_type not in _FILTERS:
        raise InvalidArgumentError(None, None, f"Unrecognized kernel type: {kernel_type}")
    scales, moves = static_value(scale), static_value(translation)
    if len(scales) != 2 or len(moves) != 2 or min(scales) <= 0:
        raise InvalidArgumentError(None, None, f"scale and translation must be two numbers, scales positive: {scales}")

    def taps(axis, old, new):
        return _resize.filtered(old, new, _FILTERS[kernel_type], antialias, scales[axis - 1], moves[axis - 1])

    return _resized(images, size, taps)


@raw()
def CropAndResize(image, boxes, box_ind, crop_size, method, extrapolation_value):
    """Parts of pictures at another size."""
    return crop_and_resize(image, boxes, box_ind, crop_size, method, extrapolation_value)


@raw()
def CropAndResizeGradImage(grads, boxes, box_ind, image_size, method, T):
    """Gradient of `CropAndResize` by the pictures."""
    grads = convert_to_tensor(grads)

    def cropped(x):
        return crop_and_resize(x, boxes, box_ind, grads.shape[1:3], method)

    return pulled_back(cropped, [array.zeros(static_value(image_size), T)], grads)[0]


@raw()
def CropAndResizeGradBoxes(grads, image, boxes, box_ind, method):
    """Gradient of `CropAndResize` by the boxes."""
    grads = convert_to_tensor(grads)
    return pulled_back(lambda x: crop_and_resize(image, x, box_ind, grads.shape[1:3], method), [boxes], grads)[0]


@raw()
def ScaleAndTranslateGrad(grads, original_image, scale, translation, kernel_type, antialias):
    """Gradient of `ScaleAndTranslate` by the pictures."""
    grads = convert_to_tensor(grads)

    def scaled(x):
        return ScaleAndTranslate(x, grads.shape[1:3], scale, translation, kernel_type, antialias)

    return pulled_back(scaled, [original_image], grads)[0]


@raw()
def DrawBoundingBoxes(images, boxes):
    """Pictures with boxes drawn in ten colours."""
    return image.draw_bounding_boxes(images, boxes, None)


@raw()
def ImageProjectiveTransformV2(images, transforms, output_shape, interpolation, fill_mode):
    """Pictures seen through projective maps, and zeros outside of them."""
    return OPS["ImageProjectiveTransformV3"].run({
        "images": images, "transforms": transforms, "output_shape": output_shape, "fill_value": 0.0,
        "interpolation": interpolation, "fill_mode": fill_mode,
    })  # fmt: skip


@raw()
def EncodeJpegVariableQuality(images, quality):
    """JPEG data of a picture."""
    quality = int(static_value(quality))
    if not 0 <= quality <= 100:
        raise InvalidArgumentError(None, None, f"quality must be in [0,100], got {quality}")
    return io.encode_jpeg(images, quality=quality)


def _padded(selected, size):
    """What is selected, filled up with zeros, and how much it is."""
    count = array.size(selected[0])
    if size:
        selected = [array.slice(array.concat([x, array.zeros([size], x.dtype)], 0), [0], [size]) for x in selected]
    return *selected, count


@raw()
def NonMaxSuppressionV4(boxes, scores, max_output_size, iou_threshold, score_threshold, pad_to_max_output_size):
    """Which boxes to keep, and how many these are."""
    places = image.non_max_suppression(boxes, scores, max_output_size, iou_threshold, score_threshold)
    return _padded([places], int(static_value(max_output_size)) if pad_to_max_output_size else 0)


@raw()
def NonMaxSuppressionV5(boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma,
                        pad_to_max_output_size):  # fmt: skip
    """Which boxes to keep, their scores, and how many these are."""
    selected = image.non_max_suppression_with_scores(
        boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma
    )
    return _padded(selected, int(static_value(max_output_size)) if pad_to_max_output_size else 0)


@raw()
def SampleDistortedBoundingBoxV2(image_size, bounding_boxes, min_object_covered, seed, seed2, aspect_ratio_range,
                                 area_range, max_attempts, use_image_if_no_bounding_boxes):  # fmt: skip
    """A random part of a picture that covers enough of a box."""
    return tuple(image.sample_distorted_bounding_box(
        image_size, bounding_boxes, seeds_of(seed, seed2) or 0, static_value(min_object_covered), aspect_ratio_range,
        area_range, max_attempts, use_image_if_no_bounding_boxes,
    ))  # fmt: skip


@raw()
def SampleDistortedBoundingBox(image_size, bounding_boxes, seed, seed2, min_object_covered, aspect_ratio_range,
                               area_range, max_attempts, use_image_if_no_bounding_boxes):  # fmt: skip
    """A random part of a picture that covers enough of a box."""
    return SampleDistortedBoundingBoxV2(
        image_size, bounding_boxes, min_object_covered, seed, seed2, aspect_ratio_range, area_range, max_attempts,
        use_image_if_no_bounding_boxes,
    )


@raw()
def ExtractGlimpseV2(input, size, offsets, centered, normalized, uniform_noise, noise):
    """Windows into pictures."""
    if uniform_noise and noise != "uniform":
        raise InvalidArgumentError(None, None, "The uniform_noise and noise could not be specified at the same time")
    return image.extract_glimpse(input, size, offsets, centered, normalized, noise)


@raw()
def ExtractGlimpse(input, size, offsets, centered, normalized, uniform_noise, noise):
    """Windows into pictures; `offsets` say where their middles are. Centered ones count halves of pixels, too."""
    input, offsets = convert_to_tensor(input), convert_to_tensor(offsets)
    extent = array.cast(array.shape(input)[1:3], offsets.dtype)
    middles = offsets * extent if normalized else offsets
    if centered:
        middles = (middles + extent) / 2
    starts = middles - array.cast(size, offsets.dtype) / 2
    return ExtractGlimpseV2(input, size, starts, False, False, uniform_noise, noise)


@raw()
def FusedPadConv2D(input, paddings, filter, mode, strides, padding):
    """Convolution of pictures that are padded by mirroring."""
    return nn.conv2d(array.pad(input, paddings, mode), filter, list(strides), padding)


@raw()
def FusedResizeAndPadConv2D(input, size, paddings, filter, mode, strides, padding, resize_align_corners):
    """Convolution of pictures that are resized, and padded by mirroring."""
    resized = ResizeBilinear(input, size, resize_align_corners, False)
    resized = array.cast(resized, convert_to_tensor(filter).dtype)
    return FusedPadConv2D(resized, paddings, filter, mode, strides, padding)


@raw()
def AudioSpectrogram(input, window_size, stride, magnitude_squared):
    """The magnitudes of frequencies over time, for each channel of a sound [samples, channels]."""
    sound = convert_to_tensor(input)
    if sound.shape.rank != 2:
        raise InvalidArgumentError(None, None, f"input must be 2-dimensional: {sound.shape}")
    length = 1 << (window_size - 1).bit_length()
    parts = signal.stft(array.transpose(sound), window_size, stride, length)
    return math.square(math.abs(parts)) if magnitude_squared else math.abs(parts)


@raw()
def Mfcc(spectrogram, sample_rate, upper_frequency_limit, lower_frequency_limit, filterbank_channel_count,
         dct_coefficient_count):  # fmt: skip
    """Cepstral coefficients of squared magnitudes [channels, times, frequencies]."""
    spectrogram = convert_to_tensor(spectrogram)
    if spectrogram.shape.rank != 3 or spectrogram.shape[2] < 2 or static_value(sample_rate) <= 0:
        raise InvalidArgumentError(
            None, None, "spectrogram must be 3-dimensional, of two frequencies at least, and sample_rate positive: "
            f"{spectrogram.shape}"
        )  # fmt: skip
    weights = _mel_weights(
        spectrogram.shape[-1], float(static_value(sample_rate)), lower_frequency_limit, upper_frequency_limit,
        filterbank_channel_count,
    )  # fmt: skip
    bands = math.log(math.maximum(math.sqrt(spectrogram) @ host_constant(weights), 1e-12))
    count = filterbank_channel_count
    angles = np.pi / count * np.outer(np.arange(count) + 0.5, np.arange(dct_coefficient_count))
    return bands @ host_constant((np.sqrt(2 / count) * np.cos(angles)).astype(np.float32))


def _mel_weights(frequencies, sample_rate, lowest, highest, channels):
    """How much each frequency counts in each band: triangles that overlap by half on the mel scale."""
    def mel(hertz):
        return 1127.0 * np.log1p(hertz / 700.0)

    ends = np.linspace(mel(lowest), mel(highest), channels + 2)
    hertz = 0.5 * sample_rate / (frequencies - 1)
    first, last = int(1.5 + lowest / hertz), int(highest / hertz)
    weights = np.zeros((frequencies, channels), np.float32)
    for i in range(max(first, 0), min(last, frequencies - 1) + 1):
        place = mel(i * hertz)
        channel = int(np.searchsorted(ends[1:], place, side="right")) - 1
        if channel >= channels:
            continue
        share = (ends[channel + 2] - place) / (ends[channel + 2] - ends[channel + 1])
        if channel >= 0:
            weights[i, channel] += share
        if channel + 1 < channels:
            weights[i, channel + 1] += 1 - share
    return weights

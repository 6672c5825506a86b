"""The summaries of TensorFlow 1: numbers, histograms, pictures and sounds, of NumPy arrays."""

import functools

import numpy as np

from tfcompat.audio._wav import wav_of
from tfcompat.errors import InvalidArgumentError
from tfcompat.io import _png
from tfcompat.summary._messages import Audio, HistogramProto, Image, Summary, Value


@functools.cache
def _limits():
    """Upper ends of the intervals, as `lib/histogram/histogram.cc` has them."""
    limits, value = [], 1.0e-12
    while value < 1.0e20:
        limits.append(value)
        value *= 1.1
    limits.append(np.finfo(np.float64).max)
    return np.array([-limit for limit in reversed(limits)] + [0.0] + limits)


def histogram(tag, values):
    """The Value of how often numbers lie in intervals.

    Raises:
      tf.errors.InvalidArgumentError: a number is not finite.
    """
    values = values.astype(np.float64).ravel()
    if not np.isfinite(values).all():
        what = "Nan" if np.isnan(values).any() else "Infinity"
        raise InvalidArgumentError(None, None, f"{what} in summary histogram for: {tag}")
    limits = _limits()
    counts = np.bincount(np.searchsorted(limits, values, side="right"), minlength=len(limits)).tolist()
    shown = []  # (limit, count): intervals without values that follow each other become one
    for limit, count in zip(limits.tolist(), counts, strict=True):
        if shown and not count and not shown[-1][1]:
            shown.pop()
        shown.append((limit, count))
    low, high = (values.min(), values.max()) if values.size else (limits[-1], -limits[-1])
    histo = HistogramProto(
        min=low, max=high, num=values.size, sum=values.sum(), sum_squares=(values * values).sum(),
        bucket_limit=[limit for limit, _ in shown], bucket=[count for _, count in shown],
    )  # fmt: skip
    return Value(tag=tag, histo=histo)


def _tags(tag, kind, count, most):
    return [f"{tag}/{kind}/{i}" for i in range(count)] if most > 1 else [f"{tag}/{kind}"] * count


def images(tag, pictures, most, bad_color=(255, 0, 0, 255)):
    """The Values of pictures [batch, height, width, channels]: uint8, or floats, which are scaled to bytes.

    Raises:
      tf.errors.InvalidArgumentError: another shape, or a colour of too few channels.
    """
    if pictures.ndim != 4 or pictures.shape[3] not in (1, 3, 4):
        raise InvalidArgumentError(
            None, None, f"Tensor must be 4-D with last dim 1, 3, or 4, not {list(pictures.shape)}"
        )
    if len(bad_color) < pictures.shape[3]:
        raise InvalidArgumentError(None, None, f"expected depth at most {len(bad_color)}, got {pictures.shape[3]}")
    pictures = pictures[:most]
    if pictures.dtype != np.uint8:
        pictures = np.array([_scaled(each, bad_color) for each in pictures], np.uint8).reshape(pictures.shape)
    _, height, width, channels = pictures.shape
    return [
        Value(tag=each, image=Image(height=height, width=width, colorspace=channels,
                                    encoded_image_string=_png.encode(picture)))
        for each, picture in zip(_tags(tag, "image", len(pictures), most), pictures, strict=True)
    ]  # fmt: skip


def _scaled(picture, bad_color):
    """A picture of floats as bytes: from 0 on to 255, or, if some are negative, from -127 to 127 around 128."""
    bad = ~np.isfinite(picture).all(axis=-1)
    picture = np.where(bad[..., None], 0, picture).astype(np.float32)
    low, high = picture.min(initial=0), picture.max(initial=0)
    most, room, middle = (max(-low, high), 127, 128) if low < 0 else (high, 255, 0)
    result = (picture * (room / most if most >= 1e-6 else 0) + middle).astype(np.uint8)
    result[bad] = np.asarray(bad_color, np.uint8)[: picture.shape[-1]]
    return result


def sounds(tag, sounds, rate, most):
    """The Values of sounds [batch, frames, channels], or of one channel [batch, frames].

    Raises:
      tf.errors.InvalidArgumentError: another shape, or a rate or `most` that is not positive.
    """
    if most < 1:
        raise InvalidArgumentError(None, None, f"max_outputs must be positive, got {most}")
    if sounds.ndim not in (2, 3):
        raise InvalidArgumentError(None, None, f"Tensor must be 3-D or 2-D, got: {list(sounds.shape)}")
    sounds = sounds.reshape(*sounds.shape[:2], -1)[:most]
    return [
        Value(tag=each, audio=Audio(sample_rate=rate, num_channels=sound.shape[1], length_frames=sound.shape[0],
                                    encoded_audio_string=wav_of(sound, int(rate)), content_type="audio/wav"))
        for each, sound in zip(_tags(tag, "audio", len(sounds), most), sounds, strict=True)
    ]  # fmt: skip


def merged(parts):
    """The Summary of several, which are bytes.

    Raises:
      tf.errors.InvalidArgumentError: no such bytes; two of one tag.
    """
    result = Summary()
    for part in parts:
        try:
            result.MergeFromString(part)
        except ValueError:
            raise InvalidArgumentError(None, None, "Could not parse one of the summary inputs") from None
    tags = set()
    for value in result.value:
        if value.tag in tags:
            raise InvalidArgumentError(None, None, f"Duplicate tag {value.tag} found in summary inputs")
        tags.add(value.tag)
    return result

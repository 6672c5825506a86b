"""WAV files: what stands in their chunks, read and written."""

import collections
import io
import struct
import wave

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, sized_by_values
from tfcompat.array._arguments import invalid
from tfcompat.io._files import text
from tfcompat.strings._elementwise import ADVICE

_DecodeWav = collections.namedtuple("DecodeWav", ["audio", "sample_rate"])


def decode_wav(contents, desired_channels=-1, desired_samples=-1, name=None):
    """The samples of a WAV file of 16-bit PCM.

    Args:
      contents: text scalar, the bytes of the file.
      desired_channels: int; more than the file has repeat its last channel, fewer leave out the last ones, and -1
        takes those of the file.
      desired_samples: int; more than the file has are zeros, fewer cut its end off, and -1 takes those of the file.
      name: ignored.

    Returns:
      (audio, sample_rate): float32 tensor [samples, channels] of numbers in [-1, 1), and int32 scalar.

    Raises:
      tf.errors.InvalidArgumentError: `contents` is not a scalar, no such file, or cut short; or a number asked for
        is below -1.
      tf.errors.UnimplementedError: `contents` is not known while a function is traced.

    TF: `tf.audio.decode_wav`.
    """
    array = known_values(convert_to_tensor(contents, dtypes.string), ADVICE)
    if array.ndim:
        raise invalid(f"contents must be scalar, got shape {list(array.shape)}")
    for argument, value in (("desired_channels", desired_channels), ("desired_samples", desired_samples)):
        if value < -1:
            raise invalid(f"{argument} must be -1 or a size, got {value}")
    samples, rate = _read(array.item())
    if desired_channels > samples.shape[1]:
        repeated = np.repeat(samples[:, -1:], desired_channels - samples.shape[1], 1)
        samples = np.concatenate([samples, repeated], 1)
    elif desired_channels >= 0:
        samples = samples[:, :desired_channels]
    if desired_samples > len(samples):
        samples = np.pad(samples, ((0, desired_samples - len(samples)), (0, 0)))
    elif desired_samples >= 0:
        samples = samples[:desired_samples]
    audio = samples.astype(np.float32) / np.float32(32768)
    fixed = [axis for axis, size in enumerate((desired_samples, desired_channels)) if size >= 0]
    return _DecodeWav(sized_by_values(audio, fixed), host_constant(np.array(rate, np.uint32).astype(np.int32)))


def encode_wav(audio, sample_rate, name=None):
    """A WAV file of 16-bit PCM.

    Args:
      audio: float32 tensor [samples, channels]; numbers beyond -1 and 1 are clipped.
      sample_rate: int32 scalar, samples a second, positive.
      name: ignored.

    Returns:
      Text scalar, the bytes of the file.

    Raises:
      tf.errors.InvalidArgumentError: another shape, no channel or more than 65535, or a rate that is not positive.
      tf.errors.UnimplementedError: the values are not known while a function is traced.

    TF: `tf.audio.encode_wav`, byte for byte.
    """
    samples = known_values(convert_to_tensor(audio, dtypes.float32), ADVICE)
    rate = known_values(convert_to_tensor(sample_rate, dtypes.int32), ADVICE)
    if samples.ndim != 2:
        raise invalid(f"audio must be 2-dimensional{list(samples.shape)}")
    if rate.ndim:
        raise invalid(f"Input sample_rate should be a scalar tensor, got {list(rate.shape)} instead.")
    return text(wav_of(samples, int(rate)))


def wav_of(samples, rate):
    """The bytes of `encode_wav` for a NumPy array and an int."""
    channels = samples.shape[1]
    if rate <= 0:
        raise invalid(f"sample_rate must be in (0, 2^32), got: {rate}")
    if not 0 < channels < 2**16:
        raise invalid(f"num_channels must be in (0, 2^16), got: {channels}")
    scaled = samples.astype(np.float64) * 32768
    whole = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)  # halves go away from zero
    data = np.nan_to_num(np.clip(whole, -32768, 32767)).astype(np.int16).tobytes()
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(data)
    return file.getvalue()


# `wave` does not read them: it takes files that TensorFlow refuses, with two data chunks, and refuses others.
# https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/lib/wav/wav_io.cc


class _Reader:
    """Takes one piece after another off some bytes."""

    def __init__(self, data):
        self.data, self.offset = data, 0

    def take(self, count):
        end = self.offset + count
        if end > len(self.data):
            raise invalid("Data too short when trying to read string")
        piece, self.offset = self.data[self.offset : end], end
        return piece

    def expect(self, word):
        word_read = self.take(len(word))
        if word_read != word:
            shown = word_read.decode("latin-1")
            raise invalid(f"Header mismatch: Expected {word.decode()} but found {shown}")

    def skip(self, count):
        self.offset = min(self.offset + count, len(self.data))

    def done(self):
        return self.offset >= len(self.data)


def _read(data):
    """The samples of a file, int16 [samples, channels], and its rate."""
    reader = _Reader(data)
    reader.expect(b"RIFF")
    reader.take(4)  # TensorFlow does not look at the length either
    reader.expect(b"WAVE")
    # What a program that edits sound leaves before the format.
    while (word := reader.take(4)) != b"fmt ":
        if word not in (b"JUNK", b"bext"):
            raise invalid(f"Header mismatch: Expected fmt  but found {word.decode('latin-1')}")
        reader.skip(int.from_bytes(reader.take(4), "little"))
    channels, rate = _read_format(reader)
    samples = None
    while not reader.done():
        word, size = reader.take(4), int.from_bytes(reader.take(4), "little")
        if word != b"data":
            reader.skip(size)  # of an odd length, too, which a pad byte should follow
            continue
        if samples is not None:
            raise invalid("More than one data chunk found in WAV")
        count = size // (2 * channels) * channels
        samples = np.frombuffer(reader.take(2 * count), "<i2").reshape(-1, channels)
    if samples is None:
        raise invalid("No data chunk found in WAV")
    return samples, rate


def _read_format(reader):
    size = int.from_bytes(reader.take(4), "little")
    if size not in (16, 18):
        raise invalid(f"Bad format chunk size for WAV: Expected 16 or 18, but got{size}")
    coding, channels, rate, per_second, frame, bits = struct.unpack("<HHIIHH", reader.take(16))
    if coding != 1:
        raise invalid(f"Bad audio format for WAV: Expected 1 (PCM), but got{coding}")
    if bits != 16:
        raise invalid(f"Can only read 16-bit WAV files, but received {bits}")
    if not channels:
        raise invalid("Bad number of channels for WAV: Expected at least 1, but got 0")
    if frame != 2 * channels:
        raise invalid(f"Bad bytes per sample in WAV header: Expected {2 * channels} but got {frame}")
    if per_second != rate * frame:
        raise invalid(
            f"Bad bytes per second in WAV header: Expected {rate * frame} but got {per_second} "
            f"(sample_rate={rate}, bytes_per_sample={frame})"
        )
    reader.take(size - 16)
    return channels, rate

"""Summaries: scalar, histogram, text, image, audio, and `write` for the rest."""
import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, known_values
from tfcompat._formats.tensors import proto_of
from tfcompat.audio._wav import wav_of
from tfcompat.errors import InvalidArgumentError
from tfcompat.io import _png
from tfcompat.summary import _writer
from tfcompat.summary._experimental import summary_scope
from tfcompat.summary._messages import AudioPluginData, PluginData, Summary, SummaryMetadata, Value


def write(tag, tensor, step=None, metadata=None, name=None):
    """Writes a tensor as a summary.

    Args:
      tag: str that names it.
      tensor: tensor of any dtype.
      step: int, integer tensor or variable; by default the step set.
      metadata: a `SummaryMetadata` message, or its bytes; None for none.
      name: unused.

    Returns:
      bool tensor: whether it was written. Inside a function: whether there is a writer.

    Raises:
      ValueError: no step.
      tf.errors.UnimplementedError: inside a function that is mapped or recomputed as a whole.

    TF: `tf.summary.write`.
    """
    if hasattr(metadata, "SerializeToString"):
        metadata = metadata.SerializeToString()
    return _write(tag, tensor, step, metadata or b"", lambda value: value)


def scalar(name, data, step=None, description=None):
    """Writes a number.

    Args:
      name: str; the tag is the name scope around it, and this.
      data: real scalar tensor; written as float32.
      step: int, integer tensor or variable; by default the step set.
      description: str to show with it, Markdown.

    Returns:
      bool tensor: whether it was written.

    Raises:
      ValueError: no step; `data` is no scalar.

    TF: `tf.summary.scalar` with TensorBoard installed.
    """
    data = convert_to_tensor(data)
    if data.shape.rank != 0:
        raise ValueError(f"Expected scalar shape, got shape: {data.shape}")
    metadata = _metadata("scalars", description)
    with summary_scope(name, "scalar_summary") as (tag, _):
        return _write(tag, data, step, metadata, lambda value: value.astype(np.float32))


def histogram(name, data, step=None, buckets=None, description=None):
    """Writes how many elements fall into intervals of equal length.

    Args:
      name, step, description: as in `scalar`.
      data: real tensor of any shape.
      buckets: int, number of intervals, by default 30.

    Returns:
      bool tensor: whether it was written.

    TF: `tf.summary.histogram` with TensorBoard installed. If all elements are equal, the last of the intervals has
      them all, and all have that number as both their ends, as TensorBoard writes it.
    """
    count = 30 if buckets is None else int(buckets)
    metadata = _metadata("histograms", description)
    with summary_scope(name, "histogram_summary") as (tag, _):
        return _write(tag, convert_to_tensor(data), step, metadata, lambda value: _buckets(value, count))


def _buckets(value, count):
    values = np.asarray(value, np.float64).ravel()
    if not values.size or not count:
        return np.zeros((count, 3))
    low, high = values.min(), values.max()
    if low == high:
        rows = np.full((count, 3), low)
        rows[:, 2] = 0
        rows[-1, 2] = values.size
        return rows
    width = (high - low) / count
    places = np.minimum(np.floor((values - low) / width), count - 1).astype(np.int64)
    edges = np.linspace(low, high, count + 1)
    return np.stack([edges[:-1], edges[1:], np.bincount(places, minlength=count)], axis=-1)


def text(name, data, step=None, description=None):
    """Writes text.

    Args:
      name, step, description: as in `scalar`.
      data: string tensor of any shape.

    Returns:
      bool tensor: whether it was written.

    TF: `tf.summary.text` with TensorBoard installed.
    """
    with summary_scope(name, "text_summary") as (tag, _):
        data = convert_to_tensor(data, dtypes.string)
        return _write(tag, data, step, _metadata("text", description), lambda value: value)


def image(name, data, step=None, max_outputs=3, description=None):
    """Writes images.

    Args:
      name, step, description: as in `scalar`.
      data: tensor [images, height, width, channels] of 1 to 4 channels; uint8, or floating numbers in 0 to 1.
      max_outputs: int, how many of them are written.

    Returns:
      bool tensor: whether it was written.

    Raises:
      ValueError: `data` is not of rank 4.

    TF: `tf.summary.image` with TensorBoard installed.
    """
    data = convert_to_tensor(data)
    if data.shape.rank != 4:
        raise ValueError(f"Expected images of rank 4, got shape: {data.shape}")

    def encoded(value):
        value = value[:max_outputs]
        if value.dtype != np.uint8:
            value = np.clip(value * value.dtype.type(255.5), 0, 255).astype(np.uint8)  # as `convert_image_dtype` does
        sizes = [str(size).encode() for size in (value.shape[2], value.shape[1])]
        return np.array([*sizes, *map(_png.encode, value)], object)

    metadata = _metadata("images", description)
    with summary_scope(name, "image_summary") as (tag, _):
        return _write(tag, data, step, metadata, encoded)


# `Encoding.WAV`: https://github.com/tensorflow/tensorboard/blob/master/tensorboard/plugins/audio/plugin_data.proto
_WAV = 11


def audio(name, data, sample_rate, step=None, max_outputs=3, encoding=None, description=None):
    """Writes sounds.

    Args:
      name, step, description: as in `scalar`.
      data: float32 tensor [sounds, samples, channels] of numbers in -1 to 1.
      sample_rate: int, or scalar, samples a second.
      max_outputs: int, how many of them are written.
      encoding: "wav", or None.

    Returns:
      bool tensor: whether it was written.

    Raises:
      ValueError: `data` is not of rank 3, or another `encoding`.
      tf.errors.InvalidArgumentError: `max_outputs` is negative, or `data` is not float32.

    TF: `tf.summary.audio` with TensorBoard installed.
    """
    data, rate, count = convert_to_tensor(data), int(known_values(convert_to_tensor(sample_rate))), int(max_outputs)
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    if data.shape.rank != 3:
        raise ValueError(f"Tensor must have rank 3.  Received rank {data.shape.rank}, shape {data.shape}")
    if count < 0:
        raise InvalidArgumentError(None, None, f"`max_outputs` must not be negative, got {max_outputs}")
    if data.dtype is not dtypes.float32:
        raise InvalidArgumentError(None, None, f"`data` must be a float tensor, got a {data.dtype.name} tensor")

    def encoded(value):
        labels = b""
        return np.array([[wav_of(each, rate), labels] for each in value[:count]], object).reshape(-1, 2)

    metadata = _metadata("audio", description, AudioPluginData(encoding=_WAV).SerializeToString())
    with summary_scope(name, "audio_summary") as (tag, _):
        return _write(tag, data, step, metadata, encoded)


def _metadata(plugin, description, content=b""):
    data = PluginData(plugin_name=plugin, content=content)
    return SummaryMetadata(plugin_data=data, summary_description=description).SerializeToString()


def _write(tag, tensor, step, metadata, prepared):
    """Writes `prepared(array of tensor)` now, or when the function being traced has run."""
    if hasattr(tag, "numpy"):
        tag = tag.numpy().decode()
    metadata = SummaryMetadata.FromString(metadata) if metadata else None

    def summary(array):
        value = Value(tag=tag, tensor=_tensor_proto(np.asarray(prepared(array))), metadata=metadata)
        return Summary(value=[value])

    return _writer.write(tensor, step, summary)


def _tensor_proto(array):
    if array.dtype.kind not in "OSU":
        return proto_of(array, dtypes.from_numpy(array.dtype))
    texts = np.empty(array.shape, object)
    texts.flat = [item.encode() if isinstance(item, str) else bytes(item) for item in array.ravel()]
    return proto_of(texts, dtypes.string)

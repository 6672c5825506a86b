"""The messages of event files.

https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/framework/summary.proto
https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/util/event.proto
"""

from tfcompat._formats.protobuf import Message
from tfcompat._formats.tensors import TensorProto


class PluginData(Message):
    """Which part of TensorBoard shows a summary, and bytes for that part."""

    NAME = "tensorflow.SummaryMetadata.PluginData"
    FIELDS = ((1, "plugin_name", "string"), (2, "content", "bytes"))


class SummaryMetadata(Message):
    """The description of a summary, for `tf.summary.write`.

    Args:
      display_name, summary_description: str.
      plugin_data: message with `plugin_name`, str, and `content`, bytes.

    TF: `tf.compat.v1.SummaryMetadata`.
    """

    NAME = "tensorflow.SummaryMetadata"
    FIELDS = (
        (1, "plugin_data", PluginData), (2, "display_name", "string"), (3, "summary_description", "string"),
        (4, "data_class", "enum"),
    )  # fmt: skip


class HistogramProto(Message):
    """How many values lie in each of several intervals. TF: `tf.compat.v1.HistogramProto`."""

    NAME = "tensorflow.HistogramProto"
    FIELDS = (
        (1, "min", "double"), (2, "max", "double"), (3, "num", "double"), (4, "sum", "double"),
        (5, "sum_squares", "double"), (6, "bucket_limit", ["double"]), (7, "bucket", ["double"]),
    )  # fmt: skip


class Image(Message):
    """A picture, encoded."""

    NAME = "tensorflow.Summary.Image"
    FIELDS = (
        (1, "height", "int32"), (2, "width", "int32"), (3, "colorspace", "int32"),
        (4, "encoded_image_string", "bytes"),
    )  # fmt: skip


class Audio(Message):
    """A sound, encoded."""

    NAME = "tensorflow.Summary.Audio"
    FIELDS = (
        (1, "sample_rate", "float"), (2, "num_channels", "int64"), (3, "length_frames", "int64"),
        (4, "encoded_audio_string", "bytes"), (5, "content_type", "string"),
    )  # fmt: skip


class Value(Message):
    """A summary: a tensor and its name, or what TensorFlow 1 writes in its place."""

    NAME = "tensorflow.Summary.Value"
    FIELDS = (
        (1, "tag", "string"), (2, "simple_value", "float", "value"), (4, "image", Image, "value"),
        (5, "histo", HistogramProto, "value"), (6, "audio", Audio, "value"), (7, "node_name", "string"),
        (8, "tensor", TensorProto, "value"), (9, "metadata", SummaryMetadata),
    )  # fmt: skip


class Summary(Message):
    """Summaries that are written at once. TF: `tf.compat.v1.Summary`."""

    NAME = "tensorflow.Summary"
    FIELDS = ((1, "value", [Value]),)
    Value, Image, Audio = Value, Image, Audio


class Event(Message):
    """A record of an event file. TF: `tf.compat.v1.Event`."""

    NAME = "tensorflow.Event"
    FIELDS = (
        (1, "wall_time", "double"), (2, "step", "int64"), (3, "file_version", "string", "what"),
        (4, "graph_def", "bytes", "what"), (5, "summary", Summary, "what"),
    )  # fmt: skip


class AudioPluginData(Message):
    """What TensorBoard needs to play sounds."""

    NAME = "tensorboard.AudioPluginData"
    FIELDS = ((1, "version", "int32"), (2, "encoding", "enum"))

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


class Value(Message):
    """A summary: a tensor and its name.

    The metadata are bytes here: programs may pass such, and they are written as they are. They are always present, as
    in TensorFlow's files, which is what a oneof of one field means.
    """

    NAME = "tensorflow.Summary.Value"
    FIELDS = ((1, "tag", "string"), (8, "tensor", TensorProto, "value"), (9, "metadata", "bytes", "_metadata"))


class Summary(Message):
    """Summaries that are written at once."""

    NAME = "tensorflow.Summary"
    FIELDS = ((1, "value", [Value]),)


class Event(Message):
    """A record of an event file."""

    NAME = "tensorflow.Event"
    FIELDS = (
        (1, "wall_time", "double"), (2, "step", "int64"), (3, "file_version", "string", "what"),
        (5, "summary", "bytes", "what"),
    )  # fmt: skip


class AudioPluginData(Message):
    """What TensorBoard needs to play sounds."""

    NAME = "tensorboard.AudioPluginData"
    FIELDS = ((1, "version", "int32"), (2, "encoding", "enum"))

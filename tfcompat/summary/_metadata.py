"""What a summary says of itself: which part of TensorBoard shows it, and how."""

from tfcompat.train._wire import field, message


class _PluginData:
    """Attributes:
    plugin_name: str, which part of TensorBoard shows the summary.
    content: bytes for that part.
    """

    def __init__(self):
        self.plugin_name, self.content = "", b""

    def SerializeToString(self):
        """The message as bytes."""
        return field(1, self.plugin_name) + field(2, self.content)


class SummaryMetadata:
    """The description of a summary, for `tf.summary.write`.

    Args:
      display_name, summary_description: str.

    Attributes:
      plugin_data: message with `plugin_name`, str, and `content`, bytes.

    TF: `tf.compat.v1.SummaryMetadata`; it can be filled and written, not read.
    """

    def __init__(self, display_name="", summary_description=""):
        self.plugin_data = _PluginData()
        self.display_name, self.summary_description = display_name, summary_description

    def SerializeToString(self):
        """The message as bytes."""
        plugin = message(1, self.plugin_data.SerializeToString())
        return plugin + field(2, self.display_name) + field(3, self.summary_description)

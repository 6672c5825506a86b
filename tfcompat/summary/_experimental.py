"""Steps, scopes and raw messages of summaries."""
import contextlib
import re

from tfcompat import dtypes, errors
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.name_scope import current_scope, name_scope
from tfcompat.summary import _writer
from tfcompat.summary._messages import Summary


def get_step():
    """The default step of this thread, or None. TF: `tf.summary.experimental.get_step`."""
    return _writer.state.step


def set_step(step):
    """Sets the default step of this thread.

    Args:
      step: int, integer tensor or variable (read when a summary is written), or None.

    TF: `tf.summary.experimental.set_step`.
    """
    _writer.state.step = step


@contextlib.contextmanager
def summary_scope(name, default_name="summary", values=None):
    """A name scope whose name may have any characters; gives `(tag, scope)`.

    Args:
      name: str; the tag is the name scope around it, and this.
      default_name: in place of a name that is None.
      values: unused.

    TF: `tf.summary.experimental.summary_scope`.
    """
    name = name or default_name
    tag = current_scope() + name
    allowed = re.sub(r"[^A-Za-z0-9_.\\/-]", "", name).lstrip("/")
    with name_scope(allowed or default_name) as scope:
        yield tag, scope


def write_raw_pb(tensor, step=None, name=None):
    """Writes summaries that are serialized `tf.compat.v1.Summary` messages already, as one record.

    Args:
      tensor: str tensor of any shape; the messages.
      step: int, integer tensor or variable; by default the step set.
      name: unused.

    Returns:
      bool tensor: whether it was written. Inside a function: whether there is a writer.

    Raises:
      ValueError: no step.
      tf.errors.InvalidArgumentError: `tensor` is no text.
      tf.errors.DataLossError: a text is no such message.
      tf.errors.UnimplementedError: inside a function that is mapped or recomputed as a whole.

    TF: `tf.summary.experimental.write_raw_pb`.
    """
    tensor = convert_to_tensor(tensor)
    if _writer.state.writer is not None and tensor.dtype != dtypes.string:
        raise errors.InvalidArgumentError(
            None, None, f"the messages must be a string tensor but are a {tensor.dtype.name} tensor"
        )
    return _writer.write(tensor, step, _joined)


def _joined(texts):
    """The messages as one: what follows in the bytes is added to what was before."""
    result = Summary()
    for i, text in enumerate(texts.ravel()):
        try:
            result.MergeFromString(text)
        except (ValueError, TypeError) as error:
            raise errors.DataLossError(
                None, None, f"Bad tf.compat.v1.Summary binary proto tensor string at index {i}"
            ) from error
    return result

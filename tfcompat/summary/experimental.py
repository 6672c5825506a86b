"""`tf.summary.experimental`: the step that summaries take by default, and their names."""
import contextlib
import re

from tfcompat import errors
from tfcompat._missing import missing as _missing
from tfcompat._name_scope import current_scope, name_scope
from tfcompat.summary import _writer


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
    """Refused. TF: `tf.summary.experimental.write_raw_pb`."""
    raise errors.UnimplementedError(None, None, "tf.summary.experimental.write_raw_pb: use tf.summary.write")


__getattr__ = _missing("tf.summary.experimental")

"""What every trace must leave as it was."""

import tfcompat as tf
from tfcompat import engine


def is_clean():
    """Whether this thread records nothing, watches nothing and executes eagerly."""
    return engine.state.graph is engine.state.pending and engine.state.watchers == () and tf.executing_eagerly()

"""tensorflow/python/eager/context.py."""

import jax

import tfcompat as _tf
from tfcompat import engine
from tfcompat._core import device as _device
from tfcompat._core import graphs as _graphs
from tfcompat._core.name_scope import current_scope as _current_scope
from tfcompat.function import executing_eagerly as _executing_eagerly
from tfcompat.function import init_scope


def async_wait():
    """Starts computing what is pending in this thread."""
    engine.cut()


class _Context:
    """The runtime. It has nothing to tell."""

    def clear_kernel_cache(self):
        """Does nothing: compiled programs serve whatever comes."""

    @property
    def device_spec(self):
        """A `tf.DeviceSpec` of what `tf.device` says here; nothing is set where it says nothing."""
        configured = jax.config.jax_default_device
        chosen = None if configured is None or isinstance(configured, str) else _device.named(configured)
        return _tf.DeviceSpec.from_string(chosen or "")

    @property
    def scope_name(self):
        """The name scope, which ends with a slash; an empty text outside of one."""
        return _current_scope()

    executing_eagerly = staticmethod(_executing_eagerly)


_context = _Context()
executing_eagerly = in_eager_mode = _executing_eagerly


def _reset_context():
    """Starts computing what is pending. There is nothing else to forget: JAX's devices stay as they are."""
    async_wait()


def context():
    """The one runtime."""
    return _context


def graph_mode():
    """A context in which operations are recorded in the default graph: one that was entered, or a new one."""
    graph = _graphs.current()
    return (_graphs.Graph() if graph is None else graph).as_default()


def eager_mode():
    """A context in which operations are executed eagerly, also inside of a function. As `tf.init_scope`."""
    return init_scope()

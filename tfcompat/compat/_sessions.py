"""`tf.compat.v1.ConfigProto` and `Session`, as far as programs for eager TensorFlow use them: to set up a GPU."""

import os
import sys

import jax

from tfcompat import config
from tfcompat._formats.protobuf import Message
from tfcompat._package.logging import logger
from tfcompat.compat._config_messages import ConfigProto
from tfcompat.compat._scopes import Graph
from tfcompat.errors import CancelledError, UnimplementedError

_GRAPHS = "is not available in tfcompat: there are no graphs to run. Call the functions themselves, or tf.function"
_HOLD_ALREADY = {"allow_soft_placement", "graph_options.optimizer_options.global_jit_level"}
_GROWTH, _FRACTION = "gpu_options.allow_growth", "gpu_options.per_process_gpu_memory_fraction"
_INSTEAD = {
    "gpu_options.visible_device_list": "set CUDA_VISIBLE_DEVICES in the environment",
    "device_count": "set JAX_PLATFORMS=cpu in the environment to use no GPU",
    "inter_op_parallelism_threads": "XLA uses the cores that the process may use",
    "intra_op_parallelism_threads": "XLA uses the cores that the process may use",
    "graph_options.rewrite_options.auto_mixed_precision":
        "tf.keras.mixed_precision.set_global_policy('mixed_float16')",
}  # fmt: skip
_said = set()


def _say(name, instead=None):
    if name not in _said:
        _said.add(name)
        advice = f": {instead}" if instead else ""
        logger.warning("tf.compat.v1.ConfigProto: %s has no effect in tfcompat%s", name, advice)


def _paths(message, before=""):
    """Yields (dotted name, value) of what is set in a message and those in it."""
    for field, value in message.ListFields():
        if isinstance(value, Message):
            yield from _paths(value, f"{before}{field.name}.")
        else:
            yield before + field.name, value


def _follow(config):
    """Does what the options ask for, where that can be done; says of the others that they have no effect."""
    for name, value in _paths(config):
        if name in (_GROWTH, _FRACTION):
            key, wanted = "XLA_PYTHON_CLIENT_PREALLOCATE", "false"
            if name == _FRACTION:
                key, wanted = "XLA_PYTHON_CLIENT_MEM_FRACTION", f"{value:.15g}"
            if not _devices_are_in_use():
                os.environ.setdefault(key, wanted)
            elif jax.default_backend() != "cpu" and key not in os.environ:
                _say(name, f"set {key}={wanted} in the environment, or make the session before the first operation")
        elif name not in _HOLD_ALREADY:
            _say(name, _INSTEAD.get(name))


def _devices_are_in_use():
    """Whether JAX has taken its devices. Its public interface does not tell."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    return getattr(bridge, "backends_are_initialized", lambda: False)()


_default_sessions = []


class Session:
    """Takes a configuration, and does nothing else: operations run as they are called.

    Args:
      target: str, "" for this process.
      graph: None, or the default graph.
      config: ConfigProto, or None.

    Raises:
      TypeError: `target` is no str, `graph` no graph, or `config` no ConfigProto.
      tf.errors.UnimplementedError: another process, or a method that runs graphs.

    TF: `tf.compat.v1.Session`. In its context operations are eager, as they are outside; there they make a graph.
    """

    def __init__(self, target="", graph=None, config=None):
        if not isinstance(target, str | bytes):
            raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"')
        if config is not None and not isinstance(config, ConfigProto):
            raise TypeError(f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"')
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        if target:
            raise UnimplementedError(
                None, None, "tf.compat.v1.Session: `target` is not available in tfcompat: leave it out"
            )
        self._closed = False
        if config is not None:
            _follow(config)

    def __enter__(self):
        _default_sessions.append(self)
        return self

    def __exit__(self, *exception):
        if self in _default_sessions:
            _default_sessions.remove(self)
        self.close()

    def as_default(self):
        """A context in which `tf.compat.v1.get_default_session` returns this session."""
        return _AsDefault(self)

    def close(self):
        """Ends the session, which has nothing to end."""
        self._closed = True

    def list_devices(self):
        """The devices, as `tf.config.list_logical_devices`.

        Raises:
          tf.errors.CancelledError: the session is closed.
        """
        if self._closed:
            raise CancelledError(None, None, "Session has been closed.")
        return config.list_logical_devices()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Refused: there is no graph. Tensors have their values: `x.numpy()`.

        Raises:
          tf.errors.UnimplementedError: always.
        """
        raise UnimplementedError(
            None, None, f"tf.compat.v1.Session.run {_GRAPHS}; tensors have their values: x.numpy()"
        )

    def __getattr__(self, name):
        if name not in ("graph", "graph_def", "sess_str", "make_callable", "partial_run", "partial_run_setup"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name)
        raise UnimplementedError(None, None, f"tf.compat.v1.Session.{name} {_GRAPHS}")


class InteractiveSession(Session):
    """A `Session` that is the default one from the beginning. TF: `tf.compat.v1.InteractiveSession`."""

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        _default_sessions.append(self)

    def close(self):
        """Ends the session; it is the default one no longer."""
        super().close()
        if self in _default_sessions:
            _default_sessions.remove(self)


class _AsDefault:
    def __init__(self, session):
        self._session = session

    def __enter__(self):
        _default_sessions.append(self._session)
        return self._session

    def __exit__(self, *exception):
        if self._session in _default_sessions:
            _default_sessions.remove(self._session)


def get_default_session():
    """The session in whose context this is, or an InteractiveSession; None without. TF: as there."""
    return _default_sessions[-1] if _default_sessions else None


_of_keras: list = [None]


def set_session(session):
    """Makes a session that of Keras, which needs none. TF: `tf.compat.v1.keras.backend.set_session`."""
    _of_keras[0] = session


def get_session(op_input_list=()):
    """The session in whose context this is, else that of Keras. TF: `tf.compat.v1.keras.backend.get_session`."""
    session = get_default_session() or _of_keras[0]
    if session is None:
        session = _of_keras[0] = Session()
    return session

"""`tf.compat.v1.Session`, and what of a `ConfigProto` applies to it."""

import collections
import contextlib
import os
import sys

import jax
import numpy as np

from tfcompat import config, nest
from tfcompat._core import graphs
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.tensor import EagerTensor
from tfcompat._formats.protobuf import Message
from tfcompat._package.logging import logger
from tfcompat.compat._config_messages import ConfigProto, RunMetadata
from tfcompat.compat._graph_shapes import Graph
from tfcompat.compat._runs import Plan, Run, State, fed_array, in_order, needed
from tfcompat.compat._scopes import get_default_graph
from tfcompat.errors import CancelledError, UnimplementedError
from tfcompat.function._trace import init_scope

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
IndexedSlicesValue = collections.namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])


class Session:
    """Runs parts of a graph.

    Args:
      target: str, "" for this process.
      graph: the graph, by default the default one.
      config: ConfigProto, or None.

    A run computes what the fetches need, with values of its own for what is fed, as one compiled program for each set
    of fetches and each set of shapes that are fed. A session holds the values of the variables. In its context its
    graph is the default one.

    Raises:
      TypeError: `target` is no str, `graph` no graph, or `config` no ConfigProto.
      tf.errors.UnimplementedError: another process.

    TF: `tf.compat.v1.Session`.
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
        self._graph = graph or get_default_graph()
        self._state, self._plans, self._contexts, self._closed = State(), {}, [], False
        if config is not None:
            _follow(config)

    graph = property(lambda self: self._graph, doc="The graph that is run.")
    sess_str = property(lambda self: b"", doc="The target.")

    def __enter__(self):
        context = contextlib.ExitStack()
        context.enter_context(self._graph.as_default())
        context.enter_context(self.as_default())
        self._contexts.append(context)
        return self

    def __exit__(self, *exception):
        self._contexts.pop().close()
        self.close()

    def as_default(self):
        """A context in which `tf.compat.v1.get_default_session` returns this session."""
        return _AsDefault(self)

    def close(self):
        """Ends the session, and frees the values of its variables."""
        self._closed = True
        self._plans.clear()
        self._state = State()

    def list_devices(self):
        """The devices, as `tf.config.list_logical_devices`.

        Raises:
          tf.errors.CancelledError: the session is closed.
        """
        if self._closed:
            raise CancelledError(None, None, "Session has been closed.")
        return config.list_logical_devices()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """The values of some tensors, computed in one run.

        Args:
          fetches: tensor, operation, variable, the name of one, or a nest of these.
          feed_dict: dict from tensors, or their names, to the values that they have in this run.
          options: `RunOptions`, of no effect, as a message says.
          run_metadata: `RunMetadata`, which stays empty.

        Returns:
          The same nest with NumPy values, and None for operations. Operations are computed once each; what assigns a
          variable comes after what does not wait for it.

        Raises:
          RuntimeError: the session is closed; the graph is empty.
          TypeError: what is fetched or fed is no part of a graph; `run_metadata` is none.
          ValueError: it is of another graph; the shape of a value that is fed does not fit.
          tf.errors.InvalidArgumentError: a placeholder is needed and not fed.
          tf.errors.FailedPreconditionError: a variable is needed and not initialized.

        TF: `tf.compat.v1.Session.run`.
        """
        if run_metadata is not None and not isinstance(run_metadata, RunMetadata):
            raise TypeError(f"Argument `run_metadata` must be a tf.RunMetadata, but got {type(run_metadata).__name__}")
        if (run_metadata is not None or options is not None) and "metadata" not in _said:
            _said.add("metadata")
            logger.warning(
                "tf.compat.v1.Session.run: `options` and `run_metadata` measure nothing in tfcompat: use jax.profiler"
            )
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if not self._graph.get_operations():
            raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")
        fed, values = self._fed(_feeds_of_parts(feed_dict or {}))
        composites = [x for x in nest.flatten(fetches) if isinstance(x, graphs.upstairs.composites)]
        parts = nest.map_structure(_parts_if_composite, fetches) if composites else fetches
        elements = nest.map_structure(self._element, parts)
        flat = [x for x in nest.flatten(elements) if type(x) is not EagerTensor]
        key = tuple(flat), tuple(fed)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = Plan(flat, fed)
        known = dict(zip(fed, values, strict=True))
        known.update(zip(plan.fetches, map(_as_value, plan.run(self._state, values)), strict=True))
        if graphs.process.references:
            for tensor, variable in plan.variables_fetched:
                known[tensor] = self._state.variable(variable).numpy()

        def value_of(element):
            return element.numpy() if type(element) is EagerTensor else known.get(element)

        if not composites:
            return nest.map_structure(value_of, elements)

        def value(x):
            if not isinstance(x, graphs.upstairs.composites):
                return value_of(self._element(x))
            return x.value_of(nest.map_structure(known.get, tuple(x.parts())))

        return nest.map_structure(value, fetches)

    def _element(self, fetch):
        if type(fetch) is EagerTensor:  # linear operators make such of sizes alone
            return fetch
        if fetch is None or isinstance(fetch, bool | int | float):
            told = "Cannot be None" if fetch is None else (
                f"must be a string or Tensor. (Can not convert a {type(fetch).__name__} into a Tensor or Operation.)"
            )  # fmt: skip
            said = "" if fetch is None else " "
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}"{"." if fetch is None else ""} '
                f"{told}".replace("  ", " ") + said.strip()
            )
        try:
            return self._graph.as_graph_element(fetch)
        except TypeError as error:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a string or Tensor. '
                f"({error})"
            ) from None
        except (ValueError, KeyError) as error:
            raise ValueError(
                f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})"
            ) from None

    def _fed(self, feed_dict):
        """(the tensors that are fed, the arrays that they are)."""
        fed, values = [], []
        for key, value in feed_dict.items():
            try:
                tensor = self._graph.as_graph_element(key, allow_operation=False)
            except (TypeError, KeyError, ValueError) as error:
                raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error.args[0]}") from None
            fed.append(tensor)
            values.append(fed_array(tensor, value))
        return fed, values

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        """A function of the values of the tensors in `feed_list`, that runs `fetches`."""

        def run(*values):
            return self.run(fetches, dict(zip(feed_list or (), values, strict=True)))

        return run

    def load(self, variable, value):
        """Gives a variable of the graph a value; also one that is not initialized."""
        value = np.asarray(value, variable.dtype.np)
        with graphs.paused():
            if variable in self._state.variables:
                self._state.variable(variable).assign(value)
            else:
                self._state.initialize(variable, value)

    def values_of(self, variables):
        """The values of variables of the graph, as arrays, in a list."""
        return [self._state.variable(variable).numpy() for variable in variables]

    def is_initialized(self, variable):
        """Whether a variable of the graph has a value."""
        return variable in self._state.variables

    def __getattr__(self, name):
        if name not in ("graph_def", "partial_run", "partial_run_setup"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name)
        raise UnimplementedError(
            None, None, f"tf.compat.v1.Session.{name} is not available in tfcompat: use Session.run"
        )


def _parts_if_composite(x):
    return x.parts() if isinstance(x, graphs.upstairs.composites) else x


def _feeds_of_parts(feed_dict):
    """Feeds, with the components of sparse and ragged tensors in their place."""
    if not any(isinstance(key, graphs.upstairs.composites) for key in feed_dict):
        return feed_dict
    made = {}
    for key, value in feed_dict.items():
        if isinstance(key, graphs.upstairs.composites):
            # The sizes of a sparse placeholder of known shape are a constant, which may be fed, too.
            made.update(zip(nest.flatten(key.parts()), key.parts_of(value), strict=True))
        else:
            made[key] = value
    return made


def _as_value(x):
    if isinstance(x, IndexedSlices):
        return IndexedSlicesValue(x.values.numpy(), x.indices.numpy(), None)
    return x.numpy()


class InteractiveSession(Session):
    """A `Session` that is the default one from the beginning, and its graph the default graph.

    TF: `tf.compat.v1.InteractiveSession`.
    """

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        _default_sessions.append(self)
        self._context = contextlib.ExitStack()
        if graph is not None:
            self._context.enter_context(graph.as_default())

    def close(self):
        """Ends the session; it is the default one no longer."""
        super().close()
        if self in _default_sessions:
            _default_sessions.remove(self)
        self._context.close()


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


graphs.upstairs.default_session, graphs.upstairs.session = get_default_session, Session

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


class _TrainingRun(Run):
    """What stands for the tensors and variables of a graph while Keras trains in it.

    Variables that have no value are initialized. Tensors that layers keep are computed where they are used.
    """

    def __init__(self, session):
        super().__init__(session.graph, session._state, {})
        self._session = session

    def variable(self, variable):
        if not self.has(variable):
            with init_scope():
                self._session.run(variable.initializer)
        return super().variable(variable)

    def value_of(self, tensor):
        if tensor in self.values:
            return self.values[tensor]
        inner = _TrainingRun(self._session)
        with graphs.computing(inner):
            for op in in_order(needed([tensor], ())):
                inner.compute(op)
        return inner.values[tensor]

    def fetched(self, tensors):
        """NumPy values of a nest of tensors of the graph."""
        return self._session.run(tensors)


def training():
    """A context in which Keras trains, evaluates or predicts in a graph: with the values that its session holds."""
    return graphs.computing(_TrainingRun(get_session()))


graphs.upstairs.training = training

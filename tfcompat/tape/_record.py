"""`GradientTape`: records operations for automatic differentiation."""
import contextlib
import enum
import functools
import logging

from tfcompat import engine, nest
from tfcompat._indexed_slices import IndexedSlices
from tfcompat._tensor import Tensor, dtype_of, wrap
from tfcompat._variable import Variable
from tfcompat.tape import _reverse

_log = logging.getLogger("tensorflow")


class UnconnectedGradients(enum.Enum):
    """What `gradient` returns for a source without a path to the target. TF: `tf.UnconnectedGradients`."""

    NONE = "none"
    ZERO = "zero"


class GradientTape:
    """Records operations for automatic differentiation.

    Args:
      persistent: whether `gradient` and `jacobian` may be called more than once.
      watch_accessed_variables: whether trainable variables are watched when they are read.

    TF: `tf.GradientTape`.
    """

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        self._spent = False
        self._clear()

    def _clear(self):
        self._records = []
        self._watched = set()
        self._variables = {}  # id -> variable, in the order in which they were watched
        self._reads = {}      # id -> {node: None}: the values under which it was read

    # --- recording ------------------------------------------------------------------------------------------------

    def __enter__(self):
        self._start()
        return self

    def __exit__(self, typ, value, traceback):
        if self._recording:
            self._stop()

    def _start(self):
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        state = engine.state
        if not state.watchers:
            engine.cut()
        if not self._persistent:
            self._clear()
            self._spent = False
        state.watchers = (*state.watchers, self)
        self._recording = True

    def _stop(self):
        if not self._recording:
            raise ValueError("Tape is not recording.")
        state = engine.state
        state.watchers = tuple(w for w in state.watchers if w is not self)
        self._recording = False

    def observe(self, call, inputs, outputs):
        """Records an operation with a watched input."""
        watched = self._watched
        if not watched.isdisjoint(inputs):
            self._records.append((call, inputs, outputs))
            if len(outputs) == 1:
                watched.add(outputs[0])
            else:
                watched.update([node for node in outputs if node.aval.inexact])

    def variable_accessed(self, variable, node):
        """A variable was read: watches the value, if the variable is to be watched."""
        if node in self._watched:
            return
        if variable._trainable and self._watch_accessed_variables or id(variable) in self._variables:
            self._watch_variable(variable, node)

    def _watch_variable(self, variable, node):
        self._variables[id(variable)] = variable
        if node.aval.inexact:
            self._watched.add(node)
            self._reads.setdefault(id(variable), {})[node] = None

    def watch(self, tensor):
        """Records what happens to `tensor` from now on.

        Args:
          tensor: Tensor, Variable, or a nest of them.

        Raises:
          ValueError: something else is found.
        """
        for x in nest.flatten(tensor, expand_composites=True):
            if isinstance(x, Variable):
                if not (x.dtype.is_floating or x.dtype.is_complex):
                    _warn_dtype(x.dtype)
                self._watch_variable(x, x._current_node())
            elif isinstance(x, Tensor):
                if x._node.aval.inexact:
                    self._watched.add(x._node)
                else:
                    _warn_dtype(x.dtype)
            else:
                raise ValueError(
                    f"Passed in object {x} of type {type(x).__name__!r}, not tf.Tensor or tf.Variable or ExtensionType."
                )

    @contextlib.contextmanager
    def stop_recording(self):
        """Suspends the recording in its context.

        Raises:
          RuntimeError: the tape is not recording.
        """
        if not self._recording:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        state = engine.state
        outer = state.watchers
        state.watchers = tuple(w for w in outer if w is not self)
        self._recording = False
        try:
            yield
        finally:
            state.watchers = outer
            self._recording = True

    def reset(self):
        """Forgets what was recorded, and what was watched."""
        self._clear()

    def watched_variables(self):
        """The variables watched so far, in the order in which they were first watched."""
        return tuple(self._variables.values())

    # --- derivatives ----------------------------------------------------------------------------------------------

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):
        """Derivatives of the sum of `target` with respect to `sources`.

        Args:
          target: Tensor or Variable, or a nest of them, to be differentiated.
          sources: Tensor or Variable, or a nest of them.
          output_gradients: cotangents of the targets, one for each; ones by default.
          unconnected_gradients: UnconnectedGradients, for sources without a path to the target.

        Returns:
          Nest like `sources`: a tensor of the source's shape and dtype, IndexedSlices (for `tf.gather`), or None.

        Raises:
          RuntimeError: second use of a non-persistent tape.
          ValueError: `unconnected_gradients` is unknown; `target` is not of tensors.
          LookupError: an op on the path has no gradient.

        TF: `tf.GradientTape.gradient`.
        """
        self._begin_use("gradient")
        unconnected_gradients = _unconnected(unconnected_gradients)
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or "
                "CompositeTensors to be differentiated, but received None."
            )
        flat_sources = _flat_sources(sources)
        given = [None] if output_gradients is None else nest.flatten(output_gradients)
        targets = _flat_targets(target)
        if output_gradients is None:
            given = [None] * len(targets)
        elif len(given) != len(targets):
            raise ValueError(
                f"Length of output_gradients ({len(given)}) must match the number of targets ({len(targets)})"
            )
        seeds = [self._seed(t, g) for t, g in zip(targets, given, strict=True)]
        source_nodes = [self._nodes_of(s) for s in flat_sources]
        with self._differentiating():
            found = _reverse.backward(
                self._records, [s for s in seeds if s is not None], {n for nodes in source_nodes for n in nodes}
            )
            flat = [
                _total([found[n] for n in nodes if n in found], source, unconnected_gradients)
                for nodes, source in zip(source_nodes, flat_sources, strict=True)
            ]
        self._end_use()
        return nest.pack_sequence_as(sources, flat)

    def jacobian(self, target, sources, unconnected_gradients=UnconnectedGradients.NONE, parallel_iterations=None,
                 experimental_use_pfor=True):  # fmt: skip
        """Derivatives of every element of `target` with respect to `sources`.

        Args:
          target: Tensor to be differentiated.
          sources: Tensor or Variable, or a nest of them.
          unconnected_gradients: UnconnectedGradients, for sources without a path to the target.
          parallel_iterations: accepted for compatibility; rows are computed all together, or one after another.
          experimental_use_pfor: True computes all rows at once, vectorized; False one after another, with the same
            numbers and less memory.

        Returns:
          Nest like `sources` of tensors of shape target.shape + source.shape, or None.

        Raises:
          RuntimeError: second use of a non-persistent tape.
          ValueError: `target` is not a tensor.

        TF: `tf.GradientTape.jacobian`.
        """
        self._begin_use("jacobian")
        unconnected_gradients = _unconnected(unconnected_gradients)
        flat_sources = _flat_sources(sources)
        node = _target_node(target, "jacobian")
        if not node.aval.inexact:
            _warn_target(dtype_of(node))
            rows = [None] * len(flat_sources)
        else:
            with self._differentiating():
                nodes = [self._nodes_of(s) for s in flat_sources]
                rows = _reverse.jacobian(self._records, node, nodes, bool(experimental_use_pfor))
        self._end_use()
        flat = [
            _filled(row, node.aval.shape + _source_shape(source), source, unconnected_gradients)
            for row, source in zip(rows, flat_sources, strict=True)
        ]
        return nest.pack_sequence_as(sources, flat)

    def batch_jacobian(self, target, source, unconnected_gradients=UnconnectedGradients.NONE, parallel_iterations=None,
                       experimental_use_pfor=True):  # fmt: skip
        """Derivatives of each row of `target` with respect to the same row of `source`.

        Args:
          target: Tensor of shape [b, y1, ...]; row i must depend on row i of `source` alone.
          source: Tensor of shape [b, x1, ...].
          unconnected_gradients, parallel_iterations, experimental_use_pfor: as for `jacobian`.

        Returns:
          Tensor of shape [b, y1, ..., x1, ...], or None where there is no path.

        Raises:
          RuntimeError: second use of a non-persistent tape.
          ValueError: the first dimensions differ, or a rank is below 1.

        TF: `tf.GradientTape.batch_jacobian`.
        """
        self._begin_use("batch_jacobian")
        unconnected_gradients = _unconnected(unconnected_gradients)
        node = _target_node(target, "batch_jacobian")
        shape, source_shape = node.aval.shape, _source_shape(source)
        if not shape or not source_shape or shape[0] != source_shape[0]:
            raise ValueError(
                f"Need first dimension of target shape ({wrap(node).shape}) and source shape ({source.shape}) to match."
            )
        with self._differentiating():
            row = _reverse.batch_jacobian(self._records, node, self._nodes_of(source), bool(experimental_use_pfor))
        self._end_use()
        return _filled(row, shape + source_shape[1:], source, unconnected_gradients)

    def _begin_use(self, method):
        if self._spent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
            )
        if self._recording:
            if not self._persistent:
                self._stop()
            else:
                _warn_persistent(method)

    def _end_use(self):
        if not self._persistent:
            self._clear()
            self._spent = True

    @contextlib.contextmanager
    def _differentiating(self):
        """A tape that is still recording sees its own backward pass, as in TF, but reads a fixed list of records."""
        records = self._records
        if self._recording:
            self._records = list(records)
            try:
                yield
            finally:
                added = self._records[len(records):]
                self._records = records + added
        else:
            yield

    def _nodes_of(self, source):
        if isinstance(source, Variable):
            return list(self._reads.get(id(source), ()))
        return [source._node] if source._node in self._watched else []

    def _seed(self, target, given):
        if isinstance(target, Variable):
            node = target._current_node()
        else:
            node = target._node
        if not node.aval.inexact:
            _warn_target(dtype_of(node))
            return None
        if given is None:
            return node, _reverse.ones_like(node)
        from tfcompat._convert import to_node

        cotangent = to_node(given, hint=dtype_of(node))
        if cotangent.aval.shape != node.aval.shape:
            from tfcompat.array import broadcast_to

            cotangent = broadcast_to(wrap(cotangent), node.aval.shape)._node
        return node, cotangent


def _unconnected(value):
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None


def _flat_sources(sources):
    flat = nest.flatten(sources)
    for s in flat:
        if not isinstance(s, Tensor | Variable):
            raise ValueError(
                f"Sources must be tf.Tensor or tf.Variable objects, got {s!r} of type {type(s).__name__}"
                " (TF: Received a list or dict of non-tensors)."
            )
    return flat


def _flat_targets(target):
    targets = []
    for t in nest.flatten(target):
        if isinstance(t, IndexedSlices):
            t = t.values
        if isinstance(t, Tensor | Variable):
            targets.append(t)
        else:
            from tfcompat._convert import convert_to_tensor

            targets.append(convert_to_tensor(t))
    return targets


def _target_node(target, method):
    if isinstance(target, Tensor):
        return target._node
    if isinstance(target, Variable):
        return target._current_node()
    from tfcompat._convert import to_node

    return to_node(target)


def _source_shape(source):
    node = source._current_node() if isinstance(source, Variable) else source._node
    return node.aval.shape


def _total(parts, source, unconnected_gradients):
    """The gradient of one source from those of its reads."""
    if parts:
        total = functools.reduce(_reverse._sum, parts)
        return total if type(total) is IndexedSlices else wrap(total)
    if unconnected_gradients is UnconnectedGradients.ZERO:
        node = source._current_node() if isinstance(source, Variable) else source._node
        return wrap(_reverse.zeros_like(node))
    return None


def _filled(node, shape, source, unconnected_gradients):
    """The jacobian of one source; zeros where it has no path and zeros are asked for."""
    if node is not None:
        return wrap(node)
    if unconnected_gradients is UnconnectedGradients.ZERO:
        attributes = engine.attributes_of(shape, source.dtype.np)
        return wrap(engine.apply(_reverse._ZEROS, (), attributes))
    return None


@functools.cache
def _warn_dtype(dtype):
    _log.warning("The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", dtype)


@functools.cache
def _warn_target(dtype):
    _log.warning(
        "The dtype of the target tensor must be floating (e.g. tf.float32) when calling GradientTape.gradient, got %r",
        dtype,
    )


@functools.cache
def _warn_persistent(method):
    _log.warning(
        "Calling GradientTape.%s on a persistent tape inside its context is significantly less efficient than calling "
        "it outside the context (it causes the gradient ops to be recorded on the tape, leading to increased CPU and "
        "memory usage). Only call GradientTape.%s inside the context if you actually want to trace the gradient in "
        "order to compute higher order derivatives.", method, method,
    )  # fmt: skip

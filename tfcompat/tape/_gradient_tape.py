"""`GradientTape`: records operations for automatic differentiation."""
import contextlib
import enum
import math
from typing import Any

from tfcompat import engine, nest
from tfcompat._core import graphs
from tfcompat._core.convert import to_node
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.tensor import EagerTensor, Tensor, dtype_of, shape_of, wrap
from tfcompat._core.variable import ResourceVariable, Variable, variable_read
from tfcompat._native import hand_over, handed_over, twin
from tfcompat._package.logging import warn_first
from tfcompat.errors import InvalidArgumentError
from tfcompat.tape import _higher, _jacobian, _reverse, _walk
from tfcompat.tape._explain import draw as _draw
from tfcompat.tape._explain import gradient as _explain_gradient
from tfcompat.tape._nests import as_source, flat_tensors, has_composites, packed_like

_NOTHING = contextlib.nullcontext()
_NOT_FLOATING = "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r"
_INSIDE_ITS_CONTEXT = (
    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient than "
    "calling it outside the context (it causes the gradient ops to be recorded on the tape, leading to increased CPU "
    "and memory usage). Only call GradientTape.gradient inside the context if you actually want to trace the gradient "
    "in order to compute higher order derivatives."
)


@handed_over
class UnconnectedGradients(enum.Enum):
    """What `gradient` returns for a source without a path to the target. TF: `tf.UnconnectedGradients`."""

    NONE = "none"
    ZERO = "zero"


@handed_over
class GradientTape(_explain_gradient.ExplainsGradients, _draw.Draws, _higher.TakesHigherDerivatives):
    """Records operations for automatic differentiation.

    Args:
      persistent: whether `gradient` and `jacobian` may be called more than once.
      watch_accessed_variables: whether trainable variables are watched when they are read.

    TF: `tf.GradientTape`.
    """

    # What is looked at for each operation; a tape takes other attributes as well.
    __slots__ = (
        "_persistent", "_watch_accessed_variables", "_recording", "_usable", "_used", "_records", "_watched",
        "_variables", "_reads",
    )  # fmt: skip

    @twin
    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent = bool(persistent)
        self._watch_accessed_variables = bool(watch_accessed_variables)
        self._recording = False
        self._usable = False  # entered, and not used up by `gradient`
        self._used = {}       # the variables watched, once it is used up
        self._clear()

    def _clear(self):
        self._records = []
        self._watched = set()
        self._variables = {}  # id -> variable, in the order in which they were watched
        self._reads = {}      # id -> {node: None}: the values under which it was read

    # --- recording ------------------------------------------------------------------------------------------------

    @twin
    def __enter__(self):
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        if not engine.state.context.watchers:
            engine.next_iteration()
        self._usable = True
        self._push()
        return self

    @twin
    def __exit__(self, typ, value, traceback):
        # One that was used up in code that was captured has stayed around it.
        context = engine.state.context
        context.watchers = tuple([w for w in context.watchers if w is not self])
        self._recording = False

    # These two have TF's names: programs call them where a context does not fit.

    _push_tape = __enter__

    def _pop_tape(self):
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self.__exit__(None, None, None)

    def _push(self):
        context = engine.state.context
        context.watchers = (*context.watchers, self)
        self._recording = True

    @twin
    def observe(self, call, inputs, outputs):
        """Records an operation with a watched input."""
        watched = self._watched
        if not watched.isdisjoint(inputs):
            if call.depends is not None:
                connected = _reverse.connected(call, inputs, outputs, watched)
                if connected:
                    self._records.append((call, inputs, outputs))
                    watched.update(connected)
                return
            self._records.append((call, inputs, outputs))
            if len(outputs) == 1:
                watched.add(outputs[0])
            else:
                watched.update([node for node in outputs if node.aval.inexact])

    @twin
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
        if type(tensor) is EagerTensor and tensor._node.aval.inexact:
            self._watched.add(tensor._node)
            return
        for x in map(variable_read, nest.flatten(tensor, expand_composites=True)):
            if graphs.state.run is not None:
                x = graphs.resolved(x)
            if isinstance(x, graphs.Recorded):
                self._watched.add(x)
            elif isinstance(x, Variable):
                if not (x.dtype.is_floating or x.dtype.is_complex):
                    warn_first(5, _NOT_FLOATING, x.dtype)
                self._watch_variable(x, x._current_node())
            elif isinstance(x, Tensor):
                if x._node.aval.inexact:
                    self._watched.add(x._node)
                else:
                    warn_first(5, _NOT_FLOATING, x.dtype)
            else:
                raise ValueError(
                    f"Passed in object {x} of type {type(x).__name__!r}, not tf.Tensor or tf.Variable or ExtensionType."
                )

    @contextlib.contextmanager
    def stop_recording(self):
        """Suspends the recording in its context.

        Raises:
          RuntimeError: the tape was never entered, or is used up.
          ValueError: the tape is not recording.
        """
        if not self._usable:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._pop_tape()
        try:
            yield
        finally:
            self._push()

    @contextlib.contextmanager
    def inside_a_part(self):
        """In the context a function, a loop's body or a branch is captured, where `gradient` may be called.

        What is seen there is forgotten: to the code around it is one operation.
        """
        outer = self._records, self._watched, self._variables, self._reads
        self._records, self._watched, self._variables = list(self._records), set(self._watched), dict(self._variables)
        self._reads = {key: dict(nodes) for key, nodes in self._reads.items()}
        try:
            yield
        finally:
            if self._usable:
                self._records, self._watched, self._variables, self._reads = outer

    def reset(self):
        """Forgets what was recorded, and what was watched.

        Raises:
          ValueError: the tape is not recording.
        """
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._clear()

    def watched_variables(self):
        """The variables watched so far, in the order in which they were made."""
        variables = self._variables if self._usable else self._used
        watched = tuple(sorted(variables.values(), key=lambda variable: variable._number))
        if engine.state.context.replica is None:
            return watched
        return tuple([getattr(variable, "_container", variable) for variable in watched])

    # --- derivatives ----------------------------------------------------------------------------------------------

    @twin
    def gradient(self, target, sources, output_gradients=None, unconnected_gradients=UnconnectedGradients.NONE) -> Any:
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
        self._begin_use()
        unconnected_gradients = _unconnected(unconnected_gradients)
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or "
                "CompositeTensors to be differentiated, but received None."
            )
        flat_sources = flat_tensors(sources, "sources")
        if graphs.current() is not None:
            targets = flat_tensors(target, "target")
            cotangents = None if output_gradients is None else nest.flatten(output_gradients)

            def gradients(xs, stopped):
                return graphs.upstairs.gradients(targets, xs, cotangents, stopped, unconnected_gradients)

            flat = self._recorded(targets, flat_sources, gradients)
            return packed_like(sources, flat_sources, flat)
        if type(target) is EagerTensor and output_gradients is None and target._node.aval.inexact:
            seeds, on_tape = [(target, None)], [(target._node, None)]
        else:
            seeds = _seeds(target, output_gradients)
            on_tape = [(target._node, cotangent) for target, cotangent in seeds if isinstance(target, Tensor)]
        source_nodes = [self._nodes_of(s) for s in flat_sources]
        with self._differentiating():
            totals = _walk.totals(self._records, on_tape, source_nodes)
            flat = []
            for total, nodes, source in zip(totals, source_nodes, flat_sources, strict=True):
                if not nodes or len(on_tape) < len(seeds):
                    total = _with_own_seeds(total, nodes, source, seeds)
                if total is not None:
                    flat.append(total if type(total) is IndexedSlices else wrap(total))
                else:
                    flat.append(_zeros(source) if unconnected_gradients is UnconnectedGradients.ZERO else None)
        self._end_use()
        result = packed_like(sources, flat_sources, flat)
        return nest.map_structure(as_source, sources, result) if has_composites(sources, flat_sources) else result

    @twin
    def jacobian(self, target, sources, unconnected_gradients=UnconnectedGradients.NONE, parallel_iterations=None,
                 experimental_use_pfor=True) -> Any:  # fmt: skip
        """Derivatives of every element of `target` with respect to `sources`.

        Args:
          target: Tensor to be differentiated.
          sources: Tensor or Variable, or a nest of them.
          unconnected_gradients: UnconnectedGradients, for sources without a path to the target.
          parallel_iterations: how many rows are computed at once, 2 or more; by default all.
          experimental_use_pfor: False computes one row after another, with the same numbers and less memory.

        Returns:
          Nest like `sources` of tensors of shape target.shape + source.shape, or None.

        Raises:
          RuntimeError: second use of a non-persistent tape, or `experimental_use_pfor=False` with one.
          AttributeError: `target` is not a tensor.
          ValueError: `parallel_iterations` is below 2.

        TF: `tf.GradientTape.jacobian`.
        """
        self._begin_use()
        unconnected_gradients = _unconnected(unconnected_gradients)
        flat_sources = flat_tensors(sources, "sources")
        if graphs.current() is not None:
            def jacobian(xs, stopped):
                return graphs.upstairs.jacobian(target, xs, stopped, unconnected_gradients)

            return packed_like(sources, flat_sources, self._recorded([target], flat_sources, jacobian))
        node = self._target_node(target)
        rows = math.prod(node.aval.shape)
        at_once = self._rows_at_once("jacobian", rows, parallel_iterations, experimental_use_pfor)
        if not node.aval.inexact:
            rows = [None] * len(flat_sources)
        else:
            with self._differentiating():
                nodes = [self._nodes_of(s) for s in flat_sources]
                rows = _jacobian.jacobian(self._records, node, nodes, at_once)
        self._end_use()
        flat = [
            _without_path(node.aval.shape + _source_shape(source), source, unconnected_gradients)
            if row is None else wrap(row)
            for row, source in zip(rows, flat_sources, strict=True)
        ]
        return packed_like(sources, flat_sources, flat)

    @twin
    def batch_jacobian(self, target, source, unconnected_gradients=UnconnectedGradients.NONE, parallel_iterations=None,
                       experimental_use_pfor=True) -> Any:  # fmt: skip
        """Derivatives of each row of `target` with respect to the same row of `source`.

        Args:
          target: Tensor of shape [b, y1, ...]; row i must depend on row i of `source` alone.
          source: Tensor of shape [b, x1, ...].
          unconnected_gradients, parallel_iterations, experimental_use_pfor: as for `jacobian`.

        Returns:
          Tensor of shape [b, y1, ..., x1, ...]; zeros where there is no path, whatever `unconnected_gradients`.

        Raises:
          RuntimeError: second use of a non-persistent tape, or `parallel_iterations` or
            `experimental_use_pfor=False` with one.
          ValueError: the first dimensions differ, or a rank is below 2.

        TF: `tf.GradientTape.batch_jacobian`.
        """
        self._begin_use()
        _unconnected(unconnected_gradients)
        if graphs.current() is not None:
            def batch_jacobian(xs, stopped):
                return graphs.upstairs.jacobian(target, xs, stopped, UnconnectedGradients.ZERO, of_rows=True)

            return self._recorded([target], [source], batch_jacobian)[0]
        node = self._target_node(target)
        target_shape = shape_of(node).with_rank_at_least(2)
        source_shape = source.shape.with_rank_at_least(2)
        if target_shape[0] != source_shape[0]:
            raise ValueError(
                f"Need first dimension of target shape ({target_shape}) and source shape ({source_shape}) to match."
            )
        rows = math.prod(node.aval.shape[1:])
        at_once = self._rows_at_once("batch_jacobian", rows, parallel_iterations, experimental_use_pfor)
        with self._differentiating():
            row = _jacobian.batch_jacobian(self._records, node, self._nodes_of(variable_read(source)), at_once)
        self._end_use()
        if row is not None:
            return wrap(row)
        shape = node.aval.shape + _source_shape(source)[1:]
        return _without_path(shape, wrap(node), UnconnectedGradients.ZERO)

    # --- where a graph is built -----------------------------------------------------------------------------------

    def _recorded(self, targets, flat_sources, derivative):
        """Derivatives as operations of the graph, which do not look at when the tape was recording.

        Args:
          targets, flat_sources: tensors and variables of the graph.
          derivative: function of some sources, and of the tensors taken for constants, to a list of derivatives.
        """
        watched = [x for x in flat_sources if self._sees(x)]
        others = [x for x in flat_sources if not self._sees(x)]
        results = dict(zip(watched, derivative(watched, []), strict=True))
        results.update(zip(others, derivative(others, targets) if others else (), strict=True))
        self._end_use()
        return [results[x] for x in flat_sources]

    def _sees(self, source):
        """Whether a tensor or variable of a graph is watched."""
        return source in self._watched or (
            isinstance(source, Variable) and source.trainable and self._watch_accessed_variables
        )

    def _begin_use(self):
        if not self._usable:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
            )
        if self._recording:
            if not self._persistent:
                self._pop_tape()
            else:
                warn_first(1, _INSIDE_ITS_CONTEXT)

    def _rows_at_once(self, method, rows, parallel_iterations, experimental_use_pfor):
        """How many of its `rows` a jacobian computes at once; None for all."""
        if not experimental_use_pfor:
            if not self._persistent and not engine.state.graph.symbolic:
                raise RuntimeError(
                    f"GradientTape must be created with persistent=True to compute the {method} with eager execution "
                    "enabled and with experimental_use_pfor set to False."
                )
            return 1
        if parallel_iterations is None:
            return None
        if parallel_iterations < 2:
            raise ValueError(
                f"GradientTape.{method}: parallel_iterations must be 2 or more, got {parallel_iterations}; pass "
                "experimental_use_pfor=False to compute one row after another."
            )
        if parallel_iterations < rows and not self._persistent:
            raise (ValueError if method == "jacobian" else RuntimeError)(
                f"GradientTape must be created with persistent=True to compute the {method} with parallel_iterations."
            )
        return int(parallel_iterations)

    def _target_node(self, target):
        """The node of a jacobian's target; a variable is read by the tape."""
        _ = target.shape  # AttributeError for what is no tensor, as in TF
        node = to_node(target)
        if isinstance(target, Variable) and not self._recording:
            self.variable_accessed(target, node)
        return node

    def _end_use(self):
        if not self._persistent:
            self._used = self._variables
            self._clear()
            self._usable = False

    def _differentiating(self):
        """A tape that is still recording sees its own backward pass, as in TF, but reads a fixed list of records."""
        return self._seeing_itself() if self._recording else _NOTHING

    @contextlib.contextmanager
    def _seeing_itself(self):
        records = self._records
        self._records = list(records)
        try:
            yield
        finally:
            added = self._records[len(records):]
            self._records = records + added

    def _nodes_of(self, source):
        if type(source) is ResourceVariable or isinstance(source, Variable):
            return self._reads.get(id(source), ())
        return [source._node] if source._node in self._watched else []


_explain_gradient.prepare(GradientTape)
hand_over(
    unconnected_none=UnconnectedGradients.NONE, kinds_of_jacobian=_jacobian.KINDS,
    kinds_of_batch_jacobian=_jacobian.KINDS_BY_ROW,
)  # fmt: skip


def _seeds(target, output_gradients):
    """[(target, cotangent node or None for ones)] for each differentiable target in a nest."""
    targets = flat_tensors(target, "target")
    cotangents = [None] * len(targets)
    if output_gradients is not None:
        flat = nest.flatten(output_gradients)
        if len(flat) != len(targets):
            raise ValueError(
                f"Length of output_gradients ({len(flat)}) must match the number of targets ({len(targets)})"
            )
        cotangents = [to_node(g, hint=t.dtype) for t, g in zip(targets, flat, strict=True)]
    return [seed for t, g in zip(targets, cotangents, strict=True) if (seed := seed_of(t, g)) is not None]


def seed_of(target, cotangent):
    """(target, cotangent node or None for ones); None for a target that is not differentiable."""
    node = target._node if isinstance(target, Tensor) else target._current_node()
    if not node.aval.inexact:
        return None
    if cotangent is None:
        return target, None
    if cotangent.aval.dtype != node.aval.dtype:
        raise InvalidArgumentError(
            None, None,
            f"output_gradients must have the dtype of the target, {target.dtype!r}, got {dtype_of(cotangent)!r}",
        )  # fmt: skip
    if cotangent.aval.shape != node.aval.shape:
        cotangent = _reverse.broadcast(cotangent, node.aval.shape)
    return target, cotangent


def _with_own_seeds(total, nodes, source, seeds):
    """`total` and the cotangents of targets that are the source itself: a variable, or a tensor not on the tape."""
    for target, cotangent in seeds:
        if target is source if isinstance(source, Variable) else (
            not nodes and isinstance(target, Tensor) and target._node is source._node
        ):
            seed = _reverse.ones_like(_node_of(target)) if cotangent is None else cotangent
            total = seed if total is None else _reverse.add(total, seed)
    return total


def _node_of(source):
    return source._current_node() if isinstance(source, Variable) else source._node


def _zeros(source):
    return wrap(_reverse.zeros_like(_node_of(source)))


def _unconnected(value):
    if type(value) is UnconnectedGradients:
        return value
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None


def _source_shape(source):
    return _node_of(source).aval.shape


def _without_path(shape, like, unconnected_gradients):
    """The jacobian of a source without a path: zeros of the dtype of `like` where they are asked for."""
    if unconnected_gradients is UnconnectedGradients.ZERO:
        return wrap(engine.apply(_reverse._ZEROS, (), engine.attributes_of(shape, like.dtype.np)))
    return None

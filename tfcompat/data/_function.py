"""Functions of elements: `map`, `filter` and the like.

A function of tensors of known shapes is traced once, as by `tf.function`, and compiled as a function of host arrays:
over a whole block at once if it has no state (`jax.vmap`), in turn if it draws random numbers. Where that is not
possible (text, sizes that depend on values, calls of Python, datasets made in it) it is called for each element.
"""

import threading
from typing import Any

import jax
import numpy as np

from tfcompat import dtypes, engine, nest
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.spec import TensorSpec
from tfcompat._core.stacks import InTurn
from tfcompat._core.steps import all_steps
from tfcompat._core.streams import Frame, entered, frame
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.trial import Trial, first_call, second_call, variables_restored
from tfcompat._tracing.assertions import Report
from tfcompat._tracing.captured import as_of_now
from tfcompat._tracing.eagerly import RunsEagerly, needs_values
from tfcompat._tracing.elements import calling_for_elements, tracing_for_elements
from tfcompat._tracing.status import Status, conversion_status
from tfcompat.array import gather
from tfcompat.autograph._entry import run as run_converted
from tfcompat.data import _block
from tfcompat.data._block import Block
from tfcompat.data._columns import Columns, composites
from tfcompat.data._dataset_spec import DatasetSpec, empty
from tfcompat.data._element import (
    NoneTensorSpec,
    flatten,
    form,
    is_dense,
    is_known,
    normalized,
    on_host,
    pack,
    spec_of,
    tensor,
)  # fmt: skip
from tfcompat.engine._policy import DATASETS
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.function._trace import ConcreteOperation, place_of
from tfcompat.ragged._tensor import RaggedTensor, RaggedTensorSpec
from tfcompat.random._seed import KernelState, global_seed
from tfcompat.sparse import SparseTensor

_lock = threading.RLock()  # held in calls of functions with variables, which must not overlap


class _own_graph:
    """A context with a pending graph of its own, which no tape sees. The user's graph is not touched.

    Args:
      on_host: whether ops compute with NumPy where they can: a program for each size would have to be compiled.
    """

    def __init__(self, on_host=False):
        self._on_host = on_host

    def __enter__(self):
        state = engine.state
        self._outer = state.graph, state.pending, state.watchers
        state.graph = state.pending = engine.Graph()
        state.graph.on_host = self._on_host
        state.watchers = ()
        self._status = conversion_status.set_to(Status.DISABLED)
        self._status.__enter__()

    def __exit__(self, *exc):
        self._status.__exit__(*exc)
        engine.state.graph, engine.state.pending, engine.state.watchers = self._outer


class _Arguments:
    """The arguments that `ConcreteOperation` takes. Here all are tensors: the components of an element."""

    variables = nodes = ()

    def __init__(self, avals):
        self.avals = avals

    def filled(self, tensors):
        return tuple(tensors), {}


class _Traced:
    """A function traced for elements of given shapes.

    Args:
      function: of a tuple of tensors.
      avals: of these.
      name: for messages.
      random_states: what its random ops share with those of traces for other shapes, see `_streams.Frame`.

    Attributes:
      template: structure of its result.
      is_pure: whether it reads and changes no state.
      is_drawn: whether its only state is that of random numbers.
    """

    def __init__(self, function, avals, name, random_states):
        results: Any = []

        def flat(*tensors):
            result = function(tensors)
            results.append(result)
            return flatten(result)

        with tracing_for_elements.set_to(True), all_steps(), engine.eager_scope():
            concrete = self._concrete = ConcreteOperation(
                flat, _Arguments(avals), name, False, random_states=random_states
            )
        self.template = results[-1]
        leaves = flatten(self.template)
        if not all(isinstance(leaf, Tensor | SparseTensor | RaggedTensor) for leaf in leaves):
            raise UnimplementedError(None, None, "results that are not known as arrays")
        self.specs = [TensorSpec(x.shape, x.dtype) if isinstance(x, Tensor) else spec_of(x) for x in leaves]
        self._states = [v for v in concrete.variables if isinstance(v, KernelState)]
        others = [v for v in concrete.variables if not isinstance(v, KernelState | Report)]
        only_assigned = [v for v in concrete.assigned if all(v is not known for known in concrete.variables)]
        self._changing = [*concrete.variables, *only_assigned]
        self.is_pure = not self._states and not others and not concrete._effects
        self.is_drawn = not self.is_pure and not others and not concrete._effects
        self.columns = self._advance = None
        parts = [x._node for x in nest.flatten(leaves, expand_composites=True)]
        self._composites = not all(isinstance(leaf, Tensor) for leaf in leaves)
        if concrete.operation.step is None and self._composites:
            raise UnimplementedError(None, None, "results that are not known as arrays")
        if concrete.operation.step is not None or any(part.aval.dtype.hasobject for part in parts):
            is_fit = self.is_pure or self.is_drawn and _are_simple(random_states)
            if not is_fit or concrete.operation.step is None or jax.default_backend() != "cpu":
                raise UnimplementedError(None, None, "what cannot be compiled as a whole")
            self.columns = Columns(concrete.operation)
            self._known_texts = [x.value if x.aval.dtype.hasobject else None for x in parts]
        self._captured = None
        self._is_new = True  # not yet worth compiling
        self._compiled = {}  # rows -> compiled function
        self._single = None
        known = [s for s in self.specs if s.shape.is_fully_defined() and s.dtype is not dtypes.string]
        self._bytes = sum(int(np.prod(s.shape.as_list())) * s.dtype.size for s in known)

    def rows(self, size):
        """The largest number of rows to compute at once for `size` rows."""
        return max(1, min(size, DATASETS.block_bytes // max(self._bytes, 1)))

    def _captures(self):
        if self._captured is None:
            with _own_graph():
                self._captured = [engine.array_of(node) for node in self._concrete.captures]
        return self._captured

    def block(self, run, columns, size):
        """The results for `size` elements, as columns.

        Raises:
          InTurn: they must be computed by calls for each element.
        """
        if self.columns is not None:
            return self._in_columns(run, columns)
        if self._is_new and (self.is_pure or self.is_drawn):
            results = self._played(run, columns, size)
            if results is not None:
                return results
            self._is_new = False
        if self.is_pure and not engine.is_forked():
            return self._mapped(run, columns, size)
        if self.is_drawn and not engine.is_forked():
            return self._drawn(run, columns, size)
        rows = [self._called(run, [c[i, ...] for c in columns]) for i in range(size)]
        return [np.stack(column) for column in zip(*rows, strict=True)]

    def _in_columns(self, run, columns):
        concrete = self._concrete
        with _own_graph():
            others = [engine.conditions.NO_REPORT for _ in concrete.variables]
            for place, states in self._states_of_rows(run, columns):
                others[place] = states
            results = self.columns(columns, [*others, *concrete.captures])
        count = len(results) - len(concrete.assigned)
        results, after = results[:count], [*zip(concrete.assigned, results[count:], strict=True)]
        for variable, column in after:
            for broken in np.flatnonzero(column[:, 0])[:1] if isinstance(variable, Report) else ():
                raise engine.conditions.error_of(column[broken])
        for variable, column in after:
            if not isinstance(variable, Report):
                run.set_random_state(variable, np.array(column[-1]))
        computed, size = iter(results), len(columns[0])
        parts = [next(computed) if x is None else np.broadcast_to(x, (size, *x.shape)) for x in self._known_texts]
        if not self._composites:
            return parts
        rest = iter(parts)
        return [next(rest) if isinstance(x, Tensor) else composites(x, rest) for x in flatten(self.template)]

    def _states_of_rows(self, run, columns):
        """Yields (place among the variables, the states before each element) for each state of random numbers."""
        concrete, first, size = self._concrete, len(columns), len(columns[0])
        places = [i for i, v in enumerate(concrete.variables) if isinstance(v, KernelState)]
        if not places:
            return
        if self._advance is None:
            results = {id(v): -i for i, v in enumerate(reversed(concrete.assigned), 1)}
            changes = {first + i: results[id(concrete.variables[i])] for i in places}
            shared = dict(enumerate(concrete.captures, first + len(concrete.variables)))
            self._advance = jax.jit(self.columns.states_before(changes, shared), static_argnums=1)
        states = tuple(run.random_state(concrete.variables[i]) for i in places)
        yield from zip(places, _on_host(self._advance, [states, size]), strict=True)

    def _played(self, run, columns, size):
        """The results for `size` elements, computed by NumPy one by one; None if the function is worth compiling."""
        concrete, captures, count = self._concrete, list(map(np.asarray, self._captures())), len(self.specs)
        places = [place_of(v, self._changing) for v in concrete.assigned]
        states, read = self._states_before(run), len(concrete.variables)
        rows, after = [], []
        with _own_graph(), np.errstate(all="ignore"):
            for i in range(size):
                if not engine.is_cold(concrete.operation, size - i):
                    return None
                results = engine.play(concrete.operation, [*(c[i, ...] for c in columns), *states[:read], *captures])
                for place, value in zip(places, results[count:], strict=True):
                    states[place] = value
                rows.append(results[:count])
                after.append(tuple(states))
        self._go_on_from(run, self._changing, zip(*after, strict=True))
        return [np.stack(column) for column in zip(*rows, strict=True)]

    def _states_before(self, run):
        """The values of what the function changes: states of random numbers, reports."""
        none = engine.conditions.NO_REPORT.value
        return [none if isinstance(v, Report) else run.random_state(v) for v in self._changing]

    def _go_on_from(self, run, variables, after):
        """Notes the states that calls for elements have left; raises the error of a report.

        Of several elements one has failed then. They will be computed by themselves, so no state changes.

        Args:
          variables: that have changed.
          after: for each of them its values after each element.
        """
        pairs = [*zip(variables, map(list, after), strict=True)]
        reports = [report for variable, states in pairs for report in states if isinstance(variable, Report)]
        broken = [report for report in reports if report[0]]
        for variable, states in pairs:
            if not isinstance(variable, Report) and (len(states) == 1 or not broken):
                run.set_random_state(variable, np.array(states[-1]))
        if broken:
            raise engine.conditions.error_of(broken[0])

    def _mapped(self, run, columns, size):
        concrete, count = self._concrete, len(self.specs)
        shared = [*self._states_before(run)[: len(concrete.variables)], *self._captures()]
        results = self._mapped_at_once(concrete.operation.fn, columns, shared, size)
        self._go_on_from(run, concrete.assigned, results[count:])
        return results[:count]

    def _mapped_at_once(self, fn, columns, captures, size):
        if size == 1:
            if self._single is None:
                self._single = _compiled((self._concrete.operation, "one"), lambda *a: fn(*a))
            results = _on_host(self._single, [*(c[0, ...] for c in columns), *captures])
            return [r[None] for r in results]
        room = min((n for n in self._compiled if n >= size), default=None)
        if room is None:
            room = size
            over = [0] * len(columns) + [None] * len(captures)
            key = self._concrete.operation, "rows", room, len(columns)
            self._compiled[room] = _compiled(key, jax.vmap(fn, in_axes=over, axis_size=size))
        results = _on_host(self._compiled[room], [*(_filled(c, room) for c in columns), *captures])
        return [r[:size] for r in results]

    def _drawn(self, run, columns, size):
        """Computes row by row in one program, which hands on the state of random numbers."""
        concrete, captures = self._concrete, self._captures()
        count, read = len(self.specs), len(concrete.variables)
        places = [place_of(v, self._changing) for v in concrete.assigned]
        room = min((n for n in self._compiled if n >= size), default=size)
        if room not in self._compiled:

            def scanned(states, columns, captures):
                def turn(states, row):
                    results = concrete.operation.fn(*row, *states[:read], *captures)
                    states = list(states)
                    for place, value in zip(places, results[count:], strict=True):
                        states[place] = value
                    return tuple(states), (tuple(results[:count]), tuple(states))

                return jax.lax.scan(turn, states, columns)[1]

            key = concrete.operation, "turns", room, len(columns), count, tuple(places)
            self._compiled[room] = _compiled(key, scanned)
        filled = tuple(_filled(c, room) for c in columns)
        results, after = _on_host(self._compiled[room], [tuple(self._states_before(run)), filled, captures])
        self._go_on_from(run, self._changing, [states[:size] for states in after])
        return [r[:size] for r in results]

    def _called(self, run, leaves):
        with _lock, _own_graph():
            for v in self._states:
                v._node = engine.leaf(run.random_state(v))
            result: Any = self._concrete([engine.leaf(leaf) for leaf in leaves])
            result = result if isinstance(result, list) else [result]
            for v in self._states:
                run.set_random_state(v, engine.array_of(v._node))
            return [engine.array_of(x._node) for x in result]


_compiled_functions: dict = {}


def _compiled(key, function):
    """`function`, compiled, or the compiled function of an equal earlier dataset."""
    compiled = _compiled_functions.get(key)
    if compiled is None:
        compiled = _compiled_functions.setdefault(key, jax.jit(function))
        if len(_compiled_functions) > 256:
            _compiled_functions.pop(next(iter(_compiled_functions)), None)
    return compiled


def _on_host(function, arguments):
    with jax.enable_x64(True):
        if jax.default_backend() == "cpu":
            results = function(*arguments)
        else:
            with jax.default_device(jax.local_devices(backend="cpu")[0]):
                results = function(*arguments)
    return jax.tree.map(np.asarray, results)


def _filled(column, size):
    """The rows, and the last one again until there are `size`."""
    missing = size - len(column)
    return column if not missing else np.concatenate([column, np.repeat(column[-1:], missing, 0)])


class Mapped:
    """A user's function of the elements of a dataset.

    Args:
      dataset: whose elements it is called with.
      function: the user's.
      name: of the method, for messages.
      untraced: it is to be called for each element.
      state: for functions of (state, element): a structure of the state, or None.

    Raises:
      What `function` raises for elements of such shapes and dtypes, where these are known.
    """

    def __init__(self, dataset, function, name, untraced=False):
        if not callable(function):
            raise ValueError(f"`{name}`: {function!r} is not a callable object")
        self._dataset, self._function, self.name = dataset, function, name
        self._seed = global_seed()  # of random ops in functions that are called untraced
        self._traces: dict = {}
        self._random_states: dict = {}  # of all traces, which to TF are one
        self._seen: dict = {}  # avals -> how many elements of such shapes were called
        self._template: Any = None
        self._specs: Any = None
        self.is_called = untraced  # whether it is called for each element
        self._texts_seen = 0  # how many elements with text there were; 1 if there will be such
        specs = dataset._flat_specs() if not untraced and dataset._spec_is_known() else None
        if specs is not None and all(map(is_known, specs)):
            traced = self._trace([_aval(spec) for spec in specs])
            if traced is not None:
                self._specs = traced.specs
                return
        elif specs is not None and not all(map(is_dense, specs)):
            self.is_called = True
        elif specs is not None and any(s.dtype is dtypes.string for s in specs):
            self._texts_seen = 1
        self._function = as_of_now(function)  # calls are still to come

    def _call(self, leaves, converted):
        """The user's function of the components of an element."""
        element = pack(self._dataset._template(), leaves)
        arguments = element if type(element) is tuple else (element,)
        result = run_converted(self._function, None, arguments, {}) if converted else self._function(*arguments)
        return normalized(tuple(result) if isinstance(result, list) else result)

    def _trace(self, avals):
        """The function traced for such components; None if it must be called for each element from now on."""
        avals = tuple(avals)
        traced = self._traces.get(avals)
        if traced is None:
            try:
                traced = self._newly_traced(avals)
            except RunsEagerly:
                self.is_called = True
                return None
            except Exception as error:
                # Where the dataset does not tell shapes, TF finds out about such an error when it meets the element.
                if self._dataset._spec_is_known() and all(map(is_known, self._dataset._flat_specs())):
                    self._check(error, avals)
                self.is_called = True
                return None
            self._traces[avals] = traced
            self._template = traced.template
        return traced

    def _newly_traced(self, avals):
        def converted(leaves):
            frame().seed = self._seed
            return self._call(leaves, True)

        return _Traced(converted, avals, self.name, self._random_states)

    def _check(self, error, avals):
        """Raises `error` if the function also fails for known values, such as zeros."""
        if isinstance(error, UnimplementedError | NotImplementedError) or needs_values(error):
            return
        try:
            with engine.eager_scope():
                self._called([wrap(engine.leaf(np.zeros(a.shape, a.dtype))) for a in avals], {})
        except Exception as again:
            if type(again) is type(error) or isinstance(error, ValueError | TypeError):
                raise error from None

    def _called(self, leaves, random_states):
        """The user's function, called untraced. `random_states` is for its random ops; see `_core/streams.Frame`."""
        frame = Frame(None, random_states)
        frame.seed = self._seed
        with _own_graph(on_host=True), entered(frame):
            return self._call(leaves, False)

    def call(self, run, leaves):
        """The components of the function's result for those of one element."""
        with calling_for_elements.set_to(True):
            inputs = [tensor(leaf) for leaf in leaves]
            if self._random_states and (not self.is_called or _are_simple(self._random_states)):
                result = self._called_among_traces(run, inputs)
            else:
                states = run.random_states(self)
                result = self._called(inputs, states)
                if states and not self.is_called:
                    self._share(run, states)
            if self._template is None:
                self._template = result
            elif form(result) != form(self._template):
                raise TypeError(f"`{self.name}`: the function returned {result}, before it returned {self._template}")
            return [on_host(leaf) for leaf in flatten(result)]

    def _share(self, run, random_states):
        """Makes the states of random ops that were just called those of all traces, if these can go on with them."""
        if not _are_simple(random_states):
            self.is_called = True
            return
        self._random_states.update(random_states)
        for state in random_states.values():
            run.set_random_state(state, engine.array_of(state._node))

    def _called_among_traces(self, run, inputs):
        """As `_called`, with the random numbers that traces continue."""
        with _lock:
            for state in self._kernel_states():
                state._node = engine.leaf(run.random_state(state))
            result = self._called(inputs, self._random_states)
            for state in self._kernel_states():
                run.set_random_state(state, engine.array_of(state._node))
        return result

    def _kernel_states(self):
        return [state for state in self._random_states.values() if isinstance(state, KernelState)]

    def _comes_rarely(self, avals):
        """Whether to call the function for an element of these avals, although it can be traced."""
        if avals in self._traces or len(self._traces) < DATASETS.shapes_at_once:
            return False
        if not _are_simple(self._random_states):
            return False
        self._seen[avals] = seen = self._seen.get(avals, 0) + 1
        return seen <= DATASETS.elements_of_a_shape

    def blocks(self, run, block):
        """Yields the results for a block, with errors in their places."""
        if not self.is_called and any(type(c) is not np.ndarray for c in block.columns):
            # Elements of different shapes: each becomes a block of its own.
            for i in range(block.size):
                part = _block.single(block.row(i))
                if any(type(c) is not np.ndarray for c in part.columns):
                    self.is_called = True
                    yield self.one(run, block.row(i))
                else:
                    yield from self.blocks(run, part)
            return
        traced = None
        if not self.is_called:
            avals = tuple([engine.Aval(c.shape[1:], c.dtype) for c in block.columns])
            if any(aval.dtype.hasobject for aval in avals):
                self._texts_seen += block.size
                if block.size > 1 and self._texts_seen > DATASETS.elements_of_a_shape:
                    traced = self._trace(avals)
            elif not (block.size == 1 and self._comes_rarely(avals)):
                traced = self._trace(avals)
        if traced is None:
            for i in range(block.size):
                yield self.one(run, block.row(i))
            return
        step = traced.rows(block.size)
        for start in range(0, block.size, step):
            part = block.part(start, start + step)
            if part.size > 1 and not (traced.is_pure or traced.is_drawn):
                for i in range(part.size):
                    yield self._attempt(run, traced, part.part(i, i + 1))
                continue
            try:
                results = traced.block(run, part.columns, part.size)
            except InTurn:
                self.is_called, results = True, None
            except Exception:  # for instance an operation without a batching rule: compute each element by itself
                results = None
            if results is not None:
                yield Block(part.size, results)
                continue
            for i in range(part.size):
                yield self._attempt(run, traced, part.part(i, i + 1))

    def _attempt(self, run, traced, block):
        if traced.columns is not None:
            return self.one(run, block.row(0))
        try:
            return Block(1, traced.block(run, block.columns, 1))
        except Exception as error:
            return _block.failed(error)

    def one(self, run, leaves):
        """The block with the result of calling the function for one element."""
        try:
            return _block.single(self.call(run, leaves))
        except RunsEagerly:
            raise
        except StopIteration as error:
            return _block.failed(InvalidArgumentError(None, None, f"StopIteration: {error}"))
        except Exception as error:
            return _block.failed(error)

    def template(self):
        """The structure of the results."""
        if self._template is None:
            self._learn()
        return self._template

    def flat_specs(self):
        """The specs of the results' components."""
        self._learn()
        return self._specs

    def is_learnt(self):
        """Whether the specs are known without a trial."""
        return self._specs is not None and self._template is not None

    def _learn(self):
        if self._template is not None and self._specs is not None:
            return
        specs = self._trial()
        if specs is None:  # the first element will tell
            run = self._dataset._new_run(trial=True)
            for block in self._dataset._blocks(run, 1):
                if block.error is not None:
                    raise block.error
                specs = self._described(block.row(0), lambda leaves: self.call(run, leaves))
                break
            else:
                raise UnimplementedError(
                    None, None, f"`{self.name}`: the result of the function is unknown, since there are no elements"
                )
        self._specs = specs

    def _described(self, leaves, call):
        """Specs of the results for an element, by two calls; see `_core/trial`."""
        specs = self._dataset._flat_specs()
        with variables_restored():
            return self._of_both(leaves, specs, call)

    def _of_both(self, leaves, specs, call):
        with first_call() as first:
            results = call(leaves)
        others = [None] * len(results)
        if any(map(_has_sizes, results)):
            try:
                with second_call(first.python_results), calling_for_elements.set_to(True):
                    inputs = [tensor(_other(leaf, spec)) for leaf, spec in zip(leaves, specs, strict=True)]
                    others = [on_host(leaf) for leaf in flatten(self._called(inputs, {}))]
            except (Exception, RunsEagerly):
                pass  # then no size is known
        arguments = [*zip(leaves, specs, strict=True)]
        return [_spec_of_both(leaf, other, arguments) for leaf, other in zip(results, others, strict=True)]

    def _trial(self):
        """Specs by traces or calls with stand-ins, of two sizes where a size is unknown; None if that fails."""
        specs_in = self._dataset._flat_specs()
        trial_specs = []
        template: Any = None

        def called(leaves):
            nonlocal template
            template = self._called([tensor(x) for x in leaves], {})
            return [on_host(leaf) for leaf in flatten(template)]

        for size in (2, 3) if not all(map(is_known, specs_in)) else (2,):
            stand_ins = [_stand_in(spec, size) for spec in specs_in]
            if any(x is NotImplemented for x in stand_ins):
                return None
            try:
                numbers = all(type(x) is np.ndarray and not x.dtype.hasobject for x in stand_ins)
                if numbers and not self.is_called:
                    avals = [engine.Aval(x.shape, x.dtype) for x in stand_ins]
                    traced = self._traces.get(tuple(avals)) or self._newly_traced(avals)
                    template, specs = traced.template, traced.specs
                else:
                    with engine.eager_scope():
                        specs = self._described(stand_ins, called)
            except (Exception, RunsEagerly):
                return None
            trial_specs.append(specs)
            if not numbers or self.is_called:
                break  # they have tried other sizes already
        if len({form(template)}) != 1 or len(trial_specs[0]) != len(trial_specs[-1]):
            return None
        self._template = template
        try:
            return [
                a if a == b else a.most_specific_common_supertype([b])
                for a, b in zip(trial_specs[0], trial_specs[-1], strict=True)
            ]
        except AttributeError:
            return None


def _are_simple(random_states):
    """Whether traced and untraced calls can share states: they number ops in branches and functions differently."""
    return all(len(place) == 1 and isinstance(state, KernelState) for place, state in random_states.items())


_RESIZING = Trial(resizes=True)


def _other(leaf, spec):
    """A component with other sizes where `spec` tells none. Integers are changed, too, for they may be sizes."""
    if type(leaf) is not np.ndarray:
        return _resized_composite(leaf, spec)
    sizes = spec.shape.as_list() if spec.shape.rank is not None else [None] * leaf.ndim
    return _RESIZING.sized(leaf, [axis for axis, size in enumerate(sizes) if size is not None])


def _resized_composite(value, spec):
    """A ragged or sparse tensor with other sizes where `spec` tells none."""
    if isinstance(value, RaggedTensor):
        return _with_longer_rows(value, spec.shape[0] is None)
    if not isinstance(value, SparseTensor) or not value.values.shape[0]:
        return value
    known = zip(value.shape.as_list(), spec.shape.as_list(), strict=True)
    sizes = np.array([n + (m is None) for n, m in known], np.int64)
    indices, values = value.indices.numpy(), value.values.numpy()
    return SparseTensor(np.concatenate([indices, sizes[None] - 1]), np.concatenate([values, values[-1:]]), sizes)


def _with_longer_rows(value, repeats_last):
    """A ragged tensor with the last element of each row twice and, with `repeats_last`, the last row twice."""
    count = value.lengths().size
    if repeats_last and count:
        value = gather(value, [*range(count), count - 1])
    if value._uniform is None:
        splits = value.splits()
        rows = [[*range(s, e), e - 1] if e > s else [] for s, e in zip(splits[:-1], splits[1:], strict=True)]
        values = gather(value.values, np.array([i for row in rows for i in row], np.int64))
        value = RaggedTensor.from_row_lengths(values, np.array([*map(len, rows)], splits.dtype))
    inner = value.values
    return value.with_values(_with_longer_rows(inner, False)) if isinstance(inner, RaggedTensor) else value


def _has_sizes(leaf):
    return leaf.ndim > 0 if type(leaf) is np.ndarray else isinstance(leaf, CompositeTensor)


def _spec_of_both(leaf, other, arguments):
    """The spec of a result: that of the component it is handed on from, or the sizes that were equal in both calls."""
    for argument, spec in arguments:
        if leaf is argument:
            return spec
    spec = spec_of(leaf)
    common = None if other is None else spec.most_specific_common_supertype([spec_of(other)])
    if common is not None and type(leaf) is np.ndarray and 0 in leaf.shape:  # there was nothing left in either call
        common = TensorSpec([n or None for n in common.shape.as_list()], common.dtype)
    if common is not None or not _has_sizes(leaf):
        return common or spec
    sizes = [None] * spec.shape.rank
    if isinstance(leaf, RaggedTensor):
        return RaggedTensorSpec(sizes, spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
    return type(spec)(sizes, spec.dtype)  # that of a tensor or sparse tensor


def _stand_in(spec, size) -> Any:
    """A component of a spec, to try a function on; NotImplemented where there is none."""
    if isinstance(spec, NoneTensorSpec):
        return None
    if isinstance(spec, DatasetSpec):
        return empty(spec.element_spec)
    if not is_dense(spec) or spec.shape.rank is None or spec.dtype.np is None:
        return NotImplemented
    shape = [size if n is None else n for n in spec.shape.as_list()]
    if spec.dtype is dtypes.string:
        return np.full(shape, b"", object)
    return np.zeros(shape, spec.dtype.np)


def _aval(spec):
    return engine.Aval(tuple(spec.shape.as_list()), spec.dtype.np)



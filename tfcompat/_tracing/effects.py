"""Python code that runs while a traced function runs: prints in branches and loops, and calls back to Python.

The function carries a count of effects, like the value of a variable. Each call takes the count and hands on the next,
so that calls stay in order and none is left out. Prints are kept until the function has run, because prints outside of
branches and loops happen then.
"""

import functools
import itertools
import threading

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from tfcompat import engine
from tfcompat._core.steps import check_derivatives
from tfcompat._core.tensor import wrap
from tfcompat._tracing.status import Status, conversion_status
from tfcompat._tracing.switch import Switch
from tfcompat.engine import function_trace
from tfcompat.errors import (
    InvalidArgumentError,
    NotFoundError,
    OpError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
)

_runs = itertools.count(1)
_open: dict = {}  # number of a run -> _Run, while a function that was called eagerly is running
_unbounded: set = set()  # numbers of runs inside the user's jax.jit, which may be repeated
_lock = threading.Lock()
_KEPT_IN_A_RUN = 1 << 26  # bytes


class _Run:
    """One call of a function.

    Where another thread has assigned a variable meanwhile, the function runs again. Then Python is not called a second
    time: its results are kept, as long as they are not too large.
    """

    def __init__(self):
        self.done = set()  # counts that have happened: a derivative may run a part of the function again
        self.prints = []   # (place, function without arguments)
        self.error = None
        self._results: dict | None = {}  # (count, what was called) -> results
        self._kept = 0

    def known(self, key):
        """The results of a call of Python, if they are kept; else None."""
        return None if self._results is None else self._results.get(key)

    def keep(self, key, results, size):
        """Keeps results of `size` bytes."""
        self._kept += size
        if self._kept > _KEPT_IN_A_RUN:
            self._results = None
        if self._results is not None:
            self._results[key] = results

    def may_repeat(self):
        """Prepares the function's running again; returns whether it may."""
        if self._results is None:
            return False
        self.done, self.prints = set(), []
        return True


_silent = Switch(False)  # in derivatives: the function itself has had the effects


def silent_derivatives(fn):
    """`fn` with its effects, as a function whose derivatives have none."""
    result = jax.custom_jvp(fn)

    @result.defjvp
    def _(primals, tangents):
        with _silent.set_to(True):
            return jax.jvp(fn, primals, tangents)

    return result


class Effects:
    """[number of the run, count of effects], as one of the variables that a function reads and assigns."""

    trainable = False
    name = "effects"

    def __init__(self):
        self._node = engine.leaf(np.zeros(2, np.int32))

    def _current_node(self):
        trace = function_trace(engine.state.graph)
        return self._node if trace is None else trace.read(self)

    def _as_node(self):
        if function_trace(engine.state.graph) is not None:
            return self._current_node()
        number = next(_runs) % (1 << 30)
        with _lock:
            _open[number] = _Run()
        return engine.leaf(np.array([number, 0], np.int32))

    def may_repeat(self, node):
        """Whether the function that began with the count `node` may run again; then it calls Python no second time."""
        number = int(np.asarray(engine.value_of(node))[0])
        with _lock:
            run = _open.get(number)
            return run is not None and run.may_repeat()

    def _take(self, node):
        trace = function_trace(engine.state.graph)
        if trace is not None:
            trace.assign(self, node)
            return
        value = engine.value_of(node)
        if isinstance(value, jax.core.Tracer):
            # Inside the user's jax.jit effects happen when its program runs.
            with _lock:
                _unbounded.update(_open)
                _open.clear()
            return
        number = int(np.asarray(value)[0])
        print_until(number)
        with _lock:
            run = _open.pop(number, None)
        if run is not None and run.error is not None:
            raise run.error

    def add(self, operation, nodes, what, avals=()):
        """Records `operation` of (count, nodes...) to (count, results...); returns the nodes of the results.

        `avals` are those of the results of an operation with a step.

        Raises:
          tf.errors.UnimplementedError: the effects cannot be kept in order here; the message names `what`.
        """
        trace = function_trace(engine.state.graph)
        if trace is None or engine.state.graph is not trace.graph:
            raise UnimplementedError(
                None, None,
                f"{what} inside a function that is mapped, differentiated or recomputed as a whole: do it outside",
            )  # fmt: skip
        with engine.watching(()):
            count = trace.read(self)
        if operation.step is None:
            results = engine.apply(operation, (count, *nodes))
            results = results if type(results) is tuple else (results,)
        else:
            results = engine.record_step(operation, (count, *nodes), engine.TupleAval((count.aval, *avals)))
        with engine.watching(()):
            trace.assign(self, results[0])
        return results[1:]


EFFECTS = Effects()


def count_now():
    """The node of the count at this point of the trace, or None if there was no effect yet."""
    trace = function_trace(engine.state.graph)
    return trace.current.get(id(EFFECTS)) if trace is not None else None


def unbounded_run():
    """The number of a run that may be repeated. It prints at once."""
    number = next(_runs) % (1 << 30)
    with _lock:
        _unbounded.add(number)
    return number


def print_until(number, count=float("inf")):
    """Prints what a run has kept, up to `count`."""
    with _lock:
        run = _open.get(number)
        if run is None:
            return
        prints = sorted((p for p in run.prints if p[0][0] <= count), key=lambda p: p[0])
        run.prints = [p for p in run.prints if p[0][0] > count]
    for _, emit in prints:
        emit()


def _begin(count):
    """(number of the run, the run or None, next count, whether the effect is to happen)."""
    number, done = (int(x) for x in np.asarray(count))
    with _lock:
        run = _open.get(number)
        if run is None:
            return number, None, done + 1, number in _unbounded
        new = done + 1 not in run.done
        run.done.add(done + 1)
        return number, run, done + 1, new


def of_text(nodes):
    """Whether nodes hold text."""
    return any([node.aval.dtype.hasobject for node in nodes])


def printing(function, has_place, in_python):
    """The operation that keeps a print, `function(*arrays)`, until the function has run.

    With `has_place` the first array is the count after which it prints. `in_python` says whether arrays hold text.
    """

    def host(count, *arrays):
        number, run, done, new = _begin(count)
        place = (int(np.asarray(arrays[0])[1]), 1, done) if has_place else (done, 0, done)
        emit = functools.partial(function, *map(np.asarray, arrays[1:] if has_place else arrays))
        if run is not None and new:
            with _lock:
                run.prints.append((place, emit))
        elif new:
            emit()
        return np.array([number, done], np.int32)

    def fn(count, *arrays):
        if _silent.value:
            return count + jnp.array([0, 1], np.int32)
        arrays = map(jax.lax.stop_gradient, arrays)
        return io_callback(host, jax.ShapeDtypeStruct((2,), np.int32), count, *arrays)

    def step(call, nodes):
        if any(node.value is None and node.graph.symbolic for node in nodes):
            return engine.recorded_again(call, nodes)
        return (engine.leaf(host(*map(engine.array_of, nodes))),)

    return engine.Operation("Print", fn, step=step if in_python else None)


# --- calls back to Python -----------------------------------------------------------------------------------------


def calling(name, function, results, gradient=None):
    """The operation (count, arrays...) -> (count, results...) that calls Python.

    Args:
      name: of the public function, for messages.
      function: function of NumPy arrays to a list of NumPy arrays.
      results: list of jax.ShapeDtypeStruct.
      gradient: function of (arrays, cotangents of the results) to cotangents of the arrays, those of integers None; or
        None if there are no derivatives.
    """
    known = _Known()

    def call(arrays):
        with _own_graph():
            return known.results(arrays, lambda: _checked(name, function(*arrays), results))

    def host(count, *arrays):
        number, run, done, new = _begin(count)
        arrays = [np.array(a) for a in arrays]
        values = run and run.known((done, known))
        if values is None and (run is None or run.error is None):
            try:
                if new:
                    known.forget(arrays)
                values = call(arrays)
                if run is not None:
                    run.keep((done, known), values, sum(value.nbytes for value in values))
            except Exception as error:
                if run is None:
                    raise
                run.error = as_tf_error(error)
        if values is None:
            values = [np.zeros(r.shape, r.dtype) for r in results]
        return [np.array([number, done], np.int32), *values]

    def again(count, *arrays):
        # In a derivative: Python is not called a second time with the same arrays.
        values = jax.pure_callback(lambda *a: call([np.array(x) for x in a]), results, *arrays) if results else []
        return (count + jnp.array([0, 1], np.int32), *values)

    def run(count, *arrays):
        if _silent.value:
            return again(count, *arrays)
        out = [jax.ShapeDtypeStruct((2,), np.int32), *results]
        return tuple(io_callback(host, out, count, *arrays))

    if gradient is None:
        def constant(count, *arrays):
            return run(count, *map(jax.lax.stop_gradient, arrays))

        return engine.Operation("PyFunc", constant, differentiable=False)

    @jax.custom_vjp
    def fn(count, *arrays):
        return run(count, *arrays)

    def fwd(count, *arrays):
        return again(count, *arrays), arrays

    def bwd(arrays, cotangents):
        moving = [i for i, a in enumerate(arrays) if jnp.issubdtype(a.dtype, jnp.inexact)]
        filled = [None] * (1 + len(arrays))
        cotangents = [
            jnp.zeros(r.shape, r.dtype) if c.dtype == jax.dtypes.float0 else c
            for c, r in zip(cotangents[1:], results, strict=True)
        ]  # fmt: skip

        def host(*values):
            values = [np.array(v) for v in values]
            with _own_graph():
                grads = gradient(values[: len(arrays)], values[len(arrays) :])
                return [np.asarray(grads[i], arrays[i].dtype).reshape(arrays[i].shape) for i in moving]

        if moving:
            out = [jax.ShapeDtypeStruct(arrays[i].shape, arrays[i].dtype) for i in moving]
            for i, g in zip(moving, jax.pure_callback(host, out, *arrays, *cotangents), strict=True):
                filled[1 + i] = g
        return tuple(filled)

    fn.defvjp(fwd, bwd)
    return engine.Operation("EagerPyFunc", fn)


class _Known:
    """Results of the last calls by their arguments."""

    def __init__(self):
        self._table = {}

    @staticmethod
    def _key(arrays):
        return tuple((a.shape, a.dtype.str, a.tobytes()) for a in arrays)

    def forget(self, arrays):
        self._table.pop(self._key(arrays), None)

    def results(self, arrays, compute):
        key = self._key(arrays)
        results = self._table.get(key)
        if results is None:
            results = self._table[key] = compute()
            while len(self._table) > 16:
                self._table.pop(next(iter(self._table)), None)
        return results


class _own_graph:
    """A context with a pending graph of its own: the thread may be in the middle of running another graph."""

    def __enter__(self):
        state = engine.state
        self._outer = state.graph, state.pending, state.watchers
        state.graph = state.pending = engine.Graph()
        state.watchers = ()
        self._status = conversion_status.set_to(Status.DISABLED)
        self._status.__enter__()

    def __exit__(self, *exc):
        self._status.__exit__(*exc)
        engine.state.graph, engine.state.pending, engine.state.watchers = self._outer


def _checked(name, values, results):
    if len(values) != len(results):
        raise InvalidArgumentError(
            None, None, f"{name}: the function returned {len(values)} results, Tout has {len(results)}"
        )
    for i, (value, spec) in enumerate(zip(values, results, strict=True)):
        if value.dtype != spec.dtype:
            raise InvalidArgumentError(
                None, None, f"{i}-th value returned by {name} is {value.dtype.name}, but expects {spec.dtype.name}"
            )
        if value.shape != spec.shape:
            raise InvalidArgumentError(
                None, None,
                f"{i}-th value returned by {name} has shape {list(value.shape)}, but is known as {list(spec.shape)}: "
                "inside tf.function the shape is that of tf.TensorSpec in Tout, or of a first call on zeros",
            )  # fmt: skip
    return values


def as_tf_error(error):
    if isinstance(error, OpError):
        return error
    kinds = (
        ((TypeError, ValueError), InvalidArgumentError), (StopIteration, OutOfRangeError),
        (MemoryError, ResourceExhaustedError), (NotImplementedError, UnimplementedError),
        (FileNotFoundError, NotFoundError),
    )  # fmt: skip
    kind = next((tf_kind for python, tf_kind in kinds if isinstance(error, python)), UnknownError)
    result = kind(None, None, f"{type(error).__name__}: {error}")
    result.__cause__ = error
    return result


def call_step(function, arguments, avals, name):
    """As `call_python` of a function of tensors to a list of tensors, among which is text: a step calls it."""

    def step(call, nodes):
        if any(node.value is None and node.graph.symbolic for node in nodes):
            return engine.recorded_again(call, nodes)
        number, run, done, _ = _begin(engine.value_of(nodes[0]))  # what comes before has happened
        results = run and run.known((done, operation))
        if results is None:
            results = [x._node for x in function(*map(wrap, nodes[1:]))]
            if run is not None:
                run.keep((done, operation), results, sum(engine.array_of(node).nbytes for node in results))
        return engine.leaf(np.array([number, done], np.int32)), *results

    operation = engine.Operation("EagerPyFunc", lambda *arrays: None, differentiable=False, step=step)
    nodes = [x._node for x in arguments]
    check_derivatives(name, nodes, avals)
    return [wrap(node) for node in EFFECTS.add(operation, nodes, name, avals)]


def call_python(name, function, arguments, results, gradient=None):
    """Tensors of the results of a call of Python, which happens when the function being traced runs; see `calling`."""
    operation = calling(name, function, results, gradient)
    return [wrap(node) for node in EFFECTS.add(operation, [x._node for x in arguments], name)]

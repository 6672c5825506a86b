"""Programs: recorded structures that run as one compiled function, or operation by operation."""
import collections
import functools
import inspect
import itertools
import sys
import threading
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from tfcompat._native import hand_over, handed_over, twin
from tfcompat.engine import _forked, _interrupts, _parts, host, replicas
from tfcompat.engine import _policy as policy
from tfcompat.engine._bind import Call
from tfcompat.engine._graph import state
from tfcompat.engine.compile import rolling, tiers
from tfcompat.engine.compile.modules import Module
from tfcompat.engine.report import explain


class _Recent(set):
    """A set of programs that knows which of them was used least recently, without a search for each question."""

    def __init__(self):
        super().__init__()
        self._oldest_last: list = []  # (use, program), of which some may be used again or gone since

    def least(self):
        """The program of the set whose last use is longest ago."""
        while True:
            if not self._oldest_last:
                uses = [(program.last_use, place, program) for place, program in enumerate(list(self))]
                self._oldest_last = [(use, program) for use, _, program in sorted(uses, reverse=True)]
            use, program = self._oldest_last.pop()
            if program in self and program.last_use == use:
                return program  # all others were in the list behind it, or have been used since


counters = collections.Counter()
programs = _Recent()   # all that are kept
_compiled = _Recent()  # programs and kernels that have code
_uses = itertools.count()
_programs_lock = threading.RLock()  # a finalizer may run a program where this module makes an object


@handed_over
class Failure:
    """Takes the place of a value that could not be computed."""

    __slots__ = ("error",)

    def __init__(self, error):
        self.error = error


class Program:
    """A recorded structure, ready to be replayed on arrays.

    `steps` are (call, refs): a reference r >= 0 is the result of step r, r < 0 is input ~r. `outputs` are references.
    """

    __slots__ = (
        "key", "steps", "outputs", "donated",                                      # what it computes
        "sightings", "last_use", "interpreted_runs", "_score", "estimate",         # how it is interpreted
        "executable", "_function", "_upgrade", "_upgrade_from", "_make_upgrade",   # its code, see `compile/tiers`
        "_plan",                                                                   # its loops, see `compile/rolling`
        "unrolling",                                                               # for `compile/unrolling`
        "_of_replicas", "_shardings",                                              # see `replicas`
    )  # fmt: skip

    def __init__(self, key, steps, outputs, donated=()):
        self.key, self.steps, self.outputs, self.donated = key, steps, outputs, donated
        self.sightings = self.last_use = 0
        self.interpreted_runs: Any = None  # how many there are before it is compiled; None before the first run
        self._score: Any = None        # the steps that are needed, see `interpret`
        self.estimate: Any = None      # of a call by itself: as of its `host.Kernel`
        self.executable: Any = None    # compiled function that runs now; None before the first compilation
        self._function: Any = None     # its `Module`, one object, by which JAX knows what it has traced
        self._upgrade: Any = None      # better code that is being compiled
        self._upgrade_from = 0         # the run from which on better code is used; 0 if none is to come
        self._make_upgrade: Any = None # how it is compiled: fully, or in pieces
        self._plan: Any = None
        self.unrolling: Any = None
        self._of_replicas: Any = None
        self._shardings: dict = {}     # input -> its sharding, if it was on several devices

    def of_replicas(self):
        """Whether it holds values of several replicas."""
        if self._of_replicas is None:
            self._of_replicas = replicas.concerned(self.steps)
        return self._of_replicas

    def replay(self, *inputs):
        """Applies the steps that the outputs need to `inputs`; returns the tuple of outputs."""
        return tuple(map(rolling.row_value, self._replay(inputs)))

    def _replay(self, inputs):
        """As `replay`; inputs and outputs may be rows of stacks, see `rolling`."""
        steps, outputs, (loops, whole) = self._plan or self._make_plan()
        results = {}

        def value_at(ref):
            return results[ref] if ref >= 0 else inputs[~ref]

        loops = iter(loops)
        loop = next(loops, None)
        i = 0
        while i < len(steps):
            if loop is not None and i == loop.first:
                loop.run(value_at, results)
                i, loop = loop.stop, next(loops, None)
                continue
            call, refs = steps[i]
            arrays = [results[r] if r >= 0 else inputs[~r] for r in refs]
            inner = program_behind(call)
            if inner is not None:
                results[i] = inner._replay(arrays)
            elif i in whole:
                results[i] = call.of_rows(arrays)
            else:
                with jax.named_scope(call.operation.name):  # profilers show it
                    results[i] = call.fn(*map(rolling.row_value, arrays))
            i += 1
        return tuple([results[r] if r >= 0 else inputs[~r] for r in outputs])

    def _make_plan(self):
        """The needed steps, references to them and the loops among them."""
        needed = sorted(self._needed())
        place = {i: k for k, i in enumerate(needed)}

        def moved(refs):
            return tuple([place[r] if r >= 0 else r for r in refs])

        steps = [(self.steps[i][0], moved(self.steps[i][1])) for i in needed]
        outputs = moved(self.outputs)
        self._plan = steps, outputs, rolling.plan(steps, outputs)
        return self._plan

    def cuts(self):
        """See `rolling.cuts`."""
        return rolling.cuts(*(self._plan or self._make_plan()))

    @property
    def size(self):
        """How many steps there are to compile, one iteration for each loop."""
        steps, _, (loops, _) = self._plan or self._make_plan()
        return len(steps) - sum((loop.iterations - 1) * loop.length for loop in loops)

    def _needed(self):
        return needed_steps(self.steps, self.outputs)

    def is_interpreted(self):
        """Whether the next run is done by NumPy, call by call, rather than by compiled code."""
        if self.executable is not None:
            return False
        if self.interpreted_runs is None or self.sightings == 1:  # after the first run it is known what each call takes
            prepare, run, operations = self._cost()
            if operations > (policy.ROLLING.min_operations if self.sightings else policy.ROLLING.long):
                operations *= self._share_that_is_compiled()
            runs = 0 if self._upgrade is not None else policy.interpreted_runs(prepare, run, operations)
            self.interpreted_runs = max(runs, self.sightings)
        return self.sightings < self.interpreted_runs

    def _cost(self):
        """Milliseconds to prepare for interpretation, and to interpret once; the operations that are to compile."""
        prepare, run, operations = 0.0, 0.0, 0
        for _, call, _, inner in self._needed_steps():
            if inner is not None:
                costs = inner._cost()
                prepare, run, operations = prepare + costs[0], run + costs[1], operations + costs[2]
                continue
            kernel = getattr(call, "kernel", ())
            if kernel is None:
                prepare += host.preparation(call)
            milliseconds, count = getattr(kernel, "estimate", None) or (policy.HOST.call, call.weight)
            run, operations = run + milliseconds, operations + count
        return prepare, run, operations

    def _share_that_is_compiled(self):
        """The share of its steps, with those of programs that calls replay, that is compiled; the rest rolls up."""
        compiled, steps = 0, 0
        for program in self._with_inner():
            compiled, steps = compiled + program.size, steps + len(program._needed_steps())
        return compiled / max(steps, 1)

    def _with_inner(self):
        yield self
        for _, _, _, inner in self._needed_steps():
            if inner is not None:
                yield from inner._with_inner()

    def run(self, arrays, rescued):
        """Runs the program on `arrays`; see `execute` for `rescued`."""
        interpreted = self.is_interpreted()
        self.sightings += 1
        self.last_use = next(_uses)
        counters["programs_run"] += 1
        if _parts.exist and not self.of_replicas():
            arrays = _parts.taken(arrays)
        if interpreted:
            failure = next((x for x in arrays if type(x) is Failure), None)
            if failure is not None:
                raise failure.error
            if self.sightings == policy.prepared_from(self.interpreted_runs):
                self._prepare_quickly(_avals(arrays))
            return self.interpret(arrays)
        if self.executable is None:
            counters["programs_compiled"] += 1
            explain.compiling(self.steps, at_once=not self.interpreted_runs)
        return self.run_compiled(arrays, rescued)

    def run_compiled(self, arrays, rescued=None):
        """Runs the program on `arrays` in one piece."""
        if self._upgrade_from:
            with _interrupts.delayed():  # JAX runs Python code where it calls new code for the first time
                self._improve(arrays)
                if self.executable is not None:
                    return execute(self.executable, arrays, rescued)
        executable = self.executable  # another thread may take it away
        return self._compile(arrays, rescued) if executable is None else execute(executable, arrays, rescued)

    def forget(self):
        """Gives up the code. Code and program refer to each other: it is freed without waiting for the collector."""
        if self.key is not None:
            programs.discard(self)
            self.key[0].forget(self.key[1])
        elif self.steps[0][0].kernel is self:
            self.steps[0][0].kernel = None
        self._upgrade_from = 0
        self.executable = self._function = None

    def input_avals(self):
        """What each input is, as `jax.ShapeDtypeStruct`; None for all results of an operation of several."""
        count = 1 + max((~r for _, refs in self.steps for r in refs if r < 0), default=-1)
        avals: list = [None] * count
        for call, refs in self.steps:
            for r, aval in zip(refs, getattr(call, "in_avals", [None] * len(refs)), strict=True):
                if r < 0 and aval is not None:
                    avals[~r] = jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=self._shardings.get(~r))
        return avals

    def jaxpr(self, avals):
        """The program for inputs of these avals; as a rule it was traced when it was compiled."""
        return (self._function or Module(self)).jaxpr(avals)

    def _prepare_quickly(self, avals):
        """Has another thread compile the program, as it is compiled first."""
        if self._upgrade is None and not self.of_replicas():
            self._function = Module(self, _are_spread(avals))
            function = tiers.quick(self._function, self.donated) or tiers.full(self._function, self.donated)
            self._upgrade = tiers.Upgrade(function, avals)

    def prepare(self, avals):
        """Has another thread compile the program fully, for inputs of these avals, before it is run."""
        if self.executable is None and self._upgrade is None and not self.of_replicas():
            self._function = Module(self, _are_spread(avals))
            self._upgrade = tiers.Upgrade(tiers.full(self._function, self.donated), avals)

    def _compile(self, arrays, rescued):
        with explain.progress(len(self.steps)), _interrupts.delayed():
            try:
                return self._compile_in_tiers(arrays, rescued)
            except jax.errors.JaxRuntimeError as error:
                if not tiers.refused(error):
                    raise
                return self._compile_in_tiers(arrays, rescued)

    def _compile_in_tiers(self, arrays, rescued):
        if _forked.is_child:
            names = ", ".join({call.operation.name for call, _ in self.steps})
            raise RuntimeError(_forked.MESSAGE.format(names))
        with _programs_lock:
            _among(_compiled, self, policy.KEEPING.executables)
        self._shardings = {i: x.sharding for i, x in enumerate(arrays) if _is_spread(x)}
        if self.of_replicas():
            self.executable = replicas.executable(
                self.steps, self.outputs, self.donated, lambda: tiers.full(self.replay, ())
            )
            return execute(self.executable, arrays, rescued)
        if self._upgrade is not None:
            prepared, self._upgrade = self._upgrade.result(), None
            if not self.interpreted_runs:
                self.executable = prepared
                return execute(self.executable, arrays, rescued)
        else:
            self._function = Module(self, bool(self._shardings))
            prepared = None
        full = tiers.full(self._function, self.donated)
        self.executable, self._upgrade_from = full, 0
        quick = prepared or tiers.quick(self._function, self.donated)
        if quick is not None:
            facts = self._function.facts(arrays)
            self._upgrade_from, self._make_upgrade = policy.full_from(*facts[:3]), tiers.full
            if self._upgrade_from:
                self.executable = quick
        results = execute(self.executable, arrays, rescued)
        if quick is not None and not self._upgrade_from:
            self._look_at_memory(arrays)
        return results

    def _improve(self, arrays):
        """Starts the compilation of better code in time, and switches to it at its run."""
        runs = self.sightings - (self.interpreted_runs or 0)
        if self._upgrade is None:
            if runs >= policy.hot_from(self._upgrade_from):
                function = self._make_upgrade(self._function, self.donated)
                self._upgrade = tiers.Upgrade(function, _avals(arrays), self.executable)
        elif runs >= self._upgrade_from:
            self.executable, self._upgrade, self._upgrade_from = self._upgrade.result(), None, 0
            if self._make_upgrade is tiers.full:
                self._look_at_memory(arrays)

    def _look_at_memory(self, arrays):
        """Plans that the program, now compiled fully, takes its memory in pieces if it takes much."""
        if _has_tracers(arrays):
            return  # the user's own `jax.jit` is tracing: nothing was compiled
        avals = _avals(arrays)
        size = tiers.size_of_pieces(self.executable, avals, self._function.facts(avals).largest)
        if size:
            self._upgrade_from = policy.TIERS.in_pieces_from
            self._make_upgrade = functools.partial(tiers.in_pieces, size)

    def interpret(self, arrays, failures=False):
        """Runs each needed step by itself, by NumPy if it can; with `failures`, one that fails yields a `Failure`."""
        with np.errstate(all="ignore"):
            return finished(self._interpreted(_parts.taken(arrays) if _parts.exist else arrays, failures))

    def _interpreted(self, arrays, failures=False):
        results = {}
        for i, call, refs, inner in self._needed_steps():
            inputs = [results[r] if r >= 0 else arrays[~r] for r in refs]
            if failures:
                results[i] = _attempted(call, inner, inputs)
            elif inner is not None:
                results[i] = inner._interpreted(inputs)
            else:
                results[i] = run_kernel(call, inputs)
        return [results[r] if r >= 0 else arrays[~r] for r in self.outputs]

    def _needed_steps(self):
        """(index, call, references, the program that the call replays or None) of each step that is needed."""
        if self._score is None:
            needed = self._needed()
            self._score = [
                (i, call, refs, program_behind(call)) for i, (call, refs) in enumerate(self.steps) if i in needed
            ]
        return self._score


def needed_steps(steps, outputs, given=frozenset()):
    """The set of the numbers of the steps that some outputs need, without those that are given."""
    needed = {r for r in outputs if r >= 0 and r not in given}
    for i in range(len(steps) - 1, -1, -1):
        if i in needed:
            needed.update(r for r in steps[i][1] if r >= 0 and r not in given)
    return needed


def program_behind(call):
    """The program that a call of a captured graph replays; None for other calls."""
    inner = getattr(call.fn, "__self__", None)
    return inner if type(inner) is Program else None


def _attempted(call, inner, inputs):
    broken = next((x for x in inputs if type(x) is Failure), None)
    if broken is not None:
        return broken
    try:
        return run_kernel(call, inputs) if inner is None else inner._interpreted(inputs)
    except Exception as error:
        return Failure(error)


def finished(results):
    """What was computed by NumPy, as values of nodes; a tuple.

    Integers go to the device: on the host they would count as constants. Views of other arrays are copied: a program
    may overwrite what they look at.
    """
    integers = []
    for i, value in enumerate(results):
        if isinstance(value, np.ndarray | np.generic):
            value = np.asarray(value)
            if value.dtype.kind in "iub" and not _forked.is_child:
                integers.append(i)
            elif not (value.flags.owndata and value.flags.c_contiguous):
                value = value.copy()
            results[i] = value
        elif type(value) is tuple:
            results[i] = finished(list(value))
    if integers:
        on_device = execute(jax.device_put, [[results[i] for i in integers]])
        for i, value in zip(integers, on_device, strict=True):
            results[i] = value
    return tuple(results)


def _is_spread(array):
    return isinstance(array, jax.Array) and not isinstance(array, Tracer) and len(array.sharding.device_set) > 1


def _are_spread(avals):
    return any([aval.sharding is not None for aval in jax.tree.leaves(avals)])


def _avals(arrays):
    return jax.tree.map(
        lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding if _is_spread(x) else None), arrays
    )


def run_kernel(call, arrays):
    """The result of one call by itself, or the tuple of its results: arrays, or NumPy scalars.

    Args:
      call: Call, or the pick of one of several results.
      arrays: list of arrays or NumPy scalars.
    """
    if type(call) is not Call:
        return call.fn(*arrays)
    kernel = call.kernel
    if kernel is None:
        kernel = call.kernel = host.kernel_of(call)
    if type(kernel) is host.Kernel and (kernel.sightings < kernel.runs or _forked.is_child):
        kernel.sightings += 1
        try:
            return kernel([x if type(x) is np.ndarray else np.asarray(x) for x in arrays])
        except host.TooLong:
            pass
        except Exception:  # compiled code raises what it raises
            if _forked.is_child:
                raise
            counters["kernels_failed"] += 1
    if type(kernel) is not Program:
        program = Program(None, [(call, [~i for i in range(len(arrays))])], (0,))
        if kernel is not None:
            program.estimate = kernel.estimate
        kernel = call.kernel = program
        counters["kernels_compiled"] += 1
        explain.compiling(kernel.steps, at_once=False)
    kernel.sightings += 1
    kernel.last_use = next(_uses)
    results = kernel.run_compiled(arrays)
    return _parts.taken(results)[0] if _parts.exist else results[0]


def execute(function, arrays, rescued: list | None = None):
    """Runs a compiled function on arrays; also while the user's own `jax.jit` is tracing, which would stage it.

    The results are put into the list `rescued` before Python can be interrupted. Otherwise they would be lost, and so
    would the buffers that the function has overwritten.
    """
    rescued = [] if rescued is None else rescued
    with jax.enable_x64(True):
        try:
            rescued.extend(itertools.starmap(function, (arrays,)))
        except ValueError as error:
            if "incompatible devices" in str(error):  # values of replicas that a program uses together
                rescued.extend(itertools.starmap(function, (replicas.together(arrays, error),)))
                return rescued[0]
            if "top-level" not in str(error):
                raise
            # JAX refuses to stage what is compiled with options: "`compiler_options` can only be passed to top-level
            # `jax.jit`" (jax/_src/pjit.py).
            rescued.append(_run_while_tracing(function, arrays))
        except NotImplementedError:  # JAX cannot differentiate or map a `Module`
            if not _has_tracers(arrays):
                raise
            rescued.append(_run_while_tracing(function, arrays))
        results = rescued[0]
        first = results[0] if type(results) is tuple and results else results
        if isinstance(first, Tracer):
            results = rescued[0] = _run_while_tracing(function, arrays)
    return results


def _has_tracers(arrays):
    return any(isinstance(array, Tracer) for array in jax.tree.leaves(arrays))


def _run_while_tracing(function, arrays):
    if _has_tracers(arrays):
        return inspect.unwrap(function)(*arrays)
    with jax.ensure_compile_time_eval():
        return function(*arrays)


def keep(owner, key, program):
    """Keeps a new program as `owner.programs[key]`, unless there is one. Of too many, the least recently used goes."""
    with _programs_lock:
        program = owner.programs.setdefault(key, program)
        _among(programs, program, policy.KEEPING.programs)
        return program


def _among(several, program, most):
    """Adds a program to a `_Recent`; if there are too many, those least recently used are forgotten."""
    while program not in several and len(several) >= most:
        forgotten = several.least()
        _compiled.discard(forgotten)
        several.discard(forgotten)
        forgotten.forget()
    several.add(program)


@_forked.when_forked
def _give_up_code():
    """In a forked process: NumPy computes from now on."""
    global _programs_lock
    _programs_lock = threading.RLock()
    if _forked.is_child:
        host.always()
        policy.interpreted_runs = lambda *_: sys.maxsize
        for program in [*programs, *_compiled]:
            program.interpreted_runs = sys.maxsize
            program._upgrade_from, program.executable, program._upgrade = 0, None, None
            if program.key is None:
                program.forget()


@twin
def arrays_of(nodes):
    """What a program is given for nodes: their values, on the device if that is better."""
    return [node.value if type(node.value) is not np.ndarray else _on_device(node) for node in nodes]


@twin
def arrays_for_replicas(nodes):
    """As `arrays_of`, for a program of replicas, which sends small arrays of the host to all devices at once."""
    return [
        _on_device(node) if type(node.value) is np.ndarray and node.aval.large else node.value for node in nodes
    ]  # fmt: skip


@twin
def known_arrays(nodes):
    """As `arrays_of`; None if one is not known."""
    if not _UNKNOWN.isdisjoint([type(node.value) for node in nodes]):
        return None
    return arrays_of(nodes)


_UNKNOWN = frozenset({type(None), Failure})


@handed_over
def _on_device(node):
    """The host array of a leaf; on the device if it is large or was used before.

    Numbers that ops may compute with on the host are kept there, too.
    """
    value, aval = node.value, node.aval
    if _forked.is_child:
        return value
    if aval.large:
        value = node.value = execute(jax.device_put, [value])
    elif hasattr(node, "copy"):
        if node.copy is None:
            node.copy = execute(_put_of(aval), [value])
            if not aval.host:
                node.value = node.copy
        value = node.copy
    else:
        node.copy = None
    return value


hand_over(ndarray=np.ndarray)


def _put_of(aval):
    """The function that copies small arrays of this aval to the device.

    A compiled one takes a sixth of the time of `jax.device_put`, see https://github.com/jax-ml/jax/issues/16905, and
    1.5 MB for each shape.
    """
    count = _puts.get(aval, 0)
    if count >= policy.COMPILING.puts:
        return _put
    if aval in _puts or len(_puts) < policy.KEEPING.puts:
        _puts[aval] = count + 1
    return jax.device_put


_puts: dict = {}  # aval -> how often an array of it was copied
_put = jax.jit(lambda x: x)


def programs_run():
    """How many programs have been run."""
    return counters["programs_run"]


def stats():
    """Counters since the process started: programs compiled and run, kernels compiled, operations recorded."""
    names = ("programs_compiled", "programs_run", "kernels_compiled", "ops_recorded")
    return {name: counters[name] for name in names} | {"ops_pending": len(state.pending.nodes)}

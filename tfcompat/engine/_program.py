"""Programs: recorded structures that run as one compiled function, or operation by operation."""
import collections
import functools
import itertools
import threading

import jax
import numpy as np

from tfcompat._native import hand_over, handed_over, twin
from tfcompat.engine import _host
from tfcompat.engine import _policy as policy
from tfcompat.engine._bind import Call
from tfcompat.engine._graph import state
from tfcompat.engine.compile import rolling, tiers
from tfcompat.engine.report import explain

counters = collections.Counter()
programs: set = set()  # all that are kept
_uses = itertools.count()
_programs_lock = threading.Lock()


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
        "key", "steps", "outputs", "sightings", "last_use", "compiled", "donated", "_plan", "_better_from",
        "_better", "_make_better", "_function", "loop", "turns_run", "apart", "due",
    )  # fmt: skip

    def __init__(self, key, steps, outputs, donated=()):
        self.key = key
        self.steps = steps
        self.outputs = outputs
        self.donated = donated
        self.sightings = self.last_use = 0
        self.compiled = self._plan = self._better = self._make_better = self._function = None
        self.loop = None  # of which this is a turn, see `compile/unrolling`; False if turns are not to be gathered
        self.turns_run = self.apart = 0
        self.due = None  # turn of the loop from which on this, of several turns, runs
        self._better_from = 0  # the run from which on better code is used, full or in pieces; 0 if none is to come

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
            inner = getattr(call.fn, "__self__", None)
            if type(inner) is Program:
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
        """How many steps there are to compile, a turn for each loop."""
        steps, _, (loops, _) = self._plan or self._make_plan()
        return len(steps) - sum((loop.turns - 1) * loop.length for loop in loops)

    def _needed(self):
        needed = {r for r in self.outputs if r >= 0}
        for i in range(len(self.steps) - 1, -1, -1):
            if i in needed:
                needed.update(r for r in self.steps[i][1] if r >= 0)
        return needed

    def run(self, arrays, kept):
        """Runs the program on `arrays`, fused or step by step as the policy has it; see `execute` for `kept`."""
        self.sightings += 1
        last, self.last_use = self.last_use, next(_uses)
        counters["programs_run"] += 1
        if self.compiled is None:
            calls = self._calls()
            if self._better is None and not policy.fuse(self.sightings, self.last_use - last, calls, _host.takes):
                return self.step_by_step(arrays)
            policy.compiled(calls)
            if policy.storm():
                for call in set(calls):
                    if call.kernel is None:
                        _host.shape_was_compiled(call)
            counters["programs_compiled"] += 1
            explain.compiled(self.steps, policy.storm())
        elif self.sightings == 2:
            policy.reused(self._calls())
        return self.run_compiled(arrays, kept)

    def _calls(self):
        return [call for call, _ in self.steps]

    def run_compiled(self, arrays, kept=None):
        """Runs the program on `arrays` in one piece."""
        if self.compiled is None:
            return self._compile(arrays, kept)
        if self._better_from:
            self._improve(arrays)
        return execute(self.compiled, arrays, kept)

    def take_kernel(self):
        """If this is one operation, and picks of its results, nothing but its own program need be compiled."""
        if self.steps[0][0].weight == 1 and all(type(pick) is not Call for pick, _ in self.steps[1:]):
            self.compiled = self._run_alone

    def _run_alone(self, *arrays):
        (call, refs), *picks = self.steps
        if call.kernel is None:
            explain.compiled(self.steps, False)
        result = run_kernel(call, [arrays[~r] for r in refs])
        results = [result if i == 0 else picks[i - 1][0].fn(result) for i in self.outputs]
        from_host(results, range(len(results)))
        return tuple(results)

    def input_avals(self):
        """What each input is, as `jax.ShapeDtypeStruct`; None for all results of an operation of several."""
        count = 1 + max((~r for _, refs in self.steps for r in refs if r < 0), default=-1)
        avals: list = [None] * count
        for call, refs in self.steps:
            for r, aval in zip(refs, getattr(call, "in_avals", [None] * len(refs)), strict=True):
                if r < 0 and aval is not None:
                    avals[~r] = jax.ShapeDtypeStruct(aval.shape, aval.dtype)
        return avals

    def jaxpr(self, avals):
        """The program for inputs of these avals; as a rule it was traced when it was compiled."""
        return tiers.traced(tiers.full(self._function or self.replay, self.donated), avals)

    def prepare(self, avals):
        """Has another thread compile the program fully, for inputs of these avals, before it is run."""
        if self.compiled is None and self._better is None:
            self._function = self.replay
            self._better = tiers.Upgrade(tiers.full(self._function, self.donated), avals)

    def _compile(self, arrays, kept):
        with explain.progress(len(self.steps)):
            try:
                return self._compile_in_tiers(arrays, kept)
            except jax.errors.JaxRuntimeError as error:
                if not tiers.refused(error):
                    raise
                return self._compile_in_tiers(arrays, kept)

    def _compile_in_tiers(self, arrays, kept):
        if self._better is not None:
            self.compiled, self._better = self._better.result(), None
            return execute(self.compiled, arrays, kept)
        self._function = self.replay  # one object, by which JAX knows that it was traced before
        full = tiers.full(self._function, self.donated)
        self.compiled, self._better_from = full, 0
        quick = tiers.quick(self._function, self.donated)
        if quick is not None:
            self._better_from, self._make_better = policy.full_from(*tiers.cost(full, arrays)), tiers.full
            if self._better_from:
                self.compiled = quick
        results = execute(self.compiled, arrays, kept)
        if quick is not None and not self._better_from:
            self._look_at_memory(arrays)
        return results

    def _improve(self, arrays):
        """Sees to it that better code is compiled in time, and uses it from its run on."""
        if self._better is None:
            if self.sightings >= policy.hot_from(self._better_from):
                function = self._make_better(self._function, self.donated)
                self._better = tiers.Upgrade(function, _avals(arrays), self.compiled)
        elif self.sightings >= self._better_from:
            self.compiled, self._better, self._better_from = self._better.result(), None, 0
            if self._make_better is tiers.full:
                self._look_at_memory(arrays)

    def _look_at_memory(self, arrays):
        """Has the program, now compiled fully, take its memory in pieces later if it takes much."""
        if any(isinstance(array, jax.core.Tracer) for array in jax.tree.leaves(arrays)):
            return  # the user's own `jax.jit` is tracing: nothing was compiled
        size = tiers.size_of_pieces(self.compiled, _avals(arrays))
        if size:
            self._better_from, self._make_better = policy.TIERS.in_pieces_from, functools.partial(tiers.in_pieces, size)

    def step_by_step(self, arrays, failures=False):
        """Runs each needed step through its own kernel. With `failures`, a step that fails yields a `Failure`."""
        results = {}
        needed = self._needed()
        for i, (call, refs) in enumerate(self.steps):
            if i not in needed:
                continue
            inputs = [results[r] if r >= 0 else arrays[~r] for r in refs]
            broken = next((x for x in inputs if type(x) is Failure), None)
            try:
                results[i] = broken or run_kernel(call, inputs)
            except Exception as error:
                if not failures:
                    raise
                results[i] = Failure(error)
        from_host(results, [r for r in self.outputs if r >= 0])
        return tuple(results[r] if r >= 0 else arrays[~r] for r in self.outputs)


def _avals(arrays):
    return jax.tree.map(lambda array: jax.ShapeDtypeStruct(array.shape, array.dtype), arrays)


def run_kernel(call, arrays):
    """Runs one call by itself."""
    if type(call) is not Call:
        return call.fn(*arrays)
    kernel = call.kernel
    if kernel is None:
        kernel = call.kernel = _host.kernel_of(call)
    if kernel is None or type(kernel) is _host.Kernel and kernel.sightings >= kernel.runs:
        kernel = call.kernel = Program(None, [(call, [~i for i in range(len(arrays))])], (0,))
        counters["kernels_compiled"] += 1
        _host.shape_was_compiled(call)
    kernel.sightings += 1
    return kernel.run_compiled(arrays)[0]


def from_host(results, places):
    """Puts what the host has computed at these places of `results` on the device: what is not there counts as known."""
    of_host = [i for i in places if type(results[i]) is np.ndarray]
    if of_host:
        for i, array in zip(of_host, execute(jax.device_put, [[results[i] for i in of_host]]), strict=True):
            results[i] = array


def execute(function, arrays, kept=None):
    """Runs a compiled function on arrays; also while the user's own `jax.jit` is tracing, which would stage it.

    The results are put into the list `kept` before Python can be interrupted: the function may have overwritten the
    buffers that it started from.
    """
    kept = [] if kept is None else kept
    with jax.enable_x64(True):
        try:
            kept.extend(itertools.starmap(function, (arrays,)))
        except ValueError as error:
            if "top-level" not in str(error):
                raise
            kept.append(_run_while_tracing(function, arrays))  # JAX stages nothing that is compiled with options
        results = kept[0]
        first = results[0] if type(results) is tuple and results else results
        if isinstance(first, jax.core.Tracer):
            results = kept[0] = _run_while_tracing(function, arrays)
    return results


def _run_while_tracing(function, arrays):
    if any(isinstance(array, jax.core.Tracer) for array in jax.tree.leaves(arrays)):
        return function.__wrapped__(*arrays)
    with jax.ensure_compile_time_eval():
        return function(*arrays)


def keep(owner, key, program):
    """Keeps a new program as `owner.programs[key]`, unless there is one; the one that was not used for longest goes."""
    with _programs_lock:
        if len(programs) >= policy.KEEPING.programs:
            forgotten = min(programs, key=lambda program: program.last_use)
            programs.discard(forgotten)
            forgotten.key[0].forget(forgotten.key[1])
        program = owner.programs.setdefault(key, program)
        programs.add(program)
        return program


@twin
def arrays_of(nodes):
    """What a program is given for nodes: their values, on the device if that is better."""
    return [node.value if type(node.value) is not np.ndarray else _on_device(node) for node in nodes]


@twin
def known_arrays(nodes):
    """As `_arrays`; None where one is not known."""
    if not _UNKNOWN.isdisjoint([type(node.value) for node in nodes]):
        return None
    return arrays_of(nodes)


_UNKNOWN = frozenset({type(None), Failure})


@handed_over
def _on_device(node):
    """The host array of a leaf; on the device if it is large or was used before. Only numbers that ops may compute with
    on the host are kept there, too."""
    value, aval = node.value, node.aval
    if aval.large:
        value = node.value = execute(jax.device_put, [value])
    elif hasattr(node, "copy"):
        if node.copy is None:
            node.copy = execute(_put, [value])
            if not aval.host:
                node.value = node.copy
        value = node.copy
    else:
        node.copy = None
    return value


hand_over(ndarray=np.ndarray)
_put = jax.jit(lambda x: x)  # a sixth of the time of jax.device_put


def programs_run():
    """How many programs have been run."""
    return counters["programs_run"]


def stats():
    """Counters since the process started: programs compiled and run, kernels compiled, operations recorded."""
    names = ("programs_compiled", "programs_run", "kernels_compiled", "ops_recorded")
    return {name: counters[name] for name in names} | {"ops_pending": len(state.pending.nodes)}

"""From recorded structure to compiled programs.

What is pending is encoded as a flat tuple: each call, followed by where its inputs come from. That tuple, with the
set of values still wanted, is the key of a program; the arrays it starts from are the program's inputs, constants
included, so a loop that records the same structure finds the same program each turn.
"""
import collections
import functools
import itertools
import os
import threading

import jax
import numpy as np

from tfcompat.engine import _explain, _host, _rolling, _tiers
from tfcompat.engine import _policy as policy
from tfcompat.engine._compiled import native
from tfcompat.engine._graph import SymbolicValueError, state
from tfcompat.engine._operation import Call
from tfcompat.engine._structure import (
    Structure,
    calls_of,
    encode,
    given_up,
    many_wanted,
    recognised,
    steps_of,
    wanted,
)

_counters = collections.Counter()
_programs: set = set()  # all that are kept
_uses = itertools.count()
_programs_lock = threading.Lock()
default_immediate = False


def set_default(mode):
    """How operations run where a thread has no mode of its own: "deferred" or "immediate"."""
    global default_immediate
    default_immediate = mode == "immediate"
    if native is not None:
        native.set_immediate(default_immediate)


set_default(os.environ.get("TFCOMPAT_EXECUTION", "deferred"))


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
        self.loop = None  # of which this is a turn, see `_turns`; False if turns are not to be gathered
        self.turns_run = self.apart = 0
        self.due = None  # turn of the loop from which on this, of several turns, runs
        self._better_from = 0  # the run from which on better code is used, full or in pieces; 0 if none is to come

    def replay(self, *inputs):
        """Applies the steps that the outputs need to `inputs`; returns the tuple of outputs."""
        return tuple(map(_rolling.row_value, self._replay(inputs)))

    def _replay(self, inputs):
        """As `replay`; inputs and outputs may be rows of stacks, see `_rolling`."""
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
                    results[i] = call.fn(*map(_rolling.row_value, arrays))
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
        self._plan = steps, outputs, _rolling.plan(steps, outputs)
        return self._plan

    def cuts(self):
        """See `_rolling.cuts`."""
        return _rolling.cuts(*(self._plan or self._make_plan()))

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
        """Runs the program on `arrays`, fused or step by step as the policy has it; see `_run` for `kept`."""
        self.sightings += 1
        last, self.last_use = self.last_use, next(_uses)
        _counters["programs_run"] += 1
        if self.compiled is None:
            calls = self._calls()
            if self._better is None and not policy.fuse(self.sightings, self.last_use - last, calls, _host.takes):
                return self.step_by_step(arrays)
            policy.compiled(calls)
            if policy.storm():
                for call in set(calls):
                    if call.kernel is None:
                        _host.shape_was_compiled(call)
            _counters["programs_compiled"] += 1
            _explain.compiled(self.steps, policy.storm())
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
        return _run(self.compiled, arrays, kept)

    def take_kernel(self):
        """If this is one operation, and picks of its results, nothing but its own program need be compiled."""
        if self.steps[0][0].weight == 1 and all(type(pick) is not Call for pick, _ in self.steps[1:]):
            self.compiled = self._run_alone

    def _run_alone(self, *arrays):
        (call, refs), *picks = self.steps
        if call.kernel is None:
            _explain.compiled(self.steps, False)
        result = run_kernel(call, [arrays[~r] for r in refs])
        results = [result if i == 0 else picks[i - 1][0].fn(result) for i in self.outputs]
        _from_host(results, range(len(results)))
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
        return _tiers.traced(_tiers.full(self._function or self.replay, self.donated), avals)

    def prepare(self, avals):
        """Has another thread compile the program fully, for inputs of these avals, before it is run."""
        if self.compiled is None and self._better is None:
            self._function = self.replay
            self._better = _tiers.Upgrade(_tiers.full(self._function, self.donated), avals)

    def _compile(self, arrays, kept):
        with _explain.progress(len(self.steps)):
            try:
                return self._compile_in_tiers(arrays, kept)
            except jax.errors.JaxRuntimeError as error:
                if not _tiers.refused(error):
                    raise
                return self._compile_in_tiers(arrays, kept)

    def _compile_in_tiers(self, arrays, kept):
        if self._better is not None:
            self.compiled, self._better = self._better.result(), None
            return _run(self.compiled, arrays, kept)
        self._function = self.replay  # one object, by which JAX knows that it was traced before
        full = _tiers.full(self._function, self.donated)
        self.compiled, self._better_from = full, 0
        quick = _tiers.quick(self._function, self.donated)
        if quick is not None:
            self._better_from, self._make_better = policy.full_from(*_tiers.cost(full, arrays)), _tiers.full
            if self._better_from:
                self.compiled = quick
        results = _run(self.compiled, arrays, kept)
        if quick is not None and not self._better_from:
            self._look_at_memory(arrays)
        return results

    def _improve(self, arrays):
        """Sees to it that better code is compiled in time, and uses it from its run on."""
        if self._better is None:
            if self.sightings >= policy.hot_from(self._better_from):
                function = self._make_better(self._function, self.donated)
                self._better = _tiers.Upgrade(function, _avals(arrays), self.compiled)
        elif self.sightings >= self._better_from:
            self.compiled, self._better, self._better_from = self._better.result(), None, 0
            if self._make_better is _tiers.full:
                self._look_at_memory(arrays)

    def _look_at_memory(self, arrays):
        """Has the program, now compiled fully, take its memory in pieces later if it takes much."""
        if any(isinstance(array, jax.core.Tracer) for array in jax.tree.leaves(arrays)):
            return  # the user's own `jax.jit` is tracing: nothing was compiled
        size = _tiers.size_of_pieces(self.compiled, _avals(arrays))
        if size:
            self._better_from, self._make_better = policy.IN_PIECES_FROM, functools.partial(_tiers.in_pieces, size)

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
        _from_host(results, [r for r in self.outputs if r >= 0])
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
        _counters["kernels_compiled"] += 1
        _host.shape_was_compiled(call)
    kernel.sightings += 1
    return kernel.run_compiled(arrays)[0]


def _from_host(results, places):
    """Puts what the host has computed at these places of `results` on the device: what is not there counts as known."""
    of_host = [i for i in places if type(results[i]) is np.ndarray]
    if of_host:
        for i, array in zip(of_host, _run(jax.device_put, [[results[i] for i in of_host]]), strict=True):
            results[i] = array


def run_alone(call, inputs, own, kept):
    """Runs one call of known inputs by itself; see `_record.run_at_once`.

    Returns:
      Tuple of the results; None if an input is not known, or could not be computed.
    """
    overwritten = given_up(inputs, [1] * len(inputs), own) if own else ()  # the variable is the one use
    arrays = _known_arrays(inputs)
    if arrays is None:
        return None
    program = call.programs.get(overwritten)
    if program is None:
        steps = [(call, [~i for i in range(len(inputs))]), *[(pick, [0]) for pick in call.aval.picks]]
        donated = _donatable(overwritten, call.in_avals, call.aval.parts)
        program = _kept(call, overwritten, Program((call, overwritten), steps, tuple(range(1, len(steps))), donated))
    return program.run(arrays, kept)


def _known_arrays(nodes):
    """As `_arrays`; None where one is not known."""
    if not _UNKNOWN.isdisjoint([type(node.value) for node in nodes]):
        return None
    return _arrays(nodes)


_UNKNOWN = frozenset({type(None), Failure})


def _run(function, arrays, kept=None):
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


def _donatable(given_up, input_avals, output_avals):
    """Those of the inputs `given_up` for which there is a result of the same shape and dtype."""
    room = collections.Counter(output_avals)
    found = []
    for i in given_up:
        if room[input_avals[i]] > 0:
            room[input_avals[i]] -= 1
            found.append(i)
    return tuple(found)


def flush(graph, count=None, through=None):
    """Computes what is pending in `graph`. Values that nobody holds are not computed.

    Args:
      graph: pending Graph.
      count: how many nodes, from the first on; by default all.
      through: node, the last to compute; nothing is done if it is not pending.
    """
    while True:
        with graph.lock:
            if through is not None:
                if through not in graph.nodes:
                    return
                count = graph.nodes.index(through) + 1
            before = len(graph.nodes)
            foreign = _flush_locked(graph, count)
            if foreign is _APART:
                for _ in graph.ends[:]:
                    flush(graph, len(graph.loop.calls))
                continue
            if foreign is _TOO_LONG:
                turn = policy.period(calls_of(graph.nodes, 0, len(graph.nodes))) or 1
                foreign = _flush_locked(graph, max(policy.LOOK_FOR_LOOP // turn, 1) * turn)
                if not foreign:
                    count = count and count - (before - len(graph.nodes))
                    continue
        if not foreign:
            return
        # Pending in another thread: computed first, without holding this graph's lock, and no further than needed:
        # threads that use one another's values wait for what was recorded earlier only.
        for node in foreign:
            flush(node.graph, through=node)


_APART = object()     # the pending turns of a loop are to run one by one
_TOO_LONG = object()  # what is pending is better compiled in pieces
_rolls_up: dict = {}  # the calls of a turn of a loop -> whether it compiles as one loop


def rolls_up(graph, turn, held):
    """Whether the loop pending in `graph` compiles as one loop.

    Args:
      graph: pending Graph.
      turn: how many operations there are in a turn of the loop.
      held: whether a tape holds values; it is expected to let go of them before they are computed.
    """
    nodes = graph.nodes
    middle = len(nodes) // 2
    calls = calls_of(nodes, middle - turn, middle)
    known = _rolls_up.get(calls)
    if known is None:
        if len(_rolls_up) >= policy.MAX_PROGRAMS:
            _rolls_up.clear()
        program = Program(None, steps_of(encode(graph, nodes, [])[0]), (len(nodes) - 1,))
        known = _rolls_up[calls] = 4 * program.size < len(nodes)
    return policy.roll(len(nodes), many_wanted(graph)) if known and not held else known


def _flush_locked(graph, count):
    nodes = graph.nodes[:count]
    if not nodes:
        return None
    structure, inputs = recognised(nodes) or (None, None)
    program, foreign = None, ()
    if structure is not None:
        seen = structure.seen(nodes, inputs)
        last_seen, last = structure.last
        if seen is not None and seen == last_seen:
            program = last
        elif seen is not None:
            outputs = wanted(nodes, structure.uses)
            program = outputs and _program(structure, outputs, nodes, inputs)
            structure.last = seen, program
    if program is None:
        inputs = []
        flat, uses, input_uses = encode(graph, nodes, inputs)
        foreign = [node for node in inputs if node.value is None]
        pending = [node for node in foreign if not node.graph.symbolic]
        if pending:
            return pending
        outputs = wanted(nodes, uses)
        if len(nodes) > policy.MAX_PENDING and _is_too_long(flat, outputs):
            return _TOO_LONG
        if outputs:
            program = _program(Structure.of(flat, uses, inputs, input_uses), outputs, nodes, inputs)
    if graph.ends and count is None and program and not graph.loop.takes(program, inputs):
        return _APART
    graph.last = program if len(nodes) == len(graph.nodes) else None
    if not program:  # nobody wants anything
        _finish(graph, nodes, (), ())
        return None
    arrays = _arrays(inputs)
    if foreign:  # from a graph that was captured: its values are unknown, the others are not
        arrays = [Failure(_out_of_scope(n)) if a is None else a for n, a in zip(inputs, arrays, strict=True)]
    kept = []
    try:
        _finish(graph, nodes, program.outputs, _computed(program, arrays, kept))
    except KeyboardInterrupt:
        if kept and graph.nodes and graph.nodes[0] is nodes[0]:
            _finish(graph, nodes, program.outputs, kept[0])
        raise  # without results everything is still pending
    return None


def _is_too_long(flat, wanted):
    key = hash((tuple(flat), wanted))
    known = _too_long.get(key)
    if known is None:
        if len(_too_long) >= policy.MAX_PROGRAMS:
            _too_long.clear()
        known = _too_long[key] = Program(None, steps_of(flat), wanted).size > policy.LOOK_FOR_LOOP
    return known


_too_long: dict = {}


def _finish(graph, nodes, wanted, results):
    """Gives `nodes`, the first of a graph, their values, and takes them from it."""
    _give(nodes, wanted, results)
    count = len(nodes)
    del graph.nodes[:count]
    if graph.ends:
        graph.ends = [end - count for end in graph.ends if end > count]
    if graph.limit > policy.LOOK_FOR_LOOP:
        graph.limit = policy.LOOK_FOR_LOOP
    graph.mark = graph.mark - count if graph.mark > count else 0
    _counters["ops_recorded"] += count


def _give(nodes, wanted, results):
    for i, result in zip(wanted, results, strict=True):
        node = nodes[i]
        node.value = result
        node.inputs = ()


def _program(structure, wanted, nodes, inputs):
    """The program that computes the `wanted` of `nodes`."""
    key = wanted, given_up(inputs, structure.input_uses, range(len(inputs)))
    program = structure.programs.get(key)
    if program is None:
        program = _new_program(structure, key, [node.aval for node in inputs], [nodes[i].aval for i in wanted])
    return program


def _computed(program, arrays, kept):
    """The results of a program; a `Failure` for each that could not be computed."""
    try:
        return program.run(arrays, kept)
    except Exception as error:  # a Failure among the arrays is one, too
        # One bad operation must not take the others' values with it, unless the program failed so late that
        # the buffers it started from are gone.
        if any(isinstance(a, jax.Array) and a.is_deleted() for a in arrays):
            return [Failure(error)] * len(program.outputs)
        return program.step_by_step(arrays, failures=True)


def _out_of_scope(node):
    return SymbolicValueError(
        f"{node!r} is out of scope and cannot be used here: it was recorded in a function being traced, and is known "
        "when that runs. Use return values, explicit Python locals or collections to access it."
    )


def _arrays(nodes):
    """What a program is given for nodes: their values, on the device if that is better."""
    return [node.value if type(node.value) is not np.ndarray else _on_device(node) for node in nodes]


def _on_device(node):
    """The host array of a leaf; on the device if it is large or was used before. Only numbers that ops may compute with
    on the host are kept there, too."""
    value, aval = node.value, node.aval
    if aval.large:
        value = node.value = _run(jax.device_put, [value])
    elif hasattr(node, "copy"):
        if node.copy is None:
            node.copy = _run(_put, [value])
            if not aval.host:
                node.value = node.copy
        value = node.copy
    else:
        node.copy = None
    return value


if native is not None:
    native.register(ndarray=np.ndarray, on_device=_on_device, Failure=Failure)
    _give, _arrays, _known_arrays = native.finish, native.arrays, native.known_arrays


_put = jax.jit(lambda x: x)  # a sixth of the time of jax.device_put


def _new_program(structure, key, input_avals, output_avals):
    wanted, overwritten = key
    donated = _donatable(overwritten, input_avals, output_avals)
    program = Program((structure, key), steps_of(structure.flat), wanted, donated)
    if not donated:
        program.take_kernel()
    return _kept(structure, key, program)


def _kept(owner, key, program):
    """Keeps a new program as `owner.programs[key]`, unless there is one; the one that was not used for longest goes."""
    with _programs_lock:
        if len(_programs) >= policy.MAX_PROGRAMS:
            forgotten = min(_programs, key=lambda program: program.last_use)
            _programs.discard(forgotten)
            forgotten.key[0].forget(forgotten.key[1])
        program = owner.programs.setdefault(key, program)
        _programs.add(program)
        return program


def run_now(node):
    """Immediate execution: computes a node that was just recorded."""
    node.graph.nodes.pop()
    for source in node.inputs:
        if source.value is None:
            if source.graph.symbolic:
                raise _out_of_scope(source)
            flush(source.graph)  # pending in another thread, or since before this mode was entered
    arrays = [source.value for source in node.inputs]
    failure = next((a for a in arrays if type(a) is Failure), None)
    if failure is not None:
        raise failure.error
    results = [run_kernel(node.call, arrays)]
    _from_host(results, [0])
    (node.value,) = results
    node.inputs = ()
    _counters["ops_recorded"] += 1


def program_of(graph, placeholders, outputs):
    """The part of a symbolic graph that `outputs` need, as a program.

    Returns:
      (program, captures): inputs of the program are the placeholders, then the captures.
    """
    needed, stack = set(), list(outputs)
    while stack:
        node = stack.pop()
        if node.graph is graph and node not in needed:
            needed.add(node)
            stack.extend(node.inputs)
    nodes = [node for node in graph.nodes if node in needed]
    inputs = list(placeholders)
    for k, node in enumerate(inputs):
        node.index = ~k
    flat, _, _ = encode(graph, nodes, inputs)
    refs = []
    for node in outputs:
        k = node.index
        if node in needed and node.call is not None or k < 0 and ~k < len(inputs) and inputs[~k] is node:
            refs.append(k)
        else:
            node.index = ~len(inputs)
            inputs.append(node)
            refs.append(node.index)
    key = (tuple(flat), tuple(refs), len(placeholders))
    return Program(key, steps_of(flat), tuple(refs)), inputs[len(placeholders):]


def programs_run():
    """How many programs have been run."""
    return _counters["programs_run"]


def immediate():
    """Whether this thread runs operations as they are called."""
    mode = state.here.pending.immediate
    return default_immediate if mode is None else mode


def stats():
    """Counters since the process started: programs compiled and run, kernels compiled, operations recorded."""
    names = ("programs_compiled", "programs_run", "kernels_compiled", "ops_recorded")
    return {name: _counters[name] for name in names} | {"ops_pending": len(state.pending.nodes)}

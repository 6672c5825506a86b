"""Programs of several replicas: what each replica records is found to be the same, and runs once, on all devices.

A strategy calls a function for each replica, so a program has the steps of all of them. Collectives, which take a value
of each replica, and marks on what replicas return tell which values belong together: a *group* has one of each replica.
Groups are followed from there to what they are computed from. Where the calls of all replicas are the same, one call
under `jax.shard_map` stands for them. What is no group is computed on each device alike.

What is checked in a replica is checked in all: the first condition that is broken in any is reported to all, and to all
processes.

Replicas that differ (in shape, or in what they do) are no such program. They run on one device, with the same numbers.
Where they differ in any of several processes, all processes take the program step by step, and meet at each collective.
"""

import collections
import contextlib
import functools
import itertools
import operator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.sharding import NamedSharding, PartitionSpec

from tfcompat.engine import _parts, conditions, processes
from tfcompat.engine._aval import Aval
from tfcompat.engine._bind import Operation, is_check
from tfcompat.engine._graph import leaf, new_node
from tfcompat.engine._parts import Part, parts_of, taken, wholes_of
from tfcompat.engine._policy import KEEPING

try:  # What `jax.device_put` comes to for an array of NumPy, which takes 60 µs to find that out.
    from jax._src.interpreters.pxla import batched_device_put as _put
except ImportError:
    _put: Any = None

try:  # What `jax.make_array_from_single_device_arrays` makes, which takes 18 µs to check it.
    from jax._src.array import ArrayImpl as _Array
except ImportError:
    _Array: Any = None

_AXIS = "replica"
_AS_IT_IS = contextlib.nullcontext()
COLLECTIVES: dict = {}  # Operation of one value from each replica -> what it does with them: "sum" or "gather"
MARK = Operation("OfReplica", lambda x, *, replica, place: x, ("replica", "place"), identity="value of a replica")
CONSTANTS: set = set()  # operations whose calls, with no inputs, may differ between replicas

kinds: collections.Counter = collections.Counter()  # how many programs there were of each kind, by name of the class
_places: list = []
_uneven: dict = {}  # place -> the same devices as a place whose replicas differ, see `uneven`


def place_of(devices):
    """A number for the tuple of JAX devices that `devices()` gives, for attributes of marks and collectives.

    Args:
      devices: function that gives the devices of the replicas; it is called when a program runs.
    """
    _places.append(functools.cache(devices))
    return len(_places) - 1


def uneven(place):
    """The devices of a place as one whose replicas differ in some process, which all processes know."""
    if place in _uneven.values():
        return place
    if place not in _uneven:
        _uneven[place] = place_of(_places[place])
    return _uneven[place]


def count_at(place):
    """How many devices there are at a place."""
    return len(_places[place]())


def own_devices(place):
    """List of the devices at a place that belong to this process."""
    return [d for d in _places[place]() if d.process_index == jax.process_index()]


def is_of_processes(place):
    """Whether other processes have devices at a place, too."""
    return len(own_devices(place)) < count_at(place)


def device_of(node):
    """The device on which a pending value is computed, if it is marked as that of a replica; else None."""
    if node.call is None or node.call.operation is not MARK:
        return None
    replica, place = node.call.attributes.values
    return own_devices(place)[replica]


def divided(array, place):
    """The equal parts of an array along its first axis, one for each replica of this process, on their devices.

    Returns:
      List of leaves.
    """
    own, sharding, order, is_of_all = _division(place)
    if _put is None or type(array) is not np.ndarray:
        with jax.enable_x64(True):
            whole: Any = jax.device_put(array, sharding)
    else:
        size = len(array) // len(own)
        parts = [array[n * size : (n + 1) * size] for n in range(len(own))]
        # Not with the sharding of `_everywhere`: the first part would go to all devices.
        with jax.enable_x64(True) if array.itemsize > 4 else _AS_IT_IS:
            whole = _put(_shaped(array.shape, array.dtype), sharding, parts, own)
    if not is_of_all or array.size > KEEPING.joined * len(own):
        return [leaf(whole._arrays[k]) for k in order]
    aval = Aval((len(array) // len(own), *array.shape[1:]), array.dtype)
    return [new_node(None, (), aval, Part(whole, n, place, k, True), None) for n, k in enumerate(order)]


_shaped = functools.lru_cache(KEEPING.puts)(ShapedArray)


@functools.cache
def _everywhere(place):
    """The sharding of an array of which each device has one: to JAX, the same."""
    return NamedSharding(jax.sharding.Mesh(np.array(_places[place]()), (_AXIS,)), PartitionSpec())


@functools.cache
def _order(place):
    """Where the devices of this process are in an array of `_everywhere`."""
    order = list(_everywhere(place).addressable_devices_indices_map(()))
    return [order.index(device) for device in own_devices(place)]


def _whole_of(parts, place):
    """The array of `_everywhere` that has these parts, which are on the devices of the replicas of this process."""
    if _Array is None:
        return jax.make_array_from_single_device_arrays(parts[0].shape, _everywhere(place), parts)
    own = parts if len(parts) == 1 else [parts[k] for k in _replicas_at(place)]
    return _Array(parts[0].aval, _everywhere(place), own, committed=True, _skip_checks=True)


@functools.cache
def _replicas_at(place):
    """The replicas of this process in the order of the parts of an array of `_everywhere`."""
    order = _order(place)
    return [order.index(k) for k in range(len(order))]


@functools.cache
def _division(place):
    """How an array is divided among the devices of this process.

    Returns:
      (own, sharding, order, is_of_all): these devices, the sharding, where the parts of the devices are in it, and
      whether there are no devices of other processes.
    """
    own, is_of_all = own_devices(place), not is_of_processes(place)
    mesh = _everywhere(place).mesh if is_of_all else jax.sharding.Mesh(np.array(own), (_AXIS,))
    sharding = NamedSharding(mesh, PartitionSpec(_AXIS))
    order = list(sharding.addressable_devices_indices_map((len(own),)))
    return own, sharding, [order.index(device) for device in own], is_of_all


class _Differ(Exception):
    """The replicas differ."""


def concerned(steps):
    """Whether there are values of replicas among the steps of a program."""
    for call, _ in steps:
        if call.operation is MARK or call.operation in COLLECTIVES:
            return True
        inner = _inner(call)
        if inner is not None and inner.of_replicas():
            return True
    return False


def _inner(call):
    """The program that a call of a captured graph replays; None for other calls."""
    inner = getattr(call.fn, "__self__", None)
    return inner if hasattr(inner, "of_replicas") else None


def _flat(steps, outputs):
    """The steps of a program with those of the programs that it calls in their place; its outputs."""
    flat: list = []

    def add(steps, inputs):
        results: list = []
        for call, refs in steps:
            sources = [results[r] if r >= 0 else inputs[~r] if inputs is not None else r for r in refs]
            inner = _inner(call)
            if inner is not None:
                values = add(inner.steps, sources)
                results.append(tuple([values[r] if r >= 0 else sources[~r] for r in inner.outputs]))
            elif hasattr(call, "index") and type(sources[0]) is tuple:
                results.append(sources[0][call.index])
            else:
                flat.append((call, sources))
                results.append(len(flat) - 1)
        return results

    results = add(steps, None)
    return flat, [results[r] if r >= 0 else r for r in outputs]


class Folded:
    """A program of replicas that are the same, as a function of arrays, which may be on different devices.

    Args:
      steps, outputs, donated: of the program.

    Raises:
      _Differ: they are not the same.
    """

    def __init__(self, steps, outputs, donated):
        self._steps, outputs = _flat(steps, outputs)
        # An output of several values is a tuple; immediate execution asks for all of a function's at once.
        self._sizes = [len(r) if type(r) is tuple else None for r in outputs]
        self._outputs: list = [one for r in outputs for one in (r if type(r) is tuple else (r,))]
        self._in_tuples = any(n is not None for n in self._sizes)
        self._lasting: Any = None  # whether all results are Parts, which is known after the first run
        self._groups: list = []   # tuples of references
        self._member: dict = {}   # reference -> (number of its group, replica)
        self._common: set = set() # references to what all replicas use alike
        self._place: Any = None
        self._find()
        devices = _places[self._place]()
        self._own = own_devices(self._place)  # each process records its own
        if any(len(group) != len(self._own) for group in self._groups):
            raise _Differ
        self._jitted_for: dict = {}  # the numbers of the inputs that are divided batches -> function, see `_jitted`
        self._compiled: Any = None
        _parts.exist = True
        self._meets = len(self._own) < len(devices)  # other processes run it, too
        self._all = _everywhere(self._place)
        self._mesh: Any = self._all.mesh
        self._arrange(donated)

    # --- which values belong together -----------------------------------------------------------------------------

    def _find(self):
        marks: dict = {}
        for i, (call, refs) in enumerate(self._steps):
            if call.operation is MARK:
                replica, place = call.attributes.values
                self._at(place)
                marks.setdefault(replica, []).append(i)
            elif call.operation in COLLECTIVES:
                self._at(call.attributes.values[0])
                self._group(tuple(refs))
        if len({len(of_one) for of_one in marks.values()}) > 1:
            raise _Differ
        for together in zip(*(marks[replica] for replica in sorted(marks)), strict=True):
            self._group(together)
        while self._follow():
            pass

    def _follow(self):
        """Makes groups of what each replica computes alike from its members of groups; whether there were any."""
        alike: dict = {}
        for i, (call, refs) in enumerate(self._steps):
            replicas = {self._member[r][1] for r in refs if r in self._member}
            is_plain = call.operation not in COLLECTIVES and not is_check(call.operation)
            if i not in self._member and len(replicas) == 1 and is_plain:
                key = call, tuple([self._member[r][0] if r in self._member else None for r in refs])
                alike.setdefault(key, {}).setdefault(replicas.pop(), []).append(i)
        count = len(self._groups[0]) if self._groups else 0
        more = False
        for of_replicas in alike.values():
            if len(of_replicas) < count or len({len(of_one) for of_one in of_replicas.values()}) > 1:
                continue
            for together in zip(*(of_replicas[replica] for replica in range(count)), strict=True):
                known = dict(self._member), len(self._groups), set(self._common)
                try:
                    self._group(together)
                    more = True
                except _Differ:
                    self._member, self._common = known[0], known[2]
                    del self._groups[known[1]:]
        return more

    def _at(self, place):
        if self._place not in (None, place) or place in _uneven.values():
            raise _Differ
        self._place = place

    def _group(self, refs):
        waiting = [refs]
        while waiting:
            refs = waiting.pop()
            first = refs[0]
            # Of one replica in this process, all but what is the same in all processes is its own.
            combined = type(first) is int and first >= 0 and self._steps[first][0].operation in COLLECTIVES
            if (len(refs) > 1 or combined) and all(r == first for r in refs):
                if first in self._member:
                    raise _Differ  # one replica's value, which all of them use
                self._common.add(first)
                continue
            if all([type(r) is int and r >= 0 and is_check(self._steps[r][0].operation) for r in refs]):
                waiting += self._group_checks(refs)
                continue
            known = self._member.get(first)
            if known is not None and self._groups[known[0]] == refs:
                continue
            if len(set(refs)) < len(refs) or any(
                r in self._member or r in self._common or type(r) is tuple for r in refs
            ):
                raise _Differ
            for replica, r in enumerate(refs):
                self._member[r] = len(self._groups), replica
            self._groups.append(refs)
            if all(r < 0 for r in refs):
                continue
            if any(r < 0 for r in refs):
                raise _Differ
            calls = [self._steps[r][0] for r in refs]
            one = calls[0]
            alike = all(call is one for call in calls) or all(
                call.aval is one.aval and call.operation is one.operation for call in calls
            ) and (one.operation is MARK or one.operation in CONSTANTS)
            if not alike or one.operation in COLLECTIVES:
                raise _Differ
            waiting += zip(*(self._steps[r][1] for r in refs), strict=True)

    def _group_checks(self, refs):
        """Takes a check of each replica, in a tuple. Returns the groups of what they check.

        A report is the same for all replicas. It says what was broken before in any of them, so it does not matter
        that each check follows on another one.
        """
        if self._common.issuperset(refs):
            return []
        checks = [self._steps[r] for r in refs]
        if any(call is not checks[0][0] for call, _ in checks) or any(r in self._member for r in refs):
            raise _Differ
        self._common.update(refs)
        return list(zip(*(inputs[1:] for _, inputs in checks), strict=True))

    # --- how it is computed ---------------------------------------------------------------------------------------

    def _arrange(self, donated):
        """Sorts what is needed: steps in their order, inputs and outputs alone or in groups."""
        needed, stack = set(), list(self._outputs)
        while stack:
            r = stack.pop()
            key = ("group", self._member[r][0]) if r in self._member else r
            if key in needed:
                continue
            needed.add(key)
            members = self._groups[key[1]] if type(key) is tuple else (r,)
            stack += [source for m in members[:1] if m >= 0 for source in self._steps[m][1]]
            stack += [source for m in members[1:] if m >= 0 for source in self._steps[m][1]]
        self._needed = needed
        self._score = []
        for i, (call, refs) in enumerate(self._steps):
            group, replica = self._member.get(i, (None, 0))
            if replica == 0 and (i if group is None else ("group", group)) in needed:
                self._score.append((i, group, call, refs))
        self._inputs_of_groups = [
            g for g, refs in enumerate(self._groups) if refs[0] < 0 and ("group", g) in needed
        ]
        # Constants that differ are inputs, so that the program is the same in each process.
        self._constants = [
            g for g, refs in enumerate(self._groups)
            if refs[0] >= 0 and self._steps[refs[0]][0].operation in CONSTANTS and ("group", g) in needed
        ]  # fmt: skip
        self._order = _order(self._place)
        for i, group, _, refs in self._score:
            if group is None and len(self._mesh.devices) > len(self._own) and any(r in self._member for r in refs):
                if self._steps[i][0].operation not in COLLECTIVES and not self._is_check(i):
                    raise _Differ
        self._single_inputs = sorted((r for r in needed if type(r) is int and r < 0), reverse=True)
        self._places: Any = [tuple([~r for r in self._groups[g]]) for g in self._inputs_of_groups]
        self._given_up = [set(donated).issuperset(places) for places in self._places]
        self._places += [(~r,) * len(self._own) for r in self._single_inputs]
        self._known: list = [None] * len(self._places)  # what was put together last, see `wholes_of`
        self._group_outputs = list(dict.fromkeys(self._member[r][0] for r in self._outputs if r in self._member))
        self._single_outputs = list(dict.fromkeys(r for r in self._outputs if r not in self._member))
        places = {("group", g): k for k, g in enumerate(self._group_outputs)}
        places |= {r: k for k, r in enumerate(self._single_outputs, len(places))}
        # The number of the array of each output, of which replica it is (None: of all), and where that has its part.
        self._results = [
            (places["group", self._member[r][0]], replica, self._order[replica])
            if (replica := self._member.get(r, (0, None))[1]) is not None else (places[r], None, self._order[0])
            for r in self._outputs
        ]  # fmt: skip

    def _is_check(self, i):
        """Whether a step checks values of a replica, and is not one of a group."""
        call, refs = self._steps[i]
        return is_check(call.operation) and refs[0] not in self._member and any(r in self._member for r in refs)

    def _body(self, given_up, of_groups, singles):
        """What one device computes, of its part of the groups."""
        inputs = list(zip(self._given_up, self._inputs_of_groups, strict=True))
        inputs = [g for up, g in inputs if up] + [g for up, g in inputs if not up] + self._constants
        local = {("group", g): x for g, x in zip(inputs, [*given_up, *of_groups], strict=True)}
        values: dict = dict(zip(self._single_inputs, singles, strict=True))

        def own(ref):  # of a step of a group: the value of this replica
            known = self._member.get(ref)
            return values[ref] if known is None else local["group", known[0]]

        def of_any(ref):  # of a step outside: the value of the replica that it names
            known = self._member.get(ref)
            if known is None:
                return values[ref]
            return jax.lax.all_gather(local["group", known[0]], _AXIS)[known[1]]

        reports: dict = {}
        several = len(self._mesh.devices) > len(self._own)  # what replicas of a process share may be its own
        for i, group, call, refs in self._score:
            if group in self._constants:
                continue
            with jax.named_scope(call.operation.name):
                if group is not None:
                    local["group", group] = call.fn(*map(own, refs))
                elif call.operation in COLLECTIVES and (several or refs[0] in self._member):
                    values[i] = self._collective(call, own(refs[0]))
                elif self._is_check(i):
                    before, inputs = values[refs[0]], refs[1:]
                    key = call, tuple([("group", self._member[r][0]) if r in self._member else r for r in inputs])
                    if key not in reports:  # that of all replicas, in each of which there is such a step
                        report = call.fn(conditions.NO_REPORT.value, *map(own, inputs))
                        reports[key] = conditions.first_broken(jax.lax.all_gather(report, _AXIS))
                    values[i] = jnp.where(before[0] == 0, reports[key], before)
                else:
                    values[i] = call.fn(*map(of_any, refs))
        each = [local["group", g] for g in self._group_outputs]
        return each, [values[r] for r in self._single_outputs]

    def _collective(self, call, x):
        if COLLECTIVES[call.operation] == "gather":
            return jax.lax.all_gather(x, _AXIS, axis=call.attributes.values[1], tiled=True)
        if x.dtype == bool:
            return jax.lax.psum(x.astype(jnp.int32), _AXIS) > 0
        return jax.lax.psum(x, _AXIS)

    @functools.cached_property
    def _held(self):
        """The constants that differ, as arrays; they are inputs."""
        return [self._together([self._steps[r][0].fn() for r in self._groups[g]]) for g in self._constants]

    def _jitted(self, divided) -> Any:
        """The compiled function of what `_arguments` gives, if these inputs are divided batches."""
        made = self._jitted_for.get(divided)
        if made is None:
            # To JAX all other arrays are the same on each device, though those of groups are not: nothing is moved.
            nowhere, rows = PartitionSpec(), PartitionSpec(_AXIS)
            inputs = [rows if k in divided else nowhere for k in range(len(self._places))]
            specs = self._arguments(inputs, [nowhere] * len(self._constants))
            body = jax.shard_map(self._body, mesh=self._mesh, in_specs=specs, out_specs=nowhere, check_vma=False)
            made = self._jitted_for[divided] = jax.jit(body, donate_argnums=0)
        return made

    def _arguments(self, inputs, held):
        """What `_body` takes: of the inputs of groups those that are given up, the others, and the rest.

        Args:
          inputs: list, for each group and then for each input alone.
          held: list, for each of the constants that differ.
        """
        count = len(self._inputs_of_groups)
        if not self._constants and True not in self._given_up:
            return [], inputs[:count], inputs[count:]
        of_groups = list(zip(self._given_up, inputs[:count], strict=True))
        return [x for up, x in of_groups if up], [*(x for up, x in of_groups if not up), *held], inputs[count:]

    def lower(self, *avals):
        """As that of `jax.jit`."""
        inputs = [avals[places[0]] for places in self._places]
        inputs = [jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=self._all) for aval in inputs]
        return self._jitted(()).lower(*self._arguments(inputs, self._held))

    def __call__(self, *arrays):
        inputs, divided = self._joined(arrays)
        groups, singles = self._run(self._jitted(divided), self._arguments(inputs, self._held))
        wholes = [*groups, *singles]
        if self._lasting is None:
            self._lasting = not self._in_tuples and all(whole.size <= KEEPING.joined for whole in wholes)
        results = parts_of(wholes, self._results, self._place)
        if self._lasting:
            return results
        results = [x.taken() if self._in_tuples or x.size > KEEPING.joined else x for x in results]
        results = iter(results)
        return tuple([next(results) if n is None else tuple(itertools.islice(results, n)) for n in self._sizes])

    def _run(self, function, arguments):
        if not self._meets:
            return function(*arguments)
        if self._compiled is None:  # before it waits for the others
            self._compiled = function.lower(*arguments).compile()
        return processes.called(self._compiled, *arguments)

    def _joined(self, arrays):
        """One array for each input, of its parts; those that are not on their devices are sent there.

        Returns:
          (wholes, divided): the arrays, and the numbers of those that are divided batches.
        """
        known = self._known
        wholes, divided, others = wholes_of(arrays, self._places, self._place, known)
        for k in others:
            parts = tuple([arrays[i] for i in self._places[k]])
            wholes[k] = self._together(parts)
            known[k] = (parts, wholes[k]) if self._is_worth_keeping(k, wholes[k]) else None
        return wholes, divided

    def _together(self, parts):
        # What all replicas have alike is on each device already.
        parts = [
            x.taken_at(k) if type(x) is Part and x.number is None and x.place == self._place else x
            for x, k in zip(parts, self._order, strict=True)
        ]
        parts = taken(parts)
        if _put is not None and _are_alike_on_host(parts):
            return _put(_shaped(parts[0].shape, parts[0].dtype), self._all, parts, self._own)
        if not all(isinstance(x, jax.Array) and x.device is d for x, d in zip(parts, self._own, strict=True)):
            parts = jax.device_put(parts, self._own)
        return _whole_of(parts, self._place)

    def _is_worth_keeping(self, k, whole):
        """Whether an input is noted: the next run is likely to take it. Large ones may be given up, or are in the way.
        """
        if k < len(self._inputs_of_groups):
            return not self._given_up[k] and whole.size <= KEEPING.joined
        return whole.nbytes <= KEEPING.replicated


def _are_alike_on_host(parts):
    """Whether these are small arrays of NumPy that are the same."""
    first = parts[0]
    return type(first) is np.ndarray and first.size <= KEEPING.compared and all([
        x is first or type(x) is np.ndarray and x.shape == first.shape and x.dtype == first.dtype
        and x.tobytes() == first.tobytes() for x in parts
    ])  # fmt: skip


class _Together:
    """A compiled function of arrays that may be on different devices; it runs where operations run."""

    def __init__(self, function):
        self._function = function

    def __call__(self, *arrays):
        return self._function(*on_one_device(arrays))

    def lower(self, *avals):
        """As that of `jax.jit`."""
        return self._function.lower(*avals)


def on_one_device(arrays):
    """The arrays on the device that operations run on."""
    config: Any = jax.config
    device = config.jax_default_device or jax.local_devices()[0]
    return jax.device_put(taken(arrays), device)


def together(arrays, error):
    """Arrays that are on different devices, where one program may use them.

    They go to the devices of those that are spread over some, or to one device. A program that spreads values itself
    gets them from the host, from where they may go anywhere.

    Args:
      arrays: list of arrays.
      error: what JAX says against it.
    """
    if "sharding_constraint" in str(error):
        return list(map(np.asarray, arrays))
    spread = [isinstance(x, jax.Array) and len(x.sharding.device_set) > 1 for x in arrays]
    meshes: Any = {getattr(x.sharding, "mesh", None) for x, is_spread in zip(arrays, spread, strict=True) if is_spread}
    if len(meshes) != 1 or None in meshes:
        return on_one_device(arrays)
    whole = NamedSharding(meshes.pop(), PartitionSpec())
    return [x if is_spread else jax.device_put(x, whole) for x, is_spread in zip(arrays, spread, strict=True)]


class _Part(NamedTuple):
    """The steps of a program up to a collective, or to its end.

    Attributes:
      function: of the inputs, that gives the tuple of the outputs.
      inputs, outputs: references.
      meeting: the step of the collective; None at the end.
    """

    function: Any
    inputs: list
    outputs: list
    meeting: int | None


class Stepwise:
    """A program of replicas that differ, in each of several processes. All meet at each of its collectives.

    Args:
      steps, outputs: of the program.
      make: see `executable`.
    """

    def __init__(self, steps, outputs, make):
        self._make = make
        self._steps, self._outputs = _flat(steps, outputs)
        meetings = [i for i, (call, _) in enumerate(self._steps) if call.operation in COLLECTIVES]
        bounds = [-1, *meetings, len(self._steps)]
        wanted = [r for refs in self._outputs for r in (refs if type(refs) is tuple else (refs,))]
        uses = [*((i, r) for i, (_, refs) in enumerate(self._steps) for r in refs),
                *((len(self._steps), r) for r in wanted)]  # fmt: skip
        self._parts = [
            self._part(range(begin + 1, end), end, uses) for begin, end in itertools.pairwise(bounds)
        ]  # fmt: skip

    def _part(self, own, end, uses):
        outputs = sorted({r for i, r in uses if i not in own and r in own})
        inputs = sorted({r for i in own for r in self._steps[i][1] if r not in own})

        def run(*arrays):
            values: dict = dict(zip(inputs, arrays, strict=True))
            for i in own:
                call, refs = self._steps[i]
                values[i] = call.fn(*[values[r] for r in refs])
            return tuple([values[r] for r in outputs])

        return _Part(jax.jit(run), inputs, outputs, end if end < len(self._steps) else None)

    def __call__(self, *arrays):
        values: dict = {~i: x for i, x in enumerate(on_one_device(arrays))}
        for part in self._parts:
            results = part.function(*[values[r] for r in part.inputs])
            values.update(zip(part.outputs, results, strict=True))
            if part.meeting is not None:
                call, refs = self._steps[part.meeting]
                values[part.meeting] = jax.device_put(_met(call, [np.asarray(values[r]) for r in refs]))
        self._share_reports(values)
        return tuple([tuple([values[r] for r in refs]) if type(refs) is tuple else values[refs]
                      for refs in self._outputs])  # fmt: skip

    def _share_reports(self, values):
        """What is broken in one process is reported in all. Raises that where this process has nothing to check."""
        checks = [r for r in self._outputs if type(r) is int and r >= 0 and is_check(self._steps[r][0].operation)]
        own = np.asarray(values[checks[-1]] if checks else conditions.NO_REPORT.value)
        broken = [report for report in processes.gathered(own) if report[0]]
        if broken and not checks:
            raise conditions.error_of(broken[0])
        for check in checks if broken else ():
            values[check] = jnp.asarray(broken[0])

    def lower(self, *avals):
        """As that of `jax.jit`: of the program in one piece, without the other processes."""
        return self._make().lower(*avals)


def _met(call, values):
    """What a collective gives of the values of this process and of all others."""
    if COLLECTIVES[call.operation] == "gather":
        _, axis, sizes = call.attributes.values
        own = np.concatenate(values, axis)
        room = np.zeros((max(sizes), *np.moveaxis(own, axis, 0).shape[1:]), own.dtype)
        room[: own.shape[axis]] = np.moveaxis(own, axis, 0)
        parts = [part[:size] for part, size in zip(processes.gathered(room), sizes, strict=True)]
        return np.moveaxis(np.concatenate(parts), 0, axis)
    own = functools.reduce(operator.add, values)
    return functools.reduce(operator.add, processes.gathered(own))


def executable(steps, outputs, donated, make):
    """A function of arrays that runs a program of replicas.

    Args:
      steps, outputs, donated: of the program.
      make: function that gives the program compiled for one device.
    """
    try:
        function = Folded(steps, outputs, donated)
    except _Differ:
        function = None
    places = {call.attributes.values[0] for call, _ in _flat(steps, outputs)[0] if call.operation in COLLECTIVES}
    if any(map(is_of_processes, places)):
        # All processes know of an uneven place; otherwise each tells what it has seen.
        known = not places.isdisjoint(_uneven.values())
        if known or "differ" in processes.told("differ" if function is None else "equal"):
            function = Stepwise(steps, outputs, make)
    function = function or _Together(make())
    kinds[type(function).__name__] += 1
    return function

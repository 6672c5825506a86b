"""Unrolled loops rolled up again: a Python loop over time steps is compiled as one `jax.lax.scan`.

A loop that Python has run is recorded as many equal turns. Where the steps of a program repeat with a period, and each
turn takes its inputs from the turn before, from outside, or from its own place in a row of values, one turn is traced
and compiled, not all of them.
"""
import collections
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat.engine import _policy as policy

ROLLED = "rolled_loop"  # name of the jitted function in which each loop runs, by which `_dependence` knows it


class Row:
    """One row of a stack of values, cut out when it is needed by itself."""

    __slots__ = ("stack", "index", "_value")

    def __init__(self, stack, index):
        self.stack, self.index = stack, index
        self._value = None

    def take(self):
        if self._value is None:
            self._value = jax.tree.map(lambda x: jax.lax.index_in_dim(x, self.index, keepdims=False), self.stack)
        return self._value


def row_value(x):
    """An array, cut out of its stack if it is in one."""
    return x.take() if type(x) is Row else x


class Loop:
    """Turns of a loop among the steps of a program: from `first` on, `turns` times `length` steps.

    Each argument of each step of a turn is ("inner", place), a result of the same turn; ("carried", k), of an earlier
    turn; ("fixed", k), the same value from outside in all turns; or ("row", k), a value from outside for each turn.
    `carried` has (place, references of the first turns), `fixed` references, `rows` a tuple of references each.
    `kept` says for each place whose results are used outside whether only the last one is (False) or others (True).
    """

    def __init__(self, steps, first, length, turns):
        self.first, self.length, self.turns = first, length, turns
        self.calls = [call for call, _ in steps[first : first + length]]
        self.carried, self.fixed, self.rows = {}, {}, {}
        self.arguments = []
        for place in range(length):
            refs = zip(*(steps[first + t * length + place][1] for t in range(turns)), strict=True)
            self.arguments.append([self._argument(place, column) for column in refs])
        self.kept = {}

    def _argument(self, place, column):
        last = column[-1] - self.first
        if last >= 0:
            delay = self.turns - 1 - last // self.length
            at = last % self.length
            if not delay:
                return "inner", at
            return "carried", self.carried.setdefault((at, column[:delay]), len(self.carried))
        if all(ref == column[0] for ref in column):
            return "fixed", self.fixed.setdefault(column[0], len(self.fixed))
        return "row", self.rows.setdefault(column, len(self.rows))

    @property
    def stop(self):
        return self.first + self.turns * self.length

    def keep(self, ref):
        """A result that is used outside."""
        turn, place = divmod(ref - self.first, self.length)
        self.kept[place] = self.kept.get(place, False) or turn < self.turns - 1

    def run(self, value_at, results):
        """Runs the loop; puts what is used outside into the dict `results`."""
        rows = [[value_at(ref) for ref in column] for column in self.rows]
        backwards = any(map(_falls, rows))
        rows = [stacked(row, backwards) for row in rows]
        fixed = [row_value(value_at(ref)) for ref in self.fixed]
        start = [tuple(row_value(value_at(ref)) for ref in reversed(refs)) for _, refs in self.carried]
        lasts = [place for place, several in self.kept.items() if not several and not self._is_carried(place)]
        start += [(_zeros(self.calls[place].aval),) for place in lasts]
        stacks = [place for place, several in self.kept.items() if several]
        places = [place for place, _ in self.carried] + lasts
        unroll = max(1, min(self.turns // 4, policy.ROLLING.step_operations // self.length))

        def rolled_loop(start, fixed, rows):
            def turn(carry, row):
                inner = []
                sources = {"inner": inner, "carried": [c[-1] for c in carry], "fixed": fixed, "row": row}
                for call, arguments in zip(self.calls, self.arguments, strict=True):
                    with jax.named_scope(call.operation.name):
                        result = call.fn(*[sources[kind][k] for kind, k in arguments])
                    inner.append(tuple(result) if isinstance(result, list) else result)
                carry = [(inner[place], *c[:-1]) for place, c in zip(places, carry, strict=True)]
                return carry, [inner[place] for place in stacks]

            return jax.lax.scan(turn, start, rows, length=self.turns, reverse=backwards, unroll=unroll)

        carry, made = jax.jit(rolled_loop)(start, fixed, rows)
        newest = {place: c[0] for place, c in zip(places, carry, strict=True)}
        for place, several in self.kept.items():
            at = self.stop - self.length + place
            if not several:
                results[at] = newest[place]
        for place, stack in zip(stacks, made, strict=True):
            for t in range(self.turns):
                results[self.first + t * self.length + place] = Row(stack, self.turns - 1 - t if backwards else t)

    def _is_carried(self, place):
        return any(at == place for at, _ in self.carried)


def _zeros(aval):
    parts = getattr(aval, "parts", None)
    return jnp.zeros(aval.shape, aval.dtype) if parts is None else tuple(map(_zeros, parts))


def _falls(row):
    """Whether most values of a row are rows of a stack in reverse order: the loop is best done from the end."""
    places = [x.index for x in row if type(x) is Row]
    return len(places) > len(row) // 2 and places[-1] < places[0]


def stacked(row, backwards=False):
    """A list of values as one stack, in reverse order if `backwards`. Rows of one stack are not cut out first."""
    pieces, k = [], 0
    while k < len(row):
        stop = _consecutive(row, k)
        if type(row[k]) is Row:
            low, high = sorted((row[k].index, row[stop - 1].index))
            piece = jax.tree.map(lambda x, a=low, b=high + 1: jax.lax.slice_in_dim(x, a, b), row[k].stack)
            if row[stop - 1].index < row[k].index:
                piece = jax.tree.map(functools.partial(jnp.flip, axis=0), piece)
        else:
            piece = jax.tree.map(lambda *xs: jnp.stack(xs), *row[k:stop])
        pieces.append(piece)
        k = stop
    stack = pieces[0] if len(pieces) == 1 else jax.tree.map(lambda *xs: jnp.concatenate(xs), *pieces)
    return jax.tree.map(functools.partial(jnp.flip, axis=0), stack) if backwards else stack


def _consecutive(row, start):
    """Where the rows that follow one another in a stack, in either direction, or the values in no stack, end."""
    stop, step = start + 1, None
    while stop < len(row) and type(row[stop]) is type(row[start]):
        if type(row[start]) is Row:
            if row[stop].stack is not row[start].stack:
                break
            here = row[stop].index - row[stop - 1].index
            if here not in (1, -1) or step not in (None, here):
                break
            step = here
        stop += 1
    return stop


def plan(steps, outputs):
    """Which of the `steps` of a program, (call, references) each, all needed for `outputs`, are loops.

    Returns:
      (loops, whole): list of Loop, in order, without overlap; the steps that work on stacks rather than on rows.
    """
    calls = [call for call, _ in steps]
    places = collections.defaultdict(list)
    for i in range(len(calls) - 1, -1, -1):
        places[calls[i]].append(i)  # the nearest last
    found, i = [], 0
    while i < len(calls) - policy.ROLLING.min_iterations:
        places[calls[i]].pop()
        loop = _loop_at(steps, calls, i, places[calls[i]])
        if loop is not None:
            for k in range(i + 1, loop.stop):
                places[calls[k]].pop()
            found.append(loop)
        i = loop.stop if loop is not None else i + 1
    if not found:
        return found, frozenset()
    whole = frozenset(i for i, call in enumerate(calls) if call.of_rows is not None)
    cut = _rows_cut_out(steps, outputs, found, whole)
    found = [
        loop for loop in found
        if policy.roll((loop.turns - 1) * loop.length, sum(cut[i] for i in range(loop.first, loop.stop)))
    ]  # fmt: skip
    whole = frozenset(i for i in whole if policy.roll(0, _cut_of(steps, i, cut)))
    for ref in _used_outside(steps, outputs, found):
        for loop in found:
            if loop.first <= ref < loop.stop:
                loop.keep(ref)
    return found, whole


def cuts(steps, outputs, planned):
    """How often each input of a program must be cut out if it is given as the row of a stack: {~k: times}."""
    return _rows_cut_out(steps, outputs, *planned)


def _rows_cut_out(steps, outputs, loops, whole):
    """How often the result of each step, or each input, is needed by itself rather than in a row of a loop."""
    count = collections.Counter(outputs)
    inside = _inside(loops)
    for i, (call, refs) in enumerate(steps):
        if i in inside or i in whole:
            continue
        inner = getattr(call.fn, "__self__", None)
        if hasattr(inner, "cuts"):
            needs = inner.cuts()
            for k, ref in enumerate(refs):
                count[ref] += needs[~k]
        elif call.operation.name != "Pick":
            count.update(refs)
    for loop in loops:
        count.update(loop.fixed)
        for _, refs in loop.carried:
            count.update(refs)
    return count


def _cut_of(steps, i, cut):
    """How often the parts of a result with several are cut out."""
    total = 0
    while (i := i + 1) < len(steps) and steps[i][0].operation.name == "Pick":
        total += cut[i]
    return total


def _inside(loops):
    return {i for loop in loops for i in range(loop.first, loop.stop)}


def _used_outside(steps, outputs, loops):
    inside = _inside(loops)
    used = set(outputs)
    for i, (_, refs) in enumerate(steps):
        if i not in inside:
            used.update(refs)
    for loop in loops:
        used.update(loop.fixed)
        used.update(*loop.rows)
        for _, refs in loop.carried:
            used.update(refs)
    return used


def _loop_at(steps, calls, i, later):
    """The loop that begins at step i; None if there is none. `later` is where the call comes again."""
    for j in reversed(later[-policy.ROLLING.candidates:]):
        length = j - i
        if length > policy.RECORDING.max_period * 2:
            return None
        end = j
        while end < len(calls) and calls[end] is calls[end - length]:
            end += 1
        turns = (end - i) // length
        if turns < policy.ROLLING.min_iterations or turns * length < policy.ROLLING.min_operations:
            continue
        first, turns = _alike(steps, i, length, turns)
        if turns < policy.ROLLING.min_iterations or turns * length < policy.ROLLING.min_operations:
            continue
        loop = Loop(steps, first, length, turns)
        if _is_worth_it(loop):
            return loop
    return None


def _alike(steps, i, length, turns):
    """The turns around the middle one that are wired alike: (first step, how many turns).

    A reference that moves along with the turns is to the same or an earlier turn; any other must be to a value from
    outside. The first turn may take anything from outside where later ones take what was handed on.
    """
    middle = i + turns // 2 * length
    reach = policy.ROLLING.max_delay * length
    moving = [  # how far back, for each argument of each step of a turn; 0 for values from outside
        [
            here - ref if ref >= 0 and ref - before == length and here - ref <= reach + place else 0
            for ref, before in zip(steps[here][1], steps[here - length][1], strict=True)
        ]
        for place, here in enumerate(range(middle, middle + length))
    ]

    def fits(base, as_first=False):
        for place, here in enumerate(range(base, base + length)):
            for back, ref in zip(moving[place], steps[here][1], strict=True):
                if back and ref != here - back and not (as_first and back > place and ref < base):
                    return False
        return True

    first = stop = middle
    while first > i and fits(first - length):
        first -= length
    if first > i and fits(first - length, as_first=True):
        first -= length
    while stop < i + turns * length and fits(stop):
        stop += length
    for here in range(first, stop):
        for back, ref in zip(moving[(here - first) % length], steps[here][1], strict=True):
            if not back and first <= ref < stop:
                return first, 0
    return first, (stop - first) // length


def _is_worth_it(loop):
    """Whether stacking what comes from outside costs little. Sizes that are not known yet are not stacked."""
    if not all(_is_known(call.aval) for call in loop.calls):
        return False
    size = 0
    for place, arguments in enumerate(loop.arguments):
        for k, (kind, _) in enumerate(arguments):
            if kind == "row":
                size += _size(loop.calls[place].in_avals[k]) * loop.turns
    return size <= policy.ROLLING.max_stacked


def _is_known(aval):
    parts = getattr(aval, "parts", None)
    return all(map(_is_known, parts)) if parts is not None else all(type(d) is int for d in aval.shape)


def _size(aval):
    parts = getattr(aval, "parts", None)
    return sum(map(_size, parts)) if parts else math.prod(aval.shape) * np.dtype(aval.dtype).itemsize

"""Rolling: a loop that Python has unrolled is compiled as one `jax.lax.scan`.

A Python loop over time steps is recorded as many equal iterations. This module looks for them among the steps of a
program: steps that repeat with a period, and iterations whose inputs are results of the iteration before, values from
outside, or the iteration's own place in a row of values. One iteration is then traced and compiled, not all of them,
since XLA's time grows faster than a program: https://github.com/jax-ml/jax/issues/2777.
"""
import collections
import functools
import math
from typing import Any

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
    """Iterations of a loop among the steps of a program: from step `first` on, `iterations` times `length` steps.

    Attributes:
      arguments: for each step of an iteration, where its arguments come from: ("inner", place), a result of the same
        iteration; ("carried", k), a result of an earlier one; ("fixed", k), the same value from outside in all of them;
        ("row", k), a value from outside for each of them.
      carried: (place, references of the first iterations) for each k.
      fixed: a reference for each k.
      rows: a tuple of references for each k.
      used_outside: place of a result that is used outside -> whether others than the last one are.
    """

    def __init__(self, steps, first, length, iterations):
        self.first, self.length, self.iterations = first, length, iterations
        self.calls = [call for call, _ in steps[first : first + length]]
        self.carried, self.fixed, self.rows = {}, {}, {}
        self.arguments = []
        for place in range(length):
            refs = zip(*(steps[first + t * length + place][1] for t in range(iterations)), strict=True)
            self.arguments.append([self._argument(place, column) for column in refs])
        self.used_outside = {}

    def _argument(self, place, column):
        last = column[-1] - self.first
        if last >= 0:
            delay = self.iterations - 1 - last // self.length
            at = last % self.length
            if not delay:
                return "inner", at
            return "carried", self.carried.setdefault((at, column[:delay]), len(self.carried))
        if all(ref == column[0] for ref in column):
            return "fixed", self.fixed.setdefault(column[0], len(self.fixed))
        return "row", self.rows.setdefault(column, len(self.rows))

    @property
    def stop(self):
        return self.first + self.iterations * self.length

    def note_use(self, ref):
        """Notes that a result is used outside."""
        iteration, place = divmod(ref - self.first, self.length)
        self.used_outside[place] = self.used_outside.get(place, False) or iteration < self.iterations - 1

    def run(self, value_at, results):
        """Runs the loop; puts what is used outside into the dict `results`."""
        rows = [[value_at(ref) for ref in column] for column in self.rows]
        backwards = any(map(_falls, rows))
        rows = [stacked(row, backwards) for row in rows]
        fixed = [row_value(value_at(ref)) for ref in self.fixed]
        start = [tuple(row_value(value_at(ref)) for ref in reversed(refs)) for _, refs in self.carried]
        lasts = [place for place, several in self.used_outside.items() if not several and not self._is_carried(place)]
        start += [(_zeros(self.calls[place].aval),) for place in lasts]
        stacks = [place for place, several in self.used_outside.items() if several]
        places = [place for place, _ in self.carried] + lasts
        unroll = max(1, min(self.iterations // 4, policy.ROLLING.step_operations // self.length))

        def rolled_loop(start, fixed, rows):
            def body(carry, row):
                inner = []
                sources = {"inner": inner, "carried": [c[-1] for c in carry], "fixed": fixed, "row": row}
                for call, arguments in zip(self.calls, self.arguments, strict=True):
                    with jax.named_scope(call.operation.name):
                        result = call.fn(*[sources[kind][k] for kind, k in arguments])
                    inner.append(tuple(result) if isinstance(result, list) else result)
                carry = [(inner[place], *c[:-1]) for place, c in zip(places, carry, strict=True)]
                return carry, [inner[place] for place in stacks]

            return jax.lax.scan(body, start, rows, length=self.iterations, reverse=backwards, unroll=unroll)

        carry, made = jax.jit(rolled_loop)(start, fixed, rows)
        newest = {place: c[0] for place, c in zip(places, carry, strict=True)}
        for place, several in self.used_outside.items():
            at = self.stop - self.length + place
            if not several:
                results[at] = newest[place]
        for place, stack in zip(stacks, made, strict=True):
            for t in range(self.iterations):
                results[self.first + t * self.length + place] = Row(stack, self.iterations - 1 - t if backwards else t)

    def _is_carried(self, place):
        return any(at == place for at, _ in self.carried)


def _zeros(aval):
    parts = getattr(aval, "parts", None)
    return jnp.zeros(aval.shape, aval.dtype) if parts is None else tuple(map(_zeros, parts))


def _falls(row):
    """Whether most values of a row are rows of a stack in reverse order. The loop then runs best from the end."""
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
            distance = row[stop].index - row[stop - 1].index
            if distance not in (1, -1) or step not in (None, distance):
                break
            step = distance
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
    loops, i = [], 0
    while i < len(calls) - policy.ROLLING.min_iterations:
        places[calls[i]].pop()
        loop = _loop_at(steps, calls, i, places[calls[i]])
        if loop is not None:
            for k in range(i + 1, loop.stop):
                places[calls[k]].pop()
            loops.append(loop)
        i = loop.stop if loop is not None else i + 1
    if not loops:
        return loops, frozenset()
    whole = frozenset(i for i, call in enumerate(calls) if call.of_rows is not None)
    cut = _rows_cut_out(steps, outputs, loops, whole)
    loops = [
        loop for loop in loops
        if policy.roll((loop.iterations - 1) * loop.length, sum(cut[i] for i in range(loop.first, loop.stop)))
    ]  # fmt: skip
    whole = frozenset(i for i in whole if policy.roll(0, _cut_of(steps, i, cut)))
    for ref in _used_outside(steps, outputs, loops):
        for loop in loops:
            if loop.first <= ref < loop.stop:
                loop.note_use(ref)
    return loops, whole


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
        inner: Any = getattr(call.fn, "__self__", None)
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
        iterations = (end - i) // length
        if iterations < policy.ROLLING.min_iterations or iterations * length < policy.ROLLING.min_operations:
            continue
        first, iterations = _alike(steps, i, length, iterations)
        if iterations < policy.ROLLING.min_iterations or iterations * length < policy.ROLLING.min_operations:
            continue
        loop = Loop(steps, first, length, iterations)
        if _is_worth_it(loop):
            return loop
    return None


def _alike(steps, i, length, iterations):
    """The iterations around the middle one that are wired alike.

    A reference that moves along with the iterations is to the same or to an earlier one. Any other must be to a value
    from outside. The first iteration may take anything from outside where later ones take a result of an earlier one.

    Returns:
      (first step, how many iterations)
    """
    middle = i + iterations // 2 * length
    reach = policy.ROLLING.max_delay * length
    moving = [  # how far back, for each argument of each step of an iteration; 0 for values from outside
        [
            at - ref if ref >= 0 and ref - previous == length and at - ref <= reach + place else 0
            for ref, previous in zip(steps[at][1], steps[at - length][1], strict=True)
        ]
        for place, at in enumerate(range(middle, middle + length))
    ]

    def fits(base, as_first=False):
        for place, at in enumerate(range(base, base + length)):
            for back, ref in zip(moving[place], steps[at][1], strict=True):
                if back and ref != at - back and not (as_first and back > place and ref < base):
                    return False
        return True

    first = stop = middle
    while first > i and fits(first - length):
        first -= length
    if first > i and fits(first - length, as_first=True):
        first -= length
    while stop < i + iterations * length and fits(stop):
        stop += length
    for at in range(first, stop):
        for back, ref in zip(moving[(at - first) % length], steps[at][1], strict=True):
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
                size += _size(loop.calls[place].in_avals[k]) * loop.iterations
    return size <= policy.ROLLING.max_stacked


def _is_known(aval):
    parts = getattr(aval, "parts", None)
    return all(map(_is_known, parts)) if parts is not None else all(type(d) is int for d in aval.shape)


def _size(aval):
    parts = getattr(aval, "parts", None)
    return sum(map(_size, parts)) if parts else math.prod(aval.shape) * np.dtype(aval.dtype).itemsize

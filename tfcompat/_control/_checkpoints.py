"""A `while` loop with derivatives of any order in both modes, though the number of turns is known only at run time.

`jax.lax.while_loop` has forward mode alone. Here a loop under differentiation keeps the states of some of its turns in
a buffer of fixed size: of all of them as long as there is room, then of every second, every fourth... The backward
walk takes what is kept, and computes the states between again, which it stores where there is room by now. So memory
is bounded, and a turn is computed forward once, and twice backward: once more for long loops, and for very long ones
a number of times that grows as the logarithm of their length.
"""

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import engine
from tfcompat._core.linear_map import linear_map
from tfcompat.engine._policy import WHILE_LOOPS


def while_loop(goes_on, turn, state, captures, bound=None):
    """Repeats `turn` while `goes_on` holds.

    Args:
      goes_on: function of the state and the captures, pure and closed over no tracers, to a scalar bool array.
      turn: likewise, to the next state.
      state, captures: tuples of arrays.
      bound: int that the number of turns is known not to exceed, or None.

    Returns:
      The last state. Its second derivatives in reverse mode are nan after more than 262,144 turns.
    """
    return _Loop(_in_this_context(goes_on), _in_this_context(turn), bound)(tuple(state), tuple(captures))


def _in_this_context(fn):
    """`fn`, to be called later with the symbolic sizes and the integer width in force now."""
    fn, wide = engine.keeping_sizes(fn), jax.config.jax_enable_x64

    def run(*args):
        with jax.enable_x64(wide):
            return fn(*args)

    return run


def _moves(x):
    return jnp.issubdtype(x.dtype, jnp.inexact)


def _zero(x):
    return jnp.zeros_like(x) if _moves(x) else np.zeros(jnp.shape(x), jax.dtypes.float0)


def _zeros(values):
    return [_zero(x) for x in values]


class _Moving:
    """Which values of a tuple have derivatives."""

    def __init__(self, values):
        self.places = [i for i, x in enumerate(values) if _moves(x)]

    def of(self, values):
        return [values[i] for i in self.places]

    def put(self, values, moving):
        values = list(values)
        for i, x in zip(self.places, moving, strict=True):
            values[i] = x
        return tuple(values)


class _Loop:
    """The loop of pure functions; see `while_loop`."""

    def __init__(self, goes_on, turn, bound):
        self.goes_on, self.turn, self.bound = goes_on, turn, bound

    def __call__(self, state, captures):
        run = jax.custom_jvp(self.plain)
        run.defjvp(self._derivative)
        return run(state, captures)

    def plain(self, state, captures):
        return jax.lax.while_loop(
            lambda s: self.goes_on(s, captures), lambda s: tuple(self.turn(s, captures)), tuple(state)
        )

    def _derivative(self, primals, tangents):
        results, tangents = self._derivative_of_both(primals, tangents)
        return results[0], tangents[0]

    def _with_kept(self, state, captures):
        """(last state, residuals kept on the way, which count as constants)."""
        run = jax.custom_jvp(self.kept)
        run.defjvp(self._derivative_of_both)
        return run(state, captures)

    def _derivative_of_both(self, primals, tangents):
        state, captures = primals
        moving, moving_captures = _Moving(state), _Moving(captures)
        last, checkpoints = self._with_kept(state, captures)
        residuals, structure = jax.tree.flatten((state, captures, jax.lax.stop_gradient(checkpoints)))
        linear = _Linear(self, structure, moving, moving_captures)
        all_tangents = [*moving.of(tangents[0]), *moving_captures.of(tangents[1])]
        results = linear_map(linear, residuals, all_tangents, moving.of(last))
        return (last, checkpoints), (moving.put(_zeros(state), results), jax.tree.map(_zero, checkpoints))

    # --- states kept on the way ---------------------------------------------------------------------------------

    def _room(self, state):
        """(number of states kept on the way forward, number of all slots)."""
        sizes = [np.prod(jnp.shape(x)) for x in state]
        known = all(not jax.export.is_symbolic_dim(d) for x in state for d in jnp.shape(x))
        size = sum(int(n) * x.dtype.itemsize for n, x in zip(sizes, state, strict=True)) if known else 0
        slots = WHILE_LOOPS.most_kept
        while slots > WHILE_LOOPS.least_kept and slots * size > WHILE_LOOPS.bytes_kept:
            slots //= 2
        if self.bound is not None and self.bound <= slots:
            return max(self.bound + self.bound % 2, 2), max(self.bound, 2) + 2
        return slots * 3 // 4, slots

    def kept(self, state, captures):
        """The last state, and what `Adjoint` needs: number of turns, of states kept, each how many turns, buffers.

        The slot of the k-th state kept is `order[k]`. If all are taken, every second one is free again.
        """
        room, slots = self._room(state)
        thinned = np.concatenate([np.arange(0, room, 2), np.arange(1, room, 2), np.arange(room, slots + 1)])
        buffers = tuple(jnp.zeros((slots + 1, *jnp.shape(x)), x.dtype) for x in state)

        def one(carry):
            state, turns, used, every, order, buffers = carry
            full = (used == room) & (turns % every == 0)
            order = jnp.where(full, order[thinned], order)
            used, every = jnp.where(full, room // 2, used), jnp.where(full, 2 * every, every)
            buffers = _stored(buffers, order[used], state)
            used += (turns % every == 0).astype(np.int32)
            return tuple(self.turn(state, captures)), turns + 1, used, every, order, buffers

        start = (state, np.int32(0), np.int32(0), np.int32(1), jnp.arange(slots + 1, dtype=np.int32), buffers)
        last, *checkpoints = jax.lax.while_loop(lambda carry: self.goes_on(carry[0], captures), one, start)
        return last, tuple(checkpoints)

    # --- derivatives ----------------------------------------------------------------------------------------------

    def with_tangents(self, moving, moving_captures):
        """The loop of states and their tangents, and captures and theirs."""
        def split(values, places):
            return values[: len(values) - len(places.places)], values[len(values) - len(places.places) :]

        def goes_on(both, captures):
            return self.goes_on(split(both, moving)[0], split(captures, moving_captures)[0])

        def turn(both, captures):
            state, tangents = split(both, moving)
            primals, capture_tangents = split(captures, moving_captures)

            def one(values, values_of_captures):
                result = tuple(self.turn(moving.put(state, values), moving_captures.put(primals, values_of_captures)))
                return moving.of(result), result

            _, moved, result = jax.jvp(
                one, (moving.of(state), moving_captures.of(primals)), (list(tangents), list(capture_tangents)),
                has_aux=True,
            )
            return (*result, *moved)

        return _Loop(goes_on, turn, self.bound)

    def pulled_back(self, moving, moving_captures, state, captures, checkpoints, cotangents):
        """Cotangents of the state and the captures from those of the last state."""
        turns, used, every, order, buffers = checkpoints
        slots = order.shape[0] - 1
        places = (jnp.arange(slots + 1, dtype=np.int32) * every).astype(np.int32)
        zeros = [jnp.zeros_like(x) for x in moving_captures.of(captures)]

        def again(carry):
            """Computes the states up to the next turn. Stores all of them, or as many as half of the slots hold."""
            turns_left, used, places, buffers, *_ = carry
            first = places[used - 1]
            ahead, free = turns_left - 1 - first, slots - used
            half = jnp.maximum(free // 2, 1)
            step = jnp.where(ahead <= free, 1, jnp.maximum((ahead + half - 1) // half, 1))

            def one(carry):
                state, place, used, places, buffers = carry
                state, place = tuple(self.turn(state, captures)), place + 1
                buffers, places = _stored(buffers, order[used], state), places.at[used].set(place)
                used += (((place - first) % step == 0) | (place == turns_left - 1)).astype(np.int32)
                return state, place, used, places, buffers

            start = (_row(buffers, order[used - 1]), first, used, places, buffers)
            return jax.lax.while_loop(lambda carry: carry[1] < turns_left - 1, one, start)[2:]

        def back(carry):
            turns_left, used, places, buffers, cotangents, sums = carry
            state = _row(buffers, order[used - 1])

            def one(values, values_of_captures):
                return moving.of(
                    self.turn(moving.put(state, values), moving_captures.put(captures, values_of_captures))
                )

            cotangents, more = jax.vjp(one, moving.of(state), moving_captures.of(captures))[1](cotangents)
            sums = [a + b for a, b in zip(sums, more, strict=True)]
            return turns_left - 1, used - 1, places, buffers, cotangents, sums

        def stretch(carry):
            used, places, buffers = again(carry)
            return jax.lax.while_loop(
                lambda carry: (carry[1] > 0) & (carry[2][carry[1] - 1] == carry[0] - 1), back,
                (carry[0], used, places, buffers, *carry[4:]),
            )  # fmt: skip

        start = (turns, used, places, buffers, list(cotangents), zeros)
        *_, cotangents, sums = jax.lax.while_loop(lambda carry: carry[0] > 0, stretch, start)
        return [*cotangents, *sums]

    def in_scans(self, state, captures):
        """The loop as nested scans, which have derivatives of any order; nan if the loop is longer than they are.

        A loop that ends early skips the rest of each scan. Only the innermost scan keeps the values of all its
        iterations; the others keep their states and compute again.
        """
        levels = WHILE_LOOPS.scan_levels
        while self.bound is not None and levels > 1 and WHILE_LOOPS.scan_length ** (levels - 1) >= self.bound:
            levels -= 1
        return _scanned(lambda s: self.goes_on(s, captures), lambda s: tuple(self.turn(s, captures)), state, levels)


def _stored(buffers, slot, state):
    return tuple(
        jax.lax.dynamic_update_index_in_dim(buffer, x, slot, 0) for buffer, x in zip(buffers, state, strict=True)
    )


def _row(buffers, slot):
    return tuple(jax.lax.dynamic_index_in_dim(buffer, slot, 0, keepdims=False) for buffer in buffers)


def _scanned(goes_on, turn, state, levels):
    def repeated(run):
        def all_turns(state):
            return jax.lax.scan(lambda s, _: (run(s), None), state, None, length=WHILE_LOOPS.scan_length)[0]

        return lambda state: jax.lax.cond(goes_on(state), all_turns, lambda s: s, state)

    run = repeated(lambda state: jax.lax.cond(goes_on(state), turn, lambda s: s, state))
    for _ in range(levels - 1):
        run = repeated(jax.checkpoint(run, prevent_cse=False))
    state = run(tuple(state))
    too_long = goes_on(state)
    return tuple(jnp.where(too_long, jnp.nan, x).astype(x.dtype) if _moves(x) else x for x in state)


class _Linear:
    """The linear map from tangents of (state, captures) to those of the last state. Residuals are passed flat."""

    def __init__(self, loop, structure, moving, moving_captures):
        self.loop, self.structure, self.moving, self.moving_captures = loop, structure, moving, moving_captures

    def push(self, residuals, tangents):
        return self._both(residuals, tangents, _Loop.plain)

    def differentiable(self, residuals, tangents):
        """As `push`, with derivatives."""
        return self._both(residuals, tangents, _Loop.__call__)

    def _both(self, residuals, tangents, run):
        state, captures, _ = jax.tree.unflatten(self.structure, residuals)
        count = len(self.moving.places)
        loop = self.loop.with_tangents(self.moving, self.moving_captures)
        return list(run(loop, (*state, *tangents[:count]), (*captures, *tangents[count:]))[len(state) :])

    def pull(self, residuals, cotangents):
        run = jax.custom_jvp(self._pull)
        run.defjvp(lambda primals, tangents: jax.jvp(self._pull_again, primals, tangents))
        return run(list(residuals), list(cotangents))

    def _pull(self, residuals, cotangents):
        loop_inputs = jax.tree.unflatten(self.structure, residuals)
        return self.loop.pulled_back(self.moving, self.moving_captures, *loop_inputs, cotangents)

    def _pull_again(self, residuals, cotangents):
        state, captures, _ = jax.tree.unflatten(self.structure, residuals)

        def run(values, values_of_captures):
            put = self.moving.put(state, values), self.moving_captures.put(captures, values_of_captures)
            return self.moving.of(self.loop.in_scans(*put))

        pulled = jax.vjp(run, self.moving.of(state), self.moving_captures.of(captures))[1](cotangents)
        return [*pulled[0], *pulled[1]]

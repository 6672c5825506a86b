"""State of one iteration of a dataset: seeds of shuffles, states of random ops in functions."""

import threading

import numpy as np

from tfcompat import engine
from tfcompat.random import _seed
from tfcompat.random._philox_host import philox_words


class Words:
    """The stream of 32-bit numbers of TF's Philox generator with two seeds, drawn in pieces."""

    def __init__(self, seed, seed2, place=0):
        self._key, self._counter = seed & 2**64 - 1, (seed2 & 2**64 - 1) << 64
        self._words = np.empty(0, np.uint32)
        self._block = place // 4
        self._at = 0
        if place % 4:
            self.take(place % 4)

    def take(self, count):
        """The next `count` numbers, a uint32 array."""
        missing = count - (len(self._words) - self._at)
        if missing > 0:
            blocks = max(-(-missing // 4), 256)
            more = philox_words(self._key, self._counter + self._block, 4 * blocks)
            self._words = np.concatenate([self._words[self._at :], more])
            self._block, self._at = self._block + blocks, 0
        self._at += count
        return self._words[self._at - count : self._at]


class Seeds:
    """The source of the seeds for each iteration of a dataset.

    Args:
      seed: the user's, int or None.
      renewed: whether each iteration gets other seeds.
    """

    def __init__(self, seed, renewed):
        seeds, _ = _seed.get_seed(None if seed is None else int(seed))
        if seeds == (None, None):
            seeds = tuple(_seed.entropy_state(2).tolist())
        self.seeds, self.renewed, self.place = seeds, renewed, 0
        self._lock = threading.Lock()

    def draw(self, run):
        """Two seeds for an iteration: seeds drawn when the run began, if any are left, or else the next."""
        begun = run.begun.get(id(self))
        return begun.pop(0) if begun else self._next(run)

    def _next(self, run):
        state = run.seeds.get(id(self))
        if state is not None:  # an iteration that continues from a checkpoint
            seed, seed2, place = state
            run.seeds[id(self)] = seed, seed2, place + 2
        else:
            with self._lock:
                (seed, seed2), place = self.seeds, self.place
                self.place += 2
        if not self.renewed:
            return seed, seed2
        first, second = Words(seed, seed2, place).take(2).tolist()
        return first, second


class Run:
    """One iteration of a dataset, from its beginning.

    Args:
      nodes: the datasets that it is made from.
      state: what `state` gave for another run, or None.
      trial: whether the orders are to be those of the next run again.
    """

    def __init__(self, nodes, state=None, trial=False):
        self._streams = [node._seeds for node in nodes if hasattr(node, "_seeds")]
        self.seeds = {}
        self.begun = {}
        self._states = {}
        self._states_of_functions = {}
        self._lock = threading.Lock()
        if state is None:
            self._start = [(*stream.seeds, stream.place) for stream in self._streams]
            if not trial:
                return
        else:
            self._start = [tuple(map(int, state[i : i + 3])) for i in range(0, len(state), 3)]
        if len(self._start) != len(self._streams):
            raise ValueError(
                "The checkpoint is of an iterator over another dataset: it has "
                f"{len(self._start)} random transformations, this one {len(self._streams)}."
            )
        self.seeds = {id(stream): start for stream, start in zip(self._streams, self._start, strict=True)}

    def begin(self, streams):
        """Draws seeds now that would otherwise be drawn when needed."""
        for stream in streams:
            self.begun.setdefault(id(stream), []).append(stream._next(self))

    def state(self):
        """A flat list of ints from which this run can be continued."""
        return [int(np.uint64(n % 2**64).astype(np.int64)) for start in self._start for n in start]

    def random_states(self, function):
        """State of the random ops of a function that is called for each element; see `_core/streams.Frame`."""
        return self._states_of_functions.setdefault(id(function), {})

    def random_state(self, variable):
        """The state of a random op in a function. The first is the initial state of TF's kernels."""
        if variable.unpredictable:
            return engine.array_of(variable._node)
        state = self._states.get(id(variable))
        return np.asarray(variable._initial) if state is None else state

    def set_random_state(self, variable, state):
        """The state after some elements."""
        if variable.unpredictable:
            variable._node = engine.leaf(state)
        else:
            self._states[id(variable)] = state

"""Where the stateful functions (`tf.random.normal`...) get their generator states from: TF's two seeds, its
counters.

TF derives two seeds for each op, the global one and the op's own. A kernel with these seeds and attributes is
made once and kept; each call moves its counter on. Kernels made for a seed of TF's own choosing are used
once. Sources of the facts: `random_seed.py`, `eager/context.py`, `guarded_philox_random.cc` of TF 2.21.

In a function each op is a kernel of its own: a hidden variable holds its state, so the function goes on where its
last call stopped. Ops without a seed are numbered in the order of tracing, in branches and loops anew (`_streams`);
so are those of functions that run as plain Python.
"""

import math
import os
import random
import threading
import weakref

import numpy as np

from tfcompat import engine
from tfcompat._core import streams as _streams
from tfcompat._core.symbolic_sizes import is_symbol, size_node
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import ResourceVariable
from tfcompat.engine import function_trace
from tfcompat.random import _philox
from tfcompat.random._arguments import record

_DEFAULT_GLOBAL_SEED = 87654321
_MODULUS = 2**31 - 1


class _Context:
    """The global seed, the chain of op seeds that follows from it, and the counters of the kernels made so
    far."""

    def __init__(self):
        self.lock = threading.Lock()
        self.seed = None
        self.op_seeds = random.Random()
        self.counters = {}
        self.draws = 0


class KernelState(ResourceVariable):
    """The state of one random op in a function; set back by `tf.random.set_seed`."""

    def __init__(self, state, seeds=(0, 0)):
        super().__init__(state, trainable=False, name="random_state")
        self._initial, self.seeds = state, seeds
        self.unpredictable = seeds == (None, None)  # no seed was given
        _kernel_states.add(_Identity(self, _kernel_states.discard))

    def set_back(self):
        """Starts the stream again."""
        self._node = engine.leaf(self._initial)

    def of_another_call(self):
        """The state of the op where the function is called in another place: TF has a kernel for each."""
        with engine.eager_scope():
            initial = entropy_state(self._initial.size) if self.unpredictable else self._initial
            return KernelState(initial, self.seeds)


class _Identity(weakref.ref):
    """A weak reference that compares by identity, as variables have no equality of their own."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


_context = _Context()
_variables_lock = threading.RLock()
_kernel_states: set = set()


def set_seed(seed):
    """Sets the global random seed, and starts all streams of random numbers again.

    Args:
      seed: int.

    With a global seed, functions without a `seed` of their own take the next one of a fixed chain; functions
    with one continue their own stream at each call. The numbers are TensorFlow's for the same seeds.

    >>> tf.random.set_seed(5)
    >>> tf.random.uniform([], maxval=3, dtype=tf.int32, seed=10).numpy()
    2

    TF: `tf.random.set_seed`. Equal numbers where the documentation of each function says so.
    """
    frame = _streams.frame()
    if frame is not None:
        frame.seed = seed
        return
    try:
        op_seeds = random.Random(seed)
    except TypeError:
        op_seeds = random.Random(int(np.array(seed)))
    with _context.lock:
        _context.seed, _context.op_seeds, _context.counters = seed, op_seeds, {}
        states = [reference() for reference in list(_kernel_states)]
    for state in states:
        if state is not None:
            state.set_back()


def get_seed(op_seed):
    """The two seeds for one call of a stateful op; a call without a seed takes the next one of its chain.

    Args:
      op_seed: the `seed` argument of the call, or None; of a raw op both seeds, a tuple.

    Returns:
      What `next_state` takes.

    Raises:
      TypeError: `op_seed` is no number.
    """
    engine.meet()  # replicas take the seeds in turn
    frame = _streams.frame()
    if type(op_seed) is tuple:
        if function_trace(engine.state.graph) is None:
            _context.draws += 1
        return op_seed, False
    if frame is not None:
        if function_trace(engine.state.graph) is None:
            _context.draws += 1
        seed = frame.known_seed(_context.seed)
        if op_seed is None and seed is not None:
            op_seed, frame.unseeded = frame.unseeded, frame.unseeded + 1
        return _two_seeds(seed, op_seed), False
    with _context.lock:
        _context.draws += 1
        once = op_seed is None and _context.seed is not None
        if once:
            op_seed = _context.op_seeds.randint(0, _MODULUS)
        return _two_seeds(_context.seed, op_seed), once


def global_seed():
    """The global seed here, None if there is none."""
    frame = _streams.frame()
    return _context.seed if frame is None else frame.known_seed(_context.seed)


def draws():
    """How many calls of stateful ops there were so far, outside of traced functions."""
    return _context.draws


def next_state(kernel, seeds, blocks, *attributes):
    """The generator state for one call of a stateful op; its stream moves on.

    Args:
      kernel: TF's name of the op.
      seeds: from `get_seed`.
      blocks: how many blocks of the stream the call reserves.
      *attributes: what else tells TF's kernels apart: dtypes.

    Returns:
      Node of an int64[3] state: known on the host, except in a traced function, where it is read from a
      variable.
    """
    seeds, once = seeds
    frame = _streams.frame()
    if frame is not None:
        return advance(frame.at_next_place(lambda: _new_state(seeds)), blocks)
    if once:
        return _of_this_row(engine.leaf(_philox.make_state(*_first_state(seeds))), blocks)
    # In TF each device has kernels of its own.
    counter_key = (kernel, seeds, engine.state.context.replica or 0, *attributes)
    with _context.lock:
        key, counter = _context.counters.get(counter_key) or _first_state(seeds)
        _context.counters[counter_key] = key, counter + blocks * _rows()
    return _of_this_row(engine.leaf(_philox.make_state(key, counter)), blocks)


def _rows():
    """How many rows are computed at once, see `_streams.at_row`."""
    return math.prod(count for _, count in _streams.current.rows)


def _of_this_row(state, blocks):
    """The generator state of one row of each `tf.vectorized_map` around. Each row reserves `blocks`."""
    stride = blocks * _rows()
    for index, count in _streams.current.rows:
        stride //= count
        state = record(_ROW, (state, index), stride)._node
    return state


def memory(kernel, seeds, initial, *attributes):
    """What a stateful kernel remembers from call to call beside its stream; `tf.random.set_seed` sets it back.

    Args:
      kernel: TF's name of the op.
      seeds: from `get_seed`.
      initial: NumPy array, what a new kernel holds.
      *attributes: what else tells TF's kernels apart.

    Returns:
      `(node, keep)`: what is remembered, and a function that takes the tensor to remember from now on.
    """
    seeds, once = seeds
    frame = _streams.frame()
    if frame is not None:
        variable = frame.at_next_place(lambda: _new_memory(initial))
        with engine.watching(()):
            return variable._as_node(), variable.assign
    memory_key = ("memory", kernel, seeds, engine.state.context.replica or 0, *attributes)
    node = None if once else _context.counters.get(memory_key)

    def keep(tensor):
        if not once:
            with _context.lock:
                _context.counters[memory_key] = tensor._node

    return engine.leaf(initial) if node is None else node, keep


def advance(variable, blocks):
    """Moves the state in `variable` on by `blocks`; returns the node of the state before.

    Args:
      variable: int64 variable.
      blocks: int; in a traced function also an integer scalar tensor.
    """
    if function_trace(engine.state.graph) is not None:
        if is_symbol(blocks):
            amount = size_node(blocks, np.dtype(np.uint64))
        else:
            amount = blocks if not isinstance(blocks, int) else engine.leaf(np.uint64(blocks % 2**64))
        with engine.watching(()):
            before = variable._as_node()
            variable.assign(record(_SKIP, (before, amount)))
        return before
    # On the host, so that a loop that draws numbers stays one program. Replicas draw in turn.
    engine.meet()
    with _variables_lock:
        trial = engine.state.context.trial
        if trial is not None:
            trial.assigned(variable)
        before = engine.array_of(variable._node)
        variable._node = engine.leaf(_skipped(before, blocks * _rows()))
    return _of_this_row(engine.leaf(before), blocks)


def entropy_state(size=3):
    """A state nobody can predict, int64[size]."""
    return np.frombuffer(os.urandom(8 * size), np.int64).copy()


def _new_state(seeds):
    with engine.eager_scope():
        return KernelState(_philox.make_state(*_first_state(seeds)), seeds)


def _new_memory(initial):
    with engine.eager_scope():
        return KernelState(initial)


def _two_seeds(global_seed, op_seed):
    """TF's `get_seed`; (None, None) stands for numbers nobody can predict."""
    if global_seed is None:
        if op_seed is None:
            return None, None
        global_seed = _DEFAULT_GLOBAL_SEED
    if isinstance(op_seed, Tensor) and op_seed.shape.rank != 0:
        raise TypeError(f"Expected int for argument 'seed2' not {op_seed!r}.")
    seeds = int(global_seed % _MODULUS), int(op_seed % _MODULUS)
    return (0, _MODULUS) if seeds == (0, 0) else seeds


def _first_state(seeds):
    """(key, counter) of a new kernel."""
    if seeds == (None, None):
        key, high = entropy_state(2).tolist()
        return key, (high & 2**64 - 1) << 64
    return seeds[0], seeds[1] << 64


def _skipped(state, blocks):
    """`state` moved on by `blocks`, on the host; word by word, as TF does."""
    low, high, key = (int(word) & 2**64 - 1 for word in state)
    blocks %= 2**64
    moved = (low + blocks) % 2**64
    lost = blocks >> 32 == 2**32 - 1 and moved % 2**32 < blocks % 2**32
    return _philox.make_state(key, moved | (high + (moved < blocks and not lost)) << 64)


_SKIP = engine.Operation("RngReadAndSkip", _philox.skip)
_ROW = engine.Operation(
    "RngSkipRows", lambda state, row, *, blocks: _philox.skip(state, (row * blocks).astype(np.uint64)), ("blocks",),
    differentiable=False,
)  # fmt: skip

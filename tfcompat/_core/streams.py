"""Random ops of functions: which op without a seed gets which numbers.

TensorFlow numbers the ops without a seed in each graph (a function, branch, condition or loop body) from the start.
Each op then continues its own stream of numbers from call to call. A `Frame` stands for such a graph, while a function
is traced and each time that one runs as plain Python.
"""

import contextlib
from typing import Any

from tfcompat import engine
from tfcompat._package.thread_state import ThreadState
from tfcompat.engine import function_trace


class Frame:
    """One pass through the Python code of a graph.

    Args:
      outer: the Frame around it.
      states: dict from places in the code to the states of the ops there; None if each trace has states of its own.
      place: of the graph in the code, a tuple of ints.

    Attributes:
      seed: the global seed; `unknown` until it is asked for.
      unseeded: how many ops had no seed so far.
    """

    unknown: Any = object()

    def __init__(self, outer=None, states=None, place=()):
        self.seed = self.unknown if outer is None else outer.seed
        self.unseeded = 0
        self._outer, self._states, self._place, self._count = outer, states, place, 0

    def known_seed(self, default):
        """The global seed: that of the frames around this one, or `default`, which it is from now on."""
        if self.seed is self.unknown:
            self.seed = default if self._outer is None else self._outer.known_seed(default)
        return self.seed

    def next_place(self):
        """The place of the next op, or of the next statement with graphs of its own."""
        self._count += 1
        return (*self._place, self._count)

    def inner(self, place):
        """The frame of a graph at `place` in this one."""
        return Frame(self, self._states, place)

    def at_next_place(self, make):
        """What `make()` returned when the code first reached this place."""
        if self._states is None:
            return make()
        place = self.next_place()
        if place not in self._states:
            self._states[place] = make()
        return self._states[place]


class _Current(ThreadState):
    frame: Any = None  # of the function that runs as plain Python
    rows: Any = ()  # (index, count) of the row that each `tf.vectorized_map` around is at, the outermost first


current = _Current()


def frame():
    """The Frame of the graph that is traced, or runs as plain Python; None in eager code."""
    return _holder().frame


def _holder():
    return function_trace(engine.state.graph) or current


class entered:
    """Context in which the function that runs as plain Python is in the graph of `frame`, or in none for None."""

    def __init__(self, frame, holder=current):
        self._frame, self._holder = frame, holder

    def __enter__(self):
        self._outer, self._holder.frame = self._holder.frame, self._frame

    def __exit__(self, *exc):
        self._holder.frame = self._outer


def entered_here(frame):
    """Context in which random ops are those of `frame`, whether a function is traced here or not."""
    return entered(frame, _holder())


@contextlib.contextmanager
def at_row(index, count):
    """Context in which each of `count` rows, computed at once, draws numbers of its own. `index` is a tensor."""
    outer = current.rows
    current.rows = (*outer, (index, count))
    try:
        yield
    finally:
        current.rows = outer


class Streams:
    """The random ops of a function that runs as plain Python."""

    def __init__(self):
        self._graphs = {}  # signature -> (global seed, states of the ops)

    @contextlib.contextmanager
    def entered(self, signature):
        """Context in which the function runs. As in TF, each signature and each place of a call has ops of its own."""
        if current.frame is not None:
            with entered(current.frame.inner(current.frame.next_place())):
                yield
            return
        seed, states = self._graphs.get(signature) or (Frame.unknown, {})
        frame = Frame(None, states)
        frame.seed = seed
        with entered(frame):
            try:
                yield
            finally:
                if states or frame.seed is not Frame.unknown:
                    self._graphs[signature] = frame.seed, states


def graphs(*functions, begin_anew=False):
    """The functions of a statement (branches, a loop's body), each of which is a graph of its own to TF.

    Args:
      *functions: of the statement; None stays.
      begin_anew: whether their ops start anew each time that the statement is reached.
    """
    holder = _holder()
    frame = holder.frame
    if frame is None:
        return functions
    place = frame.next_place()
    of_this_time: dict = {}

    def graph(function, number):
        def run(*args, **kwargs):
            inner = Frame(frame, of_this_time, (number,)) if begin_anew else frame.inner((*place, number))
            with entered(inner, holder):
                return function(*args, **kwargs)

        return function and run

    return tuple(graph(function, number) for number, function in enumerate(functions))

"""Where a function is among its random ops.

TF numbers the ops without a seed in each graph anew, that is in each function, branch, condition and body of a loop,
and each op of a graph goes on with its own numbers from call to call. A `Frame` stands for such a graph: while a
function is traced, and each time that one runs as plain Python.
"""

import contextlib
import threading
from typing import Any

from tfcompat import engine
from tfcompat.engine import function_trace


class Frame:
    """One pass through the Python code of a graph.

    Args:
      outer: the Frame around it.
      kept: dict from places in the code to what belongs to them; None where each trace has states of its own.
      place: of the graph.

    Attributes:
      seed: the global seed; `unknown` until it is asked for.
      unseeded: how many ops had no seed so far.
    """

    unknown: Any = object()

    def __init__(self, outer=None, kept=None, place=()):
        self.seed = self.unknown if outer is None else outer.seed
        self.unseeded = 0
        self._outer, self._kept, self._place, self._count = outer, kept, place, 0

    def known_seed(self, default):
        """The global seed: of the frames around, or else `default`, which is that from now on."""
        if self.seed is self.unknown:
            self.seed = default if self._outer is None else self._outer.known_seed(default)
        return self.seed

    def next_place(self):
        """The place of the next op, or of the next statement with graphs of its own."""
        self._count += 1
        return (*self._place, self._count)

    def inner(self, place):
        """The frame of a graph at `place` in this one."""
        return Frame(self, self._kept, place)

    def at_next_place(self, make):
        """What `make()` returned when the code came by first."""
        if self._kept is None:
            return make()
        place = self.next_place()
        if place not in self._kept:
            self._kept[place] = make()
        return self._kept[place]


class _Current(threading.local):
    frame: Any = None  # of the function that runs as plain Python
    rows: Any = ()  # (index, count) of the row that each `tf.vectorized_map` around is at, the outermost first


current = _Current()


def frame():
    """The Frame of the graph that is traced, or runs as plain Python; None in eager code."""
    return _holder().frame


def _holder():
    return function_trace(engine.state.graph) or current


class entered:
    """In the context the function that runs as plain Python is in the graph of `frame`; in none if that is None."""

    def __init__(self, frame, holder=current):
        self._frame, self._holder = frame, holder

    def __enter__(self):
        self._outer, self._holder.frame = self._holder.frame, self._frame

    def __exit__(self, *exc):
        self._holder.frame = self._outer


@contextlib.contextmanager
def at_row(index, count):
    """In the context each of `count` rows, computed all at once, draws numbers of its own; `index` is a tensor."""
    outer = current.rows
    current.rows = (*outer, (index, count))
    try:
        yield
    finally:
        current.rows = outer


class Streams:
    """The random ops of a function that runs as plain Python."""

    def __init__(self):
        self._graphs = {}  # signature -> (global seed, what is kept)

    @contextlib.contextmanager
    def entered(self, signature):
        """In the context the function runs; as in TF, each signature has ops of its own, and each place of a call."""
        if current.frame is not None:
            with entered(current.frame.inner(current.frame.next_place())):
                yield
            return
        seed, kept = self._graphs.get(signature) or (Frame.unknown, {})
        frame = Frame(None, kept)
        frame.seed = seed
        with entered(frame):
            try:
                yield
            finally:
                if kept or frame.seed is not Frame.unknown:
                    self._graphs[signature] = frame.seed, kept


def graphs(*functions, begin_anew=False):
    """The functions, or None, of a statement: graphs of their own to TF, even where they are called at once.

    Args:
      *functions: of the statement.
      begin_anew: bool, whether their ops begin anew each time that the statement is reached.
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

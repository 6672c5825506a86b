"""A function called once for each replica. The calls take turns and meet where values of all replicas are combined.

The first replica runs in the thread of the caller. The others need threads of their own only if it stops before it
returns, for only then must they be able to stop, too. One replica runs at a time, in their order, so Python's side
effects come as in TensorFlow. All record into the graph of the caller: to the engine it is one program.
"""

import contextlib
import functools
import os
import sys
import threading

from tfcompat import engine, nest
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._package.thread_state import snapshot
from tfcompat.distribute._collectives import mark
from tfcompat.distribute._values import PerReplica, Uneven, regroup, select_replica

_UNEQUAL = "Some replicas made a different number of replica_context().merge_call() calls."


def _marked(x, place):
    """A leaf of the result; of a PerReplica the tensors that are not known yet are marked."""
    if type(x) is not PerReplica or not all(isinstance(value, Tensor) for value in x._values):
        return x
    with engine.watching(()):
        return PerReplica([wrap(mark(value._node, n, place)) for n, value in enumerate(x._values)])


def _uneven(x, rows):
    """A leaf of the result of replicas that differ."""
    if type(x) is PerReplica:
        return Uneven(x._values, rows)
    return Uneven([x], rows) if isinstance(x, Tensor) else x


class _Abandoned(BaseException):
    """Ends the calls of replicas when one of them has failed."""


class _Worker:
    """A thread that makes calls, one after another."""

    idle: list = []  # those that wait for a call: starting a thread takes longer than a step records

    def __init__(self):
        self._call = None
        self._wake = _held_lock()
        threading.Thread(target=self._work, daemon=True).start()

    def make(self, call):
        """Makes a call, a function of no arguments that puts the worker among the idle ones."""
        self._call = call
        self._wake.release()

    def _work(self):
        while True:
            self._wake.acquire()
            call, self._call = self._call, None
            call()
            del call


os.register_at_fork(after_in_child=_Worker.idle.clear)


def _held_lock():
    lock = threading.Lock()
    lock.acquire()
    return lock


class _Replica:
    """The call of one replica, and where it stands."""

    def __init__(self, number):
        self.number = number
        self.request = None    # (function, args, kwargs) to be merged; None while it runs, and at its end
        self.answer = None     # what the merged function returned
        self.result = self.error = None
        self.done = False
        self.turn, self.paused = _held_lock(), _held_lock()


class Lockstep:
    """One call of `fn` for each replica of a strategy.

    Args:
      count: how many replicas.
      entered: function of a replica's number that gives the context in which its function runs; may be set later.
      merged: function of the requests of all replicas, which gives the answer of each.
    """

    def __init__(self, count, entered, merged):
        self.entered, self._merged = entered, merged
        self._replicas = [_Replica(n) for n in range(count)]
        self._graph = engine.state.graph
        self._abandoned = False
        self._has_threads = False
        self.created = {}  # name -> variables made by the first replica, which the others get in the same order

    def run(self, fn, args, kwargs, place, rows):
        """The result, regrouped. Raises what the first replica to fail raises.

        Args:
          fn, args, kwargs: function, and its arguments.
          place: of the replicas, see `engine.replicas.place_of`.
          rows: see `Uneven`; None where replicas do not differ between processes.
        """
        graph = engine.state.graph
        limit = graph.limit
        if limit and not graph.symbolic:
            graph.limit = sys.maxsize  # replicas are one program only if all of them are pending
        self._fn, self._args, self._kwargs = fn, args, kwargs
        self._take_over = snapshot()
        self._outer = engine.state.context
        first, *others = self._replicas
        try:
            self._call(first)
            for other in others if not self._has_threads else ():
                self._call(other)
            for other in others if self._has_threads else ():
                self._go_on(other)
                if not other.done:
                    raise RuntimeError(_UNEQUAL)
        finally:
            self._abandon()
            graph.limit = limit
        result = regroup(tuple(replica.result for replica in self._replicas))
        result = nest.map_structure(lambda x: _marked(x, place), result)
        return result if rows is None else nest.map_structure(lambda x: _uneven(x, rows), result)

    def _call(self, replica):
        """Runs a replica in this thread."""
        context = engine.state.context
        outer = context.watchers, context.replica
        context.watchers, context.replica = (), replica.number
        try:
            with self.entered(replica.number):
                replica.result = self._fn(*select_replica(replica.number, self._args),
                                          **select_replica(replica.number, self._kwargs))  # fmt: skip
            replica.done = True
        finally:
            context.watchers, context.replica = outer

    def _in_thread(self, worker, replica):
        engine.state.context = self._outer.of_replica(replica.number)
        self._take_over()
        replica.turn.acquire()
        try:
            if not self._abandoned:
                with self.entered(replica.number):
                    replica.result = self._fn(*select_replica(replica.number, self._args),
                                              **select_replica(replica.number, self._kwargs))  # fmt: skip
        except _Abandoned:
            pass
        except BaseException as error:
            replica.error = error
        replica.done = True
        replica.request = None
        _Worker.idle.append(worker)
        replica.paused.release()

    def _go_on(self, replica):
        """Lets a replica in another thread run until it stops or ends."""
        context = engine.state.context
        pending = context.pending
        replica.turn.release()
        replica.paused.acquire()
        assert context.pending is pending
        if replica.error is not None:
            raise replica.error

    def merge(self, number, function, args, kwargs):
        """Stops a replica until all have come here, and `function` has been called on the values of all."""
        if engine.state.graph is not self._graph:
            raise RuntimeError(
                "`merge_call` called while defining a new graph or a tf.function: the function given to "
                "`strategy.run` calls another tf.function, or has a branch or a loop, in which values of replicas are "
                "combined (as `optimizer.apply_gradients` does). Move that out of it, or decorate the function given "
                "to `strategy.run`, or one that calls it, with tf.function instead."
            )
        replica = self._replicas[number]
        replica.request = function, args, kwargs
        if number:
            if not self._has_threads:
                raise RuntimeError(_UNEQUAL)  # the first replica has ended
            replica.paused.release()
            replica.turn.acquire()
            if self._abandoned:
                raise _Abandoned
            return replica.answer
        self._start_threads()
        for other in self._replicas[1:]:
            self._go_on(other)
            if other.done:
                raise RuntimeError(_UNEQUAL)
        requests, context = [other.request for other in self._replicas], engine.state.context
        outer = context.replica
        context.replica = None
        try:
            with engine.watching(()):
                answers = self._merged(requests)
        finally:
            context.replica = outer
        for other, answer in zip(self._replicas, answers, strict=True):
            other.request, other.answer = None, answer
        return replica.answer

    def _start_threads(self):
        if self._has_threads:
            return
        self._has_threads = True
        for replica in self._replicas[1:]:
            worker = _Worker.idle.pop() if _Worker.idle else _Worker()
            worker.make(functools.partial(self._in_thread, worker, replica))

    def _abandon(self):
        """Ends the calls in other threads that have not ended."""
        self._abandoned = True
        for replica in self._replicas[1:] if self._has_threads else ():
            while not replica.done:
                with contextlib.suppress(RuntimeError):  # an interrupt may have come when it already had its turn
                    replica.turn.release()
                replica.paused.acquire()

    def shared(self, number, name, make):
        """The variable that `make()` makes in the first replica, for all of them.

        The one that another replica makes is that of the first which came in the same place among those of its name.
        """
        made = self.created.setdefault(name, {"variables": [], "places": {}})
        if number == 0:
            made["variables"].append(make())
            return made["variables"][-1]
        place = made["places"].get(number, 0)
        made["places"][number] = place + 1
        if place >= len(made["variables"]):
            raise RuntimeError(f"Replica {number} creates a variable {name} that the first replica did not create.")
        return made["variables"][place]



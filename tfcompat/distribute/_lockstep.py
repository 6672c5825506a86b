"""A function called once for each replica. The calls take turns and meet where values of all replicas are combined.

The first replica runs in the thread of the caller. The others need threads of their own only if it stops before it
returns, for only then must they be able to stop, too. One replica runs at a time, in their order. All record into the
graph of the caller: to the engine it is one program.

A replica stops at a `merge_call`. It goes on past a sum of tensors, whose value is not known anyhow (`gather`); then it
stops when it reads a value or does something else whose order counts, until the others have come as far. From then on
it stops at each sum, too.
"""

import contextlib
import functools
import os
import sys
import threading
from typing import Any

from tfcompat import engine, nest
from tfcompat._core.tensor import Tensor
from tfcompat._native import twin
from tfcompat._package.thread_state import STATES
from tfcompat.distribute._collectives import attributes_at, marked, not_alike
from tfcompat.distribute._contexts import enter, enter_replica, entered
from tfcompat.distribute._values import PerReplica, Uneven, regroup, select_replica
from tfcompat.engine._policy import RECORDING

_UNEQUAL = "Some replicas made a different number of replica_context().merge_call() calls."


@twin
def values_now(states):
    """List of (state, dict of the values that this thread has), of each state of which it has any; lists are copied.

    To the function of a replica it is as if it were called where the strategy is: with the same scopes and modes.
    """
    return [(state, _copied(own)) for state in states if (own := state.__dict__)]


def _copied(values):
    copy = values.copy()
    for key, value in values.items():
        if type(value) is list:
            copy[key] = value[:]
    return copy


def _marked(x, place):
    """The result; of each PerReplica the tensors that are not known yet are marked."""
    if type(x) is not PerReplica:
        return nest.map_structure(lambda part: _marked(part, place), x) if nest.is_nested(x) else x
    values = x._values
    if not all([isinstance(value, Tensor) for value in values]):
        return x
    return PerReplica(marked(values, attributes_at(place, len(values))[1]))


def _is_of_one_size(x):
    """Whether a PerReplica is of tensors of the same shape and dtype."""
    first = x._values[0]
    return isinstance(first, Tensor) and all([
        isinstance(value, Tensor) and value._node.aval is first._node.aval for value in x._values
    ])  # fmt: skip


class Gathered:
    """What of a strategy's values that were gathered was of the same sizes in all replicas, and what was not."""

    def __init__(self):
        self._alike: dict = {}

    def note(self, key, alike):
        """Notes whether it was so once more."""
        if len(self._alike) >= RECORDING.gathered:
            self._alike.clear()
        self._alike[key] = self._alike.get(key, True) and alike

    def were_alike(self, key):
        """Whether it was there before, and has always been so."""
        return self._alike.get(key, False)


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

    request: Any = None  # (function, args, kwargs) to be merged; None while it runs, and at its end
    answer: Any = None   # what the merged function returned
    result: Any = None
    error: Any = None
    done = False
    until: Any = None    # the number of collectives at which it stops, in a thread of its own
    turn: Any = None     # locks, in a thread of its own
    paused: Any = None

    def __init__(self, number, context):
        self.number, self.context = number, context


class Lockstep:
    """One call of `fn` for each replica of a strategy.

    Args:
      strategy: whose replicas they are.
      count: how many replicas.
      make_context: function of (strategy, number, this) that gives the ReplicaContext of a replica.
      merged: function of the requests of all replicas, which gives the answer of each.
    """

    def __init__(self, strategy, count, make_context, merged):
        self._strategy, self._merged = strategy, merged
        self._replicas = [_Replica(n, make_context(strategy, n, self)) for n in range(count)]
        self._graph = engine.state.graph
        self._abandoned = False
        self._arguments_are_alike: Any = None  # of sizes; None as long as nobody has asked
        self._gathering: Any = None  # engine.Gathering; None where replicas stop at each collective
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
        self._values = values_now(STATES)
        self._outer = engine.state.context
        try:
            self._begin_gathering()
            self._call_all()
            if self._gathering is not None:
                if self._gathering.is_anybody_behind():
                    raise RuntimeError(_UNEQUAL)
                self._arrange()
        finally:
            self._abandon()
            graph.limit = limit
        results = tuple([replica.result for replica in self._replicas])
        # Nobody else holds the results: they need no value of their own.
        self._replicas = []
        result = regroup(results)
        del results
        result = _marked(result, place)
        return result if rows is None else nest.map_structure(lambda x: _uneven(x, rows), result)

    def _call_all(self):
        context = self._outer
        watchers, number, outer = context.watchers, context.replica, enter(self._strategy, None, False)
        try:
            for replica in self._replicas:
                if replica.turn is None:
                    self._call(replica, context)
                else:
                    self._go_on(replica, replica.number)
                    if not replica.done:
                        raise RuntimeError(_UNEQUAL)
        finally:
            context.watchers, context.replica = watchers, number
            enter(*outer)

    def _call(self, replica, context):
        """Runs a replica in this thread."""
        context.watchers, context.replica = (), replica.number
        self._turn_to(replica.number)
        enter_replica(replica.context)
        replica.result = self._of_replica(replica.number)
        replica.done = True

    def _of_replica(self, number):
        args, kwargs = select_replica(number, self._args), self._kwargs
        return self._fn(*args, **select_replica(number, kwargs)) if kwargs else self._fn(*args)

    def _in_thread(self, worker, replica):
        engine.state.context = self._outer.of_replica(replica.number)
        for state, values in self._values:
            state.__dict__.update(_copied(values))
        replica.turn.acquire()
        if self._gathering is not None:
            self._gathering.threads.add(threading.get_ident())
        try:
            if not self._abandoned:
                with entered(self._strategy, replica.context, False):
                    replica.result = self._of_replica(replica.number)
        except _Abandoned:
            pass
        except BaseException as error:
            replica.error = error
        replica.done = True
        replica.request = None
        _Worker.idle.append(worker)
        replica.paused.release()

    def _go_on(self, replica, number):
        """Lets a replica in a thread of its own run until it stops or ends; meanwhile the replica `number` does not."""
        self._turn_to(replica.number)
        replica.turn.release()
        replica.paused.acquire()
        self._turn_to(number)
        if replica.error is not None:
            raise replica.error

    def _turn_to(self, number):
        """A replica records from now on."""
        if self._gathering is not None:
            self._gathering.switch(number)

    def _stop(self, replica):
        """Lets the others run until it is the turn of this replica again."""
        replica.paused.release()
        replica.turn.acquire()
        if self._abandoned:
            raise _Abandoned

    def gather(self, number, kind, nodes, combine, may_differ=False):
        """The results of a collective that nobody waits at: a tuple of nodes. None where replicas stop at it.

        Args:
          number: of the replica.
          kind, nodes, combine: see `engine.Gathering.join`.
          may_differ: whether the sizes of the values of replicas may differ.
        """
        graph, gathering = engine.state.context.graph, self._gathering
        if graph is not self._graph or gathering is None:
            return None
        if not gathering.is_ahead(number):
            if number or may_differ and not self._are_alike(kind, nodes):
                return None  # the first replica has not come there, or stops
            if len(graph.nodes) >= RECORDING.max_pending:
                self._meet()
                return None
        misfit = gathering.misfit(nodes)
        if misfit is not None and may_differ:
            raise RuntimeError(
                f"replica {number} gathers {misfit[1].aval} where the first one gathered {misfit[0].aval}. The first "
                "one has gone on, since sizes were alike before, and the function's arguments are. Ask for "
                "`replica_id_in_sync_group` before, and replicas wait for one another"
            )
        if misfit is not None:
            raise not_alike([node.aval for node in misfit])
        results = gathering.join(kind, nodes, combine)
        replica = self._replicas[number]
        if replica.until == gathering.reached[number]:
            replica.until = None
            self._stop(replica)
        return results

    def _are_alike(self, kind, nodes):
        """Whether what the first replica gathers has the same sizes in all: so it had before, and so have arguments."""
        if self._strategy._processes > 1 or self._replicas[0].context._number_is_known:
            return False
        if not self._strategy._sizes_gathered.were_alike((kind, *[node.aval for node in nodes])):
            return False
        if self._arguments_are_alike is None:
            flat = nest.flatten((self._args, self._kwargs))
            self._arguments_are_alike = all([_is_of_one_size(x) for x in flat if isinstance(x, PerReplica)])
        return self._arguments_are_alike

    def _begin_gathering(self):
        graph, count = self._graph, len(self._replicas)
        if self._strategy._has_one_place:
            return  # a replica that went on would assign what the others are to read
        if type(graph.nodes) is list and not graph.symbolic and graph.gathering is None and not engine.immediate():
            kinds = attributes_at(self._strategy._place, count)
            gathering = engine.Gathering(graph, count, self._meet, self._strategy, *kinds)
            with graph.lock:  # another thread may be computing what was pending before
                graph.gathering = self._gathering = gathering

    def _meet(self):
        """Lets the replicas after the one that is running come as far, and what they have recorded be computed."""
        gathering = self._gathering
        if gathering.is_empty():
            gathering.arrange()
            return
        gathering.goes_on = False
        number = gathering.running
        count = gathering.reached[number]
        for other in self._replicas[number + 1:]:
            if gathering.reached[other.number] < count and not other.done:
                self._begin_thread(other)
                other.until = count
                self._go_on(other, number)
            if gathering.reached[other.number] < count:
                raise RuntimeError(_UNEQUAL)
        self._arrange()

    def _arrange(self):
        if self._gathering.is_empty():
            self._graph.gathering = self._gathering = None
        elif self._gathering.arrange():
            self._graph.gathering = self._gathering = None
            self._graph.cut_point = len(self._graph.nodes)

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
            if self._replicas[0].done:
                raise RuntimeError(_UNEQUAL)
            self._stop(replica)
            return replica.answer
        if self._gathering is not None:
            self._gathering.goes_on = False
        for other in self._replicas[1:]:
            self._begin_thread(other)
            self._go_on(other, 0)
            if other.done or self._gathering is not None and self._gathering.is_ahead(other.number):
                raise RuntimeError(_UNEQUAL)
        if self._gathering is not None:
            self._arrange()
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

    def _begin_thread(self, replica):
        """Gives a replica a thread, in which it waits for its turn, unless it has one."""
        if replica.turn is None:
            replica.turn, replica.paused = _held_lock(), _held_lock()
            worker = _Worker.idle.pop() if _Worker.idle else _Worker()
            worker.make(functools.partial(self._in_thread, worker, replica))

    def _abandon(self):
        """Ends the calls in other threads that have not ended."""
        self._abandoned = True
        for replica in self._replicas:
            while replica.turn is not None and not replica.done:
                with contextlib.suppress(RuntimeError):  # an interrupt may have come when it already had its turn
                    replica.turn.release()
                replica.paused.acquire()
        if self._gathering is not None:  # one of them has failed
            self._gathering.give_up()
            self._graph.gathering = self._gathering = None

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



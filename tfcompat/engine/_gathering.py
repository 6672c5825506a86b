"""Collectives that no replica waits at: the nodes of each are made before all replicas have come to it.

Replicas record one after another into one graph. The first one makes the nodes of a collective, with its own values in
the place of all; the others put in theirs when they come. A collective stands after all of its inputs, so what each
replica records between two collectives is kept apart until all have come as far:

    recorded by any before the first collective, the first collective, recorded before the second one, ...
"""

import threading
import time

from tfcompat.engine._program import Failure
from tfcompat.engine.replicas import COLLECTIVES

_PATIENCE = 300.0  # seconds that another thread waits for the replicas


class _Meeting:
    """A collective to which not all replicas have come.

    Attributes:
      kind: what it does, to be compared.
      values: number of a replica -> tuple of its nodes.
      nodes: list of what was recorded for it.
      collectives: those of `nodes` that take a value from each replica, in the order of the values.
      results: what all replicas get.
    """

    __slots__ = ("kind", "values", "nodes", "collectives", "results")


class Gathering:
    """What replicas have recorded into a graph between collectives, as long as not all have come to the same one.

    Args:
      graph: pending Graph.
      count: how many replicas.
      meet: function that lets the replicas after the one that is running come as far as that.

    Attributes:
      running: the number of the replica that is recording.
      reached: list; to how many collectives each replica has come.
      threads: set; the threads in which replicas run.
      assignments: list of (variable, node before) of what replicas have assigned meanwhile.
    """

    def __init__(self, graph, count, meet):
        self._graph, self._count, self.meet = graph, count, meet
        self._meetings: list = []
        self._recorded: list = [[]]  # before each of the meetings, and after the last one
        self._settled = 0  # how many collectives all replicas have come to, which are in order
        self.running, self.reached = 0, [0] * count
        self.threads = {threading.get_ident()}
        self.assignments: list = []

    def note_assignment(self, variable, before):
        """Notes that a variable is assigned, whose value was `before`."""
        self.assignments.append((variable, before))

    def is_ahead(self, number):
        """Whether another replica has come to a collective after the last one of this replica."""
        return self.reached[number] < self._settled + len(self._meetings)

    def switch(self, number):
        """Another replica records from now on."""
        self._keep()
        self.running = number

    def _keep(self):
        with self._graph.lock:  # another thread may be computing the first of the nodes
            nodes = self._graph.nodes
            self._recorded[self.reached[self.running] - self._settled] += nodes
            nodes.clear()

    def join(self, kind, nodes, combine):
        """The results of the next collective of the replica that is running.

        Args:
          kind: what the collective does; the same in all replicas.
          nodes: tuple of the values of this replica.
          combine: function of a list of tuples, each of one node from every replica, that records what the collective
            does with them, and returns the results. Called for the first replica.

        Raises:
          RuntimeError: the first replica did something else there.
          ValueError: its values have other shapes or dtypes.
        """
        self._keep()
        number = self.running
        place = self.reached[number] - self._settled
        if place == len(self._meetings):
            meeting = self._meet_first(kind, nodes, combine)
        else:
            meeting = self._meetings[place]
            if meeting.kind != kind:
                raise RuntimeError(
                    f"replica {number} comes to another collective than the first one: {kind[0]} instead of "
                    f"{meeting.kind[0]}, or of another variable"
                )
            first = next(iter(meeting.values.values()))
            for a, b in zip(first, nodes, strict=True):
                if a.aval is not b.aval:
                    raise ValueError(
                        f"{kind[0]}: the values of the replicas must have the same shape and dtype, got {a.aval} and "
                        f"{b.aval}"
                    )
        meeting.values[number] = nodes
        self.reached[number] += 1
        if len(meeting.values) == self._count:
            for i, node in enumerate(meeting.collectives):
                node.inputs = tuple([meeting.values[n][i] for n in range(self._count)])
        return meeting.results

    def _meet_first(self, kind, nodes, combine):
        meeting = _Meeting()
        meeting.kind, meeting.values = kind, {}
        recorded = self._graph.nodes
        meeting.results = combine([(node,) * self._count for node in nodes])
        meeting.nodes = recorded[:]
        recorded.clear()
        meeting.collectives = [node for node in meeting.nodes if node.call.operation in COLLECTIVES]
        self._meetings.append(meeting)
        self._recorded.append([])
        return meeting

    def arrange(self):
        """Makes pending, in order, what all replicas have come to. Returns whether that is all."""
        self._keep()
        done = min(self.reached) - self._settled
        nodes = self._graph.nodes
        for recorded, meeting in zip(self._recorded[:done], self._meetings[:done], strict=True):
            nodes += recorded
            nodes += meeting.nodes
        nodes += self._recorded[done]
        self._recorded[done] = []
        del self._recorded[:done], self._meetings[:done]
        self._settled += done
        return not self._meetings

    def give_up(self):
        """Drops what not all replicas have come to. What was assigned since then is taken back."""
        self.arrange()
        lost = [node for meeting in self._meetings for node in meeting.nodes]
        lost += [node for recorded in self._recorded for node in recorded]
        failure = Failure(RuntimeError(
            "this value was to be combined with those of all replicas, but one of them failed before it came to that"
        ))  # fmt: skip
        for node in lost:
            node.value, node.inputs = failure, ()
        for variable, before in reversed(self.assignments):
            if variable._node.value is failure:
                variable._node = before

    def is_elsewhere(self):
        """Whether this thread is none of the replicas'."""
        return threading.get_ident() not in self.threads

    def settle(self):
        """Sees to it that what is pending can be computed: all replicas come to the same collective.

        A thread that is none of the replicas' waits for that.

        Raises:
          RuntimeError: they have not, in five minutes.
        """
        if not self.is_elsewhere():
            self.meet()
            return
        end = time.monotonic() + _PATIENCE
        while self._graph.gathering is self:
            if time.monotonic() > end:
                raise RuntimeError(
                    f"another thread has waited {_PATIENCE:.0f} seconds for a value of replicas, which combine it only "
                    "when all of them have come as far: read it in the function of a replica, or after "
                    "`strategy.run`"
                )
            time.sleep(1e-3)



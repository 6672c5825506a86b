"""Collectives that no replica waits at: the nodes of each are made before all replicas have come to it.

Replicas record one after another into one graph. The first one makes the nodes of a collective, with its own values in
the place of all; the others put in theirs when they come. A collective stands after all of its inputs, so what each
replica records between two collectives is kept apart until all have come as far:

    recorded by any before the first collective, the first collective, recorded before the second one, ...
"""

import operator
import threading
import time

from tfcompat._native import handed_over, twin
from tfcompat.engine._bind import is_check
from tfcompat.engine._graph import state
from tfcompat.engine._policy import RECORDING
from tfcompat.engine._program import Failure
from tfcompat.engine.conditions import NO_REPORT
from tfcompat.engine.replicas import COLLECTIVES

_key = operator.itemgetter(0)


@twin
def in_order(nodes, starts, keys):
    """A list of the nodes of pieces, by their keys.

    Args:
      nodes: list of all, piece after piece.
      starts, keys: lists; where each piece begins, and its key.
    """
    stops = [*starts[1:], len(nodes)]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return [node for k in order for node in nodes[starts[k] : stops[k]]]


def _linked(pieces, report):
    """The last report, where those of each piece go into those of the next.

    Args:
      pieces: list of (key, nodes, (report at its begin, report at its end)), in order.
      report: the one before all of them.
    """
    for _, nodes, (begin, end) in pieces:
        if end is begin:
            continue
        if begin is not report:
            taken = begin or NO_REPORT
            first = next((node for node in nodes if is_check(node.call.operation) and node.inputs[0] is taken), None)
            if first is not None:
                first.inputs = (report or NO_REPORT, *first.inputs[1:])
        report = end
    return report


@handed_over
class _Meeting:
    """A collective.

    Attributes:
      kind: what it does, to be compared.
      values: list; the tuple of nodes of each replica that has come, in their order.
      collectives: what was recorded that takes a value from each replica, in the order of the values.
      results: what all replicas get.
    """

    __slots__ = ("kind", "values", "collectives", "results")


@handed_over
class Gathering:
    """What replicas record into a graph between collectives, as long as not all have come to the same one.

    The nodes stay in pieces as they were recorded until they are arranged. The key of a piece is twice the number of
    the collectives before it; that of the nodes of a collective is one less than of what comes after.

    The reports of checks (see `conditions`) go into one another in the order of the pieces. A piece begins with the
    last report of those that are before it so far. If others come between, its first check takes theirs when the
    pieces are arranged.

    Args:
      graph: pending Graph.
      count: how many replicas.
      meet: function that lets the replicas after the one that is running come as far as that, and arranges.
      owner, attributes, marks: of the strategy: itself, what its sums have, and its marks for each replica.

    Attributes:
      goes_on: whether replicas go on past collectives; otherwise they stop from now on.
      running: the number of the replica that is recording.
      reached: list; to how many collectives each replica has come.
      threads: set; the threads in which replicas run.
      reports: list; of each piece the tuple of the reports at its begin and at its end. None as long as there are none.
    """

    __slots__ = (
        "_graph", "_count", "meet", "_meetings", "_starts", "_keys", "_later", "_assignments", "goes_on", "running",
        "reached", "threads", "owner", "attributes", "marks", "reports", "_ends", "_held",
    )  # fmt: skip

    def __init__(self, graph, count, meet, owner, attributes, marks):
        self._graph, self._count, self.meet = graph, count, meet
        self.owner, self.attributes, self.marks, self.goes_on = owner, attributes, marks, True
        self._meetings: list = []
        self._starts, self._keys = [0], [0]  # of the pieces
        self._later: list = []  # (key, nodes, reports) of pieces that are not to be computed yet
        self._held: list = []   # entries of `Graph.assignments` under reports of these pieces
        self.reports = None if graph.report is None else [(graph.report, None)]
        self._ends: dict = {}  # key -> the report at the end of the last piece that has it
        self._assignments: list = []
        self.running, self.reached = 0, [0] * count
        self.threads = {threading.get_ident()}

    def note_assignment(self, variable, before):
        """Notes that a variable is assigned, whose value was the node `before`."""
        self._assignments.append((variable, before))

    def is_empty(self):
        """Whether no replica has come to a collective."""
        return not self._meetings

    def is_ahead(self, number):
        """Whether another replica has come to a collective after the last one of this replica."""
        return self.reached[number] < len(self._meetings)

    def is_anybody_behind(self):
        """Whether a replica has not come to all collectives."""
        return min(self.reached) < len(self._meetings)

    def switch(self, number):
        """Another replica records from now on."""
        self.running = number
        self._begin(2 * self.reached[number])

    def _begin(self, key):
        self._starts.append(len(self._graph.nodes))
        self._keys.append(key)
        reports, graph = self.reports, self._graph
        if reports is None and graph.report is None:
            return
        if reports is None:
            reports = self.reports = [(None, None)] * (len(self._keys) - 1)
            self._ends = dict.fromkeys(self._keys[:-1])
        self._end_piece(reports)
        graph.report = next(self._ends[k] for k in range(key, -1, -1) if k in self._ends)
        reports.append((graph.report, None))

    def _end_piece(self, reports):
        reports[-1] = reports[-1][0], self._graph.report
        self._ends[self._keys[len(reports) - 1]] = self._graph.report

    def misfit(self, nodes):
        """Two nodes that do not fit together: one of the first replica's for the next collective, and one of `nodes`.

        None if there are none.
        """
        place = self.reached[self.running]
        first = self._meetings[place].values[0] if place < len(self._meetings) else nodes
        return next(((a, b) for a, b in zip(first, nodes, strict=False) if a.aval is not b.aval), None)

    def join(self, kind, nodes, combine):
        """The results of the next collective of the replica that is running.

        Args:
          kind: what the collective does; the same in all replicas.
          nodes: tuple of the values of this replica.
          combine: function of a list of tuples, each of one node from every replica, that records what the collective
            does with them, and returns the results. Called for the first replica.

        Raises:
          RuntimeError: the first replica did something else there.
        """
        number = self.running
        place = self.reached[number]
        if place == len(self._meetings):
            meeting = self._meet_first(kind, nodes, combine)
        else:
            meeting = self._meetings[place]
            if meeting.kind != kind:
                raise RuntimeError(
                    f"replica {number} comes to another collective than the first one: {kind[0]} instead of "
                    f"{meeting.kind[0]}, or of another variable"
                )
        values = meeting.values
        values.append(nodes)
        self.reached[number] = place + 1
        self._begin(2 * place + 2)
        if len(values) == self._count:
            for node, inputs in zip(meeting.collectives, zip(*values, strict=True), strict=True):
                node.inputs = inputs
        return meeting.results

    def _meet_first(self, kind, nodes, combine):
        meeting = _Meeting()
        meeting.kind, meeting.values = kind, []
        recorded, context = self._graph.nodes, state.context
        begin, watchers, context.watchers = len(recorded), context.watchers, ()
        self._begin(2 * len(self._meetings) + 1)
        try:
            meeting.results = combine([(node,) * self._count for node in nodes])
        finally:
            context.watchers = watchers
        meeting.collectives = [node for node in recorded[begin:] if node.call.operation in COLLECTIVES]
        self._meetings.append(meeting)
        return meeting

    def arrange(self):
        """Makes pending, in order, what all replicas have come to; the rest is kept. Returns whether that is all.

        The replica that is running has come to as many collectives as the last one.
        """
        graph, done = self._graph, min(self.reached)
        nodes, reports = graph.nodes, self.reports
        if done == len(self._meetings) and not self._later and reports is None and graph.report is None:
            nodes[:] = in_order(nodes, self._starts, self._keys)
            self._starts, self._keys = [0], [2 * done]
            return True
        if reports is None:
            reports = [(None, None)] * len(self._keys)
        self._end_piece(reports)
        stops = [*self._starts[1:], len(nodes)]
        pieces = [(key, nodes[a:b], ends) for key, a, b, ends in zip(
            self._keys, self._starts, stops, reports, strict=True
        )]  # fmt: skip
        pieces = sorted([*self._later, *pieces], key=_key)
        self._later = [piece for piece in pieces if piece[0] > 2 * done]
        arranged = [piece for piece in pieces if piece[0] <= 2 * done]
        nodes[:] = [node for _, piece, _ in arranged for node in piece]
        self._starts, self._keys = [0], [2 * done]
        begin = arranged[0][2][0]
        graph.report = _linked(arranged, begin)
        self.reports = [(begin, None)]
        self._ends = {2 * done: graph.report} | {key: ends[1] for key, _, ends in self._later}
        self._hold()
        return done == len(self._meetings)

    def _hold(self):
        """Keeps apart the assignments under reports that are not to be computed yet."""
        later = {node for _, piece, _ in self._later for node in piece}
        assignments = [*self._graph.assignments, *self._held]
        self._held = [entry for entry in assignments if entry[3] in later]
        self._graph.assignments[:] = [entry for entry in assignments if entry[3] not in later]

    def give_up(self):
        """Drops what not all replicas have come to. What was assigned since then is taken back."""
        self.arrange()
        failure = Failure(RuntimeError(
            "this value was to be combined with those of all replicas, but one of them failed before it came to that"
        ))  # fmt: skip
        for _, nodes, _ in self._later:
            for node in nodes:
                node.value, node.inputs = failure, ()
        for variable, before in reversed(self._assignments):
            if variable._node.value is failure:
                variable._node = before

    def is_elsewhere(self):
        """Whether this thread is none of the replicas'."""
        return threading.get_ident() not in self.threads

    def settle(self):
        """Sees to it that what is pending can be computed: all replicas come to the same collective.

        A thread that is none of the replicas' waits for that.

        Raises:
          RuntimeError: they have not, in the time that the policy has.
        """
        if not self.is_elsewhere():
            self.meet()
            return
        end = time.monotonic() + RECORDING.replicas_patience
        while self._graph.gathering is self:
            if time.monotonic() > end:
                seconds = f"{RECORDING.replicas_patience:.0f} seconds"
                raise RuntimeError(
                    f"another thread has waited {seconds} for a value of replicas, which combine it only when all of "
                    "them have come as far: read it in the function of a replica, or after `strategy.run`"
                )
            time.sleep(1e-3)



"""Where each operation was called, and with what inputs. Kept only while debugging is on; costs nothing otherwise.

`TFCOMPAT_DEBUG=1` or `engine.debug()` replaces the list of a graph's nodes by one that takes notes of what is appended.
An `Entry` keeps no node or value alive. Nodes are identified by their address and their call. Reports on conditions
are kept, so that the first broken one can be told.
"""

import collections
import itertools
import linecache
import os
import sys
import traceback

import numpy as np

from tfcompat._native import hand_over
from tfcompat._package.folder import PACKAGE_FOLDER
from tfcompat.engine import _graph
from tfcompat.engine._policy import RECORDING, REPORTING

enabled = False
hand_over(debugging=enabled)
_serials = itertools.count()
_entries: collections.OrderedDict = collections.OrderedDict()  # serial -> Entry, the latest ones
_latest: dict = {}      # address of a node -> serial
_reports: collections.deque = collections.deque(maxlen=REPORTING.reports)  # nodes of reports on conditions
_callbacks: list = []   # what else is to be switched, by layers above
_plain_graph = _graph.Graph.__init__
scope = str             # function that gives the name scope in force; set by the layer above


class Entry:
    """What is remembered of a node: its call (None for a leaf), the serials of its inputs, the place and name scope."""

    __slots__ = ("serial", "call", "aval", "inputs", "place", "scope")

    def __init__(self, serial, call, aval, inputs, place, scope):
        self.serial, self.call, self.aval, self.inputs = serial, call, aval, inputs
        self.place, self.scope = place, scope


class Place:
    """A line of the user's program."""

    __slots__ = ("file", "line", "function")

    def __init__(self, file, line, function):
        self.file, self.line, self.function = file, line, function

    def __str__(self):
        text = linecache.getline(self.file, self.line).strip()
        return f"{os.path.basename(self.file)}:{self.line}" + (f": {text}" if text else "")


class _NotedNodes(list):
    """The nodes of a graph, each noted as it is added."""

    def append(self, node):
        _note(node, place())
        super().append(node)

    def extend(self, nodes):
        nodes = list(nodes)
        line = place()
        for node in nodes:
            _note(node, line)
        super().extend(nodes)


def debug(enable=True):
    """Whether the origin of every operation is kept, for `tape.explain`, `tape.draw` and messages.

    Costs some microseconds an operation while it is on, and nothing while it is off. Environment: TFCOMPAT_DEBUG=1.
    """
    global enabled
    enabled = bool(enable)
    _graph.Graph.__init__ = _noting_graph if enabled else _plain_graph
    graphs = {id(g): g for g in (_graph.state.graph, _graph.state.pending)}.values()
    for graph in graphs:
        graph.nodes = _NotedNodes(graph.nodes) if enabled else list(graph.nodes)
    if not enabled:
        _entries.clear()
        _latest.clear()
        _reports.clear()
    hand_over(debugging=enabled)
    for callback in _callbacks:
        callback(enabled)


def when_switched(callback):
    """Calls `callback(enabled)` now and whenever debugging is switched."""
    _callbacks.append(callback)
    if enabled:
        callback(True)


def _noting_graph(self, *args, **kwargs):
    _plain_graph(self, *args, **kwargs)
    self.nodes = _NotedNodes(self.nodes)


def _note(node, line):
    if is_report(node.aval) and not node.graph.symbolic:
        _reports.append(node)
    serial = next(_serials)
    inputs = tuple([_serial_of(source, line) for source in node.inputs])
    _add(node, Entry(serial, node.call, node.aval, inputs, line, scope()))


def _serial_of(node, line):
    entry = entry_of(node)
    if entry is None:
        entry = Entry(next(_serials), node.call, node.aval, (), line, scope())
        _add(node, entry)
    return entry.serial


def _add(node, entry):
    _entries[entry.serial] = entry
    _latest[id(node)] = entry.serial
    if len(_entries) > REPORTING.history:
        _entries.popitem(last=False)


def entry_of(node):
    """The Entry of a node; None if it is not known."""
    entry = _entries.get(_latest.get(id(node), -1))
    return entry if entry is not None and entry.call is node.call and entry.aval is node.aval else None


def is_report(aval):
    """Whether this is the aval of a report on conditions."""
    return getattr(aval, "shape", None) == (RECORDING.report,) and aval.dtype == np.int64


def first_report(numbers):
    """The Entry of the first report with these numbers; None if it is not known."""
    for node in _reports:
        value = node.value
        if value is not None and not hasattr(value, "error") and np.array_equal(np.asarray(value), numbers):
            return entry_of(node)
    return None


def entries():
    """The latest Entries, the oldest first."""
    return list(_entries.values())


def entry(serial):
    """The Entry with a serial; None if it was forgotten."""
    return _entries.get(serial)


def now():
    """The serial that the next entry gets."""
    serial = next(_serials)
    return serial + 1


def place():
    """The line of the user's that is running; None if there is none."""
    for frame, line in traceback.walk_stack(sys._getframe(1)):
        name = frame.f_code.co_filename
        if not name.startswith(PACKAGE_FOLDER) and f"{os.sep}jax{os.sep}" not in name and not name.endswith(_NOT_USERS):
            return Place(name, line, frame.f_code.co_name)
    return None


_NOT_USERS = (f"{os.sep}contextlib.py", f"{os.sep}functools.py", "<frozen runpy>", f"{os.sep}runpy.py")

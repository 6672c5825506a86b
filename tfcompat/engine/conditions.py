"""Conditions on values: what must hold of an operation's inputs, checked when they are computed.

A compiled program cannot raise. An operation with a condition therefore records a second node, its *check*, which takes
the report so far and hands on the next: all zeros, or which condition was broken first, where, and by what. The latest
report of a thread is looked at when a value is looked at, and before the next program but one runs. So an error comes
late, but what it left is undone: assignments made under a broken report are taken back.

While a graph is captured the layer above keeps the report, like the value of a variable (`in_capture`).
"""
import contextlib
import functools
import math
import os
import re
import zlib
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir

from tfcompat._native import hand_over, handed_over
from tfcompat._package.thread_state import ThreadState
from tfcompat.engine import _sizes, host
from tfcompat.engine._aval import Aval
from tfcompat.engine._graph import shared_leaf
from tfcompat.engine._policy import RECORDING
from tfcompat.engine.report import history

LENGTH = RECORDING.report  # of a report: the condition, the indices of its first broken element, and values there
ABSENT = Aval((LENGTH,), np.dtype(np.int64))
NO_REPORT = shared_leaf(np.zeros(LENGTH, np.int64))  # nothing is broken
hand_over(no_report=NO_REPORT)


class Site(NamedTuple):
    """What is known of a condition before it is broken.

    Attributes:
      kind: name of the exception.
      text: its message, with `{place}` and `{0}`, `{1}`... for values.
      rank: of the condition.
      values: for each value, how many numbers of it there are in a report, or the number itself.
    """

    kind: str
    text: str
    rank: int
    values: tuple

    @property
    def code(self):
        """The number that stands for it in reports, the same in each process."""
        return zlib.crc32(repr(tuple(self)).encode()) + 1

    def message(self, report):
        """The message for a report of this condition."""
        place = [int(i) for i in report[1 : 1 + self.rank]]
        numbers, values = [int(n) for n in report[1 + self.rank :]], []
        for count in self.values:
            if type(count) is str:
                values.append(int(count))
            elif count:
                values.append(numbers[:count])
                numbers = numbers[count:]
            else:
                values.append(numbers.pop(0))
        shown = f"[{','.join(map(str, place))}]" if place else ""
        return self.text.format(*values, place=shown)

    def parts(self):
        """The message without values, as the parts in brackets that TensorFlow makes of an assertion's data."""
        text = self.text.format(*[n if type(n) is str else "..." for n in self.values], place="")
        text = text.removeprefix("assertion failed: ")
        in_brackets = text[:1] == "[" and text[-1:] == "]"
        return text[1:-1].split("] [") if in_brackets else [text]


def site(kind, text, rank, values):
    """A `Site` of what was read from a file.

    Raises:
      TypeError, ValueError: it is none.
    """
    text.format(*[0 for _ in values], place="")
    numbers = tuple([str(int(n)) if type(n) is str else int(n) for n in values])
    return Site(str(kind), text, int(rank), numbers)


sites: dict = {}  # code -> Site
_noted: Any = None  # set that codes are added to while something is traced
_make_error: Any = None  # see `errors_are_made_by`


def errors_are_made_by(make_error):
    """Has `make_error(kind, message)` make the exceptions. For the layer above, which has them."""
    global _make_error
    _make_error = make_error


class Requirement(NamedTuple):
    """`holds`, an array of bools, must be true everywhere; see `Site` for `kind` and `text`.

    `values` for the message are integer arrays of the shape of `holds`, which may have one axis more, or numbers.
    """

    holds: Any
    text: str
    values: tuple = ()
    kind: str = "InvalidArgumentError"


def require(holds, text, *values, kind="InvalidArgumentError"):
    """A `Requirement`."""
    return Requirement(holds, text, values, kind)


def checked(report, requirements):
    """The report after the requirements were checked, one after another."""
    for requirement in requirements:
        holds = jnp.asarray(requirement.holds)
        if 0 not in holds.shape:
            site, arrays = _noted_site(requirement, jnp)
            report = check_p.bind(report, holds, *arrays, site=tuple(site))
    return report


def enforce(requirements):
    """Raises for the first requirement of NumPy arrays that is not met."""
    for requirement in requirements:
        holds = np.asarray(requirement.holds)
        if not holds.all():
            site, arrays = _noted_site(requirement, np)
            raise error_of(_check_on_host(site.code, NO_REPORT.value, holds, *arrays))


_NAME_OF_SIZE = re.compile(r"\bv\d+\b")  # see `_families`


def _noted_site(requirement, numpy):
    """The `Site` of a requirement, and the arrays with the values for its message."""
    holds, text, values, kind = requirement
    if _sizes.for_a_family() and _NAME_OF_SIZE.search(text):
        raise ValueError(f"the text of a condition names a size, so it is not one of a family: {text}")
    arrays, forms = [], []
    for value in values:
        if isinstance(value, int):
            forms.append(str(value))
            continue
        array = numpy.asarray(value)
        forms.append(array.shape[-1] if array.ndim > np.ndim(holds) else 0)
        arrays.append(array.astype(np.int64))
    site = Site(kind, text, np.ndim(holds), tuple(forms))
    note_site(site)
    return site, arrays


def note_site(site):
    """Makes known what the code of a condition stands for."""
    sites[site.code] = site
    if _noted is not None:
        _noted.add(site.code)


@contextlib.contextmanager
def noting_codes():
    """Context that yields the set of the codes of all conditions traced in it."""
    global _noted
    outer, _noted = _noted, set()
    try:
        yield _noted
    finally:
        _noted = outer


def _next_report(report, holds, *arrays, site):
    """The report after one condition.

    There is no branch: the rest is one kernel with what `holds` is made of. Several branches in the body of a loop make
    XLA hand each turn to other threads.
    """
    with jax.enable_x64(True):  # JAX lowers it when the user's own jax.jit is over
        size, *shape = [jnp.asarray(n, np.int32) for n in (holds.size, *holds.shape)]  # may be symbols
        if holds.ndim:
            flat = jnp.arange(holds.size, dtype=np.int32)
            place = jnp.min(jnp.where(holds.reshape(-1), size, flat))
            broken, place = place < size, jnp.minimum(place, size - 1)
        else:
            broken, place = ~holds, np.int32(0)
        numbers, rest = [], place
        for length in reversed(shape):
            numbers.insert(0, rest % length)
            rest = rest // length
        numbers.insert(0, Site(*site).code)
        for array in arrays:
            if array.ndim > holds.ndim:
                row = jax.lax.dynamic_index_in_dim(array.reshape(-1, array.shape[-1]), place, 0, keepdims=False)
                numbers += [row[k] for k in np.arange(array.shape[-1])]
            else:
                numbers.append(array if array.ndim == 0 else array.reshape(-1)[place])
        which, first = jnp.arange(LENGTH), jnp.zeros(LENGTH, np.int64)
        for k, number in enumerate(numbers[:LENGTH]):
            first = jnp.where(which == k, jnp.asarray(number, np.int64), first)
        return jnp.where(broken & (report[0] == 0), first, report)


def in_range(indices, size, kernel):
    """The requirements of indices into an axis of `size`."""
    holds = (indices >= 0) & (indices < size) | (indices == nowhere(indices.dtype))
    return [require(holds, f"indices{{place}} = {{0}} is not in [0, {{1}}) [Op:{kernel}] name: ", indices, size)]


def nowhere(dtype):
    """The index of a row that there is not, in lists of indices of fixed length: it may be out of range."""
    return np.iinfo(dtype).max


def first_broken(reports):
    """The first report of rows of them that is not empty; an empty one if there is none."""
    return reports[jnp.argmax(reports[:, 0] != 0)] if reports.shape[0] else jnp.zeros(LENGTH, np.int64)


check_p = Primitive("check_condition")
check_p.def_impl(functools.partial(jax.jit(_next_report, static_argnames=("site",))))
check_p.def_abstract_eval(lambda report, *_, site: report)
_lower_check = mlir.lower_fun(_next_report, multiple_results=False)


class _Lowering(ThreadState):
    checked = True


_lowering = _Lowering()


@contextlib.contextmanager
def unchecked():
    """In the context, what is lowered has no checks: for devices to which a report would not be of use."""
    _lowering.checked = False
    try:
        yield
    finally:
        _lowering.checked = True


@functools.partial(mlir.register_lowering, check_p)
def _lower(context, report, *arrays, site):
    return _lower_check(context, report, *arrays, site=site) if _lowering.checked else [report]


def _batched(arrays, axes, *, site):
    return jax.vmap(functools.partial(_next_report, site=site), axes)(*arrays), 0


batching.primitive_batchers[check_p] = _batched


def _check_on_host(code, report, holds, *arrays):
    """`_next_report` of NumPy arrays."""
    if report[0] or holds.all():
        return report
    place = int(holds.reshape(-1).argmin())
    numbers = [code, *np.unravel_index(place, holds.shape)]
    for array in arrays:
        if array.ndim > holds.ndim:
            numbers += array.reshape(-1, array.shape[-1])[place].tolist()
        else:
            numbers.append(array.reshape(-1)[place if array.ndim else 0])
    return np.array((numbers + [0] * LENGTH)[:LENGTH], np.int64)


def _rule(params, in_avals, out_avals):
    site = Site(*params["site"])
    sites[site.code] = site  # a plan may be made of text: then nothing was traced
    return functools.partial(_check_on_host, site.code)


host.rules["check_condition"] = _rule


# --- whether, and for which calls ---------------------------------------------------------------------------------


@functools.cache
def enabled():
    """Whether conditions are checked: `TFCOMPAT_CHECKS`, by default on a CPU, where TensorFlow checks them."""
    setting = os.environ.get("TFCOMPAT_CHECKS", "")
    if setting:
        return setting.lower() not in ("off", "0", "false")
    return jax.default_backend() == "cpu"


# --- values that are known ----------------------------------------------------------------------------------------


@handed_over
class KnownCheck:
    """Checks inputs that are known by NumPy, before anything is recorded.

    `needed` are the indices of the inputs that the check looks at. `passed` are the values that met it last, which are
    recognised: for each (index of the input, call that reshapes the value or None, value). C compares them as well.
    """

    __slots__ = ("needed", "passed", "_arrays", "_function")

    def __init__(self, check, kernel):
        self._function = kernel
        self.needed = [i - 1 for i in kernel.needed if i]  # the first is the report so far
        self.passed = ()
        self._arrays = [NO_REPORT.value, *[None] * (len(check.in_avals) - 1)]

    def has_passed(self, inputs):
        """Whether a tuple of nodes has the values that met the check last."""
        for i, reshape, value in self.passed:
            node = inputs[i]
            if reshape is not None:
                if node.call is not reshape or not node.inputs:
                    return False
                node = node.inputs[0]
            if node.value is not value:
                return False
        return bool(self.passed)

    def takes(self, inputs):
        """Checks a tuple of nodes, if they are known; returns whether they are.

        Raises:
          Exception: a condition is broken.
        """
        arrays, passed = self._arrays.copy(), []
        for i in self.needed:
            node, reshape = inputs[i], None
            if node.value is None and node.call is not None and node.call.operation.name == "Reshape":
                node, reshape = node.inputs[0], node.call  # as of the indices of a gather in its gradient
            if not _is_known(node):
                return False
            arrays[i + 1] = np.asarray(node.value).reshape(inputs[i].aval.shape)
            passed.append((i, reshape, node.value))
        report = self._function(arrays)
        if report[0]:
            raise error_of(report)
        self.passed = tuple(passed)
        return True


def _is_known(node):
    """Whether NumPy may look at a value: it is NumPy's, or comes from outside.

    What a program computes may not be there yet. Were one to look whether it is, time would decide what is recorded.
    """
    value = node.value
    return type(value) is np.ndarray or node.call is None and node.graph is None and hasattr(value, "is_ready")


@handed_over
def check_known(check, inputs):
    """Checks the inputs of a check at once, if what it looks at is known, and small; returns whether it was.

    Raises:
      Exception: a condition is broken.
    """
    if check.at_once is None:
        check.at_once = _known_check(check) or False
    known = check.at_once
    return known and (known.has_passed(inputs) or known.takes(inputs))


def _known_check(check):
    """The `KnownCheck` of a check; None where NumPy is not to do it."""
    kernel = host.kernel_of(check)
    if kernel is None:
        return None
    known = KnownCheck(check, kernel)
    sizes = [math.prod(check.in_avals[i + 1].shape) for i in known.needed]
    return known if sum(sizes) <= RECORDING.checked_at_once else None


# --- reports of what is pending -----------------------------------------------------------------------------------


_in_capture: Any = None


def captured_checks_by(function):
    """Has `function(call, inputs)` record the checks of calls that are captured. For the layer above."""
    global _in_capture
    _in_capture = function


@handed_over
def check_in_capture(call, inputs):
    """Records the check of a call into the graph being captured."""
    if _in_capture is not None:
        _in_capture(call, inputs)


@handed_over
def note_assignment(graph, variable, before, node):
    """Notes an assignment that may have to be taken back.

    It was made under a report of `graph`, which may turn out to be broken; or by a replica, when others may fail.
    """
    if graph.gathering is not None:
        graph.gathering.note_assignment(variable, before)
    if graph.report is not None:
        graph.assignments.append((variable, before, node, graph.report))


def is_ready(report):
    """Whether a report can be looked at without waiting."""
    value = report.value
    is_ready = getattr(value, "is_ready", None)
    return value is not None and (is_ready is None or is_ready())


def settle(graph):
    """Looks at the report of the program before the last one, which has most likely run: nothing is waited for.

    The report of the last program goes into the next one, so what that assigns is undone as well.

    Raises:
      Exception: it is broken.
    """
    before_last, last = graph.awaited
    graph.awaited = last, graph.report
    if before_last is None or before_last.value is None:
        return
    if _is_broken(before_last):  # if it is not, none of those before is
        _fail(graph, before_last)
    assignments = graph.assignments
    count = len(assignments)
    while count and assignments[count - 1][3] is not before_last:
        count -= 1
    del assignments[:count]
    if graph.report is before_last:
        _forget(graph)


def look(graph):
    """Looks at the latest report of a pending graph whose program has run.

    Raises:
      Exception: it is broken.
    """
    report = _last_known(graph)
    if report is not None:
        _look_at(graph, report, polled)


def look_if_ready(graph):
    """As `look`, if the latest report can be looked at without waiting."""
    if is_ready(graph.report):
        _look_at(graph, graph.report, np.asarray)


def _look_at(graph, report, array_of):
    if isinstance(report.value, Tracer):  # the user's own jax.jit is tracing
        _forget(graph)
    elif _is_broken(report, array_of):
        _fail(graph, report)
    elif report is graph.report:
        _forget(graph)


def _forget(graph):
    """Nothing that was recorded so far is in doubt."""
    graph.report, graph.awaited = None, (None, None)
    graph.assignments.clear()


def _last_known(graph):
    """The latest report of `graph` that a program has computed; None if there is none."""
    report = graph.report
    if report is None or report.value is not None:
        return report
    for *_, under in reversed(graph.assignments):
        if under.value is not None:
            return under
    return None


@functools.cache
def _is_divided():
    """Whether there are several devices, which are parts of the processor."""
    devices = jax.local_devices()
    return len(devices) > 1 and devices[0].platform == "cpu"


def polled(value):
    """The NumPy array of an array, which is waited for.

    A small program is ready before a thread has gone to sleep and woken again, so this polls first; not where the
    processor is divided into devices, which need it themselves.
    """
    if type(value) is not np.ndarray and not _is_divided():
        is_ready = getattr(value, "is_ready", None)  # a tracer has none
        if is_ready is not None and not value.is_deleted():
            for _ in range(RECORDING.polls):
                if is_ready():
                    break
    return np.asarray(value)


def _is_broken(report, array_of=polled):
    """Whether a known report is broken. That of a program that failed is none: the failure is reported elsewhere."""
    return not hasattr(report.value, "error") and int(array_of(report.value)[0]) != 0


def _fail(graph, report):
    """Takes back what was assigned under broken reports, and raises."""
    numbers = np.asarray(report.value)
    broken = False
    undone = []
    for variable, before, _, under in graph.assignments:
        broken = broken or under.value is None or _is_broken(under)
        if broken and not getattr(before.value, "is_deleted", bool)():  # what overwrites it has left it as it was
            undone.append((variable, before))
    for variable, before in reversed(undone):
        variable._node = before
    _forget(graph)
    raise error_of(numbers)


def error_of(numbers):
    """The exception for a broken report; while debugging is on, it says where the operation was recorded."""
    site = sites.get(int(numbers[0]))
    if site is None:  # replicas differ, and this process has recorded no such check
        message = "a value is refused in another process, which says what is wrong with it"
        return _make_error("InvalidArgumentError", message)
    message = site.message(numbers)
    if history.enabled:
        message = "\n".join([message, *[f"  recorded at {line}" for line in _lines_of(numbers)]])
    return _make_error(site.kind, message)


def _lines_of(numbers):
    """The lines on which what broke a condition was recorded, and the line of the call if that was in a function."""
    first = history.first_report(numbers)
    if first is not None and is_check(first.call):
        return [first.place] if first.place else []
    code = int(numbers[0])
    inside = [entry.place for entry in history.entries() if is_check(entry.call) and code in _codes_of(entry.call)]
    called = [] if first is None else [first.place]
    return list(dict.fromkeys(str(place) for place in (*inside, *called) if place is not None))


def is_check(call):
    """Whether a call checks a condition: it takes the report so far, and gives the next."""
    return call is not None and history.is_report(call.aval) and getattr(call, "in_avals", ())[:1] == (ABSENT,)


@functools.lru_cache(maxsize=1024)
def _codes_of(call):
    """The codes of the conditions of a check."""
    shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in call.in_avals]
    with noting_codes() as codes, jax.enable_x64(True):
        jax.eval_shape(lambda *arrays: call.fn(*arrays), *shapes)
    return codes

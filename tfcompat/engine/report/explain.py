"""What is said about compilation: why a program was compiled, that a loop keeps compiling, that it takes long."""
import collections
import contextlib
import os
import sys
import threading
import traceback
import warnings

from tfcompat._package.folder import PACKAGE_FOLDER
from tfcompat.engine._policy import REPORTING

enabled = os.environ.get("TFCOMPAT_EXPLAIN", "") not in ("", "0")
_recent: list = []  # step lists of the last programs compiled
_places = collections.Counter()  # programs compiled at a line of the user's
_warned = False


def explain(enable=True):
    """Whether each compilation, and each further trace of a tf.function, is explained by a line on stderr.

    The line says how many operations the program has, at which line of the user's a value was looked at, and which
    operation, shape or static argument is new, compared to the most similar of the last programs. For a trace it says
    which argument has another value, shape or dtype than before.
    """
    global enabled
    enabled = bool(enable)


def explains():
    """Whether compilations and traces are explained."""
    return enabled


def say(text):
    """Prints a line of an explanation on stderr, with the line of the user's that is running."""
    print(f"tfcompat:{_place()}: {text}", file=sys.stderr, flush=True)


def compiling(steps, at_once):
    """A program of `steps` is about to be compiled; `at_once` if it has not run before."""
    global _warned
    if enabled:
        print(f"tfcompat: compiling {len(steps)} operations{_place()}: {_news(steps)}", file=sys.stderr, flush=True)
        _recent.append(steps)
        del _recent[: -REPORTING.compared]
    elif at_once and not _warned:
        place = _place()
        _places[place] += 1
        if _places[place] >= REPORTING.programs_at_a_line:
            _warned = True
            warnings.warn(
                f"tfcompat keeps compiling programs{place} that are not used again, which is slow. The shapes or "
                "Python values in a loop may change each turn. Set TFCOMPAT_EXPLAIN=1 to see why each was compiled.",
                stacklevel=2,
            )


@contextlib.contextmanager
def progress(count):
    """Says on stderr that `count` operations are being compiled, if that takes longer than `REPORTING.patience`."""
    line = f"tfcompat: compiling {count} operations takes longer than {REPORTING.patience:.0f} s, once for new code\n"
    timer = threading.Timer(REPORTING.patience, lambda: sys.stderr.write(line))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _place():
    for frame, number in traceback.walk_stack(sys._getframe(1)):
        name = frame.f_code.co_filename
        if not name.startswith(PACKAGE_FOLDER) and f"{os.sep}jax{os.sep}" not in name and "contextlib" not in name:
            return f" at {os.path.basename(name)}:{number}"
    return ""


def _news(steps):
    """What tells `steps` from the most similar of the recent programs, in words."""
    if not _recent:
        return "the first program"
    closest = max(_recent, key=lambda other: _common(steps, other))
    at = _common(steps, closest)
    if at == len(steps) == len(closest):
        return "the operations of an earlier one; other results are needed"
    if at == len(closest):
        return f"{len(steps) - at} more operations than an earlier one, from {steps[at][0].operation.name} on"
    if at == len(steps):
        return f"the first {at} operations of an earlier one, which went on with {closest[at][0].operation.name}"
    (new, _), (old, _) = steps[at], closest[at]
    if new.operation is not old.operation:
        return f"operation {at + 1} is {new.operation.name}, in an earlier one it was {old.operation.name}"
    inputs = [f"{call.in_avals}" for call in (new, old)] if hasattr(new, "in_avals") else ["", ""]
    if inputs[0] != inputs[1]:
        return f"operation {at + 1}, {new.operation.name}, gets {inputs[0]}, in an earlier one {inputs[1]}"
    if new is not old:
        return f"operation {at + 1}, {new.operation.name}, has {_static(new)}, in an earlier one {_static(old)}"
    return f"operation {at + 1}, {new.operation.name}, takes its inputs from other places than in an earlier one"


def _static(call):
    names = call.operation.attribute_names
    attributes = zip(names, call.attributes.values, strict=True)
    return ", ".join(f"{name}={value}" for name, value in attributes if not name.startswith("_"))


def _common(steps, other):
    """How many operations are the same from the start on."""
    count = 0
    for mine, theirs in zip(steps, other, strict=False):
        if mine[0] is not theirs[0] or mine[1] != theirs[1]:
            break
        count += 1
    return count

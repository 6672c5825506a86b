"""Rows: tables of behaviour, one function a row, run on TensorFlow and on tfcompat alike.

    @row
    def gradient_of_a_square(tf, np):
        x = tf.Variable(np.float32([1, 2]))
        with tf.GradientTape() as tape:
            y = x * x
        return y, tape.gradient(y, x)

Rows are in the files `rows_<topic>.py` of a folder and are called `<topic>.<function name>`. A row takes what it names:
`tf`, the module it runs on; `np`, NumPy; `folder`, the path of an empty folder of its own. It returns a nest of what a
user would see: tensors, variables, `IndexedSlices`, `None`, numbers, strings, and exceptions caught with `raised`.

`record.py` runs the rows on TensorFlow and writes the JSON form of what they return into `golden`; the `test_rows.py`
or `test_<folder>.py` of the folder runs them on tfcompat and compares.
"""

import builtins
import contextlib
import importlib
import inspect
import io
import itertools
import json
import logging
import math
import pathlib
import re
import tempfile

import numpy as np

TESTS = pathlib.Path(__file__).parent
GOLDEN = TESTS / "golden"

_TABLES: dict = {}  # folder -> {row id: Row}

# Folders whose rows begin with these. Rows of the tape name and draw nothing that other rows would change.
_SEEDED = ("data", "distribute", "functional", "layers", "lite", "training")
_NAMES_ANEW = ("distribute", "functional", "layers", "lite", "training")

# Relative and absolute, by dtype; everything else is compared exactly.
TOLERANCE = {
    "bfloat16": 2e-2,
    "float16": 3e-3,
    "float32": 2e-5,
    "complex64": 2e-5,
    "float64": 1e-10,
    "complex128": 1e-10,
}


class Row:
    """One row: `function`, with the `choices` that `row_for` makes for it.

    `differs` says why tfcompat gives something else on purpose; None where it gives what TensorFlow gives.
    """

    def __init__(self, function, choices, differs):
        self.function, self.choices, self.differs = function, choices, differs
        self.folder, _, topic = function.__module__.rpartition(".")
        suffix = f"[{'-'.join(map(str, choices.values()))}]" if choices else ""
        self.name = f"{topic.removeprefix('rows_')}.{function.__name__}{suffix}"

    def run(self, tf):
        """The JSON form of what the row returns on `tf`."""
        if self.folder in _NAMES_ANEW:
            tf.keras.backend.clear_session()
        if self.folder in _SEEDED:
            tf.random.set_seed(11)
        wanted = inspect.signature(self.function).parameters
        with contextlib.ExitStack() as stack:
            arguments = {"tf": tf, "np": np, **self.choices}
            if "folder" in wanted:
                arguments["folder"] = stack.enter_context(tempfile.TemporaryDirectory())
            result = self.function(**{name: value for name, value in arguments.items() if name in wanted})
            return json.loads(json.dumps(describe(result, tf)))


def row(function):
    """Registers a function as the row `<topic>.<function name>` of its folder."""
    _register(Row(function, {}, None))
    return function


def row_that_differs(reason):
    """As `row`, of a row in which tfcompat differs from TensorFlow on purpose; it fails if it does not."""

    def decorator(function):
        _register(Row(function, {}, reason))
        return function

    return decorator


def row_for(differing=None, **choices):
    """Registers one row for each combination of the keyword `choices`, passed on as keyword arguments.

    Args:
      differing: reasons by combination, for those in which tfcompat differs on purpose; see `row_that_differs`.
    """
    reasons = dict(differing or {})

    def decorator(function):
        for values in itertools.product(*choices.values()):
            _register(Row(function, dict(zip(choices, values, strict=True)), reasons.pop(values, None)))
        if reasons:
            raise ValueError(f"no such row: {sorted(reasons)}")
        return function

    return decorator


def _register(new):
    rows = _TABLES.setdefault(new.folder, {})
    if new.name in rows:
        raise ValueError(f"two rows are called {new.name}")
    rows[new.name] = new


def load_rows(folder):
    """Imports every `rows_*.py` of a folder; returns `{row id: Row}`."""
    for path in sorted((TESTS / folder).glob("rows_*.py")):
        importlib.import_module(f"{folder}.{path.stem}")
    return _TABLES[folder]


def recorded_rows(golden):
    """What TensorFlow gave, by row id: the rows of `golden/<golden>.json`."""
    return json.loads((GOLDEN / f"{golden}.json").read_text(encoding="utf-8"))["rows"]


def check_row(row, recorded, tf):
    """Asserts that a row gives on `tf` what was recorded, a dict by row id."""
    assert row.name in recorded, f"not recorded: python tests/record.py {row.folder} --new"
    different = list(differences(row.run(tf), recorded[row.name]))
    assert not different, "\n".join(different)


def names(variables):
    """The names of variables or layers."""
    return [variable.name for variable in variables]


def ones(*shape, dtype="float32"):
    """A NumPy array of ones."""
    return np.ones(shape, dtype)


class Raised:
    """An exception a row caught: its public class name, and the fragments its message has to contain."""

    def __init__(self, error, fragments):
        self.error = error
        self.fragments = fragments

    def __repr__(self):
        return f"{type(self.error).__name__}: {self.error}"

    def describe(self, tf):
        if self.error is None:
            return {"raised": "nothing"}
        missing = [fragment for fragment in self.fragments if fragment not in str(self.error)]
        says = [fragment for fragment in self.fragments if fragment not in missing]
        described = {"raised": public_name(self.error, tf), "says": says}
        if missing:
            described["says_not"] = missing
            described["message"] = str(self.error)[:300]
        return described


def public_name(error, tf):
    """The most specific class of `error` that a user can name: one of `tf.errors`, or a built-in."""
    for cls in type(error).__mro__:
        for namespace in (tf.errors, builtins):
            if getattr(namespace, cls.__name__, None) is cls:
                return cls.__name__
    raise AssertionError(f"{type(error)} has no public class")


def raised(call, *fragments):
    """Calls `call()`, returns what it raised; `fragments` are parts of the message users may match on."""
    try:
        call()
    except Exception as error:
        return Raised(error, fragments)
    return Raised(None, fragments)


def with_pairs(text):
    """A text that shows OrderedDicts, as Python 3.11 shows them. https://github.com/python/cpython/issues/101446"""

    def pairs(match):
        items = re.sub(r"('\w+'): (.*?)(?=, '\w+': |$)", r"(\1, \2)", match[1])
        return f"OrderedDict([{items}])"

    return re.sub(r"OrderedDict\(\{(.*?)\}\)", pairs, text)


def printed(call):
    """What `call()` prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        call()
    return out.getvalue()


def logged(call):
    """The messages that `call()` logs, as `LEVEL:message`, and its result."""

    class Collect(logging.Handler):
        def emit(self, record):
            messages.append(f"{record.levelname}:{record.getMessage()}")

    messages = []
    logger = logging.getLogger("tensorflow")
    handler, level, propagate = Collect(), logger.level, logger.propagate
    handlers = list(logger.handlers)
    for other in handlers:
        logger.removeHandler(other)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        result = call()
    finally:
        logger.removeHandler(handler)
        for other in handlers:
            logger.addHandler(other)
        logger.setLevel(level)
        logger.propagate = propagate
    return {"log": messages, "result": result}


def describe(value, tf):
    """The JSON form of a row's result: arrays with type, dtype, shape; strings and structure as they are."""
    if isinstance(value, str):
        return with_pairs(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Raised):
        return value.describe(tf)
    if isinstance(value, tf.IndexedSlices):
        return {
            "slices": type(value).__name__,
            "values": describe(value.values, tf),
            "indices": describe(value.indices, tf),
            "dense_shape": describe(value.dense_shape, tf),
        }
    if isinstance(value, tf.Tensor | tf.Variable | np.ndarray | np.generic):
        return _describe_array(value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return {"float": _number(value)}
    if isinstance(value, dict):
        return {"dict": {str(key): describe(item, tf) for key, item in value.items()}}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {type(value).__name__: {name: describe(getattr(value, name), tf) for name in value._fields}}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [describe(item, tf) for item in value]}
    raise TypeError(f"a row may not return {type(value)}")


def _describe_array(value):
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    dtype = value.dtype
    flat = array.ravel().tolist()
    shape = ",".join(str(size) for size in array.shape)
    kind = type(value).__name__
    if kind == "_UnreadVariable":  # what `assign` returns: a private class
        kind = "ResourceVariable"
    return {
        kind: f"{getattr(dtype, 'name', str(dtype))}[{shape}]",
        "data": [_number(item) for item in flat],
    }


def _number(item):
    if isinstance(item, bytes):
        return item.decode()
    if isinstance(item, complex):
        return [_number(item.real), _number(item.imag)]
    if isinstance(item, float) and not math.isfinite(item):
        return str(item)
    return item


def differences(got, want, path="result"):
    """Yields one line for each place where the described results `got` and `want` differ."""
    if isinstance(want, dict) and isinstance(got, dict) and got.keys() == want.keys():
        if "data" in want:
            yield from _array_differences(got, want, path)
            return
        for key in want:
            yield from differences(got[key], want[key], f"{path}.{key}")
    elif isinstance(want, list) and isinstance(got, list) and len(got) == len(want):
        for i, (one, other) in enumerate(zip(got, want, strict=True)):
            yield from differences(one, other, f"{path}[{i}]")
    elif isinstance(want, float) and isinstance(got, float):
        if not _close(got, want, TOLERANCE["float32"]):
            yield f"{path}: got {got!r}, want {want!r}"
    elif got != want or type(got) is not type(want):
        yield f"{path}: got {got!r}, want {want!r}"


def _array_differences(got, want, path):
    (kind,) = want.keys() - {"data"}
    if got[kind] != want[kind]:
        yield f"{path}: is {kind} {got[kind]}, want {want[kind]}"
        return
    tolerance = TOLERANCE.get(want[kind].partition("[")[0], 0)
    if not all(_close(a, b, tolerance) for a, b in zip(got["data"], want["data"], strict=True)):
        yield f"{path}: got {got['data']}, want {want['data']}"


def _close(got, want, tolerance):
    if isinstance(got, list) and isinstance(want, list):
        return all(_close(a, b, tolerance) for a, b in zip(got, want, strict=True))
    if isinstance(got, float | int) and isinstance(want, float | int):
        return abs(got - want) <= tolerance * (1 + abs(want))
    return got == want

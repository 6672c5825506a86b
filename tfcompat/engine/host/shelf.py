"""Plans kept as text: those that ship with the package, and those that earlier processes made.

Tracing an operation takes milliseconds, even if it is done once in a process. What a trace has told of a family of
calls is data, and is found again under a text that identifies the family: the shapes and dtypes of its results, its
plan, what its results depend on. So is what it has told of a call in no family, see `_own_texts`. A text holds no code.
An unreadable one is as good as none.
"""
import atexit
import contextlib
import enum
import functools
import hashlib
import json
import os
import pathlib
import threading
from typing import Any

import jax
import numpy as np

from tfcompat._formats.whole import Replacing
from tfcompat._package.folder import PACKAGE_FOLDER
from tfcompat.engine import _forked
from tfcompat.engine import _policy as policy
from tfcompat.engine._aval import TupleAval
from tfcompat.engine.host.plan import Plan, Size, stated

SHIPPED = pathlib.Path(__file__).with_name("plans.txt")


class NotText(Exception):
    """A value cannot be told in text."""


class Shelf:
    """Texts by key: `get(key)` gives data as `json.loads` does, `put` keeps data for later processes.

    Args:
      name: of the file in the user's folder.
      most: how many texts are kept.
      longest: characters of a text that is kept.
      shipped: path of a file with further texts.
    """

    def __init__(self, name, most, longest, shipped=None):
        self._name, self._most, self._longest, self._shipped = name, most, longest, shipped
        self._lock = threading.RLock()
        self._known: tuple | None = None  # contents of files
        self._new: dict = {}
        self._folder: pathlib.Path | None = None
        self._file: pathlib.Path | None = None

    def keep_in(self, folder):
        """Texts of this process are added to a file in `folder` when it ends."""
        self._folder, self._known = folder, None
        atexit.register(self.save)

    def start_empty(self):
        """Forgets all texts, and those of files."""
        self._known, self._new, self._file = (), {}, None

    def new(self):
        """The texts that were put here in this process, by key."""
        return self._new

    def get(self, key):
        """The data of a key; None if there are none."""
        with self._lock:
            if self._known is None:
                self._known = () if self._shipped is None else (_content(self._shipped),)
                if self._folder is not None:
                    self._file = self._folder / f"{self._name}-{fingerprint()}.txt"
                    self._known += (_content(self._file),)
        text = self._new.get(key)
        for content in self._known:
            text = text or _found(content, key.encode())
        with contextlib.suppress(ValueError):
            return text and json.loads(text)
        return None

    def put(self, key, data):
        """Keeps the `data` of a key."""
        text = json.dumps(data, separators=(",", ":"))
        if len(text) > self._longest:
            return
        self._new[key] = text
        if len(self._new) > self._most:
            self._new.pop(next(iter(self._new)), None)

    def save(self):
        """Adds what is new to the file. Processes that do so at the same time lose nothing but new texts."""
        if self._file is None or not self._new:
            return
        texts = {}
        for line in _content(self._file).decode(errors="replace").splitlines():
            key, _, text = line.partition("\t")
            texts[key] = text
        texts |= self._new
        while len(texts) > self._most:
            texts.pop(next(iter(texts)))
        write(self._file, texts)


SHELF = Shelf("plans", policy.KEEPING.texts, policy.KEEPING.longest_text, SHIPPED)  # of families
OWN = Shelf("calls", policy.KEEPING.own_texts, policy.KEEPING.longest_text)          # of calls in none


@_forked.when_forked
def _free():
    for shelf in (SHELF, OWN):
        shelf._lock = threading.RLock()


@functools.cache
def fingerprint():
    """Text that changes with any file of this package: what a trace tells may change with it."""
    facts = []
    for folder, _, names in os.walk(PACKAGE_FOLDER):
        for name in names:
            if name.endswith(".py"):
                with contextlib.suppress(OSError):
                    status = os.stat(os.path.join(folder, name))
                    facts.append((folder, name, status.st_mtime_ns, status.st_size))
    return hashlib.sha256(repr(sorted(facts)).encode()).hexdigest()[:16]


def write(file, texts):
    """Replaces `file` by one of these texts, in the order of their keys; nothing happens where that cannot be done."""
    lines = sorted(f"{key}\t{text}\n".encode() for key, text in texts.items())
    with contextlib.suppress(OSError), Replacing(file, sync=False) as output:
        output.writelines(lines)


def _content(file):
    with contextlib.suppress(OSError):
        return file.read_bytes()
    return b""


def _found(content, key):
    """The text of a key in the content of a file, by bisection; None if there is none. To read all takes too long."""
    first, last = 0, len(content)
    while first < last:
        start = content.rfind(b"\n", first, (first + last) // 2) + 1 or first
        tab = content.find(b"\t", start)
        end = content.find(b"\n", start)
        if not start <= tab < end:
            return None
        here = content[start:tab]
        if here == key:
            return content[tab + 1 : end]
        first, last = (end + 1, last) if here < key else (first, start)
    return None


def identity_of(name, fn):
    """Text that tells a function of a module of this package or of JAX from every other; None for other functions."""
    module, path = getattr(fn, "__module__", None) or "", getattr(fn, "__qualname__", "<locals>")
    if not module.startswith(("tfcompat.", "jax.")) or "<locals>" in path or getattr(fn, "__self__", None) is not None:
        return None
    code = getattr(fn, "__code__", None)  # two functions without a name may be in one module
    return None if getattr(fn, "__closure__", None) else f"{module}:{path}:{name}:{code and code.co_firstlineno}"


def text_of(value):
    """A static attribute as text that tells it from every other.

    Raises:
      NotText: there is no such text.
    """
    kind = type(value)
    if kind is tuple:
        return f"({','.join(map(text_of, value))})"
    if isinstance(value, np.dtype):
        return value.name
    if hasattr(value, "as_numpy_dtype"):
        meant = getattr(value, "np", None)  # a program may have it mean a narrower one
        return value.name if meant is None or meant.name == value.name else f"{value.name}:{meant.name}"
    if jax.export.is_symbolic_dim(value):
        return str(value)
    if kind is str or kind is int or kind is bool or kind is float or value is None:
        return repr(value)
    raise NotText(kind)


def results_of(aval):
    """The aval of a call's result as data: a pair of shape and dtype, a list of such pairs for several results."""
    if type(aval) is TupleAval:
        return [results_of(part) for part in aval.parts]
    return [_encoded(stated(aval.shape)), aval.dtype.name]


def shapes_of(data):
    """The (shape, dtype) of which `results_of` made data, or the list of them."""
    if len(data) != 2 or type(data[1]) is not str:
        return [shapes_of(part) for part in data]
    return _decoded(data[0]), np.dtype(data[1])


def dependence_of(data):
    """What `Call.dependence` gives, from data."""
    return data and tuple([part and tuple(map(frozenset, part)) for part in data])


# Classes of JAX whose instances are parameters, by name; `jax.lax` has them.
_ENUMS = ("AccuracyMode", "GatherScatterMode", "FftType", "Precision", "RandomAlgorithm", "RoundingMethod")
_RECORDS = ("ConvDimensionNumbers", "GatherDimensionNumbers", "ScatterDimensionNumbers")


def data_of(plan):
    """A plan as data for `json.dumps`.

    Raises:
      NotText: it holds something for which there is no text.
    """
    return [
        plan.arity,
        [[_encoded(shape), dtype.name] for shape, dtype in plan.avals],
        [_array(constant) for constant in plan.constants],
        [
            [name, {key: _encoded(value) for key, value in params.items()}, list(map(_argument, arguments)),
             list(results), is_list] for name, params, arguments, results, is_list in plan.steps
        ],
        list(map(_argument, plan.outputs)),
    ]  # fmt: skip


def plan_of(data):
    """The plan that `data_of` made data of."""
    arity, avals, constants, steps, outputs = data
    return Plan(
        arity,
        [(_decoded(shape), np.dtype(dtype)) for shape, dtype in avals],
        list(map(_array_of, constants)),
        [
            (name, {key: _decoded(value) for key, value in params.items()}, tuple(map(_argument_of, arguments)),
             tuple(results), is_list) for name, params, arguments, results, is_list in steps
        ],
        tuple(map(_argument_of, outputs)),
    )  # fmt: skip


def _argument(argument):
    return argument if type(argument) is int else _array(argument)


def _argument_of(data):
    return data if type(data) is int else _array_of(data)


def _array(array):
    if array.size > policy.KEEPING.constant or array.dtype.kind not in "biufcV" or array.dtype.names:
        raise NotText(array.dtype)
    numbers = array.ravel()
    if array.dtype.kind == "c":
        numbers = numbers.view(numbers.real.dtype)  # real and imaginary parts, one after the other
    return [array.dtype.name, list(array.shape), numbers.tolist()]


def _array_of(data):
    name, shape, numbers = data
    dtype = np.dtype(name)
    if dtype.kind == "c":
        return np.array(numbers, dtype.type(0).real.dtype).view(dtype).reshape(shape)
    return np.array(numbers, dtype).reshape(shape)


def _encoded(value: Any):
    kind = type(value)
    if kind is int or kind is bool or kind is float or kind is str or value is None:
        return value
    if kind is Size:
        return {"size": str(value)}
    if kind is tuple:
        return list(map(_encoded, value))
    if kind is Plan:
        return {"plan": data_of(value)}
    if isinstance(value, np.dtype):
        return {"dtype": value.name}
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, enum.Enum) and kind.__name__ in _ENUMS:
        return {"enum": [kind.__name__, value.name]}
    if kind.__name__ in _RECORDS:
        fields = getattr(value, "_fields", None) or tuple(getattr(value, "__dataclass_fields__", ()))
        return {"record": [kind.__name__, {name: _encoded(getattr(value, name)) for name in fields}]}
    raise NotText(kind)


_SIZES: dict = {}  # the few that there are are many objects otherwise, which the garbage collector would go through


def _decoded(data):
    if type(data) is list:
        return tuple(map(_decoded, data))
    if type(data) is not dict:
        return data
    ((kind, content),) = data.items()
    if kind == "size":
        return _SIZES.setdefault(content, Size(content))
    if kind == "plan":
        return plan_of(content)
    if kind == "dtype":
        return np.dtype(content)
    name, rest = content
    if kind == "enum" and name in _ENUMS:
        return getattr(jax.lax, name)[rest]
    if kind == "record" and name in _RECORDS:
        return getattr(jax.lax, name)(**{field: _decoded(value) for field, value in rest.items()})
    raise ValueError(kind)

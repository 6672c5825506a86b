"""What becomes of a use of a TensorFlow name: supported, supported with a difference, or missing."""

import dataclasses
import enum
import functools
import importlib.resources
import inspect
import pathlib
import re
import tomllib
from types import ModuleType

import tfcompat
from tfcompat._package.missing import tensorflow_names
from tfcompat._tools import _install

GUIDE = "migration_guide/differences.md"
_SYMBOL = re.compile(r"\s*(?P<name>(?:tf\.)?[A-Za-z_][\w.]*\*?)(?P<arguments>\([^)]*\))?\s*(?P<end>,|$| )")
_ARGUMENT = re.compile(r"(\w+)\s*=")
IN_FUNCTIONS = "inside tf.function"
_OF_KERAS = ("tf.keras.", *(f"tf.{name}." for name in _install.OF_KERAS))
# Members that users reach through `tf` and that were never recorded: not known to be missing in TensorFlow.
_NOT_RECORDED = ("tf.compat", "tf.python", "tf.core", "tf.contrib")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What becomes of a use.

    `status` is "supported", "differs" or "missing"; `symbol` the name as far as it matters; `text` says what is
    missing and the way round, or what differs; `differences` are ids in differences.toml. What differs only under a
    condition that is not looked for here counts as supported, and is named all the same.
    """

    status: str
    symbol: str
    text: str = ""
    differences: tuple = ()


@dataclasses.dataclass(frozen=True)
class _Difference:
    id: str
    text: str
    condition: str
    arguments: frozenset


class Judge:
    """Judges uses by the package as it is, what TensorFlow has, and the known differences."""

    def __init__(self):
        self._tf = tfcompat
        recorded = tensorflow_names()
        self.version, self._aliases = recorded["tensorflow"], recorded["aliases"]
        self._modules, self._classes = recorded["modules"], recorded["classes"]
        self._by_symbol, self._by_object = {}, {}
        self._verdicts: dict = {}
        self._keras_3 = _install.has_keras_3()
        for entry in differences():
            self._note_difference(entry)

    def __call__(self, use, uses_functions):
        """The Verdict on a Use; None where nothing is known of it.

        Args:
          use: Use.
          uses_functions: whether the program uses tf.function, whose differences then count.
        """
        key = (use.symbol, use.instance, use.keywords, use.positional, uses_functions)
        if key not in self._verdicts:
            self._verdicts[key] = self._judged(use, uses_functions)
        return self._verdicts[key]

    def names_of(self, module):
        """What `from module import *` gives: TensorFlow's names, and ours."""
        found, _ = self._resolved(module.split("."))
        ours = [name for name in dir(found) if not name.startswith("_")] if isinstance(found, ModuleType) else []
        return sorted({*ours, *self._modules.get(self._aliases.get(module, module), ())})

    # --- there or not ---------------------------------------------------------------------------------------------

    def _judged(self, use, uses_functions):
        parts = use.symbol.split(".")
        if parts[1] in _install._PRIVATE:
            text = "" if _is_answered(parts[1:]) else "private to TensorFlow: use the public name"
            return Verdict("missing" if text else "supported", use.symbol, text)
        if use.instance:
            return self._judged_member(use, parts, uses_functions)
        found, error = self._resolved(parts)
        if error is not None:
            return Verdict("missing", use.symbol, self._advice(use.symbol, error))
        return self._judged_call(use, found, [use.symbol], uses_functions)

    def _judged_member(self, use, parts, uses_functions):
        """An attribute of an instance: only what TensorFlow's class is known to have is judged."""
        owner, error = self._resolved(parts[: use.instance])
        name = ".".join(parts[: use.instance])
        member = parts[use.instance]
        if error is not None or member not in self.members(name):
            return None
        if owner is self._tf.Tensor:
            owner = type(self._tf.constant(0))
        if not _has(owner, member):
            of = " of Keras 3" if self._is_of_keras_3(name) else ""
            return Verdict("missing", use.symbol, f"{name}{of} has no `{member}` here")
        names = [f"{each}.{member}" for each in (name, *self._bases(name))]
        return self._judged_call(use, getattr(owner, member, None), names, uses_functions)

    def _judged_call(self, use, found, names, uses_functions):
        unknown = [k for k in use.keywords if not _takes(found, k)]
        if unknown:
            listed = ", ".join(f"`{k}`" for k in unknown)
            return Verdict("missing", f"{use.symbol}({unknown[0]}=...)", f"there is no argument {listed} here")
        given = {*use.keywords, "*"} if use.positional else set(use.keywords)
        differing, conditional = {}, {}
        for each in self._differences_of(found, names):
            if each.arguments and not each.arguments & given:
                continue
            if not each.condition or each.condition == IN_FUNCTIONS and uses_functions:
                differing[each.id] = each
            elif each.condition != IN_FUNCTIONS:
                conditional[each.id] = each
        known = differing or conditional
        text = " ".join(f"{each.condition}: {each.text}" if each.condition else each.text for each in known.values())
        return Verdict("differs" if differing else "supported", use.symbol, text, tuple(known))

    def _resolved(self, parts):
        """(object, None), or (None, the AttributeError's text) for a dotted name that leads nowhere."""
        target = self._tf
        for part in parts[1:]:
            try:
                target = getattr(target, part)
            except AttributeError as error:
                if target is self._tf.Tensor and hasattr(type(self._tf.constant(0)), part):
                    return getattr(type(self._tf.constant(0)), part), None
                return None, str(error)
        return target, None

    def _advice(self, symbol, error):
        """What to say of a missing name: the way round that the package itself gives, if any."""
        _, _, advice = error.partition("is not available in tfcompat: ")
        if advice:
            return advice
        if self._is_of_keras_3(symbol):
            return "Keras 3, which TF_USE_LEGACY_KERAS=0 makes tf.keras, has no such name"
        owner, _, name = symbol.rpartition(".")
        names = self._modules.get(self._aliases.get(owner, owner))
        if names is not None and name not in names and not symbol.startswith(_NOT_RECORDED):
            return f"TensorFlow {self.version} has no such name either: it belongs to TensorFlow 1, or is misspelt"
        if owner.startswith("tf.contrib"):
            return "TensorFlow 2 has no such name either"
        return "not implemented; no workaround is known"

    def _is_of_keras_3(self, symbol):
        return self._keras_3 and symbol.startswith(_OF_KERAS)

    def members(self, name):
        """The members that TensorFlow's class `name` is known to have, inherited ones included."""
        found = set()
        for each in (name, *self._bases(name)):
            found.update(self._classes.get(self._aliases.get(each, each), [None, ()])[1])
        return found

    def _bases(self, name):
        found, name = [], self._aliases.get(name, name)
        while (base := self._classes.get(name, [None])[0]) and base not in found:
            found.append(base)
            name = base
        return found

    # --- differences ----------------------------------------------------------------------------------------------

    def _note_difference(self, entry):
        for name, arguments, condition in applies_to(entry["symbol"], self._exists):
            text = f"TensorFlow: {entry['tensorflow']} Here: {entry['tfcompat']}"
            difference = _Difference(entry["id"], text, condition, arguments)
            if name.endswith("*"):
                owner, _, start = name[:-1].rpartition(".")
                found, _ = self._resolved(owner.split("."))
                for each in dir(found):
                    if each.startswith(start) and not each.startswith("_"):
                        self._note(f"{owner}.{each}", difference)
            else:
                self._note(name, difference)

    def _exists(self, name):
        return self._resolved(name.split("."))[1] is None

    def _note(self, name, difference):
        if self._is_of_keras_3(name):
            return  # it is of the light Keras
        self._by_symbol.setdefault(name, []).append(difference)
        found, error = self._resolved(name.split("."))
        if error is None:
            self._by_object.setdefault(id(found), []).append(difference)

    def _differences_of(self, found, names):
        """The differences that name an object, by any of its names, or a module that it is in."""
        result = list(self._by_object.get(id(found), ()))
        for name in names:
            parts = name.split(".")
            for length in range(2, len(parts) + 1):
                prefix = ".".join(parts[:length])
                if length == len(parts) or isinstance(self._resolved(parts[:length])[0], ModuleType):
                    result += self._by_symbol.get(prefix, ())
        return result


def applies_to(symbol, exists=lambda name: True):
    """The names that the symbol of a difference begins with, and the condition after them.

    Returns:
      list of (dotted name, arguments, condition); empty where the symbol is a description. `arguments` is a frozenset
      of names, with `*` among them where they may be given by position. A name without `tf.` is in the namespace of
      the one before, if it `exists` there.
    """
    found, owner = [], ""
    for part in symbol.split(";"):
        names, rest = [], part.strip()
        while match := _SYMBOL.match(rest):
            name = match["name"]
            if not name.startswith("tf."):
                if not owner or not exists(f"{owner}.{name}"):
                    break
                name = f"{owner}.{name}"
            owner = name.rpartition(".")[0]
            names.append((name, _arguments(match["arguments"])))
            rest = rest[match.end():]
            if match["end"] != ",":
                break
        found += [(name, arguments, rest.strip()) for name, arguments in names]
    return found


def _arguments(text):
    """The arguments in `(name=..., other)`."""
    if not text:
        return frozenset()
    if named := _ARGUMENT.findall(text):
        return frozenset(named)
    given = [word.strip() for word in text[1:-1].split(",")]
    return frozenset([*given, "*"]) if all(word.isidentifier() for word in given) else frozenset()


@functools.cache
def differences():
    """The entries of differences.toml, from the package or, in a checkout, from beside it."""
    return tuple(tomllib.loads(_data("differences.toml")).get("difference", ()))


def _data(name):
    folder = importlib.resources.files("tfcompat._tools")
    if not folder.joinpath(name).is_file():
        folder = pathlib.Path(__file__).resolve().parents[2] / "migration_guide"
    return folder.joinpath(name).read_text(encoding="utf-8")


def _is_answered(parts):
    """Whether a private name is one of those that are there for the sake of packages that import it."""
    for length in range(len(parts), 0, -1):
        target = _install._private(".".join(parts[:length]))
        if target is not None:
            for part in parts[length:]:
                target = getattr(target, part, None)
            return target is not None
    return False


def _has(owner, member):
    """Whether instances of a class have an attribute, be it assigned in a method or named in a table of the class."""
    if hasattr(owner, member) or isinstance(owner, enum.EnumMeta):
        return True
    assigned = re.compile(rf"self\.{member}\b[^=\n]*=|[\"']{member}[\"']")
    for cls in getattr(owner, "__mro__", ())[:-1]:
        try:
            if assigned.search(inspect.getsource(cls)):
                return True
        except (OSError, TypeError):
            return True
    return False


def _takes(function, keyword):
    """Whether a callable takes a keyword argument, as far as its signature tells."""
    if not callable(function):
        return True
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    return keyword in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())

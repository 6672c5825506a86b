"""Renders the type stubs, `tfcompat-stubs`, from the package as it is:

    python stubs/render.py [FOLDER]

A type checker reads these instead of the package: most names come when they are asked for, operators are bound to
classes, and ops are made of bodies that take arrays. Each public module has a stub. A class or function is defined in
the first namespace that has it, from `tf` on; the others import it from there.

What parameters take is told by `parameters.py`. What is returned is read off the annotation of a function, else off the
first line under "Returns:" in its docstring; otherwise it is not known.
"""

import ast
import enum
import inspect
import pathlib
import re
import sys
import textwrap
from types import ModuleType

from parameters import ALIASES, types_of

import tfcompat as tf
import tfcompat.extend  # which `dir` gives only then

HEADER = '"""Made by stubs/render.py."""\n'
# TensorFlow 1's names and kernels are made when they are asked for; the engine is no part of TensorFlow.
ANY_NAME = ("tfcompat.compat.v1", "tfcompat.raw_ops", "tfcompat.engine")
NOT_A_TENSOR = re.compile(
    r"\W*(list|tuple|dict|nest|pair|none|function|decorator|iterator|structure|as|what|python)\b|\(", re.IGNORECASE
)
OR_OTHERS = re.compile(r"\bor (a |an )?(None|list|tuple|\w+Tensor|IndexedSlices|dict)\b")
SUMMARY_OF_A_TENSOR = re.compile(r"The tensor\b|[^.\n]*, a scalar tensor[.;]")
RESULTS = {
    "__len__": "_builtins.int", "__int__": "_builtins.int", "__index__": "_builtins.int",
    "__float__": "_builtins.float", "__complex__": "_builtins.complex", "__bool__": "_builtins.bool",
    "__contains__": "_builtins.bool", "__enter__": "_t.Self", "__exit__": "None",
    "__iter__": "_t.Iterator[_t.Any]",
}  # fmt: skip
SKIPPED = frozenset("__new__ __init_subclass__ __class_getitem__ __repr__ __str__ __getstate__ __setstate__ __reduce__ "
                    "__getattribute__ __setattr__ __delattr__ __dir__ __subclasshook__ __format__ __instancecheck__ "
                    "__hash__ __sizeof__ __reduce_ex__ __replace__ __class__ __doc__".split())  # fmt: skip
# A `tf.function` keeps the parameters and the result of what it compiles; so do other decorators.
BY_HAND = {
    "tfcompat.function": """
        class _Compiled(_t.Protocol[_P, _R]):
            python_function: _t.Any
            input_signature: _t.Any
            function_spec: _t.Any
            def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
            def __get__(self, instance: _t.Any, owner: _t.Any = ...) -> _Compiled[..., _R]: ...
            def get_concrete_function(self, *args: _t.Any, **kwargs: _t.Any) -> _t.Any: ...
            def experimental_get_tracing_count(self) -> _builtins.int: ...
            def experimental_get_compiler_ir(self, *args: _t.Any, **kwargs: _t.Any) -> _t.Any: ...
            def pretty_printed_concrete_signatures(self, verbose: _t.Any = ...) -> _builtins.str: ...
        @_t.overload
        def function(func: _t.Callable[_P, _T], input_signature: _t.Any = ...,
                     **options: _t.Any) -> _Compiled[_P, _T]: ...
        @_t.overload
        def function(func: None = ..., input_signature: _t.Any = ...,
                     **options: _t.Any) -> _t.Callable[[_t.Callable[_P, _T]], _Compiled[_P, _T]]: ...
    """,
    "tfcompat.custom_gradient": "def custom_gradient(f: _t.Callable[_P, _t.Any]) -> _t.Callable[_P, _t.Any]: ...",
    "tfcompat.recompute_grad": "def recompute_grad(f: _t.Callable[_P, _T]) -> _t.Callable[_P, _T]: ...",
}
IMPORTS = """\
import builtins as _builtins
import enum as _enum
import typing as _t

import tfcompat as _tf
from tfcompat import _parameters as _p

_P = _t.ParamSpec("_P")
_T = _t.TypeVar("_T")
_R = _t.TypeVar("_R", covariant=True)
"""


def public(module):
    """The public names of a module that can be written in a stub."""
    return [name for name in dir(module) if not name.startswith("_") and name.isidentifier()]


class Stubs:
    """All stubs. `modules` are the public modules by their full names, `homes` the names of objects by their ids."""

    def __init__(self):
        self.modules, self.homes, self._kept = {}, {}, []
        waiting = [tf]
        while waiting:
            module = waiting.pop(0)
            name = module.__name__
            if name in self.modules or name in ANY_NAME:
                continue
            self.modules[name] = module
            for each in public(module):
                value = getattr(module, each)
                if isinstance(value, ModuleType):
                    if value.__name__.startswith("tfcompat.") and "._" not in value.__name__:
                        waiting.append(value)
                elif inspect.isclass(value) or inspect.isroutine(value):
                    self.homes.setdefault(id(value), (name, each))
                    self._kept.append(value)
        self.classes = {}
        for value in self._kept:
            if inspect.isclass(value) and self._is_ours(value):
                self.classes.setdefault(self.homes[id(value)][1], value)

    @staticmethod
    def _is_ours(value):
        return value.__module__.startswith(("tfcompat", "tensorflow", "keras", "tf_keras"))

    def _is_foreign(self, value):
        return not self._is_ours(value) and value.__module__ not in ("abc", "typing", "collections.abc")

    def text(self, name):
        """The stub of a module."""
        module = self.modules[name]
        lines = []
        for each in public(module):
            value = getattr(module, each)
            lines += self._member(name, each, value)
        if name == "tfcompat":
            lines += ["__version__: _builtins.str"]
        return HEADER + IMPORTS + "\n" + "\n".join(lines) + "\n"

    def _member(self, name, each, value):
        if isinstance(value, ModuleType):
            if value.__name__ in self.modules or value.__name__ in ANY_NAME:
                parent, _, last = value.__name__.rpartition(".")
                return [f"from {parent} import {last} as {each}" if parent and last == each else f"{each} = _tf"]
            return [f"{each}: _t.Any"]
        home = self.homes.get(id(value))
        if home is None:
            return [f"{each}: {self._type_of(value)}"]
        if home != (name, each):
            if home[1] == each:
                return [f"from {home[0]} import {each} as {each}"]
            return [f"{each} = _tf{home[0].removeprefix('tfcompat')}.{home[1]}"]
        if f"{name}.{each}" in BY_HAND:
            return textwrap.dedent(BY_HAND[f"{name}.{each}"]).strip().splitlines()
        if inspect.isclass(value):
            return self._class(each, value) if self._is_ours(value) else [f"{each}: _t.Any"]
        return [self._function(each, value, self._result(value), types=types_of(value))]

    def _type_of(self, value):
        kind = type(value)
        if kind in (int, str, float, bool):
            return f"_builtins.{kind.__name__}"
        return self._reference(kind) or "_t.Any"

    def _reference(self, cls):
        """How a stub names a public class of ours, or None."""
        home = self.homes.get(id(cls))
        if home is None or not self._is_ours(cls):
            return None
        return f"_tf{home[0].removeprefix('tfcompat')}.{home[1]}"

    # --- functions ------------------------------------------------------------------------------------------------

    @staticmethod
    def _function(name, function, result, first="", indent="", types=None):
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            parameters = None
        if parameters is None or not all(p.name.isidentifier() for p in parameters):
            listed = [*filter(None, [first]), "*args: _t.Any", "**kwargs: _t.Any"]
        else:
            listed = _listed(parameters, first, types or {})
        return f"{indent}def {name}({', '.join(listed)}){f' -> {result}' if result else ''}: ..."

    def _result(self, function):
        """The type of what a function returns, or None."""
        annotation = getattr(function, "__annotations__", {}).get("return", "")
        annotation = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
        if annotation:
            return self._named(annotation.rpartition(".")[2]) or "_t.Any"
        doc = inspect.getdoc(function) or ""
        told = re.search(r"Returns:\s+(.*)", doc)
        text = told[1] if told else ""
        if SUMMARY_OF_A_TENSOR.match(doc):
            return self._reference(tf.Tensor)
        if re.match(r"(?i)list of tensors", text):
            return f"_builtins.list[{self._reference(tf.Tensor)}]"
        if not text or NOT_A_TENSOR.match(text) or OR_OTHERS.search(text):
            return None
        first = re.match(r"(?i)(?:(?:a|an|the|new) )?`?(?:tf\.[\w.]*\.|tf\.)?(\w*)", text)
        if first and (named := self._named(first[1])):
            return named
        return self._reference(tf.Tensor) if re.search(r"\b(tensor|scalar|vector|matrix)\b", text, re.I) else None

    def _named(self, name):
        if name in ("int", "str", "float", "bool", "bytes", "dict", "list", "tuple"):
            return f"_builtins.{name}"
        if name == "None":
            return name
        return self._reference(self.classes[name]) if name in self.classes else None

    # --- classes --------------------------------------------------------------------------------------------------

    def _class(self, name, cls):
        example = {tf.Tensor: tf.constant, tf.Variable: tf.Variable}.get(cls)
        source = type(example(0.0)) if example else cls  # a checker cannot tell which tensors have values
        base = next(each for each in cls.__mro__[1:] if self._reference(each) or self._is_foreign(each))
        if issubclass(cls, enum.Enum):
            members = [f"    {each} = ..." for each in cls.__members__]
            return [f"class {name}(_enum.Enum):", *(members or ["    ..."])]
        reference, alias = self._reference(base), f"_{base.__module__.replace('.', '_')}"
        imports = [] if reference or alias == "_builtins" else [f"import {base.__module__} as {alias}"]
        reference = reference or f"{alias}.{base.__qualname__}"
        inherited = set(base.__mro__)
        own: dict = {}
        for each in reversed([c for c in source.__mro__ if c not in inherited]):
            for attribute in _assigned(each):
                own.setdefault(attribute, None)
            own.update(vars(each))
        lines = [line for each, value in own.items() if (line := self._attribute(cls, each, value))]
        if "__new__" in own and "__init__" not in own:  # a named tuple
            lines.append(self._function("__new__", cls.__new__, "_t.Self", "cls", "    "))
        return [*imports, f"class {name}({reference}):", *(lines or ["    ..."])]

    def _attribute(self, cls, name, value):
        if name in SKIPPED or not name.isidentifier() or name.startswith("_") and not name.endswith("__"):
            return ""
        if name.startswith("__") and not callable(value):
            return ""
        if isinstance(value, staticmethod):
            return "    @staticmethod\n" + self._function(name, value.__func__, self._result(value), "", "    ")
        if isinstance(value, classmethod):
            return "    @classmethod\n" + self._function(name, value.__func__, self._result(value), "cls", "    ")
        if isinstance(value, property):
            return f"    {name}: {self._result(value.fget) or '_t.Any'}"
        if name == "__init__":
            return self._function(name, value, "None", "self", "    ", types_of(cls))
        if inspect.isclass(value) or not callable(value) or not hasattr(value, "__get__"):
            return f"    {name}: _t.Any"
        result = RESULTS.get(name)
        if result is None and issubclass(cls, (tf.Tensor, tf.Variable)) and name.startswith("__"):
            result = self._reference(tf.Tensor) if name != "__array__" else "_t.Any"
        return self._function(name, value, result or self._result(value), "self", "    ")


def _listed(parameters, first, types):
    """The parameters of a function in a stub; `first` is what its object is called, `types` are theirs by name."""
    if first and parameters and parameters[0].kind in (0, 1):
        parameters = parameters[1:]
    listed, bare = ([f"{first}"] if first else []), False
    positional_only = [p for p in parameters if p.kind is p.POSITIONAL_ONLY]
    for place, p in enumerate(parameters):
        if p.kind is p.KEYWORD_ONLY and not bare:
            bare = True
            listed.append("*")
        bare = bare or p.kind is p.VAR_POSITIONAL
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        kind, equals = (f": {types[p.name]}", " = ...") if p.name in types else ("", "=...")
        listed.append(stars + p.name + kind + ("" if p.default is p.empty else equals))
        if place == len(positional_only) - 1:
            listed.append("/")
    return listed


def _assigned(cls):
    """The public attributes that the methods of a class assign on `self`."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError):
        return []
    return [
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    ]  # fmt: skip


def rendered():
    """Dict from paths below `tfcompat-stubs` to texts."""
    stubs = Stubs()
    packages = {name.rpartition(".")[0] for name in (*stubs.modules, *ANY_NAME)}
    files = {"_parameters.pyi": ALIASES}
    for name in (*stubs.modules, *ANY_NAME):
        below = name.split(".")[1:]
        path = "/".join([*below, "__init__.pyi"]) if name in packages else "/".join(below) + ".pyi"
        files[path] = stubs.text(name) if name in stubs.modules else (
            f"{HEADER}import typing as _t\n\ndef __getattr__(name: str) -> _t.Any: ...\n"
        )
    return files


if __name__ == "__main__":
    folder = pathlib.Path(*sys.argv[1:]) if sys.argv[1:] else pathlib.Path(__file__).with_name("tfcompat-stubs")
    for path, text in rendered().items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

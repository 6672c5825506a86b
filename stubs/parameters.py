"""What parameters take, as far as it can be told: read off the definition of an op, defaults, and docstrings.

Only functions and constructors have types for parameters. Methods have none, since programs override them, and an
override that takes less than the base class says is an error to a type checker.
"""

import inspect
import re

ALIASES = '''\
"""Made by stubs/render.py: what parameters take."""
import builtins as _builtins
import typing as _t

import numpy as _np

import tfcompat as _tf

class _HasArray(_t.Protocol):
    def __array__(self, *args: _t.Any, **kwargs: _t.Any) -> _t.Any: ...

Flag: _t.TypeAlias = _t.SupportsIndex | _HasArray | _tf.Tensor | _tf.Variable
Int: _t.TypeAlias = _t.SupportsIndex | _t.SupportsInt | _HasArray | _tf.Tensor | _tf.Variable
TensorLike: _t.TypeAlias = (
    _builtins.complex | _builtins.str | _builtins.bytes | _HasArray | _t.Sequence[_t.Any] | _t.SupportsIndex
    | _t.SupportsFloat | _tf.Tensor | _tf.Variable | _tf.TensorShape | _tf.IndexedSlices | _tf.RaggedTensor
    | _tf.SparseTensor | _tf.experimental.ExtensionType
)
ShapeLike: _t.TypeAlias = (
    _t.SupportsIndex | _t.Iterable[_t.Any] | _HasArray | _tf.Tensor | _tf.Variable | _tf.TensorShape
)
DTypeLike: _t.TypeAlias = (
    _tf.DType | _builtins.str | _builtins.type[_t.Any] | _np.dtype[_t.Any] | _builtins.int
    | _tf.keras.mixed_precision.Policy
)
'''
_ANY_TYPE_OF = re.compile(
    r"\b(lists?|tuple|dict|nest|structure|dataset|iterable|or|pair|spec|layer|each|tensor|vector|rows?)\b", re.I
)
_ANY_STRUCTURE = re.compile(r"\b(list|tuple|dict|nest|structure|pair|function|old name|likewise for)\b")
_TENSOR = re.compile(r"(a |an )?((\w+|\w+, \w+|\w+ or \w+|\w+, \w+ or \w+) )?(tensor|scalar|vector|matrix)\b", re.I)
_OTHER_THAN_TENSORS = re.compile(
    r"\b(list|tuple|lists|dict|nest|structure|dataset|iterable|pair|spec|layer|None|function|or (a|an) [^,.;]*)\b"
)
_STR = re.compile(r'(a |the )?str\b|"\w*"(, "\w*")*,?( or "\w*")?[.;,]?$', re.I)
_FUNCTION = re.compile(r"(a |the )?(python )?(function|callable)\b", re.I)
_INT = re.compile(
    r"(an? )?(positive |python )?(int|integer)(?! \w*(tensor|vector|matrix|scalar))\b|number of\b|how many\b", re.I
)
_DTYPES = frozenset({"dtype", "out_type", "output_type", "key_dtype", "value_dtype", "out_dtype"})


def types_of(function):
    """Dict from names of parameters to their types, of those that are known.

    Args:
      function: function, or a class for those of its constructor.
    """
    constructor = function.__init__ if inspect.isclass(function) else function
    try:
        parameters = inspect.signature(constructor).parameters
    except (TypeError, ValueError):
        return {}
    spec = getattr(function, "spec", None)
    tensors = getattr(spec, "tensors", ())
    told = _told(inspect.getdoc(function) or "") | _told(inspect.getdoc(constructor) or "")
    types = {}
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        kind = _kind(name, parameter.default, name in tensors, told.get(name, ""))
        if kind is not None:
            may_be_none = parameter.default is None or "None" in told.get(name, "")
            types[name] = f"{kind} | None" if may_be_none and not kind.endswith("None") else kind
    return types


def _told(doc):
    """Dict from names of parameters to what a docstring says first about them."""
    section = re.search(r"^Args:\n((?: +.*\n?|\n)+)", doc, re.MULTILINE)
    lines = section[1].splitlines() if section else []
    told, names = {}, []
    for line in lines:
        start = re.match(r"  (\*{0,2}[\w, *]+): (.*)", line)
        if start:
            names = [name.strip(" *") for name in start[1].split(",")]
            told.update(dict.fromkeys(names, start[2]))
        elif line.strip():
            told.update({name: f"{told[name]} {line.strip()}" for name in names})
    return told


def _kind(name, default, is_tensor, text):
    if name == "name":
        return "_builtins.str" if default is None or isinstance(default, str) else None
    if is_tensor:
        return "_p.TensorLike"
    if name in _DTYPES and not _ANY_STRUCTURE.search(text):
        return "_p.DTypeLike | None"
    first = re.split(r"[;.]( |$)|, (?!\")| by default", text)[0]
    if isinstance(default, bool) and re.match(r"(whether|bool)\b", text):
        return "_p.Flag | None"
    if name == "shape" and not _ANY_STRUCTURE.search(text):
        return "_p.ShapeLike | None"
    if _FUNCTION.match(text) and not re.search(r"\bor\b|\bname\b", first):
        return "_t.Callable[..., _t.Any]"
    if _STR.match(text) and not re.search(r"\bor (?!\")", text) and not _ANY_STRUCTURE.search(first):
        return "_builtins.str" if not isinstance(default, bool | int | float) else None
    if _INT.match(text) and not _ANY_TYPE_OF.search(text) and (default is inspect.Parameter.empty or default is None
                                                             or isinstance(default, int)):  # fmt: skip
        return "_p.Int"
    if _TENSOR.match(text) and not _OTHER_THAN_TENSORS.search(text):
        return "_p.TensorLike"
    return None

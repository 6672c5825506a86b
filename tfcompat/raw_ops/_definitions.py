"""What TensorFlow 2.21's ops are called, take and return: the facts in `definitions.txt`.

A line is `Name|inputs|attributes|results|parameters`; `^n` after the name says that graphs from version n on may not
have the op, which cannot be called since, `~` marks an op that no kernel of a CPU computes, and `!` one with effects.
An input is `name:type`, or `name@parameter:type` where `tf.raw_ops` calls it otherwise. A type is a dtype, the
attribute that tells the dtype, `N*type` for a list of N tensors or `*attribute` for tensors of the dtypes that the
attribute lists. An attribute is `name:kind`, `name:kind=default`; a list has a `*` after its kind. What it may be
follows in braces: a text one of some texts; a dtype the letters of kinds that it may be (floating, complex, integer,
bool, string, resource, variant; `x` for int32 and int64), then the names of other dtypes. `>n` is the least number.
Parameters are those of `tf.raw_ops`, where their order is not that of inputs and attributes; `-` for an op that is not
there.

`python tests/record.py op_definitions` writes the file.
"""

import functools
import importlib.resources
import json
import re

from tfcompat import dtypes
from tfcompat._core.shape import TensorShape


class Argument:
    """An input or a result of an op.

    Attributes:
      name, parameter: what op definitions and `tf.raw_ops` call it.
      type: a DType, or None if an attribute tells.
      type_attr: name of the attribute with its dtype, or dtypes.
      number_attr: name of the attribute with the number of tensors; None if it is no list of one dtype.
      is_list: whether it is a list of tensors.
      is_ref: whether it is a reference to a variable of TensorFlow 1.
    """

    __slots__ = ("name", "parameter", "type", "type_attr", "number_attr", "is_list", "is_ref")

    def __init__(self, text):
        names, _, kind = text.partition(":")
        self.name, _, parameter = names.partition("@")
        self.parameter = parameter or self.name
        self.is_ref, kind = kind.startswith("&"), kind.lstrip("&")
        self.is_list = "*" in kind
        number, _, kind = kind.rpartition("*")
        self.number_attr = number or None
        known = _DTYPES.get(kind)
        self.type, self.type_attr = known, None if known else kind

    def count(self, attributes):
        """How many tensors it is; None if it is no list."""
        if not self.is_list:
            return None
        return attributes[self.number_attr] if self.number_attr else len(attributes[self.type_attr])


class Attribute:
    """An attribute of an op.

    Attributes:
      name, parameter: what op definitions and `tf.raw_ops` call it.
      kind, is_list: of what Python type it is, or its items are.
      letters, choices: kinds of dtypes, see `letter_of`, and other dtypes or texts that it may be; any without.
      minimum: the least number that it may be; None if it is no number, or any.
      default: `REQUIRED` if it has none.
    """

    __slots__ = ("name", "parameter", "kind", "letters", "choices", "minimum", "is_list", "default")

    def __init__(self, text):
        names, _, kind = text.partition(":")
        kind, has_default, default = kind.partition("=")
        self.name, _, parameter = names.partition("@")
        self.parameter = parameter or self.name
        kind, _, allowed = kind.partition("{")
        kind, _, minimum = kind.partition(">")
        self.kind, self.is_list, self.minimum = kind.rstrip("*"), kind.endswith("*"), int(minimum) if minimum else None
        parts = allowed.rstrip("}").split(",") if allowed else []
        self.letters = parts.pop(0) if parts and kind.startswith("type") and parts[0] not in _DTYPES else ""
        self.choices = [_DTYPES[part] for part in parts] if kind.startswith("type") else parts
        self.default = _value(self.kind, self.is_list, default) if has_default else REQUIRED

    def takes(self, dtype):
        """Whether it may be a dtype."""
        if not self.letters and not self.choices or letter_of(dtype) in self.letters or dtype in self.choices:
            return True
        return "x" in self.letters and dtype in (dtypes.int32, dtypes.int64)


def letter_of(dtype):
    """The kind of a dtype: "f" floating, "c" complex, "b" bool, "s" string, "r" resource, "v" variant, "i" integer."""
    if dtype.is_floating or dtype.is_complex:
        return "f" if dtype.is_floating else "c"
    return {"bool": "b", "string": "s", "resource": "r", "variant": "v"}.get(dtype.name, "i")


REQUIRED = object()
_DTYPES = {name: value for name, value in vars(dtypes).items() if isinstance(value, dtypes.DType)}


def _value(kind, is_list, text):
    if kind == "tensor":
        return None
    if is_list:
        if kind == "type":
            return [_DTYPES[name] for name in text[1:-1].split(",") if name]
        return json.loads(text)
    if kind == "type":
        return _DTYPES[text]
    if kind == "shape":
        return TensorShape(None if text == "?" else json.loads(text))
    if kind == "float":
        return float(text)
    return json.loads(text)


class Definition:
    """What an op is called, takes and returns.

    Attributes:
      name: of the op.
      removed: version of graphs from which on it is not there, an int; None for most.
      has_kernel: whether TensorFlow computes it on CPUs.
      has_effects: whether it reads or changes something other than tensors.
      inputs, results: Arguments.
      attributes: dict from names to Attributes.
      parameters: what the function of `tf.raw_ops` takes: dict from names to defaults, in order.
      is_public: whether there is such a function.
    """

    def __init__(self, line):
        name, inputs, attributes, results, *parameters = line.split("|")
        self.name, _, removed = name.rstrip("~!").partition("^")
        self.removed = int(removed) if removed else None
        self.has_kernel, self.has_effects = "~" not in name, name.endswith("!")
        self.inputs = [Argument(text) for text in inputs.split()]
        self.attributes = {each.name: each for each in map(Attribute, attributes.split())}
        self.results = [Argument(text) for text in results.split()]
        self.is_public = parameters != ["-"]
        inferred = {x for each in self.inputs for x in (each.type_attr, each.number_attr)}
        defaults = {each.parameter: REQUIRED for each in self.inputs}
        given = [each for each in self.attributes.values() if each.name not in inferred]
        defaults |= {each.parameter: each.default for each in given}
        order = parameters[0].split() if parameters and self.is_public else defaults
        self.parameters = {parameter: defaults[parameter] for parameter in order}
        self.given = given  # attributes that no input tells


@functools.cache
def _lines():
    text = importlib.resources.files("tfcompat.raw_ops").joinpath("definitions.txt").read_text(encoding="utf-8")
    return {re.split(r"[~!^|]", line, maxsplit=1)[0]: line for line in text.splitlines()}


@functools.cache
def definition(name):
    """The Definition of an op; None if TensorFlow 2.21 has no such op."""
    line = _lines().get(name)
    return None if line is None else Definition(line)


def names():
    """The names of all ops that TensorFlow 2.21 has."""
    return _lines().keys()

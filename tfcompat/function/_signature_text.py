"""The signature of a traced function as text, and names for the specs of its arguments."""

import inspect

from tfcompat import nest
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.function._tracing_types import tracing_type

_LITERALS = (bool, int, float, complex, str, bytes, type(None))


def type_text(value, aliases=()):
    """TF's text of the type of an argument or result: a spec, a Python value, or a nest of these.

    Args:
      value: what it is of.
      aliases: the variables among the arguments, by whose place one is known.
    """
    if isinstance(value, TypeSpec):
        return repr(value)
    if isinstance(value, CompositeTensor):
        return repr(value._type_spec)
    if isinstance(value, Tensor):
        return repr(TensorSpec(value.shape, value.dtype))
    if isinstance(value, Variable):
        place = next((i for i, v in enumerate(aliases) if v is value), 0)
        return (
            f"VariableSpec(shape={value.shape}, dtype={value.dtype!r}, trainable={value.trainable}, alias_id={place})"
        )
    if isinstance(value, dict):
        return f"Dict[{_named((repr(k), v) for k, v in value.items())}]"
    if hasattr(value, "_fields"):
        return f"{type(value).__name__}[{_named((repr(k), getattr(value, k)) for k in value._fields)}]"
    if isinstance(value, list | tuple):
        kind = "List" if isinstance(value, list) else "Tuple"
        return f"{kind}[{', '.join(type_text(v, aliases) for v in value)}]"
    if isinstance(value, _LITERALS):
        return f"Literal[{value!r}]"
    told = tracing_type(value)
    if told is not None:
        return repr(told)
    return f"Weakref[<weakref to '{type(value).__name__}'>]"


def _named(items):
    return ", ".join(f"[{name}, {type_text(value)}]" for name, value in items)


class SignatureText:
    """The parameters and the result of one trace.

    Args:
      signature: inspect.Signature, or None if there is none.
      args, kwargs: with specs for tensors.
      output: the result with specs for tensors, or None where it is not known.
      captures: texts of what is used from outside, by number.
      parameters: as `parameters_of` gives them, in place of signature, args and kwargs.
    """

    def __init__(self, signature, args, kwargs, output, captures=(), parameters=None):
        leaves = nest.flatten((args, kwargs))
        variables = list({id(v): v for v in leaves if isinstance(v, Variable)}.values())
        self._rows = [
            (name, kind, type_text(value, variables))
            for name, kind, value in parameters or parameters_of(signature, args, kwargs)
        ]
        self._output = "unknown" if output is None else type_text(output[0])
        self._captures = list(captures)

    def short(self):
        """`(x: TensorSpec(...), y: Literal[2]) -> TensorSpec(...)`."""
        parts, last = [], None
        for name, kind, text in self._rows:
            if last is not None and last.endswith("ONLY") and last.startswith("POSITIONAL") and kind != last:
                parts.append("/")
            if kind == "KEYWORD_ONLY" != last:
                parts.append("*")
            parts.append(f"{name}: {text}")
            last = kind
        if last == "POSITIONAL_ONLY":
            parts.append("/")
        return f"({', '.join(parts)}) -> {self._output}"

    def long(self):
        """One line for each parameter, then the result and the captures."""
        lines = ["Input Parameters:"]
        lines += [f"  {name} ({kind}): {text}" for name, kind, text in self._rows] or ["  None"]
        lines += ["Output Type:", f"  {self._output}", "Captures:"]
        lines += [f"  {number}: {text}" for number, text in self._captures] or ["  None"]
        return "\n".join(lines)


def parameters_of(signature, args, kwargs):
    """Yields (name, kind, value) of bound arguments; those of `*args` have the numbers after the name."""
    if signature is None:
        for i, value in enumerate(args):
            yield f"args_{i}", "POSITIONAL_ONLY", value
        for name, value in kwargs.items():
            yield name, "KEYWORD_ONLY", value
        return
    bound = signature.bind(*args, **kwargs)
    variadic = any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values())
    for name, value in bound.arguments.items():
        parameter = signature.parameters[name]
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            for i, x in enumerate(value):
                yield f"{name}_{i}", "POSITIONAL_ONLY", x
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            for key in sorted(value):
                yield key, "KEYWORD_ONLY", value[key]
        elif variadic and parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            yield name, "POSITIONAL_ONLY", value
        else:
            yield name, parameter.kind.name, value


def with_names(signature, args, kwargs):
    """(args, kwargs) with a name for each TensorSpec that has none: that of the parameter, and the path in it."""
    names = [name for name, *_ in parameters_of(signature, args, kwargs)]  # the positional ones come first

    def named(value, name):
        if isinstance(value, TensorSpec):
            return value if value.name else TensorSpec(value.shape, value.dtype, name)
        if isinstance(value, dict):
            return type(value)((k, named(v, f"{name}_{k}")) for k, v in value.items())
        if hasattr(value, "_fields"):
            return type(value)(*[named(getattr(value, k), f"{name}_{k}") for k in value._fields])
        if isinstance(value, list | tuple):
            return type(value)(named(v, f"{name}_{i}") for i, v in enumerate(value))
        return value

    args = tuple(named(x, name) for x, name in zip(args, names, strict=False))
    return args, {name: named(x, name) for name, x in kwargs.items()}

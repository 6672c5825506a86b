"""The raw ops that are public functions by another name, made from the table."""

import inspect
import operator

from tfcompat import array, bitwise, image, linalg, math, nn, quantization, signal, strings
from tfcompat._control import no_op
from tfcompat.math._arithmetic import realdiv, truncatediv, truncatemod
from tfcompat.math._clip import clip_by_value
from tfcompat.math._complex import complex as complex_
from tfcompat.math._count import histogram_fixed_width
from tfcompat.raw_ops._table import ROWS
from tfcompat.tape import stop_gradient


def _make(row):
    """The op of a row of the table."""
    name, path, *texts = row.split()
    parameters, renamed, dropped = [], {}, set()
    for text in texts:
        names, has_default, default = text.partition("=")
        theirs, _, ours = names.rstrip("!").partition(":")
        if names.endswith("!"):
            dropped.add(theirs)
        renamed[theirs] = ours or theirs
        value = eval(default, {}) if has_default else inspect.Parameter.empty
        parameters.append(inspect.Parameter(theirs, inspect.Parameter.KEYWORD_ONLY, default=value))
    parameters.append(inspect.Parameter("name", inspect.Parameter.KEYWORD_ONLY, default=None))
    signature = inspect.Signature(parameters)

    def function(*args, **kwargs):
        if args:
            raise TypeError(f"{name} only takes keyword args (possible keys: {list(signature.parameters)}).")
        arguments = signature.bind(**kwargs).arguments
        arguments = {renamed[key]: value for key, value in arguments.items() if key != "name" and key not in dropped}
        return _public(path)(**arguments)

    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature
    function.__doc__ = f"The op behind `tf.{path}`. TF: `tf.raw_ops.{name}`."
    return function


_NAMESPACES = {
    "bitwise": bitwise, "image": image, "linalg": linalg, "math": math, "nn": nn, "quantization": quantization,
    "signal": signal, "strings": strings,
}  # fmt: skip
_OF_THE_ROOT = {
    "clip_by_value": clip_by_value, "complex": complex_, "histogram_fixed_width": histogram_fixed_width,
    "no_op": no_op, "realdiv": realdiv, "stop_gradient": stop_gradient, "truncatediv": truncatediv,
    "truncatemod": truncatemod,
}  # fmt: skip


def _public(path):
    """The public function `tf.<path>`; those of the root that are not in these tables are in `array`."""
    namespace, _, name = path.partition(".")
    return operator.attrgetter(name)(_NAMESPACES[namespace]) if name else _OF_THE_ROOT.get(path) or getattr(array, path)


FUNCTIONS = {row.split()[0]: _make(row) for row in ROWS.strip().splitlines()}

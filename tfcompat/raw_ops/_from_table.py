"""The raw ops that are public functions by another name, made from the table."""

import inspect
import operator

from tfcompat import (
    array,
    audio,
    bitwise,
    image,
    io,
    linalg,
    math,
    nn,
    quantization,
    random,
    signal,
    strings,
)
from tfcompat._control import no_op
from tfcompat.math._arithmetic import realdiv, truncatediv, truncatemod
from tfcompat.math._clip import clip_by_value
from tfcompat.math._complex import complex as complex_
from tfcompat.math._count import histogram_fixed_width
from tfcompat.ragged._raw import ragged_fill_empty_rows, ragged_fill_empty_rows_grad
from tfcompat.random._index_shuffle import random_index_shuffle
from tfcompat.raw_ops._definitions import definition
from tfcompat.raw_ops._registry import made
from tfcompat.raw_ops._table import ROWS
from tfcompat.signal._raw import fftnd, ifftnd, irfftnd, rfftnd
from tfcompat.tape import stop_gradient

_NAMESPACES = {
    "audio": audio, "bitwise": bitwise, "image": image, "io": io, "linalg": linalg, "math": math, "nn": nn,
    "quantization": quantization, "random": random, "signal": signal, "strings": strings,
}  # fmt: skip
_OF_THE_ROOT = {
    "clip_by_value": clip_by_value, "complex": complex_, "fftnd": fftnd, "histogram_fixed_width": histogram_fixed_width,
    "ifftnd": ifftnd, "irfftnd": irfftnd, "no_op": no_op, "ragged_fill_empty_rows": ragged_fill_empty_rows,
    "ragged_fill_empty_rows_grad": ragged_fill_empty_rows_grad, "random_index_shuffle": random_index_shuffle,
    "realdiv": realdiv, "rfftnd": rfftnd, "stop_gradient": stop_gradient, "truncatediv": truncatediv,
    "truncatemod": truncatemod,
}  # fmt: skip


def public(path):
    """The public function `tf.<path>`; those of the root that are not in these tables are in `array`."""
    namespace, _, name = path.partition(".")
    return operator.attrgetter(name)(_NAMESPACES[namespace]) if name else _OF_THE_ROOT.get(path) or getattr(array, path)


def _make(row):
    name, path, *texts = row.split()
    function = public(path)
    ignored = [text[:-1] for text in texts if text.endswith("!")]
    renamed = dict(text.split(":") for text in texts if ":" in text)

    def accepted():
        takes = inspect.signature(function).parameters
        return {
            parameter: renamed.get(parameter, parameter) for parameter in definition(name).parameters
            if parameter not in ignored and renamed.get(parameter, parameter) in takes
        }  # fmt: skip

    made(name, function, accepted, ignored, f"The op behind `tf.{path}`.")


for _row in ROWS.strip().splitlines():
    _make(_row)

"""`tf.print`: tensors, and Python structures with tensors in them, as text in TF's own format."""

import builtins
import logging
import pprint
import re
import sys

import jax
import numpy as np

from tfcompat import engine, nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.tensor import SymbolicTensor, Tensor
from tfcompat._core.variable import Variable
from tfcompat.engine import function_trace
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.strings._ragged_text import text_of

# The logger that `tf.get_logger()` returns; its bound methods are the streams `tf.compat.v1.logging.info`...
logger = logging.getLogger("tensorflow")

_LOG_LEVELS = {
    logger.info: logging.INFO,
    logger.warning: logging.WARNING,
    logger.error: logging.ERROR,
    logging.INFO: logging.INFO,
    logging.WARNING: logging.WARNING,
    logging.ERROR: logging.ERROR,
    # absl's levels.
    0: logging.INFO,
    -1: logging.WARNING,
    -2: logging.ERROR,
}
_ABSL_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "warn": logging.WARNING, "error": logging.ERROR}

_ESCAPES = {b"\n": b"\\n", b"\r": b"\\r", b"\t": b"\\t", b'"': b'\\"', b"'": b"\\'", b"\\": b"\\\\"}

# Marks the place of a tensor in a structure being printed. Four characters, as what TF puts there: the length
# decides where long structures are broken. `repr` escapes these characters, so no string can contain them.
_MARK = "\ue000\ue001\ue001\ue000"


def print(*inputs, **kwargs):
    """Prints its arguments, separated by spaces, and a newline.

    Args:
      *inputs: tensors, variables, strings, other Python objects (printed as their `repr`), and structures
        of them.
      output_stream: `sys.stderr` (default), `sys.stdout`, a level `logging.INFO`, `WARNING` or `ERROR`,
        `tf.get_logger().info`, `warning` or `error`, absl's levels and functions, or `"file://<path>"`, which is
        appended to.
      summarize: how many elements are shown at either end of each dimension, by default 3; -1 shows all.
      sep: str between the arguments, by default a space.
      end: str after the last one, by default a newline. Unused by logging.
      name: unused.

    Raises:
      ValueError: unknown stream or keyword argument.
      TypeError: `summarize` is no number or `end` no str.
      tf.errors.UnimplementedError: inside a mapped function in a `tf.function` that is being traced.

    >>> print(constant([[1.0, 2.5]]), {"x": constant("a")}, output_stream=sys.stdout)
    [[1 2.5]] {'x': "a"}

    TF: `tf.print`. Writes to Python's streams, so that notebooks and tests can capture it. Complex numbers
    are printed, TF writes `?`.
    """
    output_stream = kwargs.pop("output_stream", sys.stderr)
    summarize = _as_edge_count(kwargs.pop("summarize", 3))
    sep = kwargs.pop("sep", " ")
    end = kwargs.pop("end", "\n")
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    if not isinstance(end, str):
        raise TypeError(f"Expected string for argument 'end' not {end!r}.")
    write = _writer(output_stream)
    tensors = []
    template = sep.join(_marked(item, tensors, summarize) for item in inputs)
    bare = len(inputs) == 1 and _is_tensor(inputs[0])

    def emit(*values):
        texts = iter([_text_of(value, summarize, bare) for value in values])
        write(re.sub(_MARK, lambda _: next(texts), template), end)

    trace = function_trace(engine.state.graph)
    if trace is not None:
        text = [(i, t._node.value) for i, t in enumerate(tensors) if t._node.aval.dtype.kind == "O"]
        known = {i: value for i, value in text if value is not None}

        def emit_all(*values):
            values = iter(values)
            emit(*[known[i] if i in known else next(values) for i in range(len(tensors))])

        trace.defer(emit_all, [t._node for i, t in enumerate(tensors) if i not in known], "tf.print")
        return
    if any(isinstance(tensor, SymbolicTensor) for tensor in tensors):
        raise UnimplementedError(
            None, None, "tf.print inside a function that is mapped or recomputed as a whole; print its result outside"
        )
    values = [engine.value_of(tensor._node) for tensor in tensors]
    if any(isinstance(value, jax.core.Tracer) for value in values):
        jax.debug.callback(emit, *values)
    else:
        emit(*[np.asarray(value) for value in values])


def _as_edge_count(summarize):
    if summarize is None:
        return 3
    try:
        return builtins.int(summarize)
    except (TypeError, ValueError):
        raise TypeError(f"Expected int for argument 'summarize' not {summarize!r}.") from None


def _writer(stream):
    """The function of text and end that writes to `stream`."""
    if stream is sys.stdout or stream is sys.stderr:
        return lambda text, end: _write_to_stream(stream, text + end)
    if isinstance(stream, str) and stream.startswith("file://"):
        path = stream.removeprefix("file://")
        if not path:
            raise InvalidArgumentError(
                None, None, "Unknown output stream: the path after file:// is empty [Op:PrintV2]"
            )
        return lambda text, end: _append_to_file(path, text + end)
    level = _LOG_LEVELS.get(stream) if callable(stream) or isinstance(stream, builtins.int) else None
    if level is None and getattr(stream, "__module__", None) == "absl.logging":
        level = _ABSL_LEVELS.get(getattr(stream, "__name__", None))
    if level is None:
        raise ValueError(
            f"Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, "
            "sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be in the form "
            "of 'file://<filepath>'."
        )
    return lambda text, end: logger.log(level, "%s", text)


def _write_to_stream(stream, text):
    # Bytes of a string tensor that are no UTF-8 arrive as surrogates, which a stream may refuse.
    stream.write(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    stream.flush()


def _append_to_file(path, text):
    with open(path, "ab") as file:
        file.write(text.encode("utf-8", "surrogateescape"))


def _is_tensor(value):
    return isinstance(value, Tensor | Variable | IndexedSlices)


class _Place:
    """Stands for a tensor while a structure is laid out."""

    def __repr__(self):
        return _MARK


class _Text(str):
    """A text that stands in a structure as it is."""

    __slots__ = ()

    __repr__ = str.__str__


def _marked(item, tensors, summarize):
    """The text of one argument with marks in place of tensors, which are appended to `tensors`."""
    if isinstance(item, str):
        return item

    def place(leaf):
        text = text_of(leaf, summarize) if isinstance(leaf, RaggedTensor) else None
        if text is not None:
            return _Text(text)
        if not _is_tensor(leaf):
            return leaf
        tensors.append(convert_to_tensor(leaf))
        return _Place()

    return pprint.pformat(nest.map_structure(place, item))


def _text_of(value, edge_count, bare):
    """The text of an array; that of a scalar string without quotes if `bare`."""
    if bare and value.ndim == 0 and value.dtype.kind == "O":
        return _decoded(_as_bytes(value[()]))
    if value.ndim == 0:
        return _element_formatter(value.dtype)(value[()])
    edge_count = value.size if edge_count < 0 else min(edge_count, value.size)
    return _array_text(value, edge_count, _element_formatter(value.dtype), 0)


def _array_text(value, edge_count, format_element, depth):
    """The text of an array; inner arrays stand as many newlines apart as they have axes."""
    if value.ndim == 0:
        return format_element(value[()])
    inner = value.ndim - 1
    separator = "\n" * inner + " " * (depth + 1) if inner else " "
    count = len(value)
    indices = [*range(min(edge_count, count)), *range(max(edge_count, count - edge_count), count)]
    parts = [_array_text(value[index, ...], edge_count, format_element, depth + 1) for index in indices]
    if count > 2 * edge_count:
        # With nothing before it, the ellipsis still has its separator, in TF as well.
        parts.insert(edge_count, "..." if edge_count else separator + "...")
    return f"[{separator.join(parts)}]"


def _element_formatter(dtype):
    """The function that formats an element of this dtype."""
    if dtype.kind == "O":
        return _string_text
    if dtype == np.float64:
        return _float64_text
    if dtype == np.complex64:
        return lambda x: _complex_text(x, _float32_text)
    if dtype == np.complex128:
        return lambda x: _complex_text(x, _float64_text)
    return _float32_text if jax.dtypes.issubdtype(dtype, np.floating) else lambda x: str(builtins.int(x))


def _float32_text(x):
    """The shorter of 6 and 9 digits that is exact; 16-bit types are printed like the float32 they equal."""
    x = np.float32(x)
    if abs(x) < np.finfo(np.float32).tiny:
        x = np.copysign(np.float32(0), x)  # TF flushes denormal numbers
    short = f"{x:.6g}"
    return short if np.float32(short) == x or x != x else f"{x:.9g}"


def _float64_text(x):
    """The shorter of 15 and 17 digits that is exact."""
    x = float(x)
    if abs(x) < np.finfo(np.float64).tiny:
        x = np.copysign(0.0, x)
    short = f"{x:.15g}"
    return short if float(short) == x or x != x else f"{x:.17g}"


def _complex_text(x, part_text):
    imaginary = part_text(x.imag)
    return f"{part_text(x.real)}{'' if imaginary.startswith('-') else '+'}{imaginary}j"


def _string_text(x):
    """A string in quotes, with C's escapes; what is not ASCII stays as it is."""
    escaped = re.sub(rb"[\x00-\x1f\x7f\"'\\]", _escape, _as_bytes(x))
    return f'"{_decoded(escaped)}"'


def _escape(match):
    byte = match.group()
    return _ESCAPES.get(byte) or b"\\%03o" % byte[0]


def _as_bytes(x):
    return x.encode("utf-8") if isinstance(x, str) else x


def _decoded(text):
    return text.decode("utf-8", "surrogateescape")

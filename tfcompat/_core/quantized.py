"""Tensors of qint8, quint8, qint16, quint16 and qint32: plain integers to NumPy and JAX, kept on the host.

TensorFlow casts them, moves and compares them; few other kernels take them. NumPy holds them in arrays of one field.
"""

import jax
import numpy as np

from tfcompat import dtypes, engine

_COMPARISONS = ("Equal", "NotEqual")


def is_quantized(dtype):
    """Whether a NumPy dtype is that of a quantized dtype."""
    return dtype.names is not None and not dtype.hasobject


def plain(array):
    """The integers of an array of a quantized dtype, the objects of one of variants; any other array as it is."""
    return array if array.dtype.names is None else array[array.dtype.names[0]]


def concerns(avals, statics):
    """Whether a call takes or makes a tensor of a quantized dtype."""
    return any([is_quantized(aval.dtype) for aval in avals]) or any(map(_is_quantized_type, statics))


def _is_quantized_type(value):
    return type(value) is dtypes.DType and value.is_quantized


def computed(spec, layout, nodes, statics):
    """The arrays that an op gives for nodes or for a dtype of which some are quantized: computed at once.

    Raises:
      engine.SymbolicValueError: a value is known only when a function runs.
    """
    targets = [value for value in statics if _is_quantized_type(value)]
    made = targets[0].np if targets else next((n.aval.dtype for n in nodes if is_quantized(n.aval.dtype)), None)
    if spec.kernel in _COMPARISONS or spec.kernel in ("Cast", "Bitcast") and not targets:
        made = None
    statics = [dtypes.from_numpy(x.np[0]) if _is_quantized_type(x) else x for x in statics]
    arrays = [plain(engine.array_of(node)) for node in nodes]
    with jax.enable_x64(True):
        arguments = spec._arguments(layout, map(jax.numpy.asarray, arrays))
        result = spec.body(**arguments, **dict(zip(spec.statics, statics, strict=True)))
    parts = [np.asarray(part) for part in (result if isinstance(result, tuple | list) else [result])]
    if made is not None:
        parts = [np.ascontiguousarray(part).reshape(part.shape).view(made) for part in parts]
    return parts if isinstance(result, tuple | list) else parts[0]

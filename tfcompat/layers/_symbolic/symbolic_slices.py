"""Keys of slices with KerasTensors in them: `positions[:, : tf.shape(x)[1]]`."""

from tfcompat import nest
from tfcompat.layers._symbolic.keras_tensor import KerasTensor

_UNKNOWN = object()


def known_key(key):
    """A key without KerasTensors, and the entries whose sizes depended on them; None if there are none.

    Args:
      key: what `SlicingOpLambda` gets: an entry, or a tuple of them, slices as dicts.
    """
    entries = list(key) if isinstance(key, list | tuple) else [key]
    symbols = [x for x in nest.flatten(entries) if isinstance(x, KerasTensor)]
    if not symbols or any(x.shape.rank != 0 or not x.dtype.is_integer for x in symbols):
        return None
    unknown = []
    for i, entry in enumerate(entries):
        if isinstance(entry, dict):
            bounds = {name: _number(bound) for name, bound in entry.items()}
            if _UNKNOWN in bounds.values():
                unknown.append(i)
                bounds = dict.fromkeys(entry)
            entries[i] = bounds
        else:
            number = _number(entry)
            entries[i] = 0 if number is _UNKNOWN else number
    return tuple(entries), unknown


def with_unknown_sizes(shape, key, entries):
    """The shape of `x[key]`, a list, with None at the axes that these entries of the key make."""
    makes = [entry is None or isinstance(entry, dict) for entry in key]
    sizes = shape.as_list()
    for i in entries:
        from_end = any(entry is Ellipsis for entry in key[:i])
        sizes[len(sizes) - sum(makes[i:]) if from_end else sum(makes[:i])] = None
    return sizes


def _number(x):
    """The value of a scalar KerasTensor, `_UNKNOWN` if it is not known; `x` if it is no KerasTensor."""
    if not isinstance(x, KerasTensor):
        return x
    number = x._inferred()
    return _UNKNOWN if number is None or number[0] is None else number[0]

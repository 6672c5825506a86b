"""What rows of datasets return: elements as short text."""

from typing import Any

import numpy as np


def told(dataset):
    """All elements of a dataset, what it prints, how many it says there are."""
    return elements(dataset), repr(dataset), int(dataset.cardinality())


def elements(dataset):
    """All elements of a dataset, as Python values."""
    return [plain(element) for element in dataset.as_numpy_iterator()]


def plain(x) -> Any:
    """Arrays as nested lists with the dtype, so that rows stay short."""
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, tuple):
        return tuple(map(plain, x))
    if isinstance(x, bytes):
        return x.decode("latin-1")
    if isinstance(x, np.ndarray | np.generic):
        return f"{x.dtype}{_shown(x.tolist())}"
    if hasattr(x, "element_spec"):
        return elements(x)
    if hasattr(x, "dense_shape"):
        return tuple(plain(np.asarray(part)) for part in (x.indices, x.values, x.dense_shape))
    return x if isinstance(x, bool | int | float | str | type(None)) else str(x)


def _shown(values):
    if isinstance(values, list):
        return f"[{','.join(map(_shown, values))}]"
    if isinstance(values, bytes):
        return values.decode("latin-1")
    return f"{values:.6g}" if isinstance(values, float) else str(values)

"""Logs of training, as callbacks get them."""

from typing import Any

import numpy as np

from tfcompat import nest
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable


def synced(logs) -> Any:
    """The logs with Python numbers and NumPy arrays, which may be changed, in place of tensors and NumPy's numbers."""

    def plain(x: Any):
        if isinstance(x, Tensor | Variable | np.ndarray | np.generic):
            x = np.asarray(x)
            return x.item() if x.ndim == 0 else np.require(x, requirements="W")
        return x

    return nest.map_structure(plain, logs)

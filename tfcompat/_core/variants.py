"""Tensors of the dtype `variant`: NumPy arrays of Python objects on the host, in a field, as text is not."""

from typing import Any

import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core.quantized import plain
from tfcompat._core.tensor import Tensor, wrap
from tfcompat.errors import InvalidArgumentError


class Held:
    """An object as an element of a tensor.

    Attributes:
      value: the object.
      text: what stands for it where the tensor is printed.
    """

    __slots__ = ("value", "text")

    def __init__(self, value, text):
        self.value, self.text = value, text

    def __repr__(self):
        return f"<{self.text}>"


def variants(values, shape, text):
    """The tensor of this shape that holds the objects `values`."""
    array = np.empty(shape, dtypes.variant.np)
    objects: Any = plain(array).reshape(-1)  # a view
    for place, value in enumerate(values):
        objects[place] = Held(value, text)
    return wrap(engine.leaf(array))


def held(tensor):
    """The objects that a tensor of variants holds, a list in the order of the elements.

    Raises:
      tf.errors.InvalidArgumentError: it is no tensor of variants.
    """
    if not isinstance(tensor, Tensor) or tensor.dtype is not dtypes.variant:
        raise InvalidArgumentError(None, None, f"expected a tensor of dtype variant, got {tensor!r}")
    return [each.value for each in plain(engine.array_of(tensor._node)).ravel()]

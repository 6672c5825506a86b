"""Shapes without tensors: for building a layer, and for inferring the shapes of its outputs."""

from typing import Any

from tfcompat import nest
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat.function import function

_TRIED = (2, 3), (504, 480), (20160, 10080)  # for unknown sizes; small ones are less than a window


class Placeholder:
    """Stands for an input while a layer is built; it has only a shape and a dtype."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = TensorShape(shape), dtype


def as_shapes(shape):
    """A shape, or a list or dict of shapes, with a TensorShape for each."""
    if isinstance(shape, dict):
        return {key: as_shapes(value) for key, value in shape.items()}
    if isinstance(shape, list | tuple) and any(
        isinstance(s, list | tuple | dict | TensorShape) for s in shape
    ):
        return [as_shapes(s) for s in shape]
    return TensorShape(shape)


def as_tuples(shape) -> Any:
    """A TensorShape or structure of these, with a tuple for each."""
    return nest.map_structure(_as_tuple, shape)


def _as_tuple(shape):
    return tuple(shape.as_list()) if isinstance(shape, TensorShape) and shape.rank is not None else shape


def relaxed(first, second):
    """The shape with None where two shapes differ; unknown if their ranks do."""
    if first.rank is None or first.rank != second.rank:
        return TensorShape(None)
    return TensorShape(
        [a if a == b else None for a, b in zip(first.as_list(), second.as_list(), strict=True)]
    )


def inferred_shapes(call, shapes, dtype):
    """The shapes of `call`'s outputs, found by tracing it: no variable changes.

    Args:
      call: function of a structure of tensors.
      shapes: structure of TensorShapes of known rank, None where a size varies.
      dtype: dtype of the inputs.

    Returns:
      Structure of TensorShapes, None where a size varies with those of the inputs; None for what has no shape.
    """
    for sizes in _TRIED:
        try:
            first, second = (_traced_shapes(call, shapes, dtype, size) for size in sizes)
            return nest.map_structure(lambda a, b: a and relaxed(a, b), first, second)
        except Exception:
            if sizes is _TRIED[-1] or all(None not in shape.as_list() for shape in nest.flatten(shapes)):
                raise


def _traced_shapes(call, shapes, dtype, size):
    """The shapes of the outputs where unknown sizes are `size`."""

    def specified(shape):
        return TensorSpec([size if dimension is None else dimension for dimension in shape.as_list()], dtype)

    traced = function(call).get_concrete_function(nest.map_structure(specified, shapes))
    return nest.map_structure(lambda output: getattr(output, "shape", None), traced.structured_outputs)

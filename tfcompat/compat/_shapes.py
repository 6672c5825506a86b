"""Shapes of TensorFlow 1: indexing and iteration give `Dimension`s."""

from tfcompat._core import graphs
from tfcompat._core.shape import Dimension, TensorShape


class TensorShapeOf1(TensorShape):
    """What tensors and variables of a graph have as a shape after `disable_v2_tensorshape`."""

    __slots__ = ()
    __hash__ = TensorShape.__hash__

    def __iter__(self):
        return map(Dimension, super().__iter__())

    def __getitem__(self, key):
        taken = super().__getitem__(key)
        return type(self)(taken) if isinstance(key, slice) else Dimension(taken)

    def __repr__(self):
        return "TensorShape(None)" if self._dims is None else f"TensorShape({self.dims})"

    def __str__(self):
        if self._dims is None:
            return "<unknown>"
        sizes = ["?" if size is None else str(size) for size in self._dims]
        return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


TensorShapeOf1.__name__ = TensorShapeOf1.__qualname__ = "TensorShape"


def disable_v2_tensorshape():
    """Makes shapes of graphs give `Dimension`s, as in TensorFlow 1; other shapes stay those of TensorFlow 2.

    TF: `tf.compat.v1.disable_v2_tensorshape`.
    """
    graphs.process.shapes = TensorShapeOf1


def enable_v2_tensorshape():
    """Makes them give numbers again. TF: `tf.compat.v1.enable_v2_tensorshape`."""
    graphs.process.shapes = TensorShape

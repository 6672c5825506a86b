"""tensorflow/python/keras/engine/data_adapter.py: what `train_step` does with a batch."""

from tfcompat import nest
from tfcompat._core.tensor import Tensor
from tfcompat.array import expand_dims
from tfcompat.keras._training.data import unpack_x_y_sample_weight

__all__ = ["expand_1d", "unpack_x_y_sample_weight"]


def expand_1d(data):
    """The structure with a last axis of size 1 for tensors of one axis.

    Args:
      data: structure of tensors and other objects, which stay.
    """
    return nest.map_structure(
        lambda x: expand_dims(x, axis=-1) if isinstance(x, Tensor) and x.shape.rank == 1 else x, data
    )

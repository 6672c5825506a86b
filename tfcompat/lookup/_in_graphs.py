"""What calls of tables give while a graph of TensorFlow 1 is built; see `_core/host_calls.py`."""

import numpy as np

from tfcompat import dtypes
from tfcompat._core import graphs
from tfcompat._core.tensor import Tensor


def values_in_graph(table, keys, name=None, **options):
    """What looking up keys gives."""
    sizes = keys.shape.concatenate(np.shape(table._default_array())) if isinstance(keys, Tensor) else None
    return graphs.Result(sizes, table.value_dtype)


def size_in_graph(table, name=None):
    """What asking for the size gives."""
    return graphs.Result((), dtypes.int64)


def nothing(*args, **kwargs):
    """What a call that changes a table gives."""


def pairs_in_graph(table, name=None):
    """What exporting all keys and values gives."""
    return graphs.Result([None], table.key_dtype), graphs.Result([None, *table._default.shape], table.value_dtype)

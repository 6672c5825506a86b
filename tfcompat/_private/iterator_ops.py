"""tensorflow/python/data/ops/iterator_ops.py: classes that code asks `isinstance` of."""

from tfcompat.data._iterator import IteratorSpec, OwnedIterator

__all__ = ["IteratorSpec", "OwnedIterator"]

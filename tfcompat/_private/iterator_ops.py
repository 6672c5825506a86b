"""tensorflow/python/data/ops/iterator_ops.py: classes that code asks `isinstance` of."""


class OwnedIterator:
    """No iterator is one."""

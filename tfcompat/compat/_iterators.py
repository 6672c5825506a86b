"""Iterators over datasets in graphs: a run draws an element before it computes."""

import tfcompat as tf
from tfcompat import nest
from tfcompat._core import graphs
from tfcompat._core.graphs import Inferred, Result, record
from tfcompat.errors import FailedPreconditionError, OutOfRangeError


class Iterator:
    """An iterator of a graph. Each session goes through the dataset by itself.

    TF: `tf.compat.v1.data.Iterator`, of one dataset.
    """

    def __init__(self, dataset, begins_by_itself):
        self._dataset, self._begins_by_itself = dataset, begins_by_itself
        self._initializer = None
        if not begins_by_itself:
            self._initializer = record(
                _nothing, (), {}, "MakeIterator", "MakeIterator", Inferred(None), attributes={"draw": self._begin}
            )

    element_spec = property(lambda self: self._dataset.element_spec, doc="The spec of an element.")
    output_types = property(
        lambda self: nest.map_structure(lambda spec: spec.dtype, self.element_spec), doc="The dtypes of an element."
    )
    output_shapes = property(
        lambda self: nest.map_structure(lambda spec: spec.shape, self.element_spec), doc="The shapes of an element."
    )

    @property
    def initializer(self):
        """The operation that begins at the first element.

        Raises:
          ValueError: the iterator begins by itself.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def get_next(self, name=None):
        """The tensors of an element: each run that needs one of them draws one.

        Raises:
          tf.errors.OutOfRangeError: in a run, after the last element.
        """
        known = Inferred(nest.map_structure(lambda spec: Result(spec.shape, spec.dtype), self.element_spec))
        kind = "IteratorGetNext"
        return record(_nothing, (), {}, name or kind, kind, known, attributes={"draw": self._drawn})

    def _begin(self, state):
        state.kept[self] = iter(self._dataset)
        return []

    def _drawn(self, state):
        if self not in state.kept:
            if not self._begins_by_itself:
                raise FailedPreconditionError(
                    None, None,
                    "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
                    "initializer operation for this iterator before getting the next element.",
                )  # fmt: skip
            self._begin(state)
        try:
            return nest.flatten(next(state.kept[self]))
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None


def _nothing():
    return None


def make_one_shot_iterator(dataset):
    """An iterator that needs no initializer; eagerly `iter(dataset)`. TF: as there."""
    return iter(dataset) if graphs.current() is None else Iterator(dataset, True)


def make_initializable_iterator(dataset, shared_name=None):
    """An iterator that begins when a session runs its `initializer`.

    Raises:
      RuntimeError: eagerly.

    TF: `tf.compat.v1.data.make_initializable_iterator`.
    """
    if graphs.current() is None:
        raise RuntimeError(
            "`make_initializable_iterator()` is not supported in eager mode. Use Python-style iteration instead."
        )
    return Iterator(dataset, False)


def get_output_types(x):
    """The dtype of each component of an element. TF: `tf.compat.v1.data.get_output_types`."""
    return nest.map_structure(lambda spec: spec.dtype, x.element_spec)


def get_output_shapes(x):
    """The shape of each component of an element. TF: `tf.compat.v1.data.get_output_shapes`."""
    return nest.map_structure(lambda spec: spec.shape, x.element_spec)


def get_output_classes(x):
    """The class of each component of an element. TF: `tf.compat.v1.data.get_output_classes`."""
    return tf.nest.map_structure(lambda spec: spec.value_type, x.element_spec)

"""Iterators over datasets, eager, and optional values."""

import collections.abc
from typing import Any

import numpy as np

from tfcompat import dtypes, engine, nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.variable import ResourceVariable
from tfcompat._tracing.eagerly import EndOfLoop, running_as_python
from tfcompat._tracing.elements import needs_values
from tfcompat.data._element import flatten, map_leaves, normalized, numpy_value, on_host, pack, spec_of, tensor
from tfcompat.data._run import Run
from tfcompat.distribute import DistributedValues
from tfcompat.engine._policy import DATASETS
from tfcompat.errors import InvalidArgumentError, OutOfRangeError

_END = object()


class Iterator(collections.abc.Iterator):
    """Base of iterators over datasets. TF: `tf.data.Iterator`."""

    @property
    def element_spec(self) -> Any:
        """The structure of the elements' specs."""
        raise NotImplementedError

    def get_next(self):
        """The next element; tf.errors.OutOfRangeError at the end."""
        raise NotImplementedError

    def get_next_as_optional(self):
        """A `tf.experimental.Optional` of the next element, without value at the end."""
        raise NotImplementedError


class OwnedIterator(Iterator):
    """An iterator over a dataset.

    In a `tf.train.Checkpoint` it saves how many elements it has given, and the seeds of shuffles; a restored one
    computes and drops as many.
    """

    _is_data_component = True

    def __init__(self, dataset):
        self._dataset = dataset
        self._nodes = dataset._nodes()
        self._position = None
        self._form: Any = None  # a structure like that of the elements; None before the first one
        self._start(None, 0)

    def _start(self, state, count):
        """Goes to the beginning, or continues from a state."""
        self._run = Run(self._nodes, state)
        self._run.begin(self._dataset._begun())
        self._source = None
        self._is_broken = False  # interrupted, so that elements may be lost
        self._block: Any = None
        self._at = self._taken = 0
        for _ in range(count):
            try:
                if self._take() is _END:
                    break
            except Exception:  # errors count as elements
                continue

    def _continue(self):
        """Computes again what an interrupt has lost: a generator that it went through has ended."""
        count = self._taken
        try:
            self._start(self._run.state(), count)
        except BaseException:
            self._taken, self._is_broken = count, True
            raise

    def _take(self) -> Any:
        """The components of the next element, or `_END`."""
        engine.meet()  # replicas take elements in turn
        if self._is_broken:
            self._continue()
        block = self._block
        if block is None or self._at >= block.size:
            self._is_broken = True
            if self._source is None:
                self._source = self._dataset._blocks(self._run, _usual(self._dataset))
            try:
                block = self._block = next(self._source, None)
            except Exception:
                self._is_broken = False
                raise
            self._at = 0
            self._is_broken = False
            if block is None:
                self._source = iter(())
                return _END
            if block.error is not None:
                self._taken += 1
                self._block = None
                raise block.error
        row = block.row(self._at)
        self._at += 1
        self._taken += 1
        return row

    def _element(self):
        needs_values("the elements of an iterator")
        row = self._take()
        if row is _END:
            return _END
        if self._form is None:  # certain, since there has been an element
            self._form = self._dataset._template()
        return pack(self._form, map(tensor, row))

    @property
    def element_spec(self):
        return self._dataset.element_spec

    @property
    def _whole_spec(self):
        return IteratorSpec(self.element_spec)

    def __iter__(self):
        return self

    def __next__(self):
        element = self._element()
        if element is not _END:
            return element
        if running_as_python.value:
            raise EndOfLoop(None, None, "End of sequence [Op:IteratorGetNext] name: ")
        raise StopIteration

    def next(self):
        """The next element; StopIteration after the last one."""
        return self.__next__()

    def get_next(self):
        element = self._element()
        if element is _END:
            raise OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext] name: ")
        return element

    def get_next_as_optional(self):
        element = self._element()
        return Optional.empty(self.element_spec) if element is _END else _Optional(element)

    def _checkpoint_children(self):
        if self._position is None:
            with engine.eager_scope():
                self._position = _Position(self)
        return [("_iterator_state", self._position)]


class _Position(ResourceVariable):
    """The state of an iterator in a checkpoint: how many elements it has given, and its seeds."""

    def __init__(self, iterator):
        super().__init__(np.zeros(1, np.int64), trainable=False, name="iterator_state", shape=TensorShape([None]))
        self._iterator = iterator

    def _current_node(self):
        return engine.leaf(np.array([self._iterator._taken, *self._iterator._run.state()], np.int64))

    def assign(self, value, use_locking=None, name=None, read_value=True):
        """Continues from a saved state. Raises ValueError if it belongs to another dataset."""
        count, *state = np.asarray(value).tolist()
        self._iterator._start(state, count)
        return self


def _usual(dataset):
    """How many elements to compute at once where they are taken one by one."""
    count = dataset._count()
    return min(DATASETS.block, count) if count > 0 else DATASETS.block


class NumpyIterator(collections.abc.Iterator):
    """An iterator over the elements of a dataset, as NumPy arrays. TF: `tf.data.NumpyIterator`."""

    def __init__(self, dataset):
        for spec in dataset._flat_specs() if dataset._spec_is_known() else ():
            if getattr(spec.value_type, "_is_data_component", False):
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of type "
                    f"{spec.value_type}"
                )
        self._dataset = dataset
        self._iterator = OwnedIterator(dataset)

    def __next__(self):
        row = self._iterator._take()
        if row is _END:
            raise StopIteration
        return pack(self._dataset._template(), map(numpy_value, row))

    def next(self):
        """As `next(iterator)`."""
        return self.__next__()

    def __repr__(self):
        return object.__repr__(self)


class IteratorSpec(TypeSpec):
    """What is known of an iterator: the structure of its elements' specs. TF: `tf.data.IteratorSpec`."""

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec):
        self._element_spec = element_spec

    @property
    def value_type(self):
        return OwnedIterator

    @property
    def _component_specs(self):
        return ()

    def _to_components(self, value):
        return ()

    def _from_components(self, components):
        raise InvalidArgumentError(None, None, "an iterator is not made of tensors")

    def _serialize(self):
        return (self._element_spec,)


class Optional:
    """A value that may be missing. TF: `tf.experimental.Optional`."""

    _is_data_component = True

    @property
    def element_spec(self) -> Any:
        """The structure of the value's specs."""
        raise NotImplementedError

    def has_value(self, name=None):
        """Whether there is a value, a bool scalar."""
        raise NotImplementedError

    def get_value(self, name=None):
        """The value; tf.errors.InvalidArgumentError if there is none."""
        raise NotImplementedError

    @staticmethod
    def empty(element_spec):
        """An Optional without value."""
        return _Optional(_END, element_spec)

    @staticmethod
    def from_value(value):
        """An Optional of a value: tensors, or tuples and dicts of tensors."""
        if any(isinstance(x, DistributedValues) for x in nest.flatten(value)):
            return _Optional(value)  # of what replicas returned
        return _Optional(normalized(value))


class _Optional(Optional):
    def __init__(self, value, spec=None):
        self._value, self._element_spec = value, spec  # Keras 3 sets the latter

    @property
    def element_spec(self):
        if self._value is _END:
            return self._element_spec
        return map_leaves(lambda leaf: spec_of(on_host(leaf)), self._value)

    @property
    def _whole_spec(self):
        return OptionalSpec(self.element_spec)

    def has_value(self, name=None):
        return convert_to_tensor(self._value is not _END)

    def get_value(self, name=None):
        if self._value is _END:
            raise InvalidArgumentError(None, None, "The given optional does not have a value. [Op:OptionalGetValue]")
        return self._value


class OptionalSpec(TypeSpec):
    """What is known of an Optional: the structure of its value's specs. TF: `tf.OptionalSpec`."""

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec):
        self._element_spec = element_spec

    @property
    def value_type(self):
        return Optional

    @property
    def _component_specs(self):
        return TensorSpec((), dtypes.variant)

    def _to_components(self, value):
        return flatten(value)

    def _from_components(self, components):
        raise InvalidArgumentError(None, None, "an Optional is not made of tensors")

    def _serialize(self):
        return (self._element_spec,)

    def __repr__(self):
        return f"OptionalSpec({self._element_spec!r})"

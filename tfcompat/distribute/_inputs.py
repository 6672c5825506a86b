"""Datasets for several replicas: each batch is divided among them."""

import abc
import collections
import enum
import functools
import itertools
import json
from typing import NamedTuple

import numpy as np

from tfcompat import engine, nest, sparse
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.extension_type.types import ExtensionType, decoded, encoded, outer_size, row_spec
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor, wrap
from tfcompat.distribute._values import PerReplica, PerReplicaSpec, Uneven
from tfcompat.errors import AbortedError, OutOfRangeError, UnimplementedError
from tfcompat.sparse._tensor import SparseTensor


class DistributedDataset(abc.ABC):
    """A dataset for several replicas; with one replica a dataset is distributed as it is. For `isinstance`."""

    @abc.abstractmethod
    def __iter__(self):
        """The elements."""

    def reduce(self, initial_state, reduce_func):
        """What a function makes of all elements: `state = reduce_func(state, element)` for each."""
        return functools.reduce(reduce_func, self, initial_state)


class DistributedIterator(abc.ABC):
    """An iterator over a DistributedDataset. For `isinstance`."""

    @abc.abstractmethod
    def get_next(self):
        """The next element."""


class InputContext:
    """What a function that makes a dataset is told. TF: `tf.distribute.InputContext`."""

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self._numbers = num_input_pipelines, input_pipeline_id, num_replicas_in_sync

    num_input_pipelines = property(lambda self: self._numbers[0], doc="How many datasets are made.")
    input_pipeline_id = property(lambda self: self._numbers[1], doc="The number of this one.")
    num_replicas_in_sync = property(lambda self: self._numbers[2], doc="How many replicas there are.")

    def get_per_replica_batch_size(self, global_batch_size):
        """The batch size of one replica; ValueError where replicas do not divide the global one."""
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                f"{self.num_replicas_in_sync!r} "
            )
        return global_batch_size // self.num_replicas_in_sync

    def __str__(self):
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: {self.num_input_pipelines})"
        )


class ValueContext:
    """What a function that makes a value is told. TF: `tf.distribute.experimental.ValueContext`."""

    def __init__(self, replica_id_in_sync_group=0, num_replicas_in_sync=1):
        self._numbers = replica_id_in_sync_group, num_replicas_in_sync

    replica_id_in_sync_group = property(lambda self: self._numbers[0], doc="The number of the replica.")
    num_replicas_in_sync = property(lambda self: self._numbers[1], doc="How many replicas there are.")

    def __str__(self):
        return (
            f"tf.distribute.ValueContext(replica id {self.replica_id_in_sync_group},  total replicas in sync: "
            f"{self.num_replicas_in_sync})"
        )


class RunOptions(
    collections.namedtuple(
        "RunOptions",
        ["experimental_enable_dynamic_batch_size", "experimental_bucketizing_dynamic_shape",
         "experimental_xla_options"],
    )  # fmt: skip
):
    """How `Strategy.run` treats sizes on a TPU; of no effect: functions are traced for the sizes at hand.

    TF: `tf.distribute.RunOptions`.
    """

    def __new__(cls, experimental_enable_dynamic_batch_size=True, experimental_bucketizing_dynamic_shape=False,
                experimental_xla_options=None):  # fmt: skip
        return super().__new__(
            cls, experimental_enable_dynamic_batch_size, experimental_bucketizing_dynamic_shape,
            experimental_xla_options,
        )  # fmt: skip


class InputReplicationMode(enum.Enum):
    """Who calls the function that makes a dataset. TF: `tf.distribute.InputReplicationMode`."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(
    collections.namedtuple(
        "InputOptions",
        [
            "experimental_fetch_to_device",
            "experimental_replication_mode",
            "experimental_place_dataset_on_device",
            "experimental_per_replica_buffer_size",
        ],
    )
):
    """How the elements of datasets come to replicas. Where they are fetched to, and when, is left to the engine.

    TF: `tf.distribute.InputOptions`.
    """

    def __new__(cls, experimental_fetch_to_device=None,
                experimental_replication_mode=InputReplicationMode.PER_WORKER,
                experimental_place_dataset_on_device=False, experimental_per_replica_buffer_size=1):  # fmt: skip
        fetches = True if experimental_fetch_to_device is None else experimental_fetch_to_device
        return super().__new__(
            cls, fetches, experimental_replication_mode, experimental_place_dataset_on_device,
            experimental_per_replica_buffer_size,
        )  # fmt: skip


class Share(NamedTuple):
    """The parts of a batch that a process takes.

    Attributes:
      count: how many parts there are, one for each replica.
      first: the first of this process.
      own: how many this process takes.
      place: of the replicas, see `engine.replicas.place_of`.
    """

    count: int
    first: int
    own: int
    place: int


class DividedDataset(DistributedDataset):
    """A dataset each of whose batches is divided among the replicas, as far as it goes: 5 over 4 is 2, 2, 1, 0.

    Args:
      dataset: of batches.
      share: Share.
      sizes: how many rows each replica gets, as far as there are any; None for as equal parts as may be.
    """

    def __init__(self, dataset, share, sizes=None):
        self._dataset, self._share, self._sizes = dataset, share, sizes

    @property
    def element_spec(self):
        """Nest of PerReplicaSpecs."""
        return nest.map_structure(self._spec, self._dataset.element_spec)

    def _spec(self, spec):
        if isinstance(spec, TensorSpec):
            size = spec.shape[0] if spec.shape.rank else None
            whole = size is not None and size % self._share.count == 0
            spec = TensorSpec([size // self._share.count if whole else None, *spec.shape[1:]], spec.dtype)
        return PerReplicaSpec(*[spec] * self._share.own)

    @property
    def cardinality(self):
        """How many batches there are, an int64 tensor."""
        return self._dataset.cardinality()

    def __iter__(self):
        return DividedIterator(iter(self._dataset), self._divided, self.element_spec)

    def _divided(self, element):
        return nest.map_structure(lambda x: _parts(x, self._share, self._sizes), element)


class DatasetsOfReplicas(DistributedDataset):
    """Datasets made by a function: one for all replicas, which take batches in turn, or one for each.

    Args:
      datasets: list of them.
      share: Share, of the replicas of this process.
    """

    def __init__(self, datasets, share):
        self._datasets, self._count, self._share = datasets, share.own, share

    @property
    def element_spec(self):
        """Nest of PerReplicaSpecs."""
        return nest.map_structure(lambda spec: PerReplicaSpec(*[spec] * self._count), self._datasets[0].element_spec)

    @property
    def cardinality(self):
        """How often all replicas get something, an int64 tensor."""
        size = int(self._datasets[0].cardinality())
        return convert_to_tensor(np.int64(size if size < 0 or len(self._datasets) > 1 else -(-size // self._count)))

    def __iter__(self):
        iterators = [iter(dataset) for dataset in self._datasets]
        elements = _InStep(iterators) if len(iterators) > 1 else _InTurn(iterators[0], self._count)
        if self._share.own < self._share.count and not all(map(_is_always_full, self._datasets)):
            elements = _Agreed(elements, self._datasets[0].element_spec, self._share)
        return DividedIterator(elements, _together, self.element_spec)


def _is_always_full(dataset):
    """Whether a dataset has no end, and all of its batches have the same size."""
    return int(dataset.cardinality()) == -1 and all(
        isinstance(spec, TensorSpec) and spec.shape.rank and spec.shape[0] is not None
        for spec in nest.flatten(dataset.element_spec)
    )


def _together(elements):
    rows = getattr(elements, "rows", None)
    return nest.map_structure(lambda *parts: PerReplica(parts) if rows is None else Uneven(parts, rows), *elements)


class _OfSeveral:
    """The elements of several iterators at a time, as an iterator of lists."""

    def next_elements(self):
        raise NotImplementedError

    def __next__(self):
        return self.next_elements()

    def get_next_as_optional(self):
        """As that of an iterator."""
        optional = self._iterators[0].get_next_as_optional()
        if not bool(optional.has_value()):
            return optional
        return type(optional)([optional.get_value(), *self.others(optional.get_value())])


class _InStep(_OfSeveral):
    """Takes an element of each of several iterators."""

    def __init__(self, iterators):
        self._iterators = iterators

    def next_elements(self):
        return [next(iterator) for iterator in self._iterators]

    def others(self, first):
        return [next(iterator) for iterator in self._iterators[1:]]


class _InTurn(_OfSeveral):
    """Takes as many elements of one iterator as there are replicas; at the end those that lack are empty."""

    def __init__(self, iterator, count):
        self._iterators, self._count = [iterator], count

    def next_elements(self):
        first = next(self._iterators[0])
        return [first, *self.others(first)]

    def others(self, first):
        elements = []
        while len(elements) < self._count - 1:
            try:
                elements.append(next(self._iterators[0]))
            except StopIteration:
                elements.append(nest.map_structure(lambda x: x[:0], first))
        return elements


class _UnevenElements(list):
    """The elements of the replicas of this process, where those of some process have other sizes: `rows` of all."""

    def __init__(self, elements, rows):
        super().__init__(elements)
        self.rows = rows


class _Agreed(_OfSeveral):
    """Elements as long as any process has some; the replicas of others get empty ones. The processes tell each other.

    Args:
      elements: _OfSeveral.
      spec: nest of the specs of an element.
      share: Share.
    """

    def __init__(self, elements, spec, share):
        self._elements, self._spec, self._share = elements, spec, share
        self._iterators = elements._iterators

    def next_elements(self):
        own, error = None, None
        try:
            own = self._elements.next_elements()
        except StopIteration:
            pass
        except Exception as raised:
            error = raised
        elements = self._agreed(own, error)
        if elements is None:
            raise StopIteration
        return elements

    def get_next_as_optional(self):
        optional = self._elements.get_next_as_optional()
        elements = self._agreed(optional.get_value() if bool(optional.has_value()) else None, None)
        return optional if elements is None else type(optional)(elements)

    def _agreed(self, own, error):
        """The elements of this process; None if no process has any."""
        told = "failed" if error is not None else json.dumps(None if own is None else list(map(_rows, own)))
        of_all = engine.processes.told(told)
        if error is not None:
            raise error
        if "failed" in of_all:
            raise AbortedError(None, None, f"process {of_all.index('failed')} could not read its part of a dataset")
        sizes = [json.loads(text) for text in of_all]
        if all(size is None for size in sizes):
            return None
        rows = tuple([n for size in sizes for n in size or [0] * self._share.own])
        own = [nest.map_structure(_empty, self._spec)] * self._share.own if own is None else own
        return own if len(set(rows)) == 1 else _UnevenElements(own, rows)


def _rows(element):
    first = nest.flatten(element)[0]
    return first.shape[0] if first.shape.rank else 0


def _empty(spec):
    if not isinstance(spec, TensorSpec):
        raise UnimplementedError(
            None, None, f"a process has no elements left where others have some, and none of {spec} can be made"
        )
    shape = [0, *(0 if n is None else n for n in spec.shape.as_list()[1:])]
    return convert_to_tensor(np.zeros(shape, spec.dtype.np or object), spec.dtype)


def _parts(value, share, sizes=None):
    """The parts of a batch, as PerReplica: each has as many rows as the first, or as `sizes`, as long as there are any.

    What is divided already stays as it is.
    """
    if isinstance(value, PerReplica):
        return value
    is_tensor = isinstance(value, Tensor)
    array = engine.array_of(value._node) if is_tensor else value
    if is_tensor and not array.ndim:
        raise IndexError("list index out of range")  # as in TF: an element that is no batch
    rows = len(array) if is_tensor else int(outer_size(value))
    size = -(-rows // share.count)
    if sizes is not None and (rows != sum(sizes) or rows % share.count):
        ends = list(itertools.accumulate(sizes))
        bounds = [(min(end - part, rows), min(end, rows)) for end, part in zip(ends, sizes, strict=True)]
        return PerReplica([
            wrap(engine.leaf(array[start:stop])) if is_tensor else _cut(value, start, stop) for start, stop in bounds
        ])  # fmt: skip
    if is_tensor and array.dtype != object and not rows % share.count and share.own > 1:
        own = array[share.first * size : (share.first + share.own) * size]
        return PerReplica(list(map(wrap, engine.replicas.divided(own, share.place))))
    bounds = [(i * size, (i + 1) * size) for i in range(share.first, share.first + share.own)]
    if is_tensor:
        parts = [wrap(engine.leaf(array[start:stop])) for start, stop in bounds]
    else:
        parts = [_cut(value, start, stop) for start, stop in bounds]
    if share.own == share.count or not rows % share.count:
        return PerReplica(parts)
    return Uneven(parts, tuple([min(size, max(rows - i * size, 0)) for i in range(share.count)]))


def _cut(value, start, stop):
    """Some rows of a composite value; `stop` may lie past its end."""
    if isinstance(value, SparseTensor):
        rows, *sizes = value.sizes()
        return sparse.slice(value, [min(start, rows), *[0] * len(sizes)], [max(min(stop, rows) - start, 0), *sizes])
    if isinstance(value, ExtensionType):
        parts = nest.map_structure(lambda x: _cut(x, start, stop), encoded(value, 1))
        return decoded(row_spec(value)._batch(max(min(stop, outer_size(value)) - start, 0)), parts)
    return value[start:stop]


def divided(strategy, batch, sizes=None):
    """A nest of tensors, or of values of rows, as one of PerReplicas: divided among the replicas of a strategy.

    Args:
      strategy, batch: these.
      sizes: see `DividedDataset`.
    """
    share = strategy._share
    return nest.map_structure(lambda x: x if x is None else _parts(x, share, sizes), batch)


class DividedIterator(DistributedIterator):
    """Iterator over what replicas get.

    Args:
      iterator: of elements.
      divided: function of an element that gives the nest of PerReplicas.
      element_spec: nest of PerReplicaSpecs.
    """

    def __init__(self, iterator, divided, element_spec):
        self._iterator, self._divided, self._element_spec = iterator, divided, element_spec

    element_spec = property(lambda self: self._element_spec, doc="Nest of PerReplicaSpecs.")

    def __iter__(self):
        return self

    def __next__(self):
        return self._divided(next(self._iterator))

    def get_next(self):
        """The next nest of PerReplicas. Raises tf.errors.OutOfRangeError at the end."""
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext] name: ") from None

    def next(self):
        """As `get_next`, but that the end raises StopIteration."""
        return next(self)

    def get_next_as_optional(self):
        """The next nest of PerReplicas, as a `tf.experimental.Optional`."""
        optional = self._iterator.get_next_as_optional()
        if not bool(optional.has_value()):
            return optional
        return type(optional)(self._divided(optional.get_value()))

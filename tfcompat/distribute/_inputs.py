"""Datasets for several replicas: each batch is divided among them."""

import abc
import collections
import enum
from typing import NamedTuple

import numpy as np

from tfcompat import engine, nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor, wrap
from tfcompat.distribute._values import PerReplica, PerReplicaSpec
from tfcompat.errors import OutOfRangeError, UnimplementedError


class DistributedDataset(abc.ABC):
    """A dataset for several replicas; with one replica a dataset is distributed as it is. For `isinstance`."""

    @abc.abstractmethod
    def __iter__(self):
        """The elements."""


class DistributedIterator(abc.ABC):
    """An iterator over a DistributedDataset. For `isinstance`."""

    @abc.abstractmethod
    def get_next(self):
        """The next element."""


class InputContext:
    """What a function that makes a dataset is told. TF: `tf.distribute.InputContext`."""

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

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
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync

    def __str__(self):
        return (
            f"tf.distribute.ValueContext(replica id {self.replica_id_in_sync_group},  total replicas in sync: "
            f"{self.num_replicas_in_sync})"
        )


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


def is_read_whole(dataset):
    """Whether each process reads all of a dataset, as its `auto_shard_policy` says.

    Raises:
      tf.errors.UnimplementedError: it says how files are to be divided.
    """
    policy = getattr(dataset.options().experimental_distribute.auto_shard_policy, "name", "AUTO")
    if policy in ("FILE", "HINT"):
        raise UnimplementedError(
            None, None,
            f"tf.data.experimental.AutoShardPolicy.{policy} is not available in tfcompat for several processes: use "
            "`strategy.distribute_datasets_from_function`, and in the function "
            "`files.shard(context.num_input_pipelines, context.input_pipeline_id)`",
        )  # fmt: skip
    return policy == "OFF"


def parts_of(dataset, count):
    """A dataset of the parts, of which there are `count`, of each batch of a dataset.

    Raises:
      tf.errors.UnimplementedError: the size of batches is not known, or `count` does not divide it.
    """
    sizes = {spec.shape[0] for spec in nest.flatten(dataset.element_spec)}
    size = sizes.pop()
    if sizes or size is None or size % count:
        raise UnimplementedError(
            None, None, f"AutoShardPolicy.OFF: expected batches of one size that {count} replicas divide, got "
            f"{dataset.element_spec}: take batches with drop_remainder=True"
        )  # fmt: skip
    return dataset.rebatch(size // count)


class DividedDataset(DistributedDataset):
    """A dataset each of whose batches is divided among the replicas, as far as it goes: 5 over 4 is 2, 2, 1, 0.

    Args:
      dataset: of batches.
      share: Share.
    """

    def __init__(self, dataset, share):
        self._dataset, self._share = dataset, share

    @property
    def element_spec(self):
        """Nest of PerReplicaSpecs."""
        return nest.map_structure(self._spec, self._dataset.element_spec)

    def _spec(self, spec):
        if isinstance(spec, TensorSpec):
            size = spec.shape[0] if spec.shape.rank else None
            whole = size is not None and size % self._share.count == 0
            spec = TensorSpec([size // self._share.count if whole else None, *spec.shape[1:]], spec.dtype)
        return spec if self._share.own == 1 else PerReplicaSpec(*[spec] * self._share.own)

    @property
    def cardinality(self):
        """How many batches there are, an int64 tensor."""
        return self._dataset.cardinality()

    def __iter__(self):
        return DividedIterator(iter(self._dataset), self._divided, self.element_spec)

    def _divided(self, element):
        return nest.map_structure(lambda x: of_replicas(_parts(x, self._share)), element)


class DatasetsOfReplicas(DistributedDataset):
    """Datasets made by a function: one for all replicas, which take batches in turn, or one for each.

    Args:
      datasets: list of them.
      count: number of replicas.
    """

    def __init__(self, datasets, count):
        self._datasets, self._count = datasets, count

    @property
    def element_spec(self):
        """Nest of PerReplicaSpecs."""
        if self._count == 1:
            return self._datasets[0].element_spec
        return nest.map_structure(lambda spec: PerReplicaSpec(*[spec] * self._count), self._datasets[0].element_spec)

    @property
    def cardinality(self):
        """How often all replicas get something, an int64 tensor."""
        size = int(self._datasets[0].cardinality())
        return convert_to_tensor(np.int64(size if size < 0 or len(self._datasets) > 1 else -(-size // self._count)))

    def __iter__(self):
        spec = self.element_spec
        if len(self._datasets) > 1:
            return DividedIterator(_InStep([iter(dataset) for dataset in self._datasets]), _together, spec)
        return DividedIterator(_InTurn(iter(self._datasets[0]), self._count), _together, spec)


def of_replicas(parts):
    """A PerReplica; the value itself where a process has one replica."""
    return PerReplica(parts) if len(parts) > 1 else parts[0]


def _together(elements):
    return nest.map_structure(lambda *parts: of_replicas(parts), *elements)


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


def _parts(value, share):
    """The parts of a batch: each has as many rows as the first, as long as there are any."""
    is_tensor = isinstance(value, Tensor)
    array = engine.array_of(value._node) if is_tensor else value
    if is_tensor and not array.ndim:
        raise IndexError("list index out of range")  # as in TF: an element that is no batch
    rows = len(array) if is_tensor else int(value.shape[0] if value.shape[0] is not None else value.nrows())
    size = -(-rows // share.count)
    if share.own < share.count and rows % share.count:
        raise UnimplementedError(
            None, None,
            f"a batch of {rows} rows does not go round {share.count} replicas in several processes: take batches of "
            "another size, with drop_remainder=True",
        )  # fmt: skip
    if is_tensor and array.dtype != object and not rows % share.count and share.own > 1:
        own = array[share.first * size : (share.first + share.own) * size]
        return [wrap(engine.leaf(part)) for part in engine.replicas.divided(own, share.place)]
    parts = [array[i * size : (i + 1) * size] for i in range(share.first, share.first + share.own)]
    return [wrap(engine.leaf(part)) for part in parts] if is_tensor else parts


def divided(strategy, value):
    """A tensor, or a value of rows, as PerReplica: divided among the replicas of a strategy."""
    return of_replicas(_parts(value, strategy._share))


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

    def get_next_as_optional(self):
        """The next nest of PerReplicas, as a `tf.experimental.Optional`."""
        optional = self._iterator.get_next_as_optional()
        if not bool(optional.has_value()):
            return optional
        return type(optional)(self._divided(optional.get_value()))

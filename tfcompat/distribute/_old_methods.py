"""Methods of strategies that TensorFlow 1 had: what sets up sessions, and iterators that are made by the strategy."""

import copy

from tfcompat._tracing.status import converted
from tfcompat.distribute._inputs import InputContext, InputReplicationMode
from tfcompat.distribute._values import PerReplica
from tfcompat.errors import OutOfRangeError, UnimplementedError


class OldIterator:
    """An iterator over what replicas get, made by a strategy.

    Args:
      strategy: the strategy.
      made: function that makes a DistributedDataset, or the dataset of one replica.
      whole: whether each replica must get something.

    TF: what `tf.distribute.Strategy.make_dataset_iterator` and `make_input_fn_iterator` return.
    """

    def __init__(self, strategy, made, whole):
        self._strategy, self._made, self._whole = strategy, made, whole
        self.initialize()

    def initialize(self):
        """Starts from the beginning."""
        self._iterator = iter(self._made())

    @property
    def initializer(self):
        """None: the iterator is at its beginning when it is made."""
        self.initialize()

    def get_next(self):
        """The next nest of PerReplicas. Raises tf.errors.OutOfRangeError at the end."""
        element = next(self._iterator, None)
        if element is None or self._whole and _is_short(element):
            raise OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext] name: ")
        return element


def _is_short(element):
    """Whether a replica has got an empty batch, since there were no more."""
    while isinstance(element, list | tuple | dict):
        element = next(iter(element.values() if isinstance(element, dict) else element))
    return isinstance(element, PerReplica) and any(0 in part.shape.as_list()[:1] for part in element.values)


class OldMethods:
    """What a strategy can do besides. TF: `tf.distribute.Strategy`."""

    def configure(self, session_config=None, cluster_spec=None, task_type=None, task_id=None):
        """Does nothing: there are no sessions to be configured.

        Raises:
          tf.errors.UnimplementedError: a cluster is given.
        """
        if cluster_spec is not None or task_type is not None or task_id is not None:
            raise UnimplementedError(
                None, None,
                "Strategy.configure: expected no cluster_spec, task_type or task_id in tfcompat: give "
                "tf.distribute.MultiWorkerMirroredStrategy a cluster_resolver, or set TF_CONFIG",
            )  # fmt: skip

    def update_config_proto(self, config_proto):
        """A copy of a configuration of sessions."""
        return copy.deepcopy(config_proto)

    def colocate_vars_with(self, colocate_with_variable):
        """As `StrategyExtended.colocate_vars_with`."""
        return self.extended.colocate_vars_with(colocate_with_variable)

    def group(self, value, name=None):
        """The value of the only replica; None for several replicas, or with a name: everything has run then."""
        values = self.experimental_local_results(value)
        return values[0] if len(values) == 1 and name is None else None

    def make_dataset_iterator(self, dataset):
        """An iterator over a dataset of global batches, each of which is divided among the replicas."""
        return OldIterator(self, lambda: self.experimental_distribute_dataset(dataset), False)

    def make_input_fn_iterator(self, input_fn, replication_mode=InputReplicationMode.PER_WORKER):
        """An iterator over batches that replicas take in turn.

        Args:
          input_fn: function of an InputContext that gives a dataset, or a function without arguments of a nest.
          replication_mode: must be PER_WORKER.

        Raises:
          ValueError: another `replication_mode`.
        """
        if replication_mode is not InputReplicationMode.PER_WORKER:
            raise ValueError(f"Input replication mode not supported: {replication_mode}")
        count = self.num_replicas_in_sync
        made = input_fn(InputContext(num_replicas_in_sync=count))
        if callable(made):
            return _Called(self, made)
        return OldIterator(self, lambda: self.distribute_datasets_from_function(lambda context: made), count > 1)

    def experimental_run(self, fn, input_iterator=None):
        """`run` of a function of the next element of an iterator, or of nothing."""
        args = () if input_iterator is None else (input_iterator.get_next(),)
        return self.run(converted(fn), args=args)


class _Called:
    """An iterator whose elements are what a function returns, called once for each replica."""

    def __init__(self, strategy, function):
        self._strategy, self._function = strategy, function

    initializer = None

    def initialize(self):
        """Does nothing."""

    def get_next(self):
        """The next nest of PerReplicas."""
        return self._strategy._values_from_function(lambda context: self._function())

"""What the rows of this folder share: strategies of two and four replicas, and values of replicas as lists."""

import functools
import os

COUNT = int(os.environ.get("TFCOMPAT_TESTS_REPLICAS", 2))  # of replicas where a row does not say how many


def of(tf, count=COUNT):
    """The MirroredStrategy of the first `count` CPUs.

    In TensorFlow the collectives of several strategies get in each other's way, so there is one with collectives.
    """
    return _of(tf, count)


@functools.cache
def _of(tf, count):
    return new(tf, count) if count > 2 else tf.distribute.MirroredStrategy(_devices(count))


def new(tf, count=COUNT):
    """Another strategy of as many replicas, which reduces on one device."""
    return tf.distribute.MirroredStrategy(_devices(count), cross_device_ops=tf.distribute.ReductionToOneDevice())


def _devices(count):
    return [f"/cpu:{n}" for n in range(count)]


def number(tf, dtype=None):
    """The number of the replica that calls it, float32 by default."""
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, dtype or tf.float32)


def each(strategy, value):
    """The values of all replicas, a list; of a list or tuple of values, a list of lists."""
    if isinstance(value, list | tuple):
        return [each(strategy, x) for x in value]
    if isinstance(value, dict):
        return {key: each(strategy, x) for key, x in value.items()}
    return list(strategy.experimental_local_results(value))


def elements(strategy, dataset):
    """The elements of a distributed dataset, as `each` gives them."""
    return [each(strategy, element) for element in dataset]


def variable(tf, strategy, aggregation, on_read, value=1.0):
    """A variable in the scope of a strategy."""
    kind = tf.VariableSynchronization
    with strategy.scope():
        return tf.Variable(
            value,
            trainable=False,
            synchronization=kind.ON_READ if on_read else kind.AUTO,
            aggregation=getattr(tf.VariableAggregation, aggregation),
        )

"""`tf.types.experimental.distributed`: classes for `isinstance`. No value belongs to several replicas here."""

from tfcompat.distribute import DistributedValues as _DistributedValues


class PerReplica(_DistributedValues):
    """One value for each replica. TF: `tf.types.experimental.distributed.PerReplica`."""

    __module__ = "tfcompat.types.experimental.distributed"


class Mirrored(PerReplica):
    """The same value on each replica. TF: `tf.types.experimental.distributed.Mirrored`."""

    __module__ = "tfcompat.types.experimental.distributed"

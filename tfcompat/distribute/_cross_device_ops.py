"""`CrossDeviceOps`: how values of several devices are combined. XLA chooses; here they can be asked to do it alone."""

from tfcompat.distribute._contexts import ReduceOp
from tfcompat.distribute._values import DistributedValues, Mirrored
from tfcompat.errors import UnimplementedError
from tfcompat.math import add_n, truediv


class CrossDeviceOps:
    """How values of several devices are combined: XLA chooses.

    TF: `tf.distribute.CrossDeviceOps`, of which a strategy calls no methods.
    """

    def reduce(self, reduce_op, per_replica_value, destinations, options=None):
        """The sum or mean of the values of a PerReplica.

        Args:
          reduce_op: ReduceOp.
          per_replica_value: PerReplica of tensors of the same shape, or a tensor.
          destinations: variable or DistributedValues whose replicas get it, or the name of a device.
          options: CommunicationOptions; XLA chooses.

        Returns:
          Mirrored; a tensor where `destinations` is the name of a device.

        Raises:
          ValueError: `reduce_op` is none.
        """
        if not isinstance(reduce_op, ReduceOp):
            raise ValueError(f"`reduce_op` must be Reduce.SUM or Reduce.MEAN, got {reduce_op!r}")
        is_of_replicas = isinstance(per_replica_value, DistributedValues)
        parts = list(per_replica_value.values) if is_of_replicas else [per_replica_value]
        total = add_n(parts)
        total = truediv(total, len(parts)) if reduce_op is ReduceOp.MEAN else total
        return self.broadcast(total, destinations)

    def batch_reduce(self, reduce_op, value_destination_pairs, options=None):
        """List of `reduce` of each of the pairs (value, destinations)."""
        return [self.reduce(reduce_op, value, to, options) for value, to in value_destination_pairs]

    def broadcast(self, tensor, destinations):
        """A tensor for all replicas of `destinations`, as Mirrored; the tensor itself for the name of a device."""
        if isinstance(destinations, DistributedValues):
            return Mirrored([tensor] * len(destinations._values))
        return tensor


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """TF: `tf.distribute.HierarchicalCopyAllReduce`; see `CrossDeviceOps`."""

    def __init__(self, num_packs=1):
        _check_packs(num_packs)


class NcclAllReduce(CrossDeviceOps):
    """TF: `tf.distribute.NcclAllReduce`; see `CrossDeviceOps`."""

    def __init__(self, num_packs=1):
        _check_packs(num_packs)


class ReductionToOneDevice(CrossDeviceOps):
    """TF: `tf.distribute.ReductionToOneDevice`; see `CrossDeviceOps`."""

    def __init__(self, reduce_to_device=None, accumulation_fn=None):
        self.reduce_to_device, self.accumulation_fn = reduce_to_device, accumulation_fn


def _check_packs(num_packs):
    if num_packs < 0:
        raise ValueError(f"NCCL all-reduce requires num_packs >= 0, but {num_packs} is specified")


def check_ops(ops):
    """Raises tf.errors.UnimplementedError where the class of CrossDeviceOps has methods of its own."""
    names = ["reduce", "batch_reduce", "broadcast"]
    names += [f"{name}_implementation" for name in names]
    own = [name for name in names if getattr(type(ops), name, None) is not getattr(CrossDeviceOps, name, None)]
    if isinstance(ops, CrossDeviceOps) and own:
        raise UnimplementedError(
            None, None,
            f"tf.distribute.MirroredStrategy: {type(ops).__name__}.{own[0]} would not be called in tfcompat, where XLA "
            "combines values: use tf.distribute.ReplicaContext.merge_call for what is not a sum or a mean",
        )  # fmt: skip

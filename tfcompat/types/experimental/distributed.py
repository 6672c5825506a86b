"""`tf.types.experimental.distributed`: values of several replicas, for `isinstance`."""

from tfcompat.distribute._values import Mirrored as Mirrored
from tfcompat.distribute._values import PerReplica as PerReplica

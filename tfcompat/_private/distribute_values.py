"""tensorflow/python/distribute: values.py, ps_values.py."""

from tfcompat.distribute._values import DistributedValues as DistributedValues
from tfcompat.distribute._values import Mirrored as Mirrored
from tfcompat.distribute._values import PerReplica as PerReplica
from tfcompat.distribute._variables import AggregatingVariable as AggregatingVariable
from tfcompat.distribute._variables import DistributedVariable as DistributedVariable
from tfcompat.distribute._variables import MirroredVariable as MirroredVariable
from tfcompat.distribute._variables import SyncOnReadVariable as SyncOnReadVariable

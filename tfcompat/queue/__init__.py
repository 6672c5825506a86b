"""`tf.queue`: queues of elements on the host."""

from tfcompat._package.missing import missing as _missing
from tfcompat.queue._queues import FIFOQueue as FIFOQueue
from tfcompat.queue._queues import PaddingFIFOQueue as PaddingFIFOQueue
from tfcompat.queue._queues import PriorityQueue as PriorityQueue
from tfcompat.queue._queues import QueueBase as QueueBase
from tfcompat.queue._queues import RandomShuffleQueue as RandomShuffleQueue

__getattr__ = _missing("tf.queue")

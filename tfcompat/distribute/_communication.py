"""How hosts talk to each other: accepted, and of no effect with one."""

import copy
import enum


class CommunicationImplementation(enum.Enum):
    """What hosts talk by; of no effect with one. TF: `tf.distribute.experimental.CommunicationImplementation`."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """How hosts talk to each other; of no effect with one.

    Args:
      bytes_per_pack: int, not negative.
      timeout_seconds: float or None; how long a process waits in a step for the others before it raises
        `tf.errors.DeadlineExceededError`, where a MultiWorkerMirroredStrategy is given these options.
      implementation: CommunicationImplementation.

    Raises:
      ValueError: a negative `bytes_per_pack`; another `implementation`.

    TF: `tf.distribute.experimental.CommunicationOptions`.
    """

    def __init__(self, bytes_per_pack=0, timeout_seconds=None, implementation=CommunicationImplementation.AUTO):
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        self.bytes_per_pack, self.timeout_seconds = bytes_per_pack, timeout_seconds
        self.implementation = CommunicationImplementation(getattr(implementation, "value", implementation))

    def __str__(self):
        return (
            f"Options(bytes_per_pack={self.bytes_per_pack},timeout_seconds={self.timeout_seconds}, "
            f"implementation={self.implementation})"
        )

    def merge(self, options):
        """These options, with what is given in others in their place; with None a copy."""
        merged = copy.deepcopy(self)
        if options is None:
            return merged
        if options.bytes_per_pack != 0:
            merged.bytes_per_pack = options.bytes_per_pack
        if options.timeout_seconds is not None:
            merged.timeout_seconds = options.timeout_seconds
        if options.implementation is not CommunicationImplementation.AUTO:
            merged.implementation = options.implementation
        return merged


class CollectiveHints:
    """The old name of CommunicationOptions, which it makes. TF: `tf.distribute.experimental.CollectiveHints`."""

    def __new__(cls, bytes_per_pack=0, timeout_seconds=None):
        return CommunicationOptions(bytes_per_pack, timeout_seconds)

"""`tf.data.Options`. But for how datasets are divided among processes they are kept without effect."""

import enum

from tfcompat.errors import UnimplementedError


class AutotuneAlgorithm(enum.Enum):
    """How TensorFlow tunes pipelines; without effect here. TF: `tf.data.experimental.AutotuneAlgorithm`."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among processes, see `Strategy.experimental_distribute_dataset`.

    TF: `tf.data.experimental.AutoShardPolicy`.
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What a checkpoint does about state outside; without effect. TF: `tf.data.experimental.ExternalStatePolicy`."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class _Group:
    _FIELDS: dict = {}

    def __init__(self):
        for name, make in self._FIELDS.items():
            object.__setattr__(self, name, make() if isinstance(make, type) else None)

    def __setattr__(self, name, value):
        if name not in self._FIELDS:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    def __eq__(self, other):
        return type(self) is type(other) and all(getattr(self, n) == getattr(other, n) for n in self._FIELDS)

    def __ne__(self, other):
        return not self == other

    __hash__ = object.__hash__

    def _merged(self, other):
        result = type(self)()
        for name in self._FIELDS:
            mine, its = getattr(self, name), getattr(other, name)
            if isinstance(mine, _Group) and isinstance(its, _Group):
                its = mine._merged(its)
            object.__setattr__(result, name, mine if its is None else its)
        return result


class AutotuneOptions(_Group):
    """Options of tuning, without effect. TF: `tf.data.experimental.AutotuneOptions`."""

    _FIELDS = dict.fromkeys(
        ["enabled", "cpu_budget", "ram_budget", "autotune_algorithm", "initial_parallelism", "min_parallelism"]
    )


class DistributeOptions(_Group):
    """Options of distribution; `num_devices` is without effect. TF: `tf.data.experimental.DistributeOptions`."""

    _FIELDS = dict.fromkeys(["auto_shard_policy", "num_devices"])


class OptimizationOptions(_Group):
    """Options of rewriting pipelines, without effect. TF: `tf.data.experimental.OptimizationOptions`."""

    _FIELDS = dict.fromkeys(
        """
        apply_default_optimizations filter_fusion filter_parallelization inject_prefetch map_and_batch_fusion
        map_and_filter_fusion map_fusion map_parallelization noop_elimination parallel_batch seq_interleave_prefetch
        shuffle_and_repeat_fusion
        """.split()
    )


class ServiceOptions(_Group):
    """Options of TensorFlow's data service, without effect. TF: `tf.data.experimental.ServiceOptions`."""

    _FIELDS = dict.fromkeys(["pinned"])


class ThreadingOptions(_Group):
    """Options of threads, without effect. TF: `tf.data.ThreadingOptions`."""

    _FIELDS = dict.fromkeys(["max_intra_op_parallelism", "private_threadpool_size"])


class Options(_Group):
    """Options of datasets.

    All are kept and merged as in TensorFlow. But for `experimental_distribute.auto_shard_policy` they have no effect
    here: order is always deterministic, and pipelines are not rewritten.

    TF: `tf.data.Options`.
    """

    _FIELDS = {
        "autotune": AutotuneOptions,
        "dataset_name": None,
        "deterministic": None,
        "experimental_deterministic": None,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": None,
        "experimental_optimization": OptimizationOptions,
        "experimental_slack": None,
        "experimental_symbolic_checkpoint": None,
        "experimental_threading": None,
        "experimental_warm_start": None,
        "experimental_service": ServiceOptions,
        "framework_type": None,
        "threading": ThreadingOptions,
    }

    def merge(self, options):
        """New options: those of `options` where they are set, else these."""
        if not isinstance(options, Options):
            raise UnimplementedError(None, None, f"options of type {type(options)}")
        return self._merged(options)

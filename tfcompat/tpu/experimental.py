"""`tf.tpu.experimental`: starting the TPU, which JAX has done."""

import enum as _enum

from tfcompat._package.missing import missing as _missing
from tfcompat._package.missing import module_of_absent as _module_of_absent
from tfcompat.distribute.cluster_resolver import TPUClusterResolver as _TPUClusterResolver
from tfcompat.errors import UnimplementedError as _UnimplementedError


class HardwareFeature:
    """What a TPU can do. TF: `tf.tpu.experimental.HardwareFeature`; there is no instance, as there is no topology."""

    class EmbeddingFeature(_enum.Enum):
        """The kind of its hardware for embeddings."""

        UNSUPPORTED = "UNSUPPORTED"
        V1 = "V1"
        V2 = "V2"

    def __init__(self, tpu_hardware_feature_proto):
        raise _UnimplementedError(None, None, f"tf.tpu.experimental.HardwareFeature: use {_ADVICE}")


def initialize_tpu_system(cluster_resolver=None):
    """Nothing is left to do where JAX has a TPU. Returns None, where TF returns the topology.

    Args:
      cluster_resolver: TPUClusterResolver; by default that of this machine.

    Raises:
      ValueError: JAX has no TPU.

    TF: `tf.tpu.experimental.initialize_tpu_system`.
    """
    if cluster_resolver is None:
        _TPUClusterResolver()


def shutdown_tpu_system(cluster_resolver=None):
    """Does nothing: the TPU is JAX's until the process ends. TF: `tf.tpu.experimental.shutdown_tpu_system`."""


_ADVICE = "tfcompat.layers.Embedding, and jax.sharding on the arrays"
_OF_EMBEDDINGS = (
    "Adagrad", "AdagradMomentum", "Adam", "CustomCombiner", "CustomOptimizer", "FTRL", "FeatureConfig",
    "QuantizationConfig", "RowIdInitializer", "SGD", "SparseCoreEmbeddingConfig", "TPUEmbedding",
    "TPUEmbeddingForServing", "TPUEmbeddingV0", "TPUEmbeddingV2", "TableConfig", "serving_embedding_lookup",
)  # fmt: skip
embedding = _module_of_absent("tf.tpu.experimental.embedding", _OF_EMBEDDINGS, _ADVICE)
__getattr__ = _missing("tf.tpu.experimental", otherwise=_ADVICE)

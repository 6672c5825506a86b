"""`tf.tpu.experimental`: starting the TPU, which JAX has done."""

from tfcompat._missing import missing as _missing
from tfcompat.distribute.cluster_resolver import TPUClusterResolver as _TPUClusterResolver


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


__getattr__ = _missing("tf.tpu.experimental", otherwise="tfcompat.layers.Embedding, and jax.sharding on the arrays")

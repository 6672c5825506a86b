"""`tf.distribute.cluster_resolver`: where the TPU is, which here is where this process runs."""

from tfcompat._package.missing import missing as _missing
from tfcompat.distribute._tpu_cluster import TPUClusterResolver as TPUClusterResolver

__getattr__ = _missing("tf.distribute.cluster_resolver", otherwise="jax.distributed.initialize")

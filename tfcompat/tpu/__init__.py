"""`tf.tpu`: what programs say before they use a TPU."""

from tfcompat._package.missing import missing as _missing
from tfcompat.tpu import experimental as experimental

__getattr__ = _missing("tf.tpu", otherwise="jax.devices('tpu')")

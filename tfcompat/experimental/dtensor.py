"""`tf.experimental.dtensor`: an empty module, since Keras 3 imports it."""

from tfcompat._package.missing import missing as _missing

__getattr__ = _missing("tf.experimental.dtensor", otherwise="jax.sharding on the arrays")

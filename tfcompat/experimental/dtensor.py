"""`tf.experimental.dtensor`, of which there is nothing but the module, since Keras 3 imports it."""

from tfcompat._package.missing import missing as _missing

__getattr__ = _missing("tf.experimental.dtensor", otherwise="jax.sharding on the arrays")

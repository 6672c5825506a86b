"""`tf.distribute.experimental`: strategies by their former names."""

from tfcompat._missing import missing as _missing
from tfcompat.distribute import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tfcompat.distribute import ParameterServerStrategy as ParameterServerStrategy
from tfcompat.distribute import TPUStrategy as TPUStrategy

__getattr__ = _missing("tf.distribute.experimental", otherwise="jax.sharding on the arrays")

"""`tf.distribute.experimental`: strategies by their former names."""

from tfcompat._package.missing import missing as _missing
from tfcompat.distribute._communication import CommunicationImplementation as CommunicationImplementation
from tfcompat.distribute._communication import CommunicationOptions as CommunicationOptions
from tfcompat.distribute._inputs import ValueContext as ValueContext
from tfcompat.distribute._strategies import CentralStorageStrategy as CentralStorageStrategy
from tfcompat.distribute._strategies import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
from tfcompat.distribute._strategies import ParameterServerStrategy as ParameterServerStrategy
from tfcompat.distribute._strategies import TPUStrategy as TPUStrategy

CollectiveCommunication = CommunicationImplementation

__getattr__ = _missing("tf.distribute.experimental", otherwise="jax.sharding on the arrays")

"""`tf.keras.optimizers.legacy`: Keras's older optimizers."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.optimizers._legacy import Optimizer as Optimizer
from tfcompat.keras.optimizers._legacy_kinds import SGD as SGD
from tfcompat.keras.optimizers._legacy_kinds import Adadelta as Adadelta
from tfcompat.keras.optimizers._legacy_kinds import Adagrad as Adagrad
from tfcompat.keras.optimizers._legacy_kinds import Adam as Adam
from tfcompat.keras.optimizers._legacy_kinds import Adamax as Adamax
from tfcompat.keras.optimizers._legacy_kinds import Ftrl as Ftrl
from tfcompat.keras.optimizers._legacy_kinds import Nadam as Nadam
from tfcompat.keras.optimizers._legacy_kinds import RMSprop as RMSprop

__getattr__ = _missing("tf.keras.optimizers.legacy")

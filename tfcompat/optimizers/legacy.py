"""`tf.keras.optimizers.legacy`: Keras's older optimizers."""

from tfcompat._missing import missing as _missing
from tfcompat.optimizers._legacy import Optimizer as Optimizer
from tfcompat.optimizers._legacy_kinds import SGD as SGD
from tfcompat.optimizers._legacy_kinds import Adadelta as Adadelta
from tfcompat.optimizers._legacy_kinds import Adagrad as Adagrad
from tfcompat.optimizers._legacy_kinds import Adam as Adam
from tfcompat.optimizers._legacy_kinds import Adamax as Adamax
from tfcompat.optimizers._legacy_kinds import Ftrl as Ftrl
from tfcompat.optimizers._legacy_kinds import Nadam as Nadam
from tfcompat.optimizers._legacy_kinds import RMSprop as RMSprop

__getattr__ = _missing("tf.keras.optimizers.legacy")

"""`tf.keras.optimizers.experimental`: other names of the optimizers."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.optimizers._adam import Adam as Adam
from tfcompat.keras.optimizers._adam import Adamax as Adamax
from tfcompat.keras.optimizers._adam import AdamW as AdamW
from tfcompat.keras.optimizers._adam import Nadam as Nadam
from tfcompat.keras.optimizers._adaptive import Adadelta as Adadelta
from tfcompat.keras.optimizers._adaptive import Adafactor as Adafactor
from tfcompat.keras.optimizers._adaptive import Adagrad as Adagrad
from tfcompat.keras.optimizers._adaptive import RMSprop as RMSprop
from tfcompat.keras.optimizers._base import Optimizer as Optimizer
from tfcompat.keras.optimizers._ftrl import Ftrl as Ftrl
from tfcompat.keras.optimizers._gradient_descent import SGD as SGD

__getattr__ = _missing("tf.keras.optimizers.experimental", otherwise="the name in tf.keras.optimizers")

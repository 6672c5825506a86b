"""Keras optimizers: `tf.keras.optimizers`."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.optimizers import experimental as experimental
from tfcompat.keras.optimizers import legacy as legacy
from tfcompat.keras.optimizers import schedules as schedules
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
from tfcompat.keras.optimizers._gradient_descent import Lion as Lion
from tfcompat.keras.optimizers._registry import deserialize as deserialize
from tfcompat.keras.optimizers._registry import get as get
from tfcompat.keras.optimizers._registry import serialize as serialize

__getattr__ = _missing(
    "tf.keras.optimizers",
    otherwise="a subclass of tf.keras.optimizers.Optimizer with `build` and `update_step`",
)

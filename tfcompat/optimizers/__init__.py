"""Keras optimizers: `tf.keras.optimizers`."""

from tfcompat._missing import missing as _missing
from tfcompat.optimizers import experimental as experimental
from tfcompat.optimizers import legacy as legacy
from tfcompat.optimizers import schedules as schedules
from tfcompat.optimizers._adam import Adam as Adam
from tfcompat.optimizers._adam import Adamax as Adamax
from tfcompat.optimizers._adam import AdamW as AdamW
from tfcompat.optimizers._adam import Nadam as Nadam
from tfcompat.optimizers._adaptive import Adadelta as Adadelta
from tfcompat.optimizers._adaptive import Adafactor as Adafactor
from tfcompat.optimizers._adaptive import Adagrad as Adagrad
from tfcompat.optimizers._adaptive import RMSprop as RMSprop
from tfcompat.optimizers._base import Optimizer as Optimizer
from tfcompat.optimizers._ftrl import Ftrl as Ftrl
from tfcompat.optimizers._gradient_descent import SGD as SGD
from tfcompat.optimizers._gradient_descent import Lion as Lion
from tfcompat.optimizers._registry import deserialize as deserialize
from tfcompat.optimizers._registry import get as get
from tfcompat.optimizers._registry import serialize as serialize

__getattr__ = _missing(
    "tf.keras.optimizers",
    otherwise="a subclass of tf.keras.optimizers.Optimizer with `build` and `update_step`",
)

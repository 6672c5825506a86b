"""Keras callbacks: `tf.keras.callbacks`."""

from tfcompat._package.lazy import lazy as _lazy
from tfcompat._package.missing import missing as _missing
from tfcompat.keras.callbacks import experimental as experimental
from tfcompat.keras.callbacks._backup import BackupAndRestore as BackupAndRestore
from tfcompat.keras.callbacks._base import Callback as Callback
from tfcompat.keras.callbacks._control import EarlyStopping as EarlyStopping
from tfcompat.keras.callbacks._control import LearningRateScheduler as LearningRateScheduler
from tfcompat.keras.callbacks._control import ModelCheckpoint as ModelCheckpoint
from tfcompat.keras.callbacks._control import ReduceLROnPlateau as ReduceLROnPlateau
from tfcompat.keras.callbacks._control import TerminateOnNaN as TerminateOnNaN
from tfcompat.keras.callbacks._list import CallbackList as CallbackList
from tfcompat.keras.callbacks._progress import BaseLogger as BaseLogger
from tfcompat.keras.callbacks._progress import CSVLogger as CSVLogger
from tfcompat.keras.callbacks._progress import History as History
from tfcompat.keras.callbacks._progress import LambdaCallback as LambdaCallback
from tfcompat.keras.callbacks._progress import ProgbarLogger as ProgbarLogger

_absent = _missing("tf.keras.callbacks", otherwise="a subclass of tf.keras.callbacks.Callback")
# TensorBoard needs tf.summary, which few programs use.
__getattr__, __dir__ = _lazy(
    globals(), [], {"RemoteMonitor": "_tensorboard", "TensorBoard": "_tensorboard"}, _absent
)

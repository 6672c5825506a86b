"""`tf.keras.callbacks.experimental`."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.callbacks._backup import BackupAndRestore as BackupAndRestore

__getattr__ = _missing("tf.keras.callbacks.experimental", otherwise="a subclass of tf.keras.callbacks.Callback")

"""`tf.keras.preprocessing.sequence`."""

from tfcompat._missing import missing as _missing
from tfcompat.keras._sequences import pad_sequences as pad_sequences

__getattr__ = _missing("tf.keras.preprocessing.sequence", otherwise="NumPy, or tf.data")

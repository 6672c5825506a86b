"""`tf.keras.preprocessing.sequence`."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.utils._sequences import TimeseriesGenerator as TimeseriesGenerator
from tfcompat.keras.utils._sequences import make_sampling_table as make_sampling_table
from tfcompat.keras.utils._sequences import pad_sequences as pad_sequences
from tfcompat.keras.utils._sequences import skipgrams as skipgrams

__getattr__ = _missing("tf.keras.preprocessing.sequence", otherwise="NumPy, or tf.data")

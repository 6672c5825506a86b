"""`tf.train.experimental`: objects whose state a checkpoint saves as bytes."""

from tfcompat._package.missing import missing as _missing
from tfcompat.train._python_state import PythonState as PythonState

__getattr__ = _missing("tf.train.experimental")

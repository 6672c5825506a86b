"""tensorflow/python/keras/backend.py: that of `tf.compat.v1.keras`."""
import sys

from tfcompat.compat import v1

sys.modules[__name__] = v1.keras.backend

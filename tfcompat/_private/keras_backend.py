"""tensorflow/python/keras/backend.py, and `keras.src.backend` of Keras 2: that of `tf.compat.v1.keras`."""
import tfcompat as _tf
from tfcompat.compat import v1 as _v1


def _current_graph(op_input_list, graph=None):
    return graph or _v1.get_default_graph()


def __getattr__(name):
    return getattr(_v1.keras.backend if hasattr(_v1.keras.backend, name) else _tf.keras.backend, name)

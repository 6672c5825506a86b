"""`tf.keras.config`: Keras's settings by the names that they have in Keras 3."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.callbacks._messages import disable_interactive_logging as disable_interactive_logging
from tfcompat.keras.callbacks._messages import enable_interactive_logging as enable_interactive_logging
from tfcompat.keras.callbacks._messages import is_interactive_logging_enabled as is_interactive_logging_enabled
from tfcompat.layers._layer.dtype_policy import global_policy as dtype_policy  # noqa: F401
from tfcompat.layers._layer.dtype_policy import set_global_policy as set_dtype_policy  # noqa: F401
from tfcompat.layers._layer.settings import epsilon as epsilon
from tfcompat.layers._layer.settings import floatx as floatx
from tfcompat.layers._layer.settings import image_data_format as image_data_format
from tfcompat.layers._layer.settings import set_epsilon as set_epsilon
from tfcompat.layers._layer.settings import set_floatx as set_floatx
from tfcompat.layers._layer.settings import set_image_data_format as set_image_data_format


def backend():
    """The name of what runs Keras's ops, as in TensorFlow. Keras 3: `keras.config.backend`."""
    return "tensorflow"


__getattr__ = _missing("tf.keras.config")

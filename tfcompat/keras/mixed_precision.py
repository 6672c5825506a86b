"""`tf.keras.mixed_precision`: dtype policies; the mixed ones are refused."""

from tfcompat._missing import missing as _missing
from tfcompat.layers._dtype_policy import Policy as Policy
from tfcompat.layers._dtype_policy import global_policy as global_policy
from tfcompat.layers._dtype_policy import set_global_policy as set_global_policy

__getattr__ = _missing(
    "tf.keras.mixed_precision", {"LossScaleOptimizer": "loss and gradients multiplied and divided by hand"}
)

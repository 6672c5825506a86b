"""`tf.keras.mixed_precision`: dtype policies, and scaled losses."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.optimizers._loss_scale import LossScaleOptimizer as LossScaleOptimizer
from tfcompat.layers._layer.dtype_policy import Policy as DTypePolicy  # noqa: F401
from tfcompat.layers._layer.dtype_policy import Policy as Policy
from tfcompat.layers._layer.dtype_policy import global_policy as dtype_policy  # noqa: F401
from tfcompat.layers._layer.dtype_policy import global_policy as global_policy
from tfcompat.layers._layer.dtype_policy import set_global_policy as set_dtype_policy  # noqa: F401
from tfcompat.layers._layer.dtype_policy import set_global_policy as set_global_policy

__getattr__ = _missing("tf.keras.mixed_precision")

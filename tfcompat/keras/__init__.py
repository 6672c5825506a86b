"""`tf.keras`: Keras 2, and what is the same under other names in Keras 3."""

import sys as _sys

from tfcompat import layers as layers
from tfcompat._package.lazy import lazy as _lazy
from tfcompat._package.missing import missing as _missing
from tfcompat.keras import _convnext_layers as _convnext_layers  # files name its layers
from tfcompat.keras import _internal as __internal__  # noqa: F401
from tfcompat.keras import backend as backend
from tfcompat.keras import callbacks as callbacks
from tfcompat.keras import config as config
from tfcompat.keras import datasets as datasets
from tfcompat.keras import losses as losses
from tfcompat.keras import metrics as metrics
from tfcompat.keras import mixed_precision as mixed_precision
from tfcompat.keras import models as models
from tfcompat.keras import optimizers as optimizers
from tfcompat.keras import preprocessing as preprocessing
from tfcompat.keras import saving as saving
from tfcompat.keras import utils as utils
from tfcompat.keras._models.model import Model as Model
from tfcompat.keras._models.sequential import Sequential as Sequential
from tfcompat.keras.losses import Loss as Loss
from tfcompat.keras.metrics import Metric as Metric
from tfcompat.keras.optimizers import Optimizer as Optimizer
from tfcompat.layers import InputSpec as InputSpec
from tfcompat.layers import Layer as Layer
from tfcompat.layers import activations as activations
from tfcompat.layers import constraints as constraints
from tfcompat.layers import initializers as initializers
from tfcompat.layers import regularizers as regularizers
from tfcompat.layers._input import Input as Input
from tfcompat.layers._layer.dtype_policy import Policy as DTypePolicy  # noqa: F401
from tfcompat.layers.initializers import Initializer as Initializer
from tfcompat.layers.regularizers import Regularizer as Regularizer
from tfcompat.version import VERSION as __version__  # noqa: F401

# Modules that live elsewhere, so that `from tfcompat.keras.layers import Dense` finds them too.
for _module in (activations, callbacks, constraints, initializers, layers, losses, metrics, optimizers, regularizers):
    _sys.modules[f"{__name__}.{_module.__name__.rpartition('.')[2]}"] = _module

_absent = _missing(
    "tf.keras",
    {
        "estimator": "tf.keras.Model.fit",
        "dtensor": "tfcompat.to_jax and jax.sharding",
    },
)
__getattr__, __dir__ = _lazy(globals(), ["applications", "experimental", "export"], {}, _absent)

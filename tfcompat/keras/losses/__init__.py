"""Keras losses: `tf.keras.losses`."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.losses import _ragged as _ragged
from tfcompat.keras.losses._base import Loss as Loss
from tfcompat.keras.losses._base import Reduction as Reduction
from tfcompat.keras.losses._classes import BinaryCrossentropy as BinaryCrossentropy
from tfcompat.keras.losses._classes import BinaryFocalCrossentropy as BinaryFocalCrossentropy
from tfcompat.keras.losses._classes import CategoricalCrossentropy as CategoricalCrossentropy
from tfcompat.keras.losses._classes import CategoricalFocalCrossentropy as CategoricalFocalCrossentropy
from tfcompat.keras.losses._classes import CategoricalHinge as CategoricalHinge
from tfcompat.keras.losses._classes import CosineSimilarity as CosineSimilarity
from tfcompat.keras.losses._classes import Hinge as Hinge
from tfcompat.keras.losses._classes import Huber as Huber
from tfcompat.keras.losses._classes import KLDivergence as KLDivergence
from tfcompat.keras.losses._classes import LogCosh as LogCosh
from tfcompat.keras.losses._classes import MeanAbsoluteError as MeanAbsoluteError
from tfcompat.keras.losses._classes import MeanAbsolutePercentageError as MeanAbsolutePercentageError
from tfcompat.keras.losses._classes import MeanSquaredError as MeanSquaredError
from tfcompat.keras.losses._classes import MeanSquaredLogarithmicError as MeanSquaredLogarithmicError
from tfcompat.keras.losses._classes import Poisson as Poisson
from tfcompat.keras.losses._classes import SparseCategoricalCrossentropy as SparseCategoricalCrossentropy
from tfcompat.keras.losses._classes import SquaredHinge as SquaredHinge
from tfcompat.keras.losses._functions import binary_crossentropy as binary_crossentropy
from tfcompat.keras.losses._functions import binary_focal_crossentropy as binary_focal_crossentropy
from tfcompat.keras.losses._functions import categorical_crossentropy as categorical_crossentropy
from tfcompat.keras.losses._functions import categorical_focal_crossentropy as categorical_focal_crossentropy
from tfcompat.keras.losses._functions import categorical_hinge as categorical_hinge
from tfcompat.keras.losses._functions import cosine_similarity as cosine_similarity
from tfcompat.keras.losses._functions import hinge as hinge
from tfcompat.keras.losses._functions import huber as huber
from tfcompat.keras.losses._functions import kl_divergence as kl_divergence
from tfcompat.keras.losses._functions import log_cosh as log_cosh
from tfcompat.keras.losses._functions import mean_absolute_error as mean_absolute_error
from tfcompat.keras.losses._functions import mean_absolute_percentage_error as mean_absolute_percentage_error
from tfcompat.keras.losses._functions import mean_squared_error as mean_squared_error
from tfcompat.keras.losses._functions import mean_squared_logarithmic_error as mean_squared_logarithmic_error
from tfcompat.keras.losses._functions import poisson as poisson
from tfcompat.keras.losses._functions import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from tfcompat.keras.losses._functions import squared_hinge as squared_hinge
from tfcompat.keras.losses._registry import deserialize as deserialize
from tfcompat.keras.losses._registry import get as get
from tfcompat.keras.losses._registry import serialize as serialize

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh

__getattr__ = _missing("tf.keras.losses", otherwise="a function of targets and predictions, or a loss of tf.nn")

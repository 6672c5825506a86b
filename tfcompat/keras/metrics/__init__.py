"""Keras metrics: `tf.keras.metrics`."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.losses import binary_crossentropy as binary_crossentropy
from tfcompat.keras.losses import binary_focal_crossentropy as binary_focal_crossentropy
from tfcompat.keras.losses import categorical_crossentropy as categorical_crossentropy
from tfcompat.keras.losses import categorical_focal_crossentropy as categorical_focal_crossentropy
from tfcompat.keras.losses import hinge as hinge
from tfcompat.keras.losses import kl_divergence as kl_divergence
from tfcompat.keras.losses import log_cosh as log_cosh
from tfcompat.keras.losses import mean_absolute_error as mean_absolute_error
from tfcompat.keras.losses import mean_absolute_percentage_error as mean_absolute_percentage_error
from tfcompat.keras.losses import mean_squared_error as mean_squared_error
from tfcompat.keras.losses import mean_squared_logarithmic_error as mean_squared_logarithmic_error
from tfcompat.keras.losses import poisson as poisson
from tfcompat.keras.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from tfcompat.keras.losses import squared_hinge as squared_hinge
from tfcompat.keras.metrics._accuracy import Accuracy as Accuracy
from tfcompat.keras.metrics._accuracy import BinaryAccuracy as BinaryAccuracy
from tfcompat.keras.metrics._accuracy import CategoricalAccuracy as CategoricalAccuracy
from tfcompat.keras.metrics._accuracy import SparseCategoricalAccuracy as SparseCategoricalAccuracy
from tfcompat.keras.metrics._accuracy import SparseTopKCategoricalAccuracy as SparseTopKCategoricalAccuracy
from tfcompat.keras.metrics._accuracy import TopKCategoricalAccuracy as TopKCategoricalAccuracy
from tfcompat.keras.metrics._accuracy import accuracy as _accuracy
from tfcompat.keras.metrics._accuracy import binary_accuracy as binary_accuracy
from tfcompat.keras.metrics._accuracy import categorical_accuracy as categorical_accuracy
from tfcompat.keras.metrics._accuracy import sparse_categorical_accuracy as sparse_categorical_accuracy
from tfcompat.keras.metrics._accuracy import sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy
from tfcompat.keras.metrics._accuracy import top_k_categorical_accuracy as top_k_categorical_accuracy
from tfcompat.keras.metrics._auc import AUC as AUC
from tfcompat.keras.metrics._base import Mean as Mean
from tfcompat.keras.metrics._base import MeanMetricWrapper as MeanMetricWrapper
from tfcompat.keras.metrics._base import MeanTensor as MeanTensor
from tfcompat.keras.metrics._base import Metric as Metric
from tfcompat.keras.metrics._base import Sum as Sum
from tfcompat.keras.metrics._classes import BinaryIoU as BinaryIoU
from tfcompat.keras.metrics._classes import F1Score as F1Score
from tfcompat.keras.metrics._classes import FBetaScore as FBetaScore
from tfcompat.keras.metrics._classes import IoU as IoU
from tfcompat.keras.metrics._classes import MeanIoU as MeanIoU
from tfcompat.keras.metrics._classes import OneHotIoU as OneHotIoU
from tfcompat.keras.metrics._classes import OneHotMeanIoU as OneHotMeanIoU
from tfcompat.keras.metrics._confusion import FalseNegatives as FalseNegatives
from tfcompat.keras.metrics._confusion import FalsePositives as FalsePositives
from tfcompat.keras.metrics._confusion import Precision as Precision
from tfcompat.keras.metrics._confusion import PrecisionAtRecall as PrecisionAtRecall
from tfcompat.keras.metrics._confusion import Recall as Recall
from tfcompat.keras.metrics._confusion import RecallAtPrecision as RecallAtPrecision
from tfcompat.keras.metrics._confusion import SensitivityAtSpecificity as SensitivityAtSpecificity
from tfcompat.keras.metrics._confusion import SpecificityAtSensitivity as SpecificityAtSensitivity
from tfcompat.keras.metrics._confusion import TrueNegatives as TrueNegatives
from tfcompat.keras.metrics._confusion import TruePositives as TruePositives
from tfcompat.keras.metrics._means import BinaryCrossentropy as BinaryCrossentropy
from tfcompat.keras.metrics._means import CategoricalCrossentropy as CategoricalCrossentropy
from tfcompat.keras.metrics._means import CategoricalHinge as CategoricalHinge
from tfcompat.keras.metrics._means import CosineSimilarity as CosineSimilarity
from tfcompat.keras.metrics._means import Hinge as Hinge
from tfcompat.keras.metrics._means import KLDivergence as KLDivergence
from tfcompat.keras.metrics._means import LogCoshError as LogCoshError
from tfcompat.keras.metrics._means import MeanAbsoluteError as MeanAbsoluteError
from tfcompat.keras.metrics._means import MeanAbsolutePercentageError as MeanAbsolutePercentageError
from tfcompat.keras.metrics._means import MeanRelativeError as MeanRelativeError
from tfcompat.keras.metrics._means import MeanSquaredError as MeanSquaredError
from tfcompat.keras.metrics._means import MeanSquaredLogarithmicError as MeanSquaredLogarithmicError
from tfcompat.keras.metrics._means import Poisson as Poisson
from tfcompat.keras.metrics._means import R2Score as R2Score
from tfcompat.keras.metrics._means import RootMeanSquaredError as RootMeanSquaredError
from tfcompat.keras.metrics._means import SparseCategoricalCrossentropy as SparseCategoricalCrossentropy
from tfcompat.keras.metrics._means import SquaredHinge as SquaredHinge
from tfcompat.keras.metrics._registry import deserialize as deserialize
from tfcompat.keras.metrics._registry import get as get
from tfcompat.keras.metrics._registry import serialize as serialize
from tfcompat.layers._layer.registry import register_keras_objects as _register_keras_objects

MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh

_register_keras_objects(
    "metric",
    {
        **{name: value for name, value in globals().items() if callable(value) and not name.startswith("_")},
        **dict.fromkeys(("accuracy", "acc", "ACC"), _accuracy),
    },
)

__getattr__ = _missing("tf.keras.metrics", otherwise="a subclass of tf.keras.metrics.Metric")

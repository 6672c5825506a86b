"""Saving and loading modules: TF's `tf.saved_model`, for TensorFlow and for tfcompat."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from tfcompat._package.lazy import lazy as _lazy
from tfcompat._package.missing import missing as _missing
from tfcompat.saved_model import experimental as experimental
from tfcompat.saved_model._options import LoadOptions as LoadOptions
from tfcompat.saved_model._options import SaveOptions as SaveOptions

if _TYPE_CHECKING:
    from tfcompat.saved_model._load import contains_saved_model as contains_saved_model
    from tfcompat.saved_model._load import load as load
    from tfcompat.saved_model._save import save as save

ASSETS_DIRECTORY, ASSETS_KEY = "assets", "saved_model_assets"
CLASSIFY_INPUTS, CLASSIFY_METHOD_NAME = "inputs", "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES, CLASSIFY_OUTPUT_SCORES = "classes", "scores"
DEBUG_DIRECTORY, DEBUG_INFO_FILENAME_PB = "debug", "saved_model_debug_info.pb"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
GPU, SERVING, TPU, TRAINING = "gpu", "serve", "tpu", "train"
PREDICT_INPUTS, PREDICT_METHOD_NAME, PREDICT_OUTPUTS = "inputs", "tensorflow/serving/predict", "outputs"
REGRESS_INPUTS, REGRESS_METHOD_NAME, REGRESS_OUTPUTS = "inputs", "tensorflow/serving/regress", "outputs"
SAVED_MODEL_FILENAME_PB, SAVED_MODEL_FILENAME_PBTXT = "saved_model.pb", "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION = 1
VARIABLES_DIRECTORY = VARIABLES_FILENAME = "variables"

# With these come the ops of `tf.raw_ops`, which take as long to import as Keras.
__getattr__, __dir__ = _lazy(
    globals(), [], {"contains_saved_model": "_load", "load": "_load", "save": "_save"},
    _missing(
        "tf.saved_model",
        hints={"Asset": "a file beside the model's folder, with its contents in a tf.Variable or a Python attribute"},
    ),
)  # fmt: skip

"""`tf.keras.utils`: names of custom objects, one-hot labels, seeds, files."""

import numpy as _np

from tfcompat._package.lazy import lazy as _lazy
from tfcompat._package.missing import missing as _missing
from tfcompat.keras._saving import deserialize_keras_object as deserialize_keras_object
from tfcompat.keras._saving import legacy as legacy
from tfcompat.keras._saving import serialize_keras_object as serialize_keras_object
from tfcompat.keras._training.data import PyDataset as PyDataset
from tfcompat.keras._training.data import Sequence as Sequence
from tfcompat.keras._training.data import pack_x_y_sample_weight as pack_x_y_sample_weight
from tfcompat.keras._training.data import unpack_x_y_sample_weight as unpack_x_y_sample_weight
from tfcompat.keras.callbacks._messages import disable_interactive_logging as disable_interactive_logging
from tfcompat.keras.callbacks._messages import enable_interactive_logging as enable_interactive_logging
from tfcompat.keras.callbacks._messages import is_interactive_logging_enabled as is_interactive_logging_enabled
from tfcompat.keras.callbacks._progress import Progbar as Progbar
from tfcompat.keras.utils._downloads import get_file as get_file
from tfcompat.keras.utils._feature_space import FeatureSpace as FeatureSpace
from tfcompat.keras.utils._images import array_to_img as array_to_img
from tfcompat.keras.utils._images import img_to_array as img_to_array
from tfcompat.keras.utils._images import load_img as load_img
from tfcompat.keras.utils._images import save_img as save_img
from tfcompat.keras.utils._model_tools import get_source_inputs as get_source_inputs
from tfcompat.keras.utils._model_tools import warmstart_embedding_matrix as warmstart_embedding_matrix
from tfcompat.keras.utils._plot import model_to_dot as model_to_dot
from tfcompat.keras.utils._plot import plot_model as plot_model
from tfcompat.keras.utils._sequences import pad_sequences as pad_sequences
from tfcompat.layers._layer.serialization import CustomObjectScope as CustomObjectScope
from tfcompat.layers._layer.serialization import get_custom_objects as get_custom_objects
from tfcompat.layers._layer.serialization import get_registered_name as get_registered_name
from tfcompat.layers._layer.serialization import get_registered_object as get_registered_object
from tfcompat.layers._layer.serialization import register_keras_serializable as register_keras_serializable
from tfcompat.layers._layer.settings import clear_session as clear_session
from tfcompat.layers._symbolic.keras_tensor import is_keras_tensor as is_keras_tensor
from tfcompat.random._keras_seed import set_random_seed as set_random_seed

custom_object_scope = CustomObjectScope


def to_categorical(y, num_classes=None, dtype="float32"):
    """One-hot rows.

    Args:
      y: integer array, any shape; a last axis of size 1 is left out.
      num_classes: int, one more than the largest by default.
      dtype: NumPy dtype of the result.

    Returns:
      NumPy array of shape [..., num_classes].

    TF: `tf.keras.utils.to_categorical`; no known difference.
    """
    y = _np.array(y, dtype="int")
    shape = y.shape
    if shape and shape[-1] == 1 and len(shape) > 1:
        shape = shape[:-1]
    flat = y.ravel()
    num_classes = num_classes or int(_np.max(flat)) + 1
    rows = _np.zeros((flat.shape[0], num_classes), dtype=dtype)
    rows[_np.arange(flat.shape[0]), flat] = 1
    return _np.reshape(rows, (*shape, num_classes))


def to_ordinal(y, num_classes=None, dtype="float32"):
    """Rows of ones up to the class, without the first.

    Args:
      y: integer array, any shape; a last axis of size 1 is left out.
      num_classes: int, one more than the largest by default.
      dtype: NumPy dtype of the result.

    Returns:
      NumPy array of shape [..., num_classes - 1].

    TF: `tf.keras.utils.to_ordinal`; no known difference.
    """
    y = _np.array(y, dtype="int")
    shape = y.shape[:-1] if y.ndim > 1 and y.shape[-1] == 1 else y.shape
    num_classes = num_classes or int(_np.max(y)) + 1
    rows = _np.arange(num_classes - 1) < y.reshape(-1, 1)
    return rows.astype(dtype).reshape(*shape, num_classes - 1)


def normalize(x, axis=-1, order=2):
    """`x` divided by its norms along an axis, as a NumPy array. TF: `tf.keras.utils.normalize`."""
    norms = _np.atleast_1d(_np.linalg.norm(x, order, axis))
    norms[norms == 0] = 1
    return x / _np.expand_dims(norms, axis)


_absent = _missing(
    "tf.keras.utils",
    {
        "SidecarEvaluator": "model.evaluate on tf.train.latest_checkpoint",
        "OrderedEnqueuer": "tf.data.Dataset.prefetch",
        "GeneratorEnqueuer": "tf.data.Dataset.from_generator and prefetch",
        "SequenceEnqueuer": "tf.data.Dataset.prefetch",
    },
    otherwise="the tools of the standard library, NumPy or tf.data",
)
# These need tf.data, which takes a tenth of the time of `import tfcompat.keras`.
__getattr__, __dir__ = _lazy(
    globals(),
    [],
    {
        "audio_dataset_from_directory": "_folders",
        "image_dataset_from_directory": "_folders",
        "text_dataset_from_directory": "_folders",
        "timeseries_dataset_from_array": "_timeseries",
        "split_dataset": "_split",
    },
    _absent,
)

"""What goes into the models of ImageNet, and what their results mean."""

import functools
import json

import numpy as np

from tfcompat._core.tensor import Tensor
from tfcompat.keras.utils._downloads import get_file
from tfcompat.layers._layer import settings
from tfcompat.layers._symbolic.keras_tensor import KerasTensor
from tfcompat.nn import bias_add

_CLASSES = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
_MEAN_OF_BGR = (103.939, 116.779, 123.68)
_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def preprocess_input(x, data_format=None, mode="caffe"):
    """Images as a model of ImageNet was trained on them.

    Args:
      x: array or tensor of shape [height, width, 3] or [batch, height, width, 3], values 0 to 255. A floating array is
        overwritten.
      data_format: "channels_last" or "channels_first"; `tf.keras.backend.image_data_format()` by default.
      mode: "caffe" for blue, green and red without their mean; "tf" for -1 to 1; "torch" for 0 to 1, without the mean
        and divided by the deviation of each color.

    Returns:
      Array or tensor like `x`; of an integer array one of `tf.keras.backend.floatx()`.

    Raises:
      ValueError: another `mode` or `data_format`.

    TF: `tf.keras.applications.imagenet_utils.preprocess_input`; no known difference.
    """
    if mode not in ("caffe", "tf", "torch"):
        raise ValueError(f"Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode={mode}")
    data_format = settings.image_data_format() if data_format is None else data_format
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            "Expected data_format to be one of `channels_first` or `channels_last`. "
            f"Received: data_format={data_format}"
        )
    if isinstance(x, np.ndarray) and not issubclass(x.dtype.type, np.floating):
        x = x.astype(settings.floatx())
    if mode == "tf":
        x /= 127.5
        x -= 1.0
        return x
    first = data_format == "channels_first"
    if mode == "torch":
        x /= 255.0
    else:
        rank = len(x.shape)
        x = x[::-1] if first and rank == 3 else x[:, ::-1] if first else x[..., ::-1]
    mean = np.array(_MEAN if mode == "torch" else _MEAN_OF_BGR)
    deviation = np.array(_DEVIATION).reshape((-1, 1, 1) if first else -1)
    if isinstance(x, np.ndarray):
        x -= mean.reshape((-1, 1, 1) if first else -1).astype(x.dtype)
    elif isinstance(x, Tensor | KerasTensor):
        mean = mean.astype(settings.floatx()).astype(x.dtype.as_numpy_dtype)  # rounded so for float64, too
        x = bias_add(x, -mean, "NCHW" if first else "NHWC")
    if mode == "torch":
        x /= deviation.astype(x.dtype if isinstance(x, np.ndarray) else x.dtype.as_numpy_dtype)
    return x


def decode_predictions(preds, top=5):
    """The names of the likeliest classes of ImageNet.

    Args:
      preds: array of shape [batch, 1000].
      top: int, how many.

    Returns:
      For each row a list of tuples (identifier, name, score), the highest score first. The names are fetched once.

    Raises:
      ValueError: another shape.

    TF: `tf.keras.applications.imagenet_utils.decode_predictions`; no known difference.
    """
    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ValueError(
            "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape (samples, 1000)). Found "
            f"array with shape: {preds.shape}"
        )
    names = _names()
    return [
        sorted(((*names[str(i)], row[i]) for i in np.argsort(row)[-top:][::-1]), key=lambda x: x[2], reverse=True)
        for row in preds
    ]


@functools.cache
def _names():
    path = get_file(
        "imagenet_class_index.json", _CLASSES, cache_subdir="models", file_hash="c2c37ea517e94d9795004a39431a14cb"
    )
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def for_mode(mode):
    """The `preprocess_input` of a model's module."""

    def preprocess(x, data_format=None):
        return preprocess_input(x, data_format=data_format, mode=mode)

    preprocess.__name__ = preprocess.__qualname__ = "preprocess_input"
    preprocess.__doc__ = f"`tf.keras.applications.imagenet_utils.preprocess_input` with mode {mode!r}."
    return preprocess

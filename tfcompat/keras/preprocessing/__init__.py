"""`tf.keras.preprocessing`: sequences of one length, texts as numbers, images as arrays."""

from tfcompat._package.lazy import lazy as _lazy
from tfcompat._package.missing import missing as _missing
from tfcompat.keras.preprocessing import image as image
from tfcompat.keras.preprocessing import sequence as sequence
from tfcompat.keras.preprocessing import text as text

__getattr__, __dir__ = _lazy(
    globals(),
    [],
    {
        "image_dataset_from_directory": "tfcompat.keras.utils",
        "text_dataset_from_directory": "tfcompat.keras.utils",
        "timeseries_dataset_from_array": "tfcompat.keras.utils",
    },
    _missing("tf.keras.preprocessing", otherwise="tf.keras.utils"),
)

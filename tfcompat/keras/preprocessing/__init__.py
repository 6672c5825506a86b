"""`tf.keras.preprocessing`: sequences of one length, texts as numbers, images as arrays."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras._folders import image_dataset_from_directory as image_dataset_from_directory
from tfcompat.keras._folders import text_dataset_from_directory as text_dataset_from_directory
from tfcompat.keras._sequences import timeseries_dataset_from_array as timeseries_dataset_from_array
from tfcompat.keras.preprocessing import image as image
from tfcompat.keras.preprocessing import sequence as sequence
from tfcompat.keras.preprocessing import text as text

__getattr__ = _missing("tf.keras.preprocessing", otherwise="tf.keras.utils")

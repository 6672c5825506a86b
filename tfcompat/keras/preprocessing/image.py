"""`tf.keras.preprocessing.image`: images and arrays."""

from tfcompat._missing import missing as _missing
from tfcompat.keras._images import array_to_img as array_to_img
from tfcompat.keras._images import img_to_array as img_to_array
from tfcompat.keras._images import load_img as load_img
from tfcompat.keras._images import save_img as save_img

__getattr__ = _missing("tf.keras.preprocessing.image", otherwise="tf.image, and tf.data.Dataset.map")

"""`tf.keras.preprocessing.image`: images and arrays, and batches of images changed at random."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.preprocessing._affine import apply_affine_transform as apply_affine_transform
from tfcompat.keras.preprocessing._affine import apply_brightness_shift as apply_brightness_shift
from tfcompat.keras.preprocessing._affine import apply_channel_shift as apply_channel_shift
from tfcompat.keras.preprocessing._affine import random_brightness as random_brightness
from tfcompat.keras.preprocessing._affine import random_channel_shift as random_channel_shift
from tfcompat.keras.preprocessing._affine import random_rotation as random_rotation
from tfcompat.keras.preprocessing._affine import random_shear as random_shear
from tfcompat.keras.preprocessing._affine import random_shift as random_shift
from tfcompat.keras.preprocessing._affine import random_zoom as random_zoom
from tfcompat.keras.preprocessing._image_generator import ImageDataGenerator as ImageDataGenerator
from tfcompat.keras.preprocessing._image_iterators import DirectoryIterator as DirectoryIterator
from tfcompat.keras.preprocessing._image_iterators import Iterator as Iterator
from tfcompat.keras.preprocessing._image_iterators import NumpyArrayIterator as NumpyArrayIterator
from tfcompat.keras.utils._images import array_to_img as array_to_img
from tfcompat.keras.utils._images import img_to_array as img_to_array
from tfcompat.keras.utils._images import load_img as load_img
from tfcompat.keras.utils._images import save_img as save_img
from tfcompat.layers._preprocessing.image_sizes import smart_resize as smart_resize

__getattr__ = _missing("tf.keras.preprocessing.image", otherwise="tf.image, and tf.data.Dataset.map")

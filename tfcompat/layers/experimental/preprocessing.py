"""`tf.keras.layers.experimental.preprocessing`: preprocessing layers under their names before TensorFlow 2.6."""

from tfcompat import layers as _layers
from tfcompat._package.missing import missing as _missing
from tfcompat.layers._preprocessing.preprocessing import PreprocessingLayer as PreprocessingLayer

_NAMES = (
    "CategoryEncoding CenterCrop Discretization HashedCrossing Hashing IntegerLookup Normalization RandomContrast "
    "RandomCrop RandomFlip RandomHeight RandomRotation RandomTranslation RandomWidth RandomZoom Rescaling Resizing "
    "StringLookup TextVectorization"
).split()
globals().update({name: getattr(_layers, name) for name in _NAMES})

__getattr__ = _missing("tf.keras.layers.experimental.preprocessing", otherwise="a subclass of tf.keras.layers.Layer")

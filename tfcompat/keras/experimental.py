"""`tf.keras.experimental`: learning rates under the names that they had before TensorFlow 2.4."""

from tfcompat._missing import missing as _missing
from tfcompat.optimizers.schedules import CosineDecay as CosineDecay
from tfcompat.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts

__getattr__ = _missing("tf.keras.experimental", otherwise="a subclass of tf.keras.Model")

"""`tf.keras.experimental`: learning rates under the names that they had before TensorFlow 2.4."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras.optimizers.schedules import CosineDecay as CosineDecay
from tfcompat.keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts

__getattr__ = _missing("tf.keras.experimental", otherwise="a subclass of tf.keras.Model")

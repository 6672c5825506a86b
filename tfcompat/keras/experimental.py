"""`tf.keras.experimental`: linear models, sequences of feature columns, and learning rates by names before TF 2.4."""

from tfcompat._package.missing import missing as _missing
from tfcompat.keras._models.premade import LinearModel as LinearModel
from tfcompat.keras._models.premade import WideDeepModel as WideDeepModel
from tfcompat.keras.optimizers.schedules import CosineDecay as CosineDecay
from tfcompat.keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts
from tfcompat.layers._dense_features import SequenceFeatures as SequenceFeatures

__getattr__ = _missing("tf.keras.experimental", otherwise="a subclass of tf.keras.Model")

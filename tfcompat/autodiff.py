"""`tf.autodiff`."""
from tfcompat._missing import missing
from tfcompat.tape import ForwardAccumulator as ForwardAccumulator
from tfcompat.tape import GradientTape as GradientTape

__getattr__ = missing("tf.autodiff")

"""`tf.autodiff`."""
from tfcompat._package.missing import missing as _missing
from tfcompat.tape import ForwardAccumulator as ForwardAccumulator
from tfcompat.tape import GradientTape as GradientTape
from tfcompat.tape._higher import per_example_gradients as per_example_gradients

__getattr__ = _missing("tf.autodiff")

"""tensorflow/python/eager: backprop.py, forwardprop.py."""
from tfcompat.autodiff import ForwardAccumulator as ForwardAccumulator
from tfcompat.tape import GradientTape as GradientTape

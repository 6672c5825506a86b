"""`tf.linalg.experimental`: the method of conjugate gradients."""

from tfcompat._package.missing import missing as _missing
from tfcompat.linalg._conjugate_gradient import conjugate_gradient as conjugate_gradient

__getattr__ = _missing("tf.linalg.experimental")

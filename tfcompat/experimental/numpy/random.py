"""`tf.experimental.numpy.random`: numbers of TensorFlow's global generator."""

from tfcompat._package.missing import missing as _missing
from tfcompat.experimental.numpy._random import poisson as poisson
from tfcompat.experimental.numpy._random import rand as rand
from tfcompat.experimental.numpy._random import randint as randint
from tfcompat.experimental.numpy._random import randn as randn
from tfcompat.experimental.numpy._random import random as random
from tfcompat.experimental.numpy._random import seed as seed
from tfcompat.experimental.numpy._random import standard_normal as standard_normal
from tfcompat.experimental.numpy._random import uniform as uniform

__getattr__ = _missing("tf.experimental.numpy.random")

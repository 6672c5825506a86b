"""Random numbers under NumPy's names."""

from tfcompat import dtypes
from tfcompat.random import normal as _normal
from tfcompat.random import poisson as _poisson
from tfcompat.random import set_seed as _set_seed
from tfcompat.random import uniform as _uniform


def seed(s):
    """Sets the global seed. TF: `tf.experimental.numpy.random.seed`."""
    _set_seed(s)


def randn(*args):
    """float64 numbers of the standard normal distribution. TF: `tf.experimental.numpy.random.randn`."""
    return standard_normal(args)


def standard_normal(size=None):
    """float64 numbers of the standard normal distribution. TF: `tf.experimental.numpy.random.standard_normal`."""
    return _normal(_shape(size), dtype=dtypes.float64)


def rand(*size):
    """float64 numbers in [0, 1). TF: `tf.experimental.numpy.random.rand`."""
    return uniform(0.0, 1.0, size)


def random(size=None):
    """float64 numbers in [0, 1). TF: `tf.experimental.numpy.random.random`."""
    return uniform(0.0, 1.0, size)


def uniform(low=0.0, high=1.0, size=None):
    """float64 numbers in [low, high). TF: `tf.experimental.numpy.random.uniform`."""
    return _uniform(_shape(size), low, high, dtype=dtypes.float64)


def randint(low, high=None, size=None, dtype=dtypes.int64):
    """Integers in [low, high), or [0, low). TF: `tf.experimental.numpy.random.randint`."""
    low, high = (0, low) if high is None else (low, high)
    return _uniform(_shape(size), low, high, dtype=dtypes.as_dtype(dtype))


def poisson(lam=1.0, size=None):
    """int64 numbers of Poisson distributions. TF: `tf.experimental.numpy.random.poisson`."""
    return _poisson(_shape(size), lam, dtype=dtypes.int64)


def _shape(size):
    return [] if size is None else [size] if isinstance(size, int) else list(size)

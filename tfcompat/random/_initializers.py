"""`tf.zeros_initializer`, `tf.random_normal_initializer`...: TensorFlow's own, which differ a little from
Keras's.

Without a seed they draw from `tf.random`'s stream, with one they give the same numbers at every call.
"""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import constant
from tfcompat.array import ones, zeros
from tfcompat.random import normal, stateless_normal, stateless_uniform, uniform

_PARTS = ["partition_shape", "partition_offset"]


class Initializer:
    """Function from a shape and a dtype to a tensor; base class of those below."""

    def __call__(self, shape, dtype=None, **kwargs):
        """A tensor of `shape` and `dtype`."""
        raise NotImplementedError

    def get_config(self):
        """The constructor's arguments, as a dict."""
        return {}

    @classmethod
    def from_config(cls, config):
        """The initializer that `config`, from `get_config`, describes."""
        config.pop("dtype", None)
        return cls(**config)

    def _shape_of_part(self, shape, kwargs, parts=True):
        for key in kwargs:
            if key not in _PARTS:
                raise TypeError(f"Keyword argument should be one of {_PARTS}. Received: {key}")
            if not parts:
                raise ValueError(
                    f"{type(self).__name__} initializer doesn't support partition-related arguments"
                )
        return kwargs.get("partition_shape", shape)


class Zeros(Initializer):
    """Zeros of any numeric dtype or bool. TF: `tf.zeros_initializer`; no known difference."""

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        return zeros(self._shape_of_part(shape, kwargs), _numeric(dtype))


class Ones(Initializer):
    """Ones of any numeric dtype or bool. TF: `tf.ones_initializer`; no known difference."""

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        return ones(self._shape_of_part(shape, kwargs), _numeric(dtype))


class Constant(Initializer):
    """One value, or values of the number of elements asked for.

    Args:
      value: Python scalar, nested list, or NumPy array.
      support_partition: whether parts of a variable may be asked for; each is then filled like a whole.

    Raises:
      TypeError: `value` is something else.

    TF: `tf.constant_initializer`; no known difference.
    """

    def __init__(self, value=0, support_partition=False):
        if not (np.isscalar(value) or isinstance(value, list | tuple | np.ndarray)):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, list or "
                "tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape, dtype=None, **kwargs):
        self._shape_of_part(shape, kwargs, self.support_partition)
        return constant(self.value, dtype, shape)

    def get_config(self):
        return {"value": self.value}


class RandomUniform(Initializer):
    """Uniformly distributed numbers.

    Args:
      minval, maxval: bounds; numbers that fit the dtype asked for, a floating or integer one.
      seed: int; without it each call draws new numbers, see `tf.random.set_seed`.

    TF: `tf.random_uniform_initializer`; the same numbers.
    """

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        shape, dtype = self._shape_of_part(shape, kwargs), dtypes.as_dtype(dtype)
        if not dtype.is_floating and not dtype.is_integer:
            raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
        if self.seed is None:
            return uniform(shape, self.minval, self.maxval, dtype)
        return stateless_uniform(shape, [self.seed, 0], self.minval, self.maxval, dtype)

    def get_config(self):
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class RandomNormal(Initializer):
    """Normally distributed numbers.

    Args:
      mean, stddev: floats.
      seed: int; without it each call draws new numbers, see `tf.random.set_seed`.

    TF: `tf.random_normal_initializer`; the same numbers, up to rounding.
    """

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape, dtype=dtypes.float32, **kwargs):
        shape, dtype = self._shape_of_part(shape, kwargs), dtypes.as_dtype(dtype)
        if not dtype.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
        if self.seed is None:
            return normal(shape, self.mean, self.stddev, dtype)
        return stateless_normal(shape, [self.seed, 0], self.mean, self.stddev, dtype)

    def get_config(self):
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


def _numeric(dtype):
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_numpy_compatible or dtype == dtypes.string:
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
    return dtype


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal

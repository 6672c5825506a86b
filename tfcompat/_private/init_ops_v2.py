"""tensorflow/python/ops/init_ops_v2.py: TensorFlow's own random initializers, not all of which are public.

With a seed they draw other numbers than those of Keras.
"""
import functools

import tfcompat as _tf
from tfcompat.compat import _initializers as _of_v1
from tfcompat.random._initializers import Constant as Constant
from tfcompat.random._initializers import Initializer as Initializer
from tfcompat.random._initializers import Ones as Ones
from tfcompat.random._initializers import RandomNormal as RandomNormal
from tfcompat.random._initializers import RandomUniform as RandomUniform
from tfcompat.random._initializers import Zeros as Zeros


class TruncatedNormal(RandomNormal):
    """Normally distributed numbers within two deviations of the mean; arguments as those of RandomNormal."""

    def __call__(self, shape, dtype=_tf.float32, **kwargs):
        shape, dtype = self._shape_of_part(shape, kwargs), _tf.as_dtype(dtype)
        if not dtype.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
        if self.seed is None:
            return _tf.random.truncated_normal(shape, self.mean, self.stddev, dtype)
        return _tf.random.stateless_truncated_normal(shape, [self.seed, 0], self.mean, self.stddev, dtype)


class VarianceScaling(Initializer):
    """Numbers whose variance is that of a weight's inputs or outputs.

    Args:
      scale: float.
      mode: "fan_in", "fan_out" or "fan_avg".
      distribution: "uniform", "truncated_normal" or "untruncated_normal".
      seed: int or None.

    Raises:
      ValueError: another mode or distribution, or `scale` is not positive.
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None):
        self.distribution = _of_v1.checked_scaling(scale, mode, distribution)
        self.scale, self.mode, self.seed = scale, mode, seed

    def __call__(self, shape, dtype=_tf.float32, **kwargs):
        shape = self._shape_of_part(shape, kwargs)
        kind, *values = _of_v1.scaled(self.scale, self.mode, self.distribution, shape)
        kinds = {"uniform": RandomUniform, "normal": RandomNormal, "truncated_normal": TruncatedNormal}
        return kinds[kind](*values, self.seed)(shape, dtype)

    def get_config(self):
        return {"scale": self.scale, "mode": self.mode, "distribution": self.distribution, "seed": self.seed}


class GlorotNormal(VarianceScaling):
    """VarianceScaling by the mean of inputs and outputs."""

    def __init__(self, seed=None):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed)

    def get_config(self):
        return {"seed": self.seed}


class GlorotUniform(VarianceScaling):
    """VarianceScaling by the mean of inputs and outputs, uniformly."""

    def __init__(self, seed=None):
        super().__init__(1.0, "fan_avg", "uniform", seed)

    def get_config(self):
        return {"seed": self.seed}


he_normal = functools.partial(VarianceScaling, 2.0, "fan_in", "truncated_normal")
he_uniform = functools.partial(VarianceScaling, 2.0, "fan_in", "uniform")
lecun_normal = functools.partial(VarianceScaling, 1.0, "fan_in", "truncated_normal")
lecun_uniform = functools.partial(VarianceScaling, 1.0, "fan_in", "uniform")
glorot_normal = glorot_normal_initializer = GlorotNormal
glorot_uniform = glorot_uniform_initializer = GlorotUniform
truncated_normal = truncated_normal_initializer = TruncatedNormal
variance_scaling_initializer = VarianceScaling

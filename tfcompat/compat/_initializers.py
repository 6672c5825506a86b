"""The initializers of `tf.compat.v1`: each call draws the next numbers, with a seed, too."""

import math

import numpy as np

import tfcompat as tf
from tfcompat._core import graphs
from tfcompat.random import _initializers

_MODES = ("fan_in", "fan_out", "fan_avg")
_KINDS = ("uniform", "truncated_normal", "untruncated_normal")


def checked_scaling(scale, mode, distribution):
    """The name of the distribution; ValueError if `scale` is not positive, or another is not known."""
    if scale <= 0.0:
        raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
    if mode not in _MODES:
        raise ValueError(f"Argument `mode` should be one of {_MODES}. Received: {mode}")
    name = {"normal": "truncated_normal"}.get(distribution.lower(), distribution.lower())
    if name not in _KINDS:
        raise ValueError(f"Argument `distribution` should be one of {_KINDS}. Received: {distribution}")
    return name


def scaled(scale, mode, distribution, shape):
    """(kind, lower bound or mean, upper bound or deviation) of numbers of the variance that suits a weight's shape."""
    sizes = tf.TensorShape(shape).as_list()
    sizes = [1, 1] if not sizes else sizes * 2 if len(sizes) == 1 else sizes
    inputs, outputs = (size * math.prod(sizes[:-2]) for size in sizes[-2:])
    fan = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2}[mode]
    deviation = math.sqrt(scale / max(1.0, fan))
    if distribution == "uniform":
        return "uniform", -math.sqrt(3.0) * deviation, math.sqrt(3.0) * deviation
    if distribution == "untruncated_normal":
        return "normal", 0.0, deviation
    return "truncated_normal", 0.0, deviation / 0.87962566103423978


class Initializer(_initializers.Initializer):
    """Function from a shape to a tensor; base class of those below."""

    _names: tuple = ()  # the attributes that `get_config` gives, beside the dtype

    def __call__(self, shape, dtype=None, partition_info=None):
        """A tensor of `shape`; of the constructor's dtype by default. `partition_info` is of no effect."""
        return self._tensor(shape, self.dtype if dtype is None else tf.as_dtype(dtype))

    def get_config(self):
        """The constructor's arguments, as a dict."""
        return {**{name: getattr(self, name) for name in self._names}, "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config):
        """The initializer that `config`, from `get_config`, describes."""
        return cls(**config)


class Zeros(Initializer):
    """Zeros. TF: `tf.compat.v1.zeros_initializer`; no known difference."""

    def __init__(self, dtype=tf.float32):
        self.dtype = tf.as_dtype(dtype)

    def _tensor(self, shape, dtype):
        return tf.zeros(shape, dtype)


class Ones(Zeros):
    """Ones. TF: `tf.compat.v1.ones_initializer`; no known difference."""

    def _tensor(self, shape, dtype):
        return tf.ones(shape, dtype)


class Constant(Initializer):
    """One value, or values of the number of elements asked for.

    Raises:
      TypeError: `value` is no scalar, list, tuple or array; with `verify_shape`, it has another shape than asked for.

    TF: `tf.compat.v1.constant_initializer`; no known difference.
    """

    _names = ("value",)

    def __init__(self, value=0, dtype=tf.float32, verify_shape=False):
        _initializers.Constant(value)
        self.value, self.dtype, self._verify_shape = value, tf.as_dtype(dtype), verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        verify = self._verify_shape if verify_shape is None else verify_shape
        if verify and list(np.shape(self.value)) != tf.TensorShape(shape).as_list():
            raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, but got {np.shape(self.value)}.")
        return super().__call__(shape, dtype)

    def _tensor(self, shape, dtype):
        if graphs.current() is not None:  # a value shorter than the shape is filled up there
            return tf.compat.v1.constant(self.value, dtype, shape)
        return tf.constant(self.value, dtype, shape)


class _Random(Initializer):
    def _of_floats(self, dtype):
        self.dtype = tf.as_dtype(dtype)
        if not self.dtype.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {self.dtype}.")

    def _drawn(self, kind, first, second, shape, dtype):
        return getattr(tf.random, kind)(shape, first, second, dtype, seed=self.seed)


class RandomUniform(_Random):
    """Numbers between two bounds. TF: `tf.compat.v1.random_uniform_initializer`; the same numbers."""

    _names = ("minval", "maxval", "seed")

    def __init__(self, minval=0.0, maxval=None, seed=None, dtype=tf.float32):
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, tf.as_dtype(dtype)

    def _tensor(self, shape, dtype):
        return self._drawn("uniform", self.minval, self.maxval, shape, dtype)


class RandomNormal(_Random):
    """Normally distributed numbers. TF: `tf.compat.v1.random_normal_initializer`; the same, up to rounding."""

    _names = ("mean", "stddev", "seed")
    _kind = "normal"

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=tf.float32):
        self.mean, self.stddev, self.seed = mean, stddev, seed
        self._of_floats(dtype)

    def _tensor(self, shape, dtype):
        return self._drawn(self._kind, self.mean, self.stddev, shape, dtype)


class TruncatedNormal(RandomNormal):
    """Those within two deviations. TF: `tf.compat.v1.truncated_normal_initializer`; the same, up to rounding."""

    _kind = "truncated_normal"


class UniformUnitScaling(_Random):
    """Uniform numbers by the count of inputs. TF: `tf.compat.v1.uniform_unit_scaling_initializer`; the same numbers."""

    _names = ("factor", "seed")

    def __init__(self, factor=1.0, seed=None, dtype=tf.float32):
        self.factor, self.seed = factor, seed
        self._of_floats(dtype)

    def _tensor(self, shape, dtype):
        inputs = max(1.0, math.prod(tf.TensorShape(shape).as_list()[:-1]))
        bound = math.sqrt(3 / inputs) * self.factor
        return self._drawn("uniform", -bound, bound, shape, dtype)


class VarianceScaling(_Random):
    """Numbers whose variance is that of a weight's inputs or outputs.

    Raises:
      ValueError: `scale` is not positive, `mode` or `distribution` not known.

    TF: `tf.compat.v1.variance_scaling_initializer`; the same numbers, up to rounding.
    """

    _names = ("scale", "mode", "distribution", "seed")

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype=tf.float32):
        self.distribution = checked_scaling(scale, mode, distribution)
        self.scale, self.mode, self.seed = scale, mode, seed
        self._of_floats(dtype)

    def _tensor(self, shape, dtype):
        return self._drawn(*scaled(self.scale, self.mode, self.distribution, shape), shape, dtype)


class GlorotUniform(VarianceScaling):
    """TF: `tf.compat.v1.glorot_uniform_initializer`; the same numbers."""

    _names = ("seed",)

    def __init__(self, seed=None, dtype=tf.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


class GlorotNormal(VarianceScaling):
    """TF: `tf.compat.v1.glorot_normal_initializer`; the same numbers, up to rounding."""

    _names = ("seed",)

    def __init__(self, seed=None, dtype=tf.float32):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


class Orthogonal(_Random):
    """An orthogonal matrix, or one with orthogonal rows or columns, for all axes but the last and for the last.

    Raises:
      ValueError: the shape has fewer than two axes.

    TF: `tf.compat.v1.orthogonal_initializer`; the same numbers, up to rounding.
    """

    _names = ("gain", "seed")

    def __init__(self, gain=1.0, seed=None, dtype=tf.float32):
        self.gain, self.seed = gain, seed
        self._of_floats(dtype)

    def _tensor(self, shape, dtype):
        sizes = tf.TensorShape(shape).as_list()
        if len(sizes) < 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received "
                f"shape={shape}"
            )
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        numbers = self._drawn("normal", 0.0, 1.0, [max(rows, columns), min(rows, columns)], dtype)
        q, r = tf.linalg.qr(numbers, full_matrices=False)
        q *= tf.sign(tf.linalg.diag_part(r))
        return self.gain * tf.reshape(tf.transpose(q) if rows < columns else q, shape)


class Identity(Initializer):
    """`gain` times the identity matrix. TF: `tf.compat.v1.initializers.identity`; no known difference.

    Raises:
      ValueError: the shape has not two axes.
    """

    _names = ("gain",)

    def __init__(self, gain=1.0, dtype=tf.float32):
        self.gain, self.dtype = gain, tf.as_dtype(dtype)

    def _tensor(self, shape, dtype):
        sizes = tf.TensorShape(shape).as_list()
        if len(sizes) != 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least two-dimensional. Received "
                f"shape={shape}"
            )
        return tf.cast(self.gain, dtype) * tf.eye(*sizes, dtype=dtype)


def he_normal(seed=None):
    """VarianceScaling by inputs, with twice the variance. TF: `tf.compat.v1.initializers.he_normal`."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed=None):
    """As `he_normal`, uniformly. TF: `tf.compat.v1.initializers.he_uniform`."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed=None):
    """VarianceScaling by inputs. TF: `tf.compat.v1.initializers.lecun_normal`."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed=None):
    """As `lecun_normal`, uniformly. TF: `tf.compat.v1.initializers.lecun_uniform`."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)

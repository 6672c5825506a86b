"""`tf.keras.initializers`: first values of weights, with Keras 2's numbers for the same seeds."""

import inspect as _inspect
import math as _math
import warnings as _warnings

import jax.numpy as _jnp
import numpy as _np

from tfcompat import array as _array
from tfcompat import dtypes as _dtypes
from tfcompat import engine as _engine
from tfcompat import errors as _errors
from tfcompat._core.convert import constant as _constant
from tfcompat.engine._policy import KERNELS as _KERNELS
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.layers._layer import settings as _settings
from tfcompat.random import _arguments as _random_arguments
from tfcompat.random import _on_host
from tfcompat.random import fold_in as _fold_in
from tfcompat.random import stateless_normal as _stateless_normal
from tfcompat.random import stateless_truncated_normal as _stateless_truncated_normal
from tfcompat.random import stateless_uniform as _stateless_uniform
from tfcompat.random._keras_seed import new_seed as _new_seed

# Standard deviation of a standard normal distribution cut off at -2 and 2.
# scipy.stats.truncnorm.std(a=-2, b=2); dividing by it gives the variance asked for.
# https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/initializers/initializers.py
_TRUNCATED_STDDEV = 0.87962566103423978


class Initializer:
    """Function from a shape and a dtype to a tensor; base class of those below and of the user's own.

    TF: `tf.keras.initializers.Initializer`; no known difference.
    """

    def __call__(self, shape, dtype=None, **kwargs):
        """A tensor of `shape` and `dtype`."""
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self):
        """The constructor's arguments, as a dict."""
        return {}

    @classmethod
    def from_config(cls, config):
        """The initializer that `config`, from `get_config`, describes."""
        config.pop("dtype", None)
        return cls(**config)


class Zeros(Initializer):
    """Zeros of any numeric dtype or bool. TF: `tf.keras.initializers.Zeros`; no known difference."""

    def __call__(self, shape, dtype=None, **kwargs):
        shape = _shape_of_part(shape, kwargs)
        return _array.zeros(shape, _numeric(dtype))


class Ones(Initializer):
    """Ones of any numeric dtype or bool. TF: `tf.keras.initializers.Ones`; no known difference."""

    def __call__(self, shape, dtype=None, **kwargs):
        shape = _shape_of_part(shape, kwargs)
        return _array.ones(shape, _numeric(dtype))


class Constant(Initializer):
    """One value, or values of the number of elements asked for.

    Args:
      value: number, or nested list of numbers.

    TF: `tf.keras.initializers.Constant`; no known difference.
    """

    def __init__(self, value=0):
        self.value = value

    def __call__(self, shape, dtype=None, **kwargs):
        shape = _shape_of_part(shape, kwargs)
        return _constant(self.value, _dtype(dtype), shape)

    def get_config(self):
        return {"value": self.value}

    @classmethod
    def from_config(cls, config):
        """The initializer of a config, in which an array may stand as files have it."""
        return cls(_serialization.deserialize_value(config.get("value", 0)))


class _Random(Initializer):
    """An initializer that draws numbers: the same ones at each call, of a seed chosen at the first call if
    not given."""

    def __init__(self, seed):
        self.seed = seed
        self._chosen_seed = seed
        self._used = False

    def _warn_reuse(self):
        if self._used and self.seed is None:
            _warnings.warn(
                f"The initializer {type(self).__name__} is unseeded and being called multiple times, "
                "which will return identical values each time. Give it a seed, or use several.",
                stacklevel=4,
            )
        self._used = True

    def _nonce(self, kwargs):
        """What tells a part of a variable from others, by its place; None for all of a variable."""
        offset = kwargs.get("partition_offset")
        if offset is None:
            self._warn_reuse()
        return hash(offset) if offset else None

    def _stateless_seed(self, nonce=None):
        """The seed for one call."""
        if self._chosen_seed is None:
            self._chosen_seed = _new_seed()
        seed = [self._chosen_seed, 0]
        return _fold_in(seed, nonce) if nonce else seed


class RandomUniform(_Random):
    """Uniformly distributed numbers.

    Args:
      minval, maxval: bounds; numbers that fit the dtype asked for, a floating or integer one.
      seed: int; by default one that Keras chooses, see `tf.keras.utils.set_random_seed`.

    An instance gives the same numbers at every call.

    TF: `tf.keras.initializers.RandomUniform`; the same numbers.
    """

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        super().__init__(seed)
        self.minval, self.maxval = minval, maxval

    def __call__(self, shape, dtype=None, **kwargs):
        nonce = self._nonce(kwargs)
        shape, dtype = _shape_of_part(shape, kwargs), _dtype(dtype)
        if not dtype.is_floating and not dtype.is_integer:
            raise ValueError(f"Expected float or integer dtype, got {dtype}.")
        return _stateless_uniform(shape, self._stateless_seed(nonce), self.minval, self.maxval, dtype)

    def get_config(self):
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class RandomNormal(_Random):
    """Normally distributed numbers.

    Args:
      mean, stddev: floats.
      seed: int; by default one that Keras chooses, see `tf.keras.utils.set_random_seed`.

    An instance gives the same numbers at every call.

    TF: `tf.keras.initializers.RandomNormal`; the same numbers, up to rounding.
    """

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape, dtype=None, **kwargs):
        nonce = self._nonce(kwargs)
        shape, dtype = _shape_of_part(shape, kwargs), _floating(dtype)
        return _stateless_normal(shape, self._stateless_seed(nonce), self.mean, self.stddev, dtype)

    def get_config(self):
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


class TruncatedNormal(_Random):
    """Normally distributed numbers within two standard deviations of the mean; others are drawn again.

    Args:
      mean, stddev: floats; `stddev` is that before the cut.
      seed: int; by default one that Keras chooses, see `tf.keras.utils.set_random_seed`.

    An instance gives the same numbers at every call.

    TF: `tf.keras.initializers.TruncatedNormal`; the same numbers, up to rounding.
    """

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape, dtype=None, **kwargs):
        nonce = self._nonce(kwargs)
        shape, dtype = _shape_of_part(shape, kwargs), _floating(dtype)
        return _stateless_truncated_normal(shape, self._stateless_seed(nonce), self.mean, self.stddev, dtype)

    def get_config(self):
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


class VarianceScaling(_Random):
    """Numbers whose variance is `scale / n`, `n` being the number of inputs, of outputs, or their mean.

    Args:
      scale: positive float.
      mode: "fan_in", "fan_out" or "fan_avg".
      distribution: "truncated_normal" (or "normal", the same), "untruncated_normal" or "uniform".
      seed: int; by default one that Keras chooses, see `tf.keras.utils.set_random_seed`.

    Raises:
      ValueError: an argument is none of these.

    An instance gives the same numbers at every call.

    TF: `tf.keras.initializers.VarianceScaling`; the same numbers, up to rounding.
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None):
        if scale <= 0.0:
            raise ValueError(f"`scale` must be positive float. Received: scale={scale}.")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"Invalid `mode` argument: {mode}. Please use one of fan_in, fan_out, fan_avg.")
        distribution = distribution.lower()
        if distribution == "normal":
            distribution = "truncated_normal"
        if distribution not in ("uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                f"Invalid `distribution` argument: {distribution}. Allowed distributions: uniform, "
                "truncated_normal, untruncated_normal."
            )
        super().__init__(seed)
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def __call__(self, shape, dtype=None, **kwargs):
        nonce = self._nonce(kwargs)
        shape, dtype = _shape_of_part(shape, kwargs), _floating(dtype)
        return self._generate_init_val(shape=shape, dtype=dtype, nonce=nonce)

    def _generate_init_val(self, shape, dtype, nonce):
        fan_in, fan_out = _fans(shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        variance = self.scale / max(1.0, fan)
        seed = self._stateless_seed(nonce)
        if self.distribution == "uniform":
            limit = _math.sqrt(3.0 * variance)
            return _stateless_uniform(shape, seed, -limit, limit, dtype)
        if self.distribution == "untruncated_normal":
            return _stateless_normal(shape, seed, 0.0, _math.sqrt(variance), dtype)
        return _stateless_truncated_normal(shape, seed, 0.0, _math.sqrt(variance) / _TRUNCATED_STDDEV, dtype)

    def get_config(self):
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
        }


class GlorotUniform(VarianceScaling):
    """`VarianceScaling` of scale 1 by the mean of inputs and outputs, uniform. TF: the same numbers."""

    def __init__(self, seed=None):
        super().__init__(1.0, "fan_avg", "uniform", seed)

    def get_config(self):
        return {"seed": self.seed}


class GlorotNormal(VarianceScaling):
    """`VarianceScaling` of scale 1 by the mean of inputs and outputs, normal. TF: the same numbers."""

    def __init__(self, seed=None):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed)

    def get_config(self):
        return {"seed": self.seed}


class LecunNormal(VarianceScaling):
    """`VarianceScaling` of scale 1 by the inputs, normal. TF: the same numbers."""

    def __init__(self, seed=None):
        super().__init__(1.0, "fan_in", "truncated_normal", seed)

    def get_config(self):
        return {"seed": self.seed}


class LecunUniform(VarianceScaling):
    """`VarianceScaling` of scale 1 by the inputs, uniform. TF: the same numbers."""

    def __init__(self, seed=None):
        super().__init__(1.0, "fan_in", "uniform", seed)

    def get_config(self):
        return {"seed": self.seed}


class HeNormal(VarianceScaling):
    """`VarianceScaling` of scale 2 by the inputs, normal. TF: the same numbers."""

    def __init__(self, seed=None):
        super().__init__(2.0, "fan_in", "truncated_normal", seed)

    def get_config(self):
        return {"seed": self.seed}


class HeUniform(VarianceScaling):
    """`VarianceScaling` of scale 2 by the inputs, uniform. TF: the same numbers."""

    def __init__(self, seed=None):
        super().__init__(2.0, "fan_in", "uniform", seed)

    def get_config(self):
        return {"seed": self.seed}


class Orthogonal(_Random):
    """A random matrix with orthonormal rows or columns, whichever are fewer, times `gain`.

    Args:
      gain: float.
      seed: int; by default one that Keras chooses, see `tf.keras.utils.set_random_seed`.

    Called for more than two axes, all but the last count as rows. An instance gives the same numbers at every
    call.

    TF: `tf.keras.initializers.Orthogonal`; the same numbers, up to rounding.
    """

    def __init__(self, gain=1.0, seed=None):
        super().__init__(seed)
        self.gain = gain

    def __call__(self, shape, dtype=None, **kwargs):
        _refuse_parts(self, kwargs)
        dtype = _floating(dtype)
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. Received: "
                f"shape={shape} of rank {len(shape)}."
            )
        self._nonce(kwargs)
        return self._generate_init_val(shape, dtype)

    def _generate_init_val(self, shape, dtype):
        rows, columns = _math.prod(shape[:-1]), shape[-1]
        long, short = max(rows, columns), min(rows, columns)
        seed = self._stateless_seed()
        if dtype == _dtypes.float32 and not _engine.state.graph.symbolic and long * short <= _KERNELS.initial_values:
            # XLA takes half a second to compile the decomposition for each shape.
            matrix = _on_host.orthonormal_columns(_on_host.normal(((long, short), "float32"), _np.array(seed)))
            return _constant(self.gain * (matrix if rows >= columns else matrix.T).reshape(shape))
        normal = _stateless_normal([long, short], seed, dtype=dtype)
        matrix = _random_arguments.record(_ORTHONORMAL_COLUMNS, (normal,))
        if rows < columns:
            matrix = _array.transpose(matrix)
        return self.gain * _array.reshape(matrix, shape)

    def get_config(self):
        return {"gain": self.gain, "seed": self.seed}


class Identity(Initializer):
    """The identity matrix times `gain`, for matrices only.

    Args:
      gain: float.

    TF: `tf.keras.initializers.Identity`; no known difference.
    """

    def __init__(self, gain=1.0):
        self.gain = gain

    def __call__(self, shape, dtype=None, **kwargs):
        _refuse_parts(self, kwargs)
        dtype = _floating(dtype)
        if len(shape) != 2:
            raise ValueError(
                "Identity matrix initializer can only be used for 2D matrices. Received: "
                f"shape={shape} of rank {len(shape)}."
            )
        return self._generate_init_val(shape, dtype)

    def _generate_init_val(self, shape, dtype):
        return self.gain * _array.eye(*shape, dtype=dtype)

    def get_config(self):
        return {"gain": self.gain}


def _orthonormal_columns(matrix):
    q, r = _jnp.linalg.qr(matrix)
    # The decomposition is unique once the triangular factor's diagonal is positive.
    return q * _jnp.sign(_jnp.diagonal(r))


_ORTHONORMAL_COLUMNS = _engine.Operation("Qr", _orthonormal_columns)


def _dtype(dtype):
    return _dtypes.as_dtype(_settings.floatx() if dtype is None else dtype)


def _numeric(dtype):
    dtype = _dtype(dtype)
    if not dtype.is_numpy_compatible or dtype == _dtypes.string:
        raise ValueError(f"Expected numeric or boolean dtype, got {dtype}.")
    return dtype


def _floating(dtype):
    dtype = _dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


def _shape_of_part(shape, kwargs):
    """The shape to fill: that of the part asked for, if any."""
    unknown = [key for key in kwargs if key not in ("partition_shape", "partition_offset", "layout")]
    if unknown:
        raise TypeError(
            f"Unknown keyword arguments: {unknown}. Allowed keyword arguments: ['partition_shape', "
            "'partition_offset', 'layout']."
        )
    if kwargs.get("layout") is not None:
        raise _errors.UnimplementedError(None, None, "`layout` (DTensor) is not supported; use jax.sharding")
    return kwargs.get("partition_shape", shape)


def _refuse_parts(initializer, kwargs):
    _shape_of_part(None, kwargs)
    if "partition_shape" in kwargs or "partition_offset" in kwargs:
        raise ValueError(
            f"{type(initializer).__name__} initializer doesn't support partition-related arguments."
        )


def _fans(shape):
    """Numbers of inputs and outputs of one unit of a weight of this shape; all axes but the last two are a
    kernel's."""
    if len(shape) < 2:
        size = int(shape[0]) if len(shape) else 1
        return size, size
    kernel = _math.prod(shape[:-2])
    return int(shape[-2] * kernel), int(shape[-1] * kernel)


# Keras gives each class under its own name and in snake case.
zeros = Zeros
ones = Ones
constant = Constant
random_uniform = RandomUniform
random_normal = RandomNormal
truncated_normal = TruncatedNormal
variance_scaling = VarianceScaling
glorot_uniform = GlorotUniform
glorot_normal = GlorotNormal
lecun_normal = LecunNormal
lecun_uniform = LecunUniform
he_normal = HeNormal
he_uniform = HeUniform
orthogonal = Orthogonal
identity = Identity

_CLASSES = {
    name: value
    for name, value in list(globals().items())
    if _inspect.isclass(value) and issubclass(value, Initializer) and not name.startswith("_")
}
_OBJECTS = {
    **_CLASSES,
    # Files of TF 2 written while version 1 was supported have these names.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/initializers/__init__.py
    **{f"{name}V2": value for name, value in _CLASSES.items()},
    "normal": RandomNormal,
    "uniform": RandomUniform,
    "one": Ones,
    "zero": Zeros,
}


def serialize(initializer, use_legacy_format=False):
    """The dict that describes an initializer.

    Args:
      initializer: Initializer, or None.
      use_legacy_format: whether to leave out all but the class's name and its configuration.

    Returns:
      Dict; None for None.

    TF: `tf.keras.initializers.serialize`; no known difference.
    """
    described = _serialization.serialize(initializer, "keras.initializers")
    if described is not None and type(initializer).__module__ == "tfcompat.random._initializers":
        # `tf.zeros_initializer` and the like, which TF has elsewhere. They are read back as Keras's own.
        described |= {"module": "tensorflow.python.ops.init_ops_v2", "registered_name": described["class_name"]}
    if described is None or not use_legacy_format:
        return described
    return {"class_name": described["class_name"], "config": described["config"]}


def deserialize(config, custom_objects=None, use_legacy_format=False):
    """The initializer that a name, or a dict from `serialize`, describes.

    Args:
      config: str or dict.
      custom_objects: dict from further names to classes.
      use_legacy_format: accepted; the form of a dict is recognized.

    Returns:
      Initializer.

    Raises:
      ValueError: the name is not known.

    TF: `tf.keras.initializers.deserialize`; no known difference.
    """
    return _serialization.deserialize(config, _OBJECTS, custom_objects, "initializer")


def get(identifier):
    """The initializer of a name, dict, class or function.

    Args:
      identifier: name as "glorot_uniform" or "GlorotUniform", dict from `serialize`, class, function of shape
        and dtype, or None.

    Returns:
      Initializer or the function itself; None for None.

    Raises:
      ValueError: the name is not known; something else.

    TF: `tf.keras.initializers.get`; no known difference.
    """
    if identifier is None:
        return None
    if isinstance(identifier, dict | str):
        return deserialize(identifier)
    if callable(identifier):
        return identifier() if _inspect.isclass(identifier) else identifier
    raise ValueError(f"Could not interpret initializer identifier: {identifier}")

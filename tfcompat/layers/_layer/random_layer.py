"""Layers that draw random numbers: the base of our own, and `BaseRandomLayer`, which programs subclass."""

from typing import Any

from tfcompat import nn, random
from tfcompat._core import streams
from tfcompat.array import identity, where
from tfcompat.errors import UnimplementedError
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._layer.layer import Layer


class RandomLayer(Layer):
    """A layer that changes its inputs at random in training, and passes them on otherwise."""

    _next_seed: Any

    def __init__(self, seed=None, **kwargs):
        for keyword in ("rng_type", "force_generator"):
            if kwargs.pop(keyword, None):
                raise UnimplementedError(
                    None,
                    None,
                    f"{type(self).__name__}: `{keyword}` is not available in tfcompat: use `seed` or "
                    "tf.random.set_seed",
                )
        super().__init__(**kwargs)
        self.seed = seed
        self._next_seed = seed
        self.supports_masking = True

    def call(self, inputs, training=None):
        if self._does_nothing():
            return identity(inputs)
        training = _settings.learning_phase() if training is None else training
        known = training if isinstance(training, bool | int) else _known_truth(training)
        if known is None:
            return where(training, self._changed(inputs), inputs)
        return self._changed(inputs) if known else identity(inputs)

    def _does_nothing(self):
        return False

    def _changed(self, inputs):
        raise NotImplementedError

    def _take_seed(self):
        return taken_seed(self)

    def compute_output_shape(self, input_shape):
        return input_shape


def _known_truth(training):
    """`training` as a bool, None if it is a tensor whose value is known only later."""
    try:
        return bool(training)
    except TypeError:
        return None


class RandomGenerator:
    """Random numbers for a layer; each call takes the next of its seeds, if it has any.

    Args:
      take_seed: function that gives it.

    TF: `tf_keras.backend.RandomGenerator` of the kind "legacy_stateful".
    """

    RNG_STATELESS, RNG_STATEFUL, RNG_LEGACY_STATEFUL = "stateless", "stateful", "legacy_stateful"

    def __init__(self, take_seed):
        self._take_seed = take_seed

    def make_legacy_seed(self):
        """The next seed, None without one."""
        return self._take_seed()

    def make_seed_for_stateless_op(self):
        """None: numbers are drawn with a state."""
        return None

    def random_normal(self, shape, mean=0.0, stddev=1.0, dtype=None, nonce=None):
        """`tf.random.normal`."""
        return random.normal(shape, mean, stddev, dtype or _settings.floatx(), seed=self._take_seed())

    def random_uniform(self, shape, minval=0.0, maxval=None, dtype=None, nonce=None):
        """`tf.random.uniform`."""
        return random.uniform(shape, minval, maxval, dtype or _settings.floatx(), seed=self._take_seed())

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=None, nonce=None):
        """`tf.random.truncated_normal`."""
        return random.truncated_normal(shape, mean, stddev, dtype or _settings.floatx(), seed=self._take_seed())

    def dropout(self, inputs, rate, noise_shape=None):
        """`tf.nn.dropout`."""
        return nn.dropout(inputs, rate=rate, noise_shape=noise_shape, seed=self._take_seed())


class BaseRandomLayer(Layer):
    """A layer with random numbers in `_random_generator`.

    Args:
      seed: int, the first of its seeds.
      force_generator, rng_type: only their defaults.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: an unknown `rng_type`.
      tf.errors.UnimplementedError: another `force_generator` or `rng_type`.

    TF: `tf.keras.__internal__.layers.BaseRandomLayer`.
    """

    _next_seed: Any
    _take_seed = RandomLayer._take_seed

    def __init__(self, seed=None, force_generator=False, rng_type=None, **kwargs):
        kinds = [RandomGenerator.RNG_STATELESS, RandomGenerator.RNG_STATEFUL, RandomGenerator.RNG_LEGACY_STATEFUL]
        if rng_type is not None and rng_type not in kinds:
            raise ValueError(f"Invalid `rng_type` received: {rng_type!r}. Valid ones are {kinds}")
        if force_generator or rng_type not in (None, RandomGenerator.RNG_LEGACY_STATEFUL):
            raise UnimplementedError(
                None, None,
                "BaseRandomLayer: `rng_type` and `force_generator` are not available in tfcompat: use `seed`",
            )  # fmt: skip
        super().__init__(**kwargs)
        self._next_seed = seed
        self.__dict__["_random_generator"] = RandomGenerator(self._take_seed)

    def get_config(self):
        return {key: value for key, value in super().get_config().items() if key != "seed"}


def taken_seed(layer):
    """The seed for this call of a random layer, whose `_next_seed` moves on; in a function, once for each place."""

    def take():
        seed = layer._next_seed
        if seed is not None:
            layer.__dict__["_next_seed"] = seed + 1
        return seed

    frame = streams.frame()
    return take() if frame is None else frame.at_next_place(take)

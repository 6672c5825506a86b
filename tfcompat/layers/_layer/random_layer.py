"""`tf.keras.__internal__.layers.BaseRandomLayer`, of which programs make random layers of their own."""

from typing import Any

from tfcompat import nn, random
from tfcompat.errors import UnimplementedError
from tfcompat.layers._core import RandomLayer
from tfcompat.layers._layer import context as _context
from tfcompat.layers._layer.layer import Layer


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
        return random.normal(shape, mean, stddev, dtype or _context.floatx(), seed=self._take_seed())

    def random_uniform(self, shape, minval=0.0, maxval=None, dtype=None, nonce=None):
        """`tf.random.uniform`."""
        return random.uniform(shape, minval, maxval, dtype or _context.floatx(), seed=self._take_seed())

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=None, nonce=None):
        """`tf.random.truncated_normal`."""
        return random.truncated_normal(shape, mean, stddev, dtype or _context.floatx(), seed=self._take_seed())

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

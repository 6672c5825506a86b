"""SGD, and Lion, which takes the sign of it."""

import jax.numpy as jnp

from tfcompat.keras.optimizers._base import Optimizer
from tfcompat.keras.optimizers._update import cast, update_operation


def _sgd(variable, gradient, rate, step, m, momentum, nesterov):
    m = -gradient * rate + m * cast(momentum, m.dtype)
    if nesterov:
        return variable + (-gradient * rate + m * cast(momentum, m.dtype)), m
    return variable + m, m


def _lion(variable, gradient, rate, step, m, beta_1, beta_2):
    beta_1, beta_2 = (cast(beta, m.dtype) for beta in (beta_1, beta_2))
    variable = variable - rate * jnp.sign(m * beta_1 + gradient * (1.0 - beta_1))
    return variable, m * beta_2 + gradient * (1.0 - beta_2)


class SGD(Optimizer):
    """Gradient descent, with momentum.

    Args:
      learning_rate: float, tensor or `LearningRateSchedule`.
      momentum: float from 0 to 1; `m = momentum * m - learning_rate * gradient`, and `m` is added to the variable.
      nesterov: bool: `momentum * m - learning_rate * gradient` is added, with the new `m`.
      weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, jit_compile,
        name: as for `Optimizer`.

    Raises:
      ValueError: `momentum` out of range.

    Slots: `m`, also without momentum.
    TF: `tf.keras.optimizers.SGD`; no known difference.
    """

    _update = update_operation("SGD", _sgd, ("momentum", "nesterov"))
    _options = ("momentum", "nesterov")
    _slots = ("momentums",)
    _decaying = {"momentums": "momentum"}

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, weight_decay=None, clipnorm=None,
                 clipvalue=None, global_clipnorm=None, use_ema=False, ema_momentum=0.99, ema_overwrite_frequency=None,
                 jit_compile=True, name="SGD", **kwargs):  # fmt: skip
        super().__init__(name, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
                         ema_overwrite_frequency, jit_compile, **kwargs)  # fmt: skip
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.momentum = momentum
        self.nesterov = nesterov
        if isinstance(momentum, int | float) and (momentum < 0 or momentum > 1):
            raise ValueError("`momentum` must be between [0, 1].")

    def build(self, var_list):
        super().build(var_list)
        if not self._built:
            (self.momentums,) = self._slots_for(var_list, "m")
            self._built = True

    def get_config(self):
        return self._config_with("momentum", "nesterov")


class Lion(Optimizer):
    """The sign of a mixture of momentum and gradient, times the learning rate.

    Args:
      learning_rate: float, tensor or `LearningRateSchedule`.
      beta_1: float in ]0, 1], the share of the momentum in the mixture.
      beta_2: float: `m = beta_2 * m + (1 - beta_2) * gradient`.
      weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, jit_compile,
        name: as for `Optimizer`.

    Raises:
      ValueError: `beta_1` out of range.

    Slots: `m`.
    TF: `tf.keras.optimizers.Lion`; no known difference.
    """

    _update = update_operation("Lion", _lion, ("beta_1", "beta_2"))
    _options = ("beta_1", "beta_2")
    _slots = ("momentums",)
    _decaying = {"momentums": "beta_1"}

    def __init__(self, learning_rate=0.0001, beta_1=0.9, beta_2=0.99, weight_decay=None, clipnorm=None,
                 clipvalue=None, global_clipnorm=None, use_ema=False, ema_momentum=0.99, ema_overwrite_frequency=None,
                 jit_compile=True, name="Lion", **kwargs):  # fmt: skip
        super().__init__(name, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
                         ema_overwrite_frequency, jit_compile, **kwargs)  # fmt: skip
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        if beta_1 <= 0 or beta_1 > 1:
            raise ValueError(
                f"`beta_1`={beta_1} must be between ]0, 1]. Otherwise, the optimizer degenerates to SignSGD."
            )

    def build(self, var_list):
        super().build(var_list)
        if not self._built:
            (self.momentums,) = self._slots_for(var_list, "m")
            self._built = True

    def get_config(self):
        return self._config_with("beta_1", "beta_2")

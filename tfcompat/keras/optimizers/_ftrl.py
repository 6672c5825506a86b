"""Ftrl: follow the regularized leader."""

import jax.numpy as jnp

from tfcompat.keras.optimizers._adaptive import filled
from tfcompat.keras.optimizers._base import Optimizer
from tfcompat.keras.optimizers._update import update_operation


def _ftrl(variable, gradient, rate, step, accumulator, linear, learning_rate_power, l1_regularization_strength,
          l2_regularization_strength, l2_shrinkage_regularization_strength, beta):  # fmt: skip
    l1, l2 = l1_regularization_strength, l2_regularization_strength + beta / (2.0 * rate)
    grown = accumulator + jnp.square(gradient)
    power, power_before = (jnp.power(x, -learning_rate_power) for x in (grown, accumulator))
    shrunk = gradient + 2 * l2_shrinkage_regularization_strength * variable
    linear = linear + (shrunk - (power - power_before) / rate * variable)
    variable = (jnp.clip(linear, -l1, l1) - linear) / (power / rate + 2 * l2)
    return variable, grown, linear


class Ftrl(Optimizer):
    """Follow the regularized leader, for sparse linear models.

    Args:
      learning_rate: float, tensor or `LearningRateSchedule`.
      learning_rate_power: float, 0 or less: how the rate falls with the sum of squared gradients.
      initial_accumulator_value: float, 0 or more, that these sums start from.
      l1_regularization_strength, l2_regularization_strength: floats, 0 or more.
      l2_shrinkage_regularization_strength: float, 0 or more: added to gradients, not to the leader.
      beta: float added to the strength of l2, over twice the learning rate.
      weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, jit_compile,
        name: as for `Optimizer`.

    Raises:
      ValueError: an option out of range.

    Slots: `accumulator`, `linear`.
    TF: `tf.keras.optimizers.Ftrl`; no known difference.
    """

    _options = ("learning_rate_power", "l1_regularization_strength", "l2_regularization_strength",
                "l2_shrinkage_regularization_strength", "beta")  # fmt: skip
    _update = update_operation("Ftrl", _ftrl, _options)
    _slots = ("_accumulators", "_linears")

    def __init__(self, learning_rate=0.001, learning_rate_power=-0.5, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0,
                 l2_shrinkage_regularization_strength=0.0, beta=0.0, weight_decay=None, clipnorm=None, clipvalue=None,
                 global_clipnorm=None, use_ema=False, ema_momentum=0.99, ema_overwrite_frequency=None,
                 jit_compile=True, name="Ftrl", **kwargs):  # fmt: skip
        super().__init__(name, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
                         ema_overwrite_frequency, jit_compile, **kwargs)  # fmt: skip
        if learning_rate_power > 0.0:
            raise ValueError(
                "`learning_rate_power` needs to be negative or zero. Received: "
                f"learning_rate_power={learning_rate_power}."
            )
        for option, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"`{option}` needs to be positive or zero. Received: {option}={value}.")
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.learning_rate_power = learning_rate_power
        self.initial_accumulator_value = initial_accumulator_value
        self.l1_regularization_strength = l1_regularization_strength
        self.l2_regularization_strength = l2_regularization_strength
        self.l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self.beta = beta

    def build(self, var_list):
        super().build(var_list)
        if self._built:
            return
        self._accumulators, self._linears = [], []
        for variable in var_list:
            value = filled(variable, self.initial_accumulator_value)
            self._accumulators.append(self.add_variable_from_reference(variable, "accumulator", initial_value=value))
            self._linears.append(self.add_variable_from_reference(variable, "linear"))
        self._built = True

    def get_config(self):
        names = ("learning_rate_power", "initial_accumulator_value", *self._options[1:])
        return self._config_with(*names)

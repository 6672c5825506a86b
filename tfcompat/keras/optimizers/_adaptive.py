"""RMSprop, Adagrad, Adadelta and Adafactor: each element has a rate of its own."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat._core.variable import Variable
from tfcompat.keras.optimizers import schedules
from tfcompat.keras.optimizers._base import Optimizer
from tfcompat.keras.optimizers._update import cast, update_operation


def _rmsprop(variable, gradient, rate, step, velocity, *slots, rho, momentum, epsilon, centered):
    velocity = rho * velocity + (1 - rho) * jnp.square(gradient)
    slots = list(slots)
    spread = velocity
    if centered:
        slots[-1] = rho * slots[-1] + (1 - rho) * gradient
        spread = velocity - jnp.square(slots[-1])
    increment = rate * gradient * lax.rsqrt(spread + epsilon)
    if len(slots) > centered:
        increment = slots[0] = momentum * slots[0] + increment
    return variable - increment, velocity, *slots


def _adagrad(variable, gradient, rate, step, accumulator, epsilon):
    accumulator = accumulator + gradient * gradient
    return variable - rate * gradient / jnp.sqrt(accumulator + epsilon), accumulator


def _adadelta(variable, gradient, rate, step, squares, squared_deltas, rho, epsilon):
    squares = rho * squares + (1 - rho) * gradient * gradient
    delta = -jnp.sqrt(squared_deltas + epsilon) * gradient / jnp.sqrt(squares + epsilon)
    return variable + rate * delta, squares, rho * squared_deltas + (1 - rho) * delta * delta


def _adafactor(variable, gradient, rate, step, rows, columns, v, beta_2_decay, epsilon_1, epsilon_2, clip_threshold,
               _relative):  # fmt: skip
    step = (step + 1).astype(variable.dtype)
    if _relative:
        rate = jnp.minimum(rate, lax.rsqrt(step))
    size = jnp.maximum(cast(epsilon_2, v.dtype), _rms(variable)) * jnp.minimum(rate, lax.rsqrt(step))
    square = jnp.square(gradient) + epsilon_1
    decay = 1 - jnp.power(step, beta_2_decay)
    if variable.ndim >= 2:
        rows = decay * rows + (1 - decay) * jnp.mean(square, -1)
        columns = decay * columns + (1 - decay) * jnp.mean(square, -2)
        v = (rows / jnp.mean(rows, -1, keepdims=True))[..., None] * columns[..., None, :]
    else:
        v = decay * v + (1 - decay) * square
    update = gradient * lax.rsqrt(v)
    update = update / jnp.maximum(jnp.ones((), v.dtype), _rms(update) / clip_threshold)
    return variable - size * update, rows, columns, v


def _rms(x):
    return jnp.sqrt(jnp.mean(jnp.square(x)))


class RMSprop(Optimizer):
    """Gradients divided by the root of the mean of their recent squares.

    Args:
      learning_rate: float, tensor or `LearningRateSchedule`.
      rho: float, decay of the means.
      momentum: float; if positive, `momentum * slot + increment` is subtracted.
      epsilon: float added to the mean of the squares, under the root.
      centered: bool, whether the square of the mean is subtracted from the mean of the squares.
      weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, jit_compile,
        name: as for `Optimizer`.

    Slots: `velocity`, with momentum `momentum`, and `average_gradient` if `centered`.
    TF: `tf.keras.optimizers.RMSprop`; no known difference.
    """

    _update = update_operation("RMSprop", _rmsprop, ("rho", "momentum", "epsilon", "centered"))
    _options = ("rho", "momentum", "epsilon", "centered")
    _slots = ("_velocities", "_momentums", "_average_gradients")
    _decaying = {"_velocities": "rho", "_momentums": "momentum", "_average_gradients": "rho"}

    def __init__(self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, weight_decay=None,
                 clipnorm=None, clipvalue=None, global_clipnorm=None, use_ema=False, ema_momentum=0.99,
                 ema_overwrite_frequency=100, jit_compile=True, name="RMSprop", **kwargs):  # fmt: skip
        super().__init__(name, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
                         ema_overwrite_frequency, jit_compile, **kwargs)  # fmt: skip
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.rho = rho
        self.momentum = momentum
        self.epsilon = epsilon
        self.centered = centered

    def build(self, var_list):
        super().build(var_list)
        if self._built:
            return
        self._built = True
        (self._velocities,) = self._slots_for(var_list, "velocity")
        (self._momentums,) = self._slots_for(var_list, "momentum") if self.momentum > 0 else ([],)
        (self._average_gradients,) = self._slots_for(var_list, "average_gradient") if self.centered else ([],)

    def get_config(self):
        return self._config_with("rho", "momentum", "epsilon", "centered")


class Adagrad(Optimizer):
    """Gradients divided by the root of the sum of their squares so far.

    Args:
      learning_rate: float, tensor or `LearningRateSchedule`.
      initial_accumulator_value: float that the sums start from.
      epsilon: float added to the sum, under the root.
      weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, jit_compile,
        name: as for `Optimizer`.

    Slots: `accumulator`.
    TF: `tf.keras.optimizers.Adagrad`; no known difference.
    """

    _update = update_operation("Adagrad", _adagrad, ("epsilon",))
    _options = ("epsilon",)
    _slots = ("_accumulators",)

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, weight_decay=None,
                 clipnorm=None, clipvalue=None, global_clipnorm=None, use_ema=False, ema_momentum=0.99,
                 ema_overwrite_frequency=None, jit_compile=True, name="Adagrad", **kwargs):  # fmt: skip
        super().__init__(name, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
                         ema_overwrite_frequency, jit_compile, **kwargs)  # fmt: skip
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon

    def build(self, var_list):
        super().build(var_list)
        if not self._built:
            self._built = True
            self._accumulators = [
                self.add_variable_from_reference(
                    variable, "accumulator", initial_value=filled(variable, self.initial_accumulator_value)
                )
                for variable in var_list
            ]

    def get_config(self):
        return self._config_with("initial_accumulator_value", "epsilon")


class Adadelta(Optimizer):
    """Steps as large as recent steps, by the ratio of the gradient to recent gradients.

    Args:
      learning_rate: float, tensor or `LearningRateSchedule`.
      rho: float, decay of the means of squares.
      epsilon: float added to them, under the roots.
      weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, jit_compile,
        name: as for `Optimizer`.

    Slots: `accumulated_grad`, `accumulated_delta_var`.
    TF: `tf.keras.optimizers.Adadelta`; no known difference.
    """

    _update = update_operation("Adadelta", _adadelta, ("rho", "epsilon"))
    _options = ("rho", "epsilon")
    _slots = ("_accumulated_grads", "_accumulated_delta_vars")
    _decaying = {"_accumulated_grads": "rho"}

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-7, weight_decay=None, clipnorm=None, clipvalue=None,
                 global_clipnorm=None, use_ema=False, ema_momentum=0.99, ema_overwrite_frequency=None,
                 jit_compile=True, name="Adadelta", **kwargs):  # fmt: skip
        super().__init__(name, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
                         ema_overwrite_frequency, jit_compile, **kwargs)  # fmt: skip
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.rho = rho
        self.epsilon = epsilon

    def build(self, var_list):
        super().build(var_list)
        if not self._built:
            self._built = True
            slots = self._slots_for(var_list, "accumulated_grad", "accumulated_delta_var")
            self._accumulated_grads, self._accumulated_delta_vars = slots

    def get_config(self):
        return self._config_with("rho", "epsilon")


class Adafactor(Optimizer):
    """Adaptive rates from sums over rows and columns of the squares of the gradients.

    Args:
      learning_rate: float, tensor or `LearningRateSchedule`.
      beta_2_decay: float, the power of the number of steps by which the means of squares forget.
      epsilon_1: float added to the squares.
      epsilon_2: float, the least size of a variable that steps are scaled by.
      clip_threshold: float, the largest root mean square of an update.
      relative_step: bool, whether the learning rate is at most `1 / sqrt(steps)`, unless it is a schedule.
      weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, jit_compile,
        name: as for `Optimizer`.

    Slots: `r`, `c` for variables of rank 2 or more, and `v`.
    TF: `tf.keras.optimizers.Adafactor`; no known difference.
    """

    _names = ("beta_2_decay", "epsilon_1", "epsilon_2", "clip_threshold")
    _options = (*_names, "_relative")
    _update = update_operation("Adafactor", _adafactor, _options)
    _slots = ("_r", "_c", "_v")

    def __init__(self, learning_rate=0.001, beta_2_decay=-0.8, epsilon_1=1e-30, epsilon_2=1e-3, clip_threshold=1.0,
                 relative_step=True, weight_decay=None, clipnorm=None, clipvalue=None, global_clipnorm=None,
                 use_ema=False, ema_momentum=0.99, ema_overwrite_frequency=None, jit_compile=True, name="Adafactor",
                 **kwargs):  # fmt: skip
        super().__init__(name, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
                         ema_overwrite_frequency, jit_compile, **kwargs)  # fmt: skip
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.beta_2_decay = beta_2_decay
        self.epsilon_1 = epsilon_1
        self.epsilon_2 = epsilon_2
        self.clip_threshold = clip_threshold
        self.relative_step = relative_step

    @property
    def _relative(self):
        return bool(self.relative_step) and not isinstance(self._learning_rate, schedules.LearningRateSchedule)

    def build(self, var_list):
        super().build(var_list)
        if self._built:
            return
        self._built = True
        self._r, self._c, self._v = [], [], []
        for variable in var_list:
            shape, name = variable.shape, variable._shared_name
            if len(shape) < 2:
                # Variables of rank below 2 are not factored; these hold the place.
                self._r.append(Variable(0, name=f"r/{name}"))
                self._c.append(Variable(0, name=f"r/{name}"))
            else:
                self._r.append(self.add_variable(shape[:-1], variable.dtype, name=f"r/{name}"))
                self._c.append(self.add_variable([*shape[:-2], shape[-1]], variable.dtype, name=f"c/{name}"))
            self._v.append(self.add_variable_from_reference(variable, "v"))

    def get_config(self):
        return self._config_with(*self._names, "relative_step")


def filled(variable, value):
    """An array of a variable's shape and dtype."""
    return np.full(variable._current_node().aval.shape, value, variable.dtype.np)

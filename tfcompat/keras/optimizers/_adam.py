"""Adam and its relatives: AdamW, Adamax, Nadam."""

import jax.numpy as jnp

from tfcompat import engine
from tfcompat._core.convert import to_node
from tfcompat._core.variable import Variable, updated
from tfcompat.keras.optimizers._base import Optimizer
from tfcompat.keras.optimizers._update import cast, update_operation


def _adam(variable, gradient, rate, step, m, v, *maximum, beta_1, beta_2, epsilon, adaptive_epsilon=False):
    step = (step + 1).astype(variable.dtype)
    power_1, power_2 = (jnp.power(cast(beta, variable.dtype), step) for beta in (beta_1, beta_2))
    alpha = rate * jnp.sqrt(1 - power_2) / (1 - power_1)
    if adaptive_epsilon:
        epsilon = epsilon * jnp.sqrt(1 - power_2)
    m = m + (gradient - m) * (1 - beta_1)
    v = v + (jnp.square(gradient) - v) * (1 - beta_2)
    maximum = tuple(jnp.maximum(highest, v) for highest in maximum)
    root = jnp.sqrt(maximum[0] if maximum else v)
    return variable - (m * alpha) / (root + epsilon), m, v, *maximum


def _adamax(variable, gradient, rate, step, m, u, beta_1, beta_2, epsilon):
    power = jnp.power(cast(beta_1, variable.dtype), (step + 1).astype(variable.dtype))
    m = m + (gradient - m) * (1 - beta_1)
    u = jnp.maximum(beta_2 * u, jnp.abs(gradient))
    return variable - (rate * m) / ((1 - power) * (u + epsilon)), m, u


def _schedule(beta_1, step):
    """Nadam's momentum at a step."""
    return beta_1 * (1.0 - 0.5 * jnp.power(cast(0.96, step.dtype), step))


def _nadam(variable, gradient, rate, step, m, v, beta_1, beta_2, epsilon, _u_product):
    dtype = variable.dtype
    beta_1, beta_2 = cast(beta_1, dtype), cast(beta_2, dtype)
    now, next_ = (step + 1).astype(dtype), (step + 2).astype(dtype)
    momentum, next_momentum = _schedule(beta_1, now), _schedule(beta_1, next_)
    product = _u_product.astype(dtype)
    m = m + (gradient - m) * (1 - beta_1)
    v = v + (jnp.square(gradient) - v) * (1 - beta_2)
    direction = next_momentum * m / (1 - product * next_momentum) + (1 - momentum) * gradient / (1 - product)
    size = jnp.sqrt(v / (1 - jnp.power(beta_2, now))) + epsilon
    return variable - (direction * rate) / size, m, v


_U_PRODUCT = engine.Operation(
    "NadamMomentum",
    lambda product, step, beta_1: (
        product * _schedule(beta_1.astype(product.dtype), (step + 1).astype(product.dtype))
    ),
    differentiable=False,
)


def _build_moments(optimizer, var_list):
    if optimizer._built:
        return
    optimizer._built = True
    optimizer._momentums, optimizer._velocities = optimizer._slots_for(var_list, "m", "v")
    if optimizer.amsgrad:
        (optimizer._velocity_hats,) = optimizer._slots_for(var_list, "vhat")


class Adam(Optimizer):
    """Steps of a size that adapts to the first two moments of the gradients.

    Args:
      learning_rate: float, tensor or `LearningRateSchedule`.
      beta_1: float or tensor, decay of the first moment `m`.
      beta_2: float or tensor, decay of the second moment `v`.
      epsilon: float added to `sqrt(v)`, which is not corrected for its bias.
      adaptive_epsilon: bool, whether `epsilon` is scaled as if `v` were corrected.
      amsgrad: bool, whether the largest `v` so far is used.
      weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, jit_compile,
        name: as for `Optimizer`.

    Slots: `m`, `v` and, with `amsgrad`, `vhat`.
    TF: `tf.keras.optimizers.Adam`; no known difference.
    """

    _update = update_operation("Adam", _adam, ("beta_1", "beta_2", "epsilon", "adaptive_epsilon"))
    _options = ("beta_1", "beta_2", "epsilon", "adaptive_epsilon")
    _slots = ("_momentums", "_velocities", "_velocity_hats")
    _decaying = {"_momentums": "beta_1", "_velocities": "beta_2"}

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, adaptive_epsilon=False,
                 amsgrad=False, weight_decay=None, clipnorm=None, clipvalue=None, global_clipnorm=None, use_ema=False,
                 ema_momentum=0.99, ema_overwrite_frequency=None, jit_compile=True, name="Adam",
                 **kwargs):  # fmt: skip
        super().__init__(name, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
                         ema_overwrite_frequency, jit_compile, **kwargs)  # fmt: skip
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.adaptive_epsilon = adaptive_epsilon
        self.amsgrad = amsgrad

    def build(self, var_list):
        super().build(var_list)
        _build_moments(self, var_list)

    def get_config(self):
        return self._config_with("beta_1", "beta_2", "epsilon", "amsgrad")


class AdamW(Optimizer):
    """Adam with weight decay.

    Args:
      learning_rate: float, tensor or `LearningRateSchedule`.
      weight_decay: float.
      beta_1, beta_2, epsilon, amsgrad: as for `Adam`.
      clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, jit_compile, name: as for
        `Optimizer`.

    Raises:
      ValueError: `weight_decay` is None.

    Slots: `m`, `v` and, with `amsgrad`, `vhat`.
    TF: `tf.keras.optimizers.AdamW`; no known difference.
    """

    _update = update_operation("AdamW", _adam, ("beta_1", "beta_2", "epsilon"))
    _options = ("beta_1", "beta_2", "epsilon")
    _slots = ("_momentums", "_velocities", "_velocity_hats")
    _decaying = {"_momentums": "beta_1", "_velocities": "beta_2"}

    def __init__(self, learning_rate=0.001, weight_decay=0.004, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False,
                 clipnorm=None, clipvalue=None, global_clipnorm=None, use_ema=False, ema_momentum=0.99,
                 ema_overwrite_frequency=None, jit_compile=True, name="AdamW", **kwargs):  # fmt: skip
        super().__init__(name, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
                         ema_overwrite_frequency, jit_compile, **kwargs)  # fmt: skip
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.amsgrad = amsgrad
        if weight_decay is None:
            raise ValueError("Missing value of `weight_decay` which is required and must be a float value.")

    def build(self, var_list):
        super().build(var_list)
        _build_moments(self, var_list)

    def get_config(self):
        return self._config_with("beta_1", "beta_2", "epsilon", "amsgrad")


class Adamax(Optimizer):
    """Adam with the largest recent gradient in place of the second moment.

    Args:
      learning_rate: float, tensor or `LearningRateSchedule`.
      beta_1: float, decay of the first moment `m`.
      beta_2: float, decay of the largest absolute value `u`.
      epsilon: float added to `u`.
      weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, jit_compile,
        name: as for `Optimizer`.

    Slots: `m`, `u`.
    TF: `tf.keras.optimizers.Adamax`; no known difference.
    """

    _update = update_operation("Adamax", _adamax, ("beta_1", "beta_2", "epsilon"))
    _options = ("beta_1", "beta_2", "epsilon")
    _slots = ("_m", "_u")
    _decaying = {"_m": "beta_1", "_u": "beta_2"}

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, weight_decay=None, clipnorm=None,
                 clipvalue=None, global_clipnorm=None, use_ema=False, ema_momentum=0.99, ema_overwrite_frequency=None,
                 jit_compile=True, name="Adamax", **kwargs):  # fmt: skip
        super().__init__(name, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
                         ema_overwrite_frequency, jit_compile, **kwargs)  # fmt: skip
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon

    def build(self, var_list):
        super().build(var_list)
        if not self._built:
            self._built = True
            self._m, self._u = self._slots_for(var_list, "m", "u")

    def get_config(self):
        return self._config_with("beta_1", "beta_2", "epsilon")


class Nadam(Optimizer):
    """Adam with Nesterov momentum, whose weight grows with the steps.

    Args:
      learning_rate: float, tensor or `LearningRateSchedule`.
      beta_1: float, decay of the first moment `m`.
      beta_2: float, decay of the second moment `v`.
      epsilon: float added to the square root of `v`, corrected for its bias.
      weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum, ema_overwrite_frequency, jit_compile,
        name: as for `Optimizer`.

    Slots: `m`, `v`; one variable more holds the product of the momentums so far.
    TF: `tf.keras.optimizers.Nadam`. Inside `tf.function` TF multiplies that product once for each variable; here it is
      multiplied once in a step, as TF does eagerly.
    """

    _update = update_operation("Nadam", _nadam, ("beta_1", "beta_2", "epsilon", "_u_product"))
    _options = ("beta_1", "beta_2", "epsilon", "_u_product")
    _slots = ("_momentums", "_velocities")
    _decaying = {"_momentums": "beta_1", "_velocities": "beta_2"}

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, weight_decay=None, clipnorm=None,
                 clipvalue=None, global_clipnorm=None, use_ema=False, ema_momentum=0.99, ema_overwrite_frequency=None,
                 jit_compile=True, name="Nadam", **kwargs):  # fmt: skip
        super().__init__(name, weight_decay, clipnorm, clipvalue, global_clipnorm, use_ema, ema_momentum,
                         ema_overwrite_frequency, jit_compile, **kwargs)  # fmt: skip
        self._learning_rate = self._build_learning_rate(learning_rate)
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon

    def build(self, var_list):
        super().build(var_list)
        if not self._built:
            self._built = True
            self._u_product = Variable(1.0, dtype=var_list[0].dtype)
            self._momentums, self._velocities = self._slots_for(var_list, "m", "v")

    def _begin_step(self):
        nodes = self.iterations._as_node(), to_node(self.beta_1)
        updated([self._u_product], lambda now: (engine.apply(_U_PRODUCT, (now, *nodes)),))

    def get_config(self):
        return self._config_with("beta_1", "beta_2", "epsilon")

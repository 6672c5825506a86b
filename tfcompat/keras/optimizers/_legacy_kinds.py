"""The older optimizers. Their formulas are those of TensorFlow's kernels, which differ a little from those of the newer
optimizers: in the place of epsilon, and for rows without a gradient."""

from typing import Any

import jax.numpy as jnp
from jax import lax

from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.array import cast, zeros
from tfcompat.keras.optimizers import schedules
from tfcompat.keras.optimizers._legacy import Optimizer
from tfcompat.keras.optimizers._legacy_fused import Fused, fused_operation
from tfcompat.layers import initializers
from tfcompat.layers._layer import settings as _settings
from tfcompat.math import pow, sqrt


def _sgd(variable, gradient, touched, rate, step, momentum, *slots, nesterov):
    if not slots:
        return (variable - rate * gradient,)
    m = slots[0] * momentum - rate * gradient
    return variable + (m * momentum - rate * gradient if nesterov else m), m


def _powers(step, dtype, *betas):
    """The powers of `betas`; `step` may be these powers themselves, where a subclass may have set them."""
    if step.ndim:
        return list(step)
    step = (step + 1).astype(dtype)
    return [jnp.power(beta, step) for beta in betas]


def _adam(variable, gradient, touched, rate, step, beta_1, beta_2, m, v, *largest, epsilon):
    power_1, power_2 = _powers(step, variable.dtype, beta_1, beta_2)
    rate = rate * jnp.sqrt(1 - power_2) / (1 - power_1)
    m = m + (gradient - m) * (1 - beta_1)
    v = v + (jnp.square(gradient) - v) * (1 - beta_2)
    largest = [jnp.maximum(each, v) for each in largest]
    spread = largest[0] if largest else v
    return variable - m * rate / (jnp.sqrt(spread) + epsilon), m, v, *largest


def _rmsprop(variable, gradient, touched, rate, step, momentum, rho, rms, *slots, epsilon, centered):
    squares = rms + (jnp.square(gradient) - rms) * (1 - rho)
    slots, spread = list(slots), squares
    if centered:
        slots[-1] = slots[-1] + (gradient - slots[-1]) * (1 - rho)
        spread = squares - jnp.square(slots[-1])
    if len(slots) == centered:
        return variable - rate * gradient / (jnp.sqrt(spread) + epsilon), squares, *slots
    slots[0] = slots[0] * momentum + rate * gradient * lax.rsqrt(spread + epsilon)
    return variable - slots[0], squares, *slots


def _adagrad(variable, gradient, touched, rate, step, accumulator, epsilon):
    accumulator = accumulator + gradient * gradient
    return variable - rate * gradient / (jnp.sqrt(accumulator) + epsilon), accumulator


def _adadelta(variable, gradient, touched, rate, step, rho, squares, deltas, epsilon):
    squares = squares * rho + jnp.square(gradient) * (1 - rho)
    delta = jnp.sqrt(deltas + epsilon) * lax.rsqrt(squares + epsilon) * gradient
    return variable - rate * delta, squares, deltas * rho + jnp.square(delta) * (1 - rho)


def _adamax(variable, gradient, touched, rate, step, beta_1, beta_2, m, v, epsilon):
    (power,) = _powers(step, variable.dtype, beta_1)
    m = m + (gradient - m) * (1 - beta_1)
    v = jnp.maximum(beta_2 * v, jnp.abs(gradient))
    return variable - rate / (1 - power) * (m / (v + epsilon)), m, v


def _nadam(variable, gradient, touched, rate, step, now, then, product, product_then, beta_1, beta_2, m, v, epsilon):
    (power,) = _powers(step, variable.dtype, beta_2)
    m = beta_1 * m + (1 - beta_1) * gradient
    v = beta_2 * v + (1 - beta_2) * jnp.square(gradient)
    mean = (1 - now) * (gradient / (1 - product)) + then * (m / (1 - product_then))
    change = rate * mean / (jnp.sqrt(v / (1 - power)) + epsilon)
    return variable - (change if touched is None else jnp.where(touched, change, 0)), m, v


def _ftrl(variable, gradient, touched, rate, step, power, l1, l2, beta, accumulator, linear, shrinkage):
    l2 = l2 + beta / (2 * rate)
    shrunk = gradient + 2 * shrinkage * variable if shrinkage > 0 else gradient
    total = accumulator + jnp.square(gradient)
    sigma = (jnp.power(total, -power) - jnp.power(accumulator, -power)) / rate
    linear = linear + shrunk - sigma * variable
    quadratic = jnp.power(total, -power) / rate + 2 * l2
    clipped = jnp.clip(linear, -l1, l1)
    return (clipped - linear) / quadratic, total, linear


def _betas(optimizer, dtype):
    """`beta_1` and `beta_2` as subclasses find them in the state of a step."""
    step, coefficients = cast(optimizer.iterations + 1, dtype), {}
    for name in ("beta_1", "beta_2"):
        beta = convert_to_tensor(optimizer._get_hyper(name, dtype))
        coefficients.update({f"{name}_t": beta, f"{name}_power": pow(beta, step), f"one_minus_{name}_t": 1 - beta})
    return coefficients


def _uses_momentum(momentum):
    used = isinstance(momentum, Tensor | Variable) or callable(momentum) or momentum > 0
    if isinstance(momentum, int | float) and (momentum < 0 or momentum > 1):
        raise ValueError(
            f"`momentum` must be between [0, 1]. Received: momentum={momentum} (of type {type(momentum)})."
        )
    return used


class SGD(Fused):
    """Gradient descent, with momentum.

    Args:
      learning_rate: float, tensor, `LearningRateSchedule`, or function without arguments.
      momentum: float from 0 to 1; `m = momentum * m - learning_rate * gradient`, and `m` is added to the variable.
      nesterov: bool: `momentum * m - learning_rate * gradient` is added, with the new `m`.
      name, **kwargs: as for `tf.keras.optimizers.legacy.Optimizer`.

    Slots: `momentum`, if there is any.
    TF: `tf.keras.optimizers.legacy.SGD`; no known difference.
    """

    _operation = fused_operation("LegacySGD", _sgd, ("nesterov",), whole=False)
    _hyper_names, _static = ("momentum",), ("nesterov",)

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, name="SGD", **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._momentum = _uses_momentum(momentum)
        self._set_hyper("momentum", momentum)
        self.nesterov = nesterov

    def _create_slots(self, var_list):
        if self._momentum:
            for var in var_list:
                self.add_slot(var, "momentum")

    def _resource_apply_sparse_duplicate_indices(self, grad, var, indices, **kwargs):
        if self._momentum:
            super()._resource_apply_sparse_duplicate_indices(grad, var, indices, **kwargs)
        else:  # repeated rows are added up in any case
            Fused._resource_apply_sparse(self, grad, var, indices, kwargs.get("apply_state"))

    def get_config(self):
        return self._config_with("momentum", nesterov=self.nesterov)


class _WithSlots(Fused):
    """An optimizer whose slots are zeros, made name by name."""

    def _names_of_slots(self):
        return ("m", "v")

    def _create_slots(self, var_list):
        for name in self._names_of_slots():
            for var in var_list:
                self.add_slot(var, name)

    def _set_hypers(self, epsilon, kwargs, **hypers):
        self._set_hyper("learning_rate", kwargs.get("lr", hypers.pop("learning_rate")))
        self._set_hyper("decay", self._initial_decay)
        for name, value in hypers.items():
            self._set_hyper(name, value)
        self.epsilon = epsilon or _settings.epsilon()


class Adam(_WithSlots):
    """Means of gradients, divided by the root of means of their squares.

    Args:
      learning_rate: float, tensor, `LearningRateSchedule`, or function without arguments.
      beta_1, beta_2: floats, tensors or functions: decay of the means of gradients and of squares.
      epsilon: float added to the root.
      amsgrad: bool, whether the largest mean of squares so far counts.
      name, **kwargs: as for `tf.keras.optimizers.legacy.Optimizer`.

    Slots: `m`, `v`, and `vhat` if `amsgrad`.
    TF: `tf.keras.optimizers.legacy.Adam`; no known difference.
    """

    _operation = fused_operation("LegacyAdam", _adam, ("epsilon",))
    _hyper_names, _static = ("beta_1", "beta_2"), ("epsilon",)
    _of_step = ("beta_1_power", "beta_2_power")

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False, name="Adam",
                 **kwargs):  # fmt: skip
        super().__init__(name, **kwargs)
        self._set_hypers(epsilon, kwargs, learning_rate=learning_rate, beta_1=beta_1, beta_2=beta_2)
        self.amsgrad = amsgrad

    def _names_of_slots(self):
        return ("m", "v", "vhat") if self.amsgrad else ("m", "v")

    def _coefficients(self, dtype, rate):
        betas = _betas(self, dtype)
        root = sqrt(1 - betas["beta_2_power"]) / (1 - betas["beta_1_power"])
        return {"lr": rate * root, "epsilon": cast(self.epsilon, dtype), **betas}

    def set_weights(self, weights):
        number = (len(self.weights) - 1) // 2
        if len(weights) == 3 * number + 1:  # saved with `vhat`
            weights = weights[: len(self.weights)]
        super().set_weights(weights)

    def get_config(self):
        return self._config_with("beta_1", "beta_2", epsilon=self.epsilon, amsgrad=self.amsgrad)


class RMSprop(_WithSlots):
    """Gradients divided by the root of the mean of their recent squares.

    Args:
      learning_rate: float, tensor, `LearningRateSchedule`, or function without arguments.
      rho: float, decay of the means.
      momentum: float; if positive, `momentum * slot + increment` is subtracted.
      epsilon: float added to the root; with momentum, under it.
      centered: bool, whether the square of the mean is subtracted from the mean of the squares.
      name, **kwargs: as for `tf.keras.optimizers.legacy.Optimizer`.

    Slots: `rms`, with momentum `momentum`, and `mg` if `centered`.
    TF: `tf.keras.optimizers.legacy.RMSprop`; no known difference.
    """

    _hyper_names, _static = ("momentum", "rho"), ("epsilon", "centered")
    _without_momentum = fused_operation("LegacyRMSprop", _rmsprop, ("epsilon", "centered"))
    _with_momentum = fused_operation("LegacyRMSprop", _rmsprop, ("epsilon", "centered"), whole=False)

    def __init__(self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, name="RMSprop",
                 **kwargs):  # fmt: skip
        super().__init__(name, **kwargs)
        self._momentum = _uses_momentum(momentum)
        self._set_hypers(epsilon, kwargs, learning_rate=learning_rate, rho=rho, momentum=momentum)
        self.centered = centered

    @property
    def _operation(self):
        # TensorFlow's kernel with momentum leaves rows without a gradient as they are.
        return self._with_momentum if self._momentum else self._without_momentum

    def _names_of_slots(self):
        return ("rms", *(["momentum"] if self._momentum else []), *(["mg"] if self.centered else []))

    def _coefficients(self, dtype, rate):
        coefficients = super()._coefficients(dtype, rate)
        one_minus_rho = 1 - coefficients["rho"]
        return {**coefficients, "neg_lr_t": -rate, "epsilon": cast(self.epsilon, dtype), "one_minus_rho": one_minus_rho}

    def set_weights(self, weights):
        super().set_weights(_with_iterations(self, weights))

    def get_config(self):
        return self._config_with("rho", "momentum", epsilon=self.epsilon, centered=self.centered)


class Adagrad(Fused):
    """Gradients divided by the root of the sum of their squares so far.

    Args:
      learning_rate: float, tensor, `LearningRateSchedule`, or function without arguments.
      initial_accumulator_value: float that the sums start from.
      epsilon: float added to the root.
      name, **kwargs: as for `tf.keras.optimizers.legacy.Optimizer`.

    Slots: `accumulator`.
    TF: `tf.keras.optimizers.legacy.Adagrad`; no known difference.
    """

    _operation = fused_operation("LegacyAdagrad", _adagrad, ("epsilon",))
    _static = ("epsilon",)

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, name="Adagrad", **kwargs):
        if initial_accumulator_value < 0.0:
            raise ValueError(f"initial_accumulator_value must be non-negative: {initial_accumulator_value}")
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon or _settings.epsilon()

    def _create_slots(self, var_list):
        initializer = initializers.Constant(self._initial_accumulator_value)
        for var in var_list:
            self.add_slot(var, "accumulator", initializer)

    def _coefficients(self, dtype, rate):
        return {"epsilon": cast(self.epsilon, dtype), "neg_lr_t": -rate, "zero": zeros((), "int64")}

    def set_weights(self, weights):
        super().set_weights(_with_iterations(self, weights))

    def get_config(self):
        return self._config_with(initial_accumulator_value=self._initial_accumulator_value, epsilon=self.epsilon)


class Adadelta(_WithSlots):
    """Steps as large as recent steps, by the ratio of the gradient to recent gradients.

    Args:
      learning_rate: float, tensor, `LearningRateSchedule`, or function without arguments.
      rho: float, decay of the means of squares.
      epsilon: float added to them, under the roots.
      name, **kwargs: as for `tf.keras.optimizers.legacy.Optimizer`.

    Slots: `accum_grad`, `accum_var`.
    TF: `tf.keras.optimizers.legacy.Adadelta`; no known difference.
    """

    _operation = fused_operation("LegacyAdadelta", _adadelta, ("epsilon",), whole=False)
    _hyper_names, _static = ("rho",), ("epsilon",)

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-7, name="Adadelta", **kwargs):
        super().__init__(name, **kwargs)
        self._set_hypers(epsilon, kwargs, learning_rate=learning_rate, rho=rho)

    def _names_of_slots(self):
        return ("accum_grad", "accum_var")

    def _coefficients(self, dtype, rate):
        return {"epsilon": cast(self.epsilon, dtype), **super()._coefficients(dtype, rate)}

    def set_weights(self, weights):
        super().set_weights(_with_iterations(self, weights))

    def get_config(self):
        return self._config_with("rho", epsilon=self.epsilon)


class Adamax(_WithSlots):
    """Means of gradients, divided by the largest of recent gradients.

    Args:
      learning_rate: float, tensor, `LearningRateSchedule`, or function without arguments.
      beta_1, beta_2: floats: decay of the means and of the largest.
      epsilon: float added to the largest.
      name, **kwargs: as for `tf.keras.optimizers.legacy.Optimizer`.

    Slots: `m`, `v`.
    TF: `tf.keras.optimizers.legacy.Adamax`; no known difference.
    """

    _operation = fused_operation("LegacyAdamax", _adamax, ("epsilon",), whole=False)
    _hyper_names, _static = ("beta_1", "beta_2"), ("epsilon",)
    _of_step = ("beta_1_power",)

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name="Adamax", **kwargs):
        super().__init__(name, **kwargs)
        self._set_hypers(epsilon, kwargs, learning_rate=learning_rate, beta_1=beta_1, beta_2=beta_2)

    def _coefficients(self, dtype, rate):
        betas = _betas(self, dtype)
        del betas["beta_2_power"], betas["one_minus_beta_2_t"]
        scaled = -rate / (1 - betas["beta_1_power"])
        return {"neg_scaled_lr": scaled, "epsilon": cast(self.epsilon, dtype), "zero": zeros((), "int64"), **betas}

    def get_config(self):
        return self._config_with("beta_1", "beta_2", epsilon=self.epsilon)


class Nadam(_WithSlots):
    """Adam with Nesterov momentum, whose share grows.

    Args:
      learning_rate: float, tensor, or function without arguments.
      beta_1, beta_2: floats: decay of the means of gradients and of squares.
      epsilon: float added to the root.
      name, **kwargs: as for `tf.keras.optimizers.legacy.Optimizer`; `schedule_decay`, 0.004 by default: how fast the
        momentum grows.

    Raises:
      ValueError: the learning rate is a schedule.

    Slots: `m`, `v`; one variable more, `momentum_cache`, is the product of the momenta.
    TF: `tf.keras.optimizers.legacy.Nadam`; no known difference.
    """

    _operation = fused_operation("LegacyNadam", _nadam, ("epsilon",))
    _hyper_names, _static = ("beta_1", "beta_2"), ("epsilon",)

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name="Nadam", **kwargs):
        kwargs["decay"] = kwargs.pop("schedule_decay", 0.004)
        if isinstance(kwargs.get("lr", learning_rate), schedules.LearningRateSchedule):
            raise ValueError(
                "The Nadam optimizer does not support tf.keras.optimizers.LearningRateSchedules as the learning rate."
            )
        super().__init__(name, **kwargs)
        self._set_hypers(epsilon, kwargs, learning_rate=learning_rate, beta_1=beta_1, beta_2=beta_2)
        self._m_cache: Any = None

    def _create_slots(self, var_list):
        if self._m_cache is None:
            self._m_cache = self.add_weight(
                "momentum_cache", shape=[], dtype=var_list[0].dtype, initializer="ones", trainable=False
            )
            self._weights.append(self._m_cache)
        super()._create_slots(var_list)

    def _prepare(self, var_list):
        self._m_cache_read = self._m_cache.value()
        return super()._prepare(var_list)

    def _prepare_local(self, var_device, var_dtype, apply_state):
        beta = self._get_hyper("beta_1", var_dtype)
        base = cast(0.96, var_dtype)
        now, then = (
            beta * (1.0 - 0.5 * pow(base, self._initial_decay * cast(self.iterations + ahead, var_dtype)))
            for ahead in (1, 2)
        )
        product = cast(self._m_cache_read, var_dtype) * now
        if var_dtype == self._m_cache.dtype:
            self._m_cache.assign(product)
        rate = convert_to_tensor(self._get_hyper("learning_rate", var_dtype))
        apply_state[var_device, var_dtype].update(
            lr_t=rate, m_t=now, m_t_1=then, m_schedule_new=product, m_schedule_next=product * then
        )
        if self._has_own_parts():
            betas = _betas(self, var_dtype)
            denominator = 1 - betas.pop("beta_2_power")
            del betas["beta_1_power"]
            state = apply_state[var_device, var_dtype]
            state.update(
                neg_lr_t=-rate, epsilon=cast(self.epsilon, var_dtype), v_t_prime_denominator=denominator,
                one_minus_m_t=1 - now, one_minus_m_schedule_new=1 - product,
                one_minus_m_schedule_next=1 - state["m_schedule_next"], **betas,
            )  # fmt: skip

    def _shared(self, state):
        return [state[name] for name in ("m_t", "m_t_1", "m_schedule_new", "m_schedule_next")]

    def _checkpoint_children(self):
        cache = [] if self._m_cache is None else [("_m_cache", self._m_cache)]
        return super()._checkpoint_children() + cache

    def get_config(self):
        return self._config_with("beta_1", "beta_2", epsilon=self.epsilon)


class Ftrl(Fused):
    """Follow the regularized leader, with shrinkage.

    Args:
      learning_rate: float, tensor, `LearningRateSchedule`, or function without arguments.
      learning_rate_power: float, at most 0: the power of the sum of squares that the rate goes with.
      initial_accumulator_value: float that the sums of squares start from.
      l1_regularization_strength, l2_regularization_strength, l2_shrinkage_regularization_strength: floats.
      name: str.
      beta: float.
      **kwargs: as for `tf.keras.optimizers.legacy.Optimizer`.

    Slots: `accumulator`, `linear`.
    TF: `tf.keras.optimizers.legacy.Ftrl`; no known difference.
    """

    _operation = fused_operation("LegacyFtrl", _ftrl, ("shrinkage",), whole=False)
    _hyper_names = ("learning_rate_power", "l1_regularization_strength", "l2_regularization_strength", "beta")
    _static = ("_l2_shrinkage_regularization_strength",)

    def __init__(self, learning_rate=0.001, learning_rate_power=-0.5, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0, name="Ftrl",
                 l2_shrinkage_regularization_strength=0.0, beta=0.0, **kwargs):  # fmt: skip
        super().__init__(name, **kwargs)
        strengths = {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        for argument, value in strengths.items():
            if value < 0.0:
                raise ValueError(f"`{argument}` needs to be positive or zero. Received: {argument}={value}.")
        if learning_rate_power > 0.0:
            raise ValueError(
                "`learning_rate_power` needs to be negative or zero. Received: "
                f"learning_rate_power={learning_rate_power}."
            )
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("learning_rate_power", learning_rate_power)
        self._set_hyper("l1_regularization_strength", l1_regularization_strength)
        self._set_hyper("l2_regularization_strength", l2_regularization_strength)
        self._set_hyper("beta", beta)
        self._initial_accumulator_value = initial_accumulator_value
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength

    def _create_slots(self, var_list):
        initializer = initializers.Constant(self._initial_accumulator_value)
        for var in var_list:
            self.add_slot(var, "accumulator", initializer)
            self.add_slot(var, "linear")

    def _coefficients(self, dtype, rate):
        name = "l2_shrinkage_regularization_strength"
        return {name: cast(getattr(self, "_" + name), dtype), **super()._coefficients(dtype, rate)}

    def get_config(self):
        return {
            **self._config_with(),
            "initial_accumulator_value": self._initial_accumulator_value,
            **{name: self._serialize_hyperparameter(name) for name in self._hyper_names},
            "l2_shrinkage_regularization_strength": self._l2_shrinkage_regularization_strength,
        }


def _with_iterations(optimizer: Optimizer, weights):
    """Weights saved without the number of iterations, with a zero for it."""
    return [0, *weights] if len(optimizer.weights) == len(weights) + 1 else weights

"""`tf.keras.optimizers.schedules`: learning rates as functions of the number of steps."""

import math as _math
from typing import Any as _Any

import jax.numpy as _jnp

from tfcompat import engine as _engine
from tfcompat import nest as _nest
from tfcompat._control import cond as _cond
from tfcompat._core.convert import convert_to_tensor as _convert
from tfcompat._core.convert import to_node as _to_node
from tfcompat._core.tensor import wrap as _wrap
from tfcompat._package.missing import missing as _missing
from tfcompat.array import cast as _cast
from tfcompat.layers._layer import serialization as _serialization
from tfcompat.math import cos as _cos
from tfcompat.math import minimum as _minimum


class LearningRateSchedule:
    """A learning rate that depends on the step; to be subclassed, with `__call__(step)` and `get_config()`.

    TF: `tf.keras.optimizers.schedules.LearningRateSchedule`.
    """

    def __call__(self, step) -> _Any:
        """The learning rate at a step, a scalar tensor."""
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )

    def get_config(self) -> _Any:
        """The constructor's arguments, as a dict that `from_config` takes."""
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `get_config()` in order to be serializable."
        )

    @classmethod
    def from_config(cls, config):
        """The schedule that `config`, from `get_config`, describes."""
        return cls(**config)


class _Formula(LearningRateSchedule):
    """A schedule that is one operation of the step, of numbers, and of static attributes."""

    _operation: _Any
    _numbers: tuple = ()  # attributes that hold numbers; the first gives the dtype
    _static: tuple = ()
    _more: tuple = ()  # further attributes in get_config

    def __call__(self, step):
        first = _to_node(getattr(self, self._numbers[0]))
        others = [_to_node(getattr(self, name)) for name in self._numbers[1:]]
        attributes = _engine.attributes_of(*[getattr(self, name) for name in self._static])
        return _wrap(_engine.apply(self._operation, (_to_node(step), first, *others), attributes))

    def get_config(self):
        names = (*self._numbers, *self._static, *self._more)
        return {name.lstrip("_"): getattr(self, name) for name in names}


def _formula(name, function, static=()):
    """The operation of `function(step, first, *numbers, **static)`; all are cast to the dtype of the first."""

    def cast(step, first, *numbers, **static):
        return function(step.astype(first.dtype), first, *[x.astype(first.dtype) for x in numbers], **static)

    return _engine.Operation(name, cast, static, identity=f"{__name__}:{name}")


def _share(step, decay_steps, staircase):
    return _jnp.floor(step / decay_steps) if staircase else step / decay_steps


def _exponential(step, rate, decay_steps, decay_rate, staircase):
    return rate * _jnp.power(decay_rate, _share(step, decay_steps, staircase))


def _inverse_time(step, rate, decay_steps, decay_rate, staircase):
    return rate / (1 + decay_rate * _share(step, decay_steps, staircase))


def _polynomial(step, rate, decay_steps, end, power, cycle):
    if cycle:
        turns = _jnp.where(step == 0, _jnp.ones_like(step), _jnp.ceil(step / decay_steps))
        decay_steps = decay_steps * turns
    else:
        step = _jnp.minimum(step, decay_steps)
    return (rate - end) * _jnp.power(1 - step / decay_steps, power) + end


def _half_cosine(share):
    return 0.5 * (1.0 + _jnp.cos(_jnp.asarray(_math.pi, share.dtype) * share))


def _cosine(step, rate, decay_steps, alpha, warmup_steps, target, warm):
    if not warm:
        share = _jnp.minimum(step, decay_steps) / decay_steps
        return rate * ((1 - alpha) * _half_cosine(share) + alpha)
    step = _jnp.minimum(step, decay_steps + warmup_steps)
    rising = (target - rate) * (step / warmup_steps) + rate
    falling = target * ((1 - alpha) * _half_cosine((step - warmup_steps) / decay_steps) + alpha)
    return _jnp.where(step < warmup_steps, rising, falling)


def _restarts(step, rate, first_steps, t_mul, m_mul, alpha):
    share = step / first_steps
    equal = _jnp.floor(share)
    growing = _jnp.floor(_jnp.log(1.0 - share * (1.0 - t_mul)) / _jnp.log(t_mul))
    gone = (1.0 - _jnp.power(t_mul, growing)) / (1.0 - t_mul)
    turn = _jnp.where(t_mul == 1, equal, growing)
    share = _jnp.where(t_mul == 1, share - equal, (share - gone) / _jnp.power(t_mul, growing))
    return rate * ((1 - alpha) * (_jnp.power(m_mul, turn) * _half_cosine(share)) + alpha)


def _piecewise(step, *numbers, count):
    boundaries, values = numbers[:count], numbers[count:]
    result = values[-1]
    for boundary, value in zip(reversed(boundaries), reversed(values[:-1]), strict=True):
        result = _jnp.where(step <= boundary.astype(step.dtype), value, result)
    return result


class ExponentialDecay(_Formula):
    """`initial_learning_rate * decay_rate ** (step / decay_steps)`.

    Args:
      initial_learning_rate: float or tensor, which gives the dtype.
      decay_steps: number.
      decay_rate: number.
      staircase: bool, whether `step / decay_steps` is rounded down.
      name: str or None, kept for `get_config`.

    TF: `tf.keras.optimizers.schedules.ExponentialDecay`; no known difference.
    """

    _operation = _formula("ExponentialDecay", _exponential, ("staircase",))
    _numbers, _static, _more = ("initial_learning_rate", "decay_steps", "decay_rate"), ("staircase",), ("name",)

    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name


class InverseTimeDecay(_Formula):
    """`initial_learning_rate / (1 + decay_rate * step / decay_steps)`.

    Args:
      initial_learning_rate: float or tensor, which gives the dtype.
      decay_steps: number.
      decay_rate: number.
      staircase: bool, whether `step / decay_steps` is rounded down.
      name: str or None, kept for `get_config`.

    TF: `tf.keras.optimizers.schedules.InverseTimeDecay`; no known difference.
    """

    _operation = _formula("InverseTimeDecay", _inverse_time, ("staircase",))
    _numbers, _static, _more = ("initial_learning_rate", "decay_steps", "decay_rate"), ("staircase",), ("name",)

    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name


class PolynomialDecay(_Formula):
    """From one rate to another by a power of the steps that are left.

    Args:
      initial_learning_rate: float or tensor, which gives the dtype.
      decay_steps: number of steps, after which the rate stays.
      end_learning_rate: number.
      power: number.
      cycle: bool, whether after `decay_steps` the decay starts anew, over as many steps more.
      name: str or None, kept for `get_config`.

    TF: `tf.keras.optimizers.schedules.PolynomialDecay`; no known difference.
    """

    _operation = _formula("PolynomialDecay", _polynomial, ("cycle",))
    _numbers = ("initial_learning_rate", "decay_steps", "end_learning_rate", "power")
    _static, _more = ("cycle",), ("name",)

    def __init__(self, initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False,
                 name=None):  # fmt: skip
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.end_learning_rate = end_learning_rate
        self.power = power
        self.cycle = cycle
        self.name = name


class CosineDecay(_Formula):
    """Half a cosine wave, after a linear rise if there is one.

    Args:
      initial_learning_rate: float or tensor, which gives the dtype.
      decay_steps: number of steps of the decay, after which the rate stays.
      alpha: number, the share of the highest rate that is left at the end.
      name: str or None, kept for `get_config`.
      warmup_target: rate to rise to beforehand, or None.
      warmup_steps: number of steps of the rise.

    TF: `tf.keras.optimizers.schedules.CosineDecay`; no known difference.
    """

    _operation = _formula("CosineDecay", _cosine, ("warm",))

    def __init__(self, initial_learning_rate, decay_steps, alpha=0.0, name=None, warmup_target=None, warmup_steps=0):
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.alpha = alpha
        self.name = name
        self.warmup_steps = warmup_steps
        self.warmup_target = warmup_target

    def __call__(self, step):
        if any(getattr(getattr(self, name), "__func__", None) is not method for name, method in _PARTS):
            return self._by_parts(step)
        warm = self.warmup_target is not None
        numbers = (self.initial_learning_rate, self.decay_steps, self.alpha, self.warmup_steps,
                   self.warmup_target if warm else 0.0)  # fmt: skip
        nodes = tuple([_to_node(x) for x in (step, *numbers)])
        return _wrap(_engine.apply(self._operation, nodes, _engine.attributes_of(warm)))

    # The same in parts, for subclasses that override one of them.

    def _by_parts(self, step):
        rate = _convert(self.initial_learning_rate)
        dtype = rate.dtype
        decay_steps, step = _cast(self.decay_steps, dtype), _cast(step, dtype)
        if self.warmup_target is None:
            return self._decay_function(_minimum(step, decay_steps), decay_steps, rate, dtype)
        target, warmup_steps = _cast(self.warmup_target, dtype), _cast(self.warmup_steps, dtype)
        step = _minimum(step, decay_steps + warmup_steps)
        return _cond(
            step < warmup_steps,
            lambda: self._warmup_function(step, warmup_steps, target, rate),
            lambda: self._decay_function(step - warmup_steps, decay_steps, target, dtype),
        )

    def _decay_function(self, step, decay_steps, decay_from_lr, dtype):
        wave = 0.5 * (1.0 + _cos(_convert(_math.pi, dtype=dtype) * (step / decay_steps)))
        return decay_from_lr * ((1 - self.alpha) * wave + self.alpha)

    def _warmup_function(self, step, warmup_steps, warmup_target, initial_learning_rate):
        return (warmup_target - initial_learning_rate) * (step / warmup_steps) + initial_learning_rate

    def get_config(self):
        names = ("initial_learning_rate", "decay_steps", "alpha", "name", "warmup_target", "warmup_steps")
        return {name: getattr(self, name) for name in names}


_PARTS = [(name, getattr(CosineDecay, name)) for name in ("_decay_function", "_warmup_function")]


class CosineDecayRestarts(_Formula):
    """Half a cosine wave, again and again.

    Args:
      initial_learning_rate: float or tensor, which gives the dtype.
      first_decay_steps: number of steps of the first wave.
      t_mul: number, by which each wave is longer than the one before.
      m_mul: number, by which each wave starts higher than the one before.
      alpha: number, the share of the initial rate that is left at the end of a wave.
      name: str or None, kept for `get_config`.

    TF: `tf.keras.optimizers.schedules.CosineDecayRestarts`; no known difference.
    """

    _operation = _formula("CosineDecayRestarts", _restarts)
    _numbers = ("initial_learning_rate", "first_decay_steps", "_t_mul", "_m_mul", "alpha")
    _more = ("name",)

    def __init__(self, initial_learning_rate, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None):
        self.initial_learning_rate = initial_learning_rate
        self.first_decay_steps = first_decay_steps
        self._t_mul = t_mul
        self._m_mul = m_mul
        self.alpha = alpha
        self.name = name


class PiecewiseConstantDecay(LearningRateSchedule):
    """The first value up to the first boundary, included; then the second...

    Args:
      boundaries: list of numbers, increasing; cast to the dtype of the step.
      values: list of numbers, one more.
      name: str or None, kept for `get_config`.

    Raises:
      ValueError: the lengths do not fit.

    TF: `tf.keras.optimizers.schedules.PiecewiseConstantDecay`; no known difference.
    """

    _operation = _engine.Operation("PiecewiseConstant", _piecewise, ("count",))

    def __init__(self, boundaries, values, name=None):
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of length {len(values)}."
            )
        self.boundaries = boundaries
        self.values = values
        self.name = name

    def __call__(self, step):
        boundaries, values = _nest.flatten(self.boundaries), _nest.flatten(self.values)
        nodes = tuple([_to_node(x) for x in (step, *boundaries, *values)])
        return _wrap(_engine.apply(self._operation, nodes, _engine.attributes_of(len(boundaries))))

    def get_config(self):
        return {"boundaries": self.boundaries, "values": self.values, "name": self.name}


def serialize(learning_rate_schedule, use_legacy_format=False):
    """The dict that describes a schedule. TF: `tf.keras.optimizers.schedules.serialize`."""
    return _serialization.serialize(learning_rate_schedule, "keras.optimizers.schedules", use_legacy_format)


def deserialize(config, custom_objects=None, use_legacy_format=False):
    """The schedule that a dict describes; ValueError if its class is not known.

    TF: `tf.keras.optimizers.schedules.deserialize`.
    """
    known = {
        name: value
        for name, value in globals().items()
        if isinstance(value, type) and issubclass(value, LearningRateSchedule) and not name.startswith("_")
    }
    return _serialization.deserialize(config, known, custom_objects, "decay")


__getattr__ = _missing(
    "tf.keras.optimizers.schedules", otherwise="a subclass of tf.keras.optimizers.schedules.LearningRateSchedule"
)

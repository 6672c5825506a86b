"""The tables of optimizers, losses and metrics, and how each is run, on tf_keras and on tfcompat alike.

A case is run by `case.evaluate(tf)`, which returns (facts, arrays): a dict of names and numbers that must be equal,
and a dict of NumPy arrays that must be close.
"""

import dataclasses
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

STEPS = 22
SHOWN = (1, 6, STEPS)


def random(name, shape, dtype="float32", low: Any = -1.5, high: Any = 1.5):
    """A deterministic array, the same for the same name."""
    digest = hashlib.sha256(name.encode()).digest()
    generator = np.random.default_rng(int.from_bytes(digest[:8], "little"))
    if np.dtype(dtype).kind in "iu":
        return generator.integers(low, high, shape).astype(dtype)
    return generator.uniform(low, high, shape).astype(dtype)


@dataclasses.dataclass(frozen=True)
class OptimizerCase:
    """An optimizer that trains a small model, part of whose gradients are IndexedSlices.

    Attributes:
      name: unique id.
      make: function of the `tf` module that makes the optimizer.
      dtype: of variables and inputs.
      change: function of (optimizer, step), called before each step.
      constrained: whether a variable has a constraint.
    """

    name: str
    make: Callable
    dtype: str = "float32"
    change: Callable | None = None
    constrained: bool = False

    def variables(self, tf):
        constraint = tf.keras.constraints.NonNeg() if self.constrained else None
        kernel = tf.Variable(random("kernel", (3, 2), self.dtype), name="dense/kernel", constraint=constraint)
        bias = tf.Variable(random("bias", (2,), self.dtype), name="dense/bias")
        table = tf.Variable(random("table", (6, 2), self.dtype), name="embedding")
        return kernel, bias, table

    def gradients(self, tf, variables, step):
        """Gradients at a step, which is a Python or tensor number."""
        kernel, bias, table = variables
        x = tf.constant(random("x", (8, 3), self.dtype))
        y = tf.constant(random("y", (8, 2), self.dtype))
        indices = tf.constant(random("indices", (8,), "int32", 0, 5))
        with tf.GradientTape() as tape:
            hidden = tf.tanh(tf.matmul(x, kernel) + bias + tf.gather(table, indices))
            loss = tf.reduce_mean(tf.square(hidden - y)) * tf.cast(1 + step % 3, self.dtype)
        return tape.gradient(loss, variables)

    def evaluate(self, tf, through_function=False):
        optimizer = self.make(tf)
        variables = self.variables(tf)

        def one(step):
            optimizer.apply_gradients(zip(self.gradients(tf, variables, step), variables, strict=True))

        run = tf.function(one) if through_function else one
        arrays = {}
        for step in range(1, STEPS + 1):
            if self.change is not None:
                self.change(optimizer, step)
            run(tf.constant(step) if through_function else step)
            if step in SHOWN:
                for variable in (*variables, *optimizer.variables):
                    arrays[f"{variable.name} {step}"] = _plain(variable.numpy())
                arrays[f"rate {step}"] = _plain(optimizer.learning_rate.numpy())
        optimizer.finalize_variable_values(variables)
        arrays["kernel at last"] = _plain(variables[0].numpy())
        facts = {
            "variables": [f"{v.name} {v.dtype.name}{v.shape.as_list()}" for v in optimizer.variables],
            "iterations": int(optimizer.iterations),
            "config": {key: _json(value) for key, value in optimizer.get_config().items()},
        }
        return facts, arrays


def _plain(array):
    array = np.asarray(array)
    return array.astype(np.float32) if array.dtype.name in ("bfloat16", "float16") else array


def _json(value):
    if isinstance(value, dict):
        return {key: _json(item) for key, item in value.items()}
    return float(value) if isinstance(value, np.floating) else value


def _made(kind, *args, **options):
    return lambda tf: getattr(tf.keras.optimizers, kind)(*args, **options)


def _scheduled(kind, *args, **options):
    return lambda tf: tf.keras.optimizers.SGD(getattr(tf.keras.optimizers.schedules, kind)(*args, **options))


def _change_rate(optimizer, step):
    if step == 5:
        optimizer.learning_rate = 0.02
    if step == 9:
        optimizer.lr.assign(0.2)


def _without_bias(tf):
    optimizer = tf.keras.optimizers.AdamW(0.05, weight_decay=0.1)
    optimizer.exclude_from_weight_decay(var_names=["bias"])
    return optimizer


def _custom(tf):
    class Signs(tf.keras.optimizers.Optimizer):
        def __init__(self, learning_rate=0.1, **options):
            super().__init__(name="Signs", **options)
            self._learning_rate = self._build_learning_rate(learning_rate)

        def build(self, var_list):
            super().build(var_list)
            if not getattr(self, "_built", False):
                self.sums = [self.add_variable_from_reference(v, "sum") for v in var_list]
                self._built = True

        def update_step(self, gradient, variable):
            total = self.sums[self._index_dict[self._var_key(variable)]]
            if isinstance(gradient, tf.IndexedSlices):
                total.scatter_add(gradient)
            else:
                total.assign_add(gradient)
            variable.assign_sub(tf.cast(self.learning_rate, variable.dtype) * tf.sign(total))

        def get_config(self):
            return super().get_config()

    return Signs(0.01, weight_decay=0.1, use_ema=True, ema_overwrite_frequency=4)


OPTIMIZERS = [
    OptimizerCase("SGD", _made("SGD", 0.1)),
    OptimizerCase("SGD momentum", _made("SGD", 0.1, momentum=0.9)),
    OptimizerCase("SGD nesterov", _made("SGD", 0.1, momentum=0.8, nesterov=True)),
    OptimizerCase("SGD default", _made("SGD")),
    OptimizerCase("SGD decay", _made("SGD", 0.1, weight_decay=0.2)),
    OptimizerCase("SGD clipnorm", _made("SGD", 0.1, clipnorm=0.05)),
    OptimizerCase("SGD clipvalue", _made("SGD", 0.1, clipvalue=0.02)),
    OptimizerCase("SGD global_clipnorm", _made("SGD", 0.1, global_clipnorm=0.1)),
    OptimizerCase("SGD average", _made("SGD", 0.1, use_ema=True, ema_momentum=0.7)),
    OptimizerCase("SGD float64", _made("SGD", 0.1, momentum=0.9), "float64"),
    OptimizerCase("SGD rate", _made("SGD", 0.1), change=_change_rate),
    OptimizerCase("SGD constrained", _made("SGD", 0.1), constrained=True),
    OptimizerCase("RMSprop", _made("RMSprop", 0.05)),
    OptimizerCase("RMSprop momentum", _made("RMSprop", 0.01, rho=0.8, momentum=0.5, epsilon=1e-4)),
    OptimizerCase("RMSprop centered", _made("RMSprop", 0.01, centered=True)),
    OptimizerCase("RMSprop all", _made("RMSprop", 0.01, momentum=0.5, centered=True, use_ema=True)),
    OptimizerCase("Adagrad", _made("Adagrad", 0.1)),
    OptimizerCase("Adagrad start", _made("Adagrad", 0.1, initial_accumulator_value=0.5, epsilon=1e-3)),
    OptimizerCase("Adadelta", _made("Adadelta", 1.0)),
    OptimizerCase("Adadelta options", _made("Adadelta", 0.5, rho=0.8, epsilon=1e-3)),
    OptimizerCase("Adam", _made("Adam", 0.05)),
    OptimizerCase("Adam default", _made("Adam")),
    OptimizerCase("Adam options", _made("Adam", 0.05, beta_1=0.8, beta_2=0.95, epsilon=1e-3)),
    OptimizerCase("Adam adaptive_epsilon", _made("Adam", 0.05, epsilon=1e-2, adaptive_epsilon=True)),
    OptimizerCase("Adam amsgrad", _made("Adam", 0.05, amsgrad=True, beta_2=0.8)),
    OptimizerCase("Adam float64", _made("Adam", 0.05), "float64"),
    OptimizerCase("Adam bfloat16", _made("Adam", 0.05), "bfloat16"),
    OptimizerCase("Adam rate", _made("Adam", 0.1), change=_change_rate),
    OptimizerCase(
        "Adam average", _made("Adam", 0.05, use_ema=True, ema_momentum=0.8, ema_overwrite_frequency=5)
    ),
    OptimizerCase("Adam clipped", _made("Adam", 0.05, global_clipnorm=0.2, weight_decay=0.05)),
    OptimizerCase("AdamW", _made("AdamW", 0.05)),
    OptimizerCase("AdamW amsgrad", _made("AdamW", 0.05, weight_decay=0.3, amsgrad=True)),
    OptimizerCase("AdamW excluded", _without_bias),
    OptimizerCase("Adamax", _made("Adamax", 0.05)),
    OptimizerCase("Nadam", _made("Nadam", 0.05)),
    OptimizerCase("Ftrl", _made("Ftrl", 0.1)),
    OptimizerCase(
        "Ftrl options",
        _made(
            "Ftrl", 0.1, learning_rate_power=-0.7, initial_accumulator_value=0.3, l1_regularization_strength=0.01,
            l2_regularization_strength=0.02, l2_shrinkage_regularization_strength=0.03, beta=0.1,
        ),
    ),  # fmt: skip
    OptimizerCase("Lion", _made("Lion", 0.01)),
    OptimizerCase("Lion options", _made("Lion", 0.01, beta_1=0.8, beta_2=0.7, weight_decay=0.1)),
    OptimizerCase("Adafactor", _made("Adafactor", 0.1)),
    OptimizerCase("Adafactor options", _made("Adafactor", 0.1, relative_step=False, clip_threshold=0.5)),
    OptimizerCase("ExponentialDecay", _scheduled("ExponentialDecay", 0.1, 7, 0.5)),
    OptimizerCase("ExponentialDecay staircase", _scheduled("ExponentialDecay", 0.1, 7, 0.5, staircase=True)),
    OptimizerCase("InverseTimeDecay", _scheduled("InverseTimeDecay", 0.1, 7, 0.5)),
    OptimizerCase("InverseTimeDecay staircase", _scheduled("InverseTimeDecay", 0.1, 7, 0.5, staircase=True)),
    OptimizerCase("PolynomialDecay", _scheduled("PolynomialDecay", 0.1, 12, 0.01, power=2.0)),
    OptimizerCase("PolynomialDecay cycle", _scheduled("PolynomialDecay", 0.1, 5, cycle=True)),
    OptimizerCase("CosineDecay", _scheduled("CosineDecay", 0.1, 15, alpha=0.1)),
    OptimizerCase("CosineDecay warmup", _scheduled("CosineDecay", 0.0, 10, warmup_target=0.2, warmup_steps=5)),
    OptimizerCase("CosineDecayRestarts", _scheduled("CosineDecayRestarts", 0.1, 4, alpha=0.1, m_mul=0.8)),
    OptimizerCase("CosineDecayRestarts equal", _scheduled("CosineDecayRestarts", 0.1, 4, t_mul=1.0)),
    OptimizerCase("PiecewiseConstantDecay", _scheduled("PiecewiseConstantDecay", [3, 8], [0.1, 0.05, 0.2])),
    OptimizerCase("custom", _custom),
]

CASES = [*OPTIMIZERS]

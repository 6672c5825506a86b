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
                for variable in (*variables, *_variables_of(optimizer)):
                    arrays[f"{variable.name} {step}"] = _plain(variable.numpy())
                arrays[f"rate {step}"] = _plain(_rate_of(optimizer).numpy())
        if hasattr(optimizer, "finalize_variable_values"):
            optimizer.finalize_variable_values(variables)
        arrays["kernel at last"] = _plain(variables[0].numpy())
        facts = {
            "variables": [f"{v.name} {v.dtype.name}{v.shape.as_list()}" for v in _variables_of(optimizer)],
            "iterations": int(optimizer.iterations),
            "config": {key: _json(value) for key, value in optimizer.get_config().items()},
        }
        return facts, arrays


def _variables_of(optimizer):
    """The list of variables, which is a method of the older optimizers."""
    return optimizer.variables() if hasattr(optimizer, "get_slot") else optimizer.variables


def _rate_of(optimizer):
    return optimizer._decayed_lr("float32") if hasattr(optimizer, "_decayed_lr") else optimizer.learning_rate


def _plain(array):
    array = np.asarray(array)
    return array.astype(np.float32) if array.dtype.name in ("bfloat16", "float16") else array


def _json(value):
    if isinstance(value, dict):
        return {key: _json(item) for key, item in value.items()}
    return float(value) if isinstance(value, np.floating) else value


def _made(kind, *args, **options):
    return lambda tf: getattr(tf.keras.optimizers, kind)(*args, **options)


def _legacy(kind, *args, **options):
    return lambda tf: getattr(tf.keras.optimizers.legacy, kind)(*args, **options)


def _change_hypers(optimizer, step):
    if step == 5:
        optimizer.learning_rate, optimizer.beta_1 = 0.02, 0.7
    if step == 9:
        optimizer.lr.assign(0.2)


def _legacy_scheduled(tf):
    return tf.keras.optimizers.legacy.SGD(tf.keras.optimizers.schedules.ExponentialDecay(0.1, 7, 0.5), momentum=0.5)


def _legacy_custom(tf):
    class Signs(tf.keras.optimizers.legacy.Optimizer):
        def __init__(self, learning_rate=0.01, name="Signs", **options):
            super().__init__(name, **options)
            self._set_hyper("learning_rate", learning_rate)

        def _create_slots(self, var_list):
            for variable in var_list:
                self.add_slot(variable, "sum", "ones")

        def _resource_apply_dense(self, grad, var, apply_state=None):
            rate = apply_state[var.device, var.dtype.base_dtype]["lr_t"]
            total = self.get_slot(var, "sum")
            total.assign_add(grad)
            return var.assign_sub(rate * tf.sign(total))

        def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
            rate = (apply_state or {})[var.device, var.dtype.base_dtype]["lr_t"]
            return var.scatter_sub(tf.IndexedSlices(rate * tf.sign(grad), indices))

        def get_config(self):
            return {**super().get_config(), "learning_rate": self._serialize_hyperparameter("learning_rate")}

    transform = [lambda pairs: [(g if isinstance(g, tf.IndexedSlices) else 2.0 * g, v) for g, v in pairs]]
    return Signs(decay=0.1, gradient_transformers=transform)


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
    OptimizerCase("SGD decay", _made("SGD", 0.1, weight_decay=0.2)),
    OptimizerCase("SGD clipnorm", _made("SGD", 0.1, clipnorm=0.05)),
    OptimizerCase("SGD clipvalue", _made("SGD", 0.1, clipvalue=0.02)),
    OptimizerCase("SGD global_clipnorm", _made("SGD", 0.1, global_clipnorm=0.1)),
    OptimizerCase("SGD average", _made("SGD", 0.1, use_ema=True, ema_momentum=0.7)),
    OptimizerCase("SGD constrained", _made("SGD", 0.1), constrained=True),
    OptimizerCase("RMSprop", _made("RMSprop", 0.05)),
    OptimizerCase("RMSprop momentum", _made("RMSprop", 0.01, rho=0.8, momentum=0.5, epsilon=1e-4)),
    OptimizerCase("RMSprop centered", _made("RMSprop", 0.01, centered=True)),
    OptimizerCase("Adagrad", _made("Adagrad", 0.1)),
    OptimizerCase("Adadelta", _made("Adadelta", 1.0)),
    OptimizerCase("Adam", _made("Adam", 0.05)),
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
    OptimizerCase("Adafactor", _made("Adafactor", 0.1)),
    OptimizerCase("Adafactor options", _made("Adafactor", 0.1, relative_step=False, clip_threshold=0.5)),
    OptimizerCase("ExponentialDecay", _scheduled("ExponentialDecay", 0.1, 7, 0.5)),
    OptimizerCase("InverseTimeDecay", _scheduled("InverseTimeDecay", 0.1, 7, 0.5)),
    OptimizerCase("PolynomialDecay", _scheduled("PolynomialDecay", 0.1, 12, 0.01, power=2.0)),
    OptimizerCase("PolynomialDecay cycle", _scheduled("PolynomialDecay", 0.1, 5, cycle=True)),
    OptimizerCase("CosineDecay", _scheduled("CosineDecay", 0.1, 15, alpha=0.1)),
    OptimizerCase("CosineDecay warmup", _scheduled("CosineDecay", 0.0, 10, warmup_target=0.2, warmup_steps=5)),
    OptimizerCase("CosineDecayRestarts", _scheduled("CosineDecayRestarts", 0.1, 4, alpha=0.1, m_mul=0.8)),
    OptimizerCase("CosineDecayRestarts equal", _scheduled("CosineDecayRestarts", 0.1, 4, t_mul=1.0)),
    OptimizerCase("PiecewiseConstantDecay", _scheduled("PiecewiseConstantDecay", [3, 8], [0.1, 0.05, 0.2])),
    OptimizerCase("custom", _custom),
    OptimizerCase("legacy SGD", _legacy("SGD", 0.1, decay=0.2)),
    OptimizerCase("legacy SGD nesterov", _legacy("SGD", 0.1, momentum=0.8, nesterov=True, clipnorm=0.05)),
    OptimizerCase("legacy schedule", _legacy_scheduled),
    OptimizerCase("legacy Adam", _legacy("Adam", 0.05, clipvalue=0.02), change=_change_hypers),
    OptimizerCase("legacy Adam float64", _legacy("Adam", 0.05, amsgrad=True, beta_2=0.8), "float64"),
    OptimizerCase("legacy RMSprop", _legacy("RMSprop", 0.05, global_clipnorm=0.1)),
    OptimizerCase("legacy RMSprop centered", _legacy("RMSprop", 0.01, centered=True)),
    OptimizerCase("legacy RMSprop momentum", _legacy("RMSprop", 0.01, momentum=0.5, centered=True, epsilon=1e-4)),
    OptimizerCase("legacy Adagrad", _legacy("Adagrad", 0.1)),
    OptimizerCase("legacy Adadelta", _legacy("Adadelta", 1.0)),
    OptimizerCase("legacy Adamax", _legacy("Adamax", 0.05)),
    OptimizerCase("legacy Nadam", _legacy("Nadam", 0.05)),
    OptimizerCase("legacy Ftrl", _legacy("Ftrl", 0.1)),
    OptimizerCase(
        "legacy Ftrl options",
        _legacy(
            "Ftrl", 0.1, learning_rate_power=-0.7, initial_accumulator_value=0.3, l1_regularization_strength=0.01,
            l2_regularization_strength=0.02, l2_shrinkage_regularization_strength=0.03, beta=0.1,
        ),
    ),  # fmt: skip
    OptimizerCase("legacy custom", _legacy_custom),
]



@dataclasses.dataclass(frozen=True)
class LossCase:
    """A loss that trains scores, or a layer with an activation, by gradient descent.

    Attributes:
      name: unique id.
      make: function of the `tf` module that makes the loss: an object, or a function of targets and predictions.
      targets: kind of targets: "real", "binary", "signed", "onehot", "label", "column" or "positive".
      activation: name of what is applied to the scores.
      weights: shape of the sample weights, or None.
      shape: of the scores.
      dtype: of scores and real targets.
    """

    name: str
    make: Callable
    targets: str = "real"
    activation: str = "linear"
    weights: tuple | None = None
    shape: tuple = (6, 3)
    dtype: str = "float32"

    def evaluate(self, tf):
        loss = self.make(tf)
        targets = tf.constant(self.array_of_targets())
        arguments = () if self.weights is None else (random("weights", self.weights, low=0.1, high=2.0),)
        scores = tf.Variable(random("scores", self.shape, self.dtype))
        activation = tf.keras.activations.get(self.activation)
        arrays, facts = {}, {}
        for step in range(1, STEPS + 1):
            with tf.GradientTape() as tape:
                value = loss(targets, activation(tf.identity(scores)), *arguments)
            gradient = tape.gradient(value, scores)
            scores.assign_sub(0.1 * gradient)
            if step in SHOWN:
                arrays |= {f"value {step}": value.numpy(), f"gradient {step}": gradient.numpy()}
        facts["value"] = f"{value.dtype.name}{value.shape.as_list()}"
        if hasattr(loss, "get_config"):
            facts["config"] = {key: _json(item) for key, item in loss.get_config().items()}
        return facts, arrays

    def array_of_targets(self):
        return targets_of(self.targets, self.name, self.shape, self.dtype)


def targets_of(kind, name, shape, dtype="float32"):
    """Targets for predictions of a shape."""
    if kind == "binary":
        return random(f"{name} targets", shape, "int32", 0, 2).astype(dtype)
    if kind == "signed":
        return (2 * random(f"{name} targets", shape, "int32", 0, 2) - 1).astype(dtype)
    if kind in ("label", "column", "onehot"):
        labels = random(f"{name} targets", shape[:-1], "int64", 0, shape[-1])
        if kind == "onehot":
            return np.eye(shape[-1], dtype=dtype)[labels]
        return labels if kind == "label" else labels[..., None]
    return random(f"{name} targets", shape, dtype, 0.1 if kind == "positive" else -1.5, 1.5)


def _loss(kind, *args, **options):
    return lambda tf: getattr(tf.keras.losses, kind)(*args, **options)


def _function(name, **options):
    return lambda tf: lambda y_true, y_pred: getattr(tf.keras.losses, name)(y_true, y_pred, **options)


LOSSES = [
    LossCase("MeanSquaredError", _loss("MeanSquaredError")),
    LossCase("MeanSquaredError sum", _loss("MeanSquaredError", reduction="sum"), weights=(6,)),
    LossCase("MeanSquaredError none", _loss("MeanSquaredError", reduction="none"), weights=(6, 1)),
    LossCase("MeanSquaredError float64", _loss("MeanSquaredError"), dtype="float64", weights=()),
    LossCase("MeanSquaredError rank 3", _loss("MeanSquaredError"), shape=(2, 4, 3), weights=(2, 4)),
    LossCase("MeanAbsoluteError", _loss("MeanAbsoluteError")),
    LossCase("MeanAbsolutePercentageError", _loss("MeanAbsolutePercentageError", reduction="none")),
    LossCase("MeanSquaredLogarithmicError", _loss("MeanSquaredLogarithmicError"), targets="positive"),
    LossCase("Huber", _loss("Huber")),
    LossCase("Huber delta", _loss("Huber", delta=0.3)),
    LossCase("LogCosh", _loss("LogCosh")),
    LossCase("Hinge", _loss("Hinge"), targets="binary"),
    LossCase("SquaredHinge", _loss("SquaredHinge"), targets="binary"),
    LossCase("CategoricalHinge", _loss("CategoricalHinge"), targets="onehot"),
    LossCase("Poisson", _loss("Poisson"), targets="positive", activation="exponential"),
    LossCase("KLDivergence", _loss("KLDivergence"), targets="positive", activation="softmax"),
    LossCase("CosineSimilarity", _loss("CosineSimilarity")),
    LossCase("BinaryCrossentropy", _loss("BinaryCrossentropy"), "binary", "sigmoid"),
    LossCase("BinaryCrossentropy logits", _loss("BinaryCrossentropy", from_logits=True), "binary"),
    LossCase("BinaryCrossentropy smooth", _loss("BinaryCrossentropy", label_smoothing=0.1), "binary", "sigmoid"),
    LossCase("BinaryCrossentropy probabilities", _loss("BinaryCrossentropy"), "binary", "hard_sigmoid", (6,)),
    LossCase("BinaryFocalCrossentropy", _loss("BinaryFocalCrossentropy"), "binary", "sigmoid"),
    LossCase(
        "BinaryFocalCrossentropy options",
        _loss("BinaryFocalCrossentropy", True, alpha=0.3, gamma=1.5, from_logits=True, label_smoothing=0.1), "binary",
    ),
    LossCase("CategoricalCrossentropy", _loss("CategoricalCrossentropy"), "onehot", "softmax"),
    LossCase("CategoricalCrossentropy logits", _loss("CategoricalCrossentropy", from_logits=True), "onehot"),
    LossCase(
        "CategoricalCrossentropy smooth",
        _loss("CategoricalCrossentropy", label_smoothing=0.2, reduction="sum"), "onehot", "hard_sigmoid", (6,),
    ),
    LossCase("CategoricalFocalCrossentropy", _loss("CategoricalFocalCrossentropy"), "onehot", "exponential"),
    LossCase(
        "CategoricalFocalCrossentropy options",
        _loss("CategoricalFocalCrossentropy", 0.4, 1.5, from_logits=True, label_smoothing=0.1), "onehot",
    ),
    LossCase("SparseCategoricalCrossentropy", _loss("SparseCategoricalCrossentropy"), "label", "softmax"),
    LossCase("SparseCategoricalCrossentropy logits", _loss("SparseCategoricalCrossentropy", True), "column"),
    LossCase(
        "SparseCategoricalCrossentropy probabilities", _loss("SparseCategoricalCrossentropy"), "label", "hard_sigmoid",
    ),
    LossCase(
        "SparseCategoricalCrossentropy rank 3", _loss("SparseCategoricalCrossentropy", True), "label",
        shape=(2, 4, 3), weights=(2, 4),
    ),
    LossCase("SparseCategoricalCrossentropy ignore", _loss("SparseCategoricalCrossentropy", True, 1), "label"),
    LossCase("binary_crossentropy axis", _function("binary_crossentropy", from_logits=True, axis=0), "binary"),
    LossCase(
        "sparse_categorical_crossentropy axis", _function("sparse_categorical_crossentropy", from_logits=True, axis=1),
        "label",
    ),
]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class MetricCase:
    """A metric that sees a batch at each step.

    Attributes:
      name: unique id.
      make: function of the `tf` module that makes the metric.
      targets: kind of targets, as in LossCase, or None where the metric takes values.
      predictions: "real", "probabilities" or "label".
      weights: shape of the sample weights, or None.
      shape: of the predictions.
    """

    name: str
    make: Callable
    targets: str | None = "real"
    predictions: str = "real"
    weights: tuple | None = None
    shape: tuple = (6, 3)
    dtype: str = "float32"

    def evaluate(self, tf, through_function=False):
        metric = self.make(tf)
        update = tf.function(metric.update_state) if through_function else metric.update_state
        arrays = {}
        for step in range(1, STEPS + 1):
            update(*[tf.constant(array) for array in self.batch(step)])
            if step in SHOWN:
                arrays[f"result {step}"] = metric.result().numpy()
        for i, variable in enumerate(metric.variables):
            arrays[f"variable {i}"] = variable.numpy()
        facts = {
            "name": metric.name,
            "variables": [f"{v.name} {v.dtype.name}{v.shape.as_list()}" for v in metric.variables],
            "config": {key: _listed(value) for key, value in metric.get_config().items()},
        }
        metric.reset_state()
        arrays["variables after reset"] = np.array([float(tf.reduce_sum(v)) for v in metric.variables])
        return facts, arrays

    def batch(self, step):
        name = f"{self.name} {step}"
        kind = {"real": "real", "probabilities": "positive", "label": "label"}[self.predictions]
        predictions = targets_of(kind, f"{name} predictions", self.shape)
        if self.predictions == "probabilities":
            predictions = (predictions - 0.1) / 1.4
        targets = () if self.targets is None else (targets_of(self.targets, name, self.shape),)
        weights = () if self.weights is None else (random(f"{name} weights", self.weights, low=0.1, high=2.0),)
        return (*targets, predictions, *weights)


def _listed(value):
    return np.asarray(value).tolist() if isinstance(value, np.ndarray | list) else _json(value)


def _metric(kind, *args, **options):
    return lambda tf: getattr(tf.keras.metrics, kind)(*args, **options)


_REGRESSIONS = (
    "MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError RootMeanSquaredError LogCoshError CosineSimilarity"
).split()

METRICS = [
    MetricCase("metric Mean", _metric("Mean"), None),
    MetricCase("metric Mean weighted", _metric("Mean", "average", "float64"), None, weights=(6, 3)),
    MetricCase("metric Mean of rows", _metric("Mean"), None, weights=(6,), shape=(6, 3, 2)),
    MetricCase("metric Sum", _metric("Sum"), None, weights=(6,)),
    MetricCase("metric MeanTensor", _metric("MeanTensor"), None, weights=(6, 1)),
    *[MetricCase(f"metric {name}", _metric(name)) for name in _REGRESSIONS],
    MetricCase(
        "metric MeanSquaredLogarithmicError", _metric("MeanSquaredLogarithmicError"), "positive", "probabilities",
    ),
    MetricCase("metric MeanRelativeError", _metric("MeanRelativeError", [[1.0, 2.0, 3.0]])),
    MetricCase("metric R2Score", _metric("R2Score"), weights=(6,)),
    MetricCase("metric R2Score options", _metric("R2Score", "variance_weighted_average", 2)),
    MetricCase("metric Hinge", _metric("Hinge"), "binary"),
    MetricCase("metric SquaredHinge", _metric("SquaredHinge"), "signed"),
    MetricCase("metric CategoricalHinge", _metric("CategoricalHinge"), "onehot"),
    MetricCase("metric Poisson", _metric("Poisson"), "positive", "probabilities"),
    MetricCase("metric KLDivergence", _metric("KLDivergence"), "positive", "probabilities"),
    MetricCase(
        "metric BinaryCrossentropy", _metric("BinaryCrossentropy", label_smoothing=0.1), "binary", "probabilities",
    ),
    MetricCase("metric CategoricalCrossentropy", _metric("CategoricalCrossentropy"), "onehot", "probabilities", (6,)),
    MetricCase(
        "metric SparseCategoricalCrossentropy", _metric("SparseCategoricalCrossentropy", from_logits=True), "column"
    ),
    MetricCase("metric Accuracy", _metric("Accuracy"), "label", "label"),
    MetricCase("metric BinaryAccuracy", _metric("BinaryAccuracy", threshold=0.4), "binary", "probabilities", (6,)),
    MetricCase("metric CategoricalAccuracy", _metric("CategoricalAccuracy"), "onehot"),
    MetricCase("metric SparseCategoricalAccuracy", _metric("SparseCategoricalAccuracy"), "label", weights=(6,)),
    MetricCase("metric TopKCategoricalAccuracy", _metric("TopKCategoricalAccuracy", 2), "onehot"),
    MetricCase("metric SparseTopKCategoricalAccuracy", _metric("SparseTopKCategoricalAccuracy", 2), "label"),
    *[
        MetricCase(f"metric {name}", _metric(name), "binary", "probabilities")
        for name in ("TruePositives", "FalsePositives", "TrueNegatives", "FalseNegatives", "Precision", "Recall", "AUC")
    ],
    MetricCase("metric FalsePositives even", _metric("FalsePositives", [0.0, 0.5, 1.0]), "binary", "probabilities"),
    MetricCase("metric Precision top k", _metric("Precision", top_k=2), "onehot", "probabilities"),
    MetricCase("metric Recall class", _metric("Recall", [0.3, 0.6], class_id=1), "onehot", "probabilities", (6, 1)),
    MetricCase(
        "metric SensitivityAtSpecificity", _metric("SensitivityAtSpecificity", 0.4), "binary", "probabilities",
    ),
    MetricCase(
        "metric SpecificityAtSensitivity", _metric("SpecificityAtSensitivity", 0.4, 10), "binary", "probabilities",
    ),
    MetricCase("metric PrecisionAtRecall", _metric("PrecisionAtRecall", 0.3, 1), "binary", "probabilities"),
    MetricCase("metric RecallAtPrecision", _metric("RecallAtPrecision", 0.45), "binary", "probabilities"),
    MetricCase("metric AUC PR", _metric("AUC", curve="PR"), "binary", "probabilities", (6, 3)),
    MetricCase("metric AUC gain", _metric("AUC", curve="PR_GAIN"), "binary", "probabilities"),
    MetricCase("metric AUC thresholds", _metric("AUC", thresholds=[0.2, 0.7, 0.4]), "binary", "probabilities"),
    MetricCase(
        "metric AUC labels", _metric("AUC", 20, multi_label=True, num_labels=3, label_weights=[1.0, 2.0, 0.5]),
        "binary", "probabilities",
    ),
    MetricCase("metric AUC logits", _metric("AUC", from_logits=True), "binary"),
    MetricCase("metric IoU", _metric("IoU", 3, [0, 2]), "label", "label", (6,)),
    MetricCase("metric MeanIoU ignore", _metric("MeanIoU", 3, ignore_class=1), "label", "label"),
    MetricCase("metric BinaryIoU", _metric("BinaryIoU", threshold=0.3), "binary", "probabilities"),
    MetricCase("metric OneHotIoU", _metric("OneHotIoU", 3, [1]), "onehot"),
    MetricCase("metric OneHotMeanIoU", _metric("OneHotMeanIoU", 3), "onehot"),
    MetricCase("metric FBetaScore", _metric("FBetaScore", "weighted", 2.0), "onehot", "probabilities", (6,)),
    MetricCase("metric F1Score", _metric("F1Score"), "onehot", "probabilities"),
]  # fmt: skip

CASES = [*OPTIMIZERS, *LOSSES, *METRICS]

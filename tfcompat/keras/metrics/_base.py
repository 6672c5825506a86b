"""`Metric`, and means and sums of values."""

import functools
import warnings
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat import engine, nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import op
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable, unread, updated
from tfcompat._core.variable_context import VariableAggregation, VariableSynchronization
from tfcompat._tracing import status as autograph
from tfcompat.array import cast, expand_dims, identity, ones_like
from tfcompat.debugging import assert_equal
from tfcompat.distribute import get_replica_context
from tfcompat.function import init_scope
from tfcompat.keras.losses._base import apply_valid_mask, squeeze_or_expand_dimensions
from tfcompat.layers._layer.call_context import call_context
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.registry import keras_objects
from tfcompat.layers._layer.serialization import deserialize
from tfcompat.math import divide_no_nan, multiply
from tfcompat.ragged._tensor import RaggedTensor

SUM, WEIGHTED_MEAN, OVER_BATCH_SIZE = "sum", "weighted_mean", "sum_over_batch_size"


class Metric(Layer):
    """A number computed from many batches; to be subclassed.

    Args:
      name: str; by default the name of the class in snake case.
      dtype: dtype of the state, `tf.keras.backend.floatx()` by default.

    A subclass makes its state with `add_weight` in the constructor, changes it in `update_state`, and computes the
    number in `result`. Called, a metric updates its state and returns the result.

    TF: `tf.keras.metrics.Metric` of Keras 2.
    """

    _is_metric = True

    def __init__(self, name=None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype, **kwargs)
        self.stateful = True
        self.built = True

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "result" in cls.__dict__:
            if not cls.__module__.startswith("tfcompat."):
                cls.result = _giving_tensors(cls.result)
            cls.result = _of_all_replicas(cls.result)
        if "update_state" in cls.__dict__ and not cls.__module__.startswith("tfcompat."):
            cls.update_state = _converted(cls.update_state)

    def __call__(self, *args, **kwargs):
        """Updates the state; returns the result of all that has been seen since the last reset."""
        self.update_state(*args, **kwargs)
        result = self.result()
        if call_context.current[0] is not None and isinstance(result, Tensor):
            result._metric_obj = self  # for `Layer.add_metric`
        return result

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Takes values in; for subclasses."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def result(self) -> Any:
        """The number, a scalar tensor, or a dict of these; for subclasses."""
        raise NotImplementedError("Must be implemented in subclasses.")

    def reset_state(self):
        """Sets the state to zeros."""
        for variable in self.variables:
            zeros = np.zeros(variable.shape.as_list(), variable.dtype.np)
            if engine.state.graph.symbolic:
                variable.assign(zeros)
            else:  # without an operation, so that the step after a reset is the same program as any other
                variable._own(engine.leaf(zeros))

    def reset_states(self):
        """Deprecated name of `reset_state`."""
        return self.reset_state()

    def merge_state(self, metrics):
        """Adds the states of metrics of the same kind.

        Raises:
          ValueError: a metric has another number of variables.
        """
        updates = []
        for metric in metrics:
            if len(self.weights) != len(metric.weights):
                raise ValueError(f"Metric {metric} is not compatible with {self}")
            updates += [one.assign_add(other) for one, other in zip(self.weights, metric.weights, strict=True)]
        return updates

    def add_weight(self, name, shape=(), aggregation=VariableAggregation.SUM,
                   synchronization=VariableSynchronization.ON_READ, initializer: Any = None,
                   dtype=None) -> Any:  # fmt: skip
        """Makes a variable of the state; arguments as for `Layer.add_weight`."""
        with init_scope():
            return super().add_weight(
                name, shape, dtype or self.dtype, initializer, trainable=False, synchronization=synchronization,
                aggregation=aggregation,
            )  # fmt: skip

    def _of_children(self, kind):
        """A metric's weights are its own and those of metrics in it, not those of a model that it asks."""
        return [variable for metric in self.__dict__.get("_metrics", ()) for variable in getattr(metric, kind)]

    def get_config(self):
        """The constructor's arguments, as a dict that `from_config` takes."""
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config):
        """The metric that `config`, from `get_config`, describes, with its state reset."""
        return cls(**config)

    def __str__(self):
        return f"{type(self).__name__}({','.join(f'{k}={v}' for k, v in self.get_config().items())})"

    def __deepcopy__(self, memo):
        duplicate = type(self).from_config(self.get_config())
        if self.weights:
            duplicate.set_weights(self.get_weights())
        memo[id(self)] = duplicate
        return duplicate


def _converted(method):
    """A user's method, whose control flow over tensors AutoGraph converts in a `tf.function`, `fit`'s among them."""

    @functools.wraps(method)
    def wrapped(self, *args, **kwargs):
        return autograph.converted(method)(self, *args, **kwargs)

    return wrapped


def _of_all_replicas(result):
    """A `result` method that in the function of a replica gives the result of all replicas."""

    @functools.wraps(result)
    def wrapped(self, *args, **kwargs):
        if engine.state.context.replica is None:
            return result(self, *args, **kwargs)
        return get_replica_context().merge_call(lambda strategy: result(self, *args, **kwargs))

    return wrapped


def _giving_tensors(result):
    """A user's `result` method, whose results become tensors."""

    @functools.wraps(result)
    def wrapped(self, *args, **kwargs):
        value = autograph.converted(result)(self, *args, **kwargs)
        try:
            return nest.map_structure(identity, value) if isinstance(value, dict) else identity(value)
        except (ValueError, TypeError):
            raise RuntimeError(
                "The output of `metric.result()` can only be a single Tensor/Variable, or a dict of "
                f"Tensors/Variables. For metric {self.name}, got result {value}."
            ) from None

    return wrapped


# --- weights --------------------------------------------------------------------------------------------------------


def spread_weights(weights, values):
    """Weights in the shape of `values`; None if no broadcasting of weights leads there (each size equal or 1)."""
    if weights.ndim == 0:
        return jnp.broadcast_to(weights, values.shape)
    if weights.ndim != values.ndim or any(w not in (1, v) for w, v in zip(weights.shape, values.shape, strict=True)):
        return None
    return jnp.broadcast_to(weights, values.shape)


def fit_weights(weights, values):
    """Weights with a last axis of size 1 added or taken away where that fits `values`."""
    if weights.ndim and weights.ndim - values.ndim == 1:
        return jnp.squeeze(weights, -1)
    if weights.ndim and values.ndim - weights.ndim == 1:
        return weights[..., None]
    return weights


@op("_reduced_values", kernel="AssignAddVariableOp", tensors=("values", "total", "count", "weights"), same=())
def _reduced_values(values, total, count: Any = None, weights: Any = None, reduction=WEIGHTED_MEAN):
    """The new total, and the new count unless it is None."""
    dtype = total.dtype
    values = values.astype(dtype)
    if weights is not None:
        weights = fit_weights(weights.astype(dtype), values)
        spread = spread_weights(weights, values)
        if spread is None:
            axes = tuple(range(weights.ndim, values.ndim))
            values = jnp.sum(values, axes) if reduction == SUM else jnp.mean(values, axes)
            spread = weights
        weights = spread
        values = values * weights
    total = total + jnp.sum(values, dtype=dtype)
    if reduction == SUM:
        return (total,)
    if reduction == WEIGHTED_MEAN and weights is not None:
        return total, count + jnp.sum(weights, dtype=dtype)
    return total, count + jnp.asarray(values.size, dtype)


class Reduce(Metric):
    """A sum or mean of all values seen."""

    def __init__(self, reduction, name, dtype=None):
        super().__init__(name=name, dtype=dtype)
        self.reduction = reduction
        self.total = self.add_weight("total", initializer="zeros")
        if reduction != SUM:
            self.count = self.add_weight("count", initializer="zeros")

    def update_state(self, values, sample_weight=None):
        """Takes values in.

        Args:
          values: tensor of any shape, cast to the metric's dtype.
          sample_weight: number, or tensor that broadcasts against `values`, or None. With fewer axes, values are
            reduced along the others first.

        Raises:
          RuntimeError: `values` is no tensor.
        """
        try:
            values = convert_to_tensor(values)
        except (ValueError, TypeError):
            message = f"The output of a metric function can only be a single Tensor. Received: {values}. "
            if isinstance(values, dict):
                message += "To return a dict of values, implement a custom Metric subclass."
            raise RuntimeError(message) from None
        count = None if self.reduction == SUM else self.count
        variables = [self.total] if count is None else [self.total, count]

        def reduced(*_):  # the op reads the variables once more; what it reads is what is there, or it is called again
            totals: Any = _reduced_values(values, self.total, count, sample_weight, self.reduction)
            return tuple([total._node for total in totals])

        updated(variables, reduced)
        return unread(variables[-1])

    def result(self):
        """The sum or mean, a scalar tensor; 0 before anything was seen."""
        return identity(self.total) if self.reduction == SUM else divide_no_nan(self.total, self.count)


class Sum(Reduce):
    """The sum of all values, weighted. TF: `tf.keras.metrics.Sum`; no known difference."""

    def __init__(self, name="sum", dtype=None):
        super().__init__(SUM, name, dtype)


class Mean(Reduce):
    """The mean of all values, weighted. TF: `tf.keras.metrics.Mean`; no known difference."""

    def __init__(self, name: Any = "mean", dtype=None):
        super().__init__(WEIGHTED_MEAN, name, dtype)


class MeanMetricWrapper(Mean):
    """The mean of a function of targets and predictions.

    Args:
      fn: function of (y_true, y_pred, **kwargs) that returns a tensor.
      name, dtype: as for `Metric`.
      **kwargs: options of `fn`.

    TF: `tf.keras.metrics.MeanMetricWrapper`; no known difference.
    """

    def __init__(self, fn, name: Any = None, dtype=None, **kwargs):
        super().__init__(name=name, dtype=dtype)
        self._fn = fn
        self._fn_kwargs = kwargs

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Takes targets, predictions and weights in, cast to the metric's dtype."""
        y_true, y_pred = cast(y_true, self.dtype), cast(y_pred, self.dtype)
        if isinstance(y_true, RaggedTensor) or isinstance(y_pred, RaggedTensor):
            weights = (sample_weight,) if isinstance(sample_weight, RaggedTensor) else ()
            y_true, y_pred, *weights = _elements_of(y_true, y_pred, *weights)
            sample_weight = weights[0] if weights else sample_weight
        y_pred, y_true = squeeze_or_expand_dimensions(y_pred, y_true)
        matches = self._fn(y_true, y_pred, **self._fn_kwargs)
        mask = getattr(matches, "_keras_mask", None)
        if mask is not None:
            sample_weight = apply_valid_mask(matches, sample_weight, mask, self.reduction)
        return super().update_state(matches, sample_weight=sample_weight)

    def get_config(self):
        options: dict[str, Any] = self._fn_kwargs
        config = {k: v.numpy() if isinstance(v, Tensor | Variable) else v for k, v in options.items()}  # pyright: ignore
        if type(self) is MeanMetricWrapper:
            config["fn"] = self._fn
        return {**super().get_config(), **config}

    @classmethod
    def from_config(cls, config):
        fn = config.pop("fn", None)
        if cls is MeanMetricWrapper:
            known = keras_objects("metric")
            return cls(fn if callable(fn) else deserialize(fn, known, None, "metric function"), **config)
        return super().from_config(config)


def _elements_of(*tensors):
    """The elements of ragged tensors of the same rows, each as a row of its own.

    Raises:
      TypeError: some tensors only are ragged.
    """
    if not all(isinstance(x, RaggedTensor) for x in tensors):
        raise TypeError(f"Some of the inputs are not tf.RaggedTensor. Input received: {tensors}")
    first, *others = (x.nested_row_splits for x in tensors)
    for other in others:
        for one, same in zip(first, other, strict=True):
            assert_equal(one, same, "The targets and the predictions have other rows")
    return [expand_dims(x.flat_values, -1) for x in tensors]


class SumOverBatchSizeMetricWrapper(MeanMetricWrapper):
    """The mean of a function, every entry counting the same whatever its weight."""

    def __init__(self, fn, name=None, dtype=None, **kwargs):
        super().__init__(fn, name, dtype, **kwargs)
        self.reduction = OVER_BATCH_SIZE


class MeanTensor(Metric):
    """The elementwise mean of all tensors, weighted.

    Args:
      name, dtype: as for `Metric`.
      shape: shape of the tensors; that of the first by default.

    TF: `tf.keras.metrics.MeanTensor`; no known difference.
    """

    def __init__(self, name="mean_tensor", dtype=None, shape=None):
        super().__init__(name=name, dtype=dtype)
        self._shape: Any = None
        self._total: Any = None
        self._count: Any = None
        self._built = False
        if shape is not None:
            self._build(shape)

    def _build(self, shape):
        self._shape = TensorShape(shape)
        self._total = self.add_weight("total", shape=shape, initializer="zeros")
        self._count = self.add_weight("count", shape=shape, initializer="zeros")
        self._built = True

    @property
    def total(self):
        """The sum of the tensors, a variable; None before the first."""
        return self._total if self._built else None

    @property
    def count(self):
        """The sum of their weights, a variable; None before the first."""
        return self._count if self._built else None

    def update_state(self, values, sample_weight=None):
        """Takes a tensor in; ValueError if its shape is another than the first's."""
        values = cast(values, self.dtype)
        if not self._built:
            self._build(values.shape)
        elif values.shape != self._shape:
            raise ValueError(
                "MeanTensor input values must always have the same shape. Expected shape (set during the first call): "
                f"{self._shape}. Got: {values.shape}."
            )
        weights = ones_like(values)
        if sample_weight is not None:
            sample_weight = cast(sample_weight, self.dtype)
            values, _, sample_weight = squeeze_or_expand_dimensions(values, sample_weight=sample_weight)
            weights, values = multiply(weights, sample_weight), multiply(values, sample_weight)
        self._total.assign_add(values)
        return self._count.assign_add(weights)

    def result(self):
        """The mean; ValueError before the first tensor."""
        if not self._built:
            raise ValueError(
                "MeanTensor does not have any value yet. Please call the MeanTensor instance or use "
                "`.update_state(value)` before retrieving the result."
            )
        return divide_no_nan(self.total, self.count)


def warn(message):
    """A warning at the line of the user's."""
    warnings.warn(message, stacklevel=4)

"""`OptimizerV2`: Keras's older optimizers, with hyperparameters that are variables and slots by name."""

import contextlib
import copy
import functools
import inspect
import warnings
from typing import Any

import numpy as np

from tfcompat import dtypes, engine, nest
from tfcompat._core import restoring as _restoring
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.dependencies import Dependent
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.name_scope import name_scope
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat._core.variable_context import VariableAggregation, VariableSynchronization
from tfcompat.array import cast
from tfcompat.distribute import get_strategy, has_strategy, in_cross_replica_context
from tfcompat.distribute._variables import as_replica, replicas_to_update
from tfcompat.function import init_scope
from tfcompat.function._gradients import gradients
from tfcompat.keras.optimizers import schedules
from tfcompat.keras.optimizers._base import (
    _without_repetitions,
    counted,
    outside_of_replicas,
    recorded,
    summed_over_replicas,
    with_gradients,
)
from tfcompat.layers import initializers
from tfcompat.layers._layer import naming as _naming
from tfcompat.math._clip import clip_by_global_norm, clip_by_norm, clip_by_value

_VALID_DTYPES = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
_KEYWORDS = {"clipnorm", "clipvalue", "lr", "decay", "global_clipnorm"}


def _clip(name):
    """A property that gradient transformers exclude."""
    attribute = f"_{name}"

    def setter(self, value):
        if value is not None and self.gradient_transformers:
            raise ValueError(
                f"`{name}` cannot be set when `gradient_transformers` is set. Instead, use the `gradient_transformers` "
                f"to specify clipping and other transformations. Received: val={value}, "
                f"gradient_transformers={self.gradient_transformers}."
            )
        self.__dict__[attribute] = value

    return property(lambda self: self.__dict__[attribute], setter, doc=f"`{name}` of the constructor.")


class Optimizer(Dependent):
    """Updates variables by their gradients; to be subclassed.

    Args:
      name: str, the name scope of the optimizer's variables.
      gradient_aggregator: function of the list of (gradient, variable) pairs that returns such a list; None for their
        sums over all replicas.
      gradient_transformers: list of such functions, called after the aggregator; not together with clipping.
      **kwargs: `clipnorm`, `clipvalue`, `global_clipnorm`: as for `tf.keras.optimizers.Optimizer`; `decay`: the
        learning rate is divided by `1 + decay * iterations`; `lr`: other name of `learning_rate`.

    Raises:
      TypeError: unknown keyword.
      ValueError: a negative value; both `clipnorm` and `global_clipnorm`.

    A subclass sets its hyperparameters by `_set_hyper` in its constructor, and overrides `_create_slots(var_list)`,
    which calls `add_slot`, `_resource_apply_dense(grad, var, apply_state)`, `_resource_apply_sparse(grad, var, indices,
    apply_state)` and `get_config`. Hyperparameters are attributes; they can be assigned.
    TF: `tf.keras.optimizers.legacy.Optimizer`.
    """

    _is_legacy_optimizer = True
    clipnorm = _clip("clipnorm")
    clipvalue = _clip("clipvalue")
    global_clipnorm = _clip("global_clipnorm")

    def __init__(self, name, gradient_aggregator=None, gradient_transformers=None, **kwargs):
        for keyword, value in kwargs.items():
            if keyword not in _KEYWORDS:
                raise TypeError(
                    f"Unexpected keyword argument passed to optimizer: {keyword}. Allowed kwargs are {_KEYWORDS}."
                )
            if value is not None and value < 0:
                raise ValueError(f"Expected {keyword} >= 0, received: {value}")
            if keyword == "lr":
                warnings.warn("The `lr` argument is deprecated, use `learning_rate` instead.", stacklevel=3)
        self._init_set_name(name)
        self._use_locking = True
        self._slots, self._slot_names, self._weights = {}, [], []
        self._iterations: Any = None
        self._distribution_strategy = get_strategy() if has_strategy() else None
        self._initial_decay = kwargs.get("decay", 0.0)
        self._hypers_created = False
        self.gradient_aggregator = gradient_aggregator
        self.gradient_transformers = gradient_transformers or []
        self.__dict__["_hyper"] = {}
        for clip in ("clipnorm", "global_clipnorm", "clipvalue"):
            setattr(self, clip, kwargs.get(clip))
        if self.clipnorm is not None and self.global_clipnorm is not None:
            raise ValueError(
                f"Cannot accept both `clipnorm` and `global_clipnorm`. Received: `clipnorm`={self.clipnorm}, "
                f"`global_clipnorm`={self.global_clipnorm}."
            )

    # --- hyperparameters --------------------------------------------------------------------------------------------

    def __getattr__(self, name):
        hyper = self.__dict__.get("_hyper", {})
        name = "learning_rate" if name == "lr" else name
        if name in hyper:
            return self._get_hyper(name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        name = "learning_rate" if name == "lr" else name
        if name in self.__dict__.get("_hyper", ()):
            self._set_hyper(name, value)
        else:
            object.__setattr__(self, name, value)

    def __dir__(self):
        return sorted({*super().__dir__(), *self._hyper, *(["lr"] if "learning_rate" in self._hyper else [])})

    def _set_hyper(self, name, value):
        """Sets a hyperparameter to a number, tensor, schedule, or function without arguments."""
        previous = self._hyper.get(name)
        if isinstance(previous, Variable) and not callable(value):
            previous.assign(np.asarray(value, previous.dtype.np) if not isinstance(value, Tensor) else value)
        else:
            self._hyper[name] = value

    def _get_hyper(self, name, dtype=None):
        """The value of a hyperparameter, cast to `dtype`; a schedule as it is."""
        if not self._hypers_created:
            self._create_hypers()
        value = self._hyper[name]
        if isinstance(value, schedules.LearningRateSchedule):
            return value
        value = value() if callable(value) else value
        return cast(value, dtype) if dtype else value

    def _distribution_strategy_scope(self):
        """The scope that the optimizer was made in; a context that changes nothing in the scope of any strategy."""
        strategy = self._distribution_strategy
        return contextlib.nullcontext() if strategy is None or has_strategy() else strategy.scope()

    def _create_hypers(self):
        if self._hypers_created:
            return
        with self._distribution_strategy_scope(), init_scope():
            for name, value in sorted(self._hyper.items()):
                if not isinstance(value, Tensor | Variable) and not callable(value):
                    self._hyper[name] = self.add_weight(name, shape=[], trainable=False, initializer=value)
        self._hypers_created = True

    def _decayed_lr(self, var_dtype):
        """The learning rate of this step, after schedule and decay, in a dtype."""
        rate = self._get_hyper("learning_rate", var_dtype)
        if isinstance(rate, schedules.LearningRateSchedule):
            rate = cast(rate(cast(self.iterations, var_dtype)), var_dtype)
        if self._initial_decay > 0.0:
            rate = rate / (1.0 + cast(self._initial_decay, var_dtype) * cast(self.iterations, var_dtype))
        return rate

    def _serialize_hyperparameter(self, hyperparameter_name):
        value = self._hyper[hyperparameter_name]
        if isinstance(value, schedules.LearningRateSchedule):
            return schedules.serialize(value)
        if callable(value):
            return value()
        return value.numpy() if isinstance(value, Tensor | Variable) else value

    # --- variables --------------------------------------------------------------------------------------------------

    def _init_set_name(self, name, zero_based=True):
        self._name = name or _naming.unique_name(_naming.snake_case(type(self).__name__), zero_based)

    @property
    def iterations(self):
        """int64 scalar variable: the number of steps taken."""
        if self._iterations is None:
            with self._distribution_strategy_scope(), init_scope():
                self._iterations = self.add_weight(
                    "iter", shape=[], dtype="int64", trainable=False,
                    aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
                )  # fmt: skip
            self._weights.append(self._iterations)
        return self._iterations

    @iterations.setter
    def iterations(self, variable):
        if self._iterations is not None:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer weights have been created. Here it is "
                f"attempting to set `iterations` to {variable}."
            )
        self._iterations = variable
        self._weights.append(variable)

    def add_weight(self, name, shape, dtype=None, initializer: Any = "zeros", trainable=None,
                   synchronization=VariableSynchronization.AUTO,
                   aggregation=VariableAggregation.NONE):  # fmt: skip
        """Makes a variable of the optimizer, float32 by default; `initializer` is a name or a function,
        or a number, which keeps its dtype."""
        if isinstance(initializer, str) or callable(initializer):
            initializer = initializers.get(initializer)(shape, "float32" if dtype is None else dtype)
        variable = Variable(
            initializer, trainable=True if trainable is None else trainable, name=name,
            synchronization=synchronization, aggregation=aggregation,
        )  # fmt: skip
        return self._track_trackable(variable, name, overwrite=True)

    def add_slot(self, var, slot_name, initializer: Any = "zeros", shape=None):
        """Makes a slot of a variable, unless it is there; named `<its name>/slot_name`.

        Args:
          var: Variable, which gives dtype and, by default, shape.
          slot_name: str.
          initializer: name, function of shape and dtype, or value.
          shape: shape or None.

        Returns:
          Variable.
        """
        strategy = get_strategy()
        if not strategy.extended.variable_created_in_scope(getattr(var, "_container", var)):
            raise ValueError(
                f"Trying to create optimizer slot variable under the scope for tf.distribute.Strategy ({strategy}), "
                f"which is different from the scope used for the original variable ({var!r}). Make sure the slot "
                "variables are created under the same strategy scope."
            )
        if slot_name not in self._slot_names:
            self._slot_names.append(slot_name)
        slots = self._slots.setdefault(var._unique_id, {})
        if slot_name not in slots:
            dtype = getattr(var, "true_dtype", var.dtype)
            if isinstance(initializer, str) or callable(initializer):
                initializer = initializers.get(initializer)(var.shape if shape is None else shape, dtype=dtype)
            slots[slot_name] = Variable(
                initializer, name=f"{var._shared_name}/{slot_name}", dtype=dtype, trainable=False
            )
            self._weights.append(slots[slot_name])
        return slots[slot_name]

    def get_slot(self, var, slot_name):
        """The slot of a variable; KeyError if there is none."""
        return self._slots[var._unique_id][slot_name]

    def get_slot_names(self):
        """The names of the slots, in the order in which they were first made."""
        return self._slot_names

    def _create_slots(self, var_list):
        """Makes the slots; for subclasses."""

    def _create_all_weights(self, var_list):
        _ = self.iterations
        self._create_hypers()
        self._create_slots(var_list)

    @property
    def weights(self):
        """The variables: `iterations`, then the slots; not the hyperparameters."""
        return self._weights

    def variables(self):
        """As `weights`."""
        return self._weights

    def get_weights(self):
        """The values of `weights` as NumPy arrays."""
        return [weight.numpy() for weight in self.weights]

    def set_weights(self, weights):
        """Sets `weights` to arrays.

        Raises:
          ValueError: another number of them, or another shape.
        """
        variables = self.weights
        if len(variables) != len(weights):
            raise ValueError(
                f"You called `set_weights(weights)` on optimizer {self._name} with a  weight list of length "
                f"{len(weights)}, but the optimizer was expecting {len(variables)} weights. Provided weights: "
                f"{str(weights)[:50]}..."
            )
        for variable, weight in zip(variables, weights, strict=True):
            if tuple(variable.shape) != np.shape(weight):
                raise ValueError(
                    f"Optimizer weight shape {tuple(variable.shape)} not compatible with provided weight shape "
                    f"{np.shape(weight)}."
                )
        for variable, weight in zip(variables, weights, strict=True):
            variable.assign(np.asarray(weight, variable.dtype.np))

    def _checkpoint_children(self):
        hypers = [(k, v) for k, v in self._hyper.items() if isinstance(v, Variable)]
        return list(({"iter": self.iterations, **dict(hypers)} | self.__dict__.get("_dependencies", {})).items())

    def _checkpoint_slots(self):
        """{id of a variable: {name: slot}}, as checkpoints keep them: beside the variables."""
        return self._slots

    def __deepcopy__(self, memo):
        duplicate = type(self).__new__(type(self))
        memo[id(self)] = duplicate
        duplicate.__dict__.update({k: copy.deepcopy(v, memo) for k, v in self.__dict__.items()})
        return duplicate

    # --- steps ------------------------------------------------------------------------------------------------------

    def minimize(self, loss, var_list, grad_loss=None, name=None, tape=None):
        """One step: gradients of a loss, then `apply_gradients`.

        Args:
          loss: function without arguments that returns the loss, or a tensor, with `tape`.
          var_list: list of variables, or function that returns one, called after `loss`.
          grad_loss: the gradient of something else with respect to the loss, or None for ones.
          name: str.
          tape: GradientTape that has recorded `loss`.

        Raises:
          ValueError: `loss` is a tensor and there is no `tape`.
        """
        pairs = self._compute_gradients(loss, var_list=var_list, grad_loss=grad_loss, tape=tape)
        return self.apply_gradients(pairs, name=name)

    def _compute_gradients(self, loss: Any, var_list: Any, grad_loss=None, tape: Any = None):
        tape, loss, var_list = recorded(loss, var_list, tape)
        with tape:
            loss = self._transform_loss(loss)
        pairs = self._get_gradients(tape, loss, nest.flatten(var_list), grad_loss)
        self._assert_valid_dtypes([variable for gradient, variable in pairs if gradient is not None])
        return pairs

    def _valid_dtypes(self):
        return {dtypes.as_dtype(name) for name in _VALID_DTYPES}

    def _assert_valid_dtypes(self, tensors):
        valid = self._valid_dtypes()
        for tensor in tensors:
            if tensor.dtype not in valid:
                raise ValueError(f"Invalid type {tensor.dtype!r} for {tensor.name}, expected: {list(valid)}.")

    def _transform_loss(self, loss):
        return loss

    def _get_gradients(self, tape, loss, var_list, grad_loss=None):
        return list(zip(tape.gradient(loss, var_list, grad_loss), var_list, strict=True))

    def _transform_unaggregated_gradients(self, grads_and_vars):
        return grads_and_vars

    def _aggregate_gradients(self, grads_and_vars):
        return (self.gradient_aggregator or summed_over_replicas)(grads_and_vars)

    def _transform_gradients(self, grads_and_vars):
        if self.clipvalue is not None:
            clip = functools.partial(clip_by_value, clip_value_min=-self.clipvalue, clip_value_max=self.clipvalue)
            grads_and_vars = [(clip(gradient), variable) for gradient, variable in grads_and_vars]
        if self.clipnorm is not None:
            grads_and_vars = [(clip_by_norm(gradient, self.clipnorm), v) for gradient, v in grads_and_vars]
        if self.global_clipnorm is not None:
            gradients, variables = zip(*grads_and_vars, strict=True)
            gradients = clip_by_global_norm(gradients, self.global_clipnorm)[0]
            grads_and_vars = list(zip(gradients, variables, strict=True))
        for transform in self.gradient_transformers:
            grads_and_vars = transform(grads_and_vars)
        return grads_and_vars

    def apply_gradients(self, grads_and_vars, name=None, experimental_aggregate_gradients=True):
        """One step: updates each variable by its gradient.

        Args:
          grads_and_vars: list of (gradient, variable) pairs; those without a gradient are passed over, with a warning.
          name: str, name scope of the updates.
          experimental_aggregate_gradients: bool, whether the aggregator is called.

        Returns:
          The variable `iterations`.

        Raises:
          ValueError: no gradient at all.
          RuntimeError: `tf.IndexedSlices` for a variable with a constraint; in the scope of a strategy, outside of its
            `run`.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            return None
        pairs = with_gradients(pairs)
        if in_cross_replica_context():
            raise outside_of_replicas(RuntimeError)
        variables = [variable for _, variable in pairs]
        with name_scope(self._name):
            with init_scope():
                made = len(self._weights)
                self._create_all_weights(variables)
                if len(self._weights) > made:
                    _restoring.resume()
            with engine.watching(()):
                state = self._prepare(variables)
                if experimental_aggregate_gradients:
                    pairs = self._aggregate_gradients(self._transform_unaggregated_gradients(pairs))
                pairs = self._transform_gradients(pairs)
                return self._distributed_apply(get_strategy(), pairs, apply_state=state, name=name)

    def _distributed_apply(self, distribution, grads_and_vars, apply_state, name):
        for replica in replicas_to_update([variable for _, variable in grads_and_vars]):
            with as_replica(replica):
                for gradient, variable in grads_and_vars:
                    self._apply(gradient, variable, apply_state)
        return counted(self.iterations)

    def _apply(self, gradient, variable, state):
        if not hasattr(gradient, "dense_shape"):
            options = {"apply_state": state} if "apply_state" in self._dense_apply_args else {}
            self._resource_apply_dense(convert_to_tensor(gradient), variable, **options)
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))
            return
        if variable.constraint is not None:
            raise RuntimeError(
                f"Cannot use a constraint function on a sparse variable. Received: grad={gradient}, "
                f"var.constraint={variable.constraint}."
            )
        options = {"apply_state": state} if "apply_state" in self._sparse_apply_args else {}
        self._resource_apply_sparse_duplicate_indices(gradient.values, variable, gradient.indices, **options)

    @property
    def _dense_apply_args(self):
        """The names of the parameters of `_resource_apply_dense`, which may lack `apply_state`."""
        return _parameters(getattr(self._resource_apply_dense, "__func__", self._resource_apply_dense))

    @property
    def _sparse_apply_args(self):
        return _parameters(getattr(self._resource_apply_sparse, "__func__", self._resource_apply_sparse))

    def _prepare(self, var_list):
        """What the updates of a step share: {(device, dtype): dict}."""
        state = {}
        for variable in var_list:
            key = (variable.device, variable.dtype)
            if key not in state:
                state[key] = {}
                self._prepare_local(*key, state)
        return state

    def _prepare_local(self, var_device, var_dtype, apply_state):
        if "learning_rate" in self._hyper:
            apply_state[var_device, var_dtype]["lr_t"] = convert_to_tensor(self._decayed_lr(var_dtype))

    def _fallback_apply_state(self, var_device, var_dtype):
        state = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, state)
        return state[var_device, var_dtype]

    def _resource_apply_dense(self, grad, var, apply_state=None):
        """Updates a variable and its slots; for subclasses."""
        raise NotImplementedError("`_resource_apply_dense` must be implemented in subclasses.")

    def _resource_apply_sparse_duplicate_indices(self, grad, var, indices, **kwargs):
        summed: Any = _without_repetitions(IndexedSlices(grad, indices, var.shape.as_list()))
        return self._resource_apply_sparse(summed.values, var, summed.indices, **kwargs)

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        """Updates rows of a variable; `indices` do not repeat. For subclasses."""
        raise NotImplementedError("`_resource_apply_sparse` Must be implemented in subclasses.")

    def _resource_scatter_add(self, x, i, v):
        """Adds to rows of a variable; its new value."""
        return convert_to_tensor(x.scatter_add(IndexedSlices(v, i)))

    def _resource_scatter_update(self, x, i, v):
        """Sets rows of a variable; its new value."""
        return convert_to_tensor(x.scatter_update(IndexedSlices(v, i)))

    def _call_if_callable(self, param):
        return param() if callable(param) else param

    def get_gradients(self, loss, params):
        """The gradients of a loss computed in the same `tf.function` or graph.

        Args:
          loss: tensor.
          params: list of variables.

        Returns:
          List of tensors.

        Raises:
          ValueError: the loss does not depend on a variable.
          RuntimeError: outside of a function and of a graph.
        """
        params = nest.flatten(params)
        grads = gradients(loss, params)
        for gradient, param in zip(grads, params, strict=True):
            if gradient is None:
                raise ValueError(
                    f"Variable {param} has `None` for gradient. Please make sure that all of your ops have a gradient "
                    "defined (i.e. are differentiable). Common ops without gradient: K.argmax, K.round, K.eval."
                )
        return grads

    def get_updates(self, loss, params):
        """One step by the gradients of `get_gradients`, as a list of what `apply_gradients` returns."""
        pairs = list(zip(self.get_gradients(loss, params), params, strict=True))
        self._assert_valid_dtypes([variable for _, variable in pairs])
        return [self.apply_gradients(pairs)]

    # --- configuration ----------------------------------------------------------------------------------------------

    def get_config(self):
        """The constructor's arguments, as a dict that `from_config` takes."""
        config = {"name": self._name}
        for clip in ("clipnorm", "clipvalue", "global_clipnorm"):
            if getattr(self, clip) is not None:
                config[clip] = getattr(self, clip)
        return config

    def _config_with(self, *hypers, **others):
        rate = {"learning_rate": self._serialize_hyperparameter("learning_rate"), "decay": self._initial_decay}
        numbers = {name: self._serialize_hyperparameter(name) for name in hypers}
        return {**Optimizer.get_config(self), **rate, **numbers, **others}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The optimizer that `config`, from `get_config`, describes, with new variables."""
        config = dict(config)
        if "lr" in config:
            config["learning_rate"] = config.pop("lr")
        if isinstance(config.get("learning_rate"), dict):
            config["learning_rate"] = schedules.deserialize(config["learning_rate"], custom_objects=custom_objects)
        return cls(**config)


@functools.lru_cache(maxsize=256)
def _parameters(function):
    return inspect.getfullargspec(function).args

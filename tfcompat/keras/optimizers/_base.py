"""`Optimizer`: options, variables, and `apply_gradients`."""

import logging
import re
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfcompat import engine
from tfcompat._control import cond
from tfcompat._core import restoring as _restoring
from tfcompat._core.convert import convert_to_tensor, known_values, to_node
from tfcompat._core.dependencies import Dependent
from tfcompat._core.graphs import in_session
from tfcompat._core.name_scope import name_scope
from tfcompat._core.tensor import wrap
from tfcompat._core.variable import Variable, updated
from tfcompat._package.logging import logger
from tfcompat.array import cast, unique
from tfcompat.array._sorting_keys import order_along
from tfcompat.config import list_physical_devices
from tfcompat.distribute import get_replica_context, get_strategy, in_cross_replica_context
from tfcompat.distribute._variables import (
    AggregatingVariable,
    DistributedVariable,
    as_replica,
    replicas_to_update,
)
from tfcompat.errors import UnimplementedError
from tfcompat.function import init_scope
from tfcompat.keras.optimizers import schedules
from tfcompat.keras.optimizers._update import is_array
from tfcompat.layers import initializers
from tfcompat.layers._layer import settings as _settings
from tfcompat.math import equal, unsorted_segment_sum
from tfcompat.math._clip import clip_by_global_norm, clip_by_norm, clip_by_value
from tfcompat.tape import GradientTape
from tfcompat.train._objects import attribute_children

_absl = logging.getLogger("absl")
_DEPRECATED = ("decay", "gradient_aggregator", "gradient_transformers")


class CallableList(list):
    """A list that a call returns: `optimizer.variables` and `optimizer.variables()` are the same."""

    def __call__(self):
        """The list itself."""
        return self


class Optimizer(Dependent):
    """Updates variables by their gradients; to be subclassed.

    Args:
      name: str, the name scope of the slot variables.
      weight_decay: float or None: before each update a variable loses this share of itself, times the learning rate.
      clipnorm: float or None, the largest norm of each gradient.
      clipvalue: float or None, the largest absolute value of an element of a gradient.
      global_clipnorm: float or None, the largest norm of all gradients together.
      use_ema: bool, whether moving averages of the variables are kept.
      ema_momentum: float between 0 and 1; an average becomes `momentum * average + (1 - momentum) * variable`.
      ema_overwrite_frequency: int or None: after every so many steps the averages replace the variables.
      jit_compile: bool, kept for `get_config`; everything is compiled.

    Raises:
      ValueError: an option out of range; both `clipnorm` and `global_clipnorm`; an option of legacy optimizers.
      TypeError: unknown keyword.

    A subclass calls `self._build_learning_rate` in its constructor, makes its slots in `build(var_list)` with
    `add_variable_from_reference`, and updates a variable and its slots in `update_step(gradient, variable)`.

    TF: `tf.keras.optimizers.Optimizer` of Keras 2. Meshes are refused.
    """

    _update: Any = None  # the operation behind `update_step`
    _options: tuple = ()  # attributes that are the operation's options
    _slots: tuple = ()  # attributes that are its slots: lists with one variable for each variable updated
    _decaying: dict = {}  # slots that gradients of rows are added to, by what they are multiplied with before
    _built = False
    _exclude_from_weight_decay: Any = ()
    _exclude_from_weight_decay_names: Any = ()
    _learning_rate: Any
    _current_learning_rate: Any
    _index_dict: dict
    _iterations: Any

    def __init__(self, name, weight_decay: Any = 0, clipnorm: Any = None, clipvalue: Any = None,
                 global_clipnorm: Any = None, use_ema=False, ema_momentum=0.99, ema_overwrite_frequency: Any = None,
                 jit_compile=True, **kwargs):  # fmt: skip
        if kwargs.pop("mesh", None) is not None:
            raise UnimplementedError(
                None, None, "Optimizer: `mesh` is not available in tfcompat: use jax.sharding on the arrays"
            )
        self.name = name
        self.weight_decay = weight_decay
        self.clipnorm = clipnorm
        self.global_clipnorm = global_clipnorm
        self.clipvalue = clipvalue
        self.use_ema = use_ema
        self.jit_compile = bool(jit_compile and list_physical_devices("GPU"))
        if use_ema:
            if ema_momentum > 1 or ema_momentum < 0:
                raise ValueError(
                    f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={ema_momentum}"
                )
            if ema_overwrite_frequency and (
                not isinstance(ema_overwrite_frequency, int) or ema_overwrite_frequency < 1
            ):
                raise ValueError(
                    "`ema_overwrite_frequency` must be an integer > 1 or None. Received: "
                    f"ema_overwrite_frequency={ema_overwrite_frequency}"
                )
        self.ema_momentum = ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        if clipnorm is not None and global_clipnorm is not None:
            raise ValueError(
                "At most one of `clipnorm` and `global_clipnorm` can be set. Received: "
                f"clipnorm={clipnorm}, global_clipnorm={global_clipnorm}."
            )
        self._variables = []
        self._create_iteration_variable()
        self._process_kwargs(kwargs)

    def _create_iteration_variable(self):
        with init_scope():
            self._iterations = Variable(np.int64(0), name="iteration", trainable=False)
        self._variables.append(self._iterations)

    def _process_kwargs(self, kwargs):
        kwargs.pop("is_legacy_optimizer", None)
        legacy = f"tf.keras.optimizers.legacy.{type(self).__name__}"
        if kwargs.pop("lr", None):
            _absl.warning(
                "`lr` is deprecated in TF-Keras optimizer, please use `learning_rate` or use the legacy optimizer, "
                "e.g., %s.", legacy,
            )  # fmt: skip
        for keyword in kwargs:
            if keyword in _DEPRECATED:
                raise ValueError(
                    f"{keyword} is deprecated in the new TF-Keras optimizer, please check the docstring for valid "
                    f"arguments, or use the legacy optimizer, e.g., {legacy}."
                )
            raise TypeError(
                f"{keyword} is not a valid argument, kwargs should be empty  for `optimizer_experimental.Optimizer`."
            )

    # --- the learning rate and the number of steps ------------------------------------------------------------------

    @property
    def iterations(self):
        """int64 scalar variable: the number of steps taken.

        Raises:
          RuntimeError: it is set after the slots are made.
        """
        return self._iterations

    @iterations.setter
    def iterations(self, variable):
        if self._built:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer weights have been created. Here it is "
                f"attempting to set `iterations` to {variable}.Usually this means you are trying to set `iterations` "
                "after calling `apply_gradients()`. Please set `iterations` before calling `apply_gradients()`."
            )
        self._iterations = variable

    def _build_learning_rate(self, learning_rate):
        with init_scope():
            if isinstance(learning_rate, schedules.LearningRateSchedule):
                self._current_learning_rate = _current_rate(learning_rate(self.iterations))
                return learning_rate
            return Variable(learning_rate, name="learning_rate", dtype=_settings.floatx(), trainable=False)

    def _compute_current_learning_rate(self):
        if isinstance(self._learning_rate, schedules.LearningRateSchedule):
            rate = self._learning_rate(self.iterations)
            if hasattr(self, "_current_learning_rate"):
                self._current_learning_rate.assign(rate)
            else:
                with init_scope():
                    self._current_learning_rate = _current_rate(self._learning_rate(self.iterations))

    @property
    def learning_rate(self):
        """Variable with the learning rate; under a schedule, that of the last step. Assignable, unless a
        schedule was given to the constructor (TypeError); a schedule may be assigned."""
        rate = getattr(self, "_learning_rate", None)
        if rate is None:
            raise ValueError("Missing learning rate, please set self.learning_rate at optimizer creation time.")
        return self._current_learning_rate if isinstance(rate, schedules.LearningRateSchedule) else rate

    @learning_rate.setter
    def learning_rate(self, learning_rate):
        if isinstance(learning_rate, schedules.LearningRateSchedule):
            self._learning_rate = learning_rate
        elif isinstance(self._learning_rate, schedules.LearningRateSchedule):
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` constructor "
                "argument, hence its learning rate is not settable. If you need the learning rate to be settable, you "
                "should instantiate the optimizer with a float `learning_rate` argument."
            )
        else:
            self._learning_rate.assign(learning_rate)

    @property
    def lr(self):
        """As `learning_rate`."""
        return self.learning_rate

    @lr.setter
    def lr(self, learning_rate):
        self.learning_rate = learning_rate

    # --- variables --------------------------------------------------------------------------------------------------

    @property
    def variables(self):
        """The variables of the optimizer: the iterations, then the slots."""
        return CallableList(self._variables)

    def _var_key(self, variable):
        """The key of a variable in `_index_dict`."""
        return variable._unique_id

    def build(self, var_list):
        """Makes the slots; for subclasses, which call this first. Called by the first `apply_gradients`.

        Args:
          var_list: list of all variables that will be updated.
        """
        if self._built:
            return
        self._build_index_dict(var_list)
        if self.use_ema:
            self._model_variables_moving_average = [
                self.add_variable_from_reference(variable, "average", initial_value=variable) for variable in var_list
            ]

    def _build_index_dict(self, var_list):
        for variable in var_list if get_strategy().num_replicas_in_sync > 1 else ():
            get_strategy().extended.colocate_vars_with(getattr(variable, "_container", variable))
        self._index_dict = {self._var_key(variable): i for i, variable in enumerate(var_list)}

    def _slots_for(self, var_list, *names):
        """For each name a list of slots, zeros; the slots of one variable are made together."""
        made = [[self.add_variable_from_reference(variable, name) for name in names] for variable in var_list]
        return [list(slots) for slots in zip(*made, strict=True)] if made else [[] for _ in names]

    def add_variable(self, shape, dtype=None, initializer: Any = "zeros", name=None):
        """Makes a variable of the optimizer.

        Args:
          shape: shape, or None for a scalar.
          dtype: dtype, `tf.keras.backend.floatx()` by default.
          initializer: name, or function of shape and dtype.
          name: str.

        Returns:
          Variable.
        """
        initializer = initializers.get(initializer) if isinstance(initializer, str) else initializer
        value = initializer([] if shape is None else shape, dtype or _settings.floatx())
        variable = Variable(value, name=name, trainable=False)
        self._variables.append(variable)
        return variable

    def add_variable_from_reference(self, model_variable, variable_name, shape=None, initial_value=None):
        """Makes a slot of a variable, named `variable_name/<its name>`.

        Args:
          model_variable: Variable, which gives dtype and, by default, shape.
          variable_name: str.
          shape: shape or None.
          initial_value: convertible to a tensor; zeros by default.

        Returns:
          Variable.
        """
        dtype = model_variable.dtype
        if initial_value is None:
            if shape is None:
                known = model_variable.shape.is_fully_defined()
                shape = model_variable.shape.as_list() if known else model_variable._current_node().aval.shape
            initial_value = np.zeros(tuple(shape), dtype.np)
        name = f"{variable_name}/{model_variable._shared_name}"
        variable = Variable(initial_value, name=name, dtype=dtype, trainable=False)
        self._variables.append(variable)
        return variable

    @in_session
    def set_weights(self, weights):
        """Sets the variables, in the order of `variables`.

        Args:
          weights: list of arrays or variables.

        Raises:
          ValueError: the slots are not made; a shape does not fit.
        """
        if not self._built:
            raise ValueError(
                "You are calling `set_weights()` on an optimizer that has not yet been built. Please call "
                "`optimizer.build(trainable_variables)` to create the optimizer weights before calling "
                "`set_weights()`."
            )
        for variable, weight in zip(self._variables, weights, strict=False):
            if variable.shape != weight.shape:
                raise ValueError(
                    f"Optimizer variable {self._var_key(variable)} has shape {variable.shape} not compatible with "
                    f"provided weight shape {weight.shape}."
                )
            variable.assign(weight)

    def save_own_variables(self, store):
        """Puts the values of `variables` into the dict `store`, keyed by their number."""
        for i, variable in enumerate(self.variables):
            store[str(i)] = variable.numpy()

    def load_own_variables(self, store):
        """Sets `variables` to what `save_own_variables` put into `store`; warns if the numbers differ."""
        if len(store.keys()) != len(self.variables):
            _absl.warning(
                "Skipping variable loading for optimizer '%s', because it has %d variables whereas the saved "
                "optimizer has %d variables. ", self.name, len(self.variables), len(store.keys()),
            )  # fmt: skip
            return
        for i, variable in enumerate(self.variables):
            variable.assign(store[str(i)])

    # --- steps ------------------------------------------------------------------------------------------------------

    def minimize(self, loss, var_list, tape=None):
        """One step: gradients of a loss, then `apply_gradients`.

        Args:
          loss: function without arguments that returns the loss, or a tensor, with `tape`.
          var_list: list of variables, or function that returns one, called after `loss`.
          tape: GradientTape that has recorded `loss`.

        Raises:
          ValueError: `loss` is a tensor and there is no `tape`.
        """
        self.apply_gradients(self.compute_gradients(loss, var_list, tape))

    def compute_gradients(self, loss: Any, var_list: Any, tape=None):
        """List of (gradient, variable) pairs; arguments as for `minimize`."""
        tape, loss, var_list = recorded(loss, var_list, tape)
        gradients: Any = tape.gradient(loss, var_list)
        return list(zip(gradients, var_list, strict=True))

    def _checkpoint_children(self):
        return attribute_children(self)

    def aggregate_gradients(self, grads_and_vars):
        """The pairs with the gradients summed over all replicas, where one of several calls it."""
        return summed_over_replicas(grads_and_vars)

    def apply(self, grads, trainable_variables=None):
        """One step: updates each variable by its gradient. Keras 3: `keras.optimizers.Optimizer.apply`.

        Args:
          grads: list of gradients, as those of `apply_gradients`.
          trainable_variables: list of their variables; must be given here.

        Raises:
          ValueError: there are not as many variables as gradients.
        """
        grads, variables = list(grads), list(trainable_variables or ())
        if len(variables) != len(grads):
            raise ValueError(
                f"{self.name}.apply: {len(grads)} gradients, but {len(variables)} variables in `trainable_variables`"
            )
        self.apply_gradients(zip(grads, variables, strict=True))

    def apply_gradients(self, grads_and_vars, name=None, skip_gradients_aggregation=False, **kwargs):
        """One step: updates each variable by its gradient.

        Args:
          grads_and_vars: list of (gradient, variable) pairs. Gradients of a variable's dtype and shape, or
            `tf.IndexedSlices`; pairs without a gradient are passed over with a warning.
          name: str, name scope of slots made here; that of the optimizer by default.
          skip_gradients_aggregation: bool, whether `aggregate_gradients` is not called.
          **kwargs: `experimental_aggregate_gradients`, the opposite.

        Returns:
          The variable `iterations`.

        Raises:
          ValueError: no gradient at all.
          AttributeError: in the scope of a strategy, outside of its `run`.
          KeyError: a variable that was not there when the slots were made.
          tf.errors.InvalidArgumentError: a gradient of another dtype or shape than its variable's.
        """
        if in_cross_replica_context():
            grads_and_vars = list(grads_and_vars)
            if grads_and_vars and with_gradients(grads_and_vars):
                raise outside_of_replicas(AttributeError)
        if not skip_gradients_aggregation and kwargs.get("experimental_aggregate_gradients", True):
            grads_and_vars = self.aggregate_gradients(grads_and_vars)
        self._compute_current_learning_rate()
        grads_and_vars = list(grads_and_vars)
        if not grads_and_vars or _is_updated_by_another(grads_and_vars):
            return self._iterations
        with name_scope(name or self.name or "optimizer"):
            if not self._built:
                with init_scope():
                    self.build([variable for _, variable in grads_and_vars])
                    _restoring.resume()
            grads_and_vars = with_gradients(grads_and_vars)
            gradients = self._clip_gradients([gradient for gradient, _ in grads_and_vars])
            variables = [variable for _, variable in grads_and_vars]
            if self._update is not None and self._updates_as_given():
                self._apply_at_once(gradients, variables)
                iteration = counted(self.iterations)
            else:
                gradients = self._deduplicate_sparse_grad(gradients)
                self._apply_weight_decay(variables)
                iteration = self._internal_apply_gradients(list(zip(gradients, variables, strict=True)))
            for variable in variables:
                if variable.constraint is not None:
                    variable.assign(variable.constraint(variable))
        return iteration

    def _updates_as_given(self):
        """Whether no subclass or program has replaced a part of the step."""
        return all(getattr(getattr(self, name), "__func__", None) is method for name, method in _STEP)

    def _clip_gradients(self, grads):
        if self.clipnorm and self.clipnorm > 0:
            return [clip_by_norm(gradient, self.clipnorm) for gradient in grads]
        if self.global_clipnorm and self.global_clipnorm > 0:
            return clip_by_global_norm(grads, self.global_clipnorm)[0]
        if self.clipvalue and self.clipvalue > 0:
            return [clip_by_value(gradient, -self.clipvalue, self.clipvalue) for gradient in grads]
        return grads

    def _apply_at_once(self, gradients, variables):
        """Weight decay, update and moving average of each variable as one operation."""
        with engine.watching(()):
            self._begin_step()
            moving = (self.ema_momentum, self.ema_overwrite_frequency) if self.use_ema else None
            for replica in replicas_to_update(variables):
                with as_replica(replica):
                    run = _Run(self)
                    for gradient, variable in zip(gradients, variables, strict=True):
                        decays = self.weight_decay is not None and self._use_weight_decay(variable)
                        run.update(gradient, variable, self.weight_decay if decays else None, moving)

    # The same step in parts, for subclasses that override one of them.

    def _deduplicate_sparse_grad(self, grads):
        return [_without_repetitions(gradient) for gradient in grads]

    def _apply_weight_decay(self, variables):
        if self.weight_decay is None:
            return
        for variable in variables:
            if self._use_weight_decay(variable):
                rate = cast(self.learning_rate, variable.dtype)
                variable.assign_sub(variable * cast(self.weight_decay, variable.dtype) * rate)

    def _internal_apply_gradients(self, grads_and_vars):
        self._begin_step()
        return self._distributed_apply_gradients_fn(get_strategy(), grads_and_vars)

    def _distributed_apply_gradients_fn(self, distribution, grads_and_vars, **kwargs):
        for gradient, variable in grads_and_vars:
            if self.jit_compile:
                self._update_step_xla(gradient, variable, id(self._var_key(variable)))
            else:
                self._update_step(gradient, variable)
        if self.use_ema:
            variables = [variable for _, variable in grads_and_vars]
            self._update_model_variables_moving_average(variables)
            if self.ema_overwrite_frequency:
                now = equal((self.iterations + 1) % self.ema_overwrite_frequency, 0)
                cond(now, lambda: self._overwrite_model_variables_with_average_value(variables), lambda: None)
        return counted(self.iterations)

    def _update_step_xla(self, gradient, variable, key):
        return self._update_step(gradient, variable)

    def _update_step(self, gradient, variable):
        self._index_of(variable)
        self.update_step(gradient, variable)

    def _step_node(self):
        return self.iterations._as_node()

    def _begin_step(self):
        """Called once in a step, before the updates."""

    def update_step(self, gradient, variable):
        """Updates a variable and its slots; for subclasses.

        Args:
          gradient: tensor of the variable's dtype and shape, or `tf.IndexedSlices` without repeated indices.
          variable: Variable.
        """
        if self._update is None:
            raise NotImplementedError(f"{type(self).__name__} must override `update_step(gradient, variable)`.")
        with engine.watching(()):
            _Run(self).update(gradient, variable, None, None)

    def _step_without_gradients(self, variables):
        """What TensorFlow does of a step whose gradients fail; see `keras/_training/ends`.

        A variable of which rows were taken waits for them.
        """
        by_rows = self.__dict__.get("_updated_by_rows", ())
        places = [(self._index_dict.get(self._var_key(variable)), variable) for variable in variables if self._built]
        self._compute_current_learning_rate()
        self._apply_weight_decay([variable for i, variable in places if i is not None and i not in by_rows])
        for i in by_rows:
            for name, factor in self._decaying.items():
                for slot in (getattr(self, name) or [])[i : i + 1]:
                    slot.assign(slot * cast(getattr(self, factor), slot.dtype))
        self.iterations.assign_add(1)

    def _index_of(self, variable):
        index = self._index_dict.get(self._var_key(variable))
        if index is None:
            raise KeyError(
                f"The optimizer cannot recognize variable {variable.name}. This usually means you are trying to call "
                "the optimizer to update different parts of the model separately. Please call "
                "`optimizer.build(variables)` with the full list of trainable variables before the training loop or "
                f"use legacy optimizer `tf.keras.optimizers.legacy.{type(self).__name__}."
            )
        return index

    def exclude_from_weight_decay(self, var_list=None, var_names=None):
        """Leaves variables out of weight decay; before the slots are made.

        Args:
          var_list: list of variables, or None.
          var_names: list of patterns, searched in the names of variables; or None.

        Raises:
          ValueError: the slots are made.
        """
        if self._built:
            raise ValueError(
                "`exclude_from_weight_decay()` can only be configued before the optimizer is built."
            )
        self._exclude_from_weight_decay = [self._var_key(variable) for variable in var_list or ()]
        self._exclude_from_weight_decay_names = var_names or []

    def _use_weight_decay(self, variable):
        if self._exclude_from_weight_decay and self._var_key(variable) in self._exclude_from_weight_decay:
            return False
        return all(re.search(name, variable.name) is None for name in self._exclude_from_weight_decay_names)

    # --- moving averages of the variables ---------------------------------------------------------------------------

    def _average_of(self, variable):
        return self._model_variables_moving_average[self._index_of(variable)]

    def _update_model_variables_moving_average(self, var_list):
        for variable in var_list if self.use_ema else ():
            average = self._average_of(variable)
            average.assign(self.ema_momentum * average + (1 - self.ema_momentum) * variable)

    def finalize_variable_values(self, var_list):
        """With `use_ema`, sets the variables to their moving averages; `fit` does it at the end."""
        if self.use_ema:
            self._overwrite_model_variables_with_average_value(var_list)

    def _overwrite_model_variables_with_average_value(self, var_list):
        for variable in var_list:
            variable.assign(self._average_of(variable))

    # --- configuration ----------------------------------------------------------------------------------------------

    def get_config(self):
        """The constructor's arguments, as a dict that `from_config` takes."""
        return {
            "name": self.name,
            "weight_decay": self.weight_decay,
            "clipnorm": self.clipnorm,
            "global_clipnorm": self.global_clipnorm,
            "clipvalue": self.clipvalue,
            "use_ema": self.use_ema,
            "ema_momentum": self.ema_momentum,
            "ema_overwrite_frequency": self.ema_overwrite_frequency,
            "jit_compile": self.jit_compile,
            "is_legacy_optimizer": False,
        }

    def _config_with(self, *names):
        """`get_config` with the learning rate and the options of these names."""
        config = Optimizer.get_config(self)
        config["learning_rate"] = self._serialize_hyperparameter(self._learning_rate)
        return config | {name: getattr(self, name) for name in names}

    def _serialize_hyperparameter(self, hyperparameter):
        if isinstance(hyperparameter, schedules.LearningRateSchedule):
            return schedules.serialize(hyperparameter)
        if isinstance(hyperparameter, Variable):
            return hyperparameter.numpy()
        return hyperparameter() if callable(hyperparameter) else hyperparameter

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The optimizer that `config`, from `get_config`, describes, with new variables."""
        if isinstance(config.get("learning_rate"), dict):
            config["learning_rate"] = schedules.deserialize(config["learning_rate"], custom_objects=custom_objects)
        return cls(**config)


_STEP = [
    (name, getattr(Optimizer, name))
    for name in (
        "update_step", "_update_step", "_update_step_xla", "_internal_apply_gradients", "_apply_weight_decay",
        "_deduplicate_sparse_grad", "_distributed_apply_gradients_fn", "_update_model_variables_moving_average",
        "_overwrite_model_variables_with_average_value",
    )
]  # fmt: skip


def counted(iterations):
    """Adds a step; returns the variable, in the function of a replica its value."""
    replica = engine.state.context.replica
    if replica is None:
        return iterations.assign_add(1)
    # A variable that was created outside of the strategy's scope is one for all replicas.
    once = replica and not isinstance(iterations, DistributedVariable)
    iterations = iterations._parts[0] if isinstance(iterations, AggregatingVariable) else iterations
    if not once:
        iterations.assign_add(1, read_value=False)
    return iterations.read_value()


def _is_updated_by_another(grads_and_vars):
    """Whether the variables are in one place, and this is the function of a replica, but not of the first."""
    return bool(engine.state.context.replica) and isinstance(grads_and_vars[0][1], AggregatingVariable)


def outside_of_replicas(kind):
    """The exception, of TF's `kind`, of an update in the scope of a strategy that is outside of its `run`."""
    return kind(
        "apply_gradients() must be called in a replica context: it cannot be called in cross-replica context. Use "
        "`tf.distribute.Strategy.run` to enter replica context."
    )


def summed_over_replicas(grads_and_vars):
    """The pairs; in the function of one of several replicas with the gradients summed over all."""
    pairs = list(grads_and_vars)
    if engine.state.context.replica is None:
        return pairs
    summed = iter(get_replica_context().all_reduce("SUM", [g for g, _ in pairs if g is not None]))
    return [(g if g is None else next(summed), v) for g, v in pairs]


class _Run:
    """Updates of variables in one step: they share the learning rate, the number of steps and the options."""

    __slots__ = ("optimizer", "operation", "shared", "slots", "static", "option_nodes", "names", "attributes")

    def __init__(self, optimizer):
        self.optimizer, self.operation = optimizer, optimizer._update
        options = {name: getattr(optimizer, name) for name in optimizer._options}
        arrays = [name for name, option in options.items() if is_array(option)]
        self.names = tuple(arrays)
        self.option_nodes = [convert_to_tensor(options[name])._node for name in arrays]
        self.static = [None if name in arrays else option for name, option in options.items()]
        self.shared = to_node(optimizer.learning_rate), optimizer._step_node()
        self.slots = [slots for name in optimizer._slots if (slots := getattr(optimizer, name, None))]
        self.attributes = {}

    def update(self, gradient, variable, decay, moving):
        optimizer = self.optimizer
        index = optimizer._index_of(variable)
        targets = [variable, *[slots[index] for slots in self.slots]]
        if moving is not None:
            targets.append(optimizer._model_variables_moving_average[index])
        sparse = hasattr(gradient, "dense_shape")
        if sparse:
            optimizer.__dict__.setdefault("_updated_by_rows", set()).add(index)
            arrays = [to_node(gradient.values), to_node(gradient.indices)]
        else:
            arrays = [to_node(gradient, hint=variable.dtype)]
        attributes = self.attributes.get((sparse, decay))
        if attributes is None:
            attributes = engine.attributes_of(sparse, decay, moving, self.names, *self.static)
            self.attributes[sparse, decay] = attributes
        updated(targets, lambda now, *slots: engine.apply(
            self.operation, (now, *self.shared, *arrays, *slots, *self.option_nodes), attributes
        ))  # fmt: skip


def _current_rate(rate):
    rate = convert_to_tensor(rate)
    return Variable(rate, name="current_learning_rate", dtype=rate.dtype, trainable=False)


def with_gradients(grads_and_vars):
    """The pairs that have a gradient; a warning names the others. ValueError if no pair has one."""
    pairs = [pair for pair in grads_and_vars if pair[0] is not None]
    if not pairs:
        raise ValueError(
            f"No gradients provided for any variable: {([v.name for _, v in grads_and_vars],)}. Provided "
            f"`grads_and_vars` is {tuple(grads_and_vars)}."
        )
    if len(pairs) < len(grads_and_vars):
        logger.warning(
            "Gradients do not exist for variables %s when minimizing the loss. If you're using `model.compile()`, did "
            "you forget to provide a `loss` argument?", [v.name for g, v in grads_and_vars if g is None],
        )  # fmt: skip
    return pairs


def _without_repetitions(gradient):
    """IndexedSlices with the rows of equal indices added up; any other gradient as it is.

    In a function the number of rows stays. Left-over rows have the index of `nowhere`, so they are read as zeros and
    written nowhere.
    """
    if not hasattr(gradient, "dense_shape"):
        return gradient
    if gradient.dense_shape is not None and known_values(gradient.indices) is None:
        summed: Any = engine.apply(_DISTINCT_ROWS, tuple(map(to_node, (gradient.values, gradient.indices))))
        return type(gradient)(*map(wrap, summed), gradient.dense_shape)
    indices, positions = unique(gradient.indices)
    return type(gradient)(
        unsorted_segment_sum(gradient.values, positions, indices.shape[0]), indices, gradient.dense_shape
    )


def _distinct_rows(rows, indices):
    order = order_along(indices, 0)
    ordered = indices[order]
    is_new = jnp.concatenate([jnp.ones_like(ordered[:1], bool), ordered[1:] != ordered[:-1]])
    ranks = jnp.cumsum(is_new, dtype=np.int32) - 1
    places = jnp.zeros_like(ranks).at[order].set(ranks)
    distinct = jnp.full_like(indices, engine.conditions.nowhere(indices.dtype)).at[ranks].set(ordered)
    return jnp.zeros_like(rows).at[places].add(rows), distinct


_DISTINCT_ROWS = engine.Operation("DistinctRows", _distinct_rows, differentiable=False)


def recorded(loss: Any, var_list: Any, tape: Any):
    """The loss, computed under a tape if it is a function.

    Returns:
      (tape, loss, variables).

    Raises:
      ValueError: `loss` is a tensor and there is no `tape`.
    """
    if not callable(loss) and tape is None:
        raise ValueError(f"`tape` is required when a `Tensor` loss is passed. Received: loss={loss}, tape={tape}.")
    tape = GradientTape() if tape is None else tape
    if callable(loss):
        with tape:
            if not callable(var_list):
                tape.watch(var_list)
            loss = loss()
            if callable(var_list):
                var_list = var_list()
    return tape, loss, var_list

"""The variables of a layer: those that it makes, and those in its attributes."""

import functools
import warnings
from typing import Any

import numpy as np

from tfcompat import dtypes
from tfcompat._core import restoring as _restoring
from tfcompat._core.containers import wrapped
from tfcompat._core.dependencies import NoDependency, note_dependency
from tfcompat._core.graphs import in_session
from tfcompat._core.module import Module
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat._core.variable_context import VariableAggregation, VariableSynchronization, creators
from tfcompat.distribute import get_strategy
from tfcompat.errors import UnimplementedError
from tfcompat.layers import constraints, initializers, regularizers
from tfcompat.layers._layer import tracking as _tracking
from tfcompat.layers._layer.arguments import PLAIN
from tfcompat.layers._layer.autocast import AutoCastVariable, stored
from tfcompat.layers._layer.tracking import number_of_parameters

_WEIGHT_KEYWORDS = frozenset({"autocast", "experimental_autocast", "experimental_enable_variable_lifting", "getter"})
_UNTRACKED = (Tensor, *PLAIN)


class Weights:
    """The part of `Layer` that makes, tracks and lists variables."""

    name: str
    dtype: Any
    _dtype_policy: Any
    trainable: Any
    built: bool
    add_loss: Any
    _flatten_layers: Any
    _trainable_weights: list
    _non_trainable_weights: list
    _self_tracked_trackables: list

    # Variables, losses and calls, as the layer lists them; the attributes of subclasses lead to all that is saved.
    _unsaved_attributes = Module._unsaved_attributes | {
        "_trainable_weights", "_non_trainable_weights", "_self_tracked_trackables", "_initial_weights", "_metrics",
        "_losses", "_loss_functions", "_updates", "_plain_arguments", "_nodes_in", "_nodes_out", "_sequential",
    }  # fmt: skip

    def __setattr__(self, name, value):
        if hasattr(type(self), name):
            try:
                object.__setattr__(self, name, value)
            except AttributeError:
                raise AttributeError(
                    f'Can\'t set the attribute "{name}", likely because it conflicts with an existing '
                    "read-only @property of the object. Please choose a different name."
                ) from None
            return
        attributes = self.__dict__
        if attributes.get("_self_setattr_tracking") is False:  # see tfcompat/_private/tracking.py
            attributes.setdefault("_untracked_names", set()).add(name)
            attributes[name] = value
            return
        if type(value) is NoDependency or "_untracked_names" in attributes:
            note_dependency(self, name, value)
        position = None
        if name in attributes:
            previous = attributes[name]
            if isinstance(previous, Variable) and isinstance(value, Variable) and previous.trainable:
                position = _index_of(previous, attributes.get("_trainable_weights", ()))
            self._release(name, previous)
        if not isinstance(value, _UNTRACKED):
            value = value if name in self._unsaved_attributes else wrapped(value)
            self._track(value, position)
        attributes[name] = value

    def __delattr__(self, name):
        if name in self.__dict__:
            self._release(name, self.__dict__[name])
        object.__delattr__(self, name)

    def _track(self, value, position=None):
        """Enters the content of `value` among the layer's sublayers and weights."""
        attributes = self.__dict__
        metrics = _tracking.metrics_in(value)
        if metrics:
            attributes.setdefault("_metrics", []).extend(metrics)
        if _tracking.is_tracked(value) and attributes.get("_auto_track_sub_layers", True):
            tracked = attributes.setdefault("_self_tracked_trackables", [])
            if _index_of(value, tracked) is None:
                tracked.append(value)
        self._track_variables(value, position)

    def _track_variables(self, value, position=None):
        for variable in _tracking.variables_in(value):
            kind = "_trainable_weights" if variable.trainable else "_non_trainable_weights"
            weights = self.__dict__.setdefault(kind, [])
            if _index_of(variable, weights) is None:
                weights.insert(len(weights) if position is None else position, variable)

    def _release(self, name, value):
        """Forgets `value`, about to leave the attribute `name`, unless another attribute holds it too."""
        attributes = self.__dict__
        if not isinstance(value, Variable) and not _tracking.is_tracked(value):
            return
        if any(held is value for attribute, held in attributes.items() if attribute != name):
            return
        for kind in ("_self_tracked_trackables", "_trainable_weights", "_non_trainable_weights"):
            if kind in attributes:
                attributes[kind][:] = [other for other in attributes[kind] if other is not value]

    def _update_trackables(self):
        """Finds the variables added to containers since they became attributes."""
        for tracked in self._self_tracked_trackables:
            if isinstance(tracked, _tracking.CONTAINERS):
                self._track_variables(tracked)

    def _flatten_modules(self, recursive=True, include_self=True):
        if include_self:
            yield self
        yield from _tracking.modules_in(self.__dict__.get("_self_tracked_trackables", ()), recursive)

    def add_weight(
        self,
        name=None,
        shape=None,
        dtype=None,
        initializer: Any = None,
        regularizer=None,
        trainable=None,
        constraint=None,
        use_resource=None,
        synchronization=VariableSynchronization.AUTO,
        aggregation=VariableAggregation.NONE,
        **kwargs,
    ):
        """Makes a variable that belongs to the layer.

        Args:
          name: str; or the shape, as in Keras 3.
          shape: shape, () by default.
          dtype: dtype; that of the layer by default.
          initializer: name, class, or function of (shape, dtype); Glorot uniform for floating dtypes by
            default, zeros for integers and bools.
          regularizer: function from the variable to a loss, which `losses` lists.
          trainable: bool, True unless `synchronization` is ON_READ.
          constraint: function applied by optimizers after an update.
          use_resource: every variable is one.
          synchronization, aggregation: kept by the variable.
          **kwargs: `autocast`, `experimental_autocast`: whether `call` reads a floating variable in the dtype that the
            layer computes in, under a mixed-precision policy; True by default. `getter`: makes the variable, of
            keyword arguments with these names, or gives one that there is.

        Returns:
          Variable.

        Raises:
          ValueError: `trainable=True` with ON_READ; a dtype without a default initializer and no
            `initializer`.
          TypeError: unknown keyword.

        TF: `tf.keras.layers.Layer.add_weight`; caching devices and layouts are not available, nor are custom getters
          of variables that are read in another dtype.
        """
        for keyword in kwargs:
            if keyword not in _WEIGHT_KEYWORDS:
                raise TypeError(f"Unknown keyword argument: {keyword!r}")
        # Variables that replicas keep apart until they are read do not train.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/base_layer.py
        if synchronization is VariableSynchronization.ON_READ:
            if trainable:
                raise ValueError(
                    "Synchronization value can be set to VariableSynchronization.ON_READ only for "
                    "non-trainable variables. You have specified trainable=True and "
                    "synchronization=VariableSynchronization.ON_READ."
                )
            trainable = False
        elif trainable is None:
            trainable = True
        # Keras 3 takes the shape first, and programs written for it run here, too.
        if isinstance(name, tuple | list | TensorShape) and shape is None:
            name, shape = None, name
        shape = () if shape is None else shape
        dtype = dtypes.as_dtype(self.dtype if dtype is None else dtype)
        initializer = initializers.get(initializer)
        if initializer is None:
            if dtype.is_floating:
                initializer = initializers.get("glorot_uniform")
            elif dtype.is_integer or dtype.is_bool:
                initializer = initializers.get("zeros")
            elif "getter" not in kwargs:
                raise ValueError(
                    f"An initializer for variable {name} of type {dtype} is required for layer {self.name}."
                )
        autocast = kwargs.get("autocast")
        autocast = kwargs.get("experimental_autocast", True) if autocast is None else autocast
        mixed = autocast and self._dtype_policy.is_mixed and dtype.is_floating
        _restoring.count(TensorShape(shape), dtype)
        waiting = _restoring.waiting_value(self, name, shape, dtype)
        options = dict(
            trainable=trainable, name=name, dtype=dtype, constraint=constraints.get(constraint),
            synchronization=synchronization, aggregation=aggregation,
        )  # fmt: skip
        if "getter" in kwargs and mixed:
            raise UnimplementedError(
                None, None, f"add_weight: a getter under a mixed policy; give autocast=False for {name}"
            )

        def made(initializer, shape, dtype, use_resource, collections, caching_device, **options):
            first_value = functools.partial(initializer, shape, dtype=dtype) if waiting is None else waiting
            if mixed and get_strategy().num_replicas_in_sync > 1:
                return _of_replicas(first_value, dtype=dtype, **options)
            return (AutoCastVariable if mixed else Variable)(first_value, dtype=dtype, **options)

        variable = self._add_variable_with_custom_getter(
            shape=shape, getter=kwargs.get("getter", made), overwrite=True, initializer=initializer,
            use_resource=use_resource, collections=None, caching_device=None, **options,
        )  # fmt: skip
        if waiting is not None and "getter" in kwargs:
            variable.assign(waiting)
        regularizer = regularizers.get(regularizer)
        if regularizer is not None:
            self.add_loss(functools.partial(*([_as_stored] if mixed else []), regularizer, variable))
        (self._trainable_weights if trainable else self._non_trainable_weights).append(variable)
        return variable if name is None else self._track_trackable(variable, name, overwrite=True)

    def _add_variable_with_custom_getter(self, name, shape=None, dtype=dtypes.float32, initializer=None, getter=None,
                                         overwrite=False, **kwargs_for_getter):  # fmt: skip
        """What `getter` makes of the other arguments; layers override it to wrap it."""
        return getter(name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs_for_getter)

    def add_variable(self, *args, **kwargs):
        """Deprecated name of `add_weight`."""
        warnings.warn("`layer.add_variable` is deprecated: use `layer.add_weight`.", stacklevel=2)
        return self.add_weight(*args, **kwargs)

    def _of_children(self, kind):
        return [
            variable
            for module in self._flatten_modules(recursive=False, include_self=False)
            for variable in getattr(module, kind)
        ]

    @property
    def trainable_weights(self):
        """The variables that train: the layer's own, then those of the layers inside. Empty if not
        `trainable`."""
        if not self._self_tracked_trackables:
            return list(self._trainable_weights) if self.trainable else []
        self._update_trackables()
        if not self.trainable:
            return []
        return _tracking.unique(self._trainable_weights + self._of_children("trainable_variables"))

    @property
    def non_trainable_weights(self):
        """The other variables: the layer's own, then those of the layers inside."""
        self._update_trackables()
        if self.trainable:
            return _tracking.unique(
                self._non_trainable_weights + self._of_children("non_trainable_variables")
            )
        of_layer = self._trainable_weights + self._non_trainable_weights
        return _tracking.unique(of_layer + self._of_children("variables"))

    @property
    def weights(self):
        """All variables, those that train first."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def variables(self):
        """All variables, as `weights`."""
        return self.weights

    @property
    def trainable_variables(self):
        """The variables that train, as `trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self):
        """The other variables, as `non_trainable_weights`."""
        return self.non_trainable_weights

    @in_session
    def get_weights(self):
        """The values of `weights`, a list of NumPy arrays."""
        return [weight.numpy() for weight in self.weights]

    @in_session
    def set_weights(self, weights):
        """Replaces the values of `self.weights`.

        Args:
          weights: list of NumPy arrays, as from `get_weights`; cast to the dtypes of the variables.

        Raises:
          ValueError: number or shape of the arrays do not fit; no variable changes.
        """
        variables = self.weights
        if len(variables) != len(weights):
            raise ValueError(
                f'You called `set_weights(weights)` on layer "{self.name}" with a weight list of length '
                f"{len(weights)}, but the layer was expecting {len(variables)} weights. Provided weights: "
                f"{str(weights)[:50]}..."
            )
        for variable, weight in zip(variables, weights, strict=True):
            shape = getattr(weight, "shape", ())
            if not variable.shape.is_compatible_with(shape):
                raise ValueError(
                    f"Layer {self.name} weight shape {variable.shape} is not compatible with provided weight "
                    f"shape {shape}."
                )
        for variable, weight in zip(variables, weights, strict=True):
            variable.assign(np.asarray(weight, variable.dtype.np))
        for layer in self._flatten_layers():
            layer.finalize_state()

    def finalize_state(self):
        """Called after `set_weights`; for subclasses."""

    def count_params(self):
        """Number of scalars in the weights.

        Raises:
          ValueError: the layer is not built.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on layer {self.name}, but the layer isn't built. You can "
                f"build it manually via: `{self.name}.build(batch_input_shape)`."
            )
        return number_of_parameters(self.weights)


def _index_of(item, items):
    return next((i for i, other in enumerate(items) if other is item), None)


def _as_stored(regularizer, variable):
    """The loss of a variable in the dtype it is stored in, also where another one is computed in."""
    with stored():
        return regularizer(variable)


def _of_replicas(*args, **kwargs):
    """A variable of replicas whose parts are AutoCastVariables."""
    active = creators()
    active.insert(0, _autocast)
    try:
        return Variable(*args, **kwargs)
    finally:
        active.remove(_autocast)


def _autocast(next_creator, **kwargs):
    return AutoCastVariable(**kwargs)

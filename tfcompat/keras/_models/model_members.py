"""Members of a model that packages read: the shapes of its inputs, the paths of its weights, how it is run."""

import collections
import warnings
from typing import Any

import numpy as np

from tfcompat import nest
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.distribute import get_strategy
from tfcompat.errors import UnimplementedError
from tfcompat.layers._symbolic.keras_tensor import KerasTensor
from tfcompat.train._objects import attribute_children, children, is_trackable


class ModelMembers:
    """Members of `Model` that say how it is called and run."""

    # Of Model and Layer.
    input_names: Any
    run_eagerly: Any
    train_function: Any
    _reset_compile_cache: Any

    # --- what it was called on ----------------------------------------------------------------------------------------

    def save_spec(self, dynamic_batch=True):
        """The `tf.TensorSpec`s of the arguments of the first call.

        Args:
          dynamic_batch: bool, whether the first size of each is None.

        Returns:
          (list of the specs of the inputs and of other positional arguments, dict of those of keyword arguments), or
          None before the first call. Arguments that are no tensors are None in the list, and left out of the dict.

        TF: `tf.keras.Model.save_spec`.
        """
        return self._get_save_spec(dynamic_batch, inputs_only=False)

    def _get_save_spec(self, dynamic_batch=True, inputs_only=True) -> Any:
        arg_spec = self.__dict__.get("_saved_model_arg_spec")
        if arg_spec is None:
            return None
        if dynamic_batch:
            arg_spec = nest.map_structure(_with_any_batch, arg_spec)
        return arg_spec[0][0] if inputs_only else arg_spec

    def _set_save_spec(self, inputs, args=None, kwargs=None):
        attributes = self.__dict__
        if attributes.get("_saved_model_inputs_spec") is not None:
            return
        flat = nest.flatten(inputs)
        names = self.input_names or (
            sorted(inputs) if isinstance(inputs, dict) else [f"input_{i + 1}" for i in range(len(flat))]
        )
        specs = [spec_of(x, name) for x, name in zip(flat, names, strict=False)]
        if len(specs) < len(flat) or any(spec is None for spec in specs):
            return
        inputs_spec = nest.pack_sequence_as(inputs, specs)
        keywords = {key: nest.map_structure(spec_of, value) for key, value in (kwargs or {}).items()}
        attributes["_saved_model_inputs_spec"] = inputs_spec
        attributes["_saved_model_arg_spec"] = (
            [inputs_spec, *nest.map_structure(spec_of, list(args or ()))],
            {key: spec for key, spec in keywords.items() if None not in nest.flatten(spec)},
        )

    # --- what is saved ------------------------------------------------------------------------------------------------

    def _checkpoint_children(self):
        return attribute_children(self)

    # --- weights ------------------------------------------------------------------------------------------------------

    def get_weight_paths(self):
        """Dict from the path of each variable, names of attributes and of layers with dots between, to the variable.

        TF: `tf.keras.Model.get_weight_paths`.
        """
        result, seen, waiting = {}, {id(self)}, collections.deque([(self, ())])
        while waiting:
            owner, path = waiting.popleft()
            for name, child in children(owner):
                if id(child) in seen:
                    continue
                seen.add(id(child))
                if isinstance(owner, ModelMembers) and name.startswith(("layer-", "layer_with_weights-")):
                    name = child.name
                waiting.append((child, (*path, name)))
                if isinstance(child, Variable):
                    result[".".join((*path, name))] = child
        return result

    # --- how it is run ------------------------------------------------------------------------------------------------

    @property
    def distribute_strategy(self):
        """The `tf.distribute.Strategy` in whose scope the model was made, if that has several; else where it is."""
        return self.__dict__.get("_strategy") or get_strategy()

    @property
    def train_tf_function(self):
        """The `tf.function` that `fit` calls; None before, and if the steps run as Python."""
        return None if self.run_eagerly else self.train_function

    def _in_multi_worker_mode(self):
        return False

    @property
    def jit_compile(self):
        """What `compile` was given as `jit_compile`; everything is compiled."""
        return self.__dict__.get("_jit_compile")

    @jit_compile.setter
    def jit_compile(self, value):
        if self.jit_compile != value:
            self.__dict__["_jit_compile"] = value
            self._reset_compile_cache()

    @property
    def steps_per_execution(self):
        """int64 variable: how many batches pass between two calls of batch-level callbacks; None before `compile`."""
        return self.__dict__.get("_steps_per_execution")

    @steps_per_execution.setter
    def steps_per_execution(self, value):
        self._configure_steps_per_execution(value)

    def _configure_steps_per_execution(self, steps_per_execution):
        attributes = self.__dict__
        if attributes.get("_steps_per_execution") is None:
            attributes["_steps_per_execution"] = Variable(np.int64(steps_per_execution), trainable=False)
        else:
            attributes["_steps_per_execution"].assign(steps_per_execution)

    @property
    def autotune_steps_per_execution(self):
        """False: `steps_per_execution` is what was set."""
        return False

    @autotune_steps_per_execution.setter
    def autotune_steps_per_execution(self, value):
        if value:
            raise UnimplementedError(
                None, None,
                "tf.keras.Model.autotune_steps_per_execution is not available in tfcompat: set steps_per_execution",
            )  # fmt: skip


def numbered_layers(model, kind):
    """List of (name, object) that a checkpoint saves of a model whose layers are known by their numbers.

    TF numbers the layers twice, all of them and those with weights:
    https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/functional.py

    Args:
      model: of a class `kind`, or of a subclass, whose attributes are saved as well.
      kind: `Sequential` or `Functional`.
    """
    result, with_weights = [], 0
    for number, layer in enumerate(model.layers):
        if layer.weights:
            result.append((f"layer_with_weights-{with_weights}", layer))
            with_weights += 1
        result.append((f"layer-{number}", layer))
    if type(model) is not kind:
        result += sorted(attribute_children(model))
    elif model.optimizer is not None and is_trackable(model.optimizer):
        result.append(("optimizer", model.optimizer))
    return result


def named_inputs(tensors, names):
    """List of a dict's tensors for inputs of these names; all of them where one is missing."""
    extra = [name for name in tensors if name not in names]
    if len(tensors) > len(names):
        warnings.warn(
            f"Input dict contained keys {extra} which did not match any model input. They will be ignored by the "
            "model.",
            stacklevel=5,
        )
    return [tensors[name] for name in names] if all(name in tensors for name in names) else nest.flatten(tensors)


def spec_of(x, name=None):
    """The TensorSpec of a tensor, an array or a KerasTensor; None for anything else."""
    if isinstance(x, Tensor | Variable | KerasTensor | TensorSpec):
        return TensorSpec(x.shape, x.dtype, name or (x.name if isinstance(x, KerasTensor) else None))
    return TensorSpec(x.shape, x.dtype, name) if isinstance(x, np.ndarray) else None


def _with_any_batch(spec):
    if spec is None or not spec.shape.rank:
        return spec
    return TensorSpec(TensorShape([None, *spec.shape[1:]]), spec.dtype, spec.name)

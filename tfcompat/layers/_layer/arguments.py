"""How layers read their arguments, those of the constructor and those of a call."""

import inspect
from typing import Any

import jax
import numpy as np

from tfcompat import nest
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.tensor import Tensor
from tfcompat.layers._layer import naming as _naming
from tfcompat.layers._layer import settings as _settings

_KEYWORDS = frozenset(
    {
        "input_dim",
        "input_shape",
        "batch_input_shape",
        "batch_size",
        "weights",
        "activity_regularizer",
        "autocast",
        "implementation",
    }
)
PLAIN = (str, int, float, bool, type(None))
_CONVERTED = (np.ndarray, float, int, jax.Array)


def check_keywords(kwargs):
    """Raises TypeError for a keyword that no layer takes."""
    for keyword in kwargs:
        if keyword not in _KEYWORDS:
            raise TypeError("Keyword argument not understood:", keyword)


def checked_name(layer, name):
    """The name of a layer; by default that of its class, numbered."""
    if name is None:
        return _naming.unique_name(_naming.snake_case(type(layer).__name__))
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` argument to be a string, but got: {name}")
    return name


def batch_input_shape(kwargs):
    """The shape of inputs, batch axis included, that the keywords give, or None."""
    if "batch_input_shape" in kwargs:
        return tuple(kwargs["batch_input_shape"])
    if "input_shape" in kwargs:
        return (kwargs.get("batch_size"), *kwargs["input_shape"])
    if "input_dim" in kwargs:
        return (kwargs.get("batch_size"), kwargs["input_dim"])
    return None


def plain_arguments(cls, args, kwargs):
    """The constructor's arguments by name, for a `get_config` that needs them; None if it does not, or if they are more
    than numbers, strings, bools and None."""
    if not hasattr(cls.get_config, "_is_default"):
        return None
    names = inspect.getfullargspec(cls.__init__).args[1:]
    arguments = {**kwargs, **dict(zip(names, args, strict=False))}
    if all(isinstance(value, PLAIN) for value in nest.flatten(arguments)):
        return arguments
    return None


def arguments_of(scope):
    """A constructor's arguments, of its `locals()`, as keywords for that of the base class.

    Layers over 1, 2 and 3 axes differ only in their defaults. Each writes out its signature, since programs and
    documentation read it, but does not list the twenty names a second time.
    """
    named = {name: value for name, value in scope.items() if name not in ("self", "__class__", "kwargs")}
    return {**named, **scope["kwargs"]}


def converted(inputs: Any) -> Any:
    """`inputs` with a tensor in place of each array and Python number."""
    if isinstance(inputs, _CONVERTED):
        return convert_to_tensor(inputs)
    flat = nest.flatten(inputs)
    if not any(isinstance(x, (Tensor, *_CONVERTED)) for x in flat):
        return inputs
    return nest.map_structure(lambda x: convert_to_tensor(x) if isinstance(x, _CONVERTED) else x, inputs)


def resolve_training(signature, args, kwargs, outer):
    """The `training` argument for `call`: the value passed, that of the outer layer, or the default.

    Returns:
      (args, training); a value not passed is entered in `args` or `kwargs`.
    """
    index: Any = signature.training_index
    positional = index is not None and index < len(args)
    training = args[index] if positional else kwargs.get("training")
    if training is not None:
        return args, training
    # In this order: what is passed, what the outer layer was called with, the learning phase, the default of `call`.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/base_layer.py
    if outer is not None:
        training = outer
    elif _settings.settings.learning_phase is not None:
        training = bool(_settings.settings.learning_phase)
    else:
        training = signature.training_default
    if positional:
        args = (*args[:index], training, *args[index + 1 :])
    else:
        kwargs["training"] = training
    return args, training

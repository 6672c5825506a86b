"""`TFOpLambda`: ops called on KerasTensors, as layers. Configurations name them by TF's symbols."""

from typing import Any

from tfcompat import array, math
from tfcompat._core.composite import PASSING
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.registry import OPS
from tfcompat.layers._layer import naming as _naming
from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.registry import register_keras_object
from tfcompat.layers._symbolic.keras_tensor import call_recorder

# Public functions whose canonical symbol in TF differs from their own name.
# https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/layers/core/tf_op_layer.py
_RECORDED_AS = {
    "shape": "compat.v1.shape",
    "transpose": "compat.v1.transpose",
    "size": "compat.v1.size",
    "pad": "compat.v1.pad",
    "linalg.norm": "compat.v1.norm",
    "math.floordiv": "compat.v1.floor_div",
    "squeeze": "compat.v1.squeeze",
    "gather": "compat.v1.gather",
    "gather_nd": "compat.v1.gather_nd",
    "math.in_top_k": "compat.v1.math.in_top_k",
    "nn.conv1d": "compat.v1.nn.conv1d",
    "nn.conv2d": "compat.v1.nn.conv2d",
    "nn.depthwise_conv2d": "compat.v1.nn.depthwise_conv2d",
    "nn.separable_conv2d": "compat.v1.nn.separable_conv2d",
    "nn.pool": "compat.v1.nn.pool",
    "nn.sparse_softmax_cross_entropy_with_logits": "compat.v1.nn.sparse_softmax_cross_entropy_with_logits",
    "nn.embedding_lookup": "compat.v1.nn.embedding_lookup",
    "nn.sigmoid_cross_entropy_with_logits": "compat.v1.nn.sigmoid_cross_entropy_with_logits",
    "nn.softmax_cross_entropy_with_logits": "compat.v1.nn.softmax_cross_entropy_with_logits_v2",
}
_PUBLIC = {recorded: public for public, recorded in _RECORDED_AS.items()}


def _add(x, y, name=None):
    return x + y


def _equal(self, other):
    return self == other


def _not_equal(self, other):
    return self != other


def _getitem(tensor, slice_spec, var=None):
    return array.getitem(convert_to_tensor(tensor), slice_spec)  # lists are constants from a configuration


def _ragged_getitem(rt_input, key):
    return rt_input[key]


_OPERATORS = {
    "__operators__.add": _add,
    "__operators__.eq": _equal,
    "__operators__.ne": _not_equal,
    "__operators__.getitem": _getitem,
    "__operators__.ragged_getitem": _ragged_getitem,
    "math.truediv": math.truediv,
}


def function_of(symbol) -> Any:
    """The op that one of TF's symbols, without `tf.`, names; None if there is none.

    Only ops are looked up, so that a configuration can name nothing that does more than compute.
    """
    public = f"tf.{_PUBLIC.get(symbol, symbol)}"
    return _OPERATORS.get(symbol) or OPS.get(public) or PASSING.get(public)


@register_keras_object("tf_keras.src.layers.core.tf_op_layer")
class TFOpLambda(Layer):
    """An op as a layer, made where the op is called on a KerasTensor.

    Args:
      function: the op, or TF's name of it without `tf.`.
      **kwargs: `name`, `trainable`, `dtype`.

    Raises:
      ValueError: no op has this name.

    Variables in its arguments are not its weights.
    TF: the layer that Keras 2 makes of an op on a KerasTensor.
    """

    # Set past `__setattr__`.
    function: Any
    symbol: str | None

    def __init__(self, function, **kwargs):
        attributes = self.__dict__
        attributes["symbol"] = function if isinstance(function, str) else None
        if isinstance(function, str):
            function = function_of(function)
            if function is None:
                raise ValueError(f"TF symbol `{attributes['symbol']}` could not be found.")
        attributes["function"] = function
        attributes["call"] = function
        if kwargs.get("name") is None:
            base = f"tf.{attributes['symbol']}" if attributes["symbol"] else function.__name__
            kwargs["name"] = _naming.unique_name(base)
        super().__init__(**{"autocast": False, **kwargs})
        self._call_signature.takes_training = False

    def build_from_config(self, config):
        """Nothing: there are no weights."""

    def get_config(self):
        if self.symbol is None:
            raise ValueError(
                f"The layer {self.name} was made of {self.function}, which is not public in TensorFlow: a model with "
                "it cannot be written down"
            )
        return {**super().get_config(), "function": self.symbol}


@register_keras_object("tf_keras.src.layers.core.tf_op_layer")
class SlicingOpLambda(TFOpLambda):
    """`x[key]` as a layer. In its arguments, slices are dicts, so that they can be written down."""

    _slices = True

    def __init__(self, function, **kwargs):
        super().__init__(function, **kwargs)
        self.__dict__["call"] = self._slice

    def _slice(self, tensor, slice_spec, var=None):
        if isinstance(slice_spec, list | tuple):
            return self.function(tensor, tuple([_as_slice(key) for key in slice_spec]))
        return self.function(tensor, _as_slice(slice_spec))


def _as_slice(key):
    return slice(key["start"], key["stop"], key["step"]) if isinstance(key, dict) else key


def _as_dict(key):
    return {"start": key.start, "stop": key.stop, "step": key.step} if isinstance(key, slice) else key


def call_slice(tensor, key):
    """`tensor[key]` of a KerasTensor."""
    key = tuple([_as_dict(part) for part in key]) if isinstance(key, tuple) else _as_dict(key)
    ragged = getattr(tensor, "ragged_rank", None)
    return SlicingOpLambda("__operators__.ragged_getitem" if ragged else "__operators__.getitem")(tensor, key)


def call_symbol(symbol, args, kwargs):
    """The op that a symbol names, called on KerasTensors among others."""
    return TFOpLambda(symbol)(*args, **kwargs)


def call_op(names, function, args, kwargs):
    """A public function of these names, called on KerasTensors among others."""
    symbol = next((name.removeprefix("tf.") for name in names if name.startswith("tf.")), None)
    symbol = symbol and _RECORDED_AS.get(symbol, symbol)
    layer = TFOpLambda(symbol if symbol and function_of(symbol) is function else function)
    if not args:
        return layer(**kwargs)
    return layer(*args, **kwargs)


call_recorder.op, call_recorder.symbol, call_recorder.slice = call_op, call_symbol, call_slice

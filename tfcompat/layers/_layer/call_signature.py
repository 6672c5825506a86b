"""The signature of a layer's `call` method, for passing `training` and `mask` and for error messages."""

import inspect

from tfcompat import nest
from tfcompat._core.composite import CompositeArgument
from tfcompat._core.tensor import Tensor
from tfcompat.errors import OpError

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class CallSignature:
    """The parameters of a `call` method, without `self`.

    Attributes:
      first: name of the parameter that takes the inputs, or None.
      takes_training: whether `call` accepts `training`.
      training_index: where `training` stands among the positional arguments after the inputs, or None.
      training_default: its default, None if it has none.
      takes_mask: whether `call` accepts `mask`.
      mask_index: where `mask` stands among the positional arguments after the inputs, or None.
      required: names, after the inputs, of positional parameters without a default.
    """

    __slots__ = (
        "first", "mask_index", "required", "takes_mask", "takes_training", "training_default", "training_index",
    )  # fmt: skip

    def __init__(self, call):
        parameters = list(inspect.signature(call).parameters.values())
        positional = [p for p in parameters if p.kind in _POSITIONAL]
        self.first = positional[0].name if positional else None
        self.required = [p.name for p in positional[1:] if p.default is inspect.Parameter.empty]
        self.takes_training = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
        self.takes_mask = self.takes_training
        self.training_index = self.training_default = self.mask_index = None
        for p in parameters:
            if p.name == "mask":
                self.takes_mask = True
                self.mask_index = positional.index(p) - 1 if p in positional else None
            if p.name == "training":
                self.takes_training = True
                self.training_index = positional.index(p) - 1 if p in positional else None
                self.training_default = None if p.default is inspect.Parameter.empty else p.default


def with_call_information(error, layer, arguments, keywords):
    """`error` with the layer and the arguments of its `call` in the message, as Keras words it.

    Args:
      error: exception raised by `layer.call(*arguments, **keywords)`.

    Returns:
      An exception of the same class, or RuntimeError if that class needs more than a message; `error` itself if an
      inner layer has added its information, or if the arguments do not fit `call`.
    """
    if hasattr(error, "_keras_call_info_injected"):
        return error
    if isinstance(error, CompositeArgument):
        error = ValueError(str(error)).with_traceback(error.__traceback__)
    signature = inspect.signature(layer.call)
    try:
        bound = signature.bind(*arguments, **keywords).arguments
    except TypeError:
        return error
    if not signature.parameters:
        return error
    # Keras's wording.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/utils/traceback_utils.py
    lines = []
    for parameter in signature.parameters.values():
        value = parameter.default
        if parameter.name in bound:
            value = nest.map_structure(_brief, bound[parameter.name])
        lines.append(f"  • {parameter.name}={value}")
    if isinstance(error, OpError):
        text = error.message
    else:
        text = error.args[0] if error.args else ""
    who = f"layer '{layer.name}' (type {type(layer).__name__})"
    message = f"Exception encountered when calling {who}.\n\n{text}\n\nCall arguments received by {who}:\n"
    message += "\n".join(lines)
    if isinstance(error, OpError):
        told = type(error)(error.node_def, error.op, message, error.error_code)
    else:
        try:
            told = type(error)(message)
        except TypeError:
            told = RuntimeError(message)
    told.__dict__["_keras_call_info_injected"] = True
    return told.with_traceback(error.__traceback__)


def _brief(value):
    if isinstance(value, Tensor):
        return f"tf.Tensor(shape={value.shape}, dtype={value.dtype.name})"
    return repr(value)

"""`tf.convert_to_tensor` as programs call it: on KerasTensors it becomes a layer."""

import functools

from tfcompat._core import convert as _convert
from tfcompat._core.composite import PASSING, REGISTERED, CompositeArgument, dispatch, registered
from tfcompat._core.tensor import Tensor


@functools.wraps(_convert.convert_to_tensor)
def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None) -> Tensor:
    options = {"dtype": dtype, "dtype_hint": dtype_hint, "name": name}
    if REGISTERED:
        result = registered(convert_to_tensor, (value,), options)
        if result is not NotImplemented:
            return result
    try:
        return _convert.convert_to_tensor(value, dtype, dtype_hint)
    except CompositeArgument as error:
        return dispatch(("tf.convert_to_tensor",), convert_to_tensor, (value,), options, error)


PASSING["tf.convert_to_tensor"] = convert_to_tensor

"""Nests of arguments and results as JSON."""
from tfcompat import dtypes
from tfcompat._spec import TensorSpec
from tfcompat.errors import UnimplementedError


def encode(value, where):
    """A nest of TensorSpecs and plain Python values as JSON data."""
    if isinstance(value, TensorSpec):
        shape = None if value.shape.rank is None else value.shape.as_list()
        return {"tensor": {"shape": shape, "dtype": value.dtype.name, "name": value.name}}
    if value is None or isinstance(value, bool | int | float | str):
        return {"value": value}
    if isinstance(value, dtypes.DType):
        return {"dtype": value.name}
    if isinstance(value, dict):
        return {"dict": {str(k): encode(v, where) for k, v in value.items()}}
    if isinstance(value, list | tuple):
        return {"list" if isinstance(value, list) else "tuple": [encode(v, where) for v in value]}
    raise UnimplementedError(
        None, None, f"tf.saved_model.save: {where} holds a {type(value).__name__}, which cannot be saved"
    )


def decode(data):
    """The inverse of `encode`."""
    ((kind, value),) = data.items()
    if kind == "tensor":
        return TensorSpec(value["shape"], dtypes.as_dtype(value["dtype"]), value["name"])
    if kind == "value":
        return value
    if kind == "dtype":
        return dtypes.as_dtype(value)
    if kind == "dict":
        return {k: decode(v) for k, v in value.items()}
    items = [decode(v) for v in value]
    return items if kind == "list" else tuple(items)

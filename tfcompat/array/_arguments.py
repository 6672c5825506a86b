"""Checks of static arguments (shapes, axes) shared by the array, nn and image ops."""

import numbers

import numpy as np

from tfcompat import errors
from tfcompat._core.convert import CastNumber, convert_to_tensor
from tfcompat._core.in_graphs import of_argument
from tfcompat._core.symbolic_sizes import is_symbol
from tfcompat._core.tensor import Tensor


def invalid(message):
    """An `InvalidArgumentError` with this text."""
    return errors.InvalidArgumentError(None, None, message)


def check_dtype(tensor, allowed, kernel):
    """Raises unless the dtype of an input is one of those that the op takes; in a function TypeError, as in TF."""
    check_is_allowed(tensor.dtype, allowed, kernel)


def check_is_allowed(dtype, allowed, kernel):
    """As `check_dtype`, of a dtype."""
    if dtype not in allowed:
        names = ", ".join(sorted(one.name for one in allowed))
        raise of_argument(invalid(
            f"Value for attr 'T' of {dtype.name} is not in the list of allowed values: {names} [Op:{kernel}]"
        ))  # fmt: skip


def as_input(value, dtype, kernel, argument):
    """`value` as a tensor of the one dtype that an input of a kernel has."""
    if isinstance(value, Tensor) and value.dtype != dtype:
        raise of_argument(invalid(
            f"cannot compute {kernel} as `{argument}` was expected to be a {dtype.name} tensor but is a "
            f"{value.dtype.name} tensor"
        ))  # fmt: skip
    return convert_to_tensor(value, dtype)


# What TF's kernels take as tensors: text is an InvalidArgumentError there, and numbers are where no dtype is the
# default. Attributes give a TypeError.
_INPUTS = {"axis", "begin", "block_shape", "crops", "multiples", "num_segments", "paddings", "perm", "shape", "shift",
           "size", "sizes", "size_splits"}  # fmt: skip
_INPUTS_OF_ANY_DTYPE = {"block_shape", "crops", "shift"}
_ATTRIBUTES = {"batch_dims", "block_size", "depth_radius", "dilations", "ksize", "ksizes", "padding", "rate", "rates",
               "strides"}  # fmt: skip


_SCALAR_INPUTS = {"depth", "k", "num"}
_INPUTS_THAT_NAME_THE_DTYPE = {"multiples", "num_segments", "paddings", "size_splits"}


def as_int(value, argument, attribute=False):
    """`value` as an int, where TF takes an int32 or int64 scalar; with `attribute`, where it is no tensor in TF.

    TF takes True and False and NumPy's floats for integers, and cuts off what attributes have after the point.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        if is_symbol(value):
            return value
        attribute = attribute or argument in _ATTRIBUTES
        if attribute and isinstance(value, float | bool):
            return int(value)
        if isinstance(value, CastNumber | bool) and argument not in _INPUTS_OF_ANY_DTYPE and argument != "size_splits":
            return int(value)
        takes_tensor = argument in _INPUTS and not attribute
        if isinstance(value, float) and argument in _INPUTS_THAT_NAME_THE_DTYPE:
            raise invalid(f"Value for attr 'T{argument}' of float is not in the list of allowed values: int32, int64")
        if value is not None and not (takes_tensor and (isinstance(value, str) or argument in _INPUTS_OF_ANY_DTYPE)):
            raise TypeError(f"`{argument}` must be an integer, got {value!r}")
        if value is None:
            if attribute or not takes_tensor and argument not in _SCALAR_INPUTS:
                raise TypeError(f"`{argument}` must be an integer, got None")
            raise ValueError(f"Attempt to convert a value (None) with an unsupported type to a Tensor: `{argument}`")
        kind = type(value).__name__
        raise invalid(f"Value for attr 'T' of {kind} is not in the list of allowed values: int32, int64 (`{argument}`)")
    return int(value)


def as_int32(value, argument):
    """`value` as an int, where TF converts it to an int32 tensor."""
    if value is None:
        raise ValueError(f"Attempt to convert a value (None) with an unsupported type to a Tensor: `{argument}`")
    if isinstance(value, CastNumber):
        value = int(value)
    elif isinstance(value, float):
        raise TypeError(f"`{argument}` must be an integer, got {value!r}")
    return as_int(value, argument, attribute=True)


def as_ints(value, argument):
    """A tuple of ints, where TF takes an int32 or int64 vector; a scalar counts as a vector of one."""
    if not isinstance(value, tuple):
        value = (value,)
    if any(isinstance(item, tuple) for item in value):
        raise invalid(f"`{argument}` must be a vector, got {_show(value)}")
    if any(item is None for item in value):
        raise ValueError(f"`{argument}` must be fully known, got {_show(value)}")
    return tuple(as_int(item, argument) for item in value)


def as_sizes(value, argument="dims"):
    """A tuple of non-negative ints: the shape of something new."""
    sizes = as_ints(value, argument)
    for size in sizes:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return sizes


def as_axis(axis, rank, argument="axis"):
    """`axis` counted from the front."""
    axis = as_int(axis, argument)
    if not -rank <= axis < rank:
        raise invalid(f"`{argument}` must be in the range [{-rank}, {rank}), got {axis}")
    return axis % rank if rank else 0


def _show(value):
    return str(value)[:60]


def show_shape(shape):
    """A shape as TF writes it in messages: `[2,3]`, `[?,3]` where a size is not known."""
    return "[" + ",".join("?" if is_symbol(size) else str(size) for size in shape) + "]"


def is_known(value):
    """Whether the value of a tensor is on the host, so that asking for it computes nothing."""
    return not isinstance(value, Tensor) or type(value._node.value) is np.ndarray

"""What the random functions do with their arguments: shapes, dtypes, seeds, algorithms."""

import enum

import jax
import numpy as np

from tfcompat import dtypes, engine, errors
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.in_graphs import of_argument
from tfcompat._core.op import type_name
from tfcompat._core.symbolic_sizes import is_symbol, known_or_symbols
from tfcompat._core.tensor import wrap

FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
INTEGERS = (dtypes.int32, dtypes.int64)
FULL_RANGE_INTEGERS = (*INTEGERS, dtypes.uint32, dtypes.uint64)
_INT32_MAX = np.iinfo(np.int32).max


class Algorithm(enum.Enum):
    """Random number generators. Philox is the one that exists here, as in TF on CPU. TF:
    `tf.random.Algorithm`."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def invalid(message, kernel):
    """TF's error for a bad value, with the op's name behind it."""
    return of_argument(errors.InvalidArgumentError(None, None, f"{message} [Op:{kernel}] name: "))


def record(operation, inputs, *attributes):
    """The tensor, or list of tensors, that `operation` makes of tensors or nodes and its static attributes."""
    nodes = tuple(getattr(x, "_node", x) for x in inputs)
    result = engine.apply(operation, nodes, engine.attributes_of(*attributes))
    return [wrap(node) for node in result] if type(result) is tuple else wrap(result)


def as_shape(shape, dtype=None):
    """A shape argument as a tuple of ints where it is one, else as a tensor that is still to be checked.

    Raises:
      ValueError: a size is None.
    """
    if isinstance(shape, list | tuple):
        if all(type(size) is int or is_symbol(size) for size in shape):
            return tuple(shape)
        if any(size is None for size in shape):
            raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    return convert_to_tensor(shape, dtype)


def sizes_of(shape, kernel):
    """The sizes in what `as_shape` returned.

    Raises:
      tf.errors.InvalidArgumentError: it is no vector, not of an integer dtype, or a size is negative.
      TypeError: it depends on a function's arguments.
    """
    if type(shape) is not tuple:
        if shape.dtype not in INTEGERS:
            raise _not_allowed("T", shape.dtype, INTEGERS)
        if shape.ndim != 1:
            got = show(shape.shape)
            raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {got}", kernel)
        shape = tuple(known(shape, "shape").tolist())
    for size in shape:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0", kernel)
    return shape


def index_dtype(shape):
    """Name of the dtype that TF gives to what `as_shape` returned; it tells kernels apart."""
    if type(shape) is not tuple:
        return shape.dtype.name
    return "int64" if any(type(size) is int and size > _INT32_MAX for size in shape) else "int32"


def product_of_shape(shape):
    """The product of what `as_shape` returned, whether or not it is fit to be a shape."""
    if type(shape) is not tuple:
        shape = known(shape, "shape")
    return int(np.prod(shape, dtype=np.int64))


def known(tensor, argument):
    """The NumPy array of a tensor that must be known while a function is traced; sizes may be symbols."""
    try:
        return known_or_symbols(tensor._node)
    except engine.SymbolicValueError:
        raise TypeError(f"`{argument}` must be known while the function is traced, got {tensor!r}") from None


def known_now(tensor):
    """The NumPy array of a tensor if nothing has to be computed for it, else None."""
    value = tensor._node.value
    if isinstance(value, jax.core.Tracer) or not isinstance(value, np.ndarray | jax.Array | engine.Part):
        return None
    return np.asarray(value)


def as_dtype_of(dtype, allowed):
    """`dtype` as a DType; ValueError if it is not one of `allowed`, as TF's Python code raises it."""
    dtype = dtypes.as_dtype(dtype)
    if dtype not in allowed:
        raise ValueError(f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {allowed}.")
    return dtype


def check_dtype(dtype, allowed, attribute="dtype"):
    """`dtype` as a DType; InvalidArgumentError if it is not one of `allowed`, as TF's kernels raise it."""
    dtype = dtypes.as_dtype(dtype)
    if dtype not in allowed:
        raise _not_allowed(attribute, dtype, allowed)
    return dtype


def _not_allowed(attribute, dtype, allowed):
    names = ", ".join(map(type_name, allowed))
    message = (
        f"Value for attr '{attribute}' of {type_name(dtype)} is not in the list of allowed values: {names}"
    )
    return errors.InvalidArgumentError(None, None, message)


def algorithm_number(algorithm):
    """The number of an algorithm given as a number, name, `Algorithm` or scalar tensor.

    Raises:
      ValueError: an unknown name.
      TypeError: something else.
    """
    if isinstance(algorithm, Algorithm):
        return algorithm.value
    if isinstance(algorithm, str):
        name = algorithm.strip().lower().replace("-", "").replace("_", "")
        for one in Algorithm:
            if name == one.name.lower().replace("_", ""):
                return one.value
        raise ValueError(unsupported_algorithm(algorithm))
    if isinstance(algorithm, int):
        return algorithm
    if hasattr(algorithm, "_node") or hasattr(algorithm, "_as_node"):
        return int(algorithm)
    raise TypeError(f"Can't convert argument `alg` (of value {algorithm} and type {type(algorithm)}) to int.")


def unsupported_algorithm(algorithm):
    """The text of the error for an algorithm that does not exist."""
    names = (
        [one.name.lower() for one in Algorithm]
        if isinstance(algorithm, str)
        else [one.value for one in Algorithm]
    )
    return (
        f"Argument `alg` got unsupported value {algorithm}. Supported values are {names[0]} for the Philox "
        f"algorithm, {names[1]} for the ThreeFry algorithm, and {names[2]} for auto-selection."
    )


def seed_tensor(seed, kernel="StatelessRandomGetKeyCounter", alg="auto_select"):
    """The seed of a stateless op as a tensor of shape [2], for an algorithm that exists here.

    Raises:
      tf.errors.InvalidArgumentError: another shape or dtype; the ThreeFry algorithm.
      ValueError: an unknown algorithm.
    """
    number = algorithm_number("auto_select" if alg is None else alg)
    if number not in (one.value for one in Algorithm):
        raise ValueError(unsupported_algorithm(number))
    if isinstance(seed, np.ndarray) and seed.dtype.kind == "u":
        seed = seed.astype(np.int64)
    seed = convert_to_tensor(seed)
    check_dtype(seed.dtype, INTEGERS, "Tseed")
    if tuple(seed.shape) != (2,):
        raise invalid(f"seed must have shape [2], not {show(seed.shape)}", kernel)
    if number == Algorithm.THREEFRY.value:
        raise invalid("the ThreeFry algorithm does not run here, nor in TF on CPU; use alg='philox'", kernel)
    return seed


def show(shape):
    """A shape as TF writes it in messages: `[2,3]`."""
    return "[" + ",".join(map(str, shape)) + "]"

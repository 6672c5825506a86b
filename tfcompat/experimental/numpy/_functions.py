"""How a row of the table becomes a function: NumPy's promotion of dtypes, one recorded operation a call."""

import functools
import inspect

import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes, engine, math
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.in_graphs import as_in_graph, of_argument, without_kernel
from tfcompat._core.op import raised_here
from tfcompat._core.tensor import Tensor, wrap
from tfcompat.array import stack
from tfcompat.array._cast import cast
from tfcompat.errors import InvalidArgumentError, OpError, UnimplementedError
from tfcompat.experimental.numpy._table import REFUSED, ROWS
from tfcompat.math._elementwise import magnitude

_UNPROMOTED = {"take", "take_along_axis"}
# Of integers NumPy makes float64 here, jax.numpy float32 of the shorter ones.
_INEXACT = set(
    """
    angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt cos cosh deg2rad divide exp exp2 expm1
    heaviside hypot log log10 log1p log2 logaddexp logaddexp2 mean nanmean nextafter rad2deg sin sinc sinh sqrt std tan
    tanh true_divide var
    """.split()
)
# Of these NumPy makes int64 of smaller integers, jax.numpy does not.
_WIDENED = {"cumsum", "cumprod"}
_QUOTIENTS = {"divide", "true_divide"}  # of integers of 8 and 16 bits TF makes float32 here
_OF_TRUTH = {"logical_and", "logical_or", "logical_xor"}
_OF_INTEGERS = {"floor_divide", "mod", "remainder"}  # of two bools TF makes int8 first
_CHECKED_IN_PYTHON = {"stack", "tril", "triu"}  # by TF, before there is a kernel
_POWERS = {"power", "float_power"}
_STRONG = {"append"}  # lists and Python's numbers have dtypes of their own
_KINDS = {"b": True, "i": 1, "f": 1.0, "c": 1j}


_SHORT = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}


class Preferences:
    """What `experimental_enable_numpy_behavior` asks for."""

    float32 = False  # that Python's floating and complex numbers are of 32 bits each


def shortened(array):
    """A NumPy array made of Python's numbers, of the preferred width."""
    return array.astype(_SHORT.get(array.dtype, array.dtype)) if Preferences.float32 else array


def as_dtype(dtype):
    """The DType of what NumPy takes for a dtype: Python's types are of 64 bits."""
    return dtypes.from_numpy(np.dtype(dtype)) if isinstance(dtype, type) else dtypes.as_dtype(dtype)


def as_array(value, dtype=None):
    """A tensor of what NumPy makes an array of: Python's numbers are int64, float64 and complex128."""
    if isinstance(value, Tensor) or hasattr(value, "_as_node"):
        tensor = convert_to_tensor(value)
    elif _holds_tensors(value):
        tensor = stack(list(promoted([as_array(item) for item in value])))
    else:
        tensor = convert_to_tensor(value if isinstance(value, np.ndarray) else shortened(np.asarray(value)))
    return tensor if dtype is None else cast(tensor, as_dtype(dtype))


def _holds_tensors(value):
    return isinstance(value, list | tuple) and any(
        isinstance(x, Tensor) or hasattr(x, "_as_node") or _holds_tensors(x) for x in value
    )


def _for_promotion(value):
    if isinstance(value, bool | int | float | complex) and not isinstance(value, np.generic):
        return value
    if isinstance(value, list | tuple) and _is_plain(value):
        return _KINDS.get(np.asarray(value).dtype.kind, value)
    return as_array(value).dtype.np


def _is_plain(value):
    """Whether a list holds Python's own numbers, at least one."""
    if isinstance(value, list | tuple):
        return bool(value) and all(_is_plain(item) for item in value)
    return isinstance(value, bool | int | float | complex) and not isinstance(value, np.generic)


def typed(operands):
    """Operands of NumPy's promotion, in which Python's numbers have the preferred dtypes."""
    kinds = {float: np.float32, complex: np.complex64} if Preferences.float32 else {}
    return [kinds.get(type(x), x) for x in operands]


def promoted(values, weak=True):
    """Tensors of the dtype that NumPy promotes all to; Python's numbers, and lists of them, are weak in TF."""
    operands = [_for_promotion(value) if weak else as_array(value).dtype.np for value in values]
    target = np.result_type(*typed(operands)) if operands else None
    return [cast(as_array(value), dtypes.from_numpy(np.dtype(target))) for value in values]


def _body(name):
    function = getattr(jnp, name, None)
    special = {
        "flatten": lambda a, order: jnp.ravel(a, order),
        "fix": lambda x: jnp.trunc(x),
        "around": jnp.round,
        "bitwise_not": jnp.invert,
        "reshape": lambda a, newshape, order: jnp.reshape(a, newshape, order),
        "diff": lambda a, n, axis: jnp.diff(a, n, axis),
        "isneginf": jnp.isneginf,
        "repeat": lambda a, repeats, axis: jnp.repeat(a, np.array(repeats), axis),
        # jnp.maximum halves the gradient between equal operands.
        "maximum": math.maximum.raw,
        "minimum": math.minimum.raw,
        # Nor is its derivative of abs that of TF at 0; powers of integers are cut.
        **dict.fromkeys(("abs", "absolute", "fabs"), magnitude),
        **dict.fromkeys(("power", "float_power"), math.pow.raw),
        "tensordot": _tensordot,
        "kron": lambda a, b: jnp.kron(a.astype(np.int8), b).astype(bool) if a.dtype == bool else jnp.kron(a, b),
        "matmul": lambda x1, x2: jnp.matmul(x1, x2) if min(x1.ndim, x2.ndim) else _scalar_matmul(),
    }
    return special.get(name, function)


def _identity(largest):
    """The function of a dtype to what the largest, or the smallest, of no numbers is, as in TF."""
    def of(dtype):
        if jnp.issubdtype(dtype, jnp.floating):
            return np.array(-np.inf if largest else np.inf).astype(dtype)
        return jnp.iinfo(dtype).min if largest else jnp.iinfo(dtype).max

    return of


_LOWEST = dict.fromkeys(("max", "amax"), _identity(True)) | dict.fromkeys(("min", "amin"), _identity(False))
_OF_TEXT = {"add": math.add, "equal": math.equal, "not_equal": math.not_equal}


def _scalar_matmul():
    raise ValueError("matmul: Input operand does not have enough dimensions")


def _tensordot(a, b, axes):
    if isinstance(axes, int) and axes < 0:
        raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
    return jnp.tensordot(a, b, axes)


def _translated(name, error, avals):
    """The error to raise for one of `jax.numpy`, which TensorFlow's kernels find: as an op raises it."""
    if not isinstance(error, TypeError | ValueError | IndexError) or isinstance(error, OpError) or raised_here(error):
        return error
    if name in _CHECKED_IN_PYTHON or "None" in str(error):
        return error
    given = ", ".join(f"{aval.dtype.name}{list(aval.shape)}" for aval in avals)
    message = f"tf.experimental.numpy.{name} got inputs {given}: {str(error).partition(chr(10))[0]}"
    if name == "matmul":
        return ValueError(message)
    return of_argument(InvalidArgumentError(None, None, message))


def _refuses(name, kind, dtype):
    """The error for arrays of a dtype that TensorFlow's function does not take."""
    if kind == "NotFoundError":
        return without_kernel(name, dtype)
    if kind == "UnimplementedError":
        return UnimplementedError(None, None, f"tf.experimental.numpy.{name}: Cast {dtype} to bool is not supported")
    message = f"tf.experimental.numpy.{name}: {dtype} is not in the list of allowed values"
    if kind == "InvalidArgumentError":
        return as_in_graph(TypeError, InvalidArgumentError(None, None, message))
    return {"TypeError": TypeError, "ValueError": ValueError}[kind](message)


def _has_integer_power(x1, x2, statics, layout):
    return math.pow.operation.requires(x1, x2, _layout=(1, 1))


def _call(name, arrays, statics, layout):
    function = _body(name)
    supply = list(arrays)
    listed = [part for part in layout if part[1] == "*"]
    if listed:
        positional = [list(supply)]
    else:
        positional = supply
    statics = dict(statics)
    if statics.pop("out", None) is not None:
        raise UnimplementedError(None, None, f"tf.experimental.numpy.{name}: out is not supported; use the result")
    if name in ("argsort", "sort"):
        for option in ("kind", "order"):
            statics.pop(option)
    if statics.get("keepdims", 0) is None:
        statics["keepdims"] = False
    if statics.get("dtype", 0) is None:
        del statics["dtype"]
    elif "dtype" in statics:
        statics["dtype"] = dtypes.as_dtype(statics["dtype"]).np
    if name == "trace":
        statics.setdefault("dtype", positional[0].dtype)
    if name in _WIDENED and "dtype" not in statics and jnp.issubdtype(positional[0].dtype, jnp.integer):
        positional = [positional[0].astype(np.int64)]
    if name in ("reshape", "repeat", "flatten"):
        names = [part[0] for part in layout]
        return function(**dict(zip(names, positional, strict=True)), **statics)
    if name == "cross" and statics["axis"] is None:
        del statics["axis"]
    if name == "moveaxis":
        return function(*positional, statics["source"], statics["destination"])
    if name == "tile":
        if min(np.ravel(statics["reps"]), default=0) < 0:
            raise InvalidArgumentError(None, None, f"Expected multiples >= 0, but got {statics['reps']} [Op:Tile]")
        return function(*positional, statics["reps"])
    if name in _LOWEST and 0 in positional[0].shape:
        statics["initial"] = _LOWEST[name](positional[0].dtype)
    if name == "vander":
        return function(*positional, statics["N"], increasing=statics["increasing"])
    return function(*positional, **statics)


def make(row):
    """The function of a row of the table."""
    head, _, tail = row.partition("|")
    name, *arrays = head.split()
    parameters = []
    for text in (*arrays, *tail.split()):
        label, has_default, default = text.lstrip("*").partition("=")
        value = eval(default, {}) if has_default else inspect.Parameter.empty
        parameters.append(inspect.Parameter(label, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value))
    signature = inspect.Signature(parameters)
    names = [text.lstrip("*").partition("=")[0] for text in arrays]
    is_list = bool(arrays) and arrays[0].startswith("*")

    def body(*values, statics, layout):
        return _call(name, values, statics, layout)

    operation = engine.Operation(
        f"numpy.{name}", body, ("statics", "layout"), translate=functools.partial(_translated, name),
        requires=_has_integer_power if name in _POWERS else None, requires_of="iu",
    )  # fmt: skip

    refused, of_text = REFUSED.get(name, {}), _OF_TEXT.get(name)

    def function(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = bound.arguments
        if is_list:
            tensors = promoted(list(arguments[names[0]]))
            layout = ((names[0], "*"),)
        else:
            present = [n for n in names if arguments[n] is not None]
            values = [arguments[n] for n in present]
            many = len(values) > 1 and name not in _UNPROMOTED
            tensors = promoted(values, name not in _STRONG) if many and name not in _OF_TRUTH else [
                as_array(value, dtypes.bool if name in _OF_TRUTH else None) for value in values
            ]  # fmt: skip
            if refused and tensors[0].dtype.name in refused and arguments.get("dtype") is None:
                raise _refuses(name, refused[tensors[0].dtype.name], tensors[0].dtype.name)
            if of_text is not None and tensors[0].dtype is dtypes.string:
                return of_text(*tensors)
            if name in _OF_INTEGERS and tensors[0].dtype.is_bool:
                tensors = [cast(x, dtypes.int8) for x in tensors]
            layout = tuple((n, "") for n in present)
            if name in _INEXACT and not tensors[0].dtype.is_floating and not tensors[0].dtype.is_complex:
                short = name in _QUOTIENTS and tensors[0].dtype.size < 4 and not tensors[0].dtype.is_bool
                tensors = [cast(x, dtypes.float32 if short else dtypes.float64) for x in tensors]
        statics = tuple((n, _static(arguments[n])) for n in arguments if n not in names)
        attributes = engine.attributes_of(statics, layout)
        result = engine.apply(operation, tuple(x._node for x in tensors), attributes)
        return [wrap(node) for node in result] if type(result) is tuple else wrap(result)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "tfcompat.experimental.numpy"
    function.__signature__ = signature
    function.__doc__ = f"As `numpy.{name}`, of tensors. TF: `tf.experimental.numpy.{name}`."
    return function


def _static(value):
    if isinstance(value, type) or isinstance(value, dtypes.DType):
        return as_dtype(value)
    return static_value(value)


FUNCTIONS = {row.split()[0]: make(row) for row in ROWS.strip().splitlines()}

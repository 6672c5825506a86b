"""Assertions on values, shapes and types, and the switches of debugging."""

import functools

import jax.numpy as jnp
import numpy as np

from tfcompat import array, dtypes, engine, math
from tfcompat._core.composite import CompositeTensor, takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value, to_node, type_name
from tfcompat._core.op import FLOATING, op
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor, is_symbolic
from tfcompat._tracing import assertions
from tfcompat.errors import InvalidArgumentError, UnimplementedError

_SUMMARIZED = 3  # elements shown of each tensor


def _check(holds, eager_message, traced_message, prefix="assertion failed: ", known_now=True):
    """Raises InvalidArgumentError unless the scalar `holds` is true; now, or when the function being traced runs.

    The messages are functions that are called only if they are needed.
    Without `known_now`, what is known to be false while a function is traced is an error of its run, too.
    """
    node = to_node(holds)
    unknown = is_symbolic(node)
    if not unknown and engine.array_of(node):
        return
    if unknown or not known_now and engine.function_trace(engine.state.graph) is not None:
        assertions.require(convert_to_tensor(holds), prefix + traced_message())
    else:
        raise InvalidArgumentError(None, None, eager_message())


def _numpy(x):
    return engine.array_of(to_node(x))


def _prefix(message):
    return f"{message}.  " if message else ""


@takes_composites("tf.debugging.Assert")
def Assert(condition, data, summarize=None, name=None):  # noqa: N802
    """Raises unless `condition` is true.

    Args:
      condition: bool scalar.
      data: list of tensors for the message.
      summarize: how many elements of each are shown; 3 by default.
      name: unused.

    Raises:
      tf.errors.InvalidArgumentError: `condition` is false; inside a function when it is called, without the data.

    TF: `tf.debugging.Assert`.
    """

    def message():
        summaries = "\n".join(_summary(x, summarize) for x in data)
        return f"Expected '{condition!s}' to be true. Summarized data: {summaries}"

    _check(condition, message, lambda: _in_brackets(data), known_now=False)


def assert_of_node(condition, data, summarize):
    """`Assert` with the message of the node `Assert` in a graph."""

    def shown():
        return _in_brackets(data, summarize)

    _check(condition, lambda: f"assertion failed: {shown()} [Op:Assert] name: ", shown)


def _in_brackets(data, summarize=_SUMMARIZED):
    """Tensors as an assertion in a graph shows them: of those whose values are not known, the dtype."""
    return " ".join(f"[{_shown_in_graph(convert_to_tensor(x), summarize)}]" for x in data)


def _shown_in_graph(tensor, summarize):
    if is_symbolic(tensor._node):
        return f"{tensor.dtype.name} tensor"
    values = _numpy(tensor).ravel().tolist()
    shown = values if summarize < 0 else values[:summarize]
    words = [x.decode(errors="replace") if isinstance(x, bytes) else str(x) for x in shown]
    return " ".join(words) + ("..." if len(shown) < len(values) else "")


def _summary(x, summarize):
    values = _numpy(x)
    return str(values.ravel()[0]) if values.ndim == 0 else ", ".join(_first(values, summarize))


def _first(values, summarize):
    """The first elements of an array as text, and what says that there are more."""
    count = _SUMMARIZED if summarize is None else summarize
    shown = values.ravel() if count < 0 else values.ravel()[:count]
    return [*map(str, shown), *["..."][: shown.size < values.size]]


# --- two tensors --------------------------------------------------------------------------------------------------


@takes_composites("tf.debugging.assert_equal")
def assert_equal(x, y, message=None, summarize=None, name=None):
    """Raises unless `x == y` elementwise.

    Args:
      x, y: tensors of one dtype, broadcastable to each other.
      message: start of the error message.
      summarize: how many elements are shown; 3 by default.
      name: unused.

    Raises:
      tf.errors.InvalidArgumentError: the condition does not hold; dtypes differ, or shapes do not broadcast.

    TF: `tf.debugging.assert_equal`.
    """
    _compare("==", math.equal, x, y, message, summarize)


@takes_composites("tf.debugging.assert_none_equal")
def assert_none_equal(x, y, summarize=None, message=None, name=None):
    """Raises unless `x != y` elementwise; see `assert_equal`. TF: `tf.debugging.assert_none_equal`."""
    _compare("!=", math.not_equal, x, y, message, summarize)


@takes_composites("tf.debugging.assert_less")
def assert_less(x, y, message=None, summarize=None, name=None):
    """Raises unless `x < y` elementwise; see `assert_equal`. TF: `tf.debugging.assert_less`."""
    _compare("<", math.less, x, y, message, summarize)


@takes_composites("tf.debugging.assert_less_equal")
def assert_less_equal(x, y, message=None, summarize=None, name=None):
    """Raises unless `x <= y` elementwise; see `assert_equal`. TF: `tf.debugging.assert_less_equal`."""
    _compare("<=", math.less_equal, x, y, message, summarize)


@takes_composites("tf.debugging.assert_greater")
def assert_greater(x, y, message=None, summarize=None, name=None):
    """Raises unless `x > y` elementwise; see `assert_equal`. TF: `tf.debugging.assert_greater`."""
    _compare(">", math.greater, x, y, message, summarize)


@takes_composites("tf.debugging.assert_greater_equal")
def assert_greater_equal(x, y, message=None, summarize=None, name=None):
    """Raises unless `x >= y` elementwise; see `assert_equal`. TF: `tf.debugging.assert_greater_equal`."""
    _compare(">=", math.greater_equal, x, y, message, summarize)


def _compare(sign, operation, x, y, message, summarize):
    if x is y and sign == "==" and isinstance(x, Tensor) and not x.dtype.is_floating:
        return
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    with engine.watching(()):
        holds = operation(x, y)

    def text():
        return "\n".join([*([message] if message else []), *_comparison(sign, holds, x, y, summarize)])

    traced = f"[{_prefix(message)}Condition x {sign} y did not hold element-wise]"
    _check(_all(holds), text, lambda: traced)


def _all(holds):
    with engine.watching(()):
        return math.reduce_all(holds)


def _comparison(sign, holds, x, y, summarize):
    """The lines that say where a comparison did not hold."""
    count = _SUMMARIZED if summarize is None else summarize
    held, x, y = _numpy(holds), _numpy(x), _numpy(y)
    yield f"Condition x {sign} y did not hold."
    if held.ndim:
        places = np.argwhere(~held)[:count]
        yield f"Indices of first {len(places)} different values:\n{places}"
        for name, values in (("x", x), ("y", y)):
            yield f"Corresponding {name} values:\n{np.broadcast_to(values, held.shape)[~held][:count]}"
    for name, values in (("x", x), ("y", y)):
        yield f"First {min(values.size, count)} elements of {name}:\n{values.ravel()[:count]}"


@takes_composites("tf.debugging.assert_near")
def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    """Raises unless `|x - y| <= atol + rtol * |y|` elementwise.

    Args:
      x, y: floating or complex tensors of one dtype, broadcastable to each other.
      rtol, atol: tolerances; ten times the machine epsilon of the dtype by default.
      message, summarize, name: as for `assert_equal`.

    Raises:
      tf.errors.InvalidArgumentError: the condition does not hold, as where one is nan.
      ValueError: the dtype is an integer one.

    TF: `tf.debugging.assert_near`.
    """
    x = convert_to_tensor(x)
    y = convert_to_tensor(y, dtype_hint=x.dtype)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise ValueError(f"data type {x.dtype.as_numpy_dtype} not inexact")
    real = x.dtype.real_dtype
    epsilon = 10 * float(np.finfo(np.float32 if real is dtypes.bfloat16 else real.as_numpy_dtype).eps)
    rtol = convert_to_tensor(epsilon if rtol is None else rtol, dtype_hint=real)
    atol = convert_to_tensor(epsilon if atol is None else atol, dtype_hint=real)
    with engine.watching(()):
        holds = math.reduce_all(math.less_equal(math.abs(x - y), atol + rtol * math.abs(y)))

    def text():
        data = [_prefix(message).encode(), f"x and y not equal to tolerance rtol = {rtol!s}, atol = {atol!s}".encode()]
        for name, value in (("x", x), ("y", y)):
            data += [f"{name} (shape={value.shape} dtype={value.dtype.name}) = ".encode(), value]
        shown = "\n".join(_summary(d, summarize) for d in data)
        return f"Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: {shown}"

    _check(holds, text, lambda: f"[{_prefix(message)}x and y not equal to tolerance]")


# --- signs --------------------------------------------------------------------------------------------------------


@takes_composites("tf.debugging.assert_positive")
def assert_positive(x, message=None, summarize=None, name=None):
    """Raises unless `x > 0` elementwise; see `assert_equal`. TF: `tf.debugging.assert_positive`."""
    _compare_with_zero(">", math.greater, x, message, summarize)


@takes_composites("tf.debugging.assert_negative")
def assert_negative(x, message=None, summarize=None, name=None):
    """Raises unless `x < 0` elementwise; see `assert_equal`. TF: `tf.debugging.assert_negative`."""
    _compare_with_zero("<", math.less, x, message, summarize)


@takes_composites("tf.debugging.assert_non_positive")
def assert_non_positive(x, message=None, summarize=None, name=None):
    """Raises unless `x <= 0` elementwise; see `assert_equal`. TF: `tf.debugging.assert_non_positive`."""
    _compare_with_zero("<=", math.less_equal, x, message, summarize)


@takes_composites("tf.debugging.assert_non_negative")
def assert_non_negative(x, message=None, summarize=None, name=None):
    """Raises unless `x >= 0` elementwise; see `assert_equal`. TF: `tf.debugging.assert_non_negative`."""
    _compare_with_zero(">=", math.greater_equal, x, message, summarize)


def _compare_with_zero(sign, operation, x, message, summarize):
    x = convert_to_tensor(x)
    with engine.watching(()):
        holds = operation(x, array.zeros([], x.dtype))
    condition = f"Condition x {sign} 0 did not hold element-wise:"

    def text():
        values = _numpy(x)
        shown = str(_first(values, summarize)) if values.ndim else str(values[()])
        return f"{_prefix(message)}\n{condition}\nx (shape={x.shape} dtype={x.dtype.name}) = \n{shown}"

    _check(_all(holds), text, lambda: f"[{_prefix(message)}{condition.rstrip(':')}]")


# --- finite values ------------------------------------------------------------------------------------------------


@takes_composites("tf.debugging.check_numerics")
def check_numerics(tensor, message, name=None):
    """The tensor, if it has no nan and no infinity.

    Args:
      tensor: floating tensor.
      message: start of the error message.
      name: unused.

    Returns:
      Tensor of the same value, shape and dtype.

    Raises:
      tf.errors.InvalidArgumentError: an element is nan or infinite, or one of the gradient is, where that is taken; or
        the dtype is not floating.

    TF: `tf.debugging.check_numerics`.
    """
    tensor = convert_to_tensor(tensor)
    if not tensor.dtype.is_floating:
        raise InvalidArgumentError(
            None, None,
            f"Value for attr 'T' of {type_name(tensor.dtype)} is not in the list of allowed values: bfloat16, half, "
            "float, double [Op:CheckNumerics] name: ",
        )  # fmt: skip
    with engine.watching(()):
        infinite, nan = (math.reduce_any(occurs(tensor)) for occurs in (math.is_inf, math.is_nan))
        for refused, problems in (infinite & nan, "Inf and NaN"), (infinite, "Inf"), (nan, "NaN"):
            text = f"{message} : Tensor had {problems} values [Op:CheckNumerics] name: "
            shown = functools.partial(str, text)
            _check(~refused, shown, shown, "")
    return _checked(tensor, message=str(message))


@functools.lru_cache(maxsize=1024)
def _gradient_is_finite(message):
    """What TF's gradient of `check_numerics` requires of the gradient."""
    text = f"Not a number (NaN) or infinity (Inf) values detected in gradient. {message.encode()!r} : Tensor had"
    text = text.replace("{", "{{").replace("}", "}}")

    def requires(gradient):
        infinite, nan = jnp.isinf(gradient).any(), jnp.isnan(gradient).any()
        return [
            engine.require(~refused, f"{text} {problems} values [Op:CheckNumerics] name: ")
            for refused, problems in ((infinite & nan, "Inf and NaN"), (infinite, "Inf"), (nan, "NaN"))
        ]

    return requires


@op("_checked_numerics", kernel="CheckNumerics", tensors=("tensor",), dtypes=FLOATING, conditional=True)
def _checked(tensor, message):
    return engine.marked(tensor, _gradient_is_finite(message))


def assert_all_finite(x, message, name=None):
    """The tensor, if it has no nan and no infinity; as `check_numerics`. TF: `tf.debugging.assert_all_finite`."""
    return check_numerics(x, message)


def enable_check_numerics(stack_height_limit=30, path_length_limit=50):
    """Not available: UnimplementedError. TF: `tf.debugging.enable_check_numerics`."""
    raise UnimplementedError(
        None, None,
        "tf.debugging.enable_check_numerics is not available in tfcompat: call tf.debugging.check_numerics on the "
        'tensors in question, or jax.config.update("jax_debug_nans", True) with TFCOMPAT_EXECUTION=immediate',
    )  # fmt: skip


def disable_check_numerics():
    """Nothing to do: it is never enabled. TF: `tf.debugging.disable_check_numerics`."""


# --- shapes and dtypes --------------------------------------------------------------------------------------------


def _shape_of(x):
    shape = getattr(x, "shape", None)
    is_known = isinstance(shape, TensorShape) and shape.rank is not None
    return shape if is_known else convert_to_tensor(x).shape


def _static_rank(rank):
    value = static_value(rank)
    if isinstance(value, tuple):
        raise ValueError("Rank must be a scalar.")
    if type(value) is not int:
        raise TypeError(f"tensor must be of type tf.int32; got {convert_to_tensor(rank).dtype!r}")
    return value


@takes_composites("tf.debugging.assert_rank")
def assert_rank(x, rank, message=None, name=None):
    """Raises unless `x` has `rank` dimensions.

    Args:
      x: tensor.
      rank: integer.
      message: start of the error message.
      name: unused.

    Raises:
      ValueError: the rank is another, or `rank` is no scalar.
      TypeError: `rank` is no integer.

    TF: `tf.debugging.assert_rank`.
    """
    expected = _static_rank(rank)
    _require_rank(x, _shape_of(x).rank == expected, expected, message)


@takes_composites("tf.debugging.assert_rank_at_least")
def assert_rank_at_least(x, rank, message=None, name=None):
    """Raises unless `x` has at least `rank` dimensions; see `assert_rank`. TF: `tf.debugging.assert_rank_at_least`."""
    least = _static_rank(rank)
    _require_rank(x, _shape_of(x).rank >= least, f"at least {least}", message)


@takes_composites("tf.debugging.assert_rank_in")
def assert_rank_in(x, ranks, message=None, name=None):
    """Raises unless the rank of `x` is one of `ranks`; see `assert_rank`. TF: `tf.debugging.assert_rank_in`."""
    allowed = tuple(_static_rank(rank) for rank in ranks)
    _require_rank(x, _shape_of(x).rank in allowed, f"in {allowed}", message)


def _require_rank(x, holds, expected, message):
    if not holds:
        shape = _shape_of(x)
        raise ValueError(
            f"{_prefix(message)}Tensor  must have rank {expected}.  Received rank {shape.rank}, shape {shape}"
        )


@takes_composites("tf.debugging.assert_scalar")
def assert_scalar(tensor, message=None, name=None):
    """The tensor, if it is a scalar.

    Raises:
      ValueError: it is not.

    TF: `tf.debugging.assert_scalar`.
    """
    shape = _shape_of(tensor)
    if shape.rank != 0:
        raise ValueError(f"{_prefix(message)}Expected scalar shape, saw shape: {shape}.")
    return convert_to_tensor(tensor)


def assert_type(tensor, tf_type, message=None, name=None):
    """Raises unless the dtype of `tensor` is `tf_type`.

    Raises:
      TypeError: it is another.

    TF: `tf.debugging.assert_type`.
    """
    expected = dtypes.as_dtype(tf_type)
    dtype = (tensor if isinstance(tensor, CompositeTensor) else convert_to_tensor(tensor)).dtype
    if dtype is not expected:
        raise TypeError(f"{_prefix(message)}tensor must be of type tf.{expected.name}; got tf.{dtype.name}")


@takes_composites("tf.debugging.assert_integer")
def assert_integer(x, message=None, name=None):
    """Raises unless the dtype of `x` is an integer one.

    Raises:
      TypeError: it is another.

    TF: `tf.debugging.assert_integer`.
    """
    dtype = convert_to_tensor(x).dtype
    if not dtype.is_integer:
        raise TypeError(f'{_prefix(message)}Expected "x" to be integer type.  Found: tensor of dtype {dtype}')


def assert_same_float_dtype(tensors=None, dtype=None):
    """The floating dtype that all `tensors` have, and `dtype` is.

    Args:
      tensors: list of tensors, or None.
      dtype: DType, or None; float32 if there are no tensors either.

    Returns:
      DType.

    Raises:
      ValueError: they differ, or are not floating.

    TF: `tf.debugging.assert_same_float_dtype`.
    """
    first = None
    expected = None if dtype is None else dtypes.as_dtype(dtype)
    for tensor in tensors or ():
        actual = tensor.dtype
        if expected is None:
            expected, first = actual, tensor
        elif actual != expected:
            as_what = "" if first is None else f" as {first!s}"
            raise ValueError(f"{tensor!s}, type={actual}, must be of the same type ({expected}){as_what}.")
    expected = dtypes.float32 if expected is None else expected
    if not expected.is_floating:
        raise ValueError(f"Expected floating point type, got {expected}.")
    return expected


def assert_proper_iterable(values):
    """Raises unless `values` is an iterable other than a tensor, array or text.

    Raises:
      TypeError: it is none, or one of these.

    TF: `tf.debugging.assert_proper_iterable`.
    """
    unintended = isinstance(values, Tensor | np.ndarray | str | bytes) or hasattr(values, "_as_node")
    if unintended:
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def is_numeric_tensor(tensor):
    """Whether `tensor` is a tensor of numbers. TF: `tf.debugging.is_numeric_tensor`."""
    if not isinstance(tensor, Tensor):
        return False
    dtype = tensor.dtype
    return dtype.is_floating or dtype.is_integer or dtype.is_complex


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Raises unless tensors have the shapes described, and sizes of equal names are equal.

    Args:
      shapes: dict or list of pairs from tensor to description: a tuple, list or string of sizes and names of sizes.
        None and "." stand for any size; "*" or ... in the first place for any number of them.
      data, summarize, name: unused: shapes are always known.
      message: start of the error message.

    Raises:
      ValueError: a shape does not fit.

    TF: `tf.debugging.assert_shapes`.
    """
    sizes = {}  # name -> (size, where it was found)
    for x, description in shapes.items() if isinstance(shapes, dict) else shapes:
        if description is None:
            continue
        x = getattr(x, "deref", lambda x=x: x)()
        shape = _shape_of(x)
        described = f"Tensor shape={shape} dtype={convert_to_tensor(x).dtype.name}"
        symbols = _sizes_described(description)
        open_ended = bool(symbols) and symbols[0] in ("*", Ellipsis)
        if open_ended:
            symbols = symbols[1:]
            assert_rank_at_least(x, len(symbols), message)
        elif len(symbols) == 1:
            assert_rank_in(x, (0, 1), message)
        else:
            assert_rank(x, len(symbols), message)
        sizes_of_tensor = shape.as_list() or [1] * len(symbols)
        for place in range(len(symbols)):
            at = place - len(symbols) if open_ended else place
            _require_size(sizes_of_tensor[at], symbols[place], sizes, (described, at, shape), message)


def _sizes_described(description):
    if isinstance(description, TensorShape):
        return description.as_list()
    if isinstance(description, str):
        description = [Ellipsis, *description[3:]] if description.startswith("...") else list(description)
    if not isinstance(description, list | tuple):
        description = [description]
    return [int(d) if isinstance(d, str) and d.isdigit() else d for d in description]


def _require_size(size, symbol, sizes, where, message):
    described, at, shape = where
    if isinstance(symbol, Tensor):
        symbol = static_value(symbol)
    if symbol is None or symbol == ".":
        return
    if isinstance(symbol, int):
        expected, source = symbol, "Specified explicitly"
    else:
        known = described.removeprefix("Tensor ")
        expected, source = sizes.setdefault(symbol, (size, f"Specified by tensor {known} dimension {at}"))
    if size != expected:
        raise ValueError(
            f"{_prefix(message)}{source}.  {described} dimension {at} must have size {expected}.  Received size "
            f"{size}, shape {shape}"
        )


# --- settings -----------------------------------------------------------------------------------------------------

_traceback_filtering = True


def enable_traceback_filtering():
    """Notes the request: tracebacks are what Python makes of them. TF: `tf.debugging.enable_traceback_filtering`."""
    global _traceback_filtering
    _traceback_filtering = True


def disable_traceback_filtering():
    """Notes the request: tracebacks are what Python makes of them. TF: `tf.debugging.disable_traceback_filtering`."""
    global _traceback_filtering
    _traceback_filtering = False


def is_traceback_filtering_enabled():
    """What was asked for. TF: `tf.debugging.is_traceback_filtering_enabled`."""
    return _traceback_filtering


def get_log_device_placement():
    """False: operations are fused, and not placed one by one. TF: `tf.debugging.get_log_device_placement`."""
    return False


def set_log_device_placement(enabled):
    """Refuses to log placements: UnimplementedError. TF: `tf.debugging.set_log_device_placement`."""
    if enabled:
        raise UnimplementedError(
            None, None,
            "tf.debugging.set_log_device_placement is not available in tfcompat: operations are fused",
        )  # fmt: skip

"""Traced functions as JAX functions of the operations that the converter knows.

Operations here keep TensorFlow's NaNs, derivatives and rounding, and go round what a CPU is slow at. Where the
converter would not recognize what they make of that, it gets the operation itself.
"""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import engine
from tfcompat._core.op import spec_of
from tfcompat._core.symbolic_sizes import sizes_by_name
from tfcompat._core.variable import Variable
from tfcompat._tracing.assertions import Report
from tfcompat.engine import program_behind
from tfcompat.function._trace import is_stream
from tfcompat.lite._errors import ConverterError
from tfcompat.math._arithmetic import as_floating
from tfcompat.nn._conv import target_shape
from tfcompat.nn._pool import plan_of
from tfcompat.nn._windows import channels_first, pads, per_axis

_PLAIN: dict = {}  # name of an op -> function of its arguments, which may return NotImplemented


def _plain(*names):
    def decorate(function):
        _PLAIN.update(dict.fromkeys(names, function))
        return function

    return decorate


def function_of(traced, name):
    """A function of arrays, the arguments, that returns the list of results of a traced function.

    Values of variables and captured tensors are constants in it.

    Args:
      traced: ConcreteOperation.
      name: what it is called in errors.

    Raises:
      ConverterError: it assigns variables, draws random numbers, calls Python, has text, or sizes that
        depend on values.
    """
    program = program_behind(traced.recorded)
    if program is None or traced.operation.step is not None:
        raise _refusal(name, "has text, or sizes that depend on values")
    for variable in traced.variables:
        if isinstance(variable, Report):
            continue
        if not isinstance(variable, Variable):
            raise _refusal(name, "calls Python")
        if is_stream(variable):
            raise _refusal(name, "draws random numbers")
    if any(not isinstance(v, Report) for v in traced.assigned):
        raise _refusal(name, "assigns variables")
    bound = [engine.array_of(v._current_node()) for v in traced.variables]
    bound += [engine.array_of(node) for node in traced.captures]
    count = len(traced._output_avals)

    def function(*arrays):
        # NumPy's arrays would be indexed by NumPy.
        return _run(program, [*arrays, *map(jnp.asarray, bound)], range(count))

    return function


def _refusal(name, what):
    return ConverterError(f"Could not convert to TensorFlow Lite: {name} {what}")


def _run(program, inputs, wanted=None):
    outputs = program.outputs if wanted is None else [program.outputs[i] for i in wanted]
    needed, results = engine.needed_steps(program.steps, outputs), {}
    for i in sorted(needed):
        call, refs = program.steps[i]
        results[i] = _result(call, [results[r] if r >= 0 else inputs[~r] for r in refs])
    return [results[r] if r >= 0 else inputs[~r] for r in outputs]


def _result(call, inputs) -> Any:
    if engine.conditions.is_check(call):
        return inputs[0]  # what is checked on a CPU alone is not checked elsewhere
    if hasattr(call.fn, "recorded"):  # a function for all sizes, with symbols of its own
        inner = program_behind(call.fn.recorded)
        if inner is not None:
            with engine.sizes_known(sizes_by_name(call.fn.avals, inputs)):
                return _run(inner, inputs)
    inner = program_behind(call)
    if inner is not None:
        return _run(inner, inputs)
    spec = spec_of(call.operation)
    made = NotImplemented
    if spec is not None and spec.names[0] in _PLAIN:
        body = _PLAIN[spec.names[0]]
        layout, *statics = engine.with_sizes(tuple(call.attributes.values))
        made = body(**spec._arguments(layout, inputs), **dict(zip(spec.statics, statics, strict=True)))
    return call.fn(*inputs) if made is NotImplemented else made


# --- operations -------------------------------------------------------------------------------------------------------


@_plain("tf.nn.relu")
def _(features):
    return jnp.maximum(features, np.zeros((), features.dtype))


@_plain("tf.nn.relu6")
def _(features):
    return jnp.minimum(jnp.maximum(features, np.zeros((), features.dtype)), np.asarray(6, features.dtype))


@_plain("_real_div")
def _(x, y):
    return jnp.true_divide(*as_floating(x, y))


@_plain("tf.math.argmax", "tf.argmax")
def _(input, axis, output_type):
    return lax.argmax(input, (axis or 0) % input.ndim, output_type.np)


@_plain("tf.math.argmin", "tf.argmin")
def _(input, axis, output_type):
    return lax.argmin(input, (axis or 0) % input.ndim, output_type.np)


@_plain("_top_k")
def _(input, k, index_type):
    values, indices = _largest(input, int(k))
    return values, indices.astype(index_type.np)


def _largest(values, count):
    # The converter knows both together alone: values without places are a sort to it, which the interpreter has not.
    return lax.optimization_barrier(lax.top_k(values, count))


@_plain("_gather")
def _(params, indices, axis, batch_dims):
    return NotImplemented if batch_dims else jnp.take(params, indices, axis=axis or 0, mode="clip")


@_plain("_getitem")
def _(input, indices, spec):
    """What constant slices and places take, along axes whose sizes are known; all of the others."""
    taken: Any = []
    places: list = []
    for axis, (size, key) in enumerate(zip(input.shape, spec, strict=False)):
        if key == (None, None, None):
            taken.append((0, size, 1))
        elif type(size) is not int or not isinstance(key, int | tuple):
            return NotImplemented
        elif isinstance(key, int):
            places.append(axis)
            taken.append((key % size, key % size + 1, 1))
        else:
            taken.append(slice(*key).indices(size))
    if indices or len(spec) > input.ndim or any(step < 0 for _, _, step in taken):
        return NotImplemented
    taken += [(0, size, 1) for size in input.shape[len(taken) :]]
    if not taken:
        return input
    starts, stops, steps = zip(*taken, strict=True)
    stops = [stop if type(stop) is not int else max(start, stop) for start, stop in zip(starts, stops, strict=True)]
    return lax.squeeze(lax.slice(input, starts, stops, steps), places)


@_plain("_max_pool")
def _(input, ksize, strides, padding, data_format, spatial, dilations):
    plan = plan_of(input, ksize, strides, padding, data_format, spatial, dilations)
    if plan.dilated:
        return NotImplemented
    lowest = -np.inf if jnp.issubdtype(input.dtype, jnp.floating) else np.iinfo(input.dtype).min
    return plan.reduce(input, np.asarray(lowest, input.dtype), lax.max)


@_plain("_avg_pool")
def _(input, ksize, strides, padding, data_format, spatial, dilations):
    plan = plan_of(input, ksize, strides, padding, data_format, spatial, dilations)
    zero = np.zeros((), input.dtype)
    total = plan.reduce(input, zero, lax.add)
    if not any(map(any, plan.pads)):
        return total / np.asarray(np.prod(plan.windows), input.dtype)
    return total / plan.reduce(jnp.ones_like(input), zero, lax.add)


@_plain("_conv_transpose")
def _(input, filters, output_shape, strides, padding, data_format, dilations, spatial):
    first = channels_first(data_format, spatial)
    target = target_shape(input, filters, output_shape, strides, padding, first, spatial)
    at = 2 if first else 1
    sizes = target[at : at + spatial]
    steps = per_axis(strides, spatial, first, "strides")
    gaps = per_axis(1 if dilations is None else dilations, spatial, first, "dilations")
    reach = [(w - 1) * d + 1 for w, d in zip(filters.shape, gaps, strict=False)]
    space = "DHW"[-spatial:]
    layout = f"NC{space}" if first else f"N{space}C"
    # All places that a window reaches; the converter's own paddings of such a convolution are wrong.
    whole = lax.conv_general_dilated(
        input, jnp.flip(filters, range(spatial)), (1,) * spatial, [(n - 1, n - 1) for n in reach], steps, gaps,
        (layout, f"{space}OI", layout),
    )  # fmt: skip
    edges = [(0, 0, 0)] * whole.ndim
    for i, (before, _) in enumerate(pads(padding, sizes, reach, steps, first)):
        edges[at + i] = (-before, sizes[i] - (whole.shape[at + i] - before), 0)
    return lax.pad(whole, np.zeros((), whole.dtype), edges)


@_plain("tf.sort")
def _(values, axis, direction):
    return _sorted(values, axis, direction)[0]


@_plain("tf.argsort")
def _(values, axis, direction, stable):
    return _sorted(values, axis, direction)[1]


def _sorted(values, axis, direction):
    """(values, places) in order along an axis; of equal ones the first comes first."""
    falls = direction.upper() == "DESCENDING"
    # The complement, since the smallest integer has no negative.
    order = (lambda x: x) if falls else (lambda x: -x if jnp.issubdtype(x.dtype, jnp.floating) else ~x)
    found, places = _largest(order(jnp.moveaxis(values, axis, -1)), values.shape[axis])
    return [jnp.moveaxis(x, -1, axis) for x in (order(found), places)]

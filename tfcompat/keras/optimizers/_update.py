"""The update of one variable as one operation of the engine."""

import jax.numpy as jnp
import numpy as np

from tfcompat import engine
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.errors import InvalidArgumentError


def update_operation(name, rule, options=()):
    """An operation that updates a variable and its slots.

    Args:
      name: str, shown in messages.
      rule: pure function `rule(variable, gradient, rate, step, *slots, **options)` that returns the new variable and
        the new slots as a tuple. `rate` has the dtype of the variable; `step` is an int64 scalar, 0 at first.
      options: names of the rule's options. They are static unless named in `array_options`.

    Returns:
      Operation of (variable, rate, step, gradient, *slots[, average], *array options). The gradient is two arrays,
      rows and their indices, if `sparse`. Attributes: `sparse`; `decay`, the share of the variable that is subtracted
      beforehand, times `rate`, or None; `moving`, momentum and overwrite frequency of the moving average, or None;
      `array_options`, the names of options that are arrays; then the options.
    """

    def updated(variable, rate, step, *rest, sparse, decay, moving, array_options, **static):
        values = list(rest)
        if sparse:
            gradient = _sum_of_rows(values.pop(0), values.pop(0), variable)
        else:
            gradient = _of_shape(values.pop(0), variable)
        options = {**static, **{option: values.pop() for option in reversed(array_options)}}
        average = None if moving is None else values.pop()
        rate = rate.astype(variable.dtype)
        if decay is not None:
            variable = variable - variable * cast(decay, variable.dtype) * rate
        results = rule(variable, gradient, rate, step, *values, **options)
        return results if moving is None else _averaged(results, average, step, *moving)

    def rows_exist(variable, rate, step, rows, indices, *rest, **static):
        return engine.conditions.in_range(indices, variable.shape[0], "ResourceScatterAdd")

    static_names = ("sparse", "decay", "moving", "array_options", *options)
    identity = f"{rule.__module__}:{rule.__qualname__}:{name}"
    return engine.Operation(
        name, updated, static_names, differentiable=False, requires=rows_exist,
        requires_of=lambda attributes, avals: attributes[0], identity=identity,
    )  # fmt: skip


def cast(option, dtype):
    """An option in the dtype of the variable. As in `tf.cast`, a Python float goes through float32."""
    return jnp.asarray(np.float32(option) if isinstance(option, float) else option, dtype)


def _averaged(results, average, step, momentum, frequency):
    """`results` with the moving average at the end, which now and then replaces the variable."""
    variable = results[0]
    average = momentum * average + (1 - momentum) * variable
    if frequency:
        variable = jnp.where((step + 1) % frequency == 0, average, variable)
    return (variable, *results[1:], average)


def _of_shape(gradient, variable):
    _check_dtype(gradient, variable)
    if gradient.shape == variable.shape:
        return gradient
    try:
        return jnp.broadcast_to(gradient, variable.shape)
    except ValueError:
        raise InvalidArgumentError(
            None, None,
            f"Incompatible shapes: {_text(gradient.shape)} vs. {_text(variable.shape)} [Op:Sub] name: ",
        ) from None  # fmt: skip


def _sum_of_rows(rows, indices, variable):
    _check_dtype(rows, variable)
    if rows.shape[1:] != variable.shape[1:]:
        raise InvalidArgumentError(
            None, None,
            f"Incompatible shapes: rows {_text(rows.shape)} of a gradient, variable {_text(variable.shape)}",
        )  # fmt: skip
    return jnp.zeros_like(variable).at[indices].add(rows)


def _check_dtype(gradient, variable):
    if gradient.dtype != variable.dtype:
        raise InvalidArgumentError(
            None, None,
            "cannot compute Sub as input #1(zero-based) was expected to be a tensor of the gradient's dtype, "
            f"{gradient.dtype.name}, but the variable is {variable.dtype.name} [Op:Sub] name: ",
        )  # fmt: skip


def _text(shape):
    return "[" + ",".join(map(str, shape)) + "]"


def is_array(option):
    """Whether an option's value is known only when the update runs."""
    return isinstance(option, Tensor | Variable)

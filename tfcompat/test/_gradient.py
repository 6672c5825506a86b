"""Derivatives by differences, and those of the tape, side by side."""

import itertools
from typing import Any

import numpy as np

from tfcompat import errors
from tfcompat._core.convert import convert_to_tensor
from tfcompat.tape import GradientTape, UnconnectedGradients


def compute_gradient(f, x, delta=None):
    """Jacobians of a function, by the tape and by differences.

    Args:
      f: function of the tensors of `x` to a tensor.
      x: list of floating or complex tensors or arrays.
      delta: step of the differences; 1/1024 if None.

    Returns:
      Two lists, by the tape and by differences: for each of `x` a NumPy matrix, a row for each element of the result,
      a column for each element of the argument.

    Raises:
      ValueError: `x` is no list.
      tf.errors.UnimplementedError: complex arguments.

    TF: `tf.test.compute_gradient`.
    """
    if not isinstance(x, list | tuple):
        raise ValueError(f"`x` must be a list or tuple of tensors, got {x!r}")
    delta = 1.0 / 1024 if delta is None else delta
    sources = [convert_to_tensor(each) for each in x]
    if any(each.dtype.is_complex for each in sources):
        raise errors.UnimplementedError(None, None, "tf.test.compute_gradient of complex tensors: use tape.jacobian")
    with GradientTape(persistent=True) as tape:
        tape.watch(sources)
        y = f(*sources)
    size = int(np.prod(y.shape))
    exact, estimated = [], []
    for number, source in enumerate(sources):
        jacobian: Any = tape.jacobian(y, source, unconnected_gradients=UnconnectedGradients.ZERO)
        exact.append(jacobian.numpy().reshape(size, -1))
        columns = []
        for place in itertools.product(*map(range, source.shape)):
            step = np.zeros(source.shape, source.dtype.np)
            step[place] = delta
            ends = [f(*sources[:number], source + sign * step, *sources[number + 1 :]) for sign in (1, -1)]
            columns.append(((ends[0] - ends[1]).numpy() / (2 * delta)).reshape(size))
        estimated.append(np.stack(columns, 1).astype(source.dtype.np) if columns else np.zeros((size, 0)))
    return tuple(exact), tuple(estimated)

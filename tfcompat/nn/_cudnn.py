"""Recurrent networks whose weights are in one vector, laid out as cuDNN documents it."""

import collections
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tfcompat import dtypes as _dtypes
from tfcompat._core.op import FLOATING, op
from tfcompat.array._arguments import invalid
from tfcompat.errors import UnimplementedError

_NAMES = ["output", "output_h", "output_c", "reserve_space"]
CudnnRNN = collections.namedtuple("CudnnRNN", _NAMES)
CudnnRNNV3 = collections.namedtuple("CudnnRNNV3", [*_NAMES, "host_reserved"])

_GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}


def check(rnn_mode, input_mode, direction, dropout, is_training, num_proj=0):
    """Refuses what is unknown or not there."""
    for name, value, allowed in (
        ("rnn_mode", rnn_mode, tuple(_GATES)),
        ("input_mode", input_mode, ("linear_input", "skip_input", "auto_select")),
        ("direction", direction, ("unidirectional", "bidirectional")),
    ):
        if value not in allowed:
            raise invalid(f'Value for attr \'{name}\' of "{value}" is not in the list of allowed values: {allowed}')
    if input_mode != "linear_input":
        raise UnimplementedError(None, None, f"input_mode {input_mode!r} is not available; use 'linear_input'")
    if dropout and is_training:
        raise UnimplementedError(None, None, "dropout is not available; use tf.nn.dropout between RNNs of one layer")
    if num_proj:
        raise UnimplementedError(None, None, "num_proj is not available; use tf.linalg.matmul after the RNN")


@op(
    "_cudnn_rnn",
    kernel="CudnnRNNV3",
    tensors=("input", "input_h", "input_c", "params", "sequence_lengths"),
    same=("input", "input_h", "input_c", "params"),
    dtypes=dict.fromkeys(("input", "input_h", "input_c", "params"), FLOATING)
    | {"sequence_lengths": frozenset({_dtypes.int32})},
)
def cudnn_rnn(input, input_h, input_c: Any, params, sequence_lengths=None, rnn_mode="lstm", bidirectional=False):
    """Runs layers over a sequence [steps, batch, inputs]; returns outputs, last states of all layers, and nothing."""
    directions = 2 if bidirectional else 1
    if input.ndim != 3 or input_h.ndim != 3:
        raise invalid("input and input_h must be 3-D")
    steps, batch, _ = input.shape
    rows, _, units = input_h.shape
    if rows % directions or not rows or input_h.shape[1] != batch:
        raise invalid(f"Invalid input_h shape: {list(input_h.shape)}")
    if rnn_mode == "lstm" and input_c.shape != input_h.shape:
        raise invalid(f"input_h and input_c must have the same shape: {list(input_h.shape)} {list(input_c.shape)}")
    if sequence_lengths is not None and sequence_lengths.shape != (batch,):
        raise invalid(f"sequence_lengths must have {batch} elements, got shape {list(sequence_lengths.shape)}")
    weights = _weights(params, input.shape[2], units, rows, directions, _GATES[rnn_mode])
    inside = None
    if sequence_lengths is not None:
        inside = jnp.arange(steps)[:, None] < sequence_lengths
    values, last_h, last_c = input, [], []
    for first in range(0, rows, directions):
        outputs = []
        for row in range(first, first + directions):
            start = (input_h[row], input_c[row] if rnn_mode == "lstm" else input_h[row])
            output, (h, c) = _layer(values, start, weights[row], inside, rnn_mode, backward=row > first)
            outputs.append(output)
            last_h.append(h)
            last_c.append(c)
        values = jnp.concatenate(outputs, -1)
    nothing = jnp.zeros((0,), input.dtype)
    return values, jnp.stack(last_h), jnp.stack(last_c) if rnn_mode == "lstm" else nothing, nothing


def _weights(params, inputs, units, rows, directions, gates):
    """(kernel, recurrent kernel, bias, recurrent bias) of each row of states.

    First come all matrices, transposed: those for inputs, gate by gate, then the recurrent ones; then all biases.
    """
    sizes = [inputs if row < directions else units * directions for row in range(rows)]
    expected = sum(gates * units * (size + units + 2) for size in sizes)
    if params.shape != (expected,):
        raise invalid(f"params must be a vector of {expected} elements, got shape {list(params.shape)}")
    offset, by_layer = 0, []

    def take(*shape):
        nonlocal offset
        count = shape[0] * shape[1]
        part = lax.slice(params, (offset,), (offset + count,)).reshape(shape)
        offset += count
        return part

    matrices = [(take(gates * units, size).T, take(gates * units, units).T) for size in sizes]
    for kernel, recurrent in matrices:
        biases = take(2, gates * units)
        by_layer.append((kernel, recurrent, biases[0], biases[1]))
    return by_layer


def _layer(values, start, weights, inside, rnn_mode, backward):
    kernel, recurrent, bias, recurrent_bias = weights

    def step(carry, time_step):
        (h, c), (x, valid) = carry, time_step
        seen = jnp.matmul(h, recurrent) + recurrent_bias
        if rnn_mode == "lstm":
            i, f, new, o = jnp.split(x + seen, 4, -1)
            c_next = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(new)
            h_next = jax.nn.sigmoid(o) * jnp.tanh(c_next)
        elif rnn_mode == "gru":
            (x_r, x_z, x_new), (h_r, h_z, h_new) = jnp.split(x, 3, -1), jnp.split(seen, 3, -1)
            z = jax.nn.sigmoid(x_z + h_z)
            new = jnp.tanh(x_new + jax.nn.sigmoid(x_r + h_r) * h_new)
            h_next = c_next = z * h + (1 - z) * new
        else:
            h_next = c_next = (jnp.tanh if rnn_mode == "rnn_tanh" else jax.nn.relu)(x + seen)
        output = h_next
        if valid is not None:
            valid = valid[:, None]
            h_next, c_next = jnp.where(valid, h_next, h), jnp.where(valid, c_next, c)
            output = jnp.where(valid, output, jnp.zeros_like(output))
        return (h_next, c_next), output

    # Backwards, the steps past the end of a sequence come first and leave its state alone.
    last, outputs = lax.scan(step, start, (jnp.matmul(values, kernel) + bias, inside), reverse=backward)
    return outputs, last

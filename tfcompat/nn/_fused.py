"""The fused kernels behind layers that programs call by name: batch normalization and LSTMs over whole sequences."""

import collections
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from tfcompat import dtypes as _dtypes
from tfcompat._core.op import FLOATING, op
from tfcompat.array._arguments import invalid

FusedBatchNormV2 = collections.namedtuple(
    "FusedBatchNormV2", ["y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"]
)
_LSTM_NAMES = ["i", "cs", "f", "o", "ci", "co", "h"]
BlockLSTM = collections.namedtuple("BlockLSTM", _LSTM_NAMES)
BlockLSTMV2 = collections.namedtuple("BlockLSTMV2", _LSTM_NAMES)


@op(
    "_fused_batch_norm",
    kernel="FusedBatchNormV2",
    tensors=("x", "scale", "offset", "mean", "variance"),
    same=("scale", "offset", "mean", "variance"),
    dtypes=dict.fromkeys(("x", "scale", "offset", "mean", "variance"), FLOATING),
)
def fused_batch_norm(x, scale, offset, mean: Any, variance, epsilon=0.0001, exponential_avg_factor=1,
                     data_format="NHWC", is_training=True):  # fmt: skip
    """Normalizes `x`; returns the result, the averages moved, and the moments used."""
    if data_format not in ("NHWC", "NCHW"):
        raise invalid(
            f"Value for attr 'data_format' of \"{data_format}\" is not in the list of allowed values: "
            '"NHWC", "NCHW"'
        )
    if x.ndim != 4:
        raise invalid(f"input must be 4-dimensional{list(x.shape)}")
    channel = 3 if data_format == "NHWC" else 1
    count = x.shape[channel]
    checked = [("", "scale", scale), ("", "offset", offset)]
    moving = exponential_avg_factor != 1
    if not is_training or moving:
        reason = "When exponential_avg_factor != 1, " if is_training else "When is_training=false, "
        checked += [(reason, "mean", mean), (reason, "variance", variance)]
    for reason, name, value in checked:
        if value.shape != (count,):
            raise invalid(
                f"{reason}{name} must have the same number of elements as the channels of x, got {value.size} and "
                f"{count}"
            )
    if not x.size:
        nothing = jnp.full((count,), jnp.nan, scale.dtype)
        unused = jnp.zeros((count,), scale.dtype)
        return x, nothing, nothing, unused, unused
    axes = tuple(axis for axis in range(4) if axis != channel)
    wide = x.astype(scale.dtype)
    if is_training:
        used = jnp.mean(wide, axes)
        centred = wide - lax.expand_dims(used, axes)
        spread = jnp.mean(jnp.square(centred), axes)
        size = x.size // count
        averages = used, spread * (size / max(size - 1, 1))
        if moving:
            factor = exponential_avg_factor
            averages = tuple(
                old * (1 - factor) + new * factor for old, new in zip((mean, variance), averages, strict=True)
            )
    else:
        used, spread = averages = mean, variance
        centred = wide - lax.expand_dims(used, axes)
    factors = lax.expand_dims(lax.rsqrt(spread + jnp.asarray(epsilon, spread.dtype)) * scale, axes)
    result = centred * factors + lax.expand_dims(offset, axes)
    return result.astype(x.dtype), *averages, used, spread


@jax.custom_jvp
def _clipped(state, limit):
    return jnp.clip(state, -limit, limit)


# TF's gradient ignores the clipping.
# https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/core/kernels/rnn/lstm_ops.cc
_clipped.defjvps(lambda tangent, result, state, limit: tangent, None)


@op(
    "_block_lstm",
    kernel="BlockLSTMV2",
    tensors=("seq_len_max", "x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"),
    same=("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"),
    dtypes={"seq_len_max": frozenset({_dtypes.int64})}
    | dict.fromkeys(("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"), FLOATING - {_dtypes.bfloat16}),
    default_dtypes={"seq_len_max": _dtypes.int64},
)
def block_lstm(seq_len_max: Any, x, cs_prev, h_prev, w, wci, wcf, wco, b, forget_bias=0.0, cell_clip=0.0,
               use_peephole=False, order="ifco"):  # fmt: skip
    """Runs an LSTM; `order` is that of the gates along the last axis of `w` and `b`."""
    _check_block_lstm(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b)
    dtype = x.dtype
    from_inputs = jnp.matmul(x, w[: x.shape[2]]) + b
    recurrent = w[x.shape[2] :]

    def step(carry, projected):
        state, hidden = carry
        parts = dict(zip(order, jnp.split(projected + jnp.matmul(hidden, recurrent), 4, -1), strict=True))
        i, f, o = parts["i"], parts["f"] + jnp.asarray(forget_bias, dtype), parts["o"]
        if use_peephole:
            i, f = i + state * wci, f + state * wcf
        i, f, ci = jax.nn.sigmoid(i), jax.nn.sigmoid(f), jnp.tanh(parts["c"])
        state = ci * i + state * f
        if cell_clip > 0:
            state = _clipped(state, jnp.asarray(cell_clip, dtype))
        o = jax.nn.sigmoid(o + state * wco if use_peephole else o)
        co = jnp.tanh(state)
        hidden = o * co
        return (state, hidden), (i, state, f, o, ci, co, hidden)

    _, results = lax.scan(step, (cs_prev, h_prev), from_inputs)
    inside = (jnp.arange(x.shape[0]) < seq_len_max)[:, None, None]
    return tuple(jnp.where(inside, each, jnp.zeros((), dtype)) for each in results)


def _gate_gradients(cs_prev, wci, wcf, wco, i, cs, f, o, ci, co, cs_grad, h_grad, use_peephole):
    """Gradients by the state before and by the gates before their functions, of one step; those by gate letter."""
    do = o * (1 - o) * h_grad * co
    dcs = (1 - co * co) * h_grad * o + cs_grad
    if use_peephole:
        dcs = dcs + do * wco
    gates = {"i": i * (1 - i) * dcs * ci, "c": (1 - ci * ci) * dcs * i, "f": f * (1 - f) * dcs * cs_prev, "o": do}
    before = dcs * f
    if use_peephole:
        before = before + gates["i"] * wci + gates["f"] * wcf
    return before, gates


def _check_alike(shape, *arrays):
    for array in arrays:
        if array.shape != shape or array.ndim < 2:
            raise invalid(f"states, gates and gradients must be of one shape, {list(shape)}, got {list(array.shape)}")


def _peephole_gradients(cs_prev, cs, gates, use_peephole):
    by = (gates["i"] * cs_prev, gates["f"] * cs_prev, gates["o"] * cs)
    return [each.sum(range(each.ndim - 1)) if use_peephole else jnp.zeros(each.shape[-1:], each.dtype) for each in by]


_OF_CELL = ("cs_prev", "wci", "wcf", "wco", "i", "cs", "f", "o", "ci", "co", "cs_grad", "h_grad")


@op("_lstm_cell_gradient", kernel="LSTMBlockCellGrad", tensors=_OF_CELL, same=_OF_CELL, gradient="none")
def lstm_cell_gradient(cs_prev, wci, wcf, wco, i, cs, f, o, ci, co, cs_grad, h_grad, use_peephole):
    """Gradients of one step by the state before, by the gates, and by the peepholes."""
    _check_alike(cs_prev.shape, i, cs, f, o, ci, co, cs_grad, h_grad)
    before, gates = _gate_gradients(cs_prev, wci, wcf, wco, i, cs, f, o, ci, co, cs_grad, h_grad, use_peephole)
    return before, jnp.concatenate([gates[gate] for gate in "icfo"], -1), *_peephole_gradients(
        cs_prev, cs, gates, use_peephole
    )


_OF_BLOCK = ("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b", "i", "cs", "f", "o", "ci", "co", "h", "cs_grad",
             "h_grad")  # fmt: skip


@op("_block_lstm_gradient", kernel="BlockLSTMGradV2", tensors=("seq_len_max", *_OF_BLOCK), same=_OF_BLOCK,
    default_dtypes={"seq_len_max": _dtypes.int64}, gradient="none")  # fmt: skip
def block_lstm_gradient(seq_len_max: Any, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, h, cs_grad,
                        h_grad, use_peephole, order):  # fmt: skip
    """Gradients of `block_lstm` by its inputs, from its results; `order` is that of the gates."""
    _check_block_lstm(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b)
    _check_alike((x.shape[0], *cs_prev.shape), i, cs, f, o, ci, co, h, cs_grad, h_grad)
    inputs = x.shape[2]

    def step(carry, parts):
        dcs, dh = carry
        before, inside, i, cs, f, o, ci, co, cs_grad, h_grad = parts
        changes = jnp.where(inside, cs_grad + dcs, 0), jnp.where(inside, h_grad + dh, 0)
        dcs, gates = _gate_gradients(before, wci, wcf, wco, i, cs, f, o, ci, co, *changes, use_peephole)
        joined = jnp.concatenate([gates[gate] for gate in order], -1)
        by_input = jnp.matmul(joined, w.T)
        return (dcs, by_input[:, inputs:]), (by_input[:, :inputs], joined, gates)

    states = jnp.concatenate([cs_prev[None], cs[:-1]])
    outputs = jnp.concatenate([h_prev[None], h[:-1]])
    inside = jnp.arange(x.shape[0]) < seq_len_max
    start = jnp.zeros_like(cs_prev), jnp.zeros_like(h_prev)
    steps = (states, inside, i, cs, f, o, ci, co, cs_grad, h_grad)
    (by_state, by_output), (by_x, joined, gates) = lax.scan(step, start, steps, reverse=True)
    by_w = jnp.einsum("tbi,tbg->ig", jnp.concatenate([x, outputs], -1), joined)
    peepholes = _peephole_gradients(states, cs, gates, use_peephole)
    return by_x, by_state, by_output, by_w, *peepholes, joined.sum((0, 1))


def _check_block_lstm(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b):
    if seq_len_max.ndim:
        raise invalid(f"`seq_len_max_tensor` must be rank 0 but is rank {seq_len_max.ndim}")
    ranks = {"x": 3, "cs_prev": 2, "h_prev": 2, "w": 2, "wci": 1, "wcf": 1, "wco": 1, "b": 1}
    arguments = {"x": x, "cs_prev": cs_prev, "h_prev": h_prev, "w": w, "wci": wci, "wcf": wcf, "wco": wco, "b": b}
    for name, rank in ranks.items():
        if arguments[name].ndim != rank:
            raise invalid(f"{name} must be {rank}D")
    batch, inputs = x.shape[1:]
    cells = cs_prev.shape[1]
    expected = [
        ("cs_prev.dims(0) != batch_size", cs_prev.shape[0], batch),
        ("h_prev.dims(0) != batch_size", h_prev.shape[0], batch),
        ("h_prev.dims(1) != cell_size", h_prev.shape[1], cells),
        ("w.dim_size(0) != input_size + cell_size", w.shape[0], inputs + cells),
        ("w.dim_size(1) != cell_size * 4", w.shape[1], 4 * cells),
        ("b.dim_size(0) != cell_size * 4", b.shape[0], 4 * cells),
        *[(f"{name}.dim_size(0) != cell_size", arguments[name].shape[0], cells) for name in ("wci", "wcf", "wco")],
    ]
    for message, actual, needed in expected:
        if actual != needed:
            raise invalid(f"{message}: {actual} vs. {needed}")

"""The raw ops that no public function stands for, or one with other arguments."""

import collections

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat._core.in_graphs import without_kernel
from tfcompat._core.op import FLOATING, REAL, op
from tfcompat.array import gather, transpose
from tfcompat.array._arguments import invalid
from tfcompat.image._projective import projective_transform
from tfcompat.math._blocks import in_blocks
from tfcompat.nn import _cudnn, _fused
from tfcompat.raw_ops._registry import raw
from tfcompat.tape import stop_gradient

_UniqueV2 = collections.namedtuple("UniqueV2", ["y", "idx"])
_UniqueWithCountsV2 = collections.namedtuple("UniqueWithCountsV2", ["y", "idx", "count"])
_BroadcastGradientArgs = collections.namedtuple("BroadcastGradientArgs", ["r0", "r1"])


@op("_bucketize", kernel="Bucketize", tensors=("input",), dtypes=REAL, gradient="none")
def _bucketize(input, boundaries):
    return jnp.searchsorted(jnp.array(boundaries, np.float64), input.astype(np.float64), side="right").astype(np.int32)


@raw()
def Bucketize(*, input, boundaries, name=None):
    """The number of boundaries at or below each element, int32. TF: `tf.raw_ops.Bucketize`."""
    return _bucketize(input, tuple(map(float, static_value(boundaries))))


@raw()
def ImageProjectiveTransformV3(*, images, transforms, output_shape, fill_value, interpolation, fill_mode="CONSTANT",
                               name=None):  # fmt: skip
    """Pictures seen through projective maps.

    Args:
      images: tensor of shape [batch, height, width, channels], floating, uint8, int32 or int64.
      transforms: float32 tensor of shape [batch or 1, 8]: the place (x, y) of the result shows what is at
        ((a0 x + a1 y + a2) / k, (a3 x + a4 y + a5) / k), where k = a6 x + a7 y + 1.
      output_shape: two ints, height and width of the result; known while a function is traced.
      fill_value: float32 scalar, seen where k is 0 and, for the mode "CONSTANT", outside of the picture.
      interpolation: "NEAREST" or "BILINEAR".
      fill_mode: "CONSTANT", "REFLECT", "WRAP" or "NEAREST": what is seen outside of the picture.

    Returns:
      Tensor of shape [batch, *output_shape, channels], dtype of `images`.

    Raises:
      ValueError: `interpolation` or `fill_mode` is unknown.
      tf.errors.InvalidArgumentError: images of another rank, or sizes that are not positive.

    Gradient: to `images` alone, and exact.
    TF: `tf.raw_ops.ImageProjectiveTransformV3`, whose gradient maps back by the inverse of the transform.
    """
    if interpolation.upper() not in ("NEAREST", "BILINEAR"):
        raise ValueError(f"interpolation must be NEAREST or BILINEAR, got {interpolation!r}")
    if fill_mode.upper() not in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
        raise ValueError(f"fill_mode must be CONSTANT, REFLECT, WRAP or NEAREST, got {fill_mode!r}")
    if convert_to_tensor(images).shape.rank != 4:
        raise invalid(f"Input images must have rank 4, got shape {convert_to_tensor(images).shape}")
    if any(size <= 0 for size in static_value(output_shape)):
        raise invalid(f"output dimensions must be positive, got {static_value(output_shape)}")
    return projective_transform(
        images, transforms, fill_value, static_value(output_shape), interpolation.upper(), fill_mode.upper()
    )


def _unique(x, axis, out_idx):
    axis = static_value(axis)
    if isinstance(axis, tuple) and len(axis) > 1:
        raise invalid("axis does not support input tensors larger than 1 elements")
    axis = axis[0] if isinstance(axis, tuple) and axis else 0 if isinstance(axis, tuple) else axis
    if convert_to_tensor(x).dtype.is_complex:
        raise without_kernel("UniqueV2", convert_to_tensor(x).dtype.name)
    array = known_values(convert_to_tensor(x), "call it outside")
    _, first, inverse, counts = np.unique(array, True, True, True, axis=axis)
    order = np.argsort(first)
    rank = np.argsort(order)
    dtype = dtypes.as_dtype(out_idx).np
    values = gather(convert_to_tensor(x), host_constant(np.sort(first)), axis=axis)
    return values, host_constant(rank[inverse.reshape(-1)].astype(dtype)), host_constant(counts[order].astype(dtype))


@raw()
def UniqueV2(*, x, axis, out_idx=dtypes.int32, name=None):
    """Different elements in the order of appearance, and which each is. TF: `tf.raw_ops.UniqueV2`."""
    return _UniqueV2(*_unique(x, axis, out_idx)[:2])


@raw()
def UniqueWithCountsV2(*, x, axis, out_idx=dtypes.int32, name=None):
    """As `UniqueV2`, and how often each occurs. TF: `tf.raw_ops.UniqueWithCountsV2`."""
    return _UniqueWithCountsV2(*_unique(x, axis, out_idx))


@raw()
def BroadcastGradientArgs(*, s0, s1, name=None):
    """The axes over which gradients of a broadcast are summed. TF: `tf.raw_ops.BroadcastGradientArgs`."""
    first, second = (list(static_value(s)) for s in (s0, s1))
    dtype = convert_to_tensor(s0).dtype.np
    rank = max(len(first), len(second))
    first, second = ([1] * (rank - len(s)) + s for s in (first, second))
    if any(a != b and 1 not in (a, b) for a, b in zip(first, second, strict=True)):
        raise invalid(f"Incompatible shapes: {static_value(s0)} vs. {static_value(s1)} [Op:BroadcastGradientArgs]")
    both = [a for a in range(rank) if first[a] == 1 and second[a] == 1]
    r0 = sorted(both + [a for a in range(rank) if first[a] == 1 and second[a] != 1])
    r1 = sorted(both + [a for a in range(rank) if second[a] == 1 and first[a] != 1])
    return _BroadcastGradientArgs(*(host_constant(np.array(r, dtype)) for r in (r0, r1)))


@op("_igamma_grad_a", kernel="IgammaGradA", tensors=("a", "x"), dtypes=FLOATING)
def _igamma_grad_a(a, x):
    return in_blocks(lax.igamma_grad_a)(*jnp.broadcast_arrays(a, x))


@raw()
def IgammaGradA(*, a, x, name=None):
    """Derivative of `tf.math.igamma` by its first argument. TF: `tf.raw_ops.IgammaGradA`."""
    return _igamma_grad_a(a, x)


@op("_random_gamma_grad", kernel="RandomGammaGrad", tensors=("alpha", "sample"), dtypes=FLOATING)
def _random_gamma_grad(alpha, sample):
    return in_blocks(lax.random_gamma_grad)(*jnp.broadcast_arrays(alpha, sample))


@raw()
def RandomGammaGrad(*, alpha, sample, name=None):
    """Derivative of a gamma random number by its parameter. TF: `tf.raw_ops.RandomGammaGrad`."""
    return _random_gamma_grad(alpha, sample)


@raw()
def FusedBatchNormV2(*, x, scale, offset, mean, variance, epsilon=0.0001, exponential_avg_factor=1,
                     data_format="NHWC", is_training=True, name=None):  # fmt: skip
    """Batch normalization of pictures.

    Args:
      x: floating tensor of shape [batch, height, width, channels], or [batch, channels, height, width].
      scale, offset: float32 tensors of shape [channels].
      mean, variance: float32 tensors of shape [channels]: the moments to use, or with `is_training` the averages to
        move, which may be empty if `exponential_avg_factor` is 1.
      epsilon: added to the variance.
      exponential_avg_factor: the share of the batch in the averages.
      data_format: "NHWC" or "NCHW".
      is_training: bool, whether the batch's own moments are used.
      name: ignored.

    Returns:
      (y, batch_mean, batch_variance, reserve_space_1, reserve_space_2): the result, dtype and shape of `x`; the new
      averages, of which the variance has Bessel's correction; the mean and variance that were used. All but the first
      are float32 of shape [channels], and NaN if `x` has no elements.

    Raises:
      tf.errors.InvalidArgumentError: a shape that does not fit, or an unknown `data_format`.

    Gradient: of `y`, with respect to `x`, `scale` and `offset`.
    TF: `tf.raw_ops.FusedBatchNormV2`; float64 is taken as well.
    """
    mean, variance = (stop_gradient(convert_to_tensor(each)) for each in (mean, variance))
    y, *moments = _fused.fused_batch_norm(
        x, scale, offset, mean, variance, epsilon, exponential_avg_factor, data_format, is_training
    )
    return _fused.FusedBatchNormV2(y, *map(stop_gradient, moments))


@raw()
def BlockLSTMV2(*, seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, cell_clip=0, use_peephole=False, name=None):
    """An LSTM over a whole sequence. The gates are in the order input, forget, cell, output.

    Args:
      seq_len_max: int64 scalar, the steps to run; what comes after is zeros.
      x: float16 or float32 tensor of shape [steps, batch, inputs].
      cs_prev, h_prev: tensors of shape [batch, cells], the first state and output; dtype of `x`, as all that follow.
      w: tensor of shape [inputs + cells, 4 * cells].
      wci, wcf, wco: tensors of shape [cells], what the gates see of the state with `use_peephole`.
      b: tensor of shape [4 * cells].
      cell_clip: largest magnitude of states; they are not clipped if it is not positive.
      use_peephole: bool.
      name: ignored.

    Returns:
      (i, cs, f, o, ci, co, h), of shape [steps, batch, cells] each and dtype of `x`: input gates, states, forget
      gates, output gates, what is offered to the state, tanh of the state, and outputs.

    Raises:
      tf.errors.InvalidArgumentError: a shape that does not fit.

    Gradient: of `cs` and `h` alone, and as if nothing had been clipped; otherwise exact.
    TF: `tf.raw_ops.BlockLSTMV2`, whose gradient differs from finite differences; float64 is taken as well. After
    `seq_len_max` steps all results are zeros, not just `cs` and `h`, and more steps than `x` has are those of `x`.
    """
    return _fused.BlockLSTMV2(*_block_lstm(
        seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, 0.0, cell_clip, use_peephole, "ifco"
    ))  # fmt: skip


def _block_lstm(seq_len_max, *arguments):
    i, cs, f, o, ci, co, h = _fused.block_lstm(convert_to_tensor(seq_len_max, dtypes.int64), *arguments)
    i, f, o, ci, co = map(stop_gradient, (i, f, o, ci, co))
    return i, cs, f, o, ci, co, h


@raw()
def BlockLSTM(*, seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, forget_bias=1, cell_clip=3, use_peephole=False,
              name=None):  # fmt: skip
    """As `BlockLSTMV2`, with the gates in the order input, cell, forget, output, and `forget_bias` added to the third.

    TF: `tf.raw_ops.BlockLSTM`.
    """
    return _fused.BlockLSTM(*_block_lstm(
        seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, forget_bias, cell_clip, use_peephole, "icfo"
    ))  # fmt: skip


@raw()
def CudnnRNN(*, input, input_h, input_c, params, rnn_mode="lstm", input_mode="linear_input",
             direction="unidirectional", dropout=0, seed=0, seed2=0, is_training=True, name=None):  # fmt: skip
    """A recurrent network, on any device.

    Args:
      input: floating tensor of shape [steps, batch, inputs].
      input_h: the first outputs, of shape [layers * directions, batch, units]; dtype of `input`, as all that follow.
      input_c: the first states of an LSTM, of the same shape; of another kind it is not looked at.
      params: vector of all weights. For each layer, and in it for each direction, the matrices [units, inputs] of all
        gates and then the recurrent ones [units, units]; after all those, in the same order, the biases [units] of
        all gates and then the recurrent ones. Gates of an LSTM: input, forget, new, output; of a GRU: reset, update,
        new.
      rnn_mode: "lstm", "gru", "rnn_relu" or "rnn_tanh".
      input_mode: "linear_input".
      direction: "unidirectional" or "bidirectional".
      dropout, seed, seed2: share that is dropped between layers in training; must be 0 there.
      is_training: bool.
      name: ignored.

    Returns:
      (output, output_h, output_c, reserve_space): the last layer's outputs [steps, batch, units * directions]; the
      last outputs and, of an LSTM, the last states of all layers, as `input_h`. What is not there is empty.

    Raises:
      tf.errors.InvalidArgumentError: a shape or an option that does not fit.
      tf.errors.UnimplementedError: another `input_mode`, or dropout in training.

    TF: `tf.raw_ops.CudnnRNN`, for NVIDIA GPUs only. What is in `reserve_space` is its own affair there.
    """
    _cudnn.check(rnn_mode, input_mode, direction, dropout, is_training)
    return _cudnn.CudnnRNN(*_cudnn.cudnn_rnn(
        input, input_h, input_c, params, None, rnn_mode, direction == "bidirectional"
    ))  # fmt: skip


@raw()
def CudnnRNNV2(*, input, input_h, input_c, params, rnn_mode="lstm", input_mode="linear_input",
               direction="unidirectional", dropout=0, seed=0, seed2=0, is_training=True, name=None):  # fmt: skip
    """As `CudnnRNN`, with a fifth result that is empty. TF: `tf.raw_ops.CudnnRNNV2`, for NVIDIA GPUs only."""
    results = CudnnRNN(
        input=input, input_h=input_h, input_c=input_c, params=params, rnn_mode=rnn_mode, input_mode=input_mode,
        direction=direction, dropout=dropout, seed=seed, seed2=seed2, is_training=is_training,
    )  # fmt: skip
    return *results, host_constant(np.zeros(0, np.int8))


@raw()
def CudnnRNNV3(*, input, input_h, input_c, params, sequence_lengths, rnn_mode="lstm", input_mode="linear_input",
               direction="unidirectional", dropout=0, seed=0, seed2=0, num_proj=0, is_training=True, time_major=True,
               name=None):  # fmt: skip
    """As `CudnnRNN`, for sequences of different lengths.

    Args:
      input, input_h, input_c: as there; without `time_major` the batch is their first axis.
      sequence_lengths: int32 tensor of shape [batch]; outputs after them are zeros.
      num_proj: must be 0.
      time_major: bool.
      params, rnn_mode, input_mode, direction, dropout, seed, seed2, is_training, name: as there.

    Returns:
      (output, output_h, output_c, reserve_space, host_reserved); without `time_major` the batch is the first axis of
      the first three.

    Raises:
      tf.errors.InvalidArgumentError, tf.errors.UnimplementedError: as there; also for `num_proj`.

    TF: `tf.raw_ops.CudnnRNNV3`, for NVIDIA GPUs only.
    """
    _cudnn.check(rnn_mode, input_mode, direction, dropout, is_training, num_proj)
    lengths = convert_to_tensor(sequence_lengths, dtypes.int32)

    def swapped(tensor):
        return tensor if time_major else transpose(tensor, [1, 0, 2])

    input_c = swapped(input_c) if rnn_mode == "lstm" else input_c
    output, output_h, output_c, reserve_space = _cudnn.cudnn_rnn(
        swapped(input), swapped(input_h), input_c, params, lengths, rnn_mode, direction == "bidirectional"
    )
    output_c = swapped(output_c) if rnn_mode == "lstm" else output_c
    nothing = host_constant(np.zeros(0, np.int8))
    return _cudnn.CudnnRNNV3(swapped(output), swapped(output_h), output_c, reserve_space, nothing)

"""Spectrograms and their inverses."""

import math

import jax.numpy as jnp
import numpy as np

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import FLOATING, op
from tfcompat.dtypes import float32, float64
from tfcompat.signal._dct import cosine_transform, dct
from tfcompat.signal._fft import irfft, rfft
from tfcompat.signal._frames import as_scalar, check_rank, frame, overlap_and_add
from tfcompat.signal._windows import hann_window, vorbis_window


def _power_of_two(length):
    return 2 ** math.ceil(math.log2(length)) if length > 0 else 0


@takes_composites("tf.signal.stft")
def stft(signals, frame_length, frame_step, fft_length=None, window_fn=hann_window, pad_end=False, name=None):
    """Short-time Fourier transform: of each of overlapping frames.

    Args:
      signals: float32 or float64 tensor of shape `[..., samples]`.
      frame_length: integer, samples in a frame.
      frame_step: integer, samples from a frame to the next.
      fft_length: integer, size of the transform; the power of two that `frame_length` fits in if None.
      window_fn: `f(frame_length, dtype=dtype)`, factors for the samples of a frame; or None.
      pad_end: whether frames may reach beyond the end of the signal, where zeros are taken.
      name: ignored.

    Returns:
      complex64 or complex128 tensor of shape `[..., frames, fft_length // 2 + 1]`.

    Raises:
      ValueError: a scalar signal, lengths that are no scalars, or another dtype.

    TF: `tf.signal.stft`; no known difference.
    """
    signals = convert_to_tensor(signals)
    check_rank(signals, 1)
    length, step = as_scalar(frame_length, "frame_length"), as_scalar(frame_step, "frame_step")
    size = _power_of_two(length) if fft_length is None else as_scalar(fft_length, "fft_length")
    frames = frame(signals, length, step, pad_end=pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return rfft(frames, [size])


@op("_inverse_window", kernel="RealDiv", tensors=("window",), dtypes=FLOATING)
def _inverse_window(window, step):
    length = window.shape[0]
    overlaps = -(-length // step)
    squares = jnp.pad(window * window, (0, overlaps * step - length)).reshape(overlaps, step)
    total = jnp.tile(squares.sum(0), overlaps)[:length]
    return jnp.where(total == 0, jnp.zeros_like(window), window / jnp.where(total == 0, jnp.ones_like(total), total))


def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    """The window for `inverse_stft` with which it undoes `stft`.

    Args:
      frame_step: integer, samples from a frame to the next.
      forward_window_fn: the window of the forward transform.
      name: ignored.

    Returns:
      Function `f(frame_length, dtype)` of a tensor of shape `[frame_length]`.

    TF: `tf.signal.inverse_stft_window_fn`; no known difference.
    """

    def inverse_window(frame_length, dtype):
        length, step = as_scalar(frame_length, "frame_length"), as_scalar(frame_step, "frame_step")
        return _inverse_window(forward_window_fn(length, dtype=dtype), step)

    return inverse_window


@op("_resized", kernel="Pad", tensors=("x",))
def _resized(x, size):
    """`x` with its last axis cut or padded with zeros."""
    x = x[..., :size]
    return jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, size - x.shape[-1])])


@takes_composites("tf.signal.inverse_stft")
def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None):
    """A signal from its short-time Fourier transform.

    Args:
      stfts: complex64 or complex128 tensor of shape `[..., frames, bins]`.
      frame_length: integer, samples in a frame.
      frame_step: integer, samples from a frame to the next.
      fft_length: integer, size of the transform; the power of two that `frame_length` fits in if None.
      window_fn: `f(frame_length, dtype=dtype)`, factors for the samples of a frame, see
        `inverse_stft_window_fn`; or None.
      name: ignored.

    Returns:
      float32 or float64 tensor of shape `[..., (frames - 1) * frame_step + frame_length]`.

    Raises:
      ValueError: a rank below 2, lengths that are no scalars, or another dtype.

    TF: `tf.signal.inverse_stft`; no known difference.
    """
    stfts = convert_to_tensor(stfts)
    check_rank(stfts, 2)
    length, step = as_scalar(frame_length, "frame_length"), as_scalar(frame_step, "frame_step")
    size = _power_of_two(length) if fft_length is None else as_scalar(fft_length, "fft_length")
    frames = _resized(irfft(stfts, [size]), length)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=stfts.dtype.real_dtype)
    return overlap_and_add(frames, step)


_REAL = frozenset({float32, float64})


@op("_fold_frames", kernel="ConcatV2", tensors=("frames",), dtypes=_REAL)
def _fold_frames(frames):
    """The four quarters of a frame as the two halves whose cosine transform is the modified one."""
    a, b, c, d = jnp.split(frames, 4, -1)
    return jnp.concatenate([-c[..., ::-1] - d, a - b[..., ::-1]], -1)


@op("_unfold_frames", kernel="ConcatV2", tensors=("halves",), dtypes=_REAL)
def _unfold_frames(halves, norm):
    n = halves.shape[-1]
    x = cosine_transform(halves, 4, norm == "ortho") if halves.size else halves
    if norm is None:
        x = x * np.asarray(0.5 / max(n, 1), x.dtype)
    first, second = jnp.split(x, 2, -1)
    return jnp.concatenate([second, -second[..., ::-1], -first[..., ::-1], -first], -1)


def _windowed(frames, length, window_fn):
    return frames * (math.sqrt(0.5) if window_fn is None else window_fn(length, dtype=frames.dtype))


@takes_composites("tf.signal.mdct")
def mdct(signals, frame_length, window_fn=vorbis_window, pad_end=False, norm=None, name=None):
    """Modified discrete cosine transform: of frames that overlap by half.

    Args:
      signals: float32 or float64 tensor of shape `[..., samples]`.
      frame_length: integer, a multiple of 4.
      window_fn: `f(frame_length, dtype=dtype)`, factors for the samples of a frame; None means `sqrt(1/2)`.
      pad_end: whether frames may reach beyond the end of the signal, where zeros are taken.
      norm: None or "ortho", as for `dct`.
      name: ignored.

    Returns:
      Tensor of that dtype and shape `[..., frames, frame_length // 2]`.

    Raises:
      ValueError: a scalar signal, `frame_length` that is no multiple of 4, another `norm`.

    TF: `tf.signal.mdct`; no known difference.
    """
    signals = convert_to_tensor(signals)
    check_rank(signals, 1)
    length = as_scalar(frame_length, "frame_length")
    if length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    frames = frame(signals, length, length // 2, pad_end=pad_end)
    return dct(_fold_frames(_windowed(frames, length, window_fn)), type=4, norm=norm)


@takes_composites("tf.signal.inverse_mdct")
def inverse_mdct(mdcts, window_fn=vorbis_window, norm=None, name=None):
    """A signal from its modified discrete cosine transform.

    Args:
      mdcts: float32 or float64 tensor of shape `[..., frames, frame_length // 2]`.
      window_fn: the window of the forward transform; None means `sqrt(1/2)`.
      norm: None or "ortho", as in `mdct`.
      name: ignored.

    Returns:
      Tensor of that dtype and shape `[..., (frames + 1) * frame_length // 2]`.

    Raises:
      ValueError: a rank below 2, or another `norm`.

    TF: `tf.signal.inverse_mdct`; no known difference.
    """
    mdcts = convert_to_tensor(mdcts)
    check_rank(mdcts, 2)
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    half = mdcts.shape[-1]
    frames = _unfold_frames(mdcts, norm)
    return overlap_and_add(_windowed(frames, 2 * half, window_fn), half)

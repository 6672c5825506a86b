"""The mel scale of frequencies."""

import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat._core.op import op
from tfcompat.array._arguments import invalid
from tfcompat.signal._dct import dct


def _mel(hertz):
    return 1127.0 * np.log(1.0 + hertz / 700.0)


@op("_mel_weights", kernel="Pad", tensors=(), gradient="none")
def _mel_weights(bands, bins, rate, low, high, dtype):
    frequencies = _mel(np.linspace(0.0, rate / 2, bins)[1:, None])
    edges = np.linspace(_mel(low), _mel(high), bands + 2)
    lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (frequencies - lower) / (center - lower), (upper - frequencies) / (upper - center)
    weights = np.maximum(0.0, np.minimum(rising, falling))
    return jnp.asarray(np.pad(weights, [(1, 0), (0, 0)]), dtype.np)


def linear_to_mel_weight_matrix(num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000, lower_edge_hertz=125.0,
                                upper_edge_hertz=3800.0, dtype=dtypes.float32, name=None):  # fmt: skip
    """Matrix from evenly spaced frequencies to bands of the mel scale, triangles of height one.

    Args:
      num_mel_bins: positive integer, how many bands.
      num_spectrogram_bins: positive integer, how many frequencies from 0 to half of `sample_rate`.
      sample_rate: positive number, samples a second.
      lower_edge_hertz: where the first band begins, not negative.
      upper_edge_hertz: where the last band ends, at most half of `sample_rate`.
      dtype: a floating dtype.
      name: ignored.

    Returns:
      Tensor of shape `[num_spectrogram_bins, num_mel_bins]`.

    Raises:
      ValueError: numbers out of these ranges, or another dtype.

    TF: `tf.signal.linear_to_mel_weight_matrix`; computed in float64 and rounded once.
    """
    dtype = dtypes.as_dtype(dtype)
    bands, bins, rate, low, high = map(
        static_value, (num_mel_bins, num_spectrogram_bins, sample_rate, lower_edge_hertz, upper_edge_hertz)
    )
    if bands <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bands}")
    if low < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {low}")
    if low >= high:
        raise ValueError(f"lower_edge_hertz {low:.1f} >= upper_edge_hertz {high:.1f}")
    if rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if high > rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got {high} for sample_rate: {rate}"
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype!r}")
    if bins < 0:
        raise invalid(f"Requires num > 0: {bins}")
    return _mel_weights(bands, max(bins, 1), float(rate), float(low), float(high), dtype)


@takes_composites("tf.signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    """Mel-frequency cepstral coefficients: a cosine transform of type 2, times `sqrt(1 / (2 n))`.

    Args:
      log_mel_spectrograms: float32 or float64 tensor of shape `[..., num_mel_bins]`.
      name: ignored.

    Returns:
      Tensor of that shape and dtype.

    Raises:
      ValueError: the last axis is empty.

    TF: `tf.signal.mfccs_from_log_mel_spectrograms`; no known difference.
    """
    x = convert_to_tensor(log_mel_spectrograms)
    if len(x.shape) and x.shape[-1] == 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {x!r}")
    return dct(x) * (2.0 * x.shape[-1]) ** -0.5

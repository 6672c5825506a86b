"""`tf.signal`: Fourier and cosine transforms, windows, frames, spectrograms, the mel scale."""

from tfcompat._package.missing import missing as _missing
from tfcompat.signal._dct import dct as dct
from tfcompat.signal._dct import idct as idct
from tfcompat.signal._fft import fft as fft
from tfcompat.signal._fft import fft2d as fft2d
from tfcompat.signal._fft import fft3d as fft3d
from tfcompat.signal._fft import fftnd as fftnd
from tfcompat.signal._fft import fftshift as fftshift
from tfcompat.signal._fft import ifft as ifft
from tfcompat.signal._fft import ifft2d as ifft2d
from tfcompat.signal._fft import ifft3d as ifft3d
from tfcompat.signal._fft import ifftnd as ifftnd
from tfcompat.signal._fft import ifftshift as ifftshift
from tfcompat.signal._fft import irfft as irfft
from tfcompat.signal._fft import irfft2d as irfft2d
from tfcompat.signal._fft import irfft3d as irfft3d
from tfcompat.signal._fft import irfftnd as irfftnd
from tfcompat.signal._fft import rfft as rfft
from tfcompat.signal._fft import rfft2d as rfft2d
from tfcompat.signal._fft import rfft3d as rfft3d
from tfcompat.signal._fft import rfftnd as rfftnd
from tfcompat.signal._frames import frame as frame
from tfcompat.signal._frames import overlap_and_add as overlap_and_add
from tfcompat.signal._mel import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from tfcompat.signal._mel import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from tfcompat.signal._spectral import inverse_mdct as inverse_mdct
from tfcompat.signal._spectral import inverse_stft as inverse_stft
from tfcompat.signal._spectral import inverse_stft_window_fn as inverse_stft_window_fn
from tfcompat.signal._spectral import mdct as mdct
from tfcompat.signal._spectral import stft as stft
from tfcompat.signal._windows import hamming_window as hamming_window
from tfcompat.signal._windows import hann_window as hann_window
from tfcompat.signal._windows import kaiser_bessel_derived_window as kaiser_bessel_derived_window
from tfcompat.signal._windows import kaiser_window as kaiser_window
from tfcompat.signal._windows import vorbis_window as vorbis_window

__getattr__ = _missing("tf.signal")

"""`tf.audio`: WAV files of 16-bit samples."""

from tfcompat._package.missing import missing as _missing
from tfcompat.audio._wav import decode_wav as decode_wav
from tfcompat.audio._wav import encode_wav as encode_wav

__getattr__ = _missing("tf.audio")

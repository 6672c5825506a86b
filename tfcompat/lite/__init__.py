"""`tf.lite`: models for phones and microcontrollers.

LiteRT's own packages do the work (`pip install 'tfcompat[lite]'`): `litert-converter` makes a flatbuffer of the
StableHLO that JAX writes, `ai-edge-quantizer` quantizes it, `ai-edge-litert` runs it.
"""

from tfcompat._package.missing import missing as _missing
from tfcompat.lite import experimental as experimental
from tfcompat.lite._converter import TFLiteConverter as TFLiteConverter
from tfcompat.lite._options import OpsSet as OpsSet
from tfcompat.lite._options import Optimize as Optimize
from tfcompat.lite._options import RepresentativeDataset as RepresentativeDataset
from tfcompat.lite._options import TargetSpec as TargetSpec
from tfcompat.lite._runtime import interpreter_class as _interpreter_class


def _made(name):
    return _interpreter_class() if name == "Interpreter" else None


__getattr__ = _missing("tf.lite", made=_made)


def __dir__():
    return sorted({*globals(), "Interpreter"})

"""`tf.lite.experimental`."""

from tfcompat._package.missing import missing as _missing
from tfcompat.lite._runtime import runtime as _runtime


def _made(name):
    return getattr(_runtime(), name) if name in ("OpResolverType", "load_delegate") else None


__getattr__ = _missing(
    "tf.lite.experimental",
    made=_made,
    hints={
        "Analyzer": "tf.lite.Interpreter(...).get_tensor_details()",
        "QuantizationDebugOptions": "the validation of ai-edge-quantizer",
        "QuantizationDebugger": "the validation of ai-edge-quantizer",
        "authoring": "tf.lite.TFLiteConverter, which says what it cannot convert",
    },
)

"""`tf.quantization`: rounding to few levels, with gradients that pass through."""

from tfcompat._package.missing import missing as _missing
from tfcompat.quantization._fake import fake_quant_with_min_max_args as fake_quant_with_min_max_args
from tfcompat.quantization._fake import fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient
from tfcompat.quantization._fake import fake_quant_with_min_max_vars as fake_quant_with_min_max_vars
from tfcompat.quantization._fake import fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient
from tfcompat.quantization._fake import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from tfcompat.quantization._fake import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,  # fmt: skip
)
from tfcompat.quantization._round_trip import quantize_and_dequantize as quantize_and_dequantize
from tfcompat.quantization._round_trip import quantize_and_dequantize_v2 as quantize_and_dequantize_v2

_ROUND_TRIP = "tf.quantization.quantize_and_dequantize_v2: there are no tensors of quantized integers"

__getattr__ = _missing(
    "tf.quantization", hints=dict.fromkeys(["dequantize", "quantize", "quantized_concat"], _ROUND_TRIP)
)

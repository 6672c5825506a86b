"""`tf.quantization`: rounding to few levels, with gradients that pass through."""

from tfcompat._missing import missing as _missing
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

__getattr__ = _missing("tf.quantization")

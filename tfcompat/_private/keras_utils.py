"""tensorflow/python/keras/utils, and `keras.src.utils` of Keras 2: conv_utils.py, tf_utils.py."""
import tfcompat as _tf
from tfcompat._core.tensor import SymbolicTensor as _SymbolicTensor
from tfcompat._private.smart_cond import smart_cond as smart_cond
from tfcompat._private.smart_cond import smart_constant_value as smart_constant_value
from tfcompat.layers._layer.windows import normalize_padding as normalize_padding
from tfcompat.layers._layer.windows import normalize_tuple as normalize_tuple
from tfcompat.layers._layer.windows import output_length as _output_length
from tfcompat.layers._layer.windows import transposed_length as _transposed_length
from tfcompat.layers._symbolic.keras_tensor import KerasTensor as _KerasTensor

constant_value = _tf.get_static_value


def conv_output_length(input_length, filter_size, padding, stride, dilation=1):
    """The number of positions of a window along an axis; None where the length is None."""
    assert padding in {"same", "valid", "full", "causal"}
    if input_length is not None and padding == "full":
        input_length += 2 * ((filter_size - 1) * dilation)
    return _output_length(input_length, filter_size, "valid" if padding == "full" else padding, stride, dilation)


def deconv_output_length(input_length, filter_size, padding, output_padding=None, stride=0, dilation=1):
    """The input length along an axis for which `conv_output_length` gives `input_length`."""
    assert padding in {"same", "valid", "full"}
    if input_length is not None and padding == "full":
        window = filter_size + (filter_size - 1) * (dilation - 1)
        return (input_length - 1) * stride + 2 - window + (output_padding or 0)
    return _transposed_length(input_length, filter_size, padding, output_padding, stride, dilation)


def is_symbolic_tensor(tensor):
    """Whether a tensor has a value only when a function or a model runs."""
    parts = _tf.nest.flatten(tensor, expand_composites=True)
    return any(isinstance(part, _KerasTensor | _SymbolicTensor) for part in parts)


def __getattr__(name):
    return getattr(_tf.keras.utils, name)

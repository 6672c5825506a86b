"""Raw ops that compute gradients of others, from what those took and returned."""

from tfcompat import array, dtypes, linalg, math, nn, quantization
from tfcompat._core.convert import convert_to_tensor, static_value
from tfcompat.errors import InvalidArgumentError
from tfcompat.nn import _fractional, _fused, _morphology
from tfcompat.raw_ops._layers import FusedBatchNormGradV3, MaxPool, MaxPoolGrad, fitting, pulled_back
from tfcompat.raw_ops._registry import raw


@raw()
def CholeskyGrad(l, grad):  # noqa: E741
    """Gradient of `Cholesky` by its matrix, from the result."""
    factor = convert_to_tensor(l)
    if factor.shape.rank < 2 or factor.shape[-1] != factor.shape[-2]:
        raise InvalidArgumentError(None, None, f"Input matrix must be square, got shape {factor.shape}")
    return pulled_back(linalg.cholesky, [linalg.matmul(factor, factor, adjoint_b=True)], grad)[0]


@raw("FusedBatchNormGrad", "FusedBatchNormGradV2")
def _fused_batch_norm_grad(y_backprop, x, scale, reserve_space_1, reserve_space_2, epsilon, data_format, is_training):
    """Gradients of `FusedBatchNorm` by the pictures, the scale and the offset."""
    return FusedBatchNormGradV3(
        y_backprop, x, scale, reserve_space_1, reserve_space_2, None, epsilon, data_format, is_training
    )


# --- pooling ---


@raw()
def MaxPoolGradV2(orig_input, orig_output, grad, ksize, strides, padding, data_format):
    """Gradient of `MaxPool`."""
    return MaxPoolGrad(
        orig_input, orig_output, grad, static_value(ksize), static_value(strides), padding, [], data_format
    )


def _pushed_forward(function, x, tangent):
    """The change of the result of a function with the change of its argument."""
    zeros = array.zeros_like(function(x))
    return pulled_back(lambda cotangent: pulled_back(function, [x], cotangent)[0], [zeros], tangent)[0]


@raw()
def MaxPoolGradGrad(orig_input, orig_output, grad, ksize, strides, padding, data_format):
    """Gradient of `MaxPoolGrad` by its cotangent: the elements that are the largest of a window."""
    def pooled(x):
        return fitting(MaxPool(x, ksize, strides, padding, [], data_format), orig_output)

    return _pushed_forward(pooled, convert_to_tensor(orig_input), grad)


@raw()
def MaxPoolGradGradV2(orig_input, orig_output, grad, ksize, strides, padding, data_format):
    """Gradient of `MaxPoolGrad` by its cotangent: the elements that are the largest of a window."""
    return MaxPoolGradGrad(
        orig_input, orig_output, grad, static_value(ksize), static_value(strides), padding, data_format
    )


@raw()
def MaxPool3DGradGrad(orig_input, orig_output, grad, ksize, strides, padding, data_format):
    """Gradient of `MaxPool3DGrad` by its cotangent: the elements that are the largest of a window."""
    def pooled(x):
        return fitting(nn.max_pool3d(x, list(ksize), list(strides), padding, data_format), orig_output)

    return _pushed_forward(pooled, convert_to_tensor(orig_input), grad)


def _flat_places(argmax, pictures, include_batch_in_index):
    """Where the largest elements are in all pictures, as one vector."""
    places = array.cast(argmax, dtypes.int64)
    if not include_batch_in_index:
        each = pictures.shape[1:].num_elements()
        first = array.reshape(array.range(pictures.shape[0], dtype=dtypes.int64) * each, [-1, 1, 1, 1])
        places = places + first
    return array.reshape(places, [-1])


@raw(ignored=("ksize", "strides", "padding"))
def MaxPoolGradWithArgmax(input, grad, argmax, include_batch_in_index):
    """Gradient of `MaxPoolWithArgmax`."""
    input = convert_to_tensor(input)
    places = array.expand_dims(_flat_places(argmax, input, include_batch_in_index), -1)
    flat = array.zeros([input.shape.num_elements()], input.dtype)
    return array.reshape(array.tensor_scatter_nd_add(flat, places, array.reshape(grad, [-1])), input.shape)


@raw(ignored=("ksize", "strides", "padding"))
def MaxPoolGradGradWithArgmax(input, grad, argmax, include_batch_in_index):
    """Gradient of `MaxPoolGradWithArgmax` by its cotangent."""
    places = _flat_places(argmax, convert_to_tensor(input), include_batch_in_index)
    return array.reshape(array.gather(array.reshape(grad, [-1]), places), convert_to_tensor(argmax).shape)


def _fractionally_pooled(row_pooling_sequence, col_pooling_sequence, overlapping, largest):
    rows, columns = (static_value(sequence) for sequence in (row_pooling_sequence, col_pooling_sequence))
    return lambda x: _fractional.fractional_pool(x, rows, columns, overlapping, largest)


@raw()
def FractionalMaxPoolGrad(orig_input, orig_output, out_backprop, row_pooling_sequence, col_pooling_sequence,
                          overlapping):  # fmt: skip
    """Gradient of `FractionalMaxPool`."""
    pooled = _fractionally_pooled(row_pooling_sequence, col_pooling_sequence, overlapping, True)
    return pulled_back(lambda x: fitting(pooled(x), orig_output), [orig_input], out_backprop)[0]


@raw()
def FractionalAvgPoolGrad(orig_input_tensor_shape, out_backprop, row_pooling_sequence, col_pooling_sequence,
                          overlapping):  # fmt: skip
    """Gradient of `FractionalAvgPool`."""
    pooled = _fractionally_pooled(row_pooling_sequence, col_pooling_sequence, overlapping, False)
    sizes = static_value(orig_input_tensor_shape)
    if not isinstance(sizes, tuple) or len(sizes) != 4:
        raise InvalidArgumentError(None, None, f"original input tensor shape must be a vector of 4, got {sizes}")
    zeros = array.zeros(sizes, convert_to_tensor(out_backprop).dtype)
    return pulled_back(pooled, [zeros], out_backprop)[0]


@raw()
def Dilation2DBackpropInput(input, filter, out_backprop, strides, rates, padding):
    """Gradient of `Dilation2D` by its input."""
    return pulled_back(lambda x: _morphology.dilation(x, filter, strides, rates, padding), [input], out_backprop)[0]


@raw()
def Dilation2DBackpropFilter(input, filter, out_backprop, strides, rates, padding):
    """Gradient of `Dilation2D` by its filter."""
    return pulled_back(lambda x: _morphology.dilation(input, x, strides, rates, padding), [filter], out_backprop)[0]


@raw()
def QuantizeAndDequantizeV4Grad(gradients, input, input_min, input_max, axis):
    """Gradients of `QuantizeAndDequantizeV4` by its input and its range."""
    def passed(x, low, high):
        along = None if axis == -1 else axis
        return quantization.quantize_and_dequantize_v2(x, low, high, range_given=True, axis=along)

    return tuple(pulled_back(passed, [input, input_min, input_max], gradients))


# --- recurrent networks ---


@raw()
def BlockLSTMGrad(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, h, cs_grad, h_grad,
                  use_peephole):  # fmt: skip
    """Gradients of `BlockLSTM`."""
    return _fused.block_lstm_gradient(
        seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, h, cs_grad, h_grad, use_peephole,
        "icfo",
    )  # fmt: skip


@raw()
def BlockLSTMGradV2(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, h, cs_grad, h_grad,
                    use_peephole):  # fmt: skip
    """Gradients of `BlockLSTMV2`."""
    return _fused.block_lstm_gradient(
        seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, h, cs_grad, h_grad, use_peephole,
        "ifco",
    )  # fmt: skip


@raw()
def LSTMBlockCellGrad(x, cs_prev, h_prev, w, wci, wcf, wco, b, i, cs, f, o, ci, co, cs_grad, h_grad, use_peephole):
    """Gradients of `LSTMBlockCell` by the states before, the gates before their functions, and the peepholes."""
    x, cs_prev, w = (convert_to_tensor(each) for each in (x, cs_prev, w))
    fits = x.shape.rank == cs_prev.shape.rank == w.shape.rank == 2 and x.shape[0] == cs_prev.shape[0]
    if not fits or w.shape != (x.shape[1] + cs_prev.shape[1], 4 * cs_prev.shape[1]):
        raise InvalidArgumentError(
            None, None, f"x, cs_prev and w of the shapes {x.shape}, {cs_prev.shape} and {w.shape} do not fit"
        )
    return _fused.lstm_cell_gradient(cs_prev, wci, wcf, wco, i, cs, f, o, ci, co, cs_grad, h_grad, use_peephole)


@raw()
def GRUBlockCellGrad(x, h_prev, w_ru, w_c, b_ru, b_c, r, u, c, d_h):
    """Gradients of `GRUBlockCell` by what went into it, and by the gates before their functions."""
    x, h_prev = convert_to_tensor(x), convert_to_tensor(h_prev)
    if x.shape.rank != 2 or any(convert_to_tensor(each).shape != h_prev.shape for each in (r, u, c, d_h)):
        raise InvalidArgumentError(
            None, None, f"x must be a matrix, and r, u, c and d_h of the shape of h_prev, {h_prev.shape}"
        )
    inputs = x.shape[-1]
    d_c_bar = d_h * (1 - u) * (1 - math.square(c))
    d_u_bar = d_h * (h_prev - c) * u * (1 - u)
    by_new = linalg.matmul(d_c_bar, w_c, transpose_b=True)
    d_hr = by_new[:, inputs:]
    d_gates = array.concat([d_hr * h_prev * r * (1 - r), d_u_bar], 1)
    by_gates = linalg.matmul(d_gates, w_ru, transpose_b=True)
    return by_new[:, :inputs] + by_gates[:, :inputs], by_gates[:, inputs:] + d_hr * r + d_h * u, d_c_bar, d_gates

"""More of `tf.keras.backend`: transposed convolutions, focal losses, moments of batches, CTC."""

from typing import Any

from tfcompat import array, math, nn, sparse
from tfcompat._core.public_convert import convert_to_tensor
from tfcompat.keras import losses
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._reshaping import UpSampling3D
from tfcompat.nn._ctc import beams_without_repetition


def _is_channels_first(data_format):
    data_format = data_format or _settings.image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {data_format}")
    return data_format == "channels_first"


def conv2d_transpose(x, kernel, output_shape, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    """The transpose of a convolution of images; `output_shape` includes the batch axis."""
    layout = "NCHW" if _is_channels_first(data_format) else "NHWC"
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return nn.conv_transpose(x, kernel, output_shape, strides, padding.upper(), layout, dilation_rate)


def resize_volumes(x, depth_factor, height_factor, width_factor, data_format):
    """Volumes larger by whole factors."""
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid data_format: {data_format}")
    layer: Any = UpSampling3D((depth_factor, height_factor, width_factor), data_format)
    return layer(x)


def binary_focal_crossentropy(target, output, apply_class_balancing=False, alpha=0.25, gamma=2.0, from_logits=False):
    """Cross-entropy of each element, in which outputs that are right already count less."""
    target, output = (array.expand_dims(x, -1) for x in (target, output))  # of one element each the mean is taken
    return losses.binary_focal_crossentropy(target, output, apply_class_balancing, alpha, gamma, from_logits)


def categorical_focal_crossentropy(target, output, alpha=0.25, gamma=2.0, from_logits=False, axis=-1):
    """Cross-entropy of distributions, in which outputs that are right already count less."""
    return losses.categorical_focal_crossentropy(target, output, alpha, gamma, from_logits, axis=axis)


def ctc_label_dense_to_sparse(labels, label_lengths):
    """Labels [batch, most] as a SparseTensor of the first ones of each sample."""
    labels = convert_to_tensor(labels)
    lengths = array.reshape(convert_to_tensor(label_lengths), [-1, 1])
    places = array.where(array.range(array.shape(labels)[1], dtype=lengths.dtype)[None] < lengths)
    return sparse.SparseTensor(places, array.gather_nd(labels, places), array.shape(labels, "int64"))


def normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=1e-3):
    """`x` normalized by its moments along some axes, their mean, and their variance.

    Of images with the channels last the variance is that of the population, as the fused kernel estimates it.
    """
    x = convert_to_tensor(x)
    axes = [axis % x.shape.rank for axis in reduction_axes]
    mean, variance = nn.moments(x, axes)
    sizes = [1 if axis in axes else x.shape[axis] for axis in range(x.shape.rank)]

    def shaped(value):
        return None if value is None else array.reshape(value, [-1 if size is None else size for size in sizes])

    normal = nn.batch_normalization(x, shaped(mean), shaped(variance), shaped(beta), shaped(gamma), epsilon)
    if len(sizes) == 4 and list(reduction_axes) == [0, 1, 2]:
        count = array.cast(array.size(x) / array.shape(x)[-1], x.dtype)
        variance = variance * (count / math.maximum(count - 1, 1))
    return normal, mean, variance


def _ctc_logits(y_pred, input_length):
    """Logarithms of probabilities [batch, time, classes], times first, and the lengths as a vector."""
    logits = math.log(array.transpose(y_pred, [1, 0, 2]) + _settings.epsilon())
    return logits, array.reshape(array.cast(input_length, "int32"), [-1])


def ctc_batch_cost(y_true, y_pred, input_length, label_length):
    """The CTC loss of each sample, [batch, 1], of labels [batch, most] and softmax outputs [batch, time, classes]."""
    logits, lengths = _ctc_logits(y_pred, input_length)
    labels, of_labels = array.cast(y_true, "int32"), array.reshape(array.cast(label_length, "int32"), [-1])
    return nn.ctc_loss(labels, logits, of_labels, lengths, blank_index=-1)[:, None]


def ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1):
    """(list of labels [batch, time] filled up with -1, log-probabilities) of softmax outputs [batch, time, classes]."""
    logits, lengths = _ctc_logits(y_pred, input_length)
    if greedy:
        decoded, log_probability = nn.ctc_greedy_decoder(logits, lengths)
    else:
        decoded, log_probability = beams_without_repetition(logits, lengths, beam_width, top_paths)
    shape = array.cast(array.shape(y_pred)[:2], "int64")
    dense = [sparse.to_dense(sparse.SparseTensor(x.indices, x.values, shape), default_value=-1) for x in decoded]
    return dense, log_probability

"""More of `tf.keras.backend`: transposed convolutions, focal losses, moments of batches."""

from typing import Any

from tfcompat import array, math, nn, sparse
from tfcompat._core.public_convert import convert_to_tensor
from tfcompat.keras import losses
from tfcompat.layers._layer import settings as _settings
from tfcompat.layers._reshaping import UpSampling3D


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

"""Arguments and sizes of layers that move a window over their inputs: convolutions, pooling, padding."""

from tfcompat._core.shape import TensorShape


def normalize_tuple(value, n, name, allow_zero=False):
    """`n` ints, of one int or an iterable.

    Raises:
      ValueError: another number of values, values that are no ints, or are not positive.
    """
    message = f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
    if isinstance(value, int):
        values = (value,) * n
    else:
        try:
            values = tuple(value)
        except TypeError:
            raise ValueError(message) from None
        if len(values) != n:
            raise ValueError(message)
        for single in values:
            try:
                int(single)
            except (ValueError, TypeError):
                # The missing space is Keras's.
                # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/utils/conv_utils.py
                raise ValueError(f"{message}including element {single} of type {type(single)}") from None
    unfit = {v for v in values if v < 0 or v == 0 and not allow_zero}
    if unfit:
        requirement = ">= 0" if allow_zero else "> 0"
        raise ValueError(
            f"{message} including {unfit} that does not satisfy the requirement `{requirement}`."
        )
    return values


def normalize_padding(value):
    """ "valid", "same" or "causal", in lower case; lists as they are."""
    if isinstance(value, list | tuple):
        return value
    padding = value.lower()
    if padding not in ("valid", "same", "causal"):
        raise ValueError(
            'The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", only for `Conv1D). '
            f"Received: {padding}"
        )
    return padding


def tf_data_format(data_format, rank):
    """TensorFlow's name of a data format with `rank` spatial axes."""
    spatial = {1: "W", 2: "HW", 3: "DHW"}[rank]
    return f"NC{spatial}" if data_format == "channels_first" else f"N{spatial}C"


def output_length(length, window, padding, stride, dilation=1):
    """The number of positions of a window along an axis; None where the length is."""
    if length is None:
        return None
    if padding == "valid":
        length = length - (window + (window - 1) * (dilation - 1)) + 1
    return (length + stride - 1) // stride


def transposed_length(length, window, padding, output_padding=None, stride=1, dilation=1):
    """The input length along an axis for which `output_length` gives `length`."""
    if length is None:
        return None
    window = window + (window - 1) * (dilation - 1)
    # Without `output_padding` Keras takes the largest length that shrinks to this one.
    # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/utils/conv_utils.py
    if output_padding is None:
        return length * stride + (max(window - stride, 0) if padding == "valid" else 0)
    pad = window // 2 if padding == "same" else 0
    return (length - 1) * stride + window - 2 * pad + output_padding


def split(shape, rank, data_format):
    """(batch sizes, spatial sizes, channels) of a shape."""
    sizes = TensorShape(shape).as_list()
    batch = len(sizes) - rank - 1
    if data_format == "channels_first":
        return sizes[:batch], sizes[batch + 1 :], sizes[batch]
    return sizes[:batch], sizes[batch:-1], sizes[-1]


def joined(batch, spatial, channels, data_format):
    """The TensorShape of these parts."""
    if data_format == "channels_first":
        return TensorShape([*batch, channels, *spatial])
    return TensorShape([*batch, *spatial, channels])

"""Biases of channels."""

import numpy as np

from tfcompat._core.composite import takes_composites
from tfcompat._core.op import NUMERIC, op
from tfcompat.array._arguments import invalid, show_shape


@op("_bias_add", kernel="BiasAdd", tensors=("value", "bias"), dtypes=NUMERIC)
def _bias_add(value, bias, first):
    if value.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {show_shape(value.shape)}")
    if bias.ndim != 1:
        raise invalid(f"Biases must be 1D: {show_shape(bias.shape)}")
    axis = 1 if first else value.ndim - 1
    if value.shape[axis] != bias.shape[0]:
        raise invalid(
            "Must provide as many biases as the last dimension of the input tensor: "
            f"{show_shape(bias.shape)} vs. {show_shape(value.shape)}"
        )
    return value + bias.reshape([-1 if i == axis else 1 for i in np.arange(value.ndim)])


@takes_composites("tf.nn.bias_add")
def bias_add(value, bias, data_format=None, name=None):
    """Adds a bias to each channel.

    Args:
      value: numeric tensor, rank at least 2.
      bias: 1-D tensor of the same dtype, one element for each channel.
      data_format: "N...C" (default) or "NC...".
      name: ignored.

    Returns:
      Tensor with the shape and dtype of `value`.

    Raises:
      ValueError: another `data_format`.
      tf.errors.InvalidArgumentError: shapes that do not fit.

    TF: `tf.nn.bias_add`; no known difference.
    """
    first = False
    if data_format is not None:
        if data_format.startswith("NC"):
            first = True
        elif not (data_format.startswith("N") and data_format.endswith("C")):
            raise ValueError(
                f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}"
            )
    return _bias_add(value, bias, first)

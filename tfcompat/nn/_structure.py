"""Biases, embeddings, and rearranged images."""

import jax.numpy as jnp
import numpy as np

from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.op import NUMERIC, op
from tfcompat.array import concat, gather
from tfcompat.array._arguments import as_int, invalid, show_shape


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


def _blocks(input, block_size, data_format):
    block = as_int(block_size, "block_size")
    if block < 2:
        raise invalid(f"Value for attr 'block_size' of {block} must be at least minimum 2")
    if data_format not in ("NHWC", "NCHW"):
        raise invalid(f'Value for attr "data_format" of "{data_format}" is not in the list of allowed values')
    if input.ndim != 4:
        raise invalid(f"Input rank should be: 4 instead of: {input.ndim}")
    if data_format == "NCHW":
        input = jnp.moveaxis(input, 1, -1)
    return block, input


def _as_given(result, data_format):
    return jnp.moveaxis(result, -1, 1) if data_format == "NCHW" else result


@op("tf.nn.space_to_depth", kernel="SpaceToDepth", tensors=("input",), host="moves")
def space_to_depth(input, block_size, data_format="NHWC"):
    """Moves square blocks of pixels into the channels.

    Args:
      input: tensor of shape `[batch, height, width, channels]`, any dtype.
      block_size: at least 2; divides height and width.
      data_format: "NHWC" or "NCHW".

    Returns:
      Tensor of shape `[batch, height / block_size, width / block_size, channels * block_size ** 2]`.

    Raises:
      tf.errors.InvalidArgumentError: sizes that do not fit.

    TF: `tf.nn.space_to_depth`; no known difference.
    """
    block, images = _blocks(input, block_size, data_format)
    batch, height, width, channels = images.shape
    if height % block or width % block:
        raise invalid(f"Image width {width} and height {height} should be divisible by block_size: {block}")
    split = images.reshape(batch, height // block, block, width // block, block, channels)
    moved = split.transpose(0, 1, 3, 2, 4, 5).reshape(batch, height // block, width // block, -1)
    return _as_given(moved, data_format)


@op("tf.nn.depth_to_space", kernel="DepthToSpace", tensors=("input",), host="moves")
def depth_to_space(input, block_size, data_format="NHWC"):
    """Moves channels into square blocks of pixels: undoes `space_to_depth`.

    Args:
      input: tensor of shape `[batch, height, width, channels]`, any dtype.
      block_size: at least 2; its square divides the channels.
      data_format: "NHWC" or "NCHW".

    Returns:
      Tensor of shape `[batch, height * block_size, width * block_size, channels / block_size ** 2]`.

    Raises:
      tf.errors.InvalidArgumentError: sizes that do not fit.

    TF: `tf.nn.depth_to_space`; no known difference.
    """
    block, images = _blocks(input, block_size, data_format)
    batch, height, width, channels = images.shape
    if channels % block**2:
        raise invalid(f"Input depth dimension {channels} should be divisible by: {block**2}")
    split = images.reshape(batch, height, width, block, block, channels // block**2)
    moved = split.transpose(0, 1, 3, 2, 4, 5).reshape(batch, height * block, width * block, -1)
    return _as_given(moved, data_format)


@takes_composites("tf.nn.embedding_lookup")
def embedding_lookup(params, ids, max_norm=None, name=None):
    """Rows of a table.

    Args:
      params: tensor or variable of shape `[rows, ...]`; or a list of tensors that hold its rows one after
        another, the first ones one row more if they do not divide evenly.
      ids: integer tensor, values in [0, rows).
      max_norm: largest l2 norm of a row, to which longer ones are scaled down; or None.
      name: ignored.

    Returns:
      Tensor of shape `ids.shape + params.shape[1:]`.

    Raises:
      ValueError: `params` is an empty list.
      tf.errors.InvalidArgumentError: as for `tf.gather`.

    Gradient: a `tf.IndexedSlices`, as for `tf.gather`.
    TF: `tf.nn.embedding_lookup`; no known difference.
    """
    if isinstance(params, list | tuple):
        if not params:
            raise ValueError("params must not be empty")
        if len(params) == 1:
            params = params[0]
        else:
            params = [convert_to_tensor(one) for one in params]
            if not len(params[0].shape):
                raise invalid("params must be at least 1 dimensional")
            params = concat(params, 0)
    rows = gather(params, ids)
    if max_norm is None:
        return rows
    return _shortened(rows, max_norm, len(convert_to_tensor(ids).shape))


@op("_shortened", kernel="Mul", tensors=("rows", "max_norm"))
def _shortened(rows, max_norm, outer):
    squares = (rows * rows).sum(tuple(np.arange(outer, rows.ndim).tolist()), keepdims=True)
    positive = squares > 0
    norm = jnp.where(positive, jnp.sqrt(jnp.where(positive, squares, jnp.ones_like(squares))), squares)
    larger = jnp.where(norm >= max_norm, norm, max_norm)
    return rows * max_norm / larger

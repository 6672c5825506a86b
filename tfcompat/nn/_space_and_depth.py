"""Images whose pixels become channels, and back."""

import jax.numpy as jnp

from tfcompat._core.op import op
from tfcompat.array._arguments import as_int, invalid


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

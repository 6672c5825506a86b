"""Blocks between space, batch and depth axes."""

import math

import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes, errors
from tfcompat._core.convert import host_constant, static_value
from tfcompat._core.op import REAL, op
from tfcompat.array._arguments import as_ints, invalid, show_shape


def _block_and_pairs(input, block_shape, pairs, argument):
    if not isinstance(block_shape, tuple):
        raise invalid("block_shape rank should be 1 instead of 0")
    block = as_ints(block_shape, "block_shape")
    if not isinstance(pairs, tuple) or any(not isinstance(row, tuple) or len(row) != 2 for row in pairs):
        raise invalid(f"{argument} should have shape [{len(block)}, 2] instead of {show_shape(np.shape(pairs))}")
    rows = tuple(as_ints(row, argument) for row in pairs)
    if len(rows) != len(block):
        raise invalid(f"{argument} should have shape [{len(block)}, 2] instead of {show_shape(np.shape(pairs))}")
    if input.ndim < 1 + len(block):
        raise invalid(f"input rank should be >= {1 + len(block)} instead of {input.ndim}")
    if any(one < 1 for one in block):
        raise invalid(f"All values in block_shape must be positive, got {block}")
    if any(one < 0 for row in rows for one in row):
        raise invalid(f"{argument} must be non-negative, got {rows}")
    return block, rows


@op(
    "tf.space_to_batch",
    "tf.nn.space_to_batch",
    "tf.space_to_batch_nd",
    kernel="SpaceToBatchND",
    tensors=("input",),
)
def space_to_batch(input, block_shape, paddings):
    """Moves blocks of the space axes, padded with zeros, into the batch axis.

    Args:
      input: tensor of shape `[batch, *space, *rest]`, any dtype.
      block_shape: for each space axis the size of a block.
      paddings: for each space axis how many zeros before and after.

    Returns:
      Tensor of shape `[batch * prod(block_shape), *(padded space / block_shape), *rest]`.

    Raises:
      tf.errors.InvalidArgumentError: blocks do not divide the padded space, or arguments of the wrong shape.

    TF: `tf.space_to_batch`; no known difference.
    """
    block, pads = _block_and_pairs(input, block_shape, paddings, "paddings")
    count = len(block)
    input = jnp.pad(input, ((0, 0), *pads, *((0, 0),) * (input.ndim - 1 - count)))
    batch, space, rest = input.shape[0], input.shape[1 : 1 + count], input.shape[1 + count :]
    for size, one in zip(space, block, strict=True):
        if size % one:
            raise invalid(f"padded_shape[{space.index(size)}]={size} is not divisible by block_shape {one}")
    split = [part for size, one in zip(space, block, strict=True) for part in (size // one, one)]
    blocks = input.reshape(batch, *split, *rest)
    inner = [2 + 2 * i for i in np.arange(count).tolist()]
    outer = [1 + 2 * i for i in np.arange(count).tolist()]
    tail = list(np.arange(1 + 2 * count, blocks.ndim).tolist())
    moved = blocks.transpose(inner + [0] + outer + tail)
    return moved.reshape(
        batch * math.prod(block), *(s // b for s, b in zip(space, block, strict=True)), *rest
    )


@op("tf.batch_to_space", kernel="BatchToSpaceND", tensors=("input",))
def batch_to_space(input, block_shape, crops):
    """Moves blocks from the batch axis to the space axes, and cuts the ends off: undoes `space_to_batch`.

    Args:
      input: tensor of shape `[batch, *space, *rest]`, any dtype.
      block_shape: for each space axis the size of a block; their product divides `batch`.
      crops: for each space axis how many elements to cut off before and after.

    Returns:
      Tensor of shape `[batch / prod(block_shape), *(space * block_shape - crops), *rest]`.

    Raises:
      tf.errors.InvalidArgumentError: blocks do not divide the batch, or arguments of the wrong shape.

    TF: `tf.batch_to_space`; no known difference.
    """
    block, cuts = _block_and_pairs(input, block_shape, crops, "crops")
    count = len(block)
    batch, space, rest = input.shape[0], input.shape[1 : 1 + count], input.shape[1 + count :]
    if batch % math.prod(block):
        raise invalid(f"Input batch dimension ({batch}) is not divisible by product of block sizes ({block})")
    for size, one, row in zip(space, block, cuts, strict=True):
        if sum(row) > size * one:
            raise invalid(f"cropped_shape={size * one - sum(row)} must be non-negative")
    blocks = input.reshape(*block, batch // math.prod(block), *space, *rest)
    order = [count]
    for i in np.arange(count).tolist():
        order += [count + 1 + i, i]
    order += np.arange(2 * count + 1, blocks.ndim).tolist()
    sizes = [s * b for s, b in zip(space, block, strict=True)]
    joined = blocks.transpose(order).reshape(batch // math.prod(block), *sizes, *rest)
    uncropped = tuple(slice(row[0], size - row[1]) for row, size in zip(cuts, sizes, strict=True))
    return joined[(slice(None), *uncropped)]


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """The paddings that make blocks fit, and the crops that undo them.

    Args:
      input_shape: 1-D integers, the space sizes.
      block_shape: 1-D integers, the sizes of a block.
      base_paddings: for each axis the least padding before and after; zeros if None.
      name: ignored.

    Returns:
      `(paddings, crops)`, int32 tensors of shape `[n, 2]`.

    Raises:
      ValueError: not one size of a block for each axis.

    TF: `tf.required_space_to_batch_paddings`; no known difference.
    """
    sizes = np.array(static_value(input_shape), np.int32)
    block = np.array(static_value(block_shape), np.int32)
    if sizes.shape != block.shape:
        raise ValueError(f"Shapes {sizes.shape} and {list(block.shape)} are incompatible")
    base = np.zeros((len(block), 2), np.int32)
    if base_paddings is not None:
        base = np.array(static_value(base_paddings), np.int32)
    full = sizes + base.sum(1)
    extra = (block - full % block) % block
    paddings = np.stack([base[:, 0], base[:, 1] + extra], 1)
    crops = np.stack([np.zeros_like(extra), extra], 1)
    return host_constant(paddings.astype(dtypes.int32.np)), host_constant(crops.astype(dtypes.int32.np))


@op("tf.extract_volume_patches", kernel="ExtractVolumePatches", tensors=("input",), dtypes=REAL)
def extract_volume_patches(input, ksizes, strides, padding):
    """Blocks of a volume, laid out as channels.

    Args:
      input: real tensor of shape `[batch, planes, rows, columns, channels]`.
      ksizes: five integers, the sizes of a block; the first and last are 1.
      strides: five integers, from block to block; the first and last are 1.
      padding: "VALID" or "SAME".

    Returns:
      Tensor of that dtype and shape `[batch, planes, rows, columns, block elements]`.

    Raises:
      tf.errors.InvalidArgumentError: another rank, sizes or padding.
      tf.errors.UnimplementedError: blocks or steps over batches or channels.

    TF: `tf.extract_volume_patches`; no known difference.
    """
    sizes, steps = as_ints(ksizes, "ksizes"), as_ints(strides, "strides")
    if input.ndim != 5 or len(sizes) != 5 or len(steps) != 5:
        raise invalid("input must be 5-dimensional, with ksizes and strides of 5 elements")
    if any(row[0] != 1 or row[-1] != 1 for row in (sizes, steps)):
        raise errors.UnimplementedError(None, None, "Only support ksizes and strides across space.")
    if padding not in ("VALID", "SAME"):
        raise invalid(
            f'Value for attr \'padding\' of "{padding}" is not in the list of allowed values: "SAME", "VALID"'
        )
    if padding == "SAME":
        pads = [(0, 0)]
        for axis in (1, 2, 3):
            total = max(0, (-(-input.shape[axis] // steps[axis]) - 1) * steps[axis] + sizes[axis] - input.shape[axis])
            pads.append((total // 2, total - total // 2))
        input = jnp.pad(input, [*pads, (0, 0)])
    result = input
    for axis in (3, 2, 1):
        room = input.shape[axis] - sizes[axis] + steps[axis]
        if room <= -steps[axis]:
            raise invalid(f"Computed output size would be negative: {-(-room // steps[axis])}")
        count = max(room // steps[axis], 0)
        places = np.arange(count)[:, None] * steps[axis] + np.arange(sizes[axis])
        result = jnp.moveaxis(jnp.take(result, places, axis), axis + 1, 4)
    return result.reshape(*result.shape[:4], math.prod(result.shape[4:]))

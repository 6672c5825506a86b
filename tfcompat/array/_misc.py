"""Rarely used top-level functions: unravel_index, fingerprint..."""

import time

import jax.numpy as jnp
import numpy as np

from tfcompat import engine
from tfcompat._core.composite import takes_composites
from tfcompat._core.convert import convert_to_tensor, host_constant, is_tensor, known_values, static_value
from tfcompat._core.op import INDEX, REAL, op
from tfcompat._core.tensor import EagerTensor, SymbolicTensor
from tfcompat._core.text_hash import fingerprint as hashed
from tfcompat.array._arguments import as_ints, invalid
from tfcompat.array._join import stack


def get_static_value(tensor, partial=False):
    """The value of a tensor if it is known without running anything.

    Args:
      tensor: tensor, or a Python or NumPy value.
      partial: changes nothing.

    Returns:
      NumPy array; None for what a function being traced computes, for variables, and for KerasTensors, ragged and
      sparse tensors.

    TF: `tf.get_static_value`; no known difference.
    """
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    if isinstance(tensor, SymbolicTensor):
        try:
            return engine.array_of(tensor._node)
        except engine.SymbolicValueError:
            return None
    return None if is_tensor(tensor) else tensor


def is_symbolic_tensor(tensor):
    """Whether a tensor belongs to a function being traced.

    Args:
      tensor: any value.

    Returns:
      bool.

    TF: `tf.is_symbolic_tensor`; no known difference.
    """
    return isinstance(tensor, SymbolicTensor)


@op("tf.unravel_index", kernel="UnravelIndex", tensors=("indices",), dtypes=INDEX,
    host=lambda indices, dims: _unraveled(np, indices, dims))  # fmt: skip
def unravel_index(indices, dims):
    """Coordinates of flat indices.

    Args:
      indices: int32 or int64 scalar or vector.
      dims: vector of integers, the shape indexed into.

    Returns:
      Tensor of that dtype: `[rank]` for a scalar, otherwise `[rank, n]`.

    Raises:
      tf.errors.InvalidArgumentError: a constant index out of range.

    TF: `tf.unravel_index`; see Raises.
    """
    return _unraveled(jnp, indices, dims)


def _unraveled(numpy, indices, dims):
    dims = as_ints(dims, "dims")
    if indices.ndim > 1:
        raise invalid("The indices can only be scalar or vector.")
    if numpy is np and indices.size and indices.max() >= np.prod(dims):
        raise invalid("index is out of bound as with dims")
    columns, rest = [], indices
    for size in dims[::-1]:
        columns.append(rest % size)
        rest = rest // size
    return numpy.stack(columns[::-1]).astype(indices.dtype)


@takes_composites("tf.fingerprint")
def fingerprint(data, method="farmhash64", name=None):
    """Hash of each row.

    Args:
      data: tensor of rank at least 1, any dtype.
      method: must be "farmhash64".
      name: ignored.

    Returns:
      uint8 tensor of shape `[rows, 8]`.

    Raises:
      tf.errors.InvalidArgumentError: a scalar, or another method.

    TF: `tf.fingerprint`; no known difference.
    """
    if static_value(method) not in ("farmhash64", b"farmhash64"):
        raise invalid(f"Unsupported fingerprint method: {static_value(method)}")
    array = known_values(convert_to_tensor(data), "call it outside")
    if not array.ndim:
        raise invalid("`data` should have at least one dimension.")
    rows = array.reshape(len(array), -1)
    if array.dtype == object:
        single = array.ndim == 1
        # Texts of a row are hashed one by one, and then their hashes.
        rows = [r[0] if single else b"".join(hashed(x).to_bytes(8, "little") for x in r) for r in rows.tolist()]
    else:
        rows = [row.tobytes() for row in rows]
    result = [list(hashed(row).to_bytes(8, "little")) for row in rows]
    return host_constant(np.array(result, np.uint8).reshape(len(array), 8))


def timestamp(name=None):
    """Seconds since the epoch, a float64 scalar.

    Args:
      name: ignored.

    TF: `tf.timestamp`; inside a function, when it was traced.
    """
    return convert_to_tensor(np.float64(time.time()))


def parallel_stack(values, name="parallel_stack"):
    """Stacks tensors along a new first axis, inside a function.

    Args:
      values: list of tensors of one shape and dtype.
      name: ignored.

    Returns:
      Tensor of rank one higher.

    Raises:
      RuntimeError: called eagerly; use tf.stack.

    TF: `tf.parallel_stack`; no known difference.
    """
    if not engine.state.graph.symbolic:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    return stack(values)


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

    TF: `tf.extract_volume_patches`; no known difference.
    """
    sizes, steps = as_ints(ksizes, "ksizes"), as_ints(strides, "strides")
    if input.ndim != 5 or len(sizes) != 5 or len(steps) != 5:
        raise invalid("input must be 5-dimensional, with ksizes and strides of 5 elements")
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
        count = (input.shape[axis] - sizes[axis]) // steps[axis] + 1
        places = np.arange(count)[:, None] * steps[axis] + np.arange(sizes[axis])
        result = jnp.moveaxis(jnp.take(result, places, axis), axis + 1, 4)
    return result.reshape(*result.shape[:4], -1)

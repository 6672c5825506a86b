"""Tensors and the arrays of other libraries in the same memory."""

import jax

from tfcompat import engine
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.tensor import wrap
from tfcompat.errors import InvalidArgumentError


def to_dlpack(tf_tensor):
    """The memory of a tensor as a DLPack capsule, which one library takes, once.

    Args:
      tf_tensor: tensor of any dtype that DLPack has.

    Raises:
      tf.errors.InvalidArgumentError: DLPack has no such dtype.

    TF: `tf.experimental.dlpack.to_dlpack`.
    """
    try:
        return convert_to_tensor(tf_tensor).__dlpack__()
    except (BufferError, TypeError) as error:
        raise InvalidArgumentError(None, None, f"to_dlpack: DLPack has no such array: {error}") from error


def from_dlpack(dlcapsule):
    """The tensor in the memory of a DLPack capsule, or of an object that has `__dlpack__`; it is not copied.

    TF: `tf.experimental.dlpack.from_dlpack`.
    """
    source = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    with jax.enable_x64(True):
        return wrap(engine.leaf(jax.dlpack.from_dlpack(source)))


class _Capsule:
    """What JAX asks of an array, for a capsule. A capsule does not say where it is: it is taken to be JAX's device."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **kwargs):
        return self._capsule

    def __dlpack_device__(self):
        return jax.numpy.zeros(()).__dlpack_device__()

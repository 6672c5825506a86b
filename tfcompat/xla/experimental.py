"""`tf.xla.experimental`: older ways to say `tf.function(jit_compile=True)`."""

import contextlib as _contextlib

from tfcompat import nest as _nest
from tfcompat._core.convert import convert_to_tensor as _convert_to_tensor
from tfcompat._package.missing import missing as _missing
from tfcompat._tracing.eagerly import executing_eagerly as _executing_eagerly
from tfcompat.function import function as _function

__getattr__ = _missing("tf.xla.experimental")


def compile(computation, inputs=None):
    """What a function gives for some inputs, compiled as a whole.

    Args:
      computation: function of tensors. It returns tensors: none, one, a list or a nest of them.
      inputs: list of what it takes: tensors, numbers, nests of them.

    Returns:
      A list of the results, also of a single one; the nest, where it is neither.

    Raises:
      TypeError: `inputs` is no list.

    TF: `tf.xla.experimental.compile`; no known difference.
    """
    if not isinstance(inputs, list | tuple | None):
        raise TypeError("inputs must be a list")

    def as_list(*args):
        result = computation(*_nest.map_structure(_convert_to_tensor, args))
        if isinstance(result, list | tuple):
            return list(result)
        return result if _nest.is_nested(result) else [result]

    return _function(as_list, jit_compile=True, autograph=False)(*(inputs or ()))


@_contextlib.contextmanager
def jit_scope(compile_ops=True, separate_compiled_gradients=False):
    """Says which ops of a graph XLA compiles. All are, in any case.

    Args:
      compile_ops, separate_compiled_gradients: change nothing.

    Raises:
      RuntimeError: code runs eagerly.

    TF: `tf.xla.experimental.jit_scope`.
    """
    if _executing_eagerly():
        raise RuntimeError(
            "xla.experimental.jit_scope is not supported when eager execution is enabled. "
            "Try use it inside tf.function."
        )
    yield

"""Calls back to Python: py_function, numpy_function."""

from tfcompat import dtypes, engine
from tfcompat._control._part import is_symbolic
from tfcompat._convert import convert_to_tensor, to_node
from tfcompat._variable import Variable
from tfcompat.errors import InvalidArgumentError, UnimplementedError


def py_function(func=None, inp=None, Tout=None, name=None):
    """Calls a Python function on tensors.

    Args:
      func: function of tensors that returns a tensor, a list of tensors, or None.
      inp: list of tensors.
      Tout: DType or list of DTypes of the results.
      name: unused.

    Returns:
      Tensor or list of tensors.

    Raises:
      tf.errors.UnimplementedError: inside a function being traced.

    Gradient: that of the operations that `func` calls.
    TF: `tf.py_function`.
    """
    arguments = _eager_arguments("tf.py_function", inp)
    return _results_as("tf.py_function", func(*arguments), Tout)


def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """Calls a function of NumPy arrays.

    Args:
      func: function of arrays that returns an array or a list of arrays.
      inp: list of tensors.
      Tout: DType or list of DTypes of the results.
      stateful, name: unused.

    Returns:
      Tensor or list of tensors; derivatives do not flow through.

    Raises:
      tf.errors.UnimplementedError: inside a function being traced.

    TF: `tf.numpy_function`.
    """
    arguments = _eager_arguments("tf.numpy_function", inp)
    return _results_as("tf.numpy_function", func(*[x.numpy() for x in arguments]), Tout)


def _eager_arguments(name, inp):
    arguments = [x if isinstance(x, Variable) else convert_to_tensor(x) for x in inp or []]
    if engine.state.graph.symbolic or any(is_symbolic(to_node(x)) for x in arguments):
        raise UnimplementedError(None, None, f"{name} is not available inside tf.function: call it outside")
    return arguments


def _results_as(name, result, Tout):
    if not isinstance(Tout, list | tuple):
        return None if result is None and Tout is None else _result_as(name, result, Tout)
    results = [] if result is None else result if isinstance(result, list | tuple) else [result]
    if len(results) != len(Tout):
        raise ValueError(f"{name}: the function returned {len(results)} results, Tout has {len(Tout)}")
    return [_result_as(name, r, t) for r, t in zip(results, Tout, strict=True)]


def _result_as(name, result, spec):
    wanted = _dtype(spec)
    tensor = convert_to_tensor(result, dtype_hint=wanted)
    if tensor.dtype != wanted:
        raise InvalidArgumentError(
            None, None, f"{name}: Tout is {wanted.name}, the function returned {tensor.dtype.name}"
        )
    return tensor


def _dtype(spec):
    return dtypes.as_dtype(getattr(spec, "dtype", spec))

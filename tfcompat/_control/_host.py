"""Calls back to Python: py_function, numpy_function."""

import functools

import jax
import numpy as np

from tfcompat import engine, nest
from tfcompat._control._part import dtype_in
from tfcompat._core import trial
from tfcompat._core.composite import CompositeTensor, takes_composites
from tfcompat._core.convert import convert_to_tensor, sized_by_values, to_node
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.streams import entered
from tfcompat._core.symbolic_sizes import NeedsValues
from tfcompat._core.tensor import Tensor, is_symbolic
from tfcompat._core.variable import Variable
from tfcompat._tracing.captured import live
from tfcompat._tracing.eagerly import executing_eagerly, running_as_python
from tfcompat._tracing.effects import as_tf_error, call_python, call_step
from tfcompat._tracing.elements import calling_for_elements, tracing_for_elements
from tfcompat.engine import function_trace
from tfcompat.errors import InvalidArgumentError, UnimplementedError, UnknownError
from tfcompat.tape import GradientTape, UnconnectedGradients


@takes_composites()
def py_function(func=None, inp=None, Tout=None, name=None):
    """Calls a Python function on tensors.

    Args:
      func: function of tensors that returns a tensor, a list of tensors, of which the first ones count, or None.
      inp: list of tensors.
      Tout: DType or list of DTypes of the results, or TensorSpecs; empty for no result.
      name: unused.

    Returns:
      Tensor or list of tensors; without `func` a decorator. Inside a `tf.function` `func` is called each time that
      function runs. Where a shape is not given by a TensorSpec, the function is not compiled, but runs as Python.

    Raises:
      TypeError: `Tout` is None.
      tf.errors.InvalidArgumentError: `func` returned another dtype or shape, or too few results.
      tf.errors.UnknownError: it returned a variable, or a result though `Tout` is empty.
      tf.errors.OpError: inside functions, `func` raised.
      tf.errors.UnimplementedError: inside a function that is mapped or recomputed as a whole.

    Gradient: that of the operations that `func` calls; inside functions of first order, in reverse mode.
    TF: `tf.py_function`.
    """
    if func is None or Tout is None:
        return _decorator(py_function, "tf.py_function", inp, Tout)
    func = live(func)
    if any(isinstance(x, CompositeTensor) for x in nest.flatten(inp)) or any(map(_is_composite, nest.flatten(Tout))):
        return _of_components(func, inp, Tout)
    arguments = _arguments(inp)
    if not _is_traced(arguments):
        result = trial.python_result(lambda: _called(func, arguments))
        return _other_sizes(_as_told(_as_list("tf.py_function", result, Tout), Tout), Tout)
    tensors = [convert_to_tensor(x) for x in arguments]

    def call(*arrays):
        return _as_list("tf.py_function", func(*map(convert_to_tensor, arrays)), Tout)

    def gradient(arrays, cotangents):
        inputs = [convert_to_tensor(a) for a in arrays]
        with GradientTape() as tape:
            tape.watch([x for x in inputs if x.dtype.is_floating or x.dtype.is_complex])
            outputs = _as_list("tf.py_function", func(*inputs), Tout)
        pairs = [(y, convert_to_tensor(c)) for y, c in zip(outputs, cotangents, strict=True) if y.dtype.is_floating]
        grads = tape.gradient(
            [y for y, _ in pairs], inputs, [c for _, c in pairs], unconnected_gradients=UnconnectedGradients.ZERO
        )
        return [convert_to_tensor(g).numpy() for g in grads]

    return _traced("tf.py_function", lambda *inp: py_function(func, inp, Tout), tensors, Tout, call, gradient)


def _is_composite(spec):
    return isinstance(spec, TypeSpec) and not isinstance(spec, TensorSpec)


def _of_components(func, inp, Tout):
    """`py_function` of the tensors that composite tensors are made of."""

    def of_flat(*tensors):
        result = func(*nest.pack_sequence_as(inp, tensors, expand_composites=True))
        return nest.flatten(result, expand_composites=True)

    flat = py_function(of_flat, nest.flatten(inp, expand_composites=True), nest.flatten(Tout, expand_composites=True))
    return nest.pack_sequence_as(Tout, flat, expand_composites=True)


@takes_composites()
def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """Calls a function of NumPy arrays.

    Args:
      func: function of arrays that returns an array or a list of arrays.
      inp: list of tensors; eagerly of anything, of which NumPy makes arrays.
      Tout: as for `tf.py_function`.
      stateful, name: unused.

    Returns:
      Tensor or list of tensors, as from `tf.py_function`; derivatives do not flow through.

    Raises:
      As `tf.py_function`.

    TF: `tf.numpy_function`.
    """
    if func is None:
        return _decorator(numpy_function, "tf.numpy_function", inp, Tout)
    func = live(func)
    symbolic = any(isinstance(x, Tensor) and is_symbolic(x._node) for x in inp or [])
    if executing_eagerly() and not _in_graph() and not symbolic:
        results = nest.flatten(func(*map(np.array, inp or [])))  # of any dtypes, and as many as there are
        tensors = [x if x is None else convert_to_tensor(x) for x in results]
        return tensors[0] if len(tensors) == 1 else tensors
    arguments = _arguments(inp)
    if not _is_traced(arguments):
        arrays = [x.numpy() for x in arguments]
        result = trial.python_result(lambda: _called(func, arrays))
        return _other_sizes(_results_as("tf.numpy_function", result, Tout), Tout)

    def call(*arrays):
        return _as_list("tf.numpy_function", func(*[a if a.ndim else a[()] for a in arrays]), Tout, exact=True)

    tensors = [convert_to_tensor(x) for x in arguments]
    return _traced("tf.numpy_function", lambda *inp: numpy_function(func, inp, Tout), tensors, Tout, call, None)


def _decorator(of, name, inp, Tout):
    """The decorator that a call without a function returns: `@tf.py_function(Tout=tf.float32)`."""
    if Tout is None:
        raise TypeError(
            f"Missing required argument: 'Tout'\n  If using {name} as a decorator, set `Tout`\n  **by name** above the "
            f"function:\n  `@{name}(Tout=tout)`"
        )
    if inp is not None:
        raise TypeError(f"Don't set the `inp` argument when using {name} as a decorator (`func=None`).")

    def decorate(func):
        return functools.wraps(func)(lambda *args: of(func, inp=args, Tout=Tout))

    return decorate


def _in_graph():
    """Whether TensorFlow would have made a graph of what is running: of a function that runs as Python here."""
    return calling_for_elements.value or running_as_python.value


def _called(func, arguments):
    """What the user's function returns. In graphs its errors become TF's."""
    in_graph = _in_graph()
    with running_as_python.set_to(False), entered(None):  # the function is eager
        return _with_tf_errors(func, arguments) if in_graph else func(*arguments)


def _with_tf_errors(func, arguments):
    try:
        return func(*arguments)
    except Exception as error:
        raise as_tf_error(error) from error


def _other_sizes(results, Tout):
    """The results. In the second call of a trial run they have other sizes where `Tout` states none."""
    if not trial.current().resizes or results is None:
        return results
    if isinstance(results, list):
        return [_other_sizes(x, spec) for x, spec in zip(results, Tout, strict=False)]
    shape = TensorShape(_shape(Tout))
    fixed = () if shape.rank is None else [axis for axis, size in enumerate(shape.as_list()) if size is not None]
    return sized_by_values(engine.array_of(results._node), fixed)


def _arguments(inp):
    return [x if isinstance(x, Variable) else convert_to_tensor(x) for x in inp or []]


def _is_traced(arguments):
    return engine.state.graph.symbolic or any(is_symbolic(to_node(x)) for x in arguments)


def _traced(name, func, tensors, Tout, call, gradient):
    if tracing_for_elements.value:  # the function is called for each element instead
        raise UnimplementedError(None, None, f"{name} in a function of a dataset's elements that is traced")
    if function_trace(engine.state.graph) is None:
        raise UnimplementedError(None, None, f"{name} inside the user's jax.jit: use jax.pure_callback")
    specs = Tout if isinstance(Tout, list | tuple) else [] if Tout is None else [Tout]
    shapes = [_shape(spec) for spec in specs]
    if any(shape is None or not shape.is_fully_defined() for shape in shapes):
        raise NeedsValues(
            None, None, f"{name} returns a shape that is not known before it is called; give Tout as tf.TensorSpec"
        )
    results = [
        jax.ShapeDtypeStruct(tuple(shape.as_list()), dtype_in(spec).np)
        for shape, spec in zip(shapes, specs, strict=True)
    ]

    def on_arrays(*arrays):
        return [x.numpy() if x.shape.rank else np.asarray(x.numpy()) for x in call(*arrays)]

    avals = [engine.Aval(x.shape, x.dtype) for x in results]
    if any(x.dtype.hasobject for x in (*results, *(x._node.aval for x in tensors))):
        outputs = call_step(lambda *inp: nest.flatten(func(*inp)), tensors, avals, name)
    else:
        outputs = call_python(name, on_arrays, tensors, results, gradient)
    return _as_told(outputs, Tout)


def _as_list(name, result, Tout, exact=False):
    """The results as a list of tensors of the dtypes in Tout."""
    specs = list(Tout) if isinstance(Tout, list | tuple) else [] if Tout is None else [Tout]
    results = list(result) if isinstance(result, list | tuple) else [] if result is None else [result]
    if not exact:
        if not specs and result is not None and not isinstance(result, list | tuple):
            raise UnknownError(None, None, f"IndexError: {name}: the function returned a result, Tout is empty")
        for _, spec in [pair for pair in zip(results, specs, strict=False) if isinstance(pair[0], Variable)]:
            kind = InvalidArgumentError if isinstance(spec, TensorSpec) else UnknownError
            raise kind(
                None, None, f"RuntimeError: Attempting to return a variable from an eagerly executed {name}; return "
                "its value: variable.read_value()"
            )  # fmt: skip
    if not specs:
        return []
    try:
        if exact:
            tensors = [convert_to_tensor(np.asarray(r)) for r in results[: len(specs)]]
        else:
            tensors = [convert_to_tensor(r, dtype=dtype_in(t)) for r, t in zip(results, specs, strict=False)]
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(None, None, f"{type(error).__name__}: {error}") from error
    if len(tensors) < len(specs):
        raise InvalidArgumentError(
            None, None, f"{name}: the function returned {len(tensors)} results, Tout has {len(specs)}"
        )
    return tensors


def _as_told(tensors, Tout):
    """A list of results as a list, or as a single one or None, as `Tout` is."""
    return tensors if isinstance(Tout, list | tuple) else tensors[0] if tensors else None


def _results_as(name, result, Tout):
    if running_as_python.value:
        tensors = _as_list(name, result, Tout, exact=True)
        for tensor, spec in zip(tensors, Tout if isinstance(Tout, list | tuple) else [Tout], strict=False):
            _check_dtype(name, tensor, spec)
        return _as_told(tensors, Tout)
    if not isinstance(Tout, list | tuple):
        return None if result is None and Tout is None else _result_as(name, result, Tout)
    results = [] if result is None else result if isinstance(result, list | tuple) else [result]
    if len(results) != len(Tout):
        raise ValueError(f"{name}: the function returned {len(results)} results, Tout has {len(Tout)}")
    return [_result_as(name, r, t) for r, t in zip(results, Tout, strict=True)]


def _result_as(name, result, spec):
    tensor = convert_to_tensor(result, dtype_hint=dtype_in(spec))
    _check_dtype(name, tensor, spec)
    return tensor


def _check_dtype(name, tensor, spec):
    expected = dtype_in(spec)
    if tensor.dtype != expected:
        raise InvalidArgumentError(
            None, None, f"{name}: Tout is {expected.name}, the function returned {tensor.dtype.name}"
        )


def _shape(spec):
    shape = None if isinstance(spec, type) else getattr(spec, "shape", None)
    return shape if isinstance(shape, TensorShape) else None  # that of an `np.dtype` is ()

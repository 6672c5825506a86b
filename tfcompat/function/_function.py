"""`tf.function`: traces a Python function once for every signature and runs it as one operation."""
import functools
import inspect
import types

import numpy as np

from tfcompat import dtypes, engine, nest
from tfcompat._convert import to_node
from tfcompat._spec import TensorSpec
from tfcompat._tensor import Tensor, dtype_of, shape_of, wrap
from tfcompat._variable import Variable, function_trace
from tfcompat.errors import UnimplementedError
from tfcompat.function._trace import ConcreteOperation

_run_eagerly = False


def run_functions_eagerly(run_eagerly):
    """Makes `tf.function`s run as plain Python. TF: `tf.config.run_functions_eagerly`."""
    global _run_eagerly
    _run_eagerly = bool(run_eagerly)


def functions_run_eagerly():
    """Whether `tf.function`s run as plain Python. TF: `tf.config.functions_run_eagerly`."""
    return _run_eagerly


def function(func=None, input_signature=None, autograph=True, jit_compile=None, reduce_retracing=False,
             experimental_implements=None, experimental_autograph_options=None, experimental_attributes=None,
             experimental_relax_shapes=None, experimental_compile=None, experimental_follow_type_hints=None):  # fmt: skip
    """Compiles a Python function.

    Args:
      func: function of tensors, variables and Python values.
      input_signature: nest of TensorSpecs for the arguments; sizes may be unknown. Calls with other dtypes or
        shapes raise.
      autograph: accepted; Python control flow over tensors is not converted: use `tf.cond` and `tf.while_loop`.
      jit_compile: accepted; functions are always compiled by XLA.
      reduce_retracing: accepted; a function is traced for every shape it meets.
      experimental_implements, experimental_autograph_options, experimental_attributes: accepted, without effect on
        values.
      experimental_relax_shapes, experimental_compile, experimental_follow_type_hints: TF 1 names of the above.

    Returns:
      `Function`, or a decorator if `func` is not given.

    A function is traced for every signature: dtypes and shapes of tensors, values of Python arguments, identities of
    variables. Python side effects happen while it is traced only.
    TF: `tf.function`.
    """
    if input_signature is not None:
        input_signature = tuple(input_signature)

    def decorate(python_function):
        return Function(python_function, input_signature, autograph, jit_compile)

    return decorate if func is None else decorate(func)


class Function:
    """A compiled function; made by `tf.function`."""

    def __init__(self, python_function, input_signature=None, autograph=True, jit_compile=None):
        self._python_function = python_function
        self._input_signature = input_signature
        self._autograph, self._jit_compile = autograph, jit_compile
        self._concrete = {}
        self._traces = 0
        self._traced = []  # (args, kwargs) of each trace, with a TensorSpec for each tensor
        self._signature = _signature_of(python_function)
        functools.update_wrapper(self, python_function)

    python_function = property(lambda self: self._python_function, doc="The function that is traced.")
    input_signature = property(lambda self: self._input_signature, doc="The signature given, or None.")
    name = property(lambda self: getattr(self._python_function, "__name__", "function"))

    def __get__(self, instance, owner):
        if instance is None:
            return self
        # Kept by the instance, so that both are released together.
        kept = instance.__dict__.setdefault("_tf_functions", {})
        bound = kept.get(id(self))
        if bound is None:
            method = types.MethodType(self._python_function, instance)
            bound = kept[id(self)] = Function(method, self._input_signature, self._autograph, self._jit_compile)
        return bound

    def __call__(self, *args, **kwargs):
        if _run_eagerly:
            return self._python_function(*args, **kwargs)
        args, kwargs = self._with_defaults(args, kwargs)
        concrete, nodes = self._lookup(args, kwargs)
        return concrete.pack(concrete.call(nodes))

    def _with_defaults(self, args, kwargs):
        """Arguments in the order of the Python function's parameters, defaults filled in."""
        if self._signature is None:
            return args, kwargs
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: "
                            f"{kwargs} for signature: {self._signature}.") from None  # fmt: skip
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _lookup(self, args, kwargs):
        if self._input_signature is not None:
            args = self._against_signature(args, kwargs)
        flat = nest.flatten((args, kwargs), expand_composites=True)
        nodes, avals, statics = [], [], []
        for x in flat:
            if isinstance(x, Tensor | np.ndarray | np.generic):
                nodes.append(to_node(x))
                avals.append(nodes[-1].aval)
                statics.append(avals[-1])
            elif isinstance(x, TensorSpec):
                avals.append(engine.Aval(tuple(x.shape.as_list()), x.dtype.np))
                statics.append(avals[-1])
            elif isinstance(x, Variable):
                statics.append(x.ref())
            else:
                statics.append((type(x), _hashable(x)))
        key = (_structure_key((args, kwargs)), tuple(statics))
        concrete = self._concrete.get(key)
        if concrete is None:
            concrete = self._concrete[key] = self._trace(args, kwargs, flat, avals)
        return concrete, nodes

    def _trace(self, args, kwargs, flat, avals):
        self._traces += 1
        is_tensor = [isinstance(x, Tensor | np.ndarray | np.generic | TensorSpec) for x in flat]

        def filled(tensors):
            tensors = iter(tensors)
            packed = [next(tensors) if t else x for t, x in zip(is_tensor, flat, strict=True)]
            return nest.pack_sequence_as((args, kwargs), packed, expand_composites=True)

        self._traced.append(filled([TensorSpec(list(a.shape), dtypes.from_numpy(a.dtype)) for a in avals]))
        return ConcreteOperation(
            self._python_function, lambda t: filled(t)[0], lambda t: filled(t)[1], avals, self.name
        )

    def _signatures(self):
        """(args, kwargs) of the signatures under which the function is saved."""
        if self._input_signature is not None:
            return [(self._input_signature, {})]
        return [(a, k) for a, k in self._traced if not any(isinstance(x, Variable) for x in nest.flatten((a, k)))]

    def _against_signature(self, args, kwargs):
        """The arguments as tensors, checked against the input signature."""
        if kwargs:
            raise TypeError(f"tf.function {self.name} with an input_signature takes no keyword-only arguments")
        specs = nest.flatten(self._input_signature)
        values = nest.flatten(args)
        if len(values) != len(specs):
            raise TypeError(
                f"Binding inputs to tf.function failed: {self.name} takes {len(specs)} tensors by its input_signature, "
                f"got {len(values)}"
            )
        tensors = []
        for spec, value in zip(specs, values, strict=True):
            if not isinstance(spec, TensorSpec):
                raise UnimplementedError(
                    None, None, f"tf.function: an input_signature of {type(spec).__name__} is not available; use TensorSpec"
                )
            if isinstance(value, TensorSpec):
                tensors.append(value)
                continue
            if isinstance(value, Variable):
                value = value.read_value()
            node = to_node(value, hint=spec.dtype)
            if dtype_of(node) != spec.dtype or not spec.shape.is_compatible_with(shape_of(node)):
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `Can not cast TensorSpec(shape={shape_of(node)}, "
                    f"dtype={dtype_of(node)!r}, name=None) to {spec!r}`. Received args: {args} for signature: "
                    f"{self._input_signature}."
                )
            tensors.append(value if isinstance(value, Tensor) else wrap(node))
        return nest.pack_sequence_as(args, tensors)

    def get_concrete_function(self, *args, **kwargs):
        """The function traced for one signature, given as tensors or TensorSpecs with known shapes.

        TF: `tf.function.get_concrete_function`. Specs must be fully defined, or be the input_signature.
        """
        from tfcompat.function._concrete import ConcreteFunction

        if not args and not kwargs and self._input_signature is not None:
            args = self._input_signature
        return ConcreteFunction(self, args, kwargs)

    def experimental_get_tracing_count(self):
        """How many times the Python function has been traced."""
        return self._traces

    def __repr__(self):
        return f"<tfcompat.function.Function {self.name}>"


def _signature_of(python_function):
    try:
        return inspect.signature(python_function)
    except (TypeError, ValueError):
        return None


def _hashable(x):
    try:
        hash(x)
    except TypeError:
        return id(x)
    return x


def _structure_key(structure):
    """A hashable description of how a nest of arguments is nested."""
    if isinstance(structure, dict):
        return ("dict", *((k, _structure_key(structure[k])) for k in sorted(structure, key=repr)))
    if isinstance(structure, list | tuple):
        return (type(structure).__name__, *map(_structure_key, structure))
    return None


def executing_eagerly():
    """Whether operations run eagerly: False inside a function being traced. TF: `tf.executing_eagerly`."""
    return function_trace(engine.state.graph) is None


def inside_function():
    """Whether a function is being traced. TF: `tf.inside_function`."""
    return not executing_eagerly()

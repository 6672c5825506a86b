"""`ConcreteFunction`: a `tf.function` traced for one signature."""
import contextlib
from typing import Any

from tfcompat import engine, nest
from tfcompat._core import graphs
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import to_node, type_name
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor, dtype_of, wrap
from tfcompat._core.variable import Variable
from tfcompat._tracing.eagerly import needs_values
from tfcompat.errors import InvalidArgumentError
from tfcompat.function import _implementations, _tracing_types
from tfcompat.function._arguments import TENSORS, Arguments, is_same
from tfcompat.function._generic import skeleton
from tfcompat.function._signature_text import SignatureText, parameters_of, with_names
from tfcompat.function._trace import for_all_values, unique_names

_OF_GRAPHS = {"function_def", "inference_fn"}
graph_of: Any = None  # what makes a graph of a concrete function stands above this storey, which the package puts here


class ConcreteFunction(_tracing_types.ConcreteFunction):
    """A function traced for one signature; made by `tf.function.get_concrete_function`.

    With unknown ranks in the signature it is traced when it is called; with unknown sizes, where one trace for all of
    them is not possible.
    TF: `tf.types.experimental.ConcreteFunction`.
    """

    def __init__(self, function, args, kwargs):
        self._function = function
        values = args, kwargs
        args, kwargs = nest.map_structure(_spec_of, (args, kwargs), expand_composites=True)
        self._given = nest.map_structure(_shown, (args, kwargs))
        self._by_value = False
        self._args, self._kwargs = with_names(function._python_signature, args, kwargs)
        self._flat = nest.flatten((self._args, self._kwargs), expand_composites=True)
        self._concrete, self._generic = None, None
        graph = graphs.current()
        with contextlib.nullcontext() if graph is None else graphs.computing(graphs.upstairs.stand_ins(graph)):
            self._trace_for_specs(function, values)

    def _trace_for_specs(self, function, values):
        shapes = [x.shape for x in self._flat if isinstance(x, TensorSpec)]
        if all(shape.is_fully_defined() for shape in shapes):
            arguments = Arguments(self._args, self._kwargs)
            try:
                self._concrete = function._concrete_for(arguments)
            except Exception as error:
                if not needs_values(error):
                    raise
                by_value = Arguments(*values, integers_by_value=True)
                if by_value.has_integers:
                    self._concrete, self._by_value = function._concrete_for(by_value), True
                else:
                    self._concrete = for_all_values(function._concrete_for, arguments, error)
        elif all(shape.rank is not None for shape in shapes):
            self._generic = function._generic_of_specs(Arguments(self._args, self._kwargs))
            self._concrete = self._generic and self._generic.concrete

    def is_like(self, other):
        """Whether `other` is of the same trace, and of specs only that are the same."""
        mine, its = (x._concrete or x._generic for x in (self, other))
        return mine is its is not None and all(isinstance(x, TensorSpec) for x in self._flat) and (
            self._flat == other._flat
        )

    @property
    def structured_outputs(self):
        """The result with a TensorSpec for each tensor, and composites of symbolic tensors.

        None if a rank is unknown, or its sizes cannot be told.
        """
        return None if self._concrete is None else self._concrete.structured_outputs()

    def _output_specs(self):
        """The result with a spec for each tensor and composite; None as for `structured_outputs`."""
        return None if self._concrete is None else self._concrete.specs()

    @property
    def structured_input_signature(self):
        """(args, kwargs) with a TensorSpec for each tensor."""
        args, kwargs = nest.map_structure(_shown, (self._args, self._kwargs))
        return with_names(self._python_signature, args, kwargs)

    def _text(self):
        outputs = (self._output_specs(),) if self._concrete is not None else None
        captures = () if self._concrete is None else self._concrete.capture_texts()
        signature = self._python_signature
        return SignatureText(signature, *self._given, outputs, captures)

    def pretty_printed_signature(self, verbose=True):
        """The signature as text: of several lines, or of one if `verbose` is False."""
        return self._text().long() if verbose else self._text().short()

    @property
    def captured_inputs(self):
        """The variables and tensors from outside that the function uses."""
        captures = [] if self._concrete is None else self._concrete.captures
        tensors = [wrap(node) for node in captures if node.graph is not engine.SHARED]
        return [*(v.handle for v in self.variables), *tensors]

    @property
    def inputs(self):
        """A TensorSpec for each tensor among the arguments, and then for each of `captured_inputs`."""
        specs = [x for x in self._flat if isinstance(x, TensorSpec)]
        names = [f"{name}:0" for name in unique_names([x.name or "" for x in specs])]
        specs_of_arguments = [TensorSpec(x.shape, x.dtype, name) for x, name in zip(specs, names, strict=True)]
        return specs_of_arguments + self._specs_of_captures()

    @property
    def outputs(self):
        """A TensorSpec for each tensor in the result; none if a rank is unknown, or sizes cannot be told."""
        return output_specs(self._output_specs())

    @property
    def function_type(self):
        """The parameters and the result with their types, an `inspect.Signature`."""
        args, kwargs = self._given
        rows = parameters_of(self._python_signature, args, kwargs)
        return _tracing_types.FunctionType.of(rows, self._output_specs(), self.pretty_printed_signature(False))

    @property
    def graph(self):
        """The function as a graph of TensorFlow's operations, for looking at.

        Raises:
          tf.errors.UnimplementedError: TensorFlow has no operations for it.
        """
        return graph_of(self)

    def __getattr__(self, name):
        if name in _OF_GRAPHS:
            raise AttributeError(
                f"ConcreteFunction.{name} is not available in tfcompat: use `graph.as_graph_def()`, "
                "`experimental_get_compiler_ir` of a tf.function with jit_compile=True, or tfcompat.to_jax and "
                "jax.make_jaxpr",
                name=name, obj=self,
            )  # fmt: skip
        raise AttributeError(f"'ConcreteFunction' object has no attribute {name!r}", name=name, obj=self)

    _python_signature = property(lambda self: self._function._python_signature)
    python_function = property(lambda self: self._function.python_function, doc="The function that was traced.")
    name = property(lambda self: self._function.name, doc="The name of the Python function.")

    @property
    def variables(self):
        """The variables that the function reads, except for its arguments."""
        variables = self._concrete.variables if self._concrete else ()
        return tuple(v for v in variables if isinstance(v, Variable))

    def add_to_graph(self, g=None, overwrite=False):
        """Offers an implementation for one device (`experimental_attributes`); other functions need not be added."""
        _implementations.offer(getattr(self._function, "_attributes", None), self._concrete)

    def add_gradient_functions_to_graph(self, g=None):
        """Does nothing: gradients are derived from the traced operation."""

    def __call__(self, *args, **kwargs):
        args, kwargs = self._complete(args, kwargs)
        if graphs.current() is not None:
            return self._function(*args, **kwargs)
        tensors = []
        values = nest.flatten((args, kwargs), expand_composites=True)
        for i, (value, spec) in enumerate(zip(values, self._flat, strict=True)):
            if not isinstance(spec, TensorSpec | Tensor | Variable) and not is_same(value, spec):
                raise self._function._parameters.failed(f"Can not cast {value} to Literal[{spec!r}]", args, kwargs)
            if isinstance(spec, TensorSpec | Tensor):
                node = to_node(value, hint=spec.dtype)
                if dtype_of(node) is not spec.dtype:
                    raise InvalidArgumentError(
                        None, None,
                        f"cannot compute {self.name} as input #{i}(zero-based) was expected to be a "
                        f"{type_name(spec.dtype)} tensor but is a {type_name(dtype_of(node))} tensor [Op:{self.name}]",
                    )  # fmt: skip
                value = wrap(node)
            tensors.append(value)
        args, kwargs = nest.pack_sequence_as((args, kwargs), tensors, expand_composites=True)
        arguments = Arguments(args, kwargs, integers_by_value=self._by_value)
        if self._generic is not None and self._generic.accepts(skeleton(arguments), arguments):
            return self._generic.concrete(arguments.nodes, arguments.variables)
        try:
            concrete = self._function._concrete_for(arguments)
        except Exception as error:
            if not needs_values(error) or engine.state.graph.symbolic:
                raise
            return self._function(*args, **kwargs)
        return concrete(arguments.nodes, arguments.variables)

    def _complete(self, args, kwargs):
        """The arguments in the form of the traced function. Python values may be left out."""
        structure = self._args, self._kwargs
        flat = nest.flatten((args, kwargs), expand_composites=True)
        if not kwargs and len(flat) == sum(map(_is_tensor, self._flat)) < len(self._flat):
            tensors = iter(flat)
            filled = [next(tensors) if _is_tensor(x) else x for x in self._flat]
            return nest.pack_sequence_as(structure, filled, expand_composites=True)
        specs = [x for x in self._flat if isinstance(x, TensorSpec)]
        by_name = {x.name for x in specs[len(args) :]}
        if len(by_name) == len(specs) - len(args) and kwargs.keys() == by_name:
            # As TF's flat signature: tensors in order, then by the names of their specs.
            tensors = iter([*args, *(kwargs[x.name] for x in specs[len(args) :])])
            filled = [next(tensors) if isinstance(x, TensorSpec) else x for x in self._flat]
            return nest.pack_sequence_as(structure, filled, expand_composites=True)
        parameters = self._function._parameters
        try:
            args, kwargs = self._filled(parameters.signature, args, kwargs)
            nest.assert_same_structure(structure, (args, kwargs), check_types=False, expand_composites=True)
        except (TypeError, ValueError) as error:
            raise parameters.failed(error, args, kwargs) from None
        return args, kwargs

    def _filled(self, signature, args, kwargs):
        if signature is None:
            return args, kwargs
        traced = signature.bind(*self._args, **self._kwargs).arguments
        bound = signature.bind_partial(*args, **kwargs)
        called_with, bound.arguments = bound.arguments, dict(traced)
        for name, value in traced.items():
            takes_tensors = any(map(_is_tensor, nest.flatten(value, expand_composites=True)))
            if name in called_with:
                if not takes_tensors and not is_same(called_with[name], value):
                    raise TypeError(f"Can not cast {called_with[name]} to Literal[{value}]")
                bound.arguments[name] = called_with[name]
            elif takes_tensors:
                raise TypeError(f"missing a required argument: '{name}'")
        return bound.args, bound.kwargs

    def _signatures(self):
        return [(self._args, self._kwargs)]

    def _trace(self, arguments):
        return self._function._trace(arguments)


def output_specs(structured):
    """TensorSpecs of the tensors in a result, with the names that TF's graphs give them."""
    specs = [x for x in nest.flatten(structured, expand_composites=True) if isinstance(x, TensorSpec)]
    return [TensorSpec(x.shape, x.dtype, f"Identity_{i}:0" if i else "Identity:0") for i, x in enumerate(specs)]


def _is_tensor(spec):
    """Whether an argument is a tensor."""
    return isinstance(spec, TensorSpec | Tensor)


def _shown(spec):
    if isinstance(spec, CompositeTensor):
        return spec._type_spec
    return TensorSpec(spec.shape, spec.dtype) if isinstance(spec, Tensor) else spec


def _spec_of(x):
    if isinstance(x, TENSORS) and not isinstance(x, Tensor):
        x = wrap(to_node(x))
    return TensorSpec(x.shape, x.dtype) if isinstance(x, Tensor) else x

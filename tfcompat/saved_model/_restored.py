"""What loading returns: modules without their Python code, and functions that take the signatures that were saved."""

import itertools
from typing import Any

from tfcompat import dtypes, nest
from tfcompat._core import graphs
from tfcompat._core.convert import to_node
from tfcompat._core.module import Module
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.tensor import Tensor, dtype_of, shape_of, wrap
from tfcompat._core.variable import Variable
from tfcompat.function import _tracing_types
from tfcompat.function._concrete import output_specs
from tfcompat.function._signature_text import SignatureText, parameters_of, with_names
from tfcompat.function._trace import ConcreteOperation
from tfcompat.random._seed import global_seed


class UserObject(Module):
    """A loaded module: its variables, submodules and functions, without its Python code."""


class CallableUserObject(UserObject):
    def __call__(self, *args, **kwargs):
        return vars(self)["__call__"](*args, **kwargs)


class Concrete:
    """One signature of a restored function.

    A subclass has `call`, a function of the nodes of the tensors, and `result`, the result with TensorSpecs in place of
    tensors.

    Attributes:
      args, kwargs: with TensorSpecs in place of tensors.
      variables: what it reads.
      constants: nodes of other tensors that it takes from outside.
    """

    args: Any
    kwargs: Any
    result: Any
    call: Any
    variables: Any = ()
    constants: Any = ()

    def match(self, args, kwargs, may_convert=True):
        """The nodes of the tensors if the arguments fit this signature, else None.

        Args:
          args, kwargs: of the call.
          may_convert: whether numbers, arrays and lists of them are taken for tensors.
        """
        try:
            values = _up_to((self.args, self.kwargs), (args, kwargs))
        except (LookupError, TypeError, ValueError):
            return None
        nodes = []
        specs = nest.flatten((self.args, self.kwargs), expand_composites=True)
        tensors = [x for x, spec in zip(values, specs, strict=True) if isinstance(spec, TensorSpec)]
        if not may_convert and not all(isinstance(x, Tensor | Variable | TensorSpec) for x in tensors):
            return None
        for value, spec in zip(values, specs, strict=True):
            if not isinstance(spec, TensorSpec):
                if type(value) is not type(spec) or value != spec:
                    return None
                continue
            if isinstance(value, TensorSpec):  # in get_concrete_function
                if value.dtype != spec.dtype or not value.shape.is_subtype_of(spec.shape):
                    return None
                continue
            try:
                node = to_node(value, hint=spec.dtype)
            except (TypeError, ValueError):
                return None
            if dtype_of(node) != spec.dtype or not spec.shape.is_compatible_with(shape_of(node)):
                return None
            nodes.append(node)
        return nodes


def _up_to(structure, value):
    """The parts of `value` in the places of the leaves of `structure`.

    Raises:
      KeyError, TypeError, ValueError: it is not made so.
    """
    if isinstance(structure, TypeSpec) and not isinstance(structure, TensorSpec):
        if not structure.is_compatible_with(value):
            raise TypeError("another type")
        return nest.flatten(value, expand_composites=True)
    if not nest.is_nested(structure):
        return [value]
    if isinstance(structure, dict):
        if structure.keys() != value.keys():
            raise ValueError("other keys")
        pairs = [(structure[k], value[k]) for k in sorted(structure)]
    else:
        if not isinstance(value, list | tuple):
            raise TypeError("no list")
        pairs = list(zip(structure, value, strict=True))
    return [leaf for pair in pairs for leaf in _up_to(*pair)]



class RestoredFunction(_tracing_types.PolymorphicFunction):
    """A function of a loaded model, which takes the saved signatures."""

    function_type: Any = None

    def __init__(self, name, signature):
        self.name = self.__name__ = name
        self.function_type = self._python_signature = signature
        self.input_signature = None
        self._concrete = []
        if signature is not None:
            self.__signature__ = signature  # for `inspect`: callers look for `training`

    def __call__(self, *args, **kwargs):
        args, kwargs = self._bound(args, kwargs)
        for may_convert in (False, True):
            for concrete in self._concrete:
                nodes = self._match(concrete, args, kwargs, may_convert)
                if nodes is not None:
                    return concrete.call(nodes)
        return self._no_match(args, kwargs)

    def _no_match(self, args, kwargs):
        if not self._concrete:
            raise ValueError(
                f"Found zero restored functions for {self.name}: it had no input_signature and had not been called "
                "when it was saved."
            )
        options = "\n".join(f"  {c.args}, {c.kwargs}" for c in self._concrete)
        raise ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
            f"  {args}, {kwargs}\nExpected these arguments to match one of the following "
            f"{len(self._concrete)} option(s):\n{options}"
        )

    @property
    def concrete_functions(self):
        """The function for each of the signatures that were saved."""
        return [RestoredConcreteFunction(self, concrete) for concrete in self._concrete]

    def get_concrete_function(self, *args, **kwargs):
        """The function for one of the signatures that were saved.

        Args:
          *args, **kwargs: tensors, TensorSpecs or Python values.

        Raises:
          ValueError: no signature fits.
        """
        args, kwargs = self._bound(args, kwargs)
        return next(
            (RestoredConcreteFunction(self, c) for c in self._concrete if self._match(c, args, kwargs) is not None),
            None,
        ) or self._no_match(args, kwargs)

    def experimental_get_tracing_count(self):
        """How many signatures were saved."""
        return len(self._concrete)

    def pretty_printed_concrete_signatures(self, verbose=True):
        """The signatures as text: of several lines each, or of one if `verbose` is False."""
        return ("\n\n" if verbose else "\n").join(
            c.pretty_printed_signature(verbose) for c in self.concrete_functions
        )

    def _bound(self, args, kwargs):
        if self.function_type is None:
            return args, kwargs
        bound = self.function_type.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _match(self, concrete, args, kwargs, may_convert=True):
        """As `concrete.match`; the signature may leave out parameters that have their defaults in the call."""
        if self.function_type is not None:
            parameters = self.function_type.parameters
            argument_count = len(concrete.args)
            left_out = [*parameters.values()][argument_count : len(args)]
            if len(left_out) == len(args) - argument_count and all(map(_is_default, left_out, args[argument_count:])):
                args = args[:argument_count]
            kwargs = {
                name: value for name, value in kwargs.items()
                if name in concrete.kwargs or name not in parameters or not _is_default(parameters[name], value)
            }  # fmt: skip
        return concrete.match(args, kwargs, may_convert)

    # --- what saving it again needs ---------------------------------------------------------------------------

    def _signatures(self):
        return [(c.args, c.kwargs) for c in self._concrete]

    def _trace(self, arguments):
        return ConcreteOperation(self, arguments, self.name)

    def __repr__(self):
        return f"<tfcompat.saved_model.RestoredFunction {self.name}>"


def _is_default(parameter, value):
    default = parameter.default
    return value is default or type(value) is type(default) and not hasattr(value, "shape") and value == default


class SignatureMap(dict):
    def __repr__(self):
        return f"SignatureMap({dict(self)!r})"


class RestoredGraph:
    """What is known of the graph of a loaded function: its name, and the seed of the graph in which it was loaded.

    Raises:
      AttributeError: anything else is asked for.
    """

    def __init__(self, name):
        graph = graphs.current()
        self.name, self.seed = name, global_seed() if graph is None else graph.seed

    def __getattr__(self, name):
        raise AttributeError(
            f"graph.{name} of a function of a loaded model is not available in tfcompat: use "
            "tf.compat.v1.saved_model.load in a tf.Graph",
            name=name, obj=self,
        )  # fmt: skip


class RestoredConcreteFunction(_tracing_types.ConcreteFunction):
    """A function of a loaded model for one of its signatures. TF: `tf.types.experimental.ConcreteFunction`."""

    def __init__(self, function, concrete):
        self._function, self._concrete = function, concrete
        self.graph = RestoredGraph(function.name)

    name = property(lambda self: self._function.name, doc="The name of the Python function that was saved.")

    @property
    def variables(self):
        """The variables that the function reads."""
        return self._concrete.variables

    @property
    def structured_input_signature(self):
        """(args, kwargs) with a TensorSpec for each tensor."""
        return with_names(self._function.function_type, self._concrete.args, self._concrete.kwargs)

    @property
    def structured_outputs(self):
        """The result, with a TensorSpec for each tensor."""
        return self._concrete.result

    def _output_specs(self):
        return self.structured_outputs

    @property
    def captured_inputs(self):
        """The variables and tensors that the function reads."""
        return [*self.variables, *map(wrap, self._concrete.constants)]

    @property
    def inputs(self):
        """A TensorSpec for each tensor among the arguments, and then for each of `captured_inputs`."""
        leaves = nest.flatten(self.structured_input_signature, expand_composites=True)
        specs = [x for x in leaves if isinstance(x, TensorSpec)]
        return [TensorSpec(x.shape, x.dtype, f"{x.name}:0") for x in specs] + self._specs_of_captures()

    @property
    def outputs(self):
        """A TensorSpec for each tensor in the result."""
        return output_specs(self.structured_outputs)

    def _rows(self):
        return parameters_of(self._function.function_type, self._concrete.args, self._concrete.kwargs)

    @property
    def function_type(self):
        """The parameters and the result with their types, an `inspect.Signature`."""
        return _tracing_types.FunctionType.of(
            self._rows(), self.structured_outputs, self.pretty_printed_signature(False)
        )

    def pretty_printed_signature(self, verbose=True):
        """The signature as text: of several lines, or of one if `verbose` is False."""
        captures = [(id(v), repr(TensorSpec([], dtypes.resource))) for v in self.variables]
        text = SignatureText(None, (), {}, (self.structured_outputs,), captures, list(self._rows()))
        return text.long() if verbose else text.short()

    def __call__(self, *args, **kwargs):
        args, kwargs = self._function._bound(args, kwargs)
        nodes = self._function._match(self._concrete, args, kwargs)
        return self._function._no_match(args, kwargs) if nodes is None else self._concrete.call(nodes)


class Signature(RestoredConcreteFunction):
    """An entry of `loaded.signatures`: takes tensors by name, returns a dict of tensors."""

    def __init__(self, function):
        super().__init__(function, function._concrete[0])

    @property
    def structured_outputs(self):
        """TensorSpecs of the results by name."""
        specs = named_results(self._concrete.result)
        return {k: TensorSpec(x.shape, x.dtype, k) if isinstance(x, TensorSpec) else x for k, x in specs.items()}

    @property
    def structured_input_signature(self):
        """((), TensorSpecs of the arguments by name): that of the spec or of its parameter, with a number if taken."""
        args, kwargs = self._concrete.args, self._concrete.kwargs
        names = names_of_inputs(self._function.function_type, args, kwargs)
        leaves = nest.flatten(_in_order(args, kwargs), expand_composites=True)
        specs = [spec for spec in leaves if isinstance(spec, TensorSpec)]
        return (), {name: TensorSpec(s.shape, s.dtype, name) for name, s in zip(names, specs, strict=True)}

    def _rows(self):
        return [(name, "KEYWORD_ONLY", spec) for name, spec in self.structured_input_signature[1].items()]

    def __call__(self, *args, **kwargs):
        names = list(self.structured_input_signature[1])
        given = dict(zip(names, args, strict=False), **kwargs)
        missing = [name for name in names if name not in given]
        strange = [name for name in kwargs if name not in names]
        if missing or strange or len(args) > len(names):
            problem = (
                f"missing a required argument: '{missing[0]}'" if missing
                else f"got an unexpected keyword argument '{strange[0]}'" if strange
                else "too many positional arguments"
            )  # fmt: skip
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{problem}`. Received args: {args} and kwargs: {kwargs} "
                f"for signature: {self.pretty_printed_signature(False)}."
            )
        filled = iter([given[name] for name in names])
        flat = [
            next(filled) if isinstance(x, TensorSpec) else x
            for x in nest.flatten((self._concrete.args, self._concrete.kwargs), expand_composites=True)
        ]
        args, kwargs = nest.pack_sequence_as(
            (self._concrete.args, self._concrete.kwargs), flat, expand_composites=True
        )
        return named_results(self._function(*args, **kwargs))


def _in_order(args, kwargs):
    """Arguments in the order of `nest.flatten`, which calls rely on."""
    return [*args, *(kwargs[name] for name in sorted(kwargs))]


def names_of_inputs(python_signature, args, kwargs):
    """The names by which a signature takes its tensors: those of specs or parameters, with a number if taken.

    A composite tensor is taken as the tensors that it consists of.
    """
    parameters = {id(value): name for name, _, value in parameters_of(python_signature, args, kwargs)}
    names: dict = {}
    for value in _in_order(args, kwargs):
        for spec in nest.flatten(value, expand_composites=True):
            if isinstance(spec, TensorSpec):
                name = unique = spec.name or parameters[id(value)]
                for number in itertools.count(1):
                    if unique not in names:
                        break
                    unique = f"{name}_{number}"
                names[unique] = None
    return list(names)


def named_results(result):
    """The results of a signature by name."""
    if isinstance(result, dict):
        return result
    return {f"output_{i}": x for i, x in enumerate(nest.flatten(result))}

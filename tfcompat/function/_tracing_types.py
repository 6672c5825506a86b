"""The types of functions, for `isinstance`; and types of arguments, which say when a function is traced anew."""

import abc
import inspect
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tfcompat import dtypes, nest
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat.errors import UnimplementedError


class Callable(abc.ABC):
    """What `tf.function` or `tf.saved_model.load` makes to be called. TF: `tf.types.experimental.Callable`."""

    @property
    @abc.abstractmethod
    def function_type(self):
        """The parameters."""


class PolymorphicFunction(Callable):
    """A `tf.function`, or a function of a loaded model. TF: `tf.types.experimental.PolymorphicFunction`."""


class ConcreteFunction(Callable):
    """A function for one signature. TF: `tf.types.experimental.ConcreteFunction`."""

    variables: Any
    captured_inputs: Any
    structured_outputs: Any
    pretty_printed_signature: Any
    _output_specs: Any  # method: the result with a spec for each tensor and composite

    @property
    def trainable_variables(self):
        """The trainable variables that the function reads."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def output_shapes(self):
        """The result, with a TensorShape for each tensor."""
        return _of_tensors(
            lambda x: TensorShape(None) if x is None else x.shape, self.structured_outputs, self._output_specs()
        )

    @property
    def output_dtypes(self):
        """The result, with a DType for each tensor."""
        return _of_tensors(lambda x: None if x is None else x.dtype, self.structured_outputs, self._output_specs())

    def _specs_of_captures(self):
        """A TensorSpec for each of `captured_inputs`."""
        return [
            TensorSpec([], dtypes.resource, x.name) if isinstance(x, Variable) else TensorSpec(x.shape, x.dtype)
            for x in self.captured_inputs
        ]

    def __str__(self):
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self):
        return f"<ConcreteFunction {self.pretty_printed_signature(verbose=False)} at 0x{id(self):X}>"


def _of_tensors(function, outputs, specs):
    """`function` of each tensor, or its spec, in the form of `outputs` with composites taken apart."""

    def of(x, spec):
        if spec is None or not isinstance(spec, TypeSpec) or isinstance(spec, TensorSpec):
            return function(x)
        parts = spec._component_specs if x is spec else spec._to_components(x)
        return nest.map_structure(lambda part: of(part, getattr(part, "_type_spec", part)), parts)

    return nest.map_structure(of, outputs, specs)


class AtomicFunction(Callable):
    """No object is one, because functions are compiled whole. TF: `tf.types.experimental.AtomicFunction`."""


class FunctionType(inspect.Signature):
    """The parameters of a function, annotated with their types where it is traced.

    `output` is its result with a TensorSpec for each tensor, None where that is not known.
    TF: `tf.types.experimental.FunctionType`.
    """

    __slots__ = ("output", "_text")

    output: Any
    _text: Any

    @classmethod
    def of(cls, parameters, output, text):
        """The type of a trace.

        Args:
          parameters: (name, name of the kind, spec or value) of each.
          output: the result.
          text: how it is printed.
        """
        made = [inspect.Parameter(name, getattr(inspect.Parameter, kind), annotation=value)
                for name, kind, value in parameters]  # fmt: skip
        made.sort(key=lambda p: p.kind)
        function_type = cls(made, return_annotation=output)
        function_type.output, function_type._text = output, text
        return function_type

    def __str__(self):
        return self._text

    __repr__ = __str__


class _TensorLike(abc.ABCMeta):
    def __instancecheck__(cls, x):
        if isinstance(x, list | tuple):
            return all(isinstance(item, cls) for item in x)
        plain = bool | int | float | complex | str | bytes | np.ndarray | np.generic
        return isinstance(x, plain | Tensor | Variable) or hasattr(type(x), "_type_spec")


class TensorLike(metaclass=_TensorLike):
    """What can be passed as a tensor: tensors, variables, composites, numbers, text, arrays and lists of these.

    TF: `tf.types.experimental.TensorLike`.
    """


class TraceType(abc.ABC):
    """The type of an argument of a `tf.function`: arguments of equal types, and of subtypes, share a trace.

    A class of one's own makes one in `__tf_tracing_type__(context)`. It must be hashable and tell equality, and give
    the value that the function is traced with. Values that hold tensors are refused: give these one by one, or in a
    nest.
    TF: `tf.types.experimental.TraceType`.
    """

    @abc.abstractmethod
    def is_subtype_of(self, other):
        """Whether values of this type can be given where `other` was traced."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others):
        """The type of which this and `others` are subtypes, or None."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context):
        """The value with which the function is traced."""

    @abc.abstractmethod
    def __hash__(self):
        """Hash, equal for equal types."""

    @abc.abstractmethod
    def __eq__(self, other):
        """Whether both are the same type."""

    def cast(self, value, cast_context):
        """`value`, which must be of this type."""
        return value

    def to_tensors(self, value):
        """The tensors of a value: none."""
        return []

    def from_tensors(self, tensors):
        """The value made of `to_tensors`."""
        return self.placeholder_value(None)

    def flatten(self):
        """TensorSpecs of `to_tensors`: none."""
        return []


TraceType.register(TypeSpec)


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """What has a method `__tf_tracing_type__(context)`. TF: `tf.types.experimental.SupportsTracingProtocol`."""

    def __tf_tracing_type__(self, context):
        """The TraceType of the object."""


def tracing_type(x):
    """The TraceType of `x`, or None.

    Raises:
      tf.errors.UnimplementedError: values of the type hold tensors.
    """
    tell = getattr(type(x), "__tf_tracing_type__", None)
    if tell is None:
        return None
    trace_type = tell(x, None)
    if trace_type.flatten():
        raise UnimplementedError(
            None, None,
            f"tf.function: the type {trace_type!r} of an argument holds tensors; give these as arguments of their own",
        )  # fmt: skip
    return trace_type

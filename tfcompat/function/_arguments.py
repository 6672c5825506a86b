"""Arguments of a `tf.function`: they are bound, checked against an input signature, and told apart by signature."""
import inspect
import weakref

import jax
import numpy as np

from tfcompat import dtypes, engine, nest
from tfcompat._core.convert import to_node
from tfcompat._core.extension_type.types import is_extension
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.symbolic_sizes import known_or_none
from tfcompat._core.tensor import Tensor, dtype_of, shape_of, wrap
from tfcompat._core.variable import Variable
from tfcompat.function._tracing_types import TraceType, tracing_type

# What a traced function takes as tensors. All else but variables is a Python value, fixed when it is traced.
TENSORS = (Tensor, np.ndarray, np.generic, jax.Array)
_NUMBERS = frozenset({bool, int, float, complex})


class Parameters:
    """The parameters of a Python function, and the specs that an input signature gives them."""

    def __init__(self, python_function, input_signature):
        self.name = getattr(python_function, "__name__", "function")
        try:
            self.signature = inspect.signature(python_function)
        except (TypeError, ValueError):
            self.signature = None
        self.specs = None if input_signature is None else self._assigned(input_signature)

    def _assigned(self, input_signature):
        """Specs by name of parameter; a tuple of specs for `*args`.

        Raises:
          TypeError: the signature is longer than the parameters, or leaves out one without a default.
        """
        specs, rest = {}, list(input_signature)
        if self.signature is None:
            raise TypeError(f"input_signature: the parameters of {self.name} are not known")
        for p in self.signature.parameters.values():
            if p.kind is p.VAR_POSITIONAL:
                specs[p.name], rest = tuple(rest), []
            elif p.kind is p.KEYWORD_ONLY and p.default is p.empty:
                raise TypeError(
                    f"Since input_signature is defined, keyword-only parameter `{p.name}` must have a default value"
                )
            elif p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
                if rest:
                    specs[p.name] = rest.pop(0)
                elif p.default is p.empty:
                    raise TypeError(f"input_signature missing type constraint for {p.name}")
        if rest:
            raise TypeError(
                f"{self.name} takes {len(specs)} arguments, its input_signature has {len(input_signature)} entries"
            )
        return specs

    def bind(self, args, kwargs):
        """(args, kwargs) in the order of the parameters, with defaults; checked and converted by the specs."""
        if self.signature is None:
            return args, kwargs
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self.failed(error, args, kwargs) from None
        if self.specs is not None:
            try:
                self._convert(bound.arguments)
            except TypeError as error:
                raise self.failed(error, args, kwargs) from None
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def failed(self, error, args, kwargs):
        """The TypeError for arguments that do not match."""
        return TypeError(
            f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: {kwargs} for "
            f"signature: {self.signature}."
        )

    def _convert(self, arguments):
        for name, value in arguments.items():
            spec = self.specs.get(name)
            if spec is not None:
                arguments[name] = converted(value, spec)
                continue
            default = self.signature.parameters[name].default
            if not is_same(value, default):
                raise TypeError(f"Can not cast {value} to Literal[{default}]")


def check_unchanged(python_function, before, after):
    """Checks that a function has not changed the lists and dicts among its arguments.

    Args:
      python_function: the function.
      before, after: (args, kwargs); `before` has lists and dicts of its own.

    Raises:
      ValueError: it has not.
    """
    if not _differ(before, after):
        return
    signature = inspect.signature(python_function)
    old, new = (signature.bind(*args, **kwargs).arguments for args, kwargs in (before, after))
    name = getattr(python_function, "__qualname__", getattr(python_function, "__name__", python_function))
    raise ValueError(
        f"{name}{signature} should not modify its Python input arguments. Modifying a copy is allowed. The following "
        f"parameter(s) were modified: {', '.join(p for p in new if _differ(old[p], new[p]))}"
    )


def _differ(one, other):
    try:
        nest.assert_same_structure(one, other)
    except (TypeError, ValueError):
        return True
    return any(a is not b for a, b in zip(nest.flatten(one), nest.flatten(other), strict=True))


def is_same(value, default):
    """Whether a Python value equals the one that a function was traced with."""
    if value is default:
        return True
    told = tracing_type(value)
    if told is not None and type(value) is type(default):
        return told == tracing_type(default) or told.is_subtype_of(tracing_type(default))
    alike = type(value) is type(default) or {type(value), type(default)} <= _NUMBERS
    return alike and not isinstance(value, TENSORS) and value == default


def check_input_signature(input_signature):
    """The signature as a tuple.

    Raises:
      TypeError: it is no list or tuple, or holds something that is no TensorSpec.
    """
    if not isinstance(input_signature, list | tuple):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(input_signature)}.")
    wrong = [x for x in nest.flatten(input_signature, expand_composites=True) if not isinstance(x, TensorSpec)]
    if wrong:
        raise TypeError(
            f"input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args {wrong} with "
            f"types {list(map(type, wrong))}."
        )
    return tuple(input_signature)


def converted(value, spec):
    """The nest `value` with each leaf as a tensor that fits the spec in its place.

    Raises:
      TypeError: another structure, or a leaf that does not fit.
    """
    if isinstance(spec, TensorSpec):
        return _fitting(value, spec)
    if isinstance(spec, dict) and isinstance(value, dict) and spec.keys() == value.keys():
        return type(value)((k, converted(x, spec[k])) for k, x in value.items())
    if isinstance(spec, list | tuple) and isinstance(value, list | tuple) and len(spec) == len(value):
        items = [converted(x, s) for x, s in zip(value, spec, strict=True)]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if is_extension(spec) and isinstance(value, spec.value_type):
        # As in TF, fields that are no tensors are those of the spec.
        components = converted(spec._to_components(value), spec._component_specs)
        return spec._from_components(components)
    if isinstance(spec, TypeSpec) and spec.is_compatible_with(value):
        return value
    raise TypeError(f"Can not cast {value} to {spec}")


def _fitting(value, spec):
    if isinstance(value, TensorSpec):
        node_shape, node_dtype, tensor = value.shape, value.dtype, value
    else:
        if isinstance(value, Variable):
            value = value.read_value()
        try:
            node = to_node(value, hint=spec.dtype)
        except ValueError as error:
            raise TypeError(str(error)) from None
        node_shape, node_dtype = shape_of(node), dtype_of(node)
        tensor = value if isinstance(value, Tensor) else wrap(node)
    if node_dtype != spec.dtype or not spec.shape.is_compatible_with(node_shape):
        raise TypeError(f"Can not cast TensorSpec(shape={node_shape}, dtype={node_dtype!r}, name=None) to {spec!r}")
    return tensor


class Arguments:
    """The leaves of bound arguments, sorted into tensors, variables and Python values.

    `key` tells signatures apart: dtypes and shapes of tensors and variables, values of Python arguments.
    `nodes` are those of the tensors; a TensorSpec in place of a tensor has no node but an aval: of the sizes in
    `shapes`, if these are given for all specs. With `integers_by_value` small integer tensors whose values are known
    count as Python values: they may be shapes.
    """

    def __init__(self, args, kwargs, shapes=None, integers_by_value=False):
        self._by_value = integers_by_value
        self.has_integers = False  # which could be taken by value
        self._shapes = None if shapes is None else iter(shapes)
        self.structure = (args, kwargs)
        self.leaves = nest.flatten(self.structure)
        slices = [x for x in self.leaves if isinstance(x, IndexedSlices)]
        # The shape of a composite is part of its type.
        self._fixed = {id(x.dense_shape) for x in slices}
        self.composites = [x for x in self.leaves if hasattr(type(x), "_type_spec") or _is_composite_spec(x)]
        if self.composites:
            self.leaves = nest.flatten(self.structure, expand_composites=True)
        self.nodes, self.avals, self.variables = [], [], []
        self.is_tensor = []
        self._placeholders = {}  # place among the leaves -> the placeholder, in a trace, of an object with a trace type
        self.key = (_structure_key(args), _structure_key(kwargs), *map(self._key_of, self.leaves))

    def _key_of(self, x):
        if isinstance(x, TENSORS):
            node = to_node(x)
            aval = node.aval
            if id(x) in self._fixed and node.value is not None:
                self.is_tensor.append(False)
                return aval, tuple(np.asarray(node.value).ravel().tolist())
            if aval.host and aval.dtype.kind in "iu" and node.value is not None and not aval.traced:
                self.has_integers = True
                if self._by_value:
                    self.is_tensor.append(False)
                    return aval, tuple(np.asarray(node.value).ravel().tolist())
            self.nodes.append(node)
            return self._tensor(engine.Aval(aval.shape, aval.dtype) if aval.traced else aval)
        if isinstance(x, TensorSpec):
            shape = x.shape.as_list() if self._shapes is None else next(self._shapes)
            return self._tensor(engine.Aval(tuple(shape), x.dtype.np))
        self.is_tensor.append(False)
        if isinstance(x, Variable):
            known = [i for i, v in enumerate(self.variables) if v is x]
            self.variables.append(x)
            aval = x._current_node().aval
            return aval, x.trainable, known[0] if known else len(self.variables) - 1
        told = tracing_type(x)
        if told is not None:
            self._placeholders[len(self.is_tensor) - 1] = told.placeholder_value(None)
            return told
        if type(x) in _NUMBERS:  # equal ones have one trace, that of the first, as in TensorFlow
            return "number", x if x == x else "nan"
        return type(x), _value_key(x)

    def is_covered_by(self, key):
        """Whether objects with trace types have subtypes of those in `key`, and all else is equal."""
        return bool(self._placeholders) and len(key) == len(self.key) and all(
            a == b or isinstance(a, TraceType) and isinstance(b, TraceType) and a.is_subtype_of(b)
            for a, b in zip(self.key, key, strict=True)
        )  # fmt: skip

    def _tensor(self, aval):
        self.is_tensor.append(True)
        self.avals.append(aval)
        return aval

    def signature(self):
        """`key` without the values of tensors, and with datasets in place of their iterators."""

        def told(k, x):
            if type(k) is tuple and isinstance(x, TENSORS):
                return k[0]
            source = getattr(x, "_dataset", None) if hasattr(type(x), "element_spec") else None
            return k if source is None else (type(x), _value_key(source))

        args, kwargs, *leaves = self.key
        return args, kwargs, *map(told, leaves, self.leaves)

    def composite_specs(self):
        """The specs of the arguments that are made of tensors, in order."""
        return [x if isinstance(x, TypeSpec) else x._type_spec for x in self.composites]

    def filled(self, tensors, traced=True, composite_specs=None):
        """(args, kwargs) with `tensors` in place of the tensors; for a trace with placeholders.

        With `composite_specs`, these say how arguments that are made of tensors are put together.
        """
        tensors = iter(tensors)
        flat = [
            next(tensors) if t else wrap(to_node(x)) if isinstance(x, TENSORS) else x
            for t, x in zip(self.is_tensor, self.leaves, strict=True)
        ]
        for i, x in self._placeholders.items() if traced else ():
            flat[i] = x
        structure = self.structure
        if composite_specs:
            composites, specs = set(map(id, self.composites)), iter(composite_specs)
            structure = nest.map_structure(lambda x: next(specs) if id(x) in composites else x, structure)
        return nest.pack_sequence_as(structure, flat, expand_composites=True)

    def specs(self):
        """A TensorSpec for each tensor."""
        return [TensorSpec(known_or_none(a.shape), dtypes.from_numpy(a.dtype)) for a in self.avals]

    def is_plain(self):
        """Whether all Python values among the arguments can be written to a file."""
        plain = (type(None), bool, int, float, str)
        return all(t or type(x) in plain for t, x in zip(self.is_tensor, self.leaves, strict=True))


def _is_composite_spec(x):
    """Whether `x` stands for a tensor of several components."""
    return isinstance(x, TypeSpec) and not isinstance(x, TensorSpec)


def _value_key(x):
    """A key of a Python value. Objects compared by identity are not kept alive.

    Raises:
      TypeError: `x` is not hashable.
    """
    cls = type(x)
    if cls.__hash__ is object.__hash__:
        try:
            return weakref.ref(x)
        except TypeError:
            return x
    try:
        hash(x)
    except TypeError:
        raise TypeError(
            f"Could not generate a generic TraceType for {x!r}.Please verify that it is immutable/hashable. Otherwise, "
            "consider implementing the Tracing Protocol for it."
        ) from None
    return x


def _structure_key(structure):
    """A hashable description of how a nest of arguments is nested."""
    if isinstance(structure, dict):
        return (type(structure), *((k, _structure_key(structure[k])) for k in sorted(structure)))
    if isinstance(structure, list | tuple):
        return (type(structure), *map(_structure_key, structure))
    spec = getattr(structure, "_type_spec", None)
    if spec is not None:
        return spec
    return (type(structure), len(nest.flatten(structure))) if nest.is_nested(structure) else None

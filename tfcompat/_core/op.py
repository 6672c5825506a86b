"""`@op`: turns a pure JAX function into a TensorFlow op.

The decorated body only sees arrays and static Python values. `@op` binds the arguments of a call, converts them, checks
dtypes, records one node and wraps the result.
"""
import functools
import inspect
import os
import re
import traceback
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import dtypes as _dtypes
from tfcompat import engine, errors
from tfcompat._core import quantized
from tfcompat._core.composite import CompositeArgument, dispatch
from tfcompat._core.convert import static_value, to_node, type_name
from tfcompat._core.in_graphs import as_in_graph, of_argument, of_kernel, traced, without_kernel
from tfcompat._core.kernels import (
    ALSO_MOVES,
    CHECKED_WHEN_RUN,
    CONVERTED,
    CONVERTED_IN_FUNCTIONS,
    OF_ONE_DTYPE,
    WITHOUT_KERNEL,
)
from tfcompat._core.known_calls import KnownCalls
from tfcompat._core.new_sizes import avals_by_samples, may_be_new
from tfcompat._core.registry import OPS as OPS
from tfcompat._core.steps import records_steps, sizes_depend_on_values
from tfcompat._core.symbolic_sizes import NeedsValues
from tfcompat._core.tensor import Tensor, dtype_of, wrap
from tfcompat._package.folder import PACKAGE_FOLDER
from tfcompat.errors import InvalidArgumentError, OpError, UnimplementedError

engine.errors_are_made_by(lambda kind, message: of_kernel(getattr(errors, kind)(None, None, message)))
HALVES = frozenset({_dtypes.bfloat16, _dtypes.float16})
FLOATING = frozenset({*HALVES, _dtypes.float32, _dtypes.float64})
COMPLEX = frozenset({_dtypes.complex64, _dtypes.complex128})
SIGNED = frozenset({_dtypes.int8, _dtypes.int16, _dtypes.int32, _dtypes.int64})
UNSIGNED = frozenset({_dtypes.uint8, _dtypes.uint16, _dtypes.uint32, _dtypes.uint64})
INTEGER = SIGNED | UNSIGNED
BOOL = frozenset({_dtypes.bool})
STRING = frozenset({_dtypes.string})
REAL = FLOATING | INTEGER
INEXACT = FLOATING | COMPLEX
NUMERIC = REAL | COMPLEX
INDEX = frozenset({_dtypes.int32, _dtypes.int64})
ANY = NUMERIC | BOOL
ANY_OR_STRING = ANY | STRING


def op(*names, kernel, tensors, same=None, mixed=(), dtypes=None, default_dtypes=None, gradient="auto", host=None,
       numpy=None, in_order=False, zero_second=False, requires=None, requires_of="",
       requires_results=False, conditional=False, hinted=(), beside=None):  # fmt: skip
    """Makes a TensorFlow op of a pure JAX function.

    Args:
      *names: dotted public names, the canonical one first.
      kernel: TF's name of the op, as in messages.
      tensors: names of the tensor parameters; `"*values"` for a list of tensors. All others are static.
      same: the tensor parameters that must have one dtype; by default all.
      mixed: pairs of dtypes that may meet in `same`, if the body takes them.
      dtypes: dtypes allowed for `same`, or a dict from parameter to such a set; by default every numeric and bool.
      default_dtypes: dict from parameters to the dtype that values other than tensors get there if they fit, where TF's
        kernel has a default. Where `dtypes` allows one dtype alone, they must fit that.
      gradient: "auto"; "none" if TF's gradient is None; "missing" if TF raises LookupError; "partial" if it raises for
        some arguments.
      host: NumPy function with the body's signature, for inputs that are all text or small integers on the host;
        or "moves" for an op that only moves elements: text is then moved as the numbers of its elements are.
      numpy: NumPy function with the signature and results of the body, for arrays of any dtype and size; True if `host`
        is one. It computes in functions that a dataset calls for each element, since sizes may differ each time.
      in_order: whether arguments are converted one after another, each with the dtype of the one before as a hint, as
        TF does in its hand-written functions (`tf.add`). Otherwise the first tensor gives the dtype.
      zero_second: whether TF's second derivative is zeros, not None, although the first is piecewise constant
        (`tf.nn.relu`).
      requires: function with the signature of the body that lists what values must meet, as `engine.require` has it,
        where TF's kernel raises on a CPU.
      requires_of: kinds of the first tensor's dtype for which there is such a thing, or function with the signature of
        the body, called with avals, that says whether there is.
      requires_results: whether `requires` takes the results, too, as the tuple `results`.
      conditional: whether its derivative requires something of values, which the body says by `engine.marked`.
      hinted: the tensor parameters whose plain numbers keep a dtype of their own where they do not fit that of the
        others, as TF does in functions made of several kernels: the first of these then refuses the dtype.
      beside: a number, or True for ones, that TF's function gives the dtype of the tensors before there is a kernel. A
        dtype that it does not fit is a TypeError.

    Returns:
      Decorator. The op has the body's signature and `name=None`. Its attribute `raw` is the body, `operation` the
      engine's operation.
    """

    def decorate(body):
        spec = _Spec(body, names, kernel, tensors, same, mixed, dtypes, default_dtypes, gradient, host, numpy, in_order,
                     zero_second, requires, requires_of, requires_results, conditional, hinted, beside)  # fmt: skip
        function = spec.make()
        for name in names:
            assert name not in OPS, f"{name} is defined twice"
            OPS[name] = function
        return function

    return decorate


def spec_of(operation) -> Any:
    """The specification of the op that a recorded operation is of; None if it is of none."""
    return getattr(getattr(operation, "validate", None), "__self__", None)


class _Spec:
    """The specification of one op: its parameters, dtypes and operation."""

    def __init__(self, body, names, kernel, tensors, same, mixed, dtypes, default_dtypes, gradient, host, numpy,
                 in_order, zero_second, requires, requires_of, requires_results, conditional, hinted,
                 beside):  # fmt: skip
        self.when_empty: Any = None
        self.body, self.names, self.kernel, self.in_order, self.mixed = body, names, kernel, in_order, mixed
        self.host = moves_text(body) if host == "moves" else host
        self.numpy = host if numpy is True else numpy
        self.signature = inspect.signature(body)
        self.lists = {t[1:] for t in tensors if t.startswith("*")}
        self.tensors = tuple(t.lstrip("*") for t in tensors)
        self.beside, self.without = beside, WITHOUT_KERNEL.get(kernel, ())
        self.hinted = frozenset(t.lstrip("*") for t in hinted)
        self.same = frozenset(self.tensors if same is None else (t.lstrip("*") for t in same))
        allowed = dtypes if isinstance(dtypes, dict) else dict.fromkeys(self.same, dtypes)
        self.allowed = {k.lstrip("*"): v for k, v in allowed.items() if v is not None}
        self.defaults = default_dtypes or {}
        self.only = {p: next(iter(taken)) for p, taken in self.allowed.items() if len(taken) == 1}
        parameters = dict(self.signature.parameters)
        if "name" not in parameters:
            named = inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
            self.signature = self.signature.replace(parameters=[*parameters.values(), named])
        self.parameters = tuple(self.signature.parameters)
        self.position = {p: i for i, p in enumerate(self.parameters)}
        self.default_values = [
            _UNSET if p.default is inspect.Parameter.empty else p.default for p in self.signature.parameters.values()
        ]
        self.statics = tuple(p for p in self.parameters if p not in self.tensors and p != "name")
        # The layout tells how the flat list of arrays fills the tensor parameters. Only lists and Nones make it vary.
        self.varying = bool(self.lists) or any(
            self.default_values[self.position[t]] is None for t in self.tensors if t in self.position
        )
        fn = self._body_of_arrays
        self.gradient_is_missing = gradient == "missing"
        if self.gradient_is_missing:
            fn = without_gradient(fn, kernel)
        self.operation = engine.Operation(
            kernel, fn, ("_layout", *self.statics), differentiable=gradient != "none", translate=self.translate,
            validate=self.validate, refuses=gradient == "partial", unavoidable=self.gradient_is_missing,
            zero_second=zero_second, requires=requires and functools.partial(self._required_of_arrays, requires),
            requires_of=functools.partial(self._required, requires_of) if callable(requires_of) else requires_of,
            requires_results=requires_results, conditional=conditional,
            identity=f"{body.__module__}:{names[0]}:{gradient}" if body.__module__.startswith("tfcompat.") else None,
        )  # fmt: skip

    def _arguments(self, layout, arrays):
        arguments, arrays = {}, list(arrays)
        for parameter, count in zip(self.tensors, layout, strict=True):
            if count is None:
                arguments[parameter] = None
            elif parameter in self.lists:
                arguments[parameter], arrays = tuple(arrays[:count]), arrays[count:]
            else:
                arguments[parameter] = arrays.pop(0)
        return arguments

    def _body_of_arrays(self, *arrays, _layout, **statics):
        return self.body(**self._arguments(_layout, arrays), **statics)

    def _required_of_arrays(self, requires, *arrays, _layout, **statics):
        if self.operation.requires_results:
            count = sum(n or 0 for n in _layout)
            arrays, statics["results"] = arrays[:count], arrays[count:]
        return requires(**self._arguments(_layout, arrays), **statics)

    def _required(self, requires_of, attributes, avals):
        statics = dict(zip(self.statics, attributes[1:], strict=True))
        return requires_of(**self._arguments(attributes[0], avals), **statics)

    # --- the call -----------------------------------------------------------------------------------------------

    def make(self):
        leading = self.parameters[:len(self.tensors)] == self.tensors
        arity = len(self.tensors) if leading and not self.varying else 0
        self.plain = self._plain_attributes() if arity else None
        of_list = bool(self.lists) and self.tensors == tuple(self.lists) == self.parameters[:1]
        self.known = KnownCalls(
            arity, self.tensors, self.operation.calls, self.plain, self.host is not None, of_list
        )
        function: Any = self.known.function(self.general)
        functools.update_wrapper(function, self.body)
        function.__signature__ = self.signature
        function.raw = self.body
        function.operation = self.operation
        function.spec = self
        self.function = function
        return function

    def _plain_attributes(self):
        """The static attributes of a call with tensors alone; None if there are others without a default."""
        values = [self.default_values[self.position[s]] for s in self.statics]
        if any(value is _UNSET for value in values):
            return None
        return engine.attributes_of((1,) * len(self.tensors), *map(_normal, values))

    def general(self, args, kwargs):
        """A call in full: binds the arguments, converts them, records one node and wraps the result."""
        values = self._bind(args, kwargs)
        trial = engine.state.context.trial
        if trial is not None and self.kernel in _STATES_SHAPE:
            values[0] = trial.stated_shape(values[0], values[1], reshapes=self.kernel == "Reshape")
        try:
            layout, nodes = self._nodes(values)
            self._check_index_dtypes(values)
            statics = self._static_values(values)
        except CompositeArgument as error:
            return dispatch(self.names, self.function, args, kwargs, error)
        result = self._without_recording(layout, nodes, statics)
        if result is not None:
            return result
        try:
            attributes = engine.attributes_of(tuple(layout), *statics)
        except TypeError as error:
            raise TypeError(f"{self.names[0]}: arguments {self.statics} must be hashable, got {statics}") from error
        if self.host is not None and records_steps() and any([n.aval.dtype.hasobject for n in nodes]):
            return self.as_step(attributes, nodes)
        try:
            result = engine.apply(self.operation, tuple(nodes), attributes)
        except Exception as error:
            if self.kernel in CHECKED_BY_STEPS and sizes_depend_on_values() and isinstance(error, OpError | ValueError):
                return CHECKED_BY_STEPS[self.kernel](*args, **kwargs)
            result = self.for_new_sizes(attributes, nodes)
            if result is None:
                raise
            return result
        if self.when_empty is not None and engine.state.graph.symbolic:
            self.when_empty(self, args, kwargs, result)
        self.known.remember(args, kwargs, attributes, nodes)
        return [wrap(node) for node in result] if type(result) is tuple else wrap(result)

    def _static_values(self, values):
        try:
            return [_normal(values[self.position[s]]) for s in self.statics]
        except engine.SymbolicValueError as error:
            raise TypeError(
                f"{self.names[0]}: an argument that must be known while the function is traced is a symbolic tensor "
                f"(one of {', '.join(self.statics)})"
            ) from error

    def _without_recording(self, layout, nodes, statics):
        """The result where it is computed at once, on the host; None where the call is to be recorded."""
        if quantized.concerns([node.aval for node in nodes], statics):
            return self._of_quantized(layout, nodes, statics)
        on_host = None if self.host is None else self._host_nodes(nodes)
        if on_host is not None:
            result = self._on_host(layout, on_host, statics, self.host)
            if result is not None:
                return result
            if any(n.aval.dtype.hasobject for n in nodes):
                raise UnimplementedError(None, None, f"{self.names[0]} of text is not available in tfcompat like this")
        if self.numpy is not None and engine.state.graph.on_host and not engine.state.watchers:
            known = [engine.leaf(engine.array_of(node)) for node in nodes]
            return self._on_host(layout, known, statics, self.numpy)
        return None

    def _of_quantized(self, layout, nodes, statics):
        self.validate((tuple(layout), *statics), tuple([node.aval for node in nodes]))
        try:
            result = quantized.computed(self, layout, nodes, statics)
        except engine.SymbolicValueError:
            raise NeedsValues(
                None, None, f"{self.names[0]} of a quantized dtype is computed at once: cast or bitcast it to integers "
                "before it is used in a tf.function",
            ) from None  # fmt: skip
        return [wrap(engine.leaf(x)) for x in result] if isinstance(result, list) else wrap(engine.leaf(result))

    def as_step(self, attributes, nodes):
        """The result of a call with text that is not known while a function is traced; see `_core/steps.py`."""
        return self._recorded_as_step(attributes, nodes, self._shapes(attributes.values, [n.aval for n in nodes]))

    def for_new_sizes(self, attributes, nodes):
        """The result of a call that its rules cannot tell for symbols; None where it cannot be recorded as a step."""
        if not may_be_new(attributes, nodes):
            return None
        avals = avals_by_samples(self.kernel, self._shapes, attributes, nodes)
        return None if avals is None else self._recorded_as_step(attributes, nodes, avals)

    def _shapes(self, attributes, avals):
        """Avals of the results: one, or a list."""
        self.validate(attributes, avals)
        stand_ins = [jax.ShapeDtypeStruct(a.shape, _STAND_INS.get(a.dtype, a.dtype)) for a in avals]
        meant = {_STAND_INS[a.dtype]: a.dtype for a in avals if a.dtype in _STAND_INS}
        named = dict(zip(self.operation.attribute_names, attributes, strict=True))
        try:
            with jax.enable_x64(True):
                made = jax.eval_shape(functools.partial(self._body_of_arrays, **named), *stand_ins)
        except Exception as error:
            raise self.translate(error, avals) from error
        parts = made if isinstance(made, tuple | list) else [made]
        avals = [engine.Aval(x.shape, meant.get(x.dtype, np.dtype(x.dtype))) for x in parts]
        return avals if parts is made else avals[0]

    def _recorded_as_step(self, attributes, nodes, avals):
        """The result of a call that is played when the traced function runs; `avals` are as those of `_shapes`."""
        several = isinstance(avals, list)
        results = engine.record_step(
            self._step_operation, nodes, engine.TupleAval(avals) if several else avals, attributes
        )
        return list(map(wrap, results)) if several else wrap(results[0])

    @functools.cached_property
    def _step_operation(self):
        """The operation of calls with unknown text. Its step calls the op with tensors."""

        def step(call, nodes):
            layout, *statics = engine.with_sizes(call.attributes.values)
            tensors = self._arguments(layout, map(wrap, nodes))
            result = self.function(**tensors, **dict(zip(self.statics, statics, strict=True)))
            return tuple([x._node for x in (result if isinstance(result, list) else [result])])

        return engine.Operation(
            self.kernel, self._body_of_arrays, self.operation.attribute_names, differentiable=False, step=step,
            validate=self.validate,
        )  # fmt: skip

    def numpy_of_arrays(self, attributes, arrays):
        """The result for NumPy arrays, an array or list; NotImplemented where no NumPy function computes it."""
        function: Any = self.numpy if not any(a.dtype.hasobject for a in arrays) else self.host
        if function is None:
            return NotImplemented
        layout, *statics = attributes.values
        with np.errstate(all="ignore"):
            return function(**self._arguments(layout, arrays), **dict(zip(self.statics, statics, strict=True)))

    def _check_index_dtypes(self, values):
        for s in self.statics:
            if s in _INDICES:
                value, also = values[self.position[s]], _ALSO_INDICES.get(s)
                # TF packs lists of tensors, and casts most of them.
                for one in value if s == "begin" and isinstance(value, list | tuple) else (value,):
                    if isinstance(one, Tensor) and one.dtype not in INDEX and one.dtype is not also:
                        raise of_argument(self.error(
                            f"Value for attr 'T' of {type_name(one.dtype)} is not in the list of allowed values: "
                            "int32, int64"
                        ))  # fmt: skip

    def bound(self, args, kwargs):
        """The arguments of a call by name."""
        return dict(zip(self.parameters, self._bind(args, kwargs), strict=True))

    def _bind(self, args, kwargs):
        if len(args) > len(self.parameters):
            raise TypeError(
                f"{self.body.__name__}() takes {len(self.parameters)} positional arguments but {len(args)} were given"
            )
        values = list(self.default_values)
        values[: len(args)] = args
        for key, value in kwargs.items():
            i = self.position.get(key)
            if i is None:
                raise TypeError(f"{self.body.__name__}() got an unexpected keyword argument {key!r}")
            if i < len(args):
                raise TypeError(f"{self.body.__name__}() got multiple values for argument {key!r}")
            values[i] = value
        for parameter, value in zip(self.parameters, values, strict=True):
            if value is _UNSET:
                raise TypeError(f"{self.body.__name__}() missing 1 required positional argument: {parameter!r}")
        return values

    def _nodes(self, values):
        entries: list = []
        layout: list = []
        for parameter in self.tensors:
            value = values[self.position[parameter]]
            if parameter in self.lists:
                items = _as_list(value)
                layout.append(len(items))
                entries += [(parameter, item) for item in items]
            elif value is None and self.default_values[self.position[parameter]] is None:
                layout.append(None)
            else:
                layout.append(1)
                entries.append((parameter, value))
        nodes: list = [None] * len(entries)
        shared = None
        if not self.in_order:
            for i, (parameter, value) in enumerate(entries):
                if isinstance(value, Tensor) or hasattr(value, "_as_node"):
                    nodes[i] = to_node(value)
                    if shared is None and parameter in self.same:
                        shared = dtype_of(nodes[i])
        for i, (parameter, value) in enumerate(entries):
            if nodes[i] is not None:
                continue
            only, default = self.only.get(parameter), self.defaults.get(parameter)
            if only is not None or parameter not in self.same:
                try:
                    nodes[i] = to_node(value, only, default)
                except TypeError:
                    for _, other in entries[i:]:
                        to_node(other)  # a composite has a function of its own, and rules for what is beside it
                    raise
            elif default is not None and shared is None:
                nodes[i] = self._by_default(parameter, value, default)
                shared = dtype_of(nodes[i])
            elif self.in_order or shared is None or parameter in self.hinted and not isinstance(value, str):
                nodes[i] = to_node(value, hint=shared)
                shared = shared or dtype_of(nodes[i])
            else:
                nodes[i] = to_node(value, shared)
        return layout, nodes

    def _by_default(self, parameter, value, default):
        """The node of a value that is no tensor: NumPy's get the default dtype, Python's if theirs is not taken."""
        node = to_node(value)
        of_numpy = isinstance(value, np.ndarray | np.generic)
        if of_numpy or dtype_of(node) not in (_dtypes.bool, *self.allowed.get(parameter, ANY)):
            node = to_node(value, hint=default)
        return node

    def _host_nodes(self, nodes):
        """Nodes with values on the host: small integers that are known there, or text and its company; else None."""
        if all(n.aval.host and type(n.value) is np.ndarray for n in nodes):
            return nodes
        if not any(n.aval.dtype.hasobject and n.value is not None for n in nodes):
            return None
        try:
            return [engine.leaf(engine.array_of(n)) for n in nodes]
        except engine.SymbolicValueError:
            if records_steps():
                return None
            raise NeedsValues(
                None, None, f"{self.names[0]} of text with tensors that are known only when the tf.function runs"
            ) from None

    def _on_host(self, layout, nodes, statics, function):
        arrays = [node.value for node in nodes]
        self.validate((tuple(layout), *statics), tuple(node.aval for node in nodes))
        try:
            with np.errstate(all="ignore"):
                result = function(**self._arguments(layout, arrays), **dict(zip(self.statics, statics, strict=True)))
                if self.operation.requires and arrays[0].dtype.hasobject and engine.conditions.enabled():
                    named = dict(zip(self.operation.attribute_names, (tuple(layout), *statics), strict=True))
                    engine.conditions.enforce(self.operation.requires(*arrays, **named))
        except TypeError:
            if not engine.has_symbols(tuple(statics)):
                raise
            return None  # NumPy cannot compute with unknown sizes
        if result is NotImplemented:
            return None
        if isinstance(result, tuple | list):
            return [_of_host(part) for part in result]
        return _of_host(result)

    # --- checks, once for every new combination of attributes and avals -----------------------------------------------

    def validate(self, attributes, avals):
        layout, without = attributes[0], self.without
        missing = first = None
        i = 0
        of_one_dtype, listed = OF_ONE_DTYPE.get(self.kernel, ((), None))
        if listed is not None and type(attributes[1 + self.statics.index(listed)]) is not tuple:
            of_one_dtype = ()
        for parameter, count in zip(self.tensors, layout, strict=True):
            for _ in range(count or 0):
                dtype = _dtypes.from_numpy(avals[i].dtype)
                allowed = self.allowed.get(parameter, ANY)
                if parameter in of_one_dtype and dtype not in allowed:
                    raise (TypeError if traced() else ValueError)(
                        f"{self.names[0]}: Tensor conversion requested dtype {next(iter(allowed)).name} for Tensor "
                        f"with dtype {dtype.name}: `{parameter}`"
                    )
                if dtype.name in without and missing is None and (parameter in self.same or dtype not in allowed):
                    missing = dtype
                    if not traced() and (first is None or parameter not in self.same):
                        raise without_kernel(self.kernel, type_name(dtype))
                if parameter in self.same:
                    first = first or dtype
                    if dtype is not first and (first, dtype) not in self.mixed:
                        raise self._of_other_dtype(parameter, i, first, dtype)
                takes_text = self.host and parameter not in self.allowed
                if dtype not in allowed and missing is not dtype and not (
                    dtype is _dtypes.string and takes_text or dtype.name in ALSO_MOVES.get(self.kernel, ())
                ):
                    if self.beside is not None and dtype not in _HOLDING[type(self.beside)]:
                        raise TypeError(f"Cannot convert {self.beside} to EagerTensor of dtype {dtype.name}")
                    names = ", ".join(sorted(map(type_name, allowed)))
                    raise as_in_graph(TypeError, self.error(
                        f"Value for attr 'T' of {type_name(dtype)} is not in the list of allowed values: {names}"
                    ))  # fmt: skip
                i += 1
        if missing is not None:
            raise without_kernel(self.kernel, type_name(missing))

    def _of_other_dtype(self, parameter, i, first, dtype):
        """The error for a tensor that has not the dtype of those before it."""
        if parameter in CONVERTED.get(self.kernel, ()) or traced() and self.kernel in CONVERTED_IN_FUNCTIONS:
            return ValueError(
                f"{self.names[0]}: Tensor conversion requested dtype {first.name} for Tensor with dtype {dtype.name}: "
                f"`{parameter}`"
            )
        return as_in_graph(TypeError, self.error(
            f"cannot compute {self.kernel} as input #{i}(zero-based) was expected to be a "
            f"{type_name(first)} tensor but is a {type_name(dtype)} tensor"
        ))  # fmt: skip

    def error(self, message):
        return InvalidArgumentError(None, None, f"{message} [Op:{self.kernel}] name: ")

    def translate(self, error, avals):
        """The error to raise for an exception from the body: JAX's become InvalidArgumentError, our own stay."""
        translated = self._translated(error, avals)
        checked_when_run = CHECKED_WHEN_RUN.get(self.kernel)
        if checked_when_run is not None and re.search(checked_when_run, str(translated)):
            return of_kernel(translated)
        return of_argument(translated)

    def _translated(self, error, avals):
        if isinstance(error, OpError | LookupError | engine.SymbolicValueError) or raised_here(error):
            return error
        if not isinstance(error, TypeError | ValueError):
            return error
        shapes = [list(aval.shape) for aval in avals]
        if len(shapes) == 2 and not _broadcastable(*shapes):
            return self.error(f"Incompatible shapes: {_text(shapes[0])} vs. {_text(shapes[1])}")
        got = ", ".join(f"{aval.dtype.name}{_text(aval.shape)}" for aval in avals)
        return self.error(f"{self.names[0]} got inputs {got}: {str(error).splitlines()[0]}")


def moves_text(body):
    """A host function that moves text as `body` moves numbers; new elements are empty text."""

    def host(**arguments):
        flat = []

        def numbered(value):
            if isinstance(value, tuple) and any(isinstance(part, np.ndarray) for part in value):
                return tuple(map(numbered, value))
            if not isinstance(value, np.ndarray) or value.dtype != object:
                return value
            start = sum(map(len, flat)) + 1
            flat.append(value.reshape(-1))
            return np.arange(start, start + value.size, dtype=np.int32).reshape(value.shape)

        moved = {key: numbered(value) for key, value in arguments.items()}
        if not flat:
            return NotImplemented
        elements = np.concatenate([np.array([b""], object), *flat])
        with jax.enable_x64(True):
            result = body(**{key: _on_device(value) for key, value in moved.items()})
        parts = result if isinstance(result, tuple | list) else [result]
        parts = [elements[np.asarray(part)] for part in parts]
        return parts if isinstance(result, tuple | list) else parts[0]

    return host


def _on_device(value):
    if isinstance(value, np.ndarray):
        return jnp.asarray(value)
    return tuple(map(_on_device, value)) if isinstance(value, tuple) else value


_STATES_SHAPE = ("Reshape", "EnsureShape")  # kernels by which a program states the shape of their first argument

_UNSET = object()
# Kernel -> function of its arguments, which records a step where it does not show before values are known whether they
# fit.
CHECKED_BY_STEPS: dict = {}
# What stands for text and variants where a rule for shapes and dtypes is asked what comes of them.
_STAND_INS = {np.dtype(object): np.dtype(np.uint32), _dtypes.variant.np: np.dtype(np.uint64)}
# Which dtypes hold numbers of a Python type.
_HOLDING = {bool: ANY, int: NUMERIC | frozenset(_dtypes.QUANTIZED_DTYPES), float: INEXACT}
# Static arguments that are int32 or int64 tensors in TF.
_INDICES = frozenset(
    "axis begin block_shape crops k multiples num_lower num_or_size_splits num_segments num_upper output_shape "
    "paddings perm shape shift size".split()
)
_ALSO_INDICES = {"k": _dtypes.int16, "num_or_size_splits": _dtypes.int8}


def _of_host(value):
    """The tensor of a result from the host. An element of an array of text is bytes."""
    return wrap(engine.leaf(np.asarray(value, object if type(value) is bytes else None)))


def _normal(value):
    """A static argument as a hashable value."""
    if type(value) is int or type(value) is bool or value is None:
        return value
    return static_value(value)


def _as_list(value):
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, Tensor | np.ndarray | jax.Array) or hasattr(value, "_as_node"):
        return list(wrap(to_node(value)))
    return [value]


def _text(shape):
    return "[" + ",".join(map(str, shape)) + "]"


def _broadcastable(a, b):
    try:
        jnp.broadcast_shapes(tuple(a), tuple(b))
    except ValueError:
        return False
    return True


def raised_here(error):
    """Whether an exception comes from this package, not from JAX."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and os.path.abspath(frames[-1].filename).startswith(PACKAGE_FOLDER)


def without_gradient(fn, kernel):
    """`fn`, whose derivatives raise LookupError, as in TF."""
    return engine.refusing(fn, lambda: LookupError(f"gradient registry has no entry for: {kernel}"))

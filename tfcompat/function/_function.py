"""`tf.function`: traces a Python function once for every signature and runs it as one operation."""
import collections
import contextlib
import functools
import threading
import types
import weakref
from typing import Any

from numpy import ndarray

from tfcompat import engine, nest
from tfcompat._core import graphs, trial
from tfcompat._core.convert import to_node
from tfcompat._core.in_graphs import is_checked_when_run, without_sizes
from tfcompat._core.spec import TensorSpec
from tfcompat._core.streams import Streams
from tfcompat._core.tensor import EagerTensor, wrap
from tfcompat._native import twin
from tfcompat._tracing.eagerly import RunsEagerly, call_eagerly, executing_eagerly, needs_values, refused, warn
from tfcompat.autograph._entry import run, run_unconverted
from tfcompat.autograph._errors import is_of_program
from tfcompat.distribute._values import PerReplica
from tfcompat.engine import function_trace
from tfcompat.engine._policy import FUNCTIONS
from tfcompat.errors import FailedPreconditionError, InvalidArgumentError
from tfcompat.function import _generic
from tfcompat.function._arguments import Arguments, Parameters, check_input_signature, check_unchanged
from tfcompat.function._compiler_ir import compiler_ir
from tfcompat.function._concrete import ConcreteFunction
from tfcompat.function._implementations import for_xla, implemented
from tfcompat.function._retracing import detector_of
from tfcompat.function._signature_text import SignatureText, parameters_of
from tfcompat.function._trace import ConcreteOperation, trace_for_all_values
from tfcompat.function._tracing_types import PolymorphicFunction

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
             experimental_relax_shapes=None, experimental_compile=None,
             experimental_follow_type_hints=None):  # fmt: skip
    """Compiles a Python function.

    Args:
      func: function of tensors, variables and Python values.
      input_signature: list of TensorSpecs, or nests of them, for the arguments; sizes and ranks may be unknown. Other
        arguments raise; parameters without a spec must have a default, and keep it.
      autograph: whether Python control flow over tensors, also in functions that are called, becomes that of
        `tf.cond` and `tf.while_loop`.
      jit_compile: functions are compiled by XLA anyway, if they can be.
      reduce_retracing: whether a second shape is traced as one with unknown sizes, which then serves for others.
      experimental_autograph_options: `tf.autograph.experimental.Feature`, or a tuple of them.
      experimental_implements: accepted, without effect on values.
      experimental_attributes: dict; of a function that has several implementations, "api_implements" is the name and
        "api_preferred_device" the device. Others are without effect on values.
      experimental_relax_shapes, experimental_compile, experimental_follow_type_hints: TF 1 names of the above.

    Returns:
      `Function`, or a decorator if `func` is not given.

    Raises:
      TypeError: `func` is not callable; `input_signature` is no list or tuple of specs.
      ValueError: when it is traced, if the function changes a list or dict among its arguments.

    A function is traced for every signature: dtypes and shapes of tensors and variables, values of Python arguments.
    Text, and sizes that depend on values (`tf.where(condition)`), are computed between programs of XLA. Loops in which
    tensors grow are carried out by NumPy, turn by turn. Where a size that depends on values decides how to compute, the
    function runs as plain Python at each call, and a warning says so. Unknown sizes are symbols while it is traced;
    where these do not do it is traced for each shape. Python side effects happen while it is traced only. Variables may
    be created in the first trace.
    TF: `tf.function`.
    """
    if input_signature is not None:
        input_signature = check_input_signature(input_signature)

    def decorate(python_function):
        if not callable(python_function):
            raise TypeError(f"{python_function!r} is not a callable object")
        relaxed = reduce_retracing or experimental_relax_shapes
        return Function(
            python_function, input_signature, autograph, jit_compile if experimental_compile is None else
            experimental_compile, experimental_autograph_options, bool(relaxed), experimental_attributes,
        )  # fmt: skip

    return decorate if func is None else decorate(func)


_STATIC = frozenset({bool, int, float, str, type(None)})


@twin
def _plain_key(args, kwargs):
    """(key of arguments that are tensors or Python values, or None if there are others; the nodes of the tensors).

    They may be in tuples and lists, and the tensors of replicas in a PerReplica.
    """
    key, nodes = [*kwargs], []
    good = all(_has_key(x, key, nodes) for x in (*args, *kwargs.values()))
    return tuple(key) if good else None, nodes


def _has_key(x, key, nodes):
    """Whether an argument has a key; adds it to the keys, and its nodes to the nodes."""
    kind = type(x)
    if kind is EagerTensor:
        nodes.append(x._node)
        key.append(x._node.aval)
        return True
    if kind in _STATIC:
        key.append((kind, x or str(x)))  # 0.0 and -0.0 differ
        return True
    if kind is not tuple and kind is not list and kind is not PerReplica:
        return False
    values = x._values if kind is PerReplica else x
    key.append((kind, len(values)))
    return all(_has_key(value, key, nodes) for value in values)


class _Traces:
    """The traces of a function. A method has such traces for each instance."""

    def __init__(self):
        self.concrete = {}   # key of Arguments -> ConcreteOperation
        self.plain = {}      # `_plain_key` of arguments -> ConcreteOperation
        self.count = 0
        self.signatures = []  # (args, kwargs) of each trace that can be saved, with a TensorSpec for each tensor
        self.texts = []       # SignatureText of each trace
        self.generic = []     # traces for unknown sizes
        self.failed = set()   # signatures that symbols did not work for
        self.refused: Any = None  # what seems wrong for all sizes that are not known, and its signature
        self.shapes = {}      # with reduce_retracing: skeleton of arguments -> shapes and specs of the last calls
        self.parameters: Any = None
        self.lock = threading.RLock()
        self.creates_variables: Any = None  # whether the first trace did; None before it
        self.integers_by_value = False  # whether small integer tensors, such as shapes, are taken as Python values
        self.random_states = {}  # signature -> what random ops keep in traces for values or sizes, one trace in TF
        self.streams = Streams()
        self.runs_eagerly = False  # whether it takes elements of datasets, or shapes depend on values
        self.of_replicas = {}  # number of a replica -> the traces for calls in the function of that replica
        self._specs: Any = None

    def has_too_many(self, arguments):
        """Whether integers taken by value vary so much that tracing for each is of no use."""
        full = len(self.concrete) >= FUNCTIONS.traces_by_value
        return self.integers_by_value and full and arguments.key not in self.concrete

    def specs(self, parameters):
        """TensorSpecs of the input signature, in the order of a call's tensors."""
        if self._specs is None:
            names = [p for p in parameters.signature.parameters if p in parameters.specs]
            self._specs = [
                x for name in names for x in nest.flatten(parameters.specs[name], expand_composites=True)
                if isinstance(x, TensorSpec)
            ]  # fmt: skip
        return self._specs


class Function(PolymorphicFunction):
    """A compiled function; made by `tf.function`."""

    _replica: Any = None  # the number of the replica whose calls it is for

    def __init__(self, python_function, input_signature=None, autograph=True, jit_compile=None, features=None,
                 relaxed=False, attributes=None):  # fmt: skip
        self._python_function = python_function
        self._input_signature = input_signature
        self._autograph, self._jit_compile, self._features = autograph, jit_compile, features
        self._relaxed, self._attributes = relaxed, attributes
        self.warns = True  # of tracings that are too frequent
        self.takes_all_sizes = False  # whether TF has one trace for all sizes of axes, though there is no signature
        self._detector = detector_of(python_function)
        self._traces = _Traces()
        self._concrete_functions = weakref.WeakSet()
        self._of_instances = {}  # id -> (weak reference to the instance, its traces)
        # The attributes of another Function are its own.
        updated = () if isinstance(python_function, Function) else functools.WRAPPER_UPDATES
        functools.update_wrapper(self, python_function, updated=updated)

    python_function = property(lambda self: self._python_function, doc="The function that is traced.")
    input_signature = property(lambda self: self._input_signature, doc="The signature given, or None.")
    name = property(lambda self: getattr(self._python_function, "__name__", "function"))
    function_type = property(lambda self: self._parameters.signature, doc="The Python signature.")
    _python_signature = function_type

    @property
    def _parameters(self):
        traces = self._traces
        if traces.parameters is None:
            traces.parameters = Parameters(self._python_function, self._input_signature)
        return traces.parameters

    def __get__(self, instance, owner):
        if instance is None:
            return self
        bound = object.__new__(type(self))
        bound.__dict__.update(self.__dict__)
        bound._python_function = types.MethodType(self._python_function, instance)
        if "__wrapped__" in vars(bound):  # by which `inspect` finds the parameters, here without `self`
            bound.__dict__["__wrapped__"] = bound._python_function
        bound._traces = self._traces_of(instance)
        return bound

    def _as_of_now(self, copies):
        """This function with copies of its variables, for new traces; see `_tracing/captured.py`."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, _python_function=copies.of(self._python_function))
        return copy

    def _traces_of(self, instance):
        """The traces of a method of `instance`, which are released with it."""
        key = id(instance)
        entry = self._of_instances.get(key)
        if entry is not None and entry[0]() is instance:
            return entry[1]
        table = self._of_instances
        try:
            reference = weakref.ref(instance, lambda _: table.pop(key, None))
        except TypeError:  # an instance without weak references is kept alive

            def reference():
                return instance

        traces = _Traces()
        table[key] = (reference, traces)
        return traces

    def _decorate(self, decorator):
        """Replaces the function by what `decorator` makes of it; ValueError if it has been traced."""
        if self._traces.count or self._traces.runs_eagerly:
            raise ValueError("Functions cannot be decorated after they have been traced.")
        self._python_function = decorator(self._python_function)
        self._traces = _Traces()
        self._concrete_functions = weakref.WeakSet()

    def __getstate__(self):
        # A copy of a function, for instance in the copy of a module, is traced anew.
        return self.__dict__ | {"_traces": None, "_of_instances": {}, "_concrete_functions": None}

    def __setstate__(self, state):
        self.__dict__.update(state, _traces=_Traces(), _concrete_functions=weakref.WeakSet())

    def __call__(self, *args, **kwargs):
        if _run_eagerly:
            return self._python_function(*args, **kwargs)
        context = engine.state.context
        if context.replica is not None and context.replica is not self._replica:
            return self._in_replica(context.replica)(*args, **kwargs)
        plain_key, nodes = _plain_key(args, kwargs)
        if plain_key is None and self._input_signature is None and ndarray in map(type, args):
            args = tuple([wrap(to_node(x)) if type(x) is ndarray and x.dtype.kind in "fiub" else x for x in args])
            plain_key, nodes = _plain_key(args, kwargs)
        concrete = self._traces.plain.get(plain_key)
        if concrete is not None and concrete.in_scope() and context.trial is None:
            self._detector.calls += 1
            return concrete(nodes)
        bound_args, bound_kwargs = self._parameters.bind(args, kwargs)
        arguments = Arguments(bound_args, bound_kwargs, integers_by_value=self._traces.integers_by_value)
        if trial.current().resizes and executing_eagerly():
            return self._call_eagerly(arguments)  # a trace has the sizes of the first call
        traced_before = self._traces.count
        try:
            if self._traces.has_too_many(arguments):
                self._traces.runs_eagerly = True
            if self._traces.runs_eagerly and function_trace(engine.state.graph) is None:
                return self._call_eagerly(arguments)
            try:
                concrete = self._found(arguments)
            except Exception as error:
                if not arguments.has_integers or self._traces.integers_by_value or not needs_values(error):
                    raise
                arguments = Arguments(bound_args, bound_kwargs, integers_by_value=True)
                concrete = self._found(arguments)  # the value of a shape passed as a tensor is known now
                self._traces.integers_by_value = True
        except RunsEagerly:
            if function_trace(engine.state.graph) is not None:
                raise
            self._traces.runs_eagerly = True
            return self._call_eagerly(arguments)
        except Exception as error:
            must_be_traced = engine.state.graph.symbolic or any(node.aval.traced for node in arguments.nodes)
            if must_be_traced or not needs_values(error):
                raise
            if graphs.state.run is not None:  # what stands for tensors of a graph tells nothing of other calls
                return self._call_eagerly(arguments)
            self._traces.runs_eagerly = True
            warn(self.name, error)
        if self._traces.runs_eagerly:
            return self._call_eagerly(arguments)
        if self._traces.count != traced_before and engine.explains():
            self._detector.explained(self, bound_args, bound_kwargs)
        if self._traces.count == traced_before:
            self._detector.calls += 1
        elif self.warns and not self._relaxed and self._input_signature is None and graphs.state.run is None:
            self._detector.traced(repr(self._python_function))
        # There were only tensors, in this order, and the same Python values.
        if plain_key is not None and not arguments.variables and not self._traces.integers_by_value:
            if list(map(id, arguments.nodes)) == list(map(id, nodes)):
                if len(self._traces.plain) >= FUNCTIONS.plain_calls:
                    self._traces.plain.clear()
                self._traces.plain[plain_key] = concrete
        return concrete(arguments.nodes, arguments.variables)

    def _in_replica(self, replica):
        """This function for calls in the function of a replica, with traces of its own, as in TF."""
        traces = self._traces.of_replicas
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, _replica=replica)
        copy._traces = traces.get(replica) or traces.setdefault(replica, _Traces())
        return copy

    def _over_replicas(self, strategy, call_each):
        """A function that calls this one's Python function for each replica: it is traced once for all of them.

        Args:
          strategy: whose replicas they are.
          call_each: function of the Python function, its args and kwargs.
        """
        table = self._traces.of_replicas
        if strategy not in table:
            table[strategy] = Function(
                lambda *args, **kwargs: call_each(self._python_function, args, kwargs), None, self._autograph,
                self._jit_compile, self._features, self._relaxed, self._attributes,
            )  # fmt: skip
        return table[strategy]

    def _call_eagerly(self, arguments):
        signature = arguments.signature() if self._input_signature is None else None
        return call_eagerly(self._run, arguments, self._traces.streams, signature)

    def _concrete_for(self, arguments):
        try:
            return self._found(arguments)
        except RunsEagerly as error:
            raise refused(error, self.name) from None

    def _found(self, arguments):
        traces = self._traces
        concrete = traces.concrete.get(arguments.key)
        if concrete is None or not concrete.in_scope():
            with traces.lock:
                concrete = traces.concrete.get(arguments.key)
                if concrete is None or not concrete.in_scope():
                    covering = [c for key, c in traces.concrete.items() if arguments.is_covered_by(key)]
                    traces.refused = None
                    concrete = covering[0] if covering else self._generic_for(arguments)
                    if concrete is None:
                        concrete = self._traced_unless_refused(arguments)
                        self._note(arguments, arguments.specs(), concrete)
                    traces.concrete[arguments.key] = concrete
        return concrete

    def _traced_unless_refused(self, arguments):
        """A new trace; where it fails as one for all sizes did, that one's error, which TF raises while it traces."""
        traces = self._traces
        refused = traces.refused
        try:
            concrete = self._trace(arguments)
        except (InvalidArgumentError, FailedPreconditionError) as error:
            if refused is None or is_checked_when_run(error):
                raise
            raise refused[1] from None
        if refused is not None:
            traces.failed.add(refused[0])
        return concrete

    def _note(self, arguments, specs, concrete):
        """Notes what is known of a new trace."""
        traces = self._traces
        args, kwargs = arguments.filled(specs)
        signature = self._parameters.signature
        traces.texts.append(SignatureText(signature, args, kwargs, (concrete.specs(),), concrete.capture_texts()))
        if arguments.is_plain():
            traces.signatures.append((args, kwargs))

    def _generic_for(self, arguments):
        """A trace for unknown sizes that takes the arguments; None if there is none and none is wanted."""
        traces = self._traces
        if not arguments.avals:
            return None
        of = _generic.skeleton(arguments)
        fitting = [g for g in traces.generic if g.accepts(of, arguments)]
        if fitting:
            return min(fitting, key=lambda g: g.unknown).concrete
        calls, shapes, specs = [_generic.shapes_of(arguments)], None, None
        if self._input_signature is not None:
            shapes = _generic.allowed(traces.specs(self._parameters), arguments)
        elif self._relaxed:
            seen = traces.shapes.setdefault(of, collections.deque(maxlen=FUNCTIONS.compared_calls))
            seen.append((calls[0], arguments.composite_specs()))
            calls, specs = [call for call, _ in seen], _generic.common_specs([specs for _, specs in seen])
            shapes = _generic.merged(calls) if len(calls) > 1 and specs is not None else None
        if shapes is None:
            return None
        generic = self._trace_generic(arguments, shapes, calls, specs)
        return generic.concrete if generic is not None and generic.accepts(of, arguments) else None

    def _generic_of_specs(self, arguments):
        """The trace for TensorSpecs with unknown sizes; None where that is impossible."""
        traces = self._traces
        with traces.lock:
            of, shapes = _generic.skeleton(arguments), _generic.shapes_of(arguments)
            known = [g for g in traces.generic if g.skeleton == of and g.shapes == shapes and g.concrete.in_scope()]
            try:
                if known:
                    return known[0]
                return self._trace_generic(arguments, shapes, [], trace=functools.partial(trace_for_all_values, self))
            except RunsEagerly as error:
                raise refused(error, self.name) from None

    def _trace_generic(self, arguments, shapes, calls, composite_specs=None, trace=None):
        """A new trace for unknown sizes; None where that is impossible.

        Args:
          arguments: of the function.
          shapes: of the tensors among them, with None for unknown sizes.
          calls: the shapes of the same tensors in some calls, the last of which is this one; or empty.
          composite_specs: of the arguments that are made of tensors, if not their own.
          trace: in place of `_trace`.

        Raises:
          Exception: what the Python function itself raises, which sees None for an unknown size; and what a call in it
            raises for all sizes, if there is no call of the function to tell them.
        """
        traces = self._traces
        args, kwargs = arguments.filled(_generic.specs_for(arguments, shapes), composite_specs=composite_specs)
        of = _generic.skeleton(arguments)
        for names in _generic.partitions(shapes, calls):
            if (of, names) in traces.failed:
                continue
            count = traces.count
            try:
                generic = _generic.Generic(
                    of, shapes, names, lambda symbolic: (trace or self._trace)(Arguments(args, kwargs, symbolic))
                )
            except Exception as error:
                if is_of_program(error):
                    raise
                if not calls and engine.fails_for_all_sizes(error):
                    raise
                if self._is_wrong_for_all_sizes(error, arguments, shapes, names):
                    traces.refused, traces.count = ((of, names), error), count
                    continue
                # JAX raises various errors for sizes that it cannot compare; any other error comes again.
                traces.failed.add((of, names))
                traces.count = count
                continue
            traces.generic.append(generic)
            self._note(arguments, _generic.specs_for(arguments, shapes), generic.concrete)
            return generic
        return None

    def _trace(self, arguments):
        """A new operation for `arguments`, which is not kept."""
        traces = self._traces
        concrete = self._trace_once(arguments)
        if traces.creates_variables is None:
            traces.creates_variables = concrete.creates_variables
            if concrete.creates_variables:
                # As in TF, a second trace tells whether variables are created once only.
                traces.random_states.clear()
                concrete = self._trace_once(arguments)
        return concrete

    def _trace_once(self, arguments):
        traces = self._traces
        traces.count += 1
        one_trace = self._input_signature is not None or self.takes_all_sizes
        signature = None if one_trace else arguments.signature()
        forgets_sizes = self._forgets_sizes(arguments)
        try:
            with (
                for_xla.set_to(for_xla.value or bool(self._jit_compile)),
                without_sizes() if forgets_sizes and self._forgets_only_sizes() else contextlib.nullcontext(),
            ):
                return ConcreteOperation(
                    self._python_function, arguments, self.name, traces.creates_variables, self._run,
                    self._names(arguments), implemented(self._attributes),
                    None if signature == arguments.key else traces.random_states.setdefault(signature, {}),
                    traces.count <= FUNCTIONS.traces_with_constants, forgets_sizes,
                )  # fmt: skip
        except RecursionError:
            if function_trace(engine.state.graph) is not None:
                raise
            raise RecursionError(
                f"tf.function {self.name} calls itself without end while it is traced: both branches of a condition "
                "over a tensor are traced. Recursion must end on a Python value; or write it as a loop."
            ) from None

    def _forgets_sizes(self, arguments):
        """Whether the input signature leaves sizes unknown that are known in `arguments`."""
        if self._input_signature is None or any(engine.has_symbols(aval.shape) for aval in arguments.avals):
            return False
        return _generic.allowed(self._traces.specs(self._parameters), arguments) is not None

    def _forgets_only_sizes(self):
        """Whether there is an input signature, and it tells all ranks."""
        if self._input_signature is None:
            return False
        return all(spec.shape.rank is not None for spec in self._traces.specs(self._parameters))

    def _names(self, arguments):
        """The name of each tensor among the arguments: that of its spec, or of the parameter."""
        parameters = self._parameters
        args, kwargs = arguments.filled(arguments.specs())
        names = [
            name for name, _, value in parameters_of(parameters.signature, args, kwargs)
            for x in nest.flatten(value, expand_composites=True) if isinstance(x, TensorSpec)
        ]  # fmt: skip
        if len(names) != len(arguments.avals):
            return None
        specs = self._traces.specs(parameters) if parameters.specs is not None else []
        if len(specs) == len(names):
            names = [spec.name or name for spec, name in zip(specs, names, strict=True)]
        return names

    def _run(self, args, kwargs):
        """The Python function, as it is traced."""
        original = nest.map_structure(lambda x: x, (args, kwargs))
        if self._autograph:
            result = run(self._python_function, self._features, args, kwargs)
        else:
            result = run_unconverted(self._python_function, args, kwargs)
        check_unchanged(self._python_function, original, (args, kwargs))
        return result

    def _signatures(self):
        """(args, kwargs) of the signatures under which the function is saved."""
        if self._input_signature is not None:
            return [(self._input_signature, {})]
        return list(self._traces.signatures)

    def _list_all_concrete_functions(self):
        """The ConcreteFunctions of what it has been traced for, or of the input signature; Keras 3 prints them."""
        return [self.get_concrete_function(*args, **kwargs) for args, kwargs in self._signatures()]

    def _trackable_children(self, save_type="checkpoint", **kwargs):
        """What a SavedModel keeps of it: `trace_0`, `trace_1`... A checkpoint keeps nothing. Keras 3 asks for it."""
        if save_type == "checkpoint":
            return {}
        return {f"trace_{number}": one for number, one in enumerate(self._list_all_concrete_functions())}

    def _is_wrong_for_all_sizes(self, error, arguments, shapes, names):
        """Whether an error of a trace for symbols does not depend on the sizes that the input signature leaves open."""
        if not self._forgets_only_sizes() or not engine.fails_for_all_sizes(error):
            return False
        if _generic.all_differ(names):
            return True
        try:  # some sizes were equal by chance
            self._trace_generic(arguments, shapes, [])
        except Exception:
            return True
        return False

    def get_concrete_function(self, *args, **kwargs):
        """The function traced for one signature, given as tensors or TensorSpecs.

        Args:
          *args, **kwargs: tensors, TensorSpecs or Python values; nothing for the `input_signature`. For unknown sizes
            it is traced when it is called.

        Returns:
          ConcreteFunction.

        TF: `tf.function.get_concrete_function`.
        """
        if not args and not kwargs and self._input_signature is not None:
            args = self._input_signature
        concrete = ConcreteFunction(self, *self._parameters.bind(args, kwargs))
        for known in self._concrete_functions:
            if known.is_like(concrete):
                return known
        self._concrete_functions.add(concrete)
        if concrete._concrete is None and all(isinstance(x, TensorSpec) for x in concrete._flat):
            signature = tuple(concrete._given)  # not traced yet
            if signature not in self._traces.signatures:
                self._traces.signatures.append(signature)
        return concrete

    def experimental_get_tracing_count(self):
        """How many times the Python function has been traced."""
        return self._traces.count

    # Tests of libraries ask by the private name:
    # https://github.com/secondmind-labs/trieste/blob/v4.2.1/tests/unit/acquisition/function/test_active_learning.py
    _get_tracing_count = experimental_get_tracing_count

    def pretty_printed_concrete_signatures(self, verbose=True):
        """The signatures traced so far, as text: of several lines each, or of one if `verbose` is False."""
        texts = self._traces.texts
        return "\n\n".join(t.long() for t in texts) if verbose else "\n".join(t.short() for t in texts)

    def experimental_get_compiler_ir(self, *args, **kwargs):
        """The program that XLA compiles for the function.

        Args:
          *args, **kwargs: arguments of the function, or TensorSpecs in their place.

        Returns:
          Function of `stage` ("hlo", "hlo_serialized", "optimized_hlo", "optimized_hlo_serialized"; the serialized ones
          are bytes, the others text), `device_name`, which must be None, and `platform_name` ("CPU", "GPU", "TPU").

        Raises:
          ValueError: the function has not been made with `jit_compile=True`.

        TF: `tf.function.experimental_get_compiler_ir`; the text is that of another version of XLA.
        """
        if not self._jit_compile:
            raise ValueError("Compiler IR can only be returned for functions marked with 'jit_compile=True'")
        arguments = Arguments(*self._parameters.bind(args, kwargs))
        return functools.partial(compiler_ir, self._concrete_for(arguments), arguments)

    def __repr__(self):
        return f"<tfcompat.function.Function {self.name}>"

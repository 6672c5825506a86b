"""Gradients given by the user: `custom_gradient`, `recompute_grad`, `stop_gradient`."""
import contextlib
import functools
import inspect
from typing import Any

import jax
import jax.numpy as jnp

from tfcompat import engine, nest
from tfcompat._core.assignment import applied
from tfcompat._core.composite import CompositeTensor, takes_composites
from tfcompat._core.convert import convert_to_tensor, to_node
from tfcompat._core.structure import Structure
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.variable import Variable
from tfcompat._core.variable_context import assigning_in
from tfcompat._package.thread_state import ThreadState
from tfcompat.engine import function_trace
from tfcompat.engine._policy import KEEPING, TAPE
from tfcompat.errors import UnimplementedError
from tfcompat.tape import _reverse
from tfcompat.tape._forward import ForwardAccumulator

_COPY = engine.Operation("IdentityN", lambda x: x)
_STOP = engine.Operation("StopGradient", jax.lax.stop_gradient, differentiable=False)


@takes_composites("tf.stop_gradient")
def stop_gradient(input, name=None):
    """The tensor `input`, which derivatives take for a constant.

    Args:
      input: Tensor, or a value made of tensors: ragged, sparse, of an extension type, IndexedSlices.
      name: unused.

    Returns:
      The same, of the same value, shape and dtype.

    Gradient: None, in both modes.
    TF: `tf.stop_gradient`.
    """
    if isinstance(input, _reverse.IndexedSlices):
        return type(input)(stop_gradient(input.values), input.indices, input.dense_shape)
    if isinstance(input, CompositeTensor):
        return nest.map_structure(stop_gradient, input, expand_composites=True)
    return wrap(applied(_STOP, to_node(input)))


def refuse_gradient(input, message):
    """The tensor `input`, whose derivatives raise `LookupError(message)`."""
    return wrap(applied(_refusing(message), to_node(input)))


@functools.lru_cache(maxsize=KEEPING.walks)
def _refusing(message):
    fn = engine.refusing(lambda x: x, lambda: LookupError(message))
    return engine.Operation("PreventGradient", fn, unavoidable=True)


class VariableCollector:
    """A watcher that notes which trainable variables are read."""

    def __init__(self):
        self.variables = {}

    def observe(self, call, inputs, outputs):
        """Operations do not matter here."""

    def variable_accessed(self, variable, node):
        """Notes the variable."""
        if variable.trainable:
            self.variables.setdefault(id(variable), variable)


class Bind:
    """A function with a custom gradient, usable as a method too."""

    def __init__(self, function, decorated):
        self._function, self._decorated = function, decorated
        functools.update_wrapper(self, function)

    def __get__(self, instance, owner):
        return self if instance is None else Bind(self._function.__get__(instance, owner), self._decorated)

    def __call__(self, *args, **kwargs):
        return self._decorated(self._function, args, kwargs)


def custom_gradient(f=None):
    """Decorator that gives a function a gradient of its own.

    Args:
      f: `f(*args, **kwargs) -> (y, grad_fn)`; `y` is a tensor or a nest of tensors, `grad_fn(*dys)` returns the
        cotangents of `args`, or `(cotangents, variable_cotangents)` if it takes `variables=` because `f` reads
        trainable variables.

    Returns:
      Function of the same arguments, which returns `y`.

    Raises:
      TypeError: `f` reads trainable variables and `grad_fn` does not take `variables=`.
      ValueError: `grad_fn` returns another number of cotangents than there are arguments.

    Gradient: what `grad_fn` returns, called once for every backward pass through the function. Its own operations
    are differentiated in turn, so higher orders work. Forward mode differentiates the operations of `f`, as in TF;
    where they do not connect (`f` uses NumPy) it is the transpose of `grad_fn`.
    TF: `tf.custom_gradient`.
    """
    if f is None:
        return custom_gradient
    return Bind(f, _call_with_gradient)


def _call_with_gradient(f, args, kwargs):
    if engine.state.graph.symbolic:
        if kwargs and function_trace(engine.state.graph) is not None:
            raise ValueError(
                "The custom_gradient decorator currently supports keywords arguments only when eager execution is "
                "enabled."
            )
        return _record_in_graph(f, args, nest.map_structure(_as_tensor_argument, kwargs))
    collector = VariableCollector()
    with engine.watching((*engine.state.watchers, collector)):
        result, grad_fn = f(*args, **kwargs)
    gradient = _Gradient(f, grad_fn, args, kwargs, collector, result)
    outputs = [applied(_COPY, to_node(_part(x))) for x in nest.flatten(result)]
    inputs = tuple(gradient.input_nodes())
    call = _EagerCall(gradient)
    for watcher in engine.state.watchers:
        watcher.observe(call, inputs, tuple(outputs))
    return _packed_like(result, outputs)


def _part(x):
    """What a derivative of `x` is taken of: the flat values of a ragged tensor, or `x` itself.

    Raises:
      ValueError: another value made of tensors.
    """
    if not isinstance(x, CompositeTensor):
        return x
    if not x._has_gradient:
        raise ValueError(f"Type {type(x).__name__} is not supported as a gradient source or gradient target.")
    return x._differentiable_part()


def _like(x, tensor):
    """`x`, of which `tensor` is the new `_part`."""
    return x._with_differentiable_part(tensor) if isinstance(x, CompositeTensor) else tensor


def _packed_like(result, nodes):
    tensors = [_like(x, wrap(node)) for x, node in zip(nest.flatten(result), nodes, strict=True)]
    return nest.pack_sequence_as(result, tensors)


def _as_tensor_argument(x):
    return x if isinstance(x, Tensor | Variable) or not _convertible(x) else convert_to_tensor(x)


def _convertible(x):
    if x is None or callable(x) or isinstance(x, str):
        return False
    try:
        to_node(x)
    except (TypeError, ValueError):
        return False
    return True


class _Gradient:
    """What a call of a function with a custom gradient left behind: its inputs and the user's gradient function."""

    def __init__(self, f, grad_fn, args, kwargs, collector, result):
        self.f, self.grad_fn, self.results = f, grad_fn, nest.flatten(result)
        flat = [_as_tensor_argument(_part(x)) for x in nest.flatten(args)]
        self.count = len(flat)
        self.is_tensor = [isinstance(x, Tensor | Variable) for x in flat]
        self.arguments = [x for x, tensor in zip(flat, self.is_tensor, strict=True) if tensor]
        arguments = {id(x) for x in nest.flatten((args, kwargs)) if isinstance(x, Variable)}
        self.variables = [v for v in collector.variables.values() if id(v) not in arguments]
        takes_variables = _takes_variables(grad_fn)
        if self.variables and not takes_variables:
            raise TypeError(
                "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
                f"{[v.name for v in self.variables]}"
            )
        self.pass_variables = bool(self.variables)

    def input_nodes(self):
        return [x._as_node() if isinstance(x, Variable) else x._node for x in (*self.arguments, *self.variables)]

    def __call__(self, cotangents):
        """Calls the user's function on tensors; returns a node, IndexedSlices or None for each input."""
        cotangents = [_like(x, cotangent) for x, cotangent in zip(self.results, cotangents, strict=True)]
        if self.pass_variables:
            grads, variable_grads = self.grad_fn(*cotangents, variables=self.variables)
            variable_grads = nest.flatten(variable_grads)
            if len(variable_grads) != len(self.variables):
                raise ValueError(
                    f"Must return gradient for each variable from @custom_gradient grad_fn. Expected "
                    f"{len(self.variables)}, got {len(variable_grads)}."
                )
        else:
            grads, variable_grads = self.grad_fn(*cotangents), []
        grads = [_part(g) for g in nest.flatten(grads)]
        if len(grads) != self.count:
            raise ValueError(
                f"custom_gradient function expected to return {self.count} gradients, but returned {len(grads)} "
                "instead."
            )
        grads = [g for g, tensor in zip(grads, self.is_tensor, strict=True) if tensor]
        return [_cotangent(g) for g in (*grads, *variable_grads)]


def _takes_variables(grad_fn):
    parameters = inspect.signature(grad_fn).parameters.values()
    return any(p.name == "variables" or p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)


def _cotangent(g):
    if g is None or type(g) is _reverse.IndexedSlices:
        return g
    return to_node(g)


class _EagerCall(_reverse.CustomCall):
    """The record of one call outside of a function being traced."""

    def __init__(self, gradient):
        self._gradient = gradient

    def backward(self, inputs, outputs, cotangents):
        filled = [
            _reverse.zeros_like(node) if g is None else g for node, g in zip(outputs, cotangents, strict=True)
        ]
        return self._gradient([wrap(node) for node in filled])

    def push_forward(self, inputs, outputs, moving, tangents):
        """The transpose of the user's gradient function, applied to the tangents."""
        with engine.Capture() as capture:
            seeds = [capture.placeholder(node.aval) for node in outputs]
            grads = self._gradient([wrap(seed) for seed in seeds])
            pairs = [(t, grads[i]) for i, t in zip(moving, tangents, strict=True)]
            connected = [(t, _reverse.dense(grad)) for t, grad in pairs if grad is not None]
        if not connected:
            return [None] * len(outputs)
        walk, captures = capture.operation([g for _, g in connected], "CustomGradient")
        operation = _transpose(walk, tuple((n.aval.shape, n.aval.dtype) for n in outputs), len(connected))
        result = engine.apply(operation, (*[t for t, _ in connected], *captures))
        return result if type(result) is tuple else (result,)


@engine.made_once
def _transpose(walk, seeds, count):
    """The operation (tangents..., captures...) -> tangents of the outputs.

    The gradient function need not be linear (it may clip): what is transposed is its derivative at zero.
    """

    def fn(*arrays):
        tangents, captures = arrays[:count], arrays[count:]
        zeros = [jnp.zeros(shape, dtype) for shape, dtype in seeds]
        _, pull = jax.vjp(lambda *s: walk.fn(*s, *captures), *zeros)
        result = pull(tuple(jnp.conj(t) if jnp.iscomplexobj(t) else t for t in tangents))
        return tuple(jnp.conj(r) if jnp.iscomplexobj(r) else r for r in result)

    return engine.Operation("CustomGradientJVP", fn)


# --- inside a function being traced: one operation with a custom VJP --------------------------------------------------


class _Nesting(ThreadState):
    """How many gradient functions are being traced, each called by the one before."""

    depth = 0


_nesting = _Nesting()


@contextlib.contextmanager
def _deeper():
    _nesting.depth += 1
    try:
        yield
    finally:
        _nesting.depth -= 1


def _record_in_graph(f, args, kwargs):
    trace = function_trace(engine.state.graph)
    if trace is not None:
        trace.has_custom_gradient = True
    flat_args = nest.flatten(args)
    flat = [_as_tensor_argument(_part(x)) for x in flat_args]
    collector = VariableCollector()
    with engine.Capture() as forward, _assigning_in(trace, forward) as (current, assigned):
        # Python numbers stay known: shapes may depend on them. As in TF, `f` gets the tensors themselves: what it reads
        # from outside may be among them.
        inner = [
            _like(x, y) if isinstance(x, CompositeTensor) else y for x, y in zip(flat_args, flat, strict=True)
        ]
        arguments = [x._node for x in flat if isinstance(x, Tensor)]
        forward.placeholders.extend(arguments)
        with engine.watching((collector,)):
            inner_args: Any = nest.pack_sequence_as(args, inner)
            result, grad_fn = f(*inner_args, **kwargs)
        results = [to_node(_part(x)) for x in nest.flatten(result)]
        outputs = [*results, *[current[key] for key in assigned]]
        gradient = _Gradient(f, grad_fn, inner_args, kwargs, collector, result)
        back = None
        if _nesting.depth < TAPE.custom_order:
            with _deeper(), engine.Capture() as backward:
                seeds = [backward.placeholder(node.aval) for node in results]
                grads = [None if g is None else _reverse.dense(g) for g in gradient([wrap(s) for s in seeds])]
            back, back_captures = backward.operation([g for g in grads if g is not None], "CustomGradient")
    if back is None:  # a gradient function may call the function itself: f' = 1 - f * f
        ahead, captures = forward.operation(outputs, "CustomForward")
        nodes = engine.apply(_too_deep(ahead), (*arguments, *captures))
    else:
        variables = [x for x in (*gradient.arguments, *gradient.variables) if isinstance(x, Variable)]
        residuals = [n for n in back_captures if n.graph is forward.graph]
        outside = [n for n in back_captures if n.graph is not forward.graph]
        ahead, ahead_captures = forward.operation([*outputs, *residuals], "CustomForward")
        # Where each tensor or variable among the inputs stands, and which of them have a cotangent.
        order = [
            "argument" if isinstance(x, Tensor) else "variable" for x in (*gradient.arguments, *gradient.variables)
        ]
        inputs = (*arguments, *[v._as_node() for v in variables], *ahead_captures, *outside)
        operation = _graph_operation(
            ahead, back, len(arguments), len(variables), len(ahead_captures), len(results), len(outputs), tuple(order),
            tuple(g is not None for g in grads), tuple(n.graph is forward.graph for n in back_captures),
        )  # fmt: skip
        nodes = engine.apply(operation, inputs)
    if trace is not None:
        for variable, node in zip(assigned.values(), nodes[len(results):], strict=True):
            trace.assign(variable, node)
    return _packed_like(result, nodes[:len(results)])


def _assigning_in(trace, capture):
    """A context in which variables may be assigned; what they are then is a result of the captured function."""
    return contextlib.nullcontext(({}, {})) if trace is None else trace.assigning_in(capture.graph)


@engine.made_once
def _too_deep(ahead):
    """`ahead`, which raises where it is differentiated."""

    def error():
        return UnimplementedError(
            None, None,
            f"a derivative of order above {TAPE.custom_order} of a tf.custom_gradient whose gradient function calls "
            "one, in a tf.function: take it outside of the function",
        )  # fmt: skip

    return engine.Operation("CustomGradient", engine.refusing(ahead.fn, error), refuses=True)


@engine.made_once
def _graph_operation(
    ahead, back, n_arguments, n_variables, n_captures, n_results, n_outputs, order, has_grad, from_residuals
):  # `n_outputs` with what variables are after it, which have no cotangents
    def conj(xs):
        return [jnp.conj(x) if jnp.iscomplexobj(x) else x for x in xs]

    def run(inputs):
        values = ahead.fn(*inputs[:n_arguments], *inputs[n_arguments + n_variables:][:n_captures])
        return tuple(values[:n_outputs]), tuple(values[n_outputs:])

    def fwd(inputs):
        outputs, residuals = run(inputs)
        return outputs, (residuals, inputs)

    def bwd(saved, cotangents):
        residuals, inputs = saved
        outside = iter(inputs[n_arguments + n_variables + n_captures:])
        residuals = iter(residuals)
        captured = [next(residuals) if inner else next(outside) for inner in from_residuals]
        grads = iter(conj(back.fn(*conj(cotangents[:n_results]), *captured)))
        arguments, variables = [], []
        for kind, present in zip(order, has_grad, strict=True):
            (arguments if kind == "argument" else variables).append(next(grads) if present else None)
        filled = [*arguments, *variables, *[None] * (len(inputs) - n_arguments - n_variables)]
        return (tuple(filled),)

    def fn(*inputs):
        primal = jax.custom_vjp(lambda inputs: run(inputs)[0])
        primal.defvjp(engine.keeping_sizes(fwd), engine.keeping_sizes(bwd))
        return primal(inputs)

    fn.structure = Structure(
        "custom gradient", ahead=ahead, back=back, n_arguments=n_arguments, n_variables=n_variables,
        n_captures=n_captures, n_results=n_results, n_outputs=n_outputs, order=order, has_grad=has_grad,
        from_residuals=from_residuals,
    )  # fmt: skip
    return engine.Operation("CustomGradient", fn)


# --- recompute_grad ---------------------------------------------------------------------------------------------------


def recompute_grad(f):
    """A function whose intermediate values are computed again in the backward pass instead of kept.

    Args:
      f: function of tensors that returns a tensor or a nest of tensors.

    Returns:
      Function of the same arguments and results.

    Raises:
      NotImplementedError: an accumulator watches an argument: there is no forward mode, as in TF.

    TF: `tf.recompute_grad`; here `jax.checkpoint` of the recorded function, so its Python code runs once, and
    variables that it assigns are assigned once.
    """

    @functools.wraps(f)
    def wrapped(*args, **kwargs):
        trace = function_trace(engine.state.graph)
        flat = nest.flatten(args)
        nodes = [to_node(x) if isinstance(x, Tensor | Variable) else None for x in flat]
        if any(isinstance(w, ForwardAccumulator) and w.moves(nodes) for w in engine.state.watchers):
            raise NotImplementedError(
                f"recompute_grad tried to transpose grad of {getattr(f, '__name__', f)}. "
                "Consider not using recompute_grad in forward mode autodiff"
            )
        collector = VariableCollector()
        with engine.Capture() as capture, _assigned_once(trace, capture) as assigned:
            inner = [x if n is None else wrap(capture.placeholder(n.aval)) for x, n in zip(flat, nodes, strict=True)]
            with engine.watching((collector,)):
                result = f(*nest.pack_sequence_as(args, inner), **kwargs)
            outputs = [to_node(x) for x in nest.flatten(result)]
            assigned = assigned()
        operation, captures = capture.operation([*outputs, *[node for _, node in assigned]], "RecomputeGrad")
        # Variables are read as far as tapes know; other tensors from outside count as constants, as in TF.
        read = {variable._as_node() for variable in collector.variables.values()}
        captures = [n if n in read or not n.aval.inexact else engine.apply(_STOP, (n,)) for n in captures]
        results = engine.apply(_checkpointed(operation), (*[n for n in nodes if n is not None], *captures))
        for (variable, _), node in zip(assigned, results[len(outputs):], strict=True):
            variable._set(node)
        return nest.pack_sequence_as(result, [wrap(node) for node in results[:len(outputs)]])

    return wrapped


@contextlib.contextmanager
def _assigned_once(trace, capture):
    """A context in which variables may be assigned; yields a function that lists (variable, node of what it is)."""
    if trace is None:
        with assigning_in(capture.graph) as assigned:
            yield assigned
    else:
        with trace.assigning_in(capture.graph) as (current, assigned):
            yield lambda: [(variable, current[key]) for key, variable in assigned.items()]


@engine.made_once
def _checkpointed(operation):
    fn = jax.checkpoint(operation.fn)
    fn.structure = Structure("recomputed", operation=operation)
    return engine.Operation(operation.name, fn, conditional=operation.conditional)


def grad_pass_through(f):
    """A function that runs `f` forward and is the identity to derivatives.

    Args:
      f: function of one tensor that returns a tensor of the same shape.

    TF: `tf.grad_pass_through`.
    """

    @custom_gradient
    def wrapped(*args, **kwargs):
        def grad(*dys, variables=None):
            grads = dys[0] if len(dys) == 1 else dys
            return (grads, [None] * len(variables)) if variables else grads

        return f(*args, **kwargs), grad

    return functools.wraps(f)(wrapped)

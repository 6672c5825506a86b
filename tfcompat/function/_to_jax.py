"""JAX both ways: TF-style functions as pure JAX functions, JAX functions as operations."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import engine, nest
from tfcompat._core.convert import to_node
from tfcompat._core.module import Module
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._core.variable import Variable
from tfcompat._tracing.assertions import Report
from tfcompat._tracing.effects import Effects, unbounded_run
from tfcompat.errors import UnimplementedError
from tfcompat.function import Function
from tfcompat.function._arguments import TENSORS, Arguments

# --- to JAX -------------------------------------------------------------------------------------------------------


def to_jax(f, variables=None):
    """A function written in TensorFlow's style as a pure function of a state and arrays.

        step = tfcompat.to_jax(train_step)
        state = step.state(x, y)
        for x, y in batches:
            loss, state = jax.jit(step)(state, x, y)
        step.restore(state)

    Args:
      f: function or `tf.function` of tensors, as `tf.function` takes it: with tapes, variables, control flow inside.
      variables: nest of the variables that make up the state, or a `tf.Module`; by default those that `f` uses, which
        `state` finds.

    Returns:
      `JaxFunction`: of (state, arguments of `f`), returns (result, next state), arrays for tensors. To be used with
      `jax.jit`, `vmap`, `grad`, `shard_map`. `f` is traced once for each signature.
    """
    return JaxFunction(f, variables)


class JaxFunction:
    """A pure function made by `to_jax`."""

    def __init__(self, f, variables=None):
        self._function = f if isinstance(f, Function) else Function(f)
        functools.update_wrapper(self, self._function)
        if isinstance(variables, Module):
            variables = list(variables.variables)
        self._structure = variables
        self._variables = None if variables is None else nest.flatten(variables)

    def state(self, *args, **kwargs):
        """The current values of the variables, as a pytree: a dict by name, or a structure like `variables`.

        Args:
          *args, **kwargs: arguments of the function, which is traced to find the variables, if they were not given.
        """
        if self._variables is not None:
            values = [engine.value_of(v._current_node()) for v in self._variables]
            return nest.pack_sequence_as(self._structure, [_as_jax(x) for x in values])
        concrete, arguments = self._concrete(args, kwargs)
        return {name: _as_jax(engine.value_of(v._current_node())) for name, v in _named(_used(concrete, arguments))}

    def restore(self, state):
        """Assigns the values of a state to the variables."""
        for variable, value in self._pairs(state):
            variable.assign(value)

    def _pairs(self, state):
        if self._variables is not None:
            return list(zip(self._variables, nest.flatten(state), strict=True))
        known = {}
        for concrete in self._function._traces.concrete.values():
            known.update(_named(_used(concrete)))
        missing = state.keys() - known.keys()
        if missing:
            raise ValueError(f"{self._function.name}: the state has {sorted(missing)}, which no trace has used")
        return [(known[name], value) for name, value in state.items()]

    def _concrete(self, args, kwargs):
        args, kwargs = nest.map_structure(_as_argument, (args, kwargs))
        arguments = Arguments(*self._function._parameters.bind(args, kwargs))
        return self._function._concrete_for(arguments), arguments

    def __call__(self, state, *args, **kwargs):
        concrete, arguments = self._concrete(args, kwargs)
        values_by_id = {id(v): x for v, x in self._pairs(state)}
        read, names = [], dict((id(v), name) for name, v in _named(_used(concrete, arguments)))
        for v in concrete.variables:
            v = arguments.variables[v] if type(v) is int else v
            if isinstance(v, Effects):
                read.append(np.array([unbounded_run(), 0], np.int32))
            elif isinstance(v, Report):
                read.append(engine.conditions.NO_REPORT.value)
            else:
                read.append(values_by_id[id(v)] if id(v) in values_by_id else engine.value_of(v._current_node()))
        with jax.enable_x64(True):
            results = concrete.operation.fn(
                *[engine.value_of(n) for n in arguments.nodes], *read, *map(engine.value_of, concrete.captures)
            )
        outputs, deferred, written = concrete.sorted_results(results)
        for v, value in written:
            v = arguments.variables[v] if type(v) is int else v
            if isinstance(v, Report):
                _check(value, concrete.asserts)
            elif not isinstance(v, Effects):
                if id(v) not in values_by_id:
                    raise ValueError(
                        f"{self._function.name} assigns the variable {names[id(v)]}, which is not in the state"
                    )
                values_by_id[id(v)] = value
        for function, values in deferred:
            jax.debug.callback(function, *values)
        values = [values_by_id[id(v)] for v, _ in self._pairs(state)]
        if self._variables is not None:
            state = nest.pack_sequence_as(self._structure, values)
        else:
            state = dict(zip(state, values, strict=True))
        return concrete._packed(outputs), state


def _used(concrete, arguments=None):
    """The variables and other holders of state that a trace reads, including its arguments if these are passed."""
    for v in concrete.variables:
        if type(v) is int:
            if arguments is None:
                continue
            v = arguments.variables[v]
        if not isinstance(v, Effects | Report):
            yield v


def _named(variables):
    """(name, variable) with a name of its own for each variable."""
    seen: dict = {}
    for v in variables:
        name = v.name.removesuffix(":0")
        number = seen[name] = seen.get(name, -1) + 1
        yield (f"{name}_{number}" if number else name), v


def _as_argument(x):
    return wrap(engine.leaf(x)) if isinstance(x, jax.Array) else x


def _as_jax(value):
    if isinstance(value, jax.Array):
        return value
    with jax.enable_x64(True):
        return jnp.asarray(value)


def _check(report, asserts):
    """Raises if a report is broken. Under JAX's transformations only assertions are checked, when they run."""

    def check(numbers):
        if int(numbers[0]):
            raise engine.conditions.error_of(np.asarray(numbers))

    if not isinstance(report, jax.core.Tracer):
        check(report)
    elif asserts:
        jax.debug.callback(check, report)


# --- from JAX -----------------------------------------------------------------------------------------------------


def from_jax(f, name=None):
    """A JAX function as a function of tensors, one operation to tapes and accumulators.

        @tfcompat.from_jax
        def normalized(x):
            return x / jnp.linalg.norm(x)

    Args:
      f: pure JAX function of arrays and pytrees of arrays; Python values among its arguments are static, and must be
        hashable.
      name: of the operation in messages; by default that of `f`.

    Returns:
      Function of tensors, variables and arrays in place of the arrays, which returns tensors in place of arrays.

    Gradient: that of `f`, in both modes, to any order.
    """
    name = name or getattr(f, "__name__", type(f).__name__)
    operations: dict = {}

    def call(*args, **kwargs):
        leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=lambda x: isinstance(x, Tensor | Variable))
        is_array = tuple(isinstance(x, (*TENSORS, Variable)) for x in leaves)
        static = tuple((type(x), x) for x, array in zip(leaves, is_array, strict=True) if not array)
        nodes = [to_node(x) for x, array in zip(leaves, is_array, strict=True) if array]
        if any(n.aval.dtype.hasobject for n in nodes):
            raise UnimplementedError(None, None, f"{name}: text is not available to JAX")
        # As by JAX's own default, 64-bit values appear inside only if JAX is told so, or gets them as inputs.
        wide = bool(jax.config.jax_enable_x64) or any(n.aval.dtype.itemsize == 8 for n in nodes)
        key = (tree, is_array, static, wide)
        entry = operations.get(key)
        if entry is None:
            entry = operations[key] = _operation(f, name, tree, is_array, [x for _, x in static], wide)
        operation, trees = entry
        avals = tuple(engine.Aval(n.aval.shape, n.aval.dtype) for n in nodes)
        results = engine.apply(operation, tuple(nodes))
        return jax.tree.unflatten(trees[avals], [wrap(n) for n in results])

    if hasattr(f, "__name__"):
        functools.update_wrapper(call, f)
    return call


def _operation(f, name, tree, is_array, static, wide):
    trees = {}  # avals of the inputs -> structure of the result

    def fn(*arrays):
        remaining, fixed = iter(arrays), iter(static)
        args, kwargs = jax.tree.unflatten(tree, [next(remaining) if array else next(fixed) for array in is_array])
        with jax.enable_x64(wide):
            result = f(*args, **kwargs)
            leaves, structure = jax.tree.flatten(result, is_leaf=lambda x: isinstance(x, Tensor | Variable))
            leaves = [engine.value_of(to_node(x)) if isinstance(x, Tensor | Variable) else jnp.asarray(x)
                      for x in leaves]
        trees[tuple(engine.Aval(tuple(a.shape), np.dtype(a.dtype)) for a in arrays)] = structure
        return tuple(leaves)

    return engine.Operation(name, fn), trees

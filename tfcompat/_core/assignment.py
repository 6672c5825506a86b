"""What assigning a variable records: the new value, of some rows only or not at all if a condition is broken."""

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import engine
from tfcompat.errors import InvalidArgumentError


@jax.custom_jvp
def _rebind(value, variable):
    return value


@_rebind.defjvp
def _rebind_jvp(primals, tangents):
    return primals[0], tangents[1]


COPY = engine.Operation("Identity", lambda x: x)


def applied(operation, node):
    """The result of a function of one array; text, variants and quantized values, which no program takes, stay."""
    on_host = node.aval.dtype.hasobject or node.aval.dtype.names is not None
    return node if on_host else engine.apply(operation, (node,))


def copied(node):
    """A copy of a node, so that the other one may be overwritten."""
    return applied(COPY, node)


def _depends_on_the_variable(avals):
    return (frozenset([1]),), None


_REBIND = engine.Operation("AssignVariableOp", _rebind, composed=_depends_on_the_variable)


def rebound(node, start):
    """`node`, assigned in captured code to a variable whose value was `start`: derivatives go to the variable."""
    return engine.apply(_REBIND, (node, start)) if start.aval is node.aval and node.aval.inexact else node


def unless_broken(graph, variable, before, node):
    """The node to assign to `variable`, whose value is `before`, where that may have to be taken back.

    Where the report of `graph` is broken, the variable keeps its value: it is taken back, or, if it is large, the
    program does not change it, so that its memory can be overwritten.
    """
    if graph.report is None or not (node.aval.large and node.aval is before.aval):
        engine.note_assignment(graph, variable, before, node)
        return node
    if graph.gathering is not None:
        graph.gathering.note_assignment(variable, before)
    with engine.watching(()):
        return guarded(node, before, is_fine(graph.report))


def is_fine(report):
    """The node of a bool scalar: whether no condition was broken so far."""
    return engine.apply(IS_FINE, (report,))


def _scatter_operation(which, method):
    kernel = f"ResourceScatter{which.capitalize()}"

    def scatter(x, indices, updates):
        if indices.dtype.kind == "i":  # JAX counts negative indices from the end
            indices = jnp.where(indices < 0, x.shape[0], indices)
        return method(x.at[indices], updates)

    def scatter_if(fine, x, indices, updates):
        return scatter(x, jnp.where(fine, indices, engine.conditions.nowhere(indices.dtype)), updates)

    operation = engine.Operation(
        kernel, scatter, requires=lambda x, indices, updates: engine.conditions.in_range(indices, x.shape[0], kernel),
        identity=kernel, differentiable=False,  # derivatives go to the variable, see `_REBIND`
    )  # fmt: skip
    SCATTER_IF[operation] = engine.Operation(kernel, scatter_if, identity=f"{kernel} if", differentiable=False)
    return operation


def guarded(node, start, fine):
    """The node of `node` where the bool scalar `fine` is true, else of `start`: of a variable after and before.

    Where rows of a variable are updated, the others are not copied: there is nowhere to put the rows.
    """
    source = node.inputs[0] if node.call is not None and node.call.operation is _REBIND else node
    operation = SCATTER_IF.get(source.call and source.call.operation)
    if operation is not None and source.inputs[0] is start:
        return engine.apply(operation, (fine, *source.inputs))
    return engine.apply(CHOICE, (fine, node, start))


IS_FINE = engine.Operation("Equal", lambda report: report[0] == 0, identity="report is fine")
CHOICE = engine.Operation("SelectV2", jnp.where, identity="choice of a value")
SCATTER_IF: dict = {}  # operation -> the same of (bool scalar, *inputs), which does nothing where that is false
SCATTER = {
    which: _scatter_operation(which, method)
    for which, method in {
        "add": lambda at, updates: at.add(updates, mode="drop"),
        "sub": lambda at, updates: at.add(-updates, mode="drop"),
        "update": lambda at, updates: at.set(updates, mode="drop"),
        "max": lambda at, updates: at.max(updates, mode="drop"),
        "min": lambda at, updates: at.min(updates, mode="drop"),
        "mul": lambda at, updates: at.multiply(updates, mode="drop"),
        "div": lambda at, updates: at.divide(updates, mode="drop"),
    }.items()
}


def refuse_unless_moved(operation, dtype):
    """Raises InvalidArgumentError, if an operation of `SCATTER` computes with what it scatters, which is no number."""
    if operation is not SCATTER["update"]:
        raise InvalidArgumentError(
            None, None, f"{operation.name} takes variables of numbers, not of {dtype.name} [Op:{operation.name}]"
        )


def _batch_scatter(x, indices, updates):
    batch = np.ix_(*(np.arange(size) for size in indices.shape[:-1]), np.zeros(1, int))[:-1]
    return x.at[(*batch, indices)].set(updates)


def _batch_scatter_requires(x, indices, updates):
    return engine.conditions.in_range(indices, x.shape[indices.ndim - 1], "ResourceScatterNdUpdate")


BATCH_SCATTER = engine.Operation("BatchScatterUpdate", _batch_scatter, requires=_batch_scatter_requires)

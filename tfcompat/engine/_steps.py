"""Steps: what a captured function does in Python, between its programs, each time that it runs.

Text never enters XLA, and sizes that depend on values are no sizes of a program. A call of such a function is recorded
like any other. Its operation has a `step`, which computes nodes from nodes. A captured graph with steps is an operation
whose step plays it: each of its other calls is recorded, so that what stands between two steps runs as one program,
and tapes see each call.
"""

import functools

from tfcompat.engine import _sizes
from tfcompat.engine._aval import NO_ATTRIBUTES, Aval, TupleAval, attributes_of
from tfcompat.engine._bind import Call, Operation, is_derivative
from tfcompat.engine._graph import state
from tfcompat.engine._policy import KEEPING
from tfcompat.engine._record import apply, record


def record_step(operation, inputs, aval, attributes=NO_ATTRIBUTES):
    """Records a call of an operation that has a step.

    Args:
      operation: Operation.
      inputs: tuple of nodes.
      aval: of the result, or TupleAval of several; sizes that depend on values are new symbols.
      attributes: static attributes.

    Returns:
      Tuple of the nodes of the results.
    """
    in_avals = tuple([node.aval for node in inputs])
    results = record(Call(operation, attributes, operation.fn, in_avals, aval), tuple(inputs))
    results = results if type(results) is tuple else (results,)
    known = {size for aval in in_avals for size in aval.shape}
    state.graph.deciding += [
        node for node in results if any(type(size) is not int and size not in known for size in node.aval.shape)
    ]
    return results


def recorded_again(call, inputs):
    """As `record_step`, of a recorded call where it is played in a graph that is captured."""
    several = type(call.aval) is TupleAval
    avals = [Aval(_sizes.with_sizes(a.shape), a.dtype) for a in (call.aval.parts if several else [call.aval])]
    return record_step(call.operation, inputs, TupleAval(avals) if several else avals[0], call.attributes)


def called(operation, inputs):
    """The nodes of the results of a captured graph, a tuple.

    It is recorded as one call; or played, if it has steps or was recorded for symbols.
    """
    if operation.step is not None:
        return operation.step(None, inputs)
    if operation.avals is not None:
        return played(operation.fn.__self__, operation.avals, None, inputs)
    return apply(operation, tuple(inputs))


def has_steps(program, avals):
    """Whether a program, whose inputs have these avals, takes text or has a call with a step."""
    return any([aval.dtype.hasobject for aval in avals]) or any([call.operation.step for call, _ in program.steps])


def played(program, avals, _, inputs):
    """The nodes of the results of a program of inputs with these avals, a tuple; the step of its operation."""
    sizes, results = dict(_sizes.known_sizes()), {}
    for aval, node in zip(avals, inputs, strict=True):
        note_sizes(sizes, aval, node)
    with _sizes.sizes_known(sizes):
        for i, (call, refs) in enumerate(program.steps):
            nodes = tuple([results[r] if r >= 0 else inputs[~r] for r in refs])
            if type(call) is not Call:
                results[i] = nodes[0][call.index]
                continue
            result = results[i] = recorded_call(call, nodes)
            several = type(call.aval) is TupleAval
            for aval, node in zip(call.aval.parts, result, strict=True) if several else ((call.aval, result),):
                note_sizes(sizes, aval, node)
    return tuple([results[r] if r >= 0 else inputs[~r] for r in program.outputs])


def note_sizes(sizes, aval, node):
    """Notes what the symbols in the shape of an aval stand for."""
    if aval is not node.aval:
        for symbol, size in zip(aval.shape, node.aval.shape, strict=True):
            if type(symbol) is not int:
                sizes.setdefault(str(symbol), size)


def recorded_call(call, nodes):
    """The result of a call of other nodes, whose sizes may be known now: a node, or a tuple of nodes."""
    if call.operation.step is not None:
        results = call.operation.step(call, nodes)
        return results if type(call.aval) is TupleAval else results[0]
    if is_derivative(call) and _sizes.known_sizes():
        return record(_derived_for_sizes(call, nodes), nodes)
    operation, attributes = call_for_sizes(call)
    if operation is call.operation and attributes is call.attributes:
        if all([a is n.aval for a, n in zip(call.in_avals, nodes, strict=True)]):
            return record(call, nodes)
    return apply(operation, nodes, attributes)


def _derived_for_sizes(call, nodes):
    """The derivative that a call is, of the call that it derives from for the sizes of some nodes.

    That call may be one of a family; then nothing is traced for the sizes.
    """
    _, key, primal = call.operation.made_of
    inputs = nodes[: len(primal.in_avals)]
    if is_derivative(primal):
        primal = _derived_for_sizes(primal, inputs)
    else:
        operation, attributes = call_for_sizes(primal)
        primal = operation.bind(attributes, tuple([node.aval for node in inputs]))
    return primal.jvp(key[0]) if key[1] == "jvp" else primal.vjp(*key)


def call_for_sizes(call):
    """Operation and attributes of a call, with the sizes that are known now in place of symbols."""
    operation, attributes = call.operation, call.attributes
    if _sizes.has_symbols(attributes.values):
        attributes = attributes_of(*map(_sizes.with_sizes, attributes.values))
    if operation.composed and operation.identity is None and _sizes.known_sizes():  # its parts may hold symbols
        sizes, inner = dict(_sizes.known_sizes()), getattr(operation.fn, "of_sizes", None)
        if inner is not None:  # it was played in a graph that was captured
            operation, sizes = inner, sizes | dict(attributes.values[0])
        return _for_sizes(operation), attributes_of(tuple(sizes.items()))
    return operation, attributes


@functools.lru_cache(maxsize=KEEPING.traces)
def _for_sizes(operation):
    """An operation that was captured for symbols, with what they stand for as an attribute."""

    def fn(*arrays, sizes):
        with _sizes.sizes_known(dict(sizes)):
            return operation.fn(*arrays)

    fn.of_sizes = operation
    return Operation(operation.name, fn, ("sizes",), composed=operation.composed, weight=operation.weight)

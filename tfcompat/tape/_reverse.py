"""The backward walk: from recorded operations to cotangents."""
import jax.numpy as jnp
import numpy as np

from tfcompat import engine
from tfcompat._core.convert import to_node
from tfcompat._core.in_graphs import as_in_graph
from tfcompat._core.indexed_slices import PASSES_SLICES, SPARSE_GRADIENTS, IndexedSlices
from tfcompat._core.tensor import wrap
from tfcompat.errors import InvalidArgumentError

_ONES = engine.Operation("Ones", lambda *, shape, dtype: jnp.ones(shape, dtype), ("shape", "dtype"))
_ZEROS = engine.Operation("Zeros", lambda *, shape, dtype: jnp.zeros(shape, dtype), ("shape", "dtype"))
_ADD = engine.Operation("AddN", jnp.add, identity="AddN")
_JOIN = engine.Operation("ConcatV2", lambda a, b: jnp.concatenate([a, b]))
_BROADCAST = engine.Operation("BroadcastTo", jnp.broadcast_to, ("shape",))

# A cotangent that is surely zero, of which nothing need be computed; TF computes zeros and gives them, not None.
_ZERO = object()

# Kernel name -> rule(call, inputs, outputs, cotangents), from tf.RegisterGradient and tf.no_gradient.
REGISTERED: dict = {}


class CustomCall:
    """Stands in a tape's record where the gradient is Python code rather than derived.

    `backward(inputs, outputs, cotangents)` gets a node or None for each output and returns one for each input;
    `push_forward(inputs, outputs, moving, tangents)` returns the tangents of the outputs.
    """

    differentiable = True
    depends = None
    divides = False  # whether the walk before it and the walk after it are operations of their own

    def backward(self, inputs, outputs, cotangents):
        raise NotImplementedError

    def push_forward(self, inputs, outputs, moving, tangents):
        raise NotImplementedError


def ones_like(node):
    """A node of ones, of the shape and dtype of `node`."""
    return engine.apply(_ONES, (), engine.attributes_of(node.aval.shape, node.aval.dtype))


def zeros_like(node):
    """A node of zeros, of the shape and dtype of `node`."""
    return engine.apply(_ZEROS, (), engine.attributes_of(node.aval.shape, node.aval.dtype))


def dense(cotangent):
    """The node of a cotangent that may be IndexedSlices."""
    return cotangent._as_node() if type(cotangent) is IndexedSlices else cotangent


def _filled(cotangents, nodes):
    """`cotangents` of `nodes` as nodes; None stays."""
    return [zeros_like(node) if g is _ZERO else g if g is None else dense(g)
            for g, node in zip(cotangents, nodes, strict=True)]  # fmt: skip


def broadcast(cotangent, shape):
    """A cotangent, as the user gave it, in the shape of the target.

    Raises:
      tf.errors.InvalidArgumentError: it does not broadcast to that shape; in a function ValueError, as in TF.
    """
    cotangent_shape = cotangent.aval.shape
    if len(cotangent_shape) > len(shape):
        raise _does_not_fit(
            f"Rank of input ({len(cotangent_shape)}) must be no greater than rank of output shape ({len(shape)})."
        )
    if any(n not in (1, size) for n, size in zip(reversed(cotangent_shape), reversed(shape), strict=False)):
        raise _does_not_fit(f"Incompatible shapes: {list(cotangent_shape)} vs. {list(shape)}")
    return engine.apply(_BROADCAST, (cotangent,), engine.attributes_of(tuple(shape)))


def _does_not_fit(message):
    return as_in_graph(ValueError, InvalidArgumentError(None, None, message))


def _joined(a, b):
    """Two tensors, one after the other; on the host where both are known there."""
    a, b = to_node(a), to_node(b)
    if type(a.value) is type(b.value) is np.ndarray:
        return wrap(engine.leaf(np.concatenate([a.value, b.value])))
    return wrap(engine.apply(_JOIN, (a, b)))


def add(a, b):
    """The sum of two cotangents, nodes or IndexedSlices."""
    if type(a) is IndexedSlices and type(b) is IndexedSlices:
        return IndexedSlices(_joined(a.values, b.values), _joined(a.indices, b.indices), a.dense_shape)
    return engine.apply(_ADD, (dense(a), dense(b)))


def connected(call, inputs, outputs, known):
    """Those of `outputs` that depend on one of the `known` nodes, for a call in which not all do."""
    return [
        node for node, needs in zip(outputs, call.depends, strict=True)
        if node.aval.inexact and any(inputs[i] in known for i in needs)
    ]  # fmt: skip


def leading(records, sources):
    """The records on a path from one of `sources`, a set of nodes, and the set of nodes on such paths."""
    reached = set(sources)
    relevant = []
    for entry in records:
        call, inputs, outputs = entry
        if type(call) is not engine.Call or call.operation.unavoidable:
            # As in TF, the user's code is called, and a missing gradient is an error, on the way to no source too.
            reached.update(inputs)
        if not reached.isdisjoint(inputs):
            if call.depends is not None:
                outputs = connected(call, inputs, outputs, reached)
                if not outputs:
                    continue
            relevant.append(entry)
            reached.update(outputs)
    return relevant, reached


def backward(records, seeds, sources):
    """Cotangents of `sources`.

    Args:
      records: list of (call, inputs, outputs), in the order in which they were recorded.
      seeds: list of (node, cotangent node) of the targets; a node may occur twice.
      sources: set of nodes.

    Returns:
      dict from source node to node or IndexedSlices; sources without a path to a target are missing.

    Raises:
      LookupError: an operation on the path has no gradient.
    """
    relevant, reached = leading(records, sources)
    cotangents: dict = {}

    def accumulate(node, cotangent):
        known = cotangents.get(node)
        if known is None or known is _ZERO:
            cotangents[node] = cotangent
        elif cotangent is not _ZERO:
            cotangents[node] = add(known, cotangent)

    for node, seed in seeds:
        if node in reached:
            accumulate(node, seed)
    for call, inputs, outputs in reversed(relevant):
        output_cotangents = [cotangents.get(node) for node in outputs]
        if all(g is None for g in output_cotangents):
            continue
        for node in outputs:
            if node not in sources:
                cotangents.pop(node, None)
        if type(call) is engine.Call:
            rule = REGISTERED.get(call.operation.name) if REGISTERED else None
            if rule is None:
                if call.operation.refuses or call.operation in SPARSE_GRADIENTS:
                    output_cotangents = _filled(output_cotangents, outputs)
                _pull_back(call, inputs, output_cotangents, reached, accumulate)
                continue
            input_cotangents = rule(call, inputs, outputs, _filled(output_cotangents, outputs))
        else:
            input_cotangents = call.backward(inputs, outputs, _filled(output_cotangents, outputs))
        for node, cotangent in zip(inputs, input_cotangents, strict=True):
            if cotangent is not None and node in reached:
                accumulate(node, cotangent)
    totals = {node: cotangents[node] for node in sources if node in cotangents}
    return {node: zeros_like(node) if g is _ZERO else g for node, g in totals.items()}


def _pull_back(call, inputs, output_cotangents, reached, accumulate):
    """Records the VJP operation of one call and hands out the cotangents of its inputs."""
    if len(output_cotangents) == 1:
        if type(output_cotangents[0]) is IndexedSlices and call.operation in PASSES_SLICES:
            accumulate(inputs[0], output_cotangents[0])
            return
        rule = SPARSE_GRADIENTS.get(call.operation)
        if rule is not None:
            slices = rule(call, inputs, dense(output_cotangents[0]))
            if slices is not None:
                accumulate(inputs[0], slices)
                return
    wrt = [i for i, node in enumerate(inputs) if node.aval.inexact and node in reached]
    if call.depends is not None:
        wrt = _inputs_behind(wrt, call.depends, output_cotangents)
    if call.zeros is not None or _ZERO in output_cotangents:
        connected = wrt
        output_cotangents = [None if g is _ZERO else g for g in output_cotangents]
        wrt = _inputs_behind(wrt, _nonzero(call), output_cotangents)
        for i in connected:
            if i not in wrt:
                accumulate(inputs[i], _ZERO)
    wrt = tuple(wrt)
    if not wrt:
        return
    present = tuple([g is not None for g in output_cotangents])
    vjp = call.vjp(wrt, present)
    result = engine.record(vjp, (*inputs, *[dense(g) for g in output_cotangents if g is not None]))
    if len(wrt) == 1:
        accumulate(inputs[wrt[0]], result)
    else:
        for i, cotangent in zip(wrt, result, strict=True):
            accumulate(inputs[i], cotangent)


def _inputs_behind(wrt, depends, output_cotangents):
    """Those of the inputs `wrt` on which a result with a cotangent depends."""
    needed = frozenset().union(*(needs for needs, g in zip(depends, output_cotangents, strict=True) if g is not None))
    return [i for i in wrt if i in needed]


def _nonzero(call):
    """For each result, the inputs to which its derivative need not be zero."""
    count = len(call.aval.parts) if type(call.aval) is engine.TupleAval else 1
    depends = call.depends or (frozenset(range(len(call.in_avals))),) * count
    return [needs - zeros for needs, zeros in zip(depends, call.zeros or (frozenset(),) * count, strict=True)]

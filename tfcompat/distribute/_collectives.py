"""Collectives: what is computed of the values of all replicas. Each is an operation of the engine.

It takes the values of the replicas, in their order, and gives the one that all of them get. Where the replicas run as
one program for many devices, `engine.REPLICAS` says what it is there.
"""

import functools
import json
import operator

import jax.numpy as jnp
import numpy as np

from tfcompat import engine
from tfcompat._core.convert import to_node
from tfcompat._core.in_graphs import as_in_graph
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.tensor import EagerTensor, Tensor, wrap
from tfcompat._native import hand_over, twin
from tfcompat.array import concat
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.math import truediv
from tfcompat.tape._reverse import CustomCall, dense, zeros_like

_SUM = engine.Operation(
    "CollectiveReduceV2", lambda *values, place: functools.reduce(operator.add, values), ("place",),
    identity="sum of replicas",
)  # fmt: skip


def _joined(*values, place, axis, sizes):
    """The values of this process, with room for those of others: `sizes` has one for each of several processes."""
    own = jnp.concatenate(values, axis)
    if not sizes:
        return own
    return jnp.pad(own, [(0, sum(sizes) - own.shape[axis] if i == axis else 0) for i in range(own.ndim)])


_GATHER = engine.Operation(
    "CollectiveGatherV2", _joined, ("place", "axis", "sizes"), identity="gather of replicas"
)
hand_over(SUM=_SUM, MARK=engine.replicas.MARK)
engine.replicas.COLLECTIVES.update({_SUM: "sum", _GATHER: "gather"})


def total(values, mean, place):
    """The sum, or the mean, of one tensor from each replica; of IndexedSlices, all slices.

    Args:
      values: of the replicas.
      mean: whether it is the mean.
      place: of the strategy, see `engine.replicas.place_of`.

    Raises:
      tf.errors.InvalidArgumentError: their shapes or dtypes differ.
      AttributeError: one of them is None, or a nest.
    """
    if type(values[0]) is EagerTensor:
        aval = values[0]._node.aval
        nodes = tuple([value._node for value in values if type(value) is EagerTensor and value._node.aval is aval])
        if len(nodes) == len(values):
            return total_of_nodes(nodes, mean, place)
    for value in values:
        if value is None or isinstance(value, tuple | list | dict):
            kind = type(value).__name__
            raise AttributeError(f"'{kind}' object has no attribute 'device': all-reduce of the values {values}")
    if isinstance(values[0], IndexedSlices):
        slices = gathered([each.values for each in values], 0, place)
        indices = gathered([each.indices for each in values], 0, place)
        slices = slices / engine.replicas.count_at(place) if mean else slices
        return IndexedSlices(slices, indices, values[0].dense_shape)
    nodes = tuple(map(to_node, values))
    if len({(node.aval.shape, node.aval.dtype) for node in nodes}) > 1:
        raise not_alike([node.aval for node in nodes])
    return total_of_nodes(nodes, mean, place)


def not_alike(avals):
    """The error that values of replicas, of these avals, cannot be combined: in a function as TF finds it there."""
    error = InvalidArgumentError(
        None, None,
        f"all-reduce: the values of the replicas must have the same shape and dtype, got {', '.join(map(str, avals))}",
    )  # fmt: skip
    return as_in_graph(TypeError if len({aval.dtype for aval in avals}) > 1 else ValueError, error)


def total_of_nodes(nodes, mean, place):
    """The sum, or the mean, of a tuple of nodes of the same shape, one from each replica, as a tensor."""
    node = engine.apply(_SUM, nodes, _at(place))
    return truediv(wrap(node), wrap(_number(engine.replicas.count_at(place), node.aval.dtype))) if mean else wrap(node)


@functools.cache
def _number(count, dtype):
    """The node of a number; always the same one, which is on the devices already."""
    return engine.shared_leaf(np.asarray(count, dtype))


def gathered(values, axis, place):
    """One tensor from each replica, joined along `axis`.

    Raises:
      tf.errors.InvalidArgumentError: their dtypes differ.
      tf.errors.UnimplementedError: there are several processes, and sizes are not known, in a tf.function.
    """
    nodes = tuple(map(to_node, values))
    several = engine.replicas.is_of_processes(place)
    if len({node.aval.dtype for node in nodes}) > 1:
        kinds = ", ".join(str(node.aval) for node in nodes)
        raise InvalidArgumentError(
            None, None, f"gather: the values of the replicas must have the same dtype, got {kinds}"
        )
    if not nodes[0].aval.shape or not several and len({node.aval.shape for node in nodes}) > 1:
        return concat(list(values), axis)  # which also tells what is wrong
    if not several:
        return wrap(engine.apply(_GATHER, nodes, engine.attributes_of(place, axis, ())))
    axis %= len(nodes[0].aval.shape)
    own = [node.aval.shape[axis] for node in nodes]
    if not all(type(size) is int for size in own):
        raise UnimplementedError(
            None, None,
            f"gather: expected tensors of known sizes where there are several processes, got {own} along axis {axis}",
        )  # fmt: skip
    sizes = [json.loads(text) for text in engine.processes.told(json.dumps(own))]
    if len({size for of_one in sizes for size in of_one}) > 1:
        place = engine.replicas.uneven(place)
    return wrap(engine.apply(_GATHER, nodes, engine.attributes_of(place, axis, tuple(map(sum, sizes)))))


class AllReduce(CustomCall):
    """The record of an all-reduce: the cotangents of all replicas are reduced in the same way, and so are tangents.

    Args:
      reduce: function of the tensor of this replica: the sum or mean of those of all.
    """

    divides = True

    def __init__(self, reduce):
        self._reduce = reduce

    def backward(self, inputs, outputs, cotangents):
        (cotangent,) = cotangents
        cotangent = zeros_like(outputs[0]) if cotangent is None else dense(cotangent)
        return [to_node(self._reduce(wrap(cotangent)))]

    def push_forward(self, inputs, outputs, moving, tangents):
        return [to_node(self._reduce(wrap(tangent))) for tangent in tangents]


class AllGather(CustomCall):
    """The record of an all-gather.

    Args:
      reduce: function of a tensor of this replica: the sum over all.
      own: function of a gathered tensor: the part of this replica.
      gather: function of the tensor of this replica: those of all, joined.
    """

    divides = True

    def __init__(self, reduce, own, gather):
        self._reduce, self._own, self._gather = reduce, own, gather

    def backward(self, inputs, outputs, cotangents):
        (cotangent,) = cotangents
        cotangent = zeros_like(outputs[0]) if cotangent is None else dense(cotangent)
        return [to_node(self._own(self._reduce(wrap(cotangent))))]

    def push_forward(self, inputs, outputs, moving, tangents):
        return [to_node(self._gather(wrap(tangent))) for tangent in tangents]


def told(call, value, result):
    """`result` of a collective of `value`; the tapes and accumulators of this replica are told of it."""
    if isinstance(value, Tensor) and value._node.aval.inexact:
        for watcher in engine.state.watchers:
            watcher.observe(call, (value._node,), (result._node,))
    return result


def mark(node, replica, place):
    """The node of a value of one replica, marked as such: the engine knows by it what belongs together."""
    return _marked(node, _of_replica(replica, place))


def _marked(node, attributes):
    if node.value is not None or node.aval.dtype.hasobject or engine.immediate():
        return node
    return engine.apply(engine.replicas.MARK, (node,), attributes)


@twin
def marked(tensors, marks):
    """List of tensors: those of all replicas, in a tuple, marked if they are not known yet.

    Args:
      marks: tuple of the attributes of the marks, see `attributes_at`.
    """
    context = engine.state.context
    watchers, context.watchers = context.watchers, ()
    try:
        return [wrap(_marked(tensor._node, attributes)) for tensor, attributes in zip(tensors, marks, strict=True)]
    finally:
        context.watchers = watchers


_of_replica = functools.cache(engine.attributes_of)
_at = functools.cache(engine.attributes_of)


@functools.cache
def attributes_at(place, count):
    """The attributes of sums at a place, and those of the marks of each of `count` replicas."""
    return _at(place), tuple([_of_replica(replica, place) for replica in range(count)])


def mark_variable(variable, replica, place):
    """Marks the value that a part of a variable has been assigned."""
    context = engine.state.context
    graph, watchers = context.graph, context.watchers
    trace = engine.function_trace(graph) if graph.symbolic else None
    context.watchers = ()
    try:
        if trace is not None:
            trace.current[id(variable)] = mark(trace.read(variable), replica, place)
        elif not graph.symbolic:
            variable._node = mark(variable._node, replica, place)
            engine.assigned(variable._node)
    finally:
        context.watchers = watchers

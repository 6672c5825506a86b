"""Jacobians: the backward walk as one function of the seed, mapped over all seeds.

As with gradients, a walk of a structure seen before is not captured again.
"""
import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from tfcompat import engine
from tfcompat.engine._policy import TAPE
from tfcompat.tape import _reverse, _walk

_SEED = engine.Aval((), np.dtype(np.float32))  # of a seed, as far as it matters to what results depend on


def jacobian(records, target, sources, at_once):
    """The jacobian of one target node with respect to each of `sources` (lists of nodes, added up).

    Args:
      at_once: how many rows to compute at once, vectorized; None for all.

    Returns:
      list of nodes of shape target.shape + source.shape, None where no path exists.
    """
    return _of_rows(records, target, sources, at_once, _whole)


def batch_jacobian(records, target, source, at_once):
    """The jacobian of each row of `target` [b, ...] with respect to the same row of the source nodes [b, ...]."""
    return _of_rows(records, target, [source], at_once, _by_row)[0]


def _of_rows(records, target, sources, at_once, layout):
    watched = bool(engine.state.context.watchers)
    key, nodes = _walk.flattened(records, [(target, None)], sources, (layout, at_once, watched))
    known, different = _walk.find(key, nodes)
    if known is None:
        call, captures, results = _composed(records, target, sources, at_once, layout, watched)
        places = _walk.places_of(captures, different)
        if not target.aval.traced and places is not None and _walk.is_derived(records):
            _walk.remember(key, nodes, _walk.Walk(call, places, results))
    else:
        call, results = known.call, known.results
        captures = [different[k] for k in known.captures]
    if call is None:
        return results
    cotangents = engine.record(call, tuple(captures))
    return [None if k is None else cotangents[k] for k in results]


def _composed(records, target, sources, at_once, layout, watched):
    """(call, captures, results): the rows of the jacobian of each source that has a path, and which result is whose."""
    with engine.Capture() as capture:
        seed = capture.placeholder(target.aval)
        cotangents = _reverse.backward(records, [(target, seed)], {node for nodes in sources for node in nodes})
        totals = []
        for nodes in sources:
            parts = [cotangents[node] for node in nodes if node in cotangents]
            totals.append(_reverse.dense(functools.reduce(_reverse.add, parts)) if parts else None)
        connected = [total for total in totals if total is not None]
    places = iter(range(len(connected)))
    results = [None if total is None else next(places) for total in totals]
    if not connected:
        capture.forget()
        return None, [], results
    walk, captures = capture.operation(connected, "Backward")
    capture.forget()
    rows = _row_operation(walk, layout, at_once, watched, tuple([total.aval for total in connected]))
    attributes = engine.attributes_of(target.aval.shape, target.aval.dtype)
    call = rows.bind(attributes, tuple([node.aval for node in captures]))
    if capture.graph.report is not None:
        call.check_derivatives()
    return call, captures, results


@engine.made_once
def _row_operation(walk, layout, at_once, watched, sources):
    def rows(*captures, shape, dtype):
        def walked(seed):
            return walk.fn(seed, *captures)

        weight = walk.weight if watched else math.inf
        return layout(lambda seeds: map_rows(walked, seeds, at_once, weight), shape, dtype)

    def infer(attributes, avals):
        shape, _ = attributes
        if any(aval.traced for aval in avals):
            return None
        return [(shape + (aval.shape[1:] if layout is _by_row else aval.shape), aval.dtype) for aval in sources]

    name = "BatchJacobian" if layout is _by_row else "Jacobian"
    composed = functools.partial(_dependence, walk)
    return engine.Operation(name, rows, ("shape", "dtype"), infer=infer, composed=composed)


def _dependence(walk, avals):
    """`Call.depends` and `Call.zeros` of the rows: those of the `walk`, whose first input is the seed."""
    told = walk.composed((_SEED, *avals))
    return tuple([each and tuple([frozenset([i - 1 for i in needs if i]) for needs in each]) for each in told])


def map_rows(function, seeds, at_once, weight=math.inf):
    """`function` of each of the `seeds`, so many `at_once`; None for all.

    Few are not vectorized, if the function has but few operations, its `weight`, which is infinite where no tape
    watches: in derivatives XLA moves the axis of the rows about between the products, and takes two to three times as
    long.
    """
    count = len(seeds)
    if count == 1 or 1 < count <= TAPE.separate_rows and count * weight <= TAPE.separate_operations:
        return jax.tree.map(lambda *rows: jnp.stack(rows), *map(function, seeds))
    if at_once is None or at_once >= count:
        return engine.vmapped(function, seeds)
    return jax.lax.map(function, seeds, batch_size=at_once if at_once > 1 else None)


def _whole(mapped, shape, dtype):
    size = math.prod(shape)
    rows = mapped(jnp.eye(size, dtype=dtype).reshape(size, *shape))
    return tuple(r.reshape(*shape, *r.shape[1:]) for r in rows)


def _by_row(mapped, shape, dtype):
    inner = shape[1:]
    size = math.prod(inner)
    seeds = jnp.broadcast_to(jnp.eye(size, dtype=dtype).reshape(size, 1, *inner), (size, *shape))
    rows = mapped(seeds)
    return tuple(jnp.moveaxis(r, 0, 1).reshape(shape[0], *inner, *r.shape[2:]) for r in rows)


# The kinds of walks of whole jacobians and of those by rows, where no tape watches and where one does.
KINDS = ((_whole, None, False), (_whole, None, True))
KINDS_BY_ROW = ((_by_row, None, False), (_by_row, None, True))

"""Sizes of results that no rule can tell for symbols, while a function is traced to be saved.

The rules of most ops compare sizes, or divide them, and a comparison of symbols may have no answer. Such a call is
recorded as a step, and the sizes of its results that change with those of its inputs are new symbols. Samples of sizes
tell which these are.
"""

import contextlib
import itertools

from tfcompat import engine
from tfcompat._core.steps import check_derivatives, records_steps, values_as_sizes
from tfcompat._core.symbolic_sizes import is_new, names_of_symbols, new_symbols
from tfcompat._package.thread_state import ThreadState
from tfcompat.engine import function_trace


class _State(ThreadState):
    active = False


_state = _State()
# Sizes of tensors have many divisors, and those that are values are small: most calls of real programs take them.
_LARGE, _SMALL = 240, 2
_TURNS = 3


@contextlib.contextmanager
def sizes_of_results_may_be_new():
    """While a function is traced: see above. Values may be sizes, too."""
    outer, _state.active = _state.active, True
    try:
        with values_as_sizes():
            yield
    finally:
        _state.active = outer


def may_be_new(attributes, nodes):
    """Whether a call with unknown sizes may be recorded as a step."""
    if not _state.active or not records_steps():
        return False
    return engine.has_symbols((attributes.values, *(node.aval.shape for node in nodes)))


def avals_by_samples(kernel, shapes_of, attributes, nodes):
    """Avals as of `shapes_of`, for a call whose sizes no rule tells; None if no sizes are found that it takes.

    Args:
      kernel: TF's name of the op.
      shapes_of: function of (attribute values, avals of known sizes) to the aval of the result, or to a list.
      attributes, nodes: of the call.

    Raises:
      tf.errors.UnimplementedError: a tape would have to look into the step.
    """
    avals = [node.aval for node in nodes]
    names = names_of_symbols((attributes.values, [aval.shape for aval in avals]))
    for way in ((True, _samples(names, True)), (False, _samples(names, False)), (True, _tiny(names))):
        found = list(_accepted(way[1], shapes_of, attributes, avals))
        if len(found) > 1:
            break
    else:
        return None
    sizes_differ = way[0]
    samples, results = zip(*found, strict=True)
    several = isinstance(results[0], list)
    results = results if several else [[result] for result in results]
    if len({tuple([len(aval.shape) for aval in result]) for result in results}) > 1:
        return None

    def size(*seen):
        if len(set(seen)) == 1:
            return seen[0]
        same = [name for name in names if sizes_differ and tuple([sizes[name] for sizes in samples]) == seen]
        return known[same[0]] if same else next(fresh)

    known = dict(zip(names, names, strict=True)) | {str(d): d for aval in avals for d in aval.shape}
    fresh = (f"new{i}" for i in itertools.count())
    shapes = [tuple(map(size, *[aval.shape for aval in parts])) for parts in zip(*results, strict=True)]
    made = [engine.Aval(shape, aval.dtype) for shape, aval in zip(new_symbols(shapes), results[0], strict=True)]
    check_derivatives(kernel, nodes, made)
    function_trace(engine.state.graph).sizes_by_values = True
    return made if several else made[0]


def _samples(names, sizes_differ):
    """Sizes by the name of a symbol, all different, or one for all sizes of tensors: large ones, then small ones."""
    for turn in range(2 * _TURNS):
        sizes = {}
        for i, name in enumerate(names):
            more = i if sizes_differ else 0
            if is_new(name) or turn >= _TURNS:
                sizes[name] = _SMALL + turn % _TURNS + more
            else:
                sizes[name] = _LARGE * (1 + 2 * turn + more)
        yield sizes


def _tiny(names):
    """Sizes by the name of a symbol; those that are values are nothing or one."""
    for turn in range(2 * _TURNS):
        yield {name: (turn + i) % 2 if is_new(name) else _SMALL + turn + i for i, name in enumerate(names)}


def _accepted(samples, shapes_of, attributes, avals):
    """(sizes, avals of the results) of those samples that the call takes."""
    for sizes in samples:
        with engine.sizes_known(sizes), contextlib.suppress(Exception):
            known = [engine.Aval(engine.with_sizes(aval.shape), aval.dtype) for aval in avals]
            yield sizes, shapes_of(engine.with_sizes(attributes.values), known)

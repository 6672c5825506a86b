"""`@step`: functions of text, and others that need the values of their arguments, inside a function being traced.

There a call is recorded as a step (`engine/_steps.py`): the public function is called again, with tensors whose values
are known, each time that the traced function runs.
"""

import contextlib
import functools
from typing import Any

import numpy as np

from tfcompat import dtypes, engine, nest
from tfcompat._core import trial
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import host_constant, to_node
from tfcompat._core.symbolic_sizes import NeedsValues, folding, new_symbols
from tfcompat._core.tensor import Tensor, wrap
from tfcompat._package.thread_state import ThreadState
from tfcompat.engine import function_trace
from tfcompat.engine._policy import KERNELS

EACH = "each"  # see `step`
ROW_OF_SIZE = "RowOfSize"  # the name of a step that tells a size, see `values_as_sizes`


class _AllSteps(ThreadState):
    active = False


_all_steps = _AllSteps()


@contextlib.contextmanager
def all_steps():
    """While a function is traced in which nothing is derived: functions of `underived` are steps, too.

    It is traced to be saved, or for the elements of a dataset.
    """
    outer, _all_steps.active = _all_steps.active, True
    try:
        yield
    finally:
        _all_steps.active = outer


def step(kernel, result, underived=False, of_stack: Any = None):
    """Decorator of a function of tensors that computes with their values.

    Args:
      kernel: TF's name of the op.
      result: function of (new, *args, **kwargs) to what the function returns for tensors of unknown values: a nest of
        tensors that `new(shape, dtype)` makes, with None in place of sizes that depend on values; or NotImplemented
        where such a call cannot be recorded.
      underived: whether it is a step only where nothing is derived, see `all_steps`. Elsewhere a traced function runs
        as plain Python then, which has derivatives.
      of_stack: function of the same arguments, of which the first tensor is a stack of those that the function takes,
        to the stacks of its results; or NotImplemented for some. True for the function itself. What it gives depends on
        the arguments alone. What differs in size is a RaggedTensor, or of a class of `stacks.py`. EACH for the function
        itself, of which all tensors are stacks of one shape, or scalars. None: it is called for each element.
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            if engine.state.graph.symbolic and (_all_steps.active or not underived) and records_steps():
                made = _recorded(wrapper, kernel, result, args, kwargs)
                if made is not NotImplemented:
                    return made
            if not underived and trial.current().sample_size is not None and _takes_text((*args, *kwargs.values())):
                made = result(_made_up, *args, **kwargs)
                if made is not NotImplemented:
                    return nest.map_structure(_sparse_with_places, made)
            return function(*args, **kwargs)

        wrapped: Any = wrapper
        wrapped.of_stack = of_stack
        return wrapped

    return decorate


def records_steps():
    """Whether what is recorded now may be a step: a function is traced, not mapped or differentiated as a whole."""
    graph = engine.state.graph
    trace = function_trace(graph)
    return trace is not None and trace.records_steps and trace.graph is graph


def sizes_depend_on_values():
    """Whether a function is traced in which sizes depend on values, and what is recorded may be a step."""
    return records_steps() and function_trace(engine.state.graph).sizes_by_values


def is_unknown(x):
    """Whether a leaf of arguments is a tensor, or variable, whose value is not known while a function is traced."""
    if isinstance(x, Tensor):
        return x._node.value is None and x._node.graph.symbolic
    return hasattr(x, "_as_node")


class Step:
    """A recorded call of a Python function: computes the nodes of its results from those of its tensors.

    Attributes:
      function: the public function.
      leaves: of the nest (args, kwargs), in which `places` are those of the tensors.
    """

    def __init__(self, function, structure, leaves, places):
        self.function, self.structure, self.leaves, self.places = function, structure, leaves, places
        args, kwargs = structure
        nested = any(nest.is_nested(x) or isinstance(x, CompositeTensor) for x in (*args, *kwargs.values()))
        self._names = None if nested else sorted(kwargs)  # where (args, kwargs) is as good as flat: of the last leaves
        self._has_sizes = any(map(engine.has_symbols, leaves))

    def arguments(self, tensors) -> Any:
        """(args, kwargs) with these tensors."""
        leaves = list(map(engine.with_sizes, self.leaves)) if self._has_sizes else list(self.leaves)
        for place, x in zip(self.places, tensors, strict=True):
            leaves[place] = x
        if self._names is None:
            return nest.pack_sequence_as(self.structure, leaves, expand_composites=True)
        count = len(leaves) - len(self._names)
        return leaves[:count], dict(zip(self._names, leaves[count:], strict=True))

    def is_like(self, other):
        """Whether `other` is the step of a call that only differs in tensors."""
        if not isinstance(other, Step) or other.function is not self.function or other.places != self.places:
            return False
        if len(other.leaves) != len(self.leaves):
            return False
        pairs = [pair for i, pair in enumerate(zip(self.leaves, other.leaves, strict=True)) if i not in self.places]
        return all(a is b or type(a) is type(b) in (int, float, str, bytes) and a == b for a, b in pairs)

    def __call__(self, call, nodes):
        args, kwargs = self.arguments(map(wrap, nodes))
        result = self.function(*args, **kwargs)
        if isinstance(result, Tensor):
            return (result._node,)
        return tuple([x._node for x in nest.flatten(result, expand_composites=True) if isinstance(x, Tensor)])


def _recorded(function, kernel, result, args, kwargs):
    leaves = nest.flatten((args, kwargs), expand_composites=True)
    if not any(map(is_unknown, leaves)):
        return NotImplemented
    places = [i for i, x in enumerate(leaves) if isinstance(x, Tensor) or hasattr(x, "_as_node")]
    for i in places:
        leaves[i] = wrap(to_node(leaves[i]))
    structure = args, kwargs
    recorded = Step(function, structure, leaves, places)
    args, kwargs = recorded.arguments([leaves[i] for i in places])
    nodes = [leaves[i]._node for i in places]
    for node in engine.state.graph.deciding:
        if recorded.is_like(node.call.operation.step) and all(map(_is_same, node.inputs, nodes)):
            return wrap(node)
    scratch = engine.Capture()

    def new(shape, dtype):
        function_trace(engine.state.graph).sizes_by_values |= None in shape
        numbered = [size if size is not None else f"{i}" for i, size in enumerate(shape)]
        known = {i: size for i, size in enumerate(numbered) if type(size) is not str}
        (made,) = new_symbols([[0 if i in known else name for i, name in enumerate(numbered)]])
        return wrap(scratch.placeholder(engine.Aval(tuple([known.get(i, d) for i, d in enumerate(made)]), dtype.np)))

    made = result(new, *args, **kwargs)
    if made is NotImplemented:
        return NotImplemented
    flat = nest.flatten(made, expand_composites=True)
    avals = [x._node.aval for x in flat if isinstance(x, Tensor)]
    check_derivatives(kernel, nodes, avals)
    operation = engine.Operation(kernel, _not_compiled(kernel), differentiable=False, step=recorded)
    parts = iter(engine.record_step(operation, nodes, avals[0] if len(avals) == 1 else engine.TupleAval(avals)))
    flat = [wrap(next(parts)) if isinstance(x, Tensor) else x for x in flat]
    return nest.pack_sequence_as(made, flat, expand_composites=True)


def _takes_text(values):
    return any([isinstance(x, Tensor) and x._node.aval.dtype.hasobject for x in values])


def _made_up(shape, dtype):
    """What stands for a result of a function of made-up text; see `Trial.sample_size`."""
    size: Any = trial.current().sample_size
    array = np.zeros([size if n is None else n for n in shape], dtype.np)
    if array.dtype.hasobject:
        array[...] = b""
    return host_constant(array)


def _sparse_with_places(x):
    """`x`; a made-up SparseTensor has places that differ, and the sizes that stand for unknown ones."""
    if not hasattr(x, "dense_shape"):
        return x
    size = trial.current().sample_size
    places = np.zeros(x.indices.shape.as_list(), np.int64)
    places[:, -1:] = np.arange(len(places))[:, None]
    sizes = [n or size for n in x.shape.as_list()]
    return type(x)(places, x.values, host_constant(np.array(sizes, np.int64)))


def _is_same(a, b):
    """Whether two nodes have the same value: sizes that depend on it are the same then."""
    if a is b or a.call is None or a.call is not b.call:
        return a is b
    return all(map(_is_same, a.inputs, b.inputs))


def check_derivatives(kernel, nodes, avals):
    """Raises NeedsValues if a tape that was entered in the function being traced would have to look into a step."""
    inside = set(engine.state.watchers) - set(function_trace(engine.state.graph).watchers)
    if any(hasattr(w, "inside_a_part") for w in inside):
        if any(node.aval.inexact for node in nodes) and any(aval.inexact for aval in avals):
            raise NeedsValues(None, None, f"{kernel} cannot be differentiated inside a tf.function")


def _not_compiled(kernel):
    def fn(*arrays):
        raise NeedsValues(None, None, f"{kernel} cannot be part of a program of XLA")

    return fn


@contextlib.contextmanager
def values_as_sizes():
    """While a function is traced: an integer that it computes, or takes as a tensor, may be a size of what it makes.

    Such a size is a new symbol, which a step tells each time that the function runs. Rules that compare sizes cannot be
    decided for all symbols, so this is for functions that must be traced; others run as plain Python.
    """
    outer, folding.of_values = folding.of_values, _symbols_for
    try:
        yield
    finally:
        folding.of_values = outer


def _symbols_for(node):
    """An array of symbols for the values of a node of a few integers; NotImplemented for others."""
    shape = node.aval.shape
    if node.aval.dtype.kind not in "iu" or len(shape) > 1 or not all([type(n) is int for n in shape]):
        return NotImplemented
    if not records_steps() or len(shape) == 1 and shape[0] > KERNELS.host_numbers:
        return NotImplemented
    numbers = [wrap(node)] if not shape else [wrap(node)[i] for i in range(*shape)]
    symbols = [_row_of_size(number)._node.aval.shape[0] for number in numbers]
    return np.array(symbols, object).reshape(shape)


@step(ROW_OF_SIZE, lambda new, size: new((None,), dtypes.bool))
def _row_of_size(size):
    """A vector of as many elements as `size` says."""
    return host_constant(np.zeros(max(int(engine.array_of(size._node)), 0), bool))


def like_first(dtype):
    """The `result` of a function whose results have the shape of the first argument, and this dtype."""

    def result(new, input, *args, **kwargs):
        return new(sizes_of(input), dtype)

    return result


def sizes_of(x):
    """The shape of what converts to a tensor, as a tuple of ints and symbols."""
    return to_node(x).aval.shape

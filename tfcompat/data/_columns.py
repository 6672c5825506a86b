"""Functions of text for many elements at once.

Text never enters XLA: a function of it is traced as calls of programs and steps between them (`engine/_steps.py`).
Here such a trace is computed for a block of elements, call by call: a call of numbers by `jax.vmap`, a step by the
function that takes a stack of texts (`of_stack` of `_core/steps.step`), and an op that only moves or compares text by
`jax.vmap` of numbers that stand for the texts.
"""

import functools

import jax
import numpy as np

from tfcompat import engine, nest
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.steps import EACH, Step
from tfcompat._core.tensor import Tensor, wrap
from tfcompat.engine import Call, TupleAval
from tfcompat.ragged._tensor import RaggedTensor

# Ops whose result has no texts but those of its inputs and the empty one, and which ask no more of texts than whether
# two are equal.
_MOVING = frozenset(
    "BroadcastTo ConcatV2 Equal ExpandDims Fill GatherV2 Identity NotEqual Pack Reshape ReverseV2 SelectV2 Squeeze "
    "StridedSlice Tile Transpose Unpack ZerosLike".split()
)
_CODES = np.dtype(np.uint32)  # of texts; 0 stands for the empty one, as zeros do in the bodies of ops


class NotInColumns(Exception):
    """A trace that must be computed for each element."""


class _Ragged:
    """Vectors of different lengths, one of each element: a node of all values, and an array of the lengths."""

    def __init__(self, values, lengths):
        self.values, self.lengths = values, lengths


class _Column:
    """A node whose rows belong to the elements."""

    def __init__(self, node):
        self.node = node

    @functools.cached_property
    def aval(self):
        aval = self.node.aval
        return engine.Aval(aval.shape[1:], aval.dtype)


class Columns:
    """What a function with steps computes, for many elements.

    Args:
      operation: of the function: of its arguments, a report if there are conditions, and captures.

    Raises:
      NotInColumns: it has a step that takes no stacks.
    """

    def __init__(self, operation):
        self._program, self._avals = operation.step.args
        self._shared = {}   # step -> its result, which is the same for all elements
        self._batched = {}  # what `_call_of_rows` was asked for -> Operation
        for call, _ in self._program.steps:
            if type(call) is Call and call.operation.step is not None and not _takes_stacks(call.operation):
                raise NotInColumns(call.operation.name)
        self._symbols = any(engine.has_symbols(aval.shape) for aval in self._all_avals())

    def _all_avals(self):
        for call, _ in self._program.steps:
            if type(call) is Call:
                yield from (*call.in_avals, *_parts(call.aval))

    def __call__(self, columns, others):
        """The columns of the results, for columns of the arguments and nodes that all elements share.

        Raises:
          NotInColumns: what this block needs is not computed for many elements.
          What the function raises for one of the elements.
        """
        size, sizes = len(columns[0]), {}
        inputs = [*map(_Column, map(engine.leaf, columns)), *others]
        results = {}
        with engine.sizes_known(sizes):
            for i, (call, refs) in enumerate(self._program.steps):
                items = [results[r] if r >= 0 else inputs[~r] for r in refs]
                if type(call) is not Call:
                    results[i] = items[0][call.index]
                elif any(type(x) in (_Column, _Ragged) for x in items):
                    results[i] = self._of_rows(call, items, size)
                else:
                    results[i] = self._of_all(i, call, items)
                if self._symbols and type(call) is Call:
                    for aval, x in zip(_parts(call.aval), _several(results[i]), strict=True):
                        if type(x) is not _Ragged:
                            engine.note_sizes(sizes, aval, x)
        return [_array(results[r] if r >= 0 else inputs[~r], size) for r in self._program.outputs]

    def _of_all(self, i, call, nodes):
        """A result that depends on no element."""
        if i not in self._shared:
            result = engine.recorded_call(call, tuple(nodes))
            leaves = [engine.leaf(engine.array_of(node)) for node in _several(result)]
            self._shared[i] = tuple(leaves) if type(result) is tuple else leaves[0]
        return self._shared[i]

    def _of_rows(self, call, items, size):
        step = call.operation.step
        if isinstance(step, Step):
            made = _stepped(step, items)
            if not all(_fits(x, aval, size) for x, aval in zip(_several(made), _parts(call.aval), strict=True)):
                raise NotInColumns(call.operation.name)
            return made
        if any(type(x) is _Ragged for x in items):
            return _row_by_row(call, items, size)
        avals = tuple([x.aval for x in items])
        of_rows = tuple([type(x) is _Column for x in items])
        nodes = [x.node if type(x) is _Column else x for x in items]
        if step is None:
            return _columns(engine.apply(self._operation(call, avals, of_rows, size), tuple(nodes)))
        texts = [b""]
        nodes, avals = _coded(nodes, texts), tuple([_with_codes(aval) for aval in avals])
        results = _columns(engine.apply(self._operation(call, avals, of_rows, size), tuple(nodes)))
        made = [
            _with_texts(x, texts) if aval.dtype.hasobject else x
            for aval, x in zip(_parts(call.aval), _several(results), strict=True)
        ]
        return tuple(made) if type(results) is tuple else made[0]

    def _operation(self, call, avals, of_rows, size):
        """The operation that computes a call of inputs with these avals for many rows."""
        with_codes = call.operation.step is not None
        if avals != call.in_avals or self._symbols or with_codes:
            call = _call_for(call, avals, with_codes)
        key = call, of_rows, size
        if key not in self._batched:
            if len(self._batched) > 256:
                self._batched.clear()
            in_axes = tuple([0 if moves else None for moves in of_rows])
            function = jax.vmap(call.fn, in_axes=in_axes, axis_size=size)
            self._batched[key] = engine.Operation(call.operation.name, function, differentiable=False)
        return self._batched[key]


def _takes_stacks(operation):
    step = operation.step
    return step.function.of_stack is not None if isinstance(step, Step) else operation.name in _MOVING


def _parts(aval):
    return aval.parts if type(aval) is TupleAval else (aval,)


def _several(x):
    return x if type(x) is tuple else (x,)


def _columns(result):
    return tuple(map(_Column, result)) if type(result) is tuple else _Column(result)


def _call_for(call, avals, with_codes):
    """A call for inputs of these avals, in which the sizes of elements are known."""
    operation, attributes = engine.call_for_sizes(call)
    if not with_codes:
        return operation.bind(attributes, avals)
    return _of_codes(operation).bind(attributes, avals)


@functools.lru_cache(maxsize=256)
def _of_codes(operation):
    """An operation that moves or compares text, for numbers that stand for it."""
    return engine.Operation(operation.name, operation.fn, operation.attribute_names, differentiable=False)


def _with_codes(aval):
    return engine.Aval(aval.shape, _CODES) if aval.dtype.hasobject else aval


def _coded(nodes, texts):
    """The nodes with numbers in place of texts, which are added to the list `texts`. Equal texts get one number."""
    numbers, coded = {text: i for i, text in enumerate(texts)}, []
    for node in nodes:
        if node.aval.dtype.hasobject:
            flat = [numbers.setdefault(text, len(numbers)) for text in engine.array_of(node).ravel().tolist()]
            node = engine.leaf(np.array(flat, _CODES).reshape(node.aval.shape))
        coded.append(node)
    texts[:] = numbers
    return coded


def _with_texts(column, texts):
    table = np.empty(len(texts), object)
    table[:] = texts
    return _Column(engine.leaf(table[engine.array_of(column.node)]))


def _stepped(step, items):
    """The results of a step."""
    of_stack = step.function.of_stack
    moving = [x for x in items if type(x) in (_Column, _Ragged)]
    first = moving[0]
    if of_stack == EACH:
        shapes = {x.aval.shape for x in moving if type(x) is _Column}
        fixed = [x for x in items if type(x) not in (_Column, _Ragged)]
        is_fit = len(shapes) == 1 and all(type(x) is _Column for x in moving) and not any(x.aval.shape for x in fixed)
    else:
        is_fit = len(moving) == 1 and first is items[0]
    if not is_fit:
        raise NotInColumns(step.function.__name__)
    stack = first.node if type(first) is _Column else first.values
    nodes = [x.node if type(x) is _Column else x.values if type(x) is _Ragged else x for x in items]
    args, kwargs = step.arguments(map(wrap, nodes))
    result = (of_stack if callable(of_stack) else step.function)(*args, **kwargs)
    if result is NotImplemented:
        raise NotInColumns(step.function.__name__)
    made = []
    for x in nest.flatten(result):
        if type(first) is _Ragged:
            if isinstance(x, CompositeTensor) or x._node.aval.shape[:1] != stack.aval.shape[:1]:
                raise NotInColumns(step.function.__name__)
            made.append(_Ragged(x._node, first.lengths))
        elif isinstance(x, RaggedTensor) and x.ragged_rank == 1:
            made.append(_Ragged(x.flat_values._node, np.diff(x.splits())))
        elif isinstance(x, CompositeTensor):
            raise NotInColumns(step.function.__name__)
        elif isinstance(x, Tensor):
            made.append(_Column(x._node))
    return made[0] if len(made) == 1 and isinstance(result, Tensor | RaggedTensor) else tuple(made)


def _row_by_row(call, items, size):
    """The result of a call that takes vectors of different lengths, computed by NumPy."""
    operation, attributes = engine.call_for_sizes(call)
    spec = getattr(operation.fn, "__self__", None)
    if engine.has_symbols(attributes.values) or not hasattr(spec, "numpy_of_arrays"):
        raise NotInColumns(call.operation.name)
    rows = []
    columns = [_array(x, size) for x in items]
    for arrays in zip(*columns, strict=True):
        row = spec.numpy_of_arrays(attributes, list(map(np.asarray, arrays)))
        if row is NotImplemented or isinstance(row, tuple | list):
            raise NotInColumns(call.operation.name)
        rows.append(np.asarray(row))
    aval = call.aval
    lengths = {row.shape for row in rows}
    if len(lengths) > 1 and len(aval.shape) == 1:
        values = np.concatenate(rows).astype(aval.dtype, copy=False)
        return _Ragged(engine.leaf(values), np.array([*map(len, rows)]))
    if len(lengths) > 1:
        raise NotInColumns(call.operation.name)
    return _Column(engine.leaf(np.stack(rows).astype(aval.dtype, copy=False)))


def _fits(x, aval, size):
    """Whether a result is what was expected of an element, for that many elements."""
    if type(x) is _Ragged:
        return len(aval.shape) == 1 and len(x.lengths) == size
    sizes = x.node.aval.shape
    return sizes[:1] == (size,) and len(sizes) == len(aval.shape) + 1 and all(
        type(n) is not int or n == m for n, m in zip(aval.shape, sizes[1:], strict=True)
    )


def _array(x, size):
    """The column of a result."""
    if type(x) is _Column:
        return engine.array_of(x.node)
    if type(x) is _Ragged:
        values, ends = engine.array_of(x.values), np.cumsum(x.lengths).tolist()
        return [values[end - n : end] for n, end in zip(x.lengths.tolist(), ends, strict=True)]
    value = engine.array_of(x)
    return np.broadcast_to(value, (size, *value.shape))

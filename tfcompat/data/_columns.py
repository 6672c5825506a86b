"""Functions of text and of values of different sizes, for many elements at once.

Text never enters XLA: a function of it is traced as calls of programs and steps between them (`engine/_steps.py`).
Here such a trace is computed for a block of elements, call by call: a call of numbers by `jax.vmap`, a step by the
function that takes a stack (`of_stack` of `_core/steps.step`), and an op that only moves or compares text by
`jax.vmap` of numbers that stand for the texts. What differs in size from element to element is computed element by
element, by NumPy where an op has a function for that, or all values at once where each result belongs to one of them.
"""

import functools
from typing import Any

import jax
import numpy as np

from tfcompat import engine, nest
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.stacks import InTurn, RaggedRows, Rows, SparseRows
from tfcompat._core.steps import EACH, Step
from tfcompat._core.tensor import Tensor, wrap
from tfcompat.engine import Call, TupleAval
from tfcompat.ragged._tensor import RaggedTensor
from tfcompat.sparse import SparseTensor

# Ops whose result has no texts but those of its inputs and the empty one, and which ask no more of texts than whether
# two are equal.
_MOVING = frozenset(
    "BroadcastTo ConcatV2 Equal ExpandDims Fill GatherV2 Identity NotEqual Pack Reshape ReverseV2 SelectV2 Squeeze "
    "StridedSlice Tile Transpose Unpack ZerosLike".split()
)
# Ops of which each element of the result is made of the elements at the same place.
_ELEMENTWISE = frozenset(
    "Abs Add AddV2 Cast ClipByValue Equal Exp Floor FloorDiv FloorMod Greater GreaterEqual Identity Less LessEqual Log "
    "LogicalAnd LogicalNot LogicalOr Maximum Minimum Mul Neg NotEqual Pow RealDiv Relu Round Sigmoid Sign Sqrt Square "
    "Sub Tanh".split()
)
_CODES = np.dtype(np.uint32)  # of texts; 0 stands for the empty one, as zeros do in the bodies of ops


class _Ragged:
    """Arrays that differ in their first size, one of each element: a node of them all, and an array of the sizes."""

    def __init__(self, values, lengths):
        self.values, self.lengths = values, lengths

    def rows(self):
        values, ends = engine.array_of(self.values), np.cumsum(self.lengths).tolist()
        return [values[end - n : end] for n, end in zip(self.lengths.tolist(), ends, strict=True)]


class _Rows:
    """Arrays that differ in several sizes, one of each element, as a list."""

    def __init__(self, arrays):
        self.arrays = arrays

    def rows(self):
        return self.arrays


class _Column:
    """A node whose rows belong to the elements."""

    def __init__(self, node):
        self.node = node

    @functools.cached_property
    def aval(self):
        aval = self.node.aval
        return engine.Aval(aval.shape[1:], aval.dtype)

    def rows(self):
        array = engine.array_of(self.node)
        return [array[i, ...] for i in range(len(array))]


_MOVES = _Column, _Ragged, _Rows


class _Sizes:
    """What symbols stand for: a size of all elements, or one of each.

    Attributes:
      common: name -> size.
      each: name -> (`_Ragged` or `_Rows`, axis), whose sizes they are.
    """

    def __init__(self):
        self.common, self.each = {}, {}

    def note(self, aval, x):
        """Notes the symbols of an aval, of which `x` is the result."""
        if type(x) in (_Ragged, _Rows):
            for axis, size in enumerate(aval.shape):
                if type(size) is not int:
                    self.each.setdefault(str(size), (x, axis))
        else:
            engine.note_sizes(self.common, aval, x)

    def of_rows(self, size):
        """The sizes that each element has, a list of dicts."""
        if not self.each:
            return [self.common] * size
        columns = [[row.shape[axis] for row in x.rows()] for x, axis in self.each.values()]
        return [self.common | dict(zip(self.each, row, strict=True)) for row in zip(*columns, strict=True)]


class Columns:
    """What a function with steps computes, for many elements.

    Args:
      operation: of the function: of its arguments, a report if there are conditions, and captures.
    """

    def __init__(self, operation):
        self._program, self._avals = operation.step.args
        self._shared = {}   # step -> its result, which is the same for all elements
        self._batched = {}  # what `_operation` was asked for -> Operation
        self._symbols = any(engine.has_symbols(aval.shape) for aval in self._all_avals())

    def _all_avals(self):
        for call, _ in self._program.steps:
            if type(call) is Call:
                yield from (*call.in_avals, *_parts(call.aval))

    def states_before(self, changes, nodes):
        """How states of random numbers go on from element to element, which must not depend on the elements.

        Args:
          changes: dict from places of states among the inputs to places of those after it among the results.
          nodes: dict from places of inputs to what all elements share.

        Returns:
          Function of a tuple of states and a number of elements to the states before each element, a tuple of arrays.

        Raises:
          InTurn: they depend on the elements.
        """
        needed, waiting = set(), [self._program.outputs[i] for i in changes.values()]
        steps = dict(enumerate(self._program.steps))
        while waiting:
            place = waiting.pop()
            if place < 0 and ~place not in changes and ~place not in nodes:
                raise InTurn
            if place >= 0 and place not in needed:
                needed.add(place)
                waiting += steps[place][1]
        calls = [(i, *steps[i]) for i in sorted(needed)]
        if any(type(call) is Call and (call.operation.step or _has_symbols(call)) for _, call, _ in calls):
            raise InTurn
        shared = {place: engine.array_of(node) for place, node in nodes.items()}

        def after(states):
            inputs = shared | dict(zip(changes, states, strict=True))
            results = {}
            for i, call, refs in calls:
                arrays = [results[r] if r >= 0 else inputs[~r] for r in refs]
                results[i] = call.fn(*arrays) if type(call) is Call else arrays[0][call.index]
            return tuple([
                results[r] if r >= 0 else inputs[~r] for r in (self._program.outputs[i] for i in changes.values())
            ])  # fmt: skip

        def before(states, size):
            return jax.lax.scan(lambda now, _: (after(now), now), states, length=size)[1]

        return before

    def __call__(self, columns, others):
        """The columns of the results, for columns of the arguments and nodes that all elements share.

        Args:
          columns: arrays of the first inputs, of which each row belongs to an element.
          others: of the other inputs: an array like that, or a node.

        Raises:
          InTurn: elements must be computed one after the other.
          What the function raises for one of the elements.
        """
        size, sizes = len(columns[0]), _Sizes()
        moving = [_Column(engine.leaf(x)) if isinstance(x, np.ndarray) else x for x in others]
        inputs = [*map(_Column, map(engine.leaf, columns)), *moving]
        results = {}
        with engine.sizes_known(sizes.common):
            for i, (call, refs) in enumerate(self._program.steps):
                items = [results[r] if r >= 0 else inputs[~r] for r in refs]
                if type(call) is not Call:
                    results[i] = items[0][call.index]
                    continue
                by_sizes = bool(sizes.each) and _has_symbols(call)
                if by_sizes or any(type(x) in _MOVES for x in items):
                    results[i] = self._of_rows(call, items, size, sizes, by_sizes)
                else:
                    results[i] = self._of_all(i, call, items)
                if self._symbols:
                    for aval, x in zip(_parts(call.aval), _several(results[i]), strict=True):
                        sizes.note(aval, x)
        return [_array(results[r] if r >= 0 else inputs[~r], size) for r in self._program.outputs]

    def _of_all(self, i, call, nodes):
        """A result that depends on no element."""
        if i not in self._shared:
            result = engine.recorded_call(call, tuple(nodes))
            leaves = [engine.leaf(engine.array_of(node)) for node in _several(result)]
            self._shared[i] = tuple(leaves) if type(result) is tuple else leaves[0]
        return self._shared[i]

    def _of_rows(self, call, items, size, sizes, by_sizes):
        step = call.operation.step
        if isinstance(step, Step):
            made = NotImplemented if by_sizes else _stepped(step, items)
            if made is NotImplemented:
                return _row_by_row(call, items, size, sizes)
            if not all(_fits(x, aval, size) for x, aval in zip(_several(made), _parts(call.aval), strict=True)):
                return _row_by_row(call, items, size, sizes)
            settled = [
                _settled(aval, x.arrays) if type(x) is _Rows else x
                for aval, x in zip(_parts(call.aval), _several(made), strict=True)
            ]
            return tuple(settled) if type(made) is tuple else settled[0]
        if any(type(x) in (_Ragged, _Rows) for x in items):
            made = NotImplemented if by_sizes else _all_values(call, items)
            return _row_by_row(call, items, size, sizes) if made is NotImplemented else made
        if by_sizes or step is not None and call.operation.name not in _MOVING:
            return _row_by_row(call, items, size, sizes)
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


def _row_by_row(call, items, size, sizes):
    """The result of a call that takes or makes arrays of different shapes."""
    columns = [x.rows() if type(x) in _MOVES else [engine.array_of(x)] * size for x in items]
    rows = zip(*columns, strict=True) if columns else [()] * size
    graph = engine.state.graph
    on_host, graph.on_host = graph.on_host, True
    try:
        if not _has_symbols(call):
            computed = _for_one(call)
            made = [computed(arrays) for arrays in rows]
        else:
            made = []
            for known, arrays in zip(sizes.of_rows(size), rows, strict=True):
                with engine.sizes_known(known):
                    made.append(_for_one(call)(arrays))
    finally:
        graph.on_host = on_host
    parts = zip(_parts(call.aval), zip(*made, strict=True), strict=True)
    settled = [_settled(aval, list(arrays)) for aval, arrays in parts]
    return tuple(settled) if type(call.aval) is TupleAval else settled[0]


def _settled(aval, arrays):
    """The results of a call for each element, in the form that suits their shapes.

    Those that could have differed are no column: what follows would be compiled for each shape that comes.
    """
    if not engine.has_symbols(aval.shape):
        return _Column(engine.leaf(np.stack(arrays)))
    if all(type(n) is int for n in aval.shape[1:]):
        values = np.concatenate(arrays).astype(aval.dtype, copy=False)
        return _Ragged(engine.leaf(values), np.array([*map(len, arrays)]))
    return _Rows(arrays)


def _has_symbols(call):
    return call.operation.composed or engine.has_symbols(call.attributes.values)


def _for_one(call):
    """A function of the arrays of one element to the results of a call, a tuple of arrays."""
    spec = getattr(call.operation.fn, "__self__", None)
    by_numpy = getattr(spec, "numpy_of_arrays", None)
    _, attributes = engine.call_for_sizes(call)
    dtypes = [aval.dtype for aval in _parts(call.aval)]

    def computed(arrays):
        result = NotImplemented if by_numpy is None else by_numpy(attributes, list(arrays))
        if result is NotImplemented:
            result = engine.recorded_call(call, tuple(map(engine.leaf, map(np.asarray, arrays))))
            return tuple(map(engine.array_of, _several(result)))
        results = result if isinstance(result, tuple | list) else (result,)
        return tuple(map(np.asarray, results, dtypes))

    return computed


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
    """The results of a step; NotImplemented where it takes no stack of such items."""
    of_stack = step.function.of_stack
    if of_stack is None:
        return NotImplemented
    moving = [x for x in items if type(x) in _MOVES]
    first: Any = items[0]
    kinds = [type(x) for x in items[:3]]
    if kinds == [_Ragged, _Ragged, _Column] and len(moving) == 3 and isinstance(step.structure[0][0], SparseTensor):
        result = of_stack(_sparse_rows(*items[:3]), *step.arguments([None] * 3 + [wrap(x) for x in items[3:]])[0][1:])
        return _in_columns(result, None)
    if of_stack == EACH:
        shapes = {x.aval.shape for x in moving if type(x) is _Column}
        fixed = [x for x in items if type(x) not in _MOVES]
        is_fit = len(shapes) == 1 and all(type(x) is _Column for x in moving) and not any(x.aval.shape for x in fixed)
        first = moving[0]
    else:
        is_fit = len(moving) == 1 and first is moving[0] and type(first) is not _Rows
    if not is_fit:
        return NotImplemented
    tensors = [wrap(x.node if type(x) is _Column else x.values if type(x) is _Ragged else x) for x in items]
    if callable(of_stack) and type(first) is _Ragged:
        tensors[0], first = RaggedRows(tensors[0], first.lengths), None
    args, kwargs = step.arguments(tensors)
    result = (of_stack if callable(of_stack) else step.function)(*args, **kwargs)
    return _in_columns(result, first)


def _in_columns(result, first):
    """The columns of what `of_stack` gave for a stack, or for the values of ragged rows `first`."""
    if result is NotImplemented:
        return NotImplemented
    made = []
    for x in nest.flatten(result):
        if type(first) is _Ragged:
            if not isinstance(x, Tensor) or x._node.aval.shape[:1] != first.values.aval.shape[:1]:
                return NotImplemented
            made.append(_Ragged(x._node, first.lengths))
        elif isinstance(x, RaggedTensor) and x.ragged_rank == 1:
            made.append(_Ragged(x.flat_values._node, np.diff(x.splits())))
        elif isinstance(x, RaggedTensor) and x.ragged_rank == 2:
            made += _ragged_rows(x)
        elif isinstance(x, RaggedRows):
            made.append(_Ragged(x.values._node if isinstance(x.values, Tensor) else engine.leaf(x.values), x.lengths))
        elif isinstance(x, SparseRows):
            made += [_Ragged(engine.leaf(part), x.lengths) for part in (x.places, x.values)]
            made.append(_Column(engine.leaf(x.sizes)))
        elif isinstance(x, Rows):
            made.append(_Rows(x.arrays))
        elif isinstance(x, CompositeTensor):
            return NotImplemented
        elif isinstance(x, Tensor):
            made.append(_Column(x._node))
    return made[0] if len(made) == 1 and not isinstance(result, dict | tuple | list) else tuple(made)


def _ragged_rows(x):
    """The values and the splits of each row of a ragged tensor of two ragged axes."""
    outer, inner = x.splits(), x.values.splits()
    splits: Any = [inner[a : b + 1] - inner[a] for a, b in zip(outer[:-1], outer[1:], strict=True)]
    values = _Ragged(x.flat_values._node, np.diff(inner[outer]))
    splits = np.concatenate(splits).astype(x.row_splits.dtype.np)
    return [values, _Ragged(engine.leaf(splits), np.diff(outer) + 1)]


def _sparse_rows(places, values, sizes):
    places, values, lengths = places.values, values.values, values.lengths
    return SparseRows(engine.array_of(places), engine.array_of(values), lengths, engine.array_of(sizes.node))


def _all_values(call, items):
    """The result of an elementwise call of ragged rows, of all their values at once; NotImplemented otherwise."""
    ragged = [x for x in items if type(x) is _Ragged]
    if call.operation.name not in _ELEMENTWISE or not ragged or type(call.aval) is TupleAval:
        return NotImplemented
    lengths, shape = ragged[0].lengths, ragged[0].values.aval.shape
    for x in items:
        if type(x) is _Ragged:
            if x.values.aval.shape != shape or x.lengths is not lengths and (x.lengths != lengths).any():
                return NotImplemented
        elif type(x) in _MOVES or x.aval.shape:
            return NotImplemented
    spec = getattr(call.operation.fn, "__self__", None)
    if not hasattr(spec, "numpy_of_arrays"):
        return NotImplemented
    arrays = [engine.array_of(x.values if type(x) is _Ragged else x) for x in items]
    result = spec.numpy_of_arrays(call.attributes, arrays)
    if result is NotImplemented:
        return NotImplemented
    return _Ragged(engine.leaf(np.asarray(result, call.aval.dtype)), lengths)


def _fits(x, aval, size):
    """Whether a result is what was expected of an element, for that many elements."""
    if type(x) is _Rows:
        return len(x.arrays) == size and all(array.ndim == len(aval.shape) for array in x.arrays)
    if type(x) is _Ragged:
        return len(x.lengths) == size and _are_sizes(aval.shape[1:], x.values.aval.shape[1:])
    sizes = x.node.aval.shape
    return sizes[:1] == (size,) and _are_sizes(aval.shape, sizes[1:])


def _are_sizes(expected, sizes):
    return len(expected) == len(sizes) and all(
        type(n) is not int or n == m for n, m in zip(expected, sizes, strict=True)
    )


def composites(template, columns):
    """Values like `template`, a ragged or sparse tensor, of columns, the next ones of which are its components."""
    spec = template._type_spec
    columns = [next(columns) for _ in spec._component_specs]
    rows = zip(*[[c[i, ...] for i in range(len(c))] if type(c) is np.ndarray else c for c in columns], strict=True)
    return [spec._from_components([wrap(engine.leaf(part)) for part in row]) for row in rows]


def _array(x, size):
    """The column of a result."""
    if type(x) is _Column:
        return engine.array_of(x.node)
    if type(x) in _MOVES:
        return x.rows()
    value = engine.array_of(x)
    return np.broadcast_to(value, (size, *value.shape))

"""A model for any batch size, of two that were converted for known ones.

Converted for an unknown size, shapes are computed beside each operation, and operations take general forms. Converted
for two sizes, a model is the same twice but for some numbers. A number that grows with the size is the size times a
constant: `-1` where the operation finds it by itself, else computed from the shape of an input.
"""

import collections

import numpy as np

from tfcompat.lite import _schema

SIZES = 2, 3  # for which the model is converted


class _Apart(Exception):
    """The models differ in more than such numbers."""


def with_open_batch(model, other, is_one_size):
    """The bytes of a model whose inputs have any batch size; None if the two models differ in other ways.

    Args:
      model, other: bytes of the models for each of `SIZES`, in whose inputs the first axis has this size, or a known
        one in both.
      is_one_size: whether inputs have one size. If not, none is computed from an input.
    """
    opened = _schema.read(model)
    try:
        _Opening(opened, _schema.read(other), is_one_size).run()
    except _Apart:
        return None
    return _schema.written(opened)


class _Opening:
    """Makes the first model one for any size."""

    def __init__(self, model, other, is_one_size):
        self.schema, self.model, self.other = _schema.schema(), model, other
        self.is_one_size = is_one_size
        types = self.schema.TensorType
        self.kinds = {types.INT32: np.int32, types.INT64: np.int64}
        self.types = {kind: type_of for type_of, kind in self.kinds.items()}
        self.sources: dict = {}  # subgraph -> (input, axis) with the size
        self.before: dict = collections.defaultdict(list)  # subgraph -> operators that come first
        self.sizes: dict = {}    # subgraph -> tensor that holds the size

    def run(self):
        _check_same(self.model.operatorCodes, self.other.operatorCodes)
        _check_same(len(self.model.subgraphs), len(self.other.subgraphs))
        for graph, other in zip(self.model.subgraphs, self.other.subgraphs, strict=True):
            _check_same(*[[(op.opcodeIndex, op.inputs, op.outputs) for op in g.operators] for g in (graph, other)])
            for op, twin in zip(graph.operators, other.operators, strict=True):
                self._options(op, twin)
            if len(graph.tensors) != len(other.tensors):
                raise _Apart
            uses = collections.defaultdict(list)  # tensor -> operators that take it, and where
            for op in graph.operators:
                for place, number in enumerate(op.inputs):
                    uses[number].append((op, place))
            growing = {}
            for number, (tensor, twin) in enumerate(zip(graph.tensors, other.tensors, strict=True)):
                growing[number] = self._shape(tensor, twin)
            for number in graph.inputs:
                for axis in growing[number]:
                    if graph.tensors[number].shape[axis] == 1:
                        self.sources.setdefault(id(graph), (number, axis))
            for number, axes in growing.items():
                self._constant(graph, other, number, axes, uses[number])
            graph.operators = self.before[id(graph)] + graph.operators

    def _code(self, op):
        return _schema.code_of(self.model.operatorCodes[op.opcodeIndex])

    def _options(self, op, twin):
        mine, others = op.builtinOptions, twin.builtinOptions
        if hasattr(mine, "newShape"):
            mine.newShape = others.newShape = None  # a tensor says it as well
        _check_same(mine, others)
        _check_same(op.builtinOptions2, twin.builtinOptions2)

    def _shape(self, tensor, twin):
        """Makes the shape of a tensor one for any size; the axes that grow with it."""
        if tensor.type != twin.type:
            raise _Apart
        shape, other = _numbers(tensor.shape), _numbers(twin.shape)
        if shape.shape != other.shape:
            raise _Apart
        factors = _factors(shape, other)
        (axes,) = np.nonzero(factors)
        if len(axes):
            tensor.shape = np.where(factors, factors, shape).astype(np.int32)
            tensor.shapeSignature = np.where(factors, -1, shape).astype(np.int32)
        return list(axes)

    def _constant(self, graph, other, number, axes, uses):
        tensor, twin = graph.tensors[number], other.tensors[number]
        data, others = (m.buffers[t.buffer].data for m, t in ((self.model, tensor), (self.other, twin)))
        if data is None or others is None or not len(data):
            if (data is None or not len(data)) != (others is None or not len(others)):
                raise _Apart
            return
        if not axes and np.array_equal(data, others):
            return
        if axes:
            self._spread(graph, number, data, axes)
            return
        kind = self.kinds.get(tensor.type)
        if kind is None:
            raise _Apart
        values = np.frombuffer(bytes(data), kind)
        factors = _factors(values, np.frombuffer(bytes(others), kind))
        if all(self._finds(graph, op, place, factors) for op, place in uses):
            tensor.buffer = self._buffer(np.where(factors, -1, values).astype(kind))
            return
        self._grown(graph, factors.astype(kind), np.where(factors, 0, values).astype(kind), number)
        tensor.buffer = 0

    def _finds(self, graph, op, place, factors):
        """Whether an operator takes -1 for the numbers that grow: one of a new shape, or sizes of slices from 0 on."""
        if self._code(op) == self.schema.BuiltinOperator.RESHAPE:
            return place == 1 and np.count_nonzero(factors) == 1
        if self._code(op) != self.schema.BuiltinOperator.SLICE or place != 2:
            return False
        begin = graph.tensors[op.inputs[1]]
        data = self.model.buffers[begin.buffer].data
        if data is None or not len(data):
            return False
        return not np.any(np.frombuffer(bytes(data), self.kinds[begin.type])[factors != 0])

    def _spread(self, graph, number, data, axes):
        """A constant that is the same for each example, or everywhere, becomes one that is spread over the batch."""
        tensor = graph.tensors[number]
        shape = np.asarray(tensor.shape, np.int32)
        grows = np.isin(np.arange(len(shape)), axes)
        sizes = np.where(grows, shape * SIZES[0], shape)
        elements = np.frombuffer(bytes(data), f"V{len(data) // int(np.prod(sizes))}").reshape(sizes)
        one = next(elements.flat)
        if not np.all(elements == one):
            one, other = (np.take(elements, [i], axes[0]) for i in range(2))
            if len(axes) > 1 or shape[axes[0]] != 1 or not np.array_equal(one, other):
                raise _Apart
        spread = self._new(graph, np.shape(one), tensor.type)
        graph.tensors[spread].buffer = self._buffer(one)
        grown = self._grown(graph, np.where(grows, shape, 0), np.where(grows, 0, shape))
        self._op(graph, "BROADCAST_TO", "BroadcastToOptions", [spread, grown], number, version=2)
        tensor.buffer = 0

    def _grown(self, graph, factors, rest, number=None):
        """The tensor with the size times some factors, and other numbers where these are 0: a new one, or `number`."""
        kind = rest.dtype.type
        product = self._new(graph, rest.shape, self.types[kind])
        self._op(graph, "MUL", "MulOptions", [self._size(graph, kind), self._tensor(graph, factors)], product)
        number = self._new(graph, rest.shape, self.types[kind]) if number is None else number
        self._op(graph, "ADD", "AddOptions", [product, self._tensor(graph, rest)], number)
        return number

    # --- new parts ----------------------------------------------------------------------------------------------------

    def _size(self, graph, kind):
        """The tensor that holds the batch size, of shape [1]."""
        if (id(graph), kind) not in self.sizes:
            if not self.is_one_size or id(graph) not in self.sources:  # a branch or loop need not get it
                raise _Apart
            source, axis = self.sources[id(graph)]
            type_of = self.types[kind]
            shape = self._new(graph, [len(graph.tensors[source].shape)], type_of)
            self._op(graph, "SHAPE", "ShapeOptions", [source], shape, outType=type_of)
            begin, count = self._tensor(graph, np.array([axis], kind)), self._tensor(graph, np.array([1], kind))
            size = self.sizes[id(graph), kind] = self._new(graph, [1], type_of)
            self._op(graph, "SLICE", "SliceOptions", [shape, begin, count], size)
        return self.sizes[id(graph), kind]

    def _buffer(self, values):
        buffer = self.schema.BufferT()
        buffer.data = np.frombuffer(values.tobytes(), np.uint8)
        self.model.buffers.append(buffer)
        return len(self.model.buffers) - 1

    def _new(self, graph, shape, type_of):
        tensor = self.schema.TensorT()
        tensor.shape, tensor.type, tensor.name, tensor.hasRank = np.asarray(shape, np.int32), type_of, b"size", True
        graph.tensors.append(tensor)
        return len(graph.tensors) - 1

    def _tensor(self, graph, values):
        number = self._new(graph, values.shape, self.types[values.dtype.type])
        graph.tensors[number].buffer = self._buffer(values)
        return number

    def _op(self, graph, name, options, inputs, output, version=1, **values):
        self.before[id(graph)].append(_schema.operator(self.model, name, options, inputs, output, version, **values))


def _numbers(values):
    return np.asarray([] if values is None else values, np.int64)


def _factors(values, others):
    """Of numbers for each of `SIZES`: what the size is multiplied by; 0 where it does not matter."""
    factors = np.where(values == others, 0, others.astype(np.int64) - values)
    if not np.all((factors == 0) | ((factors * SIZES[0] == values) & (factors > 0))):
        raise _Apart
    return factors


def _check_same(mine, others):
    if _told(mine) != _told(others):
        raise _Apart


def _told(x):
    """What objects of the schema say, in what can be compared."""
    if isinstance(x, list | tuple | np.ndarray):
        return [_told(each) for each in x]
    return (type(x).__name__, {k: _told(v) for k, v in vars(x).items()}) if hasattr(x, "__dict__") else x

"""Sparse and ragged tensors of graphs, and what arrays of graphs share with them: components are tensors of the graph.

What takes or gives one is recorded as a call that takes and gives the components.
"""

import collections
import functools
from typing import Any

import numpy as np

import tfcompat as tf
from tfcompat import dtypes, engine, nest
from tfcompat._core import graphs
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.graphs import GraphTensor, Inferred, Result, record
from tfcompat._core.indexed_slices import IndexedSlices
from tfcompat._core.shape import TensorShape
from tfcompat._core.tensor import Tensor
from tfcompat._core.trial import samples as _samples
from tfcompat.layers._layer.shapes import relaxed
from tfcompat.sparse._tensor import SparseTensor, SparseTensorValue


class Parts:
    """Base of the namedtuples of components.

    Attributes:
      inferred: function of (function, args, kwargs) that tells what a call with such arguments gives, an `Inferred`;
        None where `Rebuilding` tells it.
    """

    __slots__ = ()
    inferred: Any = None

    def value(self) -> Any:
        """What consists of these components in a run."""
        raise NotImplementedError

    def in_graph(self) -> Any:
        """What consists of these components in a graph."""
        raise NotImplementedError


class _SparseParts(collections.namedtuple("_SparseParts", "indices values dense_shape"), Parts):
    __slots__ = ()

    def value(self):
        return SparseTensor(*self)

    def in_graph(self):
        return GraphSparseTensor(*self)


class _RaggedParts(collections.namedtuple("_RaggedParts", "flat_values splits"), Parts):
    __slots__ = ()

    def value(self):
        return tf.RaggedTensor.from_nested_row_splits(self.flat_values, self.splits, validate=False)

    def in_graph(self):
        return GraphRaggedTensor(self.flat_values, self.splits)


class _SpecParts(collections.namedtuple("_SpecParts", "components spec"), Parts):
    """Components of what a program has defined with a TypeSpec: it consists of tensors of the graph, as in TF."""

    __slots__ = ()

    def value(self):
        return nest.pack_sequence_as(self.spec, self.components, expand_composites=True)

    in_graph = value


class Composite:
    """Base of the tensors here. `parts` gives the components, `value_of` what a session gives for their values."""

    parts = staticmethod(lambda: ())

    def in_run(self):
        """The tensor in the run that is under way."""
        return rebuilt(nest.map_structure(graphs.resolved, self.parts()))

    graph = property(lambda self: nest.flatten(self.parts())[0].graph)
    op = property(lambda self: nest.flatten(self.parts())[1].op)


def _in_graph(x, dtype, name):
    return x if isinstance(x, GraphTensor) else record(convert_to_tensor, (x, dtype), {}, name, "Const")


class GraphSparseTensor(Composite, SparseTensor):
    """A SparseTensor of a graph. TF: `tf.sparse.SparseTensor` of a graph."""

    def __init__(self, indices, values, dense_shape, shape=None):
        if not all(isinstance(x, GraphTensor) for x in (indices, values, dense_shape)):
            with tf.name_scope("SparseTensor"):
                indices = _in_graph(indices, dtypes.int64, "indices")
                values = _in_graph(values, None, "values")
                dense_shape = _in_graph(dense_shape, dtypes.int64, "dense_shape")
        self._indices, self._values, self._dense_shape = indices, values, dense_shape
        self._shape = _static_shape(dense_shape) if shape is None else shape

    shape = property(lambda self: graphs.process.shapes(self._shape), doc="TensorShape, as far as it is known.")

    def get_shape(self):
        """The shape, as the attribute."""
        return self.shape

    def parts(self):
        """The components."""
        return _SparseParts(self._indices, self._values, self._dense_shape)

    @staticmethod
    def value_of(parts):
        """What a session gives: a SparseTensorValue."""
        return SparseTensorValue(*parts)

    @staticmethod
    def parts_of(value):
        """The components of what is fed: a SparseTensorValue or tuple."""
        return list(value) if isinstance(value, tuple) else [value.indices, value.values, value.dense_shape]

    def __str__(self):
        return f"SparseTensor(indices={self.indices}, values={self.values}, dense_shape={self.dense_shape})"

    __repr__ = __str__


def _static_shape(dense_shape):
    """The TensorShape that a tensor of sizes stands for, as far as it is known."""
    known = dense_shape.known_value()
    if known is None and dense_shape.op.type == "PlaceholderWithDefault":
        known = dense_shape.op.inputs[0].known_value()
    if known is not None:
        return TensorShape([None if n < 0 else int(n) for n in known])
    samples = dense_shape._result.samples
    if samples is not None:
        return TensorShape([int(n) if n == other else None for n, other in zip(*samples, strict=True)])
    rank = dense_shape._result.shape[0] if dense_shape._result.shape.rank == 1 else None
    return TensorShape(None if rank is None else [None] * rank)


class RaggedTensorValue:
    """What a session gives for a RaggedTensor: arrays.

    Attributes:
      values: array, or RaggedTensorValue.
      row_splits: array, where rows begin in `values`.

    TF: `tf.compat.v1.ragged.RaggedTensorValue`.
    """

    def __init__(self, values, row_splits):
        splits = np.asarray(row_splits)
        if splits.dtype not in (np.int32, np.int64) or splits.ndim != 1:
            raise TypeError("row_splits must be a numpy array of int32 or int64 with one axis")
        self.values = values if isinstance(values, RaggedTensorValue) else np.asarray(values)
        self.row_splits = splits

    @property
    def flat_values(self):
        """The innermost array."""
        return self.values.flat_values if isinstance(self.values, RaggedTensorValue) else self.values

    @property
    def nested_row_splits(self):
        """The `row_splits` of all ragged axes, the outermost first."""
        inner = self.values.nested_row_splits if isinstance(self.values, RaggedTensorValue) else ()
        return (self.row_splits, *inner)

    ragged_rank = property(lambda self: len(self.nested_row_splits), doc="How many ragged axes there are.")
    dtype = property(lambda self: self.flat_values.dtype, doc="NumPy dtype of the values.")

    @property
    def shape(self):
        """The sizes, a tuple; None for ragged ones."""
        return (len(self.row_splits) - 1, *[None] * self.ragged_rank, *self.flat_values.shape[1:])

    def to_list(self):
        """The rows as lists."""
        inner = self.values.to_list() if isinstance(self.values, RaggedTensorValue) else self.values.tolist()
        return [inner[a:b] for a, b in zip(self.row_splits[:-1], self.row_splits[1:], strict=True)]

    def __str__(self):
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self):
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"


def ragged_constant_value(pylist, dtype=None, ragged_rank=None, inner_shape=None, row_splits_dtype="int64"):
    """A RaggedTensorValue of nested lists, or an array. TF: `tf.compat.v1.ragged.constant_value`."""
    kind = None if dtype is None else dtypes.as_dtype(dtype).np
    with engine.eager_scope(), graphs.paused():
        splits_dtype = dtypes.as_dtype(row_splits_dtype)
        made = tf.ragged.constant(_of_zeros(pylist), None, ragged_rank, inner_shape, row_splits_dtype=splits_dtype)
        if not isinstance(made, tf.RaggedTensor):
            return np.array(pylist, kind).reshape(made.shape.as_list())
        rows = pylist
        for _ in range(made.ragged_rank):
            rows = [part for row in rows for part in row]
        flat = np.array(rows, kind).reshape(made.flat_values.shape.as_list())
        parts = flat, [splits.numpy() for splits in made.nested_row_splits]
    return GraphRaggedTensor.value_of(parts)


def _of_zeros(pylist):
    """Nested lists with 0 in place of each value, which may fit no default dtype."""
    if isinstance(pylist, list | tuple):
        return [_of_zeros(part) for part in pylist]
    return np.zeros(pylist.shape, np.int32) if isinstance(pylist, np.ndarray) else 0


class GraphRaggedTensor(Composite):
    """A RaggedTensor of a graph.

    Attributes:
      flat_values, nested_row_splits: tensors of the graph.

    TF: `tf.RaggedTensor` of a graph.
    """

    def __init__(self, flat_values, nested_row_splits):
        self.flat_values, self.nested_row_splits = flat_values, tuple(nested_row_splits)

    dtype = property(lambda self: self.flat_values.dtype)
    ragged_rank = property(lambda self: len(self.nested_row_splits))
    row_splits = property(lambda self: self.nested_row_splits[0])

    @property
    def values(self):
        """The tensor without the outer row partition."""
        inner = self.nested_row_splits[1:]
        return GraphRaggedTensor(self.flat_values, inner) if inner else self.flat_values

    @property
    def shape(self):
        """TensorShape: ragged sizes are None."""
        outer = self.nested_row_splits[0].shape
        rows = None if outer.rank is None or outer[0] is None else int(outer[0]) - 1
        return TensorShape([rows]).concatenate([None] * self.ragged_rank).concatenate(self.flat_values.shape[1:])

    def parts(self):
        """The components."""
        return _RaggedParts(self.flat_values, list(self.nested_row_splits))

    @staticmethod
    def value_of(parts):
        """What a session gives: a RaggedTensorValue."""
        value = parts[0]
        for splits in reversed(parts[1]):
            value = RaggedTensorValue(value, splits)
        return value

    @staticmethod
    def parts_of(value):
        """The components of what is fed: a RaggedTensorValue."""
        return [value.flat_values, *value.nested_row_splits]

    def __str__(self):
        return f"tf.RaggedTensor(values={self.values}, row_splits={self.row_splits})"

    __repr__ = __str__


def _operator(name):
    def method(self, *others):
        return record(_Operator(name), (self, *others), {}, name.strip("_"), name.strip("_"))

    for kind in (GraphSparseTensor, GraphRaggedTensor):
        setattr(kind, name, method)


class _Operator:
    """An operator of Python, by its name."""

    def __init__(self, name):
        self.name = self.__name__ = name

    def __call__(self, x, *others):
        return getattr(x, self.name)(*others)


for _name in "add radd sub rsub mul rmul truediv neg abs getitem lt le gt ge".split():
    _operator(f"__{_name}__")


# --- calls ------------------------------------------------------------------------------------------------------------


def mapped(function, structure, *others) -> Any:
    """A structure of what `function` gives for each leaf of some of the same form. Components are one leaf."""
    if isinstance(structure, Parts):
        return function(structure, *others)
    if isinstance(structure, dict):
        return {key: mapped(function, value, *(x[key] for x in others)) for key, value in structure.items()}
    if isinstance(structure, list | tuple):
        parts = [mapped(function, *each) for each in zip(structure, *others, strict=bool(others))]
        return type(structure)(*parts) if hasattr(structure, "_fields") else type(structure)(parts)
    return function(structure, *others)


def rebuilt(structure):
    """A structure with tensors in the place of their components."""
    return mapped(lambda x: x.value() if isinstance(x, Parts) else x, structure)


# Classes of what has components in a run, and functions that take it apart.
apart: dict = {
    SparseTensor: lambda x: _SparseParts(x.indices, x.values, x.dense_shape),
    tf.RaggedTensor: lambda x: _RaggedParts(x.flat_values, list(x.nested_row_splits)),
}


def _taken_apart(x):
    if isinstance(x, Composite):
        return x.parts()
    for kind, parts_of in apart.items():
        if isinstance(x, kind):
            return parts_of(x)
    if isinstance(x, CompositeTensor | IndexedSlices):
        return _SpecParts(nest.flatten(x, expand_composites=True), x._type_spec)
    return x


def without_class(x):
    """The components of what is neither a sparse nor a ragged tensor; anything else itself."""
    return x if isinstance(x, tuple(apart)) else _taken_apart(x)


def has_parts(structure):
    """Whether components stand for something in a structure."""
    found: list = []
    mapped(found.append, structure)
    return any(isinstance(x, Parts) for x in found)


class Rebuilding:
    """A function of the components of composite tensors, and to such, in the place of one of the tensors themselves."""

    def __init__(self, function):
        self.function = function
        self.__name__ = getattr(function, "__name__", type(function).__name__)

    def __call__(self, *args, **kwargs):
        result = self.function(*map(rebuilt, args), **rebuilt(kwargs))
        return nest.map_structure(_taken_apart, result)

    def inferred(self, args, kwargs):
        """What a call gives, an Inferred: it is made twice, of small tensors of different sizes."""
        found: list = []
        mapped(found.append, (args, kwargs))
        for x in found:
            if isinstance(x, Parts) and x.inferred is not None:
                return x.inferred(self.function, args, kwargs)
        results = []
        for size in (2, 3):
            values = mapped(functools.partial(_sample, size), (args, kwargs))
            with engine.eager_scope(), graphs.paused(), _samples(size):
                results.append(self(*values[0], **values[1]))
        return Inferred(mapped(_common, *results))

    def __eq__(self, other):
        return isinstance(other, Rebuilding) and self.function == other.function

    def __hash__(self):
        return hash(self.function)


def _sample(size, x):
    """A small tensor in the place of one of the graph, whose unknown sizes are `size`; anything else itself."""
    if isinstance(x, _SparseParts):
        _, values, dense = x
        shape = _static_shape(dense) if isinstance(dense, GraphTensor) else TensorShape(list(np.asarray(dense)))
        rank = 2 if shape.rank is None else shape.rank
        sizes = [size if n is None else n for n in ([None] * rank if shape.rank is None else shape.as_list())]
        count = min(size, sizes[0])
        places = np.zeros([count, rank], np.int64)
        places[:, 0] = range(count)
        return _SparseParts(places, _filled([count], values.dtype), np.array(sizes, np.int64))
    if isinstance(x, _RaggedParts):
        flat, splits = x
        made = [np.array([0, *range(1, size), size], splits[0].dtype.np) for _ in splits]
        sizes = flat.shape.as_list()[1:] if flat.shape.rank is not None else []
        return _RaggedParts(_filled([size, *(size if n is None else n for n in sizes)], flat.dtype), made)
    if not isinstance(x, graphs.Recorded):
        return x
    known = x.known_value() if isinstance(x, GraphTensor) else None
    if known is not None:
        return convert_to_tensor(known)
    sizes = [] if x.shape.rank is None else [size if n is None else n for n in TensorShape(x.shape).as_list()]
    return _filled(sizes, x.dtype)


def _filled(sizes, dtype):
    value = b"a b" if dtype == dtypes.string else 0
    return convert_to_tensor(np.full([int(n) for n in sizes], value, object if dtype == dtypes.string else dtype.np))


def _common(x, other):
    """What two results have in common: Results in place of tensors. Of sizes they keep both values, as samples."""
    if isinstance(x, _SparseParts):
        made = _SparseParts(*map(_common, x, other))
        return made._replace(dense_shape=Result(made.dense_shape.shape, dtypes.int64, [
            part.dense_shape.numpy() for part in (x, other)
        ]))  # fmt: skip
    if isinstance(x, _RaggedParts):
        return _RaggedParts(_common(x.flat_values, other.flat_values), list(map(_common, x.splits, other.splits)))
    if not isinstance(x, Tensor):
        return x
    return Result(relaxed(x.shape, other.shape) if x.shape.rank == other.shape.rank else None, x.dtype)


def composed(structure):
    """A structure with tensors of the graph in the place of their components."""
    return mapped(lambda x: x.in_graph() if isinstance(x, Parts) else x, structure)


# --- placeholders -----------------------------------------------------------------------------------------------------


def sparse_placeholder(dtype, shape=None, name=None):
    """A SparseTensor whose value each run is given, a `tf.compat.v1.SparseTensorValue` or a tuple of its parts.

    Args:
      dtype: of the values.
      shape: sizes may be None; None for an unknown rank.
      name: prefix of the names of the components.

    Raises:
      RuntimeError: eagerly, as in TF.

    TF: `tf.compat.v1.sparse_placeholder`.
    """
    if graphs.current() is None:
        raise RuntimeError("`sparse_placeholder` is not compatible with eager execution.")
    v1 = tf.compat.v1
    named = {part: None if name is None else f"{name}/{part}" for part in ("shape", "values", "indices")}
    known = TensorShape(shape)
    rank, given = known.rank, None if shape is None else shape
    if given is not None and isinstance(given, GraphTensor):
        dense, known, rank = given, TensorShape(None), given.shape[0]
    elif rank is not None and known.is_fully_defined():
        dense = tf.constant(np.array(known.as_list(), np.int64), dtypes.int64, name=named["shape"] or "shape")
    elif rank is not None:
        sizes = np.array([-1 if n is None else n for n in known.as_list()], np.int64)
        default = tf.constant(sizes, dtypes.int64, name=f"{name}/shape_default" if name else "shape_default")
        dense = v1.placeholder_with_default(default, [rank], name=named["shape"])
    else:
        dense = v1.placeholder(dtypes.int64, [None], name=named["shape"])
    values = v1.placeholder(dtype, [None], name=named["values"])
    indices = v1.placeholder(dtypes.int64, [None, rank], name=named["indices"])
    return GraphSparseTensor(indices, values, dense, known)


def ragged_placeholder(dtype, ragged_rank, value_shape=None, name=None):
    """A RaggedTensor whose value each run is given, a `tf.compat.v1.ragged.RaggedTensorValue`.

    Args:
      dtype: of the values.
      ragged_rank: how many ragged axes there are.
      value_shape: shape of an inner value.
      name: prefix of the names of the components.

    Raises:
      RuntimeError: eagerly, as in TF.

    TF: `tf.compat.v1.ragged.placeholder`.
    """
    if graphs.current() is None:
        raise RuntimeError("tf.ragged.placeholder is not compatible with eager execution")
    v1 = tf.compat.v1
    if ragged_rank == 0:
        return v1.placeholder(dtype, value_shape, name)
    with tf.name_scope(name or "RaggedPlaceholder"):
        shape = TensorShape([None]).concatenate(TensorShape(value_shape))
        flat = v1.placeholder(dtype, shape, name="flat_values")
        splits = [v1.placeholder(dtypes.int64, [None], name=f"row_splits_{i}") for i in reversed(range(ragged_rank))]
    return GraphRaggedTensor(flat, reversed(splits))


graphs.upstairs.composites, graphs.upstairs.rebuilding = (Composite,), Rebuilding
graphs.upstairs.has_parts = has_parts
graphs.upstairs.composed, graphs.upstairs.sparse_tensor = composed, GraphSparseTensor

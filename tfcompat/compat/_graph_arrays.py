"""TensorArrays of graphs: each call of a method is recorded, and gives another array.

A tensor of dtype variant, the flow, stands for an array. Its value in a run is a `TensorArray`.
"""

import collections

import tfcompat as tf
from tfcompat import dtypes, nest
from tfcompat._control._tensor_array import TensorArray, TensorArraySpec
from tfcompat._core.graphs import GraphTensor, Inferred, Result, record
from tfcompat._core.shape import TensorShape, as_shape
from tfcompat.compat._graph_composites import Composite, Parts, apart, mapped, rebuilt
from tfcompat.compat._graph_shapes import inferred, stand_in_of, zeros
from tfcompat.errors import UnimplementedError


class _Kind:
    """What is known of an array before a run.

    Arrays that come of it share it, so what is written to them is known of all of them.

    Attributes:
      size: int, None if it is not known; `sizes` is the tensor that it was made of, or None.
      options: those of `TensorArray`.
    """

    def __init__(self, dtype, size, shape, dynamic_size, clear_after_read, infer_shape):
        self.dtype, self.size, self.shape = dtype, size, shape
        self.sizes = None
        self.options = {
            "dynamic_size": dynamic_size, "clear_after_read": clear_after_read, "infer_shape": infer_shape
        }  # fmt: skip


class _Flow(Result):
    """Of the tensor that stands for an array."""

    def __init__(self, kind):
        super().__init__([], dtypes.variant)
        self._kind = kind

    def made_up(self, size):
        """What stands for the array in a trial with this size for those that are not known."""
        return _Rows(zeros(TensorShape(_sizes_of(self._kind)), self._kind.dtype, size), self._kind).value()

    def stand_in(self):
        """Components of what stands for the array in a trial whose sizes are tried out."""
        return _Rows(stand_in_of(_sizes_of(self._kind), self._kind.dtype), self._kind)


def _sizes_of(kind):
    """The sizes of all elements as one tensor, or the number of elements whose shape is not known."""
    sizes = [] if kind.shape.rank is None else kind.shape.as_list()
    return [0 if kind.options["dynamic_size"] else kind.size, *sizes]


class _ArrayParts(collections.namedtuple("_ArrayParts", "flow kind"), Parts):
    """Of an array: the tensor that stands for it, and its `_Kind`."""

    __slots__ = ()

    def value(self):
        return self.flow

    def in_graph(self):
        return GraphTensorArray.of(self)


class _Rows(collections.namedtuple("_Rows", "rows kind"), Parts):
    """Of what stands for an array in a trial: its elements as one tensor, or only its size; and its `_Kind`."""

    __slots__ = ()

    def value(self):
        kind, size = self.kind, self.rows.shape[0]
        if kind.shape.rank is None or not size:
            return TensorArray(kind.dtype, size, element_shape=kind.shape, **kind.options)
        spec = TensorArraySpec(None, size, self.rows.shape[1:], kind.dtype, *kind.options.values())
        return spec._from_components((self.rows,))


class GraphTensorArray(Composite, TensorArray):
    """A TensorArray of a graph. TF: `tf.TensorArray` of a graph."""

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None,
                 flow=None, infer_shape=True, element_shape=None, colocate_with_first_write_call=True,
                 name=None):  # fmt: skip
        if handle is not None or flow is not None:
            raise UnimplementedError(None, None, "tf.TensorArray: handle and flow are not available in tfcompat")
        if size is None:
            raise ValueError("Argument `size` must be provided if handle is not provided.")
        size = tf.convert_to_tensor(size, name="size")
        if size.dtype != dtypes.int32:
            raise TypeError(
                f"Input 'num_elements' of 'TensorListReserve' Op has type {size.dtype.name} that does not match "
                "expected type of int32."
            )
        known = size.known_value()
        kind = _Kind(
            tf.as_dtype(dtype), None if known is None or dynamic_size else int(known), as_shape(element_shape),
            dynamic_size, clear_after_read, infer_shape,
        )  # fmt: skip

        def made(size):
            return _ArrayParts(TensorArray(kind.dtype, size, element_shape=element_shape, **kind.options), None)

        kind.sizes = None if dynamic_size else size
        array = _recorded("TensorListReserve", made, (size,), kind, name or tensor_array_name or "TensorArray")
        self._flow, self._kind = array._flow, array._kind

    @classmethod
    def of(cls, parts):
        """The array of its components."""
        result = object.__new__(cls)
        result._flow, result._kind = parts
        return result

    dtype = property(lambda self: self._kind.dtype, doc="DType of the elements.")
    dynamic_size = property(lambda self: self._kind.options["dynamic_size"], doc="Whether it may grow.")
    handle = property(lambda self: None)
    flow = property(lambda self: self._flow, doc="The tensor that stands for the array.")
    op = property(lambda self: self._flow.op)
    graph = property(lambda self: self._flow.graph)

    @property
    def element_shape(self):
        """TensorShape of the elements, as far as it is known."""
        return self._kind.shape

    def set_element_shape(self, shape):
        """Merges `shape` into that of the elements."""
        self._kind.shape = self._kind.shape.merge_with(shape)

    def parts(self):
        """The components."""
        return _ArrayParts(self._flow, self._kind)

    def _fitting(self, shape):
        """The kind of this array, when elements of a shape are written.

        Raises:
          ValueError: others are there.
        """
        kind = self._kind
        if not kind.shape.is_compatible_with(shape):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {kind.shape} ")
        if kind.options["infer_shape"]:
            kind.shape = kind.shape.merge_with(shape)
        return kind

    def identity(self):
        """An equal array. TF: `tf.TensorArray.identity`."""
        return _recorded("Identity", TensorArray.identity, (self,), self._kind)

    def close(self, name=None):
        """An operation that does nothing. TF: `tf.TensorArray.close`."""
        return tf.no_op(name)

    def size(self, name=None):
        """The number of elements, an int32 scalar. TF: `tf.TensorArray.size`."""
        if self._kind.sizes is not None:
            return self._kind.sizes
        return _read("TensorListLength", TensorArray.size, (self,), [], dtypes.int32, name)

    def write(self, index, value, name=None):
        """An array with one element changed; the errors of `tf.TensorArray.write` come when it is run.

        Raises:
          TypeError: `index` is no int32.
          ValueError: another shape than that of the elements.
        """
        value = tf.convert_to_tensor(value, dtype_hint=self.dtype, name="value")
        index = _index(index, "TensorListSetItem")
        return _recorded("TensorListSetItem", TensorArray.write, (self, index, value), self._fitting(value.shape), name)

    def read(self, index, name=None):
        """One element. TF: `tf.TensorArray.read`."""
        index = _index(index, "TensorListGetItem")
        return _read("TensorListGetItem", TensorArray.read, (self, index), self._kind.shape, self.dtype, name)

    def stack(self, name=None):
        """All elements as one tensor. TF: `tf.TensorArray.stack`."""
        shape = TensorShape([self._kind.size]).concatenate(self._kind.shape)
        return _read("TensorListStack", TensorArray.stack, (self,), shape, self.dtype, name)

    def gather(self, indices, name=None):
        """The elements at `indices` as one tensor. TF: `tf.TensorArray.gather`."""
        indices = tf.convert_to_tensor(indices, dtype_hint=dtypes.int32)
        shape = indices.shape[:1].concatenate(self._kind.shape)
        return _read("TensorListGather", TensorArray.gather, (self, indices), shape, self.dtype, name)

    def concat(self, name=None):
        """The elements joined along their first dimension. TF: `tf.TensorArray.concat`."""
        shape = self._kind.shape
        joined = TensorShape(None if shape.rank is None else [None, *shape.as_list()[1:]])
        return _read("TensorListConcatV2", TensorArray.concat, (self,), joined, self.dtype, name)

    def unstack(self, value, name=None):
        """An array of the rows of `value`. TF: `tf.TensorArray.unstack`."""
        return self._of_rows("TensorListFromTensor", TensorArray.unstack, (), value, name)

    def scatter(self, indices, value, name=None):
        """An array with the elements at `indices` changed. TF: `tf.TensorArray.scatter`."""
        indices = tf.convert_to_tensor(indices, dtype_hint=dtypes.int32)
        return self._of_rows("TensorListScatterIntoExistingList", TensorArray.scatter, (indices,), value, name)

    def _of_rows(self, kernel, method, arguments, value, name):
        value = tf.convert_to_tensor(value, dtype_hint=self.dtype)
        kind = self._fitting(value.shape if value.shape.rank in (None, 0) else value.shape[1:])
        return _recorded(kernel, method, (self, *arguments, value), kind, name)

    def split(self, value, lengths, name=None):
        """An array of pieces of `value`. TF: `tf.TensorArray.split`."""
        value = tf.convert_to_tensor(value, dtype_hint=self.dtype)
        lengths = tf.convert_to_tensor(lengths)
        shape = TensorShape(None if value.shape.rank is None else [None, *value.shape.as_list()[1:]])
        return _recorded("TensorListSplit", TensorArray.split, (self, value, lengths), self._fitting(shape), name)


def _index(index, kernel):
    """An index as a tensor; TypeError if it is no int32."""
    index = tf.convert_to_tensor(index, dtype_hint=dtypes.int32)
    if index.dtype != dtypes.int32:
        raise TypeError(
            f"Input 'index' of '{kernel}' Op has type {index.dtype.name} that does not match expected type of int32."
        )
    return index


def _recorded(kernel, function, args, kind, name=None):
    """What a call gives that gives an array."""
    known = Inferred(_ArrayParts(_Flow(kind), kind))
    made = record(function, args, {}, name or kernel, kernel, known)
    return GraphTensorArray.of(made) if isinstance(made, _ArrayParts) else made


def _read(kernel, function, args, shape, dtype, name):
    """What a call gives that gives a tensor."""
    return record(function, args, {}, name or kernel, kernel, Inferred(Result(shape, dtype)))


# --- loops, branches and functions with arrays ------------------------------------------------------------------------


def _inferred(function, args, kwargs):
    """What a call with arrays among its arguments gives: it is tried out on arrays of made-up sizes."""
    graph = next(x for x in nest.flatten((args, kwargs)) if isinstance(x, GraphTensor)).graph
    args, kwargs = mapped(lambda x: x.flow._result.stand_in() if isinstance(x, _ArrayParts) else x, (args, kwargs))

    def call(*args, **kwargs):
        result = function(*rebuilt(args), **rebuilt(kwargs))
        return nest.map_structure(_seen, result)

    made = inferred(call, args, kwargs, graph, "fill")  # a kernel that takes sizes
    made.results = mapped(_parts_of, made.results)
    return made


_ArrayParts.inferred = staticmethod(_inferred)


def _seen(x):
    """What a trial gave, with the rows of arrays in their place."""
    if not isinstance(x, TensorArray):
        return x
    shape = x.element_shape if x.element_shape.is_fully_defined() else TensorShape(None)
    sizes = [0 if x.dynamic_size else int(x.size()), *(shape.as_list() if shape.rank is not None else ())]
    return _Rows(tf.zeros(sizes, x.dtype), _Kind(x.dtype, None, shape, **x.options))


def _parts_of(x):
    """The components of an array that a trial gave, with a Result in the place of the flow."""
    if not isinstance(x, _Rows):
        return x
    kind, known = x.kind, x.rows.shape.rank is not None
    size, *sizes = x.rows.shape.as_list() if known else [None]
    shape = TensorShape(sizes if known and kind.shape.rank is not None else None)
    size = None if kind.options["dynamic_size"] else size
    made = _Kind(kind.dtype, size, shape, **kind.options)
    return _ArrayParts(_Flow(made), made)


apart[TensorArray] = lambda x: _ArrayParts(x, None)

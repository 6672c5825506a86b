"""`TensorArray`: a list of tensors that a loop fills."""

import copy
import operator
from typing import Any

import numpy as np

from tfcompat import array, dtypes, engine
from tfcompat._control._turns import with_row
from tfcompat._core import graphs
from tfcompat._core.convert import convert_to_tensor, static_value, value_by_constants
from tfcompat._core.in_graphs import when_run
from tfcompat._core.shape import TensorShape, as_shape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat._core.symbolic_sizes import NeedsValues, is_new, is_symbol, names_of_symbols
from tfcompat._core.tensor import Tensor
from tfcompat._tracing.eagerly import inside_function
from tfcompat.errors import InvalidArgumentError, OutOfRangeError, UnimplementedError


class TensorArray:
    """A list of tensors of one dtype.

    Args:
      dtype: DType of the elements.
      size: number of elements, an integer.
      dynamic_size: whether `write` may extend the array.
      clear_after_read: whether an element may be read only once; True by default.
      tensor_array_name, colocate_with_first_write_call, name: accepted, without effect on values.
      handle, flow: must be None.
      infer_shape: whether all elements must have the shape of the first.
      element_shape: TensorShape of the elements.

    Writing returns the array itself, which has changed; inside a function being traced it returns another array, and
    reading does not clear: as in TF. An index that is known only when the function runs needs a fixed size, where it is
    not checked, or a loop, in which an array with `dynamic_size` grows.

    Gradients flow from what is read to what was written.

    Raises:
      ValueError: no `size`.
      TypeError: `size` is no integer; inside a function being traced, an int64 tensor, as also an index.
      In a function being traced, errors of indices and shapes are `tf.errors.InvalidArgumentError`.

    TF: `tf.TensorArray`.
    """

    def __new__(cls, *args, **kwargs):
        is_copied = not (args or kwargs)
        return object.__new__(cls if is_copied or graphs.current() is None else graphs.upstairs.tensor_array)

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None,
                 flow=None, infer_shape=True, element_shape=None, colocate_with_first_write_call=True,
                 name=None):  # fmt: skip
        if handle is not None or flow is not None:
            raise UnimplementedError(None, None, "tf.TensorArray: handle and flow are not available in tfcompat")
        self._dtype = dtypes.as_dtype(dtype)
        size = _known_size(size)
        self._unknown_size = size if is_symbol(size) else None  # such an array is one that grows; see `stack`
        self._elements = [None] * (0 if is_symbol(size) else size)
        self._cleared = set()
        self._dynamic_size = bool(dynamic_size) or is_symbol(size)
        self._clear_after_read = True if clear_after_read is None else bool(clear_after_read)
        self._infer_shape = infer_shape
        self._shape = as_shape(element_shape)
        self._sizes = None  # of an element, with symbols, as far as a trial turn of a loop has told them
        self._whole = None  # all elements as one tensor, once an index was not known; `_elements` counts them
        self._is_open = False  # whether it is held as one tensor of unknown size, to which loops add
        self._measure: Any = None  # in a trial turn of a loop, where it grows: see `measured`

    @classmethod
    def eager(cls, *args, **kwargs):
        """A TensorArray that is none of a graph, wherever it is made; for the arguments see the class."""
        result = object.__new__(cls)
        result.__init__(*args, **kwargs)
        return result

    dtype = property(lambda self: self._dtype, doc="DType of the elements.")
    dynamic_size = property(lambda self: self._dynamic_size, doc="Whether `write` may extend the array.")
    handle = property(lambda self: None)
    flow = property(lambda self: convert_to_tensor(0))

    @property
    def options(self):
        """The arguments that hold for arrays made of this one."""
        return {"dynamic_size": self._dynamic_size, "clear_after_read": self._clear_after_read,
                "infer_shape": self._infer_shape}  # fmt: skip

    @property
    def element_shape(self):
        """TensorShape of the elements, as far as it is known."""
        return self._shape

    @property
    def open_shape(self):
        """TensorShape of all elements of an array that is `opened`; None for others."""
        return TensorShape([None, *self._shape.as_list()]) if self._is_open else None

    @property
    def written(self):
        """For each element, whether it has a tensor; None for an array held as one tensor."""
        return None if self._whole is not None else tuple([x is not None for x in self._elements])

    @property
    def known_size(self):
        """The number of elements; None if it is known only when the function runs."""
        return None if self._is_open else len(self._elements)

    @property
    def _type_spec(self):
        return TensorArraySpec(
            self.written, self.known_size, self._shape, self._dtype, self._dynamic_size, self._clear_after_read,
            self._infer_shape, self._measure,
        )  # fmt: skip

    def set_element_shape(self, shape, sizes=None):
        """Merges `shape` into that of the elements, whose `sizes` may be symbols."""
        self._shape, self._sizes = self._shape.merge_with(shape), sizes

    @property
    def element_sizes(self):
        """The sizes of an element, some of which may be symbols; None if they are not known."""
        if self._shape.is_fully_defined():
            return tuple(self._shape.as_list())
        return self._sizes if self._whole is None else self._whole._node.aval.shape[1:]

    def as_one_tensor(self, size=None):
        """An equal array that holds its elements as one tensor. The shape of the elements must be known.

        Args:
          size: number of elements; those that are not there yet are zeros. By default their number now.

        The result does not grow; `like` makes it an array that may.
        """
        missing = 0 if size is None else size - len(self._elements)
        is_measured = self._measure is not None and self._measure[2] is not None
        if self._is_open or is_measured or self._whole is not None and missing <= 0 and not self._dynamic_size:
            return self
        result = copy.copy(self)
        result._whole = self.stack()
        if missing > 0:
            more = array.zeros([missing, *self._shape.as_list()], self._dtype)
            result._whole = array.concat([result._whole, more], 0)
        result._elements = [None] * (len(self._elements) + max(missing, 0))
        result._dynamic_size = False
        return result

    def opened(self):
        """An equal array for a loop that may write behind its end. The shape of the elements must be known."""
        if self._is_open:
            return self
        result = copy.copy(self)
        result._whole, result._elements, result._is_open, result._measure = self.stack(), [], True, None
        return result

    def in_form(self, shape, has_known_size):
        """This array as one tensor, with elements of `shape`: as `as_one_tensor`, or as `opened`.

        Raises:
          Grows: the size is not known, and `shape` is not either. With a known size it is then the array itself.
        """
        if not shape.is_fully_defined():
            if not has_known_size:
                raise _growing()
            return self
        result = copy.copy(self)
        result._shape = shape
        return result.as_one_tensor().like(self) if has_known_size else result.opened()

    def like(self, other):
        """This array, growing if `other` may grow."""
        if self._dynamic_size == other._dynamic_size:
            return self
        result = copy.copy(self)
        result._dynamic_size = other._dynamic_size
        return result

    def measured(self, graph, opens=False):
        """This array for a trial turn of a loop, captured in `graph`; one that grows notes where it is written to.

        With `opens` it notes the shape of what is written, and stays as it is; see `opened`.
        """
        if not self._dynamic_size:
            return self
        result = copy.copy(self)
        result._measure = (graph, [], [self._shape, self.element_sizes] if opens else None)
        return result

    def measured_shape(self):
        """The shape of the elements, with what was written in a trial turn."""
        return self._shape if self._measure is None or self._measure[2] is None else self._measure[2][0]

    def measured_sizes(self):
        """The sizes of the elements, as `element_sizes`, with what was written in a trial turn."""
        return self.element_sizes if self._measure is None or self._measure[2] is None else self._measure[2][1]

    def size_for(self, before, row, rows):
        """The size that `before` needs in a loop over `rows`, of which a trial turn with `row` left this array.

        Raises:
          Grows: `rows` are not what it is written at, or are not known.
        """
        if not before._dynamic_size:
            return None
        written = [] if self._measure is None else self._measure[1]
        known = value_by_constants(rows) if written else None
        same = len(self._elements) == len(before._elements)
        if self._measure is None or not same or any(node is not row._node for node in written):
            raise _growing()
        if not written:
            return None
        if known is None or known.ndim != 1 or known.dtype.kind not in "iu" or known.size and known.min() < 0:
            raise _growing()
        return max([len(before._elements), *(known + 1).tolist()])

    def _changed(self):
        """The array to write into: inside a function being traced, a copy."""
        if not engine.state.graph.symbolic:
            return self
        result = copy.copy(self)
        result._elements = list(self._elements)
        return result

    def identity(self):
        """The array itself. TF: `tf.TensorArray.identity`."""
        return self

    def close(self, name=None):
        """Forgets the elements. TF: `tf.TensorArray.close`."""
        self._elements.clear()

    def grad(self, source, flow=None, name=None):
        """Not supported, as in eager TF: NotImplementedError."""
        raise NotImplementedError("TensorArray.grad is not supported when executing eagerly; eager's gradient "
                                  "implementation does not use/need this function to compute gradients.")  # fmt: skip

    def size(self, name=None):
        """The number of elements, an int32 scalar. TF: `tf.TensorArray.size`."""
        if self._is_open:
            return array.shape(self._whole)[0]
        if self._unknown_size is not None and not self._elements:
            return convert_to_tensor(self._unknown_size)
        return convert_to_tensor(len(self._elements))

    def write(self, index, value, name=None):
        """Sets one element.

        Raises:
          tf.errors.OutOfRangeError: `index` is negative, or out of range and the size is not dynamic.
          tf.errors.InvalidArgumentError: another dtype.
          ValueError: another shape than that of the elements.
        """
        return self._written(_checked_index(index, "TensorListSetItem"), value)

    def _written(self, index, value):
        value = self._checked(value)
        result, index = self._changed(), _known(index)
        if self._measure is not None and self._measure[2] is not None:
            self._measure[2][0] = self._measure[2][0].merge_with(value.shape)
            sizes = value._node.aval.shape
            self._measure[2][1] = None if any(map(is_new, names_of_symbols(sizes))) else sizes
            return result
        if self._infer_shape or type(index) is not int:  # as one tensor, elements have one shape
            result._shape = self._shape.merge_with(value.shape)
        if self._is_open:
            result._whole = with_row(self._whole, convert_to_tensor(index), value)
            return result
        if self._dynamic_size and self._whole is not None and type(index) is int:
            result._elements, result._whole = array.unstack(self._whole), None
        if type(index) is not int or result._whole is not None:
            if self._dynamic_size:
                if self._measure is None or self._measure[0] is not engine.state.graph:
                    raise _growing()
                self._measure[1].append(index._node)
                return result
            self._check_index(index, "write to")
            result = result.as_one_tensor()
            indices = array.reshape(convert_to_tensor(index), [1, 1])
            result._whole = array.tensor_scatter_nd_update(result._whole, indices, array.expand_dims(value, 0))
            return result
        if index >= len(self._elements) and self._dynamic_size:
            result._elements += [None] * (index + 1 - len(self._elements))
        result._check_index(index, "write to")
        result._elements[index] = value
        result._cleared.discard(index)
        return result

    def _checked(self, value):
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        if value.dtype != self._dtype:
            raise InvalidArgumentError(
                None, None,
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {value.dtype.name} ",
            )  # fmt: skip
        if not self._shape.is_compatible_with(value.shape):
            raise ValueError(f"Incompatible shape for value ({value.shape}), expected ({self._shape})")
        return value

    def _check_index(self, index, action):
        if type(index) is not int:
            return
        if index < 0:
            doing = "Writing to" if action == "write to" else "Reading from"
            raise _broken(OutOfRangeError, f"{doing} negative indices (index {index}) is not allowed.")
        size = len(self._elements)
        if index >= size and action == "write to":
            raise _broken(
                OutOfRangeError, f"Tried to write to index {index} but array is not resizeable and size is: {size} "
            )
        if index >= size:
            raise _broken(OutOfRangeError, f"Tried to read from index {index} but array size is: {size} ")

    def read(self, index, name=None):
        """One element; zeros where nothing was written.

        Raises:
          tf.errors.OutOfRangeError: there is no such element.
          tf.errors.InvalidArgumentError: it has been read before and `clear_after_read` holds.
        """
        index = _known(_checked_index(index, "TensorListGetItem"))
        if self._is_open:
            return array.gather(self._whole, index)
        if self._measure is not None and self._measure[2] is not None:
            if self.measured_sizes() is None:
                raise _growing()
            return array.zeros(self.measured_sizes(), self._dtype)
        self._check_index(index, "read")
        if self._measure is not None and type(index) is not int:
            return array.zeros(self._shape, self._dtype)
        if type(index) is not int or self._whole is not None:
            return array.gather(self.as_one_tensor()._whole, index)
        if index in self._cleared:
            raise InvalidArgumentError(
                None, None,
                f"Could not read index {index} twice because it was cleared after a previous read (perhaps try setting "
                "clear_after_read = false?)",
            )  # fmt: skip
        value = self._filled(index)
        if self._clear_after_read and not engine.state.graph.symbolic:
            self._elements[index] = None
            self._cleared.add(index)
        return value

    def _filled(self, index):
        value = self._elements[index]
        if value is not None:
            return value
        if not self._shape.is_fully_defined():
            raise _broken(
                ValueError,
                f"Cannot convert a partially known TensorShape {self._shape} to a Tensor: nothing was written to index "
                f"{index} of the TensorArray.",
            )
        return array.zeros(self._shape, self._dtype)

    def stack(self, name=None):
        """All elements as one tensor. TF: `tf.TensorArray.stack`."""
        if self._whole is not None:
            return self._whole
        if not self._elements:
            sizes, count = self.element_sizes, 0 if self._unknown_size is None else self._unknown_size
            return array.zeros([0] if sizes is None else [count, *sizes], self._dtype)
        if self._shape.is_fully_defined() and not any(x is not None for x in self._elements):
            return array.zeros([len(self._elements), *self._shape.as_list()], self._dtype)
        values = [self._filled(i) for i in range(len(self._elements))]
        for i, value in enumerate(values):
            if not value.shape.is_compatible_with(values[0].shape):
                raise InvalidArgumentError(
                    None, None,
                    f"Tried to stack elements of a TensorArray with shapes that differ: {values[0].shape} at index 0, "
                    f"{value.shape} at index {i}",
                )  # fmt: skip
        return array.stack(values)

    def gather(self, indices, name=None):
        """The elements at `indices` as one tensor. TF: `tf.TensorArray.gather`."""
        if isinstance(indices, list | tuple) and not indices:
            return array.zeros([0], self._dtype)
        if not inside_function() and max(np.ravel(static_value(indices)), default=-1) >= len(self._elements):
            raise IndexError("list index out of range")
        return array.gather(self.stack(), indices)

    def concat(self, name=None):
        """The elements joined along their first dimension. TF: `tf.TensorArray.concat`."""
        if self._is_open and self._shape.rank:
            return array.reshape(self._whole, [-1, *self._shape.as_list()[1:]])
        if self._whole is not None:
            return array.concat(array.unstack(self._whole), 0)
        if not self._elements and self._shape.rank and self._shape[1:].is_fully_defined():
            return array.zeros([0, *self._shape[1:].as_list()], self._dtype)
        values = [self._filled(i) for i in range(len(self._elements))]
        if not values:
            raise when_run("Tried to concat a TensorArray without elements, whose shape is not known")
        for i, value in enumerate(values):
            if not value.shape.rank:
                raise InvalidArgumentError(
                    None, None, f"Concat saw a scalar shape at index {i} but requires at least vectors."
                )
        return array.concat(values, 0)

    def unstack(self, value, name=None):
        """Sets all elements to the rows of `value`, of which there may be fewer. TF: `tf.TensorArray.unstack`."""
        value, size = self._with_rows(value), len(self._elements)
        if value.shape[0] is None and self._dynamic_size and self._measure is None:
            result = self._changed()
            result._shape = self._shape.merge_with(value.shape[1:])
            result._elements, result._whole, result._is_open = [], value, True
            return result
        rows = array.unstack(value)
        if size > 0 and not self._dynamic_size and len(rows) > size:
            raise _broken(ValueError, f"Cannot unstack {len(rows)} tensors into a TensorArray of static size {size}")
        result = self._replaced(rows)
        if engine.state.graph.symbolic and len(rows) < size:  # there, the others remain and are empty
            result._elements += [None] * (size - len(rows))
        return result

    def split(self, value, lengths, name=None):
        """Sets all elements to pieces of `value` along its first dimension. TF: `tf.TensorArray.split`.

        Raises:
          tf.errors.InvalidArgumentError: there are not as many `lengths` as elements, or they are not those of `value`.
        """
        lengths, value = convert_to_tensor(lengths), convert_to_tensor(value, dtype_hint=self._dtype)
        for name, x in (("lengths", lengths), ("value", value)):
            if x.shape.rank == 0 or name == "lengths" and x.shape.rank != 1:
                message = f"Expected {name} to be a vector, received shape: {x.shape.as_list()} "
                raise ValueError(message) if engine.state.graph.symbolic else InvalidArgumentError(None, None, message)
        lengths, size = lengths.numpy().tolist(), len(self._elements)
        if len(lengths) != size and not self._dynamic_size and not engine.state.graph.symbolic:
            raise InvalidArgumentError(
                None, None,
                f"TensorArray's size is not equal to the size of lengths ({size} vs. {len(lengths)}), and the "
                "TensorArray is not marked as dynamically resizeable.",
            )  # fmt: skip
        if value.shape.is_fully_defined() and sum(lengths) != value.shape[0]:
            raise InvalidArgumentError(
                None, None,
                f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {sum(lengths)} and "
                f"value's shape is: {value.shape} ",
            )  # fmt: skip
        result = self._changed()
        result._infer_shape, result._shape = False, TensorShape(None)
        return result._replaced(array.split(value, lengths))

    def scatter(self, indices, value, name=None):
        """Sets the elements at `indices` to the rows of `value`. TF: `tf.TensorArray.scatter`.

        Raises:
          tf.errors.InvalidArgumentError: in a function being traced, `value` has another number of rows. Elsewhere the
            rows or indices that are left over are not used.
        """
        result, indices = self, convert_to_tensor(indices)
        rows = array.unstack(self._with_rows(value))
        if indices.shape.rank != 1:
            message = f"Expected indices to be a vector, received shape: {indices.shape.as_list()}"
            raise ValueError(message) if engine.state.graph.symbolic else TypeError(message)
        indices = array.unstack(indices)
        if engine.state.graph.symbolic and len(indices) != len(rows):
            raise InvalidArgumentError(
                None, None,
                f"Specified a list with shape [{len(rows)}] from a tensor with {len(indices)} indices: "
                "tf.TensorArray.scatter takes an index for each row",
            )  # fmt: skip
        for index, row in zip(indices, rows, strict=False):
            result = result._written(index, row)
        return result

    def _with_rows(self, value):
        """`value` as a tensor with rows."""
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        if value.shape.rank == 0:
            raise _broken(ValueError, f"Tensor must be at least a vector, but saw shape: {value.shape}")
        return value

    def _replaced(self, rows):
        result = self._changed()
        result._elements, result._cleared, result._whole, result._is_open = [None] * len(rows), set(), None, False
        for i, row in enumerate(rows):
            result = result._written(i, row)
        return result


class Grows(NeedsValues):
    """A TensorArray or a shape grows in a captured loop, which has no room for it."""


Grows.__name__ = Grows.__qualname__ = "UnimplementedError"


def _broken(error, message):
    """The exception that TensorFlow raises for a broken rule: in a function, the kernel's."""
    if inside_function():
        error = InvalidArgumentError
    return error(message) if error is ValueError else error(None, None, message)


def _known_size(size):
    if size is None:
        raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
    _checked_index(size, "TensorListReserve")
    try:
        value = static_value(size)
    except engine.SymbolicValueError:
        raise NeedsValues(
            None, None, "the size of a tf.TensorArray must be known while a tf.function is traced"
        ) from None
    if is_symbol(value):
        return value
    try:
        value = operator.index(np.asarray(value)[()])
    except TypeError:
        raise TypeError(f"the size of a tf.TensorArray must be an integer, got {size!r}") from None
    if value < 0 and engine.state.graph.symbolic:
        raise _broken(ValueError, f"The num_elements to reserve must be a non negative number, but got {value}")
    return value


def _checked_index(index, kernel):
    """`index`; TypeError if it is an int64 tensor in a function being traced."""
    if engine.state.graph.symbolic and isinstance(index, Tensor) and index.dtype != dtypes.int32:
        raise TypeError(
            f"Input 'index' of '{kernel}' Op has type {index.dtype.name} that does not match expected type of int32."
        )
    return index


def _growing():
    return Grows(
        None, None,
        "tf.TensorArray with dynamic_size=True cannot be written at an index that is known only when the "
        "tf.function runs, unless it is the index of a loop over a tf.range of known size: give the array a size",
    )  # fmt: skip


def _known(index):
    """`index` as an int, or the tensor itself if its value is known only at run time."""
    try:
        return operator.index(index)
    except TypeError:
        if isinstance(index, Tensor):
            return index
        raise


class TensorArraySpec(TypeSpec):
    """What `tf.nest` with `expand_composites` knows of a TensorArray without its tensors.

    `written` tells of each element whether there is a tensor for it; it is None for an array held as one tensor.
    `measure` is what the array notes in a trial turn of a loop. Specs that differ in it alone are equal.
    """

    def __init__(self, written, size, shape, dtype, dynamic_size, clear_after_read, infer_shape, measure=None):
        self._measure = measure
        self._written, self._size, self._shape, self._dtype = written, size, shape, dtype
        self._options = (dynamic_size, clear_after_read, infer_shape)

    value_type = property(lambda self: TensorArray)

    @property
    def _component_specs(self):
        if self._written is None:
            return (TensorSpec([self._size, *self._shape.as_list()], self._dtype),)
        return (TensorSpec(self._shape, self._dtype),) * sum(self._written)

    def _to_components(self, value):
        if value._whole is not None:
            return (value._whole,)
        return tuple(x for x in value._elements if x is not None)

    def _from_components(self, components):
        dynamic_size, clear_after_read, infer_shape = self._options
        result = TensorArray(
            self._dtype, self._size or 0, dynamic_size, clear_after_read, infer_shape=infer_shape,
            element_shape=self._shape,
        )  # fmt: skip
        result._measure = self._measure
        if self._written is None:
            (result._whole,), result._is_open = components, self._size is None
        else:
            components = iter(components)
            result._elements = [next(components) if is_written else None for is_written in self._written]
        return result

    def _serialize(self):
        return (self._written, self._size, self._shape, self._dtype, *self._options)

"""`TensorArray`: a list of tensors that a loop fills."""
import operator

from tfcompat import array, dtypes
from tfcompat._convert import convert_to_tensor
from tfcompat._shape import TensorShape, as_shape
from tfcompat.errors import InvalidArgumentError, OutOfRangeError, UnimplementedError


class TensorArray:
    """A list of tensors of one dtype.

    Args:
      dtype: DType of the elements.
      size: number of elements; 0 by default.
      dynamic_size: whether `write` may extend the array.
      clear_after_read: whether an element may be read only once; True by default.
      tensor_array_name, colocate_with_first_write_call, name: accepted, without effect on values.
      handle, flow: must be None.
      infer_shape: whether all elements must have the shape of the first.
      element_shape: TensorShape of the elements.

    Writing returns the array itself, which has changed, as in eager TF. Indices are Python integers, or
    tensors whose value is known. Gradients flow from what is read to what was written.
    TF: `tf.TensorArray`.
    """

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None,
                 flow=None, infer_shape=True, element_shape=None, colocate_with_first_write_call=True, name=None):  # fmt: skip
        if handle is not None or flow is not None:
            raise UnimplementedError(None, None, "tf.TensorArray: handle and flow are not available in tfcompat")
        self._dtype = dtypes.as_dtype(dtype)
        self._elements = [None] * (0 if size is None else int(size))
        self._cleared = set()
        self._dynamic_size = bool(dynamic_size)
        self._clear_after_read = True if clear_after_read is None else bool(clear_after_read)
        self._infer_shape = infer_shape
        self._shape = as_shape(element_shape)

    dtype = property(lambda self: self._dtype, doc="DType of the elements.")
    dynamic_size = property(lambda self: self._dynamic_size, doc="Whether `write` may extend the array.")
    handle = property(lambda self: None)
    flow = property(lambda self: convert_to_tensor(0))

    @property
    def element_shape(self):
        """TensorShape of the elements, as far as it is known."""
        return self._shape

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
        return convert_to_tensor(len(self._elements))

    def write(self, index, value, name=None):
        """Sets one element.

        Raises:
          tf.errors.OutOfRangeError: `index` is negative, or out of range and the size is not dynamic.
          tf.errors.InvalidArgumentError: another dtype.
          ValueError: another shape than that of the elements.
        """
        index = operator.index(index)
        if index < 0:
            raise OutOfRangeError(None, None, f"Writing to negative indices (index {index}) is not allowed.")
        if index >= len(self._elements):
            if not self._dynamic_size:
                raise OutOfRangeError(
                    None, None,
                    f"Tried to write to index {index} but array is not resizeable and size is: {len(self._elements)} ",
                )  # fmt: skip
            self._elements += [None] * (index + 1 - len(self._elements))
        value = convert_to_tensor(value, dtype_hint=self._dtype)
        if value.dtype != self._dtype:
            raise InvalidArgumentError(
                None, None,
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {value.dtype.name} ",
            )  # fmt: skip
        if not self._shape.is_compatible_with(value.shape):
            raise ValueError(f"Incompatible shape for value ({value.shape}), expected ({self._shape})")
        if self._infer_shape:
            self._shape = self._shape.merge_with(value.shape)
        self._elements[index] = value
        self._cleared.discard(index)
        return self

    def read(self, index, name=None):
        """One element; zeros where nothing was written.

        Raises:
          tf.errors.OutOfRangeError: there is no such element.
          tf.errors.InvalidArgumentError: it has been read before and `clear_after_read` holds.
        """
        index = operator.index(index)
        if index < 0:
            raise OutOfRangeError(None, None, f"Reading from negative indices (index {index}) is not allowed.")
        if index >= len(self._elements):
            raise OutOfRangeError(
                None, None, f"Tried to read from index {index} but array size is: {len(self._elements)} "
            )
        if index in self._cleared:
            raise InvalidArgumentError(
                None, None,
                f"Could not read index {index} twice because it was cleared after a previous read (perhaps try setting "
                "clear_after_read = false?)",
            )  # fmt: skip
        value = self._filled(index)
        if self._clear_after_read:
            self._elements[index] = None
            self._cleared.add(index)
        return value

    def _filled(self, index):
        value = self._elements[index]
        return array.zeros(TensorShape(self._shape.as_list()), self._dtype) if value is None else value

    def stack(self, name=None):
        """All elements as one tensor. TF: `tf.TensorArray.stack`."""
        if not self._elements:
            return array.zeros([0, *self._shape.as_list()] if self._shape.is_fully_defined() else [0], self._dtype)
        return array.stack([self._filled(i) for i in range(len(self._elements))])

    def gather(self, indices, name=None):
        """The elements at `indices` as one tensor. TF: `tf.TensorArray.gather`."""
        return array.stack([self._filled(operator.index(i)) for i in convert_to_tensor(indices).numpy().tolist()])

    def concat(self, name=None):
        """The elements joined along their first dimension. TF: `tf.TensorArray.concat`."""
        values = [self._filled(i) for i in range(len(self._elements))]
        for i, value in enumerate(values):
            if not value.shape.rank:
                raise InvalidArgumentError(
                    None, None, f"Concat saw a scalar shape at index {i} but requires at least vectors."
                )
        return array.concat(values, 0)

    def unstack(self, value, name=None):
        """Sets all elements to the rows of `value`. TF: `tf.TensorArray.unstack`."""
        rows = array.unstack(convert_to_tensor(value, dtype_hint=self._dtype))
        if len(self._elements) > 0 and not self._dynamic_size and len(rows) != len(self._elements):
            raise ValueError(
                f"Cannot unstack {len(rows)} tensors into a TensorArray of static size {len(self._elements)}"
            )
        return self._replace(rows)

    def split(self, value, lengths, name=None):
        """Sets all elements to pieces of `value` along its first dimension. TF: `tf.TensorArray.split`."""
        lengths = convert_to_tensor(lengths).numpy().tolist()
        self._infer_shape = False
        self._shape = TensorShape(None)
        return self._replace(array.split(convert_to_tensor(value, dtype_hint=self._dtype), lengths))

    def scatter(self, indices, value, name=None):
        """Sets the elements at `indices` to the rows of `value`. TF: `tf.TensorArray.scatter`."""
        rows = array.unstack(convert_to_tensor(value, dtype_hint=self._dtype))
        for index, row in zip(convert_to_tensor(indices).numpy().tolist(), rows, strict=True):
            self.write(index, row)
        return self

    def _replace(self, rows):
        self._elements = [None] * len(rows)
        self._cleared = set()
        for i, row in enumerate(rows):
            self.write(i, row)
        return self

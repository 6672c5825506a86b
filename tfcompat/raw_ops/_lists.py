"""Raw ops of lists of tensors. A list is a `tf.TensorArray` here; to an op it is a value, which does not change."""

import copy

import numpy as np

from tfcompat import array, engine
from tfcompat._control._tensor_array import TensorArray
from tfcompat._core.convert import convert_to_tensor, host_constant, static_value
from tfcompat._core.shape import TensorShape
from tfcompat.errors import InvalidArgumentError
from tfcompat.raw_ops._registry import raw


def _shape(element_shape):
    """The shape of elements; -1 is an unknown size, or as a scalar an unknown rank."""
    sizes = static_value(element_shape)
    if not isinstance(sizes, tuple):
        return TensorShape(None)
    return TensorShape([None if size == -1 else size for size in sizes])


def _list(dtype, size=0, shape=None):
    # Where a loop is captured, one shape must do for all elements.
    infer = engine.state.graph.symbolic
    return TensorArray.eager(dtype, size, clear_after_read=False, infer_shape=infer, element_shape=shape)


def _copied(handle):
    result = copy.copy(handle)
    result._elements, result._cleared = list(handle._elements), set()
    return result


def _of(handle, elements):
    result = _list(handle.dtype, len(elements), handle.element_shape)
    result._elements = list(elements)
    return result


def _elements(handle):
    return array.unstack(handle._whole) if handle._whole is not None else list(handle._elements)


@raw()
def TensorListReserve(element_shape, num_elements, element_dtype):
    """A list of so many elements, which are not there yet."""
    return _list(element_dtype, num_elements, _shape(element_shape))


@raw()
def EmptyTensorList(element_shape, max_num_elements, element_dtype):
    """A list without elements."""
    return _list(element_dtype, 0, _shape(element_shape))


@raw(ignored=("element_shape",))
def TensorListFromTensor(tensor):
    """The rows of a tensor as a list."""
    tensor = convert_to_tensor(tensor)
    result = _list(tensor.dtype, tensor.shape[0], tensor.shape[1:])
    result._whole = tensor
    return result


@raw()
def TensorListSetItem(input_handle, index, item, resize_if_index_out_of_bounds):
    """The list with another element."""
    result = _copied(input_handle)
    result._dynamic_size = resize_if_index_out_of_bounds
    result = result.write(index, item)
    result._dynamic_size = False
    return result


@raw(ignored=("element_shape", "element_dtype"))
def TensorListGetItem(input_handle, index):
    """An element of the list."""
    return _copied(input_handle).read(index)


@raw(ignored=("element_shape", "element_dtype", "num_elements"))
def TensorListStack(input_handle):
    """All elements as one tensor."""
    return input_handle.stack()


@raw()
def TensorListLength(input_handle):
    """How many elements there are."""
    return input_handle.size()


@raw()
def TensorListPushBack(input_handle, tensor):
    """The list with one more element."""
    return _of(input_handle, [*_elements(input_handle), convert_to_tensor(tensor, input_handle.dtype)])


@raw()
def TensorListPushBackBatch(input_handles, tensor):
    """Lists with one more element each: the rows of a tensor."""
    rows = array.unstack(convert_to_tensor(tensor))
    return [TensorListPushBack(handle, row) for handle, row in zip(input_handles, rows, strict=True)]


@raw(ignored=("element_shape", "element_dtype"))
def TensorListPopBack(input_handle):
    """The list without its last element, and that element."""
    *rest, last = _elements(input_handle) or [None]
    if last is None:
        raise InvalidArgumentError(None, None, "Trying to pop from an empty list.")
    return _of(input_handle, rest), last


@raw()
def TensorListResize(input_handle, size):
    """The list with another number of elements."""
    elements, size = _elements(input_handle), int(static_value(size))
    return _of(input_handle, (elements + [None] * size)[:size])


@raw(ignored=("element_shape", "element_dtype"))
def TensorListGather(input_handle, indices):
    """Elements of the list as one tensor."""
    return array.gather(input_handle.stack(), indices)


def _scattered(handle, tensor, indices):
    for row, index in zip(array.unstack(convert_to_tensor(tensor)), static_value(indices), strict=True):
        handle = TensorListSetItem(handle, index, row, True)
    return handle


@raw()
def TensorListScatter(tensor, indices, element_shape):
    """A list with the rows of a tensor at `indices`."""
    tensor = convert_to_tensor(tensor)
    return _scattered(_list(tensor.dtype, 0, _shape(element_shape)), tensor, indices)


@raw()
def TensorListScatterV2(tensor, indices, element_shape, num_elements):
    """A list with the rows of a tensor at `indices`."""
    tensor, size = convert_to_tensor(tensor), max(int(static_value(num_elements)), 0)
    return _scattered(_list(tensor.dtype, size, _shape(element_shape)), tensor, indices)


@raw()
def TensorListScatterIntoExistingList(input_handle, tensor, indices):
    """The list with the rows of a tensor at `indices`."""
    return _scattered(input_handle, tensor, indices)


@raw()
def TensorListConcatLists(input_a, input_b, element_dtype):
    """The elements of two lists."""
    return _of(input_a, [*_elements(input_a), *_elements(input_b)])


@raw(ignored=("element_shape",))
def TensorListSplit(tensor, lengths):
    """Pieces of a tensor as a list."""
    tensor = convert_to_tensor(tensor)
    pieces = array.split(tensor, static_value(lengths))
    return _of(_list(tensor.dtype), pieces)


@raw("TensorListConcat", "TensorListConcatV2", ignored=("element_shape", "element_dtype", "leading_dims"))
def _concat(input_handle):
    """The elements joined, and how long each is."""
    elements = _elements(input_handle)
    lengths = np.array([x.shape[0] for x in elements], np.int64)
    return array.concat(elements, 0), host_constant(lengths)


@raw()
def TensorListElementShape(input_handle, shape_type):
    """The shape of the elements, as far as it is known."""
    shape = input_handle.element_shape
    known = np.int64(-1) if shape.rank is None else np.array([-1 if d is None else d for d in shape], np.int64)
    return array.cast(host_constant(known), shape_type)

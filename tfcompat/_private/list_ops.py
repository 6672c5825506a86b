"""tensorflow/python/ops/list_ops.py: lists of tensors as elements of tensors of the dtype `variant`.

They exist on the host, so a `tf.function` that uses them runs as plain Python.
"""
import inspect

import numpy as np

import tfcompat as _tf
from tfcompat._core import graphs
from tfcompat._core.host_calls import known_in_graph, recorded
from tfcompat._core.variants import held, variants
from tfcompat._tracing.elements import needs_values
from tfcompat.raw_ops import _lists as _raw


def _in_graphs(kind, result):
    """As `host_calls.recorded`; `result` gives the structure of the results for the arguments by name."""

    def decorate(function):
        signature = inspect.signature(function)

        def made(*args, **kwargs):
            return result(**signature.bind(*args, **kwargs).arguments)

        return recorded(kind, made)(function)

    return decorate


def _list(**_):
    return graphs.Result((), _tf.variant)


def _as_many(input_handles=None, input_a=None, **_):
    return graphs.Result((input_a if input_handles is None else input_handles).shape, _tf.variant)


def _elements(element_dtype, **_):
    return graphs.Result(None, _tf.as_dtype(element_dtype))


def _wrapped(lists, shape=()):
    return variants(lists, shape, "TensorList")


def _one(handle):
    """The list that a scalar holds.

    Raises:
      tf.errors.InvalidArgumentError: several lists, or none.
    """
    needs_values("a list of tensors")
    lists = held(handle)
    if handle.shape.rank:
        raise _tf.errors.InvalidArgumentError(
            None, None, f"Input handle is not a scalar, its shape is {handle.shape.as_list()}"
        )
    return lists[0]


def _checked(handle, element_dtype):
    found, expected = _one(handle), _tf.as_dtype(element_dtype)
    if found.dtype != expected:
        raise _tf.errors.InvalidArgumentError(
            None, None, f"Invalid data types; op elements {expected.name} but list elements {found.dtype.name}"
        )
    return found


def _pushed(list_, tensor):
    if not list_.element_shape.is_compatible_with(tensor.shape):
        raise _tf.errors.InvalidArgumentError(
            None, None, f"Tried to append a tensor with incompatible shape to a list. Op element shape: {tensor.shape} "
            f"list shape: {list_.element_shape}"
        )  # fmt: skip
    return _raw.TensorListPushBack(input_handle=list_, tensor=tensor)


def _sizes(element_shape):
    """A shape as what raw ops take; -1 is unknown."""
    if element_shape is None:
        return -1
    if isinstance(element_shape, _tf.Tensor):
        return known_in_graph(element_shape)
    shape = _tf.TensorShape(element_shape)
    return -1 if shape.rank is None else np.array([-1 if size is None else size for size in shape], np.int64)


def empty_tensor_list(element_shape, element_dtype, max_num_elements=None, name=None):
    """A list without elements."""
    return _wrapped([_raw.EmptyTensorList(
        element_shape=_sizes(element_shape), max_num_elements=-1, element_dtype=_tf.as_dtype(element_dtype)
    )])  # fmt: skip


def tensor_list_reserve(element_shape, num_elements, element_dtype, name=None):
    """A list of so many elements, which are not there yet."""
    needs_values("a list of tensors")
    return _wrapped([_raw.TensorListReserve(
        element_shape=_sizes(element_shape), num_elements=int(num_elements), element_dtype=_tf.as_dtype(element_dtype)
    )])  # fmt: skip


@_in_graphs("TensorListFromTensor", _list)
def tensor_list_from_tensor(tensor, element_shape, name=None):
    """The rows of a tensor as a list."""
    needs_values("a list of tensors")
    list_ = _raw.EmptyTensorList(element_shape=_sizes(element_shape), max_num_elements=-1,
                                 element_dtype=_tf.convert_to_tensor(tensor).dtype)  # fmt: skip
    for row in _tf.unstack(tensor):
        list_ = _pushed(list_, row)
    return _wrapped([list_])


@_in_graphs("TensorListLength", lambda **_: graphs.Result((), _tf.int32))
def tensor_list_length(input_handle, name=None):
    """How many elements a list has, int32."""
    return _raw.TensorListLength(input_handle=_one(input_handle))


@_in_graphs("TensorListElementShape", lambda shape_type, **_: graphs.Result(None, _tf.as_dtype(shape_type)))
def tensor_list_element_shape(input_handle, shape_type, name=None):
    """The shape of the elements; -1 stands for an unknown size."""
    return _raw.TensorListElementShape(input_handle=_one(input_handle), shape_type=_tf.as_dtype(shape_type))


@_in_graphs("TensorListGetItem", _elements)
def tensor_list_get_item(input_handle, index, element_dtype, element_shape=None, name=None):
    """An element of a list."""
    list_ = _checked(input_handle, element_dtype)
    return _raw.TensorListGetItem(list_, index)


@_in_graphs("TensorListSetItem", _list)
def tensor_list_set_item(input_handle, index, item, resize_if_index_out_of_bounds=False, name=None):
    """A list with another element."""
    return _wrapped([_raw.TensorListSetItem(
        input_handle=_one(input_handle), index=index, item=item,
        resize_if_index_out_of_bounds=resize_if_index_out_of_bounds,
    )])  # fmt: skip


@_in_graphs("TensorListPushBack", _list)
def tensor_list_push_back(input_handle, tensor, name=None):
    """A list with one more element."""
    list_ = _one(input_handle)
    return _wrapped([_pushed(list_, _tf.convert_to_tensor(tensor, list_.dtype))])


@_in_graphs("TensorListPushBackBatch", _as_many)
def tensor_list_push_back_batch(input_handles, tensor, name=None):
    """Each of a vector of lists with one more element, a row of `tensor`."""
    needs_values("a list of tensors")
    lists, rows = held(input_handles), _tf.convert_to_tensor(tensor)
    if input_handles.shape.rank != 1:
        raise _tf.errors.InvalidArgumentError(
            None, None, f"Expected input_handles to be a vector, but saw shape: {input_handles.shape.as_list()}"
        )
    if not rows.shape.rank or rows.shape[0] != len(lists):
        raise _tf.errors.InvalidArgumentError(
            None, None, f"Expected tensor.shape[0] == input_handles.size, but saw {rows.shape} vs. {len(lists)}"
        )
    return _wrapped([_pushed(list_, row) for list_, row in zip(lists, _tf.unstack(rows), strict=True)], len(lists))


@_in_graphs("TensorListPopBack", lambda **named: (_list(), _elements(**named)))
def tensor_list_pop_back(input_handle, element_dtype, name=None):
    """A list without its last element, and that element."""
    list_ = _checked(input_handle, element_dtype)
    rest, last = _raw.TensorListPopBack(list_)
    return _wrapped([rest]), last


@_in_graphs("TensorListResize", _list)
def tensor_list_resize(input_handle, size, name=None):
    """A list with another number of elements."""
    return _wrapped([_raw.TensorListResize(input_handle=_one(input_handle), size=size)])


@_in_graphs("TensorListStack", _elements)
def tensor_list_stack(input_handle, element_dtype, num_elements=-1, element_shape=None, name=None):
    """All elements as one tensor."""
    list_ = _checked(input_handle, element_dtype)
    length = int(list_.size())
    if num_elements not in (-1, length):
        raise _tf.errors.InvalidArgumentError(
            None, None, f"Operation expected a list with {num_elements} elements but got a list with {length} elements."
        )
    return _stacked(list_, length, element_shape)


def _stacked(list_, length, element_shape):
    if length:
        return list_.stack()
    shape = list_.element_shape
    if element_shape is not None:
        shape = shape.merge_with(_tf.TensorShape(element_shape))
    if not shape.is_fully_defined():
        raise _tf.errors.InvalidArgumentError(
            None, None, "Tried to stack elements of an empty list with non-fully-defined element_shape: "
            f"{shape}"
        )  # fmt: skip
    return _tf.zeros([0, *shape], list_.dtype)


@_in_graphs("TensorListGather", _elements)
def tensor_list_gather(input_handle, indices, element_dtype, element_shape=None, name=None):
    """Elements of a list as one tensor."""
    list_ = _checked(input_handle, element_dtype)
    length, places = int(list_.size()), np.asarray(_tf.cast(indices, _tf.int32))
    for place in places.tolist():
        if not 0 <= place < length:
            raise _tf.errors.InvalidArgumentError(
                None, None, f"Index {place} out o range; list only has {length} elements."
            )
    return _tf.gather(_stacked(list_, length, element_shape), places)


@_in_graphs("TensorListScatter", _list)
def tensor_list_scatter(tensor, indices, element_shape=None, input_handle=None, name=None):
    """A list with the rows of a tensor at `indices`: a new one, or another with these."""
    needs_values("a list of tensors")
    tensor = _tf.convert_to_tensor(tensor)
    if input_handle is not None:
        return _wrapped([_raw.TensorListScatterIntoExistingList(
            input_handle=_one(input_handle), tensor=tensor, indices=indices
        )])  # fmt: skip
    return _wrapped([_raw.TensorListScatterV2(
        tensor=tensor, indices=indices, element_shape=_sizes(element_shape), num_elements=-1
    )])  # fmt: skip


@_in_graphs("TensorListConcatLists", _as_many)
def tensor_list_concat_lists(input_a, input_b, element_dtype, name=None):
    """The elements of lists of one tensor followed by those of another, list by list."""
    needs_values("a list of tensors")
    pairs = zip(held(input_a), held(input_b), strict=True)
    dtype = _tf.as_dtype(element_dtype)
    joined = [_raw.TensorListConcatLists(input_a=a, input_b=b, element_dtype=dtype) for a, b in pairs]
    return _wrapped(joined, input_a.shape.as_list())


@_in_graphs("TensorListConcat", _elements)
def tensor_list_concat(input_handle, element_dtype, element_shape=None, name=None):
    """The elements joined along their first axis."""
    return _checked(input_handle, element_dtype).concat()


@_in_graphs("TensorListSplit", _list)
def tensor_list_split(tensor, element_shape, lengths, name=None):
    """Pieces of a tensor as a list."""
    needs_values("a list of tensors")
    return _wrapped([_raw.TensorListSplit(tensor, lengths)])


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"{name} is private to TensorFlow, and not available in tfcompat", name=name)

"""Raw ops of stacks, arrays, maps, optional values and stores of sparse tensors; Python objects stand for handles."""

import itertools

import numpy as np

from tfcompat import array, dtypes, engine, sparse
from tfcompat._control._tensor_array import TensorArray
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat.engine import function_trace
from tfcompat.errors import InvalidArgumentError
from tfcompat.raw_ops._registry import raw
from tfcompat.raw_ops._sparse import parts_of, sparse_of

_ADVICE = "call it outside"


class Stack:
    """A stack of tensors of one dtype."""

    def __init__(self, dtype, most):
        self.dtype, self.most, self.tensors = dtypes.as_dtype(dtype), most, []


@raw(ignored=("stack_name",))
def StackV2(max_size, elem_type):
    """An empty stack; `max_size` below 0 is no limit."""
    return Stack(elem_type, int(static_value(max_size)))


@raw("Stack", ignored=("stack_name",))
def _stack_v1(elem_type):
    """An empty stack."""
    return Stack(elem_type, -1)


@raw("StackPush", "StackPushV2")
def _push(handle, elem):
    """Puts a tensor on a stack, and returns it."""
    elem = convert_to_tensor(elem)
    if elem.dtype != handle.dtype:
        raise InvalidArgumentError(None, None, f"Must have type {handle.dtype} but got {elem.dtype}")
    if 0 <= handle.most <= len(handle.tensors):
        raise InvalidArgumentError(None, None, f"Stack[] overflowed its max_size ({handle.most})")
    handle.tensors.append(elem)
    return elem


@raw("StackPop", "StackPopV2")
def _pop(handle, elem_type):
    """Takes the last tensor from a stack."""
    if dtypes.as_dtype(elem_type) != handle.dtype:
        raise InvalidArgumentError(None, None, f"Must have type {handle.dtype} but got {elem_type}")
    if not handle.tensors:
        raise InvalidArgumentError(None, None, "Stack[] is empty when calling Pop().")
    return handle.tensors.pop()


@raw("StackClose", "StackCloseV2")
def _close(handle):
    """Empties a stack."""
    handle.tensors.clear()


# --- arrays: the flow carries what is in an array; outside of functions the handle has it, as in TensorFlow ---


class Array:
    """The handle of an array of tensors."""

    def __init__(self, tensors):
        self.tensors, self.gradients = tensors, {}

    def now(self, flow):
        """The TensorArray that an op sees."""
        eager = function_trace(engine.state.graph) is None
        return self.tensors if eager or not isinstance(flow, TensorArray) else flow

    def changed(self, tensors):
        """The flow after a change."""
        self.tensors = tensors
        return tensors


@raw(ignored=("tensor_array_name",))
def TensorArrayV3(size, dtype, element_shape, dynamic_size, clear_after_read, identical_element_shapes):
    """An array of tensors."""
    tensors = TensorArray.eager(
        dtype, size, dynamic_size, clear_after_read, infer_shape=identical_element_shapes, element_shape=element_shape
    )
    return Array(tensors), tensors


class GradientArray(Array):
    """The handle of an array of gradients: what is written is added."""

    def now(self, flow):
        """A copy of the TensorArray that an op sees."""
        return _filled(list(super().now(flow)._elements))

    def changed(self, tensors):
        """The flow after a change."""
        pairs = zip(self.tensors._elements, tensors._elements, strict=True)
        return super().changed(_filled([new if new is old else old + new for old, new in pairs]))


def _filled(elements):
    result = TensorArray.eager(elements[0].dtype, len(elements), clear_after_read=False, infer_shape=False)
    result._elements = elements
    return result


@raw()
def TensorArrayGradWithShape(handle, flow_in, source, shape_to_prepend):
    """The array of the gradients of an array, zeros at first, with more axes; one for each `source`."""
    if source not in handle.gradients:
        tensors, more = handle.now(flow_in), list(static_value(shape_to_prepend))
        elements = [tensors.read(i) for i in range(int(static_value(tensors.size())))]
        handle.gradients[source] = GradientArray(_filled([array.zeros([*more, *x.shape], x.dtype) for x in elements]))
    return handle.gradients[source], handle.gradients[source].tensors


@raw()
def TensorArrayGradV3(handle, flow_in, source):
    """The array of the gradients of an array, zeros at first; one for each `source`."""
    return TensorArrayGradWithShape(handle, flow_in, source, ())


@raw()
def TensorArrayWriteV3(handle, index, value, flow_in):
    """Sets an element."""
    return handle.changed(handle.now(flow_in).write(index, value))


@raw(ignored=("dtype",))
def TensorArrayReadV3(handle, index, flow_in):
    """An element."""
    return handle.now(flow_in).read(index)


@raw(ignored=("dtype", "element_shape"))
def TensorArrayGatherV3(handle, indices, flow_in):
    """Some elements as one tensor."""
    return handle.now(flow_in).gather(indices)


@raw()
def TensorArrayScatterV3(handle, indices, value, flow_in):
    """Sets some elements to rows of a tensor."""
    return handle.changed(handle.now(flow_in).scatter(indices, value))


@raw(ignored=("dtype", "element_shape_except0"))
def TensorArrayConcatV3(handle, flow_in):
    """The elements joined, and how long each is."""
    tensors = handle.now(flow_in)
    rows = [tensors.read(i) for i in range(int(static_value(tensors.size())))]
    lengths = np.array([row.shape[0] for row in rows], np.int64)
    return array.concat(rows, 0), host_constant(lengths)


@raw()
def TensorArraySplitV3(handle, value, lengths, flow_in):
    """Sets the elements to pieces of a tensor."""
    return handle.changed(handle.now(flow_in).split(value, lengths))


@raw()
def TensorArraySizeV3(handle, flow_in):
    """How many elements there are."""
    return handle.now(flow_in).size()


@raw()
def TensorArrayCloseV3(handle):
    """Nothing: Python frees what is not used."""


# --- maps: values, which do not change ---


class Map:
    """A map from tensors to tensors."""

    def __init__(self, items):
        self.items = items


def _key(key):
    key = convert_to_tensor(key)
    values = known_values(key, "maps live on the host: call the function outside of a tf.function")
    return key.dtype, values.shape, tuple(values.ravel().tolist())


def _found(input_handle, key, op):
    if _key(key) not in input_handle.items:
        raise InvalidArgumentError(None, None, f"Trying to {op} non-existing key. Could not find key in TensorMap")
    return _key(key)


@raw()
def EmptyTensorMap():
    """A map without keys."""
    return Map({})


@raw()
def TensorMapInsert(input_handle, key, value):
    """The map with another key."""
    return Map(input_handle.items | {_key(key): (convert_to_tensor(key), convert_to_tensor(value))})


@raw(ignored=("value_dtype",))
def TensorMapErase(input_handle, key):
    """The map without a key."""
    gone = _found(input_handle, key, "erase")
    return Map({k: v for k, v in input_handle.items.items() if k != gone})


@raw(ignored=("value_dtype",))
def TensorMapLookup(input_handle, key):
    """The value of a key."""
    return input_handle.items[_found(input_handle, key, "lookup")][1]


@raw()
def TensorMapHasKey(input_handle, key):
    """Whether a key is there."""
    return host_constant(np.bool_(_key(key) in input_handle.items))


@raw()
def TensorMapSize(input_handle):
    """How many keys there are."""
    return host_constant(np.int32(len(input_handle.items)))


@raw(ignored=("key_dtype",))
def TensorMapStackKeys(input_handle):
    """All keys as one tensor."""
    return array.stack([key for key, _ in input_handle.items.values()])


# --- optional values ---


class Optional:
    """Tensors that are there, or None."""

    def __init__(self, tensors):
        self.tensors = tensors


@raw()
def OptionalFromValue(components):
    """An optional value that is there."""
    return Optional([convert_to_tensor(x) for x in components])


@raw()
def OptionalNone():
    """An optional value that is not there."""
    return Optional(None)


@raw()
def OptionalHasValue(optional):
    """Whether a value is there."""
    return host_constant(np.bool_(optional.tensors is not None))


@raw(ignored=("output_types", "output_shapes"))
def OptionalGetValue(optional):
    """The value."""
    if optional.tensors is None:
        raise InvalidArgumentError(None, None, "The given optional does not have a value.")
    return list(optional.tensors)


# --- stores of sparse tensors: one for each name ---

_stores: dict = {}
_numbers = itertools.count()


def _store(container, shared_name):
    return _stores.setdefault((container, shared_name), {})


@raw()
def AddSparseToTensorsMap(sparse_indices, sparse_values, sparse_shape, container, shared_name):
    """Stores a sparse tensor, and returns its number."""
    number = next(_numbers)
    _store(container, shared_name)[number] = sparse_of(sparse_indices, sparse_values, sparse_shape)
    return host_constant(np.int64(number))


@raw()
def AddManySparseToTensorsMap(sparse_indices, sparse_values, sparse_shape, container, shared_name):
    """Stores the rows of a sparse tensor, and returns their numbers."""
    matrix = sparse_of(sparse_indices, sparse_values, sparse_shape)
    places, sizes = matrix.places(), matrix.sizes()
    numbers = []
    for row in range(sizes[0]):
        chosen = np.flatnonzero(places[:, 0] == row)
        values = array.gather(matrix.values, host_constant(chosen))
        part = host_constant(places[chosen, 1:]), values, list(sizes[1:])
        numbers.append(AddSparseToTensorsMap(*part, container, shared_name))
    return array.stack(numbers)


@raw(ignored=("dtype",))
def TakeManySparseFromTensorsMap(sparse_handles, container, shared_name):
    """Takes sparse tensors from a store, stacked."""
    store, parts = _store(container, shared_name), []
    for number in known_values(convert_to_tensor(sparse_handles), _ADVICE).tolist():
        if number not in store:
            raise InvalidArgumentError(None, None, f"Unable to find SparseTensor: {number} in map: {shared_name}")
        parts.append(sparse.expand_dims(store.pop(number), 0))
    return parts_of(sparse.concat(0, parts, expand_nonconcat_dims=True))

"""Raw ops of TensorFlow 1's dataflow, of locks, of batches of calls and of devices, as they are outside of graphs.

`saved_model/_frames.py` reads the loops and branches that graphs make of the first ones.
"""

import itertools
import threading

import jax
import numpy as np

from tfcompat import array, dtypes, engine
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat.errors import InvalidArgumentError
from tfcompat.raw_ops._registry import raw

_ADVICE = "call it outside"


@raw()
def Switch(data, pred):
    """The data at the place of a condition, false or true; the other result is empty."""
    data, pred = convert_to_tensor(data), convert_to_tensor(pred, dtypes.bool)
    if pred.shape.rank:
        raise InvalidArgumentError(None, None, f"The second input must be a scalar, but it has shape {pred.shape}")
    empty = array.zeros([0], data.dtype)
    return (empty, data) if static_value(pred) else (data, empty)


@raw()
def Merge(inputs):
    """The first of several tensors, and its place."""
    return convert_to_tensor(inputs[0]), host_constant(np.int32(0))


@raw("Enter", ignored=("frame_name", "is_constant", "parallel_iterations"))
def _enter(data):
    """The tensor as it is."""
    return array.identity(data)


@raw("Exit", "NextIteration")
def _exit(data):
    """The tensor as it is."""
    return array.identity(data)


@raw()
def LoopCond(input):
    """The condition as it is."""
    return array.identity(convert_to_tensor(input, dtypes.bool))


# --- locks ---


class Held:
    """A lock that is held until it is consumed, or nobody has this object."""

    def __init__(self, lock):
        self._lock = lock
        lock.acquire()

    def release(self):
        """Releases the lock; a second time does nothing."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()

    __del__ = release


_locks: dict = {}


@raw()
def MutexV2(container, shared_name):
    """A lock; the same for one name."""
    return _locks.setdefault((container, shared_name), threading.Lock()) if shared_name else threading.Lock()


@raw()
def MutexLock(mutex):
    """Waits for a lock, and holds it. A function that is being traced holds nothing: its ops run in their order."""
    return None if engine.state.graph.symbolic else Held(mutex)


@raw()
def ConsumeMutexLock(mutex_lock):
    """Releases a lock."""
    if mutex_lock is not None:
        mutex_lock.release()


# --- batches of calls: one call is a batch ---

_numbers = itertools.count(1)


@raw(ignored=("num_batch_threads", "batch_timeout_micros", "grad_timeout_micros", "max_enqueued_batches",
              "batching_queue"))  # fmt: skip
def Batch(in_tensors, max_batch_size, allowed_batch_sizes):
    """The tensors, filled up to an allowed size by their first row; where this call is in them; its number."""
    tensors = [convert_to_tensor(x) for x in in_tensors]
    sizes = {x.shape[0] if x.shape.rank else None for x in tensors}
    if len(sizes) != 1 or None in sizes:
        raise InvalidArgumentError(
            None, None, "Batching input tensors supplied in a given op invocation must have equal 0th-dimension size"
        )
    (size,) = sizes
    if size > max_batch_size:
        raise InvalidArgumentError(None, None, f"a batch of size {size} is larger than max_batch_size {max_batch_size}")
    more = next((allowed - size for allowed in allowed_batch_sizes if allowed >= size), 0)
    if more:
        tensors = [array.concat([x, array.repeat(x[:1], more, 0)], 0) for x in tensors]
    number = next(_numbers)
    return tensors, host_constant(np.array([[number, 0, size]], np.int64)), host_constant(np.int64(number))


def _rows(batch_index):
    return known_values(convert_to_tensor(batch_index), _ADVICE)


@raw(ignored=("timeout_micros",))
def Unbatch(batched_tensor, batch_index, id):
    """The part of a batch that belongs to a call."""
    number = int(static_value(id))
    for other, start, end in _rows(batch_index).tolist():
        if other == number:
            return convert_to_tensor(batched_tensor)[start:end]
    raise InvalidArgumentError(None, None, f"the batch has no call {number}")


@raw(ignored=("id", "original_input"))
def UnbatchGrad(batch_index, grad):
    """Gradient of `Unbatch` by the rows of the batch, which has one call."""
    if len(_rows(batch_index)) != 1:
        raise InvalidArgumentError(None, None, "the batch must have one call: each call is a batch here")
    return array.identity(grad)


# --- devices ---


@raw()
def DeviceIndex(device_names):
    """The place of the device that runs the program in a list of kinds of devices; its length if it is not there."""
    names = [name.decode() if isinstance(name, bytes) else name for name in device_names]
    kind = jax.default_backend().upper()
    return host_constant(np.int32(names.index(kind) if kind in names else len(names)))


@raw()
def DisableCopyOnRead(resource):
    """Nothing: reading a variable copies nothing."""

"""Queues of elements with one or several components. A call that waits, waits for another thread."""

import collections
import hashlib
import heapq
import itertools
import threading
from typing import Any

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor, host_constant
from tfcompat._core.shape import TensorShape
from tfcompat._tracing.elements import needs_values
from tfcompat.engine import _interrupts
from tfcompat.errors import CancelledError, InvalidArgumentError, OutOfRangeError
from tfcompat.random import _seed
from tfcompat.random._philox_host import philox_words

_BLOCKS = 64  # random words drawn at once


class QueueBase:
    """Base of queues.

    Args:
      dtypes: list of the dtypes of the components.
      shapes: list of their shapes, or None where they may differ.
      names: list of their names, or None; with names, elements are dicts.
      queue_ref: must be None.

    TF: `tf.queue.QueueBase`. In functions, queues are used while they are traced, so such functions run as plain
    Python.
    """

    def __init__(self, dtypes, shapes, names, queue_ref=None):
        self._dtypes = list(dtypes)
        if shapes is not None and len(shapes) != len(self._dtypes):
            raise ValueError("Queue shapes must have the same length as dtypes")
        self._shapes = [TensorShape(None)] * len(self._dtypes) if shapes is None else [*map(TensorShape, shapes)]
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError("Queue names must have the same length as dtypes")
        self._names = list(names) if names else None
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._closed = False
        self._capacity: float = float("inf")

    dtypes = property(lambda self: list(self._dtypes), doc="The dtypes of the components.")
    shapes = property(lambda self: list(self._shapes), doc="The shapes of the components.")
    names = property(lambda self: self._names, doc="The names of the components, or None.")
    name = property(lambda self: type(self).__name__, doc="A name for messages.")
    queue_ref = property(lambda self: self, doc="The queue itself.")

    # --- what a kind of queue defines -----------------------------------------------------------------------------

    def _put(self, element) -> None:
        raise NotImplementedError

    def _take(self) -> Any:
        raise NotImplementedError

    def _count(self) -> int:
        raise NotImplementedError

    def _ready(self):
        """The number of elements that may be taken now."""
        return self._count()

    # --- components -----------------------------------------------------------------------------------------------

    def _components(self, values, many):
        """The arrays of a user's element, or of several elements with a leading dimension."""
        needs_values("a queue")
        if isinstance(values, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names) != sorted(values):
                raise ValueError(f"Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                                 f"{sorted(values)}, Queue: {sorted(self._names)}")  # fmt: skip
            values = [values[name] for name in self._names]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a Queue with names")
            if not isinstance(values, list | tuple) or len(self._dtypes) == 1 and (
                not isinstance(values, list | tuple) or len(values) != 1
            ):
                values = [values]
        if len(values) != len(self._dtypes):
            raise ValueError(f"expected {len(self._dtypes)} components, got {len(values)}")
        arrays = []
        for value, dtype, shape in zip(values, self._dtypes, self._shapes, strict=True):
            array = convert_to_tensor(value, dtype)._value()
            row_shape = array.shape[1:] if many else array.shape
            if not shape.is_compatible_with(row_shape):
                raise ValueError(f"Shape {TensorShape(row_shape)} of a component is not compatible with {shape}")
            arrays.append(array)
        return arrays

    def _packed(self, arrays):
        tensors = [host_constant(array) for array in arrays]
        if self._names:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else tensors

    def _wait(self, ready):
        while not ready():
            _interrupts.wait(self._changed)

    def _add(self, element):
        with self._lock:
            self._wait(lambda: self._count() < self._capacity or self._closed)
            if self._closed:
                raise CancelledError(None, None, f"{type(self).__name__} is closed.")
            self._put(element)
            self._changed.notify_all()

    # --- what users call ------------------------------------------------------------------------------------------

    def enqueue(self, vals, name=None):
        """Adds an element; waits while the queue is full.

        Args:
          vals: tensor, list of tensors, or dict if the queue has names.
          name: ignored.

        Raises:
          tf.errors.CancelledError: the queue is closed.
          ValueError: components of other shapes.
        """
        self._add(self._components(vals, many=False))

    def enqueue_many(self, vals, name=None):
        """Adds the rows of tensors as elements; see `enqueue`."""
        arrays = self._components(vals, many=True)
        if len({len(array) for array in arrays}) > 1:
            raise InvalidArgumentError(None, None, "All components must have the same size in the 0th dimension")
        for i in range(len(arrays[0])):
            self._add([array[i, ...] for array in arrays])

    def dequeue(self, name=None):
        """Takes an element out; waits for one.

        Raises:
          tf.errors.OutOfRangeError: the queue is closed and empty.
        """
        needs_values("a queue")
        return self._packed(self._taken(1, False)[0])

    def dequeue_many(self, n, name=None):
        """Takes `n` elements out, stacked; waits for as many.

        Raises:
          tf.errors.OutOfRangeError: the queue is closed and has fewer.
          ValueError: shapes are not known.
        """
        return self._several(n, False)

    def dequeue_up_to(self, n, name=None):
        """Takes `n` elements out, or what is left once the queue is closed; see `dequeue_many`."""
        return self._several(n, True)

    def _several(self, n, fewer):
        needs_values("a queue")
        self._check_shapes()
        n = int(convert_to_tensor(n)._value())
        if n < 0:
            raise InvalidArgumentError(None, None, f"dequeue_many requires n >= 0, got {n}")
        if n == 0:
            return self._packed([np.zeros((0, *s.as_list()), d.np or object)
                                 for s, d in zip(self._shapes, self._dtypes, strict=True)])  # fmt: skip
        return self._packed(self._stacked(self._taken(n, fewer)))

    def _check_shapes(self):
        if not all(shape.is_fully_defined() for shape in self._shapes):
            raise InvalidArgumentError(
                None, None, f"{type(self).__name__}'s DequeueMany and DequeueUpTo require the components to have "
                "specified shapes."
            )  # fmt: skip

    def _stacked(self, elements):
        return [np.stack(column) for column in zip(*elements, strict=True)]

    def _taken(self, n, fewer):
        components = []
        with self._lock:
            while len(components) < n:
                self._wait(lambda: self._ready() >= 1 or self._closed)
                if not self._count():
                    break
                components.append(self._take())
                self._changed.notify_all()
            if len(components) < n and not (fewer and components):
                self._give_back(components)
                raise OutOfRangeError(
                    None, None, f"{type(self).__name__} is closed and has insufficient elements "
                    f"(requested {n}, current size {len(components)})"
                )  # fmt: skip
        return components

    def _give_back(self, elements):
        for element in elements:
            self._put(element)

    def close(self, cancel_pending_enqueues=False, name=None):
        """No more elements are added.

        Args:
          cancel_pending_enqueues: accepted: those who wait to add an element get a CancelledError in either case.
          name: ignored.
        """
        with self._lock:
            self._closed = True
            self._changed.notify_all()

    def is_closed(self, name=None):
        """Whether the queue is closed, a bool scalar."""
        return convert_to_tensor(self._closed)

    def size(self, name=None):
        """The number of elements, an int32 scalar."""
        needs_values("a queue")
        return convert_to_tensor(self._count())

    @staticmethod
    def from_list(index, queues):
        """The queue of a number."""
        if not queues or not isinstance(queues, list):
            raise TypeError("A list of queues expected")
        return queues[int(convert_to_tensor(index)._value())]


def _as_dtypes(value):
    return [dtypes.as_dtype(x) for x in (value if isinstance(value, list | tuple) else [value])]


def _as_shapes(value, count):
    if value is None:
        return None
    if isinstance(value, TensorShape) or count == 1 and not (
        isinstance(value, list | tuple) and value and isinstance(value[0], list | tuple | TensorShape)
    ):
        return [TensorShape(value)]
    return [TensorShape(shape) for shape in value]


def _as_names(value):
    return [value] if isinstance(value, str) else value


class FIFOQueue(QueueBase):
    """A queue that gives elements in the order of arrival.

    Args:
      capacity: int; negative for no limit.
      dtypes: dtype, or list of dtypes of the components.
      shapes: shape, or list of shapes; None where elements differ.
      names: list of names, or None.
      shared_name: as in eager TensorFlow, queues of one name are two.
      name: ignored.

    TF: `tf.queue.FIFOQueue`.
    """

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="fifo_queue"):
        kinds = _as_dtypes(dtypes)
        super().__init__(kinds, _as_shapes(shapes, len(kinds)), _as_names(names))
        self._capacity = float("inf") if capacity < 0 else capacity
        self._elements = collections.deque()

    def _put(self, element):
        self._elements.append(element)

    def _take(self):
        return self._elements.popleft()

    def _give_back(self, elements):
        self._elements.extendleft(reversed(elements))

    def _count(self):
        return len(self._elements)


class PaddingFIFOQueue(FIFOQueue):
    """A FIFOQueue whose `dequeue_many` pads components of unknown sizes with zeros.

    Args:
      As of `FIFOQueue`; `shapes` must be given, with known ranks.

    TF: `tf.queue.PaddingFIFOQueue`.
    """

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name="padding_fifo_queue"):
        super().__init__(capacity, dtypes, shapes, names)

    def _check_shapes(self):
        pass

    def _stacked(self, elements):
        columns = []
        for rows in zip(*elements, strict=True):
            sizes = [max(row.shape[axis] for row in rows) for axis in range(rows[0].ndim)]
            filling = b"" if rows[0].dtype.kind == "O" else 0
            column = np.full([len(rows), *sizes], filling, rows[0].dtype)
            for i, row in enumerate(rows):
                column[(i, *map(slice, row.shape))] = row
            columns.append(column)
        return columns


class RandomShuffleQueue(QueueBase):
    """A queue that gives elements in random order.

    Args:
      capacity: int.
      min_after_dequeue: int, elements that stay in it while it is open.
      dtypes, shapes, names: as of `FIFOQueue`.
      seed: int. The order is TensorFlow's for the same seeds.
      shared_name: as in eager TensorFlow, queues of one name are two.
      name: ignored.

    TF: `tf.queue.RandomShuffleQueue`.
    """

    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, shared_name=None,
                 name="random_shuffle_queue"):  # fmt: skip
        kinds = _as_dtypes(dtypes)
        super().__init__(kinds, _as_shapes(shapes, len(kinds)), _as_names(names))
        self._capacity, self._least = float("inf") if capacity < 0 else capacity, min_after_dequeue
        self._elements, self._words = [], _words(seed, shared_name)

    def _put(self, element):
        self._elements.append(element)

    def _take(self):
        place = next(self._words) % len(self._elements)
        self._elements[place], self._elements[-1] = self._elements[-1], self._elements[place]
        return self._elements.pop()

    def _count(self):
        return len(self._elements)

    def _ready(self):
        return len(self._elements) if self._closed else len(self._elements) - self._least


def _words(seed, shared_name):
    """The endless numbers of TF's generator for the seed of an op."""
    seeds, _ = _seed.get_seed(seed)
    if seed is None and shared_name is not None and seeds[0] is not None:
        digest = hashlib.md5(f"{seeds[0]}{shared_name}".encode(), usedforsecurity=False).hexdigest()
        seeds = seeds[0], int(digest[:8], 16) & 0x7FFFFFFF
    key, counter = _seed._first_state(seeds)
    blocks = (philox_words(key & 2**64 - 1, counter + i * _BLOCKS, 4 * _BLOCKS) for i in itertools.count())
    return (int(word) for block in blocks for word in block)


class PriorityQueue(QueueBase):
    """A queue that gives the lowest priority first. The priority is the first component of an element.

    Args:
      capacity: int; negative for no limit.
      types: dtypes of the components after the priority, an int64 scalar.
      shapes: their shapes.
      names, shared_name, name: as of `FIFOQueue`; names include that of the priority.

    TF: `tf.queue.PriorityQueue`.
    """

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue"):
        kinds = _as_dtypes(types)
        element_shapes = _as_shapes(shapes, len(kinds)) or [TensorShape(None)] * len(kinds)
        super().__init__([dtypes.int64, *kinds], [TensorShape([]), *element_shapes], _as_names(names))
        self._capacity = float("inf") if capacity < 0 else capacity
        self._elements, self._order = [], itertools.count()

    def _put(self, element):
        heapq.heappush(self._elements, (int(element[0]), next(self._order), element))

    def _take(self):
        return heapq.heappop(self._elements)[2]

    def _count(self):
        return len(self._elements)

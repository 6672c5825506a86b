"""`shuffle`: TensorFlow's order for the same seeds.

From `shuffle_dataset_op.cc` of TF 2.21: a ring of `buffer_size` slots. Each element that comes out is drawn from the
occupied slots by one 32-bit number of a Philox stream modulo their count; the first occupied slot's element takes its
place. Each iteration's stream has two seeds, drawn from a stream of the dataset's if the order is to change.
"""

from typing import Any

import numpy as np

from tfcompat.data import _block
from tfcompat.data._block import Block
from tfcompat.data._dataset import UNKNOWN, UnaryDataset
from tfcompat.data._run import Seeds, Words
from tfcompat.data._transforms import indexed
from tfcompat.errors import InvalidArgumentError

_ENDLESS = 2**62


class _ShuffleDataset(UnaryDataset):
    def __init__(self, dataset, buffer_size, seed, reshuffle):
        super().__init__(dataset)
        if buffer_size < 1 and buffer_size != UNKNOWN:
            raise InvalidArgumentError(None, None, "buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        self._size = _ENDLESS if buffer_size == UNKNOWN else buffer_size
        self._seeds = Seeds(seed, reshuffle)

    def _blocks(self, run, size):
        ring = _Ring(self._size, Words(*self._seeds.draw(run)))
        look_up = indexed(self._input)
        if look_up is None:
            yield from self._stored(run, size, ring)
            return
        count, rows = look_up
        place, drawn = 0, []
        while place < count:
            more = min(size if place >= ring.capacity - 1 else ring.capacity, count - place)
            drawn += ring.put(range(place, place + more))
            place += more
            while len(drawn) >= size:
                yield rows(np.array(drawn[:size], np.int64))
                drawn = drawn[size:]
        while True:
            drawn += ring.drain(size - len(drawn))
            if not drawn:
                return
            yield rows(np.array(drawn, np.int64))
            drawn = []

    def _stored(self, run, size, ring):
        store = _Store()
        for block in self._input._blocks(run, size):
            if block.error is not None:
                yield block
                continue
            drawn = ring.put(store.put(block))
            if drawn:
                yield store.take(drawn)
        while True:
            drawn = ring.drain(size)
            if not drawn:
                return
            yield store.take(drawn)


class _Ring:
    def __init__(self, capacity, words):
        self.capacity, self._words = capacity, words
        self._slots, self._start, self._count = [], 0, 0

    def put(self, items):
        """Puts items in, one by one. Returns the items that are drawn whenever the ring is full."""
        slots, capacity, drawn = self._slots, self.capacity, []
        missing = capacity - 1 - self._count
        if missing > 0 and len(slots) < capacity - 1:
            slots.extend(items[:missing])
            self._count = len(slots)
            items = items[missing:]
        if not len(items):
            return drawn
        start = self._start
        for item, place in zip(items, (self._words.take(len(items)) % capacity).tolist(), strict=True):
            if len(slots) < capacity:
                slots.append(item)
            else:
                slots[start - 1] = item
            place = start + place
            if place >= capacity:
                place -= capacity
            drawn.append(slots[place])
            slots[place] = slots[start]
            start += 1
            if start == capacity:
                start = 0
        self._start = start
        return drawn

    def drain(self, limit):
        """Up to `limit` of the remaining items."""
        slots, capacity, drawn = self._slots, self.capacity, []
        count = min(limit, self._count)
        counts = np.arange(self._count, self._count - count, -1, dtype=np.uint32)
        start = self._start
        for place in (self._words.take(count) % counts).tolist() if count else ():
            place = (start + place) % capacity
            drawn.append(slots[place])
            slots[place] = slots[start]
            start = (start + 1) % capacity
        self._start = start
        self._count -= count
        return drawn


class _Store:
    """Elements by number. Numbers are reused."""

    def __init__(self):
        self._columns: Any = None
        self._rows: Any = None  # a list of elements once they no longer fit arrays
        self._room = 0
        self._free = []

    def put(self, block):
        """Keeps the elements of a block; returns their numbers."""
        if self._rows is None and not self._fits(block):
            self._rows = [None] * self._room if self._columns is None else [
                [column[i, ...].copy() for column in self._columns] for i in range(self._room)
            ]
            self._columns = None
        if len(self._free) < block.size:
            self._grow(block)
        numbers = [self._free.pop() for _ in range(block.size)]
        if self._rows is not None:
            for i, number in enumerate(numbers):
                self._rows[number] = block.row(i)
        else:
            for stored, column in zip(self._columns, block.columns, strict=True):
                stored[numbers] = column
        return numbers

    def _fits(self, block):
        if not all(type(column) is np.ndarray for column in block.columns):
            return False
        return self._columns is None or all(
            stored.shape[1:] == column.shape[1:] and stored.dtype == column.dtype
            for stored, column in zip(self._columns, block.columns, strict=True)
        )

    def _grow(self, block):
        before, more = self._room, max(self._room, block.size, 64)
        self._room += more
        self._free += range(self._room - 1, before - 1, -1)
        if self._rows is not None:
            self._rows += [None] * more
        elif self._columns is None:
            self._columns = [np.empty((self._room, *c.shape[1:]), c.dtype) for c in block.columns]
        else:
            self._columns = [
                np.concatenate([c, np.empty((more, *c.shape[1:]), c.dtype)]) for c in self._columns
            ]

    def take(self, numbers):
        """The block of the elements with these numbers, which become free."""
        self._free += numbers
        if self._rows is not None:
            rows = [self._rows[number] for number in numbers]
            for number in numbers:
                self._rows[number] = None
            return _block.joined([_block.single(row) for row in rows])
        return Block(len(numbers), [column[numbers] for column in self._columns])

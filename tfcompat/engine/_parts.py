"""Values of replicas that are together in one array until somebody asks for one of them.

A program of replicas gives an array for all devices, and takes one. In a loop nobody looks at what one device has of
most of them; taking an array apart and putting it together again takes longer than a small step.

To JAX the array is the same on all devices, or, where a batch was divided, it has a part of its rows on each.
"""

import math
import operator
from typing import Any

import numpy as np

from tfcompat._native import handed_over, twin

exist = False  # whether there has been any: where there was none, nobody need look for them


@handed_over
class Part:
    """The value of one replica, in an array of all of them. It is never overwritten by a program.

    Args:
      whole: jax.Array, which has a part on each device: all of the shape of the array, or rows of it.
      number: of the replica; None where all have the same value.
      place: of the replicas, see `replicas.place_of`.
      index: of the replica's device among those of the array in this process.
      is_divided: whether the array has rows of its own on each device.
    """

    __slots__ = ("whole", "number", "place", "_index", "is_divided", "_taken")

    def __init__(self, whole, number, place, index, is_divided=False):
        global exist
        exist = True
        self.whole, self.number, self.place, self._index, self.is_divided = whole, number, place, index, is_divided
        self._taken: Any = None  # held as long as this may be used, so that no program overwrites it

    def taken(self):
        """The value, as an array on the replica's device."""
        if self._taken is None:
            # `addressable_data` gives the first for all: it takes them to be the same.
            self._taken = self.whole._arrays[self._index]
        return self._taken

    def taken_at(self, index):
        """The value on another device, at that index, if all replicas have the same."""
        return self.taken() if index == self._index else self.whole._arrays[index]

    # What is asked of the value of a node, whatever it is.
    shape = property(
        lambda self: self.whole.sharding.shard_shape(self.whole.shape) if self.is_divided else self.whole.shape
    )
    dtype = property(lambda self: self.whole.dtype)
    ndim = property(lambda self: self.whole.ndim)
    size = property(lambda self: math.prod(self.shape))

    def devices(self):
        return self.taken().devices()

    def is_ready(self):
        return self.whole.is_ready()

    def is_deleted(self):
        return self.whole.is_deleted()

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.taken(), dtype)


def taken(arrays):
    """List of the arrays, with the value in place of each Part."""
    return [x.taken() if type(x) is Part else x for x in arrays]


@twin
def parts_of(wholes, places, place):
    """A list of Parts of arrays.

    Args:
      wholes: list of the arrays.
      places: list; of each Part the tuple of the number of its array, its replica, and the index of the device.
      place: see `Part`.
    """
    return [Part(wholes[k], number, place, index) for k, number, index in places]


@twin
def wholes_of(arrays, places, place, known):
    """The arrays whose Parts are given.

    Args:
      arrays: tuple of what a program is given.
      places: list; the tuple of the numbers of the parts of each array, in the order of the replicas.
      place: see `Part`.
      known: list; for each array None, or what was put together last: the tuple of the parts, and the array.

    Returns:
      (wholes, divided, others): list of the arrays; the tuple of the numbers of those that have rows of their own on
      each device; the list of the numbers of those that are not there in one piece, which are None.
    """
    wholes: list = []
    divided: list = []
    others: list = []
    for k, numbers in enumerate(places):
        parts = [arrays[i] for i in numbers]
        whole = _whole_of(parts, place)
        if whole is None:
            noted = known[k]
            if noted is not None and all(map(operator.is_, noted[0], parts)):
                whole = noted[1]
            else:
                others.append(k)
        elif arrays[numbers[0]].is_divided:
            divided.append(k)
        wholes.append(whole)
    return wholes, tuple(divided), others


def _whole_of(parts, place):
    whole = None
    for replica, part in enumerate(parts):
        if type(part) is not Part or part.place != place or part.number not in (None, replica):
            return None
        if replica and part.whole is not whole:
            return None
        whole = part.whole
    return whole

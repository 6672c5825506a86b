"""Stacks of arrays of different sizes, which functions of many elements take and return (`of_stack` in `steps.py`)."""


class InTurn(Exception):
    """What is computed depends on what was computed for other elements: one is called after the other."""


class Rows:
    """Arrays of any shapes, one of each element.

    Attributes:
      arrays: list.
    """

    def __init__(self, arrays):
        self.arrays = arrays


class RaggedRows:
    """Arrays that differ in their first size, one of each element.

    Attributes:
      values: array or tensor [n, ...], all of them one after the other.
      lengths: int array [elements]: how many of the n belong to each.
    """

    def __init__(self, values, lengths):
        self.values, self.lengths = values, lengths


class SparseRows:
    """Sparse tensors, one of each element.

    Attributes:
      places: int64 array [n, rank] of the indices in all of them.
      values: array [n].
      lengths: int array [elements]: how many of the n belong to each.
      sizes: int64 array [elements, rank] of their shapes.
    """

    def __init__(self, places, values, lengths, sizes):
        self.places, self.values, self.lengths, self.sizes = places, values, lengths, sizes

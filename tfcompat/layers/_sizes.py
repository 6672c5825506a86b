"""The sizes of inputs, of which a function may be traced before they are known."""

from tfcompat.array import shape


def sizes_of(x):
    """The sizes of a tensor, in a list: ints, and scalar tensors where they are unknown."""
    sizes = x.shape.as_list()
    if None not in sizes:
        return sizes
    found = shape(x)
    return [found[i] if size is None else size for i, size in enumerate(sizes)]

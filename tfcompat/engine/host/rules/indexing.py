"""Reads and writes at places that are computed."""


def _places(shape, sizes):
    """A function of indices that gives the slices of these sizes there, moved to lie within the shape."""
    last = [n - size for n, size in zip(shape, sizes, strict=True)]

    def places(indices):
        starts = [min(max(int(i), 0), end) for i, end in zip(indices, last, strict=True)]
        return tuple([slice(i, i + size) for i, size in zip(starts, sizes, strict=True)])

    return places


def _dynamic_slice(params, in_avals, out_avals):
    places = _places(in_avals[0].shape, params["slice_sizes"])
    return lambda x, *indices: x[places(indices)]


def _dynamic_update_slice(params, in_avals, out_avals):
    places = _places(in_avals[0].shape, in_avals[1].shape)

    def write(x, update, *indices):
        result = x.copy()
        result[places(indices)] = update
        return result

    return write


RULES = {"dynamic_slice": _dynamic_slice, "dynamic_update_slice": _dynamic_update_slice}

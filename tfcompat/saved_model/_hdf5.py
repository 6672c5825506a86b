"""HDF5 files in memory: written whole, and read only where all data lie in the file itself."""

import contextlib
import io
import mmap

from tfcompat._formats.damage import refuse_bomb

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_HEAP = b"GCOL\1\0\0\0"
_EXPANSION = 1032  # the largest compression ratio of HDF5's own filters


def h5py_module():
    """h5py.

    Raises:
      ImportError: it is not installed.
    """
    try:
        import h5py  # optional: the extra `h5`
    except ImportError as error:
        raise ImportError(
            "HDF5 files need h5py: pip install 'tfcompat[h5]'. Weights are also written, without it, as a checkpoint "
            "(`save_weights` of a name without .h5) or as .npz"
        ) from error
    return h5py


@contextlib.contextmanager
def reading(source, name):
    """A context with the HDF5 file of a path or of bytes. Its errors name `name`."""
    h5py = h5py_module()
    with contextlib.ExitStack() as stack:
        try:
            data = source
            if not isinstance(source, bytes):
                opened = stack.enter_context(open(source, "rb"))
                data = stack.enter_context(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
            check_trees(data)
            file = stack.enter_context(h5py.File(io.BytesIO(source) if isinstance(source, bytes) else source, "r"))
        except (OSError, ValueError) as error:
            raise OSError(f"{name}: no HDF5 file, or a damaged one: {error}") from error
        try:
            _check_texts(data, file, [dataset for _, dataset in checked(file)])
            _check_attributes("", file)
            file.visititems(_check_attributes)
            yield file
        except (OSError, RuntimeError, KeyError) as error:
            raise ValueError(f"{name}: the HDF5 file is damaged, or not of this model: {error}") from error


def checked(file):
    """(path, dataset) for each dataset of a file. All of its data lies in the file itself.

    Raises:
      ValueError: a link leads out of the file; data are in another file, or are larger than this one can hold; there
        are loops; values are lists or references, which HDF5 may follow to anywhere in memory.
    """
    h5py = h5py_module()
    remaining, seen, unpacked, size = [("", file)], set(), 0, file.id.get_filesize()
    while remaining:
        path, group = remaining.pop()
        for name in group:
            place = f"{path}/{name}" if path else name
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise ValueError(f"{place!r} is a link to another place")
            item = group[name]
            if isinstance(item, h5py.Group):
                address = h5py.h5o.get_info(item.id).addr
                if address in seen:
                    raise ValueError(f"{place!r} is a group that was there before")
                seen.add(address)
                remaining.append((place, item))
            elif not isinstance(item, h5py.Dataset):
                raise ValueError(f"{place!r} is neither a group nor a dataset")
            else:
                _check_type(item.id.get_type(), place)
                if item.external or item.is_virtual:
                    raise ValueError(f"{place!r} has its data in another file")
                if _has_texts(item.id.get_type()) and item.id.get_create_plist().get_nfilters():
                    raise ValueError(f"{place!r} holds compressed text")
                if item.nbytes > _EXPANSION * item.id.get_storage_size() + 64:
                    raise ValueError(f"{place!r} has shape {item.shape}, for which too little is stored")
                unpacked += item.nbytes
                refuse_bomb("it", size, unpacked)
                yield place, item


def check_trees(data):
    """Refuses trees of names or chunks that lead in a circle: HDF5 goes round for ever, or is out of stack.

    https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html, II.A and III.A.1.

    Args:
      data: the bytes of a file, or what is mapped of it.

    Raises:
      ValueError: there is such a circle.
    """
    start = 0  # of the file in the file: something else may come before
    while data[start : start + 8] != _SIGNATURE:
        start = max(512, 2 * start)
        if start > len(data):
            return
    sizes = data[start + 13 : start + 15] if data[start + 8] < 2 else data[start + 9 : start + 11]
    nodes = [place - start for place in _places(data, b"TREE", start, len(data))]
    following = {node: _number(data, start + node + 8 + sizes[0], sizes[0]) for node in nodes}
    for node in nodes:
        _check_children(data, start, start + node, *sizes)
    ending = set()
    for node in following:
        met = set()
        while node in following and node not in ending:
            if node in met:
                raise ValueError("the names in a group follow one another in a circle")
            met.add(node)
            node = following[node]
        ending |= met


def _check_children(data, start, node, size, key):
    """Refuses a node of a tree whose children are not of the level below.

    Args:
      start: of the file.
      node: place of the node.
      size, key: of addresses, and of what is beside them in trees of names. In those of chunks it depends on the rank.
    """
    of_chunks, level, count = data[node + 4], data[node + 5], _number(data, node + 6, 2)
    if not level or of_chunks > 1:  # the latter is none, but numbers that look like one
        return

    def fits(key):
        children = [node + 8 + 2 * size + key + k * (key + size) for k in range(count)]
        return all(
            data[start + child : start + child + 6] == b"TREE" + bytes([of_chunks, level - 1])
            for child in [_number(data, place, size) for place in children]
        )

    if not any(map(fits, [8 + 8 * rank for rank in range(1, 34)] if of_chunks else [key])):
        raise ValueError("a tree of names or chunks leads in a circle")


def _number(data, place, size):
    return int.from_bytes(data[place : place + size], "little")


def _check_texts(data, file, datasets):
    """Checks the heaps with texts of variable length, and what refers to them.

    https://support.hdfgroup.org/documentation/hdf5/latest/_f_m_t3.html, III.E and IV.B.
    """
    heaps = list(_places(data, _HEAP, 0, len(data)))
    if heaps and file.id.get_create_plist().get_sizes() != (8, 8):
        raise ValueError("an HDF5 file with texts, whose addresses and lengths do not have 8 bytes")
    parts, stated = _outside_of_numbers(datasets, len(data)), 0
    for heap in heaps:
        texts = _texts_in(data, heap)
        address = (heap - file.userblock_size).to_bytes(8, "little", signed=True)
        for start, end in parts:
            for place in _places(data, address, start, end):
                # Other bytes may look like the address. What refers to texts is aligned, unless it is made otherwise.
                if (place - 4) % 8 and _number(data, place + 8, 4) not in texts:
                    continue
                length = _number(data, place - 4, 4)
                if length > len(data):
                    raise ValueError("the HDF5 file is damaged: a text that is longer than the file")
                stated += length
    refuse_bomb("it", len(data), stated)


def _places(data, sought, start, end):
    place = data.find(sought, start, end)
    while place >= 0:
        yield place
        place = data.find(sought, place + 1, end)


def _texts_in(data, heap):
    """The set of the numbers of the texts in a heap.

    Raises:
      ValueError: its pieces do not follow one another: HDF5 would look for the next one for ever.
    """
    end = min(heap + _number(data, heap + 8, 8), len(data))
    piece, numbers = heap + 16, set()
    while piece + 16 <= end:
        length = _number(data, piece + 8, 8)
        number = _number(data, piece, 2)
        if number:  # else it is free space, whose length includes these 16 bytes
            numbers.add(number)
            length = 16 + (length + 7) // 8 * 8
        if not 16 <= length <= end - piece:
            raise ValueError("the HDF5 file is damaged: a heap of text")
        piece += length
    return numbers


def _outside_of_numbers(datasets, size):
    """(start, end) of the parts of a file in which there are no numbers of datasets: where texts are referred to."""
    place, parts = 0, []
    filled = [(d.id.get_offset(), d.id.get_storage_size()) for d in datasets if d.dtype.kind in "biufc"]
    for start, size in sorted([(start, size) for start, size in filled if start is not None]):
        if start >= place:
            parts.append((place, start))
            place = start + size
    return [*parts, (place, size)]


def _check_attributes(place, item):
    attributes = h5py_module().h5a
    for k in range(attributes.get_num_attrs(item.id)):
        _check_type(attributes.open(item.id, index=k).get_type(), f"an attribute of {place!r}")


def _check_type(kind, place):
    types = h5py_module().h5t
    if kind.detect_class(types.VLEN) or kind.detect_class(types.REFERENCE):
        raise ValueError(f"{place} holds lists or references")


def _has_texts(kind):
    """Whether values of a type are texts of variable length, or have such."""
    strings = h5py_module().h5t.STRING
    if kind.get_class() == strings:
        return kind.is_variable_str()
    return kind.detect_class(strings)


def written(fill):
    """The bytes of an HDF5 file that `fill(file)` fills."""
    buffer = io.BytesIO()
    with h5py_module().File(buffer, "w") as file:
        fill(file)
    return buffer.getvalue()

"""`Dataset.save` and `load`, with files in a format of their own.

A folder has `dataset.json`, with the spec of the elements and the names of the shards, and a folder for each time that
a dataset was saved there. A shard is a folder of `.npz` files with some elements each. Of each component there are the
values of all elements one after another, and their shapes; the bytes of texts with their lengths.
"""

import collections
import json
import os
import threading
import uuid
from typing import Any

import numpy as np

from tfcompat import dtypes
from tfcompat._core.spec import TensorSpec
from tfcompat._formats.whole import Replacing, in_tf_terms, make_folder
from tfcompat._tracing.elements import needs_values
from tfcompat.data import _block
from tfcompat.data._block import Block
from tfcompat.data._dataset import INFINITE, Dataset, UnaryDataset, maker
from tfcompat.data._dataset_spec import DatasetSpec
from tfcompat.data._element import NoneTensorSpec, flatten, is_dense, on_host, tensor
from tfcompat.data._function import Mapped
from tfcompat.data._sources import _VariantDataset
from tfcompat.engine._policy import DATASETS
from tfcompat.errors import DataLossError, InvalidArgumentError, NotFoundError, UnimplementedError
from tfcompat.ragged._tensor import RaggedTensorSpec
from tfcompat.saved_model._array_files import load_arrays
from tfcompat.sparse._tensor import SparseTensorSpec

_VERSION = 1
_DAMAGED = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


@maker
def save(dataset, path, compression, shard_func, checkpoint_args):
    """See `Dataset.save`."""
    needs_values("tf.data.Dataset.save")
    path = _folder(path)
    if checkpoint_args is not None:
        raise UnimplementedError(
            None, None, "tf.data.Dataset.save with `checkpoint_args` is not available: leave it out, and save again"
        )
    compression = _compression(compression)
    specs = dataset._flat_specs()
    form = _form_of(dataset.element_spec)
    run, shards = uuid.uuid4().hex, {}
    for number, leaves in _sharded(dataset, shard_func):
        shard = shards.get(number)
        if shard is None:
            shard = shards[number] = _Shard(path, f"{run}/{number:08d}.shard", specs, compression)
        shard.add(leaves)
    for shard in shards.values():
        shard.end()
    told = {
        "format": "tfcompat.data", "version": _VERSION, "compression": compression, "element_spec": form,
        "shards": [shards[number].told() for number in sorted(shards)],
    }  # fmt: skip
    with in_tf_terms(path):
        make_folder(path)
        with Replacing(os.path.join(path, "dataset.json")) as file:
            file.write(json.dumps(told, indent=1).encode())


@maker
def load(path, element_spec, compression, reader_func, wait):
    """See `Dataset.load`."""
    path = _folder(path)
    if wait:
        raise UnimplementedError(None, None, "tf.data.Dataset.load(wait=True) is not available: load after the save")
    told = _read(path)
    saved = _compression(told["compression"])
    if _compression(compression) != saved:
        raise DataLossError(None, None, f"{path} was saved with compression={saved!r}, not {compression!r}")
    saved_spec = _spec_of_form(told["element_spec"])
    spec = saved_spec if element_spec is None else element_spec
    shards = []
    for shard in told["shards"]:
        name, counts = shard["folder"], shard["counts"]
        if os.path.isabs(name) or ".." in name.split("/"):
            raise DataLossError(None, None, f"{path}/dataset.json names a folder outside of it: {name}")
        shards.append(_SavedShard(os.path.join(path, name), [int(n) for n in counts], spec, flatten(saved_spec)))
    whole = _VariantDataset(DatasetSpec(spec), [Block(1, [[shard]]) for shard in shards])
    read = _in_turns if reader_func is None else reader_func
    dataset = read(whole)
    if not isinstance(dataset, Dataset):
        raise InvalidArgumentError(None, None, f"`reader_func` must return a `tf.data.Dataset`, got {dataset!r}")
    return _LoadDataset(dataset, spec, sum(shard._count() for shard in shards))


def _in_turns(datasets):
    return datasets.interleave(lambda shard: shard, cycle_length=os.cpu_count() or 1)


class _LoadDataset(UnaryDataset):
    def __init__(self, dataset, spec, size):
        super().__init__(dataset)
        self._spec, self._size = spec, size

    element_spec = property(lambda self: self._spec)

    def _template(self):
        return self._spec

    def _spec_is_known(self):
        return True

    def _count(self):
        return self._size

    def _blocks(self, run, size):
        return self._input._blocks(run, size)


class SnapshotDataset(UnaryDataset):
    """What `Dataset.snapshot` returns."""

    def __init__(self, dataset, path, compression, reader_func, shard_func):
        super().__init__(dataset)
        self._path, self._reader, self._sharding = _folder(path), reader_func, shard_func
        self._compression = None if compression is None else "GZIP"
        self._lock = threading.Lock()

    def _blocks(self, run, size):
        with self._lock:
            if not os.path.exists(os.path.join(self._path, "dataset.json")):
                if self._input._count() == INFINITE:
                    raise UnimplementedError(
                        None, None,
                        "tf.data.Dataset.snapshot of a dataset without end is not available in tfcompat: use take",
                    )  # fmt: skip
                save(self._input, self._path, self._compression, self._sharding, None)
            saved = load(self._path, self.element_spec, self._compression, self._reader, False)
        return saved._blocks(run, size)


class _SavedShard(Dataset):
    """The elements of a shard."""

    def __init__(self, folder, counts, spec, saved):
        self._folder, self._counts, self._spec, self._saved = folder, counts, spec, saved

    element_spec = property(lambda self: self._spec)

    def _count(self):
        return sum(self._counts)

    def _blocks(self, run, size):
        for place, (target, saved) in enumerate(zip(flatten(self._spec), self._saved, strict=False)):
            of, to = (getattr(spec, "dtype", None) for spec in (saved, target))
            if of is not to:
                yield _block.failed(InvalidArgumentError(
                    None, None, f"Data type mismatch at component {place}: expected {to} but got {of}."
                ))  # fmt: skip
                return
        for number, count in enumerate(self._counts):
            path = os.path.join(self._folder, f"{number:08d}.npz")
            try:
                arrays = load_arrays(path)
                columns = [_column(arrays, place, spec, count) for place, spec in enumerate(self._saved)]
            except FileNotFoundError:
                raise NotFoundError(None, None, f"{path}; No such file or directory") from None
            except _DAMAGED as error:
                raise DataLossError(None, None, f"{path} is damaged: {type(error).__name__}: {error}") from error
            block = Block(count, columns)
            for start in range(0, count, size):
                yield block.part(start, start + size)


# --- elements as arrays -------------------------------------------------------------------------------------------


class _Shard:
    """Writes the elements of a shard, some at a time."""

    def __init__(self, path, folder, specs, compression):
        self._path, self._folder, self._specs, self._compression = path, folder, specs, compression
        self._rows: list = []
        self._bytes = 0
        self._counts: list[int] = []
        with in_tf_terms(path):
            make_folder(os.path.join(path, folder))

    def add(self, leaves):
        self._rows.append([_parts(leaf, spec) for leaf, spec in zip(leaves, self._specs, strict=True)])
        self._bytes += sum(part.nbytes for parts in self._rows[-1] for part in parts)
        if len(self._rows) == DATASETS.file_elements or self._bytes > DATASETS.block_bytes:
            self.end()

    def end(self):
        """Writes the elements that have come since the last file."""
        if not self._rows:
            return
        arrays: dict[str, Any] = {}
        for place in range(len(self._specs)):
            for part in range(len(self._rows[0][place])):
                _put(arrays, f"{place}.{part}", [row[place][part] for row in self._rows])
        write = np.savez_compressed if self._compression else np.savez
        path = os.path.join(self._path, self._folder, f"{len(self._counts):08d}.npz")
        with in_tf_terms(path), Replacing(path) as file:
            write(file, **arrays)
        self._counts.append(len(self._rows))
        self._rows, self._bytes = [], 0

    def told(self):
        return {"folder": self._folder, "counts": self._counts}


def _put(arrays, name, values):
    """Arrays that encode a list of arrays of one dtype."""
    arrays[f"{name}.ranks"] = np.array([value.ndim for value in values], np.int64)
    arrays[f"{name}.sizes"] = np.array([n for value in values for n in value.shape], np.int64)
    flat = np.concatenate([value.reshape(-1) for value in values])
    if flat.dtype.kind == "O":
        texts = flat.tolist()
        arrays[f"{name}.lengths"] = np.array([len(text) for text in texts], np.int64)
        flat = np.frombuffer(b"".join(texts), np.uint8)
    arrays[f"{name}.values"] = flat.view(np.uint8) if flat.dtype.kind == "V" else flat


def _got(arrays, name, dtype):
    """The list of arrays that `_put` encoded."""
    flat = arrays[f"{name}.values"]
    if dtype is dtypes.string:
        ends = np.cumsum(arrays[f"{name}.lengths"]).tolist()
        data, starts = flat.tobytes(), [0, *ends[:-1]]
        if ends and ends[-1] != len(data) or sorted(ends) != ends:
            raise ValueError("its texts have other lengths")
        flat = np.empty(len(ends), object)
        flat[:] = [data[start:end] for start, end in zip(starts, ends, strict=False)]
    else:
        flat = flat.view(dtype.np) if dtype.np.kind == "V" else flat
        if flat.dtype != dtype.np:
            raise TypeError(f"it holds {flat.dtype}, not {dtype.name}")
    sizes, result, at, start = arrays[f"{name}.sizes"].tolist(), [], 0, 0
    for rank in arrays[f"{name}.ranks"].tolist():
        shape = sizes[at : at + rank]
        count = int(np.prod(shape, dtype=np.int64))
        result.append(flat[start : start + count].reshape(shape))
        at, start = at + rank, start + count
    return result


def _parts(leaf, spec):
    """The arrays that a component is made of."""
    if isinstance(spec, NoneTensorSpec):
        return []
    return [leaf] if is_dense(spec) else [on_host(part) for part in spec._to_components(leaf)]


def _part_dtypes(spec):
    if isinstance(spec, NoneTensorSpec):
        return []
    return [spec.dtype] if is_dense(spec) else [part.dtype for part in spec._component_specs]


def _column(arrays, place, spec, count):
    """A component of all elements of a file."""
    parts = [_got(arrays, f"{place}.{part}", dtype) for part, dtype in enumerate(_part_dtypes(spec))]
    if any(len(part) != count for part in parts):
        raise ValueError(f"it has not {count} elements")
    if not parts:
        return [None] * count
    if len(parts) == 1:  # tensors, and rows of ragged tensors that are tensors
        rows = parts[0]
        return np.stack(rows) if len({row.shape for row in rows}) == 1 else rows
    return [spec._from_components([tensor(part) for part in row]) for row in zip(*parts, strict=True)]


def _sharded(dataset, shard_func):
    """Yields (number of the shard, components) for each element."""
    run = dataset._new_run()
    mapped = None if shard_func is None else Mapped(dataset, shard_func, "tf.data.Dataset.save")
    for block in dataset._blocks(run, DATASETS.block):
        if block.error is not None:
            raise block.error
        for i in range(block.size):
            row = block.part(i, i + 1)
            yield 0 if mapped is None else _number(mapped, run, row), row.row(0)


def _number(mapped, run, row):
    (result,) = mapped.blocks(run, row)
    if result.error is not None:
        raise result.error
    leaves = result.row(0)
    if len(leaves) != 1 or not isinstance(leaves[0], np.ndarray) or leaves[0].shape or leaves[0].dtype != np.int64:
        raise InvalidArgumentError(None, None, "`shard_func` must return a scalar int64. [Op:SaveDataset] name: ")
    return int(leaves[0])


# --- dataset.json -------------------------------------------------------------------------------------------------


def _folder(path):
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(f"Expected binary or unicode string, got {path!r}")
    return os.fsdecode(path)


def _compression(value):
    """"GZIP" if elements are compressed, otherwise None."""
    if value in (None, "", "NONE"):
        return None
    if value not in ("GZIP", "SNAPPY", "AUTO"):
        raise UnimplementedError(None, None, f"compression={value!r} is not available: use None or 'GZIP'")
    return "GZIP"


def _read(path):
    name = os.path.join(path, "dataset.json")
    try:
        with open(name, "rb") as file:
            told = json.loads(file.read())
    except (FileNotFoundError, NotADirectoryError):
        if os.path.exists(os.path.join(path, "dataset_spec.pb")):
            raise UnimplementedError(
                None, None, f"{path} was saved by TensorFlow, whose files of elements are not read: save it again here"
            ) from None
        raise NotFoundError(None, None, f"no dataset was saved at {path}: {name} not found.") from None
    except (ValueError, RecursionError) as error:
        raise DataLossError(None, None, f"{name} is damaged: {error}") from None
    try:
        _spec_of_form(told["element_spec"])
        _compression(told["compression"])
        for shard in told["shards"]:
            if not isinstance(shard["folder"], str) or any(type(n) is not int or n < 0 for n in shard["counts"]):
                raise ValueError("its shards")
        if told["format"] != "tfcompat.data" or told["version"] > _VERSION:
            raise ValueError("it is of another format, or of a later version")
    except _DAMAGED as error:
        raise DataLossError(None, None, f"{name} is damaged: {type(error).__name__}: {error}") from None
    return told


def _form_of(spec) -> Any:
    """A structure of specs as JSON data.

    Raises:
      tf.errors.UnimplementedError: a component that is not saved.
    """
    if isinstance(spec, dict):
        if type(spec) not in (dict, collections.OrderedDict) or not all(isinstance(name, str) for name in spec):
            raise UnimplementedError(None, None, f"tf.data.Dataset.save of {type(spec).__name__}: use a dict by str")
        return {"kind": "dict", "items": {name: _form_of(part) for name, part in spec.items()}}
    if isinstance(spec, tuple):
        items, named = list(map(_form_of, spec)), getattr(spec, "_fields", None)
        if named is None:
            return {"kind": "tuple", "items": items}
        return {"kind": "namedtuple", "name": type(spec).__name__, "items": dict(zip(named, items, strict=True))}
    if isinstance(spec, NoneTensorSpec):
        return {"kind": "none"}
    kinds = {TensorSpec: "tensor", SparseTensorSpec: "sparse", RaggedTensorSpec: "ragged"}
    if type(spec) not in kinds:
        raise UnimplementedError(
            None, None, f"tf.data.Dataset.save of components of type {spec} is not available: save tensors"
        )
    form = {"kind": kinds[type(spec)], "shape": None if spec.shape.rank is None else spec.shape.as_list(),
            "dtype": spec.dtype.name}  # fmt: skip
    if isinstance(spec, RaggedTensorSpec):
        form |= {"ragged_rank": spec.ragged_rank, "row_splits_dtype": spec.row_splits_dtype.name}
    return form


def _spec_of_form(form) -> Any:
    kind = form["kind"]
    if kind == "dict":
        return {name: _spec_of_form(part) for name, part in form["items"].items()}
    if kind == "tuple":
        return tuple(map(_spec_of_form, form["items"]))
    if kind == "namedtuple":
        items = form["items"]
        return collections.namedtuple(form["name"], list(items))(*map(_spec_of_form, items.values()))
    if kind == "none":
        return NoneTensorSpec()
    shape, dtype = form["shape"], dtypes.as_dtype(form["dtype"])
    if kind == "ragged":
        return RaggedTensorSpec(shape, dtype, form["ragged_rank"], dtypes.as_dtype(form["row_splits_dtype"]))
    return {"tensor": TensorSpec, "sparse": SparseTensorSpec}[kind](shape, dtype)

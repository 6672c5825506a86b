"""Raw ops of checkpoints, vocabularies and other files."""

import numpy as np

from tfcompat import io
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, static_value
from tfcompat.errors import InternalError, InvalidArgumentError, NotFoundError, UnimplementedError
from tfcompat.raw_ops._parsing import texts_of
from tfcompat.raw_ops._registry import raw
from tfcompat.train import _early
from tfcompat.train._bundle import merge, write
from tfcompat.train._early import EarlyReader, open_checkpoint
from tfcompat.train._slices import parsed

_ADVICE = "call it outside"


@raw()
def ShardedFilename(basename, shard, num_shards):
    """The name of one of several files."""
    (name,), number, count = texts_of(basename), static_value(shard), static_value(num_shards)
    return convert_to_tensor(f"{name}-{int(number):05d}-of-{int(count):05d}")


@raw()
def ShardedFilespec(basename, num_shards):
    """A pattern of the names of several files."""
    (name,) = texts_of(basename)
    return convert_to_tensor(f"{name}-?????-of-{int(static_value(num_shards)):05d}")


# --- checkpoints ---


def _parts(names, slices, tensors):
    """(name, sizes of the whole tensor, ranges, DType, NumPy array) of each part that is to be written."""
    result = []
    for name, text, tensor in zip(names, slices, tensors, strict=True):
        tensor = convert_to_tensor(tensor)
        array = np.asarray(known_values(tensor, _ADVICE))
        sizes, ranges = parsed(text)
        if ranges is not None:
            shape = [size if each is None else each[1] for each, size in zip(ranges, sizes, strict=True)]
            if shape != list(array.shape):
                raise InvalidArgumentError(
                    None, None, f"Slice in shape_and_slice specification does not match the shape of the tensor to "
                    f"save: {text}, tensor: {list(array.shape)}"
                )  # fmt: skip
        result.append((name, sizes, ranges, tensor.dtype, array))
    return result


@raw()
def SaveV2(prefix, tensor_names, shape_and_slices, tensors):
    """Writes a checkpoint."""
    parts = _parts(texts_of(tensor_names), texts_of(shape_and_slices), tensors)
    whole = {name: (dtype, array) for name, _, ranges, dtype, array in parts if ranges is None}
    write(*texts_of(prefix), whole, [part for part in parts if part[2] is not None])


def _restored(reader, name, text, dtype):
    sizes, ranges = parsed(text)
    if reader.dtype(name) != dtype:
        raise InvalidArgumentError(
            None, None, f"tensor_name = {name}; expected dtype {dtype} does not equal original dtype "
            f"{reader.dtype(name)}"
        )  # fmt: skip
    if sizes is not None and sizes != reader.shape(name):
        raise InvalidArgumentError(
            None, None, f"tensor_name = {name}; shape in shape_and_slice spec {sizes} does not match the shape stored "
            f"in checkpoint: {reader.shape(name)}"
        )  # fmt: skip
    return host_constant(reader.read(name, ranges))


@raw()
def RestoreV2(prefix, tensor_names, shape_and_slices, dtypes):
    """Tensors of a checkpoint, or parts of them."""
    reader = open_checkpoint(*texts_of(prefix))
    rows = zip(texts_of(tensor_names), texts_of(shape_and_slices), dtypes, strict=True)
    return [_restored(reader, *row) for row in rows]


@raw()
def MergeV2Checkpoints(checkpoint_prefixes, destination_prefix, delete_old_dirs, allow_missing_files):
    """Makes one checkpoint of several."""
    prefixes = texts_of(checkpoint_prefixes)
    if allow_missing_files:
        prefixes = [prefix for prefix in prefixes if io.gfile.exists(prefix + ".index")]
    (destination,) = texts_of(destination_prefix)
    merge(prefixes, destination)
    if delete_old_dirs:
        kept = io.gfile.dirname(destination)
        for folder in sorted({io.gfile.dirname(prefix) for prefix in prefixes} - {kept, ""}):
            if not io.gfile.listdir(folder):
                io.gfile.rmtree(folder)


@raw("SaveSlices")
def _save_slices(filename, tensor_names, shapes_and_slices, data):
    """Writes a checkpoint of one file, as TensorFlow did before 0.12."""
    parts = _parts(texts_of(tensor_names), texts_of(shapes_and_slices), data)
    whole = [(n, array.shape, [None] * array.ndim, d, array) if r is None else (n, s, r, d, array)
             for n, s, r, d, array in parts]  # fmt: skip
    _early.write(*texts_of(filename), whole)


@raw()
def Save(filename, tensor_names, data):
    """Writes a checkpoint of one file, as TensorFlow did before 0.12."""
    _save_slices(filename, tensor_names, [""] * len(data), data)


@raw(ignored=("preferred_shard",))
def RestoreSlice(file_pattern, tensor_name, shape_and_slice, dt):
    """A part of a tensor of a checkpoint as TensorFlow wrote it before 0.12."""
    (name,), (text,) = texts_of(tensor_name), texts_of(shape_and_slice)
    return _restored(EarlyReader(*texts_of(file_pattern)), name, text, dt)


@raw(ignored=("preferred_shard",))
def Restore(file_pattern, tensor_name, dt):
    """A tensor of a checkpoint as TensorFlow wrote it before 0.12."""
    return RestoreSlice(file_pattern, tensor_name, "", dt)


@raw(ignored=("max_rows_in_memory",))
def LoadAndRemapMatrix(ckpt_path, old_tensor_name, row_remapping, col_remapping, initializing_values, num_rows,
                       num_cols):  # fmt: skip
    """Rows and columns of a matrix of a checkpoint in another order; new values where a number is -1."""
    (name,) = texts_of(old_tensor_name)
    matrix = open_checkpoint(*texts_of(ckpt_path)).read(name)
    if matrix.ndim != 2:
        raise InvalidArgumentError(None, None, f"Old tensor must be a matrix, got {list(matrix.shape)}")
    rows = np.asarray(known_values(convert_to_tensor(row_remapping), _ADVICE))
    columns = np.asarray(known_values(convert_to_tensor(col_remapping), _ADVICE))
    columns = columns if columns.size else np.arange(num_cols)
    for wanted, count, size in ((rows, num_rows, matrix.shape[0]), (columns, num_cols, matrix.shape[1])):
        if len(wanted) != count:
            raise InvalidArgumentError(None, None, f"Size of remapping must be {count}, got {len(wanted)}")
        if wanted.max(initial=-1) >= size:
            raise InvalidArgumentError(None, None, f"Old ID {wanted.max()} is not below the size {size}")
        if len(np.unique(wanted[wanted >= 0])) < (wanted >= 0).sum():
            raise UnimplementedError(None, None, "an old ID is mapped to two new IDs, which is not supported")
    known = (rows >= 0)[:, None] & (columns >= 0)[None]
    result = matrix[rows.clip(0)][:, columns.clip(0)] if matrix.size else np.zeros(known.shape, matrix.dtype)
    new = np.asarray(known_values(convert_to_tensor(initializing_values), _ADVICE))
    if new.size != (~known).sum():
        raise InvalidArgumentError(
            None, None, f"initializing_values contained {new.size} elements, but {(~known).sum()} values are missing"
        )
    result[~known] = new
    return host_constant(result)


@raw()
def ImmutableConst(dtype, shape, memory_region_name):
    """A tensor of the bytes of a file."""
    try:
        data = np.fromfile(memory_region_name, np.uint8)
    except FileNotFoundError:
        raise NotFoundError(None, None, f"{memory_region_name}; No such file or directory") from None
    size = int(np.prod(shape, dtype=np.int64)) * dtype.size
    if data.size != size:
        raise InternalError(
            None, None, f"Not enough bytes in {memory_region_name}: {data.size}, the tensor has {size}"
        )
    return host_constant(data.view(dtype.np).reshape(shape))


# --- vocabularies ---


@raw()
def GenerateVocabRemapping(new_vocab_file, old_vocab_file, new_vocab_offset, num_new_vocab, old_vocab_size):
    """For each line of a part of a file its number in another file, -1 if it is not there; and how many are."""
    known = _lines(old_vocab_file)[: None if old_vocab_size < 0 else old_vocab_size]
    old = {line: number for number, line in enumerate(known)}
    new = _lines(new_vocab_file)[new_vocab_offset : new_vocab_offset + num_new_vocab]
    places = np.array([old.get(line, -1) for line in new] + [-1] * (num_new_vocab - len(new)), np.int64)
    return host_constant(places), host_constant(np.int32((places >= 0).sum()))


def _lines(file):
    (path,) = texts_of(file)
    try:
        with open(path, encoding="utf-8") as lines:
            return [line.rstrip("\n") for line in lines]
    except FileNotFoundError:
        raise NotFoundError(None, None, f"{path}; No such file or directory") from None

"""Arrays in files of common formats: NumPy's `.npz`, safetensors, and HDF5 (`.weights.h5`, `.h5`).

Writing is atomic: a file takes its name when it is complete, and on the disk. Reading trusts nothing: sizes are checked
against the file before memory is taken, nothing is unpickled, and links that lead out of a file are refused.
"""

import io
import json
import math
import os
import zipfile

import ml_dtypes
import numpy as np

from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat._formats.damage import refuse_bomb
from tfcompat._formats.whole import Replacing
from tfcompat.errors import DataLossError
from tfcompat.saved_model._hdf5 import check_trees, checked, h5py_module, written
from tfcompat.train._objects import is_trackable, walk

_SUFFIXES = (".npz", ".safetensors", ".h5", ".hdf5")
_EXPANSION = 1032  # the largest compression ratio of deflate
_HEADER = 100 << 20  # largest header of a safetensors file, by its specification

_SAFETENSORS = {
    "F64": np.float64, "F32": np.float32, "F16": np.float16, "BF16": ml_dtypes.bfloat16, "I64": np.int64,
    "I32": np.int32, "I16": np.int16, "I8": np.int8, "U64": np.uint64, "U32": np.uint32, "U16": np.uint16,
    "U8": np.uint8, "BOOL": np.bool_, "C64": np.complex64, "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
}  # fmt: skip
_OF_DTYPE = {np.dtype(dtype): name for name, dtype in _SAFETENSORS.items()}


def save_arrays(path, arrays):
    """Writes arrays to one file, which other programs can read.

    Args:
      path: ends in `.npz`, `.safetensors`, or `.h5` (with `tfcompat[h5]`), which says the format.
      arrays: dict from names to tensors, variables or arrays; or a tf.Module, or what else a checkpoint takes, whose
        variables are named by the attributes that lead to them, as `layers/0/w`.

    Raises:
      ValueError: another ending, or a name that the format cannot hold.
      TypeError: a dtype that the format cannot hold: text in all, bfloat16 and its like in all but safetensors,
        complex128 in safetensors.
      OSError: the file cannot be written. The one that was there is then as it was.

    TF: none; `tf.keras.Model.save_weights` writes models of Keras.
    """
    path, suffix = _checked_path(path)
    values = {}
    for name, value in _named(arrays).items():
        value = value.numpy() if isinstance(value, Tensor | Variable) else np.asarray(value)
        if np.asarray(value).dtype.kind in "OSU":
            raise TypeError(f"tfcompat.save_arrays: {name!r} holds text, or objects, for which {path} has no room")
        values[name] = np.asarray(value)
    data = _WRITERS[suffix](values, path)
    with Replacing(path) as file:
        file.write(data)


def load_arrays(path, into=None):
    """Reads the arrays of a file of `save_arrays`, or of another program.

    Args:
      path: ends in `.npz`, `.safetensors` or `.h5`.
      into: dict from names to variables, or a tf.Module, or what else a checkpoint takes: its variables are set to the
        arrays of their names, all of them or, after an error, none.

    Returns:
      dict from names to NumPy arrays.

    Raises:
      ValueError: another ending; with `into`, names in the file and variables differ, or shapes.
      TypeError: with `into`, a dtype differs.
      FileNotFoundError: no such file.
      tf.errors.DataLossError: the file is damaged, or of another format; the message names it.

    TF: none.
    """
    path, suffix = _checked_path(path)
    with open(path, "rb") as file:
        try:
            arrays = _READERS[suffix](file)
        except (ImportError, MemoryError):
            raise
        except Exception as error:  # errors of the parsers have no common class
            raise DataLossError(
                None, None, f"{path} is damaged, or no {suffix} file: {type(error).__name__}: {error}"
            ) from error
    if into is not None:
        _assign(path, arrays, _named(into))
    return arrays


def _checked_path(path):
    path = os.fspath(path)
    path = os.fsdecode(path) if isinstance(path, bytes) else path
    suffix = next((s for s in _SUFFIXES if path.endswith(s)), None)
    if suffix is None:
        raise ValueError(f"{path!r}: arrays are kept in files that end in one of {', '.join(_SUFFIXES)}")
    return path, suffix


def _named(holder):
    if isinstance(holder, dict) and not any(isinstance(v, dict | list | tuple) for v in holder.values()):
        return holder
    if not is_trackable(holder):
        raise TypeError(f"expected a dict of arrays, a tf.Module or an object with variables, got {type(holder)}")
    objects, paths, _ = walk(holder)
    return {"/".join(path): x for x, path in zip(objects, paths, strict=True) if isinstance(x, Variable)}


def _assign(path, arrays, variables):
    missing, unused = sorted(variables.keys() - arrays.keys()), sorted(arrays.keys() - variables.keys())
    if missing or unused:
        raise ValueError(f"{path} does not fit: it lacks {missing[:8]} and has {unused[:8]} besides")
    for name, variable in variables.items():
        array = arrays[name]
        if not variable.shape.is_compatible_with(array.shape):
            raise ValueError(f"{path}: {name!r} has shape {array.shape}, the variable {variable.shape}")
        if variable.dtype.np != array.dtype:
            raise TypeError(f"{path}: {name!r} has dtype {array.dtype}, the variable {variable.dtype.name}")
    for name, variable in variables.items():
        variable.assign(arrays[name])


# --- .npz ---------------------------------------------------------------------------------------------------------


def _npz(arrays, path):
    for name, array in arrays.items():
        if array.dtype.kind == "V":
            raise TypeError(f"tfcompat.save_arrays: {name!r} is {array.dtype}, unknown to .npz; use .safetensors")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return buffer.getvalue()


def read_npz(file, of_objects=None):
    """The arrays of a file of NumPy's: a dict.

    Args:
      file: open for reading.
      of_objects: function of the bytes and the shape of an array of objects, which gives the array. Without it there
        must be none.

    Raises:
      ValueError: it is damaged, or holds something else than numbers. Damaged archives raise errors of other types.
    """
    size = os.fstat(file.fileno()).st_size
    arrays = {}
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if sum(m.file_size for m in members) > _EXPANSION * size:
            raise ValueError("its members are larger than the file can hold")
        refuse_bomb("it", size, sum(m.file_size for m in members))
        for member in members:
            if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{member.filename!r} is encrypted, or compressed in another way than NumPy does")
            with archive.open(member) as stream:
                data = stream.read(member.file_size + 1)
            if len(data) > member.file_size:
                raise ValueError(f"{member.filename!r} is larger than it says")
            arrays[member.filename.removesuffix(".npy")] = _of_npy(data, of_objects)
    return arrays


def _of_npy(data, of_objects):
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    shape, fortran, dtype = readers[version](stream)
    if dtype.char == "O" and of_objects is not None:
        return of_objects(data[stream.tell() :], shape)
    if dtype.hasobject or dtype.kind not in "biufc":
        raise ValueError(f"it holds {dtype}, which is no number")
    rest = data[stream.tell() :]
    if any(d < 0 for d in shape) or math.prod(shape) * dtype.itemsize != len(rest):
        raise ValueError(f"an array of shape {shape} and dtype {dtype} has {len(rest)} bytes")
    return np.frombuffer(rest, dtype).reshape(shape, order="F" if fortran else "C").copy()


# --- safetensors --------------------------------------------------------------------------------------------------


def _safetensors(arrays, path):
    header, parts, end = {}, [], 0
    # As the library does: largest items first, so that all are aligned.
    for name, array in sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
        kind = _OF_DTYPE.get(array.dtype)
        if kind is None:
            raise TypeError(f"tfcompat.save_arrays: {name!r} is {array.dtype}, which safetensors cannot hold")
        if name == "__metadata__":
            raise ValueError("tfcompat.save_arrays: safetensors reserves the name '__metadata__'")
        parts.append(array.tobytes())
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [end, end + len(parts[-1])]}
        end += len(parts[-1])
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def _read_safetensors(file):
    size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > min(_HEADER, size - 8):
        raise ValueError("its header is longer than the file")
    header = json.loads(file.read(length))
    if not isinstance(header, dict):
        raise ValueError("its header is no object")
    header.pop("__metadata__", None)
    entries = sorted(header.items(), key=lambda item: item[1]["data_offsets"])
    arrays, end = {}, 0
    for name, entry in entries:
        dtype, shape = np.dtype(_SAFETENSORS[entry["dtype"]]), entry["shape"]
        start, stop = entry["data_offsets"]
        if any(type(n) is not int or n < 0 for n in (*shape, start, stop)) or start != end:
            raise ValueError(f"{name!r} has no place of its own in the file")
        if stop - start != math.prod(shape) * dtype.itemsize or 8 + length + stop > size:
            raise ValueError(f"{name!r} of shape {shape} and dtype {dtype} has {stop - start} bytes")
        data = file.read(stop - start)
        if len(data) != stop - start:
            raise ValueError("it ends early")
        if dtype.kind == "b" and np.frombuffer(data, np.uint8).max(initial=0) > 1:
            raise ValueError(f"{name!r} holds bytes that are no bools")
        arrays[name] = np.frombuffer(data, dtype).reshape(shape).copy()
        end = stop
    if 8 + length + end != size:
        raise ValueError("it is longer than its header says")
    return arrays


# --- HDF5 ---------------------------------------------------------------------------------------------------------


def _h5(arrays, path):
    for name, array in arrays.items():
        if array.dtype.kind == "V":
            raise TypeError(f"tfcompat.save_arrays: {name!r} is {array.dtype}, unknown to HDF5; use .safetensors")
        if not name.strip("/"):
            raise ValueError(f"tfcompat.save_arrays: HDF5 cannot hold the name {name!r}")

    def fill(file):
        for name, array in arrays.items():
            try:
                file.create_dataset(name, data=array)
            except (ValueError, OSError) as error:
                raise ValueError(f"tfcompat.save_arrays: {path} cannot hold {name!r}: {error}") from error

    return written(fill)


def _read_h5(file):
    h5py = h5py_module()
    data = file.read()
    check_trees(data)
    with h5py.File(io.BytesIO(data), "r") as file_in_memory:
        arrays = {}
        for name, dataset in checked(file_in_memory):
            if dataset.dtype.kind not in "biufc":
                raise ValueError(f"{name!r} holds {dataset.dtype}, which is no number")
            arrays[name] = np.asarray(dataset[()])
        return arrays


_WRITERS = {".npz": _npz, ".safetensors": _safetensors, ".h5": _h5, ".hdf5": _h5}
_READERS = {".npz": read_npz, ".safetensors": _read_safetensors, ".h5": _read_h5, ".hdf5": _read_h5}

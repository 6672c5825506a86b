"""The files of data sets: `.npz`, gzipped bytes, and the binary records of CIFAR."""

import gzip
import json
import os
import zlib

import numpy as np

from tfcompat.keras.utils._downloads import get_file
from tfcompat.layers._layer import settings as _settings
from tfcompat.saved_model._array_files import read_npz

ORIGIN = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def npz(path, name, file_hash, cache_dir, of_objects=None):
    """The arrays of a file of `ORIGIN`: a dict.

    Args:
      path: str, where it is kept.
      name: its name at the origin.
      file_hash: what its hash must be.
      cache_dir: as for `get_file`.
      of_objects: what reads arrays of objects, see `_array_files.read_npz`.
    """
    path = get_file(path, origin=ORIGIN + name, file_hash=file_hash, cache_dir=cache_dir)
    with open(path, "rb") as file:
        try:
            return read_npz(file, of_objects)
        except (OSError, MemoryError):
            raise
        except Exception as error:  # those of the parsers have no common class
            raise ValueError(f"{path} is damaged, or is not read: {error}") from error


def word_index(path, name, file_hash):
    """The dict in a JSON file of `ORIGIN`."""
    with open(get_file(path, origin=ORIGIN + name, file_hash=file_hash), encoding="utf-8") as file:
        return json.load(file)


def gzipped(name, header, cache_dir):
    """The bytes of a file of Fashion-MNIST after the first `header`, as an array."""
    subdir = os.path.join("datasets", "fashion-mnist")
    path = get_file(name, origin=ORIGIN + name, cache_dir=cache_dir, cache_subdir=subdir)
    try:
        with gzip.open(path, "rb") as file:
            return np.frombuffer(file.read(), np.uint8, offset=header)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def cifar(folder, archive, file_hash, cache_dir):
    """The folder with the files of an archive of CIFAR."""
    origin = "https://www.cs.toronto.edu/~kriz/" + archive
    return get_file(folder, origin=origin, untar=True, file_hash=file_hash, cache_dir=cache_dir)


def records(folder, names, labels):
    """The pictures of CIFAR's binary files, one after the other.

    Args:
      folder: str.
      names: of the files.
      labels: int, how many bytes of labels precede each picture.

    Returns:
      (pictures of shape [n, 32, 32, 3], or [n, 3, 32, 32] where channels come first; labels of shape [n, labels]).

    Raises:
      ValueError: a file ends within a picture.
    """
    parts = []
    for name in names:
        data = np.fromfile(os.path.join(folder, name), np.uint8)
        if data.size % (labels + 3072):
            raise ValueError(f"{os.path.join(folder, name)} is no file of pictures of CIFAR: it has {data.size} bytes")
        parts.append(data.reshape(-1, labels + 3072))
    rows = np.concatenate(parts)
    pictures = rows[:, labels:].reshape(-1, 3, 32, 32)
    if _settings.image_data_format() == "channels_last":
        pictures = pictures.transpose(0, 2, 3, 1)
    return np.ascontiguousarray(pictures), rows[:, :labels].copy()

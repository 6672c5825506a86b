"""The files of a saved model that TensorFlow's files do not hold as a whole.

`manifest.json` names the others: `functions/<hash>.stablehlo` and `variables/<hash>.safetensors`. Since the names
follow from the contents, saving over a model overwrites nothing of it; it is replaced at once, with the manifest,
and damage is noticed when a file is read. No file holds Python code or pickles.
"""

import contextlib
import hashlib
import json
import os
import re

import ml_dtypes
import numpy as np
import safetensors.numpy

from tfcompat._formats.whole import Replacing, alone, in_tf_terms, make_folder, remove_unfinished
from tfcompat.errors import DataLossError, NotFoundError

FORMAT, VERSION = "tfcompat.saved_model", 1
MANIFEST = "manifest.json"


class Folder:
    """A directory that holds a saved model, or will."""

    def __init__(self, path):
        self.path = os.fspath(path)
        if isinstance(self.path, bytes):
            self.path = os.fsdecode(self.path)
        self._written = set()

    def __str__(self):
        return self.path

    def has(self, name):
        """Whether there is a file `name`."""
        return os.path.isfile(os.path.join(self.path, name))

    # --- writing ----------------------------------------------------------------------------------------------

    def put(self, kind, suffix, data):
        """Writes `data` under a name derived from it; returns the name."""
        name = f"{kind}/{_hash(data)}{suffix}"
        self._write(name, data)
        self._written.add(name)
        return name

    def put_arrays(self, arrays):
        """Writes a dict of arrays; returns the file's name."""
        return self.put("variables", ".safetensors", safetensors.numpy.save(*_plain(arrays)))

    def finish(self, manifest):
        """Writes the manifest, which completes the model; None if it has none. Then removes files of old saves."""
        if manifest is not None:
            self._write(MANIFEST, json.dumps(manifest, indent=1).encode())
        elif self.has(MANIFEST):
            os.remove(os.path.join(self.path, MANIFEST))
        remove_unfinished(self.path, [MANIFEST])
        for kind, suffix in (("functions", ".stablehlo"), ("variables", ".safetensors")):
            unfinished = re.compile(rf"\..*{re.escape(suffix)}\.\d+\.tmp")
            with contextlib.suppress(FileNotFoundError):
                for name in os.listdir(os.path.join(self.path, kind)):
                    replaced = name.endswith(suffix) and f"{kind}/{name}" not in self._written
                    if replaced or unfinished.fullmatch(name):
                        os.remove(os.path.join(self.path, kind, name))

    @contextlib.contextmanager
    def saving(self):
        """A context around `put`, `put_arrays` and `finish`: only one process at a time saves into a folder.

        Raises:
          tf.errors.OpError: a file cannot be written.
        """
        with in_tf_terms(self.path), alone(self.path):
            yield

    def _write(self, name, data):
        path = os.path.join(self.path, name)
        make_folder(os.path.dirname(path))
        with Replacing(path) as file:
            file.write(data)

    # --- reading ----------------------------------------------------------------------------------------------

    def manifest(self):
        """What `manifest.json` holds.

        Raises:
          OSError: it is missing or unreadable.
        """
        path = os.path.join(self.path, MANIFEST)
        try:
            with open(path, encoding="utf-8") as file:
                manifest = json.load(file)
        except FileNotFoundError:
            raise OSError(f"SavedModel file does not exist at: {path}") from None
        except (ValueError, RecursionError) as error:
            raise OSError(f"Cannot parse file {path}: {error}.") from error
        if not isinstance(manifest, dict):
            raise OSError(f"Cannot parse file {path}: it holds no object.")
        return manifest

    def get(self, name):
        """The contents of a file that the manifest names.

        Raises:
          tf.errors.NotFoundError: it is missing.
          tf.errors.DataLossError: it is damaged.
        """
        kind, _, file_name = name.partition("/")
        if kind not in ("functions", "variables") or os.path.basename(file_name) != file_name:
            raise OSError(f"Cannot parse file {os.path.join(self.path, MANIFEST)}: {name!r} is not a file of it.")
        path = os.path.join(self.path, kind, file_name)
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            raise NotFoundError(None, None, f"tf.saved_model.load: {path} is missing") from None
        if _hash(data) != file_name.partition(".")[0]:
            raise DataLossError(None, None, f"tf.saved_model.load: {path} is damaged: its contents have changed")
        return data

    def get_arrays(self, name):
        """The dict of arrays that `put_arrays` wrote.

        Raises:
          as `get`.
        """
        data = self.get(name)
        try:
            return _arrays(data)
        except Exception as error:  # errors of the parsers have no common class
            path = os.path.join(self.path, name)
            raise DataLossError(None, None, f"tf.saved_model.load: {path} is damaged: {error}") from error


def _arrays(data):
    arrays = safetensors.numpy.load(data)
    size = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + size]).get("__metadata__", {})
    for key, value in metadata.items():
        dtype, shape = json.loads(value)
        arrays[key] = arrays[key].view(np.dtype(getattr(ml_dtypes, dtype, dtype))).reshape(shape)
    return arrays


def _hash(data):
    return hashlib.sha256(data).hexdigest()[:32]


def _plain(arrays):
    """Arrays for safetensors' NumPy writer, and metadata with the dtypes and shapes that it has no word for."""
    plain, metadata = {}, {}
    for key, array in arrays.items():
        if array.dtype.kind in "Vc":
            metadata[key] = json.dumps([array.dtype.name, array.shape])
            array = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        plain[key] = np.ascontiguousarray(array).reshape(array.shape)
    return plain, metadata or None

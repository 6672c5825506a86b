"""Models that TensorFlow saved, which lie in archives under `golden/`."""

import io
import zipfile

import numpy as np


def unpacked(archive, folder, *beginnings):
    """The folder, with those members of an archive whose names begin so; all without `beginnings`."""
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder, [name for name in file.namelist() if name.startswith(beginnings or "")])
    return folder


def recorded(folder, name):
    """Dict of the arrays that TensorFlow computed with a model."""
    with np.load(io.BytesIO((folder / f"{name}.npz").read_bytes()), allow_pickle=True) as file:
        return {key: file[key] for key in file.files}

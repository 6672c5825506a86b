"""Looking into checkpoint files: list_variables, load_checkpoint, load_variable."""

import os

from tfcompat.train._early import open_checkpoint
from tfcompat.train._state import latest_checkpoint


class CheckpointReader:
    """The tensors in a checkpoint, by name. TF: what `tf.train.load_checkpoint` returns."""

    def __init__(self, prefix):
        self._reader = open_checkpoint(prefix)

    def get_tensor(self, tensor_str):
        """The value of a tensor as a NumPy array; bytes for a scalar text, a NumPy scalar for another."""
        value = self._reader.read(tensor_str)
        return value[()] if value.ndim == 0 else value

    def has_tensor(self, tensor_str):
        """Whether there is such a tensor."""
        return tensor_str in self._reader

    def get_variable_to_shape_map(self):
        """Dict from names to lists of sizes."""
        return {key: self._reader.shape(key) for key in self._reader.keys()}

    def get_variable_to_dtype_map(self):
        """Dict from names to DTypes."""
        return {key: self._reader.dtype(key) for key in self._reader.keys()}


def load_checkpoint(ckpt_dir_or_file):
    """A `CheckpointReader` of a checkpoint.

    Args:
      ckpt_dir_or_file: path without endings, or of a folder, whose latest checkpoint is read.

    Raises:
      ValueError: a folder without checkpoints.
      tf.errors.NotFoundError: no such checkpoint.
      tf.errors.DataLossError: its index is damaged.

    TF: `tf.train.load_checkpoint`.
    """
    path = os.fspath(ckpt_dir_or_file)
    if os.path.isdir(path):
        latest = latest_checkpoint(path)
        if latest is None:
            raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}")
        path = latest
    elif path.endswith(".index"):
        path = path.removesuffix(".index")
    return CheckpointReader(path)


def load_variable(ckpt_dir_or_file, name):
    """The value of one tensor in a checkpoint; see `load_checkpoint`. TF: `tf.train.load_variable`."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file):
    """List of (name, sizes) of the tensors in a checkpoint; see `load_checkpoint`. TF: `tf.train.list_variables`."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())

"""Whole files: reading, writing, finding."""

import fnmatch
import os
import re

import numpy as np

from tfcompat import dtypes, errors
from tfcompat._core.convert import convert_to_tensor, host_constant, known_values, sized_by_values
from tfcompat._core.steps import step
from tfcompat._formats.whole import Replacing, in_tf_terms, make_folder
from tfcompat.strings._elementwise import ADVICE

SCHEME = "file://"


def as_text(path) -> str:
    """A path of bytes, text, tensor or path object as str; that of a `file://` address is the local one."""
    if hasattr(path, "numpy"):
        path = path.numpy()
    path = os.fspath(path)
    return (path.decode() if isinstance(path, bytes) else path).removeprefix(SCHEME)


def as_path(path) -> str:
    """A path as str, without what does not count in it."""
    path = as_text(path)
    return path if "://" in path else _cleaned(path)


def _cleaned(path):
    """A path without what does not count in it, as in TF: of `a/./b/../c/` it is `a/c`."""
    return os.path.normpath(path) if path else path


def text_scalar(value, name):
    """The bytes of a scalar text tensor. Raises InvalidArgumentError if it is none."""
    array = known_values(convert_to_tensor(value, dtypes.string), ADVICE)
    if array.ndim:
        raise errors.InvalidArgumentError(
            None, None, f"Input {name} tensor must be scalar, but had shape: {list(array.shape)}"
        )
    return array.item()


def text(value):
    """A text tensor of bytes."""
    array = np.empty((), object)
    array[()] = value
    return host_constant(array)


def _contents(path):
    with in_tf_terms(path), open(_cleaned(path), "rb") as file:
        return file.read()


def _files_of_stack(filename, name=None):
    paths = known_values(filename, ADVICE).tolist()
    array = np.empty(len(paths), object)
    array[:] = [_contents(path) for path in paths]
    return host_constant(array)


@step("ReadFile", lambda new, *args, **kwargs: new([], dtypes.string), of_stack=_files_of_stack)
def read_file(filename, name=None):
    """The contents of a file.

    Args:
      filename: text scalar.
      name: ignored.

    Returns:
      Text scalar.

    Raises:
      tf.errors.NotFoundError: there is no such file.

    TF: `tf.io.read_file`; local files only.
    """
    return text(_contents(text_scalar(filename, "filename").removeprefix(SCHEME.encode())))


def write_file(filename, contents, name=None):
    """Writes a file, and the folders it is in.

    Args:
      filename: text scalar.
      contents: text scalar.
      name: ignored.

    TF: `tf.io.write_file`; local files only.
    """
    path = text_scalar(filename, "filename").removeprefix(SCHEME.encode())
    data = text_scalar(contents, "contents")
    with in_tf_terms(path):
        make_folder(os.path.dirname(path))
        with Replacing(path, sync=False) as file:
            file.write(data)


def matching(patterns):
    """Sorted paths, bytes, of the files that match any of the patterns, bytes."""
    paths = set()
    for pattern in patterns:
        paths.update(os.fsencode(path) for path in _matching(os.fsdecode(pattern)))
    return sorted(paths)


def _matching(pattern):
    """As TensorFlow, `*` matches names that begin with a dot too, and `**` is no more than `*`."""
    if not any(c in pattern for c in "*?["):
        return [pattern] if os.path.lexists(_cleaned(pattern)) else []
    head, _, tail = pattern.rstrip("/").rpartition("/")
    folders = _matching(head) if any(c in head for c in "*?[") else [head]
    match = re.compile(fnmatch.translate(tail)).match
    paths = []
    for folder in folders:
        try:
            names = os.listdir(folder or ("/" if pattern.startswith("/") else "."))
        except OSError:
            continue
        prefix = f"{folder}/" if folder or pattern.startswith("/") else ""
        paths += [f"{prefix}{name}" for name in names if match(name)]
    return paths


@step("MatchingFiles", lambda new, *args, **kwargs: new([None], dtypes.string))
def matching_files(pattern, name=None):
    """The paths of the files that match a pattern, or patterns; sorted.

    TF: `tf.io.matching_files`; local files only.
    """
    patterns = np.atleast_1d(known_values(convert_to_tensor(pattern, dtypes.string), ADVICE)).tolist()
    paths = matching(patterns)
    array = np.empty(len(paths), object)
    array[:] = paths
    return sized_by_values(array)

"""Files and folders by TensorFlow's names and errors."""

import os
import shutil
import stat as stat_module
from typing import Any

from tfcompat import errors
from tfcompat._formats.whole import Replacing, in_tf_terms, make_folder
from tfcompat.io._files import SCHEME, _matching, as_path, as_text


def _os(path, function, *args):
    with in_tf_terms(as_path(path)):
        return function(*args)


def exists(path):
    """Whether there is a file or folder."""
    return os.path.exists(as_path(path))


def isdir(path):
    """Whether a path is that of a folder."""
    return os.path.isdir(as_path(path))


def listdir(path):
    """The names in a folder. Raises NotFoundError if there is no such folder."""
    if not isdir(path):
        raise errors.NotFoundError(None, None, "Could not find directory")
    return _os(path, os.listdir, as_path(path))


def glob(pattern):
    """The paths of the files that match a pattern, or any of several."""
    paths = []
    for one in [pattern] if isinstance(pattern, str | bytes | os.PathLike) else pattern:
        prefix = SCHEME if os.fsdecode(one).startswith(SCHEME) else ""
        paths += [prefix + path for path in sorted(_matching(as_text(one)))]
    return paths


def join(path, *paths):
    """Parts of a path, joined."""
    return os.path.join(path, *paths)


def mkdir(path):
    """Makes a folder; nothing if it is there. Raises NotFoundError if the one around it is missing."""
    if not isdir(path):
        _os(path, os.mkdir, as_path(path))


def makedirs(path):
    """Makes a folder and those around it; nothing if it is there."""
    _os(path, make_folder, as_path(path))


def remove(path):
    """Removes a file. Raises NotFoundError."""
    _os(path, os.remove, as_path(path))


def rmtree(path):
    """Removes a folder and all that is in it. Raises NotFoundError."""
    _os(path, shutil.rmtree, as_path(path))


def copy(src, dst, overwrite=False):
    """Copies a file. Raises AlreadyExistsError unless it may `overwrite`."""
    if not overwrite and exists(dst):
        raise errors.AlreadyExistsError(None, None, "file already exists")
    with in_tf_terms(as_path(src)), open(as_path(src), "rb") as source, Replacing(as_path(dst), sync=False) as target:
        shutil.copyfileobj(source, target)


def rename(src, dst, overwrite=False):
    """Renames a file or folder. Raises AlreadyExistsError unless it may `overwrite`."""
    if not overwrite and exists(dst):
        raise errors.AlreadyExistsError(None, None, "file already exists")
    _os(src, os.replace, as_path(src), as_path(dst))


class FileStatistics:
    """Size and times of a file."""

    def __init__(self, status):
        self.length = 0 if stat_module.S_ISDIR(status.st_mode) else status.st_size
        self.mtime_nsec = status.st_mtime_ns
        self.is_directory = stat_module.S_ISDIR(status.st_mode)


def stat(path):
    """`length`, `mtime_nsec` and `is_directory` of a file. Raises NotFoundError."""
    return FileStatistics(_os(path, os.stat, as_path(path)))


def walk(top, topdown=True, onerror=None):
    """Yields (folder, names of folders in it, names of files in it), as `os.walk`; follows links to folders."""
    yield from os.walk(as_text(top), topdown, onerror, followlinks=True)


def get_registered_schemes():
    """The kinds of file systems: local files only."""
    return [""]


class GFile:
    """A file, as `open` gives it.

    Args:
      name: path.
      mode: "r", "w", "a", "r+", "w+", "a+", with "b" for bytes.

    Raises:
      tf.errors.InvalidArgumentError: another mode.
      tf.errors.OpError: when the file is first used: it cannot be opened.
    """

    def __init__(self, name, mode="r"):
        if mode not in ("r", "w", "a", "r+", "w+", "a+", "rb", "wb", "ab", "r+b", "w+b", "a+b", "rb+", "wb+", "ab+"):
            raise errors.InvalidArgumentError(None, None, "mode is not one of r, w, a, r+, w+, a+, with b")
        self._path, self._mode, self._opened = name, mode, None

    name = property(lambda self: self._path)
    mode = property(lambda self: self._mode)

    @property
    def _file(self):
        if self._opened is None:
            encoding: Any = {} if "b" in self._mode else {"encoding": "utf-8", "newline": ""}
            self._opened = _os(self._path, lambda: open(as_path(self._path), self._mode, **encoding))
        return self._opened

    def read(self, n=-1):
        """The next `n` bytes or characters, or all."""
        return self._file.read(n)

    def readline(self):
        """The next line, with its end."""
        return self._file.readline()

    def readlines(self):
        """All lines, with their ends."""
        return self._file.readlines()

    def write(self, file_content):
        """Writes bytes or text, in either mode."""
        if "b" in self._mode and isinstance(file_content, str):
            file_content = file_content.encode()
        elif "b" not in self._mode and isinstance(file_content, bytes):
            file_content = file_content.decode()
        _os(self._path, self._file.write, file_content)

    def seek(self, offset=None, whence=0, position=None):
        """Goes to a place."""
        place: Any = position if offset is None else offset
        self._file.seek(place, whence)

    def tell(self):
        """The place."""
        return self._file.tell()

    def size(self):
        """The number of bytes in the file."""
        self.flush()
        return stat(self._path).length

    def seekable(self):
        """True."""
        return True

    def flush(self):
        """Hands what was written on to the system."""
        if self._opened is not None:
            _os(self._path, self._opened.flush)

    def close(self):
        """Closes the file."""
        if self._opened is not None:
            opened, self._opened = self._opened, None
            _os(self._path, opened.close)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

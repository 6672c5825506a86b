"""Writing files as wholes: whoever looks at a path finds the old file or the new one, and never a part of one.

All writers of the package go through `Replacing`, but for those that append, as TensorFlow's do: records, events and
`GFile`. A save of several files is made `alone` in its folder, and writes last the file that names the others.
"""

import contextlib
import errno
import itertools
import os
import stat

from tfcompat import errors

try:
    import fcntl
except ImportError:  # Windows: there, files that are open elsewhere cannot be replaced in any case
    fcntl = None

_LONGEST = 200  # bytes of a file's name that are part of a temporary one; file systems take 255 in all
_UNFINISHED = ".tmp"


class Replacing:
    """A context with a file to write, which takes its path once it is complete. After an error the old one stays.

    Args:
      path: of the file. A link is followed. What is no file, such as `/dev/stdout`, is written directly.
      sync: whether the file is to be on the disk when it takes its path, so that it also survives a loss of power.

    A writer that is killed leaves a file `.<name>.<number>.tmp`, which the next writer of the same path takes over.

    Raises:
      OSError: the file cannot be written.
    """

    def __init__(self, path, sync=True):
        self._path, self._sync = os.path.realpath(os.fsdecode(path)), sync

    def __enter__(self):
        try:
            self._mode = os.stat(self._path).st_mode
        except FileNotFoundError:
            self._mode = None
        if self._mode is not None and not stat.S_ISREG(self._mode):
            self._temporary = None
            self._file = open(self._path, "wb")  # noqa: SIM115
        else:
            self._temporary, handle = _unfinished(self._path)
            self._file = os.fdopen(handle, "wb")
        return self._file

    def __exit__(self, kind, error, traceback):
        if self._temporary is None:
            self._file.close()
            return
        try:
            try:
                if kind is None:
                    self._file.flush()
                    if self._sync:
                        os.fsync(self._file.fileno())
                    if self._mode is not None:
                        os.chmod(self._temporary, stat.S_IMODE(self._mode))
                    if os.name != "nt":
                        os.replace(self._temporary, self._path)  # while it is still locked
            finally:
                self._file.close()
            if kind is None and os.name == "nt":  # an open file has no other name there
                os.replace(self._temporary, self._path)
        except BaseException:
            self._remove()
            raise
        if kind is not None:
            self._remove()
        elif self._sync:
            _sync_folder(os.path.dirname(self._path))

    def _remove(self):
        if self._temporary is not None:
            with contextlib.suppress(OSError):
                os.remove(self._temporary)


def _unfinished(path):
    """(path, handle) of a new file beside another. It is locked: one without a lock is left of a dead writer."""
    folder, name = os.path.split(path)
    name = os.fsdecode(os.fsencode(name)[:_LONGEST])
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    if fcntl is None:
        flags |= os.O_EXCL | getattr(os, "O_BINARY", 0)
    for number in itertools.count():
        temporary = os.path.join(folder, f".{name}.{number}{_UNFINISHED}")
        try:
            handle = os.open(temporary, flags, 0o666)
        except OSError as error:
            if error.errno in (errno.EEXIST, errno.ELOOP) or os.path.lexists(temporary):
                continue  # of another user, or a link
            raise
        if _is_ours(handle, temporary):
            os.ftruncate(handle, 0)
            return temporary, handle
        os.close(handle)
    raise AssertionError


def _is_ours(handle, path):
    """Whether nobody else writes an open file, or can: it has one name, which is `path`."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        named, opened = os.lstat(path), os.fstat(handle)
    except BlockingIOError:
        return False
    except FileNotFoundError:
        return False  # its writer has just finished
    except OSError:  # a file system without locks
        return True
    return os.path.samestat(named, opened) and opened.st_nlink == 1 and opened.st_uid == os.geteuid()


def is_unfinished(name, of):
    """Whether a file's name is one that `Replacing` gives to a file of the name `of` before it is complete."""
    start = f".{of}."
    return name.startswith(start) and name.endswith(_UNFINISHED) and name[len(start) : -len(_UNFINISHED)].isdecimal()


def remove_unfinished(folder, names):
    """Removes what killed writers have left in a folder of files of these names."""
    with contextlib.suppress(FileNotFoundError):
        for left in os.listdir(folder or "."):
            if any(is_unfinished(left, name) for name in names):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(os.path.join(folder, left))


def _sync_folder(folder):
    """Puts the names in a folder on the disk, where the system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def make_folder(path):
    """Makes a folder, and those around it, if it is missing. Raises NotADirectoryError if there is a file instead."""
    try:
        if path:
            os.makedirs(path, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), error.filename) from None


@contextlib.contextmanager
def alone(folder):
    """A context in which no other thread or process is within `alone` of the same folder, which is made if missing."""
    folder = folder or "."
    make_folder(folder)
    with contextlib.ExitStack() as stack:
        if fcntl is not None:
            handle = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, handle)
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


_CODES = {
    errors.NotFoundError: "ENOENT ENXIO ENODEV ESRCH",
    errors.PermissionDeniedError: "EACCES EPERM EROFS",
    errors.AlreadyExistsError: "EEXIST",
    errors.FailedPreconditionError: "ENOTEMPTY EISDIR ENOTDIR EBADF EBUSY EPIPE ETXTBSY",
    errors.ResourceExhaustedError: "ENOSPC EDQUOT EMFILE ENFILE EMLINK ENOMEM",
    errors.OutOfRangeError: "EFBIG EOVERFLOW ERANGE",
    errors.InvalidArgumentError: "EINVAL ENAMETOOLONG EFAULT EDOM",
}
_BY_CODE = {
    getattr(errno, name): kind for kind, names in _CODES.items() for name in names.split() if hasattr(errno, name)
}


def translated(error, path):
    """TF's error for an OSError."""
    kind = _BY_CODE.get(error.errno, errors.UnknownError)
    return kind(None, None, f"{path}; {error.strerror or error}")


@contextlib.contextmanager
def in_tf_terms(path):
    """A context whose OSErrors of the system are raised as TF's."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise translated(error, os.fsdecode(path)) from error

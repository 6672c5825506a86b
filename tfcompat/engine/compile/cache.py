"""Compiled programs are kept on disk from one process to the next, by JAX's persistent compilation cache.

The place is `$XDG_CACHE_HOME/tfcompat` or `~/.cache/tfcompat`, in a folder for the version of jaxlib and the kind of
processor. `TFCOMPAT_CACHE` names another place, or is `off`. Where the user has configured JAX's cache, that is used.
"""
import atexit
import contextlib
import hashlib
import os
import pathlib
import platform
from typing import Any

import jax
import jaxlib.version

from tfcompat.engine._policy import MEMORY


def configure(setting=None):
    """Sets up the cache; `setting` is a folder, "off", or None for the default place.

    Returns:
      pathlib.Path of the folder; None if there is no cache of ours.
    """
    config: Any = jax.config
    if setting == "off" or config.jax_compilation_cache_dir is not None:
        return None
    base = setting or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tfcompat")
    folder = pathlib.Path(base) / f"{jaxlib.version.__version__}-{_processor()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    if not os.access(folder, os.W_OK):
        return None
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    atexit.register(shrink, folder, MEMORY.disk_cache)
    return folder


def shrink(folder, max_bytes):
    """Deletes files of `folder`, those used longest ago first, until no more than `max_bytes` are left."""
    files = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):  # another process may have deleted it
                facts = entry.stat()
                files.append((max(facts.st_atime, facts.st_mtime), facts.st_size, entry.path))
    excess = sum(size for _, size, _ in files) - max_bytes
    for _, size, path in sorted(files):
        if excess <= 0:
            break
        with contextlib.suppress(OSError):
            os.remove(path)
        excess -= size


def _processor():
    """A short word for what compiled code needs of this processor; machines may share a home folder."""
    description = platform.machine()
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
        description += next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return hashlib.sha256(description.encode()).hexdigest()[:12]

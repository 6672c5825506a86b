"""Keeps memory that a program has freed, for the next run of it.

XLA:CPU takes the memory of a program's intermediate values from the C library at each run and gives it back after it.
By default glibc hands pieces of that size to the system and gets new ones, whose pages the system fills with zeros one
by one as they are touched: a quarter to a third of the time of a step that works on tens of megabytes. Here they
stay with the process, which is therefore as large as it ever was.
"""

import ctypes
import os

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of glibc's malloc.h
LARGEST_KEPT = 1 << 30  # bytes; a larger piece goes back to the system


def keep():
    """Tells glibc so, unless the environment says TFCOMPAT_MALLOC=system; elsewhere than on Linux nothing is done."""
    if os.environ.get("TFCOMPAT_MALLOC") == "system" or os.name != "posix":
        return
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return
    # One heap for all threads: the heaps of single threads cannot hold a piece of 64 megabytes.
    library.mallopt(_M_ARENA_MAX, 1)
    library.mallopt(_M_MMAP_THRESHOLD, LARGEST_KEPT)
    library.mallopt(_M_TRIM_THRESHOLD, (1 << 31) - 1)

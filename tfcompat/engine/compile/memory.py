"""Keeps memory that a program has freed, for the next run of it.

XLA:CPU takes the memory of a program's intermediate values from the C library at each run and gives it back after it.
By default glibc hands pieces of that size to the system and gets new ones, whose pages the system fills with zeros one
by one as they are touched: a quarter to a third of the time of a step that works on tens of megabytes. Here they
stay with the process, which is therefore as large as it ever was.

A thread has a heap of its own, which cannot hold a piece of 64 megabytes. So programs that take more are compiled to
take several pieces (`tiers.in_pieces`), if not too much memory would be kept: any of XLA's threads may run them. One
heap for all threads could hold larger arrays, too, but they wait for each other there at every small piece: a program
of a hundred small operations takes 1.6 times as long.
"""

import ctypes
import os

from tfcompat.engine._policy import MEMORY

_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -2, -3, -8  # of glibc's malloc.h
largest_in_pieces = 0  # bytes of the intermediate values of a program that is compiled to take them so; see `keep`


def keep():
    """Tells glibc so; elsewhere than on Linux nothing is done.

    The environment's TFCOMPAT_MALLOC may be `large`, for one heap, which keeps arrays of 64 megabytes and more, too; or
    `system`, which leaves glibc alone.
    """
    global largest_in_pieces
    wanted = os.environ.get("TFCOMPAT_MALLOC")
    if wanted == "system" or os.name != "posix":
        return
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return
    if wanted == "large":
        library.mallopt(_M_ARENA_MAX, 1)
    else:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        largest_in_pieces = min(MEMORY.most_kept, memory // 8) // (os.cpu_count() or 1)
    library.mallopt(_M_MMAP_THRESHOLD, MEMORY.largest_kept)
    library.mallopt(_M_TRIM_THRESHOLD, (1 << 31) - 1)
    # An empty heap is kept while less than this is free elsewhere.
    library.mallopt(_M_TOP_PAD, MEMORY.largest_heap)

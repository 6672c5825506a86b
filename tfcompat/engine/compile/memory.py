"""Keeps memory that a program has freed, for the next run of it.

XLA:CPU takes the memory for a program's intermediate values from the C library at each run, and gives it back after the
run. By default glibc returns pieces of that size to the system and asks for new ones. The system fills their pages with
zeros one by one as they are touched, which is a quarter to a third of the time of a step that works on tens of
megabytes. Here the pieces stay with the process, which therefore never shrinks.

Each thread has a heap of its own, which cannot hold a piece of 64 megabytes. Programs that need more are compiled to
take several pieces (`tiers.in_pieces`), unless too much memory would be kept: any of XLA's threads may run them. One
heap for all threads could hold larger arrays, too. But threads wait for each other there at every small piece: a
program of a hundred small operations takes 1.6 times as long.
"""

import ctypes
import os

from tfcompat.engine._policy import MEMORY

_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -2, -3, -8  # of glibc's malloc.h
largest_in_pieces = 0  # bytes of the intermediate values of a program that is compiled to take them so; see `keep`


def keep():
    """Tells glibc to keep memory. Does nothing where there is no glibc.

    The environment variable TFCOMPAT_MALLOC may be `large`, for one heap that also keeps arrays of 64 megabytes and
    more, or `system`, which leaves glibc alone.
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

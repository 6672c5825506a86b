"""TF's Philox generator on the host."""

import numpy as np

from tfcompat.engine._policy import KERNELS

_32 = np.uint64(32)


def philox_words(key, counter, count):
    """The first `count` words of the stream of TF's generator at a counter; see `tfcompat.random`."""
    return philox_blocks(key, counter, np.arange(-(-count // 4), dtype=np.uint64)).reshape(-1)[:count]


def philox_blocks(key, counter, numbers):
    """The blocks of four words with these `numbers`, uint64[n], after a counter; uint32[n, 4]."""
    if len(numbers) <= KERNELS.draws_in_python:
        words = [(counter + int(number)) % 2**128 for number in numbers]
        rows = [[word >> shift & 2**32 - 1 for shift in (0, 32, 64, 96)] for word in words]
        blocks = [rounds_of_ints(*row, key & 2**32 - 1, key >> 32 & 2**32 - 1) for row in rows]
        return np.array(blocks, np.uint32).reshape(-1, 4)
    low, high = counter & 2**64 - 1, counter >> 64 & 2**64 - 1
    lows = np.uint64(low) + numbers
    highs = np.uint64(high) + (lows < np.uint64(low)).astype(np.uint64)
    c0, c1, c2, c3 = (word >> shift & np.uint64(2**32 - 1) for word in (lows, highs) for shift in (np.uint64(0), _32))
    k0, k1 = key & 2**32 - 1, key >> 32 & 2**32 - 1
    for _ in range(10):
        product_0, product_1 = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        c0, c2 = product_1 >> _32 ^ c1 ^ np.uint64(k0), product_0 >> _32 ^ c3 ^ np.uint64(k1)
        c1, c3 = product_1 & np.uint64(2**32 - 1), product_0 & np.uint64(2**32 - 1)
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return np.stack([c0, c1, c2, c3], 1).astype(np.uint32)


def rounds_of_ints(c0, c1, c2, c3, k0, k1):
    """The words of one block, of its counter and key, all of them ints."""
    for _ in range(10):
        first, second = c0 * 0xD2511F53, c2 * 0xCD9E8D57
        c0, c1 = second >> 32 ^ c1 ^ k0, second & 0xFFFFFFFF
        c2, c3 = first >> 32 ^ c3 ^ k1, first & 0xFFFFFFFF
        k0, k1 = k0 + 0x9E3779B9 & 0xFFFFFFFF, k1 + 0xBB67AE85 & 0xFFFFFFFF
    return c0, c1, c2, c3


def scrambled(seed):
    """The key and the upper word of the counter that stateless ops derive from a seed of two integers."""
    low, high = (int(word) & 2**64 - 1 for word in seed)
    words = rounds_of_ints(
        low & 2**32 - 1, low >> 32, high & 2**32 - 1, high >> 32, 0x3EC8F720, 0x02461E29
    )  # fmt: skip
    return words[1] << 32 | words[0], words[3] << 32 | words[2]

"""Raw ops that look for clusters of points: nearest centres, and centres to begin with."""

import math

import numpy as np

from tfcompat._core.convert import convert_to_tensor, host_constant, known_values
from tfcompat.errors import InvalidArgumentError
from tfcompat.random._philox_host import philox_words
from tfcompat.raw_ops._registry import raw

_ADVICE = "call it outside"


def _known(x):
    return np.asarray(known_values(convert_to_tensor(x), _ADVICE))


@raw()
def NearestNeighbors(points, centers, k):
    """The nearest centres of each point, and their squared distances."""
    points, centers, count = _known(points), _known(centers), int(_known(k))
    if points.ndim != 2 or centers.ndim != 2 or points.shape[1] != centers.shape[1]:
        raise InvalidArgumentError(
            None, None, f"points and centers must be matrices of as many columns, got {list(points.shape)} and "
            f"{list(centers.shape)}"
        )  # fmt: skip
    if count < 0:
        raise InvalidArgumentError(None, None, f"k must not be negative, got {count}")
    distances = ((points[:, None] - centers[None]) ** 2).sum(-1, dtype=np.float32)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :count]
    return host_constant(nearest.astype(np.int64)), host_constant(np.take_along_axis(distances, nearest, 1))


class _Stream:
    """Numbers of TensorFlow's generator, one after another."""

    def __init__(self, seed):
        self._key, self._words, self._next = int(seed) & 2**64 - 1, np.zeros(0, np.uint32), 0

    def word(self):
        if self._next == len(self._words):
            self._words = philox_words(self._key, 0, 2 * self._next + 64)
        self._next += 1
        return int(self._words[self._next - 1])

    def float(self):
        return np.uint32(self.word() & 0x7FFFFF | 0x3F800000).view(np.float32) - np.float32(1)

    def below(self, limit):
        """An int below a limit, each as likely."""
        rest = (2**64 - 1) % limit + 1 if limit & limit - 1 else 0
        number = self.word() | self.word() << 32
        while number < rest:
            number = self.word() | self.word() << 32
        return number % limit


@raw()
def KMC2ChainInitialization(distances, seed):
    """The point at which a Markov chain of points ends, which prefers great distances."""
    distances, numbers = _known(distances), _Stream(_known(seed))
    if distances.ndim != 1 or not distances.size:
        raise InvalidArgumentError(None, None, "distances must be a vector of at least one number")
    chosen = 0
    for i in range(1, len(distances)):
        if distances[i] > numbers.float() * distances[chosen]:
            chosen = i
    return host_constant(np.int64(chosen))


@raw()
def KmeansPlusPlusInitialization(points, num_to_sample, seed, num_retries_per_sample):
    """Points that lie far from each other: each is the best of several that are drawn by their distances."""
    points, count, numbers = _known(points), int(_known(num_to_sample)), _Stream(_known(seed))
    retries = int(_known(num_retries_per_sample))
    if points.ndim != 2 or not 0 < count <= len(points):
        raise InvalidArgumentError(
            None, None, f"Expected points.rows() >= num_to_sample > 0, got {list(points.shape)} and {count}"
        )
    if retries < 0:
        retries = 2 + int(math.log(count))
    chosen, least = [], np.full(len(points), np.inf, np.float32)
    while len(chosen) < count:
        ends, best = np.cumsum(least, dtype=np.float64), None
        for _ in range(1 + retries):
            if chosen:
                candidate = min(int(np.searchsorted(ends, float(numbers.float()) * ends[-1])), len(points) - 1)
            else:
                candidate = numbers.below(len(points))
            closer = np.minimum(least, _halves(points, candidate))
            if best is None or closer.sum() < best[1].sum():
                best = candidate, closer
        chosen.append(best[0])
        least = best[1]
    return host_constant(points[chosen])


def _halves(points, number):
    """Half the squared distances of all points to one."""
    return ((points - points[number]) ** 2).sum(1) / 2

"""tensorflow/python/ops/clustering_ops.py: first centres of clusters."""
import itertools
import math

import numpy as np

import tfcompat as _tf
from tfcompat.random._philox_host import philox_words as _words

_BLOCK = 1024


def kmeans_plus_plus_initialization(points, num_to_sample, seed, num_retries_per_sample, name=None):
    """Points far from each other, drawn by k-means++: TensorFlow's numbers, on the host.

    Args:
      points: float32 matrix, one point a row.
      num_to_sample: int scalar, from 1 to the number of points.
      seed: int scalar.
      num_retries_per_sample: int scalar, how many more points are drawn for each, of which the best is taken; -1 for a
        number that grows with `num_to_sample`.

    Raises:
      tf.errors.InvalidArgumentError: no points, too few, or none to sample.
    """
    values = np.asarray(_tf.convert_to_tensor(points, _tf.float32))
    count, seed, retries = (int(x) for x in (num_to_sample, seed, num_retries_per_sample))
    if values.ndim != 2 or not len(values):
        raise _tf.errors.InvalidArgumentError(None, None, "Expected points.rows() > 0.")
    if count <= 0:
        raise _tf.errors.InvalidArgumentError(None, None, "Expected num_to_sample > 0.")
    if count > len(values):
        raise _tf.errors.InvalidArgumentError(
            None, None, f"Expected num_to_sample <= points.rows(). {count} vs {len(values)}."
        )
    retries = retries if retries >= 0 else 2 + int(math.log(count))
    draw, chosen = _Draws(seed), []
    nearest = np.full(len(values), np.inf, np.float32)
    sums = nearest
    for _ in range(count):
        best = None
        for _ in range(retries + 1):
            index = draw.index(len(values)) if not chosen else draw.by_weight(sums, chosen)
            distances = np.minimum(nearest, _half_squared_distances(values, values[index]))
            if best is None or distances.sum() < best[1].sum():
                best = index, distances
        chosen.append(best[0])
        nearest = best[1]
        sums = np.cumsum(nearest, dtype=np.float32)
    return _tf.constant(values[chosen])


def _half_squared_distances(points, centre):
    half = np.float32(0.5) * (points * points).sum(1)
    return np.maximum(half - points @ centre + np.float32(0.5) * (centre @ centre), np.float32(0))


class _Draws:
    def __init__(self, seed):
        blocks = (_words(seed & 2**64 - 1, i * _BLOCK // 4, _BLOCK) for i in itertools.count())
        self._words = itertools.chain.from_iterable(blocks)

    def _long(self):
        low = int(next(self._words))
        return low | int(next(self._words)) << 32

    def index(self, limit):
        """An int below `limit`."""
        if limit & (limit - 1) == 0:
            return self._long() & (limit - 1)
        rest = (2**64 - 1) % limit + 1
        while (number := self._long()) >= 2**64 - 1 - rest:
            pass
        return number % limit

    def by_weight(self, sums, taken):
        """A place that is not taken, by the running sums of weights."""
        while True:
            word = np.uint32(next(self._words)) & np.uint32(0x7FFFFF) | np.uint32(0x3F800000)
            share = word.view(np.float32) - np.float32(1)
            place = int(np.searchsorted(sums, share * sums[-1], side="right"))
            if place not in taken and place < len(sums):
                return place

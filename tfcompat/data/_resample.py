"""`Dataset.rejection_resample`: elements of classes are dropped at random until the classes have given shares.

The pieces are those of TensorFlow's implementation, so the draws are the same for equal seeds.
https://github.com/tensorflow/tensorflow/blob/v2.21.0/tensorflow/python/data/ops/dataset_ops.py
"""

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor
from tfcompat._package.logging import logger
from tfcompat.array import expand_dims, fill, gather, one_hot, stack, tile
from tfcompat.array._cast import cast
from tfcompat.data._dataset import Dataset, maker
from tfcompat.math import reduce_max, reduce_min, reduce_sum
from tfcompat.random import uniform

_ESTIMATED_AT_ONCE = 32  # elements of which the shares of classes are estimated together
_SMOOTHING = 10          # elements of each class that are taken to have been seen before the first


@maker
def resampled(dataset, class_func, target_dist, initial_dist, seed):
    """See `Dataset.rejection_resample`."""
    target = cast(convert_to_tensor(target_dist), dtypes.float32)
    original = None  # the share of elements that are taken from the dataset as it is
    if initial_dist is not None:
        initial = cast(convert_to_tensor(initial_dist), dtypes.float32)
        accepted, share = _acceptance(initial, target)
        rejected = float(reduce_sum((1 - accepted) * initial))
        if rejected >= 0.5:
            logger.warning("Proportion of examples rejected by sampler is high: %s", rejected)
        acceptance = Dataset.from_tensors(accepted).repeat()
        shares = Dataset.from_tensors(share).repeat()
        with np.errstate(divide="ignore", invalid="ignore"):
            original = np.min(target.numpy() / initial.numpy())
    else:
        both = _estimates(target, dataset.map(class_func)).map(lambda initial: _acceptance(initial, target))
        acceptance = both.map(lambda accepted, share: accepted)
        shares = both.map(lambda accepted, share: share)

    def with_class(*element):
        return class_func(*element), element[0] if len(element) == 1 else element

    def with_probability(probabilities, element):
        number = class_func(*element) if isinstance(element, tuple) else class_func(element)
        return number, gather(probabilities, number), element

    def accepts(number, probability, element):
        return uniform([], seed=seed, dtype=probability.dtype) < probability

    filtered = Dataset.zip((acceptance, dataset)).map(with_probability).filter(accepts)
    filtered = filtered.map(lambda number, probability, element: (number, element)).prefetch(3)
    if original == 1:
        return dataset.map(with_class)
    if original == 0:
        return filtered
    return Dataset.sample_from_datasets(
        [dataset.map(with_class), filtered], weights=shares.map(lambda share: stack([share, 1.0 - share])), seed=seed,
        stop_on_empty_dataset=True,
    )  # fmt: skip


def _acceptance(initial, target):
    """The probabilities with which elements of each class are accepted, and that of taking one as it is."""
    ratio = target / (initial + np.finfo(np.float32).tiny)
    least = reduce_min(ratio)
    return (ratio - least) / (reduce_max(ratio) - least), least


def _estimates(target, classes):
    """The shares of the classes as they are seen, for each element of `classes`."""
    count = target.shape[0]

    def seen(so_far, numbers):
        so_far = so_far + reduce_sum(one_hot(numbers, count, dtype=dtypes.int64), 0)
        shares = cast(so_far / reduce_sum(so_far), dtypes.float32)
        return so_far, tile(expand_dims(shares, 0), [_ESTIMATED_AT_ONCE, 1])

    start = fill([count], np.int64(_SMOOTHING))
    return classes.batch(_ESTIMATED_AT_ONCE).scan(start, seen).unbatch()

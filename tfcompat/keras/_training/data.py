"""Batches of the data for `fit`: arrays, lists and dicts of arrays, iterables of batches."""

import collections.abc
import itertools
import math
import random
from typing import Any

import numpy as np

from tfcompat import nest
from tfcompat._control._rows import picked
from tfcompat._core import graphs
from tfcompat._core.composite import CompositeTensor
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.extension_type.types import outer_size
from tfcompat._core.spec import TensorSpec
from tfcompat._core.tensor import Tensor
from tfcompat._core.variable import Variable
from tfcompat._package.logging import logger
from tfcompat.array import cast, gather, reshape, squeeze
from tfcompat.data import Dataset
from tfcompat.distribute import DistributedDataset, get_strategy
from tfcompat.distribute._inputs import divided
from tfcompat.layers._layer import settings as _settings
from tfcompat.math import argmax, round
from tfcompat.random import _seed
from tfcompat.random._philox_host import philox_words


def unpack_x_y_sample_weight(data) -> Any:
    """(x, y, sample_weight) of an item of an iterable; None for missing ones."""
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if len(data) > 3 or not data:
        raise ValueError(
            "Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, found: "
            f"{data}"
        )
    return (*data, None, None)[:3]


def pack_x_y_sample_weight(x, y=None, sample_weight=None):
    """The inverse of `unpack_x_y_sample_weight`: the shortest tuple, or `x` itself if it is not taken for one."""
    if y is None and sample_weight is None:
        return (x,) if nest.is_nested(x) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def as_arrays(data):
    """Arrays of a structure of arrays, tensors and lists of numbers; floating NumPy arrays in `floatx`."""
    if isinstance(data, list | tuple) and (not data or not _is_arraylike(data[0])) and not _holds_arrays(data):
        data = np.array(data)
    return nest.map_structure(_as_array, data)


def _holds_arrays(data):
    return any(_is_arraylike(item) or isinstance(item, dict) or item is None for item in data)


def _is_arraylike(x):
    is_tensor = isinstance(x, Tensor | Variable | np.ndarray | CompositeTensor)
    return is_tensor or hasattr(x, "__array__") and hasattr(x, "shape")


def _as_array(x):
    if x is None or isinstance(x, Tensor | CompositeTensor):
        return x
    array = np.asarray(x)
    return array.astype(_settings.floatx()) if array.dtype.kind == "f" else array


def is_arrays(x):
    """Whether `x` holds all data, rather than yielding batches."""
    if _is_arraylike(x):
        return True
    if isinstance(x, dict):
        return all(is_arrays(value) for value in x.values())
    if isinstance(x, list | tuple):
        return all(is_arrays(item) or isinstance(item, int | float | bool | str | list | tuple) for item in x)
    return False


class _Permutations:
    """The orders in which TF shuffles the samples for one call of `fit`: one stream for all epochs."""

    def __init__(self, size):
        self._size = size
        seeded = _seed._context.seed is not None
        self._state = _seed._first_state(_seed._two_seeds(_seed._context.seed, 0 if seeded else None))

    def __call__(self):
        key, counter = self._state
        places = max(self._size - 1, 0)
        self._state = key, counter + -(-places // 4)
        # On the host: a loop of swaps would be compiled for each number of samples, and a list is fast enough.
        words = philox_words(key, counter, places)
        others = (words % np.arange(self._size, 1, -1, dtype=np.uint32)).tolist()
        order = list(range(self._size))
        for place, distance in enumerate(others):
            other = place + distance
            order[place], order[other] = order[other], order[place]
        return np.array(order, np.int64)


class Batches:
    """The batches of all epochs.

    Args:
      x, y, sample_weight: data; `y` and `sample_weight` only where `x` holds arrays.
      batch_size: int, 32 by default, for arrays.
      steps: int, batches in an epoch; None for all there are, -1 for no end.
      epochs: int.
      shuffle: bool.
      class_weight: dict from class to weight, or None.
      peek: bool, whether the first batch of a Sequence is made once more, before all others, as TF does.

    Attributes:
      steps: batches in an epoch, None while it is unknown.
      size_is_unknown: whether TF does not know the size of a batch when it traces a step.
      ended_after: how many batches the epoch had, if it has met the end of the data; else None.

    Raises:
      ValueError: arrays of different lengths, or of length 0; arguments that do not go together.
    """

    _last_is_smaller = False
    size_is_unknown = False
    _sizes: Any = None  # how many rows of each batch each replica gets, where that is not up to the batch

    def __init__(self, x, y=None, sample_weight=None, batch_size=None, steps=None, epochs=1, shuffle=False,
                 class_weight=None, peek=True):  # fmt: skip
        self._epochs, self._shuffle = epochs, shuffle
        self._weigh = None if not class_weight else _class_weights(class_weight)
        self._given_steps = steps
        if batch_size is not None and batch_size <= 0:
            raise ValueError(f"Expected batch_size to be positive. Received is {batch_size}.")
        if steps not in (None, -1) and steps <= 0:
            raise ValueError(f"steps_per_epoch must be positive, None or -1. Received {steps}. See `Model.fit`.")
        self.ran_out = False
        self.ended_after: Any = None
        self._iterator: Any = None
        self._source: Any = None
        self._renew = False
        if is_arrays(x):
            self._take_arrays(x, y, sample_weight, batch_size)
        else:
            self._take_iterable(x, y, sample_weight, peek)
        if steps == -1:
            logger.warning(
                "The training loop will run indefinitely since you have set `steps_per_epoch=-1`. Please use "
                "batch-level callbacks to save checkpoints or log training progress, etc"
            )
            self.steps = None
        elif steps is not None:
            self.steps = steps
        if self.steps == 0:
            raise ValueError("Expected input data to be non-empty.")

    def _take_arrays(self, x, y, sample_weight, batch_size):
        if self._shuffle == "batch":
            raise ValueError("shuffle='batch' is not available in tfcompat: use True or False")
        data = x, y, sample_weight
        if any(isinstance(leaf, graphs.GraphTensor) for leaf in nest.flatten(data)):
            self._take_graph_tensors(data)
            return
        data = tuple(as_arrays(part) for part in data)
        size = _equal_size(data)
        steps = self._given_steps
        batch_size = batch_size or (math.ceil(size / steps) if steps and steps > 0 else 32)
        self.steps = math.ceil(size / batch_size)
        self._last_is_smaller = size > batch_size and size % batch_size > 0
        # As in TF, one iterator runs through all epochs: with fewer steps the next epoch goes on where this one ends.
        # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/data_adapter.py
        self._iterator = self._of_arrays(data, size, batch_size)

    def _take_graph_tensors(self, data):
        """Each batch is what a run of the graph gives."""
        if self._given_steps is None:
            raise ValueError(
                "When using data tensors as input to a model, you should specify the `steps_per_epoch` argument."
            )
        tensors = [leaf for leaf in nest.flatten(data) if isinstance(leaf, graphs.GraphTensor)]
        fetched = graphs.state.run.fetched
        self._iterator = (self._batch_of_graph(data, fetched(tensors)) for _ in itertools.count())

    def _batch_of_graph(self, data, values):
        values = iter(values)
        parts = nest.map_structure(lambda x: next(values) if isinstance(x, graphs.GraphTensor) else x, data)
        return pack_x_y_sample_weight(*parts)

    def _of_arrays(self, data, size, batch_size):
        permutation = _Permutations(size) if self._shuffle else None
        for _ in range(self._epochs):
            order = None if permutation is None else permutation()
            for start in range(0, size, batch_size):
                chosen = slice(start, start + batch_size) if order is None else order[start : start + batch_size]
                parts = [nest.map_structure(lambda a, c=chosen: _rows(a, c), part) for part in data]
                yield pack_x_y_sample_weight(*parts)

    def _take_iterable(self, x, y, sample_weight, peek):
        is_sequence = isinstance(x, Sequence)
        is_generator = isinstance(x, collections.abc.Iterator) and not is_sequence
        kind = "`keras.utils.Sequence`" if is_sequence else "generator" if is_generator else "dataset"
        for name, value in (("y", y), ("sample_weight", sample_weight)):
            if value is not None:
                raise ValueError(f"`{name}` argument is not supported when using {kind} as input.")
        if not hasattr(x, "__iter__") and not hasattr(x, "__getitem__"):
            raise ValueError(f"Failed to find data adapter that can handle input: {type(x)}")
        if isinstance(x, DistributedDataset):
            if self._given_steps is None:
                raise ValueError("When providing a distributed dataset, you must specify the number of steps to run.")
            if self._weigh is not None:
                raise AttributeError(
                    f"{type(x).__name__!r} object has no attribute 'map': class weights need a dataset that is not "
                    "distributed; fit distributes it"
                )
        self.steps = None
        specs = nest.flatten(getattr(x, "element_spec", ()), expand_composites=True)
        self.size_is_unknown = not any(spec.shape.rank and spec.shape[0] is not None for spec in specs)
        if is_generator:
            self._iterator = x
            return
        self._source = x
        if isinstance(x, DistributedDataset):
            self._iterator = iter(x)  # one for all epochs
            return
        self._distribute(x)
        self.steps = _length(x, self._given_steps)
        self._renew = self._given_steps in (None, self.steps) or is_sequence
        if is_sequence and peek:
            x[0]
        if self._renew and hasattr(x, "_pass_over"):
            # `enumerate_epochs` of TF's DataHandler makes an iterator, and another one for the first epoch.
            # https://github.com/keras-team/tf-keras/blob/v2.21.0/tf_keras/src/engine/data_adapter.py
            x._pass_over()
        self._iterator = self._of_iterable()

    def _distribute(self, x):
        """Divides the batches of a dataset for replicas, unless each goes to them in as equal parts as may be."""
        strategy = get_strategy()
        if strategy.num_replicas_in_sync == 1 or strategy._processes > 1 or not isinstance(x, Dataset) or self._weigh:
            return
        dataset, self._sizes = x._of_one_process(strategy.num_replicas_in_sync)
        if dataset is not x:
            self._source = strategy.experimental_distribute_dataset(x)

    def _of_iterable(self):
        if isinstance(self._source, Sequence):
            return self._of_sequence(self._source)
        if not hasattr(self._source, "__iter__"):
            return (self._source[i] for i in range(len(self._source)))
        return iter(self._source)

    def _of_sequence(self, sequence):
        order = list(range(len(sequence)))
        if self._shuffle:
            random.shuffle(order)
        for i in order:
            yield sequence[i]

    def described(self, batch):
        """A batch as a function is traced for it: of unknown size if the last one is smaller.

        So one trace, with its random state, serves all, as in TF.
        """
        if not self._last_is_smaller:
            return batch
        return nest.map_structure(
            lambda x: TensorSpec([None, *x.shape[1:]], x.dtype) if isinstance(x, Tensor) and x.shape.rank else x,
            batch,
        )

    def epoch(self):
        """Yields the batches of one epoch, as structures of tensors."""
        self.ended_after = None
        if self.ran_out:
            return
        if self._renew and self._iterator is None:
            self._iterator = self._of_iterable()
        number = 0
        while self.steps is None or number < self.steps:
            try:
                batch = next(self._iterator)
            except StopIteration:
                self.ended_after = number
                if self.steps is None and self._given_steps is None and number:
                    self.steps = number
                elif self.steps is not None:
                    self.ran_out = True
                    logger.warning(
                        "Your input ran out of data; interrupting training. Make sure that your dataset or generator "
                        "can generate at least `steps_per_epoch * epochs` batches (in this case, %d batches). You may "
                        "need to use the repeat() function when building your dataset.", self._epochs * self.steps,
                    )  # fmt: skip
                break
            batch = as_tensors(tuple(batch) if isinstance(batch, list) else batch)
            if self._sizes:
                batch = divided(get_strategy(), batch, self._sizes)
            yield batch if self._weigh is None else self._weigh(batch)
            number += 1
        if self._renew:
            self._iterator = None

    @property
    def may_end(self):
        """Whether an epoch may meet the end of the data, which it does not know beforehand."""
        return self._iterator is not None and (self.steps is None or self._given_steps is not None)

    def end_epoch(self):
        """Tells a Sequence that an epoch is over, its validation and callbacks, too."""
        on_epoch_end = getattr(self._source, "on_epoch_end", None) if self._renew else None
        if on_epoch_end is not None:
            on_epoch_end()


def _length(source, steps):
    if hasattr(source, "cardinality"):
        size = int(source.cardinality())
        if size == -1 and steps is None:
            raise ValueError(
                "When passing an infinitely repeating dataset, please specify a `steps_per_epoch` value so that epoch "
                "level callbacks continue to work. The value can be arbitrary, or a number that you think correctly "
                "defines the size of an epoch. Epoch-level callbacks will then be called at this interval."
            )
        return size if size >= 0 else None
    return len(source) if hasattr(source, "__len__") else None


def _size(array):
    return int(outer_size(array)) if isinstance(array, CompositeTensor) else len(array)


def _rows(array: Any, chosen):
    if array is None:
        return None
    if isinstance(array, CompositeTensor):
        return picked(array, np.arange(*chosen.indices(_size(array))) if isinstance(chosen, slice) else chosen)
    if isinstance(array, Tensor):
        return array[chosen] if isinstance(chosen, slice) else gather(array, chosen)
    return array[chosen]


def as_tensors(batch):
    """A structure of tensors of a structure of arrays; floating NumPy arrays in `floatx`."""
    def as_tensor(x):
        return x if x is None or isinstance(x, CompositeTensor) else convert_to_tensor(_as_array(x))

    return nest.map_structure(as_tensor, batch)


def _equal_size(data):
    """The number of samples of the arrays (x, y, sample_weight); ValueError if these differ."""
    sizes = {
        name: [_size(array) for array in nest.flatten(part) if array is not None]
        for name, part in zip(("x", "y", "sample_weight"), data, strict=True)
    }
    if len({size for of_part in sizes.values() for size in of_part}) > 1:
        told = "".join(
            f"  {name} sizes: {', '.join(map(str, of_part))}\n" for name, of_part in sizes.items() if of_part
        )
        raise ValueError(
            f"Data cardinality is ambiguous:\n{told}Make sure all arrays contain the same number of samples."
        )
    return sizes["x"][0]


def single_batch(x, y=None, sample_weight=None, class_weight=None):
    """One batch of arrays, as `fit` would have it."""
    data = tuple(as_arrays(part) for part in (x, y, sample_weight))
    _equal_size(data)
    batch = as_tensors(pack_x_y_sample_weight(*data))
    return _class_weights(class_weight)(batch) if class_weight else batch


def _class_weights(class_weight):
    """A function that gives a batch sample weights by class."""
    ids = sorted(class_weight)
    if ids != list(range(len(ids))):
        raise ValueError(
            "Expected `class_weight` to be a dict with keys from 0 to one less than the number of classes, found "
            f"{class_weight}"
        )
    table = convert_to_tensor(np.array([class_weight[i] for i in ids], _settings.floatx()))

    def weigh(batch):
        y: Any
        x, y, sample_weight = unpack_x_y_sample_weight(batch)
        if nest.is_nested(y):
            raise ValueError("`class_weight` is only supported for Models with a single output.")
        if y.shape.rank >= 2 and y.shape[-1] > 1:
            classes: Any = argmax(y, axis=-1)
        else:
            classes = cast(round(squeeze(y, [-1]) if y.shape.rank >= 2 else y), "int64")
        weights: Any = gather(table, classes)
        if sample_weight is not None:
            weights = cast(weights, sample_weight.dtype)
            missing = weights.shape.rank - sample_weight.shape.rank
            weights = weights * reshape(sample_weight, [*sample_weight.shape, *[1] * missing])
        return x, y, weights

    return weigh


class Sequence:
    """Batches by number, for `fit`; to be subclassed, with `__len__` and `__getitem__`.

    TF: `tf.keras.utils.Sequence`.
    """

    def __getitem__(self, index):
        """The batch of a number."""
        raise NotImplementedError

    def __len__(self):
        """The number of batches."""
        raise NotImplementedError

    def on_epoch_end(self):
        """Called after each epoch."""

    def __iter__(self):
        """Yields all batches."""
        return (self[i] for i in range(len(self)))


class PyDataset(Sequence):
    """`Sequence` as Keras 3 calls it, with options of loading, which are kept and without effect.

    Args:
      workers, use_multiprocessing, max_queue_size: kept as attributes; batches are loaded one after the other.

    Keras 3: `keras.utils.PyDataset`.
    """

    def __init__(self, workers=1, use_multiprocessing=False, max_queue_size=10):
        self.workers, self.use_multiprocessing, self.max_queue_size = workers, use_multiprocessing, max_queue_size

    @property
    def num_batches(self):
        """The number of batches."""
        return len(self)


def train_validation_split(arrays, validation_split):
    """The first part of each array, and the rest.

    Raises:
      ValueError: no arrays, or too few samples.
    """
    flat = [array for array in nest.flatten(arrays) if array is not None]
    if not all(is_arrays(array) for array in flat):
        raise ValueError(
            "`validation_split` is only supported for Tensors or NumPy arrays, found following types in the input: "
            f"{[type(array) for array in flat if not is_arrays(array)]}"
        )
    arrays = tuple(as_arrays(array) for array in arrays)
    size = next(len(array) for array in nest.flatten(arrays) if array is not None)
    at = int(math.floor(size * (1.0 - validation_split)))
    if at in (0, size):
        raise ValueError(
            f"Training data contains {size} samples, which is not sufficient to split it into a validation and "
            f"training set as specified by `validation_split={validation_split}`. Either provide more data, or a "
            "different value for the `validation_split` argument."
        )
    return tuple(
        tuple(nest.map_structure(lambda a, c=chosen: _rows(a, c), part) for part in arrays)
        for chosen in (slice(0, at), slice(at, size))
    )

"""Elements of several datasets, in an order that a dataset of numbers tells."""

import numpy as np

from tfcompat import dtypes, engine
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.spec import TensorSpec
from tfcompat.data import _block
from tfcompat.data._block import Block
from tfcompat.data._dataset import INFINITE, UNKNOWN, Dataset, maker
from tfcompat.data._element import common_spec, flatten, form, pack
from tfcompat.data._sources import _RandomDataset
from tfcompat.engine._policy import DATASETS
from tfcompat.errors import InvalidArgumentError
from tfcompat.random import stateless_categorical


class _DirectedInterleaveDataset(Dataset):
    def __init__(self, selector, datasets, stop):
        self._stop = stop
        self._inputs = (selector, *datasets)
        first = self._datasets[0].element_spec
        for dataset in self._datasets[1:]:
            if form(dataset.element_spec) != form(first) or any(
                a.most_specific_common_supertype([b]) is None
                for a, b in zip(flatten(first), flatten(dataset.element_spec), strict=True)
            ):
                raise TypeError(
                    "Invalid `datasets`. `datasets` must have the same type and class. Dataset 0 has types "
                    f"{first}; another one has {dataset.element_spec}."
                )

    _selector = property(lambda self: self._inputs[0])
    _datasets = property(lambda self: self._inputs[1:])

    @property
    def element_spec(self):
        structure = self._datasets[0].element_spec
        specs = flatten(structure)
        for dataset in self._datasets[1:]:
            specs = [common_spec(a, b) for a, b in zip(specs, dataset._flat_specs(), strict=True)]
        return pack(structure, specs)

    def _template(self):
        return self._datasets[0]._template()

    def _blocks(self, run, size):
        sources = [dataset._blocks(run, 1) for dataset in self._datasets]
        rests: list = [None] * len(sources)
        ended: set = set()
        for choice in self._selector._blocks(run, 1 if self._selector._count() == UNKNOWN else DATASETS.block):
            if choice.error is not None:
                yield choice
                continue
            for number in choice.columns[0].tolist():
                if not 0 <= number < len(sources):
                    yield _block.failed(InvalidArgumentError(
                        None, None, f"Selector index out of range: {number} >= {len(sources)}"
                    ))  # fmt: skip
                    continue
                if number in ended:
                    continue
                block = rests[number] or next(sources[number], None)
                if block is None:
                    ended.add(number)
                    if self._stop or len(ended) == len(sources):
                        return
                    continue
                taken = block if block.error is not None else block.part(0, 1)
                rests[number] = block.part(1, block.size) if block.size > 1 else None
                yield taken

    def _count(self):
        counts = [dataset._count() for dataset in self._datasets]
        if self._stop:
            return INFINITE if all(count == INFINITE for count in counts) else UNKNOWN
        if INFINITE in counts:
            return INFINITE
        return UNKNOWN


@maker
def chosen(datasets, choice_dataset, stop_on_empty_dataset):
    """See `Dataset.choose_from_datasets`."""
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if not isinstance(choice_dataset, Dataset):
        raise TypeError(f"Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                        f"{type(choice_dataset)}.")  # fmt: skip
    spec = choice_dataset.element_spec
    if form(spec) is not None or spec.dtype is not dtypes.int64 or spec.shape.rank != 0:
        raise TypeError("Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but "
                        f"are {spec}.")  # fmt: skip
    return _DirectedInterleaveDataset(choice_dataset, datasets, stop_on_empty_dataset)


class _Draws(Dataset):
    """Numbers of datasets, drawn by weight as TF draws them: one categorical draw for every two seeds."""

    def __init__(self, weights, count, seed, rerandomize):
        self._weights, self._number = weights, count
        self._inputs = (_RandomDataset(seed, rerandomize), *([weights] if isinstance(weights, Dataset) else []))

    @property
    def element_spec(self):
        return TensorSpec([], dtypes.int64)

    def _blocks(self, run, size):
        if len(self._inputs) > 1:
            weights = (row[0] for row in self._inputs[1]._rows(run, 1))
        else:
            weights = None
            logits = np.zeros((1, self._number), np.float32) if self._weights is None else _log(self._weights)[None]
        for block in self._inputs[0]._blocks(run, 2 * DATASETS.block):
            for pair in block.columns[0].reshape(-1, 2):
                if weights is not None:
                    row = next(weights, None)
                    if row is None:
                        return
                    logits = _log(row)[None]
                with engine.eager_scope():
                    drawn = stateless_categorical(logits, 1, pair)._value()
                yield Block(1, [drawn.reshape(1).astype(np.int64)])

    def _count(self):
        return INFINITE


def _log(weights):
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(weights))


@maker
def sampled(datasets, weights, seed, stop_on_empty_dataset, rerandomize):
    """See `Dataset.sample_from_datasets`."""
    datasets = list(datasets)
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if not isinstance(weights, Dataset) and weights is not None:
        weights = convert_to_tensor(weights)._value()
        if weights.dtype not in (np.float32, np.float64):
            raise TypeError("Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is "
                            f"{dtypes.from_numpy(weights.dtype)}.")  # fmt: skip
        if weights.shape != (len(datasets),):
            raise ValueError("Invalid `weights`. `weights` should have the same length as `datasets` but got "
                             f"`weights.shape={weights.shape}` and `len(datasets)={len(datasets)}`.")  # fmt: skip
        if len(datasets) > 1 and np.count_nonzero(weights) < len(datasets) and not stop_on_empty_dataset:
            positive = [i for i, weight in enumerate(weights.tolist()) if weight]
            if len(positive) < len(datasets) and positive:
                datasets, weights = [datasets[i] for i in positive], weights[positive]
    if len(datasets) == 1:
        return datasets[0]
    draws = _Draws(weights, len(datasets), seed, bool(rerandomize))
    return _DirectedInterleaveDataset(draws, datasets, stop_on_empty_dataset)

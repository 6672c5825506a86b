"""Transformations of order and number, and functions of elements."""

import collections
import concurrent.futures
import os
from typing import Any

import numpy as np

from tfcompat import dtypes
from tfcompat._package.logging import logger
from tfcompat.data import _block
from tfcompat.data._block import Block
from tfcompat.data._dataset import INFINITE, UNKNOWN, Dataset, UnaryDataset
from tfcompat.data._element import common_spec, flatten, form, is_dense, map_leaves, pack
from tfcompat.data._function import Mapped
from tfcompat.errors import FailedPreconditionError, InvalidArgumentError

_LARGEST = 2**62


class _OptionsDataset(UnaryDataset):
    def __init__(self, dataset, options):
        super().__init__(dataset)
        self._options = options

    def _blocks(self, run, size):
        return self._input._blocks(run, size)

    def _indexed(self):
        return indexed(self._input)


def indexed(dataset):
    """(size, function from indices to a block) of a dataset whose elements can be looked up by index; else None."""
    indexer = getattr(dataset, "_indexed", None)
    return None if indexer is None else indexer()


# --- functions of elements ----------------------------------------------------------------------------------------


class _MapDataset(UnaryDataset):
    def __init__(self, dataset, function, calls):
        super().__init__(dataset)
        self._mapped = Mapped(dataset, function, "tf.data.Dataset.map")
        self._threads = 1 if calls is None else (os.cpu_count() or 1) if calls == -1 else calls

    @property
    def element_spec(self):
        return pack(self._mapped.template(), self._mapped.flat_specs())

    def _template(self):
        return self._mapped.template()

    def _spec_is_known(self):
        return self._mapped.is_learnt()

    def _blocks(self, run, size):
        for block in self._input._blocks(run, size):
            if block.error is not None:
                yield block
            else:
                yield from self._mapped.blocks(run, block)


class _ParallelMapDataset(_MapDataset):
    def _blocks(self, run, size):
        source = self._input._blocks(run, size)
        waiting, pool = collections.deque(), None
        try:
            for block in source:
                if block.error is None and not (self._mapped.is_called and self._threads > 1):
                    blocks = list(self._mapped.blocks(run, block))
                    while waiting:
                        yield waiting.popleft().result()
                    yield from blocks
                    continue
                if pool is None:
                    pool = concurrent.futures.ThreadPoolExecutor(self._threads, "tf.data.map")
                rows = [block] if block.error is not None else [block.part(i, i + 1) for i in range(block.size)]
                for row in rows:
                    waiting.append(pool.submit(self._one, run, row))
                    if len(waiting) > 2 * self._threads:
                        yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            if pool is not None:
                pool.shutdown(wait=True, cancel_futures=True)

    def _one(self, run, block):
        return block if block.error is not None else self._mapped.one(run, block.row(0))


class _Predicate(UnaryDataset):
    def __init__(self, dataset, predicate):
        super().__init__(dataset)
        self._mapped = Mapped(dataset, predicate, f"tf.data.Dataset.{self._NAME}")
        if self._mapped.is_learnt():
            self._check(self._mapped.template(), self._mapped.flat_specs())

    _NAME = ""

    def _check(self, template, specs):
        if len(specs) != 1 or form(template) is not None or not (
            is_dense(specs[0]) and specs[0].dtype is dtypes.bool and specs[0].shape.is_compatible_with([])
        ):
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
                f"{pack(template, specs)}."
            )

    def _count(self):
        return UNKNOWN

    def _decided(self, run, block):
        """Yields (block, array of bools) of parts of a block, or (block of an error, None)."""
        place = 0
        for part in self._mapped.blocks(run, block):
            if part.error is not None:
                place += 1
                yield part, None
                continue
            keep = _block.stacked(part.columns)[0]
            if keep.dtype != bool or keep.ndim != 1:
                self._check(self._mapped.template(), self._mapped.flat_specs())
                raise ValueError("Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor.")
            yield block.part(place, place + part.size), keep
            place += part.size


class _FilterDataset(_Predicate):
    _NAME = "filter"

    def _blocks(self, run, size):
        for block in self._input._blocks(run, size):
            if block.error is not None:
                yield block
                continue
            for part, keep in self._decided(run, block):
                if keep is None or keep.all():
                    yield part
                elif keep.any():
                    yield part.picked(np.flatnonzero(keep))


class _TakeWhileDataset(_Predicate):
    _NAME = "take_while"

    def _blocks(self, run, size):
        for block in self._input._blocks(run, size):
            if block.error is not None:
                yield block
                continue
            for part, keep in self._decided(run, block):
                if keep is None or keep.all():
                    yield part
                    continue
                count = int(np.argmin(keep))
                if count:
                    yield part.part(0, count)
                return


class _Nested(UnaryDataset):
    """Elements of the datasets that a function returns."""

    _NAME = ""

    def __init__(self, dataset, function):
        super().__init__(dataset)
        self._mapped = Mapped(dataset, function, f"tf.data.Dataset.{self._NAME}", untraced=True)
        self._last: Any = None

    def _checked(self, leaves):
        if len(leaves) != 1 or not isinstance(leaves[0], Dataset):
            raise TypeError(
                f"Invalid `map_func`. `map_func` must return a `tf.data.Dataset` object. Got {type(leaves[0])}."
            )
        return leaves[0]

    @property
    def element_spec(self):
        specs = self._mapped.flat_specs()
        inner_spec = getattr(specs[0], "element_spec", None)
        if inner_spec is None:
            raise TypeError(f"Invalid `map_func`. `map_func` must return a `tf.data.Dataset` object. Got {specs[0]}.")
        return inner_spec

    def _template(self):
        return self.element_spec if self._last is None else self._last._template()

    def _spec_is_known(self):
        return False

    def _count(self):
        return UNKNOWN

    def _datasets(self, run):
        """Yields a dataset for each element of the input, or the block of an error."""
        for block in self._input._blocks(run, 1):
            if block.error is not None:
                yield block
                continue
            try:
                yield self._checked(self._mapped.call(run, block.row(0)))
            except Exception as error:
                yield _block.failed(error)


class _FlatMapDataset(_Nested):
    _NAME = "flat_map"

    def _blocks(self, run, size):
        for inner in self._datasets(run):
            if isinstance(inner, Block):
                yield inner
                continue
            self._last = inner
            yield from inner._blocks(run, size)


class _InterleaveDataset(_Nested):
    _NAME = "interleave"

    def __init__(self, dataset, function, cycle_length, block_length):
        super().__init__(dataset, function)
        self._cycle, self._length = cycle_length, block_length

    def _blocks(self, run, size):
        datasets: Any = self._datasets(run)
        sources: list = [None] * self._cycle
        rests: list = [None] * self._cycle  # number of elements that a source has given already
        number, done, opened = 0, 0, 0
        while True:
            if sources[number] is None:
                inner = next(datasets, None) if datasets is not None else None
                if inner is None:
                    datasets = None
                    if not opened:
                        return
                    number, done = (number + 1) % self._cycle, 0
                    continue
                if isinstance(inner, Block):
                    yield inner
                    continue
                self._last = inner
                sources[number], rests[number] = inner._blocks(run, size), None
                opened += 1
            block = rests[number] or next(sources[number], None)
            if block is None:
                sources[number] = None
                opened -= 1
                number, done = (number + 1) % self._cycle, 0
                continue
            taken = block if block.error is not None else block.part(0, self._length - done)
            rests[number] = block.part(taken.size, block.size) if taken.size < block.size else None
            done += max(taken.size, 1)
            yield taken
            if done >= self._length:
                number, done = (number + 1) % self._cycle, 0


class _ParallelInterleaveDataset(_InterleaveDataset):
    pass


# --- order and number ---------------------------------------------------------------------------------------------


class _TakeDataset(UnaryDataset):
    def __init__(self, dataset, count):
        super().__init__(dataset)
        self._number = count

    def _blocks(self, run, size):
        remaining = self._number if self._number >= 0 else _LARGEST
        if not remaining:
            return
        for block in self._input._blocks(run, min(size, remaining)):
            if block.error is None:
                block = block.part(0, remaining)
            yield block
            remaining -= max(block.size, 1)
            if remaining <= 0:
                return

    def _count(self):
        count = self._input._count()
        if self._number < 0 or count == UNKNOWN:
            return count if self._number else 0
        return self._number if count == INFINITE else min(count, self._number)


class _SkipDataset(UnaryDataset):
    def __init__(self, dataset, count):
        super().__init__(dataset)
        self._number = count

    def _blocks(self, run, size):
        remaining = self._number
        if remaining < 0:
            return
        for block in self._input._blocks(run, size):
            if remaining and block.error is None:
                dropped = min(remaining, block.size)
                remaining -= dropped
                if dropped == block.size:
                    continue
                block = block.part(dropped, block.size)
            yield block

    def _count(self):
        count = self._input._count()
        if self._number < 0:
            return 0
        return count if count < 0 else max(count - self._number, 0)


SHARD_HINT = -1  # as both arguments of `Dataset.shard`: the processes of a strategy get a part each


class _ShardDataset(UnaryDataset):
    def __init__(self, dataset, shards, index):
        super().__init__(dataset)
        self._shards, self._index = shards, index
        if self.is_hint:
            return
        if shards < 1:
            raise InvalidArgumentError(
                None, None, f"Number of shards must be greater than zero (currently num_shards = {shards})."
            )
        if not 0 <= index < shards:
            raise InvalidArgumentError(
                None, None, f"Index must be between 0 and {shards - 1} (currently index = {index})."
            )

    is_hint = property(lambda self: self._shards == SHARD_HINT)

    def _of_input(self, run, size):
        if not self.is_hint:
            return self._input._blocks(run, size)
        return [_block.failed(FailedPreconditionError(
            None, None,
            "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
            "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
            "`tf.data.experimental.AutoShardPolicy.HINT` policy, of several processes",
        ))]  # fmt: skip

    def _blocks(self, run, size):
        place = 0
        for block in self._of_input(run, size):
            if block.error is not None:
                yield block
                continue
            first = (self._index - place) % self._shards
            place += block.size
            if first < block.size:
                chosen = range(first, block.size, self._shards)
                yield Block(len(chosen), [column[first :: self._shards] for column in block.columns])

    def _count(self):
        count = self._input._count()
        if self.is_hint:
            return UNKNOWN
        return count if count < 0 else len(range(self._index, count, self._shards))


class _RepeatDataset(UnaryDataset):
    def __init__(self, dataset, count):
        super().__init__(dataset)
        self._number = count

    def _blocks(self, run, size):
        turn = 0
        while self._number < 0 or turn < self._number:
            has_rows = False
            for block in self._input._blocks(run, size):
                has_rows = True
                yield block
            if not has_rows and self._number < 0:
                return
            turn += 1

    def _count(self):
        count = self._input._count()
        if self._number == 0 or count == 0:
            return 0
        if self._number < 0:
            return INFINITE
        return count if count < 0 else count * self._number


class _ConcatenateDataset(Dataset):
    def __init__(self, first, second):
        self._inputs = first, second
        if self._spec_is_known():
            self.element_spec  # noqa: B018 - its errors

    def _first_inputs(self):
        return self._inputs[:1]

    @property
    def element_spec(self):
        first, second = (dataset.element_spec for dataset in self._inputs)
        if form(first) != form(second):
            raise TypeError(
                "Incompatible types of input datasets: two datasets to concatenate have different types "
                f"{first} and {second}."
            )
        try:
            return pack(first, [common_spec(a, b) for a, b in zip(flatten(first), flatten(second), strict=True)])
        except TypeError:
            raise TypeError(
                f"Incompatible dataset elements:\n  {first} is not compatible with   {second}"
            ) from None

    def _template(self):
        return self._inputs[0]._template()

    def _blocks(self, run, size):
        for dataset in self._inputs:
            yield from dataset._blocks(run, size)

    def _count(self):
        counts = [dataset._count() for dataset in self._inputs]
        if INFINITE in counts:
            return INFINITE
        return UNKNOWN if UNKNOWN in counts else sum(counts)


class _ZipDataset(Dataset):
    def __init__(self, datasets):
        for dataset in flatten(datasets):
            if isinstance(dataset, list):
                raise TypeError("Invalid `datasets`. `datasets` is expected to be a (nested) structure of "
                                "`tf.data.Dataset` objects. Python `list` is not supported and you should use `tuple` "
                                "instead.")  # fmt: skip
            if not isinstance(dataset, Dataset):
                raise TypeError(
                    "Invalid `datasets`. `datasets` is expected to be a (nested) structure of `tf.data.Dataset` "
                    f"objects but encountered object of type {type(dataset)}."
                )
        self._datasets = datasets
        self._inputs = tuple(flatten(datasets))

    @property
    def element_spec(self):
        return map_leaves(lambda dataset: dataset.element_spec, self._datasets)

    def _template(self):
        return map_leaves(lambda dataset: dataset._template(), self._datasets)

    def _blocks(self, run, size):
        count = self._count()
        if count > 0:
            size = min(size, count)
        sources = [dataset._blocks(run, size) for dataset in self._inputs]
        blocks: list = [None] * len(sources)
        while True:
            for i, source in enumerate(sources):
                if blocks[i] is None:
                    blocks[i] = next(source, None)
                    if blocks[i] is None:
                        return
            error = next((block for block in blocks if block.error is not None), None)
            if error is not None:
                blocks = [None if b.error or b.size == 1 else b.part(1, b.size) for b in blocks]
                yield error
                continue
            count = min(block.size for block in blocks)
            yield Block(count, [column for block in blocks for column in block.part(0, count).columns])
            blocks = [None if b.size == count else b.part(count, b.size) for b in blocks]

    def _indexed(self):
        indexers: list = [indexed(dataset) for dataset in self._inputs]
        if None in indexers:
            return None

        def rows(indices):
            return Block(len(indices), [column for _, look in indexers for column in look(indices).columns])

        return min(size for size, _ in indexers), rows

    def _count(self):
        counts = [dataset._count() for dataset in self._inputs]
        finite = [count for count in counts if count != INFINITE]
        if not finite:
            return INFINITE
        return UNKNOWN if UNKNOWN in finite else min(finite)


class _IgnoreErrorsDataset(UnaryDataset):
    def __init__(self, dataset, log):
        super().__init__(dataset)
        self._log = log

    def _blocks(self, run, size):
        for block in self._input._blocks(run, size):
            if block.error is None:
                yield block
            elif self._log:
                logger.warning("Error raised with error message %s", block.error)

    def _count(self):
        return UNKNOWN


class _DescribedDataset(UnaryDataset):
    """The dataset with a wider spec."""

    def __init__(self, dataset, element_spec):
        super().__init__(dataset)
        self._spec = element_spec

    element_spec = property(lambda self: self._spec)

    def _blocks(self, run, size):
        return self._input._blocks(run, size)


class _AssertCardinalityDataset(UnaryDataset):
    def __init__(self, dataset, expected):
        super().__init__(dataset)
        self._expected = expected

    def _blocks(self, run, size):
        shown = {INFINITE: "an infinite number of"}.get(self._expected, self._expected)
        seen = 0
        for block in self._input._blocks(run, size):
            seen += block.size
            if 0 <= self._expected < seen:
                yield _block.failed(FailedPreconditionError(
                    None, None, f"Input dataset was expected to contain {shown} elements but contained at least "
                    f"{self._expected + 1} elements.",
                ))  # fmt: skip
                return
            yield block
        if seen != self._expected:
            yield _block.failed(FailedPreconditionError(
                None, None, f"Input dataset was expected to contain {shown} elements but contained only {seen}."
            ))  # fmt: skip

    def _count(self):
        return self._expected


class _UniqueDataset(UnaryDataset):
    def __init__(self, dataset):
        super().__init__(dataset)
        for spec in self._flat_specs() if self._spec_is_known() else ():
            if spec.dtype not in (dtypes.int32, dtypes.int64, dtypes.string) or spec.shape.rank not in (0, None):
                raise TypeError(
                    "`tf.data.Dataset.unique` does not support type "
                    f"{spec.dtype} -- only `tf.int32`, `tf.int64`, and `tf.string` are supported."
                )

    def _blocks(self, run, size):
        seen = set()
        for block in self._input._blocks(run, size):
            if block.error is not None:
                yield block
                continue
            new = []
            for i in range(block.size):
                value = block.row(i)[0].item()
                if value not in seen:
                    seen.add(value)
                    new.append(i)
            if new:
                yield block.picked(np.array(new))

    def _count(self):
        return UNKNOWN


"""What each of several processes gets of a dataset, by its `auto_shard_policy`."""

import copy

from tfcompat.data import _block
from tfcompat.data._ahead import CacheDataset, _PrefetchDataset
from tfcompat.data._batches import _Batching, _RebatchDataset
from tfcompat.data._block import Block
from tfcompat.data._dataset import UnaryDataset, maker
from tfcompat.data._element import map_leaves, with_leading, without_leading
from tfcompat.data._options import AutoShardPolicy
from tfcompat.data._readers import CsvDataset, _Files
from tfcompat.data._shuffle import _ShuffleDataset
from tfcompat.data._sources import _TensorSliceDataset
from tfcompat.data._transforms import (
    _AssertCardinalityDataset,
    _ConcatenateDataset,
    _FilterDataset,
    _Nested,
    _OptionsDataset,
    _RepeatDataset,
    _ShardDataset,
    _SkipDataset,
    _TakeDataset,
    _ZipDataset,
)
from tfcompat.errors import InvalidArgumentError, NotFoundError


@maker
def of_process(dataset, processes, process, replicas):
    """What a process gets of a dataset of batches.

    Args:
      dataset: of batches for all replicas.
      processes, process: how many there are, and the number of this one.
      replicas: how many there are in all processes together; each process has as many.

    Returns:
      (dataset, whether it has whole batches, of which each process takes its part). Otherwise it has batches for one
      replica, which those of this process take in turn.

    Raises:
      tf.errors.NotFoundError: the policy is FILE, and the dataset does not begin with files.
    """
    policy = _policy(dataset)
    if policy is AutoShardPolicy.DATA:
        return dataset, True
    if policy is AutoShardPolicy.HINT:
        dataset = _hinted(dataset, processes, process)
    elif policy is not AutoShardPolicy.OFF:
        try:
            dataset = _by_files(dataset, processes, process)
        except NotFoundError:
            if policy is AutoShardPolicy.FILE:
                raise
            return dataset, True
    sizes = _rows_of_replicas(dataset, replicas)
    if sizes is None:
        return _DividedDataset(dataset, replicas), False
    first = process * replicas // processes  # as TF's `batch_sizes_for_worker`
    return _RebatchDataset(dataset, sizes[first:] + sizes[:first], False), False


@maker
def of_one_process(dataset, replicas):
    """How a dataset of batches is divided among the replicas of the only process.

    Returns:
      (dataset, sizes): how many rows of each batch the replicas get, as far as there are any; None where each batch is
      divided as evenly as may be, and where the dataset has batches for one replica, which they take in turn. Then it
      is another one than was given.
    """
    policy = _policy(dataset)
    if policy is AutoShardPolicy.DATA or policy is AutoShardPolicy.AUTO and not _begins_with_files(dataset):
        return dataset, None
    sizes = _rows_of_replicas(dataset, replicas)
    if sizes is None or _is_short_at_its_end_only(dataset):
        return dataset, sizes
    return _RebatchDataset(dataset, sizes, False), None


def _policy(dataset):
    return AutoShardPolicy(dataset.options().experimental_distribute.auto_shard_policy or AutoShardPolicy.AUTO)


def _begins_with_files(dataset):
    try:
        _by_files(dataset, 1, 0)
    except NotFoundError:
        return False
    return True


def _is_short_at_its_end_only(dataset):
    """Whether all batches but the last one are surely as large as the first one."""
    while isinstance(dataset, _KEEPS_BATCHES):
        (dataset,) = dataset._inputs
    return isinstance(dataset, _Batching)


def _with_inputs(dataset, inputs):
    """A copy of a dataset that is made from other ones."""
    made = copy.copy(dataset)
    made._inputs = tuple(inputs)
    return made


def _hinted(dataset, processes, process):
    """A dataset with the process's part at each `shard(SHARD_HINT, SHARD_HINT)`."""
    made = _with_inputs(dataset, [_hinted(each, processes, process) for each in dataset._inputs])
    if isinstance(made, _ShardDataset) and made.is_hint:
        made._shards, made._index = processes, process
    return made


def _by_files(dataset, processes, process):
    """A dataset that reads the process's part of the files."""
    if isinstance(dataset, CsvDataset):
        raise NotFoundError(
            None, None, "Did not find a shardable source, walked to a node which is not a dataset: CsvDataset"
        )
    if isinstance(dataset, _Files):
        (names,) = dataset._inputs or [_TensorSliceDataset(dataset._names)]
        return _with_inputs(dataset, [_files_of(names, processes, process)])
    if isinstance(dataset, _Nested) and _reads_files(dataset):
        return _with_inputs(dataset, [_files_of(dataset._input, processes, process)])
    if not dataset._inputs:
        raise NotFoundError(None, None, f"Found an unshardable source dataset: {dataset!r}")
    return _with_inputs(dataset, [_by_files(each, processes, process) for each in dataset._inputs])


def _reads_files(nested):
    """Whether the function of a `flat_map` or `interleave` returns a dataset of a file, for the first element.

    If there is an error in its place, iterating is to raise it.
    """
    first = next(nested._datasets(nested._input._new_run(trial=True)), None)
    if first is None or isinstance(first, Block):
        return first is not None
    return any(
        isinstance(each, _Files) and not isinstance(each, CsvDataset) for each in first._nodes()
    )


def _files_of(names, processes, process):
    """The process's part of a dataset of file names. They are shuffled afterwards, so that processes share them."""
    shuffled, below = [], names
    while isinstance(below, UnaryDataset):
        shuffled += [below] if isinstance(below, _ShuffleDataset) else []
        below = below._input
    result = _Share(_without(names, shuffled), processes, process)
    for shuffle in reversed(shuffled):
        result = _with_inputs(shuffle, [result])
    return result


def _without(dataset, left_out):
    if not isinstance(dataset, UnaryDataset):
        return dataset
    below = _without(dataset._input, left_out)
    return below if any(dataset is each for each in left_out) else _with_inputs(dataset, [below])


class _Share(_ShardDataset):
    """A shard of file names, of which there must be one for each process."""

    def _of_input(self, run, size):
        blocks, count = [], 0
        source = self._input._blocks(run, size)
        for block in source:
            blocks.append(block)
            count += block.size
            if count >= self._shards or block.error is not None:
                yield from blocks
                yield from source
                return
        yield _block.failed(InvalidArgumentError(
            None, None,
            f"Could not apply FILE based sharding: the dataset only has {count} file(s), which is not enough for the "
            f"required {self._shards} shards/workers. If you are using datasets with distribution strategy, consider "
            "setting the auto sharding policy to either DATA or OFF using the "
            "`experimental_distribute.auto_shard_policy` option of `tf.data.Options()`. Or, split your input files "
            "into a larger number of small files such that number of files is greater than number of shards/workers.",
        ))  # fmt: skip


# Those through which TensorFlow looks for the batches that it takes the size of.
_SHOWS_BATCHES = (
    CacheDataset, _AssertCardinalityDataset, _ConcatenateDataset, _FilterDataset, _OptionsDataset, _PrefetchDataset,
    _RepeatDataset, _ShardDataset, _ShuffleDataset, _SkipDataset, _TakeDataset, _ZipDataset,
)  # fmt: skip


_KEEPS_BATCHES = (CacheDataset, _AssertCardinalityDataset, _OptionsDataset, _PrefetchDataset, _TakeDataset)


def _rows_of_replicas(dataset, replicas):
    """List of the numbers of rows of a batch that replicas get; None if the size of batches is unknown."""
    size = _size_of_batches(dataset)
    return None if size is None else [size // replicas + (n < size % replicas) for n in range(replicas)]


def _size_of_batches(dataset):
    """The number of rows of the batches that a dataset begins with, as TF's `compute_batch_size`; None if unknown."""
    specs = dataset._flat_specs()
    sizes = {spec.shape[0] if spec.shape.rank else None for spec in specs}
    if None in sizes:
        sizes = _sizes_below(dataset)
    return sizes.pop() if len(sizes) == 1 else None


def _sizes_below(dataset):
    if isinstance(dataset, _Batching):
        return {dataset._size}
    return set().union(*map(_sizes_below, dataset._inputs)) if isinstance(dataset, _SHOWS_BATCHES) else {None}


class _DividedDataset(UnaryDataset):
    """The parts of each batch, as equal as may be; those for which there are no rows are empty."""

    def __init__(self, dataset, count):
        super().__init__(dataset)
        self._parts = count

    @property
    def element_spec(self):
        return map_leaves(lambda spec: with_leading(without_leading(spec), None), self._input.element_spec)

    def _blocks(self, run, size):
        for element in self._input._blocks(run, 1):
            if element.error is not None:
                yield element
                continue
            leaves = element.row(0)
            part = -(-next(len(leaf) for leaf in leaves if leaf is not None) // self._parts)
            for n in range(self._parts):
                yield _block.single([
                    None if leaf is None else leaf[n * part : (n + 1) * part] for leaf in leaves
                ])  # fmt: skip

    def _count(self):
        count = self._input._count()
        return count if count < 0 else count * self._parts

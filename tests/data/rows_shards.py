"""What each of two processes gets of a dataset, by `auto_shard_policy`."""

import importlib
import os

import numpy as np
from rows import Raised, row_for


def _files(folder, rows):
    """The paths of files of so many records each, the same as lines of text and as pieces of two bytes."""
    paths = []
    for number, count in enumerate(rows):
        records = [f"{number}{chr(97 + i)}" for i in range(count)]
        path = os.path.join(folder, f"{number}")
        for kind, end in ((".txt", "\n"), (".bin", "")):
            with open(path + kind, "w") as file:
                file.write("".join(record + end for record in records))
        paths.append((path, records))
    return paths


class _Source:
    """What the datasets below begin with.

    Attributes:
      paths: of files of 3, 3, 2 and 2 records; `lines`, `pieces` have the same records.
    """

    def __init__(self, tf, folder):
        self.tf, self.paths = tf, []
        for path, records in _files(folder, [3, 3, 2, 2]):
            with tf.io.TFRecordWriter(path + ".rec") as writer:
                for record in records:
                    writer.write(record)
            self.paths.append(path + ".rec")
        self.lines, self.pieces = ([path[:-3] + kind for path in self.paths] for kind in ("txt", "bin"))
        self.pattern = os.path.join(folder, "?.rec")
        self.names = tf.data.Dataset.from_tensor_slices(self.paths)
        self.records = tf.data.TFRecordDataset
        self.whole = self.records(self.paths)


def _hint(tf, dataset):
    hint = tf.data.experimental.SHARD_HINT
    return dataset.shard(hint, hint)


FROM_FILES = {
    "records": lambda s: s.whole.batch(4),
    "batches of three": lambda s: s.whole.batch(3),
    "batches of five, mapped": lambda s: s.whole.batch(5, drop_remainder=True).map(lambda x: x),
    "one file": lambda s: s.records(s.paths[:1]).batch(4),
    "lines": lambda s: s.tf.data.TextLineDataset(s.lines).batch(4),
    "pieces": lambda s: s.tf.data.FixedLengthRecordDataset(s.pieces, 2).batch(4),
    "fields": lambda s: s.tf.data.experimental.CsvDataset(s.lines, [s.tf.string]).batch(4),
    "listed": lambda s: s.tf.data.Dataset.list_files(s.pattern, shuffle=False).interleave(s.records, 2).batch(4),
    "listed and shuffled": lambda s: s.tf.data.Dataset.list_files(s.pattern, seed=1).flat_map(s.records).batch(4),
    "shuffled and repeated": lambda s: s.names.shuffle(4, seed=2).repeat(2).flat_map(s.records).batch(4),
    "names that are read": lambda s: s.records(s.names).batch(4),
    "several at once": lambda s: s.records(s.paths, num_parallel_reads=2).batch(4),
    "by number": lambda s: s.tf.data.Dataset.range(4).flat_map(
        lambda n: s.records(s.tf.gather(s.tf.constant(s.paths), n))
    ).batch(4),
    "one name": lambda s: s.names.take(1).flat_map(s.records).batch(4),
    "taken": lambda s: s.whole.take(5).batch(4),
    "repeated": lambda s: s.whole.repeat(2).map(lambda x: x).batch(4).prefetch(1),
    "filtered": lambda s: s.whole.filter(lambda x: x != "0a").batch(4),
    "mapped": lambda s: s.whole.batch(4).map(lambda x: x),
    "pairs": lambda s: s.tf.data.Dataset.zip((s.whole, s.whole)).map(lambda a, b: a + b).batch(4),
    "one after the other": lambda s: s.whole.concatenate(s.records(s.paths[::-1])).batch(4),
    "sharded": lambda s: s.whole.shard(2, 1).batch(4),
    "lengths of names": lambda s: s.names.map(s.tf.strings.length).map(lambda n: n * 0).batch(3),
    "a hint": lambda s: _hint(s.tf, s.names).flat_map(s.records).batch(4),
}  # fmt: skip

WITHOUT = {
    "numbers": lambda tf: tf.data.Dataset.range(10).batch(4),
    "threes": lambda tf: tf.data.Dataset.range(10).batch(3),
    "fives, dropped": lambda tf: tf.data.Dataset.range(13).batch(5, drop_remainder=True),
    "two": lambda tf: tf.data.Dataset.range(9).batch(2).shuffle(5, seed=1).repeat(2),
    "mapped": lambda tf: tf.data.Dataset.range(10).batch(4).map(lambda x: x * 2),
    "other sizes": lambda tf: tf.data.Dataset.from_generator(
        lambda: iter([np.arange(3), np.arange(5), np.arange(1)]), output_signature=tf.TensorSpec([None], tf.int64)
    ),
    "one": lambda tf: tf.data.Dataset.from_tensors(np.arange(5)),
    "nested": lambda tf: tf.data.Dataset.range(3).flat_map(lambda n: tf.data.Dataset.range(n).batch(2)),
    "chosen": lambda tf: tf.data.Dataset.choose_from_datasets(
        [tf.data.Dataset.range(5).batch(2), tf.data.Dataset.range(5, 9).batch(2)], tf.data.Dataset.range(2).repeat(3)
    ),
    "a hint": lambda tf: _hint(tf, tf.data.Dataset.range(10)).batch(4),
}  # fmt: skip


def _half(batch, process):
    size = -(-len(batch) // 2)
    return batch[process * size :][:size]


def _of_process(tf, dataset, process, replicas):
    """What a process of two gets, as `experimental_distribute_dataset` makes it there."""
    if hasattr(dataset, "_of_process"):
        dataset, whole = dataset._of_process(2, process, replicas)
        return [tf.nest.map_structure(lambda x: _half(x, process), x) for x in dataset] if whole else dataset
    distribute = importlib.import_module("tensorflow.python.data.experimental.ops.distribute")
    input_ops = importlib.import_module("tensorflow.python.distribute.input_ops")
    size = distribute.compute_batch_size(dataset)
    if size < 0:
        dataset = distribute._LegacyRebatchDataset(dataset, replicas)
    else:
        dataset = dataset.rebatch(distribute.batch_sizes_for_worker(size, 2, replicas // 2, process))
    return input_ops.auto_shard_dataset(dataset, 2, process, replicas)


def _tried(call):
    try:
        return call()
    except Exception as error:
        return Raised(error, ())


def _of_both(tf, dataset, policy, replicas=2):
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = getattr(tf.data.experimental.AutoShardPolicy, policy)

    def parts(process):
        return [tf.nest.map_structure(lambda x: x.numpy(), x)
                for x in _of_process(tf, dataset.with_options(options), process, replicas)]  # fmt: skip

    first = _tried(lambda: parts(0))
    return first if isinstance(first, Raised) else (first, parts(1))


@row_for(policy=["AUTO", "FILE", "HINT"], begins=list(FROM_FILES))
def from_files(tf, folder, policy, begins):
    return _of_both(tf, FROM_FILES[begins](_Source(tf, folder)), policy)


@row_for(policy=["AUTO", "FILE", "DATA", "HINT", "OFF"], begins=list(WITHOUT))
def without_files(tf, policy, begins):
    return _of_both(tf, WITHOUT[begins](tf), policy)


@row_for(policy=["AUTO", "OFF"], begins=["records", "batches of three"])
def for_two_replicas_each(tf, folder, policy, begins):
    return _of_both(tf, FROM_FILES[begins](_Source(tf, folder)), policy, 4)


@row_for(arguments=["hint", "number", "index"])
def a_hint_elsewhere(tf, arguments):
    data, hint = tf.data.Dataset.range(5), tf.data.experimental.SHARD_HINT
    if arguments == "hint":
        return hint, _tried(lambda: list(data.shard(hint, hint)))
    return _tried(lambda: list(data.shard(*((hint, 0) if arguments == "number" else (2, hint)))))

"""Functions that became methods of datasets, and those that never did."""

from tfcompat import dtypes
from tfcompat.data._dataset import AUTOTUNE, Dataset, _made, check_dataset, integer
from tfcompat.data._iterator import Iterator
from tfcompat.errors import OutOfRangeError
from tfcompat.io._records import TFRecordWriter as _RecordWriter


def assert_cardinality(expected_cardinality):
    """For `apply`: the dataset, which raises FailedPreconditionError if it has another number of elements."""
    expected = integer(expected_cardinality, "expected_cardinality")
    return lambda dataset: _made("_AssertCardinalityDataset", dataset, expected)


def at(dataset, index):
    """The element of a number; OutOfRangeError if there is none."""
    iterator = iter(dataset.skip(index))
    for element in iterator:
        return element
    raise OutOfRangeError(None, None, f"Index out of range [0, {int(dataset.cardinality())}): {index}")


def bucket_by_sequence_length(element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes=None,
                              padding_values=None, pad_to_bucket_boundary=False, no_padding=False,
                              drop_remainder=False):  # fmt: skip
    """For `apply`: `Dataset.bucket_by_sequence_length`."""
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes, padding_values,
        pad_to_bucket_boundary, no_padding, drop_remainder,
    )  # fmt: skip


def cardinality(dataset):
    """`Dataset.cardinality`."""
    return dataset.cardinality()


def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=False):
    """`Dataset.choose_from_datasets`."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def copy_to_device(target_device, source_device="/cpu:0"):
    """For `apply`: the dataset itself; arrays move to devices as programs need them."""
    return lambda dataset: dataset


def prefetch_to_device(device, buffer_size=None):
    """For `apply`: `Dataset.prefetch`; arrays move to devices as programs need them."""
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


def Counter(start=0, step=1, dtype=dtypes.int64):
    """`Dataset.counter`."""
    return Dataset.counter(start, step, dtype)


def RandomDataset(seed=None, rerandomize_each_iteration=None, name=None):
    """`Dataset.random`."""
    return Dataset.random(seed, rerandomize_each_iteration, name)


def dense_to_ragged_batch(batch_size, drop_remainder=False, row_splits_dtype=dtypes.int64):
    """For `apply`: `Dataset.ragged_batch`."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def enumerate_dataset(start=0):
    """For `apply`: `Dataset.enumerate`."""
    return lambda dataset: dataset.enumerate(start)


def from_list(elements, name=None):
    """A dataset of the elements of a list, which may differ in shape.

    Raises:
      ValueError: the list is empty.
    """
    return _made("_ListDataset", elements)


def get_next_as_optional(iterator):
    """`Iterator.get_next_as_optional`."""
    if not isinstance(iterator, Iterator):
        raise TypeError(f"`iterator` must be a tf.data.Iterator, got {iterator!r}")
    return iterator.get_next_as_optional()


def get_single_element(dataset):
    """`Dataset.get_single_element`."""
    return check_dataset(dataset, "dataset").get_single_element()


def get_structure(dataset_or_iterator):
    """The structure of the elements' specs. Raises TypeError if it is no dataset or iterator."""
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            f"Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or tf.data.Iterator "
            f"object, but got {type(dataset_or_iterator)}."
        ) from None


def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
    """For `apply`: `Dataset.group_by_window`."""
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def ignore_errors(log_warning=False):
    """For `apply`: `Dataset.ignore_errors`."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    """For `apply`: `map`, then `batch`."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None,
                        prefetch_input_elements=None):  # fmt: skip
    """For `apply`: `Dataset.interleave`, in its order."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def save(dataset, path, compression=None, shard_func=None, checkpoint_args=None):
    """`Dataset.save`."""
    check_dataset(dataset, "dataset").save(path, compression, shard_func, checkpoint_args)


def load(path, element_spec=None, compression=None, reader_func=None):
    """`Dataset.load`."""
    return Dataset.load(path, element_spec, compression, reader_func)


def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False):
    """`Dataset.sample_from_datasets`."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def scan(initial_state, scan_func):
    """For `apply`: `Dataset.scan`."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """For `apply`: `shuffle`, then `repeat`."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def take_while(predicate):
    """For `apply`: `Dataset.take_while`."""
    return lambda dataset: dataset.take_while(predicate)


def unbatch():
    """For `apply`: `Dataset.unbatch`."""
    return lambda dataset: dataset.unbatch()


def unique():
    """For `apply`: `Dataset.unique`."""
    return lambda dataset: dataset.unique()


def enable_debug_mode():
    """Nothing: functions of elements are called in this thread anyway, except for parallel `map` and `prefetch`."""


class TFRecordWriter:
    """Writes the elements of a dataset, text scalars, as a file of records. TF: the same name."""

    def __init__(self, filename, compression_type=None):
        self._filename, self._compression = filename, compression_type

    def write(self, dataset):
        """Writes all elements. Raises TypeError if they are no text scalars."""
        spec = check_dataset(dataset, "dataset").element_spec
        if getattr(spec, "dtype", None) is not dtypes.string or spec.shape.rank not in (0, None):
            raise TypeError(f"`dataset` must produce scalar `DT_STRING` tensors, but it produces {spec}.")
        with _RecordWriter(self._filename, self._compression) as writer:
            for row in dataset._rows(dataset._new_run()):
                writer.write(row[0].item())

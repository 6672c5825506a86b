"""Functions that became methods of datasets, and those that never did."""

from tfcompat import array, dtypes, lookup
from tfcompat.data._dataset import AUTOTUNE, Dataset, _made, check_dataset, integer
from tfcompat.data._iterator import Iterator
from tfcompat.errors import OutOfRangeError, UnimplementedError
from tfcompat.io import parse_example
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


def rejection_resample(class_func, target_dist, initial_dist=None, seed=None):
    """For `apply`: `Dataset.rejection_resample`."""
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


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


class Reducer:
    """How `group_by_reducer` makes one element of many.

    Args:
      init_func: function of a key to a state.
      reduce_func: function of a state and an element to a state.
      finalize_func: function of a state to an element.

    TF: `tf.data.experimental.Reducer`.
    """

    def __init__(self, init_func, reduce_func, finalize_func):
        self.init_func, self.reduce_func, self.finalize_func = init_func, reduce_func, finalize_func


def group_by_reducer(key_func, reducer):
    """For `apply`: one element for each int64 key, in the order of the keys' first elements.

    Args:
      key_func: function of an element to its key.
      reducer: `Reducer`.
    """

    def reduced(key, window):
        element = window.reduce(reducer.init_func(key), lambda state, *row: reducer.reduce_func(state, *row))
        return Dataset.from_tensors(reducer.finalize_func(element))

    def apply(dataset):
        return dataset.group_by_window(key_func, reduced, dtypes.int64.max)

    return apply


def dense_to_sparse_batch(batch_size, row_shape):
    """For `apply`: `Dataset.sparse_batch`."""
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def pad_to_cardinality(cardinality, mask_key="valid"):
    """For `apply`: the dataset of dicts, and then elements of zeros up to a number of elements.

    Args:
      cardinality: how many elements there are in the end.
      mask_key: key of a bool that says which elements are of the dataset.

    Raises:
      ValueError: the elements are no dicts, are too many, or their number is not known.
    """

    def apply(dataset):
        count, spec = int(dataset.cardinality()), dataset.element_spec
        if count < 0:
            raise ValueError(f"The dataset passed into `pad_to_cardinality` must have a known cardinality, got {count}")
        if count > cardinality:
            raise ValueError(
                "The dataset passed into `pad_to_cardinality` must have a cardinality less than the target "
                f"cardinality ({cardinality}), but has cardinality {count}"
            )
        if not isinstance(spec, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        zeros = {key: array.zeros(each.shape, each.dtype) for key, each in spec.items()}
        padding = Dataset.from_tensors({**zeros, mask_key: False}).repeat(cardinality - count)
        return dataset.map(lambda row: {**row, mask_key: True}).concatenate(padding)

    return apply


def parse_example_dataset(features, num_parallel_calls=1, deterministic=None):
    """For `apply`: batches of serialized `tf.train.Example`s, parsed by `tf.io.parse_example`.

    Raises:
      ValueError: no `features`.
    """
    if features is None:
        raise ValueError("Argument `features` is required, but not specified.")
    return lambda dataset: dataset.map(lambda rows: parse_example(rows, features), num_parallel_calls)


class DatasetInitializer(lookup.KeyValueTensorInitializer):
    """Keys and values of a table from the elements of a dataset.

    Args:
      dataset: of pairs (key, value) of scalars.

    Raises:
      ValueError: its elements are no such pairs.

    TF: `tf.data.experimental.DatasetInitializer`; no known difference.
    """

    def __init__(self, dataset):
        spec = check_dataset(dataset, "dataset").element_spec
        if not isinstance(spec, tuple) or len(spec) != 2:
            raise ValueError(f"Invalid `dataset` element type: expected a pair (key, value), got {spec}")
        for role, one in zip(("key", "value"), spec, strict=True):
            if one.shape.rank:
                raise ValueError(f"Invalid `dataset` {role} type: expected a scalar, got shape {one.shape}")
        keys, values = zip(*dataset.as_numpy_iterator(), strict=True)
        super().__init__(list(keys), list(values), spec[0].dtype, spec[1].dtype)


def table_from_dataset(dataset=None, num_oov_buckets=0, vocab_size=None, default_value=None, hasher_spec=None,
                       key_dtype=dtypes.string, name=None):  # fmt: skip
    """A table of the pairs (key, value) of a dataset.

    Args:
      dataset: of scalars.
      num_oov_buckets: how many further numbers other keys get, by their hash.
      vocab_size: how many pairs are taken; by default all.
      default_value: what other keys get without such numbers, by default -1.
      hasher_spec: must be None.
      key_dtype: of the keys: text, int32 or int64.
      name: ignored.

    Returns:
      `tf.lookup.StaticHashTable`, or `tf.lookup.StaticVocabularyTable`.

    Raises:
      ValueError: `num_oov_buckets` is negative.
      TypeError: keys of another type.
    """
    if hasher_spec is not None:
        raise UnimplementedError(None, None, "table_from_dataset: `hasher_spec` is not available: leave it out")
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.")
    spec = check_dataset(dataset, "dataset").element_spec
    if spec[0].dtype is not dtypes.as_dtype(key_dtype):
        raise TypeError(f"Invalid `dataset` element key type {spec[0].dtype}, expected {key_dtype}")
    rows = list((dataset if vocab_size is None else dataset.take(vocab_size)).as_numpy_iterator())
    keys, values = ([row[i] for row in rows] for i in (0, 1))
    initializer = lookup.KeyValueTensorInitializer(keys, values, spec[0].dtype, spec[1].dtype)
    if num_oov_buckets:
        return lookup.StaticVocabularyTable(initializer, num_oov_buckets)
    return lookup.StaticHashTable(initializer, -1 if default_value is None else default_value)


def index_table_from_dataset(dataset=None, num_oov_buckets=0, vocab_size=None, default_value=-1, hasher_spec=None,
                             key_dtype=dtypes.string, name=None):  # fmt: skip
    """`table_from_dataset` of the elements of a dataset and their numbers."""
    pairs = check_dataset(dataset, "dataset").enumerate().map(lambda number, key: (key, number))
    return table_from_dataset(pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype)


def snapshot(path, compression="AUTO", reader_func=None, shard_func=None):
    """For `apply`: `Dataset.snapshot`."""
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


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

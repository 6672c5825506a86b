"""`tf.data.Dataset`, which users call. Each transformation is a class of its own in `_transforms` or beside it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfcompat import dtypes
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.tensor import Tensor
from tfcompat._tracing.elements import needs_values
from tfcompat.data._element import flatten, pack, tensor
from tfcompat.data._iterator import NumpyIterator, OwnedIterator
from tfcompat.data._options import Options
from tfcompat.data._run import Run
from tfcompat.engine._policy import DATASETS
from tfcompat.errors import InvalidArgumentError, UnimplementedError
from tfcompat.io._files import matching

AUTOTUNE = -1
INFINITE = -1
UNKNOWN = -2


_MAKERS: dict = {}  # by name: classes of datasets, and functions that methods call


def maker(function):
    """Decorator: methods of `Dataset` find the function, or class, by its name."""
    _MAKERS[function.__name__] = function
    return function


def _made(name, *args) -> Any:
    """What the maker of a name returns, mostly a dataset."""
    return _MAKERS[name](*args)


def integer(value, name, dtype=dtypes.int64) -> int:
    """An argument that is a number, given as int or integer tensor.

    Raises:
      TypeError: it is none.
    """
    if type(value) is int:
        return value
    number = convert_to_tensor(value, dtype_hint=dtype)
    if not number.dtype.is_integer:
        raise TypeError(f"`{name}` must be an integer, got {value!r}")
    needs_values(f"tf.data with a symbolic `{name}`")
    return int(number._value())


def check_dataset(dataset, name):
    """Raises TypeError unless `dataset` is a dataset; returns it."""
    if not isinstance(dataset, Dataset):
        raise TypeError(f"`{name}` must be a `tf.data.Dataset`, got {type(dataset)}.")
    return dataset


class _Named:
    """A base class with TensorFlow's name for datasets, by which Keras 3 recognizes them."""

    __module__ = "tensorflow.python.data.ops.dataset_ops"


_Named.__name__ = _Named.__qualname__ = "DatasetV2"


class Dataset(_Named, ABC):
    """A sequence of elements; elements are tensors, or tuples and dicts of tensors.

    Datasets are made by the class methods `from_tensor_slices`, `range`... and from other datasets by methods that
    return new ones. They are iterated eagerly; a `tf.function` that iterates one runs as plain Python. Elements are
    host arrays until they are taken out, and no derivative flows through.

    >>> list(tf.data.Dataset.range(5).map(lambda x: x * 2).batch(2).as_numpy_iterator())
    [array([0, 2]), array([4, 6]), array([8])]

    TF: `tf.data.Dataset`.
    """

    _is_data_component = True
    _inputs: tuple = ()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("tfcompat."):
            maker(cls)

    # --- what a class of datasets defines -------------------------------------------------------------------------

    @property
    @abstractmethod
    def element_spec(self) -> Any:
        """The structure of the elements, a `tf.TypeSpec` for each component."""

    @abstractmethod
    def _blocks(self, run, size) -> Any:
        """Yields blocks of at most `size` elements; see `_block`."""

    def _count(self):
        """The cardinality, an int."""
        return UNKNOWN

    def _template(self):
        """A structure like that of the elements. It is certain once there has been an element."""
        return self.element_spec

    def _spec_is_known(self):
        """Whether `element_spec` is known without running anything."""
        return all(dataset._spec_is_known() for dataset in self._inputs)

    # --- machinery ------------------------------------------------------------------------------------------------

    def _flat_specs(self):
        return flatten(self.element_spec)

    def _nodes(self):
        """This dataset and those that it is made from, each once, in a fixed order."""
        nodes, queue = {}, [self]
        while queue:
            dataset = queue.pop(0)
            if id(dataset) not in nodes:
                nodes[id(dataset)] = dataset
                queue.extend(dataset._inputs)
        return list(nodes.values())

    def _new_run(self, trial=False):
        return Run(self._nodes(), trial=trial)

    def _pass_over(self):
        """Leaves the orders of one iteration out: those of an iterator that Keras makes and does not use."""
        self._new_run().begin(self._begun())

    def _begun(self):
        """The streams of seeds from which an iteration draws as it begins, each as often as it does; a shuffle begins
        its input with its first element."""
        begun, stack = [], [self]
        while stack:
            dataset = stack.pop()
            if hasattr(dataset, "_seeds"):
                begun.append(dataset._seeds)
            else:
                stack.extend(reversed(dataset._first_inputs()))
        return begun

    def _first_inputs(self):
        """The inputs that an iteration begins as it begins."""
        return self._inputs

    def _rows(self, run, size=DATASETS.block):
        """Yields the components of each element; raises its errors."""
        for block in self._blocks(run, size):
            if block.error is not None:
                raise block.error
            for i in range(block.size):
                yield block.row(i)

    def _of_process(self, processes, process, replicas):
        return _made("of_process", self, processes, process, replicas)

    def _of_one_process(self, replicas):
        return _made("of_one_process", self, replicas)

    def __iter__(self) -> Iterator[Any]:
        needs_values("the elements of a dataset")
        return OwnedIterator(self)

    def __bool__(self):
        return True

    def __len__(self) -> int:
        count = self._count()
        if count == INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def __repr__(self):
        return f"<{getattr(self, '_shown', type(self).__name__)} element_spec={self.element_spec}>"

    @property
    def _whole_spec(self):
        return _made("DatasetSpec", self.element_spec)

    def cardinality(self) -> Tensor:
        """The number of elements, an int64 scalar; INFINITE_CARDINALITY or UNKNOWN_CARDINALITY where it has none."""
        return convert_to_tensor(np.int64(self._count()))

    def as_numpy_iterator(self) -> Any:
        """An iterator over the elements with NumPy arrays and scalars in place of tensors.

        Raises:
          TypeError: a component is neither tensor, ragged or sparse tensor, nor dataset.
        """
        needs_values("the elements of a dataset")
        return NumpyIterator(self)

    def options(self) -> Options:
        """The `tf.data.Options` that have been set."""
        result = Options()
        for dataset in reversed(self._nodes()):
            options = getattr(dataset, "_options", None)
            if options is not None:
                result = result.merge(options)
        return result

    def with_options(self, options, name=None) -> Dataset:
        """The dataset with `options`, `tf.data.Options`, which take the place of those set before."""
        if not isinstance(options, Options):
            raise TypeError(f"`options` must be tf.data.Options, got {options!r}")
        return _made("_OptionsDataset", self, Options().merge(options))

    # --- sources --------------------------------------------------------------------------------------------------

    @staticmethod
    def from_tensors(tensors, name=None) -> Dataset:
        """A dataset of one element.

        Args:
          tensors: the element: tensors, arrays, numbers, or tuples and dicts of these.
          name: ignored.
        """
        return _made("_TensorDataset", tensors)

    @staticmethod
    def from_tensor_slices(tensors, name=None) -> Dataset:
        """A dataset of the rows of tensors.

        Args:
          tensors: tensors of one length, or tuples and dicts of these.
          name: ignored.

        Raises:
          ValueError: a scalar; no tensors at all; different lengths.
        """
        return _made("_TensorSliceDataset", tensors)

    @staticmethod
    def from_generator(generator, output_types=None, output_shapes=None, args=None, output_signature=None,
                       name=None) -> Dataset:  # fmt: skip
        """A dataset of what a Python generator yields.

        Args:
          generator: callable that returns an iterable, called anew for each iteration.
          output_types: structure of dtypes, with `output_shapes`, a structure of shapes (unknown by default).
          args: tensors, passed to `generator` as NumPy values.
          output_signature: structure of `tf.TypeSpec`s, in place of `output_types`.
          name: ignored.

        Raises:
          TypeError: `generator` is not callable; both or none of the descriptions are given.
          tf.errors.OpError: while iterating: what was yielded does not fit; `generator` raised.
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        spec = _made("generator_spec", output_types, output_shapes, output_signature)
        return _made("_GeneratorDataset", generator, spec, args)

    @staticmethod
    def range(*args, **kwargs) -> Dataset:
        """The numbers from start to stop: `range(stop)`, `range(start, stop)`, `range(start, stop, step)`.

        Args:
          *args: integers, as of `range`.
          output_type: dtype of the elements, int64 by default.
          name: ignored.
        """
        return _made("_RangeDataset", args, kwargs)

    @staticmethod
    def counter(start=0, step=1, dtype=dtypes.int64, name=None) -> Dataset:
        """The numbers from `start` on, without end."""
        return _made("_CounterDataset", start, step, dtype)

    @staticmethod
    def random(seed=None, rerandomize_each_iteration=None, name=None) -> Dataset:
        """Random int64 numbers of 32 bits, without end; TensorFlow's for the same seeds.

        Args:
          seed: int.
          rerandomize_each_iteration: whether every iteration has other numbers.
          name: ignored.
        """
        return _made("_RandomDataset", seed, rerandomize_each_iteration)

    @staticmethod
    def zip(*args, datasets=None, name=None) -> Dataset:
        """Elements with one element of each dataset as components.

        Args:
          *args: datasets, or one structure of datasets.
          datasets: a structure of datasets, in place of `args`.
          name: ignored.

        Raises:
          TypeError: not exactly one of both is given; something that is no dataset.
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        structure = datasets if datasets is not None else args[0] if len(args) == 1 else args
        return _made("_ZipDataset", structure)

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None) -> Dataset:
        """The paths of files that match patterns.

        Args:
          file_pattern: pattern, or patterns.
          shuffle: whether their order is random at each iteration; default True.
          seed: int.
          name: ignored.

        Raises:
          tf.errors.InvalidArgumentError: no file matches.
        """
        patterns = np.atleast_1d(convert_to_tensor(file_pattern, dtypes.string)._value()).tolist()
        paths = matching(patterns)
        if not paths:
            shown = ", ".join(pattern.decode() for pattern in patterns)
            raise InvalidArgumentError(None, None, f"No files matched pattern: {shown}")
        names = np.empty(len(paths), object)
        names[:] = paths
        dataset = Dataset.from_tensor_slices(names)
        if shuffle is None or shuffle:
            dataset = dataset.shuffle(len(paths), seed, True)
        return dataset

    @staticmethod
    def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False,
                             rerandomize_each_iteration=None) -> Dataset:  # fmt: skip
        """Elements of datasets, drawn at random; TensorFlow's draws for the same seeds.

        Args:
          datasets: list of datasets.
          weights: probabilities, a list or tensor; equal by default; or a dataset of such.
          seed: int.
          stop_on_empty_dataset: whether the first dataset that ends ends all; otherwise draws of it are passed over.
          rerandomize_each_iteration: whether every iteration has other draws.

        Raises:
          TypeError, ValueError: unfit datasets or weights.
        """
        return _made("sampled", datasets, weights, seed, stop_on_empty_dataset, rerandomize_each_iteration)

    @staticmethod
    def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True) -> Dataset:
        """Elements of datasets, in the order of `choice_dataset`, which holds int64 scalars.

        Args:
          datasets: list of datasets.
          choice_dataset: dataset of their numbers.
          stop_on_empty_dataset: as of `sample_from_datasets`.

        Raises:
          TypeError, ValueError: unfit datasets.
        """
        return _made("chosen", datasets, choice_dataset, stop_on_empty_dataset)

    # --- functions of elements ------------------------------------------------------------------------------------

    def map(self, map_func, num_parallel_calls=None, deterministic=None, synchronous=None,
            use_unbounded_threadpool=False, name=None) -> Dataset:  # fmt: skip
        """The results of a function of each element.

        Args:
          map_func: called with the components of an element, if that is a tuple. Traced and compiled where sizes are
            known; called for each element where it takes text, calls Python or has results of unknown size.
          num_parallel_calls: int or AUTOTUNE: how many threads call it, where it is called for each element.
          deterministic: accepted; elements always keep their order.
          synchronous, use_unbounded_threadpool: accepted, without effect on values.
          name: ignored.

        Raises:
          ValueError: `synchronous` and `num_parallel_calls`.
          What `map_func` raises. Errors that depend on values come while iterating, in the place of an element.
        """
        kind = "_MapDataset" if num_parallel_calls is None else "_ParallelMapDataset"
        if synchronous and num_parallel_calls is not None:
            raise ValueError(
                "`synchronous` is not supported with `num_parallel_calls`, but `num_parallel_calls` was set to "
                f"{num_parallel_calls}"
            )
        calls = None if num_parallel_calls is None else integer(num_parallel_calls, "num_parallel_calls")
        if calls is not None and calls < 1 and calls != AUTOTUNE:
            raise InvalidArgumentError(None, None, "num_parallel_calls must be greater than zero.")
        return _made(kind, self, map_func, calls)

    def filter(self, predicate, name=None) -> Dataset:
        """The elements for which `predicate`, a function to bool scalars, is True.

        Raises:
          ValueError: it returns something else.
        """
        return _made("_FilterDataset", self, predicate)

    def take_while(self, predicate, name=None) -> Dataset:
        """The elements before the first for which `predicate` is False."""
        return _made("_TakeWhileDataset", self, predicate)

    def flat_map(self, map_func, name=None) -> Dataset:
        """The elements of the datasets that a function returns for each element, one dataset after another.

        Raises:
          TypeError: the function returns no dataset.
        """
        return _made("_FlatMapDataset", self, map_func)

    def interleave(self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None,
                   name=None) -> Dataset:  # fmt: skip
        """The elements of the datasets that a function returns for each element, several datasets in turn.

        Args:
          map_func: function of an element to a dataset.
          cycle_length: int, how many at a time; AUTOTUNE and None: as many as there are processors.
          block_length: int, how many elements of each at a time; 1 by default.
          num_parallel_calls, deterministic: accepted, without effect: the order is that of sequential calls.
          name: ignored.
        """
        length = AUTOTUNE if cycle_length is None else integer(cycle_length, "cycle_length")
        if length == AUTOTUNE:
            calls = None if num_parallel_calls is None else integer(num_parallel_calls, "num_parallel_calls")
            length = calls if calls is not None and calls > 0 else os.cpu_count() or 1
        block = 1 if block_length is None else integer(block_length, "block_length")
        for value, argument in ((length, "cycle_length"), (block, "block_length")):
            if value < 1:
                raise InvalidArgumentError(None, None, f"{argument} must be greater than zero.")
        kind = "_InterleaveDataset" if num_parallel_calls is None else "_ParallelInterleaveDataset"
        return _made(kind, self, map_func, length, block)

    def scan(self, initial_state, scan_func, name=None) -> Dataset:
        """A function of a state and each element, to the next state and an element.

        Args:
          initial_state: structure of tensors.
          scan_func: function of (state, element) to (state, element).
          name: ignored.

        Raises:
          TypeError: it returns no such pair, or the state changes its structure or dtypes.
        """
        return _made("_ScanDataset", self, initial_state, scan_func)

    def reduce(self, initial_state, reduce_func, name=None) -> Any:
        """The last state: `state = reduce_func(state, element)` for each element.

        Args:
          initial_state: structure of tensors.
          reduce_func: function of (state, element) to a state of the same structure and dtypes.
          name: ignored.

        Raises:
          TypeError: the structure or a dtype changes.
        """
        needs_values("tf.data.Dataset.reduce")
        return _made("reduced", self, initial_state, reduce_func)

    def apply(self, transformation_func) -> Any:
        """The dataset that a function makes of this one. Raises TypeError if it returns something else."""
        result = transformation_func(self)
        if not isinstance(result, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(result)}.")
        return result

    # --- batches --------------------------------------------------------------------------------------------------

    def batch(self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None,
              name=None) -> Dataset:  # fmt: skip
        """Batches of consecutive elements, stacked.

        Args:
          batch_size: int.
          drop_remainder: whether a last batch of fewer elements is left out.
          num_parallel_calls, deterministic: accepted, without effect on values.
          name: ignored.

        Raises:
          tf.errors.InvalidArgumentError: `batch_size` is not positive; while iterating, shapes differ.
        """
        kind = "_BatchDataset" if num_parallel_calls is None else "_ParallelBatchDataset"
        return _made(kind, self, integer(batch_size, "batch_size"), bool(drop_remainder))

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False,
                     name=None) -> Dataset:  # fmt: skip
        """Batches of elements of different sizes, filled up.

        Args:
          batch_size: int.
          padded_shapes: structure of shapes; an unknown size is the largest in the batch. By default all unknown sizes.
          padding_values: structure of scalars, or one for all; zeros and empty text by default.
          drop_remainder: whether a last batch of fewer elements is left out.
          name: ignored.

        Raises:
          ValueError: ranks are unknown, or do not fit.
          tf.errors.InvalidArgumentError, DataLossError: an element is larger than its padded shape.
        """
        size = integer(batch_size, "batch_size")
        return _made("_PaddedBatchDataset", self, size, padded_shapes, padding_values, bool(drop_remainder))

    def ragged_batch(self, batch_size, drop_remainder=False, row_splits_dtype=dtypes.int64, name=None) -> Dataset:
        """Batches in which components of unknown size are ragged tensors."""
        size = integer(batch_size, "batch_size")
        return _made("_RaggedBatchDataset", self, size, bool(drop_remainder), dtypes.as_dtype(row_splits_dtype))

    def unbatch(self, name=None) -> Dataset:
        """The rows of each element, as elements.

        Raises:
          ValueError: a component is a scalar.
          tf.errors.InvalidArgumentError: while iterating, components differ in length.
        """
        return _made("_UnbatchDataset", self)

    def rebatch(self, batch_size, drop_remainder=False, name=None) -> Dataset:
        """Batches of another size, of the rows of each element. `batch_size` is an int, or several taken in turn."""
        sizes = np.atleast_1d(convert_to_tensor(batch_size, dtype_hint=dtypes.int64)._value()).tolist()
        return _made("_RebatchDataset", self, sizes, bool(drop_remainder))

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None) -> Dataset:
        """Windows of consecutive elements, each a dataset.

        Args:
          size: int, elements in a window.
          shift: int, from one window to the next; `size` by default.
          stride: int, from one element of a window to the next.
          drop_remainder: whether windows with fewer elements at the end are left out.
          name: ignored.
        """
        size = integer(size, "size")
        shift = size if shift is None else integer(shift, "shift")
        return _made("_WindowDataset", self, size, shift, integer(stride, "stride"), bool(drop_remainder))

    def group_by_window(self, key_func, reduce_func, window_size=None, window_size_func=None, name=None) -> Dataset:
        """Elements of equal keys in windows, each of which a function turns into a dataset.

        Args:
          key_func: function of an element to an int64 scalar.
          reduce_func: function of (key, dataset of at most window_size elements) to a dataset.
          window_size: int; or
          window_size_func: function of a key to it.
          name: ignored.

        Raises:
          ValueError: not exactly one of the sizes is given.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
        if window_size is not None:
            size = integer(window_size, "window_size")
            return _made("_GroupByWindowDataset", self, key_func, reduce_func, lambda key: size)
        return _made("_GroupByWindowDataset", self, key_func, reduce_func, window_size_func)

    def bucket_by_sequence_length(self, element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes=None,
                                  padding_values=None, pad_to_bucket_boundary=False, no_padding=False,
                                  drop_remainder=False, name=None) -> Dataset:  # fmt: skip
        """Padded batches of elements of similar length.

        Args:
          element_length_func: function of an element to an int32 scalar.
          bucket_boundaries: increasing ints, upper ends (excluded) of the lengths in a bucket.
          bucket_batch_sizes: ints, one more.
          padded_shapes, padding_values, drop_remainder: as of `padded_batch`.
          pad_to_bucket_boundary: whether unknown sizes are filled up to the boundary less one.
          no_padding: whether elements are not filled up; shapes must then agree.
          name: ignored.

        Raises:
          ValueError: the numbers of boundaries and sizes do not fit.
        """
        return _made(
            "bucketed", self, element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes, padding_values,
            pad_to_bucket_boundary, no_padding, drop_remainder,
        )  # fmt: skip

    # --- order and number -----------------------------------------------------------------------------------------

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None) -> Dataset:
        """The elements in random order, drawn from a buffer; TensorFlow's order for the same seeds.

        Args:
          buffer_size: int, elements in the buffer, or `dataset.cardinality()`.
          seed: int; see `tf.random.set_seed`.
          reshuffle_each_iteration: whether every iteration has another order.
          name: ignored.

        Raises:
          tf.errors.InvalidArgumentError: `buffer_size` is not positive.
        """
        reshuffle = True if reshuffle_each_iteration is None else bool(reshuffle_each_iteration)
        return _made("_ShuffleDataset", self, integer(buffer_size, "buffer_size"), seed, reshuffle)

    def repeat(self, count=None, name=None) -> Dataset:
        """The elements `count` times over; without end for None and -1."""
        return _made("_RepeatDataset", self, -1 if count is None else integer(count, "count"))

    def take(self, count, name=None) -> Dataset:
        """The first `count` elements; all for -1."""
        return _made("_TakeDataset", self, integer(count, "count"))

    def skip(self, count, name=None) -> Dataset:
        """The elements after the first `count`; none for -1."""
        return _made("_SkipDataset", self, integer(count, "count"))

    def shard(self, num_shards, index, name=None) -> Dataset:
        """Every `num_shards`-th element from number `index` on.

        If both are `tf.data.experimental.SHARD_HINT`, a strategy of several processes puts their number and that of
        the process there, under `AutoShardPolicy.HINT`; elsewhere iterating raises FailedPreconditionError.

        Raises:
          tf.errors.InvalidArgumentError: `index` is not in [0, num_shards).
        """
        return _made("_ShardDataset", self, integer(num_shards, "num_shards"), integer(index, "index"))

    def concatenate(self, dataset, name=None) -> Dataset:
        """The elements of this dataset, then those of another.

        Raises:
          TypeError: they differ in structure or dtypes.
        """
        return _made("_ConcatenateDataset", self, check_dataset(dataset, "dataset"))

    def enumerate(self, start=0, name=None) -> Dataset:
        """Pairs of a number, int64 from `start` on, and an element."""
        start = integer(start, "start")
        last = np.iinfo(np.int64).max
        return Dataset.zip((Dataset.range(start, last), self))

    def prefetch(self, buffer_size, name=None) -> Dataset:
        """The elements, computed ahead in a thread.

        Args:
          buffer_size: int, how many elements ahead; a few for AUTOTUNE.
          name: ignored.

        Raises:
          tf.errors.InvalidArgumentError: `buffer_size` is negative.
        """
        return _made("_PrefetchDataset", self, integer(buffer_size, "buffer_size"))

    def cache(self, filename="", name=None) -> Dataset:
        """The elements, kept when they are first computed.

        Args:
          filename: path of a file that keeps them; by default they are kept in memory.
          name: ignored.

        Raises:
          tf.errors.UnimplementedError: a file, for components other than tensors.
        """
        return _made("CacheDataset", self, convert_to_tensor(filename, dtypes.string)._value().item().decode())

    def unique(self, name=None) -> Dataset:
        """The elements without repetitions: scalars of int32, int64 or text."""
        return _made("_UniqueDataset", self)

    def ignore_errors(self, log_warning=False, name=None) -> Dataset:
        """The elements that raise no error. With `log_warning`, errors are logged."""
        return _made("_IgnoreErrorsDataset", self, bool(log_warning))

    def rejection_resample(self, class_func, target_dist, initial_dist=None, seed=None, name=None) -> Dataset:
        """Pairs of a class and an element, so many of each class that the classes have given shares.

        Elements of frequent classes are dropped at random.

        Args:
          class_func: function of an element to the number of its class, an int32 scalar.
          target_dist: shares of the classes, a float tensor [classes].
          initial_dist: those that they have in this dataset; None estimates them as elements are read.
          seed: int, or None.
          name: ignored.

        Returns:
          Dataset of `(class, element)`.

        TF: `tf.data.Dataset.rejection_resample`. That many elements are dropped is logged, once, if `initial_dist` is
        given.
        """
        return _made("resampled", self, class_func, target_dist, initial_dist, seed)

    def get_single_element(self, name=None) -> Any:
        """The only element.

        Raises:
          tf.errors.InvalidArgumentError: there is none, or more than one.
        """
        needs_values("tf.data.Dataset.get_single_element")
        rows = list(_first(self._rows(self._new_run(), 2), 2))
        if len(rows) != 1:
            problem = "Dataset was empty." if not rows else "Dataset had more than one element."
            raise InvalidArgumentError(None, None, problem)
        return pack(self._template(), map(tensor, rows[0]))

    def sparse_batch(self, batch_size, row_shape, name=None) -> Dataset:
        """Batches as sparse tensors.

        Args:
          batch_size: int.
          row_shape: the shape that rows are taken to have; None is as large as the largest row of a batch.
          name: ignored.

        TF: `tf.data.Dataset.sparse_batch`.
        """
        return _made("_SparseBatchDataset", self, integer(batch_size, "batch_size"), row_shape)

    def save(self, path, compression=None, shard_func=None, checkpoint_args=None):
        """Writes the elements to files, for `load`.

        Args:
          path: folder; what was saved there before is no longer read.
          compression: None, "GZIP" or "SNAPPY", which are one here.
          shard_func: function of an element to the number of its shard, an int64 scalar; by default there is one.
          checkpoint_args: refused.

        Raises:
          tf.errors.InvalidArgumentError: `shard_func` returns something else.
          tf.errors.UnimplementedError: components that are neither tensors, ragged and sparse tensors, nor None.

        TF: `tf.data.Dataset.save`; the files have a form of their own.
        """
        _made("save", self, path, compression, shard_func, checkpoint_args)

    @staticmethod
    def load(path, element_spec=None, compression=None, reader_func=None, wait=False) -> Dataset:
        """The elements that `save` wrote.

        Args:
          path: folder.
          element_spec: structure of `tf.TypeSpec`s; by default that of the dataset that was saved.
          compression: as for `save`.
          reader_func: function of a dataset of the shards, which are datasets, to a dataset of the elements; by default
            shards are read in turns.
          wait: refused.

        Raises:
          tf.errors.NotFoundError: nothing was saved there.
          tf.errors.DataLossError: the files are damaged, or `compression` is another.
          tf.errors.UnimplementedError: TensorFlow has written the files.

        TF: `tf.data.Dataset.load`; TensorFlow's files are not read.
        """
        return _made("load", path, element_spec, compression, reader_func, wait)

    def snapshot(self, path, compression="AUTO", reader_func=None, shard_func=None, name=None) -> Dataset:
        """The elements, which the first pass writes to files and later ones, also of other programs, read.

        Args:
          path: folder.
          compression: "AUTO", "GZIP", "SNAPPY" or None, all of which compress but the last.
          reader_func: function of a dataset of the shards, which are datasets, to a dataset of the elements; by default
            shards are read in turns.
          shard_func: function of an element to the int64 number of its shard; by default there is one.
          name: ignored.

        Raises:
          tf.errors.UnimplementedError: in iteration, if there is no end of the elements.

        TF: `tf.data.Dataset.snapshot`. All elements are written before the first is handed on. What is in the folder is
          read whatever this dataset would give: give another path for another dataset.
        """
        return _made("SnapshotDataset", self, path, compression, reader_func, shard_func)

    def fingerprint(self):
        """Refused."""
        raise UnimplementedError(None, None, "tf.data.Dataset.fingerprint is not available")


def _first(iterator, count):
    for _, item in zip(range(count), iterator, strict=False):
        yield item


class UnaryDataset(Dataset):
    """A dataset made from another, of elements of the same form."""

    def __init__(self, dataset):
        self._inputs = (dataset,)

    _input = property(lambda self: self._inputs[0])

    @property
    def element_spec(self):
        return self._input.element_spec

    def _template(self):
        return self._input._template()

    def _count(self):
        return self._input._count()


"""Input pipelines of TensorFlow 1: threads of QueueRunners fill queues, from which a graph takes batches."""

import threading as _threading

import tfcompat as _tf
from tfcompat import nest as _nest
from tfcompat._core import graphs as _graphs
from tfcompat._core.graphs import Inferred as _Inferred
from tfcompat._core.graphs import Result as _Result
from tfcompat.compat._graph_functions import Variable as _Variable
from tfcompat.compat._graph_functions import name_scope as _name_scope
from tfcompat.compat._queues import QueueRunner as _QueueRunner
from tfcompat.compat._queues import add_queue_runner as _add_queue_runner
from tfcompat.compat._summaries import scalar as _scalar_summary
from tfcompat.errors import UnimplementedError as _UnimplementedError
from tfcompat.io._files import text as _text

_LOCAL = "local_variables"


def _needs_graph(what, kind=RuntimeError):
    if _graphs.current() is None:
        raise kind(
            f"{what} based on Queues are not supported when eager execution is enabled. Please use tf.data to ingest "
            "data into your model instead."
        )


def match_filenames_once(pattern, name=None):
    """A local variable that holds the paths of the files that match a pattern, or patterns.

    TF: `tf.compat.v1.train.match_filenames_once`.
    """
    with _name_scope(name, "matching_filenames") as scope:
        paths = _tf.io.matching_files(pattern)
        return _Variable(paths, trainable=False, validate_shape=False, collections=[_LOCAL], name=scope or None)


def limit_epochs(tensor, num_epochs=None, name=None):
    """`tensor`, which can be computed `num_epochs` times; `tf.errors.OutOfRangeError` then.

    A local variable `epochs` counts, so `local_variables_initializer` must run.

    Raises:
      ValueError: `num_epochs` is not positive.

    TF: `tf.compat.v1.train.limit_epochs`.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with _name_scope(name, "limit_epochs", [tensor]) as scope:
        epochs = _Variable(_tf.constant(0, _tf.int64), trainable=False, collections=[_LOCAL], name="epochs")
        with _tf.control_dependencies([_counted(epochs, num_epochs)]):
            return _tf.identity(tensor, name=scope)


def _counted(variable, limit):
    """An operation that counts a variable up; `tf.errors.OutOfRangeError` at the limit."""

    def draw(state):
        return [state.variable(variable).count_up_to(limit)]

    known = _Inferred(_Result([], variable.dtype))
    return _graphs.record(_nothing, (), {}, "CountUpTo", "CountUpTo", known, attributes={"draw": draw})


def _nothing(*tensors):
    return None


def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None, capacity=32,
                   shared_name=None, summary_name=None, name=None, cancel_op=None):  # fmt: skip
    """A queue that a QueueRunner fills with the rows of a tensor.

    Args:
      input_tensor: tensor of rank 1 or more.
      element_shape: shape of a row.
      num_epochs: how often all rows are added; None for ever.
      shuffle: whether rows are shuffled in each epoch.
      seed: of shuffling.
      capacity: of the queue.
      shared_name: must be None.
      summary_name: of a scalar summary of how full the queue is.
      name: of the operations.
      cancel_op: of the QueueRunner.

    Raises:
      ValueError: shapes do not fit.
      RuntimeError: no graph is built.

    TF: `tf.compat.v1.train.input_producer`.
    """
    _needs_graph("Input pipelines")
    _only_private(shared_name, "input_producer")
    with _name_scope(name, "input_producer", [input_tensor]):
        rows = _tf.convert_to_tensor(input_tensor, name="input_tensor")
        shape = rows.shape[1:].merge_with(element_shape)
        if not shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified"
            )
        if shuffle:
            rows = _tf.random.shuffle(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = _tf.queue.FIFOQueue(capacity, [rows.dtype], [shape])
        _add_queue_runner(_QueueRunner(queue, [queue.enqueue_many([rows])], cancel_op=cancel_op))
        if summary_name is not None:
            _scalar_summary(summary_name, _tf.cast(queue.size(), _tf.float32) * (1.0 / capacity))
        return queue


def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
                          name=None, cancel_op=None):  # fmt: skip
    """A queue of the strings of a list, such as paths of files; see `input_producer`.

    Raises:
      ValueError: there are none.

    TF: `tf.compat.v1.train.string_input_producer`.
    """
    if not isinstance(string_tensor, _tf.Tensor) and not len(string_tensor):
        raise ValueError("string_input_producer requires a non-null input tensor")
    with _name_scope(name, "input_producer", [string_tensor]) as scope:
        strings = _tf.convert_to_tensor(string_tensor, dtype=_tf.string)
        return input_producer(strings, [], num_epochs, shuffle, seed, capacity, shared_name,
                              f"fraction_of_{capacity}_full", scope, cancel_op)  # fmt: skip


def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """A queue of the integers below `limit`; see `input_producer`. TF: `tf.compat.v1.train.range_input_producer`."""
    with _name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(_tf.range(limit), [], num_epochs, shuffle, seed, capacity, shared_name,
                              f"fraction_of_{capacity}_full", scope)  # fmt: skip


def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
                         name=None):  # fmt: skip
    """The next row of each tensor of a list, a list of tensors; see `input_producer`.

    Raises:
      ValueError: the list is empty.

    TF: `tf.compat.v1.train.slice_input_producer`.
    """
    _needs_graph("Input pipelines")
    with _name_scope(name, "input_producer", tensor_list):
        tensors = [_tf.convert_to_tensor(x) for x in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        size = tensors[0].shape[0]
        size = _tf.shape(tensors[0])[0] if size is None or getattr(size, "value", size) is None else int(size)
        queue = range_input_producer(size, num_epochs, shuffle, seed, capacity, shared_name)
        index = queue.dequeue()
        return [_tf.gather(x, index) for x in tensors]


def _only_private(shared_name, function):
    if shared_name is not None:
        raise _UnimplementedError(
            None, None, f"tf.compat.v1.train.{function}: `shared_name` is not available, as there is one process"
        )


def _rows_kept(tensors, keep, many):
    """The rows of tensors that are kept, with an axis of them: a bool, or a bool tensor, says which."""
    if keep is True:
        return tensors, many
    keep = _tf.convert_to_tensor(keep, _tf.bool)
    if many and keep.shape.rank == 0:
        keep = _tf.fill([_tf.shape(tensors[0])[0]], keep)
    if not many:
        tensors, keep = [_tf.expand_dims(x, 0) for x in tensors], _tf.reshape(keep, [1])
    return [_tf.boolean_mask(x, keep) for x in tensors], True


def _batched(inputs, size, keep, capacity, many, shapes, smaller, shared_name, name, function, make_queue, summary,
             threads=1):  # fmt: skip
    """Batches of what several lists of tensors give, each list filled in by as many threads."""
    _needs_graph("Input pipelines", ValueError)
    _only_private(shared_name, function)
    flat = [_nest.flatten(x) for x in inputs]
    for x in flat[0]:
        if isinstance(x, _tf.SparseTensor):
            raise _UnimplementedError(
                None, None, f"tf.compat.v1.train.{function}: batches of sparse tensors are not available; use tf.data"
            )
    if not flat[0]:
        raise ValueError("Must provide at least one tensor")
    with _name_scope(name, function.removeprefix("maybe_"), flat[0]) as scope:
        lists = [[_tf.convert_to_tensor(x) for x in one] for one in flat]
        if shapes is None:
            shapes = [x.shape[1:] if many else x.shape for x in lists[0]]
            for other in lists[1:]:
                shapes = [_common(a, x.shape[1:] if many else x.shape) for a, x in zip(shapes, other, strict=True)]
        queue = make_queue([x.dtype for x in lists[0]], [_tf.TensorShape(shape) for shape in shapes])
        operations = []
        for one in lists:
            kept, rows = _rows_kept(one, keep, many)
            operations += [(queue.enqueue_many if rows else queue.enqueue)(kept)] * threads
        _add_queue_runner(_QueueRunner(queue, operations))
        summary(queue, capacity)
        taken = (queue.dequeue_up_to if smaller else queue.dequeue_many)(size, name=scope)
    if isinstance(inputs[0], dict):
        return _nest.pack_sequence_as(inputs[0], taken if isinstance(taken, list) else [taken])
    return taken


def _common(shape, other):
    if shape.rank is None or other.rank != shape.rank:
        return _tf.TensorShape(None)
    return shape.most_specific_compatible_shape(other)


def _how_full(queue, capacity):
    _scalar_summary(f"fraction_of_{capacity}_full", _tf.cast(queue.size(), _tf.float32) * (1.0 / capacity))


def _in_order(capacity, dynamic_pad):
    kind = _tf.queue.PaddingFIFOQueue if dynamic_pad else _tf.queue.FIFOQueue
    return lambda dtypes, shapes: kind(capacity, dtypes, shapes)


def maybe_batch(tensors, keep_input, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None,
                dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None, name=None):  # fmt: skip
    """Batches of what `tensors` give where `keep_input`, a bool tensor, holds; see `batch`.

    TF: `tf.compat.v1.train.maybe_batch`.
    """
    return _batched([tensors], batch_size, keep_input, capacity, enqueue_many, shapes, allow_smaller_final_batch,
                    shared_name, name, "batch", _in_order(capacity, dynamic_pad), _how_full, num_threads)  # fmt: skip


def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
          allow_smaller_final_batch=False, shared_name=None, name=None):  # fmt: skip
    """Batches of what tensors give, one run after the other.

    Args:
      tensors: list or dict of tensors.
      batch_size: how many of them make a batch.
      num_threads: how many threads run `tensors`.
      capacity: of the queue between.
      enqueue_many: whether each of `tensors` has several examples as its rows.
      shapes: of the examples, if those of `tensors` are not known.
      dynamic_pad: whether examples of different sizes are filled up.
      allow_smaller_final_batch: whether the last batch may be smaller.
      shared_name: must be None.
      name: of the operations.

    Returns:
      Tensors in the structure of `tensors`.

    Raises:
      ValueError: no graph is built, or there are no tensors.

    TF: `tf.compat.v1.train.batch`.
    """
    return maybe_batch(tensors, True, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad,
                       allow_smaller_final_batch, shared_name, name)  # fmt: skip


def maybe_batch_join(tensors_list, keep_input, batch_size, capacity=32, enqueue_many=False, shapes=None,
                     dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None, name=None):  # fmt: skip
    """As `batch_join`, where `keep_input` holds. TF: `tf.compat.v1.train.maybe_batch_join`."""
    return _batched(tensors_list, batch_size, keep_input, capacity, enqueue_many, shapes, allow_smaller_final_batch,
                    shared_name, name, "batch_join", _in_order(capacity, dynamic_pad), _how_full)  # fmt: skip


def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
               allow_smaller_final_batch=False, shared_name=None, name=None):  # fmt: skip
    """Batches of what several lists of tensors give, a thread for each list; see `batch`.

    TF: `tf.compat.v1.train.batch_join`.
    """
    return maybe_batch_join(tensors_list, True, batch_size, capacity, enqueue_many, shapes, dynamic_pad,
                            allow_smaller_final_batch, shared_name, name)  # fmt: skip


def _shuffled(inputs, size, capacity, least, keep, threads, seed, many, shapes, smaller, shared_name, name, function):
    if least >= capacity:
        raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {least}.")

    def summary(queue, capacity):
        share = _tf.cast(_tf.maximum(0, queue.size() - least), _tf.float32) * (1.0 / (capacity - least))
        _scalar_summary(f"fraction_over_{least}_of_{capacity - least}_full", share)

    def make_queue(dtypes, shapes):
        return _tf.queue.RandomShuffleQueue(capacity, least, dtypes, shapes, seed=seed)

    return _batched(inputs, size, keep, capacity, many, shapes, smaller, shared_name, name, function, make_queue,
                    summary, threads)  # fmt: skip


def maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=1, seed=None,
                        enqueue_many=False, shapes=None, allow_smaller_final_batch=False, shared_name=None,
                        name=None):  # fmt: skip
    """As `shuffle_batch`, where `keep_input` holds. TF: `tf.compat.v1.train.maybe_shuffle_batch`."""
    return _shuffled([tensors], batch_size, capacity, min_after_dequeue, keep_input, num_threads, seed, enqueue_many,
                     shapes, allow_smaller_final_batch, shared_name, name, "shuffle_batch")  # fmt: skip


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False,
                  shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):  # fmt: skip
    """Batches of what tensors give, in random order; see `batch`.

    `min_after_dequeue` elements at least remain in the queue, of which the next ones are chosen.

    TF: `tf.compat.v1.train.shuffle_batch`; the order is another one.
    """
    return maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, True, num_threads, seed, enqueue_many,
                               shapes, allow_smaller_final_batch, shared_name, name)  # fmt: skip


def maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, keep_input, seed=None,
                             enqueue_many=False, shapes=None, allow_smaller_final_batch=False, shared_name=None,
                             name=None):  # fmt: skip
    """As `shuffle_batch_join`, where `keep_input` holds. TF: `tf.compat.v1.train.maybe_shuffle_batch_join`."""
    return _shuffled(tensors_list, batch_size, capacity, min_after_dequeue, keep_input, 1, seed, enqueue_many, shapes,
                     allow_smaller_final_batch, shared_name, name, "shuffle_batch_join")  # fmt: skip


def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None, enqueue_many=False,
                       shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):  # fmt: skip
    """Batches of what several lists of tensors give, in random order; see `shuffle_batch` and `batch_join`.

    TF: `tf.compat.v1.train.shuffle_batch_join`; the order is another one.
    """
    return maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, True, seed, enqueue_many,
                                    shapes, allow_smaller_final_batch, shared_name, name)  # fmt: skip


class _ReaderBase:
    """Base of readers: they take paths of files out of a queue, and give the records in them.

    TF: `tf.compat.v1.ReaderBase`.
    """

    def __init__(self, name=None):
        _needs_graph("Readers")
        self._name = name or type(self).__name__
        self._lock, self._open = _threading.Lock(), iter(())
        self._produced = self._finished = 0

    def _records(self, path):
        """Yields (key, value), both bytes, for the records of a file."""
        raise NotImplementedError

    def _next(self, queue):
        while True:
            for record in self._open:
                self._produced += 1
                return record
            path = queue.dequeue().numpy()
            self._open = self._counting(path)

    def _counting(self, path):
        yield from self._records(path)
        self._finished += 1

    def _drawn(self, draw, results, name, kind):
        known = _Inferred(results)
        return _graphs.record(_nothing, (), {}, name or f"{self._name}{kind}", f"Reader{kind}V2", known,
                              attributes={"draw": draw})  # fmt: skip

    def read(self, queue, name=None):
        """The key and the value of the next record, two text scalars; files come from `queue`.

        Running them raises tf.errors.OutOfRangeError once the queue is closed and empty.
        """

        def draw(state):
            with self._lock:
                return [*map(_text, self._next(queue))]

        scalar = _Result([], _tf.string)
        return (*self._drawn(draw, [scalar, scalar], name, "Read"),)

    def read_up_to(self, queue, num_records, name=None):
        """The keys and the values of several records: up to as many, of one file at least."""

        def draw(state):
            with self._lock:
                records = [self._next(queue)]
                for record in self._open:
                    records.append(record)
                    self._produced += 1
                    if len(records) >= num_records:
                        break
                return [_tf.constant(list(column), _tf.string) for column in zip(*records, strict=True)]

        vector = _Result([None], _tf.string)
        return (*self._drawn(draw, [vector, vector], name, "ReadUpTo"),)

    def num_records_produced(self, name=None):
        """How many records were read, an int64 scalar."""
        return self._drawn(lambda state: [_tf.constant(self._produced, _tf.int64)], _Result([], _tf.int64), name,
                           "NumRecordsProduced")  # fmt: skip

    def num_work_units_completed(self, name=None):
        """How many files were read to the end, an int64 scalar."""
        return self._drawn(lambda state: [_tf.constant(self._finished, _tf.int64)], _Result([], _tf.int64), name,
                           "NumWorkUnitsCompleted")  # fmt: skip

    def reset(self, name=None):
        """An operation that makes the reader forget its file."""

        def draw(state):
            with self._lock:
                self._open, self._produced, self._finished = iter(()), 0, 0
            return []

        return self._drawn(draw, None, name, "Reset")


class TextLineReader(_ReaderBase):
    """The lines of files, by path and number from 1 on. TF: `tf.compat.v1.TextLineReader`."""

    def __init__(self, skip_header_lines=None, name=None):
        super().__init__(name)
        self._skipped = skip_header_lines or 0

    def _records(self, path):
        for number, line in enumerate(_tf.data.TextLineDataset(path).as_numpy_iterator(), 1):
            if number > self._skipped:
                yield b"%b:%d" % (path, number), line


class WholeFileReader(_ReaderBase):
    """The contents of files, by path. TF: `tf.compat.v1.WholeFileReader`."""

    def _records(self, path):
        yield path, _tf.io.read_file(path).numpy()


class IdentityReader(_ReaderBase):
    """What the queue holds, as key and value. TF: `tf.compat.v1.IdentityReader`."""

    def _records(self, path):
        yield path, path


class TFRecordReader(_ReaderBase):
    """The records of TFRecord files, by path and place. TF: `tf.compat.v1.TFRecordReader`."""

    def __init__(self, name=None, options=None):
        super().__init__(name)
        self._compression = getattr(options, "compression_type", options) or ""

    def _records(self, path):
        place = 0
        for record in _tf.data.TFRecordDataset(path, self._compression).as_numpy_iterator():
            yield b"%b:%d" % (path, place), record
            place += len(record) + 16  # its length, and two checksums


class FixedLengthRecordReader(_ReaderBase):
    """Records of one length, by path and number from 0 on. TF: `tf.compat.v1.FixedLengthRecordReader`."""

    def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None, name=None, encoding=None):
        super().__init__(name)
        if hop_bytes:
            raise _UnimplementedError(None, None, "tf.compat.v1.FixedLengthRecordReader: use hop_bytes=0")
        self._sizes = record_bytes, header_bytes, footer_bytes
        self._compression = {None: None, "": None}.get(encoding, (encoding or "").upper())

    def _records(self, path):
        dataset = _tf.data.FixedLengthRecordDataset(path, *self._sizes, compression_type=self._compression)
        for number, record in enumerate(dataset.as_numpy_iterator()):
            yield b"%b:%d" % (path, number), record


ReaderBase = _ReaderBase

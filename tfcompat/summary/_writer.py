"""Event files: records of protocol buffers, one for each summary."""
import contextlib
import os
import socket
import threading
import time

import numpy as np

from tfcompat import engine
from tfcompat._core.convert import convert_to_tensor
from tfcompat._core.tensor import SymbolicTensor, Tensor
from tfcompat._core.variable import Variable
from tfcompat._formats.records import framed
from tfcompat._formats.whole import in_tf_terms, make_folder
from tfcompat._package.thread_state import ThreadState
from tfcompat.array import cast
from tfcompat.engine import function_trace
from tfcompat.errors import UnimplementedError
from tfcompat.summary._messages import Event


class _State(ThreadState):
    def __init__(self):
        self.writer = None
        self.step = None
        self.recording = True


state = _State()
_made = 0
_lock = threading.Lock()


class SummaryWriter:
    """Takes summaries; made by `tf.summary.create_file_writer`. Closed at the end of `with writer:`.

    Args:
      path: file to write, or None for a writer that writes nothing.

    TF: `tf.summary.SummaryWriter`.
    """

    def __init__(self, path=None):
        self._path = path
        self._file = None
        self._closed = False
        self._lock = threading.Lock()
        if path is not None:
            self._open()

    def _open(self):
        with in_tf_terms(self._path):
            make_folder(os.path.dirname(self._path))
            self._file = open(self._path, "wb")  # noqa: SIM115
            self._record(Event(wall_time=time.time(), file_version="brain.Event:2"))
            self._file.flush()

    def _record(self, event):
        self._file.write(framed(event.SerializeToString()))

    def add(self, step, summary):
        """Writes a `Summary` message."""
        self.add_event(Event(wall_time=time.time(), step=int(step), summary=summary))

    def add_event(self, event):
        """Writes an `Event` message."""
        with self._lock:
            if self._file is not None:
                with in_tf_terms(self._path):
                    self._record(event)

    @contextlib.contextmanager
    def as_default(self, step=None):
        """Makes this the writer in the block, and `step` the default step; flushes at its end.

        Raises:
          RuntimeError: the writer is closed.
        """
        self._check_open()
        outer = state.writer, state.step
        state.writer = self
        if step is not None:
            state.step = step
        try:
            yield self
            self.flush()
        finally:
            state.writer = outer[0]
            if step is not None:
                state.step = outer[1]

    def set_as_default(self, step=None):
        """Makes this the writer of this thread from now on, and `step` the default step."""
        self._check_open()
        state.writer = self
        if step is not None:
            state.step = step

    def _check_open(self):
        if self._closed:
            raise RuntimeError("SummaryWriter is already closed")

    def init(self):
        """Does nothing: the constructor opens the file."""

    def flush(self):
        """Writes buffered summaries."""
        with self._lock:
            if self._file is not None:
                with in_tf_terms(self._path):
                    self._file.flush()

    def close(self):
        """Writes buffered summaries and closes the file."""
        with self._lock:
            file, self._file, self._closed = self._file, None, True
            if file is not None:
                with in_tf_terms(self._path):
                    file.close()

    def __enter__(self):
        self._context = self.as_default()
        return self._context.__enter__()

    def __exit__(self, *exc):
        result = self._context.__exit__(*exc)
        self.close()
        return result


def create_file_writer(logdir, max_queue=None, flush_millis=None, filename_suffix=None, name=None,
                       experimental_trackable=False, experimental_mesh=None):  # fmt: skip
    """A writer of a new event file in a folder.

    Args:
      logdir: str or path; created if it does not exist.
      max_queue, flush_millis: unused; the operating system buffers until `flush`.
      filename_suffix: str at the end of the file's name, by default ".v2".
      name: unused.
      experimental_trackable: unused.
      experimental_mesh: must be None.

    Returns:
      `tf.summary.SummaryWriter`.

    TF: `tf.summary.create_file_writer`.
    """
    if experimental_mesh is not None:
        raise UnimplementedError(None, None, "create_file_writer with experimental_mesh: there is one device")
    global _made
    with _lock:
        number, _made = _made, _made + 1
    file = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{number}"
    file += ".v2" if filename_suffix is None else filename_suffix
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None")
    return SummaryWriter(os.path.join(os.fspath(logdir), file))


def create_noop_writer():
    """A writer that writes nothing. TF: `tf.summary.create_noop_writer`."""
    return SummaryWriter()


def flush(writer=None, name=None):
    """Writes what `writer`, by default the current one, has buffered. TF: `tf.summary.flush`."""
    writer = state.writer if writer is None else writer
    if writer is not None:
        writer.flush()


@contextlib.contextmanager
def record_if(condition):
    """Summaries in the block are written only if `condition` holds.

    Args:
      condition: bool, bool tensor, or a function without arguments that returns one.

    TF: `tf.summary.record_if`.
    """
    outer, state.recording = state.recording, condition
    try:
        yield
    finally:
        state.recording = outer


def recording():
    """The condition of `record_if`, a bool or a tensor."""
    condition = state.recording
    return condition() if callable(condition) else condition


def should_record_summaries():
    """Whether a summary would be written now: bool tensor. TF: `tf.summary.should_record_summaries`."""
    return convert_to_tensor(False) if state.writer is None else cast(convert_to_tensor(recording()), "bool")


def step_of(step):
    """`step`, or the default one.

    Raises:
      ValueError: neither is set.
    """
    step = state.step if step is None else step
    if step is None:
        raise ValueError("No step set. Please specify one either through the `step` argument or through "
                         "tf.summary.experimental.set_step()")  # fmt: skip
    return step if isinstance(step, Tensor | Variable) else np.int64(step)


def write(tensor, step, summary):
    """Writes `summary(array of tensor)` now, or after the traced function has run. Returns a bool tensor: whether."""
    writer = state.writer
    if writer is None:
        return convert_to_tensor(False)
    step, condition = step_of(step), recording()

    def emit(number, records, value):
        if records:
            writer.add(number, summary(np.asarray(value)))

    condition = convert_to_tensor(condition)
    when_known(emit, [convert_to_tensor(step), condition, convert_to_tensor(tensor)])
    return convert_to_tensor(function_trace(engine.state.graph) is not None or bool(condition))


def when_known(emit, parts):
    """Calls `emit` with the values of tensors: now, or each time that the function being traced has run.

    Raises:
      tf.errors.UnimplementedError: inside a function that is mapped or recomputed as a whole.
    """
    trace = function_trace(engine.state.graph)
    if trace is not None:
        known = {i: part._node.value for i, part in enumerate(parts) if not isinstance(part, SymbolicTensor)}
        rest = [part._node for i, part in enumerate(parts) if i not in known]

        def emit_all(*values):
            values = iter(values)
            emit(*[known[i] if i in known else next(values) for i in range(len(parts))])

        trace.defer(emit_all, rest, "tf.summary")
    elif any(isinstance(part, SymbolicTensor) for part in parts):
        raise UnimplementedError(
            None, None, "tf.summary inside a function that is mapped or recomputed as a whole; write its result outside"
        )
    else:
        emit(*parts)

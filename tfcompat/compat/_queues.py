"""Threads of `tf.compat.v1.train`: a Coordinator ends several of them, and QueueRunners fill queues."""

import contextlib as _contextlib
import threading as _threading

from tfcompat._core import graphs as _graphs
from tfcompat.compat._scopes import get_default_graph as _get_default_graph
from tfcompat.compat._sessions import get_default_session as _get_default_session
from tfcompat.errors import CancelledError as _CancelledError
from tfcompat.errors import OutOfRangeError as _OutOfRangeError
from tfcompat.train._coordinator import Coordinator as Coordinator

_KEY = "queue_runners"


class QueueRunner:
    """Operations that fill a queue, each in a thread.

    Args:
      queue: the queue.
      enqueue_ops: list of operations.
      close_op, cancel_op: operations that close the queue, by default its own.
      queue_closed_exception_types: exceptions that end a thread, by default `tf.errors.OutOfRangeError`.
      queue_runner_def, import_scope: must be None.

    TF: `tf.compat.v1.train.QueueRunner`.
    """

    def __init__(self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None, queue_closed_exception_types=None,
                 queue_runner_def=None, import_scope=None):  # fmt: skip
        if queue_runner_def is not None or import_scope is not None:
            raise _graphs.UnimplementedError(
                None, None, "tf.compat.v1.train.QueueRunner: `queue_runner_def` and `import_scope` are not available"
            )
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue, self._ops = queue, list(enqueue_ops)
        self._close = queue.close() if close_op is None else close_op
        self._cancel = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        self._ends = tuple(queue_closed_exception_types or (_OutOfRangeError,))
        self._raised = []

    queue = property(lambda self: self._queue)
    enqueue_ops = property(lambda self: self._ops)
    close_op = property(lambda self: self._close)
    cancel_op = property(lambda self: self._cancel)
    name = property(lambda self: self._queue.name)
    exceptions_raised = property(lambda self: self._raised, doc="Exceptions that threads without a coordinator raised.")

    def _run(self, sess, op, coord):
        try:
            while coord is None or not coord.should_stop():
                try:
                    sess.run(op)
                except self._ends:
                    break
        except _CancelledError:
            pass
        except Exception as error:
            if coord is None:
                self._raised.append(error)
            else:
                coord.request_stop(error)
        finally:
            with _contextlib.suppress(Exception):
                sess.run(self._close)

    def _close_at_end(self, sess, coord):
        coord.wait_for_stop()
        with _contextlib.suppress(Exception):
            sess.run(self._cancel)

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        """The threads that run the operations in a session until the coordinator ends them."""
        threads = [_threading.Thread(target=self._run, args=(sess, op, coord), daemon=daemon) for op in self._ops]
        if coord is not None:
            threads.append(_threading.Thread(target=self._close_at_end, args=(sess, coord), daemon=daemon))
            for thread in threads:
                coord.register_thread(thread)
        for thread in threads if start else ():
            thread.start()
        return threads


def add_queue_runner(qr, collection=_KEY):
    """Adds a QueueRunner to those that `start_queue_runners` starts. TF: as there."""
    _get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection=_KEY):
    """Starts the threads of all QueueRunners of the graph; a list of them.

    Args:
      sess: Session, by default the default one.
      coord: Coordinator.
      daemon, start: of the threads.
      collection: key of the QueueRunners.

    Raises:
      ValueError: there is no session.

    TF: `tf.compat.v1.train.start_queue_runners`.
    """
    sess = sess or _get_default_session()
    if sess is None:
        raise ValueError(
            "Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an "
            "explicit session to tf.start_queue_runners(sess=sess)"
        )
    runners = sess.graph.get_collection(collection)
    return [thread for one in runners for thread in one.create_threads(sess, coord, daemon, start)]

"""What the processes of a program tell each other. All of them must call these functions, in the same order."""

import functools
import itertools
import queue
import threading
from typing import Any

import jax
import jax._src.distributed  # the store of the processes' coordinator has no public name
import numpy as np
from jax.experimental import multihost_utils

from tfcompat.errors import DeadlineExceededError

timeout = 300  # seconds that a process waits for what another one tells
patience = 1800  # seconds that it waits in a program for the others to run theirs
_turns = itertools.count()
_failure: Any = None  # that one has told nothing


def told(text):
    """List of the texts that the processes tell, in their order.

    Raises:
      tf.errors.DeadlineExceededError: one of them tells nothing in `timeout` seconds.
    """
    global _failure
    if _failure is not None:
        raise _failure
    client: Any = jax._src.distributed.global_state.client
    turn = next(_turns)
    client.key_value_set(_key(turn, jax.process_index()), text)
    texts = []
    for process in range(jax.process_count()):
        try:
            texts.append(client.blocking_key_value_get(_key(turn, process), timeout * 1000))
        except jax.errors.JaxRuntimeError as error:
            _failure = _too_late(f"{timeout} s (TFCOMPAT_CLUSTER_TIMEOUT) for process {process}, which has ended, or")
            raise _failure from error
    if turn:  # all have come here, so all have read the last turn
        client.key_value_delete(_key(turn - 1, jax.process_index()))
    return texts


def _too_late(what):
    return DeadlineExceededError(
        None, None,
        f"process {jax.process_index()} of {jax.process_count()} has waited {what} does something else: all must take "
        "the same steps",
    )  # fmt: skip


_tasks: queue.SimpleQueue = queue.SimpleQueue()  # of the thread that makes calls


@functools.cache
def _begin():
    threading.Thread(target=_work, daemon=True).start()


def _work():
    while True:
        function, arguments, done = _tasks.get()
        try:
            with jax.enable_x64(True):
                done.put((function(*arguments), None))
        except BaseException as error:
            done.put((None, error))
        del function, arguments, done


def called(function, *arguments):
    """What a function returns in which all processes meet. Another thread calls it: nothing else can end the wait.

    Raises:
      tf.errors.DeadlineExceededError: it has not returned in `patience` seconds.
    """
    global _failure
    if _failure is not None:
        raise _failure
    _begin()
    done: queue.SimpleQueue = queue.SimpleQueue()
    _tasks.put((function, arguments, done))
    try:
        result, error = done.get(timeout=patience)
    except queue.Empty:
        _failure = _too_late(
            f"{patience} s (`timeout_seconds` of tf.distribute.experimental.CommunicationOptions) for the others to "
            "come to a step: one of them has ended, or"
        )
        raise _failure from None
    if error is not None:
        raise error
    return result


def _key(turn, process):
    return f"tfcompat/{turn}/{process}"


def gathered(array):
    """A NumPy array of those of all processes, which have the same shape, along a new first axis."""
    return np.asarray(called(multihost_utils.process_allgather, array)).astype(array.dtype)


def of_the_first(array):
    """The NumPy array that the first process has, in all of them."""
    return np.asarray(called(multihost_utils.broadcast_one_to_all, array)).astype(array.dtype)

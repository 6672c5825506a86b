"""What the processes of a program tell each other. All of them must call these functions, in the same order."""

import itertools
from typing import Any

import jax
import jax._src.distributed  # the store of the processes' coordinator has no public name
import numpy as np
from jax.experimental import multihost_utils

from tfcompat.errors import DeadlineExceededError

timeout = 300  # seconds that a process waits for what another one tells
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
            _failure = DeadlineExceededError(
                None, None,
                f"process {jax.process_index()} of {jax.process_count()} has waited {timeout} s for process {process}, "
                "which has ended, or does something else: all must take the same steps",
            )  # fmt: skip
            raise _failure from error
    if turn:  # all have come here, so all have read the last turn
        client.key_value_delete(_key(turn - 1, jax.process_index()))
    return texts


def _key(turn, process):
    return f"tfcompat/{turn}/{process}"


def gathered(array):
    """A NumPy array of those of all processes, which have the same shape, along a new first axis."""
    with jax.enable_x64(True):
        return np.asarray(multihost_utils.process_allgather(array)).astype(array.dtype)

"""Which layer is being called, for each thread."""

import contextlib
from typing import Any

from tfcompat._package.thread_state import ThreadState


class _CallContext(ThreadState):
    """What this thread is calling.

    Attributes:
      current: the innermost layer being called, or None, and the `training` its sublayers inherit.
      losses_added: whether any layer was ever given a loss that the next call has to clear.
      batch_size_is_unknown: whether TF would not know the size of the batch, though it is known while a step is traced.
      keep_seeds: whether random layers called on KerasTensors go on with the seeds that they had.
    """

    current: tuple[Any, Any] = (None, None)
    losses_added = batch_size_is_unknown = keep_seeds = False

    @contextlib.contextmanager
    def batches(self, size_is_unknown):
        """A context for tracing a step of training, with batches whose size TF does not know."""
        outer, self.batch_size_is_unknown = self.batch_size_is_unknown, size_is_unknown
        try:
            yield
        finally:
            self.batch_size_is_unknown = outer


call_context = _CallContext()

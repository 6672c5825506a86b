"""What TensorFlow's training step does when there is no further batch.

Where the number of batches is unknown, TensorFlow finds the end by one step more, whose iterator fails. What needs no
batch is done all the same. The optimizer decays weights, and moments of variables whose gradients are rows, and counts
an iteration: from then on schedules and the correction of Adam's moments are one step ahead. Optimizers of `legacy`
count behind their updates, those with a scaled loss in a branch. A step that XLA compiles begins after its batch, and
one that runs eagerly is not begun.
"""

from tfcompat.keras.optimizers import Optimizer
from tfcompat.keras.optimizers._loss_scale import LossScaleOptimizer


class Epoch:
    """The optimizers of a model, and how often they have counted when an epoch begins."""

    def __init__(self, model):
        self._model, self._counts = model, []
        is_plain = not model.run_eagerly and not model.__dict__.get("_jit_compile")
        if not is_plain or model.distribute_strategy.num_replicas_in_sync > 1:
            return
        held = [part for value in vars(model).values() for part in (value if isinstance(value, list) else [value])]
        found = {id(part): part for part in held if isinstance(part, Optimizer)}
        self._counts = [
            (optimizer, int(optimizer.iterations.numpy()))
            for optimizer in found.values()
            if not isinstance(optimizer, LossScaleOptimizer)
        ]

    def end(self, batches):
        """Does what is done without a batch, after an epoch of so many."""
        for optimizer, before in self._counts:
            times, rest = divmod(int(optimizer.iterations.numpy()) - before, batches)
            for _ in range(0 if rest else times):
                optimizer._step_without_gradients(self._model.trainable_variables)

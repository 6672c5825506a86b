"""The parts of `Model.fit`, `evaluate` and `predict`: batches, losses and metrics of outputs, the loop."""

from tfcompat.keras._training.loop import Trainer as Trainer

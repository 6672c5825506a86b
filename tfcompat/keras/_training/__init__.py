"""What `Model.fit`, `evaluate` and `predict` are made of: batches, losses and metrics of outputs, the loop."""

from tfcompat.keras._training.loop import Trainer as Trainer

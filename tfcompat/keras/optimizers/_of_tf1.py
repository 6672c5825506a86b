"""An optimizer of `tf.compat.v1.train` for `Model.compile`."""

from typing import Any

from tfcompat import nest
from tfcompat._core.variable import Variable
from tfcompat.tape import GradientTape


class TFOptimizer:
    """Takes the steps of an optimizer of `tf.compat.v1.train`, and counts them in `iterations`.

    Args:
      optimizer: of `tf.compat.v1.train`.

    TF: the wrapper of that name, which `Model.compile` puts around such optimizers. It has no configuration.
    """

    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.iterations = Variable(0, trainable=False, dtype="int64", name="TFOptimizer/iterations")

    def minimize(self, loss, var_list, grad_loss=None, tape=None):
        """One step.

        Args:
          loss: function without arguments; or a tensor, with the `tape` that has recorded it.
          var_list: variables, or a function without arguments that returns them.
          grad_loss: gradient of something else with respect to the loss, or None for ones.

        Raises:
          ValueError: a tensor without a tape.
        """
        if callable(loss):
            tape = GradientTape() if tape is None else tape
            with tape:
                if not callable(var_list):
                    tape.watch(nest.flatten(var_list))
                loss = loss()
        elif tape is None:
            raise ValueError("`tape` is required when a `Tensor` loss is passed.")
        variables = nest.flatten(var_list() if callable(var_list) else var_list)
        if variables:
            gradients: Any = tape.gradient(loss, variables, grad_loss)
            self.apply_gradients(zip(gradients, variables, strict=True))

    def apply_gradients(self, grads_and_vars):
        """One step: updates each variable by its gradient."""
        self.optimizer.apply_gradients(grads_and_vars, global_step=self.iterations)

    def get_config(self):
        """NotImplementedError: optimizers of `tf.compat.v1.train` do not say what they were made of."""
        raise NotImplementedError("TFOptimizer has no configuration: use an optimizer of tf.keras.optimizers")

    def _checkpoint_children(self):
        return [("optimizer", self.optimizer), ("global_step", self.iterations)]

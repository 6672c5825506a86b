"""KerasTensors of objects that are not tensors but convert to one, such as distributions."""

from tfcompat import nest
from tfcompat.layers._layer.call_context import call_context
from tfcompat.layers._symbolic.keras_tensor import KerasTensor

passed_on: list = []  # types of objects that layers pass on unconverted


def register_symbolic_tensor_type(cls):
    """Makes layers of a functional model pass objects of a class on unconverted.

    Args:
      cls: a class for which there is a `tf.register_tensor_conversion_function`.

    TF: `tf.keras.__internal__.utils.register_symbolic_tensor_type`.
    """
    if cls not in passed_on:
        passed_on.append(cls)


class ObjectKerasTensor(KerasTensor):
    """KerasTensor of such an object. Its layer makes another such object when the next layer is traced."""

    def like(self):
        """A KerasTensor of the same value without history."""
        return ObjectKerasTensor(self.shape, self.dtype, self._samples, self._mask_shape)

    def leaves(self):
        """The KerasTensors that a stand-in for this one is made from."""
        return [leaf for x in self._arguments() if isinstance(x, KerasTensor) for leaf in x.leaves()]

    def made_of(self, stand_in):
        """Another such object.

        Args:
          stand_in: function from each argument of the call that made this one to its value.
        """
        layer, _, index = self._keras_history
        structure = (self.node.call_args, self.node.call_kwargs)
        args, kwargs = nest.pack_sequence_as(structure, [stand_in(x) for x in self._arguments()])
        outer, call_context.current = call_context.current, (None, None)
        inside = list(layer._flatten_layers())
        seeds = [(inner, inner._next_seed) for inner in inside if "_next_seed" in inner.__dict__]
        try:
            return nest.flatten(layer(*args, **kwargs))[index]
        finally:
            call_context.current = outer
            for inner, seed in seeds:
                inner._next_seed = seed
            for inner in inside:
                if inner._eager_losses_of_thread is not None:
                    inner._eager_losses.clear()

    def _arguments(self):
        return nest.flatten((self.node.call_args, self.node.call_kwargs))

"""`clone_model`: the same model again, with new layers."""

from tfcompat import nest
from tfcompat.errors import UnimplementedError
from tfcompat.keras._models.functional import Functional, copied_network
from tfcompat.keras._models.sequential import Sequential
from tfcompat.layers._input import InputLayer
from tfcompat.layers._symbolic.keras_tensor import KerasTensor


def clone_model(model, input_tensors=None, clone_function=None):
    """A model like another, with layers, and so weights, of its own.

    Args:
      model: Sequential or functional model, or subclassed model with `get_config`.
      input_tensors: KerasTensors of `tf.keras.Input`s for the new model; new ones by default.
      clone_function: function of a layer that returns the one for its place; by default one made of its
        configuration. Not for subclassed models.

    Returns:
      Model, not compiled.

    Raises:
      ValueError: `input_tensors` or `clone_function` for a subclassed one.

    TF: `tf.keras.models.clone_model`; `input_tensors` must be KerasTensors.
    """
    clone = clone_function or (lambda layer: type(layer).from_config(layer.get_config()))
    symbols = [] if input_tensors is None else nest.flatten(input_tensors)
    if not all(isinstance(x, KerasTensor) for x in symbols):
        raise UnimplementedError(
            None, None,
            "tf.keras.models.clone_model: `input_tensors` other than those of tf.keras.Input are not available in "
            "tfcompat: use tf.keras.Input",
        )  # fmt: skip
    if isinstance(model, Sequential):
        return _copied_stack(model, clone, symbols)
    if isinstance(model, Functional):
        return copied_network(model, clone, symbols)
    if clone_function or input_tensors is not None:
        raise ValueError(
            "`input_tensors` and `clone_function` are only for Sequential and functional models. Received: "
            f"model={model}"
        )
    return type(model).from_config(model.get_config())


def _copied_stack(model, copied, symbols):
    if len(symbols) > 1:
        raise ValueError(
            "To clone a `Sequential` model, we expect at most one tensor as part of `input_tensors`. Received: "
            f"input_tensors={symbols}"
        )
    layers = [copied(layer) for layer in model.layers]
    if symbols:
        source = symbols[0]._keras_history.layer
        if not isinstance(source, InputLayer):
            raise ValueError(
                "Cannot clone a `Sequential` model on top of a tensor that comes from a Keras layer other than an "
                "`InputLayer`. Use the Functional API instead."
            )
        layers.insert(0, source)
    elif model._known_shape is not None:
        layers.insert(0, InputLayer(**model._source.get_config()))
    return Sequential(layers, name=model.name)



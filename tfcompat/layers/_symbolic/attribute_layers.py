"""`InstanceProperty` and `InstanceMethod`: properties and methods of ragged and sparse KerasTensors, as layers."""

from tfcompat.layers._layer.layer import Layer
from tfcompat.layers._layer.naming import unique_name
from tfcompat.layers._layer.registry import register_keras_object
from tfcompat.layers._symbolic.composite_symbols import METHODS, PROPERTIES
from tfcompat.layers._symbolic.keras_tensor import call_recorder


class _AttributeLayer(Layer):
    """A layer that takes an attribute of its input.

    Args:
      attr_name: str, one that ragged or sparse tensors have.
      **kwargs: those of `Layer`.

    Raises:
      ValueError: another attribute.
    """

    _known = ()
    attr_name: str

    def __init__(self, attr_name, **kwargs):
        if attr_name not in self._known:
            raise ValueError(f"{type(self).__name__}: unknown attribute {attr_name}")
        if kwargs.get("name") is None:
            kwargs["name"] = unique_name(f"input.{attr_name}")
        super().__init__(**{"autocast": False, **kwargs})
        self.__dict__["attr_name"] = attr_name

    def get_config(self):
        return {**super().get_config(), "attr_name": self.attr_name}


@register_keras_object("tf_keras.src.layers.core.tf_op_layer")
class InstanceProperty(_AttributeLayer):
    """A property as a layer; for the arguments see the base.

    TF: the layer that Keras 2 makes of a property of a ragged or sparse KerasTensor.
    """

    _known = PROPERTIES

    def call(self, obj):
        return getattr(obj, self.attr_name)


@register_keras_object("tf_keras.src.layers.core.tf_op_layer")
class InstanceMethod(_AttributeLayer):
    """A method as a layer, called with the arguments of the method; for those of the constructor see the base.

    TF: the layer that Keras 2 makes of a method of a ragged or sparse KerasTensor.
    """

    _known = METHODS

    def call(self, obj, args, kwargs):
        return getattr(obj, self.attr_name)(*args, **kwargs)


def _call_property(name, x):
    return InstanceProperty(name)(x)


def _call_method(name, x, args, kwargs):
    return InstanceMethod(name)(x, args=args, kwargs=kwargs)


call_recorder.instance_property, call_recorder.instance_method = _call_property, _call_method

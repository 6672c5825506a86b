"""tensorflow/python/framework/composite_tensor.py: the base class of values made of tensors."""
import abc

from tfcompat import nest
from tfcompat._core.composite import CompositeTensor as _CompositeTensor
from tfcompat.distribute._values import PerReplica


class CompositeTensor(_CompositeTensor, metaclass=abc.ABCMeta):
    """A value made of tensors, which its spec takes apart and builds. `tf.nest` enters it if told to."""

    _tf_tensor_type = False
    _may_hold_specs = False  # what is made of specs instead of tensors is its spec: classes convert their arguments

    @property
    @abc.abstractmethod
    def _type_spec(self):
        """The TypeSpec of this value."""

    def _shape_invariant_to_type_spec(self, shape):
        raise NotImplementedError(f"{type(self).__name__}._shape_invariant_to_type_spec")

    @classmethod
    def __subclasshook__(cls, other):
        """Values of our own classes are of this one, too."""
        return cls is CompositeTensor and issubclass(other, _CompositeTensor) or NotImplemented


CompositeTensor.register(PerReplica)


def is_composite_tensor(value):
    """Whether `value` is made of tensors."""
    return isinstance(value, CompositeTensor)


def replace_composites_with_components(structure):
    """`structure` with the composites in it replaced by nests of tensors."""
    if isinstance(structure, CompositeTensor):
        return replace_composites_with_components(structure._type_spec._to_components(structure))
    if not nest.is_nested(structure):
        return structure
    return nest.map_structure(replace_composites_with_components, structure)

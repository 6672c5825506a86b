"""`tf.data.DatasetSpec`, and empty datasets, which stand for the datasets that it describes."""

from tfcompat import dtypes
from tfcompat._core.shape import TensorShape
from tfcompat._core.spec import TensorSpec, TypeSpec
from tfcompat.data._dataset import Dataset, maker
from tfcompat.errors import UnimplementedError


@maker
class DatasetSpec(TypeSpec):
    """What is known of a dataset.

    Args:
      element_spec: structure of the specs of its elements.
      dataset_shape: must be scalar.

    TF: `tf.data.DatasetSpec`.
    """

    __slots__ = ("_element_spec", "_dataset_shape")

    def __init__(self, element_spec, dataset_shape=()):
        self._element_spec, self._dataset_shape = element_spec, TensorShape(dataset_shape)

    @property
    def value_type(self):
        return Dataset

    @staticmethod
    def from_value(value):
        """The spec of a dataset."""
        return DatasetSpec(value.element_spec)

    @property
    def element_spec(self):
        """The structure of the elements' specs."""
        return self._element_spec

    @property
    def _component_specs(self):
        return TensorSpec((), dtypes.variant)

    def _to_components(self, value):
        raise UnimplementedError(None, None, "datasets are not tensors: take their elements")

    def _from_components(self, components):
        raise UnimplementedError(None, None, "datasets are not tensors: take their elements")

    def _serialize(self):
        return self._element_spec, self._dataset_shape

    def __hash__(self):
        return hash((DatasetSpec, str(self._element_spec)))

    def __repr__(self):
        return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"


class _Empty(Dataset):
    def __init__(self, spec):
        self._spec = spec

    element_spec = property(lambda self: self._spec)

    def _blocks(self, run, size):
        return iter(())

    def _count(self):
        return 0


def empty(element_spec):
    """A dataset of no elements."""
    return _Empty(element_spec)

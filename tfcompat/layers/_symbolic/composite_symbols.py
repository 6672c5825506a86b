"""KerasTensors of ragged and sparse tensors. Their properties and methods become layers."""

from tfcompat.layers._symbolic.keras_tensor import KerasTensor, call_recorder
from tfcompat.ragged._tensor import RaggedTensorSpec
from tfcompat.sparse._tensor import SparseTensorSpec

# The attributes that become layers.
PROPERTIES = ("values", "flat_values", "row_splits", "indices", "dense_shape")
METHODS = (
    "to_tensor", "to_sparse", "row_lengths", "nrows", "bounding_shape", "value_rowids", "row_starts", "row_limits",
    "merge_dims", "with_values", "with_flat_values", "with_row_splits_dtype",
)  # fmt: skip


class CompositeKerasTensor(KerasTensor):
    """Base of the KerasTensors of values made of several tensors.

    Args:
      type_spec: `tf.RaggedTensorSpec` or `tf.SparseTensorSpec`.
    """

    def __init__(self, type_spec):
        super().__init__(type_spec.shape, type_spec.dtype)
        self._type_spec = type_spec

    type_spec = property(lambda self: self._type_spec, doc="The spec of the value.")

    def like(self):
        """A KerasTensor of the same value without history."""
        return type(self)(self._type_spec)

    def _described(self):
        return f"type_spec={self._type_spec!r}"


class RaggedKerasTensor(CompositeKerasTensor):
    """KerasTensor of a `tf.RaggedTensor`."""

    ragged_rank = property(lambda self: self._type_spec.ragged_rank, doc="How many axes are partitioned.")


class SparseKerasTensor(CompositeKerasTensor):
    """KerasTensor of a `tf.SparseTensor`."""


def symbol_of(type_spec):
    """A KerasTensor for a spec; None if there is none for such values."""
    if isinstance(type_spec, RaggedTensorSpec):
        return RaggedKerasTensor(type_spec)
    return SparseKerasTensor(type_spec) if isinstance(type_spec, SparseTensorSpec) else None


def _property(name):
    def get(self):
        return call_recorder.instance_property(name, self)

    return property(get, doc=f"The `{name}` of the value, as a KerasTensor.")


def _method(name):
    def method(self, *args, **kwargs):
        return call_recorder.instance_method(name, self, args, kwargs)

    method.__name__, method.__doc__ = name, f"What `{name}` of the value gives, as a KerasTensor."
    return method


for _name in PROPERTIES:
    if _name not in ("indices", "dense_shape"):
        setattr(RaggedKerasTensor, _name, _property(_name))
    if _name not in ("flat_values", "row_splits"):
        setattr(SparseKerasTensor, _name, _property(_name))
for _name in METHODS:
    setattr(RaggedKerasTensor, _name, _method(_name))
SparseKerasTensor.with_values = _method("with_values")  # pyright: ignore

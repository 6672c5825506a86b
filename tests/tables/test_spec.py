"""`TensorSpec` and its kin: what TensorFlow gives."""

import copy

import pytest

from tables import _table
from tfcompat import dtypes
from tfcompat._core.indexed_slices import IndexedSlicesSpec
from tfcompat._core.spec import BoundedTensorSpec, TensorSpec, TypeSpec, VariableSpec

SPECS = [
    TensorSpec([1, None], name="x"),
    BoundedTensorSpec([2], dtypes.int32, 0, [1, 2]),
    VariableSpec([3], trainable=False),
    IndexedSlicesSpec([1, 2], dense_shape_dtype=dtypes.int64),
]


@_table.parametrize("spec")
def test_is_as_in_tensorflow(expression, outcome):
    assert _table.outcome_of(expression, _table.tfcompat_names()) == outcome


@pytest.mark.parametrize("spec", SPECS)
def test_a_copy_is_equal_and_of_the_same_kind(spec):
    again = copy.copy(spec)
    assert again == spec and hash(again) == hash(spec) and repr(again) == repr(spec)
    assert again.is_compatible_with(spec) and again.is_subtype_of(spec)
    assert spec.most_specific_common_supertype([again]) == spec


def test_base_class_cannot_be_instantiated():
    with pytest.raises(TypeError, match="abstract"):
        TypeSpec()  # pyright: ignore[reportAbstractUsage]


class _Pair(TypeSpec):
    """A user's own spec."""

    def __init__(self, first, second):
        self.first, self.second = first, second

    value_type = property(lambda self: tuple)
    _component_specs = property(lambda self: (self.first, self.second))

    def _to_components(self, value):
        return value

    def _from_components(self, components):
        return tuple(components)

    def _serialize(self):
        return self.first, self.second


def test_a_users_spec_compares_part_by_part():
    narrow = _Pair(TensorSpec([1]), TensorSpec([2, 3]))
    other = _Pair(TensorSpec([1]), TensorSpec([2, 4]))
    wide = narrow.most_specific_common_supertype([other])
    assert wide is not None and wide == _Pair(TensorSpec([1]), TensorSpec([2, None]))
    assert narrow.is_subtype_of(wide) and not wide.is_subtype_of(narrow)
    assert wide.is_compatible_with(narrow) and not narrow.is_compatible_with(other)
    assert narrow.most_specific_common_supertype([_Pair(TensorSpec([1]), 3)]) is None

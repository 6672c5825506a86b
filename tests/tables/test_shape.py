"""`TensorShape` and `Dimension`: what TensorFlow gives, and what holds for all shapes."""

import hypothesis.strategies as st
from hypothesis import given

from tables import _table
from tfcompat._core.shape import TensorShape

SHAPES = st.none() | st.lists(st.none() | st.integers(0, 3), max_size=4)


@_table.parametrize("shape")
def test_is_as_in_tensorflow(expression, outcome):
    assert _table.outcome_of(expression, _table.tfcompat_names()) == outcome


def test_trusted_tuple_gives_the_same_shape():
    assert TensorShape._from_tuple((2, None)) == TensorShape([2, None])
    assert TensorShape._from_tuple(None).rank is None


@given(SHAPES, SHAPES)
def test_merging_joins_and_generalising_keeps_what_both_know(first, second):
    first, second = TensorShape(first), TensorShape(second)
    general = first.most_specific_compatible_shape(second)
    assert first.is_subtype_of(general) and second.is_subtype_of(general)
    if first.is_compatible_with(second):
        merged = first.merge_with(second)
        assert merged.is_subtype_of(first) and merged.is_subtype_of(second)


@given(SHAPES)
def test_equals_and_hashes_like_its_dimensions(dims):
    shape = TensorShape(dims)
    if dims is not None:
        assert shape == dims and list(shape) == dims and hash(shape) == hash(tuple(dims))
        assert shape[1:] == dims[1:] and shape + [5] == [*dims, 5]
    assert eval(repr(shape)) == shape

"""`tf.nest`: what TensorFlow gives, and that taking apart and putting together are inverse."""

import collections

import hypothesis.strategies as st
from hypothesis import given

from tables import _definitions, _table
from tfcompat import nest

LEAVES = st.integers() | st.none() | st.text(max_size=2)
STRUCTURES = st.recursive(
    LEAVES,
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.lists(parts, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from("abc"), parts)
        | st.dictionaries(st.sampled_from("abc"), parts).map(collections.OrderedDict)
        | st.builds(_definitions.Pair, parts, parts)
        | st.builds(_definitions.NestedData, st.booleans(), parts)
    ),
    max_leaves=8,
)


@_table.parametrize("nest")
def test_is_as_in_tensorflow(expression, outcome):
    assert _table.outcome_of(expression, _table.tfcompat_names()) == outcome


@given(STRUCTURES)
def test_packing_what_was_flattened_gives_the_structure_back(structure):
    leaves = nest.flatten(structure)
    packed = nest.pack_sequence_as(structure, leaves)
    assert packed == structure and type(packed) is type(structure)
    nest.assert_same_structure(structure, packed)
    assert nest.map_structure(lambda x: x, structure) == structure


@given(STRUCTURES)
def test_paths_lead_to_the_leaves(structure):
    found = nest.flatten_with_paths(structure)
    assert [leaf for _, leaf in found] == nest.flatten(structure)
    assert len({path for path, _ in found}) == len(found)


@given(STRUCTURES)
def test_mapping_two_structures_pairs_their_leaves(structure):
    pairs = nest.map_structure(lambda x, y: frozenset([(x, y)]), structure, structure)
    assert nest.flatten(pairs) == [frozenset([(leaf, leaf)]) for leaf in nest.flatten(structure)]


class _Attrs:
    """As `attrs` makes classes: fields listed in the class."""

    __attrs_attrs__ = (
        collections.namedtuple("Field", "name")("b"),
        collections.namedtuple("Field", "name")("a"),
    )

    def __init__(self, b, a):
        self.b, self.a = b, a


def test_attrs_objects_are_walked_in_the_order_of_their_fields():
    assert nest.flatten(_Attrs(1, [2, 3])) == [1, 2, 3]
    doubled = nest.map_structure(lambda x: 2 * x, _Attrs(1, [2, 3]))
    assert isinstance(doubled, _Attrs) and (doubled.b, doubled.a) == (2, [4, 6])

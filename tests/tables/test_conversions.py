"""What becomes a tensor, and what TensorFlow says of the rest."""

from tables import _table


@_table.parametrize("conversions")
def test_is_as_in_tensorflow(expression, outcome):
    assert _table.outcome_of(expression, _table.tfcompat_names()) == outcome

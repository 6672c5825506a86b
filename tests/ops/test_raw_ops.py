"""The table of `tf.raw_ops`: every row leads to a public function that has these arguments."""

import inspect

import pytest

import tfcompat as tf
from tfcompat.raw_ops import _table as _raw_table

ROWS = [row.split() for row in _raw_table.ROWS.strip().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_row_leads_to_a_function_with_these_arguments(row):
    name, path, *arguments = row
    target = tf
    for part in path.split("."):
        target = getattr(target, part)
    kept = [text.partition("=")[0] for text in arguments if "!" not in text]
    ours = [text.partition(":")[2] or text for text in kept]
    accepted = inspect.signature(target).parameters
    assert set(ours) <= set(accepted)
    assert list(inspect.signature(getattr(tf.raw_ops, name)).parameters)[-1] == "name"


def test_rows_are_unique():
    names = [row[0] for row in ROWS]
    assert len(set(names)) == len(names)

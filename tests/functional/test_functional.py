"""Functional models and their files are what tf_keras makes and reads."""

import pytest
from rows import check_row, load_rows, recorded_rows

import tfcompat as tf

RECORDED = recorded_rows("functional")
ROWS = load_rows("functional")


@pytest.mark.parametrize("name", ROWS)
def test_row(name):
    check_row(ROWS[name], RECORDED, tf)


def test_nothing_recorded_is_gone():
    assert RECORDED.keys() == ROWS.keys()

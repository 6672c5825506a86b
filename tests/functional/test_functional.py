"""Functional models and their files are what tf_keras makes and reads."""

import json
import pathlib

import pytest
from _row_table import differences, load_rows, run_row

import tfcompat as tf

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
RECORDED = json.loads((GOLDEN / "functional.json").read_text(encoding="utf-8"))
ROWS = load_rows("functional")


@pytest.mark.parametrize("name", ROWS)
def test_row(name):
    assert name in RECORDED["rows"], "not recorded: run tests/functional/record_functional.py"
    found = list(differences(run_row(ROWS[name], tf), RECORDED["rows"][name]))
    assert not found, "\n".join(found)


def test_nothing_recorded_is_gone():
    assert RECORDED["rows"].keys() == ROWS.keys()

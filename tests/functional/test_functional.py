"""Functional models and their files are what tf_keras makes and reads."""

import json
import pathlib

import pytest

import tfcompat as tf

from ._rows import differences, load_rows, run_row

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
RECORDED = json.loads((GOLDEN / "functional.json").read_text(encoding="utf-8"))
ROWS = load_rows()


@pytest.mark.parametrize("name", ROWS)
def test_row(name):
    assert name in RECORDED["rows"], "not recorded: run tests/functional/record_functional.py"
    found = list(differences(run_row(ROWS[name], tf), RECORDED["rows"][name]))
    assert not found, "\n".join(found)


def test_nothing_recorded_is_gone():
    assert RECORDED["rows"].keys() == ROWS.keys()

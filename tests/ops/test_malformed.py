"""Malformed calls raise what they raise in TensorFlow: for every op at least three, with those among its cases."""

import json

import pytest
from cases._golden import cases_of

import tfcompat as tf
from ops._malformed import GOLDEN, refused, rows
from tfcompat import engine

NAMES = sorted(json.loads(GOLDEN.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", NAMES)
def test_malformed_calls_raise_as_in_tensorflow(name):
    cases = cases_of(name)
    found = rows(name)
    assert found
    with engine.execution_mode("deferred"):  # nothing is computed, so nothing is compiled
        answers = [[case_id, change, refused(tf, cases[case_id], case_id, change)] for case_id, change, _ in found]
    assert answers == found

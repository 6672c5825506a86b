"""Malformed calls raise what they raise in TensorFlow: for every op at least three, with those among its cases."""

import json
import pathlib
import re
import tomllib

import pytest
from _sampling import one_in
from cases._golden import cases_of

import tfcompat as tf
from ops._malformed import GOLDEN, refused, rows, whole
from tfcompat import engine

DIFFERENCES = pathlib.Path(__file__).parents[2] / "migration_guide" / "differences.toml"
NAMES = sorted(json.loads(GOLDEN.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", NAMES)
def test_malformed_calls_raise_as_in_tensorflow(name):
    cases = cases_of(name)
    found = rows(name)
    assert found
    with engine.execution_mode("deferred"):  # nothing is computed, so nothing is compiled
        answers = [[case_id, change, refused(tf, cases[case_id], case_id, change)] for case_id, change, _ in found]
    assert answers == found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(whole()))
def test_no_more_malformed_calls_differ_from_tensorflow(name):
    """Of all changes of all calls, those that are answered otherwise are known: their number can only fall."""
    cases, found = cases_of(name), []
    for case_id, change, theirs, *known in whole()[name][:: one_in(64)]:
        with engine.execution_mode("deferred"):
            answer = refused(tf, cases[case_id], case_id, change)
        if answer not in (theirs, *known):
            found.append([case_id, change, theirs, answer])
    assert not found


@pytest.mark.parametrize("silent", [True, False])
def test_calls_that_only_one_side_refuses_are_listed(silent):
    """Whatever passes here and not in TensorFlow, or there and not here, is a symbol of a row of the differences."""
    rows = tomllib.loads(DIFFERENCES.read_text(encoding="utf-8"))["difference"]
    listed = set(re.findall(r"\w+", " ".join(row["symbol"] for row in rows)))
    differing = [row for found in whole().values() for row in found if len(row) == 4]
    refused = [case_id for case_id, _, *both in differing if None in both and (both[1] is None) == silent]
    names = {re.match(r"[\w.]+", case_id)[0].rpartition(".")[2] for case_id in refused}
    assert names and names <= listed

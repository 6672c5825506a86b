"""Every row of strategies of several replicas gives what TensorFlow gave on as many devices."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from _sampling import one_in
from rows import load_rows

ROWS = load_rows("distribute")
NAMES = list(ROWS)[:: one_in(2)]


def _results(execution, names):
    """JSON of how each row differs from what was recorded; all of them run in one process."""
    program = pathlib.Path(__file__).with_name("run_rows.py")
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "TFCOMPAT_EXECUTION": execution}
    command = [sys.executable, program, *names]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


# The rows of this package's own: Keras runs its steps as functions in either execution.
OWN = ["datasets.", "dtensor.", "random.", "replicas.", "values.", "variables."]


def _parameter(name, execution):
    reason = ROWS[name].differs
    marks = pytest.mark.xfail(strict=True, reason=reason) if reason else ()
    return pytest.param(name, execution, marks=marks, id=f"{name}-{execution}")


@pytest.fixture(scope="session")
def chosen(request):
    """The names of the rows that are to run, by execution."""
    chosen = {"deferred": [], "immediate": []}
    for item in request.session.items:
        if getattr(item, "function", None) is test_row:
            chosen[item.callspec.params["execution"]].append(item.callspec.params["name"])
    return chosen


@pytest.mark.parametrize(
    ("name", "execution"),
    [_parameter(name, "deferred") for name in NAMES]
    + [_parameter(name, "immediate") for name in NAMES if name.startswith(tuple(OWN))],
)
def test_row(name, execution, made_once, chosen):
    results = made_once(f"rows of replicas, {execution}", lambda: _results(execution, chosen[execution]))
    different = json.loads(results)[name]
    assert not different, "\n".join(different)

"""Every row of strategies of several replicas gives what TensorFlow gave on as many devices."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from rows import load_rows

ROWS = load_rows("distribute")


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


@pytest.mark.parametrize(
    ("name", "execution"),
    [_parameter(name, "deferred") for name in ROWS]
    + [_parameter(name, "immediate") for name in ROWS if name.startswith(tuple(OWN))],
)
def test_row(name, execution, made_once, request):
    chosen = [item.callspec.params for item in request.session.items if item.function is test_row]
    names = [each["name"] for each in chosen if each["execution"] == execution]
    different = json.loads(made_once(f"rows of replicas, {execution}", lambda: _results(execution, names)))[name]
    assert not different, "\n".join(different)

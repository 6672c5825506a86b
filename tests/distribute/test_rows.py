"""Every row of strategies of several replicas gives what TensorFlow gave on as many devices."""

import functools
import json
import os
import pathlib
import subprocess
import sys

import pytest
from rows import load_rows

ROWS = load_rows("distribute")


@functools.cache
def _results():
    """How each row differs from what was recorded; all of them run in one process."""
    program = pathlib.Path(__file__).with_name("run_rows.py")
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def _parameter(name):
    reason = ROWS[name].differs
    return pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=reason) if reason else ())


@pytest.mark.xdist_group("replicas")
@pytest.mark.parametrize("name", [_parameter(name) for name in ROWS])
def test_row(name):
    different = _results()[name]
    assert not different, "\n".join(different)

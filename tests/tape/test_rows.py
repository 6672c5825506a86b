"""Every row of the tape's behaviour table gives what TensorFlow gave, in both execution modes."""

import pytest
from rows import check_row, load_rows, recorded_rows

import tfcompat as tf
from tfcompat._package import logging as _logging

ROWS = load_rows("tape")
# Said once in a process, to whichever row comes when many short programs have been compiled.
pytestmark = pytest.mark.filterwarnings("ignore:tfcompat keeps compiling")
RECORDED = recorded_rows("tape_rows")


def _parameter(name):
    reason = ROWS[name].differs
    return pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=reason) if reason else ())


# Traced code is the same in both execution modes, and takes time to compile.
_TRACED_FILES = (
    "autograph", "fold", "function_derivatives", "python_calls", "random_ops", "signatures", "tracing",
    "unknown_sizes",
)  # fmt: skip
_TRACED_WAYS = ("[function]", "[compiled]", "-function]", "-loop]")
TRACED = [name for name in ROWS if name.startswith(_TRACED_FILES) or name.endswith(_TRACED_WAYS)]


@pytest.mark.parametrize("name", [_parameter(name) for name in ROWS if name not in TRACED])
def test_row(name, execution):
    _check(name)


@pytest.mark.parametrize("name", [_parameter(name) for name in TRACED])
def test_row_of_traced_code(name):
    _check(name)


def _check(name):
    _logging.forget()
    check_row(ROWS[name], RECORDED, tf)


def test_nothing_recorded_is_gone():
    assert not RECORDED.keys() - ROWS.keys()

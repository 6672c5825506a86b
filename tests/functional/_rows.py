"""Rows of the behaviour table: functions `name(tf)` in `rows_*.py`, run on tf_keras and on tfcompat alike.

As in `tests/layers`: a row returns a nest of what a user would see.
"""

import importlib
import json
import pathlib

import numpy as np
from tape._row import describe
from tape._row import differences as differences
from tape._row import printed as printed
from tape._row import raised as raised

HERE = pathlib.Path(__file__).parent
_ROWS: dict = {}


def row(function):
    """Registers `function(tf)` as the row `<topic>.<function name>`."""
    name = f"{function.__module__.rpartition('.')[2].removeprefix('rows_')}.{function.__name__}"
    if name in _ROWS:
        raise ValueError(f"two rows are called {name}")
    _ROWS[name] = function
    return function


def load_rows():
    """Imports every `rows_*.py` file; returns `{row id: function(tf)}`."""
    for path in sorted(HERE.glob("rows_*.py")):
        importlib.import_module(f"{__package__}.{path.stem}")
    return _ROWS


def run_row(function, tf):
    """The JSON form of what a row returns."""
    tf.keras.backend.clear_session()
    tf.random.set_seed(11)
    return json.loads(json.dumps(describe(function(tf), tf)))


def names(variables):
    """The names of variables or layers."""
    return [variable.name for variable in variables]


def ones(*shape, dtype="float32"):
    """A NumPy array of ones."""
    return np.ones(shape, dtype)

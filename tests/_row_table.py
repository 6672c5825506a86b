"""Tables of behaviour: functions `name(tf)` in the `rows_*.py` of a folder, run on TensorFlow and on tfcompat alike.

A row returns a nest of what a user would see: tensors, variables, names, numbers, and exceptions caught with
`raised`. Numbering of names and the seed start anew for each.
"""

import importlib
import json
import pathlib

import numpy as np
from tape._row import describe
from tape._row import differences as differences
from tape._row import printed as printed
from tape._row import raised as raised

_ROWS: dict = {}  # folder -> {row id: function}


def row(function):
    """Registers a function as the row `<topic>.<function name>` of its folder."""
    folder, _, topic = function.__module__.rpartition(".")
    rows = _ROWS.setdefault(folder, {})
    name = f"{topic.removeprefix('rows_')}.{function.__name__}"
    if name in rows:
        raise ValueError(f"two rows are called {name}")
    rows[name] = function
    return function


def load_rows(folder):
    """Imports every `rows_*.py` of a folder of tests; returns `{row id: function}`."""
    for path in sorted((pathlib.Path(__file__).parent / folder).glob("rows_*.py")):
        importlib.import_module(f"{folder}.{path.stem}")
    return _ROWS[folder]


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

"""Every optimizer, loss and metric gives what tf_keras gave, step by step."""

import json
import pathlib

import numpy as np
import pytest
from rows import check_row, load_rows

import tfcompat as tf

from ._cases import CASES, OPTIMIZERS

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
RECORDED = json.loads((GOLDEN / "training.json").read_text(encoding="utf-8"))
ARRAYS = np.load(GOLDEN / "training.npz")
ROWS = load_rows("training")

# Relative and absolute. Results in half precision were rounded at every step.
TOLERANCES = {"float64": (1e-7, 1e-7), "float32": (1e-4, 2e-5), "bfloat16": (5e-2, 5e-2)}


def compare(case, facts, arrays):
    assert json.loads(json.dumps(facts)) == RECORDED["cases"][case.name]
    prefix = f"{case.name}|"
    wanted = {key.removeprefix(prefix): ARRAYS[key] for key in ARRAYS.files if key.startswith(prefix)}
    assert arrays.keys() == wanted.keys()
    rtol, atol = TOLERANCES[case.dtype]
    for what, want in wanted.items():
        assert np.asarray(arrays[what]).dtype == want.dtype, what
        np.testing.assert_allclose(arrays[what], want, rtol, atol, err_msg=what)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_as_in_keras(case):
    tf.keras.backend.clear_session()
    compare(case, *case.evaluate(tf))


# What depends on the step in different ways; the update itself is the same operation as outside.
_NAMES = ("SGD clipnorm", "RMSprop", "Adam", "Adam rate", "Adam average", "AdamW excluded", "Nadam",
          "CosineDecay warmup")  # fmt: skip
_TRACED = [case for case in OPTIMIZERS if case.name in _NAMES]


@pytest.mark.parametrize("case", _TRACED, ids=lambda case: case.name)
def test_optimizer_inside_a_function(case):
    """The first call makes the slots; numbers that change reach the traced function."""
    tf.keras.backend.clear_session()
    compare(case, *case.evaluate(tf, through_function=True))


@pytest.mark.parametrize("name", ROWS)
def test_row(name):
    check_row(ROWS[name], RECORDED["rows"], tf)


def test_nothing_recorded_is_gone():
    assert RECORDED["cases"].keys() == {case.name for case in CASES}
    assert RECORDED["rows"].keys() == ROWS.keys()

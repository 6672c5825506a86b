"""Batches that do not go round several processes: TensorFlow's numbers, and an end."""

import json
import pathlib

import pytest
from _sampling import WHOLE
from rows import GOLDEN, differences

from . import _processes
from ._worker import merged
from ._worker_rows import ROWS

PROGRAM = pathlib.Path(__file__).with_name("_worker.py")
RECORDED = json.loads((GOLDEN / "workers.json").read_text(encoding="utf-8"))["rows"]
DEVICES = {"in two processes": 1, "of four replicas": 2}


def _results(devices):
    """JSON of what each row gives in two processes of so many devices."""
    outputs = []
    for out, err, status in _processes.ended(_processes.started([PROGRAM, "tfcompat", devices])):
        assert status == 0, err
        outputs.append(json.loads(out.splitlines()[-1]))
    return json.dumps({name: merged([one[name] for one in outputs]) for name in ROWS})


@pytest.mark.parametrize("kind", list(DEVICES)[0 if WHOLE else 1 :])
@pytest.mark.parametrize("name", ROWS)
def test_row(name, kind, made_once):
    results = json.loads(made_once(f"workers, {kind}", lambda: _results(DEVICES[kind])))
    different = list(differences(results[name], RECORDED[f"{name}, {kind}"]))
    assert not different, "\n".join(different)


def test_every_recording_has_a_row():
    assert RECORDED.keys() == {f"{name}, {kind}" for name in ROWS for kind in DEVICES}

"""Random programs give what TensorFlow gave, deferred and immediate, and without the compiled recorder."""

import gzip
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from _sampling import one_in

import tfcompat as tf
from tfcompat import engine

from .compare import differences, short
from .programs import program, run

TESTS = pathlib.Path(__file__).parents[1]
RECORDED = json.loads(gzip.decompress((TESTS / "golden" / "fuzz.json.gz").read_bytes()))
SAMPLE = list(RECORDED)[:: one_in(50)]


def results(seed):
    return [short(x) for x in run(tf, program(int(seed)))]


@pytest.mark.parametrize("seed", SAMPLE)
def test_as_tensorflow(seed):
    assert not differences(int(seed), RECORDED[seed], results(seed))


@pytest.mark.parametrize("seed", SAMPLE[:1])
def test_immediate(seed):
    with engine.execution_mode("immediate"):
        assert not differences(int(seed), RECORDED[seed], results(seed))


def test_recorder_in_python():
    code = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import tfcompat as tf; from fuzz.compare import short; "
        "from fuzz.programs import program, run; "
        "print(json.dumps([[short(x) for x in run(tf, program(int(s)))] for s in sys.argv[2:]]))"
    )
    environment = {**os.environ, "TFCOMPAT_NATIVE": "off"}
    seeds = SAMPLE[:1]
    found = subprocess.run(
        [sys.executable, "-c", code, str(TESTS), *seeds], env=environment, check=True, capture_output=True, text=True
    )
    for seed, found_by_python in zip(seeds, json.loads(found.stdout), strict=True):
        assert not differences(int(seed), RECORDED[seed], found_by_python)


def test_programs_are_as_recorded():
    """The generator is deterministic, and most of what it makes is compared."""
    compared = [[x is not None and not isinstance(x, str) for x in row] for row in RECORDED.values()]
    assert [len(program(int(seed))) for seed in RECORDED] == [len(row) for row in compared]
    assert np.mean([x for row in compared for x in row]) > 0.6

"""Several processes over loopback: the numbers of one device, a process that never comes, one that dies."""

import functools
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from ._processes import ended, started

PROGRAM = pathlib.Path(__file__).with_name("_hosts.py")


def _started(arguments, numbers=(0, 1), dies=None, timeout=60):
    return started([PROGRAM, *arguments], numbers, dies, TFCOMPAT_CLUSTER_TIMEOUT=str(timeout))


def _alone(devices):
    """What the program prints in a process of its own."""
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, PROGRAM, str(devices)], env=environment, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@functools.cache
def _of_one_device():
    return _alone(1)


def _is_like_one_device(got):
    one = _of_one_device()
    for name in ("loss", "mae"):
        np.testing.assert_allclose(got["history"][name], one["history"][name], rtol=1e-5, atol=1e-6)
    for name in ("predicted", "total", "evaluated"):
        np.testing.assert_allclose(got[name], one[name], rtol=1e-4, atol=1e-6)


def test_eight_replicas_of_one_process():
    got = _alone(8)
    assert got["replicas"] == 8 and got["ids"] == list(range(8))
    _is_like_one_device(got)


def test_two_processes_of_two_devices():
    for number, (out, err, status) in enumerate(ended(_started([2]))):
        assert status == 0, err
        got = json.loads(out.splitlines()[-1])
        assert got["replicas"] == 4 and got["ids"] == [2 * number, 2 * number + 1]
        assert got["kinds"].keys() == {"Folded"}
        _is_like_one_device(got)
        own = [[[2 * number], [2 * number + 1]], [[4 + 2 * number], [5 + 2 * number]]]
        assert got["divided"]["AUTO"] == got["divided"]["DATA"] == own
        assert got["divided"]["OFF"] == [[[n], [n + 1]] for n in range(0, 8, 2)]  # all of it
        assert "Found an unshardable source dataset" in got["divided"]["FILE"]
        assert got["divided"]["function"] == [[[0], [1]], [[2], [3]] if number == 0 else [[], []]]
        assert "only supported in `distribute_datasets_from_function` of" in got["divided"]["PER_REPLICA"]
        alone, first, error, third = got["looked_up"]
        assert ("is refused in another process" if number else "9 is not in [0, 5)") in alone
        assert (first, third) == (5.0, 25.0)
        assert "7 is not in [0, 5)" in error


def test_training_goes_on_after_a_process_was_killed(tmp_path):
    first, second = ended(_started([1, tmp_path], dies=1, timeout=8))
    assert second[2] == 7 and "epoch 2" in second[0]
    assert first[2] != 0, "the other process ends, too"
    assert (tmp_path / "weights.index").exists()  # of ModelCheckpoint, which the first process writes
    results = ended(_started([1, tmp_path]))
    for out, err, status in results:
        assert status == 0, err
        losses = json.loads(out.splitlines()[-1])["history"]["loss"]
        assert len(losses) == 2  # epochs 3 and 4
        assert losses[-1] < _of_one_device()["history"]["loss"][2]


@pytest.mark.parametrize("number", [0, 1])
def test_a_process_that_never_comes(number):
    ((_, err, status),) = ended(_started([1], numbers=[number], timeout=3))
    assert status == 1
    assert "DeadlineExceededError" in err and "has waited 3 s" in err and "127.0.0.1" in err


def test_a_process_that_takes_fewer_steps():
    """It lives, and does something else: the other one waits as long as `timeout_seconds` says, once."""
    results = ended(started([pathlib.Path(__file__).with_name("_unequal.py")]))
    first, second = (json.loads(out.splitlines()[-1]) for out, _, _ in results)
    assert first["values"] == second["values"] == [3.0, 5.0]
    assert second["errors"] == []
    assert len(first["errors"]) == 2 and first["errors"][0] == first["errors"][1]
    assert "process 0 of 2 has waited 5.0 s" in first["errors"][0] and "timeout_seconds" in first["errors"][0]
    assert first["seconds"] < 1, "the second time it does not wait"

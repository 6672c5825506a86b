"""Several processes over loopback: the numbers of one device, a process that never comes, one that dies."""

import functools
import json
import os
import pathlib
import socket
import subprocess
import sys

import numpy as np
import pytest

PROGRAM = pathlib.Path(__file__).with_name("_hosts.py")


def _ports():
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


def _started(arguments, numbers=(0, 1), dies=None, timeout=60):
    """Processes of a cluster of two workers, those of these numbers."""
    workers = [f"127.0.0.1:{port}" for port in _ports()]
    processes = []
    for number in numbers:
        config = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": number}}
        environment = os.environ | {
            "JAX_PLATFORMS": "cpu", "TF_CONFIG": json.dumps(config), "TFCOMPAT_CLUSTER_TIMEOUT": str(timeout)
        }  # fmt: skip
        environment |= {"DIES": "1"} if number == dies else {}
        command = [sys.executable, str(PROGRAM), *map(str, arguments)]
        processes.append(subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ))  # fmt: skip
    return processes


def _ended(processes):
    """(exit status, what was printed, errors) of each process; none takes more than three minutes."""
    try:
        return [(*process.communicate(timeout=180), process.returncode) for process in processes]
    finally:
        for process in processes:
            process.kill()


@functools.cache
def _of_one_device():
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, PROGRAM, "1"], env=environment, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_two_processes_of_two_devices():
    one = _of_one_device()
    for number, (out, err, status) in enumerate(_ended(_started([2]))):
        assert status == 0, err
        got = json.loads(out.splitlines()[-1])
        assert got["replicas"] == 4 and got["ids"] == [2 * number, 2 * number + 1]
        assert got["kinds"].keys() == {"Folded"}
        for name in ("loss", "mae"):
            np.testing.assert_allclose(got["history"][name], one["history"][name], rtol=1e-5, atol=1e-6)
        for name in ("predicted", "total", "evaluated"):
            np.testing.assert_allclose(got[name], one[name], rtol=1e-4, atol=1e-6)
        own = [[[2 * number], [2 * number + 1]], [[4 + 2 * number], [5 + 2 * number]]]
        assert got["divided"]["AUTO"] == got["divided"]["DATA"] == own
        assert got["divided"]["OFF"] == [[[n], [n + 1]] for n in range(0, 8, 2)]  # all of it
        assert "AutoShardPolicy.FILE is not available in tfcompat" in got["divided"]["FILE"]
        first, error, third = got["looked_up"]
        assert (first, third) == (5.0, 25.0)
        assert "7 is not in [0, 5)" in error


def test_training_goes_on_after_a_process_was_killed(tmp_path):
    first, second = _ended(_started([1, tmp_path], dies=1, timeout=8))
    assert second[2] == 7 and "epoch 2" in second[0]
    assert first[2] != 0, "the other process ends, too"
    assert (tmp_path / "weights.index").exists()  # of ModelCheckpoint, which the first process writes
    results = _ended(_started([1, tmp_path]))
    for out, err, status in results:
        assert status == 0, err
        losses = json.loads(out.splitlines()[-1])["history"]["loss"]
        assert len(losses) == 2  # epochs 3 and 4
        assert losses[-1] < _of_one_device()["history"]["loss"][2]


@pytest.mark.parametrize("number", [0, 1])
def test_a_process_that_never_comes(number):
    ((_, err, status),) = _ended(_started([1], numbers=[number], timeout=3))
    assert status == 1
    assert "DeadlineExceededError" in err and "has waited 3 s" in err and "127.0.0.1" in err

"""The benchmark suite compares before it times, and does without a missing peer. No times are tested."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import tfcompat

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import measure, workloads  # noqa: E402


def agree(value, expected):
    value, expected = np.asarray(value), np.asarray(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("name", workloads.names())
def test_workload_computes_what_its_functional_form_does(name):
    workload = workloads.load(name, small=True)
    (step, arguments), (limit, limit_arguments) = workload.make(tfcompat), workload.make_jax()
    for _ in range(3):
        agree(step(*arguments), limit(*limit_arguments))


def test_peers_that_disagree_are_not_timed():
    measure.compare("mlp_step", {"jax": [1.0, 0.5], "tfcompat": [1.0, 0.5000001]})
    with pytest.raises(measure.Disagreement, match="tfcompat computes .* nothing timed"):
        measure.compare("mlp_step", {"jax": [1.0, 0.5], "tfcompat": [1.0, 0.6]})


def test_missing_peer_is_named_and_the_others_are_timed(tmp_path, monkeypatch):
    (tmp_path / "tensorflow.py").write_text("raise ImportError('not installed here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    output = tmp_path / "times.json"
    options = ["--workloads=mlp_step", "--rounds=1", "--quick", f"--json={output}", "--peers", "tf", "jax", "tfcompat"]
    command = [sys.executable, "-m", "benchmarks", *options]
    done = subprocess.run(command, text=True, capture_output=True, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "not here: not installed here" in done.stdout
    assert "tfcompat, eager" in done.stdout
    measured = json.loads(output.read_text())["workloads"]["mlp_step"]
    assert measured["missing"] == {"tf": "not installed here"}
    assert set(measured["peers"]) == {"jax", "tfcompat"}
    assert all(len(row["times"]) == 1 and row["median"] > 0 for row in measured["peers"].values())

"""Keras 3 as a guest, on several replicas: the numbers of one device."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("keras") is None, reason="needs Keras 3")


def _printed(program, *arguments):
    program = pathlib.Path(__file__).with_name(program)
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, program, *arguments], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_losses_are_those_of_one_device():
    one, two = _printed("_keras3.py", "1"), _printed("_keras3.py", "2")
    assert (one["replicas"], two["replicas"]) == (1, 2)
    for got, want in zip(two["results"][0].values(), one["results"][0].values(), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)
    for got, want in zip(two["results"][1:], one["results"][1:], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)


def test_variables_are_spread_as_a_distribution_says():
    result = _printed("_layouts.py")
    assert result["devices"] == [f"cpu:{n}" for n in range(4)]
    (plain, nowhere), (losses, layouts) = result["ignored"], result["spread"]
    assert nowhere == [None] * 4  # as on TensorFlow, `set_distribution` changes nothing
    assert layouts[::2] == [["unsharded", "model"]] * 2  # of the kernels; of the others XLA says it after a step
    np.testing.assert_allclose(losses, plain, rtol=1e-5)

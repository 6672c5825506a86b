"""Keras 3 as a guest, on several replicas: the numbers of one device."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest


def _trained(replicas):
    program = pathlib.Path(__file__).with_name("_keras3.py")
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, program, str(replicas)], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_losses_are_those_of_one_device():
    if importlib.util.find_spec("keras") is None:
        pytest.skip("needs Keras 3")
    one, two = _trained(1), _trained(2)
    assert (one["replicas"], two["replicas"]) == (1, 2)
    for got, want in zip(two["results"][0].values(), one["results"][0].values(), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5)
    for got, want in zip(two["results"][1:], one["results"][1:], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)

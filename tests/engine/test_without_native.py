"""The package without its compiled parts, and why they may be missing."""

import os
import subprocess
import sys

from tfcompat import _native


def test_the_recorder_runs_without_compiled_parts():
    program = """
import numpy as np, tfcompat as tf
from tfcompat import _native, engine
assert _native.compiled is None
v = tf.Variable(np.ones((3, 4), np.float32))
for _ in range(5):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.nn.relu(tf.matmul(v, v, transpose_b=True)) ** 3 * 2.0)
        slope = tape.gradient(y, v)
    v.assign_sub(1e-6 * outer.gradient(slope, [v])[0])
    f = tf.function(lambda a: a * v)
    y = f(tf.concat([v, v], 0)[:3])
print(float(tf.reduce_sum(y)), engine.stats()["programs_run"])
"""
    found = [
        subprocess.run(
            [sys.executable, "-c", text], env={**os.environ, "TFCOMPAT_NATIVE": mode}, capture_output=True, text=True,
            check=True, timeout=300,
        ).stdout
        for mode, text in (("off", program), ("", program.replace("assert _native.compiled is None", "")))
    ]  # fmt: skip
    assert found[0] == found[1] != ""


def test_it_is_told_why_there_are_no_compiled_parts(monkeypatch):
    monkeypatch.setenv("TFCOMPAT_NATIVE", "off")
    assert _native._load() == (None, "switched off by TFCOMPAT_NATIVE")
    monkeypatch.delenv("TFCOMPAT_NATIVE")
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    assert _native._load() == (None, "not for an interpreter without the global lock")
    monkeypatch.undo()
    monkeypatch.delenv("TFCOMPAT_NATIVE", raising=False)
    monkeypatch.setitem(sys.modules, "tfcompat._native._compiled", None)
    module, missing = _native._load()
    assert module is None and "not built" in missing
    monkeypatch.undo()
    if _native.compiled is not None:
        monkeypatch.setattr(_native, "VERSION", -1)
        monkeypatch.delenv("TFCOMPAT_NATIVE", raising=False)
        assert "install it again" in _native._load()[1]

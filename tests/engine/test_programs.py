"""`engine.last_program`, `engine.programs`: what a step was compiled to."""

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import engine
from tfcompat.engine.report.times import Times

pytestmark = pytest.mark.usefixtures("compiled_at_once")


def test_step_is_shown_as_it_was_compiled():
    w, x = tf.Variable(np.full((8, 4), 0.5, np.float32)), tf.constant(np.ones((3, 8), np.float32))
    for _ in range(3):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.math.softplus(x @ w))
        w.assign_sub(0.1 * tape.gradient(y, w))
        y.numpy()
    report = engine.last_program()
    assert report.compiled
    assert report.operations["MatMul"] == 1
    assert report.runs >= 2
    assert report.kernels.total() > 0
    assert report.kernels["parameter"] == 0
    assert report.costs["flops"] > 2 * 3 * 8 * 4
    assert report.costs["bytes"] > 3 * 8 * 4
    assert report.hlo.startswith("HloModule")
    text = repr(report)
    assert f"run {report.runs} times as one compiled program" in text
    assert "MatMul" in text
    assert "XLA runs" in text
    assert engine.programs()[0].operations == report.operations


def test_time_is_told_by_operations():
    w, x = tf.Variable(np.full((64, 64), 0.5, np.float32)), tf.constant(np.ones((64, 64), np.float32))
    for _ in range(3):
        loss = tf.reduce_sum(tf.math.softplus(x @ w))
        w.assign(w - loss * 0.0)
        w.numpy()
    times = engine.last_program().times(runs=2)
    assert "Softplus" in {name for each in times for name in each.split(", ")}, times
    assert list(times.values()) == sorted(times.values(), reverse=True)
    assert 0 < sum(times.values()) < 5
    assert len(repr(times).splitlines()) == len(times)
    many = Times({f"op{i}": 1e-6 for i in range(30)})
    assert repr(many).splitlines()[-1] == "10 others     10 µs   33%"


def test_asking_runs_nothing():
    before = engine.stats()
    engine.last_program()
    engine.programs()
    after = engine.stats()
    assert {k: after[k] - before[k] for k in after} == dict.fromkeys(after, 0)

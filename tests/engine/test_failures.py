"""What fails in the middle of recording leaves everything usable; so do collections at any moment, and long graphs."""

import gc
import inspect
import sys

import numpy as np
import pytest

import tfcompat as tf
from tfcompat import _native, engine
from tfcompat._package.causes import causes_of

X = np.float32([1, 2, 3])


class Model:
    def __init__(self):
        self.v = tf.Variable(tf.ones([3]))
        self.x = tf.constant(X)

    def step(self):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sin(self.v * 2.0) * self.x[0:3] + tf.nn.softmax(self.v))
        self.v.assign_add(tape.gradient(y, self.v) * 0.0 + 1.0)
        return y

    def check(self, before):
        """The step that failed has assigned the variable or not; the next one is as always."""
        after = float(self.v[0])
        assert after in (before, before + 1)
        assert engine.state.watchers == ()
        y = self.step()
        assert self.v.numpy().tolist() == [after + 1] * 3
        np.testing.assert_allclose(y, np.sum(np.sin(np.full(3, after) * 2) * X + 1 / 3), rtol=1e-4)


@pytest.mark.skipif(_native.compiled is None, reason="a tape of Python's is left by code that needs memory")
def test_memory_that_is_missing_once():
    testcapi = pytest.importorskip("_testcapi")
    model, failures = Model(), 0
    for _ in range(5):
        model.step().numpy()
    for allocation in range(300):
        before = float(model.v[0])
        testcapi.set_nomemory(allocation, allocation + 1)
        try:
            model.step()
        except MemoryError:
            testcapi.remove_mem_hooks()
            failures += 1
        finally:
            testcapi.remove_mem_hooks()
        model.check(before)
    assert failures > 20


def test_an_array_that_is_too_large():
    model = Model()
    before = float(model.v[0])
    pending = model.v * 3.0
    with pytest.raises((MemoryError, tf.errors.ResourceExhaustedError, RuntimeError)):
        tf.fill([1 << 28, 1 << 28], 1.0).numpy()
    assert pending.numpy().tolist() == [3 * before] * 3
    model.check(before)


@pytest.mark.parametrize("is_new", [False, True])  # whether what is recorded was never seen before
def test_no_room_on_the_stack(is_new):
    model = Model()
    model.step().numpy()

    def descend(depth, number):
        if depth:
            return descend(depth - 1, number)
        if is_new:
            tf.reduce_sum(tf.tanh(tf.ones([number + 2, 3])) + tf.cosh(model.v)).numpy()
        return model.step().numpy()  # recording alone may need no Python frame

    failures = 0
    for number in range(60):
        before = float(model.v[0])
        try:
            descend(sys.getrecursionlimit() - len(inspect.stack()) - 2 - number, number)
        except RecursionError:
            failures += 1
        model.check(before)
    assert failures > 0


@pytest.mark.parametrize("loop", [True, False])
def test_many_operations_without_a_look(loop):
    numbers = np.random.default_rng(0)
    ops = [lambda x: x + 1.0, lambda x: x - 1.0, lambda x: x * 1.0, tf.identity, tf.abs]
    x, known = tf.constant([1.0, 2.0]), np.float32([1, 2])
    for place in range(100_000):
        which = place % 4 if loop else int(numbers.integers(len(ops)))
        x = ops[which](x)
        known = [known + 1, known - 1, known, known, np.abs(known)][which]
    assert x.numpy().tolist() == known.tolist()


def test_a_collection_at_every_allocation():
    class Cycle:
        def __init__(self, variable):
            self.cycle, self.variable = self, variable

        def __del__(self):
            values.append(float(tf.reduce_sum(self.variable * 2.0)))

    values: list = []
    model, other = Model(), Model()
    for _ in range(3):
        other.step()
    function = tf.function(lambda x: tf.reduce_sum(tf.sin(x) * model.v))
    thresholds = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for number in range(6):
            Cycle(other.v)
            before = float(model.v[0])
            model.check(before)
            np.testing.assert_allclose(function(X), np.sum(np.sin(X) * (before + 1)), rtol=1e-5)
            tf.reduce_sum(tf.ones([number + 3, 2])).numpy()
    finally:
        gc.set_threshold(*thresholds)
    gc.collect()  # the collector has looked at young objects only
    assert values == [24.0] * 6


def test_exceptions_that_are_causes_of_each_other_are_told_once():
    """A kept exception that is raised again gets the exception that it caused as its context."""
    kept = ValueError("kept")
    caused = ValueError("caused")
    caused.__cause__, kept.__context__ = kept, caused
    assert list(causes_of(caused)) == [caused, kept] and list(causes_of(None)) == []

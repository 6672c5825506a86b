"""Memory that a program has freed is there for its next run; what was seen once is forgotten."""

import gc
import itertools
import pathlib
import subprocess
import sys
import weakref

import numpy as np
import pytest
from _steering import steered

import tfcompat as tf
from tfcompat import engine
from tfcompat.engine import _bind, _policy, _program
from tfcompat.engine._swept import Swept

PROGRAM = """
import resource
import sys
import numpy as np
import tfcompat as tf
from _steering import steered
from tfcompat.engine import _policy

w = tf.Variable(np.eye(20, dtype="float32"))
x = tf.constant(np.ones((50_000, 20), "float32"))

def step():
    with tf.GradientTape() as tape:
        y = x
        for _ in range(int(sys.argv[1])):  # 4 megabytes each, kept for the way back
            y = tf.tanh(y @ w)
        loss = tf.reduce_mean(y)
    w.assign_sub(tape.gradient(loss, w))
    return loss.numpy()

pages = []
with steered(_policy.TIERS, in_pieces_from=8):
    for _ in range(int(sys.argv[2])):
        step()
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        step()
        pages.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
print(min(pages))  # a thread that had no part in the steps before takes new ones
"""
TESTS = str(pathlib.Path(__file__).parents[1])


def _pages_of_a_step(layers, steps, **environment):
    environment |= {"TFCOMPAT_CACHE": "off", "TFCOMPAT_TIERS": "compiled", "PYTHONPATH": TESTS}
    command = [sys.executable, "-c", PROGRAM, str(layers), str(steps)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="the C library is asked on Linux only")
def test_pages_are_not_taken_from_the_system_at_each_run():
    kept = _pages_of_a_step(15, 10, TFCOMPAT_COMPILE="full")
    assert 2 * kept < _pages_of_a_step(15, 10, TFCOMPAT_COMPILE="full", TFCOMPAT_MALLOC="system")


@pytest.mark.skipif(sys.platform != "linux", reason="the C library is asked on Linux only")
def test_programs_larger_than_a_heap_take_their_memory_in_pieces():
    at_first = _pages_of_a_step(30, 2)
    assert 4 * _pages_of_a_step(30, 12) < at_first


# --- what was seen is forgotten -----------------------------------------------------------------------------------


class Value:
    pass


def test_entries_go_that_nothing_else_holds():
    table, swept = {}, Swept(10)
    held = table[-1] = Value()
    swept.note(table, -1)
    for key in range(1000):
        table[key] = Value()
        swept.note(table, key)
    assert table[-1] is held
    assert table[999]
    assert len(table) <= 14


def test_entries_in_use_are_not_looked_at_again_and_again():
    table, swept, held = {}, Swept(10), []
    for key in range(1000):
        held.append(Value())
        table[key] = held[-1]
        swept.note(table, key)
    assert len(table) == 1000
    assert swept._limit > 1000


def test_calls_are_bounded_and_those_in_use_keep_their_identity(monkeypatch):
    monkeypatch.setattr(_bind, "_calls", Swept(32))
    x, w = tf.ones([3]), tf.Variable(tf.ones([3]))
    first = tf.sin(x) * w
    call = first._node.inputs[0].call
    before = len(call.operation.calls)  # what other tests hold
    with steered(_policy.KEEPING, programs=8):
        for size in range(4, 400):
            tf.sin(tf.ones([size])).numpy()
            (tf.sin(x) * w).numpy()  # a program holds its call
    assert len(call.operation.calls) <= before + 2 * 32  # of 396
    assert tf.sin(x)._node.call is call


@pytest.mark.usefixtures("compiled_at_once")
@pytest.mark.parametrize("mode", ["deferred", "immediate"])  # programs, and kernels
def test_code_is_bounded_and_freed_at_once(mode, monkeypatch):
    monkeypatch.setattr(_program.host, "kernel_of", lambda call: None)
    code = weakref.WeakSet()
    gc.disable()
    try:
        with engine.execution_mode(mode), steered(_policy.KEEPING, executables=4):
            _program._compiled.clear()
            for _ in range(2):  # what was forgotten is compiled again
                for size in range(1, 11):
                    assert tf.math.cumulative_logsumexp(tf.zeros([size])).numpy()[0] == 0
                    code.update(program.executable for program in _program._compiled)
        assert 1 <= len(_program._compiled) <= 4
        assert len(code) <= 5
    finally:
        gc.enable()


def test_the_program_used_least_recently_is_looked_up():
    random, uses, searches = np.random.default_rng(0), itertools.count(1), 0
    kept = _program._Recent()
    for _ in range(5_000):
        for used in random.permutation(list(kept))[:2] if random.random() < 0.1 else ():
            used.last_use = next(uses)
        if len(kept) == 100:
            searches += not kept._oldest_last
            least = kept.least()
            assert least is min(kept, key=lambda other: other.last_use)
            kept.remove(least)
        program = Value()
        program.last_use = next(uses)
        kept.add(program)
        if random.random() < 0.01:
            kept.discard(next(iter(kept)))  # as when a program is given up for another reason
    assert searches < 400

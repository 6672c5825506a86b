"""Memory that a program has freed is there for its next run."""

import subprocess
import sys

import pytest

from tfcompat.engine import _policy

PROGRAM = """
import resource
import sys
import numpy as np
import tfcompat as tf

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

for _ in range(int(sys.argv[2])):
    step()
pages = []
for _ in range(5):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    step()
    pages.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
print(min(pages))  # a thread that had no part in the steps before takes new ones
"""


def _pages_of_a_step(layers, steps, **environment):
    environment |= {"TFCOMPAT_CACHE": "off", "TFCOMPAT_TIERS": "compiled"}
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
    at_first = _pages_of_a_step(30, 10)
    assert 4 * _pages_of_a_step(30, _policy.TIERS.in_pieces_from + 6) < at_first

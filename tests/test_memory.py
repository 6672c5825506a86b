"""Memory that a program has freed is there for its next run."""

import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
import tfcompat as tf

w = tf.Variable(np.eye(20, dtype="float32"))
x = tf.constant(np.ones((50_000, 20), "float32"))

def step():
    with tf.GradientTape() as tape:
        y = x
        for _ in range(15):  # 4 megabytes each, kept for the way back
            y = tf.tanh(y @ w)
        loss = tf.reduce_mean(y)
    w.assign_sub(tape.gradient(loss, w))
    return loss.numpy()

for _ in range(10):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    step()
print((resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 5)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the C library is asked on Linux only")
def test_pages_are_not_taken_from_the_system_at_each_run():
    def pages_of_a_step(malloc):
        environment = {"TFCOMPAT_MALLOC": malloc, "TFCOMPAT_COMPILE": "full", "TFCOMPAT_CACHE": "off"}
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
        assert not done.returncode, done.stderr
        return int(done.stdout)

    assert 2 * pages_of_a_step("") < pages_of_a_step("system")

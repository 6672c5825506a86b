"""A program that switches eager execution off for good runs in a process of its own."""

import subprocess
import sys

PROGRAM = """
import threading
import tfcompat
tfcompat.install()
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 4], name="x")
print(x, x.shape[1] * 2, x.get_shape()[1].value, x.shape[0].value, list(x.shape), tf.executing_eagerly())
w = tf.Variable(tf.truncated_normal([int(x.get_shape()[1]), 3], stddev=0.1))
y = tf.reshape(tf.matmul(x, w), [-1, w.get_shape()[1] * 1])
print(w.get_shape(), y.get_shape(), x.graph is tf.get_default_graph())
rows = tf.data.Dataset.from_tensor_slices(np.arange(3.0)).map(lambda e: e * 2.0)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(tf.shape(y), {x: np.ones([2, 4])}), session.graph is tf.get_default_graph())
    up = w.assign_add(tf.ones([4, 3]))
    threads = [threading.Thread(target=lambda: [session.run(up) for _ in range(5)]) for _ in range(3)]
    before = session.run(w)
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    print(np.unique(np.round(session.run(w) - before, 4)), tf.constant(1))
step = tf.Variable(0, trainable=False, name="step")
count = step.assign_add(1)
ids = tf.placeholder(tf.int32, [None])
with tf.Session() as session:
    session.run(step.initializer)
    counted = [int(n) for n in session.run([step, count]) if n is not None][:1]
    print(counted, session.run(tf.one_hot(ids, 2), {ids: [1]}).tolist())
old = tf.get_default_graph()
tf.reset_default_graph()
print(tf.get_default_graph() is old, tf.global_variables(), tf.Variable(1, name="y").name)

def main(argv):
    print("main", argv)

tf.app.run(main, ["program"])
"""
PRINTED = """\
Tensor("x:0", shape=(?, 4), dtype=float32) 8 4 None [Dimension(None), Dimension(4)] False
(4, 3) (?, 3) True
[2 3] True
[15.] Tensor("Const:0", shape=(), dtype=int32)
[1] [[0.0, 1.0]]
False [] y:0
main ['program']
"""


def test_a_program_without_eager_execution():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == (PRINTED, 0), done.stderr

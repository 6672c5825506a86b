"""`tfcompat.distribute.shard`: programs as they stand, divided by XLA."""

import json
import os
import subprocess
import sys

import jax
import numpy as np
import pytest
from jax.sharding import PartitionSpec

import tfcompat as tf

PROGRAM = """
import json, sys
import jax, numpy as np
import tfcompat as tf
count = int(sys.argv[1])
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)
mesh = jax.make_mesh((count,), ("m",))
random = np.random.RandomState(0)
x, y = random.randn(32, 8).astype("f"), random.randn(32, 2).astype("f")
tf.keras.utils.set_random_seed(1)
model = tf.keras.Sequential([tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(2)])
model.build((None, 8))
model.compile("adam", "mse")
for weight, spec in zip(model.weights, [(None, "m"), ("m",), ("m", None)]):
    assert tf.distribute.shard(weight, spec, mesh) is weight
losses = model.fit(x, y, batch_size=8, epochs=3, verbose=0, shuffle=False).history["loss"]
w = model.weights[0]
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w * w)
w.assign_sub(0.1 * tape.gradient(loss, w))
total = float(tf.reduce_sum(tf.distribute.shard(x, ("m",), mesh) @ w))
sharding = getattr(w._node.value, "sharding", None)
print(json.dumps([losses, total, str(getattr(sharding, "spec", None)), len(sharding.device_set) if sharding else 1]))
"""


def _run(count):
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(count)], env=environment, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_an_unmodified_program_is_divided():
    one, four = _run(1), _run(4)
    np.testing.assert_allclose(four[0], one[0], rtol=1e-5)
    np.testing.assert_allclose(four[1], one[1], rtol=1e-4)
    assert "'m'" in four[2] and four[3] == 4


def test_what_cannot_be_divided():
    mesh = jax.make_mesh((1,), ("m",))
    shard = tf.distribute.shard
    np.testing.assert_array_equal(shard([1.0, 2.0], PartitionSpec("m"), mesh), [1.0, 2.0])
    with pytest.raises(ValueError, match="more axes than the shape"):
        shard(tf.ones([2]), (None, "m"), mesh)
    with pytest.raises(ValueError, match="not 'q'"):
        shard(tf.ones([2]), ("q",), mesh)
    with pytest.raises(TypeError, match="expected a jax.sharding.Mesh"):
        shard(tf.ones([2]), ("m",), None)

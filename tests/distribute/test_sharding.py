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


def spec():
    return list(w._node.value.sharding.spec) if count > 1 else None


devices = len(w._node.value.sharding.device_set) if count > 1 else 1
kept = [spec()]
for assign in (lambda: w.assign(tf.ones([8, 16])), lambda: w.assign(tf.transpose(tf.reshape(w, [16, 8]))),
               tf.function(lambda: w.assign_add(tf.ones([8, 1]) @ tf.ones([1, 16])))):
    assign()
    float(w[0, 0])
    kept.append(spec())
print(json.dumps([losses, total, kept, devices]))
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
    assert four[2] == [[None, "m"]] * 4  # also after regular tensors, and what XLA would divide along the other axis
    assert four[3] == 4


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

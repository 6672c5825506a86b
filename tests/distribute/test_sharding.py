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


def _run(count, program=PROGRAM):
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", program, str(count)], env=environment, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_an_unmodified_program_is_divided():
    one, four = _run(1), _run(4)
    np.testing.assert_allclose(four[0], one[0], rtol=1e-5)
    np.testing.assert_allclose(four[1], one[1], rtol=1e-4)
    assert four[2] == [[None, "m"]] * 4  # also after regular tensors, and what XLA would divide along the other axis
    assert four[3] == 4


FULLY = """
import json, sys
import jax, numpy as np
import tfcompat as tf
count = int(sys.argv[1])
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)
mesh = jax.make_mesh((count // 2, 2) if count > 1 else (1, 1), ("data", "model"))
random = np.random.RandomState(0)
x, y = random.randn(32, 16).astype("f"), random.randn(32, 4).astype("f")


def spread():
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(32, "relu"), tf.keras.layers.Dense(4)])
    model.build((None, 16))
    for weight, spec in zip(model.weights, [("data", "model"), ("model",), (("data", "model"), None), ("data",)]):
        tf.distribute.shard(weight, spec, mesh)
    return model


def specs(variables):
    if count == 1:
        return []
    return [str(v._node.value.sharding.spec) for v in variables if v.shape.rank]


def kinds(report):
    return sorted((each.kind, each.devices) for each in report.collectives)


model, optimizer = spread(), tf.keras.optimizers.Adam(0.01)
rows, targets = (tf.distribute.shard(value, ("data",), mesh) for value in (x, y))
losses = []
for _ in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(rows) - targets) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    losses.append(float(loss))
sent = [kinds(tf.engine.last_program())]
kept = [specs(model.weights), specs(optimizer.variables)]
model = spread()
model.compile(tf.keras.optimizers.Adam(0.01), "mse")
losses += model.fit(x, y, batch_size=16, epochs=2, shuffle=False, verbose=0).history["loss"]
sent += [next((found for found in map(kinds, tf.engine.programs()[:3]) if found), [])]
kept += [specs(model.weights)]
losses += [model.evaluate(x, y, verbose=0), float(model.predict(x, verbose=0).sum())]
print(json.dumps([losses, sent, kept]))
"""


def test_weights_their_slots_and_batches_are_divided_along_two_axes():
    """A loop and `fit`: numbers of one device, weights that stay where they are, and collectives in the step."""
    (one, nothing, _), (losses, sent, (loop, slots, fit)) = _run(1, FULLY), _run(4, FULLY)
    np.testing.assert_allclose(losses, one, rtol=1e-4)
    assert nothing == [[], []]
    spread = ["PartitionSpec('data', 'model')", "PartitionSpec('model',)", "PartitionSpec(('data', 'model'),)",
              "PartitionSpec('data',)"]  # fmt: skip
    spread = [text.replace("PartitionSpec", loop[0].partition("(")[0]) for text in spread]
    assert loop == fit == spread and set(slots) == set(spread)
    for kinds in sent:
        assert {"all-reduce"} <= {kind for kind, _ in kinds} <= {"all-reduce", "all-gather", "all-to-all",
                                                                 "reduce-scatter", "collective-permute"}  # fmt: skip


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

"""Replicas that do the same run as one program on all devices; others give the same numbers on one."""

import functools
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

PROGRAM = pathlib.Path(__file__).with_name("_steps.py")


def _printed(*arguments, limit=200):
    """What Python prints that is called with these arguments."""
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=limit
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@functools.cache
def steps(replicas, way):
    return json.loads(_printed(PROGRAM, str(replicas), way, limit=300).splitlines()[-1])


@pytest.mark.parametrize(("replicas", "way"), [(2, "eager"), (8, "outside"), (2, "inside"), (4, "unequal")])
def test_losses_are_those_of_one_device(replicas, way):
    one, several = steps(1, "unequal" if way == "unequal" else "eager"), steps(replicas, way)
    np.testing.assert_allclose(several["losses"], one["losses"], rtol=1e-6, atol=1e-6)
    for part in several["weights"]:
        np.testing.assert_allclose(part, one["weights"][0], rtol=1e-5, atol=1e-6)
    assert several["seen"] == one["seen"]
    np.testing.assert_allclose(several["local"], one["local"] * replicas, rtol=1e-5)
    # As in TensorFlow: eagerly once for each replica and step, traced once for each replica.
    assert several["calls"] == (6 * replicas if way in ("eager", "unequal") else replicas)
    if way == "unequal":
        assert several["kinds"]["_Together"]
    else:
        assert several["kinds"].keys() == {"Folded"}
        assert len(several["devices"]) == replicas
        assert [place.rpartition(":")[2] for place in several["places"]] == [str(n) for n in range(replicas)]


def test_what_replicas_exchange():
    numbers = 5 * 8 + 8 * 1 + 1  # gradients and the loss
    numbers += 4 * 8             # the sums for the normalization, and their cotangents
    (total,) = steps(8, "outside")["exchanged"]
    assert (total["kind"], total["devices"], total["bytes"]) == ("all-reduce", 8, 4 * numbers)
    assert total["sent"] == round(4 * numbers * 2 * 7 / 8)


HELD = """
import json, sys
import tfcompat as tf
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0],
                                           [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    v = tf.Variable(tf.zeros([40, 40]), aggregation=tf.VariableAggregation.SUM)

def step():
    number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
    v.assign_add(tf.ones([40, 40]))
    return v * 2.0 + number

run = strategy.run
if sys.argv[1] == "function":
    run = tf.function(run)
held = []
for n in range(6):
    result = strategy.experimental_local_results(run(step))
    held.append([v.values[0].value(), v.values[1].value(), *result])
    if n % 2:
        v.values[1].numpy()  # one of the two is taken out of the array of both
    if n == 3:
        result[1].numpy()
print(json.dumps([[[float(tf.reduce_min(x)), float(tf.reduce_max(x))] for x in each] for each in held]))
"""


@pytest.mark.parametrize("way", ["eager", "function"])
def test_values_that_are_held_stay_as_they_were(way):
    held = json.loads(_printed("-c", HELD, way).splitlines()[-1])
    for n, values in enumerate(held):
        total = 2.0 * (n + 1)
        assert values == [[total] * 2, [total] * 2, [2 * total] * 2, [2 * total + 1] * 2]


MEMORY = """
import json, sys
import tfcompat as tf
from tfcompat import engine
cpu, count = tf.config.list_physical_devices("CPU")[0], int(sys.argv[2])
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)
strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    w = tf.Variable(tf.fill([512, 256], 1e-3), aggregation=tf.VariableAggregation.SUM)
def replica(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.tanh(x @ w))
    w.assign_sub(1e-3 * tape.gradient(loss, w))
    return loss
def step(x):
    return strategy.reduce("SUM", strategy.run(replica, args=(x,)), axis=None)
step = tf.function(step) if sys.argv[1] == "function" else step
(x,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensors(tf.ones([2 * count, 512])))
losses = [float(step(x)) for _ in range(4)]
report = engine.last_program()
memory = report.executable.memory_analysis()
sizes = memory.argument_size_in_bytes, memory.output_size_in_bytes, memory.temp_size_in_bytes
peak = sum(sizes) - memory.alias_size_in_bytes
print(json.dumps([report.reused, memory.alias_size_in_bytes, peak, losses]))
"""


def _memory(way, replicas):
    return json.loads(_printed("-c", MEMORY, way, str(replicas)).splitlines()[-1])


def test_weights_are_overwritten_and_a_replica_takes_its_gradients_more():
    weights, losses = 512 * 256 * 4, {}
    *_, alone, _ = _memory("function", 1)
    for way in ("function", "eager"):
        reused, size, peak, losses[way] = _memory(way, 2)
        assert (reused, size) == (2, weights)
        assert peak <= 1.02 * (alone + weights)
    assert losses["function"] == losses["eager"]
    assert losses["eager"][0] > losses["eager"][-1]


READ_ELSEWHERE = """
import threading, time
import tfcompat as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
begun, seen, readers = threading.Event(), [], []
def replica():
    v.assign_add(tf.constant(1.0))
    if not readers:  # in the first replica, before the second one has come to the sum
        readers.append(threading.Thread(target=lambda: (begun.set(), seen.append(float(v)))))
        readers[0].start()
        begun.wait()
        time.sleep(0.1)
    v.assign_add(v + 0.0)
strategy.run(replica)
readers[0].join(60)
print(seen, float(v))
"""


def test_a_thread_that_reads_a_variable_waits_for_all_replicas():
    assert _printed("-c", READ_ELSEWHERE).split() == ["[3.0]", "9.0"]


def test_replicas_go_on_past_sums():
    """Nobody waits at the sums, so the first replica is through before the second one begins; the calls are as many."""
    program = """
import tfcompat as tf
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
def replica(reads):
    context = tf.distribute.get_replica_context()
    log.append(("begin", context._replica_id))
    v.assign_add(tf.constant(1.0))
    seen = float(v + 0.0) if reads else None
    log.append(("end", context._replica_id, seen))
for reads in (False, True):
    log = []
    strategy.run(replica, args=(reads,))
    print(log)
"""
    past, stopped = map(eval, _printed("-c", program).splitlines())
    assert past == [("begin", 0), ("end", 0, None), ("begin", 1), ("end", 1, None)]
    assert stopped == [("begin", 0), ("begin", 1), ("end", 0, 5.0), ("end", 1, 5.0)]

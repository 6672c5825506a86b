"""`tf.distribute` with one replica: answers of TensorFlow 2.21's default strategy, and of one mirrored device.

More replicas have a folder of their own, `distribute/`.
"""

import functools
import json

import jax
import pytest

import tfcompat as tf

distribute = tf.distribute


def test_default_strategy():
    strategy = distribute.get_strategy()
    replica = distribute.get_replica_context()
    assert not distribute.has_strategy() and not distribute.in_cross_replica_context()
    assert strategy.num_replicas_in_sync == replica.num_replicas_in_sync == 1
    assert replica.strategy is strategy and replica.replica_id_in_sync_group == 0
    values = tf.constant([1.0, 2.0])
    assert strategy.reduce("sum", values, axis=0).numpy() == 3.0
    assert strategy.reduce(distribute.ReduceOp.MEAN, values, axis=0).numpy() == 1.5
    assert strategy.reduce("SUM", values, axis=None) is values
    assert replica.all_reduce("SUM", values) is values
    with pytest.raises(ValueError, match="'MAX' is not a valid ReduceOp"):
        strategy.reduce("MAX", values, axis=0)
    with pytest.raises(RuntimeError, match="worker_devices"):
        _ = strategy.extended.worker_devices
    merged = replica.merge_call(lambda s, x: (s, x, distribute.in_cross_replica_context()), args=(1,))
    assert merged == (strategy, 1, True)
    with strategy.scope() as entered:
        assert entered is strategy and not distribute.has_strategy()


def test_one_mirrored_device():
    default, strategy = distribute.get_strategy(), distribute.MirroredStrategy(["/cpu:0"])
    with strategy.scope():
        assert distribute.in_cross_replica_context() and distribute.get_replica_context() is None
        assert distribute.has_strategy() and distribute.get_strategy() is strategy
        variable = tf.Variable(1.0)
        replica = strategy.run(distribute.get_replica_context)
        assert replica.strategy is strategy
        assert strategy.experimental_local_results(variable) == (variable,)
        with pytest.raises(RuntimeError, match="Must not nest"):
            default.scope()
        with pytest.raises(RuntimeError, match="Mixing different"):
            distribute.OneDeviceStrategy("/cpu:0").scope()
    assert not distribute.has_strategy()
    updated = strategy.extended.update(variable, lambda v, x: v.assign_add(x), args=(2.0,))
    assert updated.numpy() == variable.numpy() == 3.0
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(2))
    assert [strategy.run(lambda x: x + 1, args=(x,)).numpy() for x in data] == [1, 2]


def test_programs_that_look_for_a_tpu_go_on_without_one():
    resolver = distribute.cluster_resolver.TPUClusterResolver
    elsewhere = functools.partial(resolver, "grpc://10.0.0.2")
    for look in (resolver, tf.tpu.experimental.initialize_tpu_system, distribute.TPUStrategy, elsewhere):
        with pytest.raises(ValueError, match="TPU"):
            look()
    with pytest.raises(tf.errors.UnimplementedError, match="jax.distributed.initialize"):
        tf.config.experimental_connect_to_cluster({"worker": ["localhost:1"]})


def test_one_tpu(monkeypatch):
    monkeypatch.setattr(jax, "default_backend", lambda: "tpu")
    resolver = distribute.cluster_resolver.TPUClusterResolver(tpu="")
    tf.config.experimental_connect_to_cluster(resolver)
    tf.tpu.experimental.initialize_tpu_system(resolver)
    assert distribute.experimental.TPUStrategy is distribute.TPUStrategy
    if len(jax.devices()) > 1:
        pytest.skip("there are several devices")
    strategy = distribute.TPUStrategy(resolver)
    assert strategy.num_replicas_in_sync == 1 and strategy.cluster_resolver is resolver
    with strategy.scope():
        variable = tf.Variable(2.0)
        assert strategy.run(lambda x: x * variable, args=(tf.constant(3.0),)).numpy() == 6.0


def test_one_host(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {"worker": ["localhost:1"]}, "task": {"index": 0}}))
    options = distribute.experimental.CommunicationOptions(
        implementation=distribute.experimental.CommunicationImplementation.NCCL
    )
    for strategy in (
        distribute.MultiWorkerMirroredStrategy(communication_options=options),
        distribute.experimental.CentralStorageStrategy(),
        distribute.MirroredStrategy(cross_device_ops=distribute.HierarchicalCopyAllReduce(num_packs=2)),
        distribute.MirroredStrategy(cross_device_ops=distribute.ReductionToOneDevice()),
    ):
        with strategy.scope():
            variable = tf.Variable(2.0)
            assert strategy.run(lambda v: v * 3.0, args=(variable,)).numpy() == 6.0
    with pytest.raises(ValueError, match="num_packs >= 0"):
        distribute.NcclAllReduce(-1)
    with pytest.raises(ValueError, match="bytes_per_pack"):
        distribute.experimental.CommunicationOptions(bytes_per_pack=-1)


def test_what_is_not_there_is_refused(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"index": 0}}))
    with pytest.raises(tf.errors.InvalidArgumentError, match="device:CPU:1'.*All available devices"):
        distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    with pytest.raises(tf.errors.UnimplementedError, match="ParameterServerStrategy.*use MirroredStrategy"):
        distribute.experimental.ParameterServerStrategy()
    float(tf.ones([2])[0] + 1.0)
    with pytest.raises(ValueError, match="is neither the chief nor a worker"):
        distribute.MultiWorkerMirroredStrategy()
    monkeypatch.setenv(
        "TF_CONFIG", json.dumps({"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 0}})
    )
    with pytest.raises(RuntimeError, match="Collective ops must be configured at program startup"):
        distribute.MultiWorkerMirroredStrategy()
    with pytest.raises(AttributeError, match="tf.distribute.Server is not available"):
        _ = distribute.Server

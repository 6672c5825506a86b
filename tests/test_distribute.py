"""`tf.distribute` with its one replica: answers of TensorFlow 2.21's default strategy, and of one mirrored device."""

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
    strategy = distribute.MirroredStrategy(["/cpu:0"])
    with strategy.scope():
        assert distribute.in_cross_replica_context() and distribute.get_replica_context() is None
        assert distribute.has_strategy() and distribute.get_strategy() is strategy
        variable = tf.Variable(1.0)
        replica = strategy.run(distribute.get_replica_context)
        assert replica.strategy is strategy
        assert strategy.experimental_local_results(variable) == (variable,)
        with pytest.raises(RuntimeError, match="Must not nest"):
            distribute._DEFAULT.scope()
        with pytest.raises(RuntimeError, match="Mixing different"):
            distribute.OneDeviceStrategy("/cpu:0").scope()
    assert not distribute.has_strategy()
    updated = strategy.extended.update(variable, lambda v, x: v.assign_add(x), args=(2.0,))
    assert updated.numpy() == variable.numpy() == 3.0
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(2))
    assert [strategy.run(lambda x: x + 1, args=(x,)).numpy() for x in data] == [1, 2]


def test_more_devices_are_refused():
    with pytest.raises(tf.errors.UnimplementedError, match="2 devices.*jax.sharding"):
        distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    with pytest.raises(tf.errors.UnimplementedError, match="several hosts"):
        distribute.MultiWorkerMirroredStrategy()
    with pytest.raises(AttributeError, match="tf.distribute.Server is not available"):
        _ = distribute.Server

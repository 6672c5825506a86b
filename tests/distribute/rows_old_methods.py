"""What a strategy has besides: iterators and methods of TensorFlow 1, `extended`, ways to combine values."""

from rows import raised, row, row_for

from distribute._replicas import each, new, number

_MAKERS = {
    "two": lambda tf: new(tf),
    "one": lambda tf: tf.distribute.MirroredStrategy(["/cpu:0"]),
    "one device": lambda tf: tf.distribute.OneDeviceStrategy("/cpu:0"),
    "central": lambda tf: tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"], "/cpu:0"),
}


def _batches(tf):
    return tf.data.Dataset.range(5).batch(2)


def _taken(tf, strategy, iterator):
    """What the replicas get until the end, twice."""
    found = []
    for _ in range(2):
        iterator.initialize()
        try:
            while True:
                found.append(each(strategy, iterator.get_next()))
        except tf.errors.OutOfRangeError:
            found.append("the end")
    return found


@row_for(kind=list(_MAKERS))
def iterators_over_batches(tf, kind):
    strategy = _MAKERS[kind](tf)
    return _taken(tf, strategy, strategy.make_dataset_iterator(_batches(tf)))


@row_for(kind=list(_MAKERS))
def iterators_of_a_function(tf, kind):
    strategy, contexts = _MAKERS[kind](tf), []

    def made(context):
        contexts.append(str(context))
        return _batches(tf)

    return _taken(tf, strategy, strategy.make_input_fn_iterator(made)), contexts


@row_for(kind=list(_MAKERS))
def old_ways_to_run(tf, kind):
    strategy = _MAKERS[kind](tf)
    iterator = strategy.make_dataset_iterator(_batches(tf))
    return (
        each(strategy, strategy.experimental_run(lambda x: x * 2, iterator)),
        each(strategy, strategy.experimental_run(lambda: number(tf))),
        strategy.group(strategy.run(lambda: number(tf))), strategy.group(strategy.run(lambda: number(tf)), name="all"),
        strategy.configure(), strategy.configure(session_config=tf.compat.v1.ConfigProto()),
    )  # fmt: skip


@row_for(kind=list(_MAKERS))
def extended_by_name(tf, kind):
    strategy = _MAKERS[kind](tf)
    extended = strategy.extended
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
        beside = strategy.colocate_vars_with(v)
        entered = hasattr(beside, "__enter__")
    other = tf.Variable([5.0, 6.0])
    places = extended.non_slot_devices([v])
    return (
        entered, raised(lambda: strategy.colocate_vars_with(v), 'Need to be inside "with strategy.scope()" for'),
        extended.read_var(v), extended.should_checkpoint, extended.should_save_summary,
        extended.experimental_should_init,
        extended.update_non_slot(places, lambda: 3.0),
        extended.update_non_slot(places, lambda x: x, (4.0,), group=False),
        extended.update_non_slot(places, lambda: other.assign_add([1.0, 1.0])) is not None, other,
        raised(lambda: extended.broadcast_to(tf.constant(1.0), None)),
        each(strategy, extended.broadcast_to(tf.constant(1.0), v)),
    )  # fmt: skip


@row_for(kind=["one device", "central"])
def variables_of_no_strategy_are_updated(tf, kind):
    strategy, other = _MAKERS[kind](tf), tf.Variable([5.0, 6.0])
    extended = strategy.extended
    return (
        each(strategy, extended.update(other, lambda v: v + 1.0)),
        len(extended.update(other, lambda v: v + 1.0, group=False)),
        each(strategy, extended.update(other, lambda v: v.assign_add([1.0, 1.0]))), other,
    )  # fmt: skip


@row
def variables_of_another_strategy(tf):
    with new(tf).scope():
        v = tf.Variable([1.0, 2.0])
    extended = tf.distribute.OneDeviceStrategy("/cpu:0").extended
    return (
        extended.variable_created_in_scope(v), tf.distribute.get_strategy().extended.variable_created_in_scope(v),
        tf.distribute.get_strategy().extended.update(v, lambda x: x + 1.0), v.is_distributed_variable,
    )  # fmt: skip


@row_for(kind=["ReductionToOneDevice", "HierarchicalCopyAllReduce"])
def values_are_combined_by_hand(tf, kind):
    strategy, ops = new(tf), getattr(tf.distribute, kind)()
    value = strategy.run(lambda: number(tf) + 1.0)
    with strategy.scope():
        v = tf.Variable(1.0)
    how = tf.distribute.ReduceOp
    return (
        each(strategy, ops.reduce(how.SUM, value, value)), each(strategy, ops.reduce(how.MEAN, value, v)),
        [each(strategy, x) for x in ops.batch_reduce(how.SUM, [(value, value), (value, v)])],
        each(strategy, ops.broadcast(tf.constant(2.0), value)), ops.reduce(how.SUM, value, "/cpu:0"),
        raised(lambda: ops.reduce("SUM", value, value), "`reduce_op` must be Reduce.SUM or Reduce.MEAN"),
    )  # fmt: skip


@row
def strategies_of_the_first_version(tf, np):
    old = tf.compat.v1.distribute
    strategy = old.MirroredStrategy(["/cpu:0", "/cpu:1"], cross_device_ops=tf.distribute.ReductionToOneDevice())
    one = old.OneDeviceStrategy("/cpu:0")
    with strategy.scope():
        v = tf.Variable(1.0)
    return (
        strategy.reduce("SUM", strategy.run(lambda: v + number(tf))), isinstance(strategy, old.Strategy),
        list(strategy.experimental_make_numpy_dataset((np.arange(3), np.arange(3.0)))),
        one.reduce("SUM", tf.constant([1.0, 2.0]), 0), one.reduce("SUM", tf.constant([1.0, 2.0])),
        old.get_loss_reduction().name, old.has_strategy(), old.in_cross_replica_context(),
    )  # fmt: skip


@row
def kinds_of_strategies_of_the_first_version(tf):
    old, kinds = tf.compat.v1.distribute, {}
    names = ["Strategy", "MirroredStrategy", "OneDeviceStrategy"]
    parted = ["CentralStorageStrategy", "MultiWorkerMirroredStrategy", "ParameterServerStrategy", "TPUStrategy"]
    for kind in [getattr(old, name) for name in names] + [getattr(old.experimental, name) for name in parted]:
        methods = [hasattr(kind, name) for name in ("gather", "experimental_distribute_values_from_function", "group")]
        kinds[str(len(kinds))] = issubclass(kind, old.Strategy), issubclass(kind, tf.distribute.Strategy), methods
    one = old.OneDeviceStrategy("/cpu:0")
    return (
        kinds, isinstance(one, tf.distribute.OneDeviceStrategy), isinstance(one.extended, old.StrategyExtended),
        issubclass(tf.distribute.MirroredStrategy, old.Strategy),
        isinstance(tf.distribute.get_strategy(), tf.distribute.Strategy),
        old.experimental.CentralStorageStrategy().reduce("SUM", tf.ones([2])),
    )  # fmt: skip


@row
def iterators_and_datasets_by_name(tf):
    strategy = new(tf)
    dataset = strategy.experimental_distribute_dataset(_batches(tf))

    def add(total, batch):
        return total + tf.reduce_sum(each(strategy, batch)[0])

    return dataset.reduce(tf.constant(0, tf.int64), add), each(strategy, iter(dataset).next())


@row
def what_contexts_tell_is_fixed(tf):
    context, value = tf.distribute.InputContext(2, 1, 4), tf.distribute.experimental.ValueContext(1, 2)

    def change(of, name):
        return raised(lambda: setattr(of, name, 3), "has no setter")

    return (
        context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync,
        value.replica_id_in_sync_group, value.num_replicas_in_sync,
        change(context, "num_replicas_in_sync"), change(value, "num_replicas_in_sync"),
    )  # fmt: skip


@row
def merged_options_of_communication(tf):
    options = tf.distribute.experimental.CommunicationOptions
    hints = tf.distribute.experimental.CollectiveHints(bytes_per_pack=5, timeout_seconds=2.0)
    return (
        str(options(timeout_seconds=3.0).merge(options(bytes_per_pack=5))), str(options(bytes_per_pack=1).merge(None)),
        hints.bytes_per_pack, hints.timeout_seconds,
    )  # fmt: skip

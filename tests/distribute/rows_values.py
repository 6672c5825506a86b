"""What strategies return, reduce and gather."""

from rows import raised, row, row_for

from distribute._replicas import each, number, of


@row_for(op=["SUM", "MEAN", "sum", "mean"], axis=[None, 0, 1, (0, 1)])
def reduced(tf, op, axis):
    strategy = of(tf)
    value = strategy.run(lambda: (number(tf) + 1.0) * tf.constant([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]))
    return strategy.reduce(op, value, axis=axis)


@row_for(dtype=["int32", "int64", "float64", "float16", "bool"], op=["SUM", "MEAN"])
def reduced_dtype(tf, dtype, op):
    strategy = of(tf)
    value = strategy.run(lambda: tf.cast([1, 2, 4], dtype) if dtype == "bool" else tf.cast(number(tf), dtype) + 3)
    if dtype == "bool":
        return raised(lambda: strategy.reduce(op, strategy.run(lambda: 3.0), axis=None))
    return strategy.reduce(op, value, axis=None)


@row_for(replicas=[2, 4])
def means_count_rows(tf, np, replicas):
    strategy = of(tf, replicas)
    data = tf.data.Dataset.from_tensor_slices(np.float32([1, 2, 3, 4, 10])).batch(5)
    batch = next(iter(strategy.experimental_distribute_dataset(data)))
    return [strategy.reduce(op, batch, axis=0) for op in ("SUM", "MEAN")]


@row
def reduced_nests(tf):
    strategy = of(tf)
    value = strategy.run(lambda: {"a": number(tf), "b": (number(tf) + 1.0, tf.constant(2.0))})
    return strategy.reduce("SUM", value, axis=None), strategy.reduce("MEAN", value, axis=None)


@row
def reduced_slices(tf):
    strategy = of(tf)
    value = strategy.run(lambda: tf.IndexedSlices(number(tf) + [[1.0, 2.0]], tf.constant([1]), tf.constant([3, 2])))
    return strategy.reduce("SUM", value, axis=None), strategy.reduce("MEAN", value, axis=None)


@row
def reduced_values_of_no_replica(tf):
    strategy = of(tf)
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
    return (
        strategy.reduce("MEAN", 3.0, axis=None), strategy.reduce("MEAN", tf.constant(2.0), axis=None),
        raised(lambda: strategy.reduce("SUM", 3.0, axis=None), "A non-DistributedValues value 3.0 cannot be reduced"),
        raised(lambda: strategy.reduce("SUM", tf.constant(3.0), axis=None), "A non-DistributedValues value"),
        raised(lambda: strategy.reduce("SUM", v, axis=None)), strategy.reduce("MEAN", v, axis=None),
        raised(lambda: strategy.reduce("MAX", 3.0, axis=None), "'MAX' is not a valid ReduceOp"),
    )  # fmt: skip


@row_for(axis=[0, 1])
def gathered(tf, axis):
    strategy = of(tf)
    return strategy.gather(strategy.run(lambda: number(tf) + [[1.0, 2.0], [3.0, 4.0]]), axis)


@row
def gathered_sizes(tf):
    strategy = of(tf)
    value = strategy.run(lambda: tf.fill([int(number(tf)) + 1, 2], number(tf)))
    return strategy.gather(value, 0)


@row
def gathered_badly(tf):
    strategy = of(tf)
    value = strategy.run(lambda: number(tf)[None])
    return (
        raised(lambda: strategy.gather(value, 1)), raised(lambda: strategy.gather(strategy.run(lambda: number(tf)), 0)),
        strategy.gather(tf.constant([1.0]), 0),
    )  # fmt: skip


@row
def printed(tf):
    strategy = of(tf)
    value = strategy.run(lambda: number(tf) * [1.0, 3.0])
    nest = strategy.run(lambda: (number(tf), 3, None, "a", [tf.constant(1.0)]))
    return repr(value), str(value), repr(nest), type(value).__name__


@row
def what_cannot_be_done_with_them(tf):
    strategy = of(tf)
    value = strategy.run(lambda: number(tf))
    return (
        raised(lambda: value.numpy()), raised(lambda: value + 1), raised(lambda: float(value)),
        raised(lambda: tf.convert_to_tensor(value), "It looks like you are using a PerReplica object"),
        raised(lambda: tf.reduce_sum(value), "It looks like you are using a PerReplica object"),
    )  # fmt: skip


@row
def in_nests(tf):
    strategy = of(tf)
    value = strategy.run(lambda: number(tf))
    return (
        len(tf.nest.flatten([value, value])), tf.nest.flatten([value, value], expand_composites=True),
        repr(tf.type_spec_from_value(value)), isinstance(value, tf.distribute.DistributedValues),
    )  # fmt: skip


@row
def local_results(tf):
    strategy = of(tf)
    value = strategy.run(lambda: number(tf))
    results = strategy.experimental_local_results
    return results(value), results(3), results((value, value)), results({"a": value}), results([1, 2])


@row
def values_from_a_function(tf):
    strategy = of(tf)
    make = strategy.experimental_distribute_values_from_function
    value = make(lambda context: tf.constant([context.replica_id_in_sync_group, context.num_replicas_in_sync]))
    return (
        each(strategy, value), each(strategy, make(lambda context: context.replica_id_in_sync_group * 10)),
        each(strategy, make(lambda context: [context.replica_id_in_sync_group])),
        str(make(lambda context: context).values[0]), each(strategy, strategy.run(lambda x: x * 2, args=(value,))),
    )  # fmt: skip


@row
def arguments(tf):
    strategy = of(tf)
    value = strategy.run(lambda: number(tf) + 1.0)
    result = strategy.run(lambda x, y, z: (x[0] * y["k"] + x[1], z), args=([value, 3.0],), kwargs={"y": {"k": value},
                                                                                                   "z": 7})  # fmt: skip
    return each(strategy, result[0]), result[1]


@row
def structures_that_differ(tf):
    strategy = of(tf)

    def by_number(one, other):
        return lambda: one if int(number(tf)) else other

    return (
        raised(lambda: strategy.run(by_number([1], (1, 2)))),
        raised(lambda: strategy.run(by_number([1], [1, 2])), "len(v) == 1, len(v0) == 2, v: [1], v0: [1, 2]"),
        raised(lambda: strategy.run(by_number({"a": 1}, {"b": 1})), "v[0].keys: {'b'}  v[i].keys: {'a'}"),
        each(strategy, strategy.run(by_number(None, 1))), strategy.run(by_number(2, 2)),
    )  # fmt: skip


@row
def extended_reductions(tf):
    strategy = of(tf)
    extended = strategy.extended
    value = strategy.run(lambda: number(tf) + 1.0)
    with strategy.scope():
        v = tf.Variable(1.0)
    reduced = extended.reduce_to("SUM", value, v)
    pairs = extended.batch_reduce_to(tf.distribute.ReduceOp.MEAN, [(value, v), (value, value)])
    return (
        each(strategy, reduced), type(reduced).__name__, [each(strategy, x) for x in pairs],
        extended.value_container(v.values[1]) is v, extended.value_container(3), reduced + 1.0,
    )  # fmt: skip


@row
def extended_updates(tf):
    strategy = of(tf)
    extended = strategy.extended
    value = strategy.run(lambda: number(tf) + 1.0)
    with strategy.scope():
        v, w = tf.Variable(1.0), tf.Variable(3.0)
    one = extended.update(v, lambda x, y: x.assign_add(y), args=(2.0,))
    each_of = extended.update(v, lambda x, y: x.assign_add(y), args=(value,), group=False)
    with_variable = extended.update(v, lambda x, y: x.assign_add(y), args=(w,))
    nothing = extended.update(v, lambda x: None)
    return each(strategy, one), len(each_of), each(strategy, with_variable), nothing, [p.numpy() for p in v.values]


@row
def devices_of_a_strategy(tf):
    strategy = of(tf)
    extended = strategy.extended
    return (
        strategy.num_replicas_in_sync, extended.worker_devices, extended.parameter_devices,
        tf.distribute.MirroredStrategy().num_replicas_in_sync, extended.experimental_require_static_shapes,
        raised(lambda: tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:0"]), "No duplicates allowed in `devices`"),
    )  # fmt: skip


@row
def one_device(tf):
    strategy = tf.distribute.OneDeviceStrategy("/cpu:1")
    with strategy.scope():
        v = tf.Variable(1.0)
    inside = strategy.run(lambda: (tf.constant(1.0) + 1.0).device)
    return v.device, inside, strategy.reduce("SUM", 3.0, axis=None), strategy.extended.worker_devices


@row
def updates_of_other_variables(tf):
    strategy = of(tf)
    with strategy.scope():
        v, w = tf.Variable(1.0), tf.Variable(3.0)

    def update(x):
        w.assign_add(2.0)
        return x.assign_add(w)

    one = strategy.extended.update(v, update)
    return each(strategy, one), [part.numpy() for part in w.values], [part.numpy() for part in v.values]


@row
def devices(tf):
    strategy = of(tf)
    with strategy.scope():
        v = tf.Variable(1.0)
    (batch,) = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(4))
    return [[x.device for x in each(strategy, value)] for value in (v, batch)]


@row_for(way=["eager", "function"], bad=[0, 1])
def out_of_range_in_one_replica(tf, way, bad):
    strategy = of(tf)
    with strategy.scope():
        table = tf.Variable(tf.ones([3]), aggregation=tf.VariableAggregation.SUM)

    def replica(rows):
        table.assign_add(tf.fill([3], tf.reduce_sum(tf.gather(table, rows))))

    step = (tf.function if way == "function" else lambda f: f)(lambda rows: strategy.run(replica, args=(rows,)))
    results = []
    for rows in ([0, 1], [5, 1] if bad == 0 else [1, 5], [2, 2]):
        (batch,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensors(rows))
        if 5 in rows:
            results.append(raised(lambda batch=batch: (step(batch), table.numpy()), "= 5 is not in [0, 3)"))
        else:
            step(batch)
        results.append(table.numpy())
    return results


@row_for(kind=["mirrored", "central storage", "one device", "default"])
def numbers_of_one_replica_reduced(tf, np, kind):
    of_kind = {
        "mirrored": lambda: tf.distribute.MirroredStrategy(["/cpu:0"]),
        "central storage": lambda: tf.distribute.experimental.CentralStorageStrategy(["/cpu:0"], "/cpu:0"),
        "one device": lambda: tf.distribute.OneDeviceStrategy("/cpu:0"),
        "default": tf.distribute.get_strategy,
    }
    strategy = of_kind[kind]()
    values = [strategy.reduce("SUM", value, axis=None) for value in (1.0, np.float32(2.0), "a", tf.constant(3))]
    return values, strategy.reduce("MEAN", strategy.run(lambda: 5.0), axis=None)


@row
def steps_of_an_old_optimizer(tf):
    strategy = of(tf)
    with strategy.scope():
        optimizer, variable = tf.keras.optimizers.legacy.SGD(0.5), tf.Variable(1.0)
    strategy.run(lambda: optimizer.apply_gradients([(number(tf) + 1.0, variable)]))
    return str(optimizer.iterations.aggregation), [part.numpy() for part in optimizer.iterations.values], variable


@row_for(shape=[(6, 1), (10, 3), (4, 1000)], dtype=["float32", "int64", "string"], axis=[0, 1])
def parts_of_variables(tf, shape, dtype, axis):
    parts = tf.distribute.experimental.partitioners
    made = [
        parts.FixedShardsPartitioner(2), parts.MinSizePartitioner(4, 2), parts.MinSizePartitioner(40, 10),
        parts.MinSizePartitioner(), parts.MaxSizePartitioner(4), parts.MaxSizePartitioner(1024),
        parts.MaxSizePartitioner(max_shard_bytes=4, max_shards=2), parts.MaxSizePartitioner(100, bytes_per_string=50),
    ]  # fmt: skip
    return [each(tf.TensorShape(shape), tf.as_dtype(dtype), axis=axis) for each in made]


@row
def wrong_parts_of_variables(tf):
    parts = tf.distribute.experimental.partitioners
    shape = tf.TensorShape([3])
    return [
        raised(lambda: parts.MinSizePartitioner(0), "Argument `min_shard_bytes` must be positive"),
        raised(lambda: parts.MinSizePartitioner(max_shards=0), "Argument `max_shards` must be positive"),
        raised(lambda: parts.MaxSizePartitioner(0), "Argument `max_shard_bytes` must be positive"),
        raised(lambda: parts.MinSizePartitioner()(shape, tf.float32, axis=1), "Cannot partition variable along axis 1"),
        raised(lambda: parts.MaxSizePartitioner(4)(tf.TensorShape([None]), tf.float32), "shape is not fully defined"),
        raised(lambda: parts.Partitioner()(shape, tf.float32)),
    ]

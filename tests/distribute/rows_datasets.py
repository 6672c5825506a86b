"""Datasets for several replicas."""

from rows import raised, row, row_for

from distribute._replicas import each, elements, of


def _divided(tf, dataset, replicas=2):
    strategy = of(tf, replicas)
    return elements(strategy, strategy.experimental_distribute_dataset(dataset))


@row_for(batch=[4, 5, 6, 8, 21], replicas=[2, 4])
def batches(tf, batch, replicas):
    return _divided(tf, tf.data.Dataset.range(21).batch(batch), replicas)


@row_for(replicas=[2, 4])
def whole_batches(tf, replicas):
    return _divided(tf, tf.data.Dataset.range(21).batch(6, drop_remainder=True), replicas)


@row_for(drop=[False, True], batch=[8, 6])
def specs(tf, drop, batch):
    strategy = of(tf, 4)
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(21).batch(batch, drop_remainder=drop))
    return repr(dataset.element_spec), int(dataset.cardinality)


@row
def structures(tf, np):
    data = np.arange(5.0), {"a": np.arange(10).reshape(5, 2), "t": ["p", "q", "r", "s", "t"]}
    return _divided(tf, tf.data.Dataset.from_tensor_slices(data).batch(2))


@row_for(kind=["map", "repeat", "repeat_before", "shuffle", "cache", "rows"])
def pipelines(tf, np, kind):
    data = tf.data.Dataset.range(6)
    data = {
        "map": lambda: data.batch(4).map(lambda x: x * 2).prefetch(1),
        "repeat": lambda: data.take(5).batch(4).repeat(2),
        "repeat_before": lambda: data.take(5).repeat(2).batch(4),
        "shuffle": lambda: data.shuffle(6, seed=1).batch(4),
        "cache": lambda: data.batch(4).cache(),
        "rows": lambda: tf.data.Dataset.from_tensor_slices(np.arange(12.0).reshape(3, 4)),
    }[kind]()
    return _divided(tf, data)


@row
def what_is_no_batch(tf):
    strategy = of(tf)
    return (
        raised(lambda: _divided(tf, tf.data.Dataset.range(5))),
        raised(lambda: strategy.experimental_distribute_dataset([1, 2])),
    )


@row
def iterators(tf):
    strategy = of(tf)
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(3).batch(2))
    iterator = iter(dataset)
    two = each(strategy, next(iterator)), each(strategy, iterator.get_next())
    optional = [iter(dataset).get_next_as_optional() for _ in range(1)][0]
    return (
        two, raised(lambda: next(iterator)), raised(iterator.get_next, "End of sequence"),
        bool(iterator.get_next_as_optional().has_value()), bool(optional.has_value()),
        each(strategy, optional.get_value()), isinstance(iterator, tf.distribute.DistributedIterator),
        isinstance(dataset, tf.distribute.DistributedDataset), len(list(dataset)), len(list(dataset)),
    )  # fmt: skip


@row_for(mode=["PER_WORKER", "PER_REPLICA"])
def from_a_function(tf, mode):
    strategy, told = of(tf), []

    def make(context):
        told.append(str(context))
        told.append((context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync))
        return tf.data.Dataset.range(7).batch(context.get_per_replica_batch_size(4))

    mode = getattr(tf.distribute.InputReplicationMode, mode)
    options = tf.distribute.InputOptions(experimental_replication_mode=mode)
    dataset = strategy.distribute_datasets_from_function(make, options)
    return elements(strategy, dataset), told, repr(dataset.element_spec)


@row
def per_replica_batch_sizes(tf):
    context = tf.distribute.InputContext(num_replicas_in_sync=4)
    return context.get_per_replica_batch_size(8), raised(
        lambda: context.get_per_replica_batch_size(6), "The `global_batch_size` 6 is not divisible by"
    )


@row
def of_each_replica_is_refused(tf):
    options = tf.distribute.InputOptions(
        experimental_replication_mode=tf.distribute.InputReplicationMode.PER_REPLICA
    )
    return raised(
        lambda: of(tf).experimental_distribute_dataset(tf.data.Dataset.range(3).batch(2), options),
        "PER_REPLICA is only supported in `distribute_datasets_from_function`",
    )


@row
def in_functions(tf):
    strategy = of(tf)
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(7).batch(4))

    @tf.function
    def total(dataset):
        result = tf.constant(0, tf.int64)
        for x in dataset:
            result += strategy.reduce("SUM", strategy.run(tf.reduce_sum, args=(x,)), axis=None)
        return result

    @tf.function
    def one(iterator):
        return strategy.run(lambda x: tf.reduce_sum(x) * 2, args=(next(iterator),))

    iterator = iter(dataset)
    results = [each(strategy, one(iterator)) for _ in range(2)]
    return total(dataset), results, raised(lambda: one(iterator), "End of sequence")


@row_for(replicas=[1, 2])
def old_names(tf, replicas):
    strategy = of(tf) if replicas == 2 else tf.distribute.OneDeviceStrategy("/cpu:0")
    dataset = strategy.experimental_distribute_datasets_from_function(
        lambda context: tf.data.Dataset.range(4).batch(context.get_per_replica_batch_size(2))
    )
    return [strategy.unwrap(element) for element in dataset]

"""Datasets for several replicas."""

from rows import raised, row, row_for

from distribute._replicas import COUNT, each, elements, new, of


def _divided(tf, dataset, replicas=COUNT):
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


def _records(tf, folder, policy):
    """Batches of 8 of 21 numbers in three files."""
    for file in range(3):
        with tf.io.TFRecordWriter(f"{folder}/{file}") as writer:
            for n in range(7):
                writer.write(str(7 * file + n))
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = getattr(tf.data.experimental.AutoShardPolicy, policy)
    files = tf.data.Dataset.list_files(folder + "/*", shuffle=False)
    numbers = files.interleave(tf.data.TFRecordDataset).map(lambda x: tf.strings.to_number([x]))
    return numbers.with_options(options)


@row_for(policy=["AUTO", "DATA", "FILE", "OFF"], replicas=[2, 4])
def batches_of_files(tf, folder, policy, replicas):
    """The last one goes to the first replicas, unless the policy is DATA; so does each after it where it repeats."""
    strategy, numbers = new(tf, replicas), _records(tf, folder, policy)
    ways = [numbers.batch(8), numbers.batch(6), numbers.padded_batch(8).repeat(2), numbers.batch(8).map(lambda x: -x)]
    return [elements(strategy, strategy.experimental_distribute_dataset(way)) for way in ways]


@row_for(repeated=[False, True])
def fit_on_batches_of_files(tf, folder, repeated):
    strategy = new(tf)
    data = _records(tf, folder, "AUTO").map(lambda x: (x / 10.0, x)).batch(8)
    data = data.repeat(2) if repeated else data
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
        model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    history = model.fit(data, epochs=2, verbose=0).history
    return history, model.evaluate(data, verbose=0), model.predict(data.map(lambda x, y: x), verbose=0)


@row
def batches_that_are_not_sharded(tf):
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    strategy, numbers = new(tf), tf.data.Dataset.range(11).with_options(options)
    ways = [numbers.batch(8), numbers.batch(8).take(2).prefetch(1), numbers.batch(6).concatenate(numbers.batch(6))]
    return [elements(strategy, strategy.experimental_distribute_dataset(way)) for way in ways]

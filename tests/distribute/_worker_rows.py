"""What a program does in several processes, or with as many replicas in one. `ROWS` has functions of (tf, strategy).

What each replica has is in a dict {"replicas": [...]}: the processes' lists are put together.
"""

import numpy as np

ROWS: dict = {}


def _row(function):
    ROWS[function.__name__] = function
    return function


def _each(strategy, value):
    return {"replicas": [np.asarray(x) for x in strategy.experimental_local_results(value)]}


def _batches(tf, strategy, rows, size):
    """Batches of 1, 2, 3..., of which the last ones may not go round."""
    data = tf.data.Dataset.from_tensor_slices(np.arange(rows, dtype="f") + 1).batch(size)
    return strategy.experimental_distribute_dataset(data)


def _both(tf, strategy, function):
    """What a function of a batch gives for batches that leave a short one, and for those that leave a row."""
    return [[function(batch) for batch in _batches(tf, strategy, *sizes)] for sizes in ((13, 5), (9, 8))]


@_row
def divided(tf, strategy):
    return _both(tf, strategy, lambda batch: _each(strategy, batch))


@_row
def reduced(tf, strategy):
    def squares(x):
        return tf.reduce_sum(x * x)

    def doubled(x):
        return x * 2

    def of(batch):
        one, rows = strategy.run(squares, args=(batch,)), strategy.run(doubled, args=(batch,))
        return (
            strategy.reduce("SUM", one, axis=None), strategy.reduce("MEAN", one, axis=None),
            strategy.reduce("SUM", rows, axis=0), strategy.reduce("MEAN", rows, axis=0),
        )  # fmt: skip

    return _both(tf, strategy, of)


@_row
def reduced_later(tf, strategy):
    """The results of the replicas have values before they are combined."""
    results = [strategy.run(lambda x: x * 2, args=(batch,)) for batch in _batches(tf, strategy, 9, 8)]
    before = [_each(strategy, result) for result in results]
    return before, [strategy.reduce("MEAN", result, axis=0) for result in results]


@_row
def gathered(tf, strategy):
    return _both(tf, strategy, lambda batch: strategy.gather(strategy.run(lambda x: x * 2, args=(batch,)), axis=0))


@_row
def gathered_along_the_second_axis(tf, strategy):
    replica = lambda x: tf.ones([2, 1]) * x[None]  # noqa: E731
    return [strategy.gather(strategy.run(replica, args=(batch,)), axis=1) for batch in _batches(tf, strategy, 13, 5)]


@_row
def combined_in_replicas(tf, strategy):
    def replica(x):
        context = tf.distribute.get_replica_context()
        count = context.all_reduce("SUM", tf.cast(tf.shape(x)[0], tf.float32))
        mean = context.all_reduce("SUM", tf.reduce_sum(x)) / count
        return context.all_reduce("MEAN", tf.reduce_sum((x - mean) ** 2)), context.all_gather(x, 0)

    results = [strategy.run(replica, args=(batch,)) for batch in _batches(tf, strategy, 13, 5)]
    return [(_each(strategy, one), _each(strategy, other)) for one, other in results]


@_row
def in_functions(tf, strategy):
    @tf.function
    def step(batch):
        return strategy.reduce("SUM", strategy.run(lambda x: tf.reduce_sum(x * x), args=(batch,)), axis=None)

    @tf.function
    def whole(dataset):
        total = tf.constant(0.0)
        for batch in dataset:
            total += strategy.reduce("SUM", strategy.run(lambda x: tf.reduce_sum(x * x), args=(batch,)), axis=None)
        return total

    return _both(tf, strategy, step), whole(_batches(tf, strategy, 13, 5))


def _trained(tf, strategy, rows, size, traced):
    kinds, sum_of_all = tf.VariableSynchronization, tf.VariableAggregation.SUM
    with strategy.scope():
        weight = tf.Variable(tf.ones([1]), aggregation=sum_of_all)
        seen = tf.Variable(0.0, trainable=False, synchronization=kinds.ON_READ, aggregation=sum_of_all)

    def replica(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((x * weight - 1) ** 2) / size
        weight.assign_sub(0.001 * tape.gradient(loss, weight))
        seen.assign_add(tf.cast(tf.size(x), tf.float32))
        return loss

    def step(batch):
        return strategy.reduce("SUM", strategy.run(replica, args=(batch,)), axis=None)

    step = tf.function(step) if traced else step
    losses = [step(batch) for batch in _batches(tf, strategy, rows, size)]
    return losses, np.asarray(weight), np.asarray(seen.read_value())


@_row
def trained(tf, strategy):
    return [_trained(tf, strategy, *sizes, traced) for sizes in ((13, 5), (9, 8)) for traced in (False, True)]


@_row
def replicas_that_do_not_do_the_same(tf, strategy):
    def replica():
        context = tf.distribute.get_replica_context()
        number = int(context.replica_id_in_sync_group)
        x = tf.ones([3]) * number
        return context.all_reduce("SUM", x + 10 if number == 1 else x)

    return _each(strategy, strategy.run(replica))


def _fitted(tf, strategy, rows, size, **options):
    tf.keras.utils.set_random_seed(3)
    random = np.random.RandomState(0)
    x, y = random.randn(rows, 5).astype("f"), random.randn(rows, 2).astype("f")
    layers = tf.keras.layers
    with strategy.scope():
        middle = [layers.BatchNormalization(**options)] if options else []
        model = tf.keras.Sequential([layers.Dense(4, "relu"), *middle, layers.Dense(2)])
        model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    history = model.fit(x, y, batch_size=size, epochs=2, verbose=0, shuffle=False).history
    predicted = model.predict(x, batch_size=size, verbose=0)
    return history, model.evaluate(x, y, batch_size=size, verbose=0), predicted, [w.numpy() for w in model.weights]


@_row
def fitted(tf, strategy):
    return _fitted(tf, strategy, 13, 5), _fitted(tf, strategy, 13, 6)


@_row
def fitted_with_batch_norm(tf, strategy):
    return [_fitted(tf, strategy, 13, 6, synchronized=each) for each in (False, True)]

"""Whole programs on replicas: distributed datasets in `fit`, saved models, batches that are not plain tensors."""

from rows import raised, row, row_for

from distribute._replicas import each, new, number
from distribute.rows_keras import X, Y


def _model(tf, strategy, **options):
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="ones")])
        model.build((None, 3))
        model.compile("sgd", "mse", **{"metrics": ["mae"], **options})
    return model


def _data(tf, batch=4):
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(batch)


@row_for(made=["divided", "from a function"], steps=[1, 2])
def fit_on_a_distributed_dataset(tf, made, steps):
    strategy = new(tf)
    model, data = _model(tf, strategy, steps_per_execution=steps), _data(tf).repeat()

    def distributed():
        if made == "divided":
            return strategy.experimental_distribute_dataset(data)
        return strategy.distribute_datasets_from_function(lambda context: data)

    history = model.fit(
        distributed(), epochs=2, steps_per_epoch=4, validation_data=distributed(), validation_steps=2, verbose=0
    ).history
    return history, model.evaluate(distributed(), steps=2, verbose=0), model.get_weights()


@row
def predict_on_a_distributed_dataset(tf):
    strategy = new(tf)
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(X).batch(6))
    return _model(tf, strategy).predict(data, steps=4, verbose=0)


@row
def fit_on_a_distributed_dataset_that_ends(tf):
    strategy = new(tf)
    model, distribute = _model(tf, strategy), strategy.experimental_distribute_dataset
    options = {"epochs": 2, "verbose": 0}
    return (
        model.fit(distribute(_data(tf, 5)), steps_per_epoch=2, validation_data=distribute(_data(tf, 5)),
                  validation_steps=4, **options).history,
        model.fit(distribute(_data(tf, 5)), steps_per_epoch=3, **options).history,
    )  # fmt: skip


@row
def fit_on_a_distributed_dataset_that_ends_between_epochs(tf):
    strategy = new(tf)
    data, empty = _data(tf), _data(tf).filter(lambda x, y: False)
    fit = {"steps_per_epoch": data.cardinality().numpy(), "epochs": 3, "verbose": 0}
    return (
        _model(tf, strategy).fit(strategy.experimental_distribute_dataset(data), **fit).history,
        raised(lambda: _model(tf, strategy).fit(strategy.experimental_distribute_dataset(empty), **fit), "Empty logs"),
    )  # fmt: skip


@row
def fit_on_a_distributed_dataset_eagerly(tf):
    strategy = new(tf)
    model = _model(tf, strategy, run_eagerly=True)
    data = strategy.experimental_distribute_dataset(_data(tf))
    return model.fit(data, steps_per_epoch=4, verbose=0).history, model.get_weights()


@row
def what_does_not_go_with_a_distributed_dataset(tf):
    strategy = new(tf)
    model, data = _model(tf, strategy), strategy.experimental_distribute_dataset(_data(tf))
    steps = "When providing a distributed dataset, you must specify the number of steps to run."
    return (
        raised(lambda: model.fit(data, verbose=0), steps), raised(lambda: model.evaluate(data, verbose=0), steps),
        raised(lambda: model.predict(data, verbose=0), steps),
        raised(lambda: model.fit(data, y=Y, steps_per_epoch=1, verbose=0), "`y` argument is not supported when using"),
        raised(lambda: model.fit(data, class_weight={0: 1.0}, steps_per_epoch=1, verbose=0), "has no attribute 'map'"),
        raised(lambda: model.fit(data, validation_split=0.5, steps_per_epoch=1, verbose=0), "is only supported for"),
    )  # fmt: skip


@row_for(way=["eager", "function"])
def sparse_batches(tf, np, way):
    strategy = new(tf)
    rows = tf.sparse.from_dense(np.eye(8, 3) + np.arange(3.0))
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(rows).batch(4))

    def step(batch):
        return strategy.run(lambda x: tf.sparse.reduce_sum(x, 1), args=(batch,))

    call = tf.function(step) if way == "function" else step
    parts = [[(x.indices, x.values, x.dense_shape) for x in each(strategy, batch)] for batch in dataset]
    return parts, [each(strategy, call(batch)) for batch in dataset]


@row
def batches_of_a_type_of_ones_own(tf):
    class Pair(tf.experimental.BatchableExtensionType):
        a: tf.Tensor
        b: tf.Tensor

    strategy = new(tf)
    rows = Pair(tf.range(6.0), tf.reshape(tf.range(12.0), [6, 2]))
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(rows).batch(4))
    return [
        each(strategy, strategy.run(lambda x: tf.reduce_sum(x.a) + tf.reduce_sum(x.b), args=(batch,)))
        for batch in dataset
    ]


def _module(tf):
    class Scale(tf.Module):
        def __init__(self):
            self.scale = tf.Variable([1.0, 2.0], name="scale")
            self.offset = tf.Variable(
                0.0, trainable=False, name="offset", synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM,
            )  # fmt: skip

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def __call__(self, x):
            return self.scale * x

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def moved(self, x):
            return self.scale * x + self.offset

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def grown(self, x):
            self.scale.assign_add([x, x])
            return self.scale + 0.0

    return Scale()


@row
def a_saved_model_is_loaded_in_a_scope(tf, folder):
    strategy = new(tf)
    tf.saved_model.save(_module(tf), folder + "/saved")
    with strategy.scope():
        loaded = tf.saved_model.load(folder + "/saved")

    def gradient():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(loaded(number(tf) + 1.0))
        return tape.gradient(y, loaded.scale)

    kinds = [type(loaded.scale).__name__, type(loaded.offset).__name__]
    before = loaded(2.0), each(strategy, strategy.run(lambda: loaded(3.0)))
    gradients = each(strategy, strategy.run(gradient)), each(strategy, tf.function(lambda: strategy.run(gradient))())
    loaded.scale.assign([5.0, 6.0])
    after = loaded(2.0), each(strategy, strategy.run(lambda: loaded(3.0)))
    return kinds, [part.name for part in each(strategy, loaded.scale)], before, gradients, after


@row
def a_model_with_a_program_is_loaded_in_a_scope(tf, folder):
    """One whose function tfcompat saves as StableHLO: its variables are still read as they were."""
    strategy, module = new(tf), _module(tf)
    module.offset.assign(4.0)
    module.noise = tf.function(
        lambda x: x + 0.0 * tf.random.stateless_normal(tf.shape(x), [1, 2]), [tf.TensorSpec([None], tf.float32)]
    )
    tf.saved_model.save(module, folder + "/saved")
    with strategy.scope():
        loaded = tf.saved_model.load(folder + "/saved")
    variables = loaded.scale, loaded.offset
    kinds = [(type(v).__name__, v.synchronization.name, v.aggregation.name, v.trainable) for v in variables]
    return kinds, [[part.numpy() for part in v.values] for v in variables], loaded.offset.numpy(), loaded.noise([1.0])


@row
def a_model_of_replicas_is_saved(tf, folder):
    strategy = new(tf)
    with strategy.scope():
        module = _module(tf)
    strategy.run(lambda: module.offset.assign_add(2.0))
    tf.saved_model.save(module, folder + "/saved")
    loaded = tf.saved_model.load(folder + "/saved")
    results = loaded.moved(2.0), loaded.grown(1.0), loaded.scale, loaded.offset
    with strategy.scope():
        again = tf.saved_model.load(folder + "/saved")
    parts = [part.numpy() for v in (again.scale, again.offset) for part in each(strategy, v)]
    return [x.numpy() for x in results], parts, again.offset.synchronization.name, again.offset.aggregation.name


@row
def a_loaded_model_is_trained(tf, folder):
    strategy = new(tf)
    model = _model(tf, strategy)
    model.save(folder + "/saved")
    with strategy.scope():
        loaded, optimizer = tf.saved_model.load(folder + "/saved"), tf.keras.optimizers.SGD(0.1)

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loaded(x) ** 2)
        variables = loaded.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(X / 10).batch(6))
    losses = [each(strategy, strategy.run(step, args=(batch,))) for batch in batches]
    return losses, [v.numpy() for v in loaded.trainable_variables], [v.name for v in loaded.trainable_variables]


@row
def adam_and_batch_normalization(tf):
    """In float64: in float32 Adam makes steps of what rounding leaves of the gradient of the bias, which is zero."""
    strategy = new(tf)
    tf.keras.utils.set_random_seed(3)
    with strategy.scope():
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(3, dtype="float64"), tf.keras.layers.BatchNormalization(dtype="float64"),
            tf.keras.layers.Dense(2, dtype="float64"),
        ])  # fmt: skip
        model.compile(tf.keras.optimizers.Adam(0.1), "mse")
    x, y = X.astype("float64"), Y.astype("float64")
    history = model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0).history
    return history, model.get_weights()

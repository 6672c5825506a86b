"""Keras in the scope of a strategy: `fit` and its kin, optimizers, losses, metrics and layers."""

import numpy
from rows import names, raised, row, row_for

from distribute._replicas import each, new, number, of

_RANDOM = numpy.random.RandomState(0)
X, Y = _RANDOM.randn(20, 3).astype("float32"), _RANDOM.randn(20, 2).astype("float32")
CLASSES = (_RANDOM.rand(20) * 2).astype("int64")
IMAGES = _RANDOM.randn(12, 4, 4, 2).astype("float32")


def _model(tf, strategy, middle=(), optimizer=None, loss="mse", **options):
    tf.keras.utils.set_random_seed(3)
    layers = tf.keras.layers
    with strategy.scope():
        made = [make(layers) for make in middle]
        model = tf.keras.Sequential([layers.Dense(4, "relu"), *made, layers.Dense(2)])
        model.compile(optimizer or tf.keras.optimizers.SGD(0.1), loss, **{"metrics": ["mae"], **options})
    return model


def _log(tf, logs):
    class Log(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            logs_of[0].append({name: float(value) for name, value in logs.items()})

    logs_of = [logs]
    return Log()


def _trained(tf, model, **options):
    logs = []
    history = model.fit(X, Y, batch_size=8, epochs=2, verbose=0, callbacks=[_log(tf, logs)], **options).history
    return history, logs, [w.numpy() for w in model.weights]


MIDDLES = {
    "plain": [], "norm": [lambda layers: layers.BatchNormalization()],
    "synchronized": [lambda layers: layers.BatchNormalization(synchronized=True)],
    "dropout": [lambda layers: layers.Dropout(0.5)], "noise": [lambda layers: layers.GaussianNoise(0.5)],
    "regularized": [lambda layers: layers.Dense(3, kernel_regularizer="l2", activity_regularizer="l1")],
    "layer_norm": [lambda layers: layers.LayerNormalization()],
}  # fmt: skip


@row_for(kind=list(MIDDLES))
def fitted(tf, kind):
    return _trained(tf, _model(tf, new(tf), MIDDLES[kind]))


@row_for(kind=["dropout", "synchronized"])
def fitted_on_four(tf, kind):
    return _trained(tf, _model(tf, new(tf, 4), MIDDLES[kind]))


OPTIMIZERS = {
    "AdamW": {"weight_decay": 0.1}, "RMSprop": {"centered": True}, "Ftrl": {},
    "SGD": {"momentum": 0.9, "nesterov": True, "clipnorm": 0.5}, "Nadam": {"use_ema": True, "ema_momentum": 0.5},
}  # fmt: skip


@row_for(
    differing={("Nadam",): "TensorFlow multiplies the product of momentums several times in a traced step."},
    kind=list(OPTIMIZERS),
)
def optimized(tf, kind):
    strategy = new(tf)
    with strategy.scope():
        optimizer = getattr(tf.keras.optimizers, kind)(0.05, **OPTIMIZERS[kind])
    model = _model(tf, strategy, optimizer=optimizer)
    return _trained(tf, model), names(model.optimizer.variables), [v.numpy() for v in model.optimizer.variables]


@row_for(kind=["Adam"])
def optimized_by_legacy_ones(tf, kind):
    strategy = new(tf)
    with strategy.scope():
        optimizer = getattr(tf.keras.optimizers.legacy, kind)(0.05)
    return _trained(tf, _model(tf, strategy, optimizer=optimizer))


@row
def optimized_by_a_schedule(tf):
    strategy = new(tf)
    with strategy.scope():
        optimizer = tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5))
    return _trained(tf, _model(tf, strategy, optimizer=optimizer))


@row_for(reduction=["auto", "sum", "sum_over_batch_size"])
def loss_reductions_of_fit(tf, reduction):
    loss = tf.keras.losses.MeanSquaredError(reduction=reduction)
    return _trained(tf, _model(tf, new(tf), loss=loss))


@row
def evaluated_and_predicted(tf):
    model = _model(tf, new(tf))
    return (
        model.evaluate(X, Y, batch_size=7, verbose=0), model.predict(X[:5], batch_size=3, verbose=0),
        model.evaluate(X[:1], Y[:1], verbose=0), model.predict(X[:1], verbose=0),
    )  # fmt: skip


@row
def single_batches(tf):
    strategy = new(tf)
    model = _model(tf, strategy)
    return (
        model.train_on_batch(X[:8], Y[:8]), model.test_on_batch(X[:5], Y[:5]), model.predict_on_batch(X[:3]),
        model.distribute_strategy is strategy,
    )  # fmt: skip


@row
def validated(tf):
    model = _model(tf, new(tf), MIDDLES["norm"])
    return _trained(tf, model, validation_data=(X[:6], Y[:6]), shuffle=False)


@row
def weighted(tf, np):
    return _trained(tf, _model(tf, new(tf)), sample_weight=np.arange(20, dtype="float32") / 10)


@row
def weighted_classes(tf):
    model = _model(tf, new(tf), loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                   metrics=["accuracy"])  # fmt: skip
    history = model.fit(X, CLASSES, batch_size=8, epochs=2, verbose=0, class_weight={0: 1.0, 1: 3.0}).history
    return history, model.evaluate(X, CLASSES, verbose=0)


@row
def from_a_dataset(tf):
    data = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(20, seed=4).batch(6).repeat()
    model = _model(tf, new(tf))
    history = model.fit(data, epochs=2, steps_per_epoch=3, verbose=0).history
    return history, model.evaluate(data.take(4), verbose=0), model.predict(data.take(1), verbose=0).shape


@row
def run_eagerly(tf):
    return _trained(tf, _model(tf, new(tf), run_eagerly=True))


@row
def several_outputs(tf):
    strategy = new(tf)
    tf.keras.utils.set_random_seed(3)
    with strategy.scope():
        inputs = tf.keras.Input([3])
        hidden = tf.keras.layers.Dense(4, "tanh")(inputs)
        outputs = {name: tf.keras.layers.Dense(2, name=name)(hidden) for name in "ab"}
        model = tf.keras.Model(inputs, outputs)
        model.compile("sgd", {"a": "mse", "b": "mae"}, loss_weights={"a": 1.0, "b": 3.0}, metrics={"a": "mae"})
    history = model.fit(X, {"a": Y, "b": -Y}, batch_size=8, epochs=2, verbose=0).history
    return history, model.predict(X[:3], verbose=0)


@row
def convolved(tf):
    strategy = new(tf)
    tf.keras.utils.set_random_seed(3)
    layers = tf.keras.layers
    with strategy.scope():
        model = tf.keras.Sequential([
            layers.Conv2D(3, 3, use_bias=False), layers.BatchNormalization(), layers.ReLU(),
            layers.GlobalAveragePooling2D(), layers.Dense(2),
        ])  # fmt: skip
        model.compile("adam", "mse")
    history = model.fit(IMAGES, Y[:12], batch_size=4, epochs=2, verbose=0).history
    return history, [w.numpy() for w in model.weights]


@row
def embedded(tf, np):
    strategy = new(tf)
    tf.keras.utils.set_random_seed(3)
    layers = tf.keras.layers
    with strategy.scope():
        model = tf.keras.Sequential([layers.Embedding(6, 3), layers.LSTM(2), layers.Dense(2)])
        model.compile("sgd", "mse")
    history = model.fit(np.arange(60).reshape(20, 3) % 6, Y, batch_size=8, epochs=2, verbose=0).history
    return history, [w.numpy() for w in model.weights]


@row
def a_step_of_ones_own(tf):
    strategy = new(tf)
    tf.keras.utils.set_random_seed(3)

    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)
            self.mean = tf.keras.metrics.Mean("mean")

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.nn.compute_average_loss(tf.reduce_mean((self(x) - y) ** 2, -1))
            self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
            self.mean.update_state(loss)
            return {"mean": self.mean.result(), "own": tf.reduce_sum(x)}

        @property
        def metrics(self):
            return [self.mean]

    with strategy.scope():
        model = Model()
        model.compile("sgd")
    logs = []
    history = model.fit(X, Y, batch_size=8, epochs=2, verbose=0, shuffle=False, callbacks=[_log(tf, logs)]).history
    return history, logs, [w.numpy() for w in model.weights]


@row
def what_weights_are(tf):
    model = _model(tf, new(tf), MIDDLES["norm"])
    model.predict(X[:1], verbose=0)
    kinds = [type(w).__name__ for w in model.weights]
    return kinds, [[part.name for part in w.values] for w in model.weights], names(model.trainable_variables)


@row
def weights_are_set_and_got(tf):
    model = _model(tf, new(tf), MIDDLES["norm"])
    model.predict(X[:1], verbose=0)
    model.set_weights([w + 1.0 for w in model.get_weights()])
    return model.get_weights(), [[part.numpy() for part in w.values] for w in model.weights]


@row
def saved_and_loaded(tf, folder):
    model = _model(tf, new(tf), MIDDLES["norm"], optimizer="adam")
    model.fit(X, Y, batch_size=8, verbose=0)
    model.save_weights(f"{folder}/w")
    one = _model(tf, tf.distribute.get_strategy(), MIDDLES["norm"], optimizer="adam")
    one.build((None, 3))
    one.load_weights(f"{folder}/w").expect_partial()
    four = _model(tf, new(tf, 4), MIDDLES["norm"], optimizer="adam")
    four.predict(X[:1], verbose=0)
    four.load_weights(f"{folder}/w").expect_partial()
    return [m.predict(X[:4], verbose=0) for m in (model, one, four)], four.evaluate(X, Y, verbose=0)


@row
def losses_by_themselves(tf):
    strategy = of(tf)
    text = "Please use `tf.keras.losses.Reduction.SUM` or `tf.keras.losses.Reduction.NONE` for loss reduction"
    losses = tf.keras.losses
    return (
        raised(lambda: strategy.run(lambda: losses.MeanSquaredError()([[1.0]], [[2.0]])), text),
        each(strategy, strategy.run(lambda: losses.MeanSquaredError("sum")([[1.0]], [[2.0]]) + number(tf))),
        each(strategy, strategy.run(lambda: losses.MeanSquaredError("none")([[1.0]], [[2.0]]) + number(tf))),
    )  # fmt: skip


METRICS = {
    "Mean": ([1.0, 5.0],), "Sum": ([1.0, 5.0],), "MeanSquaredError": ([[1.0], [2.0]], [[0.5], [4.0]]),
    "BinaryAccuracy": ([[1.0], [0.0]], [[0.7], [0.9]]), "AUC": ([0.0, 1.0, 1.0], [0.2, 0.6, 0.3]),
    "Precision": ([0.0, 1.0, 1.0], [0.6, 0.7, 0.2]), "MeanTensor": ([1.0, 5.0],),
    "RootMeanSquaredError": ([[1.0], [2.0]], [[0.5], [4.0]]),
}  # fmt: skip


@row_for(kind=list(METRICS))
def metrics_of_replicas(tf, kind):
    strategy = of(tf)
    values = METRICS[kind]
    with strategy.scope():
        options = {"shape": (2,)} if kind == "MeanTensor" else {}
        metric = getattr(tf.keras.metrics, kind)(**options)

    def replica():
        metric.update_state(*(tf.constant(v) * (1.0 if i else number(tf) * 0.5 + 0.5) for i, v in enumerate(values)))

    strategy.run(replica)
    parts = [[part.numpy() for part in v.values] for v in metric.variables]
    result = metric.result()
    inside = strategy.experimental_local_results(strategy.run(lambda: metric.result() + 0.0))
    metric.reset_state()
    return parts, result, inside[0], [v.numpy() for v in metric.variables]


@row_for(way=["summed", "skipped", "legacy_skipped"])
def gradients_are_aggregated(tf, way):
    strategy = of(tf)
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
        optimizer = tf.keras.optimizers.SGD(1.0, momentum=0.5)
    options = {
        "summed": {}, "skipped": {"skip_gradients_aggregation": True},
        "legacy_skipped": {"experimental_aggregate_gradients": False},
    }[way]  # fmt: skip

    def replica():
        optimizer.apply_gradients([(number(tf) + [1.0, 1.0], v)], **options)
        return v.read_value()

    results = [each(strategy, strategy.run(replica)) for _ in range(2)]
    return results, [part.numpy() for part in optimizer.iterations.values], v.numpy()


@row
def gradients_applied_outside(tf):
    strategy = of(tf)
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
        optimizer = tf.keras.optimizers.Adam(1.0)
    optimizer.apply_gradients([(tf.constant([1.0, 3.0]), v)])
    return [part.numpy() for part in v.values], [part.numpy() for part in optimizer.iterations.values]


@row
def a_loop_of_ones_own(tf):
    strategy = new(tf)
    tf.keras.utils.set_random_seed(3)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(2)])
        optimizer = tf.keras.optimizers.Adam(0.1)
        loss_of = tf.keras.losses.MeanSquaredError(reduction="none")
        mean = tf.keras.metrics.MeanAbsoluteError()

    @tf.function
    def step(batch):
        def replica(x, y):
            with tf.GradientTape() as tape:
                predicted = model(x, training=True)
                loss = tf.nn.compute_average_loss(loss_of(y, predicted), global_batch_size=6)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            mean.update_state(y, predicted)
            return loss

        return strategy.reduce("SUM", strategy.run(replica, args=batch), axis=None)

    data = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((X, Y)).batch(6))
    losses = [step(batch) for _ in range(2) for batch in data]
    return losses, mean.result(), [w.numpy() for w in model.weights]


@row_for(policy=["mixed_bfloat16", "mixed_float16"])
def mixed_precision(tf, policy):
    strategy = new(tf)
    tf.keras.mixed_precision.set_global_policy(policy)
    try:
        model = _model(tf, strategy)
        history = model.fit(X, Y, batch_size=8, epochs=2, verbose=0).history
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")
    return [round(loss, 1) for loss in history["loss"]], [w.dtype.name for w in model.weights]


@row_for(kind=["Adam", "SGD", "legacy.Adam"])
def variables_of_another_scope(tf, kind):
    strategy = of(tf)
    v = tf.Variable([1.0, 2.0])
    optimizers = tf.keras.optimizers
    with strategy.scope():
        optimizer = (optimizers.legacy.Adam if kind == "legacy.Adam" else getattr(optimizers, kind))(1.0)
    text = "Trying to create optimizer slot variable under the scope" if "legacy" in kind else (
        "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope()"
    )
    call = lambda: strategy.run(lambda: optimizer.apply_gradients([(number(tf) + [1.0, 1.0], v)]))  # noqa: E731
    return raised(call, text), v.numpy()


@row
def models_of_another_scope(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    model.build((None, 3))
    with of(tf).scope():
        return raised(lambda: model.compile("adam", "mse"), "was not created in the distribution strategy scope of")


@row
def fitted_with_variables_in_one_place(tf, np):
    strategy = tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"], "/cpu:0")
    keras = tf.keras
    with strategy.scope():
        model = keras.Sequential([
            keras.layers.Dense(3, "tanh", input_shape=(2,), kernel_initializer=keras.initializers.Constant(0.3)),
            keras.layers.BatchNormalization(),
            keras.layers.Dense(1, kernel_initializer="ones"),
        ])  # fmt: skip
        model.compile(keras.optimizers.Adam(0.05), "mse", metrics=["mae"])
    x = np.arange(20, dtype="f").reshape(10, 2) / 10
    y = x.sum(1, keepdims=True)
    history = model.fit(x, y, batch_size=4, epochs=2, verbose=0, shuffle=False).history
    return history, model.predict(x, batch_size=4, verbose=0), model.get_weights()


@row_for(aggregated=[True, False])
def steps_with_variables_in_one_place(tf, np, aggregated):
    strategy = tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"], "/cpu:0")
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
        seen = tf.Variable(
            0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
        optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)

    def replica(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((v * x) ** 2)
        slope = tape.gradient(loss, v)
        if not aggregated:
            slope = tf.distribute.get_replica_context().all_reduce("SUM", slope)
        optimizer.apply_gradients([(slope, v)], experimental_aggregate_gradients=aggregated)
        seen.assign_add(tf.reduce_sum(x))
        return loss

    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(
        np.arange(12, dtype="f").reshape(6, 2) / 10
    ).batch(2))  # fmt: skip
    losses = [strategy.reduce("SUM", strategy.run(replica, args=(x,)), axis=None) for x in batches]
    return losses, v.numpy(), seen.numpy()

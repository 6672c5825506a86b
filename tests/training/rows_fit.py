"""Rows: compile, fit, evaluate, predict, callbacks, and what they print."""

import contextlib
import io
import os
import re
import tempfile
import warnings

import numpy as np
from rows import names, ones, raised, row

from ._cases import random

X, Y = random("fit x", (40, 4)), random("fit y", (40, 2))
LABELS = random("fit labels", (40,), "int32", 0, 3)


def dense(tf, units=2, activation=None, name=None):
    return tf.keras.layers.Dense(units, activation, kernel_initializer=start(tf), name=name)


def start(tf):
    def start(shape, dtype=None, **_):
        return tf.constant(random(f"start {list(shape)}", [int(n) for n in shape], "float64", -0.5, 0.5), dtype)

    return start


def model_of(tf, *layers, **options):
    model = tf.keras.Sequential(list(layers) or [dense(tf, 5, "tanh"), dense(tf)])
    model.compile(**{"optimizer": tf.keras.optimizers.SGD(0.1), "loss": "mse", **options})
    return model


def out(call):
    """What a call prints, without times, which vary; of a line written over, what is left."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        call()
    text = re.sub(r"(?<!\w)\d+(s|ms|us)\b(/step|/epoch)?", r"T\2", stream.getvalue())
    lines = [line.split("\r")[-1].rstrip("\b ") for line in text.split("\n")]
    return [line.replace("\b", "") for line in lines]


@row
def class_weights_of_pixels(tf):
    tf.keras.utils.set_random_seed(1)
    x, y = np.ones((6, 4, 4, 1), "float32"), np.arange(96).reshape(6, 4, 4, 1) % 3
    model = tf.keras.Sequential([tf.keras.layers.Conv2D(3, 3, padding="same", input_shape=(4, 4, 1))])
    found = []
    for labels, loss in (
        (y, tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)),
        (tf.one_hot(y[..., 0], 3).numpy(), tf.keras.losses.CategoricalCrossentropy(from_logits=True)),
    ):
        model.compile("sgd", loss)
        found += model.fit(x, labels, class_weight={0: 2.0, 1: 2.0, 2: 1.0}, verbose=0).history["loss"]
    return found


@row
def fit_for_some_epochs(tf):
    tf.random.set_seed(3)
    model = model_of(tf, metrics=["mae"])
    history = model.fit(X, Y, batch_size=16, epochs=8, verbose=0)
    return history.history, history.epoch, history.params, model.get_weights(), names(model.weights)


@row
def fit_of_each_optimizer_by_name(tf):
    found = []
    for name in ("adam", "rmsprop", "sgd"):
        tf.random.set_seed(3)
        model = model_of(tf, optimizer=name)
        found.append(model.fit(X, Y, batch_size=8, epochs=5, verbose=0, shuffle=name != "sgd").history)
    return found


@row
def fit_of_labels(tf):
    tf.random.set_seed(3)
    model = model_of(
        tf, dense(tf, 3, "softmax"), loss="sparse_categorical_crossentropy", metrics=["accuracy", "ce"],
        optimizer=tf.keras.optimizers.Adam(0.05),
    )  # fmt: skip
    history = model.fit(X, LABELS, epochs=10, verbose=0, validation_split=0.25)
    return history.history, model.metrics_names, model.evaluate(X, LABELS, verbose=0)


@row
def accuracy_by_shape(tf):
    found = []
    for units, activation, loss, target in (
        (1, "sigmoid", "binary_crossentropy", (LABELS > 0).astype("float32")),
        (3, "softmax", "categorical_crossentropy", np.eye(3, dtype="float32")[LABELS]),
        (3, "softmax", "sparse_categorical_crossentropy", LABELS[:, None]),
    ):
        model = model_of(tf, dense(tf, units, activation), loss=loss, metrics=["acc"])
        found.append(model.fit(X, target, epochs=2, shuffle=False, verbose=0).history)
    return found


@row
def printed_bar(tf):
    model = model_of(tf, metrics=["mae"])
    found = [
        out(lambda: model.fit(X, Y, epochs=2, shuffle=False, batch_size=20)),
        out(lambda: model.fit(X, Y, shuffle=False, verbose=2)),
        out(lambda: model.fit(X, Y, epochs=3, initial_epoch=2, shuffle=False, verbose=2, validation_data=(X, Y))),
        out(lambda: model.evaluate(X, Y)),
        out(lambda: model.evaluate(X, Y, verbose=2)),
        out(lambda: model.predict(X)),
        out(lambda: model.fit(X, Y, verbose=0)),
    ]
    return found


@row
def printed_bar_of_unknown_length(tf):
    model = model_of(tf)

    def batches():
        for i in range(0, 40, 20):
            yield X[i : i + 20], Y[i : i + 20]

    return out(lambda: model.fit(batches(), verbose=2)), out(lambda: model.fit(batches(), verbose=1))


@row
def weights_of_samples_and_classes(tf):
    weights = random("fit weights", (40,), "float32", 0.1, 2.0)
    onehot = np.eye(3, dtype="float32")[LABELS]
    found = []
    for targets, loss, options in (
        (onehot, "mse", {"sample_weight": weights}),
        (LABELS, "sparse_categorical_crossentropy", {"class_weight": {0: 1.0, 1: 2.0, 2: 0.5}}),
        (onehot, "mse", {"class_weight": {0: 1.0, 1: 2.0, 2: 0.5}}),
    ):
        model = model_of(tf, dense(tf, 3, "softmax"), loss=loss, metrics=["mae"], weighted_metrics=["mae"])
        found.append(model.fit(X, targets, shuffle=False, epochs=3, verbose=0, **options).history)
    model = model_of(tf, dense(tf, 3, "softmax"), loss="sparse_categorical_crossentropy")
    error = raised(lambda: model.fit(X, LABELS, class_weight={1: 1.0}, verbose=0), "keys from 0 to one less than")
    return found, error


@row
def validation(tf):
    model = model_of(tf, metrics=["mae"])
    return [
        model.fit(X, Y, shuffle=False, epochs=2, verbose=0, validation_data=(X[:10], Y[:10])).history,
        model.fit(X, Y, shuffle=False, epochs=3, verbose=0, validation_split=0.3, validation_freq=2).history,
        model.fit(
            X, Y, shuffle=False, verbose=0, validation_data=(X, Y, ones(40)), validation_batch_size=7,
            validation_steps=2,
        ).history,  # fmt: skip
        raised(lambda: model.fit(X, Y, validation_split=1.0, verbose=0), "not sufficient to split it"),
    ]


@row
def steps_and_epochs(tf):
    model = model_of(tf)
    seen = []
    callback = tf.keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: seen.append(epoch), on_batch_end=lambda batch, logs: seen.append(-batch)
    )
    history = model.fit(
        X, Y, batch_size=8, epochs=3, initial_epoch=1, steps_per_epoch=2, shuffle=False, verbose=0, callbacks=[callback]
    )
    return history.history, seen, int(model.optimizer.iterations)


@row
def generators(tf):
    class Chunks(tf.keras.utils.Sequence):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return X[10 * i : 10 * i + 10], Y[10 * i : 10 * i + 10]

    def endless():
        while True:
            for i in range(0, 40, 10):
                yield X[i : i + 10], Y[i : i + 10], ones(10)

    one, two = model_of(tf), model_of(tf)
    return [
        one.fit(Chunks(), epochs=2, shuffle=False, verbose=0).history,
        two.fit(endless(), epochs=2, steps_per_epoch=4, verbose=0).history,
        one.evaluate(Chunks(), verbose=0),
        two.evaluate(endless(), steps=3, verbose=0),
        two.predict(Chunks(), verbose=0),
        raised(lambda: one.fit(endless(), Y, verbose=0), "`y` argument is not supported when using"),
    ]


@row
def own_train_step(tf):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = dense(tf)
            self.loss_tracker = tf.keras.metrics.Mean(name="loss")
            self.mae = tf.keras.metrics.MeanAbsoluteError(name="error")

        def call(self, inputs):
            return self.dense(inputs)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                prediction = self(x, training=True)
                loss = tf.reduce_mean((prediction - y) ** 4)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            self.loss_tracker.update_state(loss)
            self.mae.update_state(y, prediction)
            return {"loss": self.loss_tracker.result(), "error": self.mae.result()}

        @property
        def metrics(self):
            return [self.loss_tracker, self.mae]

    net = Net()
    net.compile(optimizer=tf.keras.optimizers.Adam(0.05))
    return net.fit(X, Y, epochs=4, shuffle=False, verbose=0).history, net.get_weights(), names(net.metrics)


@row
def train_step_that_uses_compiled_parts(tf):
    class Net(tf.keras.Sequential):
        def train_step(self, data):
            x, y, weight = tf.keras.utils.unpack_x_y_sample_weight(data)
            with tf.GradientTape() as tape:
                prediction = self(x, training=True)
                loss = self.compute_loss(x, y, prediction, weight)
            self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
            self.compiled_metrics.update_state(y, prediction)
            return {**{m.name: m.result() for m in self.metrics}, "steps": self.optimizer.iterations + 0}

    net = Net([dense(tf)])
    net.compile("sgd", "mse", ["mae"])
    return net.fit(X, Y, epochs=2, shuffle=False, batch_size=16, verbose=0).history


@row
def losses_of_layers(tf):
    regularized = tf.keras.layers.Dense(2, kernel_initializer=start(tf), kernel_regularizer="l2")

    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = regularized

        def call(self, inputs):
            result = self.dense(inputs)
            self.add_loss(0.1 * tf.reduce_mean(result**2))
            return result

    one, two = Net(), Net()
    one.compile("sgd", "mse")
    two.compile("sgd")
    return [
        one.fit(X, Y, epochs=2, shuffle=False, verbose=0).history,
        one.evaluate(X, Y, verbose=0),
        two.fit(X, epochs=2, shuffle=False, verbose=0).history,
    ]


def _two_outputs(tf, as_dict=False):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = dense(tf), dense(tf, 3)

        def call(self, inputs):
            one, two = self.first(inputs), self.second(inputs)
            return {"a": one, "b": two} if as_dict else [one, two]

    return Net()


@row
def several_outputs(tf):
    onehot = np.eye(3, dtype="float32")[LABELS]
    one, two, three = _two_outputs(tf), _two_outputs(tf), _two_outputs(tf, True)
    one.compile("sgd", "mse", metrics=["mae"])
    two.compile("sgd", ["mse", "mae"], metrics=[["mae"], ["mse", "mae"]], loss_weights=[1.0, 0.5])
    three.compile("sgd", {"a": "mse", "b": "mae"}, metrics={"b": "mse"}, loss_weights={"a": 2.0})
    options = {"epochs": 2, "shuffle": False, "verbose": 0}
    return [
        one.fit(X, [Y, onehot], **options).history,
        two.fit(X, [Y, onehot], **options).history,
        three.fit(X, {"a": Y, "b": onehot}, **options).history,
        three.evaluate(X, {"a": Y, "b": onehot}, verbose=0),
        one.metrics_names,
        [part.shape for part in one.predict(X, verbose=0)],
        sorted(three.predict(X, verbose=0)),
    ]


@row
def several_inputs(tf):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = dense(tf)

        def call(self, inputs):
            return self.dense(inputs["a"]) + inputs["b"]

    net = Net()
    net.compile("sgd", "mse")
    data = {"a": X, "b": Y}
    return net.fit(data, Y, epochs=2, shuffle=False, verbose=0).history, net.predict(data, verbose=0)[:2]


@row
def single_batches(tf):
    model = model_of(tf, metrics=["mae"])
    return [
        model.train_on_batch(X, Y),
        model.train_on_batch(X, Y, sample_weight=ones(40) * 2, return_dict=True),
        model.train_on_batch(X, Y, reset_metrics=False),
        model.test_on_batch(X, Y),
        model.predict_on_batch(X[:2]),
        model.evaluate(X, Y, verbose=0, return_dict=True),
        model.evaluate(X, Y, verbose=0, batch_size=7, steps=2),
        model_of(tf).evaluate(X, Y, verbose=0),
        model.predict(X[:3], verbose=0),
        model.predict(X, batch_size=7, verbose=0).shape,
    ]


@row
def eager_fit(tf):
    eager, traced = model_of(tf, run_eagerly=True, metrics=["mae"]), model_of(tf, metrics=["mae"])
    calls = []
    for model in (eager, traced):
        step = model.train_step
        model.train_step = lambda data, step=step: calls.append(0) or step(data)
    histories = [m.fit(X, Y, batch_size=10, epochs=2, shuffle=False, verbose=0).history for m in (eager, traced)]
    return histories, len(calls) > 8, eager.run_eagerly, traced.run_eagerly


@row
def frozen_layers(tf):
    model = model_of(tf, dense(tf, 5, name="low"), dense(tf, name="high"))
    model.layers[0].trainable = False
    model.fit(X, Y, shuffle=False, verbose=0)
    trained = model.get_weights()[0]
    model.compile("sgd", "mse")
    model.fit(X, Y, shuffle=False, verbose=0)
    return trained, bool((trained == model.layers[0].get_weights()[0]).all()), model.layers[0].trainable


@row
def moving_averages(tf):
    model = model_of(tf, optimizer=tf.keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.5))
    model.fit(X, Y, batch_size=10, epochs=2, shuffle=False, verbose=0)
    return model.get_weights()


@row
def order_of_callbacks(tf):
    seen = []

    class Tell(tf.keras.callbacks.Callback):
        def __getattribute__(self, name):
            found = super().__getattribute__(name)
            if name.startswith("on_"):
                return lambda *a, **k: seen.append((name, *[x for x in a if isinstance(x, int)])) or found(*a, **k)
            return found

        def on_train_batch_end(self, batch, logs=None):
            seen.append(sorted(logs or ()))

        def on_epoch_end(self, epoch, logs=None):
            logs = logs or {}
            seen.append([sorted(logs), type(logs["loss"]).__name__])

        def on_test_batch_end(self, batch, logs=None):
            pass

    model = model_of(tf)
    tell = Tell()
    model.fit(X, Y, batch_size=20, epochs=2, verbose=0, validation_data=(X, Y), callbacks=[tell])
    model.predict(X, verbose=0, callbacks=tell)
    return seen, tell.params, tell.model is model


@row
def early_stopping(tf):
    callbacks = tf.keras.callbacks
    found = []
    for options in ({"patience": 1}, {"patience": 2, "restore_best_weights": True, "verbose": 1}, {"monitor": "nope"}):
        model = model_of(tf, optimizer=tf.keras.optimizers.SGD(1.5))
        stop = callbacks.EarlyStopping(**{"monitor": "loss", **options})
        text = out(lambda m=model, s=stop: m.fit(X, Y, epochs=6, shuffle=False, verbose=0, callbacks=[s]))
        found.append((text, len(model.history.epoch), stop.stopped_epoch, model.get_weights()[-1]))
    return found


@row
def learning_rates(tf):
    callbacks = tf.keras.callbacks
    model = model_of(tf)
    schedule = callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5 if epoch else 0.25, verbose=1)
    plateau = callbacks.ReduceLROnPlateau("loss", 0.5, patience=1, min_delta=10.0, verbose=1, min_lr=0.01)
    found = []
    for callback in (schedule, plateau):
        text = out(lambda c=callback: model.fit(X, Y, epochs=4, shuffle=False, verbose=0, callbacks=[c]))
        found.append((text, model.history.history["lr"], model.optimizer.lr))
    wrong = callbacks.LearningRateScheduler(lambda epoch: "x")
    return found, [
        raised(lambda: model.fit(X, Y, verbose=0, callbacks=[wrong]), "should be float. Got: x"),
        raised(lambda: callbacks.ReduceLROnPlateau(factor=1.0), "does not support a factor >= 1.0"),
    ]


@row
def csv_and_not_a_number(tf):
    model = model_of(tf, metrics=["mae"])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.csv")
        for append in (False, True):
            logger = tf.keras.callbacks.CSVLogger(path, append=append)
            model.fit(X, Y, epochs=2, shuffle=False, verbose=0, callbacks=[logger])
        with open(path) as file:
            table = [[cell if cell.isalpha() or "_" in cell else round(float(cell), 4) for cell in line.split(",")
                      if cell != "NA"] for line in file.read().split()]  # fmt: skip
    bad = np.full_like(Y, np.nan)
    text = out(lambda: model.fit(X, bad, epochs=3, verbose=0, callbacks=[tf.keras.callbacks.TerminateOnNaN()]))
    return table, text, len(model.history.epoch)


@row
def checkpoints(tf):
    model = model_of(tf)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "at-{epoch}")
        save = tf.keras.callbacks.ModelCheckpoint(path, "loss", 1, save_best_only=True, save_weights_only=True)
        text = out(lambda: model.fit(X, Y, epochs=2, shuffle=False, verbose=0, callbacks=[save]))
        files = sorted(name.partition(".")[0] for name in os.listdir(folder) if name.startswith("at"))
        other = model_of(tf)
        other.build((None, 4))
        other.load_weights(os.path.join(folder, "at-2"))
        same = all((a == b).all() for a, b in zip(model.get_weights(), other.get_weights(), strict=True))
    return [line.replace(folder, "") for line in text], sorted(set(files)), same


@row
def what_does_not_fit(tf):
    plain, model = tf.keras.Sequential([dense(tf)]), model_of(tf)
    no_loss = model_of(tf, dense(tf), loss=None)

    @tf.function
    def inside():
        return model.predict(X)

    return [
        raised(lambda: plain.fit(X, Y), "You must compile your model before training/testing"),
        raised(lambda: plain.evaluate(X, Y), "You must compile your model before training/testing"),
        raised(lambda: model.fit(X, Y[:7], verbose=0), "Make sure all arrays contain the same number of samples"),
        raised(lambda: model.fit(X[:0], Y[:0], verbose=0), "Expected input data to be non-empty"),
        raised(lambda: model.fit(X, verbose=0), "Target data is missing"),
        raised(lambda: no_loss.fit(X, Y, verbose=0), "No loss found"),
        raised(lambda: model.compile("nope", "mse"), "Unknown optimizer: 'nope'"),
        raised(lambda: model_of(tf, loss="nope").fit(X, Y, verbose=0), "Unknown loss function: 'nope'"),
        raised(lambda: model.compile("sgd", "mse", nonsense=1), "Invalid keyword argument(s) in `compile()`"),
        raised(lambda: model.compile("sgd", "mse", run_eagerly=True, jit_compile=True), "at the same time"),
        raised(inside, "inside a `tf.function`"),
        plain.predict(X[:2], verbose=0),
    ]


@row
def data_of_other_kinds(tf):
    model = model_of(tf, dense(tf, 1))
    return [
        model.fit(tf.constant(X), tf.constant(Y[:, 0]), epochs=1, shuffle=False, verbose=0).history,
        model.fit(X.astype("float64"), Y[:, :1].astype("float64"), shuffle=False, verbose=0).history,
        model.fit(X.tolist(), Y[:, 0].tolist(), shuffle=False, verbose=0).history,
        model.predict([[1.0, 2.0, 3.0, 4.0]], verbose=0),
        model.predict(np.ones((1, 4), "int64"), verbose=0).dtype.name,
    ]


@row
def bar_by_itself(tf):
    bar = tf.keras.utils.Progbar(3, stateful_metrics=["b"], interval=0)

    def show():
        for i in range(1, 4):
            bar.update(i, [("a", 1.0 * i), ("b", 2.0 * i)])

    line = tf.keras.utils.Progbar(None, verbose=1, interval=0)
    return out(show), out(lambda: line.update(2, [("small", 1e-5)], finalize=True))


@row
def backups_are_gone_on_with(tf):
    """An interrupted fit goes on with the epoch, or the batch, after the last backup; then the files are removed."""
    class Stop(tf.keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            self.epoch = epoch

        def on_train_batch_begin(self, batch, logs=None):
            if self.epoch == 2 and batch == 1:
                raise InterruptedError("in the second batch")

    def made():
        model = model_of(tf, optimizer=tf.keras.optimizers.SGD(0.1, momentum=0.9))
        model.build((None, 4))
        return model

    found = []
    for often in ("epoch", 3):
        with tempfile.TemporaryDirectory() as folder:
            def fit(model, *others, folder=folder, often=often):
                backup = tf.keras.callbacks.BackupAndRestore(folder, save_freq=often)
                return model.fit(
                    X, Y, batch_size=10, epochs=4, verbose=0, shuffle=False, callbacks=[backup, *others]
                )

            interrupted = raised(lambda fit=fit: fit(made(), Stop()))
            kept = sorted(os.listdir(os.path.join(folder, "chief")))
            model = made()
            history = fit(model)
            found.append((interrupted, kept, history.epoch, history.history, model.optimizer.iterations,
                          os.listdir(folder)))  # fmt: skip
    return found, raised(lambda: tf.keras.callbacks.BackupAndRestore("folder", save_freq=None))


class _Parts:
    """A Sequence of four batches."""

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return X[10 * i : 10 * i + 10], Y[10 * i : 10 * i + 10]


@row
def steps_and_batch_sizes_by_kind_of_data(tf):
    """As many steps as there are batches start each epoch from the first; batch sizes of batches are not looked at."""
    def batches():
        return tf.data.Dataset.from_tensor_slices((X, Y)).batch(10)

    def shuffled():
        return tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(40, seed=3).batch(10)

    class Parts(_Parts, tf.keras.utils.Sequence):
        pass

    def forever():
        while True:
            yield X[:10], Y[:10]

    found = []
    for data, options in (
        (shuffled, dict(epochs=3, steps_per_epoch=4)),
        (shuffled, dict(epochs=2, steps_per_epoch=2)),
        (batches, dict(epochs=2, batch_size=3)),
        (Parts, dict(batch_size=3, shuffle=False)),
        (Parts, dict(epochs=3, steps_per_epoch=2, shuffle=False)),
        (Parts, dict(epochs=2, steps_per_epoch=4, shuffle=False)),
        (forever, dict(batch_size=3, steps_per_epoch=2)),
        (batches, dict(validation_data=batches(), validation_steps=2, epochs=2)),
    ):
        tf.random.set_seed(3)
        found.append(model_of(tf).fit(data(), verbose=0, **options).history)
    for options in (dict(steps_per_epoch=4), dict(steps_per_epoch=3), dict(steps_per_epoch=3, batch_size=5)):
        found.append(model_of(tf).fit(X, Y, epochs=2, shuffle=False, verbose=0, **options).history)
    model = model_of(tf)
    found.append((model.evaluate(batches(), batch_size=3, verbose=0), model.evaluate(X, Y, steps=3, verbose=0)))
    found.append([model.predict(data, verbose=0, **options).shape for data, options in (
        (batches(), dict(batch_size=3)), (X, dict(steps=3)), (forever(), dict(batch_size=3, steps=2))
    )])
    for data, options in (
        ((X, Y), dict(steps_per_epoch=0)), ((X, Y), dict(batch_size=0)), ((batches(),), dict(batch_size=-1)),
    ):
        found.append(raised(lambda data=data, options=options: model.fit(*data, verbose=0, **options)))
    return found


@row
def printed_learning_rate(tf):
    model = model_of(tf, optimizer="adam")
    rates = tf.keras.callbacks.ReduceLROnPlateau(monitor="loss")
    return [
        out(lambda v=v: model.fit(X, Y, batch_size=20, shuffle=False, verbose=v, callbacks=[rates])) for v in (1, 2)
    ]


@row
def batches_of_unknown_size(tf):
    class Positions(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = (tf.keras.layers.Embedding(9, 2, embeddings_initializer=start(tf)) for _ in "ab")
            self.sum = tf.keras.layers.Add()

        def call(self, x):
            return self.sum([self.first(x), self.second(tf.range(tf.shape(x)[1])[tf.newaxis])])

    found = []
    for size in (7, 6):
        data = tf.data.Dataset.from_tensor_slices((np.ones((size, 3), "i"), np.ones((size, 3, 2), "f"))).batch(3)
        model = Positions()
        model.compile("sgd", "mse")
        found.append(model.fit(data, verbose=0).history)
    for how in ("fit", "evaluate", "predict"):
        for data in (tf.data.Dataset.from_tensor_slices((X, Y)).batch(8, b) for b in (False, True)):
            model = model_of(tf, tf.keras.layers.Flatten(), dense(tf))
            getattr(model, how)(data, verbose=0)
            found.append((how, model.input_shape))
    return found


@row
def weights_of_metrics(tf):
    keras = tf.keras

    class Distance(keras.metrics.Metric):
        def __init__(self):
            super().__init__(name="distance")
            self.mean, self.encoder = keras.metrics.Mean(name="mean"), keras.Sequential([dense(tf, 2)])
            self.own = self.add_weight("own", initializer="ones")
            self.encoder.build((None, 4))

        def update_state(self, x):
            self.mean.update_state(self.encoder(x))
            self.own.assign_add(1.0)

        def result(self):
            return self.mean.result() + self.own

    class Layer(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.metric = Distance()

        def call(self, x):
            self.metric.update_state(x)
            return x

    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.metric, self.layer = Distance(), Layer()

        def call(self, x):
            return self.layer(x)

    metric, model = Distance(), Model()
    metric.update_state(X)
    before = metric.result()
    metric.reset_state()
    model(X)
    counts = [len(model.weights), len(model.layer.weights), len(model.layers), len(model.layer.metrics)]
    return before, metric.result(), metric.encoder(X), names(metric.weights), counts, model.layer.count_params()


@row
def data_sets_that_are_kept(tf):
    tf.keras.utils.set_random_seed(9)

    class Model(tf.keras.Model):
        def train_step(self, data):
            seen.append(int(tf.reduce_sum(data)))
            return {"a": 0.0}

    found = []
    for kept in (lambda d: d.shuffle(9).cache(), lambda d: d.shuffle(9).prefetch(2).cache()):
        data, seen = kept(tf.data.Dataset.range(8).batch(2)), []
        model = Model()
        model.compile(run_eagerly=True)
        model.fit(data, epochs=3, verbose=0)
        found.append((seen, [x.numpy().tolist() for x in data]))
    return found


@row
def fit_by_former_names(tf):
    model = model_of(tf, metrics=["mae"])

    def batches():
        for i in range(0, 40, 20):
            yield X[i : i + 20], Y[i : i + 20]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            model.fit_generator(batches(), steps_per_epoch=2, verbose=0).history,
            model.evaluate_generator(batches(), 2), model.predict_generator(batches(), steps=2),
        ]  # fmt: skip


@row
def steps_that_reduce_a_dataset(tf):
    class Reducing(tf.keras.Model):
        def train_step(self, data):
            return {"sum": tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda a, b: a + b)}

    model = Reducing()
    model.compile()
    return model.fit(tf.ones([4, 2]), verbose=0).history


@row
def one_input_in_a_list(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Conv2D(2, 3, input_shape=(6, 6, 1)), layers.Flatten(), layers.Dense(3)])
    pictures = np.ones([3, 6, 6, 1], "float32")
    lookup = layers.StringLookup(mask_token=None)
    lookup.adapt(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    words = tf.keras.Sequential([lookup, layers.Embedding(3, 4)])
    return [
        model([tf.constant(pictures)]).shape.as_list(), model((pictures,)).shape.as_list(),
        list(model.predict([pictures], verbose=0).shape), words(tf.constant(["a", "b"])).shape.as_list(),
    ]  # fmt: skip

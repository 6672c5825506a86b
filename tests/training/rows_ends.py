"""Rows: `fit` on data whose end it does not know beforehand."""

import numpy as np
from rows import raised, row, row_for

from .rows_fit import dense, model_of, start


def _ending(tf, kind):
    def generate(count=3):
        for i in range(count):
            yield np.full((4, 4), i / 3, "float32"), np.ones((4, 2), "float32")

    if kind == "generator":
        return generate(9)
    spec = tf.TensorSpec([None, 4]), tf.TensorSpec([None, 2])
    data = tf.data.Dataset.from_generator(generate, output_signature=spec)
    return {"dataset": data, "repeated": data.repeat(), "filtered": data.unbatch().filter(lambda x, y: True).batch(5),
            "known": data.apply(tf.data.experimental.assert_cardinality(3))}[kind]  # fmt: skip


@row_for(kind=["dataset", "repeated", "filtered", "known"])
def steps_that_find_the_end_of_the_data(tf, kind):
    K, found = tf.keras.optimizers, []
    for optimizer in (
        K.Adam(0.1), K.SGD(0.1, weight_decay=0.1), K.AdamW(K.schedules.ExponentialDecay(0.1, 2, 0.5), 0.1),
        K.RMSprop(0.1, use_ema=True, ema_overwrite_frequency=2), K.legacy.Adam(0.1),
    ):  # fmt: skip
        model = model_of(tf, dense(tf), optimizer=optimizer)
        options = {"steps_per_epoch": 3} if kind == "repeated" else {}
        data = _ending(tf, kind)
        history = model.fit(data, epochs=3, verbose=0, validation_data=data.take(2), **options).history
        found.append([int(optimizer.iterations), history, model.get_weights()])
    return found


@row_for(kind=["Adam", "Adamax", "AdamW", "RMSprop", "Adadelta", "SGD", "Lion", "Adagrad"])
def steps_of_embeddings_that_find_the_end(tf, kind):
    options = {"RMSprop": {"momentum": 0.9, "centered": True}, "SGD": {"momentum": 0.9}, "Adam": {"amsgrad": True}}
    embedding = tf.keras.layers.Embedding(6, 2, embeddings_initializer=start(tf))
    optimizer = getattr(tf.keras.optimizers, kind)(0.1, **options.get(kind, {}))
    model = model_of(tf, embedding, tf.keras.layers.GlobalAveragePooling1D(), dense(tf, 1), optimizer=optimizer)
    rows = tf.data.Dataset.range(5).map(lambda x: (tf.stack([x, x * x]) % 6, tf.cast([x, 1], tf.float32)))
    history = model.fit(rows.filter(lambda x, y: True).batch(2), epochs=3, verbose=0).history
    return [history, model.get_weights(), [v.numpy() for v in optimizer.variables[2:]]]


@row
def other_steps_that_find_the_end(tf):
    class Two(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = dense(tf), dense(tf)
            self.one, self.several = tf.keras.optimizers.Adam(0.1), tf.keras.optimizers.SGD(0.1)

        def call(self, x):
            return self.first(x) + self.second(x)

        def train_step(self, data):
            x, y = data
            for layer, optimizer, times in ((self.first, self.one, 1), (self.second, self.several, 2)):
                for _ in range(times):
                    with tf.GradientTape() as tape:
                        loss = tf.reduce_mean((self(x) - y) ** 2)
                    variables = layer.trainable_variables
                    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            return {"loss": loss}

    two = Two()
    two.compile()
    history = two.fit(_ending(tf, "dataset"), epochs=2, verbose=0).history
    found = [int(two.one.iterations), int(two.several.iterations), history]
    for options, fitted in (
        ({"run_eagerly": True}, {}), ({"jit_compile": True}, {}), ({}, {"steps_per_epoch": 5}),
    ):  # fmt: skip
        model = model_of(tf, optimizer=tf.keras.optimizers.Adam(0.1), **options)
        model.fit(_ending(tf, "dataset"), **{"verbose": 0, "epochs": 2, **fitted})
        found.append([int(model.optimizer.iterations), model.get_weights()])
    model = model_of(tf, optimizer="adam")
    for data in ("generator", "dataset", "dataset", "known"):
        model.fit(_ending(tf, data), verbose=0)
        found.append(int(model.optimizer.iterations))
    grouped = model_of(tf, steps_per_execution=2)
    return [*found, raised(lambda: grouped.fit(_ending(tf, "dataset"), verbose=0), "Could not infer the size")]

"""Rows: Keras in graphs of TensorFlow 1, where a session holds the values of the weights."""

import numpy
from rows import raised, row, row_for

X = numpy.linspace(-1, 1, 24, dtype=numpy.float32).reshape(8, 3)
Y = numpy.cos(X[:, :2])


def model_of(tf, optimizer="sgd"):
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Dense(4, activation="tanh", kernel_initializer=tf.keras.initializers.Constant(0.3), input_shape=(3,)),
        layers.BatchNormalization(),
        layers.Dense(2, kernel_initializer=tf.keras.initializers.Constant(0.5)),
    ])  # fmt: skip
    model.compile(loss="mse", optimizer=optimizer)
    return model


@row_for(optimizer=["sgd", "adam"])
def arrays_are_fitted(tf, optimizer):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        model = model_of(tf, optimizer)
        history = model.fit(X, Y, batch_size=4, epochs=2, shuffle=False, validation_data=(X, Y), verbose=0).history
        return (
            history, float(model.evaluate(X, Y, verbose=0)), model.predict(X, verbose=0), session.run(model.weights),
            float(model.train_on_batch(X, Y)), float(model.test_on_batch(X, Y)), model.predict_on_batch(X[:2]),
            model.get_weights(),
        )  # fmt: skip


@row
def tensors_of_the_graph_are_fitted(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        model = model_of(tf)
        x, y = tf.constant(X), tf.constant(Y)
        history = model.fit(x, y, epochs=2, steps_per_epoch=3, verbose=0).history
        without_steps = raised(lambda: model.fit(x, y, verbose=0), "you should specify the `steps_per_epoch` argument")
        return history, float(model.evaluate(x, y, steps=2, verbose=0)), session.run(model(x)), without_steps


@row
def weights_are_set(tf):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        model = model_of(tf)
        model.set_weights([numpy.full_like(weight, 2) for weight in model.get_weights()])
        tf.keras.backend.set_value(model.layers[0].bias, [1.0, 2.0, 3.0, 4.0])
        bias, twice = model.layers[0].bias, model.layers[2].bias * 2.0
        return session.run(model.weights), tf.keras.backend.get_value(bias), tf.keras.backend.get_value(twice)


@row
def a_layer_keeps_tensors_of_the_graph(tf):
    class Scaled(tf.keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight(name="w", shape=[shape[-1], 2], initializer="ones")
            self.scale = tf.nn.softplus(self.w) * 2.0
            self.count = tf.constant(1)

        def call(self, x):
            return tf.linalg.matmul(x, self.scale) + tf.reshape(self.scale, [-1])[: self.count]

    with tf.Graph().as_default(), tf.compat.v1.Session():
        model = tf.keras.Sequential([tf.keras.Input([3]), Scaled()])
        model.compile(loss="mse", optimizer="sgd")
        return model.fit(X, Y, epochs=3, shuffle=False, verbose=0).history, model.get_weights()


def made(tf, kind, *args, **options):
    return getattr(tf.keras.layers, kind)(*args, **options)


LAYERS = {
    "BatchNormalization": lambda tf: made(tf, "BatchNormalization"),
    "LayerNormalization": lambda tf: made(tf, "LayerNormalization"),
    "LSTM": lambda tf: made(tf, "LSTM", 2, kernel_initializer="ones", recurrent_initializer="ones"),
    "GRU of all times": lambda tf: made(
        tf, "GRU", 2, kernel_initializer="ones", recurrent_initializer="ones", return_sequences=True
    ),
    "SimpleRNN": lambda tf: made(tf, "SimpleRNN", 2, kernel_initializer="ones", recurrent_initializer="ones"),
    "RNN of a cell": lambda tf: made(
        tf, "RNN", made(tf, "LSTMCell", 2, kernel_initializer="ones", recurrent_initializer="ones")
    ),
}


@row_for(kind=list(LAYERS))
def layer(tf, kind):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(X.reshape(2, 4, 3))
        y = LAYERS[kind](tf)(x)
        gradient = tf.gradients(tf.reduce_sum(tf.square(y)), x)[0]
        session.run(tf.compat.v1.global_variables_initializer())
        return str(y.shape), session.run([y, gradient])


@row
def a_model_of_a_graph_in_a_file(tf, np, folder):
    v = tf.compat.v1
    with tf.Graph().as_default(), v.Session() as session:
        model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,)), tf.keras.layers.Dense(1)])
        model.compile("adam", "mse")
        x = np.ones((4, 3), np.float32)
        model.fit(x, np.ones((4, 1)), verbose=0)
        model.save(folder + "/model.h5")
        loaded = tf.keras.models.load_model(folder + "/model.h5")
        same = np.allclose(*session.run([model(x), loaded(x)]))
        model.save_weights(folder + "/weights.h5")
        loaded.set_weights([0 * w for w in model.get_weights()])
        zeros = session.run(loaded(x))
        loaded.load_weights(folder + "/weights.h5")
        return same, zeros, np.allclose(*session.run([model(x), loaded(x)]))


_RECURRENT = {
    "simple": lambda k, given: k.SimpleRNN(2, **given),
    "lstm": lambda k, given: k.LSTM(2, **given),
    "gru": lambda k, given: k.GRU(2, return_sequences=True, **given),
    "both ways": lambda k, given: k.Bidirectional(k.LSTM(2, **given)),
    "cells": lambda k, given: k.RNN([k.LSTMCell(2, **given), k.GRUCell(2, **given)]),
    "masked": lambda k, given: (lambda x: k.LSTM(2, **given)(k.Masking()(x))),
    "over time": lambda k, given: k.TimeDistributed(k.Dense(2, kernel_initializer="ones")),
}  # fmt: skip


@row_for(layer=sorted(_RECURRENT), time=[4, None])
def recurrent_layers_of_placeholders(tf, np, layer, time):
    v1 = tf.compat.v1
    numbers = np.cos(np.arange(24.0)).reshape(2, 4, 3)
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, time, 3])
        given = {"kernel_initializer": "ones", "recurrent_initializer": "ones"}
        y = _RECURRENT[layer](tf.keras.layers, given)(x)
        session.run(v1.global_variables_initializer())
        return y.shape.as_list(), session.run(y, {x: numbers})


@row
def a_recurrent_layer_is_trained_in_a_graph(tf, np):
    v1 = tf.compat.v1
    numbers = np.cos(np.arange(24.0)).reshape(2, 4, 3)
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 4, 3])
        layer = tf.keras.layers.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones")
        loss = tf.reduce_mean((layer(x) - 0.5) ** 2)
        step = v1.train.GradientDescentOptimizer(0.5).minimize(loss)
        session.run(v1.global_variables_initializer())
        return [session.run([loss, step], {x: numbers})[0] for _ in range(3)]

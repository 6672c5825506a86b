"""Rows: `tf.keras.experimental.LinearModel` and `WideDeepModel`."""

import numpy as np
from rows import raised, row

X = np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(6, 2)
Y = np.linspace(0.0, 1.0, 6, dtype=np.float32).reshape(6, 1)


def _trained(model, x, optimizer):
    model.compile(optimizer, "mse", metrics=["mae"])
    history = model.fit(x, Y, batch_size=3, epochs=2, verbose=0, shuffle=False).history
    return history, model.predict(x, verbose=0), [weight.name for weight in model.weights], model.get_weights()


@row
def linear_models_of_one_input_and_of_several(tf):
    linear = tf.keras.experimental.LinearModel
    kernel = tf.keras.initializers.Constant(0.5)
    sparse = linear(units=2, kernel_initializer=kernel)(tf.sparse.from_dense(X))
    several = linear(activation="sigmoid", kernel_initializer=kernel, use_bias=False)
    by_name = linear(kernel_regularizer="l2", bias_regularizer="l1", kernel_initializer=kernel)
    return [
        _trained(linear(), X, "sgd"), sparse, _trained(several, [X, X[:, :1]], "sgd"),
        _trained(by_name, {"b": X, "a": X[:, :1]}, "adagrad"),
        raised(lambda: by_name({"b": X}), "does not match the structure expected by the model"),
    ]  # fmt: skip


@row
def linear_models_from_configurations(tf):
    model = tf.keras.experimental.LinearModel(units=2, activation="relu", name="line")
    config = model.get_config()
    again = type(model).from_config(config)
    return sorted(config), config["activation"], config["kernel_initializer"]["class_name"], again.units, again.name


@row
def wide_and_deep_models(tf):
    experimental, keras = tf.keras.experimental, tf.keras

    def made(activation=None):
        dense = keras.layers.Dense(1, kernel_initializer=keras.initializers.Constant(0.25))
        deep = keras.Sequential([dense, keras.layers.Dropout(0.0)])
        return experimental.WideDeepModel(experimental.LinearModel(), deep, activation)

    return [
        _trained(made(), X, ["sgd", "adam"]), _trained(made("tanh"), [X, X[:, :1]], "sgd"),
        made()(X), sorted(made().get_config()),
    ]  # fmt: skip

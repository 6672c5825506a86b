"""Rows: mixed-precision policies, variables that are read in 16 bits, and scaled losses."""

import os
import tempfile

import numpy as np
from rows import names, ones, raised, row

from ._cases import random
from .rows_fit import LABELS, X, Y, dense


def under(tf, policy, function):
    """What a function returns under a global policy."""
    tf.keras.mixed_precision.set_global_policy(policy)
    try:
        return function()
    finally:
        tf.keras.mixed_precision.set_global_policy(None)


@row
def policies(tf):
    mixed = tf.keras.mixed_precision
    found = []
    for name in ("mixed_float16", "mixed_bfloat16", "float16", "float64"):
        policy = mixed.Policy(name)
        found.append((repr(policy), policy.compute_dtype, policy.variable_dtype, policy.get_config()))
    layer = tf.keras.layers.Dense(2, dtype="mixed_float16")
    again = tf.keras.layers.Dense.from_config(layer.get_config())
    return found, [layer.dtype, layer.compute_dtype, layer.variable_dtype, repr(again.dtype_policy)], [
        raised(lambda: mixed.Policy("some")),
        raised(lambda: mixed.Policy("float16_with_float32_vars")),
        raised(lambda: mixed.set_global_policy("int32")),
    ]


@row
def variables_are_read_in_the_compute_dtype(tf):
    class Own(tf.keras.layers.Layer):
        def build(self, shape):
            self.a = self.add_weight("a", (3,), initializer="ones", regularizer="l2")
            self.b = self.add_weight("b", (3,), initializer="ones", experimental_autocast=False)
            self.count = self.add_weight("count", (), initializer="zeros", trainable=False)

        def call(self, x):
            self.count.assign_add(1.0)
            seen.append([x.dtype.name, self.a.dtype.name, self.b.dtype.name, (x * self.a).dtype.name, repr(self.a)])
            return x * self.a + tf.cast(self.b, x.dtype)

    seen = []
    layer = Own(dtype="mixed_float16")
    with tf.GradientTape() as tape:
        outputs = layer(ones(2, 3))
        loss = tf.reduce_sum(outputs)
    gradients = tape.gradient(loss, [layer.a, layer.b])
    return seen, outputs, gradients, layer.losses, [layer.a.dtype.name, repr(layer.a), layer.count]


def traced_layers(tf):
    layers = tf.keras.layers
    return {
        "dense": (layers.Dense(2, "relu"), (4, 3)),
        "batch": (layers.BatchNormalization(), (6, 3)),
        "layer": (layers.LayerNormalization(), (6, 4)),
        "lstm": (layers.LSTM(3, return_state=True), (2, 3, 2)),
    }


@row
def layers_keep_float32_and_compute_in_16_bits(tf):
    def run():
        found = {}
        for name, (layer, shape) in traced_layers(tf).items():
            layer.build(shape)
            layer.set_weights([random(f"{name} {i}", w.shape, low=0.1) for i, w in enumerate(layer.get_weights())])
            with tf.GradientTape() as tape:
                outputs = tf.nest.flatten(layer(tf.constant(random(name, shape)), training=True))
                total = sum(tf.reduce_sum(tf.cast(y, "float32") ** 2) for y in outputs)
            gradients = tape.gradient(total, layer.trainable_weights)
            found[name] = [
                [x.dtype.name for x in (*outputs, *layer.weights, *gradients)],
                # Half precision: two digits.
                [float(f"{float(tf.reduce_sum(tf.abs(tf.cast(x, 'float32')))):.1e}") for x in (*outputs, *gradients)],
            ]
        return found

    return under(tf, "mixed_float16", run)


@row
def embedding_rows_are_cast_and_gradients_are_slices(tf):
    layer = tf.keras.layers.Embedding(5, 2, dtype="mixed_bfloat16", embeddings_initializer="ones")
    with tf.GradientTape() as tape:
        rows = layer(tf.constant([1, 3, 1]))
        total = tf.reduce_sum(rows)
    gradient = tape.gradient(total, layer.embeddings)
    return rows.dtype.name, type(gradient).__name__, gradient.values, gradient.indices


def trained(tf, optimizer, traced):
    """The scale, the counts and the variables over steps, of which the fifth overflows."""
    v, t = tf.Variable([1.0, 2.0], name="v"), tf.Variable([[1.0], [2.0], [3.0]], name="t")
    scaled = tf.keras.mixed_precision.LossScaleOptimizer(optimizer, initial_scale=8.0, dynamic_growth_steps=3)

    def step(i):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v) + tf.reduce_sum(tf.gather(t, [0, 2]))
            loss = loss * tf.where(tf.equal(i, 4), np.float32(np.inf), 1.0)
            loss = scaled.get_scaled_loss(loss)
        scaled.apply_gradients(zip(scaled.get_unscaled_gradients(tape.gradient(loss, [v, t])), [v, t], strict=True))

    run, found = tf.function(step) if traced else step, []
    for i in range(12):
        run(tf.constant(i))
        found.append((scaled.loss_scale, scaled.dynamic_counter.numpy(), scaled.iterations.numpy(), v.numpy()))
    return scaled, found, t.numpy()


@row
def scales_double_and_halve(tf):
    make = tf.keras.optimizers
    return [trained(tf, make.Adam(0.05), False)[1:], trained(tf, make.Adam(0.05), True)[1:]]


@row
def scales_of_the_older_optimizers(tf):
    scaled, *found = trained(tf, tf.keras.optimizers.legacy.SGD(0.1, momentum=0.9), False)
    scaled.momentum = 0.5
    return found, names(scaled.variables()), scaled.lr, scaled.inner_optimizer.momentum, type(scaled).__name__


@row
def loss_scale_optimizers(tf):
    mixed, make = tf.keras.mixed_precision, tf.keras.optimizers
    inner = make.SGD(0.01)
    fixed = mixed.LossScaleOptimizer(inner, dynamic=False, initial_scale=4.0)
    w = tf.Variable(3.0)
    fixed.minimize(lambda: w * w, [w])
    fixed.learning_rate = 0.5
    facts = [fixed.dynamic, fixed.dynamic_counter, fixed.loss_scale, fixed.initial_scale, fixed.dynamic_growth_steps]
    scaled = mixed.LossScaleOptimizer(make.Adam(0.1))
    again = make.deserialize(make.serialize(scaled))
    kinds = [mixed.LossScaleOptimizer, make.Optimizer, make.legacy.Optimizer]
    config = scaled.get_config()
    return w, inner.learning_rate, facts, [isinstance(scaled, kind) for kind in kinds], [
        type(again).__name__, type(again.inner_optimizer).__name__, config["initial_scale"],
        config["dynamic_growth_steps"], config["inner_optimizer"]["class_name"],
    ], [
        raised(lambda: mixed.LossScaleOptimizer(inner)),
        raised(lambda: mixed.LossScaleOptimizer(scaled)),
        raised(lambda: mixed.LossScaleOptimizer(3)),
        raised(lambda: mixed.LossScaleOptimizer(make.SGD(), "dynamic")),
        raised(lambda: mixed.LossScaleOptimizer(make.SGD(), False)),
        raised(lambda: mixed.LossScaleOptimizer(make.SGD(), False, 2.0, 3)),
    ]  # fmt: skip


@row
def fit_scales_the_loss_of_float16(tf):
    def run():
        layers = [dense(tf, 4, "tanh"), dense(tf, 3), tf.keras.layers.Activation("softmax", dtype="float32")]
        model = tf.keras.Sequential(layers)
        model.compile(tf.keras.optimizers.SGD(0.5), "sparse_categorical_crossentropy")
        losses = model.fit(X, LABELS, batch_size=20, epochs=6, verbose=0, shuffle=False).history["loss"]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.keras")
            model.save(path)
            again = tf.keras.models.load_model(path, custom_objects={"start": layers[0].kernel_initializer})
            same = np.array_equal(again.predict(X, verbose=0), model.predict(X, verbose=0))
        return [float(f"{loss:.2f}") for loss in losses], type(model.optimizer).__name__, same, [
            repr(again.layers[0].dtype_policy), type(again.optimizer).__name__, again.optimizer.iterations,
        ]  # fmt: skip

    return under(tf, "mixed_float16", run)


@row
def checkpoints_hold_the_optimizer_and_its_scale(tf):
    """The older optimizers' slots stand beside the variables; all is restored, also before it is made."""
    def made():
        model = tf.keras.Sequential([dense(tf, 2, name="only")])
        older = tf.keras.optimizers.legacy.SGD(0.1, momentum=0.9)
        model.compile(tf.keras.mixed_precision.LossScaleOptimizer(older, initial_scale=64.0), "mse")
        return model

    model = made()
    model.fit(X, Y, epochs=2, batch_size=20, verbose=0, shuffle=False)
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "weights")
        model.save_weights(prefix)
        keys = sorted(key for key, _ in tf.train.list_variables(prefix))
        built = made()
        built.fit(X, Y, epochs=1, verbose=0)
        results = [keys]
        for other in (model, built):
            if other is not model:
                other.load_weights(prefix)
            results.append(other.fit(X, Y, epochs=2, batch_size=20, verbose=0, shuffle=False).history["loss"])
    return results

"""What a first hour with gradient tapes tries, once each: the program whose cold start is timed.

The steps are those of TensorFlow's guide to advanced automatic differentiation: tapes that pause, start anew and nest,
custom gradients saved and loaded, jacobians of layers, a Hessian and a Newton step, batched jacobians with and without
batch normalization. Prints a line of JSON: numbers that do not depend on random starting weights.
"""

import json
import tempfile

import numpy as np
import tensorflow as tf

report = {}
numbers = np.random.default_rng(0)


def inputs():
    return tf.constant(numbers.normal(size=(7, 5)).astype("float32"))


# A tape that pauses, and one that forgets.
x, y = tf.Variable(2.0), tf.Variable(3.0)
with tf.GradientTape() as tape:
    kept = x * x
    with tape.stop_recording():
        unseen = y * y
    total = kept + unseen
gradient = tape.gradient(total, {"x": x, "y": y})
report["paused"] = [float(gradient["x"]), gradient["y"] is None]

with tf.GradientTape() as tape:
    kept = y * y
    tape.reset()
    total = x * x + kept
report["reset"] = [float(g) if g is not None else None for g in tape.gradient(total, [x, y])]

with tf.GradientTape() as tape:
    total = x**2 + tf.stop_gradient(y**2)
report["stopped"] = float(tape.gradient(total, x))


# A gradient of one's own, also through a saved function.
@tf.custom_gradient
def clipped(value):
    def backward(upstream):
        return tf.clip_by_norm(upstream, 0.5)

    return value, backward


class Clipping(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def apply(self, value):
        return clipped(value)


with tf.GradientTape() as tape:
    out = clipped(x * x)
report["clipped"] = float(tape.gradient(out, x))

with tempfile.TemporaryDirectory() as folder:
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=True)
    tf.saved_model.save(Clipping(), folder, options=options)
    loaded = tf.saved_model.load(folder)
    with tf.GradientTape() as tape:
        out = loaded.apply(x * x)
    report["loaded"] = float(tape.gradient(out, x))

# Two tapes side by side, then one in the other.
a, b = tf.constant(0.0), tf.constant(0.0)
with tf.GradientTape() as first, tf.GradientTape() as second:
    first.watch(a)
    second.watch(b)
    total = tf.reduce_sum(tf.math.sin(a) + tf.nn.sigmoid(b))
report["beside"] = [float(first.gradient(total, a)), float(second.gradient(total, b))]

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        cube = x * x * x
    slope = inner.gradient(cube, x)
report["nested"] = [float(slope), float(outer.gradient(slope, x))]

# Input-gradient regularization.
x = inputs()
layer = tf.keras.layers.Dense(10, activation=tf.nn.relu)
with tf.GradientTape() as outer:
    with tf.GradientTape(watch_accessed_variables=False) as inner:
        inner.watch(x)
        out = tf.reduce_sum(layer(x) ** 2)
    size = tf.norm(inner.gradient(out, x))
report["regularized"] = [list(g.shape) for g in outer.gradient(size, layer.trainable_variables)]

# Jacobians: by a scalar, by a kernel.
grid, shift = tf.linspace(-10.0, 10.0, 201), tf.Variable(0.0)
with tf.GradientTape() as tape:
    curve = tf.nn.sigmoid(grid + shift)
slopes = tape.jacobian(curve, shift)
report["curve"] = [*slopes.shape, float(slopes.numpy().max())]

x = inputs()
layer = tf.keras.layers.Dense(10, activation=tf.nn.relu)
with tf.GradientTape(persistent=True) as tape:
    out = layer(x)
jacobian = tape.jacobian(out, layer.kernel)
gap = tf.reduce_max(abs(tape.gradient(out, layer.kernel) - tf.reduce_sum(jacobian, axis=[0, 1])))
report["by_kernel"] = [*jacobian.shape, bool(gap < 1e-3)]

# The Hessian of a kernel, and a Newton step with it.
x = inputs()
layer1 = tf.keras.layers.Dense(8, activation=tf.nn.relu)
layer2 = tf.keras.layers.Dense(6, activation=tf.nn.relu)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        loss = tf.reduce_mean(layer2(layer1(x)) ** 2)
    gradient = inner.gradient(loss, layer1.kernel)
hessian = outer.jacobian(gradient, layer1.kernel)
count = tf.reduce_prod(layer1.kernel.shape)
matrix = tf.reshape(hessian, [count, count])
update = tf.linalg.solve(matrix + 1e-3 * tf.eye(matrix.shape[0]), tf.reshape(gradient, [count, 1]))
layer1.kernel.assign_sub(tf.reshape(update, layer1.kernel.shape))
report["hessian"] = [*hessian.shape, bool(np.isfinite(layer1.kernel.numpy()).all())]

# Jacobians of a batch: rows apart, then mixed by batch normalization.
for normalized in (False, True):
    x = inputs()
    layer1 = tf.keras.layers.Dense(8, activation=tf.nn.elu)
    normalization = tf.keras.layers.BatchNormalization()
    layer2 = tf.keras.layers.Dense(6, activation=tf.nn.elu)
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(x)
        out = layer1(x)
        if normalized:
            out = normalization(out, training=True)
        out = layer2(out)
    jacobian = tape.jacobian(out, x)
    largest = tf.reduce_max(abs(jacobian))
    transposed = tf.transpose(jacobian, [1, 0, 3, 2])
    framed = tf.pad(transposed, [[0, 0], [1, 1], [0, 0], [1, 1]], constant_values=-largest)
    patches = tf.reshape(framed, [framed.shape[0] * framed.shape[1], framed.shape[2] * framed.shape[3]])
    by_row = tape.batch_jacobian(out, x)
    same = bool(tf.reduce_max(abs(by_row - tf.einsum("bxby->bxy", jacobian))) < 1e-3)
    summed = bool(tf.reduce_max(abs(by_row - tf.reduce_sum(jacobian, axis=2))) < 1e-3)
    report[f"batch_{normalized}"] = [*patches.shape, *by_row.shape, same, summed]

print(json.dumps(report))

# %% [markdown]
# # Automatic differentiation from zero
#
# What a tape records, what `gradient` does with the record, and how to train a model with both. The code is plain
# TensorFlow.

# %%
# Where tfcompat is missing, as in Colab: from a wheel uploaded beside this notebook, or from the checkout around it.
# `source` may also be the address of a wheel.
import importlib.metadata
import importlib.util
import pathlib

if importlib.util.find_spec("tfcompat") is None:
    wheels = [str(path) for path in pathlib.Path().glob("tfcompat-*.whl")]
    source = wheels[-1] if wheels else "../.."
    # NumPy stays as it is: other packages rely on it. JAX is replaced, and its part for a GPU with it.
    numpy = " ".join(f"numpy=={each.version}" for each in importlib.metadata.distributions(name="numpy"))
    jax = "jax[cuda12]" if importlib.util.find_spec("jax_cuda12_plugin") else "jax"
    # %pip install -q {source} {jax} {numpy} matplotlib scikit-learn

import tfcompat

tfcompat.install()  # from here on `import tensorflow` finds tfcompat

# %%
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

STEPS = 3000

# %% [markdown]
# ## One derivative
#
# The tape notes what happens to a variable. `gradient` walks back through the notes.

# %%
x = tf.Variable(2.0)
with tf.GradientTape() as tape:
    y = x**3 + tf.sin(x)
slope = tape.gradient(y, x)
print(slope.numpy(), "is", 3 * 2.0**2 + np.cos(2.0))

# %% [markdown]
# A drawing shows what was recorded:

# %%
with tf.GradientTape(persistent=True) as tape:
    y = x**3 + tf.sin(x)
drawing = tape.draw(y)
drawing

# %% [markdown]
# ## A curve and its slope
#
# One call serves all points. Each `y` depends only on its own `x`, so the gradient of the sum holds all slopes.

# %%
points = tf.linspace(-3.0, 3.0, 200)
with tf.GradientTape() as tape:
    tape.watch(points)
    curve = tf.tanh(points) * tf.exp(-(points**2) / 4.0)
slopes = tape.gradient(curve, points)
plt.plot(points, curve, label="f")
plt.plot(points, slopes, label="f'")
plt.legend()
plt.show()

# %% [markdown]
# ## Why is a gradient None?

# %%
w = tf.Variable([1.0, 2.0], name="w")
with tf.GradientTape(persistent=True) as tape:
    loss = tf.reduce_sum(tf.constant(w.numpy()) ** 2)  # through NumPy: the tape cannot see it
print(tape.gradient(loss, w))
print(tape.explain(loss, w))

# %% [markdown]
# ## A network, trained by hand

# %%
tf.keras.utils.set_random_seed(0)
x = tf.linspace([-3.0], [3.0], 64)
y = tf.sin(2.0 * x) + 0.1 * tf.random.normal(x.shape)
w1, b1 = tf.Variable(tf.random.normal([1, 32])), tf.Variable(tf.random.normal([32]))
w2, b2 = tf.Variable(tf.random.normal([32, 1]) * 0.2), tf.Variable(tf.zeros([1]))
weights = [w1, b1, w2, b2]


def model(x):
    return tf.tanh(x @ w1 + b1) @ w2 + b2


losses = []
for _ in range(STEPS):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
        weight.assign_sub(0.03 * gradient)
    losses.append(float(loss))
print(f"loss {losses[0]:.3f} at first, {losses[-1]:.3f} in the end")

# %%
left, right = plt.subplots(1, 2, figsize=(9, 3))[1]
left.plot(x, y, ".", x, model(x), "-")
right.semilogy(losses)
right.set_xlabel("step")
right.set_ylabel("loss")
plt.show()

# %% [markdown]
# # Integrated gradients: which pixels made the digit a three?
#
# The gradient of a class's score with respect to the input tells what a tiny change does. Its integral along the path
# from an empty picture to the digit divides the whole score among the pixels: their parts add up to the score.

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
from sklearn.datasets import load_digits

STEPS = 400

# %%
tf.keras.utils.set_random_seed(0)
digits = load_digits()
images, labels = (digits.data / 16.0).astype(np.float32), digits.target.astype(np.int32)
train, test = slice(0, 1500), slice(1500, None)
model = tf.keras.Sequential([tf.keras.layers.Dense(48, activation="relu"), tf.keras.layers.Dense(10)])
optimizer = tf.keras.optimizers.Adam(3e-3)
choose = np.random.default_rng(0)
for _ in range(STEPS):
    batch = choose.integers(0, 1500, 64)
    with tf.GradientTape() as tape:
        logits = model(images[batch])
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels[batch], logits))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
accuracy = np.mean(np.argmax(model(images[test]), 1) == labels[test])
print(f"accuracy {accuracy:.3f}")


# %% [markdown]
# ## The integral
#
# All points of the path are one batch. The trapezoidal rule does the rest.

# %%
def integrated_gradients(image, label, points=64):
    baseline = tf.zeros_like(image)
    share = tf.linspace(0.0, 1.0, points)[:, None]
    way = baseline + share * (image - baseline)
    with tf.GradientTape() as tape:
        tape.watch(way)
        score = model(way)[:, label]
    gradients = tape.gradient(score, way)
    mean = tf.reduce_mean((gradients[1:] + gradients[:-1]) / 2.0, 0)
    return (image - baseline) * mean, score[-1] - score[0]


# %%
figure, axes = plt.subplots(2, 6, figsize=(10, 3.6))
for column, i in enumerate(range(1500, 1506)):
    image, label = tf.constant(images[i]), int(labels[i])
    parts, change = integrated_gradients(image, label)
    print(label, f"parts {float(tf.reduce_sum(parts)):.3f}, score {float(change):.3f}")
    limit = np.abs(parts).max()
    axes[0, column].imshow(images[i].reshape(8, 8), cmap="gray_r")
    axes[1, column].imshow(parts.numpy().reshape(8, 8), cmap="coolwarm", vmin=-limit, vmax=limit)
for axis in axes.flat:
    axis.axis("off")
plt.show()

# %% [markdown]
# # Harder to fool: input-gradient regularization against FGSM and PGD
#
# An attack moves each pixel a little along the gradient of the loss with respect to the picture. A network trained to
# have small input gradients is harder to fool. The penalty puts a gradient into the loss, so training takes a second
# derivative. Nested tapes compute it: double backpropagation.

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

STEPS = 600
PENALTY = 1.0

# %%
digits = load_digits()
images, labels = (digits.data / 16.0).astype(np.float32), digits.target.astype(np.int32)
order = np.random.default_rng(0).permutation(len(images))
train, test = order[:1400], order[1400:]
test_images, test_labels = tf.constant(images[test]), tf.constant(labels[test])


def cross_entropy(model, x, y):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=model(x))


# %% [markdown]
# ## Training with and without the penalty

# %%
def trained(penalty):
    tf.keras.utils.set_random_seed(0)
    layers = [tf.keras.layers.Dense(64, activation="softplus") for _ in range(2)]
    model = tf.keras.Sequential([*layers, tf.keras.layers.Dense(10)])
    optimizer = tf.keras.optimizers.Adam(3e-3)
    choose = np.random.default_rng(1)
    for _ in range(STEPS):
        batch = choose.choice(train, 64)
        x, y = tf.constant(images[batch]), tf.constant(labels[batch])
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                losses = cross_entropy(model, x, y)
            by_input = inner.gradient(losses, x)
            loss = tf.reduce_mean(losses) + penalty * tf.reduce_mean(tf.reduce_sum(by_input**2, 1))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(outer.gradient(loss, variables), variables, strict=True))
    return model


models = {"loss alone": trained(0.0), "with the penalty": trained(PENALTY)}


# %% [markdown]
# ## The attacks
#
# FGSM takes one step of the full size. PGD takes many small steps and returns to the allowed box after each.

# %%
def fgsm(model, x, y, size):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = cross_entropy(model, x, y)
    return tf.clip_by_value(x + size * tf.sign(tape.gradient(loss, x)), 0.0, 1.0)


def pgd(model, x, y, size, steps=10):
    attacked = x
    for _ in range(steps):
        attacked = fgsm(model, attacked, y, size / 4.0)
        attacked = tf.clip_by_value(attacked, x - size, x + size)
    return attacked


def accuracy(model, x):
    return float(tf.reduce_mean(tf.cast(tf.argmax(model(x), 1, tf.int32) == test_labels, tf.float32)))


# %%
sizes = np.linspace(0.0, 0.2, 9).astype(np.float32)
for (name, model), color in zip(models.items(), ("tab:red", "tab:blue"), strict=True):
    for attack, style in ((fgsm, "--"), (pgd, "-")):
        curve = [accuracy(model, attack(model, test_images, test_labels, size)) for size in sizes]
        plt.plot(sizes, curve, style, color=color, label=f"{name}, {attack.__name__}")
        print(f"{name:17} {attack.__name__:5}", " ".join(f"{value:.2f}" for value in curve))
plt.xlabel("size of the attack")
plt.ylabel("accuracy")
plt.legend()
plt.show()

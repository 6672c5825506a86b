# %% [markdown]
# # Higher orders: jacobians, Hessians, and products with them
#
# Nested tapes work as in TensorFlow. `tape.hessian`, `hvp` and `directional_derivatives` are extensions of tfcompat.

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

POINTS = 200

# %% [markdown]
# ## Derivatives of derivatives

# %%
x = tf.linspace(-4.0, 4.0, POINTS)
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.exp(-(x**2) / 2.0)
    first = inner.gradient(y, x)
second = outer.gradient(first, x)
for curve, label in ((y, "f"), (first, "f'"), (second, "f''")):
    plt.plot(x, curve, label=label)
plt.legend()
plt.show()

# %% [markdown]
# ## Taylor series along a line
#
# One call gives the derivatives of order 1 to 8, without nesting: the series of `sin` around 1, and its error.

# %%
at = tf.Variable(1.0)
with tf.GradientTape() as tape:
    y = tf.sin(at)
derivatives = [y, *tape.directional_derivatives(y, at, 1.0, 8)]
offsets = np.linspace(-4.0, 4.0, POINTS)
plt.plot(offsets, np.sin(1.0 + offsets), "k", label="sin")
total, factor = np.zeros(POINTS), 1.0
for order, derivative in enumerate(derivatives):
    factor *= max(order, 1)
    total = total + float(derivative) * offsets**order / factor
    if order in (1, 4, 8):
        plt.plot(offsets, total, label=f"order {order}")
plt.ylim(-2, 2)
plt.legend()
plt.show()

# %% [markdown]
# ## The Hessian of a network's loss
#
# Once with nested tapes as in TensorFlow, and once in a single call. Some eigenvalues are negative, so the loss is not
# convex here.

# %%
tf.keras.utils.set_random_seed(0)
inputs, targets = tf.random.normal([32, 4]), tf.random.normal([32, 2])
w = tf.Variable(tf.random.normal([4, 6]) * 0.5)
v = tf.Variable(tf.random.normal([6, 2]) * 0.5)
with tf.GradientTape(persistent=True) as outer:
    with tf.GradientTape(persistent=True) as inner:
        loss = tf.reduce_mean((tf.tanh(inputs @ w) @ v - targets) ** 2)
    gradient = inner.gradient(loss, w)
nested = tf.reshape(outer.jacobian(gradient, w), [24, 24])
hessian = tf.reshape(inner.hessian(loss, w), [24, 24])
print("largest difference", np.abs(nested - hessian).max())
left, right = plt.subplots(1, 2, figsize=(9, 3))[1]
left.imshow(hessian)
right.plot(np.linalg.eigvalsh(hessian), "o")
right.set_title("eigenvalues")
plt.show()

# %% [markdown]
# ## The largest eigenvalue without the Hessian
#
# Power iteration with Hessian-vector products: this works for millions of weights.

# %%
direction = tf.random.normal([4, 6], seed=1)
for _ in range(30):
    direction = direction / tf.norm(direction)
    direction = inner.hvp(loss, w, direction)
print("by products", float(tf.norm(direction)), "by eigvalsh", np.abs(np.linalg.eigvalsh(hessian)).max())

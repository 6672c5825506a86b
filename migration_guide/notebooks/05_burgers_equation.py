# %% [markdown]
# # A physics-informed network for Burgers' equation
#
# A network `u(x, t)` is trained to satisfy `u_t + u u_x = v u_xx` with `u(x, 0) = -sin(pi x)` and `u = 0` at both
# ends, and compared with the exact solution. The second derivative comes from nested tapes.

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
VISCOSITY = 0.1 / np.pi

# %% [markdown]
# ## The exact solution
#
# It comes from the Cole-Hopf transformation, integrated by Gauss-Hermite quadrature.

# %%
nodes, quadrature = np.polynomial.hermite.hermgauss(60)


def exact(x, t):
    shifted = x[..., None] - np.sqrt(4.0 * VISCOSITY * t)[..., None] * nodes
    density = quadrature * np.exp(-(np.cos(np.pi * shifted) - 1.0) / (2.0 * np.pi * VISCOSITY))
    return -np.sum(np.sin(np.pi * shifted) * density, -1) / np.sum(density, -1)


# %% [markdown]
# ## The network and its loss

# %%
tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential([tf.keras.layers.Dense(24, activation="tanh") for _ in range(3)])
model.add(tf.keras.layers.Dense(1))
rate = tf.keras.optimizers.schedules.ExponentialDecay(5e-3, 1000, 0.5)
optimizer = tf.keras.optimizers.Adam(rate)

generator = np.random.default_rng(0)
inside_x = tf.constant(generator.uniform(-1, 1, [400, 1]), tf.float32)
inside_t = tf.constant(generator.uniform(0, 1, [400, 1]), tf.float32)
start_x = tf.linspace([-1.0], [1.0], 50)
times = tf.linspace([0.0], [1.0], 20)
known = tf.concat(
    [
        tf.concat([start_x, tf.zeros_like(start_x)], 1),
        tf.concat([tf.ones_like(times), times], 1),
        tf.concat([-tf.ones_like(times), times], 1),
    ],
    0,
)
values = tf.concat([-tf.sin(np.pi * start_x), tf.zeros([40, 1])], 0)


def residual(x, t):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch([x, t])
            u = model(tf.concat([x, t], 1))
        u_x, u_t = inner.gradient(u, [x, t])
    return u_t + u * u_x - VISCOSITY * outer.gradient(u_x, x)


def step():
    with tf.GradientTape() as tape:
        equation = tf.reduce_mean(residual(inside_x, inside_t) ** 2)
        conditions = tf.reduce_mean((model(known) - values) ** 2)
        loss = equation + conditions
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return loss


# %%
losses = []
for i in range(STEPS):
    loss = step()
    if i % 50 == 0:
        losses.append(float(loss))
print(f"loss {losses[0]:.3f} at first, {float(loss):.6f} in the end")

# %% [markdown]
# ## Compared with the exact solution

# %%
grid = np.linspace(-1.0, 1.0, 101)
left, right = plt.subplots(1, 2, figsize=(10, 3.5))[1]
worst = 0.0
for t in (0.1, 0.4, 0.7, 1.0):
    moment = np.full_like(grid, t)
    found = model(tf.constant(np.stack([grid, moment], 1), tf.float32)).numpy()[:, 0]
    truth = exact(grid, moment)
    worst = max(worst, np.abs(found - truth).max())
    left.plot(grid, truth, "k", lw=1)
    left.plot(grid, found, "--", label=f"t = {t}")
left.legend()
right.semilogy(np.arange(len(losses)) * 50, losses)
right.set_xlabel("step")
right.set_ylabel("loss")
plt.show()
print(f"largest error {worst:.4f}")

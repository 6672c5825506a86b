# %% [markdown]
# # A Wasserstein GAN with gradient penalty, in two dimensions
#
# Between real and generated points, a penalty keeps the critic's gradient with respect to its input at length one. That
# gradient is part of the loss, so training the critic takes a second derivative: a tape inside a tape.

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

STEPS = 1500
BATCH = 128

# %%
tf.keras.utils.set_random_seed(0)
centres = 2.0 * np.stack([np.cos(np.arange(8) * np.pi / 4), np.sin(np.arange(8) * np.pi / 4)], 1)
random = np.random.default_rng(0)


def real_points(count):
    points = centres[random.integers(0, 8, count)] + 0.1 * random.normal(size=[count, 2])
    return tf.constant(points, tf.float32)


def network(outputs):
    layers = [tf.keras.layers.Dense(64, activation="relu") for _ in range(2)]
    return tf.keras.Sequential([*layers, tf.keras.layers.Dense(outputs)])


generator, critic = network(2), network(1)
generator_optimizer = tf.keras.optimizers.Adam(1e-3, beta_1=0.5, beta_2=0.9)
critic_optimizer = tf.keras.optimizers.Adam(1e-3, beta_1=0.5, beta_2=0.9)


def noise():
    return tf.constant(random.normal(size=[BATCH, 4]), tf.float32)


# %% [markdown]
# ## The steps

# %%
def train_critic(real, z, share):
    fake = generator(z)
    between = share * real + (1.0 - share) * fake
    with tf.GradientTape() as tape:
        with tf.GradientTape() as inner:
            inner.watch(between)
            score = critic(between)
        slopes = tf.norm(inner.gradient(score, between), axis=1)
        distance = tf.reduce_mean(critic(real)) - tf.reduce_mean(critic(fake))
        loss = -distance + 1.0 * tf.reduce_mean((slopes - 1.0) ** 2)
    variables = critic.trainable_variables
    critic_optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return distance


def train_generator(z):
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(critic(generator(z)))
    variables = generator.trainable_variables
    generator_optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))


# %%
distances = []
for step in range(STEPS):
    for _ in range(3):
        distance = train_critic(real_points(BATCH), noise(), tf.constant(random.random([BATCH, 1]), tf.float32))
    train_generator(noise())
    if step % 25 == 0:
        distances.append(float(distance))
print(f"distance {max(distances):.2f} at most, {distances[-1]:.2f} in the end")

# %% [markdown]
# ## What the generator makes

# %%
real = real_points(512).numpy()
fake = np.concatenate([generator(noise()).numpy() for _ in range(4)])
left, right = plt.subplots(1, 2, figsize=(9, 4))[1]
grid = np.linspace(-3.0, 3.0, 50)
plane = np.stack(np.meshgrid(grid, grid), -1).reshape(-1, 2)
left.contourf(grid, grid, critic(tf.constant(plane, tf.float32)).numpy().reshape(50, 50), 20, cmap="Greys")
left.plot(*real.T, ".", ms=3, label="real")
left.plot(*fake.T, ".", ms=3, label="generated")
left.legend()
right.plot(np.arange(len(distances)) * 25, distances)
right.set_xlabel("step")
right.set_ylabel("Wasserstein distance, as the critic sees it")
plt.show()

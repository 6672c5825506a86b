# %% [markdown]
# # Porting a training loop, step by step
#
# A TensorFlow program is checked, run, and compared with TensorFlow's output, loss by loss.

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

# %% [markdown]
# ## The program
#
# The program was written for TensorFlow: a network with dropout, shuffled batches, Adam, a hand-written loop.

# %%
import subprocess
import sys

PROGRAM = '''
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
x = np.random.normal(size=[64, 8]).astype("float32")
y = (x[:, :1] * x[:, 1:2] > 0).astype("float32")
data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(64, seed=1).batch(16)
model = tf.keras.Sequential([
    tf.keras.layers.Dense(16, activation="relu"),
    tf.keras.layers.Dropout(0.2),
    tf.keras.layers.Dense(1),
])
optimizer = tf.keras.optimizers.Adam(0.01)
loss_fn = tf.keras.losses.BinaryCrossentropy(from_logits=True)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


losses = []
for epoch in range(5):
    for batch in data:
        losses.append(float(train_step(*batch)))
print(losses[0], losses[-1])
'''
pathlib.Path("train.py").write_text(PROGRAM)

# %% [markdown]
# ## What will a port run into?
#
# `check` reads the program without running it.

# %%
checked = subprocess.run([sys.executable, "-m", "tfcompat", "check", "train.py"], capture_output=True, text=True)
print(checked.stdout)

# %% [markdown]
# Nothing is missing. `python -m tfcompat run train.py` would run it. Here it runs in the notebook, so that `losses`
# remains.

# %%
import runpy

losses = runpy.run_path("train.py")["losses"]

# %% [markdown]
# ## Compared with TensorFlow
#
# These are the losses of TensorFlow 2.21 (with `TF_USE_LEGACY_KERAS=1`) for the same program. Equal seeds give the same
# data, initial weights, shuffles and dropout, so the losses agree up to rounding.

# %%
import matplotlib.pyplot as plt
import numpy as np

TENSORFLOW = [
    0.633804, 0.8086345, 0.6323578, 0.6527961, 0.6054879, 0.5439906, 0.6404512, 0.5818832, 0.547034,
    0.514129, 0.6563712, 0.6362382, 0.6414577, 0.605486, 0.5879177, 0.3165975, 0.4666487, 0.6057817,
    0.5068449, 0.5226341,
]
plt.plot(TENSORFLOW, "o", label="TensorFlow")
plt.plot(losses, "x", label="tfcompat")
plt.xlabel("step")
plt.ylabel("loss")
plt.legend()
plt.show()
difference = np.abs(np.subtract(losses, TENSORFLOW)).max()
print(f"largest difference {difference:.1e}")

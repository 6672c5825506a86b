# %% [markdown]
# # Several devices
#
# One program runs on one device and on many, with the same losses. Without several devices a CPU is divided: the
# numbers are those of real devices, the speed is not.

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
    # %pip install -q {source} {jax} {numpy} matplotlib

# %% [markdown]
# ## The program
#
# A `MirroredStrategy` has a replica on each device. Each takes its part of a batch, and gradients are summed. The
# program is TensorFlow's; only its last lines ask tfcompat what devices send each other in a step.

# %%
import json
import subprocess
import sys

STEPS = 40
PROGRAM = '''
import json
import sys

import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
tf.keras.utils.set_random_seed(0)
x = np.random.normal(size=[64, 8]).astype("float32")
y = (x[:, :1] * x[:, 1:2]).astype("float32")
data = tf.data.Dataset.from_tensors((x, y)).repeat(int(sys.argv[1]))
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(32, "tanh"), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.Adam(0.02)


def replica_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((model(x) - y) ** 2) / 64
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


@tf.function
def step(batch):
    return strategy.reduce("SUM", strategy.run(replica_step, args=batch), axis=None)


losses = [float(step(batch)) for batch in strategy.experimental_distribute_dataset(data)]
sent = [each._asdict() for each in tf.engine.last_program().collectives]
print(json.dumps({"replicas": strategy.num_replicas_in_sync, "losses": losses, "sent": sent}))
'''
pathlib.Path("train.py").write_text(PROGRAM)


def run(devices):
    command = [sys.executable, "-m", "tfcompat", "run", "--devices", str(devices), "train.py", str(STEPS)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])


results = [run(devices) for devices in (1, 2, 4)]
print([result["replicas"] for result in results])

# %% [markdown]
# ## The losses

# %%
import matplotlib.pyplot as plt
import numpy as np

for result, mark in zip(results, "-o.", strict=True):
    plt.plot(result["losses"], mark, label=f"{result['replicas']} replicas", markersize=4)
plt.xlabel("step")
plt.ylabel("loss")
plt.legend()
plt.show()
one, two, four = (np.array(result["losses"]) for result in results)
print("largest difference below 1e-5:", max(abs(one - two).max(), abs(one - four).max()) < 1e-5)

# %% [markdown]
# ## What the devices send each other
#
# All gradients and the loss are summed by one all-reduce. What is summed does not depend on the number of devices: it
# is four bytes for each of the 321 weights and for the loss. In a ring, a device of n sends 2 (n - 1) / n of it.

# %%
for result in results:
    for each in result["sent"]:
        print(f"{result['replicas']} devices: {each['count']} {each['kind']} of {each['bytes']} bytes, "
              f"each sends {each['sent']}")

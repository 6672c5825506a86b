# %% [markdown]
# # Newton, Gauss-Newton and L-BFGS on a network
#
# Four ways to train the same small network on the same data, from the same start. The horizontal axis counts
# iterations. A Newton iteration costs more, but far fewer are needed.

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
from scipy.optimize import minimize

ITERATIONS = 40

# %%
tf.keras.utils.set_random_seed(0)
x = tf.constant(np.linspace(-2.0, 2.0, 40)[:, None])  # float64
y = tf.sin(2.0 * x)
HIDDEN = 6
SIZE = 3 * HIDDEN + 1
start = np.random.default_rng(0).normal(size=SIZE) * 0.7


def residuals(theta):
    w, b, v, c = theta[:HIDDEN], theta[HIDDEN : 2 * HIDDEN], theta[2 * HIDDEN : 3 * HIDDEN], theta[3 * HIDDEN]
    return tf.reduce_sum(tf.tanh(x * w + b) * v, axis=1, keepdims=True) + c - y


def loss_of(theta):
    return 0.5 * tf.reduce_mean(residuals(theta) ** 2)


# %% [markdown]
# ## Gradient descent and the two Newton methods
#
# Both are damped (Levenberg and Marquardt). The damping shrinks after a step that helps, and grows after one that does
# not.

# %%
def descend(rate=0.2):
    theta, losses = tf.Variable(start), []
    for _ in range(ITERATIONS):
        with tf.GradientTape() as tape:
            loss = loss_of(theta)
        theta.assign_sub(rate * tape.gradient(loss, theta))
        losses.append(float(loss))
    return losses


def newton(curvature):
    theta, damping, losses = tf.Variable(start), 1e-2, []
    for _ in range(ITERATIONS):
        loss, gradient, matrix = curvature(theta)
        losses.append(float(loss))
        step = tf.linalg.solve(matrix + damping * tf.eye(SIZE, dtype=tf.float64), gradient[:, None])[:, 0]
        if float(loss_of(theta - step)) < losses[-1]:
            theta.assign_sub(step)
            damping = max(damping / 5.0, 1e-9)
        else:
            damping *= 5.0
    return losses


def hessian(theta):
    with tf.GradientTape(persistent=True) as tape:
        loss = loss_of(theta)
    matrix = tape.hessian(loss, theta)
    lowest = tf.linalg.eigvalsh(matrix)[0]
    shift = tf.maximum(-lowest, 0.0) * tf.eye(SIZE, dtype=tf.float64)  # downhill, even where the loss is not convex
    return loss, tape.gradient(loss, theta), matrix + shift


def gauss_newton(theta):
    with tf.GradientTape(persistent=True) as tape:
        r = residuals(theta)[:, 0]
        loss = 0.5 * tf.reduce_mean(r**2)
    jacobian = tape.jacobian(r, theta)
    return loss, tape.gradient(loss, theta), tf.transpose(jacobian) @ jacobian / len(r)


# %% [markdown]
# ## L-BFGS, by SciPy
#
# SciPy asks for the value and the gradient at a point, as NumPy arrays.

# %%
def lbfgs():
    losses = []

    def value_and_gradient(point):
        theta = tf.constant(point)
        with tf.GradientTape() as tape:
            tape.watch(theta)
            loss = loss_of(theta)
        return float(loss), tape.gradient(loss, theta).numpy()

    def note(point):
        losses.append(float(loss_of(tf.constant(point))))

    minimize(
        value_and_gradient, start, jac=True, method="L-BFGS-B", callback=note, options={"maxiter": ITERATIONS}
    )
    return losses


# %%
results = {
    "gradient descent": descend(),
    "L-BFGS": lbfgs(),
    "Gauss-Newton": newton(gauss_newton),
    "Newton": newton(hessian),
}
for name, losses in results.items():
    plt.semilogy(losses, label=name)
    print(f"{name:17} {losses[-1]:.2e}")
plt.xlabel("iteration")
plt.ylabel("loss")
plt.legend()
plt.show()

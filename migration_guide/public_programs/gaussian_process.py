"""GPflow: an exact Gaussian process by Adam and by L-BFGS, and a sparse variational one by natural gradients."""

import gpflow
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(5)
X = np.random.uniform(size=(30, 1))
Y = np.sin(12 * X) + 0.66 * np.cos(25 * X) + 0.1 * np.random.normal(size=(30, 1))

kernel = gpflow.kernels.Matern52(lengthscales=0.3) + gpflow.kernels.SquaredExponential()
exact = gpflow.models.GPR((X, Y), kernel=kernel, mean_function=gpflow.functions.Linear())
optimizer = tf.keras.optimizers.Adam(0.02)
for step in range(50):
    with tf.GradientTape() as tape:
        loss = exact.training_loss()
    gradients = tape.gradient(loss, exact.trainable_variables)
    optimizer.apply_gradients(zip(gradients, exact.trainable_variables, strict=True))
    print(f"exact {step} {loss.numpy():.8f}")
gpflow.optimizers.Scipy().minimize(exact.training_loss, exact.trainable_variables, options={"maxiter": 20})
print(f"exact, L-BFGS {exact.training_loss().numpy():.8f}")
mean, variance = exact.predict_f(np.linspace(0, 1, 5)[:, None])
print("mean", *(f"{value:.6f}" for value in mean.numpy().ravel()))
print("variance", *(f"{value:.6f}" for value in variance.numpy().ravel()))

labels = (Y > 0).astype(float)
inducing = np.linspace(0, 1, 7)[:, None]
sparse = gpflow.models.SVGP(gpflow.kernels.RBF(lengthscales=0.2), gpflow.likelihoods.Bernoulli(), inducing, num_data=30)
gpflow.set_trainable(sparse.q_mu, False)
gpflow.set_trainable(sparse.q_sqrt, False)
natural = gpflow.optimizers.NaturalGradient(gamma=0.1)
optimizer = tf.keras.optimizers.Adam(0.05)


@tf.function
def both_steps():
    natural.minimize(lambda: sparse.training_loss((X, labels)), var_list=[(sparse.q_mu, sparse.q_sqrt)])
    optimizer.minimize(lambda: sparse.training_loss((X, labels)), sparse.trainable_variables)
    return sparse.training_loss((X, labels))


for step in range(50):
    print(f"sparse {step} {both_steps().numpy():.8f}")

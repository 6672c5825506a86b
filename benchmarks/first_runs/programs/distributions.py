"""Twenty distributions of TensorFlow Probability, each sampled and differentiated by its parameters."""

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd = tfp.distributions
matrix = np.float32([[1.0, 0.0], [0.4, 1.2]])
DISTRIBUTIONS = {
    "Normal": (lambda p: tfd.Normal(p, 1.0 + p), 0.5),
    "LogNormal": (lambda p: tfd.LogNormal(p, 1.0), 0.5),
    "Laplace": (lambda p: tfd.Laplace(p, 2.0), 0.5),
    "Cauchy": (lambda p: tfd.Cauchy(p, 1.0), 0.5),
    "Logistic": (lambda p: tfd.Logistic(p, 1.0), 0.5),
    "Gumbel": (lambda p: tfd.Gumbel(p, 1.0), 0.5),
    "Moyal": (lambda p: tfd.Moyal(p, 1.0), 0.5),
    "Uniform": (lambda p: tfd.Uniform(0.0, p), 1.5),
    "Exponential": (lambda p: tfd.Exponential(p), 1.5),
    "Gamma": (lambda p: tfd.Gamma(2.0, p), 1.5),
    "InverseGamma": (lambda p: tfd.InverseGamma(3.0, p), 1.5),
    "Kumaraswamy": (lambda p: tfd.Kumaraswamy(p, 2.0), 1.5),
    "Dirichlet": (lambda p: tfd.Dirichlet(tf.stack([p, 2.0, 3.0])), 1.5),
    "Bernoulli": (lambda p: tfd.Bernoulli(logits=p), 0.5),
    "Categorical": (lambda p: tfd.Categorical(logits=tf.stack([p, 0.0, -1.0])), 0.5),
    "Geometric": (lambda p: tfd.Geometric(logits=p), 0.5),
    "MultivariateNormal": (lambda p: tfd.MultivariateNormalTriL(tf.stack([p, 0.0]), matrix), 0.5),
    "HalfNormal": (lambda p: tfd.HalfNormal(p), 1.5),
    "Weibull": (lambda p: tfd.Weibull(1.5, p), 1.5),
    "Pareto": (lambda p: tfd.Pareto(p, 1.0), 2.5),
}

means, gradients = {}, {}
for name, (make, parameter) in DISTRIBUTIONS.items():
    p = tf.Variable(parameter)
    with tf.GradientTape() as tape:
        distribution = make(p)
        sample = distribution.sample(50, seed=(1, 2))
        log_likelihood = tf.reduce_mean(distribution.log_prob(tf.stop_gradient(sample)))
    gradients[name] = float(tape.gradient(log_likelihood, p))
    means[name] = float(tf.reduce_mean(tf.cast(sample, tf.float32)))
report = {"means": means, "gradients": gradients}

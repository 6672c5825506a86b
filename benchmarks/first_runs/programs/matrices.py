"""Forty matrices of 2 to 24 rows: Cholesky, a solution, the log-determinant, a gradient, eigenvalues, in float64."""

import numpy as np
import tensorflow as tf

MATRICES = 40
numbers = np.random.RandomState(0)

results = []
for _ in range(MATRICES):
    size = numbers.randint(2, 25)
    root = numbers.randn(size, size)
    matrix = tf.constant(root @ root.T / size + np.eye(size))
    right = tf.constant(numbers.randn(size, 1))
    with tf.GradientTape() as tape:
        tape.watch(matrix)
        factor = tf.linalg.cholesky(matrix)
        solution = tf.linalg.solve(matrix, right)
        log_determinant = tf.linalg.logdet(matrix)
        log_density = -0.5 * (tf.reduce_sum(right * solution) + log_determinant)
        total = log_density + 0.1 * tf.reduce_sum(tf.linalg.diag_part(factor))
    gradient = tape.gradient(total, matrix)
    eigenvalues = tf.linalg.eigvalsh(matrix)
    results.append([float(total), float(tf.norm(gradient)), float(eigenvalues[0]), float(eigenvalues[-1])])
report = {"results": results}

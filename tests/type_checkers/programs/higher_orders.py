"""Nested tapes, jacobians, forward mode, and gradients of one's own."""

from typing import reveal_type

import tfcompat as tf

x = tf.constant([1.0, 2.0])
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.math.reduce_sum(x**3, axis=-1, name="y")
    first = inner.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
hessian = outer.jacobian(first, x)
with tf.autodiff.ForwardAccumulator(primals=x, tangents=tf.ones_like(x)) as accumulator:
    z = tf.sin(x)
print(accumulator.jvp(z), hessian, outer.watched_variables())


@tf.custom_gradient
def clipped(value):
    def grad(upstream):
        return tf.clip_by_norm(upstream, 1.0)

    return tf.identity(value), grad


print(clipped(x), tf.stop_gradient(x), tf.hessians)
reveal_type(y)  # Tensor
reveal_type(z)  # Tensor
reveal_type(tf.stop_gradient(x))  # Tensor
reveal_type(tf.linalg.matmul(x[None], x[:, None], transpose_a=False))  # Tensor

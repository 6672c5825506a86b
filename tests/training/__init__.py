"""Optimizers, losses, metrics and training loops, compared with tf_keras."""

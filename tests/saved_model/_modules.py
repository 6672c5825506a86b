"""Modules that are saved, and loaded again."""

import collections

import tfcompat as tf

Pair = collections.namedtuple("Pair", "first second")


def round_trip(module, path, **kwargs):
    tf.saved_model.save(module, str(path), **kwargs)
    return tf.saved_model.load(str(path))


@tf.custom_gradient
def ten_times(x):
    return x * 2.0, lambda dy: dy * 10.0


class Scaled(tf.Module):
    def __init__(self, factor=3.0):
        super().__init__()
        self.factor = tf.Variable(factor, name="factor")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def __call__(self, x):
        return x * self.factor

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def grow(self, by):
        self.factor.assign_add(by)
        return self.factor.read_value()

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def customized(self, x):
        return ten_times(x) * self.factor


class Noisy(Scaled):
    """One with a function that no nodes say, so that a manifest is written with StableHLO."""

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def noisy(self, x):
        return x * self.factor + 0.0 * tf.random.stateless_normal(tf.shape(x), [1, 2])

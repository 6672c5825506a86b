"""Models of TensorFlow Hub: what tensorflow_hub does to a folder that was downloaded."""

import importlib.util

import numpy as np
import pytest

import tfcompat


@pytest.fixture
def tf():
    """TensorFlow as tensorflow_hub imports it."""
    tfcompat.install()
    import tensorflow  # an import of what `install` puts there

    yield tensorflow
    tfcompat.uninstall()


class Scaled(tfcompat.Module):
    """A model as Hub has them: `__call__` with and without training, variables and regularization losses."""

    def __init__(self):
        super().__init__()
        self.w = tfcompat.Variable([[1.0], [2.0]], name="w")
        self.calls = tfcompat.Variable(0, trainable=False, name="calls")
        self.regularization_losses = [self.penalty]
        for training in (True, False):
            self.__call__.get_concrete_function(tfcompat.TensorSpec([None, 2]), training=training)
        self.penalty.get_concrete_function()

    @tfcompat.function
    def penalty(self):
        return tfcompat.reduce_sum(self.w**2)

    @tfcompat.function
    def __call__(self, x, training=False):
        if training:
            self.calls.assign_add(1)
        return x @ self.w


def as_layer(tf, folder):
    """A layer of a folder, made by the calls that `tensorflow_hub.KerasLayer` makes."""
    from tensorflow.python.framework import smart_cond  # what tensorflow_hub imports
    from tensorflow.python.trackable import data_structures
    from tensorflow.python.util import tf_inspect

    class Loaded(tf.keras.layers.Layer):
        def __init__(self):
            self.arguments = data_structures.NoDependency({})
            self.module = tf.compat.v1.saved_model.load_v2(folder, tags=None)
            self.module.is_of_hub_1 = False
            super().__init__(trainable=True)
            for variable in self.module.variables:
                self.add_weight(
                    name=variable.name, shape=variable.shape, dtype=variable.dtype, trainable=variable.trainable,
                    experimental_autocast=False, getter=lambda *_, v=variable, **__: v,
                )  # fmt: skip
            for loss in self.module.regularization_losses:
                self.add_loss(lambda loss=loss: loss())

        def call(self, x, training=None):
            training = tf.keras.backend.learning_phase() if training is None else training
            f = self.module
            return smart_cond.smart_cond(training, lambda: f(x, training=True), lambda: f(x, training=False))

    assert "training" in tf_inspect.getfullargspec(tf.saved_model.load(folder).__call__).args
    return Loaded()


def test_the_calls_of_tensorflow_hub(tf, tmp_path):
    tf.saved_model.save(Scaled(), str(tmp_path))
    check(tf, as_layer(tf, str(tmp_path)))


@pytest.mark.skipif(importlib.util.find_spec("tensorflow_hub") is None, reason="tensorflow_hub is not installed")
def test_tensorflow_hub(tf, tmp_path):
    import tensorflow_hub as hub

    tf.saved_model.save(Scaled(), str(tmp_path))
    assert hub.load(str(tmp_path)).w.shape == [2, 1]
    check(tf, hub.KerasLayer(str(tmp_path), trainable=True))


def check(tf, layer):
    """The layer trains in a model, and its losses count."""
    model = tf.keras.Sequential([tf.keras.Input((2,)), layer])
    model.compile("sgd", "mse")
    history = model.fit(np.ones((4, 2), np.float32), np.ones((4, 1), np.float32), epochs=2, verbose=0).history
    np.testing.assert_allclose(history["loss"], [9.0, 8.03], rtol=1e-3)  # 3 for 1, and 1 + 4 of the penalty
    w, calls = layer.weights
    assert w.trainable and int(calls) == 2
    np.testing.assert_allclose(layer.losses, [np.sum(np.square(w))], rtol=1e-6)

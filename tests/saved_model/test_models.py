"""`tf.saved_model`: variables, the tree of objects, and models come back, in this process and in another."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import tfcompat as tf

from ._modules import Scaled, round_trip

# --- variables and the tree ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        np.float32([[1, 2], [3, 4]]),
        np.float64(0.1),
        np.arange(3, dtype=np.int8),
        np.uint64(2**63),
        np.array([True, False]),
        np.complex64([1 + 2j]),
        np.complex128(3 - 1j),
        np.float16([[0.5]]),
        tf.constant([1.5, -2.0], tf.bfloat16),
        tf.constant(2.0, tf.bfloat16),
        tf.zeros([0, 3]),
        tf.constant(["text", "\N{GREEK SMALL LETTER PI}", b"\xff\x00"]),
        tf.constant("one"),
    ],
    ids=lambda value: f"{value.dtype}-{value.shape}",
)
def test_variables_of_every_dtype(tmp_path, value):
    module = tf.Module()
    module.v = tf.Variable(value, trainable=False, name="given")
    loaded = round_trip(module, tmp_path)
    assert loaded.v.dtype == module.v.dtype
    assert loaded.v.shape == module.v.shape
    assert loaded.v.name == "given:0"
    assert not loaded.v.trainable
    np.testing.assert_array_equal(loaded.v.numpy(), module.v.numpy())


def test_shapes_of_variables(tmp_path):
    module = tf.Module()
    module.any = tf.Variable([1.0], shape=tf.TensorShape(None))
    module.rows = tf.Variable([[1.0]], shape=[None, 1])
    loaded = round_trip(module, tmp_path)
    assert loaded.any.shape.rank is None
    assert loaded.rows.shape.as_list() == [None, 1]
    loaded.rows.assign([[1.0], [2.0]])


def test_the_tree_of_objects(tmp_path):
    module, inner = tf.Module(), tf.Module()
    shared = tf.Variable(1.0)
    inner.v = shared
    inner.back = module
    module.inner = inner
    module.same = inner
    module.items = [tf.Variable(2.0), None, (shared, tf.Variable(3.0))]
    module.named = {"a": shared, "b": {1: tf.Variable(4.0)}, "skipped": 7}
    module.plain = [1, 2, "x"]
    module.function = tf.function(lambda x: x + shared, input_signature=[tf.TensorSpec([])])
    loaded = round_trip(module, tmp_path)
    assert loaded.inner is loaded.same
    assert loaded.inner.back is loaded
    assert loaded.inner.v is loaded.named["a"] is loaded.items[2][0]
    assert [float(loaded.items[0]), loaded.items[1], float(loaded.items[2][1])] == [2.0, None, 3.0]
    assert isinstance(loaded.items[2], tuple)
    assert float(loaded.named["b"][1]) == 4.0
    assert not hasattr(loaded, "plain")
    loaded.inner.v.assign(10.0)
    assert float(loaded.function(1.0)) == 11.0
    assert float(shared) == 1.0
    assert len(loaded.variables) == 4


def test_a_dict_with_odd_keys_is_refused(tmp_path):
    module = tf.Module()
    module.table = {(1, 2): tf.Variable(1.0)}
    with pytest.raises(ValueError, match="keys of dicts"):
        tf.saved_model.save(module, str(tmp_path))
    assert not os.listdir(tmp_path)


def test_only_modules_are_saved(tmp_path):
    with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
        tf.saved_model.save(tf.Variable(1.0), str(tmp_path))


# --- another process ----------------------------------------------------------------------------------------------

PROGRAM = """
import sys, json
import tfcompat as tf
loaded = tf.saved_model.load(sys.argv[1])
x = tf.constant([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = loaded(x)
    z = loaded.customized(x[1])
try:
    print(json.dumps([y.numpy().tolist(), tape.gradient(y, x).numpy().tolist(), tape.gradient(z, x).numpy().tolist()]))
except LookupError as error:
    print(json.dumps(["LookupError", str(error)]))
"""


@pytest.mark.parametrize("with_gradients", [True, False])
def test_a_fresh_process(tmp_path, with_gradients):
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=with_gradients)
    tf.saved_model.save(Scaled(), str(tmp_path), options=options)
    output = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True, timeout=300
    ).stdout
    result = json.loads(output)
    if with_gradients:
        assert result == [[3.0, 6.0], [3.0, 3.0], [0.0, 30.0]]
    else:
        assert result[0] == "LookupError"


# --- layers -------------------------------------------------------------------------------------------------------


def test_a_keras_model_with_a_function(tmp_path):
    class Served(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.hidden = tf.keras.layers.Dense(3, activation="tanh")
            self.normalization = tf.keras.layers.BatchNormalization()
            self.stack = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)])

        def call(self, x, training=False):
            return self.stack(self.normalization(self.hidden(x), training=training))

        @tf.function(input_signature=[tf.TensorSpec([None, 4])])
        def serve(self, x):
            return self(x, training=False)

        @tf.function(input_signature=[tf.TensorSpec([8, 4])])
        def train(self, x):
            return self(x, training=True)

    model = Served()
    x = tf.constant(np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32))
    model(x, training=True)
    loaded = round_trip(model, tmp_path)
    np.testing.assert_allclose(loaded.serve(x), model.serve(x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(loaded.train(x), model.train(x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(loaded.normalization.moving_mean, model.normalization.moving_mean, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(loaded.hidden.kernel, model.hidden.kernel)

"""Keras models as SavedModel folders: `Model.save`, `Model.export`, `tf.keras.models.load_model`."""


import numpy as np
import pytest
from recording.saved_models import FILE, FILE_KERAS

import tfcompat as tf
from saved_model import keras_models

from ._archives import unpacked


def _model():
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        tf.keras.Input((4,), name="inp"), layers.Dense(3, "relu"), layers.BatchNormalization(), layers.Dense(2)
    ])  # fmt: skip
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(np.ones((4, 4), np.float32), np.zeros((4, 2), np.float32), verbose=0)
    return model


def test_a_model_comes_back_with_its_optimizer(tmp_path):
    model, x = _model(), np.float32([[1, 2, 3, 4], [0, -1, 1, 0]])
    model.save(tmp_path / "m")
    again = tf.keras.models.load_model(tmp_path / "m")
    np.testing.assert_allclose(again(x), model(x), rtol=1e-6)
    assert int(again.optimizer.iterations) == int(model.optimizer.iterations) == 1
    for each in (model, again):
        each.fit(x, np.zeros((2, 2), np.float32), verbose=0)
    np.testing.assert_allclose(again(x), model(x), rtol=1e-5)
    assert tf.keras.models.load_model(tmp_path / "m", compile=False).optimizer is None


def test_its_functions_are_there_without_keras(tmp_path):
    model, x = _model(), np.float32([[1, 2, 3, 4]])
    model.save(tmp_path / "m", save_format="tf")
    model.export(tmp_path / "e")
    loaded, exported = tf.saved_model.load(str(tmp_path / "m")), tf.saved_model.load(str(tmp_path / "e"))
    expected = model(x, training=False)
    np.testing.assert_allclose(loaded(tf.constant(x)), expected, rtol=1e-5)
    np.testing.assert_allclose(exported.serve(tf.constant(x)), expected, rtol=1e-5)
    named = loaded.signatures["serving_default"](inp=tf.constant(x))
    np.testing.assert_allclose(named[model.output_names[0]], expected, rtol=1e-5)
    assert len(exported.trainable_variables) == len(model.trainable_variables)


def test_a_model_without_known_inputs_is_refused(tmp_path):
    class Own(tf.keras.Model):
        def call(self, x):
            return x

    with pytest.raises(ValueError, match="input shape is not available"):
        Own().save(tmp_path / "m", save_format="tf")


def test_models_that_keras_of_tensorflow_saved(tmp_path):
    """One that TensorFlow saved, with the state of its optimizer; `keras_model.npz` has what it computes."""
    unpacked(FILE, tmp_path, "keras_model")
    model = tf.keras.models.load_model(tmp_path / "keras_model")
    with np.load(tmp_path / "keras_model.npz") as recorded:
        np.testing.assert_allclose(model(recorded["x"]), recorded["before"], rtol=1e-5, atol=1e-6)
        assert int(model.optimizer.iterations) == 2
        model.fit(recorded["x"], recorded["y"], verbose=0, shuffle=False)
        np.testing.assert_allclose(model(recorded["x"]), recorded["after"], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", keras_models.MODELS)
def test_what_layers_learned_is_in_folders_of_tensorflow(name, tmp_path):
    unpacked(FILE_KERAS, tmp_path, name)
    model = tf.keras.models.load_model(tmp_path / name)
    x = keras_models.MODELS[name](tf)[1]
    x = tf.constant(x, tf.int64) if name == "counted_numbers" else tf.constant(x)
    assert type(model).__name__ == type(keras_models.MODELS[name](tf)[0]).__name__
    with np.load(tmp_path / f"{name}.npz") as recorded:
        np.testing.assert_allclose(model(x), recorded["y"], rtol=1e-5, atol=1e-6)
        losses = model.evaluate(x, keras_models.TARGETS, verbose=0)
        np.testing.assert_allclose(losses, recorded["losses"], rtol=1e-5)
    assert int(model.optimizer.iterations) == 2
    assert model.fit(x, keras_models.TARGETS, epochs=3, verbose=0).history["loss"][-1] < losses[0]


@pytest.mark.parametrize("name", [name for name in keras_models.MODELS if name != "of_its_own_class"])
def test_what_layers_learned_is_in_folders(name, tmp_path):
    model, x = keras_models.trained(tf, name)
    model.save(tmp_path / "m", save_format="tf")
    again = tf.keras.models.load_model(tmp_path / "m")
    np.testing.assert_allclose(again(x), model(x), rtol=1e-6)


def test_an_archive_of_endpoints(tmp_path):
    layers = tf.keras.layers
    model = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(2), layers.BatchNormalization()])
    archive, spec, x = tf.keras.export.ExportArchive(), tf.TensorSpec([None, 3], tf.float32), tf.ones([2, 3])
    twice = tf.function(lambda x: model(x) * 2.0)
    for wrong, message in (
        (lambda: archive.write_out(tmp_path / "e"), "No endpoints have been set"),
        (lambda: archive.add_endpoint("x", lambda x: x), "must provide an `input_signature`"),
        (lambda: archive.add_endpoint("x", twice), "has never been called"),
        (lambda: archive.track(3), "Invalid resource type"),
        (lambda: archive.add_variable_collection("x", 3), "to be a list/tuple/set"),
        (lambda: archive.add_variable_collection("x", [3]), "instances"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()
    twice(x[:1])
    archive.track(model)
    archive.add_endpoint("call", model.call, [spec])
    with pytest.raises(ValueError, match="already taken"):
        archive.add_endpoint("call", model.call, [spec])
    archive.add_endpoint("twice", twice)
    archive.add_variable_collection("mine", model.trainable_variables)
    archive.write_out(tmp_path / "e")
    loaded = tf.saved_model.load(str(tmp_path / "e"))
    assert sorted(loaded.signatures) == ["call", "serving_default", "twice"]
    assert [len(loaded.mine), len(loaded.variables), len(loaded.non_trainable_variables)] == [4, 6, 2]
    np.testing.assert_allclose(loaded.call(x), model(x), rtol=1e-6)
    np.testing.assert_allclose(loaded.twice(x[:1]), 2 * model(x[:1]), rtol=1e-6)
    np.testing.assert_allclose(*loaded.signatures["serving_default"](inputs=x).values(), model(x), rtol=1e-6)

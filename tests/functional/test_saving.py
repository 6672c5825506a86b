"""Files of models: those that tf_keras wrote, damaged ones, ones that hold code, and none left half written."""

import os
import pathlib
import pickle
import sys
import zipfile

import numpy as np
import pytest

import tfcompat as tf

from ._adapted import adapted

FILES = pathlib.Path(__file__).resolve().parents[1] / "golden" / "models"
X = np.linspace(-1, 1, 24, dtype="float32").reshape(6, 4)
SUM = np.load(FILES / "outputs.npy")


def small():
    layers = tf.keras.layers
    inputs = tf.keras.Input((4,))
    x = layers.BatchNormalization()(layers.Dense(4)(inputs))
    return tf.keras.Model(inputs, [layers.Dense(2)(x), x[:, 0]])


@pytest.mark.parametrize("name", ["model.keras", "model.h5"])
def test_reads_a_model_that_tensorflow_wrote(name):
    model = tf.keras.models.load_model(FILES / name)
    np.testing.assert_allclose(model.predict(X, verbose=0), SUM, 1e-5, 1e-6)
    assert int(model.optimizer.iterations) == 4
    assert type(model.optimizer).__name__ == "Adam"
    other = tf.keras.models.clone_model(model)
    other.load_weights(FILES / "model.weights.h5")
    np.testing.assert_array_equal(other.get_weights()[0], model.get_weights()[0])


@pytest.mark.parametrize("name", ["keras_3.keras", "keras_3.h5"])
def test_a_model_that_keras_3_wrote_is_told_and_its_weights_are_read(name):
    with pytest.raises(TypeError, match=r"written by Keras 3\.\S+, but tf.keras is Keras 2.*TF_USE_LEGACY_KERAS=0"):
        tf.keras.models.load_model(FILES / name)
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    model.load_weights(FILES / name)
    kernel, bias = model.get_weights()
    assert kernel.tolist() == [[0, 1], [2, 3], [4, 5]] and bias.tolist() == [7, 8]


def test_state_from_data_is_in_the_file(tmp_path):
    for name, model, inputs in adapted(tf):
        wanted = model(inputs).numpy()
        model.save(tmp_path / "model.keras")
        with zipfile.ZipFile(FILES / f"{name}.keras") as theirs, zipfile.ZipFile(tmp_path / "model.keras") as ours:
            assert set(ours.namelist()) == set(theirs.namelist())
            for member in theirs.namelist():
                assert not member.startswith("assets/") or ours.read(member) == theirs.read(member)
        for file in (FILES / f"{name}.keras", tmp_path / "model.keras"):
            np.testing.assert_array_equal(tf.keras.models.load_model(file)(inputs).numpy(), wanted)


def test_tokens_that_do_not_fit_are_refused(tmp_path):
    layer = tf.keras.layers.StringLookup()
    layer.adapt(["a\nb"])
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), layer])
    with pytest.raises(ValueError, match="a token with a line break"):
        model.save(tmp_path / "model.keras")
    with zipfile.ZipFile(FILES / "words.keras") as theirs, zipfile.ZipFile(tmp_path / "bad.keras", "w") as bad:
        for member in theirs.namelist():
            bad.writestr(member, b"\n[UNK]\na\na" if member.startswith("assets/") else theirs.read(member))
    with pytest.raises(ValueError, match="text_vectorization: The passed vocabulary has at least one repeated term"):
        tf.keras.models.load_model(tmp_path / "bad.keras")


def test_the_latest_checkpoint_is_that_of_save_weights(tmp_path):
    model = small()
    model.save_weights(tmp_path / "epoch1")
    assert model.save_weights(f"{tmp_path}/epoch2") is None
    assert tf.train.latest_checkpoint(tmp_path) == f"{tmp_path}/epoch2"
    other = small()
    other.load_weights(tf.train.latest_checkpoint(tmp_path))
    np.testing.assert_array_equal(other.get_weights()[0], model.get_weights()[0])


@pytest.mark.parametrize("name", ["model.keras", "model.h5", "w.weights.h5", "w.h5"])
def test_a_damaged_file_is_refused_and_changes_nothing(name, tmp_path):
    model = small()
    path = tmp_path / name
    if name.startswith("w."):
        model.save_weights(path)
    else:
        model.save(path)
    data = path.read_bytes()
    random = np.random.default_rng(0)
    before = model.get_weights()
    shortened = [data[:n] for n in random.integers(0, len(data) - 1, 8)]
    for n in random.integers(0, len(data), 24):
        changed = bytearray(data)
        changed[n : n + 64] = random.bytes(len(changed[n : n + 64]))
        shortened.append(bytes(changed))
    for damaged in shortened:
        path.write_bytes(damaged)
        try:
            if name.startswith("w."):
                model.load_weights(path)
            else:
                tf.keras.models.load_model(path, compile=False)
        except (OSError, ValueError, TypeError) as error:
            assert not isinstance(error, UnicodeError) and str(error)
            for a, b in zip(before, model.get_weights(), strict=True):
                np.testing.assert_array_equal(a, b)
        else:  # what was changed holds numbers, or nothing
            model.set_weights(before)


def test_a_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    model = small()
    path = tmp_path / "model.keras"
    model.save(path)
    data = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    for save in (model.save, model.save_weights):
        for name in ("model.keras", "w.weights.h5"):
            if (save == model.save) == (name == "model.keras"):
                with pytest.raises(OSError, match="disk full"):
                    save(tmp_path / name)
    assert path.read_bytes() == data
    assert {file.name for file in tmp_path.iterdir()} >= {"model.keras"} and not (tmp_path / "w.weights.h5").exists()


def test_nothing_is_overwritten_unasked(tmp_path):
    model = small()
    model.save(tmp_path / "model.keras")
    model.save_weights(tmp_path / "w.h5")
    for save, name in ((model.save, "model.keras"), (model.save_weights, "w.h5")):
        with pytest.raises(FileExistsError, match="overwrite=True"):
            save(tmp_path / name, overwrite=False)


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("exploded",)


@pytest.mark.parametrize("function", [["4wEAAAA=", None, None], {"class_name": "__lambda__", "config": {"value": "x"}}])
def test_code_in_a_file_is_not_run(function):
    config = {"name": "bad", "function": function, "function_type": "lambda", "module": "os", "arguments": {}}
    layer = {"module": "keras.layers", "class_name": "Lambda", "config": config, "registered_name": None}
    stack = {"class_name": "Sequential", "config": {"name": "s", "layers": [layer]}}
    with pytest.raises(ValueError, match="Lambda layer \"bad\" is stored as Python code, which is not run"):
        tf.keras.models.model_from_config(stack)
    model = tf.keras.models.model_from_config(stack, custom_objects={"bad": lambda x: x + 1.0})
    assert float(model(np.ones((1, 1), np.float32))[0, 0]) == 2.0


def test_what_a_configuration_names_is_an_op_and_no_other_function(tmp_path):
    inputs = tf.keras.Input((2,), name="x")
    config = tf.keras.Model(inputs, tf.nn.relu(inputs)).get_config()
    for name in ("io.write_file", "py_function", "os.remove", "keras.utils.get_file", "__class__", "install"):
        config["layers"][1]["config"]["function"] = name
        with pytest.raises((TypeError, ValueError), match=f"TF symbol `{name}` could not be found"):
            tf.keras.Model.from_config(config)
    unknown = {"class_name": "Popen", "module": "subprocess", "config": {"args": "ls"}, "registered_name": "Popen"}
    with pytest.raises(ValueError, match="Unknown layer: 'Popen'"):
        tf.keras.models.model_from_config(unknown)


def test_pickles_are_not_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile("model.keras", "w") as archive:
        archive.writestr("config.json", pickle.dumps(Bomb()))
        archive.writestr("model.weights.h5", pickle.dumps(Bomb()))
    with pytest.raises(OSError, match="configuration is damaged"):
        tf.keras.models.load_model("model.keras")
    assert not os.path.exists("exploded")


@pytest.mark.parametrize(
    "change",
    [
        lambda config: config.pop("input_layers"),
        lambda config: config["layers"].__setitem__(0, "x"),
        lambda config: config["layers"][1].pop("inbound_nodes"),
        lambda config: config["layers"][1]["inbound_nodes"][0][0].__setitem__(0, "nobody"),
        lambda config: config["layers"][1]["inbound_nodes"][0][0].__setitem__(2, 7),
        lambda config: config["output_layers"].__setitem__(0, ["d", 5, 0]),
        lambda config: config["layers"][1].__setitem__("class_name", "Nothing"),
    ],
)
def test_a_configuration_that_is_none_is_refused(change):
    inputs = tf.keras.Input((2,), name="x")
    layer = tf.keras.layers.Dense(1, name="d")
    config = tf.keras.Model(inputs, layer(inputs)).get_config()
    change(config)
    with pytest.raises((ValueError, TypeError), match="Improperly formatted|Unknown layer|not understood"):
        tf.keras.Model.from_config(config)


@pytest.mark.parametrize("file", ["model.keras", "model.h5", "json", "config"])
def test_initial_values_that_are_an_array_are_in_the_file(file, tmp_path):
    inputs, kernel = tf.keras.Input((2,)), np.array([[1.0], [2.0]])
    dense = tf.keras.layers.Dense(1, kernel_initializer=tf.constant_initializer(kernel))
    model = tf.keras.Model(inputs, dense(inputs))
    if file == "json":
        again = tf.keras.models.model_from_json(model.to_json())
    elif file == "config":
        again = tf.keras.Model.from_config(model.get_config())
    else:
        model.save(tmp_path / file)
        again = tf.keras.models.load_model(tmp_path / file)
    np.testing.assert_array_equal(again.layers[1].kernel.numpy(), kernel)
    np.testing.assert_array_equal(again.layers[1].kernel_initializer([2, 1]).numpy(), kernel)


def test_numbers_in_configurations_stay_numbers(tmp_path):
    layers = tf.keras.layers
    relu = layers.ReLU(6.0, negative_slope=0.1, input_shape=(2,))
    stack = tf.keras.Sequential([relu, layers.Rescaling(np.float32(2))])
    stack.save(tmp_path / "m.keras")
    x = np.array([[-10.0, 8.0]], np.float32)
    np.testing.assert_array_equal(tf.keras.models.load_model(tmp_path / "m.keras")(x), stack(x))


def test_without_h5py_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    model = small()
    for save in (lambda: model.save(tmp_path / "m.keras"), lambda: model.save_weights(tmp_path / "w.h5"),
                 lambda: tf.keras.models.load_model(FILES / "model.h5")):  # fmt: skip
        with pytest.raises(ImportError, match=r"pip install 'tfcompat\[h5\]'"):
            save()
    model.save_weights(tmp_path / "w.npz")
    model.load_weights(tmp_path / "w.npz")
    assert [file.name for file in tmp_path.iterdir()] == ["w.npz"]


def test_checkpoints_of_models(tmp_path):
    model, other = small(), small()
    model.save_weights(tmp_path / "w")
    status = other.load_weights(tmp_path / "w")
    status.assert_consumed()
    for a, b in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)
    assert tf.train.list_variables(str(tmp_path / "w"))[1][0].startswith("layer_with_weights-0/")

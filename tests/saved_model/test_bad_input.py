"""`tf.saved_model`: damage is noticed, and what cannot be saved is refused."""

import json
import os

import numpy as np
import pytest

import tfcompat as tf

from ._modules import Scaled, round_trip


def damage(path, kind):
    (name,) = [n for n in os.listdir(path / kind)][:1]
    file = path / kind / name
    file.write_bytes(file.read_bytes()[:-20])
    return file


def test_missing_directories(tmp_path):
    assert not tf.saved_model.contains_saved_model(str(tmp_path / "none"))
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(OSError, match="SavedModel file does not exist"):
            tf.saved_model.load(str(folder))


@pytest.mark.parametrize("kind", ["functions", "variables"])
@pytest.mark.parametrize("how", ["truncated", "missing"])
def test_damaged_files(tmp_path, kind, how):
    module = tf.Module()
    module.v = tf.Variable(tf.zeros([100]))
    module.f = tf.function(lambda x: x + module.v, input_signature=[tf.TensorSpec([])])
    tf.saved_model.save(module, str(tmp_path))
    file = damage(tmp_path, kind)
    if how == "missing":
        file.unlink()
    with pytest.raises(tf.errors.DataLossError if how == "truncated" else tf.errors.NotFoundError, match=file.name):
        tf.saved_model.load(str(tmp_path))


def test_damaged_manifests(tmp_path):
    tf.saved_model.save(Scaled(), str(tmp_path))
    path = tmp_path / "manifest.json"
    text = path.read_text()
    good = json.loads(text)
    for bad in (
        text[:100],
        "",
        "[]",
        json.dumps({k: v for k, v in good.items() if k != "objects"}),
        json.dumps(good | {"objects": [{"kind": "pickle"}]}),
        json.dumps(good | {"objects": []}),
        json.dumps(good | {"variables": "variables/../../elsewhere.safetensors"}),
        json.dumps(good | {"variables": "/etc/passwd"}),
    ):
        path.write_text(bad)
        with pytest.raises(OSError, match="Cannot parse file"):
            tf.saved_model.load(str(tmp_path))


def test_other_formats_are_refused(tmp_path):
    tf.saved_model.save(Scaled(), str(tmp_path))
    path = tmp_path / "manifest.json"
    good = json.loads(path.read_text())
    for change in ({"version": 99}, {"format": "something else"}, {"version": None}):
        path.write_text(json.dumps(good | change))
        with pytest.raises(tf.errors.UnimplementedError, match="up to version 1"):
            tf.saved_model.load(str(tmp_path))
    path.unlink()
    (tmp_path / "saved_model.pb").write_bytes(b"")
    with pytest.raises(RuntimeError, match="could not be found in SavedModel"):
        tf.saved_model.load(str(tmp_path))


def test_tags(tmp_path):
    tf.saved_model.save(Scaled(), str(tmp_path))
    for tags in (None, "serve", ["serve"], {"serve"}):
        tf.saved_model.load(str(tmp_path), tags=tags)
    with pytest.raises(RuntimeError, match="could not be found"):
        tf.saved_model.load(str(tmp_path), tags=["train"])


def test_saving_over_a_model(tmp_path):
    tf.saved_model.save(Scaled(1.0), str(tmp_path))
    (tmp_path / "functions" / "notes.txt").write_text("the user's own")
    module = tf.Module()
    module.v = tf.Variable(2.0)
    module.f = tf.function(lambda x: x - module.v, input_signature=[tf.TensorSpec([])])
    loaded = round_trip(module, tmp_path)
    assert float(loaded.f(5.0)) == 3.0
    assert len(list((tmp_path / "functions").glob("*.stablehlo"))) == 1
    assert len(list((tmp_path / "variables").glob("*.safetensors"))) == 1
    assert len(list((tmp_path / "variables").glob("variables.data-*"))) == 1
    assert (tmp_path / "functions" / "notes.txt").exists()


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_a_save_that_fails_leaves_the_old_model(tmp_path, monkeypatch, after):
    tf.saved_model.save(Scaled(1.0), str(tmp_path))
    module = Scaled(2.0)
    module.other = tf.function(lambda x: x - 1.0, input_signature=[tf.TensorSpec([])])
    replace, calls = os.replace, []

    def failing(source, target):
        calls.append(target)
        if len(calls) > after:
            raise OSError("disk full")
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match="disk full"):
        tf.saved_model.save(module, str(tmp_path))
    monkeypatch.undo()
    loaded = tf.saved_model.load(str(tmp_path))
    assert float(loaded.factor) == 1.0
    np.testing.assert_allclose(loaded(tf.ones([2])), [1.0, 1.0])
    assert not list(tmp_path.rglob("*.tmp"))
    tf.saved_model.save(module, str(tmp_path))
    assert float(tf.saved_model.load(str(tmp_path)).factor) == 2.0


def test_functions_by_other_names(tmp_path):
    module = tf.Module()
    module.double = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([])])
    aliases = {"twice": module.double}
    aliased = tf.saved_model.SaveOptions(experimental_io_device="/job:localhost", function_aliases=aliases)
    tf.saved_model.save(module, str(tmp_path), options=aliased)
    asked = tf.saved_model.LoadOptions(False, "/job:localhost", experimental_load_function_aliases=True)
    loaded = tf.saved_model.load(str(tmp_path), options=asked)
    assert loaded.function_aliases["twice"] is loaded.double and loaded.double(3.0).numpy() == 6.0
    assert not hasattr(tf.saved_model.load(str(tmp_path)), "function_aliases")
    with pytest.raises(TypeError, match="function_aliases"):
        tf.saved_model.save(module, str(tmp_path), options=tf.saved_model.SaveOptions(function_aliases={"a": 3}))


def test_refused_options():
    with pytest.raises(tf.errors.UnimplementedError, match="extra_tags"):
        tf.saved_model.SaveOptions(extra_tags=["a"])
    with pytest.raises(tf.errors.UnimplementedError, match="experimental_io_device"):
        tf.saved_model.LoadOptions(experimental_io_device="/job:worker")


def test_text_that_is_no_node_is_refused(tmp_path):
    module, table = tf.Module(), tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    module.f = tf.function(table.lookup, input_signature=[tf.TensorSpec([], tf.string)])
    with pytest.raises(tf.errors.UnimplementedError, match="no nodes for lookup: .*MutableHashTable in a function"):
        tf.saved_model.save(module, str(tmp_path))


def test_paths_of_every_kind(tmp_path):
    tf.saved_model.save(Scaled(), tmp_path / "a" / "b")
    assert tf.saved_model.contains_saved_model(tmp_path / "a" / "b")
    assert tf.saved_model.contains_saved_model(os.fsencode(tmp_path / "a" / "b"))


def test_calls_back_to_python_are_refused(tmp_path):
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([])])
        def f(self, x):
            return tf.numpy_function(np.sin, [x], tf.TensorSpec([], tf.float32))

    with pytest.raises(tf.errors.UnimplementedError, match="calls Python"):
        tf.saved_model.save(Module(), str(tmp_path / "saved"))


def test_assets_are_refused():
    with pytest.raises(AttributeError, match=r"tf.saved_model.Asset is not available in tfcompat: use a file"):
        tf.saved_model.Asset("vocabulary.txt")

"""`tf.saved_model`: damage is noticed, and what cannot be saved is refused."""

import json
import os

import numpy as np
import pytest

import tfcompat as tf

from ._modules import Noisy, Scaled, round_trip


def damage(folder, suffix):
    file = next(file for file in folder.iterdir() if file.name.endswith(suffix))
    file.write_bytes(file.read_bytes()[:-20])
    return file


def test_missing_directories(tmp_path):
    assert not tf.saved_model.contains_saved_model(str(tmp_path / "none"))
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(OSError, match="SavedModel file does not exist"):
            tf.saved_model.load(str(folder))


@pytest.mark.parametrize(("make", "kind", "suffix"), [
    (Noisy, "functions", ".stablehlo"), (Noisy, "variables", ".safetensors"), (Scaled, "variables", ".index"),
])  # fmt: skip
@pytest.mark.parametrize("how", ["truncated", "missing"])
def test_damaged_files(tmp_path, make, kind, suffix, how):
    tf.saved_model.save(make(), str(tmp_path))
    file = damage(tmp_path / kind, suffix)
    if how == "missing":
        file.unlink()
    with pytest.raises(tf.errors.DataLossError if how == "truncated" else tf.errors.NotFoundError, match=file.name):
        tf.saved_model.load(str(tmp_path))


def test_damaged_manifests(tmp_path):
    tf.saved_model.save(Noisy(), str(tmp_path))
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
    tf.saved_model.save(Noisy(), str(tmp_path))
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
    tf.saved_model.save(Noisy(1.0), str(tmp_path))
    (tmp_path / "functions" / "notes.txt").write_text("the user's own")
    module = Noisy(2.0)
    loaded = round_trip(module, tmp_path)
    np.testing.assert_array_equal(loaded.noisy([5.0]), [10.0])
    assert len(list((tmp_path / "functions").glob("*.stablehlo"))) == 4
    assert len(list((tmp_path / "variables").glob("*.safetensors"))) == 1
    assert len(list((tmp_path / "variables").glob("variables.data-*"))) == 1
    loaded = round_trip(Scaled(3.0), tmp_path)  # which TensorFlow's files hold as a whole
    np.testing.assert_array_equal(loaded([5.0]), [15.0])
    assert not list(tmp_path.rglob("*.stablehlo")) and not list(tmp_path.rglob("*.safetensors"))
    assert len(list((tmp_path / "variables").glob("variables.data-*"))) == 1
    assert not (tmp_path / "manifest.json").exists()
    assert (tmp_path / "functions" / "notes.txt").exists()


@pytest.mark.parametrize(("made_by", "after"), [
    *[(Scaled, n) for n in range(6)], *[(Noisy, n) for n in (0, 3, 6, 7, 8, 10)],
])  # fmt: skip
def test_a_save_that_fails_leaves_one_of_the_models(tmp_path, monkeypatch, made_by, after):
    tf.saved_model.save(made_by(1.0), str(tmp_path))
    module = made_by(2.0)
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
    done = {os.path.basename(path) for path in calls[:after]}
    expected = 2.0 if ("fingerprint.pb" if made_by is Scaled else "manifest.json") in done else 1.0
    assert float(loaded.factor) == expected and hasattr(loaded, "other") == (expected == 2.0)
    np.testing.assert_allclose(loaded(tf.ones([2])), [expected] * 2)
    assert not list(tmp_path.rglob("*.tmp"))
    if made_by is Scaled:
        assert not list(tmp_path.rglob("*.next"))
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

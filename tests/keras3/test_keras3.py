"""Keras 3 as a guest: a program of its own runs on tfcompat as on TensorFlow, and prints the same numbers."""

import importlib.util
import json
import os
import pathlib
import re
import runpy
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import tfcompat as tf

from . import activations

HERE = pathlib.Path(__file__).parent
GUIDE = HERE.parent.parent / "migration_guide"
needs_keras = pytest.mark.skipif(
    importlib.util.find_spec("keras") is None, reason="Keras 3 is not installed: pip install 'tfcompat[keras]'"
)


def _computed(program, folder, **settings):
    """What a program writes to the file that it is given."""
    environment = {
        **os.environ,
        **settings,
        "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true",
    }
    command = [sys.executable, "-m", "tfcompat", "run", str(HERE / program), str(folder / "out.json")]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400)
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads((folder / "out.json").read_text(encoding="utf-8"))


def _recorded(name):
    return json.loads((HERE / name).read_text(encoding="utf-8"))


GOLDEN = _recorded("golden.json")


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    return _computed("program.py", tmp_path_factory.mktemp("keras3"), KERAS_BACKEND="tensorflow")


@needs_keras
@pytest.mark.parametrize("name", list(GOLDEN))
def test_numbers_are_those_of_tensorflow(computed, name):
    assert len(computed[name]) == len(GOLDEN[name])
    for ours, theirs in zip(computed[name], GOLDEN[name], strict=True):
        if name == "shapes":
            assert ours == theirs
        else:
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=2e-6)


@needs_keras
def test_forward_mode_takes_variables_of_keras(computed):
    ours, exact = computed["forward"]
    np.testing.assert_allclose(ours, exact, rtol=1e-6)


@needs_keras
def test_keras_stays_light_beside_it(computed):
    version, namespace, variable = computed["who"]
    assert version.startswith("3.")
    assert namespace == "tfcompat.keras"
    assert variable == "ResourceVariable"


@needs_keras
def test_tf_keras_is_keras_3_on_request(tmp_path):
    ours, theirs = _computed("as_tf_keras.py", tmp_path, TF_USE_LEGACY_KERAS="0"), _recorded("as_tf_keras.json")
    for name in ("version", "name", "padded", "aliases", "shifted"):
        assert ours[name] == theirs[name]
    for metric in ("loss", "mae"):
        np.testing.assert_allclose(ours["fit"][metric], theirs["fit"][metric], rtol=1e-5)
    assert ours["late"] == [True, 1.0, pytest.approx(0.03)]  # variables made after their checkpoint was read
    for name in ("penalized", "words"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-4)
    for name in ("gradient", "served"):
        for one, other in zip(ours[name], theirs[name], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_keras_3_on_request_must_be_installed(monkeypatch):
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "0")
    monkeypatch.delitem(sys.modules, "keras", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: None)
    tf.install()
    for name in ("keras", "losses", "keras"):
        with pytest.raises(ModuleNotFoundError, match=r"TF_USE_LEGACY_KERAS=0: .* pip install 'tfcompat\[keras\]'"):
            getattr(tf, name)
    tf.uninstall()
    assert tf.keras.__name__ == "tfcompat.keras"
    assert tf.losses.__name__ == "tfcompat.keras.losses"


PROGRAMS = {
    "said by the program": """
        os.environ["TF_USE_LEGACY_KERAS"] = "0"
        import tensorflow as tf
        from tensorflow.keras.layers import Dense
        assert Dense is tf.keras.layers.Dense and Dense.__module__.startswith("keras.src")
        assert tf.optimizers.Adam is tf.keras.optimizers.Adam
        tfcompat.uninstall()
        assert tfcompat.keras.__name__ == "tfcompat.keras"
        assert tfcompat.optimizers.__name__ == "tfcompat.keras.optimizers"
        tfcompat.install()  # both have been asked for
        assert tf.keras.layers.Dense is Dense
        assert tf.optimizers.Adam is tf.keras.optimizers.Adam
    """,
    "said otherwise by the program": """
        os.environ["TF_USE_LEGACY_KERAS"] = "1"
        import tensorflow as tf
        assert tf.keras.__name__ == "tfcompat.keras" and tf.losses.__name__ == "tfcompat.keras.losses"
        import keras
        assert keras is tf.keras
    """,
    "beside Keras 2": """
        os.environ["TF_USE_LEGACY_KERAS"] = "0"
        tfcompat.install()
        import tf_keras
        import tensorflow as tf
        light = tf_keras.Sequential([tf_keras.layers.Dense(1)])
        light.compile(tf_keras.optimizers.Adam.from_config(tf_keras.optimizers.Adam().get_config()), "mse")
        assert tf.losses.MeanSquaredError.__module__.startswith("keras.src")
        assert light.fit(tf.ones((2, 2)), tf.ones((2, 1)), verbose=0).epoch == [0]
        assert tf_keras.__name__ == "tfcompat.keras" and tf.keras.Model is not tf_keras.Model
        assert tf_keras.initializers.deserialize(tf_keras.initializers.serialize(tf_keras.initializers.Ones()))
        assert tf_keras.losses.deserialize("mse").__module__.startswith("tfcompat")
    """,
}


@needs_keras
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_which_keras_is_looked_at_when_it_is_asked_for(name):
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "0" if "otherwise" in name else ""}
    program = "import os, tfcompat\ntfcompat.install()\n" + textwrap.dedent(PROGRAMS[name])
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=400)
    assert run.returncode == 0, run.stderr[-3000:]


@needs_keras
def test_commands_say_which_keras_they_mean(tmp_path):
    program = """
        import tensorflow as tf
        tf.keras.ops.mean([1.0])
        tf.losses.Dice()
        tf.keras.layers.NoSuch()
        tf.keras.layers.Dense(1, activity_regularizer="l2")
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(program))

    def said(setting, *command):
        environment = {**os.environ, "TF_USE_LEGACY_KERAS": setting}
        command = [sys.executable, "-m", "tfcompat", *command]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400).stdout

    file = str(tmp_path / "program.py")
    light, third = said("", "check", file), said("0", "check", file)
    assert light.count("by setting TF_USE_LEGACY_KERAS=0") == 2
    assert "missing   tf.keras.layers.NoSuch" in light
    assert "Keras 3, which TF_USE_LEGACY_KERAS=0 makes tf.keras, has no such name" in third
    assert "3 of 4 uses supported; 0 differ; 1 missing" in third
    assert re.search(r"tf.keras: +Keras 2, of tfcompat; Keras 3: 3", said("", "info"))
    assert re.search(r"tf.keras: +Keras 3, by TF_USE_LEGACY_KERAS=0: 3", said("0", "info"))


@pytest.mark.parametrize("name", list(activations.CALLS))
def test_activations_of_keras_3_are_in_the_light_keras(light, name):
    for ours, theirs in zip(light[name], _recorded("activations.json")[name], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


@pytest.fixture(scope="module")
def light():
    return activations.computed(tf, tf.keras.activations)


def test_names_of_keras_3_mean_those_of_the_light_keras():
    keras = tf.keras
    assert keras.Layer is keras.layers.Layer
    assert keras.Optimizer is keras.optimizers.Optimizer
    assert keras.DTypePolicy is keras.mixed_precision.Policy
    assert keras.config.floatx() == keras.backend.floatx()
    for use in (lambda: keras.ops.mean, lambda: keras.layers.RMSNormalization, lambda: keras.optimizers.Lamb):
        with pytest.raises(AttributeError, match="by setting TF_USE_LEGACY_KERAS=0"):
            use()


def test_ways_of_calling_of_keras_3():
    class Scale(tf.keras.Layer):
        def build(self, shape):
            self.factor = self.add_weight(shape[-1:], initializer="ones")

        def call(self, x):
            return x * self.factor

    layer, optimizer = Scale(), tf.keras.optimizers.SGD(0.5)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(tf.constant([[1.0, 2.0]])))
    optimizer.apply(tape.gradient(loss, layer.trainable_variables), layer.trainable_variables)
    assert layer.factor.numpy().tolist() == [0.5, 0.0]
    with pytest.raises(ValueError, match="1 gradients, but 0 variables"):
        optimizer.apply([tf.ones(2)])


class _Batches(tf.keras.utils.PyDataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return np.full((3, 1), index, "float32"), np.ones((3, 1), "float32")


def test_fit_takes_what_keras_3_calls_a_py_dataset():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile("sgd", "mse")
    batches = _Batches(workers=2)
    assert (batches.num_batches, batches.workers) == (2, 2)
    history = model.fit(batches, shuffle=False, verbose=0).history  # the bias is 0.02 at the second batch
    np.testing.assert_allclose(history["loss"], [(1 + 0.98**2) / 2], rtol=1e-6)


@pytest.mark.parametrize("backend, module", [(None, "tfcompat.keras"), ("tensorflow", "keras"), ("jax", "keras")])
def test_environment_says_what_keras_means(monkeypatch, backend, module):
    from tfcompat._tools import _install

    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    if backend is not None:
        monkeypatch.setenv("KERAS_BACKEND", backend)
    monkeypatch.delitem(sys.modules, "keras", raising=False)
    assert _install._keras_is_ours() == (module == "tfcompat.keras")


def test_tables_of_the_page_are_current():
    renderer = runpy.run_path(str(GUIDE / "render_keras3.py"))
    page = (GUIDE / "keras3.md").read_text(encoding="utf-8")
    assert page == renderer["render"](page), "run migration_guide/render_keras3.py"


def test_without_keras_3_the_name_still_means_keras_3(monkeypatch):
    """A program that asks for Keras 3 must not get another Keras unseen."""
    from tfcompat._tools import _install

    monkeypatch.setenv("KERAS_BACKEND", "tensorflow")
    monkeypatch.delitem(sys.modules, "keras", raising=False)
    assert _install._finder.find_spec("keras") is None
    assert _install._finder.find_spec("tf_keras") is not None

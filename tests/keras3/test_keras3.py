"""Keras 3 as a guest: a program of its own runs on tfcompat as on TensorFlow, and prints the same numbers."""

import importlib.util
import json
import os
import pathlib
import runpy
import subprocess
import sys

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
GOLDEN = json.loads((HERE / "golden.json").read_text(encoding="utf-8"))

GUIDE = HERE.parent.parent / "migration_guide"
needs_keras = pytest.mark.skipif(
    importlib.util.find_spec("keras") is None, reason="Keras 3 is not installed: pip install 'tfcompat[keras]'"
)


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    out = tmp_path_factory.mktemp("keras3") / "out.json"
    environment = {
        **os.environ,
        "KERAS_BACKEND": "tensorflow",
        "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true",
    }
    command = [sys.executable, "-m", "tfcompat", "run", str(HERE / "program.py"), str(out)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400)
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(out.read_text(encoding="utf-8"))


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


@pytest.mark.parametrize("backend, module", [(None, "tfcompat.keras"), ("tensorflow", "keras"), ("jax", "keras")])
def test_environment_says_what_keras_means(monkeypatch, backend, module):
    from tfcompat import _install

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
    from tfcompat import _install

    monkeypatch.setenv("KERAS_BACKEND", "tensorflow")
    monkeypatch.delitem(sys.modules, "keras", raising=False)
    assert _install._finder.find_spec("keras") is None
    assert _install._finder.find_spec("tf_keras") is not None

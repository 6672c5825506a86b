"""The site of the guide and the API reference: everything public is described, and it builds without a warning."""

import importlib.util
import inspect
import pathlib
import runpy
import subprocess
import sys
from types import SimpleNamespace

import pytest

import tfcompat as tf

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "migration_guide"


@pytest.fixture(scope="module")
def builder():
    path = list(sys.path)
    yield SimpleNamespace(**runpy.run_path(str(GUIDE / "site" / "build.py")))
    sys.path[:] = path
    sys.modules.pop("reference", None)


@pytest.fixture(scope="module")
def found(builder):
    return builder.reference.Reference(tf)


def test_every_public_function_and_class_has_a_docstring(found):
    ours = [entry for entry in found.entries.values() if callable(entry.value)]
    assert len(ours) > 1800
    assert not {entry.name for entry in ours if not inspect.getdoc(entry.value)}


def test_every_public_method_has_a_docstring(found):
    classes = {entry.value: entry.name for entry in found.entries.values() if inspect.isclass(entry.value)}
    bare = []
    for cls, name in classes.items():
        for member, value in vars(cls).items():
            public = not member.startswith("_") and inspect.isfunction(value) and cls.__module__.startswith("tfcompat")
            if public and not inspect.getdoc(getattr(cls, member)):
                bare.append(f"{name}.{member}")
    assert not bare


def test_every_public_name_has_an_entry_on_the_page_of_its_namespace(found):
    assert found.namespaces.keys() >= {"tf", "tf.math", "tf.keras.layers", "tf.engine", "tf.extend", "tf.raw_ops"}
    for space in found.namespaces:
        page = found.page(space)
        for name in found.namespaces[space]:
            entry = found.entries[f"{space}.{name}"]
            assert f"`{name} <{entry.name}>`" in page
            assert entry.name != f"{space}.{name}" or f"}} {entry.name}" in page


def test_an_object_is_described_under_one_name(found):
    names = "tf.abs tf.autodiff.GradientTape tf.losses.MeanSquaredError tf.keras.models.Model tf.concat".split()
    assert [found.entries[name].name for name in names] == [
        "tf.math.abs", "tf.GradientTape", "tf.keras.losses.MeanSquaredError", "tf.keras.Model", "tf.concat",
    ]  # fmt: skip


def test_docstrings_become_markdown(found):
    page = found.page("tf.linalg")
    start = page.index(":::{py:function} tf.linalg.cholesky(input, name=None)")
    text = page[start : page.index("\n:::\n", start)]
    assert "**Arguments:**\n\n- `input`: float32" in text
    assert "- {py:obj}`tf.errors.InvalidArgumentError <tf.errors.InvalidArgumentError>`: " in text
    assert "**Gradient:** symmetric" in text
    assert "**TensorFlow:** `tf.linalg.cholesky`" in text


def test_menu_has_every_page_of_the_guide(builder):
    assert {*builder.PAGES, "index"} == {path.stem for path in GUIDE.glob("*.md")}


def test_site_builds_without_a_warning_and_its_links_lead_somewhere(tmp_path):
    for module in ("sphinx", "myst_parser", "furo"):
        if importlib.util.find_spec(module) is None:
            pytest.skip("the site needs `pip install 'tfcompat[docs]'`")
    command = [sys.executable, str(GUIDE / "site" / "build.py")]
    built = [*command, str(tmp_path / "site"), "--only", "tf.nest", "tf.bitwise"]
    done = subprocess.run(built, text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site" / "reference" / "tf.nest.html").read_text(encoding="utf-8")
    assert 'id="tf.nest.map_structure"' in page
    page = (tmp_path / "site" / "notebooks" / "02_higher_orders.html").read_text(encoding="utf-8")
    assert page.count("<img ") == 3


def test_folder_of_something_else_is_left_alone(builder, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    assert "something else" in builder.build(tmp_path)[0]
    assert (tmp_path / "mine.txt").exists()


def test_broken_links_are_found(builder, tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#there">1</a><a href="b.html#gone">2</a><a href="c.html">3</a>')
    (tmp_path / "b.html").write_text('<p id="there"><a href="https://example.org/x">4</a><a href="#">5</a>')
    assert builder.broken_links(tmp_path) == ["a.html: b.html#gone", "a.html: c.html"]

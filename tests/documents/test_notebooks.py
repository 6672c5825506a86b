"""The guide's notebooks: current, with outputs that are kept small, and run from top to bottom, with few steps."""

import ast
import json
import pathlib
import re
import runpy
from types import SimpleNamespace

import pytest

import tfcompat

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "migration_guide" / "notebooks"
renderer = SimpleNamespace(**runpy.run_path(str(FOLDER / "render.py")))
SIZES = {"STEPS": 3, "ITERATIONS": 2, "POINTS": 20}
SIZE = re.compile(rf"^({'|'.join(SIZES)}) = \d+$", re.MULTILINE)


@pytest.mark.parametrize("source", renderer.SOURCES, ids=lambda path: path.stem)
def test_notebook_is_current(source):
    text = source.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert text == renderer.render(source, text), "run migration_guide/notebooks/render.py --run"
    cells = json.loads(text)["cells"]
    assert [cell["cell_type"] for cell in cells[:2]] == ["markdown", "code"]
    assert "%pip install" in "".join(cells[1]["source"])
    for cell in cells:
        if cell["cell_type"] == "code":
            ast.parse(re.sub("^( *)%", r"\1# ", "".join(cell["source"]), flags=re.MULTILINE))


@pytest.mark.parametrize("source", renderer.SOURCES, ids=lambda path: path.stem)
def test_notebook_is_stored_as_it_ran(source):
    path = source.with_suffix(".ipynb")
    assert path.stat().st_size < 200_000
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert [output for output in outputs if "image/png" in output.get("data", ())]


def test_outputs_are_kept_where_the_code_is_the_same(tmp_path):
    source = tmp_path / "1.py"
    source.write_text("# %% [markdown]\n# text\n\n# %%\n1\n\n# %%\nif 2:\n    # %pip list\n    pass\n")
    cells = json.loads(renderer.render(source))["cells"]
    assert "".join(cells[2]["source"]) == "if 2:\n    %pip list\n    pass"
    for cell, said in zip(cells[1:], ("one", "two"), strict=True):
        cell["execution_count"] = 1
        cell["outputs"] = [
            {"output_type": "stream", "name": name, "text": text} for name, text in (("stderr", "?"), ("stdout", said))
        ]
    source.write_text(source.read_text().replace("if 2", "if 3"))
    first, second = json.loads(renderer.render(source, json.dumps({"cells": cells})))["cells"][1:]
    assert [output["text"] for output in first["outputs"]] == [["one"]]
    assert (second["outputs"], second["execution_count"]) == ([], None)


@pytest.mark.parametrize("source", renderer.SOURCES, ids=lambda path: path.stem)
def test_notebook_runs(source, tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pytest.importorskip("sklearn")
    pyplot.switch_backend("agg")
    pictures = []

    def show():
        pictures.append(pyplot.get_fignums())
        pyplot.close("all")

    monkeypatch.setattr(pyplot, "show", show)
    monkeypatch.chdir(tmp_path)
    program = tmp_path / source.name
    program.write_text(SIZE.sub(lambda match: f"{match[1]} = {SIZES[match[1]]}", source.read_text()))
    tfcompat.install()
    try:
        results = runpy.run_path(str(program))
    finally:
        tfcompat.uninstall()
    assert pictures and all(pictures)
    if "TENSORFLOW" in results:
        assert results["losses"] == pytest.approx(results["TENSORFLOW"], rel=1e-5)

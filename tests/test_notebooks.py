"""The guide's notebooks: current, and run from top to bottom, with few steps."""

import ast
import json
import pathlib
import re
import runpy
from types import SimpleNamespace

import pytest

import tfcompat

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "migration_guide" / "notebooks"
renderer = SimpleNamespace(**runpy.run_path(str(FOLDER / "render.py")))
SIZES = {"STEPS": 3, "ITERATIONS": 2, "POINTS": 20}
SIZE = re.compile(rf"^({'|'.join(SIZES)}) = \d+$", re.MULTILINE)


@pytest.mark.parametrize("source", renderer.SOURCES, ids=lambda path: path.stem)
def test_notebook_is_current(source):
    text = source.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert text == renderer.render(source), "run migration_guide/notebooks/render.py"
    cells = json.loads(text)["cells"]
    assert [cell["cell_type"] for cell in cells[:2]] == ["markdown", "code"]
    assert "%pip install" in "".join(cells[1]["source"])
    for cell in cells:
        if cell["cell_type"] == "code":
            ast.parse(re.sub("^%", "# ", "".join(cell["source"]), flags=re.MULTILINE))


@pytest.mark.filterwarnings("ignore:tfcompat keeps compiling")
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

"""Renders the notebooks from their sources: each `NAME.py` here, cells between `# %%` lines, as `NAME.ipynb`.

    python migration_guide/notebooks/render.py

`# %% [markdown]` begins a cell of text, whose lines are comments. A line `# %pip ...` is a command of the notebook.
"""

import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = sorted(path for path in HERE.glob("[0-9]*.py"))
CELL = re.compile(r"^# %%(?P<markdown> \[markdown\])?\n", re.MULTILINE)


def render(source):
    """The notebook of a source, as text."""
    text = source.read_text(encoding="utf-8")
    starts = list(CELL.finditer(text))
    ends = [match.start() for match in starts[1:]] + [len(text)]
    cells = [
        _cell(text[match.end() : end].strip("\n"), number, bool(match["markdown"]))
        for number, (match, end) in enumerate(zip(starts, ends, strict=True))
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _cell(text, number, markdown):
    pattern = r"^# ?" if markdown else r"^# (?=%pip )"
    lines = re.sub(pattern, "", text, flags=re.MULTILINE).splitlines(keepends=True)
    cell = {"cell_type": "markdown" if markdown else "code", "id": f"cell-{number}", "metadata": {}, "source": lines}
    return cell if markdown else cell | {"execution_count": None, "outputs": []}


if __name__ == "__main__":
    for source in SOURCES:
        source.with_suffix(".ipynb").write_text(render(source), encoding="utf-8")
        print(source.with_suffix(".ipynb").name)
